//! # Threads that are told apart
//!
//! **Question.** `pthread_self`, the value that a thread gives when it ends, `_Thread_local`, keys and mutexes with owners: all ask *which* thread it is.
//! Engines prefer threads that nobody can tell apart. Who pays?
//!
//! **Idea.** Only programs that use one of these do. There, each thread has a number, the first that is free where it is started, and `main` has 0; every function
//! gets it as one more parameter. A `pthread_t` is that number and one more. What belongs to a thread is an array with one element for each number.
//!
//! **Claim.** A number is in use from where a thread is started until it is joined, so no two threads have the same one. A thread that ends while it holds a mutex that
//! knows its owner keeps its number: nobody else is that owner. Where no number is free, a run cannot be followed.
//!
//! **Needs.** As many numbers as threads that are not joined yet: one for each start, or twice as many as a pool has objects where threads are started in loops.

use std::collections::BTreeSet;

use selvedge_program::make::{read, truth};
use selvedge_program::{BinaryOp, Expr, GlobalId, Place, Span, StmtKind, Type, Value, VarRef};

use super::Lower;
use super::access::{Access, adapt, strip};
use super::arithmetic::{binary, choose, convert, int, negate};
use super::function::Fun;
use super::joining;
use super::memory::{Dimension, Leaf, Pool, Shapes, Stored, add_global, local, place};
use super::points::{Points, Target};
use super::races::Touch;
use super::starting::is_ignored;
use super::synchronisation::is_null;
use super::visit::{each_call, each_declared, each_expr, each_part};
use crate::c::typed::{self as c, Callee, ExprKind, FunctionId, ObjectId, Unit};
use crate::c::types::{Opaque, Type as CType};

/// How many keys there may be.
const KEYS: u32 = 4;

/// How often what is kept at keys is looked at when a thread ends: `PTHREAD_DESTRUCTOR_ITERATIONS`.
const ROUNDS: u32 = 4;

/// The variables that tell threads apart by numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    /// How many numbers there are.
    count: u32,
    /// Those in use, until they are joined.
    used: GlobalId,
    /// The threads that may not be joined; `None` if no thread is detached.
    detached: Option<GlobalId>,
    /// Threads that have not ended.
    pub(super) alive: GlobalId,
    /// The threads themselves.
    ids: GlobalId,
    /// The values that threads returned when they ended.
    results: GlobalId,
    /// How many mutexes with owners threads hold, and [`FOR_EVER`] for one that was joined while it held some; `None` if there are no such mutexes.
    held: Option<GlobalId>,
    /// How many keys were made, and what the threads keep there; nothing if nobody asks for one.
    keys: Option<(GlobalId, GlobalId)>,
    destructor: Destructor,
    /// What is called for each key, where that is not the same for all of them from the start to the end.
    destructors: Option<GlobalId>,
}

/// The operations on threads that a program uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct ThreadNeeds {
    /// Whether threads are told apart.
    pub(super) numbers: bool,
    /// Whether some mutexes are recursive or check for errors.
    pub(super) owners: bool,
    /// Whether threads are detached.
    detaches: bool,
    keys: bool,
    /// Whether keys are taken away.
    deletes: bool,
    /// The function to call when a thread ends that keeps something at a key, if it is the same for all keys.
    destructor: Destructor,
}

/// The function to call when a thread ends that keeps something at a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Destructor {
    /// No key was seen.
    #[default]
    Unseen,
    /// No function is called.
    Nothing,
    /// This function is called for all keys.
    Function(FunctionId),
    /// Keys may have different functions.
    Several,
}

impl Destructor {
    /// The destructor for all keys, with another key added.
    fn with(self, other: &c::Expr) -> Self {
        let other = match function_of(other) {
            _ if is_null(other) => Destructor::Nothing,
            Some(function) => Destructor::Function(function),
            None => Destructor::Several,
        };
        if self == Destructor::Unseen || self == other { other } else { Destructor::Several }
    }
}

fn function_of(expr: &c::Expr) -> Option<FunctionId> {
    match &expr.kind {
        ExprKind::Function(function) => Some(*function),
        ExprKind::Convert(inner) => function_of(inner),
        _ => None,
    }
}

/// Looks for whatever tells threads apart.
pub(super) fn asked(unit: &Unit, points: &Points, shapes: &Shapes) -> ThreadNeeds {
    let mut asked = ThreadNeeds::default();
    asked.numbers |= unit.objects.iter().any(|object| object.thread_local && !object.is_extern);
    let is_special = |ty: &CType, parts: &[c::Part]| {
        let leaves = shapes.leaves(ty).unwrap_or_default();
        parts.iter().any(|part| {
            let is_mutex = |leaf: &Leaf| {
                leaf.ty == Type::Lock && super::objects::slot_at(leaf, part.offset).is_some()
            };
            kind_of(&part.value).is_some_and(|kind| !is_usual(kind)) && leaves.iter().any(is_mutex)
        })
    };
    asked.owners |= unit.objects.iter().any(|object| is_special(&object.ty, &object.init));
    for (number, function) in unit.functions.iter().enumerate() {
        let at = FunctionId(number as u32);
        each_declared(function.body.as_deref().unwrap_or_default(), &mut |local, parts| {
            let ty = &function.locals[local.index()].ty;
            asked.owners |= is_special(ty, parts.unwrap_or_default());
        });
        let mut see = |expr: &c::Expr| match &expr.kind {
            ExprKind::Call(callee, args) => {
                let name = match callee {
                    Callee::Direct(id) => unit.functions[id.index()].name.as_str(),
                    Callee::Builtin(name) => name,
                    Callee::Pointer(_) => "",
                };
                let known = |number: usize| args.get(number).and_then(kind_of);
                match name {
                    "pthread_self" | "thrd_current" => asked.numbers = true,
                    "pthread_join" | "thrd_join" => {
                        asked.numbers |=
                            args.get(1).is_some_and(|to| !is_ignored(unit, points, at, to));
                    }
                    "pthread_detach" | "thrd_detach" => asked.detaches = true,
                    "pthread_key_create" | "tss_create" => {
                        asked.keys = true;
                        asked.destructor =
                            args.get(1).map_or(asked.destructor, |d| asked.destructor.with(d));
                    }
                    "pthread_key_delete" | "tss_delete" => asked.deletes = true,
                    "pthread_mutexattr_settype" => {
                        asked.owners |= !known(1).is_some_and(is_usual);
                    }
                    "mtx_init" => asked.owners |= known(1).is_none_or(|kind| kind & 1 != 0),
                    _ => {}
                }
            }
            ExprKind::Convert(inner) => {
                asked.numbers |= matches!(strip(&inner.ty), CType::Opaque(Opaque::Thread))
                    && matches!(strip(&expr.ty), CType::Int { .. } | CType::Pointer(_));
            }
            _ => {}
        };
        for statement in function.body.iter().flatten() {
            each_part(statement, false, &mut |expr, _| each_expr(expr, &mut see));
        }
    }
    asked.numbers |= asked.owners || asked.keys || joining::may_join_twice(unit);
    asked
}

/// The kind of a mutex that an initialiser or an argument says.
pub(super) fn kind_of(value: &c::Expr) -> Option<i128> {
    match &value.kind {
        ExprKind::Int(kind) => Some(*kind),
        ExprKind::Convert(inner) => kind_of(inner),
        _ => None,
    }
}

/// Whether a mutex of a kind knows nothing of its owner: the normal one, and the one that waits in another way.
pub(super) fn is_usual(kind: i128) -> bool {
    kind == 0 || kind == 3
}

/// How many numbers are needed: one for each start, if none is repeated.
fn needed(unit: &Unit, heap: u32) -> u32 {
    let (mut starts, mut repeats) = (0u32, false);
    for function in &unit.functions {
        for statement in function.body.iter().flatten() {
            each_part(statement, !function.labels.is_empty(), &mut |expr, again| {
                each_call(expr, again, &mut |callee, _, again| {
                    let Callee::Direct(id) = callee else { return };
                    let name = unit.functions[id.index()].name.as_str();
                    if matches!(name, "pthread_create" | "thrd_create") {
                        starts += 1;
                        repeats |= again || function.name != "main";
                    }
                });
            });
        }
    }
    if repeats { heap.saturating_mul(2) } else { starts }.clamp(1, 250) + 1
}

impl Lower<'_> {
    /// Gives numbers to threads.
    pub(super) fn number_threads(&mut self, asked: ThreadNeeds) {
        let count = needed(self.unit, self.options.heap);
        let pointer = Type::Machine {
            bits: if self.shapes.types.pointer_size() == 8 { 64 } else { 32 },
            signed: false,
        };
        let array = |element: Type, length: u32| Type::Array { element: Box::new(element), length };
        let mut make = |name: &str, ty: Type| {
            let name = format!("thread.{name}");
            add_global(&mut self.program, name, ty, &Value::Small(0), Span::default())
        };
        let numbers = Numbers {
            count,
            used: make("used", array(Type::Bool, count)),
            detached: asked.detaches.then(|| make("detached", array(Type::Bool, count))),
            alive: make("alive", array(Type::Bool, count)),
            ids: make("id", array(Type::ThreadId, count)),
            results: make("result", array(pointer.clone(), count)),
            held: asked.owners.then(|| make("held", array(HELD, count))),
            keys: asked.keys.then(|| {
                let next = make("keys", Type::Machine { bits: 8, signed: false });
                (next, make("key", array(array(pointer.clone(), KEYS), count)))
            }),
            destructor: asked.destructor,
            destructors: match asked.destructor {
                Destructor::Several => Some(make("destructor", array(pointer, KEYS))),
                Destructor::Function(_) if asked.deletes => {
                    Some(make("destructor", array(pointer, KEYS)))
                }
                _ => None,
            },
        };
        // The first one is that of `main`.
        for marks in [numbers.used, numbers.alive] {
            self.program.globals[marks.index()].init[0] = Value::TRUE;
        }
        self.numbers = Some(numbers);
        self.shapes.numbers_threads = true;
        self.shapes.knows_owners = asked.owners;
    }

    /// The variables of something of which each thread has one of its own.
    pub(super) fn store_for_threads(&mut self, id: ObjectId) -> Option<Stored> {
        let unit = self.unit;
        let object = &unit.objects[id.index()];
        let numbers = self.numbers?;
        let pool = Some((numbers.count, Some(numbers.alive)));
        self.store_in(&object.name, &object.ty, None, pool, false, object.span)
    }

    /// Gives what one thread has at first to all others.
    pub(super) fn repeat_for_threads(&mut self, stored: &Stored) {
        for (leaf, var) in &stored.leaves {
            let VarRef::Global(global) = var else { continue };
            let init = &mut self.program.globals[global.index()].init;
            let each: usize = leaf.dimensions[1..].iter().map(|d| d.length as usize).product();
            for slot in each..init.len() {
                init[slot] = init[slot % each].clone();
            }
        }
    }
}

/// The type of a number of mutexes that a thread holds.
const HELD: Type = Type::Machine { bits: 32, signed: false };

/// The number of mutexes of a thread that was joined while it held some.
const FOR_EVER: u32 = u32::MAX;

/// The type of the number of a thread.
pub(super) const NUMBER: Type = Type::Machine { bits: 8, signed: false };

impl<'u> Fun<'_, 'u> {
    /// The number of the thread that runs this: the last parameter.
    pub(super) fn own_number(&self) -> Expr {
        let last = self.params().saturating_sub(1);
        read(place(local(last), Vec::new(), &NUMBER, Span::default()))
    }

    fn of_thread(&self, global: GlobalId, number: &Expr, span: Span) -> Place {
        let ty = self.lower.program.globals[global.index()].ty.scalar().clone();
        place(VarRef::Global(global), vec![number.clone()], &ty, span)
    }

    /// Starts a thread that has a number.
    pub(super) fn start_numbered(
        &mut self,
        proc: selvedge_program::ProcId,
        mut args: Vec<Expr>,
        to: Option<&Access>,
        span: Span,
    ) {
        let Some(numbers) = self.lower.numbers else { return };
        let pool =
            Pool { objects: numbers.count, stride: 0, used: numbers.used, freed: None, any: false };
        let threads =
            Stored { base: 0, size: 0, leaves: Vec::new(), pool: Some(pool), sizes: None };
        let number = read(self.make_object(&threads, span));
        args.push(convert(number.clone(), &NUMBER));
        let thread = CType::Opaque(Opaque::Thread);
        let name = self.type_of(&thread, span);
        let name = binary(BinaryOp::Add, convert(number.clone(), &name), int(1, &name), span);
        let begin = |fun: &mut Self, to: Option<Place>| {
            fun.section(span, |fun| {
                fun.begin_thread(numbers, &number, span);
                let dest = Some(fun.of_thread(numbers.ids, &number, span));
                fun.emit(StmtKind::Async { dest, proc, args: args.clone() }, span);
                if let Some(to) = to {
                    fun.assign(to, name.clone(), span);
                }
            });
        };
        match to {
            Some(to) => self.at_place(to, &thread, 0, span, &mut |fun, at| {
                let place = Some(at.place.clone());
                fun.touch(&at, Touch::WRITE, span, |fun| begin(fun, place));
            }),
            None => begin(self, None),
        }
    }

    /// Sets what a thread of this number finds: the first values of its own variables, and nothing at the keys.
    fn begin_thread(&mut self, numbers: Numbers, number: &Expr, span: Span) {
        let mut targets = vec![self.of_thread(numbers.alive, number, span)];
        let mut values = vec![truth(true)];
        let unit = self.lower.unit;
        for (id, object) in unit.objects.iter().enumerate() {
            let id = ObjectId(id as u32);
            if !object.thread_local || object.is_extern {
                continue;
            }
            let Some(stored) = self.lower.stored(Target::Object(id)) else { continue };
            for (leaf, var) in &stored.leaves {
                let VarRef::Global(global) = var else { continue };
                let init = &self.lower.program.globals[global.index()].init;
                for (slot, indices) in all_indices(&leaf.dimensions[1..]).into_iter().enumerate() {
                    let elements = indices.into_iter().map(|index| int(index, &Type::Int));
                    let indices = [number.clone()].into_iter().chain(elements).collect();
                    targets.push(place(*var, indices, &leaf.ty, span));
                    values.push(selvedge_program::make::constant(init[slot].clone(), &leaf.ty));
                }
            }
        }
        if let Some((_, kept)) = numbers.keys {
            for key in 0..KEYS {
                let place = self.kept(kept, number, int(key, &Type::Int), span);
                values.push(Fun::nothing(&place.ty));
                targets.push(place);
            }
        }
        self.emit(StmtKind::Assign { targets, values, constrain: None }, span);
    }

    fn kept(&self, kept: GlobalId, number: &Expr, key: Expr, span: Span) -> Place {
        Place { indices: vec![number.clone(), key], ..self.of_thread(kept, number, span) }
    }

    /// Keeps what a thread gives when it ends, for those who wait for it.
    pub(super) fn keep_result(&mut self, value: Option<Expr>, span: Span) {
        let Some(numbers) = self.lower.numbers else { return };
        let to = self.of_thread(numbers.results, &self.own_number(), span);
        let value = match value {
            Some(value) => adapt(value, &to.ty),
            None => Fun::nothing(&to.ty),
        };
        self.assign(to, value, span);
    }

    /// A thread that has a number ends.
    pub(super) fn end_thread(&mut self, span: Span) {
        let Some(numbers) = self.lower.numbers else { return };
        if let Some((_, kept)) = numbers.keys
            && matches!(numbers.destructor, Destructor::Function(_) | Destructor::Several)
        {
            self.destroy_all(kept, numbers, span);
        }
        let alive = self.of_thread(numbers.alive, &self.own_number(), span);
        self.assign(alive, truth(false), span);
    }

    /// Calls what belongs to the keys at which a thread keeps something, in the order of the keys; again where that kept something anew.
    fn destroy_all(&mut self, kept: GlobalId, numbers: Numbers, span: Span) {
        let rounds = match keeps_again(self.lower.unit, &self.lower.points.destroyers) {
            true => ROUNDS,
            false => 1,
        };
        for _ in 0..rounds {
            for key in 0..KEYS {
                self.destroy(kept, key, numbers, span);
            }
        }
    }

    /// Calls what belongs to a key with what a thread keeps there, if that is something.
    fn destroy(&mut self, kept: GlobalId, key: u32, numbers: Numbers, span: Span) {
        let place = self.kept(kept, &self.own_number(), int(key, &Type::Int), span);
        let value = self.keep(read(place.clone()), span);
        let some = binary(BinaryOp::Ne, value.clone(), int(0, &value.ty), span);
        let act = self.collect(|fun| match (numbers.destructors, numbers.destructor) {
            (None, Destructor::Function(function)) => {
                fun.assign(place.clone(), Fun::nothing(&place.ty), span);
                fun.destroy_with(function, &value, span);
            }
            (Some(destructors), _) => {
                let chosen = fun.destructor(destructors, int(key, &Type::Int), span);
                let chosen = fun.keep(read(chosen), span);
                for function in fun.lower.points.destroyers.clone() {
                    let address = int(super::function_address(function), &chosen.ty);
                    let is_this = binary(BinaryOp::Eq, chosen.clone(), address, span);
                    let (place, value) = (place.clone(), value.clone());
                    let call = |fun: &mut Self| {
                        fun.assign(place.clone(), Fun::nothing(&place.ty), span);
                        fun.destroy_with(function, &value, span);
                    };
                    fun.branch(is_this, span, call, |_| {});
                }
            }
            _ => {}
        });
        self.branch(some, span, |fun| fun.append(act), |_| {});
    }

    /// Where it is written what is called for a key.
    fn destructor(&self, destructors: GlobalId, key: Expr, span: Span) -> Place {
        Place { indices: vec![key], ..self.of_thread(destructors, &int(0, &Type::Int), span) }
    }

    fn destroy_with(&mut self, function: FunctionId, value: &Expr, span: Span) {
        let declared = &self.lower.unit.functions[function.index()];
        if self.lower.exits.contains(&function) {
            let reason = "a function for the end of threads that may end its thread";
            return self.limit(span, reason.to_owned());
        }
        match declared.body {
            Some(_) => drop(self.call_with(function, vec![value.clone()], span)),
            None if declared.name == "free" => {
                let targets = self.lower.points.kept();
                self.free_one_of(value, targets, None, span);
            }
            None => self.limit(span, "a key with a function of a library".to_owned()),
        }
    }

    /// Waits for a thread that has a number; what it gave goes where the second argument points to.
    pub(super) fn join_numbered(
        &mut self,
        thread: &'u c::Expr,
        to: Option<&'u c::Expr>,
        span: Span,
    ) {
        let Some(numbers) = self.lower.numbers else { return };
        let to = to.filter(|to| !is_null(to)).map(|to| (self.pointed(to), to));
        let thread = self.scalar(thread);
        let thread = self.settled(thread, span);
        let thread = self.simple(thread, span);
        let first = int(1, &thread.ty);
        let number = binary(BinaryOp::Sub, thread.clone(), first.clone(), span);
        let main = binary(BinaryOp::Eq, thread, first, span);
        self.branch(
            main,
            span,
            |fun| fun.limit(span, "a thread that waits for `main`".to_owned()),
            |_| {},
        );
        let known = binary(BinaryOp::Lt, number.clone(), int(numbers.count, &number.ty), span);
        let reason = "a thread is joined that was never started, or was joined before";
        self.misuse(known, reason, span);
        let number = self.simple(number, span);
        self.check_used(numbers, &number, reason, span);
        if let Some(detached) = numbers.detached {
            let detached = read(self.of_thread(detached, &number, span));
            let joinable = selvedge_program::make::not(self.local_value(detached, span));
            self.misuse(joinable, "a thread is joined that is detached", span);
        }
        let id = read(self.of_thread(numbers.ids, &number, span));
        let id = self.local_value(id, span);
        self.emit(StmtKind::Join(id), span);
        let result = self.of_thread(numbers.results, &number, span);
        let value = to.as_ref().map(|_| self.keep(read(result.clone()), span));
        // Nothing is known of a number that is free.
        let mut targets = vec![self.of_thread(numbers.used, &number, span), result.clone()];
        let mut values = vec![truth(false), Fun::nothing(&result.ty)];
        if let Some(held) = numbers.held {
            let held = self.of_thread(held, &number, span);
            let some = binary(BinaryOp::Gt, read(held.clone()), int(0, &HELD), span);
            values[0] = some.clone();
            values.push(choose(some, int(FOR_EVER, &HELD), int(0, &HELD)));
            targets.push(held);
        }
        self.emit(StmtKind::Assign { targets, values, constrain: None }, span);
        if let (Some((access, to)), Some(value)) = (to, value) {
            let c = pointee(to);
            match &c {
                CType::Int { .. } | CType::Pointer(_) => {
                    self.store(&access, &c, &value, span);
                }
                _ => self
                    .limit(span, "the value of a thread in something of another type".to_owned()),
            }
        }
    }

    /// Whether a number is that of a thread that was not joined.
    fn check_used(&mut self, numbers: Numbers, number: &Expr, reason: &str, span: Span) {
        let mut used = read(self.of_thread(numbers.used, number, span));
        if let Some(held) = numbers.held {
            let held = read(self.of_thread(held, number, span));
            let open = negate(binary(BinaryOp::Eq, held, int(FOR_EVER, &HELD), span));
            used = binary(BinaryOp::And, used, open, span);
        }
        let used = self.local_value(used, span);
        self.misuse(used, reason, span);
    }

    /// How many mutexes with owners this thread holds, where there are such.
    pub(super) fn held(&self, span: Span) -> Option<Place> {
        let held = self.lower.numbers?.held?;
        Some(self.of_thread(held, &self.own_number(), span))
    }

    /// Lowers the detaching of a thread that has a number: it will not be joined.
    pub(super) fn detach_numbered(&mut self, thread: &'u c::Expr, span: Span) {
        let Some((numbers, detached)) =
            self.lower.numbers.and_then(|numbers| Some((numbers, numbers.detached?)))
        else {
            return self.effect(thread);
        };
        let thread = self.scalar(thread);
        let thread = self.settled(thread, span);
        let number = binary(BinaryOp::Sub, thread.clone(), int(1, &thread.ty), span);
        let known = binary(BinaryOp::Lt, number.clone(), int(numbers.count, &number.ty), span);
        let reason =
            "a thread is detached that was never started, was joined, or was detached before";
        self.misuse(known, reason, span);
        let number = self.simple(number, span);
        self.check_used(numbers, &number, reason, span);
        let mark = self.of_thread(detached, &number, span);
        let before = self.local_value(read(mark.clone()), span);
        self.misuse(selvedge_program::make::not(before), reason, span);
        self.assign(mark, truth(true), span);
    }

    /// Says why a function failed: `errno` of this thread, where the program asks for it (see `library.c`).
    pub(super) fn set_errno(&mut self, error: i32, span: Span) {
        let objects = &self.lower.unit.objects;
        let Some(at) = objects.iter().position(|object| object.name == "__errno_location.value")
        else {
            return;
        };
        let (id, ty) = (ObjectId(at as u32), &objects[at].ty);
        let Some(stored) = self.lower.stored(Target::Object(id)) else { return };
        let access = Access::Named {
            strides: stored.pool.iter().map(|pool| pool.stride).collect(),
            indices: vec![self.own_number()],
            way: Vec::new(),
            stored,
            offset: 0,
        };
        let value = int(error, &self.type_of(ty, span));
        self.store(&access, ty, &value, span);
    }

    /// The thread itself, as a `pthread_t`.
    pub(super) fn itself(&mut self, span: Span) -> Expr {
        let ty = self.type_of(&CType::Opaque(Opaque::Thread), span);
        binary(BinaryOp::Add, convert(self.own_number(), &ty), int(1, &ty), span)
    }

    /// Keys: one value for each thread.
    pub(super) fn keys(
        &mut self,
        name: &str,
        args: &'u [c::Expr],
        result: Option<&Type>,
        span: Span,
    ) -> Option<Vec<Expr>> {
        let zero = || Some(result.iter().map(|ty| Fun::nothing(ty)).collect::<Vec<_>>());
        let (next, kept) = self.lower.numbers.and_then(|numbers| numbers.keys)?;
        match name {
            "pthread_key_create" => {
                let numbers = self.lower.numbers?;
                let calls =
                    matches!(numbers.destructor, Destructor::Function(_) | Destructor::Several);
                if calls && self.lower.options.races {
                    let reason = "keys with functions of which one is called when a thread ends";
                    self.limit(span, reason.to_owned());
                }
                let to = self.pointed(args.first()?);
                let next = place(VarRef::Global(next), Vec::new(), &NUMBER, span);
                let key = self.temp(&NUMBER, span);
                let more = binary(BinaryOp::Add, read(next.clone()), int(1, &NUMBER), span);
                let (targets, values) = (vec![key.clone(), next.clone()], vec![read(next), more]);
                self.emit(StmtKind::Assign { targets, values, constrain: None }, span);
                let full = binary(BinaryOp::Ge, read(key.clone()), int(KEYS, &NUMBER), span);
                let reason = format!("more than {KEYS} keys");
                self.branch(full, span, |fun| fun.limit(span, reason), |_| {});
                if let Some(destructors) = numbers.destructors {
                    let function = self.scalar(args.get(1)?);
                    let function = self.settled(function, span);
                    let place = self.destructor(destructors, read(key.clone()), span);
                    let function = adapt(function, &place.ty);
                    self.assign(place, function, span);
                }
                self.store(&to, &CType::Opaque(Opaque::Key), &read(key), span);
                zero()
            }
            "pthread_key_delete" => {
                let key = self.key(args.first()?, span);
                if let Some(destructors) = self.lower.numbers.and_then(|n| n.destructors) {
                    let place = self.destructor(destructors, key, span);
                    let nothing = Fun::nothing(&place.ty);
                    self.assign(place, nothing, span);
                }
                zero()
            }
            "pthread_getspecific" => {
                let key = self.key(args.first()?, span);
                let place = self.kept(kept, &self.own_number(), key, span);
                let value = self.keep(read(place), span);
                Some(result.iter().map(|ty| adapt(value.clone(), ty)).collect())
            }
            "pthread_setspecific" => {
                let values = self.scalars(&[args.first()?, args.get(1)?]);
                let [key, value] = <[Expr; 2]>::try_from(values).ok()?;
                let key = self.known_key(key, span);
                let place = self.kept(kept, &self.own_number(), key, span);
                let value = adapt(value, &place.ty);
                self.assign(place, value, span);
                zero()
            }
            _ => None,
        }
    }

    fn key(&mut self, key: &'u c::Expr, span: Span) -> Expr {
        let key = self.scalar(key);
        self.known_key(key, span)
    }

    fn known_key(&mut self, key: Expr, span: Span) -> Expr {
        let key = self.settled(key, span);
        let key = self.simple(key, span);
        let known = binary(BinaryOp::Lt, key.clone(), int(KEYS, &key.ty), span);
        self.misuse(known, "a key is used that was not made", span);
        key
    }
}

/// Whether one of the functions may keep something at a key, itself or by what it calls.
fn keeps_again(unit: &Unit, functions: &BTreeSet<FunctionId>) -> bool {
    let (mut seen, mut work) = (functions.clone(), functions.iter().copied().collect::<Vec<_>>());
    let mut found = false;
    while let Some(function) = work.pop() {
        for statement in unit.functions[function.index()].body.iter().flatten() {
            each_part(statement, false, &mut |expr, _| {
                each_call(expr, false, &mut |callee, _, _| match callee {
                    Callee::Direct(next) => {
                        let name = unit.functions[next.index()].name.as_str();
                        found |= matches!(name, "pthread_setspecific" | "tss_set" | "pthread_once");
                        found |= name == "call_once";
                        if seen.insert(*next) {
                            work.push(*next);
                        }
                    }
                    Callee::Pointer(_) => found = true,
                    Callee::Builtin(_) => {}
                });
            });
        }
    }
    found
}

/// All indices of an array, in the order in which its elements are stored.
fn all_indices(dimensions: &[Dimension]) -> Vec<Vec<u32>> {
    dimensions.iter().fold(vec![Vec::new()], |all, dimension| {
        let longer = |indices: Vec<u32>| {
            (0..dimension.length)
                .map(move |index| indices.iter().copied().chain([index]).collect::<Vec<u32>>())
        };
        all.into_iter().flat_map(longer).collect()
    })
}

/// The type that an argument pointed to before it was converted.
fn pointee(arg: &c::Expr) -> CType {
    match &arg.kind {
        ExprKind::Convert(inner) if matches!(inner.ty, CType::Pointer(_)) => pointee(inner),
        _ => match &arg.ty {
            CType::Pointer(to) => strip(to).clone(),
            other => other.clone(),
        },
    }
}

/// The number of parameters that a procedure has beyond those of its function.
pub(super) fn extra(lower: &Lower) -> usize {
    usize::from(lower.numbers.is_some())
}
