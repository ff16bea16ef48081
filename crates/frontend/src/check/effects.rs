//! # Effects
//! Calls, starts of threads, and operations that read and write in one step. They stand alone,
//! right of `:=`, or (those with a truth value) as a condition.

use selvedge_program::{
    AtomicOp, Cond, Expr, ExprKind, Place, ProcId, Span, StmtKind, Type, Value, VarRef,
};

use super::counted;
use super::items::Item;
use super::similar::WORDS;
use super::statements::Body;
use super::types::compatible;
use crate::Diagnostic;
use crate::foreign::{self, NO_RESULT};
use crate::syntax::{self, Effect, EffectKind, Name};

impl<'a> Body<'_, 'a> {
    /// An effect whose results go to places; to no place at all if the list is empty. A place is
    /// missing if it was wrong.
    pub fn effect(&mut self, targets: Vec<Option<Place>>, effect: &'a Effect) -> Option<StmtKind> {
        match &effect.kind {
            EffectKind::Call(name, args) => {
                let types: Vec<Type> =
                    targets.iter().flatten().map(|place| place.ty.clone()).collect();
                let (proc, args) = self.call_for(name, args, effect.span, &types);
                let proc = proc?;
                self.sites.calls.push((proc, effect.span));
                let results = self.results(proc, targets, effect.span)?;
                Some(StmtKind::Call { proc, args: args?, results })
            }
            EffectKind::Async(name, args) => {
                let (proc, args) = self.call(name, args, effect.span);
                let dest = self.dest(targets, &Type::ThreadId, "`async`", effect.span)?;
                Some(StmtKind::Async { dest, proc: proc?, args: args? })
            }
            _ => {
                let (op, ty) = self.attempt(effect);
                let what = match &effect.kind {
                    EffectKind::TryLock(_) => "`trylock`",
                    EffectKind::CompareAndSwap(..) => "`cas`",
                    _ => "`fetch_and_add`",
                };
                let dest = self.dest(targets, &ty, what, effect.span)?;
                Some(StmtKind::Attempt { dest, op: op? })
            }
        }
    }

    /// Checks the condition of `if` or `while`.
    pub fn cond(&mut self, cond: &'a syntax::Cond) -> Option<Cond> {
        let (effect, negated) = match cond {
            syntax::Cond::Expr(expr) => return self.typer.condition(expr).map(Cond::Expr),
            syntax::Cond::Effect { effect, negated } => (effect, *negated),
        };
        let problem = match &effect.kind {
            EffectKind::TryLock(_) | EffectKind::CompareAndSwap(..) => {
                let op = self.attempt(effect).0?;
                return Some(Cond::Attempt { op, negated });
            }
            EffectKind::Call(name, args) => {
                self.call_for(name, args, effect.span, &[Type::Bool]).0?;
                let text = &name.text;
                Diagnostic::error(effect.span, "a call cannot be a condition")
                    .hint(format!("assign the result first: `bool b := {text}(…);`, then test `b`"))
            }
            EffectKind::Async(name, args) => {
                self.call(name, args, effect.span);
                Diagnostic::error(effect.span, "`async` gives a thread id, not a truth value")
            }
            EffectKind::FetchAndAdd(..) => {
                self.attempt(effect);
                Diagnostic::error(
                    effect.span,
                    "`fetch_and_add` gives an integer, not a truth value",
                )
                .hint("assign the result first: `n := fetch_and_add(x);`, then test `n`")
            }
        };
        self.typer.problems.push(problem);
        None
    }

    /// An operation in one step, and the type of its result.
    fn attempt(&mut self, effect: &'a Effect) -> (Option<AtomicOp>, Type) {
        match &effect.kind {
            EffectKind::TryLock(place) => {
                (self.typer.lock(place, "trylock").map(AtomicOp::TryLock), Type::Bool)
            }
            EffectKind::CompareAndSwap(place, expected, new) => {
                (self.compare_and_swap(place, expected, new), Type::Bool)
            }
            EffectKind::FetchAndAdd(place, amount) => {
                let place = self.integer(place);
                let machine = place.as_ref().map(|place| &place.ty).filter(|ty| ty.is_machine());
                let ty = machine.cloned().unwrap_or(Type::Int);
                let amount = match amount {
                    Some(amount) => self.typer.expect(amount, &ty),
                    None => Some(Expr {
                        kind: ExprKind::Const(Value::Small(1)),
                        ty: ty.clone(),
                        span: effect.span,
                    }),
                };
                let op = place
                    .zip(amount)
                    .map(|(place, amount)| AtomicOp::FetchAndAdd { place, amount });
                (op, ty)
            }
            EffectKind::Call(..) | EffectKind::Async(..) => (None, Type::Bool),
        }
    }

    fn compare_and_swap(
        &mut self,
        place: &'a syntax::PlaceExpr,
        expected: &'a syntax::Expr,
        new: &'a syntax::Expr,
    ) -> Option<AtomicOp> {
        let Some(place) = self.typer.scalar(place) else {
            self.typer.infer(expected);
            self.typer.infer(new);
            return None;
        };
        let declared = self.typer.declared(place.var);
        let expected = self.typer.expect(expected, &place.ty);
        let new = self.typer.stored(new, &place.ty, declared);
        Some(AtomicOp::CompareAndSwap { place, expected: expected?, new: new? })
    }

    /// Checks the variable of `fetch_and_add`.
    fn integer(&mut self, place: &'a syntax::PlaceExpr) -> Option<Place> {
        let place = self.typer.scalar(place)?;
        if place.ty.is_integer() {
            return Some(place);
        }
        let (name, is) = (self.typer.name_of(place.var), self.typer.items.a_value(&place.ty));
        let declared = self.typer.declared(place.var);
        self.typer.problems.push(
            Diagnostic::error(
                place.span,
                format!("`fetch_and_add` needs an integer, but `{name}` is {is}"),
            )
            .related(declared, "declared here"),
        );
        None
    }

    /// The procedure that is called, and its arguments.
    pub fn call(
        &mut self,
        name: &'a Name,
        args: &'a [syntax::Expr],
        span: Span,
    ) -> (Option<ProcId>, Option<Vec<Expr>>) {
        self.call_for(name, args, span, &[])
    }

    /// The procedure that is called, and its arguments; the results go to variables of these types.
    pub fn call_for(
        &mut self,
        name: &'a Name,
        args: &'a [syntax::Expr],
        span: Span,
        results: &[Type],
    ) -> (Option<ProcId>, Option<Vec<Expr>>) {
        let before = self.typer.problems.len();
        let Some(proc) = self.called(name, args) else {
            // What other languages do with locks, conditions and channels is no use of their values.
            let text = &name.text;
            let is_foreign = foreign::operation(text).is_some()
                || foreign::procedure(text).is_some()
                || foreign::between(text).is_some();
            if !is_foreign {
                let types = args.iter().map(|arg| self.typer.infer(arg).map(|arg| arg.ty));
                let types: Vec<Option<Type>> = types.collect();
                let hint = self.declaration_of(text, &types, results);
                if let Some(problem) = self.typer.problems.get_mut(before)
                    && problem.hint.as_ref().is_some_and(|hint| hint.starts_with(DECLARE))
                {
                    problem.hint = Some(hint);
                }
            }
            return (None, None);
        };
        (Some(proc), self.typer.arguments(proc, args, span))
    }

    /// How an unknown procedure is declared that is called with arguments of these types, for results of these types.
    fn declaration_of(&self, name: &str, args: &[Option<Type>], results: &[Type]) -> String {
        let items = self.typer.items;
        let params = args.iter().zip(1..).map(|(ty, number)| {
            let ty = match ty {
                None | Some(Type::Range { .. }) => "int".to_owned(),
                Some(ty) => items.type_name(ty),
            };
            match args.len() {
                1 => format!("{ty} n"),
                _ => format!("{ty} n{number}"),
            }
        });
        let params: Vec<String> = params.collect();
        let results = results.iter().map(|ty| match ty {
            Type::Range { .. } => "int".to_owned(),
            ty => items.type_name(ty),
        });
        let results: Vec<String> = results.collect();
        let result = match results.as_slice() {
            [] => "void".to_owned(),
            [one] => one.clone(),
            several => format!("({})", several.join(", ")),
        };
        format!("{DECLARE} `{result} {name}({}) {{ … }}`", params.join(", "))
    }

    fn called(&mut self, name: &'a Name, args: &[syntax::Expr]) -> Option<ProcId> {
        let items = self.typer.items;
        let text = &name.text;
        if let Some(Item::Proc(id)) = items.find(text) {
            items.used(name, items.proc(id).name.span);
            return Some(id);
        }
        let no = |what: &str, declared: Span| {
            Diagnostic::error(name.span, format!("`{text}` is {what}, not a procedure"))
                .related(declared, "declared here")
        };
        let problem = if let Some(local) = self.typer.scope.find(text) {
            let local = self.typer.scope.local(local);
            let problem = no("a local variable", local.span);
            match &local.ty {
                Some(Type::Array { .. }) => problem.hint(element_of(text)),
                _ => problem,
            }
        } else if let Some((item, declared)) = items.find_declared(text) {
            let problem = no(item.what(), declared);
            match item {
                Item::Global(id)
                    if matches!(items.globals[id.index()].ty, Some(Type::Array { .. })) =>
                {
                    problem.hint(element_of(text))
                }
                _ => problem,
            }
        } else if let Some(body) = items.find_body(text) {
            no("a thread", items.proc(body).name.span)
                .hint("write its body as a procedure, which both the thread and others can run")
        } else {
            let problem = self.typer.no_procedure(name);
            match foreign::operation(text) {
                Some(operation) => {
                    let names = leading_names(args);
                    let operation = match args.first().map(|arg| &arg.kind) {
                        Some(syntax::ExprKind::Place(place)) => {
                            self.typer.done_with(operation, &place.name)
                        }
                        _ => operation,
                    };
                    problem.hint(operation.advice(&names))
                }
                None if problem.hint.is_some() => problem,
                None => {
                    let known = foreign::procedure(text).or_else(|| foreign::between(text));
                    match known.or_else(|| foreign::beginning(text)) {
                        Some(hint) => problem.hint(hint),
                        None => problem.hint(format!("{DECLARE} `void {text}() {{ … }}`")),
                    }
                }
            }
        };
        self.typer.problems.push(problem);
        None
    }

    /// Where the results of a call go.
    fn results(
        &mut self,
        proc: ProcId,
        targets: Vec<Option<Place>>,
        span: Span,
    ) -> Option<Vec<Place>> {
        if targets.is_empty() {
            return Some(Vec::new());
        }
        let proc = self.typer.items.proc(proc);
        let name = &proc.name.text;
        if proc.result_types.len() != targets.len() {
            let has = counted(proc.result_types.len(), "result", "results");
            let left = counted(targets.len(), "variable is", "variables are");
            let mut problem =
                Diagnostic::error(span, format!("`{name}` has {has}, but {left} left of `:=`"))
                    .related(proc.name.span, "declared here");
            let variables = ["x", "y", "z"].into_iter().take(proc.result_types.len());
            problem = problem.hint(match proc.result_types.len() {
                0 => format!("call it without `:=`, or declare it with a type: `bool {name}(…)`"),
                1 => format!("write `x := {name}(…);`"),
                2 | 3 => {
                    let variables = variables.collect::<Vec<_>>().join(", ");
                    format!("each result goes to a variable: `{variables} := {name}(…);`")
                }
                _ => "each result goes to a variable: `x, y := f();`".to_owned(),
            });
            self.typer.problems.push(problem);
            return None;
        }
        for (place, ty) in targets.iter().zip(&proc.result_types) {
            if let (Some(place), Some(ty)) = (place, ty) {
                self.holds(place, ty, &format!("`{name}`"));
            }
        }
        targets.into_iter().collect()
    }

    /// Where the single result of an effect goes.
    fn dest(
        &mut self,
        targets: Vec<Option<Place>>,
        ty: &Type,
        what: &str,
        span: Span,
    ) -> Option<Option<Place>> {
        if targets.len() > 1 {
            let left = counted(targets.len(), "variable is", "variables are");
            let message = format!("{what} has 1 result, but {left} left of `:=`");
            self.typer.problems.push(Diagnostic::error(span, message));
            return None;
        }
        let Some(target) = targets.into_iter().next() else { return Some(None) };
        let place = target?;
        self.holds(&place, ty, what).then_some(Some(place))
    }

    /// Whether a place holds results of a type.
    fn holds(&mut self, place: &Place, ty: &Type, what: &str) -> bool {
        if compatible(&place.ty, ty) {
            return true;
        }
        let (name, items) = (self.typer.name_of(place.var), self.typer.items);
        let (gives, is) = (items.a_value(ty), items.a_value(&place.ty));
        let declared = self.typer.declared(place.var);
        let problem =
            Diagnostic::error(place.span, format!("{what} gives {gives}, but `{name}` is {is}"));
        let hint = match ty {
            Type::ThreadId => {
                if let VarRef::Local(id) = place.var {
                    // It was meant to hold one: nothing more is said about it.
                    self.typer.scope.locals[id.index()].ty = None;
                }
                format!("a thread id is kept in a `tid {name}`; {NO_RESULT}")
            }
            ty => format!("declare it as `{} {name}`", items.type_name(ty)),
        };
        self.typer.problems.push(problem.related(declared, "declared here").hint(hint));
        false
    }
}

/// The beginning of the advice to declare a procedure.
const DECLARE: &str = "declare it, as in";

/// What to write instead of `a(0)`.
fn element_of(array: &str) -> String {
    format!("an element of an array has brackets: `{array}[0]`")
}

/// The names of the variables that a list of arguments begins with.
fn leading_names(args: &[syntax::Expr]) -> Vec<&str> {
    let places = args.iter().map_while(|arg| match &arg.kind {
        syntax::ExprKind::Place(place) if place.indices.is_empty() => Some(place),
        _ => None,
    });
    places.map(|place| place.name.text.as_str()).collect()
}

impl<'a> super::expressions::Typer<'_, 'a> {
    /// There is no procedure with this name.
    pub fn no_procedure(&self, name: &Name) -> Diagnostic {
        let mut problem =
            Diagnostic::error(name.span, format!("there is no procedure `{}`", name.text));
        problem.hint =
            self.similar(name, |typer| typer.items.names(Item::is_proc).chain(WORDS).collect());
        problem
    }

    /// The arguments of a call: one for each parameter.
    pub fn arguments(
        &mut self,
        proc: ProcId,
        args: &'a [syntax::Expr],
        span: Span,
    ) -> Option<Vec<Expr>> {
        let proc = self.items.proc(proc);
        if proc.params.len() != args.len() {
            args.iter().for_each(|arg| drop(self.infer(arg)));
            let name = &proc.name.text;
            let has = counted(proc.params.len(), "parameter", "parameters");
            let given = counted(args.len(), "argument is", "arguments are");
            self.problems.push(
                Diagnostic::error(span, format!("`{name}` has {has}, but {given} given"))
                    .related(proc.name.span, "declared here")
                    .hint(format!("it is declared as `{}`", self.items.signature(proc))),
            );
            return None;
        }
        let typed: Vec<Option<Expr>> = args
            .iter()
            .zip(proc.params)
            .zip(&proc.param_types)
            .map(|((arg, param), ty)| match ty {
                Some(ty) => self.stored(arg, ty, param.name.span),
                // The parameter was meant to be an array.
                None if self.is_array(arg) => None,
                None => self.infer(arg),
            })
            .collect();
        typed.into_iter().collect()
    }
}
