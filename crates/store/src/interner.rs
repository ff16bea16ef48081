//! # Interners
//! Things with numbers: equal things have equal numbers, in the order in which they come. A thing
//! is kept once.

use std::borrow::Borrow;
use std::hash::Hash;

use crate::bytes::make_room;
use crate::table::Table;
use crate::{Bytes, Full, Id, hash};

/// Things by number, and numbers by thing.
#[derive(Clone, Debug)]
pub struct Interner<T, I: Id = u32> {
    what: &'static str,
    things: Vec<T>,
    table: Table<I::Slot>,
}

impl<T: Hash + Eq, I: Id> Interner<T, I> {
    /// An empty interner. The plural says what is in it, should there be too much.
    #[must_use]
    pub fn of(what: &'static str) -> Self {
        Interner { what, things: Vec::new(), table: Table::default() }
    }

    /// The id of a thing, a new one if it was never met.
    pub fn intern(&mut self, thing: T) -> Result<I, Full> {
        match self.place(hash::of(&thing), &thing)? {
            Place::Known(id) => Ok(id),
            Place::New(id) => {
                make_room(&mut self.things, 1);
                self.things.push(thing);
                Ok(id)
            }
        }
    }

    /// The id of a thing, which is copied if it was never met.
    pub fn intern_ref<Q>(&mut self, thing: &Q) -> Result<I, Full>
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = T> + ?Sized,
    {
        self.intern_hashed(hash::of(thing), thing)
    }

    /// The id of a thing whose hash is known to be [`hash::of`] it; it is copied if it was never met.
    pub fn intern_hashed<Q>(&mut self, hash: u64, thing: &Q) -> Result<I, Full>
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ToOwned + ?Sized,
        Q::Owned: Into<T>,
    {
        match self.place(hash, thing)? {
            Place::Known(id) => Ok(id),
            Place::New(id) => {
                make_room(&mut self.things, 1);
                self.things.push(thing.to_owned().into());
                Ok(id)
            }
        }
    }

    /// The id of a thing that may be new; then its place in the table is taken.
    fn place<Q>(&mut self, hash: u64, thing: &Q) -> Result<Place<I>, Full>
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let count = self.things.len();
        let found = self.table.find(hash, |number| self.things[number].borrow() == thing);
        let vacant = match found {
            Ok(number) => {
                let known = I::from_index(number).map(Place::Known);
                return known.ok_or(Full { what: self.what, most: count });
            }
            Err(vacant) => vacant,
        };
        let most = Table::<I::Slot>::most();
        let id = I::from_index(count).filter(|_| count < most);
        let id = id.ok_or(Full { what: self.what, most })?;
        let things = &self.things;
        self.table.enter(vacant, hash, count, |number| hash::of(things[number].borrow()));
        Ok(Place::New(id))
    }

    /// The id of a thing that was met.
    #[must_use]
    #[inline]
    pub fn find<Q>(&self, thing: &Q) -> Option<I>
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.find_hashed(hash::of(thing), thing)
    }

    /// The id of a thing that was met, with its hash.
    #[must_use]
    #[inline]
    pub fn find_hashed<Q>(&self, hash: u64, thing: &Q) -> Option<I>
    where
        T: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        let found = self.table.find(hash, |number| self.things[number].borrow() == thing);
        found.ok().and_then(I::from_index)
    }

    /// The thing of an id that this interner gave.
    #[must_use]
    #[inline]
    pub fn get(&self, id: I) -> &T {
        &self.things[id.index()]
    }

    /// All things, by number.
    #[must_use]
    pub fn things(&self) -> &[T] {
        &self.things
    }

    /// All ids with their things.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        let numbered = self.things.iter().enumerate();
        numbered.filter_map(|(number, thing)| Some((I::from_index(number)?, thing)))
    }

    /// All ids.
    pub fn ids(&self) -> impl Iterator<Item = I> + use<T, I> {
        (0..self.things.len()).filter_map(I::from_index)
    }

    /// How many things there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.things.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.things.is_empty()
    }
}

enum Place<I> {
    Known(I),
    New(I),
}

/// What lies behind a thing, such as the text of a name, is not counted.
impl<T, I: Id> Bytes for Interner<T, I> {
    fn bytes(&self) -> usize {
        self.things.capacity() * size_of::<T>() + self.table.bytes()
    }
}
