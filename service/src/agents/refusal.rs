//! Why a connection to the endpoint is not let in, and what it is told.

use signer_core::error::ErrorCode;

use crate::text::Sentence;

/// Why a connection is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There are too many.
    Crowded,
    /// It says that it is the tray, and was not started, or has been let in before.
    NotInvited,
    /// It is another user's.
    OtherLogin,
    /// The configuration wants no terminal.
    TerminalUnwanted,
    /// It speaks another version.
    Version {
        /// Which.
        theirs: u32,
    },
}

impl Refusal {
    /// The stable code.
    pub(super) const fn code(&self) -> ErrorCode {
        match self {
            Self::Crowded => ErrorCode::TooManyRequests,
            Self::NotInvited | Self::TerminalUnwanted => ErrorCode::TrayUnavailable,
            Self::OtherLogin => ErrorCode::OtherLogin,
            Self::Version { .. } => ErrorCode::ProtocolMismatch,
        }
    }

    /// What the one that is refused is told.
    pub(super) const fn sentence(&self) -> Sentence {
        match self {
            Self::Crowded => [
                "Há conexões demais com o serviço.",
                "The service has too many connections.",
                "El servicio tiene demasiadas conexiones.",
            ],
            Self::NotInvited => [
                "Esta janela não foi iniciada pelo serviço.",
                "This window was not started by the service.",
                "Esta ventana no fue iniciada por el servicio.",
            ],
            Self::OtherLogin => [
                "O serviço pertence a outro usuário deste computador.",
                "The service belongs to another user of this computer.",
                "El servicio pertenece a otro usuario de este equipo.",
            ],
            Self::TerminalUnwanted => [
                "A configuração do serviço não permite confirmar no terminal (ask.terminal).",
                "The service's configuration does not permit confirmations in a terminal (ask.terminal).",
                "La configuración del servicio no permite confirmar en el terminal (ask.terminal).",
            ],
            Self::Version { .. } => [
                "As versões dos programas são diferentes; instale o CyberCore Signer de novo.",
                "The versions of the programs differ; install CyberCore Signer again.",
                "Las versiones de los programas son distintas; instale CyberCore Signer de nuevo.",
            ],
        }
    }
}
