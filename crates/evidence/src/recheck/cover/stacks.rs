//! Guesses about the hidden symbols of stacks of which only the top is kept.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::{SymbolId, System, TemplateId, Word};

use crate::recheck::form::{form, show_symbols};
use crate::recheck::{Flaw, Refusal};
use crate::{CoverCertificate, CoverGuess, CoverThread};

/// The depth of the cut, and the guesses about symbols below it.
pub(super) struct Guessed {
    /// How many symbols are kept; `None` if all are.
    depth: Option<usize>,
    below: FxHashMap<(TemplateId, SymbolId), FxHashSet<(SymbolId, bool)>>,
}

impl Guessed {
    /// Reads the guesses; refuses local states that keep too much or too little.
    pub fn new(certificate: &CoverCertificate) -> Result<Self, Refusal> {
        let depth = certificate.cut.as_ref().map(|cut| cut.depth);
        if depth == Some(0) {
            return Err(form("it keeps no symbol of the stacks; at least 1 is needed"));
        }
        for (number, kind) in certificate.kinds.iter().enumerate() {
            let kept = kind.stack.len();
            let fits = match depth {
                Some(depth) => kept <= depth && (kept == depth || !kind.hidden),
                None => !kind.hidden,
            };
            if !fits {
                let all = depth.map_or("all".to_owned(), |depth| depth.to_string());
                return Err(form(format!("kind {number}: {kept} symbols of {all} are kept")));
            }
        }
        let mut below: FxHashMap<_, FxHashSet<_>> = FxHashMap::default();
        for guess in certificate.cut.iter().flat_map(|cut| &cut.guesses) {
            let &CoverGuess { template, lowest, below: symbol, more } = guess;
            below.entry((template, lowest)).or_default().insert((symbol, more));
        }
        Ok(Guessed { depth, below })
    }

    /// The local state of a stack that begins with these symbols, top first. What falls out of sight has to be
    /// among the guesses.
    pub fn cut(
        &self,
        system: &dyn System,
        template: TemplateId,
        symbols: &[SymbolId],
        hidden: bool,
    ) -> Result<CoverThread, Refusal> {
        let kept = symbols.len().min(self.depth.unwrap_or(usize::MAX));
        for at in kept..symbols.len() {
            let more = hidden || at + 1 < symbols.len();
            // At least one symbol is kept.
            let (lowest, below) = (symbols[at - 1], symbols[at]);
            self.require(system, CoverGuess { template, lowest, below, more })?;
        }
        let hidden = hidden || kept < symbols.len();
        Ok(CoverThread { template, stack: symbols[..kept].into(), hidden })
    }

    /// The local states that a thread may have when the top of its stack was replaced.
    pub fn after(
        &self,
        system: &dyn System,
        local: &CoverThread,
        word: Word,
    ) -> Result<Vec<CoverThread>, Refusal> {
        let CoverThread { template, stack, hidden } = local;
        let mut symbols: Vec<SymbolId> =
            word.symbols().chain(stack.iter().skip(1).copied()).collect();
        let lowest = match stack.last() {
            Some(&lowest) if *hidden => lowest,
            // The whole stack is known.
            _ => return Ok(vec![self.cut(system, *template, &symbols, false)?]),
        };
        let guesses = self.below.get(&(*template, lowest)).into_iter().flatten().copied();
        if word == Word::Pop {
            let mut all = Vec::new();
            for (symbol, more) in guesses {
                symbols.push(symbol);
                all.push(self.cut(system, *template, &symbols, more)?);
                symbols.pop();
            }
            return Ok(all);
        }
        // The symbols that lay below the old lowest symbol now lie below the new one.
        let now = symbols.last().copied().unwrap_or(lowest);
        for (below, more) in guesses {
            self.require(system, CoverGuess { template: *template, lowest: now, below, more })?;
        }
        Ok(vec![self.cut(system, *template, &symbols, true)?])
    }

    fn require(&self, system: &dyn System, guess: CoverGuess) -> Result<(), Refusal> {
        let CoverGuess { template, lowest, below, more } = guess;
        if self.below.get(&(template, lowest)).is_some_and(|list| list.contains(&(below, more))) {
            return Ok(());
        }
        let pair = show_symbols(system, [lowest, below]);
        let tail = if more { "with more below" } else { "with nothing below" };
        let name = system.describe().template_name(template);
        let message = format!("a stack of {name} can have {pair} ({tail}), which is no guess");
        Err(Refusal::new(Flaw::Guesses, message))
    }
}
