//! # Waits after which nobody tests again
//! **Question.** A thread waited under an `if`, and went on. What it had tested may be so again by then: was it?
//!
//! **Idea.** Asks the program how the same test would have come out at the moment at which the thread went on. If it would have waited once more, that is told, with
//! what the test would have read.
//!
//! **Claim.** The outcome is that of the program's own step, at a shared state of the run. Where both outcomes are possible, nothing is told.

use selvedge_model::{Deed, Touched};

use super::origin::Origin;
use super::{Moment, Read, Run, place};
use crate::view::statements;

/// A statement of the run, without what it came to.
#[derive(PartialEq, Eq)]
pub(super) struct Said {
    line: Option<u32>,
    pub text: String,
}

impl Run<'_> {
    /// The last wait of the thread before this statement, if it followed a test that would have come out the same way when the thread went on, and was not made
    /// again: `line 28 (if (count == 0)): consumers#1 waited because count = 0, and went on …`.
    pub(super) fn untested(&mut self, moment: Moment) -> Option<String> {
        let mut since: Vec<Said> = Vec::new();
        let mut at = moment;
        let (woken, wait) = loop {
            at = self.before(at)?;
            let (said, outcome) = self.said(at)?;
            if waits(&said.text) {
                break (at, said);
            }
            if is_outcome(&outcome) {
                since.push(said);
            }
        };
        // A wait is several steps: it lets go of the lock, is woken, and takes the lock.
        let mut test = woken;
        let (said, outcome) = loop {
            test = self.before(test)?;
            let (said, outcome) = self.said(test)?;
            if said != wait {
                break (said, outcome);
            }
        };
        let is_of_the_wait = self.frame(test) == self.frame(woken);
        if !is_outcome(&outcome) || !is_of_the_wait || since.contains(&said) {
            return None;
        }
        let now = self.tested_at(test, woken)?;
        let then = self.reads(test)?;
        let me = self.steps[test.0].thread;
        let depth = self.steps[test.0].depth;
        let values = |all: &mut dyn Iterator<Item = String>| all.collect::<Vec<_>>().join(" and ");
        let is_named = |touched: &&Touched| !touched.name.is_empty();
        let found = values(&mut then.iter().filter_map(|read| read.told.clone()));
        let again = now.reads.iter().filter(is_named);
        let again = values(&mut again.map(|read| format!("{} = {}", read.name, read.value)));
        if found.is_empty() || again.is_empty() {
            return None;
        }
        let mut last: Option<Moment> = None;
        for touched in &now.reads {
            self.looks = 0;
            let origin = self.origin(place(touched.cell, me, depth), woken);
            if let Some(Origin::Written(written)) = origin
                && written > test
                && self.steps[written.0].thread != me
            {
                last = last.max(Some(written));
            }
        }
        let was_other = then.iter().any(|read| self.was_other(read, test, woken));
        let since =
            last.map_or_else(String::new, |at| format!(", since {}", self.moment(at, None)));
        let how = match (found == again, was_other) {
            (true, true) => format!(" again{since}"),
            (true, false) => " still".to_owned(),
            (false, _) => since,
        };
        let (here, name) = (self.moment(test, Some(me)), self.steps[test.0].name.clone());
        self.named.borrow_mut().insert(woken.0);
        Some(format!(
            "{here}: {name} waited because {found}, and went on after the wait with {again}{how}, without testing it again"
        ))
    }

    /// What the test would read, if it came out the same way where the thread had waited.
    fn tested_at(&mut self, test: Moment, woken: Moment) -> Option<Deed> {
        if test.1 > 0 || woken.1 + 1 != self.deeds(woken.0).len() {
            return None;
        }
        let (at, shared) = (&self.steps[test.0], self.steps[woken.0].action.shared);
        let template = self.last.threads[at.thread.index()].template;
        let mut actions = Vec::new();
        self.system.actions(template, shared, at.top, &mut actions).ok()?;
        let first = |action| statements(self.system, action).first().map(|step| step.text.clone());
        let came_out = first(&at.action)?;
        let is_same = |action| first(action).as_ref() == Some(&came_out);
        if !actions.iter().all(is_same) {
            return None;
        }
        let mut deeds = self.system.describe().deeds(shared, at.top?, actions.first()?);
        (!deeds.is_empty()).then(|| deeds.swap_remove(0))
    }

    /// Whether another thread gave a variable another value in a part of the run.
    fn was_other(&mut self, read: &Read, from: Moment, to: Moment) -> bool {
        let writes = self.of_others(read, from, to.0).unwrap_or_default();
        writes.iter().any(|(_, value)| *value != read.value)
    }

    /// The number of the frame in which a statement is executed, from the bottom.
    pub(super) fn frame(&mut self, (step, inner): Moment) -> Option<usize> {
        let depth = self.steps[step].depth;
        self.deeds(step).get(inner).map(|deed| depth + deed.level)
    }

    /// A statement without what it came to, and what it came to.
    pub(super) fn said(&self, (step, inner): Moment) -> Option<(Said, String)> {
        let texts = statements(self.system, &self.steps[step].action);
        let statement = texts.get(inner)?;
        let (text, outcome) = statement.text.split_once("  [").unwrap_or((&statement.text, ""));
        Some((Said { line: statement.line, text: text.to_owned() }, outcome.to_owned()))
    }
}

/// Whether a statement waits at a condition variable.
fn waits(text: &str) -> bool {
    text.starts_with("wait ") || text.contains("cond_wait(") || text.contains("cnd_wait(")
}

/// Whether it is what a test came to.
pub(super) fn is_outcome(text: &str) -> bool {
    matches!(text, "yes]" | "no]")
}
