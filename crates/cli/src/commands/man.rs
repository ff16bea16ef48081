//! `selvedge man`: manual pages.

use std::path::PathBuf;

use clap::{Args as ClapArgs, CommandFactory};
use clap_mangen::Man;
use selvedge::Failure;

use crate::exit::Exit;
use crate::output::Output;

/// Print the manual page, or write those of all commands
#[derive(ClapArgs, Debug)]
pub struct Args {
    /// Write one page a command into this directory
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let command = crate::args::Args::command();
    if let Some(dir) = &args.dir {
        let unwritable = |e: std::io::Error| Failure::unwritable(dir, &e);
        std::fs::create_dir_all(dir).map_err(unwritable)?;
        clap_mangen::generate_to(command, dir).map_err(unwritable)?;
    } else {
        let mut page = Vec::new();
        // Writing to memory does not fail.
        let _ = Man::new(command).render(&mut page);
        output.print(&String::from_utf8_lossy(&page));
    }
    Ok(Exit::Done)
}
