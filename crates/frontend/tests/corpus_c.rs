//! Every C program of the corpus is read without complaint, and so are the headers of the system.

use crate::{corpus, effort};

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use selvedge_frontend::c::tree::{Item, Unit};
use selvedge_frontend::c::{on_a_deep_stack, parse};
use selvedge_frontend::{Diagnostic, Diagnostics};
use selvedge_program::Source;

/// The names of the functions that have a body.
fn functions<'u>(unit: &'u Unit) -> Vec<&'u str> {
    let function = |item: &'u Item| match item {
        Item::Function(function) => function.declarator.name.as_ref().map(|name| &*name.text),
        _ => None,
    };
    unit.items.iter().filter_map(function).collect()
}

fn assert_clean(name: &str, text: &str, diagnostics: Vec<Diagnostic>) {
    let list = Diagnostics::new(Source::new(name, text), diagnostics);
    assert!(list.list.is_empty(), "{list}");
}

#[test]
fn every_program_is_read() {
    let files = [corpus::files("c", "i"), corpus::files("c", "c")].concat();
    if files.is_empty() {
        return;
    }
    assert_eq!(files.len(), 154, "programs of the corpus");
    for path in &files {
        let shown = path.display().to_string();
        let text = fs::read_to_string(path).unwrap();
        let most = Duration::from_millis(500);
        // Effort is that of one thread.
        let read = || effort::within(most, &shown, || parse(&text));
        let (unit, diagnostics) = on_a_deep_stack(read);
        assert_clean(&shown, &text, diagnostics);

        let functions = functions(&unit);
        assert!(functions.contains(&"main"), "{shown} has no main");
        // A function has its body in braces at the margin, in programs as people and tools write them.
        let bodies =
            text.lines().filter(|line| line.starts_with('}') && !line.contains(';')).count();
        assert!(functions.len() * 2 >= bodies, "{shown}: {} of {bodies} bodies", functions.len());
    }
}

/// What the preprocessor makes of a text, if there is one.
fn preprocess(text: &str, options: &[&str]) -> Option<String> {
    let mut command = Command::new("gcc");
    command.args(["-E", "-x", "c", "-"]).args(options);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut gcc = command.spawn().ok()?;
    gcc.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = gcc.wait_with_output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

const HEADERS: &[&str] = &[
    "stdio",
    "stdlib",
    "string",
    "pthread",
    "semaphore",
    "stdatomic",
    "threads",
    "errno",
    "time",
    "unistd",
    "assert",
    "limits",
    "stdint",
    "stdbool",
    "signal",
    "sys/types",
    "math",
    "setjmp",
    "ctype",
    "inttypes",
    "stdarg",
    "stddef",
    "fcntl",
    "sys/stat",
    "sys/time",
    "sys/mman",
    "sched",
    "poll",
    "locale",
    "wchar",
    "stdalign",
    "stdnoreturn",
    "complex",
    "tgmath",
    "fenv",
    "float",
    "sys/socket",
    "netinet/in",
    "sys/wait",
    "dirent",
    "ucontext",
];

#[test]
fn headers_of_the_system_are_read() {
    let mut text: String =
        HEADERS.iter().map(|header| format!("#include <{header}.h>\n")).collect();
    text += "static atomic_int n; static once_flag once = ONCE_FLAG_INIT;\n\
             int main(void) {\n\
                 pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
                 atomic_fetch_add(&n, 1);\n\
                 assert(atomic_load(&n) == 1 && offsetof(struct tm, tm_sec) == 0);\n\
                 bool b = errno != EINTR; va_list args; double x = sqrt(2.0f);\n\
                 return b ? (int) NULL : (int) sizeof(m);\n\
             }\n";
    let options: [&[&str]; 5] =
        [&[], &["-O2"], &["-std=c11"], &["-std=gnu89"], &["-D_GNU_SOURCE", "-O2", "-P"]];
    for options in options {
        let Some(text) = preprocess(&text, options) else {
            println!("skipped: there is no gcc that preprocesses with {options:?}");
            continue;
        };
        let (unit, diagnostics) = parse(&text);
        assert_clean(&format!("headers with {options:?}"), &text, diagnostics);
        assert_eq!(functions(&unit).last(), Some(&"main"));
        assert!(unit.items.len() > 1000, "{} items", unit.items.len());
    }
}

/// Programs that end somewhere, or lack a piece: the parser says something, in time.
#[test]
fn broken_programs_are_survived() {
    let files = [corpus::files("c", "i"), corpus::files("c", "c")].concat();
    let mut random = fastrand::Rng::with_seed(4);
    for path in &files {
        let text = fs::read_to_string(path).unwrap();
        for _ in 0..3 {
            let cut = |at: usize| (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            let from = cut(random.usize(..text.len()));
            let to = cut((from + random.usize(1..30)).min(text.len()));
            for broken in [text[..from].to_owned(), format!("{}{}", &text[..from], &text[to..])] {
                let most = Duration::from_secs(2);
                let read = || effort::within(most, path.display(), || parse(&broken));
                let (_, diagnostics) = on_a_deep_stack(read);
                for d in diagnostics {
                    let (start, end) = (d.label.span.start as usize, d.label.span.end as usize);
                    assert!(broken.get(start..end).is_some(), "{}: {d:?}", path.display());
                }
            }
        }
    }
}
