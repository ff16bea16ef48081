//! # Properties
//! What must never happen. Every kind is decided on the visible state alone, but one: a target that
//! says what is in a whole stack ([`Pattern::Configuration`]).

use crate::{
    Fault, Heads, PlaceId, SharedId, State, SymbolId, System, TemplateId, VisibleState, Waiting,
    can_assign,
};

/// A condition on all reachable states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Property {
    /// No thread goes wrong: no failed assertion, no misuse of a lock, no value out of range.
    NeverWrong,
    /// No deadlock is reached: a state in which some thread has not ended and none can act, though
    /// nothing went wrong; and in which some thread waits in a way that is meant.
    NoDeadlock(Waiting),
    /// No visible state of this pattern is reached.
    Unreachable(Pattern),
}

/// A set of visible states, or of states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// Shared state (`None`: any) and the top of each thread in order, as in `20|23,*,-`.
    Tuple {
        /// The shared state, or any.
        shared: Option<SharedId>,
        /// One pattern for each thread of the initial state.
        tops: Vec<TopPattern>,
    },
    /// Shared state (`None`: any) and the stack of each thread in order, some of them whole, as in
    /// `3|2,4.6`: reachability between configurations [Qadeer, Rehof 2004, Sec. 2].
    Configuration {
        /// The shared state, or any.
        shared: Option<SharedId>,
        /// One pattern for each thread of the initial state.
        stacks: Vec<StackPattern>,
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

/// A pattern for the top of one stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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

/// A condition on the stack of one thread, as a target states it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StackPattern {
    /// Any stack with such a top.
    Top(TopPattern),
    /// This stack, top first.
    Whole(Box<[SymbolId]>),
}

impl StackPattern {
    /// Whether the stack is meant, given top first.
    #[must_use]
    pub fn matches(&self, mut stack: impl Iterator<Item = SymbolId>) -> bool {
        match self {
            StackPattern::Top(top) => top.matches(stack.next()),
            StackPattern::Whole(symbols) => stack.eq(symbols.iter().copied()),
        }
    }

    /// The pattern for the top of the stack.
    #[must_use]
    pub fn top(&self) -> TopPattern {
        match self {
            StackPattern::Top(top) => *top,
            StackPattern::Whole(symbols) => {
                symbols.first().map_or(TopPattern::Empty, |&top| TopPattern::Symbol(top))
            }
        }
    }

    /// Whether it matches every stack.
    #[must_use]
    pub fn is_any(&self) -> bool {
        *self == StackPattern::Top(TopPattern::Any)
    }
}

impl Pattern {
    /// Whether the visible part of a state may belong to the pattern: for all patterns but
    /// [`Pattern::Configuration`] it then does. `templates` are those of the threads.
    #[must_use]
    pub fn may_match(
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
            Pattern::Configuration { shared, stacks } => {
                shared.is_none_or(|s| s == state.shared)
                    && stacks.len() <= state.tops.len()
                    && stacks.iter().zip(&state.tops).all(|(p, &top)| p.top().matches(top))
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
    /// Whether the state belongs to the pattern.
    #[must_use]
    pub fn matches(&self, system: &dyn System, state: &State) -> bool {
        let templates: Vec<TemplateId> = state.threads.iter().map(|t| t.template).collect();
        let whole = match self {
            Pattern::Configuration { stacks, .. } => {
                stacks.iter().zip(&state.threads).all(|(p, thread)| p.matches(thread.stack.iter()))
            }
            _ => true,
        };
        whole && self.may_match(system, &state.visible(), &templates)
    }

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
    /// No deadlock is reached, whatever threads wait for.
    pub const ANY_DEADLOCK: Property = Property::NoDeadlock(Waiting::Anywhere);

    /// Whether this state breaks the property. There is no answer where the system cannot say what
    /// its actions are, and the property is about them.
    pub fn is_violated_by(&self, system: &dyn System, state: &State) -> Result<bool, Fault> {
        match self {
            Property::NeverWrong => Ok(system.wrong(state.shared).is_some()),
            Property::NoDeadlock(waiting) => {
                let tops: Vec<_> =
                    state.threads.iter().map(|t| (t.template, t.stack.top())).collect();
                let threads =
                    tops.iter().map(|(template, top)| (*template, std::slice::from_ref(top)));
                Heads::default().is_deadlock(system, waiting, state.shared, threads)
            }
            Property::Unreachable(pattern) => Ok(pattern.matches(system, state)),
        }
    }

    /// Whether it is about states in which no thread can act.
    #[must_use]
    pub fn is_about_deadlocks(&self) -> bool {
        matches!(self, Property::NoDeadlock(_))
    }

    /// Whether the visible state does not decide it: it says what is in a whole stack.
    #[must_use]
    pub fn needs_stacks(&self) -> bool {
        matches!(self, Property::Unreachable(Pattern::Configuration { .. }))
    }

    /// The height of the highest stack that it names.
    #[must_use]
    pub fn height(&self) -> usize {
        let Property::Unreachable(Pattern::Configuration { stacks, .. }) = self else { return 0 };
        let height = |stack: &StackPattern| match stack {
            StackPattern::Top(_) => 0,
            StackPattern::Whole(symbols) => symbols.len(),
        };
        stacks.iter().map(height).max().unwrap_or(0)
    }

    /// The first of the properties that a state breaks.
    pub fn first_broken(
        properties: &[Property],
        system: &dyn System,
        state: &State,
    ) -> Result<Option<usize>, Fault> {
        for (number, property) in properties.iter().enumerate() {
            if property.is_violated_by(system, state)? {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }
}
