//! # What leads to a violation
//!
//! **Question.** A violation needs k contexts, and all states within k contexts are known. Through which of them does a schedule with k
//! contexts lead, and with how many contexts to go?
//!
//! **Idea.** Every step between known states is looked at once and kept backwards. From the violations, states with the thread that moves next get
//! the number of contexts that are still to begin: none if the thread that goes on is the one that moves, one more otherwise.
//!
//! **Claim.** At a state s that needs m(s) contexts a schedule has used at least m(s); so a state with a thread that has
//! more than k - m(s) to go is on no schedule with k contexts, and is left out.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Locals;
use super::reached::Reached;
use crate::{Pace, Stop};

/// More steps than this are not kept: they take twelve bytes each.
const MOST_STEPS: usize = 1 << 25;

/// A step, seen from where it leads to.
struct Back {
    from: u32,
    /// The entry of the thread that moves, before and after.
    moves: u32,
    after: u32,
}

/// Steps by where they lead to, and where those of each state end in the list.
type Backwards = (Vec<Back>, Vec<u32>);

/// The fewest contexts that must still begin on the way to a violation.
pub(super) struct Relevant {
    /// From a state, if this entry moves next and its context has begun.
    going_on: FxHashMap<(u32, u32), u32>,
    /// From a state, whoever moves next, the first of these contexts not counted.
    least: FxHashMap<u32, u32>,
    /// The states that break a property.
    goals: FxHashSet<u32>,
}

impl Relevant {
    /// The fewest contexts that must still begin at a state where this entry moved last; `None` if no way leads from there.
    pub(super) fn to_go(&self, state: u32, last: u32) -> Option<u32> {
        if self.goals.contains(&state) {
            return Some(0);
        }
        let same = self.going_on.get(&(state, last)).copied();
        let other = self.least.get(&state).map(|least| least + 1);
        same.into_iter().chain(other).min()
    }

    /// From these violations backwards, where all that is within so many contexts is known; `None` if that is too much to be
    /// kept.
    pub(super) fn new<L: Locals>(
        reached: &mut Reached<'_, L>,
        goals: &[u32],
        contexts: u32,
        needed: impl Fn(u32) -> u32,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Self>, Stop> {
        let Some((steps, ends)) = backwards(reached, &needed, pace)? else { return Ok(None) };
        let into = |state: u32| {
            let start = state.checked_sub(1).map_or(0, |before| ends[before as usize]);
            &steps[start as usize..ends[state as usize] as usize]
        };
        let mut found = Relevant {
            going_on: FxHashMap::default(),
            least: FxHashMap::default(),
            goals: goals.iter().copied().collect(),
        };
        let mut open: VecDeque<(u32, u32, u32)> = VecDeque::new();
        let reach =
            |found: &Relevant, open: &mut VecDeque<_>, back: &Back, to_go: u32, at_once: bool| {
                let node = (back.from, back.moves);
                let is_new = found.going_on.get(&node).is_none_or(|&known| to_go < known);
                if is_new && needed(back.from) + to_go <= contexts {
                    let entry = (back.from, back.moves, to_go);
                    if at_once { open.push_front(entry) } else { open.push_back(entry) }
                }
            };
        for &goal in goals {
            for back in into(goal) {
                reach(&found, &mut open, back, 0, true);
            }
        }
        while let Some((state, moves, to_go)) = open.pop_front() {
            pace.spend(1)?;
            let known = found.going_on.entry((state, moves)).or_insert(u32::MAX);
            if *known <= to_go {
                continue;
            }
            *known = to_go;
            let is_first = found.least.get(&state).is_none_or(|&least| to_go < least);
            if is_first {
                found.least.insert(state, to_go);
            }
            for back in into(state) {
                if back.after == moves {
                    reach(&found, &mut open, back, to_go, true);
                }
                if is_first {
                    reach(&found, &mut open, back, to_go + 1, false);
                }
            }
        }
        Ok(Some(found))
    }
}

/// The steps between known states by where they lead to, and where those of each state end in the list.
fn backwards<L: Locals>(
    reached: &mut Reached<'_, L>,
    needed: impl Fn(u32) -> u32,
    pace: &mut Pace<'_>,
) -> Result<Option<Backwards>, Stop> {
    let count = reached.states.end();
    let mut steps: Vec<(u32, Back)> = Vec::new();
    let (mut word, mut next) = (Vec::new(), Vec::new());
    for from in 0..count {
        reached.states.read(from, &mut word);
        let entries: Vec<u32> = reached.space.layout.entries(&word).map(|(e, _)| e).collect();
        for moves in entries {
            let range = reached.space.moves_of(word[0], moves, pace)?;
            pace.spend(1 + range.len())?;
            for index in range {
                let Some(after) = reached.space.step(&word, moves, index, &mut next) else {
                    continue;
                };
                let Some(to) = reached.states.find(&next) else { continue };
                // Nobody who gets there so late sees a violation in time.
                if needed(to) + 1 >= needed(from) {
                    steps.push((to, Back { from, moves, after }));
                }
            }
        }
        if steps.len() > MOST_STEPS {
            return Ok(None);
        }
    }
    let mut ends = vec![0_u32; count as usize];
    for (to, _) in &steps {
        ends[*to as usize] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum;
    }
    steps.sort_by_key(|(to, _)| *to);
    Ok(Some((steps.into_iter().map(|(_, back)| back).collect(), ends)))
}
