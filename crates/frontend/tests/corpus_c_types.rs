//! Every C program of the corpus has types, in both data models; and so has a program that uses what the headers of the system define.

use crate::{corpus, effort};

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use selvedge_frontend::c::typed::Unit;
use selvedge_frontend::c::types::DataModel;
use selvedge_frontend::c::{check, on_a_deep_stack, parse};
use selvedge_frontend::{Diagnostics, Severity};
use selvedge_program::Source;

/// Checks a text; says all that is wrong with it.
fn checked(name: &str, text: &str, model: DataModel) -> (Unit, String) {
    let (tree, mut problems) = parse(text);
    let (unit, more) = check(&tree, model);
    problems.extend(more);
    problems.retain(|problem| problem.severity == Severity::Error);
    let wrong = match problems.is_empty() {
        true => String::new(),
        false => Diagnostics::new(Source::new(name, text), problems).to_string(),
    };
    (unit, wrong)
}

#[test]
fn every_program_has_types() {
    let files = [corpus::files("c", "i"), corpus::files("c", "c")].concat();
    if files.is_empty() {
        return;
    }
    assert_eq!(files.len(), 154, "programs of the corpus");
    let mut all = String::new();
    for path in &files {
        let shown = path.display().to_string();
        let text = fs::read_to_string(path).unwrap();
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            let most = Duration::from_secs(1);
            // Effort is that of one thread.
            let check = || effort::within(most, &shown, || checked(&shown, &text, model));
            let (unit, wrong) = on_a_deep_stack(check);
            all += &wrong;
            let main = unit.functions.iter().find(|function| function.name == "main");
            assert!(main.is_some_and(|main| main.body.is_some()), "{shown}");
        }
    }
    assert!(all.is_empty(), "{all}");
}

/// Uses macros of the headers, which expand to extensions of GNU.
const PROGRAM: &str = r#"
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

struct node { _Atomic(struct node *) next; atomic_int value; pthread_mutex_t lock; };
static struct node first = { .next = NULL, .value = 1, .lock = PTHREAD_MUTEX_INITIALIZER };
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static atomic_flag spin = ATOMIC_FLAG_INIT;
static _Thread_local int own;
static void init(void) { own = 1; }
static int start(void *arg) { (void)arg; return thrd_success; }

static void *run(void *arg) {
    struct node *node = arg, *expected = NULL;
    int seen = atomic_load(&node->value);
    atomic_store_explicit(&node->value, seen + 1, memory_order_release);
    atomic_fetch_add(&node->value, 2);
    atomic_fetch_or_explicit(&node->value, 1, memory_order_relaxed);
    atomic_exchange(&node->next, node);
    while (!atomic_compare_exchange_weak(&node->next, &expected, node)) expected = NULL;
    while (atomic_flag_test_and_set(&spin)) thrd_yield();
    atomic_flag_clear(&spin);
    atomic_thread_fence(memory_order_seq_cst);
    pthread_mutex_lock(&node->lock);
    while (node->value < INT_MAX && errno != EINTR) pthread_cond_wait(&cond, &node->lock);
    pthread_mutex_unlock(&node->lock);
    assert(node != NULL && "there is a node");
    return (void *)(intptr_t)seen;
}

static int sum(int count, ...) {
    va_list list;
    int total = 0;
    va_start(list, count);
    while (count-- > 0) total += va_arg(list, int);
    va_end(list);
    return total;
}

int main(int argc, char **argv) {
    pthread_t thread, all[4];
    pthread_attr_t attr;
    pthread_mutexattr_t kind;
    sem_t sem;
    thrd_t c11;
    mtx_t mtx;
    void *result;
    bool done = false;
    struct timespec wait = { .tv_sec = 1, .tv_nsec = 5 * 1000 };
    uint8_t small = UINT8_MAX;
    size_t at = offsetof(struct node, value);
    pthread_attr_init(&attr);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    sem_init(&sem, 0, 1);
    pthread_once(&once, init);
    call_once(&flag, init);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (pthread_create(&all[i], NULL, run, &first) != 0) abort();
    thread = all[0];
    pthread_join(thread, &result);
    if (pthread_equal(thread, pthread_self()) || thread == all[1]) exit(EXIT_FAILURE);
    thrd_create(&c11, start, NULL);
    mtx_init(&mtx, mtx_plain | mtx_recursive);
    nanosleep(&wait, NULL);
    char *copy = malloc(strlen(argv[0]) + 1);
    if (copy) strcpy(copy, argv[0]), memset(copy, 0, 1);
    fprintf(stderr, "%d %zu %s\n", argc, at, done ? "yes" : "no");
    pthread_rwlock_rdlock(&rw);
    pthread_mutex_lock(&recursive);
    return sum(2, small, (int)(intptr_t)result);
}
"#;

#[test]
fn what_headers_define_has_types() {
    let preprocess = || {
        let mut gcc = Command::new("gcc")
            .args(["-E", "-D_GNU_SOURCE", "-x", "c", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        gcc.stdin.take()?.write_all(PROGRAM.as_bytes()).ok()?;
        let output = gcc.wait_with_output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let Some(text) = preprocess() else {
        println!("skipped: there is no gcc, or no headers");
        return;
    };
    let (unit, wrong) = checked("headers", &text, DataModel::Lp64);
    assert!(wrong.is_empty(), "{wrong}");
    let recursive = unit.objects.iter().find(|object| object.name == "recursive").unwrap();
    assert_eq!(recursive.init.len(), 1, "the kind of the mutex");
    let bodies = unit.functions.iter().filter(|function| function.body.is_some());
    let mut names: Vec<&str> = bodies.map(|function| function.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["init", "main", "run", "start", "sum"]);
}
