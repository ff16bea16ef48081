//! # Arguments
//! What the command line may say. Options that several commands share stand here; each command
//! has its own in its own file.

use std::ffi::OsString;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use selvedge::{Bound, EngineName, Engines, Resource};
pub use selvedge_check::command::{InputArgs, InputOptions, count};

use crate::commands::engine::engine_that;
use crate::commands::{
    self, bench, check, check_syntax, cluster, completions, convert, explore, fmt, livelock, lsp,
    man, recheck, report, sequentialize, simulate, table, verify,
};
use crate::exit::EXIT_CODES;

/// A verifier for concurrent programs with recursion.
///
/// Reads programs (.weave, .bp, .c, .i) and pushdown systems (.cpds, .pds, .tts).
#[derive(Parser, Debug)]
#[command(name = "selvedge", version, after_help = EXIT_CODES, propagate_version = true)]
pub struct Args {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

impl Args {
    /// Reads what was typed. Of other commands than the one that is named nothing is made, unless somebody has to be told what there is: that takes
    /// as long as a small program takes to be verified.
    pub fn typed(words: &[OsString]) -> Result<Self, clap::Error> {
        let alone = words.get(1).and_then(|name| Args::alone(name.to_str()?));
        let matches = alone.and_then(|command| command.try_get_matches_from(words).ok());
        match matches.map(|matches| Args::from_arg_matches(&matches)) {
            Some(Ok(args)) => Ok(args),
            _ => Args::from_arg_matches(&Args::whole().try_get_matches_from(words)?),
        }
    }

    /// The command line with all commands. Each lists the formats and engines that it has; it takes the others, too, and says which command
    /// they are for.
    pub fn whole() -> clap::Command {
        let whole = Args::command();
        let format = whole.get_arguments().find(|arg| arg.get_id() == "format").cloned();
        let names: Vec<String> =
            whole.get_subcommands().map(|command| command.get_name().to_owned()).collect();
        names.into_iter().fold(whole, |whole, name| {
            whole.mut_subcommand(&name, |mut command| {
                if command.get_arguments().any(|arg| arg.get_id() == "engine") && name != "livelock"
                {
                    let fitting = engine_that(|engine| fits(engine, &name));
                    command = command.mut_arg("engine", |arg| arg.value_parser(fitting));
                }
                let formats = Format::value_variants().iter().filter_map(|format| {
                    let value = format.to_possible_value()?;
                    Some(value.hide(!format.is_of(&name)))
                });
                let read = PossibleValuesParser::new(formats.collect::<Vec<_>>())
                    .map(|name| Format::from_str(&name, false).unwrap_or(Format::Text));
                let has_others = Format::Json.is_of(&name) || Format::Csv.is_of(&name);
                command
                    .args(format.clone().map(|format| format.value_parser(read).hide(!has_others)))
            })
        })
    }

    /// The command line with one command, if that is often asked for small things.
    fn alone(name: &str) -> Option<clap::Command> {
        let command = match name {
            "verify" => verify::Args::augment_args(clap::Command::new("verify")),
            "check" => check::Args::augment_args(clap::Command::new("check")),
            _ => return None,
        };
        Some(Common::augment_args(clap::Command::new("selvedge")).subcommand(command))
    }
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    Verify(verify::Args),
    Check(check::Args),
    Cluster(cluster::Args),
    Livelock(livelock::Args),
    Table(table::Args),
    Explore(explore::Args),
    Report(report::Args),
    Recheck(recheck::Args),
    Simulate(simulate::Args),
    Convert(convert::Args),
    Bench(bench::Args),
    Sequentialize(sequentialize::Args),
    CheckSyntax(check_syntax::Args),
    Fmt(fmt::Args),
    Lsp(lsp::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Options of every command.
#[derive(ClapArgs, Clone, Debug)]
pub struct Common {
    /// How the answer is printed
    #[arg(long, global = true, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,
    /// When to use colours; NO_COLOR is respected
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN",
          help_heading = "Output")]
    pub color: Color,
    /// No warnings and notes, only the answer
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,
    /// More notes about what is done
    #[arg(short, long, global = true, help_heading = "Output")]
    pub verbose: bool,
}

/// The programs that have manual pages and completions.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Program {
    /// This one
    Selvedge,
    /// The one that checks evidence and does nothing else
    SelvedgeCheck,
}

impl Program {
    /// What its command line may say.
    pub fn command(self) -> clap::Command {
        match self {
            Program::Selvedge => Args::whole(),
            Program::SelvedgeCheck => selvedge_check::command::Program::command(),
        }
    }
}

/// How the answer is printed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people
    Text,
    /// One JSON object, for programs
    Json,
    /// A SARIF 2.1.0 log, for code hosts and editors; of `verify`, `check`, `cluster` and `livelock`
    Sarif,
    /// A Markdown table, of `table` only
    Markdown,
    /// Comma-separated values, of `table` only
    Csv,
    /// A picture for Graphviz, of `table --automata` only
    Dot,
}

impl Format {
    /// Whether a command writes it.
    fn is_of(self, command: &str) -> bool {
        match self {
            Format::Text => true,
            Format::Json => !commands::WRITERS.contains(&command),
            Format::Sarif => matches!(command, "verify" | "check" | "cluster" | "livelock"),
            Format::Markdown | Format::Csv | Format::Dot => command == "table",
        }
    }
}

/// Whether a command has an engine.
fn fits(engine: EngineName, command: &str) -> bool {
    let bounds: &[Option<Resource>] = match command {
        "table" => &[Some(Resource::Contexts)],
        "check" => &[
            Some(Resource::Contexts),
            Some(Resource::Rounds),
            Some(Resource::RoundRobin { delays: 1, interchanged: false }),
        ],
        "verify" => &[None],
        // Several processes explore single states.
        "cluster" => return matches!(engine, EngineName::Auto | EngineName::Explicit),
        _ => return true,
    };
    let engines = Engines::default();
    bounds.iter().any(|&bound| engines.need(engine, bound).is_ok())
}

/// When to use colours.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    /// If the output is a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The bound that options give: contexts, or rounds, or rounds of single steps with delays.
pub fn bound(
    contexts: Option<usize>,
    rounds: Option<usize>,
    delays: Option<usize>,
) -> Option<Bound> {
    match (rounds, delays) {
        (Some(rounds), Some(delays)) => Some(Bound::round_robin(rounds, delays)),
        (Some(rounds), None) => Some(Bound::rounds(rounds)),
        (None, _) => contexts.map(Bound::contexts),
    }
}

/// Limits how many things are kept.
pub fn number(text: &str) -> Result<usize, String> {
    count(text).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
}

/// The largest number of started threads.
pub fn started(text: &str) -> Result<u32, String> {
    let most = selvedge_program::slots::MOST_SLOTS;
    match count(text).map(u32::try_from) {
        Ok(Ok(number)) if number <= most => Ok(number),
        _ => Err(format!("write a number of started threads, from 0 to {most}")),
    }
}

/// A number that another run can repeat.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a number from 0 to {}", u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever is read without the other commands is read as with them, and told the same.
    #[test]
    fn a_command_alone_is_read_as_among_others() {
        let lines = [
            "verify a.weave",
            "verify a.weave --const N=3 --jobs 1 --format json -q",
            "verify --format sarif a.weave --deadlock --timeout 3s --memory 2GB --color never",
            "verify a.weave --threads w=2 --no-reduction --no-symmetry --evidence e.json --full",
            "verify a.weave --quiet --verbose",
            "verify a.weave --no-such-option",
            "verify",
            "verify --help",
            "check a.weave --contexts 3",
            "check a.weave --rounds 2 --delays 1 --format json",
            "check a.weave --contexts many",
            "--format json verify a.weave",
            "table a.weave",
            "verfy a.weave",
            "",
        ];
        let mut alone = 0;
        for line in lines {
            let words = ["selvedge"].into_iter().chain(line.split_whitespace());
            let words: Vec<OsString> = words.map(OsString::from).collect();
            let told = |read: Result<Args, clap::Error>| match read {
                Ok(args) => format!("{args:?}"),
                Err(error) => format!("{:?}: {error}", error.kind()),
            };
            let whole = |words: &[OsString]| {
                Args::from_arg_matches(&Args::whole().try_get_matches_from(words)?)
            };
            assert_eq!(told(Args::typed(&words)), told(whole(&words)), "{line}");
            let command = words.get(1).and_then(|name| Args::alone(name.to_str()?));
            alone += usize::from(command.is_some_and(|c| c.try_get_matches_from(&words).is_ok()));
        }
        assert!(alone >= 5, "{alone} were read alone");
    }
}
