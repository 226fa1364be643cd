//! For which system and processor a library file is, told from its first bytes: the loader's
//! own words for a wrong one help nobody.

use signer_ipc::token_host::Failure;

/// How many bytes of the file are enough.
pub(super) const HEADER_LEN: usize = 4096;

/// What a library file is for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    system: &'static str,
    /// More than one in a universal file.
    processors: Vec<String>,
}

/// Refuses a library that begins with `header` and is for another system or processor. A file
/// that is no library at all is left to the loader.
pub(super) fn check(header: &[u8]) -> Result<(), Failure> {
    compare(header, std::env::consts::OS, std::env::consts::ARCH)
}

fn compare(header: &[u8], system: &str, processor: &str) -> Result<(), Failure> {
    let Some(target) = elf(header).or_else(|| mach(header)).or_else(|| portable(header)) else {
        return Ok(());
    };
    if target.system == system && target.processors.iter().any(|found| found == processor) {
        return Ok(());
    }
    Err(Failure::ModuleArchitecture {
        found: format!("{} ({})", target.processors.join(", "), target.system),
        expected: format!("{processor} ({system})"),
    })
}

/// ELF: class in byte 4, byte order in byte 5, machine in bytes 18 and 19.
fn elf(header: &[u8]) -> Option<Target> {
    if !header.starts_with(b"\x7fELF") {
        return None;
    }
    let class = header.get(4)?;
    let machine: [u8; 2] = header.get(18..20)?.try_into().ok()?;
    let machine =
        if header.get(5) == Some(&2) { u16::from_be_bytes(machine) } else { u16::from_le_bytes(machine) };
    let name = match (machine, class) {
        (3, _) => "x86, 32-bit".to_owned(),
        (40, _) => "arm, 32-bit".to_owned(),
        (62, 2) => "x86_64".to_owned(),
        (62, _) => "x32, 32-bit".to_owned(),
        (183, 2) => "aarch64".to_owned(),
        (243, 2) => "riscv64".to_owned(),
        (other, 2) => format!("ELF machine {other}, 64-bit"),
        (other, _) => format!("ELF machine {other}, 32-bit"),
    };
    Some(Target { system: "linux", processors: vec![name] })
}

/// Mach-O, alone or several in a universal file.
fn mach(header: &[u8]) -> Option<Target> {
    let word = |at: usize| header.get(at..at.checked_add(4)?)?.try_into().ok();
    let magic: [u8; 4] = word(0)?;
    let processors = match magic {
        [0xcf, 0xfa, 0xed, 0xfe] | [0xce, 0xfa, 0xed, 0xfe] => {
            vec![mach_processor(u32::from_le_bytes(word(4)?))]
        }
        [0xca, 0xfe, 0xba, 0xbe] => {
            let count = u32::from_be_bytes(word(4)?);
            // A Java class begins alike; its version is larger than any count of processors.
            (1..=16).contains(&count).then_some(())?;
            let entry = |index: usize| word(8 + index * 20).map(u32::from_be_bytes);
            (0..usize::try_from(count).ok()?).map_while(entry).map(mach_processor).collect()
        }
        _ => return None,
    };
    Some(Target { system: "macos", processors })
}

fn mach_processor(number: u32) -> String {
    match number {
        7 => "x86, 32-bit".to_owned(),
        0x0100_0007 => "x86_64".to_owned(),
        0x0100_000c => "aarch64".to_owned(),
        other => format!("Mach-O processor {other:#x}"),
    }
}

/// Windows (PE): the place of the header is in byte 60, the machine follows its signature.
fn portable(header: &[u8]) -> Option<Target> {
    if !header.starts_with(b"MZ") {
        return None;
    }
    let at = usize::try_from(u32::from_le_bytes(header.get(60..64)?.try_into().ok()?)).ok()?;
    let signature = header.get(at..at.checked_add(6)?)?;
    let [b'P', b'E', 0, 0, low, high] = *signature else { return None };
    let name = match u16::from_le_bytes([low, high]) {
        0x014c => "x86, 32-bit".to_owned(),
        0x8664 => "x86_64".to_owned(),
        0xaa64 => "aarch64".to_owned(),
        other => format!("PE machine {other:#x}"),
    };
    Some(Target { system: "windows", processors: vec![name] })
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

    #[test]
    fn a_library_for_this_machine_passes() {
        assert_eq!(compare(&elf_header(2, 62), "linux", "x86_64"), Ok(()));
        assert_eq!(compare(&elf_header(2, 183), "linux", "aarch64"), Ok(()));
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(check(&own[..HEADER_LEN]), Ok(()));
    }

    #[test]
    fn a_32_bit_library_is_named_as_such() {
        let refused = compare(&elf_header(1, 3), "linux", "x86_64");
        let Err(Failure::ModuleArchitecture { found, expected }) = refused else { panic!("{refused:?}") };
        assert_eq!((found.as_str(), expected.as_str()), ("x86, 32-bit (linux)", "x86_64 (linux)"));
    }

    #[test]
    fn another_systems_library_is_refused() {
        let universal = [&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1, 1, 0, 0, 0x0c][..], &[0; 20]].concat();
        assert!(compare(&universal, "linux", "aarch64").is_err());
        assert_eq!(compare(&universal, "macos", "aarch64"), Ok(()));
        let mut portable = b"MZ".to_vec();
        portable.resize(64, 0);
        portable[60] = 64;
        portable.extend(b"PE\0\0\x64\x86");
        assert_eq!(compare(&portable, "windows", "x86_64"), Ok(()));
        assert!(compare(&portable, "linux", "x86_64").is_err());
    }

    #[test]
    fn what_is_no_library_is_left_to_the_loader() {
        for header in [&b""[..], b"MZ", b"\x7fELF", b"#!/bin/sh", &[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 0x34]] {
            assert_eq!(compare(header, "linux", "x86_64"), Ok(()), "{header:?}");
        }
    }
}
