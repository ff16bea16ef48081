//! # Where a thread may wait
//!
//! **Question.** A thread that does not act in the period must not be able to, all through it (strong
//! fairness) or at some point of it (weak). Can another thread see that, without seeing this one?
//!
//! **Idea.** A thread that waits stands still: at one place, with the same values of its locals all the
//! time. Both are guessed beforehand, so that everybody can evaluate what it waits for: at the start
//! of the period, and wherever a thread writes a variable that it mentions. [Section 3.4, Cases 1
//! and 2, where one waits for locks only.]
//!
//! **Needs.** A condition that says whether the step at the place can be taken: an `acquire`, an
//! `assume`, or an atomic block in which nothing after such a statement can block. A step that would
//! go wrong can be taken. Elsewhere a thread is not known to wait: a livelock in which it does
//! is not found.

use std::collections::BTreeSet;

use selvedge_model::Fairness;

use super::super::marks::Mark;
use super::super::shared::{Moment, Shared};
use super::{Lasso, element_of};
use crate::explicit::all;
use crate::make::{self, binary, equal, read, stmt};
use crate::visit;
use crate::{
    BinaryOp, Block, Expr, ExprKind, GlobalId, LocalId, Place, ProcId, Program, Span, Stmt,
    StmtKind, Type, VarRef, walk,
};

/// A place at which a thread may wait.
pub(super) struct Waiting {
    pub proc: ProcId,
    /// The number of the statement.
    pub statement: u32,
    /// The conditions under which the step does not go wrong.
    unless_wrong: Vec<Expr>,
    blocked: Blocked,
    /// The locals that these speak of.
    pub locals: Vec<LocalId>,
    /// The shared variables in these conditions.
    shared: BTreeSet<GlobalId>,
}

/// When a step cannot be taken.
enum Blocked {
    /// Unless this holds.
    Unless(Expr),
    /// While this lock is held.
    Held(Place),
}

/// The writes of a step.
#[derive(Clone, Default)]
pub(in super::super) struct Written {
    /// The variables that are written.
    pub globals: BTreeSet<GlobalId>,
    /// Whether it may take locks.
    pub takes: bool,
    /// Whether it may free locks.
    pub frees: bool,
}

/// The places of a program at which threads may wait.
pub(super) fn find(program: &Program, inside: &[bool]) -> Vec<Waiting> {
    let mut found: Vec<Waiting> = Vec::new();
    for (proc, declared) in crate::flow::procs(program) {
        walk::each(&declared.body, &mut |s| {
            let number = Mark::of(s.span).number();
            let is_inside = inside.get(number as usize).is_some_and(|i| *i);
            let known = found.last().is_some_and(|w| w.statement == number);
            if is_inside || known || matches!(Mark::of(s.span), Mark::Silent(_)) {
                return;
            }
            let Some((unless_wrong, blocked)) = condition(std::slice::from_ref(s)) else { return };
            let mut place = Waiting {
                proc,
                statement: number,
                unless_wrong,
                blocked,
                locals: Vec::new(),
                shared: BTreeSet::new(),
            };
            if place.note_variables(program) {
                found.push(place);
            }
        });
    }
    found
}

/// When the first step of statements cannot be taken, if there is an expression for that.
fn condition(block: &[Stmt]) -> Option<(Vec<Expr>, Blocked)> {
    let mut statements: Vec<&Stmt> = Vec::new();
    flatten(block, &mut statements);
    let mut statements = statements.into_iter();
    let mut unless_wrong = Vec::new();
    let blocked = loop {
        match &statements.next()?.kind {
            StmtKind::Assert(e) if is_fixed(e) => unless_wrong.push(e.clone()),
            StmtKind::Assume(e) if is_fixed(e) => break Blocked::Unless(e.clone()),
            StmtKind::Acquire(lock) if lock.indices.iter().all(is_fixed) => {
                break Blocked::Held(lock.clone());
            }
            _ => return None,
        }
    };
    statements.all(never_blocks).then_some((unless_wrong, blocked))
}

/// The statements of atomic blocks one after the other.
fn flatten<'p>(block: &'p [Stmt], out: &mut Vec<&'p Stmt>) {
    for statement in block {
        match &statement.kind {
            StmtKind::Atomic(body) => flatten(body, out),
            _ => out.push(statement),
        }
    }
}

/// Whether an expression has the same value whenever it is evaluated.
fn is_fixed(e: &Expr) -> bool {
    !visit::any_part(e, &|part| visit::is_choice(&part.kind))
}

/// Whether a statement ends, whatever the values are.
fn never_blocks(statement: &Stmt) -> bool {
    !walk::any(std::slice::from_ref(statement), &|s| match &s.kind {
        StmtKind::Assign { constrain, .. } => constrain.is_some(),
        StmtKind::Choose(blocks) => blocks.is_empty(),
        StmtKind::Skip
        | StmtKind::Havoc(_)
        | StmtKind::Assert(_)
        | StmtKind::If { .. }
        | StmtKind::Return(_)
        | StmtKind::Release(_)
        | StmtKind::Attempt { .. }
        | StmtKind::Atomic(_) => false,
        _ => true,
    })
}

impl Waiting {
    /// Notes the variables; whether all of them can be guessed.
    fn note_variables(&mut self, program: &Program) -> bool {
        let (mut locals, mut shared) = (BTreeSet::new(), BTreeSet::new());
        let mut note = |place: &Place| match place.var {
            VarRef::Local(id) => drop(locals.insert(id)),
            VarRef::Global(id) => drop(shared.insert(id)),
        };
        let held = match &self.blocked {
            Blocked::Unless(e) => e.clone(),
            Blocked::Held(lock) => read(lock.clone()),
        };
        for e in self.unless_wrong.iter().chain([&held]) {
            let mut e = e.clone();
            visit::change(&mut e, &mut |part| {
                if let ExprKind::Read(place) = &part.kind {
                    note(place);
                }
            });
        }
        self.locals = locals.into_iter().collect();
        self.shared = shared;
        let declared = &program.procs[self.proc.index()].locals;
        let ty = |local: &LocalId| &declared[local.index()].ty;
        self.locals.iter().all(|local| !matches!(ty(local), Type::Array { .. } | Type::Int))
    }

    /// Whether a step that writes something may make a difference that matters.
    fn is_touched(&self, written: &Written, fairness: Fairness) -> bool {
        let lock_matters = match (&self.blocked, fairness) {
            (Blocked::Unless(_), _) | (_, Fairness::None) => true,
            (Blocked::Held(_), Fairness::Strong) => written.frees,
            (Blocked::Held(_), Fairness::Weak) => written.takes,
        };
        lock_matters && !self.shared.is_disjoint(&written.globals)
    }
}

impl Lasso {
    /// The number of a place at which a thread may wait, counted from 1.
    pub(super) fn waiting_at(&self, statement: u32) -> Option<(usize, &Waiting)> {
        let found = self.waiting.iter().position(|place| place.statement == statement)?;
        Some((found + 1, &self.waiting[found]))
    }

    /// An expression with the values that a waiting thread has kept.
    pub(super) fn with(
        &self,
        shared: &Shared,
        proc: ProcId,
        local: LocalId,
        thread: Expr,
    ) -> Option<Place> {
        let id = *self.waits_with.get(&(proc, local))?;
        let ty = shared.globals[id.index()].ty.scalar();
        Some(Place { indices: vec![thread], ..make::variable(VarRef::Global(id), ty) })
    }

    /// Where a thread waits, at an index into the threads.
    pub(super) fn waits(&self, shared: &Shared, thread: Expr) -> Option<Place> {
        let id = self.waits?;
        let ty = shared.globals[id.index()].ty.scalar();
        Some(Place { indices: vec![thread], ..make::variable(VarRef::Global(id), ty) })
    }

    /// Requires that a thread that waits at a place cannot go on there, at a moment.
    fn cannot_go_on(
        &self,
        shared: &Shared,
        thread: usize,
        place: &Waiting,
        moment: Moment,
    ) -> Expr {
        let moved = |e: &Expr| {
            let mut e = shared.expr_in(e, moment);
            visit::change(&mut e, &mut |part| {
                if let ExprKind::Read(read) = &mut part.kind
                    && let VarRef::Local(local) = read.var
                    && let Some(with) = self.with(shared, place.proc, local, make::number(thread))
                {
                    *read = with;
                }
            });
            e
        };
        let blocked = match &place.blocked {
            Blocked::Unless(e) => make::not(moved(e)),
            Blocked::Held(lock) => match moved(&read(lock.clone())).kind {
                ExprKind::Read(lock) => {
                    let lock = Place { ty: shared.plain(&lock.ty), ..lock };
                    make::not(shared.is_free(lock))
                }
                _ => make::truth(false),
            },
        };
        let parts = place.unless_wrong.iter().map(moved).chain([blocked]);
        all(parts).unwrap_or(make::truth(true))
    }

    /// What has to be seen to after a step of the running thread that writes something: who waits
    /// must still wait, or it is noted that it could not go on.
    pub(in super::super) fn after_write(
        &self,
        shared: &Shared,
        written: &Written,
        mark: Span,
    ) -> Block {
        let mut out = Vec::new();
        let Some(round) = self.again().or_else(|| shared.round()) else { return out };
        let start = || make::number(self.bounds.stem_rounds());
        for (thread, places) in self.waits_at.iter().enumerate() {
            for &index in places {
                let place = &self.waiting[index];
                let Some(waits) = self.waits(shared, make::number(thread)) else { continue };
                if !place.is_touched(written, self.endless.fairness) {
                    continue;
                }
                let blocked = self.cannot_go_on(shared, thread, place, Moment::Again);
                let here = make::number(index + 1);
                out.push(match self.hindered {
                    None => {
                        let other = binary(BinaryOp::Ne, read(waits), here);
                        let early = binary(BinaryOp::Lt, read(round.clone()), start());
                        let fine = binary(BinaryOp::Or, other, early);
                        stmt(StmtKind::Assume(binary(BinaryOp::Or, fine, blocked)), mark)
                    }
                    Some(hindered) => {
                        let late = binary(BinaryOp::Ge, read(round.clone()), start());
                        let now = binary(BinaryOp::And, equal(read(waits), here), late);
                        let now = binary(BinaryOp::And, now, blocked);
                        let flag =
                            element_of(VarRef::Global(hindered), &Type::Bool, &[thread as u32]);
                        let ever = binary(BinaryOp::Or, read(flag.clone()), now);
                        make::assign(vec![(flag, ever)], mark)
                    }
                });
            }
        }
        out
    }

    /// At the end: who waits could not go on at the start of the period, or not at some other point.
    pub(in super::super) fn at_start(&self, shared: &Shared, mark: Span) -> Block {
        let mut out = Vec::new();
        for (thread, places) in self.waits_at.iter().enumerate() {
            for &index in places {
                let place = &self.waiting[index];
                let Some(waits) = self.waits(shared, make::number(thread)) else { continue };
                let blocked = self.cannot_go_on(shared, thread, place, Moment::Start);
                let other = binary(BinaryOp::Ne, read(waits), make::number(index + 1));
                let flag = self.hindered.map(|hindered| {
                    read(element_of(VarRef::Global(hindered), &Type::Bool, &[thread as u32]))
                });
                let fine = [Some(other), flag, Some(blocked)].into_iter().flatten();
                let fine = fine.reduce(|a, b| binary(BinaryOp::Or, a, b));
                out.extend(fine.map(|fine| stmt(StmtKind::Assume(fine), mark)));
            }
        }
        out
    }
}
