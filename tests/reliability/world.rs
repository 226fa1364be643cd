//! One request from its first byte to its last, walked step by step: a login, its service, the
//! tray of the test, a page, and whatever of them a step has brought.

use std::{path::PathBuf, sync::OnceLock};

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use signer_ipc::message::{Lasting, Unlock};
use signer_tests::{
    agent::{Agent, Question},
    documents::{Layout, document},
    http::Answer,
    page::{Page, Pending},
    repository,
    service::{Login, Service, send_signal, until},
    signing::PASSWORD,
    softhsm::{SoftHsm, faulty_module},
    stage::{Stage, StartedTray},
};

use crate::steps::{Step, Who};

/// The PIN of the token.
const PIN: &str = "271828";
/// Larger than what lies between two programs on its way.
const LARGE: usize = 24 << 20;

/// The state of a walk.
pub(crate) struct World {
    pub(crate) login: Login,
    pub(crate) stage: Stage,
    pub(crate) service: Option<Service>,
    pub(crate) tray: Tray,
    pub(crate) page: Option<Page>,
    /// The page's request that is not answered yet.
    pub(crate) pending: Option<Pending>,
    step: Option<Step>,
    who: Who,
    place: tempfile::TempDir,
    module: Option<PathBuf>,
    pub(crate) document: Option<String>,
    pub(crate) request: Option<String>,
    unlock: Option<Unlock>,
    /// What came of a download so far.
    pub(crate) downloaded: Vec<u8>,
}

/// Who asks the person.
pub(crate) enum Tray {
    Asking { agent: Agent, process: u32, question: Option<Question> },
    Nobody,
    Started(StartedTray),
}

/// A document of a page, large enough that it is on its way for a while.
fn large() -> &'static [u8] {
    static LARGE_ONE: OnceLock<Vec<u8>> = OnceLock::new();
    LARGE_ONE.get_or_init(|| document(Layout::Table, 1, LARGE))
}

fn small() -> Vec<u8> {
    document(Layout::Table, 1, 20_000)
}

impl World {
    /// Walks until `step` is reached, on the way on which `who` will end.
    pub(crate) fn at(step: Step, who: Who) -> Self {
        let place = tempfile::tempdir().unwrap();
        let mut login = Login::with_key("ecdsa-p256.p12");
        let mut settings = "[tokens]\nknown_modules = false\n".to_owned();
        let module = (step == Step::Signing).then(|| {
            let token = SoftHsm::new(place.path(), "ecpf-a1-moderno.p12", PIN).expect("it was looked for");
            login.set("SOFTHSM2_CONF", token.configuration());
            let module = faulty_module(place.path(), "wait-in-sign");
            settings.push_str(&format!("modules = [{module:?}]\n"));
            module
        });
        let stage = Stage::set(&mut login, &settings);
        let service = Some(login.start());
        let mut world = Self {
            login,
            stage,
            service,
            tray: Tray::Nobody,
            page: None,
            pending: None,
            step: None,
            who,
            place,
            module,
            document: None,
            request: None,
            unlock: None,
            downloaded: Vec::new(),
        };
        world.walk_to(step);
        world
    }

    /// Walks on until `step` is reached.
    pub(crate) fn walk_to(&mut self, step: Step) {
        for next in Step::ALL {
            if self.step.is_none_or(|reached| reached < next) && next <= step {
                self.take(next);
                self.step = Some(next);
            }
        }
    }

    pub(crate) fn service(&self) -> &Service {
        self.service.as_ref().expect("a service runs")
    }

    fn page(&self) -> &Page {
        self.page.as_ref().expect("the page was let in")
    }

    /// Whether all is in one request, so that its connection is all that the page has.
    const fn one_call(&self) -> bool {
        matches!(self.who, Who::Client)
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Connected => self.pending = Some(Pending::send_bytes(self.service().address, b"")),
            Step::PairingAsked => {
                self.pending = Some(Page::ask_to_pair(self.service()));
                self.tray = Tray::Started(self.stage.next());
            }
            Step::PairingShown | Step::SignatureShown => self.show(),
            Step::Paired => {
                let Tray::Asking { agent, question, .. } = &mut self.tray else { panic!("nobody asks") };
                let question = question.take().expect("a question");
                agent.confirm_as(&question, question.shown, Lasting::Always, None);
                let answer = self.pending.take().and_then(Pending::answer).expect("an answer");
                self.page = Some(Page::of(self.service(), &answer));
            }
            Step::UploadHalf => {
                let bytes = self.upload();
                let half = bytes.len() / 2;
                self.pending = Some(Pending::send_bytes(self.service().address, &bytes[..half]));
            }
            Step::Uploaded => {
                let bytes = self.upload();
                let mut pending = self.pending.take().expect("half of it was sent");
                pending.send_more(&bytes[bytes.len() / 2..]);
                let answer = pending.answer().expect("an answer");
                assert_eq!(answer.status, 201, "{answer:?}");
                self.document = answer.json()["id"].as_str().map(str::to_owned);
            }
            Step::SignatureAsked => self.ask_to_sign(),
            Step::Confirmed => {
                let Tray::Asking { agent, question, .. } = &mut self.tray else { panic!("nobody asks") };
                agent.confirm(question.as_ref().expect("a question"), None);
                self.unlock = Some(agent.asked_for_secret());
            }
            Step::SecretSent => {
                // Stopped, the token host takes the secret at the earliest when it goes on.
                for host in self.service().hosts() {
                    send_signal(host, Signal::SIGSTOP);
                }
                let secret = if self.module.is_some() { PIN } else { PASSWORD };
                let Tray::Asking { agent, question, .. } = &mut self.tray else { panic!("nobody asks") };
                let question = question.as_ref().expect("a question");
                agent.give(question.approval, self.unlock.as_ref().expect("it was asked for"), secret);
            }
            Step::Signing => {
                self.go_on();
                if let Some(module) = &self.module {
                    let reached = format!("{}.reached", module.display());
                    until("the key is used", || std::path::Path::new(&reached).exists().then_some(()));
                }
            }
            Step::Signed => {
                self.let_sign();
                if self.one_call() {
                    // The same request brings the document.
                    self.downloaded = self.pending.as_mut().expect("a request").read(1);
                } else {
                    let told = self.pending.take().map(|pending| pending.answer().expect("an answer").json());
                    let told = told.unwrap_or_else(|| self.told());
                    assert_eq!(told["state"], "completed", "{told}");
                }
            }
            Step::DownloadHalf => {
                if !self.one_call() {
                    let request = self.request.as_ref().expect("a request");
                    let line = format!("GET /ccsp/v1/signatures/{request}/items/1/content");
                    self.pending = Some(self.page().begin(&line, &[], b""));
                }
                let read = self.pending.as_mut().expect("a request").read(64 << 10);
                self.downloaded.extend(read);
            }
            Step::Done => {
                self.downloaded.extend(self.pending.take().expect("a request").rest());
                let answer = Answer::parse(&self.downloaded).expect("a whole answer").0;
                self.assert_valid(large(), &answer.body);
            }
        }
    }

    fn show(&mut self) {
        let Tray::Started(started) = std::mem::replace(&mut self.tray, Tray::Nobody) else {
            panic!("no tray was started")
        };
        let process = started.process;
        let agent = started.connect().expect("the tray is let in");
        let question = Some(agent.question());
        self.tray = Tray::Asking { agent, process, question };
    }

    fn upload(&self) -> Vec<u8> {
        self.page().request("POST /ccsp/v1/documents", &[("Content-Type", "application/pdf")], large())
    }

    /// On a service that was started again: what holds "always" is kept, and no tray is there yet.
    fn ask_to_sign(&mut self) {
        self.tray = Tray::Nobody;
        let service = self.service.take().expect("a service runs");
        assert!(service.stop().success());
        self.start_again();
        if self.one_call() {
            self.ask_in_one_call();
        } else {
            let document = self.page().upload(large());
            self.begin(&document, &self.certificate());
        }
        self.tray = Tray::Started(self.stage.next());
    }

    /// Sends a document, and waits for it to come back signed.
    pub(crate) fn ask_in_one_call(&mut self) {
        let line = format!("POST /ccsp/v1/signatures?name=a.pdf&certificate={}", self.certificate());
        self.pending = Some(self.page().begin(&line, &[("Content-Type", "application/pdf")], large()));
    }

    /// Asks for a signature; what waits then is a question for its end.
    fn begin(&mut self, document: &str, certificate: &str) {
        let item = json!({ "name": "contrato.pdf", "document": document });
        let body = json!({ "format": "pades", "items": [item], "certificate": certificate }).to_string();
        let fields = [("Content-Type", "application/json")];
        let answer = self.page().begin("POST /ccsp/v1/signatures", &fields, body.as_bytes()).answer();
        let answer = answer.expect("an answer");
        assert_eq!(answer.status, 202, "{answer:?}");
        let request = answer.json()["id"].as_str().expect("an id").to_owned();
        let line = format!("GET /ccsp/v1/signatures/{request}");
        self.pending = Some(self.page().begin(&line, &[("Prefer", "wait=120")], b""));
        self.request = Some(request);
    }

    /// How the request stands, asked on a new connection.
    pub(crate) fn told(&self) -> Value {
        let line = format!("GET /ccsp/v1/signatures/{}", self.request.as_ref().expect("a request"));
        let answer = self.page().begin(&line, &[("Prefer", "wait=120")], b"").answer();
        answer.expect("an answer").json()
    }

    /// The certificate to sign with: of the token where there is one.
    fn certificate(&self) -> String {
        self.certificate_of(if self.module.is_some() { "a3" } else { "a1" })
    }

    fn certificate_of(&self, kind: &str) -> String {
        let listed = self.page().ask("GET /ccsp/v1/certificates").json();
        let certificates = listed["certificates"].as_array().expect("a list");
        let found = certificates.iter().find(|certificate| certificate["kind"] == kind);
        found.and_then(|found| found["id"].as_str()).expect("a certificate").to_owned()
    }

    /// The connection ends; what was asked on it is asked once more.
    pub(crate) fn ask_again(&mut self) {
        self.pending = None;
        if self.step == Some(Step::DownloadHalf) {
            self.downloaded.clear();
            self.step = Some(Step::Signed);
        }
    }

    /// Lets the key do what it is asked for.
    pub(crate) fn let_sign(&self) {
        if let Some(module) = &self.module {
            std::fs::write(format!("{}.go", module.display()), "").unwrap();
        }
    }

    /// Lets stopped token hosts go on.
    pub(crate) fn go_on(&self) {
        for host in self.service().hosts() {
            send_signal(host, Signal::SIGCONT);
        }
    }

    /// Answers what is still asked, so that a request comes to its end.
    pub(crate) fn say_yes_if_asked(&mut self) {
        if self.step >= Some(Step::SecretSent) {
            return;
        }
        if matches!(self.tray, Tray::Started(_)) {
            self.show();
        }
        let Tray::Asking { agent, question: Some(question), .. } = &mut self.tray else {
            panic!("nobody asks")
        };
        match &self.unlock {
            Some(unlock) => agent.give(question.approval, unlock, PASSWORD),
            None => agent.confirm(question, Some(PASSWORD)),
        }
    }

    /// Starts the service again, where it has ended.
    pub(crate) fn start_again(&mut self) {
        let service = self.login.start();
        if let Some(page) = &mut self.page {
            page.address = service.address;
        }
        self.service = Some(service);
    }

    /// A whole new request: it must be signed.
    pub(crate) fn sign_afresh(&mut self) {
        if self.page.is_none() {
            let pending = Page::ask_to_pair(self.service());
            let mut agent = self.somebody();
            let question = agent.question();
            agent.confirm_as(&question, question.shown, Lasting::Always, None);
            self.page = Some(Page::of(self.service(), &pending.answer().expect("an answer")));
            self.tray = Tray::Asking { agent, process: 0, question: None };
        }
        let original = small();
        let document = self.page().upload(&original);
        let certificate = self.certificate_of("a1");
        self.begin(&document, &certificate);
        let mut agent = self.somebody();
        let question = agent.question();
        agent.confirm(&question, Some(PASSWORD));
        let told = self.pending.take().and_then(Pending::answer).expect("an answer").json();
        assert_eq!(told["state"], "completed", "{told}");
        let request = self.request.take().expect("a request");
        let content = self.page().ask(&format!("GET /ccsp/v1/signatures/{request}/items/1/content"));
        self.assert_valid(&original, &content.body);
        assert_eq!(self.page().ask(&format!("DELETE /ccsp/v1/signatures/{request}")).status, 204);
    }

    /// The tray that asks, or the one that is started next.
    fn somebody(&mut self) -> Agent {
        match std::mem::replace(&mut self.tray, Tray::Nobody) {
            Tray::Asking { agent, .. } => agent,
            // One that had not connected is ended with the request that it was started for.
            Tray::Nobody | Tray::Started(_) => self.stage.next().connect().expect("the tray is let in"),
        }
    }

    /// It is the original and a signature that holds.
    fn assert_valid(&self, original: &[u8], signed: &[u8]) {
        assert!(signed.len() > original.len() && signed.starts_with(original), "{} bytes", signed.len());
        let path = self.place.path().join("signed.pdf");
        std::fs::write(&path, signed).unwrap();
        let mut validate = self.login.command();
        validate.arg("validate").arg(&path);
        // The token of the tests holds no certificates of issuers.
        for issuer in ["ac1.pem", "ac2.pem"] {
            validate.arg("--trust").arg(repository().join("tests/fixtures/pki/certificates").join(issuer));
        }
        let output = validate.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}
