//! # The state of the parser
//! A place in the list of tokens, the mistakes found so far, and the blocks that are open. The
//! grammar is in the other files; here are reading, reporting, and going on after a mistake.

use selvedge_model::Patience;
use selvedge_program::{Source, Span};

use super::lexer::{Kind, Token, tokens};
use crate::diagnostic::write;
use crate::{Diagnostic, syntax::Name};

/// How deep statements and expressions may be nested, together.
pub(super) const DEEPEST: u32 = 200;

/// After this many mistakes the rest of the file is not read.
const MOST_MISTAKES: usize = 1000;

/// The construct cannot be read and was reported. Whoever can skip to a known place does so; all
/// others pass this on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Abandon;

/// Something that was read, unless it had to be given up.
pub(super) type Parsed<T> = Result<T, Abandon>;

/// The words that close a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Closer {
    End,
    Fi,
    Od,
    Brace,
}

impl Closer {
    /// The block that a token closes.
    pub(super) fn of(kind: Kind) -> Option<Closer> {
        match kind {
            Kind::End => Some(Closer::End),
            Kind::Fi | Kind::Else | Kind::Elsif => Some(Closer::Fi),
            Kind::Od => Some(Closer::Od),
            Kind::RightBrace => Some(Closer::Brace),
            _ => None,
        }
    }

    /// The block that a token opens.
    pub(super) fn opened_by(kind: Kind) -> Option<Closer> {
        match kind {
            Kind::Begin => Some(Closer::End),
            Kind::Then => Some(Closer::Fi),
            Kind::Do => Some(Closer::Od),
            Kind::LeftBrace => Some(Closer::Brace),
            _ => None,
        }
    }

    /// The text of the word.
    pub(super) fn text(self) -> &'static str {
        match self {
            Closer::End => "end",
            Closer::Fi => "fi",
            Closer::Od => "od",
            Closer::Brace => "}",
        }
    }
}

/// A block that is being read.
#[derive(Debug)]
pub(super) struct OpenBlock {
    /// The word that will close the block.
    pub(super) closer: Closer,
    /// The word that opened it.
    pub(super) opener: Span,
    /// Closers of constructs inside it whose beginning was given up: they are passed over.
    pub(super) orphans: Vec<Closer>,
}

/// The parser.
pub(super) struct Parser<'s> {
    source: &'s Source,
    tokens: Vec<Token>,
    at: usize,
    pub(super) depth: u32,
    pub(super) open: Vec<OpenBlock>,
    diagnostics: Vec<Diagnostic>,
    /// The token at which the last mistake was found: a second one there is only its echo.
    last_mistake: Option<usize>,
    /// Whether the end of the text is not the end of the file but lost in a comment.
    cut_off: bool,
    /// Set when reading is given up altogether.
    halted: bool,
    patience: &'s Patience,
}

impl<'s> Parser<'s> {
    /// Starts at the first token.
    pub(super) fn new(source: &'s Source, patience: &'s Patience) -> Self {
        let (tokens, diagnostics, cut_off) = tokens(source);
        Parser {
            source,
            tokens,
            at: 0,
            depth: 0,
            open: Vec::new(),
            diagnostics,
            last_mistake: None,
            cut_off,
            halted: false,
            patience,
        }
    }

    /// Everything that was wrong, in the order of the places.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|d| d.label.span.start);
        self.diagnostics.truncate(MOST_MISTAKES);
        self.diagnostics
    }

    // Reading.

    /// The token that is next.
    pub(super) fn token(&self) -> Token {
        self.tokens[self.at]
    }

    /// The kind of the next token.
    pub(super) fn kind(&self) -> Kind {
        self.token().kind
    }

    /// The kind of the token that comes `ahead` tokens after the next one.
    pub(super) fn kind_after(&self, ahead: usize) -> Kind {
        self.tokens.get(self.at + ahead).map_or(Kind::EndOfFile, |t| t.kind)
    }

    /// Where the next token stands.
    pub(super) fn span(&self) -> Span {
        self.token().span
    }

    /// Where the token before stands.
    pub(super) fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// The text of a place.
    pub(super) fn text(&self, span: Span) -> &'s str {
        self.source.slice(span)
    }

    /// Takes the next token; the end of the file is never passed.
    pub(super) fn take(&mut self) -> Token {
        let token = self.token();
        if token.kind != Kind::EndOfFile {
            self.at += 1;
            if !self.patience.lasts(1) {
                self.halt();
            }
        }
        token
    }

    /// Takes the next token if it is of a kind.
    pub(super) fn accept(&mut self, kind: Kind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.take();
        }
        found
    }

    /// Takes a token of a kind, written `text`.
    pub(super) fn expect(&mut self, kind: Kind, text: &str) -> Parsed<Token> {
        if self.kind() == kind {
            return Ok(self.take());
        }
        Err(self.fail(self.expected(&format!("`{text}`"))))
    }

    /// Takes a name. A keyword in its place is reported, and then taken for one.
    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.token();
        if token.kind != Kind::Name {
            let used_as_name = matches!(self.kind_after(1), Kind::Colon | Kind::Assign);
            let is_meant = !token.starts_line || used_as_name;
            if !token.kind.is_keyword() || !is_meant {
                return Err(self.fail(self.expected(what)));
            }
            let shown = self.shown();
            let d = Diagnostic::error(token.span, format!("{shown} is a keyword, not {what}"));
            self.fail(d.hint("choose another name"));
        }
        self.take();
        Ok(Name { text: self.text(token.span).to_owned(), span: token.span })
    }

    /// One or more of something, with commas between.
    pub(super) fn list<T>(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut all = vec![element(self)?];
        while self.accept(Kind::Comma) {
            all.push(element(self)?);
        }
        Ok(all)
    }

    // Reporting.

    /// The next token, for messages.
    pub(super) fn shown(&self) -> String {
        const LONGEST: usize = 40;
        let token = self.token();
        if token.kind == Kind::EndOfFile {
            return "the end of the file".to_owned();
        }
        let text = self.text(token.span);
        match text.char_indices().nth(LONGEST) {
            Some((cut, _)) => format!("`{}…`", &text[..cut]),
            None => format!("`{text}`"),
        }
    }

    /// The error that something else was expected here.
    pub(super) fn expected(&self, what: &str) -> Diagnostic {
        Diagnostic::error(self.span(), write(what, &self.shown()))
    }

    /// Reports a mistake at the next token, unless it is the echo of one that is known.
    pub(super) fn fail(&mut self, diagnostic: Diagnostic) -> Abandon {
        let known = match self.kind() {
            Kind::Unknown => true,
            Kind::EndOfFile if self.cut_off => true,
            _ => self.last_mistake == Some(self.at),
        };
        if !known {
            self.last_mistake = Some(self.at);
            self.report(diagnostic);
        }
        Abandon
    }

    /// Reports a mistake that has nothing to do with the next token.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.halted {
            return;
        }
        self.diagnostics.push(diagnostic);
        if self.diagnostics.len() >= MOST_MISTAKES {
            self.halt();
        }
    }

    /// Gives up the rest of the file.
    fn halt(&mut self) {
        self.halted = true;
        self.at = self.tokens.len() - 1;
    }

    // Nesting.

    /// Goes one level deeper, if that is allowed.
    pub(super) fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        self.check_depth(0)
    }

    /// Comes back from a level.
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Refuses a tree of some height here if it would be too deep. That ends the reading: what
    /// follows would only be its echo.
    pub(super) fn check_depth(&mut self, height: u32) -> Parsed<()> {
        if self.depth + height <= DEEPEST {
            return Ok(());
        }
        let place = if self.kind() == Kind::EndOfFile { self.last_span() } else { self.span() };
        let message = format!("nested more than {DEEPEST} levels deep");
        self.report(
            Diagnostic::error(place, message)
                .hint("move the inner part to a procedure, or compute it step by step"),
        );
        self.halt();
        Err(Abandon)
    }

    // Going on after a mistake.

    /// Takes the `;` after a statement. Where it is missing, reading goes on as if it were there,
    /// if what follows looks like the next statement.
    pub(super) fn semicolon(&mut self) -> Parsed<()> {
        if self.accept(Kind::Semicolon) {
            return Ok(());
        }
        let next = self.token();
        let goes_on = self.is_statement()
            || next.kind.starts_procedure()
            || next.kind == Kind::EndOfFile
            || Closer::of(next.kind).is_some()
            || (next.kind == Kind::Name && next.starts_line);
        if !goes_on {
            return Err(self.fail(self.expected("`;`")));
        }
        let end = self.last_span().end as usize;
        let d = Diagnostic::error(Span::new(end, end), "missing `;`");
        self.report(d.label("expected here").hint("a statement ends with `;`"));
        Ok(())
    }

    /// Skips the rest of a statement that was given up.
    pub(super) fn skip_statement(&mut self) {
        let first = self.at;
        loop {
            let token = self.token();
            let starts = token.kind.starts_statement() || token.kind == Kind::Name;
            match token.kind {
                Kind::Semicolon => {
                    self.take();
                    return;
                }
                kind if kind.starts_procedure() && token.starts_line => return,
                kind if kind == Kind::EndOfFile || Closer::of(kind).is_some() => return,
                _ if starts && token.starts_line && self.at > first => return,
                kind => {
                    self.take();
                    self.expect_orphan(Closer::opened_by(kind));
                }
            }
        }
    }

    /// Notes that the opening of a block was passed over, so that its closer is passed over too.
    pub(super) fn expect_orphan(&mut self, closer: Option<Closer>) {
        if let (Some(block), Some(closer)) = (self.open.last_mut(), closer) {
            block.orphans.push(closer);
        }
    }

    /// Skips to one of some kinds, if there is one before the statement or the block ends.
    pub(super) fn skip_to(&mut self, wanted: &[Kind]) -> bool {
        loop {
            let kind = self.kind();
            if wanted.contains(&kind) {
                return true;
            }
            let stops = matches!(kind, Kind::Semicolon | Kind::EndOfFile)
                || kind.starts_procedure()
                || Closer::of(kind).is_some();
            if stops {
                return false;
            }
            self.take();
        }
    }
}
