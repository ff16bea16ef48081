//! A system as the files `.tts` and `.prop`.

use std::fmt::Write;

use selvedge_model::{Pattern, Property, Rule, System, Tables, TemplateId, ThreadId, Word};

use super::{NotExpressible, Numbers, not_expressible, patterns, shared_legend, symbols};

/// The texts of the files that describe one system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TtsFiles {
    /// The moves, with the initial states in comments.
    pub tts: String,
    /// The target, if there is one.
    pub prop: Option<String>,
}

/// The system as `.tts` and `.prop`. Names become comments. Expressible are systems of one
/// thread without pushes and pops, and one target about any thread.
pub fn tts(tables: &Tables, targets: &[Property]) -> Result<TtsFiles, NotExpressible> {
    let ([_], 1) = (tables.threads(), tables.template_count()) else {
        return not_expressible("there is more than one thread");
    };
    let template = TemplateId(0);
    let numbers = Numbers::new(tables, template);
    let greatest = symbols(tables, template).map(|symbol| numbers.of(symbol)).max().unwrap_or(0);
    let Some(locals) = greatest.checked_add(1) else {
        return not_expressible("the number of a symbol is too large");
    };
    let mut tts = shared_legend(tables);
    numbers.legend(template, &mut tts);
    for shared in tables.initial_shared() {
        let _ = writeln!(tts, "# shared state {}:", shared.0);
    }
    for stack in tables.first_stacks(ThreadId(0)) {
        let [local] = stack[..] else { return not_expressible("a first stack is not one symbol") };
        let _ = writeln!(tts, "# local state {}:", numbers.of(local));
    }
    let _ = writeln!(tts, "{} {locals}", tables.shared_count());
    for rule in tables.rules(template) {
        tts += &transition(&numbers, rule)?;
    }
    let prop = match patterns(targets)[..] {
        [] => None,
        [Pattern::Somewhere { shared: Some(shared), symbol, .. }] => {
            Some(format!("{}|{}\n", shared.0, numbers.of(*symbol)))
        }
        [_] => return not_expressible("the target is not one shared and one local state"),
        _ => return not_expressible("there are several targets"),
    };
    Ok(TtsFiles { tts, prop })
}

fn transition(numbers: &Numbers<'_>, rule: &Rule) -> Result<String, NotExpressible> {
    let (Some(top), Word::Rewrite(to)) = (rule.top, rule.word) else {
        return not_expressible("a rule pushes, pops or is for the empty stack");
    };
    let (arrow, to) = match rule.spawn {
        None => ("->", to),
        Some(spawned) if to == top => ("+>", spawned),
        Some(_) => return not_expressible("a rule starts a thread and moves its own"),
    };
    let (from, into) = (rule.shared.0, rule.to_shared.0);
    Ok(format!("{from} {} {arrow} {into} {}\n", numbers.of(top), numbers.of(to)))
}
