//! Every operation against truth tables: random walks over functions of few variables, whose
//! levels are in random order, with collections and with limits that stop anywhere.

use std::cell::Cell;
use std::collections::HashMap;

use fastrand::Rng;
use selvedge_bdd::{Bdd, Limit, Manager, Var};

/// Says stop each time a countdown has ended, until it is set again.
struct Countdown(Cell<u32>);

#[derive(Debug, PartialEq, Eq)]
struct Stopped;

impl Limit for Countdown {
    type Stop = Stopped;

    fn check(&self, _bytes: usize) -> Result<(), Stopped> {
        self.0.set(self.0.get().saturating_sub(1));
        if self.0.get() == 0 { Err(Stopped) } else { Ok(()) }
    }
}

const FOREVER: u32 = u32::MAX;

/// A bit for each assignment: bit i of its number is the value of variable i.
type Truth = Vec<bool>;

struct Walk {
    rng: Rng,
    bdds: Manager<Countdown>,
    /// The level of each variable, in random order.
    levels: Vec<Var>,
    pool: Vec<(Bdd, Truth)>,
    /// The function of each table since the last collection.
    canonical: HashMap<Truth, Bdd>,
    /// Operands of the current step, which need not be in the pool any more.
    held: [Bdd; 3],
    stops: usize,
}

impl Walk {
    fn new(seed: u64) -> Walk {
        let mut rng = Rng::with_seed(seed);
        let vars = rng.usize(1..=8);
        let mut levels: Vec<Var> = (0..rng.u32(8..150)).collect();
        rng.shuffle(&mut levels);
        levels.truncate(vars);
        let mut bdds = Manager::new(Countdown(Cell::new(FOREVER)));
        bdds.ask_every(1);
        let constants = [(Bdd::FALSE, false), (Bdd::TRUE, true)];
        let pool = constants.map(|(f, value)| (f, vec![value; 1 << vars])).to_vec();
        let (canonical, held) = (HashMap::new(), [Bdd::TRUE; 3]);
        let mut walk = Walk { rng, bdds, levels, pool, canonical, held, stops: 0 };
        for i in 0..vars {
            let f = walk.bdds.var(walk.levels[i]).expect("no limit yet");
            walk.add(f, walk.table(|a| a >> i & 1 == 1));
        }
        walk
    }

    fn table(&self, value: impl Fn(usize) -> bool) -> Truth {
        (0..1 << self.levels.len()).map(value).collect()
    }

    fn any(&mut self) -> (Bdd, Truth) {
        self.pool[self.rng.usize(..self.pool.len())].clone()
    }

    /// Some variables, in random order.
    fn some_vars(&mut self) -> Vec<usize> {
        let mut vars: Vec<usize> = (0..self.levels.len()).collect();
        self.rng.shuffle(&mut vars);
        vars.truncate(self.rng.usize(..=self.levels.len()));
        vars
    }

    /// Runs an operation, perhaps with a limit that stops it, and then again without.
    fn run<T>(&mut self, operation: impl Fn(&mut Manager<Countdown>) -> Result<T, Stopped>) -> T {
        if self.rng.u8(..3) == 0 {
            self.bdds.limit().0.set(self.rng.u32(1..10));
            let result = operation(&mut self.bdds);
            self.bdds.limit().0.set(FOREVER);
            match result {
                Ok(result) => return result,
                Err(Stopped) => self.stops += 1,
            }
            if self.rng.bool() {
                self.collect();
            }
        }
        operation(&mut self.bdds).expect("there is no limit")
    }

    fn add(&mut self, f: Bdd, truth: Truth) {
        for (assignment, &expected) in truth.iter().enumerate() {
            assert_eq!(self.bdds.eval(f, &|level| self.value(assignment, level)), expected);
        }
        let known = *self.canonical.entry(truth.clone()).or_insert(f);
        assert_eq!(known, f, "one function, one handle");
        self.pool.push((f, truth));
        if self.pool.len() > 40 {
            let old = self.rng.usize(2..30);
            self.pool.swap_remove(old);
        }
    }

    fn collect(&mut self) {
        self.bdds.collect(self.pool.iter().map(|&(f, _)| f).chain(self.held));
        self.canonical = self.pool.iter().map(|(f, truth)| (truth.clone(), *f)).collect();
    }

    fn step(&mut self) {
        let [(f, tf), (g, tg), (h, th)] = [self.any(), self.any(), self.any()];
        self.held = [f, g, h];
        match self.rng.u8(..19) {
            0 => {
                let r = self.run(|m| m.not(f));
                self.add(r, self.table(|a| !tf[a]));
            }
            1 | 2 => {
                let r = self.run(|m| m.and(f, g));
                self.add(r, self.table(|a| tf[a] && tg[a]));
            }
            3 => {
                let r = self.run(|m| m.or(f, g));
                self.add(r, self.table(|a| tf[a] || tg[a]));
            }
            4 | 5 => {
                let r = self.run(|m| m.xor(f, g));
                self.add(r, self.table(|a| tf[a] != tg[a]));
            }
            6 => {
                let r = self.run(|m| m.iff(f, g));
                self.add(r, self.table(|a| tf[a] == tg[a]));
            }
            7 => {
                let r = self.run(|m| m.implies(f, g));
                self.add(r, self.table(|a| !tf[a] || tg[a]));
            }
            8 => {
                let r = self.run(|m| m.diff(f, g));
                self.add(r, self.table(|a| tf[a] && !tg[a]));
            }
            9 | 10 => {
                let r = self.run(|m| m.ite(f, g, h));
                self.add(r, self.table(|a| if tf[a] { tg[a] } else { th[a] }));
            }
            11 => self.quantify(f, &tf, g, &tg),
            12 | 13 => self.rename(f, &tf),
            14 => self.restrict(f, &tf),
            15 => {
                let r = self.run(|m| m.simplify(f, g));
                let truth = self.table(|a| self.bdds.eval(r, &|l| self.value(a, l)));
                assert!((0..truth.len()).all(|a| !tg[a] || truth[a] == tf[a]));
                assert!(self.bdds.nodes(r) <= self.bdds.nodes(f));
                self.add(r, truth);
            }
            16 => {
                let disjoint = self.run(|m| m.is_disjoint(f, g));
                assert_eq!(disjoint, (0..tf.len()).all(|a| !tf[a] || !tg[a]));
                let subset = self.run(|m| m.is_subset(f, g));
                assert_eq!(subset, (0..tf.len()).all(|a| !tf[a] || tg[a]));
                self.look(f, &tf);
            }
            17 => self.collect(),
            _ => self.any_table(),
        }
    }

    /// A function that nobody would think of.
    fn any_table(&mut self) {
        let truth: Truth = (0..1 << self.levels.len()).map(|_| self.rng.bool()).collect();
        let mut f = Bdd::FALSE;
        for a in (0..truth.len()).filter(|&a| truth[a]) {
            let literals: Vec<(Var, bool)> =
                self.levels.iter().map(|&level| (level, self.value(a, level))).collect();
            let minterm = self.bdds.cube_of(&literals).expect("there is no limit");
            f = self.bdds.or(f, minterm).expect("there is no limit");
        }
        self.add(f, truth);
    }

    fn value(&self, assignment: usize, level: Var) -> bool {
        let i = self.levels.iter().position(|&l| l == level).expect("a known level");
        assignment >> i & 1 == 1
    }

    fn quantify(&mut self, f: Bdd, tf: &Truth, g: Bdd, tg: &Truth) {
        let vars = self.some_vars();
        let levels: Vec<Var> = vars.iter().map(|&i| self.levels[i]).collect();
        let set = self.bdds.cube(&levels);
        let quantified: usize = vars.iter().map(|&i| 1 << i).sum();
        let same = |a: usize, b: usize| a & !quantified == b & !quantified;
        let all = 0..tf.len();
        let r = self.run(|m| m.exists(f, set));
        self.add(r, self.table(|a| all.clone().any(|b| same(a, b) && tf[b])));
        let r = self.run(|m| m.forall(f, set));
        self.add(r, self.table(|a| all.clone().all(|b| !same(a, b) || tf[b])));
        let r = self.run(|m| m.and_exists(f, g, set));
        self.add(r, self.table(|a| all.clone().any(|b| same(a, b) && tf[b] && tg[b])));
    }

    /// Injective renamings, and others.
    fn rename(&mut self, f: Bdd, tf: &Truth) {
        let sources = self.some_vars();
        let mut targets: Vec<usize> = (0..self.levels.len()).collect();
        self.rng.shuffle(&mut targets);
        if self.rng.u8(..4) == 0 {
            targets = targets.iter().map(|_| self.rng.usize(..self.levels.len())).collect();
        }
        let pairs: Vec<(Var, Var)> =
            sources.iter().zip(&targets).map(|(&i, &j)| (self.levels[i], self.levels[j])).collect();
        let renaming = self.bdds.renaming(&pairs);
        let r = self.run(|m| m.rename(f, renaming));
        let renamed = |a: usize| {
            let mut b = a;
            for (&i, &j) in sources.iter().zip(&targets) {
                b = b & !(1 << i) | (a >> j & 1) << i;
            }
            tf[b]
        };
        self.add(r, self.table(renamed));
    }

    fn restrict(&mut self, f: Bdd, tf: &Truth) {
        let vars = self.some_vars();
        let values = self.rng.usize(..tf.len());
        let literals: Vec<(Var, bool)> =
            vars.iter().map(|&i| (self.levels[i], values >> i & 1 == 1)).collect();
        let fixed: usize = vars.iter().map(|&i| 1 << i).sum();
        let r = self.run(|m| m.restrict(f, &literals));
        self.add(r, self.table(|a| tf[a & !fixed | values & fixed]));
        let r = self.run(|m| m.cube_of(&literals));
        self.add(r, self.table(|a| a & fixed == values & fixed));
    }

    fn look(&self, f: Bdd, tf: &Truth) {
        let vars = self.levels.len();
        let count = tf.iter().filter(|&&value| value).count();
        assert_eq!(self.bdds.sat_count_exact(f, vars), Some(count as u128));
        assert_eq!(self.bdds.sat_count(f, vars), count as f64);
        let mut support: Vec<Var> = (0..vars)
            .filter(|&i| (0..tf.len()).any(|a| tf[a] != tf[a ^ 1 << i]))
            .map(|i| self.levels[i])
            .collect();
        support.sort_unstable();
        assert_eq!(self.bdds.support(f), support);
        match (self.bdds.pick(f), self.bdds.pick_total(f, &self.levels)) {
            (Some(literals), Some(values)) => {
                for (a, &value) in tf.iter().enumerate() {
                    let agrees = literals.iter().all(|&(level, v)| self.value(a, level) == v);
                    assert!(!agrees || value);
                }
                let a: usize = (0..vars).map(|i| usize::from(values[i]) << i).sum();
                assert!(tf[a]);
            }
            (None, None) => assert_eq!(count, 0),
            _ => panic!("both or none"),
        }
    }
}

#[test]
fn all_operations_agree_with_truth_tables() {
    let mut stops = 0;
    let seeds = std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok());
    for seed in 0..seeds.unwrap_or(150) {
        let mut walk = Walk::new(seed);
        for _ in 0..200 {
            walk.step();
        }
        for (f, truth) in walk.pool.clone() {
            walk.add(f, truth.clone());
            walk.look(f, &truth);
        }
        stops += walk.stops;
    }
    assert!(stops > 1000, "only {stops} operations were stopped");
}
