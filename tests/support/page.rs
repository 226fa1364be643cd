//! A web page of a test that asks a real service for signatures.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
};

use serde_json::{Value, json};
use signer_ipc::message::Lasting;

use crate::{
    agent::Agent,
    http::{self, Answer},
    service::Service,
};

/// Where the page is from.
pub const SITE: &str = "https://erp.example";

/// A page that was let in.
#[derive(Debug, Clone)]
pub struct Page {
    /// Where the service is; another one of the same login after it was started again.
    pub address: SocketAddr,
    /// What it was let in with.
    pub token: String,
    /// Where it is from.
    pub origin: String,
}

/// A request that was sent and is not answered yet. Dropped, its connection is gone.
pub struct Pending(TcpStream);

impl Page {
    /// Asks to be let in and waits for nothing.
    pub fn ask_to_pair(service: &Service) -> Pending {
        Self::ask_to_pair_from(service, SITE)
    }

    fn ask_to_pair_from(service: &Service, origin: &str) -> Pending {
        let body = json!({ "scopes": ["certificates", "sign"] }).to_string();
        let fields = [("Origin", origin), ("Content-Type", "application/json")];
        Pending::send(service.address, "POST /ccsp/v1/pairings", &fields, body.as_bytes())
    }

    /// Is let in by the person at `agent`, for so long.
    ///
    /// # Panics
    /// Where it is not let in.
    pub fn let_in(service: &Service, agent: &mut Agent, lasting: Lasting) -> Self {
        Self::let_in_from(SITE, service, agent, lasting)
    }

    /// As [`Page::let_in`], a page of another site.
    ///
    /// # Panics
    /// Where it is not let in.
    pub fn let_in_from(origin: &str, service: &Service, agent: &mut Agent, lasting: Lasting) -> Self {
        let pending = Self::ask_to_pair_from(service, origin);
        let Some(question) = agent.question_in_time() else {
            panic!("nobody is asked: {:?}", pending.answer())
        };
        agent.confirm_as(&question, question.shown, lasting, None);
        Self { origin: origin.to_owned(), ..Self::of(service, &pending.answer().expect("an answer")) }
    }

    /// With what the service answered.
    ///
    /// # Panics
    /// Where it did not let the page in.
    pub fn of(service: &Service, answer: &Answer) -> Self {
        assert_eq!(answer.status, 201, "{answer:?}");
        let token = answer.json()["token"].as_str().expect("a token").to_owned();
        Self { address: service.address, token, origin: SITE.to_owned() }
    }

    /// Asks for something and waits for nothing.
    pub fn begin(&self, line: &str, more: &[(&str, &str)], body: &[u8]) -> Pending {
        Pending::send_bytes(self.address, &self.request(line, more, body))
    }

    /// The bytes of a request of this page.
    pub fn request(&self, line: &str, more: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
        let bearer = format!("Bearer {}", self.token);
        let mut fields = vec![("Authorization", bearer.as_str()), ("Origin", self.origin.as_str())];
        fields.extend_from_slice(more);
        http::request(line, &fields, body)
    }

    /// Asks for something.
    ///
    /// # Panics
    /// Where there is no answer.
    pub fn ask(&self, line: &str) -> Answer {
        self.begin(line, &[], b"").answer().unwrap_or_else(|| panic!("{line}: no answer"))
    }

    /// Uploads a document and returns its id.
    ///
    /// # Panics
    /// Where the service does not take it.
    pub fn upload(&self, document: &[u8]) -> String {
        let fields = [("Content-Type", "application/pdf")];
        let answer = self.begin("POST /ccsp/v1/documents", &fields, document).answer().expect("an answer");
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["id"].as_str().expect("an id").to_owned()
    }

    /// Asks for the signature of an uploaded document; answered when that is over, or in two
    /// minutes.
    pub fn ask_to_sign(&self, document: &str) -> Pending {
        let item = json!({ "name": "contrato.pdf", "document": document });
        let body = json!({ "format": "pades", "items": [item] }).to_string();
        let fields = [("Content-Type", "application/json"), ("Prefer", "wait=120")];
        self.begin("POST /ccsp/v1/signatures", &fields, body.as_bytes())
    }
}

impl Pending {
    /// Sends a request on a connection of its own.
    ///
    /// # Panics
    /// Where nobody listens.
    pub fn send(address: SocketAddr, line: &str, fields: &[(&str, &str)], body: &[u8]) -> Self {
        Self::send_bytes(address, &http::request(line, fields, body))
    }

    /// Sends bytes on a connection of their own: a part of a request, or nothing.
    ///
    /// # Panics
    /// Where nobody listens.
    pub fn send_bytes(address: SocketAddr, bytes: &[u8]) -> Self {
        let mut pending = Self(http::connect(address));
        pending.send_more(bytes);
        pending
    }

    /// Sends more on the same connection. The service may be gone, or refuse before all is sent.
    pub fn send_more(&mut self, bytes: &[u8]) {
        drop(self.0.write_all(bytes));
    }

    /// Reads so many bytes of the answer.
    ///
    /// # Panics
    /// Where there are fewer.
    pub fn read(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.0.read_exact(&mut bytes).expect("a part of the answer");
        bytes
    }

    /// The answer; nothing where the connection ended without a whole one.
    pub fn answer(mut self) -> Option<Answer> {
        Some(Answer::parse(&http::rest(&mut self.0))?.0)
    }

    /// Whatever comes until the connection ends.
    pub fn rest(mut self) -> Vec<u8> {
        http::rest(&mut self.0)
    }
}

/// State, and code where there is one, of a request for signatures.
pub fn state_and_code(answer: &Value) -> (String, Option<String>) {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    (text(&answer["state"]).unwrap_or_default(), text(&answer["error"]["code"]))
}
