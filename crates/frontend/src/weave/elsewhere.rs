//! # Statements and calls of other languages
//! Who writes `let x = 5;`, `do { … } while (c);`, `x = 1, y = 2;` or `pthread_create(&t, NULL, f, NULL)` makes one mistake, and is told of
//! one: such a statement is read as a whole, and the advice is made of what stands in it.

use selvedge_program::Span;

use super::Parser;
use super::lexer::{Token, is_reserved};
use crate::Diagnostic;
use crate::cursor::{Parsed, Reported};
use crate::foreign::{self, Operation};
use crate::syntax::{Item, Stmt, StmtKind, TypeKind, VarDecl};

/// How long advice may be that repeats a statement.
const LONGEST_ADVICE: usize = 120;

/// How many tokens of a statement are looked at.
const LONGEST_STATEMENT: usize = 200;

/// How many tokens of a type are looked at.
const LONGEST_TYPE: usize = 20;

/// What to write in the place of `do { … } while (c);`.
const DO_WHILE: &str = "write `while true { …; if !c { break; } }`";

/// What to say of another name for something shared.
const SHARED_ANYWAY: &str =
    "leave it out: what stands outside of the procedures is shared by all threads";

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
        let advice = does.map(|does| match does {
            Operation::Start => "write `async f(…);` for a procedure `f`".to_owned(),
            does => does.advice(&objects),
        });
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

    /// What a method does, by what its object is declared as.
    fn done_with(&self, object: &str, word: &str) -> Option<Operation> {
        let name = object.split('[').next().unwrap_or(object);
        let declared = self.items.iter().find_map(|item| match item {
            Item::Global(VarDecl { ty, name: declared, .. }) if declared.text == name => {
                Some(&ty.kind)
            }
            _ => None,
        });
        let does = foreign::operation(word);
        let is_named =
            |known: &str| matches!(declared, Some(TypeKind::Named(name)) if name.text == known);
        match declared {
            Some(TypeKind::Channel { .. }) => match word {
                "put" | "push" | "add" | "offer" | "enqueue" | "write" => Some(Operation::Send),
                "get" | "pop" | "take" | "poll" | "dequeue" | "read" => Some(Operation::Receive),
                _ => does,
            },
            Some(TypeKind::Semaphore(..)) => does.map(Operation::of_semaphore),
            Some(_) if is_named("semaphore") => does.map(Operation::of_semaphore),
            Some(_) if is_named("barrier") && does == Some(Operation::Wait) => {
                Some(Operation::Meet)
            }
            _ => does,
        }
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
    fn written_arguments(&self, open: usize) -> Vec<&str> {
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
        Some(self.tokens.unexpected(error.hint(Operation::Start.advice(&[procedure]))))
    }
}

/// Whether a text is one name.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether an argument can stand in advice as it is written: it is short, no reserved word, and has no signs of other languages.
fn is_plain(written: &str) -> bool {
    let is_word = matches!(written, "lock" | "tid" | "thread");
    !is_word && written.len() < 40 && !written.contains(['&', '|', ':', '{', '\n', '"', '(', '>'])
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
