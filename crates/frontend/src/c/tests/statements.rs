//! Statements.

use super::outline;
use super::read;

fn check_bodies(pairs: &[(&str, &str)]) {
    for (text, expected) in pairs {
        let unit = read(&format!("typedef int T; void f(void) {{ {text} }}"));
        let shown = outline::unit(&unit);
        let body =
            shown.split_once("f: fn() void { ").and_then(|(_, body)| body.strip_suffix(" }"));
        assert_eq!(body, Some(*expected), "for {text}");
    }
}

#[test]
fn control_flow() {
    check_bodies(&[
        ("if (a) b; else if (c) d; else e;", "if (a) b; else if (c) d; else e;"),
        ("if (a) if (b) c; else d;", "if (a) if (b) c; else d;"),
        ("if (a) { if (b) c; } else d;", "if (a) { if (b) c; } else d;"),
        ("while (a) { break; continue; }", "while (a) { break; continue; }"),
        ("do a; while (b);", "do a; while (b);"),
        ("for (;;) ;", "for (; ; ) ;"),
        ("for (i = 0; i < 3; i++) a;", "for ((i = 0); (i < 3); (i++)) a;"),
        ("for (int i = 0, *p; ; ) a;", "for (i: int = 0; p: *int; ; ) a;"),
        ("for (T i = 0; ; ) a;", "for (i: 'T = 0; ; ) a;"),
        ("return; return 1, 2;", "return; return (1 , 2);"),
        ("goto a; a: b: ; goto *p;", "goto a; a: b: ; goto *p;"),
        (
            "switch (a) { case 1: case 2: b; case 3 ... 5: break; default: ; }",
            "switch (a) { case 1: case 2: b; case 3 ... 5: break; default: ; }",
        ),
        ("{ } ;", "{  } ;"),
    ]);
}

#[test]
fn labels() {
    check_bodies(&[
        ("end: }  void g(void) {", "end: ; }\ng: fn() void { "),
        ("switch (a) { case 1: }", "switch (a) { case 1: ; }"),
        ("a: int x = 1; x;", "a: ; x: int = 1; x;"),
        ("a: T x; T: x;", "a: ; x: 'T; T: x;"),
        ("a: __attribute__((unused)) b;", "a: b;"),
        ("a: __attribute__((unused)) int x;", "a: ; x: int @unused;"),
        (
            "switch (a) { case 1: b; __attribute__((fallthrough)); case 2: ; [[fallthrough]]; default: ; }",
            "switch (a) { case 1: b; ; case 2: ; ; default: ; }",
        ),
        ("{ __label__ a; goto a; a: ; } a: goto a;", "{ goto a@42; a@42: ; } a: goto a;"),
    ]);
}

#[test]
fn declarations_among_statements() {
    check_bodies(&[
        ("a; int x; b; T y; struct s { int m; } z;", "a; x: int; b; y: 'T; z: struct s {m: int;};"),
        ("__extension__ int x; __extension__ x;", "x: int; x;"),
        ("_Static_assert(1, \"\"); static int x;", "static x: int;"),
        ("extern int g(void), h;", "extern g: fn() int; extern h: int;"),
        ("int a[n], (*p)(void);", "a: [n]int; p: *fn() int;"),
    ]);
}

#[test]
fn instructions() {
    check_bodies(&[
        ("asm(\"nop\");", "asm(\"nop\" :  :  : );"),
        ("__asm__ volatile (\"\" ::: \"memory\");", "asm(\"\" :  :  : memory);"),
        (
            "asm volatile(\"a\" \"b\" : [x] \"=r\" (a), \"+m\" (*p) : \"r\" (b + 1) : \"cc\", \"memory\");",
            "asm(\"ab\" : a, (*p) : (b + 1) : cc, memory);",
        ),
        ("asm goto (\"\" : : : : out, in); out: in: ;", "asm(\"\" :  :  : ); out: in: ;"),
    ]);
}
