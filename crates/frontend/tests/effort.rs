//! How long a thread computes, whatever else the machine does meanwhile: what a test claims of speed must not depend on the clock.

use std::fmt::Display;
use std::fs;
use std::time::Duration;

/// How long this thread has computed so far; `None` where there is no `/proc` that tells.
fn computed() -> Option<Duration> {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// Runs something that may compute for so long at most.
pub fn within<T>(most: Duration, what: impl Display, run: impl FnOnce() -> T) -> T {
    let before = computed();
    let result = run();
    match before.zip(computed()) {
        Some((before, after)) => {
            let took = after.saturating_sub(before);
            assert!(took < most, "{what}: {took:?}, and no more than {most:?} is allowed");
        }
        None => println!("skipped: the system does not tell how long a thread computes"),
    }
    result
}

/// How long something else takes: a measure for this machine, and for how the tests are compiled.
pub fn of<T>(run: impl FnOnce() -> T) -> Duration {
    let before = computed();
    drop(run());
    before.zip(computed()).map_or(Duration::ZERO, |(before, after)| after.saturating_sub(before))
}

#[test]
#[cfg(target_os = "linux")]
fn waiting_is_no_effort_and_counting_is() {
    let nap = || std::thread::sleep(Duration::from_millis(50));
    within(Duration::from_millis(40), "sleeping", nap);
    assert!(of(nap) < Duration::from_millis(40));
    let before = computed().expect("/proc tells");
    // The system looks at its clock now and then only.
    let mut sum = 0_u64;
    let counted = (0..200).any(|_| {
        for number in 0..3_000_000_u64 {
            sum = std::hint::black_box(sum ^ number);
        }
        computed().expect("/proc tells") > before
    });
    assert!(counted, "{sum}");
}
