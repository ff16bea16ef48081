//! # Jumps
//! `goto` and `start_thread` go to labels of the same procedure, and never into an atomic block
//! from outside; `break` and `continue` need a loop.

use selvedge_program::{LabelId, ProcId, Span, StmtKind};

use super::expressions::Typer;
use super::statements::Body;
use crate::Diagnostic;
use crate::syntax::Name;

impl<'a> Body<'_, 'a> {
    /// `goto l, m;`
    pub fn goto(&mut self, names: &'a [Name]) -> Option<StmtKind> {
        let labels: Vec<Option<LabelId>> = names.iter().map(|name| self.target(name)).collect();
        Some(StmtKind::Goto(labels.into_iter().collect::<Option<_>>()?))
    }

    /// `start_thread goto l;`
    pub fn start(&mut self, name: &'a Name) -> Option<LabelId> {
        // The new thread is in no atomic block, whatever this one is in.
        let atomics = std::mem::take(&mut self.atomics);
        let label = self.target(name);
        self.atomics = atomics;
        label
    }

    /// `break;` or `continue;`
    pub fn in_loop(&mut self, word: &str, kind: StmtKind, span: Span) -> Option<StmtKind> {
        if self.loops > 0 {
            return Some(kind);
        }
        let problem = Diagnostic::error(span, format!("`{word}` outside of a loop"));
        let hint = match word {
            "break" => "use `return` to leave the procedure",
            _ => "it goes on with the next round of a `while` or a `for`",
        };
        self.typer.problems.push(problem.hint(hint));
        None
    }

    fn target(&mut self, name: &'a Name) -> Option<LabelId> {
        let proc = self.typer.items.proc(self.proc);
        let Some(id) = proc.survey.find(&name.text) else {
            self.typer.no_label(self.proc, name);
            return None;
        };
        let label = proc.survey.label(id);
        self.typer.items.used(name, label.name.span);
        let Some(block) = label.atomic.filter(|block| !self.atomics.contains(block)) else {
            return Some(id);
        };
        self.typer.problems.push(
            Diagnostic::error(
                name.span,
                format!(
                    "`{}` is inside of an atomic block, which cannot be entered by a jump",
                    name.text
                ),
            )
            .related(block, "the block")
            .related(label.name.span, "the label")
            .hint("an atomic block is executed as a whole: jump to a label before it"),
        );
        None
    }
}

impl Typer<'_, '_> {
    /// Reports that a procedure has no such label.
    pub fn no_label(&mut self, proc: ProcId, name: &Name) {
        let proc = self.items.proc(proc);
        let text = &name.text;
        let message = format!("procedure `{}` has no label `{text}`", proc.name.text);
        let mut problem = Diagnostic::error(name.span, message);
        let others = self.items.procs.iter();
        let elsewhere =
            others.filter_map(|p| p.survey.find(text).map(|id| (p, p.survey.label(id)))).next();
        if let Some((other, label)) = elsewhere {
            problem = problem
                .related(label.name.span, format!("this one is in `{}`", other.name.text))
                .hint("a label can be used only in its own procedure");
        } else {
            let labels = || proc.survey.labels.iter().map(|label| label.name.text.as_str());
            problem.hint = self.similar(name, |_| labels().collect());
            let hint = match text.as_str() {
                "end" | "exit" | "out" | "done" => "`return;` leaves the procedure".to_owned(),
                _ => format!("a label stands before a statement: `{text}: skip;`"),
            };
            problem.hint.get_or_insert(hint);
        }
        self.problems.push(problem);
    }
}
