//! # Why nobody ends a wait
//! In a deadlock: who took last from the semaphores and channels that threads wait at, and who was woken last at a condition.

use selvedge_model::{Awaited, Deed, SymbolId, Thread, Touched};

use super::words::with_items;
use super::{MOST_VALUES, Run};
use crate::view::statements;

impl Run<'_> {
    /// Who took from the semaphores and channels that threads wait at in the end, and who was woken where they sleep. (Of locks it is told who holds them.)
    pub(super) fn explain_waiting(&mut self) -> Vec<String> {
        let mut counters: Vec<(Awaited, SymbolId)> = Vec::new();
        for thread in &self.last.threads {
            let Some(top) = thread.stack.top() else { continue };
            for awaited in self.system.describe().awaited(self.last.shared, top) {
                let is_known =
                    counters.iter().any(|(known, _)| known.counter() == awaited.counter());
                if awaited.counter().is_some() && !is_known {
                    counters.push((awaited, top));
                }
            }
        }
        counters.truncate(MOST_VALUES);
        let explain = |(awaited, top): (Awaited, SymbolId)| match &awaited {
            Awaited::Condition(name) => Some(self.last_notified(name, top)),
            _ => {
                let told = self.last_written(&awaited, top);
                self.with_who_could(&awaited, top, told)
            }
        };
        counters.into_iter().filter_map(explain).collect()
    }

    /// Whom the last notification of a condition woke: `the last notify c (line 16 of producer#1) woke nobody`.
    fn last_notified(&mut self, condition: &str, top: SymbolId) -> String {
        for step in (0..self.steps.len()).rev() {
            let woken = |deed: &Deed| {
                called(deed, condition)?;
                slept(deed, condition)
            };
            let calls = self.deeds(step).iter().enumerate().rev();
            let last = calls.filter_map(|(inner, deed)| Some((inner, woken(deed)?))).next();
            let Some((inner, woken)) = last else { continue };
            let texts = statements(self.system, &self.steps[step].action);
            let Some(statement) = texts.get(inner).filter(|told| told.text.starts_with("notify"))
            else {
                continue;
            };
            self.named.borrow_mut().insert(step);
            let line = statement.line.map_or_else(|| "a step".to_owned(), |n| format!("line {n}"));
            let woken = self.woken_since(condition, step, woken);
            let (text, name) = (&statement.text, &self.steps[step].name);
            return format!("the last {text} ({line} of {name}) woke {woken}");
        }
        let describe = self.system.describe();
        let may_notify = |thread: &Thread| {
            let frames: Vec<SymbolId> = thread.stack.0.iter().rev().copied().collect();
            describe.may_end_wait(self.last.shared, top, &frames)
        };
        let any = self.system.any_number().into_iter().map(Thread::from);
        match self.first.threads.iter().cloned().chain(any).any(|thread| may_notify(&thread)) {
            true => format!("nobody notified {condition} in this run"),
            false => format!("no thread has a statement that notifies {condition}"),
        }
    }

    /// The threads that so many calls of a condition have woken, by their names.
    fn woken_since(&mut self, condition: &str, step: usize, count: usize) -> String {
        let mut names: Vec<String> = Vec::new();
        for later in step + 1..self.steps.len() {
            let goes_on = |deed: &Deed| {
                called(deed, condition).is_some_and(|called| called.value < called.before)
            };
            if names.len() < count && self.deeds(later).iter().any(goes_on) {
                names.push(self.steps[later].name.clone());
            }
        }
        match names.as_slice() {
            [] => "nobody".to_owned(),
            [one] => one.clone(),
            [others @ .., last] => format!("{} and {last}", others.join(", ")),
        }
    }

    /// Who wrote a variable last, in words: `free = 0 since line 4 of left (acquire free); left has ended without releasing it`. Who waits to be woken, or offers a message, has written
    /// that in its last step: then there is nothing to tell.
    fn last_written(&mut self, awaited: &Awaited, top: SymbolId) -> Option<String> {
        let name = awaited.counter()?;
        let length = format!("{name}.length");
        for step in (0..self.steps.len()).rev() {
            let deeds = self.deeds(step);
            let last = deeds.iter().enumerate().rev().find_map(|(inner, deed)| {
                let is_it = |write: &&Touched| write.name == name || write.name == length;
                let write = deed.writes.iter().find(is_it)?;
                let took = matches!(awaited, Awaited::Semaphore(_)) && write.value < write.before;
                let told = match write.name == length {
                    true => with_items(name, &write.value),
                    false => format!("{} = {}", write.name, write.value),
                };
                Some((inner, took, told))
            });
            if let Some((inner, took, told)) = last {
                let thread = self.steps[step].thread;
                let has_ended = self.last.threads[thread.index()].has_ended();
                if !has_ended && self.steps[step + 1..].iter().all(|later| later.thread != thread) {
                    return None;
                }
                let since = self.moment((step, inner), None);
                let name = &self.steps[step].name;
                let ended = match took {
                    _ if !has_ended => String::new(),
                    // Another one was to release it.
                    true if !self.could_ever_end(thread.index(), top) => String::new(),
                    true => format!("; {name} has ended without releasing it"),
                    false => ", which has ended".to_owned(),
                };
                return Some(format!("{told} since {since}{ended}"));
            }
        }
        None
    }
}

/// What a statement wrote to the number of threads that were called at a condition and have not gone on yet.
fn called<'d>(deed: &'d Deed, condition: &str) -> Option<&'d Touched> {
    deed.writes
        .iter()
        .find(|write| write.name.replacen("$called", "", 1) == condition && write.name != condition)
}

/// How many fewer threads sleep at a condition after a statement.
fn slept(deed: &Deed, condition: &str) -> Option<usize> {
    let asleep = deed.writes.iter().find(|write| write.name == condition)?;
    let [before, after] = [&asleep.before, &asleep.value].map(|n| n.to_string().parse().ok());
    usize::checked_sub(before?, after?)
}
