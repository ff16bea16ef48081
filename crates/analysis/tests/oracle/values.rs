//! Values of expressions: the set of all that an expression may come to. Every variable has a
//! value, so nothing that is chosen in one place matters in another.

use std::cell::Cell;
use std::collections::BTreeSet;

use num_bigint::BigInt;
use selvedge_program::{
    BinaryOp, Expr, ExprKind, Place, ProcId, Program, Type, UnaryOp, Value, VarRef,
};

use crate::oracle::wrapping;

/// More values of one type are too many for a test.
const MOST_VALUES: u32 = 100;
/// Numbers of more bits are too large for a test.
const MOST_BITS: u64 = 10_000;

thread_local! {
    static GAVE_UP: Cell<bool> = const { Cell::new(false) };
}

/// Notes that something was left out, since it was too much.
fn give_up() {
    GAVE_UP.set(true);
}

/// Whether something was left out since this was last asked.
pub fn gave_up() -> bool {
    GAVE_UP.take()
}

/// A value; `None` where the evaluation goes wrong.
pub type Outcome = Option<BigInt>;

/// The values of variables, slot by slot.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Memory {
    pub globals: Vec<Vec<BigInt>>,
    pub locals: Vec<Vec<BigInt>>,
}

impl Memory {
    pub fn slots(&self, var: VarRef) -> &Vec<BigInt> {
        match var {
            VarRef::Global(id) => &self.globals[id.index()],
            VarRef::Local(id) => &self.locals[id.index()],
        }
    }

    pub fn slots_mut(&mut self, var: VarRef) -> &mut Vec<BigInt> {
        match var {
            VarRef::Global(id) => &mut self.globals[id.index()],
            VarRef::Local(id) => &mut self.locals[id.index()],
        }
    }
}

/// All values of a type. A thread id that is not set is `none`, a lock free.
pub fn values_of(program: &Program, ty: &Type) -> Vec<BigInt> {
    let count = |n: usize| (0..n).map(BigInt::from).collect();
    match ty {
        Type::Bool => count(2),
        Type::Enum(id) => count(program.enums[id.index()].enumerators.len()),
        Type::Lock | Type::ThreadId => count(1),
        Type::Range { lo, hi } if hi - lo > BigInt::from(MOST_VALUES) => {
            give_up();
            Vec::new()
        }
        Type::Range { lo, hi } => {
            let mut values = vec![lo.clone()];
            while values.last() < Some(hi) {
                values.push(values.last().expect("not empty") + 1);
            }
            values
        }
        Type::Machine { .. } => {
            give_up();
            Vec::new()
        }
        Type::Int => panic!("nobody can list all integers"),
        Type::Array { .. } => panic!("an array is no scalar"),
    }
}

/// Whether a value belongs to a type.
pub fn fits(ty: &Type, value: &BigInt) -> bool {
    match ty {
        Type::Range { lo, hi } => lo <= value && value <= hi,
        _ => true,
    }
}

/// Every way to take one of each.
pub fn product<T: Clone>(choices: impl IntoIterator<Item = Vec<T>>) -> Vec<Vec<T>> {
    choices.into_iter().fold(vec![Vec::new()], |ways, choice| {
        let longer = |way: &Vec<T>| {
            let way = way.clone();
            choice.iter().map(move |one| [way.clone(), vec![one.clone()]].concat())
        };
        ways.iter().flat_map(longer).collect()
    })
}

/// Where an expression is evaluated.
pub struct Env<'a> {
    pub program: &'a Program,
    pub proc: ProcId,
    pub memory: &'a Memory,
    /// In `constrain`: the memory after the assignment.
    pub after: Option<&'a Memory>,
    /// In the arguments of a thread: the number of the instance.
    pub instance: Option<u32>,
}

impl Env<'_> {
    /// Everything that the expression may come to.
    pub fn eval(&self, expr: &Expr) -> BTreeSet<Outcome> {
        let any = |ty: &Type| values_of(self.program, ty).into_iter().map(Some).collect();
        match &expr.kind {
            ExprKind::Const(Value::Open) | ExprKind::Any | ExprKind::Fair => any(&expr.ty),
            ExprKind::Const(value) => [value.to_big()].into(),
            ExprKind::Read(place) => self.read(place, self.memory),
            ExprKind::Primed(place) => self.read(place, self.after.expect("in `constrain`")),
            ExprKind::Unary(UnaryOp::Not, a) => self.each(a, |a| [Some(truth(!holds(&a)))].into()),
            ExprKind::Unary(op, a) => self.each(a, |a| {
                let plain = || if *op == UnaryOp::Neg { -&a } else { a.clone() };
                [Some(wrapping::unary(&expr.ty, *op, &a).unwrap_or_else(plain))].into()
            }),
            ExprKind::Binary(op, a, b) => self.each(a, |a| self.binary(*op, &expr.ty, &a, b)),
            ExprKind::IfThenElse(c, a, b) => {
                self.each(c, |c| self.eval(if holds(&c) { a } else { b }))
            }
            ExprKind::OneOf(list) => list.iter().flat_map(|e| self.eval(e)).collect(),
            ExprKind::Between(a, b) => self.each(a, |lo| {
                self.each(b, |hi| match lo <= hi {
                    true => any(&Type::Range { lo: lo.clone(), hi }),
                    // There is nothing to choose from.
                    false => [None].into(),
                })
            }),
            ExprKind::Schoose(p, n) => self.each(p, |p| match holds(&p) {
                true => [Some(truth(true))].into(),
                false => self.each(n, |n| match holds(&n) {
                    true => [Some(truth(false))].into(),
                    false => any(&Type::Bool),
                }),
            }),
            ExprKind::Instance => [Some(self.instance.expect("in arguments").into())].into(),
            ExprKind::Quantified { .. } | ExprKind::LocalOf { .. } | ExprKind::At { .. } => {
                panic!("not in statements")
            }
        }
    }

    /// The slots that a place may mean.
    pub fn slots(&self, place: &Place) -> BTreeSet<Option<usize>> {
        let mut ty = &self.program.variable(self.proc, place.var).ty;
        let mut slots = BTreeSet::from([Some(0)]);
        for index in &place.indices {
            let Type::Array { element, length } = ty else { panic!("an index into {ty:?}") };
            let at = |index: &Outcome| {
                let index = u32::try_from(index.as_ref()?).ok()?;
                (index < *length).then_some(index as usize * element.slots())
            };
            let steps: Vec<Option<usize>> = self.eval(index).iter().map(at).collect();
            slots = slots
                .iter()
                .flat_map(|slot| steps.iter().map(move |step| Some((*slot)? + (*step)?)))
                .collect();
            ty = element;
        }
        slots
    }

    fn read(&self, place: &Place, memory: &Memory) -> BTreeSet<Outcome> {
        let value = |slot: Option<usize>| Some(memory.slots(place.var)[slot?].clone());
        self.slots(place).into_iter().map(value).collect()
    }

    /// What follows from each value of an expression.
    fn each(&self, expr: &Expr, then: impl Fn(BigInt) -> BTreeSet<Outcome>) -> BTreeSet<Outcome> {
        let follow = |outcome: Outcome| outcome.map_or([None].into(), &then);
        self.eval(expr).into_iter().flat_map(follow).collect()
    }

    fn binary(&self, op: BinaryOp, ty: &Type, a: &BigInt, right: &Expr) -> BTreeSet<Outcome> {
        let as_truth = |b: BigInt| [Some(truth(holds(&b)))].into();
        match (op, holds(a)) {
            (BinaryOp::And, false) => return [Some(truth(false))].into(),
            (BinaryOp::Or, true) | (BinaryOp::Implies, false) => return [Some(truth(true))].into(),
            (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies, _) => {
                return self.each(right, as_truth);
            }
            _ => {}
        }
        self.each(right, |b| {
            if a.bits().max(b.bits()) > MOST_BITS {
                give_up();
                return BTreeSet::new();
            }
            if let Some(outcome) = wrapping::binary(ty, op, a, &b) {
                return [outcome].into();
            }
            let zero = b == BigInt::ZERO;
            [match op {
                BinaryOp::Eq => Some(truth(*a == b)),
                BinaryOp::Ne => Some(truth(*a != b)),
                BinaryOp::Lt => Some(truth(*a < b)),
                BinaryOp::Le => Some(truth(*a <= b)),
                BinaryOp::Gt => Some(truth(*a > b)),
                BinaryOp::Ge => Some(truth(*a >= b)),
                BinaryOp::Add => Some(a + b),
                BinaryOp::Sub => Some(a - b),
                BinaryOp::Mul => Some(a * b),
                BinaryOp::Div => (!zero).then(|| divide(a, &b).0),
                BinaryOp::Mod => (!zero).then(|| divide(a, &b).1),
                _ => unreachable!("done above"),
            }]
            .into()
        })
    }
}

/// Quotient and remainder, which is from 0 to |b| - 1: by looking at the neighbours of the
/// quotient that the library gives.
fn divide(a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    let size = if *b < BigInt::ZERO { -b } else { b.clone() };
    let near: [BigInt; 3] = [-1, 0, 1].map(|d| a / b + BigInt::from(d));
    let ways = near.map(|quotient| (quotient.clone(), a - b * quotient));
    let right =
        |(_, remainder): &(BigInt, BigInt)| (BigInt::ZERO..size.clone()).contains(remainder);
    ways.into_iter().find(right).expect("one of the neighbours")
}

pub fn truth(b: bool) -> BigInt {
    BigInt::from(b)
}

pub fn holds(value: &BigInt) -> bool {
    *value != BigInt::ZERO
}
