//! Reports on inputs: of `check-syntax`, and of every command that cannot use its own.

use serde::Serialize;

use super::VerdictName;

/// What `check-syntax` found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SyntaxReport {
    /// The version of Selvedge.
    pub selvedge: &'static str,
    /// The results, file by file.
    pub files: Vec<FileReport>,
}

/// What `check-syntax` found in one file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FileReport {
    /// The file.
    pub file: String,
    /// Whether it can be used.
    pub ok: bool,
    /// A summary of its parts in words, if it can be used.
    pub summary: Option<String>,
    /// Why it cannot be used, if that is not a matter of places in it.
    pub reason: Option<String>,
    /// Errors and warnings.
    pub diagnostics: Vec<DiagnosticReport>,
}

/// One error or warning.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DiagnosticReport {
    /// Where: the file, one that belongs to it, or the option that is wrong.
    pub file: String,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// The message of the diagnostic.
    pub message: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1.
    pub column: u32,
    /// What to do about it.
    pub hint: Option<String>,
}

/// The output of a command that cannot do what it was asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FailureReport {
    /// The version of Selvedge.
    pub selvedge: &'static str,
    /// The file, if the command got that far.
    pub file: Option<String>,
    /// Always absent: there is no verdict.
    pub verdict: Option<VerdictName>,
    /// Why not, if that is not a matter of places in a file.
    pub reason: Option<String>,
    /// Errors and warnings with their places.
    pub diagnostics: Vec<DiagnosticReport>,
}
