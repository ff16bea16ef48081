//! # Values from outside that are known all the same
//!
//! **Question.** `x = __VERIFIER_nondet_int(); y = __VERIFIER_nondet_int(); assume(x == 0 && y == x);` asks for two values, and lets one pair of
//! them pass. Who looks at all values of `x` and `y`?
//!
//! **Idea.** Such a call is replaced by what is known of it: the constant, or the variable that it equals; and by 0 where nobody looks (`unread`).
//!
//! **Claim**. Let `main` begin with assignments of constants, of other variables and of values from outside to variables, and with assumptions
//! about these. Nobody else runs meanwhile, and nothing in there can go wrong. A run that gets past an assumption `x == c` has given `x` that value
//! from the start, if nothing else was assigned to it since; one that does not get past it ends there. So the runs that go on are those in which the call gives `c`. For `x == y`
//! the call for the later of the two gives what the earlier one holds.

use std::collections::BTreeMap;

use super::points::{Target, root_local};
use super::unread::unread;
use super::visit::{each_expr, each_part, each_statement, flattened};
use crate::c::typed::*;
use crate::c::types::Type;

/// The unit with these calls replaced; nothing if there are none.
pub(super) fn settle(unit: &Unit, checks_overflow: bool) -> Option<Unit> {
    let mut known = assumed(unit, checks_overflow);
    let unread = unread(unit);
    for (at, function) in ids(unit) {
        each_statement(function.body.as_deref().unwrap_or_default(), &mut |statement| {
            if let Some((var, _)) = opened(unit, at, statement)
                && unread.contains(&var)
            {
                known.entry(id(statement)).or_insert(ExprKind::Int(0));
            }
        });
    }
    if known.is_empty() {
        return None;
    }
    let mut settled = unit.clone();
    for (old, new) in unit.functions.iter().zip(&mut settled.functions) {
        if let (Some(old), Some(new)) = (&old.body, &mut new.body) {
            replace(old, new, &known);
        }
    }
    Some(settled)
}

pub(super) fn ids(unit: &Unit) -> impl Iterator<Item = (FunctionId, &Function)> {
    unit.functions.iter().enumerate().map(|(number, f)| (FunctionId(number as u32), f))
}

/// Puts what is known into the place of the calls, in a copy of the statements.
fn replace(old: &[Stmt], new: &mut [Stmt], known: &ForeseenValues) {
    for (old, new) in old.iter().zip(new) {
        match (&old.kind, &mut new.kind) {
            (StmtKind::Block(old), StmtKind::Block(new))
            | (StmtKind::While(_, old), StmtKind::While(_, new))
            | (StmtKind::DoWhile(old, _), StmtKind::DoWhile(new, _))
            | (StmtKind::Switch(_, old), StmtKind::Switch(_, new))
            | (StmtKind::For { body: old, .. }, StmtKind::For { body: new, .. }) => {
                replace(old, new, known);
            }
            (StmtKind::If(_, old, rest), StmtKind::If(_, new, new_rest)) => {
                replace(old, new, known);
                replace(rest, new_rest, known);
            }
            (_, StmtKind::Declare(_, Some(parts))) => {
                if let (Some(kind), [part]) = (known.get(&id(old)), parts.as_mut_slice()) {
                    part.value.kind = kind.clone();
                }
            }
            (_, StmtKind::Expr(Expr { kind: ExprKind::Assign(_, value), .. })) => {
                if let Some(kind) = known.get(&id(old)) {
                    value.kind = kind.clone();
                }
            }
            _ => {}
        }
    }
}

/// The values that are known beforehand, by the statements that ask for them.
type ForeseenValues = BTreeMap<*const Stmt, ExprKind>;

/// Tells a statement from all others, also from those that were made of the same text.
fn id(statement: &Stmt) -> *const Stmt {
    std::ptr::from_ref(statement)
}

/// The variable that an lvalue is, as a whole.
pub(super) fn variable(at: FunctionId, lvalue: &Lvalue) -> Option<Target> {
    match lvalue.kind {
        LvalueKind::Local(local) => Some(Target::Local(at, local)),
        LvalueKind::Object(object) => Some(Target::Object(object)),
        _ => None,
    }
}

/// The variable of which an lvalue is a part.
pub(super) fn root(at: FunctionId, lvalue: &Lvalue) -> Option<Target> {
    match &lvalue.kind {
        LvalueKind::Object(object) => Some(Target::Object(*object)),
        LvalueKind::Member(inner, ..) | LvalueKind::Element(inner, _) => root(at, inner),
        _ => root_local(lvalue).map(|local| Target::Local(at, local)),
    }
}

/// The name of a function without a body that is called.
fn library<'u>(unit: &'u Unit, expr: &'u Expr) -> Option<(&'u str, &'u [Expr])> {
    match &expr.kind {
        ExprKind::Convert(inner) => library(unit, inner),
        ExprKind::Call(Callee::Builtin(name), args) => Some((name, args)),
        ExprKind::Call(Callee::Direct(function), args) => {
            let function = &unit.functions[function.index()];
            function.body.is_none().then_some((function.name.as_str(), args))
        }
        _ => None,
    }
}

/// The scalar variable to which a statement gives a value from outside, and does nothing else; with the type of the variable.
pub(super) fn opened<'u>(
    unit: &'u Unit,
    at: FunctionId,
    statement: &'u Stmt,
) -> Option<(Target, &'u Type)> {
    let is_outside = |value: &Expr| {
        let call = library(unit, value);
        call.is_some_and(|(name, args)| name.starts_with("__VERIFIER_nondet_") && args.is_empty())
    };
    let found = match &statement.kind {
        StmtKind::Declare(local, Some(parts)) => match parts.as_slice() {
            [part] if part.offset == 0 && is_outside(&part.value) => {
                let ty = &unit.functions[at.index()].locals[local.index()].ty;
                Some((Target::Local(at, *local), ty))
            }
            _ => None,
        },
        StmtKind::Expr(Expr { kind: ExprKind::Assign(place, value), .. }) if is_outside(value) => {
            Some((variable(at, place)?, &place.ty))
        }
        _ => None,
    };
    found.filter(|(_, ty)| bounds(ty).is_some())
}

/// The least and the greatest value of an integer type.
pub(super) fn bounds(ty: &Type) -> Option<(i128, i128)> {
    match super::access::strip(ty) {
        Type::Bool => Some((0, 1)),
        Type::Int { bits, signed, .. } if *bits <= 64 => {
            let half = 1_i128 << (bits - 1);
            Some(if *signed { (-half, half - 1) } else { (0, 2 * half - 1) })
        }
        _ => None,
    }
}

/// What assumptions at the start of `main` say of values from outside, by the statements that ask for them.
fn assumed(unit: &Unit, checks_overflow: bool) -> ForeseenValues {
    let mut known = BTreeMap::new();
    let Some((main, function)) = ids(unit).find(|(_, f)| f.name == "main") else { return known };
    if is_mentioned(unit, main) {
        return known;
    }
    let mut start = Start::of(unit, main, checks_overflow);
    start.follow(function.body.as_deref().unwrap_or_default());
    let Start { open, equal, .. } = start;
    // What equals a constant, directly or by others; then what equals an earlier one.
    let mut constants: BTreeMap<Target, i128> = BTreeMap::new();
    loop {
        let before = constants.len();
        for (var, other) in &equal {
            match other {
                Side::Constant(value) => drop(constants.entry(*var).or_insert(*value)),
                Side::Variable(other) => {
                    for (a, b) in [(var, other), (other, var)] {
                        if let Some(&value) = constants.get(a) {
                            constants.entry(*b).or_insert(value);
                        }
                    }
                }
            }
        }
        if constants.len() == before {
            break;
        }
    }
    let position = |var: &Target| open.iter().position(|open| open.var == *var);
    for (number, Opened { var, statement, ty, .. }) in open.iter().enumerate() {
        let Some((lo, hi)) = bounds(ty) else { continue };
        if let Some(&value) = constants.get(var) {
            if (lo..=hi).contains(&value) {
                known.insert(id(statement), ExprKind::Int(value));
            }
            continue;
        }
        let equals = equal.iter().filter_map(|(a, b)| match b {
            Side::Variable(b) if a == var => Some(b),
            Side::Variable(b) if b == var => Some(a),
            _ => None,
        });
        let earlier = equals.filter(|other| position(other).is_some_and(|other| other < number));
        if let Some(place) = earlier.filter_map(|other| open[position(other)?].place.clone()).next()
            && super::access::strip(&place.ty) == super::access::strip(ty)
        {
            known.insert(id(statement), ExprKind::Load(Box::new(place)));
        }
    }
    known
}

/// Whether a function is called or its address taken.
pub(super) fn is_mentioned(unit: &Unit, wanted: FunctionId) -> bool {
    let mut found = false;
    for function in &unit.functions {
        for statement in function.body.iter().flatten() {
            each_part(statement, false, &mut |expr, _| {
                each_expr(expr, &mut |expr| {
                    found |= match &expr.kind {
                        ExprKind::Function(function) => *function == wanted,
                        ExprKind::Call(Callee::Direct(function), _) => *function == wanted,
                        _ => false,
                    };
                });
            });
        }
    }
    let inits = unit.objects.iter().flat_map(|object| &object.init);
    for part in inits {
        each_expr(&part.value, &mut |expr| {
            found |= matches!(expr.kind, ExprKind::Function(function) if function == wanted);
        });
    }
    found
}

/// A side of an assumed equation.
#[derive(Clone, Copy)]
enum Side {
    Constant(i128),
    Variable(Target),
}

/// A variable that was given a value from outside.
struct Opened<'u> {
    var: Target,
    statement: &'u Stmt,
    ty: &'u Type,
    /// The place from which it is read, if there is one.
    place: Option<Lvalue>,
}

/// The first statements of `main`.
pub(super) struct Start<'u> {
    unit: &'u Unit,
    main: FunctionId,
    checks_overflow: bool,
    /// In the order in which they were given.
    open: Vec<Opened<'u>>,
    equal: Vec<(Target, Side)>,
}

impl<'u> Start<'u> {
    pub(super) fn of(unit: &'u Unit, main: FunctionId, checks_overflow: bool) -> Self {
        Start { unit, main, checks_overflow, open: Vec::new(), equal: Vec::new() }
    }

    /// Goes through statements as far as they are as simple as that; says whether all are.
    fn follow(&mut self, block: &'u [Stmt]) -> bool {
        block.iter().all(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &'u Stmt) -> bool {
        if let Some((var, ty)) = opened(self.unit, self.main, statement) {
            if self.is_assigned(var) {
                return false;
            }
            let place = match &statement.kind {
                StmtKind::Expr(Expr { kind: ExprKind::Assign(place, _), .. }) => {
                    Some((**place).clone())
                }
                StmtKind::Declare(local, _) => Some(Lvalue {
                    kind: LvalueKind::Local(*local),
                    ty: ty.clone(),
                    span: statement.span,
                }),
                _ => None,
            };
            self.open.push(Opened { var, statement, ty, place });
            return true;
        }
        match &statement.kind {
            StmtKind::Block(block) => self.follow(block),
            StmtKind::Declare(_, None) => true,
            StmtKind::Declare(_, Some(parts)) => {
                parts.iter().all(|part| self.is_harmless(&part.value))
            }
            StmtKind::Expr(Expr { kind: ExprKind::Assign(place, value), .. }) => {
                let var = variable(self.main, place);
                var.is_some_and(|var| !self.is_assigned(var)) && self.is_harmless(value)
            }
            StmtKind::Expr(expr) => match self.assumption(expr) {
                Some(cond) if self.is_harmless(cond) => {
                    self.holds(cond);
                    true
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a variable has a value from outside.
    fn is_assigned(&self, var: Target) -> bool {
        self.open.iter().any(|open| open.var == var)
    }

    /// Whether a value can be computed without anything that may go wrong, or that others see.
    pub(super) fn is_harmless(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Function(_) => true,
            ExprKind::Load(place) => variable(self.main, place).is_some(),
            ExprKind::Address(place) => variable(self.main, place).is_some(),
            ExprKind::Not(a) => self.is_harmless(a),
            ExprKind::Convert(a) => !matches!(a.ty, Type::Floating(_)) && self.is_harmless(a),
            ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Compare(_, a, b) => {
                self.is_harmless(a) && self.is_harmless(b)
            }
            ExprKind::Arithmetic(Arithmetic::Add | Arithmetic::Sub | Arithmetic::Mul, a, b) => {
                !self.checks_overflow && self.is_harmless(a) && self.is_harmless(b)
            }
            _ => false,
        }
    }

    /// The condition of an assumption: `__VERIFIER_assume(c)`, or `f(c)` where f ends the program unless its argument holds.
    pub(super) fn assumption(&self, expr: &'u Expr) -> Option<&'u Expr> {
        let unit = self.unit;
        if let Some((name, args)) = library(unit, expr) {
            return args.first().filter(|_| name == "__VERIFIER_assume");
        }
        let ExprKind::Call(Callee::Direct(function), args) = &expr.kind else { return None };
        let declared = &unit.functions[function.index()];
        let [Stmt { kind: StmtKind::If(cond, then, otherwise), .. }] = declared.body.as_deref()?
        else {
            return None;
        };
        let ExprKind::Not(tested) = &cond.kind else { return None };
        let ends = |statement: &Stmt| match &statement.kind {
            StmtKind::Expr(expr) => {
                library(unit, expr).is_some_and(|(name, _)| name == "abort" || name == "exit")
            }
            _ => false,
        };
        let is_param = |place: &Lvalue| {
            variable(*function, place) == Some(Target::Local(*function, LocalId(0)))
        };
        let tests = matches!(&tested.kind, ExprKind::Load(place) if is_param(place));
        let first = flattened(then).first().is_some_and(|first| ends(first));
        (tests && first && otherwise.is_empty() && declared.params == 1 && args.len() == 1)
            .then(|| &args[0])
    }

    /// Takes the equations out of a condition that holds.
    fn holds(&mut self, cond: &Expr) {
        match &cond.kind {
            ExprKind::And(a, b) => {
                self.holds(a);
                self.holds(b);
            }
            ExprKind::Convert(inner)
                if bounds(&inner.ty).is_some()
                    && (keeps_apart(&inner.ty, &cond.ty) || cond.ty == Type::Bool) =>
            {
                self.holds(inner);
            }
            ExprKind::Compare(Compare::Eq, a, b) => self.equal(a, b),
            ExprKind::Not(inner) => {
                let zero = Expr { kind: ExprKind::Int(0), ty: inner.ty.clone(), span: inner.span };
                self.equal(inner, &zero);
            }
            _ => {}
        }
    }

    fn equal(&mut self, a: &Expr, b: &Expr) {
        let sides = [a, b].map(|side| match super::choices::constant(side) {
            Some(value) => Some((Side::Constant(value), side)),
            None => self.read(side).map(|var| (Side::Variable(var), side)),
        });
        match sides {
            [Some((Side::Variable(var), side)), Some((Side::Constant(value), _))]
            | [Some((Side::Constant(value), _)), Some((Side::Variable(var), side))]
                // Conversions on the way give this value for no other one.
                if all_hold(side, value) =>
            {
                self.equal.push((var, Side::Constant(value)));
            }
            [Some((Side::Variable(a), left)), Some((other @ Side::Variable(_), right))] => {
                let inner = [left, right].map(innermost);
                if inner[0] == inner[1] {
                    self.equal.push((a, other));
                }
            }
            _ => {}
        }
    }

    /// The open variable that an expression reads, behind conversions that keep all its values apart.
    fn read(&self, expr: &Expr) -> Option<Target> {
        match &expr.kind {
            ExprKind::Load(place) => {
                variable(self.main, place).filter(|var| self.is_assigned(*var))
            }
            ExprKind::Convert(inner) if keeps_apart(&inner.ty, &expr.ty) => self.read(inner),
            _ => None,
        }
    }
}

/// Whether no two values of a type become one by a conversion.
fn keeps_apart(from: &Type, to: &Type) -> bool {
    let width = |ty: &Type| match super::access::strip(ty) {
        Type::Bool => Some(1),
        Type::Int { bits, .. } => Some(*bits),
        _ => None,
    };
    width(from).zip(width(to)).is_some_and(|(from, to)| from <= to)
}

/// Whether all types on the way to the variable have a value.
pub(super) fn all_hold(expr: &Expr, value: i128) -> bool {
    let here = bounds(&expr.ty).is_some_and(|(lo, hi)| (lo..=hi).contains(&value));
    here && match &expr.kind {
        ExprKind::Convert(inner) => all_hold(inner, value),
        _ => true,
    }
}

/// The type that is converted.
fn innermost(expr: &Expr) -> &Type {
    match &expr.kind {
        ExprKind::Convert(inner) => innermost(inner),
        _ => super::access::strip(&expr.ty),
    }
}

/// Whether a call never returns.
pub(super) fn never_returns(unit: &Unit, callee: &Callee) -> bool {
    let Callee::Direct(function) = callee else { return false };
    let function = &unit.functions[function.index()];
    function.body.is_none() && matches!(function.name.as_str(), "abort" | "exit" | "__assert_fail")
}
