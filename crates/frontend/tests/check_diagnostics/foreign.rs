//! What the checker says to people who come from other languages.

use expect_test::expect;

use crate::check_diagnostics::diagnose;

#[test]
fn constants() {
    diagnose([
        (
            "capital letters",
            "bool x;\nvoid main() { x := FALSE; x := True; assert TRUE; }",
            expect![[r#"
                error: there is no variable `FALSE`
                 --> t.weave:2:20
                  |
                2 | void main() { x := FALSE; x := True; assert TRUE; }
                  |                    ^^^^^
                  |
                  = help: did you mean `false`?

                error: there is no variable `True`
                 --> t.weave:2:32
                  |
                2 | void main() { x := FALSE; x := True; assert TRUE; }
                  |                                ^^^^
                  |
                  = help: did you mean `true`?

                error: there is no variable `TRUE`
                 --> t.weave:2:45
                  |
                2 | void main() { x := FALSE; x := True; assert TRUE; }
                  |                                             ^^^^
                  |
                  = help: did you mean `true`?

                t.weave: 3 errors
            "#]],
        ),
        (
            "nothing",
            "tid t;\nvoid main() { t := null; }",
            expect![[r#"
                error: there is no variable `null`
                 --> t.weave:2:20
                  |
                2 | void main() { t := null; }
                  |                    ^^^^
                  |
                  = help: `none` is no thread; other variables always hold a value of their type

                t.weave: 1 error
            "#]],
        ),
        (
            "a value of an enumeration with the name of its type",
            "enum Phase { Idle, Busy }\nPhase p;\nvoid main() { p := Phase.Idle; assert p.x; }",
            expect![[r#"
                error: a value of an enumeration stands without the name of its type
                 --> t.weave:3:20
                  |
                3 | void main() { p := Phase.Idle; assert p.x; }
                  |                    ^^^^^^^^^^
                  |
                  = help: write `Idle`

                error: `p` has no members, such as `x`
                 --> t.weave:3:39
                  |
                2 | Phase p;
                  |       - declared here
                3 | void main() { p := Phase.Idle; assert p.x; }
                  |                                       ^^^
                  |
                  = help: a variable has members if its type is a struct: `struct pair { int x; int y; }`

                t.weave: 2 errors
            "#]],
        ),
        (
            "a misspelt value, and one of another enumeration",
            "enum Phase { Idle, Busy }\nenum Side { Left, Right }\nPhase p;\nvoid main() { p := Bsy; p := Left; }",
            expect![[r#"
                error: there is no variable `Bsy`
                 --> t.weave:4:20
                  |
                4 | void main() { p := Bsy; p := Left; }
                  |                    ^^^
                  |
                  = help: did you mean `Busy`?

                error: expected a value of `Phase`, but this is a value of `Side`
                 --> t.weave:4:30
                  |
                3 | Phase p;
                  |       - this is a value of `Phase`
                4 | void main() { p := Bsy; p := Left; }
                  |                              ^^^^
                  |
                  = help: the values of `Phase` are `Idle`, `Busy`

                t.weave: 2 errors
            "#]],
        ),
    ]);
}

#[test]
fn types_of_other_languages() {
    diagnose([(
        "types",
        "cond c;\ncondvar d;\npthread_mutex_t m;\nuint8_t a;\nunsigned b;\nstring s;\nfoo f;\nCondition e;\nvoid main() { skip; }",
        expect![[r#"
            error: there is no type `cond`
             --> t.weave:1:1
              |
            1 | cond c;
              | ^^^^
              |
              = help: write `condition`

            error: there is no type `condvar`
             --> t.weave:2:1
              |
            2 | condvar d;
              | ^^^^^^^
              |
              = help: write `condition`

            error: there is no type `pthread_mutex_t`
             --> t.weave:3:1
              |
            3 | pthread_mutex_t m;
              | ^^^^^^^^^^^^^^^
              |
              = help: write `lock`

            error: there is no type `uint8_t`
             --> t.weave:4:1
              |
            4 | uint8_t a;
              | ^^^^^^^
              |
              = help: write `u8`

            error: there is no type `unsigned`
             --> t.weave:5:1
              |
            5 | unsigned b;
              | ^^^^^^^^
              |
              = help: write `u8`, or another of `u8` to `u64` and `i8` to `i64`

            error: there is no type `string`
             --> t.weave:6:1
              |
            6 | string s;
              | ^^^^^^
              |
              = help: there are no strings: `enum` gives names to values

            error: there is no type `foo`
             --> t.weave:7:1
              |
            7 | foo f;
              | ^^^
              |
              = help: types are `bool`, `int`, `int[lo..hi]`, `u8` to `i64`, `lock`, `semaphore`, `condition`, `barrier`, `chan`, `tid`, and those declared with `enum` and `struct`

            error: there is no type `Condition`
             --> t.weave:8:1
              |
            8 | Condition e;
              | ^^^^^^^^^
              |
              = help: did you mean `condition`?

            t.weave: 8 errors
        "#]],
    )]);
}

#[test]
fn machine_integers() {
    diagnose([(
        "a number that does not fit",
        "u8 i;\nvoid main() { while (i < 256) { i++; } assert i != -1; assert i + 256 == i; }",
        expect![[r#"
            error: 256 is outside of `u8`
             --> t.weave:2:26
              |
            2 | void main() { while (i < 256) { i++; } assert i != -1; assert i + 256 == i; }
              |                          ^^^
              |
              = help: a `u8` goes from 0 to 255, so this comparison always has the same result; `int(…)` makes a number without bounds of a `u8`

            error: -1 is outside of `u8`
             --> t.weave:2:52
              |
            2 | void main() { while (i < 256) { i++; } assert i != -1; assert i + 256 == i; }
              |                                                    ^^
              |
              = help: a `u8` goes from 0 to 255, so this comparison always has the same result; `int(…)` makes a number without bounds of a `u8`

            error: 256 is outside of `u8`
             --> t.weave:2:67
              |
            2 | void main() { while (i < 256) { i++; } assert i != -1; assert i + 256 == i; }
              |                                                                   ^^^
              |
              = help: it holds integers from 0 to 255; `u8(256)` wraps around

            t.weave: 3 errors
        "#]],
    )]);
}

#[test]
fn statements() {
    diagnose([
        (
            "waiting and waking",
            "condition c; lock m;\nvoid main() {\nacquire m;\nsignal c;\nbroadcast c;\nnotify_all c;\nnotify(c);\nnotifyAll(c);\npthread_cond_wait(c, m);\nwait m;\nwait m, c;\nrelease m;\n}",
            expect![[r#"
                error: there is no `signal` statement
                 --> t.weave:4:1
                  |
                4 | signal c;
                  | ^^^^^^^^
                  |
                  = help: write `notify c;`

                error: there is no `broadcast` statement
                 --> t.weave:5:1
                  |
                5 | broadcast c;
                  | ^^^^^^^^^^^
                  |
                  = help: write `notify all c;`

                error: there is no `notify_all` statement
                 --> t.weave:6:1
                  |
                6 | notify_all c;
                  | ^^^^^^^^^^^^
                  |
                  = help: write `notify all c;`

                error: there is no procedure `notify`
                 --> t.weave:7:1
                  |
                7 | notify(c);
                  | ^^^^^^
                  |
                  = help: write `notify c;`

                error: there is no procedure `notifyAll`
                 --> t.weave:8:1
                  |
                8 | notifyAll(c);
                  | ^^^^^^^^^
                  |
                  = help: write `notify all c;`

                error: there is no procedure `pthread_cond_wait`
                 --> t.weave:9:1
                  |
                9 | pthread_cond_wait(c, m);
                  | ^^^^^^^^^^^^^^^^^
                  |
                  = help: write `wait c, m;`

                error: `m` is a lock, and `wait` does not wait for it
                  --> t.weave:10:6
                   |
                10 | wait m;
                   |      ^
                   |
                   = help: `acquire m;` waits for the lock; `wait c, m;` waits for a `condition c`

                error: the condition comes first, the lock that belongs to it second
                  --> t.weave:11:1
                   |
                11 | wait m, c;
                   | ^^^^^^^^^
                   |
                   = help: write `wait c, m;`

                t.weave: 8 errors
            "#]],
        ),
        (
            "procedures",
            "int x;\nvoid f() { }\nvoid main() { print(x); sleep(1); spawn(f); exit(1); mutex_lock(x); }",
            expect![[r#"
                error: there is no procedure `print`
                 --> t.weave:3:15
                  |
                3 | void main() { print(x); sleep(1); spawn(f); exit(1); mutex_lock(x); }
                  |               ^^^^^
                  |
                  = help: nothing is printed: leave it out; the schedule of a violation shows every variable

                error: there is no procedure `sleep`
                 --> t.weave:3:25
                  |
                3 | void main() { print(x); sleep(1); spawn(f); exit(1); mutex_lock(x); }
                  |                         ^^^^^
                  |
                  = help: leave it out: a thread may be slow at every step; `wait(e);` waits until `e` holds

                error: there is no procedure `spawn`
                 --> t.weave:3:35
                  |
                3 | void main() { print(x); sleep(1); spawn(f); exit(1); mutex_lock(x); }
                  |                                   ^^^^^
                  |
                  = help: write `async f(…);`, or `tid t := async f(…);`

                error: there is no procedure `exit`
                 --> t.weave:3:45
                  |
                3 | void main() { print(x); sleep(1); spawn(f); exit(1); mutex_lock(x); }
                  |                                             ^^^^
                  |
                  = help: a thread ends where its procedure does: `return;`; `assert false;` is a violation

                error: there is no procedure `mutex_lock`
                 --> t.weave:3:54
                  |
                3 | void main() { print(x); sleep(1); spawn(f); exit(1); mutex_lock(x); }
                  |                                                      ^^^^^^^^^^
                  |
                  = help: write `acquire x;`

                t.weave: 5 errors
            "#]],
        ),
        (
            "the words mean what is declared",
            "enum signal { Red }\nvoid notifyAll(int x) { }\nvoid main() { signal c := Green; notifyAll(1); }",
            expect![[r#"
                error: there is no variable `Green`
                 --> t.weave:3:27
                  |
                3 | void main() { signal c := Green; notifyAll(1); }
                  |                           ^^^^^
                  |
                  = help: the values of `signal` are `Red`

                t.weave: 1 error
            "#]],
        ),
        (
            "locks and semaphores",
            "lock a; semaphore s := 1;\nvoid main() { lock a; P(s); V(s); signal(s); wait(s); }",
            expect![[r#"
                error: this declares a lock `a` of its own, and acquires nothing
                 --> t.weave:2:15
                  |
                2 | void main() { lock a; P(s); V(s); signal(s); wait(s); }
                  |               ^^^^^^
                  |
                  = help: write `acquire a;` or `lock(a);`

                error: there is no procedure `P`
                 --> t.weave:2:23
                  |
                2 | void main() { lock a; P(s); V(s); signal(s); wait(s); }
                  |                       ^
                  |
                  = help: write `acquire s;`

                error: there is no procedure `V`
                 --> t.weave:2:29
                  |
                2 | void main() { lock a; P(s); V(s); signal(s); wait(s); }
                  |                             ^
                  |
                  = help: write `release s;`

                error: there is no procedure `signal`
                 --> t.weave:2:35
                  |
                2 | void main() { lock a; P(s); V(s); signal(s); wait(s); }
                  |                                   ^^^^^^
                  |
                  = help: write `release s;`

                error: `s` is a semaphore, and `wait` does not wait for it
                 --> t.weave:2:50
                  |
                1 | lock a; semaphore s := 1;
                  |                   - declared here
                2 | void main() { lock a; P(s); V(s); signal(s); wait(s); }
                  |                                                  ^^^
                  |
                  = help: write `acquire s;`

                t.weave: 5 errors
            "#]],
        ),
    ]);
}
