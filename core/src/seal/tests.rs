//! Tests.
#[test]
fn x(){}
