//! # Bodies that end without a result
//! **Question.** Can a procedure that has a result come to the end of its body?
//!
//! **Idea.** A statement is reached if the one before it goes on, or if a jump to one of its labels is reached; this is repeated until no more labels are
//! reached. A condition may be true or false, unless it is written as `true` or `false`.
//!
//! **Claim.** Where there is a warning, a way from the beginning of the body to its end stands in the text. (Its conditions may exclude each other.)

use super::Parser;
use crate::syntax::{Cond, Expr, ExprKind, Item, ProcDecl, Stmt, StmtKind, TypeKind};

/// In procedures with more labels than this, nothing is looked for: each of them may be found in a round of its own.
const MOST_LABELS: usize = 100;

impl Parser<'_> {
    /// Warns of a procedure that has a result, and may end without one.
    pub(super) fn doubt_ending(&mut self, proc: &ProcDecl) {
        let are_known = proc.results.iter().all(|ty| match &ty.kind {
            TypeKind::Named(name) => self.is_declared_type(&name.text),
            // There are no such results.
            TypeKind::Lock => false,
            _ => true,
        });
        let is_doubtful = are_known && !proc.results.is_empty() && !self.tokens.has_mistakes();
        if !is_doubtful || !may_end(&proc.body) {
            return;
        }
        let name = &proc.name.text;
        let message = format!("`{name}` may end without `return`");
        let hint = "its result is any value of its type then: write `return …;` at the end, or `assert false;` if nothing comes there";
        self.doubt(proc.name.span, message, hint);
    }
}

impl Parser<'_> {
    /// Whether an enumeration or a struct of this name was declared above.
    fn is_declared_type(&self, name: &str) -> bool {
        self.items.iter().any(|item| match item {
            Item::Enum(declared) => declared.name.text == name,
            Item::Struct(declared) => declared.name.text == name,
            _ => false,
        })
    }
}

/// Whether the end of a body may be reached.
fn may_end(body: &[Stmt]) -> bool {
    let mut ways = Ways::default();
    loop {
        let known = ways.labels.len();
        let ends = ways.sequence(body, true).goes_on;
        if ends || ways.labels.len() == known {
            return ends;
        }
        if ways.labels.len() > MOST_LABELS {
            return false;
        }
    }
}

/// The labels to which a jump is reached.
#[derive(Default)]
struct Ways<'s> {
    labels: Vec<&'s str>,
}

/// How a statement is left.
#[derive(Clone, Copy, Default)]
struct Left {
    /// At its end.
    goes_on: bool,
    /// By a `break` of the loop that it is in.
    breaks: bool,
}

impl<'s> Ways<'s> {
    /// How a list of statements is left, if its beginning is reached or not.
    fn sequence(&mut self, stmts: &'s [Stmt], is_reached: bool) -> Left {
        let mut left = Left { goes_on: is_reached, breaks: false };
        for stmt in stmts {
            let jumped = stmt.labels.iter().any(|l| self.labels.contains(&l.text.as_str()));
            let one = self.statement(&stmt.kind, left.goes_on || jumped);
            left = Left { goes_on: one.goes_on, breaks: left.breaks || one.breaks };
        }
        left
    }

    /// Statements of which one is executed.
    fn one_of<'b>(&mut self, branches: impl Iterator<Item = (&'s [Stmt], bool)> + 'b) -> Left
    where
        's: 'b,
    {
        branches.fold(Left::default(), |left, (branch, is_reached)| {
            let one = self.sequence(branch, is_reached);
            Left { goes_on: left.goes_on || one.goes_on, breaks: left.breaks || one.breaks }
        })
    }

    fn statement(&mut self, kind: &'s StmtKind, is_reached: bool) -> Left {
        let ends = Left::default();
        match kind {
            StmtKind::Block(inner) | StmtKind::Atomic(inner) => self.sequence(inner, is_reached),
            StmtKind::If { cond, then, otherwise } => {
                let (may_hold, may_fail) = outcomes(cond);
                let branches =
                    [(then, is_reached && may_hold), (otherwise, is_reached && may_fail)];
                self.one_of(branches.into_iter().map(|(branch, is)| (branch.as_slice(), is)))
            }
            StmtKind::While { cond, body } => {
                let (may_hold, may_fail) = outcomes(cond);
                let inner = self.sequence(body, is_reached && may_hold);
                let goes_on = may_fail && (is_reached || inner.goes_on) || inner.breaks;
                Left { goes_on, breaks: false }
            }
            StmtKind::Choose(branches) => {
                self.one_of(branches.iter().map(|branch| (branch.as_slice(), is_reached)))
            }
            StmtKind::Goto(labels) => {
                if is_reached {
                    for label in labels {
                        if !self.labels.contains(&label.text.as_str()) {
                            self.labels.push(&label.text);
                        }
                    }
                }
                ends
            }
            StmtKind::Break => Left { goes_on: false, breaks: is_reached },
            StmtKind::Continue | StmtKind::Return(_) | StmtKind::EndThread => ends,
            StmtKind::Assume(claim) | StmtKind::Assert(claim, _) => {
                Left { goes_on: is_reached && value(claim) != Some(false), breaks: false }
            }
            _ => Left { goes_on: is_reached, breaks: false },
        }
    }
}

/// Whether a condition may be true, and whether it may be false.
fn outcomes(cond: &Cond) -> (bool, bool) {
    let known = match cond {
        Cond::Expr(expr) => value(expr),
        Cond::Effect { .. } => None,
    };
    (known != Some(false), known != Some(true))
}

/// The truth value that is written.
fn value(expr: &Expr) -> Option<bool> {
    match &expr.kind {
        ExprKind::Bool(value) => Some(*value),
        ExprKind::Int(number) => Some(*number != 0.into()),
        _ => None,
    }
}
