//! The requests that come, one after another: what the service says, what the person types.
//!
//! Nothing is approved but by the whole word, typed after the facts were written; every other end
//! of a question (Ctrl-C, a closed terminal, the end of this program) is a no.

use std::{
    collections::VecDeque,
    sync::mpsc::{self, RecvTimeoutError},
    time::{Duration, Instant},
};

use signer_ipc::{
    login::Connection,
    message::{
        self, ApprovalNumber, DIGEST_LEN, Entry, FromTray, Lasting, MessageError, Outcome, SecretAttached,
        SecretReason, ToTray, TrayAttachment, Unlock,
    },
    sealed::{SealedSecret, SealingKey},
    secret::Secret,
    summary::{Kind, Summary},
    token_host::{LastTry, TriesLeft},
};
use zeroize::Zeroizing;

use crate::{
    cli::approve::{
        Happening, after, facts,
        line::{self, Risk, Word},
        terminal::{Echo, Terminal, TerminalError, Typed},
        words,
    },
    text::{Language, Sentence, last_try},
};

/// How long a person who was typing a secret may take to see that it is no longer asked for.
const HAND: Duration = Duration::from_secs(10);
/// When the person is reminded of the time, in seconds before it ends.
const REMINDERS: [u64; 3] = [60, 30, 10];

/// What the service said, and when it was heard.
pub(super) struct Said {
    pub(super) message: ToTray,
    /// With `Present`: what is shown, and its digest.
    pub(super) summary: Option<(Summary, [u8; DIGEST_LEN])>,
    pub(super) heard: Instant,
}

/// Why no further request is asked here.
pub(super) enum Left {
    /// The person ended the program, or closed the terminal.
    ByPerson,
    /// The service is gone.
    ServiceGone(MessageError),
    /// Something came that cannot be shown.
    Unfit,
    /// The terminal fails.
    Terminal(TerminalError),
}

/// Asks the person.
pub(super) struct Requests {
    connection: Connection,
    terminal: Terminal,
    inbox: mpsc::Receiver<Happening>,
    language: Language,
    /// Happened while a question was asked, and not looked at yet.
    put_back: VecDeque<Happening>,
    current: Option<Current>,
}

/// The request that is asked.
struct Current {
    approval: ApprovalNumber,
    deadline: Instant,
}

/// Why a question has no answer.
enum Unanswered {
    /// The person says no.
    Denied(Lasting),
    /// The service said something else meanwhile.
    Overtaken,
    /// The person says no and goes.
    Leaves,
    /// There is nobody to ask, or nobody to tell.
    Left(Left),
}

impl Requests {
    pub(super) fn new(
        connection: Connection,
        terminal: Terminal,
        inbox: mpsc::Receiver<Happening>,
        language: Language,
    ) -> Self {
        let put_back = VecDeque::new();
        let mut requests = Self { connection, terminal, inbox, language, put_back, current: None };
        requests.say(words::READY);
        requests
    }

    /// Asks the next request, to its end. Blocks.
    pub(super) fn next(&mut self) -> Result<Outcome, Left> {
        loop {
            let said = self.hear()?;
            let heard = said.heard;
            match said.message {
                ToTray::Present { approval, deadline_ms, unlocks, waiting } => {
                    let Some((summary, shown)) = said.summary else { return Err(Left::Unfit) };
                    self.current = Some(Current { approval, deadline: after(heard, deadline_ms) });
                    let asked = self.present(approval, &summary, shown, &unlocks, waiting);
                    self.settle(approval, asked)?;
                }
                ToTray::AskSecret { approval, deadline_ms, reason, unlock } => {
                    self.current = Some(Current { approval, deadline: after(heard, deadline_ms) });
                    let asked = self.ask_again(approval, reason, &unlock);
                    self.settle(approval, asked)?;
                }
                ToTray::AwaitToken { approval, deadline_ms } => {
                    self.current = Some(Current { approval, deadline: after(heard, deadline_ms) });
                    let asked = self.await_token();
                    self.settle(approval, asked)?;
                }
                ToTray::Signing { done, of, .. } => {
                    if done == 0 {
                        self.say(words::SIGNING);
                    } else {
                        self.write_line(&words::progress(done, of, self.language));
                    }
                }
                ToTray::Waiting { .. } => {}
                ToTray::Dismiss { outcome, .. } => {
                    self.current = None;
                    self.write_line(&words::outcome(&outcome, self.language));
                    return Ok(outcome);
                }
                ToTray::Hello { .. } | ToTray::Refused { .. } => return Err(Left::Unfit),
            }
        }
    }

    /// Writes a sentence.
    pub(super) fn say(&mut self, sentence: Sentence) {
        self.write_line(self.language.choose(sentence));
    }

    /// Writes a line. A terminal that is closed says so as the end of its keys.
    fn write_line(&mut self, text: &str) {
        let _ = self.terminal.write(&format!("{text}\n"));
    }

    /// What the service says next, while nothing is asked.
    fn hear(&mut self) -> Result<Box<Said>, Left> {
        loop {
            let next = self.put_back.pop_front().map_or_else(|| self.inbox.recv(), Ok);
            match next {
                Ok(Happening::Said(said)) => return Ok(said),
                Ok(Happening::Line(line)) if matches!(line.typed, Typed::End) => return self.leave(),
                Ok(Happening::Stop) | Err(mpsc::RecvError) => return self.leave(),
                Ok(Happening::ServiceGone(error)) => return Err(Left::ServiceGone(error)),
                Ok(Happening::Unfit) => return Err(Left::Unfit),
                // Typed while nothing was asked.
                Ok(Happening::Line(_)) => {}
            }
        }
    }

    /// Says no to what is under way, and goes.
    fn leave<T>(&mut self) -> Result<T, Left> {
        if let Some(current) = self.current.take() {
            self.deny(current.approval, Lasting::Once)?;
        }
        Err(Left::ByPerson)
    }

    /// Does what follows from a question.
    fn settle(&mut self, approval: ApprovalNumber, asked: Result<(), Unanswered>) -> Result<(), Left> {
        match asked {
            Ok(()) | Err(Unanswered::Overtaken) => Ok(()),
            Err(Unanswered::Denied(lasting)) => self.deny(approval, lasting),
            Err(Unanswered::Leaves) => self.leave(),
            Err(Unanswered::Left(left)) => Err(left),
        }
    }

    fn present(
        &mut self,
        approval: ApprovalNumber,
        summary: &Summary,
        shown: [u8; DIGEST_LEN],
        unlocks: &[Unlock],
        waiting: u32,
    ) -> Result<(), Unanswered> {
        for line in facts::lines(summary, self.language) {
            self.write_line(&line);
        }
        if waiting > 0 {
            self.write_line(&format!("  {}", words::waiting(waiting, self.language)));
        }
        self.write_line(&format!("  {}", words::countdown(self.seconds_left(), self.language)));
        let choice = self.choose(unlocks)?;
        let lasting = match self.word(summary.kind)? {
            Word::Approve(lasting) => lasting,
            Word::Deny(lasting) => return Err(Unanswered::Denied(lasting)),
        };
        let unlock =
            choice.and_then(|choice| unlocks.get(choice)).filter(|_| summary.kind == Kind::Signature);
        let last_try = self.last_try(unlock)?;
        let secret = unlock.map(|unlock| self.secret_with(unlock)).transpose()?.flatten();
        let message = FromTray::Confirmed {
            approval,
            shown,
            choice: choice.and_then(|choice| u32::try_from(choice).ok()),
            secret: attached(secret.as_ref()),
            last_try,
            lasting,
        };
        Ok(self.answer(&message, secret)?)
    }

    /// Which certificate, from 0; nothing where there is none to choose.
    fn choose(&mut self, unlocks: &[Unlock]) -> Result<Option<usize>, Unanswered> {
        let mut choice = match unlocks.len() {
            0 => return Ok(None),
            1 => Some(0),
            _ => None,
        };
        loop {
            let chosen = match choice.take() {
                Some(chosen) => chosen,
                None => {
                    let line = self.ask(&words::choose(unlocks.len(), self.language), Echo::Shown)?;
                    match line::number(&line, unlocks.len()) {
                        Some(chosen) => chosen,
                        None => {
                            self.say(words::WRONG_NUMBER);
                            continue;
                        }
                    }
                }
            };
            let Some(unlock) = unlocks.get(chosen) else { return Err(Unanswered::Left(Left::Unfit)) };
            match unlock.entry {
                Entry::Locked => {
                    self.write_line(&words::locked(unlock.unlock_tool.as_deref(), self.language));
                    if unlocks.len() == 1 {
                        return Err(Unanswered::Denied(Lasting::Once));
                    }
                    continue;
                }
                Entry::Reader => self.say(words::READER_LATER),
                Entry::TokenAbsent => self.say(words::TOKEN_LATER),
                Entry::Nothing | Entry::Password | Entry::Pin => {}
            }
            return Ok(Some(chosen));
        }
    }

    /// Yes or no, as a whole word.
    fn word(&mut self, kind: Kind) -> Result<Word, Unanswered> {
        let prompt = match kind {
            Kind::Pairing => words::WRITE_WORD_FOR_PAIRING,
            Kind::Selection | Kind::Signature => words::WRITE_WORD,
        };
        loop {
            let line = self.ask(self.language.choose(prompt), Echo::Shown)?;
            match line::word(&line, kind, self.language) {
                Some(word) => return Ok(word),
                None => self.say(words::NOT_UNDERSTOOD),
            }
        }
    }

    /// Asks for the secret once more, or for the first time.
    fn ask_again(
        &mut self,
        approval: ApprovalNumber,
        reason: SecretReason,
        unlock: &Unlock,
    ) -> Result<(), Unanswered> {
        match reason {
            SecretReason::First => {}
            SecretReason::Incorrect => {
                self.write_line(&words::incorrect(unlock.tries_left, self.language));
            }
            SecretReason::EverySignature => self.say(words::AGAIN_FOR_EVERY_SIGNATURE),
            SecretReason::LastTry => self.say(words::NOT_TRIED),
        }
        let last_try = self.last_try(Some(unlock))?;
        let secret = match unlock.entry {
            Entry::Reader => {
                self.ask(self.language.choose(words::READER_NOW), Echo::Shown)?;
                None
            }
            Entry::Locked | Entry::Nothing | Entry::Password | Entry::Pin | Entry::TokenAbsent => {
                self.secret_with(unlock)?
            }
        };
        let message = FromTray::Secret { approval, secret: attached(secret.as_ref()), last_try };
        Ok(self.answer(&message, secret)?)
    }

    /// Whether the last try may be used, where it is the last: the person types the whole word, or
    /// says no.
    fn last_try(&mut self, unlock: Option<&Unlock>) -> Result<LastTry, Unanswered> {
        let at_stake = unlock.is_some_and(|unlock| {
            unlock.tries_left.is_last() && matches!(unlock.entry, Entry::Pin | Entry::Reader)
        });
        if !at_stake {
            return Ok(LastTry::NotConfirmed);
        }
        self.say(last_try::CAUTION);
        loop {
            let line = self.ask(self.language.choose(words::RISK_OR_DENY), Echo::Shown)?;
            match line::risk(&line, self.language) {
                Some(Risk::Taken) => return Ok(LastTry::Confirmed),
                Some(Risk::Declined) => return Err(Unanswered::Denied(Lasting::Once)),
                None => self.say(words::NOT_UNDERSTOOD),
            }
        }
    }

    /// The secret, sealed to the token host; nothing where none is typed here.
    fn secret_with(&mut self, unlock: &Unlock) -> Result<Option<SealedSecret>, Unanswered> {
        let prompt = match unlock.entry {
            Entry::Password => words::PASSWORD,
            Entry::Pin => words::PIN,
            Entry::Locked | Entry::Nothing | Entry::Reader | Entry::TokenAbsent => return Ok(None),
        };
        // Without a key nothing can be sealed: the service asks again when it has one.
        let Some(key) = unlock.key else { return Ok(None) };
        if unlock.tries_left == TriesLeft::Low {
            self.say(words::FEW_TRIES);
        }
        loop {
            let mut line = self.ask(self.language.choose(prompt), Echo::Hidden)?;
            // A try of a PIN is precious, and none is empty.
            if line.is_empty() && unlock.entry == Entry::Pin {
                self.say(words::EMPTY);
                continue;
            }
            let sealed = Secret::from_bytes(std::mem::take(&mut *line))
                .ok()
                .and_then(|secret| SealingKey::from_bytes(&key).and_then(|key| key.seal(&secret)).ok());
            return sealed.map(Some).ok_or(Unanswered::Left(Left::Unfit));
        }
    }

    /// The token is missing: the service says when it is there, and Enter gives up.
    fn await_token(&mut self) -> Result<(), Unanswered> {
        self.ask(self.language.choose(words::INSERT_TOKEN), Echo::Shown)?;
        Err(Unanswered::Denied(Lasting::Once))
    }

    /// Asks one question and waits for its line.
    fn ask(&mut self, prompt: &str, echo: Echo) -> Result<Zeroizing<Vec<u8>>, Unanswered> {
        self.terminal.begin_question(echo)?;
        self.terminal.write(prompt)?;
        let answer = self.wait_for_line(prompt);
        match (echo, &answer) {
            (Echo::Hidden, Err(Unanswered::Overtaken | Unanswered::Left(_))) => self.wait_for_the_hand(),
            (Echo::Hidden, Ok(_) | Err(Unanswered::Denied(_) | Unanswered::Leaves))
            | (Echo::Shown, Err(_)) => {
                // Nothing shows the end of the line.
                self.write_line("");
            }
            (Echo::Shown, Ok(_)) => {}
        }
        let ended = self.terminal.end_question();
        let line = answer?;
        ended?;
        Ok(line)
    }

    /// A secret is no longer asked for, and the person may be in the middle of it: what is typed
    /// up to Enter is neither shown nor left to whatever reads the terminal next.
    fn wait_for_the_hand(&mut self) {
        let until = Instant::now() + HAND;
        self.write_line("");
        self.say(words::PRESS_ENTER);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.inbox.recv_timeout(left) {
                Ok(Happening::Line(line)) if self.terminal.is_answer(&line) => {
                    if matches!(line.typed, Typed::End) {
                        self.put_back.push_back(Happening::Line(line));
                    }
                    return;
                }
                Ok(Happening::Line(_)) => {}
                Ok(Happening::Stop) => return self.put_back.push_back(Happening::Stop),
                Ok(other @ (Happening::Said(_) | Happening::ServiceGone(_) | Happening::Unfit)) => {
                    self.put_back.push_back(other);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn wait_for_line(&mut self, prompt: &str) -> Result<Zeroizing<Vec<u8>>, Unanswered> {
        loop {
            let wait = self.until_reminder();
            let next = self.put_back.pop_front().map_or_else(|| self.inbox.recv_timeout(wait), Ok);
            match next {
                Ok(Happening::Line(line)) if !self.terminal.is_answer(&line) => {}
                Ok(Happening::Line(line)) => match line.typed {
                    Typed::Text(text) => return Ok(text),
                    Typed::Interrupted => return Err(Unanswered::Denied(Lasting::Once)),
                    Typed::End => return Err(Unanswered::Leaves),
                    Typed::TooLong => self.remark(self.language.choose(words::TOO_LONG), prompt)?,
                },
                Ok(Happening::Said(said)) => {
                    if let ToTray::Waiting { waiting } = said.message {
                        self.remark(&words::waiting(waiting, self.language), prompt)?;
                    } else {
                        self.put_back.push_front(Happening::Said(said));
                        return Err(Unanswered::Overtaken);
                    }
                }
                Ok(Happening::ServiceGone(error)) => return Err(Left::ServiceGone(error).into()),
                Ok(Happening::Unfit) => return Err(Left::Unfit.into()),
                Ok(Happening::Stop) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(Unanswered::Leaves);
                }
                Err(RecvTimeoutError::Timeout) => {
                    let words = words::countdown(self.seconds_left(), self.language);
                    self.remark(&words, prompt)?;
                }
            }
        }
    }

    /// Writes a line between a question and its answer.
    fn remark(&mut self, words: &str, prompt: &str) -> Result<(), TerminalError> {
        self.terminal.write(&format!("\n{words}\n{prompt}"))
    }

    fn left(&self) -> Duration {
        self.current
            .as_ref()
            .map_or(Duration::ZERO, |current| current.deadline.saturating_duration_since(Instant::now()))
    }

    fn seconds_left(&self) -> u64 {
        self.left().as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX)
    }

    /// How long until the person is reminded; after the last reminder the service ends it.
    fn until_reminder(&self) -> Duration {
        let left = self.left();
        REMINDERS
            .iter()
            .map(|seconds| Duration::from_secs(*seconds))
            .find_map(|reminder| left.checked_sub(reminder).filter(|wait| !wait.is_zero()))
            // Longer than the service waits for anything.
            .unwrap_or(Duration::from_secs(86_400))
    }

    fn deny(&mut self, approval: ApprovalNumber, lasting: Lasting) -> Result<(), Left> {
        self.answer(&FromTray::Denied { approval, lasting }, None)
    }

    fn answer(&mut self, message: &FromTray, secret: Option<SealedSecret>) -> Result<(), Left> {
        let attachment = secret.map_or(TrayAttachment::Nothing, TrayAttachment::Secret);
        message::write_from_tray(&mut self.connection, message, &attachment).map_err(Left::ServiceGone)
    }
}

impl From<TerminalError> for Unanswered {
    fn from(error: TerminalError) -> Self {
        Self::Left(Left::Terminal(error))
    }
}

impl From<Left> for Unanswered {
    fn from(left: Left) -> Self {
        Self::Left(left)
    }
}

const fn attached(secret: Option<&SealedSecret>) -> SecretAttached {
    match secret {
        Some(_) => SecretAttached::Yes,
        None => SecretAttached::No,
    }
}
