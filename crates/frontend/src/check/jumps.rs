//! # Jumps
//! `goto` and `start_thread` go to labels of the same procedure, and never into an atomic block
//! from outside; `break` and `continue` need a loop.

use selvedge_program::{LabelId, Span, StmtKind};

use super::similar::did_you_mean;
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
        self.typer.problems.push(
            Diagnostic::error(span, format!("`{word}` outside of a loop"))
                .hint("use `return` to leave the procedure"),
        );
        None
    }

    fn target(&mut self, name: &'a Name) -> Option<LabelId> {
        let proc = self.typer.items.proc(self.proc);
        let Some(id) = proc.survey.find(&name.text) else {
            self.unknown_label(name);
            return None;
        };
        let label = proc.survey.label(id);
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

    fn unknown_label(&mut self, name: &Name) {
        let items = self.typer.items;
        let proc = items.proc(self.proc);
        let text = &name.text;
        let message = format!("procedure `{}` has no label `{text}`", proc.name.text);
        let mut problem = Diagnostic::error(name.span, message);
        let elsewhere =
            items.procs.iter().find_map(|p| p.survey.find(text).map(|id| (p, p.survey.label(id))));
        problem.hint =
            did_you_mean(text, proc.survey.labels.iter().map(|label| label.name.text.as_str()));
        if let Some((other, label)) = elsewhere {
            problem = problem
                .related(label.name.span, format!("this one is in `{}`", other.name.text))
                .hint("a jump stays in its procedure");
        }
        self.typer.problems.push(problem);
    }
}
