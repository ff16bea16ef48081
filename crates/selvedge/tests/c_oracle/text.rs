//! Programs with places at which a value is looked at: what gcc is to print there, and what the verifier is told to expect.

/// A line of a program.
#[derive(Clone, Debug)]
pub enum Line {
    /// C as it is.
    Text(String),
    /// A value that is looked at; every run of the program gets here exactly once.
    Look(String),
}

/// A program in C.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub lines: Vec<Line>,
}

impl Program {
    /// The program that prints every value it is asked for.
    pub fn printing(&self) -> String {
        let print = |value: &str, _| {
            format!("__builtin_printf(\"%llu\\n\", (unsigned long long)({value}));")
        };
        self.with(print)
    }

    /// The program that calls `reach_error` where a value is not the one that is expected.
    pub fn expecting(&self, values: &[u64]) -> String {
        let test = |value: &str, number: usize| {
            format!("if ((unsigned long long)({value}) != {:#x}ULL) reach_error();", values[number])
        };
        format!("extern void reach_error(void);\n{}", self.with(test))
    }

    fn with(&self, look: impl Fn(&str, usize) -> String) -> String {
        let mut number = 0;
        let mut text = String::new();
        for line in &self.lines {
            match line {
                Line::Text(line) => text += line,
                Line::Look(value) => {
                    text += &look(value, number);
                    number += 1;
                }
            }
            text.push('\n');
        }
        text
    }
}
