//! Channels, structs, parameters that stand for shared variables and `cas` of whole structs, in random programs, against the meaning that the
//! language page gives them, enumerated by hand: a channel is a queue; one without room lets a sender and a receiver meet in one step; a whole
//! struct is read, written, compared and swapped in one step; a `ref` parameter is the variable that the call names.

use std::collections::{HashSet, VecDeque};
use std::fmt::Write as _;

use selvedge::{
    Bound, Deadlocks, EngineName, InputOptions, Options, Subject, VerdictName, check, recheck,
    verify,
};

/// How many random cases to try; `SELVEDGE_SEEDS=2000` makes tests thorough.
fn many(usual: u64) -> u64 {
    std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Numbers that look random, always the same for a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn pair(&mut self) -> Pair {
        (self.roll(3) as u8, self.roll(2) == 1)
    }

    fn value(&mut self) -> Value {
        if self.roll(2) == 0 { Value::Own } else { Value::Given(self.pair()) }
    }
}

/// `{v, b}`
type Pair = (u8, bool);

/// What is sent or stored: the local variable `x`, or a list of members.
#[derive(Clone, Copy)]
enum Value {
    Own,
    Given(Pair),
}

/// One step of a thread.
#[derive(Clone)]
enum Step {
    Send(usize, Value),
    Receive(usize),
    TrySend(usize, Value),
    TryReceive(usize),
    /// Receives from one channel, or sends to another, or goes on if a member has a value.
    Either {
        receive: Option<usize>,
        send: Option<(usize, Value)>,
        member: Option<(usize, u8)>,
    },
    Set(usize, Value),
    Copy(usize, usize),
    Swap(usize, usize),
    SetMember(usize, u8),
    FlipMember(usize),
    Read(usize),
    Cas(usize, Pair, Value),
    AssertNot(Pair),
    AssertNotDone(u8),
    AssertDifferent,
}

struct Random {
    /// How many messages each channel holds.
    rooms: Vec<usize>,
    threads: Vec<Vec<Step>>,
    text: String,
}

fn shown((v, b): Pair) -> String {
    format!("{{{v}, {b}}}")
}

fn written(value: Value) -> String {
    match value {
        Value::Own => "x".to_owned(),
        Value::Given(pair) => shown(pair),
    }
}

/// A program, as text and as steps.
fn random(seed: u64) -> Random {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    for _ in 0..8 {
        dice.roll(2);
    }
    let in_array = dice.roll(3) == 0;
    let first = dice.roll(3) as usize;
    let rooms = vec![first, if in_array { first } else { dice.roll(3) as usize }];
    let channel = |c: usize| if in_array { format!("cs[{c}]") } else { format!("c{c}") };
    let mut text = String::from(
        "struct pair { int[0..2] v; bool b; }\npair ps[2] := {{0, false}, {1, true}};\n",
    );
    let kind = |room: usize| if room == 0 { "chan".to_owned() } else { format!("chan[{room}]") };
    match in_array {
        true => writeln!(text, "{} pair cs[2];", kind(rooms[0])).unwrap(),
        false => {
            writeln!(text, "{} pair c0;\n{} pair c1;", kind(rooms[0]), kind(rooms[1])).unwrap()
        }
    }
    text += "void put(chan pair c, pair m) { send(c, m); }\n\
             pair take(chan pair c) { pair m := receive(c); return m; }\n\
             void change(ref pair p, int[0..2] v) { p.v := v; p.b := !p.b; }\n";
    let asserts = dice.roll(3) > 0;
    let mut threads = Vec::new();
    for number in 0..2 + dice.roll(2) {
        let mut steps = Vec::new();
        writeln!(text, "thread t{number} {{\n  pair x := {{0, false}};\n  bool ok := false;")
            .unwrap();
        for _ in 0..2 + dice.roll(3) {
            let (c, value) = (dice.roll(2) as usize, dice.value());
            let (i, j) = (dice.roll(2) as usize, dice.roll(2) as usize);
            let (name, room) = (channel(c), rooms[c]);
            let line = match dice.roll(if asserts { 15 } else { 12 }) {
                0 | 1 => {
                    steps.push(Step::Send(c, value));
                    let verb = if dice.roll(3) == 0 { "put" } else { "send" };
                    format!("{verb}({name}, {});", written(value))
                }
                2 | 3 => {
                    steps.push(Step::Receive(c));
                    let verb = if dice.roll(3) == 0 { "take" } else { "receive" };
                    format!("x := {verb}({name});")
                }
                4 if room > 0 => {
                    steps.push(Step::TrySend(c, value));
                    format!("ok := trysend({name}, {});", written(value))
                }
                5 => {
                    steps.push(Step::TryReceive(c));
                    match dice.roll(2) {
                        0 => format!("ok := tryreceive({name}, x);"),
                        _ => format!("if (tryreceive({name}, x)) ok := true; else ok := false;"),
                    }
                }
                4 | 6 => {
                    let other = 1 - c;
                    let send = (rooms[other] > 0).then_some((other, value));
                    let member = (dice.roll(2) == 0).then(|| (i, dice.roll(3) as u8));
                    let mut line = format!("either when x := receive({name}) {{ }}");
                    if let Some((other, value)) = send {
                        let (other, value) = (channel(other), written(value));
                        write!(line, " or when send({other}, {value}) {{ }}").unwrap();
                    }
                    if let Some((i, v)) = member {
                        write!(line, " or when ps[{i}].v == {v} {{ }}").unwrap();
                    }
                    steps.push(Step::Either { receive: Some(c), send, member });
                    line
                }
                7 => {
                    steps.push(Step::Set(i, value));
                    format!("ps[{i}] := {};", written(value))
                }
                8 if i != j => {
                    steps.push(Step::Swap(i, j));
                    format!("ps[{i}], ps[{j}] := ps[{j}], ps[{i}];")
                }
                8 => {
                    steps.push(Step::Copy(i, 1 - i));
                    format!("ps[{i}] := ps[{}];", 1 - i)
                }
                9 => {
                    let v = dice.roll(3) as u8;
                    steps.extend([Step::SetMember(i, v), Step::FlipMember(i)]);
                    format!("change(ps[{i}], {v});")
                }
                10 => {
                    steps.push(Step::Read(i));
                    format!("x := ps[{i}];")
                }
                11 => {
                    let expected = dice.pair();
                    steps.push(Step::Cas(i, expected, value));
                    let cas = format!("cas(ps[{i}], {}, {})", shown(expected), written(value));
                    match dice.roll(2) {
                        0 => format!("ok := {cas};"),
                        _ => format!("if (!{cas}) ok := false; else ok := true;"),
                    }
                }
                12 => {
                    let pair = dice.pair();
                    steps.push(Step::AssertNot(pair));
                    format!("assert x != {};", shown(pair))
                }
                13 => {
                    let v = dice.roll(3) as u8;
                    steps.push(Step::AssertNotDone(v));
                    format!("assert !(ok && x.v == {v});")
                }
                _ => {
                    steps.push(Step::AssertDifferent);
                    "assert ps[0] != ps[1];".to_owned()
                }
            };
            writeln!(text, "  {line}").unwrap();
        }
        text += "}\n";
        threads.push(steps);
    }
    Random { rooms, threads, text }
}

/// What a step changes in a state.
type Change<'c> = &'c dyn Fn(&mut State);

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    at: Vec<usize>,
    x: Vec<Pair>,
    ok: Vec<bool>,
    channels: Vec<VecDeque<Pair>>,
    ps: [Pair; 2],
}

/// What the meaning of a program says of it.
#[derive(Default)]
struct Meant {
    fails: bool,
    deadlocks: bool,
}

impl Random {
    fn meaning(&self) -> Meant {
        let many = self.threads.len();
        let first = State {
            at: vec![0; many],
            x: vec![(0, false); many],
            ok: vec![false; many],
            channels: vec![VecDeque::new(); 2],
            ps: [(0, false), (1, true)],
        };
        let mut meant = Meant::default();
        let mut seen = HashSet::from([first.clone()]);
        let mut open = vec![first];
        while let Some(state) = open.pop() {
            let mut next = Vec::new();
            let mut fails = false;
            for thread in 0..many {
                fails |= self.step(&state, thread, &mut next);
            }
            meant.fails |= fails;
            let has_ended = (0..many).all(|thread| state.at[thread] == self.threads[thread].len());
            meant.deadlocks |= next.is_empty() && !fails && !has_ended;
            open.extend(next.into_iter().filter(|state| seen.insert(state.clone())));
        }
        meant
    }

    /// Adds the states after a step of a thread; says whether an assertion fails in it.
    fn step(&self, state: &State, me: usize, next: &mut Vec<State>) -> bool {
        let Some(step) = self.threads[me].get(state.at[me]) else { return false };
        let value = |value: Value| match value {
            Value::Own => state.x[me],
            Value::Given(pair) => pair,
        };
        let mut then = |change: &dyn Fn(&mut State)| {
            let mut after = state.clone();
            after.at[me] += 1;
            change(&mut after);
            next.push(after);
        };
        let has_room = |c: usize| self.rooms[c] > 0 && state.channels[c].len() < self.rooms[c];
        match *step {
            Step::Send(c, sent) => {
                if has_room(c) {
                    then(&|s| s.channels[c].push_back(value(sent)));
                }
            }
            Step::Receive(c) => self.received(state, me, c, &mut then),
            Step::TrySend(c, sent) => match has_room(c) {
                true => then(&|s| {
                    s.channels[c].push_back(value(sent));
                    s.ok[me] = true;
                }),
                false => then(&|s| s.ok[me] = false),
            },
            Step::TryReceive(c) => {
                self.received(state, me, c, &mut |change| {
                    then(&|s| {
                        change(s);
                        s.ok[me] = true;
                    });
                });
                // Without room nobody need have offered anything yet, whoever is about to.
                if state.channels[c].is_empty() {
                    then(&|s| s.ok[me] = false);
                }
            }
            Step::Either { receive, send, member } => {
                if let Some(c) = receive {
                    self.received(state, me, c, &mut then);
                }
                if let Some((c, sent)) = send.filter(|&(c, _)| has_room(c)) {
                    then(&|s| s.channels[c].push_back(value(sent)));
                }
                if member.is_some_and(|(i, v)| state.ps[i].0 == v) {
                    then(&|_| {});
                }
            }
            Step::Set(i, set) => then(&|s| s.ps[i] = value(set)),
            Step::Copy(i, j) => then(&|s| s.ps[i] = s.ps[j]),
            Step::Swap(i, j) => then(&|s| s.ps.swap(i, j)),
            Step::SetMember(i, v) => then(&|s| s.ps[i].0 = v),
            Step::FlipMember(i) => then(&|s| s.ps[i].1 = !s.ps[i].1),
            Step::Read(i) => then(&|s| s.x[me] = s.ps[i]),
            Step::Cas(i, expected, new) => match state.ps[i] == expected {
                true => then(&|s| {
                    s.ps[i] = value(new);
                    s.ok[me] = true;
                }),
                false => then(&|s| s.ok[me] = false),
            },
            Step::AssertNot(pair) if state.x[me] == pair => return true,
            Step::AssertNotDone(v) if state.ok[me] && state.x[me].0 == v => return true,
            Step::AssertDifferent if state.ps[0] == state.ps[1] => return true,
            Step::AssertNot(_) | Step::AssertNotDone(_) | Step::AssertDifferent => then(&|_| {}),
        }
        false
    }

    /// A thread gets a message: the oldest one; without room, that of a sender, which goes on too.
    fn received(&self, state: &State, me: usize, c: usize, then: &mut dyn FnMut(Change<'_>)) {
        if let Some(&oldest) = state.channels[c].front() {
            then(&|s| {
                s.channels[c].pop_front();
                s.x[me] = oldest;
            });
        }
        for sender in (0..self.threads.len()).filter(|&sender| self.rooms[c] == 0 && sender != me) {
            let Some(&Step::Send(to, sent)) = self.threads[sender].get(state.at[sender]) else {
                continue;
            };
            let message = match sent {
                Value::Own => state.x[sender],
                Value::Given(pair) => pair,
            };
            if to == c {
                then(&|s| {
                    s.at[sender] += 1;
                    s.x[me] = message;
                });
            }
        }
    }
}

#[test]
fn random_programs_with_parts_do_what_the_language_page_says() {
    let (mut fail, mut stuck, mut fine) = (0, 0, 0);
    for seed in 0..many(150) {
        let random = random(seed);
        let meant = random.meaning();
        let text = &random.text;
        let subject = Subject::parse("test.weave", text.as_str(), InputOptions::default())
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        for deadlock in [Deadlocks::No, Deadlocks::Waits] {
            let options = Options { solver: None, deadlock, evidence: true, ..Options::default() };
            let answer = verify(&subject, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
            let wrong = meant.fails || (meant.deadlocks && deadlock == Deadlocks::Waits);
            let expected = if wrong { VerdictName::Unsafe } else { VerdictName::Safe };
            assert_eq!(answer.name(), expected, "seed {seed}, {deadlock:?}\n{text}");
            if let Some(evidence) = answer.evidence().unwrap() {
                let evidence = evidence.to_text();
                let checked = recheck(&subject, &evidence, &options).unwrap();
                assert!(checked.is_ok(), "seed {seed}, {deadlock:?}: {:?}\n{text}", checked.err());
            }
        }
        // Rounds, by translation to one thread: it finds nothing that there is not, and in enough rounds all of it.
        let options = Options { solver: None, engine: EngineName::Lazy, ..Options::default() };
        let answer = check(&subject, Bound::rounds(2), &options)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        assert!(answer.name() != VerdictName::Unsafe || meant.fails, "seed {seed}\n{text}");
        fail += u64::from(meant.fails);
        stuck += u64::from(meant.deadlocks);
        fine += u64::from(!meant.fails && !meant.deadlocks);
    }
    println!("{fail} fail, {stuck} get stuck, {fine} do neither");
    assert!(fail.min(stuck).min(fine) * 20 > many(150), "{fail}, {stuck}, {fine}");
}
