//! Linux: the environment of this process or, where that knows of no display, the one that the
//! session gave to the login's service manager.

use std::{
    env,
    fs::{self, DirEntry},
    io::Read as _,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

/// How long the service manager may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// One of these shows that there is a display.
const DISPLAYS: [&str; 2] = ["DISPLAY", "WAYLAND_DISPLAY"];
/// What a window needs of its session.
const WANTED: [&str; 9] = [
    "DBUS_SESSION_BUS_ADDRESS",
    "DESKTOP_SESSION",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_CURRENT_DESKTOP",
    "XDG_DATA_DIRS",
    "XDG_SESSION_TYPE",
    "XDG_SESSION_DESKTOP",
];

/// Whether there is a display, or a service manager that may know of one.
pub(in crate::tray) fn display_is_likely() -> bool {
    own() || (manager().is_some_and(|manager| manager.exists()) && any_server())
}

/// What to add to the environment of the tray; `None` where nothing can be shown.
pub(in crate::tray) fn display() -> Option<Vec<(String, String)>> {
    if own() {
        return Some(Vec::new());
    }
    if !manager()?.exists() {
        return None;
    }
    let found = wanted(&ask_manager()?);
    found.iter().any(|(name, _)| DISPLAYS.contains(&name.as_str())).then_some(found)
}

fn own() -> bool {
    DISPLAYS.iter().any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}

fn manager() -> Option<PathBuf> {
    Some(PathBuf::from(env::var_os("XDG_RUNTIME_DIR")?).join("systemd/private"))
}

/// Whether a display server seems to run for this login.
fn any_server() -> bool {
    let own_wayland = env::var_os("XDG_RUNTIME_DIR")
        .is_some_and(|directory| any_entry(Path::new(&directory), |entry| is_named(entry, "wayland-")));
    own_wayland || any_entry(Path::new("/tmp/.X11-unix"), may_be_ours)
}

fn any_entry(directory: &Path, fits: impl Fn(&DirEntry) -> bool) -> bool {
    fs::read_dir(directory).into_iter().flatten().flatten().any(|entry| fits(&entry))
}

fn is_named(entry: &DirEntry, start: &str) -> bool {
    entry.file_name().to_string_lossy().starts_with(start)
}

/// An X server of a login runs as its user or as root; one of another login is not for us.
fn may_be_ours(socket: &DirEntry) -> bool {
    let own = rustix::process::getuid().as_raw();
    socket.metadata().is_ok_and(|metadata| metadata.uid() == own || metadata.uid() == 0)
}

fn ask_manager() -> Option<String> {
    let mut child = Command::new("systemctl")
        .args(["--user", "show-environment"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdout = child.stdout.take()?;
    let (answered, answer) = mpsc::channel();
    let reader = thread::Builder::new().name("session".to_owned()).spawn(move || {
        let mut text = String::new();
        let read = stdout.read_to_string(&mut text).map(|_| text);
        let _ = answered.send(read);
    });
    let text = reader.ok().and_then(|_| answer.recv_timeout(PATIENCE).ok());
    if text.is_none() {
        let _ = child.kill();
    }
    let _ = child.wait();
    text?.ok()
}

/// The variables that a window needs, of lines as `systemctl show-environment` writes them. Values
/// with characters that a shell would not take as they are come quoted and are left out.
fn wanted(text: &str) -> Vec<(String, String)> {
    text.lines()
        .filter_map(|line| line.split_once('='))
        .filter(|(name, value)| WANTED.contains(name) && !value.is_empty() && !value.starts_with('$'))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_window_needs_is_taken() {
        let text = "HOME=/home/ana\nDISPLAY=:0\nWAYLAND_DISPLAY=\nXAUTHORITY=/run/x=y\n\
                    XDG_CURRENT_DESKTOP=$'a\\nb'\nLD_PRELOAD=/tmp/x.so\n";
        let expected = [("DISPLAY", ":0"), ("XAUTHORITY", "/run/x=y")];
        assert_eq!(wanted(text), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
