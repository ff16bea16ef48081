//! # Columns
//! A row is a list of numbers in as few bits as they need: each column has a width. Rows of up to
//! 128 bits are *narrow*: one number, which is read, changed, compared and hashed in one go.

/// The positions and widths of the numbers in a row.
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

/// A narrow row, or half of one: rows of up to 64 bits are quicker at hand.
pub trait Row: Copy + Eq {
    /// Takes the bits of a narrow row, as many as fit.
    fn of(row: u128) -> Self;

    /// The row in its full width.
    fn whole(self) -> u128;

    /// The number of a column.
    fn get(self, column: Column) -> u32;

    /// The row with another number in a column, which must fit: see [`Column::holds`].
    #[must_use]
    fn put(self, column: Column, number: u32) -> Self;
}

macro_rules! rows {
    ($($int:ty)*) => { $(
        impl Row for $int {
            #[inline]
            fn of(row: u128) -> Self {
                row as $int
            }

            #[inline]
            fn whole(self) -> u128 {
                self.into()
            }

            #[inline]
            fn get(self, column: Column) -> u32 {
                (self >> column.start) as u32 & column.mask
            }

            #[inline]
            fn put(self, column: Column, number: u32) -> Self {
                let (mask, number) = (<$int>::from(column.mask), <$int>::from(number));
                self & !(mask << column.start) | number << column.start
            }
        }
    )* };
}

rows!(u64 u128);

impl Column {
    /// The largest number that fits.
    #[must_use]
    #[inline]
    pub fn most(self) -> u32 {
        self.mask
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
            // A column without bits begins anywhere; at the end of a row nothing would be left to shift.
            let start = if mask == 0 { 0 } else { bits as u32 };
            bits += mask.count_ones() as usize;
            Column { start, mask }
        });
        let columns = columns.collect();
        Columns { columns, bits }
    }

    /// Columns that also hold these numbers.
    #[must_use]
    pub fn widened(&self, most: &[u32]) -> Self {
        let columns = self.columns.iter().zip(most);
        Self::with_masks(columns.map(|(column, &number)| column.mask | mask(number)))
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

    /// How many bits a row has.
    #[must_use]
    #[inline]
    pub fn bits(&self) -> usize {
        self.bits
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
