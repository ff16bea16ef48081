//! Mistakes in declarations and at the top of a file.

use expect_test::expect;

use super::check_texts;

#[test]
fn a_semicolon_is_missing() {
    check_texts(
        &[
            "int x\nint y;",
            "struct s { int a; }\nint x;",
            "int f(void)\nint g(void);",
            "struct s { int a\n int b; };",
            "typedef int T\nT x;",
        ],
        &expect![[r#"
            int x
            int y;
                int x«»: missing `;`; a declaration ends with `;`
            struct s { int a; }
            int x;
                t a; }«»: missing `;`; a declaration ends with `;`
            int f(void)
            int g(void);
                (void)«»: missing `;`; a declaration ends with `;`
            struct s { int a
             int b; };
                 int a«»: missing `;`; a member ends with `;`
            typedef int T
            T x;
                 int T«»: missing `;`; a declaration ends with `;`
        "#]],
    );
}

#[test]
fn a_type_is_not_known() {
    check_texts(
        &[
            "uint32_t x; uint32_t y;",
            "foo x; foo *y; void f(foo z, bar);",
            "void f(foo *x) { }",
            "int f(foo);",
            "struct s { foo x; };",
            "static foo *p;",
            "typedef foo bar; bar x;",
            "int x; x y;",
            "pthread_t t; size_t n; bool b;",
        ],
        &expect![[r#"
            uint32_t x; uint32_t y;
                «uint32_t»: `uint32_t` is not a type here; include `<stdint.h>`
            foo x; foo *y; void f(foo z, bar);
                «foo»: `foo` is not a type here; is a header missing, or a `typedef`?
                oo z, «bar»: `bar` is not a type here; is a header missing, or a `typedef`?
            void f(foo *x) { }
                oid f(«foo»: `foo` is not a type here; is a header missing, or a `typedef`?
            int f(foo);
                int f(«foo»: `foo` is not a type here; is a header missing, or a `typedef`?
            struct s { foo x; };
                t s { «foo»: `foo` is not a type here; is a header missing, or a `typedef`?
            static foo *p;
                tatic «foo»: `foo` is not a type here; is a header missing, or a `typedef`?
            typedef foo bar; bar x;
                pedef «foo»: `foo` is not a type here; is a header missing, or a `typedef`?
            int x; x y;
                nt x; «x»: `x` is not a type here; a variable or a function `x` was declared
            pthread_t t; size_t n; bool b;
                «pthread_t»: `pthread_t` is not a type here; include `<pthread.h>`
                _t t; «size_t»: `size_t` is not a type here; include `<stddef.h>`
                _t n; «bool»: `bool` is not a type here; include `<stdbool.h>`; C itself has `_Bool`, 1 and 0
        "#]],
    );
}

#[test]
fn words_that_do_not_fit_together() {
    check_texts(
        &[
            "unsigned float x;",
            "long long long x;",
            "int char x;",
            "static extern int x;",
            "void int x;",
            "struct s int x;",
        ],
        &expect![[r#"
            unsigned float x;
                «unsigned float»: these words are no type together; a declaration has one type; is a `;` or a name missing?
            long long long x;
                «long long long»: these words are no type together; a declaration has one type; is a `;` or a name missing?
            int char x;
                «int char»: these words are no type together; a declaration has one type; is a `;` or a name missing?
            static extern int x;
                tatic «extern»: `extern` does not go together with what stands before it; leave one of them out
            void int x;
                «void int»: these words are no type together; a declaration has one type; is a `;` or a name missing?
            struct s int x;
                «struct s int»: these words are no type together; a declaration has one type; is a `;` or a name missing?
        "#]],
    );
}

#[test]
fn names_are_missing() {
    check_texts(
        &[
            "int;x;",
            "int = 1;",
            "int 3x;",
            "int L\"s\";",
            "int *;",
            "int while;",
            "int x, ;",
            "void f(int, );",
        ],
        &expect![[r#"
            int;x;
            int = 1;
                int «=»: write a name here, not `=`
            int 3x;
                int «3x»: write a name here, not `3x`
            int L"s";
                int «L"s"»: write a name here, not `L"s"`
            int *;
                int *«;»: write a name here, not `;`
            int while;
                int «while»: write a name here, not `while`; `while` is a keyword: choose another name
            int x, ;
                nt x, «;»: write a name here, not `;`
            void f(int, );
                (int, «)»: write a type here, not `)`
        "#]],
    );
}

#[test]
fn other_languages() {
    check_texts(
        &[
            "class A { };",
            "template <int> x;",
            "using namespace std;",
            "void f(void) { int *p = nullptr; p = new int; }",
            "void f(int &x) { }",
            "void f(void) { try { } }",
            "auto f() -> int { }",
            "extern \"C\" { int f(void); }",
            "int f(void) { return true && x; }",
            "bool f(void); enum { false, true }; int x = true;",
        ],
        &expect![[r#"
            class A { };
                «class»: write a declaration here, not `class`; this is a word of C++; only C is read
            template <int> x;
                «template»: write a declaration here, not `template`; this is a word of C++; only C is read
            using namespace std;
                «using»: write a declaration here, not `using`; this is a word of C++; only C is read
            void f(void) { int *p = nullptr; p = new int; }
                 *p = «nullptr»: `nullptr` is not declared; write `NULL`, or `(void *) 0`
                = new «int»: write `;` before `int`; this is a word of C++; C has `malloc` and `free`
            void f(int &x) { }
                f(int «&»: C has no references; write a pointer: `*` in the place of `&`
            void f(void) { try { } }
                { try «{»: write `;` before `{`; this is a word of C++; C has no exceptions
            auto f() -> int { }
                o f() «->»: write `;` before `->`
            extern "C" { int f(void); }
                xtern «"C"»: write a name here, not `"C"`; `extern "C"` is C++; leave it out
            int f(void) { return true && x; }
                eturn «true»: `true` is not declared; include `<stdbool.h>`; C itself has `_Bool`, 1 and 0
            bool f(void); enum { false, true }; int x = true;
                «bool»: `bool` is not a type here; include `<stdbool.h>`; C itself has `_Bool`, 1 and 0
        "#]],
    );
}

#[test]
fn records() {
    check_texts(
        &[
            "struct { int x = 1; };",
            "struct;",
            "enum { A, 1 };",
            "enum e { };",
            "struct s { int a; int b;",
            "struct s { int a b; int c; };",
            "struct s { static int a; }; int x = sizeof(typedef int);",
        ],
        &expect![[r#"
            struct { int x = 1; };
                int x «=»: write `;` before `=`; a member has no value of its own: initialise the variables of this type
            struct;
                struct«;»: write a tag or `{` here, not `;`
            enum { A, 1 };
                 { A, «1»: write `}` here, not `1` (enum «{»: this is not closed)
            enum e { };
                m e { «}»: write the name of an enumerator here, not `}`
            struct s { int a; int b;
                int b;«»: write `}` before the end of the file (uct s «{»: this is not closed)
            struct s { int a b; int c; };
                int a «b»: write `;` before `b`
            struct s { static int a; }; int x = sizeof(typedef int);
                t s { «static int»: a member cannot be `static`, `extern`, `typedef` or the like; leave that word out: only variables and functions have it
                izeof(«typedef int»: a type in an expression cannot be `static`, `extern`, `typedef` or the like; leave that word out: only variables and functions have it
        "#]],
    );
}

#[test]
fn braces() {
    check_texts(
        &[
            "int f(void) { if (x) { a; }\nint g(void) { }\n",
            "int f(void) { } }\nint x;",
            "x = 1;\nif (a) { }\nint y;",
            "int main { return 0; }",
            "int a[3 = { 1 };",
            "int f(int a { return a; }",
        ],
        &expect![[r#"
            int f(void) { if (x) { a; }
            int g(void) { }

                d) { }«»: write `}` before the end of the file (void) «{»: this block is not closed) (}⏎int «g(void)»: is the `}` missing before this function?); add the missing `}`
            int f(void) { } }
            int x;
                ) { } «}»: this `}` closes nothing; is there one `}` too many before it?
            x = 1;
            if (a) { }
            int y;
                 = 1;⏎«if»: write a declaration here, not `if`; statements stand inside of a function; is there one `}` too many before it?
            int main { return 0; }
                 main «{»: write `;` before `{`; a function has its parameters in parentheses before its body: `f(void)`
            int a[3 = { 1 };
                a[3 = «{»: write an expression here, not `{`; a list in braces needs a type before it: `(type) { … }`
            int f(int a { return a; }
                (int a«»: missing `)` (int f«(»: this is not closed); add the `)`
        "#]],
    );
}

#[test]
fn not_preprocessed() {
    check_texts(
        &["#include <stdio.h>\n#define N 3\nint x;", "##pragma x", "int x # y;\nint z;"],
        &expect![[r#"
            #include <stdio.h>
            #define N 3
            int x;
                «#include <stdio.h>»: `#include` is for the preprocessor, and this text was not preprocessed; give a file that ends in `.c`, or what `gcc -E` makes of it
            ##pragma x
                «##pragma x»: `#` is for the preprocessor, and this text was not preprocessed; give a file that ends in `.c`, or what `gcc -E` makes of it
            int x # y;
            int z;
                int x «#»: a `#` has no meaning here; a directive stands on a line of its own
        "#]],
    );
}

#[test]
fn characters() {
    check_texts(
        &[
            "int x = 'a;\nint y;",
            "char *s = \"abc;\nint y;",
            "/* open",
            "int x = 1 @ 2; int y = “a”;",
        ],
        &expect![[r#"
            int x = 'a;
            int y;
                t x = «'»: this character has no end; write `'` where it ends, on the same line
            char *s = "abc;
            int y;
                 *s = «"»: this string has no end; write `"` where it ends, on the same line
            /* open
                «/*»: this comment has no end; write `*/` where it ends
            int x = 1 @ 2; int y = “a”;
                x = 1 «@»: unknown character `@`; C has no such sign
                t y = «“»: unknown character `“`; quotes in C are `"` and `'`
        "#]],
    );
}
