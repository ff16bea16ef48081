//! # Procedures
//! First the types of parameters and results of all procedures, then all bodies.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashSet;
use selvedge_program::{ProcId, Procedure, Span, Type};

use super::expressions::Typer;
use super::items::{Item, Items, Proc, index};
use super::scope::{Local, Mode, Scope};
use super::statements::Body;
use crate::Diagnostic;

/// Where procedures are called and threads end; compared when all bodies are known.
#[derive(Debug, Default)]
pub(super) struct Sites {
    /// The procedure that is called, and where.
    pub calls: Vec<(ProcId, Span)>,
    /// The procedure that has `end_thread`, and where.
    pub ends: Vec<(ProcId, Span)>,
    /// The texts of assertions, by their places.
    pub texts: BTreeMap<Span, String>,
}

/// Finds the types of parameters and results.
pub(super) fn signatures(items: &mut Items, problems: &mut Vec<Diagnostic>) {
    for position in 0..items.procs.len() {
        let proc = &items.procs[position];
        let (params, results) = (proc.params, proc.results);
        let mut scope = Scope::new(Mode::Constant);
        let mut typer = Typer { items, problems, scope: &mut scope };
        let mut param_types: Vec<Option<Type>> = Vec::new();
        for param in params {
            let ty = typer.variable_type(param);
            param_types.push(ty.filter(|ty| typer.is_passed(ty, param.ty.span, "a parameter")));
        }
        let mut result_types = Vec::new();
        for result in results {
            let ty = typer.element_type(result);
            result_types.push(ty.filter(|ty| typer.is_passed(ty, result.span, "a result")));
        }
        if items.procs[position].binder.is_some() {
            param_types.push(Some(Type::Int));
        }
        items.procs[position].param_types = param_types;
        items.procs[position].result_types = result_types;
    }
}

/// The checked bodies of all procedures.
pub(super) struct Bodies<'a> {
    /// The procedures.
    pub procs: Vec<Procedure>,
    /// The locals of each, for the predicates.
    pub locals: Vec<Vec<Local<'a>>>,
    /// The texts of assertions, by their places.
    pub texts: BTreeMap<Span, String>,
}

/// Checks all bodies.
pub(super) fn bodies<'a>(items: &Items<'a>, problems: &mut Vec<Diagnostic>) -> Bodies<'a> {
    let mut sites = Sites::default();
    let shared: Rc<FxHashSet<&str>> = Rc::new(items.names(Item::is_value).collect());
    let mut procs = Vec::with_capacity(items.procs.len());
    let mut locals = Vec::with_capacity(items.procs.len());
    for (position, proc) in items.procs.iter().enumerate() {
        if !items.lasts() {
            break;
        }
        let params = proc.params.iter().map(|param| &param.name).chain(proc.binder);
        let names = params.clone().map(|name| name.text.as_str());
        let written = names.chain(proc.survey.locals.iter().copied());
        let mut scope = Scope::of_body(Rc::clone(&shared), written);
        let mut typer = Typer { items, problems, scope: &mut scope };
        for (name, ty) in params.zip(&proc.param_types) {
            let id = typer.scope.add(name, ty.clone());
            typer.reveal(id);
        }
        let params = typer.scope.locals.len();
        let id = ProcId(index(position));
        let body = Body::new(typer, id, &mut sites).check(proc.body);
        procs.push(Procedure {
            name: proc.name.text.clone(),
            params,
            locals: scope.variables(),
            results: proc.result_types.iter().flatten().cloned().collect(),
            labels: proc.survey.labels.iter().map(|label| label.name.text.clone()).collect(),
            body,
            span: proc.span.to(proc.end),
        });
        locals.push(scope.locals);
    }
    ends_of_called(items, &sites, problems);
    Bodies { procs, locals, texts: sites.texts }
}

/// `end_thread` in a procedure that is called would leave its caller without a return.
fn ends_of_called(items: &Items, sites: &Sites, problems: &mut Vec<Diagnostic>) {
    for (proc, span) in &sites.ends {
        let Some((_, call)) = sites.calls.iter().find(|(called, _)| called == proc) else {
            continue;
        };
        let Proc { name, .. } = items.proc(*proc);
        problems.push(
            Diagnostic::error(
                *span,
                format!("a thread cannot end in `{}`, which is called", name.text),
            )
            .related(*call, "called here")
            .hint("`return` goes back to the caller"),
        );
    }
}

impl Typer<'_, '_> {
    /// Whether values of a type are handed to and from procedures.
    fn is_passed(&mut self, ty: &Type, span: Span, what: &str) -> bool {
        if !matches!(ty, Type::Array { .. } | Type::Lock) {
            return true;
        }
        let is = self.items.a_value(ty);
        self.problems.push(
            Diagnostic::error(span, format!("{what} cannot be {is}"))
                .hint("declare it as a shared variable; to say which one, pass an index"),
        );
        false
    }
}
