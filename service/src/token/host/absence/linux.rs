//! What logind tells (`org.freedesktop.login1`): the computer is about to sleep, the session is to
//! be locked, or is locked.

use futures_util::StreamExt as _;
use zbus::{
    Connection, MatchRule, MessageStream,
    message::Type,
    zvariant::{OwnedObjectPath, OwnedValue},
};

const LOGIND: &str = "org.freedesktop.login1";

/// Blocks until the person may be away. Fails where that will not be told.
pub(super) fn wait() -> zbus::Result<()> {
    zbus::block_on(async {
        let bus = Connection::system().await?;
        let session = session(&bus).await;
        let rule = |interface: &'static str, member: &'static str| {
            MatchRule::builder().msg_type(Type::Signal).sender(LOGIND)?.interface(interface)?.member(member)
        };
        let sleep = rule("org.freedesktop.login1.Manager", "PrepareForSleep")?.build();
        let mut told = vec![MessageStream::for_match_rule(sleep, &bus, None).await?];
        if let Ok(session) = &session {
            for (interface, member) in [
                ("org.freedesktop.login1.Session", "Lock"),
                ("org.freedesktop.DBus.Properties", "PropertiesChanged"),
            ] {
                let rule = rule(interface, member)?.path(session.as_str())?.build();
                told.push(MessageStream::for_match_rule(rule, &bus, None).await?);
            }
            if is_locked(&bus, session).await.unwrap_or(false) {
                return Ok(());
            }
        }
        let mut told = futures_util::stream::select_all(told);
        while let Some(message) = told.next().await {
            let message = message?;
            let header = message.header();
            let away = match header.member().map(|member| member.as_str()) {
                // False when it wakes up again.
                Some("PrepareForSleep") => message.body().deserialize::<bool>().unwrap_or(true),
                Some("Lock") => true,
                _ => match &session {
                    Ok(session) => is_locked(&bus, session).await.unwrap_or(false),
                    Err(_) => false,
                },
            };
            if away {
                return Ok(());
            }
        }
        Err(zbus::Error::Unsupported)
    })
}

/// The session of this process; of a process that belongs to none, the one its user sees.
async fn session(bus: &Connection) -> zbus::Result<OwnedObjectPath> {
    let logins = (LOGIND, "/org/freedesktop/login1", "org.freedesktop.login1.Manager");
    let own = bus
        .call_method(Some(logins.0), logins.1, Some(logins.2), "GetSessionByPID", &std::process::id())
        .await;
    if let Ok(reply) = own {
        return reply.body().deserialize();
    }
    // A service of systemd's user manager is in no session of its own.
    let user: OwnedObjectPath = bus
        .call_method(Some(logins.0), logins.1, Some(logins.2), "GetUser", &rustix::process::getuid().as_raw())
        .await?
        .body()
        .deserialize()?;
    let display = property(bus, &user, "org.freedesktop.login1.User", "Display").await?;
    let (_, path): (String, OwnedObjectPath) = display.try_into()?;
    Ok(path)
}

async fn is_locked(bus: &Connection, session: &OwnedObjectPath) -> zbus::Result<bool> {
    let locked = property(bus, session, "org.freedesktop.login1.Session", "LockedHint").await?;
    Ok(bool::try_from(locked)?)
}

async fn property(
    bus: &Connection,
    path: &OwnedObjectPath,
    interface: &str,
    name: &str,
) -> zbus::Result<OwnedValue> {
    let reply = bus
        .call_method(
            Some(LOGIND),
            path.as_str(),
            Some("org.freedesktop.DBus.Properties"),
            "Get",
            &(interface, name),
        )
        .await?;
    reply.body().deserialize()
}
