//! # The guard's answer
//! The guard itself is that of a check ([`selvedge_check::command::guard`]); here is what it prints: text, JSON or SARIF.

use std::io::Write as _;

use selvedge::{Blame, Failure, failure_report};
use selvedge_check::command::guard::{self, Watched};
pub use selvedge_check::command::guard::{GRACE, Overrun, answers, completed, interrupted};
use selvedge_report::{json, sarif};

use crate::args::Format;
use crate::commands::engine::Limits;
use crate::exit::Exit;
use crate::memory;

/// Watches a command from now on.
pub fn start(limits: &Limits, format: Format, file: String) {
    let Limits { timeout, memory } = *limits;
    let (memory_in_use, give_back) = (memory::in_use, selvedge_pages::give_back);
    let watched = Watched { timeout, memory, memory_in_use, give_back };
    guard::start(&watched, move |overrun| shown(overrun, format, &file));
}

/// The answer of a command that ends with a limit.
pub fn shown(overrun: &Overrun, format: Format, file: &str) -> String {
    let object = || {
        let message = format!("{}; completed: {}", overrun.why, overrun.completed());
        let failure = Failure::Message(Blame::System, message);
        let report = failure_report(&failure, Some(file.to_owned()));
        json::FailureReport { verdict: Some(json::VerdictName::Unknown), ..report }
    };
    match format {
        Format::Json => json::print(&object()),
        Format::Sarif => json::print(&sarif::failure(&object(), Exit::Unknown as u8)),
        // Programs that read CSV or DOT expect nothing else.
        Format::Csv | Format::Dot => {
            let _ = std::io::stderr().write_all(overrun.text().as_bytes());
            String::new()
        }
        Format::Text | Format::Markdown => overrun.text(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_model::Stop;

    #[test]
    fn the_answer_of_the_guard_has_every_format() {
        let completed = Some("2 contexts".to_owned());
        let overrun = Overrun { why: Stop::Timeout, completed };
        let text = shown(&overrun, Format::Text, "a.weave");
        assert!(text.starts_with("unknown: the time limit was reached\n  completed  2 contexts\n"));
        let json = shown(&overrun, Format::Json, "a.weave");
        assert!(json.contains("\"the time limit was reached; completed: 2 contexts\""), "{json}");
        assert!(json.contains("\"file\": \"a.weave\""), "{json}");
        assert!(json.contains("\"verdict\": \"unknown\""), "{json}");
        assert!(shown(&overrun, Format::Sarif, "a.weave").contains("sarif"));
        assert!(shown(&overrun, Format::Csv, "a.weave").is_empty(), "no row of a table");
    }
}
