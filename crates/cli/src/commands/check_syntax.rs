//! `selvedge check-syntax`: are these files well formed?

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use selvedge::{Failure, Subject, failure_report, places};
use selvedge_frontend::show_path;
use selvedge_report::json::{self, FileReport, SyntaxReport};
use selvedge_report::style::Role;

use crate::args::{Format, InputOptions};
use crate::exit::Exit;
use crate::input;
use crate::output::Output;

/// Parse and type-check files, and say what is wrong with each
///
/// Ends with 0 if all files are well formed, with 65 if one is not, with 66 if one cannot be
/// read.
#[derive(ClapArgs, Debug)]
pub struct Args {
    /// The files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    options: InputOptions,
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let mut worst = Exit::Done;
    let mut files = Vec::new();
    let mut lines = String::new();
    for file in &args.files {
        let loaded = input::load_file(file, &args.options, output);
        let verdict = match &loaded {
            Ok(subject) => {
                format!("{} ({})", output.paint.paint(Role::Good, "ok"), subject.summary())
            }
            Err(failure) => {
                if output.format == Format::Text {
                    output.fail(failure);
                }
                let exit = Exit::from(failure);
                worst = if worst as u8 > exit as u8 { worst } else { exit };
                let what = if exit == Exit::Unreadable { "cannot be read" } else { "wrong" };
                output.paint.paint(Role::Bad, what)
            }
        };
        lines += &format!("{}: {verdict}\n", show_path(file));
        files.push(report(file, &loaded));
    }
    match output.format {
        Format::Json => {
            output.print(&json::print(&SyntaxReport { selvedge: json::VERSION, files }));
        }
        _ => output.print(&lines),
    }
    Ok(worst)
}

fn report(file: &Path, loaded: &Result<Subject, Failure>) -> FileReport {
    let (reason, diagnostics) = match loaded {
        Ok(subject) => (None, subject.warnings().map(places).unwrap_or_default()),
        Err(failure) => {
            let report = failure_report(failure, None);
            (report.reason, report.diagnostics)
        }
    };
    FileReport {
        file: show_path(file),
        ok: loaded.is_ok(),
        summary: loaded.as_ref().ok().map(Subject::summary),
        reason,
        diagnostics,
    }
}
