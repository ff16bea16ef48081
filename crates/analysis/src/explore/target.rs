//! # Targets among interchangeable threads
//! A visible state says how many threads of a class have which top. A property that names threads
//! by their position is broken by some arrangement of it exactly if there are enough threads of
//! each class for what the property asks of that class. Where it names whole stacks, the visible state
//! does not decide: then the locals of a state do.

use std::cell::RefCell;

use selvedge_model::{
    Fault, Heads, Pattern, Property, SharedId, StackPattern, SymbolId, System, TemplateId,
    ThreadAt, TopPattern, Waiting, can_assign,
};

use super::Classes;
use super::space::Entry;
use super::visible::Glimpse;

/// A property, prepared for the threads of a system.
pub(super) enum Target {
    NeverWrong {
        /// For each shared state, whether it is wrong; `None` until somebody asked.
        known: Vec<Option<bool>>,
    },
    NoDeadlock(Waiting),
    Tuple {
        shared: Option<u32>,
        /// How many threads must show each glimpse.
        needs: Vec<(Glimpse, u32)>,
        threads: usize,
    },
    Somewhere {
        shared: Option<u32>,
        /// The classes of the template, or all.
        template: Option<TemplateId>,
        symbol: SymbolId,
    },
    Together(Vec<ThreadAt>),
    Configuration {
        shared: Option<u32>,
        /// The class of each thread of which something is wanted, with what its stack must be.
        needs: Vec<(u32, StackPattern)>,
        threads: usize,
    },
}

impl Target {
    pub fn new(property: &Property, classes: &Classes) -> Self {
        match property {
            Property::NeverWrong => Target::NeverWrong { known: Vec::new() },
            Property::NoDeadlock(waiting) => Target::NoDeadlock(waiting.clone()),
            Property::Unreachable(Pattern::Together(wanted)) => Target::Together(wanted.clone()),
            Property::Unreachable(Pattern::Tuple { shared, tops }) => {
                let mut needs: Vec<(Glimpse, u32)> = Vec::new();
                for (thread, top) in tops.iter().enumerate() {
                    let top = match *top {
                        TopPattern::Any => continue,
                        TopPattern::Empty => None,
                        TopPattern::Symbol(symbol) => Some(symbol),
                    };
                    let seen = (classes.of_thread(thread), top);
                    match needs.iter_mut().find(|(s, _)| *s == seen) {
                        Some((_, count)) => *count += 1,
                        None => needs.push((seen, 1)),
                    }
                }
                Target::Tuple { shared: shared.map(|s| s.0), needs, threads: tops.len() }
            }
            Property::Unreachable(Pattern::Configuration { shared, stacks }) => {
                let wanted = stacks.iter().enumerate().filter(|(_, stack)| !stack.is_any());
                let needs =
                    wanted.map(|(thread, stack)| (classes.of_thread(thread), stack.clone()));
                let (needs, threads) = (needs.collect(), stacks.len());
                Target::Configuration { shared: shared.map(|s| s.0), needs, threads }
            }
            Property::Unreachable(Pattern::Somewhere { shared, template, symbol }) => {
                let shared = shared.map(|s| s.0);
                Target::Somewhere { shared, template: *template, symbol: *symbol }
            }
        }
    }

    /// Whether the property can be broken at a shared state at all, as far as a visible state tells.
    pub fn may_be_hit(&mut self, system: &dyn System, shared: u32) -> bool {
        match self {
            Target::NeverWrong { known } => {
                let at = shared as usize;
                if known.len() <= at {
                    known.resize(at + 1, None);
                }
                *known[at].get_or_insert_with(|| system.wrong(SharedId(shared)).is_some())
            }
            Target::Tuple { shared: wanted, .. } | Target::Somewhere { shared: wanted, .. } => {
                wanted.is_none_or(|wanted| wanted == shared)
            }
            Target::NoDeadlock(_) | Target::Together(_) => true,
            Target::Configuration { .. } => false,
        }
    }

    /// Whether the property names whole stacks, so that visible states do not decide it.
    pub fn names_stacks(&self) -> bool {
        matches!(self, Target::Configuration { .. })
    }

    /// Whether some arrangement of the threads has the stacks that the property names. `may_be` says
    /// of a class and a local whether a stack of it is of a pattern.
    pub fn is_hit_by_stacks(
        &self,
        shared: u32,
        threads: &[(Entry, u32)],
        may_be: impl Fn(Entry, &StackPattern) -> bool,
    ) -> bool {
        let Target::Configuration { shared: wanted, needs, threads: places } = self else {
            return false;
        };
        let counts: Vec<u32> = threads.iter().map(|(_, count)| *count).collect();
        wanted.is_none_or(|wanted| wanted == shared)
            && *places <= counts.iter().map(|&count| count as usize).sum()
            && can_assign(needs.len(), &counts, |item, kind| {
                let ((class, pattern), (entry, _)) = (&needs[item], &threads[kind]);
                *class == entry.0 && may_be(*entry, pattern)
            })
    }

    /// Whether some arrangement of the threads breaks the property, at a shared state at which it
    /// can be broken.
    pub fn is_hit(
        &self,
        system: &dyn System,
        heads: &RefCell<Heads>,
        classes: &Classes,
        shared: u32,
        threads: &[(Glimpse, u32)],
    ) -> Result<bool, Fault> {
        Ok(match self {
            Target::NeverWrong { .. } => true,
            Target::Configuration { .. } => false,
            Target::NoDeadlock(waiting) => {
                let seen = threads
                    .iter()
                    .map(|((class, top), _)| (classes.template(*class), std::slice::from_ref(top)));
                heads.borrow_mut().is_deadlock(system, waiting, SharedId(shared), seen)?
            }
            Target::Together(wanted) => {
                let counts: Vec<u32> = threads.iter().map(|(_, count)| *count).collect();
                can_assign(wanted.len(), &counts, |item, kind| {
                    let ((class, top), _) = threads[kind];
                    wanted[item].matches(system, classes.template(class), top)
                })
            }
            Target::Tuple { needs, threads: wanted, .. } => {
                let enough = |(seen, count): &(Glimpse, u32)| {
                    let there = threads.iter().filter(|(s, _)| s == seen).map(|(_, n)| n);
                    there.sum::<u32>() >= *count
                };
                let all = threads.iter().map(|(_, n)| *n as usize).sum::<usize>();
                *wanted <= all && needs.iter().all(enough)
            }
            Target::Somewhere { template, symbol, .. } => {
                threads.iter().any(|((class, top), _)| {
                    *top == Some(*symbol) && template.is_none_or(|t| classes.template(*class) == t)
                })
            }
        })
    }
}
