//! # The shared variables of the result
//! Copies, guesses, and what the reduction itself remembers.

use num_bigint::BigInt;

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
    failed: GlobalId,
    me: Option<GlobalId>,
    threads: usize,
    pub names: Names,
}

/// What the variables of the reduction itself are called.
#[derive(Clone, Debug)]
pub(super) struct OwnNames {
    pub round: Option<String>,
    pub stopped: String,
    pub failed: String,
    pub me: Option<String>,
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
    pub fn new(program: &Program, rounds: u32, flow: &Flow, threads: usize) -> Self {
        let mut shared = Shared {
            rounds,
            globals: Vec::new(),
            written: written_globals(program),
            owners: flow.tracks_owners,
            guesses: vec![None; program.globals.len()],
            round: None,
            stopped: GlobalId(0),
            failed: GlobalId(0),
            me: None,
            threads,
            names: Names::of(program),
        };
        for (id, global) in program.globals.iter().enumerate() {
            let copies = if shared.is_copied(GlobalId(id as u32)) { rounds } else { 1 };
            let ty = shared.plain(&global.ty);
            let mut init = global.init.clone();
            init.resize(ty.slots() * copies as usize, Value::Open);
            let ty = if copies > 1 { array(ty, copies) } else { ty };
            shared.globals.push(Variable { ty, init, ..global.clone() });
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
        shared.me = shared.owners.then(|| shared.declare("me", make::range(0, threads), zero));
        shared.stopped = shared.declare("stopped", Type::Bool, no.clone());
        shared.failed = shared.declare("failed", Type::Bool, no);
        shared
    }

    fn declare(&mut self, name: &str, ty: Type, value: Value) -> GlobalId {
        let id = GlobalId(self.globals.len() as u32);
        let (name, init) = (self.names.fresh(name), vec![value; ty.slots()]);
        self.globals.push(Variable { name, ty, init, span: Span::default() });
        id
    }

    pub fn own_names(&self) -> OwnNames {
        let name = |id: GlobalId| self.globals[id.index()].name.clone();
        OwnNames {
            round: self.round.map(name),
            stopped: name(self.stopped),
            failed: name(self.failed),
            me: self.me.map(name),
        }
    }

    /// The round of the running thread, and whether it has stopped.
    pub fn own_ids(&self) -> (Option<GlobalId>, GlobalId) {
        (self.round, self.stopped)
    }

    /// Whether there is a copy of the variable for each round.
    pub fn is_copied(&self, id: GlobalId) -> bool {
        self.rounds > 1 && self.written[id.index()]
    }

    /// Whether other threads may write what is at a place.
    pub fn is_shared(&self, place: &Place) -> bool {
        matches!(place.var, VarRef::Global(id) if self.written[id.index()])
    }

    /// A type without locks: a lock is held or not, or the number of its owner.
    fn plain(&self, ty: &Type) -> Type {
        match ty {
            Type::Array { element, length } => array(self.plain(element), *length),
            Type::Lock if self.owners => make::range(0, self.threads),
            Type::Lock => Type::Bool,
            other => other.clone(),
        }
    }

    /// A place, in the round of the running thread.
    pub fn place(&self, place: &Place) -> Place {
        let mut indices: Vec<Expr> = place.indices.iter().map(|i| self.expr(i)).collect();
        if let VarRef::Global(id) = place.var
            && self.is_copied(id)
            && let Some(round) = self.round()
        {
            indices.insert(0, make::read(round));
        }
        Place { indices, ty: self.plain(&place.ty), ..place.clone() }
    }

    /// An expression, in the round of the running thread.
    pub fn expr(&self, e: &Expr) -> Expr {
        let mut e = e.clone();
        visit::change(&mut e, &mut |part| {
            if let ExprKind::Fair = part.kind {
                part.kind = ExprKind::Any;
            }
            if let ExprKind::Read(place) | ExprKind::Primed(place) = &mut part.kind
                && let VarRef::Global(id) = place.var
                && self.is_copied(id)
                && let Some(round) = self.round()
            {
                place.indices.insert(0, make::read(round));
            }
        });
        e
    }

    /// An element of the copy of a variable for a round, or of a guess.
    pub fn element(&self, var: GlobalId, round: u32, element: &[u32]) -> Place {
        let ty = self.globals[var.index()].ty.scalar();
        let indices = std::iter::once(round).chain(element.iter().copied()).map(make::number);
        Place { indices: indices.collect(), ..make::variable(VarRef::Global(var), ty) }
    }

    fn scalar(&self, id: GlobalId) -> Place {
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
    pub fn failed(&self) -> Place {
        self.scalar(self.failed)
    }

    /// The number of the running thread, if locks know who holds them.
    pub fn me(&self) -> Option<Place> {
        self.me.map(|id| self.scalar(id))
    }

    /// What is in a lock that is free.
    pub fn free(&self) -> Expr {
        if self.owners { make::number(0) } else { make::truth(false) }
    }

    /// What is in a lock that the running thread holds.
    pub fn held(&self) -> Expr {
        self.me().map_or(make::truth(true), make::read)
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
        let round = self.round()?;
        let last = make::number(BigInt::from(self.rounds - 1));
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
