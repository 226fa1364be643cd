//! The real interface in this process, on ports of its own.

use std::{net::SocketAddr, path::Path, sync::Arc, thread::JoinHandle};

use serde_json::{Value, json};
use signer_ipc::message::Lasting;
use signer_service::ccsp::{self, Limits, PairingStore, Setup};
use tokio::sync::oneshot;

use crate::{
    http::{self, Answer},
    person::{Person, Reaction},
};

/// A page that may ask.
pub(crate) const SITE: &str = "https://erp.example";

/// The interface. Stopped on drop.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) person: Arc<Person>,
    pub(crate) pairings: Arc<PairingStore>,
    pub(crate) directory: tempfile::TempDir,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A client that was let in.
pub(crate) struct Client<'a> {
    server: &'a Server,
    origin: Option<String>,
    pub(crate) token: String,
}

impl Server {
    /// With the usual limits and an RSA key.
    pub(crate) fn start() -> Self {
        Self::with("ecpf-a1-moderno.p12", Limits::default())
    }

    pub(crate) fn with(key: &str, limits: Limits) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let bound = ccsp::bind([0]).unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], bound.port));
        let person = Arc::new(Person::new(key));
        let pairings = Arc::new(PairingStore::new(directory.path().join("pairings.json")));
        std::fs::create_dir(directory.path().join("spool")).unwrap();
        let setup = Setup {
            listeners: bound.listeners,
            approvals: person.clone(),
            credentials: person.clone(),
            spool: directory.path().join("spool"),
            pairings: Arc::clone(&pairings),
            limits,
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let shutdown = async {
                // A test that ends stops the server, whichever way.
                let _ = stopped.await;
            };
            runtime.block_on(ccsp::serve(setup, shutdown)).unwrap();
        });
        Self { address, person, pairings, directory, stop: Some(stop), thread: Some(thread) }
    }

    /// A request on a connection of its own.
    pub(crate) fn ask(&self, line: &str, fields: &[(&str, &str)], body: &[u8]) -> Answer {
        http::ask(self.address, line, fields, body)
    }

    /// Asks to be let in, as a page or as this program.
    pub(crate) fn ask_to_pair(&self, origin: Option<&str>, scopes: &Value) -> Answer {
        let mut fields = vec![("Content-Type", "application/json")];
        fields.extend(origin.map(|origin| ("Origin", origin)));
        self.ask("POST /ccsp/v1/pairings", &fields, json!({ "scopes": scopes }).to_string().as_bytes())
    }

    /// A client with both scopes.
    pub(crate) fn paired(&self, origin: Option<&str>) -> Client<'_> {
        self.paired_for(origin, &json!(["certificates", "sign"]))
    }

    pub(crate) fn paired_for(&self, origin: Option<&str>, scopes: &Value) -> Client<'_> {
        self.person.will(&[Reaction::Yes(Lasting::Once)]);
        let answer = self.ask_to_pair(origin, scopes);
        assert_eq!(answer.status, 201, "{answer:?}");
        let token = answer.json()["token"].as_str().unwrap().to_owned();
        Client { server: self, origin: origin.map(str::to_owned), token }
    }

    /// The folder of documents, where nothing ever has a name.
    pub(crate) fn spool(&self) -> std::path::PathBuf {
        self.directory.path().join("spool")
    }

    /// Nobody was asked and nobody let in.
    pub(crate) fn assert_untouched(&self) {
        assert_eq!(*self.person.asked.lock().unwrap(), [""; 0]);
        assert_eq!(self.pairings.list(0).unwrap(), (Vec::new(), Vec::new()));
        assert_eq!(names(&self.spool()), [""; 0]);
        assert!(!self.directory.path().join("pairings.json").exists());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        let ended = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            ended.unwrap().unwrap();
        }
    }
}

impl Client<'_> {
    pub(crate) fn ask_with(&self, line: &str, more: &[(&str, &str)], body: &[u8]) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let mut fields = vec![("Authorization", bearer.as_str())];
        fields.extend(self.origin.as_deref().map(|origin| ("Origin", origin)));
        fields.extend_from_slice(more);
        self.server.ask(line, &fields, body)
    }

    pub(crate) fn ask(&self, line: &str) -> Answer {
        self.ask_with(line, &[], b"")
    }

    pub(crate) fn send(&self, line: &str, body: &Value) -> Answer {
        self.ask_with(line, &[("Content-Type", "application/json")], body.to_string().as_bytes())
    }

    /// Uploads a document and returns what the service says of it.
    pub(crate) fn upload(&self, document: &[u8]) -> Value {
        let answer =
            self.ask_with("POST /ccsp/v1/documents", &[("Content-Type", "application/pdf")], document);
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()
    }
}

/// What a folder holds.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}
