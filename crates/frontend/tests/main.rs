//! Tests of texts to programs and tables. One program, since each would link all that is tested.

mod c_mistakes;
mod check_diagnostics;
mod check_programs;
mod corpus;
mod corpus_bp;
mod corpus_c;
mod corpus_c_types;
mod corpus_tables;
mod effort;
mod load_tables;
mod mutations;
mod print_keeps_structure;
mod program_targets;
mod round_trip_bp;
mod round_trip_weave;
