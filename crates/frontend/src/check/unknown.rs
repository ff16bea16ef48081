//! # Unknown variables
//! A name that means nothing is most often misspelt, out of its block, or not declared yet.

use selvedge_program::{EnumId, Span};

use super::expressions::Typer;
use super::items::Item;
use super::scope::Mode;
use super::similar::did_you_mean;
use crate::Diagnostic;
use crate::syntax::Name;

/// Once so many problems are found, similar names are no longer looked for: nobody reads that far,
/// and each search looks at all names.
const ENOUGH_PROBLEMS: usize = 200;

/// The beginning of the advice to declare a variable.
const DECLARE: &str = "declare it, as in";

/// The advice for `join all;`.
const EACH_THREAD: &str = "each thread is waited for by itself: `join t;`";

/// The advice for `if (timeout)`.
const NO_TIMEOUT: &str =
    "leave it out: a state in which nobody can move is a deadlock, which `verify` reports";

/// The words for no reference in other languages.
const NOBODY: [&str; 5] = ["null", "NULL", "nil", "None", "nullptr"];

/// The words for the acting thread in other languages.
const ITSELF: [&str; 4] = ["_pid", "self", "pid", "this"];

impl<'a> Typer<'_, 'a> {
    /// Reports an unknown variable, with the most helpful guess of what was meant.
    pub fn unknown(&mut self, name: &Name) {
        let text = &name.text;
        let constant = matches!(self.scope.mode, Mode::Constant | Mode::Arguments(_));
        let (what, example) = if constant {
            ("constant", format!("declare it, as in `const {text} = 1;`"))
        } else {
            ("variable", declare("bool", text))
        };
        let problem = Diagnostic::error(name.span, format!("there is no {what} `{text}`"));
        let dead = self.scope.locals.iter().rev().find(|local| local.written == text);
        let problem = if let Some(hint) = self.needs_scope(name) {
            problem.hint(hint)
        } else if let Some(local) = dead {
            let (ends, hint) = if local.revealed {
                (
                    "this one ends with its block",
                    "declare it before the block, to use it after it too",
                )
            } else {
                ("this one is only being declared", "a first value cannot depend on itself")
            };
            problem.related(local.span, ends).hint(hint)
        } else if let Some((owner, declared)) = self.local_elsewhere(name) {
            let hint = format!(
                "`{text}` is a local variable of `{owner}`, and an invariant reads shared variables only: declare it outside of the procedures, or write `assert` in `{owner}`"
            );
            match declared {
                Some(declared) => problem.related(declared, "declared here").hint(hint),
                None => problem.hint(hint),
            }
        } else if let Some(hint) = self.similar(name, |typer| {
            let constants = ["true", "false"].into_iter();
            typer.scope.names().chain(typer.items.names(Item::is_value)).chain(constants).collect()
        }) {
            problem.hint(hint)
        } else if NOBODY.contains(&text.as_str()) {
            problem.hint("`none` is no thread; other variables always hold a value of their type")
        } else if ITSELF.contains(&text.as_str()) {
            problem
                .hint("`thread NAME[i] * 2 { … }` gives each thread its number: `i` is 0, then 1")
        } else if text == "timeout" {
            problem.hint(NO_TIMEOUT)
        } else if text == "all" {
            problem.hint(EACH_THREAD)
        } else if self.scope.unknown.insert(text.clone()) {
            problem.hint(example)
        } else {
            return;
        };
        self.problems.push(problem);
    }

    /// In an invariant, the procedure or thread that has a local variable of this name, and the declaration of a parameter.
    fn local_elsewhere(&self, name: &Name) -> Option<(&'a str, Option<Span>)> {
        let (at, name) = (name.span.start, name.text.as_str());
        let is_round = |span: Span, end: Span| span.start <= at && at < end.end;
        let mut invariants =
            self.items.threads.iter().filter(|thread| thread.name.text.starts_with("invariant"));
        if !invariants.any(|thread| is_round(thread.span, thread.end)) {
            return None;
        }
        self.items.procs.iter().find_map(|proc| {
            let param = proc.params.iter().find(|param| param.name.text == name);
            let is_local = param.is_some() || proc.survey.locals.contains(&name);
            let owner = proc.name.text.as_str();
            is_local.then(|| (owner, param.map(|param| param.name.span)))
        })
    }

    /// A question for the known name that is closest to an unknown one.
    pub fn similar(&self, name: &Name, known: impl Fn(&Self) -> Vec<&'a str>) -> Option<String> {
        if self.problems.len() >= ENOUGH_PROBLEMS {
            return None;
        }
        did_you_mean(&name.text, known(self))
    }

    /// Where the last problem is that this name is unknown, and a declaration is advised: one of
    /// another type is advised.
    pub fn declare_instead(&mut self, name: &Name, ty: &str) {
        self.advise_instead(name, declare(ty, &name.text));
    }

    /// Where the last problem is that this name is unknown, and a declaration is advised: the values of an enumeration are
    /// listed, since one of them is wanted.
    pub fn list_instead(&mut self, name: &Name, id: EnumId) {
        let hint = self.items.all_values(id);
        self.advise_instead(name, hint);
    }

    /// Where a problem is that the variable which a `for` counts with is unknown: says how it is declared there.
    pub fn declare_counter(&mut self, name: &Name, last: &str) {
        let text = &name.text;
        let problem = self.problems.iter_mut().rev().find(|p| p.label.span == name.span);
        if let Some(problem) = problem
            && problem.hint.as_ref().is_some_and(|hint| hint.starts_with(DECLARE))
        {
            problem.hint = Some(format!("{DECLARE} `for (int[0..{last}] {text} := 0; …)`"));
        }
    }

    /// Gives other advice where the last problem is that this name is unknown, and a declaration is advised.
    pub fn advise_instead(&mut self, name: &Name, hint: String) {
        let usual = match name.text.as_str() {
            "all" => EACH_THREAD.to_owned(),
            text => declare("bool", text),
        };
        if let Some(last) = self.problems.last_mut()
            && last.label.span == name.span
            && last.hint.as_ref() == Some(&usual)
        {
            last.hint = Some(hint);
        }
    }
}

fn declare(ty: &str, name: &str) -> String {
    format!("{DECLARE} `{ty} {name};`")
}
