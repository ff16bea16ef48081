//! # Binary decision diagrams
//!
//! **Question.** How can sets of millions of states, and relations between them, be stored and
//! computed with as a whole?
//!
//! **Idea** [Bryant 1986]. A function of boolean variables is a graph: each node asks for one
//! variable and leads to what remains if it is false (*low*) or true (*high*). If variables are
//! asked in one order, equal nodes are stored once, and no node is stored whose question does not
//! matter, then each function has exactly one node.
//!
//! **Claims.**
//! - Two [`Bdd`]s of one [`Manager`] are equal exactly if their functions are.
//! - An operation ends soon after its [`Limit`] says so, wherever it is, and the manager can be
//!   used afterwards as if the operation had never been started.
//! - [`Manager::collect`] keeps the ids of what it keeps.
//!
//! **Complements** [Brace, Rudell, Bryant 1990]. A handle is the number of a node and a mark that
//! says whether the function is negated, so negation costs nothing, and a function shares all
//! nodes with its negation. To have one form only, no low edge carries the mark; the mark of a
//! handle is then the value of its function where all variables are false.
//!
//! **Needs.** Operations recurse, once per variable at most: a thread with a stack of two megabytes
//! is good for some thousands of variables. Sets of variables are stored as bits, so variables
//! should be numbered without large gaps.
//!
//! ```
//! use selvedge_bdd::{Bdd, Manager, NoLimit};
//!
//! // A counter of two bits: variables 0 and 2 are its bits before a step, 1 and 3 after it.
//! let mut bdds = Manager::new(NoLimit);
//! let [low, low_next, high, high_next] = [0, 1, 2, 3].map(|v| bdds.var(v).unwrap());
//! let flips = bdds.xor(low, low_next).unwrap();
//! let sum = bdds.xor(high, low).unwrap();
//! let carries = bdds.iff(high_next, sum).unwrap();
//! let step = bdds.and(flips, carries).unwrap();
//!
//! let before = bdds.cube(&[0, 2]);
//! let back = bdds.renaming(&[(1, 0), (3, 2)]);
//! let mut reached = bdds.cube_of(&[(0, false), (2, false)]).unwrap();
//! for values in 2..=4 {
//!     let next = bdds.and_exists(reached, step, before).unwrap();
//!     let next = bdds.rename(next, back).unwrap();
//!     reached = bdds.or(reached, next).unwrap();
//!     assert_eq!(bdds.sat_count_exact(reached, 2), Some(values));
//! }
//! assert_eq!(reached, Bdd::TRUE);
//! ```

mod cache;
mod collect;
mod connectives;
mod dot;
mod handle;
mod limit;
mod manager;
mod quantify;
mod query;
mod rename;
mod simplify;
mod table;

pub use handle::{Bdd, Var};
pub use limit::{Limit, NoLimit};
pub use manager::Manager;
pub use quantify::VarSet;
pub use rename::Renaming;
