//! Mistakes in `.cpds` files.

use expect_test::{Expect, expect};

use super::super::Format;
use super::refusal;

fn cpds(text: &str, expect: Expect) {
    expect.assert_eq(&refusal(Format::Cpds, text, None, None));
}

#[test]
fn empty() {
    cpds(
        "\n",
        expect![[r#"
            error: the file is empty
             --> test.cpds:1:1
              |
            1 |
              | ^
              |
              = help: begin with the shared states, `shared 0 1 2`, and the first one, `init 0`

            test.cpds: 1 error
        "#]],
    );
}

#[test]
fn garbage() {
    cpds(
        "%PDF-1.4\n",
        expect![[r#"
            error: write `shared`, `init`, `thread` or `target` here, not `%`
             --> test.cpds:1:1
              |
            1 | %PDF-1.4
              | ^

            error: there are no shared states
             --> test.cpds:1:9
              |
            1 | %PDF-1.4
              |         ^
              |
              = help: list them: `shared 0 1 2` or `shared 0..2`

            error: there is no initial shared state
             --> test.cpds:1:9
              |
            1 | %PDF-1.4
              |         ^
              |
              = help: name it: `init 0`

            error: there is no thread
             --> test.cpds:1:9
              |
            1 | %PDF-1.4
              |         ^
              |
              = help: a thread is written `thread T starts s { rules }`

            test.cpds: 4 errors
        "#]],
    );
}

#[test]
fn shared_states() {
    cpds(
        "shared a b a\ninit c\nthread T starts 1 {\n  a 1 -> d 2\n}\n",
        expect![[r#"
            error: the shared state `a` is declared twice
             --> test.cpds:1:12
              |
            1 | shared a b a
              |            ^

            error: there is no shared state `c`
             --> test.cpds:2:6
              |
            2 | init c
              |      ^
              |
              = help: shared states are listed before they are used: `shared 0 1 2`

            error: there is no shared state `d`
             --> test.cpds:4:10
              |
            4 |   a 1 -> d 2
              |          ^
              |
              = help: shared states are listed before they are used: `shared 0 1 2`

            test.cpds: 3 errors
        "#]],
    );
    cpds(
        "thread T starts 1 { }\n",
        expect![[r#"
            error: there are no shared states
             --> test.cpds:1:22
              |
            1 | thread T starts 1 { }
              |                      ^
              |
              = help: list them: `shared 0 1 2` or `shared 0..2`

            error: there is no initial shared state
             --> test.cpds:1:22
              |
            1 | thread T starts 1 { }
              |                      ^
              |
              = help: name it: `init 0`

            test.cpds: 2 errors
        "#]],
    );
    cpds(
        "shared 5..2\nshared 7..4000000000\ninit\nthread T starts 1 { }\n",
        expect![[r#"
            error: this range runs backwards
             --> test.cpds:1:8
              |
            1 | shared 5..2
              |        ^^^^

            error: these are too many shared states
             --> test.cpds:2:8
              |
            2 | shared 7..4000000000
              |        ^^^^^^^^^^^^^
              |
              = help: at most 10000000, unless they are numbered from 0

            error: write a shared state before the end of the line
             --> test.cpds:3:5
              |
            3 | init
              |     ^

            test.cpds: 3 errors
        "#]],
    );
}

#[test]
fn threads() {
    cpds(
        "shared 0\ninit 0\nthread T {\n}\n",
        expect![[r#"
            error: write `starts` here, not `{`
             --> test.cpds:3:10
              |
            3 | thread T {
              |          ^
              |
              = help: say what is on the stack at the start: `thread T starts s` (top first), or `starts -` for the empty stack

            test.cpds: 1 error
        "#]],
    );
    cpds(
        "shared 0\ninit 0\nthread T starts 1 {\n 0 1 -> 0 2\n",
        expect![[r#"
        error: this `{` is not closed
         --> test.cpds:3:19
          |
        3 | thread T starts 1 {
          |                   ^
          |
          = help: write `}` after the last rule of the thread

        test.cpds: 1 error
    "#]],
    );
    cpds(
        "shared 0\ninit 0\nthread T starts 1 { }\nthread T starts 1 { }\n",
        expect![[r#"
        error: there are two threads `T`
         --> test.cpds:4:8
          |
        3 | thread T starts 1 { }
          |        - the first one
        4 | thread T starts 1 { }
          |        ^

        test.cpds: 1 error
    "#]],
    );
    cpds(
        "shared 0\ninit 0\nthread T * 4000000000 starts 1 { }\n",
        expect![[r#"
            error: at most 100000 threads are possible
             --> test.cpds:3:12
              |
            3 | thread T * 4000000000 starts 1 { }
              |            ^^^^^^^^^^

            test.cpds: 1 error
        "#]],
    );
    cpds(
        "shared 0\ninit 0\nthread T like U starts 1\n0 1 -> 0 2\n",
        expect![[r#"
            error: there is no thread `U` before this one
             --> test.cpds:3:15
              |
            3 | thread T like U starts 1
              |               ^

            error: write `shared`, `init`, `thread` or `target` here, not `0`
             --> test.cpds:4:1
              |
            4 | 0 1 -> 0 2
              | ^
              |
              = help: rules stand in the braces of a thread

            test.cpds: 2 errors
        "#]],
    );
    cpds("shared 0\ninit 0\nthread T * 0 starts 1 { }\n", expect!["test.cpds: there is no thread"]);
}

#[test]
fn targets() {
    let table = "shared 0 1\ninit 0\nthread T * 2 starts 1 {\n  0 1 -> 1 2\n}\n\
                 thread U starts a {\n  1 a -> 0 b c\n}\n";
    let check = |target: &str, expect: Expect| cpds(&format!("{table}target {target}\n"), expect);
    check(
        "0|1,2",
        expect![[r#"
        error: 2 tops given, but there are 3 threads
         --> test.cpds:9:8
          |
        9 | target 0|1,2
          |        ^^^^^
          |
          = help: give one top for each of T#1, T#2, U

        test.cpds: 1 error
    "#]],
    );
    check(
        "0|1,2,1",
        expect![[r#"
        error: thread U has no stack symbol `1`
         --> test.cpds:9:14
          |
        9 | target 0|1,2,1
          |              ^ a symbol of thread T#1
          |
          = help: the order is that of the threads in the table

        test.cpds: 1 error
    "#]],
    );
    check(
        "2|7,a,b\ntarget 0|1,1",
        expect![[r#"
        error: there is no shared state `2`
         --> test.cpds:9:8
          |
        9 | target 2|7,a,b
          |        ^

        error: thread T#1 has no stack symbol `7`
         --> test.cpds:9:10
          |
        9 | target 2|7,a,b
          |          ^ no thread has it

        error: thread T#2 has no stack symbol `a`
         --> test.cpds:9:12
          |
        9 | target 2|7,a,b
          |            ^ a symbol of thread U
          |
          = help: the order is that of the threads in the table

        error: 2 tops given, but there are 3 threads
          --> test.cpds:10:8
           |
        10 | target 0|1,1
           |        ^^^^^
           |
           = help: give one top for each of T#1, T#2, U

        test.cpds: 4 errors
    "#]],
    );
    check(
        "somewhere 0|x",
        expect![[r#"
        error: no thread has a stack symbol `x`
         --> test.cpds:9:20
          |
        9 | target somewhere 0|x
          |                    ^

        test.cpds: 1 error
    "#]],
    );
    check(
        "somewhere 0|1 in V",
        expect![[r#"
        error: there is no thread `V`
         --> test.cpds:9:25
          |
        9 | target somewhere 0|1 in V
          |                         ^

        test.cpds: 1 error
    "#]],
    );
    check(
        "0 1",
        expect![[r#"
        error: write `|` after the shared state here, not `1`
         --> test.cpds:9:10
          |
        9 | target 0 1
          |          ^
          |
          = help: a target is written `shared|top,top,…`, like `20|23,*,-`, or `somewhere 20|23`; with dots, a stack is meant whole: `20|23.7,*,5.-`

        test.cpds: 1 error
    "#]],
    );
}
