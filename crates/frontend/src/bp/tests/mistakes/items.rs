//! Mistakes at the top of a file.

use expect_test::expect;

use crate::bp::tests::check_mistakes;

#[test]
fn headings() {
    check_mistakes(
        "bool x;
void f begin y := ; end
bool<> g() begin skip; end
bool<100000> h() begin skip; end
void i(a b) begin skip; end
void j(bool a, b) begin skip; end
void k(a);
void begin skip; end
",
        expect![[r#"
            error: a variable is declared with `decl`
             --> test.bp:1:1
              |
            1 | bool x;
              | ^^^^
              |
              = help: write `decl` in the place of `bool`: all variables are Boolean

            error: write `(`, the parameters of the procedure here, not `begin`
             --> test.bp:2:8
              |
            2 | void f begin y := ; end
              |        ^^^^^
              |
              = help: a procedure without parameters is written `f()`

            error: write an expression here, not `;`
             --> test.bp:2:19
              |
            2 | void f begin y := ; end
              |                   ^

            error: write the name of a procedure here, not `<>`
             --> test.bp:3:5
              |
            3 | bool<> g() begin skip; end
              |     ^^

            error: write the number of results, at most 1000 here, not `100000`
             --> test.bp:4:6
              |
            4 | bool<100000> h() begin skip; end
              |      ^^^^^^

            error: write `,` or `)` here, not `b`
             --> test.bp:5:10
              |
            5 | void i(a b) begin skip; end
              |       -  ^
              |       |
              |       the parameters begin here

            error: a variable has no type here
             --> test.bp:6:8
              |
            6 | void j(bool a, b) begin skip; end
              |        ^^^^
              |
              = help: leave it out: all variables are Boolean

            error: write `begin` or `{`, the body of the procedure here, not `;`
             --> test.bp:7:10
              |
            7 | void k(a);
              |          ^
              |
              = help: a call stands inside a procedure; a procedure is not announced before its body

            error: `begin` is a keyword, not the name of a procedure
             --> test.bp:8:6
              |
            8 | void begin skip; end
              |      ^^^^^
              |
              = help: choose another name

            error: write `(`, the parameters of the procedure here, not `skip`
             --> test.bp:8:12
              |
            8 | void begin skip; end
              |            ^^^^
              |
              = help: a procedure without parameters is written `begin()`

            test.bp: 10 errors
        "#]],
    );
}

#[test]
fn statements_outside() {
    check_mistakes(
        "decl x;
x := 1;
skip;
void main() begin x := 1 end
",
        expect![[r#"
            error: write `decl` or a procedure here, not `x`
             --> test.bp:2:1
              |
            2 | x := 1;
              | ^
              |
              = help: statements stand inside a procedure

            error: missing `;`
             --> test.bp:4:25
              |
            4 | void main() begin x := 1 end
              |                         ^ expected here
              |
              = help: a statement ends with `;`

            test.bp: 2 errors
        "#]],
    );
}

#[test]
fn nothing_but_end_of_file() {
    check_mistakes(
        "void",
        expect![[r#"
        error: write the name of a procedure before the end of the file
         --> test.bp:1:5
          |
        1 | void
          |     ^

        test.bp: 1 error
    "#]],
    );
}

#[test]
fn unsupported() {
    check_mistakes(
        "dfs void main() begin
  enforce a | b;
  abortif c;
  skip;
end
",
        expect![[r#"
            error: `dfs` is not supported
             --> test.bp:1:1
              |
            1 | dfs void main() begin
              | ^^^
              |
              = help: leave it out: it only told a tool how to search

            error: `enforce` is not supported
             --> test.bp:2:3
              |
            2 |   enforce a | b;
              |   ^^^^^^^
              |
              = help: `assume` the condition where it matters

            error: `abortif` is not supported
             --> test.bp:3:3
              |
            3 |   abortif c;
              |   ^^^^^^^
              |
              = help: `assume` the opposite where it matters

            test.bp: 3 errors
        "#]],
    );
}

#[test]
fn words_of_other_languages() {
    check_mistakes(
        "int n;
void main() begin
  lock(m);
  acquire m;
  while a do break; od;
  b := cas(x, 0, 1);
  havoc x;
  bool y;
  join t;
  unlock(m);
end
void unlock(m) begin skip; end
",
        expect![[r#"
            error: write `decl` or a procedure here, not `int`
             --> test.bp:1:1
              |
            1 | int n;
              | ^^^
              |
              = help: a variable is declared with `decl x;`, and is Boolean

            error: there is no `lock` in Boolean programs
             --> test.bp:3:3
              |
            3 |   lock(m);
              |   ^^^^
              |
              = help: a lock is a variable: `atomic_begin; assume(!m); m := 1; atomic_end;`

            error: there is no `acquire` in Boolean programs
             --> test.bp:4:3
              |
            4 |   acquire m;
              |   ^^^^^^^
              |
              = help: a lock is a variable: `atomic_begin; assume(!m); m := 1; atomic_end;`

            error: there is no `break` in Boolean programs
             --> test.bp:5:14
              |
            5 |   while a do break; od;
              |              ^^^^^
              |
              = help: jump with `goto` to a label after or before the loop

            error: there is no `cas` in Boolean programs
             --> test.bp:6:8
              |
            6 |   b := cas(x, 0, 1);
              |        ^^^
              |
              = help: write out what it does between `atomic_begin;` and `atomic_end;`

            error: there is no `havoc` in Boolean programs
             --> test.bp:7:3
              |
            7 |   havoc x;
              |   ^^^^^
              |
              = help: write `dead x;` or `x := *;`

            error: a variable is declared with `decl`
             --> test.bp:8:3
              |
            8 |   bool y;
              |   ^^^^
              |
              = help: write `decl` in the place of `bool`: all variables are Boolean

            error: there is no `join` in Boolean programs
             --> test.bp:9:3
              |
            9 |   join t;
              |   ^^^^
              |
              = help: no thread can wait for another; let it wait for a variable

            test.bp: 8 errors
        "#]],
    );
}

#[test]
fn keyword_as_a_name() {
    check_mistakes(
        "decl end, x;
void begin(if) begin
  while := 1;
  goto fi;
  T: skip;
  x := od;
  dead call;
end
",
        expect![[r#"
            error: `end` is a keyword, not the name of a variable
             --> test.bp:1:6
              |
            1 | decl end, x;
              |      ^^^
              |
              = help: choose another name

            error: `begin` is a keyword, not the name of a procedure
             --> test.bp:2:6
              |
            2 | void begin(if) begin
              |      ^^^^^
              |
              = help: choose another name

            error: `if` is a keyword, not the name of a variable
             --> test.bp:2:12
              |
            2 | void begin(if) begin
              |            ^^
              |
              = help: choose another name

            error: `while` is a keyword, not the name of a variable
             --> test.bp:3:3
              |
            3 |   while := 1;
              |   ^^^^^
              |
              = help: choose another name

            error: `fi` is a keyword, not a label
             --> test.bp:4:8
              |
            4 |   goto fi;
              |        ^^
              |
              = help: choose another name

            error: `T` is a keyword, not a label
             --> test.bp:5:3
              |
            5 |   T: skip;
              |   ^
              |
              = help: choose another name

            error: write an expression here, not `od`
             --> test.bp:6:8
              |
            6 |   x := od;
              |        ^^

            error: `call` is a keyword, not the name of a variable
             --> test.bp:7:8
              |
            7 |   dead call;
              |        ^^^^
              |
              = help: choose another name

            test.bp: 8 errors
        "#]],
    );
}
