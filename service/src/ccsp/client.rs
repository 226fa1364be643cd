//! Who sends a request: a web site or a program of this login, and how much of it is under way.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};
use signer_core::{approval::summary, error::ErrorCode};

use crate::ccsp::{origin::Origin, peer::Program};

/// Who sends a request, as the service found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Client {
    /// A program. None of this is trusted; it is shown, and a pairing is bound to the path.
    Program(Program),
    /// A page of a site, as the browser says.
    Site(Origin),
}

/// What a pairing, its answers and its limits are bound to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Binding {
    /// A program by its path; `None` where the system does not tell it.
    Program {
        /// The path.
        path: Option<String>,
    },
    /// A site.
    Site {
        /// Its origin.
        origin: String,
    },
}

impl Client {
    /// What its pairing is bound to.
    pub(super) fn binding(&self) -> Binding {
        match self {
            Self::Program(program) => Binding::Program { path: program.path.clone() },
            Self::Site(origin) => Binding::Site { origin: origin.as_str().to_owned() },
        }
    }

    /// As the person is shown it.
    pub(super) fn shown(&self) -> summary::Client {
        match self {
            Self::Program(program) => summary::Client::Program {
                name: program.name.clone(),
                path: program.path.clone(),
                process: program.process,
            },
            Self::Site(origin) => {
                summary::Client::Site { origin: origin.as_str().to_owned(), host: origin.host().to_owned() }
            }
        }
    }
}

/// How many requests and approvals of each client are under way.
#[derive(Debug, Default)]
pub(super) struct Tally(Arc<Mutex<HashMap<(Binding, Counted), usize>>>);

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Counted {
    /// Questions to the person.
    Approvals,
    /// HTTP requests.
    Requests,
}

/// One that is under way, until it is dropped.
#[derive(Debug)]
pub(super) struct UnderWay {
    tally: Arc<Mutex<HashMap<(Binding, Counted), usize>>>,
    key: (Binding, Counted),
}

impl Tally {
    /// Counts one more of a client.
    ///
    /// # Errors
    /// `too-many-requests` or `approval-busy` where there are `limit` of them already.
    pub(super) fn begin(
        &self,
        client: &Binding,
        counted: Counted,
        limit: usize,
    ) -> Result<UnderWay, ErrorCode> {
        let key = (client.clone(), counted);
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key.clone()).or_default();
        if *count >= limit {
            return Err(match counted {
                Counted::Approvals => ErrorCode::ApprovalBusy,
                Counted::Requests => ErrorCode::TooManyRequests,
            });
        }
        *count += 1;
        Ok(UnderWay { tally: Arc::clone(&self.0), key })
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut counts = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.key) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_its_own_limit() {
        let tally = Tally::default();
        let site = |origin: &str| Binding::Site { origin: origin.to_owned() };
        let first = tally.begin(&site("https://a.example"), Counted::Requests, 1).unwrap();
        let refused = tally.begin(&site("https://a.example"), Counted::Requests, 1).unwrap_err();
        assert_eq!(refused, ErrorCode::TooManyRequests);
        let other = tally.begin(&site("https://b.example"), Counted::Requests, 1).unwrap();
        tally.begin(&site("https://a.example"), Counted::Approvals, 1).unwrap();
        drop(first);
        tally.begin(&site("https://a.example"), Counted::Requests, 1).unwrap();
        drop(other);
        assert!(tally.0.lock().unwrap().is_empty());
    }
}
