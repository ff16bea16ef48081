//! `selvedge report`: the answer as one file, to read, to mail or to attach to a build.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args as ClapArgs;
use selvedge_frontend::{files, show_path};
use selvedge_report::page::{self, Document};
use selvedge_web::Tell;

use super::pose::{PoseArgs, document};
use crate::exit::{Exit, Failure};
use crate::input;
use crate::interrupt::Interrupt;
use crate::output::Output;
use crate::save::{probe, save};

/// Write the answer as one file: a page, or Markdown
///
/// The file has the program, the question and the answer, what was observed from below and from above,
/// the schedule of a violation to step through, or the invariant of a proof. A page needs no network
/// and no other file.
///
/// The question is that of `selvedge verify`; with --contexts or --rounds that of `selvedge check`, with
/// --livelock that of `selvedge livelock`. Ends like these.
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(flatten)]
    pose: PoseArgs,
    /// The file to write; its ending says how: .html or .md
    #[arg(short, long, value_name = "PATH")]
    output: PathBuf,
}

/// How a report is written.
type Write = fn(&Document) -> String;

/// The format that a name asks for.
fn format(path: &Path) -> Result<Write, Failure> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("html" | "htm") => Ok(page::html),
        Some("md" | "markdown") => Ok(page::markdown),
        _ => Err(Failure::usage(format!(
            "--output {}: the ending says how the report is written, .html for a page, .md for Markdown",
            show_path(path)
        ))),
    }
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let write = format(&args.output)?;
    args.pose.check()?;
    let loaded = input::load(&args.pose.input.file, &args.pose.input.options, output)?;
    probe("--output", &args.output, &files(&args.pose.input.file))?;
    let interrupt = Interrupt::install(|| {});
    let tell: Tell = Arc::new(|_| {});
    let (document, exit) = document(&args.pose, loaded, &interrupt.flag(), &tell, output)?;
    save(&[(&args.output, &write(&document))])?;
    output.note(&format!("the report was written to {}", show_path(&args.output)));
    let verdict = document.answer.verdict.word();
    output.print(&format!("{verdict}: {}\n", document.answer.sentence));
    Ok(exit)
}
