//! How fast tables are read: generates a table of ten megabytes in memory and prints the time.
//! Run it with `cargo bench -p selvedge-frontend --bench read_tables`.

use std::fmt::Write;
use std::time::Instant;

use selvedge_frontend::tables::{Beside, Format, read};
use selvedge_program::Source;

const SIZE: usize = 10_000_000;

/// A generator of numbers that is the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % bound
    }
}

/// Rules in no order over this many shared states and symbols, for two threads.
fn table(shared: u64, symbols: u64) -> String {
    let mut numbers = Numbers(1);
    let mut text = format!("{shared}\n");
    for thread in 1..=2 {
        let _ = writeln!(text, "PDA 0 {}", symbols - 1);
        while text.len() < SIZE * thread / 2 {
            let [q, r] = [numbers.below(shared), numbers.below(shared)];
            let [a, b, c] = [(); 3].map(|()| numbers.below(symbols));
            let _ = match numbers.below(3) {
                0 => writeln!(text, "{q} {a} -> {r} -"),
                1 => writeln!(text, "{q} {a} -> {r} {b}"),
                _ => writeln!(text, "{q} {a} -> {r} {b} {c}"),
            };
        }
    }
    text
}

fn main() {
    for (shared, symbols) in [(100, 1_000), (1_000_000, 1_000_000)] {
        let text = table(shared, symbols);
        let length = text.len();
        let beside = Beside { init: Some(Source::new("--init", "0|0,0")), ..Beside::default() };
        for _ in 0..3 {
            let text = text.clone();
            let start = Instant::now();
            let source = Source::new("generated.pds", text);
            let indexed = start.elapsed();
            let input = read(Format::Pds, &source, &beside).expect("the table is well formed");
            let time = start.elapsed();
            println!(
                "{:.1} MB, {} symbols: {} ms, of which {} ms for the index of the lines",
                length as f64 / 1e6,
                input.tables.symbol_count(),
                time.as_millis(),
                indexed.as_millis(),
            );
        }
    }
}
