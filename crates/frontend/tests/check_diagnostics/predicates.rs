//! Predicates: what they speak of.

use expect_test::expect;

use crate::diagnose;

#[test]
fn predicates() {
    diagnose([
        (
            "not a truth value",
            "int[0..3] s;\n\
             void main() { }\n\
             predicate p: s + 1;",
            expect![[""]],
        ),
        (
            "an unknown procedure",
            "bool s;\n\
             void work() { }\n\
             thread worker = work();\n\
             predicate p in worker: s;",
            expect![[""]],
        ),
        (
            "a local without procedure",
            "bool s;\n\
             void worker() { bool l := s; }\n\
             thread worker;\n\
             predicate p: s == l;",
            expect![[""]],
        ),
        (
            "an unknown label",
            "void worker() { critical: skip; }\n\
             thread worker;\n\
             predicate two: #{i : at critcal} >= 2;",
            expect![[""]],
        ),
        (
            "a label of two procedures",
            "void a() { l: skip; }\n\
             void b() { l: skip; }\n\
             thread a;\n\
             thread b;\n\
             predicate p: #{i : at l} >= 2;",
            expect![[""]],
        ),
        (
            "a label of another procedure",
            "void a() { l: skip; }\n\
             void b() { m: skip; }\n\
             thread a;\n\
             thread b;\n\
             predicate p in b: at l;",
            expect![[""]],
        ),
        (
            "an unknown thread",
            "void a() { bool l := true; }\n\
             thread a;\n\
             predicate p in a: forall i != self: l != j.l;",
            expect![[""]],
        ),
        (
            "a shared variable of a thread",
            "bool s;\n\
             void a() { }\n\
             thread a;\n\
             predicate p in a: forall i: i.s;",
            expect![[""]],
        ),
        (
            "a choice",
            "bool s;\n\
             void main() { }\n\
             predicate p: s == *;",
            expect![[""]],
        ),
        (
            "a predicate twice",
            "bool s;\n\
             void main() { }\n\
             predicate p: s;\n\
             predicate p: !s;",
            expect![[""]],
        ),
        (
            "two variables of one name",
            "void a() { { bool l := true; } { bool l := false; } }\n\
             thread a;\n\
             predicate p in a: l;",
            expect![[""]],
        ),
    ]);
}
