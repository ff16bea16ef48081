//! What is read, what is refused, and what is printed.

mod cpds_mistakes;
mod pds_mistakes;
mod programs;
mod round_trip;
mod side_mistakes;
mod systems;
mod tts_mistakes;

use selvedge_program::Source;

use super::{Beside, Format, TableInput, read};
use crate::LoadError;

/// Reads a table with an initial state and a target.
fn read_with(
    format: Format,
    text: &str,
    init: Option<&str>,
    target: Option<&str>,
) -> Result<TableInput, LoadError> {
    let name = match format {
        Format::Pds => "test.pds",
        Format::Cpds => "test.cpds",
        Format::Tts => "test.tts",
    };
    let beside = Beside {
        init: init.map(|text| Source::new("--init", text)),
        target: target.map(|text| Source::new("--target", text)),
        ..Beside::default()
    };
    read(format, &Source::new(name, text), &beside)
}

/// The message of what is refused.
fn refusal(format: Format, text: &str, init: Option<&str>, target: Option<&str>) -> String {
    match read_with(format, text, init, target) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    }
}
