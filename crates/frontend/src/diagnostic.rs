//! # Diagnostics
//! What is wrong with an input: where, what, and what to do about it.

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use selvedge_program::{Source, Span};

/// How severe a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used, but probably does not say what was meant.
    Warning,
}

/// A place in the source with something to say about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place in the text.
    pub span: Span,
    /// The remark about the place.
    pub text: String,
}

/// What to write in the place of a part of the text, so that a mistake is mended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// The part that is replaced.
    pub span: Span,
    /// What stands there then.
    pub text: String,
}

/// One mistake in an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How severe it is.
    pub severity: Severity,
    /// The mistake, in one line.
    pub message: String,
    /// Where, with a short remark.
    pub label: Label,
    /// Other places that matter (an earlier declaration, the opening brace).
    pub related: Vec<Label>,
    /// Advice on what to do, if there is any.
    pub hint: Option<String>,
    /// The change of the text that does what the hint says, where that is one.
    pub fix: Option<Box<Fix>>,
}

impl Diagnostic {
    /// An error at a place.
    #[must_use]
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            label: Label { span, text: String::new() },
            related: Vec::new(),
            hint: None,
            fix: None,
        }
    }

    /// A warning at a place.
    #[must_use]
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// Adds a remark at the place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label.text = text.into();
        self
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the change of the text that does what the hint says.
    #[must_use]
    pub fn fixed_by(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fix = Some(Box::new(Fix { span, text: text.into() }));
        self
    }

    /// Adds a related place.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Label { span, text: text.into() });
        self
    }
}

/// Everything that is wrong with one source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostics {
    /// The text that is meant.
    pub source: Source,
    /// The diagnostics, in the order of their places.
    pub list: Vec<Diagnostic>,
}

/// A hint to write one thing instead of another: what to do comes first.
pub(crate) fn write(what: &str, found: &str) -> String {
    match (what, found.starts_with("the end of ")) {
        ("the end of the line", _) => format!("end the line before {found}"),
        ("`;`", _) | (_, true) => format!("write {what} before {found}"),
        (_, false) => format!("write {what} here, not {found}"),
    }
}

/// The most mistakes to show; the others are counted.
const SHOWN: usize = 50;

/// A source line longer than this is not shown as a whole.
const LONG_LINE: usize = 400;

impl Diagnostics {
    /// Collects diagnostics of a source, sorted by place.
    #[must_use]
    pub fn new(source: Source, mut list: Vec<Diagnostic>) -> Self {
        list.sort_by_key(|d| d.label.span.start);
        list.dedup();
        Diagnostics { source, list }
    }

    /// Whether one of them is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }

    /// The diagnostics as text with the source lines, with or without colours.
    #[must_use]
    pub fn render(&self, colours: bool) -> String {
        let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
        let mut text = String::new();
        for diagnostic in self.list.iter().take(SHOWN) {
            text += &self.with_true_column(diagnostic, renderer.render(&[self.group(diagnostic)]));
            text += "\n\n";
        }
        if self.list.len() > SHOWN {
            text += &format!("… and {} more\n\n", self.list.len() - SHOWN);
        }
        let errors = self.list.iter().filter(|d| d.severity == Severity::Error).count();
        if errors > 0 {
            let plural = if errors == 1 { "error" } else { "errors" };
            text += &format!("{}: {errors} {plural}\n", self.source.name());
        }
        text
    }

    /// Puts the column in the file in the place of the column in the part of it that is shown, which
    /// is all that a snippet knows.
    fn with_true_column(&self, diagnostic: &Diagnostic, rendered: String) -> String {
        let start = diagnostic.label.span.start;
        let (window, _) = self.window(diagnostic.label.span);
        let place = self.source.line_column(start);
        let first = self.source.line_column(window.start);
        if first.line < place.line || first.column == 1 {
            return rendered;
        }
        let at = |column: u32| format!("{}:{}:{column}", self.source.name(), place.line);
        rendered.replacen(&at(place.column - first.column + 1), &at(place.column), 1)
    }

    fn group<'a>(&'a self, diagnostic: &'a Diagnostic) -> Group<'a> {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let (window, line) = self.window(diagnostic.label.span);
        let shift = |span: Span| {
            let at =
                |offset: u32| (offset.max(window.start).min(window.end) - window.start) as usize;
            at(span.start)..at(span.end)
        };
        let mut snippet = Snippet::source(self.source.slice(window))
            .line_start(line as usize)
            .path(self.source.name())
            .annotation(
                AnnotationKind::Primary
                    .span(shift(diagnostic.label.span))
                    .label(diagnostic.label.text.as_str()),
            );
        let inside = |l: &&Label| window.start <= l.span.start && l.span.end <= window.end;
        for label in diagnostic.related.iter().filter(inside) {
            let context = AnnotationKind::Context.span(shift(label.span));
            snippet = snippet.annotation(context.label(label.text.as_str()));
        }
        let mut group =
            Group::with_title(level.primary_title(diagnostic.message.as_str())).element(snippet);
        if let Some(hint) = &diagnostic.hint {
            group = group.element(Level::HELP.message(hint.as_str()));
        }
        group
    }

    /// The part of the source that is shown for a place, and its first line: everything, unless
    /// the file is large or the line is long.
    fn window(&self, span: Span) -> (Span, u32) {
        let text = self.source.text();
        let line = self.source.line(span.start);
        let whole = self.source.line_span(span.start);
        let (start, end) = (whole.start as usize, whole.end as usize);
        let is_short = end - start <= LONG_LINE;
        if self.source.is_made() && is_short {
            return (whole, line);
        }
        if text.len() < 200_000 && is_short {
            return (Span::new(0, text.len()), 1);
        }
        let boundary = |mut at: usize| {
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let from = boundary((span.start as usize).saturating_sub(40).max(start).min(end));
        let to = boundary((from + 120).min(end));
        (Span::new(from, to), line)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_column_is_that_of_the_file_where_a_line_is_cut() {
        let source = Source::new("long.weave", format!("first\n{}é!", "x ".repeat(300)));
        let at = source.text().len() - 1;
        let list = vec![Diagnostic::error(Span::new(at, at + 1), "not here")];
        let shown = Diagnostics::new(source, list).render(false);
        assert!(shown.contains(" --> long.weave:2:602\n"), "{shown}");
        assert!(shown.contains("x x é!\n"), "{shown}");
    }
}
