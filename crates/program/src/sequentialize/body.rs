//! # The body of a procedure
//! Each statement on the copies of the running thread's round. Before a step at which the thread may
//! be left there are two statements more:
//!
//! ```text
//! k, stopped := {k .. 1}, *;
//! if (stopped) { return; }
//! ```

use std::cell::Cell;

use rustc_hash::FxHashMap;

use super::lasso::{Section, Written};
use super::marks::Mark;
use super::shared::Shared;
use crate::attempt::Meaning;
use crate::explicit::temporary;
use crate::flow::{Command, Flow, Loc};
use crate::make::{self, assign, branch, read, stmt};
use crate::visit::StepParts;
use crate::{
    AtomicOp, Block, Cond, Expr, ExprKind, LocalId, Place, ProcId, Procedure, Span, Stmt, StmtKind,
    Type, Value, Variable,
};

/// From where a procedure is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Version {
    /// From outside of atomic sections: the thread may be left while the call is active.
    Open,
    /// From inside of an atomic section.
    Atomic,
}

/// The context in which the bodies of procedures are transformed.
pub(super) struct Surroundings<'a> {
    pub shared: &'a Shared,
    /// For each number, whether the step lies inside of an atomic section.
    pub inside: &'a [bool],
    /// The procedures of the result.
    pub procs: &'a dyn Fn(ProcId, Version) -> ProcId,
    /// The flow graph of the original, and where each statement of it starts.
    pub flow: &'a Flow,
    pub starts: &'a FxHashMap<u32, Loc>,
    /// The number of places at which a thread may be left.
    pub sites: &'a Cell<u32>,
}

impl Surroundings<'_> {
    /// Whether a jump is a step after all: one that leads to itself, for ever.
    fn spins(&self, span: Span) -> bool {
        let start = self.starts.get(&Mark::of(span).number());
        start.is_some_and(|&loc| {
            let edges = &self.flow.location(loc).edges;
            edges
                .iter()
                .map(|&edge| self.flow.edge(edge))
                .any(|edge| edge.to == loc && matches!(edge.command, Command::Skip))
        })
    }
}

/// Transforms one version of one procedure.
pub(super) struct Body<'a> {
    pub around: &'a Surroundings<'a>,
    pub proc: ProcId,
    pub version: Version,
    /// How many atomic blocks are open: those of the original, and those round the checks of a
    /// statement.
    atomic: usize,
    results: Vec<Type>,
    pub locals: Vec<Variable>,
    /// Whether the frame is a keyframe, if that matters.
    pub bottom: Option<LocalId>,
    /// The atomic block of the original that is open, if what it writes matters.
    pub section: Option<Section>,
}

impl<'a> Body<'a> {
    /// The procedure of the result.
    pub fn transform(
        around: &'a Surroundings<'a>,
        (id, version): (ProcId, Version),
        name: String,
        proc: &Procedure,
    ) -> Procedure {
        let mut body = Body {
            around,
            proc: id,
            version,
            atomic: 0,
            results: proc.results.clone(),
            locals: proc.locals.clone(),
            bottom: None,
            section: None,
        };
        if version == Version::Open {
            body.declare_bottom();
        }
        let mut block = body.block(&proc.body);
        block.splice(0..0, body.no_keyframe(proc.span));
        block.extend(body.not_at_bottom(proc.span));
        let span = match version {
            Version::Open => proc.span,
            Version::Atomic => Mark::Silent(Mark::of(proc.span).number()).span(),
        };
        Procedure { name, locals: body.locals, body: block, span, ..proc.clone() }
    }

    fn block(&mut self, block: &Block) -> Block {
        let mut out = Vec::with_capacity(block.len());
        for (index, statement) in block.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| &block[before]);
            let mut group = self.statement(statement, before);
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
    pub fn is_inside(&self, span: Span) -> bool {
        let number = Mark::of(span).number() as usize;
        self.version == Version::Atomic || self.around.inside.get(number).is_some_and(|i| *i)
    }

    /// The mark of a statement that does what the original one does: no step of its own inside of
    /// an atomic section.
    fn step(&self, span: Span) -> Span {
        if self.is_inside(span) { silent(span) } else { span }
    }

    /// Whether the thread may be left before the statement.
    fn may_leave(&self, statement: &Stmt, before: Option<&Stmt>) -> bool {
        // What is new between two steps of the original is part of one of them.
        let number = Mark::of(statement.span).number();
        let new = matches!(Mark::of(statement.span), Mark::Silent(_))
            || before.is_some_and(|before| Mark::of(before.span) == Mark::Check(number));
        if new || self.atomic > 0 || self.is_inside(statement.span) {
            return false;
        }
        // A jump is no step.
        if self.around.shared.lasso.is_some() && !self.around.starts.contains_key(&number) {
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
        if let Some(lasso) = &shared.lasso {
            let mut out = self.leave_lasso(lasso, mark);
            // The block as a whole is one step.
            if let Mark::Begin(n) = Mark::of(mark) {
                out.push(stmt(StmtKind::Skip, Mark::Step(n).span()));
            }
            return out;
        }
        let mut pairs: Vec<(Place, Expr)> = shared.later_round().into_iter().collect();
        pairs.push((shared.stopped(), make::any(&Type::Bool)));
        vec![assign(pairs, silent(mark)), self.leave_if_stopped(mark)]
    }

    fn leave_if_stopped(&self, mark: Span) -> Stmt {
        branch(read(self.around.shared.stopped()), vec![self.give_up(mark)], Vec::new(), mark)
    }

    /// Returns from the procedure; the results are not used.
    pub fn give_up(&self, mark: Span) -> Stmt {
        let results = self.results.iter().map(make::some_value).collect();
        stmt(StmtKind::Return(results), silent(mark))
    }

    /// Lets the thread fail and stop; if failures are not asked about, the run ends here.
    fn fail(&self, mark: Span) -> Block {
        let shared = self.around.shared;
        let Some(failed) = shared.failed() else {
            return vec![stmt(StmtKind::Assume(make::truth(false)), silent(mark))];
        };
        let flags = vec![(failed, make::truth(true)), (shared.stopped(), make::truth(true))];
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

    fn statement(&mut self, statement: &Stmt, before: Option<&Stmt>) -> Block {
        let span = statement.span;
        let mut out = Vec::new();
        let leaves = self.may_leave(statement, before);
        let is_loop = matches!(statement.kind, StmtKind::While { .. });
        if leaves && !is_loop {
            let section = matches!(statement.kind, StmtKind::Atomic(_) | StmtKind::AtomicBegin);
            let mark = match Mark::of(span) {
                Mark::Step(n) if section => Mark::Begin(n).span(),
                _ => silent(span),
            };
            out.extend(self.leave(mark));
        }
        out.extend(self.leave_section(Some(&statement.kind), span));
        let step = self.step(span);
        let fairly = if is_loop { None } else { self.choose_before(&statement.kind, span) };
        let chosen = fairly.map(|(before, kind)| {
            out.extend(before);
            kind
        });
        let kind = chosen.as_ref().unwrap_or(&statement.kind);
        match kind {
            StmtKind::While { cond, body } => out.push(self.repeat(cond, body, leaves, span)),
            StmtKind::If { cond, then, otherwise } => {
                out.extend(self.agree_on_test(cond, span));
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                out.push(self.test(cond, then, otherwise, step));
            }
            StmtKind::Choose(blocks) => {
                let blocks = blocks.iter().map(|b| self.block(b)).collect();
                out.push(stmt(StmtKind::Choose(blocks), step));
            }
            StmtKind::Atomic(body) => {
                let is_section = matches!(Mark::of(span), Mark::Step(_));
                let is_section = is_section && self.begin_section(body, span);
                self.atomic += 1;
                out.extend(self.block(body));
                self.atomic -= 1;
                if is_section {
                    out.extend(self.leave_section(None, span));
                    self.section = None;
                }
            }
            StmtKind::AtomicEnd if !self.is_inside(span) => out.push(stmt(StmtKind::Skip, step)),
            StmtKind::AtomicBegin | StmtKind::AtomicEnd => {}
            StmtKind::Assert(cond) if self.around.shared.failed().is_none() => {
                let mark =
                    if matches!(Mark::of(span), Mark::Check(_)) { silent(span) } else { step };
                out.extend(self.both(cond, mark));
            }
            StmtKind::Assert(cond) => {
                let failed = make::not(self.expr(cond));
                let (test, fail) = match Mark::of(span) {
                    Mark::Check(n) => (silent(span), self.step(Mark::Step(n).span())),
                    _ => (step, silent(span)),
                };
                out.push(branch(failed, self.fail(fail), Vec::new(), test));
            }
            StmtKind::Acquire(lock) => {
                let shared = self.around.shared;
                out.extend(self.agree_on_lock(lock, span));
                let place = self.place(lock);
                let free = shared.is_free(place.clone());
                out.push(stmt(StmtKind::Assume(free), silent(span)));
                out.push(assign(vec![(place, shared.held())], step));
                out.extend(self.wrote_by(kind, span));
            }
            StmtKind::Release(lock) => {
                let shared = self.around.shared;
                out.extend(self.agree_on_lock(lock, span));
                out.extend(self.mine_again(lock, span));
                let place = self.place(lock);
                if shared.owners {
                    let wrong = shared.is_not_mine(place.clone());
                    out.push(branch(wrong, self.fail(step), Vec::new(), silent(span)));
                }
                out.push(assign(vec![(place, shared.free())], step));
                out.extend(self.wrote_by(kind, span));
            }
            StmtKind::Attempt { dest, op } => out.extend(self.attempt(dest.as_ref(), op, span)),
            StmtKind::Call { proc, args, results } => {
                out.extend(self.agree(args, span));
                let version = if self.is_inside(span) { Version::Atomic } else { Version::Open };
                let proc = (self.around.procs)(*proc, version);
                let (args, results) = (self.exprs(args), self.places(results));
                out.push(stmt(StmtKind::Call { proc, args, results }, step));
                out.push(self.leave_if_stopped(silent(span)));
            }
            StmtKind::EndThread => {
                out.extend(self.not_at_bottom(span));
                let mut end = self.give_up(span);
                end.span = step;
                out.push(end);
            }
            StmtKind::Return(values) => {
                out.extend(self.agree(values, span));
                out.extend(self.not_at_bottom(span));
                out.push(stmt(StmtKind::Return(self.exprs(values)), step));
            }
            StmtKind::Goto(_) if self.around.spins(span) => {
                out.push(stmt(StmtKind::Skip, step));
                out.push(stmt(kind.clone(), silent(span)));
            }
            simple => {
                let parts = StepParts::of(simple);
                let indices = parts.written.iter().flat_map(|place| &place.indices);
                out.extend(self.agree(indices.chain(parts.exprs.iter().copied()), span));
                let places: Vec<Place> = parts.written.into_iter().cloned().collect();
                let (before, places) = self.fixed_places(&places, span);
                out.extend(before);
                out.push(stmt(self.simple(simple), step));
                out.extend(self.wrote(&places, &Written::of(simple), span));
            }
        }
        out
    }

    /// The statements that follow a statement that writes.
    fn wrote_by(&self, kind: &StmtKind, span: Span) -> Block {
        let places: Vec<Place> = StepParts::of(kind).written.into_iter().cloned().collect();
        self.wrote(&places, &Written::of(kind), span)
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
            other => other.clone(),
        }
    }

    /// A loop. Where the thread may be left before each test, the test moves inside.
    fn repeat(&mut self, cond: &Cond, body: &Block, leaves: bool, span: Span) -> Stmt {
        self.in_loop(1);
        let body = self.block(body);
        self.in_loop(-1);
        let step = self.step(span);
        let always = matches!(cond, Cond::Expr(Expr { kind: ExprKind::Const(v), .. })
            if *v != Value::Open && v.is_true());
        let end = || vec![stmt(StmtKind::Break, silent(span))];
        let mut inside = if leaves { self.leave(silent(span)) } else { Vec::new() };
        let test = StmtKind::While { cond: cond.clone(), body: Vec::new() };
        let chosen = self.choose_before(&test, span).map(|(before, test)| {
            inside.extend(before);
            test
        });
        let cond = match &chosen {
            Some(StmtKind::While { cond, .. }) => cond,
            _ => cond,
        };
        inside.extend(self.agree_on_test(cond, span));
        match cond {
            Cond::Expr(cond) if inside.is_empty() => {
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
                let kind = StmtKind::Attempt { dest: None, op: op.clone() };
                let mut taken = vec![assign(vec![(place, new)], silent(step))];
                taken.extend(self.wrote_by(&kind, step));
                success.splice(0..0, taken);
                branch(succeeds, success, failure, step)
            }
        }
    }

    /// The meaning of an operation in the round of the running thread.
    fn meaning(&self, op: &AtomicOp, place: &Place) -> Meaning<Expr> {
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
    fn attempt(&mut self, dest: Option<&Place>, op: &AtomicOp, span: Span) -> Block {
        let mut out = self.agree_on_operation(op, span);
        out.extend(self.agree(dest.into_iter().flat_map(|dest| &dest.indices), span));
        let kind = StmtKind::Attempt { dest: dest.cloned(), op: op.clone() };
        let places: Vec<Place> = StepParts::of(&kind).written.into_iter().cloned().collect();
        let (before, places) = self.fixed_places(&places, span);
        out.extend(before);
        out.extend(self.attempt_now(dest, op, self.step(span)));
        out.extend(self.wrote(&places, &Written::of(&kind), span));
        out
    }

    fn attempt_now(&mut self, dest: Option<&Place>, op: &AtomicOp, step: Span) -> Block {
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
            assign(vec![(kept.clone(), result)], step),
            assign(vec![(place, new)], silent(step)),
            assign(vec![(dest, read(kept))], silent(step)),
        ]
    }
}

/// A mark for something on the way to or from a statement.
pub(super) fn silent(span: Span) -> Span {
    Mark::Silent(Mark::of(span).number()).span()
}
