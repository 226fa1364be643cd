//! What was found at the last look, kept for as long as nothing can have changed.
//!
//! Listing costs what the slowest module takes, so it is done once for everybody who asks at the
//! same time, and again only after an event: a reader or a card came or went, a registered file
//! changed, a certificate began or ended to be valid. Where changes tell nobody, what was found is
//! kept for three seconds.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use crate::{
    credentials::{FoundCredential, folder::InFolder, registered::Registered},
    ports::ListedCredential,
    token::reader::{
        Reader, Sharing,
        watch::{News, Sight},
    },
};

/// How long what nobody tells of is believed.
const BELIEVED: Duration = Duration::from_secs(3);

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Everything, most useful first, and where each is reached.
    pub found: Arc<[FoundCredential]>,
    /// As it is told to others, in the same order.
    pub listed: Arc<[ListedCredential]>,
}

/// What a look rests on: what it found holds while all of this is so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Basis {
    /// The readers before it.
    pub(super) sight: Sight,
    /// The list of registered credentials.
    pub(super) list: FileStamp,
    /// The linked files that it names, in its order.
    pub(super) linked: Vec<FileStamp>,
    /// The watched folder.
    pub(super) folder: InFolder,
    /// How often somebody said that everything must be looked at anew.
    pub(super) epoch: u64,
    /// How many seconds the machine has slept: cards and modules rarely survive that as they were.
    pub(super) slept: u64,
}

/// The linked files that the list of registered credentials names, kept until the list changes: they are
/// stamped each time that somebody asks.
#[derive(Debug, Default)]
pub(super) struct Linked(Mutex<Option<(FileStamp, Vec<PathBuf>)>>);

impl Linked {
    /// The stamp of the list at `path`, and those of the linked files.
    pub(super) fn stamps(&self, path: &Path) -> (FileStamp, Vec<FileStamp>) {
        let list = FileStamp::of(path);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_none_or(|(known, _)| *known != list) {
            // One that cannot be read names none, which the look says.
            let registered = Registered::read(path).unwrap_or_default();
            *known = Some((list, registered.linked().map(Path::to_owned).collect()));
        }
        let paths = known.iter().flat_map(|(_, paths)| paths);
        (list, paths.map(|path| FileStamp::of(path)).collect())
    }
}

/// What tells one state of a file from another without reading it; nothing where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStamp(pub(super) Option<(SystemTime, u64, u64)>);

impl FileStamp {
    /// Of the file at `path`, now.
    pub(super) fn of(path: &Path) -> Self {
        let data = fs::metadata(path).ok();
        Self(data.and_then(|data| Some((data.modified().ok()?, data.len(), platform_id(&data)))))
    }
}

#[cfg(unix)]
fn platform_id(data: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(data)
}

/// A replaced file has another time here.
#[cfg(not(unix))]
const fn platform_id(_: &fs::Metadata) -> u64 {
    0
}

/// Whether changes of everything that was found become known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// Something that was found, or was not, may come and go unseen.
    InPart,
    /// They do.
    Yes,
}

/// What a look found, and how long that holds.
pub(super) struct Looked {
    pub(super) listing: Listing,
    pub(super) told: Told,
    /// When the state of a certificate changes next.
    pub(super) until: Option<SystemTime>,
}

/// The last look.
#[derive(Default)]
pub(super) struct Memory {
    state: Mutex<State>,
    over: Condvar,
}

#[derive(Default)]
struct State {
    last: Option<Remembered>,
    looking: Looking,
}

/// Whether somebody looks now.
#[derive(Default, PartialEq, Eq)]
enum Looking {
    #[default]
    No,
    Yes,
}

struct Remembered {
    basis: Basis,
    looked: Looked,
    at: Instant,
}

impl Memory {
    /// What is known, or else what `look` finds on what `basis` tells. Only one look goes on at a
    /// time; who comes meanwhile waits for it.
    pub(super) fn recall(&self, basis: impl Fn() -> Basis, look: impl FnOnce(&Basis) -> Looked) -> Listing {
        let mut state = self.state();
        let basis = loop {
            let now = basis();
            if let Some(listing) = state.last.as_ref().and_then(|last| last.for_basis(&now)) {
                return listing;
            }
            if state.looking == Looking::No {
                break now;
            }
            state = self.over.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        state.looking = Looking::Yes;
        drop(state);
        // Whatever becomes of the look, others must not wait for ever.
        let over = Over(self);
        let looked = look(&basis);
        let listing = looked.listing.clone();
        self.state().last = Some(Remembered { basis, looked, at: Instant::now() });
        drop(over);
        listing
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a look when it is dropped.
struct Over<'a>(&'a Memory);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.state().looking = Looking::No;
        self.0.over.notify_all();
    }
}

impl Remembered {
    fn for_basis(&self, now: &Basis) -> Option<Listing> {
        let told = self.looked.told == Told::Yes && now.sight.news == News::Events;
        let holds = self.basis.list == now.list
            && self.basis.linked == now.linked
            && self.basis.folder == now.folder
            && (self.basis.epoch, self.basis.slept) == (now.epoch, now.slept)
            && self.basis.sight.news == now.sight.news
            && same_cards(&self.basis.sight.readers, &now.sight.readers)
            && (told || self.at.elapsed() < BELIEVED)
            && self.looked.until.is_none_or(|until| SystemTime::now() < until);
        holds.then(|| self.looked.listing.clone())
    }
}

/// Whether a look would find the same: a card that was kept from us and is not any more counts as
/// a change, one that is kept from us only now does not.
fn same_cards(then: &[Reader], now: &[Reader]) -> bool {
    let same = |(then, now): (&Reader, &Reader)| {
        (&then.name, &then.card, then.changes) == (&now.name, &now.card, now.changes)
            && !(then.sharing == Sharing::Exclusive && now.sharing == Sharing::Shared)
    };
    then.len() == now.len() && then.iter().zip(now).all(same)
}
