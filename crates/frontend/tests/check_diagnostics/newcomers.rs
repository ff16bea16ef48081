//! What people write who know C, Promela, TLA+, Rust, Go or Java, and what they are told: never only what was expected, always what
//! there is instead.

use std::fmt::Write as _;

use expect_test::expect_file;
use selvedge_frontend::{Input, LoadError, LoadOptions, Severity, parse};

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
    ("C", Inside("if (b); n := 1;")),
    ("C", Inside("while (b); n := 1;")),
    ("C", Inside("while (b) ; n := 1;")),
    ("C", Inside("if (b) { } else;")),
    ("C", Inside("n := 0; n := 08;")),
    ("Weave", Inside("either when b { n := 1; }")),
    ("Weave", Inside("atomic { either { n := 1; } }")),
    ("Weave", Inside("for (; b;); n := 1;")),
    ("C", Inside("n := 010;")),
];

#[test]
fn a_word_alone_is_no_reserved_word() {
    assert_eq!(
        told("garbage"),
        "write a declaration here, not `garbage`\n    statements stand in a procedure or in `thread NAME { … }`"
    );
}

/// The first message about a program, as `message (help)`, and how many more there are.
fn told(text: &str) -> String {
    let list = match parse("t.weave".as_ref(), text.to_owned(), &LoadOptions::default()) {
        Ok(Input::Program { warnings, .. }) => warnings.list,
        Err(LoadError::Invalid(wrong)) => wrong.list,
        other => return format!("{other:?}"),
    };
    let Some(first) = list.first() else { return "nothing is wrong".to_owned() };
    let word = if first.severity == Severity::Warning { "warning: " } else { "" };
    let help = first.hint.as_deref().unwrap_or("NO HELP");
    let more = match list.len() {
        1 => String::new(),
        many => format!("\n    (and {} more)", many - 1),
    };
    format!("{word}{}\n    {help}{more}", first.message)
}

#[test]
fn mistakes_of_newcomers_are_told_what_there_is_instead() {
    let mut said = String::new();
    for (from, written) in MISTAKES {
        let (line, text) = match written {
            Top(line) => (line, format!("{line}\nthread main {{ skip; }}\n")),
            Inside(line) => {
                let before =
                    "int n := 0; bool b := false; u8 byte := 0; lock m; condition c; int a[3];";
                (line, format!("{before}\nthread main {{\n  {line}\n}}\n"))
            }
        };
        let told = told(&text);
        writeln!(said, "{from}: {line}\n  {told}").unwrap();
    }
    expect_file!["newcomers.txt"].assert_eq(&said);
    assert!(!said.contains("NO HELP"), "a message says nothing of what to do");
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
                let doubts = ["no choice", "is all that belongs", "in C"];
                let doubted = doubts.iter().any(|doubt| told.contains(doubt));
                assert!(!doubted, "{}: {told}", path.display());
            }
        }
    }
}
