//! # Names of threads
//!
//! **Question.** A program that starts a thread and joins it, again and again, has few threads at a
//! time. If each gets a name of its own, no two states are alike, and there is no end. Which names
//! can be given again?
//!
//! **Idea.** A name matters as long as somebody can look at it: a variable holds it, a lock remembers
//! it as its owner, or the thread that bears it has not ended. The first two are counted. Every step
//! knows what it takes from the top of a stack and what it puts there, so it can keep count of the
//! names on all stacks (`held`); shared variables can be looked through. A new thread gets the
//! smallest name that does not matter, and a thread that has ended is forgotten with its name.
//! Variables that are never read again hold nothing.
//!
//! **Claim** [Qadeer, Rehof 2005, Sec. 4]. Names are only copied, compared and joined, so renaming
//! the threads of a run gives a run. In a run with names that are never given twice, let f map each
//! name that matters in a state to the name that it has here. f is injective: a name is given only
//! when nobody has it. So comparisons and joins come out the same, step by step, in both directions.
//!
//! A thread that was dropped never acts, but its name can be seen: where names are compared with each
//! other it gets one like all threads do, and nothing ever ends under that name. Where they are only
//! joined or compared with `none`, all that were dropped share [`DROPPED`]: nobody can tell.
//!
//! **Needs.** More than [`MANY`] variables on stacks that hold one name are not counted: it is then
//! never given again. So recursion that passes a name on has finitely many shared states.

use super::Lowering;
use super::eval::Halt;
use super::execute::{Run, Started};
use super::intern::{Frame, Shared};
use crate::visit::{StepParts, any_part};
use crate::{AtomicOp, BinaryOp, Cond, Expr, ExprKind, Program, StmtKind, Type, Value, walk};

/// The name of a thread that was dropped when it was started, where nobody can tell it from that of
/// another one. It never ends.
pub(super) const DROPPED: Value = Value::Small(-1);

/// So many variables, or more.
const MANY: u32 = 8;

/// Which names a program looks at, and how.
#[derive(Clone, Copy, Default)]
pub(super) struct Names {
    /// Whether some thread is joined, so that the ends of threads are remembered.
    pub joins: bool,
    /// Whether names are compared with other names than `none`.
    pub compares: bool,
    /// Whether started threads are remembered as owners of locks.
    pub owners: bool,
}

impl Names {
    pub fn of(program: &Program, starts: bool, tracks_owners: bool) -> Self {
        let has = |test: &dyn Fn(&StmtKind) -> bool| {
            program.procs.iter().any(|proc| walk::any(&proc.body, &|s| test(&s.kind)))
        };
        let compared = |e: &Expr| any_part(e, &compares);
        Names {
            joins: has(&|kind| matches!(kind, StmtKind::Join(_))),
            compares: has(&|kind| compares_in(kind))
                || program.predicates.iter().any(|p| compared(&p.expr)),
            owners: starts && tracks_owners,
        }
    }

    /// Whether names are told apart at all.
    pub fn matter(self) -> bool {
        self.joins || self.compares || self.owners
    }

    /// Whether a thread has its name at the bottom of its stack: something happens when it ends.
    pub fn end(self) -> bool {
        self.joins || self.owners
    }
}

fn is_none(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Const(Value::Small(0)))
}

/// Whether an expression compares two names.
fn compares(e: &Expr) -> bool {
    let ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) = &e.kind else { return false };
    a.ty == Type::ThreadId && !is_none(a) && !is_none(b)
}

fn compares_in(kind: &StmtKind) -> bool {
    let parts = StepParts::of(kind);
    let indices = parts.written.iter().flat_map(|place| &place.indices);
    let op = match kind {
        StmtKind::Attempt { op, .. }
        | StmtKind::If { cond: Cond::Attempt { op, .. }, .. }
        | StmtKind::While { cond: Cond::Attempt { op, .. }, .. } => Some(op),
        _ => None,
    };
    let swaps = matches!(op, Some(AtomicOp::CompareAndSwap { place, expected, .. })
        if place.ty == Type::ThreadId && !is_none(expected));
    swaps || indices.chain(parts.exprs.iter().copied()).any(|e| any_part(e, &compares))
}

/// The name in a slot, if there is one.
fn name(value: &Value) -> Option<u32> {
    value.small().and_then(|n| u32::try_from(n).ok()).filter(|&n| n > 0)
}

impl Lowering {
    /// The names that the variables of a frame hold.
    fn names_in<'f>(&'f self, frame: &'f Frame) -> impl Iterator<Item = u32> + 'f {
        let slots = self.layout.thread_slots(self.flow.location(frame.loc).proc);
        slots.iter().filter_map(|&slot| name(&frame.locals[slot]))
    }

    /// Whether a shared variable holds a name, or a lock remembers it.
    fn is_shared_name(&self, globals: &[Value], id: u32) -> bool {
        let holds = |&slot: &usize| name(&globals[slot]) == Some(id);
        let owner = self.owner_of(id);
        let owns = |&slot: &usize| owner.is_some() && name(&globals[slot]) == owner;
        self.layout.shared_thread_slots().iter().any(holds)
            || (self.names.owners && self.layout.lock_slots().iter().any(owns))
    }

    /// A started thread as the owner of locks: the threads of the beginning come first.
    pub(super) fn owner_of(&self, id: u32) -> Option<u32> {
        u32::try_from(self.threads.len()).ok()?.checked_add(id)
    }

    /// The smallest name that does not matter.
    pub(super) fn free_name(&self, shared: &Shared, globals: &[Value]) -> u32 {
        if !self.names.matter() {
            return 1;
        }
        let is_free = |&id: &u32| {
            shared.held(id) == 0 && !shared.has_ended(id) && !self.is_shared_name(globals, id)
        };
        (1..u32::MAX).find(is_free).unwrap_or(u32::MAX)
    }

    /// Counts the names on stacks after a step: what it takes from a stack, and what it puts on one. A
    /// thread whose name nobody has got needs none.
    pub(super) fn recount(
        &self,
        shared: &mut Shared,
        taken: &Frame,
        put: [Option<&Frame>; 2],
        started: Option<&mut Started>,
    ) {
        if !self.names.matter() {
            return;
        }
        let mut held = shared.held.to_vec();
        let mut put: Vec<&Frame> = put.into_iter().flatten().collect();
        put.extend(started.as_deref().map(|started| &started.frame));
        put.iter().for_each(|frame| self.names_in(frame).for_each(|id| take(&mut held, id)));
        self.names_in(taken).for_each(|id| let_go(&mut held, id));
        shared.held = held.into();
        if let Some(Started { id, .. }) = started.filter(|started| started.id > 0) {
            let seen = shared.held(*id) > 0 || self.is_shared_name(&shared.globals, *id);
            if !self.names.end() || !(seen || self.names.owners) {
                *id = 0;
            } else {
                let mut held = std::mem::take(&mut shared.held).into_vec();
                take(&mut held, *id);
                shared.held = held.into();
            }
        }
        self.forget(shared);
    }

    /// The bottom of the stack of a started thread is taken: it has ended.
    pub(super) fn end(&self, shared: &mut Shared, id: u32) {
        let mut held = shared.held.to_vec();
        let_go(&mut held, id);
        shared.held = held.into();
        if self.names.joins {
            let mut ended = std::mem::take(&mut shared.ended).into_vec();
            if let Err(at) = ended.binary_search(&id) {
                ended.insert(at, id);
            }
            shared.ended = ended.into();
        }
        self.forget(shared);
    }

    /// Forgets threads that have ended and whose names nobody holds. Results that are on their way
    /// may hold them; what they are is not known here.
    fn forget(&self, shared: &mut Shared) {
        let on_their_way = |id| shared.returned.iter().flatten().any(|v| name(v) == Some(id));
        let matters = |id: &&u32| {
            shared.held(**id) > 0
                || self.is_shared_name(&shared.globals, **id)
                || on_their_way(**id)
        };
        if !shared.ended.iter().all(|id| matters(&id)) {
            shared.ended = shared.ended.iter().filter(matters).copied().collect();
        }
    }
}

impl Run<'_> {
    /// The id of a new thread; 0 if nobody gets it.
    pub(super) fn free_name(&self, kept: bool) -> u32 {
        if !kept && !self.lowering.names.owners {
            return 0;
        }
        self.lowering.free_name(&self.shared, &self.eval.values.globals)
    }

    /// A new thread as the owner of locks, where owners are kept.
    pub(super) fn owner_of(&self, id: u32) -> u32 {
        if self.frame.owner == 0 { 0 } else { self.lowering.owner_of(id).unwrap_or(u32::MAX) }
    }

    pub(super) fn join(&mut self, thread: &Expr) -> Result<(), Halt> {
        let id = self.eval.eval(thread)?;
        if id == DROPPED {
            return Err(Halt::Blocked);
        }
        let Some(id) = id.small().and_then(|n| u32::try_from(n).ok()).filter(|&n| n > 0) else {
            return Err(Halt::Wrong("join of a thread that was never started".to_owned()));
        };
        self.only_if(self.shared.has_ended(id))
    }
}

/// One variable more holds a name.
fn take(held: &mut Vec<(u32, u32)>, id: u32) {
    match held.binary_search_by_key(&id, |&(id, _)| id) {
        Ok(at) => held[at].1 = held[at].1.saturating_add(1).min(MANY),
        Err(at) => held.insert(at, (id, 1)),
    }
}

/// One variable less holds a name.
fn let_go(held: &mut Vec<(u32, u32)>, id: u32) {
    if let Ok(at) = held.binary_search_by_key(&id, |&(id, _)| id) {
        match held[at].1 {
            MANY => {}
            0 | 1 => {
                held.remove(at);
            }
            count => held[at].1 = count - 1,
        }
    }
}

impl Shared {
    /// How many variables on stacks hold a name, with the thread that bears it.
    fn held(&self, id: u32) -> u32 {
        let at = self.held.binary_search_by_key(&id, |&(id, _)| id);
        at.map_or(0, |at| self.held[at].1)
    }

    /// Whether the thread of a name has ended.
    pub(super) fn has_ended(&self, id: u32) -> bool {
        self.ended.binary_search(&id).is_ok()
    }
}
