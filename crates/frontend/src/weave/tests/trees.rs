//! What the parser understands.

use expect_test::{Expect, expect};

use super::show::{self, parsed};
use crate::syntax::Item;

#[track_caller]
fn check(text: &str, want: Expect) {
    want.assert_eq(&show::file(&parsed(text)));
}

/// Statements in the body of a procedure.
#[track_caller]
fn check_body(text: &str, want: Expect) {
    check(&format!("void f() {{ {text} }}"), want);
}

/// Expressions, one a line.
#[track_caller]
fn check_exprs(lines: &str, want: Expect) {
    let show_line = |line: &str| {
        let file = parsed(&format!("predicate: {line};"));
        let Some(Item::Predicate(p)) = file.items.first() else { panic!("no predicate") };
        show::expr(&p.expr) + "\n"
    };
    let shown = lines.lines().map(str::trim).filter(|l| !l.is_empty()).map(show_line);
    want.assert_eq(&shown.collect::<String>());
}

#[test]
fn example_of_the_language_page() {
    check(
        "const N = 2;
        enum Phase { Idle, Busy }

        bool stopped := false;         // shared variables
        int[0..3] pending := 1;
        Phase phase := Idle;
        lock m;

        void work(bool fast) {
          acquire m;
          if (fast && !stopped) pending := pending + 1;
          release m;
        }

        thread worker * N = work(*);
        thread stopper { stopped := true; assert pending > 0; }",
        expect![[r#"
            const N = 2
            enum Phase {Idle, Busy}
            global stopped: bool := false
            global pending: 0..3 := 1
            global phase: Phase := Idle
            global m: lock
            proc work(fast: bool) -> ()
              acquire m
              if (&& fast (! stopped))
                pending := (+ pending 1)
              release m
            thread worker * N = work(*)
            thread stopper
              stopped := true
              assert (> pending 0)
        "#]],
    );
}

#[test]
fn variables_in_both_styles() {
    check(
        "bool x, y := false;
         var a, b: bool := false;
         shared int[-3..N - 1] r = 0, s;
         shared var g[2][3]: int, h: Phase := {1, 2};
         mutex l; boolean q; tid t; Phase p;
         int seen[2][2] = {{1, 2}, {3, 4}};",
        expect![[r#"
            global x: bool
            global y: bool := false
            global a: bool := false
            global b: bool := false
            global r: -3..(- N 1) := 0
            global s: -3..(- N 1)
            global g[2][3]: int
            global h: Phase := {1, 2}
            global l: lock
            global q: bool
            global t: tid
            global p: Phase
            global seen[2][2]: int := {{1, 2}, {3, 4}}
        "#]],
    );
}

#[test]
fn procedures_in_all_styles() {
    check(
        "void f(bool a, int[0..3] n) {}
         bool g() { return *; }
         (bool, int) h(int x) { return true, x + 1; }
         proc p() {}
         proc q(var x: bool): bool {}
         proc r(var x, y: bool, z: int, Phase s): (bool, Phase) {}
         Phase e(void) {}",
        expect![[r#"
            proc f(a: bool, n: 0..3) -> ()
            proc g() -> (bool)
              return *
            proc h(x: int) -> (bool, int)
              return true, (+ x 1)
            proc p() -> ()
            proc q(x: bool) -> (bool)
            proc r(x: bool, y: bool, z: int, s: Phase) -> (bool, Phase)
            proc e() -> (Phase)
        "#]],
    );
}

#[test]
fn threads_in_all_forms() {
    check(
        "thread worker; thread adder * 2; thread phil[i] * N + 1 = eat(i, *);
         thread server * any = serve(); thread stopper { skip; } thread two * 2 { }",
        expect![[r#"
            thread worker
            thread adder * 2
            thread phil[i] * (+ N 1) = eat(i, *)
            thread server * any = serve()
            thread stopper
              skip
            thread two * 2
        "#]],
    );
}

#[test]
fn predicates() {
    check(
        "predicate p in worker: s == l;
         predicate unique in worker: forall i != self: l != i.l;
         predicate two: #{i : at critical} >= 2;
         predicate: exists i: i.at L || pc == L || i.pc != M || pc == a + b;
         predicate in w: x;",
        expect![[r#"
            predicate p in worker: (== s l)
            predicate unique in worker: (forall others i (!= l i.l))
            predicate two in _: (>= (count i at(critical)) 2)
            predicate _ in _: (exists i (|| (|| at(i, L) at(L)) (|| (! at(i, M)) (== pc (+ a b)))))
            predicate _ in w: x
        "#]],
    );
}

#[test]
fn waiting_and_notifying() {
    check_body(
        "wait b; wait(b[i]); wait c, m; wait(c[0], m[i]); wait (c), m; wait {a, b}; notify c; notify all c[1]; notify all;
         notify(c); notify := 1; all := notify; condition c; semaphore[0] := 1;",
        expect![[r#"
            proc f() -> ()
              assume b
              assume b[i]
              wait c, m
              wait c[0], m[i]
              wait c, m
              assume {a, b}
              notify c
              notify all c[1]
              notify all
              call notify(c)
              notify := 1
              all := notify
              local c: condition
              semaphore[0] := 1
        "#]],
    );
}

#[test]
fn simple_statements() {
    check_body(
        "skip;; havoc x, a[1]; x := 1; x, a[i][j] := *, y constrain 'x == x;
         x++; a[i]--; x += y * 2; x -= 1;
         assume e; wait(e); assert (a) | b; goto L; goto L, M; break; continue;
         return; return 1, x; join t; join(t);
         atomic_begin; atomic_end; start_thread goto L; end_thread;
         acquire m; acquire(m[0]); lock(m); release m; unlock(m[i]);
         local bool a; var b, c: int := *; Phase p := Idle; lock m; L: M: int x, y = 2;",
        expect![[r#"
            proc f() -> ()
              skip
              empty
              havoc x, a[1]
              x := 1
              x, a[i][j] := *, y constrain (== 'x x)
              x := (+ x 1)
              a[i] := (- a[i] 1)
              x := (+ x (* y 2))
              x := (- x 1)
              assume e
              assume e
              assert (| a b)
              goto L
              goto L, M
              break
              continue
              return
              return 1, x
              join t
              join t
              atomic_begin
              atomic_end
              start_thread L
              end_thread
              acquire m
              acquire m[0]
              acquire m
              release m
              release m[i]
              local a: bool
              local b: int := *
              local c: int := *
              local p: Phase := Idle
              local m: lock
              L: M: local x: int
              local y: int := 2
        "#]],
    );
}

#[test]
fn effects() {
    check_body(
        "f(); call f(1, *); x := f(y); x, y := call g(); call x := f();
         t := async f(1); async f(); b := trylock(m); trylock(m);
         b := cas(x, 1, 2); n := fetch_and_add(x[0], 2); fetch_and_add(x);
         bool b := f(); int n := fetch_and_add(x); tid t := async f(); x := (f());
         if trylock(m) { } if (!cas(x, 0, 1)) skip; while f() { } while (!!(!trylock(m)));",
        expect![[r#"
            proc f() -> ()
              call f()
              call f(1, *)
              x := call f(y)
              x, y := call g()
              x := call f()
              t := async f(1)
              async f()
              b := trylock m
              trylock m
              b := cas x 1 2
              n := fetch_and_add x[0] 2
              fetch_and_add x _
              local b: bool := call f()
              local n: int := fetch_and_add x _
              local t: tid := async f()
              x := call f()
              if trylock m
              if fails cas x 0 1
                skip
              while f()
              while fails trylock m
                empty
        "#]],
    );
}

#[test]
fn control_flow() {
    check_body(
        "if (*) call foo(); if (a) { x := 1; } else if b { } else skip;
         if (a) & (b) { skip; } if (a) if (b) skip; else x := 2;
         while (x) {} while (!s2); while x < 2 { L: x := x + 1; }
         either { skip; } or { } or { x := 1; }
         atomic { x := 1; { bool y; } } L: M: ; if {true, false} { } end: ",
        expect![[r#"
            proc f() -> ()
              if *
                call foo()
              if a
                x := 1
              else
                if b
                else
                  skip
              if (& a b)
                skip
              if a
                if b
                  skip
                else
                  x := 2
              while x
              while (! s2)
                empty
              while (< x 2)
                L: x := (+ x 1)
              either
                skip
              or
              or
                x := 1
              atomic
                x := 1
                block
                  local y: bool
              L: M: empty
              if {true, false}
              end: empty
        "#]],
    );
}

#[test]
fn operators_by_precedence() {
    check_exprs(
        "a ? b : c ? d : e
         a ==> b => c ⇒ d
         a || b && c == d + e * -f
         (a || b) && !c or not d and e | f & g ¬
         a ≠ b ∧ c ≤ d ∨ e ≥ f ∧ ¬g
         a ^ b | c ^ d ^ e
         a | b ^ c & d << e + f == ~g >> -h && i
         u8(a + 1) * int(b)
         a - b - c + d + e + f
         a / b % c * d
         -3 - -x - - -4
         a[i + 1][j]
         {a, b, *} + {1 .. n - 1}
         schoose[p, !n] == none
         true != false
         * * *
         a && forall i: b || i.c
         123456789012345678901234567890"
            .replace(" ¬\n", "\n")
            .as_str(),
        expect![[r#"
            (? a b (? c d e))
            (==> a (==> b (==> c d)))
            (|| a (&& b (== c (+ d (* e (- f))))))
            (| (|| (&& (|| a b) (! c)) (&& (! d) e)) (& f g))
            (|| (&& (!= a b) (<= c d)) (&& (>= e f) (! g)))
            (^ (^ (| (^ a b) c) d) e)
            (^ (| a b) (&& (& c (== (<< d (+ e f)) (>> (~ g) (- h)))) i))
            (* (u8 (+ a 1)) (int b))
            (+ (+ (- (- a b) c) d) (+ e f))
            (* (% (/ a b) c) d)
            (- (- -3 (- x)) (- -4))
            a[(+ i 1)][j]
            (+ {a, b, *} {1 .. (- n 1)})
            (== schoose[p, (! n)] none)
            (!= true false)
            (* * *)
            (&& a (forall i (|| b i.c)))
            123456789012345678901234567890
        "#]],
    );
}

#[test]
fn chains_are_balanced() {
    check_exprs(
        "a & b & c & d & e\na + b + c + d\na | b | c",
        expect![[r#"
            (& (& (& a b) (& c d)) e)
            (+ (+ a b) (+ c d))
            (| (| a b) c)
        "#]],
    );
}

#[test]
fn comments_and_odd_spaces() {
    check(
        "\u{feff}/* a /* b */ bool x; // end\r\n/***/bool\ty;/**///\nbool $z_1;// no newline",
        expect![[r#"
            global x: bool
            global y: bool
            global $z_1: bool
        "#]],
    );
}

#[test]
fn fair_choices() {
    check_exprs(
        "fair *
        fair * && x
        !fair * == fair *
        fair * ? a : b",
        expect![[r#"
            fair *
            (&& fair * x)
            (== (! fair *) fair *)
            (? fair * a b)
        "#]],
    );
}
