//! A violation that several workers find has the run that one explorer finds: as many contexts, as few steps, and the same run for any number of workers; also where another run has
//! explored the first bounds.

use std::path::Path;
use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_analysis::engine::{Fewest, Method, Question, Spread, Verdict, check, check_spread};
use selvedge_analysis::explore::share::Terms;
use selvedge_analysis::explore::stacks::Stacks;
use selvedge_analysis::explore::{ContextExplorer, Explorer};
use selvedge_analysis::random::{Shape, random_system};
use selvedge_distribute::{Checkpoints, Fleet};
use selvedge_evidence::{Trace, replay};
use selvedge_model::{Pattern, Property, StackPattern, System, TopPattern, VisibleState};

use crate::local::Text;
use crate::resume::folder;

/// How many contexts are explored.
const BOUNDS: usize = 4;

/// How many states are stored at most.
const STATES: usize = 2000;

/// How many visible states of a bound get a run.
const TARGETS: usize = 1;

fn shape(spawns: bool) -> Shape {
    Shape { spawns, threads: if spawns { 2 } else { 3 }, ..Shape::default() }
}

/// How many threads there are at most where threads are started.
const MOST: usize = 4;

/// The property that a visible state breaks. What started threads have on top is left open.
fn never(system: &dyn System, state: &VisibleState) -> Property {
    let first = state.tops.iter().take(system.threads().len());
    let tops = first.map(|top| top.map_or(TopPattern::Empty, TopPattern::Symbol));
    Property::Unreachable(Pattern::Tuple { shared: Some(state.shared), tops: tops.collect() })
}

/// The property that is broken at the end of a run, with the whole stack of the first thread.
fn never_with_stack(system: &dyn System, run: &Trace) -> Property {
    let last = replay(system, run).expect("it was replayed").pop().expect("a state");
    let stacks = last.threads.iter().take(system.threads().len()).enumerate();
    let stacks = stacks.map(|(number, thread)| match number {
        0 => StackPattern::Whole(thread.stack.iter().collect()),
        _ => {
            let top = thread.stack.top();
            StackPattern::Top(top.map_or(TopPattern::Empty, TopPattern::Symbol))
        }
    });
    let stacks = stacks.collect();
    Property::Unreachable(Pattern::Configuration { shared: Some(last.shared), stacks })
}

/// Sees whether a run breaks a property within so many contexts.
fn holds(system: &dyn System, run: &Trace, property: &Property, contexts: usize, about: &str) {
    let states = replay(system, run).unwrap_or_else(|why| panic!("{about}: {why}"));
    let last = states.last().expect("a state");
    let broken = Property::first_broken(std::slice::from_ref(property), system, last);
    assert_eq!(broken.expect("decided"), Some(0), "{about}");
    assert!(run.contexts() <= contexts, "{about}: {} of {contexts}", run.contexts());
}

fn fleet(
    system: &Arc<dyn System>,
    property: &Property,
    workers: usize,
    checkpoints: Checkpoints,
) -> Fleet {
    let (system, properties) = (Arc::clone(system), vec![property.clone()]);
    Fleet::local(workers, Arc::new(Text { system, properties, checkpoints })).unwrap()
}

/// Asks fleets about what is broken after so many contexts, and holds their runs against that of one explorer; which is the shortest one.
fn asked(
    system: &Arc<dyn System>,
    property: &Property,
    bound: usize,
    terms: Terms,
    about: &str,
) -> Trace {
    let properties = std::slice::from_ref(property);
    let question = Question {
        system: &**system,
        properties,
        method: Method::Explicit,
        symmetry: terms.symmetry,
        evidence: false,
    };
    let budget = Budget::default();
    let mut one = ContextExplorer::new(&**system, Stacks::default(), terms.symmetry)
        .unwrap()
        .with_at_most_threads(terms.most_threads);
    while one.bound() < bound {
        one.advance(&budget).unwrap();
    }
    assert_eq!(one.violation(bound, properties), Ok(Some(0)), "{about}");
    let shortest = one.shortest(properties, &budget).unwrap().expect("a schedule");
    let mut known: Option<[Trace; 2]> = None;
    for workers in [1, 2, 3] {
        let about = format!("{about}, {workers} workers");
        let fleet = fleet(system, property, workers, Checkpoints::default());
        let form = fleet.of("plain");
        let mut many = form.explorer(terms).unwrap();
        while many.bound() < bound {
            many.advance(&budget).unwrap();
        }
        assert_eq!(many.violation(bound, properties), Ok(Some(0)), "{about}");
        let runs = [
            many.run(properties, &budget).unwrap().expect("a run"),
            many.shortest(properties, &budget).unwrap().expect("a run"),
        ];
        for run in &runs {
            holds(&**system, run, property, bound, &about);
        }
        assert_eq!(runs[1].steps.len(), shortest.steps.len(), "{about}");
        let first = known.get_or_insert_with(|| runs.clone());
        assert_eq!(*first, runs, "{about}: it depends on the number of workers");
        drop(many);
        if terms.most_threads.is_none() {
            let outcome = check_spread(&question, &form, bound, &budget, &|_| {});
            let Verdict::Unsafe { trace, .. } = &outcome.verdict else {
                panic!("{about}: {:?}", outcome.verdict)
            };
            assert_eq!((trace, &outcome.fewest), (&runs[1], &Fewest::Steps), "{about}");
        }
    }
    known.expect("some").into_iter().next_back().expect("two")
}

fn many(seeds: u64) -> u64 {
    let given = std::env::var("SELVEDGE_SEEDS").ok();
    given.and_then(|count| count.parse().ok()).unwrap_or(seeds)
}

#[test]
fn violations_have_the_fewest_steps() {
    let mut rng = fastrand::Rng::with_seed(20);
    let (mut runs, mut deep, mut started) = (0, 0, 0);
    let seeds = many(60);
    for seed in 0..seeds {
        let spawns = seed % 3 == 0;
        let shape = shape(spawns);
        let system: Arc<dyn System> = Arc::new(random_system(seed, &shape));
        let most_threads = spawns.then_some(MOST);
        let terms = Terms { symmetry: seed % 2 == 0, highest: None, most_threads };
        let budget = Budget { states: Some(STATES), ..Budget::default() };
        let explorer = ContextExplorer::new(&*system, Stacks::default(), terms.symmetry).unwrap();
        let mut explorer = explorer.with_at_most_threads(most_threads);
        for bound in 0..=BOUNDS {
            let mut targets = explorer.new_visible(bound);
            rng.shuffle(&mut targets);
            for target in targets.iter().take(TARGETS) {
                let property = never(&*system, target);
                let properties = std::slice::from_ref(&property);
                if (0..bound).any(|less| explorer.violation(less, properties) != Ok(None)) {
                    continue; // it stands for more than one visible state
                }
                let about = format!("seed {seed}, bound {bound}");
                let run = asked(&system, &property, bound, terms, &about);
                runs += 1;
                deep += usize::from(run.contexts() > 2);
                let first = system.threads().len();
                started += usize::from(run.steps.iter().any(|(by, _)| by.index() >= first));
                let named = never_with_stack(&*system, &run);
                let named_properties = std::slice::from_ref(&named);
                if (0..bound).all(|less| explorer.violation(less, named_properties) == Ok(None)) {
                    asked(&system, &named, bound, terms, &format!("{about}, a whole stack"));
                }
            }
            if explorer.advance(&budget).is_err() {
                break;
            }
        }
    }
    println!("{runs} runs, {deep} deep, {started} with started threads, of {seeds}");
    assert!(runs as u64 > seeds && (seeds < 60 || deep > 3), "{runs} runs, {deep} deep");
}

/// The bounds of states that another run has found are not known, and nor are the moves that it made.
#[test]
fn violations_are_followed_beyond_a_checkpoint() {
    let mut compared = 0;
    let seeds = many(60);
    for seed in 0..seeds {
        let system: Arc<dyn System> = Arc::new(random_system(seed, &shape(false)));
        let symmetry = seed % 2 == 0;
        let budget = Budget { states: Some(STATES), ..Budget::default() };
        let mut explorer = ContextExplorer::new(&*system, Stacks::default(), symmetry).unwrap();
        while explorer.bound() < BOUNDS && explorer.advance(&budget).is_ok() {}
        let bound = explorer.bound();
        let Some(target) = explorer.new_visible(bound).pop().filter(|_| bound > 1) else {
            continue;
        };
        let property = never(&*system, &target);
        let properties = std::slice::from_ref(&property);
        if (0..bound).any(|less| explorer.violation(less, properties) != Ok(None)) {
            continue;
        }
        let question = Question {
            system: &*system,
            properties,
            method: Method::Explicit,
            symmetry,
            evidence: false,
        };
        let one = check(
            &question,
            selvedge_analysis::Bound::contexts(bound),
            &Budget::default(),
            &|_| {},
        );
        let Verdict::Unsafe { trace: shortest, .. } = one.verdict else { panic!("seed {seed}") };
        for kept in 0..bound {
            let about = format!("seed {seed}, from {kept} to {bound}");
            let folder = folder(&format!("violation-{seed}"));
            let at = |save: Option<&Path>, load: Option<&Path>| Checkpoints {
                save: save.map(Path::to_owned),
                load: load.map(Path::to_owned),
                question: "this".to_owned(),
            };
            let before = fleet(&system, &property, 2, at(Some(&folder), None));
            let form = before.of("plain");
            check_spread(&question, &form, kept, &Budget::default(), &|_| {});
            if !folder.join("checkpoint").exists() {
                continue;
            }
            let workers = 1 + (seed % 3) as usize;
            let after = fleet(&system, &property, workers, at(None, Some(&folder)));
            let terms = Terms { symmetry, highest: Some(64), most_threads: None };
            let form = after.of("plain");
            let mut many = form.explorer(terms).unwrap();
            assert!(many.bound() == kept, "{about}");
            while many.bound() < bound {
                many.advance(&Budget::default()).unwrap();
            }
            let budget = Budget::default();
            let any = many.run(properties, &budget).unwrap().expect("a run");
            let fewest = many.shortest(properties, &budget).unwrap().expect("a run");
            holds(&*system, &any, &property, bound, &about);
            holds(&*system, &fewest, &property, bound, &about);
            assert_eq!(fewest.steps.len(), shortest.steps.len(), "{about}");
            compared += 1;
        }
    }
    println!("{compared} runs, of {seeds}");
    assert!(compared as u64 > seeds / 10, "{compared} of {seeds}");
}
