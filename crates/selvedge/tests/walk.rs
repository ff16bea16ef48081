//! Walks: a path leads where the run went, runs of engines can be followed in the system as it is written, and what is said of all states
//! is true of all.

use std::collections::HashSet;

use selvedge::walk::{Found, Walk, follow, near, nearest, of_evidence, open};
use selvedge::{Deadlocks, InputOptions, Options, Subject, VerdictName, livelock, verify};
use selvedge_model::{State, step};

fn subject(text: &str) -> Subject {
    Subject::parse("walk.weave", text, InputOptions::default()).unwrap()
}

/// Two workers lose an update.
const RACE: &str = "int[0..2] count := 0; int[0..2] done := 0;
    void worker() { int[0..2] seen := count; count := seen + 1; done := done + 1; assert done < 2 || count == 2; }
    thread worker * 2;";

/// The shortest violation needs one of three started threads; engines drop the others.
const STARTED: &str = "int[0..3] x := 0; tid a;
    void add() { x := x + 1; }
    void main() { async add(); a := async add(); async add(); assume x == 1; join a; assert false; }
    thread main;";

/// Any number of threads: the violation has two.
const ANY: &str = "int[0..2] inside := 0;
    void enter() { assume inside < 2; inside := inside + 1; assert inside < 2; }
    thread enter * any;";

#[test]
fn runs_of_engines_are_followed() {
    for (text, threads) in [(RACE, 2), (STARTED, 4), (ANY, 2)] {
        let subject = subject(text);
        let options = Options { evidence: true, ..Options::default() };
        let answer = verify(&subject, &options).unwrap();
        assert_eq!(answer.name(), VerdictName::Unsafe, "{text}");
        let evidence = answer.evidence().unwrap().unwrap().to_text();
        let shown = of_evidence(&subject, &evidence).unwrap();
        let system = &*shown.opened.system;
        let mut walk = Walk::start(system, &shown.opened.properties).unwrap();
        follow(&mut walk, &*shown.about.system, &shown.trace).unwrap();
        // As many steps, and wrong in the end; everybody who was started is there.
        assert_eq!(walk.trace().steps.len(), shown.trace.steps.len(), "{text}");
        assert!(walk.violation(walk.state()).unwrap().is_some(), "{text}");
        assert_eq!(walk.state().threads.len(), threads, "{text}");
        // Its path leads to the same state, in a system that was opened anew.
        let path = walk.path().unwrap();
        let (again, taken) = Walk::at(system, &shown.opened.properties, &path).unwrap();
        assert_eq!((again.state(), taken), (walk.state(), path.len()), "{text}");
        // What goes wrong has no next step; a path that goes on leads as far as it can.
        let longer: Vec<usize> = path.iter().copied().chain([0]).collect();
        let (last, taken) = Walk::at(system, &shown.opened.properties, &longer).unwrap();
        assert_eq!((last.state(), taken), (walk.state(), path.len()), "{text}");
    }
}

#[test]
fn a_path_means_the_same_in_every_system() {
    let subject = subject(STARTED);
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..40 {
        let opened = subject.system().unwrap();
        let mut walk = Walk::start(&*opened.system, &opened.properties).unwrap();
        walk.wander(12, &mut random, || false);
        let path = walk.path().unwrap();
        // Another system numbers its states as they are met, in another order.
        let other = subject.system().unwrap();
        let (same, taken) = Walk::at(&*other.system, &other.properties, &path).unwrap();
        assert_eq!(taken, path.len());
        let shown = |walk: &Walk<'_>| {
            let state = walk.state();
            let system = walk.system();
            let tops = state.threads.iter().map(|thread| {
                thread.stack.iter().map(|s| system.describe().show_symbol(s)).collect::<Vec<_>>()
            });
            (system.describe().show_shared(state.shared), tops.collect::<Vec<_>>())
        };
        assert_eq!(shown(&walk), shown(&same));
    }
}

/// All states that can be reached, by the step function alone.
fn reachable(walk: &Walk<'_>) -> HashSet<State> {
    let mut seen = HashSet::from([walk.state().clone()]);
    let mut work = vec![walk.state().clone()];
    while let Some(state) = work.pop() {
        for thread in state.thread_ids() {
            for (_, after) in step(walk.system(), &state, thread).unwrap() {
                if seen.insert(after.clone()) {
                    work.push(after);
                }
            }
        }
    }
    seen
}

#[test]
fn what_is_said_of_all_states_is_true_of_all() {
    let subject = subject(RACE);
    let opened = subject.system().unwrap();
    let mut walk = Walk::start(&*opened.system, &opened.properties).unwrap();
    let all = reachable(&walk);
    // None but those, and all of them.
    assert_eq!(nearest(&walk, 10_000, |_| Ok(false), || false), Ok(Found::Nowhere(all.len())));
    assert_eq!(nearest(&walk, 5, |_| Ok(false), || false), Ok(Found::GaveUp(5)));
    let found = near(&walk, 100, 10_000).unwrap();
    assert_eq!(found.states.len(), all.len());
    assert!(!found.is_cut && found.states.iter().all(|(state, _)| all.contains(state)));
    assert!(near(&walk, 100, 5).unwrap().is_cut);
    // The nearest wrong state is wrong, and nothing nearer is.
    let is_wrong = |state: &State| Ok(walk.violation(state)?.is_some());
    let Ok(Found::Choices(choices)) = nearest(&walk, 10_000, is_wrong, || false) else { panic!() };
    let nearer = near(&walk, choices.len() - 1, 10_000).unwrap();
    assert!(nearer.states.iter().all(|(state, _)| walk.violation(state).unwrap().is_none()));
    for choice in choices {
        let next = walk.enabled().unwrap()[choice];
        walk.take(next);
    }
    assert!(walk.violation(walk.state()).unwrap().is_some());
}

#[test]
fn deadlocks_and_endless_runs_are_walked_in_their_own_form() {
    let text = "lock a; lock b;
        void left() { acquire a; acquire b; release b; release a; }
        void right() { acquire b; acquire a; release a; release b; }
        thread left; thread right;";
    let subject = subject(text);
    for deadlock in [Deadlocks::Waits, Deadlocks::All] {
        let options = Options { evidence: true, deadlock, ..Options::default() };
        let answer = verify(&subject, &options).unwrap();
        let evidence = answer.evidence().unwrap().unwrap().to_text();
        let shown = of_evidence(&subject, &evidence).unwrap();
        let mut walk = Walk::start(&*shown.opened.system, &shown.opened.properties).unwrap();
        follow(&mut walk, &*shown.about.system, &shown.trace).unwrap();
        assert!(
            walk.enabled().unwrap().is_empty() && walk.violation(walk.state()).unwrap().is_some()
        );
    }
    let text = "bool go := false; void spin() { while (!go) skip; } thread spin;";
    let subject = self::subject(text);
    let answer = livelock(&subject, &Default::default(), &Options::default()).unwrap();
    let (found, trace) = answer.run().unwrap();
    let opened = open(&subject, Deadlocks::No, true).unwrap();
    let mut walk = Walk::start(&*opened.system, &opened.properties).unwrap();
    follow(&mut walk, &*found.system, &trace).unwrap();
    assert_eq!(walk.trace().steps.len(), trace.steps.len());
}

#[test]
fn evidence_of_a_proof_has_no_run() {
    let subject = subject("bool b := false; void main() { b := true; assert b; } thread main;");
    let options = Options { evidence: true, ..Options::default() };
    let evidence = verify(&subject, &options).unwrap().evidence().unwrap().unwrap().to_text();
    assert!(of_evidence(&subject, &evidence).err().unwrap().to_string().contains("no schedule"));
    assert!(of_evidence(&subject, "{}").is_err());
    // Evidence about another text is refused.
    let other = self::subject(RACE);
    let evidence = verify(&other, &options).unwrap().evidence().unwrap().unwrap().to_text();
    assert!(of_evidence(&subject, &evidence).err().unwrap().to_string().contains("refused"));
}
