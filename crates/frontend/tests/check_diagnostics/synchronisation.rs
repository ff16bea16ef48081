//! Semaphores, conditions and barriers: what they are declared with, and what is done with them.

use expect_test::expect;

use crate::check_diagnostics::diagnose;

#[test]
fn declarations() {
    diagnose([
        (
            "a semaphore without a value",
            "semaphore s;\nvoid main() { acquire s; }",
            expect![[r#"
            error: the semaphore `s` has no first value
             --> t.weave:1:11
              |
            1 | semaphore s;
              |           ^
              |
              = help: say how often it can be acquired at the start, as in `semaphore s := 1;`

            t.weave: 1 error
        "#]],
        ),
        (
            "a negative semaphore",
            "semaphore s := -1;\nvoid main() { acquire s; }",
            expect![[r#"
            error: a semaphore cannot be -1
             --> t.weave:1:16
              |
            1 | semaphore s := -1;
              |                ^^
              |
              = help: it counts how often it can be acquired

            t.weave: 1 error
        "#]],
        ),
        (
            "a semaphore of any value",
            "semaphore s := *;\nvoid main() { acquire s; }",
            expect![[r#"
                error: `*` cannot choose among all integers
                 --> t.weave:1:16
                  |
                1 | semaphore s := *;
                  |                ^
                  |
                  = help: say among which, as in `{0 .. 9}`, or give the variable a range, as in `int[0..9]`

                t.weave: 1 error
            "#]],
        ),
        (
            "a semaphore above its range",
            "semaphore[0..2] s := 3;\nvoid main() { }",
            expect![[r#"
                error: 3 is outside of `int[0..2]`
                 --> t.weave:1:22
                  |
                1 | semaphore[0..2] s := 3;
                  |                 -    ^
                  |                 |
                  |                 holds integers from 0 to 2
                  |
                  = help: if 3 is meant, declare the range `[0..3]`

                t.weave: 1 error
            "#]],
        ),
        (
            "a semaphore that counts from 1",
            "semaphore[1..2] s := 1;\nvoid main() { }",
            expect![[r#"
                error: a semaphore counts from 0
                 --> t.weave:1:11
                  |
                1 | semaphore[1..2] s := 1;
                  |           ^
                  |
                  = help: write `semaphore[0..3]`, where 3 is the most that it may count to

                t.weave: 1 error
            "#]],
        ),
        (
            "a condition with a value",
            "condition c := 1;\nvoid main() { notify c; }",
            expect![[r#"
            error: a condition has no first value
             --> t.weave:1:16
              |
            1 | condition c := 1;
              |                ^
              |
              = help: at the start, nobody waits for it

            t.weave: 1 error
        "#]],
        ),
        (
            "a barrier without a number",
            "barrier b;\nvoid main() { wait b; }",
            expect![[r#"
            error: the barrier `b` has no number
             --> t.weave:1:9
              |
            1 | barrier b;
              |         ^
              |
              = help: say how many threads it takes, as in `barrier b := 3;`

            t.weave: 1 error
        "#]],
        ),
        (
            "a barrier for nobody",
            "barrier b := 0;\nvoid main() { wait b; }",
            expect![[r#"
            error: a barrier cannot take 0 threads
             --> t.weave:1:14
              |
            1 | barrier b := 0;
              |              ^
              |
              = help: numbers go from 1 to 10000

            t.weave: 1 error
        "#]],
        ),
        (
            "different barriers",
            "barrier b[2] := {1, 2};\nvoid main() { wait b[0]; }",
            expect![[r#"
                error: barriers of one array take the same number of threads
                 --> t.weave:1:17
                  |
                1 | barrier b[2] := {1, 2};
                  |                 ^^^^^^
                  |
                  = help: declare them one by one

                t.weave: 1 error
            "#]],
        ),
        (
            "a local semaphore",
            "void main() { semaphore s := 1; condition c; }",
            expect![[r#"
            error: a semaphore is a shared variable
             --> t.weave:1:15
              |
            1 | void main() { semaphore s := 1; condition c; }
              |               ^^^^^^^^^
              |
              = help: declare it outside of the procedures; to say which one, pass an index

            error: a condition is a shared variable
             --> t.weave:1:33
              |
            1 | void main() { semaphore s := 1; condition c; }
              |                                 ^^^^^^^^^
              |
              = help: declare it outside of the procedures; to say which one, pass an index

            t.weave: 2 errors
        "#]],
        ),
        (
            "a condition as a parameter",
            "void f(condition c) { }\nvoid main() { }",
            expect![[r#"
                warning: nobody calls `f`
                 --> t.weave:1:6
                  |
                1 | void f(condition c) { }
                  |      ^
                  |
                  = help: what its parameters stand for is known by its calls: it is no part of the program

            "#]],
        ),
    ]);
}

#[test]
fn uses() {
    diagnose([
        (
            "no values",
            "semaphore s := 1; condition c, d[2]; barrier b := 2; int x;\n\
             void main() { x := s; b := 1; havoc c; havoc d; assert c > 0; fetch_and_add(s); }",
            expect![[r#"
                error: `s` is a semaphore, and has no value
                 --> t.weave:2:20
                  |
                1 | semaphore s := 1; condition c, d[2]; barrier b := 2; int x;
                  |           - declared here
                2 | void main() { x := s; b := 1; havoc c; havoc d; assert c > 0; fetch_and_add(s); }
                  |                    ^
                  |
                  = help: semaphores are only used with `acquire` and `release`

                error: `b` is a barrier, and has no value
                 --> t.weave:2:23
                  |
                1 | semaphore s := 1; condition c, d[2]; barrier b := 2; int x;
                  |                                              - declared here
                2 | void main() { x := s; b := 1; havoc c; havoc d; assert c > 0; fetch_and_add(s); }
                  |                       ^
                  |
                  = help: barriers are only used with `wait`

                error: `c` is a condition, and has no value
                 --> t.weave:2:37
                  |
                1 | semaphore s := 1; condition c, d[2]; barrier b := 2; int x;
                  |                             - declared here
                2 | void main() { x := s; b := 1; havoc c; havoc d; assert c > 0; fetch_and_add(s); }
                  |                                     ^
                  |
                  = help: conditions are only used with `wait`, `notify` and `notify all`

                error: `d` is an array; one element is wanted here
                 --> t.weave:2:46
                  |
                1 | semaphore s := 1; condition c, d[2]; barrier b := 2; int x;
                  |                                - declared here
                2 | void main() { x := s; b := 1; havoc c; havoc d; assert c > 0; fetch_and_add(s); }
                  |                                              ^
                  |
                  = help: say which one, as in `d[0]`

                error: `c` is a condition, and has no value
                 --> t.weave:2:56
                  |
                1 | semaphore s := 1; condition c, d[2]; barrier b := 2; int x;
                  |                             - declared here
                2 | void main() { x := s; b := 1; havoc c; havoc d; assert c > 0; fetch_and_add(s); }
                  |                                                        ^
                  |
                  = help: conditions are only used with `wait`, `notify` and `notify all`

                error: `s` is a semaphore, and has no value
                 --> t.weave:2:77
                  |
                1 | semaphore s := 1; condition c, d[2]; barrier b := 2; int x;
                  |           - declared here
                2 | void main() { x := s; b := 1; havoc c; havoc d; assert c > 0; fetch_and_add(s); }
                  |                                                                             ^
                  |
                  = help: semaphores are only used with `acquire` and `release`

                t.weave: 6 errors
            "#]],
        ),
        (
            "other things than wanted",
            "semaphore s := 1; condition c; barrier b := 2; bool x; lock m;\n\
             void main() { acquire c; release b; notify s; notify all x; wait x, m; wait s, m; bool t := trylock(s); }",
            expect![[r#"
                error: `acquire` needs a lock, but `c` is a condition
                 --> t.weave:2:23
                  |
                1 | semaphore s := 1; condition c; barrier b := 2; bool x; lock m;
                  |                             - declared here
                2 | void main() { acquire c; release b; notify s; notify all x; wait x, m; wait s, m; bool t := trylock(s); }
                  |                       ^
                  |
                  = help: locks are shared variables: `lock m;`

                error: `release` needs a lock, but `b` is a barrier
                 --> t.weave:2:34
                  |
                1 | semaphore s := 1; condition c; barrier b := 2; bool x; lock m;
                  |                                        - declared here
                2 | void main() { acquire c; release b; notify s; notify all x; wait x, m; wait s, m; bool t := trylock(s); }
                  |                                  ^
                  |
                  = help: locks are shared variables: `lock m;`

                error: `notify` needs a condition, but `s` is none
                 --> t.weave:2:44
                  |
                1 | semaphore s := 1; condition c; barrier b := 2; bool x; lock m;
                  |           - declared here
                2 | void main() { acquire c; release b; notify s; notify all x; wait x, m; wait s, m; bool t := trylock(s); }
                  |                                            ^
                  |
                  = help: write `release s;`

                error: `notify all` needs a condition, but `x` is none
                 --> t.weave:2:58
                  |
                1 | semaphore s := 1; condition c; barrier b := 2; bool x; lock m;
                  |                                                     - declared here
                2 | void main() { acquire c; release b; notify s; notify all x; wait x, m; wait s, m; bool t := trylock(s); }
                  |                                                          ^
                  |
                  = help: conditions are shared variables: `condition c;`

                error: `wait` needs a condition, but `x` is none
                 --> t.weave:2:66
                  |
                1 | semaphore s := 1; condition c; barrier b := 2; bool x; lock m;
                  |                                                     - declared here
                2 | void main() { acquire c; release b; notify s; notify all x; wait x, m; wait s, m; bool t := trylock(s); }
                  |                                                                  ^
                  |
                  = help: conditions are shared variables: `condition c;`

                error: `wait` needs a condition, but `s` is none
                 --> t.weave:2:77
                  |
                1 | semaphore s := 1; condition c; barrier b := 2; bool x; lock m;
                  |           - declared here
                2 | void main() { acquire c; release b; notify s; notify all x; wait x, m; wait s, m; bool t := trylock(s); }
                  |                                                                             ^
                  |
                  = help: write `acquire s;`

                error: `trylock` needs a lock, but `s` is a semaphore
                 --> t.weave:2:101
                  |
                1 | semaphore s := 1; condition c; barrier b := 2; bool x; lock m;
                  |           - declared here
                2 | void main() { acquire c; release b; notify s; notify all x; wait x, m; wait s, m; bool t := trylock(s); }
                  |                                                                                                     ^
                  |
                  = help: locks are shared variables: `lock m;`

                t.weave: 7 errors
            "#]],
        ),
        (
            "unknown names",
            "lock m;\nvoid main() { notify c; wait d, m; }",
            expect![[r#"
            error: there is no variable `c`
             --> t.weave:2:22
              |
            2 | void main() { notify c; wait d, m; }
              |                      ^
              |
              = help: declare it, as in `condition c;`

            error: there is no variable `d`
             --> t.weave:2:30
              |
            2 | void main() { notify c; wait d, m; }
              |                              ^
              |
              = help: declare it, as in `condition d;`

            t.weave: 2 errors
        "#]],
        ),
        (
            "a lock too few or too many",
            "condition c; barrier b := 2; lock m; bool x;\n\
             void main() { wait c; wait b, m; wait c, x; wait x || !x, m; }",
            expect![[r#"
                error: `wait c` needs a lock
                 --> t.weave:2:20
                  |
                2 | void main() { wait c; wait b, m; wait c, x; wait x || !x, m; }
                  |                    ^
                  |
                  = help: say which lock is released while the thread waits: `wait c, m;`

                error: `b` is a barrier, and needs no lock
                 --> t.weave:2:31
                  |
                2 | void main() { wait c; wait b, m; wait c, x; wait x || !x, m; }
                  |                               ^
                  |
                  = help: write `wait b;`

                error: `wait` needs a lock, but `x` is a truth value
                 --> t.weave:2:42
                  |
                1 | condition c; barrier b := 2; lock m; bool x;
                  |                                           - declared here
                2 | void main() { wait c; wait b, m; wait c, x; wait x || !x, m; }
                  |                                          ^
                  |
                  = help: locks are shared variables: `lock m;`

                error: `wait` with a lock needs a condition
                 --> t.weave:2:50
                  |
                2 | void main() { wait c; wait b, m; wait c, x; wait x || !x, m; }
                  |                                                  ^^^^^^^
                  |
                  = help: declare it, as in `condition c;`; `wait(e);` waits until `e` holds

                t.weave: 4 errors
            "#]],
        ),
        (
            "indices that change",
            "condition c[2]; semaphore s[2] := 1; barrier b[2] := 2; lock m[2]; int[0..1] i;\n\
             void main() { wait c[i], m[0]; wait c[0], m[i]; wait b[i]; acquire s[{0, 1}]; acquire s[i]; notify c[i]; }",
            expect![[r#"
                error: the index of `c` may change while the thread waits
                 --> t.weave:2:22
                  |
                2 | void main() { wait c[i], m[0]; wait c[0], m[i]; wait b[i]; acquire s[{0, 1}]; acquire s[i]; notify c[i]; }
                  |                      ^
                  |
                  = help: copy it to a local variable before

                error: the index of `m` may change while the thread waits
                 --> t.weave:2:45
                  |
                2 | void main() { wait c[i], m[0]; wait c[0], m[i]; wait b[i]; acquire s[{0, 1}]; acquire s[i]; notify c[i]; }
                  |                                             ^
                  |
                  = help: copy it to a local variable before

                error: the index of `b` may change while the thread waits
                 --> t.weave:2:56
                  |
                2 | void main() { wait c[i], m[0]; wait c[0], m[i]; wait b[i]; acquire s[{0, 1}]; acquire s[i]; notify c[i]; }
                  |                                                        ^
                  |
                  = help: copy it to a local variable before

                error: the index of `s` must not be a choice here
                 --> t.weave:2:70
                  |
                2 | void main() { wait c[i], m[0]; wait c[0], m[i]; wait b[i]; acquire s[{0, 1}]; acquire s[i]; notify c[i]; }
                  |                                                                      ^^^^^^
                  |
                  = help: choose it before: `int[0..1] i := *;`

                t.weave: 4 errors
            "#]],
        ),
        (
            "sleeping inside of an atomic block",
            "condition c; lock m;\nvoid main() { acquire m; atomic { wait c, m; } }",
            expect![[r#"
                error: nobody can be woken inside of `atomic`
                 --> t.weave:2:35
                  |
                2 | void main() { acquire m; atomic { wait c, m; } }
                  |                          ------   ^^^^^^^^^
                  |                          |
                  |                          inside of this block
                  |
                  = help: no other thread acts before the block ends: wait before or after it

                t.weave: 1 error
            "#]],
        ),
    ]);
}
