//! # Rounds and delays through predicates
//!
//! **Question.** Threads take turns of one step, with delays. The abstract states, which are the line of one
//! thread and the truth of the predicates for it, have stopped growing. Are they all?
//!
//! **Idea** [Johnson, Wahl 2021, Alg. 1 and Sec. 5]. Raise the rounds until one shows nothing new, then the
//! delays until n - 1 in a row show nothing new; whatever is new starts it again. With any number of
//! threads, do so for 1, 2, … threads until one more shows nothing new. Then test for closure.
//!
//! **The test.** [`Test::Published`] is that of the paper: it tries the actions of the thread that is looked at,
//! and forgets the others. Its *safe* is no proof (`docs/decisions/0024-views-of-one-thread.md` has a program
//! that goes wrong all the same), so the answer stays open and says so. [`Test::Repaired`] looks at every two
//! threads, and tries the actions of all: what is closed then is a certificate like any other.
//!
//! The sets are R(r, d) exactly, by [`DelayExplorer`], not what Alg. 1 keeps of them
//! (`docs/decisions/0018-rounds-and-delays.md`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use selvedge_analysis::engine::{self, Method, Verdict};
use selvedge_analysis::explore::DelayExplorer;
use selvedge_analysis::{Bound, Budget};
use selvedge_model::{Property, System};
use selvedge_program::{Lowering, Predicate};
use selvedge_smt::bounds::bounds;
use selvedge_smt::invariant::{Fact, Form, Invariant};
use selvedge_smt::layout::{Layout, Standing};
use selvedge_smt::obligation::{Obligation, inside, outside};
use selvedge_smt::plain::About;
use selvedge_smt::prepared::Prepared;
use selvedge_smt::solver::{Query, Sat, Solver};

use crate::below::growing;
use crate::count::{AbstractState, Sampled, abstract_states_of};
use crate::prove::{Prover, attempts};
use crate::sample::{Snapshot, look};
use crate::search::{Failure, ProofTask};
use crate::{Question, Report};

/// Where there is any number of threads, not more than so many are followed.
const MOST_THREADS: u32 = 5;

/// More rounds than this are not taken.
const MOST_ROUNDS: usize = 200;

/// Which test for closure is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// That of the paper.
    Published,
    /// One that proves something.
    Repaired,
}

/// How the rounds and delays of so many threads were raised.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Course {
    /// The number of threads.
    pub threads: usize,
    /// The bounds, in the order in which they were reached.
    pub points: Vec<Point>,
}

/// A bound, and what was reached within it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    /// The number of rounds.
    pub rounds: usize,
    /// The number of delays.
    pub delays: usize,
    /// The number of abstract states.
    pub abstract_states: usize,
}

/// Looks for a violation and for a plateau, and tests for closure there.
pub fn verify(
    question: &Question<'_>,
    test: Test,
    budget: &Budget,
    tell: &dyn Fn(&str),
    keep: &mut dyn FnMut(&str, &Query),
) -> Report {
    Report::of(budget, |report| {
        let Question { program, source, counts, .. } = *question;
        let prepared = Prepared::new(program, source)?;
        let layout = prepared.layout(counts)?;
        let goal = prepared.goal(&layout, question.property)?;
        let property = prepared.property(question.property)?;
        let plain = &prepared.inlined.program;
        let given: Vec<&Predicate> = plain.predicates.iter().collect();
        if given.is_empty() {
            return Err(Failure::NoPredicates);
        }
        let mut states: Vec<Snapshot> = Vec::new();
        let mut all: BTreeSet<AbstractState> = BTreeSet::new();
        for counts in growing(program, counts, MOST_THREADS) {
            let Ok(system) = Lowering::new(Arc::clone(plain), Arc::clone(source), &counts) else {
                continue; // no thread at all
            };
            let mut run = Run::new(&system, &layout, &given, &property, budget)?;
            let violation = run.raise_to_plateau()?;
            let Run { abstract_states, snapshots, points, .. } = run;
            let threads = system.thread_count();
            let seen = (snapshots.len(), abstract_states.len());
            report.courses.push(Course { threads, points });
            if let Some(bound) = violation {
                let asked = engine::Question {
                    system: &system,
                    properties: std::slice::from_ref(&property),
                    method: Method::Auto,
                    symmetry: false,
                    evidence: false,
                };
                let outcome = engine::check(&asked, bound, budget, &|_| {});
                let trace = match outcome.verdict {
                    Verdict::Unsafe { trace, .. } => trace,
                    Verdict::Unknown { stop, .. } => return Err(Failure::Stopped(stop)),
                    _ => return Err(Failure::NoPlateau),
                };
                return question.violation(&prepared.inlined, system, trace, counts);
            }
            let (count, known) = (Some(seen.1), all.len());
            let seen = Sampled { threads, states: seen.0, abstract_states: count, complete: false };
            report.seen.push(seen);
            tell(&format!("{threads} threads: {} abstract states", abstract_states.len()));
            states.extend(snapshots);
            all.extend(abstract_states);
            // One more thread that shows nothing new is enough.
            if layout.threads().is_none() && all.len() == known {
                break;
            }
        }
        let bounds = bounds(&layout, source)?;
        let known = ProofTask {
            layout: &layout,
            source,
            read: &prepared.read,
            goal: &goal,
            bounds: &bounds,
            laws: &[],
        };
        if test == Test::Published {
            let mut solver = Solver::start(&question.solver).map_err(Failure::Solver)?;
            let failure = published(known, &given, &all, &mut solver, budget);
            report.asked += solver.asked;
            return Err(failure?);
        }
        let attempts = attempts(layout.threads(), true, true);
        let mut prover = Prover { question, known, given, states, budget, tell, asked: 0 };
        let answer = prover.prove(&attempts, keep);
        report.asked += prover.asked;
        answer
    })
}

/// An exploration with growing bounds.
struct Run<'a> {
    system: &'a Lowering,
    layout: &'a Layout<'a>,
    given: &'a [&'a Predicate],
    property: &'a Property,
    budget: &'a Budget,
    explorer: DelayExplorer<'a>,
    snapshots: Vec<Snapshot>,
    abstract_states: BTreeSet<AbstractState>,
    points: Vec<Point>,
}

impl<'a> Run<'a> {
    fn new(
        system: &'a Lowering,
        layout: &'a Layout<'a>,
        given: &'a [&'a Predicate],
        property: &'a Property,
        budget: &'a Budget,
    ) -> Result<Self, Failure> {
        let explorer = DelayExplorer::new(system).map_err(Failure::Stopped)?;
        let (snapshots, abstract_states, points) = (Vec::new(), BTreeSet::new(), Vec::new());
        Ok(Run {
            system,
            layout,
            given,
            property,
            budget,
            explorer,
            snapshots,
            abstract_states,
            points,
        })
    }

    /// Alg. 1 up to its test; the bound at which a violation is reached, if that happens.
    fn raise_to_plateau(&mut self) -> Result<Option<Bound>, Failure> {
        let needed = self.system.thread_count().saturating_sub(1);
        self.observe();
        if let Some(bound) = self.violation()? {
            return Ok(Some(bound));
        }
        loop {
            loop {
                if self.explorer.bound().count >= MOST_ROUNDS {
                    return Err(Failure::NoPlateau);
                }
                self.explorer.advance_round(self.budget).map_err(Failure::Stopped)?;
                let grown = self.observe();
                if let Some(bound) = self.violation()? {
                    return Ok(Some(bound));
                }
                if !grown {
                    break;
                }
            }
            let mut plateau = 0;
            while plateau < needed {
                self.explorer.advance_delay(self.budget).map_err(Failure::Stopped)?;
                let grown = self.observe();
                if let Some(bound) = self.violation()? {
                    return Ok(Some(bound));
                }
                if grown {
                    break;
                }
                plateau += 1;
            }
            if plateau == needed {
                return Ok(None);
            }
        }
    }

    /// Looks at the states that are new; whether abstract states are.
    fn observe(&mut self) -> bool {
        let reached = self.explorer.reached();
        let (classes, locals) = (reached.classes(), reached.locals());
        let new = reached.states().skip(self.snapshots.len());
        let new: Vec<Snapshot> = new
            .map(|(shared, mut threads)| {
                // Each thread is a class of its own here, in order.
                threads.sort_unstable_by_key(|((class, _), _)| *class);
                let threads = threads.into_iter().flat_map(|((class, local), count)| {
                    let top = locals.get(local).top();
                    std::iter::repeat_n((classes.template(class), top), count as usize)
                });
                look(self.system, self.layout, shared, threads)
            })
            .collect();
        let before = self.abstract_states.len();
        // The first thread of each kind stands for all of them: they are alike.
        let threads = self.system.threads();
        let of_kind = |thread: usize| threads[thread].template;
        let is_first = |own: usize| (0..own).all(|other| of_kind(other) != of_kind(own));
        let seen = abstract_states_of(self.layout, self.given, &new, is_first);
        self.abstract_states.extend(seen);
        self.snapshots.extend(new);
        let (rounds, delays) = (self.explorer.bound().count, self.explorer.delays());
        let abstract_states = self.abstract_states.len();
        self.points.push(Point { rounds, delays, abstract_states });
        abstract_states > before
    }

    fn violation(&self) -> Result<Option<Bound>, Failure> {
        let properties = std::slice::from_ref(self.property);
        let found = self.explorer.violation(properties).map_err(Failure::Stopped)?;
        Ok(found.map(|_| Bound::round_robin(self.explorer.bound().count, self.explorer.delays())))
    }
}

/// The test of the paper, and what it says: it never is a proof.
fn published(
    known: ProofTask<'_>,
    given: &[&Predicate],
    all: &BTreeSet<AbstractState>,
    solver: &mut Solver,
    budget: &Budget,
) -> Result<Failure, Failure> {
    let ProofTask { layout, source, goal, bounds, .. } = known;
    let mut facts: BTreeMap<Vec<Standing>, Fact> = BTreeMap::new();
    for (place, truth) in all {
        let threads = [*place];
        let proc = layout.classes[place.class].proc;
        let about = About { layout, threads: &threads, own: Some(0), proc, instance: None };
        let is_about = |p: &Predicate| p.scope.is_none_or(|scope| scope == proc);
        let terms = given.iter().map(|p| about.term(&p.expr).filter(|_| is_about(p)));
        let (terms, truth): (Vec<_>, Vec<_>) =
            terms.zip(truth).filter_map(|(term, truth)| Some((term?, *truth))).unzip();
        let fact = facts
            .entry(threads.to_vec())
            .or_insert_with(|| Fact { predicates: terms, form: Form::Views(Vec::new()) });
        // What is not known may be either.
        let mut views: Vec<Vec<bool>> = vec![Vec::new()];
        for bit in truth {
            let bits = bit.map_or(vec![false, true], |bit| vec![bit]);
            let longer = |view: Vec<bool>| {
                bits.clone().into_iter().map(move |bit| [&view[..], &[bit]].concat())
            };
            views = views.into_iter().flat_map(longer).collect();
        }
        if let Form::Views(list) = &mut fact.form {
            list.extend(views.into_iter().map(Vec::into_boxed_slice));
        }
    }
    let (bounds, laws) = (bounds.to_vec(), Vec::new());
    let invariant = Invariant { width: 1, facts, bounds, laws };
    let stop = || budget.look().is_err();
    let mut leaves = |obligation: &Obligation| -> Result<Option<String>, Failure> {
        let query = obligation.query(layout, &invariant);
        let open = solver.ask(&query, &stop).map_err(Failure::Solver)? != Sat::No;
        Ok(open.then(|| obligation.describe(layout, source)))
    };
    let mut others = None;
    for view in invariant.facts.keys() {
        for obligation in inside(layout, source, goal, view)? {
            if let Some(own) = leaves(&obligation)? {
                return Ok(Failure::NotClosed { states: all.len(), own });
            }
        }
    }
    for view in invariant.facts.keys() {
        for other in invariant.facts.keys().flatten() {
            for obligation in outside(layout, source, view, *other)? {
                if others.is_none() {
                    others = leaves(&obligation)?;
                }
            }
        }
    }
    Ok(Failure::OnlyPublished { states: all.len(), others })
}
