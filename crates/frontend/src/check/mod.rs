//! # The checker
//! From the untyped tree to the typed program: names, types, labels, constants.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use selvedge_program::Program;

use crate::{Diagnostic, syntax};

/// What the command line says about a program.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// Values that replace those of `const` declarations (`--const NAME=VALUE`).
    pub consts: BTreeMap<String, BigInt>,
}

/// Checks a file. There is a program exactly if no diagnostic is an error.
#[must_use]
pub fn check(file: &syntax::File, options: &CheckOptions) -> (Option<Program>, Vec<Diagnostic>) {
    let _ = (file, options);
    (None, Vec::new())
}
