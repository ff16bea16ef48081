//! What the parser says to mistakes in declarations, and to braces that do not fit.

use expect_test::expect;

use super::mistakes::check;

#[test]
fn unclosed_brace() {
    check(
        "void f() {\n  if (x) {\n    y := 1;\n}\n\nvoid g() { skip; }",
        expect![[r#"
        6:1 `void` write `}` here, not `void`; 1:10 this block is not closed -- add the missing `}`
    "#]],
    );
}

#[test]
fn unclosed_brace_at_the_end() {
    check(
        "void f() {\n  while x { y := 1;",
        expect![[r#"
        2:20 `` write `}` before the end of the file; 2:11 this block is not closed -- add the missing `}`
    "#]],
    );
}

#[test]
fn stray_brace() {
    check(
        "void f() { } }\nbool x;",
        expect![[r#"
        1:14 `}` this `}` closes nothing -- remove it, or add the `{` it belongs to
    "#]],
    );
}

#[test]
fn unterminated_comment() {
    check(
        "void f() { x := 1; /* no end",
        expect![[r#"
        1:20 `/*` this comment is not closed -- close it with `*/`
    "#]],
    );
}

#[test]
fn statement_outside() {
    check(
        "bool x;\nx := 1;\nreturn;\nif (x) { x := 2; }\nlock(m);\nbool y = 1",
        expect![[r#"
            2:1 `x` write a declaration here, not `x` -- a variable is declared with its type: `int x := 1;`, `bool x := …;`
            3:1 `return` write a declaration here, not `return` -- statements stand in a procedure or in `thread NAME { … }`
            4:1 `if` write a declaration here, not `if` -- statements stand in a procedure or in `thread NAME { … }`
            5:1 `lock` write a declaration here, not `lock` -- statements stand in a procedure or in `thread NAME { … }`
            6:11 `` write `;` before the end of the file -- a statement or declaration ends with `;`
        "#]],
    );
}

#[test]
fn declaration_inside() {
    check(
        "void f() {\n  const N = 2;\n  x = 1;\n  bool g() { y = 1; }\n  thread t;\n}",
        expect![[r#"
            2:3 `const` a constant cannot be declared inside a procedure; 1:10 inside this block -- move it to the top of the file, or add a missing `}`
            3:5 `=` `=` does not assign -- write := to assign
            4:3 `bool` a procedure cannot be declared inside a procedure; 1:10 inside this block -- move it to the top of the file, or add a missing `}`
            4:16 `=` `=` does not assign -- write := to assign
            5:3 `thread` a thread cannot be declared inside a procedure; 1:10 inside this block -- move it to the top of the file, or add a missing `}`
        "#]],
    );
}

#[test]
fn head_with_mistake() {
    check(
        "void f(a, bool b) { x = 1; }\nbool g(int) { y = 1; }\nvoid h(bool b { z = 1; }\nproc p(var x: bool := 1): { w = 1; }",
        expect![[r#"
            1:8 `a` parameter `a` has no type -- write the type first: `bool x`
            1:23 `=` `=` does not assign -- write := to assign
            2:11 `)` write the name of the parameter here, not `)` -- each parameter has a type and a name: `void f(int x, bool y)`
            2:17 `=` `=` does not assign -- write := to assign
            3:15 `{` write `,` or `)` here, not `{`; 3:7 to close this -- add the missing `)`, or leave out the `(`
            3:19 `=` `=` does not assign -- write := to assign
            4:23 `1` a parameter has no first value -- the call gives a parameter its value
            4:27 `{` write a type here, not `{` -- types are `bool`, `int`, `int[0..3]`, `u8` to `i64`, `lock`, `tid`, and those declared with `enum` and `struct`
            4:31 `=` `=` does not assign -- write := to assign
        "#]],
    );
}

#[test]
fn prototype() {
    check(
        "void f();\nbool g;",
        expect![[r#"
        1:9 `;` this procedure has no body -- write the body here: procedures may be used before they are declared
    "#]],
    );
}

#[test]
fn enumeration() {
    check(
        "enum E { A B }\nenum { A }\nenum F { }\nenum G { if, A, }",
        expect![[r#"
            1:12 `B` write `,` or `}` here, not `B`; 1:8 to close this -- commas stand between the parts, and `}` after the last one
            2:6 `{` write the name of the enumeration here, not `{` -- write `enum NAME { … }`
            4:10 `if` expected the name of a value, but `if` is a reserved word -- choose another name
        "#]],
    );
}

#[test]
fn thread() {
    check(
        "thread t(1);\nthread u * = f();\nthread v * 2 = f;\nthread w[0] = f();\nthread x f();\nthread",
        expect![[r#"
            1:9 `(` a thread has no parameters -- write `thread t = PROCEDURE(…);`
            2:12 `=` write an expression here, not `=` -- an expression is a value or a variable, or several with operators between them: `x + 1`, `!b`, `a[i] == 0`
            3:17 `;` write `(` here, not `;` -- parentheses stand after the name, with nothing in them if there are no arguments: `f()`
            4:10 `0` write a name for the number of the thread here, not `0` -- how many there are stands after `*`: `thread NAME * 2 { … }`
            5:10 `f` write `*`, `=`, `{` or `;` here, not `f` -- write `thread NAME { … }`, `thread NAME * 2 { … }` or `thread NAME * any = f();`
            6:7 `` write the name of the thread before the end of the file -- write `thread NAME { … }`, `thread NAME * 2 { … }` or `thread NAME * any = f();`
        "#]],
    );
}

#[test]
fn predicate() {
    check(
        "predicate p s == l;\npredicate q in: x;\npredicate r: ;\npredicate s: x = 1;",
        expect![[r#"
            1:13 `s` write `in` or `:` here, not `s` -- write `predicate NAME in f: e;`, or `predicate NAME: e;`
            2:13 `in` write `in` or `:` here, not `in` -- write `predicate NAME in f: e;`, or `predicate NAME: e;`
            3:14 `;` write an expression here, not `;` -- an expression is a value or a variable, or several with operators between them: `x + 1`, `!b`, `a[i] == 0`
            4:16 `=` `=` does not compare -- write == to compare
        "#]],
    );
}

#[test]
fn constant() {
    check(
        "const int N = 3;\nconst M;\nconst while = 2;\nconst K = 1, L = 2;",
        expect![[r#"
            1:7 `int` a constant has no type -- write `const NAME = value;`
            2:8 `;` write `=` here, not `;` -- write `const NAME = value;`
            3:7 `while` expected the name of the constant, but `while` is a reserved word -- choose another name
            4:12 `` write `;` before `,` -- `,` joins nothing here: write `;`
        "#]],
    );
}

#[test]
fn shared_and_local() {
    check(
        "local bool x;\nvoid f() { shared int y; }",
        expect![[r#"
        1:1 `local` a variable at the top of a file is shared -- write `shared`, or nothing; local variables stand in procedures
        2:12 `shared` a variable in a procedure is not shared -- move the declaration to the top of the file, or write `local`
    "#]],
    );
}

#[test]
fn not_a_declaration() {
    check(
        "#include <stdio.h>\n42;\nbool x;\n- y;",
        expect![[r#"
            1:1 `#` there is no preprocessor -- one file is the whole program; `const N = 3;` declares a constant
            2:1 `42` write a declaration here, not `42` -- a file is a list of declarations: `const N = 3;`, `int x := 0;`, `void f() { … }`, `thread NAME { … }`
            4:1 `-` write a declaration here, not `-` -- a file is a list of declarations: `const N = 3;`, `int x := 0;`, `void f() { … }`, `thread NAME { … }`
        "#]],
    );
}

#[test]
fn words_before_names_as_types() {
    check(
        "enum shared { a, b }\nstruct call { int x; }\nenum mutex { c } struct none { int y; } enum fair { d }",
        expect![[r#"
            1:6 `shared` `shared` cannot be the name of a type -- before a name, it is a word of the language: choose another name
            2:8 `call` `call` cannot be the name of a type -- before a name, it is a word of the language: choose another name
            3:6 `mutex` `mutex` cannot be the name of a type -- before a name, it is a word of the language: choose another name
        "#]],
    );
}

#[test]
fn words_without_what_follows_them() {
    check(
        "shared = 1;\nshared x;\nvar x;\nproc f;\nvoid f() { local x; call; call f; var x; none := 1; x := shared\ny := 1; fair *; x := fair }",
        expect![[r#"
            1:1 `shared` write a declaration here, not `shared` -- a variable is declared with its type: `int shared := 1;`, `bool shared := …;`
            2:9 `;` write the name of a variable here, not `;` -- after the type stand one or more names: `int x;`, `int x := 1, y := 2;`, `int a[3];`
            3:6 `;` this variable has no type -- write `var x: bool := value;`
            4:7 `;` write `(` here, not `;` -- parentheses stand after the name, with nothing in them if there are no arguments: `f()`
            5:19 `;` write the name of a variable here, not `;` -- after the type stand one or more names: `int x;`, `int x := 1, y := 2;`, `int a[3];`
            5:25 `;` write `:=` here, not `;` -- `call := value;` assigns, `call(…);` calls, `assume call;` waits until it holds
            5:33 `;` write `:=` here, not `;` -- `f := value;` assigns, `f(…);` calls, `assume f;` waits until it holds
            5:40 `;` this variable has no type -- write `var x: bool := value;`
            5:64 `` write `;` before `y` -- a statement or declaration ends with `;`
            6:9 `fair` write a statement here, not `fair` -- a statement is an assignment (`x := 1;`), a call (`f();`), or begins with its word (`if`, `while`, `assert`)
            6:26 `` write `;` before `}` -- a statement or declaration ends with `;`
        "#]],
    );
}
