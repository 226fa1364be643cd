//! For which system and processor a library file is, told from its first bytes: the loader's
//! own words for a wrong one help nobody.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

/// How many bytes of the file are enough.
const HEADER_LEN: u64 = 4096;

/// What a file is, as far as loading it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Library {
    /// For another system or processor.
    Foreign(Mismatch),
    /// For this system and processor.
    Native,
    /// No library that this program knows; the loader has the last word.
    Unknown,
}

/// What a library is for, and what this program is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// In which way they differ.
    pub difference: Difference,
    /// What differs: of the library and, second, of this program.
    pub names: [String; 2],
    /// What the library is for.
    pub found: String,
    /// What this program is for.
    pub expected: String,
}

/// In which way a library differs from this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// Another processor of the same width.
    Processor,
    /// Another operating system.
    System,
    /// 32 bits, while this program has 64, or the other way round.
    Width,
}

/// What a library file is for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    system: &'static str,
    /// More than one in a universal file.
    processors: Vec<Processor>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Processor {
    name: String,
    bits: u32,
}

impl Library {
    /// Looks at the first bytes of the file at `path`.
    ///
    /// # Errors
    /// Where it cannot be read, or is no regular file.
    pub fn read(path: &Path) -> io::Result<Self> {
        if !path.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        let mut header = Vec::new();
        File::open(path)?.take(HEADER_LEN).read_to_end(&mut header)?;
        Ok(compare(&header, std::env::consts::OS, std::env::consts::ARCH))
    }
}

fn compare(header: &[u8], system: &str, processor: &str) -> Library {
    let Some(target) = elf(header).or_else(|| mach(header)).or_else(|| portable(header)) else {
        return Library::Unknown;
    };
    if target.system == system && target.processors.iter().any(|found| found.name == processor) {
        return Library::Native;
    }
    let difference = if target.system != system {
        Difference::System
    } else if target.processors.iter().all(|found| found.bits != usize::BITS) {
        Difference::Width
    } else {
        Difference::Processor
    };
    let processors: Vec<_> = target.processors.iter().map(|found| found.name.as_str()).collect();
    let differing = match difference {
        Difference::System => [target.system, system].map(str::to_owned),
        Difference::Processor | Difference::Width => [processors.join(", "), processor.to_owned()],
    };
    let words = |found: &Processor| match found.bits {
        32 => format!("{}, 32-bit", found.name),
        _ => found.name.clone(),
    };
    let names: Vec<_> = target.processors.iter().map(words).collect();
    Library::Foreign(Mismatch {
        difference,
        names: differing,
        found: format!("{} ({})", names.join(", "), target.system),
        expected: format!("{processor} ({system})"),
    })
}

/// ELF: class in byte 4, byte order in byte 5, machine in bytes 18 and 19.
fn elf(header: &[u8]) -> Option<Target> {
    if !header.starts_with(b"\x7fELF") {
        return None;
    }
    let bits = if header.get(4)? == &2 { 64 } else { 32 };
    let machine: [u8; 2] = header.get(18..20)?.try_into().ok()?;
    let machine =
        if header.get(5) == Some(&2) { u16::from_be_bytes(machine) } else { u16::from_le_bytes(machine) };
    let name = match (machine, bits) {
        (3, _) => "x86".to_owned(),
        (40, _) => "arm".to_owned(),
        (62, 64) => "x86_64".to_owned(),
        (62, _) => "x32".to_owned(),
        (183, 64) => "aarch64".to_owned(),
        (243, 64) => "riscv64".to_owned(),
        (other, _) => format!("ELF machine {other}"),
    };
    Some(Target { system: "linux", processors: vec![Processor { name, bits }] })
}

/// Mach-O, alone or several in a universal file.
fn mach(header: &[u8]) -> Option<Target> {
    let word = |at: usize| header.get(at..at.checked_add(4)?)?.try_into().ok();
    let magic: [u8; 4] = word(0)?;
    let processors = match magic {
        [0xcf, 0xfa, 0xed, 0xfe] | [0xce, 0xfa, 0xed, 0xfe] => {
            vec![mach_processor(u32::from_le_bytes(word(4)?))]
        }
        [0xca, 0xfe, 0xba, 0xbe | 0xbf] => {
            let count = u32::from_be_bytes(word(4)?);
            // A Java class begins alike; its version is larger than any count of processors.
            (1..=16).contains(&count).then_some(())?;
            let size = if magic.ends_with(&[0xbf]) { 32 } else { 20 };
            let entry = |index: usize| word(8 + index * size).map(u32::from_be_bytes);
            (0..usize::try_from(count).ok()?).map_while(entry).map(mach_processor).collect()
        }
        _ => return None,
    };
    Some(Target { system: "macos", processors })
}

fn mach_processor(number: u32) -> Processor {
    let (name, bits) = match number {
        7 => ("x86".to_owned(), 32),
        0x0100_0007 => ("x86_64".to_owned(), 64),
        0x0100_000c => ("aarch64".to_owned(), 64),
        other => (format!("Mach-O processor {other:#x}"), if other & 0x0100_0000 == 0 { 32 } else { 64 }),
    };
    Processor { name, bits }
}

/// Windows (PE): the place of the header is in byte 60, the machine follows its signature.
fn portable(header: &[u8]) -> Option<Target> {
    if !header.starts_with(b"MZ") {
        return None;
    }
    let at = usize::try_from(u32::from_le_bytes(header.get(60..64)?.try_into().ok()?)).ok()?;
    let signature = header.get(at..at.checked_add(6)?)?;
    let [b'P', b'E', 0, 0, low, high] = *signature else { return None };
    let (name, bits) = match u16::from_le_bytes([low, high]) {
        0x014c => ("x86".to_owned(), 32),
        0x8664 => ("x86_64".to_owned(), 64),
        0xaa64 => ("aarch64".to_owned(), 64),
        other => (format!("PE machine {other:#x}"), usize::BITS),
    };
    Some(Target { system: "windows", processors: vec![Processor { name, bits }] })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elf_header(class: u8, machine: u8) -> Vec<u8> {
        let mut header = b"\x7fELF\0\x01\x01".to_vec();
        header[4] = class;
        header.resize(64, 0);
        header[18] = machine;
        header
    }

    fn mismatch(library: Library) -> Mismatch {
        let Library::Foreign(mismatch) = library else { panic!("{library:?}") };
        mismatch
    }

    #[test]
    fn a_library_for_this_machine_passes() {
        assert_eq!(compare(&elf_header(2, 62), "linux", "x86_64"), Library::Native);
        assert_eq!(compare(&elf_header(2, 183), "linux", "aarch64"), Library::Native);
        assert_eq!(Library::read(&std::env::current_exe().unwrap()).unwrap(), Library::Native);
    }

    #[test]
    fn a_32_bit_library_is_named_as_such() {
        let found = mismatch(compare(&elf_header(1, 3), "linux", "x86_64"));
        assert_eq!(found.difference, Difference::Width);
        assert_eq!(found.names, ["x86", "x86_64"]);
        assert_eq!(
            (found.found.as_str(), found.expected.as_str()),
            ("x86, 32-bit (linux)", "x86_64 (linux)")
        );
        let found = mismatch(compare(&elf_header(2, 183), "linux", "x86_64"));
        assert_eq!((found.difference, found.found.as_str()), (Difference::Processor, "aarch64 (linux)"));
    }

    #[test]
    fn another_systems_library_is_refused() {
        let universal = [&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1, 1, 0, 0, 0x0c][..], &[0; 20]].concat();
        assert_eq!(mismatch(compare(&universal, "linux", "aarch64")).difference, Difference::System);
        assert_eq!(compare(&universal, "macos", "aarch64"), Library::Native);
        let mut portable = b"MZ".to_vec();
        portable.resize(64, 0);
        portable[60] = 64;
        portable.extend(b"PE\0\0\x64\x86");
        assert_eq!(compare(&portable, "windows", "x86_64"), Library::Native);
        assert_eq!(mismatch(compare(&portable, "linux", "x86_64")).difference, Difference::System);
    }

    #[test]
    fn what_is_no_library_is_left_to_the_loader() {
        for header in [&b""[..], b"MZ", b"\x7fELF", b"#!/bin/sh", &[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 0x34]] {
            assert_eq!(compare(header, "linux", "x86_64"), Library::Unknown, "{header:?}");
        }
    }
}
