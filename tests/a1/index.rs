//! Every A1 file of the test PKI, as its index says, with the shipped program: signed with where
//! it should sign, refused with a clear code where it should not.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;
use signer_core::{
    cms::certificate::Certificate,
    credential::{Holder, Identifier},
    trust,
};
use signer_ipc::secret::Secret;
use signer_service::token::client::{HostCredential, TokenHost};
use signer_tests::{
    judges, repository, signer_program,
    signing::{code, sign_with_a1, signer},
};

use crate::pdf;

/// What comes of a file.
enum Comes {
    /// A signature that is valid, and this is true of the file.
    Signature(fn(&Opened)),
    /// A signature whose certificate leads to no trusted root.
    Untrusted(fn(&Opened)),
    /// A refusal with this code.
    Refusal(&'static str),
}

/// A file as the token host opens it.
struct Opened {
    credentials: Vec<HostCredential>,
}

impl Opened {
    fn certificate(&self) -> Certificate {
        Certificate::from_der(&self.credentials[0].certificate_der).unwrap()
    }

    fn holder(&self) -> Holder {
        Holder::of(&self.certificate())
    }

    /// The issuers in order, and how many certificates there are beside the own one.
    fn chain(&self) -> (Vec<Certificate>, usize) {
        let der = &self.credentials[0].chain_der;
        let pool: Vec<_> = der.iter().map(|der| Certificate::from_der(der).unwrap()).collect();
        (trust::order_chain(&self.certificate(), &pool), pool.len())
    }
}

/// By the words of the index, each in one place: words that nobody knows here are a failure.
fn comes(words: &str, file: &str) -> Comes {
    use Comes::{Refusal, Signature, Untrusted};
    match words {
        "abre"
        | "abre com senha vazia"
        | "abre; senha UTF-8 acentuada"
        | "abre; KDF usa BMPString da senha"
        | "abre; fora do BMP"
        | "abre; nao aparar a senha"
        | "abre; KDF lento"
        | "abre ou recusa clara; nunca em silencio"
        | "abre, com ou sem aviso"
        // Nobody is asked about revocation yet.
        | "recusa se a revogacao for consultada"
            if file != "ed25519.p12" =>
        {
            Signature(|opened| assert_eq!(opened.chain().0.len(), 3))
        }
        // It opens; new signatures are not made with such a key (see the other test below).
        "abre" => Refusal("unsupported-algorithm"),
        "abre ou recusa clara" if file == "ecpf-a1-texto-claro.p12" => {
            Signature(|opened| assert_eq!(opened.chain().0.len(), 3))
        }
        "abre ou recusa clara" => Refusal("unsupported-algorithm"),
        "abre; cadeia tem de vir de fora" => Untrusted(|opened| assert_eq!(opened.chain().1, 0)),
        "abre; falta AC1 e raiz" => Untrusted(|opened| assert_eq!(opened.chain().1, 1)),
        "abre; nao confiavel" => Untrusted(|opened| assert_eq!(opened.chain().1, 1)),
        "abre; ordenar a cadeia" => Signature(|opened| {
            let (chain, _) = opened.chain();
            let mut subject = opened.certificate();
            assert_eq!(chain.len(), 3);
            for issuer in chain {
                assert_eq!(subject.issuer(), issuer.subject());
                subject = issuer;
            }
        }),
        "abre; friendlyName UTF-16" => Signature(|opened| {
            assert_eq!(opened.credentials[0].friendly_name.as_deref(), Some("Certificação José 2025"));
        }),
        "abre; nome com acentos, SAN PrintableString" => Signature(|opened| {
            let holder = opened.holder();
            assert_eq!(holder.name, "JOSÉ FICTÍCIO CONCEIÇÃO DE TESTE");
            assert_eq!(holder.identifier.as_ref().map(Identifier::as_str), Some("98765432100"));
        }),
        "abre; CNPJ com letras, SAN UTF8String" => Signature(|opened| {
            let holder = opened.holder();
            assert_eq!(holder.identifier.as_ref().map(Identifier::as_str), Some("12ABC34501DE35"));
        }),
        "abre; OID de politica ficticio" => {
            Signature(|opened| assert_eq!(opened.holder().name, "EMPRESA FICTICIA DE TESTE LTDA"))
        }
        "abre; sem CPF nem CNPJ" => Signature(|opened| assert_eq!(opened.holder().identifier, None)),
        "abre; serial de 20 octetos" => {
            Signature(|opened| assert_eq!(opened.certificate().serial().len(), 20))
        }
        "recusa ou aviso: sem nonRepudiation" => {
            Signature(|opened| assert!(!opened.certificate().declares_non_repudiation()))
        }
        "lista as duas; pede escolha" => Refusal("credential-ambiguous"),
        "recusa: expirado" => Refusal("credential-expired"),
        "recusa: ainda nao vale" => Refusal("credential-not-yet-valid"),
        "recusa: chave fraca" => Refusal("credential-weak"),
        "recusa: keyUsage nao permite assinar" => Refusal("credential-not-for-signing"),
        "recusa: chave e certificado nao batem" => Refusal("credential-key-mismatch"),
        "recusa: MAC nao confere" => Refusal("password-incorrect"),
        "recusa clara" | "recusa clara, sem panico" => Refusal("credential-unreadable"),
        unknown => panic!("{file}: the index expects what this test does not know: {unknown}"),
    }
}

fn open(path: &Path, password: &str) -> Opened {
    let mut host = TokenHost::spawn(signer_program()).unwrap();
    host.open_file(path).unwrap();
    host.unlock(None, &Secret::from_bytes(password.as_bytes().to_vec()).unwrap()).unwrap();
    Opened { credentials: host.credentials(None).unwrap() }
}

#[test]
fn every_file_of_the_test_pki_is_as_its_index_says() {
    let index = fs::read_to_string(repository().join("tests/fixtures/pki/index.tsv")).unwrap();
    let place = tempfile::tempdir().unwrap();
    let (input, output) = (place.path().join("in.pdf"), place.path().join("out.pdf"));
    fs::write(&input, pdf()).unwrap();
    let words = [input.to_str().unwrap(), output.to_str().unwrap()];
    let (mut seen, mut signed, mut refused) = (BTreeSet::new(), 0, 0);
    for line in index.lines().skip(1) {
        let cells: Vec<_> = line.split('\t').collect();
        let [file, password, _, chain, expected] = cells[..] else { panic!("{line}") };
        let path = repository().join("tests/fixtures/pki").join(file);
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let (result, json) = sign_with_a1(place.path(), &path, password, &words);
        let comes = comes(expected, &name);
        match &comes {
            Comes::Refusal(expected) => {
                assert_eq!((code(&json), result.status.code()), (*expected, Some(1)), "{name}");
                assert!(!output.exists(), "{name}");
                // In words, too, and what can be done.
                let words = json["error"]["title"].as_str().unwrap();
                assert!(words.len() > 10 && json["error"]["remedy"].is_string(), "{name}: {json}");
                refused += 1;
            }
            Comes::Signature(check) | Comes::Untrusted(check) => {
                assert!(result.status.success(), "{name}: {json}");
                let opened = open(&path, password);
                assert_eq!(opened.credentials.len(), 1, "{name}");
                assert_eq!(opened.chain().1, chain.parse::<usize>().unwrap(), "{name}");
                check(&opened);
                let warned = json["warnings"].as_array().unwrap().iter().any(|w| w == "no-non-repudiation");
                assert_eq!(warned, name == "sem-nao-repudio.p12", "{name}: {json}");
                let verdict = judged(&output);
                let trusted = matches!(comes, Comes::Signature(_));
                let indication = if trusted { "TOTAL-PASSED" } else { "INDETERMINATE" };
                assert_eq!(verdict["indication"], indication, "{name}: {verdict}");
                signed += 1;
                fs::remove_file(&output).unwrap();
            }
        }
        seen.insert(name);
    }
    let files: BTreeSet<_> = fs::read_dir(repository().join("tests/fixtures/pki/p12"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(seen, files, "every file has its line");
    assert_eq!((signed, refused), (34, 13));
}

fn judged(path: &Path) -> Value {
    let output = signer().args(["validate", "--json", "--trust"]).args([&judges::test_root(), path]).output();
    serde_json::from_slice(&output.unwrap().stdout).unwrap()
}

/// What is refused for its key is opened and listed all the same; of two keys each is listed and
/// signs once it is chosen.
#[test]
fn what_opens_is_listed_and_of_two_keys_each_signs() {
    let place = tempfile::tempdir().unwrap();
    let (input, secret) = (place.path().join("in.pdf"), place.path().join("password"));
    fs::write(&input, pdf()).unwrap();
    fs::write(&secret, signer_tests::signing::PASSWORD).unwrap();
    let listed = |file: &str| {
        let path = signer_tests::signing::a1(file);
        let output = signer()
            .args(["certificates", "--json", "--p12"])
            .arg(&path)
            .arg("--p12-password-file")
            .arg(&secret)
            .output()
            .unwrap();
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let of = |one: &Value| one["id"].as_str().unwrap().to_owned();
        json["certificates"].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    for file in ["ed25519.p12", "ed448.p12", "ecdsa-brainpoolP256r1.p12", "rsa-1024.p12"] {
        assert_eq!(listed(file).len(), 1, "{file}");
    }
    let two = listed("duas-chaves.p12");
    assert_eq!(two.len(), 2);
    for id in &two {
        let output = place.path().join(&id[..16]);
        let words = [input.to_str().unwrap(), output.to_str().unwrap(), "--certificate", id];
        let path = signer_tests::signing::a1("duas-chaves.p12");
        let (_, json) = sign_with_a1(place.path(), &path, signer_tests::signing::PASSWORD, &words);
        assert_eq!(json["certificate"]["id"], **id, "{json}");
        assert_eq!(judged(&output)["indication"], "TOTAL-PASSED");
    }
}
