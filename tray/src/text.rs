//! Every sentence of the window and of the icon, in three languages.
//!
//! What the person reads is a [`Sentence`] or comes from the service in the summary; there is
//! no third way.

mod certification;
mod value;

use std::borrow::Cow;

use signer_ipc::{
    summary::{Certification, Kind, Lock},
    token_host::TriesLeft,
};

pub(crate) use value::{date, grouped, shortened, size};

/// The person's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// English.
    En,
    /// Spanish.
    Es,
    /// Portuguese of Brazil.
    Pt,
}

/// Everything that the program itself says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sentence<'a> {
    /// A document could be read by nobody here: its digest alone is signed.
    DigestOnly,
    /// The button that says yes.
    Approve(Kind),
    /// What the client wants; the documents are counted for a signature.
    Asks(Kind, usize),
    /// How many documents of a batch are signed.
    Batch(u32, u32),
    /// The title of a choice of certificates.
    Certificates,
    /// What may be done to a document after its signature.
    Certifies(Certification),
    /// What may be done to a document once its field is signed.
    Locks(Lock),
    /// A list of documents.
    Documents(usize),
    /// The button that goes on after an interruption.
    Continue,
    /// The button that closes a result.
    Close,
    /// When the answer becomes no.
    Countdown(u64),
    /// The button that says no.
    Deny,
    /// The certificate was chosen and told.
    EndedSelection,
    /// The request was withdrawn.
    EndedCancelled,
    /// The person said no.
    EndedDenied,
    /// The time ran out.
    EndedExpired,
    /// The client was let in.
    EndedPairing,
    /// So many documents were signed.
    EndedSigned(usize),
    /// The title of a failure.
    Failed,
    /// A label of a fact.
    Fact(Fact),
    /// The tries left after a wrong PIN, or before the first.
    Incorrect(Entered, TriesLeft),
    /// This key wants its PIN again.
    AgainForEverySignature,
    /// The token is to be inserted; its label follows where known.
    InsertToken(Option<&'a str>),
    /// The PIN is locked.
    Locked,
    /// An item of the icon's menu.
    Menu(MenuEntry),
    /// The seal is on this page.
    SealOn(u32),
    /// A document has no seal.
    NoSeal,
    /// How many pages.
    PageCount(u32),
    /// A program of this machine, by its name where known.
    Program(Option<&'a str>),
    /// The process of a program.
    Process(u32),
    /// The PIN is typed on the reader, after the yes.
    ReaderLater,
    /// The PIN is typed on the reader, now.
    ReaderNow,
    /// What a paired client may do: see the certificates.
    ScopeCertificates,
    /// What a paired client may do: ask for signatures.
    ScopeSign,
    /// The hint in the empty field.
    SecretHint(Entered),
    /// The field's label.
    SecretLabel(Entered),
    /// How many characters were typed; for screen readers.
    SecretLength(usize),
    /// The keys were perhaps meant for another window.
    TypeAgain,
    /// The answer holds for the future too.
    Remember,
    /// The key is at work.
    SigningNow,
    /// The button that stops a batch.
    Stop,
    /// Where a key is.
    StoredA1,
    /// Where a key is.
    StoredA3,
    /// The title of the window.
    Title(Kind),
    /// A certificate's last day.
    Until(&'a str),
    /// The token will be asked for after the yes.
    TokenLater,
    /// The answer is with the service.
    Wait,
    /// How many requests wait behind this one.
    Waiting(u32),
}

/// What is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entered {
    /// The password of an A1 file.
    Password,
    /// The PIN of a token.
    Pin,
}

/// What a fact is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fact {
    /// The CNPJ of a company.
    Cnpj,
    /// The CPF of a person.
    Cpf,
    /// A document's name.
    Document,
    /// The certificate's holder.
    Holder,
    /// The certificate's issuer.
    Issuer,
    /// A document's pages.
    Pages,
    /// Why it is signed, as the client says.
    Reason,
    /// Where the key is.
    Stored,
    /// The certificate's validity.
    Validity,
}

/// An item of the icon's menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MenuEntry {
    /// Say no.
    Deny,
    /// Say no to everything and go.
    Quit,
    /// Bring the window to the front.
    View,
}

impl Language {
    /// The language of an invitation. English is read by most who speak none of the three.
    pub(crate) fn of_invitation(tag: &str) -> Self {
        match tag {
            "pt" => Self::Pt,
            "es" => Self::Es,
            _ => Self::En,
        }
    }

    /// The language as BCP 47 writes it.
    pub(crate) const fn tag(self) -> &'static str {
        self.pick("pt-BR", "en", "es")
    }

    const fn pick<'a>(self, pt: &'a str, en: &'a str, es: &'a str) -> &'a str {
        match self {
            Self::Pt => pt,
            Self::En => en,
            Self::Es => es,
        }
    }
}

impl Sentence<'_> {
    /// The sentence in `language`.
    pub(crate) fn say(self, language: Language) -> String {
        self.words(language).into_owned()
    }

    #[expect(clippy::too_many_lines, reason = "one table: each sentence with its three forms")]
    fn words(self, language: Language) -> Cow<'static, str> {
        let l = language;
        let fixed = |pt, en, es| Cow::Borrowed(l.pick(pt, en, es));
        match self {
            Self::AgainForEverySignature => fixed(
                "Este certificado pede o PIN a cada assinatura.",
                "This certificate asks for the PIN at each signature.",
                "Este certificado pide el PIN en cada firma.",
            ),
            Self::Approve(Kind::Pairing) => fixed("Permitir", "Allow", "Permitir"),
            Self::Approve(Kind::Selection) => {
                fixed("Mostrar certificado", "Share certificate", "Compartir certificado")
            }
            Self::Approve(Kind::Signature) => {
                fixed("Aprovar e assinar", "Approve and sign", "Aprobar y firmar")
            }
            Self::Asks(Kind::Pairing, _) => fixed(
                "quer usar o CyberCore Signer neste computador",
                "wants to use CyberCore Signer on this computer",
                "quiere usar CyberCore Signer en este equipo",
            ),
            Self::Asks(Kind::Selection, _) => fixed(
                "quer conhecer um dos seus certificados",
                "wants to know one of your certificates",
                "quiere conocer uno de sus certificados",
            ),
            Self::Asks(Kind::Signature, 1) => fixed(
                "quer assinar um documento com o seu certificado",
                "wants to sign a document with your certificate",
                "quiere firmar un documento con su certificado",
            ),
            Self::Asks(Kind::Signature, n) => Cow::Owned(match l {
                Language::Pt => format!("quer assinar {n} documentos com o seu certificado"),
                Language::En => format!("wants to sign {n} documents with your certificate"),
                Language::Es => format!("quiere firmar {n} documentos con su certificado"),
            }),
            Self::Batch(done, of) => Cow::Owned(match l {
                Language::Pt => format!("Lote: {done} de {of} assinados"),
                Language::En => format!("Batch: {done} of {of} signed"),
                Language::Es => format!("Lote: {done} de {of} firmados"),
            }),
            Self::Certificates => fixed("Certificado", "Certificate", "Certificado"),
            Self::Certifies(certification) => Cow::Borrowed(certification::words(certification, l)),
            Self::Locks(lock) => Cow::Borrowed(certification::of_lock(lock, l)),
            Self::Close => fixed("Fechar", "Close", "Cerrar"),
            Self::Continue => fixed("Continuar", "Continue", "Continuar"),
            Self::Countdown(s) => Cow::Owned(match l {
                Language::Pt => format!("Será negado em {s} s"),
                Language::En => format!("Will be denied in {s} s"),
                Language::Es => format!("Se denegará en {s} s"),
            }),
            Self::Deny => fixed("Negar", "Deny", "Denegar"),
            Self::DigestOnly => fixed(
                "só o resumo (hash): o documento não passou por este computador",
                "the digest alone: the document was not seen on this computer",
                "solo el resumen (hash): el documento no pasó por este equipo",
            ),
            Self::Documents(n) => Cow::Owned(match l {
                Language::Pt | Language::Es => format!("{n} documentos"),
                Language::En => format!("{n} documents"),
            }),
            Self::EndedCancelled => {
                fixed("O pedido foi cancelado.", "The request was withdrawn.", "La solicitud fue cancelada.")
            }
            Self::EndedDenied => fixed("Negado.", "Denied.", "Denegado."),
            Self::EndedExpired => {
                fixed("Negado: o tempo acabou.", "Denied: time ran out.", "Denegado: se acabó el tiempo.")
            }
            Self::EndedPairing => fixed("Permitido.", "Allowed.", "Permitido."),
            Self::EndedSelection => {
                fixed("Certificado informado.", "Certificate shared.", "Certificado compartido.")
            }
            Self::EndedSigned(1) => fixed("Documento assinado.", "Document signed.", "Documento firmado."),
            Self::EndedSigned(_) => fixed("Lote concluído.", "Batch finished.", "Lote terminado."),
            Self::Fact(fact) => Cow::Borrowed(fact.words(l)),
            Self::Failed => fixed("Não foi possível", "It did not work", "No fue posible"),
            Self::Incorrect(what, tries) => Cow::Owned(what.incorrect(tries, l)),
            Self::InsertToken(None) => fixed(
                "Conecte o token ou cartão.",
                "Insert the token or card.",
                "Conecte el token o tarjeta.",
            ),
            Self::InsertToken(Some(label)) => Cow::Owned(match l {
                Language::Pt => format!("Conecte o token ou cartão: {label}"),
                Language::En => format!("Insert the token or card: {label}"),
                Language::Es => format!("Conecte el token o tarjeta: {label}"),
            }),
            Self::Locked => fixed(
                "PIN bloqueado. Use o programa do token para desbloquear.",
                "PIN locked. Unlock it with the token's own program.",
                "PIN bloqueado. Desbloquéelo con el programa del token.",
            ),
            Self::Menu(entry) => Cow::Borrowed(entry.words(l)),
            Self::NoSeal => fixed("sem selo visível", "no visible seal", "sin sello visible"),
            Self::PageCount(1) => fixed("1 página", "1 page", "1 página"),
            Self::PageCount(n) => Cow::Owned(match l {
                Language::Pt | Language::Es => format!("{n} páginas"),
                Language::En => format!("{n} pages"),
            }),
            Self::Process(pid) => Cow::Owned(match l {
                Language::Pt => format!("processo {pid}"),
                Language::En => format!("process {pid}"),
                Language::Es => format!("proceso {pid}"),
            }),
            Self::Program(None) => fixed(
                "Um programa deste computador",
                "A program of this computer",
                "Un programa de este equipo",
            ),
            Self::Program(Some(name)) => Cow::Owned(match l {
                Language::Pt => format!("Programa local: {name}"),
                Language::En => format!("Local program: {name}"),
                Language::Es => format!("Programa local: {name}"),
            }),
            Self::ReaderLater => fixed(
                "O PIN será digitado no leitor.",
                "The PIN will be entered on the reader.",
                "El PIN se escribirá en el lector.",
            ),
            Self::ReaderNow => {
                fixed("Digite o PIN no leitor", "Enter the PIN on the reader", "Escriba el PIN en el lector")
            }
            Self::Remember => {
                fixed("Lembrar a minha resposta", "Remember my answer", "Recordar mi respuesta")
            }
            Self::ScopeCertificates => fixed(
                "ver os certificados deste computador",
                "see the certificates of this computer",
                "ver los certificados de este equipo",
            ),
            Self::ScopeSign => fixed(
                "pedir assinaturas; cada uma será confirmada aqui",
                "ask for signatures; each one is confirmed here",
                "pedir firmas; cada una se confirmará aquí",
            ),
            Self::SealOn(page) => Cow::Owned(match l {
                Language::Pt => format!("selo na página {page}"),
                Language::En => format!("seal on page {page}"),
                Language::Es => format!("sello en la página {page}"),
            }),
            Self::SecretHint(Entered::Password) => {
                fixed("Digite a senha", "Enter the password", "Escriba la contraseña")
            }
            Self::SecretHint(Entered::Pin) => fixed("Digite o PIN", "Enter the PIN", "Escriba el PIN"),
            Self::SecretLabel(Entered::Password) => {
                fixed("Senha do certificado", "Certificate password", "Contraseña del certificado")
            }
            Self::SecretLabel(Entered::Pin) => {
                fixed("PIN do certificado", "Certificate PIN", "PIN del certificado")
            }
            Self::SecretLength(1) => fixed("1 caractere", "1 character", "1 carácter"),
            Self::SecretLength(n) => Cow::Owned(match l {
                Language::Pt => format!("{n} caracteres"),
                Language::En => format!("{n} characters"),
                Language::Es => format!("{n} caracteres"),
            }),
            Self::SigningNow => fixed("Assinando…", "Signing…", "Firmando…"),
            Self::Stop => fixed("Parar o lote", "Stop the batch", "Detener el lote"),
            Self::StoredA1 => fixed("A1 (arquivo)", "A1 (file)", "A1 (archivo)"),
            Self::StoredA3 => Cow::Borrowed("A3 (token)"),
            Self::Title(Kind::Pairing) => fixed("Permitir acesso", "Allow access", "Permitir acceso"),
            Self::Title(Kind::Selection) => {
                fixed("Escolher certificado", "Choose a certificate", "Elegir certificado")
            }
            Self::Title(Kind::Signature) => {
                fixed("Confirmar assinatura", "Confirm signature", "Confirmar firma")
            }
            Self::TokenLater => fixed(
                "O token não está conectado; será pedido depois da aprovação.",
                "The token is not connected; it is asked for after the approval.",
                "El token no está conectado; se pedirá después de la aprobación.",
            ),
            Self::TypeAgain => fixed(
                "Digite de novo: a janela acabou de abrir.",
                "Enter it again: the window had only just opened.",
                "Escríbalo de nuevo: la ventana acababa de abrirse.",
            ),
            Self::Until(date) => Cow::Owned(match l {
                Language::Pt => format!("até {date}"),
                Language::En => format!("until {date}"),
                Language::Es => format!("hasta {date}"),
            }),
            Self::Wait => fixed("Aguarde…", "Please wait…", "Espere…"),
            Self::Waiting(n) => Cow::Owned(match l {
                Language::Pt => format!("Mais {n} na fila"),
                Language::En => format!("{n} more waiting"),
                Language::Es => format!("{n} más en espera"),
            }),
        }
    }
}

impl Fact {
    const fn words(self, l: Language) -> &'static str {
        match self {
            Self::Cnpj => "CNPJ",
            Self::Cpf => "CPF",
            Self::Document => l.pick("Documento", "Document", "Documento"),
            Self::Holder => l.pick("Titular", "Holder", "Titular"),
            Self::Issuer => l.pick("Emissor", "Issuer", "Emisor"),
            Self::Pages => l.pick("Páginas", "Pages", "Páginas"),
            Self::Reason => l.pick("Motivo", "Reason", "Motivo"),
            Self::Stored => l.pick("Local", "Kept in", "Ubicación"),
            Self::Validity => l.pick("Validade", "Valid", "Validez"),
        }
    }
}

impl MenuEntry {
    const fn words(self, l: Language) -> &'static str {
        match self {
            Self::Deny => l.pick("Negar", "Deny", "Denegar"),
            Self::Quit => l.pick("Sair", "Quit", "Salir"),
            Self::View => l.pick("Ver pedido pendente", "View pending request", "Ver solicitud pendiente"),
        }
    }
}

impl Entered {
    fn incorrect(self, tries: TriesLeft, l: Language) -> String {
        let wrong = match self {
            Self::Password => l.pick("Senha incorreta.", "Wrong password.", "Contraseña incorrecta."),
            Self::Pin => l.pick("PIN incorreto.", "Wrong PIN.", "PIN incorrecto."),
        };
        let left = tries_left(tries, l);
        if left.is_empty() { wrong.to_owned() } else { format!("{wrong} {left}") }
    }
}

/// What is left, or nothing where the token does not say.
pub(crate) fn tries_left(tries: TriesLeft, l: Language) -> Cow<'static, str> {
    match tries {
        TriesLeft::Exactly(1) | TriesLeft::Last => Cow::Borrowed(l.pick(
            "Última tentativa antes do bloqueio do token.",
            "Last try before the token locks.",
            "Último intento antes de que se bloquee el token.",
        )),
        TriesLeft::Exactly(n) => Cow::Owned(match l {
            Language::Pt => format!("Restam {n} tentativas."),
            Language::En => format!("{n} tries left."),
            Language::Es => format!("Quedan {n} intentos."),
        }),
        TriesLeft::Low => {
            Cow::Borrowed(l.pick("Restam poucas tentativas.", "Few tries left.", "Quedan pocos intentos."))
        }
        TriesLeft::Unknown => Cow::Borrowed(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted_as_people_do() {
        let said = |sentence: Sentence<'_>| sentence.say(Language::Pt);
        assert_eq!(
            said(Sentence::Asks(Kind::Signature, 1)),
            "quer assinar um documento com o seu certificado"
        );
        assert_eq!(
            said(Sentence::Asks(Kind::Signature, 5)),
            "quer assinar 5 documentos com o seu certificado"
        );
        assert_eq!(said(Sentence::PageCount(1)), "1 página");
        assert_eq!(
            said(Sentence::Incorrect(Entered::Pin, TriesLeft::Exactly(2))),
            "PIN incorreto. Restam 2 tentativas."
        );
        assert_eq!(
            said(Sentence::Incorrect(Entered::Pin, TriesLeft::Exactly(1))),
            "PIN incorreto. Última tentativa antes do bloqueio do token."
        );
        assert_eq!(said(Sentence::Incorrect(Entered::Password, TriesLeft::Unknown)), "Senha incorreta.");
    }
}
