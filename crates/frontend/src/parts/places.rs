//! # Places with members
//! `q[i].value` is the element `i` of the leaf `q[].value`.

use num_bigint::BigInt;
use selvedge_program::{BinaryOp, Span, UnaryOp};

use super::Writer;
use super::shapes::{Kind, Leaf, Variable};
use crate::Diagnostic;
use crate::check::similar::did_you_mean;
use crate::foreign;
use crate::syntax::{Expr, ExprKind, MemberExpr, Name, PlaceExpr, TypeExpr, VarDecl};

/// A part that an expression names: where its leaves are, and which elements are meant.
#[derive(Clone, Debug)]
pub(super) struct NamedPart<'f> {
    /// The name of the leaf, or what the names of leaves begin with, with brackets for each dimension.
    pub stem: String,
    /// The indices that are given.
    pub indices: Vec<Expr>,
    /// The lengths of the dimensions, those with an index first.
    pub lengths: Vec<Expr>,
    pub kind: Kind<'f>,
    pub ty: &'f TypeExpr,
    pub is_shared: bool,
    /// The query about a channel, if there is one.
    pub asked: Option<ChannelQuery>,
    pub declared: Span,
}

impl NamedPart<'_> {
    /// The number of indices that are missing.
    pub fn missing(&self) -> usize {
        self.lengths.len().saturating_sub(self.indices.len())
    }
}

/// A query about a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ChannelQuery {
    Length,
    Empty,
    Full,
}

/// Tells a place that is made of parts from one that the checker knows as it is.
pub(super) enum Meaning<'f> {
    /// A variable without parts, or none at all: the checker knows.
    Other,
    /// A part, or a whole that is made of parts.
    Part(NamedPart<'f>),
    /// A mistake, which was reported.
    Wrong,
}

impl<'f> Writer<'f> {
    /// The meaning of a place. Its indices are written without parts.
    pub(super) fn meaning(&mut self, place: &PlaceExpr) -> Meaning<'f> {
        let Some(variable) = self.lookup(&place.name.text).cloned() else {
            // The checker says that there is no such name.
            return Meaning::Other;
        };
        match variable.kind {
            Kind::Wrong => {
                self.wrong.push(place.span);
                return Meaning::Wrong;
            }
            Kind::Plain if !variable.is_reference => {
                let Some(member) = place.members.first() else { return Meaning::Other };
                self.notes.used(place.name.span, variable.declared);
                self.no_member(&place.name, member, &variable);
                return Meaning::Wrong;
            }
            _ => {}
        }
        self.notes.used(place.name.span, variable.declared);
        if variable.is_reference && !self.is_visible(&variable, place) {
            return Meaning::Wrong;
        }
        match self.follow(&variable, place) {
            Some(found) => Meaning::Part(found),
            None => Meaning::Wrong,
        }
    }

    /// Whether what a parameter stands for is not hidden by a local variable; reports if it is.
    fn is_visible(&mut self, variable: &Variable<'f>, place: &PlaceExpr) -> bool {
        let root = variable.stem.split(['[', '.']).next().unwrap_or_default();
        let Some(local) = self.scopes.iter().rev().find_map(|scope| scope.get(root)) else {
            return true;
        };
        let (name, declared) = (&place.name.text, local.declared);
        if local.is_reference {
            return true;
        }
        self.problems.push(
            Diagnostic::error(
                place.span,
                format!(
                    "`{name}` stands for the shared variable `{root}`, which a local one hides here"
                ),
            )
            .related(declared, "this one")
            .hint("give one of them another name"),
        );
        self.wrong.push(place.span);
        false
    }

    /// Goes from a variable along the indices and members of a place.
    fn follow(&mut self, variable: &Variable<'f>, place: &PlaceExpr) -> Option<NamedPart<'f>> {
        let own: Vec<Expr> = place.indices.iter().map(|index| self.expr(index)).collect();
        let mut found = NamedPart {
            stem: variable.stem.clone(),
            indices: variable.given.iter().cloned().chain(own).collect(),
            lengths: variable.lengths.clone(),
            kind: variable.kind,
            ty: variable.ty,
            is_shared: variable.is_shared,
            asked: None,
            declared: variable.declared,
        };
        let mut text = place.name.text.clone();
        let mut span = place.name.span;
        if !self.indices_fit(&found, place.indices.len(), &text, place, place.members.is_empty()) {
            return None;
        }
        for (position, member) in place.members.iter().enumerate() {
            text += &"[…]".repeat(member_indices(place, position));
            let (name, last) = (&member.name, position + 1 == place.members.len());
            match found.kind {
                Kind::Struct(decl) => {
                    let Some(known) = decl.members.iter().find(|m| m.name.text == name.text) else {
                        self.unknown_member(&text, decl.members.iter(), &decl.name, member, place);
                        return None;
                    };
                    self.notes.used(name.span, known.name.span);
                    found.stem =
                        format!("{}.{}{}", found.stem, name.text, "[]".repeat(known.dims.len()));
                    found.lengths.extend(known.dims.iter().cloned());
                    found.kind = self.kind(&known.ty);
                    found.ty = &known.ty;
                }
                Kind::Channel(_) if last && member.indices.is_empty() => {
                    found.asked = match name.text.as_str() {
                        "length" => Some(ChannelQuery::Length),
                        "empty" => Some(ChannelQuery::Empty),
                        "full" => Some(ChannelQuery::Full),
                        _ => None,
                    };
                    if found.asked.is_none() {
                        self.not_asked(&text, name, place.span);
                        return None;
                    }
                    return Some(found);
                }
                Kind::Wrong => {
                    self.wrong.push(place.span);
                    return None;
                }
                _ => {
                    let message = format!("`{text}` has no members, such as `{}`", name.text);
                    self.wrong.push(place.span);
                    let hint = format!("leave `.{}` out: only a struct has members", name.text);
                    self.report(Diagnostic::error(span.to(name.span), message).hint(hint));
                    return None;
                }
            }
            let more: Vec<Expr> = member.indices.iter().map(|index| self.expr(index)).collect();
            found.indices.extend(more);
            text += &format!(".{}", name.text);
            span = span.to(name.span);
            if !self.indices_fit(&found, member.indices.len(), &text, place, last) {
                return None;
            }
        }
        Some(found)
    }

    /// Whether a place has as many indices as it needs so far; reports if not. The last name may have fewer.
    fn indices_fit(
        &mut self,
        found: &NamedPart<'f>,
        given: usize,
        text: &str,
        place: &PlaceExpr,
        is_last: bool,
    ) -> bool {
        let (has, wants) = (found.indices.len(), found.lengths.len());
        let few_are_fine = is_last && (given == 0 || matches!(found.kind, Kind::Plain));
        if has == wants || (has < wants && few_are_fine) {
            return true;
        }
        let message = match wants {
            _ if has < wants => format!("`{text}` is an array; one element is wanted here"),
            _ if wants + given == has => format!("`{text}` is not an array"),
            _ => format!("`{text}` has fewer dimensions than indices"),
        };
        let mut problem = Diagnostic::error(place.span, message);
        if has < wants {
            let missing = "[0]".repeat(wants - has);
            problem = problem.hint(format!("say which one, as in `{text}{missing}`"));
        }
        self.report(problem.related(found.declared, "declared here"));
        self.wrong.push(place.span);
        false
    }

    fn unknown_member<'m>(
        &mut self,
        text: &str,
        members: impl Iterator<Item = &'m VarDecl> + Clone,
        of: &Name,
        member: &MemberExpr,
        place: &PlaceExpr,
    ) {
        let names = members.map(|member| member.name.text.as_str());
        let hint = did_you_mean(&member.name.text, names.clone()).unwrap_or_else(|| {
            let all: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            format!("the members of `{}` are {}", of.text, all.join(", "))
        });
        let message = format!("`{text}` has no member `{}`", member.name.text);
        self.problems.push(
            Diagnostic::error(member.name.span, message)
                .related(of.span, "declared here")
                .hint(hint),
        );
        self.wrong.push(place.span);
    }

    fn not_asked(&mut self, text: &str, name: &Name, span: Span) {
        let message = format!("a channel has no member `{}`", name.text);
        let hint = format!(
            "there are `{text}.length`, `{text}.empty` and `{text}.full`; `send({text}, …);` and `x := receive({text});` use it"
        );
        self.report(Diagnostic::error(name.span, message).hint(hint));
        self.wrong.push(span);
    }

    fn no_member(&mut self, name: &Name, member: &MemberExpr, variable: &Variable<'f>) {
        let message = format!("`{}` has no members, such as `{}`", name.text, member.name.text);
        let hint = match member.name.text.as_str() {
            word @ ("length" | "len" | "size") => foreign::method(word).unwrap_or_default(),
            _ => "a variable has members if its type is a struct: `struct pair { int x; int y; }`",
        };
        self.problems.push(
            Diagnostic::error(name.span.to(member.name.span), message)
                .related(variable.declared, "declared here")
                .hint(hint),
        );
        self.wrong.push(name.span.to(member.name.span));
    }

    /// A place that is one leaf, for a statement that works on it; reports what is made of several.
    pub(super) fn place(&mut self, place: &PlaceExpr) -> Option<PlaceExpr> {
        match self.meaning(place) {
            Meaning::Wrong => None,
            Meaning::Part(found) => self.one_leaf(&found, place),
            Meaning::Other => Some(self.without_members(place)),
        }
    }

    /// A place that the checker knows, with indices that are written without parts.
    pub(super) fn without_members(&mut self, place: &PlaceExpr) -> PlaceExpr {
        let indices = place.indices.iter().map(|index| self.expr(index)).collect();
        PlaceExpr { name: place.name.clone(), indices, members: Vec::new(), span: place.span }
    }

    fn one_leaf(&mut self, found: &NamedPart<'f>, place: &PlaceExpr) -> Option<PlaceExpr> {
        if let (Kind::Plain, None) = (found.kind, found.asked) {
            return Some(leaf_place(found, "", place));
        }
        let problem = match found.kind {
            Kind::Struct(decl) => {
                let example = decl.members.first().map_or("x", |member| member.name.text.as_str());
                Diagnostic::error(
                    place.span,
                    format!("this is a whole `{}`; one of its members is wanted here", decl.name.text),
                )
                .hint(format!("name it, as in `….{example}`"))
            }
            _ if found.asked.is_some() => {
                let message = "this can be read, and is set by `send` and `receive` alone";
                Diagnostic::error(place.span, message)
            }
            _ => Diagnostic::error(place.span, "a channel has no value").hint(
                "`send(c, e);` and `x := receive(c);` use it; `c.length`, `c.empty` and `c.full` ask",
            ),
        };
        self.report(problem.related(found.declared, "declared here"));
        self.wrong.push(place.span);
        None
    }

    /// Writes an expression without parts.
    pub(super) fn expr(&mut self, expr: &Expr) -> Expr {
        let span = expr.span;
        let both = |writer: &mut Self, a: &Expr, b: &Expr| {
            (Box::new(writer.expr(a)), Box::new(writer.expr(b)))
        };
        let kind = match &expr.kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::NoThread
            | ExprKind::Any
            | ExprKind::Fair
            | ExprKind::LocalOf(..)
            | ExprKind::At(..) => expr.kind.clone(),
            ExprKind::Place(place) => return self.read(place, span),
            ExprKind::Primed(place) => match self.place(place) {
                Some(place) => ExprKind::Primed(place),
                None => return self.nothing(span),
            },
            ExprKind::Braces(list) => ExprKind::Braces(list.iter().map(|e| self.expr(e)).collect()),
            ExprKind::Between(a, b) => {
                let (a, b) = both(self, a, b);
                ExprKind::Between(a, b)
            }
            ExprKind::Schoose(a, b) => {
                let (a, b) = both(self, a, b);
                ExprKind::Schoose(a, b)
            }
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, Box::new(self.expr(a))),
            ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b)
                if self.is_whole(a) || self.is_whole(b) =>
            {
                return self.compared(*op, a, b, span);
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = both(self, a, b);
                ExprKind::Binary(*op, a, b)
            }
            ExprKind::Call(name, _) if self.is_inside_expression(&name.text, span) => {
                return self.nothing(span);
            }
            ExprKind::Call(name, args) => match self.call(name, args, span) {
                Some((name, args)) => ExprKind::Call(name, args),
                None => return self.nothing(span),
            },
            ExprKind::Convert(ty, a) => ExprKind::Convert(ty.clone(), Box::new(self.expr(a))),
            ExprKind::IfThenElse(c, a, b) => {
                let c = Box::new(self.expr(c));
                let (a, b) = both(self, a, b);
                ExprKind::IfThenElse(c, a, b)
            }
            ExprKind::Quantified { quantifier, binder, others_only, body } => {
                self.enter();
                self.declare_plain(binder);
                let body = Box::new(self.expr(body));
                self.leave();
                ExprKind::Quantified {
                    quantifier: *quantifier,
                    binder: binder.clone(),
                    others_only: *others_only,
                    body,
                }
            }
        };
        Expr { kind, span }
    }

    /// The value of a place.
    fn read(&mut self, place: &PlaceExpr, span: Span) -> Expr {
        let found = match self.meaning(place) {
            Meaning::Wrong => return self.nothing(span),
            Meaning::Other => {
                // `i.x` of a thread that is not bound, or of nothing.
                if let ([member], true) = (place.members.as_slice(), place.indices.is_empty())
                    && member.indices.is_empty()
                {
                    let kind = ExprKind::LocalOf(place.name.clone(), member.name.clone());
                    return Expr { kind, span };
                }
                let place = self.without_members(place);
                return Expr { kind: ExprKind::Place(place), span };
            }
            Meaning::Part(found) => found,
        };
        let (Kind::Channel(channel), Some(asked)) = (found.kind, found.asked) else {
            return match self.one_leaf(&found, place) {
                Some(place) => Expr { kind: ExprKind::Place(place), span },
                None => self.nothing(span),
            };
        };
        let length = leaf_place(&found, ".length", place);
        let length = Expr { kind: ExprKind::Place(length), span };
        let number = |n: i32| Expr { kind: ExprKind::Int(BigInt::from(n)), span };
        let compared = |op, right: Expr| {
            let kind = ExprKind::Binary(op, Box::new(length.clone()), Box::new(right));
            Expr { kind, span }
        };
        let is_offered = compared(BinaryOp::Eq, number(1));
        let room = i32::try_from(channel.room).ok().filter(|room| *room > 0);
        match (asked, room) {
            (ChannelQuery::Length, Some(_)) => length,
            (ChannelQuery::Length, None) => {
                let kind = ExprKind::IfThenElse(
                    Box::new(is_offered),
                    Box::new(number(1)),
                    Box::new(number(0)),
                );
                Expr { kind, span }
            }
            (ChannelQuery::Empty, Some(_)) => compared(BinaryOp::Eq, number(0)),
            (ChannelQuery::Empty, None) => {
                let kind = ExprKind::Unary(UnaryOp::Not, Box::new(is_offered));
                Expr { kind, span }
            }
            (ChannelQuery::Full, Some(room)) => compared(BinaryOp::Eq, number(room)),
            (ChannelQuery::Full, None) => compared(BinaryOp::Ne, number(0)),
        }
    }

    /// Makes a name mean something without parts.
    pub(super) fn declare_plain(&mut self, name: &Name) {
        let variable = Variable { declared: name.span, ..nothing_known() };
        self.declare(name, variable);
    }
}

/// Stands for a variable after a mistake that was told already.
fn nothing_known<'f>() -> Variable<'f> {
    const BOOL: &TypeExpr =
        &TypeExpr { kind: crate::syntax::TypeKind::Bool, span: Span { start: 0, end: 0 } };
    Variable {
        stem: String::new(),
        ty: BOOL,
        kind: Kind::Plain,
        lengths: Vec::new(),
        given: Vec::new(),
        is_shared: false,
        is_reference: false,
        declared: Span::default(),
    }
}

/// How many indices stand before the member at a position.
fn member_indices(place: &PlaceExpr, position: usize) -> usize {
    match position.checked_sub(1) {
        None => place.indices.len(),
        Some(before) => place.members[before].indices.len(),
    }
}

/// The leaf at the end of a path from what was found.
pub(super) fn leaf_place(found: &NamedPart<'_>, path: &str, place: &PlaceExpr) -> PlaceExpr {
    let text = format!("{}{path}", found.stem);
    let text = text.trim_end_matches("[]").to_owned();
    PlaceExpr {
        name: Name { text, span: place.name.span },
        indices: found.indices.clone(),
        members: Vec::new(),
        span: place.span,
    }
}

/// The leaf as it is read.
pub(super) fn leaf_value(found: &NamedPart<'_>, leaf: &Leaf<'_>, place: &PlaceExpr) -> Expr {
    let place = leaf_place(found, &leaf.path, place);
    Expr { span: place.span, kind: ExprKind::Place(place) }
}

/// A place that is a name alone.
pub(super) fn plain(name: Name, span: Span) -> PlaceExpr {
    PlaceExpr { name, indices: Vec::new(), members: Vec::new(), span }
}
