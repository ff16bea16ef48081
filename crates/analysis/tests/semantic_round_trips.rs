//! A program that is printed and read again does what it did; so does a table as a program.

use crate::support;

use std::collections::BTreeSet;

use selvedge_analysis::naive::{Naive, NaiveError};
use selvedge_analysis::random::{self, random_system};
use selvedge_frontend::tables::to_program;
use selvedge_model::{Pattern, Property, SharedId, System, TopPattern};
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Count, Program, print};
use support::{Behaviour, lower, read_bp, read_weave};

const SEEDS: std::ops::Range<u64> = 0..200;
const BOUND: usize = 3;
const LIMIT: usize = 1_500;

/// Shapes of programs that are small enough to be enumerated. Either calls or atomic blocks:
/// recursion inside of such a block is followed for long before it is given up.
fn small(shapes: &[Shape]) -> impl Iterator<Item = Shape> {
    shapes.iter().flat_map(|shape| {
        let small =
            Shape { globals: 3, procs: 2, locals: 2, statements: 6, depth: 2, ..shape.clone() };
        [Shape { calls: false, ..small.clone() }, Shape { atomic: false, ..small }]
    })
}

/// A fault without the line, which depends on the text.
fn stopped(behaviour: &Behaviour) -> Option<String> {
    match &behaviour.stopped {
        Some(NaiveError::System(fault)) => Some(fault.message.clone()),
        Some(error) => Some(error.to_string()),
        None => None,
    }
}

#[test]
fn weave_programs_behave_as_before() {
    let (mut compared, mut wrong, mut refused) = (0, 0, 0);
    let machine = Shape { machine: true, ..Shape::default() };
    for shape in small(&[Shape::default(), Shape::boolean(), Shape::plain(), machine]) {
        for seed in SEEDS {
            let program = random_program(seed, &shape);
            let text = print::weave(&program);
            let again = read_weave(&text);
            let (first, second) = match (lower(&program, &text), lower(&again, &text)) {
                (Ok(first), Ok(second)) => (first, second),
                (first, second) => {
                    let messages = [first, second].map(|r| r.err().map(|e| e.to_string()));
                    assert_eq!(messages[0], messages[1], "seed {seed}:\n{text}");
                    refused += 1;
                    continue;
                }
            };
            let first = Behaviour::of(&first, BOUND, LIMIT);
            let second = Behaviour::of(&second, BOUND, LIMIT);
            assert_eq!(first.counts(), second.counts(), "seed {seed}:\n{text}");
            assert_eq!(first.wrong_at(), second.wrong_at(), "seed {seed}:\n{text}");
            assert_eq!(stopped(&first), stopped(&second), "seed {seed}:\n{text}");
            compared += usize::from(first.completed() == Some(BOUND));
            wrong += usize::from(first.wrong.is_some());
        }
    }
    println!("{compared} compared to the end, {wrong} go wrong, {refused} have no flow graph");
    assert!(compared > 500 && wrong > 200 && refused < 200);
}

/// A fixed number of threads of each kind.
fn counted(mut program: Program) -> Program {
    for thread in &mut program.threads {
        if thread.count == Count::Any {
            thread.count = Count::Fixed(1);
        }
    }
    program
}

#[test]
fn boolean_programs_behave_as_before() {
    let locks = Shape { locks: true, boolean_programs: false, ..Shape::boolean() };
    let sections = Shape { atomic: false, ..Shape::boolean() };
    let (mut compared, mut wrong, mut refused) = (0, 0, 0);
    for shape in small(&[Shape::plain(), locks, sections]) {
        for seed in SEEDS {
            let program = counted(random_program(seed, &shape));
            let text = match print::bp(&program) {
                Ok(text) => text,
                Err(why) => {
                    assert!(why.what.contains("does not hold the lock"), "seed {seed}: {why}");
                    refused += 1;
                    continue;
                }
            };
            let again = read_bp(&text);
            let (Ok(first), Ok(second)) = (lower(&program, &text), lower(&again, &text)) else {
                continue;
            };
            let about = || format!("seed {seed}:\n{}\n{text}", print::weave(&program));
            let first = Behaviour::of(&first, BOUND, LIMIT);
            // A thread that starts the others has one context of its own, before all others.
            let second = Behaviour::of(&second, BOUND + 1, LIMIT);
            if let Some(bound) = second.wrong_at().filter(|b| Some(*b) <= first.completed()) {
                assert!(first.wrong_at().is_some_and(|b| b <= bound), "{}", about());
            }
            if let Some((bound, _)) = &first.wrong
                && Some(bound + 1) <= second.completed()
            {
                assert!(second.wrong_at().is_some_and(|b| b <= bound + 1), "{}", about());
                wrong += 1;
            }
            compared += usize::from(first.completed() == Some(BOUND));
        }
    }
    println!("{compared} compared to the end, {wrong} go wrong, {refused} know who holds a lock");
    assert!(compared > 500 && wrong > 200);
}

/// The shared states that at most so many contexts reach, by name.
fn shared_states(
    system: &dyn System,
    bound: usize,
    name: impl Fn(&dyn System, selvedge_model::SharedId) -> String,
) -> Result<Vec<BTreeSet<String>>, NaiveError> {
    let mut naive = Naive::with_limit(system, LIMIT)?;
    for _ in 0..bound {
        naive.advance()?;
    }
    let within = |k: usize| {
        let states = naive.states().filter(|(_, bound)| *bound <= k);
        states.map(|(state, _)| name(system, state.shared)).collect()
    };
    Ok((0..=bound).map(within).collect())
}

#[test]
fn tables_behave_as_before_as_programs() {
    let shape =
        random::Shape { on_empty: false, spawns: true, threads: 2, ..random::Shape::default() };
    let mut compared = 0;
    for seed in SEEDS {
        let tables = random_system(seed, &shape);
        let program = to_program(&tables, &[]).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let text = print::weave(&program);
        let lowered = lower(&read_weave(&text), &text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let as_tables = shared_states(&tables, BOUND, |s, q| s.describe().show_shared(q));
        let as_program = shared_states(&lowered, BOUND, |s, q| {
            s.describe()
                .shared_values(q)
                .iter()
                .next()
                .map(|(_, value)| value.to_string())
                .unwrap_or_default()
        });
        let (Ok(as_tables), Ok(as_program)) = (as_tables, as_program) else { continue };
        assert_eq!(as_tables, as_program, "seed {seed}:\n{text}");
        compared += 1;
    }
    println!("{compared} compared");
    assert!(compared > 150);
}

#[test]
fn targets_about_the_shared_state_are_seen_as_soon() {
    let shape =
        random::Shape { on_empty: false, spawns: true, threads: 2, ..random::Shape::default() };
    let (mut compared, mut reached) = (0, 0);
    for seed in SEEDS {
        let tables = random_system(seed, &shape);
        let target = SharedId::from(seed as usize % tables.shared_count());
        let tops = vec![TopPattern::Any; tables.threads().len()];
        let pattern = Pattern::Tuple { shared: Some(target), tops };
        let Ok(program) = to_program(&tables, &[Property::Unreachable(pattern)]) else { continue };
        let text = print::weave(&program);
        let lowered = lower(&read_weave(&text), &text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let as_program = Behaviour::of(&lowered, BOUND, LIMIT);
        let Ok(as_tables) = shared_states(&tables, BOUND, |s, q| s.describe().show_shared(q))
        else {
            continue;
        };
        let name = tables.describe().show_shared(target);
        let first = as_tables.iter().position(|states| states.contains(&name));
        // A program has to take a step to see where it begins.
        let first = first.map(|bound| bound.max(1));
        if first.is_none() && as_program.completed() != Some(BOUND) {
            continue;
        }
        assert_eq!(as_program.wrong_at(), first, "seed {seed}: {name}\n{text}");
        compared += 1;
        reached += usize::from(first.is_some());
    }
    println!("{compared} compared, {reached} reach their target");
    assert!(compared > 100 && reached > 50);
}
