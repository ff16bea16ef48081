//! Random programs: what rounds find with growing bounds is what the exact search says, and every
//! lasso is one.

#[path = "../../../analysis/tests/fair/generate.rs"]
mod generate;
mod naive;

use std::sync::Arc;

use selvedge_analysis::fair::{Question, Rounds, Verdict, Within, search, within};
use selvedge_analysis::{Budget, Stop};
use selvedge_evidence::{Evidence, recheck};
use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::weave;
use selvedge_model::{Endless, Fairness};
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Lowering, Program, Source, ThreadCounts, print};
use selvedge_sequential::livelock::{Bounds, LivelockQuestion, all_bounds, find};

/// How many random cases to try; `SELVEDGE_SEEDS=10000` makes tests thorough.
fn many(usual: u64) -> u64 {
    std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

fn lowered(program: Program) -> Option<Lowering> {
    let source = Arc::new(Source::default());
    let lowering = Lowering::new(Arc::new(program), source, &ThreadCounts::new());
    Some(lowering.ok()?.choosing_at_once())
}

fn read(text: &str) -> Lowering {
    let (file, _) = weave::parse(&Source::new("test.weave", text));
    let (program, _) = check(&file, &CheckOptions::default());
    program.and_then(lowered).unwrap_or_else(|| panic!("no program: {text}"))
}

/// What is known of a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    Lasso,
    None,
    Unknown,
}

/// Work that is enough for what has an answer.
const PATIENT: u64 = 1 << 26;

/// For programs of which a few have no answer.
const IMPATIENT: u64 = 1 << 20;

/// Whether there is a lasso within some bounds. What is found is one.
fn found(program: &Lowering, bounds: Bounds, endless: Endless, work: u64, about: &str) -> Found {
    let counts = ThreadCounts::new();
    let asked = LivelockQuestion { program, counts: &counts, endless };
    match find(&asked, bounds, &Budget::default().with_work(work)) {
        Ok(Some(lasso)) => {
            let checked = recheck(program, &[], &Evidence::Lasso(lasso));
            assert!(checked.is_ok(), "{checked:?}\n{bounds:?} {endless:?}\n{about}");
            Found::Lasso
        }
        Ok(None) => Found::None,
        Err(Stop::Fault(fault)) if !fault.message.contains("bug") => Found::Unknown,
        Err(Stop::Work) => Found::Unknown,
        Err(stop) => panic!("{stop}\n{bounds:?} {endless:?}\n{about}"),
    }
}

/// Whether there is a lasso within some bounds, by the states that the rounds reach.
fn listed(program: &Lowering, bounds: Bounds, endless: Endless, work: u64, about: &str) -> Found {
    let rounds = Rounds { stem: bounds.stem_rounds() as usize, lasso: bounds.lasso as usize };
    match within(program, rounds, endless, &Budget::default().with_work(work)) {
        Ok(Within::Lasso(lasso)) => {
            let checked = recheck(program, &[], &Evidence::Lasso(lasso));
            assert!(checked.is_ok(), "{checked:?}\n{bounds:?} {endless:?}\n{about}");
            Found::Lasso
        }
        Ok(Within::None) => Found::None,
        Ok(Within::Refused) | Err(Stop::Work) => Found::Unknown,
        Err(Stop::Fault(fault)) if !fault.message.contains("bug") => Found::Unknown,
        Err(stop) => panic!("{stop}\n{about}"),
    }
}

/// The first bound with a lasso, with K1 + K2 at most this.
fn first(program: &Lowering, most: u32, endless: Endless, about: &str) -> Option<Bounds> {
    let bounds = all_bounds().take_while(|b| b.stem + b.lasso <= most);
    bounds.into_iter().find(|&b| found(program, b, endless, PATIENT, about) == Found::Lasso)
}

#[test]
fn growing_bounds_agree_with_the_exact_search() {
    agree_with_the_exact_search(many(600), &generate::program);
}

/// One thread sets things up and ends, or all go round a few times only.
#[test]
fn growing_bounds_agree_where_threads_end() {
    agree_with_the_exact_search(many(200), &|seed| generate::ending(seed, false));
}

fn agree_with_the_exact_search(seeds: u64, made: &dyn Fn(u64) -> String) {
    let (mut asked, mut same, mut by_bound, mut missed) = (0, 0, [0; 5], Vec::new());
    for seed in 0..seeds {
        let text = made(seed);
        let program = read(&text);
        let fairness = if seed % 2 == 0 { Fairness::Strong } else { Fairness::Weak };
        let endless = Endless { fairness, ended: seed % 8 >= 4 };
        let question = Question { system: &program, endless, evidence: false };
        let expected = match search(&question, &Budget::default(), &|_| {}).verdict {
            Verdict::Nonterminating { .. } => true,
            Verdict::Terminating { .. } => false,
            other => panic!("{other:?}\n{text}"),
        };
        asked += 1;
        let most = if expected { 4 } else { 3 };
        let about = format!("seed {seed}\n{text}");
        match first(&program, most, endless, &about) {
            Some(bounds) => {
                assert!(expected, "there is no such run: {bounds:?} {endless:?}\n{about}");
                by_bound[(bounds.stem + bounds.lasso) as usize] += 1;
                same += 1;
            }
            None if expected => missed.push(seed),
            None => same += 1,
        }
    }
    println!(
        "{asked} programs, {same} agree; found with K1 + K2: {by_bound:?}; missed: {missed:?}"
    );
    assert!(by_bound.iter().sum::<usize>() > asked / 10, "{by_bound:?}");
    assert!(missed.is_empty(), "not found: {missed:?}");
}

/// Procedures, recursion, numbers and arrays: what is found is a lasso, and the printed program is one.
#[test]
fn lassos_of_recursive_programs_are_lassos() {
    let shape = Shape {
        globals: 2,
        locals: 1,
        statements: 3,
        depth: 2,
        dynamic_threads: false,
        predicates: false,
        ..Shape::default()
    };
    let (mut lassos, mut compared) = (0, 0);
    let from = std::env::var("SELVEDGE_FROM").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    // In program 730 a loop swaps in a value that is chosen, as its condition.
    'programs: for seed in (from..many(200)).chain([730]) {
        let shape = Shape { chosen_indices: seed % 3 == 0, ..shape.clone() };
        let program = random_program(seed, &shape);
        let about = format!("seed {seed}\n{}", print::weave(&program));
        let Some(program) = lowered(program) else { continue };
        for fairness in Fairness::ALL {
            let endless = Endless { fairness, ended: seed % 2 == 0 };
            for (stem, lasso) in [(1, 1), (2, 1), (1, 2)] {
                let bounds = Bounds { stem, lasso };
                let known = found(&program, bounds, endless, IMPATIENT, &about);
                lassos += usize::from(known == Found::Lasso);
                // The states show the same, and more: where a thread waits, or leaves the
                // procedure in which the period begins.
                let by_states = listed(&program, bounds, endless, IMPATIENT, &about);
                if by_states == Found::Unknown {
                    continue 'programs;
                }
                if known == Found::Lasso {
                    compared += 1;
                    assert_eq!(by_states, known, "{bounds:?} {endless:?}\n{about}");
                }
            }
        }
    }
    println!("{lassos} lassos, {compared} answers compared with those by states");
    assert!(lassos > 20 && compared > 20, "{lassos} {compared}");
}

#[test]
fn bounds_are_exact() {
    let (mut compared, mut lassos, mut unknown) = (0, 0, 0);
    for seed in 0..many(30) {
        let text = match seed % 3 {
            0 => generate::ending(seed, false),
            _ => generate::program(seed + 100_000),
        };
        // Which choices were made is not in the states.
        if text.contains("fair") {
            continue;
        }
        let program = read(&text);
        for fairness in Fairness::ALL {
            let endless = Endless { fairness, ended: seed % 2 == 0 };
            for (stem, lasso) in [(0, 1), (1, 1), (2, 1), (0, 2), (1, 2)] {
                let bounds = Bounds { stem, lasso };
                let Some(expected) = naive::lasso(&program, bounds, endless) else { continue };
                let about = format!("seed {seed}\n{text}");
                let expected = if expected { Found::Lasso } else { Found::None };
                let by_states = listed(&program, bounds, endless, PATIENT, &about);
                assert_eq!(by_states, expected, "by states: {bounds:?} {endless:?}\n{about}");
                let known = found(&program, bounds, endless, PATIENT, &about);
                if known == Found::Unknown {
                    unknown += 1;
                    continue;
                }
                // Steps on locals alone may come before a period that begins at once.
                let is_exact = stem > 0 || expected == Found::Lasso;
                assert!(!is_exact || known == expected, "{bounds:?} {endless:?}\n{about}");
                compared += 1;
                lassos += usize::from(known == Found::Lasso);
            }
        }
    }
    println!("{compared} answers agree, {lassos} of them lassos; {unknown} not in time");
    assert!(compared > 100 && lassos > 20 && unknown * 10 <= compared, "{compared} {lassos}");
}
