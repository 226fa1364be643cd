//! One seal on one page as a file of its own, and where a reader sees it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use signer_core::{
    pdf::{
        geometry::{Rectangle, Rotation},
        object::{self, Dictionary, Object, Reference, Stream},
        update::{Body, Update},
    },
    seal,
};

use crate::cases::Case;

impl Case {
    /// The page as a file of its own in `folder`.
    pub(crate) fn write(&self, folder: &Path) -> PathBuf {
        let catalog = Reference { number: 1, generation: 0 };
        let pages = Reference { number: 2, generation: 0 };
        let page = Reference { number: 3, generation: 0 };
        let mut update = Update::starting_at(4);
        let form = seal::draw(&self.text, &self.rectangle, &self.page, &mut update).unwrap();
        let name = Object::name;
        // Some readers draw a sign of their own where a field has no value.
        let value = update.add(
            Dictionary::new()
                .with("Type", name("Sig"))
                .with("Filter", name("Adobe.PPKLite"))
                .with("SubFilter", name("ETSI.CAdES.detached"))
                .with("ByteRange", Object::Array(vec![Object::Integer(0); 4]))
                .with("Contents", Object::String(vec![0])),
        );
        let widget = update.add(
            Dictionary::new()
                .with("Type", name("Annot"))
                .with("Subtype", name("Widget"))
                .with("FT", name("Sig"))
                .with("T", Object::text("Signature1"))
                .with("V", Object::Reference(value))
                .with("F", Object::Integer(132))
                .with("P", Object::Reference(page))
                .with("Rect", self.rectangle.to_object())
                .with("AP", Object::Dictionary(Dictionary::new().with("N", Object::Reference(form)))),
        );
        let contents = update.add(Stream { dictionary: Dictionary::new(), data: self.lines_on_the_page() });
        update.put(
            catalog,
            Dictionary::new().with("Type", name("Catalog")).with("Pages", Object::Reference(pages)).with(
                "AcroForm",
                Object::Dictionary(
                    Dictionary::new()
                        .with("Fields", Object::Array(vec![Object::Reference(widget)]))
                        .with("SigFlags", Object::Integer(3)),
                ),
            ),
        );
        update.put(
            pages,
            Dictionary::new()
                .with("Type", name("Pages"))
                .with("Kids", Object::Array(vec![Object::Reference(page)]))
                .with("Count", Object::Integer(1)),
        );
        update.put(
            page,
            Dictionary::new()
                .with("Type", name("Page"))
                .with("Parent", Object::Reference(pages))
                .with("MediaBox", self.page.media_box.to_object())
                .with("CropBox", self.page.crop_box.to_object())
                .with("Rotate", Object::Integer(i64::from(self.page.rotation.degrees())))
                .with("UserUnit", Object::number(self.page.user_unit))
                .with("Resources", Object::Dictionary(Dictionary::new()))
                .with("Contents", Object::Reference(contents))
                .with("Annots", Object::Array(vec![Object::Reference(widget)])),
        );
        let file_name = format!("{}.pdf", self.name);
        let file = folder.join(&file_name);
        fs::write(&file, whole_file(&update, catalog)).unwrap();
        if let Some(gallery) = std::env::var_os("SEAL_GALLERY") {
            fs::copy(&file, Path::new(&gallery).join(file_name)).unwrap();
        }
        file
    }

    /// Grey lines all over the page, so that a seal that does not cover them is noticed.
    fn lines_on_the_page(&self) -> Vec<u8> {
        let Rectangle { left, bottom, right, top } = self.page.media_box;
        let mut drawn = String::from("0.8 G 0.5 w\n");
        let mut y = bottom + 6.0;
        while y < top {
            drawn.push_str(&format!("{left} {y} m {right} {y} l S\n"));
            y += 12.0;
        }
        drawn.into_bytes()
    }

    /// The height of the page as the reader sees it.
    pub(crate) fn height_as_seen(&self) -> f64 {
        let shown = self.page.shown();
        if self.page.rotation.swaps_sides() { shown.width() } else { shown.height() }
    }

    /// The width of the page as the reader sees it.
    pub(crate) fn width_as_seen(&self) -> f64 {
        let shown = self.page.shown();
        if self.page.rotation.swaps_sides() { shown.height() } else { shown.width() }
    }

    /// The rectangle as the reader sees it: in units from the bottom left corner of the page
    /// that is shown.
    pub(crate) fn rectangle_as_seen(&self) -> Rectangle {
        let shown = self.page.shown();
        let Rectangle { left, bottom, right, top } = self.rectangle;
        match self.page.rotation {
            Rotation::None => Rectangle::between(
                left - shown.left,
                bottom - shown.bottom,
                right - shown.left,
                top - shown.bottom,
            ),
            Rotation::Quarter => Rectangle::between(
                bottom - shown.bottom,
                shown.right - left,
                top - shown.bottom,
                shown.right - right,
            ),
            Rotation::Half => Rectangle::between(
                shown.right - left,
                shown.top - bottom,
                shown.right - right,
                shown.top - top,
            ),
            Rotation::ThreeQuarters => {
                Rectangle::between(shown.top - bottom, left - shown.left, shown.top - top, right - shown.left)
            }
        }
    }
}

/// A file with a cross-reference table around the objects of `update`.
fn whole_file(update: &Update, catalog: Reference) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut offsets = vec![0; update.next_number() as usize];
    for (reference, body) in update.objects() {
        offsets[reference.number as usize] = out.len();
        out.extend_from_slice(format!("{} 0 obj\n", reference.number).as_bytes());
        match body {
            Body::Object(object) => object::write(object, &mut out),
            Body::Stream(stream) => {
                let length = Object::Integer(i64::try_from(stream.data.len()).unwrap());
                object::write_dictionary(&stream.dictionary.clone().with("Length", length), &mut out);
                out.extend_from_slice(b"\nstream\n");
                out.extend_from_slice(&stream.data);
                out.extend_from_slice(b"\nendstream");
            }
        }
        out.extend_from_slice(b"\nendobj\n");
    }
    let xref = out.len();
    out.extend_from_slice(format!("xref\n0 {}\n0000000000 65535 f \n", offsets.len()).as_bytes());
    for offset in &offsets[1..] {
        out.extend_from_slice(format!("{offset:010} 00000 n \n").as_bytes());
    }
    let trailer = Dictionary::new()
        .with("Size", Object::Integer(i64::try_from(offsets.len()).unwrap()))
        .with("Root", Object::Reference(catalog));
    out.extend_from_slice(b"trailer\n");
    object::write_dictionary(&trailer, &mut out);
    out.extend_from_slice(format!("\nstartxref\n{xref}\n%%EOF\n").as_bytes());
    out
}
