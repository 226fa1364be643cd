//! The PKCS#11 modules met in Brazil: which products there are, where their installers put them,
//! and which cards and tokens they serve. The facts are in `known.toml`.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use serde::Deserialize;

use crate::token::modules::atr::{Atr, AtrPattern};

const DATA: &str = include_str!("known.toml");
/// The form of the data.
const VERSION: u32 = 1;

/// A product, with what is known of it on this operating system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// What people call the card or token.
    pub name: String,
    /// The program to install, as its vendor calls it.
    pub software: String,
    /// Which tokens it serves.
    pub serves: Serves,
    /// The tokens that are plugged into the machine itself.
    pub usb: Vec<UsbId>,
    /// When it is used.
    pub usage: Usage,
    /// What its users should know.
    pub note: Option<Note>,
    /// How well all this is known.
    pub evidence: Evidence,
    /// From where, in words.
    pub source: String,
    /// Absolute paths, or names of files in the system's folders of libraries; the most usual first.
    files: Vec<String>,
}

/// Which tokens a product serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Serves {
    /// Cards of many makers, in any reader. It stands back behind a vendor's own module.
    AnyCard,
    /// Cards with these answers to reset; perhaps others that nobody reported.
    Cards(Vec<AtrPattern>),
    /// Tokens that need not show as a card in a reader: in the cloud, behind a program of the
    /// vendor's, in software.
    Elsewhere,
}

/// When a product is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Usage {
    /// Where it is installed.
    Installed,
    /// Where somebody named its module: it is for tests and servers.
    Named,
}

/// How well the facts of a product are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// One source, or sources that copy one another.
    Reported,
    /// Sources that do not know of each other.
    Several,
    /// It was run.
    Tried,
}

/// What the users of a product should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Note {
    /// Its module works while the vendor's background program runs.
    NeedsDaemon,
    /// Its module asks a server.
    NeedsNetwork,
    /// Its installer needs old libraries that newer systems lack.
    NeedsOldLibraries,
    /// Many of its modules are for 32-bit programs only.
    OftenThirtyTwoBit,
}

/// Vendor and product number of a USB device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsbId {
    /// `idVendor`.
    pub vendor: u16,
    /// `idProduct`.
    pub product: u16,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    product: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    software: String,
    serves: Kind,
    #[serde(default)]
    atrs: Vec<String>,
    #[serde(default)]
    usb: Vec<String>,
    #[serde(default = "installed")]
    usage: Usage,
    note: Option<Note>,
    evidence: Evidence,
    source: String,
    #[serde(default)]
    linux: Vec<String>,
    #[serde(default)]
    macos: Vec<String>,
    #[serde(default)]
    windows: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    AnyCard,
    Cards,
    Elsewhere,
}

const fn installed() -> Usage {
    Usage::Installed
}

/// Every known product, in the order in which their modules are asked.
pub fn products() -> &'static [Product] {
    static PRODUCTS: OnceLock<Vec<Product>> = OnceLock::new();
    // The data is a part of this program, and a test of it reads it whole.
    PRODUCTS.get_or_init(|| parse(DATA).unwrap_or_default())
}

/// The products whose cards give this answer to reset.
pub fn of_card(atr: &Atr) -> impl Iterator<Item = &'static Product> {
    products().iter().filter(move |product| match &product.serves {
        Serves::Cards(patterns) => patterns.iter().any(|pattern| pattern.fits(atr)),
        Serves::AnyCard | Serves::Elsewhere => false,
    })
}

/// The product whose module this file is, by its name.
pub fn of_file(path: &Path) -> Option<&'static Product> {
    let is = |file: &String| match Path::new(file).parent() {
        Some(parent) if parent == Path::new("") => path.file_name() == Some(OsStr::new(file)),
        // The name alone may be anybody's.
        Some(_) | None => path == Path::new(file),
    };
    products().iter().find(|product| product.files.iter().any(is))
}

impl Product {
    /// Every place where its module may lie, most usual first.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        let folders = library_folders();
        self.files.iter().flat_map(move |file| {
            let path = PathBuf::from(expand(file));
            let places = if path.is_absolute() {
                vec![path]
            } else {
                folders.iter().map(|folder| folder.join(&path)).collect()
            };
            places.into_iter()
        })
    }
}

/// Where libraries lie on this system.
#[cfg(target_os = "linux")]
pub(super) fn library_folders() -> Vec<PathBuf> {
    let triplet = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let folders = [triplet.as_str(), "/usr/lib64", "/usr/lib", "/usr/local/lib64", "/usr/local/lib"];
    folders.into_iter().map(PathBuf::from).collect()
}

/// Where libraries lie on this system.
#[cfg(all(unix, not(target_os = "linux")))]
pub(super) fn library_folders() -> Vec<PathBuf> {
    ["/usr/local/lib", "/opt/homebrew/lib", "/Library/OpenSC/lib"].into_iter().map(PathBuf::from).collect()
}

/// Where libraries lie on this system.
#[cfg(windows)]
pub(super) fn library_folders() -> Vec<PathBuf> {
    vec![expand("%SystemRoot%\\System32").into()]
}

/// Replaces a `%NAME%` at the beginning by that variable, as installers of Windows write it.
fn expand(file: &str) -> String {
    let variable = file.strip_prefix('%').and_then(|rest| rest.split_once('%'));
    let value = variable.and_then(|(name, rest)| Some((std::env::var(name).ok()?, rest)));
    value.map_or_else(|| file.to_owned(), |(value, rest)| value + rest)
}

fn parse(text: &str) -> Option<Vec<Product>> {
    let file: File = toml::from_str(text).ok().filter(|file: &File| file.version == VERSION)?;
    file.product.into_iter().map(product).collect()
}

fn product(entry: Entry) -> Option<Product> {
    let atrs = entry.atrs.iter().map(|text| AtrPattern::parse(text)).collect::<Option<Vec<_>>>()?;
    let serves = match entry.serves {
        Kind::AnyCard => Serves::AnyCard,
        Kind::Cards => Serves::Cards(atrs),
        Kind::Elsewhere => Serves::Elsewhere,
    };
    let files = match std::env::consts::OS {
        "macos" => entry.macos,
        "windows" => entry.windows,
        _ => entry.linux,
    };
    Some(Product {
        name: entry.name,
        software: entry.software,
        serves,
        usb: entry.usb.iter().map(|text| UsbId::parse(text)).collect::<Option<_>>()?,
        usage: entry.usage,
        note: entry.note,
        evidence: entry.evidence,
        source: entry.source,
        files,
    })
}

impl UsbId {
    /// Takes `vendor:product`, four hexadecimal digits each.
    pub fn parse(text: &str) -> Option<Self> {
        let (vendor, product) = text.trim().split_once(':')?;
        let number = |text: &str| u16::from_str_radix(text, 16).ok().filter(|_| text.len() == 4);
        Some(Self { vendor: number(vendor)?, product: number(product)? })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A product that is nowhere known, with its module at these paths.
    #[cfg(unix)]
    pub(in crate::token::modules) fn product(name: &str, paths: &[PathBuf]) -> Product {
        Product {
            name: name.to_owned(),
            software: name.to_owned(),
            serves: Serves::Cards(Vec::new()),
            usb: Vec::new(),
            usage: Usage::Installed,
            note: None,
            evidence: Evidence::Tried,
            source: String::new(),
            files: paths.iter().map(|path| path.to_str().unwrap().to_owned()).collect(),
        }
    }

    /// ISO/IEC 7816-3, 8.2: where the historical bytes end, and whether a check byte follows.
    fn is_well_formed(atr: &[u8]) -> bool {
        let (mut at, mut presence) = (2, atr[1] >> 4);
        let mut checked = false;
        loop {
            at += (presence & 0b111).count_ones() as usize;
            if presence & 0b1000 == 0 {
                break;
            }
            checked |= atr[at] & 0xf != 0;
            presence = atr[at] >> 4;
            at += 1;
        }
        let length = at + usize::from(atr[1] & 0xf) + usize::from(checked);
        length == atr.len() && (!checked || atr[1..].iter().fold(0, |sum, byte| sum ^ byte) == 0)
    }

    #[test]
    fn the_data_is_read_whole() {
        let file: File = toml::from_str(DATA).unwrap();
        let products = parse(DATA).unwrap();
        assert_eq!(products.len(), file.product.len());
        assert_eq!(products, super::products());
        let names: BTreeSet<_> = products.iter().map(|product| &product.name).collect();
        assert_eq!(names.len(), products.len(), "each product is there once");
        for (entry, product) in file.product.iter().zip(&products) {
            let name = &product.name;
            let listed = entry.serves == Kind::Cards;
            assert!(listed || entry.atrs.is_empty(), "{name}: answers to reset are of listed cards");
            assert!(product.source.len() > 20, "{name}: the source is said in words");
            assert!(
                !(entry.linux.is_empty() && entry.macos.is_empty() && entry.windows.is_empty()),
                "{name}"
            );
        }
        let generic = |product: &&Product| product.serves == Serves::AnyCard;
        assert_eq!(
            products.iter().filter(generic).map(|it| it.name.as_str()).collect::<Vec<_>>(),
            ["OpenSC"]
        );
    }

    #[test]
    fn every_whole_answer_to_reset_is_one() {
        let mut whole = 0;
        for product in products() {
            let Serves::Cards(patterns) = &product.serves else { continue };
            for atr in patterns.iter().filter_map(AtrPattern::only) {
                assert!(is_well_formed(atr), "{}: {atr:02X?}", product.name);
                whole += 1;
            }
        }
        assert!(whole >= 15, "{whole}");
    }

    #[test]
    fn cards_are_told_by_their_answer() {
        let names = |text: &str| {
            let bytes = AtrPattern::parse(text).unwrap().only().unwrap().to_vec();
            let atr = Atr::new(&bytes).unwrap();
            of_card(&atr).map(|product| product.name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(names("3BD5180081313A7D8073C8211030"), ["SafeNet eToken"]);
        assert_eq!(names("3B9F958131FE9F006646530501001171DF000003900080"), ["Feitian ePass2003"]);
        // Its signature key is reached through the other module, which therefore goes first.
        assert_eq!(
            names("3BFF9600008131FE4380318065B0855956FB120FFE82900000"),
            ["Gemalto IDPrime", "SafeNet eToken"]
        );
        assert!(names("3B0000").is_empty());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn files_are_told_by_their_name_and_looked_for_in_every_folder() {
        let name = |path: &str| of_file(Path::new(path)).map(|product| product.name.as_str());
        assert_eq!(name("/somewhere/opensc-pkcs11.so"), Some("OpenSC"));
        assert_eq!(name("/somewhere/libother.so"), None);
        let product = of_file(Path::new("/x/opensc-pkcs11.so")).unwrap();
        let paths: Vec<_> = product.paths().collect();
        assert!(paths.contains(&"/usr/lib64/opensc-pkcs11.so".into()), "{paths:?}");
        assert!(paths.iter().all(|path| path.is_absolute()), "{paths:?}");
    }

    #[test]
    fn numbers_of_usb_devices_are_parsed() {
        assert_eq!(UsbId::parse("0529:0620"), Some(UsbId { vendor: 0x529, product: 0x620 }));
        for text in ["", "0529", "529:620", "0529:062g", "00529:0620"] {
            assert_eq!(UsbId::parse(text), None, "{text}");
        }
    }
}
