//! Back to the original: its threads take the same steps in the same order, and pass the same statements with the same shared
//! values.

use rustc_hash::FxHashMap;
use selvedge_model::{Action, Fault, State, System, ThreadId, step};

use super::Inlined;
use crate::flow::Loc;
use crate::{Lowering, Span};

/// A run of the original: its first state, and who did what.
pub type Lifted = (State, Vec<(ThreadId, Action)>);

/// How many steps of the original one step of the program without calls is at most: a return, and the receipt of
/// its results.
const MOST_STEPS: usize = 2;

/// A state of the original, and how it was reached from one of the layer before.
struct Reached {
    state: State,
    from: usize,
    steps: Vec<(ThreadId, Action)>,
}

impl Inlined {
    /// The run of the original that a run of the program without calls stands for: the first one whose last
    /// state is wanted. A run is its first state, and the state after each step with the thread that took it.
    pub fn lift(
        &self,
        inlined: &Lowering,
        first: &State,
        run: &[(ThreadId, State)],
        original: &Lowering,
        wanted: &dyn Fn(&State) -> Result<bool, Fault>,
    ) -> Result<Option<Lifted>, Fault> {
        let same_values =
            |a: &State, b: &State| inlined.values_of(a.shared) == original.values_of(b.shared);
        let starts = original.initial()?.into_iter().filter(|state| same_values(first, state));
        let starts = starts.map(|state| Reached { state, from: 0, steps: Vec::new() });
        let mut layers: Vec<Vec<Reached>> = vec![starts.collect()];
        for (number, (thread, after)) in run.iter().enumerate() {
            let is_last = number + 1 == run.len();
            let mut next: Vec<Reached> = Vec::new();
            let mut known: FxHashMap<State, ()> = FxHashMap::default();
            let before = layers.last().map_or(&[][..], Vec::as_slice);
            for (from, reached) in before.iter().enumerate() {
                let mut work = vec![(reached.state.clone(), Vec::new())];
                for taken in 0..=MOST_STEPS {
                    let mut further = Vec::new();
                    for (state, steps) in work {
                        let fits = match is_last {
                            true => wanted(&state)?,
                            false => {
                                same_values(after, &state)
                                    && self.stands_alike(inlined, after, original, &state, *thread)
                            }
                        };
                        if fits && known.insert(state.clone(), ()).is_none() {
                            next.push(Reached { state: state.clone(), from, steps: steps.clone() });
                        }
                        if taken < MOST_STEPS {
                            for (action, later) in step(original, &state, *thread)? {
                                let mut longer: Vec<(ThreadId, Action)> = steps.clone();
                                longer.push((*thread, action));
                                further.push((later, longer));
                            }
                        }
                    }
                    work = further;
                }
            }
            layers.push(next);
        }
        let Some(mut reached) = layers.last().and_then(|last| last.first()) else {
            return Ok(None);
        };
        let mut steps = Vec::new();
        for layer in layers.iter().rev().skip(1) {
            steps.push(&reached.steps);
            reached = &layer[reached.from];
        }
        let all = steps.into_iter().rev().flatten().cloned().collect();
        Ok(Some((reached.state.clone(), all)))
    }

    /// Whether a thread stands before the same statement in both. Behind a body it may have gone on in the original.
    fn stands_alike(
        &self,
        inlined: &Lowering,
        a: &State,
        original: &Lowering,
        b: &State,
        thread: ThreadId,
    ) -> bool {
        let at = |system: &Lowering, state: &State| -> Option<Loc> {
            let top = state.threads.get(thread.index())?.stack.top()?;
            system.frame_of_symbol(top).map(|(loc, _)| loc)
        };
        match (at(inlined, a), at(original, b)) {
            (Some(here), Some(there)) => {
                let span = inlined.flow().location(here).span;
                let is_behind = span != Span::default() && span.start == span.end;
                is_behind || span == original.flow().location(there).span
            }
            (None, None) => true,
            (Some(here), None) => {
                let span = inlined.flow().location(here).span;
                span.start == span.end
            }
            (None, Some(_)) => false,
        }
    }
}
