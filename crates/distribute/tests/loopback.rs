//! Several processes over loopback answer as one explorer does. Here they are threads of one process that share nothing: each builds its system for itself.
//!
//! `SELVEDGE_SEEDS=500` compares so many random systems.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use selvedge_analysis::Budget;
use selvedge_analysis::engine::{Method, Question, Verdict, check_spread, verify, verify_spread};
use selvedge_analysis::explore::stacks::Stacks;
use selvedge_analysis::explore::{ContextExplorer, Explorer as _};
use selvedge_analysis::random::{Shape, random_system};
use selvedge_distribute::{Fleet, Hosts, Identity, Member, Secret, Subject};
use selvedge_evidence::recheck;
use selvedge_model::{Property, System};

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

/// How many contexts are compared on random systems.
const BOUNDS: usize = 4;

/// How many states are stored at most: random systems may have contexts without an end.
const STATES: usize = 2000;

#[test]
fn random_systems_have_the_answers_of_one_process() {
    let seeds = std::env::var("SELVEDGE_SEEDS").ok();
    let seeds: u64 = seeds.and_then(|count| count.parse().ok()).unwrap_or(12);
    let (mut compared, mut proofs) = (0, 0);
    for seed in 1000..1000 + seeds {
        let system = random_system(seed, &Shape::default());
        let symmetry = seed % 2 == 0;
        let budget = Budget { states: Some(STATES), ..Budget::default() };
        let Ok(mut one) = ContextExplorer::new(&system, Stacks::up_to(64), symmetry) else {
            continue;
        };
        while one.bound() < BOUNDS && one.advance(&budget).is_ok() {}
        let bound = one.bound();
        for processes in [1, 2, 4] {
            let make = || Text::new(Arc::new(random_system(seed, &Shape::default())), Vec::new());
            asked(processes, make, |fleet, system| {
                let question = Question {
                    system: &**system,
                    properties: &[],
                    method: Method::Explicit,
                    symmetry,
                    evidence: true,
                };
                let many = check_spread(&question, &fleet.of("plain"), bound, &budget, &|_| {});
                let bounds = many.observations.len();
                let expected = counts(&one.observations()[..bounds]);
                assert_eq!(counts(&many.observations), expected, "seed {seed}, {processes}");
                assert!(bounds == bound + 1 || one.new_stored(bounds - 1) == 0, "seed {seed}");
                if let Verdict::Safe(_) = many.verdict {
                    let evidence = many.evidence.expect("asked for");
                    recheck(&**system, &[], &evidence).expect("holds");
                    proofs += 1;
                }
            });
            compared += 1;
        }
    }
    assert!(
        compared >= seeds && (proofs > 0 || seeds < 10),
        "{compared} compared, {proofs} proofs"
    );
}
