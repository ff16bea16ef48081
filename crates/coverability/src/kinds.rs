//! # Local states
//! A template, and what is kept of a stack: all of it, or the topmost symbols with a bit that tells whether
//! something is hidden below. They have numbers as they are met.
//!
//! Where stacks are cut, a pop may uncover what is hidden. *Guesses* say what may lie directly below which
//! symbol in stacks of a template, and whether there is more below that; they grow as symbols fall out of
//! sight. So every pair of symbols in the hidden part of a stack, and the pair of the lowest symbol in sight
//! with the one below it, is a guess.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_evidence::Window;
use selvedge_model::{Fault, Stack, SymbolId, TemplateId, Word};
use selvedge_store::Interner;

use crate::fault;

/// How much of a stack belongs to a local state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stacks {
    /// The whole stack.
    Whole,
    /// This many symbols from the top, at least one.
    Cut(usize),
}

/// A local state: a template and the top of a stack, or all of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Local {
    pub template: TemplateId,
    pub window: Window,
}

/// A symbol that may lie below another, and whether there is more below it.
pub(crate) type Below = (SymbolId, bool);

/// In stacks of this template, below this symbol.
pub(crate) type Above = (TemplateId, SymbolId);

/// The result of replacing the top of a stack.
pub(crate) enum After {
    /// The local state with this number.
    Known(u32),
    /// The symbols that are left, top first; below them lies a guess for the second symbol.
    Uncovers(Vec<SymbolId>, SymbolId),
}

/// The local states that were met.
pub(crate) struct Kinds {
    stacks: Stacks,
    locals: Interner<Local>,
    guesses: FxHashMap<Above, FxHashSet<Below>>,
    /// The symbols that have replaced a symbol: whatever lies below it may lie below them, too.
    passes: FxHashMap<Above, Vec<SymbolId>>,
    /// Guesses that were not looked at yet.
    new: Vec<(Above, Below)>,
    /// Guesses that were looked at.
    looked_at: FxHashMap<Above, Vec<Below>>,
}

impl Kinds {
    pub fn new(stacks: Stacks) -> Self {
        Kinds {
            stacks,
            locals: Interner::of("local states"),
            guesses: FxHashMap::default(),
            passes: FxHashMap::default(),
            new: Vec::new(),
            looked_at: FxHashMap::default(),
        }
    }

    /// How many symbols are kept, if stacks are cut.
    pub fn depth(&self) -> Option<usize> {
        match self.stacks {
            Stacks::Whole => None,
            Stacks::Cut(depth) => Some(depth.max(1)),
        }
    }

    pub fn len(&self) -> usize {
        self.locals.len()
    }

    /// The numbers of all local states.
    pub fn ids(&self) -> impl Iterator<Item = u32> + use<> {
        self.locals.ids()
    }

    pub fn template(&self, kind: u32) -> TemplateId {
        self.locals.get(kind).template
    }

    pub fn window(&self, kind: u32) -> &Window {
        &self.locals.get(kind).window
    }

    pub fn top(&self, kind: u32) -> Option<SymbolId> {
        self.window(kind).symbols.first().copied()
    }

    /// The change of a stack's height when its top is replaced.
    pub fn growth(&self, kind: u32, word: Word) -> i64 {
        word.symbols().count() as i64 - i64::from(self.top(kind).is_some())
    }

    /// The number of the local state that begins with these symbols, top first. What falls out of sight is
    /// remembered.
    pub fn cut(
        &mut self,
        template: TemplateId,
        symbols: &[SymbolId],
        hidden: bool,
    ) -> Result<u32, Fault> {
        for at in self.depth().unwrap_or(symbols.len())..symbols.len() {
            let more = hidden || at + 1 < symbols.len();
            self.guess((template, symbols[at - 1]), (symbols[at], more));
        }
        let local = self.local(template, symbols, hidden);
        self.locals.intern(local).map_err(|full| fault(full.to_string()))
    }

    /// The number of the local state of a whole stack, if it was met.
    pub fn find(&self, template: TemplateId, stack: &Stack) -> Option<u32> {
        let symbols: Vec<SymbolId> = stack.iter().collect();
        self.locals.find(&self.local(template, &symbols, false))
    }

    fn local(&self, template: TemplateId, symbols: &[SymbolId], hidden: bool) -> Local {
        let kept = symbols.len().min(self.depth().unwrap_or(usize::MAX));
        let hidden = hidden || kept < symbols.len();
        Local { template, window: Window { symbols: symbols[..kept].into(), hidden } }
    }

    /// The result of replacing the top of a local state's stack.
    pub fn after(&mut self, kind: u32, word: Word) -> Result<After, Fault> {
        let Local { template, window } = self.locals.get(kind);
        let template = *template;
        let rest = window.symbols.iter().skip(1).copied();
        let symbols: Vec<SymbolId> = word.symbols().chain(rest).collect();
        let Some(&lowest) = window.symbols.last().filter(|_| window.hidden) else {
            return self.cut(template, &symbols, false).map(After::Known);
        };
        match symbols.last() {
            _ if word == Word::Pop => return Ok(After::Uncovers(symbols, lowest)),
            // Another symbol lies on what is hidden.
            Some(&now) if window.symbols.len() == 1 && now != lowest => {
                self.pass_on(template, lowest, now);
            }
            _ => {}
        }
        self.cut(template, &symbols, true).map(After::Known)
    }

    fn pass_on(&mut self, template: TemplateId, from: SymbolId, to: SymbolId) {
        let passes = self.passes.entry((template, from)).or_default();
        if !passes.contains(&to) {
            passes.push(to);
            let mut known: Vec<Below> =
                self.guesses.get(&(template, from)).into_iter().flatten().copied().collect();
            known.sort_unstable();
            known.into_iter().for_each(|below| self.guess((template, to), below));
        }
    }

    fn guess(&mut self, above: Above, below: Below) {
        if self.guesses.entry(above).or_default().insert(below) {
            self.new.push((above, below));
        }
    }

    /// The guesses about what lies below a symbol, as far as they were looked at.
    pub fn below(&self, above: Above) -> Vec<Below> {
        self.looked_at.get(&above).cloned().unwrap_or_default()
    }

    /// A guess that was not looked at before; what has become of its upper symbol gets it, too.
    pub fn next_guess(&mut self) -> Option<(Above, Below)> {
        let (above, below) = self.new.pop()?;
        for to in self.passes.get(&above).cloned().unwrap_or_default() {
            self.guess((above.0, to), below);
        }
        self.looked_at.entry(above).or_default().push(below);
        Some((above, below))
    }

    /// All guesses, in rising order.
    pub fn guesses(&self) -> Vec<(Above, Below)> {
        let mut all: Vec<(Above, Below)> = (self.guesses.iter())
            .flat_map(|(&above, list)| list.iter().map(move |&below| (above, below)))
            .collect();
        all.sort_unstable();
        all
    }
}
