//! Two modules that show one token: each certificate is listed once.

use std::fs;

use signer_tests::{processes, service::until};

use crate::desk::Desk;

#[test]
fn two_modules_that_show_one_token_list_its_certificate_once() {
    let Some(desk) = Desk::new() else { return };
    let case = desk.case_with("first", &["second", "third"]);
    let listed = case.listed();
    assert_eq!(listed.len(), 2, "{listed:?}");
    // One of them signs, and the PIN goes to one only.
    case.signs_with_its_own();
    let logins = |how: &str| {
        let path = crate::desk::beside(&desk.path(how), "logins");
        fs::read_to_string(path).unwrap_or_default().lines().count()
    };
    assert_eq!((logins("first"), logins("second"), logins("third")), (1, 0, 0));
    until("no more than one host of each module is kept", || (case.hosts().len() <= 4).then_some(()));
    assert!(case.hosts().iter().all(|host| processes::is_alive(*host)));
}
