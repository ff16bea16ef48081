//! # Simple statements
//! Those that hold no others and end with `;`.

use selvedge_program::Span;

use super::expressions::is_operator;
use super::foreign;
use super::lexer::Kind;
use super::parser::{Abandon, Parsed, Parser};
use crate::Diagnostic;
use crate::syntax::{Effect, EffectKind, Expr, Name, PlaceExpr, StmtKind};

impl Parser<'_> {
    /// A simple statement without its `;`.
    pub(super) fn simple(&mut self) -> Parsed<StmtKind> {
        match self.kind() {
            _ if self.kind_after(1) == Kind::Assign => self.assignment_or_call(),
            Kind::Name => self.assignment_or_call(),
            Kind::Call => self.call_statement(),
            Kind::Semicolon => Ok(StmtKind::Empty),
            Kind::Skip => Ok(self.word(StmtKind::Skip)),
            Kind::AtomicBegin => Ok(self.word(StmtKind::AtomicBegin)),
            Kind::AtomicEnd => Ok(self.word(StmtKind::AtomicEnd)),
            Kind::EndThread => Ok(self.word(StmtKind::EndThread)),
            Kind::Goto => {
                self.take();
                Ok(StmtKind::Goto(self.list(Self::label)?))
            }
            Kind::Assume => {
                self.take();
                Ok(StmtKind::Assume(self.expression()?))
            }
            Kind::Assert => {
                self.take();
                Ok(StmtKind::Assert(self.expression()?, None))
            }
            Kind::Return => {
                self.take();
                let values = match self.kind() {
                    Kind::Semicolon => Vec::new(),
                    _ => self.list(Self::expression)?,
                };
                Ok(StmtKind::Return(values))
            }
            Kind::Dead => {
                self.take();
                Ok(StmtKind::Havoc(self.list(Self::place)?))
            }
            Kind::ThreadCreate => self.thread_create(),
            Kind::StartThread => self.start_thread(),
            Kind::Enforce => Err(self.unsupported("`assume` the condition where it matters")),
            Kind::AbortIf => Err(self.unsupported("`assume` the opposite where it matters")),
            _ => Err(self.no_statement()),
        }
    }

    fn word(&mut self, kind: StmtKind) -> StmtKind {
        self.take();
        kind
    }

    fn unsupported(&mut self, hint: &str) -> Abandon {
        let message = format!("{} is not supported", self.shown());
        let abandon = self.fail(Diagnostic::error(self.span(), message).hint(hint));
        self.take();
        abandon
    }

    fn no_statement(&mut self) -> Abandon {
        let d = self.expected("a statement");
        let d = match self.kind() {
            Kind::Then => d.hint("`then` belongs to `if e then … fi`"),
            Kind::Do => d.hint("`do` belongs to `while e do … od`"),
            Kind::Constrain => d.hint("`constrain` belongs to the assignment: no `;` before it"),
            kind if kind.is_keyword() => {
                d.hint("this word is a keyword; a variable needs another name")
            }
            _ => d,
        };
        self.fail(d)
    }

    /// A label: a name or, as some tools write them, a number.
    pub(super) fn label(&mut self) -> Parsed<Name> {
        if self.kind() == Kind::Number {
            let span = self.take().span;
            return Ok(Name { text: self.text(span).to_owned(), span });
        }
        self.name("a label")
    }

    fn place(&mut self) -> Parsed<PlaceExpr> {
        let name = self.name("the name of a variable")?;
        let span = name.span;
        Ok(PlaceExpr { name, indices: Vec::new(), members: Vec::new(), span })
    }

    /// `x, y := e, f`, `x := f(e)` or `f(e)`
    fn assignment_or_call(&mut self) -> Parsed<StmtKind> {
        if self.kind_after(1) == Kind::LeftParen {
            let effect = self.call()?;
            return Ok(StmtKind::Effect { targets: Vec::new(), effect });
        }
        let word = self.text(self.span());
        let next = self.kind_after(1);
        if !matches!(next, Kind::Assign | Kind::Equal | Kind::Comma)
            && let Some(hint) = foreign::hint(word)
        {
            let message = format!("there is no `{word}` in Boolean programs");
            return Err(self.fail(Diagnostic::error(self.span(), message).hint(hint)));
        }
        let targets = self.targets()?;
        let mut statement = self.right_side()?;
        match &mut statement {
            StmtKind::Assign { targets: places, .. } | StmtKind::Effect { targets: places, .. } => {
                *places = targets;
            }
            _ => {}
        }
        Ok(statement)
    }

    /// `x, y :=`
    fn targets(&mut self) -> Parsed<Vec<PlaceExpr>> {
        let targets = self.list(Self::place)?;
        if targets.len() == 1 && !matches!(self.kind(), Kind::Assign | Kind::Equal) {
            return Err(self.fail(self.expected("`:=`, `(` or `:`")));
        }
        self.assign_sign()?;
        Ok(targets)
    }

    /// `:=`. A `=` in its place is reported and then taken for it.
    pub(super) fn assign_sign(&mut self) -> Parsed<()> {
        if self.kind() == Kind::Equal {
            let shown = self.shown();
            let d = Diagnostic::error(self.span(), format!("{shown} compares; it does not assign"));
            self.fail(d.hint("write `:=`"));
            self.take();
            return Ok(());
        }
        self.expect(Kind::Assign, ":=").map(|_| ())
    }

    /// Parses what stands right of `:=`: values, or a call. The targets are left empty.
    fn right_side(&mut self) -> Parsed<StmtKind> {
        let targets = Vec::new();
        if let Some(effect) = self.call_on_the_right()? {
            return Ok(StmtKind::Effect { targets, effect });
        }
        let values = self.list(Self::expression)?;
        let constrain = match self.accept(Kind::Constrain) {
            true => Some(self.expression()?),
            false => None,
        };
        Ok(StmtKind::Assign { targets, values, constrain })
    }

    /// A call, if one stands right of `:=`.
    pub(super) fn call_on_the_right(&mut self) -> Parsed<Option<Effect>> {
        if self.kind() == Kind::Call {
            let d = Diagnostic::error(self.span(), "`call` stands before the variables");
            self.fail(d.hint("write `call x := f(e);`, or leave `call` out"));
            self.take();
        }
        if self.kind() == Kind::ThreadCreate {
            let d = Diagnostic::error(self.span(), "`thread_create` has no result");
            return Err(self.fail(d.hint("write it as a statement of its own")));
        }
        if self.kind() == Kind::Name && self.kind_after(1) == Kind::LeftParen {
            let effect = self.call()?;
            if self.kind() == Kind::Comma || is_operator(self.kind()) {
                return Err(self.fail(call_inside(effect.span)));
            }
            return Ok(Some(effect));
        }
        Ok(None)
    }

    /// `call f(e)` or `call x, y := f(e)`
    fn call_statement(&mut self) -> Parsed<StmtKind> {
        self.take();
        let targets = match (self.kind(), self.kind_after(1)) {
            (Kind::Name, Kind::Comma | Kind::Assign | Kind::Equal) => self.targets()?,
            _ => Vec::new(),
        };
        let effect = self.call()?;
        Ok(StmtKind::Effect { targets, effect })
    }

    /// `f(e)`
    fn call(&mut self) -> Parsed<Effect> {
        let name = self.name("the name of a procedure")?;
        let start = name.span;
        let args = self.arguments()?;
        let span = start.to(self.last_span());
        Ok(Effect { kind: EffectKind::Call(name, args), span })
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let open = self.expect(Kind::LeftParen, "(")?.span;
        let mut args = Vec::new();
        if self.kind() != Kind::RightParen {
            args = self.list(Self::expression)?;
        }
        self.close_paren(open)?;
        Ok(args)
    }

    /// `thread_create(f)`, `thread_create(&f, e)`
    fn thread_create(&mut self) -> Parsed<StmtKind> {
        let start = self.take().span;
        let open = self.expect(Kind::LeftParen, "(")?.span;
        self.accept(Kind::And);
        let name = self.name("the name of a procedure")?;
        if self.kind() == Kind::LeftParen {
            let d = self.expected("`,` or `)`");
            let hint = format!("arguments come after the name: `thread_create({}, …)`", name.text);
            return Err(self.fail(d.hint(hint)));
        }
        let mut args = Vec::new();
        if self.accept(Kind::Comma) {
            args = self.list(Self::expression)?;
        }
        self.close_paren(open)?;
        Ok(self.new_thread(start, name, args))
    }

    /// `start_thread goto l` or `start_thread f(e)`
    fn start_thread(&mut self) -> Parsed<StmtKind> {
        let start = self.take().span;
        if self.accept(Kind::Goto) {
            return Ok(StmtKind::StartThread(self.label()?));
        }
        if self.kind() == Kind::Name && self.kind_after(1) == Kind::LeftParen {
            let name = self.name("the name of a procedure")?;
            let args = self.arguments()?;
            return Ok(self.new_thread(start, name, args));
        }
        let d = self.expected("`goto`").hint("write `start_thread goto l;`");
        Err(self.fail(d))
    }

    fn new_thread(&self, start: Span, name: Name, args: Vec<Expr>) -> StmtKind {
        let span = start.to(self.last_span());
        let effect = Effect { kind: EffectKind::Async(name, args), span };
        StmtKind::Effect { targets: Vec::new(), effect }
    }
}

/// The error that a call is used as part of an expression.
pub(super) fn call_inside(span: Span) -> Diagnostic {
    Diagnostic::error(span, "a call cannot be part of an expression")
        .hint("call it in a statement of its own before: `x := f(e);`")
}
