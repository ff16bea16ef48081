//! Explorations that run out of numbers for states end as *unknown*, and all that was completed is what it is
//! without a limit.

use selvedge_analysis::engine::{Method, Outcome, Question, Verdict, check, verify};
use selvedge_analysis::random::{Shape, random_system};
use selvedge_analysis::{Bound, Budget, Stop};
use selvedge_model::{Property, System};

fn question(system: &dyn System, method: Method) -> Question<'_> {
    let properties = &[Property::NeverWrong];
    Question { system, properties, method, symmetry: true, evidence: false }
}

fn limited(states: usize) -> Budget {
    Budget { states: Some(states), ..Budget::default() }
}

/// Whether an outcome with a limit is the one without, as far as it got; whether the limit ended it.
fn compare(whole: &Outcome, part: &Outcome, most: usize, about: &str) -> bool {
    let stored: usize = part.observations.iter().map(|seen| seen.new_stored).sum();
    assert!(stored <= most.max(1), "{about}");
    for (with, without) in part.observations.iter().zip(&whole.observations) {
        assert_eq!(with, without, "{about}");
    }
    let Verdict::Unknown { stop: Stop::Full(full), completed } = &part.verdict else {
        assert_eq!(part.observations, whole.observations, "{about}");
        assert_eq!(format!("{:?}", part.verdict), format!("{:?}", whole.verdict), "{about}");
        return false;
    };
    assert_eq!((full.what, full.most), ("states", most), "{about}");
    let last = part.observations.last().map(|seen| seen.bound);
    assert_eq!(*completed, last, "{about}");
    assert!(part.observations.len() < whole.observations.len(), "{about}");
    true
}

#[test]
fn explorations_that_run_out_of_numbers_are_unknown() {
    let (mut ended, mut answered) = (0, 0);
    for seed in 0..150 {
        let system = random_system(seed, &Shape::default());
        let all = [Bound::contexts(4), Bound::rounds(3), Bound::round_robin(4, 1)];
        for (bound, most) in
            all.into_iter().zip([3, 10, 40].into_iter().cycle().skip(seed as usize))
        {
            let question = question(&system, Method::Explicit);
            let whole = check(&question, bound, &limited(2000), &|_| {});
            if matches!(whole.verdict, Verdict::Unknown { .. }) {
                continue;
            }
            let part = check(&question, bound, &limited(most), &|_| {});
            let about = format!("seed {seed}, {bound:?}, {most} states");
            *if compare(&whole, &part, most, &about) { &mut ended } else { &mut answered } += 1;
        }
    }
    println!("{ended} ended by the limit, {answered} answered");
    assert!(ended > 50 && answered > 50, "{ended} and {answered}");
}

/// The question for all bounds: never another answer, only none.
#[test]
fn no_limit_makes_an_answer_wrong() {
    let mut ended = 0;
    for seed in 0..100 {
        let system = random_system(seed, &Shape::default());
        let question = question(&system, Method::Explicit);
        let whole = verify(&question, &limited(3000), &|_| {});
        for most in [1, 7, 30] {
            let part = verify(&question, &limited(most), &|_| {});
            let is_unknown = matches!(part.verdict, Verdict::Unknown { .. });
            ended += usize::from(is_unknown);
            let kind = |outcome: &Outcome| std::mem::discriminant(&outcome.verdict);
            let whole_unknown = matches!(whole.verdict, Verdict::Unknown { .. });
            assert!(is_unknown || whole_unknown || kind(&part) == kind(&whole), "seed {seed}");
        }
    }
    assert!(ended > 50, "{ended}");
}
