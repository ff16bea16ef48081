//! # Linear algebra with exact numbers
//! Two small tools: all vectors on which given rows vanish ([`Kernel`]), and a point of a cone at which a
//! linear function is positive ([`positive`]). Numbers are fractions of 128 bits; where they do not suffice,
//! there is no answer.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A row, by the columns that are not zero.
pub(crate) type Row = BTreeMap<u32, i128>;

/// Adds to a column of a row.
pub(crate) fn add(row: &mut Row, column: u32, value: i128) {
    let entry = row.entry(column).or_insert(0);
    *entry += value;
    if *entry == 0 {
        row.remove(&column);
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

/// More numbers than this are not kept.
const MOST_ENTRIES: usize = 1 << 20;

/// More pivots than this are not made.
const MOST_PIVOTS: usize = 1_000;

/// Rows in echelon form, each with a column of its own.
#[derive(Default)]
pub(crate) struct Kernel {
    pivots: BTreeMap<u32, Row>,
    /// How many numbers there are in them.
    entries: usize,
}

impl Kernel {
    /// One more row on which vectors have to vanish. `None` if numbers become too large, or too many.
    pub fn require(&mut self, row: Row) -> Option<()> {
        let row = self.reduced(row)?;
        let Some((&column, _)) = row.iter().next() else { return Some(()) };
        for other in self.pivots.values_mut() {
            if other.contains_key(&column) {
                self.entries -= other.len();
                *other = eliminated(other, &row, column)?;
                self.entries += other.len();
            }
        }
        self.entries += row.len();
        self.pivots.insert(column, row);
        (self.entries <= MOST_ENTRIES).then_some(())
    }

    fn reduced(&self, mut row: Row) -> Option<Row> {
        let columns: Vec<u32> =
            row.keys().copied().filter(|column| self.pivots.contains_key(column)).collect();
        for column in columns {
            row = eliminated(&row, &self.pivots[&column], column)?;
        }
        Some(row)
    }

    /// Vectors of so many columns that span all others: one for each column without a row of its own.
    pub fn basis(&self, columns: u32) -> Option<Vec<Row>> {
        let free = (0..columns).filter(|column| !self.pivots.contains_key(column));
        free.map(|free| {
            let touched = || self.pivots.iter().filter(|(_, row)| row.contains_key(&free));
            let mut scale = 1_i128;
            for (column, row) in touched() {
                let pivot = row[column];
                scale = scale.checked_mul(pivot / gcd(scale, pivot))?;
            }
            let mut vector = Row::from([(free, scale)]);
            for (column, row) in touched() {
                let value = (scale / row[column]).checked_mul(row[&free])?.checked_neg()?;
                add(&mut vector, *column, value);
            }
            Some(vector)
        })
        .collect()
    }
}

/// A row without this column, by means of another one that has it.
fn eliminated(row: &Row, by: &Row, column: u32) -> Option<Row> {
    let (have, pivot) = (row[&column], by[&column]);
    let shared = gcd(have, pivot);
    let (times, less) = (pivot / shared, have / shared);
    let mut result = Row::new();
    for (&at, &value) in row {
        result.insert(at, value.checked_mul(times)?);
    }
    for (&at, &value) in by {
        let entry = result.entry(at).or_insert(0);
        *entry = entry.checked_sub(value.checked_mul(less)?)?;
    }
    result.retain(|_, value| *value != 0);
    let shared = result.values().fold(0, |shared, &value| gcd(shared, value));
    if shared > 1 {
        result.values_mut().for_each(|value| *value /= shared);
    }
    Some(result)
}

/// A fraction: the denominator is positive, and there is no common factor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ratio(i128, i128);

impl Ratio {
    const ZERO: Ratio = Ratio(0, 1);
    const ONE: Ratio = Ratio(1, 1);

    fn new(above: i128, below: i128) -> Option<Self> {
        let shared = gcd(above, below).max(1);
        let sign = if below < 0 { -1 } else { 1 };
        Some(Ratio((above / shared).checked_mul(sign)?, (below / shared).checked_mul(sign)?))
    }

    fn times(self, other: Self) -> Option<Self> {
        Ratio::new(self.0.checked_mul(other.0)?, self.1.checked_mul(other.1)?)
    }

    fn over(self, other: Self) -> Option<Self> {
        Ratio::new(self.0.checked_mul(other.1)?, self.1.checked_mul(other.0)?)
    }

    fn minus(self, other: Self) -> Option<Self> {
        let above = self.0.checked_mul(other.1)?.checked_sub(other.0.checked_mul(self.1)?)?;
        Ratio::new(above, self.1.checked_mul(other.1)?)
    }

    fn compare(self, other: Self) -> Option<Ordering> {
        Some(self.0.checked_mul(other.1)?.cmp(&other.0.checked_mul(self.1)?))
    }
}

/// Integers at which no row is positive and the objective is; all have so many columns. `None` if there are
/// none, or numbers become too large, or it takes too long.
///
/// The simplex method, with the rule of Bland, from the point 0, where every row is 0; it ends with the first
/// point at which the objective is positive. Each column is the difference of two that are not negative, and
/// the sum of all is at most 1.
pub(crate) fn positive(objective: &[i128], rows: &[Vec<i128>]) -> Option<Vec<i128>> {
    let columns = objective.len();
    let split = |row: &[i128]| -> Vec<Ratio> {
        row.iter().flat_map(|&value| [Ratio(value, 1), Ratio(-value, 1)]).collect()
    };
    let mut table: Vec<Vec<Ratio>> = Vec::with_capacity(rows.len() + 2);
    for row in rows {
        let mut row = split(row);
        row.push(Ratio::ZERO);
        table.push(row);
    }
    table.push(vec![Ratio::ONE; 2 * columns + 1]);
    let mut goal = split(objective);
    goal.push(Ratio::ZERO);
    // Which variable stands in each column, and in each row: slack variables come after the others.
    let mut outside: Vec<usize> = (0..2 * columns).collect();
    let mut inside: Vec<usize> = (2 * columns..2 * columns + table.len()).collect();
    for pivots in 0.. {
        // The value of the objective, negated.
        if goal[2 * columns].0 < 0 {
            break;
        }
        if pivots == MOST_PIVOTS {
            return None;
        }
        let entering =
            (0..2 * columns).filter(|&at| goal[at].0 > 0).min_by_key(|&at| outside[at])?;
        let mut leaving: Option<(usize, Ratio)> = None;
        for (at, row) in table.iter().enumerate().filter(|(_, row)| row[entering].0 > 0) {
            let ratio = row[2 * columns].over(row[entering])?;
            let better = match leaving {
                None => true,
                Some((best, least)) => match ratio.compare(least)? {
                    Ordering::Less => true,
                    Ordering::Equal => inside[at] < inside[best],
                    Ordering::Greater => false,
                },
            };
            if better {
                leaving = Some((at, ratio));
            }
        }
        let (leaving, _) = leaving?;
        let pivot = table[leaving][entering];
        for (at, value) in table[leaving].iter_mut().enumerate() {
            *value = match at == entering {
                true => Ratio::ONE.over(pivot)?,
                false => value.over(pivot)?,
            };
        }
        let row = table[leaving].clone();
        let others = table.iter_mut().enumerate().filter(|(at, _)| *at != leaving);
        for other in others.map(|(_, other)| other).chain([&mut goal]) {
            let factor = other[entering];
            if factor.0 == 0 {
                continue;
            }
            other[entering] = Ratio::ZERO;
            for (value, &by) in other.iter_mut().zip(&row) {
                if by.0 != 0 {
                    *value = value.minus(factor.times(by)?)?;
                }
            }
        }
        std::mem::swap(&mut outside[entering], &mut inside[leaving]);
    }
    let mut found = vec![Ratio::ZERO; columns];
    for (&variable, row) in inside.iter().zip(&table) {
        if variable < 2 * columns {
            let value = row[2 * columns];
            let signed = if variable % 2 == 0 { value } else { Ratio(-value.0, value.1) };
            found[variable / 2] = found[variable / 2].minus(Ratio(-signed.0, signed.1))?;
        }
    }
    let mut scale = 1_i128;
    for value in &found {
        scale = scale.checked_mul(value.1 / gcd(scale, value.1))?;
    }
    found.iter().map(|value| value.0.checked_mul(scale / value.1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_what_rows_vanish_on() {
        let mut kernel = Kernel::default();
        kernel.require(Row::from([(0, 1), (1, -1)])).unwrap();
        kernel.require(Row::from([(1, 2), (2, -3)])).unwrap();
        kernel.require(Row::from([(0, 2), (2, -3)])).unwrap();
        let basis = kernel.basis(4).unwrap();
        assert_eq!(basis, [Row::from([(0, 3), (1, 3), (2, 2)]), Row::from([(3, 1)])]);
    }

    /// Against all small integer points.
    #[test]
    fn positive_points_are_found_where_there_are_some() {
        let mut rng = fastrand::Rng::with_seed(7);
        let (mut found, mut none) = (0, 0);
        for _ in 0..400 {
            let mut row = || (0..3).map(|_| rng.i128(-2..=2)).collect::<Vec<_>>();
            let (objective, rows) = (row(), (0..4).map(|_| row()).collect::<Vec<_>>());
            let times =
                |row: &[i128], x: &[i128]| row.iter().zip(x).map(|(a, b)| a * b).sum::<i128>();
            let good =
                |x: &[i128]| times(&objective, x) > 0 && rows.iter().all(|row| times(row, x) <= 0);
            let range = -8..=8_i128;
            let some = range
                .clone()
                .any(|a| range.clone().any(|b| range.clone().any(|c| good(&[a, b, c]))));
            match positive(&objective, &rows) {
                Some(x) => {
                    assert!(good(&x), "{objective:?} {rows:?} {x:?}");
                    found += 1;
                }
                None => {
                    assert!(!some, "{objective:?} {rows:?}");
                    none += 1;
                }
            }
        }
        assert!(found > 50 && none > 50, "{found} {none}");
    }
}
