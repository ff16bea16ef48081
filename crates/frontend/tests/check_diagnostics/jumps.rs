//! Jumps: labels, loops, atomic blocks.

use expect_test::expect;

use crate::diagnose;

#[test]
fn jumps() {
    diagnose([
        ("a misspelt label", "void main() { again: skip; goto agian; }", expect![[""]]),
        ("a label twice", "void main() { l: skip; l: skip; goto l; }", expect![[""]]),
        (
            "a label of another procedure",
            "void f() { done: skip; }\n\
             void main() { goto done; }",
            expect![[""]],
        ),
        (
            "into an atomic block",
            "void main() {\n\
             \x20\x20goto l;\n\
             \x20\x20atomic { skip; l: skip; }\n\
             }",
            expect![[""]],
        ),
        ("break outside of a loop", "void main() { break; }", expect![[""]]),
        ("continue outside of a loop", "void main() { if (*) { continue; } }", expect![[""]]),
    ]);
}
