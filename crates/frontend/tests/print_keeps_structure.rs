//! The printer leaves out parentheses: what is parsed from its text must group as the program
//! did. Every expression of a random program is compared with what the parser makes of its text,
//! both written with prefix operators, chains of an associative operator flat.

use selvedge_frontend::syntax::{self, Cond as ParsedCond, ExprKind as Parsed};
use selvedge_frontend::weave;
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{
    BinaryOp, Cond, Expr, ExprKind, ProcId, Program, Source, Stmt, StmtKind, Type, UnaryOp, print,
};

fn is_associative(op: BinaryOp) -> bool {
    op.operator().is_associative
}

fn binary(
    op: BinaryOp,
    left: (String, Option<BinaryOp>),
    right: (String, Option<BinaryOp>),
) -> String {
    let flat = |(text, inner): (String, Option<BinaryOp>)| match inner {
        Some(inner) if inner == op && is_associative(op) => text,
        Some(inner) => format!("({inner:?} {text})"),
        None => text,
    };
    format!("{} {}", flat(left), flat(right))
}

fn closed((text, op): (String, Option<BinaryOp>)) -> String {
    op.map_or(text.clone(), |op| format!("({op:?} {text})"))
}

fn unary(op: UnaryOp, inner: String) -> String {
    // `-3` is a literal for the parser, whatever it was before.
    match op {
        UnaryOp::Neg if inner != "0" && inner.bytes().all(|b| b.is_ascii_digit()) => {
            format!("-{inner}")
        }
        _ => format!("({op:?} {inner})"),
    }
}

struct Typed<'a> {
    program: &'a Program,
    proc: ProcId,
}

impl Typed<'_> {
    fn expr(&self, expr: &Expr) -> String {
        closed(self.open(expr))
    }

    fn list(&self, list: &[Expr]) -> String {
        list.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn open(&self, expr: &Expr) -> (String, Option<BinaryOp>) {
        let text = match &expr.kind {
            ExprKind::Binary(op, left, right) => {
                return (binary(*op, self.open(left), self.open(right)), Some(*op));
            }
            ExprKind::Unary(UnaryOp::Convert, inner) => {
                format!("{}({})", expr.ty.integer_name().unwrap_or_default(), self.expr(inner))
            }
            ExprKind::Unary(op, inner) => unary(*op, self.expr(inner)),
            ExprKind::Const(value) => self.program.datum(&expr.ty, value).to_string(),
            ExprKind::Read(place) => {
                let name = &self.program.variable(self.proc, place.var).name;
                format!("{name}[{}]", self.list(&place.indices))
            }
            ExprKind::IfThenElse(c, a, b) => {
                format!("(? {} {} {})", self.expr(c), self.expr(a), self.expr(b))
            }
            ExprKind::Any => "*".to_owned(),
            ExprKind::Fair => "fair *".to_owned(),
            ExprKind::OneOf(list) => format!("{{{}}}", self.list(list)),
            ExprKind::Between(lo, hi) => format!("{{{} .. {}}}", self.expr(lo), self.expr(hi)),
            ExprKind::Schoose(p, n) => format!("schoose {} {}", self.expr(p), self.expr(n)),
            other => panic!("not in statements: {other:?}"),
        };
        (text, None)
    }

    fn block(&self, block: &[Stmt], out: &mut Vec<String>) {
        let cond = |cond: &Cond, out: &mut Vec<String>| {
            if let Cond::Expr(e) = cond {
                out.push(self.expr(e));
            }
        };
        for stmt in block {
            match &stmt.kind {
                StmtKind::Assign { values, .. } => out.push(self.list(values)),
                StmtKind::Return(values) => out.push(self.list(values)),
                StmtKind::Assume(e) | StmtKind::Assert(e) => out.push(self.expr(e)),
                StmtKind::Call { args, .. } | StmtKind::Async { args, .. } => {
                    out.push(self.list(args))
                }
                StmtKind::If { cond: c, then, otherwise } => {
                    cond(c, out);
                    self.block(then, out);
                    self.block(otherwise, out);
                }
                StmtKind::While { cond: c, body } => {
                    cond(c, out);
                    self.block(body, out);
                }
                StmtKind::Atomic(body) => self.block(body, out),
                StmtKind::Choose(blocks) => blocks.iter().for_each(|b| self.block(b, out)),
                _ => {}
            }
        }
    }
}

fn parsed_expr(expr: &syntax::Expr) -> String {
    closed(parsed_open(expr))
}

fn parsed_list(list: &[syntax::Expr]) -> String {
    list.iter().map(parsed_expr).collect::<Vec<_>>().join(", ")
}

fn parsed_open(expr: &syntax::Expr) -> (String, Option<BinaryOp>) {
    let text = match &expr.kind {
        Parsed::Binary(op, left, right) => {
            return (binary(*op, parsed_open(left), parsed_open(right)), Some(*op));
        }
        Parsed::Convert(ty, inner) => {
            let ty = ty.kind.machine().unwrap_or(Type::Int);
            format!("{}({})", ty.integer_name().unwrap_or_default(), parsed_expr(inner))
        }
        Parsed::Unary(op, inner) => unary(*op, parsed_expr(inner)),
        Parsed::Bool(b) => b.to_string(),
        Parsed::Int(n) => n.to_string(),
        Parsed::NoThread => "none".to_owned(),
        // An enumerator looks like a variable here.
        Parsed::Place(place) if place.name.text.starts_with('E') => place.name.text.clone(),
        // So does the id of no thread.
        Parsed::Place(place) if place.name.text == "none" => "none".to_owned(),
        Parsed::Place(place) => format!("{}[{}]", place.name.text, parsed_list(&place.indices)),
        Parsed::IfThenElse(c, a, b) => {
            format!("(? {} {} {})", parsed_expr(c), parsed_expr(a), parsed_expr(b))
        }
        Parsed::Any => "*".to_owned(),
        Parsed::Braces(list) => format!("{{{}}}", parsed_list(list)),
        Parsed::Between(lo, hi) => format!("{{{} .. {}}}", parsed_expr(lo), parsed_expr(hi)),
        Parsed::Schoose(p, n) => format!("schoose {} {}", parsed_expr(p), parsed_expr(n)),
        other => panic!("not in statements: {other:?}"),
    };
    (text, None)
}

fn parsed_block(block: &[syntax::Stmt], out: &mut Vec<String>) {
    use syntax::StmtKind;
    let cond = |cond: &ParsedCond, out: &mut Vec<String>| {
        if let ParsedCond::Expr(e) = cond {
            out.push(parsed_expr(e));
        }
    };
    for stmt in block {
        match &stmt.kind {
            StmtKind::Assign { values, .. } => out.push(parsed_list(values)),
            StmtKind::Return(values) => out.push(parsed_list(values)),
            StmtKind::Assume(e) | StmtKind::Assert(e, _) => out.push(parsed_expr(e)),
            StmtKind::Effect { effect, .. } => match &effect.kind {
                syntax::EffectKind::Call(_, args) | syntax::EffectKind::Async(_, args) => {
                    out.push(parsed_list(args));
                }
                _ => {}
            },
            StmtKind::If { cond: c, then, otherwise } => {
                cond(c, out);
                parsed_block(then, out);
                parsed_block(otherwise, out);
            }
            StmtKind::While { cond: c, body } => {
                cond(c, out);
                parsed_block(body, out);
            }
            StmtKind::Atomic(body) => parsed_block(body, out),
            StmtKind::Choose(blocks) => blocks.iter().for_each(|b| parsed_block(b, out)),
            _ => {}
        }
    }
}

#[test]
fn expressions_group_as_before() {
    let shape = Shape { depth: 5, statements: 3, ..Shape::default() };
    let machine = Shape { machine: true, ..shape.clone() };
    let mut compared = 0;
    for (seed, shape) in (0..300).flat_map(|seed| [(seed, &shape), (seed, &machine)]) {
        let mut program = random_program(seed, shape);
        for proc in &mut program.procs {
            // No hiding, so that names are kept.
            proc.locals.iter_mut().for_each(|l| l.name = l.name.replace('g', "l"));
        }
        let (file, diagnostics) = weave::parse(&Source::new("printed", print::weave(&program)));
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let bodies = file.items.iter().filter_map(|item| match item {
            syntax::Item::Proc(proc) => Some(&proc.body),
            _ => None,
        });
        for (id, body) in bodies.enumerate() {
            let (mut before, mut after) = (Vec::new(), Vec::new());
            let proc = ProcId(id as u32);
            Typed { program: &program, proc }.block(&program.procs[id].body, &mut before);
            parsed_block(body, &mut after);
            assert_eq!(before, after, "seed {seed}");
            compared += before.len();
        }
    }
    assert!(compared > 1000, "only {compared} expressions");
}
