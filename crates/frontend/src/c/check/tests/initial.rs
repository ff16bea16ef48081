//! Initialisers.

use expect_test::{Expect, expect};

use super::{main_of, objects_of};
use crate::c::types::DataModel;

/// What objects hold at first that `main` names.
fn check(declarations: &str, names: &str, expect: Expect) {
    let text = format!("{declarations} int main(void) {{ {names}; }}");
    expect.assert_eq(&objects_of(&text, DataModel::Ilp32));
}

#[test]
fn scalars_and_addresses() {
    check(
        "int x = 3 * 4 - 1; int *p = &x; int a[4]; int *q = a + 1, *r = &a[2]; void f(void); void (*g)(void) = f; char c = 300; _Bool b = 7; void *n = 0; struct s { int i, j; } s; int *m = &s.j; unsigned long w = (unsigned long)&x; double d = 1; int z = (int)2.9; int *h = 1 ? &x : 0; const char *str = \"hi\"; void *e = (void *)-1;",
        "x, p, q, r, g, c, b, n, m, w, d, z, h, str, e",
        expect![[r#"
            int x = {0: 11}
            int* p = {0: &x}
            int* q = {0: (&a +bytes 4)}
            int* r = {0: &a[2]}
            void()* g = {0: f}
            char c = {0: 44:char}
            bool b = {0: 1:bool}
            void* n = {0: 0:void*}
            int* m = {0: &s.j}
            ulong w = {0: <ulong>&x}
            float8 d = {0: 1.0:float8}
            int z = {0: 2}
            int* h = {0: &x}
            char* str = {0: &"hi"}
            void* e = {0: <void*>4294967295:uint}
            char[3] "hi" = {0: 104:char, 1: 105:char}
            s s = {}
            int[4] a = {}
        "#]],
    );
}

#[test]
fn braces_designators_and_ranges() {
    check(
        "struct p { int x, y; }; struct t { char c; struct p p[2]; int z; }; struct t a = { 1, { { 2, 3 }, { 4, 5 } }, 6 }, b = { 1, 2, 3, 4, 5, 6 }, c = { .p[1].x = 7, 8, 9 }, d = { .z = 1, .c = 2, .p = { [0].y = 3 } }; int e[] = { [2] = 5, 6, [0] = 1 }, f[6] = { [1 ... 3] = 7, 8 }; struct p g[] = { 1, 2, 3 }; int h[2][3] = { { 1 }, 2, 3, 4 };",
        "a, b, c, d, e, f, g, h",
        expect![[r#"
            t a = {0: 1:char, 4: 2, 8: 3, 12: 4, 16: 5, 20: 6}
            t b = {0: 1:char, 4: 2, 8: 3, 12: 4, 16: 5, 20: 6}
            t c = {12: 7, 16: 8, 20: 9}
            t d = {20: 1, 0: 2:char, 8: 3}
            int[4] e = {8: 5, 12: 6, 0: 1}
            int[6] f = {4: 7, 8: 7, 12: 7, 16: 8}
            p[2] g = {0: 1, 4: 2, 8: 3}
            int[3][2] h = {0: 1, 12: 2, 16: 3, 20: 4}
        "#]],
    );
}

#[test]
fn strings_and_unions() {
    check(
        "char a[] = \"abc\", b[2] = \"abc\", c[] = { \"x\" }, d[3][4] = { \"ab\", \"c\" }; union u { char c; int i; struct { short s, t; } v; } u = { 5 }, v = { .i = 1, .v = { 2, 3 } }, w = { .v.t = 1 }; struct { union u u; int x; } y = { 1, 2 }; struct { char n[4]; int x; } z[] = { \"q\", 1, { \"r\" } }; int wide[] = { 1, 2, 1 };",
        "a, b, c, d, u, v, w, y, z, wide",
        expect![[r#"
            char[4] a = {0: 97:char, 1: 98:char, 2: 99:char}
            char[2] b = {0: 97:char, 1: 98:char}
            char[2] c = {0: 120:char}
            char[4][3] d = {0: 97:char, 1: 98:char, 4: 99:char}
            u u = {0: 5:char}
            u v = {0: 2:short, 2: 3:short}
            u w = {2: 1:short}
            {} y = {0: 1:char, 4: 2}
            {}[2] z = {0: 113:char, 4: 1, 8: 114:char}
            int[3] wide = {0: 1, 4: 2, 8: 1}
        "#]],
    );
}

#[test]
fn mutexes_keep_their_kind() {
    let text = "typedef union { struct { int a, b, c, d; } s; } pthread_mutex_t; typedef unsigned long pthread_t; typedef int pthread_once_t; struct s { int x; pthread_mutex_t m; }; pthread_mutex_t n = { { 0, 0, 0, 0, 0 } }, r = { { 0, 0, 0, 1, 0 } }, e = { { 0, 0, 0, 2 } }, u; struct s t = { 1, { { 0, 0, 0, 1 } } }; pthread_t id = 0, own = -1; pthread_once_t o = 0; int main(void) { n, r, e, u, t, id, own, o; }";
    expect![[r#"
        Mutex n = {}
        Mutex r = {0: 1}
        Mutex e = {0: 2}
        Mutex u = {}
        s t = {0: 1, 4: 1}
        Thread id = {}
        Thread own = {0: <Thread>4294967295:uint}
        Once o = {}
    "#]]
    .assert_eq(&objects_of(text, DataModel::Ilp32));
    let text = "typedef union { int i; } pthread_mutex_t; pthread_mutex_t n = { { 0, 0, 0, 1, 0 } }, r = { { 0, 0, 0, 0, 1 } }; int main(void) { n, r; }";
    expect![[r#"
        Mutex n = {}
        Mutex r = {0: 1}
    "#]]
    .assert_eq(&objects_of(text, DataModel::Lp64));
}

#[test]
fn locals_get_their_parts_in_order() {
    expect![[r#"
        int i = {0: f()}
        int[2] a = {0: i, 4: f()}
        int[3] b
        p p = {4: f(), 0: i}
        p q = {0: p}
        p r = {0: f()}
        {} t = {0: q, 8: 1}
        char[3] s = {0: 97:char, 1: 98:char}
        g = (main.k + main.v.x)
    "#]]
    .assert_eq(&main_of(
        "struct p { int x, y; }; int f(void); int main(void) { int i = f(), a[] = { i, f() }, b[3]; struct p p = { .y = f(), .x = i }, q = p, r = { f() }; struct { struct p p; int z; } t = { q, 1 }; char s[] = \"ab\"; static int k = 3; static struct p v = { 1 }; extern int g; g = k + v.x; }",
    ));
}
