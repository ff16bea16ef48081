//! # Expressions
//! Evaluation over the values of one configuration, with free choices made by [`Choices`]. A
//! variable that holds *any* value gets one when it is first read, and keeps it.

use num_bigint::BigInt;
use selvedge_model::{FairChoice, FairPlace, Fault};

use super::Lowering;
use super::choices::Choices;
use super::layout::Layout;
use crate::{
    BinaryOp, Expr, ExprKind, Place, ProcId, Program, Source, Span, Type, UnaryOp, Value, VarRef,
    Variable,
};

/// Why an evaluation or a step has no outcome.
pub(super) enum Halt {
    /// The step cannot happen now, or not with these choices.
    Blocked,
    /// The program goes wrong.
    Wrong(String),
    /// Selvedge cannot follow.
    Fault(Fault),
}

/// More possibilities than this for one choice are not tried one by one.
pub(super) const MOST_CHOICES: usize = 1 << 16;

/// Integers with more bits are not computed with: repeated squaring would fill the memory.
const MOST_BITS: u64 = 1 << 16;

/// The values that an expression is evaluated over.
#[derive(Clone)]
pub(super) struct Values {
    pub globals: Vec<Value>,
    pub locals: Vec<Value>,
}

/// The place of one scalar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Slot {
    /// Of a shared variable.
    Global(usize),
    /// Of a local variable of a procedure.
    Local(usize),
    /// Of a result that is on its way to the caller.
    Result(usize),
}

impl Slot {
    fn of(var: VarRef, slot: usize) -> Slot {
        match var {
            VarRef::Global(_) => Slot::Global(slot),
            VarRef::Local(_) => Slot::Local(slot),
        }
    }
}

impl Values {
    fn slot(&mut self, var: VarRef, slot: usize) -> &mut Value {
        match var {
            VarRef::Global(_) => &mut self.globals[slot],
            VarRef::Local(_) => &mut self.locals[slot],
        }
    }
}

/// Evaluates in one procedure.
pub(super) struct Evaluator<'a> {
    pub program: &'a Program,
    pub source: &'a Source,
    pub layout: &'a Layout,
    pub proc: ProcId,
    pub values: Values,
    /// While the condition of `constrain` is evaluated: the values after the assignment, and the
    /// slots that it set. Other slots are the same before and after.
    pub after: Option<(Values, Vec<(bool, usize)>)>,
    pub choices: &'a mut Choices,
    /// For the arguments of a thread: the number of the instance.
    pub instance: Option<u32>,
    /// How many values a lock has.
    pub lock_values: usize,
    /// The slots that were open when they were read, and the values that were chosen for them.
    pub settled: Vec<(Slot, Value)>,
    /// The slots that were set to an open value.
    pub opened: Vec<Slot>,
    /// The fair choices that were made, in the order in which they were made.
    pub fair: Vec<FairChoice>,
}

impl<'a> Evaluator<'a> {
    /// Evaluates in a procedure, over these values.
    pub fn new(
        lowering: &'a Lowering,
        proc: ProcId,
        values: Values,
        choices: &'a mut Choices,
    ) -> Self {
        Evaluator {
            program: &lowering.program,
            source: &lowering.source,
            layout: &lowering.layout,
            proc,
            values,
            after: None,
            choices,
            instance: None,
            lock_values: lowering.lock_values(),
            settled: Vec::new(),
            opened: Vec::new(),
            fair: Vec::new(),
        }
    }
}

impl Evaluator<'_> {
    pub fn truth(&mut self, expr: &Expr) -> Result<bool, Halt> {
        Ok(self.eval(expr)?.is_true())
    }

    pub fn eval(&mut self, expr: &Expr) -> Result<Value, Halt> {
        match &expr.kind {
            ExprKind::Const(Value::Open) | ExprKind::Any => self.choose(&expr.ty, expr.span, None),
            ExprKind::Fair => {
                let outcome = self.choices.pick(2) == 1;
                let place = FairPlace(expr.span.start);
                self.fair.push(FairChoice { place, outcome });
                Ok(outcome.into())
            }
            ExprKind::Const(value) => Ok(value.clone()),
            ExprKind::Read(place) => self.read(place, false),
            ExprKind::Primed(place) => self.read(place, true),
            ExprKind::Unary(UnaryOp::Not, operand) => Ok((!self.truth(operand)?).into()),
            ExprKind::Unary(UnaryOp::Neg, operand) => Ok(negate(&self.eval(operand)?)),
            ExprKind::Binary(op, left, right) => {
                self.binary(*op, left, right).map_err(|halt| self.at(expr.span, halt))
            }
            ExprKind::IfThenElse(cond, then, otherwise) => {
                if self.truth(cond)? {
                    self.eval(then)
                } else {
                    self.eval(otherwise)
                }
            }
            ExprKind::OneOf(options) => {
                let pick = self.choices.pick(options.len().max(1));
                options.get(pick).map_or(Err(Halt::Blocked), |option| self.eval(option))
            }
            ExprKind::Between(low, high) => {
                let (low, high) = (self.eval(low)?, self.eval(high)?);
                let (Some(low), Some(high)) = (low.to_big(), high.to_big()) else {
                    return Err(Halt::Blocked);
                };
                if low > high {
                    let message = format!("there is no integer from {low} to {high} to choose");
                    return Err(Halt::Wrong(message));
                }
                self.choose(&Type::Range { lo: low, hi: high }, expr.span, None)
            }
            ExprKind::Schoose(positive, negative) => {
                if self.truth(positive)? {
                    Ok(Value::TRUE)
                } else if self.truth(negative)? {
                    Ok(Value::FALSE)
                } else {
                    Ok(Value::from(self.choices.pick(2) == 1))
                }
            }
            ExprKind::Instance if self.instance.is_some() => {
                Ok(Value::Small(self.instance.map_or(0, i64::from)))
            }
            ExprKind::Instance
            | ExprKind::Quantified { .. }
            | ExprKind::LocalOf { .. }
            | ExprKind::At { .. } => {
                Err(self.fault(expr.span, "this expression has a meaning only in declarations"))
            }
        }
    }

    /// The value to be stored where a type is: a plain `*` of that type stays open until it is
    /// read.
    pub fn eval_for_store(&mut self, expr: &Expr, ty: &Type) -> Result<Value, Halt> {
        match &expr.kind {
            ExprKind::Any | ExprKind::Const(Value::Open) if expr.ty == *ty => Ok(Value::Open),
            _ => self.eval(expr),
        }
    }

    /// Chooses what is open in a variable.
    pub fn settle_variable(&mut self, var: VarRef, span: Span) -> Result<(), Halt> {
        let Variable { ty, name, .. } = self.program.variable(self.proc, var);
        let first = self.layout.first_slot(self.proc, var);
        for slot in first..first + ty.slots() {
            if *self.values.slot(var, slot) == Value::Open {
                *self.values.slot(var, slot) = self.choose(ty.scalar(), span, Some(name))?;
            }
        }
        Ok(())
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Result<Value, Halt> {
        // The right operand of these is evaluated only if it matters.
        match op {
            BinaryOp::And => return Ok((self.truth(left)? && self.truth(right)?).into()),
            BinaryOp::Or => return Ok((self.truth(left)? || self.truth(right)?).into()),
            BinaryOp::Implies => return Ok((!self.truth(left)? || self.truth(right)?).into()),
            _ => {}
        }
        let (left, right) = (self.eval(left)?, self.eval(right)?);
        match op {
            BinaryOp::Eq => return Ok((left == right).into()),
            BinaryOp::Ne => return Ok((left != right).into()),
            _ => {}
        }
        arithmetic(op, &left, &right)
    }

    /// The value of a place, before the assignment or (primed) after it.
    pub fn read(&mut self, place: &Place, primed: bool) -> Result<Value, Halt> {
        let slot = self.slot(place)?;
        self.read_slot(place, slot, primed)
    }

    /// The value of a place whose slot is known.
    pub fn read_slot(&mut self, place: &Place, slot: usize, primed: bool) -> Result<Value, Halt> {
        let value = match &mut self.after {
            Some((after, _)) if primed => after.slot(place.var, slot).clone(),
            _ => self.values.slot(place.var, slot).clone(),
        };
        if value != Value::Open {
            return Ok(value);
        }
        let program = self.program;
        let name = &program.variable(self.proc, place.var).name;
        let value = self.choose(&place.ty, place.span, Some(name))?;
        self.settle(place.var, slot, primed, &value);
        Ok(value)
    }

    /// Keeps the value that was chosen for an open variable, before and after an assignment
    /// unless the assignment set the variable.
    fn settle(&mut self, var: VarRef, slot: usize, primed: bool, value: &Value) {
        let shared = matches!(var, VarRef::Global(_));
        let Some((after, set)) = &mut self.after else {
            *self.values.slot(var, slot) = value.clone();
            self.settled.push((Slot::of(var, slot), value.clone()));
            return;
        };
        let was_set = set.contains(&(shared, slot));
        if primed || !was_set {
            *after.slot(var, slot) = value.clone();
        }
        if !primed || !was_set {
            *self.values.slot(var, slot) = value.clone();
            self.settled.push((Slot::of(var, slot), value.clone()));
        }
    }

    pub fn write(&mut self, place: &Place, slot: usize, value: Value) -> Result<(), Halt> {
        fits(&place.ty, &value, || self.describe(place)).map_err(Halt::Wrong)?;
        if value == Value::Open {
            self.opened.push(Slot::of(place.var, slot));
        }
        *self.values.slot(place.var, slot) = value;
        Ok(())
    }

    /// The slot of a place.
    pub fn slot(&mut self, place: &Place) -> Result<usize, Halt> {
        let mut slot = 0;
        let mut ty = &self.program.variable(self.proc, place.var).ty;
        for index in &place.indices {
            let Type::Array { element, length } = ty else { break };
            let value = self.eval(index)?;
            let Some(at) = value.small().filter(|n| (0..i64::from(*length)).contains(n)) else {
                return Err(Halt::Wrong(format!(
                    "index {value} is outside of {}, which has {length} elements",
                    self.describe(place)
                )));
            };
            slot += usize::try_from(at).unwrap_or(0) * element.slots();
            ty = element;
        }
        Ok(self.layout.first_slot(self.proc, place.var) + slot)
    }

    fn describe(&self, place: &Place) -> String {
        format!("`{}`", self.program.variable(self.proc, place.var).name)
    }

    /// One of the values of a type.
    pub fn choose(&mut self, ty: &Type, span: Span, name: Option<&str>) -> Result<Value, Halt> {
        let first = match ty {
            Type::Range { lo, .. } => lo.clone(),
            _ => BigInt::ZERO,
        };
        let count = match ty {
            Type::Bool => 2,
            Type::Enum(id) => self.program.enums[id.index()].enumerators.len(),
            Type::Range { lo, hi } => usize::try_from(hi - lo + 1u32).unwrap_or(usize::MAX),
            Type::Int => usize::MAX,
            Type::Lock => self.lock_values,
            Type::ThreadId | Type::Array { .. } => 1,
        };
        if count > MOST_CHOICES {
            let what = name.map_or("this choice".to_owned(), |name| format!("`{name}`"));
            let message = if *ty == Type::Int {
                format!(
                    "{what} may be any integer here: give it a value before it is read, or choose \
                     from a range, as in {{0 .. 9}}"
                )
            } else {
                format!("{what} has more than {MOST_CHOICES} possible values: use a smaller range")
            };
            return Err(self.fault(span, message));
        }
        Ok(Value::from_big(first + self.choices.pick(count.max(1))))
    }

    /// A fault gets its place where it has none.
    pub fn at(&self, span: Span, halt: Halt) -> Halt {
        match halt {
            Halt::Fault(Fault { message, line: None }) => self.fault(span, message),
            other => other,
        }
    }

    pub fn fault(&self, span: Span, message: impl Into<String>) -> Halt {
        let line = Some(self.source.line(span.start));
        Halt::Fault(Fault { message: message.into(), line })
    }
}

fn negate(value: &Value) -> Value {
    match value.small().and_then(i64::checked_neg) {
        Some(n) => Value::Small(n),
        None => value.to_big().map_or(Value::Open, |n| Value::from_big(-n)),
    }
}

/// Whether a value may be stored where this type is; says why not.
pub(super) fn fits(ty: &Type, value: &Value, what: impl Fn() -> String) -> Result<(), String> {
    let Type::Range { lo, hi } = ty else { return Ok(()) };
    match value.to_big() {
        Some(n) if n < *lo || n > *hi => {
            Err(format!("{n} does not fit {}, which is int[{lo}..{hi}]", what()))
        }
        _ => Ok(()),
    }
}

/// A number from two numbers; goes wrong for a division by zero. A number that is too large is a
/// fault, without its place.
pub(super) fn arithmetic(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, Halt> {
    if let (Value::Small(a), Value::Small(b)) = (left, right)
        && let Some(value) = small(op, *a, *b)
    {
        return Ok(value);
    }
    let (Some(a), Some(b)) = (left.to_big(), right.to_big()) else { return Err(Halt::Blocked) };
    // A product has as many bits as its factors together: it need not be computed to be refused.
    let bits = if op == BinaryOp::Mul { a.bits() + b.bits() } else { a.bits().max(b.bits()) };
    if bits > MOST_BITS {
        let message = format!(
            "a number has more than {MOST_BITS} bits here: bound the variables, as in `int[0..9] x`"
        );
        return Err(Halt::Fault(Fault { message, line: None }));
    }
    big(op, &a, &b).ok_or_else(|| Halt::Wrong("division by zero".to_owned()))
}

/// Arithmetic and comparison where nothing overflows.
fn small(op: BinaryOp, a: i64, b: i64) -> Option<Value> {
    match op {
        BinaryOp::Lt => Some((a < b).into()),
        BinaryOp::Le => Some((a <= b).into()),
        BinaryOp::Gt => Some((a > b).into()),
        BinaryOp::Ge => Some((a >= b).into()),
        BinaryOp::Add => a.checked_add(b).map(Value::Small),
        BinaryOp::Sub => a.checked_sub(b).map(Value::Small),
        BinaryOp::Mul => a.checked_mul(b).map(Value::Small),
        BinaryOp::Div => a.checked_div_euclid(b).map(Value::Small),
        BinaryOp::Mod => a.checked_rem_euclid(b).map(Value::Small),
        _ => None,
    }
}

/// The same for numbers of any size; `None` is a division by zero.
fn big(op: BinaryOp, a: &BigInt, b: &BigInt) -> Option<Value> {
    Some(match op {
        BinaryOp::Lt => (a < b).into(),
        BinaryOp::Le => (a <= b).into(),
        BinaryOp::Gt => (a > b).into(),
        BinaryOp::Ge => (a >= b).into(),
        BinaryOp::Add => Value::from_big(a + b),
        BinaryOp::Sub => Value::from_big(a - b),
        BinaryOp::Mul => Value::from_big(a * b),
        BinaryOp::Div | BinaryOp::Mod => {
            if *b == BigInt::ZERO {
                return None;
            }
            // Division of big integers truncates; the remainder is to be not negative.
            let (mut quotient, mut remainder) = (a / b, a % b);
            if remainder < BigInt::ZERO {
                let up = *b > BigInt::ZERO;
                quotient += if up { -1 } else { 1 };
                remainder += if up { b.clone() } else { -b };
            }
            Value::from_big(if op == BinaryOp::Div { quotient } else { remainder })
        }
        _ => Value::Open,
    })
}
