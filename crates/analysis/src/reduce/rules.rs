//! # The rules of the one pushdown system
//! The rules of Fig. 4, grouped by their symbols: what a group does to shared states is a set of
//! pairs, which becomes a relation over the shared states of one round ([`super::tuples`]). The
//! rules that go on to the next round, and after the last one to the next thread, are the same
//! for all symbols and need no list.
//!
//! Three things differ from the figure:
//!
//! - Round K + 1 has no control state: it is left at once, for the start of the next thread.
//! - Threads may empty their stacks, and act then. So each has a bottom symbol of its own, on which
//!   its actions on the empty stack are rules.
//! - A thread may start with any stack. Its start symbol unfolds into it, symbol by symbol; until
//!   that is done, control is not handed on.
//!
//! Which shared states and heads there are is taken from above: an exploration with stacks cut to
//! their tops ([`Above`]) has all that any execution meets, and finitely many. Rules at other heads
//! belong to no execution, and without them the answer is the same.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use selvedge_model::{Action, SharedId, State, SymbolId, System, TemplateId, Word};

use super::frames::Frame;
use crate::converge::above::Above;
use crate::explore::Explorer;
use crate::explore::windows::Cut;
use crate::{Budget, Pace, Stop};

/// What a rule does to the shared states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// Nothing; only in runs from an initial state, if one is given.
    Nothing(Option<u32>),
    /// One of the steps ([`Pushdown::steps`]), in the round of the thread.
    Step(usize),
}

/// What a rule puts in the place of its symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Written {
    Nothing,
    One(Frame),
    Two { top: Frame, under: Frame },
}

/// A rule for all shared states at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub from: Frame,
    pub effect: Effect,
    pub written: Written,
}

/// The one pushdown system of a concurrent one, for any number of rounds.
pub(super) struct Pushdown {
    pub rules: Vec<Rule>,
    /// The rules of each symbol, by number.
    pub of: FxHashMap<Frame, Vec<usize>>,
    /// Pairs of shared states, by their numbers.
    pub steps: Vec<Vec<(u32, u32)>>,
    /// The shared states by number.
    pub shared: Vec<SharedId>,
    /// The number of the shared state of each initial state.
    pub initial: Vec<u32>,
    pub threads: usize,
}

/// The key of a group of rules: a template, a top symbol and its replacement.
type Group = (TemplateId, Option<SymbolId>, Word);

impl Pushdown {
    pub fn new(system: &dyn System, budget: &Budget) -> Result<Self, Stop> {
        let initial = system.initial()?;
        let above = Above::explore(system, Cut::tight(1), true, budget)?;
        debug_assert!(above.explorer().has_collapsed());
        let (reached, windows) = (above.explorer().reached(), above.explorer().locals());
        let mut shared: BTreeSet<SharedId> = reached.states().map(|(shared, _)| shared).collect();
        shared.extend(initial.iter().map(|state| state.shared));
        let shared: Vec<SharedId> = shared.into_iter().collect();
        let numbers: FxHashMap<SharedId, u32> = shared.iter().copied().zip(0..).collect();
        let mut groups: BTreeMap<Group, Vec<(u32, u32)>> = BTreeMap::new();
        let mut actions: Vec<Action> = Vec::new();
        let mut pace = Pace::new(budget);
        let mut heads = BTreeSet::new();
        for (shared, template, local) in reached.heads() {
            heads.insert((template, shared, windows.get(local).symbols.first().copied()));
        }
        for (template, from, top) in heads {
            actions.clear();
            system.actions(template, from, top, &mut actions)?;
            pace.spend(1 + actions.len())?;
            for action in &actions {
                // All that a step leads to is seen from above, too.
                let (Some(&from), Some(&to)) = (numbers.get(&from), numbers.get(&action.shared))
                else {
                    debug_assert!(false, "a shared state that was not seen from above");
                    continue;
                };
                groups.entry((template, top, action.word)).or_default().push((from, to));
            }
        }
        let mut pushdown = Pushdown {
            rules: Vec::new(),
            of: FxHashMap::default(),
            steps: Vec::new(),
            initial: initial
                .iter()
                .filter_map(|state| numbers.get(&state.shared))
                .copied()
                .collect(),
            shared,
            threads: system.threads().len(),
        };
        pushdown.starts(&initial);
        let templates: Vec<TemplateId> = system.threads().iter().map(|t| t.template).collect();
        for ((template, top, word), pairs) in groups {
            let step = pushdown.steps.len();
            pushdown.steps.push(pairs);
            for (thread, _) in (0..).zip(&templates).filter(|(_, own)| **own == template) {
                pushdown.act(thread, top, word, step);
            }
        }
        for (index, rule) in pushdown.rules.iter().enumerate() {
            pushdown.of.entry(rule.from).or_default().push(index);
        }
        Ok(pushdown)
    }

    fn add(&mut self, from: Frame, effect: Effect, written: Written) {
        self.rules.push(Rule { from, effect, written });
    }

    /// The symbols of each thread, from which it can be interrupted.
    pub fn switching(&self) -> Vec<BTreeSet<Frame>> {
        let mut all = vec![BTreeSet::new(); self.threads];
        let written = |written| match written {
            Written::Nothing => vec![],
            Written::One(frame) => vec![frame],
            Written::Two { top, under } => vec![top, under],
        };
        let frames = self.rules.iter().flat_map(|r| [vec![r.from], written(r.written)].concat());
        for frame in frames.filter(|frame| frame.can_switch()) {
            all[frame.thread() as usize].insert(frame);
        }
        all
    }

    /// How threads unfold the stacks that they start with.
    fn starts(&mut self, initial: &[State]) {
        for (number, state) in (0..).zip(initial) {
            for (thread, info) in (0..).zip(&state.threads) {
                let rest = |height| Frame::Rest { thread, initial: number, height };
                let heights = (0..).zip(&info.stack.0).last().map_or(0, |(under, _)| under + 1);
                let first = Written::One(rest(heights));
                self.add(Frame::Start(thread), Effect::Nothing(Some(number)), first);
                let bottom = Written::One(Frame::Bottom(thread));
                self.add(rest(0), Effect::Nothing(None), bottom);
                for (height, &symbol) in (1..).zip(&info.stack.0) {
                    let top = Frame::Symbol(thread, symbol);
                    let written = Written::Two { top, under: rest(height - 1) };
                    self.add(rest(height), Effect::Nothing(None), written);
                }
            }
        }
    }

    /// An action of a thread. If its stack is empty, the bottom stays under what is written.
    fn act(&mut self, thread: u32, top: Option<SymbolId>, word: Word, step: usize) {
        let own = |symbol| Frame::Symbol(thread, symbol);
        let bottom = Frame::Bottom(thread);
        let written = match (word, top) {
            (Word::Pop, Some(_)) => Written::Nothing,
            (Word::Pop, None) => Written::One(bottom),
            (Word::Rewrite(symbol), Some(_)) => Written::One(own(symbol)),
            (Word::Rewrite(symbol), None) => Written::Two { top: own(symbol), under: bottom },
            (Word::Push { top, under }, Some(_)) => {
                Written::Two { top: own(top), under: own(under) }
            }
            (Word::Push { top, under }, None) => {
                let over = Frame::Over(thread, under);
                if !self.rules.iter().any(|rule| rule.from == over) {
                    let unfolded = Written::Two { top: own(under), under: bottom };
                    self.add(over, Effect::Nothing(None), unfolded);
                }
                Written::Two { top: own(top), under: over }
            }
        };
        self.add(top.map_or(bottom, own), Effect::Step(step), written);
    }
}
