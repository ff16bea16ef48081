//! Random programs that start threads, as text: at the beginning, in branches, in loops, at labels, by threads that were
//! started themselves, with and without arguments.

use std::fmt::Write;

/// A tiny generator of pseudo-random numbers (xorshift64*).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16) % n
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
}

/// Where threads are started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// In straight-line code at the beginning of the only thread.
    Beginning,
    /// Anywhere, but in loops.
    Branches,
    /// Anywhere, and perhaps again and again.
    Loops,
    /// At labels.
    Labels,
}

/// A program made from a number.
pub fn program(seed: u64, kind: Kind) -> String {
    let mut text = Text {
        dice: Dice(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
        out: String::new(),
        ids: false,
    };
    text.all(kind);
    text.out
}

struct Text {
    dice: Dice,
    out: String,
    /// Whether ids are kept.
    ids: bool,
}

impl Text {
    fn all(&mut self, kind: Kind) {
        let first = self.dice.pick(&["", " := false", " := true"]);
        let _ = writeln!(self.out, "bool x{first}; bool y := false; int[0..2] n := 0; lock m;");
        let g_starts = kind != Kind::Beginning && self.dice.below(4) == 0;
        self.out += "void helper(bool a) {\n";
        self.block(&["a", "x", "y"], "a", 1, &[]);
        self.out += "}\nbool f(bool a) {\n";
        self.block(&["a", "x", "y"], "a", 2, &[]);
        self.out += "return a;\n}\nvoid g(int[0..2] c, bool a) {\n";
        let starts: &[&str] = if g_starts { &["async f(a);", "async f(!x);"] } else { &[] };
        self.block(&["c == n", "a", "x"], "a", 2, starts);
        self.out += "}\nvoid h() {\n";
        self.block(&["x", "y", "n == 1"], "y", 2, &[]);
        self.out += "}\nvoid main() {\nbool a;\n";
        self.ids = match kind {
            Kind::Beginning | Kind::Branches => self.dice.below(3) == 0,
            Kind::Loops => self.dice.below(2) == 0,
            Kind::Labels => false,
        };
        if self.ids {
            self.out += "tid t; t := none;\n";
        }
        self.main(kind);
        self.out += "}\n";
        self.out += self.dice.pick(&[
            "thread main;\n",
            "thread main;\n",
            "thread main; thread other = h();\n",
        ]);
    }

    fn main(&mut self, kind: Kind) {
        let starts = [
            "async f(x);",
            "async f(true);",
            "async h();",
            "async g(n, a);",
            "async g({0 .. 1}, *);",
            "async g(n + 1, x);",
        ];
        match kind {
            Kind::Beginning => {
                for _ in 0..1 + self.dice.below(2) {
                    let start = self.dice.pick(&starts);
                    let dest = if self.ids { self.dice.pick(&["", "t := "]) } else { "" };
                    let _ = writeln!(self.out, "{dest}{start}");
                    if self.dice.below(3) == 0 {
                        self.statement(&["x", "y"], "a", 0, &[]);
                    }
                }
                self.block(&["x", "y", "n == 2"], "a", 1, &[]);
                self.join();
            }
            Kind::Branches => {
                self.block(&["x", "y"], "a", 0, &starts);
                let (one, two) = (self.dice.pick(&starts), self.dice.pick(&starts));
                let dest = if self.ids { "t := " } else { "" };
                let _ = writeln!(
                    self.out,
                    "if ({}) {dest}{one} else {{ {two} }}",
                    self.dice.pick(&["x", "*", "y"])
                );
                self.join();
                self.block(&["x", "y", "n == 2"], "a", 1, &[]);
            }
            Kind::Loops => {
                let one = self.dice.pick(&starts);
                let dest = if self.ids { "t := " } else { "" };
                let condition = self.dice.pick(&["*", "!x", "true"]);
                let _ = writeln!(self.out, "while ({condition}) {{ {dest}{one}");
                self.block(&["x", "y"], "a", 1, &starts);
                self.join();
                self.out += "}\n";
                self.block(&["x", "y"], "a", 0, &[]);
            }
            Kind::Labels => {
                let again = self.dice.below(2) == 0;
                self.block(&["x", "y"], "a", 0, &[]);
                self.out += if again {
                    "again: start_thread goto child;\n"
                } else {
                    "start_thread goto child;\n"
                };
                self.block(&["x", "a"], "a", 1, &[]);
                self.out += if again { "if (*) goto again;\n" } else { "" };
                self.out += "goto rest;\nchild: skip;\n";
                self.block(&["a", "y"], "a", 1, &[]);
                self.out += "end_thread;\nrest: skip;\n";
                self.block(&["x", "y"], "a", 0, &[]);
            }
        }
    }

    /// Now and then, waits for the last thread that was kept.
    fn join(&mut self) {
        if !self.ids {
            return;
        }
        let join = self.dice.pick(&["", "if (t != none) join t;\n", "join t;\n"]);
        self.out += join;
        if !join.is_empty() {
            self.statement(&["x", "y"], "a", 0, &[]);
        }
    }

    fn block(&mut self, conditions: &[&str], local: &str, depth: u32, starts: &[&str]) {
        for _ in 0..1 + self.dice.below(3) {
            self.statement(conditions, local, depth, starts);
        }
    }

    fn statement(&mut self, conditions: &[&str], local: &str, depth: u32, starts: &[&str]) {
        let condition = self.dice.pick(conditions);
        let not = self.dice.pick(&["", "!"]);
        if !starts.is_empty() && self.dice.below(3) == 0 {
            let start = self.dice.pick(starts);
            let _ = writeln!(self.out, "{start}");
            return;
        }
        let line = match self.dice.below(if depth > 0 { 13 } else { 9 }) {
            0 => format!("x := {not}({condition});"),
            1 => format!("y := {not}({condition});"),
            2 => "n := (n + 1) % 3;".to_owned(),
            3 => format!("{local} := {not}y;"),
            4 => format!("assert {not}({condition}) || {};", self.dice.pick(&["x", "y", "n != 2"])),
            5 => format!("assume {not}({condition});"),
            6 => self.dice.pick(&["x := *;", "n := {0 .. 2};", "skip;"]).to_owned(),
            7 => format!("acquire m; {local} := x; release m;"),
            8 => format!("assert {not}({condition});"),
            9 => {
                let _ = writeln!(self.out, "if ({not}({condition})) {{");
                self.block(conditions, local, depth - 1, starts);
                "}".to_owned()
            }
            10 => {
                self.out += "atomic {\n";
                self.block(conditions, local, depth - 1, &[]);
                "}".to_owned()
            }
            11 => format!("helper({local});")
                .replace("helper", if depth > 1 { "helper" } else { "skip; //" }),
            _ => {
                let _ = writeln!(
                    self.out,
                    "while ({}) {{ y := !y;",
                    self.dice.pick(&["*", "x", "n < 1"])
                );
                self.statement(conditions, local, 0, &[]);
                "}".to_owned()
            }
        };
        let _ = writeln!(self.out, "{line}");
    }
}
