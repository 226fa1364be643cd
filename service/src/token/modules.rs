//! PKCS#11 modules: which lie on this machine, who named them, and which cards they may serve.
//!
//! Nothing is loaded here: whether a module works is found out in a token host.

pub mod atr;
pub mod discovery;
pub mod known;
pub mod p11_kit;
pub mod quarantine;

use std::path::{Path, PathBuf};

use crate::token::{
    architecture::Mismatch,
    modules::{
        atr::{Atr, AtrPattern},
        p11_kit::Unused,
    },
};

/// A module that lies on this machine and could be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The product as people know it; where it is not known, what whoever named it calls it.
    pub product: String,
    /// Where it is.
    pub path: PathBuf,
    /// Who named it.
    pub origin: Origin,
    /// Which cards it may serve.
    pub cards: Cards,
    /// Its turn among modules that serve the same card.
    pub rank: Rank,
}

/// Who named a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// `--module`.
    CommandLine,
    /// `modules` of the configuration.
    Configuration,
    /// `PKCS11_DRIVER`.
    Environment,
    /// The list of known modules.
    Known,
    /// The configuration of p11-kit.
    P11Kit {
        /// The file that registers it.
        file: PathBuf,
        /// `critical` in that file.
        critical: bool,
    },
}

/// Which cards a module may serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cards {
    /// Any card in any reader.
    Any,
    /// It may have tokens that are no card in a reader: software, the cloud, a vendor's own program.
    Independent,
    /// Cards with these answers to reset; it may be tried with others that nobody knows.
    Listed(Vec<AtrPattern>),
}

/// The turn of a module: those that somebody named first, and a module for cards of many makers
/// after those of the makers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// A person named it.
    Named,
    /// A maker's own.
    Vendor,
    /// For cards of many makers.
    Generic,
}

/// What was found on this machine, in the order in which it is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Discovery {
    /// What can be loaded, each file and each product once.
    pub installed: Vec<Installed>,
    /// What was named or found and is not used.
    pub left_out: Vec<LeftOut>,
}

/// A module that was named or found and is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// As in [`Installed::product`].
    pub product: String,
    /// Where it is, as far as anybody said.
    pub path: Option<PathBuf>,
    /// Who named it.
    pub origin: Origin,
    /// Why it is not used.
    pub reason: Reason,
}

/// Why a module is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It is for another system or processor.
    Architecture(Mismatch),
    /// The same library is used from another path.
    Duplicate(PathBuf),
    /// There is no such file.
    Missing,
    /// It is for tests and servers, and used where somebody names it.
    NotNamed,
    /// It is no library.
    NotALibrary,
    /// p11-kit's configuration keeps it out.
    P11Kit(Unused),
    /// A path that does not begin at the root could mean any file.
    Relative,
    /// Another module of the same product is used.
    SameProduct(PathBuf),
    /// It cannot be read.
    Unreadable(String),
}

impl Installed {
    /// Whether it may serve a card with this answer to reset, as far as anybody knows.
    pub fn may_serve(&self, atr: &Atr) -> bool {
        match &self.cards {
            Cards::Any | Cards::Independent => true,
            Cards::Listed(patterns) => patterns.iter().any(|pattern| pattern.fits(atr)),
        }
    }

    /// Whether this answer to reset is on its list.
    fn lists(&self, atr: &Atr) -> bool {
        matches!(self.cards, Cards::Listed(_)) && self.may_serve(atr)
    }
}

/// The modules to ask where these cards are present, in the order in which they are asked: those
/// that may serve one of them, and those whose tokens are no cards. Where a card is on the list of
/// no installed module, all are asked: lists are never complete.
///
/// Where it is not known which cards are present, because PC/SC fails, all modules may be asked.
pub fn fitting<'a>(installed: &'a [Installed], cards: &[Atr]) -> Vec<&'a Installed> {
    let unlisted = cards.iter().any(|atr| !installed.iter().any(|module| module.lists(atr)));
    let fits = |module: &&Installed| match &module.cards {
        Cards::Independent => true,
        Cards::Any => !cards.is_empty(),
        Cards::Listed(_) => unlisted || cards.iter().any(|atr| module.may_serve(atr)),
    };
    let mut fitting: Vec<_> = installed.iter().filter(fits).collect();
    fitting.sort_by_key(|module| module.rank);
    fitting
}

/// What a module is called that is no known product: its file, without folders.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(product: &str, cards: Cards, rank: Rank) -> Installed {
        let path = PathBuf::from(format!("/{product}.so"));
        Installed { product: product.to_owned(), path, origin: Origin::Known, cards, rank }
    }

    fn atr(byte: u8) -> Atr {
        Atr::new(&[0x3b, byte]).unwrap()
    }

    fn listed(byte: &str) -> Cards {
        Cards::Listed(vec![AtrPattern::parse(&format!("3B{byte}")).unwrap()])
    }

    fn asked(installed: &[Installed], cards: &[Atr]) -> Vec<String> {
        fitting(installed, cards).into_iter().map(|module| module.product.clone()).collect()
    }

    #[test]
    fn a_card_brings_its_own_module_then_the_generic_one() {
        let installed = [
            module("generic", Cards::Any, Rank::Generic),
            module("one", listed("01"), Rank::Vendor),
            module("two", listed("02"), Rank::Vendor),
            module("cloud", Cards::Independent, Rank::Vendor),
        ];
        assert_eq!(asked(&installed, &[atr(1)]), ["one", "cloud", "generic"]);
        assert_eq!(asked(&installed, &[atr(2), atr(1)]), ["one", "two", "cloud", "generic"]);
    }

    #[test]
    fn without_a_card_only_what_needs_none_is_asked() {
        let installed = [
            module("generic", Cards::Any, Rank::Generic),
            module("one", listed("01"), Rank::Vendor),
            module("cloud", Cards::Independent, Rank::Vendor),
        ];
        assert_eq!(asked(&installed, &[]), ["cloud"]);
    }

    #[test]
    fn a_card_that_nobody_lists_is_tried_with_everything() {
        let installed = [
            module("generic", Cards::Any, Rank::Generic),
            module("one", listed("01"), Rank::Vendor),
            module("unlisted", Cards::Listed(Vec::new()), Rank::Vendor),
        ];
        assert_eq!(asked(&installed, &[atr(9)]), ["one", "unlisted", "generic"]);
        assert_eq!(asked(&installed, &[atr(1)]), ["one", "generic"]);
    }

    #[test]
    fn what_a_person_named_goes_first() {
        let installed = [module("one", listed("01"), Rank::Vendor), module("named", Cards::Any, Rank::Named)];
        assert_eq!(asked(&installed, &[atr(1)]), ["named", "one"]);
    }
}
