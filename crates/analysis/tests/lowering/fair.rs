//! Fair choices: each action knows those that it makes, and how they come out.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};
use selvedge_model::{FairChoice, FairPlace, System, enabled};

use crate::lowering::{explored, support};

/// The fair choices of the actions that are met, by line and effect: `3+ 4-` for an action that
/// chooses true in line 3 and false in line 4.
fn check(text: &str, expected: Expect) {
    let mut seen = BTreeSet::new();
    for system in [support::system(text), support::system(text).choosing_at_once()] {
        let naive = explored(&system).expect("small");
        for (state, _) in naive.states() {
            for thread in state.thread_ids() {
                for action in enabled(&system, state, thread).expect("no faults") {
                    let choices = system.fair_choices(action.origin);
                    assert!(choices.is_sorted() && choices.windows(2).all(|two| two[0] != two[1]));
                    let shown: Vec<_> = choices.iter().map(|c| show(&system, *c)).collect();
                    let line = system.describe().explain(action.origin).steps[0].line.unwrap_or(0);
                    let after = system.describe().show_shared(action.shared);
                    seen.insert(format!("{line}: [{}] {after}\n", shown.join(" ")));
                }
            }
        }
    }
    let choosing = seen.into_iter().filter(|line| !line.contains("[]"));
    expected.assert_eq(&choosing.collect::<String>());
}

fn show(system: &dyn System, FairChoice { place, outcome }: FairChoice) -> String {
    let line = system.describe().fair_place_line(place).expect("a place in the text");
    format!("{line}{}", if outcome { '+' } else { '-' })
}

#[test]
fn tests_and_assignments_make_them() {
    check(
        "bool b := false;
         thread t {
           while (fair *) skip;
           b := !fair *;
         }",
        expect![[r#"
            3: [3+] b=false
            3: [3-] b=false
            4: [4+] b=false
            4: [4-] b=true
        "#]],
    );
}

/// Neither the step nor its effect depends on the choice.
#[test]
fn the_same_effect_with_other_choices_is_another_action() {
    check(
        "bool b := false;
         thread t {
           if (fair * && b) b := true;
           b := fair * && false;
         }",
        expect![[r#"
            3: [3+] b=false
            3: [3-] b=false
            4: [4+] b=false
            4: [4-] b=false
        "#]],
    );
}

/// What is not evaluated is not chosen.
#[test]
fn a_choice_that_is_not_needed_is_not_made() {
    check(
        "bool b := false;
         thread t {
           if (b && fair *) b := true;
         }",
        expect![],
    );
}

#[test]
fn a_block_makes_several() {
    check(
        "bool b := false, c := false;
         thread t {
           atomic {
             b := fair *;
             c := fair *;
             assume b || c;
             b := false; c := false;
           }
         }",
        expect![[r#"
            3: [4+ 5+] b=false c=false
            3: [4+ 5-] b=false c=false
            3: [4- 5+] b=false c=false
        "#]],
    );
    // A loop inside may choose either way, or both.
    check(
        "bool b := false;
         thread t {
           atomic {
             while (fair *) b := !b;
           }
         }",
        expect![[r#"
            3: [4- 4+] b=false
            3: [4- 4+] b=true
            3: [4-] b=false
        "#]],
    );
}

#[test]
fn two_places_on_one_line_are_two() {
    let system = support::system("bool b := false; thread t { b := fair *; b := fair *; }");
    let places: BTreeSet<FairPlace> = explored(&system)
        .expect("small")
        .states()
        .flat_map(|(state, _)| enabled(&system, state, selvedge_model::ThreadId(0)).expect("fine"))
        .flat_map(|action| system.fair_choices(action.origin))
        .map(|choice| choice.place)
        .collect();
    assert_eq!(places.len(), 2);
}
