//! # What to write, by the statement
//! A `,` in `wait(c, m, 100)` is another mistake than one in `return (1, 2)`: where the tokens beside what stands in the way do not tell, the
//! word that the statement begins with does, and what follows on the line.

use super::Parser;
use super::lexer::Token;
use super::wanted::Wanted;
use crate::foreign::CONDITIONAL;

/// How many tokens of the rest of a statement are looked at.
const LONGEST_REST: usize = 40;

/// The advice about a third thing after `wait`.
const NO_TIME_LIMIT: &str = "a condition and its lock stand there, and no limit in time: `wait c, m;`, in a loop `while !e { wait c, m; }`";

impl Parser<'_> {
    /// What to write in the place of the current token, if the statement in which it stands tells.
    pub(super) fn within_statement(&self, wanted: Wanted) -> Option<String> {
        match (wanted, self.peek()) {
            (Wanted::Semicolon, Token::If) if !self.tokens.on_new_line() => {
                let has_else = self.rest_of_statement(0).any(|token| token == Token::Else);
                has_else.then(|| CONDITIONAL.to_owned())
            }
            (Wanted::Semicolon, Token::Name | Token::While) => self.condition_of_wait(),
            (Wanted::Semicolon, Token::EqualEqual) => self.first_value_compared(),
            (Wanted::Semicolon, Token::Star) if self.first_word() == "async" => {
                let start = self.tokens.text(self.first.to(self.tokens.previous()));
                Some(format!("each of these starts one thread: `{start}; {start};`"))
            }
            (Wanted::Semicolon, _) => self.divided_by_comment(),
            (Wanted::CloseParen, Token::Comma) => self.several_in_parentheses(),
            _ => None,
        }
    }

    /// The tokens of the current statement, from so many tokens ahead.
    fn rest_of_statement(&self, from: usize) -> impl Iterator<Item = Token> {
        let rest = (from..from + LONGEST_REST).map(|ahead| self.tokens.peek_at(ahead));
        let ends = |token: &Token| {
            matches!(token, Token::Semicolon | Token::OpenBrace | Token::CloseBrace | Token::End)
        };
        rest.take_while(move |token| !ends(token))
    }

    /// The text of the rest of the statement, from so many tokens ahead, up to a `,` or a `)` that closes nothing in it.
    pub(super) fn written_from(&self, from: usize) -> &str {
        let mut depth = 0_usize;
        let mut length = 0;
        for token in self.rest_of_statement(from) {
            match token {
                Token::OpenParen | Token::OpenBracket => depth += 1,
                Token::CloseParen | Token::CloseBracket if depth == 0 => break,
                Token::CloseParen | Token::CloseBracket => depth -= 1,
                Token::Comma if depth == 0 => break,
                _ => {}
            }
            length += 1;
        }
        match length {
            0 => "…",
            length => {
                let last = self.tokens.span_at(from + length - 1);
                self.tokens.text(self.tokens.span_at(from).to(last))
            }
        }
    }

    /// The claim that stands so many tokens ahead, as it is written; short ones only.
    pub(super) fn claim_from(&self, from: usize) -> &str {
        let claim = self.written_from(from);
        if claim.len() < LONGEST_REST { claim } else { "e" }
    }

    /// The word that the statement begins with.
    fn first_word(&self) -> &str {
        self.tokens.text(self.first)
    }

    /// Whether a claim is made in the statement, and goes on so many tokens ahead.
    pub(super) fn is_claimed(&self, ahead: usize) -> bool {
        let goes_on = matches!(
            self.tokens.peek_at(ahead),
            Token::Name
                | Token::Number
                | Token::OpenParen
                | Token::Not
                | Token::NotWord
                | Token::True
                | Token::False
                | Token::Minus
        );
        goes_on
            && matches!(self.first_word(), "assert" | "assume" | "invariant" | "predicate")
            && self.rest_of_statement(ahead).all(|token| token != Token::Assign)
    }

    /// What to write instead of `acquire a, b;`, at the `,`.
    pub(super) fn one_by_one(&self) -> Option<String> {
        let word = self.first_word();
        let whole = self.tokens.text(self.first.to(self.tokens.previous()));
        match word {
            "acquire" | "release" | "join" | "lock" | "unlock" => {
                let object = whole.strip_prefix(word)?.trim_start_matches(['!', '(']).trim();
                let other = self.written_from(1);
                let does = match word {
                    "lock" => "acquire",
                    "unlock" => "release",
                    does => does,
                };
                Some(match object == other {
                    true => format!("once is enough: `{does} {object};`"),
                    false => format!("one at a time: `{does} {object}; {does} {other};`"),
                })
            }
            "notify" => {
                Some(format!("a condition alone is notified, without its lock: `{whole};`"))
            }
            _ => None,
        }
    }

    /// What to write where a `,` stands in parentheses round one thing.
    fn several_in_parentheses(&self) -> Option<String> {
        match self.first_word() {
            "acquire" | "release" | "join" | "lock" | "unlock" => self.one_by_one(),
            "return" => Some("several values stand without parentheses: `return 1, 2;`".to_owned()),
            "wait" => Some(NO_TIME_LIMIT.to_owned()),
            _ => None,
        }
    }

    /// What to write instead of `wait c, m until e;`, at the word after the lock.
    fn condition_of_wait(&self) -> Option<String> {
        if self.first_word() != "wait" || self.tokens.on_new_line() {
            return None;
        }
        let waits = self.tokens.text(self.first.to(self.tokens.previous()));
        let condition = self.claim_from(1);
        match self.tokens.current_text() {
            "until" | "unless" => Some(format!("write `while !({condition}) {{ {waits}; }}`")),
            "while" | "if" => {
                let condition = condition.trim_start_matches('(').trim_end_matches(')');
                Some(format!("write `while ({condition}) {{ {waits}; }}`"))
            }
            _ => None,
        }
    }

    /// What to write instead of `int x == 0;`.
    fn first_value_compared(&self) -> Option<String> {
        let first = self.tokens.token_of(self.tokens.position_of(self.first));
        let is_type = matches!(first, Token::Bool | Token::Int | Token::Machine | Token::Tid);
        let value = self.claim_from(1);
        is_type.then(|| {
            let declared = self.tokens.text(self.first.to(self.tokens.previous()));
            format!("a first value stands after `:=`: `{declared} := {value};`")
        })
    }

    /// What to write instead of `7 // 2;`, whose second half is a comment.
    fn divided_by_comment(&self) -> Option<String> {
        let before = self.tokens.previous();
        let comment =
            self.tokens.rest_of_line(before).trim_start().strip_prefix("//")?.trim_start();
        let divisor: &str = comment.split(';').next()?.trim_end();
        let is_operand = divisor.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if divisor.is_empty() || !is_operand || !comment.contains(';') {
            return None;
        }
        let dividend = self.tokens.text(before);
        Some(format!("`//` begins a comment: write `{dividend} / {divisor}`"))
    }
}
