//! Tests of programs as formulas. One program, since each would link all that is tested.

mod refusals;
mod steps;
