//! # Certificates with cut stacks
//!
//! **Claim.** If [`check`] accepts, every reachable state is *covered*, and no covered state breaks
//! a property. A state ⟨q | w₁ … wₙ⟩ is covered if
//!
//! 1. q, with the numbers of threads of each class and window, is a state of the certificate; the
//!    window of a stack is its topmost `depth` symbols, with a bit: is there more below?
//! 2. for each thread, from the `depth`-th symbol of its stack downwards, every symbol with the
//!    one below it (and the bit: is there more below that?) is a guess for its template.
//!
//! **Proof.** The initial states are covered (*initial*). Let a thread of a covered state act. If
//! nothing is hidden below its window, the whole stack is known, and so is the stack after. If
//! something is hidden,
//!
//! - a *pop* lets the symbol below the window come up: by (2) it is one of the guesses for the
//!   lowest symbol of the window, and all of them are tried. The pairs further below are the same;
//! - a *rewrite* or a *push* leaves what is hidden as it is. If the window has only one symbol,
//!   another symbol now lies on it, and has to have all guesses of the one that lay there before.
//!   What a push moves out of the window joins the hidden part, and has to be a guess.
//!
//! In each case the window after is found, and (1) holds again because the certificate has the
//! state with that window, and with a thread that was started, if one was (*closed*). The tops are part of the windows, so a covered state that
//! breaks a property shows in the certificate (*harmless*).

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::{Action, Property, SharedId, State, SymbolId, System, TemplateId, Word};

use super::form::{Classes, form, index, show_shared, show_symbols, show_window};
use super::harmless::Harmless;
use super::{Checked, Flaw, Refusal};
use crate::{CountedState, CutCertificate, CutThread, Guess, Window};

pub(super) fn check(
    system: &dyn System,
    properties: &[Property],
    certificate: &CutCertificate,
) -> Result<Checked, Refusal> {
    let checker = Checker::new(system, certificate)?;
    for state in system.initial()? {
        checker.check_initial(&state)?;
    }
    checker.check_closed()?;
    checker.check_harmless(properties)?;
    let hides = certificate.kinds.iter().any(|kind| kind.window.hidden);
    Ok(Checked::Cut {
        states: certificate.states.len(),
        depth: hides.then_some(certificate.depth),
        guesses: certificate.guesses.len(),
    })
}

impl CutCertificate {
    /// Whether the certificate covers a state of the system; see [`crate::recheck`].
    pub fn covers(&self, system: &dyn System, state: &State) -> Result<bool, Refusal> {
        Ok(Checker::new(system, self)?.check_initial(state).is_ok())
    }
}

struct Checker<'a> {
    system: &'a dyn System,
    certificate: &'a CutCertificate,
    classes: Classes<'a>,
    /// The number of each kind.
    kinds: FxHashMap<&'a CutThread, u32>,
    states: FxHashSet<&'a CountedState>,
    /// For each template and symbol: what may lie below, and whether there is more.
    below: FxHashMap<(TemplateId, SymbolId), FxHashSet<(SymbolId, bool)>>,
}

/// What a thread can do in one step.
struct Successor {
    shared: SharedId,
    /// Its kind afterwards.
    kind: u32,
    /// The kind of a thread that is started.
    started: Option<u32>,
}

impl<'a> Checker<'a> {
    /// Reads the certificate; refuses what has not the form of one.
    fn new(system: &'a dyn System, certificate: &'a CutCertificate) -> Result<Self, Refusal> {
        let classes = Classes::new(system, &certificate.classes, &certificate.started)?;
        let depth = certificate.depth;
        if depth == 0 {
            return Err(form("it keeps no symbol of the stacks; at least 1 is needed"));
        }
        let mut kinds = FxHashMap::default();
        for (number, kind) in certificate.kinds.iter().enumerate() {
            let kept = kind.window.symbols.len();
            if kept > depth || (kind.window.hidden && kept < depth) {
                return Err(form(format!("kind {number}: {kept} symbols of {depth} are kept")));
            }
            if kinds.insert(kind, number as u32).is_some() {
                return Err(form(format!("kind {number} is there twice")));
            }
        }
        let of_kinds: Vec<u32> = certificate.kinds.iter().map(|kind| kind.class).collect();
        classes.check_states(&of_kinds, &certificate.states)?;
        let mut below: FxHashMap<_, FxHashSet<_>> = FxHashMap::default();
        for &Guess { template, lowest, below: symbol, more } in &certificate.guesses {
            below.entry((template, lowest)).or_default().insert((symbol, more));
        }
        let states = index(&certificate.states);
        Ok(Checker { system, certificate, classes, kinds, states, below })
    }

    /// An initial state (or any other) is covered.
    fn check_initial(&self, state: &State) -> Result<(), Refusal> {
        let mut kinds = Vec::with_capacity(state.threads.len());
        for (number, thread) in state.threads.iter().enumerate() {
            let class = self.classes.of(number, thread.template)?;
            let symbols: Vec<SymbolId> = thread.stack.iter().collect();
            let window = self.cut(thread.template, &symbols, false)?;
            let shown = show_window(self.system, &window);
            let Some(&kind) = self.kinds.get(&CutThread { class, window }) else {
                let message = format!(
                    "initially a thread of class {class} is at {shown}, a kind \
                                       that is not in the certificate"
                );
                return Err(Refusal::new(Flaw::Initial, message));
            };
            kinds.push(kind);
        }
        if self.states.contains(&CountedState::of_kinds(state.shared, kinds.clone())) {
            return Ok(());
        }
        let shared = show_shared(self.system, state.shared);
        let message =
            format!("an initial state at {shared} is missing: threads of kinds {kinds:?}");
        Err(Refusal::new(Flaw::Initial, message))
    }

    /// No step leads from a covered state to one that is not covered.
    fn check_closed(&self) -> Result<(), Refusal> {
        let mut known: FxHashMap<(SharedId, u32), Vec<Successor>> = FxHashMap::default();
        for (number, state) in self.certificate.states.iter().enumerate() {
            for &(kind, _) in &state.threads {
                let successors = match known.entry((state.shared, kind)) {
                    Entry::Occupied(found) => found.into_mut(),
                    Entry::Vacant(vacant) => {
                        let found = self.successors(state.shared, kind);
                        vacant.insert(found.map_err(|refusal| refusal.at(number))?)
                    }
                };
                for &Successor { shared, kind: after, started } in &*successors {
                    let mut next = state.after(shared, kind, after);
                    if let Some(started) = started {
                        next = next.with(started);
                    }
                    if !self.states.contains(&next) {
                        let shared = show_shared(self.system, shared);
                        let message = format!(
                            "a thread of kind {kind} can go to kind {after} at {shared}, and that \
                             state is not in the set"
                        );
                        return Err(Refusal::new(Flaw::NotClosed, message).at(number));
                    }
                }
            }
        }
        Ok(())
    }

    /// No covered state breaks a property.
    fn check_harmless(&self, properties: &[Property]) -> Result<(), Refusal> {
        let top = |window: &Window| vec![window.symbols.first().copied()];
        let kinds = self.certificate.kinds.iter();
        let kinds: Vec<_> = kinds.map(|kind| (kind.class, top(&kind.window))).collect();
        Harmless::new(self.system, properties, &self.classes)
            .check_all(&self.certificate.states, &kinds)
    }

    /// Everything that a thread of a kind can do in one step.
    fn successors(&self, shared: SharedId, kind: u32) -> Result<Vec<Successor>, Refusal> {
        let CutThread { class, window } = &self.certificate.kinds[kind as usize];
        let template = self.classes.templates[*class as usize];
        let mut actions = Vec::new();
        let top = window.symbols.first().copied();
        self.system.actions(template, shared, top, &mut actions)?;
        let mut successors = Vec::new();
        for Action { shared, word, spawn, .. } in actions {
            let started = match spawn {
                Some(spawn) => {
                    let class = self.classes.of_started(spawn.template)?;
                    let symbols: Vec<SymbolId> = spawn.stack.symbols().collect();
                    Some(self.kind(class, self.cut(spawn.template, &symbols, false)?, shared)?)
                }
                None => None,
            };
            for window in self.after(template, window, word)? {
                let kind = self.kind(*class, window, shared)?;
                successors.push(Successor { shared, kind, started });
            }
        }
        Ok(successors)
    }

    /// The kind of a thread after a step that leads to a shared state.
    fn kind(&self, class: u32, window: Window, shared: SharedId) -> Result<u32, Refusal> {
        let thread = CutThread { class, window };
        self.kinds.get(&thread).copied().ok_or_else(|| {
            let shared = show_shared(self.system, shared);
            let shown = show_window(self.system, &thread.window);
            let message = format!(
                "a thread of class {class} can be at {shown} at {shared}, and no state of the set \
                 has such a thread"
            );
            Refusal::new(Flaw::NotClosed, message)
        })
    }

    /// The windows that a stack may have whose top was replaced by a word.
    fn after(
        &self,
        template: TemplateId,
        window: &Window,
        word: Word,
    ) -> Result<Vec<Window>, Refusal> {
        let kept = window.symbols.iter().copied().skip(1);
        let mut symbols: Vec<SymbolId> = word.symbols().chain(kept).collect();
        let lowest = match window.symbols.last() {
            Some(&lowest) if window.hidden => lowest,
            // The whole stack is known.
            _ => return Ok(vec![self.cut(template, &symbols, false)?]),
        };
        if word == Word::Pop {
            let mut windows = Vec::new();
            for (symbol, more) in self.guesses(template, lowest) {
                symbols.push(symbol);
                windows.push(self.cut(template, &symbols, more)?);
                symbols.pop();
            }
            return Ok(windows);
        }
        // What lay below the lowest symbol lies below the one that is the lowest now.
        for (symbol, more) in self.guesses(template, lowest) {
            let now = symbols.last().copied().unwrap_or(lowest);
            self.require_guess(Guess { template, lowest: now, below: symbol, more })?;
        }
        Ok(vec![self.cut(template, &symbols, true)?])
    }

    /// The window of a stack that begins with these symbols, top first. What is below the window
    /// has to be among the guesses.
    fn cut(
        &self,
        template: TemplateId,
        symbols: &[SymbolId],
        hidden: bool,
    ) -> Result<Window, Refusal> {
        let depth = self.certificate.depth;
        for at in depth..symbols.len() {
            let more = hidden || at + 1 < symbols.len();
            let (lowest, below) = (symbols[at - 1], symbols[at]);
            self.require_guess(Guess { template, lowest, below, more })?;
        }
        let kept = symbols.len().min(depth);
        Ok(Window { symbols: symbols[..kept].into(), hidden: hidden || kept < symbols.len() })
    }

    fn guesses(
        &self,
        template: TemplateId,
        lowest: SymbolId,
    ) -> impl Iterator<Item = (SymbolId, bool)> {
        self.below.get(&(template, lowest)).into_iter().flatten().copied()
    }

    fn require_guess(&self, guess: Guess) -> Result<(), Refusal> {
        let Guess { template, lowest, below, more } = guess;
        if self.guesses(template, lowest).any(|found| found == (below, more)) {
            return Ok(());
        }
        let pair = show_symbols(self.system, [lowest, below]);
        let tail = if more { "with more below" } else { "with nothing below" };
        let name = self.system.template_name(template);
        let message = format!("a stack of {name} can have {pair} ({tail}), which is no guess");
        Err(Refusal::new(Flaw::Guesses, message))
    }
}
