//! Several workers of one process explore what one explorer does: the same verdicts, bounds and counts, with evidence that holds.

use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_analysis::engine::{Method, Question, Verdict, check_spread, verify, verify_spread};
use selvedge_analysis::explore::stacks::Stacks;
use selvedge_analysis::explore::{ContextExplorer, Explorer, Observation};
use selvedge_analysis::random::{Shape, random_system};
use selvedge_distribute::{Checkpoints, Fleet, Subject};
use selvedge_evidence::{Evidence, recheck};
use selvedge_frontend::{Input, LoadOptions, parse};
use selvedge_model::{Property, System};
use selvedge_program::{Lowering, ThreadCounts};

/// A text, lowered once for all workers of this process.
pub(crate) struct Text {
    pub system: Arc<dyn System>,
    pub properties: Vec<Property>,
    pub checkpoints: Checkpoints,
}

impl Text {
    pub fn new(system: Arc<dyn System>, properties: Vec<Property>) -> Arc<Self> {
        Arc::new(Text { system, properties, checkpoints: Checkpoints::default() })
    }
}

impl Subject for Text {
    fn open(&self, _: &str) -> Result<(Arc<dyn System>, Vec<Property>), String> {
        Ok((Arc::clone(&self.system), self.properties.clone()))
    }

    fn budget(&self) -> Budget {
        Budget::default()
    }

    fn checkpoints(&self) -> &Checkpoints {
        &self.checkpoints
    }
}

pub(crate) fn lowered(text: &str) -> Arc<dyn System> {
    let input = parse("test.weave".as_ref(), text.to_owned(), &LoadOptions::default());
    let Ok(Input::Program { program, source, .. }) = input else { panic!("{text}") };
    Arc::new(Lowering::new(program, source, &ThreadCounts::default()).expect("lowers"))
}

pub(crate) const LOCK: &str = "lock m; int[0..3] n := 0; bool busy := false;
    void turn() { acquire m; assert !busy; busy := true; n := (n + 1) % 4; busy := false; release m; }
    void work() { turn(); turn(); }
    thread work * 3;";

pub(crate) const RACE: &str = "int[0..9] n := 0; int[0..2] done := 0;
    void work() { int[0..9] x := n; n := x + 1; atomic { done := done + 1; } }
    thread work * 2;
    thread judge { assume done == 2; assert n == 2; }";

pub(crate) fn counts(observations: &[Observation]) -> Vec<[Option<u128>; 4]> {
    let count = |o: &Observation| [o.states, o.new_states, o.visible, o.new_visible];
    observations.iter().map(count).collect()
}

#[test]
fn shares_add_up() {
    for text in [LOCK, RACE] {
        for symmetry in [true, false] {
            let system = lowered(text);
            let mut one = ContextExplorer::new(&*system, Stacks::default(), symmetry).unwrap();
            while !one.has_collapsed() {
                one.advance(&Budget::default()).unwrap();
            }
            for workers in [1, 2, 3] {
                let properties = vec![Property::NeverWrong];
                let system = lowered(text);
                let subject = Text::new(Arc::clone(&system), properties);
                let fleet = Fleet::local(workers, subject).unwrap();
                let question = Question {
                    system: &*system,
                    properties: &[],
                    method: Method::Explicit,
                    symmetry,
                    evidence: false,
                };
                let form = fleet.of("plain");
                let outcome = verify_spread(&question, &form, &Budget::default(), &|_| {});
                let bounds = outcome.observations.len();
                assert_eq!(counts(&outcome.observations), counts(&one.observations()[..bounds]));
                let usage = fleet.usage();
                assert_eq!(usage.len(), workers);
                let stored: u64 = usage.iter().map(|used| used.states).sum();
                assert_eq!(stored as usize, outcome.stored());
                if workers > 1 {
                    assert!(usage.iter().all(|used| used.states > 0 && used.sent > 0), "{usage:?}");
                }
            }
        }
    }
}

#[test]
fn verdicts_are_those_of_one() {
    for text in [LOCK, RACE] {
        let system = lowered(text);
        let properties = [Property::NeverWrong];
        let question = Question {
            system: &*system,
            properties: &properties,
            method: Method::Explicit,
            symmetry: true,
            evidence: true,
        };
        let alone = verify(&question, &Budget::default(), &|_| {});
        let mut proofs: Vec<Evidence> = Vec::new();
        for workers in [1, 2, 4] {
            let subject = Text::new(Arc::clone(&system), properties.to_vec());
            let fleet = Fleet::local(workers, subject).unwrap();
            let form = fleet.of("plain");
            let outcome = verify_spread(&question, &form, &Budget::default(), &|_| {});
            match (&alone.verdict, &outcome.verdict) {
                (Verdict::Safe(a), Verdict::Safe(b)) => assert_eq!(a, b),
                (
                    Verdict::Unsafe { bound: a, trace: one, .. },
                    Verdict::Unsafe { bound: b, trace: many, .. },
                ) => {
                    assert_eq!(a, b);
                    assert_eq!(one.steps.len(), many.steps.len());
                    let before =
                        check_spread(&question, &form, a.count - 1, &Budget::default(), &|_| {});
                    assert!(matches!(before.verdict, Verdict::Bounded { .. }));
                }
                other => panic!("{other:?}"),
            }
            let evidence = outcome.evidence.expect("asked for");
            recheck(&*system, &properties, &evidence).expect("holds");
            proofs.push(evidence);
        }
        assert!(proofs.windows(2).all(|pair| pair[0] == pair[1]), "evidence depends on workers");
    }
}

/// How many contexts are compared on random systems.
const BOUNDS: usize = 4;

/// How many states are stored at most: random systems may have contexts without an end.
const STATES: usize = 3000;

#[test]
fn random_systems_have_the_counts_of_one() {
    let seeds = std::env::var("SELVEDGE_DISTRIBUTE_SYSTEMS").ok();
    let seeds = seeds.and_then(|count| count.parse().ok()).unwrap_or(60);
    let mut compared = 0;
    for seed in 0..seeds {
        let system = Arc::new(random_system(seed, &Shape::default()));
        let budget = Budget { states: Some(STATES), ..Budget::default() };
        let symmetry = seed % 2 == 0;
        let Ok(mut one) = ContextExplorer::new(&*system, Stacks::up_to(64), symmetry) else {
            continue;
        };
        while one.bound() < BOUNDS && one.advance(&budget).is_ok() {}
        let bound = one.bound();
        let subject = Text::new(Arc::clone(&system) as Arc<dyn System>, Vec::new());
        let fleet = Fleet::local(1 + (seed % 3) as usize, subject).unwrap();
        let question = Question {
            system: &*system,
            properties: &[],
            method: Method::Explicit,
            symmetry,
            evidence: false,
        };
        let many = check_spread(&question, &fleet.of("plain"), bound, &budget, &|_| {});
        let bounds = many.observations.len();
        let expected = counts(&one.observations()[..bounds]);
        assert_eq!(counts(&many.observations), expected, "seed {seed}");
        assert!(bounds == bound + 1 || one.new_stored(bounds - 1) == 0, "seed {seed}: {bounds}");
        compared += bounds;
    }
    assert!(compared as u64 > seeds, "{compared} bounds of {seeds} systems");
}
