//! # pre*: everything that can get there
//!
//! **Question.** From which configurations can a regular set of configurations be reached?
//!
//! **Idea.** Saturation in the other direction: if there is a rule (p, γ) → (p′, w), and the
//! automaton reads w from p′ to a state r, then it must read γ from p to r. No state is added.
//!
//! **Claim** [Bouajjani, Esparza, Maler 1997; Schwoon 2002, Alg. 1]. The result accepts exactly
//! the configurations from which an accepted one is reachable.
//!
//! **Needs.** All rules at once: they are used backwards.

use std::convert::Infallible;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::{SymbolId, Word};

use crate::{Control, Psa};

/// One rule (p, γ) → (p′, w); `None` in the place of γ is the empty stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PdsRule {
    /// The control state before.
    pub from: Control,
    /// The top before, or the empty stack.
    pub top: Option<SymbolId>,
    /// The control state after.
    pub to: Control,
    /// What replaces the top.
    pub word: Word,
}

/// Saturates the automaton with everything from which something that it accepts can be reached.
#[must_use]
pub fn pre_star(psa: Psa, rules: &[PdsRule]) -> Psa {
    match pre_star_while(psa, rules, || Ok::<(), Infallible>(())) {
        Ok(psa) => psa,
        Err(never) => match never {},
    }
}

/// Like [`pre_star`], but stops with the error of `go_on`, which is asked every few thousand edges.
pub fn pre_star_while<E>(
    mut psa: Psa,
    rules: &[PdsRule],
    go_on: impl FnMut() -> Result<(), E>,
) -> Result<Psa, E> {
    // All control states get a state first, so that numbers are stable.
    for rule in rules {
        psa.control(rule.from);
        psa.control(rule.to);
    }
    let mut saturation = Saturation::new(psa, rules);
    saturation.run(rules, go_on)?;
    Ok(saturation.psa)
}

/// How many edges are looked at between two questions whether to go on.
const EDGES_PER_CHECK: usize = 4096;

struct Saturation<'a> {
    psa: Psa,
    work: Vec<(u32, SymbolId, u32)>,
    seen: FxHashSet<(u32, SymbolId, u32)>,
    /// Rules by what they produce: (p′, first symbol of w).
    by_top: FxHashMap<(Control, SymbolId), Vec<&'a PdsRule>>,
    /// Halves of push rules: from a state, reading the second symbol, lets (p, γ) be read.
    waiting: FxHashMap<(u32, SymbolId), Vec<(Control, SymbolId)>>,
}

impl<'a> Saturation<'a> {
    fn new(psa: Psa, rules: &'a [PdsRule]) -> Self {
        let mut by_top: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for rule in rules {
            if let Some(top) = rule.word.top() {
                by_top.entry((rule.to, top)).or_default().push(rule);
            }
        }
        Saturation {
            psa,
            work: Vec::new(),
            seen: FxHashSet::default(),
            by_top,
            waiting: FxHashMap::default(),
        }
    }

    fn run<E>(
        &mut self,
        rules: &[PdsRule],
        mut go_on: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let mut edges = 0;
        for state in 0..self.psa.end() {
            for (symbol, to) in self.psa.edges(state).to_vec() {
                self.push(state, symbol, to);
            }
        }
        for rule in rules {
            if let (Some(top), Word::Pop) = (rule.top, rule.word) {
                let (from, to) = (self.psa.control(rule.from), self.psa.control(rule.to));
                self.push(from, top, to);
            }
        }
        self.close_empty_stack(rules);
        loop {
            while let Some((from, symbol, to)) = self.work.pop() {
                if usize::is_multiple_of(edges, EDGES_PER_CHECK) {
                    go_on()?;
                }
                edges += 1;
                self.psa.add_edge(from, symbol, to);
                self.edge(from, symbol, to);
            }
            if !self.close_empty_stack(rules) {
                return Ok(());
            }
        }
    }

    fn push(&mut self, from: u32, symbol: SymbolId, to: u32) {
        if self.seen.insert((from, symbol, to)) {
            self.work.push((from, symbol, to));
        }
    }

    fn edge(&mut self, from: u32, symbol: SymbolId, to: u32) {
        if let Some(control) = self.psa.control_of(from) {
            for rule in self.by_top.get(&(control, symbol)).cloned().unwrap_or_default() {
                let Some(top) = rule.top else { continue };
                match rule.word {
                    Word::Rewrite(_) => {
                        let before = self.psa.control(rule.from);
                        self.push(before, top, to);
                    }
                    Word::Push { under, .. } => {
                        self.waiting.entry((to, under)).or_default().push((rule.from, top));
                        let reads: Vec<u32> = self.targets(to, under);
                        let before = self.psa.control(rule.from);
                        for target in reads {
                            self.push(before, top, target);
                        }
                    }
                    Word::Pop => {}
                }
            }
        }
        for (control, top) in self.waiting.get(&(from, symbol)).cloned().unwrap_or_default() {
            let before = self.psa.control(control);
            self.push(before, top, to);
        }
    }

    fn targets(&self, state: u32, symbol: SymbolId) -> Vec<u32> {
        let edges = self.psa.edges(state).iter();
        edges.filter(|&&(s, _)| s == symbol).map(|&(_, to)| to).collect()
    }

    /// Rules on the empty stack: whether a control state newly accepts the empty stack.
    fn close_empty_stack(&mut self, rules: &[PdsRule]) -> bool {
        let mut grown = false;
        loop {
            let mut again = false;
            for rule in rules.iter().filter(|rule| rule.top.is_none()) {
                let goal = rule.word.symbols();
                if self.psa.accepts(rule.to, goal) {
                    let state = self.psa.control(rule.from);
                    again |= self.psa.accept(state);
                }
            }
            grown |= again;
            if !again {
                return grown;
            }
        }
    }
}
