//! Limits hold everywhere: a command ends within a tenth of its time or half a second, and within a fifth of its memory,
//! with *unknown* and what was completed. The cases once overran by seconds or gigabytes.
//!
//! These tests are about time: they have the machine to themselves, and what it keeps them waiting for is taken off.
#![cfg(target_os = "linux")]

use std::fmt::Write;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;

/// What a machine that does other things, too, may take to start a program and to end it.
const START: Duration = Duration::from_millis(500);

/// How long to sleep between two looks at a run, and what a nap may take before the machine is said to stall.
const NAP: Duration = Duration::from_millis(2);
const LONG_NAP: Duration = Duration::from_millis(20);

/// The memory that the program takes beside what it counts: 25 MB that the allocator keeps between pieces, and the code that runs, 15 MB of it
/// with optimization and 27 MB without.
const OWN_MEMORY: u64 = if cfg!(debug_assertions) { 52_000_000 } else { 40_000_000 };

/// A table whose threads come to no end soon, if there are many of them.
const TABLE: &str = "3 5\n0 0 -> 0 1\n0 1 -> 1 2\n1 1 -> 2 3\n2 2 -> 2 4\n2 4 -> 0 0\n2 3 -> 0 1\n";

/// What a limit may be late by.
fn late(limit: Duration) -> Duration {
    limit.mul_f64(0.1).max(Duration::from_millis(500)) + START
}

/// How a run ended.
struct Ended {
    time: Duration,
    /// The most bytes that it had, as the system counts.
    memory: u64,
    /// How long the machine kept us waiting beyond the naps that we took: a busy machine keeps the program waiting, too.
    stalled: Duration,
    code: Option<i32>,
    said: String,
}

/// One at a time: each is measured.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("limits-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn start(folder: &Path, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.current_dir(folder).args(arguments).env("NO_COLOR", "1").stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits for the end of a run, and looks at its memory all along. Ends it by force after a minute.
fn end(mut child: Child) -> Ended {
    let start = Instant::now();
    let mut stdout = child.stdout.take().unwrap();
    let reader = thread::spawn(move || {
        let mut said = String::new();
        let _ = stdout.read_to_string(&mut said);
        said
    });
    let status = format!("/proc/{}/status", child.id());
    let (mut memory, mut stalled) = (0, Duration::ZERO);
    let code = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        let text = fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = peak.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        memory = memory.max(kilobytes.unwrap_or(0) * 1024);
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
        }
        let asleep = Instant::now();
        thread::sleep(NAP);
        stalled += asleep.elapsed().saturating_sub(LONG_NAP);
    };
    Ended { time: start.elapsed(), memory, stalled, code, said: reader.join().unwrap() }
}

/// Asks about a file, and sees that the limits hold.
#[track_caller]
fn holds(folder: &Path, asked: &[&str], milliseconds: u64, megabytes: Option<u64>) -> Ended {
    let time = format!("{milliseconds}ms");
    let memory = megabytes.map(|megabytes| format!("{megabytes}MB"));
    let mut arguments = [asked, &["--timeout", &time]].concat();
    if let Some(memory) = &memory {
        arguments.extend(["--memory", memory]);
    }
    let limit = Duration::from_millis(milliseconds);
    let most = |ended: &Ended| limit + late(limit) + ended.stalled;
    let mut ended = end(start(folder, &arguments));
    if ended.time > most(&ended) {
        // A disk that is written to may hold up a run once; a program that does not look at its limit is late again.
        eprintln!("{arguments:?}: {:?}, once more", ended.time);
        ended = end(start(folder, &arguments));
    }
    assert!(ended.time <= most(&ended), "{arguments:?}: {:?}: {}", ended.time, ended.said);
    if let Some(megabytes) = megabytes {
        let most = megabytes * 1_200_000 + OWN_MEMORY;
        assert!(ended.memory <= most, "{arguments:?}: {} bytes: {}", ended.memory, ended.said);
    }
    ended
}

/// Asks about a file, and sees that the limits hold and that one of them was reached.
#[track_caller]
fn reaches(folder: &Path, asked: &[&str], milliseconds: u64, megabytes: Option<u64>) {
    let ended = holds(folder, asked, milliseconds, megabytes);
    assert_eq!(ended.code, Some(20), "{asked:?}: {}", ended.said);
    assert!(ended.said.contains("limit was reached"), "{asked:?}: {}", ended.said);
    let says_how_far = ["completed", "effort"].iter().any(|word| ended.said.contains(word));
    assert!(says_how_far, "{asked:?}: {}", ended.said);
}

#[test]
fn an_atomic_section_without_an_end() {
    let (_alone, folder) = (alone(), folder("atomic"));
    let text = "int x := 0;\nthread t { atomic { while (*) x := x + 1; } assert x >= 0; }\n";
    fs::write(folder.join("atomic.weave"), text).unwrap();
    for engine in ["auto", "explicit"] {
        let asked = ["verify", "atomic.weave", "--engine", engine];
        let ended = holds(&folder, &asked, 2000, Some(300));
        assert!(matches!(ended.code, Some(0 | 20)), "{}", ended.said);
        holds(&folder, &asked, 300, None);
    }
}

#[test]
fn tables_with_many_threads() {
    let (_alone, folder) = (alone(), folder("tables"));
    fs::write(folder.join("many.tts"), TABLE).unwrap();
    for threads in ["thread=10000", "thread=100000"] {
        let asked = ["verify", "many.tts", "--threads", threads];
        reaches(&folder, &asked, 1000, None);
    }
}

#[test]
fn thousands_of_threads() {
    let (_alone, folder) = (alone(), folder("threads"));
    let mut text = "int[0..9] x := 0;\n".to_owned();
    for number in 0..5000 {
        let digit = number % 10;
        writeln!(text, "thread t{number} {{ x := {digit}; assert x != {digit} || x < 10; }}")
            .unwrap();
    }
    fs::write(folder.join("declared.weave"), &text).unwrap();
    let counted = "int[0..9] x := 0;\nvoid p() { x := (x + 1) % 10; if (*) p(); }\n\
                   thread t[i] * 10000 { p(); assert x < 10; }\n";
    fs::write(folder.join("counted.weave"), counted).unwrap();
    for file in ["declared.weave", "counted.weave"] {
        for question in ["verify", "livelock"] {
            reaches(&folder, &[question, file], 2000, Some(300));
        }
    }
}

#[test]
fn long_texts() {
    let (_alone, folder) = (alone(), folder("texts"));
    let mut locals = "thread t {\n".to_owned();
    for number in 0..50_000 {
        writeln!(locals, "  int[0..3] v{number} := {};", number % 4).unwrap();
    }
    for number in 1..50_000 {
        writeln!(locals, "  v{} := v{number};", number - 1).unwrap();
    }
    fs::write(folder.join("locals.weave"), locals + "  assert v0 <= 3;\n}\n").unwrap();
    let mut text = "int[0..9] x := 0;\nthread t {\n".to_owned();
    while text.len() < 10_000_000 {
        text += "  if (x == 3) { x := 5; } else { x := 7; }\n";
    }
    fs::write(folder.join("text.weave"), text + "}\n").unwrap();
    for file in ["locals.weave", "text.weave"] {
        reaches(&folder, &["verify", file], 1000, Some(200));
        reaches(&folder, &["verify", file], 500, None);
    }
}

/// Engines that work one after the other free what they had; the allocator keeps it for each of their threads, unless it is told to give it back.
#[test]
fn programs_in_c_with_little_memory() {
    let (_alone, folder) = (alone(), folder("c"));
    let array = "#include <pthread.h>\n#include <assert.h>\nint a[8], s;\n\
        void *w(void *p) { for (int i = 0; i < 1000000; i++) { a[i % 8] = a[(i + 1) % 8] + i; s += a[i % 8] & 7; } return 0; }\n\
        int main() { pthread_t t[4]; for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, w, 0);\n\
          for (int i = 0; i < 4; i++) pthread_join(t[i], 0); assert(s != 12345); }\n";
    fs::write(folder.join("array.c"), array).unwrap();
    let list = "#include <stdlib.h>\n#include <pthread.h>\nstruct node { struct node *next; int value; } *head;\n\
        void *w(void *p) { for (int i = 0; i < 100000; i++) { struct node *n = malloc(sizeof *n); n->value = i; n->next = head; head = n; } return 0; }\n\
        int main() { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, w, 0);\n\
          for (int i = 0; i < 3; i++) pthread_join(t[i], 0); }\n";
    fs::write(folder.join("list.c"), list).unwrap();
    let mut text = "#include <pthread.h>\nint x;\nvoid *w(void *p) {\n".to_owned();
    while text.len() < 10_000_000 {
        text += "  if (x == 3) x = 5; else x = 7;\n";
    }
    text += "  return 0; }\nint main() { pthread_t t; pthread_create(&t, 0, w, 0); }\n";
    fs::write(folder.join("text.c"), text).unwrap();
    reaches(&folder, &["verify", "array.c"], 30_000, Some(50));
    reaches(&folder, &["verify", "text.c"], 1000, Some(100));
    // How many objects it follows may end it before.
    assert_eq!(holds(&folder, &["verify", "list.c"], 30_000, Some(50)).code, Some(20));
}

#[test]
fn many_locks_deep_stacks_and_large_arrays() {
    let (_alone, folder) = (alone(), folder("large"));
    let (mut locks, mut steps) = (String::new(), String::new());
    for number in 0..3000 {
        writeln!(locks, "lock l{number};").unwrap();
        writeln!(steps, "  acquire(l{number}); g := (g + 1) % 4; release(l{number});").unwrap();
    }
    let locks = format!("{locks}int[0..3] g := 0;\nthread t * 3 {{\n{steps}  assert g < 4;\n}}\n");
    fs::write(folder.join("locks.weave"), locks).unwrap();
    let deep = "int[0..1000000] x := 0;\nvoid f(int[0..1000000] n) { if (n < 1000000) { f(n + 1); x := n; } }\n\
                thread t * 2 { f(0); assert x >= 0; }\n";
    fs::write(folder.join("deep.weave"), deep).unwrap();
    let array = "int[0..9] a[60000];\nthread t * 3 { int[0..59999] i := 0; while (i < 59999) { a[i] := (a[i] + 1) % 10; i := i + 1; } }\n";
    fs::write(folder.join("array.weave"), array).unwrap();
    // A parameter that only grows.
    let grows = "void ping(int n) { pong(n + 1); }\nvoid pong(int n) { ping(n + 1); }\nthread t { ping(0); }\n";
    fs::write(folder.join("grows.weave"), grows).unwrap();
    for (question, file) in [
        ("verify", "locks.weave"),
        ("verify", "deep.weave"),
        ("verify", "array.weave"),
        ("livelock", "grows.weave"),
    ] {
        reaches(&folder, &[question, file], 1000, Some(100));
    }
}

/// Sends a signal, and says how long the program took to end.
fn interrupted(child: Child, signal: &str, after: Duration) -> Ended {
    thread::sleep(after);
    let pid = child.id().to_string();
    assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    end(child)
}

#[test]
fn signals_are_heard_at_once() {
    let (_alone, folder) = (alone(), folder("signals"));
    fs::write(folder.join("many.tts"), TABLE).unwrap();
    let asked = ["verify", "many.tts", "--threads", "thread=100000"];
    let ended = interrupted(start(&folder, &asked), "-TERM", Duration::from_millis(1500));
    assert!(ended.time <= late(Duration::ZERO), "{:?}", ended.time);
    assert_eq!(ended.code, Some(20), "{}", ended.said);
    assert!(ended.said.contains("the run was interrupted"), "{}", ended.said);
}

/// What a page is answered: all that comes until the connection is closed.
fn ask_page(host: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// The answer is there at once, and then the table beside it is made, which takes seconds.
#[test]
fn the_page_ends_at_once_while_a_table_is_made() {
    let (_alone, folder) = (alone(), folder("page"));
    let text = "int[0..9] a[12];\nthread t * 4 { while (true) { int[0..9] d := {0 .. 9}; \
                int[0..11] i := {0 .. 11}; a[i] := d; } }\nthread sees { assert a[0] < 10; }\n";
    fs::write(folder.join("large.weave"), text).unwrap();
    let asked = ["explore", "large.weave", "--no-open", "--quiet"];
    let mut child = start(&folder, &asked);
    let mut url = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut url).unwrap();
    let (host, token) = url.trim().strip_prefix("http://").unwrap().split_once('/').unwrap();
    let question = "{\"question\":\"verify\"}";
    let started = ask_page(
        host,
        &format!(
            "POST /{token}runs HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{question}",
            question.len()
        ),
    );
    assert!(started.contains("{\"run\":1}"), "{started}");
    let _silent: Vec<_> = (0..80).map(|_| TcpStream::connect(host).unwrap()).collect();
    thread::sleep(Duration::from_millis(1500));
    let document = format!("GET /{token}runs/1/document HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let document = ask_page(host, &document);
    assert!(document.contains("there is no document yet"), "{document}");
    child.stdout = Some(stdout.into_inner());
    let ended = interrupted(child, "-INT", Duration::ZERO);
    assert!(ended.time <= late(Duration::ZERO), "{:?}", ended.time);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
}

/// Declares so many shared variables.
fn truth_values(count: u32) -> String {
    (0..count).map(|number| format!("bool v{number} := false;\n")).collect()
}

/// A large program that no engine answers soon: the kind, its text, and what is asked.
fn large(rng: &mut Rng) -> (&'static str, String) {
    let mut text = String::new();
    match rng.u32(0..7) {
        // Numbers grow without an end in one action.
        0 => {
            let step = rng.u32(1..9);
            text += "int x := 0; int y := 1; int z := 1;\n";
            writeln!(text, "thread t {{ while (*) {{ atomic {{ while (*) {{ x := x + {step}; y := y + y / 2 + x; z := z + z / 2 + y; }} }} }} assert y != 0 - 7; }}").unwrap();
            ("explicit", text)
        }
        // Large arrays that are filled with anything.
        1 => {
            let (length, threads) = (rng.u32(60..3000), rng.u32(2..5));
            writeln!(text, "int[0..9] a[{length}];\nthread t * {threads} {{ while (true) {{ int[0..9] d := {{0 .. 9}}; a[{{0 .. {}}}] := d; assert a[0] < 10; }} }}", length - 1).unwrap();
            ("auto", text)
        }
        // Many different threads.
        2 => {
            text += "int[0..99] x := 0;\n";
            for number in 0..rng.u32(300..3000) {
                writeln!(text, "thread t{number} {{ while (true) {{ x := (x + {}) % 100; x := (x * 7) % 100; }} }}", number % 100).unwrap();
            }
            ("auto", text)
        }
        // Deep recursion whose frames have values.
        3 => {
            let values = rng.u32(500..5000);
            writeln!(text, "int[0..{values}] x := 0;\nvoid f(int[0..{values}] n) {{ x := (x + n) % {values}; if (*) f((n + x) % {values}); x := (x * 3 + n) % {values}; }}").unwrap();
            writeln!(text, "thread t * 3 {{ f(1); f(2); assert x <= {values}; }}").unwrap();
            ("auto", text)
        }
        // Wide loops over many variables.
        4 => {
            let variables = rng.u32(30..300);
            text += &truth_values(variables);
            text += "thread t * 2 { while (true) {\n";
            for number in 0..variables {
                writeln!(
                    text,
                    "  if (*) v{number} := v{} == v{};",
                    (number * 7 + 1) % variables,
                    (number * 11 + 3) % variables
                )
                .unwrap();
            }
            text += "  assert v0 || !v0;\n} }\n";
            ("explicit", text)
        }
        // Wide atomic blocks, one after the other.
        5 => {
            let variables = rng.u32(40..80);
            text += &truth_values(variables);
            text += "thread t * 2 { while (true) { atomic {\n";
            for number in 0..variables {
                if number % 10 == 9 {
                    text += "} atomic {\n";
                }
                writeln!(text, "  if (*) v{number} := !v{number};").unwrap();
            }
            text += "} assert v0 || !v0; } }\n";
            ("explicit", text)
        }
        // Long texts.
        _ => {
            text += "int[0..99] x := 0;\nthread t * 2 {\n";
            for number in 0..rng.u32(150_000..300_000) {
                writeln!(text, "  if (x == {}) x := {};", number % 100, number % 97).unwrap();
            }
            text += "}\n";
            ("auto", text)
        }
    }
}

/// A dozen of them; 200 with `SELVEDGE_LIMITS=200`.
#[test]
fn large_programs_reach_their_limits_and_no_more() {
    let (_alone, folder) = (alone(), folder("random"));
    let count = std::env::var("SELVEDGE_LIMITS").ok().and_then(|text| text.parse().ok());
    for seed in 0..count.unwrap_or(12) {
        let mut rng = Rng::with_seed(seed);
        let (engine, text) = large(&mut rng);
        let file = format!("{seed}.weave");
        fs::write(folder.join(&file), text).unwrap();
        let (time, memory) = (rng.u64(100..1500), rng.u64(60..400));
        reaches(&folder, &["verify", &file, "--engine", engine], time, Some(memory));
        fs::remove_file(folder.join(&file)).unwrap();
    }
}
