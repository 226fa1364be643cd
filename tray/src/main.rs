//! The `cybercore-signer-tray` program: the window that asks the person.
//!
//! The service starts it and invites it through its standard input. There is no service in this
//! release, hence no invitation: the program says so and ends.

use std::{io::Write as _, process::ExitCode};

/// EX_USAGE of sysexits.h: started in a way that cannot work.
const NOT_INVITED: u8 = 64;

fn main() -> ExitCode {
    let said = writeln!(
        std::io::stderr(),
        "cybercore-signer-tray: this program is started by the service, which comes in a later release.\n\
         To sign now, use: cybercore-signer sign --help"
    );
    // With nowhere to write, the exit code still tells.
    drop(said);
    ExitCode::from(NOT_INVITED)
}
