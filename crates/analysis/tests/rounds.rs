//! Explorers of rounds against the naive enumerator, and rounds against contexts.

use std::collections::BTreeSet;

use selvedge_analysis::engine::{Method, Outcome, Proof, Question, Verdict, check};
use selvedge_analysis::explore::languages::Languages;
use selvedge_analysis::explore::stacks::Stacks;
use selvedge_analysis::explore::{ContextExplorer, Explorer, Locals, RoundExplorer};
use selvedge_analysis::naive::Naive;
use selvedge_analysis::random::{Shape, random_relay, random_system};
use selvedge_analysis::{Bound, Budget, Stop};
use selvedge_evidence::{recheck, replay};
use selvedge_model::{Pattern, Property, System, Tables, TopPattern, VisibleState, Word};

const ROUNDS: usize = 4;

/// Up to four threads, a part of them with infinite contexts; every third one needs many rounds.
fn random(seed: u64) -> Tables {
    match seed % 3 {
        0 => random_relay(seed),
        _ => random_system(seed, &Shape { threads: 4, ..Shape::default() }),
    }
}

fn seen(explorer: &dyn Explorer, bound: usize) -> BTreeSet<VisibleState> {
    explorer.new_visible(bound).into_iter().collect()
}

fn rounds<'a, L: Locals>(system: &'a dyn System, locals: L) -> RoundExplorer<'a, L> {
    let mut explorer = RoundExplorer::new(system, locals).expect("starts");
    for _ in 0..ROUNDS {
        explorer.advance(&Budget::default()).expect("goes on");
    }
    explorer
}

/// In waves the states of each round are the same, and they come in one order for any number of workers.
fn in_waves(system: &dyn System, expected: &RoundExplorer<'_, Stacks>, seed: u64) {
    let mut alone = None;
    for crew in [1, 2, 3] {
        let budget = Budget { crew, ..Budget::default() };
        let explorer = RoundExplorer::new(system, Stacks::default()).expect("starts");
        let mut explorer = explorer.with_waves_from(0);
        for _ in 0..ROUNDS {
            explorer.advance(&budget).expect("goes on");
        }
        assert_eq!(explorer.observations(), expected.observations(), "seed {seed}, {crew} workers");
        let ordered: Vec<_> = (0..=ROUNDS).map(|bound| explorer.new_visible(bound)).collect();
        for (bound, ordered) in ordered.iter().enumerate() {
            let found: BTreeSet<_> = ordered.iter().cloned().collect();
            assert_eq!(found, seen(expected, bound), "seed {seed}, {crew} workers");
        }
        assert_eq!(*alone.get_or_insert_with(|| ordered.clone()), ordered, "seed {seed}, {crew}");
    }
}

/// States, visible states and the collapse, round by round.
#[test]
fn explorers_agree_with_the_naive_enumerator() {
    let (mut finite, mut infinite, mut collapsed) = (0, 0, 0);
    let mut grown = [0; ROUNDS + 1];
    for seed in 0..1500 {
        let system = random(seed);
        let mut naive = Naive::rounds(&system, 3000).expect("starts");
        let mut levels = vec![naive.level()];
        while levels.len() <= ROUNDS
            && let Ok(level) = naive.advance()
        {
            levels.push(level);
        }
        let new = |bound: usize| -> BTreeSet<VisibleState> {
            let visible = naive.visible().filter(|&(_, needed)| needed == bound);
            visible.map(|(state, _)| state.clone()).collect()
        };
        let symbolic = rounds(&system, Languages::default());
        for level in &levels {
            assert_eq!(seen(&symbolic, level.bound), new(level.bound), "seed {seed} {level:?}");
        }
        if levels.len() <= ROUNDS {
            infinite += 1;
            continue;
        }
        finite += 1;
        let explicit = rounds(&system, Stacks::default());
        for (level, observation) in levels.iter().zip(explicit.observations()) {
            assert_eq!(observation.bound, Bound::rounds(level.bound));
            assert_eq!(observation.new_states, Some(level.new_states as u128), "seed {seed}");
            assert_eq!(seen(&explicit, level.bound), new(level.bound), "seed {seed} {level:?}");
        }
        if seed % 4 == 0 {
            in_waves(&system, &explicit, seed);
        }
        if let Some(last) = levels.iter().rfind(|level| level.new_visible > 0) {
            grown[last.bound] += 1;
        }
        if explicit.has_collapsed() {
            // Nothing is new with any number of contexts either.
            let mut contexts = ContextExplorer::new(&system, Stacks::default(), false).unwrap();
            while !contexts.has_collapsed() {
                contexts.advance(&Budget::default()).expect("goes on");
            }
            assert_eq!(contexts.stored().0, explicit.stored().0, "seed {seed}");
            collapsed += 1;
        }
    }
    println!("{finite} finite, {infinite} infinite, {collapsed} collapsed, last growth {grown:?}");
    assert!(finite > 700 && infinite > 100 && collapsed > 300 && grown[3] > 50);
}

/// k contexts fit into k rounds, and k rounds have n·k contexts [Lal, Reps, Sec. 2].
#[test]
fn rounds_lie_between_contexts() {
    let mut strict = [0; 2];
    for seed in 0..600 {
        let system = random(seed);
        let threads = system.threads().len();
        let round_by_round = rounds(&system, Languages::default());
        let mut contexts = ContextExplorer::new(&system, Languages::default(), false).unwrap();
        let most = 3;
        for _ in 0..threads * most {
            contexts.advance(&Budget::default()).expect("goes on");
        }
        let within = |explorer: &dyn Explorer, bound: usize| -> BTreeSet<VisibleState> {
            (0..=bound).flat_map(|bound| explorer.new_visible(bound)).collect()
        };
        for bound in 0..=most {
            let fewer = within(&contexts, bound);
            let here = within(&round_by_round, bound);
            let more = within(&contexts, threads * bound);
            assert!(fewer.is_subset(&here), "seed {seed}, {bound}");
            assert!(here.is_subset(&more), "seed {seed}, {bound}");
            strict[0] += usize::from(fewer != here);
            strict[1] += usize::from(here != more);
        }
    }
    println!("strictly more {} times, strictly fewer {} times", strict[0], strict[1]);
    assert!(strict.iter().all(|&n| n > 50));
}

fn target(state: &VisibleState) -> Property {
    let tops = state.tops.iter().map(|top| top.map_or(TopPattern::Empty, TopPattern::Symbol));
    Property::Unreachable(Pattern::Tuple { shared: Some(state.shared), tops: tops.collect() })
}

fn ask(system: &dyn System, properties: &[Property], method: Method, rounds: usize) -> Outcome {
    let question = Question { system, properties, method, symmetry: true, evidence: true };
    check(&question, Bound::rounds(rounds), &Budget::default(), &|_| {})
}

/// Every third visible state is asked for: the first round, a run that replays and is as short as
/// it can be, and evidence that is accepted.
#[test]
fn violations_need_as_many_rounds_and_steps_as_they_should() {
    let (mut asked, mut safe) = (0, 0);
    for seed in 0..150 {
        let system = random(seed);
        let mut naive = Naive::rounds(&system, 2000).expect("starts");
        while naive.level().bound < ROUNDS && naive.advance().is_ok() {}
        if naive.level().bound < ROUNDS {
            continue; // the shortest run is searched for among very many
        }
        for (state, needed) in naive.visible().step_by(3) {
            let property = [target(state)];
            let expected = naive.trace_to(|s| s.visible() == *state).expect("it was reached");
            for method in [Method::Auto, Method::Symbolic] {
                let outcome = ask(&system, &property, method, ROUNDS);
                let evidence = outcome.evidence.as_ref().expect("evidence");
                recheck(&system, &property, evidence).expect("it is accepted");
                let Verdict::Unsafe { bound, trace, .. } = outcome.verdict else {
                    panic!("seed {seed}: {outcome:?}");
                };
                assert_eq!(bound, Bound::rounds(needed), "seed {seed}");
                assert_eq!(trace.rounds(), needed, "seed {seed}");
                assert_eq!(trace.steps.len(), expected.steps.len(), "seed {seed}");
                let states = replay(&system, &trace).expect("it can be replayed");
                assert_eq!(states.last().expect("a state").visible(), *state, "seed {seed}");
                asked += 1;
            }
        }
        // A collapse is a proof, and its evidence is accepted.
        for method in [Method::Auto, Method::Symbolic] {
            let property = [Property::NeverWrong];
            let outcome = ask(&system, &property, method, ROUNDS);
            if let Verdict::Safe(Proof::Repetition { .. }) = outcome.verdict {
                let evidence = outcome.evidence.as_ref().expect("evidence");
                recheck(&system, &property, evidence).expect("it is accepted");
                safe += 1;
            }
        }
    }
    println!("{asked} targets, {safe} safe");
    assert!(asked > 300 && safe > 100);
}

/// A context with more stacks than can be listed: sets of stacks are used before it is too late.
#[test]
fn endless_contexts_are_noticed() {
    let mut t = Tables::builder();
    let q = t.shared("q");
    let template = t.template("P");
    let symbols = ["a", "b"].map(|name| t.symbol(template, name));
    for top in symbols {
        t.rule(template, q, Some(top), q, Word::Pop);
        for pushed in symbols {
            t.rule(template, q, Some(top), q, Word::Push { top: pushed, under: top });
        }
    }
    for name in ["T1", "T2"] {
        t.thread(name, template, vec![symbols[0]]);
    }
    t.initial(q);
    let outcome = ask(&t.build(), &[Property::NeverWrong], Method::Auto, ROUNDS);
    assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{outcome:?}");
    assert_eq!(outcome.engine, "rounds-symbolic");
}

#[test]
fn systems_that_start_threads_have_no_rounds() {
    let shape = Shape { spawns: true, ..Shape::default() };
    let system = (0..).map(|seed| random_system(seed, &shape)).find(|s| s.starts_threads());
    let system = system.expect("some system").dropping_threads();
    let outcome = ask(&system, &[Property::NeverWrong], Method::Auto, 2);
    let Verdict::Unknown { stop: Stop::Fault(fault), completed: None } = outcome.verdict else {
        panic!("{outcome:?}");
    };
    assert!(fault.message.contains("rounds need a fixed set of threads"), "{fault}");
    assert!(fault.message.contains("use contexts"), "{fault}");
    assert_eq!(outcome.engine, "rounds-explicit");
}
