//! What those who ask the person say, and what is heard of the tray's process.

use signer_core::{
    approval::Event,
    digest::{Digest, DigestAlgorithm},
};
use signer_ipc::{
    message::{FromTray, Role, TrayAttachment, Unlock},
    sealed::SealedSecret,
};

use crate::{
    agents::{AgentId, Heard},
    approvals::{asking::Asker, driver::Driver, request},
};

impl Driver {
    pub(super) fn heard(&mut self, heard: Heard) {
        match heard {
            Heard::Joined { agent, role, process: _ } => self.joined(agent, role),
            Heard::Left { agent, process } => {
                self.tray_left(process);
                if self.current.as_ref().is_some_and(|current| current.is_asked_by(agent)) {
                    self.feed(Event::TrayGone);
                }
            }
            Heard::Said { agent, message, attachment } => {
                self.trust(agent);
                if self.current.as_ref().is_some_and(|current| current.is_asked_by(agent)) {
                    self.said(agent, message, attachment);
                }
            }
        }
    }

    fn joined(&mut self, agent: AgentId, role: Role) {
        let Some(current) = &self.current else { return };
        match (role, &current.asker) {
            (Role::Tray, Asker::Starting { .. }) => {
                self.desk.forget_no_display();
                self.asked_by(agent);
            }
            // The tray is late already.
            (Role::Terminal, Asker::Starting { start, fall_back_at: None }) => {
                let start = *start;
                self.fall_back(start, agent);
            }
            (Role::Terminal, Asker::Starting { fall_back_at: Some(_), .. })
            | (Role::Terminal | Role::Tray, Asker::Agent(_) | Asker::Nobody) => {}
        }
    }

    fn said(&mut self, agent: AgentId, message: FromTray, attachment: TrayAttachment) {
        let Some(current) = &mut self.current else { return };
        let number = current.number;
        match message {
            FromTray::Confirmed { approval, shown, choice, secret: _, last_try, lasting }
                if approval == number =>
            {
                current.secret = secret_of(attachment);
                current.lasting = lasting;
                // An impossible length is no digest of ours, and so not of what is asked.
                let Some(shown) = Digest::new(DigestAlgorithm::Sha256, shown.to_vec()) else { return };
                self.feed(Event::Confirmed { shown, choice, last_try: request::last_try(last_try) });
            }
            FromTray::Denied { approval, lasting } if approval == number => {
                current.lasting = lasting;
                self.feed(Event::Denied);
            }
            FromTray::Secret { approval, secret: _, last_try } if approval == number => {
                current.secret = secret_of(attachment);
                self.feed(Event::SecretGiven { last_try: request::last_try(last_try) });
            }
            // About one that has ended meanwhile.
            FromTray::Confirmed { .. } | FromTray::Denied { .. } | FromTray::Secret { .. } => {}
            FromTray::Hello { .. } => {
                tracing::warn!("a second greeting on one connection");
                self.desk.agents.dismiss(agent);
            }
        }
        // What the machine did not take is not kept.
        if let Some(current) = &mut self.current {
            current.secret = None;
        }
    }

    pub(super) fn unlock_next_with(&mut self, unlock: Unlock) {
        if let Some(current) = &mut self.current {
            current.next_unlock = Some(unlock);
        }
    }
}

fn secret_of(attachment: TrayAttachment) -> Option<SealedSecret> {
    match attachment {
        TrayAttachment::Secret(secret) => Some(secret),
        TrayAttachment::Nothing | TrayAttachment::OneTime(_) => None,
    }
}
