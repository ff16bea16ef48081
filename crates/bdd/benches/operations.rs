//! How fast operations are, and how many bytes a node takes: queens on a board, a counter and a
//! shift register step by step. Run it with `cargo bench -p selvedge-bdd`.

use std::time::Instant;

use selvedge_bdd::{Bdd, Manager, NoLimit, Var};

fn main() {
    for n in [8, 9] {
        measure(&format!("{n} queens"), |bdds| {
            let solutions = queens(bdds, n);
            bdds.sat_count(solutions, n * n)
        });
    }
    measure("product of 2 numbers of 10 bits", |bdds| multiply(bdds, 10));
    measure("counter of 24 bits, 20000 steps", |bdds| counter(bdds, 24, 20_000));
    measure("shift register of 20 bits, 40 steps", |bdds| shift_register(bdds, 20, 40));
    let start = Instant::now();
    for _ in 0..10_000 {
        let mut bdds = Manager::new(NoLimit);
        let Ok(_) = bdds.var(0);
    }
    println!("10000 managers: {} ms", start.elapsed().as_millis());
}

fn measure(name: &str, run: impl Fn(&mut Manager<NoLimit>) -> f64) {
    for _ in 0..3 {
        let (start, used) = (Instant::now(), processor_time());
        let mut bdds = Manager::new(NoLimit);
        let answer = run(&mut bdds);
        let used = processor_time().zip(used).map(|(now, before)| now - before);
        let time = used.unwrap_or(start.elapsed().as_secs_f64());
        println!(
            "{name}: {answer}; {:.0} ms, {} nodes made, {:.1} million a second; \
             at most {} at a time, {:.1} bytes a node",
            time * 1e3,
            bdds.made_nodes(),
            bdds.made_nodes() as f64 / time / 1e6,
            bdds.peak_nodes(),
            bdds.peak_bytes() as f64 / bdds.peak_nodes() as f64,
        );
    }
}

/// Seconds of this process on a processor, where the system tells: others may be busy as well.
fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}

/// One variable for each field, row by row.
fn queens(bdds: &mut Manager<NoLimit>, n: usize) -> Bdd {
    let mut board = Bdd::TRUE;
    for row in (0..n).rev() {
        let mut some = Bdd::FALSE;
        for column in 0..n {
            let mut literals = vec![((row * n + column) as Var, true)];
            for r in 0..n {
                for c in 0..n {
                    let attacked = r == row || c == column || r.abs_diff(row) == c.abs_diff(column);
                    if attacked && (r, c) != (row, column) {
                        literals.push(((r * n + c) as Var, false));
                    }
                }
            }
            let Ok(alone) = bdds.cube_of(&literals);
            let Ok(or) = bdds.or(some, alone);
            some = or;
        }
        let Ok(and) = bdds.and(board, some);
        board = and;
        if bdds.should_collect() {
            bdds.collect([board]);
        }
    }
    board
}

/// All bits of a product, from the bits of two numbers: exponential in the number of bits.
fn multiply(bdds: &mut Manager<NoLimit>, bits: u32) -> f64 {
    let mut sum = vec![Bdd::FALSE; 2 * bits as usize];
    for i in 0..bits {
        let mut carry = Bdd::FALSE;
        for j in 0..bits {
            let Ok(x) = bdds.var(2 * i);
            let Ok(y) = bdds.var(2 * j + 1);
            let Ok(bit) = bdds.and(x, y);
            let place = &mut sum[(i + j) as usize];
            let Ok(half) = bdds.xor(*place, bit);
            let Ok(both) = bdds.and(*place, bit);
            let Ok(full) = bdds.xor(half, carry);
            let Ok(more) = bdds.and(half, carry);
            let Ok(or) = bdds.or(both, more);
            (*place, carry) = (full, or);
        }
        sum[(i + bits) as usize] = carry;
        if bdds.should_collect() {
            bdds.collect(sum.iter().copied());
        }
    }
    sum.iter().map(|&f| bdds.nodes(f) as f64).sum()
}

/// The bit i before a step is variable 2i, after it 2i + 1. Takes steps, and counts the states.
fn steps(
    bdds: &mut Manager<NoLimit>,
    bits: u32,
    relation: Bdd,
    first: Bdd,
    steps: usize,
    keep: bool,
) -> f64 {
    let before: Vec<Var> = (0..bits).map(|i| 2 * i).collect();
    let back: Vec<(Var, Var)> = (0..bits).map(|i| (2 * i + 1, 2 * i)).collect();
    let (before, back) = (bdds.cube(&before), bdds.renaming(&back));
    let (mut reached, mut frontier) = (first, first);
    for _ in 0..steps {
        let Ok(next) = bdds.and_exists(frontier, relation, before);
        let Ok(next) = bdds.rename(next, back);
        let Ok(new) = bdds.diff(next, reached);
        let Ok(all) = bdds.or(reached, next);
        (reached, frontier) = if keep { (all, new) } else { (all, next) };
        if bdds.should_collect() {
            bdds.collect([relation, reached, frontier]);
        }
    }
    bdds.sat_count(reached, bits as usize)
}

fn counter(bdds: &mut Manager<NoLimit>, bits: u32, count: usize) -> f64 {
    let (mut relation, mut carry) = (Bdd::TRUE, Bdd::TRUE);
    for i in 0..bits {
        let Ok(bit) = bdds.var(2 * i);
        let Ok(next) = bdds.var(2 * i + 1);
        let Ok(sum) = bdds.xor(bit, carry);
        let Ok(right) = bdds.iff(next, sum);
        let Ok(and) = bdds.and(relation, right);
        let Ok(both) = bdds.and(carry, bit);
        (relation, carry) = (and, both);
    }
    let zero: Vec<(Var, bool)> = (0..bits).map(|i| (2 * i, false)).collect();
    let Ok(zero) = bdds.cube_of(&zero);
    steps(bdds, bits, relation, zero, count, true)
}

/// Shifts by one; the first bit becomes a parity of some, or anything if the last bit is set.
fn shift_register(bdds: &mut Manager<NoLimit>, bits: u32, count: usize) -> f64 {
    let mut relation = Bdd::TRUE;
    for i in 1..bits {
        let Ok(bit) = bdds.var(2 * (i - 1));
        let Ok(next) = bdds.var(2 * i + 1);
        let Ok(same) = bdds.iff(bit, next);
        let Ok(and) = bdds.and(relation, same);
        relation = and;
    }
    let mut parity = Bdd::FALSE;
    for i in [bits / 3, bits / 2, bits - 3] {
        let Ok(bit) = bdds.var(2 * i);
        let Ok(xor) = bdds.xor(parity, bit);
        parity = xor;
    }
    let Ok(next) = bdds.var(1);
    let Ok(last) = bdds.var(2 * (bits - 1));
    let Ok(same) = bdds.iff(next, parity);
    let Ok(free) = bdds.or(same, last);
    let Ok(relation) = bdds.and(relation, free);
    // A thousand states that have nothing in common.
    let (mut first, mut number) = (Bdd::FALSE, 1u64);
    for _ in 0..1000 {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let state: Vec<(Var, bool)> =
            (0..bits).map(|i| (2 * i, number >> (63 - i) & 1 == 1)).collect();
        let Ok(state) = bdds.cube_of(&state);
        let Ok(or) = bdds.or(first, state);
        first = or;
    }
    steps(bdds, bits, relation, first, count, false)
}
