//! # The shared variables of the result
//! Copies, guesses, and what the reduction itself remembers.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::lasso::Lasso;
use crate::flow::Flow;
use crate::make;
use crate::names::Names;
use crate::visit::{self, StepParts};
use crate::walk;
use crate::{
    BinaryOp, Expr, ExprKind, GlobalId, Place, Program, Span, Type, Value, VarRef, Variable,
};

/// The shared variables of the result, and how places of the original are found among them.
pub(super) struct Shared {
    pub rounds: u32,
    /// The shared variables of the result: those of the original, with the same ids, come first.
    pub globals: Vec<Variable>,
    /// Whether some statement of the original writes the variable.
    pub written: Vec<bool>,
    /// Whether locks know who holds them.
    pub owners: bool,
    /// The guesses for each variable that is copied.
    pub guesses: Vec<Option<GlobalId>>,
    round: Option<GlobalId>,
    stopped: GlobalId,
    /// Whether a thread has failed, if that is what is asked.
    failed: Option<GlobalId>,
    me: Option<GlobalId>,
    /// The variables for a livelock, if that is the question.
    pub lasso: Option<Lasso>,
    pub threads: usize,
    pub names: Names,
}

/// Selects a copy of the shared variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Moment {
    /// The copy of the running thread's round.
    Now,
    /// The copy of the round in which the thread does the same again.
    Again,
    /// The copy with the guessed values at the start of the period.
    Start,
}

/// The names of the reduction's own variables.
#[derive(Clone, Debug)]
pub(super) struct OwnNames {
    pub round: Option<String>,
    pub stopped: String,
    pub failed: Option<String>,
    pub me: Option<String>,
    /// The variables for a livelock, each with its meaning.
    pub lasso: Vec<String>,
}

/// For each shared variable, whether some statement that threads can get to writes it.
pub(super) fn written_globals(program: &Program) -> Vec<bool> {
    let mut written = vec![false; program.globals.len()];
    let called = walk::called_from(program, program.threads.iter().map(|t| t.proc).collect());
    for (proc, _) in program.procs.iter().zip(called).filter(|(_, called)| *called) {
        walk::each(&proc.body, &mut |s| {
            for place in StepParts::of(&s.kind).written {
                if let VarRef::Global(id) = place.var {
                    written[id.index()] = true;
                }
            }
        });
    }
    written
}

impl Shared {
    /// The copies of the variables for `rounds` rounds, with what is needed for failures or for a lasso.
    pub fn new(
        program: &Program,
        rounds: u32,
        flow: &Flow,
        threads: usize,
        lasso: Option<Lasso>,
    ) -> Self {
        let mut shared = Shared {
            rounds,
            globals: Vec::new(),
            written: written_globals(program),
            owners: flow.tracks_owners,
            guesses: vec![None; program.globals.len()],
            round: None,
            stopped: GlobalId(0),
            failed: None,
            me: None,
            lasso: None,
            threads,
            names: Names::of(program),
        };
        for (id, global) in program.globals.iter().enumerate() {
            let copies = if shared.is_copied(GlobalId(id as u32)) { rounds } else { 1 };
            let ty = shared.plain(&global.ty);
            let mut init = global.init.clone();
            init.resize(ty.slots() * copies as usize, Value::Open);
            let ty = if copies > 1 { array(ty, copies) } else { ty };
            // Where the index stands in a name depends on the dimensions, and there is one more.
            let name = global.name.replace("[]", "");
            shared.globals.push(Variable {
                name,
                ty,
                init,
                counts_threads: false,
                looks: None,
                ..global.clone()
            });
        }
        for (id, global) in program.globals.iter().enumerate() {
            if shared.is_copied(GlobalId(id as u32)) {
                let ty = array(shared.plain(&global.ty), rounds - 1);
                let guess = shared.declare(&format!("{}_guess", global.name), ty, Value::Open);
                shared.guesses[id] = Some(guess);
            }
        }
        let (zero, no) = (Value::Small(0), Value::FALSE);
        shared.round =
            (rounds > 1).then(|| shared.declare("k", make::range(0, rounds - 1), zero.clone()));
        let needs_me = shared.owners || lasso.as_ref().is_some_and(Lasso::somebody_waits);
        shared.me = needs_me.then(|| shared.declare("me", make::range(0, threads), zero));
        shared.stopped = shared.declare("stopped", Type::Bool, no.clone());
        match lasso {
            None => shared.failed = Some(shared.declare("failed", Type::Bool, no)),
            Some(lasso) => lasso.declare(program, flow, &mut shared),
        }
        shared
    }

    pub fn declare(&mut self, name: &str, ty: Type, value: Value) -> GlobalId {
        let id = GlobalId(self.globals.len() as u32);
        let (name, init) = (self.names.fresh(&name.replace("[]", "")), vec![value; ty.slots()]);
        self.globals.push(Variable {
            name,
            ty,
            init,
            counts_threads: false,
            looks: None,
            span: Span::default(),
        });
        id
    }

    pub fn own_names(&self) -> OwnNames {
        let name = |id: GlobalId| self.globals[id.index()].name.clone();
        OwnNames {
            round: self.round.map(name),
            stopped: name(self.stopped),
            failed: self.failed.map(name),
            me: self.me.map(name),
            lasso: self.lasso.iter().flat_map(|lasso| lasso.explain(&name)).collect(),
        }
    }

    /// The round of the running thread, and whether it has stopped.
    pub fn own_ids(&self) -> (Option<GlobalId>, GlobalId) {
        (self.round, self.stopped)
    }

    /// Where the values of the variables of the original are: the first slot of each, how many slots
    /// it has, and whether there is a copy for each round.
    pub fn slots(&self) -> Vec<(usize, usize, bool)> {
        let mut first = 0;
        let mut slots = Vec::new();
        for (id, variable) in self.globals.iter().enumerate().take(self.written.len()) {
            let is_copied = self.is_copied(GlobalId(id as u32));
            let all = variable.ty.slots();
            slots.push((
                first,
                if is_copied { all / self.rounds as usize } else { all },
                is_copied,
            ));
            first += all;
        }
        slots
    }

    /// The first slot of the guesses for each variable of the original, if there are any.
    pub fn guess_slots(&self) -> Vec<Option<usize>> {
        let first = |id: GlobalId| -> usize {
            self.globals[..id.index()].iter().map(|before| before.ty.slots()).sum()
        };
        self.guesses.iter().map(|guess| guess.map(first)).collect()
    }

    /// Whether there is a copy of the variable for each round.
    pub fn is_copied(&self, id: GlobalId) -> bool {
        self.rounds > 1 && self.written[id.index()]
    }

    /// The variables that are written.
    pub fn written_ids(&self) -> BTreeSet<GlobalId> {
        let ids = (0..).map(GlobalId).zip(&self.written);
        ids.filter(|(_, written)| **written).map(|(id, _)| id).collect()
    }

    /// Whether other threads may write what is at a place.
    pub fn is_shared(&self, place: &Place) -> bool {
        matches!(place.var, VarRef::Global(id) if self.written[id.index()])
    }

    /// A type without locks: a lock is held or not, or the number of its owner.
    pub fn plain(&self, ty: &Type) -> Type {
        match ty {
            Type::Array { element, length } => array(self.plain(element), *length),
            Type::Lock if self.owners => make::range(0, self.threads),
            Type::Lock => Type::Bool,
            other => other.clone(),
        }
    }

    /// A place, in the round of the running thread.
    pub fn place(&self, place: &Place) -> Place {
        self.place_in(place, Moment::Now)
    }

    /// An expression, in the round of the running thread.
    pub fn expr(&self, e: &Expr) -> Expr {
        self.expr_in(e, Moment::Now)
    }

    /// A place in a copy of the shared variables.
    pub fn place_in(&self, place: &Place, moment: Moment) -> Place {
        let mut place = place.clone();
        for index in &mut place.indices {
            self.move_to(index, moment);
        }
        self.move_place(&mut place, moment);
        place.ty = self.plain(&place.ty);
        place
    }

    /// An expression over a copy of the shared variables.
    pub fn expr_in(&self, e: &Expr, moment: Moment) -> Expr {
        let mut e = e.clone();
        self.move_to(&mut e, moment);
        e
    }

    fn move_to(&self, e: &mut Expr, moment: Moment) {
        visit::change(e, &mut |part| {
            if let ExprKind::Fair = part.kind {
                part.kind = ExprKind::Any;
            }
            if let ExprKind::Read(place) | ExprKind::Primed(place) = &mut part.kind {
                self.move_place(place, moment);
            }
        });
    }

    /// The same place in a copy; the indices are left as they are.
    fn move_place(&self, place: &mut Place, moment: Moment) {
        let VarRef::Global(id) = place.var else { return };
        if !self.is_copied(id) {
            return;
        }
        let round = match (moment, &self.lasso) {
            (Moment::Again, Some(lasso)) => lasso.again().or_else(|| self.round()).map(make::read),
            (Moment::Start, Some(lasso)) => {
                place.var = VarRef::Global(self.guesses[id.index()].unwrap_or(id));
                Some(make::number(lasso.bounds.stem_rounds() - 1))
            }
            _ => self.round().map(make::read),
        };
        place.indices.splice(0..0, round);
    }

    /// An element of the copy of a variable for a round, or of a guess.
    pub fn element(&self, var: GlobalId, round: u32, element: &[u32]) -> Place {
        let ty = self.globals[var.index()].ty.scalar();
        let indices = std::iter::once(round).chain(element.iter().copied()).map(make::number);
        Place { indices: indices.collect(), ..make::variable(VarRef::Global(var), ty) }
    }

    /// A variable of the reduction itself.
    pub fn scalar(&self, id: GlobalId) -> Place {
        make::variable(VarRef::Global(id), &self.globals[id.index()].ty)
    }

    /// The round of the running thread; not there if there is only one.
    pub fn round(&self) -> Option<Place> {
        self.round.map(|id| self.scalar(id))
    }

    /// Whether the running thread has stopped for good.
    pub fn stopped(&self) -> Place {
        self.scalar(self.stopped)
    }

    /// Whether a thread has failed.
    pub fn failed(&self) -> Option<Place> {
        self.failed.map(|id| self.scalar(id))
    }

    /// The number of the running thread, if locks know who holds them.
    pub fn me(&self) -> Option<Place> {
        self.me.map(|id| self.scalar(id))
    }

    /// The value of a lock that is free.
    pub fn free(&self) -> Expr {
        if self.owners { make::number(0) } else { make::truth(false) }
    }

    /// The value of a lock that the running thread holds.
    pub fn held(&self) -> Expr {
        match self.me() {
            Some(me) if self.owners => make::read(me),
            _ => make::truth(true),
        }
    }

    /// Whether a lock is free.
    pub fn is_free(&self, lock: Place) -> Expr {
        if self.owners {
            make::equal(make::read(lock), make::number(0))
        } else {
            make::not(make::read(lock))
        }
    }

    /// `{k .. K-1}`: this round or a later one.
    pub fn later_round(&self) -> Option<(Place, Expr)> {
        self.later_round_to(make::number(BigInt::from(self.rounds - 1)))
    }

    /// This round or a later one, up to a last one.
    pub fn later_round_to(&self, last: Expr) -> Option<(Place, Expr)> {
        let round = self.round()?;
        let between = ExprKind::Between(Box::new(make::read(round.clone())), Box::new(last));
        let later = make::expr(between, Type::Int, Span::default());
        Some((round, later))
    }

    /// Whether the running thread does not hold a lock.
    pub fn is_not_mine(&self, lock: Place) -> Expr {
        make::binary(BinaryOp::Ne, make::read(lock), self.held())
    }
}

fn array(element: Type, length: u32) -> Type {
    Type::Array { element: Box::new(element), length }
}
