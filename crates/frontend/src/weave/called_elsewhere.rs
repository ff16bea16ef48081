//! # Calls and methods of other languages
//! `m.lock()`, `atomic_store(&n, 1)`, `std::thread::spawn(f)`, `spawn f()`: the advice names the objects that stand in the call.

use selvedge_program::Span;

use super::Parser;
use super::lexer::{Token, is_reserved};
use crate::Diagnostic;
use crate::cursor::Reported;
use crate::foreign::{self, Operation};
use crate::syntax::{Item, TypeKind, VarDecl};

/// How many tokens of a statement are looked at.
pub(super) const LONGEST_STATEMENT: usize = 200;

impl Parser<'_> {
    /// Reports `m.lock()`, at the `.`, after what it is a method of.
    pub(super) fn no_method(&mut self, of: Span) -> Reported {
        let object = self.tokens.text(of);
        let span = self.tokens.span();
        self.tokens.bump();
        let word = self.tokens.current_text();
        let mut objects = vec![object];
        if self.tokens.peek_at(1) == Token::OpenParen {
            objects.extend(self.written_arguments(1).into_iter().filter(|w| is_plain(w)));
        }
        let does = self.done_with(object, word);
        let declared = self.declared_as(object);
        let is_condition =
            matches!(declared, Some(TypeKind::Named(name)) if name.text == "condition");
        let advice = does.map(|does| match does {
            Operation::Start => "write `async f(…);` for a procedure `f`".to_owned(),
            Operation::Wait if is_condition => {
                format!("write `wait {object}, {};`", self.only_lock())
            }
            Operation::Wait if declared.is_none() && is_group(object) => EACH_STARTED.to_owned(),
            does => does.advice(&objects),
        });
        let advice = match (word, objects.as_slice()) {
            ("equals" | "eq", [_, other]) => Some(format!("write `{object} == {other}`")),
            ("ne", [_, other]) => Some(format!("write `{object} != {other}`")),
            ("Thread", _) => Some(self.started_by_class()),
            ("Add" | "Done", _) if declared.is_none() && is_group(object) => {
                Some(EACH_STARTED.to_owned())
            }
            _ => advice,
        };
        let asked = match word.to_ascii_lowercase().replace('_', "").as_str() {
            "empty" | "isempty" => Some("empty"),
            "full" | "isfull" => Some("full"),
            _ => None,
        };
        let asked =
            asked.map(|member| format!("write `{object}.{member}`, for a `chan[2] int {object};`"));
        let advice = advice.or(asked).or_else(|| foreign::method(word).map(str::to_owned));
        let hint =
            advice.unwrap_or_else(|| format!("write a procedure, and call it: `{word}(…);`"));
        let message = format!("`{object}` has no methods, such as `{word}`");
        let error = Diagnostic::error(span.to(self.tokens.span()), message);
        self.tokens.unexpected(error.hint(hint))
    }

    /// The type of the shared variable that a method is called of.
    fn declared_as(&self, object: &str) -> Option<&TypeKind> {
        let name = object.split('[').next().unwrap_or(object);
        self.items.iter().find_map(|item| match item {
            Item::Global(VarDecl { ty, name: declared, .. }) if declared.text == name => {
                Some(&ty.kind)
            }
            _ => None,
        })
    }

    /// What to write instead of `t := threading.Thread(target=work)`, at `Thread`.
    fn started_by_class(&self) -> String {
        let written = self.written_arguments(1);
        let given = |word: &str| {
            let mut given = written.iter().filter_map(|w| w.strip_prefix(word));
            given.next().map(|w| w.trim_start_matches([' ', ':', '=']))
        };
        let procedure = given("target").or(written.first().copied()).filter(|w| is_name(w));
        let arguments = if written.len() > 1 { "…" } else { "" };
        let procedure = procedure.unwrap_or("f");
        format!("write `tid t := async {procedure}({arguments});`; `join t;` waits for its end")
    }

    /// What a method does, by what its object is declared as.
    fn done_with(&self, object: &str, word: &str) -> Option<Operation> {
        let declared = self.declared_as(object);
        let does = foreign::operation(word);
        let is_named =
            |known: &str| matches!(declared, Some(TypeKind::Named(name)) if name.text == known);
        match declared {
            Some(TypeKind::Channel { .. }) => match word {
                "put" | "push" | "add" | "offer" | "enqueue" | "write" => Some(Operation::Send),
                "get" | "pop" | "take" | "poll" | "dequeue" | "read" => Some(Operation::Receive),
                _ => does,
            },
            _ if word == "get" && self.takes_nothing() => Some(Operation::Load),
            _ if word == "set" && self.written_arguments(1).len() == 1 => Some(Operation::Store),
            Some(TypeKind::Semaphore(..)) => does.map(Operation::of_semaphore),
            Some(_) if is_named("semaphore") => does.map(Operation::of_semaphore),
            Some(_) if is_named("barrier") && does == Some(Operation::Wait) => {
                Some(Operation::Meet)
            }
            _ => does,
        }
    }

    /// Whether nothing stands in the parentheses behind the current token.
    fn takes_nothing(&self) -> bool {
        (self.tokens.peek_at(1), self.tokens.peek_at(2)) == (Token::OpenParen, Token::CloseParen)
    }

    /// Reports `atomic_store(&n, 1)`: what is done with a variable in other languages, by its address.
    pub(super) fn done_by_address(&mut self, does: Operation) -> Reported {
        let mut objects = self.written_arguments(1);
        objects.retain(|written| *written != "NULL" && is_plain(written));
        let hint = match (does, objects.as_slice()) {
            (Operation::Start, [thread, procedure, arguments @ ..]) => {
                let name = thread.split('[').next().unwrap_or(thread);
                let dimension = if name == *thread { "" } else { "[2]" };
                let arguments = arguments.join(", ");
                format!(
                    "write `{thread} := async {procedure}({arguments});`, for a `tid {name}{dimension};`"
                )
            }
            _ => does.advice(&objects),
        };
        let message = format!("there is no procedure {}", self.tokens.quote());
        let error = Diagnostic::error(self.tokens.span(), message);
        self.tokens.unexpected(error.hint(hint))
    }

    /// The arguments in the parentheses that open so many tokens ahead, as they are written, without casts and signs of addresses.
    pub(super) fn written_arguments(&self, open: usize) -> Vec<&str> {
        let mut written = Vec::new();
        let mut depth = 0_usize;
        let mut first = open + 1;
        for ahead in open..open + LONGEST_STATEMENT {
            let token = self.tokens.peek_at(ahead);
            let is_end = match token {
                Token::OpenParen | Token::OpenBracket => {
                    depth += 1;
                    false
                }
                Token::CloseParen | Token::CloseBracket => {
                    depth = depth.saturating_sub(1);
                    depth == 0
                }
                // `(void *)`
                Token::Star if depth == 2 => {
                    first = ahead + 2;
                    false
                }
                Token::BitAnd if first == ahead => {
                    first = ahead + 1;
                    false
                }
                Token::Semicolon | Token::OpenBrace | Token::CloseBrace | Token::End => break,
                _ => false,
            };
            if is_end || token == Token::Comma && depth == 1 {
                if first < ahead {
                    let span = self.tokens.span_at(first).to(self.tokens.span_at(ahead - 1));
                    written.push(self.tokens.text(span));
                }
                first = ahead + 1;
            }
            if depth == 0 {
                break;
            }
        }
        written
    }

    /// How many tokens the path has that begins here: `std::thread::spawn`. None if no `::` stands in it.
    pub(super) fn path_length(&self) -> Option<usize> {
        let is_word = |ahead| {
            let text = self.tokens.text(self.tokens.span_at(ahead));
            self.tokens.peek_at(ahead) == Token::Name
                || is_reserved(self.tokens.peek_at(ahead), text)
        };
        let is_tight =
            |ahead| self.tokens.span_at(ahead).end == self.tokens.span_at(ahead + 1).start;
        let mut length = 1;
        while (self.tokens.peek_at(length), self.tokens.peek_at(length + 1))
            == (Token::Colon, Token::Colon)
            && is_tight(length)
            && is_word(length + 2)
        {
            length += 3;
        }
        (length > 1 && is_word(0)).then_some(length)
    }

    /// Reports the call of something with a path of so many tokens: `std::process::exit(1)`.
    pub(super) fn path_call(&mut self, length: usize) -> Reported {
        let path = self.tokens.span().to(self.tokens.span_at(length - 1));
        let last = self.tokens.text(self.tokens.span_at(length - 1));
        let of_threads = self.tokens.text(self.tokens.span_at(length.saturating_sub(4)));
        let mut objects = self.written_arguments(length);
        objects.retain(|written| is_name(written));
        let does = foreign::operation(last);
        let does = does.or_else(|| (of_threads == "thread").then_some(Operation::Start));
        let hint = match does {
            Some(does) => does.advice(&objects),
            // `std::mutex m;`
            None if self.tokens.peek_at(length) != Token::OpenParen => {
                match (foreign::same_type(last), foreign::beginning(self.tokens.current_text())) {
                    (Some(ty), _) => format!("write `{ty}`"),
                    (_, Some(hint)) => hint.to_owned(),
                    _ => format!("names stand without a path: `{last}`"),
                }
            }
            None => match foreign::procedure(last).or_else(|| foreign::between(last)) {
                Some(hint) if last != "new" => hint.to_owned(),
                _ if matches!(last, "new" | "default" | "from") => {
                    "nothing makes values: `int x := 0;` declares a variable with its first one, `{1, 2}` is the value of a struct"
                        .to_owned()
                }
                _ => format!("names stand without a path: `{last}(…)`"),
            },
        };
        let message = format!("`{}` does not belong to the language", self.tokens.text(path));
        let error = Diagnostic::error(path, message).hint(hint);
        self.tokens.unexpected(error)
    }

    /// Whether `spawn f(` stands here, or another word for it.
    pub(super) fn at_foreign_start(&self) -> bool {
        (self.tokens.peek_at(1), self.tokens.peek_at(2)) == (Token::Name, Token::OpenParen)
            && foreign::operation(self.tokens.current_text()) == Some(Operation::Start)
    }

    /// Reports `spawn f(…)`, if it stands here.
    pub(super) fn foreign_start(&mut self) -> Option<Reported> {
        if !self.at_foreign_start() {
            return None;
        }
        let message = format!("there is no {} statement", self.tokens.quote());
        let procedure = self.tokens.text(self.tokens.span_at(1));
        let error = Diagnostic::error(self.tokens.span(), message);
        let hint = match procedure {
            "func" | "function" | "fn" | "lambda" | "move" => {
                "there are no closures: write a procedure `void f() { … }`, then `async f();`"
                    .to_owned()
            }
            _ => Operation::Start.advice(&[procedure]),
        };
        Some(self.tokens.unexpected(error.hint(hint)))
    }
}

/// The advice about a group of threads that is waited for.
const EACH_STARTED: &str = "there are no groups to wait for: `join t;` waits for the thread that `tid t := async f();` started";

/// Whether a name is one that groups of threads have.
fn is_group(object: &str) -> bool {
    let lower = object.to_ascii_lowercase();
    lower.ends_with("wg") || lower.contains("group")
}

/// Whether a text is one name.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether an argument can stand in advice as it is written: it is short, no reserved word, and has no signs of other languages.
fn is_plain(written: &str) -> bool {
    let is_word = matches!(written, "lock" | "tid" | "thread");
    !is_word && written.len() < 40 && !written.contains(['&', '|', ':', '{', '\n', '"', '(', '>'])
}
