//! # Arguments
//! What the command line may say. Options that several commands share stand here; each command
//! has its own in its own file.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use num_bigint::BigInt;
use selvedge::Bound;

use crate::commands::{
    bench, check, check_syntax, completions, convert, explore, livelock, lsp, man, recheck, report,
    sequentialize, simulate, table, verify,
};
use crate::exit::EXIT_CODES;

/// A verifier for concurrent programs with recursion.
///
/// Reads programs (.weave, .bp) and pushdown systems (.cpds, .pds, .tts).
#[derive(Parser, Debug)]
#[command(name = "selvedge", version, after_help = EXIT_CODES, propagate_version = true)]
pub struct Args {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    Verify(verify::Args),
    Check(check::Args),
    Livelock(livelock::Args),
    Table(table::Args),
    Explore(explore::Args),
    Report(report::Args),
    Recheck(recheck::Args),
    Simulate(simulate::Args),
    Convert(convert::Args),
    Bench(bench::Args),
    Sequentialize(sequentialize::Args),
    CheckSyntax(check_syntax::Args),
    Lsp(lsp::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Options of every command.
#[derive(ClapArgs, Clone, Debug)]
pub struct Common {
    /// How the answer is printed
    #[arg(long, global = true, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,
    /// When to use colours; NO_COLOR is respected
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN",
          help_heading = "Output")]
    pub color: Color,
    /// No warnings and notes, only the answer
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,
    /// More notes about what is done
    #[arg(short, long, global = true, help_heading = "Output")]
    pub verbose: bool,
}

/// How the answer is printed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people
    Text,
    /// One JSON object, for programs
    Json,
    /// A SARIF 2.1.0 log, for code hosts and editors; of `verify`, `check` and `livelock`
    Sarif,
    /// A Markdown table, of `table` only
    Markdown,
    /// Comma-separated values, of `table` only
    Csv,
    /// A picture for Graphviz, of `table --automata` only
    Dot,
}

/// When to use colours.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    /// If the output is a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// A file and what the command line says about it.
#[derive(ClapArgs, Clone, Debug)]
pub struct InputArgs {
    /// The program or system; its ending tells what it is (.weave, .bp, .cpds, .pds, .tts)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub options: InputOptions,
}

/// What the command line says about an input.
#[derive(ClapArgs, Clone, Debug, Default)]
pub struct InputOptions {
    /// The number of threads of a template; may be repeated
    #[arg(long, value_name = "NAME=N", value_parser = thread_count, help_heading = "Input")]
    pub threads: Vec<(String, u32)>,
    /// The value of a constant of the program; may be repeated
    #[arg(long = "const", value_name = "NAME=VALUE", value_parser = constant,
          help_heading = "Input")]
    pub consts: Vec<(String, BigInt)>,
    /// The initial state of a .pds, in the place of the .init file: `0|1,4.6,-`
    #[arg(long, value_name = "STATE", help_heading = "Input", allow_hyphen_values = true)]
    pub init: Option<String>,
    /// What must not be reached, in the place of what the file says: in a table `0|1,6`, or with whole
    /// stacks `0|1.-,4.6`; in a program a thread at a label or a line, `worker@critical` or `*@23`, or several at once,
    /// `worker@critical,worker@critical`
    #[arg(long, value_name = "STATE", help_heading = "Input", allow_hyphen_values = true)]
    pub target: Option<String>,
}

impl From<&InputOptions> for selvedge::InputOptions {
    fn from(options: &InputOptions) -> Self {
        let InputOptions { threads, consts, init, target } = options.clone();
        selvedge::InputOptions { threads, consts, init, target }
    }
}

/// The bound that options give: contexts, or rounds, or rounds of single steps with delays.
pub fn bound(
    contexts: Option<usize>,
    rounds: Option<usize>,
    delays: Option<usize>,
) -> Option<Bound> {
    match (rounds, delays) {
        (Some(rounds), Some(delays)) => Some(Bound::round_robin(rounds, delays)),
        (Some(rounds), None) => Some(Bound::rounds(rounds)),
        (None, _) => contexts.map(Bound::contexts),
    }
}

fn named<T>(
    text: &str,
    value: impl Fn(&str) -> Option<T>,
    kind: &str,
) -> Result<(String, T), String> {
    let parts = text.split_once('=').map(|(name, v)| (name.trim(), value(v.trim())));
    match parts {
        Some((name, Some(value))) if !name.is_empty() => Ok((name.to_owned(), value)),
        _ => Err(format!("write NAME={kind}")),
    }
}

fn thread_count(text: &str) -> Result<(String, u32), String> {
    if let Some((name, "any")) = text.split_once('=').map(|(name, n)| (name.trim(), n.trim())) {
        return Err(format!(
            "this option is for a number; for any number of threads, say `thread {name} * any` in the program, \
             and leave this option away"
        ));
    }
    let (name, count) =
        named(text, |n| count(n).ok(), "N with a number N, for example `worker=2`")?;
    match u32::try_from(count) {
        Ok(count) => Ok((name, count)),
        Err(_) => Err("this number of threads is too large".to_owned()),
    }
}

/// The same for numbers of things that are kept.
pub fn number(text: &str) -> Result<usize, String> {
    count(text).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
}

/// A number that is not negative; larger ones than fit are as good as the largest.
pub fn count(text: &str) -> Result<u64, String> {
    match text.parse::<BigInt>() {
        Ok(number) if number >= BigInt::ZERO => Ok(u64::try_from(number).unwrap_or(u64::MAX)),
        _ => Err("write a number: 0, 1, 2, …".to_owned()),
    }
}

/// The largest number of started threads.
pub fn started(text: &str) -> Result<u32, String> {
    let most = selvedge_program::slots::MOST_SLOTS;
    match count(text).map(u32::try_from) {
        Ok(Ok(number)) if number <= most => Ok(number),
        _ => Err(format!("write a number of started threads, from 0 to {most}")),
    }
}

/// A number that another run can repeat.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a number from 0 to {}", u64::MAX))
}

fn constant(text: &str) -> Result<(String, BigInt), String> {
    let value = |text: &str| match text {
        "true" => Some(BigInt::from(1)),
        "false" => Some(BigInt::from(0)),
        number => number.parse().ok(),
    };
    named(text, value, "VALUE with a number, true or false, for example `SIZE=2`")
}
