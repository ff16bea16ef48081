//! What an edge touches, on random programs: a run changes nothing outside of its footprint, and nothing outside of
//! it matters to the run. States are the same words wherever they are written.

use crate::support;

use std::collections::BTreeSet;

use selvedge_core::machine::{Frame, Shared};
use selvedge_core::{Footprint, Machine, Memory, Value, footprints};
use selvedge_model::{State, System, ThreadId, step};
use selvedge_program::Lowering;
use selvedge_program::testing::{Shape, random_program};
use support::{lower, many};

/// Some states of a program: breadth first, so many.
fn some_states(system: &Lowering, most: usize) -> Vec<State> {
    let Ok(mut states) = system.initial() else { return Vec::new() };
    let mut at = 0;
    while at < states.len() && states.len() < most {
        for thread in 0..states[at].threads.len() as u32 {
            let Ok(next) = step(system, &states[at], ThreadId(thread)) else { continue };
            for (_, state) in next {
                if !states.contains(&state) && states.len() < most {
                    states.push(state);
                }
            }
        }
        at += 1;
    }
    states
}

/// The slots in which two memories differ.
fn changed(machine: &Machine, before: &Memory, after: &Memory) -> BTreeSet<usize> {
    let slots = 0..machine.shared.slots();
    let differs =
        |&slot: &usize| before.get(&machine.shared, slot) != after.get(&machine.shared, slot);
    slots.filter(differs).collect()
}

/// Where each outcome of an edge leads, without the values of one shared slot.
fn ends(machine: &Machine, shared: &Shared, frame: &Frame, without: Option<usize>) -> Vec<String> {
    let Ok(moves) = machine.moves(shared, frame) else { return Vec::new() };
    let end = |mut step: selvedge_core::machine::Move| {
        if let Some(slot) = without {
            step.outcome.shared.memory.set(&machine.shared, slot, &Value::Open);
        }
        format!("{:?}", step)
    };
    moves.into_iter().map(end).collect()
}

/// Holds one edge against its footprint from one configuration; how many slots were exchanged.
fn check(
    machine: &Machine,
    stated: &[Footprint],
    shared: &Shared,
    frame: &Frame,
    text: &str,
) -> usize {
    let location = machine.code.location(frame.loc);
    let mut together = Footprint::default();
    for &edge in &location.edges {
        let Ok(touched) = machine.touched(shared, frame, edge) else { return 0 };
        let stated = &stated[edge.index()];
        assert!(
            stated.covers(&touched),
            "{touched:?} is not within {stated:?}\n{edge:?} of\n{text}"
        );
        touched.reads.iter().for_each(|slot| together.reads.add(slot..slot + 1));
        touched.writes.iter().for_each(|slot| together.writes.add(slot..slot + 1));
        together.others |= touched.others;
    }
    let enters_atomic =
        location.edges.iter().any(|&edge| machine.code.location(machine.code.edge(edge).to).atomic);
    if enters_atomic {
        return 0;
    }
    let Ok(moves) = machine.moves(shared, frame) else { return 0 };
    for step in &moves {
        for slot in changed(machine, &shared.memory, &step.outcome.shared.memory) {
            assert!(together.writes.contains(slot), "slot {slot} is written, {together:?}\n{text}");
        }
    }
    // A value that is not touched makes no difference.
    let mut exchanged = 0;
    for slot in 0..machine.shared.slots() {
        let kind = &machine.code.shared[slot].kind;
        let is_touched = together.reads.contains(slot) || together.writes.contains(slot);
        let span = kind.span().filter(|span| span.count > 1);
        let (false, Some(span)) = (is_touched, span) else { continue };
        let other = match shared.memory.get(&machine.shared, slot) {
            Value::Small(n) if n == span.first => Value::Small(n + 1),
            _ => Value::Small(span.first),
        };
        let mut shared_too = shared.clone();
        shared_too.memory.set(&machine.shared, slot, &other);
        let same = ends(machine, shared, frame, Some(slot));
        assert_eq!(ends(machine, &shared_too, frame, Some(slot)), same, "slot {slot}\n{text}");
        exchanged += 1;
    }
    exchanged
}

#[test]
fn nothing_outside_of_the_footprint_is_touched() {
    let (mut edges, mut exchanged) = (0, 0);
    let usual =
        Shape { globals: 4, procs: 2, locals: 2, statements: 5, depth: 2, ..Shape::default() };
    let indices = Shape { chosen_indices: true, recursion: false, ..usual.clone() };
    let threads = Shape { thread_ids: true, recursion: false, ..usual.clone() };
    for shape in [usual, indices, threads] {
        for seed in 0..many(150) {
            let program = random_program(seed, &shape);
            let text = selvedge_program::print::weave(&program);
            let Ok(system) = lower(&program, &text) else { continue };
            let machine = system.machine();
            let stated = footprints(&machine.code);
            for state in some_states(&system, 25) {
                let shared = system.shared_state(state.shared);
                if shared.wrong.is_some() || shared.returned.is_some() {
                    continue;
                }
                for thread in &state.threads {
                    let top = thread.stack.top().and_then(|top| system.frame(top));
                    if let Some(frame) = top {
                        edges += machine.code.location(frame.loc).edges.len();
                        exchanged += check(machine, &stated, &shared, &frame, &text);
                    }
                }
            }
        }
    }
    assert!(edges > 3000 && exchanged > 3000, "{edges} edges, {exchanged} values exchanged");
}

#[test]
fn states_are_the_same_bytes_in_another_run() {
    let mut states = 0;
    for seed in 0..many(150) {
        let shape =
            Shape { recursion: seed % 2 == 0, thread_ids: seed % 3 == 0, ..Shape::default() };
        let program = random_program(seed, &shape);
        let text = selvedge_program::print::weave(&program);
        let (Ok(one), Ok(other)) = (lower(&program, &text), lower(&program, &text)) else {
            continue;
        };
        // Numbers are given out in another order there.
        let met = some_states(&one, 40);
        for state in met.iter().rev() {
            let bytes = one.write_state(state);
            let again = other.read_state(&bytes).unwrap_or_else(|| panic!("{bytes:?} of\n{text}"));
            assert_eq!(other.write_state(&again), bytes, "{text}");
            assert_eq!(
                other.describe().show_shared(again.shared),
                one.describe().show_shared(state.shared),
                "{text}"
            );
            assert_eq!(one.read_state(&bytes).as_ref(), Some(state), "{text}");
            // Text that was cut is no state.
            assert_eq!(one.read_state(&bytes[..bytes.len() - 1]), None);
            states += 1;
        }
    }
    assert!(states > 2000, "{states} states");
}

/// Recursion, numbers without bounds, started threads, a choice that is open.
const SHARED_TEXT: &str = "
int total := 0; bool open; int[0..300] a[5] := 7; lock m;
void down(int n) { if (n > 0) { down(n - 1); total := total * 1000003 + n; } }
void work() { lock(m); total := total - 99999999999999999999; unlock(m); }
void main() { tid t; a[{1 .. 2}] := 299; down(3); t := async work(); join t; if (open) { a[0] := 0; } }
thread main;
";

/// The states of that program in an order of its own, as lines of numbers.
fn written(order: impl Fn(&mut Vec<State>)) -> Vec<String> {
    let system = support::system(SHARED_TEXT);
    let mut states = some_states(&system, 200);
    order(&mut states);
    states.iter().map(|state| format!("{:?}", system.write_state(state))).collect()
}

#[test]
fn another_process_reads_the_states() {
    const CHILD: &str = "SELVEDGE_STATES_OF_A_CHILD";
    if let Ok(path) = std::env::var(CHILD) {
        std::fs::write(path, written(|states| states.reverse()).join("\n")).expect("written");
        return;
    }
    let path = std::env::temp_dir().join(format!("selvedge-states-{}", std::process::id()));
    let this = std::env::current_exe().expect("a path");
    let name = "footprints::another_process_reads_the_states";
    let child = std::process::Command::new(this).args(["--exact", name]).env(CHILD, &path).output();
    assert!(child.expect("a process").status.success());
    let text = std::fs::read_to_string(&path).expect("what the other process wrote");
    std::fs::remove_file(&path).expect("removed");
    let mut theirs: Vec<String> = text.lines().map(str::to_owned).collect();
    theirs.reverse();
    assert!(theirs.len() > 20, "{} states", theirs.len());
    assert_eq!(theirs, written(|_| {}));
    let system = support::system(SHARED_TEXT);
    for line in &theirs {
        let numbers = line.trim_matches(['[', ']']).split(", ");
        let bytes: Vec<u8> = numbers.map(|n| n.parse().expect("a byte")).collect();
        let state = system.read_state(&bytes).expect("a state");
        assert_eq!(system.write_state(&state), bytes);
    }
}
