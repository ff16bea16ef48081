//! # One question, asked of every reduction
//! Answers are held against the definition and against each other; runs are replayed, and certificates are checked.

use std::cell::OnceCell;
use std::sync::Arc;

use selvedge_analysis::engine::{Method, Question, Verdict, verify};
use selvedge_analysis::explore::stacks::Stacks;
use selvedge_analysis::explore::{ContextExplorer, Explorer, ScheduleExplorer};
use selvedge_analysis::{Bound, Budget, Resource};
use selvedge_evidence::{
    Checked, Evidence, ReducedCertificate, Refusal, Trace, Violation, recheck, recheck_reduced,
};
use selvedge_model::{Conditions, Fused, Interference, Property, State, Stubborn, System, Watched};
use selvedge_program::{Interfering, Lowering};

use super::plain::Plain;
use super::tally::Tally;
use super::{Effort, Reduction};
use crate::fused::local_of;

/// How many symbols the stacks of a state have together, where changes of certificates are looked at state by state.
const SYMBOLS_PER_STATE: usize = 16;

/// A program that is asked about, in the two forms that questions have.
pub(super) struct Asked<'a> {
    /// The system as engines explore it.
    pub program: Arc<Lowering>,
    pub system: Arc<dyn System>,
    pub properties: &'a [Property],
    pub plain: Plain,
    pub effort: Effort,
    /// The states of [`Asked::system`], where they are not those of [`Asked::plain`].
    pub states: OnceCell<Vec<(State, usize)>>,
    /// The first answer: whether something is broken, and the fewest contexts, where those are counted. All others are the same.
    pub verdict: OnceCell<bool>,
    pub known: OnceCell<Option<usize>>,
    pub features: &'a [&'static str],
    pub about: String,
}

impl<'a> Asked<'a> {
    /// Enumerates a program; says why if that does not even begin.
    pub fn new(
        lower: &dyn Fn() -> Result<Lowering, String>,
        properties: &'a [Property],
        features: &'a [&'static str],
        effort: Effort,
        about: String,
    ) -> Result<Self, String> {
        let waits = properties.iter().any(Property::is_about_deadlocks);
        let lower = || lower().map(|program| program.within_sections(effort.inside));
        let (plain, program) = match waits {
            true => {
                let program = lower()?.choosing_at_once();
                (Plain::of(&program, properties, effort.states)?, program)
            }
            false => {
                (Plain::of(&lower()?, properties, effort.states)?, lower()?.dropping_threads())
            }
        };
        let program = Arc::new(program);
        let system = Arc::clone(&program) as Arc<dyn System>;
        let (states, verdict, known) = Default::default();
        Ok(Asked {
            program,
            system,
            properties,
            plain,
            effort,
            states,
            verdict,
            known,
            features,
            about,
        })
    }

    /// The states of the system as engines explore it, as far as they were enumerated, and for as many symbols on their stacks as small programs have: of stacks that grow without end,
    /// only the lower ones.
    pub fn states(&self) -> &[(State, usize)] {
        let all = match self.is_about_deadlocks() {
            true => &self.plain.states,
            false => self.states.get_or_init(|| {
                let plain = Plain::of(&*self.system, self.properties, self.effort.states);
                plain.map_or_else(|_| Vec::new(), |plain| plain.states)
            }),
        };
        let mut left = self.effort.states * SYMBOLS_PER_STATE;
        let mut fits = |(state, _): &&(State, usize)| {
            let symbols: usize = state.threads.iter().map(|t| t.stack.iter().count()).sum();
            left = left.saturating_sub(symbols);
            left > 0
        };
        &all[..all.iter().take_while(&mut fits).count()]
    }

    /// Whether something is broken, if the definition tells, or somebody has answered.
    pub fn is_broken(&self) -> Option<bool> {
        match self.plain.is_all || self.plain.broken_at.is_some() {
            true => Some(self.plain.broken_at.is_some()),
            false => self.verdict.get().copied(),
        }
    }

    pub fn check(&self, certificate: &ReducedCertificate) -> Result<Checked, Refusal> {
        let code = Some(self.program.code());
        recheck_reduced(&self.system, code, self.properties, certificate, &Budget::default())
    }

    pub fn is_about_deadlocks(&self) -> bool {
        self.properties.iter().any(Property::is_about_deadlocks)
    }

    /// Asks the engine, with steps fused at these places, or none; counts contexts from the beginning of each thread.
    pub fn count(&self, reduction: Reduction, tally: &mut Tally) -> Option<ReducedCertificate> {
        let about = format!("{reduction:?}\n{}", self.about);
        let local = reduction.of(&local_of(&self.program));
        let mut proof = None;
        // Where threads begin later, a deadlock may take fewer contexts; whether there is one is the same.
        let begins_later: &[bool] = if local.places.is_empty() { &[false] } else { &[false, true] };
        for &later in begins_later {
            let watched = Arc::new(Conditions::new(Arc::clone(&self.system), local.clone()));
            let fused = Fused::new(Arc::clone(&watched) as Arc<dyn System>, local.clone());
            let fused = fused.asking_each_time();
            let fused = if later { fused.beginning_later() } else { fused };
            let counts = !later || !self.is_about_deadlocks();
            for workers in [1, 2] {
                let question = Question {
                    system: if reduction == Reduction::None { &*self.system } else { &fused },
                    properties: self.properties,
                    method: Method::Auto,
                    symmetry: true,
                    evidence: true,
                };
                let budget = Budget { workers, crew: workers, ..Budget::default() };
                let outcome = verify(&question, &budget.with_work(self.effort.work), &|_| {});
                let broken_at = match &outcome.verdict {
                    Verdict::Safe(_) => None,
                    Verdict::Unsafe { bound, .. } => Some(*bound),
                    Verdict::Bounded { .. } => panic!("there is no bound\n{about}"),
                    Verdict::Unknown { completed, .. } => {
                        // Where threads begin later, nothing takes more contexts.
                        let completed = completed.filter(|b| b.resource == Resource::Contexts);
                        let none_until = completed.map_or(0, |bound| bound.count);
                        assert!(
                            self.plain.broken_at.is_none_or(|least| least > none_until),
                            "{workers} workers, later {later}: none until {none_until}\n{about}"
                        );
                        Tally::count(&mut tally.unknown, reduction);
                        continue;
                    }
                };
                let about = format!("{workers} workers, later {later}, {about}");
                self.compare(broken_at, counts, &about);
                if !later {
                    Tally::count(&mut tally.compared, (reduction, workers));
                }
                if let Verdict::Unsafe { bound, property, trace } = &outcome.verdict {
                    let fused = (reduction != Reduction::None).then_some(&fused);
                    let contexts = self.replay(fused, trace, *property, &about);
                    let is_exact = counts && bound.resource == Resource::Contexts;
                    assert!(!is_exact || contexts == bound.count, "{contexts}, {bound}\n{about}");
                    Tally::count(&mut tally.runs, reduction);
                }
                let (Verdict::Safe(_), Some(evidence)) = (&outcome.verdict, outcome.evidence)
                else {
                    continue;
                };
                let (local, waiting) = (local.clone(), Vec::new());
                let certificate =
                    ReducedCertificate { local, later, waiting, proof: Box::new(evidence) };
                self.check(&certificate).unwrap_or_else(|why| panic!("{why}\n{about}"));
                tally.accepted(reduction, &certificate, self.features);
                proof = Some(certificate);
            }
            tally.heads += watched.heads();
            if counts {
                for workers in [1, 2] {
                    let is_done = self.in_waves(&fused, workers, &about);
                    let counts =
                        if is_done { &mut tally.bound_by_bound } else { &mut tally.cut_short };
                    Tally::count(counts, (reduction, workers));
                }
            }
        }
        proof
    }

    /// Holds an answer against the definition and against the answers before: where contexts count, at which bound something is broken first; otherwise whether something is.
    pub fn compare(&self, broken_at: Option<Bound>, counts: bool, about: &str) {
        let is_broken = broken_at.is_some();
        assert_eq!(is_broken, self.is_broken().unwrap_or(is_broken), "{broken_at:?}\n{about}");
        self.verdict.get_or_init(|| is_broken);
        // Where single contexts have no end, the engine may count something else.
        if !counts || broken_at.is_some_and(|bound| bound.resource != Resource::Contexts) {
            return;
        }
        let contexts = broken_at.map(|bound| bound.count);
        assert!(
            self.plain.agrees(contexts),
            "{contexts:?}, not {:?}\n{about}",
            self.plain.broken_at
        );
        assert_eq!(contexts, *self.known.get_or_init(|| contexts), "{about}");
    }

    /// Replays the run of a violation, step by step, and counts its contexts: there are no fewer than the definition has.
    pub fn replay(&self, fused: Option<&Fused>, of: &Trace, property: usize, about: &str) -> usize {
        let trace = match fused {
            Some(fused) => {
                let unfolded = fused.unfold(&of.initial, &of.steps);
                let (initial, steps) = unfolded.unwrap_or_else(|why| panic!("{why}\n{about}"));
                Trace { initial, steps }
            }
            None => of.clone(),
        };
        let contexts = trace.contexts();
        let violation = Evidence::Violation(Violation { trace, contexts, property });
        let checked = recheck(&*self.system, self.properties, &violation);
        checked.unwrap_or_else(|why| panic!("{why}\n{about}"));
        let fewest = self.plain.broken_at.unwrap_or(self.plain.completed + 1);
        assert!(contexts >= fewest, "{contexts}, and not {fewest}\n{about}");
        contexts
    }

    /// Workers that share every wave come to the same bound, as far as the definition was followed; says whether they got there.
    pub fn in_waves(&self, fused: &Fused, workers: usize, about: &str) -> bool {
        let last = self.plain.broken_at.unwrap_or(self.plain.completed);
        let explorer = ContextExplorer::new(fused, Stacks::default(), true);
        let Ok(mut explorer) = explorer.map(|explorer| explorer.with_waves_from(0)) else {
            return false;
        };
        let budget = Budget { crew: workers, ..Budget::default() }.with_work(self.effort.work);
        for bound in 0..=last {
            if bound > 0 && explorer.advance(&budget).is_err() {
                return false;
            }
            let found = explorer.violation(bound, self.properties).expect("it can be asked");
            let expected = self.plain.broken_at.is_some_and(|least| least <= bound);
            assert_eq!(found.is_some(), expected, "{workers} workers, {bound}\n{about}");
        }
        true
    }

    /// Lets threads wait: whether something is broken is the same, and so is whether there is a deadlock.
    pub fn wait(&self, reduction: Reduction, tally: &mut Tally) -> Option<ReducedCertificate> {
        let about = format!("{reduction:?}\n{}", self.about);
        let local = reduction.of(&local_of(&self.program));
        let later = reduction == Reduction::All;
        let fused = Fused::new(Arc::clone(&self.system), local.clone());
        let fused = Arc::new(if later { fused.beginning_later() } else { fused });
        let system = Arc::clone(&fused) as Arc<dyn System>;
        let who: Arc<dyn Interference> =
            Arc::new(Interfering::new(Arc::clone(&self.program), &local));
        let watched = Arc::new(Watched::new(Arc::clone(&system), Arc::clone(&who)));
        // Looking at every choice takes long where there is no end of them.
        let looked_at = match self.plain.is_all {
            true => Arc::clone(&watched) as Arc<dyn Interference>,
            false => Arc::clone(&who),
        };
        let mut found = None;
        for (workers, who) in [(1, looked_at), (2, who)] {
            let stubborn = Stubborn::new(Arc::clone(&system), who);
            let budget = Budget { workers, crew: workers, ..Budget::default() };
            let budget = budget.with_work(self.effort.work);
            let explorer = ScheduleExplorer::new(&stubborn, true, 1_000, None);
            let mut explorer = explorer.ok().flatten();
            let broken = explorer.as_mut().and_then(|it| it.run(self.properties, &budget).ok());
            let (Some(explorer), Some(broken)) = (explorer, broken) else {
                Tally::count(&mut tally.unknown, reduction);
                continue;
            };
            assert_eq!(watched.flaw(), None, "{about}");
            if let Some(is_broken) = self.is_broken() {
                assert_eq!(broken.is_some(), is_broken, "{workers}\n{about}");
                Tally::count(&mut tally.compared, (reduction, workers));
            }
            if broken.is_some() {
                continue;
            }
            let (proof, waiting) = explorer.certificate();
            let local = local.clone();
            let certificate = ReducedCertificate { local, later, waiting, proof: Box::new(proof) };
            self.check(&certificate).unwrap_or_else(|why| panic!("{why}\n{about}"));
            tally.accepted(reduction, &certificate, self.features);
            found = Some(certificate);
        }
        tally.choices += watched.choices();
        found
    }
}
