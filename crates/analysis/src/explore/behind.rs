//! # The run behind a violation
//!
//! **Question.** A violation is among the states that were reached. Which run leads to it?
//!
//! **Idea.** Nothing is kept for this while states are added. The moves that were made are remembered, by what a thread has and the shared state;
//! turned around, they say what a state may have been before, and the set of states says whether that was reached, and
//! at which bound. So a run is followed backwards from the violation: within one context, or one round, to a state that an earlier
//! bound reaches, and from there again.
//!
//! A move of single stacks is an action. A move of sets of stacks is a whole context: backwards, from the stacks at the end, it is known
//! with which stack each context ends, and a run of the thread gives the stack with which it began ([`Locals::run`]).
//!
//! **Claim.** There always is such a way: a state was added because a thread moved from another one, within the same
//! context or round of that thread, or from an earlier bound. The run is within the bound.
//!
//! **Needs.** What was reached from the initial states, bound by bound, all of it from below.

use rustc_hash::FxHashSet;
use selvedge_evidence::Trace;
use selvedge_model::{
    Action, Pattern, Property, SharedId, Stack, StackPattern, State, TemplateId, ThreadId,
    TopPattern, advance,
};

use super::places::put_in_place;
use super::reached::Reached;
use super::shortest::lost;
use super::target::Target;
use super::{Locals, Move};
use crate::{Bound, Budget, Pace, Resource, Stop};

/// Stands for any entry, or for none.
pub(super) const ANYBODY: u32 = u32::MAX;

/// A state that breaks a property, with a stack for each thread.
struct Goal {
    state: u32,
    stacks: Vec<(u32, Stack)>,
}

/// A move on the way.
#[derive(Clone, Copy)]
struct Taken {
    /// The state from which it leads on.
    before: u32,
    /// The entry of the thread that moves.
    moves: u32,
    /// The number of the move.
    index: u32,
}

/// A state with who moves there, and the move with the place in the list of where it leads.
type Open = (u32, u32, Option<(usize, Taken)>);

/// The moves that were made, by what they lead to: the shared state and the entry after, and those before. The entry after is
/// [`ANYBODY`] if the thread is then forgotten.
pub(super) struct Backwards(Vec<[u32; 4]>);

impl Backwards {
    pub fn new<L: Locals>(reached: &Reached<'_, L>, pace: &mut Pace<'_>) -> Result<Self, Stop> {
        let space = &reached.space;
        let mut list = Vec::new();
        for (shared, entry) in space.heads() {
            let Some(entry) = space.find(entry) else { continue };
            let Some(range) = space.known_moves(shared.0, entry) else { continue };
            pace.spend(1 + range.len())?;
            for step in space.moves(range) {
                let after = if step.forgotten { ANYBODY } else { step.entry };
                list.push([step.shared.0, after, shared.0, entry]);
            }
        }
        list.sort_unstable();
        list.dedup();
        Ok(Backwards(list))
    }

    /// The shared states and entries before moves to these.
    pub fn leading_to(&self, shared: u32, entry: u32) -> impl Iterator<Item = (u32, u32)> {
        let start = self.0.partition_point(|&[s, e, ..]| (s, e) < (shared, entry));
        let same = self.0[start..].iter().take_while(move |&&[s, e, ..]| (s, e) == (shared, entry));
        same.map(|&[.., shared, entry]| (shared, entry))
    }
}

impl<L: Locals> Reached<'_, L> {
    /// A run within the bound, which is the current one, that breaks one of the properties.
    pub(super) fn run(
        &mut self,
        properties: &[Property],
        bound: Bound,
        budget: &Budget,
    ) -> Result<Trace, Stop> {
        let mut pace = Pace::new(budget);
        let Some(goal) = self.goal(properties, bound.count, &mut pace)? else { return Err(lost()) };
        let way = self.way(goal.state, bound.resource, &mut pace)?;
        self.lift(&way, goal, properties, &mut pace)
    }

    /// The first state at a bound that breaks a property, with stacks that do.
    fn goal(
        &self,
        properties: &[Property],
        bound: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Goal>, Stop> {
        let classes = &self.space.classes;
        let mut targets: Vec<_> = properties.iter().map(|p| Target::new(p, classes)).collect();
        let mut whole: Vec<StackPattern> = Vec::new();
        for property in properties {
            if let Property::Unreachable(Pattern::Configuration { stacks, .. }) = property {
                whole.extend(stacks.iter().filter(|s| !matches!(s, StackPattern::Top(_))).cloned());
            }
        }
        for state in self.states_at(bound) {
            pace.spend(1)?;
            let word = self.states.get(state);
            let may_be = |target: &mut Target| {
                target.names_stacks() || target.may_be_hit(&*self.space.system, word[0])
            };
            if !targets.iter_mut().any(may_be) {
                continue;
            }
            let entries = self.space.layout.entries(&word);
            let threads: Vec<u32> =
                entries.flat_map(|(e, count)| std::iter::repeat_n(e, count as usize)).collect();
            let choices: Vec<Vec<Stack>> =
                threads.iter().map(|&entry| self.candidates(entry, &whole)).collect();
            if choices.iter().any(Vec::is_empty) {
                continue;
            }
            let mut chosen = vec![0; threads.len()];
            loop {
                pace.spend(1)?;
                let stack = |thread: usize| &choices[thread][chosen[thread]];
                let class = |thread: usize| self.space.entry(threads[thread]).0;
                let tops = || {
                    let top = |thread| ((class(thread), stack(thread).top()), 1);
                    (0..threads.len()).map(top).collect()
                };
                let is_hit = self.space.hit(&mut targets, word[0], tops)?.is_some() || {
                    let kinds =
                        (0..threads.len()).map(|thread| ((class(thread), thread as u32), 1));
                    let kinds: Vec<_> = kinds.collect();
                    targets.iter().any(|target| {
                        target.is_hit_by_stacks(word[0], &kinds, |(_, thread), pattern| {
                            pattern.matches(stack(thread as usize).iter())
                        })
                    })
                };
                if is_hit {
                    let stacks = threads.iter().enumerate();
                    let stacks = stacks.map(|(thread, &entry)| (entry, stack(thread).clone()));
                    return Ok(Some(Goal { state, stacks: stacks.collect() }));
                }
                if !next_choice(&mut chosen, &choices) {
                    break;
                }
            }
        }
        Ok(None)
    }

    /// Stacks of a thread among which properties can tell: one with each top, and those that are named whole.
    fn candidates(&self, entry: u32, whole: &[StackPattern]) -> Vec<Stack> {
        let (_, local) = self.space.entry(entry);
        let locals = &self.space.locals;
        let tops = locals
            .tops(local)
            .into_iter()
            .map(|top| StackPattern::Top(top.map_or(TopPattern::Empty, TopPattern::Symbol)));
        let mut stacks: Vec<Stack> = whole
            .iter()
            .cloned()
            .chain(tops)
            .filter_map(|p| locals.stack_like(local, &p))
            .collect();
        let mut seen = FxHashSet::default();
        stacks.retain(|stack| seen.insert(stack.clone()));
        stacks
    }

    /// A way from an initial state.
    fn way(&self, goal: u32, resource: Resource, pace: &mut Pace<'_>) -> Result<Vec<Taken>, Stop> {
        let backwards = Backwards::new(self, pace)?;
        let mut way: Vec<Taken> = Vec::new();
        let mut state = goal;
        while self.needed(state) != Some(0) {
            let part = self.way_back(&backwards, state, resource, pace)?.ok_or_else(lost)?;
            let Some(first) = part.last() else { return Err(lost()) };
            state = first.before;
            way.extend(part);
        }
        way.reverse();
        Ok(way)
    }

    /// Moves that lead to a state from one that an earlier bound reaches, the last one first: all of one thread, or of one round.
    fn way_back(
        &self,
        backwards: &Backwards,
        goal: u32,
        resource: Resource,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Vec<Taken>>, Stop> {
        let least = self.needed(goal);
        let mut open: Vec<Open> = vec![(goal, ANYBODY, None)];
        let mut seen = FxHashSet::default();
        let mut at = 0;
        while let Some(&(state, next, _)) = open.get(at) {
            let word = self.states.get(state);
            let entries = self.space.layout.entries(&word).map(|(entry, _)| entry);
            for entry in entries.chain([ANYBODY]) {
                if !self.may_precede(entry, next, resource) {
                    continue;
                }
                for (shared, moves) in backwards.leading_to(word[0], entry) {
                    for (before, index) in self.before(&word, entry, (shared, moves), pace)? {
                        let taken = Taken { before, moves, index };
                        if self.needed(before) < least {
                            let mut part = vec![taken];
                            let mut at = at;
                            while let Some((later, taken)) = open[at].2 {
                                part.insert(0, taken);
                                at = later;
                            }
                            return Ok(Some(part));
                        }
                        if self.needed(before) == least && seen.insert((before, moves)) {
                            open.push((before, moves, Some((at, taken))));
                        }
                    }
                }
            }
            at += 1;
        }
        Ok(None)
    }

    /// Whether a thread that has become an entry may move before one that has another entry, in one context or one round.
    fn may_precede(&self, entry: u32, next: u32, resource: Resource) -> bool {
        if next == ANYBODY {
            return true;
        }
        match resource {
            Resource::Rounds | Resource::RoundRobin { .. } => {
                entry != ANYBODY && self.space.entry(entry).0 <= self.space.entry(next).0
            }
            Resource::Contexts | Resource::ContextsOf { .. } | Resource::Threads => entry == next,
        }
    }

    /// The states that were reached from which a thread with an entry makes a move to a state, in which it has another entry; with the
    /// number of the move.
    pub(super) fn before(
        &self,
        word: &[u32],
        after: u32,
        (shared, moves): (u32, u32),
        pace: &mut Pace<'_>,
    ) -> Result<Vec<(u32, u32)>, Stop> {
        let space = &self.space;
        let mut found = Vec::new();
        let mut next = Vec::new();
        for index in space.known_moves(shared, moves).into_iter().flatten() {
            pace.spend(1)?;
            let before = space.step_back(word, after, (shared, moves), index);
            // Only the step forward decides whether this was the state before.
            if let Some(state) = before.and_then(|before| {
                space.step(&before, moves, index, &mut next)?;
                (next == word).then(|| self.states.find(&before))?
            }) {
                found.push((state, index));
            }
        }
        Ok(found)
    }

    /// The run of a way: threads in the place of entries, actions in the place of moves.
    fn lift(
        &mut self,
        way: &[Taken],
        goal: Goal,
        properties: &[Property],
        pace: &mut Pace<'_>,
    ) -> Result<Trace, Stop> {
        let system = self.space.system.clone();
        let first = way.first().map_or(goal.state, |taken| taken.before);
        let first = self.states.get(first).to_vec();
        let mut initial = None;
        for state in system.initial()? {
            if self.space.word(&state)? == first {
                initial = Some(state);
                break;
            }
        }
        let Some(initial) = initial else { return Err(lost()) };
        let (acting, mut entries) = self.cast(&initial, way)?;
        // The stacks at the end, and from there backwards.
        let mut stacks: Vec<Stack> = vec![Stack::default(); entries.len()];
        for (entry, stack) in goal.stacks {
            let thread = entries.iter().position(|&e| e == entry).ok_or_else(lost)?;
            entries[thread] = ANYBODY;
            stacks[thread] = stack;
        }
        let mut runs: Vec<Vec<Action>> = Vec::with_capacity(way.len());
        for (taken, acts) in way.iter().zip(&acting).rev() {
            let (class, local) = self.space.entry(taken.moves);
            let thread = (class, SharedId(self.states.get(taken.before)[0]), local);
            let to = self.move_of(taken.index);
            let stack = &stacks[acts.thread];
            let (locals, classes) = (&mut self.space.locals, &self.space.classes);
            let (stack, actions) =
                locals.run(&*system, classes, thread, &to, stack, pace)?.ok_or_else(lost)?;
            stacks[acts.thread] = stack;
            runs.push(actions);
        }
        runs.reverse();
        let mut ids: Vec<Option<ThreadId>> = initial.thread_ids().map(Some).collect();
        ids.resize(stacks.len(), None);
        let mut trace = Trace::start(initial.clone());
        let mut state = initial;
        for ((taken, acts), actions) in way.iter().zip(&acting).zip(runs) {
            let thread = ids[acts.thread].ok_or_else(lost)?;
            for action in actions {
                let started = ThreadId::from(state.threads.len());
                trace.steps.push((thread, action));
                advance(&mut state, thread, action);
                let Some(new) = state.threads.get(started.index()) else { continue };
                let templates = self.space.started(taken.index).iter().map(|&entry| {
                    let (class, _) = self.space.entry(entry);
                    self.space.classes.template(class)
                });
                let is_it = |&(number, template): &(usize, TemplateId)| {
                    ids[number].is_none() && template == new.template && stacks[number] == new.stack
                };
                let (number, _) =
                    acts.starts.clone().zip(templates).find(is_it).ok_or_else(lost)?;
                ids[number] = Some(started);
            }
        }
        // A property may name its threads: they get the names that it means.
        put_in_place(&*system, trace, &state, properties, &self.space.classes)?.ok_or_else(lost)
    }

    /// Which thread makes each move, and the entries that all have at the end: those of the initial state, then those that are started, in
    /// their order.
    fn cast(&mut self, initial: &State, way: &[Taken]) -> Result<(Vec<Acts>, Vec<u32>), Stop> {
        let mut entries: Vec<u32> = Vec::new();
        for thread in initial.thread_ids() {
            entries.push(self.entry_of(initial, thread).unwrap_or(ANYBODY));
        }
        let mut acting = Vec::with_capacity(way.len());
        let mut last = None;
        for taken in way {
            // The thread that acted last goes on, if that is possible.
            let is_it = |&thread: &usize| entries[thread] == taken.moves;
            let mut all = last.into_iter().chain(0..entries.len());
            let thread = all.find(is_it).ok_or_else(lost)?;
            let step = self.space.moves(taken.index..taken.index + 1)[0];
            entries[thread] = if step.forgotten { ANYBODY } else { step.entry };
            let started = entries.len();
            entries.extend_from_slice(self.space.started(taken.index));
            acting.push(Acts { thread, starts: started..entries.len() });
            last = Some(thread);
        }
        Ok((acting, entries))
    }

    /// A move as the locals made it.
    fn move_of(&self, index: u32) -> Move {
        let step = self.space.moves(index..index + 1)[0];
        let started = self.space.started(index).iter().map(|&entry| {
            let (class, local) = self.space.entry(entry);
            (self.space.classes.template(class), local)
        });
        let (_, local) = self.space.entry(step.entry);
        Move { shared: step.shared, local, spawns: started.collect() }
    }
}

/// The thread that makes a move, and the threads that it starts.
struct Acts {
    thread: usize,
    starts: std::ops::Range<usize>,
}

/// Goes to the next combination of choices; whether there is one.
fn next_choice<T>(chosen: &mut [usize], choices: &[Vec<T>]) -> bool {
    for (number, list) in chosen.iter_mut().zip(choices) {
        *number += 1;
        if *number < list.len() {
            return true;
        }
        *number = 0;
    }
    false
}
