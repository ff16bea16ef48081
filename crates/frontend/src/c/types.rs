//! # Types of C
//! What a type is, how many bytes it takes, and where the members of a record are: for ILP32 and LP64.

use std::sync::Arc;

/// How wide `long` and pointers are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits.
    #[default]
    Ilp32,
    /// `long` and pointers have 64 bits.
    Lp64,
}

/// A structure or a union.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RecordId(pub u32);

/// A type without `const` and `volatile`.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// Integers, characters and enumerations.
    Int {
        /// How many bits: 8, 16, 32, 64 or 128.
        bits: u32,
        /// Whether it may be negative.
        signed: bool,
        /// Its rank among those as wide: `long` and `int` are different types where both have 32 bits. 0 `char`, 1 `short`, 2
        /// `int`, 3 `long`, 4 `long long`, 5 `__int128`.
        rank: u8,
    },
    /// `float` and its kin, with how many bytes.
    Floating(u32),
    /// A pointer.
    Pointer(Arc<Type>),
    /// An array; without a length only where it is not yet known.
    Array(Arc<Type>, Option<u64>),
    /// A structure or a union.
    Record(RecordId),
    /// A function.
    Function(Arc<Signature>),
    /// A type that only atomic operations read and change.
    Atomic(Arc<Type>),
    /// A type of the library that the program does not look into.
    Opaque(Opaque),
}

/// The type of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Signature {
    /// The type of its result.
    pub result: Type,
    /// The types of its parameters.
    pub params: Vec<Type>,
    /// Whether more arguments may follow.
    pub variadic: bool,
    /// Whether nothing was said of parameters: `()`.
    pub unspecified: bool,
}

/// Types that are known by the names that headers give them, whatever they are there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Opaque {
    /// `pthread_t`, `thrd_t`
    Thread,
    /// `pthread_mutex_t`, `mtx_t`
    Mutex,
    /// `pthread_mutexattr_t`
    MutexAttribute,
    /// `pthread_cond_t`, `cnd_t`
    Condition,
    /// `pthread_rwlock_t`
    ReadWriteLock,
    /// `pthread_barrier_t`
    Barrier,
    /// `pthread_spinlock_t`
    SpinLock,
    /// `sem_t`
    Semaphore,
    /// `pthread_once_t`, `once_flag`
    Once,
    /// `pthread_key_t`, `tss_t`
    Key,
    /// `pthread_attr_t`, `pthread_condattr_t` and so on: nothing of them matters.
    Attribute,
    /// `__builtin_va_list`
    VaList,
}

/// Structures and unions, and how many bytes everything takes.
#[derive(Clone, Debug, Default)]
pub struct Types {
    /// How wide pointers are.
    pub model: DataModel,
    /// Structures and unions.
    pub records: Vec<RecordType>,
}

/// A structure or a union.
#[derive(Clone, Debug, Default)]
pub struct RecordType {
    /// Its tag or the name of its typedef; empty if it has none.
    pub name: String,
    /// Whether its members share one place.
    pub is_union: bool,
    /// Its members, those of records without a name among them; empty until it is complete.
    pub fields: Vec<Field>,
    /// How many bytes it takes; `None` until it is complete.
    pub size: Option<u64>,
    /// The alignment in bytes: its address is a multiple of this.
    pub align: u64,
}

/// A member.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; empty for a record without one, whose members are found through it.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The distance in bytes from the start of the record.
    pub offset: u64,
    /// For a bit-field, how many bits it has: refused where it is used.
    pub bits: Option<u32>,
}

impl Types {
    /// The record.
    #[must_use]
    pub fn record(&self, id: RecordId) -> &RecordType {
        &self.records[id.0 as usize]
    }

    /// How many bytes a pointer takes.
    #[must_use]
    pub fn pointer_size(&self) -> u64 {
        match self.model {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        }
    }

    /// How many bytes a type takes; `None` where it is not known, or too large.
    #[must_use]
    pub fn size(&self, ty: &Type) -> Option<u64> {
        Some(match ty {
            // As GNU C has it: one may count in bytes with pointers to these.
            Type::Void | Type::Function(_) => 1,
            Type::Bool => 1,
            Type::Int { bits, .. } => u64::from(*bits / 8),
            // As in the ABI of 32 bits, where `long double` has 12 bytes and 4 are enough between them.
            Type::Floating(bytes) => u64::from(*bytes),
            Type::Pointer(_) => self.pointer_size(),
            Type::Array(element, length) => self.size(element)?.checked_mul((*length)?)?,
            Type::Record(id) => self.record(*id).size?,
            Type::Atomic(inner) => self.size(inner)?,
            Type::Opaque(opaque) => self.opaque_size(*opaque),
        })
    }

    /// The last member of a structure, if it is an array without a length: where it starts, and the size of an element.
    #[must_use]
    pub fn open_end(&self, ty: &Type) -> Option<(u64, u64)> {
        let Type::Record(id) = ty else { return None };
        let last = self.record(*id).fields.last()?;
        match &last.ty {
            Type::Array(element, None) => Some((last.offset, self.size(element)?.max(1))),
            _ => None,
        }
    }

    /// The number of elements that such a member has in an object of this many bytes.
    #[must_use]
    pub fn trailing(&self, ty: &Type, bytes: u64) -> u64 {
        self.open_end(ty).map_or(0, |(start, each)| bytes.saturating_sub(start) / each)
    }

    /// The alignment of a type in bytes: addresses of objects are multiples of it.
    #[must_use]
    pub fn align(&self, ty: &Type) -> u64 {
        match ty {
            Type::Array(element, _) => self.align(element),
            Type::Atomic(inner) => self.size(inner).filter(|n| n.is_power_of_two()).unwrap_or(1),
            Type::Record(id) => self.record(*id).align.max(1),
            Type::Opaque(opaque) => self.opaque_size(*opaque).min(self.pointer_size()),
            Type::Floating(_) | Type::Int { .. } => {
                // The ABI of 32 bits puts `long long` and `double` at multiples of 4.
                let most = match self.model {
                    DataModel::Ilp32 => 4,
                    DataModel::Lp64 => 16,
                };
                self.size(ty).unwrap_or(1).clamp(1, most)
            }
            _ => self.size(ty).unwrap_or(1).max(1),
        }
    }

    /// The alignment in bytes that the compiler prefers for an object that is no member: 8 for `long long` and `double`, also where 4 is enough.
    #[must_use]
    pub fn preferred_align(&self, ty: &Type) -> u64 {
        match ty {
            Type::Array(element, _) => self.preferred_align(element),
            Type::Floating(8) | Type::Int { bits: 64, .. } => 8,
            _ => self.align(ty),
        }
    }

    /// The number of bytes that glibc uses for a type of its library.
    fn opaque_size(&self, opaque: Opaque) -> u64 {
        let (ilp32, lp64) = match opaque {
            Opaque::Thread => (4, 8),
            Opaque::Mutex => (24, 40),
            Opaque::MutexAttribute | Opaque::SpinLock | Opaque::Once | Opaque::Key => (4, 4),
            Opaque::Condition => (48, 48),
            Opaque::ReadWriteLock => (32, 56),
            Opaque::Barrier => (20, 32),
            Opaque::Semaphore => (16, 32),
            Opaque::Attribute => (36, 56),
            Opaque::VaList => (4, 24),
        };
        match self.model {
            DataModel::Ilp32 => ilp32,
            DataModel::Lp64 => lp64,
        }
    }
}
