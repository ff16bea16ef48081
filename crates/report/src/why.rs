//! # Why the last step goes wrong
//!
//! **Question.** A schedule ends with a condition that does not hold, or in a deadlock. Where do the values come from that it reads, or that threads wait at?
//!
//! **Idea.** From the last statement backward: who wrote what it reads, what did that statement read, and so on, until the value comes from
//! another thread, or has been there from the start. Values come before the indices and conditions that were read with them. A value that
//! another thread changes after it was read, and before what was made of it is used, is told with that change: it is *stale*, as in a lost update.
//! Every read and every write is one that the run made ([`Deed`]).
//!
//! **Claim.** Each link is the last write before the read, each change the last one before the use. Where a statement of the run cannot be told, no
//! link goes past it.
//!
//! A thread that waited under an `if` is told if its test would have come out the same way when it went on.
//!
//! **Otherwise.** If no value comes from another thread, the last thing that the thread read from another one is told: that is why it went
//! this way. If there is nothing of that either and no value is stale, it is the last condition of the thread that another one has changed since then.

mod access;
mod came_back;
mod chain;
mod earlier;
mod guarded;
pub(crate) mod held;
mod origin;
mod stale;
mod untested;
mod waiting;
mod words;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use selvedge_evidence::{Trace, thread_name};
use selvedge_model::{
    Action, Cell, Datum, Deed, Property, SharedId, State, SymbolId, System, ThreadId, advance,
};

use crate::holders::Holders;

/// The most values to show of what a condition read: the last ones.
const MOST_VALUES: usize = 4;

/// What other threads did is told so far back: one read a value, and used it when it was another one.
const MOST_LINKS_BEHIND: usize = 8;

/// The most writes to look for behind each value that is shown, so that a value with a long past leaves time for others.
const MOST_LOOKS: usize = 64;

/// Runs with more steps are not looked at.
const MOST_STEPS: usize = 50_000;

/// An explanation in words, and the steps that it is about.
#[derive(Default)]
pub struct Why {
    /// A line for each value that is explained.
    pub lines: Vec<String>,
    /// The steps that the lines name, by their places in the run.
    pub steps: BTreeSet<usize>,
}

/// Where the values come from that the last step of a run reads if it goes wrong, and in a deadlock those that threads wait at; nothing where that is not known.
#[must_use]
pub fn why(system: &dyn System, broken: Option<&Property>, trace: &Trace) -> Why {
    if trace.steps.len() > MOST_STEPS {
        return Why::default();
    }
    let mut run = Run::new(system, trace);
    let lines = match (run.is_wrong, broken) {
        (true, _) => run.explain().unwrap_or_default(),
        (false, Some(Property::NoDeadlock(_))) => {
            let mut lines = run.kept();
            lines.extend(run.explain_waiting());
            lines
        }
        (false, _) => Vec::new(),
    };
    Why { lines, steps: run.named.into_inner() }
}

/// A step of the run, and the head that it was taken at.
struct At {
    thread: ThreadId,
    name: String,
    shared: SharedId,
    top: Option<SymbolId>,
    /// How many frames the stack has before it.
    depth: usize,
    /// How many threads there are before it.
    threads: usize,
    action: Action,
}

/// A statement of the run: the number of the step, and which of its statements.
type Moment = (usize, usize);

/// A value in the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Where {
    Shared(usize),
    Frame {
        thread: ThreadId,
        depth: usize,
        slot: usize,
    },
    /// On its way from a procedure to its caller.
    Result(ThreadId),
    /// Chosen freely when it was read: it had any value before.
    Chosen,
}

/// Something that is read: where it is, its name and its value.
#[derive(Clone)]
struct Read {
    place: Where,
    value: Datum,
    /// Where the value was chosen, if it was open.
    open: Option<Where>,
    /// None for a result on its way and for values on the way in programs of other languages, which have no names.
    told: Option<String>,
}

struct Run<'a> {
    system: &'a dyn System,
    steps: Vec<At>,
    holders: Holders,
    known: BTreeMap<usize, Vec<Deed>>,
    /// The steps that were named so far.
    named: RefCell<BTreeSet<usize>>,
    /// The state at the start.
    first: State,
    /// The state at the end.
    last: State,
    is_wrong: bool,
    /// Whether the program was C, where memory that was not written holds anything.
    is_c: bool,
    looks: usize,
}

impl<'a> Run<'a> {
    fn new(system: &'a dyn System, trace: &Trace) -> Self {
        let mut state = trace.initial.clone();
        let mut steps = Vec::with_capacity(trace.steps.len());
        for &(thread, action) in &trace.steps {
            let stack = &state.threads[thread.index()].stack;
            steps.push(At {
                thread,
                name: thread_name(system, &state, thread),
                shared: state.shared,
                top: stack.top(),
                depth: stack.0.len(),
                threads: state.threads.len(),
                action,
            });
            advance(&mut state, thread, action);
        }
        let is_wrong = system.wrong(state.shared).is_some();
        let (holders, known, named) = (Holders::new(system), BTreeMap::new(), RefCell::default());
        let is_c = system.describe().tells_statements();
        let (first, last) = (trace.initial.clone(), state);
        Run { system, steps, holders, known, named, first, last, is_wrong, is_c, looks: 0 }
    }

    fn deeds(&mut self, step: usize) -> &[Deed] {
        let (system, steps) = (self.system, &self.steps);
        self.known.entry(step).or_insert_with(|| {
            let at = &steps[step];
            at.top.map_or_else(Vec::new, |top| system.describe().deeds(at.shared, top, &at.action))
        })
    }

    fn explain(&mut self) -> Option<Vec<String>> {
        let last = self.steps.len().checked_sub(1)?;
        let moment = (last, self.deeds(last).len().checked_sub(1)?);
        let me = self.steps[last].thread;
        let mut lines = Vec::new();
        if let Some(line) = self.race(moment) {
            return Some(vec![line]);
        }
        let (mut concerns_another, mut is_stale) = (false, false);
        // Where the steps are that say why: the last one, and those of other threads with which chains end.
        let mut ends = vec![moment];
        let mut came_back = Vec::new();
        for read in self.decisive_reads(moment)? {
            let chain = self.chain(read, moment, me);
            let mut told = self.links(&chain, Some(me));
            is_stale |= chain.links.iter().any(|link| link.changed.is_some());
            came_back.extend(self.found_again(&chain, me));
            if let Some((written, to)) = chain.written_there {
                ends.push(written);
                if let Some(stale) = self.stale_behind(written, to) {
                    told.extend(self.links(&stale, None));
                    came_back.extend(self.found_again(&stale, me));
                    is_stale = true;
                } else if let Some(last) = told.last_mut()
                    && let Some(test) = self.led_to(written, to)
                {
                    *last += &test;
                }
            }
            if !told.is_empty() {
                concerns_another |= chain.concerns_another;
                lines.push(told.join(", where "));
            }
            if chain.concerns_another
                && !is_stale
                && let Some(index) = self.stale_index(&chain, me)
            {
                lines.push(self.links(&index, Some(me)).join(", where "));
                came_back.extend(self.found_again(&index, me));
                is_stale = true;
            }
        }
        if !concerns_another {
            lines.extend(self.unwritten(moment));
        }
        if came_back.is_empty() && !is_stale {
            came_back.extend(self.came_back_before(moment));
        }
        lines.extend(came_back);
        let untested: Vec<String> = ends.into_iter().filter_map(|end| self.untested(end)).collect();
        if untested.is_empty() {
            let way_here = if concerns_another { None } else { self.way_here(moment) };
            let is_told = is_stale || way_here.is_some();
            let test = if is_told { None } else { self.no_longer_true(moment) };
            lines.extend(way_here.or(test));
        }
        lines.extend(untested);
        let mut told = BTreeSet::new();
        lines.retain(|line| told.insert(line.clone()));
        Some(lines)
    }

    /// What a condition reads that does not hold; of many values those that were read last. It is read from left to right, up to the part that
    /// fails: element after element under a `forall`.
    fn decisive_reads(&mut self, moment: Moment) -> Option<Vec<Read>> {
        let mut reads = self.reads(moment)?;
        if reads.len() <= MOST_VALUES {
            return Some(reads);
        }
        let (thread, depth) = (self.steps[moment.0].thread, self.steps[moment.0].depth);
        let mut last: Vec<Where> = Vec::new();
        for &cell in self.deeds(moment.0).get(moment.1)?.order.iter().rev() {
            let place = place(cell, thread, depth);
            if last.len() < MOST_VALUES && !last.contains(&place) {
                last.push(place);
            }
        }
        let is_variable = |place| matches!(place, Where::Shared(_) | Where::Frame { .. });
        reads.retain(|read| !is_variable(read.place) || last.contains(&read.place));
        reads.drain(..reads.len().saturating_sub(MOST_VALUES));
        Some(reads)
    }
}

/// Where a cell of a statement is, in the run.
fn place(cell: Cell, thread: ThreadId, depth: usize) -> Where {
    match cell {
        Cell::Shared(slot) => Where::Shared(slot),
        Cell::Own { frame, slot } => Where::Frame { thread, depth: depth + frame, slot },
    }
}
