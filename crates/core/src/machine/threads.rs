//! Starting threads: with a frame that was made for it, or at a location of the same procedure.

use super::Started;
use super::names::DROPPED;
use super::words::{Halt, Words};
use crate::{Area, Domain, Loc, Place, Value};

impl Words<'_> {
    /// Whether the thread that is about to be started is dropped: a free choice, where threads
    /// may be dropped.
    pub(super) fn drops(&mut self) -> bool {
        self.machine.drops_threads && self.choices.pick(2) == 1
    }

    /// The id of a new thread; 0 if nobody gets it.
    fn new_name(&self, kept: bool) -> u32 {
        if !kept && !self.machine.names.owners {
            return 0;
        }
        self.machine.free_name(self.before, &self.globals)
    }

    /// A new thread as the owner of locks, where owners are kept.
    fn new_owner(&self, id: u32) -> u32 {
        if self.owner == 0 { 0 } else { self.machine.owner_of(id).unwrap_or(u32::MAX) }
    }

    pub(super) fn start(&mut self, dest: Option<((Area, usize), &Place)>) -> Result<(), Halt> {
        self.note(|touched| touched.others = true);
        let Some(new) = self.new.take() else { return Ok(()) };
        let id = self.new_name(dest.is_some());
        let value = match new.dropped && !self.machine.names.compares {
            true => DROPPED,
            false => Value::Small(i64::from(id)),
        };
        if !new.dropped {
            let owner = self.new_owner(id);
            let entry = self.machine.code.proc(new.proc).entry;
            let frame = self.machine.frame(entry, new.memory, owner);
            self.started = Some(Box::new(Started { proc: new.proc, frame, id }));
        }
        dest.map_or(Ok(()), |(at, place)| self.store(&at, place, Some(value)))
    }

    pub(super) fn fork(&mut self, at: Loc, read_by_both: &[Place]) -> Result<(), Halt> {
        self.note(|touched| touched.others = true);
        if self.drops() {
            return Ok(());
        }
        let id = self.new_name(false);
        let owner = self.new_owner(id);
        for place in read_by_both {
            let slot = (place.area, place.first);
            self.note(|touched| {
                touched.read(place.area, place.first..place.first + 1);
                touched.write(place.area, place.first..place.first + 1);
            });
            if self.get(slot) == Value::Open {
                let value = self.choose(&place.kind, Some(&place.name), place.site)?;
                self.set(slot, &value);
            }
        }
        let frame = self.machine.frame(at, self.locals.clone(), owner);
        self.started = Some(Box::new(Started { proc: self.proc, frame, id }));
        Ok(())
    }
}
