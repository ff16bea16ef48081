//! Tests of the parser: what it understands (as compact trees), what it says to mistakes, and
//! what it does with texts that nobody would write.

mod limits;
mod mistakes;
mod show;
mod soup;
mod trees;
