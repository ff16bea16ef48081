//! # The `.weave` language
//! A hand-written parser, one method for each construct of `docs/language.md`:
//!
//! - `lexer`: text to tokens; `words`: which names are words of the language where they stand;
//! - `items`: what stands at the top of a file, and procedures; `threads`: threads, invariants and predicates;
//! - `declarations`: types and variables;
//! - `statements`: control flow; `single`: statements that contain no others; `recovery`: going on after a mistake;
//! - `sugar`: statements that are made of others;
//! - `assignments`: what stands around `:=`;
//! - `elsewhere`, `called_elsewhere`, `declared_elsewhere`: statements, calls and declarations of other languages; `doubts`: what is read, and warned of;
//! - `expressions`: operators; `operands`: what they are applied to, and effects;
//! - `wanted`: what the parser can want; `misplaced`: what to write where something else stands; `within`: by the statement in which it stands;
//! - `reserved`: words that were meant as names; `endings`: bodies that end without a result;
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
mod called_elsewhere;
mod declarations;
mod declared_elsewhere;
mod doubts;
mod elsewhere;
mod endings;
mod expressions;
mod items;
mod layout;
mod lexer;
mod meant;
mod misplaced;
mod operands;
mod recovery;
mod reserved;
mod single;
mod statements;
mod sugar;
#[cfg(test)]
mod tests;
mod threads;
mod wanted;
mod within;
mod words;

use selvedge_model::Patience;
use selvedge_program::{Source, Span};

use crate::check::similar::{WORDS, did_you_mean};
use crate::cursor::{Cursor, Parsed, Reported};
use crate::diagnostic::write;
use crate::foreign::{self, NO_POINTERS, NO_TEMPORAL_LOGIC};
use crate::syntax::{Effect, File, Item, Name};
use crate::{Diagnostic, syntax};
use assignments::LONGEST_CONDITION;
use elsewhere::GUARDS;
pub use layout::layout;
use lexer::Token;
use misplaced::COMMENTS;
use wanted::Wanted;
pub use words::words;

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
        in_word_block: false,
        has_parts: false,
        begun: None,
        first: Span::default(),
        misnamed: Vec::new(),
        foreign_types: Vec::new(),
        doubts: Vec::new(),
        copies_left: 4 * source.text().len() + SMALL_COPIES,
    };
    parser.file();
    parser.report_foreign_types();
    let file = File { items: parser.items, has_parts: parser.has_parts, doubts: parser.doubts };
    (file, parser.tokens.into_diagnostics())
}

/// How many bytes of source may be repeated in the tree, in addition to some times the length of
/// the file.
const SMALL_COPIES: usize = 100_000;

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
    /// Effects that were met in an expression and not taken yet.
    effects: Vec<Effect>,
    /// The height of the expression that was parsed last.
    height: u32,
    /// The numbers of the tokens of the parentheses that were closed last.
    last_parens: (usize, usize),
    /// Whether `pc == L` means `at L`.
    in_predicate: bool,
    /// The names that are quantified here, the innermost last.
    binders: Vec<String>,
    /// Whether the word that opens the next block was reported with the one before it.
    in_word_block: bool,
    /// Whether something was met that is made of parts.
    has_parts: bool,
    /// The name that the statement or declaration begins with, if it begins with one.
    begun: Option<Begun>,
    /// Where the statement or declaration begins.
    first: Span,
    /// Reserved words that were used as names, and reported.
    misnamed: Vec<String>,
    /// Types of other languages that variables are declared with.
    foreign_types: Vec<Name>,
    /// Warnings about the text.
    doubts: Vec<Diagnostic>,
    /// The number of bytes of source that may still be repeated in the tree.
    copies_left: usize,
}

/// The one text that advice asks for in the place of what is wrong: `write `!=``.
fn only_replacement(hint: &str) -> Option<&str> {
    let text = hint.strip_prefix("write `")?.strip_suffix('`')?;
    (!text.contains(['`', '…'])).then_some(text)
}

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens.peek()
    }

    fn eat(&mut self, token: Token) -> bool {
        self.tokens.eat(token)
    }

    /// Reports that something else was expected in the place of the current token.
    fn expected(&mut self, what: Wanted) -> Reported {
        self.expected_or(what, what.usual())
    }

    /// Reports that something else was expected, and what to do about it unless a word or a sign of another language says more.
    fn expected_or(&mut self, what: Wanted, hint: &str) -> Reported {
        let message = write(what.phrase(), &self.tokens.quote());
        let error = Diagnostic::error(self.tokens.span(), message);
        let error = self.of_other_languages(error, what);
        let error = if error.hint.is_none() { error.hint(hint) } else { error };
        self.unexpected(error)
    }

    /// Reports that the current token does not fit; where it is none, that the statement begins with a word of another language.
    fn unexpected(&mut self, error: Diagnostic) -> Reported {
        match self.begun_elsewhere().filter(|_| self.peek() == Token::Unreadable) {
            Some(begun) => self.tokens.instead(begun),
            None => self.tokens.unexpected(error),
        }
    }

    /// The mistake as it is, or that something of another language stands here, and what there is in its place.
    fn of_other_languages(&self, error: Diagnostic, wanted: Wanted) -> Diagnostic {
        if let Some(error) = self.begun_elsewhere() {
            return error;
        }
        if let Some(hint) = self.misplaced(wanted) {
            return error.hint(hint);
        }
        let here = self.tokens.span();
        if matches!(wanted, Wanted::Semicolon | Wanted::Statement)
            && matches!(self.peek(), Token::CloseParen | Token::CloseBracket)
        {
            let (closing, open) = match self.peek() {
                Token::CloseParen => (")", "("),
                _ => ("]", "["),
            };
            return Diagnostic::error(here, format!("this `{closing}` closes nothing"))
                .hint(format!("leave it out, or add the `{open}` it belongs to"));
        }
        let both = here.to(self.tokens.span_at(1));
        if matches!(wanted, Wanted::Expression | Wanted::Statement)
            && matches!(self.tokens.text(both), "[]" | "<>")
        {
            return self.no_word(both).hint(NO_TEMPORAL_LOGIC);
        }
        for span in [here.to(self.tokens.span_at(1)), here] {
            if self.tokens.text(span) == "->" {
                return self.no_word(span).hint(self.arrow(0));
            }
            if self.tokens.text(span) == "::"
                && !self.tokens.text(self.tokens.previous()).ends_with(char::is_alphanumeric)
            {
                return self.no_word(span).hint(GUARDS);
            }
            if self.tokens.text(span) == "<-"
                && let Some(hint) = self.through_channel()
            {
                return self.no_word(span).hint(hint);
            }
            if let Some(hint) = foreign::sign(self.tokens.text(span)) {
                let error = self.no_word(span).hint(hint);
                return match only_replacement(hint) {
                    Some(sign) => error.fixed_by(span, sign),
                    None => error,
                };
            }
        }
        // Where a sign of another language is two of ours, the second one is in the way.
        let both = self.tokens.previous().to(here);
        match self.tokens.text(both) {
            "<>" => return self.no_word(both).hint("write `!=`"),
            "<=>" => return self.no_word(both).hint("write `==`, between truth values too"),
            "[]" => return error.hint("an array says how long it is: `int a[3];`"),
            "->" => return self.no_word(both).hint(self.arrow(1)),
            "()" if wanted == Wanted::Expression => {
                return error
                    .hint("something has to stand in the parentheses; `return;` returns nothing");
            }
            _ => {}
        }
        for span in [here, self.tokens.previous()] {
            if let Some(hint) = foreign::between(self.tokens.text(span)) {
                let made = self.made_new().unwrap_or_else(|| hint.to_owned());
                return self.no_word(span).hint(made);
            }
        }
        match self.left_out(wanted) {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }

    /// Says that what is being read begins with a word of another language, if it does.
    fn begun_elsewhere(&self) -> Option<Diagnostic> {
        let begun = self.begun.filter(|begun| begun.can_be_foreign)?;
        let word = self.tokens.text(begun.span);
        let hint = foreign::beginning(word)?;
        Some(match word {
            "chan" => {
                Diagnostic::error(begun.span, "a channel is not declared like this").hint(hint)
            }
            _ => self.no_word(begun.span).hint(hint),
        })
    }

    fn no_word(&self, span: Span) -> Diagnostic {
        let message = format!("`{}` does not belong to the language", self.tokens.text(span));
        Diagnostic::error(span, message)
    }

    /// Reports that something else was expected, and what to do about it.
    fn expected_with_hint(&mut self, what: Wanted, hint: impl Into<String>) -> Reported {
        let message = write(what.phrase(), &self.tokens.quote());
        let error = Diagnostic::error(self.tokens.span(), message).hint(hint);
        let error = self.begun_elsewhere().unwrap_or(error);
        self.unexpected(error)
    }

    /// Reports a mistake at any place.
    fn mistake(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        self.tokens.report(Diagnostic::error(span, message).hint(hint));
    }

    /// Reports a mistake that is mended by another text in its place.
    fn replaceable(&mut self, span: Span, message: impl Into<String>, hint: &str, text: &str) {
        self.tokens.report(Diagnostic::error(span, message).hint(hint).fixed_by(span, text));
    }

    /// Moves past a token that must stand here.
    fn expect(&mut self, token: Token, what: Wanted) -> Parsed<Span> {
        if self.peek() == token { Ok(self.tokens.bump()) } else { Err(self.expected(what)) }
    }

    /// Moves past the `)` or `]` that closes an opening one.
    fn expect_closing(&mut self, token: Token, what: Wanted, open: Span) -> Parsed<Span> {
        if self.peek() == token {
            return Ok(self.tokens.bump());
        }
        let message = write(what.phrase(), &self.tokens.quote());
        let error = Diagnostic::error(self.tokens.span(), message);
        let error = self.of_other_languages(error.related(open, "to close this"), what);
        let hint = match (token, self.peek()) {
            (Token::CloseBracket, Token::Comma) => "each index has brackets of its own: `a[1][2]`",
            (Token::CloseParen, Token::DotDot) => "`{1 .. 3}` chooses one of these numbers",
            _ if error.hint.is_some() => return Err(self.unexpected(error)),
            _ => what.usual(),
        };
        Err(self.unexpected(error.hint(hint)))
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
            Token::Comma => self
                .one_by_one()
                .unwrap_or_else(|| "`,` joins nothing here: write `;`".to_owned()),
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
        let end = self.tokens.after_previous();
        let is_all =
            hint == MISSING_HINT && (self.tokens.on_new_line() || self.peek() == Token::CloseBrace);
        let error = Diagnostic::error(end, error).hint(hint);
        let error = if is_all { error.fixed_by(end, ";") } else { error };
        let error = match self.misspelt_beginning() {
            Some(misspelt) if !self.tokens.on_new_line() => misspelt,
            _ => self.of_other_languages(error, Wanted::Semicolon),
        };
        let reported = self.unexpected(error);
        let something_new = self.tokens.on_new_line() || self.peek() == Token::CloseBrace;
        if something_new { Ok(()) } else { Err(reported) }
    }

    /// Reports lines that a preprocessor would read, or that are comments of other languages, and goes on after them.
    fn skip_directives(&mut self) {
        while self.peek() == Token::Hash || self.at_foreign_comment() {
            let span = self.tokens.span();
            let word = self.tokens.text(self.tokens.span_at(1));
            let is_attribute = matches!(self.tokens.peek_at(1), Token::OpenBracket | Token::Not);
            let error = match self.peek() {
                Token::Hash if foreign::is_directive(word) => {
                    Diagnostic::error(span, "there is no preprocessor")
                        .hint("one file is the whole program; `const N = 3;` declares a constant")
                }
                Token::Hash if is_attribute => {
                    Diagnostic::error(span, "there are no attributes").hint("leave the line out")
                }
                Token::MinusMinus if !self.at_words_after_dashes() => {
                    let message = format!("`--{word}` does not belong to the language");
                    let hint = "leave the line out: one file is the whole program, and threads are `thread NAME { … }`";
                    Diagnostic::error(span.to(self.tokens.span_at(1)), message).hint(hint)
                }
                Token::OpenParen if self.tokens.text(self.tokens.span_at(2)) == "--" => {
                    let hint = "leave the line out: one file is the whole program, and threads are `thread NAME { … }`";
                    Diagnostic::error(span.to(self.tokens.span_at(1)), "`(*` begins no comment")
                        .hint(hint)
                }
                Token::OpenParen => {
                    let both = span.to(self.tokens.span_at(1));
                    Diagnostic::error(both, "`(*` begins no comment").hint(COMMENTS)
                }
                _ => {
                    let message = format!("{} begins no comment", self.tokens.quote());
                    Diagnostic::error(span, message).hint("write `//` before a comment")
                }
            };
            let from = self.tokens.position();
            let is_block =
                self.peek() == Token::OpenParen && self.tokens.text(self.tokens.span_at(2)) != "--";
            self.tokens.unexpected(error);
            self.tokens.bump();
            while self.peek() != Token::End && (is_block || !self.tokens.on_new_line()) {
                let sign = self.tokens.bump();
                let both = sign.to(self.tokens.span());
                if is_block && self.tokens.text(both) == "*)" {
                    self.tokens.bump();
                    break;
                }
            }
            self.forgive_from(from);
        }
    }

    /// Drops mistakes in the pieces between a token and the current one.
    fn forgive_from(&mut self, position: usize) {
        let start = self.tokens.span_of(position).end;
        let end = self.tokens.previous().end;
        if start < end {
            self.tokens.forgive(Span { start, end });
        }
    }

    /// Whether a comment of another language stands here: `-- words`, and no `--x;`; `(* words *)`; or `--algorithm`, which stands in one.
    fn at_foreign_comment(&self) -> bool {
        match self.peek() {
            Token::MinusMinus if self.at_words_after_dashes() => {
                self.tokens.peek_at(2) != Token::Semicolon
            }
            Token::MinusMinus => {
                let word = self.tokens.text(self.tokens.span_at(1));
                matches!(word, "--" | "algorithm" | "fair")
            }
            Token::OpenParen => {
                self.tokens.peek_at(1) == Token::Star
                    && self.tokens.span().end == self.tokens.span_at(1).start
            }
            _ => false,
        }
    }

    /// Whether a blank follows the `--` that stands here.
    fn at_words_after_dashes(&self) -> bool {
        self.tokens.span().end < self.tokens.span_at(1).start
    }

    /// What to write in the place of `->`, whose first sign is so many tokens before the current one.
    fn arrow(&self, before: usize) -> &'static str {
        let here = |ahead: usize| match ahead.checked_sub(before) {
            Some(ahead) => self.tokens.span_at(ahead),
            None => self.tokens.previous(),
        };
        let left = self.tokens.before(before + 1);
        let is_tight = left.end == here(0).start && here(1).end == here(2).start;
        let mut rest = (2 - before..LONGEST_CONDITION).map(|ahead| self.tokens.peek_at(ahead));
        let ends = |token: &Token| {
            matches!(
                token,
                Token::Semicolon
                    | Token::Colon
                    | Token::CloseParen
                    | Token::OpenBrace
                    | Token::CloseBrace
                    | Token::End
            )
        };
        match rest.find(ends) {
            _ if is_tight => "there are no pointers: `p.x` is a member of the variable `p`",
            Some(Token::Colon) => "write `c ? a : b`",
            _ if self.is_claimed(2 - before) => "write `==>`",
            _ => {
                "a guard is `either when g { … } or when h { … }`, `assume g;` waits until `g` holds, and `;` stands between statements"
            }
        }
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
            let word = self.tokens.bump();
            while foreign::modifier(self.tokens.current_text()) == Some(hint)
                && self.tokens.peek_at(1) != Token::Semicolon
            {
                self.tokens.bump();
            }
            let all = word.to(self.tokens.previous());
            let message = format!("`{}` does not belong to the language", self.tokens.text(all));
            let error = Diagnostic::error(all, message).hint(hint);
            let rest = Span { start: all.start, end: self.tokens.span().start };
            let is_left_out = hint.starts_with("leave it out");
            let is_final = self.tokens.text(all).split_whitespace().any(|word| word == "final");
            if is_final
                && self.tokens.indentation(all) == Some(0)
                && let Some((constant, whole)) = self.constant_of()
            {
                let hint = format!("write `{constant};`, or leave it out if the value changes");
                self.tokens.report(error.hint(hint).fixed_by(all.to(whole), constant));
                continue;
            }
            self.tokens.report(if is_left_out { error.fixed_by(rest, "") } else { error });
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
        self.first = begun.span;
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

    /// The advice about the word at the beginning of what is being parsed, if it is one of another language.
    fn foreign_beginning(&self) -> Option<&'static str> {
        foreign::beginning(self.tokens.text(self.begun?.span))
    }

    /// The name at the current token, which is a [`Token::Name`].
    fn bump_name(&mut self) -> Name {
        let span = self.tokens.bump();
        Name { text: self.tokens.text(span).to_owned(), span }
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
