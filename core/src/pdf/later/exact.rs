//! Appended revisions, read to the letter: objects one after the other, a section that leads
//! exactly to each of them, and the end-of-file mark. Of anything else one reader mends what
//! another reads otherwise, or both look for objects by themselves.

mod section;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::pdf::document::Document;
use crate::pdf::filter;
use crate::pdf::later::{Effort, Stop};
use crate::pdf::lexer::{Lexer, Token, is_regular, is_space};
use crate::pdf::limits::Limits;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::parser::{self, Reading};
use crate::pdf::reader::{Placed, Reader, syntax};
use crate::pdf::source::Source;
use crate::pdf::xref::{Entry, Location, Section, is_xref_stream};

/// Nesting of appended objects: some readers give up on what is deeper than some dozens.
const DEPTH: usize = 24;
/// White space that is skipped at a time.
const BLANKS: usize = 4 << 10;

/// The entries of one section by object number.
type Entries = BTreeMap<u32, Entry>;

/// A place in the appended bytes, which moves on from object to object.
struct Walk<'a, N: Source> {
    new: &'a Document<N>,
    /// With budgets of its own.
    reader: Reader<&'a N>,
    at: u64,
}

/// Refuses a revision after `end` whose bytes are not just what its section says.
pub(super) fn revisions<O: Source, N: Source>(
    old: &Document<O>,
    new: &Document<N>,
    sections: &[Section],
    end: u64,
    effort: &mut Effort,
) -> Result<(), Stop> {
    let mut walk = Walk { new, reader: Reader::new(new.source(), *new.limits()), at: end };
    section::one_mark_for_each(&walk.reader, sections, end)?;
    let mut known = Entries::new();
    let mut previous = None;
    for section in sections.iter().rev() {
        section::continues(old, new, section, previous)?;
        let entries = section::entries(&walk.reader, new, section)?;
        effort.spend(entries.len() as u64)?;
        let objects = walk.objects(section, &entries, effort)?;
        for (&number, entry) in &entries {
            let before = match known.get(&number) {
                Some(entry) => Some(*entry),
                None => old.xref().entry(old.reader(), number)?,
            };
            leads_to_one(number, entry, before, &objects)?;
        }
        known.extend(entries);
        walk.at = section::mark(&walk.reader, section, walk.at)?;
        previous = Some(section);
    }
    if walk.blank()? == new.len() {
        Ok(())
    } else {
        Err(Stop::Other("bytes were added that are no revision"))
    }
}

/// What stands in one revision, by number: where it is.
type Objects = BTreeMap<u32, BTreeSet<Place>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    At(u64),
    Within(u32, u32),
}

/// Refuses a row that leads neither to an object of its own revision nor where it led `before`.
fn leads_to_one(number: u32, entry: &Entry, before: Option<Entry>, objects: &Objects) -> Result<(), Stop> {
    let own = |place: Place| objects.get(&number).is_some_and(|places| places.contains(&place));
    let same = before == Some(*entry);
    let (exact, present) = match entry.location {
        Location::At(place) => (same || own(Place::At(place)), true),
        Location::Within { stream, index } => (same || own(Place::Within(stream, index)), true),
        Location::Free => (before.is_none_or(|before| before.location == Location::Free), false),
    };
    let kept = before.is_none_or(|before| {
        before.location == Location::Free || !present || before.generation == entry.generation
    });
    if exact && kept && (number != 0 || !present) {
        Ok(())
    } else {
        Err(Stop::Other("a cross-reference was added that does not lead exactly to its objects"))
    }
}

const fn unlisted() -> Stop {
    Stop::Other("an object was added that the cross-reference does not list")
}

const fn inexact() -> Stop {
    Stop::Other("an object was added that is not written as it must be")
}

impl<N: Source> Walk<'_, N> {
    /// The objects up to the section; goes on after the section itself.
    fn objects(
        &mut self,
        section: &Section,
        entries: &Entries,
        effort: &mut Effort,
    ) -> Result<Objects, Stop> {
        let mut objects = Objects::new();
        let mut insert = |number: u32, place: Place| objects.entry(number).or_default().insert(place);
        loop {
            let at = self.blank()?;
            let before = self.reader.window(at.saturating_sub(1), 1)?;
            if at > section.start || !before.iter().copied().all(is_space) {
                return Err(inexact());
            }
            if at == section.start && section.own.is_none() {
                self.at = section.end;
                return Ok(objects);
            }
            effort.spend(1)?;
            let placed = self.object()?;
            let Reference { number, generation } = placed.reference;
            let own = Entry { location: Location::At(at), generation: u32::from(generation) };
            let listed = entries.get(&number);
            if at == section.start {
                if listed.is_some_and(|listed| *listed != own) {
                    return Err(unlisted());
                }
                insert(number, Place::At(at));
                self.decoded(&placed)?;
                return Ok(objects);
            }
            if listed != Some(&own) || self.at > section.start {
                return Err(unlisted());
            }
            insert(number, Place::At(at));
            let kind = placed.object.as_dictionary().and_then(|dictionary| dictionary.get("Type"));
            if placed.data.is_some() && kind.and_then(Object::as_name) == Some(b"ObjStm") {
                for (index, held) in (0..).zip(self.held(&placed)?) {
                    let within = Location::Within { stream: number, index };
                    if entries.get(&held).map(|entry| entry.location) != Some(within) {
                        return Err(unlisted());
                    }
                    insert(held, Place::Within(number, index));
                }
            }
        }
    }

    /// The next place that is no white space.
    fn blank(&mut self) -> Result<u64, Stop> {
        loop {
            let bytes = self.reader.window(self.at, BLANKS)?;
            let blank = bytes.iter().take_while(|&&byte| is_space(byte)).count();
            self.at = self.at.saturating_add(blank as u64);
            if blank < BLANKS {
                return Ok(self.at);
            }
        }
    }

    /// The object here, whose keywords all stand where they must; goes on after it.
    fn object(&mut self) -> Result<Placed, Stop> {
        let start = self.at;
        if !self.reader.window(start, 1)?.iter().all(u8::is_ascii_digit) {
            return Err(Stop::Other("bytes were added that are no object"));
        }
        let limits = self.limits();
        let found = self
            .reader
            .parse_at(start, |lexer| parser::indirect_as(lexer, &limits, Reading::Exact))
            .map_err(|error| if error.is_damage() { inexact() } else { Stop::Failed(error) })?;
        let place = |at: usize| start.saturating_add(at as u64);
        let placed = Placed {
            reference: found.reference,
            object: found.object,
            data: found.stream.map(place),
            range: start..place(found.end),
        };
        self.at = placed.range.end;
        if let (Some(dictionary), Some(data)) = (placed.object.as_dictionary(), placed.data) {
            let end = data.checked_add(self.length(dictionary)?).ok_or(inexact())?;
            let tail = self.reader.window(end, 2)?;
            let newline = match tail.as_slice() {
                [b'\r', b'\n'] => 2,
                [b'\r' | b'\n', ..] => 1,
                _ => 0,
            };
            self.at = end.saturating_add(newline);
            self.keyword(b"endstream")?;
        }
        self.blank()?;
        self.keyword(b"endobj")?;
        Ok(placed)
    }

    fn limits(&self) -> Limits {
        Limits { depth: DEPTH, ..*self.new.limits() }
    }

    /// `/Length`, directly or behind a reference.
    fn length(&self, dictionary: &Dictionary) -> Result<u64, Stop> {
        let length = self.new.entry(dictionary, "Length")?.as_integer();
        length.and_then(|length| u64::try_from(length).ok()).ok_or(inexact())
    }

    fn keyword(&mut self, word: &[u8]) -> Result<(), Stop> {
        let bytes = self.reader.window(self.at, word.len() + 1)?;
        if !bytes.starts_with(word) || bytes.get(word.len()).copied().is_some_and(is_regular) {
            return Err(inexact());
        }
        self.at = self.at.saturating_add(word.len() as u64);
        Ok(())
    }

    /// The decoded data of a stream of objects or of a section, in which no reader finds fault.
    fn decoded(&self, placed: &Placed) -> Result<Vec<u8>, Stop> {
        let (Some(dictionary), Some(data)) = (placed.object.as_dictionary(), placed.data) else {
            return Err(inexact());
        };
        let length = self.length(dictionary)?;
        // Data in another file are not ours to read (table 5).
        if dictionary.contains("F") || length > self.new.limits().stream_bytes as u64 {
            return Err(inexact());
        }
        let mut raw = self.reader.stretch(data..data.saturating_add(length))?;
        if let Some(crypt) = self.new.crypt().filter(|_| !is_xref_stream(placed)) {
            let resolve = |object: &Object| self.new.resolve(object);
            raw = crypt.decrypt_stream(placed.reference, dictionary, raw, resolve)?;
        }
        let filter = match dictionary.get("Filter") {
            Some(Object::Array(filters)) if filters.len() == 1 => filters.first(),
            filter => filter,
        };
        match filter.map(Object::as_name) {
            None => {}
            Some(Some(b"FlateDecode")) if filter::is_whole(&raw) => {}
            Some(_) => return Err(inexact()),
        }
        Ok(self.reader.decode(dictionary, raw, |object| Ok(object.clone()))?)
    }

    /// The numbers of the objects in an object stream, each of which is whole and ends before the
    /// next one begins.
    fn held(&self, placed: &Placed) -> Result<Vec<u32>, Stop> {
        let data = self.decoded(placed)?;
        let dictionary = placed.object.as_dictionary().ok_or(inexact())?;
        let number = |key: &str| {
            let value = dictionary.get(key).and_then(Object::as_integer);
            value.and_then(|value| usize::try_from(value).ok()).ok_or(inexact())
        };
        let (count, first) = (number("N")?, number("First")?);
        let (head, body) = data.split_at_checked(first).ok_or(inexact())?;
        if dictionary.contains("Extends") || count > head.len() {
            return Err(inexact());
        }
        let mut lexer = Lexer::new(head, 0, true);
        let (mut numbers, mut starts) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let (Ok(Token::Integer(number)), Ok(Token::Integer(start))) = (lexer.token(), lexer.token())
            else {
                return Err(inexact());
            };
            numbers.push(u32::try_from(number).map_err(|_| inexact())?);
            starts.push(usize::try_from(start).map_err(|_| inexact())?);
        }
        if lexer.token() != Ok(Token::End) || numbers.iter().collect::<BTreeSet<_>>().len() != count {
            return Err(inexact());
        }
        let ends = starts.iter().skip(1).copied().chain([body.len()]);
        for (&start, end) in starts.iter().zip(ends) {
            let text = body.get(start..end).ok_or(inexact())?;
            let mut lexer = Lexer::new(text, 0, true);
            parser::object_as(&mut lexer, &self.limits(), Reading::Exact)
                .map_err(|error| syntax(error, placed.range.start))?;
            if lexer.token() != Ok(Token::End) {
                return Err(inexact());
            }
        }
        Ok(numbers)
    }
}
