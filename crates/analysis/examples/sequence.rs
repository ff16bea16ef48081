//! Prints the observation sequence of a table or program: `cargo run --release --example sequence FILE
//! [languages] [plain]`.

use std::time::Instant;

use selvedge_analysis::Budget;
use selvedge_analysis::explore::languages::Languages;
use selvedge_analysis::explore::stacks::Stacks;
use selvedge_analysis::explore::{ContextExplorer, Explorer, Locals};
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_model::System;
use selvedge_program::{Lowering, ThreadCounts};

fn run<L: Locals>(system: &dyn System, locals: L, symmetry: bool) {
    let start = Instant::now();
    let mut explorer = ContextExplorer::new(system, locals, symmetry).expect("starts");
    while !explorer.has_collapsed() && explorer.bound() < 40 {
        explorer.advance(&Budget::default()).expect("goes on");
        let o = &explorer.observations()[explorer.bound()];
        println!(
            "{:3} states {:?} visible {:?} (+{:?}) stored {} {} B/state {:.3} s",
            o.bound.count,
            o.states,
            o.visible,
            o.new_visible,
            explorer.stored().0,
            explorer.stored().1 / explorer.stored().0,
            start.elapsed().as_secs_f64()
        );
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let has = |word: &str| args.iter().any(|a| a == word);
    let system: Box<dyn System> = match load(args[1].as_ref(), &LoadOptions::default()) {
        Ok(Input::Tables { input, .. }) => Box::new(input.tables),
        Ok(Input::Program { program, source, .. }) => {
            Box::new(Lowering::new(program, source, &ThreadCounts::new()).expect("lowered"))
        }
        Err(error) => panic!("{error}"),
    };
    if has("languages") {
        run(&*system, Languages::default(), !has("plain"));
    } else {
        run(&*system, Stacks::default(), !has("plain"));
    }
}
