//! Predicates: what they speak of.

use expect_test::expect;

use crate::check_diagnostics::diagnose;

#[test]
fn predicates() {
    diagnose([
        (
            "not a truth value",
            "int[0..3] s;\n\
             void main() { }\n\
             predicate p: s + 1;",
            expect![[r#"
                error: expected a truth value, but this is an integer
                 --> t.weave:3:14
                  |
                3 | predicate p: s + 1;
                  |              ^^^^^
                  |
                  = help: compare it, as in `n != 0`; only `0` and `1` count as truth values

                t.weave: 1 error
            "#]],
        ),
        (
            "an unknown procedure",
            "bool s;\n\
             void work() { }\n\
             thread worker = work();\n\
             predicate p in worker: s;",
            expect![[r#"
                error: there is no procedure `worker`
                 --> t.weave:4:16
                  |
                4 | predicate p in worker: s;
                  |                ^^^^^^
                  |
                  = help: thread `worker` runs the procedure `work`: write `in work`

                t.weave: 1 error
            "#]],
        ),
        (
            "a local without procedure",
            "bool s;\n\
             void worker() { bool l := s; }\n\
             thread worker;\n\
             predicate p: s == l;",
            expect![[r#"
                error: there is no variable `l`
                 --> t.weave:4:19
                  |
                4 | predicate p: s == l;
                  |                   ^
                  |
                  = help: `l` is local to `worker`: write `predicate … in worker: …`

                t.weave: 1 error
            "#]],
        ),
        (
            "an unknown label",
            "void worker() { critical: skip; }\n\
             thread worker;\n\
             predicate two: #{i : at critcal} >= 2;",
            expect![[r#"
                error: no procedure has a label `critcal`
                 --> t.weave:3:25
                  |
                3 | predicate two: #{i : at critcal} >= 2;
                  |                         ^^^^^^^
                  |
                  = help: did you mean `critical`?

                t.weave: 1 error
            "#]],
        ),
        (
            "a label of two procedures",
            "void a() { l: skip; }\n\
             void b() { l: skip; }\n\
             thread a;\n\
             thread b;\n\
             predicate p: #{i : at l} >= 2;",
            expect![[r#"
                error: several procedures have a label `l`
                 --> t.weave:5:23
                  |
                5 | predicate p: #{i : at l} >= 2;
                  |                       ^ in `a`, `b`
                  |
                  = help: say which one: `predicate … in a: …`

                t.weave: 1 error
            "#]],
        ),
        (
            "a label of another procedure",
            "void a() { l: skip; }\n\
             void b() { m: skip; }\n\
             thread a;\n\
             thread b;\n\
             predicate p in b: at l;",
            expect![[r#"
                error: procedure `b` has no label `l`
                 --> t.weave:5:22
                  |
                1 | void a() { l: skip; }
                  |            - this one is in `a`
                ...
                5 | predicate p in b: at l;
                  |                      ^
                  |
                  = help: a label can be used only in its own procedure

                t.weave: 1 error
            "#]],
        ),
        (
            "an unknown thread",
            "void a() { bool l := true; }\n\
             thread a;\n\
             predicate p in a: forall i != self: l != j.l;",
            expect![[r#"
                error: no thread is called `j` here
                 --> t.weave:3:42
                  |
                3 | predicate p in a: forall i != self: l != j.l;
                  |                                          ^
                  |
                  = help: known are `i` and `self`

                t.weave: 1 error
            "#]],
        ),
        (
            "a shared variable of a thread",
            "bool s;\n\
             void a() { }\n\
             thread a;\n\
             predicate p in a: forall i: i.s;",
            expect![[r#"
                error: `s` is a shared variable
                 --> t.weave:4:29
                  |
                4 | predicate p in a: forall i: i.s;
                  |                             ^^^
                  |
                  = help: it is the same for all threads: write `s`

                t.weave: 1 error
            "#]],
        ),
        (
            "a choice",
            "bool s;\n\
             void main() { }\n\
             predicate p: s == *;",
            expect![[r#"
                error: a predicate cannot choose
                 --> t.weave:3:19
                  |
                3 | predicate p: s == *;
                  |                   ^
                  |
                  = help: in every state a predicate is either true or false; say which

                t.weave: 1 error
            "#]],
        ),
        (
            "a predicate twice",
            "bool s;\n\
             void main() { }\n\
             predicate p: s;\n\
             predicate p: !s;",
            expect![[r#"
                error: predicate `p` is declared twice
                 --> t.weave:4:11
                  |
                3 | predicate p: s;
                  |           - first declared here
                4 | predicate p: !s;
                  |           ^ declared again here
                  |
                  = help: give one of them another name

                t.weave: 1 error
            "#]],
        ),
        (
            "two variables of one name",
            "void a() { { bool l := true; } { bool l := false; } }\n\
             thread a;\n\
             predicate p in a: l;",
            expect![[r#"
                error: several variables are called `l`
                 --> t.weave:3:19
                  |
                1 | void a() { { bool l := true; } { bool l := false; } }
                  |                   - one of them       - one of them
                2 | thread a;
                3 | predicate p in a: l;
                  |                   ^
                  |
                  = help: give the one that is meant a name of its own

                t.weave: 1 error
            "#]],
        ),
    ]);
}
