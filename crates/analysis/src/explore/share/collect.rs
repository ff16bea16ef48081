//! # All shares together
//! What a proof rests on is the closed set of all states. One worker asks for it, and writes it down in an order that follows from what states are: it is the same
//! however they were divided.

use std::ops::Range;

use selvedge_evidence::{CountedState, CutCertificate, CutThread, Evidence, Window};
use selvedge_model::{SharedId, SymbolId};

use super::super::space::Entry;
use super::{Share, Task};
use crate::Stop;

/// States that came from all workers: the shared state, and how many threads there are of which class and local.
#[derive(Default)]
pub struct Collected {
    states: Vec<(u32, Vec<(Entry, u32)>)>,
}

impl Share<'_> {
    /// Begins to send all states to a worker.
    pub fn hand_over(&mut self, to: usize) {
        if to == self.index {
            self.collected = Some(Collected::default());
        }
        self.task = Task::Send { to, states: 0..self.reached.states.end() };
    }

    pub(super) fn send(
        &mut self,
        to: usize,
        states: Range<u32>,
        portion: usize,
    ) -> Result<Range<u32>, Stop> {
        let end = states.end.min(states.start.saturating_add(portion as u32));
        let mut word = Vec::new();
        for number in states.start..end {
            self.reached.states.read(number, &mut word);
            if to == self.index {
                self.keep(&word);
            } else {
                self.tell_word(to, &word, super::GONE);
            }
        }
        Ok(end..states.end)
    }

    fn keep(&mut self, word: &[u32]) {
        let state = (word[0], self.reached.space.kinds(word));
        if let Some(collected) = &mut self.collected {
            collected.states.push(state);
        }
    }

    pub(super) fn receive_collected(&mut self, from: usize, mut items: &[u8]) -> Result<(), Stop> {
        let rest = &mut items;
        let mut word = Vec::new();
        while !rest.is_empty() {
            self.hear_word(from, rest, &mut word)?;
            self.keep(&word);
        }
        Ok(())
    }

    /// All states, as a certificate. It holds if the exploration has collapsed.
    pub fn certificate(&mut self) -> Evidence {
        let Collected { states } = self.collected.take().unwrap_or_default();
        self.task = Task::Explore;
        let space = &self.reached.space;
        let keys = space.system.keys();
        let symbols = |local: u32| -> Vec<SymbolId> { space.locals.get(local).iter().collect() };
        // Classes of started threads are numbered as they are met: here by their templates.
        let mut started = space.classes.started().to_vec();
        started.sort_unstable();
        let own = space.classes.of_threads().iter().max().map_or(0, |&class| class + 1);
        let class_of = |class: u32| match space.classes.is_started(class) {
            true => {
                let template = space.classes.template(class);
                let place = started.iter().position(|&known| known == template).unwrap_or(0);
                own + place as u32
            }
            false => class,
        };
        let mut entries: Vec<Entry> =
            states.iter().flat_map(|(_, kinds)| kinds.iter().map(|(entry, _)| *entry)).collect();
        entries.sort_unstable();
        entries.dedup();
        entries.sort_by_cached_key(|&(class, local)| {
            let stack = symbols(local).into_iter().map(|symbol| keys.symbol_key(symbol));
            (class_of(class), stack.collect::<Vec<_>>())
        });
        let mut places: Vec<(Entry, u32)> = entries.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let kind = |entry: Entry| {
            places.binary_search_by_key(&entry, |place| place.0).map_or(u32::MAX, |at| places[at].1)
        };
        let mut counted: Vec<CountedState> = states
            .into_iter()
            .map(|(shared, kinds)| {
                let mut threads: Vec<(u32, u32)> =
                    kinds.into_iter().map(|(entry, count)| (kind(entry), count)).collect();
                threads.sort_unstable();
                CountedState { shared: SharedId(shared), threads: threads.into() }
            })
            .collect();
        let mut shared: Vec<SharedId> = counted.iter().map(|state| state.shared).collect();
        shared.sort_unstable();
        shared.dedup();
        shared.sort_by_cached_key(|&shared| keys.shared_key(shared));
        let mut order: Vec<(SharedId, u32)> = shared.into_iter().zip(0..).collect();
        order.sort_unstable();
        let place = |shared: SharedId| {
            order.binary_search_by_key(&shared, |known| known.0).map_or(u32::MAX, |at| order[at].1)
        };
        counted.sort_by(|a, b| (place(a.shared), &a.threads).cmp(&(place(b.shared), &b.threads)));
        let kinds: Vec<CutThread> = entries
            .iter()
            .map(|&(class, local)| CutThread {
                class: class_of(class),
                window: Window { symbols: symbols(local).into(), hidden: false },
            })
            .collect();
        let highest = kinds.iter().map(|kind| kind.window.symbols.len()).max().unwrap_or(0);
        Evidence::Cut(CutCertificate {
            classes: space.classes.of_threads().to_vec(),
            started,
            depth: highest + 1,
            guesses: Vec::new(),
            kinds,
            states: counted,
            measures: Vec::new(),
        })
    }
}
