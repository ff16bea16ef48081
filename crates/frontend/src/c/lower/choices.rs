//! # Values from outside
//!
//! **Question.** `__VERIFIER_nondet_int()` gives one of 2³² values. Which of them need a look?
//!
//! **Idea.** A value that is only copied, and compared with constants, is known by the answers to these comparisons. So one value for
//! each of the intervals between the constants is enough: the constants themselves, one between each two, one below all and
//! one above.
//!
//! **Claim.** Let a value be stored, passed, returned and converted to a type that keeps all its values apart, and otherwise only be tested: against
//! constants, by `switch`, or for being 0. Then the runs with any value are those with the values here, but for the value itself: two values
//! with the same answers to all tests that can ever be made lead to the same steps. A value that is also read with another sign, by a
//! conversion or through memory, has one half of its values moved by a power of two: the constants are moved as well, and the
//! borders between the halves are constants, too.
//!
//! **Otherwise** (arithmetic, an index, a comparison with another variable) the value stays open, and is chosen when it is read.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_program::Span;

use super::heap::each_expr;
use super::points::{Points, Target};
use super::single::each_part;
use crate::c::typed::*;
use crate::c::types::Type;

/// What has to be known of values from outside.
#[derive(Debug, Default)]
pub(super) struct Choices {
    /// The constants that the value of a call is compared with.
    constants: BTreeMap<Span, BTreeSet<i128>>,
    /// Calls whose values are used in other ways.
    open: BTreeSet<Span>,
    /// Calls whose values are also read as values of another sign.
    mixed: BTreeSet<Span>,
    /// Calls with too many values to list, and loops that count as long as such a value says.
    vague: BTreeSet<Span>,
}

impl Choices {
    /// Looks at all uses of values from outside.
    pub(super) fn new<'u>(unit: &'u Unit, points: &mut Points<'u>) -> Self {
        let types = BTreeMap::new();
        let mut look = Look { unit, points, found: Choices::default(), at: FunctionId(0), types };
        for function in &unit.functions {
            for statement in function.body.iter().flatten() {
                each_part(statement, false, &mut |expr, _| {
                    each_expr(expr, &mut |expr| {
                        if let ExprKind::Call(..) = expr.kind {
                            look.types.insert(expr.span, expr.ty.clone());
                        }
                    });
                });
            }
        }
        loop {
            for (number, function) in unit.functions.iter().enumerate() {
                look.at = FunctionId(number as u32);
                look.block(function.body.as_deref().unwrap_or_default());
            }
            let wide = |call: &&Span| match look.types.get(*call) {
                Some(Type::Int { bits, .. }) => *bits > 8,
                _ => false,
            };
            let wide: Vec<Span> = look.found.open.iter().filter(wide).copied().collect();
            look.found.vague.extend(wide);
            if !look.widen_loops() {
                return look.found;
            }
        }
    }

    /// Whether the value of a call is one that nothing is known of.
    pub(super) fn is_vague(&self, call: Span) -> bool {
        self.vague.contains(&call)
    }

    /// Some values of a call: the smallest, the largest, and those around 0 and the constants that it is compared with.
    pub(super) fn samples(&self, call: Span, from: i128, to: i128) -> Vec<i128> {
        let constants = self.constants.get(&call).into_iter().flatten();
        let near = constants.flat_map(|&constant| [constant - 1, constant, constant + 1]);
        let mut values: BTreeSet<i128> =
            [from, -1, 0, 1, 2, 3, to].into_iter().chain(near).collect();
        values.retain(|value| (from..=to).contains(value));
        values.into_iter().take(MOST_SAMPLES).collect()
    }

    /// The values of a call that are enough, if they are from one number to another; nothing if all of them may matter.
    pub(super) fn enough(&self, call: Span, from: i128, to: i128) -> Option<Vec<i128>> {
        if self.open.contains(&call) {
            return None;
        }
        let mut constants = self.constants.get(&call).cloned().unwrap_or_default();
        if self.mixed.contains(&call) {
            // A change of the sign moves one half of the values by a power of two, and each may be followed by another.
            let powers = [8, 16, 32, 64].map(|bits| 1_i128 << bits);
            constants.insert(0);
            constants.extend(powers.map(|power| power / 2));
            for _ in 0..2 {
                let moved: Vec<i128> = (constants.iter())
                    .flat_map(|constant| powers.map(|power| [constant - power, constant + power]))
                    .flatten()
                    .collect();
                constants.extend(moved);
            }
        }
        let mut values = BTreeSet::new();
        for constant in constants {
            values.extend(
                [constant.checked_sub(1), Some(constant), constant.checked_add(1)]
                    .into_iter()
                    .flatten(),
            );
        }
        let within: Vec<i128> =
            values.into_iter().filter(|value| (from..=to).contains(value)).collect();
        if within.is_empty() { Some(vec![0.clamp(from, to)]) } else { Some(within) }
    }
}

/// More values than this are not tried where all cannot be.
const MOST_SAMPLES: usize = 12;

struct Look<'p, 'u> {
    unit: &'u Unit,
    points: &'p mut Points<'u>,
    found: Choices,
    at: FunctionId,
    /// The types of the results of calls.
    types: BTreeMap<Span, Type>,
}

impl<'u> Look<'_, 'u> {
    fn block(&mut self, block: &'u [Stmt]) {
        for statement in block {
            self.tests(statement);
            each_part(statement, false, &mut |expr, _| self.value(expr));
        }
    }

    /// The conditions of statements, inner ones as well; their expressions are seen as values elsewhere.
    fn tests(&mut self, statement: &'u Stmt) {
        let all = |look: &mut Self, block: &'u [Stmt]| block.iter().for_each(|s| look.tests(s));
        match &statement.kind {
            StmtKind::Block(block) => all(self, block),
            StmtKind::If(cond, a, b) => {
                self.tested(cond);
                all(self, a);
                all(self, b);
            }
            StmtKind::While(cond, body) | StmtKind::DoWhile(body, cond) => {
                self.tested(cond);
                all(self, body);
            }
            StmtKind::For { cond, body, .. } => {
                cond.iter().for_each(|cond| self.tested(cond));
                all(self, body);
            }
            StmtKind::Switch(value, body) => {
                let mut borders = Vec::new();
                cases(body, &mut borders);
                for border in borders {
                    self.compared(value, border);
                }
                all(self, body);
            }
            _ => {}
        }
    }

    /// What a loop counts whose end depends on a value that nothing is known of may be anything, too. Says whether there is more of
    /// that than before.
    fn widen_loops(&mut self) -> bool {
        let unit = self.unit;
        let before = self.found.vague.len();
        for (number, function) in unit.functions.iter().enumerate() {
            self.at = FunctionId(number as u32);
            let mut loops = Vec::new();
            each_loop(function.body.as_deref().unwrap_or_default(), &mut loops);
            for (statement, cond, step, body) in loops {
                let mut is_vague = false;
                each_expr(cond, &mut |inner| {
                    is_vague |=
                        self.carried(inner).iter().any(|call| self.found.vague.contains(call));
                });
                if !is_vague || self.found.vague.contains(&statement.span) {
                    continue;
                }
                let mut counted = Vec::new();
                let mut see = |expr: &'u Expr| {
                    each_expr(expr, &mut |inner| {
                        if let ExprKind::AssignWith { place, .. } = &inner.kind {
                            counted.push(&**place);
                        }
                    });
                };
                step.into_iter().for_each(&mut see);
                for inner in body {
                    each_part(inner, false, &mut |expr, _| see(expr));
                }
                self.found.vague.insert(statement.span);
                self.found.open.insert(statement.span);
                for place in counted {
                    let targets = self.points.places(Some(self.at), place);
                    self.points.widen(targets, Target::Choice(statement.span));
                }
            }
        }
        self.found.vague.len() > before
    }

    /// The calls whose values an expression may have.
    fn carried(&mut self, expr: &'u Expr) -> Vec<Span> {
        let targets = self.points.expr(Some(self.at), expr);
        let choice = |target| match target {
            Target::Choice(call) => Some(call),
            _ => None,
        };
        targets.into_iter().filter_map(choice).collect()
    }

    fn opened(&mut self, expr: &'u Expr) {
        let calls = self.carried(expr);
        self.found.open.extend(calls);
    }

    /// A value is held against a constant.
    fn compared(&mut self, expr: &'u Expr, constant: i128) {
        for call in self.carried(expr) {
            self.found.constants.entry(call).or_default().insert(constant);
        }
    }

    /// A value is read from memory, perhaps by another type than it was written by.
    fn read_as(&mut self, expr: &'u Expr) {
        for call in self.carried(expr) {
            let keeps = match (self.types.get(&call), &expr.ty) {
                (
                    Some(Type::Int { bits: from, signed: a, .. }),
                    Type::Int { bits: to, signed: b, .. },
                ) => a == b && from <= to || !a && *b && from < to,
                (_, Type::Bool) | (Some(Type::Bool), _) => true,
                _ => false,
            };
            if !keeps {
                self.found.mixed.insert(call);
            }
        }
    }

    /// An expression is compared with 0.
    fn tested(&mut self, expr: &'u Expr) {
        match &expr.kind {
            ExprKind::Not(inner) => self.tested(inner),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.tested(a);
                self.tested(b);
            }
            ExprKind::Compare(..) => {}
            _ => self.compared(expr, 0),
        }
    }

    /// Looks at what an expression does with values inside of it.
    fn value(&mut self, expr: &'u Expr) {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Floating(_)
            | ExprKind::Function(_)
            | ExprKind::Unsupported(_) => {}
            ExprKind::Load(lvalue) => {
                self.read_as(expr);
                self.lvalue(lvalue);
            }
            ExprKind::Address(lvalue) => self.lvalue(lvalue),
            ExprKind::Unary(_, inner) => {
                self.opened(inner);
                self.value(inner);
            }
            ExprKind::Not(inner) => {
                self.tested(inner);
                self.value(inner);
            }
            ExprKind::Convert(inner) => {
                self.converted(expr, inner);
                self.value(inner);
            }
            ExprKind::Arithmetic(_, a, b)
            | ExprKind::Offset(a, b)
            | ExprKind::Difference(a, b, _) => {
                self.opened(a);
                self.opened(b);
                self.value(a);
                self.value(b);
            }
            ExprKind::Compare(_, a, b) => {
                match (constant(a), constant(b)) {
                    (_, Some(value)) => self.compared(a, value),
                    (Some(value), _) => self.compared(b, value),
                    (None, None) => {
                        self.opened(a);
                        self.opened(b);
                    }
                }
                self.value(a);
                self.value(b);
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.tested(a);
                self.tested(b);
                self.value(a);
                self.value(b);
            }
            ExprKind::Elvis(a, b) => {
                self.tested(a);
                self.value(a);
                self.value(b);
            }
            ExprKind::Conditional(cond, a, b) => {
                self.tested(cond);
                [cond, a, b].into_iter().for_each(|e| self.value(e));
            }
            ExprKind::Comma(a, b) => {
                self.value(a);
                self.value(b);
            }
            ExprKind::Assign(place, value) => {
                self.lvalue(place);
                self.value(value);
            }
            ExprKind::AssignWith { place, value, .. } => {
                let held = self.points.places(Some(self.at), place);
                let held = held.into_iter().flat_map(|target| self.points.held(target));
                let calls: Vec<Span> = held
                    .filter_map(|target| match target {
                        Target::Choice(call) => Some(call),
                        _ => None,
                    })
                    .collect();
                self.found.open.extend(calls);
                self.opened(value);
                self.lvalue(place);
                self.value(value);
            }
            ExprKind::Call(callee, args) => self.call(callee, args),
            ExprKind::Statement(block, value) => {
                self.block(block);
                value.iter().for_each(|value| self.value(value));
            }
        }
    }

    fn lvalue(&mut self, lvalue: &'u Lvalue) {
        match &lvalue.kind {
            LvalueKind::Local(_) | LvalueKind::Object(_) => {}
            LvalueKind::Deref(e) => {
                // An address that is a value from outside.
                self.opened(e);
                self.value(e);
            }
            LvalueKind::Temporary(e) => self.value(e),
            LvalueKind::Member(inner, ..) => self.lvalue(inner),
            LvalueKind::Element(inner, index) => {
                self.opened(index);
                self.value(index);
                self.lvalue(inner);
            }
        }
    }

    /// A conversion keeps values apart if it has room for all of them.
    fn converted(&mut self, expr: &'u Expr, inner: &'u Expr) {
        let calls = self.carried(inner);
        if calls.is_empty() {
            return;
        }
        match (&inner.ty, &expr.ty) {
            (_, Type::Bool) => self.compared(inner, 0),
            (_, Type::Void | Type::Floating(_)) | (Type::Bool, Type::Int { .. }) => {}
            (Type::Int { bits: from, signed: a, .. }, Type::Int { bits: to, signed: b, .. })
                if to >= from =>
            {
                if a != b {
                    self.found.mixed.extend(calls);
                }
            }
            _ => self.found.open.extend(calls),
        }
    }

    fn call(&mut self, callee: &'u Callee, args: &'u [Expr]) {
        args.iter().for_each(|arg| self.value(arg));
        if let Callee::Pointer(pointer) = callee {
            self.value(pointer);
        }
        let name = match callee {
            Callee::Builtin(name) => name.as_str(),
            Callee::Direct(function) => {
                let function = &self.unit.functions[function.index()];
                if function.body.is_some() {
                    return;
                }
                function.name.as_str()
            }
            Callee::Pointer(_) => return,
        };
        let only_passes = name.contains("printf")
            || matches!(name, "__VERIFIER_assume" | "exit" | "srand" | "sleep" | "usleep" | "free")
            || name.starts_with("__VERIFIER_nondet")
            || ["__atomic_load", "__atomic_store", "__atomic_exchange", "__builtin_expect"]
                .iter()
                .any(|p| name.starts_with(p));
        for arg in args {
            match name {
                "__VERIFIER_assume" => self.tested(arg),
                _ if only_passes => {}
                _ => self.opened(arg),
            }
        }
        // What is read and changed in one step is more than passed on.
        if name.starts_with("__sync") || name.starts_with("__atomic") && !only_passes {
            for target in
                args.first().map(|arg| self.points.expr(Some(self.at), arg)).unwrap_or_default()
            {
                for held in self.points.held(target) {
                    if let Target::Choice(call) = held {
                        self.found.open.insert(call);
                    }
                }
            }
        }
    }
}

/// The value of a constant, behind conversions that the checker has left.
fn constant(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Convert(inner) if matches!(expr.ty, Type::Int { .. }) => {
            let value = constant(inner)?;
            let Type::Int { bits, signed, .. } = expr.ty else { return None };
            let half = 1_i128 << (bits - 1).min(126);
            let (lo, hi) = if signed { (-half, half - 1) } else { (0, 2 * (half - 1) + 1) };
            (lo..=hi).contains(&value).then_some(value)
        }
        _ => None,
    }
}

/// The borders of the cases of a `switch`, those of inner ones as well.
fn cases(block: &[Stmt], found: &mut Vec<i128>) {
    for statement in block {
        match &statement.kind {
            StmtKind::Case(from, to) => found.extend([*from, *to]),
            StmtKind::Block(block)
            | StmtKind::While(_, block)
            | StmtKind::DoWhile(block, _)
            | StmtKind::Switch(_, block)
            | StmtKind::For { body: block, .. } => cases(block, found),
            StmtKind::If(_, a, b) => {
                cases(a, found);
                cases(b, found);
            }
            _ => {}
        }
    }
}

/// A loop with its condition, what it does after each turn, and its body.
type Loop<'u> = (&'u Stmt, &'u Expr, Option<&'u Expr>, &'u [Stmt]);

/// All loops that have conditions, inner ones as well.
fn each_loop<'u>(block: &'u [Stmt], found: &mut Vec<Loop<'u>>) {
    for statement in block {
        match &statement.kind {
            StmtKind::While(cond, body) | StmtKind::DoWhile(body, cond) => {
                found.push((statement, cond, None, body));
                each_loop(body, found);
            }
            StmtKind::For { cond, step, body } => {
                found.extend(
                    cond.as_ref().map(|cond| (statement, cond, step.as_ref(), body.as_slice())),
                );
                each_loop(body, found);
            }
            StmtKind::Block(block) | StmtKind::Switch(_, block) => each_loop(block, found),
            StmtKind::If(_, a, b) => {
                each_loop(a, found);
                each_loop(b, found);
            }
            _ => {}
        }
    }
}
