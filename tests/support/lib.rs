//! Shared support for the tests that need real processes and foreign tools.
