//! What the sequential program says, and its violations in the original.

use selvedge_analysis::Budget;
use selvedge_analysis::engine::{Method, Question, Verdict, verify};
use selvedge_evidence::{Trace, replay};
use selvedge_model::{Property, System};
use selvedge_program::sequentialize::Sequential;
use selvedge_program::{Lowering, print};

use crate::support::{lower, read_bp, read_weave};

/// Whether the sequential program goes wrong; `None` if that was not found out with so much work. The text
/// of the program is parsed and checked on the way; a violation is lifted and replayed.
pub fn answer(
    sequential: &Sequential,
    original: &Lowering,
    rounds: usize,
    work: u64,
) -> Option<bool> {
    let text = print::weave(&sequential.program);
    read_weave(&text);
    let lowered = lower(&sequential.program, "").unwrap_or_else(|e| panic!("{e}\n{text}"));
    let answer = match verdict(&lowered, work)? {
        Verdict::Safe(_) => false,
        Verdict::Unsafe { trace, .. } => {
            lift(sequential, &lowered, original, &trace, rounds);
            true
        }
        _ => return None,
    };
    // The same as a Boolean program.
    if let Ok(bits) = sequential.to_booleans() {
        let text = print::bp(&bits).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let bits = lower(&read_bp(&text), &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        match verdict(&bits, work) {
            Some(Verdict::Safe(_)) => assert!(!answer, "{text}"),
            Some(Verdict::Unsafe { .. }) => assert!(answer, "{text}"),
            _ => {}
        }
    }
    Some(answer)
}

/// What is known of a system after so much work.
fn verdict(system: &dyn System, work: u64) -> Option<Verdict> {
    let budget = Budget::default().with_work(work);
    let question = Question {
        system,
        properties: &[Property::NeverWrong],
        method: Method::Auto,
        symmetry: false,
        evidence: false,
    };
    match verify(&question, &budget, &|_| {}).verdict {
        Verdict::Bounded { .. } | Verdict::Unknown { .. } => None,
        verdict => Some(verdict),
    }
}

/// The violation in the original: it is a run, it goes wrong, and it fits into the rounds.
fn lift(
    sequential: &Sequential,
    lowered: &Lowering,
    original: &Lowering,
    trace: &Trace,
    rounds: usize,
) {
    let about = || print::weave(&sequential.program);
    let states = replay(lowered, trace).unwrap_or_else(|e| panic!("{e}\n{}", about()));
    let run = states.iter().zip(&trace.steps).map(|(s, (_, action))| (s.shared, action.origin));
    let steps = sequential.lift(lowered, run);
    let (initial, steps) =
        sequential.follow(original, &steps).unwrap_or_else(|e| panic!("{e}\n{}", about()));
    let descents = steps.windows(2).filter(|two| two[1].0 < two[0].0).count();
    assert!(descents < rounds, "{}", about());
    let lifted = Trace { initial, steps };
    let states = replay(original, &lifted).unwrap_or_else(|e| panic!("{e}\n{}", about()));
    let last = states.last().map(|state| state.shared);
    assert!(last.is_some_and(|shared| original.wrong(shared).is_some()), "{}", about());
}
