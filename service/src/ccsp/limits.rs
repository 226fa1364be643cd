//! What one client, one connection and one request may cost. Limits are answered, not suffered.

use std::time::Duration;

/// Every limit of the interface. [`Limits::default`] is what is documented.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The longest document, in bytes.
    pub document_bytes: u64,
    /// The longest JSON body, in bytes.
    pub json_bytes: u64,
    /// The longest head of a request, in bytes. At least 8192.
    pub head_bytes: usize,
    /// The most fields in a head.
    pub head_fields: usize,
    /// How long a head may take, from the end of the request before it.
    pub head_time: Duration,
    /// How long a body may stand still, whichever way it goes.
    pub body_pause: Duration,
    /// How many bytes of a body must come, or be taken, each second on the average.
    pub body_rate: u64,
    /// How long a body may take beside that.
    pub body_grace: Duration,
    /// How many connections there may be; others wait.
    pub connections: usize,
    /// How many requests of one client may be under way.
    pub requests: usize,
    /// How many questions of one client may wait for the person.
    pub approvals: usize,
    /// How many documents of one client are kept.
    pub documents: usize,
    /// How long documents and results are kept.
    pub keep: Duration,
    /// How long a no to a pairing is remembered.
    pub refusal: Duration,
    /// How long open connections may take to end once the service stops.
    pub farewell: Duration,
}

impl Limits {
    /// How long `bytes` of a body may take, whichever way they go.
    pub(super) fn time_for(&self, bytes: u64) -> Duration {
        self.body_grace.saturating_add(Duration::from_secs(bytes / self.body_rate.max(1)))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            document_bytes: 2 << 30,
            json_bytes: 1 << 20,
            head_bytes: 32 << 10,
            head_fields: 64,
            head_time: Duration::from_secs(15),
            body_pause: Duration::from_secs(20),
            body_rate: 16 << 10,
            body_grace: Duration::from_secs(30),
            connections: 256,
            requests: 32,
            approvals: 4,
            documents: 32,
            keep: Duration::from_secs(600),
            refusal: Duration::from_secs(60),
            farewell: Duration::from_secs(5),
        }
    }
}
