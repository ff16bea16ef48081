//! # Where a value comes from
//!
//! **Question.** A statement of a run reads a value. Which statement wrote it?
//!
//! **Idea.** From the read backward, the first statement that wrote the place. What a procedure returns comes from its last statement, what a frame begins
//! with from the call that made it, and a value that nobody wrote was chosen by the statement that read it.
//!
//! **Otherwise.** Nothing, where a step may have written the place and it is not known what it did, or after too many looks.

use selvedge_model::{Cell, Datum};

use super::words::{uses, with_items};
use super::{MOST_LOOKS, Moment, Read, Run, Where, place};
use crate::view::statements;
use crate::written::is_made;

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Written(Moment),
    Start,
    Chosen,
}

impl Run<'_> {
    /// Who wrote a value that a statement reads; nothing where that cannot be told.
    pub(super) fn origin(&mut self, place: Where, read_at: Moment) -> Option<Origin> {
        self.looks += 1;
        if self.looks > MOST_LOOKS {
            return None;
        }
        let thread = self.steps[read_at.0].thread;
        match place {
            Where::Result(_) => return self.before(read_at).map(Origin::Written),
            Where::Chosen => return Some(Origin::Chosen),
            Where::Shared(_) | Where::Frame { .. } => {}
        }
        // The frame in which the statement after this one of the thread is.
        let mut next_depth = {
            let before = self.steps[read_at.0].depth;
            before + self.deeds(read_at.0).get(read_at.1)?.level
        };
        let mut step = read_at.0;
        let mut most = read_at.1;
        loop {
            let (who, depth, threads) = {
                let at = &self.steps[step];
                (at.thread, at.depth, at.threads)
            };
            let starts = self.steps[step].action.spawn.is_some();
            let (concerns, may_write) = match place {
                Where::Shared(_) => {
                    (true, self.steps[step].action.shared != self.steps[step].shared)
                }
                Where::Frame { thread, .. } => {
                    (thread == who || (starts && thread.index() == threads), thread == who)
                }
                Where::Result(_) | Where::Chosen => (false, false),
            };
            let deeds = if concerns { self.deeds(step) } else { &[] };
            if deeds.is_empty() && may_write {
                return None;
            }
            for inner in (0..most.min(deeds.len())).rev() {
                let deed = &deeds[inner];
                let writes = |cell: Cell| self::place(cell, who, depth) == place;
                if let Some(write) = deed.writes.iter().find(|write| writes(write.cell)) {
                    // Who reads what nobody wrote chooses its value.
                    return Some(match write.is_settled {
                        true => Origin::Chosen,
                        false => Origin::Written((step, inner)),
                    });
                }
                if who == thread {
                    let at = depth + deed.level;
                    if let Where::Frame { depth: wanted, .. } = place
                        && at + 1 == wanted
                        && next_depth == wanted
                    {
                        // The call that made the frame.
                        return Some(Origin::Written((step, inner)));
                    }
                    next_depth = at;
                }
            }
            if let Where::Frame { thread, .. } = place
                && starts
                && thread.index() == threads
            {
                return Some(Origin::Written((step, deeds.len().saturating_sub(1))));
            }
            match step.checked_sub(1) {
                Some(before) => (step, most) = (before, usize::MAX),
                None => return Some(Origin::Start),
            }
        }
    }

    /// What a statement reads: variables, and what its call has returned.
    pub(super) fn reads(&mut self, moment: Moment) -> Option<Vec<Read>> {
        let receives = self.receives(moment);
        let (thread, depth) = (self.steps[moment.0].thread, self.steps[moment.0].depth);
        let texts = statements(self.system, &self.steps[moment.0].action);
        let text = texts.get(moment.1).map_or_else(String::new, |step| step.text.clone());
        let deed = self.deeds(moment.0).get(moment.1)?;
        let mut reads: Vec<Read> = Vec::new();
        for read in &deed.reads {
            let at = place(read.cell, thread, depth);
            let open = (read.before == Datum::Any).then_some(at);
            let place = if open.is_some() { Where::Chosen } else { at };
            // What nobody wrote has no name that is told.
            let told = (!read.name.is_empty() && !is_made(&read.name)).then(|| {
                let channel = read.name.strip_suffix(".length").filter(|name| uses(&text, name));
                match channel {
                    Some(channel) => with_items(channel, &read.value),
                    None => format!("{} = {}", read.name, read.value),
                }
            });
            reads.push(Read { place, value: read.value.clone(), open, told });
        }
        if receives {
            let place = Where::Result(thread);
            reads.push(Read { place, value: Datum::Any, open: None, told: None });
        }
        Some(reads)
    }

    /// Whether a statement takes the results of a call: the one before it, of this thread, was in a frame above.
    pub(super) fn receives(&mut self, moment: Moment) -> bool {
        let depth = |run: &mut Self, (step, inner): Moment| {
            let before = run.steps[step].depth;
            run.deeds(step).get(inner).map(|deed| before + deed.level)
        };
        let Some(mine) = depth(self, moment) else { return false };
        let before = self.before(moment);
        before.and_then(|before| depth(self, before)).is_some_and(|theirs| theirs > mine)
    }

    /// The statement of the same thread before this one.
    pub(super) fn before(&mut self, (step, inner): Moment) -> Option<Moment> {
        if inner > 0 {
            return Some((step, inner - 1));
        }
        let thread = self.steps[step].thread;
        let step = self.steps[..step].iter().rposition(|at| at.thread == thread)?;
        let count = self.deeds(step).len();
        Some((step, count.checked_sub(1)?))
    }
}
