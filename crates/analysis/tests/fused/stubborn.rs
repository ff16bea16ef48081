//! # Threads that wait, against the definition
//! Random programs, each enumerated as it is and followed with threads that wait: something goes wrong in one exactly if it does in the other, and so with deadlocks. At
//! every state at which threads wait, steps are exchanged while it runs ([`Watched`]). Proofs are checked; then who waits where is changed at
//! random, and proofs are made up with whoever may wait. Whatever the checker accepts has to be true.

use std::collections::BTreeSet;
use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_analysis::explore::ScheduleExplorer;
use selvedge_analysis::naive::Naive;
use selvedge_evidence::{
    Checked, CountedState, CutCertificate, CutThread, Evidence, LeftOut, ReducedCertificate,
    Refusal, Window, recheck_reduced,
};
use selvedge_model::{
    Fused, Interference, Local, Property, State, Stubborn, System, ThreadId, Watched, enabled, step,
};
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Interfering, Lowering, print};

use super::generated::{random_locked, random_ring};
use crate::support::{self, many};

/// All states, if there are few.
fn all_states(system: &dyn System, limit: usize) -> Option<Vec<State>> {
    let mut naive = Naive::with_limit(system, limit).ok()?;
    let mut known = 0;
    while naive.states().count() > known {
        known = naive.states().count();
        naive.advance().ok()?;
    }
    Some(naive.states().map(|(state, _)| state.clone()).collect())
}

#[derive(Default, Debug)]
struct Tally {
    compared: usize,
    broken: usize,
    plain: usize,
    states: usize,
    waits: usize,
    choices: usize,
    accepted: usize,
    refused: usize,
    missing: usize,
    false_proofs: usize,
}

/// A proof that was made up, or not.
struct Claim<'a> {
    system: &'a Arc<dyn System>,
    program: &'a Lowering,
    local: &'a Local,
    later: bool,
    properties: &'a [Property],
}

impl Claim<'_> {
    fn check(&self, proof: &Evidence, waiting: &[LeftOut]) -> Result<Checked, Refusal> {
        let certificate = ReducedCertificate {
            local: self.local.clone(),
            later: self.later,
            waiting: waiting.to_vec(),
            proof: Box::new(proof.clone()),
        };
        let code = Some(self.program.code());
        recheck_reduced(self.system, code, self.properties, &certificate, &Budget::default())
    }
}

/// A set of states that steps of threads do not leave that somebody picks, as a certificate; only for systems that start no threads.
fn made_up(
    system: &dyn System,
    rng: &mut fastrand::Rng,
    limit: usize,
) -> Option<(Evidence, Vec<LeftOut>)> {
    let classes: Vec<u32> = (0..).take(system.threads().len()).collect();
    let mut kinds: Vec<CutThread> = Vec::new();
    let mut states: Vec<CountedState> = Vec::new();
    let mut waiting = Vec::new();
    let mut open: Vec<State> = system.initial().ok()?;
    let mut known: BTreeSet<State> = open.iter().cloned().collect();
    let mut at = 0;
    while let Some(state) = open.get(at).cloned() {
        at += 1;
        if at > limit || state.threads.len() != classes.len() {
            return None;
        }
        let mut numbers = Vec::new();
        for (&class, thread) in classes.iter().zip(&state.threads) {
            let symbols = thread.stack.iter().collect();
            let kind = CutThread { class, window: Window { symbols, hidden: false } };
            let number = kinds.iter().position(|known| *known == kind).unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            });
            numbers.push(number as u32);
        }
        let can_act =
            |thread: &ThreadId| enabled(system, &state, *thread).is_ok_and(|a| !a.is_empty());
        let acting: Vec<ThreadId> = state.thread_ids().filter(can_act).collect();
        let mut left = Vec::new();
        for thread in state.thread_ids() {
            let first = acting.first() == Some(&thread) || rng.u32(0..4) == 0;
            if acting.len() > 1 && !first {
                left.push(numbers[thread.index()]);
                continue;
            }
            for (_, next) in step(system, &state, thread).ok()? {
                if known.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        left.sort_unstable();
        if !left.is_empty() {
            waiting.push(LeftOut { state: states.len() as u32, kinds: left.into() });
        }
        states.push(CountedState::of_kinds(state.shared, numbers));
    }
    let depth = 1 + kinds.iter().map(|kind| kind.window.symbols.len()).max().unwrap_or(0);
    let (started, guesses, measures) = (Vec::new(), Vec::new(), Vec::new());
    let proof = CutCertificate { classes, started, depth, guesses, kinds, states, measures };
    Some((Evidence::Cut(proof), waiting))
}

fn compare(lowering: Lowering, properties: &[Property], seed: u64, about: &str, tally: &mut Tally) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let program = Arc::new(lowering);
    let system: Arc<dyn System> = Arc::clone(&program) as Arc<dyn System>;
    let Some(plain) = all_states(&*system, 5_000) else { return };
    let local = match rng.u32(0..4) {
        0 => Local::default(),
        _ => super::local_of(&program),
    };
    let later = rng.bool();
    let fused = Fused::new(Arc::clone(&system), local.clone());
    let fused = Arc::new(if later { fused.beginning_later() } else { fused });
    let who = Arc::new(Interfering::new(Arc::clone(&program), &local));
    let watched = Arc::new(Watched::new(Arc::clone(&fused) as Arc<dyn System>, who));
    let stubborn = Stubborn::new(
        Arc::clone(&fused) as Arc<dyn System>,
        Arc::clone(&watched) as Arc<dyn Interference>,
    );
    let symmetry = rng.bool();
    let explorer = ScheduleExplorer::new(&stubborn, symmetry, 1_000, None);
    let mut explorer = explorer.expect("it has initial states").expect("it says who waits");
    let found = explorer.run(properties, &Budget::default());
    let found = found.unwrap_or_else(|why| panic!("{why}\n{about}"));
    assert_eq!(watched.flaw(), None, "later {later}\n{local:?}\n{about}");
    let breaks = |state: &State| Property::first_broken(properties, &*system, state).unwrap();
    let expected = plain.iter().any(|state| breaks(state).is_some());
    assert_eq!(found.is_some(), expected, "later {later}\n{local:?}\n{about}");
    tally.compared += 1;
    tally.broken += usize::from(expected);
    tally.choices += watched.choices();
    let claim = Claim { system: &system, program: &program, local: &local, later, properties };
    for _ in 0..4 {
        let Some((proof, waiting)) = made_up(&*fused, &mut rng, 3_000) else { break };
        if claim.check(&proof, &waiting).is_ok() {
            assert!(!expected, "a false proof: later {later}\n{local:?}\n{waiting:?}\n{about}");
        } else if expected {
            tally.false_proofs += 1;
        }
    }
    if expected {
        return;
    }
    tally.plain += plain.len();
    tally.states += explorer.states();
    tally.waits += explorer.waits();
    let (proof, waiting) = explorer.certificate();
    claim
        .check(&proof, &waiting)
        .unwrap_or_else(|why| panic!("{why}\nlater {later}\n{local:?}\n{about}"));
    tally.accepted += 1;
    let Evidence::Cut(cut) = &proof else { panic!("single states have whole stacks") };
    for _ in 0..3 {
        let missing = super::without_one(&proof, rng.usize(..));
        // The numbers of the states after it are others then; what is said of them has to follow.
        if let Some(Evidence::Cut(missing)) = missing {
            let gone = cut.states.iter().position(|state| !missing.states.contains(state));
            let gone = gone.expect("one is missing") as u32;
            let moved = waiting.iter().filter(|left| left.state != gone).map(|left| LeftOut {
                state: left.state - u32::from(left.state > gone),
                kinds: left.kinds.clone(),
            });
            let moved: Vec<LeftOut> = moved.collect();
            assert!(
                claim.check(&Evidence::Cut(missing), &moved).is_err(),
                "a state is missing\n{about}"
            );
            tally.missing += 1;
        }
        // Somebody else waits, too.
        let state = rng.u32(0..cut.states.len() as u32);
        let threads = &cut.states[state as usize].threads;
        if threads.is_empty() {
            continue;
        }
        let kind = threads[rng.usize(0..threads.len())].0;
        let mut more = waiting.clone();
        match more.iter_mut().find(|left| left.state == state) {
            Some(left) => {
                let mut kinds = left.kinds.to_vec();
                kinds.push(kind);
                kinds.sort_unstable();
                kinds.dedup();
                left.kinds = kinds.into();
            }
            None => more.push(LeftOut { state, kinds: [kind].into() }),
        }
        more.sort_by_key(|left| left.state);
        if more == waiting {
            continue;
        }
        let accepted = claim.check(&proof, &more).is_ok();
        tally.refused += usize::from(!accepted);
        if let (true, false) = (accepted, symmetry) {
            // Then it is right: nothing that those who wait can do concerns the others.
            let at = &cut.states[state as usize];
            let left = more.iter().find(|left| left.state == state).expect("somebody waits there");
            let thread = |kind: u32| {
                let kind = &cut.kinds[kind as usize];
                let template = system.threads().get(kind.class as usize)?.template;
                let stack = selvedge_model::Stack::top_first(kind.window.symbols.iter().copied());
                Some(selvedge_model::Thread { template, stack })
            };
            let list: Option<Vec<_>> = at.threads.iter().map(|&(kind, _)| thread(kind)).collect();
            let Some(list) = list else { continue };
            let state = State { shared: at.shared, threads: list };
            let first = state.thread_ids().zip(&at.threads);
            let first = first.filter(|(_, (kind, _))| !left.kinds.contains(kind));
            let first: Vec<ThreadId> = first.map(|(thread, _)| thread).collect();
            let flaw = Watched::disproof(&*fused, &state, &first);
            assert_eq!(flaw, None, "accepted: later {later}\n{local:?}\n{about}");
        }
    }
}

/// What a section calls is part of the step that enters it, and so is all that follows the call.
#[test]
fn sections_that_call() {
    let mut tally = Tally::default();
    for (section, expected) in [
        ("f(1);", true),
        ("f(0); x := 1;", true),
        ("x := g(1);", true),
        ("deep(2);", true),
        ("f(0); deep(0); f(0);", false),
    ] {
        let text = format!(
            "int[0..1] x := 0; int[0..1] y := 1;\n\
             void f(int[0..1] v) {{ y := 1; if (v == 1) x := v; }}\n\
             int[0..1] g(int[0..1] v) {{ return v; }}\n\
             void deep(int[0..2] d) {{ if (d > 0) {{ deep(d - 1); y := 1; x := 1; }} }}\n\
             thread a {{ atomic {{ {section} }} }}\n\
             thread b {{ y := 1; assert x == 0; }}\n"
        );
        let program = support::read_weave(&text);
        for seed in 0..8 {
            let lowering = support::lower(&program, &text).expect("it is a program");
            let before = tally.broken;
            compare(lowering, &[Property::NeverWrong], seed, &text, &mut tally);
            assert_eq!(tally.broken > before, expected, "{text}");
        }
    }
    assert!(tally.choices > 0 && tally.accepted == 8, "{tally:?}");
}

/// A procedure that calls itself with ever larger numbers has no end, unless somebody looks at what fits.
#[test]
fn numbers_that_grow_from_call_to_call() {
    let mut tally = Tally::default();
    for ty in ["int[0..9]", "int"] {
        let text = format!(
            "int[0..2] x := 0; int[0..9] z := 0; int[0..2] y := 0;\n\
             void f({ty} n) {{ if (n < x) f(n + 1); else z := n; }}\n\
             thread a {{ f(0); assert z <= 2; }}\n\
             thread b {{ x := 1; x := 2; }}\n\
             thread c {{ y := 1; y := 2; }}\n"
        );
        let program = support::read_weave(&text);
        for seed in 0..8 {
            let lowering = support::lower(&program, &text).expect("it is a program");
            compare(lowering, &[Property::NeverWrong], seed, &text, &mut tally);
        }
    }
    assert!(tally.broken == 0 && tally.accepted == 16, "{tally:?}");
}

#[test]
fn stubborn_sets() {
    let shapes = [
        Shape { boolean_programs: false, jumps: false, ..Shape::default() },
        Shape { locals: 3, statements: 4, boolean_programs: false, ..Shape::default() },
        Shape { thread_ids: true, chosen_indices: true, ..Shape::default() },
    ];
    let mut tally = Tally::default();
    let both = [Property::NeverWrong, Property::ANY_DEADLOCK];
    for seed in 0..many(120) {
        let (program, text) = match seed % 4 {
            0 => {
                let program = random_program(seed, &shapes[(seed / 4 % 3) as usize]);
                let text = print::weave(&program);
                (program, text)
            }
            1 => {
                let text = random_locked(seed);
                (support::read_weave(&text), text)
            }
            _ => {
                let text = random_ring(seed);
                (support::read_weave(&text), text)
            }
        };
        let about = format!("seed {seed}\n{text}");
        let lower = || support::lower(&program, &text).ok();
        let Some(lowering) = lower() else { continue };
        compare(lowering, &[Property::NeverWrong], seed, &about, &mut tally);
        let Some(lowering) = lower() else { continue };
        compare(lowering.choosing_at_once(), &both, seed + 1_000_000, &about, &mut tally);
    }
    println!("{tally:?}");
    let least = many(120) as usize;
    assert!(tally.compared > least / 2 && tally.broken > least / 8, "{tally:?}");
    assert!(tally.waits > least && tally.choices > least, "{tally:?}");
    assert!(tally.accepted > least / 4 && tally.states < tally.plain, "{tally:?}");
    assert!(tally.refused > least / 2 && tally.missing > least / 4, "{tally:?}");
    assert!(tally.false_proofs > least / 8, "{tally:?}");
}
