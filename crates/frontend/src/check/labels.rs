//! # Labels and other marks of a procedure
//! What a first walk over a procedure finds: its labels, so that `goto` may jump forward, the
//! names of its variables, and whether `atomic_begin` and `atomic_end` go together.

use rustc_hash::FxHashMap;
use selvedge_program::{LabelId, Span};

use super::items::index;
use super::walk;
use crate::Diagnostic;
use crate::syntax::{Name, Stmt, StmtKind};

/// A label of a procedure.
#[derive(Debug)]
pub(super) struct Label<'a> {
    /// Its name.
    pub name: &'a Name,
    /// The innermost atomic block round it.
    pub atomic: Option<Span>,
}

/// Facts about a procedure's body that need no types.
#[derive(Debug, Default)]
pub(super) struct Survey<'a> {
    /// The labels, each name once.
    pub labels: Vec<Label<'a>>,
    /// The names of the variables that are declared in the body.
    pub locals: Vec<&'a str>,
    by_name: FxHashMap<&'a str, LabelId>,
    begins: Option<Span>,
    ends: Option<Span>,
}

impl<'a> Survey<'a> {
    /// Walks over the body of a procedure.
    pub fn new(body: &'a [Stmt], problems: &mut Vec<Diagnostic>) -> Self {
        let mut survey = Survey::default();
        survey.block(body, None, problems);
        survey.unstructured_atomic(problems);
        survey
    }

    /// The label with a name.
    pub fn find(&self, name: &str) -> Option<LabelId> {
        self.by_name.get(name).copied()
    }

    /// A label.
    pub fn label(&self, id: LabelId) -> &Label<'a> {
        &self.labels[id.index()]
    }

    fn block(&mut self, body: &'a [Stmt], atomic: Option<Span>, problems: &mut Vec<Diagnostic>) {
        for stmt in body {
            for name in &stmt.labels {
                self.label_declared(name, atomic, problems);
            }
            match &stmt.kind {
                StmtKind::Local(decl) => self.locals.push(&decl.name.text),
                StmtKind::Together { variables, .. } => {
                    self.locals.extend(variables.iter().map(|decl| decl.name.text.as_str()));
                }
                StmtKind::AtomicBegin => self.begins = self.begins.or(Some(stmt.span)),
                StmtKind::AtomicEnd => self.ends = self.ends.or(Some(stmt.span)),
                _ => {}
            }
            let is_atomic = matches!(stmt.kind, StmtKind::Atomic(_));
            let inside = if is_atomic { Some(stmt.span) } else { atomic };
            for block in walk::blocks(stmt) {
                self.block(block, inside, problems);
            }
        }
    }

    fn label_declared(
        &mut self,
        name: &'a Name,
        atomic: Option<Span>,
        problems: &mut Vec<Diagnostic>,
    ) {
        if let Some(first) = self.find(&name.text) {
            problems.push(
                Diagnostic::error(name.span, format!("label `{}` is declared twice", name.text))
                    .label("declared again here")
                    .related(self.label(first).name.span, "first declared here")
                    .hint("labels of one procedure need different names"),
            );
            return;
        }
        self.by_name.insert(&name.text, LabelId(index(self.labels.len())));
        self.labels.push(Label { name, atomic });
    }

    /// Whether each begin has its end depends on the flow and is not decided here; but one without
    /// any of the other is wrong whatever the flow is.
    fn unstructured_atomic(&self, problems: &mut Vec<Diagnostic>) {
        let (span, this, other) = match (self.begins, self.ends) {
            (Some(span), None) => (span, "atomic_begin", "atomic_end"),
            (None, Some(span)) => (span, "atomic_end", "atomic_begin"),
            _ => return,
        };
        problems.push(
            Diagnostic::error(span, format!("`{this}` without any `{other}` in the procedure"))
                .hint("an atomic section begins and ends in the same procedure"),
        );
    }
}
