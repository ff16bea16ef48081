//! # Who is who
//! A state says how many threads of a kind there are, not which ones. Whether threads that are
//! asked for can all be found among them, each another one, is a matching of a bipartite graph;
//! it is grown by alternating paths [Kuhn 1955].

/// Whether each of the demands, counted from 0, can be met by a supply that `serves` it, where a
/// supply meets no more demands than its number says.
#[must_use]
pub fn can_assign(demands: usize, supplies: &[u32], serves: impl Fn(usize, usize) -> bool) -> bool {
    let mut search = Matching { supplies, serves, met: vec![Vec::new(); supplies.len()] };
    (0..demands).all(|demand| search.meet(demand, &mut vec![false; supplies.len()]))
}

struct Matching<'a, S> {
    supplies: &'a [u32],
    serves: S,
    /// The demands that each supply meets.
    met: Vec<Vec<usize>>,
}

impl<S: Fn(usize, usize) -> bool> Matching<'_, S> {
    /// Meets one more demand, if need be by meeting others in another way.
    fn meet(&mut self, demand: usize, tried: &mut [bool]) -> bool {
        for supply in 0..self.supplies.len() {
            if tried[supply] || !(self.serves)(demand, supply) {
                continue;
            }
            tried[supply] = true;
            if self.met[supply].len() < self.supplies[supply] as usize {
                self.met[supply].push(demand);
                return true;
            }
            for at in 0..self.met[supply].len() {
                if self.meet(self.met[supply][at], tried) {
                    self.met[supply][at] = demand;
                    return true;
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::can_assign;

    /// All ways, one by one.
    fn some_way(demands: usize, left: &mut [u32], serves: &[[bool; 3]]) -> bool {
        let Some(last) = demands.checked_sub(1) else { return true };
        (0..3).any(|supply| {
            if left[supply] == 0 || !serves[last][supply] {
                return false;
            }
            left[supply] -= 1;
            let found = some_way(last, left, serves);
            left[supply] += 1;
            found
        })
    }

    #[test]
    fn every_small_case() {
        for bits in 0..1 << 12 {
            let serves: Vec<[bool; 3]> =
                (0..4).map(|d| std::array::from_fn(|s| bits >> (3 * d + s) & 1 == 1)).collect();
            for supplies in [[1, 1, 1], [2, 1, 1], [0, 2, 2], [4, 0, 1], [1, 2, 1]] {
                for demands in 0..=4 {
                    let expected = some_way(demands, &mut supplies.clone(), &serves);
                    let found = can_assign(demands, &supplies, |d, s| serves[d][s]);
                    assert_eq!(found, expected, "{demands} {supplies:?} {serves:?}");
                }
            }
        }
    }
}
