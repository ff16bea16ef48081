//! # Certificates of explorations
//! An exploration that has collapsed knows a set of states that no step leaves. This module writes
//! it down as a certificate, which [`selvedge_evidence::recheck`] decides about on its own.
//!
//! | locals | certificate |
//! | --- | --- |
//! | [`Stacks`] | [`CutCertificate`] with a window that holds every stack, so that nothing is hidden |
//! | [`Windows`] | [`CutCertificate`] with the depth and the guesses of the cut |
//! | [`Languages`] | [`AggregateCertificate`] |
//!
//! Abstract states that are closed are a [`CutCertificate`], too: of everything behind them.

use selvedge_automata::LanguageId;
use selvedge_evidence::{
    AggregateCertificate, AggregateThread, CountedState, CutCertificate, CutThread, Evidence,
    Guess, Window,
};
use selvedge_store::{Full, Interner};

use crate::explore::languages::Languages;
use crate::explore::stacks::Stacks;
use crate::explore::windows::{self, Windows};
use crate::explore::{Abstraction, Locals, Reached};

/// Makes a certificate of an exploration with single states.
pub(crate) fn of_stacks(reached: &Reached<'_, Stacks>) -> Evidence {
    let stacks = reached.locals();
    let window = |local| {
        let symbols: Box<[_]> = stacks.get(local).iter().collect();
        Window { symbols, hidden: false }
    };
    cut(reached, window, |highest| highest + 1, Vec::new())
}

/// Makes a certificate of an exploration with cut stacks.
pub(crate) fn of_windows(reached: &Reached<'_, Windows>) -> Evidence {
    let windows = reached.locals();
    let window = |local| window_of(windows, local);
    cut(reached, window, |_| windows.depth(), guesses_of(windows))
}

/// More states than this are not written down: coarse abstractions have very many behind them.
const MOST_BEHIND: usize = 1 << 22;

/// Makes a certificate of the states behind abstract ones; `None` if there are too many.
pub(crate) fn of_abstraction(abstraction: &Abstraction<'_>) -> Option<Evidence> {
    let mut numbers: Interner<(u32, u32)> = Interner::of("local states");
    let windows = &abstraction.windows;
    let states = abstraction.expand(MOST_BEHIND)?.into_iter().map(|(shared, threads)| {
        let kinds: Result<Vec<u32>, Full> =
            (0..).zip(threads).map(|thread| numbers.intern(thread)).collect();
        Some(CountedState::of_kinds(shared, kinds.ok()?))
    });
    let states: Vec<CountedState> = states.collect::<Option<_>>()?;
    let kinds = numbers.things().iter();
    let kinds =
        kinds.map(|&(class, window)| CutThread { class, window: window_of(windows, window) });
    let kinds = kinds.collect();
    Some(Evidence::Cut(CutCertificate {
        classes: (0..).zip(abstraction.system.threads()).map(|(class, _)| class).collect(),
        started: Vec::new(),
        depth: windows.depth(),
        guesses: guesses_of(windows),
        measures: Vec::new(),
        kinds,
        states,
    }))
}

fn window_of(windows: &Windows, local: u32) -> Window {
    let windows::Window { symbols, hidden } = windows.get(local).clone();
    Window { symbols, hidden }
}

/// Collects, in order, the guesses about which symbols lie below a window.
fn guesses_of(windows: &Windows) -> Vec<Guess> {
    let mut guesses: Vec<Guess> = Vec::new();
    for (above, below) in windows.guesses() {
        // Certificates are for tight guesses: the checker refuses those without a symbol above.
        let guess = |&below: &windows::Below| guess_of(above, below);
        guesses.extend(below.iter().map(guess));
    }
    guesses.sort_unstable();
    guesses
}

/// Writes a guess about the symbol below others as certificates write it.
pub(crate) fn guess_of(above: &windows::Above, (below, more): windows::Below) -> Guess {
    Guess { class: above.class, above: above.symbols.clone(), below, more }
}

fn cut<L: Locals>(
    reached: &Reached<'_, L>,
    window: impl Fn(u32) -> Window,
    depth: impl Fn(usize) -> usize,
    guesses: Vec<Guess>,
) -> Evidence {
    let (states, entries) = states(reached);
    let kind = |&(class, local): &(u32, u32)| CutThread { class, window: window(local) };
    let kinds: Vec<CutThread> = entries.iter().map(kind).collect();
    let highest = kinds.iter().map(|kind| kind.window.symbols.len()).max().unwrap_or(0);
    Evidence::Cut(CutCertificate {
        classes: reached.classes().of_threads().to_vec(),
        started: reached.classes().started().to_vec(),
        depth: depth(highest),
        guesses,
        kinds,
        states,
        measures: Vec::new(),
    })
}

/// Makes a certificate of an exploration with sets of stacks.
pub(crate) fn of_languages(reached: &Reached<'_, Languages>) -> Evidence {
    let (states, entries) = states(reached);
    let mut locals: Interner<u32> = Interner::of("sets of stacks");
    let mut kinds = Vec::with_capacity(entries.len());
    for (class, local) in entries {
        let language = locals.intern(local).unwrap_or(NONE);
        kinds.push(AggregateThread { class, language });
    }
    let language = |&local: &u32| reached.locals().store().get(LanguageId(local)).clone();
    let languages = locals.things().iter().map(language).collect();
    Evidence::Aggregate(AggregateCertificate {
        classes: reached.classes().of_threads().to_vec(),
        started: reached.classes().started().to_vec(),
        languages,
        kinds,
        states,
    })
}

/// The states of an exploration, and the class and local of each kind of thread in them.
pub(crate) fn states<L: Locals>(reached: &Reached<'_, L>) -> (Vec<CountedState>, Vec<(u32, u32)>) {
    let mut entries: Interner<(u32, u32)> = Interner::of("different threads");
    let states = reached.states().map(|(shared, threads)| {
        let number = |(entry, count)| (entries.intern(entry).unwrap_or(NONE), count);
        let mut threads: Vec<(u32, u32)> = threads.into_iter().map(number).collect();
        threads.sort_unstable();
        CountedState { shared, threads: threads.into() }
    });
    let states = states.collect();
    (states, entries.things().to_vec())
}

/// What has no number would be this. All that is written here had a number in the exploration, so
/// nothing is; a certificate that had it would be refused.
const NONE: u32 = u32::MAX;
