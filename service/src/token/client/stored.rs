//! Stored keys: encrypted by the host that opened the A1 file, and opened by another one later.

use std::path::Path;

use signer_ipc::{
    secret::Secret,
    token_host::{Attachment, Protection, ProtocolError, Request, Response},
};

use crate::token::{
    client::{HostCredential, TokenHost, absolute},
    error::{Step, TokenError},
};

impl TokenHost {
    /// Opens the stored key at `path`. Its certificates are known then; the key stays locked.
    ///
    /// # Errors
    /// Where the file cannot be read or is no stored key.
    pub fn open_stored(&mut self, path: &Path) -> Result<(), TokenError> {
        let path = absolute(path)?;
        self.ask_done(Step::OpenFile, &Request::OpenStored, &Attachment::Bytes(&path))
    }

    /// Encrypts a key of the unlocked A1 file anew, under `password` or, without one, under the
    /// keystore. What comes back is the content of a file for [`TokenHost::open_stored`].
    ///
    /// # Errors
    /// Where the key cannot sign, or the keystore is not there.
    pub fn store(
        &mut self,
        credential: &HostCredential,
        password: Option<&Secret>,
    ) -> Result<Vec<u8>, TokenError> {
        let credential = credential.id;
        let mut answer = match password {
            Some(password) => {
                let sealed = self.sealing_key()?.seal(password).map_err(|_| TokenError::SecretUnreadable)?;
                let request = Request::Store { credential, protection: Protection::Password };
                self.ask(Step::Store, &request, &Attachment::Sealed(&sealed))?
            }
            None => {
                let request = Request::Store { credential, protection: Protection::Keystore };
                self.ask(Step::Store, &request, &Attachment::Nothing)?
            }
        };
        let stored = answer.parts.pop().filter(|_| answer.response == Response::Stored);
        stored.ok_or(TokenError::Protocol(ProtocolError::Malformed))
    }
}
