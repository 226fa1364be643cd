//! The form of the list on disk: JSON, of a version. The version before is read and not written.

use std::path::PathBuf;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use signer_core::digest::{Digest, DigestAlgorithm};
use signer_ipc::token_host::Protection;

use crate::credentials::registered::{Entry, Place};

/// The version that is written.
const VERSION: u32 = 2;
/// The version that knew files of the person's only.
const LINKS_ONLY: u32 = 1;

#[derive(Deserialize)]
struct Version {
    version: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct List<E> {
    version: u32,
    credentials: Vec<E>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Link {
    path: PathBuf,
    certificate: String,
    chain: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum EntryOnDisk {
    Folder {
        content: String,
        certificate: String,
        chain: Vec<String>,
    },
    Linked {
        path: PathBuf,
        certificate: String,
        chain: Vec<String>,
    },
    Stored {
        content: String,
        protection: Protection,
        name: Option<String>,
        certificate: String,
        chain: Vec<String>,
    },
}

/// The entries of a list of any version; nothing where it is none of ours.
pub(super) fn parse(bytes: &[u8]) -> Option<Vec<Entry>> {
    match serde_json::from_slice::<Version>(bytes).ok()?.version {
        LINKS_ONLY => {
            let list: List<Link> = serde_json::from_slice(bytes).ok()?;
            let linked = |link: Link| {
                let Link { path, certificate, chain } = link;
                EntryOnDisk::Linked { path, certificate, chain }.parse()
            };
            list.credentials.into_iter().map(linked).collect()
        }
        VERSION => {
            let list: List<EntryOnDisk> = serde_json::from_slice(bytes).ok()?;
            list.credentials.into_iter().map(EntryOnDisk::parse).collect()
        }
        _ => None,
    }
}

/// The list as it is written; nothing where a path is not Unicode.
pub(super) fn write(entries: &[Entry]) -> Option<Vec<u8>> {
    let list = List { version: VERSION, credentials: entries.iter().map(EntryOnDisk::of).collect() };
    serde_json::to_vec_pretty(&list).ok()
}

impl EntryOnDisk {
    fn of(entry: &Entry) -> Self {
        let certificate = STANDARD.encode(&entry.certificate);
        let chain = entry.chain.iter().map(|der| STANDARD.encode(der)).collect();
        match &entry.place {
            Place::Folder { content } => Self::Folder { content: content.to_hex(), certificate, chain },
            Place::Linked(path) => Self::Linked { path: path.clone(), certificate, chain },
            Place::Stored { content, protection, name } => Self::Stored {
                content: content.to_hex(),
                protection: *protection,
                name: name.clone(),
                certificate,
                chain,
            },
        }
    }

    fn parse(self) -> Option<Entry> {
        let digest = |text: &str| Digest::from_hex(DigestAlgorithm::Sha256, text);
        let (place, certificate, chain) = match self {
            Self::Folder { content, certificate, chain } => {
                (Place::Folder { content: digest(&content)? }, certificate, chain)
            }
            Self::Linked { path, certificate, chain } => (Place::Linked(path), certificate, chain),
            Self::Stored { content, protection, name, certificate, chain } => {
                (Place::Stored { content: digest(&content)?, protection, name }, certificate, chain)
            }
        };
        Some(Entry {
            place,
            certificate: STANDARD.decode(&certificate).ok()?,
            chain: chain.iter().map(|der| STANDARD.decode(der)).collect::<Result<_, _>>().ok()?,
        })
    }
}
