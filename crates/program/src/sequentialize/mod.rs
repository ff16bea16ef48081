//! # Sequentialization
//!
//! **Question.** Can a concurrent program go wrong within K rounds, asked of a program with one
//! thread? A round is one context of each thread, in their order; a thread may do nothing in it.
//!
//! **Idea.** Run the threads one after the other, each through all of its rounds. What the threads
//! after it do to a shared variable between two rounds is not known yet: it is guessed. So there
//! is a copy of each shared variable for each round, `x[0]` to `x[K-1]`, and the thread that runs
//! uses the copies of its round, `x[k]`. Now and then it goes on to a later round (`k` grows), or
//! stops for good. When all threads have run, `x[i]` is what round i ends with, and has to be what
//! round i + 1 was guessed to begin with, `x_guess[i]`. Runs with other guesses are dropped; in the
//! others, nothing must have failed.
//!
//! **Claim** [Lal, Reps 2008, Section 2, Fig. 1; Thm. 1 for pushdown systems]. The result goes wrong
//! exactly if the program goes wrong in a schedule that fits into K rounds. Three things are more
//! than in Fig. 1:
//!
//! - A thread that fails sets `failed` and stops, whatever it is that went wrong: the ways to do so
//!   are made explicit before. That the program went wrong is said at the end, once
//!   the guesses are confirmed. Only the first failure, in the order of rounds and threads,
//!   is one of the original, and that is enough.
//! - Stopping is a return from all unfinished calls: `stopped` is tested after each call. (In Fig. 1
//!   it is a jump out of the thread.)
//! - `k` grows, and the thread may stop, only before a step that looks at a variable that threads
//!   write, that may wait, or that may be part of a loop or recursion. Steps before it that use
//!   nothing but locals can as well be taken in the round before; they end, and nobody sees them.
//!
//! Copies are arrays: a statement stays one statement, `x[k] := y[k] + 1`, whatever K is, where Fig. 1
//! has K statements and a test of `k`. Variables that no statement writes are not copied. With one
//! round, nothing is.
//!
//! **Needs.** Threads that are there from the start, and shared variables whose values can be
//! guessed: no unbounded integers, unless K = 1.
//!
//! **Otherwise.** [`NotSequential`], with the place.

mod body;
mod driver;
mod lasso;
mod lift;
pub(crate) mod marks;
mod refuse;
mod shared;

use std::fmt;
use std::sync::Arc;

use selvedge_model::{Budget, Endless, Fairness, Patience, System};

use crate::print::NotBoolean;
use crate::{
    GlobalId, LowerError, Lowering, Program, Source, Span, ThreadCounts, booleans, explicit, flow,
};
pub use lasso::Bounds;
use lasso::Lasso;
use lift::Meaning;
pub use lift::{LiftError, LiftedStep};
use marks::Mark;

/// A program with one thread that does what a concurrent one does in a number of rounds.
#[derive(Clone, Debug)]
pub struct Sequential {
    /// The program.
    pub program: Program,
    names: shared::OwnNames,
    rounds: u32,
    /// Whether locks know who holds them.
    owners: bool,
    /// The variable that is the round of the running thread.
    round: Option<GlobalId>,
    /// The variable that says that the running thread is left for good.
    stopped: GlobalId,
    /// What each edge of the flow graph means for the original.
    meanings: Vec<Meaning>,
    /// For each edge of the flow graph of the original, the step that it is.
    first_steps: Vec<Mark>,
    /// Where the values of the variables of the original are; see [`shared::Shared::slots`].
    slots: Vec<(usize, usize, bool)>,
    /// Where the guesses about them are; see [`shared::Shared::guess_slots`].
    guess_slots: Vec<Option<usize>>,
    /// For a livelock: the rounds, and the variable that is the round of the keyframe.
    lasso: Option<(Bounds, Option<GlobalId>)>,
}

impl Sequential {
    /// The program with bits in the place of numbers; see [`crate::to_booleans`]. Nothing in it goes
    /// wrong but its assertion, so no other ones are needed.
    pub fn to_booleans(&self) -> Result<Program, NotBoolean> {
        booleans::encode(&self.program, false)
    }

    /// Where a round is guessed to end: pairs of a slot of the shared variables of the original and
    /// the slot of the guess about it. Rounds are counted from 0; there is no guess about the last.
    #[must_use]
    pub fn guesses(&self, round: u32) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        let mut slot = 0;
        for (&(_, count, _), guess) in self.slots.iter().zip(&self.guess_slots) {
            let first = guess.map(|guess| guess + round as usize * count);
            pairs.extend((0..count).filter_map(|i| Some((slot + i, first? + i))));
            slot += count;
        }
        pairs
    }

    /// How many rounds there are.
    #[must_use]
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// What the text of the program is and how it is read, as comments for its beginning.
    #[must_use]
    pub fn header(&self, file: &str) -> String {
        let count = |n: u32| format!("{n} round{}", if n == 1 { "" } else { "s" });
        let rounds = count(self.rounds);
        let mut lines = vec![
            format!("{file} in {rounds}, as a program with one thread."),
            "The threads run one after the other, each through all of its rounds.".to_owned(),
        ];
        if let Some((bounds, _)) = self.lasso {
            let last = count(bounds.lasso);
            let last = if bounds.lasso == 1 {
                "last round is".to_owned()
            } else {
                format!("last {last} are")
            };
            lines[0] =
                format!("An endless run of {file} in {rounds}, as a program with one thread.");
            lines.push(format!("The {last} repeated for ever."));
        } else {
            lines.push("It goes wrong exactly if the program goes wrong in so many rounds. Deadlocks do not count:".to_owned());
            lines.push(
                "a run in which threads wait for each other for ever does not go wrong here."
                    .to_owned(),
            );
        }
        if let Some(round) = &self.names.round {
            lines.push(format!(
                "x[i] is the copy of x for round i, counted from 0; {round} is the round of the"
            ));
            lines.push("running thread. x_guess[i] is what round i is guessed to end with, and round i + 1".to_owned());
            lines.push("begins with; the guesses are confirmed at the end.".to_owned());
        }
        let failed = self.names.failed.as_ref();
        let failed = failed.map_or(String::new(), |f| format!(" {f}: a thread has gone wrong."));
        let stopped = &self.names.stopped;
        lines.push(format!("{stopped}: the running thread is left for good.{failed}"));
        match (&self.names.me, self.owners) {
            (Some(me), true) => lines.push(format!("A lock is 0, or the number of the thread that holds it; {me} is the number of the running one.")),
            (Some(me), false) => lines.push(format!("{me} is the number of the running thread.")),
            (None, _) => {}
        }
        lines.extend(self.names.lasso.iter().cloned());
        lines.iter().map(|line| format!("// {line}\n")).collect()
    }
}

/// Why a program cannot be sequentialized.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotSequential {
    /// The program has no threads to run one after the other.
    Threads(LowerError),
    /// Something in the text stands against it.
    At {
        /// What cannot be sequentialized, in words.
        message: String,
        /// The place in the text.
        span: Span,
    },
}

impl NotSequential {
    fn at(span: Span, message: impl Into<String>) -> Self {
        NotSequential::At { message: message.into(), span }
    }
}

impl fmt::Display for NotSequential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotSequential::Threads(error) => error.fmt(f),
            NotSequential::At { message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for NotSequential {}

impl From<LowerError> for NotSequential {
    fn from(error: LowerError) -> Self {
        match error {
            LowerError::At { message, span } => NotSequential::At { message, span },
            other => NotSequential::Threads(other),
        }
    }
}

/// The program with one thread that goes wrong exactly if this one does within `rounds` rounds.
pub fn sequentialize(
    program: &Program,
    counts: &ThreadCounts,
    rounds: u32,
) -> Result<Sequential, NotSequential> {
    if rounds == 0 {
        return Err(NotSequential::at(
            Span::default(),
            "there is no run in 0 rounds: give 1 or more",
        ));
    }
    transform(program, counts, rounds, None, &Budget::default())
}

/// The program with one thread that goes wrong exactly if this one has an endless run, of the kind
/// that is meant, within so many rounds. See `lasso`.
pub fn livelock(
    program: &Program,
    counts: &ThreadCounts,
    bounds: Bounds,
    endless: Endless,
) -> Result<Sequential, NotSequential> {
    livelock_within(program, counts, bounds, endless, &Budget::default())
}

/// The program with one thread that goes wrong exactly if this one has an endless run, unless the budget ends before it
/// is made.
pub fn livelock_within(
    program: &Program,
    counts: &ThreadCounts,
    bounds: Bounds,
    endless: Endless,
    budget: &Budget,
) -> Result<Sequential, NotSequential> {
    if bounds.lasso == 0 {
        return Err(NotSequential::at(
            Span::default(),
            "the lasso has at least one round: give 1 or more",
        ));
    }
    let stem = bounds.with_stem().stem;
    let rounds = bounds.lasso.checked_mul(2).and_then(|n| n.checked_add(stem));
    let rounds = rounds.and_then(|n| n.checked_sub(1)).filter(|n| *n < MOST_ROUNDS);
    let too_many = || NotSequential::at(Span::default(), "there are too many rounds");
    transform(program, counts, rounds.ok_or_else(too_many)?, Some((bounds, endless)), budget)
}

/// The most rounds; copies for more would not fit.
const MOST_ROUNDS: u32 = 1 << 16;

fn transform(
    program: &Program,
    counts: &ThreadCounts,
    rounds: u32,
    endless: Option<(Bounds, Endless)>,
    budget: &Budget,
) -> Result<Sequential, NotSequential> {
    let patience = Patience::new(budget);
    let is_whole = || patience.end().map_err(|stop| NotSequential::Threads(stop.into()));
    let (program, source) = (Arc::new(program.clone()), Arc::new(Source::default()));
    let lowering = Lowering::within(program, source, counts, false, budget)?;
    let program = lowering.program();
    refuse::refuse(program, rounds)?;
    let too_long = || NotSequential::at(Span::default(), "the program is too long");
    let (numbered, spans) = marks::number(program).ok_or_else(too_long)?;
    let flow = flow::build_within(&numbered, &patience);
    is_whole()?;
    let flow = flow.map_err(|e| NotSequential::at(marks::place(&spans, e.span), e.message))?;
    let options = explicit::Options {
        check: |span| Mark::Check(Mark::of(span).number()).span(),
        silent: body::silent,
        alone: true,
        choices_first: false,
        checks: true,
    };
    let checked = explicit::explicit(&numbered, options).map_err(|e| {
        NotSequential::at(e.span, format!("{} cannot be sequentialized", e.message))
    })?;
    if endless.is_some_and(|(_, endless)| endless.fairness != Fairness::None) {
        refuse::fair_choices_made_early(&checked)?;
    }
    is_whole()?;
    let threads = driver::threads(program, lowering.threads());
    let inside = driver::inside_sections(&checked, &flow);
    let lasso =
        endless.map(|(bounds, endless)| Lasso::new(bounds, endless, &checked, &inside, &threads));
    let shared = shared::Shared::new(&checked, rounds, &flow, threads.len(), lasso);
    let (names, (round, stopped)) = (shared.own_names(), shared.own_ids());
    let (owners, slots) = (shared.owners, shared.slots());
    let guess_slots = shared.guess_slots();
    let lasso = shared.lasso.as_ref().map(|lasso| (lasso.bounds, lasso.keyframe_round()));
    is_whole()?;
    let mut result = driver::drive(&checked, &flow, shared, &threads, &inside);
    let made = flow::build_within(&result, &patience);
    is_whole()?;
    let made = made.map_err(|e| NotSequential::at(Span::default(), e.message))?;
    let meanings = made.edges.iter().map(Meaning::of).collect();
    marks::restore(&mut result, &spans);
    Ok(Sequential {
        program: result,
        names,
        rounds,
        owners,
        round,
        stopped,
        meanings,
        first_steps: lift::first_steps(&flow),
        slots,
        guess_slots,
        lasso,
    })
}
