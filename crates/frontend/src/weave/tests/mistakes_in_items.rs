//! What the parser says to mistakes in declarations, and to braces that do not fit.

use expect_test::expect;

use super::mistakes::check;

#[test]
fn unclosed_brace() {
    check(
        "void f() {\n  if (x) {\n    y := 1;\n}\n\nvoid g() { skip; }",
        expect![[r#"
        6:1 `void` expected `}`, found `void`; 1:10 this block is not closed -- add the missing `}`
    "#]],
    );
}

#[test]
fn unclosed_brace_at_the_end() {
    check(
        "void f() {\n  while x { y := 1;",
        expect![[r#"
        2:20 `` expected `}`, found the end of the file; 2:11 this block is not closed -- add the missing `}`
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
            2:1 `x` expected a declaration, found `x` -- a variable is declared with its type: `int x := …;`, `bool x := …;`
            3:1 `return` expected a declaration, found `return` -- statements stand in a procedure or in `thread NAME { … }`
            4:1 `if` expected a declaration, found `if` -- statements stand in a procedure or in `thread NAME { … }`
            5:1 `lock` expected a declaration, found `lock` -- statements stand in a procedure or in `thread NAME { … }`
            6:11 `` expected `;` -- a statement or declaration ends with `;`
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
            2:11 `)` expected the name of the parameter, found `)`
            2:17 `=` `=` does not assign -- write := to assign
            3:15 `{` expected `,` or `)`, found `{`; 3:7 to close this
            3:19 `=` `=` does not assign -- write := to assign
            4:23 `1` a parameter has no first value -- the call gives a parameter its value
            4:27 `{` expected a type, found `{`
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
        1:12 `B` expected `,` or `}`, found `B`; 1:8 to close this
        2:6 `{` expected the name of the enumeration, found `{`
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
            2:12 `=` expected an expression, found `=`
            3:17 `;` expected `(`, found `;`
            4:10 `0` expected a name for the number of the thread, found `0`
            5:10 `f` expected `*`, `=`, `{` or `;`, found `f`
            6:7 `` expected the name of the thread, found the end of the file
        "#]],
    );
}

#[test]
fn predicate() {
    check(
        "predicate p s == l;\npredicate q in: x;\npredicate r: ;\npredicate s: x = 1;",
        expect![[r#"
            1:13 `s` expected `in` or `:`, found `s`
            2:13 `in` expected `in` or `:`, found `in`
            3:14 `;` expected an expression, found `;`
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
            2:8 `;` expected `=`, found `;`
            3:7 `while` expected the name of the constant, but `while` is a reserved word -- choose another name
            4:12 `` expected `;`, found `,` -- `,` joins nothing here: write `;`
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
            2:1 `42` expected a declaration, found `42` -- a file is a list of declarations: `const N = 3;`, `int x := 0;`, `void f() { … }`, `thread NAME { … }`
            4:1 `-` expected a declaration, found `-` -- a file is a list of declarations: `const N = 3;`, `int x := 0;`, `void f() { … }`, `thread NAME { … }`
        "#]],
    );
}
