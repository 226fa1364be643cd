//! Who answers the service's questions: the person in a window or in this terminal, or a script
//! that types in a terminal of its own what a person would.

use std::{
    io::{IsTerminal as _, Read as _, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{
    command::{exists, say, shown},
    demo::login::{Login, end},
    failure::Failure,
};

/// How long the agent may take to see that the service has ended.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where the person answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the terminal agent, on a pseudo-terminal, by a script.
    PseudoTerminal,
    /// In the terminal agent, in this terminal.
    Terminal,
    /// In the tray's window.
    Window,
}

/// Whoever answers, while there is something to answer.
pub(crate) struct Person {
    agent: Option<Child>,
    typist: Option<JoinHandle<()>>,
}

impl Place {
    /// Where a person who is here can answer.
    pub(crate) fn of_person() -> Result<Self, Failure> {
        let display = ["DISPLAY", "WAYLAND_DISPLAY"]
            .into_iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
        if display || cfg!(not(target_os = "linux")) {
            Ok(Self::Window)
        } else if std::io::stdin().is_terminal() {
            Ok(Self::Terminal)
        } else {
            Err(Failure::new("there is neither a display nor a terminal to ask in; use --unattended"))
        }
    }
}

impl Person {
    /// Seats the person. A window is opened by the service itself.
    pub(crate) fn seat(place: Place, login: &Login, password: &Path) -> Result<Self, Failure> {
        let mut agent = login.signer(&["approve"]);
        match place {
            Place::Window => Ok(Self { agent: None, typist: None }),
            Place::Terminal => {
                say(&format!("$ {} &", shown(&agent)));
                Ok(Self { agent: Some(spawn(&mut agent)?), typist: None })
            }
            Place::PseudoTerminal => {
                let password = std::fs::read_to_string(password).map_err(Failure::at(password))?;
                let mut terminal = on_pseudo_terminal(&agent)?;
                terminal.stdin(Stdio::piped()).stdout(Stdio::piped());
                say(&format!("$ {} &", shown(&agent)));
                let mut child = spawn(&mut terminal)?;
                let typist = match (child.stdin.take(), child.stdout.take()) {
                    (Some(keys), Some(screen)) => {
                        Some(thread::spawn(move || type_as_a_person(screen, keys, password.trim_end())))
                    }
                    _ => None,
                };
                Ok(Self { agent: Some(child), typist })
            }
        }
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        if let Some(agent) = &mut self.agent {
            let start = Instant::now();
            while start.elapsed() < PATIENCE && matches!(agent.try_wait(), Ok(None)) {
                thread::sleep(Duration::from_millis(20));
            }
            end(agent);
        }
        if let Some(typist) = self.typist.take() {
            // It ends with the terminal.
            let _ = typist.join();
        }
    }
}

/// The same program on a terminal that is not this one.
fn on_pseudo_terminal(agent: &Command) -> Result<Command, Failure> {
    if !exists("script") {
        return Err(Failure::new("the program 'script' gives no terminal here; install util-linux"));
    }
    let mut terminal = Command::new("script");
    if cfg!(target_os = "linux") {
        terminal.args(["--quiet", "--flush", "--return", "--command", &shown(agent), "/dev/null"]);
    } else {
        terminal.args(["-q", "/dev/null"]).arg(agent.get_program()).args(agent.get_args());
    }
    for (name, value) in agent.get_envs() {
        if let Some(value) = value {
            terminal.env(name, value);
        }
    }
    Ok(terminal)
}

fn spawn(command: &mut Command) -> Result<Child, Failure> {
    command.spawn().map_err(|error| Failure::new(format!("{}: {error}", shown(command))))
}

/// Reads the screen and types the answer to each question, once it stands there whole.
fn type_as_a_person(mut screen: ChildStdout, mut keys: ChildStdin, password: &str) {
    let mut seen = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = match screen.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(count) => buffer.get(..count).unwrap_or_default(),
        };
        // What is shown is for whoever watches.
        let _ = std::io::stdout().write_all(read);
        let _ = std::io::stdout().flush();
        seen.extend_from_slice(read);
        if let Some(answer) = answer(&String::from_utf8_lossy(&seen), password) {
            seen.clear();
            if keys.write_all(format!("{answer}\n").as_bytes()).and_then(|()| keys.flush()).is_err() {
                return;
            }
        }
    }
}

/// What to type where the last line asks something.
fn answer<'a>(screen: &str, password: &'a str) -> Option<&'a str> {
    let line = screen.rsplit('\n').next().filter(|line| line.ends_with(": "))?;
    if line.starts_with("Digite «aprovar»") {
        Some("aprovar")
    } else if line.starts_with("Senha do certificado") {
        Some(password)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_questions_are_answered() {
        assert_eq!(answer("Pronto.\r\nDigite «aprovar» ou", "p"), None);
        assert_eq!(answer("Pronto.\r\nDigite «aprovar» ou «negar»: ", "p"), Some("aprovar"));
        assert_eq!(answer("Digite «aprovar» ou «negar»: aprovar\r\n", "p"), None);
        assert_eq!(answer("aprovar\r\nSenha do certificado: ", "p"), Some("p"));
    }
}
