//! The part of a target that a program can test: where one thread is, or the shared state.

use selvedge_model::{
    Pattern, Property, SharedId, SymbolId, System, Tables, TemplateId, ThreadId, TopPattern,
};

use super::super::print::{IN_PROGRAMS, NotExpressible, WHOLE_STACK, not_expressible, patterns};

/// A situation that must not be reached.
pub(super) enum Bad {
    /// A thread of the template at the head.
    Head { template: TemplateId, shared: Option<SharedId>, symbol: SymbolId },
    /// A shared state, whatever the stacks are.
    Shared(SharedId),
}

/// Whether a program can test a target.
pub fn can_express(tables: &Tables, target: &Property) -> Result<(), NotExpressible> {
    bad_heads(tables, std::slice::from_ref(target)).map(drop)
}

/// The situations that the targets forbid, as far as a program can test them.
pub(super) fn bad_heads(tables: &Tables, targets: &[Property]) -> Result<Vec<Bad>, NotExpressible> {
    let bad = |pattern: &Pattern| match pattern {
        &Pattern::Somewhere { shared, template, symbol } => {
            let template = template.unwrap_or(tables.template_of(symbol));
            Ok(Bad::Head { template, shared, symbol })
        }
        Pattern::Together(_) => not_expressible(IN_PROGRAMS),
        Pattern::Configuration { .. } => not_expressible(WHOLE_STACK),
        Pattern::Tuple { tops, .. } if tops.len() > tables.threads().len() => {
            not_expressible("a target is about threads that are started later")
        }
        Pattern::Tuple { shared, tops } => {
            let threads = tables.threads().iter().zip(tops);
            let named: Vec<_> = threads.filter(|(_, top)| **top != TopPattern::Any).collect();
            let (thread, symbol) = match (&named[..], shared) {
                ([(thread, TopPattern::Symbol(symbol))], _) => (thread, symbol),
                ([], Some(shared)) => return bad_shared(tables, *shared),
                ([], None) => return not_expressible("a target is about every state"),
                ([_], _) => {
                    return not_expressible(
                        "a target is about the empty stack, where a program has ended",
                    );
                }
                _ => {
                    return not_expressible(
                        "a target is about several threads at once, and no thread of a program \
                         sees where another one is",
                    );
                }
            };
            let alike = tables.threads().iter().filter(|t| t.template == thread.template).count();
            let spawns = tables.rules(thread.template).iter().any(|rule| rule.spawn.is_some());
            if alike > 1 || spawns {
                return not_expressible("a target is about one of several threads that are alike");
            }
            Ok(Bad::Head { template: thread.template, shared: *shared, symbol: *symbol })
        }
    };
    patterns(targets).into_iter().map(bad).collect()
}

/// A shared state that must not be reached. If it is an initial one, some thread has to be there
/// to see it.
fn bad_shared(tables: &Tables, shared: SharedId) -> Result<Bad, NotExpressible> {
    let runs = |thread: usize| {
        tables.first_stacks(ThreadId::from(thread)).iter().all(|stack| !stack.is_empty())
    };
    if tables.initial_shared().contains(&shared) && !(0..tables.threads().len()).any(runs) {
        return not_expressible("a target is reached where all threads have ended");
    }
    Ok(Bad::Shared(shared))
}
