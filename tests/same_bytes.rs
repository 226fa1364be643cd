//! The service and the command line sign the same document to the same bytes: at the same moment,
//! even time and identifier agree. What one refuses the other refuses with the same code.
#![cfg(target_os = "linux")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use signer_ipc::message::Lasting;
use signer_tests::{
    agent::Agent,
    documents::{Layout, document},
    left_out,
    manifest::{self, Row},
    page::Page,
    service::Login,
    signing::{PASSWORD, a1},
};

/// The moment at which everything happens: clocks that run would tell the two apart.
const MOMENT: &str = "2026-11-30 12:00:00";
const KEY: &str = "ecpf-a1-moderno.p12";
/// Documents of one request.
const TOGETHER: usize = 20;

/// What became of a document: its bytes, or the code of the refusal.
type Fate = Result<Vec<u8>, String>;

/// Proves A30.
#[test]
fn the_service_and_the_command_line_make_the_same_bytes() {
    let Some(clock) = stopped_clock() else { return };
    let mut login = Login::with_key(KEY);
    login.set("LD_PRELOAD", clock);
    login.set("FAKETIME", MOMENT);
    // Timers go on.
    login.set("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    let folder = login.path("home/documents");
    fs::create_dir(&folder).unwrap();

    let mut inputs = Vec::new();
    for (name, layout) in [("table", Layout::Table), ("streams", Layout::ObjectStreams)] {
        let path = folder.join(format!("{name}.pdf"));
        fs::write(&path, document(layout, 3, 200_000)).unwrap();
        inputs.push(path);
    }
    let own = inputs.len();
    inputs.extend(corpus());

    for seal in ["default", "none"] {
        let mut by_service = through_the_service(&login, &inputs, seal);
        let mut same = 0;
        let mut failures = BTreeMap::new();
        for (place, input) in inputs.iter().enumerate() {
            let name = input.file_name().unwrap().to_string_lossy().into_owned();
            let ours = through_the_command_line(&login, input, seal);
            match (by_service.remove(input).unwrap(), ours) {
                (Ok(left), Ok(right)) if left == right => same += 1,
                // Nothing speaks against signing those of our own.
                (Err(left), Err(right)) if left == right && place >= own => {}
                (left, right) => {
                    failures.insert(name, format!("{} and {}", told(&left), told(&right)));
                }
            }
        }
        println!("seal {seal}: {same} documents of the same bytes");
        assert!(failures.is_empty(), "{} documents differ:\n{failures:#?}", failures.len());
    }
}

/// The documents of the corpus that need no password.
fn corpus() -> Vec<PathBuf> {
    let Some(corpus) = manifest::folder() else { return Vec::new() };
    let open = |row: &Row| row.password.is_empty() && !row.expected.text.contains("password");
    let rows = manifest::rows(&corpus);
    rows.iter().filter(|row| open(row)).map(|row| corpus.join(&row.file)).collect()
}

/// Signs each document over HTTP, some with one approval, as a page asks and the person confirms.
fn through_the_service(login: &Login, inputs: &[PathBuf], seal: &str) -> BTreeMap<PathBuf, Fate> {
    let service = login.start();
    let mut agent = Agent::terminal(&login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Once);
    let mut fates = BTreeMap::new();
    for inputs in inputs.chunks(TOGETHER) {
        let mut uploaded = Vec::new();
        for input in inputs {
            let fields = [("Content-Type", "application/pdf")];
            let bytes = fs::read(input).unwrap();
            let answer = page.begin("POST /ccsp/v1/documents", &fields, &bytes).answer().unwrap();
            match answer.status {
                201 => uploaded.push((input, answer.json()["id"].as_str().unwrap().to_owned())),
                _ => drop(fates.insert(input.clone(), Err(answer.code()))),
            }
        }
        // One document that is refused at once refuses the request.
        if let Err(code) = ask(&page, &mut agent, &uploaded, seal, &mut fates) {
            println!("{code}: one by one");
            for one in uploaded {
                if let Err(code) = ask(&page, &mut agent, std::slice::from_ref(&one), seal, &mut fates) {
                    // It is kept for another try, and only so many are.
                    let line = format!("DELETE /ccsp/v1/documents/{}", one.1);
                    assert_eq!(page.begin(&line, &[], b"").answer().unwrap().status, 204);
                    fates.insert(one.0.clone(), Err(code));
                }
            }
        }
    }
    fates
}

/// Asks for the signatures of uploaded documents, and confirms.
fn ask(
    page: &Page,
    agent: &mut Agent,
    uploaded: &[(&PathBuf, String)],
    seal: &str,
    fates: &mut BTreeMap<PathBuf, Fate>,
) -> Result<(), String> {
    if uploaded.is_empty() {
        return Ok(());
    }
    let items: Vec<_> =
        uploaded.iter().map(|(_, id)| json!({ "name": "contrato.pdf", "document": id })).collect();
    let options = json!({ "seal": seal, "sealPage": 1, "reason": "Aprovação" });
    let body = json!({ "format": "pades", "items": items, "options": options }).to_string();
    let fields = [("Content-Type", "application/json"), ("Prefer", "respond-async")];
    let begun = page.begin("POST /ccsp/v1/signatures", &fields, body.as_bytes()).answer().unwrap();
    if begun.status != 202 {
        return Err(begun.code());
    }
    let question = agent.question();
    agent.confirm(&question, Some(PASSWORD));
    let line = format!("GET {}", begun.field("location").unwrap());
    let answer = page.begin(&line, &[("Prefer", "wait=120")], b"").answer().unwrap().json();
    for ((input, _), item) in uploaded.iter().zip(answer["items"].as_array().unwrap()) {
        let fate = match item["content"].as_str() {
            Some(content) => Ok(page.ask(&format!("GET {content}")).body),
            None => Err(item["error"]["code"].as_str().unwrap_or("no code").to_owned()),
        };
        fates.insert((*input).clone(), fate);
    }
    Ok(())
}

fn through_the_command_line(login: &Login, input: &Path, seal: &str) -> Fate {
    let (output, secret) = (login.path("home/out.pdf"), login.path("home/password"));
    fs::write(&secret, PASSWORD).unwrap();
    let result = login
        .command()
        .args(["sign", "--json", "--seal", seal, "--seal-page", "1", "--reason", "Aprovação", "--p12"])
        .arg(a1(KEY))
        .arg("--p12-password-file")
        .args([&secret, input, &output])
        .output()
        .unwrap();
    let json: Value = serde_json::from_slice(&result.stdout).unwrap_or(Value::Null);
    if !result.status.success() {
        return Err(json["error"]["code"].as_str().unwrap_or("no code").to_owned());
    }
    let bytes = fs::read(&output).unwrap();
    fs::remove_file(&output).unwrap();
    Ok(bytes)
}

fn told(fate: &Fate) -> String {
    match fate {
        Ok(bytes) => format!("{} bytes", bytes.len()),
        Err(code) => code.clone(),
    }
}

/// The library that stops the clock of a process which loads it.
fn stopped_clock() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").ok()?.flatten().map(|entry| entry.path());
    let found = folders.map(|folder| folder.join("faketime/libfaketime.so.1")).find(|path| path.exists());
    if found.is_none() {
        left_out("libfaketime is not installed: run `cargo xtask setup`");
    }
    found
}
