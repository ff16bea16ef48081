//! Commands: what each is made of. The order of instructions is the order in which things happen.

use selvedge_core::{
    Area, Binary, Broken, Expr as Code, Instruction, Place as Slot, Source, Target, Temp,
};

use super::expr::{Reading, negated};
use super::{Compiler, name, operate, site};
use crate::attempt::{Build, Meaning};
use crate::flow::{Command, Edge};
use crate::{AtomicOp, BinaryOp, Expr, ExprKind, LocalId, Place, ProcId, Type, Value, VarRef};

/// The code of one command.
struct Writer<'c> {
    compiler: &'c Compiler<'c>,
    proc: ProcId,
    code: Vec<Instruction>,
    temps: u32,
}

impl Compiler<'_> {
    /// The code of an edge of a procedure, and how many values it keeps on the way.
    pub(super) fn command(&self, proc: ProcId, edge: &Edge) -> (Box<[Instruction]>, u32) {
        let mut writer = Writer { compiler: self, proc, code: Vec::new(), temps: 0 };
        writer.command(edge);
        (writer.code.into(), writer.temps)
    }

    /// The code that stores the arguments of an instance of a thread, one piece each.
    pub(crate) fn arguments(&self, proc: ProcId, args: &[Expr], instance: u32) -> Vec<Instruction> {
        let value = |arg: &Expr| self.expr(proc, arg, Reading::Instance(instance));
        self.parameters(proc, args, value)
    }

    /// The code that stores arguments in the frame that is being made.
    fn parameters(
        &self,
        callee: ProcId,
        args: &[Expr],
        value: impl Fn(&Expr) -> Code,
    ) -> Vec<Instruction> {
        let params = &self.program.procs[callee.index()].locals;
        let stores = args.iter().zip(params).enumerate().map(|(number, (arg, param))| {
            let slot = Slot {
                area: Area::New,
                first: self.locals[callee.index()][number],
                indices: Box::default(),
                kind: self.kind(&param.ty),
                name: name(&param.name),
                site: site(arg.span),
            };
            store(Target::Place(slot), source(arg, &param.ty, &value))
        });
        stores.collect()
    }
}

impl Writer<'_> {
    fn command(&mut self, edge: &Edge) {
        match &edge.command {
            Command::Skip | Command::AtomicBegin | Command::AtomicEnd => {}
            Command::Test { cond, holds } => {
                let cond = self.expr(cond);
                self.assume(cond, *holds);
            }
            Command::Assume(cond) => {
                let cond = self.expr(cond);
                self.assume(cond, true);
            }
            Command::Assert(cond) => {
                let cond = self.expr(cond);
                self.code.push(Instruction::Check(cond, Broken::Assertion));
            }
            Command::Assign { targets, values, constrain } => {
                self.assign(targets, values, constrain.as_ref());
            }
            Command::Havoc(places) => {
                let slots: Vec<Target> = places.iter().map(|place| self.target(place)).collect();
                self.code.extend(slots.into_iter().map(|slot| store(slot, Source::Any)));
            }
            Command::Acquire(lock) => {
                let taken = self.attempt(&AtomicOp::TryLock(lock.clone()));
                self.assume(taken, true);
            }
            Command::Release(lock) => self.release(lock),
            Command::Attempt { dest, op } => {
                let dest = dest.as_ref().map(|place| self.target(place));
                let result = self.attempt(op);
                self.code.extend(dest.map(|dest| store(dest, Source::Value(result))));
            }
            Command::TestAttempt { op, succeeds, .. } => {
                let result = self.attempt(op);
                self.assume(result, *succeeds);
            }
            Command::Call { proc, args } => {
                self.frame(*proc, args, false);
                self.code.push(Instruction::Call);
            }
            Command::Receive { from, places } => {
                let results = &self.compiler.program.procs[from.index()].results;
                for (index, (place, ty)) in places.iter().zip(results).enumerate() {
                    let result = Source::Result(index, self.compiler.kind(ty));
                    let place = self.place(place);
                    self.code.push(store(Target::Place(place), result));
                }
                self.code.push(Instruction::Take);
            }
            Command::Return(values) => self.leave(values),
            Command::Async { dest, proc, args } => {
                self.frame(*proc, args, true);
                let dest = dest.as_ref().map(|place| Target::Place(self.place(place)));
                self.code.push(Instruction::Start(dest));
            }
            Command::StartThread { at, read_by_both } => {
                let read_by_both =
                    read_by_both.iter().flat_map(|local| self.slots_of(*local, edge)).collect();
                self.code.push(Instruction::Fork { at: *at, read_by_both });
            }
            Command::Join(thread) => {
                let thread = self.keep_value(thread);
                let none = thread.clone().equal(Code::Int(Value::Small(0)));
                self.code.push(Instruction::Check(negated(none), Broken::NeverStarted));
                let ended = Code::Unary(selvedge_core::Unary::Ended, Box::new(thread));
                self.assume(ended, true);
            }
        }
    }

    fn expr(&self, expr: &Expr) -> Code {
        self.compiler.expr(self.proc, expr, Reading::Now)
    }

    fn place(&self, place: &Place) -> Slot {
        self.compiler.place(self.proc, place, Reading::Now)
    }

    fn assume(&mut self, cond: Code, holds: bool) {
        self.code.push(Instruction::Assume(if holds { cond } else { negated(cond) }));
    }

    fn temp(&mut self) -> Temp {
        self.temps += 1;
        Temp(self.temps - 1)
    }

    /// Computes a value now, for later.
    fn keep(&mut self, value: Code) -> Code {
        let temp = self.temp();
        self.code.push(Instruction::Let(temp, value));
        Code::Temp(temp)
    }

    fn keep_value(&mut self, expr: &Expr) -> Code {
        let value = self.expr(expr);
        self.keep(value)
    }

    fn source(&self, value: &Expr, ty: &Type) -> Source {
        source(value, ty, |e| self.expr(e))
    }

    /// Finds the slot of a place now, for later.
    fn locate(&mut self, place: &Place) -> Temp {
        let place = self.place(place);
        let temp = self.temp();
        self.code.push(Instruction::Locate(temp, place));
        temp
    }

    /// Where a value goes that is known later than the place. A slot that does not depend on anything
    /// need not be found first.
    fn target(&mut self, place: &Place) -> Target {
        match place.indices.is_empty() {
            true => Target::Place(self.place(place)),
            false => Target::Located(self.locate(place)),
        }
    }

    fn assign(&mut self, targets: &[Place], values: &[Expr], constrain: Option<&Expr>) {
        if let ([place], [value], None) = (targets, values, constrain) {
            let value = self.source(value, &place.ty);
            let place = self.place(place);
            self.code.push(store(Target::Place(place), value));
            return;
        }
        let mut stores = Vec::new();
        for (place, value) in targets.iter().zip(values) {
            let value = match self.source(value, &place.ty) {
                Source::Value(value) => Source::Value(self.keep(value)),
                other => other,
            };
            stores.push(store(self.target(place), value));
        }
        if constrain.is_some() {
            self.code.push(Instruction::Snapshot);
        }
        self.code.extend(stores);
        if let Some(cond) = constrain {
            let cond = self.compiler.expr(self.proc, cond, Reading::Before);
            self.assume(cond, true);
        }
    }

    /// An operation that reads and writes in one step; its result.
    fn attempt(&mut self, op: &AtomicOp) -> Code {
        let place = op.place();
        // What is compared is known before the slot is looked at, what is written after it.
        let (compared, written) = match op {
            AtomicOp::TryLock(_) => (None, None),
            AtomicOp::CompareAndSwap { expected, new, .. } => (Some(expected), Some(new)),
            AtomicOp::FetchAndAdd { amount, .. } => (None, Some(amount)),
        };
        let mut operands = Vec::new();
        operands.extend(compared.map(|compared| self.keep_value(compared)));
        let slot = self.locate(place);
        let old = self.keep(Code::Temp(slot));
        let stays_open =
            written.is_some_and(|written| matches!(self.source(written, &place.ty), Source::Any));
        if let Some(written) = written.filter(|_| !stays_open) {
            operands.push(self.keep_value(written));
        } else if stays_open {
            operands.push(old.clone());
        }
        let lock = (old.clone().equal(Code::Int(Value::Small(0))), Code::Me);
        let meaning = Meaning::new(op, old, &operands, lock);
        let when = match meaning.succeeds {
            Code::Bool(true) => None,
            _ => Some(self.keep(meaning.succeeds.clone())),
        };
        let result = when.clone().unwrap_or_else(|| meaning.result());
        let value = match stays_open {
            true => Source::Any,
            false => Source::Value(at(meaning.new, place)),
        };
        self.code.push(Instruction::Store { to: Target::Located(slot), value, when });
        result
    }

    fn release(&mut self, lock: &Place) {
        let variable = self.compiler.program.variable(self.proc, lock.var);
        let called = name(&variable.name);
        let slot = self.locate(lock);
        let held = self.keep(Code::Temp(slot));
        let free = held.clone().equal(Code::Int(Value::Small(0)));
        self.code.push(Instruction::Check(negated(free), Broken::NotHeld(called.clone())));
        if self.compiler.flow.tracks_owners {
            let mine = held.equal(Code::Me);
            self.code.push(Instruction::Check(mine, Broken::HeldByAnother(called)));
        }
        let free = Source::Value(Code::Int(Value::Small(0)));
        self.code.push(store(Target::Located(slot), free));
    }

    fn frame(&mut self, proc: ProcId, args: &[Expr], for_thread: bool) {
        self.code.push(Instruction::Frame { proc, for_thread });
        let stores = self.compiler.parameters(proc, args, |e| self.expr(e));
        self.code.extend(stores);
    }

    fn leave(&mut self, values: &[Expr]) {
        let declared = &self.compiler.program.procs[self.proc.index()];
        for (index, (value, ty)) in values.iter().zip(&declared.results).enumerate() {
            let slot = Slot {
                area: Area::Results,
                first: index,
                indices: Box::default(),
                kind: self.compiler.kind(ty),
                name: format!("the result of `{}`", declared.name).into(),
                site: site(value.span),
            };
            let value = self.source(value, ty);
            self.code.push(store(Target::Place(slot), value));
        }
        self.code.push(Instruction::Return);
    }

    /// The slots of a local variable, one place each.
    fn slots_of(&self, local: LocalId, edge: &Edge) -> Vec<Slot> {
        let variable = self.compiler.program.variable(self.proc, VarRef::Local(local));
        let first = self.compiler.locals[self.proc.index()][local.index()];
        let slot = |number: usize| Slot {
            area: Area::Frame,
            first: first + number,
            indices: Box::default(),
            kind: self.compiler.kind(&variable.ty),
            name: name(&variable.name),
            site: site(edge.span),
        };
        (0..variable.ty.slots()).map(slot).collect()
    }
}

fn store(to: Target, value: Source) -> Instruction {
    Instruction::Store { to, value, when: None }
}

/// The value to store in a place of a type: a plain `*` of that type stays open until it is read.
fn source(expr: &Expr, ty: &Type, value: impl Fn(&Expr) -> Code) -> Source {
    match &expr.kind {
        ExprKind::Any | ExprKind::Const(Value::Open) if expr.ty == *ty => Source::Any,
        _ => Source::Value(value(expr)),
    }
}

/// A sum that is reported where its place stands.
fn at(mut value: Code, place: &Place) -> Code {
    let sum = match &mut value {
        Code::Unary(_, sum) => &mut **sum,
        sum => sum,
    };
    if let Code::Binary(_, _, _, at) = sum {
        *at = site(place.span);
    }
    value
}

impl Build for Code {
    fn truth(value: bool) -> Self {
        Code::Bool(value)
    }

    fn equal(self, other: Self) -> Self {
        Code::Binary(Binary::Eq, Box::new(self), Box::new(other), selvedge_core::Site(0))
    }

    fn plus(self, other: Self, ty: &Type) -> Self {
        operate::binary(BinaryOp::Add, ty, self, other, selvedge_core::Site(0))
    }
}
