//! Mistakes in what stands beside a table: initial states, targets, numbers of threads.

use expect_test::{Expect, expect};
use selvedge_program::Source;

use super::super::{Beside, Format, read};
use super::refusal;

const TABLE: &str = "2\nPDA 1 3\n0 1 -> 1 2\nPDA 8 9\n1 8 -> 0 9\n";

fn init(text: &str, expect: Expect) {
    expect.assert_eq(&refusal(Format::Pds, TABLE, Some(text), None));
}

fn target(text: &str, expect: Expect) {
    expect.assert_eq(&refusal(Format::Pds, TABLE, Some("0|1,8"), Some(text)));
}

#[test]
fn no_initial_state() {
    let expect = expect![
        "test.pds: the initial state is missing: there is no file test.init; write one, or say --init 'q|w,w' with the shared state q and a stack w for each thread"
    ];
    expect.assert_eq(&refusal(Format::Pds, TABLE, None, None));
}

#[test]
fn initial_states() {
    init(
        "",
        expect![[r#"
        error: write the initial shared state before the end of the text
         --> --init:1:1
          |
        1 |
          | ^

        --init: 1 error
    "#]],
    );
    init(
        "0|1",
        expect![[r#"
        error: 1 stack given, but there are 2 threads
         --> --init:1:1
          |
        1 | 0|1
          | ^^^
          |
          = help: give one stack for each of T1, T2

        --init: 1 error
    "#]],
    );
    init(
        "0|8,1",
        expect![[r#"
        error: thread T1 has no stack symbol `8`
         --> --init:1:3
          |
        1 | 0|8,1
          |   ^ a symbol of thread T2
          |
          = help: the order is that of the threads in the table

        error: thread T2 has no stack symbol `1`
         --> --init:1:5
          |
        1 | 0|8,1
          |     ^ a symbol of thread T1
          |
          = help: the order is that of the threads in the table

        --init: 2 errors
    "#]],
    );
    init(
        "5|1.9.2,7",
        expect![[r#"
        error: there is no shared state `5`
         --> --init:1:1
          |
        1 | 5|1.9.2,7
          | ^

        error: thread T1 has no stack symbol `9`
         --> --init:1:5
          |
        1 | 5|1.9.2,7
          |     ^ a symbol of thread T2
          |
          = help: the order is that of the threads in the table

        error: thread T2 has no stack symbol `7`
         --> --init:1:9
          |
        1 | 5|1.9.2,7
          |         ^ no thread has it

        --init: 3 errors
    "#]],
    );
    init(
        "0,1,8",
        expect![[r#"
        error: write `|` after the shared state here, not `,`
         --> --init:1:2
          |
        1 | 0,1,8
          |  ^
          |
          = help: an initial state is written `q|w,w,…` with one stack for each thread

        --init: 1 error
    "#]],
    );
    init(
        "0|1,8\n1|1,8",
        expect![[r#"
        error: there is more than one initial state
         --> --init:2:1
          |
        2 | 1|1,8
          | ^

        --init: 1 error
    "#]],
    );
    init(
        "0|1,8,",
        expect![[r#"
        error: write a stack, or `-` for the empty one before the end of the text
         --> --init:1:7
          |
        1 | 0|1,8,
          |       ^

        --init: 1 error
    "#]],
    );
    // In the range, though no rule has it.
    init("0|3.1,-", expect!["accepted"]);
}

#[test]
fn targets() {
    target(
        "0|9,1\n",
        expect![[r#"
        error: thread T1 has no stack symbol `9`
         --> --target:1:3
          |
        1 | 0|9,1
          |   ^ a symbol of thread T2
          |
          = help: the order is that of the threads in the table

        error: thread T2 has no stack symbol `1`
         --> --target:1:5
          |
        1 | 0|9,1
          |     ^ a symbol of thread T1
          |
          = help: the order is that of the threads in the table

        --target: 2 errors
    "#]],
    );
    target(
        "0|1,8,9",
        expect![[r#"
        error: 3 tops given, but there are 2 threads
         --> --target:1:1
          |
        1 | 0|1,8,9
          | ^^^^^^^
          |
          = help: give one top for each of T1, T2

        --target: 1 error
    "#]],
    );
    target(
        "\n",
        expect![[r#"
            error: write a target before the end of the text
             --> --target:1:1
              |
            1 |
              | ^
              |
              = help: a target is written `shared|top,top,…`, like `20|23,*,-`, or `somewhere 20|23`; with dots, a stack is meant whole: `20|23.7,*,5.-`

            --target: 1 error
        "#]],
    );
    target(
        "0|1;8",
        expect![[r#"
        error: write `,` or the end of the line here, not `;`
         --> --target:1:4
          |
        1 | 0|1;8
          |    ^

        --target: 1 error
    "#]],
    );
    target("*|*,-", expect!["accepted"]);
    let expect = expect![[r#"
        error: there is no local state `2`
         --> --target:1:3
          |
        1 | 1|2
          |   ^

        --target: 1 error
    "#]];
    expect.assert_eq(&refusal(Format::Tts, "2 2\n0 0 -> 1 1\n", None, Some("1|2")));
    let expect = expect![[r#"
        error: end the line before `,`
         --> --target:1:4
          |
        1 | 1|0,0
          |    ^
          |
          = help: a target is written `shared|local`, like `4|23`

        --target: 1 error
    "#]];
    expect.assert_eq(&refusal(Format::Tts, "2 2\n0 0 -> 1 1\n", None, Some("1|0,0")));
}

#[test]
fn numbers_of_threads() {
    let check = |format, text: &str, name: &str, count, expect: Expect| {
        let beside = Beside { threads: [(name.to_owned(), count)].into(), ..Beside::default() };
        let result = read(format, &Source::new("test", text), &beside);
        expect.assert_eq(&result.map_or_else(
            |error| error.to_string(),
            |input| format!("{:?}", selvedge_model::System::threads(&input.tables)),
        ));
    };
    let text = "shared 0\ninit 0\nthread A starts 1 { }\nthread B starts 1 {\n0 1 -> 0 2\n}\n";
    check(Format::Cpds, text, "C", 2, expect!["--threads C=2: in test, the threads are A, B"]);
    check(
        Format::Cpds,
        text,
        "A",
        2,
        expect![[
            r#"[ThreadInfo { name: "A#1", template: TemplateId(0) }, ThreadInfo { name: "A#2", template: TemplateId(0) }, ThreadInfo { name: "B", template: TemplateId(1) }]"#
        ]],
    );
    check(
        Format::Cpds,
        text,
        "B",
        0,
        expect![[r#"[ThreadInfo { name: "A", template: TemplateId(0) }]"#]],
    );
    check(
        Format::Cpds,
        text,
        "B",
        4_000_000_000,
        expect!["test: there are 4000000001 threads; at most 100000 are possible"],
    );
    check(
        Format::Pds,
        TABLE,
        "T1",
        2,
        expect!["--threads T1=2: in test, there is one thread for each PDA"],
    );
}
