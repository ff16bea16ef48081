//! What stands at the top of a file: constants, enumerations, structs, shared variables, procedures.

use selvedge_program::Span;

use super::Parser;
use super::lexer::{Token, is_reserved};
use super::misplaced::RANGE;
use super::wanted::Wanted;
use super::words::cannot_name_type;
use crate::Diagnostic;
use crate::cursor::{Parsed, Reported};
use crate::foreign::{self, NO_POINTERS};
use crate::syntax::{
    ConstDecl, EnumDecl, Item, Name, ProcDecl, StructDecl, TypeExpr, TypeKind, VarDecl,
};

/// The word before the members of a struct.
const STRUCT: &str = "struct";

/// The word before a parameter that stands for a shared variable.
const REF: &str = "ref";

impl Parser<'_> {
    /// Parses the whole file.
    pub(super) fn file(&mut self) {
        loop {
            self.skip_directives();
            if self.peek() == Token::End {
                return self.main_beside_invariants();
            }
            let before = self.tokens.position();
            if self.item().is_err() {
                self.skip_item();
            }
            if self.tokens.position() == before {
                self.tokens.bump();
            }
        }
    }

    /// Parses one declaration.
    pub(super) fn item(&mut self) -> Parsed<()> {
        if self.at_let() {
            return Err(self.no_let());
        }
        self.skip_modifiers();
        self.skip_struct_word();
        self.begin();
        self.skip_atomic();
        match self.peek() {
            Token::Const => self.constant(),
            Token::Enum => self.enumeration(),
            Token::Thread if self.path_length().is_some() => Err(self.statement_outside()),
            Token::Thread => self.thread(),
            Token::Predicate => self.predicate(),
            Token::Void if self.tokens.peek_at(1) == Token::Thread => {
                self.tokens.bump();
                let name = self.tokens.text(self.tokens.span_at(1));
                let hint = format!(
                    "write `thread {name} {{ … }}`; a procedure `void {name}() {{ … }}` is run by `thread {name};`"
                );
                Err(self.expected_with_hint(Wanted::ProcedureName, hint))
            }
            Token::Void | Token::Proc => self.procedure(),
            Token::OpenParen => self.procedure(),
            Token::Shared | Token::Var => self.globals(),
            Token::Local => {
                let span = self.tokens.bump();
                let hint = "write `shared`, or nothing; local variables stand in procedures";
                self.mistake(span, "a variable at the top of a file is shared", hint);
                self.globals()
            }
            Token::Lock | Token::Unlock if self.tokens.peek_at(1) == Token::OpenParen => {
                Err(self.statement_outside())
            }
            Token::Name if self.at_fair_process() => Err(self.statement_outside()),
            Token::Name if self.at_struct() => self.structure(),
            Token::Name
                if (self.tokens.peek_at(1), self.tokens.peek_at(2))
                    == (Token::Name, Token::OpenBrace) =>
            {
                if let Some(error) = self.misspelt_beginning() {
                    return Err(self.tokens.unexpected(error));
                }
                let hint = self.foreign_beginning().unwrap_or(
                    "`enum NAME { … }`, `thread NAME { … }` and `void NAME() { … }` have braces",
                );
                Err(self.expected_with_hint(Wanted::Declaration, hint))
            }
            Token::Name if self.at_invariant() => self.invariant(),
            _ if self.at_type()
                || self.at_bounded_semaphore()
                || self.at_channel()
                || self.at_misnamed() =>
            {
                self.globals_or_procedure()
            }
            Token::Semicolon => {
                self.tokens.bump();
                Ok(())
            }
            Token::CloseBrace => Err(self.stray_brace()),
            _ => Err(self.statement_outside()),
        }
    }

    fn stray_brace(&mut self) -> Reported {
        let error = Diagnostic::error(self.tokens.span(), "this `}` closes nothing");
        let reported =
            self.tokens.unexpected(error.hint("remove it, or add the `{` it belongs to"));
        self.tokens.bump();
        reported
    }

    /// Reports what is no declaration: most likely a statement.
    fn statement_outside(&mut self) -> Reported {
        if let Some(hint) = self.generic_type() {
            return self.expected_with_hint(Wanted::Declaration, hint);
        }
        if let Some(length) = self.path_length() {
            return self.path_call(length);
        }
        if matches!(self.peek(), Token::Star | Token::BitAnd) {
            return self.expected_with_hint(Wanted::Declaration, NO_POINTERS);
        }
        if self.peek() == Token::OpenBracket {
            let hint = "an array has its length after the name: `int a[3];`";
            return self.expected_with_hint(Wanted::Declaration, hint);
        }
        if (self.peek() == Token::Async || self.at_fair_process())
            && let Some(hint) = foreign::beginning(self.tokens.text(self.tokens.span_at(1)))
        {
            return self.expected_with_hint(Wanted::Declaration, hint);
        }
        if (self.peek(), self.tokens.peek_at(1)) == (Token::Atomic, Token::Less) {
            let hint = foreign::generic("atomic", self.tokens.text(self.tokens.span_at(2)));
            return self.expected_with_hint(Wanted::Declaration, hint);
        }
        if (self.peek(), self.tokens.peek_at(1)) == (Token::Number, Token::DotDot) {
            return self.expected_with_hint(Wanted::Declaration, RANGE);
        }
        if !self.at_statement() {
            return self.expected(Wanted::Declaration);
        }
        if let Some(hint) = foreign::beginning(self.tokens.current_text()) {
            return self.expected_with_hint(Wanted::Declaration, hint);
        }
        if self.peek() == Token::Name && self.has_body_after_parens(1) {
            let hint = "a procedure begins with the type of its result, or with `void`";
            return self.expected_with_hint(Wanted::Declaration, hint);
        }
        let next = self.tokens.peek_at(1);
        let hint = match (self.peek(), next) {
            (Token::Name, Token::Equal | Token::Assign) => {
                let name = self.tokens.current_text();
                let number = match self.tokens.peek_at(2) {
                    Token::Number => self.tokens.text(self.tokens.span_at(2)),
                    _ => "…",
                };
                format!("a variable is declared with its type: `int {name} := {number};`, `bool {name} := …;`")
            }
            (Token::Name, Token::Colon) => self.declaration_of(0),
            (Token::Name, Token::EqualEqual) => {
                "an expression has no name: `invariant e;` says what always holds, `const N = 3;` names a number"
                    .to_owned()
            }
            (Token::Name, Token::OpenParen) if self.after_parens(1) == Some(Token::EqualEqual) => {
                let name = self.tokens.current_text();
                format!("write a procedure, with types: `int {name}(int x) {{ return …; }}`")
            }
            (Token::Name, next)
                if next != Token::End
                    && is_reserved(next, self.tokens.text(self.tokens.span_at(1))) =>
            {
                let word = self.tokens.text(self.tokens.span_at(1));
                format!("`{word}` is a reserved word: choose another name")
            }
            (Token::Name, Token::OpenParen | Token::OpenBracket)
                if matches!(self.tokens.current_text(), "barrier" | "semaphore") =>
            {
                let word = self.tokens.current_text();
                format!("the number is a first value: `{word} NAME := 3;`")
            }
            (Token::Name, Token::OpenBracket) if self.tokens.current_text() == "condition" => {
                "how many there are stands after the name: `condition c[2];`".to_owned()
            }
            (Token::Name, Token::OpenBrace) if self.tokens.current_text() == "invariant" => {
                "write `invariant e;`, without braces".to_owned()
            }
            (Token::Assert, _) => {
                let claim = self.claim_from(1);
                format!(
                    "what always holds is `invariant {claim};`; an assertion stands in a procedure: a thread checks it when it comes to it, for \
                     example after `join`"
                )
            }
            _ => "statements stand in a procedure or in `thread NAME { … }`".to_owned(),
        };
        self.expected_with_hint(Wanted::Declaration, hint)
    }

    /// Whether `fair process` stands here, and no variable of a type of that name.
    pub(super) fn at_fair_process(&self) -> bool {
        let declares = matches!(
            self.tokens.peek_at(2),
            Token::Semicolon | Token::Comma | Token::Assign | Token::OpenBracket
        );
        self.tokens.current_text() == "fair"
            && self.tokens.peek_at(1) == Token::Name
            && foreign::beginning(self.tokens.text(self.tokens.span_at(1))).is_some()
            && !declares
    }

    /// Whether parentheses that open so many tokens ahead are closed before a `{`.
    pub(super) fn has_body_after_parens(&self, ahead: usize) -> bool {
        self.after_parens(ahead) == Some(Token::OpenBrace)
    }

    /// The token after the parentheses that open so many tokens ahead.
    pub(super) fn after_parens(&self, ahead: usize) -> Option<Token> {
        let mut open = 0_usize;
        for ahead in ahead.. {
            match self.tokens.peek_at(ahead) {
                Token::OpenParen => open += 1,
                Token::CloseParen if open == 1 => return Some(self.tokens.peek_at(ahead + 1)),
                Token::CloseParen => open = open.checked_sub(1)?,
                Token::End | Token::Semicolon => return None,
                _ if open == 0 => return None,
                _ => {}
            }
        }
        None
    }

    /// `const NAME = value;`
    fn constant(&mut self) -> Parsed<()> {
        self.tokens.bump();
        let typed = matches!(self.peek(), Token::Bool | Token::Int);
        if typed && self.tokens.peek_at(1) == Token::Name {
            let span = self.tokens.bump();
            let rest = Span { start: span.start, end: self.tokens.span().start };
            let error = Diagnostic::error(span, "a constant has no type");
            self.tokens.report(error.hint("write `const NAME = value;`").fixed_by(rest, ""));
        }
        let name = self.name(Wanted::ConstantName)?;
        if self.peek() == Token::Colon {
            let hint = "a constant has no type: write `const NAME = value;`";
            return Err(self.expected_with_hint(Wanted::Equal, hint));
        }
        if !self.eat(Token::Assign) {
            self.expect(Token::Equal, Wanted::Equal)?;
        }
        let value = self.expr()?;
        self.items.push(Item::Const(ConstDecl { name, value }));
        self.expect_semicolon()
    }

    /// `enum NAME { A, B }`
    fn enumeration(&mut self) -> Parsed<()> {
        self.tokens.bump();
        let name = self.name(Wanted::EnumName)?;
        self.no_name_of_type(&name);
        let open = self.expect(Token::OpenBrace, Wanted::OpenBrace)?;
        let mut enumerators = Vec::new();
        while self.peek() != Token::CloseBrace {
            enumerators.push(self.name(Wanted::EnumValue)?);
            if matches!(self.peek(), Token::Equal | Token::Assign) {
                let hint = "leave the number out: values of an enumeration are not numbers";
                return Err(self.expected_with_hint(Wanted::CommaOrCloseBrace, hint));
            }
            if matches!(self.peek(), Token::OpenParen | Token::OpenBrace) {
                let hint = "values of an enumeration are names only: a `struct` has one of them beside other members";
                return Err(self.expected_with_hint(Wanted::CommaOrCloseBrace, hint));
            }
            if !self.eat(Token::Comma) {
                break;
            }
        }
        let ty = name.text.clone();
        self.items.push(Item::Enum(EnumDecl { name, enumerators }));
        self.expect_closing(Token::CloseBrace, Wanted::CommaOrCloseBrace, open)?;
        self.no_variable_here(&ty, "its enumeration")?;
        self.eat(Token::Semicolon);
        Ok(())
    }

    /// Refuses a word that stands before names in other places, as the name of a type.
    fn no_name_of_type(&mut self, name: &Name) {
        let word = &name.text;
        if cannot_name_type(word) {
            let message = format!("`{word}` cannot be the name of a type");
            let hint = "before a name, it is a word of the language: choose another name";
            self.tokens.report_behind(Diagnostic::error(name.span, message).hint(hint));
        }
    }

    /// Refuses a variable right behind the `}` of the declaration of its type.
    fn no_variable_here(&mut self, ty: &str, what: &str) -> Parsed<()> {
        let after_name = self.tokens.peek_at(1);
        if self.peek() == Token::Name
            && !self.at_channel()
            && !self.at_bounded_semaphore()
            && matches!(
                after_name,
                Token::Semicolon | Token::Comma | Token::OpenBracket | Token::Assign | Token::Equal
            )
        {
            let message = format!("a variable cannot be declared together with {what}");
            let name = self.tokens.current_text();
            let hint = format!("end the declaration before it, and write its type: `{ty} {name};`");
            let error = Diagnostic::error(self.tokens.span(), message).hint(hint);
            return Err(self.tokens.unexpected(error));
        }
        Ok(())
    }

    /// Whether `struct NAME {` stands here.
    pub(super) fn at_struct(&self) -> bool {
        self.tokens.current_text() == STRUCT
            && (self.tokens.peek_at(1), self.tokens.peek_at(2)) == (Token::Name, Token::OpenBrace)
    }

    /// `struct NAME { TYPE member; … }`
    fn structure(&mut self) -> Parsed<()> {
        let start = self.tokens.bump();
        let name = self.bump_name();
        self.no_name_of_type(&name);
        self.has_parts = true;
        // The word is no foreign one here, whatever is wrong with what follows.
        self.begun = None;
        let open = self.expect(Token::OpenBrace, Wanted::OpenBrace)?;
        let mut members = Vec::new();
        while !matches!(self.peek(), Token::CloseBrace | Token::End) {
            let before = self.tokens.position();
            self.skip_modifiers();
            self.skip_struct_word();
            let more = self.variables().and_then(|more| self.expect_semicolon().map(|()| more));
            match more {
                Ok(more) => members.extend(more),
                Err(Reported) => self.skip_statement(before),
            }
        }
        let close = self.expect_closing(Token::CloseBrace, Wanted::CloseBrace, open);
        let span = start.to(self.tokens.previous());
        let ty = name.text.clone();
        self.items.push(Item::Struct(StructDecl { name, members, span }));
        close?;
        self.no_variable_here(&ty, "its struct")?;
        self.eat(Token::Semicolon);
        Ok(())
    }

    /// Reports `struct node n` and `enum color c`, as C has them, and goes on after the word.
    pub(super) fn skip_struct_word(&mut self) {
        let word = self.tokens.current_text();
        let declares = match self.peek() {
            Token::Enum => "enumerations",
            Token::Name if word == STRUCT => "structs",
            _ => return,
        };
        if self.tokens.peek_at(1) == Token::Name
            && matches!(self.tokens.peek_at(2), Token::Name | Token::Star)
        {
            let ty = self.tokens.text(self.tokens.span_at(1));
            let hint = format!("leave it out: its name is the type, as in `{ty} x;`");
            let message = format!("`{word}` stands before declarations of {declares} only");
            let word = self.tokens.bump();
            let rest = Span { start: word.start, end: self.tokens.span().start };
            self.tokens.report(Diagnostic::error(word, message).hint(hint).fixed_by(rest, ""));
        }
    }

    /// Parses shared variables.
    fn globals(&mut self) -> Parsed<()> {
        self.eat(Token::Shared);
        let globals = self.variables()?;
        self.items.extend(globals.into_iter().map(Item::Global));
        self.expect_semicolon()
    }

    /// `bool x;` or `bool f() { … }`: what follows the name tells.
    fn globals_or_procedure(&mut self) -> Parsed<()> {
        if let Some(reported) = self.types_behind_names() {
            return Err(reported);
        }
        let start = self.tokens.span();
        let ty = self.type_expr()?;
        if self.peek() == Token::Name && self.tokens.peek_at(1) == Token::OpenParen {
            return self.procedure_rest(start, vec![ty]);
        }
        if self.peek() == Token::Comma {
            let hint = "several results stand in parentheses: `(int, bool) f() { … }`";
            return Err(self.expected_with_hint(Wanted::VariableName, hint));
        }
        let globals = self.declarators(&ty)?;
        let noted = self.foreign_types.len();
        self.note_type(&globals);
        self.items.extend(globals.into_iter().map(Item::Global));
        let ended = self.expect_semicolon();
        if ended.is_err() {
            self.foreign_types.truncate(noted);
        }
        ended
    }

    /// A procedure that begins with `void`, `proc` or the types of several results.
    fn procedure(&mut self) -> Parsed<()> {
        let start = self.tokens.bump();
        let results = match self.tokens.text(start) {
            "(" => self.result_types(start)?,
            _ => Vec::new(),
        };
        self.procedure_rest(start, results)
    }

    /// `bool, int)` after the opening parenthesis.
    fn result_types(&mut self, open: Span) -> Parsed<Vec<TypeExpr>> {
        let types = self.list(Self::type_expr)?;
        self.expect_closing(Token::CloseParen, Wanted::CommaOrCloseParen, open)?;
        Ok(types)
    }

    /// Reports `atomic` before a declaration, and goes on after it.
    fn skip_atomic(&mut self) {
        if self.peek() != Token::Atomic {
            return;
        }
        let ty = self.tokens.text(self.tokens.span_at(1));
        let name = self.tokens.text(self.tokens.span_at(2));
        let hint = match self.tokens.peek_at(1) {
            Token::Void | Token::Name if self.tokens.peek_at(3) == Token::OpenParen => {
                format!("write `{ty} {name}(…) {{ atomic {{ … }} }}`")
            }
            _ if self.at_builtin_after(1) || self.tokens.peek_at(1) == Token::Name => {
                "leave it out: an assignment is one step, and every variable is read in one"
                    .to_owned()
            }
            _ => return,
        };
        let word = self.tokens.span();
        let rest = Span { start: word.start, end: self.tokens.span_at(1).start };
        let error = Diagnostic::error(word, "`atomic` stands before a block").hint(hint);
        let is_left_out = error.hint.as_ref().is_some_and(|hint| hint.starts_with("leave it out"));
        self.tokens.bump();
        self.tokens.report_behind(if is_left_out { error.fixed_by(rest, "") } else { error });
    }

    /// What to write instead of `void *f(void *arg)`, whose name stands so many tokens ahead.
    fn no_pointer_to_anything(&self, ahead: usize) -> String {
        let name = match ahead {
            usize::MAX => self.tokens.text(self.tokens.before(2)),
            ahead => self.tokens.text(self.tokens.span_at(ahead)),
        };
        format!(
            "there are no pointers: write `void {name}()`, or `void {name}(int x)`; a thread gets its arguments where it is declared or started: \
             `thread t = {name}(1);`, `async {name}(1);`"
        )
    }

    /// A procedure from its name on.
    fn procedure_rest(&mut self, start: Span, results: Vec<TypeExpr>) -> Parsed<()> {
        let word = self.tokens.text(start);
        if self.peek() == Token::Star {
            let hint = match word {
                "void" => self.no_pointer_to_anything(1),
                _ => NO_POINTERS.to_owned(),
            };
            return Err(self.expected_with_hint(Wanted::ProcedureName, hint));
        }
        let mut proc = ProcDecl {
            name: self.name(Wanted::ProcedureName)?,
            params: Vec::new(),
            results,
            body: Vec::new(),
            span: start,
            end: start,
        };
        let head = self.procedure_head(&mut proc, word);
        proc.span = start.to(self.tokens.previous());
        if head.is_err() && !self.skip_to_body() {
            return head;
        }
        if self.peek() == Token::Semicolon {
            let error = Diagnostic::error(self.tokens.span(), "this procedure has no body");
            let declared = proc.results.first().map(|ty| self.tokens.text(ty.span));
            let hint = match declared {
                Some("lock" | "mutex") => "leave the parentheses out: `lock m;` declares a lock",
                _ => "write the body here: procedures may be used before they are declared",
            };
            let reported = self.tokens.unexpected(error.hint(hint));
            return Err(reported);
        }
        proc.body = self.block()?;
        proc.end = self.tokens.previous();
        self.doubt_ending(&proc);
        self.items.push(Item::Proc(proc));
        Ok(())
    }

    /// The parameters, and the types of the results if they come last.
    fn procedure_head(&mut self, proc: &mut ProcDecl, word: &str) -> Parsed<()> {
        let open = self.expect(Token::OpenParen, Wanted::OpenParen)?;
        if (self.peek(), self.tokens.peek_at(1)) == (Token::Void, Token::Star) {
            let hint = self.no_pointer_to_anything(usize::MAX);
            self.tokens.bump();
            return Err(self.expected_with_hint(Wanted::CloseParen, hint));
        }
        let no_params = match self.peek() {
            Token::Void => {
                self.tokens.bump();
                true
            }
            token => token == Token::CloseParen,
        };
        if !no_params {
            proc.params = self.list(Self::parameters)?.into_iter().flatten().collect();
            while self.peek() == Token::Semicolon {
                let hint = "commas stand between parameters: `void f(int x, int y)`";
                self.expected_with_hint(Wanted::CommaOrCloseParen, hint);
                self.tokens.bump();
                if self.peek() == Token::CloseParen {
                    break;
                }
                proc.params.extend(self.list(Self::parameters)?.into_iter().flatten());
            }
            self.has_parts |= proc.params.iter().any(|param| may_stand_for_shared(&param.ty));
        }
        self.expect_closing(Token::CloseParen, Wanted::CommaOrCloseParen, open)?;
        if self.peek() == Token::Colon {
            self.tokens.bump();
            if self.tokens.on_new_line()
                && let Some(hint) = foreign::beginning(word)
            {
                let error = self.no_word(proc.span).hint(hint);
                return Err(self.tokens.unexpected(error));
            }
            let open = self.tokens.span();
            let first = std::mem::take(&mut proc.results);
            proc.results = match self.eat(Token::OpenParen) {
                true => self.result_types(open)?,
                false => vec![self.type_expr()?],
            };
            if let Some(ty) = first.first() {
                let result = self.tokens.text(open.to(self.tokens.previous()));
                let hint =
                    format!("write the type of the result once: `{result} {}(…)`", proc.name.text);
                let error = match foreign::beginning(word) {
                    Some(_) => self.no_word(ty.span),
                    None => {
                        let message = format!("the result has two types, `{word}` and `{result}`");
                        Diagnostic::error(ty.span, message)
                    }
                };
                self.tokens.report(error.hint(hint));
            }
        }
        Ok(())
    }

    /// `bool x`, `var x: bool`, `x: bool` or `var x, y: bool`.
    fn parameters(&mut self) -> Parsed<Vec<VarDecl>> {
        let named_first = self.eat(Token::Var)
            || (self.peek() == Token::Name && self.tokens.peek_at(1) == Token::Colon);
        if named_first {
            let params = self.group()?;
            if params.iter().any(|p| p.init.is_some()) {
                let hint = "the call gives a parameter its value";
                self.mistake(self.tokens.previous(), "a parameter has no first value", hint);
            }
            return Ok(params);
        }
        if matches!(self.tokens.peek_at(1), Token::Comma | Token::CloseParen) && !self.at_builtin()
        {
            let message = format!("parameter {} has no type", self.tokens.quote());
            let error = Diagnostic::error(self.tokens.span(), message);
            let name = self.tokens.text(self.tokens.before(2));
            let first = self.tokens.text(self.first);
            let hint = match (self.peek(), first) {
                (Token::Number, "semaphore" | "barrier" | "int" | "bool" | "chan") => {
                    let number = self.tokens.current_text();
                    format!("a first value is written `:=`: `{first} {name} := {number};`")
                }
                (Token::Number, _) => {
                    "a first value is written `:= 2`, as in `semaphore s := 2;`".to_owned()
                }
                (Token::Name, "condition") => {
                    let lock = self.tokens.current_text();
                    format!(
                        "write `condition {name};`: its lock is named where a thread waits, `wait {name}, {lock};`"
                    )
                }
                _ => "write the type first: `bool x`".to_owned(),
            };
            let error = self.begun_elsewhere().unwrap_or(error.hint(hint));
            return Err(self.tokens.unexpected(error));
        }
        self.skip_struct_word();
        let is_ref = (self.peek() == Token::Name && self.tokens.current_text() == REF)
            && !matches!(self.tokens.peek_at(2), Token::Comma | Token::CloseParen)
            && (self.tokens.peek_at(1) == Token::Name || self.at_builtin_after(1));
        let start = self.tokens.span();
        if is_ref {
            self.tokens.bump();
            self.has_parts = true;
        }
        let mut ty = self.type_expr()?;
        if is_ref {
            let span = start.to(ty.span);
            ty = TypeExpr { kind: TypeKind::Ref(Box::new(ty)), span };
        }
        if matches!(self.peek(), Token::Star | Token::BitAnd) {
            return Err(self.expected_with_hint(Wanted::ParameterName, NO_POINTERS));
        }
        let name = self.name(Wanted::ParameterName)?;
        let dims = self.dimensions()?;
        Ok(vec![VarDecl { ty, name, dims, init: None }])
    }
}

/// Whether a parameter of this type may be one that stands for a shared variable.
fn may_stand_for_shared(ty: &TypeExpr) -> bool {
    match &ty.kind {
        TypeKind::Named(name) => {
            matches!(name.text.as_str(), "semaphore" | "condition" | "barrier")
        }
        kind => matches!(
            kind,
            TypeKind::Lock | TypeKind::Semaphore(..) | TypeKind::Ref(_) | TypeKind::Channel { .. }
        ),
    }
}
