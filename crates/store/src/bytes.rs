//! How much memory things take.

/// Says how many bytes it takes: those that it asked the allocator for, itself not included.
pub trait Bytes {
    /// The bytes.
    fn bytes(&self) -> usize;
}

/// The bytes of all of these.
#[must_use]
pub fn total(things: &[&dyn Bytes]) -> usize {
    things.iter().map(|thing| thing.bytes()).sum()
}

/// Numbers and pairs of them, without anything behind them.
impl<T: Copy> Bytes for Vec<T> {
    fn bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}

impl<T: Bytes> Bytes for Option<T> {
    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, Bytes::bytes)
    }
}
