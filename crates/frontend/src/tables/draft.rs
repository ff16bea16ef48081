//! # From lines to a system
//! What a file says, before it is one system: blocks of rules and the threads that obey them.
//!
//! Blocks with equal rules become one template. That is how symmetry is found: threads of one
//! template with equal stacks are interchangeable, however often the file repeats their rules.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};
use selvedge_model::{Name, Property, Rule, SharedId, SymbolId, TablesBuilder, TemplateId};

use super::TableInput;

/// The rules of a thread, as a file lists them. Symbols are numbers with a meaning for the whole
/// file, not yet ids of the system.
#[derive(Default)]
pub(super) struct Block {
    pub(super) name: String,
    pub(super) rules: Vec<Rule>,
    /// The least and the greatest symbol, where the file says so.
    pub(super) range: Option<(u32, u32)>,
}

/// Threads of one block.
pub(super) struct Group {
    pub(super) name: String,
    /// The number of threads; their names are numbered unless there is one.
    pub(super) count: u32,
    /// The index of the block.
    pub(super) block: usize,
    /// Symbols that they have beside those of the rules.
    pub(super) more: Vec<SymbolId>,
    /// The first stacks that they may have, top first; symbols as in the block.
    pub(super) stacks: Vec<Vec<SymbolId>>,
}

/// The contents of a file, before the system is built.
#[derive(Default)]
pub(super) struct Draft {
    /// The builder, which has the shared states.
    pub(super) builder: TablesBuilder,
    /// The initial shared states.
    pub(super) initial: Vec<SharedId>,
    pub(super) blocks: Vec<Block>,
    pub(super) groups: Vec<Group>,
    /// The names of the symbols; `None` if they are numbers and nothing else.
    pub(super) names: Option<Vec<Name>>,
}

/// The number of threads in the initial state is limited to this.
pub(super) const MOST_THREADS: u32 = 100_000;

impl Draft {
    /// Makes templates of the blocks and threads of the groups.
    pub(super) fn assemble(mut self) -> Result<Stage, String> {
        let total: u64 = self.groups.iter().map(|g| u64::from(g.count)).sum();
        if total > u64::from(MOST_THREADS) {
            return Err(format!("there are {total} threads; at most {MOST_THREADS} are possible"));
        }
        if total == 0 {
            return Err("there is no thread".to_owned());
        }
        let mut seen = FxHashMap::<u64, Vec<usize>>::default();
        let mut templates: Vec<TemplateId> = Vec::with_capacity(self.blocks.len());
        for index in 0..self.blocks.len() {
            Rule::tidy(&mut self.blocks[index].rules);
            let block = &self.blocks[index];
            let alike = seen.entry(fingerprint(&block.rules)).or_default();
            let equal = |&&other: &&usize| have_equal_rules(block, &self.blocks[other]);
            let template = match alike.iter().find(equal) {
                Some(&other) => templates[other],
                None => add_template(&mut self.builder, block, self.names.as_deref()),
            };
            alike.push(index);
            templates.push(template);
        }
        let mut groups = Vec::with_capacity(self.groups.len());
        let mut threads = Vec::with_capacity(total as usize);
        for group in self.groups {
            let (template, range) = (templates[group.block], self.blocks[group.block].range);
            let names = self.names.as_deref();
            let mut id = |&symbol: &SymbolId| self.builder.symbol(template, name_of(names, symbol));
            group.more.iter().for_each(|symbol| _ = id(symbol));
            let stack = |stack: &Vec<SymbolId>| stack.iter().map(&mut id).collect();
            let mut stacks: Vec<Vec<_>> = group.stacks.iter().map(stack).collect();
            sort_and_dedup(&mut stacks);
            for number in 1..=group.count {
                let numbered = || format!("{}#{number}", group.name);
                let name = if group.count == 1 { group.name.clone() } else { numbered() };
                threads.push(Seat { name, group: groups.len(), stacks: stacks.clone() });
            }
            groups.push(Cast { name: group.name, template, range });
        }
        sort_and_dedup(&mut self.initial);
        Ok(Stage { builder: self.builder, initial: self.initial, groups, threads })
    }
}

fn sort_and_dedup<T: Ord>(list: &mut Vec<T>) {
    list.sort_unstable();
    list.dedup();
}

fn name_of(names: Option<&[Name]>, symbol: SymbolId) -> Name {
    names.map_or(Name::Number(symbol.0), |names| names[symbol.index()].clone())
}

fn have_equal_rules(a: &Block, b: &Block) -> bool {
    a.rules.len() == b.rules.len()
        && a.rules.iter().zip(&b.rules).all(|(a, b)| a.effect() == b.effect())
}

fn fingerprint(rules: &[Rule]) -> u64 {
    let mut hasher = FxHasher::default();
    rules.iter().for_each(|rule| rule.effect().hash(&mut hasher));
    hasher.finish()
}

/// A template with the rules of a block. Symbols are in the order of their names, so that their
/// ids do not depend on the order of the rules.
fn add_template(builder: &mut TablesBuilder, block: &Block, names: Option<&[Name]>) -> TemplateId {
    let template = builder.template(block.name.clone());
    let mut ids = FxHashMap::default();
    for rule in &block.rules {
        let symbols = rule.word.symbols().chain(rule.top).chain(rule.spawn);
        ids.extend(symbols.map(|symbol| (symbol, symbol)));
    }
    let mut order: Vec<(Name, SymbolId)> =
        ids.keys().map(|&symbol| (name_of(names, symbol), symbol)).collect();
    order.sort_unstable();
    for (name, symbol) in order {
        ids.insert(symbol, builder.symbol(template, name));
    }
    let rules = block.rules.iter().map(|rule| rule.map_symbols(|symbol| ids[&symbol]));
    builder.add_rules(template, rules.collect());
    template
}

/// The properties that the threads of one group share.
pub(super) struct Cast {
    pub(super) name: String,
    pub(super) template: TemplateId,
    /// The symbols that they may have beside those of their rules.
    pub(super) range: Option<(u32, u32)>,
}

/// One thread of the initial states.
pub(super) struct Seat {
    pub(super) name: String,
    /// The index of its group.
    pub(super) group: usize,
    /// Its first stacks, top first.
    pub(super) stacks: Vec<Vec<SymbolId>>,
}

/// A system that lacks only its targets, and in a `.pds` its first stacks.
pub(super) struct Stage {
    pub(super) builder: TablesBuilder,
    pub(super) initial: Vec<SharedId>,
    pub(super) groups: Vec<Cast>,
    pub(super) threads: Vec<Seat>,
}

impl Stage {
    /// The symbol of a group's threads that has this name, if they have it.
    pub(super) fn symbol(&mut self, group: usize, name: &Name) -> Option<SymbolId> {
        let Cast { template, range, .. } = self.groups[group];
        match (name, range) {
            (Name::Number(number), Some((lo, hi))) if (lo..=hi).contains(number) => {
                Some(self.builder.symbol(template, *number))
            }
            _ => self.builder.find_symbol(template, name.clone()),
        }
    }

    /// The finished system.
    pub(super) fn build(mut self, targets: Vec<Property>) -> TableInput {
        self.initial.iter().for_each(|&shared| self.builder.initial(shared));
        for seat in self.threads {
            let mut stacks = seat.stacks.into_iter();
            let first = stacks.next().unwrap_or_default();
            let template = self.groups[seat.group].template;
            let thread = self.builder.thread(seat.name, template, first);
            stacks.for_each(|stack| self.builder.other_stack(thread, stack));
        }
        TableInput { tables: self.builder.build(), targets }
    }
}
