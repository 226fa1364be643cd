//! Signing revisions over small documents of each shape.
