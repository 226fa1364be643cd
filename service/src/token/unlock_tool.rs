//! Which program of its vendor unlocks a token: a locked PIN is the end here, and not for the
//! person.
//!
//! Data only. Products name themselves in many ways, so a part of a name is enough.

use std::path::Path;

/// A program, and what the tokens that it unlocks are known by; all in lower case.
struct UnlockTool {
    name: &'static str,
    /// Parts of the manufacturer or model that the token tells.
    tokens: &'static [&'static str],
    /// Parts of the file name of the module.
    modules: &'static [&'static str],
}

/// What tokens say of themselves counts more than the module, which may serve many.
const TOOLS: &[UnlockTool] = &[
    UnlockTool {
        name: "SafeNet Authentication Client Tools",
        tokens: &["safenet", "gemalto", "thales", "etoken", "idprime"],
        modules: &["etoken", "etpkcs11", "idprime"],
    },
    UnlockTool {
        name: "TokenAdmin (SafeSign)",
        tokens: &["a.e.t.", "safesign", "starsign", "giesecke"],
        modules: &["aetpkss"],
    },
    UnlockTool {
        name: "WatchKey USB Token Admin Tool",
        tokens: &["watchdata", "watchkey"],
        modules: &["wdpkcs", "wdp11", "wdicp"],
    },
    UnlockTool {
        name: "ePassManager (ePass2003)",
        tokens: &["feitian", "epass2003", "entersafe"],
        modules: &["castle", "eps2003"],
    },
    UnlockTool {
        name: "AWP Identity Manager",
        tokens: &["oberthur", "idemia"],
        modules: &["ocscryptoki", "ocscryptolib"],
    },
    UnlockTool {
        name: "IDProtect Manager",
        tokens: &["athena", "idprotect"],
        modules: &["asep11", "asepkcs"],
    },
    UnlockTool { name: "DXSafe", tokens: &["dexon", "dxtoken"], modules: &["dxsafe"] },
    UnlockTool { name: "CSSI", tokens: &["charismathics"], modules: &["cmp11"] },
    UnlockTool { name: "Bit4id PKI Manager", tokens: &["bit4id"], modules: &["bit4"] },
    UnlockTool { name: "YubiKey Manager", tokens: &["yubico", "yubikey"], modules: &["ykcs11"] },
    UnlockTool { name: "pkcs15-tool --unblock-pin", tokens: &[], modules: &["opensc"] },
];

/// The program that unlocks a token of this model and manufacturer, reached through this module;
/// none where it is not known.
pub fn unlock_tool(model: &str, manufacturer: &str, module: &Path) -> Option<&'static str> {
    let (model, manufacturer) = (model.to_lowercase(), manufacturer.to_lowercase());
    let file = module.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let told = |part: &&str| model.contains(part) || manufacturer.contains(part);
    let by_token = TOOLS.iter().find(|tool| tool.tokens.iter().any(told));
    let by_module = || TOOLS.iter().find(|tool| tool.modules.iter().any(|part| file.contains(part)));
    by_token.or_else(by_module).map(|tool| tool.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_names_its_tool_and_else_the_module_does() {
        let tool = |model: &str, manufacturer: &str, module: &str| {
            unlock_tool(model, manufacturer, Path::new(module))
        };
        let opensc = "/usr/lib/x86_64-linux-gnu/opensc-pkcs11.so";
        assert_eq!(tool("ePass2003", "EnterSafe", opensc), Some("ePassManager (ePass2003)"));
        assert_eq!(tool("PKCS#15 emulated", "piv_II", opensc), Some("pkcs15-tool --unblock-pin"));
        assert_eq!(tool("", "", "/usr/lib/libeTPkcs11.so"), Some("SafeNet Authentication Client Tools"));
        assert_eq!(tool("", "", "/usr/lib/libaetpkss.so.3"), Some("TokenAdmin (SafeSign)"));
        assert_eq!(tool("v2", "Nobody", "/opt/nobody.so"), None);
    }

    #[test]
    fn the_names_that_are_looked_for_are_in_lower_case() {
        for tool in TOOLS {
            for part in tool.tokens.iter().chain(tool.modules) {
                assert_eq!(*part, part.to_lowercase(), "{}", tool.name);
            }
        }
    }
}
