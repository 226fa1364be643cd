//! An unlocked token host and what one signature with it takes, for tests that call the library.

use std::path::Path;

use signer_core::{
    cms::certificate::Certificate,
    moment::Moment,
    pades::prepare::{PageChoice, Room, Target, Terms},
    pdf::permission::SignatureType,
    seal::{Corner, Placement},
    trust,
};
use signer_ipc::secret::Secret;
use signer_service::{
    sign::Signer,
    token::{client::TokenHost, error::TokenError},
};

use crate::signing::{PASSWORD, a1};

/// A token host that has opened an A1 file of the test PKI, and its credential.
pub struct Unlocked {
    /// The host.
    pub host: TokenHost,
    /// Certificate and chain.
    pub signer: Signer,
}

impl Unlocked {
    /// Starts a host from `program` and unlocks the A1 file `key`.
    ///
    /// # Errors
    /// What the host says.
    ///
    /// # Panics
    /// Where the test PKI is not what it should be.
    pub fn start(program: &Path, key: &str) -> Result<Self, TokenError> {
        let mut host = TokenHost::spawn(program)?;
        host.open_file(&a1(key))?;
        let secret = Secret::from_reader(PASSWORD.as_bytes()).expect("a password is a secret");
        host.unlock(None, &secret)?;
        let credential = host.credentials(None)?.pop().expect("the A1 file has a credential");
        let certificate = Certificate::from_der(&credential.certificate_der).expect("its certificate reads");
        let pool: Vec<_> =
            credential.chain_der.iter().filter_map(|der| Certificate::from_der(der).ok()).collect();
        let chain = trust::order_chain(&certificate, &pool);
        Ok(Self { host, signer: Signer { credential, certificate, chain } })
    }
}

/// A new field on the first page without a seal, at a moment that suits the test PKI.
///
/// # Panics
/// Never: the moment exists.
pub fn invisible<'a>() -> Terms<'a> {
    Terms {
        digest: None,
        moment: Moment::new(1_790_000_000, -180).expect("a moment"),
        signature_type: SignatureType::Approval,
        target: Target::NewField {
            name: None,
            page: PageChoice::Number(1),
            placement: Placement::at(Corner::TopLeft),
        },
        seal: None,
        reason: None,
        location: None,
        name: None,
        room: Room::Estimated,
    }
}
