//! One function, as it is called: its variables, labels and blocks while they are made.

use std::collections::BTreeMap;
use std::sync::Arc;

use selvedge_program::make::{expr, read, stmt, truth};
use selvedge_program::telling::{Manner, Piece, Told};
use selvedge_program::{
    Block, Cond, Expr, ExprKind, LabelId as ProgramLabel, LocalId as ProgramLocal, Place, ProcId,
    Span, StmtKind, Type, Value, VarRef, Variable,
};

use super::arithmetic::{int, known_truth};
use super::memory::{Leaf, Stored, local, place, variable_type};
use super::points::Target;
use super::telling::{is_address, is_made};
use super::{Cell, Limit, Lower, Role};
use crate::c::typed::{self as c, FunctionId, LabelId, LocalId};

/// A function while it is lowered.
pub(super) struct Fun<'l, 'u> {
    pub(super) lower: &'l mut Lower<'u>,
    pub(super) id: FunctionId,
    pub(super) role: Role,
    proc: ProcId,
    locals: Vec<Variable>,
    labels: Vec<String>,
    /// The blocks that are open, the innermost last.
    blocks: Vec<Block>,
    /// Labels of the next statement.
    pending: Vec<ProgramLabel>,
    /// The places of local variables.
    pub(super) homes: BTreeMap<LocalId, Home>,
    /// Which object an array is whose length is not constant, by the call that makes it.
    pub(super) varying: BTreeMap<Span, Place>,
    /// The labels of the text.
    pub(super) named: Vec<ProgramLabel>,
    /// Where `break` leads to, and `continue`; the innermost last.
    pub(super) breaks: Vec<ProgramLabel>,
    pub(super) continues: Vec<ProgramLabel>,
    /// The labels of the cases of `switch`, in the order of the text, the innermost last.
    pub(super) cases: Vec<Vec<ProgramLabel>>,
    /// Whether this is certainly inside of an atomic section.
    pub(super) atomic: bool,
    /// Whether nothing was accessed yet in the atomic section that the function is in.
    pub(super) is_first: bool,
    /// Whether the function begins atomic sections itself.
    pub(super) begins_sections: bool,
}

/// Where a local variable is.
#[derive(Clone)]
pub(super) struct Home {
    pub(super) stored: Arc<Stored>,
    /// For one of a pool: which one.
    pub(super) object: Option<Expr>,
}

impl<'l, 'u> Fun<'l, 'u> {
    /// Makes the body of a procedure.
    pub(super) fn lower(lower: &'l mut Lower<'u>, id: FunctionId, role: Role, proc: ProcId) {
        let unit = lower.unit;
        let function = &unit.functions[id.index()];
        let locals = lower.program.procs[proc.index()].locals.clone();
        let mut fun = Fun {
            lower,
            id,
            role,
            proc,
            locals,
            labels: Vec::new(),
            blocks: vec![Vec::new()],
            pending: Vec::new(),
            homes: BTreeMap::new(),
            varying: BTreeMap::new(),
            named: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            cases: Vec::new(),
            atomic: role == Role::Atomic,
            is_first: false,
            begins_sections: super::statements::begins_sections(unit, function),
        };
        fun.unless_ended(function.span);
        fun.named = function.labels.iter().map(|name| fun.label(name)).collect();
        fun.find_homes(function);
        fun.find_varying(function);
        if role == Role::Main {
            fun.open_arguments(function);
        }
        fun.statements(function.body.as_deref().unwrap_or_default());
        fun.leave_at_end(function);
        fun.finish();
    }

    fn finish(mut self) {
        self.carry_labels();
        let body = self.blocks.pop().unwrap_or_default();
        let procedure = &mut self.lower.program.procs[self.proc.index()];
        (procedure.body, procedure.locals, procedure.labels) = (body, self.locals, self.labels);
    }

    /// Finds places for parameters and local variables; arguments of those that have an address are copied there.
    fn find_homes(&mut self, function: &'u c::Function) {
        let mut next_param = 0;
        for (number, declared) in function.locals.iter().enumerate() {
            let id = LocalId(number as u32);
            if self.lower.bulk.holds(self.id, id) {
                continue;
            }
            let leaves = match self.lower.shapes.leaves(&declared.ty) {
                Ok(leaves) => leaves,
                Err(reason) => {
                    self.limit(declared.span, reason);
                    Vec::new()
                }
            };
            let is_param = number < function.params;
            let incoming = match is_param {
                true => self.lower.cells(&declared.ty),
                false => Vec::new(),
            };
            let first = next_param;
            next_param += incoming.len();
            if !self.lower.points.addressed.contains(&(self.id, id)) {
                // Scalars stay where they came in; elements of arrays move to an array.
                let given = |leaf: &Leaf| {
                    let number = incoming.iter().position(|cell| cell.offset == leaf.offset)?;
                    leaf.dimensions.is_empty().then(|| local(first + number))
                };
                let given: Vec<Option<VarRef>> = leaves.iter().map(given).collect();
                let vars = given.iter().zip(&leaves).map(|(given, leaf)| {
                    given.unwrap_or_else(|| self.local_of(&declared.name, leaf, declared.span))
                });
                let vars: Vec<VarRef> = vars.collect();
                let leaves = leaves.into_iter().zip(vars).collect();
                let stored = Arc::new(Stored { base: 0, size: 0, leaves, pool: None, sizes: None });
                let home = Home { stored, object: None };
                self.receive(&home, &incoming, first, declared.span);
                self.homes.insert(id, home);
                continue;
            }
            let Some(stored) = self.lower.stored(Target::Local(self.id, id)) else { continue };
            let object = stored.pool.map(|_| {
                let index = self.make_object(&stored, declared.span);
                read(index)
            });
            let home = Home { stored, object };
            self.receive(&home, &incoming, first, declared.span);
            self.homes.insert(id, home);
        }
    }

    /// Opens the arguments that the program gets from outside.
    fn open_arguments(&mut self, function: &'u c::Function) {
        for (number, param) in function.locals.iter().enumerate().take(function.params) {
            let Some(home) = self.homes.get(&LocalId(number as u32)).cloned() else { continue };
            for (leaf, var) in &home.stored.leaves {
                let indices = home.object.iter().cloned().collect();
                let to = place(*var, indices, &leaf.ty, param.span);
                // The vector of arguments is somewhere, and nothing is known of it.
                match param.ty {
                    crate::c::types::Type::Pointer(_) => {
                        self.assign(to, int(1, &leaf.ty), param.span)
                    }
                    _ => self.emit(StmtKind::Havoc(vec![to]), param.span),
                }
            }
        }
    }

    /// Copies the scalars of an argument to where the parameter is.
    fn receive(&mut self, home: &Home, incoming: &[Cell], first: usize, span: Span) {
        for (number, cell) in incoming.iter().enumerate() {
            let Some((leaf, var)) = home.stored.leaf(&cell.way) else { continue };
            let from = local(first + number);
            if *var == from {
                continue;
            }
            let elements = cell.indices.iter().map(|&index| int(index, &Type::Int));
            let indices: Vec<Expr> = home.object.iter().cloned().chain(elements).collect();
            let value = read(place(from, Vec::new(), &cell.ty, span));
            let to = place(*var, indices, &leaf.ty, span);
            self.assign(to, value, span);
        }
    }

    fn local_of(&mut self, name: &str, leaf: &Leaf, span: Span) -> VarRef {
        let var = self.new_local(&format!("{name}{}", leaf.name), variable_type(leaf), span);
        let looks = self.lower.looks(span, leaf);
        if let Some(local) = self.locals.last_mut() {
            local.looks = looks;
        }
        let unique = self.locals.last().map_or(String::new(), |local| local.name.clone());
        let indices = leaf.dimensions.iter().map(|_| Piece::Index);
        let pieces = [Piece::Text(unique)].into_iter().chain(indices).collect();
        let manner = match is_made(name) {
            true => Manner::Hidden,
            false => Manner::Written { pieces, is_address: is_address(&leaf.c) },
        };
        self.tell(var, manner);
        var
    }

    /// Says how a local variable is told.
    fn tell(&mut self, var: VarRef, manner: Manner) {
        if let VarRef::Local(local) = var {
            self.lower.tell(Told::Local(self.proc, local), manner);
        }
    }

    /// Adds a local variable.
    pub(super) fn new_local(&mut self, name: &str, ty: Type, span: Span) -> VarRef {
        let mut unique = name.to_owned();
        let mut number = 2;
        while self.locals.iter().any(|l| l.name == unique) {
            unique = format!("{name}'{number}");
            number += 1;
        }
        let init =
            vec![if ty == Type::ThreadId { Value::Small(0) } else { Value::Open }; ty.slots()];
        self.locals.push(Variable {
            name: unique,
            ty,
            init,
            counts_threads: false,
            looks: None,
            span,
        });
        VarRef::Local(ProgramLocal(self.locals.len() as u32 - 1))
    }

    /// How many parameters the procedure has.
    pub(super) fn params(&self) -> usize {
        self.lower.program.procs[self.proc.index()].params
    }

    /// The type of a local variable of the program.
    pub(super) fn local_type(&self, local: ProgramLocal) -> Option<&Type> {
        self.locals.get(local.index()).map(|local| &local.ty)
    }

    /// A new place for a value on the way.
    pub(super) fn temp(&mut self, ty: &Type, span: Span) -> Place {
        let var = self.new_local("t", ty.clone(), span);
        self.tell(var, Manner::Hidden);
        place(var, Vec::new(), ty, span)
    }

    /// A new label, not yet placed.
    pub(super) fn label(&mut self, name: &str) -> ProgramLabel {
        let mut unique = name.to_owned();
        let mut number = 2;
        while self.labels.contains(&unique) {
            unique = format!("{name}'{number}");
            number += 1;
        }
        self.labels.push(unique);
        ProgramLabel(self.labels.len() as u32 - 1)
    }

    pub(super) fn named_label(&self, label: LabelId) -> Option<ProgramLabel> {
        self.named.get(label.index()).copied()
    }

    /// Puts a label before the next statement.
    pub(super) fn put(&mut self, label: ProgramLabel) {
        self.is_first = false;
        self.pending.push(label);
    }

    /// Adds a statement.
    pub(super) fn emit(&mut self, kind: StmtKind, span: Span) {
        let mut statement = stmt(kind, span);
        statement.labels = std::mem::take(&mut self.pending);
        if let Some(block) = self.blocks.last_mut() {
            block.push(statement);
        }
    }

    /// Labels need a statement to stand before.
    fn carry_labels(&mut self) {
        if !self.pending.is_empty() {
            self.emit(StmtKind::Skip, Span::default());
        }
    }

    /// The statements that are emitted meanwhile.
    pub(super) fn collect(&mut self, make: impl FnOnce(&mut Self)) -> Block {
        // A label before a block is one before what contains it.
        self.carry_labels();
        self.blocks.push(Vec::new());
        make(self);
        self.carry_labels();
        self.blocks.pop().unwrap_or_default()
    }

    /// Adds statements that were made before.
    pub(super) fn append(&mut self, block: Block) {
        for statement in block {
            let mut labels = std::mem::take(&mut self.pending);
            labels.extend(statement.labels);
            if let Some(open) = self.blocks.last_mut() {
                open.push(selvedge_program::Stmt { labels, ..statement });
            }
        }
    }

    /// One of two blocks, decided where that is known.
    pub(super) fn branch(
        &mut self,
        cond: Expr,
        span: Span,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        match known_truth(&cond) {
            Some(true) => then(self),
            Some(false) => otherwise(self),
            None => {
                let before = self.atomic;
                // Where paths part, no access is certainly the first one.
                self.is_first = false;
                let then = self.collect(then);
                let after = std::mem::replace(&mut self.atomic, before);
                let otherwise = self.collect(otherwise);
                self.atomic &= after;
                self.emit(StmtKind::If { cond: Cond::Expr(cond), then, otherwise }, span);
            }
        }
    }

    pub(super) fn goto(&mut self, label: ProgramLabel, span: Span) {
        self.emit(StmtKind::Goto(vec![label]), span);
    }

    pub(super) fn assign(&mut self, to: Place, value: Expr, span: Span) {
        self.emit(
            StmtKind::Assign { targets: vec![to], values: vec![value], constrain: None },
            span,
        );
    }

    /// Keeps a value in a variable of its own.
    pub(super) fn keep(&mut self, value: Expr, span: Span) -> Expr {
        let temp = self.temp(&value.ty.clone(), span);
        self.assign(temp.clone(), value, span);
        read(temp)
    }

    /// A value that can be repeated: a constant, or one of a local variable.
    pub(super) fn simple(&mut self, value: Expr, span: Span) -> Expr {
        match &value.kind {
            ExprKind::Const(v) if *v != Value::Open => value,
            ExprKind::Read(Place { var: VarRef::Local(_), indices, .. }) if indices.is_empty() => {
                value
            }
            _ => self.keep(value, span),
        }
    }

    /// The thread goes no further.
    pub(super) fn stop(&mut self, span: Span) {
        if let Some(ended) = self.lower.ended.filter(|_| !self.atomic) {
            self.assign(
                place(VarRef::Global(ended), Vec::new(), &Type::Bool, span),
                truth(true),
                span,
            );
            return self.emit(StmtKind::Assume(truth(false)), span);
        }
        let here = self.label("stop");
        self.put(here);
        self.goto(here, span);
    }

    /// Goes on only if the program has not ended: wherever a run might go round.
    pub(super) fn unless_ended(&mut self, span: Span) {
        if let Some(ended) = self.lower.ended.filter(|_| !self.atomic) {
            let ended = read(place(VarRef::Global(ended), Vec::new(), &Type::Bool, span));
            self.emit(StmtKind::Assume(selvedge_program::make::not(ended)), span);
        }
    }

    /// Emits a place beyond which the program cannot be followed.
    pub(super) fn limit(&mut self, span: Span, reason: String) {
        if self.lower.options.ends_at_limits {
            return self.stop(span);
        }
        self.fail(span, &reason);
        let limit = Limit { span, reason };
        if !self.lower.limits.contains(&limit) {
            self.lower.limits.push(limit);
        }
        self.stop(span);
    }

    /// Blocks until something holds; who waits for ever is no deadlock.
    pub(super) fn assume(&mut self, cond: Expr, span: Span) {
        self.branch(cond, span, |_| {}, |fun| fun.stop(span));
    }

    /// Some value of a type, for those who do not care.
    pub(super) fn nothing(ty: &Type) -> Expr {
        match ty {
            Type::Bool => truth(false),
            _ => int(0, ty),
        }
    }

    /// Any value of a type.
    pub(super) fn any(ty: &Type, span: Span) -> Expr {
        expr(ExprKind::Any, ty.clone(), span)
    }
}
