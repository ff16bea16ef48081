//! # Rounds and delays, measured
//! The systems of Tables 2 and 3 of Johnson and Wahl (CAV 2021), beside what the paper prints, and
//! beside the explicit context engine: `scripts/bench-delays [--limit SECONDS] [NAME …]`. Every run is a
//! process of its own, and is ended after so many seconds. All states are explored, whatever the
//! targets of the files are. With `--orders N`, how often which numbers come up if the published
//! algorithm takes states in N random orders, within the rounds and past them.
//!
//! *Published* is the algorithm of the paper as the tests have it, with the top two symbols of each
//! stack and a plateau of n delays; it is wrong in general (see decision record 0018), and written to
//! be read, not for speed. *Delays* is the engine, *contexts* the explicit exploration of contexts; both
//! with and without interchanging threads that are alike (*symmetry*).

mod one;
mod paper;
#[path = "../../../analysis/tests/delays/published.rs"]
mod published;
#[path = "../../../../benches/timed.rs"]
mod timed;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use paper::{PAPER, Published};
use timed::timed;

const TITLES: &str = "\
| system | engine | \\|R̄\\| (paper) | r, d (paper) | images → plateau, on it (paper) | states | time s | CPU s | \
memory MiB | states/CPU s | bytes/state |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";

const ORDER_TITLES: &str = "\
| system | past the last round | r, d (paper) | images → plateau, on it (paper) | orders |
| --- | --- | ---: | ---: | ---: |";

/// Seconds after which a run is ended, unless others are asked for.
const LIMIT: &str = "120";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--test") {
        return;
    }
    if let [mark, engine, file] = &arguments[..]
        && mark == "one"
    {
        one::run(engine, Path::new(file));
        return;
    }
    let (mut limit, mut orders, mut wanted) = (LIMIT.to_owned(), None, Vec::new());
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--limit" => limit = rest.next().unwrap_or(limit),
            "--orders" => orders = rest.next().and_then(|n| n.parse::<u64>().ok()),
            other if other.starts_with('-') => {}
            _ => wanted.push(argument),
        }
    }
    println!("{}", if orders.is_some() { ORDER_TITLES } else { TITLES });
    for row in PAPER {
        if !wanted.is_empty() && !wanted.iter().any(|name| row.name.starts_with(name.as_str())) {
            continue;
        }
        let Some(file) = file(row.name) else {
            println!("| {} | skipped: the corpus is not beside this repository |", row.name);
            continue;
        };
        match orders {
            Some(orders) => print!("{}", in_orders(&row, orders, &file, &limit)),
            None => {
                for engine in one::ENGINES {
                    println!("{}", measure(&row, engine, &file, &limit));
                }
            }
        }
    }
}

fn file(name: &str) -> Option<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/cpds");
    let family = name.rsplit_once('-').map_or(name, |(family, _)| family);
    let places = [corpus.join("pldi18").join(family), corpus.join("scaled")];
    places.into_iter().map(|place| place.join(name).with_extension("pds")).find(|p| p.exists())
}

/// Lines of the table of orders, the most frequent numbers first.
fn in_orders(row: &Published, orders: u64, file: &Path, limit: &str) -> String {
    let program = std::env::current_exe().unwrap_or_default();
    let mut text = String::new();
    for past in ["within", "past"] {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for seed in 0..orders {
            let order = format!("{}{seed} {past}", one::ORDER);
            let (program, file) = (program.to_string_lossy(), file.to_string_lossy());
            let found = timed(&["timeout", limit, &program, "one", &order, &file]);
            let found = found.ok().and_then(|(stdout, ..)| one::Result::read(&stdout));
            let numbers = found.and_then(|found| found.bound.zip(found.images));
            let numbers = numbers.map_or("not in time | ".to_owned(), |((r, d), (a, b))| {
                format!("{r}, {d} ({}) | {a}, {b} ({})", row.bound, row.images)
            });
            *seen.entry(numbers).or_default() += 1;
        }
        let mut seen: Vec<_> = seen.into_iter().collect();
        seen.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        for (numbers, count) in seen {
            text += &format!("| {} | {past} | {numbers} | {count} |\n", row.name);
        }
    }
    text
}

/// A line of the table.
fn measure(row: &Published, engine: &str, file: &Path, limit: &str) -> String {
    let program = std::env::current_exe().unwrap_or_default();
    let command =
        ["timeout", limit, &program.to_string_lossy(), "one", engine, &file.to_string_lossy()];
    let name = row.name;
    let start = Instant::now();
    let result = match timed(&command) {
        Ok((stdout, _, cpu)) => one::Result::read(&stdout).map(|result| (result, cpu)),
        Err(_) => None,
    };
    let Some((result, cpu)) = result else {
        let in_time = limit.parse().is_ok_and(|limit| start.elapsed().as_secs_f64() < limit);
        let why = if in_time { "no answer: infinite" } else { "not in time" };
        return format!("| {name} | {engine} | | | {why} | | | | | | |");
    };
    let one::Result { abstract_states, bound, images, states, time, memory } = result;
    let seen = abstract_states.map_or(String::new(), |n| format!("{n} ({})", row.abstract_states));
    let bound = bound.map_or(String::new(), |(r, d)| format!("{r}, {d} ({})", row.bound));
    let images = images.map_or(String::new(), |(a, b)| format!("{a}, {b} ({})", row.images));
    // What is too short has no rate, and what is too small no share of the memory.
    let rate = if cpu >= 0.05 { format!("{:.0}", states as f64 / cpu) } else { "-".to_owned() };
    let share = if states >= 10_000 { (memory / states).to_string() } else { "-".to_owned() };
    let memory = memory as f64 / f64::from(1 << 20);
    format!(
        "| {name} | {engine} | {seen} | {bound} | {images} | {states} | {time:.2} | {cpu:.2} | \
         {memory:.1} | {rate} | {share} |"
    )
}
