//! # The benchmark of livelocks
//! Runs the examples of Atig, Bouajjani, Emmi and Lal, each in a process of its own, and prints one
//! table: `scripts/bench-livelock [SECTION …]`.

#[path = "../contexts/run.rs"]
#[allow(dead_code, reason = "shared with another benchmark, which uses all of it")]
mod run;
#[path = "../../../../benches/timed.rs"]
mod timed;

use run::{Row, repository, selvedge};

/// The sections of the table, in order.
const SECTIONS: [(&str, fn()); 4] = [
    ("philosophers", philosophers),
    ("many", many),
    ("examples", examples),
    ("assertions", assertions),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo bench` and `cargo test --benches` add options of their own.
    let wanted: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    if arguments.iter().any(|argument| argument == "--test") {
        return;
    }
    if let Some(name) = wanted.iter().find(|name| SECTIONS.iter().all(|(known, _)| known != **name))
    {
        let known = SECTIONS.map(|(name, _)| name).join(", ");
        eprintln!("there is no section `{name}`; there are {known}");
        std::process::exit(64);
    }
    println!("{}", Row::TITLES);
    for (name, section) in SECTIONS {
        if wanted.is_empty() || wanted.iter().any(|w| *w == name) {
            section();
        }
    }
}

/// One question with a limit of ten minutes.
fn ask(section: &str, case: &str, file: &str, more: &[&str]) {
    let path = repository("examples/livelock").join(file).display().to_string();
    let mut arguments = vec!["livelock", &path, "--timeout", "600s"];
    arguments.extend(more);
    println!("| {section} {}", selvedge(case, &arguments));
}

/// A lasso with so many rounds for the stem and the period.
fn lasso(section: &str, case: &str, file: &str, rounds: (&str, &str), more: &[&str]) {
    let rounds = ["--engine", "rounds", "--stem", rounds.0, "--lasso", rounds.1];
    ask(section, case, file, &[&rounds, more].concat());
}

fn dine(section: &str, n: u32) {
    let (case, number) = (format!("N = {n}"), format!("N={n}"));
    lasso(section, &case, "fig3a-philosophers.weave", ("1", "1"), &["--const", &number]);
}

/// Fig. 3d: published are 3.43 s for 2 philosophers and 43.54 s for 10.
fn philosophers() {
    (2..=10).for_each(|n| dine("philosophers", n));
}

/// The default beside single engines; the exact one lists states without end from ten on.
fn many() {
    for n in [10, 30, 60, 100] {
        let number = format!("N={n}");
        for engine in ["auto", "rounds"] {
            let case = format!("N = {n}, {engine}");
            let more = ["--const", &number, "--engine", engine];
            ask("many", &case, "fig3a-philosophers.weave", &more);
        }
    }
    let more = ["--const", "N=6", "--engine", "exact"];
    ask("many", "N = 6, exact", "fig3a-philosophers.weave", &more);
}

fn examples() {
    lasso("examples", "Fig. 1b", "fig1b.weave", ("1", "1"), &[]);
    lasso("examples", "Fig. 1c", "fig1c.weave", ("1", "2"), &["--none-ended"]);
    ask("examples", "Fig. 3b, auto", "fig3b-optimistic-list.weave", &[]);
    lasso("examples", "Fig. 3b, none in 1 + 1", "fig3b-optimistic-list.weave", ("1", "1"), &[]);
    lasso("examples", "Fig. 3b, none in 2 + 1", "fig3b-optimistic-list.weave", ("2", "1"), &[]);
    lasso("examples", "Fig. 3b", "fig3b-optimistic-list.weave", ("1", "2"), &[]);
    lasso("examples", "five bits", "five-bits.weave", ("1", "2"), &[]);
}

/// The third experiment: published are 11, 21 and 36 s for the livelocks and 402 s for none.
fn assertions() {
    let name = "async-assert.weave";
    for (case, more) in [
        ("not validated", "VALIDATE=false"),
        ("one bit", "VERSIONS=2"),
        ("free time-out", "FAIR=false"),
    ] {
        ask("assertions", case, name, &["--const", more]);
    }
    ask("assertions", "corrected", name, &[]);
}
