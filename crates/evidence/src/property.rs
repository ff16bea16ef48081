//! # Properties in words
//! `assertions` for programs; targets, as they are written; `deadlock`, or `wait-deadlock` where only those count in which somebody waits
//! for a lock, a thread, a semaphore, a condition or a barrier.

use selvedge_model::{Pattern, Property, SharedId, StackPattern, System, TopPattern, Waiting};

/// The name of a question without a property.
pub const NONE: &str = "none";

/// The name of the question whether a program goes wrong.
pub const ASSERTIONS: &str = "assertions";

/// The name of the question whether nobody can act while somebody waits for a lock or for another thread.
pub const WAIT_DEADLOCK: &str = "wait-deadlock";

/// The name of the question whether a fair run never ends.
pub const FAIR_TERMINATION: &str = "fair-termination";

/// What must not happen: `assertions`, `deadlock` or `wait-deadlock`, and the targets, separated by `; `, or `none`.
#[must_use]
pub fn name(system: &dyn System, properties: &[Property]) -> String {
    if properties.is_empty() {
        return NONE.to_owned();
    }
    let names: Vec<_> = properties.iter().map(|property| one(system, property)).collect();
    names.join("; ")
}

/// One property: `assertions`, `deadlock`, `wait-deadlock`, or a target.
#[must_use]
pub fn one(system: &dyn System, property: &Property) -> String {
    match property {
        Property::NeverWrong => ASSERTIONS.to_owned(),
        Property::NoDeadlock(Waiting::Anywhere) => "deadlock".to_owned(),
        Property::NoDeadlock(Waiting::At(_)) => WAIT_DEADLOCK.to_owned(),
        Property::Unreachable(pattern) => target(system, pattern),
    }
}

fn target(system: &dyn System, pattern: &Pattern) -> String {
    let any = || "*".to_owned();
    let shown =
        |shared: &Option<SharedId>| shared.map_or_else(any, |s| system.describe().show_shared(s));
    match pattern {
        Pattern::Tuple { shared, tops } => {
            let tops: Vec<_> = tops.iter().map(|&top| show_top(system, top)).collect();
            format!("{}|{}", shown(shared), tops.join(","))
        }
        Pattern::Configuration { shared, stacks } => {
            let stacks: Vec<_> = stacks.iter().map(|stack| show_stack(system, stack)).collect();
            format!("{}|{}", shown(shared), stacks.join(","))
        }
        Pattern::Together(wanted) => {
            let texts: Vec<&str> = wanted.iter().map(|thread| thread.text.as_str()).collect();
            texts.join(",")
        }
        Pattern::Somewhere { shared, template, symbol } => {
            let place = template
                .map_or(String::new(), |t| format!(" in {}", system.describe().template_name(t)));
            format!("somewhere {}|{}{place}", shown(shared), system.describe().show_symbol(*symbol))
        }
    }
}

fn show_top(system: &dyn System, top: TopPattern) -> String {
    match top {
        TopPattern::Any => "*".to_owned(),
        TopPattern::Empty => "-".to_owned(),
        TopPattern::Symbol(symbol) => system.describe().show_symbol(symbol),
    }
}

/// A whole stack has a dot, even if it is of one symbol: `4.6`, `4.-`; spaces, where names have dots.
fn show_stack(system: &dyn System, stack: &StackPattern) -> String {
    match stack {
        StackPattern::Top(top) => show_top(system, *top),
        StackPattern::Whole(symbols) if symbols.is_empty() => "-".to_owned(),
        StackPattern::Whole(symbols) => {
            let mut names: Vec<_> =
                symbols.iter().map(|&s| system.describe().show_symbol(s)).collect();
            names.extend((symbols.len() == 1).then(|| "-".to_owned()));
            let has_dots = names.iter().any(|name| name.contains('.'));
            names.join(if has_dots { " " } else { "." })
        }
    }
}
