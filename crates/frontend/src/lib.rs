//! # Front ends
//!
//! Text in, programs and tables out; or *all* that is wrong with the text, each with its place
//! and a hint. One folder a language:
//!
//! - [`weave`]: the project's own language;
//! - [`bp`]: Boolean programs, in the SATABS and the classic dialect;
//! - [`c`]: C with POSIX threads; [`task`] reads the files in which the field asks about it;
//! - [`tables`]: `.pds` with `.init` and `.spec`, the self-contained `.cpds`, and `.tts` with
//!   `.prop`.
//!
//! [`target`] reads what the command line says that a program must not reach.
//!
//! `.weave` and `.bp` share one untyped tree ([`syntax`]) and one checker ([`check`]), which
//! turns it into a typed [`selvedge_program::Program`].
//!
//! No parser panics, whatever the input: nesting is limited, numbers have any size, and bytes
//! that are not UTF-8 are reported with their place.
//!
//! ```
//! use selvedge_frontend::{Input, LoadError, LoadOptions, parse};
//!
//! let options = LoadOptions::default();
//! let text = "bool b := false; void main() { b := true; } thread main;".to_owned();
//! let Input::Program { program, .. } = parse("one.weave".as_ref(), text, &options)? else { panic!() };
//! assert_eq!(program.globals[0].name, "b");
//!
//! let text = "void main() { c := true; } thread main;".to_owned();
//! let Err(LoadError::Invalid(wrong)) = parse("two.weave".as_ref(), text, &options) else { panic!() };
//! println!("{wrong}"); // the line, what is wrong, and what to do about it
//! # Ok::<(), LoadError>(())
//! ```

pub mod bp;
pub mod c;
pub mod check;
mod cursor;
mod diagnostic;
#[cfg(test)]
#[path = "../tests/effort.rs"]
mod effort;
mod foreign;
mod load;
mod parts;
pub mod syntax;
pub mod tables;
pub mod target;
pub mod task;
pub mod testing;
pub mod weave;

pub use diagnostic::{Diagnostic, Diagnostics, Fix, Label, Severity};
pub use load::{
    Beyond, Draft, Input, LoadError, LoadOptions, draft, draft_c, explain, files, has_known_ending,
    included, load, needs_preprocessing, parse, read_text, reread, show_path,
};
