//! Looks for modules on this machine, in the order in which they were asked for: named on the
//! command line, in the configuration, in the environment, registered with p11-kit, known.

mod library;

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use crate::{
    config::{Config, KnownModules},
    dirs::Dirs,
    token::modules::{
        Cards, Discovery, Installed, LeftOut, Origin, Rank, Reason,
        discovery::library::Identity,
        file_name,
        known::{self, Product, Serves, Usage},
        p11_kit::{Folders, Registration},
    },
};

/// The variable by which other signing programs are told of a module, too: `path`, or
/// `name::path`.
const DRIVER: &str = "PKCS11_DRIVER";

/// Where to look.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// A path from the command line.
    pub command_line: Option<PathBuf>,
    /// Those of the configuration.
    pub configured: Vec<PathBuf>,
    /// What `PKCS11_DRIVER` says.
    pub driver: Option<OsString>,
    /// Whether what nobody of this login named is looked for.
    pub known: KnownModules,
    /// Where p11-kit has its files; nowhere on systems without it.
    pub p11_kit: Option<Folders>,
}

/// A file that may be a module, before anybody looked at it.
struct Candidate {
    product: String,
    path: PathBuf,
    origin: Origin,
    known: Option<&'static Product>,
}

#[derive(Default)]
struct Search {
    found: Discovery,
    /// What each of `found.installed` is.
    identities: Vec<Identity>,
}

impl Places {
    /// Those of this login, by its configuration and environment. Reads nothing yet.
    pub fn of_login(config: &Config) -> Self {
        Self {
            command_line: None,
            configured: config.modules.clone(),
            driver: std::env::var_os(DRIVER).filter(|value| !value.is_empty()),
            known: config.known_modules,
            p11_kit: cfg!(unix).then(Dirs::p11_kit_of_login).flatten().map(|user| Folders::of_system(&user)),
        }
    }

    /// Looks. Reads small files and the first bytes of libraries; of two libraries of one length,
    /// everything. Loads nothing.
    pub fn discover(&self) -> Discovery {
        self.discover_among(known::products())
    }

    fn discover_among(&self, products: &'static [Product]) -> Discovery {
        let mut search = Search::default();
        if let Some(path) = &self.command_line {
            // As a person types it, from where the person is.
            let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            search.add(Candidate::named(&path, Origin::CommandLine, None));
        }
        for path in &self.configured {
            search.add(Candidate::named(path, Origin::Configuration, None));
        }
        if let Some((name, path)) = self.driver.as_deref().map(driver) {
            search.add(Candidate::named(&path, Origin::Environment, name));
        }
        if self.known == KnownModules::Used {
            for registration in self.p11_kit.iter().flat_map(Folders::read) {
                search.add_registered(registration);
            }
            for product in products {
                search.add_known(product);
            }
        }
        search.found
    }
}

/// The name, where there is one, and the path.
fn driver(value: &OsStr) -> (Option<String>, PathBuf) {
    let text = value.to_str().and_then(|text| text.split_once("::"));
    match text {
        Some((name, path)) => (Some(name.trim().to_owned()).filter(|name| !name.is_empty()), path.into()),
        None => (None, value.into()),
    }
}

impl Candidate {
    fn named(path: &Path, origin: Origin, name: Option<String>) -> Self {
        let known = known::of_file(path);
        let product = name.or_else(|| known.map(|known| known.name.clone()));
        Self { product: product.unwrap_or_else(|| file_name(path)), path: path.to_owned(), origin, known }
    }

    fn leave_out(self, reason: Reason) -> LeftOut {
        LeftOut { product: self.product, path: Some(self.path), origin: self.origin, reason }
    }

    fn install(self) -> Installed {
        let serves = self.known.map(|product| &product.serves);
        let cards = match (&self.origin, serves) {
            (_, None | Some(Serves::Elsewhere)) => Cards::Independent,
            (Origin::Known, Some(Serves::Cards(patterns))) => Cards::Listed(patterns.clone()),
            // Whoever named it knows of a card that it serves.
            (_, Some(Serves::AnyCard | Serves::Cards(_))) => Cards::Any,
        };
        let rank = match (&self.origin, serves) {
            (Origin::CommandLine | Origin::Configuration | Origin::Environment, _) => Rank::Named,
            (Origin::Known | Origin::P11Kit { .. }, Some(Serves::AnyCard)) => Rank::Generic,
            (Origin::Known | Origin::P11Kit { .. }, Some(Serves::Cards(_) | Serves::Elsewhere) | None) => {
                Rank::Vendor
            }
        };
        Installed { product: self.product, path: self.path, origin: self.origin, cards, rank }
    }
}

impl Search {
    /// Takes a candidate, or says why it is left out.
    fn add(&mut self, candidate: Candidate) {
        match self.judge(&candidate) {
            Ok(identity) => self.take(candidate, identity),
            Err(reason) => self.found.left_out.push(candidate.leave_out(reason)),
        }
    }

    fn add_registered(&mut self, registration: Registration) {
        let origin = Origin::P11Kit { file: registration.file, critical: registration.critical };
        let path = match registration.module {
            Ok(path) => path,
            Err(unused) => {
                self.found.left_out.push(LeftOut {
                    product: registration.name,
                    path: None,
                    origin,
                    reason: Reason::P11Kit(unused),
                });
                return;
            }
        };
        let name = known::of_file(&path).map_or(registration.name, |product| product.name.clone());
        let candidate = Candidate::named(&path, origin, Some(name));
        // Its package registers it, which says nothing of what this person wants.
        if candidate.known.is_some_and(|product| product.usage == Usage::Named) {
            self.found.left_out.push(candidate.leave_out(Reason::NotNamed));
            return;
        }
        self.add(candidate);
    }

    /// The first path of the product that can be loaded. Where there is none, that which exists is
    /// said; a product that is not installed is nothing to speak of.
    fn add_known(&mut self, product: &'static Product) {
        if product.usage == Usage::Named || self.of_product(&product.name).is_some() {
            return;
        }
        let mut unusable = None;
        for path in product.paths() {
            let candidate = Candidate {
                product: product.name.clone(),
                path,
                origin: Origin::Known,
                known: Some(product),
            };
            match self.judge(&candidate) {
                Ok(identity) => return self.take(candidate, identity),
                Err(Reason::Missing) => {}
                // It is used already, under another name.
                Err(Reason::Duplicate(_)) => return,
                Err(reason) => drop(unusable.get_or_insert_with(|| candidate.leave_out(reason))),
            }
        }
        self.found.left_out.extend(unusable);
    }

    fn take(&mut self, candidate: Candidate, identity: Identity) {
        self.found.installed.push(candidate.install());
        self.identities.push(identity);
    }

    fn judge(&self, candidate: &Candidate) -> Result<Identity, Reason> {
        if !candidate.path.is_absolute() {
            return Err(Reason::Relative);
        }
        let identity = library::examine(&candidate.path)?;
        for (installed, known) in self.found.installed.iter().zip(&self.identities) {
            if identity.is_same(&candidate.path, known, &installed.path) {
                return Err(Reason::Duplicate(installed.path.clone()));
            }
        }
        // Two that were named are two wishes.
        if let (Origin::P11Kit { .. }, Some(other)) = (&candidate.origin, self.of_product(&candidate.product))
        {
            return Err(Reason::SameProduct(other.path.clone()));
        }
        Ok(identity)
    }

    fn of_product(&self, name: &str) -> Option<&Installed> {
        self.found.installed.iter().find(|installed| installed.product == name)
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
