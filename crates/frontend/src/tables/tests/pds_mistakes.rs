//! Mistakes in `.pds` files.

use expect_test::{Expect, expect};

use super::super::Format;
use super::refusal;

fn pds(text: &str, expect: Expect) {
    expect.assert_eq(&refusal(Format::Pds, text, Some("0|1"), None));
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
              |
              = help: begin with the number of shared states; `PDA lo hi` starts a thread

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
              |
              = help: begin with the number of shared states; `PDA lo hi` starts a thread

            test.pds: 1 error
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
        error: write the number of a stack symbol here, not `x`
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
            error: write the least stack symbol before the end of the line
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
            error: write the greatest stack symbol before the end of the line
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

            error: end the line before `3`
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
        error: write `->` here, not `0`
         --> test.pds:3:5
          |
        3 | 0 1 0 2
          |     ^
          |
          = help: a rule is written `q s -> q' w`, where w is `-`, one symbol or two

        error: write `->` here, not `=`
         --> test.pds:4:5
          |
        4 | 0 1 = 0 2
          |     ^
          |
          = help: a rule is written `q s -> q' w`, where w is `-`, one symbol or two

        error: write a shared state before the end of the line
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
        error: end the line before `-`
         --> test.pds:3:12
          |
        3 | 0 1 -> 0 - -
          |            ^

        error: write a rule or `PDA` here, not `rule`
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
            error: write the number of shared states here, not `�`
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
}
