//! Mistakes about what opens and closes.

use expect_test::expect;

use crate::bp::tests::check_mistakes;

#[test]
fn missing_end() {
    check_mistakes(
        "void main() begin
  if a then
    skip;
  fi;

void f() begin skip; end
g() begin skip; end
",
        expect![[r#"
            error: `begin` without `end`: expected it before `void`
             --> test.bp:6:1
              |
            1 | void main() begin
              |             ----- this `begin` is not closed
            ...
            6 | void f() begin skip; end
              | ^^^^ expected `end`

            test.bp: 1 error
        "#]],
    );
}

#[test]
fn missing_end_before_a_procedure_without_type() {
    check_mistakes(
        "main() begin
  skip;
f(a) begin
  skip;
end
",
        expect![[r#"
            error: `begin` without `end`: expected it before `f`
             --> test.bp:3:1
              |
            1 | main() begin
              |        ----- this `begin` is not closed
            2 |   skip;
            3 | f(a) begin
              | ^ expected `end`

            test.bp: 1 error
        "#]],
    );
}

#[test]
fn missing_fi() {
    check_mistakes(
        "void main() begin
  while a do
    if b then skip;
  od;
end
",
        expect![[r#"
            error: `then` without `fi`: expected it before `od`
             --> test.bp:4:3
              |
            3 |     if b then skip;
              |          ---- this `then` is not closed
            4 |   od;
              |   ^^ expected `fi`

            test.bp: 1 error
        "#]],
    );
}

#[test]
fn missing_od_at_the_end_of_the_file() {
    check_mistakes(
        "void main() begin
  while a do
    begin
      skip;
",
        expect![[r#"
            error: `begin` without `end`: expected it before the end of the file
             --> test.bp:4:12
              |
            3 |     begin
              |     ----- this `begin` is not closed
            4 |       skip;
              |            ^ expected `end`

            test.bp: 1 error
        "#]],
    );
}

#[test]
fn missing_brace() {
    check_mistakes(
        "void main() { while (a) { skip; }\n",
        expect![[r#"
        error: `{` without `}`: expected it before the end of the file
         --> test.bp:1:34
          |
        1 | void main() { while (a) { skip; }
          |             -                    ^ expected `}`
          |             |
          |             this `{` is not closed

        test.bp: 1 error
    "#]],
    );
}

#[test]
fn closer_that_closes_nothing() {
    check_mistakes(
        "void main() begin
  skip;
  od;
  assert(a;
  fi
end
",
        expect![[r#"
            error: `od` closes nothing
             --> test.bp:3:3
              |
            1 | void main() begin
              |             ----- the innermost block begins here
            2 |   skip;
            3 |   od;
              |   ^^

            error: write `)` here, not `;`
             --> test.bp:4:11
              |
            4 |   assert(a;
              |         - ^
              |         |
              |         this `(` is not closed

            error: `fi` closes nothing
             --> test.bp:5:3
              |
            1 | void main() begin
              |             ----- the innermost block begins here
            ...
            5 |   fi
              |   ^^

            test.bp: 3 errors
        "#]],
    );
}

#[test]
fn end_too_much() {
    check_mistakes(
        "void main() begin
  skip; end;
  skip;
  x := 1;
  if a then skip; fi;
end
decl 7;
void f() begin end
",
        expect![[r#"
            error: write `decl` or a procedure here, not `skip`
             --> test.bp:3:3
              |
            3 |   skip;
              |   ^^^^
              |
              = help: statements stand inside a procedure

            error: write the name of a variable here, not `7`
             --> test.bp:7:6
              |
            7 | decl 7;
              |      ^

            test.bp: 2 errors
        "#]],
    );
}

#[test]
fn missing_then() {
    check_mistakes(
        "void main() begin
  if a skip; x := 1; fi;
  if (a) goto l;
  l: while a x := 0; od;
  if a b then skip; fi;
end
",
        expect![[r#"
            error: write `then` or `{` here, not `skip`
             --> test.bp:2:8
              |
            2 |   if a skip; x := 1; fi;
              |        ^^^^
              |
              = help: write `then … fi`, or braces round the statements

            error: write `then` or `{` here, not `goto`
             --> test.bp:3:10
              |
            3 |   if (a) goto l;
              |          ^^^^
              |
              = help: write `then … fi`, or braces round the statements

            error: write `do` or `{` here, not `x`
             --> test.bp:4:14
              |
            4 |   l: while a x := 0; od;
              |              ^
              |
              = help: write `do … od`, or braces round the statements

            error: write `then` or `{` here, not `b`
             --> test.bp:5:8
              |
            5 |   if a b then skip; fi;
              |        ^
              |
              = help: write `then … fi`, or braces round the statements

            test.bp: 4 errors
        "#]],
    );
}

#[test]
fn broken_condition() {
    check_mistakes(
        "void main() begin
  if a & then skip; else x := ; fi;
  while do skip; od;
  if (a { skip; }
  if ;
end
",
        expect![[r#"
            error: write an expression here, not `then`
             --> test.bp:2:10
              |
            2 |   if a & then skip; else x := ; fi;
              |          ^^^^

            error: write an expression here, not `;`
             --> test.bp:2:31
              |
            2 |   if a & then skip; else x := ; fi;
              |                               ^

            error: write an expression here, not `do`
             --> test.bp:3:9
              |
            3 |   while do skip; od;
              |         ^^

            error: write `)` here, not `{`
             --> test.bp:4:9
              |
            4 |   if (a { skip; }
              |      -  ^
              |      |
              |      this `(` is not closed

            error: write an expression here, not `;`
             --> test.bp:5:6
              |
            5 |   if ;
              |      ^

            test.bp: 5 errors
        "#]],
    );
}

#[test]
fn else_twice() {
    check_mistakes(
        "void main() begin if a then skip; else skip; else skip; fi; end\n",
        expect![[r#"
            error: write `fi` here, not `else`
             --> test.bp:1:46
              |
            1 | void main() begin if a then skip; else skip; else skip; fi; end
              |                                   ----       ^^^^
              |                                   |
              |                                   the `else` branch begins here
              |
              = help: nothing comes after the `else` branch

            test.bp: 1 error
        "#]],
    );
}
