//! Mistakes in simple statements.

use expect_test::expect;

use crate::bp::tests::check_mistakes;

#[test]
fn missing_semicolon() {
    check_mistakes(
        "void main() begin
  skip
  x := a & b
  l: goto l
end
",
        expect![[r#"
            error: missing `;`
             --> test.bp:2:7
              |
            2 |   skip
              |       ^ expected here
              |
              = help: a statement ends with `;`

            error: missing `;`
             --> test.bp:3:13
              |
            3 |   x := a & b
              |             ^ expected here
              |
              = help: a statement ends with `;`

            error: missing `;`
             --> test.bp:4:12
              |
            4 |   l: goto l
              |            ^ expected here
              |
              = help: a statement ends with `;`

            test.bp: 3 errors
        "#]],
    );
}

#[test]
fn missing_semicolon_on_one_line() {
    check_mistakes(
        "void main() begin skip x := 1; y z := 0; end\n",
        expect![[r#"
            error: missing `;`
             --> test.bp:1:23
              |
            1 | void main() begin skip x := 1; y z := 0; end
              |                       ^ expected here
              |
              = help: a statement ends with `;`

            error: write `:=`, `(` or `:` here, not `z`
             --> test.bp:1:34
              |
            1 | void main() begin skip x := 1; y z := 0; end
              |                                  ^

            test.bp: 2 errors
        "#]],
    );
}

#[test]
fn equals_for_assignment() {
    check_mistakes(
        "decl x = 1;
void main() begin x = 0; x, y == 1, 0; end
",
        expect![[r#"
            error: `=` compares; it does not assign
             --> test.bp:1:8
              |
            1 | decl x = 1;
              |        ^
              |
              = help: write `:=`

            error: `=` compares; it does not assign
             --> test.bp:2:21
              |
            2 | void main() begin x = 0; x, y == 1, 0; end
              |                     ^
              |
              = help: write `:=`

            error: `==` compares; it does not assign
             --> test.bp:2:31
              |
            2 | void main() begin x = 0; x, y == 1, 0; end
              |                               ^^
              |
              = help: write `:=`

            test.bp: 3 errors
        "#]],
    );
}

#[test]
fn calls_and_threads() {
    check_mistakes(
        "void main() begin
  x := call f(a);
  t := thread_create(f);
  thread_create(f(a));
  start_thread l;
  call x y;
  goto;
  goto l m;
  x;
  x, y;
  x' := 1;
end
",
        expect![[r#"
            error: `call` stands before the variables
             --> test.bp:2:8
              |
            2 |   x := call f(a);
              |        ^^^^
              |
              = help: write `call x := f(e);`, or leave `call` out

            error: `thread_create` has no result
             --> test.bp:3:8
              |
            3 |   t := thread_create(f);
              |        ^^^^^^^^^^^^^
              |
              = help: write it as a statement of its own

            error: write `,` or `)` here, not `(`
             --> test.bp:4:18
              |
            4 |   thread_create(f(a));
              |                  ^
              |
              = help: arguments come after the name: `thread_create(f, …)`

            error: write `goto` here, not `l`
             --> test.bp:5:16
              |
            5 |   start_thread l;
              |                ^
              |
              = help: write `start_thread goto l;`

            error: write `(` here, not `y`
             --> test.bp:6:10
              |
            6 |   call x y;
              |          ^

            error: write a label here, not `;`
             --> test.bp:7:7
              |
            7 |   goto;
              |       ^

            error: write `;` before `m`
             --> test.bp:8:10
              |
            8 |   goto l m;
              |          ^

            error: write `:=`, `(` or `:` here, not `;`
             --> test.bp:9:4
              |
            9 |   x;
              |    ^

            error: write `:=` here, not `;`
              --> test.bp:10:7
               |
            10 |   x, y;
               |       ^

            error: write `:=`, `(` or `:` here, not `'`
              --> test.bp:11:4
               |
            11 |   x' := 1;
               |    ^

            test.bp: 10 errors
        "#]],
    );
}

#[test]
fn constrain() {
    check_mistakes(
        "void main() begin
  x := *; constrain 'x;
  x := * constrain;
  x := * constrain 'x '1;
end
",
        expect![[r#"
            error: write a statement here, not `constrain`
             --> test.bp:2:11
              |
            2 |   x := *; constrain 'x;
              |           ^^^^^^^^^
              |
              = help: `constrain` belongs to the assignment: no `;` before it

            error: write an expression here, not `;`
             --> test.bp:3:19
              |
            3 |   x := * constrain;
              |                   ^

            error: write `;` before `'`
             --> test.bp:4:23
              |
            4 |   x := * constrain 'x '1;
              |                       ^

            test.bp: 3 errors
        "#]],
    );
}

#[test]
fn each_mistake_once() {
    check_mistakes(
        "decl x y;
void main() begin
  x := (1;
  if x then
    y := & x;
    goto ;
  elsif then
    skip
  fi;
  while x do z = ; od;
end
",
        expect![[r#"
            error: write `;` before `y`
             --> test.bp:1:8
              |
            1 | decl x y;
              |        ^

            error: write `)` here, not `;`
             --> test.bp:3:10
              |
            3 |   x := (1;
              |        - ^
              |        |
              |        this `(` is not closed

            error: write an expression here, not `&`
             --> test.bp:5:10
              |
            5 |     y := & x;
              |          ^

            error: write a label here, not `;`
             --> test.bp:6:10
              |
            6 |     goto ;
              |          ^

            error: write an expression here, not `then`
             --> test.bp:7:9
              |
            7 |   elsif then
              |         ^^^^

            error: missing `;`
             --> test.bp:8:9
              |
            8 |     skip
              |         ^ expected here
              |
              = help: a statement ends with `;`

            error: `=` compares; it does not assign
              --> test.bp:10:16
               |
            10 |   while x do z = ; od;
               |                ^
               |
               = help: write `:=`

            error: write an expression here, not `;`
              --> test.bp:10:18
               |
            10 |   while x do z = ; od;
               |                  ^

            test.bp: 8 errors
        "#]],
    );
}
