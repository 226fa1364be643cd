//! What the host lists: certificates whose private keys it can use.

use signer_ipc::token_host::{self, Attachment, ProtocolError, Request, Response};

use crate::token::{
    client::{TokenDescription, TokenHost},
    error::{Step, TokenError},
};

/// A certificate whose private key the host can use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCredential {
    /// The certificate in DER.
    pub certificate_der: Vec<u8>,
    /// Other certificates of the same source, in no order: possible issuers.
    pub chain_der: Vec<Vec<u8>>,
    /// The label of the token; nothing for an A1 file.
    pub token_label: Option<String>,
    /// The name its owner gave it.
    pub friendly_name: Option<String>,
    /// When its key wants its secret, as far as the key can be seen.
    pub wants: SecretWanted,
    /// What its host calls it; without meaning for another host.
    pub(super) id: u32,
}

/// When a key wants its PIN or password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretWanted {
    /// For each signature (`CKA_ALWAYS_AUTHENTICATE`).
    EachTime,
    /// Once.
    Once,
}

impl TokenHost {
    /// What can sign: of one token, of all tokens of the module (`None`), or of the A1 file.
    ///
    /// Before a token is unlocked its private keys are usually hidden; every certificate that is
    /// not a certification authority's is listed then.
    ///
    /// # Errors
    /// Where the token fails, or the A1 file is still locked.
    pub fn credentials(
        &mut self,
        token: Option<&TokenDescription>,
    ) -> Result<Vec<HostCredential>, TokenError> {
        let request = Request::Credentials { slot: token.map(|token| token.slot) };
        self.ask_ready(Step::Credentials, &request, &Attachment::Nothing)?;
        self.receive_credentials()
    }

    /// Asks for the tokens of the module and for what can sign of each, in one request: each costs
    /// both sides a wake-up.
    ///
    /// # Errors
    /// Where the module fails; the host is over then.
    pub fn look(mut self) -> Result<Look, TokenError> {
        let tokens = self.ask_tokens(&Request::Look)?.into_iter();
        Ok(Look { host: self, tokens })
    }

    fn receive_credentials(&mut self) -> Result<Vec<HostCredential>, TokenError> {
        let answer = self.receive_success(Step::Credentials)?;
        let Response::Credentials { credentials } = answer.response else {
            return Err(ProtocolError::Malformed.into());
        };
        let mut parts = answer.parts.into_iter();
        let take = |credential: token_host::Credential| {
            let certificate_der = parts.next()?;
            let issuers = usize::try_from(credential.issuers).ok()?;
            let chain_der: Vec<_> = parts.by_ref().take(issuers).collect();
            (chain_der.len() == issuers).then_some(HostCredential {
                certificate_der,
                chain_der,
                token_label: credential.token_label,
                friendly_name: credential.friendly_name,
                wants: if credential.always_authenticate {
                    SecretWanted::EachTime
                } else {
                    SecretWanted::Once
                },
                id: credential.id,
            })
        };
        let credentials: Option<Vec<_>> = credentials.into_iter().map(take).collect();
        credentials.ok_or(TokenError::Protocol(ProtocolError::Malformed))
    }
}

/// What a module shows, one token after the other, as the module gets there. Each step blocks until
/// the module has told.
pub struct Look {
    host: TokenHost,
    /// Those whose credentials are still to come.
    tokens: std::vec::IntoIter<TokenDescription>,
}

impl Iterator for Look {
    type Item = (TokenDescription, Result<Vec<HostCredential>, TokenError>);

    fn next(&mut self) -> Option<Self::Item> {
        let token = self.tokens.next()?;
        Some((token, self.host.receive_credentials()))
    }
}

impl Look {
    /// The tokens that are still to come.
    pub fn tokens(&self) -> &[TokenDescription] {
        self.tokens.as_slice()
    }

    /// The host, once everything was told; nothing before, when it would answer out of turn.
    pub fn into_host(self) -> Option<TokenHost> {
        self.tokens.as_slice().is_empty().then_some(self.host)
    }
}
