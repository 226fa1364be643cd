//! `diagnose`: reader → card → module → token → certificate, step by step, and what is missing.

use std::{path::Path, process::ExitCode};

use serde_json::{Value, json};

use crate::{
    cli::{
        arguments::{DiagnoseArguments, language},
        screen,
    },
    clock,
    token::{
        client::{TokenDescription, TokenHost},
        error::TokenError,
        modules,
        reader::{self, Reader, ReaderError},
    },
};

/// One module and what its token host saw.
struct Examined {
    product: String,
    path: String,
    result: Result<Vec<TokenDescription>, TokenError>,
    certificates: usize,
}

/// Runs the command. Finding something wrong is its job, not a failure: the exit code is 0.
pub(super) fn run(arguments: &DiagnoseArguments) -> ExitCode {
    let readers = reader::readers();
    let mut examined: Vec<_> = modules::installed()
        .iter()
        .filter(|module| arguments.module.as_ref() != Some(&module.path))
        .map(|module| examine(module.product, &module.path))
        .collect();
    if let Some(path) = &arguments.module {
        examined.push(examine("--module", path));
    }
    if arguments.json {
        screen::json(&as_json(&readers, &examined));
    } else {
        show(&readers, &examined);
    }
    ExitCode::SUCCESS
}

fn examine(product: &str, path: &Path) -> Examined {
    let mut certificates = 0;
    let result = look_at(path, &mut certificates);
    Examined { product: product.to_owned(), path: path.display().to_string(), result, certificates }
}

/// Loads the module in a host of its own and counts what it shows without a PIN.
fn look_at(path: &Path, certificates: &mut usize) -> Result<Vec<TokenDescription>, TokenError> {
    let program = std::env::current_exe().map_err(TokenError::from)?;
    let mut host = TokenHost::spawn(&program)?;
    host.open_module(path)?;
    let tokens = host.tokens()?;
    for token in &tokens {
        *certificates += host.credentials(Some(token))?.len();
    }
    Ok(tokens)
}

fn as_json(readers: &Result<Vec<Reader>, ReaderError>, examined: &[Examined]) -> Value {
    let readers = match readers {
        Ok(readers) => json!({
            "service": "running",
            "list": readers.iter().map(|reader| json!({
                "name": reader.name,
                "card": reader.card.as_deref().map(hexadecimal),
            })).collect::<Vec<_>>(),
        }),
        Err(error) => json!({ "service": "failed", "detail": error.to_string() }),
    };
    let modules: Vec<_> = examined
        .iter()
        .map(|module| match &module.result {
            Ok(tokens) => json!({
                "product": module.product,
                "path": module.path,
                "tokens": tokens.iter().map(|token| json!({
                    "label": token.label,
                    "serial": token.serial,
                })).collect::<Vec<_>>(),
                "certificates": module.certificates,
            }),
            Err(error) => json!({
                "product": module.product,
                "path": module.path,
                "error": { "code": error.code().as_str(), "detail": error.to_string() },
            }),
        })
        .collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "time": clock::now().map(signer_core::moment::Moment::to_rfc3339).ok(),
        "readers": readers,
        "modules": modules,
    })
}

fn show(readers: &Result<Vec<Reader>, ReaderError>, examined: &[Examined]) {
    let language = language();
    screen::line(&format!("CyberCore Signer {}", env!("CARGO_PKG_VERSION")));
    let clock_heading = language.choose(["Relógio", "Clock", "Reloj"]);
    match clock::now() {
        Ok(now) => screen::line(&format!("{clock_heading}: {}", now.to_brazilian())),
        Err(error) => screen::line(&format!("{clock_heading}: {error}")),
    }
    screen::line(language.choose(["Leitores:", "Readers:", "Lectores:"]));
    match readers {
        Err(ReaderError::ServiceAbsent) => screen::line(language.choose([
            "  ✗ O serviço de cartões (pcscd) não está em execução. Certificados A1 não precisam dele.",
            "  ✗ The smart card service (pcscd) is not running. A1 certificates do not need it.",
            "  ✗ El servicio de tarjetas (pcscd) no está en ejecución. Los certificados A1 no lo necesitan.",
        ])),
        Err(error @ (ReaderError::Failed(_) | ReaderError::NotPermitted)) => {
            screen::line(&format!("  ✗ {error}"))
        }
        Ok(readers) if readers.is_empty() => screen::line(language.choose([
            "  – Nenhum leitor conectado.",
            "  – No reader is connected.",
            "  – Ningún lector conectado.",
        ])),
        Ok(readers) => {
            for reader in readers {
                let card = match &reader.card {
                    Some(answer) => hexadecimal(answer),
                    None => language.choose(["sem cartão", "no card", "sin tarjeta"]).to_owned(),
                };
                let mark = if reader.card.is_some() { '✓' } else { '–' };
                screen::line(&format!("  {mark} {}: {card}", reader.name));
            }
        }
    }
    screen::line(language.choose(["Módulos PKCS#11:", "PKCS#11 modules:", "Módulos PKCS#11:"]));
    if examined.is_empty() {
        screen::line(language.choose([
            "  – Nenhum módulo conhecido instalado.",
            "  – No known module is installed.",
            "  – Ningún módulo conocido instalado.",
        ]));
    }
    for module in examined {
        show_module(module);
    }
}

fn show_module(module: &Examined) {
    let language = language();
    match &module.result {
        Ok(tokens) => {
            screen::line(&format!("  ✓ {} ({})", module.product, module.path));
            if tokens.is_empty() {
                screen::line(language.choose([
                    "    – Nenhum token presente.",
                    "    – No token is present.",
                    "    – Ningún token presente.",
                ]));
            }
            for token in tokens {
                screen::line(&format!("    ✓ {} ({})", token.label, token.serial));
            }
            let certificates = language.choose([
                "Certificados visíveis sem PIN",
                "Certificates visible without a PIN",
                "Certificados visibles sin PIN",
            ]);
            screen::line(&format!("    {certificates}: {}", module.certificates));
        }
        Err(error) => {
            screen::line(&format!("  ✗ {} ({})", module.product, module.path));
            screen::line(&format!("    {} [{}]", language.error(error.code()), error.code()));
            screen::line(&format!("    {}", language.remedy(error.code().remedy())));
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
