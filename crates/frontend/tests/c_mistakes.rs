//! What programmers write in C by mistake, and what they are told: where it is in the file that they wrote, what is wrong, and what to do.
//! The texts are preprocessed: line markers say where they come from.

use std::fmt::Write as _;
use std::path::Path;

use expect_test::expect_file;
use selvedge_frontend::{Diagnostic, Input, LoadError, LoadOptions, Severity, parse};

/// What stands in a header, as a preprocessor leaves it behind.
const HEADER: &str = "\
# 1 \"wrong.c\"
# 1 \"/usr/include/pthread.h\" 1 3 4
typedef unsigned long pthread_t; typedef struct { int hidden[10]; } pthread_mutex_t; typedef struct { int hidden[10]; } pthread_attr_t;
extern int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg);
extern int pthread_join(pthread_t thread, void **result);
extern int pthread_mutex_lock(pthread_mutex_t *mutex);
extern int printf(const char *format, ...);
# 1 \"wrong.c\" 2
";

/// Whole files, and bodies of `main` with what stands before it.
const MISTAKES: &[&str] = &include!("c_mistakes.in");

#[test]
fn every_mistake_has_a_message_with_its_place() {
    let mut shown = String::new();
    for mistake in MISTAKES {
        let text = format!("{HEADER}{mistake}\n");
        let problems = match parse(Path::new("wrong.i"), text, &LoadOptions::default()) {
            Err(LoadError::Invalid(problems)) => problems,
            Ok(Input::Program { warnings, .. }) => warnings,
            other => panic!("{mistake}: {other:?}"),
        };
        for line in mistake.lines() {
            writeln!(shown, "    {line}").unwrap();
        }
        assert!(!problems.list.is_empty(), "nothing is said of:\n{mistake}");
        for problem in &problems.list {
            assert!(problem.label.text.contains("wrong.c:"), "a place in the file: {problem:?}");
            writeln!(shown, "{}", told(problem)).unwrap();
        }
        shown.push('\n');
    }
    assert!(MISTAKES.len() >= 50);
    expect_file!["c_mistakes.txt"].assert_eq(&shown);
}

/// The place in the file that was written, the message, and what to do.
fn told(problem: &Diagnostic) -> String {
    let kind = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let hint = problem.hint.as_deref().map(|hint| format!("\n  {hint}")).unwrap_or_default();
    format!("{} {kind}: {}{hint}", problem.label.text, problem.message)
}
