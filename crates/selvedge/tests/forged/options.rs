//! Options of evidence that are changed or emptied, and questions that it does not answer.

use selvedge::{
    Bound, Deadlocks, EngineName, InputOptions, Options, Subject, VerdictName, check, recheck,
    verify,
};
use serde_json::{Value, json};

use crate::forged::programs::{Family, recipe};
use crate::forged::{ask, has_solver, many, options, subject};

/// Goes wrong with one `w`, and not without.
const ONE_IS_WRONG: &str = "int[0..3] x := 0;
    void inc() { x := 1; }
    void chk() { assert x == 0; }
    thread m = chk(); thread w * any = inc();";

/// Goes wrong with two `w`; there is no list of its states.
const TWO_ARE_WRONG: &str = "int x := 0;
    void inc() { x := x + 1; }
    void chk() { assert x < 2; }
    thread m = chk(); thread w * any = inc();";

/// Never goes wrong; there is no list of its states.
const NEVER_WRONG: &str = "int x := 0;
    void inc() { L: x := x + 1; assert x >= 1; }
    thread w * any = inc();";

fn evidence(about: &Subject, engine: EngineName, verdict: VerdictName) -> Value {
    let answer = verify(about, &options(Family::Any, engine)).expect("an answer");
    assert_eq!(answer.name(), verdict);
    let text = answer.evidence().expect("it can be written").expect("there is some").to_text();
    serde_json::from_str(&text).expect("JSON")
}

/// Why evidence is refused; `None` if it is accepted.
fn refused(about: &Subject, evidence: &Value, options: &Options) -> Option<String> {
    recheck(about, &evidence.to_string(), options).expect("it can be looked at").err()
}

#[test]
fn emptied_options_make_no_proof_for_any_number() {
    let any = subject(ONE_IS_WRONG, &[]);
    evidence(&any, EngineName::Auto, VerdictName::Unsafe);
    for engine in [EngineName::Auto, EngineName::Explicit, EngineName::Symbolic] {
        let none = subject(ONE_IS_WRONG, &[("w", 0)]);
        let mut forged = evidence(&none, engine, VerdictName::Safe);
        assert_eq!(refused(&none, &forged, &Options::default()), None);
        assert_eq!(forged["options"], json!({ "threads": { "w": 0 } }));
        let why = refused(&any, &forged, &Options::default()).expect("refused");
        assert!(why.contains("made with --threads w=0, not with no options"), "{why}");
        forged["options"] = json!({});
        let why = refused(&any, &forged, &Options::default());
        let expected = "it is about a fixed number of threads, and there may be any number of w";
        assert_eq!(why.as_deref(), Some(expected));
        forged["chosen"] = json!({ "w": 0 });
        let why = refused(&any, &forged, &Options::default());
        let expected = "it chooses a number of threads, and a proof has to hold for all";
        assert_eq!(why.as_deref(), Some(expected));
    }
}

/// Programs that go wrong with so many threads, and proofs of them with fewer.
#[test]
fn proofs_about_few_threads_are_none_about_more() {
    let (mut tried, mut systems) = (0, 0);
    for seed in 0..many(60) {
        let text = recipe(Family::Any, seed).text();
        let name = if text.contains("p1 * any") { "p1" } else { "p0" };
        let any = subject(&text, &[]);
        let Some(known) = ask(Family::Any, &any) else { continue };
        if known.is_safe {
            continue;
        }
        systems += 1;
        for count in 0..3 {
            // Without any thread there is no question.
            let about =
                InputOptions { threads: vec![(name.to_owned(), count)], ..InputOptions::default() };
            let few = Subject::parse("forged.weave", &*text, about).expect("it is well formed");
            let Some(known) = ask(Family::Fixed, &few).filter(|known| known.is_safe) else {
                continue;
            };
            for genuine in known.evidence {
                let empty = json!({});
                let chosen = json!({ name: count });
                let other = json!({ name: count + 1 });
                for (emptied, chosen) in
                    [(true, &empty), (true, &chosen), (true, &other), (false, &empty)]
                {
                    let mut forged = genuine.clone();
                    if emptied {
                        forged["options"] = json!({});
                    }
                    forged["chosen"] = chosen.clone();
                    let why = refused(&any, &forged, &Options::default());
                    assert!(why.is_some(), "accepted: {text}\n{forged}");
                    tried += 1;
                }
            }
        }
    }
    println!("{tried} proofs of {systems} systems");
    assert!(tried >= 100, "{tried} proofs of {systems} systems");
}

/// Relations about one thread, and invariants over one or two, where there may be any number.
#[test]
fn proofs_of_other_kinds_about_few_threads_are_none_about_more() {
    let one = "int[0..2] x := 0; void w() { x := (x + 1) % 3; assert x == 1; } thread w * any;";
    let few = subject(one, &[("w", 1)]);
    let answer = check(&few, Bound::rounds(1), &options(Family::Single, EngineName::Lazy));
    let written = answer.expect("an answer").evidence().expect("written").expect("evidence");
    let mut forged: Value = serde_json::from_str(&written.to_text()).expect("JSON");
    assert_eq!(forged["kind"], "summaries");
    assert_eq!(refused(&few, &forged, &Options::default()), None);
    forged["options"] = json!({});
    let why = refused(&subject(one, &[]), &forged, &Options::default()).expect("refused");
    assert!(why.contains("in a program with one thread"), "{why}");
    if !has_solver("proofs_of_other_kinds_about_few_threads_are_none_about_more") {
        return;
    }
    let mut tried = 0;
    for seed in 0..many(40) {
        let text = recipe(Family::Unbounded, seed).text();
        let any = subject(&text, &[]);
        let Some(false) = ask(Family::Unbounded, &any).map(|known| known.is_safe) else { continue };
        for count in 1..3 {
            let few = subject(&text, &[("p0", count)]);
            let answer = verify(&few, &options(Family::Unbounded, EngineName::Predicates));
            let answer = answer.expect("an answer");
            if answer.name() != VerdictName::Safe {
                continue;
            }
            let written = answer.evidence().expect("written").expect("evidence");
            let mut forged: Value = serde_json::from_str(&written.to_text()).expect("JSON");
            assert_eq!(forged["kind"], "views");
            forged["options"] = json!({});
            let why = refused(&any, &forged, &Options::default());
            assert!(why.is_some(), "accepted: {text}\n{forged}");
            tried += 1;
        }
    }
    println!("{tried} invariants");
    assert!(tried >= 3, "{tried} invariants");
}

#[test]
fn a_run_says_how_many_threads_it_has() {
    if !has_solver("a_run_says_how_many_threads_it_has") {
        return;
    }
    let any = subject(TWO_ARE_WRONG, &[]);
    let good = evidence(&any, EngineName::Auto, VerdictName::Unsafe);
    assert_eq!((&good["options"], &good["chosen"]), (&json!({}), &json!({ "w": 2 })));
    assert_eq!(refused(&any, &good, &Options::default()), None);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut changed = good.clone();
        change(&mut changed);
        refused(&any, &changed, &Options::default()).expect("refused")
    };
    let why = with(&|e| e["chosen"] = json!({ "w": 1 }));
    assert!(why.contains("the schedule cannot be followed"), "{why}");
    let why = with(&|e| e["chosen"] = json!({}));
    assert!(why.contains("the schedule cannot be followed"), "{why}");
    let why = with(&|e| e["chosen"] = json!({ "w": 2, "m": 2 }));
    assert_eq!(why, "it chooses a number of threads of `m`, and that is not open");
    let why = with(&|e| e["chosen"] = json!({ "w": 2, "nobody": 2 }));
    assert_eq!(why, "it chooses a number of threads of `nobody`, and that is not open");
    // What an option gives is not open.
    let given = subject(TWO_ARE_WRONG, &[("w", 1)]);
    let mut forged = good.clone();
    forged["options"] = json!({ "threads": { "w": 1 } });
    let why = refused(&given, &forged, &Options::default());
    assert_eq!(why.as_deref(), Some("it chooses a number of threads of `w`, and that is not open"));
    // More than can be: nothing is said of the evidence, but of what it asks for.
    let mut forged = good.clone();
    forged["chosen"] = json!({ "w": u32::MAX });
    let said = recheck(&any, &forged.to_string(), &Options::default());
    assert!(!matches!(said, Ok(Ok(_))));
}

#[test]
fn a_proof_answers_no_other_question() {
    let deadlock = Options { deadlock: Deadlocks::All, ..Options::default() };
    let target = InputOptions { target: Some("w@L".to_owned()), ..InputOptions::default() };
    if has_solver("a_proof_answers_no_other_question") {
        let any = subject(NEVER_WRONG, &[]);
        let mut forged = evidence(&any, EngineName::Auto, VerdictName::Safe);
        assert_eq!(refused(&any, &forged, &Options::default()), None);
        let expected = "it says nothing about deadlocks, which were asked for";
        forged["options"] = json!({ "deadlock": true });
        assert_eq!(refused(&any, &forged, &deadlock).as_deref(), Some(expected));
        forged["options"] = json!({ "target": "w@L" });
        let aimed =
            Subject::parse("forged.weave", NEVER_WRONG, target.clone()).expect("well formed");
        let other = refused(&aimed, &forged, &Options::default()).expect("another property");
        assert!(other.ends_with("and this claims something else"), "{other}");
        // That it claims to be about the target does not make it so.
        let (_, claimed) = other.split_once("such a proof is about ").expect("says what");
        forged["property"] = claimed.trim_end_matches(", and this claims something else").into();
        let found = refused(&aimed, &forged, &Options::default());
        assert!(found.is_some_and(|why| !why.ends_with("something else")));
    }
    let text = "bool a := false; void w() { L: a := true; } thread w;";
    let ends = subject(text, &[]);
    let answer = selvedge::livelock(
        &ends,
        &selvedge::Livelock::default(),
        &options(Family::Circling, EngineName::Auto),
    );
    let written = answer.expect("an answer").evidence().expect("written").expect("evidence");
    let mut forged: Value = serde_json::from_str(&written.to_text()).expect("JSON");
    let expected =
        "it is about runs that never end, and not about deadlocks or targets, which were asked for";
    forged["options"] = json!({ "deadlock": true });
    assert_eq!(refused(&ends, &forged, &deadlock).as_deref(), Some(expected));
    forged["options"] = json!({ "target": "w@L" });
    let aimed = Subject::parse("forged.weave", text, target).expect("well formed");
    assert_eq!(refused(&aimed, &forged, &Options::default()).as_deref(), Some(expected));
}
