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

use rustc_hash::FxHashMap;
use selvedge_automata::LanguageId;
use selvedge_evidence::{
    AggregateCertificate, AggregateThread, CountedState, CutCertificate, CutThread, Evidence,
    Guess, Window,
};

use crate::explore::languages::Languages;
use crate::explore::stacks::Stacks;
use crate::explore::windows::{self, Windows};
use crate::explore::{Abstraction, Locals, Reached};

/// What an exploration of single states reached.
pub(crate) fn of_stacks(reached: &Reached<'_, Stacks>) -> Evidence {
    let stacks = reached.locals();
    let window = |local| {
        let symbols: Box<[_]> = stacks.get(local).iter().collect();
        Window { symbols, hidden: false }
    };
    cut(reached, window, |highest| highest + 1, Vec::new())
}

/// What an exploration with cut stacks reached.
pub(crate) fn of_windows(reached: &Reached<'_, Windows>) -> Evidence {
    let windows = reached.locals();
    let window = |local| window_of(windows, local);
    cut(reached, window, |_| windows.depth(), guesses_of(windows))
}

/// More states than this are not written down: coarse abstractions have very many behind them.
const MOST_BEHIND: usize = 1 << 22;

/// What is behind abstract states; `None` if that is too much.
pub(crate) fn of_abstraction(abstraction: &Abstraction<'_>) -> Option<Evidence> {
    let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut kinds = Vec::new();
    let windows = &abstraction.windows;
    let states = abstraction.expand(MOST_BEHIND)?.into_iter().map(|(shared, threads)| {
        let kind = |(class, window): (usize, u32)| {
            *numbers.entry((class as u32, window)).or_insert_with(|| {
                kinds.push(CutThread { class: class as u32, window: window_of(windows, window) });
                kinds.len() as u32 - 1
            })
        };
        CountedState::of_kinds(shared, threads.into_iter().enumerate().map(kind).collect())
    });
    let states: Vec<CountedState> = states.collect();
    Some(Evidence::Cut(CutCertificate {
        classes: (0..abstraction.system.threads().len() as u32).collect(),
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

/// What may lie below what.
fn guesses_of(windows: &Windows) -> Vec<Guess> {
    let mut guesses: Vec<Guess> = Vec::new();
    for (&(class, lowest), below) in windows.guesses() {
        // Certificates are for tight guesses: without the symbol above there is none.
        let guess = |&(below, more): &windows::Below| {
            lowest.map(|lowest| Guess { class, lowest, below, more })
        };
        guesses.extend(below.iter().filter_map(guess));
    }
    guesses.sort_unstable();
    guesses
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

/// What an exploration with sets of stacks reached.
pub(crate) fn of_languages(reached: &Reached<'_, Languages>) -> Evidence {
    let (states, entries) = states(reached);
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let mut languages = Vec::new();
    let mut kinds = Vec::with_capacity(entries.len());
    for (class, local) in entries {
        let language = *numbers.entry(local).or_insert_with(|| {
            languages.push(reached.locals().store().get(LanguageId(local)).clone());
            languages.len() as u32 - 1
        });
        kinds.push(AggregateThread { class, language });
    }
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
    let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut entries = Vec::new();
    let states = reached.states().map(|(shared, threads)| {
        let number = |(entry, count)| {
            let kind = *numbers.entry(entry).or_insert_with(|| {
                entries.push(entry);
                entries.len() as u32 - 1
            });
            (kind, count)
        };
        let mut threads: Vec<(u32, u32)> = threads.into_iter().map(number).collect();
        threads.sort_unstable();
        CountedState { shared, threads: threads.into() }
    });
    let states = states.collect();
    (states, entries)
}
