//! # Each reduction by itself, against the plain enumeration
//! Random programs with locks, local computation, recursion, arrays, started threads and asserts on locals, enumerated by the definition. With each reduction alone, with all of them, and
//! without, with one worker and with two, the engine comes to that verdict and to that smallest bound, also for deadlocks. Every run is replayed, and every certificate is checked. Then one
//! thing is changed in it, and the checker refuses it, unless what it says is still so: that is looked at state by state.
//!
//! Programs may have states without end. They are enumerated up to a number of states, and compared bound by bound as far as that goes; beyond, all answers are held against each other. How many
//! were compared how far is counted, and printed with the rest: `SELVEDGE_SEEDS=5000 cargo test --release -p selvedge-analysis --test all fused::exact -- --nocapture`. With `SELVEDGE_FROM=1000`
//! it begins at that seed.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use selvedge_analysis::engine::{Method, Question, Verdict, verify};
use selvedge_analysis::explore::stacks::Stacks;
use selvedge_analysis::explore::{ContextExplorer, Explorer, ScheduleExplorer};
use selvedge_analysis::naive::Naive;
use selvedge_analysis::{Bound, Budget, Resource};
use selvedge_evidence::{
    Checked, CountedState, CutCertificate, CutThread, Evidence, LeftOut, ReducedCertificate,
    Refusal, Trace, Violation, Window, recheck, recheck_reduced,
};
use selvedge_frontend::{Input, LoadOptions, parse};
use selvedge_model::{
    Conditions, Fused, Interference, Local, Movers, PlaceId, Property, State, Stubborn, System,
    ThreadId, Watched, step,
};
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Count, Interfering, Lowering, Source, ThreadCounts, print};

use super::generated::{random_locked, random_ring};
use super::{local_of, without_one};
use crate::support::{self, many, seeds};

/// How much is done for one question.
#[derive(Clone, Copy)]
struct Effort {
    /// No more states than this are enumerated, each once for every thread that comes to it: of larger programs, as many contexts as that allows for.
    states: usize,
    /// Work after which an engine gives up: some programs have no end.
    work: u64,
}

impl Effort {
    const RANDOM: Effort = Effort { states: 3_000, work: 60_000 };
    /// For all examples: stacks that grow without end become as high as there are states.
    const EXAMPLE: Effort = Effort { states: 20_000, work: 400_000 };
}

/// How many symbols the stacks of a state have together, where changes of certificates are looked at state by state.
const SYMBOLS_PER_STATE: usize = 16;

/// How work is saved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Reduction {
    None,
    LocalSteps,
    Movers,
    LocalStepsAndMovers,
    Waiting,
    LocalStepsAndWaiting,
    All,
}

impl Reduction {
    const EACH: [Reduction; 7] = [
        Reduction::None,
        Reduction::LocalSteps,
        Reduction::Movers,
        Reduction::LocalStepsAndMovers,
        Reduction::Waiting,
        Reduction::LocalStepsAndWaiting,
        Reduction::All,
    ];

    /// What it uses of all that is known of a program.
    fn of(self, local: &Local) -> Local {
        let none = Local::default();
        match self {
            Reduction::None | Reduction::Waiting => none,
            Reduction::Movers => Local { movers: local.movers.clone(), ..none },
            Reduction::LocalSteps | Reduction::LocalStepsAndWaiting => {
                Local { movers: Movers::default(), ..local.clone() }
            }
            Reduction::LocalStepsAndMovers | Reduction::All => local.clone(),
        }
    }

    fn waits(self) -> bool {
        matches!(self, Reduction::Waiting | Reduction::LocalStepsAndWaiting | Reduction::All)
    }
}

/// What the definition says.
struct Plain {
    /// The states within the contexts that were followed to the end, and some that take one more.
    states: Vec<(State, usize)>,
    /// The smallest bound at which something is broken.
    broken_at: Option<usize>,
    /// Whether all that is broken there are deadlocks.
    is_deadlock: bool,
    /// So many contexts were followed to the end; none if a single one has too many states.
    completed: usize,
    /// Whether there is nothing beyond.
    is_all: bool,
}

impl Plain {
    /// Enumerates a system; `None` if it does not begin, or some state cannot be judged.
    fn of(system: &dyn System, properties: &[Property], limit: usize) -> Option<Self> {
        let mut naive = Naive::with_limit(system, limit).ok()?;
        let (mut completed, mut is_all) = (0, false);
        while let Ok(level) = naive.advance() {
            completed = level.bound;
            if level.has_collapsed() {
                is_all = true;
                break;
            }
        }
        // What is broken in the midst of a bound, and not before, is broken there first.
        let states: Vec<_> = naive.states().map(|(state, bound)| (state.clone(), bound)).collect();
        let mut broken_at: Option<usize> = None;
        for (state, bound) in &states {
            if Property::first_broken(properties, system, state).ok()?.is_some() {
                broken_at = Some(broken_at.map_or(*bound, |least| least.min(*bound)));
            }
        }
        let is_wrong = |(state, bound): &(State, usize)| {
            Some(*bound) == broken_at && system.wrong(state.shared).is_some()
        };
        let is_deadlock = broken_at.is_some() && !states.iter().any(is_wrong);
        Some(Plain { states, broken_at, is_deadlock, completed, is_all })
    }

    /// How far it goes.
    fn extent(&self) -> Extent {
        match (self.broken_at, self.completed) {
            (Some(_), _) => Extent::Whole,
            (None, _) if self.is_all => Extent::Whole,
            (None, 0) => Extent::PartOfOneContext,
            (None, _) => Extent::Contexts,
        }
    }

    /// Compares with a bound at which something is said to be broken first.
    fn agrees(&self, broken_at: Option<usize>) -> bool {
        match (self.broken_at, broken_at) {
            (None, None) => true,
            (None, Some(bound)) => !self.is_all && bound > self.completed,
            (Some(bound), other) => other == Some(bound),
        }
    }
}

/// How far the definition was followed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Extent {
    /// To the end, or to the first violation.
    Whole,
    /// Up to a number of contexts, without a violation.
    Contexts,
    /// A part of what one context reaches.
    PartOfOneContext,
}

/// One thing in which a certificate differs from what an engine wrote.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Change {
    StateMissing,
    LocalPlace,
    PlaceInside,
    PlaceThatGivesBack,
    PlaceThatTakes,
    PlaceThatCommits,
    HeldPlace,
    OtherLock,
    ProtectedSlot,
    WaitingThread,
    WaitingForEver,
}

impl Change {
    const EACH: [Change; 11] = [
        Change::StateMissing,
        Change::LocalPlace,
        Change::PlaceInside,
        Change::PlaceThatGivesBack,
        Change::PlaceThatTakes,
        Change::PlaceThatCommits,
        Change::HeldPlace,
        Change::OtherLock,
        Change::ProtectedSlot,
        Change::WaitingThread,
        Change::WaitingForEver,
    ];
}

#[derive(Default, Debug)]
struct Tally {
    programs: usize,
    questions: usize,
    /// Questions that have no enumeration to be held against.
    not_enumerated: usize,
    /// How far questions were enumerated; of those that no engine answered either.
    extents: BTreeMap<Extent, usize>,
    unanswered: BTreeMap<Extent, usize>,
    /// How many contexts were followed where there is no end.
    contexts: BTreeMap<usize, usize>,
    safe: usize,
    /// With an assertion or something like it that is broken first; with a deadlock first.
    wrong: usize,
    deadlocks: usize,
    features: BTreeMap<&'static str, usize>,
    /// Certificates about programs with a feature, by what was left out in them.
    of_features: BTreeMap<(&'static str, &'static str), usize>,
    /// Questions that each reduction answered like the definition, by the number of workers.
    compared: BTreeMap<(Reduction, usize), usize>,
    /// Questions that were compared bound by bound as far as the definition was followed, and those where work ended before.
    bound_by_bound: BTreeMap<(Reduction, usize), usize>,
    cut_short: BTreeMap<(Reduction, usize), usize>,
    unknown: BTreeMap<Reduction, usize>,
    /// Runs that were replayed, certificates that were accepted.
    runs: BTreeMap<Reduction, usize>,
    certificates: BTreeMap<Reduction, usize>,
    /// What sort of proof they have.
    proofs: BTreeMap<(Reduction, &'static str), usize>,
    /// States at which a choice of who goes first was looked at, heads at which steps were compared.
    choices: usize,
    heads: usize,
    refused: BTreeMap<(Reduction, Change), usize>,
    /// Changes that say nothing wrong.
    still_so: BTreeMap<(Reduction, Change), usize>,
}

impl Tally {
    fn count<K: Ord>(counts: &mut BTreeMap<K, usize>, key: K) {
        *counts.entry(key).or_default() += 1;
    }

    /// Counts a question, and how far it was enumerated.
    fn asked(&mut self, plain: &Plain) {
        self.questions += 1;
        let extent = plain.extent();
        Tally::count(&mut self.extents, extent);
        if extent == Extent::Contexts {
            Tally::count(&mut self.contexts, plain.completed);
        }
        match plain.broken_at {
            None => self.safe += usize::from(plain.is_all),
            Some(_) if plain.is_deadlock => self.deadlocks += 1,
            Some(_) => self.wrong += 1,
        }
    }

    /// Counts a question that nobody has answered.
    fn answered(&mut self, asked: &Asked<'_>) {
        if asked.is_broken().is_none() {
            Tally::count(&mut self.unanswered, asked.plain.extent());
        }
    }

    /// Counts a certificate that was accepted.
    fn accepted(
        &mut self,
        reduction: Reduction,
        of: &ReducedCertificate,
        features: &[&'static str],
    ) {
        Tally::count(&mut self.certificates, reduction);
        let proof = match &*of.proof {
            Evidence::Cut(_) => "cut",
            Evidence::Aggregate(_) => "aggregate",
            Evidence::Cover(_) => "cover",
            _ => "other",
        };
        Tally::count(&mut self.proofs, (reduction, proof));
        let left_out = [
            ("local steps", !of.local.places.is_empty()),
            ("movers", !of.local.movers.is_empty()),
            ("waiting", !of.waiting.is_empty()),
        ];
        for (kind, _) in left_out.iter().filter(|(_, is_used)| *is_used) {
            for feature in features {
                Tally::count(&mut self.of_features, (*feature, *kind));
            }
        }
    }
}

/// A program that is asked about, in the two forms that questions have.
struct Asked<'a> {
    /// The system as engines explore it.
    program: Arc<Lowering>,
    system: Arc<dyn System>,
    properties: &'a [Property],
    plain: Plain,
    effort: Effort,
    /// The states of [`Asked::system`], where they are not those of [`Asked::plain`].
    states: OnceCell<Vec<(State, usize)>>,
    /// The first answer: whether something is broken, and the fewest contexts, where those are counted. All others are the same.
    verdict: OnceCell<bool>,
    known: OnceCell<Option<usize>>,
    features: &'a [&'static str],
    about: String,
}

impl<'a> Asked<'a> {
    fn new(
        lower: &dyn Fn() -> Option<Lowering>,
        properties: &'a [Property],
        features: &'a [&'static str],
        effort: Effort,
        about: String,
    ) -> Option<Self> {
        let waits = properties.iter().any(Property::is_about_deadlocks);
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
        Some(Asked {
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
    fn states(&self) -> &[(State, usize)] {
        let all = match self.is_about_deadlocks() {
            true => &self.plain.states,
            false => self.states.get_or_init(|| {
                let plain = Plain::of(&*self.system, self.properties, self.effort.states);
                plain.map_or(Vec::new(), |plain| plain.states)
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
    fn is_broken(&self) -> Option<bool> {
        match self.plain.is_all || self.plain.broken_at.is_some() {
            true => Some(self.plain.broken_at.is_some()),
            false => self.verdict.get().copied(),
        }
    }

    fn check(&self, certificate: &ReducedCertificate) -> Result<Checked, Refusal> {
        let code = Some(self.program.code());
        recheck_reduced(&self.system, code, self.properties, certificate, &Budget::default())
    }

    fn is_about_deadlocks(&self) -> bool {
        self.properties.iter().any(Property::is_about_deadlocks)
    }

    /// Asks the engine, with steps fused at these places, or none; counts contexts from the beginning of each thread.
    fn count(&self, reduction: Reduction, tally: &mut Tally) -> Option<ReducedCertificate> {
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
    fn compare(&self, broken_at: Option<Bound>, counts: bool, about: &str) {
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
    fn replay(&self, fused: Option<&Fused>, of: &Trace, property: usize, about: &str) -> usize {
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
    fn in_waves(&self, fused: &Fused, workers: usize, about: &str) -> bool {
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
    fn wait(&self, reduction: Reduction, tally: &mut Tally) -> Option<ReducedCertificate> {
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

    /// Changes one thing in a certificate, and looks whether the checker notices.
    fn change(
        &self,
        (reduction, change): (Reduction, Change),
        genuine: &ReducedCertificate,
        rng: &mut fastrand::Rng,
        tally: &mut Tally,
    ) {
        let Some(changed) = self.changed(change, genuine, rng) else { return };
        if changed == *genuine {
            return;
        }
        match self.check(&changed) {
            Err(_) => Tally::count(&mut tally.refused, (reduction, change)),
            Ok(_) => {
                Tally::count(&mut tally.still_so, (reduction, change));
                let about = format!("{change:?} was accepted: {:?}\n{}", changed.local, self.about);
                let is_seen = change == Change::WaitingForEver
                    || change == Change::StateMissing && !changed.waiting.is_empty();
                assert!(!is_seen, "{about}");
                let flaw = self.disproof(&changed);
                assert_eq!(flaw, None, "{about}");
            }
        }
    }

    /// What is not so of what a certificate says about places, and about who may wait.
    fn disproof(&self, certificate: &ReducedCertificate) -> Option<String> {
        let ReducedCertificate { local, later, waiting, proof } = certificate;
        if let Some(why) = super::locks::disproof(&*self.system, &local.movers, self.states()) {
            return Some(why);
        }
        let conditions = Conditions::new(Arc::clone(&self.system), local.clone());
        for (state, _) in self.states() {
            for thread in state.thread_ids() {
                let thread = &state.threads[thread.index()];
                let (top, mut out) = (thread.stack.top(), Vec::new());
                let head = (thread.template, state.shared, top);
                if self.system.actions(head.0, head.1, head.2, &mut out).is_err() {
                    continue;
                }
                if let Err(why) = conditions.actions(head.0, head.1, head.2, &mut out) {
                    return Some(why.to_string());
                }
            }
        }
        let fused = Fused::new(Arc::clone(&self.system), local.clone());
        let fused = if *later { fused.beginning_later() } else { fused };
        if waiting.is_empty() {
            // Without a state that others stand for as well, it still has all that is reached.
            let covers = |state: &State| match &**proof {
                Evidence::Cut(cut) => cut.covers(&fused, state),
                Evidence::Aggregate(aggregate) => aggregate.covers(&fused, state),
                _ => Ok(true),
            };
            let reached = Plain::of(&fused, self.properties, self.effort.states)?.states;
            let missing = reached.iter().find(|(state, _)| covers(state) != Ok(true));
            return missing.map(|(state, _)| format!("{state:?} is missing"));
        }
        let Evidence::Cut(cut) = &**proof else { return None };
        waiting.iter().find_map(|left| {
            let (state, first) = standing(cut, left, &*self.system)?;
            Watched::disproof(&fused, &state, &first)
        })
    }

    fn changed(
        &self,
        change: Change,
        genuine: &ReducedCertificate,
        rng: &mut fastrand::Rng,
    ) -> Option<ReducedCertificate> {
        let code = self.program.code();
        let mut changed = genuine.clone();
        let (places, slots) = (code.locations.len() as u32, code.shared.len() as u32);
        let place = PlaceId(rng.u32(0..places));
        let guards = &mut changed.local.movers.guards;
        let guard = (!guards.is_empty()).then(|| rng.usize(0..guards.len()));
        let movers = &mut changed.local.movers;
        match change {
            Change::StateMissing if genuine.waiting.is_empty() => {
                *changed.proof = without_one(&genuine.proof, rng.usize(..))?;
            }
            Change::StateMissing => return without_state(genuine, rng),
            Change::LocalPlace => {
                changed.local.places.insert(place);
            }
            Change::PlaceInside => {
                movers.inside.insert(place);
            }
            Change::PlaceThatGivesBack => {
                movers.releases.insert(place);
            }
            Change::PlaceThatTakes => {
                movers.takes.insert(place);
            }
            Change::PlaceThatCommits => {
                movers.commits.insert(place);
            }
            Change::HeldPlace => {
                movers.guards[guard?].held.insert(place);
            }
            Change::OtherLock => movers.guards[guard?].lock = place,
            Change::ProtectedSlot => {
                if slots == 0 {
                    return None;
                }
                movers.guards[guard?].protects.insert(rng.u32(0..slots));
            }
            Change::WaitingThread => {
                let Evidence::Cut(cut) = &*genuine.proof else { return None };
                let state = rng.u32(0..u32::try_from(cut.states.len()).ok()?);
                let threads = &cut.states[state as usize].threads;
                if threads.is_empty() || cut.kinds.iter().any(hides) {
                    return None;
                }
                let kind = threads[rng.usize(0..threads.len())].0;
                changed.waiting = waiting_too(&genuine.waiting, state, kind);
            }
            Change::WaitingForEver => {
                // The threads of some kinds wait wherever they are, and somebody else goes on for ever.
                let Evidence::Cut(cut) = &*genuine.proof else { return None };
                if cut.kinds.iter().any(hides) {
                    return None;
                }
                changed.waiting = Vec::new();
                for (number, state) in (0..).zip(&cut.states) {
                    let mut kinds: Vec<u32> = state.threads.iter().map(|&(kind, _)| kind).collect();
                    if kinds.is_empty() {
                        return None;
                    }
                    // One goes first.
                    kinds.swap_remove(rng.usize(0..kinds.len()));
                    kinds.sort_unstable();
                    if kinds.is_empty() {
                        return None;
                    }
                    changed.waiting.push(LeftOut { state: number, kinds: kinds.into() });
                }
            }
        }
        Some(changed)
    }
}

fn hides(kind: &CutThread) -> bool {
    kind.window.hidden
}

/// The same who wait, and one more.
fn waiting_too(waiting: &[LeftOut], state: u32, kind: u32) -> Vec<LeftOut> {
    let mut more: BTreeMap<u32, BTreeSet<u32>> =
        waiting.iter().map(|left| (left.state, left.kinds.iter().copied().collect())).collect();
    more.entry(state).or_default().insert(kind);
    let left = |(state, kinds): (u32, BTreeSet<u32>)| LeftOut {
        state,
        kinds: kinds.into_iter().collect(),
    };
    more.into_iter().map(left).collect()
}

/// The certificate without one of its states; who waits at the others stays as it was.
fn without_state(
    genuine: &ReducedCertificate,
    rng: &mut fastrand::Rng,
) -> Option<ReducedCertificate> {
    let Evidence::Cut(cut) = &*genuine.proof else { return None };
    let gone = rng.usize(0..cut.states.len());
    let mut changed = genuine.clone();
    let mut cut: CutCertificate = cut.clone();
    cut.states.remove(gone);
    *changed.proof = Evidence::Cut(cut);
    let gone = u32::try_from(gone).ok()?;
    changed.waiting.retain(|left| left.state != gone);
    for left in &mut changed.waiting {
        left.state -= u32::from(left.state > gone);
    }
    Some(changed)
}

/// A state of a certificate, and those that go first.
fn standing(
    cut: &CutCertificate,
    left: &LeftOut,
    system: &dyn System,
) -> Option<(State, Vec<ThreadId>)> {
    let at = &cut.states[left.state as usize];
    let (mut threads, mut first) = (Vec::new(), Vec::new());
    for &(kind, count) in &at.threads {
        let CutThread { class, window: Window { symbols, .. } } = &cut.kinds[kind as usize];
        let class = *class as usize;
        // A class of threads of the text; those that are started come after them.
        let member = cut.classes.iter().position(|&of| of as usize == class);
        let template = match member {
            Some(thread) => system.threads().get(thread)?.template,
            None => return None,
        };
        for _ in 0..count {
            if !left.kinds.contains(&kind) {
                first.push(ThreadId::from(threads.len()));
            }
            let stack = selvedge_model::Stack::top_first(symbols.iter().copied());
            threads.push(selvedge_model::Thread { template, stack });
        }
    }
    Some((State { shared: at.shared, threads }, first))
}

/// What a text has in it.
const FEATURES: [(&str, &[&str]); 14] = [
    ("locks", &["acquire m", "acquire n", "acquire k", "acquire lock", "lock("]),
    ("arrays of locks", &["acquire k[", "acquire s["]),
    ("trylock", &["trylock("]),
    ("local computation", &["l := (l", "l := 2;", "i := 1 - i"]),
    ("recursion", &["inside();", "deep(me", "grow(me", "dive(2)", "down(1)", "sum(me"]),
    ("arrays", &["d[i]", "cell[", "a[x"]),
    ("started threads", &["async "]),
    ("joins", &["join "]),
    ("asserts on locals", &["assert l"]),
    ("conditions", &["wait w, m", "notify"]),
    ("channels", &["send(c", "receive(c"]),
    ("cas", &["cas("]),
    (
        "sections that call",
        &["atomic { deep", "atomic { inside", "atomic { l := sum", "atomic { raise"],
    ),
    ("parameters that stand for others", &["with(m", "with(k", "put(cell", "put(s["]),
];

/// A random program of one of several kinds.
fn program(seed: u64) -> (selvedge_program::Program, String) {
    let shapes = [
        Shape { locals: 3, boolean_programs: false, jumps: false, ..Shape::default() },
        Shape { locals: 3, statements: 4, boolean_programs: false, ..Shape::default() },
        Shape { thread_ids: true, chosen_indices: true, ..Shape::default() },
    ];
    let text = match seed % 4 {
        0 => {
            let program = random_program(seed, &shapes[(seed / 4 % 3) as usize]);
            let text = print::weave(&program);
            return (program, text);
        }
        1 | 2 => random_locked(seed),
        _ => random_ring(seed),
    };
    (support::read_weave(&text), text)
}

#[test]
fn each_reduction_alone() {
    let mut tally = Tally::default();
    let both = [Property::NeverWrong, Property::ANY_DEADLOCK];
    for seed in seeds(80) {
        let (program, text) = program(seed);
        let lower = || support::lower(&program, &text).ok();
        let procedures = text.find("void p(").unwrap_or(0);
        let is_there = |word: &&str| text[procedures..].contains(word);
        let features = FEATURES.iter().filter(|(_, words)| words.iter().any(is_there));
        let features: Vec<&'static str> = features.map(|(feature, _)| *feature).collect();
        let mut is_asked = false;
        for properties in [&both[..1], &both[..]] {
            let about = format!("seed {seed}, {properties:?}\n{text}");
            let asked = Asked::new(&lower, properties, &features, Effort::RANDOM, about);
            let Some(asked) = asked else {
                tally.not_enumerated += 1;
                continue;
            };
            is_asked = true;
            tally.asked(&asked.plain);
            let mut rng = fastrand::Rng::with_seed(seed);
            for reduction in Reduction::EACH {
                let genuine = match reduction.waits() {
                    true => asked.wait(reduction, &mut tally),
                    false => asked.count(reduction, &mut tally),
                };
                let Some(genuine) = genuine else { continue };
                let changes: &[Change] = match reduction {
                    Reduction::None => &[],
                    Reduction::LocalSteps => &[Change::StateMissing, Change::LocalPlace],
                    Reduction::Movers | Reduction::LocalStepsAndMovers => &[
                        Change::StateMissing,
                        Change::PlaceInside,
                        Change::PlaceThatGivesBack,
                        Change::PlaceThatTakes,
                        Change::PlaceThatCommits,
                        Change::HeldPlace,
                        Change::OtherLock,
                        Change::ProtectedSlot,
                    ],
                    _ => &[Change::StateMissing, Change::WaitingThread, Change::WaitingForEver],
                };
                for &change in changes {
                    asked.change((reduction, change), &genuine, &mut rng, &mut tally);
                }
            }
            tally.answered(&asked);
        }
        if is_asked {
            tally.programs += 1;
            features.iter().for_each(|feature| Tally::count(&mut tally.features, *feature));
        }
    }
    println!("{tally:#?}");
    tally.check(many(80) as usize);
}

impl Tally {
    /// Whether everything occurred that the test is about.
    fn check(&self, seeds: usize) {
        let of = |count: Option<&usize>| count.copied().unwrap_or(0);
        assert!(self.programs * 10 > seeds * 9, "{self:#?}");
        let each = [self.safe, self.wrong, self.deadlocks];
        assert!(each.iter().all(|&count| count > seeds / 20), "{self:#?}");
        assert!(self.choices > seeds && self.heads > seeds, "{self:#?}");
        for reduction in Reduction::EACH {
            for workers in [1, 2] {
                let compared = of(self.compared.get(&(reduction, workers)));
                assert!(compared > seeds / 2, "{reduction:?}, {workers} workers: {self:#?}");
            }
            let (accepted, unknown) =
                (of(self.certificates.get(&reduction)), of(self.unknown.get(&reduction)));
            assert!(accepted > seeds / 8, "{reduction:?}: {self:#?}");
            assert!(unknown < self.questions, "{reduction:?}: {self:#?}");
        }
        for (feature, _) in FEATURES {
            assert!(of(self.features.get(feature)) > 0, "no {feature}: {self:#?}");
            for kind in ["local steps", "movers", "waiting"] {
                let both = self.of_features.contains_key(&(feature, kind));
                assert!(both, "{feature} and {kind}: {self:#?}");
            }
        }
        // Nearly all were compared with something that the definition says.
        assert!(self.not_enumerated * 50 < self.questions, "{self:#?}");
        let whole = of(self.extents.get(&Extent::Whole));
        assert!(whole * 4 > self.questions * 3, "{self:#?}");
        let refused = |is: &dyn Fn(Reduction, Change) -> bool| -> usize {
            let those =
                self.refused.iter().filter(|((reduction, change), _)| is(*reduction, *change));
            those.map(|(_, count)| count).sum()
        };
        let enough = (seeds / 8).min(300);
        for change in Change::EACH {
            let refused = refused(&|_, of| of == change);
            assert!(refused >= enough, "{change:?}: {refused}, {self:#?}");
        }
        for reduction in Reduction::EACH.into_iter().filter(|&of| of != Reduction::None) {
            let refused = refused(&|of, _| of == reduction);
            assert!(refused >= enough, "{reduction:?}: {refused}, {self:#?}");
        }
    }
}

/// The examples that are programs, each question of theirs about assertions and once more about deadlocks. The usual run takes every fortieth; `SELVEDGE_EVERY=1` takes them all. Of threads of
/// which there may be any number there is one.
#[test]
fn each_reduction_alone_on_examples() {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let list = std::fs::read_to_string(examples.join("expected.tsv")).expect("the list");
    let every = std::env::var("SELVEDGE_EVERY").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let effort = if every == 1 { Effort::EXAMPLE } else { Effort::RANDOM };
    let mut rows: Vec<(&str, &str)> = Vec::new();
    for row in list.lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let (file, options) = (fields[0], fields[1]);
        let is_program = file.ends_with(".weave") || file.ends_with(".bp");
        if is_program && !options.contains("--target") && !rows.contains(&(file, options)) {
            rows.push((file, options));
        }
    }
    let both = [Property::NeverWrong, Property::ANY_DEADLOCK];
    let mut tally = Tally::default();
    let (mut other, mut partly, mut unanswered) = (Vec::new(), Vec::new(), Vec::new());
    for (file, options) in rows.into_iter().step_by(every) {
        let text = std::fs::read_to_string(examples.join(file)).expect("an example");
        let Some((program, counts)) = example(file, &text, options) else {
            other.push(format!("{file} {options}"));
            continue;
        };
        println!("{file} {options}");
        let source = Arc::new(Source::new(file, text));
        let lower = || Lowering::new(Arc::clone(&program), Arc::clone(&source), &counts).ok();
        tally.programs += 1;
        for properties in [&both[..1], &both[..]] {
            let about = format!("{file} {options}, {properties:?}");
            let asked = Asked::new(&lower, properties, &[], effort, about.clone());
            let Some(asked) = asked else {
                tally.not_enumerated += 1;
                other.push(about);
                continue;
            };
            tally.asked(&asked.plain);
            if asked.plain.extent() != Extent::Whole {
                partly.push(format!("{about}: {} contexts", asked.plain.completed));
            }
            for reduction in Reduction::EACH {
                match reduction.waits() {
                    true => asked.wait(reduction, &mut tally),
                    false => asked.count(reduction, &mut tally),
                };
            }
            if asked.is_broken().is_none() {
                unanswered.push(about);
            }
            tally.answered(&asked);
        }
    }
    println!("{tally:#?}\nup to a bound: {partly:#?}\nof these unanswered: {unanswered:#?}");
    println!("asked in another way: {other:#?}");
    // Of a few examples, most may be too large for the little that is enumerated of each; of all of them, with more effort, less than half is.
    let most = if every == 1 { tally.questions / 2 } else { tally.questions };
    assert!(tally.programs > 0 && partly.len() < most, "{partly:#?}");
}

/// The program of an example, with what its options say of it; `None` if it is asked about in another way.
fn example(
    file: &str,
    text: &str,
    options: &str,
) -> Option<(Arc<selvedge_program::Program>, ThreadCounts)> {
    let (mut load, mut counts) = (LoadOptions::default(), ThreadCounts::default());
    let mut words = options.split_whitespace();
    while let Some(word) = words.next() {
        let mut named = || words.next().and_then(|named| named.split_once('='));
        match word {
            "--deadlock" | "--no-deadlock" | "--none-ended" => {}
            "--fairness" => _ = words.next(),
            "--threads" => {
                let (name, number) = named()?;
                counts.insert(name.to_owned(), number.parse().ok()?);
            }
            "--const" => {
                let (name, value) = named()?;
                let value = match value {
                    "true" => 1,
                    "false" => 0,
                    number => number.parse().ok()?,
                };
                load.check.consts.insert(name.to_owned(), value.into());
            }
            _ => return None,
        }
    }
    let Ok(Input::Program { program, .. }) = parse(file.as_ref(), text.to_owned(), &load) else {
        return None;
    };
    for any in program.threads.iter().filter(|thread| thread.count == Count::Any) {
        counts.entry(any.name.clone()).or_insert(1);
    }
    Some((program, counts))
}

/// Nobody waits for ever: a thread that goes round in a circle has nothing to do with one that goes wrong, and still cannot go first for ever.
#[test]
fn somebody_who_always_waits_is_seen() {
    let text = "bool x := false; bool y := false;\n\
         thread round { while (true) { x := !x; } }\n\
         thread wrong { y := true; assert false; }\n";
    let lower = || support::lower(&support::read_weave(text), text).ok();
    let properties = [Property::NeverWrong];
    let asked = Asked::new(&lower, &properties, &[], Effort::RANDOM, text.to_owned());
    let asked = asked.expect("it is finite");
    assert_eq!(asked.plain.broken_at, Some(1));
    let (mut kinds, mut states, mut waiting) = (Vec::new(), Vec::new(), Vec::new());
    let mut open = asked.system.initial().expect("it begins somewhere");
    let mut at = 0;
    while let Some(state) = open.get(at).cloned() {
        at += 1;
        let mut numbers = Vec::new();
        for (class, thread) in (0..).zip(&state.threads) {
            let window = Window { symbols: thread.stack.iter().collect(), hidden: false };
            let kind = CutThread { class, window };
            let known = kinds.iter().position(|known| *known == kind);
            numbers.push(known.unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            }) as u32);
        }
        for (_, next) in step(&*asked.system, &state, ThreadId::from(0)).expect("it acts") {
            if !open.contains(&next) {
                open.push(next);
            }
        }
        let shown = (at - 1) as u32;
        waiting.push(LeftOut { state: shown, kinds: [numbers[1]].into() });
        states.push(CountedState::of_kinds(state.shared, numbers));
    }
    assert!(states.len() > 1);
    let proof = |states: &[CountedState], waiting: &[LeftOut]| {
        let (started, guesses, measures) = (Vec::new(), Vec::new(), Vec::new());
        let (classes, kinds, states) = (vec![0, 1], kinds.clone(), states.to_vec());
        let cut = CutCertificate { classes, started, depth: 9, guesses, kinds, states, measures };
        let (local, waiting) = (Local::default(), waiting.to_vec());
        ReducedCertificate { local, later: false, waiting, proof: Box::new(Evidence::Cut(cut)) }
    };
    let why = asked.check(&proof(&states, &waiting)).expect_err("it goes wrong").to_string();
    assert!(why.contains("no way leads from there"), "{why}");
    // Where nobody waits at one of the states, the step of the other thread is missing there.
    for number in 0..waiting.len() {
        let mut fewer = waiting.clone();
        fewer.remove(number);
        let why = asked.check(&proof(&states, &fewer)).expect_err("it goes wrong");
        assert!(why.to_string().contains("no state of the set has such a thread"), "{why}");
    }
}
