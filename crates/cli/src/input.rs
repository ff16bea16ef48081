//! # Inputs
//! From the arguments to a subject that is well formed.

use std::path::Path;

use selvedge::{Failure, Subject};
use selvedge_frontend::show_path;

use crate::args::{InputArgs, InputOptions};
use crate::output::Output;

/// Reads and checks the file of a command; prints the warnings.
pub fn load(args: &InputArgs, output: &mut Output) -> Result<Subject, Failure> {
    load_file(&args.file, &args.options, output)
}

/// Loads an input whose file is given apart from the options.
pub fn load_file(
    path: &Path,
    options: &InputOptions,
    output: &mut Output,
) -> Result<Subject, Failure> {
    output.file = Some(show_path(path));
    let subject = Subject::read(path, options.into())?;
    if let Some(warnings) = subject.warnings() {
        output.warn(warnings);
    }
    output.detail(&format!("{}: {}", show_path(path), subject.summary()));
    Ok(subject)
}
