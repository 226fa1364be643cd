//! A fictitious ICP-Brasil hierarchy made with openssl: root, authority, and a person's A1 file.

use std::path::{Path, PathBuf};

use crate::{
    command::{program, quiet},
    failure::Failure,
};

/// The A1 file and what goes with it.
#[derive(Debug)]
pub(crate) struct Credential {
    /// The A1 file.
    pub(crate) p12: PathBuf,
    /// Its password, alone in a file.
    pub(crate) password_file: PathBuf,
    /// The root certificate, as PEM.
    pub(crate) root: PathBuf,
}

/// Extensions as DOC-ICP-04 asks for them. The person's fields: birth date, CPF, NIS, RG with its
/// issuer (2.16.76.1.3.1), voter number (…3.5) and CEI (…3.6). Everything is made up; the policy
/// ends in 999, which no authority has.
const EXTENSIONS: &str = "\
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash

[authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid

[person]
keyUsage = critical, digitalSignature, nonRepudiation, keyEncipherment
extendedKeyUsage = clientAuth, emailProtection
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
certificatePolicies = 2.16.76.1.2.1.999
subjectAltName = @person_names

[person_names]
email = maria@example.com
otherName.0 = 2.16.76.1.3.1;FORMAT:ASCII,OCT:010119901234567890900000000000000000001234567SSPSP
otherName.1 = 2.16.76.1.3.5;FORMAT:ASCII,OCT:0000000000000000000
otherName.2 = 2.16.76.1.3.6;FORMAT:ASCII,OCT:000000000000
";

const ROOT: &str = "/C=BR/O=ICP-Brasil FICTICIA/CN=AC Raiz de Demonstração";
const AUTHORITY: &str = "/C=BR/O=ICP-Brasil FICTICIA/OU=AC Raiz de Demonstração/CN=AC de Demonstração";
const PERSON: &str = "/C=BR/O=ICP-Brasil FICTICIA/OU=AC de Demonstração/OU=RFB e-CPF A1/CN=MARIA FICTICIA DA SILVA:12345678909";

/// Makes everything in `folder`, with new keys. The keys of root and authority are removed again.
pub(crate) fn make(folder: &Path) -> Result<Credential, Failure> {
    let openssl = |line: &str, rest: &[&str]| {
        let words = line.split_whitespace().chain(rest.iter().copied());
        quiet(program("openssl", words).current_dir(folder))
    };
    let extensions = folder.join("extensions.cnf");
    std::fs::write(&extensions, EXTENSIONS).map_err(Failure::at(&extensions))?;
    openssl("rand -hex -out password.txt 4", &[])?;

    request(folder, "root", "rsa:4096", ROOT)?;
    openssl(
        "x509 -req -in root.csr -signkey root.key -sha512 -days 7300 -out root.pem",
        &["-extfile", "extensions.cnf", "-extensions", "root"],
    )?;
    for (name, key, subject, issuer, days) in [
        ("authority", "rsa:4096", AUTHORITY, "root", "3650"),
        ("person", "rsa:2048", PERSON, "authority", "365"),
    ] {
        request(folder, name, key, subject)?;
        openssl(
            "x509 -req -sha256 -CAcreateserial -extfile extensions.cnf",
            &[
                "-in",
                &format!("{name}.csr"),
                "-CA",
                &format!("{issuer}.pem"),
                "-CAkey",
                &format!("{issuer}.key"),
                "-days",
                days,
                "-extensions",
                name,
                "-out",
                &format!("{name}.pem"),
            ],
        )?;
    }

    let chain = folder.join("chain.pem");
    let pem = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path).map_err(Failure::at(&path))
    };
    std::fs::write(&chain, pem("authority.pem")? + &pem("root.pem")?).map_err(Failure::at(&chain))?;
    openssl(
        "pkcs12 -export -inkey person.key -in person.pem -certfile chain.pem -out person.p12",
        &["-name", "MARIA FICTICIA DA SILVA", "-passout", "file:password.txt"],
    )?;
    tidy(folder)?;
    Ok(Credential {
        p12: folder.join("person.p12"),
        password_file: folder.join("password.txt"),
        root: folder.join("root.pem"),
    })
}

fn request(folder: &Path, name: &str, key: &str, subject: &str) -> Result<(), Failure> {
    let [key_file, request_file] = [format!("{name}.key"), format!("{name}.csr")];
    let words =
        ["req", "-new", "-utf8", "-nodes", "-newkey", key, "-keyout", &key_file, "-out", &request_file];
    // A configuration of the machine's could add extensions or ask questions.
    let mut command = program("openssl", words);
    command.args(["-subj", subject]).current_dir(folder);
    quiet(&mut command).map(drop)
}

fn tidy(folder: &Path) -> Result<(), Failure> {
    for name in ["root", "authority", "person"] {
        for ending in ["key", "csr", "srl"] {
            let path = folder.join(format!("{name}.{ending}"));
            if path.exists() {
                std::fs::remove_file(&path).map_err(Failure::at(&path))?;
            }
        }
    }
    Ok(())
}
