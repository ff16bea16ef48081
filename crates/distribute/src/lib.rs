//! # Several workers
//!
//! **Question.** A state space outgrows a core. How is it explored by many, with the answer of one?
//!
//! **Idea.** Every worker has a share of the states ([`selvedge_analysis::explore::share`]); states travel to their owners in a dataflow with a loop (`post`), on
//! timely dataflow, whose progress protocol says when a bound is complete. All workers do what is asked, one thing after the other (`control`, `work`). Who asks is an
//! explorer like any other ([`Fleet`] is a [`Spread`](selvedge_analysis::engine::Spread)), so that the one loop of the engine decides what comes next.
//!
//! **Claim.** Verdicts, bounds and counts are those of one worker: they follow from the states at each bound, and those do not depend on how states are
//! divided, nor on the order in which they arrive. A run that a worker could not finish has no answer.
//!
//! **Needs.** That every process opens the same system: see [`Subject`].

mod checkpoint;
mod control;
mod fleet;
mod forms;
mod hunt;
mod mail;
mod member;
mod net;
mod post;
mod spreading;
mod work;

use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_model::{Property, System};

pub use checkpoint::Checkpoints;
pub use fleet::{Fleet, Listener, Usage, Working};
pub use forms::{Forms, Spreader};
pub use member::{Member, Serving};
pub use net::{Hosts, Identity, PATIENCE, Secret};
pub use spreading::{FormOf, Spreading};

/// The subject of an exploration, as each process opens it for itself.
pub trait Subject: Send + Sync {
    /// The system in one of its forms, with the properties to check.
    fn open(&self, form: &str) -> Result<(Arc<dyn System>, Vec<Property>), String>;

    /// The system once more, for a look at it that is no part of the run.
    fn open_anew(&self, form: &str) -> Result<Arc<dyn System>, String> {
        self.open(form).map(|(system, _)| system)
    }

    /// The resources that this process may use.
    fn budget(&self) -> Budget;

    /// The number of bytes that this process uses; 0 if they are not counted.
    fn memory(&self) -> usize {
        0
    }

    /// The places of the text that runs have got to, as far as this process has followed them.
    fn places(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Where checkpoints are written to, and read from.
    fn checkpoints(&self) -> &Checkpoints;

    /// The run is over: how the process ends that asked.
    fn ended(&self, _code: u8) {}
}
