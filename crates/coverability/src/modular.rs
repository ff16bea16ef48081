//! # Thread by thread, from above
//!
//! **Question.** Which local states can a thread have in which shared state?
//!
//! **Idea.** Keep pairs of a shared state and a local state, and forget who is there together. If a
//! thread at (q, l) can go to (q', l'), then every other thread that can be in q can be in q', too.
//!
//! **Claim** [Flanagan, Qadeer 2003]. The pairs contain every pair that occurs in a reachable state.
//! They are all that the search backward has to look at, and their steps are all the steps that it
//! has to undo.
//!
//! Where stacks are cut, what a pop may uncover is found on the way: when a guess is new, the pops that were
//! met before are taken once more with it. Pairs and guesses grow together until neither grows.
//!
//! A template that no step starts, and of which there is a fixed number, is *limited*: of a single
//! thread, two local states are never there together.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::{Action, Fault, SharedId, Spawn, SymbolId, System, TemplateId};
use selvedge_store::Interner;

use crate::agenda::Agenda;
use crate::fault;
use crate::kinds::{Above, After, Below, Kinds, Stacks};

/// Higher stacks than this are taken to grow without end.
const HIGHEST_STACK: usize = 64;

/// More pairs than this are not kept.
pub(crate) const MOST_PAIRS: usize = 1 << 21;

/// The number of pairs looked up between two questions whether to go on.
const ASK_EVERY: usize = 1 << 11;

/// The look-ups that finding the steps of a thread counts as.
const STEPS: usize = 1 << 5;

/// A step between pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transition {
    /// The shared state before, as a number in [`Modular::places`].
    pub from: u32,
    /// The shared state after.
    pub to: u32,
    /// The local state of the thread that acts.
    pub actor: u32,
    /// Its local state after.
    pub after: u32,
    /// The local state of the thread that it starts.
    pub spawn: Option<u32>,
    /// The step itself.
    pub action: Action,
}

/// A shared state, and the local states that threads may have in it.
pub(crate) struct Population {
    pub shared: SharedId,
    pub kinds: Vec<u32>,
    known: FxHashSet<u32>,
    /// How many steps to other shared states were taken to find it.
    pub far: u32,
    /// The shared states that a thread of a template can go to.
    next: Vec<(u32, TemplateId)>,
}

impl Population {
    /// Whether a thread may be here with this local state.
    pub fn may_have(&self, kind: u32) -> bool {
        self.known.contains(&kind)
    }
}

/// The pairs of a shared state and a local state that may occur, with the steps between them.
pub(crate) struct Modular {
    pub kinds: Kinds,
    pub places: Vec<Population>,
    pub transitions: Vec<Transition>,
    /// The initial states: the shared state and the local states of all threads, in rising order.
    pub initial: Vec<(u32, Vec<u32>)>,
    /// The local states of which there is any number at the start.
    pub any: Vec<u32>,
    /// Whether a thread may be dropped when it is started.
    pub drops_threads: bool,
    /// The most threads that there can be of a template.
    pub limits: FxHashMap<TemplateId, u32>,
    /// Whether others are where a thread takes them.
    spreads: bool,
    numbers: Interner<SharedId>,
    work: Agenda<(u32, u32)>,
    /// Pops of local states below which something is hidden, by their lowest symbol.
    pops: FxHashMap<Above, Vec<Pop>>,
    pairs: usize,
    /// The number of look-ups since the caller was last asked whether to go on.
    looked_at: usize,
}

/// A thread whose top is popped, and what is left of it in sight.
#[derive(Clone)]
struct Pop {
    place: u32,
    kind: u32,
    action: Action,
    left: Box<[SymbolId]>,
}

/// Why a round ended early.
pub(crate) enum Halt<S> {
    /// A template was taken to be limited, and a step starts a thread of it.
    Started(TemplateId),
    /// A stack grows, and it is not cut.
    Grows(Fault),
    /// There are more pairs than were to be looked at.
    Many,
    Stop(S),
}

impl<S: From<Fault>> From<Fault> for Halt<S> {
    fn from(fault: Fault) -> Self {
        Halt::Stop(fault.into())
    }
}

impl Modular {
    /// Finds all pairs of a shared state and a local state, unless there are more than `most`.
    pub fn new<S: From<Fault>>(
        system: &dyn System,
        stacks: Stacks,
        most: usize,
        go_on: &dyn Fn() -> Result<(), S>,
    ) -> Result<Self, Halt<S>> {
        Modular::within_limits(system, |limits| {
            let mut modular = Modular::at_the_start(system, stacks, limits)?;
            modular.close(system, most, go_on)?;
            Ok(modular)
        })
    }

    /// Takes all templates to be limited of which there is a fixed number at the start, but for those that are found to be started.
    pub fn within_limits<S, T>(
        system: &dyn System,
        attempt: impl Fn(FxHashMap<TemplateId, u32>) -> Result<T, Halt<S>>,
    ) -> Result<T, Halt<S>> {
        let mut limits: FxHashMap<TemplateId, u32> = FxHashMap::default();
        for thread in system.threads() {
            *limits.entry(thread.template).or_default() += 1;
        }
        for any in system.any_number() {
            limits.remove(&any.template);
        }
        loop {
            match attempt(limits.clone()) {
                Err(Halt::Started(template)) => limits.remove(&template),
                done => return done,
            };
        }
    }

    /// The pairs of the initial states.
    pub fn at_the_start<S: From<Fault>>(
        system: &dyn System,
        stacks: Stacks,
        limits: FxHashMap<TemplateId, u32>,
    ) -> Result<Self, Halt<S>> {
        let mut modular = Modular {
            kinds: Kinds::new(stacks),
            places: Vec::new(),
            transitions: Vec::new(),
            initial: Vec::new(),
            any: Vec::new(),
            drops_threads: system.drops_threads(),
            limits,
            spreads: false,
            numbers: Interner::of("shared states"),
            work: Agenda::default(),
            pops: FxHashMap::default(),
            pairs: 0,
            looked_at: ASK_EVERY,
        };
        for spawn in system.any_number() {
            let kind = modular.started(spawn)?;
            modular.any.push(kind);
        }
        modular.any.sort_unstable();
        modular.any.dedup();
        for state in system.initial()? {
            let place = modular.place(state.shared, None)?;
            let mut kinds = Vec::with_capacity(state.threads.len());
            for thread in &state.threads {
                let symbols: Vec<SymbolId> = thread.stack.iter().collect();
                kinds.push(modular.kind(system, thread.template, &symbols)?);
            }
            kinds.sort_unstable();
            for &kind in kinds.iter().chain(&modular.any.clone()) {
                modular.add(place, kind)?;
            }
            modular.initial.push((place, kinds));
        }
        modular.initial.sort_unstable();
        modular.initial.dedup();
        Ok(modular)
    }

    fn close<S: From<Fault>>(
        &mut self,
        system: &dyn System,
        most: usize,
        go_on: &dyn Fn() -> Result<(), S>,
    ) -> Result<(), Halt<S>> {
        self.spreads = true;
        loop {
            while self.looked_at >= ASK_EVERY {
                self.looked_at -= ASK_EVERY;
                go_on().map_err(Halt::Stop)?;
            }
            if self.pairs > most {
                return Err(Halt::Many);
            }
            if let Some((place, kind)) = self.work.pop() {
                self.spread(place, kind)?;
                self.step(system, place, kind)?;
            } else if !self.work.is_empty() {
                self.work.widen();
            } else if let Some((above, below)) = self.kinds.next_guess() {
                for pop in self.pops.get(&above).cloned().unwrap_or_default() {
                    self.uncover(&pop, below)?;
                }
            } else {
                return Ok(());
            }
        }
    }

    /// Looks at what a thread can do, and at nothing that it does to others.
    pub fn step_alone<S: From<Fault>>(
        &mut self,
        system: &dyn System,
        place: u32,
        kind: u32,
    ) -> Result<(), Halt<S>> {
        self.add(place, kind)?;
        self.work.clear();
        self.step(system, place, kind)
    }

    /// The local states that threads may have there: those that may be there beside the same ones
    /// together, with these.
    pub fn groups(&self, place: u32) -> Vec<(Vec<u32>, Vec<u32>)> {
        let mut all = self.places[place as usize].kinds.clone();
        all.sort_unstable();
        let alone = |kind: &u32| {
            let template = self.kinds.template(*kind);
            (self.limits.get(&template) == Some(&1)).then_some(template)
        };
        let mut groups: BTreeMap<Option<TemplateId>, Vec<u32>> = BTreeMap::new();
        for kind in &all {
            groups.entry(alone(kind)).or_default().push(*kind);
        }
        let beside = |template: Option<TemplateId>| {
            let meets = |&kind: &u32| template.is_none_or(|template| self.may_meet(template, kind));
            all.iter().copied().filter(meets).collect()
        };
        groups.into_iter().map(|(template, kinds)| (kinds, beside(template))).collect()
    }

    /// Whether a thread of the template can be there together with one that has this local state.
    fn may_meet(&self, template: TemplateId, kind: u32) -> bool {
        template != self.kinds.template(kind) || self.limits.get(&template) != Some(&1)
    }

    /// Where other threads go, a thread with this local state may be.
    fn spread(&mut self, place: u32, kind: u32) -> Result<(), Fault> {
        for at in 0..self.places[place as usize].next.len() {
            let (to, template) = self.places[place as usize].next[at];
            if self.may_meet(template, kind) {
                self.add(to, kind)?;
            }
        }
        Ok(())
    }

    fn step<S: From<Fault>>(
        &mut self,
        system: &dyn System,
        place: u32,
        kind: u32,
    ) -> Result<(), Halt<S>> {
        self.looked_at += STEPS;
        let template = self.kinds.template(kind);
        let mut actions = Vec::new();
        let shared = self.places[place as usize].shared;
        system.actions(template, shared, self.kinds.top(kind), &mut actions)?;
        if system.drops_threads() {
            keep_threads(&mut actions);
        }
        for action in actions {
            match self.kinds.after(kind, action.word)? {
                After::Known(after) => {
                    self.low_enough(system, after)?;
                    self.take(place, kind, action, after)?;
                }
                After::Uncovers(left, lowest) => {
                    let pop = Pop { place, kind, action, left: left.into() };
                    for below in self.kinds.below((template, lowest)) {
                        self.uncover(&pop, below)?;
                    }
                    self.pops.entry((template, lowest)).or_default().push(pop);
                }
            }
        }
        Ok(())
    }

    /// Takes a pop that uncovers this symbol.
    fn uncover<S: From<Fault>>(&mut self, pop: &Pop, (symbol, more): Below) -> Result<(), Halt<S>> {
        let Pop { place, kind, action, left } = pop;
        let symbols: Vec<SymbolId> = left.iter().copied().chain([symbol]).collect();
        let after = self.kinds.cut(self.kinds.template(*kind), &symbols, more)?;
        self.take(*place, *kind, *action, after)
    }

    /// Notes what a thread can do: it goes from one local state to another.
    fn take<S: From<Fault>>(
        &mut self,
        place: u32,
        kind: u32,
        action: Action,
        after: u32,
    ) -> Result<(), Halt<S>> {
        let template = self.kinds.template(kind);
        let to = self.place(action.shared, Some(place))?;
        self.add(to, after)?;
        let mut spawn = None;
        if let Some(started) = action.spawn {
            if self.limits.contains_key(&started.template) {
                return Err(Halt::Started(started.template));
            }
            let kind = self.started(started)?;
            self.add(to, kind)?;
            spawn = Some(kind);
        }
        self.transitions.push(Transition { from: place, to, actor: kind, after, spawn, action });
        if self.spreads && !self.places[place as usize].next.contains(&(to, template)) {
            self.places[place as usize].next.push((to, template));
            for at in 0..self.places[place as usize].kinds.len() {
                let other = self.places[place as usize].kinds[at];
                if self.may_meet(template, other) {
                    self.add(to, other)?;
                }
            }
        }
        Ok(())
    }

    /// The number of a shared state that is there at the start, or to which a step from another one leads.
    fn place(&mut self, shared: SharedId, from: Option<u32>) -> Result<u32, Fault> {
        let number = self.numbers.intern(shared).map_err(|full| fault(full.to_string()))?;
        if number as usize == self.places.len() {
            let far = from.map_or(0, |from| self.places[from as usize].far.saturating_add(1));
            let (kinds, known, next) = (Vec::new(), FxHashSet::default(), Vec::new());
            self.places.push(Population { shared, kinds, known, far, next });
        }
        Ok(number)
    }

    /// The numbers of all shared states.
    pub fn place_ids(&self) -> impl Iterator<Item = u32> + use<> {
        self.numbers.ids()
    }

    /// The local state of a whole stack, top first.
    fn kind<S: From<Fault>>(
        &mut self,
        system: &dyn System,
        template: TemplateId,
        symbols: &[SymbolId],
    ) -> Result<u32, Halt<S>> {
        let kind = self.kinds.cut(template, symbols, false)?;
        self.low_enough(system, kind)?;
        Ok(kind)
    }

    /// The local state of a thread that is started.
    fn started(&mut self, spawn: Spawn) -> Result<u32, Fault> {
        let symbols: Vec<SymbolId> = spawn.stack.symbols().collect();
        self.kinds.cut(spawn.template, &symbols, false)
    }

    /// Refuses stacks that are whole and high.
    fn low_enough<S: From<Fault>>(&self, system: &dyn System, kind: u32) -> Result<(), Halt<S>> {
        if self.kinds.depth().is_some() || self.kinds.window(kind).symbols.len() <= HIGHEST_STACK {
            return Ok(());
        }
        let name = system.describe().template_name(self.kinds.template(kind));
        Err(Halt::Grows(fault(format!(
            "a stack of `{name}` may grow higher than {HIGHEST_STACK} frames: any number of threads can be \
             decided in this way only where threads have finitely many local states, without recursion"
        ))))
    }

    fn add(&mut self, place: u32, kind: u32) -> Result<(), Fault> {
        self.looked_at += 1;
        let there = &mut self.places[place as usize];
        if there.known.insert(kind) {
            there.kinds.push(kind);
            self.work.push(there.far, (place, kind));
            self.pairs += 1;
            if self.pairs > MOST_PAIRS {
                return Err(fault(format!(
                    "there are more than {MOST_PAIRS} pairs of a shared state and a local state: any \
                     number of threads can be decided only where threads have finitely many, and not \
                     too many, local states"
                )));
            }
        }
        Ok(())
    }
}

/// Takes away the actions that do what others do, and drop the thread that those start. More threads
/// can do whatever fewer can, and a thread that is started counts, whether it runs or not.
fn keep_threads(actions: &mut Vec<Action>) {
    let starts: Vec<Action> = actions.iter().filter(|a| a.spawn.is_some()).copied().collect();
    actions.retain(|a| {
        let drops = |b: &Action| (a.shared, a.word, a.origin) == (b.shared, b.word, b.origin);
        a.spawn.is_some() || !starts.iter().any(drops)
    });
}
