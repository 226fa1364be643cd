//! Which machine this is.

/// The systems that `setup` tells apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Machine {
    /// Debian, Ubuntu and what is made from them: packages come from apt.
    Debian {
        /// The distribution's own name.
        name: String,
    },
    /// Any other system.
    Other {
        /// Its name.
        name: String,
    },
}

/// This machine.
pub(crate) fn here() -> Machine {
    match std::fs::read_to_string("/etc/os-release") {
        Ok(text) => parse(&text),
        Err(_) => Machine::Other { name: std::env::consts::OS.to_owned() },
    }
}

/// Reads os-release(5).
fn parse(text: &str) -> Machine {
    let value = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        line.unwrap_or_default().trim_matches(['"', '\'']).to_owned()
    };
    let name = value("PRETTY_NAME");
    let families = format!("{} {}", value("ID"), value("ID_LIKE"));
    if families.split_whitespace().any(|family| family == "debian" || family == "ubuntu") {
        Machine::Debian { name }
    } else {
        Machine::Other { name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debian_ubuntu_and_what_is_like_them_have_apt() {
        let named = |name: &str| Machine::Debian { name: name.to_owned() };
        assert_eq!(parse("PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n"), named("Debian GNU/Linux 12"));
        assert_eq!(parse("PRETTY_NAME='Mint'\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"), named("Mint"));
    }

    #[test]
    fn others_are_named() {
        assert_eq!(
            parse("ID=fedora\nPRETTY_NAME=\"Fedora Linux\"\n"),
            Machine::Other { name: "Fedora Linux".into() }
        );
    }
}
