//! # Recursion without end
//!
//! **Question.** A search came to no end. Is there a recursion without end, of calls or of starts, that explains why?
//!
//! **Idea.** Follow some schedules for a few steps, always the same ones. A thread that calls while the shared state and the frame of the callee are what they
//! were at an earlier call, which has not come back yet, and with no other thread in between, can do the same again and again.
//!
//! **Claim.** A head that leads to itself with more below it, and without what was below it being touched, does so any number of times: a *repeating head*
//! [Bouajjani, Esparza and Maler 1997, Sec. 3]. So does a thread that begins in the shared state in which it was started and, alone, comes to start another one with the
//! same frame in the same shared state.
//!
//! **Otherwise.** A thread that is many calls deep is told as that: values may differ from call to call, and perhaps there is an end. Where nothing is found,
//! nothing is said.

use selvedge_check::{Deadlocks, Subject, Wanted};
use selvedge_model::{
    Action, SharedId, State, SymbolId, System, Thread, ThreadId, advance, enabled,
};
use selvedge_report::advice::{Recursion, Repeats};

use crate::walks::Chance;

/// How many schedules are followed, and for how many steps each. The limit that ended the search has passed, so that little time is left.
const WALKS: u64 = 4;
const STEPS: usize = 1500;

/// A thread that has called so often is deep in a recursion.
const DEEP: usize = 100;

/// Texts that are longer are not prepared once more for this: memory may have been what ended the search.
const LONGEST_TEXT: usize = 1 << 16;

/// In how many of a hundred steps another thread is next.
const SWITCHES: usize = 3;

/// A recursion without end that some schedule comes to, or else one that goes deep.
pub(crate) fn recursion(subject: &Subject) -> Option<Recursion> {
    if subject.source().text().len() > LONGEST_TEXT {
        return None;
    }
    let any_number = subject.has_any_number();
    let opened = subject.for_engine(Wanted { deadlock: Deadlocks::No, any_number }).ok()?;
    of_system(&*opened.system)
}

fn of_system(system: &dyn System) -> Option<Recursion> {
    if !(system.is_recursive() || system.starts_threads()) || system.as_tables().is_some() {
        return None;
    }
    let initial = system.initial().ok()?;
    let mut deep = None;
    for number in 0..WALKS {
        let mut chance = Chance(number);
        let first = initial.get(chance.below(initial.len()))?.clone();
        match Walk::new(system, first).follow(&mut chance) {
            Some(found) if found.is_endless() => return Some(found),
            found => deep = deep.or(found),
        }
    }
    deep
}

/// A call that has not come back.
#[derive(Clone, Copy)]
struct Call {
    /// The shared state and the frame of the callee as it begins.
    shared: SharedId,
    frame: SymbolId,
    /// The step that calls, and its number in the run.
    action: Action,
    at: usize,
}

/// Whether all variables have the same values. How many threads there have been makes no difference to what comes next: their numbers are names.
fn is_alike(system: &dyn System, one: SharedId, other: SharedId) -> bool {
    let values = |shared| system.describe().shared_values(shared);
    one == other || values(one) == values(other)
}

/// How a thread began that was started.
#[derive(Clone, Copy)]
struct Birth {
    /// The shared state when it was started, and its first frame.
    shared: SharedId,
    frame: Option<SymbolId>,
    /// Who started it.
    by: ThreadId,
    /// The number of its first step, if it found that shared state.
    first: Option<usize>,
    has_acted: bool,
}

struct Walk<'a> {
    system: &'a dyn System,
    state: State,
    /// The calls of each thread that have not come back, the first one first, each with the height of the stack that it leads to.
    calls: Vec<Vec<(usize, Call)>>,
    /// How each thread that was started began.
    births: Vec<Option<Birth>>,
    /// Who took each step so far, and the first step since which nobody else did.
    acted: Vec<ThreadId>,
    alone_since: usize,
}

impl<'a> Walk<'a> {
    fn new(system: &'a dyn System, state: State) -> Self {
        let calls = vec![Vec::new(); state.threads.len()];
        let births = vec![None; state.threads.len()];
        Walk { system, state, calls, births, acted: Vec::new(), alone_since: 0 }
    }

    fn follow(mut self, chance: &mut Chance) -> Option<Recursion> {
        for at in 0..STEPS {
            let (thread, action) = self.next(chance)?;
            if self.acted.last() != Some(&thread) {
                self.alone_since = at;
            }
            self.acted.push(thread);
            if let Some(birth) = self.births[thread.index()].as_mut().filter(|b| !b.has_acted) {
                birth.has_acted = true;
                let is_same = is_alike(self.system, self.state.shared, birth.shared);
                birth.first = is_same.then_some(at);
            }
            let before = self.state.threads[thread.index()].stack.0.len();
            advance(&mut self.state, thread, action);
            if let Some(started) = action.spawn {
                let frame = Thread::from(started).stack.top();
                if self.repeats(thread, frame) {
                    let call = self.said(&action)?;
                    return Some(self.recursion(thread, vec![call], Repeats::Starts));
                }
                let shared = self.state.shared;
                self.births.push(Some(Birth {
                    shared,
                    frame,
                    by: thread,
                    first: None,
                    has_acted: false,
                }));
                self.calls.push(Vec::new());
            }
            let stack = &self.state.threads[thread.index()].stack;
            let height = stack.0.len();
            let calls = &mut self.calls[thread.index()];
            while calls.last().is_some_and(|&(of, _)| of > height) {
                calls.pop();
            }
            let Some(frame) = stack.top().filter(|_| height > before) else { continue };
            let call = Call { shared: self.state.shared, frame, action, at };
            let is_same = |(_, other): &(usize, Call)| {
                other.frame == call.frame
                    && other.at >= self.alone_since
                    && is_alike(self.system, other.shared, call.shared)
            };
            let same = calls.iter().rposition(is_same);
            calls.push((height, call));
            if let Some(from) = same {
                return self.told(thread, from + 1, Repeats::Calls);
            }
            if calls.len() > DEEP {
                let last = calls.len() - 1;
                return self.told(thread, last, Repeats::Perhaps { depth: DEEP });
            }
        }
        None
    }

    /// Whether this thread, or one of those who led to it, began with this frame in this shared state, and only they have acted since.
    fn repeats(&self, thread: ThreadId, frame: Option<SymbolId>) -> bool {
        let mut line = vec![thread];
        while let Some(birth) = line.last().and_then(|of| self.births[of.index()]) {
            let is_same =
                birth.frame == frame && is_alike(self.system, birth.shared, self.state.shared);
            let own = birth.first.and_then(|first| self.acted.get(first..)).unwrap_or_default();
            if is_same && !own.is_empty() && own.iter().all(|of| line.contains(of)) {
                return true;
            }
            line.push(birth.by);
        }
        false
    }

    /// A step of the last thread if it can go on, now and then of another one, or of one that was just started.
    fn next(&self, chance: &mut Chance) -> Option<(ThreadId, Action)> {
        let mut threads: Vec<ThreadId> = self.state.thread_ids().collect();
        let stays = chance.below(100) >= SWITCHES;
        let first = chance.below(threads.len());
        threads.rotate_left(first);
        if let Some(&last) = self.acted.last().filter(|_| stays) {
            threads.insert(0, last);
        }
        let is_new = self.births.last().copied().flatten().is_some_and(|birth| !birth.has_acted);
        if is_new && chance.below(2) == 0 {
            threads.insert(0, ThreadId::from(self.state.threads.len() - 1));
        }
        threads.into_iter().find_map(|thread| {
            let actions = enabled(self.system, &self.state, thread).ok()?;
            let chosen = actions.get(chance.below(actions.len()))?;
            Some((thread, *chosen))
        })
    }

    /// The calls from one on, each once.
    fn told(&self, thread: ThreadId, from: usize, repeats: Repeats) -> Option<Recursion> {
        let mut calls = Vec::new();
        for (_, call) in &self.calls[thread.index()][from..] {
            let call = self.said(&call.action)?;
            if !calls.contains(&call) {
                calls.push(call);
            }
        }
        Some(self.recursion(thread, calls, repeats))
    }

    /// The statement of an action, with its line.
    fn said(&self, action: &Action) -> Option<(u32, String)> {
        let step = self.system.describe().explain(action.origin).steps.into_iter().next_back()?;
        Some((step.line?, step.text))
    }

    fn recursion(
        &self,
        thread: ThreadId,
        calls: Vec<(u32, String)>,
        repeats: Repeats,
    ) -> Recursion {
        let thread = selvedge_evidence::thread_name(self.system, &self.state, thread);
        Recursion { thread, calls, repeats }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let subject = Subject::parse("test.weave", text, Default::default()).unwrap();
        let found = recursion(&subject).map_or_else(|| "-".to_owned(), |found| found.to_string());
        assert_eq!(found, expected);
    }

    #[test]
    fn a_call_that_comes_again_is_told() {
        check(
            "int[0..3] x := 0;\nvoid f(int[0..3] n) {\n  x := n;\n  f((n + 1) % 4);\n}\nthread t { f(0); }",
            "`t` may call without end: `f((n + 1) % 4)` in line 4 leads to the same call again, with all values as they were",
        );
        check(
            "void f() {\n  if (*) g();\n}\nvoid g() {\n  f();\n}\nthread t { f(); }",
            "`t` may call without end: `g()` in line 2, `f()` in line 5 leads to the same call again, with all values as they were",
        );
    }

    #[test]
    fn a_start_that_comes_again_is_told() {
        let start = "threads may be started without end: `tid t := async f(1 - n)` in line 2 leads to the same start again, with all values as they were";
        check(
            "void f(int[0..1] n) {\n  tid t := async f(1 - n);\n  join t;\n}\nthread t { f(0); }",
            start,
        );
    }

    #[test]
    fn what_changes_from_call_to_call_may_end() {
        check(
            "int n := 0;\nvoid f() {\n  n := n + 1;\n  if (n < 1000000) f();\n}\nthread t { f(); }",
            "`t` was followed more than 100 calls deep, perhaps without end: `f()` in line 4",
        );
        check(
            "int[0..9] n := 0;\nvoid f() {\n  n := n + 1;\n  if (n < 9) f();\n}\nthread t { f(); }",
            "-",
        );
        check("void f(int[0..9] n) {\n  if (n < 9) async f(n + 1);\n}\nthread t { f(0); }", "-");
        check("void f() {\n  skip;\n}\nthread t { while (true) { f(); async f(); } }", "-");
    }
}
