//! `selvedge completions`: completion for shells.

use clap::{Args as ClapArgs, CommandFactory};
use clap_complete::Shell;
use selvedge::Failure;

use crate::exit::Exit;
use crate::output::Output;

/// Print completions for a shell
#[derive(ClapArgs, Debug)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    let mut command = crate::args::Args::command();
    clap_complete::generate(args.shell, &mut command, "selvedge", &mut text);
    output.print(&String::from_utf8_lossy(&text));
    Ok(Exit::Done)
}
