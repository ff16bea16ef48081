//! # Commands
//! What one edge does to one configuration, for one combination of choices.

use selvedge_model::FairChoice;

use super::eval::{Evaluator, Halt, Slot, Values, arithmetic, fits};
use super::ids::DROPPED;
use super::intern::{Frame, Shared, Wrong};
use super::{Lowering, choices::Choices};
use crate::flow::{Command, Edge, EdgeId, Loc};
use crate::{AtomicOp, BinaryOp, Expr, Place, ProcId, Value, VarRef};

/// What an edge leads to.
#[derive(Clone)]
pub(super) struct Outcome {
    pub shared: Shared,
    pub control: Control,
    pub spawn: Option<Started>,
    /// The fair choices that were made, each once, in rising order.
    pub fair: Vec<FairChoice>,
}

/// What becomes of the top frame.
#[derive(Clone)]
pub(super) enum Control {
    Goto(Frame),
    Call { callee: Frame, caller: Frame },
    Return,
}

/// A thread that an edge starts.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Started {
    pub proc: ProcId,
    pub frame: Frame,
    /// Its id; 0 if nobody has got it.
    pub id: u32,
}

impl Lowering {
    /// All outcomes of an edge from a configuration.
    pub(super) fn outcomes(
        &self,
        shared: &Shared,
        frame: &Frame,
        id: EdgeId,
        out: &mut Vec<Outcome>,
    ) -> Result<(), selvedge_model::Fault> {
        self.runs(shared, frame, id, false, |run, wrong| {
            let mut outcome = run.outcome();
            if let Some(reason) = wrong {
                outcome.shared.wrong = Some(Wrong { edge: id, reason });
                outcome.shared.returned = None;
                outcome.shared.held = Box::default();
                outcome.shared.ended = Box::default();
                outcome.control = Control::Goto(frame.clone());
                outcome.spawn = None;
            }
            out.push(outcome);
        })
    }

    /// Executes an edge once for each combination of choices. Told of every run that happens, and
    /// why it went wrong if it did. A result that is open stays open when it is received, unless
    /// it `settles_results`.
    pub(super) fn runs(
        &self,
        shared: &Shared,
        frame: &Frame,
        id: EdgeId,
        settles_results: bool,
        mut happens: impl FnMut(Run<'_>, Option<String>),
    ) -> Result<(), selvedge_model::Fault> {
        let edge = self.flow.edge(id);
        let mut choices = Choices::default();
        let most = if settles_results { super::MOST_CASES } else { super::MOST_COMBINATIONS };
        let slots = shared.globals.len() + frame.locals.len();
        let most = most.min(super::MOST_VALUES / slots.max(1)).max(1);
        // Combinations that lead nowhere take their time, too.
        for tried in 1.. {
            let mut run = Run::new(self, shared, frame, edge, &mut choices);
            run.settles_results = settles_results;
            let mut done = run.execute();
            if done.is_ok() && self.chooses_at_once && !settles_results {
                done = run.choose_at_once();
            }
            match done {
                Ok(()) => happens(run, None),
                Err(Halt::Blocked) => {}
                Err(Halt::Wrong(reason)) => happens(run, Some(reason)),
                Err(Halt::Fault(fault)) => return Err(fault),
            }
            if !choices.advance() {
                break;
            }
            if tried == most {
                let message = format!(
                    "this statement has more than {most} combinations of values: split it, or use \
                     smaller types or shorter arrays"
                );
                return Err(self.fault(edge.span, message));
            }
        }
        Ok(())
    }
}

/// One execution of an edge.
pub(super) struct Run<'a> {
    pub lowering: &'a Lowering,
    pub edge: &'a Edge,
    pub eval: Evaluator<'a>,
    pub shared: Shared,
    pub frame: &'a Frame,
    pub control: Option<Control>,
    pub spawn: Option<Started>,
    /// Whether an open result gets its value when it is received.
    settles_results: bool,
}

impl<'a> Run<'a> {
    fn new(
        lowering: &'a Lowering,
        shared: &Shared,
        frame: &'a Frame,
        edge: &'a Edge,
        choices: &'a mut Choices,
    ) -> Self {
        let values = Values { globals: shared.globals.to_vec(), locals: frame.locals.to_vec() };
        let proc = lowering.flow.location(edge.from).proc;
        let eval = Evaluator::new(lowering, proc, values, choices);
        Run {
            lowering,
            edge,
            eval,
            shared: shared.clone(),
            frame,
            control: None,
            spawn: None,
            settles_results: false,
        }
    }

    fn outcome(self) -> Outcome {
        let Values { globals, locals } = self.eval.values;
        let stay = self.lowering.frame(self.edge.to, locals, self.frame.owner);
        let control = match self.control {
            None => Control::Goto(stay),
            Some(Control::Call { callee, .. }) => Control::Call { callee, caller: stay },
            Some(control) => control,
        };
        let mut shared = Shared { globals: globals.into(), ..self.shared };
        let put = match &control {
            Control::Goto(frame) => [Some(frame), None],
            Control::Call { callee, caller } => [Some(callee), Some(caller)],
            Control::Return => [None, None],
        };
        let mut spawn = self.spawn;
        self.lowering.recount(&mut shared, self.frame, put, spawn.as_mut());
        let mut fair = self.eval.fair;
        fair.sort_unstable();
        fair.dedup();
        Outcome { shared, control, spawn, fair }
    }

    fn execute(&mut self) -> Result<(), Halt> {
        match &self.edge.command {
            Command::Skip | Command::AtomicBegin | Command::AtomicEnd => Ok(()),
            Command::Test { cond, holds } => {
                let truth = self.eval.truth(cond)?;
                self.only_if(truth == *holds)
            }
            Command::Assume(cond) => {
                let truth = self.eval.truth(cond)?;
                self.only_if(truth)
            }
            Command::Assert(cond) => {
                if self.eval.truth(cond)? {
                    return Ok(());
                }
                Err(Halt::Wrong("assertion failed".to_owned()))
            }
            Command::Assign { targets, values, constrain } => {
                self.assign(targets, values, constrain.as_ref())
            }
            Command::Havoc(places) => {
                let slots = places.iter().map(|place| self.eval.slot(place));
                let slots = slots.collect::<Result<Vec<_>, _>>()?;
                for (place, slot) in places.iter().zip(slots) {
                    self.eval.write(place, slot, Value::Open)?;
                }
                Ok(())
            }
            Command::Acquire(lock) => {
                let taken = self.try_lock(lock)?;
                self.only_if(taken)
            }
            Command::Release(lock) => self.release(lock),
            Command::Attempt { dest, op } => {
                let dest = self.dest(dest.as_ref())?;
                let result = self.attempt(op)?;
                dest.map_or(Ok(()), |(place, slot)| self.eval.write(place, slot, result))
            }
            Command::TestAttempt { op, succeeds } => {
                let result = self.attempt(op)?;
                self.only_if(result.is_true() == *succeeds)
            }
            Command::Call { proc, args } => {
                let callee = self.frame_of(*proc, args, self.frame.owner)?;
                self.control = Some(Control::Call { caller: self.frame.clone(), callee });
                Ok(())
            }
            Command::Receive { from, places } => {
                let results = self.shared.returned.take().unwrap_or_default();
                let types = &self.lowering.program.procs[from.index()].results;
                for (index, ((place, mut result), ty)) in
                    places.iter().zip(results).zip(types).enumerate()
                {
                    if result == Value::Open && (*ty != place.ty || self.settles_results) {
                        result = self.eval.choose(ty, place.span, None)?;
                        self.eval.settled.push((Slot::Result(index), result.clone()));
                    }
                    self.store(place, result)?;
                }
                Ok(())
            }
            Command::Return(values) => {
                let results = self.results(values)?;
                self.shared.returned = (!results.is_empty()).then(|| results.into());
                self.control = Some(Control::Return);
                Ok(())
            }
            Command::Async { dest, proc, args } => {
                let drops = self.drops();
                let id = self.free_name(dest.is_some());
                let owner = self.owner_of(id);
                let frame = self.frame_of(*proc, args, owner)?;
                let dest = self.dest(dest.as_ref())?;
                let value = match drops && !self.lowering.names.compares {
                    true => DROPPED,
                    false => Value::Small(i64::from(id)),
                };
                if !drops {
                    self.spawn = Some(Started { proc: *proc, frame, id });
                }
                dest.map_or(Ok(()), |(place, slot)| self.eval.write(place, slot, value))
            }
            Command::StartThread { at, read_by_both } => {
                if self.drops() {
                    return Ok(());
                }
                let id = self.free_name(false);
                let owner = self.owner_of(id);
                for local in read_by_both {
                    self.eval.settle_variable(VarRef::Local(*local), self.edge.span)?;
                }
                let locals = self.eval.values.locals.clone();
                let frame = self.lowering.frame(*at, locals, owner);
                self.spawn = Some(Started { proc: self.eval.proc, frame, id });
                Ok(())
            }
            Command::Join(thread) => self.join(thread),
        }
    }

    pub(super) fn only_if(&self, truth: bool) -> Result<(), Halt> {
        if truth { Ok(()) } else { Err(Halt::Blocked) }
    }

    /// Where the result of an effect goes, found before the effect happens.
    fn dest<'p>(&mut self, place: Option<&'p Place>) -> Result<Option<(&'p Place, usize)>, Halt> {
        place.map(|place| Ok((place, self.eval.slot(place)?))).transpose()
    }

    fn store(&mut self, place: &Place, value: Value) -> Result<(), Halt> {
        let slot = self.eval.slot(place)?;
        self.eval.write(place, slot, value)
    }

    fn assign(
        &mut self,
        targets: &[Place],
        values: &[Expr],
        constrain: Option<&Expr>,
    ) -> Result<(), Halt> {
        let mut stores = Vec::with_capacity(targets.len());
        for (place, value) in targets.iter().zip(values) {
            let value = self.eval.eval_for_store(value, &place.ty)?;
            stores.push((place, self.eval.slot(place)?, value));
        }
        let before = constrain.map(|_| self.eval.values.clone());
        for (place, slot, value) in &stores {
            self.eval.write(place, *slot, value.clone())?;
        }
        let (Some(cond), Some(before)) = (constrain, before) else { return Ok(()) };
        let set = stores
            .iter()
            .map(|(place, slot, _)| (matches!(place.var, VarRef::Global(_)), *slot))
            .collect();
        let after = std::mem::replace(&mut self.eval.values, before);
        self.eval.after = Some((after, set));
        let truth = self.eval.truth(cond)?;
        if let Some((after, _)) = self.eval.after.take() {
            self.eval.values = after;
        }
        self.only_if(truth)
    }

    /// Takes the lock if it is free; whether it was.
    fn try_lock(&mut self, lock: &Place) -> Result<bool, Halt> {
        let slot = self.eval.slot(lock)?;
        let free = !self.eval.read_slot(lock, slot, false)?.is_true();
        if free {
            self.eval.values.globals[slot] = Value::Small(i64::from(self.frame.owner.max(1)));
        }
        Ok(free)
    }

    fn release(&mut self, lock: &Place) -> Result<(), Halt> {
        let slot = self.eval.slot(lock)?;
        self.eval.read_slot(lock, slot, false)?;
        let held = &mut self.eval.values.globals[slot];
        let name = || self.lowering.program.variable(self.eval.proc, lock.var).name.clone();
        if !held.is_true() {
            return Err(Halt::Wrong(format!("`{}` is released but nobody holds it", name())));
        }
        if *held != Value::Small(i64::from(self.frame.owner.max(1))) {
            return Err(Halt::Wrong(format!(
                "`{}` is released by a thread that does not hold it",
                name()
            )));
        }
        *held = Value::FALSE;
        Ok(())
    }

    fn attempt(&mut self, op: &AtomicOp) -> Result<Value, Halt> {
        match op {
            AtomicOp::TryLock(lock) => self.try_lock(lock).map(Value::from),
            AtomicOp::CompareAndSwap { place, expected, new } => {
                let expected = self.eval.eval(expected)?;
                // An index that is chosen is chosen once.
                let slot = self.eval.slot(place)?;
                let current = self.eval.read_slot(place, slot, false)?;
                let new = self.eval.eval_for_store(new, &place.ty)?;
                let equal = current == expected;
                if equal {
                    self.eval.write(place, slot, new)?;
                }
                Ok(equal.into())
            }
            AtomicOp::FetchAndAdd { place, amount } => {
                let slot = self.eval.slot(place)?;
                let current = self.eval.read_slot(place, slot, false)?;
                let amount = self.eval.eval(amount)?;
                let sum = arithmetic(BinaryOp::Add, &current, &amount)
                    .map_err(|halt| self.eval.at(place.span, halt))?;
                self.eval.write(place, slot, sum)?;
                Ok(current)
            }
        }
    }

    fn results(&mut self, values: &[Expr]) -> Result<Vec<Value>, Halt> {
        let declared = &self.lowering.program.procs[self.eval.proc.index()];
        let results = values.iter().zip(&declared.results).map(|(value, ty)| {
            let value = self.eval.eval_for_store(value, ty)?;
            let what = || format!("the result of `{}`", declared.name);
            fits(ty, &value, what).map_err(Halt::Wrong)?;
            Ok(value)
        });
        results.collect()
    }

    fn frame_of(&mut self, proc: ProcId, args: &[Expr], owner: u32) -> Result<Frame, Halt> {
        let mut locals = self.lowering.layout.fresh_locals(proc);
        let declared = &self.lowering.program.procs[proc.index()];
        for ((arg, slot), param) in args.iter().zip(&mut locals).zip(&declared.locals) {
            *slot = self.eval.eval_for_store(arg, &param.ty)?;
            fits(&param.ty, slot, || format!("`{}`", param.name)).map_err(Halt::Wrong)?;
        }
        let loc = self.lowering.flow.entries[proc.index()];
        Ok(self.lowering.frame(loc, locals, owner))
    }

    /// Whether the thread that is about to be started is dropped: a free choice, where threads
    /// may be dropped.
    fn drops(&mut self) -> bool {
        self.lowering.drops_threads && self.eval.choices.pick(2) == 1
    }
}

impl Outcome {
    /// Where the thread stands after the step, unless it called or returned.
    pub(super) fn location(&self) -> Option<Loc> {
        match &self.control {
            Control::Goto(frame) => Some(frame.loc),
            _ => None,
        }
    }
}
