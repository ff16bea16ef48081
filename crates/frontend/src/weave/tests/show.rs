//! Trees as compact text: prefix operators, one statement a line.

use selvedge_program::{Quantifier, Source};

use crate::syntax::{
    Cond, Count, Effect, EffectKind, Entry, Expr, ExprKind, File, Init, Item, Name, PlaceExpr,
    Stmt, StmtKind, TypeExpr, TypeKind, VarDecl,
};

/// The tree of a text without mistakes.
pub fn parsed(text: &str) -> File {
    let source = Source::new("test.weave", text);
    let (file, diagnostics) = crate::weave::parse(&source);
    assert!(diagnostics.is_empty(), "{}", crate::Diagnostics::new(source, diagnostics));
    file
}

fn join<T>(list: &[T], show: impl Fn(&T) -> String) -> String {
    list.iter().map(show).collect::<Vec<_>>().join(", ")
}

fn name(name: &Name) -> String {
    name.text.clone()
}

pub fn file(file: &File) -> String {
    file.items.iter().map(|i| item(i) + "\n").collect()
}

fn item(item: &Item) -> String {
    match item {
        Item::Const(c) => format!("const {} = {}", c.name.text, expr(&c.value)),
        Item::Enum(e) => format!("enum {} {{{}}}", e.name.text, join(&e.enumerators, name)),
        Item::Struct(s) => format!("struct {} {{{}}}", s.name.text, join(&s.members, variable)),
        Item::Global(v) => format!("global {}", variable(v)),
        Item::Proc(p) => {
            let (params, results) = (join(&p.params, variable), join(&p.results, ty));
            format!("proc {}({params}) -> ({results}){}", p.name.text, block(&p.body, 1))
        }
        Item::Thread(t) => {
            let binder = t.binder.as_ref().map_or(String::new(), |b| format!("[{}]", b.text));
            let count = match &t.count {
                None => String::new(),
                Some(Count::Any(_)) => " * any".to_owned(),
                Some(Count::Number(n)) => format!(" * {}", expr(n)),
            };
            let entry = match &t.entry {
                Entry::SameName => String::new(),
                Entry::Call(f, args) => format!(" = {}({})", f.text, join(args, expr)),
                Entry::Body(body) => block(body, 1),
            };
            format!("thread {}{binder}{count}{entry}", t.name.text)
        }
        Item::Predicate(p) => {
            let part = |n: &Option<Name>| n.as_ref().map_or("_".to_owned(), name);
            format!("predicate {} in {}: {}", part(&p.name), part(&p.scope), expr(&p.expr))
        }
    }
}

fn variable(v: &VarDecl) -> String {
    let dims: String = v.dims.iter().map(|d| format!("[{}]", expr(d))).collect();
    let init = match &v.init {
        None => String::new(),
        Some(Init::Expr(e)) => format!(" := {}", expr(e)),
        Some(Init::Effect(e)) => format!(" := {}", effect(e)),
    };
    format!("{}{dims}: {}{init}", v.name.text, ty(&v.ty))
}

fn ty(ty: &TypeExpr) -> String {
    match &ty.kind {
        TypeKind::Bool => "bool".to_owned(),
        TypeKind::Int => "int".to_owned(),
        TypeKind::Range(lo, hi) => format!("{}..{}", expr(lo), expr(hi)),
        TypeKind::Machine(ty) => ty.integer_name().unwrap_or_default(),
        TypeKind::Semaphore(lo, hi) => format!("semaphore[{}..{}]", expr(lo), expr(hi)),
        TypeKind::Lock => "lock".to_owned(),
        TypeKind::ThreadId => "tid".to_owned(),
        TypeKind::Named(n) => n.text.clone(),
        TypeKind::Ref(inner) => format!("ref {}", self::ty(inner)),
        TypeKind::Channel { capacity, message } => {
            let room = capacity.as_ref().map_or(String::new(), |room| format!("[{}]", expr(room)));
            format!("chan{room} {}", self::ty(message))
        }
        TypeKind::Messages(_) => "messages".to_owned(),
    }
}

fn block(body: &[Stmt], depth: usize) -> String {
    body.iter().map(|s| format!("\n{}{}", "  ".repeat(depth), stmt(s, depth))).collect()
}

fn stmt(s: &Stmt, depth: usize) -> String {
    let labels: String = s.labels.iter().map(|l| format!("{}: ", l.text)).collect();
    let inner = |body: &[Stmt]| block(body, depth + 1);
    labels
        + &match &s.kind {
            StmtKind::Block(body) => format!("block{}", inner(body)),
            StmtKind::Local(v) => format!("local {}", variable(v)),
            StmtKind::Together { variables, .. } => format!("local {}", join(variables, variable)),
            StmtKind::Assign { targets, values, constrain } => {
                let constrain = constrain.iter().map(|c| format!(" constrain {}", expr(c)));
                let constrain: String = constrain.collect();
                format!("{} := {}{constrain}", join(targets, place), join(values, expr))
            }
            StmtKind::Effect { targets, effect: e } if targets.is_empty() => effect(e),
            StmtKind::Effect { targets, effect: e } => {
                format!("{} := {}", join(targets, place), effect(e))
            }
            StmtKind::Havoc(places) => format!("havoc {}", join(places, place)),
            StmtKind::Assume(e) => format!("assume {}", expr(e)),
            StmtKind::Wait(e, None) => format!("assume {}", expr(e)),
            StmtKind::Wait(e, Some(m)) => format!("wait {}, {}", expr(e), place(m)),
            StmtKind::Notify(c) => format!("notify {}", place(c)),
            StmtKind::NotifyAll(c) => format!("notify all {}", place(c)),
            StmtKind::Assert(e, None) => format!("assert {}", expr(e)),
            StmtKind::Assert(e, Some(text)) => format!("assert {}, \"{text}\"", expr(e)),
            StmtKind::If { cond: c, then, otherwise } => {
                let mut text = format!("if {}{}", cond(c), inner(then));
                if !otherwise.is_empty() {
                    text += &format!("\n{}else{}", "  ".repeat(depth), inner(otherwise));
                }
                text
            }
            StmtKind::While { cond: c, body } => format!("while {}{}", cond(c), inner(body)),
            StmtKind::Choose(blocks) => {
                let or = format!("\n{}or", "  ".repeat(depth));
                let blocks: Vec<_> = blocks.iter().map(|b| inner(b)).collect();
                format!("either{}", blocks.join(&or))
            }
            StmtKind::Goto(labels) => format!("goto {}", join(labels, name)),
            StmtKind::Return(values) if values.is_empty() => "return".to_owned(),
            StmtKind::Return(values) => format!("return {}", join(values, expr)),
            StmtKind::Atomic(body) => format!("atomic{}", inner(body)),
            StmtKind::Acquire(p) => format!("acquire {}", place(p)),
            StmtKind::Release(p) => format!("release {}", place(p)),
            StmtKind::StartThread(label) => format!("start_thread {}", label.text),
            StmtKind::Join(e) => format!("join {}", expr(e)),
            StmtKind::Skip => "skip".to_owned(),
            StmtKind::Empty => "empty".to_owned(),
            StmtKind::Break => "break".to_owned(),
            StmtKind::Continue => "continue".to_owned(),
            StmtKind::AtomicBegin => "atomic_begin".to_owned(),
            StmtKind::AtomicEnd => "atomic_end".to_owned(),
            StmtKind::EndThread => "end_thread".to_owned(),
        }
}

fn cond(cond: &Cond) -> String {
    match cond {
        Cond::Expr(e) => expr(e),
        Cond::Effect { effect: e, negated } => {
            format!("{}{}", if *negated { "fails " } else { "" }, effect(e))
        }
    }
}

fn effect(e: &Effect) -> String {
    match &e.kind {
        EffectKind::Call(f, args) => format!("call {}({})", f.text, join(args, expr)),
        EffectKind::Async(f, args) => format!("async {}({})", f.text, join(args, expr)),
        EffectKind::TryLock(p) => format!("trylock {}", place(p)),
        EffectKind::CompareAndSwap(p, old, new) => {
            format!("cas {} {} {}", place(p), expr(old), expr(new))
        }
        EffectKind::FetchAndAdd(p, n) => {
            format!("fetch_and_add {} {}", place(p), n.as_ref().map_or("_".to_owned(), |n| expr(n)))
        }
    }
}

fn place(p: &PlaceExpr) -> String {
    let indices = |list: &[Expr]| list.iter().map(|i| format!("[{}]", expr(i))).collect::<String>();
    let members = p.members.iter().map(|m| format!(".{}{}", m.name.text, indices(&m.indices)));
    p.name.text.clone() + &indices(&p.indices) + &members.collect::<String>()
}

pub fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::Int(n) => n.to_string(),
        ExprKind::Place(p) => place(p),
        ExprKind::Primed(p) => format!("'{}", place(p)),
        ExprKind::NoThread => "none".to_owned(),
        ExprKind::Any => "*".to_owned(),
        ExprKind::Fair => "fair *".to_owned(),
        ExprKind::Braces(list) => format!("{{{}}}", join(list, expr)),
        ExprKind::Between(lo, hi) => format!("{{{} .. {}}}", expr(lo), expr(hi)),
        ExprKind::Schoose(p, n) => format!("schoose[{}, {}]", expr(p), expr(n)),
        ExprKind::Call(name, args) => {
            let args: Vec<String> = args.iter().map(expr).collect();
            format!("{}({})", name.text, args.join(", "))
        }
        ExprKind::Unary(op, inner) => {
            format!("({} {})", op.sign().unwrap_or("?"), expr(inner))
        }
        ExprKind::Binary(op, l, r) => format!("({} {} {})", op.operator().sign, expr(l), expr(r)),
        ExprKind::Convert(to, inner) => format!("({} {})", ty(to), expr(inner)),
        ExprKind::IfThenElse(c, a, b) => format!("(? {} {} {})", expr(c), expr(a), expr(b)),
        ExprKind::Quantified { quantifier, binder, others_only, body } => {
            let word = match quantifier {
                Quantifier::Forall => "forall",
                Quantifier::Exists => "exists",
                Quantifier::Count => "count",
            };
            let others = if *others_only { " others" } else { "" };
            format!("({word}{others} {} {})", binder.text, expr(body))
        }
        ExprKind::LocalOf(i, x) => format!("{}.{}", i.text, x.text),
        ExprKind::At(None, label) => format!("at({})", label.text),
        ExprKind::At(Some(i), label) => format!("at({}, {})", i.text, label.text),
    }
}
