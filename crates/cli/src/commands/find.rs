//! Which engines answer `selvedge verify`, in which order. What comes out is for others to show.

use std::path::Path;
use std::time::Duration;

use selvedge_analysis::engine::delays::Options;
use selvedge_analysis::engine::{Outcome, Verdict};
use selvedge_analysis::{Budget, Stop};
use selvedge_frontend::Input;

use super::engine::{Asked, Cost, EngineOptions, Listener, note_missing_target};
use super::predicates::{self, Predicates, SolverArgs, Views, is_parameterized};
use crate::args::InputArgs;
use crate::exit::Failure;
use crate::input::{self, Wanted};
use crate::output::Output;

/// How long the other engines are alone where predicates may help.
const HEAD_START: Duration = Duration::from_secs(2);

/// What the command line says.
pub struct Asks<'a> {
    pub input: &'a InputArgs,
    pub engine: &'a EngineOptions,
    pub solver: &'a SolverArgs,
    pub predicates: Predicates,
    pub evidence: Option<&'a Path>,
    pub deadlock: bool,
    pub budget: Budget,
    /// Whether outcomes carry their evidence although no file is wanted.
    pub keeps_evidence: bool,
    pub listener: Option<Listener>,
}

/// What was found out.
pub enum Found {
    /// By engines that follow states.
    Outcome { asked: Asked, outcome: Outcome, cost: Cost },
    /// By predicates.
    Views(Views),
}

/// Lets the engines run. `delays` says how to look for a proof with rounds and delays.
pub fn find(
    asks: &Asks<'_>,
    loaded: Input,
    delays: &dyn Fn(&Asked) -> Result<Options, Failure>,
    output: &mut Output,
) -> Result<Found, Failure> {
    let asserts = !asks.deadlock && asks.input.options.target.is_none();
    let any = asserts && asks.engine.is_auto() && is_parameterized(&loaded, &asks.input.options);
    if any || asks.engine.wants_predicates() {
        return predicates::find(asks, loaded, output);
    }
    let any_number = asks.engine.decides_any_number();
    let wanted = Wanted { deadlock: asks.deadlock, any_number };
    let opened = input::for_engine(loaded, &asks.input.options, wanted)?;
    let asked = Asked::ready(opened, None, asks.input, asks.engine, asks.budget.clone());
    let asked = asked.with_evidence(asks.evidence.map(Path::to_owned))?;
    let asked = if asks.keeps_evidence { asked.told(asks.listener.clone()) } else { asked };
    note_missing_target(&asked, output);
    if asks.engine.is_auto() && predicates::may_help(&asked) {
        let (outcome, cost) = asked.clone().for_a_while(HEAD_START).verify(output);
        let is_open = matches!(outcome.verdict, Verdict::Unknown { stop: Stop::Timeout, .. });
        if !is_open || asked.budget().check().is_err() {
            return Ok(Found::Outcome { asked, outcome, cost });
        }
        if let Some(found) = predicates::after_others(asks, &asked, output)? {
            return Ok(found);
        }
    }
    let (outcome, cost) = match asks.engine.is_delays() {
        true => asked.verify_with_delays(&delays(&asked)?, output),
        false => asked.verify(output),
    };
    Ok(Found::Outcome { asked, outcome, cost })
}
