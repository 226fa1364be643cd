//! A terminal of a test: the pseudo-terminal that `script` (util-linux) makes, its keys and its
//! screen.

use std::{
    io::{Read as _, Write as _},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex},
    thread::JoinHandle,
};

use crate::{
    processes,
    service::{Login, until},
};

/// A terminal in which `cybercore-signer` runs.
pub struct Terminal {
    child: Mutex<Child>,
    keys: Mutex<Option<ChildStdin>>,
    screen: Arc<Mutex<Screen>>,
    reader: Option<JoinHandle<()>>,
}

/// What was written, and how much of it was waited for already.
#[derive(Default)]
struct Screen {
    bytes: Vec<u8>,
    taken: usize,
}

impl Terminal {
    /// Opens one and runs the agent in it.
    ///
    /// # Panics
    /// Where it does not start.
    pub fn open(login: &Login, words: &[&str]) -> Self {
        Self::run(login, &[&["approve"], words].concat())
    }

    /// Opens one and runs a command in it; no word of it has a blank.
    ///
    /// # Panics
    /// Where it does not start.
    pub fn run(login: &Login, words: &[&str]) -> Self {
        let program = login.command().get_program().to_str().expect("a path in Unicode").to_owned();
        let line = [&[program.as_str()], words].concat().join(" ");
        let mut script = Command::new("script");
        login.surround(&mut script);
        script.args(["--quiet", "--flush", "--return", "--command", &line, "/dev/null"]);
        let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("script starts");
        let (keys, mut output) = (child.stdin.take(), child.stdout.take().unwrap());
        let screen = Arc::new(Mutex::new(Screen::default()));
        let seen = Arc::clone(&screen);
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                seen.lock().unwrap().bytes.extend_from_slice(&buffer[..count]);
            }
        });
        Self { child: Mutex::new(child), keys: Mutex::new(keys), screen, reader: Some(reader) }
    }

    /// Waits for a text behind everything that was waited for before, and returns what was written
    /// up to its end.
    ///
    /// # Panics
    /// Where it does not come.
    pub fn wait_for(&self, text: &str) -> String {
        let mut seen = String::new();
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            until("a text in the terminal", || {
                let mut screen = self.screen.lock().unwrap();
                let rest = String::from_utf8_lossy(&screen.bytes[screen.taken..]).into_owned();
                let end = rest.find(text)? + text.len();
                seen = rest[..end].to_owned();
                screen.taken += end;
                Some(())
            });
        }));
        assert!(found.is_ok(), "{text:?} is not on the screen:\n{}", self.screen());
        seen
    }

    /// Types a line and Enter.
    pub fn enter(&self, line: &str) {
        self.type_keys(&format!("{line}\n"));
    }

    /// Types.
    ///
    /// # Panics
    /// Where nobody reads.
    pub fn type_keys(&self, keys: &str) {
        let mut place = self.keys.lock().unwrap();
        let pipe = place.as_mut().expect("the keyboard is there");
        pipe.write_all(keys.as_bytes()).and_then(|()| pipe.flush()).expect("the terminal takes keys");
    }

    /// Everything that was ever on the screen.
    ///
    /// # Panics
    /// Where a thread of it did.
    pub fn screen(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap().bytes).into_owned()
    }

    /// The process of the agent.
    ///
    /// # Panics
    /// Where none runs.
    pub fn agent(&self) -> u32 {
        let mut waiting = vec![self.child.lock().unwrap().id()];
        while let Some(process) = waiting.pop() {
            if processes::command_line(process).get(1).is_some_and(|word| word == "approve") {
                return process;
            }
            waiting.extend(processes::children(process));
        }
        panic!("no agent runs: {}", self.screen());
    }

    /// Takes the keyboard away, and waits for the end.
    ///
    /// # Panics
    /// Where it does not end.
    pub fn close(self) -> ExitStatus {
        drop(self.keys.lock().unwrap().take());
        self.ended()
    }

    /// Waits for the end of the program.
    ///
    /// # Panics
    /// Where it does not end.
    pub fn ended(mut self) -> ExitStatus {
        let status = until("the terminal's program ends", || {
            self.child.lock().unwrap().try_wait().expect("its state is known")
        });
        drop(self.reader.take().map(JoinHandle::join));
        status
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let child = self.child.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        if matches!(child.try_wait(), Ok(None)) {
            drop(child.kill());
            drop(child.wait());
        }
    }
}
