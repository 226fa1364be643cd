//! Documents that claim a level of PDF/A or PDF/UA and are of it: small, with nothing to see.

/// What a document claims.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim {
    pub(crate) name: &'static str,
    /// Of the header.
    pub(crate) version: &'static str,
    /// Part, conformance and year of PDF/A.
    pub(crate) archive: Option<(&'static str, &'static str)>,
    /// Part of PDF/UA.
    pub(crate) universal: Option<&'static str>,
    /// The structure, where it is tagged.
    pub(crate) structure: Structure,
    /// `/Lang` of the catalog.
    pub(crate) language: Option<&'static str>,
    /// `/MediaBox` of its pages.
    pub(crate) media_box: &'static str,
}

const A4: &str = "[0 0 595 842]";

/// How a document is tagged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Structure {
    /// A parent tree with kids, several elements at the root.
    Branched,
    /// A flat parent tree, one element at the root.
    Flat,
    /// It is not.
    None,
}

const fn archive(
    name: &'static str,
    version: &'static str,
    part: &'static str,
    level: &'static str,
    structure: Structure,
) -> Claim {
    Claim {
        name,
        version,
        archive: Some((part, level)),
        universal: None,
        structure,
        language: Some("pt-BR"),
        media_box: A4,
    }
}

pub(crate) const CLAIMS: &[Claim] = &[
    archive("PDF/A-1a", "1.4", "1", "A", Structure::Flat),
    archive("PDF/A-1b", "1.4", "1", "B", Structure::None),
    archive("PDF/A-2a", "1.7", "2", "A", Structure::Branched),
    archive("PDF/A-2b", "1.7", "2", "B", Structure::None),
    archive("PDF/A-2u", "1.7", "2", "U", Structure::None),
    archive("PDF/A-3a", "1.7", "3", "A", Structure::Flat),
    archive("PDF/A-3b", "1.7", "3", "B", Structure::None),
    archive("PDF/A-4", "2.0", "4", "", Structure::None),
    Claim { universal: Some("1"), ..archive("PDF/A-2a and PDF/UA-1", "1.7", "2", "A", Structure::Branched) },
    Claim {
        name: "PDF/UA-1 in German",
        version: "1.7",
        archive: None,
        universal: Some("1"),
        structure: Structure::Flat,
        language: Some("de"),
        media_box: "[-100 -50 495 792]",
    },
    Claim {
        name: "PDF/UA-1 without a language",
        version: "1.7",
        archive: None,
        universal: Some("1"),
        structure: Structure::Flat,
        language: None,
        media_box: A4,
    },
    Claim {
        name: "PDF/UA-2",
        version: "2.0",
        archive: None,
        universal: Some("2"),
        structure: Structure::Flat,
        language: Some("en"),
        media_box: A4,
    },
];

/// A document of two pages that is what it claims.
pub(crate) fn document(claim: &Claim) -> Vec<u8> {
    with_form(claim, "", "", &[])
}

/// The same without a structure and with an empty signature field on its first page.
pub(crate) fn with_field(claim: &Claim) -> Vec<u8> {
    let claim = Claim { structure: Structure::None, ..*claim };
    let widget = "<< /Type /Annot /Subtype /Widget /FT /Sig /T (visto) /F 4 /Rect [50 50 250 120] /P 3 0 R /AP << /N 7 0 R >> >>";
    let nothing = "<< /Type /XObject /Subtype /Form /BBox [0 0 200 70] /Resources << >> /Length 0 >>\nstream\n\nendstream";
    with_form(&claim, "/AcroForm << /Fields [6 0 R] >>", "/Annots [6 0 R]", &[widget, nothing])
}

fn with_form(claim: &Claim, form: &str, annotations: &str, more: &[&str]) -> Vec<u8> {
    let tagged = claim.structure != Structure::None;
    let lang = claim.language.map(|language| format!("/Lang ({language})")).unwrap_or_default();
    let marks = if tagged { "/MarkInfo << /Marked true >> /StructTreeRoot 6 0 R" } else { "" };
    let media_box = claim.media_box;
    let page = |key: u32, annotations: &str| {
        let key = if tagged { format!("/StructParents {key}") } else { String::new() };
        format!("<< /Type /Page /Parent 2 0 R /MediaBox {media_box} /Resources << >> {key} {annotations} >>")
    };
    let metadata = metadata(claim);
    let mut objects = vec![
        format!(
            "<< /Type /Catalog /Pages 2 0 R /Metadata 5 0 R /ViewerPreferences << /DisplayDocTitle true >> {lang} {marks} {form} >>"
        ),
        "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>".to_owned(),
        page(0, annotations),
        page(1, ""),
        format!(
            "<< /Type /Metadata /Subtype /XML /Length {} >>\nstream\n{metadata}\nendstream",
            metadata.len()
        ),
    ];
    let namespace = if claim.universal == Some("2") { "/NS 8 0 R" } else { "" };
    let element = format!("<< /Type /StructElem /S /Document /P 6 0 R {namespace} >>");
    match claim.structure {
        Structure::Branched => objects.extend([
            "<< /Type /StructTreeRoot /K [7 0 R] /ParentTree 8 0 R /ParentTreeNextKey 2 >>".to_owned(),
            element,
            "<< /Kids [9 0 R 10 0 R] >>".to_owned(),
            "<< /Limits [0 0] /Nums [0 []] >>".to_owned(),
            "<< /Limits [1 1] /Nums [1 []] >>".to_owned(),
        ]),
        Structure::Flat => objects.extend([
            "<< /Type /StructTreeRoot /K 7 0 R /ParentTree << /Nums [0 [] 1 []] >> /Namespaces [8 0 R] >>"
                .to_owned(),
            element,
            "<< /Type /Namespace /NS (http://iso.org/pdf2/ssn) >>".to_owned(),
        ]),
        Structure::None => {}
    }
    objects.extend(more.iter().map(|&object| object.to_owned()));
    written(claim.version, &objects)
}

fn written(version: &str, objects: &[String]) -> Vec<u8> {
    let mut file = format!("%PDF-{version}\n%").into_bytes();
    file.extend_from_slice(b"\xe2\xe3\xcf\xd3\n");
    let mut rows = String::from("0000000000 65535 f \n");
    for (number, text) in (1..).zip(objects) {
        rows.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.extend_from_slice(format!("{number} 0 obj\n{text}\nendobj\n").as_bytes());
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file.extend_from_slice(
        format!(
            "xref\n0 {size}\n{rows}trailer\n<< /Size {size} /Root 1 0 R /ID [<0102> <0102>] >>\nstartxref\n{start}\n%%EOF\n"
        )
        .as_bytes(),
    );
    file
}

/// The metadata with the claim (ISO 19005-1, 6.7.11; ISO 14289-1, 5).
fn metadata(claim: &Claim) -> String {
    let mut entries = String::new();
    if let Some((part, level)) = claim.archive {
        entries.push_str(&format!("<pdfaid:part>{part}</pdfaid:part>"));
        if part == "4" {
            entries.push_str("<pdfaid:rev>2020</pdfaid:rev>");
        } else {
            entries.push_str(&format!("<pdfaid:conformance>{level}</pdfaid:conformance>"));
        }
    }
    if let Some(part) = claim.universal {
        entries.push_str(&format!("<pdfuaid:part>{part}</pdfuaid:part>"));
        if part == "2" {
            entries.push_str("<pdfuaid:rev>2024</pdfuaid:rev>");
        }
    }
    // What PDF/A does not know must be described where both are claimed.
    let schema = if claim.archive.is_some() && claim.universal.is_some() {
        "<rdf:Description rdf:about='' xmlns:pdfaExtension='http://www.aiim.org/pdfa/ns/extension/' \
         xmlns:pdfaSchema='http://www.aiim.org/pdfa/ns/schema#' xmlns:pdfaProperty='http://www.aiim.org/pdfa/ns/property#'>\
         <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType='Resource'>\
         <pdfaSchema:schema>PDF/UA</pdfaSchema:schema><pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>\
         <pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType='Resource'>\
         <pdfaProperty:name>part</pdfaProperty:name><pdfaProperty:valueType>Integer</pdfaProperty:valueType>\
         <pdfaProperty:category>internal</pdfaProperty:category><pdfaProperty:description>Part</pdfaProperty:description>\
         </rdf:li></rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>"
    } else {
        ""
    };
    // The default is in the document's language, where that has one.
    let title = if claim.language.is_some() { "x-default" } else { "pt-BR" };
    format!(
        "<?xpacket begin='\u{feff}' id='W5M0MpCehiHzreSzNTczkc9d'?>\
         <x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\
         <rdf:Description rdf:about='' xmlns:dc='http://purl.org/dc/elements/1.1/'>\
         <dc:title><rdf:Alt><rdf:li xml:lang='{title}'>Contrato</rdf:li></rdf:Alt></dc:title></rdf:Description>\
         <rdf:Description rdf:about='' xmlns:pdfaid='http://www.aiim.org/pdfa/ns/id/' \
         xmlns:pdfuaid='http://www.aiim.org/pdfua/ns/id/'>{entries}</rdf:Description>{schema}\
         </rdf:RDF></x:xmpmeta><?xpacket end='w'?>"
    )
}
