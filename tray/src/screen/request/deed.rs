//! What the person does to a request: keys, clicks, the secret, yes and no.

use std::time::Duration;

use signer_ipc::{
    message::{FromTray, Lasting, SecretAttached, Unlock},
    sealed::KEY_LEN,
    token_host::LastTry,
};

use crate::screen::{
    ARM_DELAY, Action, Edit, Input, Key, LONGEST_SECRET, Target,
    request::{Button, Field, Reading, Request, Stage, Typing, field_of},
};

/// How far a key scrolls, in logical pixels.
const LINE: f32 = 40.0;

impl Request {
    pub(in crate::screen) fn take(&mut self, input: Input, now: Duration) -> Vec<Action> {
        match input {
            Input::Elapsed => {}
            Input::Painted => {
                self.armed_from.get_or_insert(now + ARM_DELAY);
            }
            // Before the first frame the delay has not begun.
            Input::FocusGained => self.armed_from = self.armed_from.map(|_| now + ARM_DELAY),
            Input::Closed | Input::Key(Key::Escape) => return self.no(Lasting::Once),
            Input::Pressed(target) => return self.press(target, now),
            Input::Focused(target) => {
                if self.order().contains(&target) {
                    self.focus = target;
                }
            }
            Input::Key(key) => return self.key(key, now),
            Input::Typed(character) => return self.push(character, now),
            Input::Measured { seen, whole } => {
                self.seen = seen;
                self.whole = whole;
                self.scroll_to(self.scroll);
            }
            Input::Reveal { top, bottom } => {
                if top < self.scroll {
                    self.scroll_to(top);
                } else if bottom > self.scroll + self.seen {
                    self.scroll_to(bottom - self.seen);
                }
            }
            Input::Scrolled(by) => self.scroll_to(self.scroll + by),
        }
        Vec::new()
    }

    fn key(&mut self, key: Key, now: Duration) -> Vec<Action> {
        match key {
            Key::Tab => self.step(1),
            Key::BackTab => self.step(-1),
            Key::Enter => {
                // In the field and on a certificate Enter goes on, as in any form.
                let target = match self.focus {
                    Target::Body | Target::Certificate(_) | Target::Secret => Target::Yes,
                    Target::No | Target::Remember | Target::Yes => self.focus,
                };
                return self.press(target, now);
            }
            Key::Space if self.focus == Target::Secret => return self.push(' ', now),
            Key::Space => return self.press(self.focus, now),
            Key::Backspace => return self.erase(),
            Key::Escape => return self.no(Lasting::Once),
            Key::Up | Key::Down => return self.arrow(key),
            Key::PageUp => self.scroll_to(self.scroll - self.seen),
            Key::PageDown => self.scroll_to(self.scroll + self.seen),
            Key::Home => self.scroll_to(0.0),
            Key::End => self.scroll_to(self.whole),
        }
        Vec::new()
    }

    fn step(&mut self, by: isize) {
        let order = self.order();
        let Some(len) = isize::try_from(order.len()).ok().filter(|len| *len > 0) else { return };
        let place = order.iter().position(|target| *target == self.focus);
        let place = place.and_then(|place| isize::try_from(place).ok()).unwrap_or(-1);
        let next = usize::try_from((place + by).rem_euclid(len)).unwrap_or_default();
        if let Some(target) = order.get(next) {
            self.focus = *target;
        }
    }

    fn arrow(&mut self, key: Key) -> Vec<Action> {
        let up = key == Key::Up;
        if let Target::Certificate(chosen) = self.focus {
            let next = if up { chosen.checked_sub(1) } else { chosen.checked_add(1) };
            return next.map(|next| self.choose(next)).unwrap_or_default();
        }
        self.scroll_to(self.scroll + if up { -LINE } else { LINE });
        Vec::new()
    }

    fn press(&mut self, target: Target, now: Duration) -> Vec<Action> {
        match target {
            Target::Body => {}
            Target::Secret => self.focus = Target::Secret,
            Target::Certificate(which) => return self.choose(which),
            Target::Remember if self.remembers() => {
                self.focus = Target::Remember;
                self.lasting = match self.lasting {
                    Lasting::Once => Lasting::Always,
                    Lasting::Always => Lasting::Once,
                };
            }
            Target::Remember => {}
            Target::No => return self.no(self.lasting),
            Target::Yes => return self.say_yes(now),
        }
        Vec::new()
    }

    fn choose(&mut self, which: usize) -> Vec<Action> {
        if self.stage != Stage::Asking || which >= self.summary.certificates.len() {
            return Vec::new();
        }
        self.focus = Target::Certificate(which);
        if which == self.choice {
            return Vec::new();
        }
        // What was typed was for another key.
        self.choice = which;
        self.letters = 0;
        self.typed_early = Typing::InTime;
        vec![Action::Edit(Edit::Clear)]
    }

    fn push(&mut self, character: char, now: Duration) -> Vec<Action> {
        let takes = self.focus == Target::Secret && matches!(self.field(), Field::Typed(_));
        if !takes || character.is_control() || self.letters >= LONGEST_SECRET {
            return Vec::new();
        }
        if self.letters == 0 {
            self.typed_early = if self.armed(now) { Typing::InTime } else { Typing::Early };
        }
        self.letters += 1;
        vec![Action::Edit(Edit::Push(character))]
    }

    fn erase(&mut self) -> Vec<Action> {
        if self.focus != Target::Secret || self.letters == 0 {
            return Vec::new();
        }
        self.letters -= 1;
        vec![Action::Edit(Edit::Erase)]
    }

    fn say_yes(&mut self, now: Duration) -> Vec<Action> {
        match self.yes(now) {
            Button::Live => {}
            Button::Absent | Button::Dead => return Vec::new(),
        }
        let typed = matches!(self.field(), Field::Typed(_));
        if typed && self.typed_early == Typing::Early {
            // Half of it may be in another window: trying it would cost one of the tries.
            self.letters = 0;
            self.typed_early = Typing::ThrownAway;
            self.focus = Target::Secret;
            return vec![Action::Edit(Edit::Clear)];
        }
        if self.is_last_try() {
            self.ask_last_try();
            return Vec::new();
        }
        let (message, key) = match &self.stage {
            Stage::Asking => self.confirmation(LastTry::NotConfirmed),
            Stage::AskingSecret { unlock, .. } => self.secret(unlock, LastTry::NotConfirmed),
            Stage::LastTry { again: None } => self.confirmation(LastTry::Confirmed),
            Stage::LastTry { again: Some(unlock) } => self.secret(unlock, LastTry::Confirmed),
            Stage::AwaitingToken | Stage::Ended { .. } | Stage::Sent | Stage::Signing { .. } => {
                return Vec::new();
            }
        };
        self.enter(Stage::Sent, self.deadline);
        vec![Action::Answer { message, key }, Action::Edit(Edit::Clear)]
    }

    /// The yes, with the key that the secret is sealed to.
    fn confirmation(&self, last_try: LastTry) -> (FromTray, Option<[u8; KEY_LEN]>) {
        let key = self.unlock().and_then(key_of);
        let choice =
            (!self.summary.certificates.is_empty()).then(|| u32::try_from(self.choice).unwrap_or_default());
        let message = FromTray::Confirmed {
            approval: self.approval,
            shown: self.digest,
            choice,
            secret: attached(key.as_ref()),
            last_try,
            lasting: self.lasting,
        };
        (message, key)
    }

    /// The secret that was asked for after the yes, likewise.
    fn secret(&self, unlock: &Unlock, last_try: LastTry) -> (FromTray, Option<[u8; KEY_LEN]>) {
        let key = key_of(unlock);
        (FromTray::Secret { approval: self.approval, secret: attached(key.as_ref()), last_try }, key)
    }

    fn no(&mut self, lasting: Lasting) -> Vec<Action> {
        match (&mut self.stage, lasting) {
            (Stage::Ended { read, .. }, _) => {
                *read = Reading::Done;
                Vec::new()
            }
            (Stage::Signing { done, of }, _) if *of < 2 || *done >= *of => Vec::new(),
            (
                Stage::Asking
                | Stage::AskingSecret { .. }
                | Stage::AwaitingToken
                | Stage::LastTry { .. }
                | Stage::Sent
                | Stage::Signing { .. },
                lasting,
            ) => {
                let message = FromTray::Denied { approval: self.approval, lasting };
                self.enter(Stage::Sent, self.deadline);
                vec![Action::Edit(Edit::Clear), Action::Answer { message, key: None }]
            }
        }
    }

    const fn scroll_to(&mut self, to: f32) {
        self.scroll = to.min(self.whole - self.seen).max(0.0);
    }
}

/// What the secret is sealed to, where one is typed.
const fn key_of(unlock: &Unlock) -> Option<[u8; KEY_LEN]> {
    match field_of(unlock) {
        Field::Typed(_) => unlock.key,
        Field::Locked | Field::Nothing | Field::Reader | Field::TokenAbsent => None,
    }
}

const fn attached<T>(key: Option<&T>) -> SecretAttached {
    match key {
        Some(_) => SecretAttached::Yes,
        None => SecretAttached::No,
    }
}
