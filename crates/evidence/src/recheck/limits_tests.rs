//! False claims at the limits of numbers: any number of threads, and numbers that do not fit.

use expect_test::{Expect, expect};
use selvedge_automata::Dfa;
use selvedge_model::{
    Endless, Pattern, Property, Rule, SharedId, Spawn, SymbolId, Tables, TemplateId, TopPattern,
    Word,
};

use super::*;
use crate::testing::Choosing;
use crate::{
    AggregateCertificate, AggregateThread, CountedState, CutCertificate, CutThread,
    FairTermination, Measure, Window,
};

/// A thread that waits for ever at `idle`, and rules for threads that lead to `bad`.
fn waiter(any: bool) -> Choosing {
    let mut t = Tables::builder();
    let [idle, bad] = ["idle", "bad"].map(|name| t.shared(name));
    let (waiter, spoiler) = (t.template("waiter"), t.template("spoiler"));
    let [wait, spoil] = [t.symbol(waiter, "wait"), t.symbol(spoiler, "spoil")];
    t.rule(waiter, bad, Some(wait), bad, Word::Rewrite(wait));
    t.rule(spoiler, idle, Some(spoil), bad, Word::Rewrite(spoil));
    t.thread("waiter", waiter, vec![wait]);
    t.initial(idle);
    let spoilers = Spawn { template: spoiler, stack: Word::Rewrite(spoil) };
    let any = if any { vec![spoilers] } else { Vec::new() };
    Choosing { tables: t.build(), choices: Vec::new(), any }
}

fn never_bad() -> Property {
    let tops = vec![TopPattern::Any];
    Property::Unreachable(Pattern::Tuple { shared: Some(SharedId(1)), tops })
}

/// The only state of the waiter alone.
fn alone() -> CountedState {
    CountedState::of_kinds(SharedId(0), vec![0])
}

/// All that is true of the waiter alone, as each kind of certificate says it.
fn certificates_without_spoilers() -> [Evidence; 3] {
    let wait = SymbolId(0);
    let cut = CutCertificate {
        classes: vec![0],
        started: Vec::new(),
        depth: 1,
        guesses: Vec::new(),
        kinds: vec![CutThread {
            class: 0,
            window: Window { symbols: Box::new([wait]), hidden: false },
        }],
        states: vec![alone()],
        measures: Vec::new(),
    };
    let aggregate = AggregateCertificate {
        classes: vec![0],
        started: Vec::new(),
        languages: vec![Dfa::word([wait])],
        kinds: vec![AggregateThread { class: 0, language: 0 }],
        states: vec![alone()],
    };
    let state = waiter(false).initial().unwrap().remove(0);
    let proof = FairTermination { endless: Endless::default(), states: vec![(state, Vec::new())] };
    [Evidence::Cut(cut), Evidence::Aggregate(aggregate), Evidence::Termination(proof)]
}

#[test]
fn a_proof_about_no_threads_is_none_about_any_number() {
    let properties = [never_bad()];
    for evidence in certificates_without_spoilers() {
        assert!(recheck(&waiter(false), &properties, &evidence).is_ok(), "{evidence:?}");
        let refused = recheck(&waiter(true), &properties, &evidence).unwrap_err();
        assert_eq!(refused.flaw, Flaw::Initial);
        expect!["it is about a fixed number of threads, and there may be any number of spoiler"]
            .assert_eq(&refused.to_string());
    }
    let [Evidence::Cut(cut), Evidence::Aggregate(aggregate), _] = certificates_without_spoilers()
    else {
        panic!("other kinds")
    };
    let state = waiter(true).initial().unwrap().remove(0);
    assert!(cut.missing(&waiter(true), [&state]).is_err());
    assert!(aggregate.missing(&waiter(true), [&state]).is_err());
}

/// A thread that is stuck, and a template whose threads could act, if there were any.
fn stuck() -> Tables {
    let mut t = Tables::builder();
    let q = t.shared("q");
    let (stuck, busy) = (t.template("stuck"), t.template("busy"));
    let wait = t.symbol(stuck, "wait");
    let [a, b] = ["a", "b"].map(|name| t.symbol(busy, name));
    for symbol in [a, b] {
        t.rule(busy, q, Some(symbol), q, Word::Rewrite(symbol));
    }
    t.thread("stuck", stuck, vec![wait]);
    t.initial(q);
    t.build()
}

/// The stuck thread with so many threads beside it that were never started.
fn with_phantoms(counts: &[u32]) -> AggregateCertificate {
    let phantoms = 0..counts.len() as u32;
    let kinds = phantoms.clone().map(|n| AggregateThread { class: 1, language: n + 1 });
    let words = phantoms.map(|n| Dfa::word([SymbolId(1 + n)]));
    let threads = (1..).zip(counts.iter().copied());
    AggregateCertificate {
        classes: vec![0],
        started: vec![TemplateId(1)],
        languages: [Dfa::word([SymbolId(0)])].into_iter().chain(words).collect(),
        kinds: [AggregateThread { class: 0, language: 0 }].into_iter().chain(kinds).collect(),
        states: vec![CountedState {
            shared: SharedId(0),
            threads: [(0, 1)].into_iter().chain(threads).collect(),
        }],
    }
}

#[test]
fn phantom_threads_cover_nothing_however_many_there_are() {
    let check = |certificate: AggregateCertificate, expected: Expect| {
        let evidence = Evidence::Aggregate(certificate);
        let refused = recheck(&stuck(), &[Property::ANY_DEADLOCK], &evidence).unwrap_err();
        expected.assert_eq(&refused.to_string());
    };
    let not_covered = || expect!["the initial state at ⟨q⟩ with stacks wait is not covered"];
    check(with_phantoms(&[]), expect!["state 0 at ⟨q⟩ may be a deadlock"]);
    // All together they are 2^32, and in 32 bits none at all.
    check(with_phantoms(&[1 << 31, 1 << 31]), not_covered());
    check(with_phantoms(&[u32::MAX - 1, 2]), not_covered());
    check(with_phantoms(&[1, 1]), not_covered());
    let too_many = || expect!["state 0: it has too many or no threads of kind 1"];
    check(with_phantoms(&[u32::MAX, 1]), too_many());
    check(with_phantoms(&[0, 1]), too_many());
    // One kind under two numbers, and one class under two.
    let mut twice = with_phantoms(&[1 << 31, 1 << 31]);
    twice.kinds[2] = twice.kinds[1];
    check(twice, expect!["kind 2 is there twice"]);
    let mut twice = with_phantoms(&[1, 1]);
    twice.started.push(TemplateId(1));
    check(twice, expect!["started threads of busy have two classes"]);
    let mut twice = with_phantoms(&[]);
    twice.states.push(twice.states[0].clone());
    check(twice, expect!["state 1: it is state 0, too"]);
}

/// A thread that starts another one with each step.
fn starter() -> Tables {
    let mut t = Tables::builder();
    let q = t.shared("q");
    let w = t.template("w");
    let a = t.symbol(w, "a");
    let (top, spawn) = (Some(a), Some(a));
    t.add_rule(w, Rule { shared: q, top, to_shared: q, word: Word::Rewrite(a), spawn, line: 0 });
    t.thread("w", w, vec![a]);
    t.initial(q);
    t.build()
}

#[test]
fn more_threads_than_can_be_counted_are_refused() {
    let window = || Window { symbols: Box::new([SymbolId(0)]), hidden: false };
    for most in [u32::MAX - 2, u32::MAX - 1] {
        let state = |count: u32| CountedState {
            shared: SharedId(0),
            threads: match count {
                0 => Box::new([(0, 1)]),
                count => Box::new([(0, 1), (1, count)]),
            },
        };
        let certificate = CutCertificate {
            classes: vec![0],
            started: vec![TemplateId(0)],
            depth: 1,
            guesses: Vec::new(),
            kinds: [0, 1].map(|class| CutThread { class, window: window() }).to_vec(),
            states: vec![state(0), state(1), state(most)],
            measures: vec![Measure {
                weights: vec![i32::MIN, i32::MAX],
                least: vec![Some(i64::MIN), None, Some(i64::MAX)],
            }],
        };
        let refused = recheck(&starter(), &[], &Evidence::Cut(certificate)).unwrap_err();
        assert_eq!(refused.flaw, Flaw::NotClosed, "{refused}");
    }
}

/// Each step starts a thread, and the set has none of those that were started.
#[test]
fn a_thread_that_was_started_is_not_forgotten() {
    let window = || Window { symbols: Box::new([SymbolId(0)]), hidden: false };
    let certificate = CutCertificate {
        classes: vec![0],
        started: vec![TemplateId(0)],
        depth: 1,
        guesses: Vec::new(),
        kinds: [0, 1].map(|class| CutThread { class, window: window() }).to_vec(),
        states: vec![CountedState::of_kinds(SharedId(0), vec![0])],
        measures: Vec::new(),
    };
    let tops = vec![TopPattern::Any, TopPattern::Symbol(SymbolId(0))];
    let never_two = Property::Unreachable(Pattern::Tuple { shared: None, tops });
    let refused =
        recheck(&starter(), std::slice::from_ref(&never_two), &Evidence::Cut(certificate));
    assert_eq!(refused.map_err(|refusal| refusal.flaw), Err(Flaw::NotClosed));
    let languages = vec![Dfa::word([SymbolId(0)])];
    let certificate = AggregateCertificate {
        classes: vec![0],
        started: vec![TemplateId(0)],
        languages,
        kinds: [0, 1].map(|class| AggregateThread { class, language: 0 }).to_vec(),
        states: vec![CountedState::of_kinds(SharedId(0), vec![0])],
    };
    let refused = recheck(&starter(), &[never_two], &Evidence::Aggregate(certificate));
    assert_eq!(refused.map_err(|refusal| refusal.flaw), Err(Flaw::NotClosed));
}
