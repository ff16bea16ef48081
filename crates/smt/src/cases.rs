//! # All cases
//!
//! **Question.** A few threads compute with values that are not known, and none of them does so for ever. Does anything go wrong?
//!
//! **Idea.** Every run is followed at once for all values: a state has places of threads and, for each variable, a constant or the name of a value of which some
//! conditions are known. A test makes two cases, and a solver says which of them are possible. Of two threads that do not touch what the other one still uses, one goes first.
//!
//! **Claim.** If no case goes wrong, no run does. Every step is one of [`crate::symbolic::paths`], with its guard; a case is given up only if the solver shows that its conditions contradict each
//! other. A thread goes alone if nothing that the others can do before its step touches what the step touches: then the step can be made first in every run in which it is made, and
//! changes nothing for the others (a persistent set [Godefroid 1996]); runs in which it is never made are those in which the thread stands still from here on, and they are followed as well unless the
//! thread can always go on. A thread that waits for something which only others change can act before the step only if one of those who can changes it. Steps that change nothing are left out, and
//! everything else comes to an end, since there is a bound on all steps together.
//!
//! **Needs.** Threads of which there is one each.
//!
//! **Otherwise.** A [`Doubt`]; never a violation.

use std::collections::{BTreeSet, HashMap};
use std::fmt::{self, Write};

use selvedge_program::Source;
use selvedge_program::compile::Claim;

use crate::Refusal;
use crate::layout::{Layout, Standing, in_kind};
use crate::solver::{Query, Sat, Solver, SolverError};
use crate::symbolic::{Outcome, Path, constant, paths};
use crate::term::{Sort, Term, Var};

/// More steps than this are not followed.
const MOST_STEPS: usize = 40_000;

/// The solver is asked no more questions than this.
const MOST_QUESTIONS: usize = 2_000;

/// Counts the cases that were followed, and the work that they took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cases {
    /// The number of cases that came to an end.
    pub ends: usize,
    /// How many steps were made.
    pub steps: usize,
    /// How many questions the solver was asked.
    pub questions: usize,
}

/// Why following all cases failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Doubt {
    /// The program cannot be written as formulas.
    Refused(Refusal),
    /// The solver has no answer.
    Solver(SolverError),
    /// There are too many cases, or one of them has no end.
    TooMany,
    /// Something may go wrong, at a line of the text.
    Wrong(String, u32),
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Refused(refusal) => refusal.fmt(f),
            Doubt::Solver(error) => error.fmt(f),
            Doubt::TooMany => f.write_str("there are too many cases, or one of them has no end"),
            Doubt::Wrong(why, line) => write!(f, "line {line} may go wrong: {why}"),
        }
    }
}

/// Follows all cases of a program; the questions that have no solution are shown to `keep`.
pub fn all_cases(
    layout: &Layout<'_>,
    source: &Source,
    solver: &mut Solver,
    stop: &dyn Fn() -> bool,
    keep: &mut dyn FnMut(&str, &Query),
) -> Result<Cases, Doubt> {
    if layout.classes.iter().any(|class| class.count != Some(1)) {
        return Err(Doubt::Refused(Refusal::new("there is not one thread of each kind", None)));
    }
    let mut walk = Walk {
        layout,
        source,
        solver,
        stop,
        keep,
        paths: HashMap::new(),
        later: HashMap::new(),
        asked: HashMap::new(),
        cases: Cases::default(),
    };
    let mut work = vec![walk.start()];
    while let Some(case) = work.pop() {
        walk.follow(case, &mut work)?;
    }
    Ok(walk.cases)
}

/// The state of all runs that took the same steps.
#[derive(Clone)]
struct Case {
    /// Where each thread is; at its end if it never acts again.
    places: Vec<Standing>,
    /// Constants, and names of values.
    globals: Vec<Term>,
    locals: Vec<Vec<Term>>,
    /// Conditions, which do not contradict each other.
    known: Vec<Term>,
    /// How many values have names.
    named: usize,
}

/// Which shared slots are touched.
#[derive(Clone, PartialEq, Eq, Default)]
struct Touched {
    reads: BTreeSet<usize>,
    writes: BTreeSet<usize>,
}

impl Touched {
    fn add(&mut self, other: &Touched) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
    }

    /// Whether the order of two that touch these may matter.
    fn meets(&self, other: &Touched) -> bool {
        let meet = |a: &BTreeSet<usize>, b: &BTreeSet<usize>| !a.is_disjoint(b);
        meet(&self.writes, &other.writes)
            || meet(&self.writes, &other.reads)
            || meet(&self.reads, &other.writes)
    }
}

struct Walk<'a, 'l> {
    layout: &'a Layout<'l>,
    source: &'a Source,
    solver: &'a mut Solver,
    stop: &'a dyn Fn() -> bool,
    keep: &'a mut dyn FnMut(&str, &Query),
    /// The steps of a thread from each place.
    paths: HashMap<Standing, Vec<Path>>,
    /// The shared slots that a thread touches from each place on.
    later: HashMap<Standing, Touched>,
    /// Questions that were answered: whether there is a solution.
    asked: HashMap<String, bool>,
    cases: Cases,
}

impl Walk<'_, '_> {
    /// The case with all initial states.
    fn start(&self) -> Case {
        let layout = self.layout;
        let mut case = Case {
            places: (0..layout.classes.len()).map(|class| layout.entry(class)).collect(),
            globals: Vec::new(),
            locals: Vec::new(),
            known: Vec::new(),
            named: 0,
        };
        for (slot, info) in layout.code.shared.iter().zip(&layout.globals) {
            let first = match slot.first.to_big() {
                Some(_) => constant(&slot.first, &info.kind),
                None => case.open(info),
            };
            case.globals.push(first);
        }
        for (class, info) in layout.classes.iter().enumerate() {
            let mut locals: Vec<Term> =
                layout.locals_of(class).iter().map(|slot| case.open(slot)).collect();
            for (param, arg) in layout.program.threads[info.decl].args.iter().enumerate() {
                let of = layout.locals_of(class);
                let slot = of.partition_point(|slot| slot.variable < param);
                // Others may have any value of their types.
                if let Some(Claim::Int(value)) = layout.claim(info.proc, arg)
                    && of.get(slot).is_some_and(|slot| slot.sort() == Sort::Int)
                {
                    locals[slot] = constant(&value, &of[slot].kind);
                }
            }
            case.locals.push(locals);
        }
        case
    }

    /// Makes the next step of a case, in all ways that matter.
    fn follow(&mut self, case: Case, work: &mut Vec<Case>) -> Result<(), Doubt> {
        let mut steps: Vec<(usize, Vec<Path>)> = Vec::new();
        for thread in 0..case.places.len() {
            let here = self.paths_at(case.places[thread])?;
            let here = here.iter().filter_map(|path| case.seen_by(thread, path));
            let moves = here.filter(|path| !changes_nothing(path, case.places[thread])).collect();
            steps.push((thread, moves));
        }
        let mut alone = None;
        for (thread, moves) in &steps {
            if !moves.is_empty() && self.goes_first(&case, *thread, &steps)? {
                alone = Some(*thread);
                break;
            }
        }
        let mut moved = false;
        for (thread, moves) in &steps {
            if alone.is_some_and(|alone| alone != *thread) {
                continue;
            }
            for path in moves {
                moved |= self.step(&case, *thread, path, work)?;
            }
            if alone.is_some() && self.may_stand_still(&case, *thread, moves)? {
                // The others go on without it. Those that have nothing to do are at their ends.
                let mut still = case.clone();
                still.places[*thread].loc = None;
                work.push(still);
                moved = true;
            }
        }
        self.cases.ends += usize::from(!moved);
        Ok(())
    }

    /// Makes a step of a thread, if it is possible; says whether it is.
    fn step(
        &mut self,
        case: &Case,
        thread: usize,
        path: &Path,
        work: &mut Vec<Case>,
    ) -> Result<bool, Doubt> {
        self.cases.steps += 1;
        if self.cases.steps > MOST_STEPS {
            return Err(Doubt::TooMany);
        }
        let mut after = case.clone();
        let apply = |term: &Term| {
            term.substitute(&|var| match var {
                Var::Global(slot) => case.globals[slot].clone(),
                Var::Local(_, slot) => case.locals[thread][slot].clone(),
                Var::Fresh(number, sort) => Term::Var(Var::Fresh(case.named + number, sort)),
            })
        };
        after.named += path.fresh.len();
        let guard = apply(&path.guard);
        if guard == Term::FALSE || !self.is_possible(case, &guard)? {
            return Ok(false);
        }
        if let Outcome::Wrong(why) = &path.to {
            let edge = path.edges.last().map(|&edge| self.layout.code.edge(edge).site.0);
            let line = edge.map_or(0, |at| self.source.line(at));
            return Err(Doubt::Wrong(why.clone(), line));
        }
        if guard != Term::TRUE {
            after.known.push(guard);
        }
        for (var, term) in &path.writes {
            let value = after.name(apply(term), self.layout, *var, case.places[thread].class);
            match *var {
                Var::Global(slot) => after.globals[slot] = value,
                Var::Local(_, slot) => after.locals[thread][slot] = value,
                Var::Fresh(..) => {}
            }
        }
        after.places[thread].loc = match path.to {
            Outcome::At(loc) => Some(loc),
            Outcome::Ends | Outcome::Wrong(_) => None,
        };
        work.push(after);
        Ok(true)
    }

    /// Whether the next step of a thread can be made before all that others do.
    fn goes_first(
        &mut self,
        case: &Case,
        thread: usize,
        steps: &[(usize, Vec<Path>)],
    ) -> Result<bool, Doubt> {
        let mut own = Touched::default();
        for path in &steps[thread].1 {
            own.add(&touched(path));
        }
        // Threads that may act before that: those that do not wait, and those that one of these may wake.
        let mut acting: BTreeSet<usize> = BTreeSet::new();
        let mut all = Touched::default();
        loop {
            let mut grew = false;
            for (other, moves) in steps {
                if *other == thread || acting.contains(other) || case.places[*other].loc.is_none() {
                    continue;
                }
                let awaited: BTreeSet<usize> =
                    moves.iter().flat_map(|path| globals(&path.guard)).collect();
                let waits = moves.iter().all(|path| case.now(*other, &path.guard) == Term::FALSE);
                if !waits || !awaited.is_disjoint(&all.writes) {
                    acting.insert(*other);
                    all.add(&self.later(case.places[*other])?);
                    grew = true;
                }
            }
            if !grew {
                return Ok(!own.meets(&all));
            }
        }
    }

    /// Whether a thread may be unable to make any of its steps.
    fn may_stand_still(
        &mut self,
        case: &Case,
        thread: usize,
        moves: &[Path],
    ) -> Result<bool, Doubt> {
        let mut ways = Vec::new();
        for path in moves {
            // Choices that only have to be of their kinds can always be made.
            let parts = match &path.guard {
                Term::And(parts) => parts.clone(),
                other => vec![other.clone()],
            };
            let chosen = |part: &Term| {
                let vars = part.vars();
                !vars.is_empty() && vars.iter().all(|var| matches!(var, Var::Fresh(..)))
            };
            let rest = Term::all(parts.into_iter().filter(|part| !chosen(part)));
            if rest.vars().iter().any(|var| matches!(var, Var::Fresh(..))) {
                return Ok(true);
            }
            ways.push(case.now(thread, &rest));
        }
        let none = Term::any(ways).negated();
        match none {
            Term::Bool(stuck) => Ok(stuck),
            none => self.is_possible(case, &none),
        }
    }

    /// Whether a condition can hold where all is so that is known.
    fn is_possible(&mut self, case: &Case, cond: &Term) -> Result<bool, Doubt> {
        if let Term::Bool(holds) = cond {
            return Ok(*holds);
        }
        if (self.stop)() {
            return Err(Doubt::Solver(SolverError::Stopped));
        }
        // Conditions that share no variable with this one do not matter.
        let mut vars: BTreeSet<Var> = cond.vars().into_iter().collect();
        let mut parts: Vec<&Term> = Vec::new();
        let mut rest: Vec<(&Term, Vec<Var>)> =
            case.known.iter().map(|term| (term, term.vars())).collect();
        loop {
            let before = parts.len();
            rest.retain(|(term, of)| {
                let meets = of.iter().any(|var| vars.contains(var));
                if meets {
                    vars.extend(of.iter().copied());
                    parts.push(term);
                }
                !meets
            });
            if parts.len() == before {
                break;
            }
        }
        let name = |var: Var| match var {
            Var::Fresh(number, _) => format!("v{number}"),
            // Nothing else is left in a case.
            Var::Global(slot) | Var::Local(_, slot) => format!("s{slot}"),
        };
        let mut text = String::new();
        for &var in &vars {
            if let Var::Fresh(_, sort) = var {
                let _ = writeln!(text, "(declare-const {} {sort:?})", name(var));
            }
        }
        for term in parts.into_iter().chain([cond]) {
            let _ = writeln!(text, "(assert {})", term.show(&name));
        }
        if let Some(&known) = self.asked.get(&text) {
            return Ok(known);
        }
        self.cases.questions += 1;
        if self.cases.questions > MOST_QUESTIONS {
            return Err(Doubt::TooMany);
        }
        let query = Query { text, values: Vec::new() };
        let possible = match self.solver.ask(&query, self.stop).map_err(Doubt::Solver)? {
            Sat::Yes(_) => true,
            Sat::No => {
                (self.keep)("a case that is not possible", &query);
                false
            }
        };
        self.asked.insert(query.text, possible);
        Ok(possible)
    }

    fn paths_at(&mut self, place: Standing) -> Result<Vec<Path>, Doubt> {
        if let Some(known) = self.paths.get(&place) {
            return Ok(known.clone());
        }
        let found = paths(self.layout, self.source, place).map_err(Doubt::Refused)?;
        self.paths.insert(place, found.clone());
        Ok(found)
    }

    /// The shared slots that a thread at a place touches from there on.
    fn later(&mut self, place: Standing) -> Result<Touched, Doubt> {
        if let Some(known) = self.later.get(&place) {
            return Ok(known.clone());
        }
        let mut all = Touched::default();
        let mut seen = BTreeSet::from([place]);
        let mut work = vec![place];
        while let Some(at) = work.pop() {
            for path in self.paths_at(at)? {
                all.add(&touched(&path));
                if let Outcome::At(loc) = path.to {
                    let next = Standing { loc: Some(loc), ..at };
                    if seen.insert(next) {
                        work.push(next);
                    }
                }
            }
        }
        self.later.insert(place, all.clone());
        Ok(all)
    }
}

impl Case {
    /// A value of which nothing is known but its kind.
    fn open(&mut self, slot: &crate::layout::SlotInfo) -> Term {
        let value = Term::Var(Var::Fresh(self.named, slot.sort()));
        self.named += 1;
        let kind = in_kind(&slot.kind, value.clone());
        if kind != Term::TRUE {
            self.known.push(kind);
        }
        value
    }

    /// A name for a value that is neither a constant nor has one; what is said of it is known from now on.
    fn name(&mut self, value: Term, layout: &Layout<'_>, var: Var, class: usize) -> Term {
        if matches!(value, Term::Bool(_) | Term::Int(_) | Term::Var(_)) {
            return value;
        }
        let sort = match var {
            Var::Global(slot) => layout.globals[slot].sort(),
            Var::Local(_, slot) => layout.locals_of(class)[slot].sort(),
            Var::Fresh(_, sort) => sort,
        };
        let name = Term::Var(Var::Fresh(self.named, sort));
        self.named += 1;
        self.known.push(Term::eq(name.clone(), value));
        name
    }

    /// A path with the constants that the thread holds in its own variables; nothing if it is impossible whatever others do.
    fn seen_by(&self, thread: usize, path: &Path) -> Option<Path> {
        let own = |term: &Term| {
            term.substitute(&|var| match var {
                Var::Local(_, slot) => match &self.locals[thread][slot] {
                    constant @ (Term::Bool(_) | Term::Int(_)) => constant.clone(),
                    _ => Term::Var(var),
                },
                other => Term::Var(other),
            })
        };
        let guard = own(&path.guard);
        let writes = path.writes.iter().map(|(var, term)| (*var, own(term)));
        let writes = writes.filter(|(var, term)| *term != Term::Var(*var)).collect();
        (guard != Term::FALSE).then(|| Path { guard, writes, ..path.clone() })
    }

    /// A condition of a thread, with all that it holds.
    fn now(&self, thread: usize, cond: &Term) -> Term {
        cond.substitute(&|var| match var {
            Var::Global(slot) => self.globals[slot].clone(),
            Var::Local(_, slot) => self.locals[thread][slot].clone(),
            Var::Fresh(number, sort) => Term::Var(Var::Fresh(self.named + number, sort)),
        })
    }
}

/// Whether a step leads to where the thread is, and writes nothing.
fn changes_nothing(path: &Path, place: Standing) -> bool {
    path.writes.is_empty() && matches!(path.to, Outcome::At(loc) if Some(loc) == place.loc)
}

/// The shared slots in a term.
fn globals(term: &Term) -> BTreeSet<usize> {
    let slot = |var| match var {
        Var::Global(slot) => Some(slot),
        _ => None,
    };
    term.vars().into_iter().filter_map(slot).collect()
}

/// The shared slots that a step touches.
fn touched(path: &Path) -> Touched {
    let mut all = Touched { reads: globals(&path.guard), writes: BTreeSet::new() };
    for (var, term) in &path.writes {
        all.reads.extend(globals(term));
        if let Var::Global(slot) = *var {
            all.writes.insert(slot);
        }
    }
    all
}
