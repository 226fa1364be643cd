//! The form of the source: first lines, lengths, names, `unsafe`, ignored tests.

use signer_tests::repository;
use syn::visit::{self, Visit};

use crate::rust_file::{self, RustFile};

/// The longest file.
const LINES: usize = 500;

/// Words that say nothing in a name.
const EMPTY_WORDS: &[&str] =
    &["manager", "helper", "helpers", "util", "utils", "common", "base", "info", "data"];

/// Names that a standard gives, empty words or not.
const NAMES_OF_STANDARDS: &[&str] = &[
    "signed_data",   // RFC 5652, 5.1
    "signer_info",   // RFC 5652, 5.3
    "content_info",  // RFC 5652, 3
    "sign_data",     // PKCS#11
    "document_info", // ISO 32000-1, 14.3.3
];

/// Where `unsafe` may stand: calls of an operating system or of a vendor's module, and a module
/// of the tests that crashes on purpose.
const UNSAFE_PLACES: &[&str] = &[
    "ipc/src/endpoint/platform/windows.rs",
    "ipc/src/login/platform/windows.rs",
    "ipc/src/peer/platform/",
    "service/src/ccsp/peer/platform/",
    "service/src/clock/platform/windows.rs",
    "service/src/cli/approve/terminal/platform/windows.rs",
    "service/src/file/platform/",
    "service/src/token/platform/",
    "service/src/token/host",
    "service/src/tray/platform/",
    "tray/src/os/",
    "tests/",
];

#[test]
fn every_file_says_what_lives_in_it() {
    each(|file| (!file.text.starts_with("//! ")).then(|| "does not open with //!".into()));
}

#[test]
fn no_file_is_long() {
    each(|file| {
        let lines = file.text.lines().count();
        (lines > LINES).then(|| format!("has {lines} lines, more than {LINES}"))
    });
}

#[test]
fn modules_stand_beside_their_folders() {
    each(|file| file.name.ends_with("/mod.rs").then(|| "is a mod.rs".into()));
}

/// Lints are expected with a reason, never allowed; tests run or are not written.
#[test]
fn nothing_is_allowed_or_ignored() {
    each(|file| {
        let mut attributes = Attributes::default();
        attributes.visit_file(&file.syntax);
        let wrong = attributes.0.iter().find(|name| *name == "allow" || *name == "ignore")?;
        Some(format!("has an #[{wrong}]"))
    });
}

#[test]
fn names_say_something() {
    each(|file| {
        let mut names = Names::default();
        names.visit_file(&file.syntax);
        names.0.extend(file.modules().last().map(|&module| module.to_owned()));
        let empty = names.0.iter().map(|name| snake(name)).find(|name| is_empty(name))?;
        Some(format!("has the name {empty}: what is it really?"))
    });
}

/// Proves A5.
#[test]
fn unsafe_code_stays_in_its_places() {
    each(|file| {
        let mut walk = Unsafe::default();
        walk.visit_file(&file.syntax);
        let placed = UNSAFE_PLACES.iter().any(|place| file.name.starts_with(place));
        (walk.0 && !placed).then(|| "has unsafe code".into())
    });
}

/// Files of the repository name no machine: a path of somebody's home or work folder is a slip.
#[test]
fn documents_name_no_machine() {
    for name in ["README.md", "ARCHITECTURE.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        let text = std::fs::read_to_string(repository().join(name)).expect("the document is there");
        for slip in ["/home/", "/root/", "/work/"] {
            assert!(!text.contains(slip), "{name} names {slip}");
        }
    }
}

#[test]
fn empty_names_are_told_from_those_of_standards() {
    let empty = |name: &str| is_empty(&snake(name));
    assert!(empty("TokenManager") && empty("file_utils") && empty("CertInfo"));
    assert!(!empty("SignedData") && !empty("Token") && !empty("Database") && !empty("Informed"));
}

fn each(rule: impl Fn(&RustFile) -> Option<String>) {
    let files = rust_file::all();
    let wrong: Vec<String> =
        files.iter().filter_map(|file| Some(format!("{} {}", file.name, rule(file)?))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `SignedData` and `signed_data` as the latter.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

fn is_empty(snake: &str) -> bool {
    let standard = NAMES_OF_STANDARDS.iter().any(|name| snake.contains(name));
    !standard && snake.split('_').any(|word| EMPTY_WORDS.contains(&word))
}

#[derive(Default)]
struct Attributes(Vec<String>);

impl<'ast> Visit<'ast> for Attributes {
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        self.0.extend(attribute.path().get_ident().map(ToString::to_string));
    }
}

/// The names of types, traits, modules and functions.
#[derive(Default)]
struct Names(Vec<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.0.push(item.ident.to_string());
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.0.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
    }
}

#[derive(Default)]
struct Unsafe(bool);

impl<'ast> Visit<'ast> for Unsafe {
    fn visit_expr_unsafe(&mut self, _: &'ast syn::ExprUnsafe) {
        self.0 = true;
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.0 |= item.unsafety.is_some();
        visit::visit_item_impl(self, item);
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.0 |= matches!(signature.safety, syn::Safety::Unsafe(_));
    }

    fn visit_item_foreign_mod(&mut self, _: &'ast syn::ItemForeignMod) {
        self.0 = true;
    }
}
