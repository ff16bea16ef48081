//! `selvedge fmt`: texts, formatted.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use selvedge::Failure;
use selvedge_frontend::{Diagnostics, LoadError, read_text, show_path, weave};

use crate::exit::Exit;
use crate::output::Output;
use crate::save::save;

/// Format .weave files in place: indentation, and blanks between words and signs
///
/// The program and its comments stay the same, and lines end where they ended. Ends with 0 if all files are formatted now, with 65 if one
/// cannot be read as a program; with --check, which writes nothing, with 1 if a file would change.
#[derive(ClapArgs, Debug)]
pub struct Args {
    /// The files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Only say which files would change, and from which line on
    #[arg(long)]
    check: bool,
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let mut changed = Vec::new();
    for file in &args.files {
        let (before, after) = laid_out(file)?;
        if before != after {
            let line =
                1 + before.lines().zip(after.lines()).take_while(|(old, new)| old == new).count();
            changed.push((file.as_path(), line, after));
        }
    }
    if !args.check {
        let files: Vec<_> = changed.iter().map(|(file, _, text)| (*file, text.as_str())).collect();
        save(&files)?;
    }
    let lines: String = (changed.iter())
        .map(|(file, line, _)| match args.check {
            true => format!("{}:{line}: would change from here on\n", show_path(file)),
            false => format!("{}: formatted\n", show_path(file)),
        })
        .collect();
    output.print(&lines);
    Ok(if args.check && !changed.is_empty() { Exit::Bounded } else { Exit::Done })
}

/// The text of a file as it is, and laid out.
fn laid_out(file: &Path) -> Result<(String, String), Failure> {
    if file.extension().is_none_or(|ending| ending != "weave") {
        let why =
            "only .weave is formatted; `selvedge convert --to weave` makes such a text of others";
        return Err(Failure::usage(format!("{}: {why}", show_path(file))));
    }
    let source = read_text(file)?;
    let (_, mistakes) = weave::parse(&source);
    let text = source.text().to_owned();
    match weave::layout(&text) {
        Some(after) if mistakes.is_empty() => Ok((text, after)),
        _ => Err(LoadError::Invalid(Diagnostics::new(source, mistakes)).into()),
    }
}
