//! `cargo xtask huge`: documents of more than four gibibytes, and of offsets past ten digits,
//! signed by the shipped program and accepted by others.
//!
//! The files are sparse: they hold two pages and a hole.

use std::{
    error::Error,
    fs::File,
    io::{Seek as _, SeekFrom, Write as _},
    path::Path,
    process::Stdio,
    time::Instant,
};

use signer_tests::{
    judges::{self, PyHanko},
    machine,
    signing::{PASSWORD, a1, signer},
};

type Outcome<T> = Result<T, Box<dyn Error>>;

const SIZES: [(&str, u64); 2] = [("5 GiB", 5 << 30), ("ten digits and more", 10_200_000_000)];

fn main() -> Outcome<()> {
    let directory = tempfile::tempdir()?;
    let (input, output) = (directory.path().join("in.pdf"), directory.path().join("out.pdf"));
    let secret = directory.path().join("secret");
    std::fs::write(&secret, PASSWORD)?;
    println!("{}\n", machine());
    let mut pyhanko = PyHanko::start().ok_or("pyHanko is not installed")?;
    for (name, len) in SIZES {
        sparse(&input, len)?;
        let begin = Instant::now();
        let status = signer()
            .args(["sign", "--json", "--seal", "default", "--p12"])
            .arg(a1("ecpf-a1-moderno.p12"))
            .arg("--p12-password-file")
            .args([&secret, &input, &output])
            .stdout(Stdio::null())
            .status()?;
        let took = begin.elapsed();
        if !status.success() {
            return Err(format!("{name}: not signed").into());
        }
        let judgements = pyhanko.judge(&output, &judges::test_root())?;
        let accepted = judgements.iter().any(|own| own.ok && own.coverage == "ENTIRE_FILE");
        let valid = signer()
            .args(["validate", "--trust"])
            .args([&judges::test_root(), &output])
            .stdout(Stdio::null())
            .status()?;
        if !accepted || !valid.success() || judges::qpdf_check(&output) != Some(0) {
            return Err(format!("{name}: not accepted: {judgements:?}").into());
        }
        println!("{name}: signed in {:.1} s, flushed to disk, and accepted", took.as_secs_f64());
        std::fs::remove_file(&output)?;
    }
    Ok(())
}

/// A document of a little more than `len` bytes: one stream is a hole.
fn sparse(path: &Path, len: u64) -> Outcome<()> {
    let mut file = File::create(path)?;
    let mut head = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (number, object) in (1..).zip([
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>",
    ]) {
        offsets.push(head.len());
        head.extend(format!("{number} 0 obj\n{object}\nendobj\n").as_bytes());
    }
    offsets.push(head.len());
    head.extend(format!("4 0 obj\n<< /Length {len} >>\nstream\n").as_bytes());
    file.write_all(&head)?;
    file.seek(SeekFrom::Current(i64::try_from(len)?))?;
    file.write_all(b"\nendstream\nendobj\n")?;
    let start = file.stream_position()?;
    let rows: String = offsets.iter().map(|offset| format!("{offset:010} 00000 n \n")).collect();
    write!(
        file,
        "xref\n0 5\n0000000000 65535 f \n{rows}trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    )?;
    Ok(())
}
