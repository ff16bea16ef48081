//! # Words of other languages
//! What people write in Boolean programs although it is not there, with what to write instead.
//! None of these words is reserved: a procedure or a variable may be called `lock`.

use rustc_hash::FxHashSet;

use super::parser::Parser;
use crate::Diagnostic;
use crate::syntax::{Effect, EffectKind, File, Item, Name, Stmt, StmtKind};

/// What to write instead of a word of another language, if it is a common one.
pub(super) fn hint(word: &str) -> Option<&'static str> {
    Some(match word {
        "lock" | "acquire" | "mutex_lock" | "pthread_mutex_lock" => {
            "a lock is a variable: `atomic_begin; assume(!m); m := 1; atomic_end;`"
        }
        "unlock" | "release" | "mutex_unlock" | "pthread_mutex_unlock" => {
            "a lock is a variable: `m := 0;`"
        }
        "trylock" | "cas" | "fetch_and_add" => {
            "write out what it does between `atomic_begin;` and `atomic_end;`"
        }
        "atomic" => "write `atomic_begin;` before and `atomic_end;` after",
        "async" | "pthread_create" => "a thread is started with `thread_create(f);`",
        "join" | "pthread_join" => "no thread can wait for another; let it wait for a variable",
        "wait" => "write `assume(e);`",
        "havoc" => "write `dead x;` or `x := *;`",
        "break" | "continue" => "jump with `goto` to a label after or before the loop",
        "either" => "write `if * then … else … fi;`",
        "int" | "var" | "shared" | "local" | "boolean" => {
            "a variable is declared with `decl x;`, and is Boolean"
        }
        "print" | "printf" => "leave it out: nothing is ever printed",
        "abort" | "error" => "write `assert(0);`",
        _ => return None,
    })
}

impl Parser<'_> {
    /// Reports calls of such words that are not procedures of the file: the checker could only
    /// say that there is no such procedure.
    pub(super) fn reject_foreign_calls(&mut self, file: &File) {
        let mut calls = Vec::new();
        let mut procs: FxHashSet<&str> = FxHashSet::default();
        for item in &file.items {
            if let Item::Proc(proc) = item {
                procs.insert(&proc.name.text);
                collect_calls(&proc.body, &mut calls);
            }
        }
        for name in calls {
            let Some(hint) = hint(&name.text) else { continue };
            if !procs.contains(name.text.as_str()) {
                let message = format!("there is no `{}` in Boolean programs", name.text);
                self.report(Diagnostic::error(name.span, message).hint(hint));
            }
        }
    }
}

fn collect_calls<'f>(body: &'f [Stmt], calls: &mut Vec<&'f Name>) {
    for statement in body {
        match &statement.kind {
            StmtKind::Effect { effect: Effect { kind: EffectKind::Call(name, _), .. }, .. } => {
                calls.push(name);
            }
            StmtKind::If { then, otherwise, .. } => {
                collect_calls(then, calls);
                collect_calls(otherwise, calls);
            }
            StmtKind::Block(body) | StmtKind::While { body, .. } => collect_calls(body, calls),
            _ => {}
        }
    }
}
