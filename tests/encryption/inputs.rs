//! Encrypted documents, made by qpdf from documents of our own.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// The password that opens a document for everyone who has it.
pub(crate) const USER: &str = "usuario-7391";
/// The password that lifts the permissions.
pub(crate) const OWNER: &str = "dono-7391";

/// How a document is encrypted: the length of the key and qpdf's options.
pub(crate) type Kind = &'static [&'static str];

/// Every kind that the standard security handler has.
pub(crate) const KINDS: [Kind; 8] = [
    &["40"],
    &["128", "--use-aes=n"],
    &["128", "--use-aes=n", "--force-V4"],
    &["128", "--use-aes=y"],
    &["128", "--use-aes=y", "--cleartext-metadata"],
    &["256", "--force-R5"],
    &["256"],
    &["256", "--cleartext-metadata"],
];

/// The kind that pyHanko does not open: others judge it.
pub(crate) const REVISION_5: Kind = KINDS[5];

/// What the metadata of [`form`] say.
pub(crate) const METADATA: &str = "<x:xmpmeta>contrato-de-teste</x:xmpmeta>";

/// Runs qpdf; nothing where it is not installed.
pub(crate) fn qpdf(words: &[&str], files: &[&Path]) -> Option<Output> {
    match Command::new("qpdf").args(words).args(files).env("LC_ALL", "C.UTF-8").output() {
        Ok(output) => Some(output),
        Err(error) => {
            signer_tests::left_out(&format!("qpdf did not start ({error}): run `cargo xtask setup`"));
            None
        }
    }
}

/// Encrypts the document in `plain`, beside it.
pub(crate) fn encrypted(plain: &Path, user: &str, owner: &str, kind: &[&str]) -> Option<PathBuf> {
    let output = plain.with_extension("encrypted.pdf");
    let words = [&["--allow-weak-crypto", "--encrypt", user, owner], kind, &["--"]].concat();
    let result = qpdf(&words, &[plain, &output])?;
    // 3 are warnings: weak kinds are made on purpose.
    assert!(matches!(result.status.code(), Some(0 | 3)), "{kind:?}: {result:?}");
    Some(output)
}

/// The bytes of every page's content stream, decrypted and decoded.
pub(crate) fn page_contents(path: &Path, password: &str) -> Option<Vec<u8>> {
    let clear = path.with_extension("clear.pdf");
    let password = format!("--password={password}");
    let words = ["--decrypt", "--qdf", "--static-id", "--object-streams=disable", &password];
    let result = qpdf(&words, &[path, &clear])?;
    assert!(matches!(result.status.code(), Some(0 | 3)), "{}: {result:?}", path.display());
    let bytes = fs::read(&clear).unwrap();
    let mut contents = Vec::new();
    let mut rest = bytes.as_slice();
    let position = |bytes: &[u8], word: &[u8]| bytes.windows(word.len()).position(|found| found == word);
    while let Some(start) = position(rest, b"%% Contents for page") {
        let stream = &rest[start..];
        let end = position(stream, b"endstream").unwrap();
        let begin = position(stream, b"stream\n").unwrap();
        contents.extend_from_slice(&stream[begin..end]);
        rest = &stream[end..];
    }
    Some(contents)
}

/// A page with metadata, a text field and the empty signature field `Aprovação`. Readers find the
/// objects by a scan.
pub(crate) fn form() -> Vec<u8> {
    let metadata = METADATA.len();
    let name = "<FEFF004100700072006F0076006100E700E3006F>";
    format!(
        "%PDF-1.7\n\
         1 0 obj\n<< /Type /Catalog /Pages 2 0 R /Metadata 6 0 R /AcroForm << /Fields [5 0 R 7 0 R] >> >>\nendobj\n\
         2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n\
         3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Annots [5 0 R] >>\nendobj\n\
         4 0 obj\n<< /Length 12 >>\nstream\n0 0 9 9 re f\nendstream\nendobj\n\
         5 0 obj\n<< /FT /Sig /T {name} /Type /Annot /Subtype /Widget /Rect [50 50 250 120] /P 3 0 R /F 4 >>\nendobj\n\
         6 0 obj\n<< /Type /Metadata /Subtype /XML /Length {metadata} >>\nstream\n{METADATA}\nendstream\nendobj\n\
         7 0 obj\n<< /FT /Tx /T (valor) /V (cem reais) >>\nendobj\n\
         trailer\n<< /Size 8 /Root 1 0 R >>\n%%EOF\n"
    )
    .into_bytes()
}
