//! # Data races, and memory that nobody has written
//! What there is to say of a failure that is about an access, and not about a value.

use selvedge_model::{Cell, Datum, Touched};

use super::origin::Origin;
use super::{Moment, Read, Run, Where, place};

impl Run<'_> {
    /// Who is about to access the same object as the thread that went wrong, and where, if that is a data race. A thread that is about to access something has noted it in
    /// variables that are not told: the address, and whether it would write.
    pub(super) fn race(&mut self, moment: Moment) -> Option<String> {
        let reason = self.system.wrong(self.last.shared)?;
        let object = reason.split_once("data race: `")?.1.split_once('`')?.0;
        let me = self.steps[moment.0].thread;
        let notes = |touched: &[Touched]| -> Vec<(Cell, Datum)> {
            let is_note = |touched: &&Touched| {
                matches!(touched.cell, Cell::Shared(_)) && touched.name.is_empty()
            };
            let notes = touched.iter().filter(is_note);
            notes.map(|touched| (touched.cell, touched.value.clone())).collect()
        };
        let seen = notes(&self.deeds(moment.0).get(moment.1)?.reads);
        let (address, _) = seen.iter().find(|(_, value)| !matches!(value, Datum::Bool(_)))?;
        let place = place(*address, me, self.steps[moment.0].depth);
        let Origin::Written(noted) = self.origin(place, moment)? else { return None };
        // Who would only read asks whether the other one would write.
        let i_read = seen.iter().any(|(_, value)| *value == Datum::Bool(true));
        let theirs = notes(&self.deeds(noted.0).get(noted.1)?.writes);
        let they_write = i_read || theirs.iter().any(|(_, value)| *value == Datum::Bool(true));
        let verb = |writes: bool| if writes { "write" } else { "read" };
        let (mine, theirs) = (verb(!i_read), verb(they_write));
        let (here, there) = (self.moment(moment, None), self.moment(noted, None));
        Some(format!(
            "one is about to {mine} `{object}` at {here}, and another to {theirs} it at {there}"
        ))
    }

    /// In C, what the thread has read last, if nobody has written it.
    pub(super) fn unwritten(&mut self, moment: Moment) -> Option<String> {
        if !self.is_c {
            return None;
        }
        let me = self.steps[moment.0].thread;
        let mut at = Some(moment);
        while let Some(here) = at {
            let reads = self.reads(here)?;
            let unwritten = |read: &Read| match read.place {
                Where::Chosen => read.told.clone(),
                _ => None,
            };
            if let Some(told) = reads.iter().find_map(unwritten) {
                let here = self.moment(here, Some(me));
                // What is not read again is not kept.
                let told = told.strip_suffix(" = ?").unwrap_or(&told);
                return Some(format!("{here} found {told}, which nobody has written"));
            }
            let is_shared =
                |read: &Read| matches!(read.place, Where::Shared(_)) && read.told.is_some();
            if reads.iter().any(is_shared) {
                return None;
            }
            at = self.before(here);
        }
        None
    }
}
