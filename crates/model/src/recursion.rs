//! # Recursion
//! **Question.** Can a stack grow without end?
//!
//! **Idea.** What stands on top becomes other symbols, or calls some. If a call leads back to who called, perhaps it does so
//! again and again; if none does, there are at most as many calls at a time as there are callers. Shared states are left out,
//! so that *yes* may be wrong, and *no* is not.

/// Whether something that calls is reached again from what it calls. Steps and calls go from one number below `count` to
/// another one.
#[must_use]
pub fn calls_itself(count: usize, steps: &[(usize, usize)], calls: &[(usize, usize)]) -> bool {
    let mut next = vec![Vec::new(); count];
    for &(from, to) in steps.iter().chain(calls) {
        next[from].push(to);
    }
    let parts = strong_parts(&next);
    calls.iter().any(|&(from, to)| parts[from] == parts[to])
}

/// The strongly connected part of each node [Tarjan 1972], without recursion.
#[must_use]
pub fn strong_parts(next: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = next.len();
    let (mut parts, mut numbers, mut lowest) =
        (vec![NONE; count], vec![NONE; count], vec![0; count]);
    let (mut open, mut path) = (Vec::new(), Vec::new());
    let mut number = 0;
    for root in 0..count {
        if numbers[root] != NONE {
            continue;
        }
        path.push((root, 0));
        while let Some((node, at)) = path.pop() {
            if at == 0 {
                (numbers[node], lowest[node]) = (number, number);
                number += 1;
                open.push(node);
            }
            if let Some(&to) = next[node].get(at) {
                path.push((node, at + 1));
                if numbers[to] == NONE {
                    path.push((to, 0));
                } else if parts[to] == NONE {
                    lowest[node] = lowest[node].min(numbers[to]);
                }
                continue;
            }
            if lowest[node] == numbers[node] {
                while let Some(member) = open.pop() {
                    parts[member] = node;
                    if member == node {
                        break;
                    }
                }
            }
            if let Some(&(before, _)) = path.last() {
                lowest[before] = lowest[before].min(lowest[node]);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::calls_itself;

    #[test]
    fn only_calls_that_come_back_count() {
        assert!(!calls_itself(3, &[(0, 0), (1, 2), (2, 1)], &[(0, 1)]));
        assert!(calls_itself(3, &[(1, 2), (2, 0)], &[(0, 1)]));
        assert!(calls_itself(1, &[], &[(0, 0)]));
        assert!(!calls_itself(4, &[(3, 0)], &[(0, 1), (1, 2), (0, 2)]));
        assert!(calls_itself(4, &[], &[(0, 1), (1, 2), (2, 3), (3, 1)]));
        assert!(!calls_itself(0, &[], &[]));
    }

    /// Held against reachability, over all graphs with three nodes and one kind of edge each.
    #[test]
    fn all_small_graphs() {
        let edges: Vec<(usize, usize)> = (0..9).map(|n| (n / 3, n % 3)).collect();
        for graph in 0..3_usize.pow(9) {
            let kind = |n: u32| graph / 3_usize.pow(n) % 3;
            let of = |wanted| (0..9).filter(move |&n| kind(n) == wanted).map(|n| edges[n as usize]);
            let (steps, calls): (Vec<_>, Vec<_>) = (of(1).collect(), of(2).collect());
            let mut reach = [[false; 3]; 3];
            (0..3).for_each(|n| reach[n][n] = true);
            for _ in 0..3 {
                for &(a, b) in steps.iter().chain(&calls) {
                    for from in &mut reach {
                        from[b] |= from[a];
                    }
                }
            }
            let expected = calls.iter().any(|&(a, b)| reach[b][a]);
            assert_eq!(calls_itself(3, &steps, &calls), expected, "{steps:?} {calls:?}");
        }
    }
}
