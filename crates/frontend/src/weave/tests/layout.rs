//! Texts that are laid out.

use expect_test::{Expect, expect};

use crate::weave::layout;

fn check(text: &str, expected: Expect) {
    let laid_out = layout(text).expect("a text of tokens");
    expected.assert_eq(&laid_out);
    assert_eq!(layout(&laid_out).as_deref(), Some(&*laid_out), "not the same again");
}

#[test]
fn blanks_follow_from_the_tokens() {
    check(
        "int[0..3]x:=1+2 * -y;bool b:=!a&&(c||d)?x==1:*;\nvoid f(int a,bool c){if(a>0)call g( a,c );x ++;}",
        expect![[r#"
            int[0..3] x := 1 + 2 * -y; bool b := !a && (c || d) ? x == 1 : *;
            void f(int a, bool c) {if (a > 0) call g(a, c); x++;}
        "#]],
    );
    check(
        "x := - -y; z := a - -1; L :goto L;",
        expect![[r#"
        x := - -y; z := a - -1; L: goto L;
    "#]],
    );
}

#[test]
fn lines_are_indented_by_what_is_open() {
    check(
        "thread t * 2 {\nif (a)\nb := c +\nd;\nelse {\n      while (x)\n{\nskip;\n}\n}\nf(a,\nb);\n}\n\n\n\nint a[2] := {\n0,\n1\n};",
        expect![[r#"
            thread t * 2 {
              if (a)
                b := c +
                    d;
              else {
                while (x)
                {
                  skip;
                }
              }
              f(a,
                  b);
            }

            int a[2] := {
              0,
              1
            };
        "#]],
    );
}

#[test]
fn comments_stay_where_they_belong() {
    check(
        "// first\n\n\n      // second\nvoid main() {\n      x := 1;   // a column\n      yy := 2;  // of comments\n                // that goes on\n  z := 3; // near\n  /* several\n     lines */ skip;\n// inside\n}\n// last",
        expect![[r#"
            // first

            // second
            void main() {
              x := 1;       // a column
              yy := 2;      // of comments
                            // that goes on
              z := 3; // near
              /* several
                 lines */ skip;
              // inside
            }
            // last
        "#]],
    );
}

#[test]
fn what_is_no_token_is_left_alone() {
    assert_eq!(layout("x := §;"), None);
    assert_eq!(layout("skip; /* without an end"), None);
    assert_eq!(layout(""), Some(String::new()));
    assert_eq!(layout("x:=1;\r\n"), Some("x := 1;\r\n".to_owned()), "lines end as they did");
}

#[test]
fn comments_begin_and_end_where_the_lexer_says() {
    check(
        "x/*/ a */:=/**/1;",
        expect![[r#"
            x/*/ a */:=/**/1;
        "#]],
    );
}
