//! Explores a program round by round: `cargo run --release --example rounds FILE K near|lazy|eager|all`.

use std::time::Instant;

use selvedge_analysis::Budget;
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_program::{Lowering, ThreadCounts};
use selvedge_sequential::{Calls, Guesses, Options, Rounds};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let rounds: usize = args[2].parse().expect("a number of rounds");
    let options = match args[3].as_str() {
        "eager" => Options { guesses: Guesses::Eager, calls: Calls::Lazy },
        "all" => Options { guesses: Guesses::Eager, calls: Calls::Eager },
        "near" => Options { guesses: Guesses::Near, calls: Calls::Lazy },
        _ => Options::default(),
    };
    let mut counts = ThreadCounts::new();
    for count in &args[4..] {
        let (name, number) = count.split_once('=').expect("NAME=N");
        counts.insert(name.to_owned(), number.parse().expect("a number"));
    }
    let Ok(Input::Program { program, source, .. }) =
        load(args[1].as_ref(), &LoadOptions::default())
    else {
        panic!("not a program")
    };
    let lowering = Lowering::new(program, source, &counts).expect("lowered");
    let start = Instant::now();
    let mut engine = Rounds::new(&lowering, rounds, options, &Budget::default()).expect("starts");
    for _ in 0..rounds {
        let violation = engine.advance().expect("goes on");
        let seen = engine.seen().last().expect("a round");
        println!(
            "{:2} rounds: {:?} shared states, {} nodes, {} MB, {:.3} s{}",
            seen.rounds,
            seen.shared,
            engine.space.bdds.live_nodes(),
            engine.space.bdds.peak_bytes() >> 20,
            start.elapsed().as_secs_f64(),
            violation.map_or(String::new(), |v| format!(
                ", thread {} goes wrong in round {}",
                v.thread, v.rounds
            )),
        );
        if violation.is_some() {
            break;
        }
    }
}
