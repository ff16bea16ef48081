//! What counts as a violation, how it is looked for and how the answer is shown: options of `verify`, `check` and `cluster`.

use clap::Args as ClapArgs;
use selvedge::{Deadlocks, Options};

use super::answer::AnswerArgs;
use super::engine::EngineOptions;

/// The options of a search for violations.
#[derive(ClapArgs, Clone, Debug)]
pub struct SearchArgs {
    /// Look for all deadlocks: states in which a thread has not ended and none can act, also where they only wait in `assume`
    #[arg(long)]
    deadlock: bool,
    /// Look for no deadlocks, also where threads wait for locks and for each other
    #[arg(long, conflicts_with = "deadlock")]
    no_deadlock: bool,
    /// Answer `unknown` where some assertion is reached by no schedule, or is not known to be
    #[arg(long)]
    require_reached: bool,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub engine: EngineOptions,
}

impl SearchArgs {
    /// How to search, within limits.
    pub fn options(&self, limits: selvedge::Limits) -> Options {
        let deadlock = match (self.deadlock, self.no_deadlock) {
            (true, _) => Deadlocks::All,
            (_, true) => Deadlocks::No,
            _ => Deadlocks::Waits,
        };
        let require_reached = self.require_reached;
        Options { deadlock, require_reached, ..self.engine.options(limits) }
    }
}
