//! Several processes over loopback answer as one explorer does. Here they are threads of one process that share nothing: each builds its system for itself.
//!
//! `SELVEDGE_SEEDS=500` compares so many random programs and systems; `SELVEDGE_FROM=1742` begins with that one.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use selvedge_analysis::engine::{
    Method, Question, Verdict, check, check_spread, verify, verify_spread,
};
use selvedge_analysis::trials::random_question;
use selvedge_analysis::{Bound, Budget};
use selvedge_distribute::{Fleet, Hosts, Identity, Member, Secret, Subject};
use selvedge_evidence::recheck;
use selvedge_frontend::{Input, LoadOptions, parse};
use selvedge_model::{Property, System};
use selvedge_program::{Lowering, ThreadCounts, print, testing};

use crate::local::{LOCK, RACE, Text, counts, lowered};

fn hosts(processes: usize) -> Hosts {
    let free: Vec<_> = (0..processes).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let lines: Vec<String> =
        free.iter().map(|free| free.local_addr().unwrap().to_string()).collect();
    Hosts::parse(&lines.join("\n")).unwrap()
}

/// Lets so many processes explore, each with what it makes for itself, and asks the first one.
fn asked<T>(
    processes: usize,
    make: impl Fn() -> Arc<Text> + Sync,
    ask: impl FnOnce(&Fleet, &Arc<dyn System>) -> T,
) -> T {
    let hosts = hosts(processes);
    let member = |process| Member {
        hosts: hosts.clone(),
        process,
        jobs: 1 + processes % 2,
        identity: Identity::new("this", "test", ""),
        secret: Secret::new(b"a secret of this test alone").unwrap(),
        patience: Duration::from_secs(20),
        cancelled: Arc::new(AtomicBool::new(false)),
    };
    thread::scope(|scope| {
        let works: Vec<_> = (1..processes)
            .map(|process| {
                let (member, make) = (member(process), &make);
                scope.spawn(move || {
                    let subject: Arc<dyn Subject> = make();
                    member.work(&subject).unwrap().serve().unwrap();
                })
            })
            .collect();
        let subject = make();
        let system = Arc::clone(&subject.system);
        let fleet = member(0).ask(subject).unwrap();
        let answer = ask(&fleet, &system);
        fleet.end(0);
        works.into_iter().for_each(|works| works.join().unwrap());
        answer
    })
}

#[test]
fn verdicts_are_those_of_one_process() {
    for text in [LOCK, RACE] {
        let properties = vec![Property::NeverWrong];
        let alone = lowered(text);
        fn about<'a>(system: &'a dyn System, properties: &'a [Property]) -> Question<'a> {
            let method = Method::Explicit;
            Question { system, properties, method, symmetry: true, evidence: true }
        }
        let one = verify(&about(&*alone, &properties), &Budget::default(), &|_| {});
        for processes in [1, 2, 4] {
            let make = || Text::new(lowered(text), properties.clone());
            asked(processes, make, |fleet, system| {
                let form = fleet.of("plain");
                let question = about(&**system, &properties);
                let many = verify_spread(&question, &form, &Budget::default(), &|_| {});
                match (&one.verdict, &many.verdict) {
                    (Verdict::Safe(a), Verdict::Safe(b)) => assert_eq!(a, b),
                    (
                        Verdict::Unsafe { bound: a, trace: one, .. },
                        Verdict::Unsafe { bound: b, trace: many, .. },
                    ) => assert_eq!((a, one.steps.len()), (b, many.steps.len())),
                    other => panic!("{other:?}"),
                }
                assert_eq!(counts(&one.observations), counts(&many.observations));
                let evidence = many.evidence.expect("asked for");
                recheck(&**system, &properties, &evidence).expect("holds");
                let usage = fleet.usage();
                assert_eq!(usage.iter().filter(|used| used.states > 0).count(), usage.len());
            });
        }
    }
}

/// How many contexts are compared at most on random systems and programs.
const BOUNDS: usize = 4;

/// How many states one process stores at most: contexts may have no end.
const STATES: usize = 2000;

/// A random program as it is printed, or a random system in a table; and what is asked about it. `None` if it cannot be lowered.
fn random_text(seed: u64) -> Option<Arc<Text>> {
    let shapes = [
        testing::Shape { dynamic_threads: false, recursion: false, ..testing::Shape::default() },
        testing::Shape::default(),
        testing::Shape::plain(),
    ];
    if seed.is_multiple_of(4) {
        let (system, properties) = random_question(seed);
        return Some(Text::new(Arc::new(system), properties));
    }
    let program = testing::random_program(seed, &shapes[(seed % 4 - 1) as usize]);
    let text = print::weave(&program);
    let input = parse("test.weave".as_ref(), text, &LoadOptions::default());
    let Ok(Input::Program { program, source, .. }) = input else { return None };
    let system = Lowering::new(program, source, &ThreadCounts::default()).ok()?;
    Some(Text::new(Arc::new(system), vec![Property::NeverWrong]))
}

#[test]
fn random_programs_have_the_answers_of_one_process() {
    let seeds = std::env::var("SELVEDGE_SEEDS").ok();
    let seeds: u64 = seeds.and_then(|count| count.parse().ok()).unwrap_or(40);
    let (mut compared, mut proofs, mut violations) = (0, 0, 0);
    let from = std::env::var("SELVEDGE_FROM").ok().and_then(|from| from.parse().ok());
    for seed in from.unwrap_or(1000_u64).. {
        if compared == seeds {
            break;
        }
        let Some(text) = random_text(seed) else { continue };
        fn question(text: &Text, symmetry: bool) -> Question<'_> {
            let Text { system, properties, .. } = text;
            let method = Method::Explicit;
            Question { system: &**system, properties, method, symmetry, evidence: true }
        }
        let symmetry = seed % 2 == 0;
        let budget = Budget { states: Some(STATES), ..Budget::default() };
        let one = (1..=BOUNDS).rev().find_map(|bound| {
            let one = check(&question(&text, symmetry), Bound::contexts(bound), &budget, &|_| {});
            let is_known = !matches!(one.verdict, Verdict::Unknown { .. });
            is_known.then_some((bound, one))
        });
        let Some((bound, one)) = one else { continue };
        compared += 1;
        for processes in [1, 2, 4] {
            let about = format!("seed {seed}, {processes} processes");
            let make = || random_text(seed).expect("as before");
            asked(processes, make, |fleet, system| {
                let text = Text::new(Arc::clone(system), text.properties.clone());
                let question = question(&text, symmetry);
                let form = fleet.of("plain");
                let many = check_spread(&question, &form, bound, &Budget::default(), &|_| {});
                assert_eq!(counts(&one.observations), counts(&many.observations), "{about}");
                match (&one.verdict, &many.verdict) {
                    (Verdict::Safe(a), Verdict::Safe(b)) => {
                        assert_eq!(a, b, "{about}");
                        proofs += 1;
                    }
                    (Verdict::Bounded { bound: a }, Verdict::Bounded { bound: b }) => {
                        assert_eq!(a, b, "{about}");
                    }
                    (
                        Verdict::Unsafe { bound: a, trace: one, .. },
                        Verdict::Unsafe { bound: b, trace: many, .. },
                    ) => {
                        assert_eq!((a, one.steps.len()), (b, many.steps.len()), "{about}");
                        assert!(many.contexts() <= b.count, "{about}");
                        violations += 1;
                    }
                    other => panic!("{about}: {other:?}"),
                }
                match &many.evidence {
                    Some(evidence) => {
                        recheck(&**system, &text.properties, evidence).expect("it holds");
                    }
                    None => assert!(matches!(many.verdict, Verdict::Bounded { .. }), "{about}"),
                }
            });
        }
    }
    println!("{compared} compared, {proofs} proofs, {violations} violations");
    assert!(seeds < 40 || proofs > 20 && violations > 20, "{proofs} and {violations} of {seeds}");
}
