//! A service with two modules and a token in each: one that misbehaves, and one that is well.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use signer_ipc::message::{Lasting, Outcome};
use signer_tests::{
    agent::{Agent, Question},
    documents::{Layout, document},
    page::{Page, Pending},
    processes,
    service::{Login, Service, until},
    softhsm::{SoftHsm, faulty_module},
};

pub const PIN: &str = "482915";

/// The tokens, made once for several faults.
pub struct Desk {
    place: tempfile::TempDir,
    /// Beneath the module that misbehaves.
    beneath: SoftHsm,
    other: SoftHsm,
}

/// A service with a module that misbehaves, a person at a terminal, and a page that was let in.
pub struct Case<'a> {
    _desk: &'a Desk,
    how: String,
    module: PathBuf,
    service: Service,
    agent: std::cell::RefCell<Agent>,
    page: Page,
    own: String,
    other: String,
    _login: Login,
}

impl Desk {
    /// Both tokens; nothing where SoftHSM is not installed.
    pub fn new() -> Option<Self> {
        let place = tempfile::tempdir().expect("a folder");
        let beneath = SoftHsm::new(&place.path().join("beneath"), "ecpf-a1-moderno.p12", PIN)?;
        let other = SoftHsm::new(&place.path().join("other"), "ecdsa-p256.p12", PIN)?;
        Some(Self { place, beneath, other })
    }

    /// The module that misbehaves so, with the token beneath it. What an earlier one of the same
    /// name left beside it is gone.
    pub fn module(&self, how: &str) -> PathBuf {
        let module = faulty_module(self.place.path(), how);
        for ending in ["changed", "last", "logins", "reached"] {
            drop(fs::remove_file(beside(&module, ending)));
        }
        fs::copy(self.beneath.configuration(), beside(&module, "conf")).expect("a file");
        module
    }

    /// Where the module that misbehaves so lies.
    pub fn path(&self, how: &str) -> PathBuf {
        self.place.path().join(format!("faulty-{how}.so"))
    }

    /// A service that knows the module that misbehaves so, and the one that is well.
    pub fn case(&self, how: &str) -> Case<'_> {
        self.case_with(how, &[])
    }

    /// As [`Desk::case`], with further modules over the same token.
    pub fn case_with(&self, how: &str, more: &[&str]) -> Case<'_> {
        let module = self.module(how);
        let mut modules = vec![module.clone()];
        modules.extend(more.iter().map(|how| self.module(how)));
        modules.push(self.other.module().into());
        let mut login = Login::new();
        login.set("SOFTHSM2_CONF", self.other.configuration());
        login.configure(&format!("[tokens]\nknown_modules = false\nmodules = {modules:?}\n"));
        let service = login.start();
        let mut agent = Agent::terminal(&login.endpoint());
        let page = Page::let_in(&service, &mut agent, Lasting::Once);
        Case {
            _desk: self,
            how: how.to_owned(),
            module,
            service,
            agent: agent.into(),
            page,
            own: id(&self.beneath),
            other: id(&self.other),
            _login: login,
        }
    }
}

impl Case<'_> {
    pub fn how(&self) -> &str {
        &self.how
    }

    /// The module that misbehaves.
    pub fn module(&self) -> &Path {
        &self.module
    }

    /// The certificate of the module that is well.
    pub fn other(&self) -> &str {
        &self.other
    }

    /// The identifiers of all certificates that the page is told, in no order.
    pub fn listed(&self) -> Vec<String> {
        let answer = self.page.ask("GET /ccsp/v1/certificates");
        assert_eq!(answer.status, 200, "{answer:?}");
        let json = answer.json();
        let certificates = json["certificates"].as_array().expect("a list");
        let mut ids: Vec<_> = certificates.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    }

    /// The page asks for signatures of so many documents with the certificate of the module that
    /// misbehaves.
    pub fn asks_for(&self, documents: usize) -> Pending {
        self.asks_with(&self.own, documents)
    }

    fn asks_with(&self, certificate: &str, documents: usize) -> Pending {
        let document = document(Layout::Table, 1, 9_000);
        let items: Vec<_> = (0..documents)
            .map(|_| json!({ "name": "contrato.pdf", "document": self.page.upload(&document) }))
            .collect();
        let body = json!({ "format": "pades", "certificate": certificate, "items": items }).to_string();
        let fields = [("Content-Type", "application/json"), ("Prefer", "wait=120")];
        self.page.begin("POST /ccsp/v1/signatures", &fields, body.as_bytes())
    }

    /// The page asks, and the person is shown it.
    pub fn shown(&self, documents: usize) -> (Pending, Question) {
        let pending = self.asks_for(documents);
        (pending, self.agent().question())
    }

    pub fn agent(&self) -> std::cell::RefMut<'_, Agent> {
        self.agent.borrow_mut()
    }

    /// How the module's certificate is asked for and refused.
    pub fn is_refused(&self, code: &str) {
        let (pending, question) = self.shown(1);
        self.agent().confirm(&question, Some(PIN));
        let outcome = self.agent().dismissed(&question);
        let Outcome::Failed { code: told, .. } = outcome else { panic!("{}: {outcome:?}", self.how) };
        assert_eq!(told, code, "{}", self.how);
        let answer = answer(pending);
        assert_eq!(answer["error"]["code"], code, "{}: {answer}", self.how);
    }

    pub fn signs_with_its_own(&self) {
        self.signs(&self.own);
    }

    pub fn signs_with_the_other(&self) {
        self.signs(&self.other);
    }

    fn signs(&self, certificate: &str) {
        let pending = self.asks_with(certificate, 1);
        let question = self.agent().question();
        self.agent().confirm(&question, Some(PIN));
        let answer = answer(pending);
        assert_eq!(answer["state"], "completed", "{}: {answer}", self.how);
        assert_eq!(self.agent().dismissed(&question), Outcome::Approved);
    }

    pub fn answers(&self) {
        assert_eq!(self.page.ask("GET /ccsp/v1/status").status, 200, "{}", self.how);
    }

    /// How often the module was asked to log in, and with what user.
    pub fn logins(&self) -> Vec<String> {
        let logins = fs::read_to_string(beside(&self.module, "logins")).unwrap_or_default();
        logins.lines().map(str::to_owned).collect()
    }

    /// Makes a file beside the module.
    pub fn make(&self, ending: &str, text: &str) {
        fs::write(beside(&self.module, ending), text).expect("a file");
    }

    /// The resident memory of the service.
    pub fn memory_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.service.process())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Hosts that only listed are kept for a while: one of each module that is well. None that took
    /// a secret, and none that hangs.
    pub fn no_host_of_the_module_is_left(&self) {
        until("the hosts of requests that ended are gone", || {
            let hosts = self.service.hosts();
            // Children of the service that are none of its hosts would be left over, too.
            let children = processes::children(self.service.process());
            (hosts.len() <= 2 && children.len() == hosts.len()).then_some(())
        });
    }

    /// The processes of token hosts.
    pub fn hosts(&self) -> Vec<u32> {
        self.service.hosts()
    }
}

/// What the page is answered.
pub fn answer(pending: Pending) -> Value {
    pending.answer().expect("an answer").json()
}

/// A file beside a module, with the module's name before `ending`.
pub fn beside(module: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}.{ending}", module.display()))
}

/// The identifier of the certificate on a token: the SHA-256 of the file that it was made from.
fn id(token: &SoftHsm) -> String {
    let der = fs::read(token.configuration().with_file_name("crt.der")).expect("the token's certificate");
    signer_core::digest::DigestAlgorithm::Sha256.digest(&der).to_hex()
}
