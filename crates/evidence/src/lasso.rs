//! # Lassos
//! A run that never ends, written down in finite space: a *stem* that leads somewhere, and a
//! *period* that can be repeated from there for ever. Stacks may grow with each period.

use selvedge_model::{Action, Endless, ThreadId};

use crate::Trace;

/// A run that never ends. Whether it is one is for [`crate::recheck`] to say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// The run up to where the first period begins.
    pub stem: Trace,
    /// What is repeated: who acts, and what the action is. Actions are told apart by their fair
    /// choices, so origins matter here.
    pub period: Vec<(ThreadId, Action)>,
    /// The fairness that the run claims, and whether threads may have ended in it.
    pub endless: Endless,
}

impl Lasso {
    /// The stem followed by this many periods, as one run.
    #[must_use]
    pub fn unrolled(&self, periods: usize) -> Trace {
        let mut trace = self.stem.clone();
        for _ in 0..periods {
            trace.steps.extend_from_slice(&self.period);
        }
        trace
    }

    /// The contexts of a period: who acts, and how many steps, one after the other.
    #[must_use]
    pub fn period_contexts(&self) -> Vec<(ThreadId, usize)> {
        let contexts = self.period.chunk_by(|a, b| a.0 == b.0);
        contexts.map(|context| (context[0].0, context.len())).collect()
    }
}

/// How a thread takes part in the periods of a lasso.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LassoThread {
    /// Why the run is fair to it.
    pub part: Part,
    /// By how many symbols its stack grows in each period.
    pub growth: usize,
}

/// Why a run is fair to a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The thread acts in each period.
    Acts,
    /// The thread can never act.
    Waits,
    /// The thread can act in some states but not in all, and does not.
    Hindered,
    /// The thread has ended.
    Ended,
    /// The thread could act and does not, and no fairness is required.
    Starved,
}
