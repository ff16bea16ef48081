//! # Predicates
//! A predicate speaks of shared variables, of the locals and labels of one procedure, and of other
//! threads that are in this procedure. Bound threads are counted from the innermost one, as usual
//! for variables without names.

use rustc_hash::FxHashMap;
use selvedge_program::{
    Expr, ExprKind, LocalId, Predicate, ProcId, Quantifier, Span, Type, VarRef,
};

use super::expressions::Typer;
use super::items::{Item, Items};
use super::scope::{About, Local, Mode, Scope};
use super::similar::did_you_mean;
use super::{quoted, walk};
use crate::Diagnostic;
use crate::syntax::{self, Name, PlaceExpr, PredicateDecl};

/// The name of the thread that a predicate is about.
const SELF: &str = "self";

/// Checks all predicates; `locals` are those of each procedure.
pub(super) fn predicates<'a>(
    items: &Items<'a>,
    locals: &[Vec<Local<'a>>],
    problems: &mut Vec<Diagnostic>,
) -> Vec<Predicate> {
    let mut first: FxHashMap<&str, Span> = FxHashMap::default();
    let mut list = Vec::new();
    for (position, decl) in items.predicates.iter().enumerate() {
        if let Some(name) = &decl.name
            && let Some(span) = first.insert(&name.text, name.span)
        {
            problems.push(
                Diagnostic::error(
                    name.span,
                    format!("predicate `{}` is declared twice", name.text),
                )
                .label("declared again here")
                .related(span, "first declared here")
                .hint("give one of them another name"),
            );
        }
        let Some(proc) = subject(items, decl, problems) else { continue };
        let about = About { proc, binders: Vec::new() };
        let alive = proc.map_or_else(Vec::new, |id| locals[id.index()].clone());
        let mut scope = Scope::all_alive(alive, Mode::Predicate(about));
        let mut typer = Typer { items, problems, scope: &mut scope };
        let Some(expr) = typer.condition(&decl.expr) else { continue };
        let name = decl.name.as_ref().map(|n| n.text.clone());
        let name = name.unwrap_or_else(|| format!("predicate_{}", position + 1));
        list.push(Predicate { name, scope: proc, expr, span: decl.span });
    }
    list
}

/// The procedure that a predicate is about: the one named after `in`, or the only one that has
/// all of its labels. Nothing after a problem.
fn subject(
    items: &Items,
    decl: &PredicateDecl,
    problems: &mut Vec<Diagnostic>,
) -> Option<Option<ProcId>> {
    if let Some(name) = &decl.scope {
        if let Some(id) = items.find_proc(&name.text) {
            items.used(name, items.proc(id).name.span);
            return Some(Some(id));
        }
        let mut problem =
            Diagnostic::error(name.span, format!("there is no procedure `{}`", name.text));
        let thread = items.threads.iter().find(|t| t.name.text == name.text);
        problem.hint = match thread.map(|t| &t.entry) {
            Some(syntax::Entry::Call(proc, _)) => Some(format!(
                "thread `{}` runs the procedure `{}`: write `in {1}`",
                name.text, proc.text
            )),
            _ => did_you_mean(&name.text, items.procs.iter().map(|p| p.name.text.as_str())),
        };
        problems.push(problem);
        return None;
    }
    let mut labels: Vec<&Name> = Vec::new();
    walk::expressions(&decl.expr, &mut |e| {
        if let syntax::ExprKind::At(_, label) = &e.kind {
            labels.push(label);
        }
    });
    let Some(label) = labels.first() else { return Some(None) };
    let has_all =
        |id: &ProcId| labels.iter().all(|label| items.proc(*id).survey.find(&label.text).is_some());
    let ids = (0..items.procs.len()).map(|position| ProcId(super::items::index(position)));
    let candidates: Vec<ProcId> = ids.filter(has_all).collect();
    let text = &label.text;
    let problem = match candidates.as_slice() {
        [id] => return Some(Some(*id)),
        [] if labels.len() == 1 => {
            let all = items.procs.iter().flat_map(|p| &p.survey.labels);
            let mut problem =
                Diagnostic::error(label.span, format!("no procedure has a label `{text}`"));
            problem.hint = did_you_mean(text, all.map(|l| l.name.text.as_str()));
            problem
        }
        [] => Diagnostic::error(label.span, "no procedure has all labels of this predicate")
            .hint("a predicate speaks of the labels of one procedure"),
        several => {
            let names = several.iter().map(|id| items.proc(*id).name.text.as_str());
            let names: Vec<&str> = names.collect();
            Diagnostic::error(label.span, format!("several procedures have a label `{text}`"))
                .label(format!("in {}", quoted(names.iter().copied())))
                .hint(format!("say which one: `predicate … in {}: …`", names[0]))
        }
    };
    problems.push(problem);
    None
}

impl<'a> Typer<'_, 'a> {
    /// `forall i: …`, `exists i: …`, `#{i : …}`
    pub fn quantified(
        &mut self,
        quantifier: Quantifier,
        binder: &'a Name,
        others_only: bool,
        body: &'a syntax::Expr,
        span: Span,
    ) -> Option<Expr> {
        if let Some(lengths) = self.lengths_of(binder, body) {
            return self.over_indices(quantifier, (binder, others_only), body, &lengths, span);
        }
        let mut is_of_threads = others_only;
        walk::expressions(body, &mut |e| {
            use syntax::ExprKind as Syntax;
            is_of_threads |= matches!(e.kind, Syntax::LocalOf(..) | Syntax::At(..));
        });
        if !matches!(self.scope.mode, Mode::Predicate(_)) && !is_of_threads {
            let name = &binder.text;
            let message = format!("`{name}` is the index of no array here");
            let hint = format!(
                "`forall {name}: a[{name}] >= 0` is over the indices of `a`; only a `predicate` speaks of other threads"
            );
            self.problems.push(Diagnostic::error(span, message).hint(hint));
            return None;
        }
        let about = self.about(span)?;
        about.binders.push((binder, quantifier));
        let body = self.condition(body);
        self.about(span)?.binders.pop();
        let kind = ExprKind::Quantified {
            quantifier,
            binder: binder.text.clone(),
            others_only,
            body: Box::new(body?),
        };
        let ty = if quantifier == Quantifier::Count { Type::Int } else { Type::Bool };
        Some(Expr { kind, ty, span })
    }

    /// `i.x`
    pub fn local_of(&mut self, thread: &'a Name, name: &'a Name, span: Span) -> Option<Expr> {
        if !matches!(self.scope.mode, Mode::Predicate(_)) && self.is_field(thread, name, span) {
            return None;
        }
        self.about(span)?;
        let depth = self.bound_thread(thread);
        let Some(local) = self.scope.find(&name.text) else {
            if let Some(Item::Global(_)) = self.items.find(&name.text) {
                let text = &name.text;
                self.problems.push(
                    Diagnostic::error(span, format!("`{text}` is a shared variable"))
                        .hint(format!("it is the same for all threads: write `{text}`")),
                );
            } else {
                self.unknown(name);
            }
            return None;
        };
        self.items.used(name, self.scope.local(local).span);
        self.local_of_depth(local, name, depth?, span)
    }

    /// Reports `Phase.Idle` for an enumerator, and `p.x` for the field of a variable.
    fn is_field(&mut self, of: &Name, name: &Name, span: Span) -> bool {
        let (of_text, text) = (&of.text, &name.text);
        let (message, hint) = match self.items.find(of_text) {
            Some(Item::Enum(_)) => (
                "a value of an enumeration stands without the name of its type".to_owned(),
                format!("write `{text}`"),
            ),
            Some(Item::Global(_)) => no_field(of_text, text),
            _ if self.scope.find(of_text).is_some() => no_field(of_text, text),
            _ => return false,
        };
        self.problems.push(Diagnostic::error(span, message).hint(hint));
        true
    }

    /// `at L` and `i.at L`
    pub fn at(&mut self, thread: Option<&'a Name>, label: &'a Name, span: Span) -> Option<Expr> {
        let proc = self.about(span)?.proc;
        let depth = match thread {
            Some(thread) => self.bound_thread(thread),
            None => Some(self.counted_thread()),
        };
        let proc = proc?;
        let Some(id) = self.items.proc(proc).survey.find(&label.text) else {
            self.no_label(proc, label);
            return None;
        };
        self.items.used(label, self.items.proc(proc).survey.label(id).name.span);
        Some(Expr { kind: ExprKind::At { depth: depth?, label: id }, ty: Type::Bool, span })
    }

    /// A local variable without prefix: of the thread itself, or of the one that is counted.
    pub fn local_in_predicate(
        &mut self,
        local: LocalId,
        place: &'a PlaceExpr,
        span: Span,
    ) -> Option<Expr> {
        self.items.used(&place.name, self.scope.local(local).span);
        match self.counted_thread() {
            None => {
                self.one_meaning(&place.name)?;
                self.read_variable(place, span)
            }
            Some(_) if !place.indices.is_empty() => {
                self.no_array(&place.name);
                None
            }
            depth => self.local_of_depth(local, &place.name, depth, span),
        }
    }

    /// What could be said about an unknown name in a predicate that is not about a procedure.
    pub fn needs_scope(&self, name: &Name) -> Option<String> {
        let Mode::Predicate(About { proc: None, .. }) = self.scope.mode else { return None };
        let text = name.text.as_str();
        let has = |p: &&super::items::Proc| {
            p.survey.locals.contains(&text) || p.params.iter().any(|v| v.name.text == text)
        };
        let proc = &self.items.procs.iter().find(has)?.name.text;
        Some(format!("`{text}` is local to `{proc}`: write `predicate … in {proc}: …`"))
    }

    fn local_of_depth(
        &mut self,
        local: LocalId,
        name: &'a Name,
        depth: Option<u32>,
        span: Span,
    ) -> Option<Expr> {
        self.one_meaning(name)?;
        let ty = self.scope.local(local).ty.clone()?;
        if let Type::Array { .. } = ty {
            self.no_array(name);
            return None;
        }
        let kind = match depth {
            Some(depth) => ExprKind::LocalOf { depth, local },
            None => ExprKind::Read(selvedge_program::Place {
                var: VarRef::Local(local),
                indices: Vec::new(),
                ty: ty.clone(),
                span,
            }),
        };
        Some(Expr { kind, ty, span })
    }

    fn no_array(&mut self, name: &Name) {
        let message = format!("`{}` is an array of another thread", name.text);
        self.problems.push(
            Diagnostic::error(name.span, message)
                .hint("of other threads, a predicate mentions variables that are not arrays"),
        );
    }

    /// A name that two variables of the procedure have does not say which one is meant.
    fn one_meaning(&mut self, name: &Name) -> Option<()> {
        if !self.scope.is_ambiguous(&name.text) {
            return Some(());
        }
        let text = &name.text;
        let mut problem =
            Diagnostic::error(name.span, format!("several variables are called `{text}`"))
                .hint("give the one that is meant a name of its own");
        for local in self.scope.locals.iter().filter(|l| l.written == text).take(5) {
            problem = problem.related(local.span, "one of them");
        }
        self.problems.push(problem);
        None
    }

    /// The depth of the innermost thread that is counted, if there is one.
    fn counted_thread(&self) -> Option<u32> {
        let Mode::Predicate(about) = &self.scope.mode else { return None };
        let mut depths = (0..).zip(about.binders.iter().rev());
        depths.find(|(_, (_, q))| *q == Quantifier::Count).map(|(depth, _)| depth)
    }

    /// The thread with a name: its depth, or nothing for `self`. Nothing at all after a problem.
    fn bound_thread(&mut self, thread: &Name) -> Option<Option<u32>> {
        let Mode::Predicate(about) = &self.scope.mode else { return None };
        let mut depths = (0..).zip(about.binders.iter().rev());
        if let Some((depth, _)) = depths.find(|(_, (name, _))| name.text == thread.text) {
            return Some(Some(depth));
        }
        if thread.text == SELF {
            return Some(None);
        }
        let text = &thread.text;
        let mut problem =
            Diagnostic::error(thread.span, format!("no thread is called `{text}` here"));
        let known: Vec<&str> = about.binders.iter().map(|(name, _)| name.text.as_str()).collect();
        problem.hint = Some(match known.as_slice() {
            [] => format!("say which thread is meant, as in `forall {text}: …`"),
            known => format!("known are {} and `self`", quoted(known.iter().copied())),
        });
        self.problems.push(problem);
        None
    }

    /// The procedure that the predicate is about; an error where there is no predicate.
    fn about(&mut self, span: Span) -> Option<&mut About<'a>> {
        if let Mode::Predicate(about) = &mut self.scope.mode {
            return Some(about);
        }
        self.problems.push(
            Diagnostic::error(span, "only predicates speak of other threads")
                .hint("a program sees shared variables and its own; other threads can be mentioned after `predicate`"),
        );
        None
    }
}

fn no_field(of: &str, field: &str) -> (String, String) {
    let message = format!("`{of}` has no parts with names, such as `{field}`");
    (message, format!("declare a variable for each part, as in `int {of}_{field};`"))
}
