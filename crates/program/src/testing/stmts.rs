//! Random statements.

use super::Maker;
use super::exprs::expr;
use crate::{
    AtomicOp, BinaryOp, Block, Cond, Expr, ExprKind, LabelId, Place, ProcId, Span, Stmt, StmtKind,
    Type, VarRef,
};

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Spot {
    proc: ProcId,
    /// How much deeper it may go.
    depth: usize,
    in_loop: bool,
    in_atomic: bool,
    /// Whether the procedure is run by threads only, and never called.
    entry: bool,
}

/// Stands for a label until all labels are known.
const LATER: LabelId = LabelId(u32::MAX);

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { labels: Vec::new(), kind, span: Span::default() }
}

/// Whether a variable can get any value of its type, in a step that is no more than that.
fn is_plain(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Range { .. } | Type::Enum(_))
}

impl Maker<'_> {
    /// Gives a procedure its body and labels. The first so many procedures are never called.
    pub(super) fn body(&mut self, proc: ProcId, entries: usize) {
        let entry = proc.index() < entries;
        let depth = self.shape.depth;
        let mut body = self.block(Spot { proc, depth, in_loop: false, in_atomic: false, entry });
        self.aim_jumps(proc, &mut body);
        body.splice(0..0, self.known_values(proc));
        self.program.procs[proc.index()].body = body;
    }

    /// Gives the machine integers of a procedure their first values.
    fn known_values(&mut self, proc: ProcId) -> Option<Stmt> {
        let params = self.program.procs[proc.index()].params;
        let mut locals = self.variables(proc, Type::is_machine);
        locals.retain(|var| matches!(var, VarRef::Local(id) if id.index() >= params));
        let targets: Vec<Place> = locals.iter().map(|var| self.place(proc, *var, 0)).collect();
        let value = |place: &Place| expr(ExprKind::Const(self.value(&place.ty)), place.ty.clone());
        let values: Vec<Expr> = targets.iter().map(value).collect();
        let assign = StmtKind::Assign { targets, values, constrain: None };
        if locals.is_empty() { None } else { Some(stmt(assign)) }
    }

    fn block(&mut self, spot: Spot) -> Block {
        let mut block = Vec::new();
        for _ in 0..self.dice.up_to(self.shape.statements) {
            if self.shape.boolean_programs && !spot.in_atomic && self.dice.one_in(16) {
                let assign = self.assign(spot.proc);
                block.extend([StmtKind::AtomicBegin, assign, StmtKind::AtomicEnd].map(stmt));
                continue;
            }
            if self.shape.locks
                && self.dice.one_in(8)
                && let Some(lock) = self.place_of(spot.proc, &Type::Lock, 1)
            {
                let inside = self.statement(spot);
                let (acquire, release) = (StmtKind::Acquire(lock.clone()), StmtKind::Release(lock));
                block.extend([acquire, inside, release].map(stmt));
                continue;
            }
            let mut statement = stmt(self.statement(spot));
            while self.shape.jumps && !spot.in_atomic && self.dice.one_in(5) {
                let labels = &mut self.program.procs[spot.proc.index()].labels;
                statement.labels.push(LabelId(labels.len() as u32));
                labels.push(format!("L{}", labels.len()));
            }
            block.push(statement);
        }
        block
    }

    fn statement(&mut self, spot: Spot) -> StmtKind {
        if spot.depth > 0 && self.dice.one_in(3) {
            return self.compound(Spot { depth: spot.depth - 1, ..spot });
        }
        let Spot { proc, in_loop, in_atomic, entry, .. } = spot;
        let shape = self.shape;
        if shape.thread_ids && self.dice.one_in(2) {
            return self.about_thread_ids(proc);
        }
        if shape.chosen_indices && shape.locks && self.dice.one_in(3) {
            return self.lock_statement(proc);
        }
        match self.dice.below(20) {
            0 => StmtKind::Skip,
            1 => self.havoc(proc),
            2 => StmtKind::Assume(self.expr(proc, &Type::Bool, shape.depth)),
            3 => StmtKind::Assert(self.expr(proc, &Type::Bool, shape.depth)),
            4 | 5 if in_loop => [StmtKind::Break, StmtKind::Continue][self.dice.below(2)].clone(),
            6 => {
                let results = self.program.procs[proc.index()].results.clone();
                StmtKind::Return(results.iter().map(|ty| self.assigned(proc, ty)).collect())
            }
            7 | 8 if shape.calls => self.call(proc),
            9 if shape.jumps => StmtKind::Goto(vec![LATER; 1 + self.dice.up_to(1)]),
            10 if shape.dynamic_threads => self.start(proc),
            11 if shape.dynamic_threads => match self.place_of(proc, &Type::ThreadId, 1) {
                Some(place) => StmtKind::Join(expr(ExprKind::Read(place), Type::ThreadId)),
                None => StmtKind::Skip,
            },
            12 | 13 if shape.locks => self.lock_statement(proc),
            14 if shape.boolean_programs && entry && !in_atomic => {
                if self.dice.one_in(2) {
                    StmtKind::EndThread
                } else {
                    StmtKind::StartThread(LATER)
                }
            }
            _ => self.assign(proc),
        }
    }

    fn compound(&mut self, spot: Spot) -> StmtKind {
        match self.dice.below(5) {
            0 | 1 => StmtKind::If {
                cond: self.cond(spot.proc),
                then: self.block(spot),
                otherwise: if self.dice.one_in(2) { Vec::new() } else { self.block(spot) },
            },
            2 => {
                let cond = self.cond(spot.proc);
                StmtKind::While { cond, body: self.block(Spot { in_loop: true, ..spot }) }
            }
            3 if self.shape.atomic && !spot.in_atomic => {
                StmtKind::Atomic(self.block(Spot { in_atomic: true, ..spot }))
            }
            _ => {
                let count = 1 + self.dice.up_to(2);
                StmtKind::Choose((0..count).map(|_| self.block(spot)).collect())
            }
        }
    }

    fn cond(&mut self, proc: ProcId) -> Cond {
        if self.shape.locks
            && self.dice.one_in(4)
            && let Some(op) = self.attempt(proc, false)
        {
            return Cond::Attempt { op, negated: self.dice.one_in(2) };
        }
        let cond = self.expr(proc, &Type::Bool, self.shape.depth);
        if !self.shape.fair || !self.dice.one_in(3) {
            return Cond::Expr(cond);
        }
        let ops = [BinaryOp::And, BinaryOp::Or];
        let op = ops[self.dice.up_to(1)];
        let fair = expr(ExprKind::Fair, Type::Bool);
        Cond::Expr(expr(ExprKind::Binary(op, Box::new(fair), Box::new(cond)), Type::Bool))
    }

    /// Some different variables whose scalars pass a test.
    fn different(
        &mut self,
        proc: ProcId,
        count: usize,
        test: impl Fn(&Type) -> bool,
    ) -> Vec<Place> {
        let mut variables = self.variables(proc, test);
        let mut places = Vec::new();
        while places.len() < count && !variables.is_empty() {
            let var = variables.swap_remove(self.dice.below(variables.len()));
            places.push(self.place(proc, var, 1));
        }
        places
    }

    fn assign(&mut self, proc: ProcId) -> StmtKind {
        let count = 1 + self.dice.up_to(1);
        let targets = self.different(proc, count, |ty| *ty != Type::Lock);
        if targets.is_empty() {
            return StmtKind::Skip;
        }
        let values = targets.iter().map(|place| self.assigned(proc, &place.ty)).collect();
        let scalars = targets.iter().all(|t| t.indices.is_empty() && t.ty == Type::Bool);
        let constrain =
            (scalars && self.shape.boolean_programs && self.dice.one_in(3)).then(|| {
                let after = expr(ExprKind::Primed(targets[0].clone()), Type::Bool);
                let other = self.expr(proc, &Type::Bool, 1);
                expr(ExprKind::Binary(BinaryOp::Or, Box::new(after), Box::new(other)), Type::Bool)
            });
        StmtKind::Assign { targets, values, constrain }
    }

    fn havoc(&mut self, proc: ProcId) -> StmtKind {
        let count = 1 + self.dice.up_to(1);
        let places = self.different(proc, count, is_plain);
        if places.is_empty() { StmtKind::Skip } else { StmtKind::Havoc(places) }
    }

    /// A procedure that may be called or started from another one.
    fn callee(&mut self, caller: ProcId) -> Option<ProcId> {
        let entries = self.program.threads.len();
        let first = if self.shape.recursion { entries } else { entries.max(caller.index() + 1) };
        let others = self.program.procs.len() - first;
        (others > 0).then(|| ProcId((first + self.dice.below(others)) as u32))
    }

    fn arguments(&mut self, proc: ProcId, callee: ProcId) -> Vec<crate::Expr> {
        let callee = &self.program.procs[callee.index()];
        let types: Vec<_> = callee.locals[..callee.params].iter().map(|l| l.ty.clone()).collect();
        types.iter().map(|ty| self.assigned(proc, ty)).collect()
    }

    fn call(&mut self, proc: ProcId) -> StmtKind {
        let Some(callee) = self.callee(proc) else { return StmtKind::Skip };
        let args = self.arguments(proc, callee);
        let types = self.program.procs[callee.index()].results.clone();
        let mut results: Vec<Place> = Vec::new();
        if self.dice.one_in(2) {
            for ty in &types {
                let used: Vec<VarRef> = results.iter().map(|place| place.var).collect();
                match self.place_of(proc, ty, 1) {
                    Some(place) if !used.contains(&place.var) => results.push(place),
                    _ => break,
                }
            }
        }
        if results.len() < types.len() {
            results.clear();
        }
        StmtKind::Call { proc: callee, args, results }
    }

    fn start(&mut self, proc: ProcId) -> StmtKind {
        let Some(callee) = self.callee(proc) else { return StmtKind::Skip };
        let args = self.arguments(proc, callee);
        let dest = if self.dice.one_in(3) { None } else { self.place_of(proc, &Type::ThreadId, 1) };
        StmtKind::Async { dest, proc: callee, args }
    }

    /// Something with thread ids.
    fn about_thread_ids(&mut self, proc: ProcId) -> StmtKind {
        let read = |place| expr(ExprKind::Read(place), Type::ThreadId);
        let places = [(); 2].map(|()| self.place_of(proc, &Type::ThreadId, 1));
        let [Some(one), Some(other)] = places else { return self.start(proc) };
        let compare = |op, a, b| expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), Type::Bool);
        let op = if self.dice.one_in(3) { BinaryOp::Eq } else { BinaryOp::Ne };
        match self.dice.below(8) {
            0..=2 => self.start(proc),
            3 => {
                // A join of `none` goes wrong; most are not meant to.
                let none = expr(ExprKind::Const(0.into()), Type::ThreadId);
                let cond = Cond::Expr(compare(BinaryOp::Ne, read(one.clone()), none));
                let then = vec![stmt(StmtKind::Join(read(one)))];
                StmtKind::If { cond, then, otherwise: Vec::new() }
            }
            4 => StmtKind::Assign {
                targets: vec![one],
                values: vec![self.expr(proc, &Type::ThreadId, 1)],
                constrain: None,
            },
            5 => StmtKind::Attempt {
                dest: self.place_of(proc, &Type::Bool, 1),
                op: AtomicOp::CompareAndSwap {
                    expected: self.expr(proc, &Type::ThreadId, 1),
                    new: read(other),
                    place: one,
                },
            },
            6 => StmtKind::Assert(compare(op, read(one), read(other))),
            _ => StmtKind::Assume(compare(op, read(one), read(other))),
        }
    }

    /// Something with a lock, or an atomic operation.
    fn lock_statement(&mut self, proc: ProcId) -> StmtKind {
        if self.dice.one_in(2) {
            return match self.place_of(proc, &Type::Lock, 1) {
                Some(lock) if self.dice.one_in(2) => StmtKind::Acquire(lock),
                Some(lock) => StmtKind::Release(lock),
                None => StmtKind::Skip,
            };
        }
        let Some(op) = self.attempt(proc, true) else { return StmtKind::Skip };
        let result = match &op {
            AtomicOp::FetchAndAdd { place, .. } => place.ty.clone(),
            _ => Type::Bool,
        };
        let dest = if self.dice.one_in(3) { None } else { self.place_of(proc, &result, 1) };
        StmtKind::Attempt { dest, op }
    }

    /// An atomic operation on a shared variable, if there is one that fits.
    fn attempt(&mut self, proc: ProcId, numbers: bool) -> Option<AtomicOp> {
        let choice = self.dice.below(if numbers && self.shape.numbers { 3 } else { 2 });
        let test = |ty: &Type| match choice {
            0 => *ty == Type::Lock,
            1 => is_plain(ty) || ty.is_machine(),
            _ => ty.is_integer(),
        };
        let mut variables = self.variables(proc, test);
        variables.retain(|var| matches!(var, VarRef::Global(_)));
        let var = *self.dice.pick(&variables)?;
        let place = self.place(proc, var, 1);
        let ty = place.ty.clone();
        Some(match choice {
            0 => AtomicOp::TryLock(place),
            1 => {
                let expected = self.expr(proc, &ty, 1);
                AtomicOp::CompareAndSwap { place, expected, new: self.assigned(proc, &ty) }
            }
            _ => {
                let of = if ty.is_machine() { ty } else { Type::Int };
                AtomicOp::FetchAndAdd { place, amount: self.expr(proc, &of, 1) }
            }
        })
    }

    /// Chooses the labels of the jumps of a body; without labels there is no jump.
    fn aim_jumps(&mut self, proc: ProcId, block: &mut Block) {
        let count = self.program.procs[proc.index()].labels.len();
        for stmt in block {
            match &mut stmt.kind {
                StmtKind::Goto(_) | StmtKind::StartThread(_) if count == 0 => {
                    stmt.kind = StmtKind::Skip;
                }
                StmtKind::Goto(labels) => {
                    labels.iter_mut().for_each(|l| *l = LabelId(self.dice.below(count) as u32));
                    labels.dedup();
                }
                StmtKind::StartThread(label) => *label = LabelId(self.dice.below(count) as u32),
                StmtKind::If { then, otherwise, .. } => {
                    self.aim_jumps(proc, then);
                    self.aim_jumps(proc, otherwise);
                }
                StmtKind::While { body, .. } | StmtKind::Atomic(body) => {
                    self.aim_jumps(proc, body);
                }
                StmtKind::Choose(blocks) => {
                    blocks.iter_mut().for_each(|block| self.aim_jumps(proc, block));
                }
                _ => {}
            }
        }
    }
}
