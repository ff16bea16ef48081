//! `selvedge convert`: from one format to another.

use std::fs;
use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use selvedge_analysis::{Tabulated, tabulate};
use selvedge_frontend::Input;
use selvedge_frontend::tables::TableInput;
use selvedge_program::print;
use selvedge_report::dot::dot;

use crate::args::InputArgs;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::output::Output;

/// Write a program or a system in another format
///
/// Programs are written as .weave, as .bp if they are Boolean, or as tables if they have finitely
/// many shared states and frames. Tables are written as tables.
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Target,
    /// Write to this file, not to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The largest number of pairs of a shared state and a frame in the tables of a program
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    limit: usize,
}

/// A format to write.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    /// A program
    Weave,
    /// A Boolean program
    Bp,
    /// Tables with names
    Cpds,
    /// Tables of numbers
    Pds,
    /// A thread transition system
    Tts,
    /// A picture for Graphviz
    Dot,
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let input = input::load(&args.input.file, &args.input.options, output)?;
    let text = match (args.to, &input) {
        (Target::Weave, Input::Program { program, .. }) => print::weave(program),
        (Target::Bp, Input::Program { program, source, .. }) => {
            print::bp(program).map_err(|not_boolean| {
                let line = source.line(not_boolean.span.start);
                Failure::input(format!("{}:{line}: {not_boolean}", source.name()))
            })?
        }
        (Target::Weave | Target::Bp, Input::Tables { .. }) => {
            return Err(Failure::usage("tables cannot be written as programs"));
        }
        (target, _) => tables(target, &table_input(input, args)?)?,
    };
    match &args.output {
        Some(path) => fs::write(path, text).map_err(|e| Failure::unwritable(path, e))?,
        None => output.print(&text),
    }
    Ok(Exit::Done)
}

/// The tables of an input.
fn table_input(input: Input, args: &Args) -> Result<TableInput, Failure> {
    if let Input::Tables { input, .. } = input {
        return Ok(input);
    }
    let opened = input::system(input, &args.input.options)?;
    let Tabulated { tables, targets } =
        tabulate(opened.system.as_ref(), args.limit).map_err(Failure::input)?;
    Ok(TableInput { tables, targets })
}

// TO WIRE: `selvedge_frontend::tables::print::{cpds, pds, tts}`.
fn tables(target: Target, input: &TableInput) -> Result<String, Failure> {
    match target {
        Target::Dot => Ok(dot(&input.tables)),
        _ => Err(Failure::input("tables cannot be written yet")),
    }
}
