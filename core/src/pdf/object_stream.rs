//! Object streams (ISO 32000-2, 7.5.7): decoded once, their objects parsed when asked for.

use crate::pdf::crypt::Crypt;
use crate::pdf::error::PdfError;
use crate::pdf::lexer::{Lexer, Token};
use crate::pdf::object::Object;
use crate::pdf::parser;
use crate::pdf::reader::{Placed, Reader, syntax};
use crate::pdf::source::Source;

/// Objects in one stream; more are not looked at.
const OBJECTS: usize = 1 << 20;

/// A decoded object stream.
#[derive(Debug)]
pub(crate) struct ObjectStream {
    data: Vec<u8>,
    /// Object numbers and where their objects begin in `data`.
    index: Vec<(u32, u32)>,
    /// Places in `index` in the order of the numbers, and of the places where these repeat.
    sorted: Vec<u32>,
}

impl ObjectStream {
    /// Decrypts and decodes the stream `placed`; `resolve` follows references in its dictionary.
    pub(crate) fn read<S: Source>(
        reader: &Reader<S>,
        placed: &Placed,
        crypt: Option<&Crypt>,
        resolve: impl Fn(&Object) -> Result<Object, PdfError>,
    ) -> Result<Self, PdfError> {
        let broken = PdfError::damaged("an object stream is none", placed.range.start);
        let (Some(dictionary), Some(start)) = (placed.object.as_dictionary(), placed.data) else {
            return Err(broken);
        };
        let number = |key: &str| -> Result<Option<usize>, PdfError> {
            let value = resolve(dictionary.get(key).unwrap_or(&Object::Null))?;
            Ok(value.as_integer().and_then(|value| usize::try_from(value).ok()))
        };
        let (Some(count), Some(first)) = (number("N")?, number("First")?) else { return Err(broken) };
        let mut raw = reader.stream_bytes(start, number("Length")?.map(|length| length as u64))?;
        if let Some(crypt) = crypt {
            raw = crypt.decrypt_stream(placed.reference, dictionary, raw, &resolve)?;
        }
        let data = reader.decode(dictionary, raw, resolve)?;
        // No more than fit: a number takes a digit and a space at least.
        let mut index = Vec::with_capacity(count.min(OBJECTS).min(data.len() / 4 + 1));
        let mut lexer = Lexer::new(data.get(..first).unwrap_or(&data), 0, true);
        while index.len() < count.min(OBJECTS) {
            let (Ok(Token::Integer(number)), Ok(Token::Integer(offset))) = (lexer.token(), lexer.token())
            else {
                break;
            };
            let (Ok(number), Ok(offset)) = (u32::try_from(number), usize::try_from(offset)) else { break };
            // Past the end of every stream is past the end.
            index.push((number, u32::try_from(first.saturating_add(offset)).unwrap_or(u32::MAX)));
        }
        let mut sorted: Vec<u32> = (0..).take(index.len()).collect();
        sorted.sort_unstable_by_key(|&place| (number_at(&index, place), place));
        Ok(Self { data, index, sorted })
    }

    /// The numbers of its objects, in their order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.index.iter().map(|(number, _)| *number)
    }

    /// The object `number`, which should stand at place `index`.
    pub(crate) fn object<S: Source>(
        &self,
        reader: &Reader<S>,
        number: u32,
        index: u32,
    ) -> Result<Option<Object>, PdfError> {
        let promised = usize::try_from(index).ok().and_then(|index| self.index.get(index));
        let entry = promised.filter(|(own, _)| *own == number);
        let entry = entry.or_else(|| {
            // Of repeated numbers the last one counts.
            let after = self.sorted.partition_point(|&place| number_at(&self.index, place) <= Some(number));
            let place = usize::try_from(*self.sorted.get(after.checked_sub(1)?)?).ok()?;
            self.index.get(place).filter(|(own, _)| *own == number)
        });
        let Some(&(_, start)) = entry else { return Ok(None) };
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let mut lexer = Lexer::new(&self.data, start.min(self.data.len()), true);
        let object = parser::object(&mut lexer, reader.limits()).map_err(|error| syntax(error, 0))?;
        reader.charge(lexer.at().saturating_sub(start))?;
        reader.refers(&object);
        Ok(Some(object))
    }

    /// The memory it takes.
    pub(crate) fn weight(&self) -> usize {
        self.data.len() + self.index.len() * (size_of::<(u32, u32)>() + size_of::<u32>())
    }
}

fn number_at(index: &[(u32, u32)], place: u32) -> Option<u32> {
    index.get(usize::try_from(place).ok()?).map(|(number, _)| *number)
}
