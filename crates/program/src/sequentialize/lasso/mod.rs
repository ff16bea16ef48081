//! # A livelock as a question about rounds
//!
//! **Question.** Is there a run that repeats itself for ever, with one context of each thread in each
//! round, asked of a program with one thread?
//!
//! **Idea.** K1 + K2 - 1 rounds are the *stem*, K2 rounds after them the *period*: the shared variables
//! are after it as they were before it. That is not enough for a thread, since its stack need not
//! be as it was; and where in the period it comes back to the same place is its own matter. So
//! each thread has a *keyframe*: at the start of a round `from`, one of the last K2 of the
//! stem or the first one of the period, it notes where it is, `at`, and the values of its locals. K2
//! rounds later it has to be there again, perhaps with more on its stack, but without ever having
//! returned from the procedure that it was in: then it can do the same again. As long as it is
//! in the stem after its keyframe, it acts in two rounds at once, `k` and `again`, K2 rounds later:
//! what it does there is what it will do again and again.
//!
//! **Claim** [Atig, Bouajjani, Emmi, Lal 2012, Fig. 2, Lemma 5]. The result goes wrong exactly if
//! there is such a run that is fair. What is different from Fig. 2 is in
//! `docs/decisions/0020-livelock-translation.md`.
//!
//! **Needs.** As for other rounds. A thread that does not act in the period waits at an `acquire`, an
//! `assume`, or an atomic block that begins with one ([`waiting`]); elsewhere it is not known to wait.

mod again;
mod fair;
mod waiting;
mod yields;

use std::collections::{BTreeMap, BTreeSet};

use selvedge_model::{Endless, Fairness};

use super::driver::Run;
use super::shared::Shared;
use crate::flow::{Flow, Live};
use crate::make;
use crate::visit::StepParts;
use crate::{
    BinaryOp, Expr, ExprKind, GlobalId, LocalId, Place, ProcId, Program, Span, Stmt, StmtKind,
    Type, Value, VarRef, walk,
};
use waiting::Waiting;
pub(super) use waiting::Written;
pub(super) use yields::Section;

/// How many rounds a run has before it repeats itself, and how many it repeats.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bounds {
    /// K1, the rounds before the first keyframe: 0 if one is at the very start, with nothing but steps
    /// on locals before it.
    pub stem: u32,
    /// K2, at least 1: the rounds of the period.
    pub lasso: u32,
}

impl Bounds {
    /// The bounds with at least one round before the period; if there was none, no thread acts in it.
    pub(super) fn with_stem(self) -> Self {
        Bounds { stem: self.stem.max(1), ..self }
    }

    /// The number of rounds before the period: by its start all threads have had their keyframes.
    #[must_use]
    pub fn stem_rounds(self) -> u32 {
        self.stem + (self.lasso - 1)
    }

    /// How many rounds there are, the period included.
    #[must_use]
    pub fn rounds(self) -> u32 {
        self.stem_rounds() + self.lasso
    }
}

/// The variables that the reduction adds for a livelock.
pub(super) struct Lasso {
    /// The bounds, with at least one round for the stem.
    pub bounds: Bounds,
    /// Whether no thread acts in the first round, because the stem has no rounds.
    at_once: bool,
    pub endless: Endless,
    /// Whether a procedure is called by others, so that it may be on a stack several times.
    called: Vec<bool>,
    waiting: Vec<Waiting>,
    /// For each thread, where it may wait: numbers in `waiting`.
    waits_at: Vec<Vec<usize>>,
    /// The round of the keyframe, if there is a choice.
    from: Option<GlobalId>,
    /// The round in which the thread does the same again, if it may be another one.
    again: Option<GlobalId>,
    /// The place of the keyframe.
    at: Option<GlobalId>,
    /// The values of locals at the keyframe.
    kept: BTreeMap<(ProcId, LocalId), GlobalId>,
    /// Whether some thread acts in the period, if that is not certain.
    acts: Option<GlobalId>,
    /// For each thread, where it waits: 0 if it does not.
    waits: Option<GlobalId>,
    /// For each thread, what it waits with: locals that say what it waits for.
    waits_with: BTreeMap<(ProcId, LocalId), GlobalId>,
    /// For each thread, whether it could not act at some point of the period, if that is enough.
    hindered: Option<GlobalId>,
    /// The fair choices, by their places in the text.
    fair: Vec<u32>,
    /// For each of them, whether it came out true in the period, and whether it came out false.
    fair_true: Option<GlobalId>,
    fair_false: Option<GlobalId>,
}

impl Lasso {
    /// What is known before there are any variables. `inside` says of each step whether it lies
    /// inside of an atomic section.
    pub fn new(
        bounds: Bounds,
        endless: Endless,
        program: &Program,
        inside: &[bool],
        threads: &[Run],
    ) -> Self {
        let mut called = vec![false; program.procs.len()];
        for proc in &program.procs {
            walk::each(&proc.body, &mut |s| {
                if let StmtKind::Call { proc, .. } = s.kind {
                    called[proc.index()] = true;
                }
            });
        }
        let waiting = match endless.fairness {
            Fairness::None => Vec::new(),
            Fairness::Weak | Fairness::Strong => waiting::find(program, inside),
        };
        let places = |run: &Run| {
            let runs = walk::called_from(program, vec![run.proc]);
            let places = waiting.iter().enumerate().filter(|(_, place)| runs[place.proc.index()]);
            places.map(|(index, _)| index).collect()
        };
        Lasso {
            at_once: bounds.stem == 0,
            bounds: bounds.with_stem(),
            endless,
            called,
            waits_at: threads.iter().map(places).collect(),
            waiting,
            from: None,
            again: None,
            at: None,
            kept: BTreeMap::new(),
            acts: None,
            waits: None,
            waits_with: BTreeMap::new(),
            hindered: None,
            fair: match endless.fairness {
                Fairness::None => Vec::new(),
                Fairness::Weak | Fairness::Strong => fair::find(program),
            },
            fair_true: None,
            fair_false: None,
        }
    }

    /// The meaning of its variables, for people.
    pub fn explain(&self, name: &dyn Fn(GlobalId) -> String) -> Vec<String> {
        let mut lines = Vec::new();
        let mut tell = |id: Option<GlobalId>, meaning: &str| {
            lines.extend(id.map(|id| format!("{}: {meaning}", name(id))));
        };
        tell(self.from, "the round at whose start the thread is at its keyframe.");
        tell(self.again, "the round in which it does the same again, k if there is none.");
        tell(self.at, "where the keyframe is; p_x_at: the local x of p there.");
        tell(self.acts, "some thread is through a period.");
        tell(
            self.waits,
            "where thread i waits for ever, 0 if it does not; p_x_waits: with which x.",
        );
        tell(self.fair_true, "fair choice i came out true in the period.");
        tell(self.fair_false, "it came out false.");
        tell(self.hindered, "thread i could not go on at some point of the period.");
        lines
    }

    /// Whether there is a place at which a thread may wait.
    pub fn somebody_waits(&self) -> bool {
        self.waits_at.iter().any(|places| !places.is_empty())
    }

    /// Declares the variables that are needed, and gives itself to the shared variables.
    pub fn declare(mut self, program: &Program, flow: &Flow, shared: &mut Shared) {
        let Bounds { stem, lasso } = self.bounds;
        let last = self.bounds.stem_rounds();
        if lasso > 1 {
            let first = Value::Small(i64::from(stem));
            self.from = Some(shared.declare("from", make::range(stem, last), first));
            let rounds = make::range(0, self.bounds.rounds() - 1);
            self.again = Some(shared.declare("again", rounds, Value::Small(0)));
        }
        if self.may_end() || self.somebody_waits() {
            self.acts = Some(shared.declare("acts", Type::Bool, Value::FALSE));
        }
        let mut places = 0u32;
        for proc in &program.procs {
            walk::each(&proc.body, &mut |_| places += 1);
        }
        self.at = Some(shared.declare("at", make::range(0, places), Value::Small(0)));
        let reached = walk::called_from(program, program.threads.iter().map(|t| t.proc).collect());
        for (id, proc) in crate::flow::procs(program).filter(|(id, _)| reached[id.index()]) {
            for local in self.kept_locals(program, flow, id) {
                let variable = &proc.locals[local.index()];
                let name = format!("{}_{}_at", proc.name, variable.name);
                let first = some_value(variable.ty.scalar());
                let kept = shared.declare(&name, variable.ty.clone(), first);
                self.kept.insert((id, local), kept);
            }
        }
        if self.somebody_waits() {
            self.declare_waiting(program, shared);
        }
        if !self.fair.is_empty() {
            let length = self.fair.len() as u32;
            let flags = Type::Array { element: Box::new(Type::Bool), length };
            self.fair_true = Some(shared.declare("fair_true", flags.clone(), Value::FALSE));
            self.fair_false = Some(shared.declare("fair_false", flags, Value::FALSE));
        }
        shared.lasso = Some(self);
    }

    fn declare_waiting(&mut self, program: &Program, shared: &mut Shared) {
        let each = |element: Type| {
            let length = shared.threads as u32;
            Type::Array { element: Box::new(element), length }
        };
        let (places, flags) = (each(make::range(0, self.waiting.len())), each(Type::Bool));
        let mut types = BTreeMap::new();
        for place in &self.waiting {
            for &local in &place.locals {
                let ty = &program.procs[place.proc.index()].locals[local.index()].ty;
                types.insert((place.proc, local), each(ty.clone()));
            }
        }
        self.waits = Some(shared.declare("waits", places, Value::Open));
        for ((proc, local), ty) in types {
            let declared = &program.procs[proc.index()];
            let name = format!("{}_{}_waits", declared.name, declared.locals[local.index()].name);
            self.waits_with.insert((proc, local), shared.declare(&name, ty, Value::Open));
        }
        if self.endless.fairness == Fairness::Weak {
            self.hindered = Some(shared.declare("hindered", flags, Value::FALSE));
        }
    }

    /// The locals that make a difference where a thread may be left. A thread that is in a procedure
    /// that nobody calls is there all the time, so that parameters that are never set need no note;
    /// nor do locals that are set outside of all loops only: between two visits of one place they are
    /// not set.
    fn kept_locals(&self, program: &Program, flow: &Flow, id: ProcId) -> Vec<LocalId> {
        let proc = &program.procs[id.index()];
        let (set, again) = (written_in(&proc.body), set_again(&proc.body));
        let here = flow.locations.iter().zip(&flow.live).filter(|(l, _)| l.proc == id && !l.atomic);
        let live: Vec<&Live> = here.map(|(_, live)| live).collect();
        let is_live = |local: &LocalId| live.iter().any(|live| live.has(*local));
        let may_differ = |local: &LocalId| {
            let is_fixed = match set.contains(local) {
                true => !again.contains(local),
                false => local.index() < proc.params,
            };
            self.called[id.index()] || !is_fixed
        };
        let locals = (0..proc.locals.len() as u32).map(LocalId);
        locals.filter(|local| is_live(local) && may_differ(local)).collect()
    }

    /// Whether frames of a procedure need to know that they are keyframes, and must not be left.
    pub fn has_bottom(&self, proc: ProcId) -> bool {
        self.called[proc.index()]
    }

    /// Whether a thread may have ended.
    fn may_end(&self) -> bool {
        self.endless.ended || self.endless.fairness == Fairness::None
    }

    /// That a thread whose procedure is left is through with it: at its keyframe again, waiting, or,
    /// where that is allowed, ended before it had a keyframe.
    pub fn is_through(&self, shared: &Shared) -> Expr {
        let stopped = make::read(shared.stopped());
        match self.at.filter(|_| self.may_end()) {
            Some(at) => {
                let ended = make::equal(make::read(shared.scalar(at)), make::number(0));
                make::binary(BinaryOp::Or, stopped, ended)
            }
            None => stopped,
        }
    }

    /// The variable that is the round of the keyframe.
    pub fn keyframe_round(&self) -> Option<GlobalId> {
        self.from
    }

    /// The round in which the thread does the same again, if it may be another one.
    pub fn again(&self) -> Option<Place> {
        let rounds = make::range(0, self.bounds.rounds() - 1);
        self.again.map(|id| make::variable(VarRef::Global(id), &rounds))
    }

    /// The round of the keyframe.
    pub fn from(&self, shared: &Shared) -> Expr {
        match self.from {
            Some(from) => make::read(shared.scalar(from)),
            None => make::number(self.bounds.stem_rounds()),
        }
    }

    /// The last round of a thread: one before it is at its keyframe again.
    pub fn last(&self, shared: &Shared) -> Expr {
        match self.from {
            Some(from) => make::binary(
                BinaryOp::Add,
                make::read(shared.scalar(from)),
                make::number(self.bounds.lasso - 1),
            ),
            None => make::number(self.bounds.stem_rounds()),
        }
    }

    /// Chooses the round of the keyframe of the next thread.
    pub fn choose_keyframe(&self, shared: &Shared, mark: Span) -> Option<Stmt> {
        let from = shared.scalar(self.from?);
        let rounds = (make::number(self.bounds.stem), make::number(self.bounds.stem_rounds()));
        let between = ExprKind::Between(Box::new(rounds.0), Box::new(rounds.1));
        let chosen = make::expr(between, Type::Int, Span::default());
        Some(make::assign(vec![(from, chosen)], mark))
    }

    /// Whether no thread acts in the period: a run is found if this is false.
    pub fn nobody_acts(&self, shared: &Shared) -> Expr {
        self.acts.map_or(make::truth(false), |acts| make::not(make::read(shared.scalar(acts))))
    }

    /// The variables that a thread starts with, and their values: nothing is left of the thread
    /// before it.
    pub fn forget_thread(&self, shared: &Shared) -> Vec<(Place, Expr)> {
        let at = self.at.map(|at| (shared.scalar(at), make::number(0)));
        let again = self.again().map(|again| (again, make::number(0)));
        let noted = self.fair_true.iter().chain(&self.fair_false);
        let kept = self.kept.values().chain(noted).flat_map(|&id| {
            let ty = &shared.globals[id.index()].ty;
            let value = make::constant(some_value(ty.scalar()), ty.scalar());
            elements(ty)
                .into_iter()
                .map(move |element| (element_of(VarRef::Global(id), ty, &element), value.clone()))
        });
        at.into_iter().chain(again).chain(kept).collect()
    }
}

/// The locals that statements write.
fn written_in(block: &[Stmt]) -> BTreeSet<LocalId> {
    let mut written = BTreeSet::new();
    walk::each(block, &mut |s| {
        for place in StepParts::of(&s.kind).written {
            if let VarRef::Local(local) = place.var {
                written.insert(local);
            }
        }
    });
    written
}

/// The locals that may be written after a thread has been somewhere, and before it is there again:
/// those that are written in a loop, or all if there are jumps.
fn set_again(block: &[Stmt]) -> BTreeSet<LocalId> {
    let mut again = BTreeSet::new();
    let mut jumps = false;
    walk::each(block, &mut |s| match &s.kind {
        StmtKind::While { body, .. } => {
            again.extend(written_in(std::slice::from_ref(s)));
            again.extend(written_in(body));
        }
        StmtKind::Goto(_) => jumps = true,
        _ => {}
    });
    if jumps { written_in(block) } else { again }
}

/// A value of a type, always the same.
fn some_value(ty: &Type) -> Value {
    match make::some_value(ty).kind {
        ExprKind::Const(value) => value,
        _ => Value::Small(0),
    }
}

/// The indices of the elements of a variable: one empty list for a scalar.
pub(super) fn elements(ty: &Type) -> Vec<Vec<u32>> {
    match ty {
        Type::Array { element, length } => {
            let inner = elements(element);
            let with =
                |index: u32| inner.iter().map(move |rest| [&[index], rest.as_slice()].concat());
            (0..*length).flat_map(with).collect()
        }
        _ => vec![Vec::new()],
    }
}

/// An element of a variable.
pub(super) fn element_of(var: VarRef, ty: &Type, element: &[u32]) -> Place {
    let indices = element.iter().map(|&index| make::number(index)).collect();
    Place { indices, ..make::variable(var, ty.scalar()) }
}
