//! A system as the files `.pds`, `.init` and `.spec`.

use std::fmt::Write;

use selvedge_model::{
    Pattern, Property, SymbolId, System, Tables, TemplateId, ThreadId, TopPattern,
};

use super::{
    IN_PROGRAMS, NEVER, NotExpressible, Numbers, WHOLE_STACK, not_expressible, patterns,
    shared_legend, symbols,
};

/// The texts of the files that describe one system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PdsFiles {
    /// The rules.
    pub pds: String,
    /// The initial state.
    pub init: String,
    /// The targets, one a line, if there are any.
    pub spec: Option<String>,
}

/// The system as `.pds` and what belongs to it. Names become comments. Not expressible are rules
/// that start threads, several initial states, and targets with `*`.
pub fn pds(tables: &Tables, targets: &[Property]) -> Result<PdsFiles, NotExpressible> {
    let mut pds = shared_legend(tables);
    let _ = writeln!(pds, "{}", tables.shared_count());
    for thread in tables.threads() {
        let _ = writeln!(pds, "# {}", super::one_line(&thread.name));
        block(tables, thread.template, &mut pds)?;
    }
    Ok(PdsFiles { pds, init: init(tables)?, spec: spec(tables, targets)? })
}

fn block(tables: &Tables, template: TemplateId, out: &mut String) -> Result<(), NotExpressible> {
    let numbers = Numbers::new(tables, template);
    numbers.legend(template, out);
    let all = || symbols(tables, template).map(|symbol| numbers.of(symbol));
    let (least, greatest) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
    let _ = writeln!(out, "PDA {least} {greatest}");
    for rule in tables.rules(template) {
        if rule.spawn.is_some() {
            return not_expressible("a rule starts a thread");
        }
        let (from, to) = (rule.shared.0, rule.to_shared.0);
        let top = stack(&numbers, rule.top, " ");
        let _ = writeln!(out, "{from} {top} -> {to} {}", stack(&numbers, rule.word.symbols(), " "));
    }
    Ok(())
}

/// A stack or word, top first.
fn stack(
    numbers: &Numbers<'_>,
    symbols: impl IntoIterator<Item = SymbolId>,
    between: &str,
) -> String {
    let all: Vec<_> = symbols.into_iter().map(|symbol| numbers.of(symbol).to_string()).collect();
    if all.is_empty() { "-".to_owned() } else { all.join(between) }
}

fn init(tables: &Tables) -> Result<String, NotExpressible> {
    let [shared] = tables.initial_shared() else {
        return not_expressible("there is not exactly one initial shared state");
    };
    let mut stacks = Vec::new();
    for (index, thread) in tables.threads().iter().enumerate() {
        let [only] = tables.first_stacks(ThreadId::from(index)) else {
            return not_expressible(format!("thread {} has several first stacks", thread.name));
        };
        let numbers = Numbers::new(tables, thread.template);
        stacks.push(stack(&numbers, only.iter().copied(), "."));
    }
    Ok(format!("{}|{}\n", shared.0, stacks.join(",")))
}

fn spec(tables: &Tables, targets: &[Property]) -> Result<Option<String>, NotExpressible> {
    let lines = patterns(targets).into_iter().map(|pattern| target(tables, pattern));
    let text: String = lines.collect::<Result<_, _>>()?;
    Ok((!text.is_empty()).then_some(text))
}

/// A line for one target.
fn target(tables: &Tables, pattern: &Pattern) -> Result<String, NotExpressible> {
    let (shared, tops) = match pattern {
        Pattern::Tuple { shared: Some(shared), tops } => (shared, tops),
        Pattern::Tuple { .. } => return not_expressible("a target leaves the shared state open"),
        Pattern::Together(_) => return not_expressible(IN_PROGRAMS),
        Pattern::Configuration { .. } => return not_expressible(WHOLE_STACK),
        Pattern::Somewhere { .. } => return not_expressible("a target is about any thread"),
    };
    if tops.len() != tables.threads().len() {
        return not_expressible("a target does not have one top for each thread");
    }
    let mut shown = Vec::new();
    for (thread, top) in tables.threads().iter().zip(tops) {
        let numbers = Numbers::new(tables, thread.template);
        shown.push(match *top {
            TopPattern::Any => return not_expressible("a target leaves a top open"),
            TopPattern::Empty => "-".to_owned(),
            TopPattern::Symbol(symbol) if tables.template_of(symbol) == thread.template => {
                numbers.of(symbol).to_string()
            }
            TopPattern::Symbol(_) => {
                return not_expressible(NEVER);
            }
        });
    }
    Ok(format!("{}|{}\n", shared.0, shown.join(",")))
}
