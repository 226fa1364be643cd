//! Documents of PDF/A and PDF/UA stay what they claim to be when they are signed, as veraPDF
//! sees them, and their first signature stays valid when another one follows.

#[path = "conformance/documents.rs"]
mod documents;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use signer_tests::{
    judges::{self, PyHanko},
    manifest::{self, Signing},
    signing::{PASSWORD, a1, sign_with_a1, signer},
    verapdf::{Conformance, VeraPdf},
};

use crate::documents::{CLAIMS, Structure, document, with_field};

/// Signs; the JSON that comes back, or why not.
fn sign(directory: &Path, input: &Path, output: &Path, arguments: &[&str]) -> Result<Value, String> {
    let mut words = vec![input.to_str().unwrap(), output.to_str().unwrap()];
    words.extend_from_slice(arguments);
    let (result, json) = sign_with_a1(directory, &a1("ecpf-a1-moderno.p12"), PASSWORD, &words);
    if result.status.success() { Ok(json) } else { Err(json["error"]["code"].to_string()) }
}

/// Proves A27.
#[test]
fn documents_stay_what_they_claim_to_be() {
    let Some(mut verapdf) = VeraPdf::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let (input, output, again) = (place("in.pdf"), place("out.pdf"), place("again.pdf"));
    for claim in CLAIMS {
        let name = claim.name;
        fs::write(&input, document(claim)).unwrap();
        let before = verapdf.judge(&input).unwrap();
        assert!(!before.claims.is_empty() && before.failures.is_empty(), "{name}: {before:?}");
        for page in ["1", "last"] {
            for seal in ["default", "none"] {
                let _ = fs::remove_file(&output);
                // The font lacks a letter: what stands for it must conform too.
                let arguments = ["--seal", seal, "--seal-page", page, "--reason", "Aprovação 山"];
                sign(directory.path(), &input, &output, &arguments).unwrap();
                assert_eq!(verapdf.judge(&output), Ok(before.clone()), "{name}, seal {seal}, page {page}");
            }
        }
        // Structure and pages of a signed document are not touched: of PDF/UA it remains where the
        // second signature is not seen, on a page that had annotations before.
        let seal = if claim.universal.is_some() { "none" } else { "default" };
        let _ = fs::remove_file(&again);
        sign(directory.path(), &output, &again, &["--seal", seal, "--seal-page", "last"]).unwrap();
        assert_eq!(verapdf.judge(&again), Ok(before), "{name}, twice");
    }
}

#[test]
fn a_field_that_was_there_is_sealed_and_the_document_stays_what_it_claims_to_be() {
    let Some(mut verapdf) = VeraPdf::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = (directory.path().join("in.pdf"), directory.path().join("out.pdf"));
    for claim in CLAIMS.iter().filter(|claim| claim.structure == Structure::None) {
        let name = claim.name;
        fs::write(&input, with_field(claim)).unwrap();
        let before = verapdf.judge(&input).unwrap();
        assert!(before.failures.is_empty(), "{name}: {before:?}");
        for seal in ["default", "none"] {
            let _ = fs::remove_file(&output);
            sign(directory.path(), &input, &output, &["--field", "visto", "--seal", seal]).unwrap();
            assert_eq!(verapdf.judge(&output), Ok(before.clone()), "{name}, seal {seal}");
        }
    }
}

#[test]
fn a_seal_has_words_in_the_language_of_the_document() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = (directory.path().join("in.pdf"), directory.path().join("out.pdf"));
    for (language, words, own) in [
        (Some("pt-BR"), "Assinatura digital de ANA", None),
        (Some("en-GB"), "Digital signature of ANA", None),
        (Some("es"), "Firma digital de ANA", None),
        (Some("de"), "Assinatura digital de ANA", Some("/Lang (pt-BR)")),
        (None, "Assinatura digital de ANA", Some("/Lang (pt-BR)")),
    ] {
        let claim = CLAIMS.iter().find(|claim| claim.structure == Structure::Flat).unwrap();
        fs::write(&input, document(&documents::Claim { language, ..*claim })).unwrap();
        let _ = fs::remove_file(&output);
        sign(directory.path(), &input, &output, &["--seal", "default"]).unwrap();
        let (before, after) = (fs::read(&input).unwrap(), fs::read(&output).unwrap());
        let update = String::from_utf8_lossy(&after[before.len()..]).into_owned();
        for key in ["/TU", "/Contents"] {
            assert!(update.contains(&format!("{key} ({words}")), "{language:?}: {update}");
        }
        let element = update.lines().find(|line| line.contains("/StructElem /S /Form")).unwrap();
        assert_eq!(element.contains("/Lang"), own.is_some(), "{element}");
        assert!(element.contains(own.unwrap_or_default()), "{element}");
    }
}

#[test]
fn the_first_signature_of_a_tagged_document_stays_valid() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let (input, once, twice) = (place("in.pdf"), place("once.pdf"), place("twice.pdf"));
    for claim in CLAIMS {
        let name = claim.name;
        fs::write(&input, document(claim)).unwrap();
        let _ = (fs::remove_file(&once), fs::remove_file(&twice));
        sign(directory.path(), &input, &once, &["--seal", "default", "--seal-page", "1"]).unwrap();
        sign(directory.path(), &once, &twice, &["--seal", "default", "--seal-page", "last"]).unwrap();
        let judgements = pyhanko.judge(&twice, &judges::test_root()).unwrap();
        assert_eq!(judgements.len(), 2, "{name}");
        assert!(judgements.iter().all(|judgement| judgement.ok), "{name}: {judgements:?}");
        let output = signer()
            .args(["validate", "--json", "--trust"])
            .args([&judges::test_root(), &twice])
            .output()
            .unwrap();
        let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(verdict["indication"], "TOTAL-PASSED", "{name}: {verdict}");
        assert_eq!(judges::qpdf_check(&twice).unwrap(), 0, "{name}");
    }
}

#[test]
fn two_renderers_show_the_seal_where_it_stands() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let (input, output, picture) = (place("in.pdf"), place("out.pdf"), place("page.ppm"));
    fs::write(&input, document(&CLAIMS[0])).unwrap();
    for (corner, [left, top]) in [("top-left", [24, 24]), ("bottom-right", [381, 748])] {
        let _ = fs::remove_file(&output);
        let arguments = ["--seal", "default", "--seal-page", "1", "--seal-at", corner];
        sign(directory.path(), &input, &output, &arguments).unwrap();
        for (renderer, options) in [
            ("pdftoppm", &["-r", "72", "-singlefile", "out.pdf", "page"][..]),
            ("mutool", &["draw", "-q", "-r", "72", "-F", "ppm", "-o", "page.ppm", "out.pdf", "1"]),
        ] {
            let _ = fs::remove_file(&picture);
            let drawn = Command::new(renderer).args(options).current_dir(directory.path()).output();
            let Ok(drawn) = drawn else {
                signer_tests::left_out(&format!("{renderer} is not installed: run `cargo xtask setup`"));
                continue;
            };
            assert!(drawn.status.success(), "{renderer}: {}", String::from_utf8_lossy(&drawn.stderr));
            let inked = inked(&fs::read(&picture).unwrap());
            let [right, bottom] = [left + 190, top + 70];
            assert!(inked.iter().all(|[x, y]| (left..=right).contains(x) && (top..=bottom).contains(y)));
            // The bar is at the left; the frame and the letters leave most of the rest white.
            let bar = inked.iter().filter(|[x, _]| *x <= left + 2).count();
            assert!(bar >= 70 && (1000..6000).contains(&inked.len()), "{renderer} {corner}: {}", inked.len());
        }
    }
}

/// The places of a picture (PPM, binary) that are not white, in pixels from the top left.
fn inked(picture: &[u8]) -> Vec<[usize; 2]> {
    let mut lines = picture.splitn(4, |byte| *byte == b'\n');
    assert_eq!(lines.next(), Some(b"P6".as_slice()));
    let (size, pixels) = (lines.next().unwrap(), lines.nth(1).unwrap());
    let width: usize = std::str::from_utf8(size).unwrap().split(' ').next().unwrap().parse().unwrap();
    let dark = pixels.chunks(3).enumerate().filter(|(_, pixel)| pixel.iter().any(|value| *value < 0xf0));
    dark.map(|(index, _)| [index % width, index / width]).collect()
}

/// Proves A27.
#[test]
fn documents_of_the_corpus_stay_what_they_claim_to_be() {
    let Some(corpus) = manifest::folder() else { return };
    let Some(mut verapdf) = VeraPdf::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let output = directory.path().join("out.pdf");
    let (mut failures, mut signed, mut kept) = (BTreeMap::new(), 0, 0);
    for input in claiming(&corpus) {
        let Ok(before) = verapdf.judge(&input) else { continue };
        if before.claims.is_empty() {
            continue;
        }
        for seal in ["default", "none"] {
            let _ = fs::remove_file(&output);
            // What may not be signed so is another test's business.
            if sign(directory.path(), &input, &output, &["--seal", seal]).is_err() {
                continue;
            }
            signed += 1;
            match verapdf.judge(&output) {
                Ok(after) if is_kept(&before, &after) => kept += 1,
                other => drop(failures.insert(format!("{} {seal}", input.display()), other)),
            }
        }
    }
    println!("{kept} signed documents are what they claimed to be");
    assert!(failures.is_empty() && kept == signed, "{failures:#?}");
}

/// Whether a document claims the same and breaks nothing that it did not break before.
fn is_kept(before: &Conformance, after: &Conformance) -> bool {
    before.claims == after.claims && after.failures.is_subset(&before.failures)
}

/// The documents that the manifest calls PDF/A, PDF/UA or tagged, and that can be signed.
fn claiming(corpus: &Path) -> Vec<PathBuf> {
    let mut rows = manifest::rows(corpus);
    rows.retain(|row| {
        let claims =
            row.kind == "pdfa" || ["PDF/A", "PDF/UA", "tagged"].iter().any(|word| row.special.contains(word));
        claims && !matches!(row.expected.signing, Signing::Refuse(_))
    });
    rows.iter().map(|row| corpus.join(&row.file)).collect()
}

#[test]
fn what_is_odd_about_a_document_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = (directory.path().join("in.pdf"), directory.path().join("out.pdf"));
    let secret = directory.path().join("password");
    fs::write(&secret, PASSWORD).unwrap();
    let text = String::from_utf8_lossy(&document(&CLAIMS[1]))
        .replace("/Pages 2 0 R", "/Pages 2 0 R /AcroForm << /XFA [] /Fields [] >>");
    fs::write(&input, text.replace("startxref", "start")).unwrap();
    let json = sign(directory.path(), &input, &output, &[]).unwrap();
    let warnings: Vec<_> = json["warnings"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(warnings.ends_with(&["document-recovered", "xfa"]), "{warnings:?}");
    for (locale, expected) in [
        ("pt_BR.UTF-8", ["foi recuperado para ser assinado", "formulário XFA"]),
        ("en_US.UTF-8", ["was recovered to be signed", "an XFA form"]),
        ("es_ES.UTF-8", ["se recuperó para firmarlo", "formulario XFA"]),
    ] {
        let told = signer()
            .env("LC_ALL", locale)
            .args(["sign", "--force", "--p12-password-file"])
            .arg(&secret)
            .arg("--p12")
            .arg(a1("ecpf-a1-moderno.p12"))
            .args([&input, &output])
            .output()
            .unwrap();
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
        let told = String::from_utf8_lossy(&told.stderr).into_owned();
        assert!(expected.iter().all(|words| told.contains(words)), "{told}");
    }
}
