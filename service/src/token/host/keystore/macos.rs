//! The login's Keychain: a generic password of this program.

use security_framework::passwords::{get_generic_password, set_generic_password};
use signer_ipc::token_host::Failure;
use zeroize::Zeroizing;

use crate::token::host::{
    keystore::{
        derived::{self, Absent},
        unavailable,
    },
    stored::{KEY_LEN, WrappingKey, random},
};

pub(super) const NAME: &str = "keychain";

const SERVICE: &str = "cybercore-signer";
const ACCOUNT: &str = "stored-keys";
/// `errSecItemNotFound`.
const NOT_FOUND: i32 = -25300;

pub(super) fn new_key() -> Result<(WrappingKey, Vec<u8>), Failure> {
    derived::new_key(master)
}

pub(super) fn key(wrapped: &[u8]) -> Result<WrappingKey, Failure> {
    derived::key(wrapped, master)
}

fn master(absent: Absent) -> Result<WrappingKey, Failure> {
    match (get_generic_password(SERVICE, ACCOUNT), absent) {
        (Ok(bytes), Absent::Make | Absent::Refuse) => derived::master(&Zeroizing::new(bytes)),
        (Err(error), Absent::Make) if error.code() == NOT_FOUND => make(),
        (Err(error), Absent::Refuse) if error.code() == NOT_FOUND => Err(derived::lost()),
        (Err(error), Absent::Make | Absent::Refuse) => Err(unavailable(error)),
    }
}

fn make() -> Result<WrappingKey, Failure> {
    let key = Zeroizing::new(random::<KEY_LEN>()?);
    set_generic_password(SERVICE, ACCOUNT, &*key).map_err(unavailable)?;
    Ok(key)
}
