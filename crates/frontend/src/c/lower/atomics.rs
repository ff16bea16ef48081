//! # Atomic operations
//! `__atomic_*`, `__sync_*` and what `stdatomic.h` makes of them: one step each, sequentially consistent.

use selvedge_program::{BinaryOp, Expr, Span, Type};

use super::access::{adapt, strip};
use super::arithmetic::{binary, choose, convert, int, negate};
use super::function::Fun;
use crate::c::typed::{self as c, Arithmetic};
use crate::c::types::Type as CType;

impl<'u> Fun<'_, 'u> {
    /// `__atomic_*` and `__sync_*`, each one step.
    pub(super) fn atomics(
        &mut self,
        name: &str,
        args: &'u [c::Expr],
        result: Option<&Type>,
        span: Span,
    ) -> Option<Vec<Expr>> {
        if matches!(
            name,
            "__sync_synchronize"
                | "__atomic_thread_fence"
                | "__atomic_signal_fence"
                | "atomic_thread_fence"
                | "atomic_signal_fence"
        ) {
            return Some(Vec::new());
        }
        let operation = name.strip_prefix("__atomic_").or_else(|| name.strip_prefix("__sync_"))?;
        let is_sync = name.starts_with("__sync_");
        if !is_sync {
            self.lower.assumptions.insert(
                "atomic operations are sequentially consistent, whatever order they name"
                    .to_owned(),
            );
        }
        let object = args.first()?;
        let only_passes = ["load", "store", "exchange", "lock_release", "clear"];
        if !only_passes.iter().any(|word| operation.starts_with(word)) && self.touches_vague(args) {
            self.limit(span, "an atomic operation on a value from outside".to_owned());
        }
        let CType::Pointer(pointee) = &unconverted_type(object) else { return None };
        // An `atomic_flag` is a structure with one member.
        let only = match strip(pointee) {
            CType::Record(_) => match <[_; 1]>::try_from(self.lower.cells(strip(pointee))) {
                Ok([cell]) => Some(cell),
                Err(_) => None,
            },
            _ => None,
        };
        let plain = only.as_ref().map_or_else(|| strip(pointee).clone(), |cell| cell.c.clone());
        let c = CType::Atomic(std::sync::Arc::new(plain.clone()));
        let give = |value: Expr| {
            Some(result.iter().map(|ty| adapt(value.clone(), ty)).collect::<Vec<_>>())
        };
        match operation {
            "load_n" => {
                let access = self.pointed(object);
                let value = self.load(&access, &c, span);
                give(value)
            }
            "load" => {
                let (from, to) = (self.pointed(object), self.pointed(args.get(1)?));
                let value = self.load(&from, &c, span);
                self.store(&to, &plain, &value, span);
                Some(Vec::new())
            }
            "store_n" => {
                let access = self.pointed(object);
                let value = self.scalar(args.get(1)?);
                self.store(&access, &c, &value, span);
                Some(Vec::new())
            }
            "store" => {
                let (to, from) = (self.pointed(object), self.pointed(args.get(1)?));
                let value = self.load(&from, &plain, span);
                self.store(&to, &c, &value, span);
                Some(Vec::new())
            }
            "exchange_n" | "lock_test_and_set" => {
                let access = self.pointed(object);
                let value = self.scalar(args.get(1)?);
                let value = self.settled(value, span);
                let old = self.exchange(&access, &c, span, &mut |_, _| value.clone());
                give(old)
            }
            "exchange" => {
                let (access, from, to) =
                    (self.pointed(object), self.pointed(args.get(1)?), self.pointed(args.get(2)?));
                let value = self.load(&from, &plain, span);
                let value = self.settled(value, span);
                let old = self.exchange(&access, &c, span, &mut |_, _| value.clone());
                self.store(&to, &plain, &old, span);
                Some(Vec::new())
            }
            "lock_release" | "clear" => {
                let access = self.pointed(object);
                let access = only.iter().fold(access, |access, cell| self.cell(&access, cell));
                let ty = self.type_of(&c, span);
                self.store(&access, &c, &Fun::nothing(&ty), span);
                Some(Vec::new())
            }
            "test_and_set" => {
                let access = self.pointed(object);
                let access = only.iter().fold(access, |access, cell| self.cell(&access, cell));
                let ty = self.type_of(&c, span);
                let one = if ty == Type::Bool {
                    selvedge_program::make::truth(true)
                } else {
                    int(1, &ty)
                };
                let old = self.exchange(&access, &c, span, &mut |_, _| one.clone());
                give(convert(old, &Type::Bool))
            }
            "compare_exchange_n" | "compare_exchange" => {
                let access = self.pointed(object);
                let expected = self.pointed(args.get(1)?);
                let new = match operation {
                    "compare_exchange_n" => self.scalar(args.get(2)?),
                    _ => {
                        let from = self.pointed(args.get(2)?);
                        self.load(&from, &plain, span)
                    }
                };
                let new = self.settled(new, span);
                let wanted = self.load(&expected, &plain, span);
                let wanted = self.keep(wanted, span);
                // A weak one may fail although it need not.
                let weak = args
                    .get(3)
                    .map(|weak| self.test(weak))
                    .unwrap_or_else(|| selvedge_program::make::truth(false));
                let tries = match super::arithmetic::known_truth(&weak) {
                    Some(false) => selvedge_program::make::truth(true),
                    // No thread has bad luck for ever.
                    _ if self.lower.options.marks_end => {
                        Expr { kind: selvedge_program::ExprKind::Fair, ty: Type::Bool, span }
                    }
                    _ => self.either(span),
                };
                let tries = self.settled(tries, span);
                let rivals = self.swapped_rivals(name, args);
                let old = self.exchange(&access, &c, span, &mut |_, old| {
                    let same =
                        binary(BinaryOp::Eq, old.clone(), adapt(wanted.clone(), &old.ty), span);
                    let same = binary(BinaryOp::And, tries.clone(), same, span);
                    choose(same, adapt(new.clone(), &old.ty), old)
                });
                self.check_rivals(&old, &adapt(wanted.clone(), &old.ty), &rivals, span);
                let same = binary(BinaryOp::Eq, old.clone(), adapt(wanted, &old.ty), span);
                let same = binary(BinaryOp::And, tries, same, span);
                let same = self.keep(same, span);
                self.branch(
                    same.clone(),
                    span,
                    |_| {},
                    |fun| fun.store(&expected, &plain, &old, span),
                );
                give(same)
            }
            "val_compare_and_swap" | "bool_compare_and_swap" => {
                let access = self.pointed(object);
                let values = self.scalars(&[args.get(1)?, args.get(2)?]);
                let [wanted, new] = <[Expr; 2]>::try_from(values).ok()?;
                let (wanted, new) = (self.settled(wanted, span), self.settled(new, span));
                let rivals = self.swapped_rivals(name, args);
                let old = self.swap(&access, &c, &wanted, &new, span);
                let (old, wanted) = self.compared((old, wanted), &rivals, span);
                match operation {
                    "val_compare_and_swap" => give(old),
                    _ => {
                        let wanted = adapt(wanted, &old.ty);
                        give(binary(BinaryOp::Eq, old, wanted, span))
                    }
                }
            }
            _ => {
                let (op, gives_new) = fetch(operation)?;
                let access = self.pointed(object);
                let value = self.scalar(args.get(1)?);
                let value = self.settled(value, span);
                let mut combine = |_: &mut Self, old: Expr| {
                    let value = adapt(value.clone(), &old.ty);
                    match op {
                        Some(op) => wrapping(op, old, value, span),
                        None => complement(binary(BinaryOp::BitAnd, old, value, span), span),
                    }
                };
                let old = self.exchange(&access, &c, span, &mut combine);
                let value = if gives_new { combine(self, old) } else { old };
                give(value)
            }
        }
    }

    /// Writes a value if another one is there, in one step; what was there.
    pub(super) fn swap(
        &mut self,
        access: &super::access::Access,
        c: &CType,
        wanted: &Expr,
        new: &Expr,
        span: Span,
    ) -> Expr {
        self.exchange(access, c, span, &mut |_, old| {
            let same = binary(BinaryOp::Eq, old.clone(), adapt(wanted.clone(), &old.ty), span);
            choose(same, adapt(new.clone(), &old.ty), old)
        })
    }
}

/// An atomic operation that wraps around does not overflow.
pub(super) fn wrapping(op: Arithmetic, a: Expr, b: Expr, span: Span) -> Expr {
    let op = match op {
        Arithmetic::Sub => BinaryOp::Sub,
        Arithmetic::BitAnd => BinaryOp::BitAnd,
        Arithmetic::BitOr => BinaryOp::BitOr,
        Arithmetic::BitXor => BinaryOp::BitXor,
        _ => BinaryOp::Add,
    };
    if a.ty == Type::Bool {
        let byte = Type::Machine { bits: 8, signed: false };
        return convert(binary(op, convert(a, &byte), convert(b, &byte), span), &Type::Bool);
    }
    binary(op, a, b, span)
}

pub(super) fn complement(value: Expr, span: Span) -> Expr {
    if value.ty == Type::Bool {
        return negate(value);
    }
    let ty = value.ty.clone();
    Expr {
        kind: selvedge_program::ExprKind::Unary(selvedge_program::UnaryOp::BitNot, Box::new(value)),
        ty,
        span,
    }
}

/// What `fetch_and_add` and its kin do (nothing for `nand`), and whether they give the value after it.
pub(super) fn fetch(operation: &str) -> Option<(Option<Arithmetic>, bool)> {
    let (word, gives_new) = match operation
        .strip_prefix("fetch_and_")
        .or_else(|| operation.strip_prefix("fetch_"))
    {
        Some(word) => (word, false),
        None => (
            operation.strip_suffix("_and_fetch").or_else(|| operation.strip_suffix("_fetch"))?,
            true,
        ),
    };
    let op = match word {
        "add" => Some(Arithmetic::Add),
        "sub" => Some(Arithmetic::Sub),
        "and" => Some(Arithmetic::BitAnd),
        "or" => Some(Arithmetic::BitOr),
        "xor" => Some(Arithmetic::BitXor),
        "nand" => None,
        _ => return None,
    };
    Some((op, gives_new))
}

/// The type of an argument before it was converted to `void *`.
pub(super) fn unconverted_type(arg: &c::Expr) -> CType {
    match &arg.kind {
        c::ExprKind::Convert(inner)
            if matches!(inner.ty, CType::Pointer(_))
                && matches!(&arg.ty, CType::Pointer(to) if **to == CType::Void) =>
        {
            unconverted_type(inner)
        }
        _ => arg.ty.clone(),
    }
}
