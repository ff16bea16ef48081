//! `selvedge lsp`: a language server, on standard input and output.

use std::io::{self, BufReader, Write as _};
use std::path::Path;
use std::time::Duration;

use clap::Args as ClapArgs;
use selvedge::{Failure, default_memory_limit};
use selvedge_frontend::c::Settings as CSettings;
use selvedge_frontend::c::preprocess::preprocess_text;
use selvedge_lsp::{Ending, Settings, serve};
use selvedge_program::Source;

use crate::exit::Exit;
use crate::memory;
use selvedge_check::command::limits;

/// Serve an editor: mistakes, definitions, types and verification of .weave, .bp and C
///
/// Speaks the Language Server Protocol on standard input and output; an editor starts it. It reads no files: the
/// editor sends the texts. Of texts in C, it reads those that need no preprocessor; with `--preprocess`, all.
///
/// Ends with 0 if the editor said goodbye (`shutdown`, then `exit`), with 1 if it did not, and says so on standard error.
#[derive(ClapArgs, Debug)]
pub struct Args {
    /// How long a verification may take: 60s, 5m
    #[arg(long, value_name = "TIME", value_parser = limits::time, default_value = "60s")]
    timeout: Duration,
    /// Stop a verification when this much memory is in use: 4GiB, 500MB [default: 80% of what the
    /// machine has]
    #[arg(long, value_name = "SIZE", value_parser = limits::size)]
    memory: Option<usize>,
    /// Let texts in C go through the preprocessor of the system (`$CC`, or the first compiler that is found), which reads
    /// their headers
    #[arg(long)]
    preprocess: bool,
    /// Accepted, since some editors say it: standard input and output are all there is
    #[arg(long, hide = true)]
    stdio: bool,
}

pub fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings {
        timeout: args.timeout,
        memory: args.memory.or_else(default_memory_limit),
        memory_in_use: Some(memory::in_use),
        preprocess: args.preprocess.then_some(preprocessed),
    };
    let told = match serve(BufReader::new(io::stdin()), io::stdout(), settings) {
        Ending::InOrder => return Ok(Exit::Done),
        Ending::WithoutShutdown => "the editor said `exit` without `shutdown`",
        Ending::Closed => "the connection ended before the editor said `exit`",
        Ending::Silent => {
            "no message came in: an editor starts `selvedge lsp`, and sends it messages of the Language Server Protocol on standard input"
        }
    };
    let _ = writeln!(io::stderr(), "{told}");
    // The number that the protocol asks for; here it has no other meaning.
    Ok(Exit::Bounded)
}

/// What the preprocessor of the system makes of a text that an editor sent.
fn preprocessed(path: &Path, text: &Source) -> Result<Source, String> {
    preprocess_text(path, text, &CSettings::default())
}
