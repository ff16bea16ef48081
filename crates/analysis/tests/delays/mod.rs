//! Rounds and delays [Johnson, Wahl 2021].

mod answers;
mod corpus;
mod exact;
mod interchanged;
mod lemma9;
mod papers;
mod portfolio;
mod published;
mod workers;
use crate::support;
