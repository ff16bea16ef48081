//! Small random programs with *neighbours*: a constant is another one, a statement is missing, an
//! assertion says nothing, a thread is left out. Some of a family are wrong and some are not, and all
//! look alike.

use fastrand::Rng;

/// What a program of a family looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// A fixed number of threads, some with recursion.
    Fixed,
    /// Any number of threads of one template.
    Any,
    /// One thread, with recursion.
    Single,
    /// A fixed number of threads that wait for locks and values; deadlocks are asked for.
    Waiting,
    /// A fixed number of threads that go round in circles; endless runs are asked for.
    Circling,
    /// Integers without bounds, and any number of threads.
    Unbounded,
}

/// A statement; what is changed for a neighbour is its number, or all of it.
#[derive(Clone, Debug)]
struct Statement {
    form: &'static str,
    number: u32,
    is_left_out: bool,
}

/// A program as a list of statements for each of its procedures.
#[derive(Clone, Debug)]
pub struct Recipe {
    family: Family,
    procs: Vec<Vec<Statement>>,
    /// How many threads run each procedure; `None` is any number.
    threads: Vec<Option<u32>>,
}

/// Forms of statements; `#` is a number from 0 to 2.
const PLAIN: &[&str] = &[
    "x := #;",
    "y := #;",
    "x := (x + 1) % 3;",
    "l := x;",
    "y := l;",
    "if (x == #) { y := #; }",
    "if (x != #) { x := l; }",
    "atomic { assume x != #; y := (y + 1) % 3; }",
    "if (*) { l := #; }",
    "while (y == #) { y := (y + 1) % 3; }",
];
const CALLS: &[&str] =
    &["if (*) { PROC(); }", "if (x == #) { PROC(); }", "if (*) { PROC(); x := #; }"];
const ASSERTS: &[&str] =
    &["assert x != #;", "assert x != # || y != #;", "assert l == x || y == #;"];
const WAITS: &[&str] = &[
    "acquire m;",
    "release m;",
    "acquire m; x := #; release m;",
    "assume x == #;",
    "assume y != #;",
    "acquire n; acquire m; release m; release n;",
    "acquire m; acquire n; release n; release m;",
];
const CIRCLES: &[&str] = &[
    "while (x == #) { skip; }",
    "while (y != #) { x := (x + 1) % 3; }",
    "assume x == #;",
    "while (*) { y := #; }",
    "while (fair *) { skip; }",
    "acquire m; y := #; release m;",
];
const UNBOUNDED: &[&str] = &[
    "x := x + 1;",
    "x := #;",
    "l := x;",
    "atomic { l := x; x := x + 1; }",
    "assume x == #;",
    "if (x < #) { y := 1; }",
    "y := l;",
];

/// The random recipe of a seed.
pub fn recipe(family: Family, seed: u64) -> Recipe {
    let mut rng = Rng::with_seed(seed);
    let (forms, more): (&[&str], &[&str]) = match family {
        Family::Fixed | Family::Single => (PLAIN, CALLS),
        Family::Any => (PLAIN, PLAIN),
        Family::Waiting => (PLAIN, WAITS),
        Family::Circling => (PLAIN, CIRCLES),
        Family::Unbounded => (UNBOUNDED, UNBOUNDED),
    };
    let count = match family {
        Family::Single => 1,
        Family::Unbounded => 1,
        _ => rng.usize(1..=2),
    };
    let statement = |rng: &mut Rng, forms: &[&'static str]| Statement {
        form: forms[rng.usize(0..forms.len())],
        number: rng.u32(0..3),
        is_left_out: false,
    };
    let mut procs = Vec::new();
    let mut threads = Vec::new();
    for at in 0..count {
        let mut list = Vec::new();
        for _ in 0..rng.usize(2..=3) {
            let chosen = if rng.bool() { more } else { forms };
            list.push(statement(&mut rng, chosen));
        }
        if !matches!(family, Family::Waiting | Family::Circling) {
            list.push(statement(&mut rng, ASSERTS));
        }
        procs.push(list);
        let any = matches!(family, Family::Any | Family::Unbounded) && at + 1 == count;
        let most = if family == Family::Single || count == 2 { 1 } else { 2 };
        threads.push((!any).then(|| rng.u32(1..=most)));
    }
    Recipe { family, procs, threads }
}

impl Recipe {
    /// The text of the program.
    pub fn text(&self) -> String {
        let ty = if self.family == Family::Unbounded { "int" } else { "int[0..2]" };
        let mut text = format!("{ty} x := 0, y := 0; lock m, n;\n");
        for (at, list) in self.procs.iter().enumerate() {
            text += &format!("void p{at}() {{ {ty} l := 0;\n");
            for Statement { form, number, is_left_out } in list {
                text += &match is_left_out {
                    true => "  skip;\n".to_owned(),
                    false => {
                        let form = form.replace('#', &number.to_string());
                        format!("  {}\n", form.replace("PROC", &format!("p{at}")))
                    }
                };
            }
            text += "}\n";
        }
        for (at, count) in self.threads.iter().enumerate() {
            let count = count.map_or("any".to_owned(), |n| n.to_string());
            text += &format!("thread p{at} * {count};\n");
        }
        text
    }

    /// Every program that differs in one respect.
    pub fn neighbours(&self) -> Vec<Recipe> {
        let mut all = Vec::new();
        let mut change = |with: &dyn Fn(&mut Recipe)| {
            let mut changed = self.clone();
            with(&mut changed);
            all.push(changed);
        };
        for (proc, list) in self.procs.iter().enumerate() {
            for (at, statement) in list.iter().enumerate() {
                change(&|r| r.procs[proc][at].is_left_out = true);
                if statement.form.contains('#') {
                    change(&|r| r.procs[proc][at].number = (statement.number + 1) % 3);
                    change(&|r| r.procs[proc][at].number = (statement.number + 2) % 3);
                }
            }
            if let Some(count) = self.threads[proc] {
                if count == 1 && self.family != Family::Single {
                    change(&|r| r.threads[proc] = Some(2));
                }
                if count > 1 {
                    change(&|r| r.threads[proc] = Some(count - 1));
                }
            }
        }
        all
    }
}
