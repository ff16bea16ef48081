//! Bodies in the place of calls.

use rustc_hash::FxHashMap;

use super::InlineError;
use crate::flow::Flow;
use crate::make::{assign, number, read, stmt, variable};
use crate::visit::{change, every_expr_mut, places_mut};
use crate::walk::inside_mut;
use crate::{
    BinaryOp, Block, Expr, ExprKind, LabelId, LocalId, Place, Predicate, ProcId, Procedure,
    Program, Span, Stmt, StmtKind, Type, Value, VarRef, Variable, visit,
};

/// Procedures do not get longer than this.
const MOST_STATEMENTS: usize = 5000;

/// Writes calls out in the procedure of a thread.
pub(super) struct Copier<'p> {
    program: &'p Program,
    flow: &'p Flow,
    id: ProcId,
    root: Procedure,
    /// Where the variables of each procedure begin among those of the root.
    pub offsets: FxHashMap<ProcId, u32>,
    /// The labels of procedures, and their copies.
    pub labels: Vec<((ProcId, LabelId), LabelId)>,
    /// The procedures whose bodies are being written.
    active: Vec<ProcId>,
    statements: usize,
}

/// The body that is being written.
struct Frame {
    locals: u32,
    labels: u32,
    /// Where a return goes; a return of the root ends the thread.
    end: Option<Exit>,
}

/// Where a return of a procedure that is written out leads, and where its results go.
#[derive(Clone)]
struct Exit {
    label: LabelId,
    /// Where the results are on their way.
    results: Vec<Place>,
    /// Where they go: nowhere if empty.
    places: Vec<Place>,
}

impl<'p> Copier<'p> {
    pub fn new(program: &'p Program, flow: &'p Flow, id: ProcId) -> Self {
        let root = program.procs[id.index()].clone();
        let (offsets, active) = (FxHashMap::from_iter([(id, 0)]), vec![id]);
        Copier { program, flow, id, root, offsets, labels: Vec::new(), active, statements: 0 }
    }

    /// Copies the procedure with its calls written out.
    pub fn root(&mut self) -> Result<Procedure, InlineError> {
        let body = std::mem::take(&mut self.root.body);
        self.root.body = self.block(&body, &Frame { locals: 0, labels: 0, end: None })?;
        self.offsets.remove(&self.id);
        Ok(self.root.clone())
    }

    fn block(&mut self, block: &Block, frame: &Frame) -> Result<Block, InlineError> {
        let mut all = Block::new();
        for statement in block {
            self.statements += 1;
            if self.statements > MOST_STATEMENTS {
                let name = &self.program.procs[self.id.index()].name;
                let message = format!("`{name}` is too long with all that it calls written out");
                return Err(InlineError { message, span: statement.span });
            }
            self.statement(statement, frame, &mut all)?;
        }
        Ok(all)
    }

    fn statement(
        &mut self,
        statement: &Stmt,
        frame: &Frame,
        all: &mut Block,
    ) -> Result<(), InlineError> {
        let mut copy = Stmt {
            labels: statement.labels.iter().map(|l| frame.label(*l)).collect(),
            kind: shallow(&statement.kind),
            span: statement.span,
        };
        frame.rename(&mut copy.kind);
        let mut originals = statement.clone();
        for (inner, original) in inside_mut(&mut copy).into_iter().zip(inside_mut(&mut originals)) {
            *inner = self.block(original, frame)?;
        }
        match copy.kind {
            StmtKind::Goto(labels) => {
                copy.kind = StmtKind::Goto(labels.into_iter().map(|l| frame.label(l)).collect());
                all.push(copy);
            }
            StmtKind::Return(values) if frame.end.is_some() => {
                if let Some(exit) = &frame.end {
                    all.push(Stmt { labels: copy.labels, ..exit.hand_over(values, copy.span) });
                    all.push(stmt(StmtKind::Goto(vec![exit.label]), copy.span));
                }
            }
            StmtKind::StartThread(_) if frame.end.is_some() => {
                let message = "a thread is started with a copy of this procedure".to_owned();
                return Err(InlineError { message, span: copy.span });
            }
            StmtKind::Call { proc, args, results } => {
                let before = all.len();
                self.call(proc, args, results, copy.span, all)?;
                all[before].labels.extend(copy.labels);
            }
            _ => all.push(copy),
        }
        Ok(())
    }

    fn call(
        &mut self,
        proc: ProcId,
        args: Vec<Expr>,
        places: Vec<Place>,
        span: Span,
        all: &mut Block,
    ) -> Result<(), InlineError> {
        let callee = &self.program.procs[proc.index()];
        if self.active.contains(&proc) {
            let message = format!("`{}` is recursive", callee.name);
            return Err(InlineError { message, span });
        }
        let locals = self.variables(proc);
        let labels = self.root.labels.len() as u32;
        for (name, label) in callee.labels.iter().zip((0..).map(LabelId)) {
            self.labels.push(((proc, label), LabelId(labels + label.0)));
            self.root.labels.push(format!("{}.{name}", callee.name));
        }
        let label = LabelId(self.root.labels.len() as u32);
        self.root.labels.push(format!("{}.end", callee.name));
        let first_result = locals + callee.locals.len() as u32;
        let results = callee.results.iter().zip(first_result..);
        let results: Vec<Place> = results.map(|(ty, n)| variable(local(n), ty)).collect();
        let exit = Exit { label, results, places };
        all.push(self.enter(proc, locals, args, span));
        self.active.push(proc);
        let body = callee.body.clone();
        let frame = Frame { locals, labels, end: Some(exit.clone()) };
        all.extend(self.block(&body, &frame)?);
        self.active.pop();
        // Falling off the end returns any values.
        let results = callee.results.iter().map(anything).collect();
        all.push(exit.hand_over(results, end_of(callee.span)));
        all.push(Stmt { labels: vec![label], kind: StmtKind::Skip, span: end_of(span) });
        Ok(())
    }

    /// The call itself: parameters get their values, and variables that may be read before they are set get any.
    fn enter(&self, proc: ProcId, locals: u32, args: Vec<Expr>, span: Span) -> Stmt {
        let callee = &self.program.procs[proc.index()];
        let entry = self.flow.entries[proc.index()];
        let mut pairs = Vec::new();
        for (number, arg) in args.into_iter().enumerate() {
            let param = local(locals + number as u32);
            pairs.push((variable(param, &callee.locals[number].ty), arg));
        }
        let live = &self.flow.live[entry.index()];
        for (number, declared) in callee.locals.iter().enumerate().skip(callee.params) {
            if live.has(LocalId(number as u32)) {
                let var = local(locals + number as u32);
                let elements = elements(&declared.ty, variable(var, declared.ty.scalar()));
                pairs.extend(elements.into_iter().map(|place| {
                    let value = anything(&place.ty);
                    (place, value)
                }));
            }
        }
        match pairs.is_empty() {
            true => stmt(StmtKind::Skip, span),
            false => assign(pairs, span),
        }
    }

    /// Where the variables of a procedure begin; its results come behind them.
    fn variables(&mut self, proc: ProcId) -> u32 {
        if let Some(&offset) = self.offsets.get(&proc) {
            return offset;
        }
        let callee = &self.program.procs[proc.index()];
        let offset = self.root.locals.len() as u32;
        let named = |name: &str, ty: &Type| Variable {
            name: format!("{}.{name}", callee.name),
            ty: ty.clone(),
            init: Vec::new(),
            counts_threads: false,
            looks: None,
            span: callee.span,
        };
        let locals = callee.locals.iter().map(|variable| named(&variable.name, &variable.ty));
        self.root.locals.extend(locals);
        self.root.locals.extend(callee.results.iter().map(|ty| named("result", ty)));
        self.offsets.insert(proc, offset);
        offset
    }
}

impl Frame {
    fn label(&self, label: LabelId) -> LabelId {
        LabelId(label.0 + self.labels)
    }

    /// Lets a statement speak of the variables of the root.
    fn rename(&self, kind: &mut StmtKind) {
        let offset = self.locals;
        if offset == 0 {
            return;
        }
        let shift = |place: &mut Place| {
            if let VarRef::Local(LocalId(n)) = &mut place.var {
                *n += offset;
            }
        };
        places_mut(kind).into_iter().for_each(shift);
        for expr in every_expr_mut(kind) {
            change(expr, &mut |part| {
                if let ExprKind::Read(place) | ExprKind::Primed(place) = &mut part.kind {
                    shift(place);
                }
            });
        }
    }
}

impl Exit {
    /// Hands the results of a return over, in one step.
    fn hand_over(&self, values: Vec<Expr>, span: Span) -> Stmt {
        if values.is_empty() {
            return stmt(StmtKind::Skip, span);
        }
        let is_open = |value: &Expr| matches!(value.kind, ExprKind::Const(Value::Open));
        let open: Vec<bool> = values.iter().map(is_open).collect();
        let pairs = self.results.iter().cloned().zip(values);
        let results = assign(pairs.collect(), span);
        if self.places.is_empty() {
            return results;
        }
        // An open value stays open: it is not read on its way.
        let handed = |(place, (result, is_open)): (&Place, (&Place, bool))| {
            let value = match is_open && place.ty == result.ty {
                true => anything(&place.ty),
                false => read(result.clone()),
            };
            (place.clone(), value)
        };
        let handed = self.places.iter().zip(self.results.iter().zip(open)).map(handed);
        let received = assign(handed.collect(), span);
        stmt(StmtKind::Atomic(vec![results, received]), span)
    }
}

/// The statement without the blocks inside of it.
fn shallow(kind: &StmtKind) -> StmtKind {
    match kind {
        StmtKind::If { cond, .. } => {
            StmtKind::If { cond: cond.clone(), then: Block::new(), otherwise: Block::new() }
        }
        StmtKind::While { cond, .. } => StmtKind::While { cond: cond.clone(), body: Block::new() },
        StmtKind::Atomic(_) => StmtKind::Atomic(Block::new()),
        StmtKind::Choose(blocks) => StmtKind::Choose(vec![Block::new(); blocks.len()]),
        other => other.clone(),
    }
}

fn end_of(span: Span) -> Span {
    Span { start: span.end, end: span.end }
}

fn local(number: u32) -> VarRef {
    VarRef::Local(LocalId(number))
}

/// An expression for the value of a variable that was not initialised.
fn anything(ty: &Type) -> Expr {
    let value = if *ty == Type::ThreadId { 0.into() } else { Value::Open };
    Expr { kind: ExprKind::Const(value), ty: ty.clone(), span: Span::default() }
}

/// All scalars of a variable.
fn elements(ty: &Type, place: Place) -> Vec<Place> {
    let Type::Array { element, length } = ty else { return vec![place] };
    let at = |n: u32| {
        let mut place = place.clone();
        place.indices.push(number(n));
        elements(element, place)
    };
    (0..*length).flat_map(at).collect()
}

/// The predicates about a procedure that was called, about its bodies in the root. Those that speak of other
/// threads are left out: there they mean threads that are in the procedure.
pub(super) fn predicates(
    program: &Program,
    copies: &FxHashMap<(ProcId, LabelId), Vec<(ProcId, LabelId)>>,
    root: ProcId,
    proc: ProcId,
    offset: u32,
) -> Vec<Predicate> {
    let about = |p: &&Predicate| {
        let others =
            |e: &Expr| matches!(e.kind, ExprKind::Quantified { .. } | ExprKind::LocalOf { .. });
        p.scope == Some(proc) && !visit::any_part(&p.expr, &others)
    };
    let moved = |predicate: &Predicate| {
        let mut expr = predicate.expr.clone();
        change(&mut expr, &mut |part| match &mut part.kind {
            ExprKind::Read(Place { var: VarRef::Local(LocalId(n)), .. }) => *n += offset,
            ExprKind::At { depth: None, label } => {
                let all = copies.get(&(proc, *label)).into_iter().flatten();
                let mut here = all.filter(|(at, _)| *at == root).map(|(_, label)| Expr {
                    kind: ExprKind::At { depth: None, label: *label },
                    ty: Type::Bool,
                    span: part.span,
                });
                let first = here.next().unwrap_or_else(|| crate::make::truth(false));
                *part = here.fold(first, |a, b| crate::make::binary(BinaryOp::Or, a, b));
            }
            _ => {}
        });
        Predicate { expr, scope: Some(root), ..predicate.clone() }
    };
    program.predicates.iter().filter(about).map(moved).collect()
}
