//! # Statements of other languages
//! Who writes `do { … } while (c);`, `x = 1, y = 2;`, `if :: g -> … fi` or `for i in 0..3` makes one mistake, and is told of
//! one: such a statement is read as a whole, and the advice is made of what stands in it.

use selvedge_program::Span;

use super::Parser;
use super::called_elsewhere::LONGEST_STATEMENT;
use super::lexer::{Token, is_reserved};
use crate::Diagnostic;
use crate::cursor::{Parsed, Reported};
use crate::syntax::{Stmt, StmtKind};

/// How long advice may be that repeats a statement.
pub(super) const LONGEST_ADVICE: usize = 120;

/// What to write in the place of `do { … } while (c);`.
const DO_WHILE: &str = "write `while true { …; if !c { break; } }`";

impl Parser<'_> {
    /// Reports `n = 1, b = 2;`, `n = 1 /\ b = 2;` and `n := 1 || b := 2;` as what they are, after the first variable.
    pub(super) fn joined_assignments(&mut self, first: Span) -> Option<Reported> {
        let assigns = |token| matches!(token, Token::Equal | Token::Assign);
        let sign = self.peek();
        if !assigns(sign) {
            return None;
        }
        let mut joints = Vec::new();
        let mut signs = vec![0];
        let mut depth = 0_usize;
        let mut end = 1;
        loop {
            match self.tokens.peek_at(end) {
                Token::OpenParen | Token::OpenBracket | Token::OpenBrace => depth += 1,
                Token::CloseParen | Token::CloseBracket | Token::CloseBrace if depth > 0 => {
                    depth -= 1;
                }
                Token::Semicolon | Token::End | Token::CloseBrace | Token::CloseParen => break,
                Token::Comma | Token::And | Token::Or if depth == 0 => joints.push(end),
                token if depth == 0 && assigns(token) => signs.push(end),
                _ => {}
            }
            end += 1;
            if end > LONGEST_STATEMENT {
                return None;
            }
        }
        let text = |from: usize, to: usize| {
            self.tokens.text(self.tokens.span_at(from).to(self.tokens.span_at(to - 1)))
        };
        let is_place = |from: usize, to: usize| {
            self.tokens.peek_at(from) == Token::Name
                && match self.tokens.peek_at(from + 1) {
                    Token::OpenBracket => self.tokens.peek_at(to - 1) == Token::CloseBracket,
                    Token::Dot => true,
                    _ => to == from + 1,
                }
        };
        let is_alike = signs.iter().all(|at| self.tokens.peek_at(*at) == sign);
        let first = self.tokens.text(first);
        let (message, hint, at) = if joints.is_empty() {
            let &[_, second] = signs.as_slice() else { return None };
            if !is_place(1, second) || !is_alike || second + 1 >= end {
                return None;
            }
            let (left, value) = (text(1, second), text(second + 1, end));
            let hint = format!(
                "write `{left} := {value}; {first} := {left};` if both get the value, `{first} := {left} == {value};` if it compares"
            );
            ("an assignment has no value".to_owned(), hint, second)
        } else {
            let &joint = joints.first()?;
            // Logic joins conditions, too: in other languages, assignments have one sign, and conditions another one.
            let is_logic = joints.iter().any(|at| self.tokens.peek_at(*at) != Token::Comma);
            let are_placed = signs.len() == joints.len() + 1
                && joints.iter().zip(&signs[1..]).all(|(joint, sign)| is_place(joint + 1, *sign));
            if !are_placed || is_logic && !is_alike {
                return None;
            }
            let ends = joints.iter().copied().chain([end]);
            let values = signs.iter().zip(ends).map(|(sign, end)| (sign + 1, end));
            let values: Vec<&str> =
                values.map(|(from, to)| if from < to { text(from, to) } else { "…" }).collect();
            let places = joints.iter().zip(&signs[1..]).map(|(from, to)| text(from + 1, *to));
            let places: Vec<&str> = [first].into_iter().chain(places).collect();
            let together = format!("{} := {};", places.join(", "), values.join(", "));
            let each =
                places.iter().zip(&values).map(|(place, value)| format!("{place} := {value};"));
            let each = each.collect::<Vec<_>>().join(" ");
            let hint = format!("write `{each}`, or `{together}` as one step");
            let sign = self.tokens.text(self.tokens.span_at(joint));
            (format!("`{sign}` does not join assignments"), hint, joint)
        };
        let hint = match hint.len() <= LONGEST_ADVICE {
            true => hint,
            false => "each assignment is a statement: `x := 1; y := 2;`; one step for both is `x, y := 1, 2;`".to_owned(),
        };
        let error = Diagnostic::error(self.tokens.span_at(at), message).hint(hint);
        self.tokens.report(error);
        Some(Reported)
    }

    /// Whether `do {` stands here.
    pub(super) fn at_do(&self) -> bool {
        self.tokens.current_text() == "do" && self.tokens.peek_at(1) == Token::OpenBrace
    }

    /// `do { … } while (c);`, which is reported and left out.
    pub(super) fn do_while(&mut self, into: &mut Vec<Stmt>) -> Parsed<()> {
        let word = self.tokens.bump();
        let message = "there is no `do` statement";
        let span = self.tokens.span();
        let body = match self.block() {
            Ok(body) => body,
            Err(Reported) => {
                self.mistake(word, message, DO_WHILE);
                return Err(Reported);
            }
        };
        into.push(Stmt { labels: Vec::new(), kind: StmtKind::Block(body), span });
        let mut hint = DO_WHILE.to_owned();
        if self.eat(Token::While) {
            let start = self.tokens.span();
            self.cond()?;
            let condition = self.tokens.text(start.to(self.tokens.previous()));
            let inner = condition.trim_start_matches('(').trim_end_matches(')');
            if condition.len() <= LONGEST_ADVICE {
                hint = format!("write `while true {{ …; if !({inner}) {{ break; }} }}`");
            }
            self.eat(Token::Semicolon);
        }
        self.tokens.report_behind(Diagnostic::error(word, message).hint(hint));
        Ok(())
    }

    /// Whether a word stands here that opens a block in other languages, and no variable: `if c then`, `while c do`.
    pub(super) fn at_word_block(&self) -> bool {
        self.peek() == Token::Name
            && matches!(self.tokens.current_text(), "then" | "do" | "begin")
            && (matches!(self.tokens.peek_at(1), Token::Name | Token::OpenBrace)
                || is_reserved(self.tokens.peek_at(1), self.tokens.text(self.tokens.span_at(1))))
    }

    /// A block between words: reported at the first one, and read up to `end`, `else` or a brace.
    pub(super) fn word_block(&mut self) -> Parsed<Vec<Stmt>> {
        let message = format!("there is no {}", self.tokens.quote());
        let hint = match self.tokens.current_text() {
            "do" => "braces stand round the body: `while c { … }`",
            _ => "braces stand round each branch: `if c { … } else { … }`",
        };
        let error = Diagnostic::error(self.tokens.span(), message).hint(hint);
        if !std::mem::take(&mut self.in_word_block) {
            self.tokens.unexpected(error);
        }
        self.tokens.bump();
        if self.peek() == Token::OpenBrace {
            return self.block();
        }
        self.rest_of_word_block()
    }

    /// Statements up to a word that ends a block, and past it unless it is `else` or `or`.
    pub(super) fn rest_of_word_block(&mut self) -> Parsed<Vec<Stmt>> {
        let mut body = Vec::new();
        loop {
            let is_over =
                matches!(self.peek(), Token::Else | Token::OrWord | Token::CloseBrace | Token::End);
            if is_over || self.at_else_if() || self.at_item() {
                return Ok(body);
            }
            if self.at_word_end() {
                self.word_end();
                return Ok(body);
            }
            self.statement_or_skip(&mut body);
        }
    }

    /// Whether a word stands here that ends a block in other languages: `end if;`, `fi`.
    pub(super) fn at_word_end(&self) -> bool {
        let next = self.tokens.peek_at(1);
        let is_alone = matches!(next, Token::Semicolon | Token::CloseBrace | Token::End);
        self.peek() == Token::Name
            && match self.tokens.current_text() {
                "end" => {
                    is_alone
                        || matches!(next, Token::If | Token::While | Token::Either | Token::Name)
                }
                "fi" | "od" | "done" | "endif" | "endwhile" => is_alone,
                _ => false,
            }
    }

    /// Moves past `end if;`.
    pub(super) fn word_end(&mut self) {
        self.tokens.bump();
        while !matches!(self.peek(), Token::Semicolon | Token::CloseBrace | Token::End)
            && !self.tokens.on_new_line()
        {
            self.tokens.bump();
        }
        self.eat(Token::Semicolon);
    }

    /// Whether `if ::`, `do ::` or `either ::` stands here.
    pub(super) fn at_guards(&self) -> bool {
        (self.tokens.peek_at(1), self.tokens.peek_at(2)) == (Token::Colon, Token::Colon)
            && self.tokens.span_at(1).end == self.tokens.span_at(2).start
            && matches!(self.tokens.current_text(), "if" | "do" | "either")
    }

    /// Reports `if :: g -> … fi`, and goes on after it.
    pub(super) fn no_guards(&mut self) {
        let message = match self.peek() {
            Token::If | Token::Either => "`::` does not belong to the language".to_owned(),
            _ => format!("there is no {} statement", self.tokens.quote()),
        };
        let error = Diagnostic::error(self.tokens.span(), message).hint(GUARDS);
        let from = self.tokens.position();
        self.tokens.unexpected(error);
        let mut open = 0_usize;
        let mut braces = 0_usize;
        loop {
            match self.peek() {
                Token::End => break,
                Token::OpenBrace => braces += 1,
                Token::CloseBrace if braces == 0 => break,
                Token::CloseBrace => braces -= 1,
                _ if self.at_guards() => open += 1,
                Token::Name if matches!(self.tokens.current_text(), "fi" | "od") => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        self.tokens.bump();
                        self.eat(Token::Semicolon);
                        break;
                    }
                }
                _ if self.at_item() && self.tokens.at_margin() => break,
                _ => {}
            }
            self.tokens.bump();
        }
        self.forgive_from(from);
    }

    /// What to write in the place of `for i in 0..3`, `for (i : 0 .. 2)`.
    fn loop_over(&self) -> String {
        let text = |ahead| self.tokens.text(self.tokens.span_at(ahead));
        let name = if self.tokens.peek_at(1) == Token::OpenParen { 2 } else { 1 };
        let (joint, range) = (text(name + 1), self.tokens.peek_at(name + 3));
        let is_condition = !matches!(joint, "in" | ":" | "," | ":=" | "=");
        let opens = |ahead: &usize| self.tokens.peek_at(*ahead) == Token::OpenBrace;
        let is_part = |ahead: &usize| {
            !matches!(
                self.tokens.peek_at(*ahead),
                Token::Semicolon | Token::CloseBrace | Token::Assign | Token::Equal | Token::End
            )
        };
        if name == 1
            && is_condition
            && let Some(body) = (1..LONGEST_STATEMENT).take_while(is_part).find(opens)
        {
            return match self.tokens.peek_at(1) {
                Token::OpenBrace => "write `while true { … }`".to_owned(),
                _ => {
                    let condition = self.tokens.span_at(1).to(self.tokens.span_at(body - 1));
                    format!("write `while {} {{ … }}`", self.tokens.text(condition))
                }
            };
        }
        let is_range = range == Token::DotDot && matches!(joint, "in" | ":");
        let mut last = name + 4;
        let is_closed = self.tokens.peek_at(last) == Token::Equal;
        last += usize::from(is_closed);
        let is_operand = |ahead| matches!(self.tokens.peek_at(ahead), Token::Name | Token::Number);
        if is_range && is_operand(name + 2) && is_operand(last) {
            let counter = text(name);
            let less = if is_closed || joint == ":" { "<=" } else { "<" };
            let (low, high) = (text(name + 2), text(last));
            return format!(
                "write `for (int {counter} := {low}; {counter} {less} {high}; {counter}++) {{ … }}`"
            );
        }
        "write `for (int i := 0; i < 3; i++) { … }`".to_owned()
    }

    /// Reports a statement whose first word begins one in other languages, if it does.
    pub(super) fn no_foreign_word(&mut self) -> Option<Reported> {
        let hint = foreign_word(self.tokens.current_text(), self.tokens.peek_at(1))?;
        let (message, hint) = match self.tokens.current_text() {
            "for" => return Some(self.no_loop()),
            _ => (format!("there is no {} statement", self.tokens.quote()), hint.to_owned()),
        };
        let error = Diagnostic::error(self.tokens.span(), message);
        Some(self.tokens.unexpected(error.hint(hint)))
    }

    /// Reports a `for` of another language, and goes on in front of its body.
    fn no_loop(&mut self) -> Reported {
        let message = "a `for` has three parts, in parentheses";
        let error = Diagnostic::error(self.tokens.span(), message).hint(self.loop_over());
        let reported = self.tokens.unexpected(error);
        let is_body = |ahead: &usize| self.tokens.peek_at(*ahead) == Token::OpenBrace;
        let ends =
            |ahead: &usize| matches!(self.tokens.peek_at(*ahead), Token::CloseBrace | Token::End);
        let body = (1..LONGEST_STATEMENT).take_while(|ahead| !ends(ahead)).find(is_body);
        for _ in 0..body.unwrap_or(0) {
            self.tokens.bump();
        }
        reported
    }
}

/// What there is in the place of `do :: g -> … od`.
pub(super) const GUARDS: &str =
    "write `either when g { … } or when h { … }`, inside of `while true { … }` to repeat it";

/// What to write in the place of a word that begins a statement in other languages. They are
/// names here, so what follows must be something that does not follow a name.
pub(super) fn foreign_word(word: &str, next: Token) -> Option<&'static str> {
    let (hint, before_name, before_paren) = match word {
        "for" => ("write `for (int i := 0; i < 3; i++) { … }`", true, true),
        "do" if next == Token::Colon => (GUARDS, true, true),
        "do" | "repeat" => ("write `while c { … }`", true, false),
        "switch" => ("write `if c { … } else if d { … } else { … }`", true, true),
        "elif" | "elsif" | "elseif" => ("write `else if`", true, false),
        "then" => ("write `if c { … }`", true, false),
        "begin" => ("write `{`", true, false),
        "end" | "fi" | "od" | "done" => ("write `}`", false, false),
        _ => return None,
    };
    let fits = match next {
        Token::Name => before_name,
        Token::Int | Token::Machine | Token::Var => word == "for",
        Token::OpenParen => before_paren,
        Token::Colon => word == "do",
        Token::OpenBrace | Token::CloseBrace | Token::Semicolon => true,
        _ => false,
    };
    fits.then_some(hint)
}
