//! From the closed set of heads to tables.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::{
    Action, Pattern, Property, Rule, SharedId, Spawn, Stack, State, SymbolId, System, Tables,
    TablesBuilder, TemplateId, TopPattern, Word,
};

use super::names::Names;
use super::{Closure, Head, TabulateError, Tabulated};

pub(super) fn build(
    system: &dyn System,
    initial: &[State],
    closure: &Closure<'_>,
) -> Result<Tabulated, TabulateError> {
    let mut heads: Vec<_> = closure.heads.iter().collect();
    heads.sort_by_key(|(head, _)| **head);
    let templates = heads.iter().map(|(head, _)| head.template);
    let first_threads = initial.iter().flat_map(|s| s.threads.iter().map(|t| t.template));
    let mut ids: Vec<TemplateId> = templates.chain(first_threads).collect();
    ids.sort_unstable();
    ids.dedup();

    let mut tables = Tables::builder();
    let mut names = Names::default();
    let shared = |&q: &SharedId| (q, tables.shared(names.give(&system.describe().show_shared(q))));
    let shared: FxHashMap<_, _> = closure.shared.iter().map(shared).collect();
    let mut names = Names::default();
    let templates: FxHashMap<_, _> = ids
        .iter()
        .map(|&t| (t, tables.template(names.give(&system.describe().template_name(t)))))
        .collect();
    let mut builder = Builder {
        system,
        tables,
        shared,
        templates,
        symbols: FxHashMap::default(),
        names: FxHashMap::default(),
    };
    builder.start(initial)?;
    for (head, actions) in heads {
        for action in actions {
            builder.rule(*head, action)?;
        }
    }
    let wrong = closure.shared.iter().filter(|&&q| system.wrong(q).is_some());
    let threads = system.threads().len();
    let target = |q: &SharedId| {
        Property::Unreachable(Pattern::Tuple {
            shared: Some(builder.shared[q]),
            tops: vec![TopPattern::Any; threads],
        })
    };
    let targets = wrong.map(target).collect();
    Ok(Tabulated { tables: builder.tables.build(), targets })
}

/// What a rule of a template says about a thread that it starts: one of the same template, with one
/// symbol.
pub(super) fn spawned(
    system: &dyn System,
    template: TemplateId,
    spawn: Spawn,
) -> Result<SymbolId, TabulateError> {
    match spawn {
        Spawn { template: same, stack: Word::Rewrite(symbol) } if same == template => Ok(symbol),
        _ => Err(TabulateError::NotExpressible(format!(
            "a thread of {} starts a thread of {}",
            system.describe().template_name(template),
            system.describe().template_name(spawn.template)
        ))),
    }
}

struct Builder<'s> {
    system: &'s dyn System,
    tables: TablesBuilder,
    shared: FxHashMap<SharedId, SharedId>,
    templates: FxHashMap<TemplateId, TemplateId>,
    symbols: FxHashMap<(TemplateId, SymbolId), SymbolId>,
    names: FxHashMap<TemplateId, Names>,
}

impl Builder<'_> {
    /// The threads, and the initial states, which must be all combinations of some shared
    /// states and some stacks of each thread: tables know nothing else.
    fn start(&mut self, initial: &[State]) -> Result<(), TabulateError> {
        let shared: BTreeSet<SharedId> = initial.iter().map(|state| state.shared).collect();
        let mut combinations = shared.len();
        for q in shared {
            self.tables.initial(self.shared[&q]);
        }
        for (index, info) in self.system.threads().iter().enumerate() {
            let stacks: BTreeSet<&Stack> =
                initial.iter().map(|state| &state.threads[index].stack).collect();
            combinations = combinations.saturating_mul(stacks.len());
            let mut stacks = stacks.into_iter().map(|stack| {
                stack.iter().map(|s| self.symbol(info.template, s)).collect::<Vec<_>>()
            });
            let first = stacks.next().unwrap_or_default();
            let others: Vec<_> = stacks.collect();
            let template = self.templates[&info.template];
            let thread = self.tables.thread(info.name.clone(), template, first);
            others.into_iter().for_each(|stack| self.tables.other_stack(thread, stack));
        }
        let different: FxHashSet<&State> = initial.iter().collect();
        if different.len() == combinations {
            return Ok(());
        }
        Err(TabulateError::NotExpressible(
            "initial states in which one thread's stack depends on another's or on the shared state"
                .to_owned(),
        ))
    }

    fn rule(&mut self, head: Head, action: &Action) -> Result<(), TabulateError> {
        let template = head.template;
        let spawn = match action.spawn {
            None => None,
            Some(spawn) => Some(self.symbol(template, spawned(self.system, template, spawn)?)),
        };
        let word = match action.word {
            Word::Pop => Word::Pop,
            Word::Rewrite(symbol) => Word::Rewrite(self.symbol(template, symbol)),
            Word::Push { top, under } => {
                Word::Push { top: self.symbol(template, top), under: self.symbol(template, under) }
            }
        };
        let line =
            self.system.describe().explain(action.origin).steps.first().and_then(|step| step.line);
        let rule = Rule {
            shared: self.shared[&head.shared],
            top: head.top.map(|s| self.symbol(template, s)),
            to_shared: self.shared[&action.shared],
            word,
            spawn,
            line: line.unwrap_or(0),
        };
        self.tables.add_rule(self.templates[&template], rule);
        Ok(())
    }

    /// The symbol of the tables: one for each symbol of the system and template that uses it.
    fn symbol(&mut self, template: TemplateId, symbol: SymbolId) -> SymbolId {
        let Builder { system, tables, templates, symbols, names, .. } = self;
        *symbols.entry((template, symbol)).or_insert_with(|| {
            let name =
                names.entry(template).or_default().give(&system.describe().show_symbol(symbol));
            tables.symbol(templates[&template], name)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tabulate;
    use super::*;
    use crate::naive::{Level, Naive};
    use crate::testing::{Wrong, fig1, random_tables};

    fn levels(system: &dyn System) -> Vec<Level> {
        let mut naive = Naive::with_limit(system, 500).unwrap();
        let mut levels = vec![naive.level()];
        levels.extend((0..4).map_while(|_| naive.advance().ok()));
        levels
    }

    #[test]
    fn the_tables_of_tables_are_the_same() {
        let system = fig1();
        let again = tabulate(&system, 100).unwrap();
        assert_eq!(again.tables.rules(TemplateId(0)).len(), 2);
        assert_eq!(again.tables.rules(TemplateId(1)).len(), 4);
        assert_eq!(levels(&again.tables), levels(&system));
        assert!(again.targets.is_empty());
    }

    #[test]
    fn random_systems_keep_their_behaviour() {
        for seed in 0..300 {
            let system = random_tables(seed);
            let again = tabulate(&system, 1000).unwrap();
            assert_eq!(levels(&again.tables), levels(&system), "seed {seed}");
        }
    }

    #[test]
    fn wrong_states_become_targets() {
        for seed in 0..100 {
            let system = Wrong { tables: random_tables(seed), wrong: vec![SharedId(1)] };
            let again = tabulate(&system, 1000).unwrap();
            assert_eq!(levels(&again.tables), levels(&system), "seed {seed}");
            let first_wrong = |system: &dyn System, targets: &[Property]| {
                let mut naive = Naive::with_limit(system, 500).unwrap();
                while naive.advance().is_ok_and(|level| !level.has_collapsed()) {}
                let hit = |s: &State| Property::first_broken(targets, system, s).unwrap().is_some();
                naive.trace_to(hit).map(|trace| (trace.contexts(), trace.steps.len()))
            };
            assert_eq!(
                first_wrong(&again.tables, &again.targets),
                first_wrong(&system, &[Property::NeverWrong]),
                "seed {seed}"
            );
        }
    }

    #[test]
    fn a_limit_is_kept() {
        let error = tabulate(&fig1(), 3).unwrap_err();
        assert_eq!(error, TabulateError::TooLarge(3));
    }
}
