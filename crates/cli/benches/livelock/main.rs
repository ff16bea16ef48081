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
const SECTIONS: [(&str, fn()); 3] =
    [("philosophers", philosophers), ("many", many), ("examples", examples)];

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

/// A lasso with so many rounds for the stem and the period.
fn lasso(section: &str, case: &str, file: &str, rounds: (&str, &str), more: &[&str]) {
    let path = repository("examples/livelock").join(file).display().to_string();
    let mut arguments = vec!["livelock", &path, "--engine", "rounds"];
    arguments.extend(["--stem", rounds.0, "--lasso", rounds.1, "--timeout", "600s"]);
    arguments.extend(more);
    println!("| {section} {}", selvedge(case, &arguments));
}

fn dine(section: &str, n: u32) {
    let (case, number) = (format!("N = {n}"), format!("N={n}"));
    lasso(section, &case, "fig3a-philosophers.weave", ("1", "1"), &["--const", &number]);
}

/// Fig. 3d: published are 3.43 s for 2 philosophers and 43.54 s for 10.
fn philosophers() {
    (2..=10).for_each(|n| dine("philosophers", n));
}

fn many() {
    [20, 30].into_iter().for_each(|n| dine("many", n));
}

fn examples() {
    lasso("examples", "Fig. 1b", "fig1b.weave", ("1", "1"), &[]);
    lasso("examples", "Fig. 1c", "fig1c.weave", ("1", "2"), &[]);
    lasso("examples", "Fig. 3b", "fig3b-optimistic-list.weave", ("1", "2"), &[]);
}
