//! # Values that came back
//! A `cas` that finds the value that its thread had read goes on, although other threads may have written other values meanwhile: the ABA of a stack.

use selvedge_model::ThreadId;

use super::chain::Chain;
use super::origin::Origin;
use super::stale::is_news;
use super::{Moment, Read, Run, Where, place};
use crate::view::statements;

/// Of longer runs, only so many of the last steps are searched for a value that came back.
const MOST_STEPS_BACK: usize = 2_000;

/// The last statements of a thread that are searched for where it had read a value before.
const MOST_STATEMENTS: usize = 64;

impl Run<'_> {
    /// That a `cas` behind a value found what its thread had read before, although other threads had written other values meanwhile: `line 13 (cas(top, old, n)) found
    /// top = 0 again, after 1 and 2 since line 10`.
    pub(super) fn found_again(&mut self, chain: &Chain, me: ThreadId) -> Vec<String> {
        let mut written: Vec<Moment> = Vec::new();
        for link in &chain.links {
            if let Some(Origin::Written(at)) = link.origin
                && !written.contains(&at)
            {
                written.push(at);
            }
        }
        written.into_iter().filter_map(|at| self.again(at, me)).collect()
    }

    /// The last `cas` before a statement that compared with what its thread had read from the same variable, and found that again.
    pub(super) fn came_back_before(&mut self, moment: Moment) -> Option<String> {
        let me = self.steps[moment.0].thread;
        let first = moment.0.saturating_sub(MOST_STEPS_BACK);
        (first..moment.0).rev().find_map(|step| {
            let texts = statements(self.system, &self.steps[step].action);
            let compares = (0..texts.len()).rev().filter(|&at| compares(&texts[at].text));
            compares.into_iter().find_map(|inner| {
                let at = (step, inner);
                if self.compares_with_what_it_read(at) { self.again(at, me) } else { None }
            })
        })
    }

    /// Whether a statement reads a variable of its thread that was made by reading what the statement changes.
    fn compares_with_what_it_read(&mut self, at: Moment) -> bool {
        let Some(changed) = self.changed_by(at) else { return false };
        let reads = self.reads(at).unwrap_or_default();
        let is_own = |read: &&Read| matches!(read.place, Where::Frame { .. });
        let own: Vec<Where> = reads.iter().filter(is_own).map(|read| read.place).collect();
        own.into_iter().any(|own| {
            self.looks = 0;
            let Some(Origin::Written(made)) = self.origin(own, at) else { return false };
            let from = self.reads_for(own, made, true);
            from.iter().any(|read| read.place == changed.place && read.value == changed.value)
        })
    }

    /// The shared variable that a statement reads and writes.
    fn changed_by(&mut self, at: Moment) -> Option<Read> {
        let them = self.steps[at.0].thread;
        let reads = self.reads(at)?;
        let writes = &self.deeds(at.0).get(at.1)?.writes;
        let is_it = |read: &Read| {
            let is_written = writes.iter().any(|write| place(write.cell, them, 0) == read.place);
            is_written && matches!(read.place, Where::Shared(_)) && read.told.is_some()
        };
        reads.into_iter().find(is_it)
    }

    fn again(&mut self, written: Moment, me: ThreadId) -> Option<String> {
        let texts = statements(self.system, &self.steps[written.0].action);
        if !compares(&texts.get(written.1)?.text) {
            return None;
        }
        let read = self.changed_by(written)?;
        let mut at = written;
        for _ in 0..MOST_STATEMENTS {
            at = self.before(at)?;
            let reads = self.reads(at)?;
            let Some(first) = reads.into_iter().find(|first| first.place == read.place) else {
                continue;
            };
            let writes = self.of_others(&first, at, written.0)?;
            let mut others: Vec<String> = Vec::new();
            for (_, value) in writes.iter().filter(|(_, value)| is_news(&read, value)) {
                let value = value.to_string();
                if others.last() != Some(&value) {
                    others.push(value);
                }
            }
            let is_again = first.value == read.value && !others.is_empty();
            if !is_again {
                return None;
            }
            let them = self.steps[written.0].thread;
            let (told, here) = (read.told.as_ref()?, self.moment(written, Some(me)));
            let (after, since) = (others.join(" and "), self.moment(at, Some(them)));
            return Some(format!("{here} found {told} again, after {after} since {since}"));
        }
        None
    }
}

/// Whether a statement compares a variable with a value, and writes another one if they are equal.
fn compares(text: &str) -> bool {
    text.contains("cas(") || text.contains("compare_exchange") || text.contains("compare_and_swap")
}
