//! # Printing programs
//! A typed program as text that the parsers accept again.

mod bp;
mod weave;

pub use bp::{BP_KEYWORDS, NotBoolean, bp};
pub use weave::weave;
