//! # Programs
//!
//! A [`Program`] is what the front ends produce: typed, resolved, structured. It knows nothing
//! of files or languages. From here it goes two ways:
//!
//! - [`flow`] turns it into a flow graph of commands, and [`Lowering`] runs that graph on the fly
//!   as a [`selvedge_model::System`] of pushdown threads: shared states and stack symbols are
//!   interned as they are met, nothing is enumerated up front;
//! - [`mod@print`] writes it as `.weave` or `.bp` text again.
//!
//! ```
//! use std::sync::Arc;
//! use selvedge_frontend::{Input, LoadOptions, parse};
//! use selvedge_model::{System, ThreadId, step};
//! use selvedge_program::{Lowering, ThreadCounts, print};
//!
//! let text = "int[0..9] n := 3; void main() { n := n * 2; assert n < 6; } thread main;".to_owned();
//! let input = parse("six.weave".as_ref(), text, &LoadOptions::default()).unwrap();
//! let Input::Program { program, source, .. } = input else { panic!() };
//! println!("{}", print::weave(&program));
//!
//! let system = Lowering::new(program, source, &ThreadCounts::default()).unwrap();
//! let start = &system.initial().unwrap()[0];
//! let (_, doubled) = &step(&system, start, ThreadId(0)).unwrap()[0];
//! assert_eq!(system.describe().show_shared(doubled.shared), "n=6");
//! let (_, wrong) = &step(&system, doubled, ThreadId(0)).unwrap()[0];
//! assert!(system.wrong(wrong.shared).unwrap().contains("assertion failed"));
//! ```

mod attempt;
mod booleans;
pub mod compile;
mod explicit;
pub mod flow;
pub mod inline;
mod lower;
pub mod make;
mod names;
mod operators;
mod outline;
pub mod own;
pub mod pool;
pub mod print;
mod program;
pub mod sequentialize;
pub mod slots;
mod source;
pub mod sync;
pub mod telling;
pub mod testing;
mod types;
mod visit;
mod walk;

pub use booleans::to_booleans;
pub use compile::Undefined;
pub use lower::stubborn::Threads as Interfering;
pub use lower::{Assertion, Coverage, LowerError, Lowering, ThreadCounts, ThreadStart};
pub use operators::{BinaryOp, Level, Operator, Takes, UnaryOp};
pub use outline::{Outline, Statement, StatementKind};
pub use program::{
    AtomicOp, Block, Cond, Count, EnumId, EnumType, Expr, ExprKind, GlobalId, LabelId, LocalId,
    Place, Predicate, ProcId, Procedure, Program, Quantifier, Stmt, StmtKind, ThreadDecl, VarRef,
    Variable,
};
pub use selvedge_core::Value;
pub use source::{LineColumn, Source, Span};
pub use types::Type;
