//! Small files of ours, read whole: never a device or a pipe, and never more than they may hold.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
};

/// Reads the file at `path`.
///
/// # Errors
/// Where it is not there, is no regular file, is longer than `longest` bytes, or cannot be read.
pub fn read(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    // Opening a pipe would wait for somebody to write.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is no regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(longest.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        fs::write(&path, b"1234").unwrap();
        assert_eq!(read(&path, 4).unwrap(), b"1234");
        assert_eq!(read(&path, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read(&place.path().join("missing"), 3).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(read(place.path(), 3).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_without_end_is_no_file() {
        assert_eq!(read(Path::new("/dev/zero"), 3).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
