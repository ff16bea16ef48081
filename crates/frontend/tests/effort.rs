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
    if let (Some(before), Some(after)) = (before, computed()) {
        let took = after.saturating_sub(before);
        assert!(took < most, "{what}: {took:?}");
    }
    result
}

#[test]
#[cfg(target_os = "linux")]
fn waiting_is_no_effort_and_counting_is() {
    within(Duration::from_millis(40), "sleeping", || std::thread::sleep(Duration::from_millis(50)));
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
