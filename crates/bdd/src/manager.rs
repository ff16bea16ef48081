//! All functions of one order of variables, and the budget of operations on them.

use crate::cache::{Cache, Operation};
use crate::handle::checked;
use crate::limit::Halt;
use crate::quantify::Sets;
use crate::rename::Renamings;
use crate::table::Table;
use crate::{Bdd, Limit, Var};

/// How many steps are taken before the limit is asked again.
const PATIENCE: u32 = 1 << 15;
/// Below this number of nodes a collection is not worth the effort.
const FEW_NODES: usize = 1 << 16;

/// Makes, combines and stores functions. Variables need no declaration.
///
/// Operations return `Err` when the [`Limit`] says so. The manager is then in order; nodes that
/// the operation has made are garbage, which the next [collection](Manager::collect) takes away.
///
/// # Panics
/// If a variable is larger than 2³² − 3; if there are 2³⁰ nodes and the limit does not mind even
/// `usize::MAX` bytes; if there are 2²⁷ sets of variables or renamings.
pub struct Manager<L: Limit> {
    pub(crate) table: Table,
    pub(crate) cache: Cache,
    pub(crate) sets: Sets,
    pub(crate) renamings: Renamings,
    limit: L,
    /// Set exactly if an operation has halted and its caller was not told yet.
    stop: Option<L::Stop>,
    patience: u32,
    steps_left: u32,
    /// How many nodes the last collection kept, and all collections freed.
    pub(crate) kept: usize,
    pub(crate) freed: usize,
    peak_nodes: usize,
    peak_bytes: usize,
}

impl<L: Limit> Manager<L> {
    /// A manager without functions. It takes about ten kilobytes.
    pub fn new(limit: L) -> Manager<L> {
        let table = Table::new();
        let cache = Cache::new(table.buckets());
        Manager {
            table,
            cache,
            sets: Sets::default(),
            renamings: Renamings::default(),
            limit,
            stop: None,
            patience: PATIENCE,
            steps_left: PATIENCE,
            kept: 0,
            freed: 0,
            peak_nodes: 0,
            peak_bytes: 0,
        }
    }

    /// The function of one variable.
    pub fn var(&mut self, v: Var) -> Result<Bdd, L::Stop> {
        let result = self.make(checked(v), Bdd::FALSE, Bdd::TRUE);
        self.answer(result)
    }

    /// The negation of one variable.
    pub fn nvar(&mut self, v: Var) -> Result<Bdd, L::Stop> {
        Ok(!self.var(v)?)
    }

    /// The conjunction of literals: false if they contradict each other. Built from the last
    /// variable on, a node for each.
    pub fn cube_of(&mut self, literals: &[(Var, bool)]) -> Result<Bdd, L::Stop> {
        let mut literals = literals.to_vec();
        literals.sort_unstable();
        literals.dedup();
        if literals.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Ok(Bdd::FALSE);
        }
        let mut result = Bdd::TRUE;
        for &(var, value) in literals.iter().rev() {
            let (low, high) = if value { (Bdd::FALSE, result) } else { (result, Bdd::FALSE) };
            let made = self.make(checked(var), low, high);
            result = self.answer(made)?;
        }
        Ok(result)
    }

    /// The limit of operations.
    pub fn limit(&self) -> &L {
        &self.limit
    }

    /// The limit of operations, to be changed.
    pub fn limit_mut(&mut self) -> &mut L {
        &mut self.limit
    }

    /// Asks the limit after every `steps` steps.
    pub fn ask_every(&mut self, steps: u32) {
        self.patience = steps.max(1);
        self.steps_left = self.patience;
    }

    /// How many nodes are stored: those in use, and what became garbage since the last collection.
    pub fn live_nodes(&self) -> usize {
        self.table.used() - 1
    }

    /// The most nodes that were ever stored.
    pub fn peak_nodes(&self) -> usize {
        self.peak_nodes.max(self.live_nodes())
    }

    /// How many nodes were ever made.
    pub fn made_nodes(&self) -> usize {
        self.live_nodes() + self.freed
    }

    /// How many bytes are allocated.
    pub fn bytes(&self) -> usize {
        self.table.bytes() + self.other_bytes() + self.cache.bytes()
    }

    /// The most bytes that were ever allocated.
    pub fn peak_bytes(&self) -> usize {
        self.peak_bytes.max(self.bytes())
    }

    /// Whether the nodes have doubled since the last collection, and are many.
    pub fn should_collect(&self) -> bool {
        self.live_nodes() > (2 * self.kept).max(FEW_NODES)
    }

    /// The variable of a function that is no constant, and what remains if it is false and true.
    pub fn node(&self, f: Bdd) -> Option<(Var, Bdd, Bdd)> {
        let node = self.table.node(f);
        let mark = f.mark();
        (!f.is_constant()).then(|| (node.var, node.low.flip(mark), node.high.flip(mark)))
    }

    /// What remains of a function if the variable is false and true. The variable must not be
    /// below the function's own.
    #[inline]
    pub(crate) fn split(&self, f: Bdd, var: Var) -> (Bdd, Bdd) {
        let node = self.table.node(f);
        if node.var == var { (node.low.flip(f.mark()), node.high.flip(f.mark())) } else { (f, f) }
    }

    /// The function that is `low` where the variable is false, and `high` where it is true. Both
    /// must speak of later variables only.
    #[inline]
    pub(crate) fn make(&mut self, var: Var, low: Bdd, high: Bdd) -> Result<Bdd, Halt> {
        if low == high {
            return Ok(low);
        }
        let mark = low.mark();
        let (low, high) = (low.flip(mark), high.flip(mark));
        if let Some(found) = self.table.find(var, low, high) {
            return Ok(found.flip(mark));
        }
        if !self.table.has_room() {
            self.make_room()?;
        }
        Ok(self.table.add(var, low, high).flip(mark))
    }

    /// The cached result of an operation, if there is one.
    #[inline]
    pub(crate) fn recall(&self, operation: Operation, f: Bdd, g: Bdd) -> Option<Bdd> {
        self.cache.get(operation, f, g)
    }

    /// Remembers what was computed. This counts as a step of the budget.
    #[inline]
    pub(crate) fn remember(
        &mut self,
        operation: Operation,
        f: Bdd,
        g: Bdd,
        result: Bdd,
    ) -> Result<Bdd, Halt> {
        self.cache.put(operation, f, g, result);
        self.steps_left -= 1;
        if self.steps_left == 0 {
            self.ask(self.bytes())?;
            self.enlarge_cache();
        }
        Ok(result)
    }

    /// Tells the caller why an operation has halted, if it has.
    pub(crate) fn answer<T>(&mut self, result: Result<T, Halt>) -> Result<T, L::Stop> {
        result.map_err(|Halt| self.stop.take().expect("whoever halts says why"))
    }

    pub(crate) fn note_peak(&mut self) {
        self.peak_nodes = self.peak_nodes();
        self.peak_bytes = self.peak_bytes();
    }

    /// The bytes of everything but the two large tables.
    fn other_bytes(&self) -> usize {
        self.sets.bytes() + self.renamings.bytes()
    }

    #[cold]
    fn ask(&mut self, bytes: usize) -> Result<(), Halt> {
        self.steps_left = self.patience;
        self.limit.check(bytes).map_err(|stop| {
            self.stop = Some(stop);
            Halt
        })
    }

    /// A busy cache grows, unless that is too much for the limit: nothing depends on it.
    #[cold]
    fn enlarge_cache(&mut self) {
        if let Some(size) = self.cache.wanted_size(self.table.buckets()) {
            // Both the old entries and the new ones are there for a moment.
            if self.limit.check(self.bytes() + Cache::bytes_of(size)).is_ok() {
                self.cache.resize(size);
            }
        }
    }

    #[cold]
    fn make_room(&mut self) -> Result<(), Halt> {
        let Some((nodes, buckets)) = self.table.next_size() else {
            self.ask(usize::MAX)?;
            panic!("more than a billion nodes, and no limit that ends it");
        };
        let cache = Cache::size_for(buckets).max(self.cache.len());
        let tables = Table::bytes_of(nodes, buckets) + Cache::bytes_of(cache);
        // Both the old entries and the new ones are there for a moment.
        let moment = if cache > self.cache.len() { self.cache.bytes() } else { 0 };
        self.ask(tables + moment + self.other_bytes())?;
        self.table.grow(nodes, buckets);
        self.cache.resize(cache);
        Ok(())
    }
}
