//! # What is meant by a statement of another language
//! `ch <- 1;`, `c ? x := 1 : x := 2;`, `k in {1, 2}`, `func f(n int) int`: the advice is the text of the language, made of what stands there.

use selvedge_program::Span;

use super::Parser;
use super::called_elsewhere::LONGEST_STATEMENT;
use super::elsewhere::LONGEST_ADVICE;
use super::lexer::Token;
use crate::Diagnostic;
use crate::cursor::{Parsed, Reported};
use crate::foreign::{self, Operation};
use crate::syntax::{Expr, ExprKind, Item, TypeExpr, TypeKind, VarDecl};

impl Parser<'_> {
    /// The text of the tokens from one number of tokens ahead up to another one, without the last.
    fn text_from(&self, from: usize, to: usize) -> &str {
        match from < to {
            true => self.tokens.text(self.tokens.span_at(from).to(self.tokens.span_at(to - 1))),
            false => "…",
        }
    }

    /// Reports `c ? x := 1 : x := 2;`, whose condition begins there and goes on at the current token.
    pub(super) fn no_chosen_statements(&mut self, start: Span) -> Option<Reported> {
        let mut depth = 0_usize;
        let (mut question, mut colon) = (None, None);
        let mut end = 0;
        for ahead in 0..LONGEST_STATEMENT {
            end = ahead;
            match self.tokens.peek_at(ahead) {
                Token::OpenParen | Token::OpenBracket => depth += 1,
                Token::CloseParen | Token::CloseBracket => depth = depth.checked_sub(1)?,
                Token::Question if depth == 0 && question.is_none() => question = Some(ahead),
                Token::Colon if depth == 0 && question.is_some() && colon.is_none() => {
                    colon = Some(ahead);
                }
                Token::Question | Token::Colon if depth == 0 => return None,
                Token::Assign | Token::Equal if question.is_none() => return None,
                Token::Semicolon | Token::OpenBrace | Token::CloseBrace | Token::End => break,
                _ => {}
            }
        }
        let (question, colon) = (question?, colon?);
        let last = match question.checked_sub(1) {
            Some(last) => self.tokens.span_at(last),
            None => self.tokens.previous(),
        };
        let condition = self.tokens.text(start.to(last));
        let assigned = |from: usize, to: usize| {
            let is_sign =
                |at: &usize| matches!(self.tokens.peek_at(*at), Token::Assign | Token::Equal);
            let sign = (from..to).find(is_sign)?;
            Some((self.text_from(from, sign), self.text_from(sign + 1, to)))
        };
        let is_call = |from| {
            (self.tokens.peek_at(from), self.tokens.peek_at(from + 1))
                == (Token::Name, Token::OpenParen)
        };
        let ways = [(question + 1, colon), (colon + 1, end)];
        let set = ways.map(|(from, to)| assigned(from, to));
        if set.iter().zip(ways).any(|(set, (from, _))| set.is_none() && !is_call(from)) {
            return None;
        }
        let hint = match set {
            [Some((place, then)), Some((other, otherwise))] if place == other => {
                format!("write `{place} := {condition} ? {then} : {otherwise};`")
            }
            _ => {
                let [then, otherwise] = ways.map(|(from, to)| match assigned(from, to) {
                    Some((place, value)) => format!("{place} := {value};"),
                    None => format!("{};", self.text_from(from, to)),
                });
                format!("write `if {condition} {{ {then} }} else {{ {otherwise} }}`")
            }
        };
        let hint = match hint.len() <= LONGEST_ADVICE {
            true => hint,
            false => "write `if c { … } else { … }`".to_owned(),
        };
        let message = "`? :` chooses between values, not between statements";
        let error = Diagnostic::error(self.tokens.span_at(question), message).hint(hint);
        self.tokens.report(error);
        Some(Reported)
    }

    /// Reports `x in {1, 2}` and `x not in {1, 2}` behind the first operand, and moves past the second one.
    pub(super) fn no_membership(&mut self, of: &Expr) -> Parsed<()> {
        let is_negated = self.peek() == Token::NotWord;
        let word = usize::from(is_negated);
        let is_in = self.tokens.text(self.tokens.span_at(word)) == "in"
            && self.tokens.peek_at(word) == Token::Name
            && matches!(self.tokens.peek_at(word + 1), Token::OpenBrace | Token::Name)
            && !matches!(of.kind, ExprKind::Any)
            && !self.tokens.on_new_line();
        if !is_in {
            return Ok(());
        }
        let start = self.tokens.span();
        for _ in 0..word {
            self.tokens.bump();
        }
        let span = start.to(self.tokens.bump());
        let inside = self.unary()?;
        let text = |span| self.tokens.text(span);
        let (element, whole) = (text(of.span), text(inside.span));
        let hint = match &inside.kind {
            ExprKind::Braces(list) => {
                let (sign, joint) = if is_negated { ("!=", " && ") } else { ("==", " || ") };
                let each = list.iter().map(|one| format!("{element} {sign} {}", text(one.span)));
                format!("write `{}`", each.collect::<Vec<_>>().join(joint))
            }
            ExprKind::Between(low, high) => {
                let (low, high) = (text(low.span), text(high.span));
                match is_negated {
                    true => format!("write `{element} < {low} || {high} < {element}`"),
                    false => format!("write `{low} <= {element} && {element} <= {high}`"),
                }
            }
            ExprKind::Place(_) if is_negated => {
                format!("write `forall i: {whole}[i] != {element}`")
            }
            ExprKind::Place(_) => format!("write `exists i: {whole}[i] == {element}`"),
            _ => "write `lo <= x && x <= hi`".to_owned(),
        };
        let message = format!("`{}` does not belong to the language", text(span));
        self.mistake(span, message, hint);
        Ok(())
    }

    /// What to write instead of `ch <- 1;` and `x := <-ch;`, at the `<-`.
    pub(super) fn through_channel(&self) -> Option<String> {
        let before = self.tokens.position().checked_sub(1)?;
        let first = self.tokens.position_of(self.first);
        if first > before {
            let channel = self.claim_from(2);
            return Some(format!("write `receive({channel});`, for a `chan[2] int {channel};`"));
        }
        let channel = self.claim_from(2);
        match self.tokens.token_of(before) {
            Token::Assign | Token::Equal if first < before => {
                let target = self.first.to(self.tokens.span_of(before - 1));
                let target = self.tokens.text(target);
                Some(match target.split_once(',') {
                    Some((target, _)) => format!(
                        "write `{target} := receive({channel});`: a channel is not closed, so nothing else is received"
                    ),
                    None => format!("write `{target} := receive({channel});`"),
                })
            }
            Token::Name | Token::CloseBracket if self.first.start < self.tokens.span().start => {
                let channel = self.tokens.text(self.first.to(self.tokens.previous()));
                let is_place = self.tokens.token_of(first) == Token::Name
                    && (first == before || self.tokens.token_of(first + 1) == Token::OpenBracket);
                let message = self.claim_from(2);
                is_place.then(|| format!("write `send({channel}, {message});`"))
            }
            _ => None,
        }
    }

    /// Reports `ch := make(chan int, 2)`, at `make`.
    pub(super) fn no_made_channel(&mut self) -> Option<Reported> {
        let is_made = self.tokens.current_text() == "make"
            && self.tokens.peek_at(1) == Token::OpenParen
            && self.tokens.text(self.tokens.span_at(2)) == "chan";
        if !is_made {
            return None;
        }
        let given = self.tokens.position_of(self.first);
        let name = match self.tokens.token_of(given) {
            Token::Name if given < self.tokens.position() => self.tokens.text(self.first),
            _ => "c",
        };
        let message = match self.tokens.peek_at(3) {
            Token::Name if self.tokens.peek_at(4) == Token::Name => "int",
            _ => self.written_from(3),
        };
        let end = (4..LONGEST_STATEMENT).find(|at| {
            matches!(
                self.tokens.peek_at(*at),
                Token::Comma | Token::CloseParen | Token::Semicolon | Token::End
            )
        })?;
        let hint = match self.tokens.peek_at(end) {
            Token::Comma => {
                let capacity = self.written_from(end + 1);
                format!("write `chan[{capacity}] {message} {name};`, outside of the procedures")
            }
            _ => format!("write `chan {message} {name};`, outside of the procedures"),
        };
        let span = self.tokens.span();
        let error = Diagnostic::error(span, "a channel is declared, not made").hint(hint);
        Some(self.tokens.unexpected(error))
    }

    /// Reports `func f(n int) int`, the types behind the names, at the first word.
    pub(super) fn types_behind_names(&mut self) -> Option<Reported> {
        let word = self.tokens.current_text();
        let is_word = matches!(word, "func" | "fn" | "fun" | "function" | "def" | "procedure");
        if !is_word
            || (self.tokens.peek_at(1), self.tokens.peek_at(2)) != (Token::Name, Token::OpenParen)
        {
            return None;
        }
        let text = |ahead| self.tokens.text(self.tokens.span_at(ahead));
        let is_type =
            |ahead| self.at_builtin_after(ahead) || self.tokens.peek_at(ahead) == Token::Name;
        let name = |ahead: usize| foreign::same_type(text(ahead)).unwrap_or_else(|| text(ahead));
        let mut params = Vec::new();
        let mut at = 3;
        while self.tokens.peek_at(at) == Token::Name && is_type(at + 1) && at < LONGEST_STATEMENT {
            params.push(format!("{} {}", name(at + 1), text(at)));
            at += 2;
            if self.tokens.peek_at(at) == Token::Comma {
                at += 1;
            }
        }
        let is_whole = self.tokens.peek_at(at) == Token::CloseParen;
        let result = match self.tokens.peek_at(at + 1) {
            Token::OpenBrace if params.is_empty() => return None,
            Token::OpenBrace => "void",
            _ if is_type(at + 1) && self.tokens.peek_at(at + 2) == Token::OpenBrace => name(at + 1),
            _ => return None,
        };
        if !is_whole {
            return None;
        }
        let hint = format!("write `{result} {}({}) {{ … }}`", text(1), params.join(", "));
        let error = self.no_word(self.tokens.span()).hint(hint);
        let reported = self.tokens.unexpected(error);
        // What follows begins no declaration of its own.
        self.tokens.bump();
        self.skip_to_body();
        Some(reported)
    }

    /// Reports a second type among the variables that a `for` declares, and reads it.
    pub(super) fn second_type(&mut self, first: &TypeExpr) -> Parsed<Option<TypeExpr>> {
        let begin = self.tokens.position_of(self.first);
        let is_head = begin > 0 && self.tokens.token_of(begin - 1) == Token::OpenParen;
        let is_type = self.at_builtin()
            || (self.peek(), self.tokens.peek_at(1)) == (Token::Name, Token::Name);
        if !is_head || !is_type {
            return Ok(None);
        }
        let ty = self.type_expr()?;
        let message = "the variables that a `for` declares have one type";
        let (one, other) = (self.tokens.text(first.span), self.tokens.text(ty.span));
        let error = Diagnostic::error(ty.span, message);
        let name = self.tokens.current_text();
        self.tokens.report_behind(if one == other {
            let rest = Span { start: ty.span.start, end: self.tokens.span().start };
            let hint = format!("leave it out here: `for ({one} i := 0, {name} := 0; …)`");
            error.hint(hint).fixed_by(rest, "")
        } else {
            error.hint(format!("declare it before the loop: `{other} {name} := …;`"))
        });
        Ok(Some(ty))
    }

    /// Reports `await x = 0;`, which could be a declaration.
    pub(super) fn no_await(&mut self) -> Option<Reported> {
        let is_assigned = matches!(self.tokens.peek_at(2), Token::Equal | Token::Assign);
        if self.tokens.current_text() != "await"
            || self.tokens.peek_at(1) != Token::Name
            || !is_assigned
        {
            return None;
        }
        let (name, value) = (self.tokens.text(self.tokens.span_at(1)), self.written_from(3));
        let hint = match value.contains(['/', '\\', '~', '#']) {
            true => "write `wait(e);`, or `assume e;`".to_owned(),
            false => format!("write `wait({name} == {value});`"),
        };
        let error = Diagnostic::error(self.tokens.span(), "there is no `await` statement");
        Some(self.tokens.unexpected(error.hint(hint)))
    }

    /// Reports `atomic.AddInt32(&x, 1)`, at `atomic`, which is a package elsewhere.
    pub(super) fn no_package(&mut self) -> Reported {
        let path = self.tokens.span().to(self.tokens.span_at(2));
        let word = self.tokens.text(self.tokens.span_at(2)).to_ascii_lowercase();
        let sized = ["int32", "int64", "uint32", "uint64", "bool", "pointer"];
        let plain = sized.iter().find_map(|size| word.strip_suffix(size)).unwrap_or(&word);
        let does = match plain {
            "add" => Some(Operation::FetchAndAdd),
            "swap" => Some(Operation::Exchange),
            plain => foreign::operation(plain),
        };
        let hint = match does {
            // What was there before is not used.
            Some(Operation::FetchAndAdd) if self.tokens.span() == self.first => {
                let advice = Operation::FetchAndAdd.advice(&self.written_arguments(3));
                advice.replacen("y := ", "", 1)
            }
            Some(does) => does.advice(&self.written_arguments(3)),
            None => {
                "every variable is read and written in one step: `x := 1;`, `y := x;`".to_owned()
            }
        };
        let message = format!("`{}` does not belong to the language", self.tokens.text(path));
        self.tokens.unexpected(Diagnostic::error(path, message).hint(hint))
    }

    /// What to write instead of `ReentrantLock q = new ReentrantLock();`, behind `new`.
    pub(super) fn made_new(&self) -> Option<String> {
        let at = if self.tokens.current_text() == "new" { 0 } else { 1 };
        let before = self.tokens.position().checked_sub(at)?;
        let is_new = self.tokens.text(self.tokens.span_of(before)) == "new";
        let is_given = before >= 2
            && matches!(self.tokens.token_of(before - 1), Token::Assign | Token::Equal)
            && self.tokens.token_of(before - 2) == Token::Name;
        if !is_new || !is_given {
            return None;
        }
        let ty = self.tokens.text(self.tokens.span_of(before + 1));
        let name = self.tokens.text(self.tokens.span_of(before - 2));
        match foreign::same_type(ty)? {
            "tid" => None,
            known @ ("int" | "bool" | "i32" | "u32" | "i64" | "u64") => {
                Some(format!("write `{known} {name} := …;`"))
            }
            _ => foreign::declaration(ty, name),
        }
    }

    /// What to write instead of `final int z = 0;`, whose type stands here: a constant, and how much of the text it replaces.
    pub(super) fn constant_of(&self) -> Option<(String, Span)> {
        let is_sign = |at: &usize| matches!(self.tokens.peek_at(*at), Token::Assign | Token::Equal);
        let ends = |at: &usize| {
            matches!(
                self.tokens.peek_at(*at),
                Token::Semicolon | Token::OpenParen | Token::OpenBrace | Token::End
            )
        };
        let sign = (2..LONGEST_STATEMENT).take_while(|at| !ends(at)).find(is_sign)?;
        let is_literal =
            matches!(self.tokens.peek_at(sign + 1), Token::Number | Token::True | Token::False)
                && self.tokens.peek_at(sign + 2) == Token::Semicolon;
        let is_scalar = self.tokens.peek_at(sign - 1) == Token::Name;
        let name = self.tokens.text(self.tokens.span_at(sign - 1));
        (is_literal && is_scalar).then(|| {
            let value = self.tokens.text(self.tokens.span_at(sign + 1));
            let whole = self.tokens.span().to(self.tokens.span_at(sign + 1));
            (format!("const {name} = {value}"), whole)
        })
    }

    /// Notes the type of another language that variables were declared with.
    pub(super) fn note_type(&mut self, variables: &[VarDecl]) {
        if let Some(VarDecl { ty: TypeExpr { kind: TypeKind::Named(name), .. }, .. }) =
            variables.first()
            && foreign::same_type(&name.text).is_some_and(|known| known != name.text)
        {
            self.foreign_types.push(name.clone());
        }
    }

    /// Reports the types of other languages in a file with other mistakes: it is not checked further, which would tell of them.
    pub(super) fn report_foreign_types(&mut self) {
        if !self.tokens.has_mistakes() {
            return;
        }
        for name in std::mem::take(&mut self.foreign_types) {
            let is_declared = self.items.iter().any(|item| match item {
                Item::Enum(decl) => decl.name.text == name.text,
                Item::Struct(decl) => decl.name.text == name.text,
                // Something else is said of a variable in the place of a type.
                Item::Global(decl) => decl.name.text == name.text,
                _ => false,
            });
            if let Some(hint) = foreign::ty(&name.text).filter(|_| !is_declared) {
                let message = format!("there is no type `{}`", name.text);
                self.mistake(name.span, message, hint);
            }
        }
    }

    /// The lock that is meant where none is named: the only one that is declared so far.
    pub(super) fn only_lock(&self) -> &str {
        let mut locks = self.items.iter().filter_map(|item| match item {
            Item::Global(VarDecl { ty: TypeExpr { kind: TypeKind::Lock, .. }, name, .. }) => {
                Some(name.text.as_str())
            }
            _ => None,
        });
        match (locks.next(), locks.next()) {
            (Some(lock), None) => lock,
            _ => "m",
        }
    }
}
