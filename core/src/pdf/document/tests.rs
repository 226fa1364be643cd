//! Documents of every form and damage, opened and looked into.

use std::cell::Cell;

use proptest::prelude::*;

use crate::error::ErrorCode;
use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::limits::Limits;
use crate::pdf::object::{Object, Reference};
use crate::pdf::sample::{ONE_PAGE, append_table, packed, replace, table};
use crate::pdf::source::{Source, SourceError};

fn open(bytes: &[u8]) -> Result<Document<Vec<u8>>, PdfError> {
    Document::open(bytes.to_vec(), Limits::default())
}

/// Opens and finds one page of 200 by 100; says whether a scan was needed.
fn check(name: &str, bytes: &[u8], repaired: bool) {
    let document = open(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(document.is_repaired(), repaired, "{name}");
    assert_eq!(document.page_count().unwrap(), 1, "{name}");
    let page = document.page(1).unwrap();
    assert_eq!(page.reference, Reference { number: 3, generation: 0 }, "{name}");
    assert_eq!(page.geometry.media_box.width(), 200.0, "{name}");
}

#[test]
fn cross_references_of_each_form_are_read() {
    let plain = table(&ONE_PAGE, "");
    check("table", &plain, false);
    check("object stream", &packed(&ONE_PAGE), false);
    check(
        "rows of 19 bytes",
        &String::from_utf8(plain.clone()).unwrap().replace(" n \n", " n\n").into_bytes(),
        false,
    );
    check(
        "rows of 21 bytes",
        &String::from_utf8(plain.clone()).unwrap().replace(" n \n", " n \r\n").into_bytes(),
        false,
    );
    check("junk after the end", &[plain.as_slice(), &[0; 2048]].concat(), false);
    check("startxref a little early", &replace(&plain, "startxref\n", "startxref\n0"), false);
    check("startxref twice", &[plain.as_slice(), b"startxref\nnowhere\n%%EOF\n"].concat(), false);

    let mut newer = plain.clone();
    let previous = plain.windows(5).position(|window| window == b"xref\n").unwrap();
    append_table(&mut newer, &[(9, "null")], &format!("/Prev {previous}"), 0);
    check("incremental", &newer, false);
    let itself = newer.len();
    append_table(&mut newer, &[], &format!("/Prev {itself}"), 0);
    check("a chain that is a loop", &replace(&newer, "/Prev", "/Pre_"), true);
}

#[test]
fn one_run_of_rows_may_be_irregular_or_numbered_wrongly() {
    let rows = |first: usize, count: usize, ends: [&str; 4]| {
        let mut bytes = b"%PDF-1.4\n".to_vec();
        let mut text = format!("0000000000 65535 f{}", ends[0]);
        for (index, object) in ONE_PAGE.iter().enumerate() {
            text.push_str(&format!("{:010} 00000 n{}", bytes.len(), ends[index + 1]));
            bytes.extend_from_slice(format!("{} 0 obj\n{object}\nendobj\n", index + 1).as_bytes());
        }
        let start = bytes.len();
        bytes.extend_from_slice(
            format!(
                "xref\n{first} {count}\n{text}trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF"
            )
            .as_bytes(),
        );
        bytes
    };
    check("regular", &rows(0, 4, [" \n"; 4]), false);
    check("irregular", &rows(0, 4, [" \n", "\n", "  \r\n", "\n"]), false);
    check("too many promised", &rows(0, 9, [" \n"; 4]), false);
    check("too few promised", &rows(0, 2, [" \n"; 4]), false);
    check("numbered from 1", &rows(1, 4, [" \n"; 4]), false);
    check("numbered from 2", &rows(2, 4, [" \n"; 4]), true);
}

#[test]
fn a_hybrid_file_hides_objects_in_its_stream() {
    let mut bytes = table(&ONE_PAGE[..1], "");
    let previous = bytes.windows(5).position(|window| window == b"xref\n").unwrap();
    let at = bytes.len();
    let body = format!("{} {}", ONE_PAGE[1], ONE_PAGE[2]);
    let head = format!("2 0 3 {} ", ONE_PAGE[1].len() + 1);
    bytes.extend_from_slice(
        format!(
            "8 0 obj\n<< /Type /ObjStm /N 2 /First {} /Length {} >>\nstream\n{head}{body}\nendstream\nendobj\n",
            head.len(),
            head.len() + body.len()
        )
        .as_bytes(),
    );
    let hidden = bytes.len();
    let place = u16::try_from(at).unwrap().to_be_bytes();
    let rows = [[2, 0, 8, 0], [2, 0, 8, 1], [1, place[0], place[1], 0]].concat();
    bytes.extend_from_slice(
        b"9 0 obj\n<< /Type /XRef /Size 10 /W [1 2 1] /Index [2 2 8 1] /Length 12 >>\nstream\n",
    );
    bytes.extend_from_slice(&rows);
    bytes.extend_from_slice(b"\nendstream\nendobj\n");
    append_table(&mut bytes, &[], &format!("/Prev {previous} /XRefStm {hidden}"), 0);
    check("hybrid", &bytes, false);
}

#[test]
fn bytes_before_the_header_shift_the_offsets_or_do_not() {
    let plain = table(&ONE_PAGE, "");
    let junk = "x".repeat(500);
    check("from the header", &[junk.as_bytes(), &plain].concat(), false);

    let mut shifted = [junk.as_bytes(), b"%PDF-1.4\n"].concat();
    let objects: Vec<(u32, &str)> = (1..).zip(ONE_PAGE).collect();
    append_table(&mut shifted, &objects, "", 0);
    check("from byte 0", &shifted, false);

    // A second table stands where the other reading of the same number leads.
    let start: usize =
        String::from_utf8_lossy(&shifted).split("startxref\n").nth(1).unwrap()[..3].parse().unwrap();
    let mut both = shifted.clone();
    both.resize(start + 500, b' ');
    both.extend_from_slice(b"xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Root 1 0 R >>\n");
    both.extend_from_slice(format!("startxref\n{start}\n%%EOF\n").as_bytes());
    assert_eq!(open(&both).err().unwrap().code(), ErrorCode::DocumentAmbiguous);

    // So it does where blanks stand before the second table, or it stands close by.
    for gap in [" \n ", &" x".repeat(40)] {
        let mut close = shifted.clone();
        close.resize(start + 500, b' ');
        close.extend_from_slice(gap.as_bytes());
        close.extend_from_slice(b"\nxref\n0 1\n0000000000 65535 f \ntrailer\n<< /Root 1 0 R >>\n");
        close.extend_from_slice(format!("startxref\n{start}\n%%EOF\n").as_bytes());
        assert_eq!(open(&close).err().unwrap().code(), ErrorCode::DocumentAmbiguous, "{gap:?}");
    }

    let far = [vec![b'x'; 1100], plain].concat();
    assert!(matches!(open(&far), Err(PdfError::NotAPdf)));
    assert!(matches!(open(b""), Err(PdfError::NotAPdf)));
}

/// A newer section that only one reading finds, and whose links lead to two places.
#[test]
fn every_link_of_the_chain_is_read_in_both_ways() {
    let junk = 300;
    let mut older = [vec![b'%'; junk - 1].as_slice(), b"\n%PDF-1.4\n"].concat();
    let objects: Vec<(u32, &str)> = (1..).zip(ONE_PAGE).collect();
    append_table(&mut older, &objects, "", junk);
    let previous = older.windows(5).position(|window| window == b"xref\n").unwrap() - junk;
    let stream = |number: usize| {
        let dictionary = "<< /Type /XRef /Size 9 /W [1 2 1] /Index [8 1] /Length 4 >>";
        format!("{number} 0 obj\n{dictionary}\nstream\n\0\0\0\0\nendstream\nendobj\n")
    };
    let table = "xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 4 /Root 1 0 R >>\n".to_owned();
    // What stands where the offset leads when it counts from byte 0.
    for (name, decoy, ambiguous) in [
        ("nothing", String::new(), false),
        ("a table", table.clone(), true),
        ("a table after blanks", format!("\n\n {table}"), true),
        ("a stream", stream(7), true),
    ] {
        // The older section stands a whole junk behind the decoy.
        let mut bytes = older[..previous + junk].to_vec();
        let section = older[previous + junk..].to_vec();
        let place = bytes.len();
        bytes.extend_from_slice(decoy.as_bytes());
        bytes.resize(place + junk, b' ');
        bytes.extend_from_slice(&section);
        // Far enough for the newest section not to lead to this one too.
        bytes.resize(bytes.len() + 1000, b' ');
        append_table(&mut bytes, &[(9, "null")], &format!("/Prev {place}"), junk);
        let code = open(&bytes).err().map(|error| error.code());
        assert_eq!(code, ambiguous.then_some(ErrorCode::DocumentAmbiguous), "Prev: {name}");
    }
    for (name, decoy, ambiguous) in [("nothing", String::new(), false), ("a stream", stream(7), true)] {
        let mut bytes = older.clone();
        let place = bytes.len();
        bytes.extend_from_slice(decoy.as_bytes());
        bytes.resize(place + junk, b' ');
        bytes.extend_from_slice(stream(8).as_bytes());
        bytes.resize(bytes.len() + 1000, b' ');
        let links = format!("/Prev {previous} /XRefStm {place}");
        append_table(&mut bytes, &[(9, "null")], &links, junk);
        let code = open(&bytes).err().map(|error| error.code());
        assert_eq!(code, ambiguous.then_some(ErrorCode::DocumentAmbiguous), "XRefStm: {name}");
    }
}

#[test]
fn damage_is_mended_by_a_scan() {
    let plain = table(&ONE_PAGE, "");
    let text = String::from_utf8(plain.clone()).unwrap();
    for (name, damaged) in [
        ("no startxref", text.replace("startxref", "start")),
        ("startxref far off", text.replace("startxref\n", "startxref\n9")),
        ("no keyword", text.replace("\nxref\n", "\n")),
        ("no trailer", text.replace("trailer", "tailer!")),
        ("cut before the table", text.split("xref").next().unwrap().to_owned()),
        ("catalog free", text.replace("1 1\n0000000009 00000 n", "1 1\n0000000009 00000 f")),
        ("previous section missing", text.replace("/Root", "/Prev 70000 /Root")),
        ("negative previous section", text.replace("/Root", "/Prev -7 /Root")),
    ] {
        check(name, damaged.as_bytes(), true);
    }
    let mut packed = packed(&ONE_PAGE);
    packed.truncate(packed.windows(9).position(|window| window == b"startxref").unwrap());
    check("objects in a stream", &packed, true);
}

#[test]
fn the_newest_of_repeated_objects_counts_in_a_scan() {
    let mut bytes = table(&ONE_PAGE, "");
    bytes.extend_from_slice(b"2 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\nendobj\n");
    let bytes = replace(&bytes, "startxref", "start");
    assert_eq!(open(&bytes).unwrap().page_count().unwrap(), 0);
}

#[test]
fn a_scan_sees_words_across_its_windows() {
    // Every alignment of the objects against the windows of the scan.
    for shift in 0..80 {
        let mut bytes = b"%PDF-1.4\n".to_vec();
        bytes.resize((256 << 10) - 100 + shift, b' ');
        for (number, text) in (1..).zip(ONE_PAGE) {
            bytes.extend_from_slice(format!("{number} 0 obj {text} endobj ").as_bytes());
        }
        check(&format!("shifted by {shift}"), &bytes, true);
    }
}

#[test]
fn objects_are_found_where_offsets_are_slightly_wrong() {
    let plain = table(&ONE_PAGE, "");
    for wrong in ["0000000008", "0000000011", "0000000030"] {
        check(wrong, &replace(&plain, "0000000009", wrong), false);
    }
    // An offset that leads to another object sends the reader to a scan for this one only.
    let at = plain.windows(7).position(|window| window == b"3 0 obj").unwrap();
    check(
        "far off",
        &replace(&plain, &format!("{at:010}"), "0000000000000000000000"[..10].replace('0', "9").as_str()),
        false,
    );
}

#[test]
fn references_lead_to_null_where_nothing_stands() {
    let document = open(&table(&ONE_PAGE, "")).unwrap();
    for (number, generation) in [(0, 0), (7, 0), (1, 1), (u32::MAX, 0)] {
        assert_eq!(document.object(Reference { number, generation }).unwrap(), Object::Null);
    }
}

#[test]
fn circles_and_depth_end_in_an_error() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let document = open(&table(&[ONE_PAGE[0], ONE_PAGE[1], ONE_PAGE[2], "4 0 R", &deep], "")).unwrap();
    let resolved = document.resolve(&Object::Reference(Reference { number: 4, generation: 0 }));
    assert!(matches!(resolved, Err(PdfError::Damaged { .. })));
    let resolved = document.object(Reference { number: 5, generation: 0 });
    assert!(matches!(resolved, Err(PdfError::Limit { .. })));
}

#[test]
fn a_stream_is_read_whatever_its_length_says() {
    for length in ["5", "4 0 R", "3", "999999", "-1", "null", "(x)"] {
        let stream = format!("<< /Length {length} >>\nstream\nhello\nendstream");
        let bytes = table(&[ONE_PAGE[0], ONE_PAGE[1], ONE_PAGE[2], "5", &stream], "");
        let (_, data) = open(&bytes).unwrap().stream_data(Reference { number: 5, generation: 0 }).unwrap();
        assert_eq!(data, b"hello", "{length}");
    }
}

#[test]
fn an_encrypted_document_is_refused_by_its_own_code() {
    let recipients = "/Encrypt << /Filter /Adobe.PubSec /V 4 /SubFilter /adbe.pkcs7.s5 >>";
    let error = open(&table(&ONE_PAGE, recipients)).err().unwrap();
    assert_eq!(error.code(), ErrorCode::DocumentEncrypted);
    assert!(error.to_string().contains("recipients"), "{error}");
}

#[test]
fn revisions_end_behind_their_marks() {
    let mut bytes = table(&ONE_PAGE, "");
    let first = bytes.len() as u64;
    let previous = bytes.windows(5).position(|window| window == b"xref\n").unwrap();
    append_table(&mut bytes, &[(9, "null")], &format!("/Prev {previous}"), 0);
    let second = bytes.len() as u64;
    // A mark that no section stands before ends nothing.
    bytes.extend_from_slice(b"% junk\nstartxref\n0\n%%EOF\n");
    let ends = open(&bytes[..usize::try_from(second).unwrap()]).unwrap().revision_ends().unwrap();
    assert_eq!(ends, [first - 1, first, second - 1, second]);
}

#[test]
fn the_higher_version_counts() {
    let catalog = "<< /Type /Catalog /Version /2.0 /Pages 2 0 R >>";
    assert_eq!(open(&table(&ONE_PAGE, "")).unwrap().version(), (1, 7));
    assert_eq!(open(&table(&[catalog, ONE_PAGE[1], ONE_PAGE[2]], "")).unwrap().version(), (2, 0));
}

/// Counts what is read.
struct Counted(Vec<u8>, Cell<usize>, Cell<usize>);

impl Source for Counted {
    fn len(&self) -> u64 {
        Source::len(&self.0)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SourceError> {
        self.1.set(self.1.get() + 1);
        self.2.set(self.2.get() + buffer.len());
        self.0.read_at(offset, buffer)
    }
}

#[test]
fn opening_a_large_file_reads_little_of_it() {
    let filler = "x".repeat(8 << 20);
    let mut objects = ONE_PAGE.to_vec();
    objects.extend([filler.as_str(); 2]);
    let document =
        Document::open(Counted(table(&objects, ""), Cell::default(), Cell::default()), Limits::default())
            .unwrap();
    document.page(document.page_count().unwrap()).unwrap();
    assert!(document.source().1.get() < 40, "{} reads", document.source().1.get());
    assert!(document.source().2.get() < 100 << 10, "{} bytes", document.source().2.get());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_damage_makes_the_reader_panic(
        form in 0..3usize,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = match form {
            0 => table(&ONE_PAGE, ""),
            1 => packed(&ONE_PAGE),
            _ => table(&["<< /Pages 2 0 R /AcroForm << /Fields [4 0 R] >> >>", ONE_PAGE[1], ONE_PAGE[2], "<< /T (a) /FT /Sig >>"], ""),
        };
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if cut.index(4) == 0 {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(document) = open(&bytes) {
            let _ = (document.page_count(), document.page(1), document.fields(), document.revision_ends());
        }
    }
}
