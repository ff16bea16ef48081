//! # Who keeps what others wait for
//! In a deadlock: where a lock was taken that nobody will release, and whether any thread could ever have released a semaphore, sent a message or taken one.

use selvedge_model::{Action, Awaited, State, SymbolId, System, Thread, Touched};

use super::{MOST_VALUES, Moment, Run};
use crate::view::place_name;

/// The threads of a run as they began, by their numbers.
pub(crate) fn beginnings<'a>(
    initial: &State,
    actions: impl Iterator<Item = &'a Action>,
) -> Vec<Thread> {
    let started = actions.filter_map(|action| action.spawn).map(Thread::from);
    initial.threads.iter().cloned().chain(started).collect()
}

/// Whether a thread with this stack may still do what one with that frame on top waits for.
pub(crate) fn may_end_wait(
    system: &dyn System,
    state: &State,
    top: SymbolId,
    thread: &Thread,
) -> bool {
    let frames: Vec<SymbolId> = thread.stack.0.iter().rev().copied().collect();
    system.describe().may_end_wait(state.shared, top, &frames)
}

impl Run<'_> {
    /// The locks that threads wait for in the end and that nobody will release, with the place where each was taken: `m held by user#2 since line 27 (acquire m), in a call of get that has
    /// returned without releasing it`. Of threads that wait for each other's locks, nothing is told.
    pub(super) fn kept(&mut self) -> Vec<String> {
        let mut locks: Vec<String> = Vec::new();
        let mut own: Vec<(usize, String)> = Vec::new();
        for (who, thread) in self.last.threads.iter().enumerate() {
            let Some(top) = thread.stack.top() else { continue };
            for awaited in self.system.describe().awaited(self.last.shared, top) {
                let Awaited::Lock(lock) = awaited else { continue };
                if self.holders.is_lock_that_is(&lock, "held") {
                    own.push((who, lock.clone()));
                    if !locks.contains(&lock) {
                        locks.push(lock);
                    }
                }
            }
        }
        locks.truncate(MOST_VALUES);
        locks.into_iter().filter_map(|lock| self.kept_lock(&lock, &own)).collect()
    }

    fn kept_lock(&mut self, lock: &str, waiting: &[(usize, String)]) -> Option<String> {
        let taken = self.taken(lock)?;
        let thread = self.steps[taken.0].thread;
        let frame = self.frame(taken)?;
        let (stack, name) = (&self.last.threads[thread.index()].stack, &self.steps[taken.0].name);
        let waits_itself = waiting.iter().any(|(who, what)| *who == thread.index() && what == lock);
        let later = self.steps[taken.0 + 1..].iter().filter(|at| at.thread == thread);
        let least = later.map(|at| at.depth).chain([stack.0.len()]).min();
        let has_returned = least.is_some_and(|least| least < frame);
        if !has_returned && !waits_itself {
            return None;
        }
        let has_ended = stack.0.is_empty();
        // The frame of a call is not the lowest one.
        let is_call = frame > 1 && frame == self.steps[taken.0].depth;
        let top = self.steps[taken.0].top.filter(|_| is_call && has_returned);
        let place = top.map(|top| place_name(self.system, top));
        let how = match place.as_ref().and_then(|place| place.split_once(':')) {
            Some((procedure, _)) => {
                format!(", in a call of {procedure} that has returned without releasing it")
            }
            None if has_ended => format!("; {name} has ended without releasing it"),
            None => String::new(),
        };
        Some(format!("{lock} held by {name} since {}{how}", self.moment(taken, Some(thread))))
    }

    /// Where a lock was taken that is held in the end.
    fn taken(&mut self, lock: &str) -> Option<Moment> {
        for step in (0..self.steps.len()).rev() {
            let is_it = |write: &&Touched| write.name == lock;
            let deeds = self.deeds(step).iter().enumerate().rev();
            let mut writes =
                deeds.filter_map(|(inner, deed)| Some((inner, deed.writes.iter().find(is_it)?)));
            if let Some((inner, write)) = writes.next() {
                return (write.value == "held").then_some((step, inner));
            }
        }
        None
    }

    /// Whether a thread of the run might, when it began, have done what one with that frame on top waits for.
    pub(super) fn could_ever_end(&self, thread: usize, top: SymbolId) -> bool {
        let all = beginnings(&self.first, self.steps.iter().map(|at| &at.action));
        all.get(thread).is_none_or(|thread| may_end_wait(self.system, &self.last, top, thread))
    }

    /// Adds to what is told of a semaphore or a channel that nobody has a statement that would end the wait, or that all who have one have ended.
    pub(super) fn with_who_could(
        &mut self,
        awaited: &Awaited,
        top: SymbolId,
        told: Option<String>,
    ) -> Option<String> {
        let waits = self.system.describe().statement(top).unwrap_or_default();
        let (does, name) = match awaited {
            Awaited::Semaphore(name) => ("releases", name),
            Awaited::Channel(name) if waits.contains("send(") => ("receives from", name),
            Awaited::Channel(name) => ("sends to", name),
            _ => return told,
        };
        let all = beginnings(&self.first, self.steps.iter().map(|at| &at.action));
        let any = self.system.any_number().into_iter().map(Thread::from);
        let could = |thread: &Thread| may_end_wait(self.system, &self.last, top, thread);
        if any.into_iter().any(|thread| could(&thread)) {
            return told;
        }
        let who: Vec<usize> = (0..all.len()).filter(|&at| could(&all[at])).collect();
        let news = match who.as_slice() {
            [] => format!("no thread has a statement that {does} {name}"),
            [only] if does != "releases" && self.last.threads[*only].has_ended() => {
                let only = self.steps.iter().rfind(|at| at.thread.index() == *only)?.name.clone();
                format!("only {only} {does} {name}, and it has ended")
            }
            _ => return told,
        };
        Some(told.map_or(news.clone(), |told| format!("{told}; {news}")))
    }
}
