//! # The benchmark of rounds
//! Runs everything that the speed of summaries is judged by, each case in a process of its own, and
//! prints one table: `scripts/bench-rounds [SECTION …]`. The sections stand in [`cases`]; what a
//! run is and what is measured in [`run`]; programs are made by [`generate`].

mod cases;
mod generate;
mod run;
#[path = "../../../../benches/timed.rs"]
mod timed;

use run::Row;

/// Runs its cases and hands over a row for each.
type Section = fn(&mut dyn FnMut(Row));

/// The sections of the table, in order.
const SECTIONS: [(&str, Section); 6] = [
    ("bluetooth", cases::bluetooth),
    ("pushdown", cases::pushdown),
    ("generated", cases::generated),
    ("threads", cases::threads),
    ("guesses", cases::guesses),
    ("calls", cases::calls),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == run::CHILD) {
        return run::child(&arguments[1..]);
    }
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
            section(&mut |row| println!("| {name} {row}"));
        }
    }
}
