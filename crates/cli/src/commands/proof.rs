//! How proofs are sought: options of `verify`, and of `report` and `explore` where they ask the same.

use clap::{Args as ClapArgs, ValueEnum};
use selvedge::{Closure, Options};

/// Options that limit what proofs observe, try and assume.
#[derive(ClapArgs, Clone, PartialEq, Eq, Debug)]
pub struct ProofArgs {
    /// What `--engine delays` observes of a state, separated by commas: names of shared variables (or
    /// `shared` for all, which is meant where none is named), and `top=J` for the topmost J symbols
    /// of each stack; or `predicates`: the line of one thread and the predicates of the program
    /// [default: the tops, and deeper and deeper where that is not enough]
    #[arg(long, value_name = "WHAT", help_heading = "Engine")]
    pub observe: Option<String>,
    /// Which actions `--engine delays` tries when what it observes has stopped growing
    #[arg(long, value_enum, default_value_t = Tried::Disrespectful, help_heading = "Engine")]
    pub closure: Tried,
    /// Which predicates a proof for integers without bounds may use
    #[arg(long, value_enum, default_value_t = Predicates::Auto, help_heading = "Solver")]
    pub predicates: Predicates,
}

/// Which predicates are used.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Predicates {
    /// Those of the program, and what else a proof needs
    Auto,
    /// Only those of the program
    Given,
}

/// Which actions are tried.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tried {
    /// Those that depend on what is not observed
    Disrespectful,
    /// All, and at every bound: abstract interpretation beside the exploration
    All,
    /// With `--observe predicates`: those of one thread, as published. What is closed then is no proof
    Published,
}

impl Default for ProofArgs {
    fn default() -> Self {
        ProofArgs { observe: None, closure: Tried::Disrespectful, predicates: Predicates::Auto }
    }
}

impl ProofArgs {
    /// Adds how to prove to how to search.
    pub fn options(&self, options: Options) -> Options {
        Options {
            observe: self.observe.clone(),
            closure: match self.closure {
                Tried::Disrespectful => Closure::Disrespectful,
                Tried::All => Closure::All,
                Tried::Published => Closure::Published,
            },
            only_given_predicates: self.predicates == Predicates::Given,
            ..options
        }
    }
}
