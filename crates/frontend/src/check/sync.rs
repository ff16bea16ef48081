//! # Semaphores, conditions and barriers
//! They are shared variables with a role. What is done with them becomes statements about counters
//! ([`selvedge_program::sync`]), so that only this file and the parser know their names. The names of their types are not
//! reserved: an enumeration may be called `condition`, and then that is what the word means.

use num_bigint::BigInt;
use selvedge_program::sync::{Barrier, Condition, Semaphore};
use selvedge_program::{Expr, GlobalId, Place, Span, StmtKind, Type, Value, VarRef, Variable};

use super::expressions::Typer;
use super::items::{Global, Item, Items, index};
use super::scope::{Mode, Scope};
use super::statements::{Body, Sequence};
use crate::Diagnostic;
use crate::foreign::Operation;
use crate::syntax::{self, ExprKind, Init, PlaceExpr, TypeExpr, TypeKind, VarDecl};

/// The most threads of a barrier.
const MOST_PARTIES: u32 = 10_000;

/// The role of a shared variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Role {
    /// A variable that holds a value, or a lock.
    #[default]
    Plain,
    /// A semaphore: the variable counts how often it can be acquired.
    Semaphore,
    /// A condition: the variable counts the threads that sleep, another one those that were called.
    Condition { called: GlobalId },
    /// A barrier: the variable counts the threads that have arrived, another one those that may leave.
    Barrier { parties: u32, leaving: GlobalId },
    /// A channel: the variable counts its messages.
    Channel,
}

/// The word for a role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    Semaphore,
    Condition,
    Barrier,
    Channel,
}

impl Word {
    /// All of them, as types are written.
    pub const ALL: [(&'static str, Word); 3] = [
        ("semaphore", Word::Semaphore),
        ("condition", Word::Condition),
        ("barrier", Word::Barrier),
    ];

    pub fn name(self) -> &'static str {
        match self {
            Word::Semaphore => "semaphore",
            Word::Condition => "condition",
            Word::Barrier => "barrier",
            Word::Channel => "channel",
        }
    }

    /// The operations that such a variable is used with, as a message.
    fn used_with(self) -> &'static str {
        match self {
            Word::Semaphore => "semaphores are only used with `acquire` and `release`",
            Word::Condition => "conditions are only used with `wait`, `notify` and `notify all`",
            Word::Barrier => "barriers are only used with `wait`",
            Word::Channel => "channels are only used with `send` and `receive`",
        }
    }
}

impl Role {
    /// The word for it; none for a variable that holds a value.
    pub fn word(self) -> Option<Word> {
        match self {
            Role::Plain => None,
            Role::Semaphore => Some(Word::Semaphore),
            Role::Condition { .. } => Some(Word::Condition),
            Role::Barrier { .. } => Some(Word::Barrier),
            Role::Channel => Some(Word::Channel),
        }
    }
}

impl<'a> Items<'a> {
    /// The role that a type means, if it means one.
    pub fn word(&self, ty: &TypeExpr) -> Option<Word> {
        match &ty.kind {
            TypeKind::Semaphore(..) => Some(Word::Semaphore),
            TypeKind::Messages(_) => Some(Word::Channel),
            TypeKind::Named(name) if !matches!(self.find(&name.text), Some(Item::Enum(_))) => {
                Word::ALL.into_iter().find(|(text, _)| *text == name.text).map(|(_, word)| word)
            }
            _ => None,
        }
    }

    /// The role of a variable.
    pub fn role(&self, var: VarRef) -> Role {
        match var {
            VarRef::Global(id) => self.globals[id.index()].role,
            VarRef::Local(_) => Role::Plain,
        }
    }

    /// A shared variable that belongs to another one. Its name is written nowhere in the file.
    fn add_made(&mut self, decl: &VarDecl, what: &str, variable: Variable) -> GlobalId {
        let mut name = format!("{}${what}", decl.name.text);
        while self.is_written(&name) {
            name.push('$');
        }
        let id = GlobalId(index(self.globals.len() + self.made.len()));
        self.made.push(Variable { name, ..variable });
        id
    }

    fn is_written(&self, name: &str) -> bool {
        let params =
            |proc: &super::items::Proc<'a>| proc.params.iter().any(|p| p.name.text == name);
        self.find(name).is_some()
            || self.made.iter().any(|made| made.name == name)
            || self.procs.iter().any(|proc| {
                let binder = proc.binder.is_some_and(|binder| binder.text == name);
                binder || params(proc) || proc.survey.locals.contains(&name)
            })
    }
}

/// Finds the type, the first values and the role of a semaphore, a condition or a barrier.
pub(super) fn declare(
    items: &mut Items<'_>,
    position: usize,
    word: Word,
    problems: &mut Vec<Diagnostic>,
) {
    let decl = items.globals[position].decl;
    let mut scope = Scope::new(Mode::Constant);
    let mut typer = Typer { items, problems, scope: &mut scope };
    let element = match word {
        Word::Semaphore => typer.semaphore_type(&decl.ty),
        Word::Condition | Word::Barrier => Some(Type::Int),
        Word::Channel => typer.messages_type(&decl.ty),
    };
    let ty = typer.type_of_elements(decl, element);
    let values = ty.as_ref().and_then(|ty| typer.numbers_at_first(decl, ty, word));
    let (Some(ty), Some(values)) = (ty, values) else {
        items.globals[position] = Global { ty: None, ..Global::new(decl) };
        return;
    };
    let made = |ty: &Type, counts_threads| Variable {
        name: String::new(),
        ty: ty.clone(),
        init: vec![Value::Small(0); ty.slots()],
        counts_threads,
        looks: None,
        span: decl.name.span,
    };
    let (ty, init, role) = match (word, values.first()) {
        (Word::Semaphore, _) => (ty, values, Role::Semaphore),
        (Word::Channel, _) => (ty, values, Role::Channel),
        (Word::Barrier, Some(&Value::Small(parties))) => {
            let arrived = with_scalar(&ty, range(parties - 1));
            let leaving = made(&with_scalar(&ty, range(parties)), false);
            let leaving = items.add_made(decl, "leaving", leaving);
            let parties = u32::try_from(parties).unwrap_or(1);
            let init = vec![Value::Small(0); arrived.slots()];
            (arrived, init, Role::Barrier { parties, leaving })
        }
        _ => {
            let called = items.add_made(decl, "called", made(&ty, true));
            (ty, values, Role::Condition { called })
        }
    };
    items.globals[position] = Global { decl, ty: Some(ty), init, role };
}

fn range(hi: i64) -> Type {
    Type::Range { lo: BigInt::ZERO, hi: hi.into() }
}

/// A type with other scalars in it.
fn with_scalar(ty: &Type, scalar: Type) -> Type {
    match ty {
        Type::Array { element, length } => {
            Type::Array { element: Box::new(with_scalar(element, scalar)), length: *length }
        }
        _ => scalar,
    }
}

impl<'a> Typer<'_, 'a> {
    /// The numbers that a semaphore may hold.
    fn semaphore_type(&mut self, ty: &'a TypeExpr) -> Option<Type> {
        let TypeKind::Semaphore(lo, hi) = &ty.kind else { return Some(Type::Int) };
        let ty = self.range_type(lo, hi)?;
        match &ty {
            Type::Range { lo, .. } if *lo == BigInt::ZERO => Some(ty),
            _ => {
                self.problems.push(
                    Diagnostic::error(lo.span, "a semaphore counts from 0")
                        .hint("write `semaphore[0..3]`, where 3 is the most that it may count to"),
                );
                None
            }
        }
    }

    /// The numbers of messages that a channel may hold; where it holds none, whether one is offered or was taken.
    fn messages_type(&mut self, ty: &'a TypeExpr) -> Option<Type> {
        let TypeKind::Messages(Some(room)) = &ty.kind else { return Some(range(2)) };
        let (_, room) = self.constant(room, Some(&Type::Int), "the capacity of a channel")?;
        Some(range(room.small().unwrap_or(0)))
    }

    /// The first values of a semaphore or a condition; for a barrier, how many threads it takes.
    fn numbers_at_first(&mut self, decl: &'a VarDecl, ty: &Type, word: Word) -> Option<Vec<Value>> {
        let span = decl.name.span;
        let init = match (&decl.init, word) {
            (None, Word::Condition) => return Some(vec![Value::Small(0); ty.slots()]),
            (Some(Init::Expr(expr)), Word::Condition) => {
                let problem = Diagnostic::error(expr.span, "a condition has no first value");
                self.problems.push(problem.hint("at the start, nobody waits for it"));
                return None;
            }
            (Some(Init::Expr(expr)), _) => expr,
            (Some(Init::Effect(effect)), _) => {
                let message = format!("the first value of a {} must be constant", word.name());
                self.problems.push(Diagnostic::error(effect.span, message));
                return None;
            }
            (None, Word::Semaphore) => {
                let message = format!("the semaphore `{}` has no first value", decl.name.text);
                self.problems.push(Diagnostic::error(span, message).hint(
                    "say how often it can be acquired at the start, as in `semaphore s := 1;`",
                ));
                return None;
            }
            (None, Word::Channel) => return Some(vec![Value::Small(0); ty.slots()]),
            (None, Word::Barrier) => {
                let message = format!("the barrier `{}` has no number", decl.name.text);
                self.problems.push(
                    Diagnostic::error(span, message)
                        .hint("say how many threads it takes, as in `barrier b := 3;`"),
                );
                return None;
            }
        };
        let values = self.spread(init, ty, &decl.name, &mut |typer, expr, scalar| {
            typer.number_at_first(expr, scalar, decl, word)
        })?;
        if word == Word::Barrier && values.iter().any(|value| Some(value) != values.first()) {
            self.problems.push(
                Diagnostic::error(
                    init.span,
                    "barriers of one array take the same number of threads",
                )
                .hint("declare them one by one"),
            );
            return None;
        }
        Some(values)
    }

    fn number_at_first(
        &mut self,
        expr: &'a syntax::Expr,
        ty: &Type,
        decl: &VarDecl,
        word: Word,
    ) -> Option<Value> {
        let value = self.stored(expr, ty, decl.name.span)?;
        let value = match super::fold::fold(&value, None) {
            Ok(value) => value,
            Err(reason) => {
                let what = format!("the first value of a {}", word.name());
                self.problems.push(super::expressions::not_constant(reason, &what));
                return None;
            }
        };
        let fits = match word {
            Word::Barrier => (1.into()..=MOST_PARTIES.into()).contains(&value),
            Word::Semaphore | Word::Condition | Word::Channel => value >= BigInt::ZERO,
        };
        if fits {
            return Some(Value::from_big(value));
        }
        let (message, hint) = match word {
            Word::Barrier => (
                format!("a barrier cannot take {value} threads"),
                format!("numbers go from 1 to {MOST_PARTIES}"),
            ),
            Word::Semaphore | Word::Condition | Word::Channel => (
                format!("a semaphore cannot be {value}"),
                "it counts how often it can be acquired".to_owned(),
            ),
        };
        self.problems.push(Diagnostic::error(expr.span, message).hint(hint));
        None
    }

    /// Whether a variable holds a value or is a lock; reports if not.
    pub fn is_plain(&mut self, var: VarRef, span: Span) -> bool {
        let word = self.items.role(var).word().filter(|word| *word != Word::Channel);
        let Some(word) = word else { return true };
        let (name, what, declared) = (self.name_of(var), word.name(), self.declared(var));
        self.problems.push(
            Diagnostic::error(span, format!("`{name}` is a {what}, and has no value"))
                .related(declared, "declared here")
                .hint(word.used_with()),
        );
        false
    }

    /// The role of what a name means.
    pub fn role_of(&self, name: &syntax::Name) -> Role {
        self.var(name).map_or(Role::Plain, |var| self.items.role(var))
    }

    /// What an operation of another language is, done with what has a name.
    pub fn done_with(&self, does: Operation, name: &syntax::Name) -> Operation {
        match self.role_of(name) {
            Role::Semaphore => does.of_semaphore(),
            Role::Barrier { .. } if does == Operation::Wait => Operation::Meet,
            _ => does,
        }
    }

    /// Whether a name means a lock, or an array of locks.
    fn is_lock(&self, name: &syntax::Name) -> bool {
        match self.var(name) {
            Some(VarRef::Global(id)) => {
                let ty = self.items.globals[id.index()].ty.as_ref();
                ty.is_some_and(|ty| *ty.scalar() == Type::Lock)
            }
            _ => false,
        }
    }

    /// A place that is the same whenever it is looked at. If it is looked at in several steps, other threads must not be
    /// able to change it in between.
    fn steady(&mut self, place: Place, several_steps: bool) -> Option<Place> {
        let name = self.name_of(place.var);
        for index in &place.indices {
            let (message, hint) = if index.chooses() {
                (
                    format!("the index of `{name}` must not be a choice here"),
                    "choose it before: `int[0..1] i := *;`",
                )
            } else if several_steps && index.reads_shared() {
                (
                    format!("the index of `{name}` may change while the thread waits"),
                    "copy it to a local variable before",
                )
            } else {
                continue;
            };
            self.problems.push(Diagnostic::error(index.span, message).hint(hint));
            return None;
        }
        Some(place)
    }

    /// The counter of a variable with a role.
    fn counter(&mut self, place: &'a PlaceExpr, several_steps: bool) -> Option<Place> {
        let found = self.found(&place.name)?;
        let place = self.element(place, &found)?;
        self.steady(place, several_steps)
    }
}

/// Another variable at the same indices.
fn beside(place: &Place, var: GlobalId, ty: Type) -> Place {
    Place { var: VarRef::Global(var), ty, ..place.clone() }
}

impl<'a> Body<'_, 'a> {
    /// `acquire m;` of a lock or a semaphore.
    pub fn acquire(&mut self, place: &'a PlaceExpr, span: Span) -> Option<StmtKind> {
        match self.semaphore(place) {
            Some(semaphore) => Some(semaphore?.acquire(span)),
            None => Some(StmtKind::Acquire(self.typer.lock(place, "acquire")?)),
        }
    }

    /// `release m;` of a lock or a semaphore.
    pub fn release(&mut self, place: &'a PlaceExpr, span: Span) -> Option<StmtKind> {
        match self.semaphore(place) {
            Some(semaphore) => Some(semaphore?.release(span)),
            None => Some(StmtKind::Release(self.typer.lock(place, "release")?)),
        }
    }

    /// The semaphore that is meant, if one is meant; `Some(None)` after a problem.
    fn semaphore(&mut self, place: &'a PlaceExpr) -> Option<Option<Semaphore>> {
        if self.typer.role_of(&place.name) != Role::Semaphore {
            return None;
        }
        Some(self.typer.counter(place, false).map(|free| Semaphore { free }))
    }

    /// `notify c;`, `notify all c;`
    pub fn notify(&mut self, place: &'a PlaceExpr, all: bool, span: Span) -> Option<StmtKind> {
        let word = if all { "notify all" } else { "notify" };
        let condition = self.condition(place, word, false)?;
        Some(if all { condition.notify_all(span) } else { condition.notify(span) })
    }

    /// A condition, for the operation with this name.
    fn condition(
        &mut self,
        place: &'a PlaceExpr,
        operation: &str,
        several_steps: bool,
    ) -> Option<Condition> {
        let Some(found) = self.typer.found(&place.name) else {
            match place.name.text.as_str() {
                "all" => self.typer.advise_instead(&place.name, "write `notify all c;`".to_owned()),
                _ => self.typer.declare_instead(&place.name, "condition"),
            }
            return None;
        };
        let Role::Condition { called } = self.typer.items.role(found.var) else {
            let name = &place.name.text;
            let hint = match self.typer.role_of(&place.name) {
                Role::Semaphore if operation != "wait" => format!("write `release {name};`"),
                Role::Semaphore => format!("write `acquire {name};`"),
                _ => "conditions are shared variables: `condition c;`".to_owned(),
            };
            self.typer.problems.push(
                Diagnostic::error(
                    place.span,
                    format!("`{operation}` needs a condition, but `{name}` is none"),
                )
                .related(found.declared, "declared here")
                .hint(hint),
            );
            return None;
        };
        let sleeping = self.typer.element(place, &found)?;
        let sleeping = self.typer.steady(sleeping, several_steps)?;
        let called = beside(&sleeping, called, sleeping.ty.clone());
        Some(Condition { sleeping, called })
    }

    /// `wait(e);`, `wait b;`, `wait c, m;`
    pub fn wait(
        &mut self,
        what: &'a syntax::Expr,
        lock: Option<&'a PlaceExpr>,
        span: Span,
        sequence: &mut Sequence,
    ) {
        let place = match &what.kind {
            ExprKind::Place(place) => Some(place),
            _ => None,
        };
        let role = place.map_or(Role::Plain, |place| self.typer.role_of(&place.name));
        match (place, lock, role) {
            (Some(place), None, Role::Barrier { parties, leaving }) => {
                let Some(arrived) = self.typer.counter(place, true) else { return };
                let leaving = beside(&arrived, leaving, range(parties.into()));
                let steps = Barrier { parties, arrived, leaving }.wait(span);
                steps.into_iter().for_each(|step| sequence.push(step, span));
            }
            (Some(place), None, Role::Condition { .. }) => {
                let name = &place.name.text;
                let problem = Diagnostic::error(what.span, format!("`wait {name}` needs a lock"));
                self.typer.problems.push(problem.hint(format!(
                    "say which lock is released while the thread waits: `wait {name}, m;`"
                )));
            }
            (Some(place), None, Role::Plain) if self.typer.is_lock(&place.name) => {
                let name = &place.name.text;
                let message = format!("`{name}` is a lock, and `wait` does not wait for it");
                self.typer.problems.push(Diagnostic::error(what.span, message).hint(format!(
                    "`acquire {name};` waits for the lock; `wait c, {name};` waits for a `condition c`"
                )));
            }
            (Some(place), None, Role::Semaphore) => {
                let name = &place.name.text;
                let message = format!("`{name}` is a semaphore, and `wait` does not wait for it");
                let hint = format!("write `acquire {name};`");
                let problem = Diagnostic::error(what.span, message).hint(hint);
                let declared = self.typer.var(&place.name).map(|var| self.typer.declared(var));
                let declared = declared.unwrap_or(what.span);
                self.typer.problems.push(problem.related(declared, "declared here"));
            }
            (_, None, _) => {
                let cond: Option<Expr> = self.typer.required(what, "assume");
                cond.into_iter().for_each(|cond| sequence.push(StmtKind::Assume(cond), span));
            }
            (Some(place), Some(lock), Role::Barrier { .. }) => {
                let message = format!("`{}` is a barrier, and needs no lock", place.name.text);
                let hint = format!("write `wait {};`", place.name.text);
                self.typer.problems.push(Diagnostic::error(lock.span, message).hint(hint));
            }
            (Some(place), Some(lock), Role::Plain) if self.are_exchanged(place, lock) => {
                let (lock, condition) = (&place.name.text, &lock.name.text);
                let message = "the condition comes first, the lock that belongs to it second";
                let hint = format!("write `wait {condition}, {lock};`");
                self.typer.problems.push(Diagnostic::error(span, message).hint(hint));
            }
            (Some(place), Some(lock), _) => self.sleep(place, lock, span, sequence),
            (None, Some(lock), _) => {
                drop(self.typer.infer(what));
                drop(self.typer.lock(lock, "wait"));
                self.typer.problems.push(
                    Diagnostic::error(what.span, "`wait` with a lock needs a condition")
                        .hint("declare it, as in `condition c;`; `wait(e);` waits until `e` holds"),
                );
            }
        }
    }

    /// Whether a lock stands where a condition belongs, and a condition where a lock does.
    fn are_exchanged(&self, first: &PlaceExpr, second: &PlaceExpr) -> bool {
        let is_condition = matches!(self.typer.role_of(&second.name), Role::Condition { .. });
        is_condition && self.typer.is_lock(&first.name)
    }

    /// `wait c, m;`
    fn sleep(
        &mut self,
        place: &'a PlaceExpr,
        lock: &'a PlaceExpr,
        span: Span,
        sequence: &mut Sequence,
    ) {
        let condition = self.condition(place, "wait", true);
        let lock = self.typer.lock(lock, "wait").and_then(|lock| self.typer.steady(lock, true));
        if let Some(atomic) = self.atomics.last() {
            self.typer.problems.push(
                Diagnostic::error(span, "nobody can be woken inside of `atomic`")
                    .related(*atomic, "inside of this block")
                    .hint("no other thread acts before the block ends: wait before or after it"),
            );
            return;
        }
        let (Some(condition), Some(lock)) = (condition, lock) else { return };
        let steps = condition.wait(lock, span);
        steps.into_iter().for_each(|step| sequence.push(step, span));
    }
}
