//! # Harmless
//! Whether a state of a certificate stands for one that breaks a property. What is known of a
//! thread is its class and what may be on top of its stack, or, where a property asks for that, what
//! the whole stack may be; any thread of a class may be meant, and any thread that was started where
//! a property names more threads than there were at first.

use selvedge_model::{
    Fault, Heads, Pattern, Property, SharedId, StackPattern, SymbolId, System, TopPattern,
    can_assign,
};

use super::form::{Classes, show_shared};
use super::{Flaw, Refusal};
use crate::CountedState;
use crate::watch::Watch;

/// Threads of one kind: its number, their class, what may be on top of their stacks, and how many
/// there are.
struct Threads<'a> {
    kind: u32,
    class: u32,
    tops: &'a [Option<SymbolId>],
    count: u32,
}

/// Looks at the states of a certificate, one by one.
pub(super) struct Harmless<'a> {
    system: &'a dyn System,
    properties: &'a [Property],
    classes: &'a Classes<'a>,
    /// Whether a thread of a kind may have such a stack.
    may_have: &'a MayHave<'a>,
    /// The heads that can act, as far as a property has asked.
    heads: Heads,
}

/// Says whether a thread of a kind, given by its number, may have a stack of a pattern.
pub(super) type MayHave<'a> = dyn Fn(u32, &StackPattern) -> bool + 'a;

impl<'a> Harmless<'a> {
    pub fn new(
        system: &'a dyn System,
        properties: &'a [Property],
        classes: &'a Classes<'a>,
        may_have: &'a MayHave<'a>,
    ) -> Self {
        Harmless { system, properties, classes, may_have, heads: Heads::default() }
    }

    /// Refuses states of which one stands for a violation. A kind of thread is its class and what
    /// may be on top of its stack.
    pub fn check_all(
        &mut self,
        states: &[CountedState],
        kinds: &[(u32, Vec<Option<SymbolId>>)],
        watch: &Watch<'_>,
    ) -> Result<(), Refusal> {
        for (number, state) in states.iter().enumerate() {
            watch.spend(state.threads.len())?;
            let threads = state.threads.iter().map(|&(kind, count)| {
                let (class, tops) = &kinds[kind as usize];
                Threads { kind, class: *class, tops, count }
            });
            self.check(number, state.shared, &threads.collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// Refuses a state that stands for a violation.
    fn check(
        &mut self,
        number: usize,
        shared: SharedId,
        threads: &[Threads<'_>],
    ) -> Result<(), Refusal> {
        for property in self.properties {
            if self.is_broken(property, shared, threads)? {
                let reason = match (property, self.system.wrong(shared)) {
                    (Property::NoDeadlock(_), _) => "may be a deadlock".to_owned(),
                    (_, Some(wrong)) => format!("goes wrong: {wrong}"),
                    (_, None) => "must not be reached".to_owned(),
                };
                let shared = show_shared(self.system, shared);
                let message = format!("state {number} at {shared} {reason}");
                return Err(Refusal::new(Flaw::Harmful, message));
            }
        }
        Ok(())
    }

    fn is_broken(
        &mut self,
        property: &Property,
        shared: SharedId,
        threads: &[Threads<'_>],
    ) -> Result<bool, Fault> {
        let Harmless { system, classes, .. } = *self;
        let template = |class: u32| classes.templates[class as usize];
        Ok(match property {
            Property::NeverWrong => system.wrong(shared).is_some(),
            Property::NoDeadlock(waiting) => {
                let threads = threads.iter().map(|t| (template(t.class), t.tops));
                self.heads.is_deadlock(system, waiting, shared, threads)?
            }
            Property::Unreachable(Pattern::Tuple { shared: wanted, tops }) => {
                let places: Vec<_> = tops.iter().map(|&top| Wanted::by(top)).collect();
                wanted.is_none_or(|s| s == shared)
                    && can_be_placed(system, classes, &places, threads, |at, threads| {
                        threads.tops.iter().any(|&top| tops[at].matches(top))
                    })
            }
            Property::Unreachable(Pattern::Configuration { shared: wanted, stacks }) => {
                let places: Vec<_> = stacks.iter().map(|stack| Wanted::by(stack.top())).collect();
                wanted.is_none_or(|s| s == shared)
                    && can_be_placed(system, classes, &places, threads, |at, threads| {
                        (self.may_have)(threads.kind, &stacks[at])
                    })
            }
            Property::Unreachable(Pattern::Somewhere { shared: wanted, template: of, symbol }) => {
                wanted.is_none_or(|s| s == shared)
                    && threads.iter().any(|t| {
                        of.is_none_or(|of| of == template(t.class))
                            && t.tops.contains(&Some(*symbol))
                    })
            }
            Property::Unreachable(Pattern::Together(wanted)) => {
                let supplies: Vec<u32> = threads.iter().map(|t| t.count).collect();
                can_assign(wanted.len(), &supplies, |item, supply| {
                    let Threads { class, tops, .. } = threads[supply];
                    tops.iter().any(|&top| wanted[item].matches(system, template(class), top))
                })
            }
        })
    }
}

/// What a pattern demands of the thread at one place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Nothing: any thread will do.
    Any,
    /// A thread that has ended.
    Ended,
    /// A thread that has not.
    Other,
}

impl Wanted {
    fn by(top: TopPattern) -> Self {
        match top {
            TopPattern::Any => Wanted::Any,
            _ if top.matches(None) => Wanted::Ended,
            _ => Wanted::Other,
        }
    }
}

/// Whether the threads can be put in order so that each place at which something is wanted has a thread
/// that may be it. Where threads that were started and have ended are forgotten, there may be any number of them.
fn can_be_placed(
    system: &dyn System,
    classes: &Classes<'_>,
    places: &[Wanted],
    threads: &[Threads<'_>],
    may_be: impl Fn(usize, &Threads<'_>) -> bool,
) -> bool {
    let forgets = system.forgets_ended();
    let count: u64 = threads.iter().map(|t| u64::from(t.count)).sum();
    if places.len() as u64 > count && !forgets {
        return false;
    }
    // Only threads of which something is demanded must be placed; the others fill what is left.
    let first = classes.of_thread.iter().copied().map(Some);
    let is_forgotten =
        |class: Option<u32>, at: usize| forgets && class.is_none() && places[at] == Wanted::Ended;
    let demands: Vec<(Option<u32>, usize)> = first
        .chain(std::iter::repeat(None))
        .zip(0..places.len())
        .filter(|&(class, at)| places[at] != Wanted::Any && !is_forgotten(class, at))
        .collect();
    let supplies: Vec<u32> = threads.iter().map(|t| t.count).collect();
    can_assign(demands.len(), &supplies, |demand, supply| {
        let ((class, place), threads) = (demands[demand], &threads[supply]);
        let meant = match class {
            Some(class) => class == threads.class,
            None => classes.is_started(threads.class),
        };
        meant && may_be(place, threads)
    })
}
