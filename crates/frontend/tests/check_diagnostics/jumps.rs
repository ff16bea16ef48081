//! Jumps: labels, loops, atomic blocks.

use expect_test::expect;

use crate::check_diagnostics::diagnose;

#[test]
fn jumps() {
    diagnose([
        (
            "a misspelt label",
            "void main() { again: skip; goto agian; }",
            expect![[r#"
            error: procedure `main` has no label `agian`
             --> t.weave:1:33
              |
            1 | void main() { again: skip; goto agian; }
              |                                 ^^^^^
              |
              = help: did you mean `again`?

            t.weave: 1 error
        "#]],
        ),
        (
            "a label twice",
            "void main() { l: skip; l: skip; goto l; }",
            expect![[r#"
            error: label `l` is declared twice
             --> t.weave:1:24
              |
            1 | void main() { l: skip; l: skip; goto l; }
              |               -        ^ declared again here
              |               |
              |               first declared here
              |
              = help: labels of one procedure need different names

            t.weave: 1 error
        "#]],
        ),
        (
            "a label of another procedure",
            "void f() { done: skip; }\n\
             void main() { goto done; }",
            expect![[r#"
                error: procedure `main` has no label `done`
                 --> t.weave:2:20
                  |
                1 | void f() { done: skip; }
                  |            ---- this one is in `f`
                2 | void main() { goto done; }
                  |                    ^^^^
                  |
                  = help: a label can be used only in its own procedure

                t.weave: 1 error
            "#]],
        ),
        (
            "into an atomic block",
            "void main() {\n\
             \x20\x20goto l;\n\
             \x20\x20atomic { skip; l: skip; }\n\
             }",
            expect![[r#"
                error: `l` is inside of an atomic block, which cannot be entered by a jump
                 --> t.weave:2:8
                  |
                2 |   goto l;
                  |        ^
                3 |   atomic { skip; l: skip; }
                  |   ------         - the label
                  |   |
                  |   the block
                  |
                  = help: an atomic block is executed as a whole: jump to a label before it

                t.weave: 1 error
            "#]],
        ),
        (
            "break outside of a loop",
            "void main() { break; }",
            expect![[r#"
            error: `break` outside of a loop
             --> t.weave:1:15
              |
            1 | void main() { break; }
              |               ^^^^^
              |
              = help: use `return` to leave the procedure

            t.weave: 1 error
        "#]],
        ),
        (
            "continue outside of a loop",
            "void main() { if (*) { continue; } }",
            expect![[r#"
                error: `continue` outside of a loop
                 --> t.weave:1:24
                  |
                1 | void main() { if (*) { continue; } }
                  |                        ^^^^^^^^
                  |
                  = help: it goes on with the next round of a `while` or a `for`

                t.weave: 1 error
            "#]],
        ),
    ]);
}
