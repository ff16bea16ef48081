//! # Backward: pre* of the one pushdown system
//! From the ends that are asked for, each list p₂, …, p_k, p′ written under all stacks: it is a
//! solution if the start with the guess p₂, …, p_k over it can get there.
//!
//! Rules are used backwards, so all of them are needed at once. Which shared states and heads there
//! are is taken from above: an exploration with stacks cut to their tops ([`Above`]) has all that
//! any execution meets, and finitely many. Rules at other heads belong to no execution, and without
//! them the answer is the same.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use selvedge_automata::{Dfa, PdsRule, Psa, pre_star_while};
use selvedge_model::{Action, SharedId, SymbolId, System, TemplateId};

use super::Solution;
use super::frames::{Frame, Local};
use super::reader::{Reading, Wanted, step};
use super::sequential::{Head, Sequential};
use crate::converge::above::Above;
use crate::explore::Explorer;
use crate::explore::windows::Cut;
use crate::{Budget, Pace, Stop};

/// What is known of a system from above.
pub(super) struct Backward {
    shared: Vec<SharedId>,
    heads: FxHashSet<Head>,
    symbols: BTreeSet<(TemplateId, SymbolId)>,
}

impl Backward {
    pub fn new(system: &dyn System, budget: &Budget) -> Result<Self, Stop> {
        let above = Above::explore(system, Cut::tight(1), true, budget)?;
        let (reached, windows) = (above.explorer().reached(), above.explorer().locals());
        let shared: BTreeSet<SharedId> = reached.states().map(|(shared, _)| shared).collect();
        let top = |local| windows.get(local).symbols.first().copied();
        let heads: FxHashSet<Head> = reached
            .heads()
            .map(|(shared, template, local)| (template, shared, top(local)))
            .collect();
        let mut symbols = BTreeSet::new();
        let mut actions: Vec<Action> = Vec::new();
        for &(template, shared, top) in &heads {
            actions.clear();
            system.actions(template, shared, top, &mut actions)?;
            let words = actions.iter().flat_map(|action| action.word.symbols());
            symbols.extend(top.into_iter().chain(words).map(|symbol| (template, symbol)));
        }
        for state in system.initial()? {
            for thread in &state.threads {
                symbols.extend(thread.stack.iter().map(|symbol| (thread.template, symbol)));
            }
        }
        debug_assert!(above.explorer().has_collapsed());
        Ok(Backward { shared: shared.into_iter().collect(), heads, symbols })
    }

    /// The solutions for one round more than the guesses have, and a property that is broken.
    pub fn solve(
        &self,
        system: &dyn System,
        guesses: &[Solution],
        wanted: &[Wanted<'_>],
        budget: &Budget,
    ) -> Result<(Vec<Solution>, Option<usize>), Stop> {
        let rounds = guesses.first().map_or(0, |guess| guess.ends.len()) + 1;
        let mut sequential = Sequential::new(system, rounds, Some(&self.heads))?;
        let frames = self.frames(&mut sequential);
        let rules = self.rules(&mut sequential, &frames, rounds, budget)?;
        let questions: Vec<Solution> = guesses
            .iter()
            .flat_map(|Solution { initial, ends }| {
                let longer = |&last| ends.iter().copied().chain([last]).collect();
                self.shared
                    .iter()
                    .map(move |last| Solution { initial: *initial, ends: longer(last) })
            })
            .collect();
        let mut ask = |questions: &[Solution], wanted: Option<&Wanted<'_>>| {
            let mut targets = Psa::default();
            for Solution { initial, ends } in questions {
                let under = sequential.symbol(Frame::Guess(ends.clone()));
                let ends_well = reading_automaton(&sequential, &frames, under, ends, wanted);
                let shared = ends.clone();
                let control = sequential.control(Local { initial: *initial, round: 0, shared });
                targets.add_language(control, &ends_well);
                budget.check()?;
            }
            let before = pre_star_while(targets, &rules, || budget.check())?;
            let is_solution = |Solution { initial, ends }: &&Solution| {
                let guess = ends.split_last().map_or(&[][..], |(_, guess)| guess);
                let (control, top) = sequential.start(*initial, guess);
                let under = sequential.symbol(Frame::Guess(ends.clone()));
                before.accepts(control, [top, under])
            };
            let found: Vec<Solution> = questions.iter().filter(is_solution).cloned().collect();
            Ok::<_, Stop>(found)
        };
        let solutions = ask(&questions, None)?;
        let mut violated = None;
        for (number, property) in wanted.iter().enumerate() {
            let is_asked = |solution: &&Solution| {
                solution.ends.last().is_some_and(|&shared| property.may_be_broken_at(shared))
            };
            let asked: Vec<Solution> = solutions.iter().filter(is_asked).cloned().collect();
            if !asked.is_empty() && !ask(&asked, Some(property))?.is_empty() {
                violated = Some(number);
                break;
            }
        }
        Ok((solutions, violated))
    }

    /// All symbols of the pushdown system but the guesses.
    fn frames(&self, sequential: &mut Sequential<'_>) -> Vec<SymbolId> {
        let mut frames = vec![Frame::Done];
        for (number, state) in (0..).zip(sequential.initial()) {
            for (thread, info) in (0..).zip(&state.threads) {
                let rest = |height| Frame::Rest { thread, initial: number, height };
                frames.extend((0..=info.stack.0.len() as u32).map(rest));
                frames.push(Frame::Bottom(thread));
                let own = self.symbols.iter().filter(|(template, _)| *template == info.template);
                for &(_, symbol) in own {
                    frames.extend([Frame::Symbol(thread, symbol), Frame::Over(thread, symbol)]);
                }
            }
        }
        let mut symbols: Vec<_> =
            frames.into_iter().map(|frame| sequential.symbol(frame)).collect();
        symbols.sort_unstable();
        symbols.dedup();
        symbols
    }

    /// The rules of all control states.
    fn rules(
        &self,
        sequential: &mut Sequential<'_>,
        frames: &[SymbolId],
        rounds: usize,
        budget: &Budget,
    ) -> Result<Vec<PdsRule>, Stop> {
        let mut rules = Vec::new();
        let mut found = Vec::new();
        let mut tuple = vec![0; rounds];
        let mut pace = Pace::new(budget);
        loop {
            let shared: Vec<SharedId> = tuple.iter().map(|&at| self.shared[at]).collect();
            for initial in 0..sequential.initial().len() as u32 {
                for round in 0..rounds as u32 {
                    let from = sequential.control(Local { initial, round, shared: shared.clone() });
                    for &top in frames {
                        sequential.rules(from, top, &mut found)?;
                        pace.spend(1 + found.len())?;
                        let rule = |(to, word)| PdsRule { from, top: Some(top), to, word };
                        rules.extend(found.drain(..).map(rule));
                    }
                }
            }
            // The next tuple, counted like a number.
            let Some(digit) = tuple.iter().position(|&at| at + 1 < self.shared.len()) else {
                return Ok(rules);
            };
            tuple[digit] += 1;
            tuple[..digit].fill(0);
        }
    }
}

/// The automaton of the ends of runs, with this list under them.
fn reading_automaton(
    sequential: &Sequential<'_>,
    frames: &[SymbolId],
    under: SymbolId,
    ends: &[SharedId],
    wanted: Option<&Wanted<'_>>,
) -> Dfa {
    let mut readings = vec![Reading::Start];
    let mut states = Vec::new();
    let mut at = 0;
    while let Some(&reading) = readings.get(at) {
        let mut edges = Vec::new();
        for &symbol in frames.iter().chain([&under]) {
            let frame = sequential.frames.get(symbol.0);
            let Some(next) = step(wanted, sequential.threads(), ends, reading, frame) else {
                continue;
            };
            let known = readings.iter().position(|&known| known == next);
            let to = known.unwrap_or_else(|| {
                readings.push(next);
                readings.len() - 1
            });
            edges.push((symbol, to as u32));
        }
        states.push((reading == Reading::End, edges));
        at += 1;
    }
    Dfa::from_states(states).unwrap_or_default()
}
