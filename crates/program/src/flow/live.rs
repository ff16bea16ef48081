//! # Live locals
//!
//! **Question.** Which local variables can still be read from a location on?
//!
//! **Idea.** A value that is never read again makes no difference, but it makes states different.
//! Lowering forgets it: the variable becomes open. Backward over the edges: a variable is live
//! before an edge if the edge reads it, or if it is live after and the edge does not set it. Elements of small
//! arrays are followed one by one where the text says which one is meant.
//!
//! **Claim.** Forgetting dead values changes no test and no assertion, so nothing but the number
//! of states.
//!
//! Variables of a procedure that a predicate speaks of are always live: predicates may ask for
//! them anywhere.

use std::ops::Range;
use std::sync::Arc;

use selvedge_model::Patience;

use super::{Command, Flow, Loc};
use crate::{
    AtomicOp, Expr, ExprKind, LocalId, Place, ProcId, Program, Type, Value, VarRef, Variable,
};

/// This many cells are looked at in the time that reading one statement takes.
const CELLS_AT_ONCE: usize = 64;

/// Elements of larger arrays are live together.
const MOST_ELEMENTS: usize = 64;

/// The locals of a procedure that can still be read from a location on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Live {
    variables: Box<[bool]>,
    /// The slots that can still be read, with the variables that they belong to.
    pub slots: Box<[(LocalId, Range<usize>)]>,
    /// The slots that cannot.
    pub dead: Arc<[Range<usize>]>,
}

impl Live {
    /// Whether a variable can still be read, or an element of it.
    #[must_use]
    pub fn has(&self, local: LocalId) -> bool {
        self.variables.get(local.index()) == Some(&true)
    }
}

/// Finds what is live at each location; of fewer locations if there is no patience for all.
pub(super) fn live_locals(program: &Program, flow: &Flow, patience: &Patience) -> Vec<Live> {
    let cells: Vec<Cells> = program.procs.iter().map(|proc| Cells::new(&proc.locals)).collect();
    // A look at a location is a look at each of its cells.
    let lasts = |proc: ProcId| patience.lasts(1 + cells[proc.index()].count / CELLS_AT_ONCE);
    let mut live: Vec<Box<[bool]>> = flow
        .locations
        .iter()
        .take_while(|location| lasts(location.proc))
        .map(|location| {
            let watched = program.predicates.iter().any(|p| p.scope == Some(location.proc));
            vec![watched; cells[location.proc.index()].count].into()
        })
        .collect();
    let mut into: Vec<Vec<Loc>> = vec![Vec::new(); flow.locations.len()];
    for edge in &flow.edges {
        into[edge.to.index()].push(edge.from);
        if let Command::StartThread { at: start, .. } = edge.command {
            into[start.index()].push(edge.from);
        }
    }
    let mut work: Vec<Loc> = (0..flow.locations.len() as u32).map(Loc).collect();
    if live.len() < flow.locations.len() {
        return Vec::new();
    }
    while let Some(loc) = work.pop() {
        if !lasts(flow.location(loc).proc) {
            return Vec::new();
        }
        let before = live_before(&cells[flow.location(loc).proc.index()], flow, loc, &live);
        if live[loc.index()] != before {
            live[loc.index()] = before;
            work.extend(&into[loc.index()]);
        }
    }
    let cells_of = |proc: ProcId| &cells[proc.index()];
    let found = live.iter().zip(&flow.locations).take_while(|(_, at)| lasts(at.proc));
    found.map(|(live, at)| cells_of(at.proc).live(live)).collect()
}

/// Notes, where a thread is started with a copy of the locals, which of them both threads may read:
/// an open value stands for one value, the same in both, so it has to be chosen before it is
/// copied.
pub(super) fn mark_copies(flow: &mut Flow) {
    for edge in &mut flow.edges {
        if let Command::StartThread { at, read_by_both } = &mut edge.command {
            let (old, new) = (&flow.live[edge.to.index()], &flow.live[at.index()]);
            let locals = (0..old.variables.len() as u32).map(LocalId);
            *read_by_both = locals.filter(|&local| old.has(local) && new.has(local)).collect();
        }
    }
}

/// The locals of a procedure, taken apart into cells: a scalar, an element of an array, or an array with many elements.
struct Cells<'a> {
    locals: &'a [Variable],
    /// The first cell of each variable.
    firsts: Vec<usize>,
    count: usize,
}

impl<'a> Cells<'a> {
    fn new(locals: &'a [Variable]) -> Self {
        let mut count = 0;
        let firsts = locals.iter().map(|local| {
            let first = count;
            count += cells(&local.ty);
            first
        });
        Cells { firsts: firsts.collect(), count, locals }
    }

    fn of(&self, local: LocalId) -> Range<usize> {
        let first = self.firsts[local.index()];
        first..first + cells(&self.locals[local.index()].ty)
    }

    /// The cell of an element, if the text says which one it is.
    fn one(&self, local: LocalId, indices: &[Expr]) -> Option<usize> {
        let mut ty = &self.locals[local.index()].ty;
        let mut cell = 0;
        for index in indices {
            let (Type::Array { element, length }, ExprKind::Const(value)) = (ty, &index.kind)
            else {
                return None;
            };
            let at = value.small().filter(|at| (0..i64::from(*length)).contains(at))?;
            cell += usize::try_from(at).ok()? * element.slots();
            ty = element;
        }
        let cells = self.of(local);
        let is_one = !matches!(ty, Type::Array { .. }) && cell < cells.len();
        is_one.then_some(cells.start + cell)
    }

    /// The cells that a place may be in.
    fn at(&self, local: LocalId, indices: &[Expr]) -> Range<usize> {
        self.one(local, indices).map_or_else(|| self.of(local), |cell| cell..cell + 1)
    }

    /// Says of the slots what is known of the cells.
    fn live(&self, cells: &[bool]) -> Live {
        let (mut slots, mut dead) = (Vec::new(), Vec::<Range<usize>>::new());
        let mut next = 0;
        for (local, variable) in (0..).map(LocalId).zip(self.locals) {
            let own = self.of(local);
            let width = variable.ty.slots() / own.len().max(1);
            for cell in own {
                let range = next..next + width;
                next = range.end;
                match cells[cell] {
                    true => slots.push((local, range)),
                    false => match dead.last_mut() {
                        Some(Range { end, .. }) if *end == range.start => *end = range.end,
                        _ => dead.push(range),
                    },
                }
            }
        }
        let locals = (0..self.locals.len() as u32).map(LocalId);
        let variables = locals.map(|local| cells[self.of(local)].contains(&true)).collect();
        Live { variables, slots: slots.into(), dead: dead.into() }
    }
}

/// How many cells a variable has.
fn cells(ty: &Type) -> usize {
    let slots = ty.slots();
    if slots <= MOST_ELEMENTS { slots } else { 1 }
}

fn live_before(cells: &Cells<'_>, flow: &Flow, loc: Loc, live: &[Box<[bool]>]) -> Box<[bool]> {
    let mut before = live[loc.index()].clone();
    for &id in &flow.location(loc).edges {
        let edge = flow.edge(id);
        if !ends(&edge.command) {
            let mut after = live[edge.to.index()].clone();
            set_cells(cells, &edge.command).for_each(|cell| after[cell] = false);
            before.iter_mut().zip(after).for_each(|(before, after)| *before |= after);
        }
        if let Command::StartThread { at: start, .. } = edge.command {
            let copied = live[start.index()].iter();
            before.iter_mut().zip(copied).for_each(|(before, after)| *before |= after);
        }
        read_by(&edge.command, &mut |local, indices| {
            before[cells.at(local, indices)].fill(true);
        });
    }
    before
}

/// Whether nobody goes on in the procedure after a command.
fn ends(command: &Command) -> bool {
    match command {
        Command::Return(_) => true,
        Command::Assume(cond) => matches!(&cond.kind, ExprKind::Const(Value::FALSE)),
        _ => false,
    }
}

/// The cells that a command certainly sets as a whole.
fn set_cells(cells: &Cells<'_>, command: &Command) -> impl Iterator<Item = usize> {
    let places = match command {
        Command::Assign { targets: places, .. }
        | Command::Havoc(places)
        | Command::Receive { places, .. } => places.as_slice(),
        Command::Attempt { dest, .. } | Command::Async { dest, .. } => dest.as_slice(),
        _ => &[],
    };
    places.iter().filter_map(|place| match place.var {
        VarRef::Local(local) => cells.one(local, &place.indices),
        VarRef::Global(_) => None,
    })
}

/// Tells the local variables that a command reads, with the indices.
fn read_by(command: &Command, see: &mut impl FnMut(LocalId, &[Expr])) {
    let mut exprs: Vec<&Expr> = Vec::new();
    match command {
        Command::Skip | Command::AtomicBegin | Command::AtomicEnd | Command::StartThread { .. } => {
        }
        Command::Test { cond: expr, .. }
        | Command::Assume(expr)
        | Command::Assert(expr)
        | Command::Join(expr) => exprs.push(expr),
        Command::Assign { targets, values, constrain } => {
            exprs.extend(targets.iter().flat_map(|place| &place.indices));
            exprs.extend(values);
            exprs.extend(constrain);
        }
        Command::Havoc(places) | Command::Receive { places, .. } => {
            exprs.extend(places.iter().flat_map(|place| &place.indices));
        }
        Command::Acquire(place) | Command::Release(place) => read_place(place, see),
        Command::Attempt { dest, op } => {
            exprs.extend(dest.iter().flat_map(|place| &place.indices));
            read_op(op, see);
        }
        Command::TestAttempt { op, .. } => read_op(op, see),
        Command::Call { args, .. } | Command::Return(args) => exprs.extend(args),
        Command::Async { dest, args, .. } => {
            exprs.extend(dest.iter().flat_map(|place| &place.indices));
            exprs.extend(args);
        }
    }
    exprs.into_iter().for_each(|expr| read_expr(expr, see));
}

fn read_op(op: &AtomicOp, see: &mut impl FnMut(LocalId, &[Expr])) {
    read_place(op.place(), see);
    match op {
        AtomicOp::TryLock(_) => {}
        AtomicOp::CompareAndSwap { expected, new, .. } => {
            read_expr(expected, see);
            read_expr(new, see);
        }
        AtomicOp::FetchAndAdd { amount, .. } => read_expr(amount, see),
    }
}

fn read_place(place: &Place, see: &mut impl FnMut(LocalId, &[Expr])) {
    if let VarRef::Local(local) = place.var {
        see(local, &place.indices);
    }
    place.indices.iter().for_each(|index| read_expr(index, see));
}

fn read_expr(expr: &Expr, see: &mut impl FnMut(LocalId, &[Expr])) {
    match &expr.kind {
        ExprKind::Const(_)
        | ExprKind::Any
        | ExprKind::Fair
        | ExprKind::Instance
        | ExprKind::At { .. } => {}
        ExprKind::Read(place) | ExprKind::Primed(place) => read_place(place, see),
        ExprKind::LocalOf { local, .. } => see(*local, &[]),
        ExprKind::Unary(_, operand) | ExprKind::Quantified { body: operand, .. } => {
            read_expr(operand, see);
        }
        ExprKind::Binary(_, a, b) | ExprKind::Between(a, b) | ExprKind::Schoose(a, b) => {
            read_expr(a, see);
            read_expr(b, see);
        }
        ExprKind::IfThenElse(a, b, c) => [a, b, c].into_iter().for_each(|e| read_expr(e, see)),
        ExprKind::OneOf(options) => options.iter().for_each(|e| read_expr(e, see)),
    }
}
