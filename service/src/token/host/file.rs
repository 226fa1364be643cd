//! The file of a credential, read whole into memory that is overwritten later.

use std::{fs::File, io::Read as _, path::Path};

use signer_ipc::token_host::Failure;
use zeroize::Zeroizing;

/// A larger file holds no credential.
const MAX_LEN: u64 = 1 << 20;

/// Reads the file at `path`, which must be a plain one.
pub(super) fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let unreadable = |error: std::io::Error| Failure::FileUnreadable { reason: error.to_string() };
    // Opening anything else, such as a pipe, could wait for ever.
    if !path.metadata().map_err(unreadable)?.is_file() {
        return Err(Failure::FileUnreadable { reason: "it is not a regular file".to_owned() });
    }
    let file = File::open(path).map_err(unreadable)?;
    let capacity = usize::try_from(MAX_LEN + 1).unwrap_or(usize::MAX);
    let mut bytes = Zeroizing::new(Vec::with_capacity(capacity));
    file.take(MAX_LEN + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() >= capacity {
        return Err(Failure::FileDamaged { reason: "it is larger than 1 MiB".to_owned() });
    }
    Ok(bytes)
}
