//! # Evidence, held against a text
//!
//! An answer of Selvedge carries what it rests on, and this crate decides whether that holds: [`recheck`] reads a text as a
//! [`Subject`], reads evidence about it, and lets [`selvedge_evidence`] or a solver look at every part. It sees no code of
//! a search, and neither does the program `selvedge-check`, which is this crate with a command line. The command
//! `selvedge recheck` calls the same functions.
//!
//! ```
//! use selvedge_check::{RecheckOptions, InputOptions, Subject, recheck};
//! use selvedge_evidence::format::digest;
//!
//! let text = "void worker() { assert false; } thread worker;";
//! let subject = Subject::parse("wrong.weave", text, InputOptions::default())?;
//! let evidence = |steps: u32| format!(
//!     r#"{{ "selvedge": "0.1.0", "evidence": 3, "file": "wrong.weave", "digest": "{}", "options": {{}},
//!          "property": "assertions", "kind": "violation",
//!          "violation": {{ "property": 0, "contexts": 1, "schedule": ["worker * {steps}"] }} }}"#,
//!     digest(text),
//! );
//! let accepted = recheck(&subject, &evidence(1), &RecheckOptions::default())?.expect("it goes wrong");
//! assert!(accepted.checked.starts_with("unsafe: a run of 1 step in 1 context goes wrong"));
//! // It cannot go on from there.
//! assert!(recheck(&subject, &evidence(2), &RecheckOptions::default())?.is_err());
//! # Ok::<(), selvedge_check::Failure>(())
//! ```

mod c;
#[cfg(feature = "command")]
pub mod command;
mod failure;
mod memory;
mod recheck;
mod subject;
pub mod suggest;
mod views;

pub use failure::{Blame, Failure};
pub use memory::default_memory_limit;
pub use recheck::{Accepted, Claim, Held, RecheckOptions, evidence_options, recheck};
pub use subject::{Deadlocks, InputOptions, Opened, Reading, Subject, Wanted};
pub use views::Parameterized;
