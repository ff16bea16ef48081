//! # The graph of states
//! All states that can be reached, in the order of their distance from the start, and every step
//! between them: who acts, which action it is, where it leads. Those that have been *followed* are
//! the first ones; of the others it is known only that they are there.
//!
//! A graph may *forget*: whenever a thread calls, it may forget all that lies under the new top of its
//! stack, and is then not followed to where it would return from there. What is left of the stack is
//! what it looks at from then on, so every run of such a graph is one of the system; and a run in
//! which stacks grow for ever can come back to the same state. (The new top is a *keyframe* [Atig,
//! Bouajjani, Emmi, Lal 2012, Sec. 3.3].) Stacks have a largest height there: such a graph shows
//! runs, and proves nothing.

mod wave;

use std::ops::Range;

use rustc_hash::FxHashMap;
use selvedge_evidence::Trace;
use selvedge_model::{
    Action, Endless, FairChoice, Fairness, SharedId, State, SymbolId, System, TemplateId, Thread,
    ThreadId, Word,
};
use selvedge_store::{Full, Id, Interner, StateSet};

use crate::explore::Locals;
use crate::explore::stacks::Stacks;
use crate::{Budget, Pace, Stop};
pub(super) use wave::FEW_STATES;
use wave::Waves;

/// Stacks higher than this end the search: they probably grow for ever.
const HIGHEST_STACK: usize = 10_000;

/// States are copied, compared and stored whole: so many numbers of one cost as much as a move.
const WORDS_PER_MOVE: usize = 8;

/// With more places than this, room is made for all of them at once.
const MANY_PLACES: usize = 16;

/// A step from a state.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub to: u32,
    /// The position of the thread that acts.
    pub thread: u32,
    /// The number of the move that it makes.
    action: u32,
}

/// A step of a thread, where steps are looked at one by one.
#[derive(Clone, Copy)]
pub(super) struct GraphStep {
    pub to: u32,
    thread: u32,
    action: u32,
}

/// A shared state and a thread there, as numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Pair {
    pub shared: u32,
    pub local: u32,
}

/// Stacks that are higher than this probably grow, where states of a few rounds are listed.
const HIGHEST_LISTED: usize = 32;

/// Lies at the bottom of a stack of which the rest was forgotten.
const FORGOTTEN: SymbolId = SymbolId(u32::MAX);

/// The moves of a thread at a shared state that are followed, as a range, and whether it can act.
#[derive(Clone, Copy)]
struct Moves {
    start: u32,
    end: u32,
    can_act: bool,
}

/// A move of a thread at a shared state.
struct Move {
    action: Action,
    /// The number of the thread after the move.
    after: u32,
    spawn: Option<u32>,
    /// Its fair choices, in rising order.
    choices: Box<[FairChoice]>,
}

/// The states and steps so far.
pub(super) struct Graph<'a> {
    system: &'a dyn System,
    stacks: Stacks,
    /// Templates with stacks, by number.
    threads: Interner<(TemplateId, u32)>,
    /// A shared state, then the numbers of its threads.
    states: StateSet,
    moves: Vec<Move>,
    /// The moves of each thread at each shared state.
    known: FxHashMap<(u32, u32), Moves>,
    /// How high stacks may be where what lies under a call may be forgotten.
    forgets: Option<usize>,
    /// The first place that may be given again; `None` if none may.
    given_again: Option<usize>,
    edges: Vec<Edge>,
    /// Where the edges of each followed state end.
    ends: Vec<usize>,
    /// The edge by which each state was found first; none for the initial ones.
    found_by: Vec<Option<(u32, usize)>>,
    waves: Waves,
}

impl<'a> Graph<'a> {
    /// Starts with the initial states.
    pub fn new(system: &'a dyn System, endless: Endless) -> Result<Self, Stop> {
        Self::begin(system, endless, None)
    }

    /// The initial states of a graph that forgets, with stacks of at most this height.
    pub fn forgetting(
        system: &'a dyn System,
        endless: Endless,
        highest: usize,
    ) -> Result<Self, Stop> {
        Self::begin(system, endless, Some(highest))
    }

    fn begin(
        system: &'a dyn System,
        endless: Endless,
        forgets: Option<usize>,
    ) -> Result<Self, Stop> {
        let may_end = endless.ended || endless.fairness == Fairness::None;
        let forgets_ended = may_end && system.forgets_ended();
        let mut graph = Graph {
            given_again: forgets_ended.then(|| system.threads().len()),
            forgets,
            system,
            stacks: Stacks::default(),
            threads: Interner::of("different threads"),
            states: StateSet::default(),
            moves: Vec::new(),
            known: FxHashMap::default(),
            edges: Vec::new(),
            ends: Vec::new(),
            found_by: Vec::new(),
            waves: Waves::from(FEW_STATES),
        };
        for state in system.initial()? {
            let mut word = vec![state.shared.0];
            for Thread { template, stack } in &state.threads {
                // A single stack is the same in every class.
                let stack = graph.stacks.of_stack(0, stack)?;
                word.push(graph.threads.intern((*template, stack))?);
            }
            graph.insert(&word, None)?;
        }
        Ok(graph)
    }

    /// How many states were found.
    pub fn states(&self) -> usize {
        self.states.len()
    }

    /// One more than the last state that was found.
    pub fn end(&self) -> u32 {
        self.states.end()
    }

    /// One more than the last state that was followed.
    pub fn followed_end(&self) -> u32 {
        // No more are followed than found.
        u32::try_from(self.ends.len()).unwrap_or(u32::MAX).min(self.end())
    }

    /// How many states were followed.
    pub fn followed(&self) -> usize {
        self.ends.len()
    }

    /// Follows states until `most` were followed, and returns whether there are more.
    pub fn expand(&mut self, most: usize, budget: &Budget) -> Result<bool, Stop> {
        let mut pace = Pace::new(budget);
        let (mut word, mut next) = (Vec::new(), Vec::new());
        while self.followed() < most && self.followed() < self.states() {
            if !self.follow_wave(most, &mut pace, budget)? {
                self.follow(&mut word, &mut next, &mut pace)?;
            }
        }
        Ok(self.followed() < self.states())
    }

    /// Finds the successors of the next state.
    fn follow(
        &mut self,
        word: &mut Vec<u32>,
        next: &mut Vec<u32>,
        pace: &mut Pace<'_>,
    ) -> Result<(), Stop> {
        let number = self.followed_end();
        self.states.read(number, word);
        self.make_room(word);
        for (thread, &local) in (0_u32..).zip(&word[1..]) {
            let Moves { start, end, .. } = self.moves_of(word[0], local)?;
            pace.spend(work_of_moves(start..end, word.len()))?;
            for action in start..end {
                let Move { action: Action { shared, .. }, after, spawn, .. } =
                    self.moves[action as usize];
                next.clear();
                next.extend_from_slice(word);
                next[0] = shared.0;
                next[thread as usize + 1] = after;
                if let Some(spawn) = spawn {
                    put(next, self.free_place(word) + 1, spawn);
                }
                let to = self.insert(next, Some((number, self.edges.len())))?;
                self.edges.push(Edge { to, thread, action });
            }
        }
        self.ends.push(self.edges.len());
        Ok(())
    }

    /// Prepares for states with any of the threads that are known in any place, where places are many: otherwise all states would
    /// be written anew for each of the places in turn, whenever there are twice as many threads.
    fn make_room(&mut self, word: &[u32]) {
        if word.len() > MANY_PLACES {
            let last = self.threads.len().saturating_sub(1);
            let last = u32::try_from(last).unwrap_or(u32::MAX);
            let mut room = vec![last; word.len()];
            room[0] = word[0];
            self.states.make_room(&room);
        }
    }

    /// The height of the tallest stack.
    pub fn tallest(&self) -> usize {
        self.stacks.tallest()
    }

    /// The steps of one thread from a state, whether or not the state was followed.
    pub fn steps_of(&mut self, state: u32, thread: usize) -> Result<Vec<GraphStep>, Stop> {
        let word = self.states.get(state).to_vec();
        // Threads have 32-bit numbers.
        let number = u32::try_from(thread).unwrap_or(u32::MAX);
        let Moves { start, end, .. } = self.moves_of(word[0], word[thread + 1])?;
        let mut steps = Vec::with_capacity((end - start) as usize);
        for action in start..end {
            let Move { action: Action { shared, .. }, after, spawn, .. } =
                self.moves[action as usize];
            let mut next = word.clone();
            next[0] = shared.0;
            next[thread + 1] = after;
            if let Some(spawn) = spawn {
                put(&mut next, self.free_place(&word) + 1, spawn);
            }
            let to = self.insert(&next, None)?;
            steps.push(GraphStep { to, thread: number, action });
        }
        Ok(steps)
    }

    /// What becomes of a shared state and a thread by a step of it, with the action, and whether it is
    /// a plain one: it starts no thread, makes no fair choice, and leaves no high stack.
    pub fn pairs_after(&mut self, pair: Pair) -> Result<Vec<(Pair, Action, bool)>, Stop> {
        let Moves { start, end, .. } = self.moves_of(pair.shared, pair.local)?;
        let moves = self.moves[start as usize..end as usize].iter().map(|taken| {
            let after = Pair { shared: taken.action.shared.0, local: taken.after };
            (after, taken.action, self.is_plain_move(taken))
        });
        Ok(moves.collect())
    }

    /// Whether a step is a plain one; see [`Graph::pairs_after`].
    pub fn is_plain(&self, step: GraphStep) -> bool {
        self.is_plain_move(&self.moves[step.action as usize])
    }

    fn is_plain_move(&self, taken: &Move) -> bool {
        let is_low = self.tallest() <= HIGHEST_LISTED;
        is_low && taken.spawn.is_none() && taken.choices.is_empty()
    }

    /// A state as numbers: the shared state, then the threads.
    pub fn word(&self, state: u32) -> Vec<u32> {
        self.states.get(state).to_vec()
    }

    /// The thread that takes a step, and its action.
    pub fn action_of(&self, step: GraphStep) -> (ThreadId, Action) {
        (ThreadId(step.thread), self.moves[step.action as usize].action)
    }

    /// The number of a thread, which stands for its template and stack, at a state.
    pub fn local(&self, state: u32, thread: usize) -> u32 {
        self.states.get(state)[thread + 1]
    }

    /// Whether a state is in the midst of a step.
    pub fn is_between(&self, state: u32) -> bool {
        self.system.is_between(SharedId(self.states.get(state)[0]))
    }

    /// The number of a state, with the edge by which it was found if it is new.
    fn insert(&mut self, word: &[u32], found_by: Option<(u32, usize)>) -> Result<u32, Full> {
        let (number, is_new) = self.states.insert(word)?;
        if is_new {
            self.found_by.push(found_by);
        }
        Ok(number)
    }

    fn moves_of(&mut self, shared: u32, local: u32) -> Result<Moves, Stop> {
        if let Some(&moves) = self.known.get(&(shared, local)) {
            return Ok(moves);
        }
        let (template, stack) = *self.threads.get(local);
        let mut actions = Vec::new();
        self.system.actions(template, SharedId(shared), self.stacks.top(stack), &mut actions)?;
        let full = |most| Full { what: "moves", most };
        let number = |moves: &Vec<Move>| u32::from_index(moves.len()).ok_or(full(moves.len()));
        let (start, can_act) = (number(&self.moves)?, !actions.is_empty());
        for action in actions {
            let mut started = None;
            if let Some(spawn) = action.spawn {
                let stack = self.stacks.of_word(spawn.stack)?;
                started = Some(self.threads.intern((spawn.template, stack))?);
            }
            for after in self.stacks_after(stack, action.word)?.into_iter().flatten() {
                let after = self.threads.intern((template, after))?;
                let choices = self.system.fair_choices(action.origin).into();
                self.moves.push(Move { action, after, spawn: started, choices });
            }
        }
        let moves = Moves { start, end: number(&self.moves)?, can_act };
        self.known.insert((shared, local), moves);
        Ok(moves)
    }

    /// The stacks to follow after an action: the whole, and what is left if the rest is forgotten.
    fn stacks_after(&mut self, stack: u32, word: Word) -> Result<[Option<u32>; 2], Stop> {
        let after = self.stacks.replace_top(stack, word)?;
        let Some(highest) = self.forgets else {
            let is_too_high = self.stacks.height(after) > HIGHEST_STACK;
            return if is_too_high { Err(Stop::HighStack) } else { Ok([Some(after), None]) };
        };
        let is_known = self.stacks.top(after) != Some(FORGOTTEN);
        let whole = (is_known && self.stacks.height(after) <= highest).then_some(after);
        let Word::Push { top, .. } = word else { return Ok([whole, None]) };
        let forgotten = self.stacks.of_word(Word::Rewrite(FORGOTTEN))?;
        Ok([whole, Some(self.stacks.push(top, forgotten)?)])
    }

    /// The steps from a state that was followed, as a range.
    pub fn edges_of(&self, state: u32) -> Range<usize> {
        let start = state.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        start..self.ends[state as usize]
    }

    pub fn edge(&self, edge: usize) -> Edge {
        self.edges[edge]
    }

    /// How many steps there are.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The fair choices of a step.
    pub fn choices(&self, edge: usize) -> &[FairChoice] {
        &self.moves[self.edges[edge].action as usize].choices
    }

    /// How many threads a state has.
    pub fn thread_count(&self, state: u32) -> usize {
        self.states.get(state).len() - 1
    }

    /// Whether a thread asks to act at a state that was followed; see [`Endless::asks`].
    pub fn asks(&self, endless: Endless, state: u32, thread: u32) -> bool {
        self.asking(endless, state)(thread as usize)
    }

    /// Says of each thread whether it asks to act at a state that was followed, whether or not it is
    /// followed there; see [`Endless::asks`].
    pub fn asking(&self, endless: Endless, state: u32) -> impl Fn(usize) -> bool {
        let word = self.states.get(state);
        let all_ask =
            endless.fairness == Fairness::Weak && self.system.is_between(SharedId(word[0]));
        move |thread| {
            let (shared, local) = (word[0], word[thread + 1]);
            let ended = || self.stacks.top(self.threads.get(local).1).is_none();
            let can_act = || self.known.get(&(shared, local)).is_some_and(|moves| moves.can_act);
            all_ask || can_act() || (!endless.ended && ended())
        }
    }

    /// A state of the model.
    pub fn state(&self, number: u32) -> State {
        let word = self.states.get(number);
        let threads = word[1..].iter().map(|&local| {
            let (template, stack) = *self.threads.get(local);
            Thread { template, stack: self.stacks.get(stack) }
        });
        State { shared: SharedId(word[0]), threads: threads.collect() }
    }

    /// A shortest way to a state: the initial state that it begins with, and the edges.
    pub fn way_to(&self, state: u32) -> (u32, Vec<usize>) {
        let mut edges = Vec::new();
        let mut at = state;
        while let Some((before, edge)) = self.found_by[at as usize] {
            edges.push(edge);
            at = before;
        }
        edges.reverse();
        (at, edges)
    }

    /// The run along these edges, which go on from an initial state. There each thread has a number, in the order of their starts,
    /// whoever had its place before.
    pub fn run(&self, initial: u32, edges: &[usize]) -> Trace {
        let mut at = initial;
        let mut started = self.thread_count(initial);
        let mut numbers: Vec<ThreadId> = (0..started).map(ThreadId::from).collect();
        let mut steps = Vec::with_capacity(edges.len());
        for &edge in edges {
            let Edge { to, thread, action } = self.edges[edge];
            let action = self.moves[action as usize].action;
            steps.push((numbers[thread as usize], action));
            if action.spawn.is_some() {
                let place = self.free_place(&self.states.get(at));
                put(&mut numbers, place, ThreadId::from(started));
                started += 1;
            }
            at = to;
        }
        Trace { initial: self.state(initial), steps }
    }

    /// The place in which a step starts a thread, if it does.
    pub fn fills(&self, edge: usize) -> Option<u32> {
        self.moves[self.edges[edge].action as usize].spawn?;
        let from = self.ends.partition_point(|&end| end <= edge);
        let place = self.free_place(&self.states.get(u32::from_index(from)?));
        u32::from_index(place)
    }

    /// The place that a thread has which is started at a state.
    fn free_place(&self, word: &[u32]) -> usize {
        let threads = &word[1..];
        let has_ended = |local: &u32| self.stacks.top(self.threads.get(*local).1).is_none();
        let free = self.given_again.and_then(|first| {
            let place = threads.get(first..)?.iter().position(has_ended)?;
            Some(first + place)
        });
        free.unwrap_or(threads.len())
    }
}

/// Puts a thread into a place, which may be the next one.
fn put<T>(threads: &mut Vec<T>, place: usize, thread: T) {
    match threads.get_mut(place) {
        Some(there) => *there = thread,
        None => threads.push(thread),
    }
}

/// What it takes to make the moves of a thread, in a state of so many numbers: see [`Pace`].
fn work_of_moves(moves: Range<u32>, numbers: usize) -> usize {
    1 + moves.len() * (1 + numbers / WORDS_PER_MOVE)
}
