//! The observation table of the running example of the CUBA paper [Fig. 1], in all formats.

use std::time::Duration;

use expect_test::expect;
use selvedge_analysis::engine::{Method, Question, table};
use selvedge_analysis::{Budget, Resource};
use selvedge_model::{Tables, Word};
use selvedge_report::style::Paint;
use selvedge_report::table::TableReport;

fn fig1() -> Tables {
    let mut t = Tables::builder();
    let [q0, q1, q2, q3] = ["0", "1", "2", "3"].map(|name| t.shared(name));
    let [first, second] = ["T1", "T2"].map(|name| t.template(name));
    let [a1, a2] = ["1", "2"].map(|name| t.symbol(first, name));
    let [b4, b5, b6] = ["4", "5", "6"].map(|name| t.symbol(second, name));
    t.rule(first, q0, Some(a1), q1, Word::Rewrite(a2));
    t.rule(first, q3, Some(a2), q0, Word::Rewrite(a1));
    t.rule(second, q0, Some(b4), q0, Word::Pop);
    t.rule(second, q0, Some(b6), q0, Word::Pop);
    t.rule(second, q1, Some(b4), q2, Word::Rewrite(b5));
    t.rule(second, q2, Some(b5), q3, Word::Push { top: b4, under: b6 });
    t.thread("T1", first, vec![a1]);
    t.thread("T2", second, vec![b4]);
    t.initial(q0);
    t.build()
}

#[test]
fn tables_have_the_same_rows_in_all_formats() {
    let system = fig1();
    let question = Question {
        system: &system,
        properties: &[],
        method: Method::Auto,
        symmetry: true,
        evidence: false,
    };
    let table = table(&question, Resource::Contexts, None, 2, &Budget::default(), &|_| {});
    let report = TableReport {
        file: "fig1.cpds",
        system: &system,
        table: &table,
        time: Duration::from_millis(1500),
        peak_memory: 2048,
    };
    expect![[r#"
        contexts  states  new  visible  new
               0       1    1        1    1  ⟨0|1,4⟩
               1       3    2        3    2  ⟨0|1,-⟩ ⟨1|2,4⟩
               2       6    3        6    3
               3       8    2        6    0  plateau
               4      11    3        7    1  ⟨0|1,6⟩
               5      14    3        8    1  ⟨1|2,6⟩

          collapse         at 5 contexts: no visible state is new with any larger number
          proof            from above: stack cut of depth 1: the top symbol of each stack kept, exactly the visible states that were reached
          finite contexts  T1 yes, T2 yes
          effort           stack-cuts, 5 contexts, 14 states, 8 visible states, 1.50 s, 2.0 KiB
    "#]].assert_eq(&report.text(Paint { colours: false }));
    expect![[r#"
        | contexts | states | new states | visible | new visible | which |
        | ---: | ---: | ---: | ---: | ---: | --- |
        | 0 | 1 | 1 | 1 | 1 | `⟨0\|1,4⟩` |
        | 1 | 3 | 2 | 3 | 2 | `⟨0\|1,-⟩` `⟨1\|2,4⟩` |
        | 2 | 6 | 3 | 6 | 3 |  |
        | 3 | 8 | 2 | 6 | 0 | plateau |
        | 4 | 11 | 3 | 7 | 1 | `⟨0\|1,6⟩` |
        | 5 | 14 | 3 | 8 | 1 | `⟨1\|2,6⟩` |

        *collapse*: at 5 contexts: no visible state is new with any larger number

        *proof*: from above: stack cut of depth 1: the top symbol of each stack kept, exactly the visible states that were reached

        *finite contexts*: T1 yes, T2 yes
    "#]].assert_eq(&report.markdown());
    expect![[r#"
        contexts,states,new_states,visible,new_visible,plateau,which
        0,1,1,1,1,false,"⟨0|1,4⟩"
        1,3,2,3,2,false,"⟨0|1,-⟩ ⟨1|2,4⟩"
        2,6,3,6,3,false,
        3,8,2,6,0,true,
        4,11,3,7,1,false,"⟨0|1,6⟩"
        5,14,3,8,1,false,"⟨1|2,6⟩"
    "#]]
    .assert_eq(&report.csv());
    let json = report.json();
    assert_eq!(json.collapse.and_then(|bound| bound.contexts), Some(5));
    let new: Vec<_> = json.observations.iter().filter_map(|row| row.new_visible).collect();
    assert_eq!(new, [1, 2, 3, 0, 1, 1]);
    let plateaus: Vec<_> = json.observations.iter().map(|row| row.plateau).collect();
    assert_eq!(plateaus, [false, false, false, true, false, false]);
    assert_eq!(json.observations[2].which, None);
}
