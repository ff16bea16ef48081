//! # Scopes
//! Which local variables are alive at a place, and what else a name may mean there. Locals of
//! nested blocks are all kept in one list for the procedure; where two have the same name in the
//! source, the later one gets a number.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_program::{LocalId, ProcId, Quantifier, Span, Type, Variable};

use crate::syntax::Name;

/// A parameter or local variable.
#[derive(Clone, Debug)]
pub(super) struct Local<'a> {
    /// Its name as written.
    pub written: &'a str,
    /// Its name in the program, unique in the procedure.
    pub unique: String,
    /// Its type; nothing if the type is wrong.
    pub ty: Option<Type>,
    /// Its declaration.
    pub span: Span,
    /// Whether its declaration is complete.
    pub revealed: bool,
}

/// The kind of expression that is allowed at a place.
#[derive(Clone, Debug)]
pub(super) enum Mode<'a> {
    /// Only constants are allowed.
    Constant,
    /// Variables are allowed, as in statements.
    Body,
    /// Variables are allowed, in an `assume` or an `assert`: if it does not hold, there is no future.
    Required(&'static str),
    /// Variables and their primed versions.
    Constrain,
    /// Constants and the number of the thread.
    Arguments(Option<&'a Name>),
    /// Variables and bound threads; no choices.
    Predicate(About<'a>),
}

/// The subject of a predicate.
#[derive(Clone, Debug)]
pub(super) struct About<'a> {
    /// The procedure whose locals and labels it speaks of.
    pub proc: Option<ProcId>,
    /// The threads that are bound, the innermost last.
    pub binders: Vec<(&'a Name, Quantifier)>,
}

/// The local part of what names mean.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    /// All locals of the procedure so far.
    pub locals: Vec<Local<'a>>,
    /// The kind of expression that is allowed here.
    pub mode: Mode<'a>,
    /// Names that stand for numbers here, the innermost last: indices that are quantified.
    pub numbers_bound: Vec<(&'a Name, i64)>,
    /// The number of copies in which this place is written, for quantified indices.
    pub copies: i64,
    /// Whether what stands here is left out of the copy that is being written: a condition before it decides.
    pub left_out: bool,
    alive: FxHashMap<&'a str, LocalId>,
    /// The names in `alive`, in the order of their declarations.
    order: Vec<&'a str>,
    /// Names that an invented name must not have: of shared variables and the like, and all that
    /// are written or invented in the procedure.
    shared: Rc<FxHashSet<&'a str>>,
    written: FxHashSet<&'a str>,
    invented: FxHashSet<String>,
    /// The variables that hold the results of calls inside of expressions, by the places of the calls.
    pub results: FxHashMap<Span, LocalId>,
    /// Unknown names that were reported: once is enough where nothing is like them.
    pub unknown: FxHashSet<String>,
    /// The places of calls with a mistake that was reported.
    pub wrong_results: FxHashSet<Span>,
    /// The last number given to a name; 1 for the variable that has the name itself.
    numbers: FxHashMap<&'a str, u64>,
}

/// The size of a [`Scope`] when a block began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

impl<'a> Scope<'a> {
    /// A scope without locals.
    pub fn new(mode: Mode<'a>) -> Self {
        Scope {
            locals: Vec::new(),
            mode,
            numbers_bound: Vec::new(),
            copies: 1,
            left_out: false,
            alive: FxHashMap::default(),
            order: Vec::new(),
            shared: Rc::default(),
            written: FxHashSet::default(),
            invented: FxHashSet::default(),
            results: FxHashMap::default(),
            unknown: FxHashSet::default(),
            wrong_results: FxHashSet::default(),
            numbers: FxHashMap::default(),
        }
    }

    /// The scope of a body, without locals. Names of shared variables and the like, and those that
    /// are written in the procedure, are not given to any other variable.
    pub fn of_body(
        shared: Rc<FxHashSet<&'a str>>,
        written: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let written = written.into_iter().collect();
        Scope { shared, written, ..Scope::new(Mode::Body) }
    }

    /// The scope of a predicate about a procedure: all of its locals; of two with the same name,
    /// the first.
    pub fn all_alive(locals: Vec<Local<'a>>, mode: Mode<'a>) -> Self {
        let mut alive = FxHashMap::default();
        for (id, local) in (0..).zip(&locals) {
            alive.entry(local.written).or_insert(LocalId(id));
        }
        let order = locals.iter().map(|l| l.written).collect();
        Scope { locals, alive, order, ..Scope::new(mode) }
    }

    /// The local that a name means here.
    pub fn find(&self, name: &str) -> Option<LocalId> {
        self.alive.get(name).copied()
    }

    /// A local variable.
    pub fn local(&self, id: LocalId) -> &Local<'a> {
        &self.locals[id.index()]
    }

    /// The names of the locals that are alive.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.order.iter().copied()
    }

    /// Whether the procedure has several locals that are written like this.
    pub fn is_ambiguous(&self, name: &str) -> bool {
        self.locals.iter().filter(|l| l.written == name).count() > 1
    }

    /// Adds a variable to the procedure. It has no meaning before it is revealed: its first value
    /// may speak of an outer variable of the same name.
    pub fn add(&mut self, name: &'a Name, ty: Option<Type>) -> LocalId {
        let written = name.text.as_str();
        let unique = self.unique(written);
        self.locals.push(Local { written, unique, ty, span: name.span, revealed: false });
        LocalId(u32::try_from(self.locals.len() - 1).unwrap_or(u32::MAX))
    }

    /// Adds a variable without a name in the text, for the result of a call inside of an expression.
    pub fn add_result(&mut self, of: &'a Name, call: Span, ty: Type) -> LocalId {
        let mut unique = format!("{}_result", of.text);
        let mut number = 1;
        let is_taken =
            |name: &str| [&*self.shared, &self.written].iter().any(|set| set.contains(name));
        while is_taken(&unique) || !self.invented.insert(unique.clone()) {
            number += 1;
            unique = format!("{}_result_{number}", of.text);
        }
        let written = of.text.as_str();
        self.locals.push(Local { written, unique, ty: Some(ty), span: of.span, revealed: true });
        let id = LocalId(u32::try_from(self.locals.len() - 1).unwrap_or(u32::MAX));
        self.results.insert(call, id);
        id
    }

    /// From here on the name means the variable, unless a variable of this name is alive: that one
    /// is returned.
    pub fn reveal(&mut self, id: LocalId) -> Result<(), LocalId> {
        let local = &mut self.locals[id.index()];
        local.revealed = true;
        let name = local.written;
        if let Some(first) = self.find(name) {
            return Err(first);
        }
        self.alive.insert(name, id);
        self.order.push(name);
        Ok(())
    }

    /// Whether the name of a variable means another one that is alive.
    pub fn is_alive(&self, id: LocalId) -> bool {
        self.find(self.local(id).written).is_some()
    }

    /// Begins a block.
    pub fn mark(&self) -> Mark {
        Mark(self.order.len())
    }

    /// Ends the block that began with the mark.
    pub fn leave(&mut self, mark: Mark) {
        for name in self.order.drain(mark.0..) {
            self.alive.remove(name);
        }
    }

    /// The locals as the program has them. Types that are wrong do not get that far.
    pub fn variables(&self) -> Vec<Variable> {
        let variable = |l: &Local<'a>| Variable {
            name: l.unique.clone(),
            ty: l.ty.clone().unwrap_or(Type::Bool),
            init: Vec::new(),
            counts_threads: false,
            looks: None,
            span: l.span,
        };
        self.locals.iter().map(variable).collect()
    }

    fn unique(&mut self, written: &'a str) -> String {
        let number = self.numbers.entry(written).or_insert(0);
        *number += 1;
        if *number == 1 {
            return written.to_owned();
        }
        loop {
            let name = format!("{written}_{number}");
            let taken = [&*self.shared, &self.written].iter().any(|set| set.contains(&*name));
            if !taken && self.invented.insert(name.clone()) {
                return name;
            }
            *number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn siblings_get_numbers_and_invented_names_are_new() {
        let name = |text: &str| Name { text: text.to_owned(), span: Span::default() };
        let (x, x_2) = (name("x"), name("x_2"));
        let mut scope = Scope::of_body(Rc::new(["x_4"].into_iter().collect()), ["x", "x_2"]);
        for n in [&x, &x, &x_2, &x] {
            let mark = scope.mark();
            let id = scope.add(n, Some(Type::Bool));
            assert_eq!(scope.reveal(id), Ok(()));
            scope.leave(mark);
        }
        let names: Vec<String> = scope.variables().into_iter().map(|v| v.name).collect();
        assert_eq!(names, ["x", "x_3", "x_2", "x_5"]);
        assert_eq!(scope.find("x"), None);
    }
}
