//! One pass over a document: copied to the destination while the copy is hashed.
//!
//! What is hashed are the bytes of the copy, so the digest is that of the output even if
//! somebody writes to the input meanwhile. From one mebibyte on, a second thread
//! copies inside the kernel and the caller's thread hashes behind it: hashing is the slower
//! of the two, so the copy costs nothing.

use std::{
    fs::File,
    io::{self, Write},
    sync::mpsc,
};

use signer_core::digest::{DigestAlgorithm, RunningDigest};

use crate::file::{platform, source::read_at};

/// Hashing buffer: large enough to amortise a system call, small enough to stay in the second-level cache.
const BUFFER_BYTES: usize = 256 << 10;
/// Files below this length are copied and hashed by one thread: starting another costs more.
const TWO_THREADS_FROM: u64 = 1 << 20;
/// What the copying thread moves before it reports: hashing begins when the first stride is there.
const STRIDE_BYTES: u64 = 256 << 10;

/// Copies the first `len` bytes of `from` to the empty file `to` and hashes them. Blocks;
/// `progress` hears how many bytes are done.
///
/// # Errors
/// What reading or writing says; a source shorter than `len` is an error.
pub fn copy_and_digest(
    from: &File,
    to: &File,
    len: u64,
    algorithm: DigestAlgorithm,
    progress: &mut dyn FnMut(u64),
) -> io::Result<RunningDigest> {
    if len < TWO_THREADS_FROM {
        copy_on_one_thread(from, to, len, algorithm, progress)
    } else {
        copy_on_two_threads(from, to, len, algorithm, progress)
    }
}

fn copy_on_one_thread(
    from: &File,
    mut to: &File,
    len: u64,
    algorithm: DigestAlgorithm,
    progress: &mut dyn FnMut(u64),
) -> io::Result<RunningDigest> {
    let mut digest = RunningDigest::new(algorithm);
    let mut buffer = vec![0; BUFFER_BYTES.min(usize::try_from(len).unwrap_or(BUFFER_BYTES)).max(1)];
    let mut done = 0;
    while done < len {
        let part = read_part(from, done, len, &mut buffer)?;
        to.write_all(part)?;
        digest.update(part);
        done += part.len() as u64;
        progress(done);
    }
    Ok(digest)
}

fn copy_on_two_threads(
    from: &File,
    to: &File,
    len: u64,
    algorithm: DigestAlgorithm,
    progress: &mut dyn FnMut(u64),
) -> io::Result<RunningDigest> {
    let (report, copied) = mpsc::channel();
    std::thread::scope(|scope| {
        let copier = scope.spawn(move || -> io::Result<()> {
            let mut done = 0;
            while done < len {
                done += platform::copy_range(from, to, done, STRIDE_BYTES.min(len - done))?;
                // The hashing side is gone only when it failed; its error is the one that counts.
                if report.send(done).is_err() {
                    break;
                }
            }
            Ok(())
        });
        let digest = digest_behind(to, &copied, algorithm, progress);
        drop(copied);
        match copier.join() {
            Ok(result) => result?,
            Err(_) => return Err(io::Error::other("the copying thread panicked")),
        }
        let (digest, done) = digest?;
        if done == len { Ok(digest) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    })
}

/// Hashes what the copying thread reports as done, until it is gone.
fn digest_behind(
    copy: &File,
    copied: &mpsc::Receiver<u64>,
    algorithm: DigestAlgorithm,
    progress: &mut dyn FnMut(u64),
) -> io::Result<(RunningDigest, u64)> {
    let mut digest = RunningDigest::new(algorithm);
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut done = 0;
    while let Ok(available) = copied.recv() {
        while done < available {
            let part = read_part(copy, done, available, &mut buffer)?;
            digest.update(part);
            done += part.len() as u64;
        }
        progress(done);
    }
    Ok((digest, done))
}

/// Reads from `offset` up to `end` or a buffer full.
fn read_part<'b>(file: &File, offset: u64, end: u64, buffer: &'b mut [u8]) -> io::Result<&'b [u8]> {
    let wanted = usize::try_from(end - offset).unwrap_or(usize::MAX).min(buffer.len());
    let window = buffer.get_mut(..wanted).unwrap_or_default();
    let count = read_at(file, offset, window)?;
    if count < wanted {
        return Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            "the file became shorter while it was read",
        ));
    }
    Ok(window)
}

/// The plain way, where the kernel cannot copy between the two files.
///
/// # Errors
/// What reading or writing says.
pub(super) fn copy_through_memory(from: &File, mut to: &File, offset: u64, count: u64) -> io::Result<u64> {
    use std::io::{Seek, SeekFrom};

    let mut buffer = vec![0; BUFFER_BYTES];
    let part = read_part(from, offset, offset.saturating_add(count.min(BUFFER_BYTES as u64)), &mut buffer)?;
    to.seek(SeekFrom::Start(offset))?;
    to.write_all(part)?;
    Ok(part.len() as u64)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek};

    use super::*;

    fn check(len: u64) {
        let directory = std::env::temp_dir();
        let bytes: Vec<u8> = (0..len).map(|index| u8::try_from(index * 7 % 251).unwrap()).collect();
        let mut from = tempfile::tempfile_in(&directory).unwrap();
        let mut to = tempfile::tempfile_in(&directory).unwrap();
        from.write_all(&bytes).unwrap();
        let mut last = 0;
        let digest =
            copy_and_digest(&from, &to, len, DigestAlgorithm::Sha256, &mut |done| last = done).unwrap();
        assert_eq!(digest.finish(), DigestAlgorithm::Sha256.digest(&bytes));
        assert_eq!(last, len);
        let mut copied = Vec::new();
        to.rewind().unwrap();
        to.read_to_end(&mut copied).unwrap();
        assert!(copied == bytes);
    }

    #[test]
    fn the_copy_and_its_digest_are_those_of_the_source() {
        for len in [1, 4096, TWO_THREADS_FROM - 1, TWO_THREADS_FROM, 3 * STRIDE_BYTES + 17] {
            check(len);
        }
    }

    #[test]
    fn a_source_that_is_shorter_than_it_was_is_an_error() {
        let from = tempfile::tempfile().unwrap();
        from.set_len(TWO_THREADS_FROM).unwrap();
        for len in [TWO_THREADS_FROM + 1, 2 * TWO_THREADS_FROM + 9] {
            let to = tempfile::tempfile().unwrap();
            let result = copy_and_digest(&from, &to, len, DigestAlgorithm::Sha256, &mut |_| ());
            assert!(result.is_err());
        }
    }
}
