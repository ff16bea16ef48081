//! # Harmless
//! Whether a state of a certificate stands for one that breaks a property. What is known of a
//! thread is its class and what may be on top of its stack; any thread of a class may be meant, and
//! any thread that was started where a property names more threads than there were at first.

use selvedge_model::{
    Fault, Heads, Pattern, Property, SharedId, SymbolId, System, TopPattern, can_assign,
};

use super::form::{Classes, show_shared};
use super::{Flaw, Refusal};
use crate::CountedState;

/// Threads of one kind: their class, what may be on top of their stacks, and how many there are.
struct Threads<'a> {
    class: u32,
    tops: &'a [Option<SymbolId>],
    count: u32,
}

/// Looks at the states of a certificate, one by one.
pub(super) struct Harmless<'a> {
    system: &'a dyn System,
    properties: &'a [Property],
    classes: &'a Classes<'a>,
    /// Who can act where, as far as a property asked.
    heads: Heads,
}

impl<'a> Harmless<'a> {
    pub fn new(
        system: &'a dyn System,
        properties: &'a [Property],
        classes: &'a Classes<'a>,
    ) -> Self {
        Harmless { system, properties, classes, heads: Heads::default() }
    }

    /// Refuses states of which one stands for a violation. A kind of thread is its class and what
    /// may be on top of its stack.
    pub fn check_all(
        &mut self,
        states: &[CountedState],
        kinds: &[(u32, Vec<Option<SymbolId>>)],
    ) -> Result<(), Refusal> {
        for (number, state) in states.iter().enumerate() {
            let threads = state.threads.iter().map(|&(kind, count)| {
                let (class, tops) = &kinds[kind as usize];
                Threads { class: *class, tops, count }
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
                    (Property::NoDeadlock, _) => "may be a deadlock".to_owned(),
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
            Property::NoDeadlock => {
                let threads = threads.iter().map(|t| (template(t.class), t.tops));
                self.heads.is_deadlock(system, shared, threads)?
            }
            Property::Unreachable(Pattern::Tuple { shared: wanted, tops }) => {
                wanted.is_none_or(|s| s == shared)
                    && can_have_tops(classes, tops, threads, system.forgets_ended())
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

/// Whether the threads can be put in order so that they have these tops. Where threads that have ended
/// are forgotten, there may be any number of them.
fn can_have_tops(
    classes: &Classes<'_>,
    tops: &[TopPattern],
    threads: &[Threads<'_>],
    forgets: bool,
) -> bool {
    let count: u64 = threads.iter().map(|t| u64::from(t.count)).sum();
    if tops.len() as u64 > count && !forgets {
        return false;
    }
    // The threads of which something is wanted; the others are whoever is left.
    let first = classes.of_thread.iter().copied().map(Some);
    let demands: Vec<(Option<u32>, TopPattern)> = first
        .chain(std::iter::repeat(None))
        .zip(tops.iter().copied())
        .filter(|&(_, top)| top != TopPattern::Any)
        .filter(|&(class, top)| !(forgets && class.is_none() && top.matches(None)))
        .collect();
    let supplies: Vec<u32> = threads.iter().map(|t| t.count).collect();
    can_assign(demands.len(), &supplies, |demand, supply| {
        let ((class, wanted), threads) = (demands[demand], &threads[supply]);
        let meant = match class {
            Some(class) => class == threads.class,
            None => classes.is_started(threads.class),
        };
        meant && threads.tops.iter().any(|&top| wanted.matches(top))
    })
}
