//! Readers as events tell them: one thread that sleeps in PC/SC until a reader or a card comes
//! or goes (`SCardGetStatusChange` without a time limit, with the reader that stands for plug
//! and play). The first look starts it; between events it costs nothing.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak},
    thread,
    time::{Duration, Instant},
};

use pcsc::{PNP_NOTIFICATION, ReaderState, State as Flags};

use crate::token::reader::{Reader, ReaderError, refused};

/// How long a first look may take.
const FIRST_LOOK: Duration = Duration::from_secs(2);
/// After which time an absent smart card service is looked for again, when somebody looks.
const PAUSE: Duration = Duration::from_secs(1);
/// How often new readers are looked for where nobody tells of them: so often after a change,
const OFTEN: Duration = Duration::from_millis(1500);
/// and so often once nothing changes.
const SELDOM: Duration = Duration::from_secs(5);
/// An answer without news that came sooner than this came for nothing.
const TOO_SOON: Duration = Duration::from_millis(20);
/// How many of these are taken in a row before the watch slows down.
const PATIENCE: u32 = 3;

/// Watches the readers. Clones are the same; the thread ends with the last of them, at the next
/// event.
#[derive(Clone, Default)]
pub struct ReaderWatch(Arc<Shared>);

/// What the readers hold, and how sure that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sight {
    /// The readers.
    pub readers: Arc<[Reader]>,
    /// How changes become known.
    pub news: News,
}

/// How changes become known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// By themselves, at once.
    Events,
    /// Not at all, because of this.
    None(ReaderError),
    /// Cards by themselves; readers when they are looked for, after some seconds.
    Polling,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    sight: Sight,
    thread: Thread,
    /// Grows with every change.
    number: u64,
}

enum Thread {
    /// It ended, or could not begin, then; or was never begun.
    Ended(Option<Instant>),
    /// It has not seen anything yet.
    Starting,
    Watching,
}

impl Default for State {
    fn default() -> Self {
        let sight = Sight { readers: Arc::default(), news: News::None(ReaderError::ServiceAbsent) };
        Self { sight, thread: Thread::Ended(None), number: 0 }
    }
}

impl ReaderWatch {
    /// What the readers hold now. Blocks only where the watch has to begin: for some milliseconds,
    /// or two seconds where the smart card service does not answer.
    pub fn look(&self) -> Sight {
        let end = Instant::now() + FIRST_LOOK;
        let mut state = self.0.state();
        loop {
            match state.thread {
                Thread::Watching => return state.sight.clone(),
                Thread::Ended(Some(at)) if at.elapsed() < PAUSE => return state.sight.clone(),
                Thread::Ended(_) => {
                    state.thread = Thread::Starting;
                    let shared = Arc::downgrade(&self.0);
                    let started =
                        thread::Builder::new().name("readers".to_owned()).spawn(move || run(&shared));
                    if let Err(error) = started {
                        state.end(ReaderError::Failed(error.to_string()));
                    }
                }
                Thread::Starting => {
                    let left = end.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return state.sight.clone();
                    }
                    state =
                        self.0.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    /// Blocks until something changes, or until `end`; whether it did. What changed between an
    /// earlier look and this call is not seen, so a caller looks again after `end` too.
    pub fn wait(&self, end: Instant) -> bool {
        let mut state = self.0.state();
        let before = state.number;
        while state.number == before {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.0.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// A number that is another one after every change.
    pub fn number(&self) -> u64 {
        self.0.state().number
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether it was news.
    fn see(&mut self, readers: Vec<Reader>, news: News) -> bool {
        let sight = Sight { readers: readers.into(), news };
        self.thread = Thread::Watching;
        if self.sight == sight {
            return false;
        }
        self.sight = sight;
        self.number += 1;
        true
    }

    fn end(&mut self, error: ReaderError) {
        self.thread = Thread::Ended(Some(Instant::now()));
        let sight = Sight { readers: Arc::default(), news: News::None(error) };
        if self.sight != sight {
            self.sight = sight;
            self.number += 1;
        }
    }
}

fn run(shared: &Weak<Shared>) {
    let Err(error) = watch(shared);
    let Some(shared) = shared.upgrade() else { return };
    tracing::info!(%error, "the readers are not watched");
    shared.state().end(error);
    shared.changed.notify_all();
}

/// Watches until PC/SC fails or nobody looks any more.
fn watch(shared: &Weak<Shared>) -> Result<std::convert::Infallible, ReaderError> {
    let context = pcsc::Context::establish(pcsc::Scope::User).map_err(refused)?;
    let mut states = vec![ReaderState::new(PNP_NOTIFICATION(), Flags::UNAWARE)];
    let mut pace = Pace::default();
    let mut news = News::Events;
    loop {
        let names = match context.list_readers_owned() {
            Ok(names) => names,
            Err(pcsc::Error::NoReadersAvailable) => Vec::new(),
            Err(error) => return Err(refused(error)),
        };
        let known = |name| states.iter().any(|state| state.name() == name);
        let new: Vec<_> = names.iter().filter(|name| !known(name.as_c_str())).cloned().collect();
        states.retain(|state| {
            state.name() == PNP_NOTIFICATION() || names.iter().any(|name| name.as_c_str() == state.name())
        });
        let is_new = !new.is_empty();
        states.extend(new.into_iter().map(|name| ReaderState::new(name, Flags::UNAWARE)));
        let begun = Instant::now();
        // A reader of which nothing is known yet is told of at once.
        let limit = if is_new { Some(Duration::ZERO) } else { pace.limit(&news) };
        match context.get_status_change(limit, &mut states) {
            Ok(()) | Err(pcsc::Error::Timeout) => {}
            // It went meanwhile.
            Err(pcsc::Error::UnknownReader | pcsc::Error::ReaderUnavailable) => {
                states.truncate(1);
                pace.wait(false, begun);
                continue;
            }
            Err(error) => return Err(refused(error)),
        }
        if states.first().is_some_and(|pnp| pnp.event_state().intersects(Flags::UNKNOWN | Flags::IGNORE)) {
            news = News::Polling;
        }
        for state in &mut states {
            state.sync_current_state();
        }
        let readers = states.iter().skip(1).filter(|state| {
            !state.event_state().intersects(Flags::UNKNOWN | Flags::UNAVAILABLE | Flags::IGNORE)
        });
        let readers = readers.map(Reader::of).collect();
        let Some(shared) = shared.upgrade() else { return Err(ReaderError::Failed("over".to_owned())) };
        let mut state = shared.state();
        let first = matches!(state.thread, Thread::Starting);
        let is_news = state.see(readers, news.clone());
        drop(state);
        if is_news || first {
            shared.changed.notify_all();
        }
        drop(shared);
        pace.wait(is_news || is_new || first, begun);
    }
}

/// How fast the watch goes round.
#[derive(Default)]
struct Pace {
    /// How many answers came in a row that told nothing: each too soon, or each at its limit.
    idle: u32,
}

impl Pace {
    /// How long the next wait may take.
    fn limit(&self, news: &News) -> Option<Duration> {
        match news {
            News::Events | News::None(_) => None,
            News::Polling => Some((OFTEN + OFTEN * self.idle / 4).min(SELDOM)),
        }
    }

    /// Takes note of an answer. A reader that answers at once and with nothing new, as some
    /// virtual ones do, gets a rest that grows.
    fn wait(&mut self, is_news: bool, begun: Instant) {
        if is_news {
            self.idle = 0;
            return;
        }
        self.idle = self.idle.saturating_add(1);
        if begun.elapsed() < TOO_SOON && self.idle > PATIENCE {
            thread::sleep((TOO_SOON * self.idle).min(SELDOM));
        }
    }
}
