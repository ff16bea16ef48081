//! # Proofs by predicates
//! What an invariant over views rests on, for people: the predicates as they would stand in a program.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;

use selvedge_evidence::property;
use selvedge_smt::Checked;
use selvedge_smt::certificate::{Certificate, Entry};
use selvedge_smt::sexpr::Sexpr;

use crate::amount::{amount, bytes, seconds};
use crate::answer::Summary;
use crate::coverage::Covered;
use crate::deadlocks::{Deadlocks, limits};
use crate::json;
use crate::page::InvariantPlace;
use crate::style::{Paint, Role};
use crate::text::count;

/// More predicates than this are only counted.
const MOST_SHOWN: usize = 24;

/// The property of a proof where no target is given.
pub const PROPERTY: &str = property::ASSERTIONS;

/// The counts of states for one number of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sampled {
    /// The number of threads.
    pub threads: usize,
    /// The number of states.
    pub states: usize,
    /// The number of abstract states, if there are predicates in the program.
    pub abstract_states: Option<usize>,
    /// Whether these are all states.
    pub complete: bool,
}

/// How the rounds and delays of so many threads were raised.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Course {
    /// The number of threads.
    pub threads: usize,
    /// The bounds, in the order in which they were reached.
    pub points: Vec<Point>,
}

/// A bound, and what was reached within it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    /// The number of rounds.
    pub rounds: usize,
    /// The number of delays.
    pub delays: usize,
    /// The number of abstract states.
    pub abstract_states: usize,
}

/// An answer of the engine.
#[derive(Clone, Debug)]
pub struct ByPredicates<'a> {
    /// How many threads there are; `None` is any number.
    pub threads: Option<u64>,
    /// The property: [`PROPERTY`], or a target.
    pub property: &'a str,
    /// What a wrong run does, in words: see [`selvedge_model::Describe::goes_wrong`].
    pub goes_wrong: &'static str,
    /// The check of the proof, or why there is none.
    pub proof: Result<&'a Checked, String>,
    /// The predicates of the proof, in SMT-LIB.
    pub predicates: &'a [String],
    /// The states sampled from below.
    pub seen: &'a [Sampled],
    /// How rounds and delays were raised, if they were.
    pub courses: &'a [Course],
    /// The name of the engine.
    pub engine: &'static str,
    /// How many questions the solver was asked.
    pub asked: usize,
    /// The coverage of the text, if there is a proof.
    pub covered: Option<&'a Covered>,
    /// What the answer leaves open about deadlocks.
    pub deadlocks: Deadlocks<'a>,
    /// How long it took.
    pub time: Duration,
    /// The largest amount of memory that was in use.
    pub peak_memory: u64,
}

/// The answer for people.
#[must_use]
pub fn text(answer: &ByPredicates<'_>, paint: Paint) -> String {
    summary(answer).text(paint)
}

/// The answer for other programs, about a file.
#[must_use]
pub fn object(answer: &ByPredicates<'_>, file: &str) -> json::Object {
    let (verdict, reason) = match &answer.proof {
        Ok(_) => (json::VerdictName::Safe, None),
        Err(reason) => (json::VerdictName::Unknown, Some(reason.clone())),
    };
    json::Object {
        selvedge: json::VERSION,
        file: file.to_owned(),
        verdict,
        property: answer.property.to_owned(),
        engine: Some(answer.engine.to_owned()),
        bound: answer.courses.last().and_then(|course| course.points.last()).map(Point::bound),
        observations: Vec::new(),
        stored_states: None,
        reductions: Vec::new(),
        assumption: None,
        undecided: answer.deadlocks.undecided.map(str::to_owned),
        reason,
        broken: None,
        violation: None,
        why: Vec::new(),
        proof: proof(answer),
        coverage: answer.covered.map(Into::into),
        collapse: None,
        time_s: Some(answer.time.as_secs_f64()),
        peak_memory_bytes: Some(answer.peak_memory),
        processes: Vec::new(),
        trace: None,
        evidence: None,
        command: None,
    }
}

/// The answer in words.
#[must_use]
pub fn summary(answer: &ByPredicates<'_>) -> Summary {
    let mut details = Vec::new();
    let (verdict, role) = match &answer.proof {
        Ok(_) => {
            details.push(("proof", proof(answer).unwrap_or_default()));
            let shown = shown(answer.predicates);
            let said = match shown.len() {
                0 => "none: the places of the threads are enough".to_owned(),
                1..=MOST_SHOWN => shown.into_iter().collect::<Vec<_>>().join(", "),
                many => format!("{many}; the evidence has them (--evidence)"),
            };
            details.extend((!is_by_cases(answer)).then_some(("predicates", said)));
            (json::VerdictName::Safe, Role::Good)
        }
        Err(_) => {
            // What is not reached was looked for beside a whole proof.
            details.extend(answer.covered.map(|_| ("completed", safe(answer))));
            (json::VerdictName::Unknown, Role::Change)
        }
    };
    details.extend(answer.deadlocks.detail());
    details.extend(answer.covered.into_iter().flat_map(Covered::details));
    details.extend((!is_by_cases(answer)).then(|| ("below", below(answer.seen))));
    details.extend(answer.courses.iter().map(|course| ("course", course.text())));
    if answer.proof.is_err() && answer.covered.is_none() {
        let ways = "ranges for integers (`int[0..9] x`), a number of threads (--threads NAME=2), predicates that \
                    hold (`predicate p: …;`), or more time (--timeout)";
        details.push(("try", ways.to_owned()));
    }
    if answer.proof.is_ok() {
        let unsaid = answer.deadlocks.limits().chain(["whether the threads end"]);
        details.push(("limits", limits(unsaid)));
    }
    let asked = amount(Some(answer.asked as u128), "question");
    let (time, memory) = (seconds(answer.time), bytes(answer.peak_memory));
    details.push(("effort", format!("{}, {asked} to the solver, {time}, {memory}", answer.engine)));
    let sentence = sentence(answer);
    Summary { verdict, role, sentence, details }
}

/// What was proved, or why nothing was, in one sentence.
#[must_use]
pub fn sentence(answer: &ByPredicates<'_>) -> String {
    match &answer.proof {
        Err(reason) => reason.clone(),
        Ok(_) => safe(answer),
    }
}

/// Says in one sentence that no schedule goes wrong.
fn safe(answer: &ByPredicates<'_>) -> String {
    let threads = match answer.threads {
        None => "any number of threads".to_owned(),
        Some(1) => "this one thread".to_owned(),
        Some(n) => format!("these {n} threads"),
    };
    let what = match answer.property {
        PROPERTY => answer.goes_wrong.to_owned(),
        target => format!("reaches {target}"),
    };
    format!("no schedule of {threads} {what}, with any number of contexts")
}

/// Whether there is no invariant, and all cases were followed.
fn is_by_cases(answer: &ByPredicates<'_>) -> bool {
    answer.proof.as_ref().is_ok_and(|checked| checked.width == 0)
}

/// Why the verdict is safe, in one sentence.
#[must_use]
pub fn proof(answer: &ByPredicates<'_>) -> Option<String> {
    let checked = answer.proof.as_ref().ok()?;
    if checked.width == 0 {
        return Some(format!(
            "all ways through the program were followed, whatever the values are: {}, {} to the solver",
            count(checked.places, "case"),
            count(checked.questions, "question"),
        ));
    }
    let views = match checked.width {
        1 => "every thread".to_owned(),
        n => format!("every {n} threads"),
    };
    Some(format!(
        "an invariant about {views}: {} of places, {}, checked with {} to the solver",
        count(checked.places, "combination"),
        count(checked.predicates, "predicate"),
        count(checked.questions, "question"),
    ))
}

impl Point {
    fn bound(&self) -> json::Bound {
        let Point { rounds, delays, .. } = *self;
        json::Bound { rounds: Some(rounds), delays: Some(delays), ..json::Bound::default() }
    }
}

impl Course {
    /// The bounds in order, with a word wherever something is new: Fig. 1 (right) of Johnson and Wahl as a line.
    fn text(&self) -> String {
        let mut text = format!("{}, (rounds, delays)", count(self.threads, "thread"));
        let mut last = None;
        for Point { rounds, delays, abstract_states } in &self.points {
            let _ = match last == Some(*abstract_states) {
                true => write!(text, " → ({rounds}, {delays})"),
                false => write!(text, " → ({rounds}, {delays}): {abstract_states}"),
            };
            last = Some(*abstract_states);
        }
        text
    }
}

fn below(seen: &[Sampled]) -> String {
    let one = |seen: &Sampled| {
        let all = if seen.complete { "all " } else { "the first " };
        let mut text = format!("{all}{}", count(seen.states, "state"));
        if let Some(n) = seen.abstract_states {
            let _ = write!(text, " ({})", count(n, "abstract state"));
        }
        format!("{text} with {}", count(seen.threads, "thread"))
    };
    match seen {
        [] => "nothing was looked at".to_owned(),
        _ => format!("no violation in {}", seen.iter().map(one).collect::<Vec<_>>().join(", ")),
    }
}

/// The predicates as they would stand in a program, each once: `i` and `j` are two threads.
#[must_use]
pub fn shown(predicates: &[String]) -> BTreeSet<String> {
    predicates.iter().filter_map(|text| Sexpr::parse(text)).map(|p| in_words(&p)).collect()
}

/// What a proof says, place by place. `line` knows the lines of places.
#[must_use]
pub fn places(
    certificate: &Certificate,
    line: &dyn Fn(&str) -> Option<u32>,
) -> Vec<InvariantPlace> {
    let words = |text: &String| Sexpr::parse(text).map_or(text.clone(), |p| in_words(&p));
    let words: Vec<String> = certificate.predicates.iter().map(words).collect();
    let literal = |number: &i64| {
        let index = usize::try_from(number.unsigned_abs()).unwrap_or(0).checked_sub(1);
        let predicate = index.and_then(|index| words.get(index)).map_or("?", String::as_str);
        if *number < 0 { format!("not ({predicate})") } else { predicate.to_owned() }
    };
    let fact = |clause: &Vec<i64>| match clause.as_slice() {
        [] => "never: no threads are at these places at once".to_owned(),
        _ => clause.iter().map(literal).collect::<Vec<_>>().join(" or "),
    };
    let place = |entry: &Entry| {
        let at = |key: &String| match line(key) {
            Some(line) => format!("line {line}"),
            None => "ended".to_owned(),
        };
        let name = |key: &String| key.rsplit_once('@').map_or(key.clone(), |(n, _)| n.to_owned());
        let clauses = entry.clauses.iter().flatten().map(fact);
        let views = entry
            .views
            .iter()
            .map(|(_, views)| format!("one of {}", count(views.len(), "combination")));
        let facts: Vec<String> = clauses.chain(views).collect();
        InvariantPlace {
            thread: entry.places.iter().map(name).collect::<Vec<_>>().join(", "),
            place: entry.places.iter().map(at).collect::<Vec<_>>().join(", "),
            line: entry.places.first().and_then(|key| line(key)),
            facts: if facts.is_empty() { vec!["anything".to_owned()] } else { facts },
        }
    };
    certificate.entries.iter().map(place).collect()
}

fn in_words(predicate: &Sexpr) -> String {
    let mut threads = BTreeSet::new();
    positions(predicate, &mut threads);
    let name = |word: &str| match word.rsplit_once('@') {
        Some((name, _)) if threads.len() == 1 => name.to_owned(),
        Some((name, position)) => match position {
            "0" => format!("i.{name}"),
            "1" => format!("j.{name}"),
            other => format!("{name}@{other}"),
        },
        None => word.to_owned(),
    };
    infix(predicate, &name, false)
}

fn positions(term: &Sexpr, out: &mut BTreeSet<String>) {
    match term {
        Sexpr::Word(word) => out.extend(word.rsplit_once('@').map(|(_, p)| p.to_owned())),
        Sexpr::List(list) => list.iter().for_each(|part| positions(part, out)),
    }
}

fn infix(term: &Sexpr, name: &dyn Fn(&str) -> String, inside: bool) -> String {
    let list = match term {
        Sexpr::Word(word) => return name(word),
        Sexpr::List(list) => list,
    };
    let Some((Sexpr::Word(head), parts)) = list.split_first() else { return String::new() };
    let mut parts: Vec<String> = parts.iter().map(|part| infix(part, name, true)).collect();
    let text = match (head.as_str(), parts.len()) {
        ("not", 1) => return format!("!{}", parts[0]),
        ("-", 1) => return format!("-{}", parts[0]),
        ("ite", 3) => format!("{} ? {} : {}", parts[0], parts[1], parts[2]),
        ("and", _) => parts.join(" && "),
        ("or", _) => parts.join(" || "),
        (op, _) => {
            let op = match op {
                "=" => "==",
                "div" => "/",
                "mod" => "%",
                other => other,
            };
            // Constants stand on the right of an equality.
            if op == "==" && parts[0].bytes().all(|b| b.is_ascii_digit() || b == b'-') {
                parts.reverse();
            }
            parts.join(&format!(" {op} "))
        }
    };
    if inside { format!("({text})") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_was_cut_off_saw_the_first_states() {
        let seen = |threads, states, complete| Sampled {
            threads,
            states,
            abstract_states: None,
            complete,
        };
        assert_eq!(
            below(&[seen(2, 265, true), seen(4, 3000, false)]),
            "no violation in all 265 states with 2 threads, the first 3000 states with 4 threads"
        );
    }

    #[test]
    fn predicates_are_shown_as_in_programs() {
        let texts = [
            "(= |s| |l@1|)",
            "(= |s| |l@0|)",
            "(= |l@0| |l@1|)",
            "(= 0 (mod |seq| 2))",
            "(< |m| (- 1))",
            "(not |b|)",
        ];
        let shown: Vec<_> = shown(&texts.map(str::to_owned)).into_iter().collect();
        assert_eq!(shown, ["!b", "(seq % 2) == 0", "i.l == j.l", "m < -1", "s == l"]);
    }
}
