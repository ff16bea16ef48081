//! # The `.weave` language
//! A hand-written parser, one method for each construct of `docs/language.md`:
//!
//! - `lexer`: text to tokens;
//! - `items`: what stands at the top of a file, and procedures;
//! - `declarations`: types and variables;
//! - `statements`: control flow, and going on after a mistake;
//! - `sugar`: statements that are made of others;
//! - `assignments`: what stands around `:=`;
//! - `expressions`: operators; `operands`: what they are applied to, and effects;
//! - `misplaced`: what to write where something else stands;
//! - `layout`: the same text, laid out; `blanks`: what stands between two tokens.
//!
//! **Effects.** A call is no expression, but only what stands around it tells whether it is one
//! of the places where an effect is allowed. So the expression parser accepts effects everywhere,
//! puts them aside (`Parser::effects`) and leaves a placeholder. A place that allows an effect
//! takes it if the placeholder is all there is; everywhere else those put aside are mistakes.
//!
//! **Depth.** Nesting is limited while parsing, and so is the height of an expression, which
//! grows without nesting in `a - b - c - …`. Whoever walks the tree may recurse.

pub(crate) mod assignments;
mod blanks;
mod declarations;
mod expressions;
mod items;
mod layout;
mod lexer;
mod misplaced;
mod operands;
mod statements;
mod sugar;
#[cfg(test)]
mod tests;

use selvedge_model::Patience;
use selvedge_program::{Source, Span};

use crate::check::similar::{WORDS, did_you_mean};
use crate::cursor::{Cursor, Parsed, Reported};
use crate::diagnostic::write;
use crate::foreign::{self, NO_POINTERS, NO_TEMPORAL_LOGIC};
use crate::syntax::{Effect, File, Item, Name};
use crate::{Diagnostic, syntax};
pub use layout::layout;
use lexer::Token;

/// Parses a file. The tree holds whatever could be understood; the diagnostics are in the order
/// of their places.
#[must_use]
pub fn parse(source: &Source) -> (syntax::File, Vec<Diagnostic>) {
    parse_within(source, &Patience::default())
}

/// Parses a file, or the beginning of it for which there is patience.
pub(crate) fn parse_within(
    source: &Source,
    patience: &Patience,
) -> (syntax::File, Vec<Diagnostic>) {
    let mut parser = Parser {
        tokens: Cursor::new(source, lexer::tokenize(source, patience), patience),
        items: Vec::new(),
        effects: Vec::new(),
        height: 0,
        last_parens: (0, 0),
        in_predicate: false,
        binders: Vec::new(),
        has_parts: false,
        begun: None,
        misnamed: Vec::new(),
        doubts: Vec::new(),
        copies_left: 4 * source.text().len() + SMALL_COPIES,
    };
    parser.file();
    let file = File { items: parser.items, has_parts: parser.has_parts, doubts: parser.doubts };
    (file, parser.tokens.into_diagnostics())
}

/// How many bytes of source may be repeated in the tree, in addition to some times the length of
/// the file.
const SMALL_COPIES: usize = 100_000;

/// The words that begin a statement or a declaration.
#[must_use]
pub fn words() -> &'static [&'static str] {
    &WORDS
}

const MISSING_HINT: &str = "a statement or declaration ends with `;`";

const STEP_HINT: &str = "`x++;` and `x--;` are statements of their own, with the sign after x";

/// The name that a statement or a declaration begins with.
#[derive(Clone, Copy)]
struct Begun {
    span: Span,
    /// Whether what follows it does not follow a name in a program.
    can_be_foreign: bool,
    /// Whether a parenthesis follows it, as in a call.
    has_parenthesis: bool,
}

struct Parser<'s> {
    tokens: Cursor<'s, Token>,
    /// The declarations so far.
    items: Vec<Item>,
    /// Effects met in an expression that nobody has asked for yet.
    effects: Vec<Effect>,
    /// The height of the expression that was parsed last.
    height: u32,
    /// The numbers of the tokens of the parentheses that were closed last.
    last_parens: (usize, usize),
    /// Whether `pc == L` means `at L`.
    in_predicate: bool,
    /// The names that are quantified here, the innermost last.
    binders: Vec<String>,
    /// Whether something was met that is made of parts.
    has_parts: bool,
    /// The name that the statement or declaration begins with, if it begins with one.
    begun: Option<Begun>,
    /// Reserved words that were used as names, and reported.
    misnamed: Vec<String>,
    /// What may not be meant as it is written.
    doubts: Vec<Diagnostic>,
    /// How many bytes of source may still be repeated in the tree.
    copies_left: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens.peek()
    }

    fn eat(&mut self, token: Token) -> bool {
        self.tokens.eat(token)
    }

    /// Reports that something else was expected in the place of the current token.
    fn expected(&mut self, what: &str) -> Reported {
        let message = write(what, &self.tokens.quote());
        let error = Diagnostic::error(self.tokens.span(), message);
        let error = self.of_other_languages(error, what);
        self.tokens.unexpected(error)
    }

    /// Reports that something else was expected, and what to do about it unless a word or a sign of another language says more.
    fn expected_or(&mut self, what: &str, hint: &str) -> Reported {
        let message = write(what, &self.tokens.quote());
        let error = Diagnostic::error(self.tokens.span(), message);
        let error = self.of_other_languages(error, what);
        let error = if error.hint.is_none() { error.hint(hint) } else { error };
        self.tokens.unexpected(error)
    }

    /// The mistake as it is, or that something of another language stands here, and what there is in its place.
    fn of_other_languages(&self, error: Diagnostic, wanted: &str) -> Diagnostic {
        if let Some(error) = self.begun_elsewhere() {
            return error;
        }
        if let Some(hint) = self.misplaced(wanted) {
            return error.hint(hint);
        }
        let here = self.tokens.span();
        let both = here.to(self.tokens.span_at(1));
        if matches!(wanted, "an expression" | "a statement")
            && matches!(self.tokens.text(both), "[]" | "<>")
        {
            return self.no_word(both).hint(NO_TEMPORAL_LOGIC);
        }
        for span in [here.to(self.tokens.span_at(1)), here] {
            if let Some(hint) = foreign::sign(self.tokens.text(span)) {
                return self.no_word(span).hint(hint);
            }
        }
        // Where a sign of another language is two of ours, the second one is in the way.
        let both = self.tokens.previous().to(here);
        match self.tokens.text(both) {
            "<>" => return self.no_word(both).hint("write `!=`"),
            "<=>" => return self.no_word(both).hint("write `==`, between truth values too"),
            "[]" => return error.hint("an array says how long it is: `int a[3];`"),
            sign @ "->" => {
                return match foreign::sign(sign) {
                    Some(hint) => self.no_word(both).hint(hint),
                    None => error,
                };
            }
            "()" if error.message.starts_with("write an expression") => {
                return error
                    .hint("something has to stand in the parentheses; `return;` returns nothing");
            }
            _ => {}
        }
        for span in [here, self.tokens.previous()] {
            if let Some(hint) = foreign::between(self.tokens.text(span)) {
                return self.no_word(span).hint(hint);
            }
        }
        error
    }

    /// Says that what is being read begins with a word of another language, if it does.
    fn begun_elsewhere(&self) -> Option<Diagnostic> {
        let begun = self.begun.filter(|begun| begun.can_be_foreign)?;
        let hint = foreign::beginning(self.tokens.text(begun.span))?;
        Some(self.no_word(begun.span).hint(hint))
    }

    fn no_word(&self, span: Span) -> Diagnostic {
        let message = format!("`{}` does not belong to the language", self.tokens.text(span));
        Diagnostic::error(span, message)
    }

    /// Reports that something else was expected, and what to do about it.
    fn expected_with_hint(&mut self, what: &str, hint: impl Into<String>) -> Reported {
        let message = write(what, &self.tokens.quote());
        let error = Diagnostic::error(self.tokens.span(), message).hint(hint);
        let error = self.begun_elsewhere().unwrap_or(error);
        self.tokens.unexpected(error)
    }

    /// Reports a mistake at any place.
    fn mistake(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        self.tokens.report(Diagnostic::error(span, message).hint(hint));
    }

    /// Moves past a token that must stand here.
    fn expect(&mut self, token: Token, what: &str) -> Parsed<Span> {
        if self.peek() == token { Ok(self.tokens.bump()) } else { Err(self.expected(what)) }
    }

    /// Moves past the `)` or `]` that closes an opening one.
    fn expect_closing(&mut self, token: Token, what: &str, open: Span) -> Parsed<Span> {
        if self.peek() == token {
            return Ok(self.tokens.bump());
        }
        let message = write(what, &self.tokens.quote());
        let error = Diagnostic::error(self.tokens.span(), message);
        let error = self.of_other_languages(error.related(open, "to close this"), what);
        let hint = match (token, self.peek()) {
            (Token::CloseBracket, Token::Comma) => "each index has brackets of its own: `a[1][2]`",
            (Token::CloseParen, Token::DotDot) => "`{1 .. 3}` chooses one of these numbers",
            _ => return Err(self.tokens.unexpected(error)),
        };
        Err(self.tokens.unexpected(error.hint(hint)))
    }

    /// Moves past the `;` at the end of a statement or declaration. If it is missing but the next
    /// line begins something new, nothing else is wrong.
    fn expect_semicolon(&mut self) -> Parsed<()> {
        if self.eat(Token::Semicolon) {
            return Ok(());
        }
        let error = match self.peek() {
            Token::End => "write `;` before the end of the file".to_owned(),
            _ => write("`;`", &self.tokens.quote()),
        };
        let hint = match self.peek() {
            Token::PlusPlus | Token::MinusMinus => STEP_HINT.to_owned(),
            Token::Comma => "`,` joins nothing here: write `;`".to_owned(),
            Token::Not if !self.tokens.on_new_line() => {
                "there are no macros: write a procedure, and call it without `!`".to_owned()
            }
            Token::EqualEqual | Token::NotEqual => {
                "a comparison is no statement: `assume e;` waits until it holds, `assert e;` checks it"
                    .to_owned()
            }
            Token::Name if self.tokens.text(self.tokens.previous()) == "*" => {
                NO_POINTERS.to_owned()
            }
            _ if self.tokens.on_new_line() => MISSING_HINT.to_owned(),
            _ => self.foreign_beginning().unwrap_or(MISSING_HINT).to_owned(),
        };
        let error = Diagnostic::error(self.tokens.after_previous(), error).hint(hint);
        let error = match self.misspelt_beginning() {
            Some(misspelt) if !self.tokens.on_new_line() => misspelt,
            _ => self.of_other_languages(error, "`;`"),
        };
        let reported = self.tokens.unexpected(error);
        let something_new = self.tokens.on_new_line() || self.peek() == Token::CloseBrace;
        if something_new { Ok(()) } else { Err(reported) }
    }

    /// Reports lines that a preprocessor would read, or that are comments of other languages, and goes on after them.
    fn skip_directives(&mut self) {
        while self.peek() == Token::Hash || self.at_foreign_comment() {
            let span = self.tokens.span();
            let word = self.tokens.text(self.tokens.span_at(1));
            let error = match self.peek() == Token::Hash && foreign::is_directive(word) {
                true => Diagnostic::error(span, "there is no preprocessor")
                    .hint("one file is the whole program; `const N = 3;` declares a constant"),
                false => {
                    let message = format!("{} begins no comment", self.tokens.quote());
                    Diagnostic::error(span, message).hint("write `//` before a comment")
                }
            };
            self.tokens.unexpected(error);
            self.tokens.bump();
            while self.peek() != Token::End && !self.tokens.on_new_line() {
                self.tokens.bump();
            }
        }
    }

    /// Whether `-- words` stands here, and no `--x;`.
    fn at_foreign_comment(&self) -> bool {
        self.peek() == Token::MinusMinus
            && self.tokens.span().end < self.tokens.span_at(1).start
            && self.tokens.peek_at(2) != Token::Semicolon
    }

    /// Notes what may not be meant as it is written.
    fn doubt(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        self.doubts.push(Diagnostic::warning(span, message).hint(hint));
    }

    /// Reports words that stand before a type in other languages, and goes on after them.
    fn skip_modifiers(&mut self) {
        while self.peek() == Token::Name
            && matches!(
                self.tokens.peek_at(1),
                Token::Bool | Token::Int | Token::Machine | Token::Void | Token::Lock | Token::Name
            )
            && let Some(hint) = foreign::modifier(self.tokens.current_text())
            && (self.tokens.peek_at(1) != Token::Name || self.is_before_type())
        {
            let message = format!("{} does not belong to the language", self.tokens.quote());
            self.mistake(self.tokens.span(), message, hint);
            self.tokens.bump();
        }
    }

    /// Whether two names, or a name and a type, follow the current token.
    fn is_before_type(&self) -> bool {
        matches!(
            self.tokens.peek_at(2),
            Token::Name | Token::Bool | Token::Int | Token::Machine | Token::Void | Token::Lock
        )
    }

    /// Notes how a statement or a declaration begins.
    fn begin(&mut self) {
        let follows_name = matches!(
            self.tokens.peek_at(1),
            Token::Assign
                | Token::OpenParen
                | Token::OpenBracket
                | Token::Dot
                | Token::Comma
                | Token::Colon
                | Token::PlusPlus
                | Token::MinusMinus
                | Token::PlusAssign
                | Token::MinusAssign
        );
        let begun = Begun {
            span: self.tokens.span(),
            can_be_foreign: !follows_name,
            has_parenthesis: self.tokens.peek_at(1) == Token::OpenParen,
        };
        self.begun = (self.peek() == Token::Name).then_some(begun);
    }

    /// Says that what is being read begins with a misspelt word, or with one of another language, if it does: nothing that may follow a name follows it, or
    /// what follows `)` on the same line follows no call, as in `whlie (e) skip;`.
    fn misspelt_beginning(&self) -> Option<Diagnostic> {
        let begun = self.begun?;
        let follows_no_call = begun.has_parenthesis && !self.tokens.on_new_line();
        if !begun.can_be_foreign && !follows_no_call {
            return None;
        }
        let foreign = self.foreign_beginning().map(str::to_owned);
        let hint = foreign.or_else(|| did_you_mean(self.tokens.text(begun.span), WORDS))?;
        Some(self.no_word(begun.span).hint(hint))
    }

    /// What to do about the word that what is being read begins with, if it is one of another language.
    fn foreign_beginning(&self) -> Option<&'static str> {
        foreign::beginning(self.tokens.text(self.begun?.span))
    }

    /// The name at the current token, which is a [`Token::Name`].
    fn bump_name(&mut self) -> Name {
        let span = self.tokens.bump();
        Name { text: self.tokens.text(span).to_owned(), span }
    }

    /// A name that must stand here. A reserved word in its place is a mistake, but clearly meant
    /// as a name if what follows a name follows it.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.peek() == Token::Name {
            return Ok(self.bump_name());
        }
        let reserved = lexer::is_reserved(self.peek(), self.tokens.current_text());
        if !reserved {
            return Err(self.expected(what));
        }
        let word = self.tokens.current_text();
        let meant = matches!(
            self.tokens.peek_at(1),
            Token::Assign
                | Token::Equal
                | Token::Comma
                | Token::Semicolon
                | Token::Colon
                | Token::OpenParen
                | Token::CloseParen
                | Token::OpenBracket
                | Token::OpenBrace
                | Token::CloseBrace
                | Token::Star
        );
        if meant && self.misnamed.iter().any(|known| known == word) {
            return Ok(self.bump_name());
        }
        let span = self.tokens.span();
        let message = format!("expected {what}, but {} is a reserved word", self.tokens.quote());
        let error = Diagnostic::error(span, message).hint("choose another name");
        let reported = self.tokens.unexpected(error);
        if !meant {
            return Err(reported);
        }
        self.misnamed.push(word.to_owned());
        Ok(self.bump_name())
    }

    /// One or more things with commas between them.
    fn list<R>(&mut self, mut one: impl FnMut(&mut Self) -> Parsed<R>) -> Parsed<Vec<R>> {
        let mut list = vec![one(self)?];
        while self.eat(Token::Comma) {
            list.push(one(self)?);
        }
        Ok(list)
    }

    /// Whether the text at a place may stand for so many variables, each of which gets a copy of
    /// its tree; if not, says so.
    fn may_copy(&mut self, span: Span, variables: usize) -> Parsed<()> {
        let length = span.end.saturating_sub(span.start) as usize;
        let bytes = length.saturating_mul(variables.saturating_sub(1));
        match self.copies_left.checked_sub(bytes) {
            Some(left) => {
                self.copies_left = left;
                Ok(())
            }
            None => Err(self.tokens.unexpected(
                Diagnostic::error(span, "this is too long to stand for so many variables")
                    .hint("declare them one by one, or name a part of it with `const`"),
            )),
        }
    }
}
