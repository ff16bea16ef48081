//! # Windows: stacks cut from below
//!
//! **Question.** Which visible states can be reached under *any* number of contexts, at the most?
//!
//! **Idea.** Keep the top j symbols of each stack and forget the rest. A push lets the lowest symbol
//! fall out of the window; a pop has to guess what comes up. The guess is *tight*: only what did
//! fall out from under the symbols that are in sight below the top, in a stack of a thread of the same
//! class. They have not changed since: only tops change. (With j = 1 it is the top itself, which
//! hands on what lies below it when it is rewritten.)
//! Threads that obey the same rules but begin with different stacks do not lend each other guesses.
//! One bit tells whether anything is hidden
//! below at all. What is left has finitely many states (if there are finitely many shared states)
//! and is explored like any other system: its visible states are Z_j.
//!
//! **Claim.** T(R) ⊆ Z_j: by induction over the steps, the window of every reachable stack is met,
//! with its bit, and every symbol that lies below a window was remembered with those above it
//! when it fell out. So Z_j is an inductive invariant. With depth 1, loose guesses and no bit it is
//! the set Z of the CUBA paper [Alg. 2, Lemma 12].
//!
//! **Needs.** Guesses grow during an exploration; one that ends with more guesses than it began
//! with has to be repeated ([`Windows::has_grown`]).

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_automata::Dfa;
use selvedge_evidence::Evidence;
use selvedge_model::{Action, SharedId, Stack, StackPattern, SymbolId, System, TemplateId, Word};
use selvedge_store::{Full, Interner};

use super::{Classes, Locals, Move, Reached};
use crate::{Pace, Resource, Stop, certify};

/// How stacks are cut to windows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cut {
    /// How many symbols are kept from the top; at least 1.
    pub depth: usize,
    /// Whether a pop uncovers only what fell out from under the symbols in sight; otherwise whatever
    /// ever fell out.
    pub tight: bool,
    /// Whether it is known if something is hidden below.
    pub hidden_bit: bool,
    /// Whether states are left out whose stacks cannot be as high as they would have to be: see
    /// [`crate::converge::heights`].
    pub heights: bool,
}

impl Cut {
    /// The cut that the CUBA paper uses for Z.
    pub const PUBLISHED: Cut = Cut { depth: 1, tight: false, hidden_bit: false, heights: false };

    /// The tightest cut of a depth.
    #[must_use]
    pub fn tight(depth: usize) -> Self {
        Cut { depth: depth.max(1), tight: true, hidden_bit: true, heights: false }
    }
}

/// The top of a stack.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Window {
    /// The topmost symbols, top first: `depth` of them, or the whole stack.
    pub symbols: Box<[SymbolId]>,
    /// Whether something may lie below. Only if the window is full.
    pub hidden: bool,
}

impl Window {
    /// The symbols that are known after the top is replaced by a word: there may be one more, or one less.
    #[must_use]
    pub fn after(&self, word: Word) -> Vec<SymbolId> {
        let rest = self.symbols.get(1..).unwrap_or_default();
        word.symbols().chain(rest.iter().copied()).collect()
    }
}

/// A symbol that lies below, and whether something may lie below that.
pub type Below = (SymbolId, bool);

/// Where something lies below: in stacks of threads of a class, directly below these symbols, the
/// lowest of them last. No symbols: below any.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Above {
    /// The class of the thread.
    pub class: u32,
    /// The symbols; one less than the depth of the cut, but at least one.
    pub symbols: Box<[SymbolId]>,
}

/// For the symbols at the edge of a window, those that may lie directly below.
pub type Guesses = FxHashMap<Above, FxHashSet<Below>>;

/// All windows that were met. Locals are their numbers.
#[derive(Clone, Debug)]
pub struct Windows {
    cut: Cut,
    windows: Interner<Window>,
    guesses: Guesses,
    grown: bool,
    actions: Vec<Action>,
}

impl Windows {
    /// Windows of this cut, without any guesses.
    #[must_use]
    pub fn new(cut: Cut) -> Self {
        Windows {
            cut,
            windows: Interner::of("tops of stacks"),
            guesses: FxHashMap::default(),
            grown: false,
            actions: Vec::new(),
        }
    }

    /// How many symbols of each stack are kept.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.cut.depth
    }

    /// Keeps the guesses so far for another exploration, and clears the mark that they have grown.
    #[must_use]
    pub fn again(self) -> Self {
        Windows { grown: false, ..self }
    }

    /// Whether there are more guesses than at the start.
    #[must_use]
    pub fn has_grown(&self) -> bool {
        self.grown
    }

    /// The symbols that may lie below each edge of a window, as far as they are known.
    #[must_use]
    pub fn guesses(&self) -> &Guesses {
        &self.guesses
    }

    /// Where the symbol lies that a pop uncovers, if one is hidden.
    #[must_use]
    pub fn hiding(&self, class: u32, window: &Window) -> Option<Above> {
        let symbols = &window.symbols;
        window.hidden.then(|| self.above(class, symbols, symbols.len()))
    }

    /// What of a stack is outside of its window. These are its upper symbols; `hidden` says whether there are more.
    #[must_use]
    pub fn outside(&self, class: u32, symbols: &[SymbolId], hidden: bool) -> Vec<(Above, Below)> {
        let one = |kept: usize| {
            let more = hidden || kept + 1 < symbols.len() || !self.cut.hidden_bit;
            (self.above(class, symbols, kept), (symbols[kept], more))
        };
        (self.cut.depth..symbols.len()).map(one).collect()
    }

    /// The window with this number.
    #[must_use]
    pub fn get(&self, local: u32) -> &Window {
        self.windows.get(local)
    }

    /// The numbers of all windows.
    pub fn locals(&self) -> impl Iterator<Item = u32> + use<> {
        self.windows.ids()
    }

    /// Where the symbol after the first `kept` of these lies, which are the upper part of a stack.
    fn above(&self, class: u32, symbols: &[SymbolId], kept: usize) -> Above {
        let depth = self.cut.depth;
        let told = if self.cut.tight { depth.saturating_sub(1).max(1) } else { 0 };
        Above { class, symbols: symbols[kept - told..kept].into() }
    }

    fn guess(&mut self, above: Above, below: Below) {
        self.grown |= self.guesses.entry(above).or_default().insert(below);
    }

    fn below(&self, above: &Above) -> Vec<Below> {
        let known = self.guesses.get(above);
        known.map_or(Vec::new(), |set| set.iter().copied().collect())
    }

    /// The window of a whole stack, top first. What does not fit is remembered.
    fn cut(&mut self, class: u32, symbols: &[SymbolId], hidden: bool) -> Result<u32, Full> {
        let depth = self.cut.depth;
        for (above, below) in self.outside(class, symbols, hidden) {
            self.guess(above, below);
        }
        let kept = symbols.len().min(depth);
        let hidden = kept == depth && (hidden || symbols.len() > depth || !self.cut.hidden_bit);
        self.windows.intern(Window { symbols: symbols[..kept].into(), hidden })
    }

    /// What a window becomes when its top is replaced by a word.
    pub(crate) fn step(
        &mut self,
        class: u32,
        window: &Window,
        word: Word,
        out: &mut Vec<u32>,
    ) -> Result<(), Full> {
        let after = window.after(word);
        if !window.hidden {
            out.push(self.cut(class, &after, false)?);
            return Ok(());
        }
        let above = self.above(class, &window.symbols, window.symbols.len());
        if word == Word::Pop {
            // Something may come up from below.
            for (symbol, hidden) in self.below(&above) {
                let uncovered: Vec<_> = after.iter().copied().chain([symbol]).collect();
                out.push(self.cut(class, &uncovered, hidden)?);
            }
            if !self.cut.hidden_bit {
                out.push(self.cut(class, &after, false)?);
            }
            return Ok(());
        }
        // With a window of one symbol, the symbol that lies on the hidden part has changed.
        let now = self.above(class, &after, after.len());
        if now != above {
            for below in self.below(&above) {
                self.guess(now.clone(), below);
            }
        }
        out.push(self.cut(class, &after, true)?);
        Ok(())
    }
}

impl Windows {
    /// Tells every action of a thread (of a class, at a shared state, with a local), and each local
    /// that it may then have.
    pub fn steps(
        &mut self,
        system: &dyn System,
        template: TemplateId,
        (class, shared, local): (u32, SharedId, u32),
        mut tell: impl FnMut(&mut Self, &Action, u32) -> Result<(), Full>,
    ) -> Result<(), Stop> {
        let window = self.get(local).clone();
        let mut actions = std::mem::take(&mut self.actions);
        actions.clear();
        system.actions(template, shared, window.symbols.first().copied(), &mut actions)?;
        let mut locals = Vec::new();
        for action in &actions {
            self.step(class, &window, action.word, &mut locals)?;
            for local in locals.drain(..) {
                tell(self, action, local)?;
            }
        }
        self.actions = actions;
        Ok(())
    }
}

impl Locals for Windows {
    const WHOLE_CONTEXTS: bool = false;

    fn engine(_resource: Resource) -> &'static str {
        "stack-cuts"
    }

    fn of_stack(&mut self, class: u32, stack: &Stack) -> Result<u32, Full> {
        let symbols: Vec<_> = stack.iter().collect();
        self.cut(class, &symbols, false)
    }

    fn moves(
        &mut self,
        system: &dyn System,
        classes: &mut Classes,
        (class, shared, local): (u32, SharedId, u32),
        _pace: &mut Pace<'_>,
        out: &mut Vec<Move>,
    ) -> Result<(), Stop> {
        self.steps(
            system,
            classes.template(class),
            (class, shared, local),
            |windows, step, local| {
                let mut spawns = Vec::new();
                if let Some(spawn) = step.spawn {
                    let symbols: Vec<_> = spawn.stack.symbols().collect();
                    let class = classes.of_started(spawn.template);
                    spawns.push((spawn.template, windows.cut(class, &symbols, false)?));
                }
                out.push(Move { shared: step.shared, local, spawns });
                Ok(())
            },
        )
    }

    fn tops(&self, local: u32) -> Vec<Option<SymbolId>> {
        vec![self.get(local).symbols.first().copied()]
    }

    fn may_be(&self, class: u32, local: u32, pattern: &StackPattern) -> bool {
        let window = self.get(local);
        let whole = match pattern {
            StackPattern::Top(top) => return top.matches(window.symbols.first().copied()),
            StackPattern::Whole(whole) => whole,
        };
        let kept = window.symbols.len();
        let is_it = window.symbols == *whole;
        if !window.hidden || (is_it && !self.cut.hidden_bit) {
            return is_it;
        }
        let is_guess = |at: usize| {
            let more = at + 1 < whole.len() || !self.cut.hidden_bit;
            let known = self.guesses.get(&self.above(class, whole, at));
            known.is_some_and(|known| known.contains(&(whole[at], more)))
        };
        whole.len() > kept
            && window.symbols[..] == whole[..kept]
            && (kept..whole.len()).all(is_guess)
    }

    fn stacks(&self, local: u32) -> Dfa {
        Dfa::word(self.get(local).symbols.iter().copied())
    }

    fn is_finite(&self, local: u32) -> bool {
        !self.get(local).hidden
    }

    fn count(&self) -> usize {
        self.windows.len()
    }

    fn certify(reached: &Reached<'_, Self>) -> Evidence {
        certify::of_windows(reached)
    }
}
