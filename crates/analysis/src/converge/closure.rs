//! # Closure
//!
//! **Question.** The abstract states stopped growing with one more round and n - 1 more delays. Can
//! growth resume?
//!
//! **Idea.** An action *respects* the abstraction if what it does, and whether it can be taken, is
//! determined by what is seen. Its effect on an abstract state is that on any state behind it, and one
//! of those was reached: every thread had its turn there on the plateau. So only actions that depend
//! on what is hidden have to be tried, with everything that may be hidden.
//!
//! **Claim** [Johnson, Wahl 2021, Thm. 7]. If α(R(r, d)) = α(R(r + 1, d + n - 1)), and that set is
//! closed under disrespectful actions, it is α(R). With all actions ([`Closure::All`]) no plateau is
//! needed.
//!
//! What may be hidden is an invariant of its own here, so that the result can be checked by somebody
//! who knows nothing of plateaus ([`certificate`]): below a window lies what was ever met there, and
//! what steps put there; behind a view lie the shared states that were met, and a step to another one
//! is an obstacle. That is less than the paper allows ("all states"), so that more is proved.
//!
//! **Static part** (App. C). If all shared variables are seen: a rewrite, a push, and a pop from a
//! stack that is seen to its bottom respect the abstraction. Otherwise it is decided by trying: an
//! action respects the abstraction if it does the same for all shared states behind a view.
//!
//! **Otherwise.** Gives an [`Obstacle`]; never says that anything is unsafe.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use selvedge_evidence::Evidence;
use selvedge_model::{Action, SharedId, ThreadId, Word};

use crate::explore::abstraction::Abstraction;
use crate::explore::windows::{Cut, Windows};
use crate::{Stop, certify};

/// Selects the actions that the closure test tries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Closure {
    /// Those that depend on what is hidden, after a plateau.
    #[default]
    Disrespectful,
    /// All actions, at every bound.
    All,
    /// With predicates: those of the thread that is looked at, and not those of the others, as the paper has it.
    /// What is closed in this way is no proof. With other observations: [`Closure::Disrespectful`].
    Published,
}

/// A step out of the abstract states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obstacle(pub String);

/// A step of one thread, as far as the observation shows it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct VisibleStep {
    view: u32,
    window: u32,
    /// Whether it has to be looked up, or follows from the plateau.
    is_tried: bool,
}

/// Why the abstract states are not closed, if they are not. Not to be asked where nothing is hidden:
/// then the states themselves are all that there is to know ([`Abstraction::is_whole`]).
pub fn test(abstraction: &mut Abstraction<'_>, closure: Closure) -> Result<Option<Obstacle>, Stop> {
    loop {
        let windows = std::mem::replace(&mut abstraction.windows, Windows::new(Cut::PUBLISHED));
        abstraction.windows = windows.again();
        let obstacle = Test { abstraction, closure, known: FxHashMap::default() }.run()?;
        // A step that was tried early may have had too few guesses: test again until there are no new ones.
        if obstacle.is_some() || !abstraction.windows.has_grown() {
            return Ok(obstacle);
        }
    }
}

/// The states behind the abstract ones, as a certificate; `None` if they are too many.
#[must_use]
pub fn certificate(abstraction: &Abstraction<'_>) -> Option<Evidence> {
    certify::of_abstraction(abstraction)
}

struct Test<'t, 'a> {
    abstraction: &'t mut Abstraction<'a>,
    closure: Closure,
    /// The steps of a thread with a window at a view.
    known: FxHashMap<(u32, usize, u32), Vec<VisibleStep>>,
}

impl Test<'_, '_> {
    fn run(mut self) -> Result<Option<Obstacle>, Stop> {
        let mut next = Vec::new();
        for number in 0..self.abstraction.states.end() {
            let word = self.abstraction.states.get(number).to_vec();
            for thread in 0..self.abstraction.met.len() {
                let windows = match word.get(1 + thread) {
                    Some(&window) => vec![window],
                    None => self.abstraction.met[thread].clone(),
                };
                for window in windows {
                    let key = (word[0], thread, window);
                    if !self.known.contains_key(&key) {
                        match self.steps(key)? {
                            Ok(steps) => self.known.insert(key, steps),
                            Err(obstacle) => return Ok(Some(obstacle)),
                        };
                    }
                    for step in self.known[&key].iter().filter(|step| step.is_tried) {
                        next.clone_from(&word);
                        next[0] = step.view;
                        if let Some(at) = next.get_mut(1 + thread) {
                            *at = step.window;
                        }
                        if self.abstraction.states.find(&next).is_none() {
                            return Ok(Some(self.obstacle(thread, key, *step)));
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// The steps of a thread with a window, whatever is hidden behind the view and below the window.
    fn steps(
        &mut self,
        (view, thread, window): (u32, usize, u32),
    ) -> Result<Result<Vec<VisibleStep>, Obstacle>, Stop> {
        let Abstraction { system, .. } = *self.abstraction;
        let template = self.abstraction.template(thread);
        let kept = self.abstraction.windows.get(window).clone();
        let keeps_stacks = self.abstraction.observe.top > 0;
        let mut of_each: Vec<BTreeSet<(u32, u32)>> = Vec::new();
        let mut steps = Vec::new();
        let (mut actions, mut after) = (Vec::new(), Vec::new());
        for shared in self.abstraction.behind[view as usize].clone() {
            actions.clear();
            system.actions(template, shared, kept.symbols.first().copied(), &mut actions)?;
            let mut found = BTreeSet::new();
            for &Action { shared: to, word, .. } in &actions {
                let class = ThreadId::from(thread).0;
                self.abstraction.windows.step(class, &kept, word, &mut after)?;
                let uncovers = word == Word::Pop && kept.hidden;
                for window in after.drain(..) {
                    let Some(view) = self.abstraction.view(to) else {
                        return Ok(Err(self.new_shared(shared, to)));
                    };
                    if !keeps_stacks && !self.abstraction.met[thread].contains(&window) {
                        return Ok(Err(self.new_window(thread, shared, window)));
                    }
                    found.insert((view, window));
                    let is_tried = uncovers || self.closure == Closure::All || !keeps_stacks;
                    steps.push(VisibleStep { view, window, is_tried });
                }
            }
            of_each.push(found);
        }
        if of_each.windows(2).any(|pair| pair[0] != pair[1]) {
            steps.iter_mut().for_each(|step| step.is_tried = true);
        }
        steps.sort_unstable();
        steps.dedup();
        Ok(Ok(steps))
    }

    fn obstacle(
        &self,
        thread: usize,
        (view, _, window): (u32, usize, u32),
        step: VisibleStep,
    ) -> Obstacle {
        let thread_name = &self.abstraction.system.threads()[thread].name;
        let at = |view: u32, window: u32| {
            format!("{} with {}", self.show_view(view), self.show_window(window))
        };
        Obstacle(format!(
            "{thread_name} may go from {} to {}, which was not reached together with what the other \
             threads are doing",
            at(view, window),
            at(step.view, step.window)
        ))
    }

    fn new_shared(&self, from: SharedId, to: SharedId) -> Obstacle {
        let [from, to] = [from, to].map(|s| self.abstraction.system.describe().show_shared(s));
        Obstacle(format!("⟨{from}⟩ may become ⟨{to}⟩, which was not reached"))
    }

    fn new_window(&self, thread: usize, shared: SharedId, window: u32) -> Obstacle {
        let name = &self.abstraction.system.threads()[thread].name;
        let shared = self.abstraction.system.describe().show_shared(shared);
        Obstacle(format!(
            "{name} may get to {} from ⟨{shared}⟩, where it was not seen",
            self.show_window(window)
        ))
    }

    fn show_view(&self, view: u32) -> String {
        let shared = self.abstraction.behind[view as usize].first();
        let shown = shared.map_or(String::new(), |&s| match &self.abstraction.observe.shared {
            None => self.abstraction.system.describe().show_shared(s),
            Some(names) => {
                let mut values = self.abstraction.system.describe().shared_values(s);
                values.retain(|name, _| names.iter().any(|known| known == name));
                values.to_string()
            }
        });
        format!("⟨{shown}⟩")
    }

    fn show_window(&self, window: u32) -> String {
        let window = self.abstraction.windows.get(window);
        let hidden = window.hidden.then(|| "…".to_owned());
        let symbols =
            window.symbols.iter().map(|&s| self.abstraction.system.describe().show_symbol(s));
        let shown: Vec<_> = symbols.chain(hidden).collect();
        if shown.is_empty() { "an empty stack".to_owned() } else { shown.join(" | ") }
    }
}
