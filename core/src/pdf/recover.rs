//! Damaged files: objects found by one bounded pass over the bytes instead of the cross-reference.

use crate::pdf::crypt::Crypt;
use crate::pdf::error::PdfError;
use crate::pdf::lexer::{is_regular, is_space};
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::object_stream::ObjectStream;
use crate::pdf::places::{Place, Places};
use crate::pdf::reader::{Placed, Reader};
use crate::pdf::source::Source;
use crate::pdf::xref::{Location, is_xref_stream, table};

/// How much is scanned at a time.
const WINDOW: usize = 256 << 10;
/// What a number, a generation and their keyword may take before the place where they are noticed.
const OVERLAP: usize = 64;
/// How many bytes are judged at once.
const BLOCK: usize = 32;
/// Objects that are kept.
const OBJECTS: usize = 1 << 19;
/// Trailers and ends of file that are kept.
const MARKS: usize = 1 << 16;

/// What a scan found.
#[derive(Debug, Default)]
pub(crate) struct Salvage {
    /// The newest place of each object.
    pub(crate) objects: Places,
    /// The entries of all trailers, newer ones first.
    pub(crate) trailer: Dictionary,
    /// Places right after `%%EOF`.
    pub(crate) ends: Vec<u64>,
}

/// What the pass over the bytes notices, in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    pub(crate) objects: Vec<(Reference, u64)>,
    /// Objects whose dictionaries mention a type that matters here.
    special: Vec<(Reference, u64, Special)>,
    pub(crate) trailers: Vec<u64>,
    ends: Vec<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Special {
    Catalog,
    ObjectStream,
    XrefStream,
}

/// Scans the whole file. Without the key of an encrypted one its object streams stay closed.
pub(crate) fn scan<S: Source>(reader: &Reader<S>, crypt: Option<&Crypt>) -> Result<Salvage, PdfError> {
    let marks = notice(reader)?;
    let mut salvage = Salvage { ends: marks.ends, ..Salvage::default() };
    let mut found = Vec::with_capacity(marks.objects.len());
    let mut streams =
        marks.special.iter().filter(|(_, _, special)| *special == Special::ObjectStream).peekable();
    for &(reference, offset) in &marks.objects {
        found.push(Place::new(reference.number, reference.generation, Location::At(offset)));
        while let Some(&&(stream, at, _)) = streams.peek().filter(|(_, at, _)| *at <= offset) {
            streams.next();
            if at == offset {
                open_stream(reader, crypt, &mut found, stream, at)?;
            }
        }
    }
    drop(marks.objects);
    salvage.objects = Places::last_of(found);
    let mut trailers = Vec::new();
    for &at in &marks.trailers {
        // One that cannot be read says nothing.
        match table::trailer(reader, at) {
            Ok((trailer, _)) => trailers.push((at, trailer)),
            Err(error) if error.is_damage() => {}
            Err(error) => return Err(error),
        }
    }
    let mut catalog = None;
    for &(_, at, special) in &marks.special {
        let Some(placed) = readable(reader.indirect_at(at))? else { continue };
        let stream = is_xref_stream(&placed);
        let Object::Dictionary(dictionary) = placed.object else { continue };
        match special {
            Special::XrefStream if stream => trailers.push((at, dictionary)),
            Special::Catalog if is_catalog(&dictionary) => catalog = Some(placed.reference),
            Special::XrefStream | Special::Catalog | Special::ObjectStream => {}
        }
    }
    trailers.sort_by_key(|(at, _)| *at);
    for key in ["Root", "Info", "ID", "Encrypt", "Size"] {
        let found = trailers.iter().rev().find_map(|(_, trailer)| trailer.get(key));
        if let Some(value) = found {
            salvage.trailer.set(key, value.clone());
        }
    }
    if let Some(root) = catalog
        && !salvage.root_is_known(reader)?
    {
        salvage.trailer.set("Root", Object::Reference(root));
    }
    Ok(salvage)
}

impl Salvage {
    pub(crate) fn locate(&self, number: u32) -> Option<Location> {
        self.objects.get(number)
    }

    /// Whether the trailers' root is there; one in an object stream is taken at its word.
    fn root_is_known<S: Source>(&self, reader: &Reader<S>) -> Result<bool, PdfError> {
        let root = self.trailer.get("Root").and_then(Object::as_reference);
        Ok(match root.and_then(|root| self.locate(root.number)) {
            Some(Location::At(offset)) => {
                let placed = readable(reader.indirect_at(offset))?;
                placed.is_some_and(|placed| placed.object.as_dictionary().is_some_and(is_catalog))
            }
            Some(Location::Within { .. }) => true,
            Some(Location::Free) | None => false,
        })
    }
}

fn is_catalog(dictionary: &Dictionary) -> bool {
    dictionary.get("Type").and_then(Object::as_name) == Some(b"Catalog") || dictionary.get("Pages").is_some()
}

/// `None` for what is too damaged to be read.
fn readable(found: Result<Placed, PdfError>) -> Result<Option<Placed>, PdfError> {
    match found {
        Ok(placed) => Ok(Some(placed)),
        Err(error) if error.is_damage() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Adds the objects of an object stream.
fn open_stream<S: Source>(
    reader: &Reader<S>,
    crypt: Option<&Crypt>,
    found: &mut Vec<Place>,
    reference: Reference,
    at: u64,
) -> Result<(), PdfError> {
    let Some(placed) = readable(reader.indirect_at(at))? else { return Ok(()) };
    let stream = match ObjectStream::read(reader, &placed, crypt, |object| Ok(object.clone())) {
        Ok(stream) => stream,
        Err(error) if error.is_damage() || matches!(error, PdfError::Unsupported { .. }) => return Ok(()),
        Err(error) => return Err(error),
    };
    for (index, number) in stream.numbers().enumerate() {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        if found.len() >= OBJECTS {
            return Err(PdfError::Limit { what: "the number of objects" });
        }
        found.push(Place::new(number, 0, Location::Within { stream: reference.number, index }));
    }
    Ok(())
}

/// The pass over the bytes: every window overlaps the one before it, and what stands in the
/// overlap is noticed in the later one.
pub(crate) fn notice<S: Source>(reader: &Reader<S>) -> Result<Marks, PdfError> {
    let mut marks = Marks::default();
    let mut offset = 0u64;
    loop {
        let bytes = reader.window(offset, WINDOW)?;
        let last = bytes.len() < WINDOW;
        // A place is decided only when enough of what follows it is in the window.
        let until = if last { bytes.len() } else { bytes.len().saturating_sub(OVERLAP) };
        let from = if offset == 0 { 0 } else { OVERLAP };
        for block in (from..until).step_by(BLOCK) {
            if !promising(&bytes, block) {
                continue;
            }
            for at in block..until.min(block + BLOCK) {
                look(&bytes, at, offset, reader.limits().objects, &mut marks)?;
            }
        }
        if last {
            return Ok(marks);
        }
        // The next window decides from the first place that this one did not.
        offset += until.saturating_sub(OVERLAP) as u64;
    }
}

/// Whether one of the words that are looked for may begin in the block at `at`: judged by two
/// letters, without a branch for each byte.
fn promising(bytes: &[u8], at: usize) -> bool {
    let Some((firsts, _)) = bytes.get(at..).and_then(<[u8]>::split_first_chunk::<BLOCK>) else { return true };
    let Some((seconds, _)) = bytes.get(at + 1..).and_then(<[u8]>::split_first_chunk::<BLOCK>) else {
        return true;
    };
    firsts.iter().zip(seconds).fold(false, |found, (&first, &second)| {
        let slash = (first == b'/') & ((second == b'O') | (second == b'X') | (second == b'C'));
        let keyword = ((first == b'o') & (second == b'b')) | ((first == b't') & (second == b'r'));
        found | slash | keyword | ((first == b'%') & (second == b'%'))
    })
}

fn look(bytes: &[u8], at: usize, offset: u64, highest: u32, marks: &mut Marks) -> Result<(), PdfError> {
    let rest = bytes.get(at..).unwrap_or_default();
    let ends_word = |len: usize| rest.get(len).is_none_or(|&byte| !is_regular(byte));
    if rest.starts_with(b"obj") {
        // Digits may follow at once: `1 0 obj42`.
        if let Some((reference, start)) =
            header_before(bytes, at).filter(|(reference, _)| reference.number <= highest)
        {
            if marks.objects.len() >= OBJECTS {
                return Err(PdfError::Limit { what: "the number of objects" });
            }
            marks.objects.push((reference, offset + start as u64));
        }
    } else if rest.starts_with(b"trailer") && marks.trailers.len() < MARKS {
        marks.trailers.push(offset + at as u64);
    } else if rest.starts_with(b"%%EOF") && marks.ends.len() < MARKS {
        let after = rest.get(5..).unwrap_or_default();
        let end = offset + at as u64 + 5;
        marks.ends.push(end);
        match after {
            [b'\r', b'\n', ..] => marks.ends.extend([end + 1, end + 2]),
            [b'\r' | b'\n', ..] => marks.ends.push(end + 1),
            _ => {}
        }
    } else if let Some((reference, start)) = marks.objects.last().copied() {
        let special = if rest.starts_with(b"/ObjStm") && ends_word(7) {
            Special::ObjectStream
        } else if rest.starts_with(b"/XRef") && ends_word(5) {
            Special::XrefStream
        } else if rest.starts_with(b"/Catalog") && ends_word(8) {
            Special::Catalog
        } else {
            return Ok(());
        };
        let entry = (reference, start, special);
        if marks.special.last() != Some(&entry) && marks.special.len() < MARKS {
            marks.special.push(entry);
        }
    }
    Ok(())
}

/// The object number and generation before the keyword at `at`, and where they begin.
pub(crate) fn header_before(bytes: &[u8], at: usize) -> Option<(Reference, usize)> {
    let back = |end: usize, test: fn(u8) -> bool| {
        let text = bytes.get(..end).unwrap_or_default();
        end - text.iter().rev().take(OVERLAP / 3).take_while(|&&byte| test(byte)).count()
    };
    let digit = |byte: u8| byte.is_ascii_digit();
    let generation_end = back(at, is_space);
    let generation_start = back(generation_end, digit);
    let number_end = back(generation_start, is_space);
    let number_start = back(number_end, digit);
    if number_start == number_end || number_end == generation_start || generation_start == generation_end {
        return None;
    }
    let parse = |from: usize, to: usize| std::str::from_utf8(bytes.get(from..to)?).ok();
    let number = parse(number_start, number_end)?.parse().ok().filter(|&number| number > 0)?;
    let generation = parse(generation_start, generation_end)?.parse().ok()?;
    Some((Reference { number, generation }, number_start))
}
