//! What the parser says to mistakes in statements: to all of them, one message each.

use expect_test::{Expect, expect};
use selvedge_program::Source;

use crate::Diagnostics;
use crate::weave::parse;

/// The messages with their lines and columns, the related places and the hints.
#[track_caller]
pub(super) fn check(text: &str, want: Expect) {
    let source = Source::new("test.weave", text);
    let (_, diagnostics) = parse(&source);
    let mut shown = String::new();
    for d in &diagnostics {
        let at = |start: u32| {
            let place = source.line_column(start);
            format!("{}:{}", place.line, place.column)
        };
        shown +=
            &format!("{} `{}` {}", at(d.label.span.start), source.slice(d.label.span), d.message);
        for related in &d.related {
            shown += &format!("; {} {}", at(related.span.start), related.text);
        }
        if let Some(hint) = &d.hint {
            shown += &format!(" -- {hint}");
        }
        shown += "\n";
    }
    want.assert_eq(&shown);
}

/// Statements in the body of a procedure.
#[track_caller]
pub(super) fn check_body(text: &str, want: Expect) {
    check(&format!("void f() {{\n{text}\n}}"), want);
}

#[test]
fn rendered() {
    let render = |text: &str| {
        let source = Source::new("test.weave", text);
        let (_, diagnostics) = parse(&source);
        Diagnostics::new(source, diagnostics).render(false)
    };
    expect![[r#"
        error: write `;` before `if`
         --> test.weave:2:9
          |
        2 |   x := 1
          |         ^
          |
          = help: a statement or declaration ends with `;`

        error: `=` does not compare
         --> test.weave:3:9
          |
        3 |   if (x = 2) {
          |         ^
          |
          = help: write == to compare

        error: write `)` here, not `;`
         --> test.weave:5:14
          |
        5 |   z := (1 + 2;
          |        -     ^
          |        |
          |        to close this
          |
          = help: add the missing `)`, or leave out the `(`

        error: write `}` before the end of the file
         --> test.weave:6:2
          |
        1 | void f() {
          |          - this block is not closed
        ...
        6 | }
          |  ^
          |
          = help: add the missing `}`

        test.weave: 4 errors
    "#]]
    .assert_eq(&render(
        "void f() {\n  x := 1\n  if (x = 2) {\n    y := g(x) + 1;\n  z := (1 + 2;\n}\n",
    ));
}

#[test]
fn missing_semicolon() {
    check_body(
        "x := 1\n  y := 2;",
        expect![[r#"
        2:7 `` write `;` before `y` -- a statement or declaration ends with `;`
    "#]],
    );
}

#[test]
fn missing_semicolon_on_the_line() {
    check_body(
        "x := 1 y := 2; z := ;",
        expect![[r#"
            2:7 `` write `;` before `y` -- a statement ends with `;`, and an operator stands between two values
            2:21 `;` write an expression here, not `;` -- say which value: `z := 1;`
        "#]],
    );
}

#[test]
fn equals_assigns_in_c() {
    check_body(
        "x = 1; a[2], y = 1, 2;",
        expect![[r#"
        2:3 `=` `=` does not assign -- write := to assign
        2:16 `=` `=` does not assign -- write := to assign
    "#]],
    );
}

#[test]
fn equals_compares_in_pascal() {
    check_body(
        "if (x = 1) { y = 2; } assert x := 1;",
        expect![[r#"
        2:7 `=` `=` does not compare -- write == to compare
        2:16 `=` `=` does not assign -- write := to assign
        2:32 `:=` `:=` cannot be part of an expression -- write == to compare; an assignment is a statement of its own
    "#]],
    );
}

#[test]
fn comparison_as_statement() {
    check_body(
        "x == 1;",
        expect![[r#"
            2:3 `==` a comparison is not a statement -- `assume x == 1;` waits until it holds, `assert x == 1;` checks that it does; `:=` assigns
        "#]],
    );
}

#[test]
fn foreign_assignment() {
    check_body(
        "x &&= y; a[1] *= 2;",
        expect![[r#"
            2:3 `&&=` `&&=` does not belong to the language -- write `x := x && …`
            2:15 `*=` `*=` does not belong to the language -- write `a[1] := a[1] * …`
        "#]],
    );
}

#[test]
fn calls_in_expressions_are_no_mistakes() {
    check_body("x := f(y) + 1; x, y := f(), 2; return g(h());", expect![""]);
}

#[test]
fn effect_in_expression() {
    check_body(
        "if (trylock(m) && x) { } x := 1 + fetch_and_add(y);",
        expect![[r#"
            2:5 `trylock(m)` `trylock` cannot be part of an expression -- give its result to a variable first: `t := trylock(m);`
            2:35 `fetch_and_add(y)` `fetch_and_add` cannot be part of an expression -- give its result to a variable first: `t := fetch_and_add(y);`
        "#]],
    );
}

#[test]
fn chained_comparison() {
    check_body(
        "assert a < b < c; x := a == b != c;",
        expect![[r#"
        2:14 `<` comparisons cannot be chained -- write `a < b && b < c`, or parentheses
        2:31 `!=` comparisons cannot be chained -- write `a < b && b < c`, or parentheses
    "#]],
    );
}

#[test]
fn else_without_if() {
    check_body(
        "if (a) x := 1; y := 2; else z := 3;",
        expect![[r#"
        2:24 `else` this `else` belongs to no `if` -- before `else` stands one statement or one block in braces
    "#]],
    );
}

#[test]
fn condition_without_parentheses() {
    check_body(
        "if x y := 1; while x skip;",
        expect![[r#"
        2:1 `if x` `if` without braces needs parentheses round its condition -- write `if (…) statement` or `if … { … }`
        2:14 `while x` `while` without braces needs parentheses round its condition -- write `while (…) statement` or `while … { … }`
    "#]],
    );
}

#[test]
fn condition_without_body() {
    check_body(
        "if x",
        expect![[r#"
            3:1 `}` write `{` here, not `}` -- braces stand round a block: `if c { … }`, `while c { … }`, `void f() { … }`
        "#]],
    );
}

#[test]
fn condition_with_mistake() {
    check_body(
        "if (x + ) { y = 1; } while (a b) { z = 2; }",
        expect![[r#"
            2:9 `)` write an expression here, not `)` -- a value is missing after `+`: `x + y`
            2:15 `=` `=` does not assign -- write := to assign
            2:31 `b` write `)` here, not `b`; 2:28 to close this -- an operator or a comma stands between two values
            2:38 `=` `=` does not assign -- write := to assign
        "#]],
    );
}

#[test]
fn unclosed_parenthesis() {
    check_body(
        "x := (a + b;\n  f(a, b;\n y := a[1;",
        expect![[r#"
            2:12 `;` write `)` here, not `;`; 2:6 to close this -- add the missing `)`, or leave out the `(`
            3:9 `;` write `,` or `)` here, not `;`; 3:4 to close this -- add the missing `)`, or leave out the `(`
            4:10 `;` write `]` here, not `;`; 4:8 to close this -- add the missing `]`, or leave out the `[`
        "#]],
    );
}

#[test]
fn reserved_word_as_name() {
    check_body(
        "bool or; int wait := 2; goto if; while: skip;",
        expect![[r#"
        2:6 `or` expected the name of a variable, but `or` is a reserved word -- choose another name
        2:14 `wait` expected the name of a variable, but `wait` is a reserved word -- choose another name
        2:30 `if` expected a label, but `if` is a reserved word -- choose another name
        2:34 `while` expected a label, but `while` is a reserved word -- choose another name
    "#]],
    );
}

#[test]
fn reserved_word_in_expression() {
    check_body(
        "x := 1 + while; havoc if;",
        expect![[r#"
            2:10 `while` write an expression here, not `while` -- an expression is a value or a variable, or several with operators between them: `x + 1`, `!b`, `a[i] == 0`
            2:23 `if` expected a variable, but `if` is a reserved word -- choose another name
        "#]],
    );
}

#[test]
fn words_of_other_languages() {
    check_body(
        "for (i := 0; i < 3; i++) { x = 1; } do { x := 1; } switch (x) { } begin x := 1;",
        expect![[r#"
            2:30 `=` `=` does not assign -- write := to assign
            2:37 `do` there is no `do` statement -- write `while true { …; if !c { break; } }`
            2:52 `switch` there is no `switch` statement -- write `if c { … } else if d { … } else { … }`
            2:67 `begin` there is no `begin` statement -- write `{`
        "#]],
    );
}

#[test]
fn step_inside_expression() {
    check_body(
        "x := y++ + 1; ++x; x := --y;",
        expect![[r#"
            2:7 `` write `;` before `++` -- `x++;` and `x--;` are statements of their own, with the sign after x
            2:15 `++` write a statement here, not `++` -- `x++;` and `x--;` are statements of their own, with the sign after x
            2:25 `--` write an expression here, not `--` -- `x++;` and `x--;` are statements of their own, with the sign after x
        "#]],
    );
}

#[test]
fn two_choices_of_an_index() {
    check_body(
        "a[*]++; a[b[{1, 2}]] += 2;",
        expect![[r#"
        2:3 `*` this index would be chosen twice -- choose the index first: `i := *;`
        2:13 `{1, 2}` this index would be chosen twice -- choose the index first: `i := *;`
    "#]],
    );
}

#[test]
fn label_without_statement_is_fine_but_number_is_not() {
    check_body(
        "1: skip; L M: skip;",
        expect![[r#"
            2:1 `1` write a statement here, not `1` -- a label is a name: `L1: skip;`
            2:13 `` write `;` before `:` -- a statement or declaration ends with `;`
        "#]],
    );
}

#[test]
fn unknown_character() {
    check_body(
        "x := a @ b; y := §§ 1; é := 2; z := ~a;",
        expect![[r#"
            2:8 `@` `@` does not belong to the language -- leave it out; which label a thread is at is asked in a `predicate`: `i.at L`
            2:18 `§§` `§` does not belong to the language -- names are made of the letters a to z, digits, `_` and `$`
            2:24 `é` `é` does not belong to the language -- names are made of the letters a to z, digits, `_` and `$`
        "#]],
    );
}

#[test]
fn bad_number() {
    check_body(
        "x := 0x10; y := 3abc;",
        expect![[r#"
            2:6 `0x10` numbers are decimal -- write `16`
            2:17 `3abc` this is neither a number nor a name -- a name does not begin with a digit
        "#]],
    );
}

#[test]
fn declaration_with_mistake() {
    check_body(
        "int[3] x; bool[2] y; int[] z; var w; var v: int[0..1][2]; shared bool u; bool a b;",
        expect![[r#"
            2:6 `]` this is not a type -- the length of an array stands after its name (`bool x[3]`); a range has two ends (`int[0..3]`)
            2:15 `[` this is not a type -- the length of an array stands after its name (`bool x[3]`); a range has two ends (`int[0..3]`)
            2:26 `]` this is not a type -- the length of an array stands after its name (`bool x[3]`); a range has two ends (`int[0..3]`)
            2:36 `;` this variable has no type -- write `var x: bool := value;`
            2:54 `[` this is not a type -- the length of an array stands after its name (`bool x[3]`); a range has two ends (`int[0..3]`)
            2:59 `shared` a variable in a procedure is not shared -- move the declaration to the top of the file, or write `local`
            2:80 `` write `;` before `b` -- a statement ends with `;`, and an operator stands between two values
        "#]],
    );
}

#[test]
fn effect_for_several_variables() {
    check_body(
        "var a, b: bool := f();",
        expect![[r#"
            2:19 `f()` this is done once, so it gives one variable its value -- declare the variables one by one, each with its value
        "#]],
    );
}

#[test]
fn empty_choice() {
    check_body(
        "x := {}; y := {1, }; z := {1 .. };",
        expect![[r#"
            2:7 `}` write an expression here, not `}` -- say among which values: `{0, 1}`, `{0 .. 3}`
            2:19 `}` write an expression here, not `}` -- leave out the last `,`, or write what belongs after it
            2:33 `}` write an expression here, not `}` -- an expression is a value or a variable, or several with operators between them: `x + 1`, `!b`, `a[i] == 0`
        "#]],
    );
}

#[test]
fn atomic_without_braces() {
    check_body(
        "atomic x := 1; either skip; or skip;",
        expect![[r#"
            2:8 `x` write `{` here, not `x` -- braces stand round what is one step: `atomic { … }`; an assignment is one step without it
            2:23 `skip` write `{` here, not `skip` -- braces stand round each branch: `either { … } or { … }`
        "#]],
    );
}

#[test]
fn call_of_nothing() {
    check_body(
        "call x := 1; call 2; cal f(); f;",
        expect![[r#"
            2:6 `x := 1` this is not a call -- leave out `call`
            2:19 `2` write the call of a procedure here, not `2` -- a call names a procedure, with parentheses: `f(1);`
            2:22 `cal` `cal` does not belong to the language -- did you mean `call`?
            2:32 `;` write `:=` here, not `;` -- `f := value;` assigns, `f(…);` calls, `assume f;` waits until it holds
        "#]],
    );
}

#[test]
fn start_without_goto() {
    check_body(
        "start_thread L; end_thread L; goto 1; goto;",
        expect![[r#"
            2:14 `L` write `goto` here, not `L` -- write `start_thread goto L;`
            2:27 `` write `;` before `L` -- a statement ends with `;`, and an operator stands between two values
            2:36 `1` write a label here, not `1` -- a label is a name: `goto again;` jumps to `again: skip;`
            2:43 `;` write a label here, not `;` -- a label is a name: `goto again;` jumps to `again: skip;`
        "#]],
    );
}

#[test]
fn quantifiers() {
    check_body(
        "x := forall i != j: true; x := exists: y; x := #{i at L}; x := i.a[1];",
        expect![[r#"
            2:18 `j` write `self` here, not `j` -- the thread that is left out is `self`: `exists i != self: e`
            2:38 `:` write a name for an index or a thread here, not `:` -- say which name the index has: `forall i: a[i] == 0`
            2:52 `at` write `:` or `!= self:` here, not `at` -- write `forall i: a[i] == 0`, `exists i: a[i] == 0` or `#{i : a[i] == 0}`
        "#]],
    );
}

#[test]
fn arguments() {
    check_body(
        "cas(x, 1); trylock(); fetch_and_add(1); async; acquire 1; lock();",
        expect![[r#"
            2:9 `)` write `,` and the new value here, not `)` -- `b := cas(x, old, new);` sets `x` to `new` if it is `old`, and tells whether it was
            2:20 `)` write a variable here, not `)` -- say which lock: `if trylock(m) { … }`, for a shared `lock m;`
            2:37 `1` write a variable here, not `1` -- name a variable, a member or an element: `x`, `n.x`, `a[i]`
            2:46 `;` write the procedure that the thread runs here, not `;` -- a thread that is started runs a procedure: `void f() { … }`, then `async f();`
            2:56 `1` write a variable here, not `1` -- name a variable, a member or an element: `x`, `n.x`, `a[i]`
            2:64 `)` write a variable here, not `)` -- say which lock: `acquire m;`, for a shared `lock m;`
        "#]],
    );
}
