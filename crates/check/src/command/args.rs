//! # Arguments
//! A file and what the command line says about it: every command that reads a program has these. And the arguments of a
//! check, which `selvedge recheck` and `selvedge-check` have.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, Parser, ValueEnum};
use num_bigint::BigInt;
use selvedge_smt::solver::DEFAULT;

use super::limits;

/// Checks the evidence of an answer of Selvedge, and has no code of a search in it.
///
/// Evidence is written by `selvedge verify --evidence PATH`, and by `check` and `livelock`. A run is
/// replayed; a proof is looked at state by state, value by value, or by an SMT solver. Give the file,
/// and the options that the question had. `selvedge recheck` does the same.
#[derive(Parser, Debug)]
#[command(name = "selvedge-check", version, after_help = EXIT_CODES)]
pub struct Program {
    /// What is checked, and within which limits.
    #[command(flatten)]
    pub check: CheckArgs,
    /// No warnings, only the answer
    #[arg(short, long)]
    pub quiet: bool,
}

/// The exit codes, for `--help`.
const EXIT_CODES: &str = "\
Exit codes:
   0  the evidence is accepted
  20  nothing is known: a limit was reached or the program was ended before the evidence could be
      refused, or the system cannot say what its actions are
  64  the command line is wrong
  65  the evidence is refused, or could not be checked within the limits; or the input is wrong
  66  a file cannot be read
  70  a bug in Selvedge";

/// Evidence, what it is about, and how long and how large its check may be.
#[derive(ClapArgs, Clone, Debug)]
pub struct CheckArgs {
    /// The evidence
    #[arg(value_name = "EVIDENCE")]
    pub evidence: PathBuf,
    /// The file that the evidence is about, and the options that the question had.
    #[command(flatten)]
    pub input: InputArgs,
    /// The evidence is about deadlocks, too
    #[arg(long)]
    pub deadlock: bool,
    /// Options of a question that its evidence tells itself: whoever gives them again is not told that there are none.
    #[command(flatten)]
    pub told: Told,
    /// Stop after this time: 60s, 5m, 500ms
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    pub timeout: Option<Duration>,
    /// Stop when this much memory is in use: 4GiB, 500MB [default: 80% of what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = limits::size)]
    pub memory: Option<usize>,
    /// The SMT solver, for proofs by predicates: a name or a path
    #[arg(long, value_name = "PROGRAM", default_value = DEFAULT, help_heading = "Solver")]
    pub solver: String,
}

/// What a question may have been asked with, and its evidence says itself.
#[derive(ClapArgs, Clone, Debug)]
pub struct Told {
    /// Deadlocks did not count.
    #[arg(long, hide = true, conflicts_with = "deadlock")]
    no_deadlock: bool,
    /// Only runs counted in which no thread has ended.
    #[arg(long, hide = true)]
    none_ended: bool,
}

/// A file and what the command line says about it.
#[derive(ClapArgs, Clone, Debug)]
pub struct InputArgs {
    /// The program or system; its ending tells what it is (.weave, .bp, .c, .i, .cpds, .pds, .tts)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What is said about it.
    #[command(flatten)]
    pub options: InputOptions,
}

/// What the command line says about an input.
#[derive(ClapArgs, Clone, Debug, Default)]
pub struct InputOptions {
    /// The number of instances of a declared thread; may be repeated
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
    /// What is said about a program in C.
    #[command(flatten)]
    pub c: COptions,
}

/// What is said about a program in C.
#[derive(ClapArgs, Debug, Clone, Default)]
pub struct COptions {
    /// How wide `long` and pointers are; by default what the headers in the file say
    #[arg(long, value_name = "MODEL", help_heading = "C")]
    pub data_model: Option<DataModel>,
    /// How many objects may exist at once per `malloc`, and per local variable whose address is taken
    #[arg(long, value_name = "N", default_value_t = COptions::default_heap(), value_parser = clap::value_parser!(u32).range(1..=128),
          help_heading = "C")]
    pub heap: u32,
    /// What must hold; may be repeated. By default assertions and what pointers may do
    #[arg(long, value_name = "PROPERTY", help_heading = "C")]
    pub property: Vec<CProperty>,
    /// Where the preprocessor looks for headers; may be repeated
    #[arg(short = 'I', value_name = "DIR", help_heading = "C")]
    pub include: Vec<std::path::PathBuf>,
    /// A macro for the preprocessor; may be repeated
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = "C")]
    pub define: Vec<String>,
    /// What was asked for in another way and is not looked at: every answer says so.
    #[arg(skip)]
    pub unchecked: Vec<String>,
}

impl COptions {
    /// How many objects there are where nobody says it.
    #[must_use]
    pub const fn default_heap() -> u32 {
        5
    }
}

/// How wide `long` and pointers are.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataModel {
    /// 32 bits
    Ilp32,
    /// 64 bits
    Lp64,
}

/// What may be asked of a program in C.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum CProperty {
    /// No assertion fails
    UnreachCall,
    /// No pointer is followed that leads nowhere, nothing is freed twice
    ValidMemsafety,
    /// No signed result is too large for its type
    NoOverflow,
    /// No two threads access an object at once, one of them to write it
    NoDataRace,
}

impl From<&COptions> for selvedge_frontend::c::Settings {
    fn from(options: &COptions) -> Self {
        use selvedge_frontend::c::types::DataModel as Model;
        let asked = |property| options.property.contains(&property);
        let usual = options.property.is_empty();
        let model = options.data_model.map(|model| match model {
            DataModel::Ilp32 => Model::Ilp32,
            DataModel::Lp64 => Model::Lp64,
        });
        selvedge_frontend::c::Settings {
            model,
            include: options.include.clone(),
            define: options.define.clone(),
            unchecked: options.unchecked.clone(),
            options: selvedge_frontend::c::lower::Options {
                heap: options.heap.max(1),
                assertions: usual || asked(CProperty::UnreachCall),
                memory: usual || asked(CProperty::ValidMemsafety),
                overflow: asked(CProperty::NoOverflow),
                races: asked(CProperty::NoDataRace),
                counts_sleepers: false,
                ends_at_limits: false,
                marks_end: false,
                keeps_values: false,
                counts_threads: false,
                watches_all: false,
            },
        }
    }
}

impl From<&InputOptions> for crate::InputOptions {
    fn from(options: &InputOptions) -> Self {
        let InputOptions { threads, consts, init, target, c } = options.clone();
        crate::InputOptions { threads, consts, init, target, c: (&c).into() }
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
             and leave this option out"
        ));
    }
    let (name, count) =
        named(text, |n| count(n).ok(), "N with a number N, for example `worker=2`")?;
    match u32::try_from(count) {
        Ok(count) => Ok((name, count)),
        Err(_) => Err("this number of threads is too large".to_owned()),
    }
}

/// A number that is not negative; larger ones than fit are as good as the largest.
pub fn count(text: &str) -> Result<u64, String> {
    match text.parse::<BigInt>() {
        Ok(number) if number >= BigInt::ZERO => Ok(u64::try_from(number).unwrap_or(u64::MAX)),
        _ => Err("write a number: 0, 1, 2, …".to_owned()),
    }
}

/// Reads a constant with its value: `SIZE=2`.
pub fn constant(text: &str) -> Result<(String, BigInt), String> {
    let value = |text: &str| match text {
        "true" => Some(BigInt::from(1)),
        "false" => Some(BigInt::from(0)),
        number => number.parse().ok(),
    };
    named(text, value, "VALUE with a number, true or false, for example `SIZE=2`")
}

/// Checks that the definition of the arguments is consistent.
#[test]
fn arguments_are_well_defined() {
    <Program as clap::CommandFactory>::command().debug_assert();
}
