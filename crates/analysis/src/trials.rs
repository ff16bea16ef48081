//! # Trials
//!
//! **Question.** How often does [`verify`] have an answer within a time limit, and is it right?
//!
//! **Idea.** A random system and a random question for each seed. What `verify` answers is held
//! against the [naive enumerator](crate::naive) as far as that goes (`compare`), and what the
//! answer rests on is rechecked. An answer without evidence that holds is as wrong as one that is
//! contradicted.
//!
//! **Needs.** Systems without threads that are started: those have no proof from above.

mod compare;

use std::fmt;
use std::time::{Duration, Instant};

use selvedge_evidence::{Checked, recheck};
use selvedge_model::{Pattern, Property, SharedId, SymbolId, System, Tables, TopPattern};

use crate::engine::{Method, Outcome, Question, Verdict, verify};
use crate::random::{Shape, random_system};
use crate::{Bound, Budget};

/// One system, one question, one answer.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The seed that the system and the question come from.
    pub seed: u64,
    /// The question that was asked.
    pub asked: TrialQuestion,
    /// Whether the answer was right.
    pub result: TrialResult,
    /// How long `verify` took.
    pub time: Duration,
}

/// What was asked about a random system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrialQuestion {
    /// Whether a visible state of a pattern is reachable.
    Target,
    /// Which visible states are reachable.
    Everything,
}

/// How an answer compares with the naive enumerator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TrialResult {
    /// Safe, and the enumerator does not contradict it.
    Safe,
    /// Unsafe, with a schedule that was replayed and a number of contexts that is right as far as
    /// the enumerator goes.
    Unsafe,
    /// No answer, and why.
    Undecided(String),
    /// An answer that is not true, or whose evidence does not hold, and why.
    Wrong(String),
}

impl fmt::Display for TrialQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TrialQuestion::Target => "target",
            TrialQuestion::Everything => "all visible states",
        })
    }
}

/// The random system of a seed and what is asked about it.
#[must_use]
pub fn random_question(seed: u64) -> (Tables, Vec<Property>) {
    let system = random_system(seed, &Shape::default());
    // Other numbers than those that the system was made of.
    let mut rng = fastrand::Rng::with_seed(!seed);
    if rng.u32(0..4) == 0 {
        return (system, Vec::new());
    }
    let top = |template, rng: &mut fastrand::Rng| {
        let symbols = (0..system.symbol_count()).map(SymbolId::from);
        let own: Vec<_> = symbols.filter(|&s| system.template_of(s) == template).collect();
        match rng.u32(0..8) {
            0..4 => TopPattern::Any,
            4 => TopPattern::Empty,
            _ => rng.choice(own).map_or(TopPattern::Any, TopPattern::Symbol),
        }
    };
    let tops = system.threads().iter().map(|thread| top(thread.template, &mut rng)).collect();
    let shared = Some(SharedId::from(rng.usize(0..system.shared_count())));
    let target = Property::Unreachable(Pattern::Tuple { shared, tops });
    (system, vec![target])
}

/// Asks `verify` about the random system of a seed, and looks into the answer.
#[must_use]
pub fn trial(seed: u64, budget: &Budget, limit: Duration) -> Trial {
    let (system, properties) = random_question(seed);
    let question = Question {
        system: &system,
        properties: &properties,
        method: Method::Auto,
        symmetry: true,
        evidence: true,
    };
    let start = Instant::now();
    let budget = Budget { deadline: start.checked_add(limit), ..budget.clone() };
    let outcome = verify(&question, &budget, &|_| {});
    let time = start.elapsed();
    let asked =
        if properties.is_empty() { TrialQuestion::Everything } else { TrialQuestion::Target };
    Trial { seed, asked, result: judge(&question, &outcome), time }
}

/// Compares an outcome with the naive enumerator and rechecks its evidence.
fn judge(question: &Question<'_>, outcome: &Outcome) -> TrialResult {
    if let Err(why) = compare::with_naive(question, outcome) {
        return TrialResult::Wrong(why);
    }
    let result = match &outcome.verdict {
        Verdict::Safe(_) => TrialResult::Safe,
        Verdict::Unsafe { .. } => TrialResult::Unsafe,
        Verdict::Bounded { bound } => {
            return TrialResult::Wrong(format!("an answer for {bound} only"));
        }
        Verdict::Unknown { stop, .. } => {
            return TrialResult::Undecided(format!("{stop}; {}", effort(outcome)));
        }
    };
    match &outcome.evidence {
        None => TrialResult::Wrong("the answer has no evidence".to_owned()),
        Some(evidence) => match recheck(question.system, question.properties, evidence) {
            Err(refusal) => TrialResult::Wrong(format!("the evidence is refused: {refusal}")),
            Ok(checked) if !shows(&checked, &outcome.verdict) => {
                TrialResult::Wrong(format!("the evidence is for another answer: {checked}"))
            }
            Ok(_) => result,
        },
    }
}

/// Whether what was checked is what the verdict says.
fn shows(checked: &Checked, verdict: &Verdict) -> bool {
    match (checked, verdict) {
        (Checked::Violation { contexts, .. }, Verdict::Unsafe { bound, .. }) => {
            *bound == Bound::contexts(*contexts)
        }
        (Checked::Cut { .. } | Checked::Aggregate { .. }, Verdict::Safe(_)) => true,
        _ => false,
    }
}

/// Describes how far the sides from below and from above came.
fn effort(outcome: &Outcome) -> String {
    let bound = outcome.observations.len().saturating_sub(1);
    let seen = outcome.observations.last().and_then(|o| o.visible);
    let number = |n: Option<u128>| n.map_or("?".to_owned(), |n| n.to_string());
    let cuts: Vec<String> = outcome.cuts.iter().map(|cut| number(cut.visible)).collect();
    format!(
        "{} visible states within {bound} contexts, from above {}",
        number(seen),
        if cuts.is_empty() { "nothing".to_owned() } else { cuts.join(", ") }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_questions_are_answered_and_the_answers_are_right() {
        let mut count = [0; 3];
        for seed in 0..300 {
            let trial = trial(seed, &Budget::default().with_work(1 << 19), Duration::MAX);
            match &trial.result {
                TrialResult::Safe => count[0] += 1,
                TrialResult::Unsafe => count[1] += 1,
                TrialResult::Undecided(_) => count[2] += 1,
                TrialResult::Wrong(why) => panic!("seed {seed}: {why}"),
            }
        }
        println!("{count:?} safe, unsafe, undecided");
        assert!(count[0] > 100 && count[1] > 50 && count[2] < 5, "{count:?}");
    }

    /// Questions that took a while to understand: threads with the same rules and other stacks at
    /// the start (3250, 4081, 4890), heights of stacks that depend on each other (890, 9665).
    #[test]
    fn hard_questions_are_answered() {
        for seed in [890, 3250, 4081, 4890, 9665] {
            let trial = trial(seed, &Budget::default().with_work(1 << 28), Duration::MAX);
            assert_eq!(trial.result, TrialResult::Safe, "seed {seed}");
        }
    }

    /// What an answer could get wrong is noticed.
    #[test]
    fn wrong_answers_are_noticed() {
        let mut noticed = [0; 5];
        for seed in 0..60 {
            let (system, properties) = random_question(seed);
            let properties = &properties;
            let question = Question {
                system: &system,
                properties,
                method: Method::Auto,
                symmetry: true,
                evidence: true,
            };
            let right = verify(&question, &Budget::default(), &|_| {});
            let mut check = |number: usize, change: &dyn Fn(&mut Outcome)| {
                let mut wrong = right.clone();
                change(&mut wrong);
                let result = judge(&question, &wrong);
                assert!(matches!(result, TrialResult::Wrong(_)), "seed {seed} {number} {wrong:?}");
                noticed[number] += 1;
            };
            check(0, &|outcome| outcome.evidence = None);
            check(1, &|outcome| {
                let first = &mut outcome.observations[0];
                first.new_visible = first.new_visible.map(|n| n + 1);
            });
            match right.verdict {
                Verdict::Unsafe { .. } => {
                    let proof = crate::engine::Proof::Repetition { bound: Bound::contexts(1) };
                    check(2, &|outcome| outcome.verdict = Verdict::Safe(proof));
                    check(3, &|outcome| {
                        if let Verdict::Unsafe { bound, .. } = &mut outcome.verdict {
                            bound.count += 1;
                        }
                    });
                }
                _ => check(4, &|outcome| {
                    outcome.verdict = Verdict::Bounded { bound: Bound::contexts(3) }
                }),
            }
        }
        assert!(noticed.iter().all(|&n| n > 10), "{noticed:?}");
    }
}
