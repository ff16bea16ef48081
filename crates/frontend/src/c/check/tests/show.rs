//! Typed C as text: conversions in angle brackets, offsets in bytes, so that a test can say what is meant.

use crate::c::typed::{
    Arithmetic, Callee, Compare, Expr, ExprKind, Function, Lvalue, LvalueKind, Part, Stmt,
    StmtKind, Unary, Unit,
};
use crate::c::types::Type;

/// A function as text, statement by statement.
pub fn function(unit: &Unit, function: &Function) -> String {
    let show = Show { unit, function: Some(function) };
    show.block(function.body.as_deref().unwrap_or_default(), 0)
}

/// What an object holds at first.
pub fn parts(unit: &Unit, parts: &[Part]) -> String {
    Show { unit, function: None }.parts(parts)
}

/// A type in short.
pub fn ty(unit: &Unit, ty: &Type) -> String {
    Show { unit, function: None }.ty(ty)
}

struct Show<'u> {
    unit: &'u Unit,
    function: Option<&'u Function>,
}

impl Show<'_> {
    fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Void => "void".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Int { signed, rank, .. } => {
                let sign = if *signed { "" } else { "u" };
                let word = ["char", "short", "int", "long", "llong", "int128"][usize::from(*rank)];
                format!("{sign}{word}")
            }
            Type::Floating(bytes) => format!("float{bytes}"),
            Type::Pointer(to) => format!("{}*", self.ty(to)),
            Type::Array(element, Some(length)) => format!("{}[{length}]", self.ty(element)),
            Type::Array(element, None) => format!("{}[]", self.ty(element)),
            Type::Record(id) => {
                let name = &self.unit.types.record(*id).name;
                if name.is_empty() { "{}".to_owned() } else { name.clone() }
            }
            Type::Function(signature) => {
                let params: Vec<String> = signature.params.iter().map(|ty| self.ty(ty)).collect();
                format!("{}({})", self.ty(&signature.result), params.join(", "))
            }
            Type::Atomic(of) => format!("atomic {}", self.ty(of)),
            Type::Opaque(opaque) => format!("{opaque:?}"),
        }
    }

    fn parts(&self, parts: &[Part]) -> String {
        let parts: Vec<String> = parts
            .iter()
            .map(|part| format!("{}: {}", part.offset, self.expr(&part.value)))
            .collect();
        format!("{{{}}}", parts.join(", "))
    }

    fn block(&self, statements: &[Stmt], depth: usize) -> String {
        statements.iter().map(|stmt| self.stmt(stmt, depth)).collect()
    }

    fn stmt(&self, stmt: &Stmt, depth: usize) -> String {
        let pad = "  ".repeat(depth);
        let inner = |statements: &[Stmt]| self.block(statements, depth + 1);
        let line = match &stmt.kind {
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::Declare(local, parts) => {
                let local = self.function.and_then(|f| f.locals.get(local.index()));
                let name =
                    local.map_or("?".to_owned(), |l| format!("{} {}", self.ty(&l.ty), l.name));
                match parts {
                    Some(parts) => format!("{name} = {}", self.parts(parts)),
                    None => name,
                }
            }
            StmtKind::Block(statements) => {
                return format!("{pad}{{\n{}{pad}}}\n", inner(statements));
            }
            StmtKind::If(c, a, b) => {
                return format!("{pad}if {}\n{}{pad}else\n{}", self.expr(c), inner(a), inner(b));
            }
            StmtKind::While(c, a) => return format!("{pad}while {}\n{}", self.expr(c), inner(a)),
            StmtKind::DoWhile(a, c) => {
                return format!("{pad}do\n{}{pad}while {}\n", inner(a), self.expr(c));
            }
            StmtKind::For { cond, step, body } => {
                let show = |e: &Option<Expr>| e.as_ref().map(|e| self.expr(e)).unwrap_or_default();
                return format!("{pad}for ; {}; {}\n{}", show(cond), show(step), inner(body));
            }
            StmtKind::Switch(value, body) => {
                return format!("{pad}switch {}\n{}", self.expr(value), inner(body));
            }
            StmtKind::Case(low, high) if low == high => format!("case {low}"),
            StmtKind::Case(low, high) => format!("case {low} to {high}"),
            StmtKind::Default => "default".to_owned(),
            StmtKind::Label(id) => {
                format!("label {}", self.function.map_or("", |f| &f.labels[id.index()]))
            }
            StmtKind::Goto(id) => {
                format!("goto {}", self.function.map_or("", |f| &f.labels[id.index()]))
            }
            StmtKind::Break => "break".to_owned(),
            StmtKind::Continue => "continue".to_owned(),
            StmtKind::Return(None) => "return".to_owned(),
            StmtKind::Return(Some(value)) => format!("return {}", self.expr(value)),
            StmtKind::Asm { is_barrier } => format!("asm {is_barrier}"),
        };
        format!("{pad}{line}\n")
    }

    /// A value as text.
    fn expr(&self, expr: &Expr) -> String {
        let pair =
            |op: &str, a: &Expr, b: &Expr| format!("({} {op} {})", self.expr(a), self.expr(b));
        match &expr.kind {
            ExprKind::Int(value) => match &expr.ty {
                Type::Int { rank: 2, signed: true, .. } => value.to_string(),
                ty => format!("{value}:{}", self.ty(ty)),
            },
            ExprKind::Floating(value) => format!("{value:?}:{}", self.ty(&expr.ty)),
            ExprKind::Load(place) => self.place(place),
            ExprKind::Address(place) => format!("&{}", self.place(place)),
            ExprKind::Function(id) => self.unit.functions[id.index()].name.clone(),
            ExprKind::Unary(Unary::Minus, of) => format!("-{}", self.expr(of)),
            ExprKind::Unary(Unary::Complement, of) => format!("~{}", self.expr(of)),
            ExprKind::Not(of) => format!("!{}", self.expr(of)),
            ExprKind::Arithmetic(op, a, b) => pair(arithmetic(*op), a, b),
            ExprKind::Compare(op, a, b) => pair(compare(*op), a, b),
            ExprKind::Offset(a, b) => pair("+bytes", a, b),
            ExprKind::Difference(a, b, size) => pair(&format!("-by{size}"), a, b),
            ExprKind::And(a, b) => pair("&&", a, b),
            ExprKind::Or(a, b) => pair("||", a, b),
            ExprKind::Conditional(c, a, b) => {
                format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b))
            }
            ExprKind::Elvis(a, b) => pair("?:", a, b),
            ExprKind::Comma(a, b) => pair(",", a, b),
            ExprKind::Assign(place, value) => {
                format!("{} = {}", self.place(place), self.expr(value))
            }
            ExprKind::AssignWith { place, op, value, at, postfix } => {
                let (place, value, at) = (self.place(place), self.expr(value), self.ty(at));
                let old = if *postfix { "old " } else { "" };
                format!("{old}{place} {}={at} {value}", arithmetic(*op))
            }
            ExprKind::Call(callee, args) => {
                let callee = match callee {
                    Callee::Direct(id) => self.unit.functions[id.index()].name.clone(),
                    Callee::Pointer(pointer) => format!("[{}]", self.expr(pointer)),
                    Callee::Builtin(name) => name.clone(),
                };
                let args: Vec<String> = args.iter().map(|arg| self.expr(arg)).collect();
                format!("{callee}({})", args.join(", "))
            }
            ExprKind::Convert(of) => format!("<{}>{}", self.ty(&expr.ty), self.expr(of)),
            ExprKind::Statement(statements, last) => {
                let last = last.as_ref().map(|last| self.expr(last)).unwrap_or_default();
                let block = self.block(statements, 0);
                let lines: Vec<&str> = block.lines().chain([last.as_str()]).collect();
                format!("({{ {} }})", lines.join("; "))
            }
            ExprKind::Unsupported(what) => format!("UNSUPPORTED({what}):{}", self.ty(&expr.ty)),
        }
    }

    fn place(&self, place: &Lvalue) -> String {
        match &place.kind {
            LvalueKind::Local(id) => {
                let local = self.function.and_then(|f| f.locals.get(id.index()));
                local.map_or("?".to_owned(), |local| local.name.clone())
            }
            LvalueKind::Object(id) => self.unit.objects[id.index()].name.clone(),
            LvalueKind::Deref(pointer) => format!("*{}", self.expr(pointer)),
            LvalueKind::Member(base, id, field) => {
                let name = &self.unit.types.record(*id).fields[*field].name;
                format!("{}.{}", self.place(base), if name.is_empty() { "_" } else { name })
            }
            LvalueKind::Element(base, index) => {
                format!("{}[{}]", self.place(base), self.expr(index))
            }
            LvalueKind::Temporary(value) => format!("temporary({})", self.expr(value)),
        }
    }
}

fn arithmetic(op: Arithmetic) -> &'static str {
    match op {
        Arithmetic::Mul => "*",
        Arithmetic::Div => "/",
        Arithmetic::Rem => "%",
        Arithmetic::Add => "+",
        Arithmetic::Sub => "-",
        Arithmetic::ShiftLeft => "<<",
        Arithmetic::ShiftRight => ">>",
        Arithmetic::BitAnd => "&",
        Arithmetic::BitXor => "^",
        Arithmetic::BitOr => "|",
    }
}

fn compare(op: Compare) -> &'static str {
    match op {
        Compare::Lt => "<",
        Compare::Le => "<=",
        Compare::Gt => ">",
        Compare::Ge => ">=",
        Compare::Eq => "==",
        Compare::Ne => "!=",
    }
}
