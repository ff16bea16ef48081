//! # Operators
//! One table: how each operator is written, how tightly it binds, which operands it takes, and what it is in the
//! core. Parsers, checkers, printers and transforms ask here, so that an operator is a row.

use selvedge_core::Binary;

/// An operator with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// Negation of a truth value.
    Not,
    /// Negation of a number; wraps around where the type is a machine integer.
    Neg,
    /// `~`: all bits of a machine integer changed.
    BitNot,
    /// `u8(e)`, `int(e)`: the number of the type of the expression that agrees in its last bits.
    Convert,
}

/// An operator with two operands. Results of a machine type wrap around.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// Both; the right operand is not evaluated if the left is false.
    And,
    /// One or both; the right operand is not evaluated if the left is true.
    Or,
    /// If the left then the right.
    Implies,
    /// Equal, for any type.
    Eq,
    /// Different, for any type.
    Ne,
    /// Less.
    Lt,
    /// At most.
    Le,
    /// Greater.
    Gt,
    /// At least.
    Ge,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient, such that the remainder is not negative. Goes wrong for 0.
    Div,
    /// Remainder, never negative. Goes wrong for 0.
    Mod,
    /// The bits that both have.
    BitAnd,
    /// The bits that one of them has, or both.
    BitOr,
    /// The bits in which they differ.
    BitXor,
    /// Shifts to the left; the result is 0 for as many bits as there are, or more. Goes wrong for a negative number.
    ShiftLeft,
    /// Shifts to the right; the sign stays. Goes wrong for a negative number.
    ShiftRight,
}

/// How tightly operators bind, the loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// `c ? a : b`
    Choice,
    /// `==>`
    Implies,
    /// `||`, `|` and `^`
    Or,
    /// `&&` and `&`
    And,
    /// `==` and `<`
    Compare,
    /// `<<`
    Shift,
    /// `+`
    Sum,
    /// `*`
    Product,
    /// `!`, `-` and `~`
    Unary,
    /// Operands that need no parentheses anywhere.
    Tightest,
}

impl Level {
    const ALL: [Level; 10] = [
        Level::Choice,
        Level::Implies,
        Level::Or,
        Level::And,
        Level::Compare,
        Level::Shift,
        Level::Sum,
        Level::Product,
        Level::Unary,
        Level::Tightest,
    ];

    /// The next tighter level.
    #[must_use]
    pub fn tighter(self) -> Level {
        Level::ALL.into_iter().find(|level| *level > self).unwrap_or(Level::Tightest)
    }
}

/// Which operands an operator takes, and what it gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// Truth values; gives a truth value. The right one is evaluated only where it matters.
    Truths,
    /// Values of one type, whichever; gives a truth value.
    Alike,
    /// Integers of one type; gives a truth value.
    Ordered,
    /// Integers of one type; gives one of that type.
    Numbers,
    /// Machine integers of one type; gives one of that type.
    Bits,
    /// A machine integer and any integer; gives one of the type of the first.
    BitsAndNumber,
}

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operator {
    /// The sign in `.weave`.
    pub sign: &'static str,
    /// Its precedence.
    pub level: Level,
    /// The types of its operands.
    pub takes: Takes,
    /// Whether `(a op b) op c` and `a op (b op c)` are the same.
    pub is_associative: bool,
    /// How the right operand must compare with 0 for the operation not to go wrong.
    pub needs: Option<BinaryOp>,
    /// The operation of the core that it is, if it is a single one.
    pub core: Option<Binary>,
}

impl BinaryOp {
    /// All that is to know of the operator.
    #[must_use]
    pub fn operator(self) -> Operator {
        use {BinaryOp as Op, Level as L, Takes as T};
        let (sign, level, takes, core) = match self {
            Op::And => ("&&", L::And, T::Truths, None),
            Op::Or => ("||", L::Or, T::Truths, None),
            Op::Implies => ("==>", L::Implies, T::Truths, None),
            Op::Eq => ("==", L::Compare, T::Alike, Some(Binary::Eq)),
            Op::Ne => ("!=", L::Compare, T::Alike, None),
            Op::Lt => ("<", L::Compare, T::Ordered, Some(Binary::Lt)),
            Op::Le => ("<=", L::Compare, T::Ordered, Some(Binary::Le)),
            Op::Gt => (">", L::Compare, T::Ordered, Some(Binary::Gt)),
            Op::Ge => (">=", L::Compare, T::Ordered, Some(Binary::Ge)),
            Op::Add => ("+", L::Sum, T::Numbers, Some(Binary::Add)),
            Op::Sub => ("-", L::Sum, T::Numbers, Some(Binary::Sub)),
            Op::Mul => ("*", L::Product, T::Numbers, Some(Binary::Mul)),
            Op::Div => ("/", L::Product, T::Numbers, Some(Binary::Div)),
            Op::Mod => ("%", L::Product, T::Numbers, Some(Binary::Mod)),
            Op::BitAnd => ("&", L::And, T::Bits, Some(Binary::BitAnd)),
            Op::BitOr => ("|", L::Or, T::Bits, Some(Binary::BitOr)),
            Op::BitXor => ("^", L::Or, T::Bits, Some(Binary::BitXor)),
            Op::ShiftLeft => ("<<", L::Shift, T::BitsAndNumber, Some(Binary::ShiftLeft)),
            Op::ShiftRight => (">>", L::Shift, T::BitsAndNumber, Some(Binary::ShiftRight)),
        };
        let is_associative =
            matches!(self, Op::And | Op::Or | Op::Add | Op::Mul) || takes == T::Bits;
        let needs = match self {
            Op::Div | Op::Mod => Some(Op::Ne),
            Op::ShiftLeft | Op::ShiftRight => Some(Op::Ge),
            _ => None,
        };
        Operator { sign, level, takes, is_associative, needs, core }
    }

    /// The operator that `&`, `|` and `^` stand for between truth values.
    #[must_use]
    pub fn of_truths(self) -> Option<BinaryOp> {
        match self {
            BinaryOp::BitAnd => Some(BinaryOp::And),
            BinaryOp::BitOr => Some(BinaryOp::Or),
            BinaryOp::BitXor => Some(BinaryOp::Ne),
            _ => None,
        }
    }

    /// The value of the left operand that makes the right one not matter.
    #[must_use]
    pub fn decided_by(self) -> Option<bool> {
        match self {
            BinaryOp::And | BinaryOp::Implies => Some(false),
            BinaryOp::Or => Some(true),
            _ => None,
        }
    }

    /// The number of operands, from the left, that have the type of the result, if that is a number.
    #[must_use]
    pub fn operands_of_its_type(self) -> usize {
        match self.operator().takes {
            Takes::Truths | Takes::Alike | Takes::Ordered => 0,
            Takes::BitsAndNumber => 1,
            Takes::Numbers | Takes::Bits => 2,
        }
    }
}

impl UnaryOp {
    /// The sign before its operand; a conversion is written with the name of its type.
    #[must_use]
    pub fn sign(self) -> Option<&'static str> {
        match self {
            UnaryOp::Not => Some("!"),
            UnaryOp::Neg => Some("-"),
            UnaryOp::BitNot => Some("~"),
            UnaryOp::Convert => None,
        }
    }
}
