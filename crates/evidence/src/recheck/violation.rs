//! # Violations
//! A run is replayed by the one step function; its last state must break the property that it is
//! said to break, and it must have as many contexts as it is said to have. That fewer contexts
//! would not do is not checked.

use selvedge_model::{Property, System};

use super::{Checked, Flaw, Refusal};
use crate::Violation;
use crate::replay::replay_watched;
use crate::watch::Watch;

pub(super) fn check(
    system: &dyn System,
    properties: &[Property],
    violation: &Violation,
    watch: &Watch<'_>,
) -> Result<Checked, Refusal> {
    let Violation { trace, contexts, property: number } = violation;
    let last = replay_watched(system, trace, watch)?
        .map_err(|error| Refusal::new(Flaw::NotARun, error.to_string()))?;
    let claim = |message: String| Err(Refusal::new(Flaw::Claim, message));
    let Some(property) = properties.get(*number) else {
        return claim(format!("there is no property {number}; there are {}", properties.len()));
    };
    if trace.contexts() != *contexts {
        let found = trace.contexts();
        return claim(format!("the run is said to have {contexts} contexts, but it has {found}"));
    }
    if Property::first_broken(std::slice::from_ref(property), system, &last)?.is_none() {
        let steps = trace.steps.len();
        return claim(format!("the run of {steps} steps does not end in a violation"));
    }
    let how = match property {
        Property::NeverWrong => {
            format!("goes wrong: {}", system.wrong(last.shared).unwrap_or_default())
        }
        Property::NoDeadlock(_) => "ends in a deadlock".to_owned(),
        Property::Unreachable(_) => "reaches what must not be reached".to_owned(),
    };
    let (steps, contexts) = (trace.steps.len(), *contexts);
    Ok(Checked::Violation { steps, contexts, property: *number, how })
}
