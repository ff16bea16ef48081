//! # What a step wrote
//! A step that writes a variable tells its value, also where no difference between states shows it: it may be the value that was there, as in a
//! lost update, or one that nobody reads again. Statements that count who waits, and locks, are told by what changes alone.

use selvedge_model::{Cell, Datum, Deed, Touched};

use crate::holders::Holders;
use crate::view::{Change, MOST_ELEMENTS, changed};

/// What the statements of a step wrote beside the changes that are told of it: to shared variables, and to those of the thread.
#[derive(Default)]
pub(crate) struct Untold {
    pub shared: Vec<Change>,
    pub own: Vec<Change>,
}

/// A slot that was written, from before the first write to after the last one.
struct Written<'d> {
    name: &'d str,
    cell: Cell,
    before: &'d Datum,
    after: &'d Datum,
}

impl Written<'_> {
    fn told(&self) -> Change {
        let before = Some(self.before).filter(|before| **before != Datum::Any);
        changed(self.name, before, self.after)
    }
}

/// Finds what the statements of a step wrote that is not told yet. An array or a struct that is written as a whole is told by what changes; if nothing does,
/// by its elements, or by what `after` says it is if these are many.
pub(crate) fn untold(
    deeds: &[Deed],
    told: &[Change],
    holders: &Holders,
    after: &dyn Fn(Cell, &str) -> Option<Datum>,
) -> Untold {
    let mut all: Vec<Written<'_>> = Vec::new();
    for Touched { cell, name, before, value, .. } in
        deeds.iter().flat_map(|deed| news(deed, holders))
    {
        match all.iter_mut().find(|known| known.cell == *cell) {
            Some(known) => known.after = value,
            None => all.push(Written { name, cell: *cell, before, after: value }),
        }
    }
    all.retain(|written| *written.after != Datum::Any);
    let is_told = |of: &dyn Fn(&str) -> bool| {
        told.iter().any(|change| matches!(change, Change::Value { name, .. } if of(name)))
    };
    let mut untold = Untold::default();
    for parts in all.chunk_by(|a, b| whole(a.name) == whole(b.name)) {
        let Some(first) = parts.first() else { continue };
        let name = whole(first.name);
        let to = match first.cell {
            Cell::Shared(_) => &mut untold.shared,
            Cell::Own { .. } => &mut untold.own,
        };
        match parts {
            [part] if is_told(&|told| told == part.name || told == name) => {}
            [_, _, ..] if is_told(&|told| whole(told) == name) => {}
            parts if parts.len() <= MOST_ELEMENTS => to.extend(parts.iter().map(Written::told)),
            _ => to.extend(after(first.cell, name).map(|all| changed(name, Some(&all), &all))),
        }
    }
    untold
}

/// The writes of a statement that are told even if they change nothing.
fn news<'d>(deed: &'d Deed, holders: &'d Holders) -> impl Iterator<Item = &'d Touched> {
    // Beside the number of those who wait at something there is another one that the text does not name.
    let counts_who_waits = deed.writes.iter().any(|write| is_made(&write.name));
    // Of several variables at a time, those that only keep their value are silent.
    let is_kept = |write: &Touched| {
        deed.writes.len() > 1 && write.before == write.value && write.from.contains(&write.cell)
    };
    deed.writes.iter().filter(move |write| {
        let is_variable = !write.name.is_empty()
            && !holders.is_lock_that_is(&write.name, &write.value.to_string());
        is_variable && !counts_who_waits && !write.is_settled && !is_kept(write)
    })
}

/// Whether a variable is not in the text: `c$called` belongs to a condition.
pub(crate) fn is_made(name: &str) -> bool {
    name.contains('$')
}

/// The variable that an element or a member belongs to: `a` for `a[2]` and for `a.x`.
fn whole(name: &str) -> &str {
    name.split(['[', '.']).next().unwrap_or(name)
}

/// What one of several statements of a thread wrote. A value that it left open is told of it, and not of the one that reads and so settles it.
pub(crate) fn by_statement(
    thread: &str,
    deeds: &[Deed],
    at: usize,
    holders: &Holders,
) -> Vec<Change> {
    let (before, rest) = deeds.split_at(at);
    let Some((deed, later)) = rest.split_first() else { return Vec::new() };
    let told = |name: &str, value: &Datum| match *value == "held" && holders.is_lock(name) {
        true => Datum::Name(format!("held by {thread}")),
        false => value.clone(),
    };
    let change = |write: &Touched| {
        let value = if write.value == Datum::Any { settled(write, later)? } else { &write.value };
        let before = Some(told(&write.name, &write.before)).filter(|before| *before != Datum::Any);
        Some(Change::Value { name: write.name.clone(), before, after: told(&write.name, value) })
    };
    let was_opened =
        |cell: Cell| before.iter().flat_map(|deed| &deed.writes).any(|write| write.cell == cell);
    let is_told = |write: &&Touched| {
        let is_told_before = write.is_settled && was_opened(write.cell);
        !write.name.is_empty() && !is_told_before
    };
    deed.writes.iter().filter(is_told).filter_map(change).collect()
}

/// The value that a place gets by being read that was left open, if the next statement that writes it does not set another one.
fn settled<'d>(open: &Touched, later: &'d [Deed]) -> Option<&'d Datum> {
    let mut writes = later.iter().flat_map(|deed| &deed.writes);
    let next = writes.find(|write| write.cell == open.cell)?;
    next.is_settled.then_some(&next.value)
}

/// The values of the thread's own variables that a step chose by reading them, where no state has them: they go wrong with it, or are not read again.
pub(crate) fn chosen(deeds: &[Deed], told: &[Change]) -> Vec<Change> {
    let is_told = |name: &str| {
        told.iter()
            .any(|change| matches!(change, Change::Value { name: known, .. } if known == name))
    };
    let mut chosen: Vec<Change> = Vec::new();
    for read in deeds.iter().flat_map(|deed| &deed.reads) {
        let is_own = matches!(read.cell, Cell::Own { frame: 0, .. }) && !read.name.is_empty();
        let is_chosen = read.before == Datum::Any && read.value != Datum::Any;
        if is_own && is_chosen && !is_told(&read.name) {
            chosen.push(changed(&read.name, Some(&read.before), &read.value));
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Counter;

    fn write(cell: Cell, name: &str, before: Datum, value: i64) -> Touched {
        let value = Datum::from(value);
        Touched { cell, name: name.to_owned(), before, value, from: Vec::new(), is_settled: false }
    }

    fn told(writes: Vec<Touched>, changes: &[Change]) -> String {
        let deed = Deed { writes, ..Deed::default() };
        let all = Datum::List(vec![0.into(); 5]);
        let after = |_, name: &str| (name == "long").then(|| all.clone());
        let Untold { shared, own } = untold(&[deed], changes, &Holders::new(&Counter), &after);
        let all = shared.iter().chain(&own);
        all.map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_write_of_the_value_that_was_there_is_told() {
        let shared = |slot, name, value: i64| write(Cell::Shared(slot), name, value.into(), value);
        assert_eq!(told(vec![shared(0, "x", 1)], &[]), "x: 1 → 1");
        assert_eq!(told(vec![shared(0, "a[2]", 0)], &[]), "a[2]: 0 → 0");
        assert_eq!(told(vec![shared(0, "", 0)], &[]), "");
        let changes = [changed("x", Some(&0.into()), &1.into())];
        assert_eq!(told(vec![shared(0, "x", 1)], &changes), "");
    }

    #[test]
    fn a_value_that_nobody_reads_again_is_told() {
        let own = write(Cell::Own { frame: 0, slot: 0 }, "mine", Datum::Any, 2);
        assert_eq!(told(vec![own], &[]), "mine = 2");
    }

    #[test]
    fn of_a_whole_array_what_changes_is_told() {
        let zeros = |name: &str, length: usize| -> Vec<Touched> {
            let one = |at| write(Cell::Shared(at), &format!("{name}[{at}]"), 0.into(), 0);
            (0..length).map(one).collect()
        };
        assert_eq!(told(zeros("a", 2), &[]), "a[0]: 0 → 0, a[1]: 0 → 0");
        assert_eq!(told(zeros("long", 5), &[]), "long: [0,0,0,0,0] → [0,0,0,0,0]");
        let changes = [changed("a[1]", Some(&1.into()), &0.into())];
        assert_eq!(told(zeros("a", 2), &changes), "");
    }

    #[test]
    fn what_keeps_its_value_beside_others_is_not_told() {
        let mut kept = write(Cell::Shared(0), "s", 0.into(), 0);
        kept.from = vec![kept.cell];
        assert_eq!(told(vec![kept.clone()], &[]), "s: 0 → 0");
        let other = write(Cell::Shared(1), "c", 2.into(), 2);
        assert_eq!(told(vec![kept, other], &[]), "c: 2 → 2");
    }

    #[test]
    fn who_waits_is_told_by_what_changes() {
        let counter = |slot, name| write(Cell::Shared(slot), name, 0.into(), 0);
        assert_eq!(told(vec![counter(0, "c"), counter(1, "c$called")], &[]), "");
    }
}
