//! # Places
//! What a name means where it is read or set, and which element of an array is meant.

use selvedge_program::{Expr, ExprKind, Place, Span, Type, Value, VarRef};

use super::counted;
use super::expressions::Typer;
use super::fold::fold;
use super::items::Item;
use super::scope::Mode;
use super::types::compatible;
use crate::Diagnostic;
use crate::syntax::{self, Name, PlaceExpr};

/// The most elements of an array that one statement can set: each is listed in the program.
const MOST_AT_ONCE: usize = 10_000;

/// The value of a thread id that is no thread's, unless something else is called so.
const NO_THREAD: &str = "none";

/// A variable that was found.
pub(super) struct ResolvedVariable {
    /// The variable.
    pub var: VarRef,
    /// Its type.
    pub ty: Type,
    /// Its declaration.
    pub declared: Span,
}

impl<'a> Typer<'_, 'a> {
    /// The value of a variable, a constant or an enumerator.
    pub fn read(&mut self, place: &'a PlaceExpr, span: Span) -> Option<Expr> {
        let name = &place.name;
        if let Some(&(binder, number)) =
            self.scope.numbers_bound.iter().rev().find(|(binder, _)| binder.text == name.text)
        {
            self.items.used(name, binder.span);
            self.no_indices(place, "an index")?;
            let kind = ExprKind::Const(Value::Small(number));
            return Some(Expr { kind, ty: Type::Int, span });
        }
        if let Mode::Arguments(Some(binder)) = self.scope.mode
            && binder.text == name.text
        {
            self.items.used(name, binder.span);
            self.no_indices(place, "the number of a thread")?;
            return Some(Expr { kind: ExprKind::Instance, ty: Type::Int, span });
        }
        if let Some(local) = self.scope.find(&name.text) {
            if let Mode::Predicate(_) = self.scope.mode {
                return self.local_in_predicate(local, place, span);
            }
        } else if let Some((item, declared)) = self.items.find_declared(&name.text) {
            self.items.used(name, declared);
            let (ty, value) = match item {
                Item::Const(position) => self.items.consts[position].value.clone()?,
                Item::Enumerator(id, position) => {
                    (Type::Enum(id), Value::Small(i64::try_from(position).ok()?))
                }
                _ => return self.read_variable(place, span),
            };
            self.no_indices(place, item.what())?;
            return Some(Expr { kind: ExprKind::Const(value), ty, span });
        }
        self.read_variable(place, span)
    }

    /// Whether `none` stands for no thread: the word is declared as nothing else that has a value, or a thread id is wanted, which
    /// that is not.
    pub fn is_no_thread(&self, place: &PlaceExpr, want: Option<&Type>) -> bool {
        let name = &place.name.text;
        if name != NO_THREAD || !place.indices.is_empty() {
            return false;
        }
        let is_bound = self.scope.numbers_bound.iter().any(|(binder, _)| binder.text == *name)
            || matches!(self.scope.mode, Mode::Arguments(Some(binder)) if binder.text == *name);
        let declared = match self.scope.find(name) {
            Some(local) => self.scope.local(local).ty.as_ref(),
            None => match self.items.find_declared(name) {
                Some((Item::Global(id), _)) => self.items.globals[id.index()].ty.as_ref(),
                Some((item, _)) if item.is_value() => None,
                _ => return !is_bound,
            },
        };
        !is_bound
            && want == Some(&Type::ThreadId)
            && declared.is_none_or(|ty| *ty.scalar() != Type::ThreadId)
    }

    /// `'x`: the value after an assignment.
    pub fn primed(&mut self, place: &'a PlaceExpr, span: Span) -> Option<Expr> {
        if !matches!(self.scope.mode, Mode::Constrain) {
            let message = format!("`'{}` has a meaning only after `constrain`", place.name.text);
            self.problems.push(
                Diagnostic::error(span, message)
                    .hint("`'x` is the value after an assignment: `x := * constrain 'x != x;`"),
            );
            return None;
        }
        let place = self.scalar(place)?;
        let ty = place.ty.clone();
        Some(Expr { kind: ExprKind::Primed(place), ty, span })
    }

    /// A variable, or an element of an array, that holds a value: not a lock.
    pub fn scalar(&mut self, place: &'a PlaceExpr) -> Option<Place> {
        let found = self.found(&place.name)?;
        let place = self.element(place, &found)?;
        if !self.is_plain(found.var, place.span) {
            return None;
        }
        if place.ty != Type::Lock {
            return Some(place);
        }
        let name = self.name_of(place.var);
        self.problems.push(
            Diagnostic::error(place.span, format!("`{name}` is a lock, and has no value"))
                .related(found.declared, "declared here")
                .hint("locks are only used with `acquire`, `release` and `trylock`"),
        );
        None
    }

    /// A lock, for the operation with this name.
    pub fn lock(&mut self, place: &'a PlaceExpr, operation: &str) -> Option<Place> {
        let Some(found) = self.found(&place.name) else {
            self.declare_instead(&place.name, "lock");
            return None;
        };
        let place = self.element(place, &found)?;
        if place.ty == Type::Lock {
            return Some(place);
        }
        let is = match self.items.role(place.var).word() {
            Some(word) => format!("a {}", word.name()),
            None => self.items.a_value(&place.ty),
        };
        let name = self.name_of(place.var);
        self.problems.push(
            Diagnostic::error(
                place.span,
                format!("`{operation}` needs a lock, but `{name}` is {is}"),
            )
            .related(found.declared, "declared here")
            .hint("locks are shared variables: `lock m;`"),
        );
        None
    }

    /// The type of what is left of an array that has fewer indices than dimensions; nothing if it is none, or holds no values.
    pub fn rest_of(&self, place: &PlaceExpr) -> Option<Type> {
        let ResolvedVariable { var, ty, .. } = self.variable(&place.name)??;
        if *ty.scalar() == Type::Lock || self.items.role(var).word().is_some() {
            return None;
        }
        let mut rest = &ty;
        for _ in &place.indices {
            let Type::Array { element, .. } = rest else { return None };
            rest = element;
        }
        matches!(rest, Type::Array { .. }).then(|| rest.clone())
    }

    /// Whether an expression is an array as a whole, or a row of one.
    pub fn is_array(&self, expr: &syntax::Expr) -> bool {
        match &expr.kind {
            syntax::ExprKind::Place(place) => self.rest_of(place).is_some(),
            _ => false,
        }
    }

    /// All elements of an array that has fewer indices than dimensions.
    pub fn slice(&mut self, place: &'a PlaceExpr) -> Option<Vec<Place>> {
        let found = self.found(&place.name)?;
        let rest = self.rest_of(place)?;
        let indices: Vec<Option<Expr>> =
            place.indices.iter().map(|index| self.any_integer(index)).collect();
        let indices: Vec<Expr> = indices.into_iter().collect::<Option<_>>()?;
        for (index, length) in indices.iter().zip(lengths(&found.ty)) {
            if !self.inside(index, length, &place.name.text, found.declared) {
                return None;
            }
            if index.chooses() {
                let message = "this index would be chosen for each element anew";
                let hint = "choose it before: `int[0..1] i := *;`";
                self.problems.push(Diagnostic::error(index.span, message).hint(hint));
                return None;
            }
        }
        let mut places = self.all_elements(found.var, &rest, place.span)?;
        for element in &mut places {
            element.indices.splice(0..0, indices.iter().cloned());
        }
        Some(places)
    }

    /// The values of an array: of another one, or of a list.
    pub fn elements_of(
        &mut self,
        value: &'a syntax::Expr,
        ty: &Type,
        name: &Name,
    ) -> Option<Vec<Expr>> {
        match &value.kind {
            syntax::ExprKind::Place(place) => {
                let rest = self.rest_of(place);
                let fits = rest.as_ref().is_some_and(|rest| {
                    lengths(rest) == lengths(ty) && compatible(rest.scalar(), ty.scalar())
                });
                if fits {
                    let read = |place: Place| {
                        let (ty, span) = (place.ty.clone(), place.span);
                        Expr { kind: ExprKind::Read(place), ty, span }
                    };
                    return Some(self.slice(place)?.into_iter().map(read).collect());
                }
                if rest.is_some() {
                    let message = "the two arrays have different lengths or hold different values";
                    self.problems.push(Diagnostic::error(value.span, message));
                    return None;
                }
            }
            syntax::ExprKind::Braces(_) => {
                let declared = name.span;
                return self.spread(value, ty, name, &mut |typer, expr, scalar| {
                    typer.stored(expr, scalar, declared)
                });
            }
            _ => {}
        }
        let dims = "[0]".repeat(lengths(ty).len());
        let message = format!("`{}` is an array; one element is wanted here", name.text);
        self.problems.push(
            Diagnostic::error(name.span, message)
                .hint(format!("say which one, as in `{}{dims}`; `{{…}}` lists all", name.text)),
        );
        None
    }

    /// A variable as a whole: all of its elements, if it is an array and no index is given.
    pub fn whole(&mut self, place: &'a PlaceExpr) -> Option<Vec<Place>> {
        if place.indices.is_empty()
            && let Some(Some(ResolvedVariable { var, ty: ty @ Type::Array { .. }, .. })) =
                &self.variable(&place.name)
            && *ty.scalar() != Type::Lock
            && self.items.role(*var).word().is_none()
        {
            return self.all_elements(*var, ty, place.span);
        }
        if !place.indices.is_empty() && self.rest_of(place).is_some() {
            return self.slice(place);
        }
        self.scalar(place).map(|place| vec![place])
    }

    /// All elements of a variable, for a statement that sets them at once.
    pub fn all_elements(&mut self, var: VarRef, ty: &Type, span: Span) -> Option<Vec<Place>> {
        if ty.slots() <= MOST_AT_ONCE {
            return Some(elements(var, ty, span));
        }
        let (name, slots) = (self.name_of(var), ty.slots());
        self.problems.push(
            Diagnostic::error(
                span,
                format!("the {slots} elements of `{name}` cannot be set at once"),
            )
            .hint(format!("at most {MOST_AT_ONCE} can; a loop sets them one by one")),
        );
        None
    }

    /// Where a variable is declared.
    pub fn declared(&self, var: VarRef) -> Span {
        match var {
            VarRef::Global(id) => self.items.globals[id.index()].decl.name.span,
            VarRef::Local(id) => self.scope.local(id).span,
        }
    }

    /// The name of a variable as written.
    pub fn name_of(&self, var: VarRef) -> &'a str {
        match var {
            VarRef::Global(id) => &self.items.globals[id.index()].decl.name.text,
            VarRef::Local(id) => self.scope.local(id).written,
        }
    }

    /// The value of a variable.
    pub fn read_variable(&mut self, place: &'a PlaceExpr, span: Span) -> Option<Expr> {
        if matches!(self.scope.mode, Mode::Constant | Mode::Arguments(_)) {
            let Some(var) = self.var(&place.name) else {
                self.found(&place.name);
                return None;
            };
            let message = format!("expected a constant, but `{}` is a variable", place.name.text);
            let declared = self.declared(var);
            self.problems.push(
                Diagnostic::error(span, message)
                    .related(declared, "declared here")
                    .hint("a value that never changes can be declared with `const`"),
            );
            return None;
        }
        let place = self.scalar(place)?;
        let ty = place.ty.clone();
        Some(Expr { kind: ExprKind::Read(place), ty, span })
    }

    /// The variable that a name means, if it means one.
    pub fn var(&self, name: &Name) -> Option<VarRef> {
        match (self.scope.find(&name.text), self.items.find(&name.text)) {
            (Some(local), _) => Some(VarRef::Local(local)),
            (None, Some(Item::Global(id))) => Some(VarRef::Global(id)),
            _ => None,
        }
    }

    /// The variable with a name: nothing if there is none, `Some(None)` if its type is wrong.
    pub fn variable(&self, name: &Name) -> Option<Option<ResolvedVariable>> {
        let var = self.var(name)?;
        self.items.used(name, self.declared(var));
        let ty = match var {
            VarRef::Local(id) => self.scope.local(id).ty.clone(),
            VarRef::Global(id) => self.items.globals[id.index()].ty.clone(),
        };
        Some(ty.map(|ty| ResolvedVariable { var, ty, declared: self.declared(var) }))
    }

    /// The variable with a name; reports if there is none.
    pub fn found(&mut self, name: &Name) -> Option<ResolvedVariable> {
        if let Some(variable) = self.variable(name) {
            return variable;
        }
        let text = &name.text;
        let Some((item, declared)) = self.items.find_declared(text) else {
            self.unknown(name);
            return None;
        };
        let problem = match item {
            Item::Proc(id) => {
                let proc = self.items.proc(id);
                let of = if proc.results.is_empty() { "" } else { "x := " };
                let args = if proc.params.is_empty() { "" } else { "…" };
                Diagnostic::error(name.span, format!("`{text}` is a procedure, not a variable"))
                    .hint(format!("a call is a statement of its own: `{of}{text}({args});`"))
            }
            Item::Enum(id) => {
                Diagnostic::error(name.span, format!("`{text}` is a type, not a variable"))
                    .hint(self.items.all_values(id))
            }
            item => {
                let message = format!("`{text}` is {}, and cannot change", item.what());
                let hint = match item {
                    Item::Const(_) => format!("declare a variable: `int {text} := …;`"),
                    _ => "a variable is assigned: `int x;` declares one".to_owned(),
                };
                Diagnostic::error(name.span, message).related(declared, "declared here").hint(hint)
            }
        };
        self.problems.push(problem);
        None
    }

    /// The scalar at a place: one index for each dimension, constant ones inside the array.
    pub fn element(&mut self, place: &'a PlaceExpr, found: &ResolvedVariable) -> Option<Place> {
        let name = &place.name.text;
        let lengths = lengths(&found.ty);
        let indices: Vec<Option<Expr>> =
            place.indices.iter().map(|index| self.any_integer(index)).collect();
        if indices.len() != lengths.len() {
            let example = format!("{name}{}", "[0]".repeat(lengths.len()));
            let (message, hint) = match (lengths.len(), indices.len()) {
                (0, given) => {
                    let lengths = "[3]".repeat(given);
                    let hint = format!(
                        "leave the index out, or declare an array: `{} {name}{lengths};`",
                        self.items.type_name(&found.ty)
                    );
                    (format!("`{name}` is not an array"), Some(hint))
                }
                (_, 0) => (
                    format!("`{name}` is an array; one element is wanted here"),
                    Some(format!("say which one, as in `{example}`")),
                ),
                (dimensions, given) => (
                    format!(
                        "`{name}` has {}, but {} given",
                        counted(dimensions, "dimension", "dimensions"),
                        counted(given, "index is", "indices are"),
                    ),
                    Some(format!("an element is `{example}`")),
                ),
            };
            let mut problem =
                Diagnostic::error(place.span, message).related(found.declared, "declared here");
            problem.hint = hint;
            self.problems.push(problem);
            return None;
        }
        let mut checked = Vec::with_capacity(indices.len());
        let mut all_fine = true;
        for (index, length) in indices.into_iter().zip(lengths) {
            match index {
                Some(index) if self.inside(&index, length, name, found.declared) => {
                    checked.push(index)
                }
                _ => all_fine = false,
            }
        }
        all_fine.then(|| Place {
            var: found.var,
            indices: checked,
            ty: found.ty.scalar().clone(),
            span: place.span,
        })
    }

    fn inside(&mut self, index: &Expr, length: u32, name: &str, declared: Span) -> bool {
        let Ok(value) = fold(index, None) else { return true };
        if self.scope.left_out || u32::try_from(&value).is_ok_and(|value| value < length) {
            return true;
        }
        let message = format!("there is no element {value} in `{name}`");
        self.problems.push(
            Diagnostic::error(index.span, message)
                .related(declared, "declared here")
                .hint(self.outside_of(length)),
        );
        false
    }

    fn no_indices(&mut self, place: &PlaceExpr, what: &str) -> Option<()> {
        if place.indices.is_empty() {
            return Some(());
        }
        let message = format!("`{}` is {what}, not an array", place.name.text);
        self.problems.push(Diagnostic::error(place.span, message));
        None
    }
}

/// The lengths of the dimensions of a type, the outermost first.
fn lengths(ty: &Type) -> Vec<u32> {
    let mut lengths = Vec::new();
    let mut ty = ty;
    while let Type::Array { element, length } = ty {
        lengths.push(*length);
        ty = element;
    }
    lengths
}

/// All scalars of a variable, in the order of their slots.
fn elements(var: VarRef, ty: &Type, span: Span) -> Vec<Place> {
    let scalar = ty.scalar().clone();
    let lengths = lengths(ty);
    let element = |slot: usize| {
        let mut rest = slot;
        let mut indices: Vec<Expr> = Vec::with_capacity(lengths.len());
        for &length in lengths.iter().rev() {
            let value = Value::Small((rest % length as usize) as i64);
            rest /= length as usize;
            indices.push(Expr { kind: ExprKind::Const(value), ty: Type::Int, span });
        }
        indices.reverse();
        Place { var, indices, ty: scalar.clone(), span }
    };
    (0..ty.slots()).map(element).collect()
}
