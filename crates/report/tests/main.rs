//! Tests of answers as text. One program, since each would link all that is tested.

mod keys;
mod sarif;
mod table;
