//! Tests of any number of threads. One program, since each would link all that is tested.

mod random;
mod satabs;
