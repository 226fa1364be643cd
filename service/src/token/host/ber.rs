//! From BER to DER (ITU-T X.690): old programs write PKCS#12 with indefinite lengths and with
//! octet strings in pieces.
//!
//! Only the encoding of lengths and of constructed octet strings changes. What octet strings
//! hold is not looked into.

use zeroize::{Zeroize as _, Zeroizing};

/// Deeper nesting is refused.
const MAX_DEPTH: usize = 64;

const OCTET_STRING: u8 = 0x04;
const CONSTRUCTED: u8 = 0x20;

/// The bytes are no BER within the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotBer;

/// An element that is still open.
struct Open {
    tag: u8,
    /// Where it ends; `None` for an indefinite length.
    end: Option<usize>,
    content: Zeroizing<Vec<u8>>,
}

/// The first element of `input` in DER. What follows it is ignored. Both may hold keys: every
/// buffer is overwritten.
pub(super) fn to_der(input: &[u8]) -> Result<Zeroizing<Vec<u8>>, NotBer> {
    let mut open: Vec<Open> = Vec::new();
    let mut position = 0;
    loop {
        let closed = match open.last() {
            Some(Open { end: Some(end), .. }) if position == *end => true,
            Some(Open { end: None, .. }) if input.get(position..).ok_or(NotBer)?.starts_with(&[0, 0]) => {
                position += 2;
                true
            }
            Some(_) | None => false,
        };
        let (tag, content) = if closed {
            let Open { tag, content, .. } = open.pop().ok_or(NotBer)?;
            (tag, content)
        } else {
            let (tag, len, start) = header(input, position)?;
            let end = len.map(|len| start.checked_add(len).ok_or(NotBer)).transpose()?;
            let outer = open.iter().rev().find_map(|open| open.end).unwrap_or(input.len());
            if end.is_some_and(|end| end > outer) {
                return Err(NotBer);
            }
            if tag & CONSTRUCTED != 0 {
                if open.len() == MAX_DEPTH {
                    return Err(NotBer);
                }
                // An indefinite length reserves nothing: many of them would reserve the file each.
                let room = end.map_or(0, |end| end.saturating_sub(start));
                let content = Zeroizing::new(Vec::with_capacity(room));
                open.push(Open { tag, end, content });
                position = start;
                continue;
            }
            let end = end.ok_or(NotBer)?;
            position = end;
            (tag, Zeroizing::new(input.get(start..end).ok_or(NotBer)?.to_vec()))
        };
        let Some(outer) = open.last_mut() else {
            let mut whole = Zeroizing::new(Vec::with_capacity(content.len() + 6));
            append(&mut whole, tag, &content)?;
            return Ok(whole);
        };
        append_to(outer, tag, &content)?;
    }
}

/// Adds a finished element to the one around it; the pieces of an octet string become one.
fn append_to(outer: &mut Open, tag: u8, content: &[u8]) -> Result<(), NotBer> {
    if outer.tag == OCTET_STRING | CONSTRUCTED {
        if tag & !CONSTRUCTED != OCTET_STRING {
            return Err(NotBer);
        }
        extend(&mut outer.content, content);
        return Ok(());
    }
    append(&mut outer.content, tag, content)
}

fn append(to: &mut Zeroizing<Vec<u8>>, tag: u8, content: &[u8]) -> Result<(), NotBer> {
    let tag = if tag == OCTET_STRING | CONSTRUCTED { OCTET_STRING } else { tag };
    let [a, b, c, d] = u32::try_from(content.len()).map_err(|_| NotBer)?.to_be_bytes();
    let header: &[u8] = match content.len() {
        0..=0x7f => &[tag, d],
        0x80..=0xff => &[tag, 0x81, d],
        0x100..=0xffff => &[tag, 0x82, c, d],
        0x1_0000..=0xff_ffff => &[tag, 0x83, b, c, d],
        _ => &[tag, 0x84, a, b, c, d],
    };
    extend(to, header);
    extend(to, content);
    Ok(())
}

/// Grows without leaving the old buffer behind.
fn extend(to: &mut Zeroizing<Vec<u8>>, bytes: &[u8]) {
    if to.capacity() - to.len() < bytes.len() {
        let mut larger = Vec::with_capacity((to.len() + bytes.len()) * 2);
        larger.extend_from_slice(to);
        to.zeroize();
        **to = larger;
    }
    to.extend_from_slice(bytes);
}

/// Tag, length (`None`: indefinite) and where the content starts.
fn header(input: &[u8], position: usize) -> Result<(u8, Option<usize>, usize), NotBer> {
    let rest = input.get(position..).ok_or(NotBer)?;
    let [tag, first, rest @ ..] = rest else { return Err(NotBer) };
    // Tags above 30 take more bytes; nothing that is read here has one.
    if tag & 0x1f == 0x1f {
        return Err(NotBer);
    }
    let start = position + 2;
    match first {
        0..=0x7f => Ok((*tag, Some(usize::from(*first)), start)),
        0x80 if tag & CONSTRUCTED != 0 => Ok((*tag, None, start)),
        0x81..=0x88 => {
            let count = usize::from(first & 0x7f);
            let bytes = rest.get(..count).ok_or(NotBer)?;
            let len = bytes
                .iter()
                .try_fold(0_usize, |len, byte| len.checked_mul(256).map(|len| len | usize::from(*byte)));
            Ok((*tag, Some(len.ok_or(NotBer)?), start + count))
        }
        _ => Err(NotBer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &[u8], expected: Result<&[u8], NotBer>) {
        let found = to_der(input);
        assert_eq!(
            found.as_ref().map(|der| der.as_slice()),
            expected.as_ref().map(|der| *der),
            "{input:02x?}"
        );
    }

    #[test]
    fn der_stays_as_it_is() {
        check(&[0x30, 0x03, 0x02, 0x01, 0x05], Ok(&[0x30, 0x03, 0x02, 0x01, 0x05]));
        check(&[0x30, 0x00], Ok(&[0x30, 0x00]));
        check(&[0x05, 0x00, 0xff], Ok(&[0x05, 0x00]));
    }

    #[test]
    fn indefinite_lengths_become_definite() {
        check(
            &[0x30, 0x80, 0x30, 0x80, 0x02, 0x01, 0x05, 0, 0, 0, 0],
            Ok(&[0x30, 0x05, 0x30, 0x03, 0x02, 0x01, 0x05]),
        );
    }

    #[test]
    fn pieces_of_an_octet_string_become_one() {
        let nested = [0x24, 0x80, 0x04, 0x01, 0x61, 0x24, 0x03, 0x04, 0x01, 0x62, 0, 0];
        check(&nested, Ok(&[0x04, 0x02, 0x61, 0x62]));
        check(&[0x24, 0x03, 0x02, 0x01, 0x05], Err(NotBer));
    }

    #[test]
    fn long_forms_become_short() {
        check(&[0x04, 0x83, 0, 0, 1, 0x61], Ok(&[0x04, 0x01, 0x61]));
        let long = [&[0x24, 0x80, 0x04, 0x81, 0x80][..], &[7; 128], &[0x04, 0x81, 0x80], &[8; 128], &[0, 0]]
            .concat();
        let der = to_der(&long).unwrap();
        assert_eq!(der[..4], [0x04, 0x82, 0x01, 0x00]);
        assert_eq!(der.len(), 260);
    }

    #[test]
    fn what_is_cut_or_too_deep_is_refused() {
        for input in [
            &[][..],
            &[0x30],
            &[0x30, 0x80],
            &[0x30, 0x05, 0x02, 0x01],
            &[0x04, 0x80, 0, 0],
            &[0x1f, 0x81, 0x01],
        ] {
            check(input, Err(NotBer));
        }
        check(&[0x30, 0x03, 0x04, 0x02, 0x61], Err(NotBer));
        check(&[0x30, 0x88, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], Err(NotBer));
        check(&[0x30, 0x80].repeat(100_000), Err(NotBer));
    }

    #[test]
    fn every_prefix_and_every_flipped_byte_ends() {
        let input = [0x30, 0x80, 0x24, 0x80, 0x04, 0x01, 0x61, 0, 0, 0x02, 0x01, 0x05, 0, 0];
        for len in 0..input.len() {
            let _ = to_der(&input[..len]);
        }
        for (index, value) in (0..input.len()).flat_map(|index| (0..=255).map(move |value| (index, value))) {
            let mut changed = input;
            changed[index] = value;
            let _ = to_der(&changed);
        }
    }
}
