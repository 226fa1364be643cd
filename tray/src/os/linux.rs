//! Linux: prctl, mlock, and the desktop portal and the icon host over the session bus.

use std::{io, thread};

use rustix::{
    mm::{Advice, madvise, mlock},
    process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit},
};
use zbus::{
    blocking::{Connection, Proxy, connection, fdo},
    zvariant::{OwnedValue, Value},
};

use crate::{
    os::{Appearance, Contrast, Scheme},
    pin::Page,
};

const NAMESPACE: &str = "org.freedesktop.appearance";
/// The portal may have to be started; a desktop without one does not answer at all.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);

/// See [`crate::os::harden`].
pub(super) fn harden() -> io::Result<()> {
    // Also refuses ptrace(2) and /proc/PID/{mem,environ} to other processes of the login.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    Ok(())
}

/// See [`crate::os::keep_in_memory`].
#[expect(unsafe_code, reason = "mlock and madvise take addresses")]
pub(super) fn keep_in_memory(page: &Page) -> io::Result<()> {
    let address = std::ptr::from_ref(page).cast_mut().cast();
    // SAFETY: the range is one live object, aligned to a page and as long as one; locking
    // changes nothing in it.
    unsafe { mlock(address, size_of::<Page>()) }?;
    // SAFETY: as above; DONTDUMP changes what a core file holds, not the memory.
    unsafe { madvise(address, size_of::<Page>(), Advice::LinuxDontDump) }?;
    Ok(())
}

/// See [`crate::os::watch_appearance`].
pub(super) fn watch_appearance(tell: impl Fn(Appearance) + Send + 'static) {
    let watch = move || {
        // Without a bus or a portal the window is light: there is nobody to ask.
        drop(follow(&tell));
    };
    drop(thread::Builder::new().name("appearance".into()).spawn(watch));
}

/// See [`crate::os::has_icon_host`].
pub(super) fn has_icon_host() -> bool {
    let asked = || -> zbus::Result<bool> {
        let bus = session()?;
        let watcher = "org.kde.StatusNotifierWatcher";
        let owned = fdo::DBusProxy::new(&bus)?.name_has_owner(watcher.try_into()?)?;
        if !owned {
            return Ok(false);
        }
        Proxy::new(&bus, watcher, "/StatusNotifierWatcher", watcher)?
            .get_property("IsStatusNotifierHostRegistered")
    };
    asked().unwrap_or(false)
}

fn follow(tell: &(impl Fn(Appearance) + Send)) -> zbus::Result<()> {
    let bus = session()?;
    let portal = Proxy::new(
        &bus,
        "org.freedesktop.portal.Desktop",
        "/org/freedesktop/portal/desktop",
        "org.freedesktop.portal.Settings",
    )?;
    let mut appearance = Appearance {
        scheme: scheme(read(&portal, "color-scheme")?),
        contrast: contrast(read(&portal, "contrast").unwrap_or(0)),
    };
    tell(appearance);
    for change in portal.receive_signal("SettingChanged")? {
        let body = change.body();
        let Ok((namespace, key, value)) = body.deserialize::<(&str, &str, Value<'_>)>() else { continue };
        if namespace != NAMESPACE {
            continue;
        }
        let Some(value) = number(&value) else { continue };
        match key {
            "color-scheme" => appearance.scheme = scheme(value),
            "contrast" => appearance.contrast = contrast(value),
            _ => continue,
        }
        tell(appearance);
    }
    Ok(())
}

fn session() -> zbus::Result<Connection> {
    connection::Builder::session()?.method_timeout(PATIENCE).build()
}

fn read(portal: &Proxy<'_>, key: &str) -> zbus::Result<u32> {
    let value: OwnedValue = portal.call("Read", &(NAMESPACE, key))?;
    number(&value).ok_or_else(|| zbus::Error::Failure(format!("{key} is no number")))
}

/// The portal wraps its number once or twice, by version.
#[expect(clippy::wildcard_enum_match_arm, reason = "zbus's values, of which one is a number here")]
fn number(value: &Value<'_>) -> Option<u32> {
    match value {
        Value::U32(number) => Some(*number),
        Value::Value(inner) => number(inner),
        _ => None,
    }
}

const fn scheme(number: u32) -> Scheme {
    if number == 1 { Scheme::Dark } else { Scheme::Light }
}

const fn contrast(number: u32) -> Contrast {
    if number == 1 { Contrast::High } else { Contrast::Normal }
}
