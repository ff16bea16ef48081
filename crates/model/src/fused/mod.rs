//! # Local steps ride along
//!
//! **Question.** A step that touches nothing but the frame of its thread concerns nobody else. Who has to see the states
//! between it and the step before?
//!
//! **Idea.** A *fused* step is a step, followed by all steps of the same thread whose heads are [`Local`], up to the first head
//! that is not. A system in which every step is fused is a system again, with fewer states; no explorer knows about it.
//!
//! **Claim.** A state that goes wrong, a deadlock, or a state of which a target names no local head is reached with k contexts
//! exactly if the fused system reaches it, or one that differs in local steps of threads that the property does not look at,
//! with k contexts. From left to right: a local step does the same whatever the others did, so it can be
//! taken right after the step before it of the same thread, in the same context; no context is added. A run that stops in the midst of
//! a fused step is completed, which changes nothing that anybody else sees. From right to left: a fused step *is* some steps
//! of one thread. The theory page has the proof in full.
//!
//! Where no target is asked for, the local steps before the first other step of a thread may be taken in advance,
//! as long as there is no choice: a context with nothing else in it makes nothing go wrong, and the others take them along. Whether there is a
//! deadlock is not changed either; but how many contexts it takes, since one may be needed to bring a thread to where it waits.
//! Targets may be a matter of where a thread stands that never acted.
//!
//! **Care.** At a local head where some step goes wrong, fusing stops: whoever looks for something else has to be able to go on
//! beside it. It also stops where the stack would grow by more than one symbol, and where what lies below is not
//! known; where it comes back to a head that it passed; after some dozens of heads; and before a head whose steps cannot be listed. It may stop
//! anywhere: the steps that are left are steps of their own.
//!
//! **Needs.** That the local heads are local: what a thread does there is the same at all shared states, and leaves the shared
//! state alone unless it goes wrong.

mod conditions;
mod met;
mod movers;
mod remembered;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    Action, Fault, Pattern, PlaceId, Property, SharedId, Spawn, StackPattern, State, SymbolId,
    System, TemplateId, Thread, ThreadId, ThreadInfo, TopPattern, Word, advance, enabled, of_runs,
};

pub use conditions::Conditions;
pub use movers::{Guard, Movers};

use met::Met;
use remembered::Remembered;

/// Fused steps from one head pass at most so many heads: where many choices are made one after the other, every step would lead to every
/// combination of them.
const MOST_HEADS: usize = 64;

/// The tops of stacks at which a thread is concerned with itself alone: places of a program, symbols of a table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Local {
    /// Places of a text.
    pub places: BTreeSet<PlaceId>,
    /// Symbols, where there is no text.
    pub symbols: BTreeSet<SymbolId>,
    /// Places inside of locks, where others see nothing either.
    pub movers: Movers,
}

impl Local {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.symbols.is_empty() && self.movers.is_empty()
    }

    /// Whether a symbol is one of them.
    #[must_use]
    pub fn contains(&self, system: &dyn System, symbol: SymbolId) -> bool {
        match system.place_of(symbol) {
            Some(place) => self.places.contains(&place),
            None => self.symbols.contains(&symbol),
        }
    }

    /// Those that no property looks at: a thread that is looked for somewhere has to be seen there, and so have the shared states within a
    /// transaction.
    #[must_use]
    pub fn unseen_by(mut self, system: &dyn System, properties: &[Property]) -> Self {
        for property in properties {
            let Property::Unreachable(pattern) = property else { continue };
            self.movers = Movers::default();
            for symbol in pattern.tops() {
                match system.place_of(symbol) {
                    Some(place) => self.places.remove(&place),
                    None => self.symbols.remove(&symbol),
                };
            }
            if let Pattern::Together(wanted) = pattern {
                for (_, place) in wanted.iter().flat_map(|thread| &thread.places) {
                    self.places.remove(place);
                }
            }
        }
        self
    }
}

impl Pattern {
    /// The symbols on top that it names.
    fn tops(&self) -> Vec<SymbolId> {
        let of = |top: TopPattern| match top {
            TopPattern::Symbol(symbol) => Some(symbol),
            TopPattern::Any | TopPattern::Empty => None,
        };
        match self {
            Pattern::Tuple { tops, .. } => tops.iter().filter_map(|&top| of(top)).collect(),
            Pattern::Configuration { stacks, .. } => {
                stacks.iter().filter_map(|stack: &StackPattern| of(stack.top())).collect()
            }
            Pattern::Somewhere { symbol, .. } => vec![*symbol],
            Pattern::Together(_) => Vec::new(),
        }
    }
}

/// A system whose steps are fused. Its states are states of the system.
#[derive(Clone)]
pub struct Fused {
    system: Arc<dyn System>,
    local: Local,
    /// Whether threads begin after the local steps that come first.
    begins_later: bool,
    /// What is done at local heads, as far as somebody asked; `None` if it is asked for each time.
    remembered: Option<Arc<Remembered>>,
}

/// What a thread has become within a fused step.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Effect {
    shared: SharedId,
    /// The symbols in the place of its top.
    word: Word,
    /// The thread that it started.
    spawn: Option<Spawn>,
    /// Whether it took a lock and did nothing since that others can see.
    is_open: bool,
}

impl Effect {
    /// Adds a step that rides along; `None` if the top is not known any more.
    fn then(self, action: &Action, is_open: bool) -> Option<Effect> {
        let word = then(self.word, action.word)?;
        Some(Effect { shared: action.shared, word, is_open, ..self })
    }
}

/// The actions that ride along at a head.
struct Follows {
    actions: Vec<Action>,
    /// See [`Effect::is_open`], after any of them.
    is_open: bool,
}

impl Fused {
    /// The system with fused steps.
    #[must_use]
    pub fn new(system: Arc<dyn System>, local: Local) -> Self {
        Fused { system, local, begins_later: false, remembered: Some(Arc::default()) }
    }

    /// Asks the system at every local head, also where it was asked at another shared state: for tests of what is
    /// said to be local.
    #[must_use]
    pub fn asking_each_time(self) -> Self {
        Fused { remembered: None, ..self }
    }

    /// Lets threads begin after the local steps that come first. Nobody may ask for a target then; and where
    /// deadlocks are asked for, there may be one within fewer contexts than it takes.
    #[must_use]
    pub fn beginning_later(self) -> Self {
        Fused { begins_later: true, ..self }
    }

    /// Whether threads begin after the local steps that come first.
    #[must_use]
    pub fn begins_later(&self) -> bool {
        self.begins_later
    }

    /// The heads at which a thread goes on.
    #[must_use]
    pub fn local(&self) -> &Local {
        &self.local
    }

    /// Where a thread with this stack is after the local steps that come first, as long as there is no choice; and the steps.
    fn begin(
        &self,
        template: TemplateId,
        shared: SharedId,
        stack: Word,
    ) -> Result<(Word, Vec<Action>), Fault> {
        let (mut word, mut steps) = (stack, Vec::new());
        while self.begins_later && steps.len() < MOST_HEADS {
            let is_local = |&top: &SymbolId| self.local.contains(&*self.system, top);
            if word.top().filter(is_local).is_none() {
                break;
            }
            let effect = Effect { shared, word, spawn: None, is_open: false };
            let follows = self.follow(template, effect)?;
            let Some([only]) = follows.as_ref().map(|follows| &follows.actions[..]) else { break };
            // A thread that has ended is another matter.
            let Some(next) = then(word, only.word).filter(|next| *next != Word::Pop) else { break };
            word = next;
            steps.push(*only);
        }
        Ok((word, steps))
    }

    fn begun(&self, shared: SharedId, spawn: Spawn) -> Result<Spawn, Fault> {
        let (stack, _) = self.begin(spawn.template, shared, spawn.stack)?;
        Ok(Spawn { stack, ..spawn })
    }

    /// The state in which all threads have begun.
    fn all_begun(&self, mut state: State) -> Result<State, Fault> {
        for thread in &mut state.threads {
            let Some(top) = thread.stack.top() else { continue };
            let first = Word::Rewrite(top);
            let (word, _) = of_runs(|| self.begin(thread.template, state.shared, first))?;
            thread.stack.replace_top(word);
        }
        Ok(state)
    }

    /// The effect of an action on its thread, with the thread that it starts.
    fn effect(&self, top: Option<SymbolId>, action: &Action) -> Result<Effect, Fault> {
        let spawn = action.spawn.map(|spawn| self.begun(action.shared, spawn)).transpose()?;
        let place = top.and_then(|top| self.system.place_of(top));
        let is_open = place.is_some_and(|place| self.local.movers.takes.contains(&place));
        Ok(Effect { shared: action.shared, word: action.word, spawn, is_open })
    }

    /// Whether a head is local; and, if a step from there rides along, whether a transaction is still open after it.
    fn rides(&self, top: SymbolId, is_open: bool) -> (bool, Option<bool>) {
        let Some(place) = self.system.place_of(top) else {
            let is_local = self.local.symbols.contains(&top);
            return (is_local, is_local.then_some(is_open));
        };
        let Local { places, movers, .. } = &self.local;
        if places.contains(&place) {
            (true, Some(is_open))
        } else if movers.inside.contains(&place) {
            (false, Some(is_open))
        } else if movers.releases.contains(&place) || is_open && movers.commits.contains(&place) {
            (false, Some(false))
        } else {
            (false, None)
        }
    }

    /// The steps that follow within a fused step, or `None` if it ends here.
    fn follow(&self, template: TemplateId, effect: Effect) -> Result<Option<Follows>, Fault> {
        let Effect { shared, word, is_open, .. } = effect;
        let Some(top) = word.top() else { return Ok(None) };
        let rides = |action: &Action| then(word, action.word).is_some();
        let head = (template, top);
        // Where something went wrong, or a result is on its way, nobody does what is done elsewhere.
        let is_still = || self.system.wrong(shared).is_some() || self.system.is_between(shared);
        if let Some(actions) = self.remembered.as_ref().and_then(|all| all.at(head, shared))
            && !is_still()
        {
            return Ok(actions.iter().all(rides).then_some(Follows { actions, is_open }));
        }
        let (is_local, Some(is_open)) = self.rides(top, is_open) else { return Ok(None) };
        let mut actions = Vec::new();
        if let Err(fault) = self.system.actions(template, shared, Some(top), &mut actions) {
            // Whoever takes that step hears of it; but an end of the run is one for everybody.
            return if fault.stop.is_some() { Err(fault) } else { Ok(None) };
        }
        if let Some(all) = self.remembered.as_ref().filter(|_| is_local) {
            all.keep(head, shared, &actions);
        }
        let is_fine = |to| to == shared || self.system.wrong(to).is_none();
        let rides =
            |action: &Action| action.spawn.is_none() && rides(action) && is_fine(action.shared);
        let all = !actions.is_empty() && actions.iter().all(rides);
        Ok(all.then_some(Follows { actions, is_open }))
    }

    /// The steps of a fused one with this effect, from a head: as few as possible.
    fn steps(
        &self,
        (template, top): (TemplateId, Option<SymbolId>),
        first: &[Action],
        goal: &Action,
    ) -> Result<Option<Vec<Action>>, Fault> {
        let is_goal = |effect: Effect| {
            (effect.shared, effect.word, effect.spawn) == (goal.shared, goal.word, goal.spawn)
        };
        let mut known: FxHashMap<Effect, Option<(Effect, Action)>> = FxHashMap::default();
        let mut wave: Vec<(Effect, Action)> = Vec::new();
        let mut last = None;
        for action in first {
            let effect = self.effect(top, action)?;
            if known.insert(effect, None).is_none() {
                wave.push((effect, *action));
            }
        }
        let firsts: FxHashMap<Effect, Action> = wave.iter().copied().collect();
        let mut at = 0;
        while let Some(&(effect, _)) = wave.get(at) {
            if is_goal(effect) {
                last = Some(effect);
                break;
            }
            let Some(follows) = self.follow(template, effect)? else {
                at += 1;
                continue;
            };
            for action in follows.actions {
                let Some(next) = effect.then(&action, follows.is_open) else { continue };
                if let std::collections::hash_map::Entry::Vacant(new) = known.entry(next) {
                    new.insert(Some((effect, action)));
                    wave.push((next, action));
                }
            }
            at += 1;
        }
        let mut steps = Vec::new();
        let Some(mut effect) = last else { return Ok(None) };
        while let Some((before, action)) = known[&effect] {
            // Only what follows replaces the top; whom it started was started by the first step.
            steps.push(action);
            effect = before;
        }
        steps.push(firsts[&effect]);
        steps.reverse();
        Ok(Some(steps))
    }

    /// How many local steps come first that threads of a state of the system have taken when they begin later.
    pub fn first_steps(&self, state: &State) -> Result<usize, Fault> {
        let mut count = 0;
        for thread in &state.threads {
            let Some(top) = thread.stack.top() else { continue };
            count += self.begin(thread.template, state.shared, Word::Rewrite(top))?.1.len();
        }
        Ok(count)
    }

    /// The run of the system that a run of fused steps stands for: its first state, and its steps. A run may also have
    /// steps that are not fused. Where something goes wrong at its end, local steps that nobody needed are left out.
    pub fn unfold(
        &self,
        initial: &State,
        run: &[(ThreadId, Action)],
    ) -> Result<(State, Vec<(ThreadId, Action)>), Fault> {
        let first = self.first_of(initial)?.ok_or_else(lost)?;
        // What the run has come to, and what it stands for: threads that have not acted yet may differ.
        let (mut shown, mut state) = (initial.clone(), first.clone());
        let mut unfolded = Vec::new();
        for (thread, action) in run {
            let template = state.threads[thread.index()].template;
            self.catch_up(&mut state, &shown, *thread, &mut unfolded)?;
            let enabled = enabled(&*self.system, &state, *thread)?;
            let top = state.threads[thread.index()].stack.top();
            let steps = self.steps((template, top), &enabled, action)?.ok_or_else(lost)?;
            for (number, step) in steps.into_iter().enumerate() {
                let is_seen = state.shared != step.shared;
                advance(&mut state, *thread, step);
                unfolded.push((*thread, step, number > 0 && !is_seen));
            }
            advance(&mut shown, *thread, *action);
        }
        if self.begins_later && self.system.wrong(state.shared).is_some() {
            leave_out_last(&mut unfolded);
        } else {
            // Whoever has not begun yet could still act: where that matters, the run goes on until nobody can.
            for thread in shown.thread_ids() {
                self.catch_up(&mut state, &shown, thread, &mut unfolded)?;
            }
        }
        let steps = unfolded.into_iter().map(|(thread, action, _)| (thread, action));
        Ok((first, steps.collect()))
    }

    /// Takes the local steps that come first, for a thread that began later: it has no choice on its way there.
    fn catch_up(
        &self,
        state: &mut State,
        shown: &State,
        thread: ThreadId,
        unfolded: &mut Vec<(ThreadId, Action, bool)>,
    ) -> Result<(), Fault> {
        for _ in 0..MOST_HEADS {
            if state.threads[thread.index()].stack == shown.threads[thread.index()].stack {
                break;
            }
            let [step] = enabled(&*self.system, state, thread)?[..] else { return Err(lost()) };
            advance(state, thread, step);
            unfolded.push((thread, step, true));
        }
        Ok(())
    }

    /// The state of the system that becomes this one when all threads begin.
    fn first_of(&self, initial: &State) -> Result<Option<State>, Fault> {
        let any = self.system.any_number();
        for mut state in self.system.initial()? {
            let fixed = state.threads.len();
            let Some(more) = initial.threads.get(fixed..) else { continue };
            let plain = |thread: &Thread| {
                let begun = |spawn: &&Spawn| {
                    let begun = self.begun(state.shared, **spawn);
                    begun.is_ok_and(|spawn| Thread::from(spawn) == *thread)
                };
                any.iter().find(begun).copied().map(Thread::from)
            };
            let Some(more) = more.iter().map(plain).collect::<Option<Vec<_>>>() else { continue };
            state.threads.extend(more);
            // Steps that were not fused begin at the beginning.
            if state == *initial || self.all_begun(state.clone())? == *initial {
                return Ok(Some(state));
            }
        }
        Ok(None)
    }
}

/// Says that a run is none of the system.
fn lost() -> Fault {
    Fault::new("a step of the schedule is none of the system: this is a mistake of ours")
}

/// Leaves steps out that ride along and are the last ones of their threads, but for the thread that acts last.
fn leave_out_last(run: &mut Vec<(ThreadId, Action, bool)>) {
    let mut acts_later: BTreeSet<ThreadId> = run.last().map(|step| step.0).into_iter().collect();
    let mut kept = Vec::new();
    for step in run.drain(..).rev() {
        let (thread, _, rides) = step;
        if !rides || acts_later.contains(&thread) {
            acts_later.insert(thread);
            kept.push(step);
        }
    }
    kept.reverse();
    *run = kept;
}

/// A word whose top is replaced by another one, if it still is a word.
fn then(word: Word, top: Word) -> Option<Word> {
    match (word, top) {
        (Word::Pop, _) => None,
        (Word::Rewrite(_), word) => Some(word),
        (Word::Push { under, .. }, Word::Pop) => Some(Word::Rewrite(under)),
        (Word::Push { under, .. }, Word::Rewrite(top)) => Some(Word::Push { top, under }),
        (Word::Push { .. }, Word::Push { .. }) => None,
    }
}

impl System for Fused {
    crate::delegate_to_system!();

    fn threads(&self) -> &[ThreadInfo] {
        self.system.threads()
    }

    fn initial(&self) -> Result<Vec<State>, Fault> {
        let mut initial = Vec::new();
        let mut known = FxHashSet::default();
        for state in self.system.initial()? {
            let state = self.all_begun(state)?;
            if known.insert(state.clone()) {
                initial.push(state);
            }
        }
        Ok(initial)
    }

    fn any_number(&self) -> Vec<Spawn> {
        let any = self.system.any_number();
        let first = self.system.initial().ok().and_then(|initial| Some(initial.first()?.shared));
        let begun = |spawn: Spawn| first.and_then(|at| self.begun(at, spawn).ok()).unwrap_or(spawn);
        any.into_iter().map(begun).collect()
    }

    fn actions(
        &self,
        template: TemplateId,
        shared: SharedId,
        top: Option<SymbolId>,
        out: &mut Vec<Action>,
    ) -> Result<(), Fault> {
        let start = out.len();
        self.system.actions(template, shared, top, out)?;
        let rides = |action: &Action| {
            let top = action.word.top();
            top.is_some_and(|top| self.rides(top, true).1.is_some())
        };
        if !out[start..].iter().any(|action| rides(action) || action.spawn.is_some()) {
            return Ok(());
        }
        let mut room = ROOM.take().unwrap_or_default();
        room.clear();
        room.first.extend(out.drain(start..));
        let mut walk = Walk { system: self, template, room: &mut room };
        let done = walk.all(top, out);
        ROOM.set(Some(room));
        done
    }

    fn before_reduction(&self) -> Option<&dyn System> {
        Some(&*self.system)
    }

    fn forgets_ended(&self) -> bool {
        self.system.forgets_ended()
    }
}

thread_local! {
    static ROOM: Cell<Option<Box<Room>>> = const { Cell::new(None) };
}

/// Buffers of a walk, reused because there is a walk for each head of an exploration.
#[derive(Default)]
struct Room {
    /// The steps with which fused ones begin.
    first: Vec<Action>,
    /// What follows, and whether it is left again.
    open: Vec<(Effect, bool)>,
    /// What was met, and whether all that follows it is known.
    seen: Met<Effect>,
    /// What fused steps have come to.
    ends: Met<(SharedId, Word, Option<Spawn>)>,
}

impl Room {
    fn clear(&mut self) {
        self.first.clear();
        self.open.clear();
        self.seen.clear();
        self.ends.clear();
    }
}

/// All fused steps from one head, depth first.
struct Walk<'f> {
    system: &'f Fused,
    template: TemplateId,
    room: &'f mut Room,
}

impl Walk<'_> {
    /// Adds all fused steps.
    fn all(&mut self, top: Option<SymbolId>, out: &mut Vec<Action>) -> Result<(), Fault> {
        (0..self.room.first.len()).try_for_each(|number| self.from(top, number, out))
    }

    /// Adds the fused steps that begin with a step, given by its number.
    fn from(
        &mut self,
        top: Option<SymbolId>,
        number: usize,
        out: &mut Vec<Action>,
    ) -> Result<(), Fault> {
        let first = self.room.first[number];
        let Room { open, seen: known, ends, .. } = &mut *self.room;
        open.clear();
        open.push((self.system.effect(top, &first)?, false));
        while let Some((effect, is_left)) = open.pop() {
            if is_left {
                known.set(effect, true);
                continue;
            }
            let seen = known.get(&effect);
            if seen == Some(true) {
                continue;
            }
            // A circle is left where it closes.
            let stops = seen == Some(false) || known.len() >= MOST_HEADS;
            let Effect { shared, word, spawn, .. } = effect;
            let follows = match stops {
                true => None,
                false => self.system.follow(self.template, effect)?,
            };
            let Some(Follows { actions, is_open }) = follows else {
                if seen.is_none() {
                    known.set(effect, true);
                }
                let end = (shared, word, spawn);
                if ends.get(&end).is_none() {
                    ends.set(end, true);
                    out.push(Action { shared, word, spawn, origin: first.origin });
                }
                continue;
            };
            known.set(effect, false);
            open.push((effect, true));
            let next = actions.iter().rev().filter_map(|action| effect.then(action, is_open));
            open.extend(next.map(|effect| (effect, false)));
        }
        Ok(())
    }
}
