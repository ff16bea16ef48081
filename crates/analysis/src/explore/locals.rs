//! # What one thread is up to
//! Explorers do not care how the stack of a thread is written down. They give out numbers for
//! *locals* and ask what a thread with such a local can do.

use selvedge_automata::Dfa;
use selvedge_evidence::Evidence;
use selvedge_model::{Action, SharedId, Stack, StackPattern, SymbolId, System, TemplateId};
use selvedge_store::Full;

use super::{Classes, Reached};
use crate::{Pace, Resource, Stop};

/// The result of a move of one thread.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// The shared state after the move.
    pub shared: SharedId,
    /// The local of the thread after the move.
    pub local: u32,
    /// The templates and locals of threads that were started.
    pub spawns: Vec<(TemplateId, u32)>,
}

/// A way to write down what one thread is up to.
pub trait Locals: Send {
    /// Whether a move is a whole context. Otherwise it is one action, and the thread goes on in
    /// the same context from where it got.
    const WHOLE_CONTEXTS: bool;

    /// The name of an explorer with these locals.
    fn engine(resource: Resource) -> &'static str;

    /// The local of a thread of the class with this stack.
    fn of_stack(&mut self, class: u32, stack: &Stack) -> Result<u32, Full>;

    /// What a thread can do, with repetitions or without: its class, the shared state, and what is
    /// its own.
    fn moves(
        &mut self,
        system: &dyn System,
        classes: &mut Classes,
        thread: (u32, SharedId, u32),
        pace: &mut Pace<'_>,
        out: &mut Vec<Move>,
    ) -> Result<(), Stop>;

    /// A run that is one of the moves, given by its thread and what becomes of it, and ends with a certain stack: the stack with which it begins, and
    /// its actions. `None` if there is none, as there may be from above.
    fn run(
        &mut self,
        _system: &dyn System,
        _classes: &Classes,
        _thread: (u32, SharedId, u32),
        _to: &Move,
        _stack: &Stack,
        _pace: &mut Pace<'_>,
    ) -> Result<Option<(Stack, Vec<Action>)>, Stop> {
        Ok(None)
    }

    /// A stack of the local that is of a pattern, if all its stacks are reached.
    fn stack_like(&self, _local: u32, _pattern: &StackPattern) -> Option<Stack> {
        None
    }

    /// The symbols that can be on top of the stack; `None` for the empty stack.
    fn tops(&self, local: u32) -> Vec<Option<SymbolId>>;

    /// Whether the local stands for the empty stack, and for no other.
    fn is_empty(&self, local: u32) -> bool {
        self.tops(local) == [None]
    }

    /// Whether a thread of the class with this local may have a stack of the pattern: exactly, if
    /// all stacks of the local are reached.
    fn may_be(&self, class: u32, local: u32, pattern: &StackPattern) -> bool;

    /// The stacks that the local stands for; of a cut stack, what is kept.
    fn stacks(&self, local: u32) -> Dfa;

    /// Whether all that is known of each thread so far can be seen: its stack is its top.
    fn are_visible(&self) -> bool {
        false
    }

    /// Whether the local stands for finitely many stacks.
    fn is_finite(&self, local: u32) -> bool;

    /// Whether a move was left out because it starts too many threads.
    fn has_left_out(&self) -> bool {
        false
    }

    /// How many locals there are.
    fn count(&self) -> usize;

    /// The states that were reached, as a certificate. It holds if the exploration has collapsed.
    fn certify(reached: &Reached<'_, Self>) -> Evidence
    where
        Self: Sized;
}
