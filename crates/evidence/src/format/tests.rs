use expect_test::expect;
use selvedge_model::{Pattern, Property, SharedId, Tables, TopPattern};

use super::*;
use crate::testing::{fig1, run};
use crate::{Violation, recheck};

fn subject() -> Subject {
    Subject {
        file: "fig1.cpds".to_owned(),
        digest: "sha256:0".to_owned(),
        options: Options {
            threads: [("T1".to_owned(), 2)].into(),
            init: Some("0|1".to_owned()),
            ..Options::default()
        },
        chosen: BTreeMap::new(),
        property: "3|*,*".to_owned(),
    }
}

fn document(system: &Tables) -> Document {
    let trace = run(system, &[(0, 0), (1, 0), (1, 0)]);
    let violation = Violation { trace, contexts: 2, property: 0 };
    Document::new(system, subject(), &Evidence::Violation(violation)).unwrap()
}

#[test]
fn a_line_for_each_entry() {
    expect![[r#"
        {
         "selvedge": "0.1.0",
         "evidence": 3,
         "file": "fig1.cpds",
         "digest": "sha256:0",
         "options": {
          "threads": {
           "T1": 2
          },
          "init": "0|1"
         },
         "property": "3|*,*",
         "kind": "violation",
         "violation": {
          "property": 0,
          "contexts": 2,
          "schedule": [
           "T1",
           "T2 * 2"
          ]
         }
        }
    "#]]
    .assert_eq(&document(&fig1()).to_text());
}

#[test]
fn what_was_written_is_read_and_holds() {
    let system = fig1();
    let read = Document::parse(&document(&system).to_text()).unwrap();
    assert_eq!(read, document(&system));
    let evidence = read.evidence(&system).unwrap();
    let tops = vec![TopPattern::Any; 2];
    let target = Pattern::Tuple { shared: Some(SharedId(3)), tops };
    let property = Property::Unreachable(target);
    assert!(read.check_property(&crate::property::one(&system, &property)).is_ok());
    let checked = recheck(&system, &[property], &evidence).unwrap();
    expect!["unsafe: a run of 3 steps in 2 contexts reaches what must not be reached"]
        .assert_eq(&checked.to_string());
}

#[test]
fn digests_are_known_ones() {
    let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(digest(""), empty);
}

/// The text with one change, and why it is refused.
fn refused(from: &str, to: &str) -> String {
    let text = document(&fig1()).to_text();
    assert!(text.contains(from), "{from}");
    let changed = text.replacen(from, to, 1);
    Document::parse(&changed).expect_err(&changed).to_string()
}

#[test]
fn versions_are_known() {
    let check = |to: &str, expected: &str| {
        assert_eq!(refused("\"selvedge\": \"0.1.0\"", &format!("\"selvedge\": {to}")), expected);
    };
    let newer = "it was written by Selvedge VERSION, which is newer than this one, 0.1.0: check it \
                 with a newer Selvedge";
    for version in ["0.1.1", "0.2.0", "1.0.0"] {
        check(&format!("\"{version}\""), &newer.replace("VERSION", version));
    }
    for none in ["", "0.1", "0.1.0.0", "0.1.00", "v0.1.0", "0.-1.0", "0.1.+0", "0.1.99999999999"] {
        let expected = format!("this is no evidence: there is no version `{none}` of Selvedge");
        check(&format!("\"{none}\""), &expected);
    }
    assert!(refused("\"selvedge\": \"0.1.0\"", "\"selvedge\": 1").contains("invalid type"));
    assert_eq!(
        refused("\"selvedge\": \"0.1.0\",", ""),
        "this is no evidence: it does not say which Selvedge wrote it"
    );
    let text = document(&fig1()).to_text();
    assert!(Document::parse(&text.replace("\"0.1.0\"", "\"0.0.9\"")).is_ok());
}

#[test]
fn formats_are_known() {
    let format = |n: &str| refused("\"evidence\": 3", &format!("\"evidence\": {n}"));
    assert_eq!(
        format("4"),
        "this is evidence in format 4, written by Selvedge 0.1.0; Selvedge 0.1.0 reads format 3: check \
         it with a newer Selvedge"
    );
    assert_eq!(
        format("2"),
        "this is evidence in format 2, written by Selvedge 0.1.0; Selvedge 0.1.0 reads format 3"
    );
    for none in ["-3", "3.0", "\"3\"", "99999999999999999999999"] {
        assert!(format(none).starts_with("this is no evidence: "), "{none}");
    }
}

/// Nothing stands in a file that is not looked at, and nothing stands there twice.
#[test]
fn what_is_not_known_is_refused_and_so_is_what_is_said_twice() {
    for (from, to) in [
        ("\"kind\"", "\"note\": 1, \"kind\""),
        ("\"T1\": 2", "\"T1\": 2, \"T1\": 2"),
        ("\"init\"", "\"initial\": \"\", \"init\""),
        ("\"contexts\"", "\"bound\": 4, \"contexts\""),
        ("\"contexts\"", "\"contexts\": 2, \"contexts\""),
        ("\"kind\"", "\"kind\": \"violation\", \"kind\""),
        ("\"evidence\"", "\"evidence\": 3, \"evidence\""),
        ("\"selvedge\"", "\"selvedge\": \"0.1.0\", \"selvedge\""),
        ("\"property\"", "\"property\": \"3|*,*\", \"property\""),
        ("\"kind\"", "\"chosen\": {\"w\": 1, \"w\": 1}, \"kind\""),
        ("\"init\"", "\"const\": {\"N\": \"1\", \"N\": \"1\"}, \"init\""),
    ] {
        let why = refused(from, to);
        assert!(why.contains("unknown field") || why.contains("duplicate"), "{to}: {why}");
    }
    assert_eq!(
        refused(
            "\"violation\": {",
            "\"lasso\": {\"fairness\": \"none\", \"ended\": true, \"stem\": [], \"period\": []}, \
             \"violation\": {"
        ),
        "it is said to be of kind Violation, and has a part of kind Lasso as well"
    );
}

#[test]
fn what_is_asked_about_is_what_is_claimed() {
    let found = document(&fig1());
    assert!(found.check_property("3|*,*").is_ok());
    let why = found.check_property("2|*,*").expect_err("another one").to_string();
    assert_eq!(why, "it claims to be about `3|*,*`, and what is asked about is `2|*,*`");
}

/// A short line may stand for a run that has no end in sight.
#[test]
fn long_schedules_end_with_the_budget() {
    let text = document(&fig1()).to_text();
    let lines = vec!["\"T1 * 1000000\""; 2000].join(", ");
    let long = text.replace("\"T1\",", &format!("{lines},"));
    let cancelled = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let budget = Budget { cancelled: vec![cancelled], ..Budget::default() };
    let why = Document::parse(&long).unwrap().evidence_within(&fig1(), &budget);
    assert_eq!(
        why.expect_err("it ends").to_string(),
        "it could not be checked: the run was interrupted"
    );
}

/// A part of an invariant that would not be looked at.
#[test]
fn abstract_states_have_predicates_that_they_are_about() {
    let entry = |more: &str| {
        let text = document(&fig1()).to_text();
        let start = text.find("\"violation\": {").unwrap();
        let views = format!(
            "\"views\": {{\"width\": 1, \"predicates\": [], \
             \"entries\": [{{\"places\": [\"a\"], \"clauses\": []{more}}}]}}}}"
        );
        let text = text[..start].replace("\"kind\": \"violation\"", "\"kind\": \"views\"") + &views;
        Document::parse(&text).expect("it can be read").views()
    };
    assert!(entry("").unwrap().is_some());
    for more in [", \"about\": [0]", ", \"views\": [\"1\"]"] {
        let why = entry(more).expect_err(more).to_string();
        assert!(why.contains("go together"), "{why}");
    }
}
