//! Encrypted documents (ISO 32000-2, 7.6): the standard security handler, read and written.
//!
//! Strings and streams are decrypted where objects are looked up, and encrypted where an update
//! is written; the rest of the reader sees plain values. Recipients' certificates (7.6.5) are
//! refused.

mod access_permission;
mod cipher;
mod dictionary;
mod password;
mod standard;
#[cfg(test)]
mod tests;
mod vector;

use std::sync::Arc;

use md5::{Digest as _, Md5};
use zeroize::Zeroizing;

use crate::pdf::crypt::cipher::AesKey;
use crate::pdf::crypt::dictionary::{EncryptionDictionary, Method, Verifier};
use crate::pdf::crypt::standard::{FileKey, Holder};
use crate::pdf::crypt::vector::Vectors;
use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::reader::Placed;
use crate::pdf::source::Source;
use crate::pdf::update::Body;
use crate::pdf::xref::is_xref_stream;

pub use access_permission::Act;
pub use password::Password;

/// How a document is opened, if it is encrypted.
pub(crate) enum Access<'a> {
    /// With a password; without one the empty password is tried.
    Password(Option<&'a Password>),
    /// As another state of the same document was, encrypted in the same way or not at all.
    Same(Option<&'a Arc<Crypt>>),
}

/// The key of an open document, and what it is for. The key is overwritten with zeros when dropped.
pub(crate) struct Crypt {
    /// Where the encryption dictionary stands; its strings are in clear.
    place: Option<Reference>,
    dictionary: EncryptionDictionary,
    /// The first string of `/ID`, which revisions before 5 need to derive the key.
    identifier: Vec<u8>,
    key: FileKey,
    holder: Holder,
}

impl Crypt {
    /// Opens `document`, whose trailer has this value of `/Encrypt`; nothing of it was decrypted yet.
    pub(crate) fn open<S: Source>(
        document: &Document<S>,
        encrypt: &Object,
        access: &Access<'_>,
    ) -> Result<Arc<Self>, PdfError> {
        let place = encrypt.as_reference();
        let found = match place {
            Some(place) => document.plain_dictionary(place)?,
            None => encrypt.as_dictionary().cloned(),
        };
        let found = found.ok_or(PdfError::broken("the encryption dictionary is missing"))?;
        let identifier = first_identifier(document);
        let dictionary = EncryptionDictionary::read(document, &found, identifier.clone())?;
        let password = match access {
            Access::Password(password) => *password,
            Access::Same(Some(crypt)) if crypt.place == place && crypt.dictionary == dictionary => {
                return Ok(Arc::clone(crypt));
            }
            Access::Same(_) => {
                return Err(PdfError::Ambiguous { what: "its revisions are not encrypted in the same way" });
            }
        };
        let (key, holder) = match password {
            Some(password) => standard::unlock(&dictionary, password).ok_or(PdfError::PasswordWrong)?,
            None => standard::unlock(&dictionary, &Password::new(b"")).ok_or(PdfError::PasswordRequired)?,
        };
        Ok(Arc::new(Self { place, dictionary, identifier, key, holder }))
    }

    /// The first string of `/ID`, which an update must repeat; empty where there is none.
    pub(crate) fn identifier(&self) -> &[u8] {
        &self.identifier
    }

    /// The access permissions that count: those of the dictionary which `/Perms` does not deny.
    fn access_permissions(&self) -> u32 {
        let perms = match &self.dictionary.verifier {
            Verifier::New(entries) => entries.perms,
            Verifier::Old(_) => None,
        };
        let repeated = perms.and_then(|perms| standard::repeated_permissions(perms, &self.key));
        self.dictionary.access_permissions & repeated.unwrap_or(u32::MAX)
    }

    /// Decrypts the strings of an object that stands in the file itself.
    pub(crate) fn decrypt_object(&self, placed: &mut Placed) {
        if self.place == Some(placed.reference) || is_xref_stream(placed) {
            return;
        }
        let method = self.dictionary.strings;
        if method != Method::Identity {
            let key = self.object_key(method, placed.reference);
            each_string(&mut placed.object, &mut |text| *text = decrypt(method, &key, text));
        }
    }

    /// Decrypts the encoded bytes of the stream at `reference`; `resolve` follows references.
    pub(crate) fn decrypt_stream(
        &self,
        reference: Reference,
        dictionary: &Dictionary,
        data: Vec<u8>,
        resolve: impl Fn(&Object) -> Result<Object, PdfError>,
    ) -> Result<Vec<u8>, PdfError> {
        let method = self.stream_method(dictionary, resolve)?;
        if method == Method::Identity {
            return Ok(data);
        }
        Ok(decrypt(method, &self.object_key(method, reference), &data))
    }

    /// What an update of a document of `original` bytes writes for `body` at `reference`.
    pub(crate) fn encrypt(
        &self,
        reference: Reference,
        body: &Body,
        original: u64,
        resolve: impl Fn(&Object) -> Result<Object, PdfError>,
    ) -> Result<Body, PdfError> {
        let mut vectors = Vectors::new(&self.key, original, reference);
        Ok(match body {
            Body::Object(object) => {
                let mut object = object.clone();
                self.encrypt_strings(reference, &mut object, &mut vectors);
                Body::Object(object)
            }
            Body::Stream(stream) => {
                let mut stream = stream.clone();
                let method = self.stream_method(&stream.dictionary, resolve)?;
                let mut dictionary = Object::Dictionary(stream.dictionary);
                self.encrypt_strings(reference, &mut dictionary, &mut vectors);
                stream.dictionary = dictionary.into_dictionary().unwrap_or_default();
                let key = self.object_key(method, reference);
                stream.data = encrypt(method, &key, &stream.data, &mut vectors);
                Body::Stream(stream)
            }
        })
    }

    fn encrypt_strings(&self, reference: Reference, object: &mut Object, vectors: &mut Vectors) {
        let method = self.dictionary.strings;
        let key = self.object_key(method, reference);
        each_string(object, &mut |text| *text = encrypt(method, &key, text, vectors));
    }

    fn stream_method(
        &self,
        dictionary: &Dictionary,
        resolve: impl Fn(&Object) -> Result<Object, PdfError>,
    ) -> Result<Method, PdfError> {
        let entry = |key: &str| resolve(dictionary.get(key).unwrap_or(&Object::Null));
        let list = |key: &str| {
            let value = entry(key)?;
            Ok::<_, PdfError>(if let Object::Array(items) = value { items } else { vec![value] })
        };
        for (index, filter) in list("Filter")?.iter().enumerate() {
            if resolve(filter)?.as_name() == Some(b"Crypt") {
                let parameters = list("DecodeParms")?;
                let parameters = resolve(parameters.get(index).unwrap_or(&Object::Null))?;
                let name = parameters.as_dictionary().and_then(|parameters| parameters.get("Name"));
                let name = resolve(name.unwrap_or(&Object::Null))?;
                return self.dictionary.filter(name.as_name().unwrap_or(b"Identity"));
            }
        }
        Ok(match entry("Type")?.as_name() {
            Some(b"XRef") => Method::Identity,
            Some(b"Metadata") if !self.dictionary.encrypt_metadata => Method::Identity,
            Some(b"EmbeddedFile") => self.dictionary.embedded_files,
            _ => self.dictionary.streams,
        })
    }

    /// Algorithm 1: the key of one object; the file key itself where that has 256 bits (1.A).
    fn object_key(&self, method: Method, reference: Reference) -> FileKey {
        if matches!(method, Method::AesV3 | Method::Identity) {
            return self.key.clone();
        }
        let mut hash = Md5::new();
        hash.update(self.key.as_slice());
        hash.update(reference.number.to_le_bytes().get(..3).unwrap_or_default());
        hash.update(reference.generation.to_le_bytes());
        let len = match method {
            Method::AesV2 => {
                hash.update(b"sAlT");
                // AES-128 takes no shorter key.
                16
            }
            Method::AesV3 | Method::Identity | Method::V2 => (self.key.len() + 5).min(16),
        };
        let digest = Zeroizing::new(<[u8; 16]>::from(hash.finalize()));
        Zeroizing::new(digest.get(..len).unwrap_or_default().to_vec())
    }
}

/// The first string of the trailer's `/ID`, which is never encrypted; empty where there is none.
fn first_identifier<S: Source>(document: &Document<S>) -> Vec<u8> {
    let all = document.entry(document.trailer(), "ID").ok().and_then(Object::into_array);
    let first = all.and_then(|all| document.resolve(all.first()?).ok());
    first.and_then(|first| first.as_string().map(<[u8]>::to_vec)).unwrap_or_default()
}

/// Calls `change` with every string that is encrypted: all but the contents of a signature
/// dictionary. Nesting is bounded by the parser.
fn each_string(object: &mut Object, change: &mut impl FnMut(&mut Vec<u8>)) {
    match object {
        Object::String(text) => change(text),
        Object::Array(items) => items.iter_mut().for_each(|item| each_string(item, change)),
        Object::Dictionary(dictionary) => {
            let signature = is_signature(dictionary);
            for (key, value) in dictionary.iter_mut() {
                if !(signature && key.0 == b"Contents") {
                    each_string(value, change);
                }
            }
        }
        Object::Null
        | Object::Boolean(_)
        | Object::Integer(_)
        | Object::Real(_)
        | Object::Name(_)
        | Object::Reference(_) => {}
    }
}

/// Whether it is a signature dictionary, whose `/Type` may be absent (table 255).
fn is_signature(dictionary: &Dictionary) -> bool {
    let kind = dictionary.get("Type").and_then(Object::as_name);
    dictionary.contains("ByteRange") && matches!(kind, None | Some(b"Sig" | b"DocTimeStamp"))
}

fn decrypt(method: Method, key: &FileKey, data: &[u8]) -> Vec<u8> {
    match aes(method, key) {
        Some(key) => cipher::aes_open(&key, data),
        None => {
            let mut data = data.to_vec();
            if method == Method::V2 {
                cipher::rc4(key, &mut data);
            }
            data
        }
    }
}

fn encrypt(method: Method, key: &FileKey, data: &[u8], vectors: &mut Vectors) -> Vec<u8> {
    match aes(method, key) {
        Some(key) => cipher::aes_seal(&key, vectors.next(data), data),
        // RC4 is its own inverse.
        None => decrypt(method, key, data),
    }
}

fn aes(method: Method, key: &FileKey) -> Option<AesKey<'_>> {
    match method {
        Method::AesV2 => key.as_slice().try_into().ok().map(AesKey::Aes128),
        Method::AesV3 => key.as_slice().try_into().ok().map(AesKey::Aes256),
        Method::Identity | Method::V2 => None,
    }
}
