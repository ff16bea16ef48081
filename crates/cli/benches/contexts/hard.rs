//! The hard family: each program grows until it takes about a minute, or there is no answer. What
//! takes that long is not run with its fault as well.

use super::run::{Row, answer, repository};

/// What a run may use.
const LIMITS: [&str; 4] = ["--timeout", "90s", "--memory", "4GiB"];

/// A program has grown enough when a run takes this many seconds.
const ENOUGH: f64 = 45.0;

/// A program and the sizes that it is run with, in rising order.
struct Family {
    file: &'static str,
    sizes: &'static [&'static [&'static str]],
}

const FAMILIES: [Family; 5] = [
    Family {
        file: "work-stealing",
        sizes: &[
            &["--const", "TASKS=3"],
            &["--const", "TASKS=16"],
            &["--const", "TASKS=4", "--threads", "thief=2"],
            &["--const", "TASKS=12", "--threads", "thief=2"],
            &["--const", "TASKS=4", "--threads", "thief=3"],
            &["--const", "TASKS=6", "--threads", "thief=3"],
            &["--const", "TASKS=4", "--threads", "thief=4"],
            &["--const", "TASKS=6", "--threads", "thief=4"],
        ],
    },
    Family {
        file: "tree-walk",
        sizes: &[
            &["--const", "NODES=3"],
            &["--const", "NODES=7"],
            &["--const", "NODES=3", "--threads", "walker=3"],
            &["--const", "NODES=15"],
            &["--const", "NODES=7", "--threads", "walker=3"],
            &["--const", "NODES=3", "--threads", "walker=4"],
            &["--const", "NODES=3", "--threads", "walker=5"],
            &["--const", "NODES=7", "--threads", "walker=4"],
        ],
    },
    Family {
        file: "reentrant-lock",
        sizes: &[
            &["--const", "N=2"],
            &["--const", "N=4"],
            &["--const", "N=4", "--const", "DEPTH=8"],
            &["--const", "N=5"],
            &["--const", "N=6"],
            &["--const", "N=7"],
        ],
    },
    Family {
        file: "mutual-recursion",
        sizes: &[
            &["--const", "N=3", "--const", "M=4"],
            &["--const", "N=8", "--const", "M=32"],
            &["--const", "N=16", "--const", "M=64"],
            &["--const", "N=24", "--const", "M=128"],
            &["--const", "N=32", "--const", "M=256"],
        ],
    },
    Family {
        file: "mutual-recursion",
        sizes: &[
            &["--const", "N=2", "--const", "M=1", "--const", "ANY_DEPTH=true"],
            &["--const", "N=2", "--const", "M=2", "--const", "ANY_DEPTH=true"],
        ],
    },
];

/// Every program, larger and larger; and each one with its fault.
pub fn family(print: &mut dyn FnMut(Row)) {
    for Family { file, sizes } in FAMILIES {
        let path = repository("examples/hard").join(file).with_extension("weave");
        let path = path.display().to_string();
        for sizes in sizes {
            for fault in [false, true] {
                let mut arguments = vec!["verify", &path];
                arguments.extend_from_slice(&LIMITS);
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
