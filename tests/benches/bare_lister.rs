//! What listing costs a program that has the module in its own process: the module's own time. It asks
//! for what must be known: the certificates, and which private keys can be seen.
//!
//! Arguments: the module and how often. Prints for each listing the microseconds it took and the
//! certificates it found; the first line is of loading and initialising the module.

use std::{error::Error, path::Path, time::Instant};

use cryptoki::{
    context::{CInitializeArgs, CInitializeFlags, Pkcs11},
    object::{Attribute, AttributeType, CertificateType, ObjectClass},
    session::Session,
};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [module, times] = arguments.as_slice() else { return Err("a module and a number".into()) };
    let begin = Instant::now();
    let module = Pkcs11::new(Path::new(module))?;
    module.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK))?;
    println!("{} 0", begin.elapsed().as_micros());
    // Sessions stay open, as a program's would that lists again.
    let mut sessions: Vec<(u64, Session)> = Vec::new();
    for _ in 0..times.parse()? {
        let begin = Instant::now();
        let mut found = 0;
        for slot in module.get_slots_with_token()? {
            if !module.get_token_info(slot)?.token_initialized() {
                continue;
            }
            if !sessions.iter().any(|(id, _)| *id == slot.id()) {
                sessions.push((slot.id(), module.open_ro_session(slot)?));
            }
            let Some((_, session)) = sessions.iter().find(|(id, _)| *id == slot.id()) else { continue };
            let _ = session.find_objects(&[Attribute::Class(ObjectClass::PRIVATE_KEY)])?;
            let wanted = [
                Attribute::Class(ObjectClass::CERTIFICATE),
                Attribute::CertificateType(CertificateType::X_509),
            ];
            for certificate in session.find_objects(&wanted)? {
                let values = [AttributeType::Value, AttributeType::Id, AttributeType::Label];
                found += usize::from(!session.get_attributes(certificate, &values)?.is_empty());
            }
        }
        println!("{} {found}", begin.elapsed().as_micros());
    }
    Ok(())
}
