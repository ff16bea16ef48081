//! # All cases
//! Programs in C that compute with values from outside: where these are forgotten for a proof, and that is not enough, all cases are followed for all values at once.

use selvedge_analysis::Budget;
use selvedge_check::{Deadlocks, Parameterized, Subject};
use selvedge_predicates::{Conclusion, Proof, Report};
use selvedge_smt::certificate::Certificate;

use crate::EngineName;
use crate::answer::Answer;
use crate::heard::Heard;
use crate::options::Options;
use crate::predicates::Views;

/// A proof by cases, if there is one.
pub(crate) fn proof(subject: &Subject, options: &Options, budget: &Budget) -> Option<Answer> {
    let forgets = subject.beyond().is_some_and(|beyond| !beyond.approximations.is_empty());
    let is_asked = options.engine == EngineName::Auto && options.deadlock == Deadlocks::No;
    let solver = options.solver.as_deref()?;
    if !forgets || !is_asked || !subject.is_c() || budget.look().is_err() {
        return None;
    }
    let about = Parameterized::keeping_values(&subject.within(budget)).ok()?;
    options.tell(Heard::Trying("all cases, for all values at once"));
    let (certificate, mut queries) = (Certificate::by_cases(), Vec::new());
    match about.check(&certificate, solver, budget, &mut queries) {
        Ok(checked) => {
            let asked = checked.questions;
            let answer = Conclusion::Safe(Proof { certificate, checked });
            let report = Report { seen: Vec::new(), courses: Vec::new(), answer, asked };
            Some(Answer::of_views(Views::new(about, report, queries)))
        }
        Err(why) => {
            options.tell(Heard::Trying(&format!("all cases: {why}")));
            None
        }
    }
}
