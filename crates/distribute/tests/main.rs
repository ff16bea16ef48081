//! Tests of several workers: of one process, of several over loopback, and of runs that go on.

mod local;
mod loopback;
mod resume;
mod violations;
