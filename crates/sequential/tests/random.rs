//! Random programs: what the symbolic engines find in each round is what the definition of a step
//! gives, one state at a time.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use selvedge_analysis::engine::Verdict;
use selvedge_analysis::reduce::{Direction, Reduction};
use selvedge_analysis::{Bound, Budget, Stop};
use selvedge_bdd::Bdd;
use selvedge_core::Kind;
use selvedge_core::Loc;
use selvedge_evidence::{Trace, replay};
use selvedge_model::{Property, State, System, ThreadId, step};
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Lowering, Source, ThreadCounts, Value};
use selvedge_sequential::engine::{RoundsQuestion, check_focused};
use selvedge_sequential::{Calls, Focus, Guesses, Layout, Local, Options, Rounds, Scalar, Shared};

/// The shared states after each round, and the first round in which a thread goes wrong.
struct Explicit {
    reached: Vec<BTreeSet<String>>,
    wrong: Option<usize>,
}

/// By the definition: thread by thread and round by round, one step at a time. `None` if there are
/// too many states.
fn explicit(system: &Lowering, rounds: usize, most: usize) -> Option<Explicit> {
    let mut states: HashSet<State> = system.initial().ok()?.into_iter().collect();
    let mut shared: BTreeSet<String> = BTreeSet::new();
    let mut note = |states: &HashSet<State>| {
        let keys = states.iter().map(|state| system.keys().shared_key(state.shared));
        shared.extend(keys.filter(|key| !key.contains(['r', 'w'])));
        shared.clone()
    };
    let mut reached = vec![note(&states)];
    for round in 1..=rounds {
        for thread in 0..system.threads().len() {
            let mut work: Vec<State> = states.iter().cloned().collect();
            while let Some(state) = work.pop() {
                if system.wrong(state.shared).is_some() {
                    return Some(Explicit { reached, wrong: Some(round) });
                }
                for (_, next) in step(system, &state, ThreadId::from(thread)).ok()? {
                    if states.insert(next.clone()) {
                        work.push(next);
                    }
                }
                if states.len() > most {
                    return None;
                }
            }
            note(&states);
            // Results on their way are for the thread that runs.
            states.retain(|state| !system.keys().shared_key(state.shared).contains('r'));
        }
        reached.push(note(&states));
    }
    Some(Explicit { reached, wrong: None })
}

/// All valuations that a key stands for.
fn valuations(system: &Lowering, key: &str) -> Vec<Vec<Value>> {
    let mut all = vec![Vec::new()];
    let slots = &system.code().shared;
    for (text, slot) in key.split(',').filter(|text| !text.is_empty()).zip(slots) {
        let domain = slot.kind.span().expect("finitely many values");
        let values: Vec<Value> = match text {
            "?" => (0..domain.count as i64).map(|n| Value::Small(domain.first + n)).collect(),
            text => vec![Value::Small(text.parse().expect("a number"))],
        };
        all = all
            .iter()
            .flat_map(|prefix| {
                values.iter().map(move |v| [prefix.clone(), vec![v.clone()]].concat())
            })
            .collect();
    }
    all
}

fn symbolic(
    system: &Lowering,
    rounds: usize,
    options: Options,
    expected: &Explicit,
    seed: u64,
) -> usize {
    // Few shared bits are laid out by rounds, unless this is asked for.
    let layout = if seed.is_multiple_of(3) { Layout::ByVariable } else { Layout::ByRound };
    let mut engine = match Rounds::with_layout(system, rounds, options, layout, &Budget::default())
    {
        Ok(engine) => engine,
        Err(Stop::Fault(_)) => return 0, // a type without end, or too large
        Err(stop) => panic!("seed {seed}: {stop}"),
    };
    for round in 1..=rounds {
        let violation = engine.advance().expect("no limits");
        if expected.wrong == Some(round) {
            let violation =
                violation.unwrap_or_else(|| panic!("seed {seed} {options:?} misses it"));
            assert_eq!(violation.rounds, round, "seed {seed} {options:?}");
            let trace = engine.trace(&violation);
            let trace = trace.unwrap_or_else(|e| panic!("seed {seed} {options:?}: {e}"));
            let states = replay(system, &trace).expect("a run");
            let last = states.last().expect("a state");
            assert!(system.wrong(last.shared).is_some(), "seed {seed} {options:?}");
            assert!(rounds_of(&trace) <= round, "seed {seed} {options:?}");
            return round;
        }
        assert_eq!(violation, None, "seed {seed} {options:?} round {round}");
        let states: BTreeSet<Vec<Value>> =
            expected.reached[round].iter().flat_map(|key| valuations(system, key)).collect();
        let reached = engine.reached();
        for state in &states {
            let mut diagram = reached;
            for (slot, value) in state.iter().enumerate() {
                let literals = engine.space.literals(Scalar::Shared(slot, Shared::Next(0)), value);
                diagram = engine.space.bdds.restrict(diagram, &literals.unwrap()).unwrap();
            }
            assert_eq!(
                diagram,
                selvedge_bdd::Bdd::TRUE,
                "seed {seed} {options:?} misses {state:?}"
            );
        }
        let count = engine.seen()[round].shared;
        assert_eq!(count, Some(states.len() as u128), "seed {seed} {options:?} round {round}");
    }
    rounds
}

/// The answer with shared variables hidden as long as that is possible.
fn focused(
    system: &Lowering,
    rounds: usize,
    guesses: Guesses,
    focus: Focus,
    expected: &Explicit,
    seed: u64,
) {
    let options = Options { guesses, ..Options::default() };
    let properties = [Property::NeverWrong];
    let asked = RoundsQuestion { program: system, properties: &properties, evidence: false };
    let budget = Budget::default();
    let outcome = check_focused(&asked, rounds, options, Ok(focus), &budget, &|_| {});
    match (outcome.verdict, expected.wrong) {
        (Verdict::Unsafe { bound, trace, .. }, Some(round)) => {
            assert_eq!(bound, Bound::rounds(round), "seed {seed} {guesses:?}");
            let states = replay(system, &trace).expect("a run");
            let last = states.last().expect("a state");
            assert!(system.wrong(last.shared).is_some(), "seed {seed} {guesses:?}");
            assert!(rounds_of(&trace) <= round, "seed {seed} {guesses:?}");
        }
        (Verdict::Bounded { bound }, None) => {
            assert_eq!(bound, Bound::rounds(rounds), "seed {seed} {guesses:?}");
        }
        (Verdict::Safe(_), None) => assert_eq!(system.thread_count(), 1, "seed {seed}"),
        (verdict, wrong) => panic!("seed {seed} {guesses:?}: {verdict:?}, not {wrong:?}"),
    }
}

/// How many rounds a run needs.
fn rounds_of(trace: &Trace) -> usize {
    let (mut rounds, mut last) = (usize::from(!trace.steps.is_empty()), None);
    for (thread, _) in &trace.steps {
        if last.is_some_and(|last| *thread < last) {
            rounds += 1;
        }
        last = Some(*thread);
    }
    rounds
}

/// The pushdown reduction, as far as it gets in a moment; how many rounds that was.
fn reduced(
    system: &Lowering,
    direction: Direction,
    rounds: usize,
    expected: &Explicit,
    seed: u64,
) -> usize {
    let budget = Budget::default().with_work(1 << 16);
    let properties = [Property::NeverWrong];
    let reduction = Reduction::new(system, &properties, direction, &budget);
    let Ok(mut reduction) = reduction else { return 0 };
    for round in 1..=rounds {
        let Ok(found) = reduction.advance(&budget) else { return round - 1 };
        assert_eq!(found.violated.is_some(), expected.wrong == Some(round), "seed {seed}");
        if found.violated.is_some() {
            return round;
        }
        let shared = reduction.shared().iter().map(|shared| system.keys().shared_key(*shared));
        let shared: BTreeSet<String> = shared.filter(|key| !key.contains(['r', 'w'])).collect();
        assert_eq!(shared, expected.reached[round], "seed {seed} round {round}");
    }
    rounds
}

fn compare(shape: &Shape, seeds: std::ops::Range<u64>, rounds: usize) -> (usize, usize) {
    let (mut compared, mut wrong, mut by_reduction) = (0, 0, 0);
    for seed in seeds {
        let program = Arc::new(random_program(seed, shape));
        let source = Arc::new(Source::new("random.weave", ""));
        let Ok(system) = Lowering::new(program, source, &ThreadCounts::new()) else { continue };
        if system.starts_threads() || system.thread_count() > 4 {
            continue;
        }
        let Some(expected) = explicit(&system, rounds, 2_000) else { continue };
        let mut all = 0;
        for guesses in [Guesses::Lazy, Guesses::Eager, Guesses::Near] {
            for calls in [Calls::Lazy, Calls::Eager] {
                if (guesses, calls) == (Guesses::Lazy, Calls::Eager) {
                    continue;
                }
                all += symbolic(&system, rounds, Options { guesses, calls }, &expected, seed);
            }
        }
        if all > 0 {
            for guesses in [Guesses::Lazy, Guesses::Near] {
                let needed = Focus::needed(&system).expect("a finite program");
                for focus in [Focus::none(&system), needed] {
                    focused(&system, rounds, guesses, focus, &expected, seed);
                }
            }
            compared += 1;
            wrong += usize::from(expected.wrong.is_some());
            let direction =
                if seed.is_multiple_of(2) { Direction::Forward } else { Direction::Backward };
            by_reduction += usize::from(reduced(&system, direction, rounds, &expected, seed) > 0);
        }
    }
    println!("{by_reduction} of {compared} by the pushdown reduction, too");
    assert!(2 * by_reduction > compared);
    (compared, wrong)
}

/// How many programs to try; more for a long run.
fn seeds(usual: u64) -> std::ops::Range<u64> {
    let asked = std::env::var("SELVEDGE_SEEDS").ok().and_then(|text| text.parse().ok());
    0..asked.unwrap_or(usual)
}

// Atomic sections with recursion in them are slow to enumerate, so that the two do not come
// together.

#[test]
fn recursive_programs() {
    let shape = Shape { threads: 3, globals: 3, atomic: false, ..Shape::boolean() };
    let (compared, wrong) = compare(&shape, seeds(900), 3);
    println!("{compared} programs, {wrong} go wrong");
    assert!(compared > 400 && wrong > 60);
}

#[test]
fn programs_with_atomic_sections() {
    let shape = Shape { threads: 3, globals: 3, recursion: false, ..Shape::boolean() };
    let (compared, wrong) = compare(&shape, seeds(600), 3);
    println!("{compared} programs, {wrong} go wrong");
    assert!(compared > 300 && wrong > 40);
}

#[test]
fn programs_with_numbers_and_locks() {
    let shape = Shape {
        threads: 2,
        globals: 3,
        recursion: false,
        dynamic_threads: false,
        predicates: false,
        ..Shape::default()
    };
    let (compared, wrong) = compare(&shape, seeds(600), 2);
    println!("{compared} programs, {wrong} go wrong");
    assert!(compared > 100 && wrong > 20);
}

#[test]
fn four_threads_four_rounds() {
    let shape = Shape { threads: 4, globals: 2, statements: 3, atomic: false, ..Shape::plain() };
    let (compared, wrong) = compare(&shape, seeds(400), 4);
    println!("{compared} programs, {wrong} go wrong");
    assert!(compared > 150 && wrong > 20);
}

/// All values of one scalar.
fn values(kind: &Kind, value: &Value) -> Vec<Value> {
    match (value, kind.span()) {
        (Value::Open, Some(domain)) => {
            (0..domain.count as i64).map(|n| Value::Small(domain.first + n)).collect()
        }
        (value, _) => vec![value.clone()],
    }
}

fn product(lists: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    lists.into_iter().fold(vec![Vec::new()], |all, list| {
        let longer =
            |all: Vec<Value>| list.iter().map(move |v| [all.clone(), vec![v.clone()]].concat());
        all.into_iter().flat_map(longer).collect()
    })
}

/// Values of shared variables and locals, place by place.
type Places = BTreeMap<Loc, BTreeSet<Vec<Value>>>;

/// The locations that a thread stands at, with the values of the shared variables and of the
/// locals that are still read; and whether it goes wrong. `None` if that is too much.
fn places(system: &Lowering, most: usize) -> Option<(Places, bool)> {
    let mut states: HashSet<State> = system.initial().ok()?.into_iter().collect();
    let mut work: Vec<State> = states.iter().cloned().collect();
    let mut places = Places::new();
    while let Some(state) = work.pop() {
        if system.wrong(state.shared).is_none()
            && let Some((loc, locals)) =
                state.threads[0].stack.top().and_then(|top| system.frame_of_symbol(top))
            && system.results_of(state.shared).is_empty()
        {
            let proc = system.code().location(loc).proc;
            let globals = system.values_of(state.shared);
            let globals = globals.iter().zip(&system.code().shared);
            let mut lists: Vec<_> = globals.map(|(v, slot)| values(&slot.kind, v)).collect();
            for slot in system.live_slots(loc) {
                let frame = &system.code().proc(proc).frame;
                lists.push(values(&frame[slot].kind, &locals[slot]));
            }
            if lists.iter().map(Vec::len).product::<usize>() > most {
                return None;
            }
            places.entry(loc).or_default().extend(product(lists));
        }
        for (_, next) in step(system, &state, ThreadId::from(0)).ok()? {
            if states.insert(next.clone()) {
                work.push(next);
            }
        }
        if states.len() > most {
            return None;
        }
    }
    let goes_wrong = states.iter().any(|state| system.wrong(state.shared).is_some());
    Some((places, goes_wrong))
}

#[test]
fn reachable_values_at_each_place_of_one_thread() {
    let shape = Shape { threads: 1, globals: 3, atomic: false, ..Shape::plain() };
    let (compared, _) = compare_places(&shape, 500);
    assert!(compared > 150);
}

/// What a procedure touches may depend on its arguments.
#[test]
fn reachable_values_where_procedures_touch_some_elements() {
    let shape = Shape { threads: 1, atomic: false, ..Shape::plain() };
    let shape = Shape { arrays: true, numbers: true, enums: true, locks: true, ..shape };
    let (compared, wrong) = compare_places(&shape, 700);
    assert!(compared > 150 && wrong > 50);
    let (compared, _) = compare_places(&Shape { chosen_indices: true, ..shape }, 300);
    assert!(compared > 40);
}

/// Compares the values at each place of programs with one thread, and whether they go wrong: how
/// many were compared, and how many go wrong.
fn compare_places(shape: &Shape, count: u64) -> (usize, usize) {
    let (mut compared, mut wrong) = (0, 0);
    for seed in seeds(count) {
        let program = Arc::new(random_program(seed, shape));
        let source = Arc::new(Source::new("random.weave", ""));
        let Ok(system) = Lowering::new(program, source, &ThreadCounts::new()) else { continue };
        if system.thread_count() != 1 {
            continue;
        }
        let Some((expected, goes_wrong)) = places(&system, 3_000) else { continue };
        let expected: Vec<(Loc, u128)> = expected
            .iter()
            .filter(|(loc, _)| !system.code().receives(**loc))
            .map(|(loc, values)| (*loc, values.len() as u128))
            .collect();
        let ways = [
            (Guesses::Eager, Calls::Lazy),
            (Guesses::Eager, Calls::Eager),
            (Guesses::Lazy, Calls::Lazy),
        ];
        for (guesses, calls) in ways {
            let options = Options { guesses, calls };
            let Ok(mut engine) = Rounds::new(&system, 1, options, &Budget::default()) else {
                continue; // a type without end
            };
            let violation = engine.advance().expect("no limits");
            assert_eq!(violation.is_some(), goes_wrong, "seed {seed} {options:?}");
            if let Some(violation) = violation {
                let trace = engine.trace(&violation).expect("a run");
                let last = replay(&system, &trace).expect("the run").pop().expect("a state");
                assert!(system.wrong(last.shared).is_some(), "seed {seed} {options:?}");
                wrong += 1;
                continue; // it ended where it went wrong
            }
            let found = engine.reachable(0).expect("no limits");
            let count = |(loc, set): (&Loc, &Bdd)| {
                let proc = system.code().location(*loc).proc;
                let live = system.live_slots(*loc).into_iter();
                let live = live.map(|slot| Scalar::Local(proc, slot, Local::Now));
                let bits = engine.space.shared(Shared::Out(0)).len()
                    + live.map(|place| engine.space.scalar(place).len()).sum::<usize>();
                (*loc, engine.space.bdds.sat_count_exact(*set, bits).expect("a number"))
            };
            let found = found.iter().filter(|(loc, _)| !system.code().receives(**loc));
            assert_eq!(found.map(count).collect::<Vec<_>>(), expected, "seed {seed} {options:?}");
            compared += 1;
        }
    }
    println!("{compared} comparisons, {wrong} programs that go wrong");
    (compared, wrong)
}
