//! What the exact search says of programs that can be followed by hand.

use expect_test::{Expect, expect};
use selvedge_analysis::fair::Verdict;
use selvedge_model::{Endless, Fairness};

use selvedge_analysis::Budget;
use selvedge_analysis::fair::{Question, search_in_waves};

use crate::fair::{ask, lowered, questions};

/// The answers for each fairness, without and with ended threads.
fn check(text: &str, expected: Expect) {
    let system = lowered(text);
    let answer = |endless: Endless| {
        let Endless { fairness, ended } = endless;
        let about = if ended { format!("{fairness}, ended") } else { fairness.to_string() };
        let answer = match ask(&system, endless).verdict {
            Verdict::Nonterminating { checked, lasso } => {
                let contexts = lasso.period_contexts().len();
                format!("{checked} (contexts in a period: {contexts})")
            }
            Verdict::Terminating { with_ended } => {
                format!(
                    "terminating{}",
                    with_ended.map_or("", |_| ", unless threads may have ended")
                )
            }
            Verdict::Unknown { stop, .. } => format!("unknown: {stop}"),
            Verdict::Bounded(rounds) => format!("bounded: {rounds:?}"),
        };
        format!("{about}: {answer}\n")
    };
    let asked = questions().into_iter().filter(|q| q.fairness != Fairness::None || !q.ended);
    expected.assert_eq(&asked.map(answer).collect::<String>());
}

#[test]
fn spinning_until_a_flag_is_set() {
    check(
        "bool g := false; thread one { while (!g) skip; } thread two { g := true; }",
        expect![[r#"
            none: nonterminating: after 0 steps, 2 steps can be repeated for ever; fairness was not asked for (contexts in a period: 1)
            weak: terminating
            weak, ended: terminating
            strong: terminating
            strong, ended: terminating
        "#]],
    );
}

/// While the result of a call is on its way nobody else acts; that does not hinder anybody.
#[test]
fn spinning_with_a_call_until_a_flag_is_set() {
    check(
        "bool g := false; bool f() { return g; } \
         thread one { bool b := false; while (!b) b := f(); } thread two { g := true; }",
        expect![[r#"
            none: nonterminating: after 1 step, 4 steps can be repeated for ever; fairness was not asked for (contexts in a period: 1)
            weak: terminating
            weak, ended: terminating
            strong: terminating
            strong, ended: terminating
        "#]],
    );
}

#[test]
fn undoing_each_others_work() {
    check(
        "bool g; thread one { while (g) g := false; } thread two { while (!g) g := true; }",
        expect![[r#"
            none: nonterminating: after 0 steps, 4 steps can be repeated for ever; fairness was not asked for (contexts in a period: 2)
            weak: nonterminating: after 0 steps, 4 steps can be repeated for ever; the run is weakly fair (contexts in a period: 2)
            weak, ended: nonterminating: after 0 steps, 4 steps can be repeated for ever; the run is weakly fair (contexts in a period: 2)
            strong: nonterminating: after 0 steps, 4 steps can be repeated for ever; the run is strongly fair (contexts in a period: 2)
            strong, ended: nonterminating: after 0 steps, 4 steps can be repeated for ever; the run is strongly fair (contexts in a period: 2)
        "#]],
    );
}

/// The waiter is hindered again and again, but never for good.
#[test]
fn weak_fairness_lets_a_lock_be_taken_by_others() {
    check(
        "lock m; bool go := true;
         thread busy { while (go) { acquire m; release m; } }
         thread waiter { acquire m; go := false; release m; }",
        expect![[r#"
            none: nonterminating: after 0 steps, 3 steps can be repeated for ever; fairness was not asked for (contexts in a period: 1)
            weak: nonterminating: after 0 steps, 3 steps can be repeated for ever; the run is weakly fair (contexts in a period: 1)
            weak, ended: nonterminating: after 0 steps, 3 steps can be repeated for ever; the run is weakly fair (contexts in a period: 1)
            strong: terminating
            strong, ended: terminating
        "#]],
    );
}

#[test]
fn waiting_for_ever_is_fair() {
    check(
        "bool never := false; thread busy { while (true) skip; } thread waiter { assume never; }",
        expect![[r#"
            none: nonterminating: after 0 steps, 2 steps can be repeated for ever; fairness was not asked for (contexts in a period: 1)
            weak: nonterminating: after 0 steps, 2 steps can be repeated for ever; the run is weakly fair (contexts in a period: 1)
            weak, ended: nonterminating: after 0 steps, 2 steps can be repeated for ever; the run is weakly fair (contexts in a period: 1)
            strong: nonterminating: after 0 steps, 2 steps can be repeated for ever; the run is strongly fair (contexts in a period: 1)
            strong, ended: nonterminating: after 0 steps, 2 steps can be repeated for ever; the run is strongly fair (contexts in a period: 1)
        "#]],
    );
}

#[test]
fn a_fair_choice_leaves_the_loop() {
    check(
        "bool a; thread one { while (*) skip; }",
        expect![[r#"
        none: nonterminating: after 0 steps, 2 steps can be repeated for ever; fairness was not asked for (contexts in a period: 1)
        weak: nonterminating: after 0 steps, 2 steps can be repeated for ever; the run is weakly fair (contexts in a period: 1)
        weak, ended: nonterminating: after 0 steps, 2 steps can be repeated for ever; the run is weakly fair (contexts in a period: 1)
        strong: nonterminating: after 0 steps, 2 steps can be repeated for ever; the run is strongly fair (contexts in a period: 1)
        strong, ended: nonterminating: after 0 steps, 2 steps can be repeated for ever; the run is strongly fair (contexts in a period: 1)
    "#]],
    );
    check(
        "bool a; thread one { while (fair *) skip; }",
        expect![[r#"
        none: nonterminating: after 0 steps, 2 steps can be repeated for ever; fairness was not asked for (contexts in a period: 1)
        weak: terminating
        weak, ended: terminating
        strong: terminating
        strong, ended: terminating
    "#]],
    );
    // It is made only where the other thread lets it be made.
    check(
        "bool a := false; thread one { while (!a || fair *) a := false; } thread two { while (true) skip; }",
        expect![[r#"
            none: nonterminating: after 0 steps, 2 steps can be repeated for ever; fairness was not asked for (contexts in a period: 1)
            weak: nonterminating: after 1 step, 4 steps can be repeated for ever; the run is weakly fair (contexts in a period: 2)
            weak, ended: nonterminating: after 1 step, 4 steps can be repeated for ever; the run is weakly fair (contexts in a period: 2)
            strong: nonterminating: after 1 step, 4 steps can be repeated for ever; the run is strongly fair (contexts in a period: 2)
            strong, ended: nonterminating: after 1 step, 4 steps can be repeated for ever; the run is strongly fair (contexts in a period: 2)
        "#]],
    );
}

/// Each choice is fair by itself; together they may still avoid each other.
#[test]
fn two_fair_choices_need_not_meet() {
    check(
        "bool a := false; thread one { while (true) { a := fair *; if (fair * && a) break; } }",
        expect![[r#"
            none: nonterminating: after 0 steps, 3 steps can be repeated for ever; fairness was not asked for (contexts in a period: 1)
            weak: nonterminating: after 0 steps, 6 steps can be repeated for ever; the run is weakly fair (contexts in a period: 1)
            weak, ended: nonterminating: after 0 steps, 6 steps can be repeated for ever; the run is weakly fair (contexts in a period: 1)
            strong: nonterminating: after 0 steps, 6 steps can be repeated for ever; the run is strongly fair (contexts in a period: 1)
            strong, ended: nonterminating: after 0 steps, 6 steps can be repeated for ever; the run is strongly fair (contexts in a period: 1)
        "#]],
    );
}

#[test]
fn going_wrong_is_an_end() {
    check(
        "thread one { while (true) assert *; }",
        expect![[r#"
        none: nonterminating: after 0 steps, 2 steps can be repeated for ever; fairness was not asked for (contexts in a period: 1)
        weak: nonterminating: after 0 steps, 2 steps can be repeated for ever; the run is weakly fair (contexts in a period: 1)
        weak, ended: nonterminating: after 0 steps, 2 steps can be repeated for ever; the run is weakly fair (contexts in a period: 1)
        strong: nonterminating: after 0 steps, 2 steps can be repeated for ever; the run is strongly fair (contexts in a period: 1)
        strong, ended: nonterminating: after 0 steps, 2 steps can be repeated for ever; the run is strongly fair (contexts in a period: 1)
    "#]],
    );
    check(
        "thread one { while (true) assert false; }",
        expect![[r#"
        none: terminating
        weak: terminating
        weak, ended: terminating
        strong: terminating
        strong, ended: terminating
    "#]],
    );
}

/// Recursion without an end: the search says why it gives up.
#[test]
fn stacks_without_an_end() {
    check(
        "void f() { f(); } thread one = f();",
        expect![[r#"
        none: nonterminating: after 1 step, 1 step can be repeated for ever; fairness was not asked for; 1 stack grows with each period (contexts in a period: 1)
        weak: nonterminating: after 1 step, 2 steps can be repeated for ever; the run is weakly fair; 1 stack grows with each period (contexts in a period: 1)
        weak, ended: nonterminating: after 1 step, 2 steps can be repeated for ever; the run is weakly fair; 1 stack grows with each period (contexts in a period: 1)
        strong: nonterminating: after 1 step, 2 steps can be repeated for ever; the run is strongly fair; 1 stack grows with each period (contexts in a period: 1)
        strong, ended: nonterminating: after 1 step, 2 steps can be repeated for ever; the run is strongly fair; 1 stack grows with each period (contexts in a period: 1)
    "#]],
    );
    // It grows for ever only while nobody says stop; that all else ends has no proof by states.
    check(
        "bool up := true; void f() { if (up) f(); } thread one = f(); thread two { up := false; }",
        expect![[r#"
            none: nonterminating: after 2 steps, 2 steps can be repeated for ever; fairness was not asked for; 1 stack grows with each period (contexts in a period: 1)
            weak: unknown: the stacks grow too high for single states
            weak, ended: unknown: the stacks grow too high for single states
            strong: unknown: the stacks grow too high for single states
            strong, ended: unknown: the stacks grow too high for single states
        "#]],
    );
    // But a cycle is found before that.
    check(
        "void f() { if (*) f(); while (true) skip; } thread one = f();",
        expect![[r#"
            none: nonterminating: after 1 step, 2 steps can be repeated for ever; fairness was not asked for (contexts in a period: 1)
            weak: nonterminating: after 1 step, 2 steps can be repeated for ever; the run is weakly fair (contexts in a period: 1)
            weak, ended: nonterminating: after 1 step, 2 steps can be repeated for ever; the run is weakly fair (contexts in a period: 1)
            strong: nonterminating: after 1 step, 2 steps can be repeated for ever; the run is strongly fair (contexts in a period: 1)
            strong, ended: nonterminating: after 1 step, 2 steps can be repeated for ever; the run is strongly fair (contexts in a period: 1)
        "#]],
    );
}

/// Waves that are large enough to be worth while, with moves that come to be known in the midst of them: numbers and evidence are those of one state after the other.
#[test]
fn workers_change_nothing_where_states_are_many() {
    let text = "lock fork[4];
        void dine(int[0..3] n) {
          int[0..3] low := n < (n + 1) % 4 ? n : (n + 1) % 4, high := n < (n + 1) % 4 ? (n + 1) % 4 : n;
          int[0..2] left := 2;
          while (left > 0) {
            acquire fork[low]; acquire fork[high]; release fork[high]; release fork[low];
            if (END) left := left - 1;
          }
        }
        thread diner[i] * 4 = dine(i);";
    let endless = Endless { fairness: Fairness::Strong, ended: true };
    for (ends, answer, least) in
        [("true", "Terminating", 1 << 16), ("*", "Nonterminating", 1 << 14)]
    {
        let system = lowered(&text.replace("END", ends));
        let question = Question { system: &system, endless, evidence: true };
        let by = |from, crew| {
            let budget = Budget { crew, ..Budget::default() };
            search_in_waves(&question, from, &budget, &|_| {})
        };
        let plain = by(usize::MAX, 1);
        let states = plain.states.unwrap_or(0);
        println!("{states} states");
        assert!(states > least, "{states} states");
        let shown = format!("{plain:?}");
        assert!(shown.contains(answer), "{:?}", plain.verdict);
        for (from, crew) in [(1 << 15, 1), (1 << 15, 2), (1 << 10, 3)] {
            assert!(format!("{:?}", by(from, crew)) == shown, "from {from}, {crew} workers");
        }
    }
}
