//! The sections of the table.

use std::path::{Path, PathBuf};

use super::generate::{Size, Threads, generate};
use super::run::{Case, Measured, Row, Way};

type Rows<'a> = &'a mut dyn FnMut(Row);

/// How many seconds of processor time a run may take.
const LONG: u64 = 120;
/// The same where it is known that a run does not end.
const SHORT: u64 = 10;

/// As large as the largest program of the paper, JavaChange: 601 edges, 24 shared variables, 38
/// locals, and 24 * 5 + 38 bits of data with five rounds. Of the statements that nothing is known
/// of there, some in a hundred work on shared variables: many, or few as in compiled programs.
const LARGE: [(&str, Size); 2] = [
    ("many shared", Size { globals: 24, locals: 38, procs: 16, statements: 9, shared: 50 }),
    ("few shared", Size { globals: 24, locals: 38, procs: 14, statements: 8, shared: 10 }),
];
/// Many shared variables, for a single thread.
const WIDE: Size = Size { globals: 80, locals: 16, procs: 24, statements: 9, shared: 50 };

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Writes a program to a file.
fn written(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.weave"));
    std::fs::write(&path, text).expect("the folder of the benchmark can be written");
    path
}

/// The driver as the paper has it (BlueT of Fig. 6, 2K = 20 and 2K = 10), and with a recursive
/// counter as a third thread.
pub fn bluetooth(rows: Rows<'_>) {
    let programs = [
        ("driver-fixed", "rounds", 10),
        ("driver", "rounds", 5),
        ("bluetooth1", "bluetooth", 5),
        ("bluetooth3", "bluetooth", 10),
    ];
    for (name, folder, rounds) in programs {
        let file = repository(&format!("examples/{folder}/{name}.weave"));
        for way in [Way::Near, Way::Lazy, Way::Eager] {
            rows(Case { name, file: &file, rounds, way, seconds: LONG, threads: None }.run());
        }
    }
}

/// One pushdown system, forward and backward.
pub fn pushdown(rows: Rows<'_>) {
    let programs =
        [("bluetooth/bluetooth3", 5), ("bluetooth/bluetooth1", 5), ("locks/peterson", 5)];
    for (name, rounds) in programs {
        let file = repository(&format!("examples/{name}.weave"));
        for way in [Way::Pds, Way::Backward] {
            rows(Case { name, file: &file, rounds, way, seconds: SHORT, threads: None }.run());
        }
    }
}

/// Programs as large as the largest of the paper: the answer as the command line gives it, and
/// how far exact interfaces of all variables get.
pub fn generated(rows: Rows<'_>) {
    for (family, size) in &LARGE {
        for seed in 1..=3 {
            for bug in [true, false] {
                let name = format!("{family}, seed {seed}{}", if bug { " with bug" } else { "" });
                let text = generate(seed, size, Threads::Two { bug });
                let file = written(&format!("generated-{}-{seed}-{bug}", size.shared), &text);
                let mut ways = vec![(Way::Check, LONG)];
                if seed == 1 && !bug {
                    ways.extend([(Way::Near, SHORT), (Way::Lazy, SHORT)]);
                }
                for (way, seconds) in ways {
                    let (rounds, threads) = (5, None);
                    rows(Case { name: &name, file: &file, rounds, way, seconds, threads }.run());
                }
            }
        }
    }
}

/// The cost against the number of threads.
pub fn threads(rows: Rows<'_>) {
    for (program, rounds) in [("token", 2), ("counter", 3)] {
        let file = repository(&format!("crates/sequential/benches/programs/{program}.weave"));
        for way in [Way::Near, Way::Lazy, Way::Eager] {
            let mut points = Vec::new();
            for count in [2, 4, 8, 16] {
                let name = format!("{program}, {count} threads");
                let threads = Some(format!("worker={}", count - 1));
                let case = Case { name: &name, file: &file, rounds, way, seconds: LONG, threads };
                let row = case.run();
                points.extend(row.measured.map(|m| (f64::from(count), m)));
                rows(row);
            }
            let slope = |points: &[(f64, Measured)], of: fn(&Measured) -> f64| {
                let logs = points.iter().map(|(n, m)| (n.ln(), of(m).max(1e-3).ln()));
                slope(&logs.collect::<Vec<_>>())
            };
            let (time, memory) = (slope(&points, |m| m.cpu), slope(&points, |m| m.memory));
            let last = slope(&points[points.len().saturating_sub(2)..], |m| m.cpu);
            let note = format!(
                "CPU time grows with exponent {time:.2}, {last:.2} from 8 to 16; memory with {memory:.2}"
            );
            rows(Row::remark(&format!("{program}, {way:?}").to_lowercase(), note));
        }
    }
}

/// The slope of the straight line that is nearest to some points.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let both: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    both / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

/// Inputs of rounds that rarely occur.
pub fn guesses(rows: Rows<'_>) {
    let file = repository("crates/sequential/benches/programs/heap.weave");
    let mut run = |way, seconds| {
        let row = Case { name: "heap", file: &file, rounds: 3, way, seconds, threads: None }.run();
        rows(row.clone());
        row.measured.map_or(f64::NAN, |m| m.cpu)
    };
    let (near, lazy) = (run(Way::Near, LONG), run(Way::Lazy, LONG));
    let eager = run(Way::Eager, SHORT);
    let [near, lazy] = [near, lazy].map(|cpu| eager / cpu);
    let note =
        format!("eager takes {near:.0} times the CPU time of near, {lazy:.0} times that of lazy");
    rows(Row::remark("heap", note));
}

/// One thread: procedures for all values, or for those that they are called with.
pub fn calls(rows: Rows<'_>) {
    for seed in 1..=3 {
        let text = generate(seed, &WIDE, Threads::One);
        let file = written(&format!("sequential-{seed}"), &text);
        let name = format!("sequential, seed {seed}");
        for way in [Way::Near, Way::Eager, Way::All] {
            let seconds = SHORT;
            rows(Case { name: &name, file: &file, rounds: 1, way, seconds, threads: None }.run());
        }
    }
}
