//! # Choosing at once
//!
//! **Question.** Which states are deadlocks? A slot that is open has no value yet: a thread at
//! `assume x` with `x` open has a move, the one that chooses *true*. But had `x` been chosen
//! when it got its value, it might have been *false*, and the thread might wait for ever.
//!
//! **Idea.** Where deadlocks are asked for, every step ends with a choice for all that it leaves
//! open and that may still be read: shared slots, and the live slots of the frames that it
//! makes. The initial states are those of all choices for what has no first value.
//!
//! **Claim.** Nothing that may be read is open in any state. What can be reached is the same as
//! with late choices (see [`super`]); what waits is what waits with fixed values.

use super::words::{Fault, Halt, Leaves, Words};
use super::{Frame, MOST_COMBINATIONS, MOST_VALUES, Machine, Shared};
use crate::{Choices, Declared, Domain, Layout, Loc, Memory};

/// The first values of the shared slots, and the first frame of each thread.
pub type Start = (Memory, Vec<Frame>);

impl Machine {
    /// All first values of the shared slots, with all first frames of the threads.
    pub fn all_starts(&self, globals: &Memory, entries: &[Frame]) -> Result<Vec<Start>, Fault> {
        let mut starts = Vec::new();
        let most = MOST_COMBINATIONS.min(MOST_VALUES / self.shared.slots().max(1)).max(1);
        let mut choices = Choices::default();
        let before = Shared::new(globals.clone());
        let nowhere = Frame { loc: Loc(0), memory: Memory::default(), owner: 0 };
        loop {
            let mut run = Words::new(self, &before, &nowhere, &mut choices);
            let mut entries = entries.to_vec();
            let chosen = run.choose_globals().and_then(|()| {
                let mut entries = entries.iter_mut();
                entries.try_for_each(|entry| run.choose_live(entry.loc, &mut entry.memory))
            });
            match chosen {
                Ok(()) => starts.push((run.globals, entries)),
                Err(Halt::Fault(fault)) => return Err(*fault),
                Err(Halt::Blocked | Halt::Wrong(_)) => {}
            }
            if !choices.advance() {
                return Ok(starts);
            }
            if starts.len() == most {
                let message = format!(
                    "the variables without a first value have more than {most} combinations of values, \
                     and who can act may depend on them: give them first values"
                );
                return Err(Fault { message, site: None, is_over: false });
            }
        }
    }
}

impl Words<'_> {
    /// Chooses what the step leaves open and may still be read.
    pub(super) fn choose_at_once(&mut self, to: Loc) -> Result<(), Halt> {
        self.choose_globals()?;
        if self.leaves != Leaves::Returns {
            let mut locals = std::mem::take(&mut self.locals);
            let chosen = self.choose_live(to, &mut locals);
            self.locals = locals;
            chosen?;
        }
        if self.leaves == Leaves::Calls
            && let Some(mut new) = self.new.take()
        {
            let entry = self.machine.code.proc(new.proc).entry;
            let chosen = self.choose_live(entry, &mut new.memory);
            self.new = Some(new);
            chosen?;
        }
        if let Some(mut started) = self.started.take() {
            let chosen = self.choose_live(started.frame.loc, &mut started.frame.memory);
            self.started = Some(started);
            chosen?;
        }
        Ok(())
    }

    /// Chooses what is open in the shared slots.
    fn choose_globals(&mut self) -> Result<(), Halt> {
        let machine = self.machine;
        let mut globals = std::mem::take(&mut self.globals);
        let all = 0..machine.code.shared.len();
        let chosen = self.choose_slots(&mut globals, &machine.shared, &machine.code.shared, all);
        self.globals = globals;
        chosen
    }

    /// Chooses what is open in a frame at a location and may still be read.
    fn choose_live(&mut self, loc: Loc, memory: &mut Memory) -> Result<(), Halt> {
        let machine = self.machine;
        let location = machine.code.location(loc);
        let declared = &machine.code.proc(location.proc).frame;
        let layout = &machine.frames[location.proc.index()];
        let is_live = |slot: &usize| !location.dead.iter().any(|dead| dead.contains(slot));
        let live = (0..declared.len()).filter(is_live);
        self.choose_slots(memory, layout, declared, live)
    }

    fn choose_slots(
        &mut self,
        memory: &mut Memory,
        layout: &Layout,
        declared: &[Declared],
        slots: impl Iterator<Item = usize>,
    ) -> Result<(), Halt> {
        for slot in slots {
            if memory.is_open(layout, slot) {
                let Declared { kind, name, site, .. } = &declared[slot];
                let value = self.choose(kind, Some(name), *site)?;
                memory.set(layout, slot, &value);
            }
        }
        Ok(())
    }
}
