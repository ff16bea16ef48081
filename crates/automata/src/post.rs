//! # post*: everything reachable
//!
//! **Question.** Which configurations can a pushdown system reach from a regular set of them?
//!
//! **Idea.** Saturation: if the automaton reads γ from the state of p to a state r, and there is a
//! rule (p, γ) → (p′, w), then it must read w from p′ to r. A pushed pair gets a state of its own
//! in the middle, one for each (p′, top symbol), so only finitely many edges can ever be added.
//!
//! **Claim** [Qadeer, Rehof 2004, Thm. 1; Schwoon 2002, Alg. 2]. The result accepts exactly the
//! reachable configurations.
//!
//! **Needs.** A first automaton without edges into control states, which [`Psa`] ensures. Rules
//! are asked for when a head is met, so they need not be known up front.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::{SymbolId, Word};

use crate::{Control, Psa};

/// Saturates the automaton with everything that is reachable from what it accepts. `rules` adds
/// what can be done at a head: the control state and the top symbol, or `None` for the empty stack.
pub fn post_star<E>(
    start: Psa,
    rules: impl FnMut(Control, Option<SymbolId>, &mut Vec<(Control, Word)>) -> Result<(), E>,
) -> Result<Psa, E> {
    let mut saturation = Saturation {
        work: Vec::new(),
        seen: FxHashSet::default(),
        middles: FxHashMap::default(),
        empty_from: FxHashMap::default(),
        bottom: None,
        psa: start,
        rules,
    };
    saturation.run()?;
    Ok(saturation.psa)
}

/// An edge that leaves a control state, still to be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Pending {
    Edge(Control, SymbolId, u32),
    /// The control state reads nothing and is at the state.
    Empty(Control, u32),
    /// The control state accepts the empty stack.
    EmptyStack(Control),
}

struct Saturation<R> {
    psa: Psa,
    rules: R,
    work: Vec<Pending>,
    seen: FxHashSet<Pending>,
    /// The state between the two symbols of a push, for each control state and top.
    middles: FxHashMap<(Control, SymbolId), u32>,
    /// The control states that have an empty edge to a state.
    empty_from: FxHashMap<u32, Vec<Control>>,
    /// An accepting state without edges: the bottom of stacks that grew from the empty one.
    bottom: Option<u32>,
}

impl<E, R> Saturation<R>
where
    R: FnMut(Control, Option<SymbolId>, &mut Vec<(Control, Word)>) -> Result<(), E>,
{
    fn run(&mut self) -> Result<(), E> {
        for control in self.psa.controls() {
            let state = self.psa.control(control);
            let edges = self.psa.edges(state).to_vec();
            for (symbol, to) in edges {
                self.push(Pending::Edge(control, symbol, to));
            }
            if self.psa.is_accepting(state) {
                self.push(Pending::EmptyStack(control));
            }
        }
        let mut found = Vec::new();
        while let Some(pending) = self.work.pop() {
            match pending {
                Pending::Edge(control, symbol, to) => {
                    let from = self.psa.control(control);
                    self.psa.add_edge(from, symbol, to);
                    (self.rules)(control, Some(symbol), &mut found)?;
                    for (next, word) in found.drain(..) {
                        self.apply(next, word, to);
                    }
                }
                Pending::Empty(control, to) => {
                    self.empty_from.entry(to).or_default().push(control);
                    for at in 0..self.psa.edges(to).len() {
                        let (symbol, target) = self.psa.edges(to)[at];
                        self.push(Pending::Edge(control, symbol, target));
                    }
                    if self.psa.is_accepting(to) {
                        self.push(Pending::EmptyStack(control));
                    }
                }
                Pending::EmptyStack(control) => {
                    let state = self.psa.control(control);
                    self.psa.accept(state);
                    (self.rules)(control, None, &mut found)?;
                    if !found.is_empty() {
                        let psa = &mut self.psa;
                        let bottom = *self.bottom.get_or_insert_with(|| psa.add_state(true));
                        for (next, word) in found.drain(..) {
                            self.apply(next, word, bottom);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, pending: Pending) {
        if self.seen.insert(pending) {
            self.work.push(pending);
        }
    }

    /// The top was replaced by `word`; what is below is read from `rest`.
    fn apply(&mut self, control: Control, word: Word, rest: u32) {
        match word {
            Word::Pop => self.push(Pending::Empty(control, rest)),
            Word::Rewrite(symbol) => self.push(Pending::Edge(control, symbol, rest)),
            Word::Push { top, under } => {
                let psa = &mut self.psa;
                let middle =
                    *self.middles.entry((control, top)).or_insert_with(|| psa.add_state(false));
                self.push(Pending::Edge(control, top, middle));
                if self.psa.add_edge(middle, under, rest) {
                    // Control states that skip to the middle can now read on.
                    for from in self.empty_from.get(&middle).cloned().unwrap_or_default() {
                        self.push(Pending::Edge(from, under, rest));
                    }
                }
            }
        }
    }
}
