//! # Fewer states
//! A question is answered about a system whose local steps ride along ([`Fused`]), and the answer is told of the system itself: a schedule
//! step by step, a proof with the places where steps were left out.

use std::sync::Arc;

use selvedge_analysis::engine::{self, Counted, Fewest, Keeper, Method, Outcome, Verdict};
use selvedge_analysis::explore::shortest::shortest_violation;
use selvedge_analysis::{Bound, Budget, Resource, Stop};
use selvedge_check::Opened;
use selvedge_evidence::{Evidence, ReducedCertificate, Trace, Violation};
use selvedge_model::{Fused, Local, Movers, Property, Stubborn, System, Thread};
use selvedge_program::Interfering;

use crate::elsewhere::{Form, Fusing};
use crate::going::Going;
use crate::question::Question;

/// How much work is done to find a schedule with fewer steps than the fused ones have, in moves: a tenth of a second.
const FOR_FEWER_STEPS: u64 = 1 << 17;

/// The system with fewer states, if the question allows for it and there is something to be left out.
fn reduced(question: &Question, opened: &Opened, method: Method) -> Option<Fused> {
    // Rounds of single steps count every step, and Alg. 3 is as it was published.
    let counts_steps =
        question.bound().is_some_and(|bound| matches!(bound.resource, Resource::RoundRobin { .. }));
    if !question.options().reduction
        || counts_steps
        || method == Method::Generators
        || opened.properties.is_empty()
    {
        return None;
    }
    let mut local = local(opened)?.unseen_by(&*opened.system, &opened.properties);
    // Movers are used only if the checker accepts them; it also looks at places that no thread reaches.
    let is_accepted = |program: &Arc<selvedge_program::Lowering>| {
        selvedge_evidence::check_movers(&*opened.system, program.code(), &local.movers).is_ok()
    };
    if !opened.program.as_ref().is_some_and(is_accepted) {
        local.movers = Movers::default();
    }
    (!local.is_empty()).then(|| Fused::new(Arc::clone(&opened.system), local))
}

/// The system, which says who may wait if it is asked whether something goes wrong, or stops, in any schedule of a program. Its steps are fused at
/// these places.
fn with_waiting(
    question: &Question,
    opened: &Opened,
    system: Arc<dyn System>,
    local: &Local,
) -> Arc<dyn System> {
    let names_places = |property: &Property| matches!(property, Property::Unreachable(_));
    let may_wait = question.options().reduction
        && question.bound().is_none()
        && !opened.properties.iter().any(names_places);
    match opened.program.as_ref().filter(|_| may_wait) {
        Some(program) => {
            let who = Interfering::new(Arc::clone(program), local);
            Arc::new(Stubborn::new(system, Arc::new(who)))
        }
        None => system,
    }
}

/// The system that is explored: with fewer states if steps are fused.
fn system(question: &Question, opened: &Opened, fused: Option<&Arc<Fused>>) -> Arc<dyn System> {
    match fused {
        Some(fused) => {
            let system = Arc::clone(fused) as Arc<dyn System>;
            with_waiting(question, opened, system, fused.local())
        }
        None => {
            let system = Arc::clone(&opened.system);
            with_waiting(question, opened, system, &Local::default())
        }
    }
}

/// The name of the reduction for other processes.
fn fusing(fused: Option<&Fused>) -> Fusing {
    match fused {
        None => Fusing::Nothing,
        Some(fused) if fused.begins_later() => Fusing::BeginningLater,
        Some(_) => Fusing::LocalSteps,
    }
}

/// The system of a form, as [`explored`] makes it; `None` if it makes none like that.
pub(crate) fn in_form(
    question: &Question,
    opened: &Opened,
    method: Method,
    fusing: Fusing,
) -> Option<Arc<dyn System>> {
    let fused = match fusing {
        Fusing::Nothing => None,
        Fusing::LocalSteps => Some(reduced(question, opened, method)?),
        Fusing::BeginningLater => Some(reduced(question, opened, method)?.beginning_later()),
    };
    Some(system(question, opened, fused.map(Arc::new).as_ref()))
}

/// The system to explore, with how to make it again and where to keep the exploration.
pub(crate) struct Explored<'a> {
    pub system: &'a Arc<dyn System>,
    /// Keeps the exploration, if that is wanted.
    pub keeper: Option<&'a Keeper>,
    /// The form by which other processes make the same system.
    pub form: Form,
}

/// Explores the system with fewer states where that is possible, and otherwise the system itself. What was explored is kept if the
/// question says so.
pub(crate) fn explored(
    question: &Question,
    opened: &Opened,
    method: Method,
    explore: impl Fn(&engine::Question<'_>, &Explored<'_>) -> Outcome,
) -> (Outcome, Option<Box<Going>>) {
    let plain = question.explored(opened, method);
    let explore = |fused: Option<Fused>| {
        let fused = fused.map(Arc::new);
        let system = system(question, opened, fused.as_ref());
        let keeper = question.options().keep.then(|| Keeper::new(Arc::clone(&system)));
        let form = Form {
            reading: question.subject().reading(),
            deadlock: question.options().deadlock,
            fusing: fusing(fused.as_deref()),
        };
        let of = Explored { system: &system, keeper: keeper.as_ref(), form };
        let outcome = explore(&engine::Question { system: &*system, ..plain }, &of);
        let outcome = match &fused {
            Some(fused) => told(fused, opened, outcome, question.budget()),
            None => outcome,
        };
        let kept = keeper.and_then(Keeper::into_exploration);
        (outcome, kept.map(|exploration| Box::new(Going::new(fused, exploration))))
    };
    let Some(fused) = reduced(question, opened, method) else { return explore(None) };
    let names_places = |property: &Property| matches!(property, Property::Unreachable(_));
    if opened.properties.iter().any(names_places) {
        return explore(Some(fused));
    }
    let (later, going) = explore(Some(fused.clone().beginning_later()));
    let waits = opened.properties.iter().any(Property::is_about_deadlocks);
    match &later.verdict {
        // With threads that begin later there are no fewer contexts than it takes; so a run with as many has the fewest.
        Verdict::Unsafe { bound, trace, .. } if is_within(trace, *bound) => (later, going),
        // How many contexts a deadlock takes is another question.
        Verdict::Unsafe { .. } if waits && question.bound().is_none() => {
            drop(going);
            let (again, going) = explore(Some(fused));
            (settled(again, later), going)
        }
        Verdict::Unsafe { .. } if waits => explore(Some(fused)),
        _ => (later, going),
    }
}

/// Whether a run of the system itself keeps to a bound on contexts or rounds.
fn is_within(run: &Trace, bound: Bound) -> bool {
    match bound.resource {
        Resource::Contexts => run.contexts() <= bound.count,
        Resource::Rounds => run.rounds() <= bound.count,
        _ => false,
    }
}

/// The outcome of a search for fewest contexts; if that ended early, the violation that was known before.
fn settled(again: Outcome, known: Outcome) -> Outcome {
    let Verdict::Unknown { stop, .. } = &again.verdict else { return again };
    let stop = stop.clone();
    match known.verdict {
        Verdict::Unsafe { bound, property, trace } => {
            let bound = match bound.resource {
                Resource::Contexts => Bound::contexts(trace.contexts()),
                Resource::Rounds => Bound { count: trace.rounds(), ..bound },
                _ => bound,
            };
            let verdict = Verdict::Unsafe { bound, property, trace };
            Outcome { verdict, fewest: Fewest::Unknown(stop), ..known }
        }
        _ => again,
    }
}

fn local(opened: &Opened) -> Option<Local> {
    match &opened.program {
        Some(program) => Some(program.local()),
        None => opened.system.as_tables().map(selvedge_model::Tables::local),
    }
}

/// Translates an outcome of the reduced system into one of the system itself.
pub(crate) fn told(fused: &Fused, opened: &Opened, outcome: Outcome, budget: &Budget) -> Outcome {
    if outcome.reductions.is_empty() {
        return outcome;
    }
    let Outcome { verdict, evidence, most_threads, is_alone, .. } = outcome;
    let wanted_evidence = evidence.is_some();
    let waits = outcome.reductions.contains(&engine::STUBBORN_SETS);
    let mut fewest = outcome.fewest;
    let (verdict, evidence) = match verdict {
        Verdict::Unsafe { bound, property, trace } => match unfolded(fused, &trace) {
            Err(stop) => (Verdict::Unknown { stop, completed: None }, None),
            Ok(run) => {
                let waits = Property::is_about_deadlocks;
                let needs_all = is_alone && waits(&opened.properties[property]);
                let is_within = is_within(&run, bound);
                let is_known = is_within && has_fewest_steps(fused, &trace, &run, needs_all);
                // A deadlock that takes more contexts than were counted is looked for once more.
                let is_last =
                    is_within || !fused.begins_later() || !opened.properties.iter().any(waits);
                let mut shorter = None;
                if fewest == Fewest::Steps && !is_known {
                    let find = || fewer_steps(opened, bound, &run, most_threads, budget);
                    shorter = is_last.then(find).flatten();
                    if shorter.is_none() {
                        fewest = Fewest::FusedSteps;
                    }
                }
                let (trace, property) = shorter.unwrap_or((run, property));
                let evidence = wanted_evidence.then(|| {
                    let (trace, contexts) = (trace.clone(), trace.contexts());
                    Evidence::Violation(Violation { trace, contexts, property })
                });
                (Verdict::Unsafe { bound, property, trace }, evidence)
            }
        },
        verdict => {
            let evidence = evidence.map(|proof| {
                let (local, later) = (fused.local().clone(), fused.begins_later());
                let (waiting, proof) = match proof {
                    Evidence::Reduced(ReducedCertificate { waiting, proof, .. }) => {
                        (waiting, proof)
                    }
                    proof => (Vec::new(), Box::new(proof)),
                };
                Evidence::Reduced(ReducedCertificate { local, later, waiting, proof })
            });
            (verdict, evidence)
        }
    };
    let local = fused.local();
    let is_local = !local.places.is_empty() || !local.symbols.is_empty();
    let reductions = [
        (engine::LOCAL_STEPS, is_local),
        (engine::MOVERS, !local.movers.is_empty()),
        (engine::STUBBORN_SETS, waits),
    ];
    let reductions = reductions.into_iter().filter_map(|(name, used)| used.then_some(name));
    Outcome { verdict, evidence, fewest, reductions: reductions.collect(), ..outcome }
}

/// Whether a run of the system has the fewest steps because the run of fused steps that it stands for has: every run has at least as many steps as there are fused ones in
/// some run within the same bound. If it is known that all runs bring all threads to where they wait, the steps that threads take before they begin come to that.
fn has_fewest_steps(fused: &Fused, of: &Trace, run: &Trace, needs_all: bool) -> bool {
    let first = match needs_all {
        true => fused.first_steps(&run.initial).unwrap_or(0),
        false => 0,
    };
    run.steps.len() == of.steps.len() + first
}

/// The schedule of the system that has the fewest steps, if it is found soon, and what it breaks. Where threads are counted, it has those of
/// a schedule that is known, and no more contexts.
fn fewer_steps(
    opened: &Opened,
    bound: Bound,
    known: &Trace,
    most_threads: Option<usize>,
    budget: &Budget,
) -> Option<(Trace, usize)> {
    let (system, properties) = (&*opened.system, &opened.properties[..]);
    let budget = budget.with_work(FOR_FEWER_STEPS);
    let trace = match bound.resource {
        Resource::Contexts | Resource::Rounds => {
            shortest_violation(system, properties, bound, most_threads, &budget)
        }
        Resource::Threads | Resource::ContextsOf { .. } if !system.starts_threads() => {
            let more = &known.initial.threads[system.threads().len()..];
            let of = |any: Thread| more.iter().filter(|&thread| *thread == any).count();
            let any = system.any_number().into_iter().map(Thread::from);
            let counted = Counted::new(system, &any.map(of).collect::<Vec<_>>());
            let contexts = Bound::contexts(known.contexts());
            shortest_violation(&counted, properties, contexts, None, &budget)
        }
        _ => return None,
    };
    let trace = trace.ok()??;
    let last = selvedge_evidence::replay_with(system, &trace, |_| {}).ok()?;
    let property = Property::first_broken(properties, system, &last).ok()??;
    Some((trace, property))
}

/// The schedule step by step.
fn unfolded(fused: &Fused, trace: &Trace) -> Result<Trace, Stop> {
    let (initial, steps) = fused.unfold(&trace.initial, &trace.steps)?;
    Ok(Trace { initial, steps })
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_model::{Tables, Word};

    #[test]
    fn a_deadlock_is_one_although_fewer_contexts_were_not_ruled_out() {
        let mut tables = Tables::builder();
        let (shared, template) = (tables.shared("0"), tables.template("T"));
        let [begins, waits] = ["begins", "waits"].map(|name| tables.symbol(template, name));
        tables.rule(template, shared, Some(begins), shared, Word::Rewrite(waits));
        tables.thread("T", template, vec![begins]);
        tables.initial(shared);
        let system = tables.build();
        let question = engine::Question {
            system: &system,
            properties: &[Property::ANY_DEADLOCK],
            method: Method::Auto,
            symmetry: true,
            evidence: false,
        };
        let within = |work| engine::verify(&question, &Budget::default().with_work(work), &|_| {});
        let (known, again) = (within(10_000), within(0));
        assert!(matches!(known.verdict, Verdict::Unsafe { .. }), "{:?}", known.verdict);
        assert!(matches!(again.verdict, Verdict::Unknown { .. }), "{:?}", again.verdict);
        let told = settled(again.clone(), known.clone());
        assert!(matches!(told.fewest, Fewest::Unknown(_)), "{:?}", told.fewest);
        let Verdict::Unsafe { bound, .. } = told.verdict else { panic!("{:?}", told.verdict) };
        assert_eq!(bound, Bound::contexts(1));
        // What was ruled out, or found, is said as before.
        assert_eq!(settled(known, again).fewest, Fewest::Steps);
    }

    #[test]
    fn a_deadlock_is_one_of_threads_that_have_all_begun() {
        // `idle` never does anything that others see: where threads begin later, it does not act at all.
        let text = "lock a;\nlock b;\nthread left { acquire(a); acquire(b); }\nthread right { acquire(b); acquire(a); }\n\
                    thread idle { int[0..3] x := 1; x := x + 1; assume false; }\n";
        let options = selvedge_check::InputOptions::default();
        let subject = selvedge_check::Subject::parse("idle.weave", text, options).unwrap();
        let wanted =
            selvedge_check::Wanted { deadlock: selvedge_check::Deadlocks::All, any_number: true };
        let opened = subject.for_engine(wanted).unwrap();
        let fused =
            Fused::new(Arc::clone(&opened.system), local(&opened).unwrap()).beginning_later();
        let question = engine::Question {
            system: &fused,
            properties: &opened.properties,
            method: Method::Auto,
            symmetry: true,
            evidence: false,
        };
        let found = engine::verify(&question, &Budget::default(), &|_| {});
        let Verdict::Unsafe { trace, .. } = found.verdict else { panic!("{:?}", found.verdict) };
        let run = unfolded(&fused, &trace).unwrap();
        let last = selvedge_evidence::replay_with(&*opened.system, &run, |_| {}).unwrap();
        let broken = Property::first_broken(&opened.properties, &*opened.system, &last).unwrap();
        assert!(broken.is_some(), "the run ends where a thread can still act");
    }
}
