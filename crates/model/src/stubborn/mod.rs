//! # Threads that may wait
//!
//! **Question.** All schedules are asked about. Where two threads have nothing to do with each other, does it matter who goes first?
//!
//! **Idea.** [Valmari 1989; Godefroid 1996] At a state, a set P of threads is *enough* if, as long as only the others act, nothing
//! that they do has to do with what a thread of P does next: they write nothing that it looks at, and touch nothing that it writes. Then every run from there can be begun by a
//! thread of P, or at least go on after it as before. So the others may wait. What the others can do meanwhile is found from the
//! state: a thread that waits for something that only P can give does nothing more ([Laarman, Pater, van de Pol and Weber 2013] on guards).
//!
//! **Claim.** Let every state that is reached be followed by a set that is enough, one of whose threads can act if any can. Then every deadlock is
//! reached. If moreover from every state some state is reached from which all threads are followed, then something goes wrong in the
//! system exactly if it does among the states that are reached so. The theory page has the proof.
//!
//! **Not preserved** are numbers of contexts, states at which nothing goes wrong, and runs that never end.
//!
//! **Needs.** That a [`Choose`] says of no set that it is enough if it is not; [`Watched`] looks at that.

mod watched;

use std::sync::Arc;

use crate::{Action, Fault, SharedId, SymbolId, System, TemplateId};

pub use watched::Watched;

/// A thread of a state, for those who choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The number that [`Choose::thread`] gave it. Threads with the same number stand for each other.
    pub thread: u32,
    /// Whether the thread can act.
    pub can_act: bool,
}

/// Chooses threads from which a state is followed.
pub trait Choose: Send {
    /// Gives a number to threads of the template with this stack, whose top is the last symbol.
    fn thread(&mut self, template: TemplateId, stack: &[SymbolId]) -> u32;

    /// Finds threads of a state that are enough, one for each of `threads` that are all different; if at least one can act, one of those that are chosen
    /// can. `false` if all are needed, or nobody knows.
    fn choose(&mut self, shared: SharedId, threads: &[Standing], enough: &mut Vec<bool>) -> bool;
}

/// Knows what threads have to do with each other.
pub trait Interference: Send + Sync {
    /// Makes a chooser for one exploration, which remembers what it finds out.
    fn chooser(&self) -> Box<dyn Choose + '_>;
}

/// A system that can say which threads may wait. Its states and steps are those of the system.
#[derive(Clone)]
pub struct Stubborn {
    system: Arc<dyn System>,
    who: Arc<dyn Interference>,
}

impl Stubborn {
    /// Wraps a system, with what is known of how its threads interfere.
    #[must_use]
    pub fn new(system: Arc<dyn System>, who: Arc<dyn Interference>) -> Self {
        Stubborn { system, who }
    }
}

impl System for Stubborn {
    crate::delegate_to_system!(with its threads);

    fn before_reduction(&self) -> Option<&dyn System> {
        self.system.before_reduction()
    }

    fn actions(
        &self,
        template: TemplateId,
        shared: SharedId,
        top: Option<SymbolId>,
        out: &mut Vec<Action>,
    ) -> Result<(), Fault> {
        self.system.actions(template, shared, top, out)
    }

    fn chooser(&self) -> Option<Box<dyn Choose + '_>> {
        Some(self.who.chooser())
    }
}
