//! Small documents for tests, written with right offsets in each form.

/// Objects from number 1 on, with a table and `/Root 1 0 R`; `extra` goes into the trailer.
pub(crate) fn table(objects: &[&str], extra: &str) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let numbered: Vec<(u32, &str)> = (1..).zip(objects.iter().copied()).collect();
    append_table(&mut bytes, &numbered, extra, 0);
    bytes
}

/// Appends objects and a table that lists just these. Offsets count from `base`.
pub(crate) fn append_table(bytes: &mut Vec<u8>, objects: &[(u32, &str)], extra: &str, base: usize) {
    let mut rows = String::new();
    let mut size = 1;
    for (number, text) in objects {
        rows.push_str(&format!("{number} 1\n{:010} 00000 n \n", bytes.len() - base));
        bytes.extend_from_slice(format!("{number} 0 obj\n{text}\nendobj\n").as_bytes());
        size = size.max(number + 1);
    }
    let start = bytes.len() - base;
    bytes.extend_from_slice(
        format!(
            "xref\n0 1\n0000000000 65535 f \n{rows}trailer\n<< /Size {size} /Root 1 0 R {extra} >>\nstartxref\n{start}\n%%EOF\n"
        )
        .as_bytes(),
    );
}

/// Objects from number 1 on, all in one object stream, with a cross-reference stream.
pub(crate) fn packed(objects: &[&str]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let (mut head, mut body) = (String::new(), String::new());
    for (number, text) in (1..).zip(objects) {
        head.push_str(&format!("{number} {} ", body.len()));
        body.push_str(&format!("{text} "));
    }
    let stream = objects.len() + 1;
    let at = bytes.len();
    let (first, len) = (head.len(), head.len() + body.len());
    let count = objects.len();
    bytes.extend_from_slice(
        format!(
            "{stream} 0 obj\n<< /Type /ObjStm /N {count} /First {first} /Length {len} >>\nstream\n{head}{body}\nendstream\nendobj\n"
        )
        .as_bytes(),
    );
    let own = stream + 1;
    let start = bytes.len();
    let mut rows = vec![0, 0, 0, 255];
    let row = |kind: u8, second: usize, third: usize| {
        let second = u16::try_from(second).unwrap().to_be_bytes();
        [kind, second[0], second[1], u8::try_from(third).unwrap()]
    };
    for index in 0..objects.len() {
        rows.extend(row(2, stream, index));
    }
    rows.extend(row(1, at, 0));
    rows.extend(row(1, start, 0));
    let size = own + 1;
    bytes.extend_from_slice(
        format!(
            "{own} 0 obj\n<< /Type /XRef /Size {size} /W [1 2 1] /Root 1 0 R /Length {} >>\nstream\n",
            rows.len()
        )
        .as_bytes(),
    );
    bytes.extend_from_slice(&rows);
    bytes.extend_from_slice(format!("\nendstream\nendobj\nstartxref\n{start}\n%%EOF\n").as_bytes());
    bytes
}

/// The objects of a document with one empty page.
pub(crate) const ONE_PAGE: [&str; 3] = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>",
];

/// `bytes` with the first `old` replaced.
pub(crate) fn replace(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let at = bytes.windows(old.len()).position(|window| window == old.as_bytes()).expect(old);
    [&bytes[..at], new.as_bytes(), &bytes[at + old.len()..]].concat()
}
