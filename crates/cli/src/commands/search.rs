//! What counts as a violation, how it is looked for and how the answer is shown: options of `verify`, `check` and `cluster`.

use clap::Args as ClapArgs;
use selvedge::{Deadlocks, Options};

use super::answer::AnswerArgs;
use super::engine::EngineOptions;

/// The options of a search for violations.
#[derive(ClapArgs, Clone, Debug)]
pub struct SearchArgs {
    /// Look for every kind of deadlock: states in which a thread has not ended and none can act, even if threads only wait in `assume`
    #[arg(long)]
    deadlock: bool,
    /// Answer `unknown` where some assertion is reached by no schedule, or is not known to be
    #[arg(long)]
    require_reached: bool,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub engine: EngineOptions,
}

/// That deadlocks do not matter: for commands that look for some of them by themselves.
#[derive(ClapArgs, Clone, Debug)]
pub struct NoDeadlock {
    /// Do not report deadlocks, not even those in which threads wait for locks or for each other
    #[arg(long, conflicts_with = "deadlock")]
    pub no_deadlock: bool,
}

impl SearchArgs {
    /// How to search, within limits; `no_deadlock` says that deadlocks do not matter.
    pub fn options(&self, no_deadlock: bool, limits: selvedge::Limits) -> Options {
        let deadlock = match (self.deadlock, no_deadlock) {
            (true, _) => Deadlocks::All,
            (_, true) => Deadlocks::No,
            _ => Deadlocks::Waits,
        };
        let require_reached = self.require_reached;
        Options { deadlock, require_reached, ..self.engine.options(limits) }
    }
}
