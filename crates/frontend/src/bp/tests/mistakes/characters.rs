//! Mistakes in characters and comments.

use expect_test::expect;

use crate::bp::tests::check_mistakes;

#[test]
fn unknown_characters() {
    check_mistakes(
        r#"void main() begin
  x := a # b;
  x := a + 1;
  x := größe;
  "text"
  skip;
end
"#,
        expect![[r#"
            error: unknown character `#`
             --> test.bp:2:10
              |
            2 |   x := a # b;
              |          ^
              |
              = help: a comment starts with `//`

            error: unknown character `+`
             --> test.bp:3:10
              |
            3 |   x := a + 1;
              |          ^
              |
              = help: there is no arithmetic: all values are 0 or 1

            error: unknown character `ö`
             --> test.bp:4:10
              |
            4 |   x := größe;
              |          ^^
              |
              = help: names are made of the letters a to z, digits, `_` and `$`

            error: unknown character `"`
             --> test.bp:5:3
              |
            5 |   "text"
              |   ^
              |
              = help: there are no texts in Boolean programs

            error: unknown character `"`
             --> test.bp:5:8
              |
            5 |   "text"
              |        ^
              |
              = help: there are no texts in Boolean programs

            test.bp: 5 errors
        "#]],
    );
}

#[test]
fn control_character() {
    check_mistakes(
        "decl x\u{1};\n",
        expect![[r#"
        error: unknown character U+0001
         --> test.bp:1:7
          |
        1 | decl x␁;
          |       ^

        test.bp: 1 error
    "#]],
    );
}

#[test]
fn comment_without_end() {
    check_mistakes(
        "void main() begin
  skip;
  /* oh
end
",
        expect![[r#"
            error: this comment has no end
             --> test.bp:3:3
              |
            3 |   /* oh
              |   ^^
              |
              = help: write `*/` where it ends

            test.bp: 1 error
        "#]],
    );
}
