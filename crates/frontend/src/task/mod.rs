//! # Tasks of the verification competition
//! Questions about programs in C, as the field writes them down:
//!
//! - [`Specification`]: a property file (`.prp`), such as `CHECK( init(main()), LTL(G ! data-race) )`;
//! - [`Definition`]: a task definition (`.yml`), which names a program, its data model, and property files with the verdicts that
//!   are expected. It is read with the part of YAML that such files need (`yaml`).
//!
//! What is not understood is a mistake with its place, never passed over: a property that is overlooked would be a wrong answer.

mod definition;
mod property;
mod yaml;

pub use definition::{Definition, Entry};
pub use property::{Property, Specification};

use selvedge_program::Source;

use crate::{Diagnostic, Diagnostics, LoadError};

/// One mistake as the reason that a file cannot be used.
fn wrong(source: &Source, diagnostic: Diagnostic) -> LoadError {
    LoadError::Invalid(Diagnostics::new(source.clone(), vec![diagnostic]))
}
