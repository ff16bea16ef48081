//! # Pushdown store automata
//!
//! The set of stacks that a pushdown system can reach is regular (Büchi 1964; Theorem 1 of Qadeer
//! and Rehof). This crate computes it:
//!
//! - [`Psa`]: finite automata that accept configurations (control state, stack);
//! - [`post_star`] and [`pre_star`]: everything reachable from, and everything that can reach, a
//!   regular set of configurations, by saturation;
//! - [`Languages`]: stack languages in canonical form (minimal deterministic automata, numbered in
//!   one way only), so that two languages are equal exactly if their ids are.
//!
//! A *control state* is whatever the caller makes of it: a shared state, or a shared state with
//! more bookkeeping.

mod dfa;
mod language;
mod post;
mod pre;
mod psa;

pub use dfa::Dfa;
pub use language::{LanguageId, Languages};
pub use post::post_star;
pub use pre::{PdsRule, pre_star, pre_star_while};
pub use psa::{Control, Psa};
