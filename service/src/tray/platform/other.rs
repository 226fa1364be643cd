//! macOS and Windows: the service runs in the login's own session, which has its display.

/// Always: the tray itself says where there is none.
pub(in crate::tray) fn display_is_likely() -> bool {
    true
}

/// Nothing has to be told to the tray.
pub(in crate::tray) fn display() -> Option<Vec<(String, String)>> {
    Some(Vec::new())
}
