//! # Targets among interchangeable threads
//! A visible state says how many threads of a class have which top. A property that names threads
//! by their position is broken by some arrangement of it exactly if there are enough threads of
//! each class for what the property asks of that class.

use selvedge_model::{Pattern, Property, SymbolId, System, TopPattern};

use super::Classes;
use super::visible::Seen;

/// A property, prepared for the threads of a system.
pub(super) enum Target {
    NeverWrong,
    Tuple {
        shared: Option<u32>,
        /// How many threads of a class need which top.
        needs: Vec<(Seen, u32)>,
        threads: usize,
    },
    Somewhere {
        shared: Option<u32>,
        /// The classes of the template, or all.
        template: Option<selvedge_model::TemplateId>,
        symbol: SymbolId,
    },
}

impl Target {
    pub fn new(property: &Property, classes: &Classes) -> Self {
        match property {
            Property::NeverWrong => Target::NeverWrong,
            Property::Unreachable(Pattern::Tuple { shared, tops }) => {
                let mut needs: Vec<(Seen, u32)> = Vec::new();
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
            Property::Unreachable(Pattern::Somewhere { shared, template, symbol }) => {
                let shared = shared.map(|s| s.0);
                Target::Somewhere { shared, template: *template, symbol: *symbol }
            }
        }
    }

    /// Whether some arrangement of the threads breaks the property.
    pub fn is_hit(
        &self,
        system: &dyn System,
        classes: &Classes,
        shared: u32,
        threads: &[(Seen, u32)],
    ) -> bool {
        let at = |wanted: &Option<u32>| wanted.is_none_or(|s| s == shared);
        match self {
            Target::NeverWrong => system.wrong(selvedge_model::SharedId(shared)).is_some(),
            Target::Tuple { shared, needs, threads: wanted } => {
                let enough = |(seen, count): &(Seen, u32)| {
                    let there = threads.iter().filter(|(s, _)| s == seen).map(|(_, n)| n);
                    there.sum::<u32>() >= *count
                };
                let all = threads.iter().map(|(_, n)| *n as usize).sum::<usize>();
                at(shared) && *wanted <= all && needs.iter().all(enough)
            }
            Target::Somewhere { shared, template, symbol } => {
                let hit = |((class, top), _): &(Seen, u32)| {
                    *top == Some(*symbol) && template.is_none_or(|t| classes.template(*class) == t)
                };
                at(shared) && threads.iter().any(hit)
            }
        }
    }
}
