//! # Pushdown store automata
//!
//! The set of stacks that a pushdown system can reach is regular (Büchi 1964; Theorem 1 of Qadeer
//! and Rehof). This crate computes it:
//!
//! - [`Psa`]: finite automata that accept configurations (control state, stack);
//! - [`post_star`] and [`pre_star`]: everything reachable from, and everything that can reach, a
//!   regular set of configurations, by saturation;
//! - [`shortest_run`]: by which rules one configuration is reached from a regular set of them;
//! - [`Languages`]: stack languages in canonical form (minimal deterministic automata, numbered in
//!   one way only), so that two languages are equal exactly if their ids are.
//!
//! A *control state* is whatever the caller makes of it: a shared state, or a shared state with
//! more bookkeeping.
//!
//! ```
//! use selvedge_automata::{Control, Dfa, Psa, post_star};
//! use selvedge_model::{SymbolId, Word};
//!
//! // ⟨q | a⟩ → ⟨q | a b⟩ and ⟨q | a⟩ → ⟨q | ε⟩: each `b` is a call that has not returned.
//! let (q, a, b) = (Control(0), SymbolId(0), SymbolId(1));
//! let start = Psa::of_language(q, &Dfa::word([a]));
//! let reached = post_star(start, |_, top, moves| {
//!     if top == Some(a) {
//!         moves.extend([(q, Word::Push { top: a, under: b }), (q, Word::Pop)]);
//!     }
//!     Ok::<(), ()>(())
//! })
//! .unwrap();
//! assert!(reached.accepts(q, [a, b, b, b]) && reached.accepts(q, [b, b]));
//! assert!(!reached.accepts(q, [b, a]));
//! ```

mod dfa;
mod language;
mod post;
mod pre;
mod psa;
mod run;

pub use dfa::Dfa;
pub use language::{LanguageId, Languages};
pub use post::post_star;
pub use pre::{PdsRule, pre_star, pre_star_while};
pub use psa::{Control, Psa};
pub use run::{PdsRun, shortest_run};
