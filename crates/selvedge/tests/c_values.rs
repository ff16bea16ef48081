//! Values from outside, and what is known of them without a look at all of them: held against a look at all.

use selvedge::{InputOptions, Options, Subject, VerdictName, verify};

fn verdict(text: &str) -> VerdictName {
    let subject = Subject::parse("program.i", text.to_owned(), InputOptions::default()).unwrap();
    verify(&subject, &Options::default()).unwrap().name()
}

const OUTSIDE: &str = "extern void reach_error(void); extern void abort(void);
    extern int __VERIFIER_nondet_int(void); extern signed char __VERIFIER_nondet_char(void);
    void assume_abort_if_not(int cond) { if (!cond) { abort(); } }\n";

/// A reproducible sequence of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }

    fn value(&mut self, moves: bool) -> String {
        let constant = |n: &mut Self| n.below(7) as i64 - 3 + [0, 120, -120][n.below(3) as usize];
        let variable = self.one_of(&["a", "b", "x"]);
        match self.below(4) {
            0 => constant(self).to_string(),
            1 if moves => format!("{variable} + {}", self.below(5)),
            2 if moves => format!("{variable} - {}", self.below(5)),
            _ => variable.to_owned(),
        }
    }

    fn test(&mut self, moves: bool) -> String {
        let op = self.one_of(&["<", "<=", ">", ">=", "==", "!="]);
        format!("({} {op} {})", self.value(moves), self.value(moves))
    }
}

#[test]
fn some_values_are_enough_wherever_all_values_agree() {
    let mut answers = [0, 0];
    for seed in 0..60 {
        let n = &mut Numbers(seed);
        let moves = seed % 2 == 0;
        let body = format!(
            "int x = {}; if ({}) x = {}; if ({} && {}) {{ if ({}) reach_error(); }}",
            n.one_of(&["a", "b", "3"]),
            n.test(moves),
            n.value(moves),
            n.test(moves),
            n.test(moves),
            n.test(moves)
        );
        // Two values, or one value twice.
        let second = if seed % 5 < 3 { "a" } else { "CALL" };
        let program = |call: &str| {
            let second = second.replace("CALL", call);
            format!(
                "{OUTSIDE} int main(void) {{ signed char a = {call}; signed char b = {second}; {body} return 0; }}"
            )
        };
        let few = verdict(&program("__VERIFIER_nondet_char()"));
        // What is computed with has all its values looked at, if they are as few as these.
        let all = verdict(&program("(signed char) (__VERIFIER_nondet_char() ^ 0)"));
        assert_eq!(few, all, "seed {seed}: {body}");
        answers[usize::from(all == VerdictName::Safe)] += 1;
    }
    assert!(answers.iter().all(|&count| count > 5), "{answers:?}");
}

#[test]
fn memory_that_was_not_written_has_as_many_values_as_matter() {
    let homes = [
        ("int a; int b;", "a", "b"),
        ("struct s { int a; int b; } *p = malloc(sizeof *p);", "p->a", "p->b"),
        ("int v[2]; int *q = v;", "v[0]", "q[1]"),
    ];
    let (mut safe, mut wrong, mut open) = (0, 0, 0);
    for seed in 0..45 {
        let n = &mut Numbers(seed);
        let (home, a, b) = homes[seed as usize % homes.len()];
        let value = |n: &mut Numbers| match n.below(3) {
            0 => (n.below(7) as i64 - 3).to_string(),
            _ => n.one_of(&[a, a, b, "x"]).to_owned(),
        };
        let test = |n: &mut Numbers| {
            let op = n.one_of(&["<", "<=", ">", ">=", "==", "!="]);
            format!("({} {op} {})", value(n), value(n))
        };
        let body = format!(
            "int x = {}; if ({}) x = {}; if ({} && {}) {{ if ({}) reach_error(); }}",
            n.one_of(&[a, b, "3"]),
            test(n),
            value(n),
            test(n),
            test(n),
            test(n)
        );
        let program = |first: &str| {
            format!(
                "{OUTSIDE} extern void *malloc(unsigned long); extern void __VERIFIER_assume(int);
                 int main(void) {{ {home} {first} {body} return 0; }}"
            )
        };
        // All orders that two values and the constants can have.
        let outside = |place: &str| {
            format!(
                "{place} = __VERIFIER_nondet_int(); __VERIFIER_assume(-6 <= {place} && {place} <= 6);"
            )
        };
        let all = verdict(&program(&format!("{} {}", outside(a), outside(b))));
        match verdict(&program("")) {
            VerdictName::Unknown => open += 1,
            few => assert_eq!(few, all, "seed {seed}: {home} {body}"),
        }
        match all {
            VerdictName::Safe => safe += 1,
            _ => wrong += 1,
        }
    }
    assert!(safe > 5 && wrong > 5 && open < 30, "{safe} {wrong} {open}");
}

#[test]
fn values_that_are_compared_with_each_other_are_few() {
    let compare =
        "int x = __VERIFIER_nondet_int(); int y = __VERIFIER_nondet_int(); int z = x == y;";
    let main = |rest: &str| format!("{OUTSIDE} int main(void) {{ {compare} {rest} return 0; }}");
    assert_eq!(verdict(&main("if (z && x != y) reach_error();")), VerdictName::Safe);
    assert_eq!(verdict(&main("if (x < y && y < 7 && x > 5) reach_error();")), VerdictName::Safe);
    assert_eq!(verdict(&main("if (x < y && y < 8 && x > 5) reach_error();")), VerdictName::Unsafe);
    // The sum wraps around for the largest value only.
    assert_eq!(
        verdict(&main("unsigned u = x; if (u + 1 < u) reach_error();")),
        VerdictName::Unsafe
    );
}

#[test]
fn a_call_in_a_loop_gives_other_values() {
    let text = format!(
        "{OUTSIDE} int main(void) {{ int last = 0; int i; for (i = 0; i < 3; i++) {{
            int x = __VERIFIER_nondet_int(); if (i > 0 && x != last) reach_error(); last = x; }} return 0; }}"
    );
    assert_ne!(verdict(&text), VerdictName::Safe);
    // So does one in a function that is called again, and one in a thread of which there are two.
    let text = format!(
        "{OUTSIDE} int get(void) {{ return __VERIFIER_nondet_int(); }}
         int main(void) {{ int a = get(); int b = get(); if (a != b) reach_error(); return 0; }}"
    );
    assert_ne!(verdict(&text), VerdictName::Safe);
    let text = format!(
        "{OUTSIDE} typedef unsigned long pthread_t;
         extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
         int g = 5;
         void *other(void *p) {{ int x = __VERIFIER_nondet_int(); int old = g; g = x; if (old != 5 && old != x) reach_error(); return 0; }}
         int main(void) {{ pthread_t t, u; pthread_create(&t, 0, other, 0); pthread_create(&u, 0, other, 0); return 0; }}"
    );
    assert_ne!(verdict(&text), VerdictName::Safe);
}

#[test]
fn what_is_assumed_at_the_start_is_known() {
    let globals = "int a, b, c; _Bool d;";
    let open = "a = __VERIFIER_nondet_int(); b = __VERIFIER_nondet_int(); c = __VERIFIER_nondet_int(); d = __VERIFIER_nondet_int();";
    let main = |assumed: &str, rest: &str| {
        format!(
            "{OUTSIDE} {globals} int main(void) {{ {open} assume_abort_if_not({assumed}); {rest} return 0; }}"
        )
    };
    let all = "a == 0 && b == a && c == b + 1 && d == 0";
    assert_eq!(
        verdict(&main(all, "b++; if (a + b * 3 != 3 || d) reach_error();")),
        VerdictName::Safe
    );
    assert_eq!(verdict(&main(all, "b++; if (a + b * 3 == 3) reach_error();")), VerdictName::Unsafe);
    // No truth value is 2, so that nobody gets there; and an alternative says nothing.
    assert_eq!(verdict(&main("d == 2", "reach_error();")), VerdictName::Safe);
    assert_ne!(
        verdict(&main("a == 0 || b == 0", "if (a * 2 == 6) reach_error();")),
        VerdictName::Safe
    );
    // What comes before the assumption may go wrong with any value.
    let early = format!(
        "{OUTSIDE} {globals} int main(void) {{ a = __VERIFIER_nondet_int(); if (a * 3 == 9) reach_error(); assume_abort_if_not(a == 0); return 0; }}"
    );
    assert_ne!(verdict(&early), VerdictName::Safe);
    // What is assigned afterwards was not assumed.
    let later = main("a == 0", "a = __VERIFIER_nondet_int(); if (a * 2 == 6) reach_error();");
    assert_ne!(verdict(&later), VerdictName::Safe);
}

#[test]
fn all_values_of_a_small_range_are_looked_at() {
    let main = |assumed: &str, rest: &str| {
        format!(
            "{OUTSIDE} int main(void) {{ int a[4] = {{ 1, 2, 3, 4 }}; int i = __VERIFIER_nondet_int(); {assumed} {rest} return 0; }}"
        )
    };
    let range = "assume_abort_if_not(0 <= i && i < 4);";
    assert_eq!(
        verdict(&main(range, "if (a[i] * 2 != 2 * i + 2) reach_error();")),
        VerdictName::Safe
    );
    assert_eq!(verdict(&main(range, "if (a[i] * 2 == 8) reach_error();")), VerdictName::Unsafe);
    // What comes before the assumption sees all values, and one that is not there at once says nothing.
    assert_ne!(
        verdict(&main("", &format!("if (i * 3 == 33) reach_error(); {range}"))),
        VerdictName::Safe
    );
    assert_ne!(
        verdict(&main("assume_abort_if_not(0 <= i || i < 4);", "if (i * 3 == 33) reach_error();")),
        VerdictName::Safe
    );
}

#[test]
fn values_that_nobody_reads_do_not_matter() {
    let text = |rest: &str| {
        format!(
            "{OUTSIDE} int f(int c) {{ int r = __VERIFIER_nondet_int(); {rest} return r * 2; }}
             int main(void) {{ if (f(1) != 8) reach_error(); return 0; }}"
        )
    };
    assert_eq!(verdict(&text("r = 4;")), VerdictName::Safe);
    assert_eq!(verdict(&text("if (c) r = 4; else r = 5;")), VerdictName::Safe);
    // One way, or one turn, leaves the value as it is.
    assert_ne!(verdict(&text("if (c > 1) r = 4;")), VerdictName::Safe);
    assert_ne!(
        verdict(&text("while (c) { r = 4; c = 0; r = __VERIFIER_nondet_int(); }")),
        VerdictName::Safe
    );
    assert_ne!(verdict(&text("do { if (c) break; r = 4; } while (r = 4);")), VerdictName::Safe);
    assert_ne!(
        verdict(&text("goto in; while (c) { r = 4; in: if (c == 1) return r; }")),
        VerdictName::Safe
    );
    assert_ne!(verdict(&text("switch (c) { case 2: r = 4; }")), VerdictName::Safe);
}

#[test]
fn a_thread_sees_what_another_one_got_from_outside() {
    let text = format!(
        "{OUTSIDE} typedef unsigned long pthread_t;
         extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
         int g;
         void *other(void *p) {{ g = __VERIFIER_nondet_int(); return 0; }}
         int main(void) {{ pthread_t t; pthread_create(&t, 0, other, 0); g = 1; if (g * 2 != 2) reach_error(); return 0; }}"
    );
    assert_eq!(verdict(&text), VerdictName::Unsafe);
}

#[test]
fn what_the_library_computes_of_a_value_is_from_outside_too() {
    let library = "typedef struct { int a[4]; } sem_t; extern int sem_init(sem_t *, int, unsigned); extern int sem_trywait(sem_t *);
        extern int abs(int);\n";
    for text in [
        "int main(void) { int b = abs(__VERIFIER_nondet_int()); if (b == 5) reach_error(); return 0; }",
        "int main(void) { int a = __VERIFIER_nondet_int(); if (abs(a) == 5) reach_error(); return 0; }",
        "sem_t s; int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0) return 0; sem_init(&s, 0, n); if (sem_trywait(&s) == 0) reach_error(); return 0; }",
    ] {
        assert_ne!(verdict(&format!("{OUTSIDE}{library}{text}")), VerdictName::Safe, "{text}");
    }
    let mut options = InputOptions::default();
    options.c.options = selvedge_frontend::c::lower::Options::only("no-overflow").unwrap();
    let text = "int main(void) { int b = abs(__VERIFIER_nondet_int()); return b; }";
    let text = format!("{OUTSIDE}{library}{text}");
    let subject = Subject::parse("program.i", text, options).unwrap();
    assert_ne!(verify(&subject, &Options::default()).unwrap().name(), VerdictName::Safe);
}

#[test]
fn values_that_leave_by_different_tests_are_all_tried() {
    let text = "int f(void) { int n = __VERIFIER_nondet_int(); if (n < -5) return 7; if (n < 0) return 8; if (n > 3) return 5; return n * n; }
        int main(void) { int v = f(); if (TEST) reach_error(); return 0; }";
    for result in [7, 8, 5, 0, 1, 4, 9] {
        let text = format!("{OUTSIDE}{}", text.replace("TEST", &format!("v == {result}")));
        assert_eq!(verdict(&text), VerdictName::Unsafe, "{result}");
    }
    let other = text.replace("TEST", "v < 0 || v == 2 || v == 3 || v == 6 || v > 9");
    assert_eq!(verdict(&format!("{OUTSIDE}{other}")), VerdictName::Safe);
    // Who leaves looks at the value: then no value stands for others.
    let looks = "int f(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 3) return n; return n * n; }
        int main(void) { if (f() == 77) reach_error(); return 0; }";
    assert_ne!(verdict(&format!("{OUTSIDE}{looks}")), VerdictName::Safe);
}

#[test]
fn values_that_lead_to_a_constant_are_tried() {
    for test in ["-a == 5", "~a == 5", "a * 2 == 14", "(a ^ 85) == 170", "a % 7 == 3 && a > 50"] {
        let text = format!(
            "{OUTSIDE}int main(void) {{ int a = __VERIFIER_nondet_int(); if ({test}) reach_error(); return 0; }}"
        );
        assert_eq!(verdict(&text), VerdictName::Unsafe, "{test}");
    }
}

#[test]
fn what_is_read_with_another_sign_has_the_values_of_that() {
    let declared = "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
        extern void *malloc(unsigned long);\n";
    let main = |body: &str| format!("{declared} int main(void) {{ {body} return 0; }}");
    for first in ["unsigned u;", "unsigned u = __VERIFIER_nondet_uint();"] {
        for test in [
            "if (__atomic_load_n((int*)&u, 5) < 0) reach_error();",
            "if (__atomic_exchange_n((int*)&u, 7, 5) < 0) reach_error();",
            "long l = __atomic_load_n((int*)&u, 5); if (l < 0) reach_error();",
            "switch (__atomic_load_n((int*)&u, 0)) { case -7: reach_error(); }",
        ] {
            assert_eq!(verdict(&main(&format!("{first} {test}"))), VerdictName::Unsafe, "{test}");
        }
    }
    // An array without a length, too.
    let body = "struct S { long n; unsigned data[]; }; struct S *s = malloc(sizeof *s + 8);
        int *q = (int*)s->data; if (q[1] < 0) reach_error();";
    assert_eq!(verdict(&main(body)), VerdictName::Unsafe);
}

#[test]
fn what_comes_to_life_again_holds_nothing_of_what_it_held() {
    let declared = "extern void reach_error(void); extern void *malloc(unsigned long);
        extern void free(void *); int *two(void) { return malloc(8); }\n";
    let main = |body: &str| format!("{declared} int main(void) {{ {body} return 0; }}");
    for body in [
        // Objects of the heap, with arrays and without.
        "for (int i = 0; i < 2; i++) { int *p = two(); int *q = two();
           if (i == 1 && p[1] != 4) reach_error(); p[1] = 4; q[1] = 4; free(p); free(q); }",
        "struct s { int a; int b[2]; };
         for (int i = 0; i < 3; i++) { struct s *p = malloc(sizeof *p);
           if (i == 2 && p->b[1] != 4) reach_error(); p->b[0] = p->b[1] = 4; free(p); }",
        // Declarations that a case or a label passes over.
        "for (int k = 0; k < 2; k++) switch (k) { int x; case 0: x = 5; break; case 1: if (x != 5) reach_error(); }",
        "for (int k = 0; k < 2; k++) { if (k) goto on; int x = 5; on: if (x != 5) reach_error(); }",
        "int k = 0; again: if (k) goto inside; { int x; x = 5; inside: if (x != 5) reach_error(); }
         if (k++ < 1) goto again;",
    ] {
        assert_eq!(verdict(&main(body)), VerdictName::Unsafe, "{body}");
    }
    // Within one block, it keeps its value.
    let body =
        "int k = 0; int x; x = 5; again: if (x != 5) reach_error(); if (k++ < 2) goto again;";
    assert_eq!(verdict(&main(body)), VerdictName::Safe);
    let body =
        "int k = 0; { int x; x = 5; again: if (x != 5) reach_error(); if (k++ < 2) goto again; }";
    assert_eq!(verdict(&main(body)), VerdictName::Safe);
    let body = "switch (1) { int x; case 1: x = 5; case 2: if (x != 5) reach_error(); }";
    assert_eq!(verdict(&main(body)), VerdictName::Safe);
}

#[test]
fn a_function_that_ends_without_a_value_gives_any() {
    let text = "extern void reach_error(void);
        int f(int n) { if (n > 0) return n; }
        int main(void) { f(0); if (f(2) != 2) reach_error(); return 0; }";
    assert_eq!(verdict(text), VerdictName::Safe);
    let text = text.replace("f(2) != 2", "f(0) != 0");
    assert_ne!(verdict(&text), VerdictName::Safe);
}

#[test]
fn sums_wrap_around_in_wider_types_too() {
    let declared = "extern void reach_error(void); extern unsigned char __VERIFIER_nondet_uchar(void);
        extern unsigned short __VERIFIER_nondet_ushort(void); extern unsigned __VERIFIER_nondet_uint(void);
        unsigned less(unsigned a) { return a - 4u; }\n";
    let main = |body: &str| format!("{declared} int main(void) {{ {body} return 0; }}");
    for body in [
        "unsigned char x = __VERIFIER_nondet_uchar(); unsigned y = (unsigned)x - 5u; if (y == 4294967294u) reach_error();",
        "unsigned short x = __VERIFIER_nondet_ushort(); unsigned y = x; unsigned z = y - 100;
         if (z > 4294967200u && z < 4294967230u) reach_error();",
        "unsigned x = __VERIFIER_nondet_uint(); unsigned long long y = x; y = y - 7; if (y == 18446744073709551610ull) reach_error();",
        "unsigned char x = __VERIFIER_nondet_uchar(); if (less(x) == 4294967295u) reach_error();",
    ] {
        assert_eq!(verdict(&main(body)), VerdictName::Unsafe, "{body}");
    }
    // Once in each of two types.
    let body = "unsigned x = __VERIFIER_nondet_uint(); unsigned y = x + 10u; unsigned long long z = y; z = z - 20;
        if (z == 18446744073709551600ull) reach_error();";
    assert_ne!(verdict(&main(body)), VerdictName::Safe);
    let body = "unsigned char x = __VERIFIER_nondet_uchar(); unsigned y = (unsigned)x - 5u; if (y > 250u && y < 4294967291u) reach_error();";
    assert_eq!(verdict(&main(body)), VerdictName::Safe);
}

#[test]
fn who_leaves_passes_assumptions_on_the_way() {
    let declared = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
        extern void __VERIFIER_assume(int); int a[20];\n";
    let main = |body: &str| {
        format!("{declared} int main(void) {{ int x = __VERIFIER_nondet_int(); {body} return 0; }}")
    };
    let rest = "if (x < 100) { reach_error(); return 0; } if (x > 110) return 0; a[x - 100] = 1;";
    for assumption in ["x <= 97 || x >= 100", "x != 99 && x != 100 && x != 101"] {
        let body = format!("__VERIFIER_assume({assumption}); {rest}");
        assert_eq!(verdict(&main(&body)), VerdictName::Unsafe, "{assumption}");
    }
    let body = format!("__VERIFIER_assume(x >= 100); {rest}");
    assert_eq!(verdict(&main(&body)), VerdictName::Safe);
    // An assumption that looks at it in another way.
    let body = format!("int y = 90; __VERIFIER_assume(x < y || x >= 100); {rest}");
    assert_ne!(verdict(&main(&body)), VerdictName::Safe);
}
