//! Encrypted documents of every kind through the shipped program, judged by others.

#[path = "encryption/corpus.rs"]
mod corpus;
#[path = "encryption/inputs.rs"]
mod inputs;
#[cfg(target_os = "linux")]
#[path = "encryption/secrets.rs"]
mod secrets;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::{Value, json};
use signer_tests::{
    documents::{Layout, document},
    judges::{self, PyHanko},
    signing::{PASSWORD, a1, code, signer},
};

use inputs::{KINDS, Kind, METADATA, OWNER, REVISION_5, USER, encrypted, form, page_contents};

const REASON: &str = "Motivo-reservado-7391";

/// A folder with the password of the A1 file and one of the document.
struct Desk {
    directory: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn written(&self, name: &str, bytes: &[u8]) -> PathBuf {
        fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    /// Signs; the password of the document, if there is one, comes from a file.
    fn sign(
        &self,
        input: &Path,
        output: &Path,
        password: Option<&str>,
        words: &[&str],
    ) -> Result<Value, Value> {
        let mut command = signer();
        command.args(["sign", "--json", "--reason", REASON, "--p12"]).arg(a1("ecpf-a1-moderno.p12"));
        command.arg("--p12-password-file").arg(self.written("p12-password", PASSWORD.as_bytes()));
        if let Some(password) = password {
            let file = self.written("document-password", password.as_bytes());
            command.arg("--document-password-file").arg(file);
        }
        let result = command.args(words).arg(input).arg(output).stdin(Stdio::null()).output().unwrap();
        let json: Value = serde_json::from_slice(&result.stdout).unwrap_or(Value::Null);
        assert!(!String::from_utf8_lossy(&result.stdout).contains(USER), "the password is in no output");
        assert!(!String::from_utf8_lossy(&result.stderr).contains(USER), "the password is in no output");
        assert_eq!(output.exists(), result.status.success(), "{json}");
        if result.status.success() { Ok(json) } else { Err(json) }
    }

    fn refusal(&self, input: &Path, password: Option<&str>, words: &[&str]) -> String {
        let refused =
            self.sign(input, &self.path("refused.pdf"), password, words).expect_err("it is refused");
        code(&refused).to_owned()
    }

    fn validate(&self, path: &Path, password: Option<&str>) -> (Option<i32>, Value) {
        let mut command = signer();
        command.args(["validate", "--json", "--trust"]).arg(judges::test_root()).arg(path);
        if let Some(password) = password {
            let file = self.written("document-password", password.as_bytes());
            command.arg("--document-password-file").arg(file);
        }
        let output = command.stdin(Stdio::null()).output().unwrap();
        (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
    }
}

/// Whether the document in `path` has revision 5, which pyHanko takes for revision 6.
fn is_revision_5(path: &Path) -> bool {
    fs::read(path).unwrap().windows(5).any(|window| window == b"/R 5 ")
}

/// Others, and our validator, call all signatures in `output` valid.
fn judged_valid(pyhanko: &mut PyHanko, desk: &Desk, output: &Path, password: &str) {
    let (status, verdict) = desk.validate(output, Some(password));
    assert_eq!((status, &verdict["indication"]), (Some(0), &Value::from("TOTAL-PASSED")), "{verdict}");
    let count = verdict["signatures"].as_array().unwrap().len();
    if let Some(pdfsig) = judges::pdfsig_encrypted(output, password) {
        assert!(pdfsig.total_document && pdfsig.valid == count, "{pdfsig:?}");
    }
    if is_revision_5(output) {
        return;
    }
    let judgements = pyhanko.judge_encrypted(output, &judges::test_root(), password).unwrap();
    assert!(judgements.iter().all(|one| one.ok && one.intact_and_valid && one.trusted), "{judgements:?}");
    assert_eq!((judgements.len(), judgements.last().unwrap().coverage.as_str()), (count, "ENTIRE_FILE"));
}

/// What the update in `output` says, and the passwords, are not to be read in it.
fn tells_nothing(input: &Path, output: &Path) {
    let (before, after) = (fs::read(input).unwrap(), fs::read(output).unwrap());
    let update = after.strip_prefix(before.as_slice()).expect("the original is the prefix");
    for secret in [REASON, USER, OWNER, "D:20"] {
        let utf16: Vec<u8> = secret.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for spelling in [secret.as_bytes(), &utf16] {
            let digits: String = spelling.iter().map(|byte| format!("{byte:02X}")).collect();
            for text in [spelling, digits.as_bytes()] {
                assert!(!update.windows(text.len()).any(|window| window == text), "{secret} is in clear");
            }
        }
    }
}

/// Signed in `output` is what was in `input`, and others accept it.
fn accepted(pyhanko: &mut PyHanko, desk: &Desk, input: &Path, output: &Path, password: &str) {
    assert!(fs::read(output).unwrap().starts_with(&fs::read(input).unwrap()), "the original is the prefix");
    judged_valid(pyhanko, desk, output, password);
    let [was, is] = [input, output].map(|path| judges::qpdf_check_encrypted(path, password).unwrap());
    assert!(judges::qpdf_badness(is) <= judges::qpdf_badness(was), "qpdf: {was} before, {is} after");
    let pages = [input, output].map(|path| page_contents(path, password).unwrap());
    assert_eq!(pages[0], pages[1], "the pages are as they were");
}

/// Signs with the user's password, and again with the owner's.
fn sign_twice(kind: Kind, layout: Layout, pyhanko: &mut PyHanko) -> Option<()> {
    let desk = Desk::new();
    let plain = desk.written("in.pdf", &document(layout, 2, 20_000));
    let input = encrypted(&plain, USER, OWNER, kind)?;
    let pages = page_contents(&input, USER)?;
    assert!(String::from_utf8_lossy(&pages).contains("Contrato de teste"), "qpdf shows the text");
    let (once, twice) = (desk.path("once.pdf"), desk.path("twice.pdf"));
    desk.sign(&input, &once, Some(USER), &["--seal", "default"])
        .unwrap_or_else(|json| panic!("{kind:?}: {json}"));
    accepted(pyhanko, &desk, &input, &once, USER);
    tells_nothing(&input, &once);
    desk.sign(&once, &twice, Some(OWNER), &["--verify", "full"])
        .unwrap_or_else(|json| panic!("{kind:?}: {json}"));
    accepted(pyhanko, &desk, &once, &twice, USER);
    tells_nothing(&once, &twice);
    Some(())
}

#[test]
fn every_kind_with_a_table_is_signed_and_others_accept_it() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let _ = KINDS.into_iter().try_for_each(|kind| sign_twice(kind, Layout::Table, &mut pyhanko));
}

#[test]
fn every_kind_with_object_streams_is_signed_and_others_accept_it() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let _ = KINDS.into_iter().try_for_each(|kind| sign_twice(kind, Layout::ObjectStreams, &mut pyhanko));
}

#[test]
fn an_existing_field_is_signed_and_the_metadata_stay_what_they_were() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let desk = Desk::new();
    let plain = desk.written("in.pdf", &form());
    for kind in KINDS {
        let Some(input) = encrypted(&plain, USER, OWNER, kind) else { return };
        let output = desk.path("out.pdf");
        let words = ["--field", "Aprovação", "--seal", "default"];
        let signed =
            desk.sign(&input, &output, Some(USER), &words).unwrap_or_else(|json| panic!("{kind:?}: {json}"));
        assert_eq!(signed["field"], "Aprovação", "{kind:?}");
        accepted(&mut pyhanko, &desk, &input, &output, USER);
        tells_nothing(&input, &output);
        let bytes = fs::read(&output).unwrap();
        let clear = bytes.windows(METADATA.len()).any(|window| window == METADATA.as_bytes());
        assert_eq!(clear, kind.contains(&"--cleartext-metadata"), "{kind:?}");
        fs::remove_file(output).unwrap();
    }
}

#[test]
fn the_empty_password_opens_in_silence() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let desk = Desk::new();
    for (index, kind) in KINDS.into_iter().enumerate() {
        let plain = desk.written("in.pdf", &document(Layout::ObjectStreams, 1, 5_000));
        let Some(input) = encrypted(&plain, "", OWNER, kind) else { return };
        let output = desk.path(&format!("{index}.pdf"));
        desk.sign(&input, &output, None, &[]).unwrap_or_else(|json| panic!("{kind:?}: {json}"));
        accepted(&mut pyhanko, &desk, &input, &output, "");
        tells_nothing(&input, &output);
        let (status, verdict) = desk.validate(&output, None);
        assert_eq!((status, &verdict["indication"]), (Some(0), &Value::from("TOTAL-PASSED")), "{verdict}");
    }
}

#[test]
fn passwords_beyond_ascii_are_taken_as_they_are_typed() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let desk = Desk::new();
    // A ligature becomes its letters by SASLprep; PDFDocEncoding has the dash.
    for (kind, password) in
        [(KINDS[1], "ação—é"), (KINDS[3], "ação—é"), (KINDS[5], "senha-ção"), (KINDS[6], "ção-Ⅸ-αβ")]
    {
        let plain = desk.written("in.pdf", &document(Layout::Table, 1, 5_000));
        let Some(input) = encrypted(&plain, password, OWNER, kind) else { return };
        let output = desk.path("out.pdf");
        desk.sign(&input, &output, Some(password), &[]).unwrap_or_else(|json| panic!("{password}: {json}"));
        if *kind != *REVISION_5 {
            let judgements = pyhanko.judge_encrypted(&output, &judges::test_root(), OWNER).unwrap();
            assert!(judgements[0].ok, "{password}: {judgements:?}");
        }
        assert_eq!(judges::qpdf_check_encrypted(&output, password), Some(0), "{password}");
        fs::remove_file(output).unwrap();
    }
}

#[test]
fn a_password_that_is_missing_or_wrong_has_a_code_of_its_own() {
    let desk = Desk::new();
    let plain = desk.written("in.pdf", &document(Layout::ObjectStreams, 1, 5_000));
    for kind in KINDS {
        let Some(input) = encrypted(&plain, USER, OWNER, kind) else { return };
        for (password, expected) in [
            (None, "document-password-required"),
            (Some("usuario"), "document-password-wrong"),
            (Some(""), "document-password-wrong"),
        ] {
            assert_eq!(desk.refusal(&input, password, &[]), expected, "{kind:?} {password:?}");
            let (status, verdict) = desk.validate(&input, password);
            assert_eq!((status, code(&verdict)), (Some(2), expected), "{kind:?} {password:?}");
        }
    }
    // One that nobody asked for does no harm.
    desk.sign(&plain, &desk.path("out.pdf"), Some(USER), &[]).unwrap();
}

#[test]
fn permissions_bind_who_has_no_password_and_not_the_owner() {
    let desk = Desk::new();
    let plain = desk.written("in.pdf", &form());
    let (new, existing) = (&["--new-field", "Nova"][..], &["--field", "Aprovação"][..]);
    for (length, options, forbidden) in [
        ("40", &["--modify=n"][..], &[(new, "bit 4")][..]),
        ("40", &["--annotate=n"], &[(new, "bit 6"), (existing, "bit 6")]),
        ("128", &["--annotate=n"], &[(new, "bit 6")]),
        ("128", &["--modify-other=n"], &[(new, "bit 4")]),
        ("128", &["--form=n"], &[]),
        ("256", &["--annotate=n", "--form=n"], &[(new, "bit 6"), (existing, "bits 6 and 9")]),
        ("256", &["--modify=form"], &[(new, "bits 4 and 6")]),
        ("256", &["--modify=annotate"], &[(new, "bit 4")]),
        ("256", &["--modify=none"], &[(new, "bits 4 and 6"), (existing, "bits 6 and 9")]),
    ] {
        let kind = [&[length], options].concat();
        let Some(input) = encrypted(&plain, "", OWNER, &kind) else { return };
        for words in [new, existing] {
            let output = desk.path("out.pdf");
            match forbidden.iter().find(|(refused, _)| *refused == words) {
                Some((_, bits)) => {
                    let refused = desk.sign(&input, &output, None, words).unwrap_err();
                    assert_eq!(code(&refused), "document-permission-denied", "{kind:?} {words:?}");
                    let detail = refused["error"]["detail"].as_str().unwrap();
                    assert!(detail.contains(bits) && detail.contains("owner password"), "{detail}");
                }
                None => {
                    desk.sign(&input, &output, None, words)
                        .unwrap_or_else(|json| panic!("{kind:?} {words:?}: {json}"));
                    fs::remove_file(&output).unwrap();
                }
            }
            let signed = desk
                .sign(&input, &output, Some(OWNER), words)
                .unwrap_or_else(|json| panic!("{kind:?} {words:?}: {json}"));
            assert_eq!(signed["warnings"], json!([]), "{kind:?} {words:?}");
            fs::remove_file(&output).unwrap();
        }
        // To whom the password was given, the document was entrusted.
        let Some(entrusted) = encrypted(&plain, USER, OWNER, &kind) else { return };
        for words in [new, existing] {
            let output = desk.path("out.pdf");
            let signed = desk.sign(&entrusted, &output, Some(USER), words).unwrap();
            let against = forbidden.iter().any(|(refused, _)| *refused == words);
            let expected = if against { json!(["against-permissions"]) } else { json!([]) };
            assert_eq!(signed["warnings"], expected, "{kind:?} {words:?}");
            fs::remove_file(&output).unwrap();
        }
    }
}

#[test]
fn damaged_documents_are_read_with_their_key() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let desk = Desk::new();
    for layout in [Layout::Table, Layout::ObjectStreams] {
        let plain = desk.written("in.pdf", &document(layout, 2, 20_000));
        let Some(input) = encrypted(&plain, USER, OWNER, KINDS[6]) else { return };
        let bytes = fs::read(&input).unwrap();
        let at = bytes.windows(9).rposition(|window| window == b"startxref").unwrap();
        let damaged = desk.written("damaged.pdf", &[&bytes[..at], b"startxref\n7\n%%EOF\n"].concat());
        let output = desk.path("out.pdf");
        desk.sign(&damaged, &output, Some(USER), &[]).unwrap_or_else(|json| panic!("{layout:?}: {json}"));
        judged_valid(&mut pyhanko, &desk, &output, USER);
        assert_eq!(page_contents(&input, USER), page_contents(&output, USER), "{layout:?}");
        assert_eq!(desk.refusal(&damaged, None, &[]), "document-password-required");
        fs::remove_file(output).unwrap();
    }
}
