//! # Values that have names
//! What a variable holds, for people and for other programs: [`Values`] is a list of names with a [`Datum`] each, in the
//! order of the source. Engines never look at them; they are made where something is shown.

use std::fmt;
use std::ops::Index;

use num_bigint::BigInt;

/// Tells the value of a variable, with the type that it has in the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Datum {
    /// An integer, or the number of a thread.
    Integer(BigInt),
    /// A truth value.
    Bool(bool),
    /// Something with a name: an enumerator, `free` or `held` of a lock, `none`, the shared state of a table.
    Name(String),
    /// The elements of an array; of one with several dimensions, its rows.
    List(Vec<Datum>),
    /// A set.
    Set(Vec<Datum>),
    /// Any value of its type: nothing has asked for it yet.
    Any,
}

impl Datum {
    /// The integer, if it is one that fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Datum::Integer(number) => i64::try_from(number).ok(),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Datum::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The name, if it has one.
    #[must_use]
    pub fn as_name(&self) -> Option<&str> {
        match self {
            Datum::Name(name) => Some(name),
            _ => None,
        }
    }

    /// The elements of an array or a set.
    #[must_use]
    pub fn elements(&self) -> &[Datum] {
        match self {
            Datum::List(elements) | Datum::Set(elements) => elements,
            _ => &[],
        }
    }
}

impl From<i64> for Datum {
    fn from(number: i64) -> Self {
        Datum::Integer(number.into())
    }
}

impl From<bool> for Datum {
    fn from(value: bool) -> Self {
        Datum::Bool(value)
    }
}

impl From<&str> for Datum {
    fn from(name: &str) -> Self {
        Datum::Name(name.to_owned())
    }
}

impl PartialEq<i64> for Datum {
    fn eq(&self, number: &i64) -> bool {
        self.as_i64() == Some(*number)
    }
}

impl PartialEq<bool> for Datum {
    fn eq(&self, value: &bool) -> bool {
        self.as_bool() == Some(*value)
    }
}

impl PartialEq<str> for Datum {
    fn eq(&self, name: &str) -> bool {
        self.as_name() == Some(name)
    }
}

impl PartialEq<&str> for Datum {
    fn eq(&self, name: &&str) -> bool {
        self == *name
    }
}

/// Longer lists are not shown element by element.
const LONG_LIST: usize = 16;

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Integer(number) => number.fmt(f),
            Datum::Bool(value) => value.fmt(f),
            Datum::Name(name) => f.write_str(name),
            Datum::List(elements) => write!(f, "[{}]", Elements(elements)),
            Datum::Set(elements) => write!(f, "{{{}}}", Elements(elements)),
            Datum::Any => f.write_str("?"),
        }
    }
}

/// Elements with commas between them; in long lists, equal neighbours are counted: `1,0 × 998,1`.
struct Elements<'a>(&'a [Datum]);

impl fmt::Display for Elements<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_long = self.0.len() > LONG_LIST;
        for (at, run) in self.0.chunk_by(|a, b| is_long && a == b).enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{}", run[0])?;
            if run.len() > 1 {
                write!(f, " × {}", run.len())?;
            }
        }
        Ok(())
    }
}

/// Values with their names, each name once. As text, `count=0 done=false`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Values(Vec<(String, Datum)>);

impl Values {
    /// The value of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Datum> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Names and values, in the order of the source.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Datum)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The names, in the order of the source.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(name, _)| name)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a value. A name that there is already is put in brackets: what a system knows beside its variables may be
    /// called as one of them.
    pub fn push(&mut self, name: &str, value: Datum) {
        let mut name = name.to_owned();
        while self.get(&name).is_some() {
            name = format!("({name})");
        }
        self.0.push((name, value));
    }

    /// Leaves out the values of which this does not hold.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &Datum) -> bool) {
        self.0.retain(|(name, value)| keep(name, value));
    }
}

/// The value of a name that is there; see [`Values::get`].
impl Index<&str> for Values {
    type Output = Datum;

    fn index(&self, name: &str) -> &Datum {
        self.get(name).unwrap_or_else(|| panic!("there is no value called `{name}`: {self}"))
    }
}

/// Of names that differ.
impl FromIterator<(String, Datum)> for Values {
    fn from_iter<T: IntoIterator<Item = (String, Datum)>>(values: T) -> Self {
        Values(values.into_iter().collect())
    }
}

impl IntoIterator for Values {
    type Item = (String, Datum);
    type IntoIter = std::vec::IntoIter<(String, Datum)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.iter().enumerate() {
            let space = if at == 0 { "" } else { " " };
            write!(f, "{space}{name}={value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(numbers: impl IntoIterator<Item = i64>) -> Datum {
        Datum::List(numbers.into_iter().map(Datum::from).collect())
    }

    #[test]
    fn long_lists_are_counted() {
        assert_eq!(list([0, 0, 0, 1]).to_string(), "[0,0,0,1]");
        let long = (0..19).map(|n| i64::from(n == 0 || n == 18));
        assert_eq!(list(long).to_string(), "[1,0 × 17,1]");
        assert_eq!(Datum::Set(vec![Datum::Any, "a".into()]).to_string(), "{?,a}");
        assert_eq!(Datum::List(vec![list([1]), list([])]).to_string(), "[[1],[]]");
    }

    #[test]
    fn each_name_is_there_once() {
        let mut values = Values::default();
        values.push("result", 1.into());
        values.push("result", true.into());
        assert_eq!(values.to_string(), "result=1 (result)=true");
        assert_eq!(values["result"], 1);
        assert_eq!(values["(result)"], true);
        assert_eq!(values.get("other"), None);
        values.retain(|name, _| name != "result");
        assert_eq!(values.names().collect::<Vec<_>>(), ["(result)"]);
    }
}
