//! Types of expressions, and the conversions between them.

use expect_test::{Expect, expect};

use super::{main_of, right};
use crate::c::types::DataModel;

fn check(declarations: &str, statement: &str, expect: Expect) {
    expect.assert_eq(&main_of(&format!("{declarations} int main(void) {{ {statement} }}")));
}

#[test]
fn arithmetic_meets_in_a_common_type() {
    let all = "char c; unsigned char uc; short s; int i; unsigned u; long l; unsigned long ul; long long ll; float f; double d; _Bool b;";
    let cases = "c + uc; i + u; u + l; l + ul; ll + u; ul + ll; f + i; f + d; s << ll; b + b; -c; ~uc; !d; i < u; i % c; d * l;";
    check(
        all,
        cases,
        expect![[r#"
        (<int>c + <int>uc)
        (<uint>i + u)
        (<ulong>u + <ulong>l)
        (<ulong>l + ul)
        (ll + <llong>u)
        (<llong>ul + ll)
        (f + <float4>i)
        (<float8>f + d)
        (<int>s << ll)
        (<int>b + <int>b)
        -<int>c
        ~<int>uc
        !d
        (<uint>i < u)
        (i % <int>c)
        (d * <float8>l)
    "#]],
    );
}

#[test]
fn constants_have_the_first_type_that_fits() {
    check(
        "",
        "2147483647; 2147483648; 0x7fffffff; 0x80000000; 4294967295; 0xffffffffffffffff; 1u; 1l; 1ull; 'a'; '\\xff'; 1.5f; 2.5; 1.0L; 9223372036854775808;",
        expect![[r#"
            2147483647
            2147483648:llong
            2147483647
            2147483648:uint
            4294967295:llong
            18446744073709551615:ullong
            1:uint
            1:long
            1:ullong
            97
            -1
            1.5:float4
            2.5:float8
            1.0:float12
            9223372036854775808:ullong
        "#]],
    );
}

#[test]
fn pointers_move_by_bytes() {
    let all = "int *p, *q; char *c; struct s { int a, b, c; } *r; int i; unsigned u; char h;";
    check(
        all,
        "p + i; i + p; p - i; p + 3; c + i; r + h; r - u; p - q; r++; p += i; --c; p[i]; i[p]; p[2]; *p; &*p; &p[i]; r->b; (*r).c; &r->c;",
        expect![[r#"
            (p +bytes (i * 4))
            (p +bytes (i * 4))
            (p +bytes (i * -4))
            (p +bytes 12)
            (c +bytes i)
            (r +bytes (<int>h * 12))
            (r +bytes (<int>u * -12))
            (p -by4 q)
            old r +=s* 12
            p +=int* (i * 4)
            c +=char* -1
            *(p +bytes (i * 4))
            *(p +bytes (i * 4))
            *(p +bytes 8)
            *p
            p
            (p +bytes (i * 4))
            *r.b
            *r.c
            &*r.c
        "#]],
    );
}

#[test]
fn arrays_are_indexed_in_place() {
    let all = "int a[10], m[3][4]; struct s { int x; int a[5]; } s, t[2]; int i; int *p;";
    check(
        all,
        "a[i]; i[a]; m[1][i]; *a; *(a + i); a + 1; p = a; &a; &a[2]; s.a[i]; t[i].a[2]; *m[1]; **m; sizeof a; sizeof a / sizeof a[0]; sizeof m[0]; (&a)[1];",
        expect![[r#"
            a[i]
            a[i]
            m[1][i]
            a[0]
            *(&a +bytes (i * 4))
            (&a +bytes 4)
            p = &a
            &a
            &a[2]
            s.a[i]
            t[i].a[2]
            m[1][0]
            m[0][0]
            40:uint
            (40:uint / 4:uint)
            16:uint
            &*(&a +bytes 40)
        "#]],
    );
}

#[test]
fn comparisons_of_pointers() {
    check(
        "int *p; char *c; void *v; int i; typedef unsigned long pthread_t; pthread_t t, t2;",
        "p == 0; p == (void *)0; p == v; p == c; p != i; p < p; !p; p && c; t == t2; t == 0; t != -1; t = 0; (int)t; if (t) ; t < t2;",
        expect![[r#"
            (p == 0:int*)
            (p == 0:int*)
            (<void*>p == v)
            (<void*>p == <void*>c)
            (p != <int*>i)
            (p < p)
            !p
            (p && c)
            (t == t2)
            (t == <Thread>0)
            (t != <Thread>-1)
            t = <Thread>0
            <int>t
            if <ulong>t
            else
            (<ulong>t < <ulong>t2)
        "#]],
    );
}

#[test]
fn choices_have_a_common_type() {
    check(
        "int i; char c; int *p; void *v; long l; struct s { int x; } a, b; void f(void);",
        "i ? c : l; i ? p : 0; i ? 0 : p; i ? p : v; i ? a : b; i ? f() : (void)0; c ?: l; p ?: 0; (i ? a : b).x; i, p; i ? (void *)0 : p;",
        expect![[r#"
            (i ? <long>c : l)
            (i ? p : 0:int*)
            (i ? 0:int* : p)
            (i ? <void*>p : v)
            (i ? a : b)
            (i ? f() : <void>0)
            (c ?: l)
            (p ?: 0:int*)
            temporary((i ? a : b)).x
            (i , p)
            (i ? 0:int* : p)
        "#]],
    );
}

#[test]
fn assignments_convert() {
    check(
        "char c; int i; unsigned char uc; float f; _Bool b; int *p; void *v; struct s { int x, y; } s, t; long long ll;",
        "c = i; b = i; b = p; p = v; p = 0; i = f; s = t; c += i; c += f; uc <<= ll; f++; b++; --b; p = i; i = p; i = c = ll; ll |= uc; f /= i;",
        expect![[r#"
            c = <char>i
            b = <bool>i
            b = <bool>p
            p = <int*>v
            p = 0:int*
            i = <int>f
            s = t
            c +=int i
            c +=float4 f
            uc <<=int ll
            old f +=float4 1.0:float4
            old b +=int 1
            b -=int 1
            p = <int*>i
            i = <int>p
            i = <int>c = <char>ll
            ll |=llong <llong>uc
            f /=float4 <float4>i
        "#]],
    );
}

#[test]
fn atomics_are_atomic_as_places_only() {
    check(
        "_Atomic int a; _Atomic(char) *p; int i; struct s { _Atomic long x; } s;",
        "a++; a += i; i = a; *p = i; &a; s.x -= 2; __typeof__(a) b = 1; __typeof__((void)0, a) c = 2; _Generic(a, int: 1, default: 2);",
        expect![[r#"
            old a +=int 1
            a +=int i
            i = a
            *p = <char>i
            &a
            s.x -=long 2:long
            atomic int b = {0: 1}
            int c = {0: 2}
            1
        "#]],
    );
}

#[test]
fn calls_convert_their_arguments() {
    check(
        "void f(char, long long, double, void *); int g(); int h(const char *, ...); int (*pf)(short); struct o { int (*m)(int); } o, *po; int i; float x; int *p; int k(int a[3], int b(void));",
        "f(i, i, i, p); g(1, 'a', x, p); h(\"x\", x, (char)i, 1ll); pf(i); (*pf)(i); (**pf)(i); (&g)(1); (*g)(2); o.m(1); po->m(i); k(p, g); ((int (*)(int))g)(3);",
        expect![[r#"
            f(<char>i, <llong>i, <float8>i, <void*>p)
            g(1, 97, <float8>x, p)
            h(&"x", <float8>x, <int><char>i, 1:llong)
            [pf](<short>i)
            [pf](<short>i)
            [pf](<short>i)
            g(1)
            g(2)
            [o.m](1)
            [*po.m](i)
            k(p, <int()*>g)
            [<int(int)*>g](3)
        "#]],
    );
}

#[test]
fn members_of_records_without_a_name() {
    check(
        "struct s { int a; union { int b; struct { char c; short d; }; }; } s, *p, f(void);",
        "s.b; p->d; &s.d; f().c; f().a; __builtin_offsetof(struct s, d); (int)&((struct s *)0)->d;",
        expect![[r#"
            s._.b
            *p._._.d
            &s._._.d
            temporary(f())._._.c
            temporary(f()).a
            6:uint
            <int>&*0:s*._._.d
        "#]],
    );
}

#[test]
fn compound_literals_are_variables() {
    check(
        "struct s { int a, b; } s, *p; int *q; void f(struct s);",
        "s = (struct s){1, 2}; p = &(struct s){.b = 3}; q = (int[]){1, 2}; (struct s){4}.b; f((struct s){5, 6}); (int){7}; sizeof (int[]){1, 2, 3};",
        expect![[r#"
            s = ({ s (literal) = {0: 1, 4: 2}; (literal) })
            p = ({ s (literal) = {4: 3}; &(literal) })
            q = ({ int[2] (literal) = {0: 1, 4: 2}; &(literal) })
            *({ s (literal) = {0: 4}; &(literal) }).b
            f(({ s (literal) = {0: 5, 4: 6}; (literal) }))
            ({ int (literal) = {0: 7}; (literal) })
            12:uint
        "#]],
    );
}

#[test]
fn extensions_of_gnu() {
    check(
        "int i; int *p; long l;",
        "({ int x = i; x + 1; }); ({ i = 1; if (i) ; }); __builtin_choose_expr(1, i, p); __builtin_types_compatible_p(int, long); __builtin_types_compatible_p(int *, typeof(p)); _Generic(l, int: 1, long: 2); _Generic(1.5, default: 3); typeof(p[0]) y = 1; __auto_type z = p; __builtin_expect(i, 0); __func__; __alignof__(long long); *(void *)p;",
        expect![[r#"
            ({ int x = {0: i}; (x + 1) })
            ({ i = 1; if i; else;  })
            i
            0
            UNSUPPORTED(a choice by types that may differ in `const` behind a pointer, or in the sign of `char`):int
            2
            3
            int y = {0: 1}
            int* z = {0: p}
            __builtin_expect(i, 0)
            &"main"
            8:uint
            <void><void*>p
        "#]],
    );
}

#[test]
fn functions_of_the_compiler() {
    check(
        "int i, e; char c; int *p; _Atomic int a; _Bool b; int *q;",
        "__sync_fetch_and_add(&i, 1l); __sync_bool_compare_and_swap(&c, 1, 2); __sync_val_compare_and_swap(&p, 0, q); __sync_fetch_and_add(&p, 4); __sync_synchronize(); __atomic_load_n(&a, 5); __atomic_store_n(&c, i, 5); __atomic_load(&a, &e, 5); __atomic_compare_exchange_n(&a, &e, c, 0, 5, 5); __atomic_fetch_add(&a, 1, 5); __c11_atomic_load(&a, 5); __builtin_constant_p(3); __builtin_constant_p(i); __builtin_object_size(p, 0); __builtin_unreachable();",
        expect![[r#"
            __sync_fetch_and_add(&i, 1)
            __sync_bool_compare_and_swap(&c, 1:char, 2:char)
            __sync_val_compare_and_swap(&p, 0:int*, q)
            __sync_fetch_and_add(&p, 4)
            __sync_synchronize()
            __atomic_load_n(&a, 5)
            __atomic_store_n(&c, <char>i, 5)
            __atomic_load(&a, &e, 5)
            __atomic_compare_exchange_n(&a, &e, <int>c, 0, 5, 5)
            __atomic_fetch_add(&a, 1, 5)
            __c11_atomic_load(&a, 5)
            1
            0
            4294967295:uint
            __builtin_unreachable()
        "#]],
    );
}

#[test]
fn what_is_not_supported_stays_in_its_place() {
    check(
        "struct s { int a : 3; int b; } s; typedef struct { int __lock; } pthread_mutex_t; pthread_mutex_t m; extern int unknown[]; int n;",
        "s.a; s.a = 1; s.a++; s.b; m.__lock; unknown[0]; int v[n]; sizeof(int[n]); goto *&&end; end: ;",
        expect![[r#"
            UNSUPPORTED(the bit-field `a`):int
            UNSUPPORTED(the bit-field `a`):int
            UNSUPPORTED(the bit-field `a`):int
            s.b
            *UNSUPPORTED(looking into a `pthread_mutex_t`):int*
            *UNSUPPORTED(`unknown`, whose size is not known):int[]*[0]
            uint v.length = {0: <uint>n}
            int* v = {0: <int*>__builtin_variable_array((v.length * 4:uint))}
            UNSUPPORTED(an array whose length is not constant):uint
            UNSUPPORTED(`goto` to a computed place):void
            label end
        "#]],
    );
}

#[test]
fn sizes_depend_on_the_model() {
    let text = "struct s { char c; long l; char d; void *p; long long ll; double x; } s; int main(void) { return sizeof(struct s) + sizeof s.l; }";
    for (model, size) in [(DataModel::Ilp32, 32), (DataModel::Lp64, 48)] {
        let unit = right(text, model);
        assert_eq!(unit.types.records[0].size, Some(size));
    }
}
