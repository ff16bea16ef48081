//! Changed evidence: refused, or true all the same.

use std::sync::atomic::{AtomicUsize, Ordering};

use selvedge_evidence::{Evidence, FairTermination, Helpful, Lasso, recheck};
use selvedge_model::{Action, Endless, Fairness, State, System, ThreadId, step};

use crate::fair::oracle::Graph;
use crate::fair::questions;

static REFUSED: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// How many changed lassos and proofs were refused so far.
pub fn refused() -> [usize; 2] {
    [0, 1].map(|at| REFUSED[at].load(Ordering::Relaxed))
}

/// Changes a lasso in many ways. One that is still accepted can be walked, and its kind of run
/// exists.
pub fn lasso(system: &dyn System, good: &Lasso, goes_on: &dyn Fn(Endless) -> bool, about: &str) {
    let mut changed: Vec<Lasso> = Vec::new();
    let mut change = |with: &dyn Fn(&mut Lasso)| {
        let mut lasso = good.clone();
        with(&mut lasso);
        changed.push(lasso);
    };
    for at in 0..good.period.len().min(12) {
        change(&|l| drop(l.period.drain(at..=at)));
        change(&|l| l.period.truncate(at));
        change(&|l| l.period[at].0 = ThreadId((l.period[at].0.0 + 1) % 3));
        change(&|l| l.period.rotate_left(at));
        change(&|l| l.period.insert(at, l.period[0]));
        if at > 0 {
            change(&|l| l.period.swap(at - 1, at));
        }
    }
    for at in 0..good.stem.steps.len().min(12) {
        change(&|l| drop(l.stem.steps.drain(at..=at)));
        change(&|l| l.stem.steps.truncate(at));
        if at > 0 {
            change(&|l| l.stem.steps.swap(at - 1, at));
        }
    }
    for initial in system.initial().expect("some") {
        change(&|l| l.stem.initial = initial.clone());
    }
    for endless in questions() {
        change(&|l| l.endless = endless);
    }
    for lasso in changed.into_iter().filter(|lasso| lasso != good) {
        match recheck(system, &[], &Evidence::Lasso(lasso.clone())) {
            Err(_) => drop(REFUSED[0].fetch_add(1, Ordering::Relaxed)),
            Ok(_) => {
                assert!(goes_on(lasso.endless), "accepted: {lasso:?}\n{about}");
                walk(system, &lasso, about);
            }
        }
    }
}

/// Walks the stem and many periods, by the effects of the actions. Who was started and has ended is followed by somebody like it.
fn walk(system: &dyn System, lasso: &Lasso, about: &str) {
    let mut state: State = lasso.stem.initial.clone();
    let act = |state: &State, thread: ThreadId, action: &Action| -> State {
        let same =
            |a: &Action| (a.shared, a.word, a.spawn) == (action.shared, action.word, action.spawn);
        let mut steps = step(system, state, thread).expect("no faults").into_iter();
        let found = steps.find(|(a, _)| same(a));
        found.unwrap_or_else(|| panic!("{action:?} cannot be taken: {lasso:?}\n{about}")).1
    };
    for (thread, action) in &lasso.stem.steps {
        state = act(&state, *thread, action);
    }
    let start = state.clone();
    let mut names: Vec<ThreadId> = start.thread_ids().collect();
    for _ in 0..12 {
        let before = state.threads.len();
        names.truncate(start.threads.len());
        for (thread, action) in &lasso.period {
            state = act(&state, names[thread.index()], action);
            names.extend(action.spawn.map(|_| ThreadId::from(state.threads.len() - 1)));
        }
        let mut started: Vec<ThreadId> = state.thread_ids().skip(before).collect();
        for (name, there) in names.iter_mut().zip(&start.threads) {
            let has_ended = state.threads[name.index()].has_ended();
            let is_like = |id: &ThreadId| state.threads[id.index()] == *there;
            if has_ended && !there.has_ended() {
                let heir = started.iter().position(is_like);
                *name = started.remove(heir.unwrap_or_else(|| panic!("{lasso:?}\n{about}")));
            }
        }
    }
}

/// Changes a proof in many ways. One that is still accepted proves what is true.
pub fn proof(
    system: &dyn System,
    good: &FairTermination,
    goes_on: &dyn Fn(Endless) -> bool,
    about: &str,
) {
    let mut changed: Vec<FairTermination> = Vec::new();
    let mut change = |with: &dyn Fn(&mut FairTermination)| {
        let mut proof = good.clone();
        with(&mut proof);
        changed.push(proof);
    };
    for endless in questions() {
        change(&|p| p.endless = endless);
    }
    for at in (0..good.states.len()).step_by(1 + good.states.len() / 6) {
        change(&|p| drop(p.states.remove(at)));
        change(&|p| p.states.push(p.states[at].clone()));
        change(&|p| p.states[at].1.truncate(1));
        change(&|p| p.states[at].1.clear());
        change(&|p| p.states[at].1.iter_mut().for_each(|level| level.rank += 1));
        change(&|p| p.states[at].1.iter_mut().for_each(|level| level.helpful = None));
        change(&|p| {
            for level in &mut p.states[at].1 {
                if let Some(Helpful::Thread(thread)) = &mut level.helpful {
                    thread.0 += 1;
                }
            }
        });
    }
    // One rank for all, and one helper.
    for thread in 0..3 {
        change(&|p| {
            let helpful = Some(Helpful::Thread(ThreadId(thread)));
            for (_, levels) in &mut p.states {
                *levels = vec![selvedge_evidence::Level { rank: 0, helpful }];
            }
        });
    }
    for proof in changed.into_iter().filter(|proof| proof != good) {
        match recheck(system, &[], &Evidence::Termination(proof.clone())) {
            Err(_) => drop(REFUSED[1].fetch_add(1, Ordering::Relaxed)),
            Ok(_) => {
                let Endless { fairness, ended } = proof.endless;
                let wrong = goes_on(proof.endless);
                assert!(!wrong, "accepted with {fairness} {ended}: {proof:?}\n{about}");
            }
        }
    }
}

#[test]
fn what_is_asked_for_is_what_counts() {
    // A proof that nothing at all goes on for ever is good for all questions.
    let system =
        crate::fair::lowered("bool a := false; thread one { a := true; } thread two { assume a; }");
    let graph = Graph::new(&system, 100).expect("small");
    let outcome = crate::fair::ask(&system, Endless { fairness: Fairness::None, ended: true });
    let Some(Evidence::Termination(proof)) = outcome.evidence else { panic!("{outcome:?}") };
    for endless in questions() {
        assert!(!graph.goes_on(endless));
        let proof = FairTermination { endless, ..proof.clone() };
        assert!(recheck(&system, &[], &Evidence::Termination(proof)).is_ok());
    }
}
