//! # Declarations
//! The top of a file: shared variables and procedures.

use selvedge_program::Span;

use super::foreign;
use super::lexer::Kind;
use super::parser::{Abandon, Closer, Parsed, Parser};
use crate::Diagnostic;
use crate::syntax::{File, Init, Item, Name, ProcDecl, TypeExpr, TypeKind, VarDecl};

/// More results than this are a slip of the pen.
const MOST_RESULTS: usize = 1000;

impl Parser<'_> {
    /// Parses the whole file.
    pub(super) fn file(&mut self) -> File {
        let mut items = Vec::new();
        while self.kind() != Kind::EndOfFile {
            let start = self.span();
            if self.item(&mut items).is_err() {
                self.skip_to_item(start);
            }
        }
        File { items, ..File::default() }
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        match self.kind() {
            Kind::Semicolon => {
                self.take();
            }
            _ if self.is_declaration() => {
                items.extend(self.declaration()?.into_iter().map(Item::Global));
            }
            Kind::Dfs => {
                let d = Diagnostic::error(self.span(), "`dfs` is not supported");
                self.fail(d.hint("leave it out: it only told a tool how to search"));
                self.take();
            }
            Kind::Void | Kind::Bool => items.push(Item::Proc(self.procedure()?)),
            Kind::Name if self.kind_after(1) == Kind::LeftParen => {
                items.push(Item::Proc(self.procedure()?));
            }
            kind => {
                let hint = match Closer::of(kind) {
                    Some(closer) => format!("nothing is open that `{}` could close", closer.text()),
                    None => foreign::hint(self.text(self.span()))
                        .unwrap_or("statements stand inside a procedure")
                        .to_owned(),
                };
                return Err(self.fail(self.expected("`decl` or a procedure").hint(hint)));
            }
        }
        Ok(())
    }

    /// Skips what cannot be read at the top of a file. After it may come a whole body that lost
    /// its beginning: one mistake, not many.
    fn skip_to_item(&mut self, start: Span) {
        loop {
            if self.span() == start {
                self.take();
            }
            let next = self.token();
            let typed =
                next.starts_line && (next.kind == Kind::Decl || next.kind.starts_procedure());
            if next.kind == Kind::EndOfFile || typed || self.is_procedure_without_type() {
                return;
            }
            self.take();
        }
    }

    /// Whether `f(a, b) begin` or `f(a, b) {` is next.
    pub(super) fn is_procedure_without_type(&self) -> bool {
        if self.kind() != Kind::Name || self.kind_after(1) != Kind::LeftParen {
            return false;
        }
        let mut ahead = 2;
        while matches!(self.kind_after(ahead), Kind::Name | Kind::Comma) {
            ahead += 1;
        }
        self.kind_after(ahead) == Kind::RightParen
            && matches!(self.kind_after(ahead + 1), Kind::Begin | Kind::LeftBrace)
    }

    /// Whether `decl x` is next, or `bool x` in its place.
    pub(super) fn is_declaration(&self) -> bool {
        let after_name = || {
            matches!(self.kind_after(2), Kind::Semicolon | Kind::Comma | Kind::Assign | Kind::Equal)
        };
        match self.kind() {
            Kind::Decl => true,
            Kind::Bool => self.kind_after(1) == Kind::Name && after_name(),
            _ => false,
        }
    }

    /// `decl x, y := 1;`
    pub(super) fn declaration(&mut self) -> Parsed<Vec<VarDecl>> {
        if self.kind() == Kind::Bool {
            let d = Diagnostic::error(self.span(), "a variable is declared with `decl`");
            self.fail(d.hint("write `decl` in the place of `bool`: all variables are Boolean"));
        }
        self.take();
        let variables = self.list(Self::declared_variable)?;
        self.semicolon()?;
        Ok(variables)
    }

    fn declared_variable(&mut self) -> Parsed<VarDecl> {
        if self.kind() == Kind::Bool {
            let d = Diagnostic::error(self.span(), "a variable has no type here");
            self.fail(d.hint("leave it out: all variables are Boolean"));
            self.take();
        }
        let name = self.name("the name of a variable")?;
        let init = match self.kind() {
            Kind::Assign | Kind::Equal => {
                self.assign_sign()?;
                Some(self.first_value()?)
            }
            _ => None,
        };
        Ok(boolean_variable(name, init))
    }

    fn first_value(&mut self) -> Parsed<Init> {
        Ok(match self.call_on_the_right()? {
            Some(call) => Init::Effect(call),
            None => Init::Expr(self.expression()?),
        })
    }

    /// A procedure, from its type on. A broken heading does not keep the body from being read.
    fn procedure(&mut self) -> Parsed<ProcDecl> {
        let start = self.span();
        let heading = self.heading();
        if heading.is_err() && !self.skip_to(&[Kind::Begin, Kind::LeftBrace]) {
            return Err(Abandon);
        }
        let span = start.to(self.last_span());
        let body = match Closer::opened_by(self.kind()) {
            Some(Closer::End | Closer::Brace) => self.block(),
            _ => {
                let what = "`begin` or `{`, the body of the procedure";
                let hint = match self.kind() {
                    Kind::Semicolon => {
                        "a call stands inside a procedure; a procedure is not announced before its body"
                    }
                    _ => "a procedure is written `void f(a, b) begin … end`",
                };
                return Err(self.fail(self.expected(what).hint(hint)));
            }
        };
        let end = self.last_span();
        self.accept(Kind::Semicolon);
        let (results, name, params) = heading?;
        Ok(ProcDecl { name, params, results, body, span, end })
    }

    fn heading(&mut self) -> Parsed<(Vec<TypeExpr>, Name, Vec<VarDecl>)> {
        let results = self.results()?;
        let name = self.name("the name of a procedure")?;
        if self.kind() != Kind::LeftParen {
            let d = self.expected("`(`, the parameters of the procedure");
            let hint = format!("a procedure without parameters is written `{}()`", name.text);
            return Err(self.fail(d.hint(hint)));
        }
        let open = self.take().span;
        let mut params = Vec::new();
        if self.kind() != Kind::RightParen {
            params = self.list(Self::declared_variable)?;
        }
        if self.kind() != Kind::RightParen {
            let d = self.expected("`,` or `)`").related(open, "the parameters begin here");
            return Err(self.fail(d));
        }
        self.take();
        Ok((results, name, params))
    }

    /// The results: none for `void` and without a type, one for `bool`, n for `bool<n>`.
    fn results(&mut self) -> Parsed<Vec<TypeExpr>> {
        let start = self.span();
        if self.accept(Kind::Void) || !self.accept(Kind::Bool) {
            return Ok(Vec::new());
        }
        let mut count = 1;
        if self.accept(Kind::Less) {
            let number = self.token();
            match self.text(number.span).parse::<usize>() {
                Ok(n) if number.kind == Kind::Number && n <= MOST_RESULTS => count = n,
                _ => {
                    let what = format!("the number of results, at most {MOST_RESULTS}");
                    return Err(self.fail(self.expected(&what)));
                }
            }
            self.take();
            self.expect(Kind::Greater, ">")?;
        }
        let span = start.to(self.last_span());
        Ok(vec![boolean(span); count])
    }
}

fn boolean(span: Span) -> TypeExpr {
    TypeExpr { kind: TypeKind::Bool, span }
}

fn boolean_variable(name: Name, init: Option<Init>) -> VarDecl {
    VarDecl { ty: boolean(name.span), name, dims: Vec::new(), init }
}
