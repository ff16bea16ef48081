//! # What was sent a moment ago
//! Most states are reached more than once, and many of them soon again. A small table remembers states that were sent, whole, with the thread that got
//! there; whoever is sent once more tells its owner nothing, and stays here.

use selvedge_store::{Columns, hash};

/// How many states are remembered.
const SIZE: usize = 1 << 15;

/// States that were sent, as narrow rows, each in the place that its hash gives it.
#[derive(Default)]
pub(super) struct Recent {
    rows: Vec<Option<(u128, u32)>>,
    /// What the bits of rows mean.
    columns: Option<Columns>,
}

impl Recent {
    /// Forgets all rows if bits of rows mean something else now.
    pub fn renew(&mut self, columns: &Columns) {
        if self.columns.as_ref() != Some(columns) {
            self.columns = Some(columns.clone());
            self.rows.clear();
            self.rows.resize(SIZE, None);
        }
    }

    /// Whether a state was not sent a moment ago, with the position of a thread. It is now.
    #[inline]
    pub fn is_new(&mut self, row: u128, at: u32) -> bool {
        let place = hash::of_row(row.rotate_left(at % 128)) as usize % SIZE;
        let sent = Some((row, at));
        std::mem::replace(&mut self.rows[place], sent) != sent
    }
}

#[cfg(test)]
mod tests {
    use selvedge_store::Columns;

    use super::Recent;

    #[test]
    fn rows_of_other_columns_are_other_states() {
        let mut recent = Recent::default();
        let [narrow, wide] = [[3, 3], [3, 300]].map(|most| Columns::for_numbers(&most));
        recent.renew(&narrow);
        assert!(recent.is_new(5, 0) && recent.is_new(5, 1));
        assert!(!recent.is_new(5, 0));
        recent.renew(&narrow);
        assert!(!recent.is_new(5, 1));
        recent.renew(&wide);
        assert!(recent.is_new(5, 1));
    }
}
