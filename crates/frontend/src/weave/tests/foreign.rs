//! What the parser says to people who come from other languages: what is written in `.weave` for what they wrote.

use expect_test::expect;

use super::mistakes::{check, check_body};

#[test]
fn directives() {
    check(
        "#include <stdio.h>\n#define N 3\nint x;\nvoid main() {\n#if 0\n  x := 1;\n#endif\n}\n#pragma once",
        expect![[r#"
            1:1 `#` there is no preprocessor -- one file is the whole program; `const N = 3;` declares a constant
            2:1 `#` there is no preprocessor -- one file is the whole program; `const N = 3;` declares a constant
            5:1 `#` there is no preprocessor -- one file is the whole program; `const N = 3;` declares a constant
            7:1 `#` there is no preprocessor -- one file is the whole program; `const N = 3;` declares a constant
            9:1 `#` there is no preprocessor -- one file is the whole program; `const N = 3;` declares a constant
        "#]],
    );
}

#[test]
fn casts() {
    check_body(
        "x := (u8) y; y := (int) x + 1; z := (i16)(x + y); b := (bool) x; y := (u8)(u8) -y;",
        expect![[r#"
            2:6 `(u8)` the type of a conversion stands before the parentheses -- write `u8(y)`
            2:19 `(int)` the type of a conversion stands before the parentheses -- write `int(x)`
            2:37 `(i16)` the type of a conversion stands before the parentheses -- write `i16(x + y)`
            2:56 `(bool)` a number is compared to make a truth value -- write `x != 0`
            2:71 `(u8)` the type of a conversion stands before the parentheses -- write `u8((u8) -y)`
            2:75 `(u8)` the type of a conversion stands before the parentheses -- write `u8(-y)`
        "#]],
    );
}

#[test]
fn methods() {
    check_body(
        "m.lock(); m[1].unlock(); c.wait(m); c.notifyAll(); t.join(); q.push(3); p.x := 1; x := m.tryLock(); worker.start();",
        expect![[r#"
            2:2 `.lock` `m` has no methods, such as `lock` -- write `acquire m;`
            2:15 `.unlock` `m[1]` has no methods, such as `unlock` -- write `release m[1];`
            2:27 `.wait` `c` has no methods, such as `wait` -- write `wait c, m;`
            2:38 `.notifyAll` `c` has no methods, such as `notifyAll` -- write `notify all c;`
            2:53 `.join` `t` has no methods, such as `join` -- write `join t;`
            2:63 `.push` `q` has no methods, such as `push` -- arrays have a fixed length; `send(c, e);` adds a message to a channel
            2:89 `.tryLock` `m` has no methods, such as `tryLock` -- write `if trylock(m) { … }`
            2:107 `.start` `worker` has no methods, such as `start` -- write `async f(…);` for a procedure `f`
        "#]],
    );
}

#[test]
fn starts() {
    check_body(
        "spawn f(x); go f();\ngo f(); tid t := spawn f(); t := fork f(); start := 1; spawn(f);",
        expect![[r#"
            2:1 `spawn` there is no `spawn` statement -- write `async f(…);`, or `tid t := async f(…);`
            2:13 `go` there is no `go` statement -- write `async f(…);`, or `tid t := async f(…);`
            3:1 `go` there is no `go` statement -- write `async f(…);`, or `tid t := async f(…);`
            3:18 `spawn` there is no `spawn` statement -- write `async f(…);`, or `tid t := async f(…);`
            3:34 `fork` there is no `fork` statement -- write `async f(…);`, or `tid t := async f(…);`
        "#]],
    );
}

#[test]
fn else_if() {
    check_body(
        "if (x) { y := 1; } elif (y) { y := 2; } else { y := 3; }\nif x { y := 1; } elsif !y { y := 2; }\nif x { y := 1; } elif := 3; elif(x);",
        expect![[r#"
            2:20 `elif` there is no `elif` statement -- write `else if`
            3:18 `elsif` there is no `elsif` statement -- write `else if`
        "#]],
    );
}

#[test]
fn waiting() {
    check_body(
        "wait c m; wait c[0] m; notify all(c); notify all (c[i]); wait c\nx := 1;",
        expect![[r#"
            2:8 `m` write `,` or `;` here, not `m` -- a condition and its lock: `wait c, m;`
            2:21 `m` write `,` or `;` here, not `m` -- a condition and its lock: `wait c[0], m;`
            2:34 `(c)` a condition stands without parentheses here -- write `notify all c;`
            2:50 `(c[i])` a condition stands without parentheses here -- write `notify all c[i];`
            2:64 `` write `;` before `x` -- a statement or declaration ends with `;`
        "#]],
    );
}

#[test]
fn printing() {
    check_body(
        "printf(\"%d\\n\", x); x := \"a\"; puts(\"it's\"); assert(x == 1, \"why\");",
        expect![[r#"
            2:8 `"%d\n"` there is no procedure `printf` -- nothing is printed: leave it out; the schedule of a violation shows every variable
            2:25 `"a"` there are no strings -- `assert e, "text";` says what is wrong; elsewhere, write a comment; `enum` gives names to values
            2:35 `"it's"` there is no procedure `puts` -- nothing is printed: leave it out; the schedule of a violation shows every variable
        "#]],
    );
}

#[test]
fn modifiers() {
    check(
        "unsigned int a;\nstatic volatile bool b;\nstatic Phase p;\npublic void main() { long int x; final y := 1; }",
        expect![[r#"
            1:1 `unsigned` `unsigned` does not belong to the language -- machine integers are `u8` to `u64` and `i8` to `i64`; `int` has no bounds
            2:1 `static` `static` does not belong to the language -- leave it out: what stands outside of the procedures is shared by all threads
            2:8 `volatile` `volatile` does not belong to the language -- leave it out: every variable is read from and written to memory, in the order of the program
            3:1 `static` `static` does not belong to the language -- leave it out: what stands outside of the procedures is shared by all threads
            4:1 `public` `public` does not belong to the language -- leave it out: what stands outside of the procedures is shared by all threads
            4:22 `long` `long` does not belong to the language -- machine integers are `u8` to `u64` and `i8` to `i64`; `int` has no bounds
        "#]],
    );
}

#[test]
fn beginnings() {
    check(
        "import java.util;\npackage main\nstruct P { int x; };\nfunc main() { }\nmain() { x := 1; }\nvoid f() { synchronized (m) { x := 1; } let x = 1; try { x := 2; } catch (e) { } }",
        expect![[r#"
            1:1 `import` `import` does not belong to the language -- leave it out: one file is the whole program
            2:1 `package` `package` does not belong to the language -- leave it out: one file is the whole program
            5:1 `main` write a declaration here, not `main` -- a procedure begins with the type of its result, or with `void`
            6:12 `synchronized` `synchronized` does not belong to the language -- write `acquire m;` before, and `release m;` after: for a whole procedure, at the beginning and the end of its body
            6:41 `let` `let` does not belong to the language -- write `int x := 1;`
            6:52 `try` `try` does not belong to the language -- there are no exceptions: `goto` leaves a block
            6:68 `catch` `catch` does not belong to the language -- there are no exceptions: `goto` leaves a block
        "#]],
    );
}

#[test]
fn records() {
    check(
        "struct P { int x; };\nclass Q { };\nbool b;\nmonitor M { };\nstatic final int N = 3;\ndef f() { }\n",
        expect![[r#"
            2:1 `class` `class` does not belong to the language -- write `struct NAME { int x; bool y; }`; then `NAME n;` declares a variable, and `n.x` is a member of it
            4:1 `monitor` write a declaration here, not `monitor` -- `enum NAME { … }`, `thread NAME { … }` and `void NAME() { … }` have braces
            5:1 `static final` `static final` does not belong to the language -- write `const N = 3;`, or leave it out if the value changes
        "#]],
    );
}

#[test]
fn addresses() {
    check_body(
        "pthread_mutex_lock(&m); x := &y; int *p; bool &r := x;",
        expect![[r#"
            2:1 `pthread_mutex_lock` there is no procedure `pthread_mutex_lock` -- write `acquire m;`
            2:30 `&` write an expression here, not `&` -- there are no addresses: name the variable itself
            2:38 `*` write the name of a variable here, not `*` -- there are no pointers: arrays hold what a program works on, and indices say which element; a parameter `ref int x` stands for a shared variable
            2:47 `&` write the name of a variable here, not `&` -- there are no pointers: arrays hold what a program works on, and indices say which element; a parameter `ref int x` stands for a shared variable
        "#]],
    );
}

#[test]
fn outside_of_procedures() {
    check(
        "x = 0;\nassert x == 2;\nenum E { A = 0, B };\nthread * 2 t { skip; }\nmutex_t lock = 1;\nvoid *f(int i) { }\nstd::mutex m;",
        expect![[r#"
            1:1 `x` write a declaration here, not `x` -- a variable is declared with its type: `int x := 0;`, `bool x := …;`
            2:1 `assert` write a declaration here, not `assert` -- what always holds is `invariant x == 2;`; an assertion stands in a procedure: a thread checks it when it comes to it, for example after `join`
            3:12 `=` write `,` or `}` here, not `=` -- leave the number out: values of an enumeration are not numbers
            4:8 `*` write the name of the thread here, not `*` -- how many there are stands after the name: `thread NAME * 2 { … }`
            5:1 `mutex_t` write a declaration here, not `mutex_t` -- `lock` is a reserved word: choose another name
            6:6 `*` write the name of the procedure here, not `*` -- there are no pointers: write `void f()`, or `void f(int x)`; a thread gets its arguments where it is declared or started: `thread t = f(1);`, `async f(1);`
            7:1 `std::mutex` `std::mutex` does not belong to the language -- write `lock`
        "#]],
    );
}

#[test]
fn names_with_prefixes_and_texts() {
    check_body(
        "s := State::Idle; println!(1); x := 1_000;\nassert(x == 1, \"why\"); print(\"a\", \"b\");\nx.store(1); y := x.fetch_add(1); z := x.load();",
        expect![[r#"
            2:6 `State::Idle` a name stands without the name of its type -- write `Idle`
            2:26 `!` there is no macro `println` -- nothing is printed: leave it out; the schedule of a violation shows every variable
            2:37 `1_000` this is neither a number nor a name -- write the digits without `_`
            3:30 `"a"` there is no procedure `print` -- nothing is printed: leave it out; the schedule of a violation shows every variable
            4:2 `.store` `x` has no methods, such as `store` -- every variable is written in one step: write `x := 1;`
            4:19 `.fetch_add` `x` has no methods, such as `fetch_add` -- write `y := fetch_and_add(x, 1);`
            4:40 `.load` `x` has no methods, such as `load` -- every variable is read in one step: write `x`
        "#]],
    );
}

#[test]
fn signs_that_are_two_of_ours() {
    check_body(
        "throw 3; x := y <> z;",
        expect![[r#"
            2:1 `throw` `throw` does not belong to the language -- there are no exceptions: `assert false;` is a violation, `assume false;` ends what is looked at
            2:17 `<>` `<>` does not belong to the language -- write `!=`
        "#]],
    );
    check(
        "int a[];\nbool b[] := true;",
        expect![[r#"
            1:7 `]` write an expression here, not `]` -- an array says how long it is: `int a[3];`
            2:8 `]` write an expression here, not `]` -- an array says how long it is: `int a[3];`
        "#]],
    );
}
