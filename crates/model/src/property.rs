//! # Properties
//! What must never happen. Every kind is decided on the visible state alone.

use crate::{
    Fault, Heads, PlaceId, SharedId, State, SymbolId, System, TemplateId, VisibleState, can_assign,
};

/// What must not be reachable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Property {
    /// No thread goes wrong: no failed assertion, no misuse of a lock, no value out of range.
    NeverWrong,
    /// No deadlock is reached: a state in which some thread has not ended and none can act, though
    /// nothing went wrong.
    NoDeadlock,
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
    /// There are different threads, one for each of these: `worker@critical,worker@critical`.
    Together(Vec<ThreadAt>),
}

/// A thread that stands at a place of a program. Symbols are places with values, and get their
/// numbers as they are met; places are known from the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadAt {
    /// As it is written, for people.
    pub text: String,
    /// The places, and of which template a thread must be (`None`: of any) that stands there.
    pub places: Vec<(Option<TemplateId>, PlaceId)>,
}

impl ThreadAt {
    /// Whether a thread of the template with this top is meant.
    #[must_use]
    pub fn matches(
        &self,
        system: &dyn System,
        template: TemplateId,
        top: Option<SymbolId>,
    ) -> bool {
        let Some(place) = top.and_then(|symbol| system.place_of(symbol)) else { return false };
        let meant = |&(wanted, at): &(Option<TemplateId>, PlaceId)| {
            at == place && wanted.is_none_or(|wanted| wanted == template)
        };
        self.places.iter().any(meant)
    }
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
    pub fn matches(
        &self,
        system: &dyn System,
        state: &VisibleState,
        templates: &[TemplateId],
    ) -> bool {
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
            Pattern::Together(wanted) => {
                can_assign(wanted.len(), &vec![1; state.tops.len()], |item, thread| {
                    let template = templates.get(thread);
                    template.is_some_and(|&t| wanted[item].matches(system, t, state.tops[thread]))
                })
            }
        }
    }
}

impl Pattern {
    /// Whether threads of these templates are enough for it, wherever they stand.
    #[must_use]
    pub fn has_enough(&self, templates: &[TemplateId]) -> bool {
        let Pattern::Together(wanted) = self else { return true };
        can_assign(wanted.len(), &vec![1; templates.len()], |item, thread| {
            let of = |&(template, _): &(Option<TemplateId>, PlaceId)| {
                template.is_none_or(|template| template == templates[thread])
            };
            wanted[item].places.iter().any(of)
        })
    }
}

impl Property {
    /// Whether this visible state breaks the property. `templates` are those of the threads. There
    /// is no answer where the system cannot say what its actions are, and the property is about
    /// them.
    pub fn is_violated_by(
        &self,
        system: &dyn System,
        state: &VisibleState,
        templates: &[TemplateId],
    ) -> Result<bool, Fault> {
        match self {
            Property::NeverWrong => Ok(system.wrong(state.shared).is_some()),
            Property::NoDeadlock => {
                let tops = state.tops.iter().map(std::slice::from_ref);
                let threads = templates.iter().copied().zip(tops);
                Heads::default().is_deadlock(system, state.shared, threads)
            }
            Property::Unreachable(pattern) => Ok(pattern.matches(system, state, templates)),
        }
    }

    /// The first of the properties that a state breaks.
    pub fn first_broken(
        properties: &[Property],
        system: &dyn System,
        state: &State,
    ) -> Result<Option<usize>, Fault> {
        let templates: Vec<TemplateId> = state.threads.iter().map(|t| t.template).collect();
        let visible = state.visible();
        for (number, property) in properties.iter().enumerate() {
            if property.is_violated_by(system, &visible, &templates)? {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }
}
