//! # Abstractions
//!
//! **Question.** What is seen of the states of an exploration, if only a part of each is looked at:
//! the image under α?
//!
//! **Idea.** A projection: some shared variables, or all, and so many symbols from the top of each
//! stack, with the bit whether there are more. What is not seen is not forgotten altogether: the
//! shared states behind a view and the windows of each thread that were met are kept, and which
//! symbol was met below which ([`Windows`]). So there is something to try where a step depends on what
//! is hidden [Johnson, Wahl 2021, Sec. 3.1 and App. C].

use rustc_hash::FxHashMap;
use selvedge_model::{SharedId, System, TemplateId, ThreadId, Values};
use selvedge_store::{Full, Id, Interner, StateSet};

use super::stacks::Stacks;
use super::windows::{Cut, Windows};
use super::{Locals, Reached};

/// Selects which part of a state is observed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observe {
    /// The shared variables, by name; `None`: all.
    pub shared: Option<Vec<String>>,
    /// How many symbols are observed, from the top of each stack.
    pub top: usize,
}

impl Observe {
    /// All shared variables, and the topmost symbols of each stack.
    #[must_use]
    pub fn top(symbols: usize) -> Self {
        Observe { shared: None, top: symbols }
    }

    /// Whether visible states are told apart, so that every property can be decided.
    #[must_use]
    pub fn sees_visible_states(&self) -> bool {
        self.shared.is_none() && self.top > 0
    }
}

/// The abstract states of an exploration.
pub struct Abstraction<'a> {
    pub(crate) system: &'a dyn System,
    pub(crate) observe: Observe,
    pub(crate) windows: Windows,
    /// The view of each shared state that was met.
    views: FxHashMap<SharedId, u32>,
    /// What is observed of shared states, where that is not everything; the index is the view.
    values: Interner<Values>,
    /// The shared states behind each view.
    pub(crate) behind: Vec<Vec<SharedId>>,
    /// The windows of each entry of the exploration, one for each thread that may have it.
    of_entry: Vec<u32>,
    /// The windows of each thread that were met.
    pub(crate) met: Vec<Vec<u32>>,
    /// A view and, if stacks are looked at, the windows of the threads in order.
    pub(crate) states: StateSet,
    /// How many states of the exploration were looked at.
    seen: u32,
    /// Whether all of a state is seen, so that nothing had to be written down.
    is_whole: bool,
}

impl<'a> Abstraction<'a> {
    /// An abstraction that has seen no state yet.
    #[must_use]
    pub fn new(system: &'a dyn System, observe: Observe) -> Self {
        Abstraction {
            system,
            windows: Windows::new(Cut::tight(observe.top)),
            views: FxHashMap::default(),
            values: Interner::of(VIEWS),
            behind: Vec::new(),
            of_entry: Vec::new(),
            met: vec![Vec::new(); system.threads().len()],
            states: StateSet::default(),
            seen: 0,
            is_whole: observe.sees_visible_states(),
            observe,
        }
    }

    /// How many abstract states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        if self.is_whole { self.seen as usize } else { self.states.len() }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether so far everything of a state is seen: α is one to one.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The template of a thread.
    pub(crate) fn template(&self, thread: usize) -> TemplateId {
        self.system.threads()[thread].template
    }

    /// The view of a shared state, if that was met.
    pub(crate) fn view(&self, shared: SharedId) -> Option<u32> {
        self.views.get(&shared).copied()
    }

    /// Looks at the states that are new; how many abstract states are.
    pub fn look(&mut self, reached: &Reached<'_, Stacks>) -> Result<usize, Full> {
        let before = self.len();
        if self.is_whole && reached.locals().tallest() > self.observe.top {
            self.is_whole = false;
            self.seen = 0;
        }
        let all = reached.states.end();
        if !self.is_whole {
            for number in self.seen..all {
                self.add(reached, number)?;
            }
        }
        self.seen = all;
        Ok(self.len() - before)
    }

    fn add(&mut self, reached: &Reached<'_, Stacks>, number: u32) -> Result<(), Full> {
        let state = reached.states.get(number);
        let shared = SharedId(state[0]);
        let view = match self.view(shared) {
            Some(view) => view,
            None => self.meet(shared)?,
        };
        let mut word = vec![0; 1 + self.met.len()];
        word[0] = view;
        let mut left: Vec<(u32, u32)> = reached.space.layout.entries(&state).collect();
        self.arrange(reached, &mut left, 0, &mut word)
    }

    /// Gives what is left to the threads from one on, in every way: one way, unless threads that are
    /// alike are interchanged.
    fn arrange(
        &mut self,
        reached: &Reached<'_, Stacks>,
        left: &mut [(u32, u32)],
        thread: usize,
        word: &mut [u32],
    ) -> Result<(), Full> {
        if thread == self.met.len() {
            let kept = if self.observe.top == 0 { 1 } else { word.len() };
            self.states.insert(&word[..kept])?;
            return Ok(());
        }
        let class = reached.classes().of_thread(thread);
        for at in 0..left.len() {
            let (entry, count) = left[at];
            if count == 0 || reached.space.entry(entry).0 != class {
                continue;
            }
            left[at].1 -= 1;
            word[1 + thread] = self.window(reached, thread, entry)?;
            self.arrange(reached, left, thread + 1, word)?;
            left[at].1 += 1;
        }
        Ok(())
    }

    fn window(
        &mut self,
        reached: &Reached<'_, Stacks>,
        thread: usize,
        entry: u32,
    ) -> Result<u32, Full> {
        match self.of_entry.get(entry as usize * self.met.len() + thread) {
            Some(&known) if known != UNKNOWN => Ok(known),
            _ => self.meet_entry(reached, thread, entry),
        }
    }

    fn meet(&mut self, shared: SharedId) -> Result<u32, Full> {
        let view = match &self.observe.shared {
            None => {
                let next = u32::from_index(self.behind.len());
                next.ok_or(Full { what: VIEWS, most: self.behind.len() })?
            }
            Some(names) => {
                let mut values = self.system.describe().shared_values(shared);
                values.retain(|name, _| names.iter().any(|known| known == name));
                self.values.intern(values)?
            }
        };
        if view as usize == self.behind.len() {
            self.behind.push(Vec::new());
        }
        self.behind[view as usize].push(shared);
        self.views.insert(shared, view);
        Ok(view)
    }

    fn meet_entry(
        &mut self,
        reached: &Reached<'_, Stacks>,
        thread: usize,
        entry: u32,
    ) -> Result<u32, Full> {
        let (_, local) = reached.space.entry(entry);
        let stack = reached.locals().get(local);
        let window = self.windows.of_stack(ThreadId::from(thread).0, &stack)?;
        let threads = self.met.len();
        let at = entry as usize * threads + thread;
        if self.of_entry.len() <= at {
            self.of_entry.resize((entry as usize + 1) * threads, UNKNOWN);
        }
        self.of_entry[at] = window;
        let met = &mut self.met[thread];
        if !met.contains(&window) {
            met.push(window);
        }
        Ok(window)
    }

    /// States of shared states and windows of threads that look like one of the abstract states, made
    /// of what was met; `None` if they are more than `limit`.
    pub(crate) fn expand(&self, limit: usize) -> Option<Vec<(SharedId, Vec<u32>)>> {
        let mut all = Vec::new();
        for number in 0..self.states.end() {
            let word = self.states.get(number);
            let threads: Vec<&[u32]> = match self.observe.top {
                0 => self.met.iter().map(Vec::as_slice).collect(),
                _ => word[1..].iter().map(std::slice::from_ref).collect(),
            };
            for &shared in &self.behind[word[0] as usize] {
                let mut chosen = vec![0; threads.len()];
                loop {
                    if all.len() >= limit {
                        return None;
                    }
                    let pick = chosen.iter().zip(&threads).map(|(&at, of): (&usize, _)| of[at]);
                    all.push((shared, pick.collect()));
                    // The next choice, the last thread first.
                    let Some(thread) =
                        (0..threads.len()).rfind(|&t| chosen[t] + 1 < threads[t].len())
                    else {
                        break;
                    };
                    chosen[thread] += 1;
                    chosen[thread + 1..].fill(0);
                }
            }
        }
        Some(all)
    }
}

const UNKNOWN: u32 = u32::MAX;

/// The name of views in messages, should there be too many.
const VIEWS: &str = "views of shared states";
