//! Programs of a given size, made from a number: two threads that work on shared Booleans through
//! procedures that call each other, some of them recursively.

use std::fmt::Write;

/// How large a program is.
pub struct Size {
    /// Shared variables, five of them for the question and a lock.
    pub globals: usize,
    /// Locals of the largest procedure.
    pub locals: usize,
    /// Procedures.
    pub procs: usize,
    /// Statements at the top of each procedure.
    pub statements: usize,
}

struct Maker<'a> {
    dice: fastrand::Rng,
    size: &'a Size,
    text: String,
}

/// The text of a program. With a bug, the second thread can break what the first one relies on,
/// after each has seen what the other one did; without, it cannot.
pub fn generate(seed: u64, size: &Size, bug: bool) -> String {
    let dice = fastrand::Rng::with_seed(seed);
    let mut maker = Maker { dice, size, text: String::from("lock m;\n") };
    for index in 0..size.globals - 5 {
        let _ = writeln!(maker.text, "bool g{index} := false;");
    }
    for flag in ["ready", "taken", "done", "broken"] {
        let _ = writeln!(maker.text, "bool {flag} := false;");
    }
    for proc in 0..size.procs {
        maker.procedure(proc);
    }
    let harm = if bug { "broken := true;" } else { "broken := false;" };
    let _ = write!(
        maker.text,
        "void first() {{
  bool r := f0(false, true);
  acquire m; ready := true; release m;
  r := f1(r, false);
  if (taken) {{ done := true; r := f2(r, true); assert !broken; }}
}}
void second() {{
  bool r := f0(true, true);
  if (ready) {{ taken := true; r := f1(r, true); if (done) {{ {harm} }} }}
}}
thread first;
thread second;
"
    );
    maker.text
}

impl Maker<'_> {
    fn procedure(&mut self, proc: usize) {
        let locals = if proc == 0 { self.size.locals } else { self.dice.usize(4..=9) };
        // Each procedure works on a few of the shared variables.
        let mut mine: Vec<usize> = (0..self.size.globals - 5).collect();
        self.dice.shuffle(&mut mine);
        mine.truncate(4);
        let _ = writeln!(self.text, "bool f{proc}(bool l0, bool l1) {{");
        for local in 2..locals {
            let value = self.dice.bool();
            let _ = writeln!(self.text, "  bool l{local} := {value};");
        }
        for _ in 0..self.size.statements {
            self.statement(proc, locals, &mine, 2);
        }
        let result = self.dice.usize(..locals);
        let _ = writeln!(self.text, "  return l{result};\n}}");
    }

    fn block(&mut self, proc: usize, locals: usize, mine: &[usize], depth: usize, most: usize) {
        for _ in 0..self.dice.usize(1..=most) {
            self.statement(proc, locals, mine, depth);
        }
    }

    fn statement(&mut self, proc: usize, locals: usize, mine: &[usize], depth: usize) {
        let local = self.dice.usize(..locals);
        let other = self.dice.usize(..locals);
        let third = self.dice.usize(..locals);
        let global = mine[self.dice.usize(..mine.len())];
        match self.dice.usize(..100) {
            75..82 if depth > 0 => {
                let _ = writeln!(self.text, "while (l{local}) {{");
                self.block(proc, locals, mine, depth - 1, 3);
                self.text.push_str("}\n");
            }
            60..75 if depth > 0 => {
                let on = if self.dice.bool() { format!("l{local}") } else { format!("g{global}") };
                let _ = writeln!(self.text, "if ({on}) {{");
                self.block(proc, locals, mine, depth - 1, 3);
                self.text.push_str("} else {\n");
                self.block(proc, locals, mine, depth - 1, 2);
                self.text.push_str("}\n");
            }
            82..95 if proc + 1 < self.size.procs => {
                let callee = self.dice.usize(proc + 1..=(proc + 3).min(self.size.procs - 1));
                let _ = writeln!(self.text, "l{local} := f{callee}(l{other}, l{third});");
            }
            95..97 => {
                let _ = writeln!(self.text, "l{local} := f{proc}(l{other}, l{third});");
            }
            97..100 => {
                let _ = writeln!(self.text, "acquire m; g{global} := l{local}; release m;");
            }
            45..60 => {
                let _ = writeln!(self.text, "g{global} := l{local};");
            }
            _ => {
                let value = match self.dice.usize(..20) {
                    0..6 => format!("l{other}"),
                    6..10 => format!("!l{other}"),
                    10..14 => format!("l{other} && l{third}"),
                    14..17 => format!("g{global}"),
                    17..19 => format!("l{other} || g{global}"),
                    _ => "*".to_owned(),
                };
                let _ = writeln!(self.text, "l{local} := {value};");
            }
        }
    }
}
