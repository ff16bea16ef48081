//! # Programs over decision diagrams
//!
//! What bits the variables of a program have ([`Space`]), and what its steps do to them ([`Steps`]), as relations. They come
//! from the machine itself: an edge is executed on the configuration in which every slot is open
//! ([`selvedge_program::Lowering::relation`]). A search follows sets of valuations with them; the check of what it found
//! ([`crate::summaries`]) applies each once. Nothing here searches.

mod layout;
mod limits;
mod order;
mod places;
mod space;
mod steps;
mod touched;

pub use layout::Layout;
pub use limits::Limits;
pub use space::{Local, Scalar, Shared, Space};
pub use steps::{EdgeRelation, Steps};
pub use touched::{Touched, Variant};

use selvedge_model::Stop;

/// The result of an operation that its budget may end.
pub type Result<T> = std::result::Result<T, Stop>;

/// Programs with fewer shared bits than this have no variables hidden, and their rounds stand one
/// after the other in the order of variables.
pub const FEW_BITS: u32 = 12;

/// The number of bits that tell `count` values apart.
#[must_use]
pub fn bits_for(count: u64) -> u32 {
    u64::BITS - count.saturating_sub(1).leading_zeros()
}
