//! Tests of the library: questions, answers, evidence. One program, since each would link all that is tested.

mod awaited;
mod c_deadlocks;
mod c_dropped;
mod c_lengths;
mod c_memory;
mod c_oracle;
mod c_overflow;
mod c_programs;
mod c_races;
mod c_reach;
mod c_standard;
mod c_values;
mod coverage;
mod engines;
mod evidence;
mod fewest;
mod forged;
mod near;
mod parts;
mod questions;
mod reduced;
mod started;
mod walk;
mod why;
