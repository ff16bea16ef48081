//! # What variables are made of
//! The leaves of a variable are what is left of it in a program without parts: of a struct, those of its members, one after the other.

use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use selvedge_program::{BinaryOp, Span};

use super::{MOST_LEAVES, Writer};
use crate::Diagnostic;
use crate::syntax::{
    Expr, ExprKind, File, Init, Item, Name, StructDecl, TypeExpr, TypeKind, VarDecl,
};

/// The deepest nesting of structs.
const MOST_NESTED: usize = 32;

/// The most parts of all variables of a file together.
const MOST_PARTS: usize = 100_000;

/// The kind of a variable's type, as far as parts go.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind<'f> {
    /// The variable stays as it is.
    Plain,
    /// The variable has members.
    Struct(&'f StructDecl),
    /// The variable is a channel.
    Channel(Channel<'f>),
    /// The type is wrong, and that was reported.
    Wrong,
}

/// The type of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channel<'f> {
    /// The number of messages that it holds.
    pub room: u32,
    /// The type of its messages.
    pub message: &'f TypeExpr,
}

impl Channel<'_> {
    /// Whether sending and receiving meet: it holds no messages.
    pub fn meets(&self) -> bool {
        self.room == 0
    }

    /// How many messages it holds, if it holds some.
    fn length(&self, span: Span) -> Option<Expr> {
        let kind = ExprKind::Int(BigInt::from(self.room));
        (!self.meets()).then_some(Expr { kind, span })
    }
}

/// A variable that a name means.
#[derive(Clone, Debug)]
pub(super) struct Variable<'f> {
    /// Its name in the program, with brackets for each dimension.
    pub stem: String,
    /// The type of its elements.
    pub ty: &'f TypeExpr,
    pub kind: Kind<'f>,
    /// The lengths of the dimensions, those that were given indices first.
    pub lengths: Vec<Expr>,
    /// The indices that are known already: of a parameter that stands for an element.
    pub given: Vec<Expr>,
    pub is_shared: bool,
    /// Whether it is a parameter that stands for a shared variable.
    pub is_reference: bool,
    /// The place of its declaration.
    pub declared: Span,
}

/// A part of a variable that has no parts itself.
#[derive(Clone, Debug)]
pub(super) struct Leaf<'f> {
    /// The text after the name of the variable: `.next`, `.inner[].value`.
    pub path: String,
    pub ty: Made<'f>,
    /// The lengths of the dimensions in its path, and then its own.
    pub lengths: Vec<Expr>,
    /// Whether it is a message in a channel.
    pub is_message: bool,
    /// The first value that its member has.
    pub init: Option<&'f Init>,
}

/// The type of a leaf.
#[derive(Clone, Debug)]
pub(super) enum Made<'f> {
    /// A type as it was written.
    Written(&'f TypeExpr),
    /// The number of messages in a channel.
    Messages(Channel<'f>, Span),
}

impl<'f> Writer<'f> {
    /// Reports structs that are declared twice, have no members, or have themselves as a part.
    pub(super) fn check_structs(&mut self, file: &'f File) {
        let mut sound = Vec::new();
        for item in &file.items {
            let Item::Struct(decl) = item else { continue };
            self.notes.structure(decl);
            if decl.members.is_empty() {
                let message = format!("the struct `{}` has no members", decl.name.text);
                let hint = format!("list them: `struct {} {{ int value; }}`", decl.name.text);
                self.report(Diagnostic::error(decl.name.span, message).hint(hint));
            }
            for (position, member) in decl.members.iter().enumerate() {
                self.check_member(decl, position, member);
            }
            sound.push(decl);
        }
        for decl in sound {
            if let Some(member) = self.part_of_itself(decl) {
                let name = &decl.name.text;
                let message = format!("the struct `{name}` has itself as a part");
                self.problems.push(
                    Diagnostic::error(member.name.span, message)
                        .related(decl.name.span, "declared here")
                        .hint(format!(
                            "to refer to another `{name}`, keep its index in an array: `int[0..3] {};`",
                            member.name.text
                        )),
                );
                self.structs.remove(name.as_str());
                self.broken.insert(name.as_str());
            }
        }
        self.check_heights(file);
    }

    /// Reports structs that have others inside of others too many times.
    fn check_heights(&mut self, file: &'f File) {
        let mut heights: FxHashMap<&'f str, usize> = FxHashMap::default();
        for _ in 0..=MOST_NESTED {
            for (name, decl) in &self.structs {
                let inner = decl.members.iter().map(|member| {
                    let ty = match &member.ty.kind {
                        TypeKind::Channel { message, .. } => message,
                        _ => &member.ty,
                    };
                    match &ty.kind {
                        TypeKind::Named(inner)
                            if self.structs.contains_key(inner.text.as_str()) =>
                        {
                            heights.get(inner.text.as_str()).copied()
                        }
                        _ => Some(0),
                    }
                });
                let height = inner.collect::<Option<Vec<usize>>>();
                if let Some(height) = height {
                    heights.insert(name, height.into_iter().max().unwrap_or(0) + 1);
                }
            }
        }
        for item in &file.items {
            let Item::Struct(decl) = item else { continue };
            let name = decl.name.text.as_str();
            let fits = heights.get(name).is_some_and(|height| *height <= MOST_NESTED);
            if !fits && self.structs.remove(name).is_some() {
                self.broken.insert(name);
                let message =
                    format!("`{name}` has structs in structs more than {MOST_NESTED} deep");
                let hint = "put more members into one of them";
                self.report(Diagnostic::error(decl.name.span, message).hint(hint));
            }
        }
    }

    fn check_member(&mut self, decl: &'f StructDecl, position: usize, member: &'f VarDecl) {
        let name = &member.name;
        let first = decl.members[..position].iter().find(|other| other.name.text == name.text);
        if let Some(first) = first {
            let message = format!("`{}` has two members `{}`", decl.name.text, name.text);
            self.report(
                Diagnostic::error(name.span, message)
                    .related(first.name.span, "first declared here")
                    .hint("give one of them another name"),
            );
        }
        let counts = matches!(self.word(&member.ty), Some("semaphore" | "barrier"));
        if let (Some(init), false) = (&member.init, counts) {
            let span = match init {
                Init::Expr(expr) => expr.span,
                Init::Effect(effect) => effect.span,
            };
            let hint = "give the variable a first value, as in `node n := {1, false};`; only semaphores and barriers \
                        have theirs in the struct";
            let message = format!("the member `{}` has no first value of its own", name.text);
            self.report(Diagnostic::error(span, message).hint(hint));
        }
        self.check_channel(&member.ty);
        if let TypeKind::Ref(_) = member.ty.kind {
            let message = "only a parameter can stand for a shared variable";
            self.report(Diagnostic::error(member.ty.span, message).hint("leave out `ref`"));
        }
    }

    /// The member by which a struct is a part of itself.
    fn part_of_itself(&self, decl: &'f StructDecl) -> Option<&'f VarDecl> {
        let leads_back = |member: &'f VarDecl| {
            let mut seen: Vec<&StructDecl> = Vec::new();
            let mut open = vec![&member.ty];
            while let Some(ty) = open.pop() {
                let ty = match &ty.kind {
                    TypeKind::Channel { message, .. } => message,
                    _ => ty,
                };
                let TypeKind::Named(name) = &ty.kind else { continue };
                let Some(inner) = self.structs.get(name.text.as_str()) else { continue };
                if std::ptr::eq(*inner, decl) {
                    return true;
                }
                if !seen.iter().any(|known| std::ptr::eq(*known, *inner)) {
                    seen.push(inner);
                    open.extend(inner.members.iter().map(|member| &member.ty));
                }
            }
            false
        };
        decl.members.iter().find(|member| leads_back(member))
    }

    /// The word for a way to wait that a type means, if it means one.
    pub(super) fn word(&self, ty: &TypeExpr) -> Option<&'static str> {
        match &ty.kind {
            TypeKind::Lock => Some("lock"),
            TypeKind::Semaphore(..) => Some("semaphore"),
            TypeKind::Channel { .. } => Some("channel"),
            TypeKind::Named(name) if !self.is_type(&name.text) => {
                ["semaphore", "condition", "barrier"].into_iter().find(|word| name.text == *word)
            }
            _ => None,
        }
    }

    /// Whether a type of this name is declared.
    fn is_type(&self, name: &str) -> bool {
        self.enums.contains(name) || self.structs.contains_key(name)
    }

    /// The kind of a type, as far as parts go.
    pub(super) fn kind(&self, ty: &'f TypeExpr) -> Kind<'f> {
        match &ty.kind {
            TypeKind::Named(name) => match self.structs.get(name.text.as_str()) {
                Some(decl) => Kind::Struct(decl),
                None if self.broken.contains(name.text.as_str()) => Kind::Wrong,
                None => Kind::Plain,
            },
            TypeKind::Channel { capacity, message } => match self.room(capacity.as_deref()) {
                Some(room) => Kind::Channel(Channel { room, message }),
                None => Kind::Wrong,
            },
            TypeKind::Ref(inner) => self.kind(inner),
            _ => Kind::Plain,
        }
    }

    /// The variable that a declaration makes. Its type is used there.
    pub(super) fn declared(&mut self, decl: &'f VarDecl, is_shared: bool) -> Variable<'f> {
        let mut kind = self.kind(&decl.ty);
        if let Kind::Struct(known) = kind
            && let TypeKind::Named(name) = &decl.ty.kind
        {
            self.notes.used(name.span, known.name.span);
        }
        let mut leaves = Vec::new();
        let fits = self.collect(&decl.ty, "", &[], None, &mut leaves);
        self.parts += leaves.len();
        if !(matches!(kind, Kind::Plain) || fits && self.parts <= MOST_PARTS) {
            let message = format!("`{}` is made of too many parts", decl.name.text);
            let hint = format!("at most {MOST_LEAVES} are possible: arrays hold what is alike");
            self.report(Diagnostic::error(decl.name.span, message).hint(hint));
            kind = Kind::Wrong;
        }
        let stem = format!("{}{}", decl.name.text, "[]".repeat(decl.dims.len()));
        Variable {
            stem,
            ty: &decl.ty,
            kind,
            lengths: decl.dims.clone(),
            given: Vec::new(),
            is_shared,
            is_reference: false,
            declared: decl.name.span,
        }
    }

    /// The leaves of a type.
    pub(super) fn leaves(&self, ty: &'f TypeExpr) -> Vec<Leaf<'f>> {
        let mut leaves = Vec::new();
        self.collect(ty, "", &[], None, &mut leaves);
        leaves
    }

    /// Adds the leaves of a type; says whether there are not too many.
    pub(super) fn collect(
        &self,
        ty: &'f TypeExpr,
        path: &str,
        lengths: &[Expr],
        member: Option<&'f VarDecl>,
        into: &mut Vec<Leaf<'f>>,
    ) -> bool {
        if into.len() > MOST_LEAVES {
            return false;
        }
        let all = |own: &[Expr]| lengths.iter().chain(own).cloned().collect::<Vec<Expr>>();
        let dims = member.map_or(&[][..], |member| &member.dims);
        let brackets = "[]".repeat(dims.len());
        match self.kind(ty) {
            Kind::Struct(decl) => decl.members.iter().all(|member| {
                let path = format!("{path}{brackets}.{}", member.name.text);
                self.collect(&member.ty, &path, &all(dims), Some(member), into)
            }),
            Kind::Channel(channel) => {
                let path = format!("{path}{brackets}");
                self.channel_leaves(ty.span, channel, &path, &all(dims), into)
            }
            Kind::Plain | Kind::Wrong => {
                into.push(Leaf {
                    path: path.to_owned(),
                    ty: Made::Written(ty),
                    lengths: all(dims),
                    is_message: false,
                    init: member.and_then(|member| member.init.as_ref()),
                });
                true
            }
        }
    }

    fn channel_leaves(
        &self,
        span: Span,
        channel: Channel<'f>,
        path: &str,
        lengths: &[Expr],
        into: &mut Vec<Leaf<'f>>,
    ) -> bool {
        into.push(Leaf {
            path: format!("{path}.length"),
            ty: Made::Messages(channel, span),
            lengths: lengths.to_vec(),
            is_message: false,
            init: None,
        });
        let mut messages = Vec::new();
        let fits = self.collect(channel.message, "", &[], None, &mut messages);
        for leaf in messages {
            let room = channel.length(span);
            let is_array = room.is_some();
            let brackets = if is_array && !leaf.path.is_empty() { "[]" } else { "" };
            into.push(Leaf {
                path: format!("{path}.items{brackets}{}", leaf.path),
                lengths: lengths.iter().cloned().chain(room).chain(leaf.lengths).collect(),
                is_message: true,
                ..leaf
            });
        }
        fits
    }

    /// The type of a leaf, in a program without parts.
    pub(super) fn made_type(&self, ty: &Made<'f>) -> TypeExpr {
        match ty {
            Made::Written(ty) => (*ty).clone(),
            Made::Messages(channel, span) => {
                let kind = TypeKind::Messages(channel.length(*span).map(Box::new));
                TypeExpr { kind, span: *span }
            }
        }
    }

    /// A type that is not made of parts, as the checker reads it.
    pub(super) fn plain_type(&mut self, ty: &TypeExpr) -> TypeExpr {
        match &ty.kind {
            TypeKind::Ref(inner) => {
                let message = "only a parameter can stand for a shared variable";
                self.report(Diagnostic::error(ty.span, message).hint("leave out `ref`"));
                (**inner).clone()
            }
            _ => ty.clone(),
        }
    }

    /// What has no value in a variable of a type: the way to it and the word for it.
    pub(super) fn without_value(&self, ty: &'f TypeExpr) -> Option<(String, &'static str)> {
        if let Some(word) = self.word(ty) {
            return Some((String::new(), word));
        }
        let Kind::Struct(decl) = self.kind(ty) else { return None };
        decl.members.iter().find_map(|member| {
            let (path, word) = self.without_value(&member.ty)?;
            let dot = if path.is_empty() { "" } else { "." };
            Some((format!("{}{dot}{path}", member.name.text), word))
        })
    }

    /// The least value of a type, for what is not in use.
    pub(super) fn least_value(&self, ty: &Made<'f>, span: Span) -> Expr {
        let number = |n: i32| ExprKind::Int(BigInt::from(n));
        let kind = match ty {
            Made::Messages(..) => number(0),
            Made::Written(ty) => match &ty.kind {
                TypeKind::Bool => ExprKind::Bool(false),
                TypeKind::Range(lo, _) => lo.kind.clone(),
                TypeKind::ThreadId => ExprKind::NoThread,
                TypeKind::Named(name) => match self.first_values.get(name.text.as_str()) {
                    Some(first) => ExprKind::Place(super::places::plain((*first).clone(), span)),
                    None => number(0),
                },
                _ => number(0),
            },
        };
        Expr { kind, span }
    }
}

/// `length - 1`
pub(super) fn last_index(length: &Expr) -> Expr {
    let one = Expr { kind: ExprKind::Int(BigInt::from(1)), span: length.span };
    let kind = ExprKind::Binary(BinaryOp::Sub, Box::new(length.clone()), Box::new(one));
    Expr { kind, span: length.span }
}

/// A name that stands where another one does.
pub(super) fn renamed(name: &Name, text: String) -> Name {
    Name { text, span: name.span }
}
