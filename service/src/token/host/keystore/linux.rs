//! The Secret Service (freedesktop.org) on the session bus, found by `DBUS_SESSION_BUS_ADDRESS`
//! or in `XDG_RUNTIME_DIR`. What it gives travels encrypted even on the bus.

use std::collections::HashMap;

use secret_service::{
    EncryptionType, Error,
    blocking::{Item, SecretService},
};
use signer_ipc::token_host::Failure;
use zeroize::Zeroizing;

use crate::token::host::{
    keystore::{
        derived::{self, Absent},
        unavailable,
    },
    stored::{KEY_LEN, WrappingKey, random},
};

pub(super) const NAME: &str = "secret-service";

/// What the person sees of it among the other secrets of the login.
const LABEL: &str = "CyberCore Signer";
/// By what it is found.
const ATTRIBUTES: [(&str, &str); 2] = [("application", "cybercore-signer"), ("key", "stored-keys")];

pub(super) fn new_key() -> Result<(WrappingKey, Vec<u8>), Failure> {
    derived::new_key(master)
}

pub(super) fn key(wrapped: &[u8]) -> Result<WrappingKey, Failure> {
    derived::key(wrapped, master)
}

fn master(absent: Absent) -> Result<WrappingKey, Failure> {
    let service = SecretService::connect(EncryptionType::Dh).map_err(refused)?;
    let found = service.search_items(HashMap::from(ATTRIBUTES)).map_err(refused)?;
    if let Some(item) = found.unlocked.first().or(found.locked.first()) {
        return read(item);
    }
    match absent {
        Absent::Make => make(&service),
        Absent::Refuse => Err(derived::lost()),
    }
}

fn read(item: &Item<'_>) -> Result<WrappingKey, Failure> {
    // The keystore may ask the person for its own password.
    if item.is_locked().map_err(refused)? {
        item.unlock().map_err(refused)?;
    }
    derived::master(&Zeroizing::new(item.get_secret().map_err(refused)?))
}

fn make(service: &SecretService<'_>) -> Result<WrappingKey, Failure> {
    let collection = service.get_default_collection().map_err(refused)?;
    if collection.is_locked().map_err(refused)? {
        collection.unlock().map_err(refused)?;
    }
    let key = Zeroizing::new(random::<KEY_LEN>()?);
    collection
        .create_item(LABEL, HashMap::from(ATTRIBUTES), &*key, false, "application/octet-stream")
        .map_err(refused)?;
    Ok(key)
}

fn refused(error: Error) -> Failure {
    unavailable(error)
}
