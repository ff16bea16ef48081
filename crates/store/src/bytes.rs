//! How much memory things take.

/// Says how many bytes it takes: those that it asked the allocator for, itself not included.
pub trait Bytes {
    /// The number of bytes.
    fn bytes(&self) -> usize;
}

/// The number of bytes of all these things together.
#[must_use]
pub fn total(things: &[&dyn Bytes]) -> usize {
    things.iter().map(|thing| thing.bytes()).sum()
}

/// A list of more bytes than this grows by an eighth and not by as much again: a limit of memory is to be reached with what is
/// there, not with room that nobody needs yet.
const MUCH: usize = 1 << 20;

/// Makes room for more in a list.
#[inline]
pub(crate) fn make_room<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more && list.capacity() * size_of::<T>() > MUCH {
        list.reserve_exact(more.max(list.len() / 8));
    }
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
