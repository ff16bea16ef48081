//! # Certificates with cut stacks
//!
//! **Claim.** If [`check`] accepts, every reachable state is *covered*, and no covered state breaks
//! a property. A state ⟨q | w₁ … wₙ⟩ is covered if
//!
//! 1. q, with the numbers of threads of each class and window, is a state of the certificate; the
//!    window of a stack is its topmost `depth` symbols, with a bit: is there more below? Threads that
//!    are forgotten ([`is_forgotten`]) may be left out;
//! 2. for each thread, from the `depth`-th symbol of its stack downwards, every symbol with as many of those
//!    above it that they are `depth` − 1 together, or with none if `depth` is 1, and with the
//!    one below it (and the bit: is there more below that?) is a guess for its class;
//! 3. for each measure, the sum of the heights of all stacks, each times the weight of its class, is
//!    not less than what the measure says of that state of the certificate.
//!
//! **Proof.** The initial states are covered (*initial*), and the system has no others: of no thread
//! any number is there from the start (`form`). Let a thread of a covered state act. If
//! nothing is hidden below its window, the whole stack is known, and so is the stack after. If
//! something is hidden,
//!
//! - a *pop* lets the symbol below the window come up: by (2) it is one of the guesses for the
//!   symbols of the window below its top (for the top, if there is no other), and all of them are tried. What is guessed further below is the same;
//! - a *rewrite* or a *push* leaves what is hidden as it is. If the window has only one symbol,
//!   another symbol now lies on it, and has to have all guesses of the one that lay there before. If it has more, no guess is about
//!   its top. What a push moves out of the window joins the hidden part, and has to be a guess.
//!
//! In each case the window after is found, and (1) holds again because the certificate has the
//! state with that window, and with a thread that was started, if one was (*closed*).
//! (3) holds because the least value of each measure in that state is not greater than the one
//! before with the change of heights that the step makes. A state may be missing where that value is
//! greater than any that stacks with these windows can have (`heights`): there is no such step.
//! A thread that is left out has no step, and no property can ask for it; one that has just ended may be
//! left out from then on.
//! The tops are part of the windows, so a covered state that breaks a property shows in the
//! certificate (*harmless*). Where a property names a whole stack, the window and what lies below it,
//! symbol by symbol a guess by (2), say whether a covered state may have it.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::{
    Action, Property, SharedId, StackPattern, State, SymbolId, System, TemplateId, Thread, Word,
    is_forgotten,
};

use super::form::{Classes, form, show_shared, show_symbols, show_window};
use super::harmless::Harmless;
use super::heights::{Height, Heights};
use super::{Checked, Flaw, Refusal, waiting};
use crate::watch::Watch;
use crate::{CountedState, CutCertificate, CutThread, LeftOut, Window};

pub(super) fn check(
    system: &dyn System,
    properties: &[Property],
    certificate: &CutCertificate,
    watch: &Watch<'_>,
) -> Result<Checked, Refusal> {
    watch.spend(certificate.kinds.len() + certificate.states.len())?;
    let checker = Checker::new(system, certificate)?;
    for state in system.initial()? {
        watch.spend(state.threads.len())?;
        checker.check_initial(&state)?;
    }
    checker.check_closed(watch, |_, _| true, |_, _| {})?;
    checker.check_harmless(properties, watch)?;
    let hides = certificate.kinds.iter().any(|kind| kind.window.hidden);
    Ok(Checked::Cut {
        states: certificate.states.len(),
        depth: hides.then_some(certificate.depth),
        guesses: certificate.guesses.len(),
        measures: certificate.measures.len(),
    })
}

/// Checks a proof with whole stacks in which some threads wait: no step of the others leaves the set, and from every state a way leads to one at which nobody waits.
pub(super) fn check_waiting(
    system: &dyn System,
    properties: &[Property],
    certificate: &CutCertificate,
    left_out: &[LeftOut],
    watch: &Watch<'_>,
) -> Result<(Checked, Vec<TemplateId>), Refusal> {
    watch.spend(certificate.kinds.len() + certificate.states.len())?;
    let checker = Checker::new(system, certificate)?;
    if certificate.kinds.iter().any(|kind| kind.window.hidden) || !certificate.measures.is_empty() {
        return Err(form("threads wait, and parts of stacks are hidden"));
    }
    let mut ways = waiting::Ways::new(&certificate.states, left_out)?;
    for state in system.initial()? {
        watch.spend(state.threads.len())?;
        checker.check_initial(&state)?;
    }
    let acts = |state: usize, kind: u32| !waiting::waits(left_out, state, kind);
    checker.check_closed(watch, acts, |from, to| ways.add(from, to))?;
    checker.check_harmless(properties, watch)?;
    ways.check(watch)?;
    let checked =
        Checked::Cut { states: certificate.states.len(), depth: None, guesses: 0, measures: 0 };
    Ok((checked, checker.classes.templates))
}

impl CutCertificate {
    /// The first of these states of the system that the certificate does not cover; see [`crate::recheck`].
    pub fn missing<'s>(
        &self,
        system: &dyn System,
        states: impl IntoIterator<Item = &'s State>,
    ) -> Result<Option<&'s State>, Refusal> {
        let checker = Checker::new(system, self)?;
        Ok(states.into_iter().find(|state| checker.check_initial(state).is_err()))
    }
}

/// The number of symbols that a guess names above the symbol below.
fn told(depth: usize) -> usize {
    depth.saturating_sub(1).max(1)
}

struct Checker<'a> {
    system: &'a dyn System,
    certificate: &'a CutCertificate,
    classes: Classes<'a>,
    /// The number of each kind.
    kinds: FxHashMap<&'a CutThread, u32>,
    /// The number of each state.
    states: FxHashMap<&'a CountedState, usize>,
    heights: Heights<'a>,
    /// For each class and the symbols above: what may lie below.
    below: FxHashMap<(u32, &'a [SymbolId]), FxHashSet<Below>>,
}

/// A symbol that may lie below what is in sight, and whether there is more below it.
type Below = (SymbolId, bool);

/// A step of a thread of some kind.
struct Successor {
    shared: SharedId,
    /// The thread after the step, with the number of its kind if the certificate has it.
    after: KnownThread,
    /// By how much its stack has grown.
    growth: i64,
    /// A thread that is started, with the height of its stack.
    started: Option<(KnownThread, i64)>,
}

/// A thread, with the number of its kind if the certificate has that kind.
type KnownThread = (CutThread, Option<u32>);

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
            let id = u32::try_from(number).map_err(|_| form("there are too many kinds"))?;
            if kinds.insert(kind, id).is_some() {
                return Err(form(format!("kind {number} is there twice")));
            }
        }
        let of_kinds: Vec<u32> = certificate.kinds.iter().map(|kind| kind.class).collect();
        let states = classes.check_states(&of_kinds, &certificate.states)?;
        let mut below: FxHashMap<_, FxHashSet<_>> = FxHashMap::default();
        for (number, guess) in certificate.guesses.iter().enumerate() {
            let (told, above) = (told(depth), guess.above.len());
            if above != told {
                return Err(form(format!("guess {number} is about {above} symbols, not {told}")));
            }
            let known = below.entry((guess.class, &*guess.above)).or_default();
            known.insert((guess.below, guess.more));
        }
        let heights = Heights::new(certificate, classes.templates.len())?;
        Ok(Checker { system, certificate, classes, kinds, states, heights, below })
    }

    /// An initial state (or any other) is covered.
    fn check_initial(&self, state: &State) -> Result<(), Refusal> {
        let mut kinds = Vec::with_capacity(state.threads.len());
        let there = state.thread_ids().filter(|&t| !is_forgotten(self.system, state, t));
        let threads: Vec<&Thread> = there.map(|t| &state.threads[t.index()]).collect();
        for (number, thread) in threads.iter().enumerate() {
            let class = self.classes.of(number, thread.template)?;
            let symbols: Vec<SymbolId> = thread.stack.iter().collect();
            let window = self.cut(class, &symbols, false)?;
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
        let found = self.states.get(&CountedState::of_kinds(state.shared, kinds.clone()));
        if let Some(&number) = found {
            let height = |(thread, &kind): (&&Thread, &u32)| {
                let class = self.certificate.kinds[kind as usize].class;
                (class, thread.stack.0.len() as i64)
            };
            let heights: Vec<Height> = threads.iter().zip(&kinds).map(height).collect();
            return match self.heights.allow(number, &heights) {
                true => Ok(()),
                false => {
                    let message = format!(
                        "an initial state is state {number}, but its stacks have heights that a \
                         measure excludes"
                    );
                    Err(Refusal::new(Flaw::Initial, message))
                }
            };
        }
        let shared = show_shared(self.system, state.shared);
        let message =
            format!("an initial state at {shared} is missing: threads of kinds {kinds:?}");
        Err(Refusal::new(Flaw::Initial, message))
    }

    /// No step of a thread that acts leads from a covered state to one that is not covered. Tells every step from state to state.
    fn check_closed(
        &self,
        watch: &Watch<'_>,
        acts: impl Fn(usize, u32) -> bool,
        mut tell: impl FnMut(usize, usize),
    ) -> Result<(), Refusal> {
        let mut known: FxHashMap<(SharedId, u32), Vec<Successor>> = FxHashMap::default();
        for (number, state) in self.certificate.states.iter().enumerate() {
            for &(kind, _) in state.threads.iter().filter(|(kind, _)| acts(number, *kind)) {
                let successors = match known.entry((state.shared, kind)) {
                    Entry::Occupied(found) => found.into_mut(),
                    Entry::Vacant(vacant) => {
                        let found = self.successors(state.shared, kind);
                        vacant.insert(found.map_err(|refusal| refusal.at(number))?)
                    }
                };
                watch.spend(successors.len())?;
                for successor in &*successors {
                    let found = self.check_step(number, kind, successor);
                    let found = found.map_err(|refusal| refusal.at(number))?;
                    found.into_iter().for_each(|next| tell(number, next));
                }
            }
        }
        Ok(())
    }

    /// What a thread of a kind can do leads from a state to one of the set, or is excluded by the
    /// heights of stacks. Says which states those are.
    fn check_step(
        &self,
        number: usize,
        kind: u32,
        step: &Successor,
    ) -> Result<Vec<usize>, Refusal> {
        let state = &self.certificate.states[number];
        let Successor { shared, after: (after, to), growth, started } = step;
        let forgotten = self.classes.forgets(self.system, after.class)
            && after.window.symbols.is_empty()
            && !after.window.hidden;
        let mut nexts: Vec<CountedState> = Vec::new();
        nexts.extend(to.map(|to| state.after(*shared, kind, to)));
        nexts.extend(forgotten.then(|| state.without(*shared, kind)));
        let mut growths: Vec<Height> = vec![(after.class, *growth)];
        if let Some(((thread, kind), height)) = started {
            let with = |next: &CountedState| kind.map(|kind| next.with(kind));
            nexts = nexts.iter().filter_map(with).collect();
            growths.push((thread.class, *height));
        }
        let there = |next: &CountedState| self.states.get(next).copied();
        let found: Vec<usize> = nexts.iter().filter_map(there).collect();
        if found.iter().any(|&next| self.heights.carry_over(number, next, &growths)) {
            return Ok(found);
        }
        let started_thread = started.as_ref().map(|((thread, _), _)| thread);
        let others = state
            .threads
            .iter()
            .map(|&(k, count)| (&self.certificate.kinds[k as usize], count - u32::from(k == kind)));
        let threads: Vec<_> =
            others.chain([after].into_iter().chain(started_thread).map(|t| (t, 1))).collect();
        if self.heights.exclude(number, &growths, &threads) {
            return Ok(Vec::new());
        }
        let at = show_shared(self.system, *shared);
        let message = match (found.first(), to) {
            (Some(next), _) => format!(
                "a thread of kind {kind} can go to {at}, which is state {next}, with heights of \
                 stacks that a measure excludes there"
            ),
            (None, Some(to)) => format!(
                "a thread of kind {kind} can go to kind {to} at {at}, and that state is not in the \
                 set"
            ),
            (None, None) => format!(
                "a thread of class {} can be at {} at {at}, and no state of the set has such a \
                 thread",
                after.class,
                show_window(self.system, &after.window)
            ),
        };
        Err(Refusal::new(Flaw::NotClosed, message))
    }

    /// No covered state breaks a property.
    fn check_harmless(&self, properties: &[Property], watch: &Watch<'_>) -> Result<(), Refusal> {
        let top = |window: &Window| vec![window.symbols.first().copied()];
        let kinds = self.certificate.kinds.iter();
        let kinds: Vec<_> = kinds.map(|kind| (kind.class, top(&kind.window))).collect();
        let may_have = |kind, pattern: &StackPattern| self.may_have(kind, pattern);
        Harmless::new(self.system, properties, &self.classes, &may_have).check_all(
            &self.certificate.states,
            &kinds,
            watch,
        )
    }

    /// Whether a covered state may have a thread of this kind with a stack of this pattern. What is
    /// hidden is, symbol by symbol, among the guesses.
    fn may_have(&self, kind: u32, pattern: &StackPattern) -> bool {
        let CutThread { class, window } = &self.certificate.kinds[kind as usize];
        let whole = match pattern {
            StackPattern::Top(top) => return top.matches(window.symbols.first().copied()),
            StackPattern::Whole(whole) => whole,
        };
        let kept = window.symbols.len();
        if !window.hidden {
            return window.symbols == *whole;
        }
        let is_guess = |at: usize| {
            let below = (whole[at], at + 1 < whole.len());
            self.guesses(*class, &whole[..at]).any(|found| found == below)
        };
        whole.len() > kept
            && window.symbols[..] == whole[..kept]
            && (kept..whole.len()).all(is_guess)
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
                    let window = self.cut(class, &symbols, false)?;
                    Some((self.known(class, window), symbols.len() as i64))
                }
                None => None,
            };
            for window in self.after(*class, window, word)? {
                let after = self.known(*class, window);
                let growth = word.symbols().count() as i64 - i64::from(top.is_some());
                successors.push(Successor { shared, after, growth, started: started.clone() });
            }
        }
        Ok(successors)
    }

    fn known(&self, class: u32, window: Window) -> KnownThread {
        let thread = CutThread { class, window };
        let kind = self.kinds.get(&thread).copied();
        (thread, kind)
    }

    /// The windows that a stack may have whose top was replaced by a word.
    fn after(&self, class: u32, window: &Window, word: Word) -> Result<Vec<Window>, Refusal> {
        let kept = window.symbols.iter().copied().skip(1);
        let mut symbols: Vec<SymbolId> = word.symbols().chain(kept).collect();
        if !window.hidden {
            // The whole stack is known.
            return Ok(vec![self.cut(class, &symbols, false)?]);
        }
        if word == Word::Pop {
            let mut windows = Vec::new();
            for (symbol, more) in self.guesses(class, &window.symbols) {
                symbols.push(symbol);
                windows.push(self.cut(class, &symbols, more)?);
                symbols.pop();
            }
            return Ok(windows);
        }
        // What lay below the window lies below what is above it now: another symbol, if there is only one.
        for below in self.guesses(class, &window.symbols) {
            self.require_guess(class, &symbols, below)?;
        }
        Ok(vec![self.cut(class, &symbols, true)?])
    }

    /// The window of a stack that begins with these symbols, top first. What is below the window
    /// has to be among the guesses.
    fn cut(&self, class: u32, symbols: &[SymbolId], hidden: bool) -> Result<Window, Refusal> {
        let depth = self.certificate.depth;
        for at in depth..symbols.len() {
            let more = hidden || at + 1 < symbols.len();
            self.require_guess(class, &symbols[..at], (symbols[at], more))?;
        }
        let kept = symbols.len().min(depth);
        Ok(Window { symbols: symbols[..kept].into(), hidden: hidden || kept < symbols.len() })
    }

    /// What may lie below the lowest of these symbols of a stack, with whether there is more. There are at least as many as a guess names.
    fn guesses<'b>(
        &'b self,
        class: u32,
        above: &'b [SymbolId],
    ) -> impl Iterator<Item = Below> + use<'a, 'b> {
        let above = &above[above.len().saturating_sub(told(self.certificate.depth))..];
        self.below.get(&(class, above)).into_iter().flatten().copied()
    }

    fn require_guess(
        &self,
        class: u32,
        above: &[SymbolId],
        (below, more): Below,
    ) -> Result<(), Refusal> {
        if self.guesses(class, above).any(|found| found == (below, more)) {
            return Ok(());
        }
        let above = above[above.len().saturating_sub(told(self.certificate.depth))..].iter();
        let pair = show_symbols(self.system, above.copied().chain([below]));
        let tail = if more { "with more below" } else { "with nothing below" };
        let name = self.system.describe().template_name(self.classes.templates[class as usize]);
        let message = format!("a stack of {name} can have {pair} ({tail}), which is no guess");
        Err(Refusal::new(Flaw::Guesses, message))
    }
}
