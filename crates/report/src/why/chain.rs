//! # From value to value
//!
//! **Question.** A value was made of others, and these of others again. Which way back is worth telling?
//!
//! **Idea.** The shortest way to a value that comes from another thread, or that another one has changed since it was read. Ways by the values themselves
//! come before those by indices and conditions.
//!
//! **Otherwise.** If there is none, the way to the first value behind which nothing is read.

use std::collections::{BTreeSet, VecDeque};

use selvedge_model::{Datum, ThreadId};

use super::origin::Origin;
use super::{Moment, Read, Run, Where, place};
use crate::view::statements;

/// Begins the text of a step at the end of a procedure that was to return something before.
const END_OF: &str = "end of ";

/// A value that was read, where it comes from, and the one that it was read for.
pub(super) struct Link {
    pub read: Read,
    pub read_at: Moment,
    pub origin: Option<Origin>,
    /// The change by another thread before the value, or what was made of it, was used.
    pub changed: Option<(Moment, Datum)>,
    pub for_link: Option<usize>,
    /// The procedure that was to return the value, and did not.
    pub ended: Option<String>,
    /// When what was made of the value was written to where all threads see it, or the end of the run.
    pub used_at: Moment,
}

/// The links from a value back to where it comes from.
#[derive(Default)]
pub(super) struct Chain {
    pub links: Vec<Link>,
    /// Whether that is another thread, or one has changed it since then.
    pub concerns_another: bool,
    /// The write of the other thread with which it ends, and where that went to.
    pub written_there: Option<(Moment, Where)>,
}

impl Run<'_> {
    /// Where a value comes from that a thread reads: by the values that went into it, and if these come from no other thread, by all that was read for it.
    pub(super) fn chain(&mut self, read: Read, moment: Moment, me: ThreadId) -> Chain {
        let by_values = self.chain_by(read.clone(), moment, me, true);
        if by_values.concerns_another {
            return by_values;
        }
        let by_all = self.chain_by(read, moment, me, false);
        if by_all.concerns_another { by_all } else { by_values }
    }

    pub(super) fn chain_by(
        &mut self,
        read: Read,
        moment: Moment,
        me: ThreadId,
        only_values: bool,
    ) -> Chain {
        self.looks = 0;
        let link = |read, read_at, for_link, used_at| Link {
            read,
            read_at,
            origin: None,
            changed: None,
            ended: None,
            for_link,
            used_at,
        };
        let mut links = vec![link(read, moment, None, moment)];
        let mut seen: BTreeSet<(Where, Moment)> = BTreeSet::new();
        let mut open = VecDeque::from([0]);
        let (mut another, mut last) = (None, None);
        while let Some(at) = open.pop_front() {
            let (place, read_at) = (links[at].read.place, links[at].read_at);
            if !seen.insert((place, read_at)) {
                continue;
            }
            let Some(origin) = self.origin(place, read_at) else { continue };
            links[at].origin = Some(origin);
            links[at].changed = self.changed_since(&links[at]);
            if let Some(open) = links[at].read.open {
                links[at].ended = self.ended_before(open, read_at);
            }
            let is_from_another = |written: &Moment| self.steps[written.0].thread != me;
            let written = match origin {
                Origin::Written(written) => Some(written),
                Origin::Start | Origin::Chosen => None,
            };
            if links[at].changed.is_some() || written.as_ref().is_some_and(is_from_another) {
                let there = written.filter(is_from_another).map(|written| (written, place));
                another = Some((at, there.filter(|_| links[at].changed.is_none())));
                break;
            }
            let Some(written) = written else {
                last = last.or(Some(at));
                continue;
            };
            let reads = self.reads_for(place, written, only_values);
            if reads.is_empty() {
                last = last.or(Some(at));
            }
            let used_at = match place {
                Where::Shared(_) => written,
                _ => links[at].used_at,
            };
            for read in reads {
                links.push(link(read, written, Some(at), used_at));
                open.push_back(links.len() - 1);
            }
        }
        let (concerns_another, written_there) = match another {
            Some((_, written)) => (true, written),
            None => (false, None),
        };
        let start = links[0].origin.map(|_| 0);
        let mut end = another.map(|(at, _)| at).or(last).or(start);
        let mut way = BTreeSet::new();
        while let Some(at) = end {
            way.insert(at);
            end = links[at].for_link;
        }
        // Each link comes behind the one that it was read for.
        let links = links.into_iter().enumerate().filter(|(at, _)| way.contains(at));
        let links = links.map(|(_, link)| link).collect();
        Chain { links, concerns_another, written_there }
    }

    /// The procedure that came to its end without a `return`, where its result was taken.
    fn ended_before(&mut self, open: Where, read_at: Moment) -> Option<String> {
        let Origin::Written(taken) = self.origin(open, read_at)? else { return None };
        if !self.receives(taken) {
            return None;
        }
        let (step, inner) = self.before(taken)?;
        let texts = statements(self.system, &self.steps[step].action);
        texts.get(inner)?.text.strip_prefix(END_OF).map(str::to_owned)
    }

    /// What a statement reads that writes a place: what goes into the value first, then, unless only that is meant, what says where or whether.
    pub(super) fn reads_for(
        &mut self,
        written: Where,
        moment: Moment,
        only_values: bool,
    ) -> Vec<Read> {
        let mut reads = self.reads(moment).unwrap_or_default();
        let (thread, depth) = (self.steps[moment.0].thread, self.steps[moment.0].depth);
        let deed = self.deeds(moment.0).get(moment.1);
        let mut from: Option<Vec<Where>> = None;
        for write in deed.into_iter().flat_map(|deed| &deed.writes) {
            if !write.is_settled && place(write.cell, thread, depth) == written {
                let cells = write.from.iter().map(|&cell| place(cell, thread, depth));
                from.get_or_insert_default().extend(cells);
            }
        }
        // Of arguments and results it is not known, and what is chosen comes from itself.
        let Some(from) = from else { return reads };
        let is_value =
            |read: &Read| from.contains(&read.place) || matches!(read.place, Where::Result(_));
        match only_values {
            true => reads.retain(is_value),
            false => reads.sort_by_key(|read| !is_value(read)),
        }
        reads
    }
}
