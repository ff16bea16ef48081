//! # Enumerations
//! Enumerators are `int` constants. The type itself is `unsigned int`, unless an enumerator is negative or needs more bits, as gcc
//! has it.

use selvedge_program::Span;

use super::Checker;
use super::arithmetic::{INT, LONG_LONG, UNSIGNED, UNSIGNED_LONG_LONG};
use super::scope::{Meaning, Tag};
use crate::c::tree::{self, Enumeration, Rank};
use crate::c::types::{DataModel, Type};

impl Checker<'_> {
    /// The integer type of an enumeration; its enumerators are declared.
    pub fn enumeration(&mut self, enumeration: &Enumeration) -> Option<Type> {
        let Some(enumerators) = &enumeration.enumerators else {
            let tag = enumeration.tag.as_ref()?;
            return match self.lookup_tag(&tag.text).cloned() {
                Some(Tag::Enum(ty, _)) => Some(ty),
                Some(Tag::Record(_)) => {
                    self.error(tag.span, format!("`{}` is no enumeration", tag.text));
                    None
                }
                None => {
                    self.tag(tag, Tag::Enum(UNSIGNED, false));
                    Some(UNSIGNED)
                }
            };
        };
        let values = self.enumerators(enumerators);
        let least = values.iter().map(|(_, value)| *value).min().unwrap_or(0).min(0);
        let most = values.iter().map(|(_, value)| *value).max().unwrap_or(0);
        let ty = self.holding(least, most, enumeration.span)?;
        for (name, value) in values {
            let own = if i32::try_from(value).is_ok() { INT } else { ty.clone() };
            // Bound already, with a type for the enumerators after it.
            self.bind(name, Meaning::Enumerator(value, own));
        }
        if let Some(tag) = &enumeration.tag {
            if let Some((Tag::Enum(_, true), first)) = self.innermost().tags.get(&tag.text).cloned()
            {
                self.twice(tag, first);
            }
            self.tag(tag, Tag::Enum(ty.clone(), true));
        }
        Some(ty)
    }

    fn enumerators<'n>(
        &mut self,
        enumerators: &'n [(tree::Name, Option<tree::Expr>)],
    ) -> Vec<(&'n tree::Name, i128)> {
        let mut values: Vec<(&tree::Name, i128)> = Vec::new();
        let mut next = 0_i128;
        for (name, value) in enumerators {
            if let Some(expr) = value
                && let Some(value) = self.constant_int(expr, "the value of an enumerator")
            {
                next = value;
            }
            let ty = if i32::try_from(next).is_ok() {
                INT
            } else if next > i128::from(i64::MAX) {
                UNSIGNED_LONG_LONG
            } else {
                LONG_LONG
            };
            self.bind_once(name, Meaning::Enumerator(next, ty));
            values.push((name, next));
            next = next.saturating_add(1);
        }
        values
    }

    /// The integer type for values in a range.
    fn holding(&mut self, least: i128, most: i128, span: Span) -> Option<Type> {
        let wide = match self.types.model {
            DataModel::Ilp32 => Rank::LongLong,
            DataModel::Lp64 => Rank::Long,
        };
        if least == 0 {
            if most <= i128::from(u32::MAX) {
                return Some(UNSIGNED);
            }
            if most <= i128::from(u64::MAX) {
                return Some(self.integer(wide, false));
            }
        } else if least >= i128::from(i32::MIN) && most <= i128::from(i32::MAX) {
            return Some(INT);
        } else if least >= i128::from(i64::MIN) && most <= i128::from(i64::MAX) {
            return Some(self.integer(wide, true));
        }
        self.error(span, "no integer type holds all values of this enumeration");
        None
    }

    /// Gives a tag a meaning in the innermost block.
    pub fn tag(&mut self, name: &tree::Name, tag: Tag) {
        self.innermost().tags.insert(name.text.clone(), (tag, name.span));
    }
}
