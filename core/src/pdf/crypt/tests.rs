//! Dictionaries that qpdf made, with the keys that it says are theirs; and documents of each kind
//! signed.

use proptest::prelude::*;

use super::*;
use crate::error::ErrorCode;
use crate::moment::Moment;
use crate::pdf::geometry::Rectangle;
use crate::pdf::later::{Effort, Later};
use crate::pdf::limits::Limits;
use crate::pdf::object::{Name, Stream};
use crate::pdf::permission::SignatureType;
use crate::pdf::revision::inspection::inspect;
use crate::pdf::revision::{FieldChoice, SignatureRequest, begin, sign_revision};
use crate::pdf::sample::{ONE_PAGE, replace, table};

const USER: &str = "ação";
const OWNER: &str = "master";
const TEXT: &[u8] = b"segredo";

/// What qpdf wrote: its name here, the encryption dictionary, the file key, and [`TEXT`] as the
/// string of object 3.
const KINDS: [(&str, &str, &str, &str); 6] = [
    (
        "R 2, RC4 of 40 bits",
        "/Filter /Standard /Length 40 /O <4089718f8844c2d6230b737e3295a2e9c945fcc46569f8339661c0a4264ceaa0> /P -4 \
         /R 2 /U <649d0f7d793529b67f7c5064e542654b0f8371068ddcae9cdb63b6973765fd15> /V 1",
        "8965a9ee58",
        "<a3cdf125fb1052>",
    ),
    (
        "R 3, RC4 of 128 bits",
        "/Filter /Standard /Length 128 /O <0a9171191663408661b4e24dcc3db7f376f0fb37e02315869a2bc769442d356a> /P -4 \
         /R 3 /U <4ef37601c73140e3719091785369015a0122456a91bae5134273a6db134c87c4> /V 2",
        "e3521dd2956afafbfc99a938df83f2be",
        "<87cd34ce1e4fe3>",
    ),
    (
        "R 4, V2",
        "/CF << /StdCF << /AuthEvent /DocOpen /CFM /V2 /Length 16 >> >> /Filter /Standard /Length 128 \
         /O <0a9171191663408661b4e24dcc3db7f376f0fb37e02315869a2bc769442d356a> /P -4 /R 4 /StmF /StdCF /StrF /StdCF \
         /U <4ef37601c73140e3719091785369015a0122456a91bae5134273a6db134c87c4> /V 4",
        "e3521dd2956afafbfc99a938df83f2be",
        "<87cd34ce1e4fe3>",
    ),
    (
        "R 4, AESV2, metadata in clear",
        "/CF << /StdCF << /AuthEvent /DocOpen /CFM /AESV2 /Length 16 >> >> /EncryptMetadata false \
         /Filter /Standard /Length 128 \
         /O <0a9171191663408661b4e24dcc3db7f376f0fb37e02315869a2bc769442d356a> /P -4 /R 4 /StmF /StdCF /StrF /StdCF \
         /U <a13fee3d2bab994bc9a831ca5f1eccb20122456a91bae5134273a6db134c87c4> /V 4",
        "eb6598a7f2f54a56d14338ba521f2103",
        "<0e1c2a38465462707e8c9aa8b6c4d2e0f320e53b5577b0e85be9c86b01bec143>",
    ),
    (
        "R 5, AESV3",
        "/CF << /StdCF << /AuthEvent /DocOpen /CFM /AESV3 /Length 32 >> >> /Filter /Standard /Length 256 \
         /O <896760bb4fae57147757a7277d8e777eab4750ab67e9c4ddbc42408476851603fb5678dae35688222d9d3e3b1ae22725> \
         /OE <111720088e10316202766a6cc79cf10f3f16844790d9b31a173d903299dd1207> /P -4 \
         /Perms <b2f3eccec382190a6c47be0092ac62ad> /R 5 /StmF /StdCF /StrF /StdCF \
         /U <cb5362dd1f25af695c36ac5799b7571094920aaee82af5051d8395bb7cff87b487287a5c8a699851322ba5ad7333a7ca> \
         /UE <148009162f801b0201a86487f05d5463101e878bfc230b9c78e5f55767801ba2> /V 5",
        "3e4b84ff8f23e97b2f38643555efcf13cc76918b73e181c581f15b9014dd86ea",
        "<0e1c2a38465462707e8c9aa8b6c4d2e01dd25161f203b7f5b2361c0a1cf3ea84>",
    ),
    (
        "R 6, AESV3",
        "/CF << /StdCF << /AuthEvent /DocOpen /CFM /AESV3 /Length 32 >> >> /Filter /Standard /Length 256 \
         /O <d8627f073e3c6668d91cd1fad4d0aed21945c66ce5baaec6ee0ff32aba6f60ab2a4e89f39dbff4017fe0b7248b6c89b8> \
         /OE <21c8cff3007697a630fbf5167c1e96748f230408eb765effdbdf59c385b4a029> /P -4 \
         /Perms <0dd6f93eee76fd7a3891235b24d05ea7> /R 6 /StmF /StdCF /StrF /StdCF \
         /U <26bdeb0d0600e929a24e0ab08059d4586413ff70249c363ebd39cb14f8cf8164bd5c993abac5dbc2e4435d168786a0b1> \
         /UE <63ce324aa6079603c8c0d743cd91451f8a02d2cf83bb32f220028d3b956c0066> /V 5",
        "edfedf705a26a1c317d1ac947863b2a35d30af4393a50e676fa51896042b0a32",
        "<0e1c2a38465462707e8c9aa8b6c4d2e040996e34ea43274b5f3869be4b037d68>",
    ),
];

const IDENTIFIER: &str = "/ID [<31415926535897932384626433832795> <31415926535897932384626433832795>]";

/// Where the string [`TEXT`] stands.
const PAGE: Reference = Reference { number: 3, generation: 0 };

/// The document of one of [`KINDS`]; its dictionary is object 4.
fn document(dictionary: &str, text: &str) -> Vec<u8> {
    let page = format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /PieceInfo {text} >>");
    let dictionary = format!("<< {dictionary} >>");
    table(&[ONE_PAGE[0], ONE_PAGE[1], &page, &dictionary], &format!("/Encrypt 4 0 R {IDENTIFIER}"))
}

fn open<'a>(bytes: &'a [u8], password: &str) -> Result<Document<&'a [u8]>, PdfError> {
    Document::open_with_password(bytes, Limits::default(), &Password::new(password.as_bytes()))
}

fn refusal(bytes: &[u8], password: &str) -> ErrorCode {
    open(bytes, password).err().expect("it is refused").code()
}

fn request(field: FieldChoice<'_>) -> SignatureRequest<'_> {
    SignatureRequest {
        page: 1,
        field,
        rectangle: Rectangle::EMPTY,
        description: None,
        signature_type: SignatureType::Approval,
        lock: None,
        appearance: None,
        reason: Some("De acordo"),
        location: Some("Manaus"),
        name: Some("João"),
        date: Moment::new(1_796_075_368, -180).unwrap(),
        contents_len: 16,
    }
}

/// `document` signed with a stream beside the signature.
fn sign<S: Source>(document: &Document<S>, field: FieldChoice<'_>) -> Result<Vec<u8>, PdfError> {
    let mut update = begin(document)?;
    update.add(Stream {
        dictionary: Dictionary::new().with("T", Object::text("selo")),
        data: b"0 g 1 G".to_vec(),
    });
    let mut revision = sign_revision(document, update, &request(field))?;
    revision.fill(&[0x30, 1, 0xff]).unwrap();
    Ok(revision.bytes)
}

const NEW: FieldChoice<'_> = FieldChoice::New { name: None };

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn each_password_gives_the_key_that_others_say() {
    for (name, dictionary, key, text) in KINDS {
        let bytes = document(dictionary, text);
        for (password, holder) in [(USER, Holder::User), (OWNER, Holder::Owner)] {
            let document = open(&bytes, password).unwrap_or_else(|error| panic!("{name}: {error}"));
            let crypt = document.crypt().unwrap();
            assert_eq!(hexadecimal(&crypt.key), key, "{name}");
            assert_eq!(crypt.holder, holder, "{name}");
            assert_eq!(crypt.access_permissions(), 0xffff_fffc, "{name}");
            let page = document.plain_dictionary(PAGE).unwrap().unwrap();
            assert_eq!(page.get("PieceInfo").and_then(Object::as_string), Some(TEXT), "{name}");
        }
        for wrong in ["", "acao", "master ", "Master"] {
            assert_eq!(refusal(&bytes, wrong), ErrorCode::DocumentPasswordWrong, "{name} {wrong}");
        }
        let none = Document::open(bytes.as_slice(), Limits::default()).err().unwrap();
        assert_eq!(none.code(), ErrorCode::DocumentPasswordRequired, "{name}");
    }
}

#[test]
fn every_kind_is_signed_and_the_update_is_encrypted() {
    for (name, dictionary, _, text) in KINDS {
        let bytes = document(dictionary, text);
        let before = open(&bytes, USER).unwrap();
        let update = sign(&before, NEW).unwrap();
        assert_eq!(update, sign(&before, NEW).unwrap(), "{name}: the same request gives the same bytes");
        for plain in ["De acordo", "Manaus", "D:2026", "selo", "0 g 1 G", "Signature1", "segredo"] {
            assert!(!holds(&update, plain), "{name} has {plain} in clear");
        }
        assert!(holds(&update, "/Contents <3001ff"), "{name}: the contents stay in clear");
        assert!(holds(&update, "/Encrypt 4 0 R"), "{name}");

        let signed = [bytes.as_slice(), &update].concat();
        let after = before.reopen(signed.as_slice()).unwrap();
        let [field] = after.fields().unwrap() else { panic!("{name}: one field") };
        assert_eq!(field.name, "Signature1", "{name}");
        let value = field.value.as_ref().unwrap();
        let entry = |key: &str| value.dictionary.get(key).and_then(Object::as_string);
        assert_eq!(entry("Reason"), Some(b"De acordo".as_slice()), "{name}");
        assert!(value.claimed_time.as_ref().unwrap().starts_with("D:20"), "{name}");
        assert!(value.byte_range.is_ok(), "{name}: the hole holds exactly the contents");
        assert_eq!(value.contents[..3], [0x30, 1, 0xff], "{name}");
        let page = after.plain_dictionary(PAGE).unwrap().unwrap();
        assert_eq!(page.get("PieceInfo").and_then(Object::as_string), Some(TEXT), "{name}");
        let stream = Reference { number: 5, generation: 0 };
        let (dictionary, data) = after.stream_data(stream).unwrap();
        assert_eq!(data, b"0 g 1 G", "{name}");
        assert_eq!(dictionary.get("T").and_then(Object::as_string), Some(b"selo".as_slice()), "{name}");

        // A second signature, by the other password, leaves the first one in force.
        let again = open(&signed, OWNER).unwrap();
        let twice = [signed.as_slice(), &sign(&again, NEW).unwrap()].concat();
        let last = again.reopen(twice.as_slice()).unwrap();
        assert_eq!(last.fields().unwrap().len(), 2, "{name}");
        let judged = last.later_changes(field, signed.len() as u64, &mut Effort::default()).unwrap();
        assert_eq!(judged, Later::Permitted, "{name}");
    }
}

#[test]
fn a_revision_that_is_encrypted_otherwise_is_no_later_state_of_the_document() {
    let [(_, old, _, text), .., (_, new, ..)] = KINDS;
    let bytes = document(old, text);
    let opened = open(&bytes, USER).unwrap();
    let signed = [bytes.as_slice(), &sign(&opened, NEW).unwrap()].concat();
    let clear = replace(&bytes, "/Encrypt 4 0 R", "/Encrypx 4 0 R");
    for other in [document(new, text), clear.clone()] {
        assert_eq!(opened.reopen(other.as_slice()).err().unwrap().code(), ErrorCode::DocumentAmbiguous);
    }
    let plain = Document::open(clear.as_slice(), Limits::default()).unwrap();
    assert_eq!(plain.reopen(signed.as_slice()).err().unwrap().code(), ErrorCode::DocumentAmbiguous);

    // A trailer that leaves the encryption out: some readers would take the older one's word.
    let mut bytes = signed.clone();
    let start = bytes.windows(6).rposition(|window| window == b"\nxref\n").unwrap() + 1;
    crate::pdf::sample::append_table(&mut bytes, &[(9, "null")], &format!("/Prev {start}"), 0);
    assert_eq!(refusal(&bytes, USER), ErrorCode::DocumentAmbiguous);
}

#[test]
fn another_encryption_in_a_later_revision_is_no_permitted_change() {
    let (_, dictionary, _, text) = KINDS[5];
    let bytes = document(dictionary, text);
    let opened = open(&bytes, USER).unwrap();
    let signed = [bytes.as_slice(), &sign(&opened, NEW).unwrap()].concat();
    let last = opened.reopen(signed.as_slice()).unwrap();
    let field = last.fields().unwrap()[0].clone();
    let start = signed.windows(6).rposition(|window| window == b"\nxref\n").unwrap() + 1;
    let extra = format!("/Prev {start} /Encrypt 4 0 R {IDENTIFIER}");
    for (name, changed) in [
        ("strings in clear", dictionary.replace("/StrF /StdCF", "/StrF /Identity")),
        ("other permissions", dictionary.replace("/P -4", "/P -3904")),
    ] {
        let mut later = signed.clone();
        crate::pdf::sample::append_table(&mut later, &[(4, &format!("<< {changed} >>"))], &extra, 0);
        let document = open(&later, OWNER).unwrap();
        let judged = document.later_changes(&field, signed.len() as u64, &mut Effort::default()).unwrap();
        assert!(matches!(judged, Later::Other { .. }), "{name}");
    }
}

#[test]
fn oddities_that_others_read_are_read() {
    let [(_, r2, ..), (_, r3, _, text), (_, v2, ..), (_, aes, _, aes_text), .., (_, r6, _, r6_text)] = KINDS;
    let page = |bytes: &[u8]| {
        let document = open(bytes, USER).unwrap();
        let page = document.plain_dictionary(PAGE).unwrap().unwrap();
        page.get("PieceInfo").and_then(Object::as_string).map(<[u8]>::to_vec)
    };
    for (name, bytes) in [
        ("length missing", document(&r3.replace("/Length 128", ""), text)),
        ("length in bytes", document(&r3.replace("/Length 128", "/Length 16"), text)),
        ("length too large", document(&r3.replace("/Length 128", "/Length 1280"), text)),
        ("length absurd", document(&r3.replace("/Length 128", "/Length -9e9"), text)),
        ("length of 40 bits wrong", document(&r2.replace("/Length 40", "/Length 128"), KINDS[0].3)),
        ("permissions unsigned", document(&r3.replace("/P -4", "/P 4294967292"), text)),
        ("length beside a filter wrong", document(&v2.replace("/Length 128", "/Length 5"), text)),
        ("an entry too long", document(&r6.replace("b1> /UE", "b10000> /UE"), r6_text)),
        ("permissions not repeated", document(&r6.replace("/Perms", "/Permx"), r6_text)),
    ] {
        assert_eq!(page(&bytes).as_deref(), Some(TEXT), "{name}");
    }
    let indirect = replace(&document(r3, text), "/Encrypt 4 0 R", &format!("/Encrypt << {r3} >>"));
    let document_of = open(&indirect, USER).unwrap();
    assert!(holds(&sign(&document_of, NEW).unwrap(), "/Encrypt << /Filter /Standard"));
    assert_eq!(page(&indirect).as_deref(), Some(TEXT), "a dictionary within the trailer");
    // Without a filter for strings they are in clear.
    let clear = document(&aes.replace("/StrF /StdCF", ""), "(segredo)");
    assert_eq!(page(&clear).as_deref(), Some(TEXT), "no filter for strings");
    // In AES an empty string has no vector, or nothing behind it.
    for empty in ["()", "<00000000000000000000000000000000>"] {
        assert_eq!(page(&document(aes, empty)), Some(Vec::new()), "{empty}");
    }
    assert_eq!(
        page(&document(aes, &format!("{}>", &aes_text[..aes_text.len() - 3]))),
        Some(Vec::new()),
        "a block cut short"
    );
    assert_ne!(aes_text, r6_text);
}

#[test]
fn an_identifier_in_an_object_is_in_clear_and_kept() {
    let (_, dictionary, ..) = KINDS[1];
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>";
    let objects = [ONE_PAGE[0], ONE_PAGE[1], page, &format!("<< {dictionary} >>"), &IDENTIFIER[4..]];
    for extra in ["/ID 5 0 R", "/ID [6 0 R 6 0 R]"] {
        let objects = [objects.as_slice(), &["<31415926535897932384626433832795>"]].concat();
        let bytes = table(&objects, &format!("/Encrypt 4 0 R {extra}"));
        let before = open(&bytes, USER).unwrap();
        let signed = [bytes.as_slice(), &sign(&before, NEW).unwrap()].concat();
        inspect(&before, &before.reopen(signed.as_slice()).unwrap(), "Signature1").unwrap();
    }
}

#[test]
fn a_missing_identifier_stays_missing() {
    // Algorithm 2 goes without it; an identifier that the update brought would change the key.
    let (_, dictionary, ..) = KINDS[5];
    let bytes = replace(&document(dictionary, "()"), IDENTIFIER, "");
    let document = open(&bytes, USER).unwrap();
    assert!(holds(&sign(&document, NEW).unwrap(), "/ID [() <"));
}

#[test]
fn hostile_dictionaries_are_refused() {
    let (_, good, _, text) = KINDS[5];
    let [unreadable, encrypted] = [ErrorCode::DocumentUnreadable, ErrorCode::DocumentEncrypted];
    for (name, dictionary, code) in [
        ("an entry missing", good.replace("/UE", "/Ux"), unreadable),
        ("an entry of another type", good.replace("/R 6", "/R /6"), encrypted),
        ("a version too high", good.replace("/V 5", "/V 99999999999"), encrypted),
        ("a revision that is none", good.replace("/R 6", "/R -6"), encrypted),
        ("a filter that is not there", good.replace("/StmF /StdCF", "/StmF /Other"), encrypted),
        ("an unknown method", good.replace("/AESV3", "/AESV9"), encrypted),
        ("no filters", good.replace("/CF", "/Cf"), encrypted),
        ("a handler unknown", good.replace("/Standard", "/Own"), encrypted),
        ("no permissions", good.replace("/P -4", "/P (x)"), unreadable),
        ("itself", good.replace("/R 6", "/R 4 0 R"), encrypted),
        (
            "a key of 256 bits for an old revision",
            good.replace("/V 5", "/V 4").replace("/R 6", "/R 4"),
            encrypted,
        ),
    ] {
        assert_eq!(refusal(&document(&dictionary, text), USER), code, "{name}");
    }
    let bytes = document(good, text);
    for (name, encrypt) in [
        ("a number", "/Encrypt 7"),
        ("nothing", "/Encrypt 9 0 R"),
        ("the catalog", "/Encrypt 1 0 R"),
        ("the page as a dictionary", "/Encrypt 3 0 R"),
    ] {
        let code = refusal(&replace(&bytes, "/Encrypt 4 0 R", encrypt), USER);
        assert!([unreadable, encrypted].contains(&code), "{name}: {code}");
    }
    let stream = format!("<< {good} /Length 1 >>\nstream\n0\nendstream");
    let cycle = table(&[ONE_PAGE[0], ONE_PAGE[1], ONE_PAGE[2], &stream, "5 0 R"], "/Encrypt 4 0 R");
    assert_eq!(refusal(&cycle, USER), unreadable, "a stream");
    assert_eq!(refusal(&replace(&cycle, "/Encrypt 4 0 R", "/Encrypt 5 0 R"), USER), unreadable, "a circle");
}

#[test]
fn permissions_bind_who_has_no_password_and_are_told_to_who_has_one() {
    for (kind, permissions, new, existing) in [
        (5, -4, true, true),
        // Bits 4, 6 and 9 by themselves, and two of them.
        (5, -4 & !8, false, true),
        (5, -4 & !32, false, true),
        (5, -4 & !256, true, true),
        (5, -4 & !(8 | 32), false, true),
        (5, -4 & !(32 | 256), false, false),
        (5, -4 & !(8 | 256), false, true),
        // Revision 2 does not know bit 9.
        (0, -4 & !32, false, false),
    ] {
        for holder in [Holder::Anybody, Holder::Owner, Holder::User] {
            let crypt = crypt_with(kind, permissions, holder);
            for (act, included) in [(Act::MakeField, new), (Act::SignField, existing)] {
                let name = format!("{permissions} {holder:?} {act:?}");
                let denied = crypt.permit(act).map_err(|error| error.code());
                let bound = holder == Holder::Anybody && !included;
                let expected = if bound { Err(ErrorCode::DocumentPermissionDenied) } else { Ok(()) };
                assert_eq!(denied, expected, "{name}");
                let told = holder == Holder::User && !included;
                assert_eq!(crypt.is_against_permissions(act), told, "{name}");
            }
        }
    }
    let denied = crypt_with(5, -44, Holder::Anybody).permit(Act::MakeField).unwrap_err().to_string();
    assert!(denied.contains("bits 4 and 6") && denied.contains("owner password"), "{denied}");
}

#[test]
fn an_empty_password_is_anybodys() {
    for (password, holder) in [(USER, Holder::User), (OWNER, Holder::Owner)] {
        assert_eq!(
            open(&document(KINDS[5].1, KINDS[5].3), password).unwrap().crypt().unwrap().holder,
            holder
        );
    }
}

/// One of [`KINDS`] with other permissions, opened by somebody.
fn crypt_with(kind: usize, permissions: i32, holder: Holder) -> Crypt {
    let (_, dictionary, _, text) = KINDS[kind];
    let bytes = document(dictionary, text);
    let document = open(&bytes, USER).unwrap();
    let crypt = document.crypt().unwrap();
    let mut dictionary = crypt.dictionary.clone();
    dictionary.access_permissions = permissions.cast_unsigned();
    Crypt { place: None, dictionary, identifier: Vec::new(), key: crypt.key.clone(), holder }
}

fn crypt_of(kind: usize) -> Arc<Crypt> {
    let (_, dictionary, _, text) = KINDS[kind];
    let bytes = document(dictionary, text);
    let document = open(&bytes, USER).unwrap();
    document.crypt.clone().unwrap()
}

fn values() -> impl Strategy<Value = Object> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Object::Integer),
        proptest::collection::vec(any::<u8>(), 0..40).prop_map(Object::String),
        Just(Object::name("Sig")),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        let key = prop::sample::select(vec!["Type", "ByteRange", "Contents", "T", "V"]);
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Object::Array),
            proptest::collection::vec((key, inner), 0..4).prop_map(|entries| {
                let mut dictionary = Dictionary::new();
                for (key, value) in entries {
                    dictionary.push(Name::from(key), value);
                }
                Object::Dictionary(dictionary)
            }),
        ]
    })
}

proptest! {
    #[test]
    fn what_an_update_encrypts_is_decrypted_again(
        kind in 0..KINDS.len(),
        object in values(),
        data in proptest::collection::vec(any::<u8>(), 0..70),
        number in 1..u32::MAX,
        generation: u16,
    ) {
        let crypt = crypt_of(kind);
        let reference = Reference { number, generation };
        let resolve = |object: &Object| Ok(object.clone());
        let body = crypt.encrypt(reference, &Body::Object(object.clone()), 1000, resolve).unwrap();
        let Body::Object(encrypted) = body else { panic!("an object stays one") };
        let mut placed = Placed { reference, object: encrypted, data: None, range: 0..1 };
        crypt.decrypt_object(&mut placed);
        prop_assert_eq!(placed.object, object);

        let stream = Stream { dictionary: Dictionary::new(), data: data.clone() };
        let body = crypt.encrypt(reference, &Body::Stream(stream), 1000, resolve).unwrap();
        let Body::Stream(encrypted) = body else { panic!("a stream stays one") };
        prop_assert!(data.len() < 4 || encrypted.data != data);
        let opened = crypt.decrypt_stream(reference, &encrypted.dictionary, encrypted.data, resolve).unwrap();
        prop_assert_eq!(opened, data);
    }

    #[test]
    fn no_damage_makes_opening_panic(
        kind in 0..KINDS.len(),
        at in any::<prop::sample::Index>(),
        within_dictionary: bool,
        with in "[ -~]{0,4}",
        cut in 0..6_usize,
    ) {
        let (_, dictionary, _, text) = KINDS[kind];
        let mut bytes = document(dictionary, text);
        let from = bytes.windows(7).position(|window| window == b"4 0 obj").unwrap();
        let at = if within_dictionary { from + at.index(dictionary.len()) } else { at.index(bytes.len()) };
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, with.into_bytes());
        if let Ok(document) = open(&bytes, USER) {
            let _ = sign(&document, NEW);
        }
    }
}

#[test]
fn streams_choose_their_filter() {
    let crypt = crypt_of(3);
    let named = |kind: &str| Dictionary::new().with("Type", Object::name(kind));
    let filtered = |parameters: Object| {
        let filters = Object::Array(vec![Object::name("Crypt"), Object::name("FlateDecode")]);
        Dictionary::new().with("Filter", filters).with("DecodeParms", parameters)
    };
    let name = |name: &str| Object::Dictionary(Dictionary::new().with("Name", Object::name(name)));
    for (dictionary, expected) in [
        (Dictionary::new(), Method::AesV2),
        (named("ObjStm"), Method::AesV2),
        (named("XRef"), Method::Identity),
        (named("Metadata"), Method::Identity),
        (named("EmbeddedFile"), Method::AesV2),
        (filtered(Object::Null), Method::Identity),
        (filtered(Object::Array(vec![name("Identity"), Object::Null])), Method::Identity),
        (filtered(Object::Array(vec![name("StdCF"), Object::Null])), Method::AesV2),
    ] {
        let method = crypt.stream_method(&dictionary, |object| Ok(object.clone())).unwrap();
        assert_eq!(method, expected, "{dictionary:?}");
    }
    let unknown = filtered(Object::Array(vec![name("Other")]));
    assert!(crypt.stream_method(&unknown, |object| Ok(object.clone())).is_err());
}
