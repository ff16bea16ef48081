use expect_test::{Expect, expect};
use selvedge_automata::Dfa;
use selvedge_model::{
    Pattern, Property, SharedId, StackPattern, SymbolId, Tables, TemplateId, TopPattern,
};

use super::*;
use crate::testing::fig1;
use crate::{
    AggregateCertificate, AggregateThread, CountedState, CutCertificate, CutThread, Guess, Window,
};

/// A window of symbols given by name, `…` for what is hidden.
fn window(system: &Tables, template: u32, text: &str) -> Window {
    let hidden = text.ends_with('…');
    let names = text.trim_end_matches('…').split_whitespace();
    let symbol = |name: &str| system.find_symbol(TemplateId(template), name).expect("a symbol");
    Window { symbols: names.map(symbol).collect(), hidden }
}

/// The certificate of CUBA, Fig. 1, with stacks cut to one symbol, as worked out by hand: T2 is at
/// 4 or 5 with any number of 6 below, and comes back to 6 or the empty stack.
fn certificate(system: &Tables) -> CutCertificate {
    let tops = [
        (0, ["1", ""], &["4", "4…", "6", "6…", "-"][..]),
        (1, ["2", ""], &["4", "4…", "6", "6…", "-"]),
        (2, ["2", ""], &["5", "5…"]),
        (3, ["2", ""], &["4…"]),
    ];
    let mut kinds: Vec<CutThread> = Vec::new();
    let mut number = |class: u32, text: &str| {
        let kind = CutThread { class, window: window(system, class, text.trim_matches('-')) };
        kinds.iter().position(|k| *k == kind).unwrap_or_else(|| {
            kinds.push(kind);
            kinds.len() - 1
        }) as u32
    };
    let mut states = Vec::new();
    for (shared, [first, _], seconds) in tops {
        for second in seconds {
            let kinds = vec![number(0, first), number(1, second)];
            states.push(CountedState::of_kinds(SharedId(shared), kinds));
        }
    }
    let symbol = |name: &str| system.find_symbol(TemplateId(1), name).expect("a symbol");
    let below = symbol("6");
    let guess = |(name, more)| Guess { class: 1, above: [symbol(name)].into(), below, more };
    let pairs = ["4", "5", "6"].into_iter().flat_map(|name| [(name, false), (name, true)]);
    CutCertificate {
        classes: vec![0, 1],
        started: Vec::new(),
        depth: 1,
        guesses: pairs.map(guess).collect(),
        kinds,
        states,
        measures: Vec::new(),
    }
}

fn target(system: &Tables, shared: u32, tops: [&str; 2]) -> Property {
    let top = |(template, name): (u32, &str)| {
        let symbol = system.find_symbol(TemplateId(template), name).expect("a symbol");
        TopPattern::Symbol(symbol)
    };
    let tops = (0..).zip(tops).map(top).collect();
    Property::Unreachable(Pattern::Tuple { shared: Some(SharedId(shared)), tops })
}

#[test]
fn the_invariant_of_fig1_is_accepted() {
    let system = fig1();
    let unreachable = target(&system, 0, ["2", "6"]);
    let evidence = Evidence::Cut(certificate(&system));
    let checked = recheck(&system, std::slice::from_ref(&unreachable), &evidence).unwrap();
    expect![
        "safe: a set of 13 states, with stacks cut to 1 symbol and 6 guesses about what lies \
         below, contains the initial states, no step leaves it, and none of its states breaks a \
         property"
    ]
    .assert_eq(&checked.to_string());
}

#[test]
fn refusals_say_what_is_wrong_and_where() {
    let system = fig1();
    let check = |change: &dyn Fn(&mut CutCertificate), expected: Expect| {
        let mut changed = certificate(&system);
        change(&mut changed);
        let properties = [target(&system, 1, ["2", "6"])];
        let result = recheck(&system, &properties, &Evidence::Cut(changed));
        expected.assert_eq(&result.unwrap_err().to_string());
    };
    check(&|_| {}, expect!["state 7 at ⟨1⟩ must not be reached"]);
    check(
        &|c| drop(c.states.remove(0)),
        expect!["an initial state at ⟨0⟩ is missing: threads of kinds [0, 1]"],
    );
    check(
        &|c| drop(c.states.pop()),
        expect![
            "state 10: a thread of kind 7 can go to kind 2 at ⟨3⟩, and that state is not in the \
             set"
        ],
    );
    check(
        &|c| c.guesses = c.guesses[1..].to_vec(),
        expect!["state 10: a stack of T2 can have 4 | 6 (with nothing below), which is no guess"],
    );
    check(
        &|c| c.guesses.truncate(5),
        expect!["state 11: a stack of T2 can have 6 | 6 (with more below), which is no guess"],
    );
    check(&|c| c.kinds[2].window.hidden = false, expect!["kind 2 is there twice"]);
    check(&|c| c.depth = 0, expect!["it keeps no symbol of the stacks; at least 1 is needed"]);
    check(&|c| c.depth = 2, expect!["kind 2: 1 symbols of 2 are kept"]);
    check(
        &|c| c.classes = vec![0, 0],
        expect!["thread T2 is in class 0, whose threads have other rules"],
    );
    check(&|c| c.classes = vec![0], expect!["it has classes of 1 threads; the system has 2"]);
    check(
        &|c| c.states[3].threads = Box::new([(0, 2), (1, 1)]),
        expect!["state 3: it has too many or no threads of kind 0"],
    );
    check(
        &|c| c.states[3].threads = Box::new([(0, 1)]),
        expect!["state 3: threads of class 1 are missing"],
    );
    check(
        &|c| c.states[3].threads = Box::new([(0, 1), (99, 1)]),
        expect!["state 3: there is no kind 99"],
    );
}

/// What is hidden below a window of one symbol is known pair by pair: 6 may lie below 4, and below 6; 4 and 5 lie
/// below nothing.
#[test]
fn whole_stacks_are_read_off_windows_and_guesses() {
    let system = fig1();
    let named = |shared: u32, stack: &[&str]| {
        let symbol = |name: &&str| system.find_symbol(TemplateId(1), *name).expect("a symbol");
        let whole = StackPattern::Whole(stack.iter().map(symbol).collect());
        let stacks = vec![StackPattern::Top(TopPattern::Any), whole];
        Property::Unreachable(Pattern::Configuration { shared: Some(SharedId(shared)), stacks })
    };
    let check = |property: Property| {
        recheck(&system, &[property], &Evidence::Cut(certificate(&system))).map_err(|r| r.flaw)
    };
    for (shared, stack) in [(3, &["4", "6"][..]), (3, &["4", "6", "6"]), (0, &["4"]), (0, &[])] {
        assert_eq!(check(named(shared, stack)), Err(Flaw::Harmful), "{shared} {stack:?}");
    }
    // With 3, something lies below 4; 5 is never below; 6 lies on nothing but 6.
    for (shared, stack) in
        [(3, &["4"][..]), (0, &["4", "5"]), (0, &["6", "4"]), (3, &["4", "6", "5"])]
    {
        assert!(check(named(shared, stack)).is_ok(), "{shared} {stack:?}");
    }
}

/// The stacks of T2 as sets: any number of 6 below.
#[test]
fn sets_of_stacks_are_checked_step_by_step() {
    let system = fig1();
    let symbol = |template, name| system.find_symbol(TemplateId(template), name).unwrap();
    let [four, five, six] = ["4", "5", "6"].map(|name| symbol(1, name));
    // A symbol, then any number of 6.
    let on_sixes = |symbols: &[SymbolId]| {
        let edges = symbols.iter().map(|&s| (s, 1)).collect();
        Dfa::from_states(vec![(false, edges), (true, vec![(six, 1)])]).unwrap()
    };
    let sixes = Dfa::from_states(vec![(true, vec![(four, 1), (six, 1)]), (true, vec![(six, 1)])]);
    let languages = vec![
        Dfa::word([symbol(0, "1")]),
        Dfa::word([symbol(0, "2")]),
        sixes.unwrap(),
        on_sixes(&[five]),
        on_sixes(&[four]),
    ];
    let kind = |class, language| AggregateThread { class, language };
    let state = |shared, kinds: [u32; 2]| CountedState::of_kinds(SharedId(shared), kinds.to_vec());
    let good = AggregateCertificate {
        classes: vec![0, 1],
        started: Vec::new(),
        languages,
        kinds: vec![kind(0, 0), kind(0, 1), kind(1, 2), kind(1, 3), kind(1, 4)],
        states: [(0, [0, 2]), (1, [1, 2]), (2, [1, 3]), (3, [1, 4]), (0, [0, 4]), (1, [1, 4])]
            .map(|(shared, kinds)| state(shared, kinds))
            .to_vec(),
    };
    let check = |certificate: &AggregateCertificate| {
        let properties = [target(&system, 0, ["2", "6"])];
        recheck(&system, &properties, &Evidence::Aggregate(certificate.clone()))
    };
    assert_eq!(check(&good), Ok(Checked::Aggregate { states: 6, languages: 5 }));
    let whole = |stack: Vec<SymbolId>| {
        let stacks = vec![StackPattern::Top(TopPattern::Any), StackPattern::Whole(stack.into())];
        let shared = Some(SharedId(3));
        let property = Property::Unreachable(Pattern::Configuration { shared, stacks });
        recheck(&system, &[property], &Evidence::Aggregate(good.clone())).map_err(|r| r.flaw)
    };
    assert_eq!(whole(vec![four, six, six]), Err(Flaw::Harmful));
    assert!(whole(vec![four, five]).is_ok() && whole(vec![six]).is_ok());
    let refused = |change: &dyn Fn(&mut AggregateCertificate), expected: Expect| {
        let mut changed = good.clone();
        change(&mut changed);
        expected.assert_eq(&check(&changed).unwrap_err().to_string());
    };
    refused(
        &|c| c.languages[4] = Dfa::word([four, six]),
        expect![
            "state 2: a thread of kind 3 can go to ⟨3⟩ with stacks that no state of the set has \
             there, all else being the same"
        ],
    );
    refused(
        &|c| c.languages[2] = on_sixes(&[six]),
        expect![
            "state 0: a thread of kind 2 can go to ⟨0⟩ with stacks that no state of the set has there, all else being the same"
        ],
    );
    refused(&|c| c.kinds[1].language = 9, expect!["kind 1: there is no language 9"]);
    refused(&|c| c.kinds[1].class = 9, expect!["kind 1: there is no class 9"]);
}
