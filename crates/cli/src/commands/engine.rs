//! The options of engines, which several commands have.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Args as ClapArgs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use selvedge::{EngineName, Engines, Options, default_memory_limit};

use crate::{guard, memory};
use selvedge_check::command::Interrupt;
use selvedge_check::command::limits;

/// How to explore, and how long and how large a run may be.
#[derive(ClapArgs, Clone, Debug)]
pub struct EngineOptions {
    /// How to explore from below
    #[arg(long, value_parser = engine(), default_value = EngineName::Auto.name(), help_heading = "Engine")]
    pub engine: EngineName,
    /// List interchangeable threads one by one, do not count them
    #[arg(long, help_heading = "Engine")]
    pub no_symmetry: bool,
    /// Store also the states between steps that concern one thread alone; the answer is the same
    #[arg(long, help_heading = "Engine")]
    pub no_reduction: bool,
    /// How many workers: engines run side by side, and explorations use all of them; the answer is the same with any number [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = jobs, allow_negative_numbers = true, help_heading = "Engine")]
    pub jobs: Option<usize>,
    #[command(flatten)]
    pub limits: Limits,
}

/// Reads a number of workers.
fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("somebody has to work: write 1 or more".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => {
            Err("this is no number of workers: write 1, 2, …, or leave it out for all cores"
                .to_owned())
        }
    }
}

/// Reads the name of an engine.
pub fn engine() -> impl TypedValueParser<Value = EngineName> {
    engine_that(|_| true)
}

/// Reads the name of an engine, and lists those that fit.
pub fn engine_that(fits: impl Fn(EngineName) -> bool) -> impl TypedValueParser<Value = EngineName> {
    let engines = Engines::default();
    let value = |(name, about): (EngineName, &'static str)| {
        PossibleValue::new(name.name()).help(about).hide(!fits(name))
    };
    let values: Vec<PossibleValue> = engines.names().map(value).collect();
    PossibleValuesParser::new(values).try_map(move |name| engines.parse(&name))
}

/// How long and how large a run may be.
#[derive(ClapArgs, Clone, Debug)]
pub struct Limits {
    /// Stop after this time: 60s, 5m, 500ms
    #[arg(long, value_name = "TIME", value_parser = limits::time, allow_negative_numbers = true, help_heading = "Engine")]
    pub timeout: Option<Duration>,
    /// Stop when this much memory is in use: 4GiB, 500MB [default: 80% of what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = limits::size, allow_negative_numbers = true, help_heading = "Engine")]
    pub memory: Option<usize>,
}

impl Limits {
    /// The limits of a run that started then; from now on Ctrl-C ends it.
    pub fn since(&self, start: Instant) -> selvedge::Limits {
        self.until(start, Interrupt::install(guard::interrupted).flag())
    }

    /// The limits of a run that started then, and ends when a flag is set.
    pub fn until(&self, start: Instant, cancelled: Arc<AtomicBool>) -> selvedge::Limits {
        selvedge::Limits {
            timeout: self.timeout,
            since: Some(start),
            memory: self.memory.or_else(default_memory_limit),
            memory_in_use: Some(memory::in_use),
            work: None,
            cancelled,
        }
    }
}

impl EngineOptions {
    /// How to search, within limits.
    pub fn options(&self, limits: selvedge::Limits) -> Options {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = self.jobs.unwrap_or_else(cores);
        let (symmetry, reduction) = (!self.no_symmetry, !self.no_reduction);
        Options { engine: self.engine, symmetry, reduction, jobs, limits, ..Options::default() }
    }
}
