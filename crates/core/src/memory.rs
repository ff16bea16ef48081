//! # Memory
//!
//! **Question.** A state has to be the same bits in every run and in every process, small, and quick to read
//! and write. Where are the slots?
//!
//! **Idea.** A [`Layout`] gives each slot a field of as many bits as its kind needs; it follows from the kinds
//! alone. Code 0 of a field is *open*, the others are the values in their order. A kind with too many values for a
//! field has 64 bits and one more code, *elsewhere*: the number is then written behind the fields.
//!
//! **Claim.** Two memories of one layout are equal exactly if their words are. [`Memory::write`] and
//! [`Layout::read`] are inverse to each other.

use std::sync::Arc;

use num_bigint::{BigInt, Sign};

use crate::{Declared, Kind, Value};

/// The bits of one slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Field {
    word: u32,
    shift: u32,
    /// The bits of a code, not shifted.
    mask: u64,
    /// The value of code 1, or of code 2 where a number may be elsewhere.
    first: i64,
    /// How many values have a code.
    count: u64,
    /// Whether code 1 says that the number is elsewhere.
    spills: bool,
}

/// The numbers of a field that may also hold any other: those of 62 bits and a sign.
const FIRST_OF_MANY: i64 = -(1 << 62);
const COUNT_OF_MANY: u64 = 1 << 63;

/// The code of a number that is behind the fields.
const ELSEWHERE: u64 = 1;

/// Where the slots of a memory are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    fields: Box<[Field]>,
    words: usize,
}

/// The values of some slots.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Memory {
    words: Vec<u64>,
    /// The numbers that are elsewhere, by slot.
    large: Vec<(usize, Arc<BigInt>)>,
}

impl Layout {
    /// The layout of slots of these kinds.
    pub fn new<'k>(kinds: impl IntoIterator<Item = &'k Kind>) -> Self {
        let (mut word, mut used) = (0, 0);
        let fields = kinds.into_iter().map(|kind| {
            let span = kind.span().filter(|span| span.count < COUNT_OF_MANY);
            // Where threads are started, their numbers have no end.
            let span = span.filter(|_| *kind != Kind::Thread);
            let (first, count, spills) = match span {
                Some(span) => (span.first, span.count, false),
                None => (FIRST_OF_MANY, COUNT_OF_MANY, true),
            };
            let bits = if spills { 64 } else { 64 - count.leading_zeros() };
            if used + bits > 64 {
                (word, used) = (word + 1, 0);
            }
            let shift = used;
            used += bits;
            let mask = u64::MAX >> (64 - bits);
            Field { word, shift, mask, first, count, spills }
        });
        let fields: Box<[Field]> = fields.collect();
        let words = if fields.is_empty() { 0 } else { word as usize + 1 };
        Layout { fields, words }
    }

    /// The layout of declared slots.
    #[must_use]
    pub fn of(slots: &[Declared]) -> Self {
        Layout::new(slots.iter().map(|slot| &slot.kind))
    }

    /// How many slots there are.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.fields.len()
    }

    /// Whether a slot can hold a value.
    #[must_use]
    pub fn holds(&self, slot: usize, value: &Value) -> bool {
        let field = &self.fields[slot];
        field.spills || field.code(value).is_some()
    }

    /// A memory in which everything is open.
    #[must_use]
    pub fn open(&self) -> Memory {
        Memory { words: vec![0; self.words], large: Vec::new() }
    }

    /// A memory with these values.
    #[must_use]
    pub fn memory<'v>(&self, values: impl IntoIterator<Item = &'v Value>) -> Memory {
        let mut memory = self.open();
        for (slot, value) in values.into_iter().enumerate() {
            memory.set(self, slot, value);
        }
        memory
    }

    /// The words that are left when some slots are opened: all others have their bits.
    #[must_use]
    pub fn mask(&self, opened: &[std::ops::Range<usize>]) -> Box<[u64]> {
        let mut mask = vec![u64::MAX; self.words];
        for field in opened.iter().flat_map(|slots| &self.fields[slots.clone()]) {
            mask[field.word as usize] &= !(field.mask << field.shift);
        }
        mask.into()
    }

    /// The memory of words that were written, if they are nothing but its fields.
    #[must_use]
    pub(crate) fn plain(&self, words: &[u64]) -> Option<Memory> {
        let mut memory = Memory::default();
        self.copy_plain(words, &mut memory).then_some(memory)
    }

    /// Makes a memory that of words that were written, if they are nothing but its fields, and says whether
    /// they are.
    pub(crate) fn copy_plain(&self, words: &[u64], memory: &mut Memory) -> bool {
        // A number that is elsewhere would come after them.
        let is_plain = self.is_plain(words);
        if is_plain {
            memory.words.clear();
            memory.words.extend_from_slice(words);
            memory.large.clear();
        }
        is_plain
    }

    /// Whether words that were written are the fields of a memory and nothing else.
    #[must_use]
    pub fn is_plain(&self, words: &[u64]) -> bool {
        words.len() == self.words
    }

    /// The memory that was written, and what comes after it; `None` for words that no memory is written as.
    #[must_use]
    pub fn read<'w>(&self, words: &'w [u64]) -> Option<(Memory, &'w [u64])> {
        let (own, mut rest) = words.split_at_checked(self.words)?;
        let mut memory = Memory { words: own.to_vec(), large: Vec::new() };
        for (slot, field) in self.fields.iter().enumerate() {
            let code = memory.code(field);
            if code > field.count + u64::from(field.spills) {
                return None;
            }
            if field.spills && code == ELSEWHERE {
                let number = read_number(&mut rest)?;
                if field.code(&number).is_some() {
                    return None;
                }
                memory.large.push((slot, Arc::new(number.to_big()?)));
            }
        }
        // Bits between fields are never set.
        (memory.words == self.canonical(&memory)).then_some((memory, rest))
    }

    fn canonical(&self, memory: &Memory) -> Vec<u64> {
        let mut words = vec![0; self.words];
        for field in &self.fields {
            words[field.word as usize] |= memory.code(field) << field.shift;
        }
        words
    }
}

impl Field {
    /// The code of a value; `None` if it is elsewhere.
    fn code(&self, value: &Value) -> Option<u64> {
        match value {
            Value::Open => Some(0),
            Value::Small(n) => {
                let position = n.wrapping_sub(self.first) as u64;
                let fits = *n >= self.first && position < self.count;
                fits.then(|| position + 1 + u64::from(self.spills))
            }
            Value::Big(_) => None,
        }
    }
}

impl Memory {
    fn code(&self, field: &Field) -> u64 {
        (self.words[field.word as usize] >> field.shift) & field.mask
    }

    /// The value of a slot.
    #[must_use]
    pub fn get(&self, layout: &Layout, slot: usize) -> Value {
        let field = &layout.fields[slot];
        let code = self.code(field);
        if code == 0 {
            return Value::Open;
        }
        if field.spills {
            if code == ELSEWHERE {
                let at = self.large.binary_search_by_key(&slot, |(slot, _)| *slot);
                return at.map_or(Value::Open, |at| Value::from_big((*self.large[at].1).clone()));
            }
            return Value::Small(field.first.wrapping_add((code - 2) as i64));
        }
        Value::Small(field.first.wrapping_add((code - 1) as i64))
    }

    /// Sets a slot to a value that its kind has.
    ///
    /// # Panics
    /// If it does not have it: whoever stores looks at the kind first.
    pub fn set(&mut self, layout: &Layout, slot: usize, value: &Value) {
        let field = &layout.fields[slot];
        if field.spills && !self.large.is_empty() {
            self.large.retain(|(other, _)| *other != slot);
        }
        let code = field.code(value).unwrap_or_else(|| {
            // Storing anything else instead would be a wrong answer.
            assert!(field.spills, "{value} is stored in a slot that cannot hold it");
            let at = self.large.partition_point(|(other, _)| *other < slot);
            if let Some(number) = value.to_big() {
                self.large.insert(at, (slot, Arc::new(number)));
            }
            ELSEWHERE
        });
        let word = &mut self.words[field.word as usize];
        *word = (*word & !(field.mask << field.shift)) | code << field.shift;
    }

    /// Whether a slot is open.
    #[must_use]
    pub fn is_open(&self, layout: &Layout, slot: usize) -> bool {
        self.code(&layout.fields[slot]) == 0
    }

    /// Opens the slots of a [`Layout::mask`].
    pub fn forget(&mut self, mask: &[u64], layout: &Layout) {
        self.words.iter_mut().zip(mask).for_each(|(word, mask)| *word &= mask);
        if !self.large.is_empty() {
            let words = &self.words;
            self.large.retain(|(slot, _)| {
                let field = &layout.fields[*slot];
                words[field.word as usize] >> field.shift & field.mask == ELSEWHERE
            });
        }
    }

    /// Becomes equal to another memory, in the place that it has.
    pub fn copy_from(&mut self, other: &Memory) {
        self.words.clone_from(&other.words);
        self.large.clone_from(&other.large);
    }

    /// The values of all slots.
    pub fn values(&self, layout: &Layout) -> impl Iterator<Item = Value> {
        (0..layout.slots()).map(|slot| self.get(layout, slot))
    }

    /// Whether all values fit into its words.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.large.is_empty()
    }

    /// Writes the memory behind what is there.
    pub fn write(&self, out: &mut Vec<u64>) {
        out.extend_from_slice(&self.words);
        self.large.iter().for_each(|(_, number)| write_number(number, out));
    }
}

/// Writes a number of any size: its sign and how many digits it has, then the digits.
pub(crate) fn write_number(number: &BigInt, out: &mut Vec<u64>) {
    let (sign, digits) = number.to_u64_digits();
    out.push((digits.len() as u64) << 1 | u64::from(sign == Sign::Minus));
    out.extend(digits);
}

/// Reads what [`write_number`] wrote, and nothing else.
pub(crate) fn read_number(words: &mut &[u64]) -> Option<Value> {
    let (&head, rest) = words.split_first()?;
    let (digits, rest) = rest.split_at_checked(usize::try_from(head >> 1).ok()?)?;
    let sign = if head & 1 == 1 { Sign::Minus } else { Sign::Plus };
    let bytes: Vec<u8> = digits.iter().flat_map(|digit| digit.to_le_bytes()).collect();
    let number = BigInt::from_bytes_le(sign, &bytes);
    let mut again = Vec::new();
    write_number(&number, &mut again);
    let is_canonical = again == words[..=digits.len()];
    *words = rest;
    is_canonical.then(|| Value::from_big(number))
}

#[cfg(test)]
mod tests {
    use super::Layout;
    use crate::{Kind, Value};
    use num_bigint::BigInt;
    use proptest::prelude::*;

    fn kind() -> impl Strategy<Value = Kind> {
        prop_oneof![
            Just(Kind::Bool),
            Just(Kind::Int),
            Just(Kind::Thread),
            (1..9_u64).prop_map(Kind::Tag),
            (-9..9_i64, 0..300_i64).prop_map(|(lo, n)| Kind::range(lo.into(), (lo + n).into())),
            (1..65_u32, any::<bool>()).prop_map(|(bits, signed)| Kind::Machine { bits, signed }),
            Just(Kind::range(BigInt::from(1) << 70, BigInt::from(1) << 80)),
        ]
    }

    /// A value of a kind: open, or one near the ends, or somewhere in between.
    fn value(kind: &Kind) -> BoxedStrategy<Value> {
        let (lo, hi) = kind.bounds().filter(|_| *kind != Kind::Thread).unwrap_or_else(|| {
            let limit = BigInt::from(3) << 70;
            (-&limit, limit)
        });
        let size = &hi - &lo + 1u32;
        let inside = (any::<[u64; 2]>(), 0..4_u8).prop_map(move |(digits, near)| {
            let offset = match near {
                0 => BigInt::from(digits[0] % 3).min(&hi - &lo),
                1 => (&hi - &lo - digits[0] % 3).max(BigInt::ZERO),
                _ => (BigInt::from(digits[0]) << 64 | BigInt::from(digits[1])) % &size,
            };
            Value::from_big(&lo + offset)
        });
        prop_oneof![1 => Just(Value::Open), 5 => inside].boxed()
    }

    fn slots() -> impl Strategy<Value = Vec<(Kind, Value)>> {
        let slot = kind().prop_flat_map(|kind| {
            let values = value(&kind);
            (Just(kind), values)
        });
        proptest::collection::vec(slot, 0..12)
    }

    proptest! {
        #[test]
        fn what_is_set_is_read_and_written_and_read_again(slots in slots(), order in any::<u64>()) {
            let layout = Layout::new(slots.iter().map(|(kind, _)| kind));
            let mut memory = layout.open();
            let mut turns: Vec<usize> = (0..slots.len()).collect();
            turns.sort_by_key(|&slot| (slot as u64).wrapping_mul(order | 1).rotate_left(17));
            for slot in turns {
                memory.set(&layout, slot, &slots[slot].1);
            }
            let values: Vec<Value> = slots.iter().map(|(_, value)| value.clone()).collect();
            prop_assert_eq!(&memory.values(&layout).collect::<Vec<_>>(), &values);
            prop_assert_eq!(&memory, &layout.memory(&values));
            let mut words = Vec::new();
            memory.write(&mut words);
            words.push(77);
            let (again, rest) = layout.read(&words).unwrap();
            prop_assert_eq!((&again, rest), (&memory, &[77][..]));
        }

        #[test]
        fn what_is_read_was_written(slots in slots(), noise in proptest::collection::vec((any::<usize>(), any::<u64>()), 0..3)) {
            let layout = Layout::new(slots.iter().map(|(kind, _)| kind));
            let mut words = Vec::new();
            layout.memory(slots.iter().map(|(_, value)| value)).write(&mut words);
            for (at, word) in noise {
                if !words.is_empty() {
                    let at = at % words.len();
                    words[at] ^= word;
                }
            }
            if let Some((memory, rest)) = layout.read(&words) {
                let mut again = Vec::new();
                memory.write(&mut again);
                again.extend_from_slice(rest);
                prop_assert_eq!(again, words);
            }
        }

        #[test]
        fn forgetting_opens_and_leaves_the_rest(slots in slots(), from in 0..12_usize, to in 0..12_usize) {
            let layout = Layout::new(slots.iter().map(|(kind, _)| kind));
            let mut memory = layout.memory(slots.iter().map(|(_, value)| value));
            let end = to.min(slots.len());
            let range = from.min(end)..end;
            memory.forget(&layout.mask(std::slice::from_ref(&range)), &layout);
            for (slot, (_, value)) in slots.iter().enumerate() {
                let expected = if range.contains(&slot) { &Value::Open } else { value };
                prop_assert_eq!(&memory.get(&layout, slot), expected);
            }
        }
    }
}
