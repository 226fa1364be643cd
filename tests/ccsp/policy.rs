//! What documents and fields say about their signatures, through CCSP: refused before the person
//! is asked wherever that can be known, and shown to the person otherwise.

use serde_json::{Value, json};
use signer_ipc::message::Lasting;
use signer_tests::{
    documents::with_fields,
    judges::{self, Judgement, PyHanko},
};

use crate::{
    person::Reaction,
    server::{Client, SITE, Server},
    signatures::finished,
};

const YES: Reaction = Reaction::Yes(Lasting::Once);
/// An empty field that can be seen.
const FIELD: &str = "/T (s) /Rect [72 72 300 150]";

fn request(site: &Client<'_>, document: &[u8], options: &Value) -> Value {
    let id = site.upload(document)["id"].clone();
    json!({ "format": "pades", "items": [{ "name": "contrato.pdf", "document": id }], "options": options })
}

/// Has a document signed and returns the item and the result.
fn signed(server: &Server, site: &Client<'_>, document: &[u8], options: &Value) -> (Value, Vec<u8>) {
    server.person.will(&[YES]);
    let done = finished(site, &request(site, document, options));
    let item = done["items"][0].clone();
    let content = item["content"].as_str().map(|content| site.ask(&format!("GET {content}")).body);
    (item, content.unwrap_or_default())
}

/// The code with which a request is refused, nobody being asked.
fn refused(server: &Server, site: &Client<'_>, document: &[u8], options: &Value) -> String {
    let before = server.person.questions();
    let answer = site.send("POST /ccsp/v1/signatures", &request(site, document, options));
    assert!([409, 422].contains(&answer.status), "{answer:?}");
    assert_eq!(server.person.questions(), before);
    answer.refusal().1
}

fn judged(server: &Server, pyhanko: &mut PyHanko, document: &[u8]) -> Vec<Judgement> {
    let path = server.directory.path().join("signed.pdf");
    std::fs::write(&path, document).unwrap();
    let judgements = pyhanko.judge(&path, &judges::test_root()).unwrap();
    assert!(judgements.iter().all(|judgement| judgement.ok), "{judgements:?}");
    judgements
}

fn last_question(server: &Server) -> String {
    server.person.asked.lock().unwrap().last().unwrap().clone()
}

#[test]
fn a_certification_is_shown_made_and_obeyed() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let server = Server::start();
    let site = server.paired(Some(SITE));
    for (level, permission, author) in [
        ("no-changes", 1, true),
        ("form-filling", 2, true),
        ("annotations", 3, true),
        ("iti-reference", 2, false),
    ] {
        let certify = json!({ "certify": level });
        let (item, document) = signed(&server, &site, &with_fields(&[FIELD]), &certify);
        assert_eq!(item["state"], "signed", "{item}");
        assert!(last_question(&server).contains(&format!(" as {level} because")));
        let judgements = judged(&server, &mut pyhanko, &document);
        assert_eq!((judgements[0].permission, judgements[0].author), (Some(permission), author));

        if permission == 1 {
            for options in [json!({}), json!({ "field": "s" }), json!({ "seal": "none" }), certify] {
                assert_eq!(refused(&server, &site, &document, &options), "document-changes-forbidden");
            }
            continue;
        }
        assert_eq!(refused(&server, &site, &document, &certify), "certification-not-first");
        // A seal that was asked for is not left out in silence; one that was not, is.
        let seal = json!({ "seal": "default" });
        assert_eq!(refused(&server, &site, &document, &seal), "visible-field-forbidden");
        let (item, document) = signed(&server, &site, &document, &json!({}));
        assert_eq!(item["state"], "signed", "{item}");
        assert!(!last_question(&server).contains(" as "));
        let (item, document) = signed(&server, &site, &document, &json!({ "field": "s" }));
        assert_eq!(item["state"], "signed", "{item}");
        assert_eq!(judged(&server, &mut pyhanko, &document).len(), 3);
    }
}

#[test]
fn what_a_field_asks_for_is_shown_or_told() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let server = Server::start();
    let site = server.paired(Some(SITE));
    let field = |seed: &str| with_fields(&[&format!("{FIELD} /SV << {seed} >>")]);
    let options = json!({ "field": "s" });

    // A reason that the field leaves no choice about is part of what the person sees.
    let (item, document) = signed(&server, &site, &field("/Ff 8 /Reasons [(Aprovo)]"), &options);
    assert_eq!(item["state"], "signed", "{item}");
    assert!(last_question(&server).ends_with(r#"because Some("Aprovo")"#));
    assert!(String::from_utf8_lossy(&document).contains("/Reason (Aprovo)"));
    judged(&server, &mut pyhanko, &document);

    let (item, document) =
        signed(&server, &site, &field("/Ff 64 /DigestMethod [(SHA512)] /AddRevInfo true"), &options);
    assert_eq!(item["ignoredSeedValues"], json!(["AddRevInfo"]), "{item}");
    judged(&server, &mut pyhanko, &document);

    for (seed, said) in [
        ("/Ff 8 /Reasons [(Aprovo) (Li)]", "the field asks for (Aprovo) (Li) in /Reasons"),
        // What cannot be shown as it is written is not taken over.
        ("/Ff 8 /Reasons [<FEFF0041202E0042>]", "in /Reasons"),
        ("/MDP << /P 2 >>", "the field asks for a certification with P 2 in /MDP"),
        ("/TimeStamp << /Ff 1 >>", "in /TimeStamp"),
    ] {
        server.person.will(&[YES]);
        let done = finished(&site, &request(&site, &field(seed), &options));
        let error = &done["items"][0]["error"];
        assert_eq!(error["code"], "seed-value-unmet", "{done}");
        assert!(error["detail"].as_str().unwrap().contains(said), "{error}");
    }
}

#[test]
fn the_one_call_form_certifies_and_says_what_a_field_asks_for() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let server = Server::start();
    let site = server.paired(Some(SITE));
    let pdf = [("Content-Type", "application/pdf")];
    server.person.will(&[YES, YES]);
    let line = "POST /ccsp/v1/signatures?certify=form-filling";
    let answer = site.ask_with(line, &pdf, &with_fields(&[]));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(judged(&server, &mut pyhanko, &answer.body)[0].author);
    let document = with_fields(&[&format!("{FIELD} /SV << /Ff 32 /AddRevInfo true >>")]);
    let answer = site.ask_with("POST /ccsp/v1/signatures?field=s", &pdf, &document);
    assert_eq!((answer.status, &answer.json()["code"]), (422, &json!("seed-value-unmet")));
    assert!(answer.json()["detail"].as_str().unwrap().contains("/AddRevInfo"), "{answer:?}");
    let answer = site.ask_with("POST /ccsp/v1/signatures?certify=all", &pdf, &document);
    assert_eq!(answer.status, 400);
}

/// A lock cannot be taken back any more than a certification: it is shown before and told afterwards.
#[test]
fn the_lock_of_a_field_is_shown_and_told() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let server = Server::start();
    let site = server.paired(Some(SITE));
    let options = json!({ "field": "s" });
    for (field, lock, permission) in [
        ("/SV << /Ff 128 /LockDocument /true >>", Some("no-changes"), Some(1)),
        ("/Lock << /Action /All /P 1 >>", Some("no-changes"), Some(1)),
        ("/Lock << /Action /All /P 3 >>", Some("annotations"), Some(3)),
        ("/Lock << /Action /All /P 3 >> /SV << /Ff 128 /LockDocument /true >>", Some("no-changes"), Some(1)),
        ("/Lock << /Action /Include /Fields [(x)] >>", None, None),
        ("/SV << /LockDocument /true >>", None, None),
    ] {
        let document = with_fields(&[&format!("{FIELD} {field}")]);
        let (item, signed) = signed(&server, &site, &document, &options);
        assert_eq!(item["state"], "signed", "{field}: {item}");
        let question = last_question(&server);
        let shown = question.split(" locked to ").nth(1).map(|rest| rest.split(' ').next().unwrap());
        assert_eq!((shown, item["lock"].as_str()), (lock, lock), "{field}: {question}");
        assert_eq!(judged(&server, &mut pyhanko, &signed)[0].permission, permission, "{field}");
    }
}

/// Proves A31.
#[test]
fn nobody_is_asked_for_what_the_document_does_not_take() {
    let server = Server::start();
    let site = server.paired(Some(SITE));
    let locking = with_fields(&["/T (a) /Lock << /Action /Include /Fields [(s) (novo)] >>", FIELD]);
    let (_, locked) = signed(&server, &site, &locking, &json!({ "field": "a" }));
    for (options, expected) in [
        (json!({ "field": "s" }), "field-locked"),
        (json!({ "newField": "novo" }), "field-locked"),
        (json!({ "newField": "a.b" }), "field-name-unusable"),
        (json!({ "newField": "a" }), "field-name-unusable"),
        (json!({ "field": "a" }), "field-already-signed"),
    ] {
        assert_eq!(refused(&server, &site, &locked, &options), expected, "{options}");
    }
    // A certification that no field holds.
    let text = String::from_utf8(with_fields(&[])).unwrap();
    let certified = text.replace("/Type /Catalog", "/Type /Catalog /Perms << /DocMDP 5 0 R >>");
    let certify = json!({ "certify": "form-filling" });
    assert_eq!(refused(&server, &site, certified.as_bytes(), &certify), "certification-not-first");
}
