//! Certificates in files as people have them: DER, or PEM (RFC 7468) with anything around it.

use crate::cms::{certificate::Certificate, error::CmsError};

/// Certificates that one file may hold.
const MAXIMUM_CERTIFICATES: usize = 1024;
const BEGIN: &[u8] = b"-----BEGIN ";
const DASHES: &[u8] = b"-----";
const LABELS: [&[u8]; 2] = [b"CERTIFICATE", b"X509 CERTIFICATE"];

/// The certificates in `bytes`: one in DER, or every CERTIFICATE block of a PEM file. Other
/// blocks and text around them are passed over.
///
/// # Errors
/// Where there is no certificate, or one of them cannot be read.
pub fn from_pem_or_der(bytes: &[u8]) -> Result<Vec<Certificate>, CmsError> {
    if bytes.first() == Some(&0x30) {
        return Ok(vec![Certificate::from_der(bytes)?]);
    }
    let malformed = CmsError::CertificateMalformed { part: "PEM block" };
    let mut found = Vec::new();
    let mut rest = bytes;
    while let Some((_, after)) = split(rest, BEGIN) {
        let (label, after) = split(after, DASHES).ok_or_else(|| malformed.clone())?;
        let (body, after) = split(after, DASHES).ok_or_else(|| malformed.clone())?;
        rest = after;
        if !LABELS.contains(&label) {
            continue;
        }
        if found.len() == MAXIMUM_CERTIFICATES {
            return Err(CmsError::LimitExceeded { part: "certificates", limit: MAXIMUM_CERTIFICATES });
        }
        found.push(Certificate::from_der(&base64(body).ok_or_else(|| malformed.clone())?)?);
    }
    if found.is_empty() {
        return Err(CmsError::CertificateMalformed { part: "no certificate" });
    }
    Ok(found)
}

/// What stands before and after the first `mark`.
fn split<'a>(bytes: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes.windows(mark.len()).position(|window| window == mark)?;
    Some((bytes.get(..at)?, bytes.get(at + mark.len()..)?))
}

/// Base64 (RFC 4648, 4), blanks passed over.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    let mut padding = 0;
    for character in text.iter().copied().filter(|character| !character.is_ascii_whitespace()) {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                padding += 1;
                continue;
            }
            _ => return None,
        };
        if padding > 0 {
            return None;
        }
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    // What is left over are the zero bits that fill the last character.
    (padding <= 2 && count < 6 && bits & ((1 << count) - 1) == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_gives_the_vectors_of_its_standard() {
        for (text, bytes) in [
            ("", Some(&b""[..])),
            ("Zg==", Some(b"f")),
            ("Zm8=", Some(b"fo")),
            ("Zm9v\r\nYmFy\n", Some(b"foobar")),
            ("Zh==", None),
            ("Z", None),
            ("Zg==Zg==", None),
            ("Zm9-", None),
        ] {
            assert_eq!(base64(text.as_bytes()).as_deref(), bytes, "{text}");
        }
    }

    #[test]
    fn a_file_without_a_certificate_is_refused() {
        for text in
            ["", "hello", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"]
        {
            assert!(from_pem_or_der(text.as_bytes()).is_err(), "{text}");
        }
    }
}
