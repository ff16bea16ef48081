//! # States as words
//! A state is a word of numbers: the shared state, then its threads as *entries* (numbers of class
//! and local), sorted. A few threads are listed one by one; many are counted, as pairs of entry
//! and number.

/// How threads are written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    Listed,
    Counted,
}

/// More threads than this are counted.
const MOST_LISTED: usize = 10;

impl Layout {
    pub fn for_threads(threads: usize) -> Self {
        if threads <= MOST_LISTED { Layout::Listed } else { Layout::Counted }
    }

    /// The word of a shared state and entries in any order.
    pub fn word(self, shared: u32, mut entries: Vec<u32>) -> Vec<u32> {
        entries.sort_unstable();
        let mut word = vec![shared];
        match self {
            Layout::Listed => word.extend(entries),
            Layout::Counted => {
                for same in entries.chunk_by(|a, b| a == b) {
                    word.extend([same[0], same.len() as u32]);
                }
            }
        }
        word
    }

    /// The different entries of a word with their numbers. The position of an entry in this list
    /// is how explorers refer to it.
    pub fn entries(self, word: &[u32]) -> impl Iterator<Item = (u32, u32)> {
        let mut rest = &word[1..];
        std::iter::from_fn(move || {
            let &entry = rest.first()?;
            let count = match self {
                Layout::Counted => {
                    let count = rest[1];
                    rest = &rest[2..];
                    return Some((entry, count));
                }
                Layout::Listed => rest.iter().take_while(|&&e| e == entry).count(),
            };
            rest = &rest[count..];
            Some((entry, count as u32))
        })
    }

    /// How many threads a word has.
    pub fn threads(self, word: &[u32]) -> usize {
        match self {
            Layout::Listed => word.len() - 1,
            Layout::Counted => word[1..].iter().skip(1).step_by(2).map(|&n| n as usize).sum(),
        }
    }

    /// Changes a word: one thread with entry `from` becomes `to`.
    pub fn replace(self, word: &mut Vec<u32>, from: u32, to: u32) {
        if from != to {
            self.remove(word, from);
            self.add(word, to);
        }
    }

    /// Adds a thread to a word.
    pub fn add(self, word: &mut Vec<u32>, entry: u32) {
        match self {
            Layout::Listed => {
                let at = 1 + word[1..].partition_point(|&e| e < entry);
                word.insert(at, entry);
            }
            Layout::Counted => {
                let pairs = word[1..].chunks_exact(2);
                let at = 1 + 2 * pairs.take_while(|pair| pair[0] < entry).count();
                if word.get(at) == Some(&entry) {
                    word[at + 1] += 1;
                } else {
                    word.splice(at..at, [entry, 1]);
                }
            }
        }
    }

    /// Takes a thread out of a word.
    pub fn remove(self, word: &mut Vec<u32>, entry: u32) {
        let (first, width) = match self {
            Layout::Listed => (word[1..].iter().position(|&e| e == entry), 1),
            Layout::Counted => {
                (word[1..].iter().step_by(2).position(|&e| e == entry).map(|at| at * 2), 2)
            }
        };
        let Some(at) = first.map(|at| at + 1) else { return };
        if width == 2 && word[at + 1] > 1 {
            word[at + 1] -= 1;
        } else {
            word.drain(at..at + width);
        }
    }

    /// The position of an entry in [`Layout::entries`], if the word has it.
    pub fn position(self, word: &[u32], entry: u32) -> Option<u32> {
        self.entries(word).position(|(e, _)| e == entry).map(|at| at as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::Layout;

    #[test]
    fn both_layouts_say_the_same() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..500 {
            let mut entries: Vec<u32> = (0..rng.usize(1..8)).map(|_| rng.u32(0..5)).collect();
            let layouts = [Layout::Listed, Layout::Counted];
            let mut words = layouts.map(|layout| layout.word(9, entries.clone()));
            for _ in 0..6 {
                let (at, to) = (rng.usize(0..entries.len()), rng.u32(0..5));
                for (layout, word) in layouts.iter().zip(&mut words) {
                    layout.replace(word, entries[at], to);
                }
                entries[at] = to;
                for (layout, word) in layouts.iter().zip(&words) {
                    assert_eq!(*word, layout.word(9, entries.clone()));
                    assert_eq!(layout.threads(word), entries.len());
                    for (position, (entry, count)) in layout.entries(word).enumerate() {
                        assert_eq!(layout.position(word, entry), Some(position as u32));
                        let same = entries.iter().filter(|&&e| e == entry).count();
                        assert_eq!(count as usize, same);
                    }
                    assert_eq!(layout.position(word, 5), None);
                }
            }
        }
    }
}
