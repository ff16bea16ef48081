//! Images: where a thread can get by a step.

use selvedge_store::{Batch, Full, Id};

use crate::explore::Reached;
use crate::explore::stacks::Stacks;
use crate::{Pace, Stop};

/// Where configurations lead to by a step, found once.
pub(super) struct Images {
    /// For each configuration, where its part of `edges` begins; 0 if that is not known.
    pub begins: Vec<u32>,
    /// The number of successors, then the successors.
    pub edges: Vec<u32>,
    batch: Batch,
    /// The configurations of the batch, with how many words of it each has.
    counts: Vec<(usize, u32)>,
    word: Vec<u32>,
    next: Vec<u32>,
    entries: Vec<u32>,
    /// How often points were followed.
    pub followed: u64,
}

impl Default for Images {
    fn default() -> Self {
        // An image begins after the first edge: 0 is for those that are not known.
        Images {
            begins: Vec::new(),
            edges: vec![0],
            batch: Batch::default(),
            counts: Vec::new(),
            word: Vec::new(),
            next: Vec::new(),
            entries: Vec::new(),
            followed: 0,
        }
    }
}

impl Images {
    /// Finds where a thread can get from these states, as far as that is not known. Where it cannot
    /// act, the state stays as it is.
    pub fn find(
        &mut self,
        reached: &mut Reached<'_, Stacks>,
        states: &[u32],
        (thread, threads): (usize, usize),
        pace: &mut Pace<'_>,
    ) -> Result<(), Stop> {
        let Images { begins, edges, batch, counts, word, next, entries, .. } = self;
        let class = reached.space.classes.of_thread(thread);
        batch.clear();
        counts.clear();
        for &state in states {
            let configuration = state as usize * threads + thread;
            if begins[configuration] != 0 {
                continue;
            }
            begins[configuration] = u32::MAX; // once, also if the state is there twice
            reached.states.read(state, word);
            // Several, if threads that are alike are interchanged.
            let all = reached.space.layout.entries(word).map(|(entry, _)| entry);
            entries.clear();
            entries.extend(all.filter(|&entry| reached.space.entry(entry).0 == class));
            let (mut count, mut stays) = (0, false);
            for &entry in entries.iter() {
                let before = count;
                let range = reached.space.moves_of(word[0], entry, pace)?;
                pace.spend(1 + range.len())?;
                for index in range {
                    if reached.space.step(word, entry, index, next).is_some() {
                        batch.push(next);
                        count += 1;
                    }
                }
                stays |= count == before;
            }
            if stays || count == 0 {
                batch.push(word);
                count += 1;
            }
            counts.push((configuration, count));
        }
        // All edges have 32-bit numbers, those that are to come too.
        let end = edges.len().saturating_add(counts.len()).saturating_add(batch.len());
        if u32::from_index(end).is_none() {
            return Err(Full { what: "steps between states", most: u32::MAX as usize - 1 }.into());
        }
        let mut left = 0;
        let mut configurations = counts.iter();
        reached.states.insert_all(batch, |_, number, _| {
            if left == 0
                && let Some(&(configuration, count)) = configurations.next()
            {
                begins[configuration] = u32::from_index(edges.len()).unwrap_or(u32::MAX);
                edges.push(count);
                left = count;
            }
            edges.push(number);
            left -= 1;
        })?;
        Ok(())
    }
}
