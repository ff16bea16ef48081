//! Commands over terms: the same cases as in lowering, in the same order.

use num_bigint::BigInt;
use selvedge_program::flow::Command;
use selvedge_program::{AtomicOp, BinaryOp, Expr, Place, ProcId, Type, VarRef};

use super::State;
use super::expr::{Why, operation};
use crate::layout::Layout;
use crate::term::Term;

/// One execution of a command.
pub(super) struct Run<'a> {
    pub layout: &'a Layout<'a>,
    pub proc: ProcId,
    pub state: State,
    /// While the condition of `constrain` is evaluated: the values before the assignment.
    pub before: Option<(Vec<Term>, Vec<Term>)>,
    /// The ways to go wrong, each with its guard.
    wrongs: Vec<(Vec<Term>, String)>,
    /// What must not be, for the step to go right.
    avoided: Vec<Term>,
}

impl<'a> Run<'a> {
    pub fn new(layout: &'a Layout<'a>, proc: ProcId, state: State) -> Self {
        Run { layout, proc, state, before: None, wrongs: Vec::new(), avoided: Vec::new() }
    }

    /// The state after the command, and the ways to go wrong.
    pub fn finish(mut self) -> (State, Vec<(Vec<Term>, String)>) {
        // What was chosen restricts what goes wrong, too; choices that came later do no harm.
        self.state.guard.extend(self.avoided.into_iter().map(Term::negated));
        (self.state, self.wrongs)
    }

    /// Goes wrong if the condition holds and the place is reached.
    pub fn wrong(&mut self, when: &Term, cond: Term, why: &str) {
        let bad = Term::all([when.clone(), cond]);
        if bad == Term::FALSE {
            return;
        }
        let mut guard = self.state.guard.clone();
        guard.push(bad.clone());
        self.wrongs.push((guard, why.to_owned()));
        self.avoided.push(bad);
    }

    pub fn assume(&mut self, cond: Term) {
        self.state.guard.push(cond);
    }

    pub fn execute(&mut self, command: &Command) -> Result<(), Why> {
        let always = &Term::TRUE;
        match command {
            Command::Skip | Command::AtomicBegin | Command::AtomicEnd => {}
            Command::Test { cond, holds } => {
                let cond = self.eval(cond, always)?;
                self.assume(if *holds { cond } else { cond.negated() });
            }
            Command::Assume(cond) => {
                let cond = self.eval(cond, always)?;
                self.assume(cond);
            }
            Command::Assert(cond) => {
                let cond = self.eval(cond, always)?;
                self.wrong(always, cond.negated(), "assertion failed");
            }
            Command::Assign { targets, values, constrain } => {
                self.assign(targets, values, constrain.as_ref())?;
            }
            Command::Havoc(places) => {
                let slots: Vec<_> =
                    places.iter().map(|p| self.slots(p, always)).collect::<Result<_, _>>()?;
                for (place, slots) in places.iter().zip(slots) {
                    let value = self.choose(&place.ty);
                    self.write(place, &slots, value, always);
                }
            }
            Command::Acquire(lock) => {
                let free = self.try_lock(lock)?;
                self.assume(free);
            }
            Command::Release(lock) => {
                let slots = self.slots(lock, always)?;
                let held = self.select(lock, &slots, false);
                self.wrong(
                    always,
                    Term::eq(held, Term::int(0)),
                    "a lock is released that nobody holds",
                );
                self.write(lock, &slots, Term::int(0), always);
            }
            Command::Attempt { dest, op } => {
                let slots = dest.as_ref().map(|place| self.slots(place, always)).transpose()?;
                let result = self.attempt(op)?;
                if let (Some(place), Some(slots)) = (dest, slots) {
                    self.write(place, &slots, result, always);
                }
            }
            Command::TestAttempt { op, succeeds } => {
                let result = self.attempt(op)?;
                self.assume(if *succeeds { result } else { result.negated() });
            }
            Command::Return(values) => {
                let types = self.layout.program.procs[self.proc.index()].results.clone();
                for (value, ty) in values.iter().zip(types) {
                    let value = self.eval(value, always)?;
                    self.fits(&ty, &value, always);
                }
            }
            Command::Call { proc, .. } => {
                let name = &self.layout.program.procs[proc.index()].name;
                return Err(format!("`{name}` is called here: write its body in its place"));
            }
            Command::Receive { .. } => return Err("a procedure is called here".to_owned()),
            Command::Async { .. } | Command::StartThread { .. } | Command::Join(_) => {
                return Err(
                    "threads are started or joined here: declare them, as in `thread worker * \
                            any`"
                        .to_owned(),
                );
            }
        }
        Ok(())
    }

    fn assign(
        &mut self,
        targets: &[Place],
        values: &[Expr],
        constrain: Option<&Expr>,
    ) -> Result<(), Why> {
        let always = &Term::TRUE;
        let mut stores = Vec::new();
        for (place, value) in targets.iter().zip(values) {
            let value = self.eval(value, always)?;
            stores.push((place, self.slots(place, always)?, value));
        }
        let before = (self.state.globals.clone(), self.state.locals.clone());
        for (place, slots, value) in stores {
            self.write(place, &slots, value, always);
        }
        if let Some(cond) = constrain {
            self.before = Some(before);
            let cond = self.eval(cond, always)?;
            self.before = None;
            self.assume(cond);
        }
        Ok(())
    }

    fn try_lock(&mut self, lock: &Place) -> Result<Term, Why> {
        // An index that is chosen is chosen once: what is tested is what is written.
        let slots = self.slots(lock, &Term::TRUE)?;
        let free = Term::eq(self.select(lock, &slots, false), Term::int(0));
        self.write(lock, &slots, Term::int(1), &free);
        Ok(free)
    }

    fn attempt(&mut self, op: &AtomicOp) -> Result<Term, Why> {
        let always = &Term::TRUE;
        match op {
            AtomicOp::TryLock(lock) => self.try_lock(lock),
            AtomicOp::CompareAndSwap { place, expected, new } => {
                let expected = self.eval(expected, always)?;
                let slots = self.slots(place, always)?;
                let current = self.select(place, &slots, false);
                let new = self.eval(new, always)?;
                let equal = Term::eq(current, expected);
                self.write(place, &slots, new, &equal);
                Ok(equal)
            }
            AtomicOp::FetchAndAdd { place, amount } => {
                let slots = self.slots(place, always)?;
                let current = self.select(place, &slots, false);
                let amount = self.eval(amount, always)?;
                let sum = operation(BinaryOp::Add, current.clone(), amount);
                self.write(place, &slots, sum, always);
                Ok(current)
            }
        }
    }

    /// Stores a value if `when` holds; a value that does not fit goes wrong.
    fn write(&mut self, place: &Place, slots: &[(Term, usize)], value: Term, when: &Term) {
        self.fits(&place.ty, &value, when);
        for (cond, slot) in slots {
            let values = match place.var {
                VarRef::Global(_) => &mut self.state.globals,
                VarRef::Local(_) => &mut self.state.locals,
            };
            let here = Term::all([when.clone(), cond.clone()]);
            values[*slot] = Term::ite(here, value.clone(), values[*slot].clone());
        }
    }

    fn fits(&mut self, ty: &Type, value: &Term, when: &Term) {
        let Type::Range { lo, hi } = ty else { return };
        let int = |n: &BigInt| Term::Int(n.clone());
        let outside = [Term::lt(value.clone(), int(lo)), Term::lt(int(hi), value.clone())];
        self.wrong(when, Term::any(outside), "a value does not fit its type");
    }
}
