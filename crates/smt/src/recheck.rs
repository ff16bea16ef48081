//! # The check of a certificate
//! Every obligation of [`crate::obligation`] is asked again, from the program and the certificate
//! alone. Bounds and laws that it uses are derived anew from the text. Only if the solver answers `unsat`
//! to all of them, the certificate is accepted.

use std::collections::BTreeSet;
use std::fmt;

use selvedge_program::Source;

use crate::Refusal;
use crate::bounds::bounds;
use crate::cases::{Cases, Doubt, all_cases};
use crate::certificate::Certificate;
use crate::goal::Goal;
use crate::laws::laws;
use crate::layout::Layout;
use crate::obligation::{Obligation, beyond, inside, outside, starts};
use crate::solver::{Query, Sat, Solver, SolverError};

/// The counts of a successful check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// How many threads a view has; 0 if there are none, and all cases were followed.
    pub width: usize,
    /// How many combinations of places, or cases, there are.
    pub places: usize,
    /// How many predicates are used.
    pub predicates: usize,
    /// How many questions were asked.
    pub questions: usize,
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Checked { width, places, predicates, questions } = self;
        if *width == 0 {
            return write!(
                f,
                "nothing goes wrong in any of the {places} cases: {questions} questions to the solver"
            );
        }
        write!(
            f,
            "the invariant over views of {width} threads holds at the start, no step leaves it and \
             nothing goes wrong in it: {places} combinations of places, {predicates} predicates, \
             {questions} questions to the solver"
        )
    }
}

/// Why a certificate is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// The certificate is about something else, or says nothing.
    Form(String),
    /// The program cannot be written as formulas.
    Program(Refusal),
    /// The solver has no answer.
    Solver(SolverError),
    /// Something that has to be shown is not so.
    Open(String),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Form(what) => f.write_str(what),
            Flaw::Program(refusal) => refusal.fmt(f),
            Flaw::Solver(error) => error.fmt(f),
            Flaw::Open(what) => write!(f, "the invariant does not hold: {what}"),
        }
    }
}

impl std::error::Error for Flaw {}

/// Checks whether a certificate proves what is to be shown. Every question is shown to `keep`.
pub fn recheck(
    layout: &Layout<'_>,
    source: &Source,
    goal: &Goal,
    certificate: &Certificate,
    solver: &mut Solver,
    stop: &dyn Fn() -> bool,
    keep: &mut dyn FnMut(&str, &Query),
) -> Result<Checked, Flaw> {
    if certificate.is_by_cases() {
        if *goal != Goal::NeverWrong {
            return Err(Flaw::Form(
                "all cases are about what goes wrong, not about targets".into(),
            ));
        }
        let cases = all_cases(layout, source, solver, stop, keep).map_err(|doubt| match doubt {
            Doubt::Refused(refusal) => Flaw::Program(refusal),
            Doubt::Solver(error) => Flaw::Solver(error),
            other => Flaw::Open(other.to_string()),
        })?;
        let Cases { ends: places, questions, .. } = cases;
        return Ok(Checked { width: 0, places, predicates: 0, questions });
    }
    let mut invariant = certificate.read(layout).map_err(Flaw::Form)?;
    let width = invariant.width;
    if layout.threads().is_some_and(|n| n < width as u64) {
        let what = format!("a view has {width} threads, and there are not so many");
        return Err(Flaw::Form(what));
    }
    if !invariant.bounds.is_empty() {
        let shown = bounds(layout, source).map_err(Flaw::Program)?;
        let listed = invariant.bounds.iter().zip(&certificate.bounds);
        if let Some((_, text)) = listed.into_iter().find(|(bound, _)| !shown.contains(bound)) {
            return Err(Flaw::Form(format!("the text of the program does not show that {text}")));
        }
    }
    if !certificate.laws.is_empty() {
        let mut shown = laws(layout, source).map_err(Flaw::Program)?;
        let texts: Vec<String> = shown.iter().map(|law| law.show(layout)).collect();
        if let Some(text) = certificate.laws.iter().find(|text| !texts.contains(text)) {
            return Err(Flaw::Form(format!("the text of the program does not show that {text}")));
        }
        let mut texts = texts.iter();
        shown.retain(|_| texts.next().is_some_and(|text| certificate.laws.contains(text)));
        invariant.laws = shown;
    }
    let mut questions = 0;
    let go_on = || match stop() {
        true => Err(Flaw::Solver(SolverError::Stopped)),
        false => Ok(()),
    };
    let mut show = |obligation: &Obligation| {
        go_on()?;
        let about = obligation.describe(layout, source);
        let query = obligation.query(layout, &invariant);
        questions += 1;
        keep(&about, &query);
        match solver.ask(&query, stop) {
            Ok(Sat::No) => Ok(()),
            Ok(Sat::Yes(_)) => Err(Flaw::Open(about)),
            Err(error) => Err(Flaw::Solver(error)),
        }
    };
    for obligation in starts(layout, width) {
        show(&obligation)?;
    }
    for obligation in beyond(layout, goal, width) {
        // Where one of the views does not occur, the threads are never there.
        if obligation.before().iter().all(|key| invariant.facts.contains_key(key)) {
            show(&obligation)?;
        }
    }
    let places: BTreeSet<_> = invariant.facts.keys().flatten().copied().collect();
    for view in invariant.facts.keys() {
        for obligation in inside(layout, source, goal, view).map_err(Flaw::Program)? {
            show(&obligation)?;
        }
        for &other in &places {
            go_on()?;
            for obligation in outside(layout, source, view, other).map_err(Flaw::Program)? {
                // Where one of the views does not occur, there is nothing to be shown.
                if obligation.before().iter().all(|key| invariant.facts.contains_key(key)) {
                    show(&obligation)?;
                }
            }
        }
    }
    let (places, predicates) = (invariant.facts.len(), certificate.predicates.len());
    Ok(Checked { width, places, predicates, questions })
}
