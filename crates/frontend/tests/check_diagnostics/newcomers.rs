//! What people write who know C, Promela, TLA+, Rust, Go or Java, and what they are told: never only what was expected, always what
//! there is instead.

use std::fmt::Write as _;

use expect_test::expect_file;
use selvedge_frontend::{Diagnostic, Fix, Input, LoadError, LoadOptions, Severity, parse, weave};
use selvedge_program::Source;

/// Where a mistake comes from, and what stands at the top of a file or in a procedure.
enum Written {
    Top(&'static str),
    Inside(&'static str),
}
use Written::{Inside, Top};

const MISTAKES: &[(&str, Written)] = &[
    ("C", Top("#include <pthread.h>")),
    ("C", Top("#define N 3")),
    ("C", Top("typedef int value;")),
    ("C", Top("typedef struct { int a; } pair;")),
    ("C", Top("struct node { int v; } n;")),
    ("C", Top("struct node { int v; struct node *next; };")),
    ("Go", Inside("ch <- 1;")),
    ("Go", Inside("n := <-ch;")),
    ("C", Top("union u { int v; };")),
    ("C", Top("unsigned int x = 0;")),
    ("C", Top("unsigned x = 0;")),
    ("C", Top("volatile int x = 0;")),
    ("C", Top("static int x = 0;")),
    ("C", Top("_Atomic int x = 0;")),
    ("C", Top("int *p;")),
    ("C", Top("int* p = 0;")),
    ("C", Top("char c = 'a';")),
    ("C", Top("float f = 1.5;")),
    ("C", Top("void *f(void *arg) { return 0; }")),
    ("C", Top("int f(int *p) { return 0; }")),
    ("C", Top("pthread_mutex_t q = PTHREAD_MUTEX_INITIALIZER;")),
    ("C", Top("int a[3] = {1, 2, 3}, n = sizeof(a);")),
    ("C", Top("int f();")),
    ("C", Inside("printf(\"%d\\n\", n);")),
    ("C", Inside("pthread_mutex_lock(&m);")),
    ("C", Inside("b := n === 1;")),
    ("C", Inside("n = 1;")),
    ("C", Inside("if (n = 1) { }")),
    ("C", Inside("n := *p;")),
    ("C", Inside("p->next = n;")),
    ("C", Inside("for (n = 0; n < 3; n++) { }")),
    ("C", Inside("do { n := n; } while (b);")),
    ("C", Inside("switch (n) { case 1: break; }")),
    ("C", Inside("assert(n == 1 && \"text\");")),
    ("C", Inside("while (byte < 256) { }")),
    ("C", Inside("n := 0x10;")),
    ("C", Inside("return 0;")),
    ("C", Inside("malloc(4);")),
    ("C", Inside("int i = 0, *q = 0;")),
    ("C", Inside("n := (int) byte;")),
    ("C", Inside("n := n ? 1 : 2;")),
    ("C", Inside("exit(1);")),
    ("C", Inside("n *= 2;")),
    ("C", Inside("if (n) { }")),
    ("C", Inside("signal c;")),
    ("C", Inside("notify_all c;")),
    ("C", Inside("wait c m;")),
    ("C", Inside("cond d;")),
    ("C", Inside("m.acquire();")),
    ("Promela", Top("proctype P() { skip; }")),
    ("Promela", Top("active proctype P() { skip }")),
    ("Promela", Top("active [2] proctype P() { skip }")),
    ("Promela", Top("init { run P(); }")),
    ("Promela", Top("ltl p { [] (n == 1) }")),
    ("Promela", Top("mtype = { A, B };")),
    ("Promela", Top("chan q = [2] of { byte };")),
    ("Promela", Top("byte x = 0;")),
    ("Promela", Top("never { skip }")),
    ("Promela", Inside("do :: n == 0 -> n := 1 :: else -> break od")),
    ("Promela", Inside("if :: n == 0 -> skip :: else -> skip fi")),
    ("Promela", Inside("q!1;")),
    ("Promela", Inside("q?n;")),
    ("Promela", Inside("run P();")),
    ("Promela", Inside("d_step { n := 1; }")),
    ("Promela", Inside("(n == 1);")),
    ("Promela", Inside("n == 1;")),
    ("Promela", Inside("n == 1 -> n := 2;")),
    ("Promela", Inside("select (n : 1 .. 3);")),
    ("Promela", Inside("timeout;")),
    ("TLA+", Top("---- MODULE Counter ----")),
    ("TLA+", Top("EXTENDS Naturals")),
    ("TLA+", Top("VARIABLES x, y")),
    ("TLA+", Top("CONSTANT N")),
    ("TLA+", Top("Init == x = 0 /\\ y = 0")),
    ("TLA+", Top("Spec == Init /\\ [][Next]_x")),
    ("TLA+", Top("process (P \\in 1..3) { skip; }")),
    ("TLA+", Inside("b := b /\\ c;")),
    ("TLA+", Inside("b := b \\/ c;")),
    ("TLA+", Inside("b := n \\in {1, 2};")),
    ("TLA+", Inside("b := \\A i \\in 0..3 : b;")),
    ("TLA+", Inside("b := ~b;")),
    ("TLA+", Inside("b := FALSE;")),
    ("TLA+", Inside("b := n # 1;")),
    ("TLA+", Inside("x' = x + 1;")),
    ("TLA+", Inside("await n == 1;")),
    ("TLA+", Inside("with (i \\in 1..3) { n := i; }")),
    ("TLA+", Inside("n := IF b THEN 1 ELSE 2;")),
    ("TLA+", Inside("n := CHOOSE i \\in 1..3 : b;")),
    ("TLA+", Inside("UNCHANGED x;")),
    ("TLA+", Inside("n := a[1] || a[2] := 3;")),
    ("Rust", Top("fn f() { }")),
    ("Rust", Top("fn f(x: u8) -> u8 { return x; }")),
    ("Rust", Top("use std::sync::Mutex;")),
    ("Rust", Top("static mut X: u32 = 0;")),
    ("Rust", Top("pub struct S { a: u8 }")),
    ("Rust", Top("impl S { }")),
    ("Rust", Top("mod tests { }")),
    ("Rust", Inside("let mut y = 0;")),
    ("Rust", Inside("let y: u8 = 0;")),
    ("Rust", Inside("assert!(n == 1);")),
    ("Rust", Inside("assert!(n > 1);")),
    ("Rust", Inside("assert_eq!(n, 1);")),
    ("Rust", Inside("println!(\"{}\", n);")),
    ("Rust", Inside("loop { break; }")),
    ("Rust", Inside("match n { 1 => skip, _ => skip }")),
    ("Rust", Inside("for i in 0..3 { n := i; }")),
    ("Rust", Inside("thread::spawn(f);")),
    ("Rust", Inside("let g = m.lock().unwrap();")),
    ("Rust", Inside("x.store(1, Ordering::SeqCst);")),
    ("Rust", Inside("n := byte as i32;")),
    ("Rust", Inside("panic!(\"no\");")),
    ("Rust", Inside("if let Some(y) = n { }")),
    ("Rust", Inside("while n < 3 n := 1;")),
    ("C", Inside("n := b ? 1;")),
    ("C", Inside("n := 1u;")),
    ("C", Inside("n := sizeof(int);")),
    ("C", Inside("a[n]++, n--;")),
    ("C", Top("template <class T> void f() { }")),
    ("C", Inside("g();")),
    ("Promela", Top("hidden int h;")),
    ("Promela", Inside("empty(q);")),
    ("Promela", Inside("n := _pid;")),
    ("Promela", Inside("len(q) == 0;")),
    ("Promela", Inside("q!!1;")),
    ("Promela", Top("bit x;")),
    ("Promela", Top("active proctype A() provided (b) { }")),
    ("TLA+", Top("(* comment *) int z;")),
    ("TLA+", Top("\\* comment")),
    ("TLA+", Top("fair process (P = 1) { skip; }")),
    ("TLA+", Top("procedure f() { return; }")),
    ("TLA+", Top("WF_vars(Next)")),
    ("TLA+", Top("macro f(x) { skip; }")),
    ("TLA+", Inside("either skip; or skip; end either;")),
    ("TLA+", Inside("a := [i \\in 0..2 |-> 0];")),
    ("TLA+", Inside("a := [a EXCEPT ![1] = 2];")),
    ("TLA+", Inside("b := n /= 1;")),
    ("TLA+", Inside("b := n =< 1;")),
    ("TLA+", Inside("b := b <=> b;")),
    ("TLA+", Inside("n := n \\div 2;")),
    ("TLA+", Inside("when n = 1;")),
    ("TLA+", Inside("LET k == 1 IN n;")),
    ("TLA+", Inside("n := Len(q);")),
    ("Rust", Top("struct S { a: u8, b: bool }")),
    ("Rust", Top("const N: usize = 3;")),
    ("Rust", Top("enum E { A(u8), B }")),
    ("Rust", Top("async fn f() { }")),
    ("Rust", Top("macro_rules! m { }")),
    ("Rust", Top("unsafe { }")),
    ("Rust", Inside("drop(g);")),
    ("Rust", Inside("Some(n);")),
    ("Rust", Inside("assert_ne!(n, 1);")),
    ("Rust", Inside("unreachable!();")),
    ("Rust", Inside("n := n.wrapping_add(1);")),
    ("Rust", Inside("n := a.len();")),
    ("Rust", Inside("thread::yield_now();")),
    ("Rust", Inside("'outer: loop { }")),
    ("Rust", Inside("n := 1u8;")),
    ("Rust", Inside("let (x, y) = (1, 2);")),
    ("Go", Inside("close(q);")),
    ("C", Inside("for (int i = 0; i < 3; ++i) { }")),
    ("C", Inside("n := 0b101;")),
    ("C", Inside("n := 0x1F;")),
    ("C", Inside("n := 0xZZ;")),
    ("C", Inside("n := 1_000;")),
    ("TLA+", Inside("assert n =< 2;")),
    ("TLA+", Inside("await b;")),
    ("Go", Inside("select { case n := <-q: skip; default: skip; }")),
    ("Go", Inside("go f();")),
    ("Go", Inside("defer m.Unlock();")),
    ("Go", Top("c := make(chan int, 2);")),
    ("Java", Inside("Thread t = new Thread(r);")),
    ("Java", Inside("synchronized (m) { n++; }")),
    ("Java", Inside("try { n := 1; } finally { n := 0; }")),
    ("Java", Inside("c.signalAll();")),
    ("Java", Inside("final int k = 3;")),
    ("Java", Top("public class Counter { }")),
    ("C", Inside("n := a[1, 2];")),
    ("C", Inside("b := {.a = 1};")),
    ("C", Top("semaphore s(2);")),
    ("C", Top("mutex q();")),
    ("C", Inside("n := rand() % 3;")),
    ("C", Inside("n := NULL;")),
    ("Promela", Inside("assert(n == 0) -> skip;")),
    ("Promela", Inside("atomic { n == 0 -> n := 1 }")),
    ("Promela", Top("thread a, b { skip; }")),
    ("TLA+", Inside("if n = 1 then n := 2; end if;")),
    ("TLA+", Inside("while n < 3 do n := n + 1; end while;")),
    ("TLA+", Inside("n := (1..3);")),
    ("TLA+", Inside("n := Cardinality(a);")),
    ("TLA+", Top("invariant { x == 1 }")),
    ("Rust", Inside("b := matches!(n, 1);")),
    ("Rust", Inside("return Ok(());")),
    ("Rust", Inside("debug_assert!(b);")),
    ("Rust", Inside("while let Some(y) = q.recv() { }")),
    ("Weave", Inside("either { n := 1; } { n := 2; }")),
    ("Weave", Top("bogus f3(int x) : int { return x; }")),
    ("Rust", Top("fn f4(x: int) : int { return x; }")),
    ("C", Inside("if (b); n := 1;")),
    ("C", Inside("while (b); n := 1;")),
    ("C", Inside("while (b) ; n := 1;")),
    ("C", Inside("if (b) { } else;")),
    ("C", Inside("n := 0; n := 08;")),
    ("Weave", Inside("either when b { n := 1; }")),
    ("Weave", Inside("atomic { either { n := 1; } }")),
    ("TLA+", Inside("b := exists int i: b;")),
    ("Weave", Inside("for (; b;); n := 1;")),
    ("Rust", Inside("let s = Semaphore::new(2);")),
    ("Rust", Inside("let x = AtomicBool::new(true);")),
    ("C", Inside("n := 010;")),
    ("C", Inside("for (i := 0; i < 3; i++) n := i;")),
    ("C", Inside("lock mutex; acquire mutex; release mutex;")),
    ("C", Top("lock mutex; void f() { acquire mutex; release mutex; }")),
    ("Rust", Inside("let m2 = Mutex::new(0);")),
    ("Rust", Inside("n := i32::MAX;")),
    ("Python", Inside("n := 1; # comment")),
    ("TLA+", Inside("n := 1; -- comment")),
    ("C", Inside("n := n – 1;")),
    ("TLA+", Top("====")),
    ("TLA+", Inside("b := <>(n > 0);")),
    ("TLA+", Inside("b := [](n > 0);")),
    ("TLA+", Inside("with (x = 3) { n := 1; }")),
    ("TLA+", Top("variable x = 0;")),
    ("C", Top("_Thread_local int tl = 0;")),
    ("Promela", Inside("n > 2 -> n := 1")),
    ("TLA+", Inside("notify all;")),
    ("Weave", Inside("join all;")),
    ("Java", Inside("notify;")),
    ("Java", Inside("yield;")),
    ("C", Inside("sleep 1;")),
    ("Weave", Inside("n := * in {0 .. 3};")),
    ("Weave", Inside("n := * where n > 0;")),
    ("Weave", Inside("n := {1 ... 3};")),
    ("Weave", Top("int[0...3] r;")),
    ("C", Inside("a[] := 0;")),
    ("Weave", Top("semaphore[2] s;")),
    ("Weave", Top("barrier[3] bb;")),
    ("Weave", Top("barrier(3) bb;")),
    ("Go", Top("chan int[2] cc;")),
    ("C", Top("thread worker() { skip; }")),
    ("C", Top("void f() { skip; } thread f() * 2;")),
    ("Java", Top("chan[2] int q; void f() { bool e := q.empty(); }")),
    ("Rust", Top("Vec<u32> v;")),
    ("Rust", Top("Option<u32> o;")),
    ("Rust", Top("Mutex<u32> m;")),
    ("C", Inside("pthread_create(&t1, NULL, f, NULL);")),
    ("C", Inside("atomic_store(&n, 1);")),
    ("C", Inside("n := atomic_load(&n);")),
    ("C", Inside("b := __sync_bool_compare_and_swap(&n,0,1);")),
    ("C", Inside("n := __VERIFIER_nondet_int();")),
    ("C", Top("int f3(int x) -> int { return x; }")),
    ("Go", Top("chan[2] int q; void f() { int x := receive q; }")),
    ("Rust", Top("struct pair { int x; int y; } void f() { pair p := pair{1, 2}; }")),
    ("C", Top("struct pair { int x; int y; } void f() { pair p := (pair){1,2}; }")),
    ("C", Inside("n := 2 ** 3;")),
    ("Weave", Inside("a(0) := 1;")),
    ("C", Inside("lock (m) { n := 1; }")),
    ("C", Inside("acquire m { n := 1; }")),
    ("C", Top("int x : 3;")),
    ("C", Inside("int x : 3;")),
    ("Weave", Inside("havoc n in 0..3;")),
    ("TLA+", Inside("b := forall i in 0..2 : a[i] == 0;")),
    ("TLA+", Inside("b := exists i, j: a[i] == a[j];")),
    ("TLA+", Inside("b := forall i. a[i] == 0;")),
    ("TLA+", Inside("n := #{i | a[i] == 0};")),
    ("TLA+", Inside("n := #{i in a : a[i] == 0};")),
    ("Weave", Inside("b := forall (int i) a[i] == 0;")),
    ("Rust", Inside("n := if b { 1 } else { 2 };")),
    ("C", Inside("while (n--) { skip; }")),
    ("C", Inside("a[n++] := 1;")),
    ("C", Inside("for (int[0..9] i := 0, j := 9; i < j; i++, j--) { skip; }")),
    ("C", Inside("else if (b) { n := 1; }")),
    ("C", Top("struct p { int x; int y; } p q := {x: 1, y: 2};")),
    ("C", Top("struct pair { int x; int y; } void f() { pair p; p := pair(1, 2); }")),
    ("C", Inside("b := cas(&n, 0, 1);")),
    ("Weave", Inside("b := cas(n, 0);")),
    ("Weave", Inside("atomic n := 1;")),
    ("C", Inside("true;")),
    ("Weave", Inside("1;")),
    ("TLA+", Inside("b := <<1, 2>>;")),
    ("Weave", Inside("n := {1..3;")),
    ("C", Inside("*n := 3;")),
    ("Go", Top("chan[2] int q; void f() { send q, 1; }")),
    ("Weave", Inside("trylock m;")),
    ("Weave", Inside("if (trylock m) { skip; }")),
    ("Weave", Top("void f() { skip; } thread g { async f; }")),
    ("Weave", Top("void f() { skip; } thread g { tid h := async f; }")),
    ("Rust", Inside("async { n := 1; }")),
    ("Weave", Inside("either (n == 0) { n := 1; } or { n := 2; }")),
    ("TLA+", Inside("or { n := 1; }")),
    ("Weave", Inside("join;")),
    ("Weave", Inside("release;")),
    ("Weave", Inside("havoc;")),
    ("Weave", Inside("assert;")),
    ("Weave", Inside("assume;")),
    ("Weave", Inside("constrain n == 1;")),
    ("Weave", Inside("n : = 1;")),
    ("TLA+", Inside("n =: 1;")),
    ("Promela", Inside("1 -> n;")),
    ("Weave", Inside("a[0..1] := 0;")),
    ("Weave", Inside("n := a(0);")),
    ("Weave", Inside("n := #a;")),
    ("Weave", Inside("n := atomic { n + 1 };")),
    ("TLA+", Inside("goto 1;")),
    ("TLA+", Inside("1: skip;")),
    ("Weave", Inside("goto end;")),
    ("Rust", Inside("assert!(n == 0, \"text\");")),
    ("Weave", Top("void worker() { skip; } thread worker[2] { skip; }")),
    ("Weave", Top("thread 2 * worker { skip; }")),
    ("Weave", Top("void f() { skip; } thread worker = f;")),
    ("Weave", Top("thread worker * { skip; }")),
    ("Weave", Top("thread w[i in 0..2] { skip; }")),
    ("Rust", Top("void f3(&int x) { skip; }")),
    ("Rust", Top("void f3(&mut self) { skip; }")),
    ("C", Top("void h(const int x) { skip; }")),
    ("C", Top("void f3(int x; int y) { skip; }")),
    ("C", Top("void f3(int x := 3) { skip; }")),
    ("Rust", Top("int f3(mut x: i32) { return 1; }")),
    ("C", Top("void f3<T>(T x) { skip; }")),
    ("C", Top("enum { RED }")),
    ("C", Top("int (*fp)(int);")),
    ("C", Top("int(0..3) r;")),
    ("C", Top("int<0..3> r;")),
    ("Weave", Top("int[0..] r;")),
    ("Weave", Top("int[..3] r;")),
    ("Weave", Top("int x; invariant: x == 0;")),
    ("Weave", Inside("bool b2 := ?;")),
    ("C", Top("void f3(int x, bool y) { skip; } thread g { f3(1); }")),
    ("C", Inside("if (b) { n := 1; } else if { n := 2; }")),
    ("Promela", Inside("n > 2;")),
    ("C", Top("Barrier<int> x;")),
    ("Rust", Top("int n; void f() { Vec<u32> v; }")),
    ("Weave", Inside("n := 1 × 2;")),
    ("C", Inside("while { n := 1; }")),
    ("C", Top("int x[0..3];")),
    ("Go", Top("thread[2] worker { skip; }")),
    ("C", Top("thread worker() = f();")),
    ("C", Top("void f(int x, int y;) { skip; }")),
    ("Weave", Inside("n := 0..3;")),
    ("Weave", Inside("n := {0 to 3};")),
    ("TLA+", Inside("[] (n > 0);")),
    ("Rust", Inside("x : int := 3;")),
    ("Rust", Inside("int x : int := 3;")),
    ("Rust", Inside("n := usize::MAX;")),
    ("C", Inside("foreach (i) { n := 1; }")),
];

#[test]
fn a_word_alone_is_no_reserved_word() {
    assert_eq!(
        told("garbage"),
        "write a declaration here, not `garbage`\n    statements stand in a procedure or in `thread NAME { … }`"
    );
}

/// What is wrong with a program, and what may be.
fn diagnostics(text: &str) -> Vec<Diagnostic> {
    match parse("t.weave".as_ref(), text.to_owned(), &LoadOptions::default()) {
        Ok(Input::Program { warnings, .. }) => warnings.list,
        Err(LoadError::Invalid(wrong)) => wrong.list,
        other => panic!("{text}: {other:?}"),
    }
}

/// The first message about a program, as `message (help)`, and how many more there are.
fn told(text: &str) -> String {
    let list = diagnostics(text);
    let Some(first) = list.first() else { return "nothing is wrong".to_owned() };
    let word = if first.severity == Severity::Warning { "warning: " } else { "" };
    let help = first.hint.as_deref().unwrap_or("NO HELP");
    let more = match list.len() {
        1 => String::new(),
        many => format!("\n    (and {} more)", many - 1),
    };
    format!("{word}{}\n    {help}{more}", first.message)
}

/// What stands before a statement that somebody writes, and behind it.
const AROUND: (&str, &str) = (
    "int n := 0; bool b := false; u8 byte := 0; lock m; condition c; int a[3];\nvoid guarded() { acquire m; release m; }\nthread main {\n  ",
    "\n}\n",
);

/// Someone's mistake, and the program that it is a part of.
struct Mistake {
    from: &'static str,
    line: String,
    before: &'static str,
    after: &'static str,
}

impl Mistake {
    fn new(from: &'static str, line: &str, is_inside: bool) -> Self {
        let (before, after) = if is_inside { AROUND } else { ("", "\nthread main { skip; }\n") };
        Mistake { from, line: line.to_owned(), before, after }
    }

    fn program(&self) -> String {
        format!("{}{}{}", self.before, self.line, self.after)
    }
}

/// The mistakes above.
fn first_mistakes() -> Vec<Mistake> {
    let mistake = |(from, written): &(&'static str, Written)| match written {
        Top(line) => Mistake::new(from, line, false),
        Inside(line) => Mistake::new(from, line, true),
    };
    MISTAKES.iter().map(mistake).collect()
}

/// The mistakes in a file of their own: the language, where it is written, and what; `↵` ends a line.
fn more_mistakes() -> Vec<Mistake> {
    let lines = include_str!("newcomers_more.in").lines();
    let mistakes = lines.map(|line| {
        let mut parts = line.splitn(3, " | ");
        let mut next = || parts.next().expect("three parts");
        let (from, place, line) = (next(), next(), next());
        Mistake::new(from, &line.replace('↵', "\n"), place == "inside")
    });
    mistakes.collect()
}

/// All of these mistakes, and those whose mended forms are written beside them.
fn all_mistakes() -> Vec<Mistake> {
    let mended = mended_mistakes().into_iter().map(|(mistake, _)| mistake);
    first_mistakes().into_iter().chain(more_mistakes()).chain(mended).collect()
}

fn said_of(mistakes: &[Mistake]) -> String {
    let mut said = String::new();
    for mistake in mistakes {
        let told = told(&mistake.program());
        writeln!(said, "{}: {}\n  {told}", mistake.from, mistake.line).unwrap();
    }
    assert!(!said.contains("NO HELP"), "a message says nothing of what to do");
    said
}

#[test]
fn mistakes_of_newcomers_are_told_what_there_is_instead() {
    expect_file!["newcomers.txt"].assert_eq(&said_of(&first_mistakes()));
}

#[test]
fn more_mistakes_of_newcomers_are_told_what_there_is_instead() {
    expect_file!["newcomers_more.txt"].assert_eq(&said_of(&more_mistakes()));
}

/// Who does what a quick fix says does not hear it again, and comes to an end; where all mistakes have one, the program is accepted.
#[test]
fn fixes_that_are_followed_lead_to_programs_that_are_accepted() {
    let mut accepted = 0;
    for mistake in &all_mistakes() {
        let mut text = mistake.program();
        let mut all_fixed = true;
        for round in 0.. {
            assert!(round < 10, "{}: fixes without an end: {text}", mistake.line);
            let list = diagnostics(&text);
            all_fixed &= list.iter().all(|diagnostic| diagnostic.fix.is_some());
            let mut end = text.len();
            let mut fixed = Vec::new();
            for diagnostic in list.iter().rev() {
                let Some(Fix { span, text: new }) = diagnostic.fix.as_deref() else { continue };
                let (from, to) = (span.start as usize, span.end as usize);
                if to <= end {
                    text.replace_range(from..to, new);
                    fixed.push((diagnostic.message.clone(), from));
                    end = from;
                }
            }
            if fixed.is_empty() {
                let errors = list.iter().filter(|d| d.severity == Severity::Error);
                assert!(!all_fixed || errors.count() == 0, "{}: {text}", mistake.line);
                accepted += usize::from(all_fixed && round > 0);
                break;
            }
            // Fixes were applied from the back, so the first place is where it was.
            let (message, at) = fixed.last().expect("a fix");
            let again = diagnostics(&text);
            let is_again =
                |d: &Diagnostic| d.message == *message && d.label.span.start as usize == *at;
            assert!(!again.iter().any(is_again), "{}: {text}: {message}", mistake.line);
        }
    }
    assert!(accepted > 30, "only {accepted} mistakes are mended by their fixes alone");
}

/// A help that says which statement to write names one that can be read.
#[test]
fn statements_that_help_names_can_be_read() {
    let mut read = 0;
    for mistake in &all_mistakes() {
        let program = mistake.program();
        for hint in diagnostics(&program).iter().filter_map(|d| d.hint.as_deref()) {
            let quoted = hint.split('`').skip(1).step_by(2);
            for statement in quoted.filter(|quoted| quoted.ends_with(';') && quoted.len() > 1) {
                let statement = statement.replace('…', "n");
                let word = statement.split([' ', ';', '(', '[']).next().unwrap_or_default();
                let is_item = matches!(
                    word,
                    "const"
                        | "invariant"
                        | "predicate"
                        | "thread"
                        | "chan"
                        | "semaphore"
                        | "barrier"
                );
                let text = match is_item {
                    true => statement.clone(),
                    false => format!("void f() {{ {statement} }}"),
                };
                let (_, wrong) = weave::parse(&Source::new("help.weave", text.clone()));
                assert!(wrong.is_empty(), "{}: {hint}: {wrong:?}", mistake.line);
                read += 1;
            }
        }
    }
    assert!(read > 100, "only {read} statements were named");
}

#[test]
fn examples_mean_what_they_say() {
    let mut folders = vec![std::path::PathBuf::from("../../examples")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("a file").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "weave") {
                let text = std::fs::read_to_string(&path).expect("a text");
                let told = told(&text);
                let doubts = [
                    "no choice",
                    "is all that belongs",
                    "in C",
                    "does not belong to the",
                    "a truth value here",
                    "may end without",
                ];
                let doubted = doubts.iter().any(|doubt| told.contains(doubt));
                assert!(!doubted, "{}: {told}", path.display());
            }
        }
    }
}

/// A mistake and what its advice makes of it: where both are written, the mistake, `⟹`, the program that does what is said.
fn mended_mistakes() -> Vec<(Mistake, Option<Mistake>)> {
    let pairs = include_str!("newcomers_mended.in").lines().map(|line| {
        let (place, rest) = line.split_once(" | ").expect("a place");
        let (wrong, mended) = rest.split_once(" ⟹ ").expect("two programs");
        let one = |text: &str| Mistake::new("", &text.replace('↵', "\n"), place == "inside");
        (one(wrong), (mended != "-").then(|| one(mended)))
    });
    pairs.collect()
}

/// Each of these mistakes gets one message (two, where there are two mistakes), and whoever follows it writes a program that is accepted.
#[test]
fn advice_that_is_followed_leads_to_programs_that_are_accepted() {
    let mut said = String::new();
    for (mistake, mended) in mended_mistakes() {
        writeln!(said, "{}", mistake.line).unwrap();
        for told in diagnostics(&mistake.program()) {
            let word = if told.severity == Severity::Warning { "warning: " } else { "" };
            let help = told.hint.as_deref().unwrap_or("NO HELP");
            writeln!(said, "  {word}{}\n    {help}", told.message).unwrap();
        }
        let Some(mended) = mended.map(|mended| mended.program()) else { continue };
        let wrong = diagnostics(&mended);
        assert!(wrong.iter().all(|d| d.severity != Severity::Error), "{mended}: {wrong:?}");
    }
    expect_file!["newcomers_mended.txt"].assert_eq(&said);
    assert!(!said.contains("NO HELP"), "a message says nothing of what to do");
}
