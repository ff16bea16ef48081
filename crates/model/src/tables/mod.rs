//! # Tables
//! Concurrent pushdown systems given as lists of rules: the `.pds`, `.cpds` and `.tts` formats.
//! Rules are kept sorted by head, so that the actions of a head are one slice.

mod builder;
mod local;
mod rule;

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::names::{SharedNames, SymbolNames};
use crate::{
    Action, Datum, Describe, Explanation, Fault, Keys, Name, Origin, SharedId, Spawn, Stack, State,
    Step, SymbolId, System, TemplateId, Thread, ThreadId, ThreadInfo, Values, Word, calls_itself,
};

pub use builder::TablesBuilder;
pub use rule::Rule;

/// More initial states than this are not listed.
const MOST_INITIAL_STATES: usize = 1 << 20;

/// Where the rules of each head are in a sorted list.
type Heads = FxHashMap<(SharedId, Option<SymbolId>), (usize, usize)>;

#[derive(Clone, PartialEq, Eq, Debug)]
struct Template {
    name: String,
    /// The rules, sorted by head.
    rules: Vec<Rule>,
    heads: Heads,
    /// The origin of the first rule.
    first_origin: u32,
}

impl Template {
    /// The origin of a rule.
    fn origin(&self, rule: usize) -> Result<Origin, Fault> {
        let origin = u32::try_from(rule).ok().and_then(|rule| self.first_origin.checked_add(rule));
        // The builder stops counting at the last number.
        let origin = origin.filter(|&origin| origin < u32::MAX);
        origin.map(Origin).ok_or_else(|| {
            let message = "there are 2^32 rules or more, which is more than can be numbered";
            Fault::new(message)
        })
    }
}

/// A concurrent pushdown system as tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tables {
    shared: SharedNames,
    symbols: SymbolNames,
    templates: Vec<Template>,
    threads: Vec<ThreadInfo>,
    /// The possible first stacks of each thread.
    stacks: Vec<FirstStacks>,
    initial: Vec<SharedId>,
    /// Whether a thread may be dropped when it is started.
    drops_threads: bool,
}

/// The first stacks that one thread may have, each top first; never empty.
type FirstStacks = Vec<Vec<SymbolId>>;

impl Tables {
    /// Starts an empty system.
    #[must_use]
    pub fn builder() -> TablesBuilder {
        TablesBuilder::default()
    }

    /// The number of shared states. It may be huge where they are numbers: never allocate by it.
    #[must_use]
    pub fn shared_count(&self) -> usize {
        self.shared.count()
    }

    /// How many of the first shared states are called by their own numbers: 0, 1, 2, …
    #[must_use]
    pub fn numbered_shared(&self) -> u32 {
        self.shared.numbered()
    }

    /// The number of stack symbols of all templates.
    #[must_use]
    pub fn symbol_count(&self) -> usize {
        self.symbols.count()
    }

    /// The number of templates.
    #[must_use]
    pub fn template_count(&self) -> usize {
        self.templates.len()
    }

    /// The rules of a template, sorted by head.
    #[must_use]
    pub fn rules(&self, template: TemplateId) -> &[Rule] {
        &self.templates[template.index()].rules
    }

    /// The first stacks that a thread of the initial states may have, each top first.
    #[must_use]
    pub fn first_stacks(&self, thread: ThreadId) -> &[Vec<SymbolId>] {
        &self.stacks[thread.index()]
    }

    /// The shared states of the initial states.
    #[must_use]
    pub fn initial_shared(&self) -> &[SharedId] {
        &self.initial
    }

    /// The template that a symbol belongs to.
    #[must_use]
    pub fn template_of(&self, symbol: SymbolId) -> TemplateId {
        self.symbols.template(symbol)
    }

    /// The name of a shared state.
    #[must_use]
    pub fn shared_name(&self, shared: SharedId) -> Cow<'_, str> {
        self.shared.name(shared)
    }

    /// The name of a symbol.
    #[must_use]
    pub fn symbol_name(&self, symbol: SymbolId) -> Cow<'_, str> {
        self.symbols.name(symbol).text()
    }

    /// The number that a symbol has for a name, if its name is one.
    #[must_use]
    pub fn symbol_number(&self, symbol: SymbolId) -> Option<u32> {
        match self.symbols.name(symbol) {
            Name::Number(number) => Some(*number),
            Name::Word(_) => None,
        }
    }

    /// The shared state of this name.
    #[must_use]
    pub fn find_shared(&self, name: impl Into<Name>) -> Option<SharedId> {
        self.shared.find(&name.into())
    }

    /// The symbol of this name in a template.
    #[must_use]
    pub fn find_symbol(&self, template: TemplateId, name: impl Into<Name>) -> Option<SymbolId> {
        self.symbols.find(template, name.into())
    }

    /// The same system, in which every thread may also be dropped when it is started: it then
    /// never runs. See [`System::starts_threads`].
    #[must_use]
    pub fn dropping_threads(self) -> Self {
        Tables { drops_threads: self.starts_threads(), ..self }
    }

    fn rule(&self, origin: Origin) -> Option<&Rule> {
        let owner =
            self.templates.partition_point(|t| t.first_origin <= origin.0).checked_sub(1)?;
        let template = &self.templates[owner];
        template.rules.get((origin.0 - template.first_origin) as usize)
    }

    /// The initial states: each initial shared state with each choice of first stacks.
    fn initial_states(&self) -> Vec<State> {
        let state = |&shared| State { shared, threads: Vec::with_capacity(self.threads.len()) };
        let mut states: Vec<State> = self.initial.iter().map(state).collect();
        for (info, stacks) in self.threads.iter().zip(&self.stacks) {
            let with = |mut state: State, stack: &Vec<SymbolId>| {
                let stack = Stack::top_first(stack.iter().copied());
                state.threads.push(Thread { template: info.template, stack });
                state
            };
            states = match &stacks[..] {
                // There may be many threads, and a copy for each of them would be quadratic.
                [only] => states.into_iter().map(|state| with(state, only)).collect(),
                several => {
                    let all = |state: &State| {
                        several.iter().map(|stack| with(state.clone(), stack)).collect::<Vec<_>>()
                    };
                    states.iter().flat_map(all).collect()
                }
            };
        }
        states
    }

    fn show_word(&self, word: Word) -> String {
        let names: Vec<_> = word.symbols().map(|s| self.symbol_name(s)).collect();
        if names.is_empty() { "-".to_owned() } else { names.join(" ") }
    }
}

impl System for Tables {
    fn describe(&self) -> &dyn Describe {
        self
    }

    fn keys(&self) -> &dyn Keys {
        self
    }

    fn as_tables(&self) -> Option<&Tables> {
        Some(self)
    }

    fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    fn initial(&self) -> Result<Vec<State>, Fault> {
        let choices = self.stacks.iter().map(Vec::len);
        let count = choices.fold(self.initial.len(), usize::saturating_mul);
        if count > MOST_INITIAL_STATES {
            let message = format!("there are more than {MOST_INITIAL_STATES} initial states");
            return Err(Fault::new(message));
        }
        Ok(self.initial_states())
    }

    fn actions(
        &self,
        template: TemplateId,
        shared: SharedId,
        top: Option<SymbolId>,
        out: &mut Vec<Action>,
    ) -> Result<(), Fault> {
        let table = &self.templates[template.index()];
        if let Some(&(start, end)) = table.heads.get(&(shared, top)) {
            for index in start..end {
                let rule = &table.rules[index];
                let stack = |symbol| Spawn { template, stack: Word::Rewrite(symbol) };
                let action = Action {
                    shared: rule.to_shared,
                    word: rule.word,
                    spawn: rule.spawn.map(stack),
                    origin: table.origin(index)?,
                };
                out.push(action);
                if self.drops_threads && action.spawn.is_some() {
                    out.push(Action { spawn: None, ..action });
                }
            }
        }
        Ok(())
    }

    fn is_recursive(&self) -> bool {
        let (mut steps, mut calls) = (Vec::new(), Vec::new());
        for rule in self.templates.iter().flat_map(|template| &template.rules) {
            match (rule.top, rule.word) {
                (Some(top), Word::Rewrite(to)) => steps.push((top.index(), to.index())),
                (Some(from), Word::Push { top, .. }) => calls.push((from.index(), top.index())),
                // What is pushed on the empty stack is one symbol.
                _ => {}
            }
            // The symbol under a call is on top when the call returns.
            if let (Some(from), Word::Push { under, .. }) = (rule.top, rule.word) {
                steps.push((from.index(), under.index()));
            }
        }
        calls_itself(self.symbols.count(), &steps, &calls)
    }

    fn starts_threads(&self) -> bool {
        self.templates.iter().any(|t| t.rules.iter().any(|rule| rule.spawn.is_some()))
    }

    fn drops_threads(&self) -> bool {
        self.drops_threads
    }

    fn wrong(&self, _shared: SharedId) -> Option<String> {
        None
    }
}

impl Describe for Tables {
    fn template_name(&self, template: TemplateId) -> String {
        self.templates[template.index()].name.clone()
    }

    fn show_shared(&self, shared: SharedId) -> String {
        self.shared_name(shared).into_owned()
    }

    fn show_symbol(&self, symbol: SymbolId) -> String {
        self.symbol_name(symbol).into_owned()
    }

    fn shared_values(&self, shared: SharedId) -> Values {
        Values::from_iter([("shared".to_owned(), Datum::Name(self.show_shared(shared)))])
    }

    fn symbol_values(&self, _symbol: SymbolId) -> Values {
        Values::default()
    }

    fn symbol_line(&self, _symbol: SymbolId) -> Option<u32> {
        None
    }

    fn explain(&self, origin: Origin) -> Explanation {
        let Some(rule) = self.rule(origin) else { return Explanation::default() };
        let top = rule.top.map_or("-".into(), |s| self.symbol_name(s));
        let mut text = format!(
            "{} {top} -> {} {}",
            self.shared_name(rule.shared),
            self.shared_name(rule.to_shared),
            self.show_word(rule.word)
        );
        if let Some(spawned) = rule.spawn {
            text += &format!(" + {}", self.symbol_name(spawned));
        }
        let line = (rule.line > 0).then_some(rule.line);
        Explanation { steps: vec![Step { text, line }] }
    }
}

impl Keys for Tables {
    fn shared_key(&self, shared: SharedId) -> String {
        self.show_shared(shared)
    }

    fn find_shared_key(&self, key: &str) -> Option<SharedId> {
        self.find_shared(key)
    }

    /// The number of the template and the name, since templates may use the same names.
    fn symbol_key(&self, symbol: SymbolId) -> String {
        format!("{}:{}", self.template_of(symbol).0, self.symbol_name(symbol))
    }

    fn find_symbol_key(&self, key: &str) -> Option<SymbolId> {
        let (template, name) = key.split_once(':')?;
        let symbol = self.find_symbol(TemplateId(template.parse().ok()?), name)?;
        (self.symbol_key(symbol) == key).then_some(symbol)
    }

    fn find_template_key(&self, key: &str) -> Option<TemplateId> {
        let mut all = (0..self.templates.len()).map(TemplateId::from);
        all.find(|&template| self.template_key(template) == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_say_the_same_in_another_order() {
        let system = |names: [&str; 3]| {
            let mut tables = Tables::builder();
            for template in ["T", "T"] {
                let template = tables.template(template);
                for name in names {
                    tables.shared(name);
                    tables.symbol(template, name);
                }
            }
            tables.build()
        };
        let (first, second) = (system(["0", "x:1", "17"]), system(["17", "0", "x:1"]));
        for shared in (0..3).map(SharedId) {
            let found = second.find_shared_key(&first.shared_key(shared)).unwrap();
            assert_eq!(first.shared_name(shared), second.shared_name(found));
        }
        for symbol in (0..6).map(SymbolId) {
            let found = second.find_symbol_key(&first.symbol_key(symbol)).unwrap();
            assert_eq!(first.symbol_name(symbol), second.symbol_name(found));
            assert_eq!(first.template_of(symbol), second.template_of(found));
        }
        for template in (0..2).map(TemplateId) {
            assert_eq!(second.find_template_key(&first.template_key(template)), Some(template));
        }
        for wrong in ["", ":", "0", "0:", "2:0", "+0:0", "00:0", "0:y", "\u{0}", "-1:0"] {
            assert_eq!(first.find_symbol_key(wrong), None, "{wrong}");
            assert_eq!(first.find_template_key(wrong), None, "{wrong}");
        }
        assert_eq!(first.find_shared_key("18"), None);
    }
}
