//! What the window shows and what it does with what happens to it: a machine without a window.
//!
//! [`Screen`] gets [`Incoming`] messages and [`Input`]s with the time, and answers with
//! [`Action`]s. It holds no secret: of what is typed it knows the number of characters. `view`
//! draws it, `app` brings it together with the window system.

mod request;
#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;

use std::{collections::VecDeque, time::Duration};

use signer_ipc::{
    message::{ApprovalNumber, FromTray, Outcome, SecretReason, Unlock},
    sealed::KEY_LEN,
};

use crate::text::Language;

pub(crate) use request::{Button, Field, Presented, Request, Stage, Typing};

/// How long a yes does nothing after the first frame and after the window got the keyboard:
/// a key or a click that was meant for another window must not approve.
pub(crate) const ARM_DELAY: Duration = Duration::from_millis(700);
/// How long the program stays with nothing to show.
pub(crate) const LINGER: Duration = Duration::from_secs(30);
/// How long a good end stays on the screen.
const GOOD_END: Duration = Duration::from_millis(1500);
/// How long another end stays, and a failure where another request waits.
const OTHER_END: Duration = Duration::from_secs(4);
/// The longest secret in characters; more are not taken.
pub(crate) const LONGEST_SECRET: usize = 64;

/// A message of the service, ready for the screen. Times are since the program began.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// See [`signer_ipc::message::ToTray::AskSecret`].
    AskSecret {
        /// Which.
        approval: ApprovalNumber,
        /// When the service gives up.
        deadline: Duration,
        /// Why.
        reason: SecretReason,
        /// How it is given.
        unlock: Unlock,
    },
    /// See [`signer_ipc::message::ToTray::AwaitToken`].
    AwaitToken {
        /// Which.
        approval: ApprovalNumber,
        /// When the service gives up.
        deadline: Duration,
    },
    /// It is over.
    Dismiss {
        /// Which.
        approval: ApprovalNumber,
        /// How it ended.
        outcome: Outcome,
    },
    /// Something new to ask.
    Present(Box<Presented>),
    /// The key is at work.
    Signing {
        /// Which.
        approval: ApprovalNumber,
        /// How many are signed.
        done: u32,
        /// Of how many.
        of: u32,
    },
    /// How many requests wait behind the one shown.
    Waiting(u32),
}

/// What the person, the window system or the clock did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Input {
    /// The window's own button was used to close it.
    Closed,
    /// Time passed.
    Elapsed,
    /// The window got the keyboard.
    FocusGained,
    /// A screen reader moved the focus.
    Focused(Target),
    /// A key that is no character.
    Key(Key),
    /// The part of the body that is seen, and all of it.
    Measured {
        /// The height that is seen.
        seen: f32,
        /// The height of all of it.
        whole: f32,
    },
    /// A frame of what is asked stands on the screen.
    Painted,
    /// A click, by hand or by a screen reader.
    Pressed(Target),
    /// Make this part of the body seen.
    Reveal {
        /// Its upper edge, from the top of the body.
        top: f32,
        /// Its lower edge.
        bottom: f32,
    },
    /// The wheel, in logical pixels, downwards.
    Scrolled(f32),
    /// A character for the field.
    Typed(char),
}

/// Keys that mean something here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    BackTab,
    Backspace,
    Down,
    End,
    Enter,
    Escape,
    Home,
    PageDown,
    PageUp,
    Space,
    Tab,
    Up,
}

/// What can have the focus or be pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    /// The body, where it is higher than its place.
    Body,
    /// A certificate of the choice.
    Certificate(usize),
    /// The button that says no, stops or closes.
    No,
    /// The box of [`crate::text::Sentence::Remember`].
    Remember,
    /// The field of the PIN or password.
    Secret,
    /// The button that says yes or goes on.
    Yes,
}

/// What is to be done, in this order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Tell the service. With a key, what was typed is sealed to it and goes along.
    Answer {
        /// What.
        message: FromTray,
        /// What the secret is sealed to.
        key: Option<[u8; KEY_LEN]>,
    },
    /// Change what was typed.
    Edit(Edit),
    /// End the program.
    Leave,
}

/// A change of what was typed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Overwrite all of it.
    Clear,
    /// Overwrite the last character.
    Erase,
    /// Add a character.
    Push(char),
}

/// The state of the window.
pub(crate) struct Screen {
    language: Language,
    shown: Option<Request>,
    pending: VecDeque<Presented>,
    idle_since: Duration,
}

impl Screen {
    /// Nothing to show yet.
    pub(crate) const fn new(language: Language, now: Duration) -> Self {
        Self { language, shown: None, pending: VecDeque::new(), idle_since: now }
    }

    /// Takes a message of the service. One about an approval that is not shown changes nothing.
    pub(crate) fn receive(&mut self, message: Incoming, now: Duration) -> Vec<Action> {
        match message {
            Incoming::Present(presented) => return self.present(*presented),
            Incoming::Waiting(waiting) => {
                if let Some(request) = &mut self.shown {
                    request.waiting = waiting;
                }
            }
            Incoming::AwaitToken { approval, deadline } => {
                if let Some(request) = self.about(approval) {
                    request.await_token(deadline);
                }
            }
            Incoming::AskSecret { approval, deadline, reason, unlock } => {
                if let Some(request) = self.about(approval) {
                    request.ask_secret(deadline, reason, unlock);
                    return vec![Action::Edit(Edit::Clear)];
                }
            }
            Incoming::Signing { approval, done, of } => {
                if let Some(request) = self.about(approval) {
                    request.signing(done, of);
                }
            }
            Incoming::Dismiss { approval, outcome } => return self.dismiss(approval, outcome, now),
        }
        Vec::new()
    }

    /// Takes what happened here.
    pub(crate) fn take(&mut self, input: Input, now: Duration) -> Vec<Action> {
        let mut actions = self.shown.as_mut().map(|request| request.take(input, now)).unwrap_or_default();
        let over = self.shown.as_ref().is_some_and(|request| request.over(now, !self.pending.is_empty()));
        if over {
            self.shown = None;
            self.idle_since = now;
            actions.push(Action::Edit(Edit::Clear));
            if let Some(next) = self.pending.pop_front() {
                actions.extend(self.present(next));
            }
        }
        if self.shown.is_none() && now >= self.idle_since.saturating_add(LINGER) {
            actions.push(Action::Leave);
        }
        actions
    }

    /// What is shown, if anything is.
    pub(crate) const fn shown(&self) -> Option<&Request> {
        self.shown.as_ref()
    }

    /// The person's language.
    pub(crate) const fn language(&self) -> Language {
        self.language
    }

    /// When [`Input::Elapsed`] is due next.
    pub(crate) fn wakes(&self, now: Duration) -> Duration {
        self.shown.as_ref().map_or_else(
            || self.idle_since.saturating_add(LINGER),
            |request| request.wakes(now, !self.pending.is_empty()),
        )
    }

    fn present(&mut self, presented: Presented) -> Vec<Action> {
        // A result that is still read is not torn away, and nothing is asked beneath it.
        if self.shown.as_ref().is_some_and(|request| !matches!(request.stage, Stage::Ended { .. })) {
            self.shown = None;
        }
        if self.shown.is_some() {
            self.pending.push_back(presented);
            return Vec::new();
        }
        self.shown = Some(Request::new(presented));
        vec![Action::Edit(Edit::Clear)]
    }

    fn dismiss(&mut self, approval: ApprovalNumber, outcome: Outcome, now: Duration) -> Vec<Action> {
        self.pending.retain(|pending| pending.approval != approval);
        let Some(request) = self.about(approval) else { return Vec::new() };
        request.end(outcome, now);
        let mut actions = vec![Action::Edit(Edit::Clear)];
        actions.extend(self.take(Input::Elapsed, now));
        actions
    }

    fn about(&mut self, approval: ApprovalNumber) -> Option<&mut Request> {
        self.shown.as_mut().filter(|request| request.approval == approval)
    }
}
