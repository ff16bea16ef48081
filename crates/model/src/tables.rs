//! # Tables
//! Concurrent pushdown systems given as lists of rules: the `.pds`, `.cpds` and `.tts` formats.
//! Rules are kept sorted by head, so that the actions of a head are one slice.

use rustc_hash::FxHashMap;

use crate::{
    Action, Explanation, Fault, Origin, SharedId, Spawn, Stack, State, Step, SymbolId, System,
    TemplateId, Thread, ThreadInfo, Word,
};

/// One rule of a template.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rule {
    /// The shared state before.
    pub shared: SharedId,
    /// The top of the stack before; `None` for the empty stack.
    pub top: Option<SymbolId>,
    /// The shared state after.
    pub to_shared: SharedId,
    /// What replaces the top.
    pub word: Word,
    /// The symbol of a thread of the same template that the rule starts, if any.
    pub spawn: Option<SymbolId>,
    /// The line of the source, 0 if there is none.
    pub line: u32,
}

/// A symbol of one template, with the name it has in the source. Symbols of different
/// templates are different even where their names are the same.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Symbol {
    name: String,
    template: TemplateId,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Template {
    name: String,
    /// Sorted by head.
    rules: Vec<Rule>,
    /// Where the rules of a head are in `rules`.
    heads: FxHashMap<(SharedId, Option<SymbolId>), (u32, u32)>,
    /// The origin of the first rule.
    first_origin: u32,
}

/// A concurrent pushdown system as tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tables {
    shared: Vec<String>,
    symbols: Vec<Symbol>,
    templates: Vec<Template>,
    threads: Vec<ThreadInfo>,
    stacks: Vec<Vec<SymbolId>>,
    initial: Vec<SharedId>,
    /// Alternative first stacks (each a whole list of stacks), beyond `stacks`.
    other_stacks: Vec<Vec<Vec<SymbolId>>>,
}

impl Tables {
    /// Starts an empty system.
    #[must_use]
    pub fn builder() -> TablesBuilder {
        TablesBuilder::default()
    }

    /// The number of shared states.
    #[must_use]
    pub fn shared_count(&self) -> usize {
        self.shared.len()
    }

    /// The number of stack symbols of all templates.
    #[must_use]
    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
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

    /// The template that a symbol belongs to.
    #[must_use]
    pub fn template_of(&self, symbol: SymbolId) -> TemplateId {
        self.symbols[symbol.index()].template
    }

    /// The name of a shared state.
    #[must_use]
    pub fn shared_name(&self, shared: SharedId) -> &str {
        &self.shared[shared.index()]
    }

    /// The name of a symbol.
    #[must_use]
    pub fn symbol_name(&self, symbol: SymbolId) -> &str {
        &self.symbols[symbol.index()].name
    }

    /// The shared state of this name.
    #[must_use]
    pub fn find_shared(&self, name: &str) -> Option<SharedId> {
        self.shared.iter().position(|n| n == name).map(SharedId::from)
    }

    /// The symbol of this name in a template.
    #[must_use]
    pub fn find_symbol(&self, template: TemplateId, name: &str) -> Option<SymbolId> {
        let wanted = |s: &Symbol| s.template == template && s.name == name;
        self.symbols.iter().position(wanted).map(SymbolId::from)
    }

    fn rule(&self, origin: Origin) -> Option<&Rule> {
        let owner =
            self.templates.partition_point(|t| t.first_origin <= origin.0).checked_sub(1)?;
        let template = &self.templates[owner];
        template.rules.get((origin.0 - template.first_origin) as usize)
    }

    fn state(&self, shared: SharedId, stacks: &[Vec<SymbolId>]) -> State {
        let thread = |(info, stack): (&ThreadInfo, &Vec<SymbolId>)| Thread {
            template: info.template,
            stack: Stack::top_first(stack.iter().copied()),
        };
        State { shared, threads: self.threads.iter().zip(stacks).map(thread).collect() }
    }

    fn show_word(&self, word: Word) -> String {
        let names: Vec<_> = word.symbols().map(|s| self.symbol_name(s)).collect();
        if names.is_empty() { "-".to_owned() } else { names.join(" ") }
    }
}

impl System for Tables {
    fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    fn template_name(&self, template: TemplateId) -> String {
        self.templates[template.index()].name.clone()
    }

    fn initial(&self) -> Result<Vec<State>, Fault> {
        let stacks = || std::iter::once(&self.stacks).chain(&self.other_stacks);
        Ok(self.initial.iter().flat_map(|&q| stacks().map(move |w| self.state(q, w))).collect())
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
            out.extend((start..end).map(|index| {
                let rule = &table.rules[index as usize];
                let stack = |symbol| Spawn { template, stack: Word::Rewrite(symbol) };
                Action {
                    shared: rule.to_shared,
                    word: rule.word,
                    spawn: rule.spawn.map(stack),
                    origin: Origin(table.first_origin + index),
                }
            }));
        }
        Ok(())
    }

    fn wrong(&self, _shared: SharedId) -> Option<String> {
        None
    }

    fn show_shared(&self, shared: SharedId) -> String {
        self.shared_name(shared).to_owned()
    }

    fn show_symbol(&self, symbol: SymbolId) -> String {
        self.symbol_name(symbol).to_owned()
    }

    fn shared_values(&self, shared: SharedId) -> Vec<(String, String)> {
        vec![("shared".to_owned(), self.show_shared(shared))]
    }

    fn symbol_values(&self, _symbol: SymbolId) -> Vec<(String, String)> {
        Vec::new()
    }

    fn symbol_line(&self, _symbol: SymbolId) -> Option<u32> {
        None
    }

    fn explain(&self, origin: Origin) -> Explanation {
        let Some(rule) = self.rule(origin) else { return Explanation::default() };
        let top = rule.top.map_or("-", |s| self.symbol_name(s));
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

/// Builds [`Tables`]. Ids are given out in the order of the calls.
#[derive(Clone, Debug, Default)]
pub struct TablesBuilder {
    shared: Vec<String>,
    symbols: Vec<Symbol>,
    templates: Vec<(String, Vec<Rule>)>,
    threads: Vec<ThreadInfo>,
    stacks: Vec<Vec<SymbolId>>,
    initial: Vec<SharedId>,
    other_stacks: Vec<Vec<Vec<SymbolId>>>,
}

impl TablesBuilder {
    /// Adds a shared state.
    pub fn shared(&mut self, name: impl Into<String>) -> SharedId {
        self.shared.push(name.into());
        SharedId::from(self.shared.len() - 1)
    }

    /// Adds a template.
    pub fn template(&mut self, name: impl Into<String>) -> TemplateId {
        self.templates.push((name.into(), Vec::new()));
        TemplateId::from(self.templates.len() - 1)
    }

    /// Adds a symbol to the alphabet of a template.
    pub fn symbol(&mut self, template: TemplateId, name: impl Into<String>) -> SymbolId {
        self.symbols.push(Symbol { name: name.into(), template });
        SymbolId::from(self.symbols.len() - 1)
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

    /// Adds a thread with its first stack, top first.
    pub fn thread(&mut self, name: impl Into<String>, template: TemplateId, stack: Vec<SymbolId>) {
        self.threads.push(ThreadInfo { name: name.into(), template });
        self.stacks.push(stack);
    }

    /// Adds an initial shared state.
    pub fn initial(&mut self, shared: SharedId) {
        self.initial.push(shared);
    }

    /// Adds another choice of first stacks, one stack for each thread.
    pub fn other_stacks(&mut self, stacks: Vec<Vec<SymbolId>>) {
        self.other_stacks.push(stacks);
    }

    /// The finished system. Repeated rules count once (the first line that has one is kept).
    #[must_use]
    pub fn build(self) -> Tables {
        let mut first_origin = 0;
        let mut templates = Vec::with_capacity(self.templates.len());
        for (name, mut rules) in self.templates {
            let effect = |r: &Rule| (r.shared, r.top, r.to_shared, r.word, r.spawn);
            rules.sort_by_key(|r| (effect(r), r.line));
            rules.dedup_by_key(|r| effect(r));
            let mut heads: FxHashMap<_, (u32, u32)> = FxHashMap::default();
            for (index, rule) in (0u32..).zip(&rules) {
                heads.entry((rule.shared, rule.top)).or_insert((index, index)).1 = index + 1;
            }
            let count = rules.len() as u32;
            templates.push(Template { name, rules, heads, first_origin });
            first_origin += count;
        }
        Tables {
            shared: self.shared,
            symbols: self.symbols,
            templates,
            threads: self.threads,
            stacks: self.stacks,
            initial: self.initial,
            other_stacks: self.other_stacks,
        }
    }
}
