//! # The benchmark
//! Runs everything that speed is judged by, each case in a process of its own, and prints one
//! table: `scripts/bench-contexts [SECTION …]`. The sections stand in [`cases`]; what a run is and
//! what is measured in [`run`]; the rival in [`spin`].

mod cases;
mod hard;
mod run;
mod spin;
#[path = "../../../../benches/timed.rs"]
mod timed;

use run::Row;

/// Runs its cases and hands over a row for each.
type Section = fn(&mut dyn FnMut(Row));

/// The sections of the table, in order.
const SECTIONS: [(&str, Section); 7] = [
    ("published", cases::published),
    ("scaled", cases::scaled),
    ("filter", cases::filter),
    ("contexts", cases::growth_with_contexts),
    ("threads", cases::growth_with_threads),
    ("cores", cases::cores),
    ("hard", hard::family),
];

fn main() {
    // `cargo bench` and `cargo test --benches` add options of their own.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    if let Some(name) = wanted.iter().find(|name| SECTIONS.iter().all(|(known, _)| known != name)) {
        let known = SECTIONS.map(|(name, _)| name).join(", ");
        eprintln!("there is no section `{name}`; there are {known}");
        std::process::exit(64);
    }
    println!("{}", Row::TITLES);
    for (name, section) in SECTIONS {
        if wanted.is_empty() || wanted.iter().any(|w| w == name) {
            section(&mut |row| println!("| {name} {row}"));
        }
    }
}
