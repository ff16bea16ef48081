//! # Renaming
//! **Question.** What is f if it speaks of other variables?
//!
//! **Idea.** Both halves are renamed first. If the new variable comes before all that they speak
//! of, a node joins them; otherwise the new variable chooses between them by if-then-else. Each
//! node decides for itself, so a renaming that keeps the order costs one step a node, and one that
//! breaks it in a few places pays there only.
//!
//! **Claim.** The result is f with all variables replaced at once, also if sources are targets,
//! if targets occur in f, or if two sources have one target.

use rustc_hash::FxHashMap;

use crate::cache::{MAX_ARGUMENT, Operation};
use crate::handle::checked;
use crate::limit::Halt;
use crate::{Bdd, Limit, Manager, Var};

/// A map of variables to variables of one [`Manager`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Renaming(u32);

/// All renamings that were asked for; equal ones have equal numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Renamings {
    /// The new variable of each variable up to the last that changes.
    targets: Vec<Box<[Var]>>,
    ids: FxHashMap<Box<[Var]>, u32>,
    bytes: usize,
}

impl Renamings {
    fn intern(&mut self, pairs: &[(Var, Var)]) -> u32 {
        let changes = || pairs.iter().filter(|(from, to)| from != to);
        let end = changes().map(|&(from, _)| checked(from) + 1).max().unwrap_or(0);
        let mut targets: Box<[Var]> = (0..end).collect();
        for &(from, to) in changes() {
            targets[from as usize] = checked(to);
        }
        if let Some(&id) = self.ids.get(&targets) {
            return id;
        }
        assert!(self.targets.len() < MAX_ARGUMENT, "too many renamings");
        let id = self.targets.len() as u32;
        // Twice the targets, the entry of the map, and the pointer.
        self.bytes += 8 * targets.len() + 64;
        self.ids.insert(targets.clone(), id);
        self.targets.push(targets);
        id
    }

    /// The new variable, or nothing if neither this one nor a later one changes.
    #[inline]
    fn target(&self, renaming: u32, var: Var) -> Option<Var> {
        self.targets[renaming as usize].get(var as usize).copied()
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl<L: Limit> Manager<L> {
    /// A map of variables, as pairs from → to; all others stay. If a variable has two targets, the
    /// last counts. The same pairs always give the same renaming.
    pub fn renaming(&mut self, pairs: &[(Var, Var)]) -> Renaming {
        Renaming(self.renamings.intern(pairs))
    }

    /// f with all variables replaced at once.
    pub fn rename(&mut self, f: Bdd, renaming: Renaming) -> Result<Bdd, L::Stop> {
        let result = self.replace(f, renaming.0);
        self.answer(result)
    }

    fn replace(&mut self, f: Bdd, renaming: u32) -> Result<Bdd, Halt> {
        let var = self.table.var(f);
        let Some(target) = self.renamings.target(renaming, var) else {
            return Ok(f);
        };
        let mark = f.mark();
        let f = f.flip(mark);
        if let Some(result) = self.recall(Operation::Rename(renaming), f, Bdd::FALSE) {
            return Ok(result.flip(mark));
        }
        let (f0, f1) = self.split(f, var);
        let low = self.replace(f0, renaming)?;
        let high = self.replace(f1, renaming)?;
        let result = if target < self.table.var(low).min(self.table.var(high)) {
            self.make(target, low, high)?
        } else {
            let chooser = self.make(target, Bdd::FALSE, Bdd::TRUE)?;
            self.choose(chooser, high, low)?
        };
        Ok(self.remember(Operation::Rename(renaming), f, Bdd::FALSE, result)?.flip(mark))
    }
}
