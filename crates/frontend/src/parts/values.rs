//! # Values of structs
//! A value of a struct is a value for each of its leaves: of a variable, of a list `{1, false}` with one for each member, of `c ? a : b`, of `*`.

use num_bigint::BigInt;
use selvedge_program::{BinaryOp, Quantifier, Span, UnaryOp};

use super::Writer;
use super::places::{Meaning, leaf_value};
use super::shapes::{Kind, Leaf, Made, Variable, renamed};
use crate::Diagnostic;
use crate::check::counted;
use crate::syntax::{
    Expr, ExprKind, Init, Name, PlaceExpr, StructDecl, TypeExpr, TypeKind, VarDecl,
};
use crate::weave::assignments::find_choice;

/// The structs in each other that an example of a value shows.
const MOST_NESTED_EXAMPLES: usize = 3;

impl<'f> Writer<'f> {
    /// Whether an expression is clearly a whole struct: a variable of one, or a choice between such. Says nothing about lists.
    pub(super) fn is_whole(&self, expr: &Expr) -> bool {
        self.struct_of(expr).is_some()
    }

    /// The struct that an expression is a value of, if it is one of its own accord.
    pub(super) fn struct_of(&self, expr: &Expr) -> Option<&'f StructDecl> {
        match &expr.kind {
            ExprKind::Place(place) => self.struct_at(place),
            ExprKind::IfThenElse(_, a, b) => self.struct_of(a).or_else(|| self.struct_of(b)),
            _ => None,
        }
    }

    /// The struct that a place is of. Reports nothing.
    pub(super) fn struct_at(&self, place: &PlaceExpr) -> Option<&'f StructDecl> {
        let variable = self.lookup(&place.name.text)?;
        let mut kind = variable.kind;
        for member in &place.members {
            let Kind::Struct(decl) = kind else { return None };
            let known = decl.members.iter().find(|known| known.name.text == member.name.text)?;
            kind = self.kind(&known.ty);
        }
        match kind {
            Kind::Struct(decl) => Some(decl),
            _ => None,
        }
    }

    /// Whether values of a struct are copied; reports if not.
    pub(super) fn is_copied(&mut self, decl: &'f StructDecl, span: Span) -> bool {
        let found = decl.members.iter().find_map(|member| {
            let (path, word) = self.without_value(&member.ty)?;
            let dot = if path.is_empty() { "" } else { "." };
            Some((format!("{}{dot}{path}", member.name.text), word, member.name.span))
        });
        let Some((path, word, declared)) = found else { return true };
        let name = &decl.name.text;
        let message =
            format!("a `{name}` is not copied or compared as a whole: its `{path}` is a {word}");
        self.problems.push(
            Diagnostic::error(span, message).related(declared, "declared here").hint(format!(
                "use its other members one by one; a procedure gets it as `ref {name} …`"
            )),
        );
        self.wrong.push(span);
        false
    }

    /// The leaves of a struct.
    pub(super) fn leaves_of(&self, decl: &'f StructDecl) -> Vec<Leaf<'f>> {
        let mut leaves = Vec::new();
        for member in &decl.members {
            let path = format!(".{}", member.name.text);
            self.collect(&member.ty, &path, &[], Some(member), &mut leaves);
        }
        leaves
    }

    /// One value for each leaf of a struct.
    pub(super) fn value(&mut self, expr: &Expr, decl: &'f StructDecl) -> Option<Vec<Expr>> {
        match &expr.kind {
            ExprKind::Place(place) => self.value_of_place(place, decl),
            ExprKind::Any => {
                let leaves = self.leaves_of(decl);
                let holding = leaves.iter().filter(|leaf| self.holds_value(leaf)).count();
                Some(vec![Expr { kind: ExprKind::Any, span: expr.span }; holding])
            }
            ExprKind::Braces(list) => self.listed(list, decl, expr.span),
            ExprKind::IfThenElse(cond, then, otherwise) => {
                let cond = self.expr(cond);
                let (then, otherwise) = (self.value(then, decl), self.value(otherwise, decl));
                self.one_choice([&cond].into_iter())?;
                let pairs = then?.into_iter().zip(otherwise?);
                let each = pairs.map(|(then, otherwise)| {
                    let kind = ExprKind::IfThenElse(
                        Box::new(cond.clone()),
                        Box::new(then),
                        Box::new(otherwise),
                    );
                    Expr { kind, span: expr.span }
                });
                Some(each.collect())
            }
            ExprKind::Call(name, args) => {
                args.iter().for_each(|arg| drop(self.expr(arg)));
                let hint = format!(
                    "give its result to a variable first: `{} t := {}(…);`",
                    decl.name.text, name.text
                );
                let message = "a whole struct cannot be the result of a call here";
                self.wrong(Diagnostic::error(expr.span, message).hint(hint), expr.span)
            }
            _ => {
                let message = format!("expected a `{}`", decl.name.text);
                let hint = format!(
                    "a variable of that type, or a value for each member, as in `{}`",
                    self.example(decl, 0)
                );
                self.wrong(Diagnostic::error(expr.span, message).hint(hint), expr.span)
            }
        }
    }

    /// Reports a mistake, after which nothing more is said about a place.
    pub(super) fn wrong<T>(&mut self, problem: Diagnostic, span: Span) -> Option<T> {
        self.report(problem);
        self.wrong.push(span);
        None
    }

    fn value_of_place(&mut self, place: &PlaceExpr, decl: &'f StructDecl) -> Option<Vec<Expr>> {
        let found = match self.meaning(place) {
            Meaning::Part(found) => found,
            Meaning::Wrong => return None,
            Meaning::Other => {
                if self.lookup(&place.name.text).is_none() {
                    // The checker says that there is no such variable, or what else it is.
                    let read = self.without_members(place);
                    let read = Expr { kind: ExprKind::Place(read), span: place.span };
                    return Some(vec![read; self.leaves_of(decl).len()]);
                }
                let message = format!("expected a `{}`, but this is none", decl.name.text);
                return self.wrong(Diagnostic::error(place.span, message), place.span);
            }
        };
        let Kind::Struct(other) = found.kind else {
            let message = format!("expected a `{}`, but this is none", decl.name.text);
            let problem = Diagnostic::error(place.span, message);
            return self.wrong(problem.related(found.declared, "declared here"), place.span);
        };
        if !std::ptr::eq(other, decl) {
            let message =
                format!("expected a `{}`, but this is a `{}`", decl.name.text, other.name.text);
            let problem = Diagnostic::error(place.span, message);
            return self.wrong(problem.related(found.declared, "declared here"), place.span);
        }
        if found.missing() > 0 {
            let message = "this is an array; one element is wanted here";
            let problem = Diagnostic::error(place.span, message);
            return self.wrong(problem.related(found.declared, "declared here"), place.span);
        }
        self.one_choice(found.indices.iter())?;
        let leaves = self.leaves_of(decl);
        Some(leaves.iter().map(|leaf| leaf_value(&found, leaf, place)).collect())
    }

    /// Reports a choice that would be made for each leaf anew.
    pub(super) fn one_choice<'e>(
        &mut self,
        mut exprs: impl Iterator<Item = &'e Expr>,
    ) -> Option<()> {
        let Some(span) = exprs.find_map(find_choice) else { return Some(()) };
        let message = "this would be chosen for each member anew";
        self.wrong(Diagnostic::error(span, message).hint("choose it first: `i := *;`"), span)
    }

    /// The members that have a place in a list: those that hold values.
    pub(super) fn listed_members(&self, decl: &'f StructDecl) -> impl Iterator<Item = &'f VarDecl> {
        decl.members.iter().filter(|member| self.word(&member.ty).is_none())
    }

    /// A value of a struct, as it is written.
    fn example(&self, decl: &StructDecl, depth: usize) -> String {
        let members = decl.members.iter().filter(|member| self.word(&member.ty).is_none());
        let of_member = |member: &VarDecl| {
            let one = match self.kind(&member.ty) {
                Kind::Struct(inner) if depth < MOST_NESTED_EXAMPLES => {
                    self.example(inner, depth + 1)
                }
                Kind::Struct(_) => "{…}".to_owned(),
                _ => self.example_of_type(&member.ty),
            };
            match member.dims.is_empty() {
                true => one,
                false => format!("{{{one}, …}}"),
            }
        };
        let values: Vec<String> = members.map(of_member).collect();
        format!("{{{}}}", values.join(", "))
    }

    /// A value of a type that is no struct, as it is written.
    fn example_of_type(&self, ty: &TypeExpr) -> String {
        match &ty.kind {
            TypeKind::Bool => "false".to_owned(),
            TypeKind::ThreadId => "none".to_owned(),
            TypeKind::Named(name) => {
                let first = self.first_values.get(name.text.as_str());
                first.map_or_else(|| "0".to_owned(), |first| first.text.clone())
            }
            TypeKind::Range(lo, _) => match &lo.kind {
                ExprKind::Int(n) => n.to_string(),
                ExprKind::Place(place) => place.name.text.clone(),
                _ => "0".to_owned(),
            },
            _ => "0".to_owned(),
        }
    }

    /// `{1, false}`
    fn listed(&mut self, list: &[Expr], decl: &'f StructDecl, span: Span) -> Option<Vec<Expr>> {
        let members: Vec<&'f VarDecl> = self.listed_members(decl).collect();
        if members.len() != list.len() {
            let given = counted(list.len(), "value", "values");
            let wanted = counted(members.len(), "member", "members");
            let message = format!("{given} for the {wanted} of `{}`", decl.name.text);
            let names: Vec<&str> = members.iter().map(|m| m.name.text.as_str()).collect();
            let hint = format!(
                "one for each of {}, as in `{}`",
                names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
                self.example(decl, 0)
            );
            let problem = Diagnostic::error(span, message).hint(hint);
            return self.wrong(problem.related(decl.name.span, "declared here"), span);
        }
        let mut all = Some(Vec::new());
        let mut values = list.iter();
        for member in &decl.members {
            if self.word(&member.ty).is_some() {
                continue;
            }
            let Some(value) = values.next() else { break };
            let leaves = match self.kind(&member.ty) {
                Kind::Struct(inner) => self.transposed(value, member.dims.len(), inner),
                Kind::Wrong => None,
                Kind::Plain | Kind::Channel(_) => Some(vec![self.expr(value)]),
            };
            all = all.zip(leaves).map(|(mut all, leaves)| {
                all.extend(leaves);
                all
            });
        }
        all
    }

    /// The values of each leaf of an array of structs: lists of the dimensions, and then one value for each member. What is no list of lists
    /// is one value for all elements.
    pub(super) fn transposed(
        &mut self,
        expr: &Expr,
        dims: usize,
        decl: &'f StructDecl,
    ) -> Option<Vec<Expr>> {
        let Some(inner) = dims.checked_sub(1) else { return self.value(expr, decl) };
        let rows = match &expr.kind {
            ExprKind::Braces(list) if list.iter().all(is_list) => list,
            _ => {
                let values = self.transposed(expr, inner, decl)?;
                let leaves = self.leaves_of(decl);
                let is_array = |leaf: &Leaf<'f>| !leaf.lengths.is_empty();
                if values.iter().zip(&leaves).any(|(value, leaf)| is_list(value) && is_array(leaf))
                {
                    let message = "a list inside of one value for all elements";
                    let hint = "list the elements one by one, each with its members";
                    return self.wrong(Diagnostic::error(expr.span, message).hint(hint), expr.span);
                }
                return Some(values);
            }
        };
        let parts: Vec<Option<Vec<Expr>>> =
            rows.iter().map(|row| self.transposed(row, inner, decl)).collect();
        let parts: Vec<Vec<Expr>> = parts.into_iter().collect::<Option<_>>()?;
        let leaves = parts.first().map_or(0, Vec::len);
        let column = |leaf: usize| {
            let list = parts.iter().filter_map(|row| row.get(leaf).cloned()).collect();
            Expr { kind: ExprKind::Braces(list), span: expr.span }
        };
        Some((0..leaves).map(column).collect())
    }

    /// `a == b` and `a != b` of structs.
    pub(super) fn compared(&mut self, op: BinaryOp, a: &Expr, b: &Expr, span: Span) -> Expr {
        let Some(decl) = self.struct_of(a).or_else(|| self.struct_of(b)) else {
            return self.nothing(span);
        };
        if !self.is_copied(decl, span) {
            return self.nothing(span);
        }
        let (left, right) = (self.value(a, decl), self.value(b, decl));
        let (Some(left), Some(right)) = (left, right) else { return self.nothing(span) };
        let leaves = self.leaves_of(decl);
        let equal = leaves.iter().zip(left.into_iter().zip(right));
        let equal: Vec<Expr> =
            equal.map(|(leaf, (left, right))| equal_leaves(leaf, left, right, span)).collect();
        let all = all_of(equal, span);
        match op {
            BinaryOp::Ne => Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(all)), span },
            _ => all,
        }
    }

    /// The shared variables that one is made of, with their first values.
    pub(super) fn made_of(&mut self, decl: &'f VarDecl, variable: &Variable<'f>) -> Vec<VarDecl> {
        let leaves = self.leaves(&decl.ty);
        let first = match (&decl.init, variable.kind) {
            (None, _) => None,
            (Some(Init::Expr(expr)), Kind::Struct(of)) => {
                let dims = decl.dims.len();
                self.transposed(expr, dims, of).map(|values| self.for_leaves(values, of))
            }
            (Some(Init::Expr(Expr { span, .. })), _) => {
                let hint = "at the start, no message is in it";
                let problem = Diagnostic::error(*span, "a channel has no first value").hint(hint);
                self.wrong(problem, *span)
            }
            (Some(Init::Effect(effect)), _) => {
                let message = "the first value of a shared variable must be constant";
                let hint = "assign the result in a procedure, before other threads are started";
                let problem = Diagnostic::error(effect.span, message).hint(hint);
                self.wrong(problem, effect.span)
            }
        };
        let leaf = |(position, leaf): (usize, &Leaf<'f>)| {
            let given = first.as_ref().and_then(|first| first.get(position).cloned().flatten());
            let made = match leaf.ty {
                Made::Written(_) if !leaf.is_message => None,
                _ => Some(Init::Expr(self.least_value(&leaf.ty, decl.name.span))),
            };
            VarDecl {
                ty: self.made_type(&leaf.ty),
                name: renamed(&decl.name, format!("{}{}", variable.stem, leaf.path)),
                dims: decl.dims.iter().chain(&leaf.lengths).cloned().collect(),
                init: given.map(Init::Expr).or_else(|| leaf.init.cloned()).or(made),
            }
        };
        leaves.iter().enumerate().map(leaf).collect()
    }

    /// The values of leaves that hold some, at the positions of all leaves.
    fn for_leaves(&self, values: Vec<Expr>, decl: &'f StructDecl) -> Vec<Option<Expr>> {
        let mut values = values.into_iter();
        let leaves = self.leaves_of(decl);
        leaves
            .iter()
            .map(|leaf| if self.holds_value(leaf) { values.next() } else { None })
            .collect()
    }

    /// Whether a leaf holds a value that a list gives.
    fn holds_value(&self, leaf: &Leaf<'f>) -> bool {
        match leaf.ty {
            Made::Messages(..) => false,
            Made::Written(ty) => self.word(ty).is_none() && !leaf.is_message,
        }
    }
}

/// Whether an expression is a list.
fn is_list(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Braces(_))
}

/// `a == b`, of arrays for all indices.
fn equal_leaves(leaf: &Leaf<'_>, left: Expr, right: Expr, span: Span) -> Expr {
    let mut binders = Vec::new();
    let (mut left, mut right) = (left, right);
    for number in 0..leaf.lengths.len() {
        let name = Name { text: format!("index${number}"), span };
        for side in [&mut left, &mut right] {
            if let ExprKind::Place(place) = &mut side.kind {
                let index = super::places::plain(name.clone(), span);
                place.indices.push(Expr { kind: ExprKind::Place(index), span });
            }
        }
        binders.push(name);
    }
    let kind = ExprKind::Binary(BinaryOp::Eq, Box::new(left), Box::new(right));
    let mut equal = Expr { kind, span };
    for binder in binders.into_iter().rev() {
        let kind = ExprKind::Quantified {
            quantifier: Quantifier::Forall,
            binder,
            others_only: false,
            body: Box::new(equal),
        };
        equal = Expr { kind, span };
    }
    equal
}

/// A conjunction, as a tree that is balanced.
fn all_of(mut list: Vec<Expr>, span: Span) -> Expr {
    while list.len() > 1 {
        let mut rest = list.into_iter();
        let mut next = Vec::new();
        while let Some(left) = rest.next() {
            next.push(match rest.next() {
                Some(right) => {
                    let kind = ExprKind::Binary(BinaryOp::And, Box::new(left), Box::new(right));
                    Expr { kind, span }
                }
                None => left,
            });
        }
        list = next;
    }
    list.pop().unwrap_or(Expr { kind: ExprKind::Bool(true), span })
}

/// A number.
pub(super) fn number(n: i32, span: Span) -> Expr {
    Expr { kind: ExprKind::Int(BigInt::from(n)), span }
}

/// The type of indices of a dimension.
pub(super) fn index_type(length: &Expr) -> TypeExpr {
    let lo = number(0, length.span);
    let hi = super::shapes::last_index(length);
    TypeExpr { kind: TypeKind::Range(Box::new(lo), Box::new(hi)), span: length.span }
}
