//! Web origins (RFC 6454) that may speak to the service, and the hosts it answers to.

use url::{Host, Url};

/// An origin that a browser vouches for: `https`, or `http` on this machine. Opaque ones and
/// those of other schemes do not exist here.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    text: String,
    host: String,
}

impl Origin {
    /// Reads the value of an `Origin` field: exactly one origin, written as browsers write it.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let host = url.host()?;
        let secure = match url.scheme() {
            "https" => true,
            "http" => is_loopback(&host),
            _ => false,
        };
        // The serialisation has neither path nor user, and one form only.
        (secure && url.origin().ascii_serialization() == text)
            .then(|| Self { text: text.to_owned(), host: host.to_string() })
    }

    /// As it was written.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Its host, in ASCII: look-alikes in other scripts show as what they are.
    pub(super) fn host(&self) -> &str {
        &self.host
    }
}

fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

/// Whether a `Host` field names this service: exactly one of its three names, with or without a
/// port. Anything else is another name that was made to point here (DNS rebinding).
pub(super) fn is_own_host(text: &str) -> bool {
    ["127.0.0.1", "[::1]", "localhost"].into_iter().any(|name| match text.strip_prefix(name) {
        Some("") => true,
        Some(rest) => rest.strip_prefix(':').is_some_and(is_port),
        None => false,
    })
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok_and(|port| port != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secure_origins_and_those_of_this_machine_are_taken() {
        for (text, host) in [
            ("https://erp.example", "erp.example"),
            ("https://erp.example:8443", "erp.example"),
            ("https://xn--caf-dma.example", "xn--caf-dma.example"),
            ("https://192.0.2.7", "192.0.2.7"),
            ("http://localhost", "localhost"),
            ("http://localhost:3000", "localhost"),
            ("http://app.localhost:3000", "app.localhost"),
            ("http://127.0.0.1:8080", "127.0.0.1"),
            ("http://[::1]:8080", "[::1]"),
        ] {
            let origin = Origin::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((origin.as_str(), origin.host()), (text, host));
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "null",
            "*",
            "erp.example",
            "http://erp.example",
            "http://192.168.0.7",
            "http://127.0.0.1.example",
            "http://localhost.example",
            "https://erp.example/",
            "https://erp.example/page",
            "https://erp.example:443",
            "https://ERP.example",
            "https://user@erp.example",
            "https://erp.example https://other.example",
            "https://erp.example,https://other.example",
            "https://café.example",
            "https:erp.example",
            "https://",
            "file://",
            "data:text/html,x",
            "chrome-extension://abcdefghijklmnop",
            "ftp://erp.example",
            "http://127.1",
            "http://0x7f.0.0.1",
            " https://erp.example",
        ] {
            assert_eq!(Origin::parse(text), None, "{text}");
        }
    }

    #[test]
    fn own_hosts_are_three() {
        for text in ["127.0.0.1", "127.0.0.1:29443", "[::1]", "[::1]:29446", "localhost", "localhost:1"] {
            assert!(is_own_host(text), "{text}");
        }
        for text in [
            "",
            "LOCALHOST",
            "localhost.",
            "localhost:",
            "localhost:0",
            "localhost:99999",
            "localhost:+1",
            "localhost:29443:1",
            "localhost@evil.example",
            "127.0.0.1.evil.example",
            "127.0.0.2",
            "127.1",
            "::1",
            "[::1].evil",
            "[0:0:0:0:0:0:0:1]",
            "evil.example",
            "0.0.0.0:29443",
            " localhost",
        ] {
            assert!(!is_own_host(text), "{text}");
        }
    }
}
