//! # Single stacks
//! Stacks are chains of (top, rest), each with a number: equal stacks have equal numbers, and
//! a push or a pop costs one look-up, whatever the height.

use selvedge_automata::Dfa;
use selvedge_evidence::Evidence;
use selvedge_model::{Action, SharedId, Stack, StackPattern, SymbolId, System, Word, of_runs};
use selvedge_store::{Full, Interner};

use super::{Classes, Locals, Move, Reached};
use crate::{Pace, Resource, Stop, certify};

/// The number of the empty stack.
const EMPTY: u32 = 0;

/// All stacks that were met. Locals are their numbers.
#[derive(Clone, Debug)]
pub struct Stacks {
    /// The top and the rest of each stack but the empty one, whose numbers are one larger than in here.
    cells: Interner<(SymbolId, u32)>,
    /// The height of each stack, by its number.
    heights: Vec<u32>,
    tallest: u32,
    /// Stacks higher than this end the exploration.
    highest: Option<u32>,
    actions: Vec<Action>,
}

impl Default for Stacks {
    fn default() -> Self {
        Stacks {
            cells: Interner::of("stacks"),
            heights: vec![0],
            tallest: 0,
            highest: None,
            actions: Vec::new(),
        }
    }
}

impl Stacks {
    /// Stacks that may be this high; a higher one stops the exploration with
    /// [`Stop::HighStack`], since a single context may then reach infinitely many.
    #[must_use]
    pub fn up_to(height: u32) -> Self {
        Stacks { highest: Some(height), ..Stacks::default() }
    }

    /// The stack with `top` on `rest`.
    pub fn push(&mut self, top: SymbolId, rest: u32) -> Result<u32, Full> {
        let number = self.cells.intern((top, rest))? + 1;
        if number as usize == self.heights.len() {
            // No higher than there are stacks.
            let height = self.heights[rest as usize] + 1;
            self.heights.push(height);
            self.tallest = self.tallest.max(height);
        }
        Ok(number)
    }

    /// The top of a stack.
    #[must_use]
    pub fn top(&self, stack: u32) -> Option<SymbolId> {
        stack.checked_sub(1).map(|cell| self.cells.get(cell).0)
    }

    /// The stack without its top; the empty stack stays empty.
    #[must_use]
    pub fn rest(&self, stack: u32) -> u32 {
        stack.checked_sub(1).map_or(EMPTY, |cell| self.cells.get(cell).1)
    }

    /// The stack with its top replaced.
    pub fn replace_top(&mut self, stack: u32, word: Word) -> Result<u32, Full> {
        let rest = self.rest(stack);
        word.symbols().rev().try_fold(rest, |below, symbol| self.push(symbol, below))
    }

    /// The stack that consists of a word.
    pub fn of_word(&mut self, word: Word) -> Result<u32, Full> {
        self.replace_top(EMPTY, word)
    }

    /// How many symbols a stack has.
    #[must_use]
    pub fn height(&self, stack: u32) -> usize {
        self.heights[stack as usize] as usize
    }

    /// The height of the tallest stack that was met.
    #[must_use]
    pub fn tallest(&self) -> usize {
        self.tallest as usize
    }

    /// The move of a thread with this stack by an action.
    fn after(&mut self, stack: u32, action: &Action) -> Result<Move, Full> {
        let mut spawns = Vec::new();
        if let Some(spawn) = action.spawn {
            spawns.push((spawn.template, self.of_word(spawn.stack)?));
        }
        let local = self.replace_top(stack, action.word)?;
        Ok(Move { shared: action.shared, local, spawns })
    }

    /// The stack as a value of the model.
    #[must_use]
    pub fn get(&self, mut stack: u32) -> Stack {
        let mut symbols = Vec::new();
        while let Some(top) = self.top(stack) {
            symbols.push(top);
            stack = self.rest(stack);
        }
        Stack::top_first(symbols)
    }
}

impl Locals for Stacks {
    const WHOLE_CONTEXTS: bool = false;

    fn engine(resource: Resource) -> &'static str {
        match resource {
            Resource::Contexts | Resource::ContextsOf { .. } => "contexts-explicit",
            Resource::Rounds => "rounds-explicit",
            Resource::Threads => "threads-explicit",
            Resource::RoundRobin { .. } => "delays",
        }
    }

    fn of_stack(&mut self, _class: u32, stack: &Stack) -> Result<u32, Full> {
        stack.0.iter().try_fold(EMPTY, |below, &symbol| self.push(symbol, below))
    }

    fn moves(
        &mut self,
        system: &dyn System,
        classes: &mut Classes,
        (class, shared, local): (u32, SharedId, u32),
        _pace: &mut Pace<'_>,
        out: &mut Vec<Move>,
    ) -> Result<(), Stop> {
        let mut actions = std::mem::take(&mut self.actions);
        actions.clear();
        let (template, top) = (classes.template(class), self.top(local));
        of_runs(|| system.actions(template, shared, top, &mut actions))?;
        for action in &actions {
            let made = self.after(local, action)?;
            if self.highest.is_some_and(|highest| self.heights[made.local as usize] > highest) {
                return Err(Stop::HighStack);
            }
            out.push(made);
        }
        self.actions = actions;
        Ok(())
    }

    fn run(
        &mut self,
        system: &dyn System,
        classes: &Classes,
        (class, shared, local): (u32, SharedId, u32),
        to: &Move,
        _stack: &Stack,
        _pace: &mut Pace<'_>,
    ) -> Result<Option<(Stack, Vec<Action>)>, Stop> {
        let mut actions = Vec::new();
        system.actions(classes.template(class), shared, self.top(local), &mut actions)?;
        for action in actions {
            if self.after(local, &action)? == *to {
                return Ok(Some((self.get(local), vec![action])));
            }
        }
        Ok(None)
    }

    fn stack_like(&self, local: u32, pattern: &StackPattern) -> Option<Stack> {
        Some(self.get(local)).filter(|stack| pattern.matches(stack.iter()))
    }

    fn tops(&self, local: u32) -> Vec<Option<SymbolId>> {
        vec![self.top(local)]
    }

    fn may_be(&self, _class: u32, local: u32, pattern: &StackPattern) -> bool {
        let mut rest = local;
        pattern.matches(std::iter::from_fn(|| {
            let top = self.top(rest)?;
            rest = self.rest(rest);
            Some(top)
        }))
    }

    fn stacks(&self, local: u32) -> Dfa {
        Dfa::word(self.get(local).iter())
    }

    fn are_visible(&self) -> bool {
        self.tallest <= 1
    }

    fn is_finite(&self, _local: u32) -> bool {
        true
    }

    fn count(&self) -> usize {
        self.heights.len()
    }

    fn certify(reached: &Reached<'_, Self>) -> Evidence {
        certify::of_stacks(reached)
    }
}
