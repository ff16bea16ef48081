//! Mistakes in the tables themselves.

use expect_test::{Expect, expect};

use super::super::Format;
use super::refusal;

fn pds(text: &str, expect: Expect) {
    expect.assert_eq(&refusal(Format::Pds, text, Some("0|1"), None));
}

fn cpds(text: &str, expect: Expect) {
    expect.assert_eq(&refusal(Format::Cpds, text, None, None));
}

fn tts(text: &str, expect: Expect) {
    expect.assert_eq(&refusal(Format::Tts, text, None, None));
}

#[test]
fn empty() {
    pds(
        "",
        expect![[r#"
        error: the file is empty: it has no shared states and no threads
         --> test.pds:1:1
          |
        1 |
          | ^

        test.pds: 1 error
    "#]],
    );
    pds(
        "# only a comment\r\n\n",
        expect![[r#"
            error: the file is empty: it has no shared states and no threads
             --> test.pds:1:17
              |
            1 | # only a comment
              |                 ^

            test.pds: 1 error
        "#]],
    );
    cpds(
        "\n",
        expect![[r#"
            error: the file is empty
             --> test.cpds:1:1
              |
            1 |
              | ^

            test.cpds: 1 error
        "#]],
    );
    tts(
        "",
        expect![[r#"
        error: the file is empty
         --> test.tts:1:1
          |
        1 |
          | ^

        test.tts: 1 error
    "#]],
    );
}

#[test]
fn missing_count() {
    pds(
        "PDA 1 2\n0 1 -> 0 2\n",
        expect![[r#"
        error: the number of shared states is missing
         --> test.pds:1:1
          |
        1 | PDA 1 2
          | ^^^
          |
          = help: the first line of a .pds is that number and nothing else

        test.pds: 1 error
    "#]],
    );
    pds(
        "# no count\n0 1 -> 0 2",
        expect![[r#"
            error: the number of shared states is missing
             --> test.pds:2:1
              |
            2 | 0 1 -> 0 2
              | ^
              |
              = help: the first line of a .pds is that number and nothing else

            error: this stands before the first `PDA`
             --> test.pds:2:1
              |
            2 | 0 1 -> 0 2
              | ^
              |
              = help: each thread starts with `PDA lo hi`, the range of its symbols

            test.pds: 2 errors
        "#]],
    );
    pds(
        "0\nPDA 1 2",
        expect![[r#"
        error: there are no shared states
         --> test.pds:1:1
          |
        1 | 0
          | ^

        test.pds: 1 error
    "#]],
    );
}

#[test]
fn numbers() {
    let digits = "1234567890".repeat(4);
    pds(
        &format!("{digits}\nPDA 1 2\n0 {digits} -> 0 -\n"),
        expect![[r#"
        error: this number is too large
         --> test.pds:1:1
          |
        1 | 1234567890123456789012345678901234567890
          | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the largest is 4294967295

        error: this number is too large
         --> test.pds:3:3
          |
        3 | 0 1234567890123456789012345678901234567890 -> 0 -
          |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the largest is 4294967295

        test.pds: 2 errors
    "#]],
    );
    pds(
        "2\nPDA 1 2\n0 1 -> 2 2\n7 1 -> 0 2\n",
        expect![[r#"
        error: there is no shared state 2
         --> test.pds:3:8
          |
        3 | 0 1 -> 2 2
          |        ^ the shared states are 0 to 1

        error: there is no shared state 7
         --> test.pds:4:1
          |
        4 | 7 1 -> 0 2
          | ^ the shared states are 0 to 1

        test.pds: 2 errors
    "#]],
    );
    pds(
        "1\nPDA 1 2\n0 x -> 1 2",
        expect![[r#"
        error: expected the number of a stack symbol, found `x`
         --> test.pds:3:3
          |
        3 | 0 x -> 1 2
          |   ^

        error: there is no shared state 1
         --> test.pds:3:8
          |
        3 | 0 x -> 1 2
          |        ^ the only shared state is 0

        test.pds: 2 errors
    "#]],
    );
}

#[test]
fn ranges() {
    pds(
        "2\nPDA\n0 1 -> 0 2\n",
        expect![[r#"
            error: expected the least stack symbol, found the end of the line
             --> test.pds:2:4
              |
            2 | PDA
              |    ^
              |
              = help: `PDA lo hi` says that the stack symbols of the thread are lo to hi

            test.pds: 1 error
        "#]],
    );
    pds(
        "2\nPDA 1\nPDA 5 2\nPDA 1 2 3\n",
        expect![[r#"
            error: expected the greatest stack symbol, found the end of the line
             --> test.pds:2:6
              |
            2 | PDA 1
              |      ^
              |
              = help: `PDA lo hi` says that the stack symbols of the thread are lo to hi

            error: the range of the stack symbols runs backwards
             --> test.pds:3:5
              |
            3 | PDA 5 2
              |     ^^^
              |
              = help: `PDA lo hi` says that the stack symbols of the thread are lo to hi

            error: expected the end of the line, found `3`
             --> test.pds:4:9
              |
            4 | PDA 1 2 3
              |         ^
              |
              = help: `PDA lo hi` says that the stack symbols of the thread are lo to hi

            test.pds: 3 errors
        "#]],
    );
}

#[test]
fn rules() {
    pds(
        "2\nPDA 1 9\n0 1 -> 0 2 3 4\n",
        expect![[r#"
        error: a rule pushes at most two symbols
         --> test.pds:3:14
          |
        3 | 0 1 -> 0 2 3 4
          |              ^ this is one more
          |
          = help: push two, and let another rule push the rest

        test.pds: 1 error
    "#]],
    );
    pds(
        "2\nPDA 1 9\n0 1 0 2\n0 1 = 0 2\n0 1 ->\n",
        expect![[r#"
        error: expected `->`, found `0`
         --> test.pds:3:5
          |
        3 | 0 1 0 2
          |     ^
          |
          = help: a rule is written `q s -> q' w`, where w is `-`, one symbol or two

        error: expected `->`, found `=`
         --> test.pds:4:5
          |
        4 | 0 1 = 0 2
          |     ^
          |
          = help: a rule is written `q s -> q' w`, where w is `-`, one symbol or two

        error: expected a shared state, found the end of the line
         --> test.pds:5:7
          |
        5 | 0 1 ->
          |       ^

        test.pds: 3 errors
    "#]],
    );
    pds(
        "2\n0 1 -> 0 2\nPDA 1 9\n",
        expect![[r#"
        error: this stands before the first `PDA`
         --> test.pds:2:1
          |
        2 | 0 1 -> 0 2
          | ^
          |
          = help: each thread starts with `PDA lo hi`, the range of its symbols

        test.pds: 1 error
    "#]],
    );
    pds(
        "2\nPDA 1 9\n0 1 -> 0 2 + 3\n0 1 +> 0 2\n",
        expect![[r#"
        error: a rule of a .pds cannot start a thread
         --> test.pds:3:12
          |
        3 | 0 1 -> 0 2 + 3
          |            ^
          |
          = help: a .cpds file can have such rules

        error: `+>` starts a thread in .tts only
         --> test.pds:4:5
          |
        4 | 0 1 +> 0 2
          |     ^^
          |
          = help: in .cpds, write `q s -> q' w + s'` to start a thread at s'

        test.pds: 2 errors
    "#]],
    );
    pds(
        "2\nPDA 1 9\n0 1 -> 0 - -\nrule 1\n",
        expect![[r#"
        error: expected the end of the line, found `-`
         --> test.pds:3:12
          |
        3 | 0 1 -> 0 - -
          |            ^

        error: expected a rule or `PDA`, found `rule`
         --> test.pds:4:1
          |
        4 | rule 1
          | ^^^^

        test.pds: 2 errors
    "#]],
    );
}

#[test]
fn garbage() {
    pds(
        "\u{1}\u{2}→ ????\n{{{\n",
        expect![[r#"
            error: expected the number of shared states, found `�`
             --> test.pds:1:1
              |
            1 | ␁␂→ ????
              | ^

            error: this stands before the first `PDA`
             --> test.pds:2:1
              |
            2 | {{{
              | ^
              |
              = help: each thread starts with `PDA lo hi`, the range of its symbols

            test.pds: 2 errors
        "#]],
    );
    cpds(
        "%PDF-1.4\n",
        expect![[r#"
            error: expected `shared`, `init`, `thread` or `target`, found `%`
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

            error: expected a shared state, found the end of the line
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
            error: expected `starts`, found `{`
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

            error: expected `shared`, `init`, `thread` or `target`, found `0`
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
        error: expected `|` after the shared state, found `1`
         --> test.cpds:9:10
          |
        9 | target 0 1
          |          ^
          |
          = help: a target is written `shared|top,top,…`, like `20|23,*,-`, or `somewhere 20|23`

        test.cpds: 1 error
    "#]],
    );
}

#[test]
fn thread_transition_systems() {
    tts(
        "5\n0 1 -> 0 2\n",
        expect![[r#"
            error: expected the number of local states, found the end of the line
             --> test.tts:1:2
              |
            1 | 5
              |  ^
              |
              = help: the first line of a .tts is the number of shared states and that of local states

            test.tts: 1 error
        "#]],
    );
    tts(
        "# shared state 9: x=1\n# local state 3: pc=0\n5 3\n0 1 -> 0 2\n",
        expect![[r#"
        error: there is no shared state 9
         --> test.tts:1:16
          |
        1 | # shared state 9: x=1
          |                ^ the shared states are 0 to 4

        error: there is no local state 3
         --> test.tts:2:15
          |
        2 | # local state 3: pc=0
          |               ^ the local states are 0 to 2

        test.tts: 2 errors
    "#]],
    );
    tts(
        "5 3\n0 1 -> 0 3\n0 1 -> 0 -\n0 1 -> 0 1 2\n0 - +> 0 1\n",
        expect![[r#"
        error: there is no local state 3
         --> test.tts:2:10
          |
        2 | 0 1 -> 0 3
          |          ^ the local states are 0 to 2

        error: a thread of a .tts is always at one local state
         --> test.tts:3:10
          |
        3 | 0 1 -> 0 -
          |          ^
          |
          = help: for stacks, use .pds or .cpds

        error: a thread of a .tts is always at one local state
         --> test.tts:4:10
          |
        4 | 0 1 -> 0 1 2
          |          ^
          |
          = help: for stacks, use .pds or .cpds

        error: a thread of a .tts is always at one local state
         --> test.tts:5:3
          |
        5 | 0 - +> 0 1
          |   ^
          |
          = help: for stacks, use .pds or .cpds

        test.tts: 4 errors
    "#]],
    );
    tts(
        "5 0\n",
        expect![[r#"
        error: there are no local states
         --> test.tts:1:3
          |
        1 | 5 0
          |   ^

        test.tts: 1 error
    "#]],
    );
}
