//! CCSP over real sockets: the guard's rules, hostile requests, and every resource, with a
//! person and keys that the test holds.
#![cfg(target_os = "linux")]

#[path = "ccsp/contract.rs"]
mod contract;
#[path = "ccsp/encrypted.rs"]
mod encrypted;
#[path = "ccsp/guard.rs"]
mod guard;
#[path = "ccsp/hostile.rs"]
mod hostile;
#[path = "ccsp/memory.rs"]
mod memory;
#[path = "ccsp/pairings.rs"]
mod pairings;
#[path = "ccsp/person.rs"]
mod person;
#[path = "ccsp/policy.rs"]
mod policy;
#[path = "ccsp/server.rs"]
mod server;
#[path = "ccsp/signatures.rs"]
mod signatures;
#[path = "ccsp/written.rs"]
mod written;

use signer_tests::http;
