//! A system as tables, written as text and read again, behaves as it did.

use std::path::Path;

use selvedge_analysis::naive::Naive;
use selvedge_analysis::{Tabulated, tabulate};
use selvedge_frontend::tables::{self, Beside, Format, TableInput};
use selvedge_model::System;
use selvedge_program::Source;

fn read(name: &str, text: &str) -> TableInput {
    let source = Source::new(name, text);
    tables::read(Format::Cpds, &source, &Beside::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// New states and new visible states at each bound.
fn levels(system: &dyn System) -> Vec<(usize, usize)> {
    let mut naive = Naive::with_limit(system, 2000).unwrap();
    let mut levels = vec![naive.level()];
    levels.extend((0..6).map_while(|_| naive.advance().ok()));
    levels.iter().map(|level| (level.new_states, level.new_visible)).collect()
}

fn check(text: &str) {
    let first = read("first.cpds", text);
    let Tabulated { tables, targets } = tabulate(&first.tables, 10_000).unwrap();
    let printed = tables::print::cpds(&tables, &targets).unwrap();
    let second = read("second.cpds", &printed);
    assert_eq!(levels(&second.tables), levels(&first.tables), "{printed}");
}

#[test]
fn tables_survive() {
    let fig1 = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/cmd/simulate.in/fig1.cpds");
    check(&std::fs::read_to_string(fig1).unwrap());
    check(
        "shared a b\ninit a\nthread w * 2 starts s t {\n a s -> b -\n b t -> a s t\n b - -> a t\n}\n",
    );
}
