//! What is said of mistakes.

use expect_test::{Expect, expect};

use super::mistakes;

fn check(text: &str, expect: Expect) {
    expect.assert_eq(&mistakes(text));
}

fn in_main(declarations: &str, statements: &str, expect: Expect) {
    check(&format!("{declarations} int main(void) {{ {statements} }}"), expect);
}

#[test]
fn there_is_a_main() {
    check(
        "int f(void) { return 0; }",
        expect![[r#"
        error at ``: there is no function `main`; the program starts there: write `int main(void) { … }`, or give the file that has it
    "#]],
    );
    check(
        "int main(void);",
        expect![[r#"
        error at ``: there is no function `main`; the program starts there: write `int main(void) { … }`, or give the file that has it
    "#]],
    );
}

#[test]
fn names() {
    in_main(
        "int counter; void spawn(int);",
        "countr = 1; x = 2; spwan(3); int i; int i; counter();",
        expect![[r#"
            error at `countr`: `countr` is not declared; did you mean `counter`?
            error at `x`: `x` is not declared; declare it, as in `int x;`, or include the header that does
            warning at `spwan`: the function `spwan` is not declared; did you mean `spawn`?
            error at `i`: `i` is declared twice [`i`: declared here first]; rename one of them, or remove it
            error at `counter`: `int` cannot be called; only a function or a pointer to one can be
        "#]],
    );
}

#[test]
fn other_names_of_variables() {
    in_main(
        "int x; extern int y __attribute__((alias(\"x\")));",
        "y = 1;",
        expect![[r#"
            error at `y`: `y` is another name of a variable (`alias`), which is not supported; use the first name everywhere
        "#]],
    );
}

#[test]
fn members_and_pointers() {
    in_main(
        "struct node { int value; struct node *next; } n, *p; struct gone *g; int i;",
        "n.valeu; p.value; n->value; i.x; p->missing; *i; i[0]; g->x; *g; p[1.5]; &3; &(i + 1);",
        expect![[r#"
            error at `valeu`: `struct node` has no member `valeu`; did you mean `value`?
            error at `value`: `struct node *` has no member `value`; follow the pointer: `->value`
            error at `value`: `struct node` is no pointer; it is the record itself: `.value`
            error at `x`: `int` has no member `x`; only structures and unions have members
            error at `missing`: `struct node` has no member `missing`; it has `value`, `next`
            error at `*i`: `int` is no pointer; only a pointer can be followed
            error at `i`: `int` has no elements; only arrays and pointers can be indexed
            error at `x`: the members of `struct gone` are not known here; define it, or include the header that does
            error at `*g`: the size of `struct gone` is not known here; define it, or include the header that does
            error at `1.5`: an index is an integer, not `double`
            error at `&3`: a value has no address; store it in a variable, and take the address of that
            error at `&(i + 1)`: a value has no address; store it in a variable, and take the address of that
        "#]],
    );
}

#[test]
fn operands_and_assignments() {
    in_main(
        "struct s { int a; } s; struct t { int a; } t; int i, a[3]; int *p; double d; void f(void);",
        "s + 1; s == s; p * 2; p + p; d % 2; ~d; -s; s = t; s = i; i = s; p = d; d = p; i = f(); a = p; 3 = i; i + 1 = 2; f = 0; if (s) ; i ? s : i; (struct s)i; (int[2])i; p << 1; i += p; s++; !s; 1 = 2;",
        expect![[r#"
            error at `s + 1`: `struct s` and `int` are no operands of `+`
            error at `s == s`: `struct s` and `struct s` cannot be compared; compare their members
            error at `p * 2`: `int *` and `int` are no operands of `*`
            error at `p + p`: `int *` and `int *` are no operands of `+`; a pointer can be moved by an integer, and subtracted from a pointer
            error at `d % 2`: `double` and `int` are no operands of `%`
            error at `~d`: `~` cannot be applied to `double`
            error at `-s`: `-` cannot be applied to `struct s`
            error at `t`: the left side is `struct s`, but this is `struct t`; give a value of that type
            error at `i`: the left side is `struct s`, but this is `int`; give a value of that type
            error at `s`: the left side is `int`, but this is `struct s`; give a value of that type
            error at `d`: the left side is `int *`, but this is `double`; there is no conversion between pointers and numbers with a point
            error at `p`: the left side is `double`, but this is `int *`; there is no conversion between pointers and numbers with a point
            error at `f()`: this has no value, but the left side is `int`; a function that gives `void` can only be called for its effect
            error at `a`: an array cannot be assigned to; assign its elements, or use `memcpy`
            error at `3`: this cannot be assigned to; the left side of an assignment is a variable, an element, or a member
            error at `i + 1`: this cannot be assigned to; the left side of an assignment is a variable, an element, or a member
            error at `f`: this cannot be assigned to; the left side of an assignment is a variable, an element, or a member
            error at `s`: `struct s` is neither true nor false; a condition is a number or a pointer
            error at `i ? s : i`: one choice is `struct s`, the other `int`; both choices of `?:` need the same type
            error at `(struct s)i`: `int` cannot be converted to `struct s`
            error at `(int[2])i`: nothing can be converted to `int [2]`; did you mean a pointer?
            error at `p << 1`: `int *` and `int` are no operands of `<<`
            error at `i += p`: `int` and `int *` are no operands of `+=`
            error at `s++`: `struct s` and `int` are no operands of `+=`
            error at `s`: `struct s` is neither true nor false; a condition is a number or a pointer
            error at `1`: this cannot be assigned to; the left side of an assignment is a variable, an element, or a member
        "#]],
    );
}

#[test]
fn calls() {
    in_main(
        "void f(int, char *); int v(int, ...); int i; struct s { int a; } s;",
        "f(1); f(1, 0, 2); v(); f(s, 0); i(); f(f(1, 0), 0); g(1);",
        expect![[r#"
            error at `f(1)`: `f` takes 2 arguments, but 1 is given; add what is missing
            error at `f(1, 0, 2)`: `f` takes 2 arguments, but 3 are given; remove what is too much
            error at `v()`: `v` takes at least 1 argument, but 0 are given; add what is missing
            error at `s`: the parameter is `int`, but this is `struct s`; give a value of that type
            error at `i`: `int` cannot be called; only a function or a pointer to one can be
            error at `f(1, 0)`: this has no value, but the parameter is `int`; a function that gives `void` can only be called for its effect
            warning at `g`: the function `g` is not declared; it is taken to be `int g()`; declare it, or include its header
        "#]],
    );
}

#[test]
fn statements() {
    in_main(
        "struct s { int a; } s; int i; double d;",
        "break; continue; case 1: ; default: ; goto nowhere; there: there: ; switch (d) { } switch (i) { case 1: case 1: case 0 ... 2: default: default: case i: ; }",
        expect![[r#"
            error at `break;`: `break` stands in no loop and no `switch`
            error at `continue;`: `continue` stands in no loop
            error at `case 1`: `case` stands in no `switch`
            error at `default: `: `default` stands in no `switch`
            error at `nowhere`: there is no label `nowhere`; write `nowhere:` before a statement
            error at `there`: `there` is declared twice [`there`: declared here first]; rename one of them, or remove it
            error at `d`: `switch` needs an integer, not `double`; use `if` and `else`
            error at `case 1`: there are two labels for 1 [`case 1`: the first one]; remove one of them
            error at `case 0 ... 2`: there are two labels for 0 [`case 1`: the first one]; remove one of them
            error at `default: `: there are two `default` labels [`default: `: the first one]; remove one of them
            error at `i`: a label of `switch` must be constant; use numbers, enumerators and `sizeof`; a variable is not constant, even if it is `const`
        "#]],
    );
}

#[test]
fn declarations() {
    check(
        "struct s { int a; int a; void v; struct s inner; int f(void); int b : 40; }; struct s { int c; }; int x; char x; void f(int); int f(int); void f(int x) { } void f(int x) { } int a[-1]; int n; int b[n]; void v; typedef int T; T T2 = 1, T2 = 2; enum e { A, A }; struct unknown u; int main(void) { u; void w; struct unknown k; int a[] ; return A; }",
        expect![[r#"
            error at `a`: there are two members `a` [`a`: the first one]; rename one of them
            error at `v`: a member of type `void` has no value
            error at `inner`: nothing is known of `struct s`, so it cannot be a member; define it first, or make this a pointer
            error at `f`: a function cannot be a member; did you mean a pointer to it?
            error at `40`: a bit-field of `int` cannot have 40 bits
            error at `struct s`: `s` is defined twice; rename one of them, or remove it
            error at `x`: `x` was declared with another type [`x`: as `int`]; give both declarations the same type
            error at `f`: `f` was declared with another type [`f`: as `void (int)`]; give both declarations the same type
            error at `f`: `f` has two bodies [`f`: the first one]; remove one of them
            error at `-1`: an array cannot have -1 elements
            error at `n`: the length of an array outside of functions must be constant; use a number, an enumerator, or `sizeof`
            error at `v`: `v` is `void`, which has no values; did you mean `void *`?
            error at `T2`: `T2` has two initialisers [`T2`: the first one]; remove one of them
            error at `A`: `A` is declared twice [`A`: declared here first]; rename one of them, or remove it
            error at `u`: the size of `struct unknown` is not known here; define it, or include the header that does
            error at `w`: `w` is `void`, which has no values; did you mean `void *`?
            error at `k`: the size of `struct unknown` is not known here; define it, or include the header that does
            error at `a`: the size of `int []` is not known here; give its length
        "#]],
    );
}

#[test]
fn initialisers() {
    in_main(
        "int n; struct s { int a, b; };",
        "static int k = n; struct s s = { .c = 1 }; struct s t = { 1, 2, 3 }; int a[2] = { [2] = 1 }; int b[2] = 5; int c = { 1, 2 }; char d[2] = \"abc\"; int e = \"x\"; struct s f = 1; int g[] = { n, unknown }; int h = { .x = 1 };",
        expect![[r#"
            error at `n`: this is not constant; what lives as long as the program starts with numbers and addresses; assign the rest in `main`
            error at `c`: `struct s` has no member `c`; it has `a`, `b`
            warning at `3`: there are more values than places for them; the values from here on are dropped
            error at `2`: there is no element 2 in this array
            error at `5`: an array cannot start as one value; write its elements in braces, as in `{1, 2, 3}`
            warning at `2`: there are more values than places for them; the values from here on are dropped
            warning at `"abc"`: the string does not fit into 2 characters; make the array longer
            warning at `"x"`: what is initialised is `int`, but this is `char *`; a number is written without quotes; a text is kept in a `char *`
            error at `1`: what is initialised is `struct s`, but this is `int`; give a value of that type
            error at `unknown`: `unknown` is not declared; declare it, as in `int unknown;`, or include the header that does
            error at `{ .x = 1 }`: a scalar has no parts
        "#]],
    );
}
