//! Windows: two anonymous pipes, inherited as standard input and output.

use std::{
    fs::File,
    io,
    os::windows::io::{AsHandle as _, AsRawHandle as _, OwnedHandle},
    process::{Child, Command, Stdio},
};

use windows_sys::Win32::System::Console::{STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle};

pub(in crate::endpoint) type Receiver = File;
pub(in crate::endpoint) type Sender = File;

/// Starts `command` with the other ends as its standard input and output.
pub(in crate::endpoint) fn spawn(mut command: Command) -> io::Result<(Child, Receiver, Sender)> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    match (child.stdin.take(), child.stdout.take()) {
        (Some(stdin), Some(stdout)) => {
            Ok((child, File::from(OwnedHandle::from(stdout)), File::from(OwnedHandle::from(stdin))))
        }
        (None | Some(_), None | Some(_)) => Err(io::ErrorKind::BrokenPipe.into()),
    }
}

/// Takes the pipes and puts `NUL` where a module would look for them.
pub(in crate::endpoint) fn inherited() -> io::Result<(Receiver, Sender)> {
    let receiver = File::from(io::stdin().as_handle().try_clone_to_owned()?);
    let sender = File::from(io::stdout().as_handle().try_clone_to_owned()?);
    for which in [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE] {
        let nothing = File::options().read(true).write(true).open("NUL")?;
        replace(which, nothing)?;
    }
    Ok((receiver, sender))
}

#[expect(unsafe_code, reason = "the standard library cannot replace a standard handle")]
fn replace(which: u32, with: File) -> io::Result<()> {
    // SAFETY: the handle is open, and it stays open for the life of the process because the file
    // is forgotten right below.
    let replaced = unsafe { SetStdHandle(which, with.as_raw_handle()) };
    std::mem::forget(with);
    if replaced == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// A pipe ends when its handle is closed; dropping it does that.
pub(in crate::endpoint) fn close(_sender: &Sender) {}
