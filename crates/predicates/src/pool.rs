//! # Predicates without being told
//!
//! **Question.** Which predicates may a proof need?
//!
//! **Idea.** What the program itself asks (guards and assertions), the same before a step (weakest
//! preconditions), and comparisons: of variables that the program compares or assigns to each other,
//! the same variable of another thread included, and of variables with the constants that they meet. A
//! condition with several parts is a predicate of its own where that is wanted: *if all of this holds,
//! then …* needs one literal for it. Predicates of the user come first.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use selvedge_program::flow::Live;
use selvedge_program::{LocalId, Predicate, Source};
use selvedge_smt::Refusal;
use selvedge_smt::layout::{Layout, Standing};
use selvedge_smt::plain::About;
use selvedge_smt::symbolic::{Path, paths};
use selvedge_smt::term::{Arith, Sort, Term, Var};

use crate::search::ProofTask;

/// Conditions of the program that are longer than this are no predicates.
const LONGEST: usize = 24;

/// How many conditions of the program are taken.
const MOST_CONDITIONS: usize = 60;

/// Which predicates to try. Those of the user are always taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reach {
    /// Conditions of the program, and comparisons of variables that belong together.
    pub compared: bool,
    /// Comparisons of the locals of two threads.
    pub across: bool,
    /// Comparisons with constants.
    pub constants: bool,
    /// Whether one variable is the other plus 1.
    pub shifted: bool,
    /// Conditions of the program as a whole, where they say several things at once.
    pub whole: bool,
}

impl Reach {
    /// Only the predicates of the user.
    pub const GIVEN: Reach =
        Reach { compared: false, across: false, constants: false, shifted: false, whole: false };
    /// All comparisons.
    pub const COMPARED: Reach =
        Reach { compared: true, across: true, constants: true, ..Reach::GIVEN };
    /// Comparisons of variables within one thread and with shared ones, sums with 1 included.
    pub const SHIFTED: Reach = Reach { compared: true, shifted: true, ..Reach::GIVEN };
    /// Comparisons within one thread, sums with 1 and constants included.
    pub const WITHIN: Reach = Reach { constants: true, ..Reach::SHIFTED };
    /// All comparisons, sums with 1 included.
    pub const ALL: Reach = Reach { shifted: true, ..Reach::COMPARED };
    /// Comparisons within one thread, sums with 1, and conditions as a whole.
    pub const WHOLE: Reach = Reach { whole: true, ..Reach::SHIFTED };
}

/// A variable of any thread, or a shared one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Name {
    Global(usize),
    Local(usize, usize),
}

/// The predicates that are tried.
pub struct Pool<'a> {
    layout: &'a Layout<'a>,
    read: &'a [Live],
    given: Vec<&'a Predicate>,
    reach: Reach,
    /// Conditions about one thread of a class, at position 0.
    conditions: Vec<(usize, Term)>,
    /// The group of each variable: variables of one group are compared.
    groups: BTreeMap<Name, usize>,
    /// The constants that a group meets.
    constants: BTreeMap<usize, BTreeSet<BigInt>>,
}

impl<'a> Pool<'a> {
    /// Collects conditions and constants from the program.
    pub fn new(
        known: ProofTask<'a>,
        given: Vec<&'a Predicate>,
        reach: Reach,
    ) -> Result<Self, Refusal> {
        let ProofTask { layout, source, read, .. } = known;
        let mut pool = Pool {
            layout,
            read,
            given,
            reach,
            conditions: Vec::new(),
            groups: BTreeMap::new(),
            constants: BTreeMap::new(),
        };
        if reach.compared {
            pool.read_program(source)?;
        }
        Ok(pool)
    }

    fn read_program(&mut self, source: &Source) -> Result<(), Refusal> {
        let mut steps: Vec<(usize, Path)> = Vec::new();
        for class in 0..self.layout.classes.len() {
            for (index, _) in (0..).zip(&self.layout.flow.locations) {
                let loc = selvedge_program::flow::Loc(index);
                let location = self.layout.flow.location(loc);
                if location.proc == self.layout.classes[class].proc && !location.atomic {
                    let place = Standing { class, loc: Some(loc) };
                    let all = paths(self.layout, source, place)?;
                    steps.extend(all.into_iter().map(|path| (class, path)));
                }
            }
        }
        let mut related: Vec<(usize, Term)> = Vec::new();
        for (class, path) in &steps {
            atoms(&path.guard, &mut |atom| related.push((*class, atom.clone())));
            for (var, term) in &path.writes {
                if !matches!(term, Term::Bool(_)) {
                    related.push((
                        *class,
                        Term::Eq(Box::new(Term::Var(*var)), Box::new(term.clone())),
                    ));
                }
            }
        }
        self.group(&related);
        let mut conditions: Vec<(usize, Term)> = Vec::new();
        let whole = self.reach.whole;
        for (class, path) in &steps {
            atoms(&path.guard, &mut |atom| conditions.push((*class, atom.clone())));
            conditions.extend(positive(&path.guard).filter(|_| whole).map(|all| (*class, all)));
        }
        // One step further back.
        for (class, condition) in conditions.clone() {
            for (_, path) in steps.iter().filter(|(c, _)| *c == class) {
                let before = condition.substitute(&|var| path.after(var));
                atoms(&before, &mut |atom| conditions.push((class, atom.clone())));
                conditions.extend(positive(&before).filter(|_| whole).map(|all| (class, all)));
            }
        }
        for (class, condition) in conditions {
            let vars = condition.vars();
            let plain = size(&condition) <= LONGEST
                && !vars.is_empty()
                && !vars.iter().any(|var| matches!(var, Var::Fresh(..)));
            if plain && !self.conditions.contains(&(class, condition.clone())) {
                self.conditions.push((class, condition));
            }
        }
        self.conditions.truncate(MOST_CONDITIONS);
        Ok(())
    }

    /// Whether there are conditions that say several things at once.
    #[must_use]
    pub fn has_whole(&self) -> bool {
        self.conditions.iter().any(|(_, condition)| matches!(condition, Term::And(_)))
    }

    /// Puts integers together that meet in a condition or an assignment.
    fn group(&mut self, related: &[(usize, Term)]) {
        let mut names = BTreeSet::new();
        let globals = (0..self.layout.globals.len()).map(Name::Global);
        names.extend(globals);
        for class in 0..self.layout.classes.len() {
            names.extend((0..self.layout.locals_of(class).len()).map(|s| Name::Local(class, s)));
        }
        let mut group: BTreeMap<Name, usize> =
            names.iter().enumerate().map(|(number, name)| (*name, number)).collect();
        let name = |class: usize, var: Var| match var {
            Var::Global(slot) => Some(Name::Global(slot)),
            Var::Local(_, slot) => Some(Name::Local(class, slot)),
            Var::Fresh(..) => None,
        };
        for (class, term) in related {
            let members: Vec<Name> =
                term.vars().into_iter().filter_map(|var| name(*class, var)).collect();
            for pair in members.windows(2) {
                let (from, to) = (group[&pair[0]], group[&pair[1]]);
                group.values_mut().filter(|g| **g == from).for_each(|g| *g = to);
            }
        }
        let mut constants: BTreeMap<usize, BTreeSet<BigInt>> = BTreeMap::new();
        for (class, term) in related {
            let member = term.vars().into_iter().find_map(|var| name(*class, var));
            if let Some(member) = member {
                ints(term, constants.entry(group[&member]).or_default());
            }
        }
        let inits = self.layout.program.globals.iter().flat_map(|g| g.init.iter());
        for (slot, value) in inits.enumerate() {
            if let Some(n) = value.to_big() {
                constants.entry(group[&Name::Global(slot)]).or_default().insert(n);
            }
        }
        self.groups = group;
        self.constants = constants;
    }

    /// The predicates about threads at these places.
    #[must_use]
    pub fn predicates(&self, places: &[Standing]) -> Vec<Term> {
        let mut all: Vec<Term> = Vec::new();
        let mut add = |term: Term| {
            let term = match plainer(term) {
                Term::Not(inner) => *inner,
                other => other,
            };
            if !matches!(term, Term::Bool(_)) && !all.contains(&term) {
                all.push(term);
            }
        };
        let alive = |position: usize, slot: usize| {
            let Standing { class, loc: Some(loc) } = places[position] else { return false };
            let variable = self.layout.locals_of(class)[slot].variable;
            let variable = u32::try_from(variable).ok().map(LocalId);
            variable.is_some_and(|variable| self.read[loc.index()].has(variable))
        };
        let seen = |var: &Var| match *var {
            Var::Local(position, slot) => alive(position, slot),
            _ => true,
        };
        for predicate in &self.given {
            let instances = self.instances(predicate, places).into_iter();
            // Samples say nothing about values that are never read again, and no clause needs them.
            let said = instances.filter(|p| !self.reach.compared || p.vars().iter().all(seen));
            said.for_each(&mut add);
        }
        if !self.reach.compared {
            return all;
        }
        for (class, condition) in &self.conditions {
            for position in (0..places.len()).filter(|&p| places[p].class == *class) {
                let renamed = condition.substitute(&|var| match var {
                    Var::Local(_, slot) => Term::Var(Var::Local(position, slot)),
                    other => Term::Var(other),
                });
                if renamed.vars().iter().all(seen) {
                    add(renamed);
                }
            }
        }
        let classes: Vec<usize> = places.iter().map(|place| place.class).collect();
        let mut ints: Vec<(usize, Var)> = Vec::new();
        for (var, info) in self.layout.variables(&classes) {
            let name = match var {
                Var::Global(slot) => Name::Global(slot),
                Var::Local(position, slot) if alive(position, slot) => {
                    Name::Local(classes[position], slot)
                }
                _ => continue,
            };
            match info.sort() {
                Sort::Bool => add(Term::Var(var)),
                Sort::Int => ints.push((self.groups[&name], var)),
            }
        }
        for (index, &(group, var)) in ints.iter().enumerate() {
            let x = || Term::Var(var);
            let constants = self.constants.get(&group).filter(|_| self.reach.constants);
            for n in constants.into_iter().flatten() {
                add(Term::eq(x(), Term::Int(n.clone())));
                add(Term::lt(x(), Term::Int(n.clone())));
            }
            let apart = |other: Var| match (var, other) {
                (Var::Local(p, _), Var::Local(q, _)) => p != q,
                _ => false,
            };
            for &(_, other) in ints[..index].iter().filter(|(g, _)| *g == group) {
                if apart(other) && !self.reach.across {
                    continue;
                }
                let y = || Term::Var(other);
                add(Term::eq(y(), x()));
                add(Term::lt(y(), x()));
                add(Term::lt(x(), y()));
                if self.reach.shifted {
                    let next = |t: Term| Term::arith(Arith::Add, t, Term::int(1));
                    add(Term::eq(next(y()), x()));
                    add(Term::eq(next(x()), y()));
                }
            }
        }
        all
    }

    /// A predicate of the user about each of the threads.
    fn instances(&self, predicate: &Predicate, places: &[Standing]) -> Vec<Term> {
        let layout = self.layout;
        let Some(proc) = predicate.scope else {
            let proc = layout.classes[0].proc;
            let about = About { layout, threads: places, own: None, proc, instance: None };
            return about.term(&predicate.expr).into_iter().collect();
        };
        let own = (0..places.len()).filter(|&p| layout.classes[places[p].class].proc == proc);
        let about =
            |p: usize| About { layout, threads: places, own: Some(p), proc, instance: None };
        own.filter_map(|p| about(p).term(&predicate.expr)).collect()
    }
}

/// The same comparison with constants on one side, and with the sides of an equality in order:
/// `x + 1 == y + 1` is `x == y`.
fn plainer(term: Term) -> Term {
    let split = |term: Term| match term {
        Term::Arith(Arith::Add, a, b) => match (*a, *b) {
            (a, Term::Int(n)) | (Term::Int(n), a) => (a, n),
            (a, b) => (Term::arith(Arith::Add, a, b), BigInt::ZERO),
        },
        Term::Arith(Arith::Sub, a, b) => match (*a, *b) {
            (a, Term::Int(n)) => (a, -n),
            (a, b) => (Term::arith(Arith::Sub, a, b), BigInt::ZERO),
        },
        other => (other, BigInt::ZERO),
    };
    let join = |a: Term, b: Term| {
        let ((a, m), (b, n)) = (split(a), split(b));
        match (a, b) {
            (Term::Int(a), b) => (Term::Int(a + m - n), b),
            (a, Term::Int(b)) => (a, Term::Int(b + n - m)),
            (a, b) if m == n => (a, b),
            (a, b) if m < n => (a, Term::arith(Arith::Add, b, Term::Int(n - m))),
            (a, b) => (Term::arith(Arith::Add, a, Term::Int(m - n)), b),
        }
    };
    let is_int = |term: &Term| matches!(term, Term::Int(_) | Term::Arith(..));
    match term {
        Term::Eq(a, b) if is_int(&a) || is_int(&b) => {
            let (a, b) = join(*a, *b);
            plainer_order(a, b)
        }
        Term::Eq(a, b) => plainer_order(*a, *b),
        Term::Lt(a, b) => {
            let (a, b) = join(*a, *b);
            Term::lt(a, b)
        }
        // One form of comparison is enough: its negation is the other.
        Term::Le(a, b) => {
            let (a, b) = join(*a, *b);
            Term::lt(b, a)
        }
        other => other,
    }
}

fn plainer_order(a: Term, b: Term) -> Term {
    if b < a { Term::eq(b, a) } else { Term::eq(a, b) }
}

/// Shows every atomic formula in a formula.
fn atoms(term: &Term, show: &mut dyn FnMut(&Term)) {
    match term {
        Term::Bool(_) => {}
        Term::Not(a) => atoms(a, show),
        Term::And(list) | Term::Or(list) => list.iter().for_each(|part| atoms(part, show)),
        Term::Ite(a, b, c) => [a, b, c].into_iter().for_each(|part| atoms(part, show)),
        Term::Eq(..) | Term::Lt(..) | Term::Le(..) | Term::Var(_) => show(term),
        Term::Int(_) | Term::Arith(..) => {}
    }
}

/// A condition that says several things at once: all of them, or one of them negated.
fn positive(term: &Term) -> Option<Term> {
    match term {
        Term::And(_) => Some(term.clone()),
        Term::Or(_) => Some(term.clone().negated()),
        Term::Not(inner) => positive(inner),
        _ => None,
    }
}

/// The constants in a term.
fn ints(term: &Term, out: &mut BTreeSet<BigInt>) {
    match term {
        Term::Int(n) => {
            out.insert(n.clone());
        }
        Term::Not(a) => ints(a, out),
        Term::And(list) | Term::Or(list) => list.iter().for_each(|part| ints(part, out)),
        Term::Eq(a, b) | Term::Lt(a, b) | Term::Le(a, b) | Term::Arith(_, a, b) => {
            ints(a, out);
            ints(b, out);
        }
        Term::Ite(a, b, c) => [a, b, c].into_iter().for_each(|part| ints(part, out)),
        Term::Bool(_) | Term::Var(_) => {}
    }
}

fn size(term: &Term) -> usize {
    match term {
        Term::Bool(_) | Term::Int(_) | Term::Var(_) => 1,
        Term::Not(a) => 1 + size(a),
        Term::And(list) | Term::Or(list) => 1 + list.iter().map(size).sum::<usize>(),
        Term::Eq(a, b) | Term::Lt(a, b) | Term::Le(a, b) | Term::Arith(_, a, b) => {
            1 + size(a) + size(b)
        }
        Term::Ite(a, b, c) => 1 + size(a) + size(b) + size(c),
    }
}
