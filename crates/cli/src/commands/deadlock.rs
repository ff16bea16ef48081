//! Which deadlocks count.

use clap::Args as ClapArgs;
use selvedge::Deadlocks;

/// Which deadlocks are violations.
#[derive(ClapArgs, Clone, Copy, Debug)]
pub struct DeadlockArgs {
    /// Look for all deadlocks: states in which a thread has not ended and none can act, also where they only wait in `assume`
    #[arg(long)]
    deadlock: bool,
    /// Look for no deadlocks, also where threads wait for locks and for each other
    #[arg(long, conflicts_with = "deadlock")]
    no_deadlock: bool,
}

impl DeadlockArgs {
    /// Those that are meant.
    pub fn deadlocks(self) -> Deadlocks {
        match (self.deadlock, self.no_deadlock) {
            (true, _) => Deadlocks::All,
            (_, true) => Deadlocks::No,
            _ => Deadlocks::Waits,
        }
    }
}
