//! Dense integer names for the things that explorers handle by the million.

/// A shared state: one valuation of everything that all threads see.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SharedId(pub u32);

/// A stack symbol: one frame, that is, a location and the values of the locals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SymbolId(pub u32);

/// The position of a thread in a state. Threads started later come later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadId(pub u32);

/// A thread template: threads of one template obey the same rules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TemplateId(pub u32);

/// A place in the text of a program where a thread can stand: the same number in every run on the
/// same text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PlaceId(pub u32);

macro_rules! dense {
    ($($id:ident),*) => { $(
        impl $id {
            /// The id as an index into a dense table.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl From<usize> for $id {
            /// # Panics
            /// When there are more than `u32::MAX` things of this kind: the memory budget of an
            /// explorer ends a run long before that.
            fn from(index: usize) -> Self {
                Self(u32::try_from(index).expect("more than 2^32 ids of one kind"))
            }
        }
    )* };
}
dense!(SharedId, SymbolId, ThreadId, TemplateId, PlaceId);
