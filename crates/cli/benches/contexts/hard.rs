//! The hard family: each program grows until it takes about a minute, or there is no answer. What
//! takes that long is not run with its fault as well.

use super::run::{Row, answer, repository};

/// A program has grown enough when a run takes this many seconds.
const ENOUGH: f64 = 45.0;

/// A program and the sizes that it is run with, in rising order.
struct Family {
    file: &'static str,
    /// How long a run may take.
    timeout: &'static str,
    sizes: &'static [&'static [&'static str]],
}

const FAMILIES: [Family; 5] = [
    Family {
        file: "work-stealing",
        timeout: "150s",
        sizes: &[
            &["--const", "TASKS=3"],
            &["--const", "TASKS=16"],
            &["--const", "TASKS=4", "--threads", "thief=2"],
            &["--const", "TASKS=4", "--threads", "thief=3"],
            &["--const", "TASKS=6", "--threads", "thief=3"],
            &["--const", "TASKS=7", "--threads", "thief=3"],
        ],
    },
    Family {
        file: "tree-walk",
        timeout: "150s",
        sizes: &[
            &["--const", "NODES=3"],
            &["--const", "NODES=7"],
            &["--const", "NODES=3", "--threads", "walker=3"],
            &["--const", "NODES=7", "--threads", "walker=3"],
            &["--const", "NODES=4", "--threads", "walker=5"],
            &["--const", "NODES=5", "--threads", "walker=5"],
        ],
    },
    Family {
        file: "reentrant-lock",
        timeout: "150s",
        sizes: &[
            &["--const", "N=2"],
            &["--const", "N=4"],
            &["--const", "N=5"],
            &["--const", "N=6"],
            &["--const", "N=6", "--const", "DEPTH=6"],
        ],
    },
    Family {
        file: "mutual-recursion",
        timeout: "150s",
        sizes: &[
            &["--const", "N=3", "--const", "M=4"],
            &["--const", "N=8", "--const", "M=32"],
            &["--const", "N=9", "--const", "M=40"],
            &["--const", "N=10", "--const", "M=36"],
        ],
    },
    // With recursion of any depth there is no proof for M = 2, however long it takes.
    Family {
        file: "mutual-recursion",
        timeout: "30s",
        sizes: &[
            &["--const", "N=2", "--const", "M=1", "--const", "ANY_DEPTH=true"],
            &["--const", "N=2", "--const", "M=2", "--const", "ANY_DEPTH=true"],
        ],
    },
];

/// Every program, larger and larger; and each one with its fault.
pub fn family(print: &mut dyn FnMut(Row)) {
    for Family { file, timeout, sizes } in FAMILIES {
        let path = repository("examples/hard").join(file).with_extension("weave");
        let path = path.display().to_string();
        for sizes in sizes {
            for fault in [false, true] {
                let mut arguments = vec!["verify", &path];
                arguments.extend(["--timeout", timeout, "--memory", "4GiB"]);
                arguments.extend_from_slice(sizes);
                if fault {
                    arguments.extend(["--const", "BUG=true"]);
                }
                let words: Vec<&str> =
                    sizes.iter().copied().filter(|word| !word.starts_with("--")).collect();
                let with = if fault { " with fault" } else { "" };
                let case = format!("{file} {}{with}", words.join(" "));
                let (row, is_enough) = match answer(&arguments) {
                    Ok((measured, note, verdict)) => {
                        let is_enough = verdict == "unknown" || measured.time > ENOUGH;
                        (Row { case, measured: Some(measured), note }, is_enough)
                    }
                    Err(why) => (Row::skipped(&case, &why), true),
                };
                print(row);
                if is_enough && !fault {
                    break;
                }
            }
        }
    }
}
