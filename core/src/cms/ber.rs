//! BER (X.690, clause 8) to definite lengths: indefinite lengths, long forms and OCTET STRINGs
//! in pieces, as older software writes CMS. What is DER already comes out as it went in.
//!
//! One pass reads a flat list of elements, one adds up lengths from the last to the first,
//! one writes: time is linear and nothing recurs.

use crate::cms::error::CmsError;

/// Elements that are read at most: a revocation list of 30 000 entries has two fifths of it.
const MAXIMUM_ELEMENTS: usize = 1 << 19;
/// Nesting that is read at most.
const MAXIMUM_DEPTH: usize = 64;
const CONSTRUCTED: u8 = 0x20;
const OCTET_STRING: u8 = 0x04;

/// An element of the input. Its parent stands before it in the list.
struct Node {
    tag: u8,
    parent: Option<usize>,
    /// Where the content of a primitive element lies.
    start: usize,
    /// The length of the content as it will be written.
    length: usize,
    /// Whether this is a piece of an OCTET STRING: written without a header.
    piece: bool,
}

/// An element whose end is not reached yet.
struct Open {
    node: usize,
    /// `None` for an indefinite length.
    end: Option<usize>,
}

/// The first element of `input` with definite, minimal lengths, and the number of bytes of
/// `input` that it took.
pub(super) fn to_der(input: &[u8]) -> Result<(Vec<u8>, usize), CmsError> {
    let (mut nodes, consumed) = read(input)?;
    add_lengths(&mut nodes)?;
    Ok((write(input, &nodes), consumed))
}

const fn malformed() -> CmsError {
    CmsError::Malformed { part: "BER encoding" }
}

fn read(input: &[u8]) -> Result<(Vec<Node>, usize), CmsError> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut position = 0;
    loop {
        while open.last().is_some_and(|innermost| innermost.end == Some(position)) {
            open.pop();
        }
        if open.last().is_some_and(|innermost| innermost.end.is_none())
            && input.get(position..).is_some_and(|rest| rest.starts_with(&[0, 0]))
        {
            position += 2;
            open.pop();
            if open.is_empty() {
                return Ok((nodes, position));
            }
            continue;
        }
        if open.is_empty() && !nodes.is_empty() {
            return Ok((nodes, position));
        }
        if nodes.len() == MAXIMUM_ELEMENTS {
            return Err(CmsError::LimitExceeded { part: "BER elements", limit: MAXIMUM_ELEMENTS });
        }
        let (tag, start, length) = header(input, position).ok_or_else(malformed)?;
        let end = match length {
            Some(length) => {
                // An inner element may not end after the one around it.
                let end = start.checked_add(length).ok_or_else(malformed)?;
                let around = open.iter().rev().find_map(|outer| outer.end).unwrap_or(input.len());
                if end > around {
                    return Err(malformed());
                }
                Some(end)
            }
            None if tag & CONSTRUCTED != 0 => None,
            None => return Err(malformed()),
        };
        let parent = open.last().map(|around| around.node);
        let piece = parent
            .and_then(|parent| nodes.get(parent))
            .is_some_and(|parent| parent.tag == OCTET_STRING | CONSTRUCTED);
        if piece && tag & !CONSTRUCTED != OCTET_STRING {
            return Err(malformed());
        }
        let constructed = tag & CONSTRUCTED != 0;
        nodes.push(Node {
            tag,
            parent,
            start,
            length: if constructed { 0 } else { length.unwrap_or(0) },
            piece,
        });
        if constructed {
            if open.len() == MAXIMUM_DEPTH {
                return Err(CmsError::LimitExceeded { part: "BER nesting", limit: MAXIMUM_DEPTH });
            }
            open.push(Open { node: nodes.len() - 1, end });
            position = start;
        } else {
            position = end.ok_or_else(malformed)?;
        }
    }
}

/// Tag, where the content begins, and its length (`None`: indefinite).
fn header(input: &[u8], position: usize) -> Option<(u8, usize, Option<usize>)> {
    let (&tag, rest) = input.get(position..)?.split_first()?;
    if tag & 0x1f == 0x1f || tag == 0 {
        return None;
    }
    let (&first, rest) = rest.split_first()?;
    match first {
        0..=0x7f => Some((tag, position + 2, Some(usize::from(first)))),
        0x80 => Some((tag, position + 2, None)),
        0x81..=0xff => {
            let count = usize::from(first & 0x7f);
            let octets = rest.get(..count)?;
            let length = octets
                .iter()
                .try_fold(0_usize, |length, octet| Some(length.checked_mul(256)? + usize::from(*octet)))?;
            Some((tag, position + 2 + count, Some(length)))
        }
    }
}

fn add_lengths(nodes: &mut [Node]) -> Result<(), CmsError> {
    for index in (0..nodes.len()).rev() {
        let Some(node) = nodes.get(index) else { continue };
        let Some(parent) = node.parent else { continue };
        let header_len = if node.piece { 0 } else { 1 + length_octets(node.length).len() };
        let total = node.length.checked_add(header_len).ok_or_else(malformed)?;
        let parent = nodes.get_mut(parent).ok_or_else(malformed)?;
        parent.length = parent.length.checked_add(total).ok_or_else(malformed)?;
    }
    Ok(())
}

fn write(input: &[u8], nodes: &[Node]) -> Vec<u8> {
    let mut output = Vec::with_capacity(input.len());
    for node in nodes {
        let string = node.tag == OCTET_STRING | CONSTRUCTED;
        if !node.piece {
            output.push(if string { OCTET_STRING } else { node.tag });
            output.extend_from_slice(&length_octets(node.length));
        }
        if node.tag & CONSTRUCTED == 0 {
            output.extend_from_slice(input.get(node.start..node.start + node.length).unwrap_or_default());
        }
    }
    output
}

/// The length octets of X.690, 10.1.
fn length_octets(length: usize) -> Vec<u8> {
    match u8::try_from(length) {
        Ok(short @ ..=0x7f) => vec![short],
        Ok(_) | Err(_) => {
            let all = length.to_be_bytes();
            let significant: Vec<u8> = all.into_iter().skip_while(|octet| *octet == 0).collect();
            let count = u8::try_from(significant.len()).unwrap_or(0);
            let mut octets = vec![0x80 | count];
            octets.extend(significant);
            octets
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_becomes_definite_and_minimal() {
        for (ber, der) in [
            (&[0x30, 0x80, 0x02, 0x01, 0x07, 0x00, 0x00][..], &[0x30, 0x03, 0x02, 0x01, 0x07][..]),
            (&[0x30, 0x83, 0x00, 0x00, 0x03, 0x02, 0x01, 0x07], &[0x30, 0x03, 0x02, 0x01, 0x07]),
            (
                &[0x24, 0x80, 0x04, 0x02, 0xaa, 0xbb, 0x24, 0x03, 0x04, 0x01, 0xcc, 0x00, 0x00],
                &[0x04, 0x03, 0xaa, 0xbb, 0xcc],
            ),
            (
                &[0x30, 0x80, 0xa0, 0x80, 0x30, 0x00, 0x00, 0x00, 0x00, 0x00],
                &[0x30, 0x04, 0xa0, 0x02, 0x30, 0x00],
            ),
            (&[0x04, 0x01, 0x55, 0x00, 0x00], &[0x04, 0x01, 0x55]),
        ] {
            assert_eq!(to_der(ber).unwrap().0, der, "{ber:02x?}");
        }
    }

    #[test]
    fn what_never_ends_or_overruns_is_refused() {
        for ber in [
            &[][..],
            &[0x30, 0x80],
            &[0x30, 0x80, 0x02, 0x01, 0x07, 0x00],
            &[0x30, 0x03, 0x04, 0x05, 0x00, 0x00, 0x00, 0x00],
            &[0x04, 0x80, 0x00, 0x00],
            &[0x24, 0x03, 0x02, 0x01, 0x07],
            &[0x30, 0x89, 1, 1, 1, 1, 1, 1, 1, 1, 1],
        ] {
            assert!(to_der(ber).is_err(), "{ber:02x?}");
        }
        assert!(matches!(to_der(&[0x30, 0x80].repeat(70)), Err(CmsError::LimitExceeded { .. })));
    }
}
