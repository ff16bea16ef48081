use expect_test::{Expect, expect};
use selvedge_model::{
    Endless, FairChoice, FairPlace, Fairness, SharedId, SymbolId, System, Tables, TablesBuilder,
    Word,
};

use crate::testing::{Choosing, run, spawner};
use crate::{Evidence, Lasso, recheck};

/// The lasso of these steps: thread and position among its steps.
fn lasso(system: &dyn System, stem: &[(u32, usize)], period: &[(u32, usize)]) -> Lasso {
    let mut stem_and_period = run(system, &[stem, period].concat());
    let period = stem_and_period.steps.split_off(stem.len());
    Lasso { stem: stem_and_period, period, endless: Endless::default() }
}

fn check(system: &dyn System, lasso: Lasso, expected: Expect) {
    let answer = match recheck(system, &[], &Evidence::Lasso(lasso)) {
        Ok(checked) => checked.to_string(),
        Err(refusal) => format!("{:?}: {refusal}", refusal.flaw),
    };
    expected.assert_eq(&answer);
}

fn with(lasso: &Lasso, fairness: Fairness, ended: bool) -> Lasso {
    Lasso { endless: Endless { fairness, ended }, ..lasso.clone() }
}

/// A table by its rules, a thread for each template: `name: first symbols / rules`, and a rule is
/// `shared top -> shared word`.
fn tables(shared: &[&str], threads: &[(&str, &[&str], &[&str])]) -> Tables {
    let mut t = Tables::builder();
    let shared: Vec<SharedId> = shared.iter().map(|name| t.shared(*name)).collect();
    for (name, stack, rules) in threads {
        let template = t.template(*name);
        let symbols = |t: &mut TablesBuilder, words: &[&str]| -> Vec<SymbolId> {
            words.iter().filter(|w| **w != "-").map(|w| t.symbol(template, *w)).collect()
        };
        let stack = symbols(&mut t, stack);
        t.thread(*name, template, stack);
        for rule in *rules {
            let words: Vec<&str> = rule.split_whitespace().collect();
            let [from, to] = [words[0], words[3]].map(|w| t.find_shared(w).unwrap());
            let top = symbols(&mut t, &words[1..2]).first().copied();
            let word = Word::from_symbols(&symbols(&mut t, &words[4..])).unwrap();
            t.rule(template, from, top, to, word);
        }
    }
    t.initial(shared[0]);
    t.build()
}

/// One thread that calls itself, and one that spins.
#[test]
fn a_stack_may_grow() {
    let system = tables(
        &["q"],
        &[
            ("caller", &["a", "z"], &["q a -> q b", "q b -> q a c"]),
            ("spinner", &["s"], &["q s -> q s"]),
        ],
    );
    let good = lasso(&system, &[(0, 0)], &[(0, 0), (1, 0), (0, 0)]);
    check(
        &system,
        good.clone(),
        expect![
            "nonterminating: after 1 step, 3 steps can be repeated for ever; the run is strongly \
             fair; 1 stack grows with each period"
        ],
    );
    // Half of a period leaves another symbol on top.
    let half = Lasso { period: good.period[..1].to_vec(), ..good.clone() };
    check(
        &system,
        half,
        expect!["NotPeriodic: the stack of caller does not let the period be repeated"],
    );
    let empty = Lasso { period: Vec::new(), ..good.clone() };
    check(&system, empty, expect!["Form: the period is empty"]);
    // Without the spinner, which could act.
    let alone = lasso(&system, &[], &[(0, 0), (0, 0)]);
    check(
        &system,
        alone.clone(),
        expect!["Unfair: thread spinner can act in the period and does not"],
    );
    check(
        &system,
        with(&alone, Fairness::Weak, false),
        expect!["Unfair: thread spinner can act all through the period and does not"],
    );
    check(
        &system,
        with(&alone, Fairness::None, false),
        expect![
            "nonterminating: after 0 steps, 2 steps can be repeated for ever; fairness was not \
             asked for; 1 stack grows with each period"
        ],
    );
}

/// The top is the same after a pop, and the shared state, but not for ever.
#[test]
fn a_stack_that_shrinks_is_refused() {
    let system = tables(&["q"], &[("popper", &["a", "a", "a", "a"], &["q a -> q -"])]);
    check(
        &system,
        lasso(&system, &[], &[(0, 0)]),
        expect!["NotPeriodic: the stack of popper does not let the period be repeated"],
    );
    // Down by two, up by one; and down to the symbol below and up again with another one there.
    let system = tables(
        &["q", "r"],
        &[("t", &["a", "b", "b", "b", "b"], &["q a -> r -", "r b -> q a", "r b -> q a a"])],
    );
    check(
        &system,
        lasso(&system, &[], &[(0, 0), (0, 0)]),
        expect!["NotPeriodic: the stack of t does not let the period be repeated"],
    );
    // The heights are the same: b was below a, and now it is a.
    check(
        &system,
        lasso(&system, &[], &[(0, 0), (0, 1)]),
        expect!["NotPeriodic: the stack of t does not let the period be repeated"],
    );
    let system = tables(&["q", "r"], &[("t", &["a", "b"], &["q a -> r -", "r b -> q a b"])]);
    check(
        &system,
        lasso(&system, &[], &[(0, 0), (0, 0)]),
        expect![
            "nonterminating: after 0 steps, 2 steps can be repeated for ever; the run is strongly \
             fair"
        ],
    );
}

/// A lock that is never free, one that is free sometimes, and one that is free at the wrong time.
#[test]
fn a_thread_may_wait() {
    let holder =
        ("holder", &["h"][..], &["held h -> free g", "free g -> held h", "held g -> held h"][..]);
    let waiter = ("waiter", &["w"][..], &["free w -> held v"][..]);
    let never = tables(&["held", "free"], &[("holder", &["h"], &["held h -> held h"]), waiter]);
    check(
        &never,
        lasso(&never, &[], &[(0, 0)]),
        expect![
            "nonterminating: after 0 steps, 1 step can be repeated for ever; the run is strongly \
             fair"
        ],
    );
    let sometimes = tables(&["held", "free"], &[holder, waiter]);
    let good = lasso(&sometimes, &[], &[(0, 0), (0, 0)]);
    check(
        &sometimes,
        good.clone(),
        expect!["Unfair: thread waiter can act in the period and does not"],
    );
    check(
        &sometimes,
        with(&good, Fairness::Weak, false),
        expect![
            "nonterminating: after 0 steps, 2 steps can be repeated for ever; the run is weakly fair"
        ],
    );
    // It acted in the stem, and is stuck from then on.
    check(
        &sometimes,
        lasso(&sometimes, &[(0, 0), (1, 0), (0, 0)], &[(0, 0), (0, 0)]),
        expect![
            "nonterminating: after 3 steps, 2 steps can be repeated for ever; the run is strongly \
             fair"
        ],
    );
}

#[test]
fn a_thread_may_have_ended_where_that_is_said() {
    let system = tables(
        &["q", "r"],
        &[("spinner", &["s"], &["q s -> q s", "r s -> r s"]), ("short", &["e"], &["q e -> q -"])],
    );
    let good = lasso(&system, &[(1, 0)], &[(0, 0)]);
    for fairness in [Fairness::Strong, Fairness::Weak] {
        check(&system, with(&good, fairness, false), expect!["Unfair: thread short has ended"]);
    }
    check(
        &system,
        with(&good, Fairness::Strong, true),
        expect![
            "nonterminating: after 1 step, 1 step can be repeated for ever; the run is strongly \
             fair; 1 thread has ended"
        ],
    );
    // That it may have ended does not help while it has not.
    let early = lasso(&system, &[], &[(0, 0)]);
    check(
        &system,
        with(&early, Fairness::Strong, true),
        expect!["Unfair: thread short can act in the period and does not"],
    );
    // A thread of a table that goes on at the empty stack has not ended.
    let again = tables(&["q"], &[("again", &["e"], &["q e -> q -", "q - -> q e"])]);
    check(
        &again,
        lasso(&again, &[(0, 0)], &[(0, 0), (0, 0)]),
        expect![
            "nonterminating: after 1 step, 2 steps can be repeated for ever; the run is strongly \
             fair"
        ],
    );
}

#[test]
fn a_fair_choice_must_come_out_both_ways() {
    let tables = tables(
        &["q"],
        &[
            ("one", &["a"], &["q a -> q a", "q a -> q b", "q b -> q a"]),
            ("two", &["c"], &["q c -> q c"]),
        ],
    );
    let choice = |outcome| FairChoice { place: FairPlace(1), outcome };
    let choices = vec![("q a -> q a", choice(false)), ("q a -> q b", choice(true))];
    let system = Choosing { tables, choices, any: Vec::new() };
    let one_sided = lasso(&system, &[], &[(0, 0), (1, 0)]);
    check(
        &system,
        one_sided.clone(),
        expect!["Unfair: the fair choice of one in line 10 is always false"],
    );
    check(
        &system,
        with(&one_sided, Fairness::Weak, true),
        expect!["Unfair: the fair choice of one in line 10 is always false"],
    );
    check(
        &system,
        lasso(&system, &[(0, 0)], &[(0, 1), (0, 0), (1, 0)]),
        expect!["Unfair: the fair choice of one in line 10 is always true"],
    );
    check(
        &system,
        lasso(&system, &[], &[(0, 1), (0, 0), (0, 0), (1, 0)]),
        expect![
            "nonterminating: after 0 steps, 4 steps can be repeated for ever; the run is strongly \
             fair"
        ],
    );
    check(
        &system,
        with(&one_sided, Fairness::None, false),
        expect![
            "nonterminating: after 0 steps, 2 steps can be repeated for ever; fairness was not \
             asked for"
        ],
    );
}

#[test]
fn what_is_no_run_is_refused() {
    let system = tables(&["q", "r"], &[("t", &["a"], &["q a -> r a", "r a -> q a"])]);
    let good = lasso(&system, &[(0, 0)], &[(0, 0), (0, 0)]);
    let refused = |change: &dyn Fn(&mut Lasso), expected: Expect| {
        let mut changed = good.clone();
        change(&mut changed);
        check(&system, changed, expected);
    };
    refused(
        &|l| l.stem.steps.truncate(0),
        expect!["NotARun: the period: step 1: thread t cannot do this here"],
    );
    refused(
        &|l| l.period.truncate(1),
        expect!["NotPeriodic: the shared state after the period is not the one before it"],
    );
    refused(
        &|l| l.stem.initial.shared = SharedId(1),
        expect!["NotARun: the stem: the trace does not start in an initial state"],
    );
    refused(
        &|l| l.period[1].0 = selvedge_model::ThreadId(5),
        expect!["NotARun: the period: step 2: there is no thread 5"],
    );
    check(
        &spawner(),
        lasso(&spawner(), &[], &[(0, 0)]),
        expect!["NotPeriodic: the period: step 1 starts a thread"],
    );
    check(
        &spawner().dropping_threads(),
        lasso(&spawner(), &[], &[(0, 0)]),
        expect!["System: whether a run is fair is not known where threads were dropped"],
    );
}
