//! # The fewest threads that break a property
//! Some properties stay broken when threads are added: a thread too many never makes a failed
//! assertion good. The states that break such a property are those that contain one of a few
//! *smallest* ones. Deadlocks are of another kind, since one more thread may move; so are targets
//! that name each thread of the initial state.

use std::fmt;

use crate::{Pattern, Property, SharedId, SymbolId, System, TemplateId, ThreadAt};

/// Why a property has no smallest violations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotUpward {
    /// A state with one more thread may be no deadlock.
    Deadlock,
    /// The target says what each thread of the initial state does.
    Tuple,
    /// There are more than can be listed.
    TooMany,
}

impl fmt::Display for NotUpward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotUpward::Deadlock => {
                "deadlocks cannot be decided where there may be any number of threads: one more may move"
            }
            NotUpward::Tuple => {
                "a target that lists the threads of the initial state cannot be decided for any \
                 number of threads; write `somewhere q|s`"
            }
            NotUpward::TooMany => {
                "the target can be reached in too many ways: name fewer threads, or places with \
                 fewer variables"
            }
        })
    }
}

impl std::error::Error for NotUpward {}

/// No more of them are listed for one shared state.
const MOST: usize = 1 << 20;

/// The smallest states with this shared state that break one of the properties, made of threads
/// like these (template and top of the stack): each is a list of their numbers, in rising order,
/// with a number as many times as there are such threads. Some may contain others.
pub fn smallest_violations(
    system: &dyn System,
    properties: &[Property],
    shared: SharedId,
    threads: &[(TemplateId, Option<SymbolId>)],
) -> Result<Vec<Vec<u32>>, NotUpward> {
    let mut found: Vec<Vec<u32>> = Vec::new();
    for property in properties {
        match property {
            Property::NeverWrong => found.extend(system.wrong(shared).map(|_| Vec::new())),
            Property::NoDeadlock(_) => return Err(NotUpward::Deadlock),
            Property::Unreachable(Pattern::Tuple { .. } | Pattern::Configuration { .. }) => {
                return Err(NotUpward::Tuple);
            }
            Property::Unreachable(Pattern::Somewhere { shared: wanted, template, symbol }) => {
                let meant = |&(of, top): &(TemplateId, Option<SymbolId>)| {
                    top == Some(*symbol) && template.is_none_or(|wanted| wanted == of)
                };
                if wanted.is_none_or(|wanted| wanted == shared) {
                    let numbers = (0..).zip(threads).filter(|(_, thread)| meant(thread));
                    found.extend(numbers.map(|(number, _)| vec![number]));
                }
            }
            Property::Unreachable(Pattern::Together(wanted)) => {
                found.extend(together(system, wanted, threads)?);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// One thread for each that is wanted.
fn together(
    system: &dyn System,
    wanted: &[ThreadAt],
    threads: &[(TemplateId, Option<SymbolId>)],
) -> Result<Vec<Vec<u32>>, NotUpward> {
    let mut found = vec![Vec::new()];
    for item in wanted {
        let numbers = (0..).zip(threads);
        let fits = numbers.filter(|(_, (template, top))| item.matches(system, *template, *top));
        let fits: Vec<u32> = fits.map(|(number, _)| number).collect();
        if found.len().saturating_mul(fits.len()) > MOST {
            return Err(NotUpward::TooMany);
        }
        let with = |list: &Vec<u32>, number: u32| {
            let mut list = list.clone();
            list.insert(list.partition_point(|&n| n <= number), number);
            list
        };
        found = found.iter().flat_map(|list| fits.iter().map(move |&n| with(list, n))).collect();
        found.sort_unstable();
        found.dedup();
    }
    Ok(found)
}
