//! Mistakes in `.tts` files.

use expect_test::{Expect, expect};

use super::super::Format;
use super::refusal;

fn tts(text: &str, expect: Expect) {
    expect.assert_eq(&refusal(Format::Tts, text, None, None));
}

#[test]
fn empty() {
    tts(
        "",
        expect![[r#"
            error: the file is empty
             --> test.tts:1:1
              |
            1 |
              | ^
              |
              = help: the first line of a .tts is the number of shared states and that of local states

            test.tts: 1 error
        "#]],
    );
}

#[test]
fn thread_transition_systems() {
    tts(
        "5\n0 1 -> 0 2\n",
        expect![[r#"
            error: write the number of local states before the end of the line
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
