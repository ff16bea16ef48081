//! Building tables, piece by piece.

use super::{FirstStacks, Heads, Rule, Tables, Template};
use crate::names::{SharedNames, SymbolNames};
use crate::{Name, SharedId, SymbolId, TemplateId, ThreadId, ThreadInfo, Word};

/// Builds [`Tables`]. Ids are given out in the order of the calls.
#[derive(Clone, Debug, Default)]
pub struct TablesBuilder {
    shared: SharedNames,
    symbols: SymbolNames,
    templates: Vec<(String, Vec<Rule>)>,
    threads: Vec<ThreadInfo>,
    stacks: Vec<FirstStacks>,
    initial: Vec<SharedId>,
}

impl TablesBuilder {
    /// The shared state of this name; added if it is new.
    pub fn shared(&mut self, name: impl Into<Name>) -> SharedId {
        self.shared.find_or_add(name.into())
    }

    /// Adds the shared states 0, 1, … up to `count` of them, without the cost of a name for each.
    ///
    /// # Panics
    /// When there are shared states with other names already.
    pub fn numbered_shared(&mut self, count: u32) {
        self.shared.number(count);
    }

    /// The shared state of this name, if it was added.
    #[must_use]
    pub fn find_shared(&self, name: impl Into<Name>) -> Option<SharedId> {
        self.shared.find(&name.into())
    }

    /// The number of shared states so far.
    #[must_use]
    pub fn shared_count(&self) -> usize {
        self.shared.count()
    }

    /// Adds a template.
    pub fn template(&mut self, name: impl Into<String>) -> TemplateId {
        self.templates.push((name.into(), Vec::new()));
        TemplateId::from(self.templates.len() - 1)
    }

    /// The symbol of this name in the alphabet of a template; added if it is new.
    pub fn symbol(&mut self, template: TemplateId, name: impl Into<Name>) -> SymbolId {
        self.symbols.find_or_add(template, name.into())
    }

    /// The symbol of this name in a template, if it was added.
    #[must_use]
    pub fn find_symbol(&self, template: TemplateId, name: impl Into<Name>) -> Option<SymbolId> {
        self.symbols.find(template, name.into())
    }

    /// Adds the rule `(shared, top) → (to_shared, word)` to a template.
    pub fn rule(
        &mut self,
        template: TemplateId,
        shared: SharedId,
        top: Option<SymbolId>,
        to_shared: SharedId,
        word: Word,
    ) {
        self.add_rule(template, Rule { shared, top, to_shared, word, spawn: None, line: 0 });
    }

    /// Adds a rule to a template, with all that a rule may have.
    pub fn add_rule(&mut self, template: TemplateId, rule: Rule) {
        self.templates[template.index()].1.push(rule);
    }

    /// Adds rules to a template, as many at once as there are.
    pub fn add_rules(&mut self, template: TemplateId, rules: Vec<Rule>) {
        let list = &mut self.templates[template.index()].1;
        if list.is_empty() { *list = rules } else { list.extend(rules) }
    }

    /// Adds a thread with its first stack, top first.
    pub fn thread(
        &mut self,
        name: impl Into<String>,
        template: TemplateId,
        stack: Vec<SymbolId>,
    ) -> ThreadId {
        self.threads.push(ThreadInfo { name: name.into(), template });
        self.stacks.push(vec![stack]);
        ThreadId::from(self.threads.len() - 1)
    }

    /// Adds another first stack of a thread, top first. The initial states are all combinations
    /// of the threads' first stacks and the initial shared states.
    pub fn other_stack(&mut self, thread: ThreadId, stack: Vec<SymbolId>) {
        self.stacks[thread.index()].push(stack);
    }

    /// Adds an initial shared state.
    pub fn initial(&mut self, shared: SharedId) {
        self.initial.push(shared);
    }

    /// The finished system. Repeated rules count once (the first line that has one is kept).
    #[must_use]
    pub fn build(self) -> Tables {
        let mut first_origin: u32 = 0;
        let mut templates = Vec::with_capacity(self.templates.len());
        for (name, mut rules) in self.templates {
            Rule::tidy(&mut rules);
            let heads = index_heads(&rules);
            let count = u32::try_from(rules.len()).unwrap_or(u32::MAX);
            templates.push(Template { name, rules, heads, first_origin });
            first_origin = first_origin.saturating_add(count);
        }
        Tables {
            shared: self.shared,
            symbols: self.symbols,
            templates,
            threads: self.threads,
            stacks: self.stacks,
            initial: self.initial,
            drops_threads: false,
        }
    }
}

fn index_heads(rules: &[Rule]) -> Heads {
    let mut heads = Heads::with_capacity_and_hasher(rules.len(), Default::default());
    let mut start = 0;
    for of_one_head in rules.chunk_by(|a, b| (a.shared, a.top) == (b.shared, b.top)) {
        let end = start + of_one_head.len();
        heads.insert((of_one_head[0].shared, of_one_head[0].top), (start, end));
        start = end;
    }
    heads
}
