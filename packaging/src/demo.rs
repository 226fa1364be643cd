//! `demo`: a service, a program that asks it for a signature, a person who approves, and two
//! validators who say what they think of the result.

mod ask;
mod certificate;
mod judges;
mod login;
mod person;
mod sample;

use std::path::{Path, PathBuf};

use crate::{
    command::{cargo, exists, program, run, say, target},
    failure::Failure,
    setup::{self, Purpose},
};

/// What the person asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    /// Their document; the sample where there is none.
    document: Option<PathBuf>,
    audience: Audience,
}

/// Who reads the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    /// Somebody at the terminal, who may lack one of the tools.
    Person,
    /// A program: only the exit code counts, and both judges must have spoken.
    Program,
}

impl Request {
    /// Reads the words behind `demo`.
    pub(crate) fn parse(words: &[&str]) -> Result<Self, Failure> {
        let mut request = Self { document: None, audience: Audience::Person };
        for word in words {
            match *word {
                "--unattended" => request.audience = Audience::Program,
                option if option.starts_with("--") => {
                    return Err(Failure::new(format!("demo: unknown option {option}")));
                }
                file if request.document.is_none() => request.document = Some(PathBuf::from(file)),
                file => return Err(Failure::new(format!("demo: one document only, not also {file}"))),
            }
        }
        Ok(request)
    }
}

/// Runs the demonstration. Everything it makes lies in `target/demo`, fresh each time.
pub(crate) fn run_demo(request: &Request) -> Result<(), Failure> {
    setup::run(Purpose::Demo)?;
    let place = match request.audience {
        Audience::Person => person::Place::of_person()?,
        Audience::Program => person::Place::PseudoTerminal,
    };
    say("\n== build");
    let mut build = cargo(["build", "--release", "--locked", "--package", "signer-service"]);
    if place == person::Place::Window {
        build.args(["--package", "signer-tray"]);
    }
    run(&mut build)?;
    let signer = target().join(format!("release/cybercore-signer{}", std::env::consts::EXE_SUFFIX));

    say("\n== a fictitious A1 certificate");
    let folder = target().join("demo");
    fresh(&folder)?;
    let credential = certificate::make(&folder)?;
    say(&format!("{}, trusted only by {}", credential.p12.display(), credential.root.display()));

    let input = match &request.document {
        Some(document) => document.clone(),
        None => {
            let path = folder.join("contract.pdf");
            std::fs::write(&path, sample::contract()).map_err(Failure::at(&path))?;
            path
        }
    };
    let output = folder.join("signed.pdf");
    sign(request.audience, place, &signer, &credential, &input, &output)?;

    say("\n== validate");
    let ours = run(program(&signer, ["validate"]).arg(&output).arg("--trust").arg(&credential.root));
    say("\n== pdfsig");
    let theirs = judges::pdfsig(&input, &output, &credential.root, &folder.join("nssdb"))?;
    conclude(request.audience, &input, &output, ours, theirs)
}

/// Starts the service in a login of its own, and asks it as a program would.
fn sign(
    audience: Audience,
    place: person::Place,
    signer: &Path,
    credential: &certificate::Credential,
    input: &Path,
    output: &Path,
) -> Result<(), Failure> {
    let folder = target().join("demo");
    let language = match audience {
        Audience::Person => None,
        // Ours is Portuguese where the locale names no language.
        Audience::Program => Some("C.UTF-8"),
    };
    say("\n== the service, in a login of its own");
    let login = login::Login::make(&folder, signer.to_owned(), language)?;
    let file = credential.password_file.to_string_lossy();
    run(login.signer(&["credentials", "add", "--p12-password-file", &file]).arg(&credential.p12))?;
    let service = login.start_service(&folder.join("service.log"))?;
    let person = person::Person::seat(place, &login, &credential.password_file)?;
    let client = ask::Client::new(service.port, &folder);
    client.wait_for_person()?;

    say("\n== a program asks to be let in");
    client.pair()?;
    say("\n== it uploads a document and asks for a signature");
    if audience == Audience::Person {
        let password = std::fs::read_to_string(&credential.password_file);
        let password = password.map_err(Failure::at(&credential.password_file))?;
        say(&format!("the password of the fictitious certificate is {}", password.trim_end()));
    }
    client.sign(input, output, "default")?;
    // The agent ends with the service, and says so.
    drop(service);
    drop(person);
    say("\n== the audit trail");
    run(&mut login.signer(&["audit", "list"]))?;
    run(&mut login.signer(&["audit", "verify"]))
}

fn conclude(
    audience: Audience,
    input: &Path,
    output: &Path,
    ours: Result<(), Failure>,
    theirs: judges::Opinion,
) -> Result<(), Failure> {
    let verdict = match &ours {
        Ok(()) => "valid, chain trusted, entire file covered",
        Err(_) => "NOT all signatures of the document are confirmed, see above",
    };
    say("\n== verdict");
    say(&format!("document:          {}", input.display()));
    say(&format!("signed document:   {}", output.display()));
    say(&format!("cybercore-signer:  {verdict}"));
    say(&format!("pdfsig:            {theirs}"));
    if exists("xdg-open") && audience == Audience::Person {
        say(&format!("to look at it:     xdg-open {}", output.display()));
    }
    ours?;
    match (theirs, audience) {
        (judges::Opinion::Accepted, _) | (judges::Opinion::Absent, Audience::Person) => Ok(()),
        (judges::Opinion::Absent, Audience::Program) => Err(Failure::new("pdfsig gave no opinion")),
        (judges::Opinion::Refused(_), _) => Err(Failure::new("pdfsig does not accept the signature")),
    }
}

fn fresh(folder: &Path) -> Result<(), Failure> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(Failure::at(folder)(error)),
        Ok(()) | Err(_) => {}
    }
    std::fs::create_dir_all(folder).map_err(Failure::at(folder))?;
    // A private key will lie here, fictitious as it is.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
            .map_err(Failure::at(folder))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_may_come_in_any_order() {
        let expected = Request { document: Some(PathBuf::from("a.pdf")), audience: Audience::Program };
        assert_eq!(Request::parse(&["a.pdf", "--unattended"]).unwrap(), expected);
        assert_eq!(Request::parse(&["--unattended", "a.pdf"]).unwrap(), expected);
        assert_eq!(Request::parse(&[]).unwrap().audience, Audience::Person);
    }

    #[test]
    fn unknown_options_and_second_documents_are_refused() {
        assert!(Request::parse(&["--unatended"]).is_err());
        assert!(Request::parse(&["a.pdf", "b.pdf"]).is_err());
    }
}
