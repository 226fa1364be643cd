//! Updates that somebody appended to a signed document so that readers show another page or might
//! (A15): judged by the shipped program, which signs nothing on top of what has two readings.

use std::{fs, path::Path};

use serde_json::Value;
use signer_tests::{
    judges,
    signing::{PASSWORD, a1, code, sign_with_a1, signer},
};

/// A document of one page whose contents have this `/Length`, with a second object 4 that its table
/// does not list.
fn contract(length: &str) -> Vec<u8> {
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>";
    let objects = [
        "1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!("3 0 obj\n{page}"),
        format!("4 0 obj\n<< /Length {length} >>\nstream\n0 0 9 9 re f\nendstream"),
        "4 0 obj\n<< /Length 12 >>\nstream\n0 0 1 1 re f\nendstream".to_owned(),
    ];
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut rows = String::new();
    for (index, object) in objects.iter().enumerate() {
        if index < 4 {
            rows.push_str(&format!("{:010} 00000 n \n", file.len()));
        }
        file.extend_from_slice(format!("{object}\nendobj\n").as_bytes());
    }
    let start = file.len();
    file.extend_from_slice(
        format!(
            "xref\n0 5\n0000000000 65535 f \n{rows}trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
        )
        .as_bytes(),
    );
    file
}

/// The document of `bytes` signed, with what the program said.
fn signed(directory: &Path, bytes: &[u8]) -> (Option<Vec<u8>>, Value) {
    let (input, output) = (directory.join("in.pdf"), directory.join("out.pdf"));
    fs::write(&input, bytes).unwrap();
    let words = [input.to_str().unwrap(), output.to_str().unwrap(), "--force"];
    let (result, json) = sign_with_a1(directory, &a1("ecpf-a1-moderno.p12"), PASSWORD, &words);
    (result.status.success().then(|| fs::read(output).unwrap()), json)
}

/// The indication of the first signature, and why.
fn verdict(directory: &Path, bytes: &[u8]) -> (String, Value) {
    let path = directory.join("validated.pdf");
    fs::write(&path, bytes).unwrap();
    let output = signer()
        .args(["validate", "--json", "--trust"])
        .arg(judges::test_root())
        .arg(&path)
        .output()
        .unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let first = &json["signatures"][0];
    (first["indication"].as_str().unwrap_or_default().to_owned(), first["subIndication"].clone())
}

fn last_section(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    text.rsplit("startxref\n").next().unwrap().lines().next().unwrap().parse().unwrap()
}

/// `bytes` with a table of these rows and these entries in its trailer.
fn with_rows(bytes: &[u8], rows: &str, entries: &str) -> Vec<u8> {
    let start = bytes.len();
    let update =
        format!("xref\n{rows}trailer\n<< /Size 90 {entries} >>\nstartxref\n{start}\n%%EOF\n").into_bytes();
    [bytes, &update].concat()
}

/// Proves A15.
#[test]
fn updates_that_readers_understand_differently_are_not_called_valid() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let once = signed(directory, &contract("12")).0.unwrap();
    let places: Vec<usize> =
        (0..once.len()).filter(|&at| once.get(at..).unwrap().starts_with(b"4 0 obj\n")).collect();
    let (listed, other) = (places[0], places[1]);
    let row = |at: usize| format!("4 1\n{at:010} 00000 n \n");
    let previous = last_section(&once);
    let right = format!("/Root 1 0 R /Prev {previous}");
    let free = "0 1\n0000000000 65535 f \n".to_owned();
    for (name, rows, entries, valid) in [
        ("nothing", &free, &right, true),
        ("the same row", &row(listed), &right, true),
        ("another place", &row(other), &right, false),
        ("a number twice", &(row(other) + &row(listed)), &right, false),
        ("another generation", &row(listed).replace("00000 n", "00001 n"), &right, false),
        ("a count that lies", &row(listed).replace("4 1", "4 2"), &right, false),
        ("short rows", &row(listed).replace("00000 n \n", "00000 n\n"), &right, false),
        ("a list that begins at 1", &free.replace("0 1", "1 1"), &right, false),
        ("no rows", &String::new(), &right, false),
        ("a link beside its section", &free, &format!("/Root 1 0 R /Prev {}", previous + 2), false),
        ("two links", &free, &format!("{right} /Prev {previous}"), false),
        ("two catalogs", &free, &format!("/Root 3 0 R {right}"), false),
        ("a small size", &free, &format!("{right} /Size 2"), false),
    ] {
        let now = with_rows(&once, rows, entries);
        let expected =
            if valid { ("TOTAL-PASSED", Value::Null) } else { ("INDETERMINATE", "LATER_CHANGES".into()) };
        let (indication, why) = verdict(directory, &now);
        assert_eq!((indication.as_str(), why), expected, "{name}");
    }
    for (name, rows, entries) in [
        ("a number twice", row(other) + &row(listed), right.clone()),
        ("two catalogs", free, format!("/Root 3 0 R {right}")),
    ] {
        let (again, json) = signed(directory, &with_rows(&once, &rows, &entries));
        assert_eq!((again, code(&json)), (None, "document-ambiguous"), "{name}");
    }
}

/// Proves A15.
#[test]
fn contents_that_end_in_what_was_appended_are_not_called_valid() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for (length, grows) in [("12", false), ("9", false), ("200000", true)] {
        let (once, json) = signed(directory, &contract(length));
        let once = once.unwrap();
        let warned = json["warnings"].as_array().unwrap().contains(&"document-recovered".into());
        assert_eq!(warned, grows, "{length}: {json}");
        assert_eq!(verdict(directory, &once).0, "TOTAL-PASSED", "{length}");
        let (twice, _) = signed(directory, &once);
        let (indication, why) = verdict(directory, &twice.unwrap());
        let expected =
            if grows { ("INDETERMINATE", "LATER_CHANGES".into()) } else { ("TOTAL-PASSED", Value::Null) };
        assert_eq!((indication.as_str(), why), expected, "{length}");
    }
}
