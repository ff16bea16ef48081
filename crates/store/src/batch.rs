//! States that are added together, so that their accesses to memory wait together.

/// Words or narrow rows, in order.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Words one after the other, and where each of them ends.
    pub(crate) words: Vec<u32>,
    pub(crate) ends: Vec<usize>,
    /// Narrow rows by the columns of the set. They come after the words, if there are both.
    pub(crate) rows: Vec<u128>,
    /// What the set needs for a moment.
    pub(crate) hashes: Vec<u64>,
}

impl Batch {
    /// Adds a word.
    pub fn push(&mut self, word: &[u32]) {
        self.words.extend_from_slice(word);
        self.ends.push(self.words.len());
    }

    /// Adds a row by the columns that the set has now: see [`crate::StateSet::narrow`].
    #[inline]
    pub fn push_row(&mut self, row: u128) {
        self.rows.push(row);
    }

    /// How many states there are.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len() + self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all states.
    pub fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
        self.rows.clear();
    }

    /// The words.
    pub(crate) fn words(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| &self.words[start..end])
    }
}
