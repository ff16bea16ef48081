//! Tests of the program, from outside. One program, since each would link all that is tested.

mod bench;
mod book;
mod c;
mod check_program;
mod cluster;
mod compiler;
mod connections;
mod convert;
mod evidence;
mod examples;
mod files;
mod hostile;
mod lsp;
mod page;
mod predicates;
mod processes;
mod schedules;
mod schema;
mod strangers;
mod suite;
mod transcripts;
mod witness;
