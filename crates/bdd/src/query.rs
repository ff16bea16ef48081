//! Looking at functions: values, satisfying assignments, sizes. Nothing here makes a node.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Bdd, Limit, Manager, Var};

impl<L: Limit> Manager<L> {
    /// Evaluates f under an assignment.
    pub fn eval(&self, mut f: Bdd, value: &dyn Fn(Var) -> bool) -> bool {
        while let Some((var, low, high)) = self.node(f) {
            f = if value(var) { high } else { low };
        }
        f == Bdd::TRUE
    }

    /// Literals that make f true, whatever the other variables are; nothing if f is false. The
    /// same function always gives the same literals: a variable is false if it can be.
    pub fn pick(&self, mut f: Bdd) -> Option<Vec<(Var, bool)>> {
        let mut literals = Vec::new();
        while let Some((var, low, high)) = self.node(f) {
            let value = low == Bdd::FALSE;
            literals.push((var, value));
            f = if value { high } else { low };
        }
        (f == Bdd::TRUE).then_some(literals)
    }

    /// Values of these variables with which f can be true; false for those that do not matter.
    pub fn pick_total(&self, f: Bdd, vars: &[Var]) -> Option<Vec<bool>> {
        let literals = self.pick(f)?;
        let value = |var: &Var| {
            literals.binary_search_by_key(var, |&(var, _)| var).is_ok_and(|at| literals[at].1)
        };
        Some(vars.iter().map(value).collect())
    }

    /// The variables that f depends on, in order.
    pub fn support(&self, f: Bdd) -> Vec<Var> {
        let mut vars = FxHashSet::default();
        self.visit(f, |var| {
            vars.insert(var);
        });
        let mut vars: Vec<Var> = vars.into_iter().collect();
        vars.sort_unstable();
        vars
    }

    /// How many nodes f has, without constants.
    pub fn nodes(&self, f: Bdd) -> usize {
        let mut count = 0;
        self.visit(f, |_| count += 1);
        count
    }

    /// How many assignments of so many variables, the support among them, make f true: the nearest
    /// number that there is, or infinity.
    pub fn sat_count(&self, f: Bdd, vars: usize) -> f64 {
        let twice = |n: f64, times: usize| match n {
            0.0 => n,
            n => n * 2f64.powi(times.min(5000) as i32),
        };
        self.count(f, vars, &Arithmetic { one: 1.0, zero: 0.0, add: |a, b| a + b, twice })
    }

    /// How many assignments of so many variables, the support among them, make f true, if that
    /// is a number of 128 bits.
    pub fn sat_count_exact(&self, f: Bdd, vars: usize) -> Option<u128> {
        let add = |a: Option<u128>, b: Option<u128>| a?.checked_add(b?);
        let twice = |n: Option<u128>, times: usize| match n? {
            0 => n,
            n => 1u128.checked_shl(u32::try_from(times).ok()?)?.checked_mul(n),
        };
        self.count(f, vars, &Arithmetic { one: Some(1), zero: Some(0), add, twice })
    }

    fn count<N: Copy>(
        &self,
        f: Bdd,
        vars: usize,
        arithmetic: &Arithmetic<N, impl Fn(N, N) -> N, impl Fn(N, usize) -> N>,
    ) -> N {
        let support = self.support(f);
        let places = support.iter().enumerate().map(|(place, &var)| (var, place)).collect();
        let mut counter = Counter {
            bdds: self,
            arithmetic,
            places,
            end: support.len(),
            known: FxHashMap::default(),
        };
        let count = counter.below(f, 0);
        (arithmetic.twice)(count, vars.saturating_sub(support.len()))
    }

    /// Calls the function with the variable of each node.
    fn visit(&self, f: Bdd, mut visitor: impl FnMut(Var)) {
        let mut seen = FxHashSet::default();
        let mut work = vec![f];
        while let Some(f) = work.pop() {
            if !f.is_constant() && seen.insert(f.index()) {
                let node = self.table.node(f);
                visitor(node.var);
                work.extend([node.high, node.low]);
            }
        }
    }
}

struct Arithmetic<N, A, T> {
    zero: N,
    one: N,
    add: A,
    /// Doubles a number as many times as asked.
    twice: T,
}

/// Counts assignments of the variables of the support. Complements are followed down to the
/// constants: to subtract would lose small numbers beside large ones.
struct Counter<'a, L: Limit, N, A, T> {
    bdds: &'a Manager<L>,
    arithmetic: &'a Arithmetic<N, A, T>,
    /// The place of each variable in the support.
    places: FxHashMap<Var, usize>,
    end: usize,
    /// How many assignments of its own and later variables make a function true.
    known: FxHashMap<Bdd, N>,
}

impl<L: Limit, N: Copy, A: Fn(N, N) -> N, T: Fn(N, usize) -> N> Counter<'_, L, N, A, T> {
    /// Counts assignments of the variables from this place on.
    fn below(&mut self, f: Bdd, place: usize) -> N {
        let Some((var, low, high)) = self.bdds.node(f) else {
            let count = if f == Bdd::TRUE { self.arithmetic.one } else { self.arithmetic.zero };
            return (self.arithmetic.twice)(count, self.end - place);
        };
        let own = self.places[&var];
        let count = match self.known.get(&f) {
            Some(&count) => count,
            None => {
                let low = self.below(low, own + 1);
                let high = self.below(high, own + 1);
                let count = (self.arithmetic.add)(low, high);
                self.known.insert(f, count);
                count
            }
        };
        (self.arithmetic.twice)(count, own - place)
    }
}
