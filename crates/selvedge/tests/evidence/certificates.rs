//! Certificates of random systems, as they are and tampered with.

use selvedge_analysis::converge::above::Above;
use selvedge_analysis::engine::{Method, Verdict, check};
use selvedge_analysis::explore::Explorer;
use selvedge_analysis::explore::windows::Cut;
use selvedge_analysis::naive::Naive;
use selvedge_analysis::random::{Shape, random_system};
use selvedge_analysis::{Bound, Budget};
use selvedge_automata::Dfa;
use selvedge_evidence::{
    AggregateCertificate, CountedState, CutCertificate, Evidence, Flaw, recheck,
};
use selvedge_model::{Property, SharedId, State, SymbolId, System, Tables};

use crate::evidence::{checked, question, through_text, unreachable, verified};

/// Certificates for random systems: the system, what is unreachable, and the certificate.
fn certificates(seeds: std::ops::Range<u64>) -> Vec<(u64, Tables, Property, Evidence)> {
    let mut found = Vec::new();
    for seed in seeds {
        let system = random_system(seed, &Shape::default());
        for shared in (0..system.shared_count()).map(SharedId::from) {
            let property = unreachable(&system, shared);
            let properties = [property.clone()];
            let mut proofs = Vec::new();
            for depth in [1, 2] {
                let budget = Budget::default();
                let above =
                    Above::explore(&system, Cut::tight(depth), true, &budget).expect("ends");
                if above.violation(&properties).expect("tables have actions").is_none() {
                    proofs.push(above.explorer().certificate());
                }
            }
            for method in [Method::Auto, Method::Symbolic] {
                let outcome = checked(&system, &properties, method);
                if matches!(outcome.verdict, Verdict::Safe(_)) {
                    proofs.push(outcome.evidence.expect("a safe verdict has a certificate"));
                }
            }
            let entry = |proof| (seed, system.clone(), property.clone(), proof);
            found.extend(proofs.into_iter().map(entry));
        }
    }
    found
}

#[test]
fn certificates_are_accepted() {
    let (mut cuts, mut hidden, mut aggregates) = (0, 0, 0);
    for (seed, system, property, evidence) in certificates(0..250) {
        let read = through_text(&system, &evidence, &system.clone());
        assert_eq!(read, evidence, "seed {seed}");
        let checked = recheck(&system, &[property], &read);
        assert!(checked.is_ok(), "seed {seed}: {checked:?}");
        match evidence {
            Evidence::Cut(cut) => {
                cuts += 1;
                hidden += usize::from(cut.kinds.iter().any(|kind| kind.window.hidden));
            }
            Evidence::Aggregate(_) => aggregates += 1,
            _ => panic!("this is no proof"),
        }
    }
    println!("{cuts} with cut stacks ({hidden} with something hidden), {aggregates} with sets");
    assert!(hidden > 50 && cuts - hidden > 50 && aggregates > 50);
}

fn pick<'a, T>(list: &'a mut [T], rng: &mut fastrand::Rng) -> &'a mut T {
    &mut list[rng.usize(..list.len())]
}

/// From both sides, with whatever comes first.
#[test]
fn verdicts_have_certificates() {
    let mut count = 0;
    for seed in 0..100 {
        let system = random_system(seed, &Shape::default());
        for shared in (0..system.shared_count()).map(SharedId::from) {
            let properties = [unreachable(&system, shared)];
            for method in [Method::Auto, Method::Symbolic] {
                let outcome = verified(&system, &properties, method);
                if matches!(outcome.verdict, Verdict::Safe(_)) {
                    let evidence = outcome.evidence.expect("a safe verdict has a certificate");
                    let checked = recheck(&system, &properties, &evidence);
                    assert!(checked.is_ok(), "seed {seed}: {checked:?}");
                    count += 1;
                }
            }
        }
    }
    assert!(count > 50);
}

/// Threads that are started are counted by template.
#[test]
fn systems_that_start_threads_have_certificates() {
    let shape = Shape { spawns: true, threads: 2, ..Shape::default() };
    let mut rng = fastrand::Rng::with_seed(6);
    let mut count = [0; 2];
    for seed in 0..600 {
        let system = random_system(seed, &shape).dropping_threads();
        let properties = [unreachable(&system, SharedId(1))];
        for (method, count) in [Method::Auto, Method::Symbolic].into_iter().zip(&mut count) {
            let question = question(&system, &properties, method);
            let budget = Budget::default().with_work(1 << 17);
            let outcome = check(&question, Bound::contexts(5), &budget, &|_| {});
            if !system.starts_threads() || !matches!(outcome.verdict, Verdict::Safe(_)) {
                continue;
            }
            let evidence = outcome.evidence.expect("a safe verdict has a certificate");
            let mut read = through_text(&system, &evidence, &system.clone());
            assert_eq!(read, evidence, "seed {seed}");
            let checked = recheck(&system, &properties, &read);
            assert!(checked.is_ok(), "seed {seed}: {checked:?}");
            let starts = match &mut read {
                Evidence::Cut(certificate) => {
                    certificate.states.remove(rng.usize(..certificate.states.len()));
                    assert!(recheck(&system, &properties, &read).is_err(), "seed {seed}");
                    matches!(&evidence, Evidence::Cut(c) if !c.started.is_empty())
                }
                Evidence::Aggregate(certificate) => !certificate.started.is_empty(),
                _ => false,
            };
            *count += usize::from(starts);
        }
    }
    println!("{count:?} with started threads");
    assert!(count[0] > 10 && count[1] > 10);
}

/// One change that makes a certificate with cut stacks wrong. The exploration lists only states
/// that it reached: each is initial or follows from another one, and so is needed.
type Change = fn(&mut CutCertificate, &mut fastrand::Rng, &Tables) -> bool;

const CHANGES: [(&str, Change); 9] = [
    ("drop a state", |c, rng, _| {
        c.states.remove(rng.usize(..c.states.len()));
        true
    }),
    ("drop a guess", |c, rng, _| {
        let some = !c.guesses.is_empty();
        if some {
            c.guesses.remove(rng.usize(..c.guesses.len()));
        }
        some
    }),
    ("change a symbol", |c, rng, system| {
        let kind = pick(&mut c.kinds, rng);
        let Some(symbol) = rng.choice(kind.window.symbols.iter_mut()) else { return false };
        let template = system.template_of(*symbol);
        let others = (0..system.symbol_count()).map(SymbolId::from);
        let mut others = others.filter(|s| s != symbol && system.template_of(*s) == template);
        others.next().map(|other| *symbol = other).is_some()
    }),
    ("change a number of threads", |c, rng, _| {
        let state = pick(&mut c.states, rng);
        let Some(thread) = rng.choice(state.threads.iter_mut()) else { return false };
        thread.1 = if rng.bool() { thread.1 + 1 } else { thread.1 - 1 };
        true
    }),
    ("move a thread to another kind", |c, rng, _| {
        let at = rng.usize(..c.states.len());
        let state = &c.states[at];
        let (from, _) = state.threads[rng.usize(..state.threads.len())];
        let class = c.kinds[from as usize].class;
        let alike = |&k: &u32| k != from && c.kinds[k as usize].class == class;
        let Some(to) = (0..c.kinds.len() as u32).find(alike) else { return false };
        c.states[at] = state.after(state.shared, from, to);
        true
    }),
    ("change a shared state", |c, rng, system| {
        let state = pick(&mut c.states, rng);
        state.shared.0 = (state.shared.0 + 1) % system.shared_count() as u32;
        true
    }),
    ("flip a bit", |c, rng, _| {
        let kind = pick(&mut c.kinds, rng);
        kind.window.hidden = !kind.window.hidden;
        true
    }),
    ("change the depth", |c, rng, _| {
        let hides = c.kinds.iter().any(|kind| kind.window.hidden);
        c.depth = if rng.bool() { c.depth + 1 } else { c.depth - 1 };
        hides
    }),
    ("change a class", |c, rng, _| {
        let at = rng.usize(..c.classes.len());
        c.classes[at] = (c.classes[at] + 1) % (c.classes.len() as u32 + 1);
        true
    }),
];

#[test]
fn changed_certificates_with_cut_stacks_are_refused() {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut refused = [0; CHANGES.len()];
    for (seed, system, property, evidence) in certificates(0..250) {
        let Evidence::Cut(certificate) = evidence else { continue };
        for ((name, change), count) in CHANGES.iter().zip(&mut refused) {
            for _ in 0..3 {
                let mut changed = certificate.clone();
                if change(&mut changed, &mut rng, &system) {
                    let result =
                        recheck(&system, std::slice::from_ref(&property), &Evidence::Cut(changed));
                    let refusal = result.expect_err(&format!("seed {seed}: {name}"));
                    assert!(refusal.flaw != Flaw::System, "seed {seed}: {name}: {refusal}");
                    *count += 1;
                }
            }
        }
    }
    for ((name, _), count) in CHANGES.iter().zip(refused) {
        println!("{name}: {count} refused");
        assert!(count >= 200, "{name}");
    }
}

/// What must not be reached, put into the set.
#[test]
fn harmful_states_are_refused() {
    let mut refused = 0;
    for (seed, system, property, evidence) in certificates(0..150) {
        // A state that breaks the property has the shared state that it names.
        let Property::Unreachable(selvedge_model::Pattern::Tuple { shared: Some(bad), .. }) =
            property
        else {
            continue;
        };
        let harmful = |states: &mut Vec<CountedState>| {
            states.push(CountedState { shared: bad, ..states[0].clone() });
        };
        let mut evidence = evidence;
        match &mut evidence {
            Evidence::Cut(certificate) => harmful(&mut certificate.states),
            Evidence::Aggregate(certificate) => harmful(&mut certificate.states),
            _ => continue,
        }
        let result = recheck(&system, &[property], &evidence);
        let refusal = result.expect_err(&format!("seed {seed}"));
        // The harmful state may also be one that steps lead out of.
        let flaws = [Flaw::Harmful, Flaw::NotClosed, Flaw::Guesses];
        assert!(flaws.contains(&refusal.flaw), "seed {seed}: {refusal}");
        refused += 1;
    }
    assert!(refused >= 200);
}

/// Changes a certificate with sets of stacks.
fn change_aggregate(c: &mut AggregateCertificate, rng: &mut fastrand::Rng) {
    match rng.u32(..5) {
        0 => {
            c.states.remove(rng.usize(..c.states.len()));
        }
        1 => {
            let at = rng.usize(..c.languages.len());
            c.languages[at] = smaller(&c.languages[at], rng);
        }
        2 => {
            let languages = c.languages.len() as u32;
            let kind = pick(&mut c.kinds, rng);
            kind.language = (kind.language + 1) % (languages + 1);
        }
        3 => {
            let state = pick(&mut c.states, rng);
            let thread = rng.usize(..state.threads.len());
            state.threads[thread].1 += rng.u32(0..2) * 2;
            state.threads[thread].1 -= 1;
        }
        _ => {
            let shared = c.states[rng.usize(..c.states.len())].shared;
            let at = rng.usize(..c.states.len());
            c.states[at].shared = shared;
        }
    }
}

/// The language without some of its words.
fn smaller(language: &Dfa, rng: &mut fastrand::Rng) -> Dfa {
    let mut states: Vec<(bool, Vec<(SymbolId, u32)>)> = (0..language.state_count() as u32)
        .map(|s| (language.accepts_at(s), language.edges(s).to_vec()))
        .collect();
    let at = rng.usize(..states.len());
    if states[at].0 {
        states[at].0 = false;
    } else {
        let edges = &mut states[at].1;
        edges.remove(rng.usize(..edges.len()));
    }
    Dfa::from_states(states).expect("still an automaton")
}

/// States that are reached within a few contexts.
pub fn reached(system: &Tables) -> Vec<State> {
    let Ok(mut naive) = Naive::with_limit(system, 3000) else { return Vec::new() };
    while !naive.level().has_collapsed() && naive.level().bound < 8 {
        if naive.advance().is_err() {
            break;
        }
    }
    naive.states().map(|(state, _)| state.clone()).collect()
}

/// A change may leave a certificate right, since one set of stacks may contain another. Then it
/// still covers everything that is reached.
#[test]
fn changed_certificates_with_sets_of_stacks_are_refused() {
    let mut rng = fastrand::Rng::with_seed(2);
    let (mut refused, mut still_right, mut wrong) = (0, 0, 0);
    for (seed, system, property, evidence) in certificates(0..250) {
        let Evidence::Aggregate(certificate) = evidence else { continue };
        let states = reached(&system);
        for _ in 0..6 {
            let mut changed = certificate.clone();
            change_aggregate(&mut changed, &mut rng);
            let covers_all = changed.missing(&system, &states) == Ok(None);
            wrong += usize::from(!covers_all);
            let evidence = Evidence::Aggregate(changed);
            match recheck(&system, std::slice::from_ref(&property), &evidence) {
                Ok(_) => {
                    assert!(covers_all, "seed {seed}");
                    still_right += 1;
                }
                Err(_) => refused += 1,
            }
        }
    }
    println!("{refused} refused ({wrong} miss a reached state), {still_right} still right");
    assert!(refused >= 200 && wrong >= 200);
}

/// With symmetry, a certificate covers the permutations of what it lists.
#[test]
fn certificates_cover_what_is_reached() {
    for (seed, system, _, evidence) in certificates(0..100) {
        let states = reached(&system);
        let missing = match &evidence {
            Evidence::Cut(certificate) => certificate.missing(&system, &states),
            Evidence::Aggregate(certificate) => certificate.missing(&system, &states),
            _ => continue,
        };
        assert_eq!(missing, Ok(None), "seed {seed}");
    }
}
