//! `validate`: every signature of a document and its verdict.

use std::{path::Path, process::ExitCode};

use serde_json::json;
use signer_core::{
    cms::certificate::{self, Certificate},
    credential::Holder,
    error::ErrorCode,
    pades::verdict::{Coverage, Indication, SubIndication, Verdict},
    pdf::{permission::Permission, source::Source as _},
};

use crate::{
    cli::{
        arguments::{ValidateArguments, language},
        document,
        failure::Failure,
        json, screen,
    },
    clock,
    file::source::{FileSource, read_at},
    text::{Language, Sentence},
    validate,
};

/// The largest file of trust anchors that is read.
const ANCHOR_FILE_BYTES: usize = 4 << 20;

/// Runs the command: exit code 0 all valid, 1 some not, 2 could not tell.
pub(super) fn run(arguments: &ValidateArguments) -> ExitCode {
    match judge(arguments) {
        Ok(verdicts) => {
            let overall = validate::overall(&verdicts);
            if arguments.json {
                screen::json(&json!({
                    "indication": overall.map(Indication::as_str),
                    "signatures": verdicts.iter().map(json::verdict).collect::<Vec<_>>(),
                }));
            } else {
                show(&verdicts);
            }
            match overall {
                Some(Indication::TotalPassed) => ExitCode::SUCCESS,
                Some(Indication::TotalFailed) => ExitCode::from(1),
                Some(Indication::Indeterminate) | None => ExitCode::from(2),
            }
        }
        Err(failure) => {
            failure.show(arguments.json);
            ExitCode::from(2)
        }
    }
}

fn judge(arguments: &ValidateArguments) -> Result<Vec<Verdict>, Failure> {
    let at = match &arguments.at {
        Some(text) => clock::parse(text).map_err(|error| Failure::of(ErrorCode::Usage, &error))?,
        None => clock::now().map_err(|error| Failure::of(ErrorCode::Internal, &error))?,
    };
    let mut anchors = Vec::new();
    for path in &arguments.trust {
        anchors.extend(read_anchors(path)?);
    }
    let input = document::input(&arguments.input)?;
    let document = document::open(&input, arguments.document_password_file.as_deref())?;
    validate::validate(&document, &anchors, at).map_err(|error| Failure::of(error.code(), &error))
}

fn read_anchors(path: &Path) -> Result<Vec<Certificate>, Failure> {
    let named = |failure: Failure| failure.with_note(path.display().to_string());
    let unreadable = |error: std::io::Error| named(Failure::of(ErrorCode::InputUnreadable, &error));
    let file = FileSource::open(path).map_err(unreadable)?;
    let len = usize::try_from(file.len()).ok().filter(|&len| len <= ANCHOR_FILE_BYTES);
    let len = len.ok_or_else(|| named(Failure::new(ErrorCode::InputUnreadable)))?;
    let mut bytes = vec![0; len];
    let read = read_at(file.file(), 0, &mut bytes).map_err(unreadable)?;
    bytes.truncate(read);
    certificate::from_pem_or_der(&bytes)
        .map_err(|error| named(Failure::of(ErrorCode::InputUnreadable, &error)))
}

fn show(verdicts: &[Verdict]) {
    let language = language();
    if verdicts.is_empty() {
        screen::line(language.choose([
            "O documento não tem assinaturas.",
            "The document has no signatures.",
            "El documento no tiene firmas.",
        ]));
    }
    for verdict in verdicts {
        let result = language.choose(indication(verdict.indication));
        screen::line(&format!("{}: {result} [{}]", verdict.field, verdict.indication.as_str()));
        if let Some(sub) = verdict.sub_indication {
            screen::line(&format!("  {} [{}]", language.choose(sub_indication(sub)), sub.as_str()));
        }
        if let Some(detail) = &verdict.detail {
            screen::line(&format!("  ({detail})"));
        }
        if let Some(signer) = &verdict.signer {
            let holder = Holder::of(signer);
            let number = holder.identifier.as_ref().map(|identifier| format!(" ({})", identifier.masked()));
            let heading = language.choose(["Titular", "Holder", "Titular"]);
            screen::line(&format!("  {heading}: {}{}", holder.name, number.unwrap_or_default()));
        }
        screen::line(&format!("  {}", language.choose(coverage(verdict.coverage))));
        if let Some(permission) = verdict.permission {
            screen::line(&format!("  {}", language.choose(permitted(permission))));
        }
        if let Some(time) = json::claimed_time(verdict) {
            let heading = language.choose([
                "Data declarada pelo assinante",
                "Time claimed by the signer",
                "Fecha declarada por el firmante",
            ]);
            let time = match language {
                Language::Portuguese | Language::Spanish => time.to_brazilian(),
                Language::English => time.to_rfc3339(),
            };
            screen::line(&format!("  {heading}: {time}"));
        }
    }
}

const fn indication(indication: Indication) -> Sentence {
    match indication {
        Indication::TotalPassed => ["assinatura válida", "valid signature", "firma válida"],
        Indication::Indeterminate => {
            ["não foi possível confirmar", "could not be confirmed", "no se pudo confirmar"]
        }
        Indication::TotalFailed => ["assinatura inválida", "invalid signature", "firma inválida"],
    }
}

const fn permitted(permission: Permission) -> Sentence {
    match permission {
        Permission::NoChanges => [
            "Não permite nenhuma alteração posterior, nem novas assinaturas.",
            "Permits no later change, nor further signatures.",
            "No permite ningún cambio posterior, ni nuevas firmas.",
        ],
        Permission::FormFilling => [
            "Depois dela só permite preencher formulários e assinar.",
            "Permits only filling in forms and signing after it.",
            "Después de ella solo permite rellenar formularios y firmar.",
        ],
        Permission::Annotations => [
            "Depois dela só permite preencher formulários, assinar e fazer anotações.",
            "Permits only filling in forms, signing and annotating after it.",
            "Después de ella solo permite rellenar formularios, firmar y hacer anotaciones.",
        ],
    }
}

const fn coverage(coverage: Coverage) -> Sentence {
    match coverage {
        Coverage::EntireFile => {
            ["Cobre o arquivo inteiro.", "Covers the entire file.", "Cubre el archivo completo."]
        }
        Coverage::Revision { .. } => [
            "Cobre uma revisão anterior do arquivo.",
            "Covers an earlier revision of the file.",
            "Cubre una revisión anterior del archivo.",
        ],
        Coverage::Partial => [
            "Não cobre o arquivo nem uma revisão dele.",
            "Covers neither the file nor a revision of it.",
            "No cubre el archivo ni una revisión suya.",
        ],
    }
}

const fn sub_indication(sub: SubIndication) -> Sentence {
    match sub {
        SubIndication::FormatFailure => [
            "A estrutura da assinatura está errada.",
            "The structure of the signature is wrong.",
            "La estructura de la firma es incorrecta.",
        ],
        SubIndication::HashFailure => [
            "O conteúdo assinado foi alterado.",
            "The signed content was altered.",
            "El contenido firmado fue alterado.",
        ],
        SubIndication::SigCryptoFailure => [
            "A assinatura não foi feita com a chave deste certificado.",
            "The signature was not made with this certificate's key.",
            "La firma no se hizo con la clave de este certificado.",
        ],
        SubIndication::NoSigningCertificateFound => [
            "O certificado do assinante não está na assinatura.",
            "The signer's certificate is not in the signature.",
            "El certificado del firmante no está en la firma.",
        ],
        SubIndication::NoCertificateChainFound => [
            "O certificado não leva a uma raiz em que se confia (veja --trust).",
            "The certificate does not lead to a trusted root (see --trust).",
            "El certificado no lleva a una raíz de confianza (vea --trust).",
        ],
        SubIndication::CertificateChainGeneralFailure => [
            "A cadeia do certificado quebra uma regra.",
            "The certificate's chain breaks a rule.",
            "La cadena del certificado incumple una regla.",
        ],
        SubIndication::OutOfBoundsNoPoe => [
            "Um certificado venceu e não há prova de que a assinatura é anterior.",
            "A certificate has expired and nothing proves that the signature is older.",
            "Un certificado venció y nada prueba que la firma sea anterior.",
        ],
        SubIndication::OutOfBoundsNotYetValid => [
            "Um certificado ainda não era válido.",
            "A certificate was not valid yet.",
            "Un certificado aún no era válido.",
        ],
        SubIndication::CryptoConstraintsFailure => [
            "Um algoritmo ou chave é fraco demais.",
            "An algorithm or key is too weak.",
            "Un algoritmo o clave es demasiado débil.",
        ],
        SubIndication::Unsupported => [
            "Esta forma de assinatura não é suportada.",
            "This form of signature is not supported.",
            "Esta forma de firma no se admite.",
        ],
        SubIndication::LaterChanges => [
            "Depois desta assinatura foi acrescentado mais do que assinaturas; isso não é julgado.",
            "More than signatures was added after this signature; it is not judged.",
            "Después de esta firma se añadió algo más que firmas; no se evalúa.",
        ],
    }
}
