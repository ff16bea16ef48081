//! # Functions of the libraries
//! What a function does that has no body here: those that end runs or choose values, memory, output, and the atomic operations.
//! Threads and what they wait for are in [`super::synchronisation`].

use std::collections::BTreeSet;

use num_bigint::BigInt;
use selvedge_program::make::read;
use selvedge_program::{BinaryOp, Expr, Span, StmtKind, Type};

use super::Limit;
use super::access::{Access, adapt, strip};
use super::arithmetic::{binary, choose, convert, int};
use super::atomics::unconverted_type;
use super::function::Fun;
use super::points::{Points, Target};
use super::synchronisation::is_null;
use crate::c::typed::{self as c, Arithmetic, Callee, FunctionId, Unit};
use crate::c::types::Type as CType;

/// Functions that end the program.
const ENDINGS: [&str; 8] = [
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "__builtin_unreachable",
    "__builtin_trap",
    "__builtin_abort",
];

/// Functions that say that something went wrong.
const FAILURES: [&str; 6] = [
    "reach_error",
    "__VERIFIER_error",
    "__assert_fail",
    "__assert_perror_fail",
    "__assert",
    "__assert_rtn",
];

/// Functions that do nothing that matters here; their results are 0.
const NOTHING: [&str; 15] = [
    "sleep",
    "usleep",
    "nanosleep",
    "sched_yield",
    "thrd_yield",
    "pthread_yield",
    "srand",
    "setbuf",
    "pthread_setconcurrency",
    "pthread_setname_np",
    "pthread_setschedparam",
    "thrd_sleep",
    "pthread_setcanceltype",
    "pthread_setcancelstate",
    "__builtin_prefetch",
];

/// Any number: what the functions of `library.c` leave open.
const UNSPECIFIED: &str = "__unspecified_int";

/// Functions that write or read something outside of the program; their results may be any number.
pub(super) const OUTSIDE: [&str; 25] = [
    UNSPECIFIED,
    "printf",
    "fprintf",
    "vprintf",
    "puts",
    "putchar",
    "putc",
    "fputs",
    "fputc",
    "fflush",
    "perror",
    "setvbuf",
    "vfprintf",
    "getppid",
    "getchar",
    "sysconf",
    "fclose",
    "__builtin_printf",
    "__builtin_puts",
    "__builtin_putchar",
    "time",
    "clock",
    "getpid",
    "rand",
    "random",
];

/// The argument that points to where a function writes the time.
pub(super) fn clock(name: &str) -> Option<usize> {
    match name {
        "clock_gettime" | "clock_getres" => Some(1),
        "gettimeofday" | "timespec_get" => Some(0),
        _ => None,
    }
}

/// Whether a function of a library accesses nothing but what it is given, and calls nobody but whom it is given to start.
pub(super) fn does_nothing_hidden(name: &str) -> bool {
    let others = [
        "malloc",
        "calloc",
        "realloc",
        "aligned_alloc",
        "alloca",
        "free",
        "abs",
        "labs",
        "llabs",
        "memset",
        "memcpy",
        "memmove",
        "bzero",
        "__builtin_alloca",
        c::VARYING,
        "__builtin_malloc",
        "__builtin_memset",
        "__builtin_memcpy",
        "__builtin_memmove",
        "__builtin_constant_p",
        "__builtin_object_size",
        "__builtin_assume",
    ];
    let threads = [
        "pthread_create",
        "pthread_join",
        "pthread_self",
        "pthread_equal",
        "pthread_exit",
        "pthread_detach",
    ];
    let families = [
        "pthread_mutex",
        "pthread_cond",
        "pthread_rwlock",
        "pthread_spin_",
        "pthread_barrier",
        "pthread_once",
        "pthread_attr_",
        "sem_",
        "mtx_",
        "cnd_",
        "thrd_",
        "call_once",
        "__VERIFIER_",
        "__atomic_",
        "__sync_",
        "atomic_",
        "__builtin_expect",
        "__builtin_clz",
        "__builtin_ctz",
        "__builtin_popcount",
        "__builtin_bswap",
    ];
    let lists: [&[&str]; 6] = [&ENDINGS, &FAILURES, &NOTHING, &OUTSIDE, &others, &threads];
    lists.iter().any(|list| list.contains(&name))
        || families.iter().any(|family| name.starts_with(family))
}

/// Whether a function is known by its name, whatever its body says: what failures are, where somebody asks for them, and what is assumed.
pub(super) fn is_known(name: &str, options: &super::Options) -> bool {
    match name {
        "reach_error" | "__VERIFIER_error" => options.assertions,
        _ => name == "__VERIFIER_assume",
    }
}

/// Whether nobody comes back from a function of a library: it ends the program, or says that something went wrong.
pub(super) fn ends_runs(name: &str) -> bool {
    ENDINGS.contains(&name) || FAILURES.contains(&name)
}

/// Whether a function of a library writes nothing that it is given.
pub(super) fn only_looks(name: &str) -> bool {
    OUTSIDE.contains(&name) && name != "time"
        || NOTHING.contains(&name)
        || matches!(name, "free" | "pthread_detach" | "thrd_detach")
        || name.starts_with("__VERIFIER_")
}

impl<'u> Fun<'_, 'u> {
    /// A call of a function of the libraries: the scalars of its result.
    pub(super) fn library(
        &mut self,
        expr: &'u c::Expr,
        name: &str,
        args: &'u [c::Expr],
    ) -> Vec<Expr> {
        let span = expr.span;
        let result = match expr.ty {
            CType::Void | CType::Floating(_) => None,
            _ => self.lower.shapes.scalar(&expr.ty).ok(),
        };
        let zero = |result: &Option<Type>| result.iter().map(Fun::nothing).collect::<Vec<_>>();
        if ENDINGS.contains(&name) {
            args.iter().for_each(|arg| self.effect(arg));
            self.stop(span);
            return zero(&result);
        }
        if FAILURES.contains(&name) {
            if self.lower.options.assertions {
                self.emit(super::failure(), span);
            }
            self.stop(span);
            return zero(&result);
        }
        if writes_back(name, args) {
            self.output(args);
            self.limit(span, format!("what `{name}` writes to where it is told"));
            return zero(&result);
        }
        if NOTHING.contains(&name)
            || name.starts_with("pthread_attr_")
            || name.starts_with("pthread_condattr_")
            || name.starts_with("pthread_rwlockattr_")
            || name.starts_with("pthread_barrierattr_")
        {
            self.output(args);
            return zero(&result);
        }
        if OUTSIDE.contains(&name) {
            let gives_address = |arg: &c::Expr| !matches!(arg.kind, c::ExprKind::Int(0));
            if name == "time" && args.first().is_some_and(gives_address) {
                self.limit(span, "a call of `time` that writes the time".to_owned());
            }
            self.output(args);
            if may_write(self.lower.unit, &mut self.lower.points, self.id, name, args) {
                self.limit(span, format!("a format of `{name}` that may have `%n`"));
            }
            return self.nondeterministic(name, result, span);
        }
        if let Some((number, to)) = clock(name).and_then(|number| Some((number, args.get(number)?)))
        {
            args[..number].iter().for_each(|arg| self.effect(arg));
            let access = self.pointed(to);
            // Whoever asks for a base of time that there is none of gets 0.
            let base = args.get(1).filter(|_| name == "timespec_get");
            let base = base.map(|base| {
                let base = self.scalar(base);
                let base = self.settled(base, span);
                if super::arithmetic::known(&base).is_some_and(|base| base == BigInt::from(1)) {
                    return base;
                }
                let is_there = self.either(span);
                choose(is_there, base.clone(), int(0, &base.ty))
            });
            if base.is_none() {
                args[number + 1..].iter().for_each(|arg| self.effect(arg));
            }
            let CType::Pointer(time) = unconverted_type(to) else { return zero(&result) };
            for cell in self.lower.cells(&time) {
                let value = self.nondeterministic("time", Some(cell.ty.clone()), span);
                value.iter().for_each(|value| self.store_cell(&access, &cell, value, span));
            }
            if let Some(base) = base {
                return result.iter().map(|ty| adapt(base.clone(), ty)).collect();
            }
            return zero(&result);
        }
        if let Some(what) = name.strip_prefix("__VERIFIER_nondet_") {
            return self.nondeterministic(what, result, span);
        }
        match name {
            "__VERIFIER_assume" | "__builtin_assume" => {
                if let Some(arg) = args.first() {
                    let cond = self.test(arg);
                    self.assume(cond, span);
                }
                zero(&result)
            }
            "__VERIFIER_atomic_begin" => {
                self.emit(StmtKind::AtomicBegin, span);
                self.is_first = !self.atomic;
                self.atomic = true;
                zero(&result)
            }
            "__VERIFIER_atomic_end" => {
                if !self.begins_sections {
                    let reason =
                        "an atomic section that ends in another function than it begins in";
                    self.limit(span, reason.to_owned());
                    return zero(&result);
                }
                self.emit(StmtKind::AtomicEnd, span);
                self.is_first = false;
                self.atomic = self.role == super::Role::Atomic;
                zero(&result)
            }
            "__builtin_alloca" | "alloca"
                if self.lower.options.memory
                    && self.lower.points.outlives(Target::Heap(span), self.id) =>
            {
                let reason =
                    "memory of `alloca` whose address may be kept when the function returns";
                self.limit(span, reason.to_owned());
                zero(&result)
            }
            "malloc" | "__builtin_malloc" | "__builtin_alloca" | "alloca" => {
                vec![self.made(expr, args, false)]
            }
            c::VARYING => vec![self.made_varying(expr, args)],
            "calloc" => vec![self.made(expr, args, true)],
            "realloc" => vec![self.made_again(expr, args)],
            "free" => {
                if let Some(arg) = args.first() {
                    self.release_memory(arg, span);
                }
                zero(&result)
            }
            "__builtin_expect" | "__builtin_expect_with_probability" => {
                let values = self.scalars(&args.iter().collect::<Vec<_>>());
                let value = values.into_iter().next().unwrap_or_else(|| Fun::nothing(&Type::Bool));
                result.iter().map(|ty| adapt(value.clone(), ty)).collect()
            }
            "__builtin_constant_p" => zero(&result),
            "__builtin_object_size" => result.iter().map(|ty| int(-1, ty)).collect(),
            "abs" | "labs" | "llabs" | "__builtin_abs" => match args.first() {
                Some(arg) => {
                    if self.lower.options.overflow && self.is_vague(arg) {
                        self.limit(span, "arithmetic with a value from outside".to_owned());
                    }
                    let value = self.scalar(arg);
                    let value = self.simple(value, span);
                    self.check_overflow(Arithmetic::Sub, &int(0, &value.ty), &value, span);
                    let less = binary(BinaryOp::Lt, value.clone(), int(0, &value.ty), span);
                    let minus = binary(BinaryOp::Sub, int(0, &value.ty), value.clone(), span);
                    vec![choose(less, minus, value)]
                }
                None => zero(&result),
            },
            _ => self.other(expr, name, args, result),
        }
    }

    fn other(
        &mut self,
        expr: &'u c::Expr,
        name: &str,
        args: &'u [c::Expr],
        result: Option<Type>,
    ) -> Vec<Expr> {
        let span = expr.span;
        let counts = ["sem_init", "pthread_barrier_init", "pthread_mutexattr_settype", "mtx_init"];
        if counts.contains(&name) && args.iter().any(|arg| self.is_vague(arg)) {
            args.iter().for_each(|arg| self.effect(arg));
            self.limit(span, format!("a call of `{name}` with a value from outside"));
            return result.iter().map(Fun::nothing).collect();
        }
        if calls_once(name)
            && let Some(once) = args.get(1)
            && !functions(self.lower.points.expr(Some(self.id), once))
                .is_disjoint(&self.lower.exits)
        {
            // Whether it counts as called then is not said by C or by POSIX.
            args.iter().for_each(|arg| self.effect(arg));
            self.limit(span, "a function to be called once that may end its thread".to_owned());
            return result.iter().map(Fun::nothing).collect();
        }
        if let Some(values) = self.synchronisation(expr, name, args, result.as_ref()) {
            return values;
        }
        if let Some(value) = self.block(name, args, span) {
            return result.iter().map(|ty| adapt(value.clone(), ty)).collect();
        }
        if let Some(values) = self.atomics(name, args, result.as_ref(), span) {
            return values;
        }
        self.limit(span, not_followed(name));
        match expr.ty {
            CType::Record(_) => self.lower.cell_types(&expr.ty).iter().map(Fun::nothing).collect(),
            _ => result.iter().map(Fun::nothing).collect(),
        }
    }

    /// Arguments that are only written out. Texts are read, character by character, where it matters who reads and what is there.
    fn output(&mut self, args: &'u [c::Expr]) {
        for arg in args {
            let matters = self.lower.options.memory || self.lower.options.races;
            match matters && is_text(&arg.ty) {
                true => self.read_text(arg),
                false => self.effect(arg),
            }
        }
    }

    fn read_text(&mut self, arg: &'u c::Expr) {
        let span = arg.span;
        let targets = self.lower.points.expr(Some(self.id), arg);
        let unit = self.lower.unit;
        let stands_there = |target: &Target| match target {
            Target::Object(object) => unit.objects[object.index()].is_string,
            _ => false,
        };
        if !targets.is_empty() && targets.iter().all(stands_there) {
            return self.effect(arg);
        }
        if targets.is_empty() {
            self.effect(arg);
            return self.limit(span, "a text of which nothing is known".to_owned());
        }
        let held = targets.iter().flat_map(|&target| self.lower.points.held(target)).collect();
        let is_vague = self.any_vague(held);
        let CType::Pointer(character) = &arg.ty else { return };
        let first = self.scalar(arg);
        let at = self.temp(&first.ty, span);
        self.assign(at.clone(), first, span);
        let (head, end) = (self.label("text"), self.label("end"));
        self.put(head);
        let access = Access::Pointed { address: read(at.clone()), targets };
        let value = self.load(&access, character, span);
        let is_last = match is_vague {
            true => self.either(span),
            false => binary(BinaryOp::Eq, value.clone(), int(0, &value.ty), span),
        };
        let is_last = self.keep(is_last, span);
        self.branch(is_last, span, |fun| fun.goto(end, span), |_| {});
        self.add(&at, 1, span);
        self.goto(head, span);
        self.put(end);
    }

    fn made(&mut self, expr: &'u c::Expr, args: &'u [c::Expr], zero: bool) -> Expr {
        let size = self.wanted_size(args, expr.span);
        self.allocate(expr.span, zero, size.as_ref(), expr.span)
    }

    /// How many bytes are asked for: the product of all arguments; nothing where that is not known.
    pub(super) fn wanted_size(&mut self, args: &'u [c::Expr], span: Span) -> Option<Expr> {
        let is_vague = args.iter().any(|arg| self.is_vague(arg));
        let sizes = self.scalars(&args.iter().collect::<Vec<_>>());
        let ty = self.pointer_type();
        let product = sizes.into_iter().map(|size| convert(size, &ty));
        let product = product.reduce(|a, b| binary(BinaryOp::Mul, a, b, span))?;
        let product = self.simple(product, span);
        (!is_vague).then_some(product)
    }

    /// `realloc`
    fn made_again(&mut self, expr: &'u c::Expr, args: &'u [c::Expr]) -> Expr {
        let [old, size] = args else { return int(0, &self.pointer_type()) };
        let span = expr.span;
        let targets = self.lower.points.expr(Some(self.id), old);
        let old = self.scalar(old);
        let old = self.settled(old, span);
        let old = self.simple(old, span);
        let size = self.wanted_size(std::slice::from_ref(size), span);
        let new = self.allocate(span, false, size.as_ref(), span);
        let null = binary(BinaryOp::Eq, old.clone(), int(0, &old.ty), span);
        let to = new.clone();
        self.branch(null, span, |_| {}, |fun| fun.free_one_of(&old, targets, Some(&to), span));
        new
    }

    /// Lowers a value from outside.
    fn nondeterministic(&mut self, what: &str, result: Option<Type>, span: Span) -> Vec<Expr> {
        let Some(ty) = result else { return Vec::new() };
        if what == "bool" {
            let temp = self.temp(&Type::Bool, span);
            self.emit(StmtKind::Havoc(vec![temp.clone()]), span);
            return vec![convert(selvedge_program::make::read(temp), &ty)];
        }
        let temp = self.temp(&ty, span);
        let number = |n: BigInt| i128::try_from(n).ok();
        let bounds = ty.bounds().and_then(|(lo, hi)| number(lo).zip(number(hi)));
        // Some functions give no negative numbers.
        let bounds = match what {
            "rand" | "random" | "getpid" => bounds.map(|(_, hi)| (0, hi.min(i128::from(i32::MAX)))),
            _ => bounds,
        };
        let keeps_all = self.lower.options.keeps_values;
        let enough = bounds
            .filter(|_| !keeps_all)
            .and_then(|(lo, hi)| self.lower.choices.enough(span, lo, hi));
        let some = match enough {
            Some(values) => Some(values),
            None if !self.lower.choices.is_vague(span) => None,
            None if self.lower.options.ends_at_limits => {
                bounds.map(|(lo, hi)| self.lower.choices.samples(span, lo, hi))
            }
            None => {
                let reason = "a value from outside is computed with, or compared with another one"
                    .to_owned();
                self.lower.approximations.insert(Limit { span, reason });
                Some(vec![0])
            }
        };
        match some {
            Some(values) => {
                let values =
                    values.into_iter().map(|value| Expr { span, ..int(value, &ty) }).collect();
                let one = Expr { kind: selvedge_program::ExprKind::OneOf(values), ty, span };
                self.assign(temp.clone(), one, span);
            }
            None => self.emit(StmtKind::Havoc(vec![temp.clone()]), span),
        }
        vec![selvedge_program::make::read(temp)]
    }
}

/// The message about a function that is not followed, in the words of the text: some are hidden behind macros.
fn not_followed(name: &str) -> String {
    let what = match name {
        "_setjmp" | "setjmp" | "__sigsetjmp" | "sigsetjmp" | "__builtin_setjmp" => "`setjmp`",
        "longjmp" | "_longjmp" | "siglongjmp" | "__builtin_longjmp" => "`longjmp`",
        "__sigsetjmp_cancel"
        | "__pthread_register_cancel"
        | "__pthread_unregister_cancel"
        | "__pthread_unwind_next"
        | "pthread_cleanup_push"
        | "pthread_cleanup_pop" => "`pthread_cleanup_push`",
        "pthread_cancel" | "pthread_testcancel" => "cancelling threads",
        "atexit" | "at_quick_exit" | "on_exit" => {
            "functions that are called at the end of the program"
        }
        "__builtin_va_start" | "__builtin_va_arg" | "__builtin_va_end" | "__builtin_va_copy" => {
            "a function that is called with any number of arguments"
        }
        "signal" | "sigaction" | "raise" | "kill" | "pthread_kill" => "signals",
        "fork" | "vfork" => "processes",
        _ => return format!("a call of `{name}`, which is defined elsewhere"),
    };
    format!("{what} (a call of `{name}`)")
}

/// Functions that may end their thread: they call `pthread_exit`, or someone who does, by name, by a pointer, or as what is called once.
pub(super) fn may_exit<'u>(unit: &'u Unit, points: &mut Points<'u>) -> BTreeSet<FunctionId> {
    let named = |name: &FunctionId| unit.functions[name.index()].name.as_str();
    let mut calls: Vec<(FunctionId, BTreeSet<FunctionId>)> = Vec::new();
    for (number, function) in unit.functions.iter().enumerate() {
        let at = FunctionId(number as u32);
        let mut called = BTreeSet::new();
        let mut see = |callee: &'u Callee, args: &'u [c::Expr], _: bool| {
            let direct = match callee {
                Callee::Direct(function) => BTreeSet::from([*function]),
                Callee::Pointer(pointer) => functions(points.expr(Some(at), pointer)),
                Callee::Builtin(_) => BTreeSet::new(),
            };
            if direct.iter().any(|function| calls_once(named(function)))
                && let Some(once) = args.get(1)
            {
                called.extend(functions(points.expr(Some(at), once)));
            }
            called.extend(direct);
        };
        for statement in function.body.iter().flatten() {
            super::visit::each_part(statement, false, &mut |expr, _| {
                super::visit::each_call(expr, false, &mut see);
            });
        }
        calls.push((at, called));
    }
    let mut exits: BTreeSet<FunctionId> = (0..unit.functions.len() as u32)
        .map(FunctionId)
        .filter(|function| matches!(named(function), "pthread_exit" | "thrd_exit"))
        .collect();
    loop {
        let before = exits.len();
        let ends = |called: &BTreeSet<FunctionId>| !called.is_disjoint(&exits);
        let more: Vec<_> =
            calls.iter().filter(|(_, called)| ends(called)).map(|(at, _)| *at).collect();
        exits.extend(more);
        if exits.len() == before {
            return exits;
        }
    }
}

/// Whether a function calls the one that its second argument points to, once.
fn calls_once(name: &str) -> bool {
    matches!(name, "pthread_once" | "call_once")
}

/// The functions among what a pointer may point to.
fn functions(targets: BTreeSet<Target>) -> BTreeSet<FunctionId> {
    let function = |target| match target {
        Target::Function(function) => Some(function),
        _ => None,
    };
    targets.into_iter().filter_map(function).collect()
}

/// Whether a function writes to where an argument points, which nobody follows: the rest of a sleep, what was set before, any bytes.
fn writes_back(name: &str, args: &[c::Expr]) -> bool {
    match name {
        "nanosleep" | "thrd_sleep" | "pthread_setcanceltype" | "pthread_setcancelstate" => {
            args.get(1).is_some_and(|arg| !is_null(arg))
        }
        "__VERIFIER_nondet_memory" => true,
        _ => false,
    }
}

/// Whether a function that writes out what it is given may write into it as well: `%n` in a format does, and a format that is no text of the program may have one.
pub(super) fn may_write<'u>(
    unit: &'u Unit,
    points: &mut Points<'u>,
    at: FunctionId,
    name: &str,
    args: &'u [c::Expr],
) -> bool {
    if writes_back(name, args) {
        return true;
    }
    let (format, given) = match name {
        "printf" | "__builtin_printf" => (args.first(), args.get(1..)),
        "fprintf" => (args.get(1), args.get(2..)),
        _ => return false,
    };
    let is_pointer = |arg: &c::Expr| matches!(arg.ty, CType::Pointer(_));
    let Some(format) = format.filter(|_| given.unwrap_or_default().iter().any(is_pointer)) else {
        return false;
    };
    let targets = points.expr(Some(at), format);
    let only_reads = |target: &Target| match target {
        Target::Object(object) => {
            let object = &unit.objects[object.index()];
            object.is_string && !counts_what_it_writes(&object.init)
        }
        _ => false,
    };
    targets.is_empty() || !targets.iter().all(only_reads)
}

/// Whether a format has `%n`, perhaps with a width and a length before the `n`.
fn counts_what_it_writes(text: &[c::Part]) -> bool {
    let letters = text.iter().map(|part| match part.value.kind {
        c::ExprKind::Int(letter) => u8::try_from(letter).unwrap_or(0),
        _ => 0,
    });
    let mut inside = false;
    for letter in letters {
        match letter {
            b'%' => inside = !inside,
            b'n' if inside => return true,
            b'-' | b'+' | b' ' | b'#' | b'\'' | b'*' | b'.' | b'$' | b'0'..=b'9' => {}
            b'h' | b'l' | b'j' | b'z' | b't' | b'L' | b'q' => {}
            _ => inside = false,
        }
    }
    false
}

/// Whether a type is that of pointers to characters.
fn is_text(ty: &CType) -> bool {
    matches!(ty, CType::Pointer(to) if matches!(strip(to), CType::Int { bits: 8, .. }))
}
