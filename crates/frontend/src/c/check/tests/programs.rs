//! Whole programs: scopes, linkage, what is reached, statements.

use expect_test::expect;

use super::{main_of, objects_of, right};
use crate::c::types::DataModel;

#[test]
fn only_what_main_reaches_is_part_of_the_result() {
    let text = "int a = 1, b = 2, c, d; int *p = &c; int used(void); void unused(void) { b++; undeclared(); } int (*table[])(void) = { used }; int used(void) { return *p; } int main(void) { sizeof(b); return table[0]() + a; }";
    let unit = right(text, DataModel::Ilp32);
    let mut objects: Vec<&str> = unit.objects.iter().map(|object| object.name.as_str()).collect();
    objects.sort_unstable();
    assert_eq!(objects, ["a", "c", "p", "table"]);
    let bodies: Vec<&str> = unit
        .functions
        .iter()
        .filter(|function| function.body.is_some())
        .map(|function| function.name.as_str())
        .collect();
    assert_eq!(bodies, ["used", "main"]);
}

#[test]
fn scopes_hide_and_end() {
    expect![[r#"
        int y = {0: x}
        {
          char x = {0: 5:char}
          x = <char>(6:uint + 2:uint)
          {
            x = 2
          }
        }
        {
          int T = {0: 3}
          old T +=int 1
        }
        {
          int y = {0: 0}
          for ; (y < 3); old y +=int 1
            long y = {0: 5:long}
            old y -=long 1:long
        }
        return <int>(<uint>(y + 5) + 4:uint)
    "#]]
    .assert_eq(&main_of(
        "int x = 1; enum { A = 5 }; typedef int T; struct s { int a; }; int main(void) { int y = x; { char x = A; enum { A = 6 }; struct s { char b, c; }; x = A + sizeof(struct s); { extern int x; x = 2; } } { T T = 3; T++; } for (int y = 0; y < 3; y++) { long y = 5; y--; } return y + A + sizeof(struct s); }",
    ));
}

#[test]
fn statements() {
    expect![[r#"
        int i
        label again
        if i
          f()
        else
          i = 1
        while i
          old i -=int 1
          continue
        do
          old i +=int 1
        while (i < 3)
        switch <int>k
          case 1
          case 97 to 99
          f()
          break
          default
          {
            case 7
          }
        {
          for ; ; 
            break
        }
        goto again
        asm true
        asm false
        return <int>k
    "#]]
    .assert_eq(&main_of(
        "void f(void); unsigned char k; int main(void) { int i; again: if (i) f(); else i = 1; while (i) { i--; continue; } do i++; while (i < 3); switch (k) { case 1: case 'a' ... 'c': f(); break; default: { case 7: ; } } for (;;) break; goto again; asm volatile (\"\" ::: \"memory\"); asm (\"nop\"); return k; }",
    ));
}

#[test]
fn declarations_are_merged() {
    let text = "extern int a[]; int a[3]; int t; int t; int t = 4; extern int e; static int s; int u[]; int f(); int f(int); int f(int x) { return x; } int main(int argc, char **argv) { return f(a[0] + t + e + s + u[0] + argc); }";
    expect![[r#"
        int[3] a = {}
        int t = {0: 4}
        int e = {}
        int s = {}
        int[1] u = {}
    "#]]
    .assert_eq(&objects_of(text, DataModel::Ilp32));
    let unit = right(text, DataModel::Ilp32);
    let externs: Vec<&str> =
        unit.objects.iter().filter(|o| o.is_extern).map(|o| o.name.as_str()).collect();
    assert_eq!(externs, ["e"]);
}

#[test]
fn functions_in_the_old_style() {
    expect![[r#"
        int i
        noint(i)
        return add(<char>i, &i)
    "#]]
    .assert_eq(&main_of(
        "int add(a, b) char a; int *b; { return a + *b; } noint(); main() { int i; noint(i); return add(i, &i); }",
    ));
}

#[test]
fn enumerations_are_unsigned_unless_negative() {
    expect![[r#"
        (a + 1:uint)
        (b + 1)
        2147483648:uint
        c
        1099511627776:ullong
        1
        8:uint
        (6 + -1)
    "#]]
    .assert_eq(&main_of(
        "enum a { X, Y = 5, Z } a; enum b { N = -1, P } b; enum c { BIG = 0x80000000 } c; enum d { HUGE = 1ll << 40, SMALL = 1 } d; int main(void) { a + 1; b + 1; BIG; c; HUGE; SMALL; sizeof d; Z + N; }",
    ));
}

#[test]
fn strings_are_objects_of_their_own() {
    let text = "int puts(const char *); int main(void) { puts(\"hi\\n\"); puts(\"hi\\n\"); puts(__func__); sizeof(\"no\"); }";
    expect![[r#"
        char[4] "hi\n" = {0: 104:char, 1: 105:char, 2: 10:char}
        char[4] "hi\n" = {0: 104:char, 1: 105:char, 2: 10:char}
        char[5] "main" = {0: 109:char, 1: 97:char, 2: 105:char, 3: 110:char}
    "#]]
    .assert_eq(&objects_of(text, DataModel::Ilp32));
}
