//! # Maps whose names are said once
//! JSON lets an object say a name twice, and a reader take either. Evidence that does is refused: nobody should have to
//! know which of two values was checked.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// Reads a map, and refuses a name that is there twice.
pub(super) fn map<'de, D, V>(deserializer: D) -> Result<BTreeMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    deserializer.deserialize_map(Names(PhantomData))
}

struct Names<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for Names<V> {
    type Value = BTreeMap<String, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut found = BTreeMap::new();
        while let Some((name, value)) = entries.next_entry::<String, V>()? {
            if found.contains_key(&name) {
                return Err(A::Error::custom(format_args!("duplicate name `{name}`")));
            }
            found.insert(name, value);
        }
        Ok(found)
    }
}
