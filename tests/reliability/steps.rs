//! The steps of a request, and who may end at each of them.

/// Everything up to here has happened, and nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Connected,
    PairingAsked,
    PairingShown,
    Paired,
    UploadHalf,
    Uploaded,
    SignatureAsked,
    SignatureShown,
    Confirmed,
    SecretSent,
    Signing,
    Signed,
    DownloadHalf,
    Done,
}

/// Who ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    /// The service, by SIGKILL.
    Service,
    /// The tray, by SIGKILL.
    Tray,
    /// The token host, by SIGKILL.
    Host,
    /// The client, whose one connection carries document and signature.
    Client,
    /// The connection of a client that asks again on another one.
    Connection,
}

impl Step {
    /// In their order.
    pub(crate) const ALL: [Self; 14] = [
        Self::Connected,
        Self::PairingAsked,
        Self::PairingShown,
        Self::Paired,
        Self::UploadHalf,
        Self::Uploaded,
        Self::SignatureAsked,
        Self::SignatureShown,
        Self::Confirmed,
        Self::SecretSent,
        Self::Signing,
        Self::Signed,
        Self::DownloadHalf,
        Self::Done,
    ];

    /// As the document says it.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Connected => "connected, nothing said",
            Self::PairingAsked => "pairing asked for, tray started",
            Self::PairingShown => "pairing shown",
            Self::Paired => "pairing answered",
            Self::UploadHalf => "upload half done",
            Self::Uploaded => "upload done",
            Self::SignatureAsked => "signature asked for, intent recorded, tray started",
            Self::SignatureShown => "signature shown",
            Self::Confirmed => "confirmed, secret asked for",
            Self::SecretSent => "secret sent to the token host",
            Self::Signing => "key at work",
            Self::Signed => "outcome recorded, result ready",
            Self::DownloadHalf => "download half done",
            Self::Done => "download done",
        }
    }

    /// Whether the token host of the request is there.
    const fn has_host(self) -> bool {
        match self {
            Self::SignatureAsked
            | Self::SignatureShown
            | Self::Confirmed
            | Self::SecretSent
            | Self::Signing => true,
            Self::Connected
            | Self::PairingAsked
            | Self::PairingShown
            | Self::Paired
            | Self::UploadHalf
            | Self::Uploaded
            | Self::Signed
            | Self::DownloadHalf
            | Self::Done => false,
        }
    }

    /// Whether the client waits for an answer.
    const fn has_connection(self) -> bool {
        match self {
            Self::Paired | Self::Uploaded | Self::Signed | Self::Done => false,
            Self::Connected
            | Self::PairingAsked
            | Self::PairingShown
            | Self::UploadHalf
            | Self::SignatureAsked
            | Self::SignatureShown
            | Self::Confirmed
            | Self::SecretSent
            | Self::Signing
            | Self::DownloadHalf => true,
        }
    }
}

impl Who {
    /// In the order of the document.
    pub(crate) const ALL: [Self; 5] = [Self::Service, Self::Tray, Self::Host, Self::Client, Self::Connection];

    /// As the document says it.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Tray => "tray",
            Self::Host => "token host",
            Self::Client => "client",
            Self::Connection => "connection only",
        }
    }

    /// Whether it is there to end at a step.
    pub(crate) fn is_there(self, step: Step) -> bool {
        match self {
            Self::Service => true,
            Self::Tray => step > Step::Connected,
            Self::Host => step.has_host(),
            Self::Client => step.has_connection(),
            Self::Connection => step >= Step::SignatureAsked && step.has_connection(),
        }
    }
}
