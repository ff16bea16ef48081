//! Fair runs that never end: the exact search against guessing, on random programs and tables.

use crate::support;

mod examples;
mod forking;
mod generate;
mod mutations;
mod oracle;

use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_analysis::fair::{Outcome, Question, Verdict, search, search_in_waves};
use selvedge_analysis::random::{Shape, random_system};
use selvedge_evidence::{Checked, Evidence, recheck};
use selvedge_model::{Endless, Fairness, System};
use selvedge_program::testing::{Shape as ProgramShape, random_program};
use selvedge_program::{Lowering, Source, ThreadCounts, print};
use support::many;

use oracle::Graph;

/// Systems with more states are left out.
const MOST_STATES: usize = 300;

/// All questions.
pub fn questions() -> Vec<Endless> {
    let both = |fairness| [false, true].map(|ended| Endless { fairness, ended });
    Fairness::ALL.into_iter().flat_map(both).collect()
}

/// The answer to a question, with its evidence.
pub fn ask(system: &dyn System, endless: Endless) -> Outcome {
    let question = Question { system, endless, evidence: true };
    search(&question, &Budget::default(), &|_| {})
}

/// In waves, whatever is found has the same numbers and the same evidence, for any number of workers. Says how many states there were.
pub fn in_waves(system: &dyn System, endless: Endless, alone: &Outcome, workers: usize) -> usize {
    let question = Question { system, endless, evidence: true };
    let budget = Budget { crew: workers, ..Budget::default() };
    let found = search_in_waves(&question, 0, &budget, &|_| {});
    assert_eq!(format!("{found:?}"), format!("{alone:?}"), "{endless:?}, {workers} workers");
    found.states.unwrap_or(0)
}

/// The system of a text that knows who can act.
pub fn lowered(text: &str) -> Lowering {
    support::system(text).choosing_at_once()
}

/// How many answers of each kind there were.
#[derive(Default, Debug)]
struct Tally {
    systems: usize,
    lassos: usize,
    proofs: usize,
    differ_by_fairness: usize,
    differ_by_ended: usize,
    /// Answers from other states than those of the definition: places of threads that have ended are given again.
    others: usize,
    /// Systems in which results are on their way.
    between: usize,
}

impl Tally {
    /// Compares all answers about a system; checks all evidence.
    fn compare(&mut self, system: &dyn System, mutate: bool, about: &str) {
        let Some(graph) = Graph::new(system, MOST_STATES) else { return };
        self.systems += 1;
        self.between += usize::from(graph.states.iter().any(|s| system.is_between(s.shared)));
        let mut answers = Vec::new();
        for (number, endless) in questions().into_iter().enumerate() {
            let about = format!("{endless:?}\n{about}");
            let expected = graph.goes_on(endless);
            let outcome = ask(system, endless);
            in_waves(system, endless, &outcome, 1 + (self.systems + number) % 3);
            let (found, all) = (outcome.states.expect("states"), graph.states.len());
            // Where places are given again, states are others.
            let forgets =
                system.forgets_ended() && (endless.ended || endless.fairness == Fairness::None);
            assert!(found == all || forgets, "{found} of {all} states\n{about}");
            self.others += usize::from(found != all);
            match (&outcome.verdict, outcome.evidence) {
                (Verdict::Nonterminating { lasso, .. }, Some(evidence)) => {
                    assert!(expected, "there is no such run: {lasso:?}\n{about}");
                    assert_eq!(lasso.endless, endless);
                    let checked = recheck(system, &[], &evidence);
                    assert!(matches!(checked, Ok(Checked::Lasso { .. })), "{checked:?}\n{about}");
                    self.lassos += 1;
                    if mutate {
                        mutations::lasso(system, lasso, &|e| graph.goes_on(e), &about);
                    }
                }
                (Verdict::Terminating { with_ended }, Some(evidence)) => {
                    assert!(!expected, "there is such a run\n{about}");
                    let checked = recheck(system, &[], &evidence);
                    assert!(
                        matches!(checked, Ok(Checked::Termination { .. })),
                        "{checked:?}\n{about}"
                    );
                    self.proofs += 1;
                    let Evidence::Termination(proof) = evidence else {
                        panic!("no proof: {about}")
                    };
                    if mutate {
                        mutations::proof(system, &proof, &|e| graph.goes_on(e), &about);
                    }
                    let allowing = Endless { ended: true, ..endless };
                    let may = endless.fairness != Fairness::None && graph.goes_on(allowing);
                    assert_eq!(with_ended.is_some(), may, "{about}");
                }
                (other, _) => panic!("no answer: {other:?}\n{about}"),
            }
            answers.push(expected);
        }
        let [none, _, weak, weak_ended, strong, strong_ended] = answers[..] else {
            panic!("six questions");
        };
        self.differ_by_fairness += usize::from(!(none == weak && weak == strong));
        self.differ_by_ended += usize::from(weak != weak_ended || strong != strong_ended);
        // What is fairer is rarer; what is allowed more is more.
        assert!(none >= weak_ended && weak_ended >= strong_ended && weak >= strong, "{about}");
        assert!(weak_ended >= weak && strong_ended >= strong, "{about}");
    }
}

/// Threads that end while others go on, and threads that are started.
#[test]
fn random_programs_in_which_threads_end() {
    for starts in [false, true] {
        let mut tally = Tally::default();
        for seed in 0..many(250) {
            let text = generate::ending(seed, starts);
            tally.compare(&lowered(&text), seed % 8 == 0, &format!("seed {seed}\n{text}"));
        }
        println!("starts: {starts}, {tally:?}");
        assert!(tally.systems >= 200, "{tally:?}");
        assert!(tally.lassos >= 200 && tally.proofs >= 200, "{tally:?}");
        assert!(tally.differ_by_ended >= 20, "{tally:?}");
        assert_eq!(tally.others > 100, starts, "{tally:?}");
    }
}

#[test]
fn random_programs() {
    let mut tally = Tally::default();
    for seed in 0..many(1_500) {
        let text = generate::program(seed);
        tally.compare(&lowered(&text), seed % 8 == 0, &format!("seed {seed}\n{text}"));
    }
    println!("{tally:?}");
    assert!(tally.systems >= 1_000 && tally.lassos >= 1_000 && tally.proofs >= 1_000, "{tally:?}");
    let refused = mutations::refused();
    assert!(refused.iter().all(|&n| n >= 100), "changed lassos and proofs refused: {refused:?}");
    assert!(tally.differ_by_fairness >= 100 && tally.differ_by_ended >= 100, "{tally:?}");
}

/// A result that is on its way to its caller is no moment at which others wait.
#[test]
fn random_programs_with_calls() {
    let mut tally = Tally::default();
    let shape = ProgramShape {
        globals: 2,
        locals: 1,
        statements: 3,
        depth: 2,
        recursion: false,
        fair: true,
        ..ProgramShape::plain()
    };
    for seed in 0..many(1_500) {
        let program = Arc::new(random_program(seed, &shape));
        let source = Arc::new(Source::default());
        let about = format!("seed {seed}\n{}", print::weave(&program));
        let Ok(system) = Lowering::new(program, source, &ThreadCounts::new()) else { continue };
        tally.compare(&system.choosing_at_once(), seed % 8 == 0, &about);
    }
    println!("{tally:?}");
    assert!(tally.systems >= 200 && tally.lassos >= 100 && tally.proofs >= 100, "{tally:?}");
    assert!(tally.between >= 20, "{tally:?}");
}

#[test]
fn random_tables() {
    let mut tally = Tally::default();
    for seed in 0..many(1_000) {
        let system = random_system(seed, &Shape { spawns: seed % 4 == 0, ..Shape::default() });
        tally.compare(&system, seed % 4 == 0, &format!("seed {seed}"));
    }
    println!("{tally:?}");
    assert!(tally.systems >= 200 && tally.lassos >= 100 && tally.proofs >= 100, "{tally:?}");
}
