//! `selvedge completions`: completion for shells.

use clap::Args as ClapArgs;
use clap_complete::Shell;
use selvedge::Failure;

use crate::args::Program;
use crate::exit::Exit;
use crate::output::Output;

/// Print completions for a shell
#[derive(ClapArgs, Debug)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
    /// The program that is completed
    #[arg(long, value_enum, value_name = "PROGRAM", default_value_t = Program::Selvedge)]
    program: Program,
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    let mut command = args.program.command();
    let name = command.get_name().to_owned();
    clap_complete::generate(args.shell, &mut command, name, &mut text);
    output.print(&String::from_utf8_lossy(&text));
    Ok(Exit::Done)
}
