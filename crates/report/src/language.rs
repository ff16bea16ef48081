//! # Sets of stacks in a line
//! A regular set of stacks as an expression, top first: `4.6*` is 4 on any number of 6. A dot is between
//! symbols, `*` is any number of what is before it, `?` none or one, `(a | b)` one of them; `-` is the
//! empty stack. States of the automaton are taken out one by one, those with the fewest ways through
//! them first.

use std::collections::BTreeMap;

use selvedge_automata::Dfa;
use selvedge_model::SymbolId;

/// Longer expressions say less than the automaton does.
const LONGEST: usize = 160;

/// Larger automata are not written as expressions.
const MOST_STATES: usize = 40;

/// A set of stacks: an expression, or how large its automaton is where that would be too long.
#[must_use]
pub fn language(dfa: &Dfa, name: impl Fn(SymbolId) -> String) -> String {
    let edges: usize = (0..dfa.state_count()).map(|state| dfa.edges(state as u32).len()).sum();
    let expression = (dfa.state_count() <= MOST_STATES).then(|| expression(dfa, &name));
    match expression.flatten() {
        Some(text) => text,
        None => format!("{{automaton: {} states, {edges} edges}}", dfa.state_count()),
    }
}

/// An expression; sets are never empty inside of one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Expr {
    /// The empty word.
    Epsilon,
    Symbol(String),
    Concat(Vec<Expr>),
    /// Sorted, each once, without ε.
    Union(Vec<Expr>),
    Option(Box<Expr>),
    Star(Box<Expr>),
}

impl Expr {
    fn concat(first: Expr, second: Expr) -> Expr {
        let parts = [first, second].into_iter().flat_map(|part| match part {
            Expr::Epsilon => Vec::new(),
            Expr::Concat(parts) => parts,
            other => vec![other],
        });
        let mut parts: Vec<Expr> = parts.collect();
        match parts.len() {
            0 => Expr::Epsilon,
            1 => parts.swap_remove(0),
            _ => Expr::Concat(parts),
        }
    }

    fn union(first: Expr, second: Expr) -> Expr {
        let (mut all, mut optional) = (Vec::new(), false);
        for part in [first, second] {
            match part {
                Expr::Epsilon => optional = true,
                Expr::Union(parts) => all.extend(parts),
                Expr::Option(part) => {
                    optional = true;
                    match *part {
                        Expr::Union(parts) => all.extend(parts),
                        other => all.push(other),
                    }
                }
                other => all.push(other),
            }
        }
        all.sort_unstable();
        all.dedup();
        let inner = match all.len() {
            0 => return Expr::Epsilon,
            1 => all.swap_remove(0),
            _ => Expr::Union(all),
        };
        match inner {
            inner if !optional => inner,
            star @ Expr::Star(_) => star,
            inner => Expr::Option(Box::new(inner)),
        }
    }

    fn star(inner: Expr) -> Expr {
        match inner {
            Expr::Epsilon => Expr::Epsilon,
            star @ Expr::Star(_) => star,
            Expr::Option(inner) => Expr::Star(inner),
            inner => Expr::Star(Box::new(inner)),
        }
    }

    /// The number of symbols, to give up early on what grows too large.
    fn size(&self) -> usize {
        match self {
            Expr::Epsilon => 0,
            Expr::Symbol(_) => 1,
            Expr::Concat(parts) | Expr::Union(parts) => parts.iter().map(Expr::size).sum(),
            Expr::Option(inner) | Expr::Star(inner) => inner.size(),
        }
    }

    fn text(&self) -> String {
        match self {
            Expr::Epsilon => "-".to_owned(),
            Expr::Symbol(name) => name.clone(),
            Expr::Concat(parts) => parts.iter().map(Expr::text).collect::<Vec<_>>().join("."),
            Expr::Union(parts) => {
                format!("({})", parts.iter().map(Expr::text).collect::<Vec<_>>().join(" | "))
            }
            Expr::Option(inner) => format!("{}?", inner.operand()),
            Expr::Star(inner) => format!("{}*", inner.operand()),
        }
    }

    /// The text before `*` or `?`, in parentheses where it needs them.
    fn operand(&self) -> String {
        match self {
            Expr::Symbol(_) | Expr::Union(_) => self.text(),
            _ => format!("({})", self.text()),
        }
    }
}

/// The expression of an automaton; `None` if it is too long.
fn expression(dfa: &Dfa, name: &impl Fn(SymbolId) -> String) -> Option<String> {
    let states = dfa.state_count();
    let (start, end) = (states, states + 1);
    let mut edges: BTreeMap<(usize, usize), Expr> = BTreeMap::new();
    let add = |edges: &mut BTreeMap<_, Expr>, from: usize, to: usize, label: Expr| {
        let label = match edges.remove(&(from, to)) {
            Some(known) => Expr::union(known, label),
            None => label,
        };
        edges.insert((from, to), label);
    };
    for state in 0..states {
        for &(symbol, to) in dfa.edges(state as u32) {
            add(&mut edges, state, to as usize, Expr::Symbol(name(symbol)));
        }
        if dfa.accepts_at(state as u32) {
            add(&mut edges, state, end, Expr::Epsilon);
        }
    }
    add(&mut edges, start, 0, Expr::Epsilon);
    let mut left: Vec<usize> = (0..states).collect();
    while !left.is_empty() {
        let ways = |state: usize| {
            let into = edges.keys().filter(|(from, to)| *to == state && *from != state).count();
            into * edges.keys().filter(|(from, to)| *from == state && *to != state).count()
        };
        let (at, _) = left.iter().enumerate().min_by_key(|&(_, &state)| (ways(state), state))?;
        let state = left.swap_remove(at);
        let again = edges.remove(&(state, state)).map_or(Expr::Epsilon, Expr::star);
        let of = |wanted: &dyn Fn(&(usize, usize)) -> bool| -> Vec<((usize, usize), Expr)> {
            let found = edges.iter().filter(|(key, _)| wanted(key));
            found.map(|(key, label)| (*key, label.clone())).collect()
        };
        let (into, out) = (of(&|key| key.1 == state), of(&|key| key.0 == state));
        for (key, _) in into.iter().chain(&out) {
            edges.remove(key);
        }
        for ((from, _), first) in &into {
            for ((_, to), last) in &out {
                let through = Expr::concat(first.clone(), again.clone());
                let label = Expr::concat(through, last.clone());
                if label.size() > LONGEST {
                    return None;
                }
                add(&mut edges, *from, *to, label);
            }
        }
    }
    let whole = edges.remove(&(start, end));
    // A set without stacks has no way from the start to the end.
    let text = whole.map_or_else(|| "{}".to_owned(), |whole| whole.text());
    (text.chars().count() <= LONGEST).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(states: Vec<(bool, Vec<(u32, u32)>)>) -> String {
        let states = states.into_iter().map(|(accepting, edges)| {
            (accepting, edges.into_iter().map(|(symbol, to)| (SymbolId(symbol), to)).collect())
        });
        let dfa = Dfa::from_states(states.collect()).expect("an automaton");
        language(&dfa, |symbol| symbol.0.to_string())
    }

    #[test]
    fn sets_of_stacks_are_expressions() {
        assert_eq!(show(vec![(true, vec![])]), "-");
        assert_eq!(show(vec![(false, vec![(4, 1)]), (true, vec![])]), "4");
        assert_eq!(show(vec![(false, vec![(4, 1)]), (true, vec![(6, 1)])]), "4.6*");
        assert_eq!(show(vec![(true, vec![(4, 1)]), (true, vec![])]), "4?");
        let several = vec![(false, vec![(4, 1), (5, 1)]), (true, vec![(6, 1)])];
        assert_eq!(show(several), "(4 | 5).6*");
        let pairs = vec![(true, vec![(1, 1)]), (false, vec![(2, 0)])];
        assert_eq!(show(pairs), "(1.2)*");
    }

    #[test]
    fn large_automata_are_not() {
        let long = (0..50).map(|at| (false, vec![(at, at + 1)])).chain([(true, vec![])]);
        assert_eq!(show(long.collect()), "{automaton: 51 states, 50 edges}");
    }
}
