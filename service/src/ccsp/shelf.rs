//! What is kept for a client for a while: uploaded documents, requests for signatures.
//!
//! Each thing is its pairing's alone: for all others it does not exist. One timer is armed while
//! something on the shelf has an end, and none otherwise.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use signer_core::error::ErrorCode;
use tokio::time::{Instant, sleep_until};

use crate::ccsp::{id::Id, pairing::PairingNumber};

/// Things of one kind.
pub(super) struct Shelf<T>(Arc<Mutex<Entries<T>>>);

struct Entries<T> {
    kept: HashMap<Id, Kept<T>>,
    sweeper: Sweeper,
}

/// Whether somebody waits for the next end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sweeper {
    Idle,
    Waiting,
}

/// A thing on the shelf.
pub(super) struct Kept<T> {
    /// Whose it is.
    owner: PairingNumber,
    /// When it goes; `None` as long as it is in use.
    expires: Option<Instant>,
    /// The thing.
    pub(super) value: Arc<T>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Entries { kept: HashMap::new(), sweeper: Sweeper::Idle })))
    }
}

impl<T: Send + Sync + 'static> Shelf<T> {
    /// Keeps `value` until `expires`, or until it gets an end.
    ///
    /// # Errors
    /// `too-many-requests` where the owner has `limit` of them; `internal` without randomness.
    pub(super) fn put(
        &self,
        owner: PairingNumber,
        value: Arc<T>,
        expires: Option<Instant>,
        limit: usize,
    ) -> Result<Id, ErrorCode> {
        let id = Id::new()?;
        let mut entries = self.entries();
        if entries.kept.values().filter(|kept| kept.owner == owner).count() >= limit {
            return Err(ErrorCode::TooManyRequests);
        }
        entries.kept.insert(id, Kept { owner, expires, value });
        drop(entries);
        self.sweep();
        Ok(id)
    }

    /// Puts back what was taken.
    pub(super) fn put_back(&self, id: Id, kept: Kept<T>) {
        self.entries().kept.insert(id, kept);
        self.sweep();
    }

    /// Takes all of `ids` away, or none of them where one is not there.
    pub(super) fn take_all(&self, ids: &[Id], owner: PairingNumber) -> Option<Vec<(Id, Kept<T>)>> {
        let mut entries = self.entries();
        let mut taken = Vec::new();
        for id in ids {
            match entries.kept.remove(id) {
                Some(kept) if kept.owner == owner => taken.push((*id, kept)),
                other => {
                    taken.extend(other.map(|kept| (*id, kept)));
                    entries.kept.extend(taken);
                    return None;
                }
            }
        }
        Some(taken)
    }

    /// Gives a thing its end.
    pub(super) fn expire_at(&self, id: Id, expires: Instant) {
        if let Some(kept) = self.entries().kept.get_mut(&id) {
            kept.expires = Some(expires);
        }
        self.sweep();
    }

    /// Takes one away.
    ///
    /// # Errors
    /// `resource-not-found` where there is none of this id, or it is somebody else's.
    pub(super) fn remove(&self, id: Id, owner: PairingNumber) -> Result<(), ErrorCode> {
        self.take_all(&[id], owner).map(drop).ok_or(ErrorCode::ResourceNotFound)
    }

    /// Takes away all that is a pairing's.
    pub(super) fn clear(&self, owner: PairingNumber) {
        self.entries().kept.retain(|_, kept| kept.owner != owner);
    }

    /// Looks one up.
    ///
    /// # Errors
    /// `resource-not-found` where there is none of this id, or it is somebody else's.
    pub(super) fn find(&self, id: &str, owner: PairingNumber) -> Result<(Id, Arc<T>), ErrorCode> {
        let id = Id::parse(id).ok_or(ErrorCode::ResourceNotFound)?;
        let entries = self.entries();
        let kept = entries.kept.get(&id).filter(|kept| kept.owner == owner);
        kept.map(|kept| (id, Arc::clone(&kept.value))).ok_or(ErrorCode::ResourceNotFound)
    }

    /// The first of a pairing's things that fits.
    pub(super) fn search(&self, owner: PairingNumber, fits: impl Fn(&T) -> bool) -> Option<(Id, Arc<T>)> {
        let entries = self.entries();
        let found = entries.kept.iter().find(|(_, kept)| kept.owner == owner && fits(&kept.value));
        found.map(|(id, kept)| (*id, Arc::clone(&kept.value)))
    }

    /// Waits for the next end, unless somebody does.
    fn sweep(&self) {
        let mut entries = self.entries();
        if entries.sweeper == Sweeper::Waiting || entries.next_end().is_none() {
            return;
        }
        entries.sweeper = Sweeper::Waiting;
        let shelf = Self(Arc::clone(&self.0));
        tokio::spawn(async move {
            // Later things have later ends: waiting for the first one misses none.
            while let Some(end) = shelf.after_sweep() {
                sleep_until(end).await;
            }
        });
    }

    /// Takes away what has ended, and says when the next one does.
    fn after_sweep(&self) -> Option<Instant> {
        let now = Instant::now();
        let mut entries = self.entries();
        entries.kept.retain(|_, kept| kept.expires.is_none_or(|expires| expires > now));
        let next = entries.next_end();
        if next.is_none() {
            entries.sweeper = Sweeper::Idle;
        }
        next
    }

    fn entries(&self) -> MutexGuard<'_, Entries<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Entries<T> {
    fn next_end(&self) -> Option<Instant> {
        self.kept.values().filter_map(|kept| kept.expires).min()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use signer_core::approval::summary::Scope;
    use signer_ipc::message::Lasting;

    use super::*;
    use crate::ccsp::{client::Binding, pairing::PairingStore};

    fn owners() -> (PairingNumber, PairingNumber) {
        let directory = tempfile::tempdir().unwrap();
        let store = PairingStore::new(directory.path().join("pairings.json"));
        let client = Binding::Program { path: None };
        let number = || store.allow(&client, vec![Scope::Sign], Lasting::Once, 0).unwrap().1.number;
        (number(), number())
    }

    fn run<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
    }

    #[test]
    fn nobody_sees_what_is_somebody_elses() {
        let ((own, other), shelf) = (owners(), Shelf::default());
        run(async {
            let id = shelf.put(own, Arc::new("a"), None, 9).unwrap();
            assert_eq!(*shelf.find(&id.to_string(), own).unwrap().1, "a");
            for (id, owner) in [(id.to_string(), other), ("x".to_owned(), own), (String::new(), own)] {
                assert_eq!(shelf.find(&id, owner).unwrap_err(), ErrorCode::ResourceNotFound);
            }
            assert!(shelf.take_all(&[id], other).is_none());
            assert!(shelf.search(other, |_| true).is_none());
            assert_eq!(shelf.remove(id, other).unwrap_err(), ErrorCode::ResourceNotFound);
            shelf.clear(other);
            shelf.remove(id, own).unwrap();
            assert!(shelf.find(&id.to_string(), own).is_err());
        });
    }

    #[test]
    fn all_are_taken_or_none() {
        let ((own, other), shelf) = (owners(), Shelf::default());
        run(async {
            let first = shelf.put(own, Arc::new(1), None, 2).unwrap();
            let second = shelf.put(own, Arc::new(2), None, 2).unwrap();
            assert_eq!(shelf.put(own, Arc::new(3), None, 2).unwrap_err(), ErrorCode::TooManyRequests);
            let foreign = shelf.put(other, Arc::new(4), None, 2).unwrap();
            for ids in [[first, foreign], [first, Id::new().unwrap()], [first, first]] {
                assert!(shelf.take_all(&ids, own).is_none());
                assert!(shelf.find(&first.to_string(), own).is_ok());
                assert!(shelf.find(&foreign.to_string(), other).is_ok());
            }
            let taken = shelf.take_all(&[second, first], own).unwrap();
            assert_eq!(taken.iter().map(|(_, kept)| *kept.value).collect::<Vec<_>>(), [2, 1]);
        });
    }

    #[test]
    fn ends_come_by_themselves_and_then_nothing_waits() {
        let ((own, _), shelf) = (owners(), Shelf::default());
        run(async {
            let in_use = shelf.put(own, Arc::new(0), None, 9).unwrap();
            assert_eq!(shelf.entries().sweeper, Sweeper::Idle);
            let soon = Instant::now() + Duration::from_millis(10);
            let first = shelf.put(own, Arc::new(1), Some(soon), 9).unwrap();
            let second = shelf.put(own, Arc::new(2), Some(soon + Duration::from_millis(10)), 9).unwrap();
            while shelf.find(&second.to_string(), own).is_ok() {
                assert_eq!(shelf.entries().sweeper, Sweeper::Waiting);
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            assert!(shelf.find(&first.to_string(), own).is_err());
            assert!(shelf.find(&in_use.to_string(), own).is_ok());
            assert_eq!(shelf.entries().sweeper, Sweeper::Idle);
            shelf.expire_at(in_use, Instant::now());
            while shelf.find(&in_use.to_string(), own).is_ok() {
                tokio::task::yield_now().await;
            }
        });
    }
}
