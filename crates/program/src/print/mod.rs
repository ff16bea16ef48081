//! # Printing programs
//! A typed program as text that the parsers accept again.

mod bp;
mod c;
mod expr;
mod names;
#[cfg(test)]
mod tests;
mod weave;
mod weave_statements;

pub use bp::{BP_KEYWORDS, NotBoolean, bp};
pub use c::{NotC, c};
pub(crate) use expr::tells_type;
pub use names::{RESERVED_WORDS, WORDS_BEFORE_NAMES};
pub use weave::weave;
