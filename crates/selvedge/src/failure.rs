//! # Failures as objects
//! What other programs hear when a question cannot be asked.

use selvedge_check::Failure;
use selvedge_frontend::{Diagnostic, Diagnostics, Severity};
use selvedge_report::json::{self, DiagnosticReport, FailureReport};

/// What is wrong, as an object for other programs.
#[must_use]
pub fn failure_report(failure: &Failure, file: Option<String>) -> FailureReport {
    let (reason, diagnostics) = match failure {
        Failure::Message(_, message) => (Some(message.clone()), Vec::new()),
        Failure::Stopped(stop) => (Some(stop.to_string()), Vec::new()),
        Failure::Diagnostics(diagnostics) => (None, places(diagnostics)),
    };
    FailureReport { selvedge: json::VERSION, file, verdict: None, reason, diagnostics }
}

/// Errors and warnings, as objects for other programs.
#[must_use]
pub fn places(diagnostics: &Diagnostics) -> Vec<DiagnosticReport> {
    let report = |d: &Diagnostic| {
        let place = diagnostics.source.line_column(d.label.span.start);
        DiagnosticReport {
            file: diagnostics.source.name().to_owned(),
            severity: match d.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: d.message.clone(),
            line: place.line,
            column: place.column,
            hint: d.hint.clone(),
        }
    };
    diagnostics.list.iter().map(report).collect()
}
