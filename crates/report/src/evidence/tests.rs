use expect_test::expect;
use selvedge_evidence::{Evidence, Violation, recheck};
use selvedge_model::Property;

use super::*;
use crate::testing::{Counter, counter_run};

fn subject() -> Subject {
    Subject {
        file: "counter.weave".to_owned(),
        digest: "sha256:0".to_owned(),
        options: Options {
            threads: [("adder".to_owned(), 2)].into(),
            init: Some("0|1".to_owned()),
            ..Options::default()
        },
        chosen: BTreeMap::new(),
        property: "assertions".to_owned(),
    }
}

fn document() -> Document {
    let violation = Violation { trace: counter_run(), contexts: 3, property: 0 };
    Document::new(&Counter, subject(), &Evidence::Violation(violation)).unwrap()
}

#[test]
fn a_line_for_each_entry() {
    expect![[r#"
        {
         "selvedge": "0.1.0",
         "evidence": 2,
         "file": "counter.weave",
         "digest": "sha256:0",
         "options": {
          "threads": {
           "adder": 2
          },
          "init": "0|1"
         },
         "property": "assertions",
         "kind": "violation",
         "violation": {
          "property": 0,
          "contexts": 3,
          "schedule": [
           "adder * 3",
           "checker",
           "adder"
          ]
         }
        }
    "#]]
    .assert_eq(&document().to_text());
}

#[test]
fn what_was_written_is_read_and_holds() {
    let read = Document::parse(&document().to_text()).unwrap();
    assert_eq!(read, document());
    let evidence = read.evidence(&Counter).unwrap();
    let checked = recheck(&Counter, &[Property::NeverWrong], &evidence).unwrap();
    expect![
        "unsafe: a run of 5 steps in 3 contexts goes wrong: assertion failed at line 13: x == 0"
    ]
    .assert_eq(&checked.to_string());
}

#[test]
fn digests_are_known_ones() {
    let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(digest(""), empty);
}
