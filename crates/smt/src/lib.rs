//! # Programs as formulas
//!
//! Programs whose integers have no bounds have no list of states. What can be said of them is said
//! in formulas, and a solver decides: [`solver`] drives one as a process, [`symbolic`] writes the
//! steps of a program as [`term`]s, [`bounds`] and [`laws`] are what they show at once, [`invariant`]
//! says what holds of every few threads, and [`recheck`] asks the solver whether a [`certificate`] proves
//! a [`goal`], for a fixed number of threads or for any number.
//!
//! This crate does not search. What finds certificates is `selvedge-predicates`, which sees this
//! crate; this crate does not see it.
//!
//! ```
//! use selvedge_smt::solver::{Query, Sat, Solver, SolverOptions};
//! use selvedge_smt::term::{Arith, Term, Var};
//!
//! // Whatever x is, x < x + 1.
//! let x = || Term::Var(Var::Global(0));
//! let claim = Term::lt(x(), Term::arith(Arith::Add, x(), Term::int(1)));
//! let wrong = claim.negated();
//! let text = format!("(declare-const x Int)\n(assert {})\n", wrong.show(&|_| "x".to_owned()));
//! let query = Query { text, values: Vec::new() };
//! println!("{}", query.script("x is less than its successor"));
//! match Solver::start(&SolverOptions::default()) {
//!     Ok(mut solver) => assert!(matches!(solver.ask(&query, &|| false).unwrap(), Sat::No)),
//!     Err(why) => println!("{why}"), // there is no solver on this machine
//! }
//! ```

pub mod bounds;
pub mod cases;
pub mod certificate;
pub mod goal;
pub mod invariant;
pub mod laws;
pub mod layout;
pub mod obligation;
pub mod plain;
pub mod prepared;
mod recheck;
pub mod sexpr;
pub mod solver;
pub mod symbolic;
pub mod term;

use std::fmt;

pub use recheck::{Checked, Flaw, recheck};

/// Why a program cannot be written as formulas.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// What stands in the way of the translation.
    pub why: String,
    /// The line of the source, counted from 1.
    pub line: Option<u32>,
}

impl Refusal {
    pub(crate) fn new(why: &str, line: Option<u32>) -> Self {
        Refusal { why: why.to_owned(), line }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{}; the engine `predicates` does not follow that", self.why)
    }
}

impl std::error::Error for Refusal {}
