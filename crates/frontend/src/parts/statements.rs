//! # Statements without parts
//! What sets or copies a whole struct does so for all of its leaves, in one step.

use selvedge_program::Span;

use super::operations::Operation;
use super::places::{Meaning, leaf_place};
use super::shapes::{Kind, Leaf, Variable, renamed};
use super::{MOST_STATEMENTS, Writer};
use crate::Diagnostic;
use crate::check;
use crate::foreign;
use crate::syntax::{
    Cond, Effect, EffectKind, Expr, Init, Name, PlaceExpr, Stmt, StmtKind, StructDecl, VarDecl,
};

impl<'f> Writer<'f> {
    /// A block with a scope of its own.
    pub(super) fn block(&mut self, stmts: &'f [Stmt]) -> Vec<Stmt> {
        self.enter();
        let mut written = Vec::new();
        for stmt in stmts {
            self.statement(stmt, &mut written);
        }
        self.leave();
        written
    }

    fn statement(&mut self, stmt: &'f Stmt, into: &mut Vec<Stmt>) {
        self.statements += 1;
        if self.statements > MOST_STATEMENTS {
            if self.statements == MOST_STATEMENTS + 1 {
                let message = "the copies of procedures have too many statements";
                let hint = "hand over elements of one array: they need no copy";
                self.report(Diagnostic::error(stmt.span, message).hint(hint));
            }
            return;
        }
        let before = into.len();
        let kind = match self.several(stmt, into) {
            Some(()) => None,
            None => match self.one(stmt) {
                Some(kind) => Some(kind),
                None => {
                    self.wrong.push(stmt.span);
                    Some(StmtKind::Skip)
                }
            },
        };
        if let Some(kind) = kind {
            into.push(Stmt { labels: Vec::new(), kind, span: stmt.span });
        }
        match into.get_mut(before) {
            Some(first) => first.labels.splice(0..0, stmt.labels.iter().cloned()).for_each(drop),
            None if stmt.labels.is_empty() => {}
            None => into.push(Stmt {
                labels: stmt.labels.clone(),
                kind: StmtKind::Empty,
                span: stmt.span,
            }),
        }
    }

    /// Statements that may become several: declarations, what is done with channels, and `cas` of structs. Nothing if it is none of these.
    fn several(&mut self, stmt: &'f Stmt, into: &mut Vec<Stmt>) -> Option<()> {
        match &stmt.kind {
            StmtKind::Local(decl) => self.local(decl, stmt.span, into),
            StmtKind::Effect { targets, effect } => {
                let operation = self.operation(effect)?;
                self.communicate(operation, targets, stmt.span, into);
            }
            StmtKind::If { cond, then, otherwise } => {
                let tried = self.tried(cond)?;
                let branches = [self.block(then), self.block(otherwise)];
                self.try_branch(tried, branches, stmt.span, into);
            }
            StmtKind::While { cond, body } => {
                let tried = self.tried(cond)?;
                let body = self.block(body);
                self.try_loop(tried, body, stmt.span, into);
            }
            _ => return None,
        }
        Some(())
    }

    /// A statement that stays one; nothing after a mistake.
    fn one(&mut self, stmt: &'f Stmt) -> Option<StmtKind> {
        Some(match &stmt.kind {
            StmtKind::Skip
            | StmtKind::Empty
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::AtomicBegin
            | StmtKind::AtomicEnd
            | StmtKind::StartThread(_)
            | StmtKind::EndThread
            | StmtKind::Local(_)
            | StmtKind::Together { .. } => stmt.kind.clone(),
            StmtKind::Block(body) => StmtKind::Block(self.block(body)),
            StmtKind::Assign { targets, values, constrain } => {
                return self.assign(targets, values, constrain.as_ref());
            }
            StmtKind::Effect { targets, effect } => return self.effect_to(targets, effect),
            StmtKind::Havoc(places) => {
                let places: Vec<Option<Vec<PlaceExpr>>> =
                    places.iter().map(|place| self.all_leaves(place)).collect();
                let places: Vec<Vec<PlaceExpr>> = places.into_iter().collect::<Option<_>>()?;
                StmtKind::Havoc(places.concat())
            }
            StmtKind::Assume(e) => StmtKind::Assume(self.expr(e)),
            StmtKind::Wait(e, lock) => {
                let what = self.expr(e);
                let lock = lock.as_ref().map(|lock| self.place(lock));
                StmtKind::Wait(what, lock.map_or(Some(None), |lock| lock.map(Some))?)
            }
            StmtKind::Notify(place) => StmtKind::Notify(self.place(place)?),
            StmtKind::NotifyAll(place) => StmtKind::NotifyAll(self.place(place)?),
            StmtKind::Assert(e, text) => StmtKind::Assert(self.expr(e), text.clone()),
            StmtKind::If { cond, then, otherwise } => {
                let cond = self.cond(cond);
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                StmtKind::If { cond: cond?, then, otherwise }
            }
            StmtKind::While { cond, body } => {
                let cond = self.cond(cond);
                let body = self.block(body);
                StmtKind::While { cond: cond?, body }
            }
            StmtKind::Choose(branches) => {
                StmtKind::Choose(branches.iter().map(|branch| self.block(branch)).collect())
            }
            StmtKind::Return(values) => StmtKind::Return(self.returned(values)?),
            StmtKind::Atomic(body) => {
                self.atomics.push(stmt.span);
                let body = self.block(body);
                self.atomics.pop();
                StmtKind::Atomic(body)
            }
            StmtKind::Acquire(place) => StmtKind::Acquire(self.place(place)?),
            StmtKind::Release(place) => StmtKind::Release(self.place(place)?),
            StmtKind::Join(e) => StmtKind::Join(self.expr(e)),
        })
    }

    fn cond(&mut self, cond: &Cond) -> Option<Cond> {
        Some(match cond {
            Cond::Expr(e) => Cond::Expr(self.expr(e)),
            Cond::Effect { effect, negated } => {
                Cond::Effect { effect: self.effect(effect)?, negated: *negated }
            }
        })
    }

    /// An effect on variables without parts.
    fn effect(&mut self, effect: &Effect) -> Option<Effect> {
        let kind = match &effect.kind {
            EffectKind::Call(name, args) => {
                let (name, args) = self.call(name, args, effect.span)?;
                EffectKind::Call(name, args)
            }
            EffectKind::Async(name, args) => {
                let (name, args) = self.call(name, args, effect.span)?;
                EffectKind::Async(name, args)
            }
            EffectKind::TryLock(place) => EffectKind::TryLock(self.place(place)?),
            EffectKind::CompareAndSwap(place, expected, new) => {
                let place = self.place(place);
                let (expected, new) = (self.expr(expected), self.expr(new));
                EffectKind::CompareAndSwap(place?, Box::new(expected), Box::new(new))
            }
            EffectKind::FetchAndAdd(place, amount) => {
                let place = self.place(place);
                let amount = amount.as_ref().map(|amount| Box::new(self.expr(amount)));
                EffectKind::FetchAndAdd(place?, amount)
            }
        };
        Some(Effect { kind, span: effect.span })
    }

    /// An effect whose results go to places, which may be made of parts.
    fn effect_to(&mut self, targets: &[PlaceExpr], effect: &Effect) -> Option<StmtKind> {
        let results = match &effect.kind {
            EffectKind::Call(name, _) => match self.procs.get(name.text.as_str()) {
                Some((_, decl)) if decl.results.len() == targets.len() => Some(&decl.results),
                _ => None,
            },
            _ => None,
        };
        let mut places = Some(Vec::new());
        for (position, target) in targets.iter().enumerate() {
            let wanted = results.and_then(|results| results.get(position));
            let wanted = wanted.map(|ty| self.kind(ty));
            let more = match (self.struct_at(target), wanted) {
                (Some(decl), Some(Kind::Struct(result))) if std::ptr::eq(decl, result) => {
                    self.set_leaves(target, decl).map(|(places, _)| places)
                }
                (Some(decl), _) => {
                    let message =
                        format!("this is a `{}`, and gets something else here", decl.name.text);
                    let problem = Diagnostic::error(target.span, message);
                    let problem = match &effect.kind {
                        EffectKind::Call(name, _)
                            if self.structs.contains_key(name.text.as_str()) =>
                        {
                            let hint = "the value of a struct stands in braces, without its name: `x := {1, 2};`";
                            problem.hint(hint)
                        }
                        _ => problem,
                    };
                    self.wrong(problem, target.span)
                }
                (None, Some(Kind::Struct(result))) => {
                    let message =
                        format!("the result is a `{}`, but this is none", result.name.text);
                    let problem = Diagnostic::error(target.span, message);
                    self.wrong(problem.related(result.name.span, "declared here"), target.span)
                }
                (None, _) => self.place(target).map(|place| vec![place]),
            };
            places = places.zip(more).map(|(mut all, more)| {
                all.extend(more);
                all
            });
        }
        let effect = self.effect(effect);
        Some(StmtKind::Effect { targets: places?, effect: effect? })
    }

    pub(super) fn assign(
        &mut self,
        targets: &[PlaceExpr],
        values: &[Expr],
        constrain: Option<&Expr>,
    ) -> Option<StmtKind> {
        let mut places = Some(Vec::new());
        let mut written = Some(Vec::new());
        for (position, target) in targets.iter().enumerate() {
            let value = values.get(position);
            let (place, values) = match (self.struct_at(target), value) {
                (Some(decl), Some(value)) => {
                    let set = self.set_leaves(target, decl).map(|(places, _)| places);
                    (set, self.value(value, decl))
                }
                (_, value) => {
                    let place = self.place(target).map(|place| vec![place]);
                    (place, Some(value.iter().map(|value| self.expr(value)).collect()))
                }
            };
            places = places.zip(place).map(|(all, more)| [all, more].concat());
            written = written.zip(values).map(|(all, more)| [all, more].concat());
        }
        let more = values.iter().skip(targets.len()).map(|value| self.expr(value));
        let more: Vec<Expr> = more.collect();
        let constrain = constrain.map(|e| self.expr(e));
        let values = [written?, more].concat();
        Some(StmtKind::Assign { targets: places?, values, constrain })
    }

    /// The leaves of a struct that is set as a whole.
    pub(super) fn set_leaves(
        &mut self,
        place: &PlaceExpr,
        decl: &'f StructDecl,
    ) -> Option<(Vec<PlaceExpr>, Vec<Leaf<'f>>)> {
        let Meaning::Part(found) = self.meaning(place) else { return None };
        if found.missing() > 0 {
            let message = "this is an array; one element is wanted here";
            let problem = Diagnostic::error(place.span, message);
            return self.wrong(problem.related(found.declared, "declared here"), place.span);
        }
        if !self.is_copied(decl, place.span) {
            return None;
        }
        self.one_choice(found.indices.iter())?;
        let leaves = self.leaves_of(decl);
        let places = leaves.iter().map(|leaf| leaf_place(&found, &leaf.path, place)).collect();
        Some((places, leaves))
    }

    /// The leaves of a place, of an array too.
    fn all_leaves(&mut self, place: &PlaceExpr) -> Option<Vec<PlaceExpr>> {
        let Some(decl) = self.struct_at(place) else { return Some(vec![self.place(place)?]) };
        let Meaning::Part(found) = self.meaning(place) else { return None };
        if !self.is_copied(decl, place.span) {
            return None;
        }
        self.one_choice(found.indices.iter())?;
        let leaves = self.leaves_of(decl);
        Some(leaves.iter().map(|leaf| leaf_place(&found, &leaf.path, place)).collect())
    }

    fn returned(&mut self, values: &[Expr]) -> Option<Vec<Expr>> {
        let results = self.proc.map_or(&[][..], |proc| &proc.results);
        let mut written = Some(Vec::new());
        for (position, value) in values.iter().enumerate() {
            let kind = results.get(position).map(|ty| self.kind(ty));
            let more = match kind {
                Some(Kind::Struct(decl)) => self.value(value, decl),
                _ => Some(vec![self.expr(value)]),
            };
            written = written.zip(more).map(|(all, more)| [all, more].concat());
        }
        if results.len() != values.len()
            && results.iter().any(|ty| matches!(self.kind(ty), Kind::Struct(_)))
        {
            let (has, given) = (results.len(), values.len());
            let has = check::counted(has, "result", "results");
            let given = check::counted(given, "value is", "values are");
            let proc = self.proc?;
            let message = format!("`{}` has {has}, but {given} returned", proc.name.text);
            let problem = Diagnostic::error(proc.name.span, message);
            return self.wrong(problem, proc.name.span);
        }
        written
    }

    /// A local variable, or those that it is made of.
    fn local(&mut self, decl: &'f VarDecl, span: Span, into: &mut Vec<Stmt>) {
        let variable = self.declared(decl, false);
        let plain = |kind| Stmt { labels: Vec::new(), kind, span };
        match variable.kind {
            Kind::Plain => {
                let (written, then) = self.plain_local(decl, span);
                into.push(plain(written));
                self.declare(&decl.name, variable);
                into.extend(then);
            }
            Kind::Wrong => {
                self.wrong.push(span);
                self.declare(&decl.name, variable);
            }
            Kind::Channel(_) => {
                let hint = "declare it outside of the procedures; a parameter can stand for it";
                let problem = Diagnostic::error(decl.name.span, "a channel is a shared variable");
                self.report(problem.hint(hint));
                self.declare(&decl.name, Variable { kind: Kind::Wrong, ..variable });
            }
            Kind::Struct(of) => {
                let inside = self.proc.map(|proc| proc.name.span);
                self.notes.variable(&decl.name, check::Kind::Local, decl, inside);
                if let Some((path, word)) = self.without_value(&decl.ty) {
                    let message =
                        format!("`{}` has a {word} in it, and cannot be local", decl.name.text);
                    let hint = format!(
                        "`{path}` is there for several threads: declare `{}` outside of the procedures",
                        decl.name.text
                    );
                    self.report(Diagnostic::error(decl.name.span, message).hint(hint));
                    self.wrong.push(span);
                    self.declare(&decl.name, Variable { kind: Kind::Wrong, ..variable });
                    return;
                }
                let written = self.struct_local(decl, &variable, of);
                self.declare(&decl.name, variable);
                let Some((together, then)) = written else {
                    self.wrong.push(span);
                    return;
                };
                into.push(plain(together));
                into.extend(then.map(plain));
            }
        }
    }

    /// A local variable without parts; what gives it its first value, if that is a statement of its own.
    fn plain_local(&mut self, decl: &'f VarDecl, span: Span) -> (StmtKind, Vec<Stmt>) {
        let ty = self.plain_type(&decl.ty);
        let dims = decl.dims.iter().map(|dim| self.expr(dim)).collect();
        let mut written = VarDecl { ty, name: decl.name.clone(), dims, init: None };
        match &decl.init {
            None => {}
            Some(Init::Expr(e)) => written.init = Some(Init::Expr(self.expr(e))),
            Some(Init::Effect(effect)) => {
                if let Some(operation) = self.operation(effect) {
                    let target = super::places::plain(decl.name.clone(), decl.name.span);
                    let mut then = Vec::new();
                    self.communicate_to(operation, vec![target], span, &mut then);
                    let together =
                        StmtKind::Together { variables: vec![written], effect: None, is_set: true };
                    return (together, then);
                }
                match self.effect_for(effect, None) {
                    Some(effect) => written.init = Some(Init::Effect(effect)),
                    None => self.wrong.push(span),
                }
            }
        }
        (StmtKind::Local(written), Vec::new())
    }

    /// An effect that gives a variable of a struct, or of none, its first value.
    fn effect_for(&mut self, effect: &Effect, wanted: Option<&'f StructDecl>) -> Option<Effect> {
        if let EffectKind::Call(name, _) = &effect.kind
            && let Some((_, decl)) = self.procs.get(name.text.as_str())
            && let [result] = decl.results.as_slice()
        {
            let (result, name) = (self.kind(result), &name.text);
            let is_it = match (result, wanted) {
                (Kind::Struct(a), Some(b)) => std::ptr::eq(a, b),
                (Kind::Struct(_), None) => false,
                (_, wanted) => wanted.is_none(),
            };
            if !is_it {
                let message = match result {
                    Kind::Struct(of) => format!("`{name}` gives a `{}`", of.name.text),
                    _ => format!("`{name}` gives no struct"),
                };
                let problem = Diagnostic::error(effect.span, message);
                return self.wrong(problem.related(decl.name.span, "declared here"), effect.span);
            }
        } else if let Some(wanted) = wanted {
            let message = format!("this does not give a `{}`", wanted.name.text);
            let hint = match &effect.kind {
                EffectKind::Call(name, _) => foreign::procedure(&name.text).map(str::to_owned),
                _ => None,
            };
            let hint = hint.unwrap_or_else(|| {
                format!("a value stands in braces, as in `{{1, false}}`; a procedure that gives one begins with `{}`", wanted.name.text)
            });
            let problem = Diagnostic::error(effect.span, message).hint(hint);
            return self.wrong(problem, effect.span);
        }
        self.effect(effect)
    }

    /// A local struct, and what gives it its first value, if that is a statement of its own.
    fn struct_local(
        &mut self,
        decl: &'f VarDecl,
        variable: &Variable<'f>,
        of: &'f StructDecl,
    ) -> Option<(StmtKind, Option<StmtKind>)> {
        let dims: Vec<Expr> = decl.dims.iter().map(|dim| self.expr(dim)).collect();
        let leaves = self.leaves(&decl.ty);
        let mut effect = None;
        let first = match &decl.init {
            None => None,
            Some(Init::Expr(e)) => Some(self.transposed(e, decl.dims.len(), of)?),
            Some(Init::Effect(given)) => {
                if !decl.dims.is_empty() {
                    let message = "an array cannot be set to a single result";
                    let hint = "declare it first, then assign to an element";
                    let problem = Diagnostic::error(given.span, message).hint(hint);
                    return self.wrong(problem, given.span);
                }
                if let Some(operation) = self.operation(given) {
                    return self.struct_received(decl, variable, of, operation, given.span);
                }
                effect = Some(self.effect_for(given, Some(of))?);
                None
            }
        };
        let mut first = first.map(Vec::into_iter);
        let variables = leaves.iter().map(|leaf| VarDecl {
            ty: self.made_type(&leaf.ty),
            name: renamed(&decl.name, format!("{}{}", variable.stem, leaf.path)),
            dims: dims.iter().chain(&leaf.lengths).cloned().collect(),
            init: first.as_mut().and_then(Iterator::next).map(Init::Expr),
        });
        let variables: Vec<VarDecl> = variables.collect();
        Some((StmtKind::Together { variables, effect, is_set: false }, None))
    }

    /// A local struct that is received.
    fn struct_received(
        &mut self,
        decl: &'f VarDecl,
        variable: &Variable<'f>,
        of: &'f StructDecl,
        operation: Operation<'f>,
        span: Span,
    ) -> Option<(StmtKind, Option<StmtKind>)> {
        let leaves = self.leaves_of(of);
        let name = |leaf: &Leaf<'f>| renamed(&decl.name, format!("{}{}", variable.stem, leaf.path));
        let variables = leaves.iter().map(|leaf| VarDecl {
            ty: self.made_type(&leaf.ty),
            name: name(leaf),
            dims: leaf.lengths.clone(),
            init: None,
        });
        let variables: Vec<VarDecl> = variables.collect();
        let targets =
            leaves.iter().map(|leaf| super::places::plain(name(leaf), decl.name.span)).collect();
        let mut then = Vec::new();
        self.communicate_leaves(operation, targets, Some(of), span, &mut then);
        let block = StmtKind::Block(then);
        Some((StmtKind::Together { variables, effect: None, is_set: true }, Some(block)))
    }

    /// Declares all variables of a procedure, for what speaks of all of them.
    pub(super) fn declare_all(&mut self, stmts: &'f [Stmt]) {
        for stmt in stmts {
            if let StmtKind::Local(decl) = &stmt.kind {
                let variable = self.declared(decl, false);
                self.declare(&decl.name, variable);
            }
            for block in check::walk::blocks(stmt) {
                self.declare_all(block);
            }
        }
    }

    /// A label that is written nowhere.
    pub(super) fn made_label(&mut self, word: &str, at: Span) -> Name {
        let text = format!("{word}${}", at.start);
        Name { text, span: Span { start: at.start, end: at.start } }
    }
}
