//! # The body of a procedure
//! Each statement on the copies of the running thread's round. Before a step at which the thread may
//! be left there are two statements more:
//!
//! ```text
//! k, stopped := {k .. 1}, *;
//! if (stopped) { return; }
//! ```

use super::marks::Mark;
use super::shared::Shared;
use crate::attempt::Meaning;
use crate::explicit::temporary;
use crate::make::{self, assign, branch, read, stmt};
use crate::visit::StepParts;
use crate::{
    AtomicOp, Block, Cond, Expr, ExprKind, Place, ProcId, Procedure, Span, Stmt, StmtKind, Type,
    Value, Variable,
};

/// How a procedure is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Version {
    /// Outside of atomic sections: the thread may be left inside of it.
    Open,
    /// Inside of one.
    Atomic,
}

/// What is known outside of a procedure.
pub(super) struct Surroundings<'a> {
    pub shared: &'a Shared,
    /// For each number, whether the step lies inside of an atomic section.
    pub inside: &'a [bool],
    /// The procedures of the result.
    pub procs: &'a dyn Fn(ProcId, Version) -> ProcId,
}

/// Transforms one version of one procedure.
pub(super) struct Body<'a> {
    around: &'a Surroundings<'a>,
    version: Version,
    /// How many atomic blocks are open: those of the original, and those round the checks of a
    /// statement.
    atomic: usize,
    results: Vec<Type>,
    locals: Vec<Variable>,
}

impl<'a> Body<'a> {
    /// The procedure of the result.
    pub fn transform(
        around: &'a Surroundings<'a>,
        version: Version,
        name: String,
        proc: &Procedure,
    ) -> Procedure {
        let mut body = Body {
            around,
            version,
            atomic: 0,
            results: proc.results.clone(),
            locals: proc.locals.clone(),
        };
        let block = body.block(&proc.body);
        let span = match version {
            Version::Open => proc.span,
            Version::Atomic => Mark::Silent(Mark::of(proc.span).number()).span(),
        };
        Procedure { name, locals: body.locals, body: block, span, ..proc.clone() }
    }

    fn block(&mut self, block: &Block) -> Block {
        let mut out = Vec::with_capacity(block.len());
        for statement in block {
            let mut group = self.statement(statement);
            if group.is_empty() && !statement.labels.is_empty() {
                group.push(stmt(StmtKind::Skip, silent(statement.span)));
            }
            if let Some(first) = group.first_mut() {
                first.labels.splice(0..0, statement.labels.iter().copied());
            }
            out.extend(group);
        }
        out
    }

    /// Whether a step lies inside of an atomic section, as far as the original is concerned.
    fn is_inside(&self, span: Span) -> bool {
        let number = Mark::of(span).number() as usize;
        self.version == Version::Atomic || self.around.inside.get(number).is_some_and(|i| *i)
    }

    /// The mark of a statement that does what the original one does: no step of its own inside of
    /// an atomic section.
    fn step(&self, span: Span) -> Span {
        if self.is_inside(span) { silent(span) } else { span }
    }

    /// Whether the thread may be left before the statement.
    fn may_leave(&self, statement: &Stmt) -> bool {
        // What is new between two steps of the original is part of one of them.
        let new = matches!(Mark::of(statement.span), Mark::Silent(_));
        if new || self.atomic > 0 || self.is_inside(statement.span) {
            return false;
        }
        let shared = |place: &Place| self.around.shared.is_shared(place);
        match &statement.kind {
            StmtKind::Assume(_)
            | StmtKind::Acquire(_)
            | StmtKind::While { .. }
            | StmtKind::Call { .. }
            | StmtKind::Atomic(_)
            | StmtKind::AtomicBegin => true,
            StmtKind::Choose(blocks) if blocks.is_empty() => true,
            kind => !statement.labels.is_empty() || StepParts::of(kind).touches(&shared),
        }
    }

    /// Goes to a later round, or stops.
    fn leave(&self, mark: Span) -> Block {
        let shared = self.around.shared;
        let mut pairs: Vec<(Place, Expr)> = shared.later_round().into_iter().collect();
        pairs.push((shared.stopped(), make::any(&Type::Bool)));
        vec![assign(pairs, silent(mark)), self.leave_if_stopped(mark)]
    }

    fn leave_if_stopped(&self, mark: Span) -> Stmt {
        branch(read(self.around.shared.stopped()), vec![self.give_up(mark)], Vec::new(), mark)
    }

    /// Returns; nobody looks at the results.
    fn give_up(&self, mark: Span) -> Stmt {
        let results = self.results.iter().map(make::some_value).collect();
        stmt(StmtKind::Return(results), silent(mark))
    }

    /// The thread fails and stops.
    fn fail(&self, mark: Span) -> Block {
        let shared = self.around.shared;
        let flags =
            vec![(shared.failed(), make::truth(true)), (shared.stopped(), make::truth(true))];
        vec![assign(flags, mark), self.give_up(mark)]
    }

    fn place(&self, place: &Place) -> Place {
        self.around.shared.place(place)
    }

    fn expr(&self, e: &Expr) -> Expr {
        self.around.shared.expr(e)
    }

    fn exprs(&self, list: &[Expr]) -> Vec<Expr> {
        list.iter().map(|e| self.expr(e)).collect()
    }

    fn places(&self, list: &[Place]) -> Vec<Place> {
        list.iter().map(|p| self.place(p)).collect()
    }

    fn statement(&mut self, statement: &Stmt) -> Block {
        let span = statement.span;
        let mut out = Vec::new();
        let leaves = self.may_leave(statement);
        let is_loop = matches!(statement.kind, StmtKind::While { .. });
        if leaves && !is_loop {
            let section = matches!(statement.kind, StmtKind::Atomic(_) | StmtKind::AtomicBegin);
            let mark = match Mark::of(span) {
                Mark::Step(n) if section => Mark::Begin(n).span(),
                _ => silent(span),
            };
            out.extend(self.leave(mark));
        }
        let step = self.step(span);
        match &statement.kind {
            StmtKind::While { cond, body } => out.push(self.repeat(cond, body, leaves, span)),
            StmtKind::If { cond, then, otherwise } => {
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                out.push(self.test(cond, then, otherwise, step));
            }
            StmtKind::Choose(blocks) => {
                let blocks = blocks.iter().map(|b| self.block(b)).collect();
                out.push(stmt(StmtKind::Choose(blocks), step));
            }
            StmtKind::Atomic(body) => {
                self.atomic += 1;
                out.extend(self.block(body));
                self.atomic -= 1;
            }
            StmtKind::AtomicEnd if !self.is_inside(span) => out.push(stmt(StmtKind::Skip, step)),
            StmtKind::AtomicBegin | StmtKind::AtomicEnd => {}
            StmtKind::Assert(cond) => {
                let failed = make::not(self.expr(cond));
                let (test, fail) = match Mark::of(span) {
                    Mark::Check(n) => (silent(span), self.step(Mark::Step(n).span())),
                    _ => (step, silent(span)),
                };
                out.push(branch(failed, self.fail(fail), Vec::new(), test));
            }
            StmtKind::Acquire(lock) => {
                let lock = self.place(lock);
                let free = self.around.shared.is_free(lock.clone());
                out.push(stmt(StmtKind::Assume(free), silent(span)));
                out.push(assign(vec![(lock, self.around.shared.held())], step));
            }
            StmtKind::Release(lock) => {
                let (lock, shared) = (self.place(lock), self.around.shared);
                if shared.owners {
                    let wrong = shared.is_not_mine(lock.clone());
                    out.push(branch(wrong, self.fail(step), Vec::new(), silent(span)));
                }
                out.push(assign(vec![(lock, shared.free())], step));
            }
            StmtKind::Attempt { dest, op } => out.extend(self.attempt(dest.as_ref(), op, step)),
            StmtKind::Call { proc, args, results } => {
                let version = if self.is_inside(span) { Version::Atomic } else { Version::Open };
                let proc = (self.around.procs)(*proc, version);
                let (args, results) = (self.exprs(args), self.places(results));
                out.push(stmt(StmtKind::Call { proc, args, results }, step));
                out.push(self.leave_if_stopped(silent(span)));
            }
            StmtKind::EndThread => {
                let mut end = self.give_up(span);
                end.span = step;
                out.push(end);
            }
            simple => out.push(stmt(self.simple(simple), step)),
        }
        out
    }

    /// A statement that is the same but for its variables.
    fn simple(&self, kind: &StmtKind) -> StmtKind {
        match kind {
            StmtKind::Assign { targets, values, constrain } => StmtKind::Assign {
                targets: self.places(targets),
                values: self.exprs(values),
                constrain: constrain.as_ref().map(|c| self.expr(c)),
            },
            StmtKind::Havoc(places) => StmtKind::Havoc(self.places(places)),
            StmtKind::Assume(cond) => StmtKind::Assume(self.expr(cond)),
            StmtKind::Return(values) => StmtKind::Return(self.exprs(values)),
            other => other.clone(),
        }
    }

    /// A loop. Where the thread may be left before each test, the test moves inside.
    fn repeat(&mut self, cond: &Cond, body: &Block, leaves: bool, span: Span) -> Stmt {
        let body = self.block(body);
        let step = self.step(span);
        let always = matches!(cond, Cond::Expr(Expr { kind: ExprKind::Const(v), .. })
            if *v != Value::Open && v.is_true());
        let end = || vec![stmt(StmtKind::Break, silent(span))];
        let mut inside = if leaves { self.leave(silent(span)) } else { Vec::new() };
        match cond {
            Cond::Expr(cond) if !leaves => {
                let cond = Cond::Expr(self.expr(cond));
                return stmt(StmtKind::While { cond, body }, step);
            }
            _ if always => {
                inside.extend(body);
                return make::forever(inside, step);
            }
            Cond::Expr(cond) => {
                inside.push(branch(make::not(self.expr(cond)), end(), Vec::new(), step));
            }
            Cond::Attempt { .. } => inside.push(self.test(cond, Vec::new(), end(), step)),
        }
        inside.extend(body);
        make::forever(inside, silent(span))
    }

    fn test(&self, cond: &Cond, then: Block, otherwise: Block, step: Span) -> Stmt {
        match cond {
            Cond::Expr(cond) => branch(self.expr(cond), then, otherwise, step),
            Cond::Attempt { op, negated } => {
                let (mut success, failure) =
                    if *negated { (otherwise, then) } else { (then, otherwise) };
                let place = self.place(op.place());
                let Meaning { succeeds, new, .. } = self.meaning(op, &place);
                success.insert(0, assign(vec![(place, new)], silent(step)));
                branch(succeeds, success, failure, step)
            }
        }
    }

    /// What an operation does, in the round of the running thread.
    fn meaning(&self, op: &AtomicOp, place: &Place) -> Meaning {
        let shared = self.around.shared;
        let op = match op {
            AtomicOp::TryLock(lock) => AtomicOp::TryLock(lock.clone()),
            AtomicOp::CompareAndSwap { place, expected, new } => AtomicOp::CompareAndSwap {
                place: place.clone(),
                expected: self.expr(expected),
                new: self.expr(new),
            },
            AtomicOp::FetchAndAdd { place, amount } => {
                AtomicOp::FetchAndAdd { place: place.clone(), amount: self.expr(amount) }
            }
        };
        Meaning::of(&op, place, (shared.is_free(place.clone()), shared.held()))
    }

    /// An atomic operation with its result, as one assignment: what it writes, then the result.
    fn attempt(&mut self, dest: Option<&Place>, op: &AtomicOp, step: Span) -> Block {
        let place = self.place(op.place());
        let meaning = self.meaning(op, &place);
        let result = meaning.result();
        let new = match op {
            // Who finds the lock held leaves it so.
            AtomicOp::TryLock(_) if !self.around.shared.owners => meaning.new,
            _ => meaning.written(),
        };
        let Some(dest) = dest.map(|dest| self.place(dest)) else {
            return vec![assign(vec![(place, new)], step)];
        };
        if dest.var != place.var || !place.indices.is_empty() {
            return vec![assign(vec![(place, new), (dest, result)], step)];
        }
        // One variable cannot be set twice at once.
        let kept = temporary(&mut self.locals, "result", &result.ty);
        vec![
            assign(vec![(kept.clone(), result)], silent(step)),
            assign(vec![(place, new)], silent(step)),
            assign(vec![(dest, read(kept))], step),
        ]
    }
}

/// A mark for something on the way to or from a statement.
pub(super) fn silent(span: Span) -> Span {
    Mark::Silent(Mark::of(span).number()).span()
}
