//! # Livelocks in rounds
//!
//! **Question.** Has a program an endless run, as fair as it is asked for, in which a stem of rounds
//! is followed by rounds that repeat themselves?
//!
//! **Idea.** A program with one thread goes wrong exactly if there is one
//! ([`selvedge_program::sequentialize::livelock`]); its summaries say whether it does. A run that
//! goes wrong is taken apart into the steps of the original; the original follows them with the one
//! step function, and `recheck` says whether they can be repeated for ever.
//!
//! **Claim** [Atig, Bouajjani, Emmi, Lal 2012, Lemma 5]. Exact for the rounds that are asked for, but for
//! threads that wait where no condition says so. Each thread is looked at by itself, so that the cost
//! is no product over threads.
//!
//! **Needs.** Threads that are there from the start, and types with finitely many values.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use selvedge_analysis::engine::{Candidate, FAVOURED, Reply, Turn, in_turns};
use selvedge_analysis::{Budget, Stop, fair};
use selvedge_bdd::Bdd;
use selvedge_evidence::{Evidence, Lasso, Trace, recheck, replay};
use selvedge_model::{Action, Endless, FairChoice, Fault, SharedId, State, System, ThreadId, step};
use selvedge_program::sequentialize::{LiftedStep, NotSequential, Sequential, livelock_within};
use selvedge_program::{LowerError, Lowering, Source, ThreadCounts, Value};

use crate::Result;
use crate::rounds::{Guesses, Options, Rounds};
use selvedge_evidence::relations::{Scalar, Shared, Space};

pub use selvedge_program::sequentialize::Bounds;

/// A question about endless runs of a program in rounds.
#[derive(Clone, Copy)]
pub struct LivelockQuestion<'a> {
    /// The program, with values chosen at once and no thread dropped.
    pub program: &'a Lowering,
    /// The numbers of threads that were given.
    pub counts: &'a ThreadCounts,
    /// Which endless runs are meant.
    pub endless: Endless,
}

/// Diagrams that need more bytes than this are given up for once.
const SMALL: usize = 256 << 20;

/// More states than this are not listed to know what can be guessed.
const MOST_STATES: usize = 1 << 19;

/// A lasso within so many rounds; none if there is none.
///
/// The sequential program guesses any values of the shared variables at the end of a round. Where that
/// is too much, it guesses those that occur at all, if they can be listed.
pub fn find(
    asked: &LivelockQuestion<'_>,
    bounds: Bounds,
    budget: &Budget,
) -> Result<Option<Lasso>> {
    let program = asked.program.program();
    let made = livelock_within(program, asked.counts, bounds, asked.endless, budget);
    let sequential = made.map_err(|why| refused(asked.program, &why))?;
    let program = Arc::new(sequential.program.clone());
    let source = Arc::new(Source::default());
    let lowered = Lowering::within(program, source, &ThreadCounts::new(), false, budget);
    let lowered = lowered.map_err(|why| match why {
        LowerError::Stopped(stop) => stop,
        why => fault(why.to_string()),
    })?;
    let attempt = |guessed: Option<&[SharedId]>, budget: &Budget| {
        // One thread has one round, and no contexts before to remember.
        let options = Options { guesses: Guesses::Near, ..Options::default() };
        let mut rounds = Rounds::new(&lowered, 1, options, budget)?;
        if let Some(guessed) = guessed {
            let first = guesses(asked.program, &sequential, guessed, &mut rounds.space)?;
            rounds.begin_with(first);
        }
        let Some(violation) = rounds.advance()? else { return Ok(None) };
        let trace = rounds.trace(&violation)?;
        lift(&sequential, &lowered, &trace).map(Some)
    };
    let limit = budget.memory.map_or(SMALL, |most| most.min(SMALL));
    let small = Budget { memory: Some(limit), ..budget.clone() };
    let steps = match attempt(None, &small) {
        Err(Stop::Memory) if budget.memory.is_none_or(|most| most > SMALL) => {
            let occur = shared_states(asked.program, budget)?;
            attempt(occur.as_deref(), budget)?
        }
        known => known?,
    };
    steps.map(|steps| follow(asked, &sequential, &steps, budget)).transpose()
}

/// A lasso within so many rounds, from the program with one thread or by listing what the rounds reach
/// ([`fair::within`]), whoever comes to it first when they take turns: the first one does not
/// multiply the threads, the second one looks at nothing that does not occur.
pub fn find_either_way(
    asked: &LivelockQuestion<'_>,
    bounds: Bounds,
    budget: &Budget,
) -> Result<Option<Lasso>> {
    let by_states = |budget: &Budget| {
        let rounds =
            fair::Rounds { stem: bounds.stem_rounds() as usize, lasso: bounds.lasso as usize };
        match fair::within(asked.program, rounds, asked.endless, budget) {
            Ok(fair::Within::Lasso(lasso)) => Some(WithinRounds(Ok(Some(lasso)))),
            Ok(fair::Within::None) => Some(WithinRounds(Ok(None))),
            Ok(fair::Within::Refused) | Err(_) => None,
        }
    };
    // In the translation, steps on locals alone may come before a period that begins at once.
    if bounds.stem == 0
        && let Some(found) = by_states(budget)
    {
        return found.0;
    }
    let few = asked.program.threads().len() <= FEW_THREADS;
    let shares = if few { (1, FAVOURED) } else { (FAVOURED, 1) };
    let candidates = vec![
        Candidate::new(shares.0, |budget, _| Some(WithinRounds(find(asked, bounds, budget)))),
        Candidate::new(shares.1, |budget, _| by_states(budget)),
    ];
    in_turns(candidates, budget).unwrap_or(WithinRounds(Err(Stop::Cancelled))).0
}

/// With at most this many threads, the states of a few rounds can be listed.
const FEW_THREADS: usize = 3;

/// With so many threads there are mostly more states than an exact search lists in the time that rounds take.
const MANY_THREADS: usize = 6;

/// The result of a search within some rounds.
struct WithinRounds(Result<Option<Lasso>>);

impl Reply for WithinRounds {
    fn is_answer(&self) -> bool {
        self.0.is_ok()
    }
}

/// The shared states that are reachable; `None` if there are too many states to look at.
fn shared_states(system: &Lowering, budget: &Budget) -> Result<Option<Vec<SharedId>>> {
    let mut states: FxHashSet<State> = FxHashSet::default();
    let mut work = system.initial()?;
    states.extend(work.iter().cloned());
    while let Some(state) = work.pop() {
        budget.check()?;
        for thread in state.thread_ids() {
            for (_, next) in step(system, &state, thread)? {
                if states.insert(next.clone()) {
                    work.push(next);
                }
            }
        }
        if states.len() > MOST_STATES {
            return Ok(None);
        }
    }
    let shared: BTreeSet<SharedId> = states.into_iter().map(|state| state.shared).collect();
    // While a result is on its way, no other thread acts.
    let ends = |shared: &SharedId| {
        system.results_of(*shared).is_empty() && system.wrong(*shared).is_none()
    };
    Ok(Some(shared.into_iter().filter(ends).collect()))
}

/// Requires that all guesses are among these shared states.
fn guesses(
    original: &Lowering,
    sequential: &Sequential,
    states: &[SharedId],
    space: &mut Space<'_>,
) -> Result<Bdd> {
    let mut all = Bdd::TRUE;
    for round in 0..sequential.rounds() - 1 {
        let pairs = sequential.guesses(round);
        let mut sets = Vec::with_capacity(states.len());
        for &state in states {
            let values = original.values_of(state);
            let mut literals = Vec::new();
            for &(slot, guess) in &pairs {
                let place = Scalar::Shared(guess, Shared::In(0));
                literals.extend(space.literals(place, &values[slot]).unwrap_or_default());
            }
            literals.sort_unstable();
            sets.push(space.bdds.cube_of(&literals)?);
        }
        // In pairs, so that large ones meet large ones.
        while sets.len() > 1 {
            let pairs = sets.chunks(2).map(|pair| match *pair {
                [a, b] => space.bdds.or(a, b),
                _ => Ok(pair[0]),
            });
            sets = pairs.collect::<Result<_>>()?;
        }
        all = space.bdds.and(all, sets.pop().unwrap_or(Bdd::FALSE))?;
    }
    Ok(all)
}

/// Looks for a lasso within some bounds, or within growing ones, which need not come to an end.
pub fn search(
    asked: &LivelockQuestion<'_>,
    bounds: Option<Bounds>,
    budget: &Budget,
    tell: fair::Listener<'_>,
) -> fair::Outcome {
    search_by(find_either_way, asked, bounds, budget, tell)
}

/// A way to find a lasso within some bounds.
type Finds = fn(&LivelockQuestion<'_>, Bounds, &Budget) -> Result<Option<Lasso>>;

fn search_by(
    finds: Finds,
    asked: &LivelockQuestion<'_>,
    bounds: Option<Bounds>,
    budget: &Budget,
    tell: fair::Listener<'_>,
) -> fair::Outcome {
    let outcome =
        |verdict, evidence| fair::Outcome { verdict, engine: ENGINE, states: None, evidence };
    let shown =
        |bounds: Bounds| fair::Rounds { stem: bounds.stem as usize, lasso: bounds.lasso as usize };
    let tried: Box<dyn Iterator<Item = Bounds>> = match bounds {
        Some(bounds) => Box::new(std::iter::once(bounds)),
        None => Box::new(all_bounds()),
    };
    let mut completed = None;
    for bounds in tried {
        let found = finds(asked, bounds, budget).and_then(|found| {
            let Some(lasso) = found else { return Ok(None) };
            let evidence = Evidence::Lasso(lasso.clone());
            let checked = recheck(asked.program, &[], &evidence);
            let checked = checked.map_err(|refusal| fault(refusal.to_string()))?;
            Ok(Some((fair::Verdict::Nonterminating { lasso, checked }, evidence)))
        });
        match found {
            Ok(Some((verdict, evidence))) => return outcome(verdict, Some(evidence)),
            Ok(None) => {
                completed = Some(shown(bounds));
                tell(fair::Event::Rounds(shown(bounds)));
            }
            Err(stop) => return outcome(fair::Verdict::Unknown { stop, completed }, None),
        }
    }
    match completed {
        Some(rounds) => outcome(fair::Verdict::Bounded(rounds), None),
        None => outcome(fair::Verdict::Unknown { stop: Stop::Timeout, completed }, None),
    }
}

/// What the exact search answers, or growing rounds, whoever comes to it first: they take turns by
/// counted work. While more states wait than were followed, there is no end in sight for the exact
/// search, and rounds have the larger share; with many threads, while not much fewer do: states multiply with threads, and rounds do not.
pub fn search_beside(
    asked: &LivelockQuestion<'_>,
    question: &fair::Question<'_>,
    budget: &Budget,
    tell: fair::Listener<'_>,
) -> fair::Outcome {
    let many = asked.program.threads().len() >= MANY_THREADS;
    let weight = if many { 8 } else { 1 };
    let exact = |budget: &Budget, turn: &Turn| {
        let heard = |event| {
            if let fair::Event::States { found, followed } = event {
                let endless = (found - followed).saturating_mul(weight) > followed;
                turn.give(0, if endless { 1 } else { FAVOURED });
                turn.give(1, if endless { FAVOURED } else { 1 });
            }
            tell(event);
        };
        fair::search(question, budget, &heard)
    };
    // The exact search answers where states can be listed.
    let by_rounds = |budget: &Budget| search_by(find, asked, None, budget, &|_| {});
    let (first, second) = if many { (1, FAVOURED) } else { (FAVOURED, 1) };
    let candidates = vec![
        Candidate::new(first, |budget, turn| Some(exact(budget, turn))),
        Candidate::new(second, |budget, _| Some(by_rounds(budget))),
    ];
    let verdict = fair::Verdict::Unknown { stop: Stop::Cancelled, completed: None };
    let nothing = fair::Outcome { verdict, engine: ENGINE, states: None, evidence: None };
    in_turns(candidates, budget).unwrap_or(nothing)
}

/// The name of the engine.
pub const ENGINE: &str = "lasso-rounds";

/// Bounds to try one after the other, without end: K1 + K2 = 2, 3, …, short periods first.
pub fn all_bounds() -> impl Iterator<Item = Bounds> {
    (2u32..).flat_map(|k| (1..k).map(move |lasso| Bounds { stem: k - lasso, lasso }))
}

fn lift(sequential: &Sequential, lowered: &Lowering, trace: &Trace) -> Result<Vec<LiftedStep>> {
    let states = replay(lowered, trace).map_err(|why| fault(why.to_string()))?;
    let shared = states.iter().map(|state| state.shared);
    let run = shared.zip(trace.steps.iter().map(|(_, action)| action.origin));
    Ok(sequential.lift(lowered, run))
}

/// Follows lifted steps in the original.
fn follow(
    asked: &LivelockQuestion<'_>,
    sequential: &Sequential,
    steps: &[LiftedStep],
    budget: &Budget,
) -> Result<Lasso> {
    let cut = steps.iter().position(|step| step.round > sequential.stem_rounds());
    let (stem, period) = steps.split_at(cut.unwrap_or(steps.len()));
    let follower = Follower { asked, sequential, budget };
    // The period ends as it began.
    let first = period.first().map(|step| step.before.as_slice());
    let mut known = FxHashSet::default();
    for initial in asked.program.initial()? {
        let begins = steps.first().map(|step| step.before.as_slice());
        if !begins.is_none_or(|values| agrees(asked.program, &initial, values)) {
            continue;
        }
        let found = follower.search(
            initial.clone(),
            stem,
            first,
            (&mut known, false),
            &mut |way, state| {
                let trace = Trace { initial: initial.clone(), steps: way.to_vec() };
                let mut within = FxHashSet::default();
                follower.search(state.clone(), period, first, (&mut within, true), &mut |way, _| {
                    let (stem, period) = (trace.clone(), way.to_vec());
                    let lasso = Lasso { stem, period, endless: asked.endless };
                    let evidence = Evidence::Lasso(lasso);
                    match (recheck(asked.program, &[], &evidence), evidence) {
                        (Ok(_), Evidence::Lasso(lasso)) => Ok(Some(lasso)),
                        _ => Ok(None),
                    }
                })
            },
        )?;
        if let Some(lasso) = found {
            return Ok(lasso);
        }
    }
    Err(fault("a lasso that was found cannot be followed: please report this as a bug".to_owned()))
}

struct Follower<'a> {
    asked: &'a LivelockQuestion<'a>,
    sequential: &'a Sequential,
    budget: &'a Budget,
}

type Way = Vec<(ThreadId, Action)>;

/// The fair choices that were made on a way, each once, in rising order.
type Chosen = Vec<(ThreadId, FairChoice)>;

/// Where a way has got to: the state, how many steps it has, and, in a period, what was chosen.
type Visited = FxHashSet<(State, usize, Chosen)>;

impl Follower<'_> {
    /// Tries the ways to take some steps from a state, until one is accepted at its end, where the
    /// shared variables have the last values. Nothing is tried twice from where one has been.
    fn search(
        &self,
        state: State,
        steps: &[LiftedStep],
        last: Option<&[Value]>,
        (seen, is_period): (&mut Visited, bool),
        accept: &mut dyn FnMut(&Way, &State) -> Result<Option<Lasso>>,
    ) -> Result<Option<Lasso>> {
        let original = self.asked.program;
        let mut way: Way = Vec::new();
        let mut open: Vec<(Vec<(Action, State)>, Chosen)> = Vec::new();
        let (mut now, mut chosen) = (state, Chosen::new());
        loop {
            self.budget.check()?;
            let done = way.len();
            let wanted = steps.get(done);
            let expected = wanted.map(|step| step.before.as_slice()).or(last);
            let fits = expected.is_none_or(|values| agrees(original, &now, values))
                && original.wrong(now.shared).is_none();
            let mut ways = Vec::new();
            if fits && seen.insert((now.clone(), done, chosen.clone())) {
                match wanted {
                    Some(step) => ways = self.sequential.ways(original, &now, step)?,
                    None => {
                        if let Some(lasso) = accept(&way, &now)? {
                            return Ok(Some(lasso));
                        }
                    }
                }
            }
            open.push((ways, chosen));
            loop {
                let at = open.len();
                let Some((ways, before)) = open.last_mut() else { return Ok(None) };
                if let Some((action, next)) = ways.pop() {
                    let thread = steps[at - 1].thread;
                    chosen = before.clone();
                    if is_period {
                        let made = original.fair_choices(action.origin);
                        chosen.extend(made.into_iter().map(|choice| (thread, choice)));
                        chosen.sort_unstable();
                        chosen.dedup();
                    }
                    way.truncate(at - 1);
                    way.push((thread, action));
                    now = next;
                    break;
                }
                open.pop();
            }
        }
    }
}

/// Whether the shared variables of a state have these values, as far as they are known.
fn agrees(program: &Lowering, state: &State, values: &[Value]) -> bool {
    let now = program.values_of(state.shared);
    now.iter().zip(values).all(|(now, known)| *known == Value::Open || now == known)
}

fn fault(message: String) -> Stop {
    Stop::Fault(Fault::new(message))
}

/// Why rounds have no answer.
fn refused(program: &Lowering, why: &NotSequential) -> Stop {
    if let NotSequential::Threads(LowerError::Stopped(stop)) = why {
        return stop.clone();
    }
    let line = match why {
        NotSequential::At { span, .. } if span.start != span.end => {
            Some(program.source().line(span.start))
        }
        _ => None,
    };
    Stop::Fault(Fault { line, ..Fault::new(why.to_string()) })
}
