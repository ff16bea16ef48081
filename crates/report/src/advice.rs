//! # Advice
//! What to try where a limit came before the answer. It depends on the cause, and never is the
//! command that was just run.

use std::fmt;

use selvedge_analysis::engine::Method;
use selvedge_analysis::{Bound, Resource, Stop};
use selvedge_model::Fault;

use crate::answer::AboutStates;

/// The parts of the question that advice depends on.
#[derive(Clone, Copy, Debug, Default)]
pub struct AdviceContext<'a> {
    /// The method of exploration.
    pub method: Method,
    /// The bound, if there was one.
    pub bound: Option<Bound>,
    /// A variable of type `int`, which may hold ever larger values.
    pub unbounded: Option<&'a str>,
    /// The assumption about threads that are started.
    pub started: Option<Started>,
    /// Further assumptions that the answer depends on.
    pub assumptions: &'a [String],
    /// Whether the text alone shows that nothing goes wrong, so that no run was followed.
    pub is_shown_by_text: bool,
    /// A recursion because of which the search may have no end, or assertions are not reached.
    pub recursion: Option<&'a Recursion>,
}

/// A recursion that some schedule comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recursion {
    /// The thread that calls.
    pub thread: String,
    /// The calls that lead to themselves, each with its line.
    pub calls: Vec<(u32, String)>,
    /// Whether it has no end.
    pub repeats: Repeats,
}

/// How a recursion goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repeats {
    /// All values are the same when the first call is made again.
    Calls,
    /// All values are the same when the thread that was started starts the next one.
    Starts,
    /// The thread was followed so many calls deep.
    Perhaps {
        /// How many.
        depth: usize,
    },
}

impl Recursion {
    /// Whether it certainly has no end.
    #[must_use]
    pub fn is_endless(&self) -> bool {
        !matches!(self.repeats, Repeats::Perhaps { .. })
    }
}

impl fmt::Display for Recursion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls: Vec<String> =
            self.calls.iter().map(|(line, call)| format!("`{call}` in line {line}")).collect();
        let (thread, calls) = (&self.thread, calls.join(", "));
        match self.repeats {
            Repeats::Calls => write!(
                f,
                "`{thread}` may call without end: {calls} leads to the same call again, with all values as they were"
            ),
            Repeats::Starts => write!(
                f,
                "threads may be started without end: {calls} leads to the same start again, with all values as they were"
            ),
            Repeats::Perhaps { depth } => {
                write!(
                    f,
                    "`{thread}` was followed more than {depth} calls deep, perhaps without end: {calls}"
                )
            }
        }
    }
}

/// How many of the threads that a program starts were followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Started {
    /// The most started threads that act.
    pub most: u32,
    /// Whether there may be more, so that the answer is about some runs only. If not, the text shows that no more
    /// are started.
    pub assumed: bool,
}

impl Started {
    /// The assumption in words; `None` if there is none.
    #[must_use]
    pub fn assumption(self) -> Option<String> {
        let act = if self.most == 1 { "acts" } else { "act" };
        self.assumed.then(|| format!("at most {} of the started threads {act}", self.most))
    }
}

/// What to try where an engine was named that proves from above only, or backward.
const ALL_ENGINES: &str = "--engine auto, which asks the engines that fit in turns";

/// Advice on what to try, if there is any.
pub(crate) fn advice(
    answer: &AboutStates<'_>,
    stop: &Stop,
    completed: Option<Bound>,
) -> Option<String> {
    let AdviceContext { method, bound, unbounded, .. } = answer.asked;
    // The search is complete, and its answer is not what was asked for: more of anything changes nothing.
    if answer.covered.is_some() {
        return None;
    }
    let mut ways = Vec::new();
    if let Some(Recursion { calls, .. }) = answer.asked.recursion
        && let Some((line, _)) = calls.first()
    {
        ways.push(format!("an end for the recursion in line {line}"));
    }
    let is_one_sided = matches!(method, Method::Cuts | Method::Coverability);
    if let Some(any) = answer.system.any_number().first() {
        ways.extend(is_one_sided.then(|| ALL_ENGINES.to_owned()));
        ways.extend(match stop {
            Stop::Timeout => Some("more time (--timeout)".to_owned()),
            Stop::Memory => Some("more memory (--memory)".to_owned()),
            _ => None,
        });
        let name = answer.system.describe().template_name(any.template);
        ways.push(format!("a number of threads (--threads {name}=2)"));
        return Some(either(&ways));
    }
    if *stop == Stop::InfiniteContext {
        return Some(
            "--engine symbolic, which follows sets of stacks, or --engine auto".to_owned(),
        );
    }
    if method == Method::Explicit || *stop == Stop::HighStack {
        ways.push("--engine auto, which can follow stacks that grow without end".to_owned());
    }
    ways.extend(match stop {
        Stop::Timeout => Some("more time (--timeout)".to_owned()),
        Stop::Memory => Some("more memory (--memory)".to_owned()),
        Stop::Cancelled => Some("once more with more patience".to_owned()),
        Stop::HighStack | Stop::InfiniteContext | Stop::Full(_) | Stop::Work => None,
        Stop::NotClosed(_) => {
            let more = "--observe with more variables or a larger top=J, or no --observe at all: then \
                        more and more of the stacks is observed";
            return Some(more.to_owned());
        }
        Stop::Fault(_) if bound.is_some_and(needs_fixed_threads) && answer.system.starts_threads() => {
            return Some("`selvedge check --contexts 2`".to_owned());
        }
        Stop::Fault(Fault { line: None, .. }) if is_one_sided => return Some(ALL_ENGINES.to_owned()),
        Stop::Fault(fault) => return Some(after_fault(fault)),
        Stop::Beyond(_) => return None,
        Stop::Lost(_) => {
            let again = "once more, with all processes; with --checkpoint, --resume goes on from the last bound";
            return Some(again.to_owned());
        }
        Stop::OnlyDeadlocks { .. } => {
            return Some("another engine: without --engine, one is chosen that fits".to_owned());
        }
    });
    if let Some(name) = unbounded {
        ways.push(format!("a range for `{name}` if it keeps growing (`int[0..9] {name}`)"));
    }
    let is_alone = answer.system.threads().len() == 1 && !answer.system.starts_threads();
    let fewer = if is_alone { "smaller constants" } else { "fewer threads or smaller constants" };
    ways.push(fewer.to_owned());
    match bound {
        None => ways.extend(next(completed).map(|bound| {
            let delays = match bound.resource {
                Resource::RoundRobin { delays, .. } => format!(" --delays {delays}"),
                _ => String::new(),
            };
            let resource = bound.resource.name();
            format!("`selvedge check --{resource}s {}{delays}`", bound.count)
        })),
        Some(asked) if asked.count > 1 => {
            let delays = matches!(asked.resource, Resource::RoundRobin { .. });
            let or_delays = if delays { " or --delays" } else { "" };
            ways.push(format!("a smaller --{}s{or_delays}", asked.resource.name()));
        }
        Some(_) => {}
    }
    Some(either(&ways))
}

/// The first bound that was not completed; of what was, the answer is known. Nobody asks for less than two contexts, and where the first one
/// has no end, no bound helps.
fn next(completed: Option<Bound>) -> Option<Bound> {
    match completed {
        None => Some(Bound::contexts(2)),
        Some(Bound { count: 0, .. }) => None,
        Some(bound) => Some(bound.resource.bound(bound.count + 1)),
    }
}

/// Whether a bound has a meaning for a fixed set of threads only.
fn needs_fixed_threads(bound: Bound) -> bool {
    matches!(bound.resource, Resource::Rounds | Resource::RoundRobin { .. })
}

/// What to try where the system cannot say what comes next; the reason often says more.
pub(crate) fn after_fault(fault: &Fault) -> String {
    let one = "`selvedge simulate`, which follows one schedule".to_owned();
    // A variable that may be any integer: the reason names it, and says what can be done at this line.
    let named = fault.message.strip_prefix('`').and_then(|rest| rest.split_once('`'));
    if let Some((name, rest)) = named
        && rest.starts_with(" may be any integer here")
    {
        return either(&[format!("a range for `{name}`, as in `int[0..9] {name}`"), one]);
    }
    match fault.line {
        Some(line) => either(&[format!("a change of line {line}, as the reason says"), one]),
        None => one,
    }
}

/// `a, b, or c`.
fn either(ways: &[String]) -> String {
    match ways {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{}, or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_completed_is_not_asked_again() {
        assert_eq!(next(Some(Bound::contexts(3))), Some(Bound::contexts(4)));
        assert_eq!(next(Some(Bound::rounds(1))), Some(Bound::rounds(2)));
        assert_eq!([None, Some(Bound::contexts(0))].map(next), [Some(Bound::contexts(2)), None]);
    }

    #[test]
    fn ways_are_alternatives() {
        let ways = ["a", "b", "c"].map(str::to_owned);
        assert_eq!([1, 2, 3].map(|n| either(&ways[..n])), ["a", "a, or b", "a, b, or c"]);
    }
}
