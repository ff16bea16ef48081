//! # From statements to edges
//! One pass over the statements of a procedure with the current location in hand. Jumps are no
//! steps: they *forward* one location to another, and forwarded locations disappear at the end.

use selvedge_model::Patience;

use super::{Command, Edge, EdgeId, Flow, FlowError, Loc, Location, atomic, live, locks, procs};
use crate::{
    Block, Cond, Expr, ExprKind, LabelId, ProcId, Procedure, Program, Span, Stmt, StmtKind, Type,
    Value,
};

/// The flow graph of a program.
pub fn build(program: &Program) -> Result<Flow, FlowError> {
    build_within(program, &Patience::default())
}

/// Longer lists grow by a quarter of their length at a time.
const LONG: usize = 1 << 16;

/// Adds to a list. One that is long does not double, so that it cannot take much more at once than was there when somebody last looked.
fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() && list.len() >= LONG {
        list.reserve_exact(list.len() / 4);
    }
    list.push(item);
}

/// The flow graph of a program, as far as patience allows: the caller has to check whether it is whole.
pub fn build_within(program: &Program, patience: &Patience) -> Result<Flow, FlowError> {
    let mut flow = graph_within(program, patience)?;
    if flow.entries.len() < program.procs.len() || !patience.lasts(1) {
        return Ok(flow);
    }
    flow.tracks_owners = locks::doubtful_release(program, &flow).is_some();
    flow.live = live::live_locals(program, &flow, patience);
    if flow.live.len() < flow.locations.len() {
        return Ok(flow);
    }
    live::mark_copies(&mut flow);
    Ok(flow)
}

/// The locations and edges of the flow graph alone, as far as patience allows: nothing about locks, nor about which locals are read later.
pub(super) fn graph_within(program: &Program, patience: &Patience) -> Result<Flow, FlowError> {
    let mut flow = Flow::default();
    for (id, proc) in procs(program) {
        let entry = Builder::new(program, &mut flow, id, proc, patience).build()?;
        flow.entries.push(entry);
        if !patience.lasts(1) {
            break;
        }
    }
    Ok(flow)
}

struct Builder<'a> {
    program: &'a Program,
    flow: &'a mut Flow,
    id: ProcId,
    proc: &'a Procedure,
    /// The first location of the procedure.
    first: usize,
    /// The location of each label.
    labels: Vec<Loc>,
    /// Where the locations of the procedure, counted from `first`, forward to.
    forward: Vec<Option<Loc>>,
    /// The innermost loop: its test, and what comes after it.
    loops: Vec<(Loc, Loc)>,
    /// How many atomic blocks are open.
    atomic: usize,
    patience: &'a Patience,
}

impl<'a> Builder<'a> {
    fn new(
        program: &'a Program,
        flow: &'a mut Flow,
        id: ProcId,
        proc: &'a Procedure,
        patience: &'a Patience,
    ) -> Self {
        let first = flow.locations.len();
        Builder {
            program,
            flow,
            id,
            proc,
            first,
            labels: Vec::new(),
            forward: Vec::new(),
            loops: Vec::new(),
            atomic: 0,
            patience,
        }
    }

    fn build(mut self) -> Result<Loc, FlowError> {
        let entry = self.location(self.proc.span);
        self.labels = self.proc.labels.iter().map(|_| self.location(self.proc.span)).collect();
        let end = self.block(&self.proc.body, entry);
        self.flow.locations[end.index()].span = end_of(self.proc.span);
        self.edge(end, Command::Return(self.any_results()), end, end_of(self.proc.span));
        let targets = self.resolve_forwards();
        let entry = targets[entry.index() - self.first];
        atomic::mark_sections(self.flow, self.first, entry)?;
        Ok(entry)
    }

    /// The results of a procedure that ends without `return`.
    fn any_results(&self) -> Vec<Expr> {
        let any = |ty: &Type| Expr {
            kind: ExprKind::Const(if *ty == Type::ThreadId { 0.into() } else { Value::Open }),
            ty: ty.clone(),
            span: end_of(self.proc.span),
        };
        self.proc.results.iter().map(any).collect()
    }

    fn location(&mut self, span: Span) -> Loc {
        let loc = Loc(u32::try_from(self.flow.locations.len()).unwrap_or(u32::MAX));
        push(
            &mut self.flow.locations,
            Location {
                proc: self.id,
                span,
                labels: Vec::new(),
                atomic: self.atomic > 0,
                edges: Vec::new(),
            },
        );
        self.forward.push(None);
        loc
    }

    fn edge(&mut self, from: Loc, command: Command, to: Loc, span: Span) {
        let id = EdgeId(u32::try_from(self.flow.edges.len()).unwrap_or(u32::MAX));
        push(&mut self.flow.edges, Edge { from, command, to, span });
        self.flow.locations[from.index()].edges.push(id);
    }

    /// The edge of a test for one outcome, unless the text says that there is no such outcome: what
    /// comes after `while (true)` is reached by `break` only.
    fn test(&mut self, from: Loc, cond: &Cond, holds: bool, to: Loc, span: Span) {
        let command = match cond {
            Cond::Expr(Expr { kind: ExprKind::Const(value), .. })
                if *value != Value::Open && value.is_true() != holds =>
            {
                return;
            }
            Cond::Expr(cond) => Command::Test { cond: cond.clone(), holds },
            Cond::Attempt { op, negated } => {
                Command::TestAttempt { op: op.clone(), succeeds: holds != *negated, holds }
            }
        };
        self.edge(from, command, to, span);
    }

    fn forward(&mut self, from: Loc, to: Loc) {
        self.forward[from.index() - self.first] = Some(to);
    }

    /// Builds the statements from `at`; the result is where control falls out.
    fn block(&mut self, block: &Block, mut at: Loc) -> Loc {
        for stmt in block {
            if !self.patience.lasts(1) {
                break;
            }
            at = self.labelled(stmt, at);
            self.flow.locations[at.index()].span = stmt.span;
            at = self.statement(stmt, at);
        }
        at
    }

    fn labelled(&mut self, stmt: &Stmt, mut at: Loc) -> Loc {
        for &label in &stmt.labels {
            let here = self.labels[label.index()];
            self.flow.locations[here.index()].atomic = self.atomic > 0;
            self.forward(at, here);
            at = here;
        }
        self.flow.locations[at.index()].labels.extend(&stmt.labels);
        at
    }

    fn statement(&mut self, stmt: &Stmt, at: Loc) -> Loc {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::If { cond, then, otherwise } => {
                let after = self.location(span);
                for (block, holds) in [(then, true), (otherwise, false)] {
                    let start = self.location(span);
                    self.test(at, cond, holds, start, span);
                    let end = self.block(block, start);
                    self.forward(end, after);
                }
                after
            }
            StmtKind::While { cond, body } => {
                let after = self.location(span);
                let start = self.location(span);
                self.test(at, cond, true, start, span);
                self.test(at, cond, false, after, span);
                self.loops.push((at, after));
                let end = self.block(body, start);
                self.loops.pop();
                self.forward(end, at);
                after
            }
            StmtKind::Choose(blocks) => {
                let after = self.location(span);
                for block in blocks {
                    let start = self.location(span);
                    self.edge(at, Command::Skip, start, span);
                    let end = self.block(block, start);
                    self.forward(end, after);
                }
                after
            }
            StmtKind::Goto(labels) => self.goto(labels, at, span),
            StmtKind::Break | StmtKind::Continue => {
                if let Some(&(head, after)) = self.loops.last() {
                    let to = if matches!(stmt.kind, StmtKind::Break) { after } else { head };
                    self.forward(at, to);
                }
                self.location(span)
            }
            StmtKind::Return(values) => self.leave(at, Command::Return(values.clone()), span),
            StmtKind::EndThread => self.leave(at, Command::Return(self.any_results()), span),
            StmtKind::Atomic(body) => {
                self.atomic += 1;
                let start = self.location(span);
                self.edge(at, Command::Skip, start, span);
                let end = self.block(body, start);
                self.atomic -= 1;
                let after = self.location(span);
                self.flow.locations[end.index()].span = end_of(span);
                self.edge(end, Command::Skip, after, end_of(span));
                after
            }
            StmtKind::Call { proc, args, results } => {
                let callee = &self.program.procs[proc.index()];
                let back = self.location(span);
                self.edge(at, Command::Call { proc: *proc, args: args.clone() }, back, span);
                if callee.results.is_empty() {
                    return back;
                }
                let after = self.location(span);
                let receive = Command::Receive { from: *proc, places: results.clone() };
                self.edge(back, receive, after, span);
                after
            }
            simple => {
                let after = self.location(span);
                self.edge(at, self.command(simple), after, span);
                after
            }
        }
    }

    /// The command of a statement that is one edge to what comes next.
    fn command(&self, kind: &StmtKind) -> Command {
        match kind {
            StmtKind::Assign { targets, values, constrain } => Command::Assign {
                targets: targets.clone(),
                values: values.clone(),
                constrain: constrain.clone(),
            },
            StmtKind::Havoc(places) => Command::Havoc(places.clone()),
            StmtKind::Assume(cond) => Command::Assume(cond.clone()),
            StmtKind::Assert(cond) => Command::Assert(cond.clone()),
            StmtKind::Acquire(place) => Command::Acquire(place.clone()),
            StmtKind::Release(place) => Command::Release(place.clone()),
            StmtKind::Attempt { dest, op } => {
                Command::Attempt { dest: dest.clone(), op: op.clone() }
            }
            StmtKind::Async { dest, proc, args } => {
                Command::Async { dest: dest.clone(), proc: *proc, args: args.clone() }
            }
            StmtKind::StartThread(label) => {
                Command::StartThread { at: self.labels[label.index()], read_by_both: Vec::new() }
            }
            StmtKind::Join(thread) => Command::Join(thread.clone()),
            StmtKind::AtomicBegin => Command::AtomicBegin,
            StmtKind::AtomicEnd => Command::AtomicEnd,
            _ => Command::Skip,
        }
    }

    fn goto(&mut self, labels: &[LabelId], at: Loc, span: Span) -> Loc {
        let targets: Vec<Loc> = labels.iter().map(|l| self.labels[l.index()]).collect();
        if let [only] = targets[..] {
            self.forward(at, only);
        } else {
            for to in targets {
                self.edge(at, Command::Skip, to, span);
            }
        }
        self.location(span)
    }

    fn leave(&mut self, at: Loc, command: Command, span: Span) -> Loc {
        self.edge(at, command, at, span);
        self.location(span)
    }

    /// Lets every edge of the procedure end where control really is; the result tells where that
    /// is for each location, counted from `first`.
    fn resolve_forwards(&mut self) -> Vec<Loc> {
        let targets: Vec<Loc> = forward_targets(&self.forward, self.first);
        for (index, &loc) in targets.iter().enumerate() {
            if self.forward[index].is_some() && loc.index() == self.first + index {
                // `L: goto L;` has no step; a thread that gets there spins.
                self.edge(loc, Command::Skip, loc, self.flow.location(loc).span);
            }
        }
        let resolve = |loc: &mut Loc| *loc = targets[loc.index() - self.first];
        let own = |edge: &&mut Edge| edge.from.index() >= self.first;
        for edge in self.flow.edges.iter_mut().rev().take_while(own) {
            resolve(&mut edge.to);
            if let Command::StartThread { at, .. } = &mut edge.command {
                resolve(at);
            }
        }
        targets
    }
}

/// The end of each chain of forwards. One location of a cycle is the end of all that lead there.
fn forward_targets(forward: &[Option<Loc>], first: usize) -> Vec<Loc> {
    let loc = |index: usize| Loc((first + index) as u32);
    let mut targets: Vec<Option<Loc>> = vec![None; forward.len()];
    let mut on_chain = vec![false; forward.len()];
    for start in 0..forward.len() {
        let mut chain = Vec::new();
        let mut at = start;
        let end = loop {
            if let Some(known) = targets[at] {
                break known;
            }
            match forward[at] {
                Some(next) if !on_chain[at] => {
                    on_chain[at] = true;
                    chain.push(at);
                    at = next.index() - first;
                }
                _ => break loc(at),
            }
        };
        targets[at].get_or_insert(end);
        for index in chain {
            targets[index] = Some(end);
        }
    }
    targets.into_iter().enumerate().map(|(i, t)| t.unwrap_or(loc(i))).collect()
}

fn end_of(span: Span) -> Span {
    Span { start: span.end, end: span.end }
}
