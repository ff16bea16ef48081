//! One file a command: its arguments, and what it does.

mod answer;
pub mod bench;
pub mod check;
pub mod check_syntax;
pub mod cluster;
pub mod completions;
pub mod convert;
pub mod engine;
pub mod explore;
mod field;
pub mod fmt;
pub mod livelock;
pub mod lsp;
pub mod man;
mod pose;
mod proof;
pub mod recheck;
pub mod report;
mod search;
pub mod sequentialize;
pub mod simulate;
mod spread;
pub mod table;
pub mod verify;

use std::path::Path;

use engine::Limits;
use selvedge::Failure;
use selvedge_frontend::show_path;

use crate::args::{Command, Format};
use crate::exit::Exit;
use crate::guard;
use crate::output::Output;

/// Runs a command.
pub fn run(command: Command, output: &mut Output) -> Result<Exit, Failure> {
    if matches!(output.format, Format::Markdown | Format::Csv)
        && !matches!(command, Command::Table(_))
    {
        return Err(Failure::usage("--format markdown and --format csv are for `selvedge table`"));
    }
    if output.format == Format::Dot
        && !matches!(&command, Command::Table(args) if args.shows_automata())
    {
        return Err(Failure::usage(
            "--format dot is for `selvedge table --automata`; `selvedge convert --to dot` draws a table",
        ));
    }
    if output.format == Format::Sarif
        && !matches!(
            command,
            Command::Verify(_) | Command::Check(_) | Command::Cluster(_) | Command::Livelock(_)
        )
    {
        return Err(Failure::usage(
            "--format sarif is for `selvedge verify`, `selvedge check`, `selvedge cluster` and `selvedge livelock`",
        ));
    }
    if let (Format::Json, Some(name)) = (output.format, writer(&command)) {
        return Err(Failure::usage(format!("`selvedge {name}` has no --format json")));
    }
    if let Some((limits, file)) = watched(&command) {
        guard::start(&limits, output.format, show_path(file));
    }
    match command {
        Command::Verify(args) => verify::run(&args, output),
        Command::Check(args) => check::run(&args, output),
        Command::Cluster(args) => cluster::run(&args, output),
        Command::Livelock(args) => livelock::run(&args, output),
        Command::Table(args) => table::run(&args, output),
        Command::Explore(args) => explore::run(&args, output),
        Command::Report(args) => report::run(&args, output),
        Command::Recheck(args) => recheck::run(&args, output),
        Command::Simulate(args) => simulate::run(&args, output),
        Command::Convert(args) => convert::run(&args, output),
        Command::Bench(args) => bench::run(&args, output),
        Command::Sequentialize(args) => sequentialize::run(&args, output),
        Command::CheckSyntax(args) => check_syntax::run(&args, output),
        Command::Fmt(args) => fmt::run(&args, output),
        Command::Completions(args) => completions::run(&args, output),
        Command::Lsp(args) => lsp::run(&args),
        Command::Man(args) => man::run(&args, output),
    }
}

/// The limits and the file of a command that has to answer within limits.
fn watched(command: &Command) -> Option<(Limits, &Path)> {
    match command {
        Command::Verify(args) => Some(args.watched()),
        Command::Check(args) => Some(args.watched()),
        Command::Cluster(args) => Some(args.watched()),
        Command::Livelock(args) => Some(args.watched()),
        Command::Table(args) => Some(args.watched()),
        Command::Report(args) => Some(args.watched()),
        Command::Recheck(args) => Some(args.watched()),
        _ => None,
    }
}

/// The commands that write a text of their own, not an answer.
pub const WRITERS: [&str; 7] = ["convert", "report", "explore", "completions", "man", "lsp", "fmt"];

/// The name of a command that writes a text of its own, not an answer.
fn writer(command: &Command) -> Option<&'static str> {
    match command {
        Command::Convert(_) => Some("convert"),
        Command::Report(_) => Some("report"),
        Command::Explore(_) => Some("explore"),
        Command::Completions(_) => Some("completions"),
        Command::Man(_) => Some("man"),
        Command::Lsp(_) => Some("lsp"),
        Command::Fmt(_) => Some("fmt"),
        _ => None,
    }
}
