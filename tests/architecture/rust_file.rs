//! A Rust file as the rules see it: its text, its items, and every path that it names.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use syn::visit::{self, Visit};

use signer_tests::repository;

/// One file.
pub(crate) struct RustFile {
    /// From the root of the repository, with `/`.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) syntax: syn::File,
}

/// A path as written: its segments, and how many modules below the file's crate it stands.
pub(crate) struct NamedPath {
    pub(crate) segments: Vec<String>,
    pub(crate) depth: usize,
}

/// Every Rust file of the six members.
pub(crate) fn all() -> Vec<RustFile> {
    let mut files = Vec::new();
    for member in ["core", "ipc", "packaging", "service", "tests", "tray"] {
        below(&repository().join(member), &mut files);
    }
    assert!(files.len() > 50, "the walk found the files");
    files.sort();
    files.iter().map(|path| read(path)).collect()
}

/// The files of `core`'s library.
pub(crate) fn core() -> Vec<RustFile> {
    all().into_iter().filter(|file| file.name.starts_with("core/src/")).collect()
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is readable") {
        let path = entry.expect("the folder is readable").path();
        if path.is_dir() {
            // Fuzz targets are no member, and cargo may build below a package.
            if !path.ends_with("fuzz") && !path.ends_with("target") {
                below(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn read(path: &Path) -> RustFile {
    let name = path.strip_prefix(repository()).unwrap().to_str().unwrap().replace('\\', "/");
    let text = std::fs::read_to_string(path).expect("the file is readable");
    RustFile::parse(name, text)
}

impl RustFile {
    pub(crate) fn parse(name: impl Into<String>, text: String) -> Self {
        let name = name.into();
        let syntax = syn::parse_file(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { name, text, syntax }
    }

    /// The modules from the crate's root down to this file: `core/src/pdf/xref.rs` is `pdf`, `xref`.
    pub(crate) fn modules(&self) -> Vec<&str> {
        let inside = self.name.split_once("/src/").map_or(self.name.as_str(), |(_, inside)| inside);
        let inside = inside.trim_end_matches(".rs");
        if matches!(inside, "lib" | "main") { Vec::new() } else { inside.split('/').collect() }
    }

    /// Every path that the file names: imports, expressions, types, and in macro arguments.
    pub(crate) fn paths(&self) -> Vec<NamedPath> {
        let mut walk = Walk { depth: self.modules().len(), found: Vec::new() };
        walk.visit_file(&self.syntax);
        walk.found
    }

    /// The crates that the file names, `std` and ours included. A name that is imported from
    /// this crate, or declared as a module here, is no crate.
    pub(crate) fn crates(&self) -> BTreeSet<String> {
        let paths = self.paths();
        let local: BTreeSet<&str> = paths
            .iter()
            .filter(|path| matches!(path.segments[0].as_str(), "crate" | "self" | "super"))
            .filter_map(|path| path.segments.last().map(String::as_str))
            .collect();
        let declared: BTreeSet<String> = self
            .syntax
            .items
            .iter()
            .filter_map(|item| match item {
                syn::Item::Mod(module) => Some(module.ident.to_string()),
                _ => None,
            })
            .collect();
        let lower = |name: &str| name.starts_with(|c: char| c.is_ascii_lowercase());
        paths
            .iter()
            .filter(|path| path.segments.len() > 1)
            .map(|path| path.segments[0].as_str())
            .filter(|head| lower(head) && !matches!(*head, "crate" | "self" | "super"))
            .filter(|head| !local.contains(head) && !declared.contains(*head))
            .map(str::to_owned)
            .collect()
    }
}

struct Walk {
    depth: usize,
    found: Vec<NamedPath>,
}

impl Walk {
    fn add(&mut self, segments: Vec<String>) {
        if !segments.is_empty() {
            self.found.push(NamedPath { segments, depth: self.depth });
        }
    }

    fn import(&mut self, tree: &syn::UseTree, mut before: Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(&path.tree, before);
            }
            syn::UseTree::Name(name) if name.ident == "self" => self.add(before),
            syn::UseTree::Name(name) => {
                before.push(name.ident.to_string());
                self.add(before);
            }
            syn::UseTree::Rename(rename) => {
                before.push(rename.ident.to_string());
                self.add(before);
            }
            syn::UseTree::Glob(_) => {
                before.push("*".into());
                self.add(before);
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, before.clone());
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Walk {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.depth += 1;
        visit::visit_item_mod(self, module);
        self.depth -= 1;
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.import(&item.tree, Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.add(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        for segments in paths_in(&called.tokens.to_string()) {
            self.add(segments);
        }
        visit::visit_macro(self, called);
    }
}

/// The paths in the text of tokens, which `syn` does not parse.
pub(crate) fn paths_in(tokens: &str) -> Vec<Vec<String>> {
    let mut paths: Vec<Vec<String>> = Vec::new();
    let mut continues = false;
    let mut rest = tokens;
    while let Some(c) = rest.chars().next() {
        let taken = if c == '"' {
            continues = false;
            string_length(rest)
        } else if c.is_alphabetic() || c == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            match paths.last_mut() {
                Some(path) if continues => path.push(rest[..end].to_owned()),
                _ => paths.push(vec![rest[..end].to_owned()]),
            }
            continues = false;
            end
        } else if rest.starts_with("::") {
            continues = true;
            2
        } else {
            continues = continues && c.is_whitespace();
            c.len_utf8()
        };
        rest = &rest[taken..];
    }
    paths
}

/// How long the string literal is that `text` begins with.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (index, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return index + 1,
            _ => {}
        }
    }
    text.len()
}

#[test]
fn paths_are_found_where_people_hide_them() {
    let text = "use crate::{pdf, cms::{self, a}}; mod inner { fn f() { super::super::g() } } \
                fn f() -> ring::Digest { vec![crate::pades::x(\"tokio::net\"), pcsc::y] }";
    let file = RustFile::parse("core/src/pdf/planted.rs", text.into());
    let paths = file.paths();
    let has = |wanted: &[&str]| paths.iter().any(|path| path.segments == wanted);
    for wanted in [
        &["crate", "pdf"][..],
        &["crate", "cms"],
        &["crate", "cms", "a"],
        &["super", "super", "g"],
        &["crate", "pades", "x"],
    ] {
        assert!(has(wanted), "{wanted:?}");
    }
    let expected: BTreeSet<String> = ["pcsc", "ring"].map(str::to_owned).into();
    assert_eq!(file.crates(), expected);
}
