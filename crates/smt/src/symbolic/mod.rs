//! # Steps as formulas
//!
//! **Question.** What does a step of a thread do to *all* values of its variables at once, integers
//! without bounds included?
//!
//! **Idea.** The code of the core is executed on terms (`terms.rs`): the values before are variables, a
//! free choice is a fresh variable, what is written is a term over both. A path is one way through
//! an edge, or through a whole atomic section, with its guard; every way to go wrong is a path of its
//! own.
//!
//! **Claim.** A configuration has an outcome in the machine of the core exactly if some path has
//! it for some values of the fresh variables. `tests/steps.rs` compares the two on random values.
//!
//! **Needs.** A program without calls, started threads, owners of locks, and loops inside of atomic
//! sections (but for those that change nothing: a turn of them leads nowhere else); everything else is a [`Refusal`] that names the line.

pub(crate) use terms::{binary, constant, merge, unary};

mod terms;

use selvedge_core::{Control, EdgeId, Loc, evaluate};
use selvedge_program::Source;

use crate::Refusal;
use crate::layout::{Layout, Standing};
use crate::term::{Term, Var};

/// Atomic sections with more ways through than this are refused.
const MOST_PATHS: usize = 1000;

/// Nor is a way longer than this.
const LONGEST_PATH: usize = 200;

/// One way to make a step. The thread that makes it is at position 0.
#[derive(Clone, Debug)]
pub struct Path {
    /// When it is possible, with these choices.
    pub guard: Term,
    /// How the thread goes on.
    pub to: Outcome,
    /// The variables that may have another value afterwards.
    pub writes: Vec<(Var, Term)>,
    /// The fresh variables.
    pub fresh: Vec<Var>,
    /// The edges that it takes.
    pub edges: Vec<EdgeId>,
}

/// How a thread goes on after a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The thread stands at a location.
    At(Loc),
    /// The thread ends.
    Ends,
    /// The thread goes wrong, for this reason.
    Wrong(String),
}

impl Path {
    /// Whether other threads can see the step.
    #[must_use]
    pub fn is_seen(&self) -> bool {
        self.writes.iter().any(|(var, _)| matches!(var, Var::Global(_)))
    }

    /// This path, taken by the thread at another position.
    #[must_use]
    pub fn at(&self, position: usize) -> Path {
        let rename = |var| match var {
            Var::Local(0, slot) => Var::Local(position, slot),
            other => other,
        };
        let renamed = |term: &Term| term.substitute(&|var| Term::Var(rename(var)));
        Path {
            guard: renamed(&self.guard),
            writes: self.writes.iter().map(|(var, term)| (rename(*var), renamed(term))).collect(),
            ..self.clone()
        }
    }

    /// The value of a variable after the step.
    #[must_use]
    pub fn after(&self, var: Var) -> Term {
        let written = self.writes.iter().find(|(v, _)| *v == var);
        written.map_or(Term::Var(var), |(_, term)| term.clone())
    }
}

/// A configuration on the way.
#[derive(Clone)]
struct State {
    globals: Vec<Term>,
    locals: Vec<Term>,
    guard: Vec<Term>,
    fresh: Vec<Var>,
    edges: Vec<EdgeId>,
    /// Where it was inside of an atomic section, with the values there.
    passed: Vec<(Loc, Vec<Term>, Vec<Term>)>,
}

/// Everything that a thread can do at a place.
pub fn paths(layout: &Layout<'_>, source: &Source, place: Standing) -> Result<Vec<Path>, Refusal> {
    let Some(start) = place.loc else { return Ok(Vec::new()) };
    let vars =
        |count: usize, var: fn(usize) -> Var| (0..count).map(|n| Term::Var(var(n))).collect();
    let state = State {
        globals: vars(layout.globals.len(), Var::Global),
        locals: vars(layout.locals_of(place.class).len(), |slot| Var::Local(0, slot)),
        guard: Vec::new(),
        fresh: Vec::new(),
        edges: Vec::new(),
        passed: Vec::new(),
    };
    let refuse = |why: &str, edge: EdgeId| {
        let line = source.line(layout.code.edge(edge).site.0);
        Refusal::new(why, Some(line))
    };
    let mut done = Vec::new();
    let mut work = vec![(start, state)];
    while let Some((loc, before)) = work.pop() {
        for &id in &layout.code.location(loc).edges {
            let edge = layout.code.edge(id);
            let mut state = before.clone();
            state.edges.push(id);
            if state.edges.len() > LONGEST_PATH || done.len() + work.len() > MOST_PATHS {
                return Err(refuse("an atomic section has too many ways through, or a loop", id));
            }
            let mut run = terms::Terms::new(layout, state);
            evaluate::execute(&mut run, &edge.code, edge.temps).map_err(|why| refuse(&why, id))?;
            let (state, wrongs) = run.finish();
            for (guard, why) in wrongs {
                done.extend(State { guard, ..state.clone() }.path(Outcome::Wrong(why)));
            }
            if Term::all(state.guard.iter().cloned()) == Term::FALSE {
                continue;
            }
            match edge.control {
                Control::Return => done.extend(state.path(Outcome::Ends)),
                _ if layout.code.location(edge.to).atomic || layout.is_passed(edge.to) => {
                    work.extend(state.on_to(edge.to));
                }
                _ => done.extend(state.path(Outcome::At(edge.to))),
            }
        }
    }
    Ok(done)
}

impl State {
    /// Goes on inside of an atomic section; not where it was before with the same values: whatever comes from there comes with fewer steps.
    fn on_to(mut self, loc: Loc) -> Option<(Loc, State)> {
        let is_here = |(at, globals, locals): &(Loc, Vec<Term>, Vec<Term>)| {
            *at == loc && *globals == self.globals && *locals == self.locals
        };
        if self.passed.iter().any(is_here) {
            return None;
        }
        self.passed.push((loc, self.globals.clone(), self.locals.clone()));
        Some((loc, self))
    }

    /// The path that leads here, unless it is plainly impossible.
    fn path(self, to: Outcome) -> Option<Path> {
        let guard = Term::all(self.guard);
        if guard == Term::FALSE {
            return None;
        }
        let written = |values: Vec<Term>, var: fn(usize) -> Var| {
            let values = values.into_iter().enumerate().map(move |(slot, term)| (var(slot), term));
            values.filter(|(var, term)| *term != Term::Var(*var)).collect::<Vec<_>>()
        };
        let mut writes = written(self.globals, Var::Global);
        writes.extend(written(self.locals, |slot| Var::Local(0, slot)));
        Some(Path { guard, to, writes, fresh: self.fresh, edges: self.edges })
    }
}
