//! # Outlines
//! Where the functions and the statements of a text stand. A program has steps, which are smaller than statements; who tells other tools
//! about a step says in which statement it is.

use crate::Span;

/// The functions and statements of a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outline {
    functions: Vec<(Span, String)>,
    /// In the order of their starts; what is inside of another stands behind it.
    statements: Vec<Statement>,
}

/// A statement of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Statement {
    /// All of it, without labels.
    pub span: Span,
    /// The kind of the statement.
    pub kind: StatementKind,
    /// The condition of a `while` or `for` that is a single test: what `&&`, `||` and `?:` are made of is tested one by one.
    pub condition: Option<Span>,
}

/// The kind of a statement, by its control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// Has none: an expression, a declaration, a jump.
    Plain,
    /// Goes one of two ways, once: `if`.
    Branch,
    /// Goes one of two ways, again and again, before each turn: `while`, `for`.
    Loop,
    /// Goes some other way: `switch`, `do`.
    Other,
}

impl Outline {
    /// Adds a function.
    pub fn add_function(&mut self, span: Span, name: &str) {
        self.functions.push((span, name.to_owned()));
    }

    /// Adds a statement; those inside of it follow.
    pub fn add_statement(&mut self, span: Span, kind: StatementKind, condition: Option<Span>) {
        self.statements.push(Statement { span, kind, condition });
    }

    /// The name of the function that a byte of the text is in.
    #[must_use]
    pub fn function_at(&self, offset: u32) -> Option<&str> {
        let has = |(span, _): &&(Span, String)| span.start <= offset && offset < span.end;
        self.functions.iter().rev().find(has).map(|(_, name)| name.as_str())
    }

    /// The innermost statement that a byte of the text is in.
    #[must_use]
    pub fn statement_at(&self, offset: u32) -> Option<Statement> {
        let after = self.statements.partition_point(|statement| statement.span.start <= offset);
        let before = self.statements[..after].iter().rev();
        before.copied().find(|statement| offset < statement.span.end)
    }
}
