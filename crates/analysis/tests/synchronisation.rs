//! # Semaphores, conditions and barriers against an interpreter
//! **Question.** Do the statements about counters that these become mean what the language page says?
//! **Idea.** An interpreter that knows every thread by its name: who sleeps, who was woken. A notification picks
//! the threads that it wakes at once; the last one to arrive at a barrier lets all others go on in the same step.
//! **Claim.** On random programs both go wrong or both do not, both reach the same values of the shared variable with the same
//! threads ended, and both get stuck with the same values and the same threads.

use crate::support;

use std::collections::BTreeSet;
use std::fmt::Write;

use selvedge_model::System;
use selvedge_program::{GlobalId, Lowering, print};
use support::Dice;

const CONDITIONS: usize = 2;
const MOST_FREE: u8 = 2;

/// One step, but for waiting.
#[derive(Clone, Copy, Debug)]
enum Op {
    /// `x := (x * 2 + k) % 8;`
    Change(u8),
    Acquire,
    Release,
    Take,
    Give,
    Wait(usize),
    Notify(usize),
    NotifyAll(usize),
    Meet,
    /// `if (x == k)`, before what is done then.
    If(u8),
    /// Goes back to the first one.
    Again,
}

struct Threads {
    ops: Vec<Vec<Op>>,
    parties: u8,
    first_free: u8,
}

impl Threads {
    fn random(dice: &mut Dice) -> Self {
        let mut one = || {
            let mut ops = Vec::new();
            // Most programs hold the lock where they should.
            let held = dice.below(3) > 0;
            ops.extend(held.then_some(Op::Acquire));
            for _ in 0..1 + dice.below(3) {
                let k = dice.below(3) as u8;
                let c = dice.below(CONDITIONS);
                ops.extend((dice.below(5) == 0).then_some(Op::If(k)));
                ops.push(match dice.below(11) {
                    0..=1 => Op::Change(k),
                    2..=4 => Op::Wait(c),
                    5..=6 => Op::Notify(c),
                    7 => Op::NotifyAll(c),
                    8 => Op::Take,
                    9 => Op::Give,
                    _ => Op::Meet,
                });
            }
            ops.push(Op::Change(1));
            ops.extend(held.then_some(Op::Release));
            ops.extend((dice.below(4) == 0).then_some(Op::Again));
            ops
        };
        let ops = vec![one(), one(), one()];
        Threads { ops, parties: 1 + dice.below(3) as u8, first_free: dice.below(2) as u8 }
    }

    fn text(&self) -> String {
        let mut text = format!(
            "int[0..7] x := 0; lock m; condition c, d; barrier b := {};\n\
             semaphore[0..{MOST_FREE}] s := {};\n",
            self.parties, self.first_free
        );
        for (thread, ops) in self.ops.iter().enumerate() {
            let again = matches!(ops.last(), Some(Op::Again));
            let _ =
                write!(text, "thread t{thread} {{ {}", if again { "while (true) { " } else { "" });
            for op in ops {
                let condition = |c: &usize| ["c", "d"][*c];
                let _ = match op {
                    Op::Change(k) => write!(text, "x := (x * 2 + {k}) % 8; "),
                    Op::Acquire => write!(text, "acquire m; "),
                    Op::Release => write!(text, "release m; "),
                    Op::Take => write!(text, "acquire s; "),
                    Op::Give => write!(text, "release s; "),
                    Op::Wait(c) => write!(text, "wait {}, m; ", condition(c)),
                    Op::Notify(c) => write!(text, "notify {}; ", condition(c)),
                    Op::NotifyAll(c) => write!(text, "notify all {}; ", condition(c)),
                    Op::Meet => write!(text, "wait b; "),
                    Op::If(k) => write!(text, "if (x == {k}) "),
                    Op::Again => write!(text, "}} "),
                };
            }
            text += "}\n";
        }
        text
    }
}

/// What a thread of the interpreter does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Mode {
    Runs,
    Sleeps(usize),
    Woken,
    Arrived,
    Ended,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Config {
    x: u8,
    owner: Option<usize>,
    free: u8,
    threads: Vec<(usize, Mode)>,
}

/// What the runs of a program come to, in both: whether one goes wrong; the values of `x` with the threads that have ended, in all
/// states and in those in which nobody can act.
#[derive(PartialEq, Eq, Debug, Default)]
struct Seen {
    wrong: bool,
    reached: BTreeSet<(u8, Vec<bool>)>,
    stuck: BTreeSet<(u8, Vec<bool>)>,
}

impl Threads {
    /// The states after a step of a thread; `None` if it goes wrong.
    fn step(&self, from: &Config, me: usize) -> Option<Vec<Config>> {
        let (at, mode) = from.threads[me];
        let mut next = from.clone();
        next.threads[me] = (at + 1, Mode::Runs);
        match mode {
            Mode::Sleeps(_) | Mode::Arrived | Mode::Ended => return Some(Vec::new()),
            Mode::Woken if from.owner.is_some() => return Some(Vec::new()),
            Mode::Woken => {
                next.owner = Some(me);
                return Some(vec![next]);
            }
            Mode::Runs => {}
        }
        let Some(&op) = self.ops[me].get(at) else {
            next.threads[me] = (at, Mode::Ended);
            return Some(vec![next]);
        };
        match op {
            Op::Change(k) => next.x = (from.x * 2 + k) % 8,
            Op::Acquire if from.owner.is_some() => return Some(Vec::new()),
            Op::Acquire => next.owner = Some(me),
            Op::Release | Op::Wait(_) if from.owner != Some(me) => return None,
            Op::Release => next.owner = None,
            Op::Take if from.free == 0 => return Some(Vec::new()),
            Op::Take => next.free -= 1,
            Op::Give if from.free == MOST_FREE => return None,
            Op::Give => next.free += 1,
            Op::Wait(c) => {
                next.owner = None;
                next.threads[me] = (at, Mode::Sleeps(c));
            }
            Op::Notify(c) => {
                let wake = |thread: usize| {
                    let mut woken = next.clone();
                    woken.threads[thread].1 = Mode::Woken;
                    woken
                };
                let asleep = (0..self.ops.len()).filter(|&t| from.threads[t].1 == Mode::Sleeps(c));
                let woken: Vec<Config> = asleep.map(wake).collect();
                return Some(if woken.is_empty() { vec![next] } else { woken });
            }
            Op::NotifyAll(c) => {
                let asleep = next.threads.iter_mut().filter(|(_, mode)| *mode == Mode::Sleeps(c));
                asleep.for_each(|(_, mode)| *mode = Mode::Woken);
            }
            Op::Meet => {
                next.threads[me] = (at, Mode::Arrived);
                let there = next.threads.iter().filter(|(_, mode)| *mode == Mode::Arrived);
                if there.count() == usize::from(self.parties) {
                    let there = next.threads.iter_mut().filter(|(_, mode)| *mode == Mode::Arrived);
                    there.for_each(|(at, mode)| (*at, *mode) = (*at + 1, Mode::Runs));
                }
            }
            Op::If(k) if from.x != k => next.threads[me].0 += 1,
            Op::If(_) => {}
            Op::Again => {
                // No step of its own: the test of the loop is one, and comes at its beginning, too.
                next.threads[me].0 = 0;
            }
        }
        Some(vec![next])
    }

    fn seen(&self) -> Seen {
        let threads = vec![(0, Mode::Runs); self.ops.len()];
        let first = Config { x: 0, owner: None, free: self.first_free, threads };
        let mut seen = Seen::default();
        let mut met = BTreeSet::from([first.clone()]);
        let mut todo = vec![first];
        while let Some(config) = todo.pop() {
            let ended = config.threads.iter().map(|(_, mode)| *mode == Mode::Ended).collect();
            let shown: (u8, Vec<bool>) = (config.x, ended);
            seen.reached.insert(shown.clone());
            let (mut is_stuck, before) = (true, todo.len());
            for me in 0..self.ops.len() {
                match self.step(&config, me) {
                    None => (seen.wrong, is_stuck) = (true, false),
                    Some(next) => todo.extend(next),
                }
            }
            is_stuck &= todo.len() == before;
            if is_stuck {
                seen.stuck.insert(shown);
            }
            let fresh: Vec<Config> =
                todo.drain(before..).filter(|c| met.insert(c.clone())).collect();
            todo.extend(fresh);
        }
        seen
    }
}

/// What the lowered program does.
fn lowered(system: &Lowering) -> Seen {
    let mut seen = Seen::default();
    support::visit_states(system, |state, is_stuck| {
        if system.wrong(state.shared).is_some() {
            seen.wrong = true;
            return;
        }
        let x = system.global_value(state.shared, GlobalId(0)).small().unwrap();
        let ended = state.threads.iter().map(|thread| thread.has_ended()).collect();
        let shown: (u8, Vec<bool>) = (u8::try_from(x).unwrap(), ended);
        seen.reached.insert(shown.clone());
        if is_stuck {
            seen.stuck.insert(shown);
        }
    });
    seen
}

#[test]
fn random_programs_do_what_the_interpreter_does() {
    let mut interesting = [0_u32; 3];
    for seed in 0..support::many(300) {
        let threads = Threads::random(&mut Dice::new(seed));
        let text = threads.text();
        let wanted = threads.seen();
        let program = support::read_weave(&text);
        let system = support::lower(&program, &text).unwrap();
        assert_eq!(lowered(&system), wanted, "{text}");
        // What is printed has counters in the place of the words, and means the same.
        let printed = print::weave(&program);
        assert_eq!(lowered(&support::system(&printed)), wanted, "{printed}");
        interesting[0] += u32::from(wanted.wrong);
        interesting[1] += u32::from(wanted.stuck.iter().any(|(_, ended)| ended.contains(&false)));
        interesting[2] += u32::from(wanted.stuck.iter().any(|(_, ended)| !ended.contains(&false)));
    }
    assert!(interesting.iter().all(|&n| n > 10), "wrong, stuck, ended: {interesting:?}");
}

fn stuck(text: &str) -> BTreeSet<(u8, Vec<bool>)> {
    let seen = lowered(&support::system(text));
    assert!(!seen.wrong, "{text}");
    seen.stuck
}

/// A call goes to those who sleep when it is made: the one who comes later sleeps on.
#[test]
fn nobody_takes_a_call_that_came_before() {
    let stuck = stuck(
        "int[0..3] x := 0; lock m; condition c;
         thread early { acquire m; x := 1; wait c, m; release m; }
         thread caller { wait(x == 1); acquire m; notify c; x := 2; release m; }
         thread late { wait(x == 2); acquire m; wait c, m; release m; }",
    );
    assert_eq!(stuck, BTreeSet::from([(2, vec![true, true, false])]));
}

/// A call that nobody hears is lost, and a thread that waits for it shows as a deadlock.
#[test]
fn a_call_that_nobody_hears_is_lost() {
    let stuck = stuck(
        "int[0..1] x := 0; lock m; condition c;
         thread caller { notify c; }
         thread sleeper { acquire m; wait c, m; x := 1; release m; }",
    );
    let both = [(0, vec![true, false]), (1, vec![true, true])];
    assert_eq!(stuck, BTreeSet::from(both));
}

/// A thread can call and sleep in one breath, with the lock in its hands all the time.
#[test]
fn calling_and_then_sleeping_under_one_lock() {
    let stuck = stuck(
        "int[0..4] x := 0; lock m; condition c;
         void turn(int[0..1] me) {
           acquire m;
           while (x < 4) {
             if (x % 2 == me) { x := x + 1; notify c; } else wait c, m;
           }
           release m;
         }
         thread player[i] * 2 = turn(i);",
    );
    assert_eq!(stuck, BTreeSet::from([(4, vec![true, true])]));
}

/// Counters have a range where the number of threads is known, and are integers where it is not.
#[test]
fn counters_go_up_to_the_number_of_threads() {
    let range = |text: &str| {
        let system = support::system(text);
        let globals = &system.program().globals;
        globals.iter().map(|v| v.ty.scalar().integer_name().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(
        range("condition c[2]; thread w * 3 { notify c[0]; } thread n { notify all c[1]; }"),
        ["int[0..4]", "int[0..4]"]
    );
    assert_eq!(
        range("condition c; void f() { notify c; } thread n { async f(); }"),
        ["int", "int"]
    );
}
