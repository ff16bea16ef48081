//! # A run to a configuration
//!
//! **Question.** A configuration (control state and stack) can be reached from some stack of a regular set. From which stack, and by which
//! rules?
//!
//! **Idea.** pre* from the configuration, with lengths: an edge that reads γ from p to r stands for the shortest run that takes γ off
//! the stack at p, and says by which rule that begins and which edges follow. Edges are settled in the order of their lengths, shortest first
//! (Knuth 1977, Dijkstra's algorithm for derivations). The bottom of the stack is a symbol of its own, so that rules on the empty stack
//! are rules like others.
//!
//! **Claim** [Reps, Schwoon, Jha, Melski 2005, Sec. 3]. The run is the shortest one from any stack of the set.
//!
//! **Needs.** All rules that the run may use.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::SymbolId;

use crate::{Control, Dfa, PdsRule};

/// A run of one pushdown system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PdsRun {
    /// The stack with which it begins, top first.
    pub stack: Vec<SymbolId>,
    /// Its rules, by their places in the list.
    pub rules: Vec<usize>,
}

/// The shortest run from a stack of a set at one control state to a stack (top first) at another, if there is one. `spend` hears of the
/// work that is done, and may end it.
pub fn shortest_run<E>(
    (from, stacks): (Control, &Dfa),
    rules: &[PdsRule],
    (to, stack): (Control, &[SymbolId]),
    mut spend: impl FnMut(usize) -> Result<(), E>,
) -> Result<Option<PdsRun>, E> {
    let mut search =
        Derivations { produced: rules.iter().map(produced).collect(), ..Derivations::default() };
    // The configuration itself: a chain of edges to the only state that accepts.
    let last = search.state();
    let mut at = search.control(to);
    for symbol in stack {
        let next = search.state();
        search.propose(Edge { from: at, symbol: Some(*symbol), to: next }, 0, None);
        at = next;
    }
    search.propose(Edge { from: at, symbol: None, to: last }, 0, None);
    for (number, rule) in rules.iter().enumerate() {
        let at = search.control(rule.to);
        search.go_on(rules, Partial { rule: number, edges: Vec::new(), at, length: 0 });
    }
    search.settle(rules, &mut spend)?;
    let Some((stack, mut open)) = search.best_start(search.controls.get(&from).copied(), stacks)
    else {
        return Ok(None);
    };
    let mut run = Vec::new();
    open.reverse();
    // What is left when a part of the chain comes up is the chain itself.
    while let Some((rule, edges)) = open.pop().and_then(|edge| search.settled[edge].how.as_ref()) {
        spend(1)?;
        run.push(*rule);
        open.extend(edges.iter().rev());
    }
    Ok(Some(PdsRun { stack, rules: run }))
}

/// What a rule leaves on the stack, with the bottom where it was.
fn produced(rule: &PdsRule) -> Vec<Option<SymbolId>> {
    let bottom = rule.top.is_none().then_some(None);
    rule.word.symbols().map(Some).chain(bottom).collect()
}

/// Reads a symbol (or the bottom) from one state to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Edge {
    from: u32,
    symbol: Option<SymbolId>,
    to: u32,
}

/// The rule with which an edge begins, and the edges that follow.
type How = Option<(usize, Vec<usize>)>;

/// A state and one of the set, with the node before and the edge between them.
type Node = (u32, u32, Option<(usize, usize)>);

/// An edge with the length of the run that it stands for.
struct Settled {
    edge: Edge,
    length: u64,
    how: How,
}

/// A rule of which the first symbols that it produces are read.
#[derive(Clone)]
struct Partial {
    rule: usize,
    edges: Vec<usize>,
    at: u32,
    length: u64,
}

#[derive(Default)]
struct Derivations {
    states: u32,
    controls: FxHashMap<Control, u32>,
    /// What each rule produces.
    produced: Vec<Vec<Option<SymbolId>>>,
    /// The edges that are settled, in the order of their lengths.
    settled: Vec<Settled>,
    is_settled: FxHashSet<Edge>,
    /// The settled edges of a state that read a symbol.
    by_symbol: FxHashMap<(u32, Option<SymbolId>), Vec<usize>>,
    /// Rules that wait for such an edge.
    waiting: FxHashMap<(u32, Option<SymbolId>), Vec<Partial>>,
    /// Edges to be settled, by length and then by the order in which they were found.
    open: BinaryHeap<Reverse<(u64, usize)>>,
    proposals: Vec<Option<(Edge, How)>>,
}

impl Derivations {
    fn state(&mut self) -> u32 {
        self.states += 1;
        self.states
    }

    fn control(&mut self, control: Control) -> u32 {
        if let Some(&state) = self.controls.get(&control) {
            return state;
        }
        let state = self.state();
        self.controls.insert(control, state);
        state
    }

    fn propose(&mut self, edge: Edge, length: u64, how: How) {
        if !self.is_settled.contains(&edge) {
            self.open.push(Reverse((length, self.proposals.len())));
            self.proposals.push(Some((edge, how)));
        }
    }

    /// Reads on what a rule has produced, by all edges that are settled; the others come later.
    fn go_on(&mut self, rules: &[PdsRule], partial: Partial) {
        let Partial { rule, at, length, .. } = partial;
        let Some(&symbol) = self.produced[rule].get(partial.edges.len()) else {
            let PdsRule { from, top, .. } = rules[rule];
            let edge = Edge { from: self.control(from), symbol: top, to: at };
            self.propose(edge, length.saturating_add(1), Some((rule, partial.edges)));
            return;
        };
        for edge in self.by_symbol.get(&(at, symbol)).cloned().unwrap_or_default() {
            self.go_on(rules, self.read(&partial, edge));
        }
        self.waiting.entry((at, symbol)).or_default().push(partial);
    }

    fn read(&self, partial: &Partial, edge: usize) -> Partial {
        let mut next = partial.clone();
        next.edges.push(edge);
        next.at = self.settled[edge].edge.to;
        next.length = next.length.saturating_add(self.settled[edge].length);
        next
    }

    fn settle<E>(
        &mut self,
        rules: &[PdsRule],
        spend: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(Reverse((length, proposal))) = self.open.pop() {
            let Some((edge, how)) = self.proposals[proposal].take() else { continue };
            if !self.is_settled.insert(edge) {
                continue;
            }
            let number = self.settled.len();
            self.settled.push(Settled { edge, length, how });
            let place = (edge.from, edge.symbol);
            // Those who begin to wait below find it in the list.
            let waiting = self.waiting.get(&place).cloned().unwrap_or_default();
            self.by_symbol.entry(place).or_default().push(number);
            spend(1 + waiting.len())?;
            for partial in waiting {
                self.go_on(rules, self.read(&partial, number));
            }
        }
        Ok(())
    }

    /// The stack of a set from which the run is shortest, with the edges that read it and the bottom.
    fn best_start(&self, from: Option<u32>, stacks: &Dfa) -> Option<(Vec<SymbolId>, Vec<usize>)> {
        let from = from.filter(|_| !stacks.is_empty())?;
        let mut nodes: Vec<Node> = vec![(from, 0, None)];
        let mut open = BinaryHeap::from([Reverse((0_u64, 0))]);
        let mut done = FxHashSet::default();
        // The bottom is read last: by whom, and how long all takes.
        let mut best: Option<(u64, usize, usize)> = None;
        while let Some(Reverse((length, node))) = open.pop() {
            if best.is_some_and(|(shortest, ..)| shortest <= length) {
                break;
            }
            let (state, of_set, _) = nodes[node];
            if !done.insert((state, of_set)) {
                continue;
            }
            let edges = |symbol| self.by_symbol.get(&(state, symbol)).into_iter().flatten();
            if stacks.accepts_at(of_set) {
                for &edge in edges(None) {
                    let length = length.saturating_add(self.settled[edge].length);
                    if best.is_none_or(|(shortest, ..)| length < shortest) {
                        best = Some((length, node, edge));
                    }
                }
            }
            for &(symbol, next) in stacks.edges(of_set) {
                for &edge in edges(Some(symbol)) {
                    let Settled { edge: Edge { to, .. }, length: more, .. } = self.settled[edge];
                    open.push(Reverse((length.saturating_add(more), nodes.len())));
                    nodes.push((to, next, Some((node, edge))));
                }
            }
        }
        let (_, mut node, bottom) = best?;
        let mut read = vec![bottom];
        while let Some((before, edge)) = nodes[node].2 {
            read.push(edge);
            node = before;
        }
        read.reverse();
        let symbols = read.iter().filter_map(|&edge| self.settled[edge].edge.symbol);
        Some((symbols.collect(), read))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, VecDeque};
    use std::convert::Infallible;

    use selvedge_model::{Stack, SymbolId, Word};

    use super::shortest_run;
    use crate::{Control, Dfa, PdsRule};

    fn random_rules(rng: &mut fastrand::Rng) -> Vec<PdsRule> {
        let symbol = |rng: &mut fastrand::Rng| SymbolId(rng.u32(0..3));
        (0..rng.usize(6..18))
            .map(|_| {
                let top = (rng.u32(0..5) > 0).then(|| symbol(rng));
                let word = match rng.u32(0..3) {
                    0 => Word::Pop,
                    1 => Word::Rewrite(symbol(rng)),
                    _ if top.is_none() => Word::Rewrite(symbol(rng)),
                    _ => Word::Push { top: symbol(rng), under: symbol(rng) },
                };
                PdsRule { from: Control(rng.u32(0..3)), top, to: Control(rng.u32(0..3)), word }
            })
            .collect()
    }

    /// Lengths of shortest runs from one configuration, for stacks up to a height.
    fn lengths(start: &[SymbolId], rules: &[PdsRule]) -> HashMap<(Control, Stack), usize> {
        let first = (Control(0), Stack::top_first(start.iter().copied()));
        let mut found = HashMap::from([(first.clone(), 0)]);
        let mut open = VecDeque::from([first]);
        while let Some((control, stack)) = open.pop_front() {
            let length = found[&(control, stack.clone())];
            for rule in rules.iter().filter(|r| r.from == control && r.top == stack.top()) {
                let mut next = stack.clone();
                next.replace_top(rule.word);
                let next = (rule.to, next);
                if next.1.iter().count() <= 7 && !found.contains_key(&next) {
                    found.insert(next.clone(), length + 1);
                    open.push_back(next);
                }
            }
        }
        found
    }

    #[test]
    fn runs_are_the_shortest_ones() {
        let mut rng = fastrand::Rng::with_seed(11);
        let (mut compared, mut long) = (0, 0);
        for _ in 0..400 {
            let rules = random_rules(&mut rng);
            let starts: Vec<Vec<SymbolId>> = (0..2)
                .map(|_| (0..rng.usize(0..3)).map(|_| SymbolId(rng.u32(0..3))).collect())
                .collect();
            let union = |a: bool, b: bool| a || b;
            let set = Dfa::word(starts[0].clone()).combine(&Dfa::word(starts[1].clone()), union);
            let found = starts.iter().map(|start| lengths(start, &rules)).collect::<Vec<_>>();
            let mut goals: Vec<_> = found.iter().flat_map(|found| found.keys().cloned()).collect();
            goals.retain(|(_, stack)| stack.iter().count() <= 2);
            goals.sort_by_key(|(control, stack)| (control.0, stack.iter().collect::<Vec<_>>()));
            goals.dedup();
            for (control, stack) in goals {
                let least =
                    found.iter().filter_map(|found| found.get(&(control, stack.clone()))).min();
                let goal: Vec<SymbolId> = stack.iter().collect();
                let run = shortest_run((Control(0), &set), &rules, (control, &goal), |_| {
                    Ok::<_, Infallible>(())
                });
                let run = run.unwrap().expect("it was reached");
                assert!(starts.contains(&run.stack));
                let mut state = (Control(0), Stack::top_first(run.stack.iter().copied()));
                for &rule in &run.rules {
                    assert_eq!((rules[rule].from, rules[rule].top), (state.0, state.1.top()));
                    state.0 = rules[rule].to;
                    state.1.replace_top(rules[rule].word);
                }
                assert_eq!(state, (control, stack));
                // Through higher stacks than are listed a run may be shorter.
                assert!(Some(&run.rules.len()) <= least);
                compared += 1;
                long += usize::from(run.rules.len() > 3);
            }
            let nowhere = (Control(9), &[SymbolId(0)][..]);
            let run =
                shortest_run((Control(0), &set), &rules, nowhere, |_| Ok::<_, Infallible>(()));
            assert_eq!(run, Ok(None));
        }
        assert!(compared > 1_500 && long > 200, "{compared}, {long}");
    }
}
