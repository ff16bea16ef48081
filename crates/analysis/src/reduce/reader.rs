//! # Reading the end of a run
//! The stack at the end of a run is e_{n+1} cₙ … c₁, with a bottom under each stack. A reader goes
//! through it from the top and sees the top of each thread.

use selvedge_model::{Pattern, Property, SharedId, SymbolId, System, TopPattern};

use super::frames::Frame;

/// Which ends of runs break a property.
pub(super) struct Wanted<'a> {
    system: &'a dyn System,
    property: &'a Property,
    /// Where the symbol of [`Pattern::Somewhere`] counts.
    somewhere: Vec<bool>,
}

/// Where a reader is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Reading {
    /// So many threads are still to be read; the top of the last of these comes next.
    Top { threads: u32, found: bool },
    /// So many threads are still to be read, and the top of the last of these was.
    Inside { threads: u32, found: bool },
}

impl Reading {
    /// After the end of all threads, at the top of the last one.
    pub fn start(wanted: Option<&Wanted<'_>>, threads: usize) -> Self {
        let found = wanted.is_none_or(Wanted::finds_at_once);
        // Threads have 32-bit numbers, so there are no more of them.
        Reading::Top { threads: u32::try_from(threads).unwrap_or(u32::MAX), found }
    }

    /// Whether all threads were read, and what was looked for was there.
    pub fn is_end(self) -> bool {
        self == Reading::Top { threads: 0, found: true }
    }
}

impl<'a> Wanted<'a> {
    pub fn new(system: &'a dyn System, property: &'a Property) -> Self {
        let somewhere = match property {
            Property::Unreachable(Pattern::Somewhere { template, .. }) => {
                let counts =
                    |t: selvedge_model::TemplateId| template.is_none_or(|wanted| wanted == t);
                system.threads().iter().map(|thread| counts(thread.template)).collect()
            }
            _ => Vec::new(),
        };
        Wanted { system, property, somewhere }
    }

    /// Whether the property can be broken at a shared state.
    pub fn may_be_broken_at(&self, shared: SharedId) -> bool {
        match self.property {
            Property::NeverWrong => self.system.wrong(shared).is_some(),
            Property::Unreachable(
                Pattern::Tuple { shared: wanted, .. } | Pattern::Somewhere { shared: wanted, .. },
            ) => wanted.is_none_or(|wanted| wanted == shared),
            Property::NoDeadlock(_)
            | Property::Unreachable(Pattern::Together { .. } | Pattern::Configuration { .. }) => {
                false
            }
        }
    }

    /// Whether a property can be read off the end of a run.
    pub fn can_read(property: &Property) -> bool {
        !matches!(
            property,
            Property::NoDeadlock(_)
                | Property::Unreachable(Pattern::Together { .. } | Pattern::Configuration { .. })
        )
    }

    /// Whether a thread may have this top; and whether it is what is looked for.
    fn sees(&self, thread: usize, top: Option<SymbolId>) -> (bool, bool) {
        match self.property {
            Property::NeverWrong
            | Property::NoDeadlock(_)
            | Property::Unreachable(Pattern::Together { .. } | Pattern::Configuration { .. }) => {
                (true, false)
            }
            Property::Unreachable(Pattern::Tuple { tops, .. }) => {
                let wanted = tops.get(thread).copied().unwrap_or(TopPattern::Any);
                (wanted.matches(top), false)
            }
            Property::Unreachable(Pattern::Somewhere { symbol, .. }) => {
                let counts = self.somewhere.get(thread).copied().unwrap_or(false);
                (true, counts && top == Some(*symbol))
            }
        }
    }

    /// Whether nothing needs to be found among the tops.
    fn finds_at_once(&self) -> bool {
        !matches!(self.property, Property::Unreachable(Pattern::Somewhere { .. }))
    }
}

/// Where a symbol takes a reader of the ends of runs; without anything wanted, all ends will do.
pub(super) fn step(wanted: Option<&Wanted<'_>>, reading: Reading, frame: Frame) -> Option<Reading> {
    let sees =
        |threads: u32, top| wanted.map_or((true, false), |w| w.sees(threads as usize - 1, top));
    match (reading, frame) {
        (Reading::Top { threads, found }, Frame::Symbol(thread, symbol))
            if thread + 1 == threads =>
        {
            let (fits, is_it) = sees(threads, Some(symbol));
            fits.then_some(Reading::Inside { threads, found: found || is_it })
        }
        (Reading::Top { threads, found }, Frame::Bottom(thread)) if thread + 1 == threads => {
            let (fits, _) = sees(threads, None);
            fits.then_some(Reading::Top { threads: threads - 1, found })
        }
        (Reading::Inside { threads, .. }, Frame::Symbol(thread, _)) if thread + 1 == threads => {
            Some(reading)
        }
        (
            Reading::Inside { threads, found },
            Frame::Bottom(thread) | Frame::Rest { thread, .. } | Frame::Over(thread, _),
        ) if thread + 1 == threads => Some(Reading::Top { threads: threads - 1, found }),
        _ => None,
    }
}
