//! Programs of a given size, made from a number: two threads that work on shared flags through
//! procedures that call each other, some of them recursively.
//!
//! They look like what is left of a program when its data are abstracted to truth values: flags
//! are set, tested and copied, a few are combined; a procedure works on a few neighbouring ones
//! and writes its locals before it reads them; every loop can be left. How many of the statements
//! work on shared flags is a part of the size: each of them can be told apart by the other thread,
//! so interfaces grow with their number. Some shared flags are
//! changed together, inside of a lock: whether they always agree is the question.

use std::fmt::Write;

/// How large a program is.
pub struct Size {
    /// Shared variables.
    pub globals: usize,
    /// Locals of the largest procedure.
    pub locals: usize,
    /// Procedures.
    pub procs: usize,
    /// Statements at the top of each procedure.
    pub statements: usize,
    /// How many statements in a hundred read or write shared variables.
    pub shared: usize,
}

/// The shared variables of the question: a lock, two flags that agree, and how far the threads are.
const OF_QUESTION: usize = 6;
/// How many shared variables a procedure works on.
const OF_PROCEDURE: usize = 4;
/// How many procedures the threads call.
const OF_THREADS: usize = 4;
/// How many procedures each procedure calls, as long as there are more.
const CALLEES: usize = 3;

struct Maker<'a> {
    dice: fastrand::Rng,
    size: &'a Size,
    text: String,
}

/// A procedure as it is written.
struct Body {
    proc: usize,
    locals: usize,
    /// Its first shared variable.
    global: usize,
    /// The locals that were written, the last one last.
    written: Vec<usize>,
    /// The next one to be written.
    next: usize,
}

/// What uses the procedures.
pub enum Threads {
    /// A single thread.
    One,
    /// Two threads, each of which waits for what the other one did. With a bug, the last thing that
    /// the second one does changes the two flags outside of the lock: that shows in round 3.
    Two {
        /// Whether there is a bug.
        bug: bool,
    },
}

const ONE: &str = "\
void only() {
  bool r := f0(false);
  change(r);
  r := f1(r);
  r := f2(r);
  change(r);
  r := f3(r);
  assert left == right;
}
thread only;
";

const TWO: &str = "\
void first() {
  bool r := f0(false);
  change(r);
  ready := true;
  r := f1(r);
  if (taken) {
    r := f2(r);
    done := true;
    r := f3(r);
    acquire m; assert left == right; release m;
  }
}
void second() {
  bool r := f1(true);
  if (ready) {
    r := f2(r);
    taken := true;
    change(r);
    r := f3(r);
    if (done) { r := !left; TAKE left := r; right := r; FREE }
  }
}
thread first;
thread second;
";

/// The text of a program.
pub fn generate(seed: u64, size: &Size, threads: Threads) -> String {
    let mut maker = Maker { dice: fastrand::Rng::with_seed(seed), size, text: String::new() };
    maker.text.push_str("lock m;\nbool left := false, right := false;\n");
    maker.text.push_str("bool ready := false, taken := false, done := false;\n");
    for index in 0..size.globals - OF_QUESTION {
        let _ = writeln!(maker.text, "bool g{index} := false;");
    }
    for proc in 0..size.procs {
        maker.procedure(proc);
    }
    let change = "void change(bool v) { acquire m; left := v; right := v; release m; }\n";
    let threads = match threads {
        Threads::One => ONE.to_owned(),
        Threads::Two { bug: true } => TWO.replace("TAKE ", "").replace(" FREE", ""),
        Threads::Two { bug: false } => {
            TWO.replace("TAKE", "acquire m;").replace("FREE", "release m;")
        }
    };
    maker.text + change + &threads
}

impl Maker<'_> {
    fn procedure(&mut self, proc: usize) {
        let largest = proc == 0;
        let locals = if largest { self.size.locals } else { self.dice.usize(5..=12) };
        let globals = self.size.globals - OF_QUESTION;
        let global = proc * (globals - OF_PROCEDURE) / (self.size.procs - 1).max(1);
        let mut body = Body { proc, locals, global, written: vec![0], next: 1 };
        let _ = writeln!(self.text, "bool f{proc}(bool l0) {{");
        for local in 1..locals {
            let _ = writeln!(self.text, "  bool l{local};");
        }
        let statements = self.size.statements * if largest { 2 } else { 1 };
        for _ in 0..statements {
            self.statement(&mut body, 2);
        }
        // The threads call the first ones; from there procedures form a tree, so all are called.
        for callee in (OF_THREADS + CALLEES * proc..self.size.procs).take(CALLEES) {
            let (read, write) = (self.read(&body), self.write(&mut body));
            let _ = writeln!(self.text, "  {write} := f{callee}({read});");
            self.statement(&mut body, 1);
        }
        let result = self.read(&body);
        let _ = writeln!(self.text, "  return {result};\n}}");
    }

    /// A local that was written not long ago.
    fn read(&mut self, body: &Body) -> String {
        let recent = body.written.len().saturating_sub(3);
        format!("l{}", body.written[self.dice.usize(recent..body.written.len())])
    }

    /// The next local, which is written now.
    fn write(&mut self, body: &mut Body) -> String {
        let local = body.next;
        body.next = 1 + body.next % (body.locals - 1);
        body.written.retain(|&other| other != local);
        body.written.push(local);
        format!("l{local}")
    }

    fn global(&mut self, body: &Body) -> String {
        format!("g{}", body.global + self.dice.usize(..OF_PROCEDURE))
    }

    /// What is written inside may not have been written afterwards.
    fn block(&mut self, body: &mut Body, depth: usize, most: usize) {
        let written = body.written.clone();
        for _ in 0..self.dice.usize(1..=most) {
            self.statement(body, depth);
        }
        // A local that was written on one way only has some value: it is not read.
        let inside = std::mem::replace(&mut body.written, written);
        body.written.retain(|local| inside.contains(local));
    }

    fn statement(&mut self, body: &mut Body, depth: usize) {
        let text = if self.dice.usize(..100) < self.size.shared {
            self.shared(body, depth)
        } else {
            self.local(body, depth)
        };
        let _ = writeln!(self.text, "{text}");
    }

    /// A statement that reads or writes shared variables.
    fn shared(&mut self, body: &mut Body, depth: usize) -> String {
        let (read, global) = (self.read(body), self.global(body));
        match self.dice.usize(..50) {
            0..6 if depth > 0 => self.branch(body, depth, &global),
            6..12 => {
                let write = self.write(body);
                let other = self.global(body);
                format!("acquire m; {write} := {global}; {other} := {read}; release m;")
            }
            12..20 => format!("{} := {read} || {global};", self.write(body)),
            20..30 => format!("{global} := {};", self.dice.bool()),
            30..40 => format!("{global} := {read};"),
            _ => format!("{} := {global};", self.write(body)),
        }
    }

    /// A statement that works on locals.
    fn local(&mut self, body: &mut Body, depth: usize) -> String {
        let read = self.read(body);
        match self.dice.usize(..50) {
            0..6 if depth > 0 => self.branch(body, depth, &read),
            6..12 if depth > 0 => {
                let again = self.write(body);
                let _ = writeln!(self.text, "{again} := *;\nwhile ({again}) {{");
                self.block(body, depth - 1, 3);
                format!("{again} := *;\n}}")
            }
            12..16 if depth > 0 => {
                let _ = writeln!(self.text, "if (*) {{");
                let proc = body.proc;
                let write = self.write(body);
                format!("{write} := f{proc}({read});\n}} else {{ {write} := {read}; }}")
            }
            16..26 => format!("{} := {};", self.write(body), self.dice.bool()),
            26..38 => format!("{} := !{read};", self.write(body)),
            _ => {
                let other = self.read(body);
                format!("{} := {read} && {other};", self.write(body))
            }
        }
    }

    fn branch(&mut self, body: &mut Body, depth: usize, on: &str) -> String {
        let _ = writeln!(self.text, "if ({on}) {{");
        self.block(body, depth - 1, 3);
        self.text.push_str("} else {\n");
        self.block(body, depth - 1, 2);
        "}".to_owned()
    }
}
