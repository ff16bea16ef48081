//! # Closing
//!
//! **Question.** What is the strongest invariant of a shape over the predicates of a pool, and does it
//! exclude that something goes wrong?
//!
//! **Idea.** Start with what was reached from below. Ask the solver for a step that leaves what is
//! known so far; the view that it leads to is taken in. When no step leaves, the invariant is found.
//! When something goes wrong on the way it would also go wrong at the end, since what is known only
//! gets weaker.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use rustc_hash::FxHashMap;
use selvedge_analysis::{Budget, Stop};
use selvedge_program::Source;
use selvedge_program::flow::Live;
use selvedge_smt::Refusal;
use selvedge_smt::goal::Goal;
use selvedge_smt::invariant::{Invariant, key, orders, subsets};
use selvedge_smt::laws::Law;
use selvedge_smt::layout::{Layout, Standing};
use selvedge_smt::obligation::{Obligation, beyond, inside, outside, place, starts};
use selvedge_smt::solver::{Sat, Solver, SolverError};
use selvedge_smt::term::{Term, Val, Var};

use crate::learn::{Learner, Shape};
use crate::pool::Pool;
use crate::sample::Snapshot;

/// More combinations of places than this are not followed.
const MOST_PLACES: usize = 4000;

/// More clauses or abstract states than this at one combination of places are not followed.
const MOST_SAID: usize = 20_000;

/// What a question to the solver counts for, in moves of an explorer: they take about as long.
const QUESTION: u64 = 1 << 12;

/// Why there is no invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The predicates do not exclude that something goes wrong.
    Obstacle {
        /// What the predicates do not exclude.
        obstacle: String,
        /// The first step on the way there, or elsewhere, to a view that was not reached from below.
        guess: Option<String>,
    },
    /// The program cannot be followed.
    Refused(Refusal),
    /// The solver has no answer.
    Solver(SolverError),
    /// The budget ran out.
    Stopped(Stop),
    /// There are too many clauses or abstract states.
    TooLarge,
    /// Only the predicates of the program are to be used, and it has none.
    NoPredicates,
    /// Alg. 1 of Johnson and Wahl, with its own test for closure, would answer *safe*; that is no proof.
    OnlyPublished {
        /// How many abstract states were reached.
        states: usize,
        /// A step of another thread that leads out of them.
        others: Option<String>,
    },
    /// The test for closure of Johnson and Wahl fails.
    NotClosed {
        /// How many abstract states were reached.
        states: usize,
        /// The step of the thread itself that leads out of them.
        own: String,
    },
    /// The abstract states still grow.
    NoPlateau,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Obstacle { obstacle, guess } => {
                write!(f, "no run is known to get there, but no predicate excludes {obstacle}")?;
                match guess {
                    // What was seen in runs is where all predicates begin.
                    Some(guess) => write!(f, "; what no run was seen to do begins with {guess}"),
                    None => Ok(()),
                }
            }
            Failure::Refused(refusal) => refusal.fmt(f),
            Failure::Solver(error) => error.fmt(f),
            Failure::Stopped(stop) => stop.fmt(f),
            Failure::NoPredicates => f.write_str(
                "only the predicates of the program are to be used, and it declares none: write \
                 `predicate p: …;`, or leave out `--predicates given`",
            ),
            Failure::OnlyPublished { states, others } => {
                write!(
                    f,
                    "the {states} abstract states are closed under the actions of the thread that is looked \
                     at, so that Alg. 1 as published answers safe; that is no proof"
                )?;
                match others {
                    Some(step) => write!(f, ": they are left by {step}"),
                    None => {
                        f.write_str(", though no action of another thread leads out of them either")
                    }
                }
            }
            Failure::NotClosed { states, own } => {
                write!(f, "the {states} abstract states are not closed: they are left by {own}")
            }
            Failure::NoPlateau => f.write_str("the abstract states still grow"),
            Failure::TooLarge => f.write_str("there are too many places or predicates"),
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Failure::Refused(refusal)
    }
}

/// A program with a goal, and facts that its text shows at once.
#[derive(Clone, Copy)]
pub struct ProofTask<'a> {
    /// The program.
    pub layout: &'a Layout<'a>,
    /// Its text.
    pub source: &'a Source,
    /// For each location, which locals may still be read.
    pub read: &'a [Live],
    /// The property that the invariant has to imply.
    pub goal: &'a Goal,
    /// Bounds on shared variables that hold in every state.
    pub bounds: &'a [Term],
    /// Laws of counting that hold in every state.
    pub laws: &'a [Law],
}

/// A search for an invariant.
pub struct Search<'a> {
    layout: &'a Layout<'a>,
    source: &'a Source,
    goal: &'a Goal,
    pool: &'a Pool<'a>,
    width: usize,
    shape: Shape,
    learners: BTreeMap<Vec<Standing>, Learner>,
    invariant: Invariant,
    places: BTreeSet<Standing>,
    obligations: Vec<Obligation>,
    /// The obligations that assume something about a combination of places.
    about: FxHashMap<Vec<Standing>, Vec<usize>>,
    work: VecDeque<usize>,
    waiting: Vec<bool>,
    /// The first step to a view that was not reached from below.
    guess: Option<String>,
}

impl<'a> Search<'a> {
    /// Prepares a search for an invariant over views of `width` threads.
    #[must_use]
    pub fn new(known: ProofTask<'a>, pool: &'a Pool<'a>, width: usize, shape: Shape) -> Self {
        let ProofTask { layout, source, goal, bounds, laws, .. } = known;
        let (bounds, laws) = (bounds.to_vec(), laws.to_vec());
        Search {
            layout,
            source,
            goal,
            pool,
            width,
            shape,
            learners: BTreeMap::new(),
            invariant: Invariant { width, facts: BTreeMap::new(), bounds, laws },
            places: BTreeSet::new(),
            obligations: Vec::new(),
            about: FxHashMap::default(),
            work: VecDeque::new(),
            waiting: Vec::new(),
            guess: None,
        }
    }

    /// Takes in the views of states that were reached.
    pub fn seed(&mut self, states: &[Snapshot]) {
        for state in states {
            let threads: Vec<usize> = (0..state.threads.len()).collect();
            for of in subsets(&threads, self.width) {
                // No thread stands at places where steps ride along.
                let places = state.places();
                let passed = |p: &usize| places[*p].loc.is_some_and(|l| self.layout.is_passed(l));
                if of.iter().any(passed) {
                    continue;
                }
                self.take(&state.places(), &of, &|order, var| state.value(order, var));
            }
        }
    }

    /// Takes in one view, in each order that its places allow; whether something is new.
    fn take(
        &mut self,
        places: &[Standing],
        of: &[usize],
        value: &dyn Fn(&[usize], Var) -> Option<Val>,
    ) -> Option<Vec<Standing>> {
        let at = key(of.iter().map(|&p| places[p]));
        let (shape, pool) = (self.shape, self.pool);
        let learner = self
            .learners
            .entry(at.clone())
            .or_insert_with(|| Learner::new(pool.predicates(&at), shape));
        let mut weaker = false;
        for order in orders(places, of) {
            weaker |= learner.add(&|var| value(&order, var));
        }
        weaker.then_some(at)
    }

    /// Weakens the invariant until it is closed under steps.
    pub fn run(&mut self, solver: &mut Solver, budget: &Budget) -> Result<&Invariant, Failure> {
        let (layout, width) = (self.layout, self.width);
        for obligation in starts(layout, width).into_iter().chain(beyond(layout, self.goal, width))
        {
            self.add(obligation);
        }
        let seen: Vec<Vec<Standing>> = self.learners.keys().cloned().collect();
        for at in seen {
            self.changed(at)?;
        }
        let stop = || budget.look().is_err();
        while let Some(number) = self.work.pop_front() {
            budget.after(QUESTION).map_err(Failure::Stopped)?;
            self.waiting[number] = false;
            let obligation = self.obligations[number].clone();
            let known = |at: &Vec<Standing>| self.invariant.facts.contains_key(at);
            if !obligation.before().iter().all(known) {
                continue; // to be asked when all of its views occur
            }
            let query = obligation.query(self.layout, &self.invariant);
            let solution = match solver.ask(&query, &stop).map_err(Failure::Solver)? {
                Sat::No => continue,
                Sat::Yes(solution) => solution,
            };
            let Some(after) = obligation.after() else {
                let obstacle = self.obstacle(&obligation, &solution);
                return Err(Failure::Obstacle { obstacle, guess: self.guess.take() });
            };
            let of: Vec<usize> = (0..self.width).collect();
            let layout = self.layout;
            let value = |order: &[usize], var: Var| {
                let var = match var {
                    Var::Local(position, slot) => Var::Local(order[position], slot),
                    other => other,
                };
                obligation.value_after(layout, &solution, var)
            };
            let Some(at) = self.take(&after, &of, &value) else {
                // Its predicates have no value there: nothing can be learned.
                let obstacle = self.obstacle(&obligation, &solution);
                return Err(Failure::Obstacle { obstacle, guess: self.guess.take() });
            };
            if self.guess.is_none() {
                self.guess = Some(self.obstacle(&obligation, &solution));
            }
            self.queue(number);
            self.changed(at)?;
        }
        Ok(&self.invariant)
    }

    /// How many abstract states or clauses were found.
    #[must_use]
    pub fn size(&self) -> usize {
        self.learners.values().map(Learner::len).sum()
    }

    /// All obligations that came up.
    #[must_use]
    pub fn obligations(&self) -> &[Obligation] {
        &self.obligations
    }

    fn add(&mut self, obligation: Obligation) {
        let number = self.obligations.len();
        for at in obligation.before() {
            self.about.entry(at).or_default().push(number);
        }
        self.obligations.push(obligation);
        self.waiting.push(false);
        self.queue(number);
    }

    fn queue(&mut self, number: usize) {
        if !std::mem::replace(&mut self.waiting[number], true) {
            // What may go wrong is looked at first.
            match self.obligations[number].after() {
                None => self.work.push_front(number),
                Some(_) => self.work.push_back(number),
            }
        }
    }

    /// Something else is known at these places: whatever rests on it is looked at again.
    fn changed(&mut self, at: Vec<Standing>) -> Result<(), Failure> {
        let Some(learner) = self.learners.get(&at) else { return Ok(()) };
        if learner.is_empty() {
            return Ok(());
        }
        if learner.len() > MOST_SAID || self.learners.len() > MOST_PLACES {
            return Err(Failure::TooLarge);
        }
        let fact = learner.fact();
        if self.invariant.facts.insert(at.clone(), fact).is_none() {
            for obligation in inside(self.layout, self.source, self.goal, &at)? {
                self.add(obligation);
            }
            if self.layout.threads().is_none_or(|n| n > self.width as u64) {
                self.others(&at)?;
            }
        }
        for number in self.about.get(&at).cloned().unwrap_or_default() {
            self.queue(number);
        }
        Ok(())
    }

    /// Steps of other threads beside new places.
    fn others(&mut self, at: &[Standing]) -> Result<(), Failure> {
        let new: Vec<Standing> =
            at.iter().copied().filter(|&place| self.places.insert(place)).collect();
        let views: Vec<Vec<Standing>> = self.invariant.facts.keys().cloned().collect();
        for view in views {
            let all = view == at;
            let others: Vec<Standing> = self.places.iter().copied().collect();
            for other in others.into_iter().filter(|place| all || new.contains(place)) {
                for obligation in outside(self.layout, self.source, &view, other)? {
                    self.add(obligation);
                }
            }
        }
        Ok(())
    }

    fn obstacle(&self, obligation: &Obligation, solution: &[Val]) -> String {
        let variables = obligation.variables(self.layout);
        let values = |of: Option<usize>| {
            let mine = variables.iter().zip(solution).filter_map(|((var, _), value)| {
                let name = match (*var, of) {
                    (Var::Global(slot), None) => &self.layout.globals[slot].name,
                    (Var::Local(position, slot), Some(of)) if position == of => {
                        let class = obligation.threads[of].class;
                        &self.layout.locals_of(class)[slot].name
                    }
                    _ => return None,
                };
                let value = match value {
                    Val::Bool(b) => b.to_string(),
                    Val::Int(n) => n.to_string(),
                };
                Some(format!("{name}={value}"))
            });
            mine.collect::<Vec<_>>().join(" ")
        };
        let mut shown = vec![values(None)];
        for (position, &at) in obligation.threads.iter().enumerate() {
            let mine = values(Some(position));
            if !mine.is_empty() {
                shown.push(format!("{mine} ({})", place(self.layout, self.source, at)));
            }
        }
        let what = obligation.describe(self.layout, self.source);
        format!("{what}, with {}", shown.join(", "))
    }
}
