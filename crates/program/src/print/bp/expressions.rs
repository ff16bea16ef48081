//! # Expressions
//! With parentheses wherever two different operators meet: nobody has to know which binds tighter.

use super::NotBoolean;
use super::names::Names;
use crate::{BinaryOp, Expr, ExprKind, Place, ProcId, Type, UnaryOp, Value};

/// Prints expressions of one procedure.
#[derive(Clone, Copy)]
pub(super) struct Expressions<'p> {
    /// All names.
    pub(super) names: &'p Names,
    /// The procedure.
    pub(super) proc: ProcId,
}

/// An argument of a thread: it mentions no variable.
pub(super) fn constant(e: &Expr) -> Result<String, NotBoolean> {
    let mut text = String::new();
    write(e, &mut text, &|_| None)?;
    Ok(text)
}

impl<'p> Expressions<'p> {
    /// An expression as text.
    pub(super) fn expr(self, e: &Expr) -> Result<String, NotBoolean> {
        let mut text = String::new();
        write(e, &mut text, &|place| Some(self.names.variable(self.proc, place.var)))?;
        Ok(text)
    }

    /// An expression that stands beside an operator.
    pub(super) fn operand(self, e: &Expr) -> Result<String, NotBoolean> {
        let mut text = String::new();
        operand(e, None, &mut text, &|place| Some(self.names.variable(self.proc, place.var)))?;
        Ok(text)
    }

    /// Expressions as text, with commas.
    pub(super) fn exprs(self, list: &[Expr]) -> Result<String, NotBoolean> {
        let all = list.iter().map(|e| self.expr(e)).collect::<Result<Vec<_>, _>>()?;
        Ok(all.join(", "))
    }

    /// The name of a variable.
    pub(super) fn place(self, place: &Place) -> &'p str {
        self.names.variable(self.proc, place.var)
    }

    /// Names of variables, with commas.
    pub(super) fn places(self, list: &[Place]) -> String {
        list.iter().map(|p| self.place(p)).collect::<Vec<_>>().join(", ")
    }
}

/// How the variable at a place is called.
type NameOf<'n> = &'n dyn Fn(&Place) -> Option<&'n str>;

fn write(e: &Expr, text: &mut String, name: NameOf<'_>) -> Result<(), NotBoolean> {
    let refuse = |what: &str| Err(NotBoolean::new(e.span, what));
    if !matches!(e.ty, Type::Bool | Type::Lock) {
        return refuse("an expression whose value is not a truth value");
    }
    match &e.kind {
        ExprKind::Const(value) => match value {
            Value::Open => text.push('*'),
            value if value.is_true() => text.push('1'),
            _ => text.push('0'),
        },
        ExprKind::Any | ExprKind::Fair => text.push('*'),
        ExprKind::Read(place) => match name(place) {
            Some(name) => text.push_str(name),
            None => return refuse("a variable in the arguments of a thread"),
        },
        ExprKind::Primed(place) => match name(place) {
            Some(name) => *text += &format!("'{name}"),
            None => return refuse("a variable in the arguments of a thread"),
        },
        ExprKind::Unary(UnaryOp::Not, a) => {
            text.push('!');
            operand(a, None, text, name)?;
        }
        ExprKind::Unary(..) => return refuse("arithmetic"),
        ExprKind::Binary(op, a, b) => {
            let Some(sign) = sign(*op) else {
                return refuse("arithmetic, or a comparison of numbers");
            };
            operand(a, Some(*op), text, name)?;
            *text += &format!(" {sign} ");
            operand(b, Some(*op), text, name)?;
        }
        ExprKind::IfThenElse(c, a, b) => {
            operand(c, None, text, name)?;
            text.push_str(" ? ");
            operand(a, None, text, name)?;
            text.push_str(" : ");
            operand(b, None, text, name)?;
        }
        ExprKind::OneOf(list) => {
            for (index, one) in list.iter().enumerate() {
                if index + 1 < list.len() {
                    text.push_str("* ? ");
                    operand(one, None, text, name)?;
                    text.push_str(" : ");
                } else {
                    operand(one, None, text, name)?;
                }
            }
        }
        ExprKind::Schoose(p, n) => {
            text.push_str("schoose[");
            write(p, text, name)?;
            text.push_str(", ");
            write(n, text, name)?;
            text.push(']');
        }
        ExprKind::Between(..) => return refuse("a choice among numbers"),
        ExprKind::Instance => return refuse("the number of a thread"),
        ExprKind::Quantified { .. } | ExprKind::LocalOf { .. } | ExprKind::At { .. } => {
            return refuse("a statement about all threads");
        }
    }
    Ok(())
}

/// An operand, in parentheses if it has operands itself; a chain of one operator needs none.
fn operand(
    e: &Expr,
    around: Option<BinaryOp>,
    text: &mut String,
    name: NameOf<'_>,
) -> Result<(), NotBoolean> {
    let needs_none = match &e.kind {
        ExprKind::Binary(op, ..) => {
            around == Some(*op) && matches!(op, BinaryOp::And | BinaryOp::Or)
        }
        ExprKind::IfThenElse(..) => false,
        ExprKind::OneOf(list) => list.len() < 2,
        _ => true,
    };
    if needs_none {
        return write(e, text, name);
    }
    text.push('(');
    write(e, text, name)?;
    text.push(')');
    Ok(())
}

fn sign(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Implies => "=>",
        BinaryOp::Eq => "=",
        BinaryOp::Ne => "!=",
        _ => return None,
    })
}
