//! Schedules, whoever finds them: what a reader is never to see in one.

use std::path::Path;
use std::process::Command;

/// Threads that are started and never act take no part in the search, which is nobody's business: a schedule says that they never act, and
/// gives them no name.
#[test]
fn no_thread_is_dropped() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/explain.in/sort.weave");
    let ways: [&[&str]; 6] = [
        &["verify"],
        &["verify", "--full"],
        &["verify", "--format", "json"],
        &["verify", "--no-reduction"],
        &["check", "--contexts", "3"],
        &["check", "--rounds", "2", "--started", "1"],
    ];
    for way in ways {
        let done =
            Command::new(env!("CARGO_BIN_EXE_selvedge")).args(way).arg(&file).output().unwrap();
        assert_eq!(done.status.code(), Some(10), "{way:?}");
        let text = String::from_utf8(done.stdout).unwrap();
        // What is assumed is said above the schedule.
        let schedule = text.find("first state").map_or(&*text, |at| &text[at..]);
        assert!(!schedule.contains("dropped"), "{way:?}: {schedule}");
        let is_table = schedule.starts_with("first state");
        assert!(!is_table || schedule.contains("a thread that never acts"), "{way:?}: {schedule}");
    }
}
