//! What the definition says of a program, as far as it can be followed.

use selvedge_analysis::naive::Naive;
use selvedge_model::{Property, State, System};

/// What the definition says.
pub(super) struct Plain {
    /// The states within the contexts that were followed to the end, and some that take one more.
    pub states: Vec<(State, usize)>,
    /// The smallest bound at which something is broken.
    pub broken_at: Option<usize>,
    /// Whether all that is broken there are deadlocks.
    pub is_deadlock: bool,
    /// So many contexts were followed to the end; none if a single one has too many states.
    pub completed: usize,
    /// Whether there is nothing beyond.
    pub is_all: bool,
}

impl Plain {
    /// Enumerates a system, as far as its states can be judged; says why if not even the first ones can.
    pub fn of(system: &dyn System, properties: &[Property], limit: usize) -> Result<Self, String> {
        let mut naive = Naive::with_limit(system, limit).map_err(|why| why.to_string())?;
        let (mut completed, mut is_all) = (0, false);
        while let Ok(level) = naive.advance() {
            completed = level.bound;
            if level.has_collapsed() {
                is_all = true;
                break;
            }
        }
        // What is broken in the midst of a bound, and not before, is broken there first.
        let states: Vec<_> = naive.states().map(|(state, bound)| (state.clone(), bound)).collect();
        let mut broken_at: Option<usize> = None;
        let mut unclear_at: Option<(usize, String)> = None;
        for (state, bound) in &states {
            match Property::first_broken(properties, system, state) {
                Ok(None) => {}
                Ok(Some(_)) => {
                    broken_at = Some(broken_at.map_or(*bound, |least| least.min(*bound)));
                }
                Err(why) if unclear_at.as_ref().is_none_or(|(least, _)| bound < least) => {
                    unclear_at = Some((*bound, why.to_string()));
                }
                Err(_) => {}
            }
        }
        // From the bound of a state on that cannot be judged, nobody knows whether something is broken there already.
        if let Some((bound, why)) = unclear_at
            && broken_at.is_none_or(|least| least >= bound)
        {
            let before = bound.checked_sub(1).ok_or(why)?;
            (broken_at, is_all, completed) = (None, false, completed.min(before));
        }
        let is_wrong = |(state, bound): &(State, usize)| {
            Some(*bound) == broken_at && system.wrong(state.shared).is_some()
        };
        let is_deadlock = broken_at.is_some() && !states.iter().any(is_wrong);
        Ok(Plain { states, broken_at, is_deadlock, completed, is_all })
    }

    /// How far it goes.
    pub fn extent(&self) -> Extent {
        match (self.broken_at, self.completed) {
            (Some(_), _) => Extent::Whole,
            (None, _) if self.is_all => Extent::Whole,
            (None, 0) => Extent::PartOfOneContext,
            (None, _) => Extent::Contexts,
        }
    }

    /// Compares with a bound at which something is said to be broken first.
    pub fn agrees(&self, broken_at: Option<usize>) -> bool {
        match (self.broken_at, broken_at) {
            (None, None) => true,
            (None, Some(bound)) => !self.is_all && bound > self.completed,
            (Some(bound), other) => other == Some(bound),
        }
    }
}

/// How far the definition was followed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Extent {
    /// To the end, or to the first violation.
    Whole,
    /// Up to a number of contexts, without a violation.
    Contexts,
    /// A part of what one context reaches.
    PartOfOneContext,
}
