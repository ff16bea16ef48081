//! # What locks protect, against the definition
//! Random programs that take and give back locks, mostly as they should. Each is enumerated as it is: at every state that is reached, steps that are said to be
//! exchangeable are exchanged. With fused steps the first violation of every kind has the same bound. And what is said of locks is changed at random: whatever the checker
//! still accepts has to be true.

use std::collections::BTreeSet;
use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_core::{Area, Code, Declared, Instruction, Place, Target};
use selvedge_evidence::{Evidence, ReducedCertificate, check_movers, recheck_reduced};
use selvedge_model::{
    Fault, Fused, Local, Movers, PlaceId, Property, State, System, ThreadId, enabled, step_with,
};
use selvedge_program::Lowering;

use super::generated::random_locked;
use super::{BOUND, explored, first, local_of, reached, without_one};
use crate::support::{self, many};

/// The states after a thread acts, if they can be listed. A result that is on its way is in the midst of a step.
fn after(system: &dyn System, state: &State, thread: ThreadId) -> Result<Vec<State>, Fault> {
    let (mut open, mut found) = (vec![state.clone()], Vec::new());
    while let Some(state) = open.pop() {
        for action in enabled(system, &state, thread)? {
            let next = step_with(&state, thread, action);
            match system.wrong(next.shared).is_none() && system.is_between(next.shared) {
                true => open.push(next),
                false => found.push(next),
            }
        }
    }
    Ok(found)
}

/// The states after one thread acts and then another one, and the states in which the second went wrong.
fn both(
    system: &dyn System,
    state: &State,
    one: ThreadId,
    two: ThreadId,
) -> Result<BTreeSet<State>, Fault> {
    let mut found = BTreeSet::new();
    for between in after(system, state, one)? {
        if system.wrong(between.shared).is_none() {
            found.extend(after(system, &between, two)?);
        }
    }
    Ok(found)
}

/// The threads of a state, without those that stand where an earlier one stands: they do what that one does.
fn different(state: &State, but: Option<ThreadId>) -> Vec<ThreadId> {
    let mut met = BTreeSet::new();
    let others = state.thread_ids().filter(|&thread| Some(thread) != but);
    others.filter(|thread| met.insert(&state.threads[thread.index()])).collect()
}

/// The first sentence about a state that is not true: steps that cannot be exchanged, or a step that is prevented.
pub(super) fn disproof(
    system: &dyn System,
    movers: &Movers,
    states: &[(State, usize)],
) -> Option<String> {
    let fine = |state: &State| system.wrong(state.shared).is_none();
    for (state, _) in
        states.iter().filter(|(state, _)| fine(state) && !system.is_between(state.shared))
    {
        for thread in different(state, None) {
            let top = state.threads[thread.index()].stack.top();
            let Some(place) = top.and_then(|top| system.place_of(top)) else { continue };
            let is = |set: &BTreeSet<PlaceId>| set.contains(&place);
            // What steps without an end come to is not known.
            let Ok(actions) = enabled(system, state, thread) else { continue };
            if is(&movers.commits) && actions.is_empty() {
                return Some(format!("{place:?} waits at {state:?}"));
            }
            // Where a step goes wrong, nothing is fused.
            if actions.iter().any(|action| system.wrong(action.shared).is_some()) {
                continue;
            }
            let (earlier, later) = (
                is(&movers.inside) || is(&movers.releases),
                is(&movers.inside) || is(&movers.takes),
            );
            // Of other places nothing is said.
            let others = different(state, Some(thread)).into_iter();
            for other in others.filter(|_| earlier || later) {
                let (Ok(mine_first), Ok(mine_last)) =
                    (both(system, state, thread, other), both(system, state, other, thread))
                else {
                    continue;
                };
                let is_earlier = mine_last.is_subset(&mine_first);
                let is_later = mine_first.is_subset(&mine_last);
                if earlier && !is_earlier {
                    return Some(format!("{place:?} cannot be earlier at {state:?}"));
                }
                // What goes wrong is the end, so that nothing comes after it.
                let ends = |states: BTreeSet<State>| states.iter().any(|state| !fine(state));
                if later && !is_later && !ends(mine_first) {
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
    let (claimed, local) = (lowering.local(), local_of(&lowering));
    let system: Arc<dyn System> = Arc::new(lowering);
    let Ok(plain) = reached(&*system, 6_000) else { return };
    if let Some(why) = disproof(&*system, &claimed.movers, &plain) {
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

/// Changes how stores call the shared places that begin at a slot.
fn calling(mut code: Code, first: usize, change: &dyn Fn(&mut Place)) -> Code {
    for instruction in code.edges.iter_mut().flat_map(|edge| edge.code.iter_mut()) {
        let place = match instruction {
            Instruction::Store { to: Target::Place(place), .. } => place,
            Instruction::Locate(_, place) => place,
            _ => continue,
        };
        if place.area == Area::Shared && place.first == first {
            change(place);
        }
    }
    code
}

/// No text means such code; but what the checker says of elements does not rest on that.
#[test]
fn an_element_has_one_lock() {
    let text = "lock k[2], q[2]; int[0..1] d[2] := 0, e[2] := 0, f[2] := 0;\n\
         void p(int[0..1] i) { acquire k[i]; d[i] := 1; release k[i]; acquire q[i]; e[i] := 1; release q[i]; }\n\
         void r(int[0..1] i) { acquire q[i]; e[i] := 0; release q[i]; }\n\
         thread p[i] * 2 = p(i); thread r = r(0);";
    let lowering = support::system(text);
    let (code, movers) = (lowering.code().clone(), lowering.local().movers);
    let slot = |name: &str| {
        let is = |declared: &Declared| declared.name.contains(name);
        code.shared.iter().position(is).expect("it is declared")
    };
    let (d, e) = (slot("`d"), slot("`e"));
    let check = |code: &Code, movers: &Movers| {
        check_movers(&lowering, code, movers).map_err(|why| why.to_string())
    };
    let protects = |slot: usize| movers.guards.iter().any(|g| g.protects.contains(&(slot as u32)));
    assert!(protects(d) && protects(e), "{movers:?}");
    assert_eq!(check(&code, &movers), Ok(()));
    // The second element of `d` is the first one of `e`: one element, two locks.
    let shifted = calling(code.clone(), e, &|place| place.first = d + 1);
    let mut claimed = movers.clone();
    for guard in &mut claimed.guards {
        if guard.protects.remove(&(e as u32)) {
            guard.protects.insert(d as u32 + 1);
        }
    }
    let why = check(&shifted, &claimed).expect_err("it has two locks");
    assert!(why.contains("protected twice"), "{why}");
    // The second element is the third one for somebody else.
    let is_first = std::cell::Cell::new(true);
    let stretched = calling(code.clone(), e, &|place| {
        if is_first.replace(false) {
            place.indices[0].stride = 2;
        }
    });
    let why = check(&stretched, &movers).expect_err("an index is two elements");
    assert!(why.contains("several shapes"), "{why}");
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
