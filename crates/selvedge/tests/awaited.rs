//! What threads that cannot act wait for, by its kind.

use selvedge::{InputOptions, Subject};
use selvedge_model::{Awaited, State, System, ThreadId, step};

fn awaited(system: &dyn System, state: &State, thread: usize) -> Vec<Awaited> {
    let top = state.threads[thread].stack.top().unwrap();
    system.describe().awaited(state.shared, top)
}

#[test]
fn every_kind_of_waiting_is_known_by_its_type() {
    let text = "lock m; bool open := false; semaphore free[2] := {0, 0}; condition called; barrier both := 2; chan[1] bool full;
        thread taker { acquire m; }
        thread sleeper { acquire n; wait called, n; }
        lock n;
        thread locks { acquire m; }
        thread acquires { acquire free[1]; }
        thread meets { wait both; }
        thread receives { bool x := receive(full); }
        thread assumes { wait(open); }
        void nothing() { wait(open); }
        thread joins { tid t := async nothing(); join t; }";
    let subject = Subject::parse("waits.weave", text, InputOptions::default()).unwrap();
    let system = subject.system().unwrap().system;
    let mut state = system.initial().unwrap().remove(0);
    for thread in (0..state.threads.len()).map(|number| ThreadId(number as u32)) {
        while let Some((_, next)) = step(&*system, &state, thread).unwrap().into_iter().next() {
            state = next;
        }
    }
    let name = str::to_owned;
    for (thread, expected) in [
        (1, Awaited::Condition(name("called"))),
        (2, Awaited::Lock(name("m"))),
        (3, Awaited::Semaphore(name("free[1]"))),
        (4, Awaited::Barrier(name("both"))),
        (5, Awaited::Channel(name("full"))),
        (6, Awaited::Variable(name("open"))),
        (7, Awaited::Thread(1)),
    ] {
        assert_eq!(awaited(&*system, &state, thread), [expected]);
    }
}

#[test]
fn who_comes_to_a_barrier_waits_for_those_who_may_leave() {
    let text = "barrier both := 2; thread meets * 3 { wait both; }";
    let subject = Subject::parse("waits.weave", text, InputOptions::default()).unwrap();
    let system = subject.system().unwrap().system;
    let mut state = system.initial().unwrap().remove(0);
    for thread in [ThreadId(0), ThreadId(1)] {
        state = step(&*system, &state, thread).unwrap().remove(0).1;
    }
    assert_eq!(awaited(&*system, &state, 2), [Awaited::Leaving("both".to_owned())]);
}
