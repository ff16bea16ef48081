//! Mistakes in statements, expressions and literals.

use expect_test::expect;

use super::check_bodies;

#[test]
fn semicolons() {
    check_bodies(
        &[
            "a = 1\nb = 2;",
            "return 1 }",
            "break\n",
            "do a; while (b)\nc;",
            "a b;",
            "int x = 1 y = 2; z;",
        ],
        &expect![[r#"
            a = 1
            b = 2;
                 a = 1«»: missing `;`; a statement ends with `;`
            return 1 }
                turn 1«»: missing `;`; a statement ends with `;`
                n 1 } «}»: this `}` closes nothing; is there one `}` too many before it?
            break

                 break«»: missing `;`; a statement ends with `;`
            do a; while (b)
            c;
                le (b)«»: missing `;`; `do … while (…)` ends with `;`
            a b;
                 a) { «a»: `a` is not a type here; a variable or a function `a` was declared
            int x = 1 y = 2; z;
                x = 1 «y»: write `;` before `y`
        "#]],
    );
}

#[test]
fn conditions() {
    check_bodies(
        &[
            "if a { b; }",
            "if (a { b; } c;",
            "while (a b) { c d; }",
            "for (a; b) c;",
            "for (a, b, c) d;",
            "if (a) b; c; else d;",
            "switch a { }",
        ],
        &expect![[r#"
            if a { b; }
                 { if «a»: write `(` after `if` here, not `a`; write `if (…)`
            if (a { b; } c;
                 if (a«»: missing `)` ( { if «(»: this is not closed); add the `)`
            while (a b) { c d; }
                le (a «b»: write `)` here, not `b` (while «(»: this is not closed)
                 b) { «c»: `c` is not a type here; is a header missing, or a `typedef`?
            for (a; b) c;
                 (a; b«)»: write `;` before `)`; a loop is written `for (start; condition; step)`
            for (a, b, c) d;
                , b, c«)»: write `;` before `)`; a loop is written `for (start; condition; step)`
            if (a) b; c; else d;
                b; c; «else»: this `else` belongs to no `if`; before `else` stands one statement, or one block in braces
            switch a { }
                witch «a»: write `(` after `switch` here, not `a`; write `switch (…)`
        "#]],
    );
}

#[test]
fn labels() {
    check_bodies(
        &["case 1 a;", "goto 1;", "goto;", "case: a;"],
        &expect![[r#"
        case 1 a;
            ase 1 «a»: write `:` after the case here, not `a`
        goto 1;
             goto «1»: write the name of a label here, not `1`
        goto;
            { goto«;»: write the name of a label here, not `;`
        case: a;
            { case«:»: write an expression here, not `:`
    "#]],
    );
}

#[test]
fn expressions() {
    check_bodies(
        &[
            "a + ;",
            "a = (1 + 2;",
            "f(a, );",
            "f(a b);",
            "a[1;",
            "a..b;",
            "a->1;",
            "x = { 1 };",
            "int;",
            "a ? b;",
            "sizeof;",
            "x = int;",
            "(foo *) p; (bar) p;",
            "1 = ;",
        ],
        &expect![[r#"
            a + ;
                { a + «;»: write an expression here, not `;`
            a = (1 + 2;
                (1 + 2«»: missing `)` ({ a = «(»: this is not closed); add the `)`
            f(a, );
                 f(a, «)»: write an expression here, not `)`
            f(a b);
                { f(a «b»: write `)` here, not `b` (a) { f«(»: this is not closed)
            a[1;
                 { a[1«»: missing `]` (a) { a«[»: this is not closed); add the `]`
            a..b;
                ) { a.«.»: write the name of a member here, not `.`
            a->1;
                 { a->«1»: write the name of a member here, not `1`
            x = { 1 };
                { x = «{»: write an expression here, not `{`; a list in braces needs a type before it: `(type) { … }`
            int;
            a ? b;
                 a ? b«;»: write `:` of the `?` before here, not `;`
            sizeof;
                sizeof«;»: write an expression here, not `;`
            x = int;
                { x = «int»: write an expression here, not `int`; a type stands here in a declaration, a cast or `sizeof`
            (foo *) p; (bar) p;
                a) { («foo»: `foo` is not a type here; is a header missing, or a `typedef`?
                ) p; («bar»: `bar` is not a type here; is a header missing, or a `typedef`?
            1 = ;
                { 1 = «;»: write an expression here, not `;`
        "#]],
    );
}

#[test]
fn literals() {
    check_bodies(
        &[
            "x = 09;",
            "x = 0x;",
            "x = 12abc;",
            "x = 1e;",
            "x = 0x1.8;",
            "x = 99999999999999999999;",
            "x = '';",
            "x = 'abcde';",
            r#"s = "\x";"#,
            r#"s = "\x100";"#,
            r#"s = "\u12";"#,
            "x = 0b12;",
            "x = 1.2.3;",
            r#"s = L"\400" "\xfffffffff";"#,
        ],
        &expect![[r#"
            x = 09;
                { x = «09»: `9` is no digit of an octal number, which begins with 0
            x = 0x;
                { x = «0x»: this number has no digits
            x = 12abc;
                { x = «12abc»: `abc` cannot follow a number
            x = 1e;
                { x = «1e»: this exponent has no digits
            x = 0x1.8;
                { x = «0x1.8»: a number with a point in hexadecimal needs an exponent, as in `0x1.8p3`
            x = 99999999999999999999;
                { x = «99999999999999999999»: this number does not fit into 64 bits
            x = '';
                { x = «''»: there is no character between the quotes
            x = 'abcde';
                { x = «'abcde'»: there are too many characters between the quotes
            s = "\x";
                { s = «"\x"»: `\x` needs hexadecimal digits after it
            s = "\x100";
                { s = «"\x100"»: this escape does not fit into a character of 8 bits
            s = "\u12";
                { s = «"\u12"»: `\u` needs the 4 hexadecimal digits of a character after it
            x = 0b12;
                { x = «0b12»: `2` is no digit of a binary number
            x = 1.2.3;
                { x = «1.2.3»: this is not a number
            s = L"\400" "\xfffffffff";
                \400" «"\xfffffffff"»: this escape does not fit into a character of 32 bits
        "#]],
    );
}

#[test]
fn all_at_once() {
    check_bodies(
        &["int x = ;\n    y = 2 +;\n    if (a b) { c d; }\n    z = 3;\n    return foo bar;"],
        &expect![[r#"
            int x = ;
                y = 2 +;
                if (a b) { c d; }
                z = 3;
                return foo bar;
                t x = «;»: write an expression here, not `;`
                 = 2 +«;»: write an expression here, not `;`
                if (a «b»: write `)` here, not `b` (   if «(»: this is not closed)
                 b) { «c»: `c` is not a type here; is a header missing, or a `typedef`?
                n foo «bar»: write `;` before `bar`
        "#]],
    );
}
