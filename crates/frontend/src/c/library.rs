//! # Functions of the library that are written in C
//! `strlen` and its kin mean what a few lines of C say (`library.c`). Those that a text calls and does not define are read after it, as if they stood at its end.

use std::collections::BTreeSet;

use super::typed::{Callee, ExprKind, Unit};

/// The library's functions, one for each line.
const FUNCTIONS: &str = include_str!("library.c");

/// The definitions of all functions that are called and not defined.
#[must_use]
pub fn missing(unit: &Unit) -> String {
    let mut called = BTreeSet::new();
    for function in &unit.functions {
        for statement in function.body.iter().flatten() {
            super::lower::each_expr_of(statement, &mut |expr| {
                if let ExprKind::Call(Callee::Direct(id), _) | ExprKind::Function(id) = &expr.kind {
                    called.insert(*id);
                }
            });
        }
    }
    let is_missing = |name: &str| {
        (called.iter().map(|id| &unit.functions[id.index()]))
            .any(|function| function.name == name && function.body.is_none())
    };
    let is_defined = |name: &str| unit.functions.iter().any(|f| f.name == name && f.body.is_some());
    // A function that ends the program calls what was registered for its end.
    let is_wanted = |name: &str| match name {
        "exit" => is_missing("atexit") && !is_defined("exit"),
        _ => is_missing(name),
    };
    let wanted = FUNCTIONS.lines().filter(|line| name(line).is_some_and(is_wanted));
    wanted.fold(String::new(), |text, line| text + "\n" + line)
}

/// The name of the function that a line defines: what stands before its parameters.
fn name(line: &str) -> Option<&str> {
    let line = line.strip_prefix("__typeof__(sizeof(0)) ").unwrap_or(line);
    let before = line.split_once('(')?.0;
    before.rsplit([' ', '*']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_defines_a_function() {
        let names: Vec<_> = FUNCTIONS.lines().filter_map(name).collect();
        assert_eq!(names.len(), FUNCTIONS.lines().count());
        assert_eq!(names[..3], ["strlen", "strnlen", "strcmp"]);
        assert!(names.contains(&"strchr") && names.contains(&"memchr"));
    }
}
