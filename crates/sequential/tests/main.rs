//! Tests of summaries, and concurrency as data. One program, since each would link all that is tested.

mod certificates;
mod livelock;
mod livelock_random;
mod programs;
mod random;
mod sequentialized;
mod sequentialized_livelocks;
