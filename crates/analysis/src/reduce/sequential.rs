//! # The one pushdown system
//! The rules of Fig. 4, made when a head is met. Three things differ from the figure:
//!
//! - Round K + 1 has no control state: it is left at once, for the start of the next thread.
//! - Threads may empty their stacks, and act then. So each has a bottom symbol of its own, on which
//!   its actions on the empty stack are rules.
//! - A thread may start with any stack. Its start symbol unfolds into it, symbol by symbol; until
//!   that is done, control is not handed on.

use rustc_hash::FxHashSet;
use selvedge_automata::Control;
use selvedge_model::{Action, Fault, SharedId, State, SymbolId, System, TemplateId, Word};

use super::frames::{Frame, Local, Numbers};

/// What an action of a thread depends on.
pub(super) type Head = (TemplateId, SharedId, Option<SymbolId>);

/// The pushdown system of a concurrent one, for a number of rounds.
pub(super) struct Sequential<'a> {
    system: &'a dyn System,
    initial: Vec<State>,
    templates: Vec<TemplateId>,
    rounds: usize,
    /// If given, there are no actions at other heads.
    heads: Option<&'a FxHashSet<Head>>,
    pub frames: Numbers<Frame>,
    pub locals: Numbers<Local>,
    actions: Vec<Action>,
}

impl<'a> Sequential<'a> {
    pub fn new(
        system: &'a dyn System,
        rounds: usize,
        heads: Option<&'a FxHashSet<Head>>,
    ) -> Result<Self, Fault> {
        Ok(Sequential {
            system,
            initial: system.initial()?,
            templates: system.threads().iter().map(|thread| thread.template).collect(),
            rounds,
            heads,
            frames: Numbers::default(),
            locals: Numbers::default(),
            actions: Vec::new(),
        })
    }

    /// The initial states of the concurrent system.
    pub fn initial(&self) -> &[State] {
        &self.initial
    }

    pub fn threads(&self) -> usize {
        self.templates.len()
    }

    pub fn symbol(&mut self, frame: Frame) -> SymbolId {
        SymbolId(self.frames.number(frame))
    }

    pub fn control(&mut self, local: Local) -> Control {
        Control(self.locals.number(local))
    }

    /// The start of a thread in an initial state; after the last thread, the end.
    pub fn start_of(&mut self, thread: usize, initial: u32) -> SymbolId {
        let height = |state: &State| state.threads.get(thread).map(|t| t.stack.0.len() as u32);
        let frame = match self.initial.get(initial as usize).and_then(height) {
            Some(height) => Frame::Rest { thread: thread as u32, initial, height },
            None => Frame::Done,
        };
        self.symbol(frame)
    }

    /// Where a run with a guess begins: its control state, and its stack from the top.
    pub fn start(&mut self, initial: u32, guess: &[SharedId]) -> (Control, SymbolId) {
        let first = self.initial[initial as usize].shared;
        let shared = std::iter::once(first).chain(guess.iter().copied()).collect();
        (self.control(Local { initial, round: 0, shared }), self.start_of(0, initial))
    }

    /// The rules at a head.
    pub fn rules(
        &mut self,
        control: Control,
        top: SymbolId,
        out: &mut Vec<(Control, Word)>,
    ) -> Result<(), Fault> {
        let frame = self.frames.get(top.0).clone();
        match frame {
            Frame::Done | Frame::Guess(_) => {}
            Frame::Rest { thread, height: 0, .. } => {
                let bottom = self.symbol(Frame::Bottom(thread));
                out.push((control, Word::Rewrite(bottom)));
            }
            Frame::Rest { thread, initial, height } => {
                let stack = &self.initial[initial as usize].threads[thread as usize].stack;
                let symbol = stack.0[height as usize - 1];
                let under = Frame::Rest { thread, initial, height: height - 1 };
                let word = self.push(Frame::Symbol(thread, symbol), under);
                out.push((control, word));
            }
            Frame::Over(thread, symbol) => {
                let word = self.push(Frame::Symbol(thread, symbol), Frame::Bottom(thread));
                out.push((control, word));
            }
            Frame::Symbol(thread, symbol) => {
                self.acts(control, thread, Some(symbol), out)?;
                self.switches(control, thread, top, out);
            }
            Frame::Bottom(thread) => {
                self.acts(control, thread, None, out)?;
                self.switches(control, thread, top, out);
            }
        }
        Ok(())
    }

    /// The first rules of the figure: what the thread does in its round.
    fn acts(
        &mut self,
        control: Control,
        thread: u32,
        top: Option<SymbolId>,
        out: &mut Vec<(Control, Word)>,
    ) -> Result<(), Fault> {
        let local = self.locals.get(control.0).clone();
        let round = local.round as usize;
        let head = (self.templates[thread as usize], local.shared[round], top);
        if self.heads.is_some_and(|heads| !heads.contains(&head)) {
            return Ok(());
        }
        let mut actions = std::mem::take(&mut self.actions);
        actions.clear();
        let listed = self.system.actions(head.0, head.1, head.2, &mut actions);
        for action in &actions {
            let mut next = local.clone();
            next.shared[round] = action.shared;
            let word = self.word(thread, top, action.word);
            out.push((self.control(next), word));
        }
        self.actions = actions;
        listed
    }

    /// The other rules: on to the next round, and after the last one to the next thread.
    fn switches(
        &mut self,
        control: Control,
        thread: u32,
        top: SymbolId,
        out: &mut Vec<(Control, Word)>,
    ) {
        let mut next = self.locals.get(control.0).clone();
        next.round += 1;
        let word = if (next.round as usize) < self.rounds {
            Word::Rewrite(top)
        } else {
            next.round = 0;
            Word::Push { top: self.start_of(thread as usize + 1, next.initial), under: top }
        };
        out.push((self.control(next), word));
    }

    /// A word of a thread, in the place of a top that is still there if it is the bottom.
    fn word(&mut self, thread: u32, top: Option<SymbolId>, word: Word) -> Word {
        let own = |symbol| Frame::Symbol(thread, symbol);
        let bottom = Frame::Bottom(thread);
        match (word, top) {
            (Word::Pop, Some(_)) => Word::Pop,
            (Word::Pop, None) => Word::Rewrite(self.symbol(bottom)),
            (Word::Rewrite(symbol), Some(_)) => Word::Rewrite(self.symbol(own(symbol))),
            (Word::Rewrite(symbol), None) => self.push(own(symbol), bottom),
            (Word::Push { top, under }, Some(_)) => self.push(own(top), own(under)),
            (Word::Push { top, under }, None) => self.push(own(top), Frame::Over(thread, under)),
        }
    }

    fn push(&mut self, top: Frame, under: Frame) -> Word {
        Word::Push { top: self.symbol(top), under: self.symbol(under) }
    }
}
