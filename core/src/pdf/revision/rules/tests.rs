//! What is refused before anybody is asked, and the names that new fields get.

use crate::error::ErrorCode;
use crate::pdf::permission::{Permission, SignatureType};
use crate::pdf::revision::FieldChoice;
use crate::pdf::revision::rules::{SigningRules, Visibility};
use crate::pdf::revision::tests::{check, new, open, with_form};
use crate::pdf::sample::{ONE_PAGE, table};

const SIGNATURE: &str = "<< /Type /Sig /Contents <00> >>";

/// The name, or the code, of an approval that is not seen.
fn asked(bytes: &[u8], field: FieldChoice<'_>) -> Result<String, ErrorCode> {
    let rules = SigningRules::of(&open(bytes)).unwrap();
    rules.check(field, SignatureType::Approval, Visibility::Unseen).map_err(|error| error.code())
}

/// A signed field `a` with this lock, the empty field `s` and a text field.
fn locked(lock: &str) -> Vec<u8> {
    let field = format!("<< /T (a) /FT /Sig /V 6 0 R /Lock << {lock} >> >>");
    let more = [&field, "<< /T (s) /FT /Sig >>", SIGNATURE, "<< /T (Signature1) /FT /Tx >>"];
    with_form("<< /Fields [4 0 R 5 0 R 7 0 R] >>", "", &more)
}

#[test]
fn a_name_that_is_found_is_neither_taken_nor_locked() {
    for (lock, expected) in [
        ("/Action /Include /Fields [(s)]", Ok("Signature2")),
        ("/Action /Include /Fields [(Signature2) (Signature3)]", Ok("Signature4")),
        ("/Action /Include /Fields [(Signature2.x) (Signature)]", Ok("Signature2")),
        ("/Action /Exclude /Fields [(s) (Signature1) (Signature3)]", Ok("Signature3")),
        ("/Action /Exclude /Fields [(s)]", Err(ErrorCode::FieldLocked)),
        ("/Action /All", Err(ErrorCode::FieldLocked)),
    ] {
        let bytes = locked(lock);
        assert_eq!(asked(&bytes, new()), expected.map(str::to_owned), "{lock}");
        if let Ok(name) = expected {
            check(lock, &bytes, FieldChoice::New { name: Some(name) });
        }
    }
}

#[test]
fn many_locked_names_cost_no_more_than_their_number() {
    let names: String = (1..=40_000).map(|number| format!("(Signature{number}) ")).collect();
    let bytes = locked(&format!("/Action /Include /Fields [{names}]"));
    assert_eq!(asked(&bytes, new()).as_deref(), Ok("Signature40001"));
}

#[test]
fn what_the_document_does_not_take_is_told_before_anything_is_made() {
    let bytes = locked("/Action /Include /Fields [(s)] /P 2");
    assert_eq!(asked(&bytes, FieldChoice::Existing { name: "s" }), Err(ErrorCode::FieldLocked));
    assert_eq!(asked(&bytes, FieldChoice::Existing { name: "a" }), Err(ErrorCode::FieldAlreadySigned));
    assert_eq!(asked(&bytes, FieldChoice::Existing { name: "x" }), Err(ErrorCode::FieldNotFound));
    assert_eq!(asked(&bytes, FieldChoice::New { name: Some("a") }), Err(ErrorCode::FieldNameUnusable));
    let rules = SigningRules::of(&open(&bytes)).unwrap();
    assert_eq!(rules.permission(), Some(Permission::FormFilling));
    let visible = rules.check(new(), SignatureType::Approval, Visibility::Seen).unwrap_err();
    assert_eq!(visible.code(), ErrorCode::VisibleFieldForbidden);
    let certify = SignatureType::Certification(Permission::FormFilling);
    let certified = rules.check(new(), certify, Visibility::Unseen).unwrap_err();
    assert_eq!(certified.code(), ErrorCode::CertificationNotFirst);
    let closed = locked("/Action /All /P 1");
    assert_eq!(asked(&closed, new()), Err(ErrorCode::DocumentChangesForbidden));
}

/// A certification that the catalog names is one, also where no field holds it.
#[test]
fn a_certification_without_a_field_is_the_first_signature_too() {
    let catalog = "<< /Type /Catalog /Pages 2 0 R /Perms << /DocMDP 4 0 R >> >>";
    let bytes = table(&[catalog, ONE_PAGE[1], ONE_PAGE[2], SIGNATURE], "");
    let rules = SigningRules::of(&open(&bytes)).unwrap();
    let certify = SignatureType::Certification(Permission::Annotations);
    let refused = rules.check(new(), certify, Visibility::Unseen).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::CertificationNotFirst);
    assert_eq!(asked(&bytes, new()).as_deref(), Ok("Signature1"));
}
