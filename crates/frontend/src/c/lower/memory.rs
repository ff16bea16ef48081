//! # Memory
//!
//! **Question.** C has addresses, records, arrays and pointers into the middle of them; the program that is verified has
//! variables and arrays of scalars. Where is what?
//!
//! **Idea.** An object is taken apart into its scalars: for each way through its members there is one [`Leaf`], a
//! variable that is an array with one dimension for each array on the way. An object also has an address, a number; so has every
//! leaf, and the distance from one element to the next. What is named in the text is found by its name, without any address; what a pointer
//! points to is found by comparing the pointer with the addresses of the leaves it may point to.
//!
//! **Needs.** Scalars that are read as what they were written: of the same size, at the same place. The members of a union are one leaf where they
//! agree in that, and are refused where they do not.

use selvedge_program::{GlobalId, LocalId, Place, Program, Span, Type, Value, VarRef, Variable};

use crate::c::types::{Opaque, RecordId, Type as CType, Types};

/// A step into an array: how many elements, and how many bytes from one to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dimension {
    /// How many elements.
    pub length: u32,
    /// How many bytes from one to the next.
    pub stride: u64,
}

/// A scalar of an object, or one for each element of the arrays on the way to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Leaf {
    /// The members on the way to it, by their numbers; several ways for members of a union that are the same.
    pub ways: Vec<Vec<usize>>,
    /// What it is called, after the name of the object.
    pub name: String,
    /// How many bytes from the start of the object.
    pub offset: u64,
    /// The arrays on the way, the outermost first.
    pub dimensions: Vec<Dimension>,
    /// Its type in C; of a part of something opaque, that.
    pub c: CType,
    /// Its type in the program.
    pub ty: Type,
}

/// The most scalars of an object.
const MOST_SLOTS: u64 = 1 << 16;

/// Takes types apart into scalars.
#[derive(Clone, Copy, Debug)]
pub struct Shapes<'u> {
    /// The types of the unit.
    pub types: &'u Types,
    /// Whether condition variables count who sleeps.
    pub counts_sleepers: bool,
    /// Whether numbers with fractions have a place, of which nothing is known but who accesses it.
    pub floats: bool,
    /// Whether threads have numbers; otherwise nobody can tell them apart.
    pub numbers_threads: bool,
    /// Whether mutexes know their kinds and their owners.
    pub knows_owners: bool,
    /// How many elements an array has that is the last member of a structure, without a length.
    pub trailing: u64,
}

impl Shapes<'_> {
    /// The leaves of a type; the reason if it has none.
    pub fn leaves(&self, ty: &CType) -> Result<Vec<Leaf>, String> {
        let mut leaves = Vec::new();
        let root = Leaf {
            ways: vec![Vec::new()],
            name: String::new(),
            offset: 0,
            dimensions: Vec::new(),
            c: CType::Void,
            ty: Type::Bool,
        };
        self.collect(ty, &root, &mut leaves)?;
        let slots =
            |leaf: &Leaf| leaf.dimensions.iter().map(|d| u64::from(d.length)).product::<u64>();
        if leaves.iter().map(slots).fold(0, u64::saturating_add) > MOST_SLOTS {
            return Err(format!("an object with more than {MOST_SLOTS} scalars"));
        }
        Ok(leaves)
    }

    fn collect(&self, ty: &CType, at: &Leaf, leaves: &mut Vec<Leaf>) -> Result<(), String> {
        match ty {
            CType::Atomic(inner) => self.collect(inner, at, leaves),
            CType::Array(element, length) => {
                let length = length.unwrap_or(self.trailing);
                let length = u32::try_from(length).map_err(|_| "an array as long as this")?;
                let stride = self.types.size(element).ok_or("a type without a size")?;
                let mut inside = at.clone();
                inside.dimensions.push(Dimension { length, stride });
                if length == 0 { Ok(()) } else { self.collect(element, &inside, leaves) }
            }
            CType::Record(id) => self.record(*id, at, leaves),
            CType::Opaque(opaque) => {
                for (number, (name, ty)) in self.parts(*opaque).into_iter().enumerate() {
                    let mut leaf = at.clone();
                    leaf.ways.iter_mut().for_each(|way| way.push(number));
                    leaf.name += name;
                    leaf.offset += number as u64;
                    (leaf.c, leaf.ty) = (CType::Opaque(*opaque), ty);
                    leaves.push(leaf);
                }
                Ok(())
            }
            // The values of these are not known, and nothing may depend on them.
            CType::Floating(_) if !self.floats => Ok(()),
            scalar => {
                let ty = self.scalar(scalar)?;
                leaves.push(Leaf { c: scalar.clone(), ty, ..at.clone() });
                Ok(())
            }
        }
    }

    fn record(&self, id: RecordId, at: &Leaf, leaves: &mut Vec<Leaf>) -> Result<(), String> {
        let record = self.types.record(id);
        if record.size.is_none() {
            return Err(format!("`{}` is not complete here", record.name));
        }
        let first = leaves.len();
        let has_float = |field: &crate::c::types::Field| self.has_float(&field.ty);
        if record.is_union && record.fields.len() > 1 && record.fields.iter().any(has_float) {
            return Err("a union with a number with a fraction".to_owned());
        }
        for (number, field) in record.fields.iter().enumerate() {
            if field.bits.is_some() {
                continue;
            }
            let mut member = at.clone();
            member.ways.iter_mut().for_each(|way| way.push(number));
            if !field.name.is_empty() {
                member.name = format!("{}.{}", member.name, field.name);
            }
            member.offset += field.offset;
            let mut inside = Vec::new();
            self.collect(&field.ty, &member, &mut inside)?;
            for leaf in inside {
                let known = leaves[first..]
                    .iter_mut()
                    .find(|other| record.is_union && self.overlap(other, &leaf));
                match known {
                    None => leaves.push(leaf),
                    Some(other) if self.agree(other, &leaf) => other.ways.extend(leaf.ways),
                    Some(other) => {
                        return Err(format!(
                            "a union whose members `{}` and `{}` share bytes and are not of one size",
                            other.name.trim_start_matches('.'),
                            leaf.name.trim_start_matches('.')
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether something has a number with a fraction in it.
    fn has_float(&self, ty: &CType) -> bool {
        match ty {
            CType::Floating(_) => true,
            CType::Array(element, _) | CType::Atomic(element) => self.has_float(element),
            CType::Record(id) => {
                self.types.record(*id).fields.iter().any(|field| self.has_float(&field.ty))
            }
            _ => false,
        }
    }

    fn overlap(&self, a: &Leaf, b: &Leaf) -> bool {
        let end = |leaf: &Leaf| {
            let last = |d: &Dimension| u64::from(d.length.saturating_sub(1)) * d.stride;
            leaf.offset
                + leaf.dimensions.iter().map(last).sum::<u64>()
                + self.types.size(&leaf.c).unwrap_or(1)
        };
        a.offset < end(b) && b.offset < end(a)
    }

    fn agree(&self, a: &Leaf, b: &Leaf) -> bool {
        a.offset == b.offset && a.dimensions == b.dimensions && self.interchangeable(&a.c, &b.c)
    }

    /// Whether what was written as one may be read as the other, by a conversion.
    pub fn interchangeable(&self, a: &CType, b: &CType) -> bool {
        match (a, b) {
            (CType::Opaque(a), CType::Opaque(b)) => a == b,
            (CType::Opaque(_), _) | (_, CType::Opaque(_)) => false,
            _ => self.types.size(a) == self.types.size(b),
        }
    }

    /// The type of a scalar in the program.
    pub fn scalar(&self, ty: &CType) -> Result<Type, String> {
        let pointer_bits = if self.types.pointer_size() == 8 { 64 } else { 32 };
        match ty {
            CType::Bool => Ok(Type::Bool),
            CType::Int { bits: 128, .. } => Err("an integer of 128 bits".to_owned()),
            CType::Int { bits, signed, .. } => Ok(Type::Machine { bits: *bits, signed: *signed }),
            CType::Pointer(_) => Ok(Type::Machine { bits: pointer_bits, signed: false }),
            CType::Atomic(inner) => self.scalar(inner),
            CType::Opaque(Opaque::Thread) if self.numbers_threads => {
                Ok(Type::Machine { bits: pointer_bits, signed: false })
            }
            CType::Opaque(Opaque::Thread) => Ok(Type::ThreadId),
            CType::Opaque(Opaque::Key | Opaque::Once) => {
                Ok(Type::Machine { bits: 32, signed: false })
            }
            // The value is never looked at.
            CType::Floating(_) => Ok(Type::Bool),
            CType::Opaque(Opaque::VaList) => Err("a list of arguments".to_owned()),
            CType::Record(_) | CType::Array(..) => {
                Err("a structure or an array where one scalar is expected".to_owned())
            }
            _ => Err("a value of this type".to_owned()),
        }
    }

    /// The parts of an opaque type.
    fn parts(&self, opaque: Opaque) -> Vec<(&'static str, Type)> {
        let count = Type::Machine { bits: 8, signed: false };
        // One thread may add to these any number of times.
        let many = Type::Machine { bits: 32, signed: false };
        match opaque {
            Opaque::Thread => {
                vec![("", self.scalar(&CType::Opaque(Opaque::Thread)).unwrap_or(Type::ThreadId))]
            }
            Opaque::Mutex if self.knows_owners => vec![
                ("", Type::Lock),
                (".kind", count.clone()),
                (".owner", count),
                (".depth", many),
            ],
            Opaque::Mutex | Opaque::SpinLock => vec![("", Type::Lock)],
            Opaque::MutexAttribute => vec![(".kind", count)],
            Opaque::Condition if self.counts_sleepers => {
                vec![(".sleeping", count.clone()), (".called", count)]
            }
            Opaque::Condition | Opaque::Attribute | Opaque::VaList => Vec::new(),
            Opaque::ReadWriteLock => vec![(".readers", many), (".writer", Type::Bool)],
            Opaque::Barrier => {
                vec![(".arrived", many.clone()), (".leaving", many.clone()), (".parties", many)]
            }
            Opaque::Semaphore => vec![("", many)],
            Opaque::Once => vec![("", count)],
            Opaque::Key => vec![("", Type::Machine { bits: 32, signed: false })],
        }
    }
}

/// An object with its variables.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Its address; 0 for one that no pointer points to.
    pub base: u64,
    /// How many bytes it has, or one of a pool.
    pub size: u64,
    /// Its scalars, with the variables that hold them.
    pub leaves: Vec<(Leaf, VarRef)>,
    /// For objects of a pool: how many there are, and which are in use.
    pub pool: Option<Pool>,
    /// How many bytes each object of a pool has, where they differ.
    pub sizes: Option<GlobalId>,
}

/// Objects that come and go.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    /// The number of objects.
    pub objects: u32,
    /// How many bytes from one to the next.
    pub stride: u64,
    /// The marks of those that are in use.
    pub used: GlobalId,
    /// The marks of those that were given back once, where somebody may still point to them and that matters.
    pub freed: Option<GlobalId>,
    /// Whether somebody sees at which place an object is made: then it is any that is free.
    pub any: bool,
}

impl Stored {
    /// The leaf that the members on the way lead to.
    pub fn leaf(&self, way: &[usize]) -> Option<&(Leaf, VarRef)> {
        self.leaves.iter().find(|(leaf, _)| leaf.ways.iter().any(|w| w == way))
    }
}

/// The type of the variable of a leaf: an array for each dimension.
#[must_use]
pub fn variable_type(leaf: &Leaf) -> Type {
    leaf.dimensions.iter().rev().fold(leaf.ty.clone(), |element, dimension| Type::Array {
        element: Box::new(element),
        length: dimension.length,
    })
}

/// A shared variable with its first values: the same for all elements.
pub fn add_global(
    program: &mut Program,
    name: String,
    ty: Type,
    first: &Value,
    span: Span,
) -> GlobalId {
    let id = GlobalId(u32::try_from(program.globals.len()).unwrap_or(u32::MAX));
    let init = vec![first.clone(); ty.slots()];
    program.globals.push(Variable { name, ty, init, counts_threads: false, looks: None, span });
    id
}

/// The place of a scalar.
#[must_use]
pub fn place(var: VarRef, indices: Vec<selvedge_program::Expr>, ty: &Type, span: Span) -> Place {
    Place { var, indices, ty: ty.clone(), span }
}

/// A local variable by its number.
#[must_use]
pub fn local(number: usize) -> VarRef {
    VarRef::Local(LocalId(u32::try_from(number).unwrap_or(u32::MAX)))
}
