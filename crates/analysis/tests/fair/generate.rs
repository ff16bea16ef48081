//! Small programs that go round in circles, made from numbers.

use fastrand::Rng;

/// A program of two or three threads with a loop each, over a few truth values and a lock.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let locks = rng.bool();
    let fair = rng.u8(0..3) == 0;
    let mut text = "bool a := false, b := *; ".to_owned();
    if locks {
        text += "lock m; ";
    }
    for thread in 0..rng.usize(2..=3) {
        let mut maker = Maker { rng: &mut rng, locks, fair };
        let before = if maker.rng.bool() { maker.statement(0, false) } else { String::new() };
        let cond = maker.condition();
        let body = maker.block(2, true);
        let after = if maker.rng.u8(0..3) == 0 { maker.statement(0, false) } else { String::new() };
        text += &format!("\nthread t{thread} {{ {before}while ({cond}) {{ {body}}} {after}}}");
    }
    text
}

/// A program in which threads come to an end while others go on: one of them sets things up and
/// ends, or starts others and ends (with `starts`), or goes round a few times only.
#[allow(dead_code, reason = "shared by two tests, and each uses a part of it")]
pub fn ending(seed: u64, starts: bool) -> String {
    let mut rng = Rng::with_seed(seed ^ 0x5e1d_ed9e);
    let locks = rng.bool();
    let mut text = "bool a := false, b := *; ".to_owned();
    if locks {
        text += "lock m; ";
    }
    let workers = rng.usize(1..=2);
    for worker in 0..workers {
        let fair = rng.u8(0..4) == 0;
        let mut maker = Maker { rng: &mut rng, locks, fair };
        let (cond, body) = (maker.condition(), maker.block(2, true));
        let body = match maker.rng.u8(0..4) {
            0 => format!("int[0..1] n := 1; while (n > 0) {{ {body}n := 0; }}"),
            1 => body.replace("break; ", "skip; "),
            _ => format!("while ({cond}) {{ {body}}}"),
        };
        text += &format!("\nvoid w{worker}() {{ {body} }}");
    }
    let mut maker = Maker { rng: &mut rng, locks, fair: false };
    let mut setup = maker.statement(0, false);
    for worker in 0..workers {
        match starts && (worker == 0 || maker.rng.bool()) {
            true => setup += &format!("async w{worker}(); "),
            false => text += &format!("\nthread w{worker};"),
        }
        if maker.rng.bool() {
            setup += &maker.statement(0, false);
        }
    }
    text + &format!("\nthread main {{ {setup}}}")
}

/// A program that starts one or two threads and waits for their ends, again and again, beside another thread; and one that does
/// so with threads that are there from the beginning and wait for their turns. Both go on for ever or neither does.
#[allow(dead_code, reason = "shared by two tests, and each uses a part of it")]
pub fn forking(seed: u64) -> [String; 2] {
    let mut rng = Rng::with_seed(seed ^ 0xf0_4b1e);
    let locks = rng.bool();
    let head =
        if locks { "bool a := false, b := *; lock m; " } else { "bool a := false, b := *; " };
    let mut started = head.to_owned();
    let mut waiting = head.to_owned();
    let workers = rng.usize(1..=2);
    for worker in 0..workers {
        let mut maker = Maker { rng: &mut rng, locks, fair: false };
        let (cond, mut body) = (maker.condition(), maker.block(2, false));
        if maker.rng.u8(0..4) == 0 {
            body = format!("while ({cond}) {{ {body}}}");
        }
        started += &format!("\nvoid w{worker}() {{ {body} }}");
        waiting += &format!(
            "\nbool go{worker} := false, done{worker} := false; thread w{worker} {{ while (true) {{ \
             atomic {{ assume go{worker}; go{worker} := false; }} {body} done{worker} := true; }} }}"
        );
    }
    let fair = rng.u8(0..3) == 0;
    let mut maker = Maker { rng: &mut rng, locks, fair };
    let cond = if maker.rng.bool() { "true".to_owned() } else { maker.condition() };
    let mut loops = [String::new(), String::new()];
    let mut both = |texts: [String; 2]| loops.iter_mut().zip(texts).for_each(|(l, t)| *l += &t);
    for worker in 0..workers {
        let between = maker.statement(0, true);
        both([between.clone(), between]);
        both([
            format!("t{worker} := async w{worker}(); "),
            format!("atomic {{ go{worker} := true; done{worker} := false; }} "),
        ]);
    }
    for worker in 0..workers {
        let between = maker.statement(1, true);
        both([between.clone(), between]);
        both([format!("join t{worker}; "), format!("assume done{worker}; ")]);
    }
    let [forks, waits] = loops;
    started += &format!("\nthread main {{ tid t0, t1; while ({cond}) {{ {forks}}} }}");
    waiting += &format!("\nthread main {{ while ({cond}) {{ {waits}}} }}");
    if maker.rng.bool() {
        let (cond, body) = (maker.condition(), maker.block(1, true));
        let other = format!("\nthread other {{ while ({cond}) {{ {body}}} }}");
        started += &other;
        waiting += &other;
    }
    [started, waiting]
}

struct Maker<'r> {
    rng: &'r mut Rng,
    locks: bool,
    fair: bool,
}

impl Maker<'_> {
    fn variable(&mut self) -> &'static str {
        if self.rng.bool() { "a" } else { "b" }
    }

    fn condition(&mut self) -> String {
        let variable = self.variable();
        match self.rng.u8(0..8) {
            0 => "true".to_owned(),
            1 => "*".to_owned(),
            2 | 3 if self.fair => match self.rng.u8(0..3) {
                0 => format!("fair * || {variable}"),
                1 => format!("fair * && {variable}"),
                _ => "fair *".to_owned(),
            },
            4 => format!("{variable} && *"),
            5 => "a == b".to_owned(),
            _ if self.rng.bool() => variable.to_owned(),
            _ => format!("!{variable}"),
        }
    }

    fn block(&mut self, most: usize, in_loop: bool) -> String {
        (0..self.rng.usize(1..=most)).map(|_| self.statement(1, in_loop)).collect()
    }

    fn statement(&mut self, depth: usize, in_loop: bool) -> String {
        let variable = self.variable();
        match self.rng.u8(0..12) {
            0 | 1 => format!("{variable} := {}; ", self.rng.bool()),
            2 => format!("{variable} := !{variable}; "),
            3 => format!("{variable} := *; "),
            4 => "skip; ".to_owned(),
            5 if self.rng.bool() => format!("assume {variable}; "),
            5 | 6 => format!("assume !{variable}; "),
            7 if self.locks => {
                format!("acquire m; {}release m; ", self.statement(0, false))
            }
            8 if self.locks => "acquire m; ".to_owned(),
            9 if in_loop => "break; ".to_owned(),
            10 => {
                let other = self.variable();
                format!("atomic {{ assume {variable}; {other} := {}; }} ", self.condition())
            }
            _ if depth > 0 => {
                let (cond, then) = (self.condition(), self.block(1, in_loop));
                match self.rng.bool() {
                    true => format!("if ({cond}) {{ {then}}} "),
                    false => {
                        format!("if ({cond}) {{ {then}}} else {{ {}}} ", self.block(1, in_loop))
                    }
                }
            }
            _ => format!("{variable} := !{variable}; "),
        }
    }
}
