//! # Data races
//!
//! **Question.** Can two threads be about to access the same object at the same time, one of them to write it, not both by atomic
//! operations?
//!
//! **Idea.** A thread that is about to make a plain access may *wait there for ever*: it notes the address, and whether it would write. Another one that gets
//! to an access of that address meanwhile, one of the two being a write, has found a race. One who waits changes nothing
//! and could go on at any time, so the other one gets there in the program itself as well, while the first one is still there.
//!
//! **Claim.** The note is hit in some run iff there is a state of the program in which two threads are both about to make such accesses.
//! If there is such a state, let the one with the plain access write its note there, and the other one access.
//!
//! **Fewer accesses.** Objects that are never written, and those that only one thread can reach, need no look: [`quiet`].

use std::collections::{BTreeMap, BTreeSet};

use selvedge_program::make::{constant, read, truth};
use selvedge_program::telling::{Manner, Told};
use selvedge_program::{BinaryOp, GlobalId, Place, Span, StmtKind, Type, Value, VarRef};

use super::Lower;
use super::access::At;
use super::arithmetic::{binary, negate};
use super::function::Fun;
use super::memory::place;
use super::points::{Points, Target, direct_address, is_followed_at_once};
use super::single;
use crate::c::typed::*;
use crate::c::types::Type as CType;

/// How something is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Touch {
    /// Whether it is written.
    pub(super) writes: bool,
    /// Whether that is an atomic operation.
    pub(super) atomic: bool,
}

/// The variables in which a thread notes what it waits at.
pub(super) fn declare(lower: &mut Lower<'_>) -> (GlobalId, GlobalId) {
    let bits = if lower.shapes.types.pointer_size() == 8 { 64 } else { 32 };
    let address = Type::Machine { bits, signed: false };
    let at = lower.global("race.at", address, &Value::Small(0), Span::default());
    let writes = lower.global("race.writes", Type::Bool, &Value::FALSE, Span::default());
    lower.tell(Told::Shared(at), Manner::Hidden);
    lower.tell(Told::Shared(writes), Manner::Hidden);
    (at, writes)
}

impl Fun<'_, '_> {
    /// Whether accesses of a place are looked at.
    pub(super) fn is_watched(&self, place: &Place) -> bool {
        match place.var {
            VarRef::Global(global) => {
                self.lower.watch.is_some() && self.lower.watched.contains(&global)
            }
            VarRef::Local(_) => false,
        }
    }

    /// Looks for a thread that is about to access an object that is given back.
    pub(super) fn look_before_free(
        &mut self,
        base: u64,
        pool: super::memory::Pool,
        object: &selvedge_program::Expr,
        span: Span,
    ) {
        let Some((watch, _)) = self.lower.watch else { return };
        let ty = self.pointer_type();
        let note = read(place(VarRef::Global(watch), Vec::new(), &ty, span));
        let stride = super::arithmetic::int(pool.stride, &ty);
        let first = binary(
            BinaryOp::Mul,
            super::arithmetic::convert(object.clone(), &ty),
            stride.clone(),
            span,
        );
        let first = binary(BinaryOp::Add, first, super::arithmetic::int(base, &ty), span);
        // Below the object it wraps around.
        let inside = binary(BinaryOp::Lt, binary(BinaryOp::Sub, note, first, span), stride, span);
        let reason = "data race: an object is freed while another thread accesses it".to_owned();
        self.lower.program.reasons.insert(span, reason);
        self.emit(StmtKind::Assert(negate(inside)), span);
    }

    fn name_of(&self, place: &Place) -> &str {
        match place.var {
            VarRef::Global(global) => &self.lower.program.globals[global.index()].name,
            VarRef::Local(_) => "a local variable",
        }
    }

    /// Makes an access, in one step, and looks for a race.
    pub(super) fn touch(&mut self, at: &At, touch: Touch, span: Span, act: impl FnOnce(&mut Self)) {
        let (Some((watch, writes)), Some(address)) = (self.lower.watch, &at.address) else {
            return act(self);
        };
        if !self.is_watched(&at.place) {
            return act(self);
        }
        let address = self.simple(address.clone(), span);
        let note = place(VarRef::Global(watch), Vec::new(), &address.ty, span);
        let note_writes = place(VarRef::Global(writes), Vec::new(), &Type::Bool, span);
        let same = binary(BinaryOp::Eq, read(note.clone()), address.clone(), span);
        let conflict = match touch.writes {
            true => same,
            false => binary(BinaryOp::And, same, read(note_writes.clone()), span),
        };
        let look = StmtKind::Assert(negate(conflict));
        let reason =
            format!("data race: `{}` is accessed by two threads at once", self.name_of(&at.place));
        self.lower.program.reasons.insert(span, reason);
        if self.atomic {
            self.emit(look, span);
            return act(self);
        }
        let access = self.collect(|fun| {
            fun.section(span, |fun| {
                fun.emit(look, span);
                act(fun);
            });
        });
        if touch.atomic {
            return self.append(access);
        }
        let wait = self.collect(|fun| {
            let nobody = binary(
                BinaryOp::Eq,
                read(note.clone()),
                constant(Value::Small(0), &address.ty),
                span,
            );
            fun.section(span, |fun| {
                fun.emit(StmtKind::Assume(nobody), span);
                let (targets, values) =
                    (vec![note, note_writes], vec![address, truth(touch.writes)]);
                fun.emit(StmtKind::Assign { targets, values, constrain: None }, span);
            });
            fun.stop(span);
        });
        self.emit(StmtKind::Choose(vec![access, wait]), span);
    }
}

/// Objects that no two threads access at once: never written while there is more than one thread, or within reach of only one.
pub(super) fn quiet<'u>(unit: &'u Unit, points: &mut Points<'u>) -> BTreeSet<Target> {
    let mut accesses = Accesses {
        unit,
        points,
        by: BTreeMap::new(),
        written: BTreeSet::new(),
        root: 0,
        seen: BTreeSet::new(),
    };
    let main = unit.functions.iter().position(|f| f.name == "main").map(|n| FunctionId(n as u32));
    let started: Vec<FunctionId> = accesses.points.started.iter().copied().collect();
    let alone = single::single(unit, accesses.points);
    // The first statements of `main`, before it starts a thread, are before all others.
    if let Some(main) = main {
        let body = unit.functions[main.index()].body.as_deref().unwrap_or_default();
        let first = body
            .iter()
            .position(|statement| accesses.may_start(statement, main))
            .unwrap_or(body.len());
        accesses.root = 1;
        accesses.block(main, &body[first..]);
    }
    for (number, &function) in started.iter().enumerate() {
        // Twice, where there may be two of them.
        let copies = if alone.contains(&function) { 1 } else { 2 };
        for copy in 0..copies {
            accesses.root = 2 + number * 2 + copy;
            accesses.seen.clear();
            accesses.function(function);
        }
    }
    let Accesses { by, written, .. } = accesses;
    by.into_iter()
        .filter(|(target, roots)| roots.len() <= 1 || !written.contains(target))
        .map(|(target, _)| target)
        .collect()
}

/// Collects which threads access what.
struct Accesses<'p, 'u> {
    unit: &'u Unit,
    points: &'p mut Points<'u>,
    by: BTreeMap<Target, BTreeSet<usize>>,
    written: BTreeSet<Target>,
    root: usize,
    seen: BTreeSet<FunctionId>,
}

impl<'u> Accesses<'_, 'u> {
    fn function(&mut self, function: FunctionId) {
        if self.seen.insert(function) {
            let unit = self.unit;
            self.block(
                function,
                unit.functions[function.index()].body.as_deref().unwrap_or_default(),
            );
        }
    }

    fn block(&mut self, at: FunctionId, block: &'u [Stmt]) {
        single::each_declared(block, &mut |local, _| {
            let target = Target::Local(at, local);
            self.by.entry(target).or_default().insert(self.root);
            self.written.insert(target);
        });
        for statement in block {
            single::each_part(statement, false, &mut |expr, _| self.expr(at, expr));
        }
    }

    /// Whether a statement of `main` may start a thread, in itself or in what it calls.
    fn may_start(&mut self, statement: &'u Stmt, main: FunctionId) -> bool {
        let mut work = Vec::new();
        let mut starts = false;
        let unit = self.unit;
        let mut look = |at: FunctionId,
                        statement: &'u Stmt,
                        work: &mut Vec<FunctionId>,
                        points: &mut Points<'u>| {
            single::each_part(statement, false, &mut |expr, _| {
                single::each_call(expr, false, &mut |callee, _, _| match callee {
                    Callee::Direct(function) => {
                        let name = unit.functions[function.index()].name.as_str();
                        starts |= matches!(name, "pthread_create" | "thrd_create");
                        work.push(*function);
                    }
                    Callee::Pointer(pointer) => {
                        for target in points.expr(Some(at), pointer) {
                            if let Target::Function(function) = target {
                                work.push(function);
                            }
                        }
                    }
                    Callee::Builtin(_) => {}
                });
            });
        };
        look(main, statement, &mut work, self.points);
        let mut seen = BTreeSet::new();
        while let Some(function) = work.pop() {
            if seen.insert(function) {
                for statement in unit.functions[function.index()].body.iter().flatten() {
                    look(function, statement, &mut work, self.points);
                }
            }
        }
        starts
    }

    fn touched(&mut self, at: FunctionId, lvalue: &'u Lvalue, writes: bool) {
        if matches!(lvalue.ty, CType::Opaque(_)) {
            return;
        }
        for target in self.points.places(Some(at), lvalue) {
            self.by.entry(target).or_default().insert(self.root);
            if writes {
                self.written.insert(target);
            }
        }
    }

    fn lvalue(&mut self, at: FunctionId, lvalue: &'u Lvalue) {
        match &lvalue.kind {
            LvalueKind::Local(_) | LvalueKind::Object(_) => {}
            LvalueKind::Deref(e) | LvalueKind::Temporary(e) => self.expr(at, e),
            LvalueKind::Member(inner, ..) => self.lvalue(at, inner),
            LvalueKind::Element(inner, index) => {
                self.lvalue(at, inner);
                self.expr(at, index);
            }
        }
    }

    fn expr(&mut self, at: FunctionId, expr: &'u Expr) {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Floating(_)
            | ExprKind::Function(_)
            | ExprKind::Unsupported(_) => {}
            ExprKind::Load(lvalue) => {
                self.lvalue(at, lvalue);
                self.touched(at, lvalue, false);
            }
            ExprKind::Address(lvalue) => self.lvalue(at, lvalue),
            ExprKind::Unary(_, e) | ExprKind::Not(e) | ExprKind::Convert(e) => self.expr(at, e),
            ExprKind::Arithmetic(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::Offset(a, b)
            | ExprKind::Difference(a, b, _)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::Elvis(a, b)
            | ExprKind::Comma(a, b) => {
                self.expr(at, a);
                self.expr(at, b);
            }
            ExprKind::Conditional(a, b, c) => {
                self.expr(at, a);
                self.expr(at, b);
                self.expr(at, c);
            }
            ExprKind::Assign(place, value) | ExprKind::AssignWith { place, value, .. } => {
                self.lvalue(at, place);
                self.expr(at, value);
                self.touched(at, place, true);
            }
            ExprKind::Call(callee, args) => self.call(at, callee, args),
            ExprKind::Statement(block, value) => {
                self.block(at, block);
                value.iter().for_each(|value| self.expr(at, value));
            }
        }
    }

    fn call(&mut self, at: FunctionId, callee: &'u Callee, args: &'u [Expr]) {
        args.iter().for_each(|arg| self.expr(at, arg));
        let unit = self.unit;
        let mut called = Vec::new();
        let mut library = None;
        match callee {
            Callee::Direct(function) => called.push(*function),
            Callee::Pointer(pointer) => {
                self.expr(at, pointer);
                for target in self.points.expr(Some(at), pointer) {
                    if let Target::Function(function) = target {
                        called.push(function);
                    }
                }
            }
            Callee::Builtin(name) => library = Some(name.as_str()),
        }
        for function in called {
            let declared = &unit.functions[function.index()];
            match declared.body.is_some() {
                true => self.function(function),
                false => library = Some(&declared.name),
            }
        }
        let Some(name) = library else { return };
        if name.ends_with("once") {
            for target in args.get(1).map(|arg| self.points.expr(Some(at), arg)).unwrap_or_default()
            {
                if let Target::Function(function) = target {
                    self.function(function);
                }
            }
        }
        // Whatever the library is given to look at, it may write.
        for (number, arg) in args.iter().enumerate() {
            let targets = match direct_address(arg) {
                Some(lvalue) => self.points.places(Some(at), lvalue),
                None => self.points.expr(Some(at), arg),
            };
            if name.starts_with("pthread_") && is_followed_at_once(name, number) && number != 1 {
                continue;
            }
            for target in targets {
                self.by.entry(target).or_default().insert(self.root);
                self.written.insert(target);
            }
        }
    }
}
