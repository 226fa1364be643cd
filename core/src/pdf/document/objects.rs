//! Objects looked up: in the file, in object streams, and by the scan where the file is damaged.

use std::ops::Range;
use std::sync::Arc;

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::object_stream::ObjectStream;
use crate::pdf::reader::{Placed, position};
use crate::pdf::recover::header_before;
use crate::pdf::source::Source;
use crate::pdf::xref::Location;

/// Memory that decoded object streams may take while they are kept.
const CACHED_BYTES: usize = 8 << 20;
/// How far from its place an object is looked for.
const SLACK: u64 = 64;

/// What stands behind a reference.
enum Found {
    InFile(Placed),
    InStream(Object),
    Nothing,
}

impl<S: Source> Document<S> {
    /// The object behind `reference`; `null` if it is free or missing, its dictionary if it is a stream.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn object(&self, reference: Reference) -> Result<Object, PdfError> {
        Ok(match self.find(reference)? {
            Found::InFile(placed) => placed.object,
            Found::InStream(object) => object,
            Found::Nothing => Object::Null,
        })
    }

    /// As [`Document::object`], with the place where the data of a stream begin.
    pub(crate) fn object_and_data(&self, reference: Reference) -> Result<(Object, Option<u64>), PdfError> {
        Ok(match self.find(reference)? {
            Found::InFile(placed) => (placed.object, placed.data),
            Found::InStream(object) => (object, None),
            Found::Nothing => (Object::Null, None),
        })
    }

    /// The object that stands in the file under `number`, whatever its generation.
    pub(crate) fn placed_as(&self, number: u32) -> Result<Option<Placed>, PdfError> {
        match self.locate(number)? {
            Some(Location::At(offset)) => self.placed(number, offset),
            Some(Location::Within { .. } | Location::Free) | None => Ok(None),
        }
    }

    /// The dictionary at `reference`, unless it is a stream's.
    pub(crate) fn plain_dictionary(&self, reference: Reference) -> Result<Option<Dictionary>, PdfError> {
        Ok(match self.find(reference)? {
            Found::InFile(Placed { object: Object::Dictionary(dictionary), data: None, .. })
            | Found::InStream(Object::Dictionary(dictionary)) => Some(dictionary),
            Found::InFile(_) | Found::InStream(_) | Found::Nothing => None,
        })
    }

    /// Whether a stream stands at `reference` in which objects or their places may lie.
    pub(crate) fn holds_objects(&self, reference: Reference) -> Result<bool, PdfError> {
        let Found::InFile(Placed { object: Object::Dictionary(dictionary), data: Some(_), .. }) =
            self.find(reference)?
        else {
            return Ok(false);
        };
        let section = dictionary.get("Type").and_then(Object::as_name) == Some(b"XRef");
        Ok(section || (dictionary.contains("N") && dictionary.contains("First")))
    }

    /// The dictionary and the decoded bytes of a stream.
    ///
    /// # Errors
    /// [`PdfError::Unsupported`] for filters of images and encryption, [`PdfError::Damaged`] when
    /// it is no stream, otherwise as [`Document::open`].
    pub fn stream_data(&self, reference: Reference) -> Result<(Dictionary, Vec<u8>), PdfError> {
        let Found::InFile(Placed {
            reference,
            object: Object::Dictionary(dictionary),
            data: Some(start),
            ..
        }) = self.find(reference)?
        else {
            return Err(PdfError::broken("a stream is missing"));
        };
        let length = self.resolve(dictionary.get("Length").unwrap_or(&Object::Null))?.as_integer();
        let mut raw =
            self.reader().stream_bytes(start, length.and_then(|length| u64::try_from(length).ok()))?;
        if let Some(crypt) = self.crypt() {
            raw = crypt.decrypt_stream(reference, &dictionary, raw, |object| self.resolve(object))?;
        }
        let data = self.reader().decode(&dictionary, raw, |object| self.resolve(object))?;
        Ok((dictionary, data))
    }

    /// `object`, or what it refers to.
    ///
    /// # Errors
    /// As [`Document::open`]; [`PdfError::Damaged`] when references go in a circle.
    pub fn resolve(&self, object: &Object) -> Result<Object, PdfError> {
        let Some(mut reference) = object.as_reference() else { return Ok(object.clone()) };
        for _ in 0..self.limits().reference_hops {
            let found = self.object(reference)?;
            let Some(next) = found.as_reference() else { return Ok(found) };
            reference = next;
        }
        Err(PdfError::broken("references go in a circle"))
    }

    /// The value of `key`, references followed; `null` where it is absent.
    pub(crate) fn entry(&self, dictionary: &Dictionary, key: &str) -> Result<Object, PdfError> {
        self.resolve(dictionary.get(key).unwrap_or(&Object::Null))
    }

    /// The bytes of the file that hold an object which stands there itself, not in an object stream.
    pub(crate) fn extent(&self, reference: Reference) -> Result<Option<Range<u64>>, PdfError> {
        Ok(match self.find(reference)? {
            Found::InFile(placed) => Some(placed.range),
            Found::InStream(_) | Found::Nothing => None,
        })
    }

    fn find(&self, reference: Reference) -> Result<Found, PdfError> {
        self.reader().step()?;
        match self.locate(reference.number)? {
            Some(Location::At(offset)) => {
                let placed = self.placed(reference.number, offset)?;
                // An object of another generation is another object (7.3.10).
                let mut placed = placed.filter(|placed| placed.reference.generation == reference.generation);
                if let (Some(crypt), Some(placed)) = (self.crypt(), &mut placed) {
                    crypt.decrypt_object(placed);
                }
                Ok(placed.map_or(Found::Nothing, Found::InFile))
            }
            Some(Location::Within { stream, index }) if reference.generation == 0 => {
                let Some(stream) = self.object_stream(stream)? else { return Ok(Found::Nothing) };
                let object = stream.object(self.reader(), reference.number, index)?;
                Ok(object.map_or(Found::Nothing, Found::InStream))
            }
            Some(Location::Within { .. } | Location::Free) | None => Ok(Found::Nothing),
        }
    }

    /// Where the object `number` is.
    pub(crate) fn locate(&self, number: u32) -> Result<Option<Location>, PdfError> {
        if self.is_repaired() {
            return Ok(self.salvage()?.locate(number));
        }
        self.xref().locate(self.reader(), number)
    }

    /// The object `number`, which should stand at `offset`: there, close by, or where a scan finds it.
    fn placed(&self, number: u32, offset: u64) -> Result<Option<Placed>, PdfError> {
        let exact = match self.reader().indirect_at(offset) {
            Ok(placed) if placed.reference.number == number => return Ok(Some(placed)),
            // The syntax within the object is wrong: there is nothing better elsewhere.
            Err(error) if !error.is_damage() || self.header_at(number, offset)? => return Err(error),
            other => other,
        };
        if let Some(near) = self.find_near(number, offset)? {
            self.reader().displaced();
            return self.reader().indirect_at(near).map(Some);
        }
        match self.salvage()?.locate(number) {
            Some(Location::At(place)) if place != offset => self.reader().indirect_at(place).map(Some),
            Some(Location::At(_)) => exact.map(Some),
            // An entry without an object: readers take it as null.
            Some(Location::Within { .. } | Location::Free) | None => Ok(None),
        }
    }

    fn header_at(&self, number: u32, offset: u64) -> Result<bool, PdfError> {
        let bytes = self.reader().window(offset, 32)?;
        let found = position(&bytes, b"obj").and_then(|at| header_before(&bytes, at));
        Ok(found.is_some_and(|(reference, _)| reference.number == number))
    }

    fn find_near(&self, number: u32, offset: u64) -> Result<Option<u64>, PdfError> {
        let from = offset.saturating_sub(SLACK);
        let bytes = self.reader().window(from, 160)?;
        let mut best: Option<u64> = None;
        let mut at = 0;
        while let Some(found) = position(bytes.get(at..).unwrap_or_default(), b"obj") {
            let keyword = at + found;
            if let Some((reference, start)) = header_before(&bytes, keyword) {
                let place = from + start as u64;
                let nearer = best.is_none_or(|best| place.abs_diff(offset) < best.abs_diff(offset));
                if reference.number == number && nearer {
                    best = Some(place);
                }
            }
            at = keyword + 3;
        }
        Ok(best)
    }

    fn object_stream(&self, number: u32) -> Result<Option<Arc<ObjectStream>>, PdfError> {
        if let Some(stream) = self.streams.borrow().get(&number) {
            return Ok(Some(Arc::clone(stream)));
        }
        // An object stream stands in the file itself (7.5.7).
        let Some(placed) = self.placed_as(number)? else { return Ok(None) };
        let stream = ObjectStream::read(self.reader(), &placed, self.crypt(), |object| self.direct(object))?;
        let stream = Arc::new(stream);
        let mut streams = self.streams.borrow_mut();
        let weight: usize = streams.values().map(|stream| stream.weight()).sum();
        if weight.saturating_add(stream.weight()) > CACHED_BYTES {
            streams.clear();
        }
        streams.insert(number, Arc::clone(&stream));
        Ok(Some(stream))
    }

    /// `object`, or what it refers to without an object stream in between, so that reading one
    /// never needs another.
    fn direct(&self, object: &Object) -> Result<Object, PdfError> {
        let Some(reference) = object.as_reference() else { return Ok(object.clone()) };
        let Some(Location::At(offset)) = self.locate(reference.number)? else { return Ok(Object::Null) };
        let placed = self.placed(reference.number, offset)?;
        // Another reference would be one hop too many for a length or a filter.
        Ok(placed
            .map(|placed| placed.object)
            .filter(|object| object.as_reference().is_none())
            .unwrap_or(Object::Null))
    }
}
