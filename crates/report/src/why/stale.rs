//! # Stale values
//! A value is stale if another thread has changed it since it was read, and what was made of it is used all the same: a lost update.

use selvedge_model::{Datum, ThreadId, Touched};

use super::chain::{Chain, Link};
use super::origin::Origin;
use super::{MOST_LINKS_BEHIND, Moment, Read, Run, Where};

/// A write, and the value that it left.
pub(super) type Write = (Moment, Datum);

impl Run<'_> {
    /// The last write of another thread to a shared variable after it was read and before what was made of it was used, or before the thread itself
    /// wrote it, with the value that it left, if that is another one than was read.
    pub(super) fn changed_since(&mut self, link: &Link) -> Option<Write> {
        link.read.told.as_ref()?;
        let (read, used_at) = (&link.read, link.used_at.0);
        self.changed(read, link.read_at, used_at).or_else(|| {
            let others = self.of_others(read, link.read_at, used_at)?;
            others.into_iter().next_back().filter(|(_, value)| is_news(read, value))
        })
    }

    /// The last write to a shared variable in a part of the run, if another thread made it and left another value than was read.
    pub(super) fn changed(&mut self, read: &Read, read_at: Moment, before: usize) -> Option<Write> {
        for step in (read_at.0 + 1..before).rev() {
            if let Some(write) = self.write_at(read.place, step)? {
                let is_another = self.steps[step].thread != self.steps[read_at.0].thread;
                return Some(write).filter(|(_, value)| is_another && is_news(read, value));
            }
        }
        None
    }

    /// What other threads wrote to a shared variable in a part of the run, up to where the thread that read it wrote it itself.
    pub(super) fn of_others(
        &mut self,
        read: &Read,
        read_at: Moment,
        before: usize,
    ) -> Option<Vec<Write>> {
        let mut writes = Vec::new();
        for step in read_at.0 + 1..before {
            if let Some(write) = self.write_at(read.place, step)? {
                if self.steps[step].thread == self.steps[read_at.0].thread {
                    break;
                }
                writes.push(write);
            }
        }
        Some(writes)
    }

    /// The last write of a step to a shared variable; nothing where what the step did is not known.
    fn write_at(&mut self, place: Where, step: usize) -> Option<Option<Write>> {
        if !matches!(place, Where::Shared(_)) {
            return None;
        }
        let at = &self.steps[step];
        let (who, changes) = (at.thread, at.action.shared != at.shared);
        if !changes {
            return Some(None);
        }
        let deeds = self.deeds(step);
        let write = deeds.iter().enumerate().rev().find_map(|(inner, deed)| {
            let is_it = |write: &&Touched| super::place(write.cell, who, 0) == place;
            Some(((step, inner), deed.writes.iter().find(is_it)?.value.clone()))
        });
        (write.is_some() || !deeds.is_empty()).then_some(write)
    }

    /// The way back from what another thread has written somewhere to a value that was stale when it did, across threads.
    pub(super) fn stale_behind(&mut self, written: Moment, to: Where) -> Option<Chain> {
        self.stale_within(written, to, MOST_LINKS_BEHIND)
    }

    fn stale_within(&mut self, written: Moment, to: Where, most: usize) -> Option<Chain> {
        let them = self.steps[written.0].thread;
        for read in self.reads_for(to, written, true) {
            let mut chain = self.chain_by(read, written, them, true);
            let Some(left) = most.checked_sub(chain.links.len()) else { continue };
            if chain.links.last().is_some_and(|link| link.changed.is_some()) {
                return Some(chain);
            }
            if let Some((written, to)) = chain.written_there
                && let Some(behind) = self.stale_within(written, to, left)
            {
                chain.links.extend(behind.links);
                return Some(chain);
            }
        }
        None
    }

    /// The way back from an index with which a value was read to a value that was stale by then: it is why this element was read, and not another one.
    pub(super) fn stale_index(&mut self, chain: &Chain, me: ThreadId) -> Option<Chain> {
        for pair in chain.links.windows(2) {
            let [made, of] = pair else { continue };
            let Some(Origin::Written(written)) = made.origin else { continue };
            let values = self.reads_for(made.read.place, written, true);
            for read in self.reads_for(made.read.place, written, false) {
                if read.place == of.read.place
                    || values.iter().any(|value| value.place == read.place)
                {
                    continue;
                }
                let index = self.chain_by(read, written, me, true);
                if index.links.iter().any(|link| link.changed.is_some()) {
                    return Some(index);
                }
            }
        }
        None
    }
}

/// Whether a value that was written is another one than was read.
pub(super) fn is_news(read: &Read, value: &Datum) -> bool {
    *value != read.value && *value != Datum::Any
}
