//! Tests of invariants over predicates. One program, since each would link all that is tested.

mod bounds;
mod calls;
mod laws;
mod one_thread;
mod paper;
mod procedures;
mod protocols;
mod random;
mod rounds;
mod solvers;
mod support;
mod targets;
