//! # A state, said
//! A state is said as the numbers of its parts, which another worker knows ([`super::wire`]), with the position of the thread that moved.

use super::super::moving::GONE;
use super::super::space::Space;
use super::super::stacks::Stacks;
use super::super::words::Layout;
use super::wire::{self, Kind, Names, garbled};
use crate::Stop;

/// Says a state to a worker, or to a file, and where the thread is that moved.
pub(super) fn tell_word(
    space: &Space<'_, Stacks>,
    names: &mut Names,
    to: usize,
    word: &[u32],
    at: u32,
) {
    let is_counted = matches!(space.layout, Layout::Counted);
    names.tell(to, Kind::Shared, word[0], |out| {
        wire::write_shared(&*space.system, word[0], out);
    });
    if space.largest.is_none() {
        names.tell_number(to, (word.len() - 1) as u32);
    }
    for (place, &number) in word[1..].iter().enumerate() {
        if is_counted && place % 2 == 1 {
            names.tell_number(to, number);
        } else {
            names.tell(to, Kind::Entry, number, |out| wire::write_entry(space, number, out));
        }
    }
    names.tell_number(to, at.wrapping_add(1));
    names.end(to);
}

/// Reads a state; the entry of the thread that moved, if it is still there.
pub(super) fn hear_word(
    space: &Space<'_, Stacks>,
    names: &Names,
    from: usize,
    rest: &mut &[u8],
    word: &mut Vec<u32>,
) -> Result<Option<u32>, Stop> {
    word.clear();
    word.push(names.heard(from, Kind::Shared, rest)?);
    let length = match &space.largest {
        Some(largest) => largest.len() - 1,
        None => wire::read(rest)? as usize,
    };
    let is_counted = matches!(space.layout, Layout::Counted);
    for place in 0..length {
        word.push(match is_counted && place % 2 == 1 {
            true => u32::try_from(wire::read(rest)?).map_err(|_| garbled())?,
            false => names.heard(from, Kind::Entry, rest)?,
        });
    }
    let at = (wire::read(rest)? as u32).wrapping_sub(1);
    let entry = match at {
        GONE => None,
        at => Some(space.layout.at(word, at).ok_or_else(garbled)?),
    };
    match &space.layout {
        Layout::Listed(listed) => listed.sort(&mut word[1..]),
        Layout::Counted => {
            if !length.is_multiple_of(2) {
                return Err(garbled());
            }
            let mut pairs: Vec<(u32, u32)> =
                word[1..].chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            pairs.sort_unstable();
            word.truncate(1);
            word.extend(pairs.into_iter().flat_map(|(entry, count)| [entry, count]));
        }
    }
    Ok(entry)
}
