//! `selvedge man`: manual pages.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap_mangen::Man;
use selvedge::Failure;

use crate::args::Program;
use crate::exit::Exit;
use crate::output::Output;

/// Print the manual page, or write those of all commands
#[derive(ClapArgs, Debug)]
pub struct Args {
    /// Write one page a command into this directory, and that of the program `selvedge-check`, which comes before
    /// that of `selvedge check` in the same file
    #[arg(long, value_name = "DIR", conflicts_with = "program")]
    dir: Option<PathBuf>,
    /// The program whose page is printed
    #[arg(long, value_enum, value_name = "PROGRAM", default_value_t = Program::Selvedge)]
    program: Program,
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let Some(dir) = &args.dir else {
        output.print(&String::from_utf8_lossy(&page(args.program)));
        return Ok(Exit::Done);
    };
    let unwritable = |e: std::io::Error| Failure::unwritable(dir, &e);
    std::fs::create_dir_all(dir).map_err(unwritable)?;
    clap_mangen::generate_to(Program::Selvedge.command(), dir).map_err(unwritable)?;
    // The program and the command have one name: whoever looks for one of them finds both.
    let path = dir.join("selvedge-check.1");
    let both = std::fs::read(&path).map(|of_command| [page(Program::SelvedgeCheck), of_command]);
    both.and_then(|both| std::fs::write(&path, both.concat())).map_err(unwritable)?;
    Ok(Exit::Done)
}

/// The manual page of a program.
fn page(program: Program) -> Vec<u8> {
    let mut page = Vec::new();
    // Writing to memory does not fail.
    let _ = Man::new(program.command()).render(&mut page);
    page
}
