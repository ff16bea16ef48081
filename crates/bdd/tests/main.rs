//! Tests of decision diagrams. One program, since each would link all that is tested.

mod growth;
mod truth_tables;
