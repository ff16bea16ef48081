//! Every visible state that an explorer reaches has a run, made from what was explored: within the bound, and to that state. Single stacks and
//! sets of stacks, contexts and rounds, with and without symmetry and started threads; whole stacks, too.

use selvedge_analysis::engine::{Fewest, Method, Question, Verdict, check};
use selvedge_analysis::explore::languages::Languages;
use selvedge_analysis::explore::stacks::Stacks;
use selvedge_analysis::explore::{ContextExplorer, Explorer, RoundExplorer};
use selvedge_analysis::random::{Shape, random_system};
use selvedge_analysis::{Bound, Budget, Resource};
use selvedge_evidence::replay;
use selvedge_model::{Pattern, Property, StackPattern, State, System, TopPattern, VisibleState};

/// How many bounds are explored.
const BOUNDS: usize = 3;

/// How many visible states of a bound get a run.
const TARGETS: usize = 4;

#[derive(Default, Debug)]
struct Tally {
    /// Runs with a bound of more than one.
    runs: usize,
    /// Runs in which a thread acts that was started.
    started: usize,
    /// Runs that end with a stack that was named whole.
    whole: usize,
    /// Runs with more steps than the shortest one.
    longer: usize,
}

/// The property that a visible state breaks. What started threads have on top is left open.
fn never(system: &dyn System, state: &VisibleState) -> Property {
    let first = state.tops.iter().take(system.threads().len());
    let tops = first.map(|top| top.map_or(TopPattern::Empty, TopPattern::Symbol));
    Property::Unreachable(Pattern::Tuple { shared: Some(state.shared), tops: tops.collect() })
}

/// The property that a state breaks, with the whole stack of its first thread.
fn never_with_stack(system: &dyn System, state: &State) -> Property {
    let tops = state.threads.iter().take(system.threads().len()).map(|thread| {
        let top = thread.stack.top().map_or(TopPattern::Empty, TopPattern::Symbol);
        StackPattern::Top(top)
    });
    let mut stacks: Vec<StackPattern> = tops.collect();
    stacks[0] = StackPattern::Whole(state.threads[0].stack.iter().collect());
    Property::Unreachable(Pattern::Configuration { shared: Some(state.shared), stacks })
}

/// Asks for a run to what breaks a property at the current bound, and follows it: the last state.
fn follow(
    system: &dyn System,
    explorer: &mut dyn Explorer,
    property: &Property,
    about: &str,
    tally: &mut Tally,
) -> State {
    let properties = std::slice::from_ref(property);
    let bound = explorer.observations()[explorer.bound()].bound;
    let budget = Budget::default();
    let run = explorer.run(properties, &budget).unwrap_or_else(|stop| panic!("{about}: {stop}"));
    let run = run.expect("a run");
    let states = replay(system, &run).unwrap_or_else(|why| panic!("{about}: {why}"));
    let last = states.last().expect("a state").clone();
    let broken = Property::first_broken(properties, system, &last).expect("decided");
    assert_eq!(broken, Some(0), "{about}");
    let used = match bound.resource {
        Resource::Rounds => run.rounds(),
        _ => run.contexts(),
    };
    assert!(used <= bound.count, "{about}: {used} of {bound}");
    let threads = system.threads().len();
    tally.started += usize::from(run.steps.iter().any(|(thread, _)| thread.index() >= threads));
    tally.runs += usize::from(bound.count > 1);
    if tally.runs.is_multiple_of(8) {
        let shortest = explorer.shortest(properties, &budget).expect("ends").expect("a schedule");
        assert!(shortest.steps.len() <= run.steps.len(), "{about}");
        tally.longer += usize::from(shortest.steps.len() < run.steps.len());
    }
    last
}

fn try_all(
    system: &dyn System,
    mut explorer: impl Explorer,
    about: &str,
    rng: &mut fastrand::Rng,
    tally: &mut Tally,
) {
    let budget = Budget { states: Some(2_000), ..Budget::default() };
    for _ in 0..BOUNDS {
        if explorer.advance(&budget).is_err() {
            return;
        }
        let bound = explorer.bound();
        let about = format!("{about}, bound {bound}");
        let mut targets = explorer.new_visible(bound);
        rng.shuffle(&mut targets);
        for target in targets.iter().take(TARGETS) {
            let last = follow(system, &mut explorer, &never(system, target), &about, tally);
            // What breaks this one may be at an earlier bound, unless it was the first there.
            let named = never_with_stack(system, &last);
            if explorer.violation(bound, std::slice::from_ref(&named)) == Ok(Some(0)) {
                follow(system, &mut explorer, &named, &about, tally);
                tally.whole += 1;
            }
        }
    }
}

#[test]
fn what_is_reached_has_a_run() {
    let mut tally = Tally::default();
    let mut rng = fastrand::Rng::with_seed(5);
    for seed in 0..400 {
        let spawns = seed % 3 == 0;
        let shape = Shape { spawns, threads: if spawns { 2 } else { 3 }, ..Shape::default() };
        let system = random_system(seed, &shape);
        let most = spawns.then_some(4);
        for symmetry in [false, true] {
            let about = format!("seed {seed}, symmetry {symmetry}");
            let stacks = ContextExplorer::new(&system, Stacks::up_to(8), symmetry).expect("starts");
            try_all(&system, stacks.with_at_most_threads(most), &about, &mut rng, &mut tally);
            let languages = most.map_or_else(Languages::default, Languages::starting_at_most);
            let sets = ContextExplorer::new(&system, languages, symmetry).expect("starts");
            let about = format!("{about}, sets");
            try_all(&system, sets.with_at_most_threads(most), &about, &mut rng, &mut tally);
        }
        if !spawns {
            let stacks = RoundExplorer::new(&system, Stacks::up_to(8)).expect("starts");
            try_all(&system, stacks, &format!("seed {seed}, rounds"), &mut rng, &mut tally);
            let sets = RoundExplorer::new(&system, Languages::default()).expect("starts");
            try_all(&system, sets, &format!("seed {seed}, rounds, sets"), &mut rng, &mut tally);
        }
    }
    println!("{tally:?}");
    assert!(tally.runs > 4_000 && tally.started > 800 && tally.whole > 4_000, "{tally:?}");
}

/// Whatever ends the search for the shortest schedule, the run that is there is told, and that it may not be the shortest; with enough work, the
/// shortest one is.
#[test]
fn a_limit_leaves_the_run_that_is_there() {
    let (mut ended, mut longer) = (0, 0);
    for seed in 0..60 {
        let system = random_system(seed, &Shape { threads: 3, ..Shape::default() });
        let mut explorer =
            ContextExplorer::new(&system, Languages::default(), true).expect("starts");
        for _ in 0..BOUNDS {
            explorer.advance(&Budget::default()).expect("ends");
        }
        let Some(target) = explorer.new_visible(BOUNDS).pop() else { continue };
        let properties = [never(&system, &target)];
        let question = Question {
            system: &system,
            properties: &properties,
            method: Method::Symbolic,
            symmetry: true,
            evidence: true,
        };
        let asked = |budget: &Budget| check(&question, Bound::contexts(BOUNDS), budget, &|_| {});
        let Verdict::Unsafe { bound, trace: shortest, .. } = asked(&Budget::default()).verdict
        else {
            panic!("seed {seed}: it was reached");
        };
        let works = std::iter::successors(Some(64_u64), |work| Some(work + work / 16));
        for work in works.take_while(|&work| work < 1 << 20) {
            let outcome = asked(&Budget::default().with_work(work));
            let Verdict::Unsafe { bound: shown, trace, .. } = outcome.verdict else { continue };
            assert_eq!(shown, bound, "seed {seed}");
            assert!(outcome.evidence.is_some(), "seed {seed}");
            let states = replay(&system, &trace).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
            let last = states.last().expect("a state");
            assert_eq!(Property::first_broken(&properties, &system, last), Ok(Some(0)));
            assert!(trace.contexts() <= bound.count, "seed {seed}");
            match outcome.fewest {
                Fewest::Steps => assert_eq!(trace.steps.len(), shortest.steps.len(), "seed {seed}"),
                Fewest::Bound(_) => {
                    ended += 1;
                    longer += usize::from(trace.steps.len() > shortest.steps.len());
                }
                other => panic!("seed {seed}: {other:?}"),
            }
        }
    }
    println!("{ended} searches were ended, {longer} with a longer run");
    assert!(ended > 5 && longer > 0, "{ended}, {longer}");
}
