//! # The command that asks again
//! Whoever gets an answer or a report that was made with Python can repeat it on a command line, if the program came from a file.

use std::path::Path;
use std::time::Duration;

use num_bigint::BigInt;
use selvedge::{Bound, CommandLine, EngineName, Options, Resource};

/// What `load` was told.
#[derive(Clone, Default)]
pub struct Given {
    /// The file, if there is one.
    pub path: Option<String>,
    /// Numbers of threads.
    pub threads: Vec<(String, u32)>,
    /// Values of constants.
    pub consts: Vec<(String, BigInt)>,
    /// The initial state.
    pub init: Option<String>,
    /// What must not be reached.
    pub target: Option<String>,
    /// The property of a program in C.
    pub property: Option<String>,
}

impl Given {
    /// The path of a file, as it was given; none if it is no text.
    pub fn named(path: &Path) -> Option<String> {
        path.to_str().map(str::to_owned)
    }

    /// The command with the file, and with what is said of it.
    pub fn command(&self, command: &str) -> Option<CommandLine> {
        let line = CommandLine::new(command).word(self.path.as_ref()?);
        let line = line
            .each("--threads", self.threads.iter().map(|(name, number)| format!("{name}={number}")))
            .each("--const", self.consts.iter().map(|(name, value)| format!("{name}={value}")))
            .option("--init", self.init.as_ref())
            .option("--target", self.target.as_ref())
            .option("--property", self.property.as_ref());
        Some(line)
    }
}

/// Adds a bound.
pub fn bounded(line: CommandLine, bound: Bound) -> CommandLine {
    match bound.resource {
        Resource::Rounds => line.option("--rounds", Some(bound.count)),
        Resource::RoundRobin { delays, .. } => {
            line.option("--rounds", Some(bound.count)).option("--delays", Some(delays))
        }
        _ => line.option("--contexts", Some(bound.count)),
    }
}

/// Adds what was said of the search.
pub fn searched(line: CommandLine, options: &Options) -> CommandLine {
    let engine = Some(options.engine).filter(|engine| *engine != EngineName::Auto);
    line.option("--engine", engine.map(EngineName::name))
        .option("--started", options.started)
        .option("--observe", options.observe.as_ref())
        .flag("--no-symmetry", !options.symmetry)
        .flag("--no-reduction", !options.reduction)
        .flag("--require-reached", options.require_reached)
}

/// Adds limits, as they were given.
pub fn limited(line: CommandLine, timeout: Option<f64>, memory: Option<usize>) -> CommandLine {
    let millis = timeout.map(|seconds| Duration::from_millis((seconds * 1000.0).round() as u64));
    line.time("--timeout", millis).option("--memory", memory.map(|bytes| format!("{bytes}B")))
}
