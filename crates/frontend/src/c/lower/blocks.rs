//! # Blocks of memory
//! `memcpy`, `memmove` and `memset`: scalar by scalar, as the types of the pointers say what is there. Bytes that are taken out of something larger are met where
//! they are read, and cannot be followed.

use num_bigint::BigInt;
use selvedge_program::make::read;
use selvedge_program::{BinaryOp, Expr, Span, Type};

use super::access::{Access, strip};
use super::arithmetic::{binary, choose, convert, int, known, negate};
use super::function::Fun;
use super::points::Target;
use crate::c::typed::{self as c, ExprKind};
use crate::c::types::Type as CType;

/// Blocks of up to this many elements are written out; larger ones are loops.
const FEW: u64 = 8;

/// A block: where it is, and what may be there.
struct Area {
    address: Expr,
    targets: std::collections::BTreeSet<Target>,
}

impl Area {
    fn element(&self, number: &Expr, size: u64, span: Span) -> Access {
        let ty = &self.address.ty;
        let by = binary(BinaryOp::Mul, convert(number.clone(), ty), int(size, ty), span);
        let address = binary(BinaryOp::Add, self.address.clone(), by, span);
        Access::Pointed { address, targets: self.targets.clone() }
    }
}

impl<'u> Fun<'_, 'u> {
    /// Lowers a function on blocks of memory, and returns its result; `None` if the name is not known.
    pub(super) fn block(&mut self, name: &str, args: &'u [c::Expr], span: Span) -> Option<Expr> {
        match name.trim_start_matches("__builtin_") {
            "memcpy" | "memmove" => self.copy(args, span),
            "memset" => self.set(args.first()?, args.get(1), args.get(2)?, span),
            "bzero" => self.set(args.first()?, None, args.get(1)?, span),
            _ => None,
        }
    }

    fn area(&mut self, arg: &'u c::Expr, value: Expr, span: Span) -> Area {
        let targets = self.lower.points.expr(Some(self.id), arg);
        Area { address: self.simple(value, span), targets }
    }

    fn copy(&mut self, args: &'u [c::Expr], span: Span) -> Option<Expr> {
        let [to, from, size] = args else { return None };
        let values = self.scalars(&[to, from, size]);
        let [a, b, bytes] = <[Expr; 3]>::try_from(values).ok()?;
        let (target, source) = (self.area(to, a, span), self.area(from, b, span));
        let (one, other) = (element(to), element(from));
        let size_of = |ty: &CType| self.lower.shapes.types.size(ty).unwrap_or(0);
        // Bytes and what is not known are made of the other one.
        let c = match (&one, &other) {
            (Some(one), Some(other)) if size_of(one) >= size_of(other) => one.clone(),
            (_, Some(other)) => other.clone(),
            (Some(one), None) => one.clone(),
            (None, None) => {
                self.limit(
                    span,
                    "a copy of memory of which it is not known what it holds".to_owned(),
                );
                return Some(target.address);
            }
        };
        if self.lower.cells(&c).iter().any(|cell| cell.ty == Type::Lock) {
            self.limit(span, "a copy of a mutex".to_owned());
        }
        let Some(count) = self.count(bytes, &c, size, span) else { return Some(target.address) };
        let each = size_of_cell(self, &c);
        if let Some(few) = few(&count) {
            // All is read before anything is written: the two may overlap.
            let numbers = (0..few).map(|number| int(number, &count.ty));
            let numbers: Vec<Expr> = numbers.collect();
            let values: Vec<Vec<Expr>> = (numbers.iter())
                .map(|number| {
                    let access = source.element(number, each, span);
                    let values = self.load_all(&access, &c, span);
                    values.into_iter().map(|value| self.simple(value, span)).collect()
                })
                .collect();
            for (number, values) in numbers.iter().zip(values) {
                self.store_all(&target.element(number, each, span), &c, &values, span);
            }
            return Some(target.address);
        }
        let after = binary(BinaryOp::Gt, target.address.clone(), source.address.clone(), span);
        let backwards = self.keep(after, span);
        self.repeat(&count, span, |fun, number| {
            let last = binary(BinaryOp::Sub, count.clone(), int(1, &count.ty), span);
            let from_end = binary(BinaryOp::Sub, last, number.clone(), span);
            let number = fun.keep(choose(backwards.clone(), from_end, number), span);
            let values = fun.load_all(&source.element(&number, each, span), &c, span);
            fun.store_all(&target.element(&number, each, span), &c, &values, span);
        });
        Some(target.address)
    }

    fn set(
        &mut self,
        to: &'u c::Expr,
        byte: Option<&'u c::Expr>,
        size: &'u c::Expr,
        span: Span,
    ) -> Option<Expr> {
        let args: Vec<&'u c::Expr> = [Some(to), byte, Some(size)].into_iter().flatten().collect();
        let mut values = self.scalars(&args);
        let bytes = values.pop()?;
        let byte_is_vague = byte.is_some_and(|byte| self.is_vague(byte));
        let byte = byte.and_then(|_| values.pop()).unwrap_or_else(|| int(0, &Type::Int));
        let byte = self.simple(byte, span);
        let value = values.pop()?;
        let target = self.area(to, value, span);
        let Some(c) = element(to) else {
            self.limit(
                span,
                "memory that is set of which it is not known what it holds".to_owned(),
            );
            return Some(target.address);
        };
        if byte_is_vague || known(&byte).is_none() && size_of_cell(self, &c) != 1 {
            self.limit(span, "memory that is set to a value that is not constant".to_owned());
            return Some(target.address);
        }
        let Some(count) = self.count(bytes, &c, size, span) else { return Some(target.address) };
        let each = size_of_cell(self, &c);
        let write = |fun: &mut Self, number: Expr| {
            let access = target.element(&number, each, span);
            for cell in fun.lower.cells(&c) {
                let to = fun.cell(&access, &cell);
                match (&cell.c, &cell.ty) {
                    (_, Type::Lock) => {
                        fun.at_place(&to, &cell.c, 0, span, &mut |fun, at| {
                            fun.check_free(&at.place, span);
                        });
                    }
                    (CType::Opaque(_), _) => {
                        let part = cell.way.last().copied().unwrap_or(0);
                        let access = target.element(&number, each, span);
                        let whole = super::access::shifted(access, cell.offset - part as u64);
                        fun.at_place(&whole, &cell.c, part, span, &mut |fun, at| {
                            fun.assign(at.place.clone(), Fun::nothing(&at.place.ty), span);
                        });
                    }
                    _ => {
                        let value = pattern(&byte, &cell.ty);
                        fun.store(&to, &cell.c, &value, span);
                    }
                }
            }
        };
        match few(&count) {
            Some(few) => (0..few).for_each(|number| write(self, int(number, &count.ty))),
            None => self.repeat(&count, span, write),
        }
        Some(target.address)
    }

    /// The number of elements in a number of bytes.
    fn count(&mut self, bytes: Expr, c: &CType, size: &'u c::Expr, span: Span) -> Option<Expr> {
        let each = size_of_cell(self, c);
        if self.is_vague(size) || each == 0 {
            self.limit(span, "a block of memory whose size is not known".to_owned());
            return None;
        }
        let bytes = self.simple(bytes, span);
        let rest = binary(BinaryOp::Mod, bytes.clone(), int(each, &bytes.ty), span);
        let partial = negate(binary(BinaryOp::Eq, rest, int(0, &bytes.ty), span));
        let reason = "a part of an object that is copied or set";
        self.branch(partial, span, |fun| fun.limit(span, reason.to_owned()), |_| {});
        let count = binary(BinaryOp::Div, bytes.clone(), int(each, &bytes.ty), span);
        Some(self.simple(count, span))
    }

    /// Does something for each number below a count.
    fn repeat(&mut self, count: &Expr, span: Span, mut act: impl FnMut(&mut Self, Expr)) {
        let number = self.temp(&count.ty, span);
        self.assign(number.clone(), int(0, &count.ty), span);
        let (head, end) = (self.label("loop"), self.label("end"));
        self.put(head);
        let more = binary(BinaryOp::Lt, read(number.clone()), count.clone(), span);
        self.branch(more, span, |_| {}, |fun| fun.goto(end, span));
        act(self, read(number.clone()));
        self.add(&number, 1, span);
        self.goto(head, span);
        self.put(end);
    }
}

/// A number of elements that are written out.
fn few(count: &Expr) -> Option<u64> {
    known(count).and_then(|count| u64::try_from(count).ok()).filter(|count| *count <= FEW)
}

fn size_of_cell(fun: &Fun, c: &CType) -> u64 {
    fun.lower.shapes.types.size(c).unwrap_or(0)
}

/// The type that an argument pointed to before it was converted to `void *`; `None` if that is not known.
fn element(arg: &c::Expr) -> Option<CType> {
    match &arg.kind {
        ExprKind::Convert(inner) if matches!(inner.ty, CType::Pointer(_)) => {
            element(inner).or_else(|| pointee(arg))
        }
        _ => pointee(arg),
    }
}

fn pointee(arg: &c::Expr) -> Option<CType> {
    let CType::Pointer(to) = &arg.ty else { return None };
    let mut to = strip(to);
    while let CType::Array(inner, _) = to {
        to = strip(inner);
    }
    (!matches!(to, CType::Void | CType::Function(_))).then(|| to.clone())
}

/// A value all of whose bytes are the same.
fn pattern(byte: &Expr, ty: &Type) -> Expr {
    match (known(byte), ty) {
        (Some(byte), Type::Machine { bits, .. }) => {
            let byte = byte & BigInt::from(255);
            let all = (0..bits / 8).fold(BigInt::ZERO, |all, _| (all << 8) + &byte);
            int(all, ty)
        }
        _ => convert(convert(byte.clone(), &Type::Machine { bits: 8, signed: false }), ty),
    }
}
