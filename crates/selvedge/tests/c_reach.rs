//! Reachability in C: functions that get addresses, any number of threads that compute, and values from outside that are followed for all cases at once.
//! Each rule is held against the same program in a form that the rule does not know.

use selvedge::{Answer, InputOptions, Options, Subject, VerdictName, verify};

const HEAD: &str = "extern void reach_error(void); extern void abort(void);
    extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);
    extern int __VERIFIER_nondet_int(void); extern signed char __VERIFIER_nondet_char(void);
    extern char __VERIFIER_nondet_schar(void); extern void *malloc(unsigned long);
    typedef unsigned long pthread_t;
    extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    extern int pthread_join(pthread_t, void **);
    void assume_abort_if_not(int cond) { if (!cond) { abort(); } }\n";

fn answer(text: &str) -> Answer {
    let options = InputOptions::default().only("unreach-call").unwrap();
    let subject = Subject::parse("program.i", format!("{HEAD}{text}"), options).unwrap();
    verify(&subject, &Options::default()).unwrap()
}

fn verdict(text: &str) -> VerdictName {
    answer(text).name()
}

/// Whether there is a solver; who has none is told.
fn has_solver() -> bool {
    let found = std::process::Command::new("z3").arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: there is no z3");
    }
    found
}

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
}

/// A statement of a function that gets two addresses.
fn inside(n: &mut Numbers) -> String {
    match n.below(8) {
        0 => "*p = *p + 1;".to_owned(),
        1 => "*q = *p;".to_owned(),
        2 => "if (*p == *q) *q = k;".to_owned(),
        3 => "if (*p > 1) return *q;".to_owned(),
        4 => "{ int *r = p; *r = k + 1; }".to_owned(),
        5 => "while (*q > 2) { *q = *q - 1; if (*p == 3) break; }".to_owned(),
        6 => "switch (*p) { case 0: *q = 1; break; case 1: return 2; default: *q = 0; }".to_owned(),
        _ => "k = *q; if (k == 2) goto out; *p = k;".to_owned(),
    }
}

fn outside(n: &mut Numbers, call: &str) -> String {
    let (a, b) = (n.one_of(&["&x", "&g", "&s.m"]), n.one_of(&["&y", "&h"]));
    let call = format!("{call}({a}, {b}, {})", n.below(4));
    match n.below(7) {
        0 => format!("{call};"),
        1 => format!("x = {call};"),
        2 => format!("if ({call} == 1) y = 0;"),
        3 => format!("int z{} = {call}; y = y + 1;", n.below(1 << 20)),
        4 => format!("if (!{call}) x = 1;"),
        5 => format!("i = 0; do {{ i++; }} while (i < 2 && x < 3); y = {call};"),
        _ => format!("while ({call} > 1) {{ if (++i > 2) break; }}"),
    }
}

#[test]
fn functions_that_are_written_out_do_what_they_did() {
    let mut answers = [0, 0];
    let seeds = std::env::var("SELVEDGE_C_REACH").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    for seed in 0..seeds {
        let n = &mut Numbers(seed);
        let name = n.one_of(&["f", "__VERIFIER_atomic_f"]);
        let (body, calls): (Vec<_>, Vec<_>) = (
            (0..1 + n.below(4)).map(|_| inside(n)).collect(),
            (0..1 + n.below(3)).map(|_| outside(n, name)).collect(),
        );
        let (body, calls) = (body.join(" "), calls.join(" "));
        let claim = n.one_of(&["g < 4", "g != 2", "h == 0 || g < 3", "g + h != 3", "s.m < 9"]);
        // A function that may call itself stays where it is.
        let program = |again: &str| {
            format!(
                "int g, h; struct pair {{ int l; int m; }};
                 int {name}(int *p, int *q, int k) {{ {again} {body} out: return *p; }}
                 void work(void) {{ int x = 0, y = 1, i = 0; struct pair s; s.m = 0; {calls}
                     if (y == 3 && x == 2) g = 2; }}
                 void *other(void *arg) {{ work(); return 0; }}
                 int main(void) {{ pthread_t t; pthread_create(&t, 0, other, 0); work();
                     if (!({})) reach_error(); return 0; }}",
                claim.replace("s.m", "g")
            )
        };
        let (short, long) =
            (verdict(&program("")), verdict(&program(&format!("if (k > 9) {name}(p, q, 0);"))));
        assert_eq!(short, long, "seed {seed}: {}", program(""));
        answers[usize::from(short == VerdictName::Safe)] += 1;
    }
    assert!(answers.iter().all(|&count| count > 3), "{answers:?}");
}

#[test]
fn variables_whose_addresses_only_functions_get_are_those_of_their_thread() {
    // Six threads at once, and pools for five: nothing runs out.
    let program = "int top;
        void __VERIFIER_atomic_cas(int *p, int old, int new, int *done)
        { if (*p == old) { *p = new; *done = 1; } else *done = 0; }
        void *work(void *arg) { int old, done; old = top; __VERIFIER_atomic_cas(&top, old, 1, &done);
            if (done && old != 0 && old != 1) reach_error(); return 0; }
        int main(void) { pthread_t t; while (1) pthread_create(&t, 0, work, 0); }";
    assert_eq!(verdict(program), VerdictName::Safe);
    assert_eq!(verdict(&program.replace("old != 0 &&", "")), VerdictName::Unsafe);
}

#[test]
fn any_number_of_threads_counts_without_an_end() {
    if !has_solver() {
        return;
    }
    let program = |step: &str, claim: &str| {
        format!(
            "unsigned next, served, inside;
             void *work(void *arg) {{ unsigned mine;
                 __VERIFIER_atomic_begin(); assume_abort_if_not(next != -1); mine = next; {step} __VERIFIER_atomic_end();
                 __VERIFIER_atomic_begin(); assume_abort_if_not(mine == served); __VERIFIER_atomic_end();
                 inside = 1; if (!({claim})) reach_error(); inside = 0;
                 __VERIFIER_atomic_begin(); served++; __VERIFIER_atomic_end(); return 0; }}
             int main(void) {{ pthread_t t; while (1) pthread_create(&t, 0, work, 0); }}"
        )
    };
    assert_eq!(verdict(&program("next++;", "inside == 1")), VerdictName::Safe);
    assert_eq!(verdict(&program("", "inside == 1")), VerdictName::Unsafe);
    assert_eq!(verdict(&program("next++;", "served < 2")), VerdictName::Unsafe);
}

/// A loop-free function that computes with two values.
fn computes(n: &mut Numbers) -> String {
    let value = |n: &mut Numbers| match n.below(6) {
        0 => "a + b".to_owned(),
        1 => "a - b".to_owned(),
        2 => "2 * a".to_owned(),
        3 => format!("b + {}", n.below(3)),
        _ => n.one_of(&["a", "b", "c", "r"]).to_owned(),
    };
    let mut text = String::new();
    for _ in 0..1 + n.below(3) {
        let op = n.one_of(&["<", "<=", "==", "!="]);
        let (left, right, set) = (value(n), value(n), n.below(3) as i64 - 1);
        text += &format!("if ({left} {op} {right}) r = {set}; ");
    }
    text
}

#[test]
fn all_cases_are_all_values() {
    if !has_solver() {
        return;
    }
    let mut answers = [0, 0, 0];
    let seeds = std::env::var("SELVEDGE_C_REACH").ok().and_then(|n| n.parse().ok()).unwrap_or(12);
    for seed in 0..seeds {
        let n = &mut Numbers(seed);
        let (first, second) = (computes(n), computes(n));
        let claim = n.one_of(&["u <= 0", "u == v", "u >= 0 || v >= 0", "u + v < 2", "u != v || c"]);
        let shared = n.one_of(&["", "c = r;"]);
        let program = |is_listed: bool| {
            let ask = |name: &str| {
                let value = match is_listed {
                    // Few enough to be listed, one part after the other.
                    true => format!(
                        "int {name}1 = __VERIFIER_nondet_int(); assume_abort_if_not({name}1 >= 0 && {name}1 <= 5);
                         int {name}2 = __VERIFIER_nondet_int(); assume_abort_if_not({name}2 >= 0 && {name}2 <= 6);
                         {name} = {name}1 * 7 + {name}2 - 20;"
                    ),
                    false => format!("{name} = __VERIFIER_nondet_int();"),
                };
                format!(
                    "{value} assume_abort_if_not({name} >= -20); assume_abort_if_not({name} <= 20);"
                )
            };
            format!(
                "int a, b; int c, u, v;
                 void *one(void *arg) {{ int r = 0; {first} {shared} u = r; return 0; }}
                 void *two(void *arg) {{ int r = 0; {second} v = r; return 0; }}
                 int main(void) {{ pthread_t s, t; {} {}
                     pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);
                     pthread_join(s, 0); pthread_join(t, 0);
                     if (!({claim})) reach_error(); return 0; }}",
                ask("a"),
                ask("b")
            )
        };
        let (cases, all) = (verdict(&program(false)), verdict(&program(true)));
        if cases != VerdictName::Unknown {
            assert_eq!(cases, all, "seed {seed}: {}", program(false));
        }
        let which = [VerdictName::Safe, VerdictName::Unsafe].iter().position(|v| *v == cases);
        answers[which.unwrap_or(2)] += 1;
    }
    assert!(answers[0] > 0 && answers[1] > 0 && answers[2] <= seeds / 4, "{answers:?}");
}

#[test]
fn a_proof_by_cases_can_be_checked_again() {
    if !has_solver() {
        return;
    }
    let text = format!(
        "{HEAD} int a, b, u, v;
         void *one(void *arg) {{ u = a < b ? -1 : a > b; return 0; }}
         void *two(void *arg) {{ v = b < a ? -1 : b > a; return 0; }}
         int main(void) {{ pthread_t s, t; a = __VERIFIER_nondet_int(); b = __VERIFIER_nondet_int() / 2;
             pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);
             pthread_join(s, 0); pthread_join(t, 0); if (u + v != 0) reach_error(); return 0; }}"
    );
    let options = InputOptions::default().only("unreach-call").unwrap();
    let subject = Subject::parse("program.i", text.clone(), options.clone()).unwrap();
    let asked = Options { evidence: true, ..Options::default() };
    let answer = verify(&subject, &asked).unwrap();
    assert_eq!(answer.name(), VerdictName::Safe);
    let evidence = answer.evidence().unwrap().expect("there is evidence").to_text();
    let again = selvedge::recheck(&subject, &evidence, &asked).unwrap();
    assert!(again.is_ok());
    // It proves nothing of a program that goes wrong.
    let wrong = Subject::parse("program.i", text.replace("!= 0)", "== 0)"), options).unwrap();
    let digest = |subject: &Subject| selvedge_evidence::format::digest(subject.source().text());
    let forged = evidence.replace(&digest(&subject), &digest(&wrong));
    assert!(selvedge::recheck(&wrong, &forged, &asked).unwrap().is_err());
}

#[test]
fn memory_that_is_filled_with_anything_holds_anything() {
    let program = |claim: &str| {
        format!(
            "struct pair {{ char l; char m; }};
             void *anything(unsigned size) {{ char *p = malloc(size);
                 for (unsigned i = 0; i < size; i++) p[i] = __VERIFIER_nondet_char(); return p; }}
             int main(void) {{ struct pair *p = anything(sizeof(struct pair)); p->m = 3;
                 if (!({claim})) reach_error(); return 0; }}"
        )
    };
    assert_eq!(verdict(&program("p->m == 3")), VerdictName::Safe);
    assert_eq!(verdict(&program("p->l == 3")), VerdictName::Unsafe);
}
