//! Mistakes in expressions.

use expect_test::expect;

use crate::bp::tests::check_mistakes;

#[test]
fn call_in_an_expression() {
    check_mistakes(
        "void main() begin
  x := !f(a);
  x := f(a) & b;
  x, y := f(a), b;
  if f(x) then y := ; fi;
  return f(x);
  assert(a | f());
end
",
        expect![[r#"
            error: a call cannot be part of an expression
             --> test.bp:2:9
              |
            2 |   x := !f(a);
              |         ^
              |
              = help: call it in a statement of its own before: `x := f(e);`

            error: a call cannot be part of an expression
             --> test.bp:3:8
              |
            3 |   x := f(a) & b;
              |        ^^^^
              |
              = help: call it in a statement of its own before: `x := f(e);`

            error: a call cannot be part of an expression
             --> test.bp:4:11
              |
            4 |   x, y := f(a), b;
              |           ^^^^
              |
              = help: call it in a statement of its own before: `x := f(e);`

            error: a call cannot be part of an expression
             --> test.bp:5:6
              |
            5 |   if f(x) then y := ; fi;
              |      ^
              |
              = help: call it in a statement of its own before: `x := f(e);`

            error: write an expression here, not `;`
             --> test.bp:5:21
              |
            5 |   if f(x) then y := ; fi;
              |                     ^

            error: a call cannot be part of an expression
             --> test.bp:6:10
              |
            6 |   return f(x);
              |          ^
              |
              = help: call it in a statement of its own before: `x := f(e);`

            error: a call cannot be part of an expression
             --> test.bp:7:14
              |
            7 |   assert(a | f());
              |              ^
              |
              = help: call it in a statement of its own before: `x := f(e);`

            test.bp: 7 errors
        "#]],
    );
}

#[test]
fn only_truth_values() {
    check_mistakes(
        "void main() begin x := 2; assume(x < y); end\n",
        expect![[r#"
        error: `2` is not a truth value
         --> test.bp:1:24
          |
        1 | void main() begin x := 2; assume(x < y); end
          |                        ^
          |
          = help: the only constants are 0 and 1

        error: write `)` here, not `<`
         --> test.bp:1:36
          |
        1 | void main() begin x := 2; assume(x < y); end
          |                                 -  ^
          |                                 |
          |                                 this `(` is not closed

        test.bp: 2 errors
    "#]],
    );
}

#[test]
fn unclosed_parenthesis() {
    check_mistakes(
        "void main() begin
  assume((a | b) & (c | d;
  x := (a;
  f(a, b;
  thread_create(f;
end
",
        expect![[r#"
            error: write `)` here, not `;`
             --> test.bp:2:26
              |
            2 |   assume((a | b) & (c | d;
              |                    -     ^
              |                    |
              |                    this `(` is not closed

            error: write `)` here, not `;`
             --> test.bp:3:10
              |
            3 |   x := (a;
              |        - ^
              |        |
              |        this `(` is not closed

            error: write `)` here, not `;`
             --> test.bp:4:9
              |
            4 |   f(a, b;
              |    -    ^
              |    |
              |    this `(` is not closed

            error: write `)` here, not `;`
             --> test.bp:5:18
              |
            5 |   thread_create(f;
              |                - ^
              |                |
              |                this `(` is not closed

            test.bp: 4 errors
        "#]],
    );
}

#[test]
fn parenthesis_too_much() {
    check_mistakes(
        "void main() begin assume(a)); end\n",
        expect![[r#"
        error: write `;` before `)`
         --> test.bp:1:28
          |
        1 | void main() begin assume(a)); end
          |                            ^

        test.bp: 1 error
    "#]],
    );
}

#[test]
fn choices() {
    check_mistakes(
        "void main() begin x := choose(a, b); x := schoose[a]; x := schoose(a, b); x := a ? b; end\n",
        expect![[r#"
            error: `choose` takes no operands
             --> test.bp:1:30
              |
            1 | void main() begin x := choose(a, b); x := schoose[a]; x := schoose(a, b); x := a ? b; end
              |                              ^
              |
              = help: write `schoose[p, n]`: true if p, false if n

            error: write `,` here, not `]`
             --> test.bp:1:52
              |
            1 | void main() begin x := choose(a, b); x := schoose[a]; x := schoose(a, b); x := a ? b; end
              |                                                    ^

            error: write `[` here, not `(`
             --> test.bp:1:67
              |
            1 | void main() begin x := choose(a, b); x := schoose[a]; x := schoose(a, b); x := a ? b; end
              |                                                                   ^

            error: write `:` here, not `;`
             --> test.bp:1:85
              |
            1 | void main() begin x := choose(a, b); x := schoose[a]; x := schoose(a, b); x := a ? b; end
              |                                                                                  -  ^
              |                                                                                  |
              |                                                                                  the `?` that it belongs to
              |
              = help: a choice is written `c ? a : b`

            test.bp: 4 errors
        "#]],
    );
}

#[test]
fn nested_too_deep() {
    check_mistakes(
        &format!("void main() begin\n  assume({});\nend\n", "(".repeat(201)),
        expect![[r#"
            error: nested more than 200 levels deep
             --> test.bp:2:208
              |
            2 | ...((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((();
              |                                                                    ^
              |
              = help: move the inner part to a procedure, or compute it step by step

            test.bp: 1 error
        "#]],
    );
}
