//! # Names that a file without parts does not have any more
//! For whoever shows a program: structs and their members, variables that are made of parts, parameters that stand for shared variables,
//! and where these names stand.

use rustc_hash::FxHashMap;
use selvedge_program::Span;

use crate::check::Kind;
use crate::syntax::{Expr, ExprKind, Name, ProcDecl, StructDecl, TypeExpr, TypeKind, VarDecl};

/// The declarations and uses of names, as they were written.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// The declarations, by the places of their names.
    pub declared: FxHashMap<Span, Noted>,
    /// Where names stand, and where what they mean is declared.
    pub uses: FxHashMap<Span, Span>,
}

/// A declaration.
#[derive(Clone, Debug)]
pub(crate) struct Noted {
    /// Its name.
    pub name: String,
    /// The kind of the declaration.
    pub kind: Kind,
    /// The whole declaration.
    pub whole: Span,
    /// Where the name of the struct or procedure stands that it is in.
    pub inside: Option<Span>,
    /// The declaration in words of the language.
    pub text: String,
    /// The struct that it is a variable of, by the place of its name.
    pub of: Option<String>,
}

impl Notes {
    /// Notes where a name stands.
    pub fn used(&mut self, name: Span, declared: Span) {
        if name != declared {
            self.uses.insert(name, declared);
        }
    }

    /// Notes a struct and its members.
    pub fn structure(&mut self, decl: &StructDecl) {
        let members: Vec<String> =
            decl.members.iter().map(|member| format!("{};", declaration_text(member))).collect();
        let noted = Noted {
            name: decl.name.text.clone(),
            kind: Kind::Struct,
            whole: decl.span,
            inside: None,
            text: format!("struct {} {{ {} }}", decl.name.text, members.join(" ")),
            of: None,
        };
        self.declared.entry(decl.name.span).or_insert(noted);
        for member in &decl.members {
            self.variable(&member.name, Kind::Member, member, Some(decl.name.span));
        }
    }

    /// Notes a variable, a member or a parameter.
    pub fn variable(&mut self, name: &Name, kind: Kind, decl: &VarDecl, inside: Option<Span>) {
        let of = match &decl.ty.kind {
            TypeKind::Named(of) => Some(of.text.clone()),
            TypeKind::Ref(inner) => match &inner.kind {
                TypeKind::Named(of) => Some(of.text.clone()),
                _ => None,
            },
            _ => None,
        };
        let noted = Noted {
            name: name.text.clone(),
            kind,
            whole: decl.ty.span.to(name.span),
            inside,
            text: declaration_text(decl),
            of,
        };
        self.declared.entry(name.span).or_insert(noted);
    }

    /// Notes a procedure that is written in several copies.
    pub fn procedure(&mut self, decl: &ProcDecl) {
        let noted = Noted {
            name: decl.name.text.clone(),
            kind: Kind::Procedure,
            whole: decl.span.to(decl.end),
            inside: None,
            text: head(decl),
            of: None,
        };
        self.declared.entry(decl.name.span).or_insert(noted);
    }
}

/// The head of a procedure.
pub(super) fn head(decl: &ProcDecl) -> String {
    let params: Vec<String> = decl.params.iter().map(declaration_text).collect();
    let results: Vec<String> = decl.results.iter().map(type_text).collect();
    let results = match results.as_slice() {
        [] => "void".to_owned(),
        [one] => one.clone(),
        many => format!("({})", many.join(", ")),
    };
    format!("{results} {}({})", decl.name.text, params.join(", "))
}

/// A declaration as it is written, without its first value.
fn declaration_text(decl: &VarDecl) -> String {
    let lengths: String = decl.dims.iter().map(|dim| format!("[{}]", expr_text(dim))).collect();
    format!("{} {}{lengths}", type_text(&decl.ty), decl.name.text)
}

/// A type as it is written.
pub(super) fn type_text(ty: &TypeExpr) -> String {
    match &ty.kind {
        TypeKind::Bool => "bool".to_owned(),
        TypeKind::Int => "int".to_owned(),
        TypeKind::Range(lo, hi) => format!("int[{}..{}]", expr_text(lo), expr_text(hi)),
        TypeKind::Machine(ty) => ty.integer_name().unwrap_or_default(),
        TypeKind::Lock => "lock".to_owned(),
        TypeKind::Semaphore(lo, hi) => format!("semaphore[{}..{}]", expr_text(lo), expr_text(hi)),
        TypeKind::ThreadId => "tid".to_owned(),
        TypeKind::Named(name) => name.text.clone(),
        TypeKind::Ref(inner) => format!("ref {}", type_text(inner)),
        TypeKind::Channel { capacity, message } => {
            let room = capacity.as_ref().map(|room| format!("[{}]", expr_text(room)));
            format!("chan{} {}", room.unwrap_or_default(), type_text(message))
        }
        TypeKind::Messages(_) => "int".to_owned(),
    }
}

/// A number or a name; `…` for all else.
fn expr_text(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Int(n) => n.to_string(),
        ExprKind::Place(place) if place.indices.is_empty() => place.name.text.clone(),
        _ => "…".to_owned(),
    }
}
