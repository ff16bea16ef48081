//! # Statements
//! Loops, `switch` and `goto` become tests and jumps.

use std::collections::BTreeMap;

use selvedge_program::{BinaryOp, Expr, Span, StmtKind as Kind, Type};

use super::access::{Access, adapt};
use super::arithmetic::{binary, int};
use super::function::Fun;
use super::visit::{each_call, each_part};
use super::{Cell, Role};
use crate::c::typed::{self as c, Stmt, StmtKind};
use crate::c::types::Type as CType;

impl<'u> Fun<'_, 'u> {
    pub(super) fn statements(&mut self, block: &'u [Stmt]) {
        for statement in block {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &'u Stmt) {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Expr(e) => self.effect(e),
            StmtKind::Declare(local, parts) => self.declare(*local, parts.as_deref(), span),
            StmtKind::Block(block) => self.scope(block),
            StmtKind::If(cond, a, b) => {
                let cond = self.test(cond);
                let before = self.atomic;
                self.branch_whole(cond, span, a, b);
                // A jump into a block brings what it is.
                self.atomic &= before || !has_sections(a) && !has_sections(b);
            }
            StmtKind::While(cond, body) => self.looping(Some(cond), None, body, true, span),
            StmtKind::DoWhile(body, cond) => self.looping(Some(cond), None, body, false, span),
            StmtKind::For { body, .. } if self.bulk_loop(statement, body) => {}
            StmtKind::For { cond, step, body } => {
                self.looping(cond.as_ref(), step.as_ref(), body, true, span);
            }
            StmtKind::Switch(value, body) => self.switch(value, body, span),
            StmtKind::Case(..) | StmtKind::Default => {
                if let Some(cases) = self.cases.last_mut()
                    && !cases.is_empty()
                {
                    let label = cases.remove(0);
                    self.put(label);
                }
            }
            StmtKind::Label(label) => {
                // A jump to this label may come from outside of a section.
                self.atomic = self.role == Role::Atomic;
                if let Some(label) = self.named_label(*label) {
                    self.put(label);
                }
            }
            StmtKind::Goto(label) => {
                self.forget_entered(statement, *label);
                if let Some(label) = self.named_label(*label) {
                    self.unless_ended(span);
                    self.goto(label, span);
                }
            }
            StmtKind::Break => {
                if let Some(&label) = self.breaks.last() {
                    self.goto(label, span);
                }
            }
            StmtKind::Continue => {
                if let Some(&label) = self.continues.last() {
                    self.goto(label, span);
                }
            }
            StmtKind::Return(value) => self.give(value.as_ref(), span),
            StmtKind::Asm { is_barrier: true } => {}
            StmtKind::Asm { is_barrier: false } => {
                self.limit(span, "instructions of the machine (`asm`)".to_owned());
            }
        }
    }

    /// A branch that keeps both blocks, where one of them may be jumped into.
    fn branch_whole(&mut self, cond: Expr, span: Span, a: &'u [Stmt], b: &'u [Stmt]) {
        if !has_labels(a) && !has_labels(b) {
            return self.branch(cond, span, |fun| fun.scope(a), |fun| fun.scope(b));
        }
        let then = self.collect(|fun| fun.scope(a));
        let otherwise = self.collect(|fun| fun.scope(b));
        self.emit(Kind::If { cond: selvedge_program::Cond::Expr(cond), then, otherwise }, span);
    }

    fn looping(
        &mut self,
        cond: Option<&'u c::Expr>,
        step: Option<&'u c::Expr>,
        body: &'u [Stmt],
        test_first: bool,
        span: Span,
    ) {
        let (head, next, end) = (self.label("loop"), self.label("next"), self.label("end"));
        let test = |fun: &mut Self| {
            if let Some(cond) = cond {
                let at = cond.span;
                let cond = fun.test(cond);
                fun.branch(cond, at, |_| {}, |fun| fun.goto(end, at));
            }
        };
        if has_sections(body) {
            self.atomic = self.role == Role::Atomic;
        }
        self.put(head);
        if test_first {
            test(self);
        }
        self.breaks.push(end);
        self.continues.push(next);
        self.scope(body);
        self.breaks.pop();
        self.continues.pop();
        self.put(next);
        if !test_first {
            test(self);
        }
        if let Some(step) = step {
            self.effect(step);
        }
        self.unless_ended(span);
        self.goto(head, span);
        self.put(end);
        if has_sections(body) {
            self.atomic = self.role == Role::Atomic;
        }
    }

    fn switch(&mut self, value: &'u c::Expr, body: &'u [Stmt], span: Span) {
        let is_vague = self.is_vague(value);
        let value = self.scalar(value);
        let value = self.simple(value, span);
        self.forget_passed_over(body, &is_case);
        let mut found = Vec::new();
        cases(body, &mut found);
        let end = self.label("end");
        let labels: Vec<_> = found.iter().map(|_| self.label("case")).collect();
        let mut default = end;
        if is_vague {
            // Any of them, or none.
            let all = labels.iter().chain([&end]).copied().collect();
            self.emit(Kind::Goto(all), span);
        }
        for (case, &label) in found.iter().zip(&labels) {
            let Some((from, to)) = *case else {
                default = label;
                continue;
            };
            let cond = match from == to {
                true => binary(BinaryOp::Eq, value.clone(), int(from, &value.ty), span),
                false => {
                    let low = binary(BinaryOp::Le, int(from, &value.ty), value.clone(), span);
                    let high = binary(BinaryOp::Le, value.clone(), int(to, &value.ty), span);
                    binary(BinaryOp::And, low, high, span)
                }
            };
            self.branch(cond, span, |fun| fun.goto(label, span), |_| {});
        }
        self.goto(default, span);
        self.cases.push(labels);
        self.breaks.push(end);
        self.atomic = self.role == Role::Atomic || self.atomic && !has_sections(body);
        self.scope(body);
        self.breaks.pop();
        self.cases.pop();
        self.put(end);
    }

    pub(super) fn declare(&mut self, local: c::LocalId, parts: Option<&'u [c::Part]>, span: Span) {
        let Some(home) = self.homes.get(&local).cloned() else { return };
        let ty = &self.lower.unit.functions[self.id.index()].locals[local.index()].ty;
        let access = Access::Named {
            strides: home.stored.pool.iter().map(|pool| pool.stride).collect(),
            stored: home.stored,
            way: Vec::new(),
            indices: home.object.into_iter().collect(),
            offset: 0,
        };
        let cells = self.lower.cells(ty);
        for lock in cells.iter().filter(|cell| cell.ty == Type::Lock) {
            let lock = self.cell(&access, lock);
            if let Access::Named { stored, way, indices, .. } = lock
                && let Some((leaf, var)) = stored.leaf(&way)
            {
                self.check_free(&super::memory::place(*var, indices, &leaf.ty, span), span);
            }
        }
        let Some(parts) = parts else {
            // A variable that comes to life again holds nothing of what it held before.
            for cell in &cells {
                if !matches!(cell.ty, Type::Lock | Type::ThreadId)
                    && !matches!(cell.c, CType::Opaque(_))
                {
                    let value = Fun::any(&cell.ty, span);
                    self.store_cell(&access, cell, &value, span);
                }
            }
            return;
        };
        let covers = |part: &c::Part, offset: u64, types: &crate::c::types::Types| {
            let size = types.size(&part.value.ty).unwrap_or(1);
            (part.offset..part.offset + size).contains(&offset)
        };
        // The same, unless an initialiser looks at the variable itself.
        for cell in &cells {
            let types = self.lower.shapes.types;
            if !parts.iter().any(|part| covers(part, cell.offset, types)) && cell.ty != Type::Lock {
                let value = Fun::nothing(&cell.ty);
                self.store_cell(&access, cell, &value, span);
            }
        }
        // A value for a range of elements, `[0 ... 3] = e`, is that of several parts, and is computed once.
        let mut once: BTreeMap<Span, Vec<Expr>> = BTreeMap::new();
        let mut uses: BTreeMap<Span, usize> = BTreeMap::new();
        for part in parts.iter().filter(|part| !matches!(part.value.kind, c::ExprKind::Int(_))) {
            *uses.entry(part.value.span).or_default() += 1;
        }
        for part in parts {
            let is_shared = uses.get(&part.value.span).is_some_and(|uses| *uses > 1)
                && !matches!(part.value.kind, c::ExprKind::Int(_));
            if is_shared && let Some(values) = once.get(&part.value.span) {
                let values = values.clone();
                self.fill(&access, &cells, part, values, span);
                continue;
            }
            let mut values = match part.value.ty {
                CType::Record(_) => self.record(&part.value),
                CType::Floating(_) => {
                    self.effect(&part.value);
                    Vec::new()
                }
                _ if self.is_vague(&part.value) => {
                    self.effect(&part.value);
                    let ty = self.type_of(&part.value.ty, span);
                    vec![Fun::nothing(&ty)]
                }
                _ => vec![self.scalar(&part.value)],
            };
            if is_shared {
                values = values.into_iter().map(|value| self.simple(value, span)).collect();
                once.insert(part.value.span, values.clone());
            }
            self.fill(&access, &cells, part, values, span);
        }
    }

    /// Gives a part of a variable its first values.
    fn fill(
        &mut self,
        access: &Access,
        cells: &[Cell],
        part: &c::Part,
        values: Vec<Expr>,
        span: Span,
    ) {
        let inner = self.lower.cells(&part.value.ty);
        for (value, inner) in values.into_iter().zip(inner) {
            let at = part.offset + inner.offset;
            if let Some(cell) = cells.iter().find(|cell| cell.offset == at)
                && cell.ty != Type::Lock
            {
                let value = adapt(value, &cell.ty);
                self.store_cell(access, cell, &value, span);
            }
            // The kind of a mutex is put where it starts; its owner is nobody.
            if self.lower.shapes.knows_owners
                && cells.iter().any(|cell| cell.offset == at && cell.ty == Type::Lock)
            {
                let kind = super::threads::kind_of(&part.value).unwrap_or(0);
                for (value, beside) in [kind, 0, 0].into_iter().zip(1..) {
                    if let Some(cell) = cells.iter().find(|cell| cell.offset == at + beside) {
                        self.store_cell(access, cell, &int(value, &cell.ty), span);
                    }
                }
            }
        }
    }

    /// Lowers a return with a value.
    fn give(&mut self, value: Option<&'u c::Expr>, span: Span) {
        let values = match value {
            Some(value) if matches!(value.ty, CType::Record(_)) => self.record(value),
            Some(value) if matches!(value.ty, CType::Void | CType::Floating(_)) => {
                self.effect(value);
                Vec::new()
            }
            Some(value) if self.is_vague(value) => {
                self.effect(value);
                let ty = self.type_of(&value.ty, span);
                vec![Fun::nothing(&ty)]
            }
            Some(value) => vec![self.scalar(value)],
            None => Vec::new(),
        };
        let values: Vec<Expr> =
            values.into_iter().map(|value| self.local_value(value, span)).collect();
        if matches!(self.role, Role::Main | Role::Thread) {
            self.discard(values.clone(), span);
        }
        if self.role == Role::Thread {
            self.keep_result(values.first().cloned(), span);
        }
        self.give_values(values, false, span);
    }

    /// Returns with values, and says whether the thread is to end.
    pub(super) fn give_values(&mut self, values: Vec<Expr>, ends: bool, span: Span) {
        match self.role {
            Role::Main if !ends => {
                // Returns are calls of `exit` then, but for those inside of expressions.
                if super::around::runs_at_exit(self.lower.unit) {
                    let reason = "a return of `main` inside of an expression, where functions are called at the end of the program";
                    self.limit(span, reason.to_owned());
                }
                self.free_locals(span);
                self.stop(span);
            }
            Role::Main | Role::Thread => {
                if self.role == Role::Main && super::around::runs_at_exit(self.lower.unit) {
                    let reason = "an end of `main` after which other threads go on, where functions are called at the end of the program";
                    self.limit(span, reason.to_owned());
                }
                self.free_locals(span);
                self.end_thread(span);
                self.emit(Kind::Return(Vec::new()), span);
            }
            Role::Call | Role::Atomic => {
                if self.atomic && self.role == Role::Call {
                    let reason =
                        "a function that returns inside of an atomic section that it began";
                    self.limit(span, reason.to_owned());
                }
                let declared = &self.lower.unit.functions[self.id.index()];
                let types = self.lower.cell_types(&declared.result);
                let mut results: Vec<Expr> = Vec::new();
                let mut values = values.into_iter();
                for ty in &types {
                    // Who comes to the end without a value gives any.
                    let none = || if ends { Fun::nothing(ty) } else { Fun::any(ty, span) };
                    results.push(adapt(values.next().unwrap_or_else(none), ty));
                }
                if self.lower.exits.contains(&self.id) {
                    results.push(selvedge_program::make::truth(ends));
                }
                self.free_locals(span);
                self.emit(Kind::Return(results), span);
            }
        }
    }

    /// Ends the thread, from wherever it is.
    pub(super) fn exit_thread(&mut self, span: Span) {
        self.give_values(Vec::new(), true, span);
    }

    /// Lowers the end of a function's text.
    pub(super) fn leave_at_end(&mut self, function: &'u c::Function) {
        let end = Span { start: function.span.end, end: function.span.end };
        self.give_values(Vec::new(), false, end);
    }

    /// Gives back the objects of local variables that are in pools.
    fn free_locals(&mut self, span: Span) {
        let pooled: Vec<_> = (self.homes.values())
            .filter_map(|home| Some((home.stored.clone(), home.object.clone()?)))
            .collect();
        for (stored, object) in pooled {
            self.free_object(&stored, &object, span);
        }
        self.free_all_varying(span);
    }
}

/// The cases of a `switch`, those of inner ones left out; nothing for `default`.
fn cases(block: &[Stmt], found: &mut Vec<Option<(i128, i128)>>) {
    for statement in block {
        match &statement.kind {
            StmtKind::Case(from, to) => found.push(Some((*from, *to))),
            StmtKind::Default => found.push(None),
            StmtKind::Block(block) | StmtKind::While(_, block) | StmtKind::DoWhile(block, _) => {
                cases(block, found);
            }
            StmtKind::For { body, .. } => cases(body, found),
            StmtKind::If(_, a, b) => {
                cases(a, found);
                cases(b, found);
            }
            _ => {}
        }
    }
}

pub(super) fn any_statement(block: &[Stmt], test: &dyn Fn(&StmtKind) -> bool) -> bool {
    block.iter().any(|statement| {
        test(&statement.kind)
            || match &statement.kind {
                StmtKind::Block(block)
                | StmtKind::While(_, block)
                | StmtKind::DoWhile(block, _)
                | StmtKind::Switch(_, block) => any_statement(block, test),
                StmtKind::For { body, .. } => any_statement(body, test),
                StmtKind::If(_, a, b) => any_statement(a, test) || any_statement(b, test),
                _ => false,
            }
    })
}

fn has_labels(block: &[Stmt]) -> bool {
    any_statement(block, &|kind| matches!(kind, StmtKind::Label(_)) || is_case(kind))
}

fn is_case(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::Case(..) | StmtKind::Default)
}

/// Whether statements may begin or end an atomic section: any call of something that is not known may.
fn has_sections(block: &[Stmt]) -> bool {
    let calls = |expr: &c::Expr| {
        let mut any = false;
        super::visit::each_call(expr, false, &mut |_, _, _| any = true);
        any
    };
    let mut any = false;
    for statement in block {
        super::visit::each_part(statement, false, &mut |expr, _| any |= calls(expr));
    }
    any
}

/// Whether a function begins an atomic section somewhere.
pub(super) fn begins_sections(unit: &c::Unit, function: &c::Function) -> bool {
    let mut found = false;
    for statement in function.body.iter().flatten() {
        each_part(statement, false, &mut |expr, _| {
            each_call(expr, false, &mut |callee, _, _| {
                found |= matches!(callee, c::Callee::Direct(callee)
                    if unit.functions[callee.index()].name == "__VERIFIER_atomic_begin");
            });
        });
    }
    found
}
