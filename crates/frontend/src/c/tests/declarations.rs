//! Declarations, types and functions.

use expect_test::expect;

use super::{check, check_each};

#[test]
fn words_for_types() {
    check_each(&[
        ("int x;", "x: int;"),
        ("unsigned x;", "x: uint;"),
        ("long unsigned int long x;", "x: ullong;"),
        ("short int x;", "x: short;"),
        ("char a; signed char b; unsigned char c;", "a: char;\nb: signed char;\nc: unsigned char;"),
        ("__signed__ x; __int128 y; unsigned __int128 z;", "x: int;\ny: int128;\nz: uint128;"),
        ("_Bool x;", "x: bool;"),
        ("float a; double b; long double c;", "a: float4;\nb: float8;\nc: float12;"),
        (
            "double _Complex x; _Complex y; _Float128 _Complex z;",
            "x: float16;\ny: float16;\nz: float32;",
        ),
        (
            "__float128 a; _Float64x b; _Float32 c; _Float16 d;",
            "a: float16;\nb: float16;\nc: float4;\nd: float2;",
        ),
        ("__builtin_va_list v;", "v: va_list;"),
        ("typedef float _Float32; _Float32 x;", "typedef _Float32: float4;\nx: float4;"),
        ("const volatile int x; int const y;", "x: const volatile int;\ny: const int;"),
        ("_Atomic int x; _Atomic(int *) y;", "x: atomic int;\ny: atomic(*int);"),
        (
            "typeof(int *) x; __typeof__(x) y; __typeof(1 + x) z;",
            "x: typeof(*int);\ny: typeof(x);\nz: typeof((1 + x));",
        ),
        (
            "extern x; static y = 1; main() { }",
            "extern x: missing;\nstatic y: missing = 1;\nmain: fn?() missing {  }",
        ),
    ]);
}

#[test]
fn storage_and_what_else_stands_before_types() {
    check_each(&[
        (
            "static int x; extern int y; typedef int T;",
            "static x: int;\nextern y: int;\ntypedef T: int;",
        ),
        ("_Thread_local int x; static __thread int y;", "thread x: int;\nstatic thread y: int;"),
        ("int static x;", "static x: int;"),
        ("static __inline__ int f(void) { }", "static inline f: fn() int {  }"),
        ("_Noreturn void f(void);", "noreturn f: fn() void;"),
        ("void f(void) __attribute__((__noreturn__));", "noreturn f: fn() void @noreturn;"),
        ("[[noreturn]] void f(void);", "noreturn f: fn() void @noreturn;"),
        (
            "void f(void) __attribute__((noreturn)), g(void);",
            "f: fn() void @noreturn; g: fn() void;",
        ),
        ("_Alignas(16) int x; _Alignas(long) int y;", "x: int align 16;\ny: int align of long;"),
        ("__extension__ typedef long long T;", "typedef T: llong;"),
    ]);
}

#[test]
fn declarators() {
    check_each(&[
        (
            "int new, class; void delete(int *try);",
            "new: int; class: int;\ndelete: fn(try: *int) void;",
        ),
        ("int *a[3], (*b)[3], *(*c[2])(int);", "a: [3]*int; b: *[3]int; c: [2]*fn(_: int) *int;"),
        ("int * const * volatile p;", "p: *volatile *const int;"),
        (
            "void (*signal(int, void (*)(int)))(int);",
            "signal: fn(_: int, _: *fn(_: int) void) *fn(_: int) void;",
        ),
        ("int f(), g(void), h(int a, ...);", "f: fn?() int; g: fn() int; h: fn(a: int, ...) int;"),
        ("int a[], b[][2], c[0];", "a: []int; b: [][2]int; c: [0]int;"),
        (
            "void f(int n, int a[static n], int b[const], int c[*]);",
            "f: fn(n: int, a: [n]int, b: []int, c: []int) void;",
        ),
        ("int (x), ((y))[2];", "x: int; y: [2]int;"),
        ("char *__restrict s;", "s: *char;"),
        ("int (__attribute__((cdecl)) *f)(void);", "f: *fn() int @cdecl;"),
        (
            "typedef int T; void f(T), g(int T), h(int (T)), k(const T);",
            "typedef T: int;\nf: fn(_: 'T) void; g: fn(T: int) void; h: fn(_: fn(_: 'T) int) void; k: fn(_: const 'T) void;",
        ),
    ]);
}

#[test]
fn typedefs_are_shadowed() {
    check_each(&[
        (
            "typedef int T; void f(void) { int T; T * T; }",
            "typedef T: int;\nf: fn() void { T: int; (T * T); }",
        ),
        (
            "typedef int T; void f(int T) { T * 2; }",
            "typedef T: int;\nf: fn(T: int) void { (T * 2); }",
        ),
        (
            "typedef int T; void f(void) { { int T = 1; T * 2; } T *x; }",
            "typedef T: int;\nf: fn() void { { T: int = 1; (T * 2); } x: *'T; }",
        ),
        (
            "typedef int T; void f(void) { enum { T }; T * 2; }",
            "typedef T: int;\nf: fn() void { enum {T}; (T * 2); }",
        ),
        (
            "typedef int T; void f(void) { for (int T = 0; T;) (T)+1; (T)+1; }",
            "typedef T: int;\nf: fn() void { for (T: int = 0; T; ) (T + 1); (<'T>(+1)); }",
        ),
        (
            "typedef int T; struct T { T T; }; void f(void) { T: goto T; }",
            "typedef T: int;\nstruct T {T: 'T;};\nf: fn() void { T: goto T; }",
        ),
        ("typedef int T; T T;", "typedef T: int;\nT: 'T;"),
        ("typedef int T; unsigned T; ", "typedef T: int;\nT: uint;"),
        (
            "typedef int T; void f(void) { T T = sizeof(T), x = T * 1; }",
            "typedef T: int;\nf: fn() void { T: 'T = sizeof(T); x: 'T = (T * 1); }",
        ),
        (
            "int f(int T, int x[T]); typedef int T; T y;",
            "f: fn(T: int, x: [T]int) int;\ntypedef T: int;\ny: 'T;",
        ),
    ]);
}

#[test]
fn records() {
    check_each(&[
        (
            "struct s { int a, *b; char c : 3, : 0; };",
            "struct s {a: int; b: *int; c: char : 3; _: char : 0;};",
        ),
        ("union u { struct { int a; }; int b[]; } x;", "x: union u {struct {a: int;}; b: []int;};"),
        ("struct s { int a; struct { int b } };", "struct s {a: int; struct {b: int;};};"),
        ("struct s *p; struct { } e;", "p: *struct s;\ne: struct {};"),
        (
            "struct __attribute__((packed)) s { int a; } __attribute__((aligned(8))) x;",
            "x: struct s {a: int;} @packed @aligned align 8;",
        ),
        (
            "struct s { int a __attribute__((aligned)); ; _Static_assert(1, \"\"); };",
            "struct s {a: int @aligned align;};",
        ),
        (
            "#pragma pack(push, 2)\nstruct a { int x; };\n#pragma pack(pop)\nstruct b { int x; };",
            "struct a {x: int;} @pack(2);\nstruct b {x: int;};",
        ),
        (
            "enum e { A, B = 2, C __attribute__((unused)) = B + 1, } x; enum e y;",
            "x: enum e {A, B = 2, C = (B + 1)};\ny: enum e;",
        ),
        ("enum __attribute__((packed)) { A };", "enum {A} @packed;"),
    ]);
}

#[test]
fn attributes() {
    check_each(&[
        ("int x __attribute__((unused, aligned(4))) = 1;", "x: int @unused @aligned align 4 = 1;"),
        ("typedef int T __attribute__((__mode__(__QI__)));", "typedef T: int @mode(QI);"),
        ("int f(void) __asm__(\"\" \"g\") __attribute__((const));", "f: fn() int @asm @const;"),
        (
            "__attribute__(()) int x; [[gnu::unused, deprecated(\"x\")]] int y;",
            "x: int;\ny: int @unused @deprecated;",
        ),
        ("int f(int x __attribute__((unused)));", "f: fn(x: int @unused) int;"),
        ("int * __attribute__((aligned(8))) p;", "p: *int @aligned align 8;"),
        (
            "__attribute__((format(printf, 1, 2))) void f(char *, ...);",
            "f: fn(_: *char, ...) void @format;",
        ),
    ]);
}

#[test]
fn initialisers() {
    check_each(&[
        ("int x = 1, y = { 2 };", "x: int = 1; y: int = {2};"),
        (
            "int a[] = { 1, [2] = 3, [4 ... 6] = 5, [7] 8, };",
            "a: []int = {1, [2] = 3, [4 ... 6] = 5, [7] = 8};",
        ),
        (
            "struct s x = { .a = 1, .b.c[2] = { 3 }, d: 4 };",
            "x: struct s = {.a = 1, .b.c[2] = {3}, .d = 4};",
        ),
        ("struct s x = {}; char t[] = \"a\" \"b\";", "x: struct s = {};\nt: []char = \"ab\";"),
        ("int x = (int) { 1 };", "x: int = <int>{1};"),
    ]);
}

#[test]
fn functions() {
    check(
        "int f(a, b) int a; char *b; { return a; }
         int g(x) register x; { }
         static int h(void) { int inner(int x) { return x; } return inner(1); }
         int (*k(int a))(void) { return 0; }
         ; asm(\"nop\");
         _Static_assert(sizeof(int) == 4, \"int\"); _Static_assert(1);
         __auto_type z = 1;",
        &expect![[r#"
            f: fn?(a: missing, b: missing) int a: int; b: *char; { return a; }
            g: fn?(x: missing) int auto x: missing; {  }
            static h: fn() int { inner: fn(x: int) int { return x; } return inner(1); }
            k: fn(a: int) *fn() int { return 0; }
            asm
            z: auto = 1;"#]],
    );
}
