//! Budgets that keep hostile files from costing more than an honest one may.

/// Budgets for one document. The defaults fit every honest file known to the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Nesting of arrays and dictionaries.
    pub depth: usize,
    /// Bytes of the source text of one object outside a stream's data.
    pub object_bytes: usize,
    /// Values within one object, nested ones counted.
    pub items: usize,
    /// Bytes of one stream, encoded or decoded, that the reader itself needs (xref and object streams).
    pub stream_bytes: usize,
    /// Bytes decoded in all while one document is open.
    pub decoded_bytes: u64,
    /// Bytes of source text parsed or searched, and of streams read, in all; small pieces not counted.
    pub parsed_bytes: u64,
    /// Sections of the cross-reference chain (`/Prev`).
    pub xref_sections: usize,
    /// Entries of one cross-reference section, and the highest object number.
    pub objects: u32,
    /// Nodes of the page tree or the field tree that are visited.
    pub nodes: usize,
    /// References followed to reach one value.
    pub reference_hops: usize,
    /// Steps taken while objects are looked up, as long as one document is open.
    pub lookups: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 128,
            object_bytes: 16 << 20,
            items: 250_000,
            stream_bytes: 16 << 20,
            decoded_bytes: 128 << 20,
            parsed_bytes: 256 << 20,
            xref_sections: 4096,
            objects: 8_388_607,
            nodes: 200_000,
            reference_hops: 32,
            lookups: 5_000_000,
        }
    }
}
