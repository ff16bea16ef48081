//! Tests of the theory: engines against the naive enumerator, papers, corpora. One program, since each would link all that is tested.

mod above;
mod any_number;
mod behind;
mod booleans;
mod configurations;
mod corpus;
mod deadlocks;
mod delays;
#[path = "../../frontend/tests/effort.rs"]
mod effort;
mod engine;
mod fair;
mod footprints;
mod forged;
mod full;
mod fused;
mod lowering;
mod machine_integers;
mod naive_corpus;
mod oracle;
mod papers;
mod places;
mod pools;
mod random_systems;
mod recursive_threads;
mod reduction;
mod rounds;
mod semantic_round_trips;
mod sequentialize;
mod shown;
mod started_threads;
mod support;
mod synchronisation;
mod tabulate_round_trip;
