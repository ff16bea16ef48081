//! # Harmless
//! Whether a state of a certificate stands for one that breaks a property. What is known of a
//! thread is its class and what may be on top of its stack; any thread of a class may be meant, and
//! any thread that was started where a property names more threads than there were at first.

use selvedge_model::{Pattern, Property, SharedId, SymbolId, System, TopPattern};

use super::assign::can_assign;
use super::form::{Classes, show_shared};
use super::{Flaw, Refusal};

/// Threads of one kind: their class, what may be on top of their stacks, and how many there are.
pub(super) struct Threads<'a> {
    pub class: u32,
    pub tops: &'a [Option<SymbolId>],
    pub count: u32,
}

/// Refuses a state that stands for a violation.
pub(super) fn harmless(
    system: &dyn System,
    properties: &[Property],
    classes: &Classes<'_>,
    number: usize,
    shared: SharedId,
    threads: &[Threads<'_>],
) -> Result<(), Refusal> {
    for property in properties {
        if is_broken(system, property, classes, shared, threads) {
            let reason = match system.wrong(shared) {
                Some(wrong) => format!("goes wrong: {wrong}"),
                None => "must not be reached".to_owned(),
            };
            let message = format!("state {number} at {} {reason}", show_shared(system, shared));
            return Err(Refusal::new(Flaw::Harmful, message));
        }
    }
    Ok(())
}

fn is_broken(
    system: &dyn System,
    property: &Property,
    classes: &Classes<'_>,
    shared: SharedId,
    threads: &[Threads<'_>],
) -> bool {
    match property {
        Property::NeverWrong => system.wrong(shared).is_some(),
        Property::Unreachable(Pattern::Tuple { shared: wanted, tops }) => {
            let count: u64 = threads.iter().map(|t| u64::from(t.count)).sum();
            if wanted.is_some_and(|s| s != shared) || tops.len() as u64 > count {
                return false;
            }
            // The threads of which something is wanted; the others are whoever is left.
            let first = classes.of_thread.iter().copied().map(Some);
            let demands: Vec<(Option<u32>, TopPattern)> = first
                .chain(std::iter::repeat(None))
                .zip(tops.iter().copied())
                .filter(|&(_, top)| top != TopPattern::Any)
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
        Property::Unreachable(Pattern::Somewhere { shared: wanted, template, symbol }) => {
            wanted.is_none_or(|s| s == shared)
                && threads.iter().any(|t| {
                    let of = classes.templates[t.class as usize];
                    template.is_none_or(|wanted| wanted == of) && t.tops.contains(&Some(*symbol))
                })
        }
    }
}
