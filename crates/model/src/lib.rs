//! # What is verified
//!
//! A *system* is a set of pushdown threads over one shared state. This crate says what a
//! system is, what a state is, and what a step is. Nothing here searches and nothing reads or
//! writes files: every explorer, every check of evidence and the simulator are built on the one
//! function [`step`].
//!
//! ```
//! use selvedge_model::{Tables, Word, step, ThreadId};
//! // Two shared states; one thread with a single symbol that is popped in shared state 0.
//! let mut tables = Tables::builder();
//! let [idle, done] = [tables.shared("idle"), tables.shared("done")];
//! let worker = tables.template("worker");
//! let work = tables.symbol(worker, "work");
//! tables.rule(worker, idle, Some(work), done, Word::EMPTY);
//! tables.thread("worker", worker, vec![work]);
//! tables.initial(idle);
//! let system = tables.build();
//!
//! let start = &selvedge_model::System::initial(&system).unwrap()[0];
//! let next = step(&system, start, ThreadId(0)).unwrap();
//! assert_eq!(next.len(), 1);
//! assert!(next[0].1.threads[0].has_ended());
//! ```

mod action;
mod assign;
mod budget;
mod datum;
mod deadlock;
mod deed;
mod fair;
mod fault;
mod fused;
mod ids;
mod names;
mod noted;
mod property;
mod recursion;
mod smallest;
mod state;
mod step;
mod stubborn;
mod system;
pub mod tables;

pub use action::{Action, Origin, Spawn, Word};
pub use assign::can_assign;
pub use budget::{Budget, Meter, Pace, Patience, Stop};
pub use datum::{Datum, Values};
pub use deadlock::{Heads, Waiting};
pub use deed::{Awaited, Cell, Deed, Touched};
pub use fair::{Endless, FairChoice, FairPlace, Fairness};
pub use fault::Fault;
pub use fused::{Conditions, Fused, Guard, Local, Movers};
pub use ids::{PlaceId, SharedId, SymbolId, TemplateId, ThreadId};
pub use names::Name;
pub use noted::{is_of_runs, of_runs};
pub use property::{Pattern, Property, StackPattern, ThreadAt, TopPattern};
pub use recursion::{calls_itself, strong_parts};
pub use smallest::{NotUpward, smallest_violations};
pub use state::{Stack, State, Thread, VisibleState};
pub use step::{advance, advance_in_place, enabled, is_forgotten, is_initial, step, step_with};
pub use stubborn::{Choose, Interference, Standing, Stubborn, Watched};
pub use system::{Access, Describe, Explanation, GOES_WRONG, Keys, Step, System, ThreadInfo};
pub use tables::{Rule, Tables, TablesBuilder};
