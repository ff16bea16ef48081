//! Targets of programs: which places they mean, and what is said of those that mean none.

use expect_test::{Expect, expect};
use selvedge_frontend::check::{CheckOptions, check as checked};
use selvedge_frontend::target::target;
use selvedge_frontend::weave;
use selvedge_model::{Pattern, Property};
use selvedge_program::Source;

const PROGRAM: &str = "bool busy := false;
bool f() {
  inner: return true;
}
void work(bool again) {
  enter: atomic {
    assume !busy;
    inside: busy := true;
  }
  critical: again := f();
  if (again) goto enter;
  jump: goto enter;
}
void other() {
  critical: skip;
}
thread worker * 2 = work(true);
thread other;
";

fn check(text: &str, expect: Expect) {
    let source = Source::new("test.weave", PROGRAM);
    let (tree, mistakes) = weave::parse(&source);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let (program, mistakes) = checked(&tree, &CheckOptions::default());
    let program = program.unwrap_or_else(|| panic!("{mistakes:?}"));
    expect.assert_eq(&match target(text, &program, &source) {
        Ok(Property::Unreachable(Pattern::Together(threads))) => {
            let shown = threads.iter().map(|thread| {
                let places = thread.places.iter().map(|(template, place)| {
                    let name = template.and_then(|t| program.template_names().nth(t.index()));
                    format!("{}@{}", name.unwrap_or("*"), place.0)
                });
                format!("{}: {}", thread.text, places.collect::<Vec<_>>().join(" "))
            });
            shown.collect::<Vec<_>>().join("; ")
        }
        Ok(other) => format!("{other:?}"),
        Err(wrong) => wrong.to_string(),
    });
}

#[test]
fn labels_and_lines() {
    check("worker@critical", expect!["worker@critical: worker@6"]);
    check("work@critical", expect!["work@critical: work@6 *@6"]);
    check("*@critical", expect!["*@critical: *@6 *@20"]);
    check("worker@10", expect!["worker@10: worker@6"]);
    check(
        " other@critical , worker @ enter ",
        expect!["other@critical: other@20 other@20 *@20; worker@enter: worker@4"],
    );
    check("worker@inner", expect!["worker@inner: worker@1"]);
    check("worker@3,*@3,f@3", expect!["worker@3: worker@1; *@3: *@1; f@3: f@1 *@1"]);
}

#[test]
fn what_is_not_there() {
    check(
        "worker@critcal",
        expect![[r#"
        error: there is no label `critcal`
         --> --target:1:8
          |
        1 | worker@critcal
          |        ^^^^^^^
          |
          = help: did you mean `critical`?

        --target: 1 error
    "#]],
    );
    check(
        "worker@nowhere",
        expect![[r#"
        error: there is no label `nowhere`
         --> --target:1:8
          |
        1 | worker@nowhere
          |        ^^^^^^^
          |
          = help: known labels: `critical`, `enter`, `inner`

        --target: 1 error
    "#]],
    );
    check(
        "wroker@critical",
        expect![[r#"
        error: there is no thread or procedure `wroker`
         --> --target:1:1
          |
        1 | wroker@critical
          | ^^^^^^
          |
          = help: did you mean `worker`?

        --target: 1 error
    "#]],
    );
    check(
        "x@critical",
        expect![[r#"
        error: there is no thread or procedure `x`
         --> --target:1:1
          |
        1 | x@critical
          | ^
          |
          = help: known threads and procedures: `f`, `other`, `work`, `worker`; `*` is any thread

        --target: 1 error
    "#]],
    );
    check(
        "worker@99,worker@1",
        expect![[r#"
            error: no statement begins at line 99
             --> --target:1:8
              |
            1 | worker@99,worker@1
              |        ^^
              |
              = help: the nearest one is at line 16

            error: no statement begins at line 1
             --> --target:1:18
              |
            1 | worker@99,worker@1
              |                  ^
              |
              = help: the nearest one is at line 3

            --target: 2 errors
        "#]],
    );
    check(
        "worker@99999999999",
        expect![[r#"
        error: there is no label `99999999999`
         --> --target:1:8
          |
        1 | worker@99999999999
          |        ^^^^^^^^^^^
          |
          = help: known labels: `critical`, `enter`, `inner`

        --target: 1 error
    "#]],
    );
}

#[test]
fn what_is_never_seen() {
    check(
        "worker@inside",
        expect![[r#"
        error: no thread is ever seen at label `inside`
         --> --target:1:8
          |
        1 | worker@inside
          |        ^^^^^^
          |
          = help: an atomic block is one step, and a jump is none: name the statement before or after

        --target: 1 error
    "#]],
    );
    check(
        "*@8",
        expect![[r#"
        error: no thread is ever seen at line `8`
         --> --target:1:3
          |
        1 | *@8
          |   ^
          |
          = help: an atomic block is one step, and a jump is none: name the statement before or after

        --target: 1 error
    "#]],
    );
    check(
        "worker@jump",
        expect![[r#"
        error: no thread is ever seen at label `jump`
         --> --target:1:8
          |
        1 | worker@jump
          |        ^^^^
          |
          = help: an atomic block is one step, and a jump is none: name the statement before or after

        --target: 1 error
    "#]],
    );
    check(
        "other@enter",
        expect![[r#"
        error: `other` never gets to `enter`
         --> --target:1:1
          |
        1 | other@enter
          | ^^^^^^^^^^^
          |
          = help: this place is in `work`

        --target: 1 error
    "#]],
    );
    check(
        "other@inner,f@enter",
        expect![[r#"
        error: `other` never gets to `inner`
         --> --target:1:1
          |
        1 | other@inner,f@enter
          | ^^^^^^^^^^^
          |
          = help: this place is in `f`

        error: `f` never gets to `enter`
         --> --target:1:13
          |
        1 | other@inner,f@enter
          |             ^^^^^^^
          |
          = help: this place is in `work`

        --target: 2 errors
    "#]],
    );
}

#[test]
fn what_cannot_be_read() {
    check(
        "",
        expect![[r#"
        error: expected a thread at a place
         --> --target:1:1
          |
        1 |
          | ^
          |
          = help: a target of a program is written `thread@label` or `thread@line`, like `worker@critical` or `*@23`; several threads at once are separated by commas

        --target: 1 error
    "#]],
    );
    check(
        "worker",
        expect![[r#"
        error: expected a thread at a place
         --> --target:1:1
          |
        1 | worker
          | ^^^^^^
          |
          = help: a target of a program is written `thread@label` or `thread@line`, like `worker@critical` or `*@23`; several threads at once are separated by commas

        --target: 1 error
    "#]],
    );
    check(
        "worker@",
        expect![[r#"
        error: expected a label or a line
         --> --target:1:8
          |
        1 | worker@
          |        ^
          |
          = help: a target of a program is written `thread@label` or `thread@line`, like `worker@critical` or `*@23`; several threads at once are separated by commas

        --target: 1 error
    "#]],
    );
    check(
        "@critical",
        expect![[r#"
        error: expected a thread
         --> --target:1:1
          |
        1 | @critical
          | ^
          |
          = help: a target of a program is written `thread@label` or `thread@line`, like `worker@critical` or `*@23`; several threads at once are separated by commas

        --target: 1 error
    "#]],
    );
    check(
        "worker@critical,",
        expect![[r#"
        error: expected a thread at a place
         --> --target:1:17
          |
        1 | worker@critical,
          |                 ^
          |
          = help: a target of a program is written `thread@label` or `thread@line`, like `worker@critical` or `*@23`; several threads at once are separated by commas

        --target: 1 error
    "#]],
    );
    check(
        "0|1,2",
        expect![[r#"
        error: expected a thread at a place
         --> --target:1:1
          |
        1 | 0|1,2
          | ^^^
          |
          = help: a target of a program is written `thread@label` or `thread@line`, like `worker@critical` or `*@23`; several threads at once are separated by commas

        error: expected a thread at a place
         --> --target:1:5
          |
        1 | 0|1,2
          |     ^
          |
          = help: a target of a program is written `thread@label` or `thread@line`, like `worker@critical` or `*@23`; several threads at once are separated by commas

        --target: 2 errors
    "#]],
    );
    check(
        "ä@ö,ß",
        expect![[r#"
        error: there is no label `ö`
         --> --target:1:3
          |
        1 | ä@ö,ß
          |   ^
          |
          = help: known labels: `critical`, `enter`, `inner`

        error: expected a thread at a place
         --> --target:1:5
          |
        1 | ä@ö,ß
          |     ^
          |
          = help: a target of a program is written `thread@label` or `thread@line`, like `worker@critical` or `*@23`; several threads at once are separated by commas

        --target: 2 errors
    "#]],
    );
}
