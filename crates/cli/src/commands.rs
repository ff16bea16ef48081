//! One file a command: its arguments, and what it does.

pub mod check_syntax;
pub mod completions;
pub mod convert;
pub mod man;
pub mod simulate;

use crate::args::Command;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Does what was asked.
pub fn run(command: Command, output: &mut Output) -> Result<Exit, Failure> {
    match command {
        Command::Simulate(args) => simulate::run(&args, output),
        Command::Convert(args) => convert::run(&args, output),
        Command::CheckSyntax(args) => check_syntax::run(&args, output),
        Command::Completions(args) => completions::run(&args, output),
        Command::Man(args) => man::run(&args, output),
    }
}
