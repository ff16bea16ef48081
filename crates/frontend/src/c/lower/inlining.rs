//! # Functions that get the addresses of local variables
//!
//! **Question.** `cas(&top, old, new, &done)` takes the address of a local variable, so that a pointer may point to it. Has it to be an object that all threads can find?
//!
//! **Idea.** Where a call gives such an address to a function that does nothing but read and write what it points to, the body of the function is written in its place. Then `*p` is the
//! variable itself, nobody holds its address, and it is one of the locals of its thread.
//!
//! **Claim.** The unit has the same runs, but for the steps of the call itself. A parameter that is never assigned, and whose own address is not taken, holds its argument all along; the
//! argument is the address of a variable or of a member of one, which nothing changes; so `*p` is that variable at any time, if it has the type of what is read. Other arguments are evaluated
//! once, in their order, into new variables, and a `return` leaves a value in another one and jumps to the end. The body of a function whose name says that it is one step stands
//! in an atomic section.
//!
//! **Needs.** A call that is a statement of its own, or whose value is the only thing that is not constant in the value of one; a function that is not recursive. Functions that start threads
//! or ask for values from outside stay as they are: these are known by their place in the text, of which there would be two.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_program::Span;

use super::visit::{each_call, each_expr, each_part, each_statement};
use crate::c::typed::*;
use crate::c::types::Type;

/// Bodies with more statements than this are left where they are.
const LARGEST: usize = 60;

/// No function grows beyond this many statements.
const MOST: usize = 2000;

/// The deepest nesting of calls that are written out.
const DEEPEST: usize = 4;

const BEGIN: &str = "__VERIFIER_atomic_begin";
const END: &str = "__VERIFIER_atomic_end";

/// The unit with these functions written out; nothing if there are none.
pub(super) fn written_out(unit: &Unit) -> Option<Unit> {
    let mut made: Option<Unit> = None;
    for _ in 0..DEEPEST {
        let now = made.as_ref().unwrap_or(unit);
        let Some(next) = once(now) else { break };
        made = Some(next);
    }
    made
}

/// Writes out what can be written out without looking into what was written out.
fn once(unit: &Unit) -> Option<Unit> {
    let calls = calls(unit);
    let fits: BTreeSet<FunctionId> = (0..unit.functions.len() as u32)
        .map(FunctionId)
        .filter(|&f| is_simple(unit, f) && !reached(&calls, f).contains(&f))
        .collect();
    if fits.is_empty() {
        return None;
    }
    let inside = inside_of_sections(unit, &calls);
    let mut made = unit.clone();
    let (begin, end) = (named(&mut made, BEGIN), named(&mut made, END));
    let mut changed = false;
    for number in 0..unit.functions.len() as u32 {
        let at = FunctionId(number);
        let Some(body) = &unit.functions[at.index()].body else { continue };
        let own_section = is_section(&unit.functions[at.index()].name);
        let mut writer = Writer {
            unit,
            at,
            fits: &fits,
            function: unit.functions[at.index()].clone(),
            begin,
            end,
            targets: targets(body),
            section: match (own_section, inside.contains(&at)) {
                (true, _) => Some(true),
                (false, true) => None,
                (false, false) => Some(false),
            },
            size: size(body),
            changed: false,
        };
        let body = writer.block(body);
        if writer.changed {
            changed = true;
            made.functions[at.index()] = Function { body: Some(body), ..writer.function };
        }
    }
    changed.then_some(made)
}

/// Whether a function is one step by its name.
fn is_section(name: &str) -> bool {
    name.starts_with("__VERIFIER_atomic_") && name != BEGIN && name != END
}

/// A function of the library by its name; it is declared if it is not.
pub(super) fn named(unit: &mut Unit, name: &str) -> FunctionId {
    let known = unit.functions.iter().position(|f| f.name == name && f.body.is_none());
    let number = known.unwrap_or_else(|| {
        unit.functions.push(Function {
            name: name.to_owned(),
            result: Type::Void,
            params: 0,
            variadic: false,
            locals: Vec::new(),
            labels: Vec::new(),
            body: None,
            span: Span::default(),
        });
        unit.functions.len() - 1
    });
    FunctionId(number as u32)
}

/// The number of statements.
fn size(block: &[Stmt]) -> usize {
    let mut count = 0;
    each_statement(block, &mut |_| count += 1);
    count
}

/// The labels that are jumped to.
fn targets(body: &[Stmt]) -> BTreeSet<LabelId> {
    let mut found = BTreeSet::new();
    let mut see = |s: &Stmt| {
        if let StmtKind::Goto(label) = s.kind {
            found.insert(label);
        }
    };
    each_statement(body, &mut see);
    each_expr_in(body, &mut |expr| {
        if let ExprKind::Statement(block, _) = &expr.kind {
            each_statement(block, &mut see);
        }
    });
    found
}

/// Tells every expression of a function.
fn each_expr_in<'u>(body: &'u [Stmt], see: &mut dyn FnMut(&'u Expr)) {
    for statement in body {
        each_part(statement, false, &mut |expr, _| each_expr(expr, see));
    }
}

/// The functions that each function calls by name.
fn calls(unit: &Unit) -> BTreeMap<FunctionId, BTreeSet<FunctionId>> {
    let mut all: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
    for (number, function) in unit.functions.iter().enumerate() {
        let mine = all.entry(FunctionId(number as u32)).or_default();
        for statement in function.body.iter().flatten() {
            each_part(statement, false, &mut |expr, _| {
                each_call(expr, false, &mut |callee, _, _| match callee {
                    Callee::Direct(function) => drop(mine.insert(*function)),
                    // Whoever is called by its address is among those that are mentioned.
                    Callee::Pointer(_) | Callee::Builtin(_) => {}
                });
                each_expr(expr, &mut |expr| {
                    if let ExprKind::Function(function) = expr.kind {
                        mine.insert(function);
                    }
                });
            });
        }
    }
    all
}

/// All that a function may call, directly or by others.
fn reached(
    calls: &BTreeMap<FunctionId, BTreeSet<FunctionId>>,
    from: FunctionId,
) -> BTreeSet<FunctionId> {
    let mut seen = BTreeSet::new();
    let mut work = vec![from];
    while let Some(function) = work.pop() {
        for &next in calls.get(&function).into_iter().flatten() {
            if seen.insert(next) {
                work.push(next);
            }
        }
    }
    seen
}

/// Functions that may be called inside of an atomic section that began elsewhere.
fn inside_of_sections(
    unit: &Unit,
    calls: &BTreeMap<FunctionId, BTreeSet<FunctionId>>,
) -> BTreeSet<FunctionId> {
    let mut inside = BTreeSet::new();
    for (&function, called) in calls {
        let begins = called.iter().any(|f| unit.functions[f.index()].name == BEGIN);
        if begins || is_section(&unit.functions[function.index()].name) {
            inside.extend(reached(calls, function));
        }
    }
    inside
}

/// Whether the body of a function can stand somewhere else.
fn is_simple(unit: &Unit, at: FunctionId) -> bool {
    let function = &unit.functions[at.index()];
    let Some(body) = &function.body else { return false };
    let is_small = size(body) <= LARGEST && !function.variadic && function.name != "main";
    let mut plain = true;
    each_statement(body, &mut |s| plain &= !matches!(s.kind, StmtKind::Asm { .. }));
    each_expr_in(body, &mut |expr| match &expr.kind {
        ExprKind::Statement(..) | ExprKind::Unsupported(_) => plain = false,
        ExprKind::Call(Callee::Direct(called), _) => {
            let called = &unit.functions[called.index()];
            let name = called.name.as_str();
            let starts = ["pthread_", "thrd_", "__VERIFIER_nondet_", "call_once"];
            let locks = ["pthread_mutex_", "pthread_spin_", "pthread_rwlock_", "pthread_cond_"];
            plain &= called.body.is_some()
                || locks.iter().any(|family| name.starts_with(family))
                || !starts.iter().any(|family| name.starts_with(family))
                    && !super::points::MAKERS.contains(&name)
                    && !super::library::OUTSIDE.contains(&name)
                    && name != BEGIN
                    && name != END;
        }
        ExprKind::Call(Callee::Builtin(name), _) => {
            plain &= !super::points::MAKERS.contains(&name.as_str());
        }
        _ => {}
    });
    is_small && plain
}

/// The address of a variable or of a member of one: always the same while the variable lives.
fn stable(expr: &Expr) -> Option<&Lvalue> {
    match &expr.kind {
        ExprKind::Convert(inner) if matches!(expr.ty, Type::Pointer(_)) => stable(inner),
        ExprKind::Address(lvalue) => is_stable(lvalue).then_some(&**lvalue),
        _ => None,
    }
}

fn is_stable(lvalue: &Lvalue) -> bool {
    match &lvalue.kind {
        LvalueKind::Local(_) | LvalueKind::Object(_) => {
            !matches!(lvalue.ty, Type::Array(..) | Type::Function(_))
        }
        LvalueKind::Member(inner, ..) => {
            is_stable(inner) && !matches!(lvalue.ty, Type::Array(..) | Type::Function(_))
        }
        LvalueKind::Deref(_) | LvalueKind::Element(..) | LvalueKind::Temporary(_) => false,
    }
}

/// How a function uses a parameter.
struct Uses {
    /// Whether it is assigned, or its address is taken.
    changes: bool,
    /// Whether it is read for anything but what it points to, and to hand it on.
    keeps: bool,
}

fn uses(body: &[Stmt], param: LocalId) -> Uses {
    let mut found = Uses { changes: false, keeps: false };
    let is_param = |lvalue: &Lvalue| matches!(lvalue.kind, LvalueKind::Local(l) if l == param);
    let reads = |expr: &Expr| {
        let mut inner = expr;
        while let ExprKind::Convert(deeper) = &inner.kind {
            inner = deeper;
        }
        matches!(&inner.kind, ExprKind::Load(place) if is_param(place))
    };
    // Every way to read it that keeps it to itself is counted off from all.
    let (mut all, mut plain) = (0_usize, 0_usize);
    each_expr_in(body, &mut |expr| {
        let mut deref = |mut lvalue: &Lvalue| loop {
            match &lvalue.kind {
                LvalueKind::Deref(pointer) => {
                    plain += usize::from(reads(pointer));
                    return;
                }
                LvalueKind::Member(inner, ..) | LvalueKind::Element(inner, _) => lvalue = inner,
                _ => return,
            }
        };
        match &expr.kind {
            ExprKind::Load(place) => {
                all += usize::from(is_param(place));
                deref(place);
            }
            ExprKind::Address(place) => {
                found.changes |= root(place) == Some(param);
                deref(place);
            }
            ExprKind::Assign(place, _) | ExprKind::AssignWith { place, .. } => {
                found.changes |= root(place) == Some(param);
                deref(place);
            }
            ExprKind::Call(_, args) => {
                plain += args.iter().filter(|arg| reads(arg)).count();
            }
            _ => {}
        }
    });
    found.keeps = all != plain;
    found
}

fn root(lvalue: &Lvalue) -> Option<LocalId> {
    super::points::root_local(lvalue)
}

/// Rewrites one function.
struct Writer<'a> {
    unit: &'a Unit,
    at: FunctionId,
    fits: &'a BTreeSet<FunctionId>,
    function: Function,
    begin: FunctionId,
    end: FunctionId,
    /// The labels that somebody jumps to: whether they are inside of a section is not looked at.
    targets: BTreeSet<LabelId>,
    /// Whether the statement that is looked at is inside of an atomic section; nothing if that is not known.
    section: Option<bool>,
    size: usize,
    changed: bool,
}

/// A call that is to be written out.
struct InlinedCall<'a> {
    function: FunctionId,
    args: &'a [Expr],
    ty: &'a Type,
    span: Span,
}

impl<'a> Writer<'a> {
    fn block(&mut self, block: &'a [Stmt]) -> Vec<Stmt> {
        let mut made = Vec::new();
        for statement in block {
            self.statement(statement, &mut made);
        }
        made
    }

    /// A block inside of a statement: what it does to sections is known only if it does nothing.
    fn inner(&mut self, block: &'a [Stmt]) -> Vec<Stmt> {
        let before = self.section;
        let made = self.block(block);
        if self.section != before {
            self.section = None;
        }
        made
    }

    fn statement(&mut self, statement: &'a Stmt, made: &mut Vec<Stmt>) {
        let span = statement.span;
        let put = |kind: StmtKind| Stmt { kind, span };
        let kind = match &statement.kind {
            StmtKind::Expr(expr) => {
                self.mark(expr);
                let plain = match &expr.kind {
                    ExprKind::Assign(place, value) if is_stable(place) => self.value(value, made),
                    ExprKind::Call(..) | ExprKind::Convert(_) => self.value(expr, made),
                    _ => None,
                };
                match (plain, &expr.kind) {
                    (Some(value), ExprKind::Assign(place, _)) => {
                        let kind = ExprKind::Assign(place.clone(), Box::new(value));
                        StmtKind::Expr(Expr { kind, ..expr.clone() })
                    }
                    (Some(_), _) => return,
                    (None, _) => statement.kind.clone(),
                }
            }
            StmtKind::Declare(local, Some(parts)) => match parts.as_slice() {
                [part] => match self.value(&part.value, made) {
                    Some(value) => {
                        let parts = vec![Part { offset: part.offset, value }];
                        StmtKind::Declare(*local, Some(parts))
                    }
                    None => statement.kind.clone(),
                },
                _ => statement.kind.clone(),
            },
            StmtKind::Return(Some(value)) => match self.value(value, made) {
                Some(value) => StmtKind::Return(Some(value)),
                None => statement.kind.clone(),
            },
            StmtKind::Block(block) => StmtKind::Block(self.block(block)),
            StmtKind::If(cond, a, b) => {
                let cond = self.value(cond, made).unwrap_or_else(|| cond.clone());
                let before = self.section;
                let a = self.inner(a);
                let after = std::mem::replace(&mut self.section, before);
                let b = self.inner(b);
                if self.section != after {
                    self.section = None;
                }
                StmtKind::If(cond, a, b)
            }
            StmtKind::While(cond, body) => {
                // The test is made at the beginning of each turn.
                let mut first = Vec::new();
                self.in_loop(body);
                match self.value(cond, &mut first) {
                    Some(value) => {
                        let (at, ty) = (cond.span, value.ty.clone());
                        let leave = vec![Stmt { kind: StmtKind::Break, span: at }];
                        first.push(put(StmtKind::If(value, Vec::new(), leave)));
                        first.extend(self.inner(body));
                        let always = Expr { kind: ExprKind::Int(1), ty: whole(&ty), span: at };
                        StmtKind::While(always, first)
                    }
                    None => StmtKind::While(cond.clone(), self.inner(body)),
                }
            }
            StmtKind::DoWhile(body, cond) => {
                self.in_loop(body);
                let mut inner = self.inner(body);
                let mut continues = false;
                each_statement(body, &mut |s| continues |= matches!(s.kind, StmtKind::Continue));
                let tested = match continues {
                    true => None,
                    false => self.value(cond, &mut inner),
                };
                StmtKind::DoWhile(inner, tested.unwrap_or_else(|| cond.clone()))
            }
            StmtKind::For { cond, step, body } => {
                self.in_loop(body);
                let body = self.inner(body);
                StmtKind::For { cond: cond.clone(), step: step.clone(), body }
            }
            StmtKind::Switch(value, body) => {
                let value = self.value(value, made).unwrap_or_else(|| value.clone());
                if self.has_marks(body) {
                    // Cases are jumped to.
                    self.section = None;
                }
                StmtKind::Switch(value, self.inner(body))
            }
            StmtKind::Label(label) => {
                if self.targets.contains(label) && !is_section(&self.function.name) {
                    self.section = None;
                }
                statement.kind.clone()
            }
            other => other.clone(),
        };
        made.push(put(kind));
    }

    /// Notes that a section begins or ends.
    fn mark(&mut self, expr: &Expr) {
        each_call(expr, false, &mut |callee, _, _| {
            let Callee::Direct(function) = callee else { return };
            match self.unit.functions[function.index()].name.as_str() {
                BEGIN => self.section = self.section.map(|_| true),
                END => {
                    let own = is_section(&self.function.name);
                    self.section = self.section.map(|_| own);
                }
                _ => {}
            }
        });
    }

    /// A loop whose turns do not end where they began, as far as sections go, has none that are known.
    fn in_loop(&mut self, body: &'a [Stmt]) {
        let before = self.section;
        for statement in body {
            self.marks(statement);
        }
        if self.section != before {
            self.section = None;
        }
    }

    /// Whether a section begins or ends in a block.
    fn has_marks(&self, block: &[Stmt]) -> bool {
        let mut found = false;
        each_expr_in(block, &mut |expr| {
            if let ExprKind::Call(Callee::Direct(function), _) = &expr.kind {
                let name = self.unit.functions[function.index()].name.as_str();
                found |= name == BEGIN || name == END;
            }
        });
        found
    }

    fn marks(&mut self, statement: &'a Stmt) {
        let mut all = Vec::new();
        each_part(statement, false, &mut |expr, _| all.push(expr));
        all.into_iter().for_each(|expr| self.mark(expr));
    }

    /// The value with its call written out before it, if there is such a call.
    fn value(&mut self, value: &'a Expr, made: &mut Vec<Stmt>) -> Option<Expr> {
        let call = self.call_in(value)?;
        let result = self.write(&call, made);
        self.changed = true;
        let mut changed = value.clone();
        let inner = innermost(&mut changed)?;
        inner.kind = match result {
            Some(local) => ExprKind::Load(Box::new(Lvalue {
                kind: LvalueKind::Local(local),
                ty: call.ty.clone(),
                span: call.span,
            })),
            None => ExprKind::Int(0),
        };
        Some(changed)
    }

    /// The call whose value is all that is not constant in a value, if it is to be written out.
    fn call_in(&self, value: &'a Expr) -> Option<InlinedCall<'a>> {
        let is_constant = |e: &Expr| super::choices::constant(e).is_some();
        let mut expr = value;
        let (function, args) = loop {
            expr = match &expr.kind {
                ExprKind::Convert(inner) | ExprKind::Not(inner) | ExprKind::Unary(_, inner) => {
                    inner
                }
                ExprKind::Compare(_, a, b) | ExprKind::Arithmetic(_, a, b) if is_constant(b) => a,
                ExprKind::Compare(_, a, b) | ExprKind::Arithmetic(_, a, b) if is_constant(a) => b,
                ExprKind::Call(Callee::Direct(function), args) => break (*function, args),
                _ => return None,
            };
        };
        let callee = &self.unit.functions[function.index()];
        let body = callee.body.as_ref()?;
        let helps = args.iter().enumerate().any(|(number, arg)| {
            let uses = uses(body, LocalId(number as u32));
            stable(arg).is_some_and(|place| root(place).is_some()) && !uses.changes && !uses.keeps
        });
        // Two sections must not end each other.
        let section = is_section(&callee.name);
        let stands = match self.section {
            Some(_) => true,
            None => !section,
        };
        let fits = self.fits.contains(&function)
            && function != self.at
            && callee.params == args.len()
            && self.size + size(body) <= MOST
            && !matches!(callee.result, Type::Record(_));
        (helps && fits && stands).then(|| InlinedCall {
            function,
            args,
            ty: &expr.ty,
            span: expr.span,
        })
    }

    /// Writes a call out; the variable that holds its value, if it has one.
    fn write(&mut self, call: &InlinedCall<'a>, made: &mut Vec<Stmt>) -> Option<LocalId> {
        let callee = &self.unit.functions[call.function.index()];
        let body = callee.body.as_deref().unwrap_or_default();
        let span = call.span;
        self.size += size(body);
        let first = self.function.locals.len() as u32;
        let labels = self.function.labels.len() as u32;
        self.function.locals.extend(callee.locals.iter().cloned());
        self.function.labels.extend(callee.labels.iter().cloned());
        let end = LabelId(self.function.labels.len() as u32);
        self.function.labels.push(format!("after_{}", callee.name));
        let result = (callee.result != Type::Void).then(|| {
            let (name, ty) = (callee.name.clone(), callee.result.clone());
            self.function.locals.push(Local { name, ty, span });
            LocalId(self.function.locals.len() as u32 - 1)
        });
        let mut copy = Copy { first, labels, places: BTreeMap::new(), result, end, jumps: false };
        let mut block = Vec::new();
        for (number, arg) in call.args.iter().enumerate() {
            let param = LocalId(number as u32);
            match stable(arg) {
                Some(_) if !uses(body, param).changes => drop(copy.places.insert(param, arg)),
                _ => {
                    let parts = vec![Part { offset: 0, value: arg.clone() }];
                    let kind = StmtKind::Declare(LocalId(first + param.0), Some(parts));
                    block.push(Stmt { kind, span });
                }
            }
        }
        if let Some(result) = result {
            block.push(Stmt { kind: StmtKind::Declare(result, None), span });
        }
        let is_section = is_section(&callee.name) && self.section == Some(false);
        let mark = |function: FunctionId| {
            let kind = ExprKind::Call(Callee::Direct(function), Vec::new());
            Stmt { kind: StmtKind::Expr(Expr { kind, ty: Type::Void, span }), span }
        };
        block.extend(is_section.then(|| mark(self.begin)));
        block.extend(copy.body(body));
        if copy.jumps {
            block.push(Stmt { kind: StmtKind::Label(end), span });
        }
        block.extend(is_section.then(|| mark(self.end)));
        made.push(Stmt { kind: StmtKind::Block(block), span });
        result
    }
}

/// The type of a truth value, where a test has this type.
fn whole(ty: &Type) -> Type {
    match ty {
        Type::Int { .. } | Type::Bool => ty.clone(),
        _ => Type::Int { bits: 32, signed: true, rank: 2 },
    }
}

/// The call in a value, on the way that [`Writer::call_in`] goes.
fn innermost(value: &mut Expr) -> Option<&mut Expr> {
    if matches!(value.kind, ExprKind::Call(..)) {
        return Some(value);
    }
    match &mut value.kind {
        ExprKind::Convert(inner) | ExprKind::Not(inner) | ExprKind::Unary(_, inner) => {
            innermost(inner)
        }
        ExprKind::Compare(_, a, b) | ExprKind::Arithmetic(_, a, b) => {
            match super::choices::constant(b).is_some() {
                true => innermost(a),
                false => innermost(b),
            }
        }
        _ => None,
    }
}

/// A body that is copied to another function.
struct Copy<'a> {
    /// The number of its first local in the other function.
    first: u32,
    /// The number of its first label.
    labels: u32,
    /// Parameters that are the addresses of these variables.
    places: BTreeMap<LocalId, &'a Expr>,
    /// The variable for the result.
    result: Option<LocalId>,
    /// The label after the copy.
    end: LabelId,
    /// Whether there is a jump to that label.
    jumps: bool,
}

impl Copy<'_> {
    /// The whole body: a `return` that is its last statement needs no jump.
    fn body(&mut self, body: &[Stmt]) -> Vec<Stmt> {
        let mut made = Vec::new();
        for (number, statement) in body.iter().enumerate() {
            let is_last = number + 1 == body.len();
            self.statement(statement, is_last, &mut made);
        }
        made
    }

    fn block(&mut self, block: &[Stmt]) -> Vec<Stmt> {
        let mut made = Vec::new();
        block.iter().for_each(|statement| self.statement(statement, false, &mut made));
        made
    }

    fn statement(&mut self, statement: &Stmt, is_last: bool, made: &mut Vec<Stmt>) {
        let span = statement.span;
        let kind = match &statement.kind {
            StmtKind::Expr(expr) => StmtKind::Expr(self.expr(expr)),
            StmtKind::Declare(local, parts) => {
                let part = |p: &Part| Part { offset: p.offset, value: self.expr(&p.value) };
                let parts = parts.as_ref().map(|parts| parts.iter().map(part).collect());
                StmtKind::Declare(self.local(*local), parts)
            }
            StmtKind::Block(block) => StmtKind::Block(self.block(block)),
            StmtKind::If(cond, a, b) => {
                let cond = self.expr(cond);
                StmtKind::If(cond, self.block(a), self.block(b))
            }
            StmtKind::While(cond, body) => StmtKind::While(self.expr(cond), self.block(body)),
            StmtKind::DoWhile(body, cond) => StmtKind::DoWhile(self.block(body), self.expr(cond)),
            StmtKind::For { cond, step, body } => StmtKind::For {
                cond: cond.as_ref().map(|e| self.expr(e)),
                step: step.as_ref().map(|e| self.expr(e)),
                body: self.block(body),
            },
            StmtKind::Switch(value, body) => StmtKind::Switch(self.expr(value), self.block(body)),
            StmtKind::Label(label) => StmtKind::Label(LabelId(self.labels + label.0)),
            StmtKind::Goto(label) => StmtKind::Goto(LabelId(self.labels + label.0)),
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    let value = self.expr(value);
                    let kind = match self.result {
                        Some(result) => {
                            let (kind, ty) = (LvalueKind::Local(result), value.ty.clone());
                            let place = Box::new(Lvalue { kind, ty: ty.clone(), span });
                            let kind = ExprKind::Assign(place, Box::new(value));
                            StmtKind::Expr(Expr { kind, ty, span })
                        }
                        None => StmtKind::Expr(value),
                    };
                    made.push(Stmt { kind, span });
                }
                if is_last {
                    return;
                }
                self.jumps = true;
                StmtKind::Goto(self.end)
            }
            other => other.clone(),
        };
        made.push(Stmt { kind, span });
    }

    fn local(&self, local: LocalId) -> LocalId {
        LocalId(self.first + local.0)
    }

    fn boxed(&self, expr: &Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn expr(&self, expr: &Expr) -> Expr {
        if let ExprKind::Load(place) = &expr.kind
            && let LvalueKind::Local(local) = place.kind
            && let Some(address) = self.places.get(&local)
        {
            return Expr { ty: expr.ty.clone(), span: expr.span, kind: address.kind.clone() };
        }
        let kind = match &expr.kind {
            ExprKind::Load(place) => ExprKind::Load(self.place(place)),
            ExprKind::Address(place) => ExprKind::Address(self.place(place)),
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, self.boxed(a)),
            ExprKind::Not(a) => ExprKind::Not(self.boxed(a)),
            ExprKind::Arithmetic(op, a, b) => {
                ExprKind::Arithmetic(*op, self.boxed(a), self.boxed(b))
            }
            ExprKind::Compare(op, a, b) => ExprKind::Compare(*op, self.boxed(a), self.boxed(b)),
            ExprKind::Offset(a, b) => ExprKind::Offset(self.boxed(a), self.boxed(b)),
            ExprKind::Difference(a, b, n) => ExprKind::Difference(self.boxed(a), self.boxed(b), *n),
            ExprKind::And(a, b) => ExprKind::And(self.boxed(a), self.boxed(b)),
            ExprKind::Or(a, b) => ExprKind::Or(self.boxed(a), self.boxed(b)),
            ExprKind::Conditional(a, b, c) => {
                ExprKind::Conditional(self.boxed(a), self.boxed(b), self.boxed(c))
            }
            ExprKind::Elvis(a, b) => ExprKind::Elvis(self.boxed(a), self.boxed(b)),
            ExprKind::Comma(a, b) => ExprKind::Comma(self.boxed(a), self.boxed(b)),
            ExprKind::Assign(place, value) => {
                ExprKind::Assign(self.place(place), self.boxed(value))
            }
            ExprKind::AssignWith { place, op, value, at, postfix } => ExprKind::AssignWith {
                place: self.place(place),
                op: *op,
                value: self.boxed(value),
                at: at.clone(),
                postfix: *postfix,
            },
            ExprKind::Call(callee, args) => {
                let callee = match callee {
                    Callee::Pointer(pointer) => Callee::Pointer(self.boxed(pointer)),
                    other => other.clone(),
                };
                ExprKind::Call(callee, args.iter().map(|arg| self.expr(arg)).collect())
            }
            ExprKind::Convert(a) => ExprKind::Convert(self.boxed(a)),
            // There are none of these in a body that is copied.
            ExprKind::Statement(..)
            | ExprKind::Unsupported(_)
            | ExprKind::Int(_)
            | ExprKind::Floating(_)
            | ExprKind::Function(_) => expr.kind.clone(),
        };
        Expr { kind, ty: expr.ty.clone(), span: expr.span }
    }

    fn place(&self, place: &Lvalue) -> Box<Lvalue> {
        if let LvalueKind::Deref(pointer) = &place.kind {
            let mut inner = &**pointer;
            while let ExprKind::Convert(deeper) = &inner.kind {
                inner = deeper;
            }
            if let ExprKind::Load(read) = &inner.kind
                && let LvalueKind::Local(local) = read.kind
                && let Some(target) = self.places.get(&local).and_then(|arg| stable(arg))
                && target.ty == place.ty
            {
                return Box::new(Lvalue { span: place.span, ..target.clone() });
            }
        }
        let kind = match &place.kind {
            LvalueKind::Local(local) => LvalueKind::Local(self.local(*local)),
            LvalueKind::Object(object) => LvalueKind::Object(*object),
            LvalueKind::Deref(pointer) => LvalueKind::Deref(self.boxed(pointer)),
            LvalueKind::Member(inner, record, member) => {
                LvalueKind::Member(self.place(inner), *record, *member)
            }
            LvalueKind::Element(inner, index) => {
                LvalueKind::Element(self.place(inner), self.boxed(index))
            }
            LvalueKind::Temporary(value) => LvalueKind::Temporary(self.boxed(value)),
        };
        Box::new(Lvalue { kind, ty: place.ty.clone(), span: place.span })
    }
}
