//! Passwords that a person types on a terminal.

use std::fs;

use signer_tests::{
    keyboard::Terminal,
    signing::{PASSWORD, a1},
};

use crate::{KEY, desk::Desk};

const ASKED: &str = "Certificate password: ";

#[test]
fn the_passwords_are_typed_without_echo_and_each_is_tried_once() {
    let desk = Desk::new();
    let key = a1(KEY);
    let add = ["credentials", "add", key.to_str().unwrap()];
    let terminal = Terminal::run(&desk.login, &add);
    terminal.wait_for(ASKED);
    terminal.enter("marker-of-a-wrong-one");
    terminal.wait_for("[password-incorrect]");
    assert!(!terminal.screen().contains("marker-of-a-wrong-one"));
    assert!(!terminal.ended().success());

    let terminal = Terminal::run(&desk.login, &add);
    terminal.wait_for(ASKED);
    terminal.enter(PASSWORD);
    terminal.wait_for("(stored, under a password)");
    assert!(!terminal.screen().contains(PASSWORD));
    assert!(terminal.ended().success());

    let id = desk.ids().remove(0);
    let (input, output) = (desk.place.path().join("in.pdf"), desk.place.path().join("out.pdf"));
    let sign = ["sign", input.to_str().unwrap(), output.to_str().unwrap(), "--credential", &id];
    let terminal = Terminal::run(&desk.login, &sign);
    terminal.wait_for(ASKED);
    terminal.enter("errada");
    terminal.wait_for("[password-incorrect]");
    assert!(!terminal.ended().success() && !output.exists());
    let terminal = Terminal::run(&desk.login, &sign);
    terminal.wait_for(ASKED);
    terminal.enter(PASSWORD);
    terminal.wait_for("Signed: ");
    assert!(terminal.ended().success() && fs::metadata(&output).is_ok());
}

#[test]
fn for_a_file_without_a_password_a_new_one_is_typed_twice() {
    let desk = Desk::new();
    let key = a1("ecpf-a1-senha-vazia.p12");
    for (second, stored) in [("nova senhA", false), ("nova senha", true)] {
        let terminal = Terminal::run(&desk.login, &["credentials", "add", key.to_str().unwrap()]);
        terminal.wait_for(ASKED);
        terminal.enter("");
        terminal.wait_for("New password, for the stored key: ");
        terminal.enter("nova senha");
        terminal.wait_for("The same once more: ");
        terminal.enter(second);
        terminal.wait_for(if stored { "(stored, under a password)" } else { "[secret-missing]" });
        assert_eq!(terminal.ended().success(), stored);
    }
    desk.signs(&desk.ids()[0], Some("nova senha"));
}
