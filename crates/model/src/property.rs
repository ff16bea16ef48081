//! # Properties
//! What must never happen. Both kinds are decided on the visible state alone.

use crate::{SharedId, SymbolId, System, TemplateId, VisibleState};

/// What must not be reachable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Property {
    /// No thread goes wrong: no failed assertion, no misuse of a lock, no value out of range.
    NeverWrong,
    /// No visible state of this pattern is reached.
    Unreachable(Pattern),
}

/// A set of visible states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// Shared state (`None`: any) and the top of each thread in order, as in `20|23,*,-`.
    Tuple {
        /// The shared state, or any.
        shared: Option<SharedId>,
        /// One pattern for each thread of the initial state.
        tops: Vec<TopPattern>,
    },
    /// Some thread of the template (`None`: of any) has this symbol on top.
    Somewhere {
        /// The shared state, or any.
        shared: Option<SharedId>,
        /// The template, or any.
        template: Option<TemplateId>,
        /// The symbol on top.
        symbol: SymbolId,
    },
}

/// What the top of one stack must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TopPattern {
    /// Anything, the empty stack too.
    Any,
    /// The empty stack.
    Empty,
    /// This symbol.
    Symbol(SymbolId),
}

impl TopPattern {
    /// Whether a stack with this top is meant.
    #[must_use]
    pub fn matches(self, top: Option<SymbolId>) -> bool {
        match self {
            TopPattern::Any => true,
            TopPattern::Empty => top.is_none(),
            TopPattern::Symbol(symbol) => top == Some(symbol),
        }
    }
}

impl Pattern {
    /// Whether the visible state belongs to the pattern. `templates` are those of the threads.
    #[must_use]
    pub fn matches(&self, state: &VisibleState, templates: &[TemplateId]) -> bool {
        match self {
            Pattern::Tuple { shared, tops } => {
                shared.is_none_or(|s| s == state.shared)
                    && tops.len() <= state.tops.len()
                    && tops.iter().zip(&state.tops).all(|(p, &top)| p.matches(top))
            }
            Pattern::Somewhere { shared, template, symbol } => {
                shared.is_none_or(|s| s == state.shared)
                    && state.tops.iter().zip(templates).any(|(&top, &t)| {
                        top == Some(*symbol) && template.is_none_or(|wanted| wanted == t)
                    })
            }
        }
    }
}

impl Property {
    /// Whether this visible state breaks the property.
    #[must_use]
    pub fn is_violated_by(
        &self,
        system: &dyn System,
        state: &VisibleState,
        templates: &[TemplateId],
    ) -> bool {
        match self {
            Property::NeverWrong => system.wrong(state.shared).is_some(),
            Property::Unreachable(pattern) => pattern.matches(state, templates),
        }
    }
}
