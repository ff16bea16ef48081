//! # What has to be shown
//!
//! **Question.** Is an invariant over views of `w` threads kept by every step, of however many
//! threads there are, and does nothing go wrong where it holds?
//!
//! **Claim.** Let the views of all initial states be in the invariant. If a step of a thread *in* a
//! view (assuming the view before) and a step of a thread *outside* (assuming all views of the `w + 1`
//! threads before) always lead to a view that is in it again, it holds of all `w` different threads
//! of every reachable state: views change in no other way. If no thread of a view can then go wrong,
//! no thread does, since every thread is in a view if there are at least `w` threads. A run of fewer
//! threads is a run of more, in which the others stand still. Threads at the places of a target are never
//! there together if no view has them, or, where they are more than `w`, if not all views of them
//! can be true at once.
//!
//! Each obligation is one question to a solver; `unsat` means that it is met.

use std::fmt::Write;

use selvedge_program::Source;

use crate::Refusal;
use crate::goal::Goal;
use crate::invariant::{Invariant, key, subsets};
use crate::laws::Law;
use crate::layout::{Layout, Standing, in_kind};
use crate::plain::{About, in_instances};
use crate::solver::Query;
use crate::symbolic::{Outcome, Path, paths};
use crate::term::{Sort, Term, Val, Var};

/// One thing to be shown.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// The threads that it is about; those of the view come first.
    pub threads: Vec<Standing>,
    /// How many of them are in the view.
    pub width: usize,
    /// The event, or the situation.
    pub event: Event,
}

/// The situation that an obligation is about.
#[derive(Clone, Debug)]
pub enum Event {
    /// The threads are in an initial state.
    Start,
    /// One of the threads makes a step.
    Step(ThreadStep),
    /// The threads stand where they must not stand at the same time.
    Forbidden,
}

/// A step of one of the threads.
#[derive(Clone, Debug)]
pub struct ThreadStep {
    /// The position of the thread that steps.
    pub by: usize,
    /// The path of the step, for the thread at that position.
    pub path: Path,
}

impl Obligation {
    /// The combinations of places that it assumes something about.
    #[must_use]
    pub fn before(&self) -> Vec<Vec<Standing>> {
        self.assumed().into_iter().map(|of| key(of.iter().map(|&p| self.threads[p]))).collect()
    }

    /// The threads of each view that is assumed to be in the invariant.
    #[must_use]
    pub fn assumed(&self) -> Vec<Vec<usize>> {
        if let Event::Start = self.event {
            return Vec::new();
        }
        let all: Vec<usize> = (0..self.threads.len()).collect();
        subsets(&all, self.width)
    }

    /// The places of the view afterwards; `None` if that must not happen at all.
    #[must_use]
    pub fn after(&self) -> Option<Vec<Standing>> {
        let mut places = self.threads[..self.width].to_vec();
        if let Event::Forbidden = self.event {
            return None;
        }
        if let Event::Step(ThreadStep { by, path }) = &self.event {
            let loc = match path.to {
                Outcome::At(loc) => Some(loc),
                Outcome::Ends => None,
                Outcome::Wrong(_) => return None,
            };
            if let Some(place) = places.get_mut(*by) {
                place.loc = loc;
            }
        }
        Some(places)
    }

    /// The question whether it is *not* met.
    #[must_use]
    pub fn query(&self, layout: &Layout<'_>, invariant: &Invariant) -> Query {
        let says = |of: Vec<usize>| invariant.says(&self.threads, &of);
        let mut known: Vec<Term> = self.assumed().into_iter().map(says).collect();
        if let Some(after) = self.after() {
            let view: Vec<usize> = (0..self.width).collect();
            known.push(self.later(&invariant.says(&after, &view)).negated());
        }
        known.extend(self.within(&invariant.bounds));
        known.extend(self.counted(&invariant.laws));
        self.ask(layout, &known, &[])
    }

    /// Bounds, before the step and after it.
    #[must_use]
    pub fn within(&self, bounds: &[Term]) -> Vec<Term> {
        let mut known = bounds.to_vec();
        if matches!(self.event, Event::Step(_)) && self.after().is_some() {
            known.extend(bounds.iter().map(|bound| self.later(bound)));
        }
        known
    }

    /// The laws, applied to the threads before the step.
    #[must_use]
    pub fn counted(&self, laws: &[Law]) -> Vec<Term> {
        laws.iter().map(|law| law.among(&self.threads)).collect()
    }

    /// A statement about the view after the step, said before it.
    #[must_use]
    pub fn later(&self, term: &Term) -> Term {
        match &self.event {
            Event::Start | Event::Forbidden => term.clone(),
            Event::Step(step) => term.substitute(&|var| step.path.after(var)),
        }
    }

    /// The question whether the step (or an initial state) is possible where all of these hold. The
    /// named ones may come up in the core of a refutation.
    #[must_use]
    pub fn ask(&self, layout: &Layout<'_>, known: &[Term], named: &[(String, Term)]) -> Query {
        let classes = self.classes();
        let mut variables = self.variables(layout);
        let possible = match &self.event {
            Event::Start => {
                let (start, instances) = start(layout, &self.threads);
                variables.extend(instances);
                start
            }
            Event::Step(step) => step.path.guard.clone(),
            Event::Forbidden => Term::TRUE,
        };
        let types = layout.variables(&classes).into_iter();
        let types = types.map(|(var, info)| in_kind(&info.kind, Term::Var(var)));
        let name = |var: Var| format!("|{}|", layout.name(var, &classes));
        let mut text = String::new();
        for &(var, sort) in &variables {
            let _ = writeln!(text, "(declare-const {} {sort:?})", name(var));
        }
        let all = types.chain([possible]).chain(known.iter().cloned());
        for term in all.filter(|term| *term != Term::TRUE) {
            let _ = writeln!(text, "(assert {})", term.show(&name));
        }
        for (label, term) in named {
            let _ = writeln!(text, "(assert (! {} :named {label}))", term.show(&name));
        }
        Query { text, values: variables.iter().map(|&(var, _)| name(var)).collect() }
    }

    /// The variables that a query is about, in the order of its values.
    #[must_use]
    pub fn variables(&self, layout: &Layout<'_>) -> Vec<(Var, Sort)> {
        let variables = layout.variables(&self.classes()).into_iter();
        let mut all: Vec<_> = variables.map(|(var, info)| (var, info.sort())).collect();
        if let Event::Step(step) = &self.event {
            let fresh = step.path.fresh.iter().filter_map(|&var| match var {
                Var::Fresh(_, sort) => Some((var, sort)),
                _ => None,
            });
            all.extend(fresh);
        }
        all
    }

    /// The value of a variable of the view after the step, from a solution of the query.
    #[must_use]
    pub fn value_after(&self, layout: &Layout<'_>, solution: &[Val], var: Var) -> Option<Val> {
        let variables = self.variables(layout);
        let before = |var: Var| {
            let at = variables.iter().position(|(v, _)| *v == var)?;
            solution.get(at).cloned()
        };
        match &self.event {
            Event::Start | Event::Forbidden => before(var),
            Event::Step(step) => step.path.after(var).value(&before),
        }
    }

    /// Describes the obligation for people.
    #[must_use]
    pub fn describe(&self, layout: &Layout<'_>, source: &Source) -> String {
        let places: Vec<_> = self.threads.iter().map(|&p| place(layout, source, p)).collect();
        match &self.event {
            Event::Start => format!("the initial states, threads at {}", places.join(" and ")),
            Event::Forbidden => format!("the target, with {}", places.join(" and ")),
            Event::Step(ThreadStep { by, path }) => {
                let edge = path.edges.first().map(|&e| layout.flow.edge(e).span);
                let line = edge.map_or(0, |span| source.line(span.start));
                let wrong = match &path.to {
                    Outcome::Wrong(why) => format!(", {why}"),
                    _ => String::new(),
                };
                let others: Vec<_> = places
                    .iter()
                    .enumerate()
                    .filter(|(p, _)| p != by)
                    .map(|(_, s)| &s[..])
                    .collect();
                let beside = match others.is_empty() {
                    true => String::new(),
                    false => format!(" beside {}", others.join(" and ")),
                };
                format!("the step at line {line} of {}{beside}{wrong}", places[*by])
            }
        }
    }

    fn classes(&self) -> Vec<usize> {
        self.threads.iter().map(|place| place.class).collect()
    }
}

/// A place for people: the thread, and its line or label.
#[must_use]
pub fn place(layout: &Layout<'_>, source: &Source, place: Standing) -> String {
    let class = &layout.classes[place.class].name;
    let Some(loc) = place.loc else { return format!("{class} at its end") };
    let location = layout.flow.location(loc);
    let labels = &layout.program.procs[location.proc.index()].labels;
    match location.labels.first() {
        Some(label) => format!("{class} at {}", labels[label.index()]),
        None => format!("{class} at line {}", source.line(location.span.start)),
    }
}

/// The initial states of threads at their entries, with the variables for numbers of instances.
fn start(layout: &Layout<'_>, threads: &[Standing]) -> (Term, Vec<(Var, Sort)>) {
    let mut known = Vec::new();
    let globals = layout.code.shared.iter().map(|slot| &slot.first);
    for (slot, value) in globals.enumerate() {
        if value.to_big().is_some() {
            let value = crate::symbolic::constant(value, &layout.globals[slot].kind);
            known.push(Term::eq(Term::Var(Var::Global(slot)), value));
        }
    }
    let mut instances: Vec<(Var, Sort)> = Vec::new();
    for (position, place) in threads.iter().enumerate() {
        let class = &layout.classes[place.class];
        let instance = Var::Fresh(position, Sort::Int);
        instances.push((instance, Sort::Int));
        known.push(in_instances(instance, class.count));
        for (other, before) in threads[..position].iter().enumerate() {
            if before.class == place.class {
                let same = Term::eq(Term::Var(Var::Fresh(other, Sort::Int)), Term::Var(instance));
                known.push(same.negated());
            }
        }
        let about = About {
            layout,
            threads,
            own: Some(position),
            proc: class.proc,
            instance: Some(instance),
        };
        let decl = &layout.program.threads[class.decl];
        let locals = layout.locals_of(place.class);
        for (param, arg) in decl.args.iter().enumerate() {
            let slot = locals.partition_point(|slot| slot.variable < param);
            // Others may have any value of their types.
            if let Some(value) = about.term(arg) {
                known.push(Term::eq(Term::Var(Var::Local(position, slot)), value));
            }
        }
    }
    (Term::all(known), instances)
}

/// The combinations of `width` threads at the start, as far as there are so many.
#[must_use]
pub fn starts(layout: &Layout<'_>, width: usize) -> Vec<Obligation> {
    let mut all = vec![Vec::new()];
    for _ in 0..width {
        all = all
            .into_iter()
            .flat_map(|classes: Vec<usize>| {
                let first = classes.last().copied().unwrap_or(0);
                (first..layout.classes.len()).map(move |class| {
                    let mut longer = classes.clone();
                    longer.push(class);
                    longer
                })
            })
            .filter(|classes| layout.can_have(classes))
            .collect();
    }
    let threads = |classes: Vec<usize>| key(classes.into_iter().map(|class| layout.entry(class)));
    let all = all.into_iter().map(threads);
    all.map(|threads| Obligation { threads, width, event: Event::Start }).collect()
}

/// The steps of the threads in a view, and what the goal forbids of them.
pub fn inside(
    layout: &Layout<'_>,
    source: &Source,
    goal: &Goal,
    view: &[Standing],
) -> Result<Vec<Obligation>, Refusal> {
    let width = view.len();
    let mut all = Vec::new();
    if goal.forbids(view) {
        all.push(Obligation { threads: view.to_vec(), width, event: Event::Forbidden });
    }
    for (by, &place) in view.iter().enumerate() {
        // Of several threads at one place, the first one stands for all.
        if view[..by].contains(&place) {
            continue;
        }
        for path in paths(layout, source, place)? {
            if matches!(path.to, Outcome::Wrong(_)) && *goal != Goal::NeverWrong {
                continue; // such a run ends there, and is not asked about
            }
            let event = Event::Step(ThreadStep { by, path: path.at(by) });
            all.push(Obligation { threads: view.to_vec(), width, event });
        }
    }
    Ok(all)
}

/// The steps of another thread that the threads of a view see.
pub fn outside(
    layout: &Layout<'_>,
    source: &Source,
    view: &[Standing],
    other: Standing,
) -> Result<Vec<Obligation>, Refusal> {
    let mut threads = view.to_vec();
    threads.push(other);
    let classes: Vec<usize> = threads.iter().map(|place| place.class).collect();
    if !layout.can_have(&classes) {
        return Ok(Vec::new());
    }
    let by = view.len();
    let paths = paths(layout, source, other)?.into_iter();
    let seen = paths.filter(|path| path.is_seen() && !matches!(path.to, Outcome::Wrong(_)));
    let event = |path: Path| Event::Step(ThreadStep { by, path: path.at(by) });
    let all =
        seen.map(|path| Obligation { threads: threads.clone(), width: by, event: event(path) });
    Ok(all.collect())
}

/// The obligations from combinations of more threads than a view has.
#[must_use]
pub fn beyond(layout: &Layout<'_>, goal: &Goal, width: usize) -> Vec<Obligation> {
    let forbidden = goal.combinations(width).into_iter();
    let possible = forbidden.filter(|threads| {
        let classes: Vec<usize> = threads.iter().map(|place| place.class).collect();
        layout.can_have(&classes)
    });
    possible.map(|threads| Obligation { threads, width, event: Event::Forbidden }).collect()
}
