//! The sequential reduction, forward and backward, against the naive enumerator and the explorers:
//! shared states round by round, properties, traces; on random tables and random programs.

use crate::support;

use std::collections::BTreeSet;

use selvedge_analysis::engine::{Method, Question, Verdict, check};
use selvedge_analysis::explore::languages::Languages;
use selvedge_analysis::explore::{Explorer, RoundExplorer};
use selvedge_analysis::naive::Naive;
use selvedge_analysis::random::{Shape, random_relay, random_system};
use selvedge_analysis::reduce::{Direction, Reduction};
use selvedge_analysis::{Bound, Budget, Stop};
use selvedge_evidence::replay;
use selvedge_model::{Pattern, Property, SharedId, System, Tables, TopPattern};
use selvedge_program::testing::{self, random_program};

const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Backward];

/// The shared states that each number of rounds reaches.
fn reduced(system: &dyn System, direction: Direction, most: usize) -> Vec<BTreeSet<SharedId>> {
    let budget = Budget::default();
    let mut reduction = Reduction::new(system, &[], direction, &budget).expect("starts");
    let mut found = vec![reduction.shared().clone()];
    for _ in 0..most {
        reduction.advance(&budget).expect("goes on");
        found.push(reduction.shared().clone());
    }
    found
}

/// The same by the naive enumerator, as far as it gets.
fn naive(system: &dyn System, most: usize) -> Vec<BTreeSet<SharedId>> {
    let mut naive = Naive::rounds(system, 2000).expect("starts");
    while naive.level().bound < most && naive.advance().is_ok() {}
    let within = |bound| naive.visible().filter(move |&(_, needed)| needed <= bound);
    let shared = |bound| within(bound).map(|(state, _)| state.shared).collect();
    (0..=naive.level().bound).map(shared).collect()
}

/// The same by the explorer of sets of stacks, which has no limit.
fn explored(system: &dyn System, most: usize) -> Vec<BTreeSet<SharedId>> {
    let mut explorer = RoundExplorer::new(system, Languages::default()).expect("starts");
    let mut found: Vec<BTreeSet<SharedId>> = Vec::new();
    for bound in 0..=most {
        let mut shared = found.last().cloned().unwrap_or_default();
        shared.extend(explorer.new_visible(bound).into_iter().map(|state| state.shared));
        found.push(shared);
        if bound < most {
            explorer.advance(&Budget::default()).expect("goes on");
        }
    }
    found
}

/// A random system, and how many rounds of it are looked at: few shared states and many rounds, or
/// the other way round, since guesses grow fast.
fn random(seed: u64) -> (Tables, usize) {
    let (threads, shared, rules, rounds) = match seed % 6 {
        0 => (4, 4, 7, 2),
        1 => (4, 3, 7, 3),
        2 => (3, 3, 9, 4),
        _ => return (random_relay(seed), if seed.is_multiple_of(2) { 3 } else { 4 }),
    };
    let shape = Shape { threads, shared, rules, symbols: 3, ..Shape::default() };
    (random_system(seed, &shape), rounds)
}

#[test]
fn shared_states_are_the_same_in_both_directions() {
    let (mut compared, mut infinite, mut grown) = (0, 0, [0; 5]);
    for seed in 0..support::many(1000) {
        let (system, most) = random(seed);
        let expected = explored(&system, most);
        let counted = naive(&system, most);
        assert_eq!(expected[..counted.len()], counted, "seed {seed}");
        for direction in DIRECTIONS {
            assert_eq!(reduced(&system, direction, most), expected, "seed {seed} {direction:?}");
        }
        compared += 1;
        infinite += usize::from(counted.len() <= most);
        let late = (2..=most).rfind(|&bound| expected[bound] != expected[bound - 1]);
        grown[late.unwrap_or(0)] += 1;
    }
    println!("{compared} systems, {infinite} infinite, last growth after round 1: {grown:?}");
    assert!(infinite > 0 && grown[2..].iter().all(|&n| n > 0));
}

/// Some properties of a system: visible states, a symbol somewhere, a shared state.
fn properties(system: &dyn System, seed: u64) -> Vec<Property> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let initial = system.initial().expect("states").remove(0);
    let threads = initial.threads.len();
    let mut symbol = || selvedge_model::SymbolId(rng.u32(0..6));
    let tops: Vec<TopPattern> = (0..threads)
        .map(|thread| match thread % 3 {
            0 => TopPattern::Symbol(symbol()),
            1 => TopPattern::Any,
            _ => TopPattern::Empty,
        })
        .collect();
    let (a, b) = (symbol(), symbol());
    let template = Some(initial.threads[0].template);
    let shared = Some(SharedId(rng.u32(0..3)));
    let any = vec![TopPattern::Any; threads];
    [
        Pattern::Tuple { shared: None, tops },
        Pattern::Tuple { shared, tops: any },
        Pattern::Somewhere { shared, template: None, symbol: a },
        Pattern::Somewhere { shared: None, template, symbol: b },
    ]
    .map(Property::Unreachable)
    .to_vec()
}

#[test]
fn properties_are_broken_in_the_same_round() {
    let (mut unsafe_, mut bounded) = ([0; 5], 0);
    for seed in 0..support::many(400) {
        let (system, most) = random(seed);
        for property in properties(&system, seed) {
            let properties = [property];
            let ask = |method| {
                let system = &system;
                let properties = &properties;
                let question =
                    Question { system, properties, method, symmetry: true, evidence: false };
                check(&question, Bound::rounds(most), &Budget::default(), &|_| {}).verdict
            };
            let expected = match ask(Method::Symbolic) {
                Verdict::Unsafe { bound, .. } => Some(bound),
                _ => None,
            };
            for direction in DIRECTIONS {
                match ask(Method::Reduction(direction)) {
                    Verdict::Unsafe { bound: needed, property: 0, trace } => {
                        assert_eq!(Some(needed), expected, "seed {seed} {properties:?}");
                        assert_eq!(trace.rounds(), needed.count);
                        replay(&system, &trace).expect("it can be replayed");
                        unsafe_[needed.count] += 1;
                    }
                    Verdict::Bounded { bound } => {
                        assert_eq!(bound, Bound::rounds(most));
                        assert_eq!(expected, None, "seed {seed} {direction:?} {properties:?}");
                        bounded += 1;
                    }
                    other => panic!("seed {seed} {direction:?}: {other:?}"),
                }
            }
        }
    }
    println!("unsafe at each round: {unsafe_:?}, {bounded} bounded");
    assert!(unsafe_[..3].iter().all(|&n| n > 0) && bounded > 0);
}

/// Boolean programs with recursion, lowered as they are met.
#[test]
fn programs_go_wrong_in_the_same_round() {
    let shape = testing::Shape {
        globals: 2,
        procs: 1,
        locals: 1,
        statements: 4,
        depth: 2,
        threads: 3,
        dynamic_threads: false,
        numbers: false,
        enums: false,
        arrays: false,
        predicates: false,
        ..testing::Shape::default()
    };
    let (mut compared, mut wrong) = (0, [0; 5]);
    for seed in 0..support::many(500) {
        let program = random_program(seed, &shape);
        let Ok(system) = support::lower(&program, "") else { continue };
        if system.starts_threads() {
            continue;
        }
        let counted = naive(&system, 4);
        let Some(last) = counted.last() else { continue };
        // The number of control states grows with the power of the number of shared states.
        let fits = |&rounds: &usize| rounds * last.len().pow(rounds as u32) <= 200;
        let Some(most) = (1..counted.len()).rev().find(fits) else { continue };
        let first = |found: &[BTreeSet<SharedId>]| {
            let is_wrong = |shared: &SharedId| system.wrong(*shared).is_some();
            found[..=most].iter().position(|states| states.iter().any(is_wrong))
        };
        for direction in DIRECTIONS {
            let found = reduced(&system, direction, most);
            assert_eq!(found, counted[..=most], "seed {seed} {direction:?}");
            let properties = &[Property::NeverWrong];
            let question = Question {
                system: &system,
                properties,
                method: Method::Reduction(direction),
                symmetry: true,
                evidence: false,
            };
            let verdict =
                check(&question, Bound::rounds(most), &Budget::default(), &|_| {}).verdict;
            match (first(&counted), verdict) {
                (Some(needed), Verdict::Unsafe { bound, trace, .. }) => {
                    assert_eq!(bound, Bound::rounds(needed), "seed {seed}");
                    replay(&system, &trace).expect("it can be replayed");
                    wrong[needed] += 1;
                }
                (None, Verdict::Bounded { .. }) => {}
                other => panic!("seed {seed} {direction:?}: {other:?}"),
            }
        }
        compared += 1;
    }
    println!("{compared} programs, wrong at each round: {wrong:?}");
    assert!(compared > 0 && wrong[1] > 0);
}

#[test]
fn budgets_are_kept_and_started_threads_refused() {
    let system = random_system(3, &Shape { threads: 4, ..Shape::default() });
    let over = Budget { deadline: Some(std::time::Instant::now()), ..Budget::default() };
    for direction in DIRECTIONS {
        let mut reduction =
            Reduction::new(&system, &[], direction, &Budget::default()).expect("starts");
        assert_eq!(reduction.advance(&over).expect_err("no time"), Stop::Timeout);
    }
    let shape = Shape { spawns: true, ..Shape::default() };
    let system = (0..).map(|seed| random_system(seed, &shape)).find(|s| s.starts_threads());
    let system = system.expect("some system");
    let refused = Reduction::new(&system, &[], Direction::Forward, &Budget::default());
    let refused = refused.err().expect("it is refused").to_string();
    assert!(refused.contains("rounds need a fixed set of threads"), "{refused}");
}
