//! The untyped tree in a few words, with all parentheses: for comparing trees in tests.

use selvedge_program::{BinaryOp, UnaryOp};

use crate::syntax::{
    Cond, Effect, EffectKind, Expr, ExprKind, File, Init, Item, Name, PlaceExpr, Stmt, StmtKind,
    VarDecl,
};

/// A whole file, one line for each declaration and statement.
pub(super) fn file(file: &File) -> String {
    let mut text = String::new();
    for item in &file.items {
        match item {
            Item::Global(variable) => text += &format!("shared {}\n", declared(variable)),
            Item::Proc(proc) => {
                let params: Vec<String> = proc.params.iter().map(declared).collect();
                let (name, params) = (&proc.name.text, params.join(", "));
                text += &format!("{} <- {name}({params})\n", proc.results.len());
                block(&proc.body, 1, &mut text);
            }
            other => text += &format!("unexpected {other:?}\n"),
        }
    }
    text
}

fn declared(variable: &VarDecl) -> String {
    match &variable.init {
        None => variable.name.text.clone(),
        Some(Init::Expr(value)) => format!("{} := {}", variable.name.text, expr(value)),
        Some(Init::Effect(value)) => format!("{} := {}", variable.name.text, effect(value)),
    }
}

fn block(body: &[Stmt], indent: usize, text: &mut String) {
    for statement in body {
        *text += &"  ".repeat(indent);
        for label in &statement.labels {
            *text += &format!("{}: ", label.text);
        }
        *text += &line(&statement.kind);
        *text += "\n";
        match &statement.kind {
            StmtKind::If { then, otherwise, .. } => {
                block(then, indent + 1, text);
                if !otherwise.is_empty() {
                    *text += &format!("{}else\n", "  ".repeat(indent));
                    block(otherwise, indent + 1, text);
                }
            }
            StmtKind::While { body, .. } | StmtKind::Block(body) => block(body, indent + 1, text),
            _ => {}
        }
    }
}

fn line(kind: &StmtKind) -> String {
    match kind {
        StmtKind::Local(variable) => format!("local {}", declared(variable)),
        StmtKind::Assign { targets, values, constrain } => {
            let constrain = constrain.as_ref().map(|c| format!(" constrain {}", expr(c)));
            let constrain = constrain.unwrap_or_default();
            format!("{} := {}{constrain}", places(targets), exprs(values))
        }
        StmtKind::Effect { targets, effect: right } if targets.is_empty() => effect(right),
        StmtKind::Effect { targets, effect: right } => {
            format!("{} := {}", places(targets), effect(right))
        }
        StmtKind::Havoc(targets) => format!("havoc {}", places(targets)),
        StmtKind::Assume(e) => format!("assume {}", expr(e)),
        StmtKind::Assert(e, _) => format!("assert {}", expr(e)),
        StmtKind::If { cond: Cond::Expr(e), .. } => format!("if {}", expr(e)),
        StmtKind::While { cond: Cond::Expr(e), .. } => format!("while {}", expr(e)),
        StmtKind::Goto(labels) => {
            let labels: Vec<&str> = labels.iter().map(|l| l.text.as_str()).collect();
            format!("goto {}", labels.join(", "))
        }
        StmtKind::Return(values) => format!("return {}", exprs(values)).trim_end().to_owned(),
        StmtKind::StartThread(Name { text, .. }) => format!("start thread at {text}"),
        StmtKind::Block(_) => "block".to_owned(),
        StmtKind::Skip
        | StmtKind::Empty
        | StmtKind::EndThread
        | StmtKind::AtomicBegin
        | StmtKind::AtomicEnd => format!("{kind:?}"),
        other => format!("unexpected {other:?}"),
    }
}

fn effect(effect: &Effect) -> String {
    match &effect.kind {
        EffectKind::Call(name, args) => format!("{}({})", name.text, exprs(args)),
        EffectKind::Async(name, args) => format!("async {}({})", name.text, exprs(args)),
        other => format!("unexpected {other:?}"),
    }
}

fn places(places: &[PlaceExpr]) -> String {
    let names: Vec<&str> = places.iter().map(|p| p.name.text.as_str()).collect();
    names.join(", ")
}

fn exprs(list: &[Expr]) -> String {
    list.iter().map(expr).collect::<Vec<_>>().join(", ")
}

/// An expression with all parentheses.
pub(super) fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Bool(value) => u8::from(*value).to_string(),
        ExprKind::Place(place) => place.name.text.clone(),
        ExprKind::Primed(place) => format!("'{}", place.name.text),
        ExprKind::Any => "*".to_owned(),
        ExprKind::Fair => "fair *".to_owned(),
        ExprKind::Schoose(p, n) => format!("schoose[{}, {}]", expr(p), expr(n)),
        ExprKind::Call(name, args) => {
            let args: Vec<String> = args.iter().map(expr).collect();
            format!("{}({})", name.text, args.join(", "))
        }
        ExprKind::Unary(UnaryOp::Not, a) => format!("!{}", expr(a)),
        ExprKind::Binary(op, a, b) => {
            let sign = match op {
                BinaryOp::And => "&",
                BinaryOp::Or => "|",
                BinaryOp::Implies => "=>",
                BinaryOp::Eq => "=",
                BinaryOp::Ne => "!=",
                other => return format!("unexpected {other:?}"),
            };
            format!("({} {sign} {})", expr(a), expr(b))
        }
        ExprKind::IfThenElse(c, a, b) => format!("({} ? {} : {})", expr(c), expr(a), expr(b)),
        other => format!("unexpected {other:?}"),
    }
}
