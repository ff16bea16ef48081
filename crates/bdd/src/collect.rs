//! # Collection
//! **Idea.** Mark what can be reached from the roots, free all else. Nodes do not move, so handles
//! of what is kept stay as they are; what the cache knows about them stays, too.

use crate::cache::Cache;
use crate::{Bdd, Limit, Manager};

impl<L: Limit> Manager<L> {
    /// Frees all nodes but those of the roots. Handles of other functions lose their meaning.
    pub fn collect(&mut self, roots: impl IntoIterator<Item = Bdd>) {
        self.note_peak();
        let before = self.live_nodes();
        let mut marks = Marks(vec![0; self.table.len().div_ceil(64)]);
        marks.insert(0);
        let mut work: Vec<Bdd> = roots.into_iter().collect();
        while let Some(f) = work.pop() {
            if marks.insert(f.index()) {
                let node = self.table.node(f);
                work.extend([node.high, node.low]);
            }
        }
        self.cache.retain(|f| marks.has(f.index()));
        let buckets = self.table.buckets();
        self.table.retain(|at| marks.has(at));
        if self.table.buckets() < buckets {
            self.cache.resize(Cache::size_for(self.table.buckets()));
        }
        self.kept = self.live_nodes();
        self.freed += before - self.kept;
    }
}

/// A bit for each node.
struct Marks(Vec<u64>);

impl Marks {
    /// Sets the bit, and returns whether it was not set before.
    fn insert(&mut self, at: usize) -> bool {
        let word = &mut self.0[at / 64];
        let bit = 1 << (at % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    #[inline]
    fn has(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use crate::{Manager, NoLimit};

    /// The cache knows `ite(x, a, h)`; h is freed, and another function gets its number.
    #[test]
    fn a_number_that_is_used_again_means_something_new() {
        let mut bdds = Manager::new(NoLimit);
        let [x, a, b, c] = [0, 1, 2, 3].map(|v| bdds.var(v).unwrap());
        let Ok(h) = bdds.ite(x, b, c);
        let Ok(old) = bdds.ite(x, a, h);
        bdds.collect([x, a, b, c, old]);
        let Ok(again) = bdds.ite(x, c, b);
        assert_eq!(again, h, "the number is used again");
        let Ok(new) = bdds.ite(x, a, again);
        assert_ne!(old, new);
        let value = |v| [false, false, true, false][v as usize];
        assert!(bdds.eval(new, &value) && !bdds.eval(old, &value));
    }
}
