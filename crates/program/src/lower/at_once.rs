//! # Choosing at once
//!
//! **Question.** Which states are deadlocks? A variable that is open has no value yet: a thread at
//! `assume x` with `x` open has an action, the one that chooses *true*. But had `x` been chosen
//! when it got its value, it might have been *false*, and the thread might wait for ever.
//!
//! **Idea.** Where deadlocks are asked for, every step ends with a choice for all that it leaves
//! open and that may still be read: shared variables, and the live locals of the frames that it
//! makes. The initial states are those of all choices for what has no first value.
//!
//! **Claim.** Nothing that may be read is open in any state. What can be reached is the same as
//! with late choices (see [`super`]); what waits is what waits with fixed values.

use selvedge_model::Fault;

use super::choices::Choices;
use super::eval::{Evaluator, Halt, Values};
use super::execute::{Control, Run};
use super::intern::Frame;
use super::{Lowering, MOST_COMBINATIONS, MOST_VALUES};
use crate::flow::Loc;
use crate::{GlobalId, ProcId, Value, VarRef};

/// The first values of the shared variables, and the first frame of each thread.
pub(super) type Start = (Vec<Value>, Vec<Frame>);

impl Lowering {
    /// All first values of the shared variables, with all first frames of the threads.
    pub(super) fn all_starts(&self, globals: Vec<Value>) -> Result<Vec<Start>, Fault> {
        let mut starts = Vec::new();
        let most = MOST_COMBINATIONS.min(MOST_VALUES / globals.len().max(1)).max(1);
        let mut choices = Choices::default();
        loop {
            let values = Values { globals: globals.clone(), locals: Vec::new() };
            let mut eval = Evaluator::new(self, ProcId(0), values, &mut choices);
            let mut entries = self.entries.clone();
            let chosen = eval.settle_globals().and_then(|()| {
                let mut entries = entries.iter_mut();
                entries.try_for_each(|entry| self.settle(&mut eval, entry.loc, &mut entry.locals))
            });
            match chosen {
                Ok(()) => starts.push((eval.values.globals, entries)),
                Err(Halt::Fault(fault)) => return Err(fault),
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
                return Err(Fault { message, line: None });
            }
        }
    }

    /// Chooses what is open in the locals of a frame at a location and may still be read.
    pub(super) fn settle(
        &self,
        eval: &mut Evaluator<'_>,
        loc: Loc,
        values: &mut [Value],
    ) -> Result<(), Halt> {
        let proc = self.flow.location(loc).proc;
        let locals = &self.program.procs[proc.index()].locals;
        for (local, slots) in &self.flow.live[loc.index()].slots {
            let local = &locals[local.index()];
            for value in values[slots.clone()].iter_mut().filter(|value| **value == Value::Open) {
                *value = eval.choose(local.ty.scalar(), local.span, Some(&local.name))?;
            }
        }
        Ok(())
    }
}

impl Run<'_> {
    /// Chooses what the step leaves open and may still be read.
    pub(super) fn choose_at_once(&mut self) -> Result<(), Halt> {
        self.eval.settle_globals()?;
        if !matches!(self.control, Some(Control::Return)) {
            let mut locals = std::mem::take(&mut self.eval.values.locals);
            let chosen = self.lowering.settle(&mut self.eval, self.edge.to, &mut locals);
            self.eval.values.locals = locals;
            chosen?;
        }
        let callee = match &mut self.control {
            Some(Control::Call { callee, .. }) => Some(callee),
            _ => None,
        };
        let started = self.spawn.as_mut().map(|started| &mut started.frame);
        for frame in callee.into_iter().chain(started) {
            self.lowering.settle(&mut self.eval, frame.loc, &mut frame.locals)?;
        }
        Ok(())
    }
}

impl Evaluator<'_> {
    /// Chooses what is open in the shared variables.
    pub(super) fn settle_globals(&mut self) -> Result<(), Halt> {
        let program = self.program;
        for (global, number) in program.globals.iter().zip(0..) {
            self.settle_variable(VarRef::Global(GlobalId(number)), global.span)?;
        }
        Ok(())
    }
}
