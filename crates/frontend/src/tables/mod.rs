//! # Tables
//! `.pds` with `.init` and `.spec`, the self-contained `.cpds`, and `.tts` with `.prop`.

use selvedge_model::{Property, Tables};

/// A system read from tables, with what must not be reached.
#[derive(Clone, Debug)]
pub struct TableInput {
    /// The system.
    pub tables: Tables,
    /// The targets; empty if none was given.
    pub targets: Vec<Property>,
}
