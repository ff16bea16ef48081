//! # Columns
//! A row is a list of numbers in as few bits as they need: each column has a width. Rows of up to
//! 128 bits are *narrow*: one number, which is read, changed, compared and hashed in one go.

/// The columns of rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Columns {
    columns: Vec<Column>,
    bits: usize,
}

/// A column: where it begins in a row, in bits, and the bits of its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    pub(crate) start: u32,
    pub(crate) mask: u32,
}

/// The most bits of a narrow row.
const NARROW: usize = 128;

impl Column {
    /// The number that a narrow row has here.
    #[must_use]
    #[inline]
    pub fn get(self, row: u128) -> u32 {
        (row >> self.start) as u32 & self.mask
    }

    /// A narrow row with another number here, which must fit: see [`Column::holds`].
    #[must_use]
    #[inline]
    pub fn put(self, row: u128, number: u32) -> u128 {
        row & !(u128::from(self.mask) << self.start) | u128::from(number) << self.start
    }

    /// Whether a number fits.
    #[must_use]
    #[inline]
    pub fn holds(self, number: u32) -> bool {
        number <= self.mask
    }
}

impl Columns {
    /// Columns that hold numbers up to these.
    #[must_use]
    pub fn for_numbers(most: &[u32]) -> Self {
        Self::with_masks(most.iter().map(|&number| mask(number)))
    }

    fn with_masks(masks: impl Iterator<Item = u32>) -> Self {
        let mut bits = 0;
        let columns = masks.map(|mask| {
            let start = bits as u32;
            bits += mask.count_ones() as usize;
            Column { start, mask }
        });
        let columns = columns.collect();
        Columns { columns, bits }
    }

    /// Columns that also hold these numbers. Those that grow have a bit more than they need, where
    /// there is room, so that they do not grow again soon.
    #[must_use]
    pub fn widened(&self, most: &[u32]) -> Self {
        let grown = |spare: u32| {
            let wider = self.columns.iter().zip(most).map(move |(column, &number)| {
                if column.holds(number) { column.mask } else { mask(number) << spare | spare }
            });
            Self::with_masks(wider)
        };
        let generous = grown(1);
        if generous.is_narrow() { generous } else { grown(0) }
    }

    /// Whether these numbers fit.
    #[must_use]
    #[inline]
    pub fn hold(&self, numbers: &[u32]) -> bool {
        self.columns.iter().zip(numbers).all(|(column, &number)| column.holds(number))
    }

    /// How many columns there are.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there is none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The columns.
    #[must_use]
    #[inline]
    pub fn list(&self) -> &[Column] {
        &self.columns
    }

    /// Whether a row is one number.
    #[must_use]
    #[inline]
    pub fn is_narrow(&self) -> bool {
        self.bits <= NARROW
    }

    /// The bytes of a row.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        self.bits.div_ceil(8).max(1)
    }

    /// All bits of a narrow row.
    #[must_use]
    pub(crate) fn all(&self) -> u128 {
        NARROW.checked_sub(self.bits).map_or(0, |unused| {
            u32::try_from(unused).ok().and_then(|n| u128::MAX.checked_shr(n)).unwrap_or(0)
        })
    }

    /// Numbers that fit, as a narrow row.
    #[must_use]
    #[inline]
    pub fn pack(&self, numbers: &[u32]) -> u128 {
        let columns = self.columns.iter().zip(numbers);
        columns.fold(0, |row, (column, &number)| row | u128::from(number) << column.start)
    }
}

/// All bits that a number may need.
fn mask(number: u32) -> u32 {
    u32::MAX.checked_shr(number.leading_zeros()).unwrap_or(0)
}
