//! # What pointers point to
//!
//! **Question.** Which objects may the pointer in an expression point to?
//!
//! **Idea.** Andersen's analysis, without regard to the order of statements and to members: each variable and each object has a set of
//! targets, which grows along assignments, calls and conversions until nothing changes. Integers are followed as pointers are, so
//! that an address that passes through an integer is not lost.
//!
//! **Claim.** In every run, what a pointer points to is in its set, or it is no address of an object.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_program::Span;

use crate::c::typed::*;
use crate::c::types::Type;

/// Something that a pointer may point to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// An object that lives as long as the program.
    Object(ObjectId),
    /// A local variable of a function.
    Local(FunctionId, LocalId),
    /// An object that was made by the call at this place.
    Heap(Span),
    /// A function.
    Function(FunctionId),
    /// No object: a value from outside, of the call at this place. Values are followed as pointers are.
    Choice(Span),
}

type Set = BTreeSet<Target>;

/// Something that holds pointers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Holder {
    In(Target),
    Result(FunctionId),
    /// The results of threads, for those that join them.
    Ended,
    /// The values under keys of threads.
    Keyed,
}

/// The targets of every pointer.
#[derive(Clone, Debug)]
pub struct Points<'u> {
    unit: &'u Unit,
    sets: BTreeMap<Holder, Set>,
    grew: bool,
    /// Whether all is known, and questions change nothing.
    is_done: bool,
    /// The calls that make objects, in the order of the text.
    pub heap: BTreeSet<Span>,
    /// Functions that are started as threads.
    pub started: BTreeSet<FunctionId>,
    /// Functions that are called when threads end that keep something at a key.
    pub destroyers: BTreeSet<FunctionId>,
    /// Local variables whose addresses are taken.
    pub addressed: BTreeSet<(FunctionId, LocalId)>,
    /// The objects that may have been freed.
    pub freed: Set,
    /// The calls that make objects on the stack.
    pub on_stack: BTreeSet<Span>,
}

/// Functions that make objects.
pub const MAKERS: [&str; 6] =
    ["malloc", "calloc", "realloc", "aligned_alloc", "__builtin_alloca", VARYING];

impl<'u> Points<'u> {
    /// Looks at the whole unit.
    #[must_use]
    pub fn new(unit: &'u Unit) -> Self {
        let mut points = Points {
            unit,
            sets: BTreeMap::new(),
            grew: true,
            is_done: false,
            heap: BTreeSet::new(),
            started: BTreeSet::new(),
            destroyers: BTreeSet::new(),
            addressed: BTreeSet::new(),
            freed: Set::new(),
            on_stack: BTreeSet::new(),
        };
        while points.grew {
            points.grew = false;
            points.pass();
        }
        points.is_done = true;
        points
    }

    fn pass(&mut self) {
        for (number, object) in self.unit.objects.iter().enumerate() {
            let holder = Holder::In(Target::Object(ObjectId(number as u32)));
            for part in &object.init {
                let set = self.expr(None, &part.value);
                self.add(holder, set);
            }
        }
        for (number, function) in self.unit.functions.iter().enumerate() {
            if let Some(body) = &function.body {
                self.block(FunctionId(number as u32), body);
            }
        }
    }

    fn add(&mut self, holder: Holder, set: Set) {
        if set.is_empty() || self.is_done {
            return;
        }
        let known = self.sets.entry(holder).or_default();
        let before = known.len();
        known.extend(set);
        self.grew |= known.len() > before;
    }

    /// These objects may hold one thing more, and so may all that they are copied to.
    pub(super) fn widen(&mut self, objects: Set, more: Target) {
        self.hold(objects.into_iter().map(|object| (object, more)));
    }

    /// Each of these objects may hold one thing more, and so may all that they are copied to.
    pub(super) fn hold(&mut self, more: impl IntoIterator<Item = (Target, Target)>) {
        self.is_done = false;
        for (object, more) in more {
            self.add(Holder::In(object), Set::from([more]));
        }
        while self.grew {
            self.grew = false;
            self.pass();
        }
        self.is_done = true;
    }

    /// The targets of what threads may keep under keys.
    #[must_use]
    pub fn kept(&self) -> Set {
        self.get(Holder::Keyed)
    }

    /// The targets of what an object may hold.
    #[must_use]
    pub fn held(&self, target: Target) -> Set {
        self.get(Holder::In(target))
    }

    /// The local variables that other threads may find: their addresses are kept in an object that lives longer, given to a
    /// thread that is started or ends, or kept in such a variable.
    #[must_use]
    pub fn escaped(&self) -> Set {
        let mut escaped = Set::new();
        loop {
            let before = escaped.len();
            for (holder, set) in &self.sets {
                let is_open = match holder {
                    Holder::In(Target::Local(function, local)) => {
                        local.0 == 0 && self.started.contains(function)
                            || escaped.contains(&Target::Local(*function, *local))
                    }
                    Holder::In(_) | Holder::Ended | Holder::Keyed => true,
                    Holder::Result(_) => false,
                };
                if is_open {
                    escaped.extend(set.iter().filter(|target| matches!(target, Target::Local(..))));
                }
            }
            if escaped.len() == before {
                return escaped;
            }
        }
    }

    /// Whether some pointer may hold the address of something.
    #[must_use]
    pub fn is_pointed_to(&self, target: Target) -> bool {
        self.sets.values().any(|set| set.contains(&target))
    }

    /// Whether the address of something that a function makes may be kept when the function has returned: by whatever lives longer, by a thread, or by a variable
    /// of another function that is found by its address.
    #[must_use]
    pub fn outlives(&self, target: Target, function: FunctionId) -> bool {
        self.sets.iter().filter(|(_, set)| set.contains(&target)).any(|(holder, _)| match holder {
            Holder::In(Target::Local(at, local)) => {
                *at != function && self.addressed.contains(&(*at, *local))
                    || local.0 == 0 && self.started.contains(at)
            }
            _ => true,
        })
    }

    /// Whether the address of something that a block declares may be kept when the block has ended, by other variables than those that it declares.
    #[must_use]
    pub fn outlives_block(
        &self,
        function: FunctionId,
        target: Target,
        block: &BTreeSet<LocalId>,
    ) -> bool {
        let is_outside = |holder: &Holder| match holder {
            Holder::In(Target::Local(at, other)) => *at == function && !block.contains(other),
            _ => false,
        };
        self.outlives(target, function)
            || self.sets.iter().any(|(holder, set)| set.contains(&target) && is_outside(holder))
    }

    /// Whether something is held by variables of one function only, which nobody else can find.
    #[must_use]
    pub fn stays_in(&self, target: Target, function: FunctionId) -> bool {
        self.sets.iter().filter(|(_, set)| set.contains(&target)).all(|(holder, _)| match holder {
            Holder::In(Target::Local(at, local)) => {
                *at == function && !self.addressed.contains(&(*at, *local))
            }
            _ => false,
        })
    }

    fn get(&self, holder: Holder) -> Set {
        self.sets.get(&holder).cloned().unwrap_or_default()
    }

    fn block(&mut self, at: FunctionId, block: &'u [Stmt]) {
        for stmt in block {
            self.stmt(at, stmt);
        }
    }

    fn stmt(&mut self, at: FunctionId, stmt: &'u Stmt) {
        match &stmt.kind {
            StmtKind::Expr(e) => drop(self.expr(Some(at), e)),
            StmtKind::Declare(local, parts) => {
                for part in parts.iter().flatten() {
                    let set = self.expr(Some(at), &part.value);
                    self.add(Holder::In(Target::Local(at, *local)), set);
                }
            }
            StmtKind::Block(block) => self.block(at, block),
            StmtKind::If(cond, a, b) => {
                self.expr(Some(at), cond);
                self.block(at, a);
                self.block(at, b);
            }
            StmtKind::While(cond, body)
            | StmtKind::DoWhile(body, cond)
            | StmtKind::Switch(cond, body) => {
                self.expr(Some(at), cond);
                self.block(at, body);
            }
            StmtKind::For { cond, step, body } => {
                for e in cond.iter().chain(step) {
                    self.expr(Some(at), e);
                }
                self.block(at, body);
            }
            StmtKind::Return(Some(value)) => {
                let set = self.expr(Some(at), value);
                if self.started.contains(&at) {
                    self.add(Holder::Ended, set.clone());
                }
                self.add(Holder::Result(at), set);
            }
            _ => {}
        }
    }

    /// The objects that an lvalue may be, or be a part of.
    pub fn places(&mut self, at: Option<FunctionId>, lvalue: &'u Lvalue) -> Set {
        match &lvalue.kind {
            LvalueKind::Local(local) => {
                at.map(|at| Target::Local(at, *local)).into_iter().collect()
            }
            LvalueKind::Object(object) => Set::from([Target::Object(*object)]),
            LvalueKind::Deref(pointer) => self.expr(at, pointer),
            LvalueKind::Member(inner, ..) => self.places(at, inner),
            LvalueKind::Element(inner, index) => {
                self.expr(at, index);
                self.places(at, inner)
            }
            LvalueKind::Temporary(value) => {
                // What it holds is what the value holds: found by `content`.
                self.expr(at, value);
                Set::new()
            }
        }
    }

    fn content(&mut self, at: Option<FunctionId>, lvalue: &'u Lvalue) -> Set {
        let mut inner = lvalue;
        while let LvalueKind::Member(next, ..) | LvalueKind::Element(next, _) = &inner.kind {
            inner = next;
        }
        if let LvalueKind::Temporary(value) = &inner.kind {
            return self.expr(at, value);
        }
        let places = self.places(at, lvalue);
        places.into_iter().flat_map(|place| self.get(Holder::In(place))).collect()
    }

    fn store(&mut self, at: Option<FunctionId>, lvalue: &'u Lvalue, set: &Set) {
        for place in self.places(at, lvalue) {
            self.add(Holder::In(place), set.clone());
        }
    }

    /// The targets of an expression's value.
    pub fn expr(&mut self, at: Option<FunctionId>, expr: &'u Expr) -> Set {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Floating(_) | ExprKind::Unsupported(_) => Set::new(),
            ExprKind::Load(lvalue) => self.content(at, lvalue),
            ExprKind::Address(lvalue) => {
                if let (Some(at), Some(local), false) = (at, root_local(lvalue), self.is_done) {
                    self.addressed.insert((at, local));
                }
                self.places(at, lvalue)
            }
            ExprKind::Function(function) => Set::from([Target::Function(*function)]),
            ExprKind::Unary(_, e) | ExprKind::Convert(e) => self.expr(at, e),
            ExprKind::Not(e) => {
                self.expr(at, e);
                Set::new()
            }
            ExprKind::Arithmetic(_, a, b) | ExprKind::Offset(a, b) | ExprKind::Elvis(a, b) => {
                let mut set = self.expr(at, a);
                set.extend(self.expr(at, b));
                set
            }
            ExprKind::Compare(_, a, b)
            | ExprKind::Difference(a, b, _)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b) => {
                self.expr(at, a);
                self.expr(at, b);
                Set::new()
            }
            ExprKind::Conditional(cond, a, b) => {
                self.expr(at, cond);
                let mut set = self.expr(at, a);
                set.extend(self.expr(at, b));
                set
            }
            ExprKind::Comma(a, b) => {
                self.expr(at, a);
                self.expr(at, b)
            }
            ExprKind::Assign(place, value) => {
                let set = self.expr(at, value);
                self.store(at, place, &set);
                set
            }
            ExprKind::AssignWith { place, value, .. } => {
                let mut set = self.content(at, place);
                set.extend(self.expr(at, value));
                self.store(at, place, &set);
                set
            }
            ExprKind::Call(callee, args) => self.call(at, expr, callee, args),
            ExprKind::Statement(block, value) => {
                if let Some(at) = at {
                    self.block(at, block);
                }
                value.as_ref().map(|value| self.expr(at, value)).unwrap_or_default()
            }
        }
    }

    fn call(
        &mut self,
        at: Option<FunctionId>,
        expr: &'u Expr,
        callee: &'u Callee,
        args: &'u [Expr],
    ) -> Set {
        let name = self.library_name(callee);
        let mut sets = Vec::new();
        for (number, arg) in args.iter().enumerate() {
            let passed = name.is_some_and(|name| is_followed_at_once(name, number));
            // An array stands for its address, which the function is given.
            let is_whole = |lvalue: &&Lvalue| passed && !matches!(lvalue.ty, Type::Array(..));
            sets.push(match direct_address(arg).filter(is_whole) {
                Some(lvalue) => self.places(at, lvalue),
                None => self.expr(at, arg),
            });
        }
        let args = sets;
        match callee {
            Callee::Direct(function) => self.called(at, expr, *function, &args),
            Callee::Pointer(pointer) => {
                let mut set = Set::new();
                for target in self.expr(at, pointer) {
                    if let Target::Function(function) = target {
                        set.extend(self.called(at, expr, function, &args));
                    }
                }
                set
            }
            Callee::Builtin(name) => self.library(at, expr, name, &args),
        }
    }

    /// The name of a function that the library has.
    fn library_name(&self, callee: &'u Callee) -> Option<&'u str> {
        match callee {
            Callee::Builtin(name) => Some(name),
            Callee::Direct(function) => {
                let function = &self.unit.functions[function.index()];
                function.body.is_none().then_some(function.name.as_str())
            }
            Callee::Pointer(_) => None,
        }
    }

    fn called(
        &mut self,
        at: Option<FunctionId>,
        expr: &'u Expr,
        function: FunctionId,
        args: &[Set],
    ) -> Set {
        let unit = self.unit;
        let callee = &unit.functions[function.index()];
        if callee.body.is_none() {
            return self.library(at, expr, &callee.name, args);
        }
        for (number, set) in args.iter().enumerate().take(callee.params) {
            self.add(Holder::In(Target::Local(function, LocalId(number as u32))), set.clone());
        }
        self.get(Holder::Result(function))
    }

    /// What functions of libraries do with pointers: start threads, make objects, and pass what they are given through memory.
    fn library(&mut self, at: Option<FunctionId>, expr: &'u Expr, name: &str, args: &[Set]) -> Set {
        let arg = |number: usize| args.get(number).cloned().unwrap_or_default();
        if matches!(name, "free" | "realloc") {
            self.freed.extend(arg(0));
        }
        if name == "__builtin_alloca" || name == VARYING {
            self.on_stack.insert(expr.span);
        }
        if name == VARYING {
            self.freed.insert(Target::Heap(expr.span));
        }
        if MAKERS.contains(&name) {
            self.heap.insert(expr.span);
            let old = if name == "realloc" { arg(0) } else { Set::new() };
            let new = Target::Heap(expr.span);
            let held: Set = old.iter().flat_map(|&t| self.get(Holder::In(t))).collect();
            self.add(Holder::In(new), held);
            return Set::from([new]);
        }
        if name.starts_with("__VERIFIER_nondet_") || super::library::OUTSIDE.contains(&name) {
            return Set::from([Target::Choice(expr.span)]);
        }
        match name {
            "pthread_create" => self.start(&arg(2), &arg(3)),
            "thrd_create" => self.start(&arg(1), &arg(2)),
            "pthread_once" | "call_once" => {
                for target in arg(1) {
                    if let Target::Function(function) = target {
                        self.called(at, expr, function, &[]);
                    }
                }
            }
            _ if super::library::clock(name).is_some() => {
                let number = super::library::clock(name).unwrap_or(0);
                for target in arg(number) {
                    self.add(Holder::In(target), Set::from([Target::Choice(expr.span)]));
                }
            }
            "pthread_key_create" | "tss_create" => {
                let kept = self.get(Holder::Keyed);
                for target in arg(1) {
                    if let Target::Function(function) = target {
                        self.destroyers.insert(function);
                        self.called(at, expr, function, std::slice::from_ref(&kept));
                    }
                }
            }
            "pthread_join" | "thrd_join" => {
                for target in arg(1) {
                    let set = self.get(Holder::Ended);
                    self.add(Holder::In(target), set);
                }
            }
            "pthread_exit" | "thrd_exit" => self.add(Holder::Ended, arg(0)),
            "pthread_setspecific" | "tss_set" => self.add(Holder::Keyed, arg(1)),
            "pthread_getspecific" | "tss_get" => return self.get(Holder::Keyed),
            "memcpy" | "memmove" | "__builtin_memcpy" | "__builtin_memmove" => {
                let held: Set = arg(1).into_iter().flat_map(|t| self.get(Holder::In(t))).collect();
                for target in arg(0) {
                    self.add(Holder::In(target), held.clone());
                }
                return arg(0);
            }
            "memset" | "__builtin_memset" => return arg(0),
            // What is computed of a value from outside is one.
            "abs" | "labs" | "llabs" => return arg(0),
            _ if name.starts_with("__atomic") || name.starts_with("__sync") => {
                return self.atomic(name, args);
            }
            _ => {}
        }
        // `__builtin_expect` and its kin give what they are given.
        if name.starts_with("__builtin_") { arg(0) } else { Set::new() }
    }

    /// Everything that passes through an atomic operation: what was there, and what is given.
    fn atomic(&mut self, name: &str, args: &[Set]) -> Set {
        let objects = args.first().cloned().unwrap_or_default();
        // The generic forms have pointers to operands and results.
        let by_address: &[usize] = match name {
            "__atomic_load" | "__atomic_store" => &[0, 1],
            "__atomic_exchange" | "__atomic_compare_exchange" => &[0, 1, 2],
            "__atomic_compare_exchange_n" => &[0, 1],
            _ => &[0],
        };
        // What is given by its address is not the address.
        let given = args.iter().enumerate().filter(|(number, _)| !by_address.contains(number));
        let mut through: Set = given.flat_map(|(_, arg)| arg.iter().copied()).collect();
        for &object in &objects {
            through.extend(self.get(Holder::In(object)));
        }
        for &number in by_address {
            for object in args.get(number).cloned().unwrap_or_default() {
                through.extend(self.get(Holder::In(object)));
            }
        }
        for &number in by_address {
            for object in args.get(number).cloned().unwrap_or_default() {
                self.add(Holder::In(object), through.clone());
            }
        }
        through
    }

    fn start(&mut self, functions: &Set, arg: &Set) {
        for &target in functions {
            let Target::Function(function) = target else { continue };
            self.grew |= self.started.insert(function);
            self.add(Holder::In(Target::Local(function, LocalId(0))), arg.clone());
        }
    }
}

/// The local variable that an lvalue is, or is a part of.
#[must_use]
pub fn root_local(lvalue: &Lvalue) -> Option<LocalId> {
    match &lvalue.kind {
        LvalueKind::Local(local) => Some(*local),
        LvalueKind::Member(inner, ..) | LvalueKind::Element(inner, _) => root_local(inner),
        _ => None,
    }
}

/// The lvalue whose address an argument is, as it is written: `&x`, or an array.
#[must_use]
pub fn direct_address(arg: &Expr) -> Option<&Lvalue> {
    match &arg.kind {
        ExprKind::Address(lvalue) => Some(lvalue),
        ExprKind::Convert(inner) => direct_address(inner),
        _ => None,
    }
}

/// Whether a function of the library uses an address that it is given only to read and write what is there, at once: then what is
/// written in the text as `&x` needs no address.
#[must_use]
pub fn is_followed_at_once(name: &str, argument: usize) -> bool {
    match name {
        "pthread_create" | "thrd_create" => argument == 0,
        "pthread_setspecific" | "tss_set" | "pthread_exit" | "pthread_cleanup_push" => false,
        _ => ["pthread_", "mtx_", "cnd_", "thrd_", "sem_", "__atomic_", "__sync_"]
            .iter()
            .any(|prefix| name.starts_with(prefix)),
    }
}
