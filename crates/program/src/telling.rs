//! # How a program is told
//!
//! **Question.** A program that was made of another language has variables nobody wrote, addresses that are numbers, and several steps
//! for one statement. What does somebody read who only knows the text?
//!
//! **Idea.** Whoever makes the program knows. A [`Telling`] stands beside it and says which variables are left out, how the others are
//! written, which number is the address of what, and which statement a step belongs to. Answers are written with it; nothing else looks
//! at it: steps, keys and evidence are those of the program itself.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_model::Datum;

use crate::{GlobalId, LocalId, ProcId, Span, Type, Value};

/// A variable, shared or of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Told {
    /// A shared variable.
    Shared(GlobalId),
    /// A local variable of a procedure.
    Local(ProcId, LocalId),
}

/// How a program is shown in the words of the text that it was made from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Telling {
    /// How variables are shown; those that are not listed are shown as they are.
    pub variables: BTreeMap<Told, Manner>,
    /// Objects with addresses, by their first address.
    pub objects: BTreeMap<u64, Object>,
    /// The names of functions, by the numbers that stand for them.
    pub functions: BTreeMap<u64, String>,
    /// The places of statements: steps inside of one are told as the statement.
    pub statements: BTreeSet<Span>,
    /// Variables of functions that have an address: they are on the stack of a thread.
    pub on_stack: BTreeSet<GlobalId>,
    /// The places of calls that fill new objects with zeros, which is no access in the text.
    pub cleared: BTreeSet<Span>,
    /// The places of conditions: which way these tests go is told.
    pub conditions: BTreeSet<Span>,
    /// The places of calls that let go of a mutex until the thread wakes, at any time.
    pub wakes: BTreeSet<Span>,
    /// What a wrong run does, if one property was asked about: `has a data race`.
    pub wrong: Option<&'static str>,
}

/// How a variable is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Manner {
    /// The variable is not shown.
    Hidden,
    /// Says which objects of this name there are on the heap.
    Heap(String),
    /// The variable is shown as the original text writes it.
    Written {
        /// Its name, with the places of indices.
        pieces: Vec<Piece>,
        /// Whether its scalars are addresses.
        is_address: bool,
    },
}

/// A piece of how a variable is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// A text: `forks`, `.next`.
    Text(String),
    /// The index of an array.
    Index,
    /// Which object of a pool it is; told of those that these marks say there are.
    Object(GlobalId),
}

/// An object with an address, or a pool of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// The name of the object.
    pub name: String,
    /// How many bytes it has.
    pub size: u64,
    /// For those of a pool: how many there are, and how many bytes from one to the next.
    pub copies: Option<(u32, u64)>,
    /// The scalars of the object.
    pub parts: Vec<ObjectPart>,
}

/// A scalar of an object, or one for each element of the arrays on the way to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectPart {
    /// How many bytes from the start of the object.
    pub offset: u64,
    /// How many elements, and how many bytes from one to the next, of each array on the way.
    pub dimensions: Vec<(u32, u64)>,
    /// How it is written, after the name of the object.
    pub pieces: Vec<Piece>,
}

/// What is said of the end of a wait in which signals are no steps, so that it is not known whether there was one.
pub const WAKES: &str = "wakes";

/// This many statements back counts as far away.
const FAR: usize = 64;

impl Telling {
    /// An address as it is written.
    #[must_use]
    pub fn address(&self, value: &Value) -> Datum {
        let Some(number) = value.to_big() else { return Datum::Any };
        let Ok(address) = u64::try_from(&number) else { return Datum::Integer(number) };
        if address == 0 {
            return "NULL".into();
        }
        if let Some(name) = self.functions.get(&address) {
            return Datum::Name(name.clone());
        }
        let object = self.objects.range(..=address).next_back();
        let written = object.and_then(|(base, object)| object.at(address - base));
        written.map_or(Datum::Integer(number), Datum::Name)
    }

    /// The smallest statement that a place is inside of.
    #[must_use]
    pub fn statement(&self, place: Span) -> Option<Span> {
        let before = self.statements.range(..=Span { start: place.start, end: u32::MAX });
        // Statements inside of expressions are rare: what is far away does not reach this place.
        before.rev().take(FAR).find(|statement| place.end <= statement.end).copied()
    }

    /// What is said where the values of something cannot be listed, to people who have never heard of ranges. `is_told` says of the name of a
    /// variable whether the text has it.
    #[must_use]
    pub fn fault(&self, message: &str, is_told: impl Fn(&str) -> bool) -> String {
        let Some((what, rest)) = message.split_once(" has more than ") else {
            return message.to_owned();
        };
        let Some((many, _)) = rest.split_once(" possible values") else {
            return message.to_owned();
        };
        let what = match what.strip_prefix('`').and_then(|name| name.strip_suffix('`')) {
            // Of two variables of one name, the second has a mark that the text does not have.
            // An object of the heap that is a scalar has no name either.
            Some("heap") if self.variables.values().any(|manner| is_heap(manner, "heap")) => {
                "what `malloc` gave".to_owned()
            }
            Some(name) if is_told(name) => {
                format!("`{}`", name.split('\'').next().unwrap_or_default())
            }
            // A value on the way has no name that anybody knows.
            _ => "a value".to_owned(),
        };
        format!(
            "{what} may be one of more than {many} values here, and something is computed with it: give it a value first, or say \
             what it may be, as in `__VERIFIER_assume(0 <= x && x < 10)`"
        )
    }

    /// A variable with its values, under the names that it is told with; `slots` gives those of a shared variable.
    pub fn tell<'v>(
        &self,
        (variable, name, ty): (Told, &str, &Type),
        values: &'v [Value],
        slots: impl Fn(GlobalId) -> &'v [Value] + Copy,
        scalar: impl Fn(&Type, &Value) -> Datum + Copy,
    ) -> Vec<(String, Datum)> {
        let whole = [Piece::Text(name.to_owned())];
        let (pieces, is_address) = match self.variables.get(&variable) {
            Some(Manner::Hidden | Manner::Heap(_)) => return Vec::new(),
            Some(Manner::Written { pieces, is_address }) => (pieces.as_slice(), *is_address),
            None => (&whole[..], false),
        };
        let scalar = |ty: &Type, value: &Value| match is_address {
            true => self.address(value),
            false => scalar(ty, value),
        };
        let mut told = Vec::new();
        expand(String::new(), pieces, ty, values, slots, &scalar, &mut told);
        told
    }

    /// How one scalar of a variable is written, and whether it is an address; nothing if it is not told.
    #[must_use]
    pub fn scalar(
        &self,
        (variable, name, ty): (Told, &str, &Type),
        slot: usize,
    ) -> Option<(String, bool)> {
        let whole = [Piece::Text(name.to_owned())];
        let (pieces, is_address) = match self.variables.get(&variable) {
            Some(Manner::Hidden | Manner::Heap(_)) => return None,
            Some(Manner::Written { pieces, is_address }) => (pieces.as_slice(), *is_address),
            None => (&whole[..], false),
        };
        let (mut written, mut ty, mut rest) = (String::new(), ty, slot);
        let mut next = || match ty {
            Type::Array { element, length } => {
                let slots = element.slots().max(1);
                let index = rest / slots;
                (rest, ty) = (rest % slots, element);
                Some((index, *length as usize))
            }
            _ => None,
        };
        for piece in pieces {
            match piece {
                Piece::Text(text) => written += text,
                Piece::Index => {
                    if let Some((index, _)) = next() {
                        written += &format!("[{index}]");
                    }
                }
                Piece::Object(_) => {
                    if let Some((number, of)) = next() {
                        written = object_name(&written, number, of);
                    }
                }
            }
        }
        while let Some((index, _)) = next() {
            written += &format!("[{index}]");
        }
        Some((written, is_address))
    }

    /// The objects that there are on the heap; nothing where there is no heap.
    pub fn heap<'v>(&self, slots: impl Fn(GlobalId) -> &'v [Value]) -> Option<Datum> {
        let mut there = None;
        for (variable, manner) in &self.variables {
            if let (Told::Shared(marks), Manner::Heap(name)) = (variable, manner) {
                let objects = there.get_or_insert_with(Vec::new);
                let marks = slots(*marks);
                let named = |number| Datum::Name(object_name(name, number, marks.len()));
                objects.extend((0..marks.len()).filter(|&n| marks[n].is_true()).map(named));
            }
        }
        there.map(Datum::Set)
    }
}

/// Whether a manner says which objects of this name there are.
fn is_heap(manner: &Manner, wanted: &str) -> bool {
    matches!(manner, Manner::Heap(name) if name == wanted)
}

/// The name of an object in a pool.
fn object_name(name: &str, number: usize, of: usize) -> String {
    if of == 1 { name.to_owned() } else { format!("{name}#{}", number + 1) }
}

/// Tells the scalars of a variable: arrays at the end of the name as lists, all others element by element.
fn expand<'v>(
    name: String,
    pieces: &[Piece],
    ty: &Type,
    values: &'v [Value],
    slots: impl Fn(GlobalId) -> &'v [Value] + Copy,
    scalar: &dyn Fn(&Type, &Value) -> Datum,
    told: &mut Vec<(String, Datum)>,
) {
    let are_indices = pieces.iter().all(|piece| *piece == Piece::Index);
    let (piece, rest) = match pieces.split_first() {
        Some(split) if !(are_indices && *ty.scalar() != Type::Lock) => split,
        _ => return told.push((name, listed(ty, values, scalar))),
    };
    let Type::Array { element, .. } = ty else {
        let Piece::Text(text) = piece else { return };
        return expand(format!("{name}{text}"), rest, ty, values, slots, scalar, told);
    };
    let rows = values.chunks(element.slots().max(1));
    match piece {
        Piece::Text(text) => {
            expand(format!("{name}{text}"), rest, ty, values, slots, scalar, told);
        }
        Piece::Index => {
            for (number, row) in rows.enumerate() {
                let name = format!("{name}[{number}]");
                expand(name, rest, element, row, slots, scalar, told);
            }
        }
        Piece::Object(marks) => {
            let marks = slots(*marks);
            for (number, row) in rows.enumerate() {
                if marks.get(number).is_some_and(Value::is_true) {
                    let name = object_name(&name, number, marks.len());
                    expand(name, rest, element, row, slots, scalar, told);
                }
            }
        }
    }
}

/// What is in the slots of a variable; an array is one value.
pub(crate) fn listed(
    ty: &Type,
    values: &[Value],
    scalar: &dyn Fn(&Type, &Value) -> Datum,
) -> Datum {
    match ty {
        Type::Array { element, .. } => {
            let rows = values.chunks(element.slots().max(1));
            Datum::List(rows.map(|row| listed(element, row, scalar)).collect())
        }
        _ => values.first().map_or(Datum::Any, |value| scalar(ty, value)),
    }
}

impl Object {
    /// The address so many bytes after the first one, as it is written; nothing if it is of something else.
    fn at(&self, offset: u64) -> Option<String> {
        let (name, offset) = match self.copies {
            Some((copies, stride)) => {
                let number = offset / stride.max(1);
                let number = usize::try_from(number).ok().filter(|n| *n < copies as usize)?;
                (object_name(&self.name, number, copies as usize), offset % stride.max(1))
            }
            None => (self.name.clone(), offset),
        };
        let part = self.parts.iter().find_map(|part| part.at(offset));
        match part {
            Some(part) => Some(format!("&{name}{part}")),
            None if offset == 0 => Some(format!("&{name}")),
            None if offset == self.size => Some(format!("&{name} + 1")),
            None if offset < self.size => Some(format!("(char *)&{name} + {offset}")),
            None => None,
        }
    }
}

impl ObjectPart {
    /// How the scalar so many bytes after the start of the object is written, or the one after the last of an array.
    fn at(&self, offset: u64) -> Option<String> {
        let mut rest = offset.checked_sub(self.offset)?;
        let mut indices = Vec::new();
        let last = self.dimensions.len().saturating_sub(1);
        for (number, &(length, stride)) in self.dimensions.iter().enumerate() {
            let index = rest.checked_div(stride)?;
            let past = u64::from(number == last && number == 0 && self.dimensions.len() == 1);
            if index >= u64::from(length) + past {
                return None;
            }
            rest -= index * stride;
            indices.push(index);
        }
        if rest != 0 {
            return None;
        }
        let mut indices = indices.into_iter();
        let write = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Index => indices.next().map_or(String::new(), |index| format!("[{index}]")),
            Piece::Object(_) => String::new(),
        };
        // The address of a record is that of its first member.
        let is_member = |piece: &&Piece| matches!(piece, Piece::Text(_)) && self.offset == 0;
        let members = self.pieces.iter().rev().take_while(is_member).count();
        Some(self.pieces[..self.pieces.len() - members].iter().map(write).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Piece {
        Piece::Text(text.to_owned())
    }

    /// `struct node { int value; struct node *next; }`, two of them from 16 on; `int a[3]` from 64 on.
    fn telling() -> Telling {
        let part =
            |offset, name| ObjectPart { offset, dimensions: vec![], pieces: vec![text(name)] };
        let nodes = Object {
            name: "node".to_owned(),
            size: 16,
            copies: Some((2, 24)),
            parts: vec![part(0, ".value"), part(8, ".next")],
        };
        let numbers = Object {
            name: "a".to_owned(),
            size: 12,
            copies: None,
            parts: vec![ObjectPart {
                offset: 0,
                dimensions: vec![(3, 4)],
                pieces: vec![Piece::Index],
            }],
        };
        let pool = Object {
            name: "pool".to_owned(),
            size: 32,
            copies: None,
            parts: [(0, ".value"), (8, ".next")]
                .map(|(offset, name)| ObjectPart {
                    offset,
                    dimensions: vec![(2, 16)],
                    pieces: vec![Piece::Index, text(name)],
                })
                .to_vec(),
        };
        let objects = BTreeMap::from([(16, nodes), (64, numbers), (128, pool)]);
        Telling { objects, ..Telling::default() }
    }

    #[test]
    fn addresses_are_written_as_in_c() {
        let address = |number: i64| telling().address(&Value::Small(number)).to_string();
        assert_eq!(address(0), "NULL");
        assert_eq!(address(16), "&node#1");
        assert_eq!(address(24), "&node#1.next");
        assert_eq!(address(40), "&node#2");
        assert_eq!(address(44), "(char *)&node#2 + 4");
        assert_eq!(address(64), "&a[0]");
        assert_eq!(address(72), "&a[2]");
        assert_eq!(address(76), "&a[3]");
        assert_eq!(address(77), "77");
        assert_eq!(address(144), "&pool[1]");
        assert_eq!(address(152), "&pool[1].next");
        assert_eq!(address(3), "3");
        assert_eq!(telling().address(&Value::Open), Datum::Any);
    }

    #[test]
    fn nobody_who_writes_c_is_told_of_ranges() {
        let said =
            |message: &str| Telling::default().fault(message, |name| !name.starts_with("t'"));
        let told = said("`t'3` has more than 65536 possible values: use a smaller range");
        assert!(told.starts_with("a value may be one of more than 65536 values here"), "{told}");
        let told = said("this choice has more than 65536 possible values: use a smaller range");
        assert!(told.starts_with("a value may be"), "{told}");
        assert!(said("`x'2` has more than 9 possible values: no").starts_with("`x` may be"));
        assert_eq!(said("something else"), "something else");
    }

    #[test]
    fn objects_are_told_while_they_are_there() {
        let marks = Told::Shared(GlobalId(0));
        let values = Told::Shared(GlobalId(1));
        let pieces = vec![text("node"), Piece::Object(GlobalId(0)), text(".next")];
        let mut telling = telling();
        telling.variables.insert(marks, Manner::Heap("node".to_owned()));
        telling.variables.insert(values, Manner::Written { pieces, is_address: true });
        let ty = Type::Array { element: Box::new(Type::Int), length: 2 };
        let used = [Value::Small(0), Value::Small(1)];
        let next = [Value::Small(40), Value::Small(16)];
        let scalar = |_: &Type, _: &Value| Datum::Any;
        let told = telling.tell((values, "node.next", &ty), &next, |_| &used[..], scalar);
        assert_eq!(told, [("node#2.next".to_owned(), "&node#1".into())]);
        assert_eq!(telling.heap(|_| &used[..]).unwrap().to_string(), "{node#2}");
        assert!(telling.tell((marks, "node.used", &ty), &used, |_| &used[..], scalar).is_empty());
    }

    #[test]
    fn steps_belong_to_the_statement_around_them() {
        let span = |start, end| Span { start, end };
        let statements = BTreeSet::from([span(0, 9), span(10, 30), span(12, 20)]);
        let telling = Telling { statements, ..Telling::default() };
        assert_eq!(telling.statement(span(2, 3)), Some(span(0, 9)));
        assert_eq!(telling.statement(span(13, 14)), Some(span(12, 20)));
        assert_eq!(telling.statement(span(22, 25)), Some(span(10, 30)));
        assert_eq!(telling.statement(span(40, 41)), None);
    }
}
