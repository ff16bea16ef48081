//! An *unsafe* answer has the fewest contexts, and then the fewest steps: held against the plain enumeration, over random
//! programs and over the examples. And it is the same with one worker and with two.

use std::path::Path;
use std::sync::Arc;

use num_bigint::BigInt;
use selvedge::{
    Deadlocks, InputOptions, Opened, Options, Resource, Subject, Verdict, VerdictName, Wanted,
    verify,
};
use selvedge_analysis::naive::Naive;
use selvedge_model::System;
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Lowering, Source, ThreadCounts, print};

/// How many random cases to try; `SELVEDGE_SEEDS=2000` makes tests thorough.
fn many(usual: u64) -> u64 {
    std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// The fewest contexts that go wrong, by the definition; `None` if there are too many states to be listed.
fn fewest(system: &dyn System, most: usize) -> Option<Option<usize>> {
    let mut naive = Naive::with_limit(system, 20_000).ok()?;
    for contexts in 0..=most {
        let wrong =
            |(state, _): (&selvedge_model::State, usize)| system.wrong(state.shared).is_some();
        if naive.states().any(wrong) {
            return Some(Some(contexts));
        }
        naive.advance().ok()?;
    }
    Some(None)
}

/// The fewest steps of a run within so many contexts that goes wrong, breadth first.
fn fewest_steps(system: &dyn System, contexts: usize) -> Option<usize> {
    use selvedge_model::{State, ThreadId, step};
    use std::collections::{HashMap, HashSet};
    let mut level: HashSet<(State, Option<ThreadId>, usize)> =
        system.initial().ok()?.into_iter().map(|state| (state, None, 0)).collect();
    let mut best: HashMap<(State, Option<ThreadId>), usize> = HashMap::new();
    for steps in 0.. {
        if level.iter().any(|(state, ..)| system.wrong(state.shared).is_some()) {
            return Some(steps);
        }
        let mut next = HashSet::new();
        for (state, last, used) in level {
            for thread in state.thread_ids() {
                let used = if last == Some(thread) { used } else { used + 1 };
                if used > contexts {
                    continue;
                }
                for (_, after) in step(system, &state, thread).ok()? {
                    let key = (after.clone(), Some(thread));
                    if best.get(&key).is_none_or(|&before| used < before) {
                        best.insert(key, used);
                        next.insert((after, Some(thread), used));
                    }
                }
            }
        }
        if next.is_empty() || best.len() > 200_000 {
            return None;
        }
        level = next;
    }
    None
}

#[test]
fn unsafe_answers_have_the_fewest_contexts_and_steps() {
    let shapes = [
        Shape {
            recursion: false,
            dynamic_threads: false,
            boolean_programs: false,
            ..Shape::default()
        },
        Shape { dynamic_threads: false, boolean_programs: false, ..Shape::default() },
        Shape { boolean_programs: false, ..Shape::default() },
    ];
    let (mut compared, mut wrong) = (0, 0);
    for seed in 0..many(90) {
        let shape = &shapes[(seed % shapes.len() as u64) as usize];
        let text = print::weave(&random_program(seed, shape));
        let Ok(subject) = Subject::parse("test.weave", text.as_str(), InputOptions::default())
        else {
            panic!("{text}")
        };
        let Some(program) = subject.counted_program().unwrap() else { continue };
        let source = Arc::new(Source::default());
        let Ok(system) = Lowering::new(program, source, &ThreadCounts::new()) else { continue };
        let Some(expected) = fewest(&system, 6) else { continue };
        let answer = |jobs| {
            // The plain enumeration that this is held against knows nothing of deadlocks.
            let deadlock = Deadlocks::No;
            let options = Options { solver: None, jobs, deadlock, ..Options::default() };
            verify(&subject, &options).unwrap_or_else(|e| panic!("{e}\n{text}"))
        };
        let Some(expected) = expected else { continue };
        let (one, two) = (answer(1), answer(2));
        assert_eq!(one.name(), VerdictName::Unsafe, "seed {seed}\n{text}");
        let mut objects = [one.object(), two.object()];
        for object in &mut objects {
            object.time_s = None;
            object.peak_memory_bytes = None;
        }
        let [first, second] = objects.map(|object| serde_json::to_string(&object).unwrap());
        assert_eq!(first, second, "seed {seed}\n{text}");
        // With started threads that need not run, a state of the definition has threads that nobody counts.
        let bound = one.object().bound.expect("a bound");
        if let Some(contexts) = bound.contexts {
            assert_eq!(contexts, expected, "seed {seed}\n{text}");
            if let Some(steps) = fewest_steps(&system, expected) {
                let Verdict::Unsafe(violation) = one.verdict() else { unreachable!("see above") };
                assert_eq!(violation.trace().steps.len(), steps, "seed {seed}\n{text}");
            }
            compared += 1;
        }
        wrong += 1;
    }
    println!("{wrong} go wrong, of {compared} contexts and steps were compared");
    assert!(compared * 4 > wrong * 3, "{compared} of {wrong}");
    assert!(wrong > many(90) / 4, "{wrong}");
}

/// Of the examples that go wrong after a number of contexts, those whose states within fewer contexts can be listed: none of them is
/// a violation. That the answer itself has so many contexts is what its replay says.
#[test]
fn examples_go_wrong_with_the_fewest_contexts() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let list = std::fs::read_to_string(examples.join("expected.tsv")).unwrap();
    let (mut compared, mut too_large, mut other) = (0, Vec::new(), 0);
    // A row that is open has no answer yet.
    let is_answered = |row: &&str| row.contains("\tunsafe\t") && !row.ends_with("\topen");
    for row in list.lines().filter(is_answered) {
        let fields: Vec<&str> = row.split('\t').collect();
        let (mut input, mut options) = (InputOptions::default(), Options::default());
        let mut words = fields[1].split_whitespace();
        while let Some(word) = words.next() {
            let mut named = || words.next().unwrap().split_once('=').unwrap();
            match word {
                "--deadlock" => options.deadlock = Deadlocks::All,
                "--no-deadlock" => options.deadlock = Deadlocks::No,
                "--property" => {
                    input.c.options =
                        selvedge_frontend::c::lower::Options::only(words.next().unwrap()).unwrap();
                }
                "--target" => input.target = Some(words.next().unwrap().to_owned()),
                "--threads" => {
                    let (name, number) = named();
                    input.threads.push((name.to_owned(), number.parse().unwrap()));
                }
                "--const" => {
                    let (name, value) = named();
                    let value = match value {
                        "true" => 1,
                        "false" => 0,
                        number => number.parse().unwrap(),
                    };
                    input.consts.push((name.to_owned(), BigInt::from(value)));
                }
                _ => panic!("{row}"),
            }
        }
        let subject = Subject::read(&examples.join(fields[0]), input).unwrap();
        let answer = verify(&subject, &options).unwrap();
        if answer.name() == VerdictName::Unknown && answer.sentence().contains("solver") {
            eprintln!("{row}: skipped: there is no solver");
            continue;
        }
        let Verdict::Unsafe(violation) = answer.verdict() else { panic!("{row}") };
        let trace = violation.trace();
        let bound = violation.bound();
        if bound.resource != Resource::Contexts {
            other += 1;
            continue;
        }
        assert_eq!(trace.contexts(), bound.count, "{row}");
        let wanted = Wanted { deadlock: subject.deadlocks(options.deadlock), ..Wanted::default() };
        // Where there may be any number of threads, so many as the violation has are not the only ones.
        let Ok(opened) = subject.for_engine(wanted) else {
            other += 1;
            continue;
        };
        match is_first(&opened, bound.count) {
            Some(is_first) => assert!(is_first, "{row}: {bound}"),
            None => too_large.push(fields[0]),
        }
        compared += 1;
    }
    println!("{compared} compared, {other} count something else, too large: {too_large:?}");
    assert!(compared > 30 && too_large.len() * 3 < compared, "{compared} {too_large:?}");
}

/// Whether nothing is violated within fewer contexts; `None` if there are too many states to be listed.
fn is_first(opened: &Opened, contexts: usize) -> Option<bool> {
    let system = &*opened.system;
    // Stacks that grow without end, and ever more threads, make states ever larger.
    let grows = system.is_recursive() || system.starts_threads();
    let limit = if grows { 5_000 } else { 100_000 };
    let mut naive = Naive::with_limit(system, limit).ok()?;
    for _ in 1..contexts {
        naive.advance().ok()?;
    }
    let breaks = |state| opened.properties.iter().any(|p| p.is_violated_by(system, state).unwrap());
    Some(!naive.states().any(|(state, _)| breaks(state)))
}
