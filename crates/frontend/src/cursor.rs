//! # A cursor over tokens
//! What a hand-written parser needs whatever its language: look ahead, move on, complain once for
//! each mistake, and refuse texts that are nested too deeply for the stack.
//!
//! **One mistake, one message.** A complaint about a token is dropped if there was one about the
//! same token, if the token is one that the lexer has complained about, or if the parser has given up.

use selvedge_model::Patience;
use selvedge_program::{Source, Span};

use crate::Diagnostic;

/// Facts about the tokens of a language that the cursor needs.
pub(crate) trait TokenKind: Copy + PartialEq {
    /// Stands after the last token, for ever.
    const END: Self;
    /// Something that the lexer could not read, and has reported.
    const UNREADABLE: Self;
}

/// The output of a lexer.
pub(crate) struct Tokens<T> {
    /// The tokens in order.
    pub list: Vec<(T, Span)>,
    /// Errors about text that could not be read.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the text was not read to its end (a comment that is not closed): what is missing
    /// there is nobody's mistake.
    pub cut: bool,
}

impl<T: TokenKind> Tokens<T> {
    /// No tokens yet.
    pub fn new() -> Self {
        Tokens { list: Vec::new(), diagnostics: Vec::new(), cut: false }
    }

    /// Adds a piece of text that is no token, and why.
    pub fn unreadable(&mut self, span: Span, diagnostic: Diagnostic) {
        self.list.push((T::UNREADABLE, span));
        if self.diagnostics.len() < MOST_UNREADABLE {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Makes an unreadable piece that ends where this one starts longer, if there is one.
    pub fn lengthen_unreadable(&mut self, span: Span) -> bool {
        let Some((kind, last)) = self.list.last_mut() else { return false };
        if *kind != T::UNREADABLE || last.end != span.start {
            return false;
        }
        match self.diagnostics.last_mut() {
            Some(diagnostic) if diagnostic.label.span == *last => {
                diagnostic.label.span.end = span.end;
            }
            _ => {}
        }
        last.end = span.end;
        true
    }
}

/// Says that a mistake was reported; a caller that can go on behind it does so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// The result of a parser: a tree, unless a mistake was reported.
pub(crate) type Parsed<T> = Result<T, Reported>;

/// Statements and expressions inside each other, counted together.
const DEEPEST: u32 = 200;

/// The most mistakes that are collected.
const MOST_DIAGNOSTICS: usize = 1000;

/// After this many pieces that are no tokens, the text is in another language: no more are reported.
const MOST_UNREADABLE: usize = 10;

/// The most characters of a token that a message repeats.
const LONGEST_QUOTE: usize = 30;

/// A place in a list of tokens, and what is wrong with it so far.
pub(crate) struct Cursor<'s, T> {
    source: &'s Source,
    patience: &'s Patience,
    tokens: Vec<(T, Span)>,
    at: usize,
    depth: u32,
    cut: bool,
    given_up: bool,
    blamed: Option<usize>,
    /// What is wrong with single pieces of the text.
    lexed: Vec<Diagnostic>,
    /// Where mistakes in single pieces are only noise, in the order of the places.
    forgiven: Vec<Span>,
    diagnostics: Vec<Diagnostic>,
}

impl<'s, T: TokenKind> Cursor<'s, T> {
    /// Starts at the first token.
    pub fn new(source: &'s Source, tokens: Tokens<T>, patience: &'s Patience) -> Self {
        Cursor {
            source,
            patience,
            tokens: tokens.list,
            at: 0,
            depth: 0,
            cut: tokens.cut,
            given_up: false,
            blamed: None,
            lexed: tokens.diagnostics,
            forgiven: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// The mistakes in the text, in the order of their places.
    pub fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        let is_noise = |diagnostic: &Diagnostic| {
            let at = diagnostic.label.span.start;
            let after = self.forgiven.partition_point(|span| span.start <= at);
            after.checked_sub(1).is_some_and(|before| at < self.forgiven[before].end)
        };
        let mut lexed = std::mem::take(&mut self.lexed);
        lexed.retain(|diagnostic| !is_noise(diagnostic));
        self.diagnostics.append(&mut lexed);
        self.diagnostics.sort_by_key(|d| d.label.span.start);
        self.diagnostics
    }

    /// The current token.
    pub fn peek(&self) -> T {
        self.peek_at(0)
    }

    /// The token `ahead` places after the current one.
    pub fn peek_at(&self, ahead: usize) -> T {
        self.tokens.get(self.at + ahead).map_or(T::END, |t| t.0)
    }

    /// Where the current token stands; at the end of the text, right after the last token.
    pub fn span(&self) -> Span {
        self.tokens.get(self.at).map_or_else(|| self.after_previous(), |t| t.1)
    }

    /// The place of the token `ahead` places after the current one.
    pub fn span_at(&self, ahead: usize) -> Span {
        self.tokens.get(self.at + ahead).map_or_else(|| self.span(), |t| t.1)
    }

    /// The token before the current one.
    pub fn peek_before(&self) -> T {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(T::END, |t| t.0)
    }

    /// Where the token before the current one stands.
    pub fn previous(&self) -> Span {
        self.before(1)
    }

    /// The place of the token `steps` places before the current one.
    pub fn before(&self, steps: usize) -> Span {
        let before = self.at.checked_sub(steps).and_then(|at| self.tokens.get(at));
        before.map_or_else(Span::default, |t| t.1)
    }

    /// The empty place right after the previous token.
    pub fn after_previous(&self) -> Span {
        let end = self.previous().end;
        Span { start: end, end }
    }

    /// The number of the current token.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The text at a place.
    pub fn text(&self, span: Span) -> &'s str {
        self.source.slice(span)
    }

    /// The text of the current token.
    pub fn current_text(&self) -> &'s str {
        self.text(self.span())
    }

    /// Moves past the current token and says where it stood.
    pub fn bump(&mut self) -> Span {
        let span = self.span();
        self.at = (self.at + 1).min(self.tokens.len());
        if !self.patience.lasts(1) {
            self.give_up();
        }
        span
    }

    /// Moves past the current token if it is this one.
    pub fn eat(&mut self, token: T) -> bool {
        let found = self.peek() == token;
        if found {
            self.bump();
        }
        found
    }

    /// Whether a mistake was reported.
    pub fn has_mistakes(&self) -> bool {
        !self.diagnostics.is_empty() || !self.lexed.is_empty()
    }

    /// Whether no line ends in a part of the text.
    pub fn is_on_one_line(&self, span: Span) -> bool {
        !self.text(span).contains('\n')
    }

    /// How many characters of its line are before a place, if these are blanks.
    pub fn indentation(&self, span: Span) -> Option<usize> {
        let before = &self.source.text()[..span.start as usize];
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        line.chars().all(char::is_whitespace).then(|| line.chars().count())
    }

    /// Whether the current token stands at the left margin.
    pub fn at_margin(&self) -> bool {
        let start = self.span().start as usize;
        start == 0 || self.source.text().as_bytes().get(start - 1) == Some(&b'\n')
    }

    /// Whether the current token is the first of its line.
    pub fn on_new_line(&self) -> bool {
        let between = Span { start: self.previous().end, end: self.span().start };
        self.peek() == T::END || self.text(between).contains('\n')
    }

    /// Reports a mistake at any place.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.blamed = Some(self.at);
        if !self.given_up && self.diagnostics.len() < MOST_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports a mistake in something that was read completely, so that the current token is as good as any.
    pub fn report_behind(&mut self, diagnostic: Diagnostic) {
        let blamed = self.blamed;
        self.report(diagnostic);
        self.blamed = blamed;
    }

    /// Reports that the current token does not fit, unless that only follows from another
    /// mistake.
    pub fn unexpected(&mut self, diagnostic: Diagnostic) -> Reported {
        let end_of_cut_text = self.cut && self.peek() == T::END;
        if self.peek() != T::UNREADABLE && !end_of_cut_text && self.blamed != Some(self.at) {
            self.report(diagnostic);
        }
        self.blamed = Some(self.at);
        Reported
    }

    /// Reports what is wrong with a whole statement in the place of what is wrong with the current piece of it.
    pub fn instead(&mut self, diagnostic: Diagnostic) -> Reported {
        if self.blamed != Some(self.at) {
            let span = self.span();
            self.forgive(span);
            self.report(diagnostic);
        }
        Reported
    }

    /// Drops mistakes in the pieces at a place that is read no further, since something else is wrong there.
    pub fn forgive(&mut self, span: Span) {
        let last = self.forgiven.last().map_or(0, |last| last.end);
        if span.start >= last && span.start < span.end {
            self.forgiven.push(span);
        }
    }

    /// The number of tokens.
    pub fn length(&self) -> usize {
        self.tokens.len()
    }

    /// The token with this number.
    pub fn token_of(&self, position: usize) -> T {
        self.tokens.get(position).map_or(T::END, |t| t.0)
    }

    /// Takes the token with this number for another one.
    pub fn rename(&mut self, position: usize, token: T) {
        if let Some(renamed) = self.tokens.get_mut(position) {
            renamed.0 = token;
        }
    }

    /// What stands behind a place on its line.
    pub fn rest_of_line(&self, span: Span) -> &'s str {
        let rest = &self.source.text()[span.end as usize..];
        rest.lines().next().unwrap_or_default()
    }

    /// The number of the token that begins at a place, or behind it.
    pub fn position_of(&self, span: Span) -> usize {
        self.tokens.partition_point(|(_, token)| token.start < span.start)
    }

    /// Where the token with this number stands.
    pub fn span_of(&self, position: usize) -> Span {
        self.tokens.get(position).map_or_else(|| self.after_previous(), |t| t.1)
    }

    /// The current token as part of a message.
    pub fn quote(&self) -> String {
        if self.peek() == T::END {
            return "the end of the file".to_owned();
        }
        let text = self.current_text();
        match text.char_indices().nth(LONGEST_QUOTE) {
            Some((cut, _)) => format!("`{}…`", &text[..cut]),
            None => format!("`{text}`"),
        }
    }

    /// Goes one level deeper, if the limit allows. To be matched by [`Cursor::leave`].
    pub fn enter(&mut self) -> Parsed<()> {
        if self.depth >= DEEPEST {
            return Err(self.too_deep());
        }
        self.depth += 1;
        Ok(())
    }

    /// Comes back from one level.
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Reports that the text is nested too deeply, and gives up on the rest of it.
    pub fn too_deep(&mut self) -> Reported {
        self.unexpected(Diagnostic::error(self.span(), "this is nested too deeply").hint(format!(
            "there may be {DEEPEST} levels; move the inner part to a procedure, or \
                 compute it step by step"
        )));
        self.give_up();
        Reported
    }

    /// Leaves the rest of the text out, and what is wrong with it.
    pub fn give_up(&mut self) {
        self.given_up = true;
        self.at = self.tokens.len();
    }
}
