//! # Functions of the compiler
//! `__builtin_…`, `__sync_…`, `__atomic_…`: nobody declares them, and the types of some depend on their arguments.

use std::sync::Arc;

use selvedge_program::Span;

use super::Checker;
use super::arithmetic::{DOUBLE, INT, UNSIGNED, UNSIGNED_LONG_LONG, of_value};
use super::conversions::{constant, int};
use crate::c::tree::{self, Rank};
use crate::c::typed::{Callee, Expr, ExprKind};
use crate::c::types::{DataModel, Type};

/// Whether a name is one of the compiler's.
pub(super) fn is_builtin(name: &str) -> bool {
    ["__builtin_", "__sync_", "__atomic_", "__c11_atomic_"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

/// The type of a compiler function's result, and which arguments have the type that its first argument points to.
struct Shape {
    /// The type of the result.
    result: Outcome,
    /// The numbers of the arguments that are such values.
    values: &'static [usize],
    /// Whether it adds to the target or subtracts from it, so that a pointer is moved by bytes.
    adds: bool,
}

/// The type of the result.
enum Outcome {
    Void,
    Bool,
    Target,
    Other,
}

impl Checker<'_> {
    /// A call of a function of the compiler.
    pub fn builtin(&mut self, name: &str, args: &[tree::Expr], span: Span) -> Option<Expr> {
        if let Some(known) = self.known_builtin(name, args, span) {
            return Some(known);
        }
        let values: Vec<Option<Expr>> = args.iter().map(|arg| self.value(arg)).collect();
        let mut values: Vec<Expr> = values.into_iter().collect::<Option<_>>()?;
        let shape = shape(name);
        let target = match values.first().map(|first| &first.ty) {
            Some(Type::Pointer(to)) => Some(of_value(to)),
            _ => None,
        };
        self.pointers(name, &values)?;
        if let Some(target) = &target {
            for i in shape.values {
                if let Some(value) = values.get_mut(*i) {
                    let to = match target {
                        Type::Pointer(_) if shape.adds => self.difference_type(),
                        Type::Void => value.ty.clone(),
                        target => target.clone(),
                    };
                    *value = self.assigned(value.clone(), &to, "the value")?;
                }
            }
        }
        let values = values
            .into_iter()
            .enumerate()
            .map(
                |(i, value)| {
                    if shape.values.contains(&i) { value } else { self.promote_argument(value) }
                },
            )
            .collect();
        let ty = match shape.result {
            Outcome::Void => Type::Void,
            Outcome::Bool => Type::Bool,
            Outcome::Target => target.unwrap_or(INT),
            Outcome::Other => self.result_of(name),
        };
        let kind = ExprKind::Call(Callee::Builtin(name.to_owned()), values);
        Some(Expr { kind, ty, span })
    }

    /// Reports arguments of atomic operations that have to be pointers: what is changed, and the value that is expected there.
    fn pointers(&mut self, name: &str, values: &[Expr]) -> Option<()> {
        let Some(name) = ["__sync_", "__atomic_", "__c11_atomic_"]
            .iter()
            .find_map(|family| name.strip_prefix(family))
        else {
            return Some(());
        };
        if matches!(name, "synchronize" | "always_lock_free" | "is_lock_free")
            || name.ends_with("_fence")
        {
            return Some(());
        }
        let expects = name.starts_with("compare_exchange");
        for (number, value) in values.iter().take(1 + usize::from(expects)).enumerate() {
            if !matches!(value.ty, Type::Pointer(_)) {
                let what = ["the object that is changed or read", "the value that is expected"];
                let spelt = self.spell(&value.ty);
                let message =
                    format!("{} is given by a pointer, but this is `{spelt}`", what[number]);
                self.advise(value.span, message, "take the address of a variable with `&`");
                return None;
            }
        }
        Some(())
    }

    /// Those whose value is known here.
    fn known_builtin(&mut self, name: &str, args: &[tree::Expr], span: Span) -> Option<Expr> {
        match (name, args) {
            ("__builtin_constant_p", [of]) => {
                let is_constant = self.quietly(|c| {
                    let value = c.value(of);
                    value.is_some_and(|value| c.fold(&value).is_some())
                });
                Some(int(i128::from(is_constant), span))
            }
            ("__builtin_object_size" | "__builtin_dynamic_object_size", [_, how]) => {
                let how = self.quietly(|c| c.constant_int(how, "the kind of size"))?;
                // The size is not known, which is told by the largest or the smallest number.
                let unknown = if how & 2 == 0 {
                    super::arithmetic::wrap(-1, self.pointer_bits(), false)
                } else {
                    0
                };
                Some(constant(unknown, self.size_type(), span))
            }
            (
                "__builtin_huge_val" | "__builtin_inf" | "__builtin_huge_valf" | "__builtin_inff",
                [],
            ) => {
                let ty = if name.ends_with('f') && name != "__builtin_inf" {
                    Type::Floating(4)
                } else {
                    DOUBLE
                };
                Some(Expr { kind: ExprKind::Floating(f64::INFINITY), ty, span })
            }
            ("__builtin_nan" | "__builtin_nanf", [_]) => {
                let ty = if name == "__builtin_nanf" { Type::Floating(4) } else { DOUBLE };
                Some(Expr { kind: ExprKind::Floating(f64::NAN), ty, span })
            }
            _ => None,
        }
    }

    /// The types of the results of those that are no atomic operations.
    fn result_of(&self, name: &str) -> Type {
        let name = name.trim_start_matches("__builtin_").trim_end_matches("_chk");
        let name = name.strip_prefix("__").unwrap_or(name).trim_end_matches("_chk");
        match name {
            "expect" | "expect_with_probability" | "labs" => self.integer(Rank::Long, true),
            "llabs" => super::arithmetic::LONG_LONG,
            "abort" | "exit" | "trap" | "unreachable" | "va_start" | "va_end" | "va_copy"
            | "prefetch" | "free" | "longjmp" | "clear_cache" | "ia32_pause" | "bzero" => {
                Type::Void
            }
            "alloca"
            | "malloc"
            | "calloc"
            | "realloc"
            | "memcpy"
            | "memmove"
            | "memset"
            | "mempcpy"
            | "memchr"
            | "return_address"
            | "frame_address"
            | "assume_aligned"
            | "extract_return_addr"
            | "alloca_with_align" => Type::Pointer(Arc::new(Type::Void)),
            "strcpy" | "strncpy" | "strcat" | "strncat" | "strchr" | "strrchr" | "strstr"
            | "strdup" | "strpbrk" | "stpcpy" | "index" | "rindex" => {
                Type::Pointer(Arc::new(super::arithmetic::CHAR))
            }
            "strlen" | "strspn" | "strcspn" => self.size_type(),
            "bswap16" => self.integer(Rank::Short, false),
            "bswap32" => UNSIGNED,
            "bswap64" => match self.types.model {
                DataModel::Ilp32 => UNSIGNED_LONG_LONG,
                DataModel::Lp64 => self.integer(Rank::Long, false),
            },
            "fabs" | "sqrt" | "floor" | "ceil" | "pow" | "exp" | "log" | "sin" | "cos" | "fmax"
            | "fmin" | "copysign" => DOUBLE,
            "fabsf" | "sqrtf" | "copysignf" | "floorf" | "ceilf" => Type::Floating(4),
            "add_overflow" | "sub_overflow" | "mul_overflow" | "add_overflow_p"
            | "sub_overflow_p" | "mul_overflow_p" => Type::Bool,
            _ => INT,
        }
    }
}

/// The shape of a compiler function, by its name.
fn shape(name: &str) -> Shape {
    let shape = |result, values| Shape { result, values, adds: false };
    if let Some(name) = name.strip_prefix("__sync_") {
        return match name {
            "synchronize" => shape(Outcome::Void, &[]),
            "lock_release" => shape(Outcome::Void, &[]),
            "bool_compare_and_swap" => shape(Outcome::Bool, &[1, 2]),
            "val_compare_and_swap" => shape(Outcome::Target, &[1, 2]),
            _ => Shape { result: Outcome::Target, values: &[1], adds: is_sum(name) },
        };
    }
    if let Some(name) = name.strip_prefix("__atomic_") {
        return match name {
            "load" | "store" | "exchange" | "clear" | "thread_fence" | "signal_fence" => {
                shape(Outcome::Void, &[])
            }
            "store_n" => shape(Outcome::Void, &[1]),
            "load_n" => shape(Outcome::Target, &[]),
            "compare_exchange_n" => shape(Outcome::Bool, &[2]),
            "compare_exchange" | "test_and_set" | "is_lock_free" | "always_lock_free" => {
                shape(Outcome::Bool, &[])
            }
            _ => Shape { result: Outcome::Target, values: &[1], adds: is_sum(name) },
        };
    }
    if let Some(name) = name.strip_prefix("__c11_atomic_") {
        return match name {
            "thread_fence" | "signal_fence" => shape(Outcome::Void, &[]),
            "store" | "init" => shape(Outcome::Void, &[1]),
            "load" => shape(Outcome::Target, &[]),
            "compare_exchange_strong" | "compare_exchange_weak" => shape(Outcome::Bool, &[2]),
            "is_lock_free" => shape(Outcome::Bool, &[]),
            _ => Shape { result: Outcome::Target, values: &[1], adds: is_sum(name) },
        };
    }
    shape(Outcome::Other, &[])
}

fn is_sum(name: &str) -> bool {
    name.contains("add") || name.contains("sub")
}
