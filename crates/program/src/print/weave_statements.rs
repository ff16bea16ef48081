//! Statements as `.weave` text, two spaces for each level.

use std::collections::BTreeMap;

use super::expr::{ExprPrinter, Names};
use super::names::Scope;
use crate::{AtomicOp, Block, Cond, Expr, ExprKind, Place, Span, Stmt, StmtKind, Value};

/// Writes the body of a procedure.
pub(super) struct StatementPrinter<'a> {
    scope: &'a Scope<'a>,
    /// What the program says of its assertions.
    texts: &'a BTreeMap<Span, String>,
    out: String,
    depth: usize,
}

impl<'a> StatementPrinter<'a> {
    pub fn new(scope: &'a Scope<'a>, texts: &'a BTreeMap<Span, String>) -> Self {
        StatementPrinter { scope, texts, out: String::new(), depth: 1 }
    }

    pub fn finish(self) -> String {
        self.out
    }

    /// A line of its own.
    pub fn line(&mut self, text: &str) {
        self.indent();
        self.out += text;
        self.out.push('\n');
    }

    pub fn block(&mut self, block: &Block) {
        for stmt in block {
            self.indent();
            self.stmt(stmt);
            self.out.push('\n');
        }
    }

    fn indent(&mut self) {
        self.out.extend(std::iter::repeat_n("  ", self.depth));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        for label in &stmt.labels {
            self.out += &self.scope.label(*label);
            self.out += ": ";
        }
        match &stmt.kind {
            StmtKind::If { cond, then, otherwise } => self.if_statement(cond, then, otherwise),
            StmtKind::While { cond, body } => {
                self.out += &format!("while ({}) ", self.cond(cond));
                self.braces(body);
            }
            StmtKind::Choose(blocks) if blocks.is_empty() => self.out += "assume false;",
            StmtKind::Choose(blocks) => {
                for (i, block) in blocks.iter().enumerate() {
                    self.out += if i == 0 { "either " } else { " or " };
                    self.braces(block);
                }
            }
            StmtKind::Atomic(body) => {
                self.out += "atomic ";
                self.braces(body);
            }
            simple => {
                self.out += &self.simple(simple);
                if let (StmtKind::Assert(_), Some(text)) = (simple, self.texts.get(&stmt.span)) {
                    self.out += &format!(", \"{text}\"");
                }
                self.out.push(';');
            }
        }
    }

    fn if_statement(&mut self, cond: &Cond, then: &Block, otherwise: &Block) {
        self.out += &format!("if ({}) ", self.cond(cond));
        if otherwise.is_empty()
            && let [Stmt { labels, kind, .. }] = &then[..]
            && labels.is_empty()
            && is_jump(kind)
        {
            self.out += &self.simple(kind);
            self.out.push(';');
            return;
        }
        self.braces(then);
        match &otherwise[..] {
            [] => {}
            [Stmt { labels, kind: StmtKind::If { cond, then, otherwise }, .. }]
                if labels.is_empty() =>
            {
                self.out += " else ";
                self.if_statement(cond, then, otherwise);
            }
            _ => {
                self.out += " else ";
                self.braces(otherwise);
            }
        }
    }

    fn braces(&mut self, block: &Block) {
        if block.is_empty() {
            self.out += "{}";
            return;
        }
        self.out += "{\n";
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
        self.indent();
        self.out.push('}');
    }

    fn expr(&self, expr: &Expr) -> String {
        ExprPrinter::expr(self.scope, expr)
    }

    fn exprs(&self, list: &[Expr]) -> String {
        list.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn place(&self, place: &Place) -> String {
        ExprPrinter::place(self.scope, place)
    }

    /// `x, y := `, or nothing if there is no place.
    fn targets<'p>(&self, places: impl IntoIterator<Item = &'p Place>) -> String {
        let places: Vec<_> = places.into_iter().map(|p| self.place(p)).collect();
        if places.is_empty() { String::new() } else { places.join(", ") + " := " }
    }

    fn cond(&self, cond: &Cond) -> String {
        match cond {
            Cond::Expr(expr) => self.expr(expr),
            Cond::Attempt { op, negated } => {
                format!("{}{}", if *negated { "!" } else { "" }, self.atomic_op(op))
            }
        }
    }

    fn atomic_op(&self, op: &AtomicOp) -> String {
        match op {
            AtomicOp::TryLock(place) => format!("trylock({})", self.place(place)),
            AtomicOp::CompareAndSwap { place, expected, new } => {
                let (expected, new) = (self.expr(expected), self.expr(new));
                format!("cas({}, {expected}, {new})", self.place(place))
            }
            AtomicOp::FetchAndAdd { place, amount } => match &amount.kind {
                ExprKind::Const(Value::Small(1)) => {
                    format!("fetch_and_add({})", self.place(place))
                }
                _ => format!("fetch_and_add({}, {})", self.place(place), self.expr(amount)),
            },
        }
    }

    /// A statement that contains no other, without the `;`.
    fn simple(&self, kind: &StmtKind) -> String {
        match kind {
            StmtKind::Skip => "skip".to_owned(),
            StmtKind::Assign { targets, values, constrain } => {
                let constrain = match constrain {
                    Some(condition) => format!(" constrain {}", self.expr(condition)),
                    None => String::new(),
                };
                format!("{}{}{constrain}", self.targets(targets), self.exprs(values))
            }
            StmtKind::Havoc(places) => {
                let places: Vec<_> = places.iter().map(|p| self.place(p)).collect();
                format!("havoc {}", places.join(", "))
            }
            StmtKind::Assume(e) => format!("assume {}", self.expr(e)),
            StmtKind::Assert(e) => format!("assert {}", self.expr(e)),
            StmtKind::Goto(labels) => {
                let labels: Vec<_> = labels.iter().map(|l| self.scope.label(*l)).collect();
                format!("goto {}", labels.join(", "))
            }
            StmtKind::Break => "break".to_owned(),
            StmtKind::Continue => "continue".to_owned(),
            StmtKind::Return(values) if values.is_empty() => "return".to_owned(),
            StmtKind::Return(values) => format!("return {}", self.exprs(values)),
            StmtKind::AtomicBegin => "atomic_begin".to_owned(),
            StmtKind::AtomicEnd => "atomic_end".to_owned(),
            StmtKind::Acquire(place) => format!("acquire {}", self.place(place)),
            StmtKind::Release(place) => format!("release {}", self.place(place)),
            StmtKind::Attempt { dest, op } => self.targets(dest) + &self.atomic_op(op),
            StmtKind::Call { proc, args, results } => {
                let name = self.scope.program.proc(*proc);
                format!("{}{name}({})", self.targets(results), self.exprs(args))
            }
            StmtKind::Async { dest, proc, args } => {
                let name = self.scope.program.proc(*proc);
                format!("{}async {name}({})", self.targets(dest), self.exprs(args))
            }
            StmtKind::StartThread(label) => {
                format!("start_thread goto {}", self.scope.label(*label))
            }
            StmtKind::Join(e) => format!("join {}", self.expr(e)),
            StmtKind::EndThread => "end_thread".to_owned(),
            StmtKind::If { .. }
            | StmtKind::While { .. }
            | StmtKind::Choose(_)
            | StmtKind::Atomic(_) => unreachable!("written by `stmt`"),
        }
    }
}

/// Whether control goes elsewhere: a test before it needs no line for its end.
fn is_jump(kind: &StmtKind) -> bool {
    use StmtKind::{Break, Continue, Goto, Return};
    matches!(kind, Goto(_) | Return(_) | Break | Continue)
}
