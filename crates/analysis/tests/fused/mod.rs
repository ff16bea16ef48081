//! # Local steps ride along, against the definition
//! Random programs and tables, each as it is and with fused steps, both enumerated by the definition, context by context: the same shared states
//! within every bound, the first violation of every kind at the same bound, and no state that the system itself does not
//! reach within that bound. The conditions of the reduction are looked at while it runs.

use crate::support;

mod exact;
mod generated;
mod locks;
mod stubborn;

use std::collections::BTreeMap;
use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_analysis::engine::{Method, Question, Verdict, verify};
use selvedge_analysis::naive::{Naive, NaiveError};
use selvedge_evidence::{Evidence, ReducedCertificate, check_movers, recheck_reduced};
use selvedge_model::{
    Conditions, Fused, Local, Movers, Pattern, PlaceId, Property, SharedId, State, SymbolId,
    System, Tables, ThreadAt, TopPattern, Word,
};
use selvedge_program::Lowering;
use selvedge_program::print;
use selvedge_program::testing::{Shape, random_program};
use support::many;

/// Contexts up to which both are compared.
const BOUND: usize = 4;

/// What is reached within each bound: the smallest bound of each state.
fn reached(system: &dyn System, limit: usize) -> Result<Vec<(State, usize)>, NaiveError> {
    let mut naive = Naive::with_limit(system, limit)?;
    for _ in 0..BOUND {
        naive.advance()?;
    }
    Ok(naive.states().map(|(state, bound)| (state.clone(), bound)).collect())
}

/// The smallest bound of each shared state.
fn shared(states: &[(State, usize)]) -> BTreeMap<SharedId, usize> {
    let mut least = BTreeMap::new();
    for (state, bound) in states {
        let known = least.entry(state.shared).or_insert(*bound);
        *known = (*known).min(*bound);
    }
    least
}

/// The smallest bound at which a property is broken.
fn first(system: &dyn System, property: &Property, states: &[(State, usize)]) -> Option<usize> {
    let broken = |(state, _): &&(State, usize)| property.is_violated_by(system, state).unwrap();
    states.iter().filter(broken).map(|&(_, bound)| bound).min()
}

/// What may be left out in a program, as the engine believes it: what the checker does not follow is not relied upon. It asks of places that no thread reaches, too.
fn local_of(program: &Lowering) -> Local {
    let local = program.local();
    match check_movers(program, program.code(), &local.movers) {
        Ok(()) => local,
        Err(_) => Local { movers: Movers::default(), ..local },
    }
}

#[derive(Default, Debug)]
struct Tally {
    compared: usize,
    smaller: usize,
    states: usize,
    fused: usize,
    broken: usize,
    heads: usize,
}

/// Compares a system with itself after its steps were fused.
fn compare(
    system: Arc<dyn System>,
    local: &Local,
    properties: &[Property],
    about: &str,
    tally: &mut Tally,
) {
    // Shared states within a transaction are left out as well: see `locks`.
    let local = Local { movers: Movers::default(), ..local.clone() };
    let local = local.unseen_by(&*system, properties);
    let Ok(plain) = reached(&*system, 4_000) else { return };
    let watched = Arc::new(Conditions::new(Arc::clone(&system), local.clone()));
    let begins_later = properties == [Property::NeverWrong];
    let fused = |system: Arc<dyn System>| {
        let fused = Fused::new(system, local.clone());
        if begins_later { fused.beginning_later() } else { fused }
    };
    let remembering = reached(&fused(Arc::clone(&system)), 8_000);
    let fused = fused(Arc::clone(&watched) as Arc<dyn System>).asking_each_time();
    let found = reached(&fused, 8_000).unwrap_or_else(|why| panic!("{why}\n{about}"));
    assert_eq!(remembering.as_ref(), Ok(&found), "what was remembered\n{about}");
    assert_eq!(shared(&plain), shared(&found), "shared states\n{about}");
    let bounds: BTreeMap<&State, usize> = plain.iter().map(|(s, b)| (s, *b)).collect();
    // A thread that begins later is where it is without a context of its own.
    for (state, bound) in found.iter().filter(|_| !begins_later) {
        let known = bounds.get(state);
        assert!(known.is_some_and(|least| least <= bound), "{state:?} within {bound}\n{about}");
    }
    if properties.iter().any(Property::is_about_deadlocks)
        && !properties.iter().any(|p| matches!(p, Property::Unreachable(_)))
    {
        let later =
            reached(&fused.clone().beginning_later(), 8_000).expect("it has no more states");
        for property in properties {
            let (expected, is) =
                (first(&*system, property, &plain), first(&*system, property, &later));
            assert!(is <= expected || expected.is_none(), "{property:?}\n{about}");
            assert!(is.is_some() || expected.is_none(), "{property:?}\n{about}");
        }
    }
    for property in properties {
        let (expected, is) = (first(&*system, property, &plain), first(&*system, property, &found));
        assert_eq!(is, expected, "{property:?}\n{about}");
        tally.broken += usize::from(expected.is_some());
    }
    tally.compared += 1;
    tally.smaller += usize::from(found.len() < plain.len());
    tally.states += plain.len();
    tally.fused += found.len();
    tally.heads += watched.heads();
}

/// Targets: a thread at a place, and two threads at two places.
fn targets(places: u32, seed: u64) -> Vec<Property> {
    let at = |n: u64| ThreadAt {
        text: String::new(),
        places: vec![(None, PlaceId((n % u64::from(places.max(1))) as u32))],
    };
    let (a, b) = (seed.wrapping_mul(7919), seed.wrapping_mul(104_729) / 3);
    vec![
        Property::Unreachable(Pattern::Together(vec![at(a)])),
        Property::Unreachable(Pattern::Together(vec![at(a), at(b)])),
    ]
}

/// Makes another form of a system.
type Form = fn(Lowering) -> Lowering;

#[test]
fn programs() {
    let shapes = [
        Shape { boolean_programs: false, jumps: false, ..Shape::default() },
        Shape {
            locals: 4,
            statements: 6,
            dynamic_threads: false,
            boolean_programs: false,
            ..Shape::default()
        },
        Shape { locals: 4, globals: 2, recursion: false, atomic: false, ..Shape::default() },
        Shape { thread_ids: true, chosen_indices: true, ..Shape::default() },
        Shape::boolean(),
    ];
    let mut tally = Tally::default();
    for seed in 0..many(100) {
        let shape = &shapes[(seed % shapes.len() as u64) as usize];
        let program = random_program(seed, shape);
        let text = print::weave(&program);
        let lower = || support::lower(&program, &text).ok();
        let forms: [(Form, bool); 3] = [
            (|system| system, false),
            (Lowering::dropping_threads, false),
            (Lowering::choosing_at_once, true),
        ];
        for (form, deadlock) in forms {
            let Some(system) = lower().map(form) else { continue };
            let local = system.local();
            let places = system.code().locations.len() as u32;
            let mut properties = vec![Property::NeverWrong];
            properties.extend(deadlock.then_some(Property::ANY_DEADLOCK));
            let system: Arc<dyn System> = Arc::new(system);
            let about = format!("seed {seed}, deadlocks {deadlock}\n{text}");
            compare(Arc::clone(&system), &local, &properties, &about, &mut tally);
            compare(system, &local, &targets(places, seed), &about, &mut tally);
        }
    }
    println!("{tally:?}");
    assert!(tally.compared > many(100) as usize, "{tally:?}");
    assert!(tally.smaller * 4 > tally.compared, "{tally:?}");
    assert!(tally.broken * 8 > tally.compared, "{tally:?}");
}

/// A table in which about half of the symbols have the same rules everywhere.
fn random_table(seed: u64) -> (Tables, Vec<Property>) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut tables = Tables::builder();
    let shared: Vec<_> = (0..rng.u32(1..4)).map(|n| tables.shared(n.to_string())).collect();
    let mut all = Vec::new();
    for number in 0..2 {
        let template = tables.template(format!("T{number}"));
        let symbols: Vec<_> = (0..5).map(|n| tables.symbol(template, format!("s{n}"))).collect();
        let word = |rng: &mut fastrand::Rng| match rng.u32(0..6) {
            0 => Word::Pop,
            1 => Word::Push { top: symbols[rng.usize(0..5)], under: symbols[rng.usize(0..5)] },
            _ => Word::Rewrite(symbols[rng.usize(0..5)]),
        };
        for &top in &symbols {
            let is_local = rng.bool();
            for _ in 0..rng.u32(1..4) {
                if is_local {
                    let word = word(&mut rng);
                    shared.iter().for_each(|&at| tables.rule(template, at, Some(top), at, word));
                } else {
                    let (at, to) =
                        (shared[rng.usize(0..shared.len())], shared[rng.usize(0..shared.len())]);
                    let word = word(&mut rng);
                    tables.rule(template, at, Some(top), to, word);
                }
            }
        }
        tables.thread(format!("T{number}"), template, vec![symbols[0]]);
        all.push(symbols);
    }
    tables.initial(shared[0]);
    let at = |n: usize, symbols: &[SymbolId]| match n {
        0 => TopPattern::Empty,
        1 | 2 => TopPattern::Any,
        n => TopPattern::Symbol(symbols[n % 5]),
    };
    let tops = all.iter().map(|symbols| at(rng.usize(0..9), symbols)).collect();
    let tuple = Pattern::Tuple { shared: rng.bool().then_some(shared[0]), tops };
    let symbol = all[1][rng.usize(0..5)];
    let somewhere = Pattern::Somewhere { shared: None, template: None, symbol };
    let properties = [tuple, somewhere].map(Property::Unreachable).to_vec();
    (tables.build(), properties)
}

#[test]
fn tables() {
    let mut tally = Tally::default();
    for seed in 0..many(600) {
        let (system, mut properties) = random_table(seed);
        properties.push(Property::ANY_DEADLOCK);
        let local = system.local();
        compare(Arc::new(system), &local, &properties, &format!("seed {seed}"), &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.compared > many(600) as usize / 4, "{tally:?}");
    assert!(tally.smaller * 3 > tally.compared, "{tally:?}");
}

/// Certificates of the engine about systems with fused steps, and what becomes of them when they are changed.
#[derive(Default, Debug)]
struct Claims {
    accepted: usize,
    /// Places said to be local that are not, in a certificate of the right states.
    wrong_places: usize,
    /// A state left out.
    missing_states: usize,
    /// Proofs, state by state, about a program that goes wrong: with steps left out that others see.
    false_proofs: usize,
}

fn explored(fused: &Fused, properties: &[Property]) -> Option<Evidence> {
    let question = Question {
        system: fused,
        properties,
        method: Method::Auto,
        symmetry: true,
        evidence: true,
    };
    let budget = Budget::default().with_work(40_000);
    let outcome = verify(&question, &budget, &|_| {});
    outcome.evidence.filter(|_| matches!(outcome.verdict, Verdict::Safe(_)))
}

/// The certificate without one of its states, if it lists some.
fn without_one(evidence: &Evidence, number: usize) -> Option<Evidence> {
    let mut changed = evidence.clone();
    let states = match &mut changed {
        Evidence::Cut(cut) if cut.measures.is_empty() => &mut cut.states,
        Evidence::Aggregate(aggregate) => &mut aggregate.states,
        _ => return None,
    };
    if states.is_empty() {
        return None;
    }
    states.remove(number % states.len());
    Some(changed)
}

/// Tries to have false things believed about a program.
fn forge(
    system: &Arc<Lowering>,
    properties: &[Property],
    seed: u64,
    about: &str,
    claims: &mut Claims,
) {
    let code = system.code();
    let plain: Arc<dyn System> = Arc::clone(system) as Arc<dyn System>;
    let local = Local { movers: Movers::default(), ..system.local() };
    let local = local.unseen_by(&*plain, properties);
    let check = |local: &Local, proof: &Evidence| {
        let (local, proof) = (local.clone(), Box::new(proof.clone()));
        let certificate = ReducedCertificate { local, later: true, waiting: Vec::new(), proof };
        recheck_reduced(&plain, Some(code), properties, &certificate, &Budget::default())
    };
    let touches_others: Vec<PlaceId> = {
        let footprints = selvedge_core::footprints(code);
        let touches = |edge: &selvedge_core::EdgeId| !footprints[edge.index()].is_local();
        let places = (0..).zip(&code.locations).filter(|(_, at)| at.edges.iter().any(touches));
        places.map(|(place, _)| PlaceId(place)).collect()
    };
    let mut rng = fastrand::Rng::with_seed(seed);
    let honest =
        explored(&Fused::new(Arc::clone(&plain), local.clone()).beginning_later(), properties);
    if let Some(proof) = &honest {
        check(&local, proof).unwrap_or_else(|why| panic!("{why}\n{about}"));
        claims.accepted += 1;
        for &place in &touches_others {
            let mut more = local.clone();
            more.places.insert(place);
            assert!(check(&more, proof).is_err(), "{place:?} is no local place\n{about}");
            claims.wrong_places += 1;
        }
        for _ in 0..3 {
            let Some(changed) = without_one(proof, rng.usize(..)) else { break };
            assert!(check(&local, &changed).is_err(), "a state is missing\n{about}");
            claims.missing_states += 1;
        }
        return;
    }
    for round in 0..6 {
        let mut more = local.clone();
        more.places.extend(touches_others.iter().filter(|_| round == 0 || rng.bool()));
        let Some(proof) =
            explored(&Fused::new(Arc::clone(&plain), more.clone()).beginning_later(), properties)
        else {
            continue;
        };
        assert!(check(&more, &proof).is_err(), "this goes wrong\n{about}");
        // Neither do its states prove anything with the places that are local.
        assert!(check(&local, &proof).is_err(), "this goes wrong\n{about}");
        claims.false_proofs += 2;
    }
}

/// A thread that reads something several times and expects it to stay, and another one that changes it.
fn reads_again(seed: u64) -> String {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut text = "bool g := false; int[0..3] h := 0;\n".to_owned();
    text += "void read() { bool x := g; bool y := x; int[0..3] n := h; ";
    for _ in 0..rng.u32(1..4) {
        text += ["n := (n + 1) % 4; ", "if (x) n := 0; ", "y := !y; y := !y; ", "h := h; "]
            [rng.usize(0..4)];
        text += ["y := g; ", "if (g != x) y := !x; ", "y := g && x || !x && g; "][rng.usize(0..3)];
    }
    text += "assert x == y; }\n";
    text += "void write() { bool z := true; z := !z; g := !g; g := z; }\n";
    text + ["thread read; thread write;\n", "thread read * 2; thread write;\n"][rng.usize(0..2)]
}

#[test]
fn false_claims_are_refused() {
    let shapes = [
        Shape { locals: 3, dynamic_threads: false, boolean_programs: false, ..Shape::default() },
        Shape { locals: 3, recursion: false, atomic: false, ..Shape::default() },
        Shape { locals: 3, numbers: false, statements: 3, ..Shape::plain() },
    ];
    let mut claims = Claims::default();
    for seed in 0..many(150) {
        let program = random_program(seed, &shapes[(seed % shapes.len() as u64) as usize]);
        let text = print::weave(&program);
        let about = format!("seed {seed}\n{text}");
        let Ok(system) = support::lower(&program, &text) else { continue };
        forge(
            &Arc::new(system.dropping_threads()),
            &[Property::NeverWrong],
            seed,
            &about,
            &mut claims,
        );
        let Ok(system) = support::lower(&program, &text) else { continue };
        let both = [Property::NeverWrong, Property::ANY_DEADLOCK];
        forge(&Arc::new(system.choosing_at_once()), &both, seed, &about, &mut claims);
    }
    for seed in 0..many(150) / 5 {
        let text = reads_again(seed);
        let system = support::lower(&support::read_weave(&text), &text).expect("it is a program");
        forge(&Arc::new(system), &[Property::NeverWrong], seed, &text, &mut claims);
    }
    println!("{claims:?}");
    let least = many(150) as usize / 10;
    assert!(claims.accepted > least && claims.wrong_places > 3 * least, "{claims:?}");
    assert!(claims.missing_states > least && claims.false_proofs > least / 2, "{claims:?}");
}
