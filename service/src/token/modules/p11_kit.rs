//! Modules that are registered with p11-kit: pkcs11.conf(5), as `p11-kit` 0.23 and later read it.
//!
//! One thing differs: `p11-kit` leaves the login's own files out where it runs as root. This
//! program reads its own configuration from the same place, and so reads these, too.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use crate::file::bounded;

/// What `enable-in` and `disable-in` call this program.
const PROGRAM: &str = "cybercore-signer";
/// The longest file in bytes.
const LONGEST: u64 = 1 << 20;
/// How the files of modules end.
const SUFFIX: &str = ".module";

/// Where the files of `p11-kit` lie.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folders {
    /// `pkcs11.conf` of the system and, second, of the login.
    pub settings: [PathBuf; 2],
    /// The login's modules.
    pub user: PathBuf,
    /// The administrator's modules.
    pub system: PathBuf,
    /// The modules that packages register.
    pub packages: PathBuf,
    /// Where relative paths begin; the first in which there is such a file is the one.
    pub libraries: Vec<PathBuf>,
}

/// A module that is registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// What its file is called, without the suffix.
    pub name: String,
    /// The first file that says something about it.
    pub file: PathBuf,
    /// `critical`: to `p11-kit`, without it nothing works. Here one module never hides another.
    pub critical: bool,
    /// Its path, or why it is not used.
    pub module: Result<PathBuf, Unused>,
}

/// Why a registered module is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unused {
    /// `enable-in` or `disable-in` keeps this program out.
    Disabled,
    /// The name of the file is none that `p11-kit` takes.
    FileName,
    /// The file cannot be read, or one of its lines cannot be understood.
    Malformed(String),
    /// It names no module.
    Nameless,
    /// It is reached through another process (`remote`).
    Remote,
    /// It holds certificates to trust in, and no keys (`trust-policy`).
    TrustPolicy,
}

/// `user-config`: whether the login's files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UserMode {
    Merge,
    None,
    Only,
}

type Fields = BTreeMap<String, String>;

impl Folders {
    /// Where the system's package of `p11-kit` and this login have them; `user` is the login's
    /// `.config/pkcs11`.
    pub fn of_system(user: &Path) -> Self {
        Self {
            settings: ["/etc/pkcs11/pkcs11.conf".into(), user.join("pkcs11.conf")],
            user: user.join("modules"),
            system: "/etc/pkcs11/modules".into(),
            packages: "/usr/share/p11-kit/modules".into(),
            libraries: super::known::library_folders().iter().map(|folder| folder.join("pkcs11")).collect(),
        }
    }

    /// What is registered, the most preferred first.
    pub fn read(&self) -> Vec<Registration> {
        let mut found = BTreeMap::new();
        let mode = self.user_mode();
        if mode != UserMode::None {
            collect(&self.user, &mut found);
        }
        if mode != UserMode::Only {
            collect(&self.system, &mut found);
            collect(&self.packages, &mut found);
        }
        let mut registered: Vec<_> =
            found.into_iter().map(|(name, (file, fields))| self.register(name, file, fields)).collect();
        // Those of one priority stay in the order of their names.
        registered.sort_by_key(|(priority, _)| std::cmp::Reverse(*priority));
        registered.into_iter().map(|(_, registration)| registration).collect()
    }

    /// The system decides whether the login is asked, and the login whether it wants to be.
    fn user_mode(&self) -> UserMode {
        let [system, user] = &self.settings;
        let mode = |path: &Path, otherwise| match fields(path).unwrap_or_default().get("user-config") {
            Some(mode) => match mode.as_str() {
                "none" => UserMode::None,
                "merge" => UserMode::Merge,
                "only" | "override" => UserMode::Only,
                _ => otherwise,
            },
            None => otherwise,
        };
        match mode(system, UserMode::Merge) {
            UserMode::None => UserMode::None,
            allowed @ (UserMode::Merge | UserMode::Only) => mode(user, allowed),
        }
    }

    fn register(&self, name: String, file: PathBuf, fields: Result<Fields, Unused>) -> (i64, Registration) {
        let value = |key: &str| fields.as_ref().ok().and_then(|fields| fields.get(key)).map(String::as_str);
        let priority = value("priority").and_then(|text| text.parse().ok()).unwrap_or(0);
        let critical = value("critical") == Some("yes");
        let module = match (value("module"), value("remote")) {
            _ if !enabled(value("enable-in"), value("disable-in")) => Err(Unused::Disabled),
            _ if value("trust-policy") == Some("yes") => Err(Unused::TrustPolicy),
            (_, Some(_)) => Err(Unused::Remote),
            // The module that forwards everything to a server of p11-kit elsewhere.
            (Some(module), None) if module.ends_with("p11-kit-client.so") => Err(Unused::Remote),
            (Some(module), None) if !module.is_empty() => Ok(self.locate(module)),
            (Some(_) | None, None) => Err(Unused::Nameless),
        };
        let module = match fields {
            Ok(_) => module,
            Err(unused) => Err(unused),
        };
        (priority, Registration { name, file, critical, module })
    }

    fn locate(&self, module: &str) -> PathBuf {
        let places = || self.libraries.iter().map(|folder| folder.join(module));
        // `join` keeps a path that is absolute.
        places().find(|path| path.is_file()).or_else(|| places().next()).unwrap_or_else(|| module.into())
    }
}

/// Adds what the files of a folder say to what is known already, which goes before it.
fn collect(folder: &Path, found: &mut BTreeMap<String, (PathBuf, Result<Fields, Unused>)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            continue;
        }
        let file = entry.file_name().to_string_lossy().into_owned();
        let (name, read) = match file.strip_suffix(SUFFIX).filter(|name| is_name(name)) {
            Some(name) => {
                (name.to_owned(), fields(&path).map_err(|error| Unused::Malformed(error.to_string())))
            }
            None => (file, Err(Unused::FileName)),
        };
        match found.get_mut(&name) {
            Some((_, Ok(known))) => {
                for (key, value) in read.unwrap_or_default() {
                    known.entry(key).or_insert(value);
                }
            }
            // What the login wrote and nobody understands must not hide what the system has.
            Some((_, Err(_))) if read.is_err() => {}
            Some(_) | None => drop(found.insert(name, (path, read))),
        }
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// The `key: value` lines of a file; a file that is not there has none.
fn fields(path: &Path) -> io::Result<Fields> {
    let bytes = match bounded::read(path, LONGEST) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Fields::new()),
        read => read?,
    };
    let malformed =
        |number: usize| io::Error::new(io::ErrorKind::InvalidData, format!("line {}", number + 1));
    let mut fields = Fields::new();
    for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, value) = line.split_once(':').ok_or_else(|| malformed(number))?;
        fields.insert(key.trim().to_owned(), value.trim().to_owned());
    }
    Ok(fields)
}

fn enabled(enable_in: Option<&str>, disable_in: Option<&str>) -> bool {
    let named = |list: &str| list.split([',', ' ', '\t']).any(|name| name == PROGRAM);
    match (enable_in, disable_in) {
        (Some(list), _) => named(list),
        (None, Some(list)) => !named(list),
        (None, None) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Place(tempfile::TempDir);

    impl Place {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.0.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn read(&self) -> Vec<Registration> {
            let at = |name: &str| self.0.path().join(name);
            let folders = Folders {
                settings: [at("etc/pkcs11.conf"), at("home/pkcs11.conf")],
                user: at("home/modules"),
                system: at("etc/modules"),
                packages: at("share/modules"),
                libraries: vec![at("lib64/pkcs11"), at("lib/pkcs11")],
            };
            folders.read()
        }

        /// Name and path, or why not, of everything that is registered.
        fn summary(&self) -> Vec<(String, String)> {
            let root = self.0.path();
            let words = |module: Result<PathBuf, Unused>| match module {
                Ok(path) => path.strip_prefix(root).unwrap_or(&path).display().to_string(),
                Err(unused) => format!("{unused:?}"),
            };
            self.read().into_iter().map(|it| (it.name, words(it.module))).collect()
        }
    }

    fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, words)| ((*name).to_owned(), (*words).to_owned())).collect()
    }

    #[test]
    fn priority_goes_first_then_the_name_and_relative_paths_are_found() {
        let place = Place::new();
        place.write("share/modules/b.module", "# comment\n\n  module : here.so  \n");
        place.write("share/modules/a.module", "module: /opt/vendor/a.so\ncritical: yes");
        place.write("etc/modules/z.module", "module: nowhere.so\npriority: 7\n");
        place.write("lib/pkcs11/here.so", "");
        assert_eq!(
            place.summary(),
            named(&[
                ("z", "lib64/pkcs11/nowhere.so"),
                ("a", "/opt/vendor/a.so"),
                ("b", "lib/pkcs11/here.so")
            ])
        );
        assert!(place.read()[1].critical && !place.read()[2].critical);
    }

    #[test]
    fn what_cannot_be_used_says_why() {
        let place = Place::new();
        let modules = [
            ("client", "module: p11-kit-client.so"),
            ("disabled", "module: /a.so\ndisable-in: firefox, cybercore-signer"),
            ("elsewhere", "module: /a.so\nenable-in: firefox"),
            ("enabled", "module: /a.so\nenable-in: firefox cybercore-signer"),
            ("like", "module: /a.so\ndisable-in: cybercore-signer-tray"),
            ("malformed", "module: /a.so\nand so on"),
            ("nothing", "priority: 3"),
            ("remote", "remote: |ssh other p11-kit remote /a.so"),
            ("trust", "module: p11-kit-trust.so\ntrust-policy: yes"),
        ];
        for (name, text) in modules {
            place.write(&format!("share/modules/{name}.module"), text);
        }
        place.write("share/modules/a.module.bak", "module: /a.so");
        place.write("share/modules/folder/x.module", "module: /a.so");
        let mut found = place.summary();
        found.sort();
        assert_eq!(
            found,
            named(&[
                ("a.module.bak", "FileName"),
                ("client", "Remote"),
                ("disabled", "Disabled"),
                ("elsewhere", "Disabled"),
                ("enabled", "/a.so"),
                ("like", "/a.so"),
                ("malformed", "Malformed(\"line 2\")"),
                ("nothing", "Nameless"),
                ("remote", "Remote"),
                ("trust", "TrustPolicy"),
            ])
        );
    }

    #[test]
    fn the_login_goes_before_the_system_as_far_as_both_agree() {
        let place = Place::new();
        place.write("home/modules/one.module", "disable-in: cybercore-signer");
        place.write("etc/modules/one.module", "module: /etc.so");
        place.write("share/modules/one.module", "module: /share.so\npriority: 9");
        place.write("home/modules/two.module", "module: /home.so");
        let merged = named(&[("one", "Disabled"), ("two", "/home.so")]);
        assert_eq!(place.summary(), merged);
        place.write("etc/pkcs11.conf", "user-config: none");
        assert_eq!(place.summary(), named(&[("one", "/etc.so")]));
        place.write("etc/pkcs11.conf", "user-config: merge");
        place.write("home/pkcs11.conf", "user-config: only");
        assert_eq!(place.summary(), named(&[("one", "Disabled"), ("two", "/home.so")]));
        fs::remove_file(place.0.path().join("home/modules/one.module")).unwrap();
        assert_eq!(place.summary(), named(&[("two", "/home.so")]));
        place.write("home/pkcs11.conf", "user-config: none");
        assert_eq!(place.summary(), named(&[("one", "/etc.so")]));
    }

    #[test]
    fn a_file_that_nobody_understands_hides_nothing() {
        let place = Place::new();
        place.write("home/modules/one.module", "?");
        place.write("share/modules/one.module", "module: /share.so");
        assert_eq!(place.summary(), named(&[("one", "/share.so")]));
    }
}
