//! Bugs of the writer in the forms that it has beside a new field and a table: an existing field,
//! an encrypted document, a cross-reference stream.

use super::*;
use crate::pdf::crypt::Password;
use crate::pdf::geometry::Rectangle;
use crate::pdf::permission::Permission;
use crate::pdf::sample::ONE_PAGE;

/// An empty field with a lock, and a widget of its own.
const FIELD: [&str; 6] = [
    "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] /SigFlags 3 >> >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Annots [5 0 R] >>",
    "<< /T (s) /FT /Sig /Kids [5 0 R] /Lock << /Action /Include /Fields [(x)] /P 2 >> /Ff 1 >>",
    "<< /Subtype /Widget /Rect [1 1 90 40] /Parent 4 0 R /P 3 0 R /F 4 >>",
    "<< /Type /Sig >>",
];

/// The dictionary that qpdf made for the password `senha`: AES of 256 bits, revision 6.
const ENCRYPTION: &str = "<< /CF << /StdCF << /AuthEvent /DocOpen /CFM /AESV3 /Length 32 >> >> \
    /Filter /Standard /Length 256 \
    /O <b98027450f6b20d9a084a9b82bd2e591892989f1c0ef62f69980c5ea0fe4fb977765a3cbaa398541bbb38cb2e417370f> \
    /OE <cf55eaf114c2e3776526a1706ec7841f6a09687b4b497d2f1f955bc1e2cd0be6> /P -4 \
    /Perms <454bf9dd268dc5dd332e3333690a76cd> /R 6 /StmF /StdCF /StrF /StdCF \
    /U <1781e686b3f438501e87ba60e09130f2fe7245a6180855e4b04e2efea12add1d54fb71f69d9ded4545a110b73135ea80> \
    /UE <34cdee7612bfe34b9ecc7db588db7931a0514044528daa17d0c33ea8168a6120> /V 5 >>";

/// Changes the lock that the field at 4 gets.
fn lock(update: &mut Update, change: fn(&mut Dictionary)) {
    edit(update, 4, |field| {
        let mut lock = field.get("Lock").and_then(Object::as_dictionary).unwrap().clone();
        change(&mut lock);
        field.set("Lock", Object::Dictionary(lock));
    });
}

/// Proves A28.
#[test]
fn an_existing_field_gets_its_signature_and_nothing_else() {
    let bytes = table(&FIELD, "");
    let document = Document::open(bytes.as_slice(), Limits::default()).unwrap();
    let wanted = SignatureRequest {
        lock: Some(Permission::NoChanges),
        rectangle: Rectangle::between(1.0, 1.0, 90.0, 40.0),
        ..request(FieldChoice::Existing { name: "s" })
    };
    let faults = [
        (
            "another value",
            Fault::Update(|update| edit(update, 4, |field| field.set("V", Object::Reference(reference(6))))),
        ),
        ("no value", Fault::Update(|update| edit(update, 4, |field| field.remove("V")))),
        ("another name", Fault::Update(|update| edit(update, 4, |field| field.set("T", Object::text("t"))))),
        ("other flags", Fault::Update(|update| edit(update, 4, |field| field.set("Ff", Object::Integer(0))))),
        (
            "an action",
            Fault::Update(|update| {
                edit(update, 4, |field| field.set("AA", Object::Dictionary(Dictionary::new())));
            }),
        ),
        ("a lock that is lost", Fault::Update(|update| edit(update, 4, |field| field.remove("Lock")))),
        ("a looser lock", Fault::Update(|update| lock(update, |lock| lock.set("P", Object::Integer(3))))),
        (
            "a lock of other fields",
            Fault::Update(|update| lock(update, |lock| lock.set("Fields", Object::Array(Vec::new())))),
        ),
        (
            "a widget that moves",
            Fault::Update(|update| {
                edit(update, 5, |widget| widget.set("Rect", Object::Array(vec![Object::Integer(0); 4])));
            }),
        ),
        (
            "a widget that hides",
            Fault::Update(|update| edit(update, 5, |widget| widget.set("F", Object::Integer(6)))),
        ),
        (
            "an appearance of others",
            Fault::Update(|update| {
                edit(update, 5, |widget| {
                    let normal = Dictionary::new().with("N", Object::Reference(reference(6)));
                    widget.set("AP", Object::Dictionary(normal));
                });
            }),
        ),
        (
            "the field in the form again",
            Fault::Update(|update| {
                let fields = Object::Array(vec![Object::Reference(reference(4)); 2]);
                let form = Dictionary::new().with("Fields", fields).with("SigFlags", Object::Integer(3));
                let catalog = Dictionary::new()
                    .with("Type", Object::name("Catalog"))
                    .with("Pages", Object::Reference(reference(2)));
                update.put(reference(1), catalog.with("AcroForm", Object::Dictionary(form)));
            }),
        ),
    ];
    none_is_released(&document, &wanted, &faults);
}

/// Overwrites the first string under `key` in the update by one in clear.
fn in_clear(bytes: &mut [u8], key: &[u8], text: &[u8]) {
    let at = bytes.windows(key.len()).position(|window| window == key).unwrap() + key.len();
    let len = bytes[at..].iter().position(|byte| *byte == b'>' || *byte == b')').unwrap() + 1;
    bytes[at..at + len].fill(b' ');
    bytes[at..at + text.len()].copy_from_slice(text);
}

/// Proves A28.
#[test]
fn an_encrypted_document_stays_encrypted_in_its_way() {
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>";
    let objects = [ONE_PAGE[0], ONE_PAGE[1], page, ENCRYPTION];
    let bytes = table(&objects, "/Encrypt 4 0 R /ID [<0102> <03>]");
    let password = Password::new(b"senha");
    let document = Document::open_with_password(bytes.as_slice(), Limits::default(), &password).unwrap();
    let faults = [
        ("the encryption is lost", Fault::Bytes("/Encrypt", "/Encrypx")),
        ("another dictionary", Fault::Bytes("/Encrypt 4 0 R", "/Encrypt 3 0 R")),
        ("another identifier", Fault::Tail(|bytes| in_clear(bytes, b"/ID [", b"(x)"))),
        ("the name of the field in clear", Fault::Tail(|bytes| in_clear(bytes, b"/T ", b"(nova)"))),
        (
            "the encryption is written anew",
            Fault::Update(|update| update.put(reference(4), Dictionary::new())),
        ),
    ];
    none_is_released(&document, &request(FieldChoice::New { name: Some("nova") }), &faults);
}

/// Changes one byte of the rows of the cross-reference stream.
fn row(bytes: &mut [u8], index: usize) {
    let at = bytes.windows(7).rposition(|window| window == b"stream\n").unwrap();
    let start = bytes[..at].windows(7).rposition(|window| window == b"stream\n").unwrap() + 7;
    bytes[start + index] ^= 1;
}

/// Proves A28.
#[test]
fn a_cross_reference_stream_leads_to_what_was_written() {
    let bytes = packed(&OBJECTS);
    let document = Document::open(bytes.as_slice(), Limits::default()).unwrap();
    let faults = [
        ("a row of another kind", Fault::Tail(|bytes| row(bytes, 0))),
        ("a row that misses", Fault::Tail(|bytes| row(bytes, 5))),
        ("another width", Fault::Bytes("/W [1 5 4]", "/W [1 4 5]")),
        ("another first number", Fault::Tail(|bytes| off_by_one(bytes, "/Index ["))),
        ("no stream of its kind", Fault::Bytes("/Type /XRef", "/Type /XReg")),
        ("Size that is too small", Fault::Tail(|bytes| off_by_one(bytes, "/Size "))),
        ("Prev that misses", Fault::Tail(|bytes| off_by_one(bytes, "/Prev "))),
        ("startxref that misses", Fault::Tail(|bytes| off_by_one(bytes, "startxref\n"))),
    ];
    none_is_released(&document, &request(FieldChoice::New { name: Some("nova") }), &faults);
}

/// Proves A28.
#[test]
fn every_digit_of_the_byte_range_counts() {
    let bytes = table(&ONE_PAGE, "");
    let document = Document::open(bytes.as_slice(), Limits::default()).unwrap();
    let faults = [
        ("the start", Fault::Bytes("/ByteRange [0 ", "/ByteRange [1 ")),
        ("the first length", Fault::Tail(|bytes| off_by_one(bytes, "/ByteRange [0 "))),
        ("the second start", Fault::Tail(|bytes| number_of_range(bytes, 1))),
        ("the second length", Fault::Tail(|bytes| number_of_range(bytes, 2))),
        ("a number that is missing", Fault::Bytes("/ByteRange [0 ", "/ByteRange [  ")),
        ("no byte range", Fault::Bytes("/ByteRange", "/ByteRangf")),
        ("no contents", Fault::Bytes("/Contents", "/Contentt")),
        ("contents of another length", Fault::Bytes("/Contents <00", "/Contents < 0")),
    ];
    none_is_released(&document, &request(FieldChoice::New { name: None }), &faults);
}

/// Changes the last digit of one of the numbers after the first.
fn number_of_range(bytes: &mut [u8], index: usize) {
    let head = b"/ByteRange [0 ";
    let mut at = bytes.windows(head.len()).rposition(|window| window == head).unwrap() + head.len();
    for _ in 0..index {
        at += bytes[at..].iter().position(|byte| *byte == b' ').unwrap() + 1;
    }
    let digit = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count() - 1;
    bytes[digit] = if bytes[digit] == b'9' { b'8' } else { bytes[digit] + 1 };
}
