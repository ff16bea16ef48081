//! # Certificates
//! What a *safe* verdict rests on: a set of states that contains the initial ones, that no step
//! leaves, and in which nothing is wrong. No kind lists single states of the system:
//!
//! - a [`CutCertificate`] keeps the top of each stack and says what may lie below;
//! - an [`AggregateCertificate`] has a regular set of stacks in the place of each stack.
//!
//! - a [`CoverCertificate`] is about any number of threads: it says which local states occur where, and which
//!   states are dangerous. A local state is a whole stack, or the top of one.
//!
//! All count interchangeable threads. Whether a certificate proves anything is for
//! [`crate::recheck`] to say.

use selvedge_automata::Dfa;
use selvedge_model::{SharedId, SymbolId, TemplateId};

use crate::{FairTermination, Lasso, ReducedCertificate, SummaryCertificate, Trace};

/// The evidence for a verdict: a proof or a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// Safe: an invariant on the tops of the stacks.
    Cut(CutCertificate),
    /// Safe: an invariant on sets of stacks.
    Aggregate(AggregateCertificate),
    /// Safe for any number of threads: an invariant on how many threads there are of which kind.
    Cover(CoverCertificate),
    /// Safe, for a program with one thread: an invariant on the values at each place.
    Summaries(SummaryCertificate),
    /// Safe: one of those above, about a system whose local steps ride along.
    Reduced(ReducedCertificate),
    /// Unsafe: a run that ends in a violation.
    Violation(Violation),
    /// Nonterminating: a run that never ends.
    Lasso(Lasso),
    /// No run that counts goes on for ever.
    Termination(FairTermination),
}

/// A run that ends in a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The run that ends in the violation.
    pub trace: Trace,
    /// The number of contexts of the run.
    pub contexts: usize,
    /// The number of the property that its last state breaks.
    pub property: usize,
}

/// States with stacks cut to their topmost symbols.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CutCertificate {
    /// The class of each thread of the initial states. Threads of one class are counted.
    pub classes: Vec<u32>,
    /// The templates of threads that are started later. Each has a class of its own, after those
    /// of the first threads.
    pub started: Vec<TemplateId>,
    /// How many symbols of each stack are kept; at least 1.
    pub depth: usize,
    /// Which symbols may lie directly below a window.
    pub guesses: Vec<Guess>,
    /// The kinds of threads that occur.
    pub kinds: Vec<CutThread>,
    /// The states.
    pub states: Vec<CountedState>,
    /// Relations between the heights of stacks.
    pub measures: Vec<Measure>,
}

/// A relation between the heights of stacks: in each state of a [`CutCertificate`], the sum of all
/// heights, each times the weight of its thread, has a least value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measure {
    /// The weight of the threads of each class.
    pub weights: Vec<i32>,
    /// The least value in each state; `None` if nothing is known there.
    pub least: Vec<Option<i64>>,
}

/// A thread as a [`CutCertificate`] sees it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CutThread {
    /// The class of the thread.
    pub class: u32,
    /// The part of its stack that is kept.
    pub window: Window,
}

/// The top of a stack.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Window {
    /// The topmost symbols, top first: as many as are kept, or the whole stack.
    pub symbols: Box<[SymbolId]>,
    /// Whether the stack has more symbols below.
    pub hidden: bool,
}

/// In stacks of threads of `class`, `below` may lie directly below the symbols `above`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Guess {
    /// The class of the thread.
    pub class: u32,
    /// The symbols above it, the lowest last: one less than are kept, but at least one.
    pub above: Box<[SymbolId]>,
    /// The symbol below them.
    pub below: SymbolId,
    /// Whether something lies below that.
    pub more: bool,
}

/// States with sets of stacks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AggregateCertificate {
    /// The class of each thread of the initial states. Threads of one class are counted.
    pub classes: Vec<u32>,
    /// The templates of threads that are started later. Each has a class of its own, after those
    /// of the first threads.
    pub started: Vec<TemplateId>,
    /// The sets of stacks.
    pub languages: Vec<Dfa>,
    /// The kinds of threads that occur.
    pub kinds: Vec<AggregateThread>,
    /// The states.
    pub states: Vec<CountedState>,
}

/// A thread as an [`AggregateCertificate`] sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AggregateThread {
    /// Its class.
    pub class: u32,
    /// Its set of stacks, as a number in the list of languages.
    pub language: u32,
}

/// Any number of threads: which local states occur where, and which states are dangerous.
///
/// It stands for the states in which every thread has a local state that is listed for the shared
/// state, every other thread has one that is listed beside that, there are no more threads of a
/// template than the system has, unless the template is unlimited, and that do not *cover* a
/// dangerous state: have the same shared state and, of each kind, at least as many threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoverCertificate {
    /// The templates of which there may be any number of threads.
    pub unlimited: Vec<TemplateId>,
    /// The local states that occur.
    pub kinds: Vec<CoverThread>,
    /// The shared states, each once, with the local states that occur there.
    pub places: Vec<CoverPlace>,
    /// The dangerous states: each stands for all that cover it.
    pub dangerous: Vec<CountedState>,
    /// How stacks are cut; `None` if local states have whole stacks.
    pub cut: Option<CoverCut>,
    /// Relations between heights of stacks and numbers of threads.
    pub relations: Vec<Relation>,
}

/// A local state: a thread with its stack, or the top of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CoverThread {
    /// The template of the thread.
    pub template: TemplateId,
    /// Its stack, top first; the topmost symbols if it is cut.
    pub stack: Box<[SymbolId]>,
    /// Whether the stack has more symbols below.
    pub hidden: bool,
}

/// How the stacks of a [`CoverCertificate`] are cut.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoverCut {
    /// How many symbols of each stack are kept; at least 1.
    pub depth: usize,
    /// Which symbols may lie directly below the lowest one in sight.
    pub guesses: Vec<CoverGuess>,
}

/// In stacks of threads of `template`, `below` may lie directly below `lowest`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CoverGuess {
    /// The template of the thread.
    pub template: TemplateId,
    /// The upper symbol.
    pub lowest: SymbolId,
    /// The symbol below it.
    pub below: SymbolId,
    /// Whether something lies below that.
    pub more: bool,
}

/// A relation between heights of stacks and numbers of threads: in every state of a [`CoverCertificate`], the
/// weight of the shared state, with the weight of each thread's kind and the height of its stack times the weight
/// of its template, is not negative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relation {
    /// The weight of each of the shared states, in their order.
    pub places: Vec<i32>,
    /// The weight of each kind, in their order.
    pub kinds: Vec<i32>,
    /// The weights of heights, by template; 0 if a template is missing.
    pub heights: Vec<(TemplateId, i32)>,
}

/// A shared state, and which kinds of threads may be there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoverPlace {
    /// The shared state.
    pub shared: SharedId,
    /// The kinds, each in one group.
    pub groups: Box<[CoverGroup]>,
}

/// Kinds of threads that may be somewhere beside the same kinds of threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoverGroup {
    /// The kinds, as numbers in the list of kinds, in rising order.
    pub kinds: Box<[u32]>,
    /// What other threads may be there at the same time.
    pub beside: Box<[u32]>,
}

/// A shared state, and how many threads there are of which kind.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CountedState {
    /// The shared state.
    pub shared: SharedId,
    /// The kinds of the threads, as numbers in the list of kinds, in rising order; with how many
    /// threads there are of each.
    pub threads: Box<[(u32, u32)]>,
}

impl CountedState {
    /// The state of threads of these kinds, given in any order.
    #[must_use]
    pub fn of_kinds(shared: SharedId, mut kinds: Vec<u32>) -> Self {
        kinds.sort_unstable();
        let same = kinds.chunk_by(|a, b| a == b);
        // Threads have 32-bit numbers, so there are no more of them.
        let count = |kind: &[u32]| u32::try_from(kind.len()).unwrap_or(u32::MAX);
        CountedState { shared, threads: same.map(|k| (k[0], count(k))).collect() }
    }

    /// The state after one thread of kind `from` became `to` and the shared state changed.
    #[must_use]
    pub fn after(&self, shared: SharedId, from: u32, to: u32) -> Self {
        self.without(shared, from).with(to)
    }

    /// The state with one thread of kind `from` less, at another shared state.
    #[must_use]
    pub fn without(&self, shared: SharedId, from: u32) -> Self {
        let mut threads = self.threads.to_vec();
        if let Ok(at) = threads.binary_search_by_key(&from, |&(kind, _)| kind) {
            if threads[at].1 > 1 {
                threads[at].1 -= 1;
            } else {
                threads.remove(at);
            }
        }
        CountedState { shared, threads: threads.into() }
    }

    /// The state with one more thread. A count stops at the largest number, and no state of a
    /// certificate has so many threads of a kind: see [`crate::recheck`].
    #[must_use]
    pub fn with(&self, kind: u32) -> Self {
        let mut threads = self.threads.to_vec();
        match threads.binary_search_by_key(&kind, |&(kind, _)| kind) {
            Ok(at) => threads[at].1 = threads[at].1.saturating_add(1),
            Err(at) => threads.insert(at, (kind, 1)),
        }
        CountedState { shared: self.shared, threads: threads.into() }
    }
}
