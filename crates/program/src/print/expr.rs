//! Expressions as text, with as few parentheses as the precedence allows.
//!
//! Signs and precedence are those of the table of operators; what things are called is up to [`Names`].
//! Chains of an associative operator are written flat however their tree is shaped, so that a
//! parser that balances them gives the same text again.

use crate::{
    BinaryOp, Expr, ExprKind, LabelId, Level, LocalId, Place, Quantifier, Type, UnaryOp, Value,
    VarRef,
};

/// The names of things at the place of an expression.
pub(super) trait Names {
    /// The name of a variable.
    fn variable(&self, var: VarRef) -> String;
    /// A value of a type.
    fn constant(&self, ty: &Type, value: &Value) -> String;
    /// The name of a label.
    fn label(&self, label: LabelId) -> String;
    /// The number of a thread among those of its template.
    fn instance(&self) -> String;
}

/// Whether the text of an expression begins with `-`.
fn is_negative(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Unary(op, _) => *op == UnaryOp::Neg,
        ExprKind::Const(Value::Small(n)) => *n < 0,
        ExprKind::Const(Value::Big(n)) => n.sign() == num_bigint::Sign::Minus,
        _ => false,
    }
}

fn level(expr: &Expr) -> Level {
    match &expr.kind {
        ExprKind::IfThenElse(..) => Level::Choice,
        ExprKind::Quantified { quantifier: Quantifier::Count, .. } => Level::Tightest,
        ExprKind::Quantified { .. } => Level::Choice,
        ExprKind::Binary(op, ..) => op.operator().level,
        ExprKind::Unary(UnaryOp::Convert, _) => Level::Tightest,
        ExprKind::Unary(..) => Level::Unary,
        ExprKind::Const(_) if is_negative(expr) => Level::Unary,
        _ => Level::Tightest,
    }
}

/// Whether the text of a machine integer says which type it has. Constants and choices of them do not: they take
/// the type that is asked for.
pub(crate) fn tells_type(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Const(_) => !expr.ty.is_machine(),
        ExprKind::Unary(UnaryOp::Convert, _) => true,
        ExprKind::Unary(_, a) => tells_type(a),
        ExprKind::Binary(op, a, b) => {
            [a, b].into_iter().take(op.operands_of_its_type()).any(|e| tells_type(e))
        }
        ExprKind::Between(a, b) | ExprKind::IfThenElse(_, a, b) => tells_type(a) || tells_type(b),
        ExprKind::OneOf(list) => list.iter().any(tells_type),
        // A free choice cannot be converted: it has to take its type from its place.
        _ => true,
    }
}

/// Prints expressions.
pub(super) struct ExprPrinter<'a> {
    names: &'a dyn Names,
    /// The names of the bound threads, the innermost last.
    binders: Vec<String>,
    out: String,
}

impl<'a> ExprPrinter<'a> {
    /// An expression as text.
    pub fn expr(names: &'a dyn Names, expr: &Expr) -> String {
        let mut printer = ExprPrinter { names, binders: Vec::new(), out: String::new() };
        printer.write(expr);
        printer.out
    }

    /// A variable or an element of an array as text.
    pub fn place(names: &'a dyn Names, place: &Place) -> String {
        let mut printer = ExprPrinter { names, binders: Vec::new(), out: String::new() };
        printer.write_place(place);
        printer.out
    }

    fn write(&mut self, expr: &Expr) {
        self.write_at(expr, Level::Choice);
    }

    /// In parentheses, if the expression does not hold together as tightly as it must.
    fn write_at(&mut self, expr: &Expr, least: Level) {
        if level(expr) < least {
            self.out.push('(');
            self.write_bare(expr);
            self.out.push(')');
        } else {
            self.write_bare(expr);
        }
    }

    fn write_bare(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Const(value) => self.out += &self.names.constant(&expr.ty, value),
            ExprKind::Read(place) => self.write_place(place),
            ExprKind::Primed(place) => {
                self.out.push('\'');
                self.write_place(place);
            }
            ExprKind::Unary(op, operand) => self.write_unary(*op, &expr.ty, operand),
            ExprKind::Binary(op, left, right) => self.write_binary(*op, &expr.ty, left, right),
            ExprKind::IfThenElse(cond, then, otherwise) => {
                self.write_at(cond, Level::Implies);
                self.out += " ? ";
                self.write(then);
                self.out += " : ";
                self.write(otherwise);
            }
            ExprKind::Any => self.out.push('*'),
            ExprKind::Fair => self.out += "fair *",
            ExprKind::OneOf(list) => {
                self.out.push('{');
                self.write_list(list);
                self.out.push('}');
            }
            ExprKind::Between(lo, hi) => {
                self.out.push('{');
                self.write(lo);
                self.out += " .. ";
                self.write(hi);
                self.out.push('}');
            }
            ExprKind::Schoose(positive, negative) => {
                self.out += "schoose[";
                self.write(positive);
                self.out += ", ";
                self.write(negative);
                self.out.push(']');
            }
            ExprKind::Instance => self.out += &self.names.instance(),
            ExprKind::Quantified { quantifier, binder, others_only, body } => {
                self.write_quantified(*quantifier, binder, *others_only, body);
            }
            ExprKind::LocalOf { depth, local } => self.write_local_of(*depth, *local),
            ExprKind::At { depth, label } => {
                if let Some(depth) = depth {
                    self.write_binder(*depth);
                }
                self.out += "at ";
                self.out += &self.names.label(*label);
            }
        }
    }

    fn write_list(&mut self, list: &[Expr]) {
        for (i, expr) in list.iter().enumerate() {
            if i > 0 {
                self.out += ", ";
            }
            self.write(expr);
        }
    }

    fn write_place(&mut self, place: &Place) {
        self.out += &self.names.variable(place.var);
        for index in &place.indices {
            self.out.push('[');
            self.write(index);
            self.out.push(']');
        }
    }

    fn write_unary(&mut self, op: UnaryOp, ty: &Type, operand: &Expr) {
        let Some(sign) = op.sign() else { return self.write_converted(ty, operand) };
        self.out += sign;
        if ty.is_machine() && !tells_type(operand) {
            return self.write_converted(ty, operand);
        }
        // `--x` would be another token.
        let least = match op {
            UnaryOp::Neg if is_negative(operand) => Level::Tightest,
            _ => Level::Unary,
        };
        self.write_at(operand, least);
    }

    /// `u8(e)`
    fn write_converted(&mut self, ty: &Type, operand: &Expr) {
        self.out += &ty.integer_name().unwrap_or_default();
        self.out.push('(');
        self.write(operand);
        self.out.push(')');
    }

    fn write_binary(&mut self, op: BinaryOp, ty: &Type, left: &Expr, right: &Expr) {
        let level = op.operator().level;
        let tighter = level.tighter();
        let mut own = [left, right].into_iter().take(op.operands_of_its_type());
        if ty.is_machine() && !own.any(tells_type) {
            self.write_converted(ty, left);
            self.operator_between(op, false);
            return self.write_at(right, tighter);
        }
        if op.operator().is_associative {
            // The operands of the whole chain, from left to right.
            let mut rest = vec![right, left];
            let mut first = true;
            while let Some(expr) = rest.pop() {
                match &expr.kind {
                    ExprKind::Binary(inner, left, right) if *inner == op => {
                        rest.extend([&**right, &**left]);
                    }
                    _ => {
                        self.operator_between(op, first);
                        self.write_at(expr, if first { level } else { tighter });
                        first = false;
                    }
                }
            }
            return;
        }
        let (left_least, right_least) = match level {
            Level::Implies => (tighter, level),
            Level::Compare => (tighter, tighter),
            _ => (level, tighter),
        };
        self.write_at(left, left_least);
        self.operator_between(op, false);
        self.write_at(right, right_least);
    }

    fn operator_between(&mut self, op: BinaryOp, first: bool) {
        if !first {
            self.out.push(' ');
            self.out += op.operator().sign;
            self.out.push(' ');
        }
    }

    fn write_quantified(&mut self, quantifier: Quantifier, name: &str, others: bool, body: &Expr) {
        // A name that is bound already would hide the outer thread.
        let mut binder = name.to_owned();
        while self.binders.contains(&binder) {
            binder.push('_');
        }
        let (open, colon, close) = match quantifier {
            Quantifier::Forall => ("forall ", ": ", ""),
            Quantifier::Exists => ("exists ", ": ", ""),
            Quantifier::Count => ("#{", " : ", "}"),
        };
        self.out += open;
        self.out += &binder;
        self.out += if others { " != self" } else { "" };
        self.out += colon;
        self.binders.push(binder);
        self.write(body);
        self.binders.pop();
        self.out += close;
    }

    fn write_local_of(&mut self, depth: u32, local: LocalId) {
        self.write_binder(depth);
        self.out += &self.names.variable(VarRef::Local(local));
    }

    /// `i.`
    fn write_binder(&mut self, depth: u32) {
        let binder = self.binders.iter().rev().nth(depth as usize);
        self.out += binder.map_or("?", String::as_str);
        self.out.push('.');
    }
}
