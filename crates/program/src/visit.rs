//! Walks over expressions, and over what one step of a statement reads and writes. Statements
//! inside of others are not looked at.

use crate::{AtomicOp, Cond, Expr, ExprKind, Place, StmtKind, VarRef};

/// The operands of an expression, indices included.
pub(crate) fn operands(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::Const(_)
        | ExprKind::Any
        | ExprKind::Fair
        | ExprKind::Instance
        | ExprKind::LocalOf { .. }
        | ExprKind::At { .. } => Vec::new(),
        ExprKind::Read(place) | ExprKind::Primed(place) => place.indices.iter().collect(),
        ExprKind::Unary(_, a) | ExprKind::Quantified { body: a, .. } => vec![a],
        ExprKind::Binary(_, a, b) | ExprKind::Between(a, b) | ExprKind::Schoose(a, b) => {
            vec![a, b]
        }
        ExprKind::IfThenElse(a, b, c) => vec![a, b, c],
        ExprKind::OneOf(list) => list.iter().collect(),
    }
}

/// The operands of an expression, to be changed.
pub(crate) fn operands_mut(e: &mut Expr) -> Vec<&mut Expr> {
    match &mut e.kind {
        ExprKind::Const(_)
        | ExprKind::Any
        | ExprKind::Fair
        | ExprKind::Instance
        | ExprKind::LocalOf { .. }
        | ExprKind::At { .. } => Vec::new(),
        ExprKind::Read(place) | ExprKind::Primed(place) => place.indices.iter_mut().collect(),
        ExprKind::Unary(_, a) | ExprKind::Quantified { body: a, .. } => vec![a],
        ExprKind::Binary(_, a, b) | ExprKind::Between(a, b) | ExprKind::Schoose(a, b) => {
            vec![a, b]
        }
        ExprKind::IfThenElse(a, b, c) => vec![a, b, c],
        ExprKind::OneOf(list) => list.iter_mut().collect(),
    }
}

/// Whether an expression is itself a choice, whatever its operands are.
pub(crate) fn is_choice(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Any
            | ExprKind::Fair
            | ExprKind::OneOf(_)
            | ExprKind::Between(..)
            | ExprKind::Schoose(..)
    )
}

/// The expressions that one step of a statement evaluates, but for places, to be changed.
pub(crate) fn step_exprs_mut(kind: &mut StmtKind) -> Vec<&mut Expr> {
    fn of_op(op: &mut AtomicOp) -> Vec<&mut Expr> {
        match op {
            AtomicOp::TryLock(_) => Vec::new(),
            AtomicOp::CompareAndSwap { expected, new, .. } => vec![expected, new],
            AtomicOp::FetchAndAdd { amount, .. } => vec![amount],
        }
    }
    match kind {
        StmtKind::Assign { values, constrain, .. } => values.iter_mut().chain(constrain).collect(),
        StmtKind::Return(values) => values.iter_mut().collect(),
        StmtKind::Assume(e) | StmtKind::Assert(e) => vec![e],
        StmtKind::If { cond, .. } | StmtKind::While { cond, .. } => match cond {
            Cond::Expr(e) => vec![e],
            Cond::Attempt { op, .. } => of_op(op),
        },
        StmtKind::Attempt { op, .. } => of_op(op),
        StmtKind::Call { args, .. } | StmtKind::Async { args, .. } => args.iter_mut().collect(),
        _ => Vec::new(),
    }
}

/// All expressions of one step of a statement, indices of places included, to be changed.
pub(crate) fn every_expr_mut(kind: &mut StmtKind) -> Vec<&mut Expr> {
    fn of_op(op: &mut AtomicOp) -> Vec<&mut Expr> {
        match op {
            AtomicOp::TryLock(place) => place.indices.iter_mut().collect(),
            AtomicOp::CompareAndSwap { place, expected, new } => {
                place.indices.iter_mut().chain([expected, new]).collect()
            }
            AtomicOp::FetchAndAdd { place, amount } => {
                place.indices.iter_mut().chain([amount]).collect()
            }
        }
    }
    fn indices<'p>(places: impl IntoIterator<Item = &'p mut Place>) -> Vec<&'p mut Expr> {
        places.into_iter().flat_map(|place| &mut place.indices).collect()
    }
    match kind {
        StmtKind::Assign { targets, values, constrain } => {
            indices(targets).into_iter().chain(values).chain(constrain).collect()
        }
        StmtKind::Havoc(places) => indices(places),
        StmtKind::Assume(e) | StmtKind::Assert(e) | StmtKind::Join(e) => vec![e],
        StmtKind::If { cond, .. } | StmtKind::While { cond, .. } => match cond {
            Cond::Expr(e) => vec![e],
            Cond::Attempt { op, .. } => of_op(op),
        },
        StmtKind::Return(values) => values.iter_mut().collect(),
        StmtKind::Acquire(place) | StmtKind::Release(place) => indices([place]),
        StmtKind::Attempt { dest, op } => indices(dest).into_iter().chain(of_op(op)).collect(),
        StmtKind::Call { args, results, .. } => indices(results).into_iter().chain(args).collect(),
        StmtKind::Async { dest, args, .. } => indices(dest).into_iter().chain(args).collect(),
        StmtKind::Skip
        | StmtKind::Choose(_)
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Atomic(_)
        | StmtKind::AtomicBegin
        | StmtKind::AtomicEnd
        | StmtKind::StartThread(_)
        | StmtKind::EndThread => Vec::new(),
    }
}

/// The places that one step of a statement reads or writes as a whole, to be changed.
pub(crate) fn places_mut(kind: &mut StmtKind) -> Vec<&mut Place> {
    fn of_op(op: &mut AtomicOp) -> &mut Place {
        match op {
            AtomicOp::TryLock(place)
            | AtomicOp::CompareAndSwap { place, .. }
            | AtomicOp::FetchAndAdd { place, .. } => place,
        }
    }
    match kind {
        StmtKind::Assign { targets: places, .. }
        | StmtKind::Havoc(places)
        | StmtKind::Call { results: places, .. } => places.iter_mut().collect(),
        StmtKind::Acquire(place) | StmtKind::Release(place) => vec![place],
        StmtKind::Attempt { dest, op } => dest.iter_mut().chain([of_op(op)]).collect(),
        StmtKind::Async { dest, .. } => dest.iter_mut().collect(),
        StmtKind::If { cond: Cond::Attempt { op, .. }, .. }
        | StmtKind::While { cond: Cond::Attempt { op, .. }, .. } => vec![of_op(op)],
        _ => Vec::new(),
    }
}

impl Expr {
    /// Whether it may have different values in one state.
    #[must_use]
    pub fn chooses(&self) -> bool {
        any_part(self, &|part| is_choice(&part.kind))
    }

    /// Whether it reads a shared variable.
    #[must_use]
    pub fn reads_shared(&self) -> bool {
        let shared = |place: &Place| matches!(place.var, VarRef::Global(_));
        any_part(self, &|part| match &part.kind {
            ExprKind::Read(place) | ExprKind::Primed(place) => shared(place),
            _ => false,
        })
    }
}

/// Whether `test` holds for an expression or a part of it.
pub(crate) fn any_part(e: &Expr, test: &dyn Fn(&Expr) -> bool) -> bool {
    test(e) || operands(e).into_iter().any(|operand| any_part(operand, test))
}

/// Changes an expression from the innermost parts outwards.
pub(crate) fn change(e: &mut Expr, with: &mut dyn FnMut(&mut Expr)) {
    for operand in operands_mut(e) {
        change(operand, with);
    }
    with(e);
}

/// The parts of a statement's step: the expressions that it evaluates, and the places that it reads or writes.
#[derive(Default)]
pub(crate) struct StepParts<'p> {
    /// The expressions, but for the indices of the places.
    pub exprs: Vec<&'p Expr>,
    /// Places that are written, or read and written.
    pub written: Vec<&'p Place>,
}

impl<'p> StepParts<'p> {
    pub fn of(kind: &'p StmtKind) -> Self {
        let mut parts = StepParts::default();
        match kind {
            StmtKind::Assign { targets, values, constrain } => {
                parts.written.extend(targets);
                parts.exprs.extend(values);
                parts.exprs.extend(constrain);
            }
            StmtKind::Havoc(places) => parts.written.extend(places),
            StmtKind::Assume(e) | StmtKind::Assert(e) | StmtKind::Join(e) => parts.exprs.push(e),
            StmtKind::If { cond, .. } | StmtKind::While { cond, .. } => match cond {
                Cond::Expr(e) => parts.exprs.push(e),
                Cond::Attempt { op, .. } => parts.op(op),
            },
            StmtKind::Return(values) => parts.exprs.extend(values),
            StmtKind::Acquire(place) | StmtKind::Release(place) => parts.written.push(place),
            StmtKind::Attempt { dest, op } => {
                parts.written.extend(dest);
                parts.op(op);
            }
            StmtKind::Call { args, results, .. } => {
                parts.exprs.extend(args);
                parts.written.extend(results);
            }
            StmtKind::Async { dest, args, .. } => {
                parts.written.extend(dest);
                parts.exprs.extend(args);
            }
            StmtKind::Skip
            | StmtKind::Choose(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Atomic(_)
            | StmtKind::AtomicBegin
            | StmtKind::AtomicEnd
            | StmtKind::StartThread(_)
            | StmtKind::EndThread => {}
        }
        parts
    }

    fn op(&mut self, op: &'p AtomicOp) {
        self.written.push(op.place());
        match op {
            AtomicOp::TryLock(_) => {}
            AtomicOp::CompareAndSwap { expected, new, .. } => self.exprs.extend([expected, new]),
            AtomicOp::FetchAndAdd { amount, .. } => self.exprs.push(amount),
        }
    }

    /// Whether the step reads or writes a place for which the test is true.
    pub fn touches(&self, test: &dyn Fn(&Place) -> bool) -> bool {
        let reads = |e: &Expr| match &e.kind {
            ExprKind::Read(place) | ExprKind::Primed(place) => test(place),
            _ => false,
        };
        let indices = self.written.iter().flat_map(|place| &place.indices);
        self.written.iter().any(|place| test(place))
            || indices.chain(self.exprs.iter().copied()).any(|e| any_part(e, &reads))
    }
}
