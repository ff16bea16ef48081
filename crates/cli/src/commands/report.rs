//! `selvedge report`: the answer as one file, to read, to mail or to attach to a build.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args as ClapArgs;
use selvedge::{Answer, Failure, Subject, Verdict};
use selvedge_frontend::{Input, files, show_path};
use selvedge_report::{harness, json, page};
use selvedge_web::Tell;

use super::engine::Limits;
use super::pose::{PoseArgs, answer};
use crate::exit::Exit;
use crate::guard;
use crate::input;
use crate::output::Output;
use crate::save::{probe, save};
use selvedge_check::command::Interrupt;

/// Write the answer as one file: a page, Markdown, SARIF, or JSON
///
/// The file has the program, the question and the answer, what was observed from below and from above,
/// the schedule of a violation to step through, or the invariant of a proof. A page needs no network
/// and no other file. SARIF 2.1.0 is for code hosts: the answer, and the schedule thread by thread.
/// JSON is the object of `--format json`. All of them have the command line that asks again.
///
/// The question is that of `selvedge verify`; with --contexts or --rounds that of `selvedge check`, with
/// --livelock that of `selvedge livelock`. Ends like these.
#[derive(ClapArgs, Debug)]
#[command(override_usage = "selvedge report [OPTIONS] --output <PATH> <FILE>")]
pub struct Args {
    #[command(flatten)]
    pose: PoseArgs,
    /// The file to write; its ending says how: .html, .md, .sarif, .json, or .c for a test of a program in C
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
}

/// How a report is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Page,
    Markdown,
    Sarif,
    Json,
    Test,
}

/// The format that a name asks for.
fn kind(path: &Path) -> Result<Kind, Failure> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("html" | "htm") => Ok(Kind::Page),
        Some("md" | "markdown") => Ok(Kind::Markdown),
        Some("sarif") => Ok(Kind::Sarif),
        Some("json") => Ok(Kind::Json),
        Some("c") => Ok(Kind::Test),
        ending => {
            let what = match ending {
                Some(ending) => format!("`.{ending}` is not one of these"),
                None => "this name has none".to_owned(),
            };
            Err(Failure::usage(format!(
                "--output {}: the ending says how the report is written, .html for a page, .md for \
                 Markdown, .sarif for a code host, .json for programs, .c for a test that forces the schedule of a \
                 violation; {what}",
                show_path(path)
            )))
        }
    }
}

/// Where the report goes; who does not say it is told how.
fn path(args: &Args) -> Result<&Path, Failure> {
    args.output.as_deref().ok_or_else(|| {
        let file = show_path(&args.pose.input.file);
        Failure::usage(format!(
            "say where to write the report: `selvedge report {file} -o report.html`, or report.md, or \
             report.sarif for a code host"
        ))
    })
}

impl Args {
    /// The limits within which there is an answer, and the file that it is about.
    pub fn watched(&self) -> (Limits, &Path) {
        (self.pose.engine.limits.clone(), &self.pose.input.file)
    }
}

/// A test in C that forces the schedule of a violation in a compiled program.
fn test(answer: &Answer, subject: &Subject) -> Result<String, Failure> {
    let only_c = |name: &str| {
        Failure::input(format!(
            "{name}: tests (.c) are made only for programs in C: write a page (.html), Markdown (.md), .sarif or .json"
        ))
    };
    let Some(Input::Program { source, beyond, .. }) = subject.input() else {
        return Err(only_c(subject.source().name()));
    };
    if !beyond.is_c {
        return Err(only_c(source.name()));
    }
    let Verdict::Unsafe(violation) = answer.verdict() else {
        return Err(Failure::input("there is no schedule to force: no violation was found"));
    };
    let trace = violation.trace();
    let made = harness::c_test(violation.system(), trace, source);
    made.map_err(|why| Failure::input(format!("{}: no test can be made: {why}", source.name())))
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let path = path(args)?;
    let kind = kind(path)?;
    args.pose.check()?;
    let pose = args.pose.specified()?;
    let subject = input::load(&pose.input, output)?;
    probe("--output", path, &files(&args.pose.input.file))?;
    let interrupt = Interrupt::install(guard::interrupted);
    let tell: Tell = Arc::new(|_| {});
    let asked = (&subject, None);
    let (answer, table) = answer(&pose, asked, &interrupt.flag(), &tell, output, |_| {})?;
    guard::answers();
    let text = match kind {
        Kind::Page => page::html(&answer.document(table.as_ref())),
        Kind::Markdown => page::markdown(&answer.document(table.as_ref())),
        Kind::Sarif => json::print(&answer.sarif()),
        Kind::Json => answer.json(None),
        Kind::Test => test(&answer, &subject)?,
    };
    save(&[(path, &text)])?;
    output.note(&format!("the report was written to {}", show_path(path)));
    let verdict = answer.name();
    output.print(&format!("{}: {}\n", verdict.word(), answer.sentence()));
    Ok(verdict.into())
}
