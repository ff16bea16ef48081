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
        output.print(&page(&Man::new(args.program.command())));
        return Ok(Exit::Done);
    };
    let unwritable = |e: std::io::Error| Failure::unwritable(dir, &e);
    std::fs::create_dir_all(dir).map_err(unwritable)?;
    for (name, text) in pages() {
        std::fs::write(dir.join(name), text).map_err(unwritable)?;
    }
    Ok(Exit::Done)
}

/// The pages of all commands, with the names of their files.
fn pages() -> Vec<(String, String)> {
    let mut whole = Program::Selvedge.command().disable_help_subcommand(true);
    whole.build();
    let mut commands = vec![whole];
    let mut next = 0;
    while let Some(command) = commands.get(next) {
        let below: Vec<_> =
            command.get_subcommands().filter(|below| !below.is_hide_set()).cloned().collect();
        commands.extend(below);
        next += 1;
    }
    let file = |command| {
        let of_command = Man::new(command);
        let name = of_command.get_filename();
        // The program and the command have one name: whoever looks for one of them finds both.
        let before = match name.as_str() {
            "selvedge-check.1" => page(&Man::new(Program::SelvedgeCheck.command())),
            _ => String::new(),
        };
        (name, before + &page(&of_command))
    };
    commands.into_iter().map(file).collect()
}

/// A manual page in ASCII, whatever the encoding that a reader expects: other characters are written as roff names them.
fn page(manual: &Man) -> String {
    let mut page = Vec::new();
    // Writing to memory does not fail.
    let _ = manual.render(&mut page);
    let named = |c: char| match c {
        c if c.is_ascii() => c.to_string(),
        c => format!("\\[u{:04X}]", u32::from(c)),
    };
    String::from_utf8_lossy(&page).chars().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reader_of_manuals_can_read_the_pages() {
        let pages = pages();
        let page = |name: &str| &pages.iter().find(|(file, _)| file == name).unwrap().1;
        assert!(page("selvedge-table.1").contains(r"G \[u2229] Z"));
        assert!(page("selvedge-bench-random.1").starts_with(".ie"));
        assert_eq!(
            page("selvedge-check.1").matches("\n.TH ").count(),
            2,
            "the program, and the command"
        );
        for (name, text) in &pages {
            assert!(text.is_ascii(), "{name}");
        }
    }
}
