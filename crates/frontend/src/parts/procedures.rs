//! # Procedures and their calls
//! Structs are handed over as values of their members. A parameter that stands for a shared variable is none in the program: the procedure is
//! written once for each choice of variables that calls hand to it, and gets their indices as numbers.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_program::Span;

use super::Writer;
use super::places::{Meaning, NamedPart, plain};
use super::shapes::{Kind, Made, Variable, renamed};
use super::values::index_type;
use crate::Diagnostic;
use crate::check::{self, counted};
use crate::foreign;
use crate::syntax::{
    Entry, Expr, ExprKind, Item, Name, PlaceExpr, ProcDecl, ThreadDecl, TypeExpr, TypeKind, VarDecl,
};
use crate::weave::assignments::find_choice;

/// More copies of procedures than this are refused.
const MOST_INSTANCES: usize = 500;

/// The copies of procedures that calls have asked for.
#[derive(Default)]
pub(super) struct Instances<'f> {
    list: Vec<Instance<'f>>,
    by_name: FxHashMap<String, usize>,
    /// Whether it was said that there are too many.
    too_many: bool,
    /// Procedures with a call that is wrong.
    miscalled: FxHashSet<&'f str>,
}

/// A procedure for certain shared variables.
#[derive(Clone)]
struct Instance<'f> {
    position: usize,
    decl: &'f ProcDecl,
    name: String,
    /// The arguments that the parameters stand for, in order.
    given: Vec<Actual<'f>>,
}

/// The argument that a parameter stands for in a copy of a procedure.
#[derive(Clone, Debug)]
pub(super) struct Actual<'f> {
    stem: String,
    lengths: Vec<Expr>,
    kind: Kind<'f>,
    ty: &'f TypeExpr,
}

impl<'f> Writer<'f> {
    /// Whether a parameter stands for a shared variable.
    pub(super) fn is_reference(&self, param: &VarDecl) -> bool {
        matches!(param.ty.kind, TypeKind::Ref(_)) || self.word(&param.ty).is_some()
    }

    /// Whether a procedure has parameters that stand for shared variables.
    pub(super) fn has_references(&self, decl: &ProcDecl) -> bool {
        decl.params.iter().any(|param| self.is_reference(param))
    }

    /// Writes the copies that calls have asked for, and those that these ask for.
    pub(super) fn write_instances(&mut self, items: &mut Vec<(usize, Item)>) {
        let mut next = 0;
        while let Some(instance) = self.instances.list.get(next).cloned() {
            next += 1;
            let name = renamed(&instance.decl.name, instance.name.clone());
            let written = self.procedure(instance.decl, name, &instance.given);
            items.push((instance.position, Item::Proc(written)));
        }
    }

    /// Copies of procedures that are never called, with invented variables for their parameters; warns about them.
    pub(super) fn uncalled(&mut self) -> Vec<Item> {
        let mut made = Vec::new();
        let mut all: Vec<(usize, &'f ProcDecl)> = self.procs.values().copied().collect();
        all.sort_by_key(|(position, _)| *position);
        for (_, decl) in all {
            let is_called = || self.instances.list.iter().any(|i| std::ptr::eq(i.decl, decl));
            if !self.has_references(decl) || is_called() {
                continue;
            }
            let name = &decl.name.text;
            // A call with a mistake has no copy, and is one.
            if !self.instances.miscalled.contains(name.as_str()) {
                self.problems
                    .push(Diagnostic::warning(decl.name.span, format!("nobody calls `{name}`")).hint(
                    "what its parameters stand for is known by its calls: it is no part of the program",
                ));
            }
            let mut given = Vec::new();
            for param in decl.params.iter().filter(|param| self.is_reference(param)) {
                let ty = referred(&param.ty);
                let text = format!("{name}.{}", param.name.text);
                let kind = self.kind(ty);
                for leaf in self.leaves(ty) {
                    let ty = self.made_type(&leaf.ty);
                    let init = match self.word(&ty) {
                        Some("semaphore" | "barrier") => Some(crate::syntax::Init::Expr(
                            super::values::number(1, param.name.span),
                        )),
                        _ => leaf.init.cloned().filter(|_| matches!(leaf.ty, Made::Written(_))),
                    };
                    made.push(Item::Global(VarDecl {
                        ty,
                        name: renamed(&param.name, format!("{text}{}", leaf.path)),
                        dims: leaf.lengths.clone(),
                        init,
                    }));
                }
                given.push(Actual { stem: text, lengths: Vec::new(), kind, ty });
            }
            let before = self.instances.list.len();
            let written = self.procedure(decl, decl.name.clone(), &given);
            made.push(Item::Proc(written));
            // Procedures that it would call are looked at as well.
            let mut more = Vec::new();
            let mut next = before;
            while let Some(instance) = self.instances.list.get(next).cloned() {
                next += 1;
                let name = renamed(&instance.decl.name, instance.name.clone());
                more.push(Item::Proc(self.procedure(instance.decl, name, &instance.given)));
            }
            made.extend(more);
        }
        made
    }

    /// Writes a procedure. `given` says what its parameters stand for that stand for something.
    pub(super) fn procedure(
        &mut self,
        decl: &'f ProcDecl,
        name: Name,
        given: &[Actual<'f>],
    ) -> ProcDecl {
        self.enter();
        let outer = self.proc.replace(decl);
        let mut params = Vec::new();
        let mut actuals = given.iter();
        for param in &decl.params {
            match self.is_reference(param) {
                true => {
                    self.notes.variable(
                        &param.name,
                        check::Kind::Parameter,
                        param,
                        Some(decl.name.span),
                    );
                    if let Some(actual) = actuals.next() {
                        self.reference(param, actual, &mut params);
                    }
                }
                false => self.by_value(param, decl, &mut params),
            }
        }
        if !given.is_empty() || self.has_references(decl) {
            self.notes.procedure(decl);
        }
        let mut results = Vec::new();
        for ty in &decl.results {
            match self.kind(ty) {
                Kind::Struct(of) => {
                    if let TypeKind::Named(name) = &ty.kind {
                        self.notes.used(name.span, of.name.span);
                    }
                    if self.is_copied(of, ty.span) && self.is_handed(ty, ty.span, "a result") {
                        let leaves = self.leaves(ty);
                        results.extend(leaves.iter().map(|leaf| self.made_type(&leaf.ty)));
                    }
                }
                _ => results.push(ty.clone()),
            }
        }
        let body = self.block(&decl.body);
        self.leave();
        self.proc = outer;
        ProcDecl { name, params, results, body, span: decl.span, end: decl.end }
    }

    /// A parameter that gets a value.
    fn by_value(&mut self, param: &'f VarDecl, proc: &ProcDecl, params: &mut Vec<VarDecl>) {
        let variable = self.declared(param, false);
        let Kind::Struct(of) = variable.kind else {
            params.push(param.clone());
            self.declare(&param.name, variable);
            return;
        };
        self.notes.variable(&param.name, check::Kind::Parameter, param, Some(proc.name.span));
        let is_fine = param.dims.is_empty()
            && self.is_copied(of, param.ty.span)
            && self.is_handed(&param.ty, param.ty.span, "a parameter");
        if !param.dims.is_empty() {
            let problem = Diagnostic::error(param.name.span, "a parameter cannot be an array");
            self.report(
                problem.hint("declare it as a shared variable; to say which one, pass an index"),
            );
        }
        if !is_fine {
            self.declare(&param.name, Variable { kind: Kind::Wrong, ..variable });
            return;
        }
        for leaf in self.leaves(&param.ty) {
            params.push(VarDecl {
                ty: self.made_type(&leaf.ty),
                name: renamed(&param.name, format!("{}{}", param.name.text, leaf.path)),
                dims: Vec::new(),
                init: None,
            });
        }
        self.declare(&param.name, variable);
    }

    /// Whether a struct is handed to or from a procedure; reports if not.
    pub(super) fn is_handed(&mut self, ty: &'f TypeExpr, span: Span, what: &str) -> bool {
        let leaves = self.leaves(ty);
        let Some(array) = leaves.iter().find(|leaf| !leaf.lengths.is_empty()) else { return true };
        let message = format!(
            "{what} cannot have an array in it, as `{}` is",
            array.path.trim_start_matches('.')
        );
        let hint = "a parameter can stand for a shared variable: `ref` before its type";
        self.report(Diagnostic::error(span, message).hint(hint));
        self.wrong.push(span);
        false
    }

    /// A parameter that stands for a shared variable, and the numbers that say for which element.
    fn reference(&mut self, param: &'f VarDecl, actual: &Actual<'f>, params: &mut Vec<VarDecl>) {
        let mut given = Vec::new();
        for (number, length) in actual.lengths.iter().enumerate() {
            let more = if number == 0 { String::new() } else { (number + 1).to_string() };
            let name = renamed(&param.name, format!("{}$index{more}", param.name.text));
            let place = plain(name.clone(), param.name.span);
            given.push(Expr { kind: ExprKind::Place(place), span: param.name.span });
            params.push(VarDecl { ty: index_type(length), name, dims: Vec::new(), init: None });
        }
        if !param.dims.is_empty() {
            let problem = Diagnostic::error(param.name.span, "a parameter cannot be an array");
            let hint = "it can stand for one element, or for a struct that has an array in it";
            self.report(problem.hint(hint));
        }
        if let Kind::Struct(of) = self.kind(&param.ty)
            && let TypeKind::Named(name) = &referred(&param.ty).kind
        {
            self.notes.used(name.span, of.name.span);
        }
        let variable = Variable {
            stem: actual.stem.clone(),
            ty: actual.ty,
            kind: actual.kind,
            lengths: actual.lengths.clone(),
            given,
            is_shared: true,
            is_reference: true,
            declared: param.name.span,
        };
        self.declare(&param.name, variable);
    }

    /// A call without parts: the procedure, or the copy of it, and the arguments. Nothing after a mistake.
    pub(super) fn call(
        &mut self,
        name: &Name,
        args: &[Expr],
        span: Span,
    ) -> Option<(Name, Vec<Expr>)> {
        let Some(&(position, decl)) = self.procs.get(name.text.as_str()) else {
            // What other languages do with channels is no use of their values: the checker says what there is instead.
            let is_foreign = foreign::procedure(&name.text).is_some()
                || foreign::operation(&name.text).is_some();
            let args = args.iter().map(|arg| match &arg.kind {
                ExprKind::Place(place) if is_foreign && self.is_channel(place) => {
                    Expr { kind: ExprKind::Any, span: arg.span }
                }
                _ => self.expr(arg),
            });
            let args = args.collect();
            return Some((name.clone(), args));
        };
        if decl.params.len() != args.len() {
            args.iter().for_each(|arg| self.argument(arg));
            let has = counted(decl.params.len(), "parameter", "parameters");
            let given = counted(args.len(), "argument is", "arguments are");
            let message = format!("`{}` has {has}, but {given} given", name.text);
            let problem = Diagnostic::error(span, message).related(decl.name.span, "declared here");
            self.instances.miscalled.insert(&decl.name.text);
            let head = format!("it is declared as `{}`", super::notes::head(decl));
            return self.wrong(problem.hint(head), span);
        }
        let mut written = Some(Vec::new());
        let mut actuals = Vec::new();
        for (arg, param) in args.iter().zip(&decl.params) {
            let values = if self.is_reference(param) {
                self.handed(arg, param).map(|found| {
                    let actual = Actual {
                        stem: found.stem,
                        lengths: found.lengths,
                        kind: found.kind,
                        ty: found.ty,
                    };
                    actuals.push(actual);
                    found.indices
                })
            } else {
                match self.kind(&param.ty) {
                    Kind::Struct(of) => self.value(arg, of),
                    _ => Some(vec![self.expr(arg)]),
                }
            };
            written = written.zip(values).map(|(mut all, values)| {
                all.extend(values);
                all
            });
        }
        if written.is_none() {
            self.instances.miscalled.insert(&decl.name.text);
        }
        let written = written?;
        if !self.has_references(decl) {
            return Some((name.clone(), written));
        }
        self.notes.used(name.span, decl.name.span);
        let text = self.instance(position, decl, actuals, span)?;
        Some((renamed(name, text), written))
    }

    /// Whether a place is a channel.
    fn is_channel(&self, place: &PlaceExpr) -> bool {
        let variable = self.lookup(&place.name.text);
        place.members.is_empty() && variable.is_some_and(|v| matches!(v.kind, Kind::Channel(_)))
    }

    /// An argument of a call that is wrong: it is looked at for mistakes of its own.
    fn argument(&mut self, arg: &Expr) {
        if !self.is_whole(arg) {
            self.expr(arg);
        }
    }

    /// The name of the copy of a procedure for these variables.
    fn instance(
        &mut self,
        position: usize,
        decl: &'f ProcDecl,
        given: Vec<Actual<'f>>,
        span: Span,
    ) -> Option<String> {
        let stems: Vec<String> = given.iter().map(|actual| actual.stem.replace("[]", "")).collect();
        let name = format!("{}({})", decl.name.text, stems.join(", "));
        if self.instances.by_name.contains_key(&name) {
            return Some(name);
        }
        if self.instances.list.len() >= MOST_INSTANCES {
            if !self.instances.too_many {
                self.instances.too_many = true;
                let message = "there are too many variables that parameters stand for";
                let hint = "arrays hold what is alike: an element of an array is no other variable";
                self.report(Diagnostic::error(span, message).hint(hint));
            }
            self.wrong.push(span);
            return None;
        }
        self.instances.by_name.insert(name.clone(), self.instances.list.len());
        self.instances.list.push(Instance { position, decl, name: name.clone(), given });
        Some(name)
    }

    /// The shared variable that a parameter stands for, by the argument of a call.
    fn handed(&mut self, arg: &Expr, param: &'f VarDecl) -> Option<NamedPart<'f>> {
        let wanted = referred(&param.ty);
        let what = self.type_words(wanted);
        let name = &param.name.text;
        let ExprKind::Place(place) = &arg.kind else {
            self.expr(arg);
            let message = format!("`{name}` stands for a shared variable, {what}");
            let problem = Diagnostic::error(arg.span, message);
            let hint = "name the variable, or an element of an array";
            return self
                .wrong(problem.related(param.name.span, "declared here").hint(hint), arg.span);
        };
        let found = match self.meaning(place) {
            Meaning::Wrong => return None,
            Meaning::Part(found) => found,
            Meaning::Other => {
                let Some(variable) = self.lookup(&place.name.text).cloned() else {
                    // The checker says that there is no such variable; nothing is said about the copy.
                    let message = format!("there is no variable `{}`", place.name.text);
                    let hint = format!("declare it outside of the procedures: {what}");
                    let problem = Diagnostic::error(place.span, message).hint(hint);
                    return self.wrong(problem, arg.span);
                };
                self.notes.used(place.name.span, variable.declared);
                let indices: Vec<Expr> = place.indices.iter().map(|i| self.expr(i)).collect();
                NamedPart {
                    stem: variable.stem.clone(),
                    indices,
                    lengths: variable.lengths.clone(),
                    kind: variable.kind,
                    ty: variable.ty,
                    is_shared: variable.is_shared,
                    asked: None,
                    declared: variable.declared,
                }
            }
        };
        let problem = |message: String| {
            Diagnostic::error(arg.span, message)
                .related(found.declared, "declared here")
                .related(param.name.span, "the parameter")
        };
        if !found.is_shared {
            let message = format!("`{name}` stands for a shared variable, and this one is local");
            let hint = "declare it outside of the procedures, or hand over its value";
            return self.wrong(problem(message).hint(hint), arg.span);
        }
        if found.asked.is_some() || !self.is_alike(wanted, found.ty) {
            let is = self.type_words(referred(found.ty));
            let message = format!("`{name}` stands for {what}, but this is {is}");
            return self.wrong(problem(message), arg.span);
        }
        if found.indices.len() != found.lengths.len() {
            let (message, hint) = match found.indices.len() < found.lengths.len() {
                true => ("this is an array; one element is wanted here", "say which one"),
                false => ("this has fewer dimensions than indices", "leave out what is too many"),
            };
            return self.wrong(problem(message.to_owned()).hint(hint), arg.span);
        }
        if let Some(choice) = found.indices.iter().find_map(find_choice)
            && found.indices.len() > 1
        {
            let message = "this index must not be a choice here";
            let hint = "choose it before: `int[0..1] i := *;`";
            return self.wrong(Diagnostic::error(choice, message).hint(hint), choice);
        }
        Some(found)
    }

    /// Whether a parameter of one type may stand for a variable of another. Ranges may differ: the range is that of the variable.
    fn is_alike(&self, wanted: &TypeExpr, found: &TypeExpr) -> bool {
        let found = referred(found);
        if let (Some(a), Some(b)) = (self.word(wanted), self.word(found)) {
            return match (&wanted.kind, &found.kind) {
                (TypeKind::Channel { message: a, .. }, TypeKind::Channel { message: b, .. }) => {
                    self.is_alike(a, b)
                }
                _ => a == b,
            };
        }
        match (&wanted.kind, &found.kind) {
            (TypeKind::Bool, TypeKind::Bool) | (TypeKind::ThreadId, TypeKind::ThreadId) => true,
            (TypeKind::Int | TypeKind::Range(..), TypeKind::Int | TypeKind::Range(..)) => true,
            (TypeKind::Machine(a), TypeKind::Machine(b)) => a == b,
            (TypeKind::Named(a), TypeKind::Named(b)) => a.text == b.text,
            _ => false,
        }
    }

    /// A type, for people.
    fn type_words(&self, ty: &TypeExpr) -> String {
        match self.word(ty) {
            Some(word) => format!("a {word}"),
            None => format!("`{}`", super::notes::type_text(ty)),
        }
    }

    /// A thread, with what it runs.
    pub(super) fn thread(&mut self, decl: &'f ThreadDecl) -> ThreadDecl {
        let mut written = decl.clone();
        self.enter();
        if let Some(binder) = &decl.binder {
            self.declare_plain(binder);
        }
        match &decl.entry {
            Entry::SameName => {
                if let Some(&(_, proc)) = self.procs.get(decl.name.text.as_str())
                    && self.has_references(proc)
                {
                    let name = &decl.name.text;
                    let message = format!(
                        "the thread does not say what the parameters of `{name}` stand for"
                    );
                    let hint = format!("say which arguments: `thread {name} = {name}(…);`");
                    self.problems.push(
                        Diagnostic::error(decl.name.span, message)
                            .related(proc.name.span, "the procedure")
                            .hint(hint),
                    );
                    self.wrong.push(decl.name.span);
                }
            }
            Entry::Call(name, args) => match self.call(name, args, decl.span) {
                Some((name, args)) => written.entry = Entry::Call(name, args),
                None => {
                    self.wrong.push(decl.span);
                    written.entry = Entry::Body(Vec::new());
                    written.binder = None;
                }
            },
            Entry::Body(body) => written.entry = Entry::Body(self.block(body)),
        }
        self.leave();
        written
    }

    /// Lets a predicate about a procedure speak of the procedure's only copy.
    pub(super) fn predicate_scope(&mut self, scope: &mut Name) {
        let Some(&(_, decl)) = self.procs.get(scope.text.as_str()) else { return };
        for param in &decl.params {
            if !self.is_reference(param) {
                let variable = self.declared(param, false);
                self.declare(&param.name, variable);
            }
        }
        self.declare_all(&decl.body);
        if !self.has_references(decl) {
            return;
        }
        let prefix = format!("{}(", scope.text);
        let mut copies = self.instances.list.iter().filter(|i| i.name.starts_with(&prefix));
        let (first, second) = (copies.next().map(|i| i.name.clone()), copies.next().is_some());
        match first {
            Some(first) if !second => {
                self.notes.used(scope.span, decl.name.span);
                scope.text = first;
            }
            _ => {
                let message =
                    format!("`{}` has parameters that stand for shared variables", scope.text);
                let hint = "a predicate cannot speak of its variables: write it about those of another procedure";
                self.report(Diagnostic::error(scope.span, message).hint(hint));
                self.wrong.push(scope.span);
            }
        }
    }
}

/// The type of what a parameter stands for.
pub(super) fn referred(ty: &TypeExpr) -> &TypeExpr {
    match &ty.kind {
        TypeKind::Ref(inner) => inner,
        _ => ty,
    }
}
