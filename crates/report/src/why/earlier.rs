//! # Why a thread went this way
//! What a thread found before the last step: the last value of another thread, and the last condition that no longer holds.

use crate::written::is_made;

use super::origin::Origin;
use super::{MOST_LOOKS, Moment, Read, Run, Where};

impl Run<'_> {
    /// The last value of another thread that the thread has read before: why it went this way.
    pub(super) fn way_here(&mut self, moment: Moment) -> Option<String> {
        let me = self.steps[moment.0].thread;
        self.looks = 0;
        let mut at = moment;
        while let Some(before) = self.before(at) {
            at = before;
            if let Some(woken) = self.was_let_go(at) {
                return Some(woken);
            }
            for read in self.reads(at)? {
                let Read { place: place @ Where::Shared(_), told: Some(told), .. } = &read else {
                    continue;
                };
                let (name, value) = told.split_once(" = ").unwrap_or((told, ""));
                if self.holders.is_lock_that_is(name, value) {
                    continue;
                }
                let Origin::Written(written) = self.origin(*place, at)? else { continue };
                if self.steps[written.0].thread != me {
                    let (here, there) = (self.moment(at, Some(me)), self.moment(written, Some(me)));
                    let mut links = vec![format!("{here} found {told}, since {there}")];
                    if let Some(stale) = self.stale_behind(written, *place) {
                        links.extend(self.links(&stale, None));
                    }
                    return Some(links.join(", where "));
                }
            }
        }
        None
    }

    /// The last condition of the thread that read what another thread has changed since then: what it tested may no longer hold.
    pub(super) fn no_longer_true(&mut self, moment: Moment) -> Option<String> {
        let me = self.steps[moment.0].thread;
        let mut at = moment;
        for _ in 0..MOST_LOOKS {
            at = self.before(at)?;
            if self.deeds(at.0).get(at.1)?.writes.iter().any(|write| !write.is_settled) {
                continue;
            }
            for read in self.reads(at)? {
                let Some(told) = &read.told else { continue };
                let (name, value) = told.split_once(" = ").unwrap_or((told, ""));
                if self.holders.is_lock_that_is(name, value) {
                    continue;
                }
                if let Some((changed, value)) = self.changed(&read, at, moment.0) {
                    let (here, there) = (self.moment(at, Some(me)), self.moment(changed, Some(me)));
                    return Some(format!("{here} found {told}, then {value} since {there}"));
                }
            }
        }
        None
    }

    /// Who let the thread go on that waited at a condition or a barrier: `line 4 (wait c, m) was woken by line 5 of caller (notify all c)`.
    fn was_let_go(&mut self, at: Moment) -> Option<String> {
        let (me, depth) = (self.steps[at.0].thread, self.steps[at.0].depth);
        let deed = self.deeds(at.0).get(at.1)?;
        let took =
            deed.writes.iter().find(|write| is_made(&write.name) && write.before > write.value)?;
        let (cell, is_condition) = (took.cell, took.name.contains("$called"));
        let Origin::Written(written) = self.origin(super::place(cell, me, depth), at)? else {
            return None;
        };
        let (here, there) = (self.moment(at, Some(me)), self.moment(written, Some(me)));
        let verb = if is_condition { "was woken by" } else { "went on after" };
        (self.steps[written.0].thread != me).then(|| format!("{here} {verb} {there}"))
    }
}
