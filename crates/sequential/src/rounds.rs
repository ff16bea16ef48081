//! # Rounds
//!
//! **Question.** What can happen within K rounds, in each of which every thread has one context,
//! in a fixed order?
//!
//! **Idea.** Round by round and thread by thread: summarise the thread ([`crate::summaries`]),
//! take its interface, and put it to the chain ([`crate::chain`]).
//!
//! - *Lazy* (Fig. 5, for any number of threads): a thread begins a round only with inputs that
//!   really occur after the contexts that it has had. So whatever is found has happened.
//! - *Eager* (Sec. 3): a thread begins a round with any input, and the chain sorts out afterwards.
//! - *Near*, between the two and not in the paper: a thread begins a round with inputs that really
//!   occur after what its last context ended with. Procedures need not remember the contexts before
//!   they were entered, as with eager guesses; and values that never occur are not looked at, as
//!   with lazy guesses. The chain sorts out what does not fit with earlier contexts.
//!
//! Threads that start in the same way share their analysis, for the inputs of all of them; the
//! chain joins each thread with its own.
//!
//! **Claim.** After k calls of [`Rounds::advance`] the shared states are exactly those of
//! executions within k rounds; a violation is found in the first round that shows it.

mod turns;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use selvedge_analysis::Budget;
use selvedge_bdd::Bdd;
use selvedge_core::Loc;
use selvedge_evidence::{SummaryCertificate, Trace};
use selvedge_program::{Lowering, ThreadStart};

use crate::Limits;
use crate::Result;
use crate::chain;
use crate::focus::Focus;
use crate::lift::{Lifted, lift, lost};
use crate::places::END;
use crate::summaries::{Calls, Thread};
use crate::touched;
use selvedge_evidence::relations::Layout;
use selvedge_evidence::relations::Steps;
use selvedge_evidence::relations::{Shared, Space};
use turns::Turn;

/// With which inputs a thread begins a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Guesses {
    /// With any; those that cannot be are sorted out afterwards.
    Eager,
    /// With those that occur after all contexts that it has had.
    #[default]
    Lazy,
    /// With those that occur after the end of its last context, whatever was before.
    Near,
}

/// How inputs and calls are explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The inputs of rounds.
    pub guesses: Guesses,
    /// The values of calls.
    pub calls: Calls,
}

/// A thread that goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The number of rounds that the run takes.
    pub rounds: usize,
    /// The thread that goes wrong.
    pub thread: usize,
    /// Its contexts: inputs and outputs up to this round.
    pub contexts: Bdd,
}

/// The shared states that are reached after a round.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AfterRound {
    /// The number of rounds so far.
    pub rounds: usize,
    /// How many shared states they reach; `None` if there are too many to count exactly.
    pub shared: Option<u128>,
}

/// An exploration round by round.
pub struct Rounds<'a> {
    /// The variables and diagrams.
    pub space: Space<'a>,
    pub(crate) steps: Steps,
    options: Options,
    /// The analyses of threads, and which of them each thread has.
    analyses: Vec<Thread>,
    of_thread: Vec<usize>,
    /// The interface of each analysis in the present round, and the contexts with which it goes
    /// wrong, if they are known.
    latest: Vec<Option<(Bdd, Bdd)>>,
    /// The interfaces of the threads in each round.
    effects: Vec<Vec<Bdd>>,
    /// The shared states that were reached, as next values.
    reached: Bdd,
    /// The possible first values, as inputs of the first round.
    first: Bdd,
    seen: Vec<AfterRound>,
}

impl<'a> Rounds<'a> {
    /// Prepares for at most `rounds` rounds.
    pub fn new(
        lowering: &'a Lowering,
        rounds: usize,
        options: Options,
        budget: &Budget,
    ) -> Result<Self> {
        Self::focused(lowering, rounds, options, &Focus::all(lowering), budget)
    }

    /// Prepares with a layout of the shared variables, in the place of the one that is chosen by
    /// their number.
    pub fn with_layout(
        lowering: &'a Lowering,
        rounds: usize,
        options: Options,
        layout: Layout,
        budget: &Budget,
    ) -> Result<Self> {
        let space = Space::new(
            lowering,
            rounds,
            layout,
            Focus::all(lowering).seen(),
            Limits(budget.clone()),
        )?;
        Self::prepare(space, options, None, budget)
    }

    /// Prepares with some shared variables hidden: what is found may not have happened, but
    /// what is not found has not.
    pub fn focused(
        lowering: &'a Lowering,
        rounds: usize,
        options: Options,
        focus: &Focus,
        budget: &Budget,
    ) -> Result<Self> {
        let space = Self::space(lowering, rounds, focus, budget)?;
        Self::prepare(space, options, None, budget)
    }

    /// Prepares for threads that are interrupted at certain places only, by thread and round: what
    /// is found has happened.
    pub fn guided(
        lowering: &'a Lowering,
        places: &[Vec<Loc>],
        options: Options,
        budget: &Budget,
    ) -> Result<Self> {
        let rounds = places.iter().map(Vec::len).max().unwrap_or(0);
        let space = Self::space(lowering, rounds, &Focus::all(lowering), budget)?;
        Self::prepare(space, options, Some(places), budget)
    }

    fn space(
        lowering: &'a Lowering,
        rounds: usize,
        focus: &Focus,
        budget: &Budget,
    ) -> Result<Space<'a>> {
        let layout = Layout::for_bits(focus.bits(lowering), rounds);
        Space::new(lowering, rounds, layout, focus.seen(), Limits(budget.clone()))
    }

    fn prepare(
        mut space: Space<'a>,
        options: Options,
        places: Option<&[Vec<Loc>]>,
        budget: &Budget,
    ) -> Result<Self> {
        let (lowering, rounds) = (space.lowering, space.rounds);
        // In the first round there are no contexts before to remember.
        let history = options.guesses == Guesses::Lazy && rounds > 1;
        if rounds == 1 && options.calls == Calls::Lazy {
            space.touched = touched::find(lowering, budget)?;
        }
        let mut analyses = Vec::new();
        let mut of_thread = Vec::new();
        let mut known: FxHashMap<(ThreadStart, Option<Vec<Loc>>), usize> = FxHashMap::default();
        for thread in 0..lowering.thread_count() {
            let start = lowering.start_of(thread);
            let next = analyses.len();
            let places = places.map(|places| places[thread].clone());
            let analysis = *known.entry((start.clone(), places.clone())).or_insert(next);
            if analysis == next {
                let thread = Thread::new(&space, start, history, options.calls);
                analyses.push(match places {
                    Some(places) => thread.stopping_at(places),
                    None => thread,
                });
            }
            of_thread.push(analysis);
        }
        let reached = space.initial(Shared::Next(0))?;
        let mut rounds = Rounds {
            space,
            steps: Steps::default(),
            options,
            latest: vec![None; analyses.len()],
            analyses,
            of_thread,
            effects: Vec::new(),
            reached,
            first: Bdd::TRUE,
            seen: Vec::new(),
        };
        rounds.observe();
        Ok(rounds)
    }

    /// Leaves out first values that are known not to matter: a set of inputs of the first round.
    /// For a program with one thread.
    pub(crate) fn begin_with(&mut self, first: Bdd) {
        self.first = first;
    }

    /// The run of a violation that was just found.
    pub fn trace(&mut self, violation: &Violation) -> Result<Trace> {
        match lift(self, violation)? {
            Lifted::Run(trace) => Ok(trace),
            Lifted::Broken { .. } => Err(lost()),
        }
    }

    /// Lifts a violation where shared variables may be hidden.
    pub fn lift(&mut self, violation: &Violation) -> Result<Lifted> {
        lift(self, violation)
    }

    /// The values with which a thread reaches each place, in the last round that was completed.
    /// With eager guesses that is for all inputs, whether they occur or not; a program with one
    /// thread has no other inputs than its first values.
    pub fn reachable(&mut self, thread: usize) -> Result<BTreeMap<Loc, Bdd>> {
        let Some(round) = self.effects.len().checked_sub(1) else { return Ok(BTreeMap::new()) };
        let inputs = match thread {
            0 => self.space.initial(Shared::In(0))?,
            _ => Bdd::TRUE,
        };
        self.analyses[self.of_thread[thread]].reachable(&mut self.space, round, inputs)
    }

    /// The observations after each round, from round 0 on.
    #[must_use]
    pub fn seen(&self) -> &[AfterRound] {
        &self.seen
    }

    /// The shared states that were reached, as next values.
    #[must_use]
    pub fn reached(&self) -> Bdd {
        self.reached
    }

    /// One more round. The first thread that goes wrong, if there is one.
    pub fn advance(&mut self) -> Result<Option<Violation>> {
        let round = self.effects.len();
        let suffixes = self.suffixes(round)?;
        self.latest.fill(None);
        if self.options.guesses == Guesses::Eager {
            for analysis in 0..self.analyses.len() {
                self.summarise(analysis, round, Bdd::TRUE, &suffixes)?;
            }
        }
        let mut prefix = chain::no_prefix(&mut self.space, round)?;
        self.effects.push(Vec::new());
        for thread in 0..self.of_thread.len() {
            let suffix = suffixes.get(thread).copied();
            let analysis = self.of_thread[thread];
            let mut inputs = None;
            if self.options.guesses != Guesses::Eager {
                let occurring = self.inputs(round, prefix, suffix)?;
                let begins = match self.options.guesses {
                    Guesses::Near => chain::near(&mut self.space, round, occurring)?,
                    _ => occurring,
                };
                let mut keep = suffixes.clone();
                keep.extend([prefix, occurring]);
                self.summarise(analysis, round, begins, &keep)?;
                inputs = Some(occurring);
            }
            let (effect, wrong) = self.interface(analysis, round)?;
            let turn = Turn { round, thread, prefix, suffix, inputs };
            if let Some(contexts) = self.goes_wrong(&turn, wrong)? {
                return Ok(Some(Violation { rounds: round + 1, thread, contexts }));
            }
            prefix = self.take(&turn, effect)?;
            self.effects[round].push(effect);
        }
        self.observe();
        Ok(None)
    }

    /// How many rounds were completed without a violation.
    #[must_use]
    pub fn completed(&self) -> usize {
        self.seen.len().saturating_sub(1)
    }

    /// How many threads there are.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.of_thread.len()
    }

    /// What a proof about a program with one thread rests on, once a round is completed; `None` if
    /// there is more than one thread, or if it is too large.
    pub(crate) fn certificate(&mut self) -> Result<Option<SummaryCertificate>> {
        if self.of_thread.len() != 1 || self.completed() == 0 {
            return Ok(None);
        }
        let found: Vec<_> = self.analyses[0].relations().filter(|(loc, ..)| *loc != END).collect();
        let mut relations = Vec::with_capacity(found.len());
        for (loc, called, mut relation) in found {
            if let Some(variant) = called {
                // What a procedure does not touch is as it was; a checker need not know about it.
                let space = &mut self.space;
                let old = space.untouched(variant, Shared::Entry(0));
                let now = space.untouched(variant, Shared::Out(0));
                let same = space.same(&old, &now)?;
                relation = space.bdds.and(relation, same)?;
            }
            relations.push((loc, called.is_some(), relation));
        }
        selvedge_evidence::summaries::write(&mut self.space, relations)
    }

    /// How many places of the program some thread can be at, if its inputs are as they were taken.
    #[must_use]
    pub fn places(&self) -> usize {
        let mut places: Vec<_> = self.analyses.iter().flat_map(Thread::places).collect();
        places.sort_unstable();
        places.dedup();
        places.len()
    }

    /// The interfaces of the threads in a round.
    pub(crate) fn effects(&self, round: usize) -> &[Bdd] {
        &self.effects[round]
    }

    /// All diagrams that are kept.
    pub(crate) fn diagrams(&self) -> Vec<Bdd> {
        let mut all: Vec<Bdd> = self.analyses.iter().flat_map(Thread::diagrams).collect();
        all.extend(self.effects.iter().flatten());
        all.extend(self.latest.iter().flatten().flat_map(|&(effect, wrong)| [effect, wrong]));
        all.extend([self.reached, self.first]);
        all
    }

    /// The interface of an analysis in the present round, and the contexts with which it goes
    /// wrong.
    fn interface(&mut self, analysis: usize, round: usize) -> Result<(Bdd, Bdd)> {
        if let Some(known) = self.latest[analysis] {
            return Ok(known);
        }
        let thread = &self.analyses[analysis];
        let effect = thread.effect(&mut self.space, round)?;
        let wrong = thread.wrong(&mut self.space, round)?;
        Ok(*self.latest[analysis].insert((effect, wrong)))
    }

    fn summarise(
        &mut self,
        analysis: usize,
        round: usize,
        inputs: Bdd,
        keep: &[Bdd],
    ) -> Result<()> {
        let mut roots = self.diagrams();
        roots.extend(keep);
        let thread = &mut self.analyses[analysis];
        thread.enter(&mut self.space, round, inputs)?;
        if thread.has_work() {
            thread.saturate(&mut self.space, &mut self.steps, &roots)?;
            self.latest[analysis] = None;
        }
        Ok(())
    }

    fn observe(&mut self) {
        let bits = self.space.shared(Shared::Next(0)).len();
        let shared = self.space.bdds.sat_count_exact(self.reached, bits);
        self.seen.push(AfterRound { rounds: self.seen.len(), shared });
    }
}
