//! # Blocks
//! Statements that hold statements. The hard part is not reading them but saying, when `end`,
//! `fi`, `od` or `}` do not fit, which block was left open: the parser keeps the open blocks on
//! a stack, with the place of the word that opened each.

use selvedge_program::Span;

use super::lexer::Kind;
use super::parser::{Abandon, Closer, OpenBlock, Parsed, Parser};
use crate::Diagnostic;
use crate::syntax::{Cond, Expr, ExprKind, Name, Stmt, StmtKind};

/// The most tokens to look at for a `fi` or `od` that follows.
const FARTHEST_LOOK: usize = 10_000;

impl Parser<'_> {
    /// A block, from the word that opens it to the one that closes it.
    pub(super) fn block(&mut self) -> Vec<Stmt> {
        let opener = self.take();
        let Some(closer) = Closer::opened_by(opener.kind) else { return Vec::new() };
        let body = self.statements(closer, opener.span);
        self.close(closer);
        body
    }

    /// Takes the word that closes a block. If it is not there, that was reported.
    fn close(&mut self, closer: Closer) {
        let fits = !matches!(self.kind(), Kind::Else | Kind::Elsif);
        if fits && Closer::of(self.kind()) == Some(closer) {
            self.take();
        }
    }

    /// Statements up to the word that closes the block, which is not taken.
    fn statements(&mut self, closer: Closer, opener: Span) -> Vec<Stmt> {
        let mut all = Vec::new();
        self.open.push(OpenBlock { closer, opener, orphans: Vec::new() });
        while !self.is_block_over() {
            if self.labelled(&mut all).is_err() {
                self.skip_statement();
            }
        }
        self.open.pop();
        all
    }

    /// Whether the innermost block ends here, as it should or not. Takes closers that close
    /// nothing.
    fn is_block_over(&mut self) -> bool {
        loop {
            if self.is_misused_keyword() {
                return false;
            }
            let kind = self.kind();
            let Some(block) = self.open.last_mut() else { return true };
            let Some(closer) = Closer::of(kind) else {
                let over = self.is_end_of_body();
                if over {
                    self.fail(self.not_closed());
                }
                return over;
            };
            if let Some(orphan) = block.orphans.iter().rposition(|&o| o == closer) {
                match kind {
                    Kind::Else => {}
                    Kind::Elsif => {
                        self.skip_to(&[Kind::Then]);
                    }
                    _ => {
                        block.orphans.remove(orphan);
                    }
                }
                self.take();
                continue;
            }
            if block.closer == closer {
                return true;
            }
            if self.is_label() {
                return false;
            }
            if self.open.iter().any(|b| b.closer == closer) {
                self.fail(self.not_closed());
                return true;
            }
            let message = format!("{} closes nothing", self.shown());
            let word = self.innermost_opener();
            let d = Diagnostic::error(self.span(), message);
            let d = match word {
                Some((span, _)) => d.related(span, "the innermost block begins here"),
                None => d,
            };
            self.fail(d);
            self.take();
        }
    }

    /// Whether the body of the procedure must have ended before the next token.
    fn is_end_of_body(&self) -> bool {
        let kind = self.kind();
        let typed = kind.starts_procedure() && !self.is_label() && !self.is_declaration();
        kind == Kind::EndOfFile || typed || self.is_procedure_without_type()
    }

    fn innermost_opener(&self) -> Option<(Span, Closer)> {
        self.open.last().map(|block| (block.opener, block.closer))
    }

    /// The error that the innermost block should have ended before the next token.
    fn not_closed(&self) -> Diagnostic {
        let Some((opener, closer)) = self.innermost_opener() else { return self.expected("`end`") };
        let word = self.text(opener);
        let closer = closer.text();
        let message = format!("`{word}` without `{closer}`: expected it before {}", self.shown());
        Diagnostic::error(self.span(), message)
            .label(format!("expected `{closer}`"))
            .related(opener, format!("this `{word}` is not closed"))
    }

    /// Whether a label is next. A keyword may stand in its place; that is a mistake.
    fn is_label(&self) -> bool {
        let kind = self.kind();
        let fits = matches!(kind, Kind::Name | Kind::Number) || kind.is_keyword();
        fits && self.kind_after(1) == Kind::Colon
    }

    /// Whether a keyword stands left of `:=`.
    fn is_misused_keyword(&self) -> bool {
        self.kind().is_keyword() && self.kind_after(1) == Kind::Assign
    }

    /// A statement with its labels.
    fn labelled(&mut self, all: &mut Vec<Stmt>) -> Parsed<()> {
        let mut labels: Vec<Name> = Vec::new();
        while self.is_label() {
            labels.push(self.label()?);
            self.take();
        }
        let is_last = Closer::of(self.kind()).is_some() || self.is_end_of_body();
        if !labels.is_empty() && is_last {
            let span = self.last_span();
            all.push(Stmt { labels, kind: StmtKind::Empty, span });
            return Ok(());
        }
        self.enter()?;
        let read = self.statement(labels, all);
        self.leave();
        read
    }

    /// One statement; a declaration may give several.
    fn statement(&mut self, labels: Vec<Name>, all: &mut Vec<Stmt>) -> Parsed<()> {
        let start = self.span();
        match self.kind() {
            // `simple` has something to say about it.
            _ if self.is_misused_keyword() => return self.simple_with_semicolon(labels, all),
            _ if self.is_declaration() => {
                let mut labels = Some(labels);
                for variable in self.declaration()? {
                    let span = variable.name.span;
                    let labels = labels.take().unwrap_or_default();
                    all.push(Stmt { labels, kind: StmtKind::Local(variable), span });
                }
                return Ok(());
            }
            Kind::If => {
                let statement = self.if_statement(labels)?;
                all.push(statement);
            }
            Kind::While => {
                let statement = self.while_statement(labels)?;
                all.push(statement);
            }
            Kind::Begin | Kind::LeftBrace => {
                let kind = StmtKind::Block(self.block());
                all.push(Stmt { labels, kind, span: start });
            }
            _ => return self.simple_with_semicolon(labels, all),
        }
        self.accept(Kind::Semicolon);
        Ok(())
    }

    fn simple_with_semicolon(&mut self, labels: Vec<Name>, all: &mut Vec<Stmt>) -> Parsed<()> {
        let start = self.span();
        let kind = self.simple()?;
        let span = start.to(self.last_span());
        all.push(Stmt { labels, kind, span });
        self.semicolon()
    }

    /// `if e then … fi` or `if (e) { … }`, from `if` (or `elsif`) on.
    fn if_statement(&mut self, labels: Vec<Name>) -> Parsed<Stmt> {
        let start = self.take().span;
        let cond = self.condition(Kind::Then, Closer::Fi)?;
        let span = start.to(self.last_span());
        let (then, otherwise);
        match self.kind() {
            Kind::LeftBrace => {
                then = self.block();
                otherwise = self.otherwise_in_braces()?;
            }
            kind => {
                let opener = if kind == Kind::Then { self.take().span } else { start };
                if kind == Kind::Then || self.is_closed_later(Kind::Then, Kind::Fi) {
                    then = self.statements(Closer::Fi, opener);
                    otherwise = self.otherwise()?;
                } else {
                    then = self.lone_statement()?;
                    otherwise = self.otherwise_in_braces()?;
                }
            }
        }
        Ok(Stmt { labels, kind: StmtKind::If { cond, then, otherwise }, span })
    }

    /// Parses what follows the first branch of `if e then …`, with `fi`.
    fn otherwise(&mut self) -> Parsed<Vec<Stmt>> {
        match self.kind() {
            Kind::Else => {
                let opener = self.take().span;
                let otherwise = self.statements(Closer::Fi, opener);
                if matches!(self.kind(), Kind::Else | Kind::Elsif) {
                    let d = self.expected("`fi`").hint("nothing comes after the `else` branch");
                    self.fail(d.related(opener, "the `else` branch begins here"));
                    self.expect_orphan(Some(Closer::Fi));
                }
                self.close(Closer::Fi);
                Ok(otherwise)
            }
            Kind::Elsif => self.nested_if(),
            _ => {
                self.close(Closer::Fi);
                Ok(Vec::new())
            }
        }
    }

    /// `else { … }`, `else if …` or nothing.
    fn otherwise_in_braces(&mut self) -> Parsed<Vec<Stmt>> {
        match (self.kind(), self.kind_after(1)) {
            (Kind::Elsif, _) => self.nested_if(),
            (Kind::Else, Kind::If) => {
                self.take();
                self.nested_if()
            }
            (Kind::Else, Kind::LeftBrace) => {
                self.take();
                Ok(self.block())
            }
            (Kind::Else, _) => {
                self.take();
                self.fail(self.expected("`{`"));
                self.lone_statement()
            }
            _ => Ok(Vec::new()),
        }
    }

    fn nested_if(&mut self) -> Parsed<Vec<Stmt>> {
        self.enter()?;
        let nested = self.if_statement(Vec::new());
        self.leave();
        Ok(vec![nested?])
    }

    /// `while e do … od` or `while (e) { … }`
    fn while_statement(&mut self, labels: Vec<Name>) -> Parsed<Stmt> {
        let start = self.take().span;
        let cond = self.condition(Kind::Do, Closer::Od)?;
        let span = start.to(self.last_span());
        let body = match self.kind() {
            Kind::LeftBrace | Kind::Do => self.block(),
            _ if self.is_closed_later(Kind::Do, Kind::Od) => {
                let body = self.statements(Closer::Od, start);
                self.close(Closer::Od);
                body
            }
            _ => self.lone_statement()?,
        };
        Ok(Stmt { labels, kind: StmtKind::While { cond, body }, span })
    }

    /// What `if` or `while` tests, up to the word before the block. Of a broken condition the
    /// block is read nevertheless; a missing word is reported and thought to be there.
    fn condition(&mut self, word: Kind, closer: Closer) -> Parsed<Cond> {
        let text = if word == Kind::Then { "then" } else { "do" };
        match self.expression() {
            Ok(cond) => {
                if self.kind() != word && self.kind() != Kind::LeftBrace {
                    let d = self.expected(&format!("`{text}` or `{{`"));
                    self.fail(d.hint(format!(
                        "write `{text} … {}`, or braces round the statements",
                        closer.text()
                    )));
                    if !self.is_statement() && !self.skip_to(&[word, Kind::LeftBrace]) {
                        self.expect_orphan(Some(closer));
                        return Err(Abandon);
                    }
                }
                Ok(Cond::Expr(cond))
            }
            Err(Abandon) if self.skip_to(&[word, Kind::LeftBrace]) => {
                Ok(Cond::Expr(Expr { kind: ExprKind::Any, span: self.span() }))
            }
            Err(Abandon) => {
                self.expect_orphan(Some(closer));
                Err(Abandon)
            }
        }
    }

    /// Whether the next tokens look like the beginning of a statement.
    pub(super) fn is_statement(&self) -> bool {
        let after = self.kind_after(1);
        let after_name =
            matches!(after, Kind::Assign | Kind::Comma | Kind::LeftParen | Kind::Colon);
        self.kind().starts_statement() || (self.kind() == Kind::Name && after_name)
    }

    /// Whether `closer` comes before the block around ends: then only the opening word is
    /// missing. Otherwise one statement without braces was meant.
    fn is_closed_later(&self, opener: Kind, closer: Kind) -> bool {
        let mut nested = 0_usize;
        for ahead in 0..FARTHEST_LOOK {
            let kind = self.kind_after(ahead);
            let around_ends = matches!(kind, Kind::End | Kind::RightBrace | Kind::EndOfFile);
            if kind == opener {
                nested += 1;
            } else if kind == closer && nested > 0 {
                nested -= 1;
            } else if kind == closer {
                return true;
            } else if around_ends || kind.starts_procedure() {
                return false;
            }
        }
        false
    }

    fn lone_statement(&mut self) -> Parsed<Vec<Stmt>> {
        let mut all = Vec::new();
        self.labelled(&mut all)?;
        Ok(all)
    }
}
