//! post* and pre* of random pushdown systems, against a breadth-first search over configurations
//! and a naive computation of what can be popped, and against each other.

use std::collections::{BTreeSet, VecDeque};
use std::convert::Infallible;

use selvedge_automata::{Control, Dfa, Languages, PdsRule, Psa, post_star, pre_star};
use selvedge_model::{SymbolId, Word};

const CONTROLS: u32 = 3;
const SYMBOLS: u32 = 3;

fn random_rules(rng: &mut fastrand::Rng) -> Vec<PdsRule> {
    let symbol = |rng: &mut fastrand::Rng| SymbolId(rng.u32(0..SYMBOLS));
    let count = rng.usize(4..16);
    let rule = |rng: &mut fastrand::Rng| {
        let on_empty = rng.u32(0..10) == 0;
        let word = match rng.u32(0..if on_empty { 2 } else { 4 }) {
            0 => Word::Pop,
            1 => Word::Rewrite(symbol(rng)),
            _ => Word::Push { top: symbol(rng), under: symbol(rng) },
        };
        PdsRule {
            from: Control(rng.u32(0..CONTROLS)),
            top: (!on_empty).then(|| symbol(rng)),
            to: Control(rng.u32(0..CONTROLS)),
            word,
        }
    };
    (0..count).map(|_| rule(rng)).collect()
}

type Configuration = (Control, Vec<SymbolId>); // top first

fn successors(rules: &[PdsRule], (control, stack): &Configuration) -> Vec<Configuration> {
    let enabled = rules.iter().filter(|r| r.from == *control && r.top == stack.first().copied());
    let next = enabled.map(|rule| {
        let rest = stack.iter().skip(1).copied();
        (rule.to, rule.word.symbols().chain(rest).collect())
    });
    next.collect()
}

/// What a breadth-first search over stacks of bounded height finds: part of the truth.
fn search(rules: &[PdsRule], start: &Configuration, height: usize) -> BTreeSet<Configuration> {
    let mut seen = BTreeSet::from([start.clone()]);
    let mut queue = VecDeque::from([start.clone()]);
    while let Some(configuration) = queue.pop_front() {
        for next in successors(rules, &configuration) {
            if next.1.len() <= height && seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    seen
}

/// All (p, γ, p′) such that ⟨p | γ⟩ reaches ⟨p′ | ε⟩ without touching what is below, by the
/// definition; rules on the empty stack do not matter for this.
fn popped(rules: &[PdsRule]) -> BTreeSet<(Control, SymbolId, Control)> {
    let mut popped = BTreeSet::new();
    loop {
        let before = popped.len();
        for rule in rules {
            let Some(top) = rule.top else { continue };
            let mut ends = BTreeSet::from([rule.to]);
            for symbol in rule.word.symbols() {
                let step = |&(p, s, q): &(Control, SymbolId, Control)| {
                    (ends.contains(&p) && s == symbol).then_some(q)
                };
                ends = popped.iter().filter_map(step).collect();
            }
            popped.extend(ends.into_iter().map(|end| (rule.from, top, end)));
        }
        if popped.len() == before {
            return popped;
        }
    }
}

fn forward(rules: &[PdsRule], (control, stack): &Configuration) -> Psa {
    let start = Psa::of_language(*control, &Dfa::word(stack.iter().copied()));
    let saturated: Result<Psa, Infallible> = post_star(start, |control, top, out| {
        let enabled = rules.iter().filter(|r| r.from == control && r.top == top);
        out.extend(enabled.map(|r| (r.to, r.word)));
        Ok(())
    });
    match saturated {
        Ok(psa) => psa,
        Err(never) => match never {},
    }
}

fn all_short_configurations() -> Vec<Configuration> {
    let mut words: Vec<Vec<SymbolId>> = vec![Vec::new()];
    for length in 0..2 {
        for word in words.clone().into_iter().filter(|w| w.len() == length) {
            for symbol in 0..SYMBOLS {
                words.push(word.iter().copied().chain([SymbolId(symbol)]).collect());
            }
        }
    }
    (0..CONTROLS).flat_map(|c| words.iter().map(move |w| (Control(c), w.clone()))).collect()
}

#[test]
fn post_star_and_pre_star_agree_with_the_search_and_with_each_other() {
    let mut rng = fastrand::Rng::with_seed(7);
    let shorts = all_short_configurations();
    let mut infinite = 0;
    for _ in 0..400 {
        let rules = random_rules(&mut rng);
        let start = shorts[rng.usize(0..shorts.len())].clone();
        let reachable = forward(&rules, &start);
        for (control, stack) in search(&rules, &start, 6) {
            assert!(reachable.accepts(control, stack.iter().copied()), "{rules:?} {start:?}");
        }
        let mut languages = Languages::default();
        for (control, language) in reachable.languages(&mut languages).expect("room") {
            let dfa = languages.get(language);
            infinite += usize::from(!dfa.is_finite());
            for word in dfa.words(3) {
                assert!(reachable.accepts(control, word.iter().copied()));
            }
        }
        for goal in &shorts {
            let goal_set = Psa::of_language(goal.0, &Dfa::word(goal.1.iter().copied()));
            let backward = pre_star(goal_set, &rules);
            assert_eq!(
                reachable.accepts(goal.0, goal.1.iter().copied()),
                backward.accepts(start.0, start.1.iter().copied()),
                "{rules:?}: from {start:?} to {goal:?}"
            );
        }
    }
    assert!(infinite > 50, "the random systems should not all be finite");
}

#[test]
fn what_can_be_popped_is_what_the_definition_says() {
    let mut rng = fastrand::Rng::with_seed(8);
    for _ in 0..400 {
        let mut rules = random_rules(&mut rng);
        rules.retain(|rule| rule.top.is_some());
        let popped = popped(&rules);
        for control in (0..CONTROLS).map(Control) {
            for symbol in (0..SYMBOLS).map(SymbolId) {
                let reachable = forward(&rules, &(control, vec![symbol]));
                for end in (0..CONTROLS).map(Control) {
                    assert_eq!(
                        reachable.accepts(end, []),
                        popped.contains(&(control, symbol, end)),
                        "{rules:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn equal_languages_have_equal_ids() {
    let mut rng = fastrand::Rng::with_seed(9);
    let mut languages = Languages::default();
    let mut ids = Vec::new();
    for _ in 0..60 {
        let rules = random_rules(&mut rng);
        let found = forward(&rules, &(Control(0), vec![SymbolId(0)])).languages(&mut languages);
        ids.extend(found.expect("room").into_iter().map(|(_, id)| id));
    }
    for &a in ids.iter().take(40) {
        for &b in ids.iter().take(40) {
            let (left, right) = (languages.get(a).words(6), languages.get(b).words(6));
            // The automata are small: languages that agree up to length 6 agree.
            assert_eq!(a == b, left == right);
            let both = languages.intersection(a, b).expect("room");
            let either = languages.union(a, b).expect("room");
            assert_eq!(languages.union(both, either), Ok(either));
            assert_eq!(languages.intersection(both, either), Ok(both));
            let only = languages.difference(a, b).expect("room");
            assert_eq!(languages.union(only, both), Ok(a));
        }
    }
}
