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
//! **Atomic sections.** Nobody acts while a thread is inside of one, so it is *about to* make its first access only. Where a later access of a section meets one that another thread is about to make, people do not
//! agree whether that is a race: it is neither taken for one nor is its absence proved, but told as a limit. An access is taken for the first one only where the text shows that, right behind the start of the section.
//!
//! **Fewer accesses.** Objects that are never written, that only one thread can reach, or that one lock protects, need no look: [`super::guards`].

use selvedge_program::make::{constant, read, truth};
use selvedge_program::telling::{Manner, Told};
use selvedge_program::{BinaryOp, GlobalId, Place, Span, StmtKind, Type, Value, VarRef};

use super::Lower;
use super::access::At;
use super::arithmetic::{binary, negate};
use super::function::Fun;
use super::memory::place;

/// An access to an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Touch {
    /// Whether it is a write.
    pub(super) writes: bool,
    /// Whether that is an atomic operation.
    pub(super) atomic: bool,
}

impl Touch {
    /// A write that others may meet.
    pub(super) const WRITE: Touch = Touch { writes: true, atomic: false };
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
        let watched = self.lower.watch.zip(at.address.clone());
        let Some(((watch, writes), address)) = watched.filter(|_| self.is_watched(&at.place))
        else {
            self.is_first &= !matches!(at.place.var, VarRef::Global(_));
            return act(self);
        };
        let address = self.simple(address, span);
        let note = place(VarRef::Global(watch), Vec::new(), &address.ty, span);
        let note_writes = place(VarRef::Global(writes), Vec::new(), &Type::Bool, span);
        let same = binary(BinaryOp::Eq, read(note.clone()), address.clone(), span);
        let conflict = match touch.writes {
            true => same,
            false => binary(BinaryOp::And, same, read(note_writes.clone()), span),
        };
        let apart = negate(conflict);
        let reason =
            format!("data race: `{}` is accessed by two threads at once", self.name_of(&at.place));
        self.lower.program.reasons.insert(span, reason);
        if self.atomic && !std::mem::replace(&mut self.is_first, false) {
            let reason = "an access inside of an atomic section, while another thread is about to access the same object: whether \
                          that is a data race is not settled";
            self.branch(apart, span, |_| {}, |fun| fun.limit(span, reason.to_owned()));
            return act(self);
        }
        if self.atomic {
            self.emit(StmtKind::Assert(apart), span);
            return act(self);
        }
        let look = StmtKind::Assert(apart);
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
