//! Large diagrams: tables that grow, collections on the way, limits of memory, many variables.

use std::cell::Cell;

use selvedge_bdd::{Bdd, Limit, Manager, NoLimit, Var};

/// Places queens row by row on a board of n × n fields, one variable each. Collections keep one
/// more function.
fn queens<L: Limit>(bdds: &mut Manager<L>, n: u32, kept: Bdd) -> Result<Bdd, L::Stop> {
    let mut board = Bdd::TRUE;
    for row in (0..n).rev() {
        let mut some = Bdd::FALSE;
        for column in 0..n {
            let attacked =
                |r: u32, c: u32| r == row || c == column || r.abs_diff(row) == c.abs_diff(column);
            let literals: Vec<(Var, bool)> = (0..n * n)
                .filter(|field| attacked(field / n, field % n))
                .map(|field| (field, field == row * n + column))
                .collect();
            let alone = bdds.cube_of(&literals)?;
            some = bdds.or(some, alone)?;
        }
        board = bdds.and(board, some)?;
        if bdds.should_collect() {
            bdds.collect([board, kept]);
        }
    }
    Ok(board)
}

#[test]
fn queens_are_placed() {
    for (n, solutions) in [(1, 1), (2, 0), (3, 0), (4, 2), (5, 10), (6, 4), (7, 40), (8, 92)] {
        let mut bdds = Manager::new(NoLimit);
        let Ok(board) = queens(&mut bdds, n, Bdd::TRUE);
        assert_eq!(bdds.sat_count_exact(board, (n * n) as usize), Some(solutions));
        bdds.collect([board]);
        assert_eq!(bdds.live_nodes(), bdds.nodes(board));
        let Ok(again) = queens(&mut bdds, n, board);
        assert_eq!(board, again, "the id is still the same");
    }
}

/// A limit of memory that remembers the most it was asked for.
struct Bytes {
    most: Cell<usize>,
    granted: Cell<usize>,
}

impl Limit for Bytes {
    type Stop = usize;

    fn check(&self, bytes: usize) -> Result<(), usize> {
        if bytes > self.most.get() {
            return Err(bytes);
        }
        self.granted.set(self.granted.get().max(bytes));
        Ok(())
    }
}

#[test]
fn memory_is_asked_for_before_it_is_taken() {
    let mut bdds = Manager::new(Bytes { most: Cell::new(100_000), granted: Cell::new(usize::MIN) });
    let mut stops = 0;
    let board = loop {
        match queens(&mut bdds, 7, Bdd::TRUE) {
            Ok(board) => break board,
            Err(asked) => {
                let most = &bdds.limit().most;
                assert!(asked > most.get() && bdds.bytes() <= most.get());
                most.set(most.get() * 2);
                stops += 1;
                bdds.collect([]);
                assert_eq!(bdds.live_nodes(), 0);
            }
        }
    };
    assert!(stops >= 3, "stopped {stops} times");
    assert_eq!(bdds.sat_count_exact(board, 49), Some(40));
    assert!(bdds.peak_bytes() <= bdds.limit().granted.get());
}

#[test]
fn a_collection_gives_memory_back() {
    let mut bdds = Manager::new(NoLimit);
    let small = bdds.bytes();
    assert!(small < 20_000, "{small} bytes at first");
    let Ok(_) = queens(&mut bdds, 7, Bdd::TRUE);
    assert!(bdds.bytes() > 20 * small);
    bdds.collect([]);
    assert!(bdds.bytes() <= 2 * small, "{} bytes", bdds.bytes());
    assert!(bdds.peak_bytes() > 20 * small);
}

/// The limit is asked although no node is made for a long time.
#[test]
fn long_operations_without_new_nodes_are_stopped() {
    let mut bdds = Manager::new(Bytes { most: Cell::new(usize::MAX), granted: Cell::new(0) });
    let pairs = 15;
    // The pairs are far apart, so that each conjunction is exponential.
    let mut build = |flip: bool| {
        let mut f = Bdd::TRUE;
        for i in 0..pairs {
            let (x, y) = (bdds.var(i).unwrap(), bdds.var(pairs + i).unwrap());
            let pair = bdds.iff(x, y).unwrap();
            let odd = flip && i == pairs - 1;
            f = bdds.and(f, if odd { !pair } else { pair }).unwrap();
        }
        f
    };
    let (f, g) = (build(false), build(true));
    bdds.collect([f, g]);
    let nodes = bdds.live_nodes();
    bdds.limit().most.set(0);
    assert!(bdds.is_disjoint(f, g).is_err());
    assert_eq!(bdds.live_nodes(), nodes);
    bdds.limit().most.set(usize::MAX);
    assert_eq!(bdds.is_disjoint(f, g), Ok(true));
}

/// Test threads have stacks of two megabytes.
#[test]
fn thousands_of_variables() {
    let vars = 4000;
    let mut bdds = Manager::new(NoLimit);
    let (mut parity, mut same) = (Bdd::FALSE, Bdd::TRUE);
    for v in (0..vars).rev() {
        let Ok(even) = bdds.var(2 * v);
        let Ok(odd) = bdds.var(2 * v + 1);
        let Ok(equal) = bdds.iff(even, odd);
        let Ok(xor) = bdds.xor(parity, even);
        let Ok(and) = bdds.and(same, equal);
        (parity, same) = (xor, and);
    }
    let Ok(odd_too) = bdds.and(parity, same);
    let evens: Vec<Var> = (0..vars).map(|v| 2 * v).collect();
    let set = bdds.cube(&evens);
    let Ok(image) = bdds.and_exists(parity, same, set);
    let Ok(projected) = bdds.exists(odd_too, set);
    assert_eq!(image, projected);
    let back = bdds.renaming(&evens.iter().map(|&v| (v + 1, v)).collect::<Vec<_>>());
    let Ok(renamed) = bdds.rename(image, back);
    assert_eq!(renamed, parity);
    let Ok(chosen) = bdds.ite(parity, same, image);
    let Ok(simpler) = bdds.simplify(chosen, parity);
    let Ok(difference) = bdds.xor(simpler, same);
    assert_eq!(bdds.is_disjoint(difference, parity), Ok(true));
    assert_eq!(bdds.support(parity), evens);
    assert_eq!(bdds.sat_count(parity, vars as usize), f64::INFINITY);
    let literals: Vec<(Var, bool)> = evens.iter().map(|&v| (v, v % 4 == 0)).collect();
    let Ok(cube) = bdds.cube_of(&literals);
    assert_eq!(bdds.sat_count(cube, vars as usize), 1.0);
    assert_eq!(bdds.sat_count_exact(!cube, vars as usize), None);
}
