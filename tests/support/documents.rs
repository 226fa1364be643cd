//! Documents made for tests: of any number of pages and bytes, with a table or with object streams.

use std::io::Write as _;

use flate2::{Compression, write::ZlibEncoder};

/// How a document's objects are found (ISO 32000-2, 7.5.4 and 7.5.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A cross-reference stream; all but streams lie in object streams.
    ObjectStreams,
    /// A cross-reference table.
    Table,
}

/// Objects of one object stream, as common producers choose.
const OBJECTS_PER_STREAM: usize = 100;

/// A document of `pages` pages of text, each with a picture of noise, of about `len` bytes. The
/// same arguments make the same bytes.
pub fn document(layout: Layout, pages: usize, len: usize) -> Vec<u8> {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let per_page = (len / pages).saturating_sub(900).max(64);
    let mut objects = vec![
        Object::plain("<< /Type /Catalog /Pages 2 0 R >>".to_owned()),
        Object::plain(format!(
            "<< /Type /Pages /Count {pages} /Kids [{}] >>",
            (0..pages).map(|page| format!("{} 0 R", 4 + 3 * page)).collect::<Vec<_>>().join(" ")
        )),
        Object::plain("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned()),
    ];
    for page in 0..pages {
        let number = 4 + 3 * page;
        objects.push(Object::plain(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {} 0 R \
             /Resources << /Font << /F1 3 0 R >> /XObject << /Im1 {} 0 R >> >> >>",
            number + 1,
            number + 2
        )));
        let text = format!(
            "BT /F1 18 Tf 72 760 Td (Contrato de teste, pagina {} de {pages}) Tj ET\n\
             q 300 0 0 300 72 400 cm /Im1 Do Q\n",
            page + 1
        );
        objects.push(Object::stream("/Filter /FlateDecode", deflate(text.as_bytes())));
        // Noise does not compress, so it is stored as it is.
        let side = (per_page as f64).sqrt() as usize;
        objects.push(Object::stream(
            &format!(
                "/Type /XObject /Subtype /Image /Width {side} /Height {side} /ColorSpace /DeviceGray /BitsPerComponent 8"
            ),
            noise.bytes(side * side),
        ));
    }
    match layout {
        Layout::ObjectStreams => with_object_streams(objects),
        Layout::Table => with_table(objects),
    }
}

/// A document of one page with signature fields of these entries, invisible where they have no
/// `/Rect`.
pub fn with_fields(fields: &[&str]) -> Vec<u8> {
    let text = "BT /F1 18 Tf 72 760 Td (Contrato de teste) Tj ET";
    let places: Vec<String> = (6..6 + fields.len()).map(|number| format!("{number} 0 R")).collect();
    let places = places.join(" ");
    let mut objects = vec![
        format!("<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{places}] /DA (/F1 0 Tf 0 g) >> >>"),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R \
             /Resources << /Font << /F1 5 0 R >> >> /Annots [{places}] >>"
        ),
        format!("<< /Length {} >>\nstream\n{text}\nendstream", text.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    objects.extend(fields.iter().map(|field| {
        let place = if field.contains("/Rect") { "" } else { "/Rect [0 0 0 0]" };
        format!("<< /Type /Annot /Subtype /Widget /FT /Sig /F 132 /P 3 0 R {place} {field} >>")
    }));
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut rows = String::new();
    for (number, object) in (1..).zip(&objects) {
        rows.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.extend_from_slice(format!("{number} 0 obj\n{object}\nendobj\n").as_bytes());
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file.extend_from_slice(
        format!(
            "xref\n0 {size}\n0000000000 65535 f \n{rows}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
        )
        .as_bytes(),
    );
    file
}

struct Object {
    /// The value, or a stream's dictionary without its length.
    text: String,
    stream: Option<Vec<u8>>,
}

impl Object {
    fn plain(text: String) -> Self {
        Self { text, stream: None }
    }

    fn stream(entries: &str, bytes: Vec<u8>) -> Self {
        Self { text: format!("<< {entries} /Length {} >>", bytes.len()), stream: Some(bytes) }
    }

    fn write(&self, number: usize, file: &mut Vec<u8>) {
        file.extend_from_slice(format!("{number} 0 obj\n{}\n", self.text).as_bytes());
        if let Some(bytes) = &self.stream {
            file.extend_from_slice(b"stream\n");
            file.extend_from_slice(bytes);
            file.extend_from_slice(b"\nendstream\n");
        }
        file.extend_from_slice(b"endobj\n");
    }
}

fn with_table(objects: Vec<Object>) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        object.write(index + 1, &mut file);
    }
    let start = file.len();
    let size = objects.len() + 1;
    file.extend_from_slice(format!("xref\n0 {size}\n0000000000 65535 f \n").as_bytes());
    for offset in offsets {
        file.extend_from_slice(format!("{offset:010} 00000 n \n").as_bytes());
    }
    file.extend_from_slice(
        format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").as_bytes(),
    );
    file
}

fn with_object_streams(objects: Vec<Object>) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
    // Type, second and third field of each row (7.5.8.3).
    let mut rows = vec![(0_u8, 0_usize, 65535_usize); objects.len() + 1];
    let (streams, plain): (Vec<_>, Vec<_>) =
        objects.into_iter().enumerate().partition(|(_, object)| object.stream.is_some());
    for (index, object) in &streams {
        rows[index + 1] = (1, file.len(), 0);
        object.write(index + 1, &mut file);
    }
    for chunk in plain.chunks(OBJECTS_PER_STREAM) {
        let number = rows.len();
        let (mut head, mut body) = (String::new(), String::new());
        for (position, (index, object)) in chunk.iter().enumerate() {
            head.push_str(&format!("{} {} ", index + 1, body.len()));
            body.push_str(&object.text);
            body.push('\n');
            rows[index + 1] = (2, number, position);
        }
        let entries = format!("/Type /ObjStm /N {} /First {} /Filter /FlateDecode", chunk.len(), head.len());
        rows.push((1, file.len(), 0));
        Object::stream(&entries, deflate((head + &body).as_bytes())).write(number, &mut file);
    }
    let start = file.len();
    rows.push((1, start, 0));
    let mut table = Vec::new();
    for (kind, second, third) in &rows {
        table.push(*kind);
        table.extend_from_slice(&u32::try_from(*second).expect("the document is small").to_be_bytes());
        table.extend_from_slice(&u16::try_from(*third).expect("the streams are small").to_be_bytes());
    }
    let entries = format!("/Type /XRef /Size {} /W [1 4 2] /Root 1 0 R /Filter /FlateDecode", rows.len());
    Object::stream(&entries, deflate(&table)).write(rows.len() - 1, &mut file);
    file.extend_from_slice(format!("startxref\n{start}\n%%EOF\n").as_bytes());
    file
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes all bytes")
}

/// Bytes that do not compress (xorshift64).
struct Noise(u64);

impl Noise {
    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count + 8);
        while bytes.len() < count {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            bytes.extend_from_slice(&self.0.to_le_bytes());
        }
        bytes.truncate(count);
        bytes
    }
}
