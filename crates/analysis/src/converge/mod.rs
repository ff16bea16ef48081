//! # Convergence
//!
//! When does "nothing new under this bound" mean "nothing new under any bound"? One file a
//! theorem.
//!
//! - Repetition: a bound at which no state is new [CUBA, Lemma 7]. It needs no file: see
//!   [`crate::explore::Explorer::has_collapsed`].
//! - [`above`]: an over-approximation that does not contain the target is a proof, however far
//!   the exploration from below has come.
//! - [`heights`]: fewer states from above, where heights of stacks depend on each other.
//! - [`finite_contexts`]: whether each context reaches finitely many states [CUBA, Thm. 17].
//! - [`closure`]: a plateau in rounds and delays, and abstract states that are closed under the
//!   actions that depend on what is hidden [Johnson, Wahl 2021, Thm. 7].
//! - [`generators`]: a plateau with all possible generators seen [CUBA, Thm. 11, Alg. 3].

pub mod above;
pub mod closure;
pub mod finite_contexts;
pub mod generators;
pub mod heights;
