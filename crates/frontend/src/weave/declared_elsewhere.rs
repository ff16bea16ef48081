//! # Declarations of other languages
//! `let x = 5;`, `static N: u32 = 0;`, `val m = Mutex::new(0)`: the advice is the declaration with a type, made of the name, the type and the value that stand there.

use super::Parser;
use super::called_elsewhere::is_name;
use super::lexer::Token;
use crate::cursor::Reported;
use crate::foreign::{self, Operation};
use crate::syntax::Item;

/// What to say of another name for something shared.
const SHARED_ANYWAY: &str =
    "leave it out: what stands outside of the procedures is shared by all threads";

/// How many tokens of a type are looked at.
const LONGEST_TYPE: usize = 20;

impl Parser<'_> {
    /// Whether `let x = 5;` stands here, or `static X: u32 = 0;`, and no such type is declared.
    pub(super) fn at_let(&self) -> bool {
        let word = self.tokens.current_text();
        if self.peek() != Token::Name || !matches!(word, "let" | "auto" | "val" | "static") {
            return false;
        }
        let is_mutable = self.tokens.text(self.tokens.span_at(1)) == "mut";
        let name = if is_mutable { 2 } else { 1 };
        let follows = match (word, self.tokens.peek_at(name), self.tokens.peek_at(name + 1)) {
            ("static", Token::Name, next) => next == Token::Colon,
            (_, Token::Name, Token::Colon | Token::Equal | Token::Assign | Token::Semicolon) => {
                true
            }
            ("let", Token::Name, Token::OpenParen | Token::OpenBrace) => true,
            ("let", Token::OpenParen, _) => self.after_parens(name) == Some(Token::Equal),
            _ => is_mutable,
        };
        let declares = |item: &Item| match item {
            Item::Enum(declared) => declared.name.text == word,
            Item::Struct(declared) => declared.name.text == word,
            _ => false,
        };
        follows && !self.items.iter().any(declares)
    }

    /// Reports `let x = 5;`, at the first word.
    pub(super) fn no_let(&mut self) -> Reported {
        let is_mutable = self.tokens.text(self.tokens.span_at(1)) == "mut";
        let hint = self.declaration_of(if is_mutable { 2 } else { 1 });
        let error = self.no_word(self.tokens.span()).hint(hint);
        self.tokens.unexpected(error)
    }

    /// How the variable is declared whose name stands so many tokens ahead, before `: type`, `= value` or both.
    pub(super) fn declaration_of(&self, at: usize) -> String {
        let text = |ahead| self.tokens.text(self.tokens.span_at(ahead));
        let generic = "write the type first: `bool x := true;`, `int x := 1;`".to_owned();
        if self.tokens.peek_at(at) != Token::Name {
            return generic;
        }
        let name = text(at);
        let mut value = at + 1;
        let mut known = None;
        if self.tokens.peek_at(value) == Token::Colon {
            let ty = value + 1;
            let is_end = |ahead: &usize| {
                matches!(
                    self.tokens.peek_at(*ahead),
                    Token::Equal
                        | Token::Assign
                        | Token::Semicolon
                        | Token::CloseBrace
                        | Token::End
                )
            };
            value = (ty..ty + LONGEST_TYPE).find(is_end).unwrap_or(ty + 1);
            if let Some(hint) = self.generic_type_at(ty) {
                return hint;
            }
            known = match self.tokens.peek_at(ty) {
                Token::OpenBracket => {
                    let ty = if self.at_builtin_after(ty + 1) { text(ty + 1) } else { "int" };
                    return format!("an array has its length after the name: `{ty} {name}[3];`");
                }
                Token::Name => match foreign::same_type(text(ty)) {
                    Some("lock" | "condition") => {
                        return foreign::declaration(text(ty), name).unwrap_or(generic);
                    }
                    same => same.or(Some(text(ty))),
                },
                _ if self.at_builtin_after(ty) => {
                    let last = self.tokens.span_at((value - 1).max(ty));
                    Some(self.tokens.text(self.tokens.span_at(ty).to(last)))
                }
                _ => None,
            };
        }
        let is_given = matches!(self.tokens.peek_at(value), Token::Equal | Token::Assign);
        if !is_given {
            return match known {
                Some(ty) => format!("write `{ty} {name};`"),
                None => generic,
            };
        }
        let first = value + 1;
        if let Some(hint) = self.declaration_from(first, name) {
            return hint;
        }
        let ty = known.or(match self.tokens.peek_at(first) {
            Token::Number => Some("int"),
            Token::True | Token::False | Token::Not => Some("bool"),
            _ => None,
        });
        let is_whole = self.tokens.peek_at(first + 1) == Token::Semicolon;
        let written = if is_whole { text(first) } else { "…" };
        match ty {
            Some(ty) => format!("write `{ty} {name} := {written};`"),
            None => format!(
                "write the type first: `int {name} := {written};`, `bool {name} := {written};`"
            ),
        }
    }

    /// How a variable is declared whose value is made by a call: `Mutex::new(0)`, `thread::spawn(f)`, `m.lock()`, `vec![1, 2]`.
    fn declaration_from(&self, first: usize, name: &str) -> Option<String> {
        let text = |ahead| self.tokens.text(self.tokens.span_at(ahead));
        let next = |ahead| self.tokens.peek_at(first + ahead);
        if next(0) == Token::OpenBracket || (text(first), next(1)) == ("vec", Token::Not) {
            return Some(format!("an array has its length after the name: `int {name}[3];`"));
        }
        if (next(1), next(2)) == (Token::Colon, Token::Colon) {
            let mut at = first;
            // `Arc::new(Mutex::new(0))`
            while matches!(text(at), "Arc" | "Rc" | "Box" | "sync" | "std")
                && self.tokens.peek_at(at + 1) == Token::Colon
                && at < first + LONGEST_TYPE
            {
                if text(at + 3) == "clone" {
                    return Some(SHARED_ANYWAY.to_owned());
                }
                at += if self.tokens.peek_at(at + 4) == Token::OpenParen { 5 } else { 3 };
            }
            if foreign::operation(text(at + 3)) == Some(Operation::Start) {
                let called = text(at + 5);
                let called = if is_name(called) && called != "move" { called } else { "f" };
                return Some(format!("write `tid {name} := async {called}(…);`"));
            }
            return foreign::declaration(text(at), name);
        }
        if (next(0), next(1), next(3)) == (Token::Name, Token::Dot, Token::OpenParen) {
            let object = text(first);
            return match foreign::operation(text(first + 2))? {
                Operation::Load => Some(format!("write `int {name} := {object};`")),
                Operation::Receive => Some(format!("write `int {name} := receive({object});`")),
                Operation::TryLock => Some(format!("write `bool {name} := trylock({object});`")),
                does => Some(does.advice(&[object])),
            };
        }
        None
    }
}
