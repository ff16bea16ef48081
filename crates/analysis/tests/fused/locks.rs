//! # What locks protect, against the definition
//! Random programs that take and give back locks, mostly as they should. Each is enumerated as it is: at every state that is reached, steps that are said to be
//! exchangeable are exchanged. With fused steps the first violation of every kind has the same bound. And what is said of locks is changed at random: whatever the checker
//! still accepts has to be true.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_evidence::{Evidence, ReducedCertificate, recheck_reduced};
use selvedge_model::{
    Action, Fused, Local, Movers, PlaceId, Property, State, System, ThreadId, enabled, step_with,
};
use selvedge_program::Lowering;

use super::{BOUND, explored, first, reached, without_one};
use crate::support::{self, many};

/// A program with two locks. `m` mostly protects `x` and `a`, `n` mostly protects `y`; `z` is anybody's.
pub(super) fn random_locked(seed: u64) -> String {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut text = "lock m, n, k[2]; int[0..2] x := 0, y := 0, z := 0; bool a[2] := false; int[0..2] d[2] := 0;\n".to_owned();
    let held = |rng: &mut fastrand::Rng, lock: &str, depth: usize| -> String {
        let mut body = String::new();
        for _ in 0..rng.usize(1..4) {
            let statement = match (lock, rng.u32(0..14)) {
                (_, 0) => "z := (z + 1) % 3;".to_owned(),
                (_, 1) => "l := z;".to_owned(),
                (_, 2) => "l := (l + 1) % 3;".to_owned(),
                (_, 3) => format!("if (*) {{ release {lock}; acquire {lock}; }}"),
                ("m", 4) => "inside();".to_owned(),
                ("m", 5) => "a[x % 2] := !a[(x + 1) % 2];".to_owned(),
                ("m", 6) => "while (x > 0) x := x - 1;".to_owned(),
                ("m", 7) => "assume x < 2;".to_owned(),
                ("m", 8) => "assert !a[0] || x != 1;".to_owned(),
                ("m", 9) if depth == 0 => "acquire n; y := x; release n;".to_owned(),
                ("m", _) => "x := (x + 1) % 3;".to_owned(),
                (_, 4) => "assert y != 2 || z != 1;".to_owned(),
                (_, 5) if depth == 0 => "acquire m; x := y; release m;".to_owned(),
                (_, 6) => "l := y;".to_owned(),
                (_, 7) => "if (y == l) y := 0; else y := 1;".to_owned(),
                _ => "y := (y + l) % 3;".to_owned(),
            };
            body += &statement;
            body += " ";
        }
        format!("acquire {lock}; {body}release {lock};")
    };
    text += [
        "void inside() { x := (x + 2) % 3; }\n",
        "void inside() { if (x == 0) { inside(); x := 1; } }\n",
        "void inside() { release m; acquire m; }\n",
    ][rng.usize(0..3)];
    for name in ["p", "q"] {
        let _ = write!(text, "void {name}(int[0..1] i) {{ int[0..2] l := 0; ");
        for _ in 0..rng.usize(1..3) {
            let statement = match rng.u32(0..32) {
                0 => "x := 0;".to_owned(),
                1 => "z := 1;".to_owned(),
                2 => "assert z != 2;".to_owned(),
                3 => "if (trylock(n)) { y := 1; release n; }".to_owned(),
                4 => "release m;".to_owned(),
                5 => "atomic { acquire m; x := 1; release m; }".to_owned(),
                6 => "l := {0 .. 1};".to_owned(),
                7 => "i := 1 - i;".to_owned(),
                8 => "acquire k[i]; acquire k[(i + 1) % 2]; d[i] := l; release k[i]; release k[(i + 1) % 2];".to_owned(),
                9 => "d[i] := 0;".to_owned(),
                30 => "acquire m; release m; z := 2;".to_owned(),
                31 => "acquire n; if (trylock(m)) { l := 1; } else { l := z; } release n; assert l != 2;".to_owned(),
                28 => "acquire k[i]; i, d[i] := 1 - i, 1; release k[1 - i];".to_owned(),
                29 => "acquire k[i]; d[i], i := 1, 1 - i; release k[1 - i];".to_owned(),
                10 => "acquire k[1 - i]; if (*) i := {0 .. 1}; release k[1 - i];".to_owned(),
                11 => "acquire k[0]; z := 1; release k[0];".to_owned(),
                12 => "acquire k[i]; inside(); d[i] := (d[i] + 1) % 3; l := d[i]; release k[i];".to_owned(),
                13..17 => format!(
                    "acquire k[i]; {}d[i] := (d[i] + 1) % 3; {}assert d[i] != 2; release k[i];",
                    ["", "l := d[i]; ", "d[1 - i] := 1; "][rng.usize(0..3)],
                    ["", "z := (z + 1) % 3; ", "release k[i]; acquire k[i]; "][rng.usize(0..3)]
                ),
                17..22 => held(&mut rng, "m", 0),
                _ => held(&mut rng, "n", 0),
            };
            text += &statement;
            text += " ";
        }
        text += "}\n";
    }
    text += [
        "thread p = p(0); thread q = q(1);\n",
        "thread p[j] * 2 = p(j); thread q = q(0);\n",
        "thread p = p(1); thread t { tid j; j := async q(1); acquire m; x := 2; release m; join j; assert x != 0; }\n",
    ][rng.usize(0..3)];
    text
}

/// The states after one thread acts and then another one, and the states in which the second went wrong.
fn both(system: &dyn System, state: &State, one: ThreadId, two: ThreadId) -> BTreeSet<State> {
    let steps = |state: &State, thread| enabled(system, state, thread).unwrap_or_default();
    let mut after = BTreeSet::new();
    for action in steps(state, one) {
        let between = step_with(state, one, action);
        if system.wrong(between.shared).is_none() {
            after.extend(steps(&between, two).into_iter().map(|a| step_with(&between, two, a)));
        }
    }
    after
}

/// The first sentence about a state that is not true: steps that cannot be exchanged, or a step that is prevented.
fn disproof(system: &dyn System, movers: &Movers, states: &[(State, usize)]) -> Option<String> {
    let fine = |state: &State| system.wrong(state.shared).is_none();
    for (state, _) in
        states.iter().filter(|(state, _)| fine(state) && !system.is_between(state.shared))
    {
        for thread in (0..state.threads.len()).map(ThreadId::from) {
            let top = state.threads[thread.index()].stack.top();
            let Some(place) = top.and_then(|top| system.place_of(top)) else { continue };
            let is = |set: &BTreeSet<PlaceId>| set.contains(&place);
            let actions: Vec<Action> = enabled(system, state, thread).unwrap_or_default();
            if is(&movers.commits) && actions.is_empty() {
                return Some(format!("{place:?} waits at {state:?}"));
            }
            // Where a step goes wrong, nothing is fused.
            if actions.iter().any(|action| system.wrong(action.shared).is_some()) {
                continue;
            }
            for other in (0..state.threads.len()).map(ThreadId::from).filter(|&t| t != thread) {
                let (mine_first, mine_last) =
                    (both(system, state, thread, other), both(system, state, other, thread));
                let is_earlier = mine_last.is_subset(&mine_first);
                let is_later = mine_first.is_subset(&mine_last);
                if (is(&movers.inside) || is(&movers.releases)) && !is_earlier {
                    return Some(format!("{place:?} cannot be earlier at {state:?}"));
                }
                // What goes wrong is the end, so that nothing comes after it.
                let ends = |states: BTreeSet<State>| states.iter().any(|state| !fine(state));
                if (is(&movers.inside) || is(&movers.takes)) && !is_later && !ends(mine_first) {
                    return Some(format!("{place:?} cannot be later at {state:?}"));
                }
            }
        }
    }
    None
}

#[derive(Default, Debug)]
struct Tally {
    compared: usize,
    with_movers: usize,
    commits: usize,
    states: usize,
    fused: usize,
    broken: usize,
    accepted: usize,
    refused: usize,
    refused_false: usize,
    missing: usize,
}

/// Changes one thing that is said of locks.
fn changed(movers: &Movers, places: u32, slots: u32, rng: &mut fastrand::Rng) -> Movers {
    let mut movers = movers.clone();
    let place = PlaceId(rng.u32(0..places));
    let slot = rng.u32(0..slots);
    let guard = (!movers.guards.is_empty()).then(|| rng.usize(0..movers.guards.len()));
    match (rng.u32(0..9), guard) {
        (0, _) => _ = movers.inside.insert(place),
        (1, _) => _ = movers.releases.insert(place),
        (2, _) => _ = movers.takes.insert(place),
        (3, _) => _ = movers.commits.insert(place),
        (4, Some(guard)) => {
            movers.guards[guard].protects.insert(slot);
            movers.inside.insert(place);
        }
        (5, Some(guard)) => {
            let guard = &mut movers.guards[guard];
            guard.held.extend((0..places).map(PlaceId));
            guard.protects.extend((0..slots).filter(|_| rng.bool()));
            movers.inside.extend((0..places).map(PlaceId));
        }
        (6, Some(guard)) => {
            movers.guards[guard].held.insert(place);
            movers.inside.insert(place);
        }
        (7, Some(guard)) => {
            movers.guards[guard].lock = place;
        }
        _ => {
            let guard = selvedge_model::Guard {
                lock: place,
                held: (0..places).map(PlaceId).collect(),
                protects: [rng.u32(0..slots)].into(),
            };
            movers.guards.push(guard);
            movers.inside.insert(place);
            movers.releases.insert(PlaceId(rng.u32(0..places)));
        }
    }
    movers
}

fn compare(lowering: Lowering, properties: &[Property], seed: u64, about: &str, tally: &mut Tally) {
    let code = lowering.code().clone();
    let local = lowering.local();
    let system: Arc<dyn System> = Arc::new(lowering);
    let Ok(plain) = reached(&*system, 6_000) else { return };
    if let Some(why) = disproof(&*system, &local.movers, &plain) {
        panic!("{why}\n{local:?}\n{about}");
    }
    let fused = Fused::new(Arc::clone(&system), local.clone());
    let found = reached(&fused, 12_000).unwrap_or_else(|why| panic!("{why}\n{about}"));
    for (state, bound) in &found {
        let known = plain.iter().find(|(known, _)| known == state);
        assert!(known.is_some_and(|(_, least)| least <= bound), "{state:?}\n{about}");
    }
    for property in properties {
        let (expected, is) = (first(&*system, property, &plain), first(&*system, property, &found));
        assert_eq!(is, expected, "{property:?}\n{local:?}\n{about}");
        tally.broken += usize::from(expected.is_some());
    }
    tally.compared += 1;
    tally.with_movers += usize::from(!local.movers.is_empty());
    tally.commits += usize::from(!local.movers.commits.is_empty());
    tally.states += plain.len();
    tally.fused += found.len();
    if properties.iter().any(Property::is_about_deadlocks) {
        return;
    }
    let check = |local: &Local, proof: &Evidence| {
        let (local, proof) = (local.clone(), Box::new(proof.clone()));
        let certificate = ReducedCertificate { local, later: false, waiting: Vec::new(), proof };
        recheck_reduced(&system, Some(&code), properties, &certificate, &Budget::default())
    };
    let goes_wrong = properties.iter().any(|property| first(&*system, property, &plain).is_some());
    let mut rng = fastrand::Rng::with_seed(seed);
    if let Some(proof) = explored(&fused, properties) {
        check(&local, &proof).unwrap_or_else(|why| panic!("{why}\n{local:?}\n{about}"));
        tally.accepted += 1;
        let missing = without_one(&proof, rng.usize(..));
        if let Some(missing) = missing {
            assert!(check(&local, &missing).is_err(), "a state is missing\n{about}");
            tally.missing += 1;
        }
    }
    let (places, slots) = (code.locations.len() as u32, code.shared.len() as u32);
    for _ in 0..6 {
        let movers = changed(&local.movers, places, slots, &mut rng);
        let local = Local { movers, ..local.clone() };
        let Some(proof) = explored(&Fused::new(Arc::clone(&system), local.clone()), properties)
        else {
            continue;
        };
        let is_false = disproof(&*system, &local.movers, &plain);
        match check(&local, &proof) {
            Ok(_) => {
                assert!(!goes_wrong, "a false proof\n{local:?}\n{about}");
                assert!(is_false.is_none(), "{is_false:?}\n{local:?}\n{about}");
            }
            Err(_) => {
                tally.refused += 1;
                tally.refused_false += usize::from(goes_wrong || is_false.is_some());
            }
        }
    }
}

#[test]
fn locks() {
    let mut tally = Tally::default();
    assert_eq!(BOUND, 4);
    for seed in 0..many(150) {
        let text = random_locked(seed);
        let about = format!("seed {seed}\n{text}");
        let program = support::read_weave(&text);
        let lower = || support::lower(&program, &text).expect("it is a program");
        compare(lower(), &[Property::NeverWrong], seed, &about, &mut tally);
        let both = [Property::NeverWrong, Property::ANY_DEADLOCK];
        compare(lower().choosing_at_once(), &both, seed, &about, &mut tally);
    }
    println!("{tally:?}");
    let least = many(150) as usize;
    assert!(tally.compared > least && tally.with_movers > least / 2, "{tally:?}");
    assert!(tally.commits > least / 4 && tally.broken > least / 2, "{tally:?}");
    assert!(tally.refused > least && tally.refused_false > least / 4, "{tally:?}");
    assert!(tally.fused * 5 < tally.states * 4, "{tally:?}");
}
