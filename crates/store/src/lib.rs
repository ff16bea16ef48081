//! # The store
//! What explorers keep: things that have a number ([`Interner`], [`Lists`]), states that were reached
//! ([`StateSet`]), moves that were found once ([`Moves`]), where a state came from ([`Links`]). It
//! knows numbers and rows of bits, and nothing of programs.
//!
//! - **Ids are checked.** An id is given in the order in which things come, and no id ever stands
//!   for two things: when there are no more, the answer is [`Full`].
//! - **States are stored whole.** A hash says where to look, never what is there.
//! - **Hashes are the same** in every run, in every process and on every machine ([`hash`]).
//! - **Memory is counted in one place**: everything here says how many bytes it takes ([`Bytes`]).
//! - **Several workers** look states up side by side ([`StateSet::sift`], [`Crew`]), and the numbers do not depend on how many they are; one worker alone pays nothing for that.
//!
//! ```
//! use selvedge_store::{Full, Interner, StateSet};
//!
//! # fn main() -> Result<(), Full> {
//! let mut names: Interner<&str> = Interner::of("names");
//! assert_eq!(names.intern("warp")?, names.intern("warp")?);
//! assert_ne!(names.intern("warp")?, names.intern("weft")?);
//!
//! let mut states = StateSet::default();
//! assert_eq!(states.insert(&[3, 1, 4])?, (0, true));
//! assert_eq!(states.insert(&[1, 5, 9])?, (1, true));
//! assert_eq!(states.insert(&[3, 1, 4])?, (0, false));
//! assert_eq!(states.get(1)[..], [1, 5, 9]);
//! # Ok(())
//! # }
//! ```

mod batch;
mod bytes;
mod columns;
mod crew;
pub mod hash;
mod id;
mod interner;
mod links;
mod lists;
mod moves;
mod rows;
mod set;
mod table;

pub use batch::Batch;
pub use bytes::{Bytes, total};
pub use columns::{Column, Columns, Row};
pub use crew::Crew;
pub use id::{Full, Id, Slot, number};
pub use interner::Interner;
pub use links::Links;
pub use lists::Lists;
pub use moves::Moves;
pub use rows::Word;
pub use set::{Arrival, Sifted, StateSet, Tell};
