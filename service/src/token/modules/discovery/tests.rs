//! Real files in a temporary folder: what is found, in which order, what is left out and why.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use super::*;
use crate::token::modules::p11_kit::Unused;

struct Machine(tempfile::TempDir);

impl Machine {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// A library for this processor, like no other by its content.
    fn library(&self, name: &str) -> PathBuf {
        self.write(name, &[&own_header()[..], name.as_bytes()].concat())
    }

    fn register(&self, name: &str, text: &str) {
        self.write(&format!("p11-kit/{name}.module"), text.as_bytes());
    }

    fn places(&self) -> Places {
        let folders = Folders { packages: self.path("p11-kit"), ..Folders::default() };
        Places { p11_kit: Some(folders), ..Places::default() }
    }
}

/// The first bytes of this test, which is for this processor.
fn own_header() -> Vec<u8> {
    let mut own = fs::read(std::env::current_exe().unwrap()).unwrap();
    own.truncate(64);
    own
}

fn products(discovery: &Discovery) -> Vec<&str> {
    discovery.installed.iter().map(|module| module.product.as_str()).collect()
}

fn reason<'a>(discovery: &'a Discovery, path: &Path) -> &'a Reason {
    let left_out = discovery.left_out.iter().find(|module| module.path.as_deref() == Some(path));
    &left_out.unwrap_or_else(|| panic!("{}: {discovery:?}", path.display())).reason
}

#[test]
fn each_is_found_once_in_the_order_of_who_named_it() {
    let machine = Machine::new();
    let (a, b, c, d) =
        (machine.library("a.so"), machine.library("b.so"), machine.library("c.so"), machine.library("d.so"));
    machine.register("third", &format!("module: {}", c.display()));
    machine.register("again", &format!("module: {}", a.display()));
    let places = Places {
        command_line: Some(d.clone()),
        configured: vec![a.clone(), d.clone()],
        driver: Some(format!("Second::{}", b.display()).into()),
        ..machine.places()
    };
    let found = places.discover_among(&[]);
    assert_eq!(products(&found), ["d.so", "a.so", "Second", "third"]);
    assert_eq!(reason(&found, &d), &Reason::Duplicate(d.clone()));
    assert_eq!(reason(&found, &a), &Reason::Duplicate(a.clone()));
    // A path alone will do, and a colon in it is no name.
    let other = machine.library("x:y.so");
    let found = Places { driver: Some(other.clone().into()), ..Places::default() }.discover_among(&[]);
    assert_eq!((products(&found), &found.installed[0].path), (vec!["x:y.so"], &other));
}

#[test]
fn links_and_copies_of_a_library_are_that_library() {
    let machine = Machine::new();
    let (one, other) = (machine.library("one.so"), machine.library("two.so"));
    let (link, copy) = (machine.path("link.so"), machine.path("copy.so"));
    symlink(&one, &link).unwrap();
    fs::copy(&one, &copy).unwrap();
    let configured = vec![one.clone(), link.clone(), copy.clone(), other];
    let found = Places { configured, ..Places::default() }.discover_among(&[]);
    assert_eq!(products(&found), ["one.so", "two.so"]);
    assert_eq!(reason(&found, &link), &Reason::Duplicate(one.clone()));
    assert_eq!(reason(&found, &copy), &Reason::Duplicate(one));
}

#[test]
fn what_cannot_be_loaded_says_why() {
    let machine = Machine::new();
    let mut foreign = own_header();
    // Byte 4 of ELF: 32 bits. Of other systems it is no library any more.
    foreign[4] = 1;
    let foreign = machine.write("foreign.so", &foreign);
    let text = machine.write("text.so", b"#!/bin/sh\n");
    let missing = machine.path("missing.so");
    let relative = PathBuf::from("relative.so");
    let configured = vec![foreign.clone(), text.clone(), missing.clone(), relative.clone(), machine.path("")];
    let found = Places { configured, ..Places::default() }.discover_among(&[]);
    assert!(found.installed.is_empty());
    if cfg!(target_os = "linux") {
        let Reason::Architecture(mismatch) = reason(&found, &foreign) else { panic!("{found:?}") };
        assert_eq!(mismatch.difference, crate::token::architecture::Difference::Width);
    }
    assert_eq!(reason(&found, &text), &Reason::NotALibrary);
    assert_eq!(reason(&found, &missing), &Reason::Missing);
    assert_eq!(reason(&found, &relative), &Reason::Relative);
    assert!(matches!(reason(&found, &machine.path("")), Reason::Unreadable(_)));
}

#[test]
fn what_p11_kit_does_not_offer_is_said() {
    let machine = Machine::new();
    machine.register("trust", "module: p11-kit-trust.so\ntrust-policy: yes");
    machine.register("softhsm2", &format!("module: {}", machine.library("libsofthsm2.so").display()));
    let found = machine.places().discover_among(&[]);
    assert!(found.installed.is_empty());
    let reasons: Vec<_> = found.left_out.iter().map(|it| (it.product.as_str(), &it.reason)).collect();
    assert_eq!(reasons, [("SoftHSM", &Reason::NotNamed), ("trust", &Reason::P11Kit(Unused::TrustPolicy))]);
    // Named, it is used.
    let configured = vec![machine.path("libsofthsm2.so")];
    let found = Places { configured, ..machine.places() }.discover_among(&[]);
    assert_eq!(products(&found), ["SoftHSM"]);
    assert_eq!(found.installed[0].cards, Cards::Independent);
}

#[test]
#[cfg(target_os = "linux")]
fn a_known_file_brings_what_is_known_of_it() {
    let machine = Machine::new();
    let (opensc, vendor) = (machine.library("opensc-pkcs11.so"), machine.library("libaetpkss.so.3"));
    machine.register("opensc", &format!("module: {}", opensc.display()));
    machine.register("vendor", &format!("module: {}", vendor.display()));
    let found = machine.places().discover_among(&[]);
    assert_eq!(products(&found), ["OpenSC", "SafeSign (StarSign)"]);
    let ranks: Vec<_> = found.installed.iter().map(|module| (&module.cards, module.rank)).collect();
    assert_eq!(ranks, [(&Cards::Any, Rank::Generic), (&Cards::Any, Rank::Vendor)]);
    // A second module of the product that only a package names would show the same cards again.
    let second = machine.library("second/opensc-pkcs11.so");
    machine.register("z-second", &format!("module: {}", second.display()));
    let found = machine.places().discover_among(&[]);
    assert_eq!(reason(&found, &second), &Reason::SameProduct(opensc));
}

#[test]
fn only_what_is_named_is_used_where_the_configuration_says_so() {
    let machine = Machine::new();
    let (named, registered) = (machine.library("named.so"), machine.library("registered.so"));
    machine.register("registered", &format!("module: {}", registered.display()));
    let places = Places { configured: vec![named], known: KnownModules::Ignored, ..machine.places() };
    assert_eq!(products(&places.discover()), ["named.so"]);
}

#[test]
fn the_first_path_of_a_product_that_can_be_loaded_is_the_one() {
    let machine = Machine::new();
    machine.write("32/vendor.so", b"\x7fELF\x01\x01\x01 and so on, of another width");
    machine.library("64/vendor.so");
    let paths = ["none/vendor.so", "32/vendor.so", "64/vendor.so"].map(|name| machine.path(name));
    let product: &'static [Product] = vec![known::tests::product("Vendor", &paths)].leak();
    let found = machine.places().discover_among(product);
    assert_eq!((products(&found), found.left_out.len()), (vec!["Vendor"], 0));
    assert_eq!(found.installed[0].path, paths[2]);
    fs::remove_file(&paths[2]).unwrap();
    let found = machine.places().discover_among(product);
    assert_eq!((products(&found).len(), found.left_out.len()), (0, 1));
    assert_eq!(found.left_out[0].path.as_ref(), Some(&paths[1]));
}
