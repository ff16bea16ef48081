//! # An explorer that asks
//! [`Spreading`] has no states: workers of a fleet have them, and what it says at a bound is the sum of what they say. Where checkpoints are wanted, it has them written after each bound; where one
//! is there that fits, it begins with it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use selvedge_analysis::engine::Spread;
use selvedge_analysis::explore::share::{Split, Terms};
use selvedge_analysis::explore::{Explorer, Observation};
use selvedge_analysis::{Budget, Resource, Stop};
use selvedge_automata::Dfa;
use selvedge_evidence::{CutCertificate, Evidence, Trace};
use selvedge_model::{Fault, Property, SharedId, System, VisibleState};

use crate::Fleet;
use crate::checkpoint::{self, List};
use crate::fleet::lock;
use crate::mail::{Command, Count, Said};

/// A fleet that explores one form of its subject.
#[derive(Clone)]
pub struct FormOf<'f> {
    fleet: &'f Fleet,
    form: String,
}

impl<'f> FormOf<'f> {
    pub(crate) fn new(fleet: &'f Fleet, form: &str) -> Self {
        FormOf { fleet, form: form.to_owned() }
    }
}

impl Spread for FormOf<'_> {
    fn explorer<'a>(&'a self, terms: Terms) -> Result<Box<dyn Explorer + 'a>, Stop> {
        let budget = self.fleet.subject.budget();
        Ok(Box::new(Spreading::new(self.fleet, &self.form, terms, &budget)?))
    }
}

/// An explorer whose states are with the workers of a fleet.
pub struct Spreading<'f> {
    fleet: &'f Fleet,
    form: String,
    terms: Terms,
    system: Arc<dyn System>,
    observations: Vec<Observation>,
    /// By bound, the property that a state breaks which is new there.
    broken: Vec<Option<usize>>,
    /// Whether visible states are told, and not what is stored.
    shows: bool,
    left_out: bool,
    largest: usize,
    stored: (usize, usize),
    /// The bound that it went on from, if another run had come so far.
    resumed: Option<usize>,
}

impl<'f> Spreading<'f> {
    fn new(fleet: &'f Fleet, form: &str, terms: Terms, budget: &Budget) -> Result<Self, Stop> {
        let (system, _) = fleet.subject.open(form).map_err(Fault::new)?;
        let kept = fleet.subject.checkpoints().load.as_ref();
        let kept = kept.map(|folder| List::read(folder, &fleet.subject.checkpoints().question));
        let kept = kept.transpose().map_err(Fault::new)?;
        let kept = kept.and_then(|list| Some((list.fits(form, terms)?, list)));
        let terms = kept.as_ref().map_or(terms, |(terms, _)| *terms);
        let mut explorer = Spreading {
            fleet,
            form: form.to_owned(),
            terms,
            system,
            observations: Vec::new(),
            broken: Vec::new(),
            shows: false,
            left_out: false,
            largest: 0,
            stored: (0, 0),
            resumed: None,
        };
        let split = match fleet.workers() {
            1 => Split::WHOLE,
            workers => {
                let sampled = fleet.subject.open_anew(form).map_err(Fault::new)?;
                Split::choose(&*sampled, terms, workers, budget)
            }
        };
        let opened = fleet.ask(Command::open(form, terms, split), budget)?;
        match kept {
            Some((_, list)) => explorer.go_on(list, budget)?,
            None => explorer.observe(&opened, budget)?,
        }
        Ok(explorer)
    }

    /// Goes on from a checkpoint. No violation was seen until then: otherwise there would be an answer, and no checkpoint.
    fn go_on(&mut self, list: List, budget: &Budget) -> Result<(), Stop> {
        let bound = list.bound();
        self.fleet
            .ask(Command::Load { shares: list.shares.clone(), bound: bound as u64 }, budget)?;
        self.observations = list.observations();
        if self.observations.is_empty() {
            return Err(Stop::Fault(Fault::new("the checkpoint says nothing of any bound")));
        }
        self.resumed = Some(bound);
        self.broken = vec![None; self.observations.len()];
        (self.left_out, self.largest) = (list.left_out, list.largest);
        self.stored.0 = self.observations.iter().map(|seen| seen.new_stored).sum();
        lock(&self.fleet.earlier_places).extend(&list.places);
        Ok(())
    }

    /// Has a checkpoint written, where that is wanted and there is something to go on from. What goes wrong is noted, and the run goes on.
    fn save(&self, budget: &Budget) {
        let checkpoints = self.fleet.subject.checkpoints();
        let is_over = self.has_collapsed() || self.broken.last().is_none_or(Option::is_some);
        let Some(folder) = checkpoints.save.as_deref().filter(|_| !is_over) else { return };
        let bound = self.bound();
        let attempt = format!("{bound}-{:08x}", std::process::id());
        let mut list = List::new(&checkpoints.question, &self.form, self.terms, &self.observations);
        (list.left_out, list.largest) = (self.left_out, self.largest);
        let (Ok(places), Ok(saved)) = (
            self.fleet.places(budget),
            self.fleet.ask(Command::Save { attempt: attempt.clone() }, budget),
        ) else {
            return; // what ended it ends the run
        };
        list.places = places;
        let mut failed = None;
        for said in saved {
            match said {
                Said::Saved(kept) => list.shares.push(kept),
                Said::NotSaved(why) => failed = Some(why),
                _ => {}
            }
        }
        let failed = failed
            .or_else(|| list.write(folder).err().map(|why| format!("{}: {why}", folder.display())));
        if let Some(why) = failed {
            checkpoint::remove(folder, |name| name.contains(&attempt));
            let within = Resource::Contexts.bound(bound);
            let note = format!("no checkpoint was written after {within}: {why}");
            lock(&self.fleet.notes).push(note);
        }
    }

    /// The current bound, as workers count.
    pub(crate) fn current(&self) -> u32 {
        u32::try_from(self.bound()).unwrap_or(u32::MAX)
    }

    /// Up to this bound, workers do not know which one a state belongs to: another run has found it.
    pub(crate) fn unknown_until(&self) -> u32 {
        let before = self.resumed.map_or(0, |bound| bound.saturating_sub(1));
        u32::try_from(before).unwrap_or(u32::MAX)
    }

    pub(crate) fn system(&self) -> &dyn System {
        &*self.system
    }

    pub(crate) fn terms(&self) -> Terms {
        self.terms
    }

    pub(crate) fn ask(&self, command: Command, budget: &Budget) -> Result<Vec<Said>, Stop> {
        self.fleet.ask(command, budget)
    }

    /// Adds up what workers see at a bound.
    fn observe(&mut self, advanced: &[Said], budget: &Budget) -> Result<(), Stop> {
        let mut all_visible = true;
        for said in advanced {
            if let Said::Advanced { is_visible, left_out } = said {
                all_visible &= is_visible;
                self.left_out |= left_out;
            }
        }
        if !all_visible {
            if !self.shows {
                self.fleet.ask(Command::Show { earlier: true }, budget)?;
                self.shows = true;
            }
            self.fleet.ask(Command::Show { earlier: false }, budget)?;
        }
        let counts: Vec<Count> = self
            .fleet
            .ask(Command::Notice, budget)?
            .into_iter()
            .filter_map(|said| match said {
                Said::Noticed(count) => Some(count),
                _ => None,
            })
            .collect();
        let sum = |of: fn(&Count) -> Option<u128>| {
            counts.iter().try_fold(0_u128, |sum, count| sum.checked_add(of(count)?))
        };
        let add = |a: Option<u128>, b: Option<u128>| a?.checked_add(b?);
        let last = self.observations.last();
        let (new_states, new_visible) = (sum(|c| c.new_states), sum(|c| c.new_visible));
        let observation = Observation {
            bound: Resource::Contexts.bound(self.observations.len()),
            states: add(last.map_or(Some(0), |o| o.states), new_states),
            new_states,
            visible: add(last.map_or(Some(0), |o| o.visible), new_visible),
            new_visible,
            new_stored: counts.iter().map(|count| count.new_stored as usize).sum(),
        };
        self.observations.push(observation);
        self.broken.push(counts.iter().filter_map(|c| c.broken).min().map(|p| p as usize));
        let largest = counts.iter().map(|count| count.largest as usize).max();
        self.largest = self.largest.max(largest.unwrap_or(0));
        self.stored = counts.iter().fold((0, 0), |(states, bytes), count| {
            (states + count.states as usize, bytes + count.bytes as usize)
        });
        for (worker, count) in counts.iter().enumerate() {
            self.fleet.note_usage(worker, count);
        }
        Ok(())
    }

    /// Asks for all states.
    fn collect(&self) -> Result<Evidence, Stop> {
        self.fleet.ask(Command::Collect, &self.fleet.subject.budget())?;
        self.fleet.collected()
    }
}

impl Explorer for Spreading<'_> {
    fn name(&self) -> &'static str {
        "contexts-explicit"
    }

    fn advance(&mut self, budget: &Budget) -> Result<&Observation, Stop> {
        self.fleet.exploring.store(self.observations.len(), Ordering::Relaxed);
        let advanced = self.fleet.ask(Command::Advance, budget)?;
        self.observe(&advanced, budget)?;
        self.save(budget);
        Ok(&self.observations[self.observations.len() - 1])
    }

    fn observations(&self) -> &[Observation] {
        &self.observations
    }

    fn has_left_out(&self) -> bool {
        self.left_out
    }

    fn largest(&self) -> usize {
        self.largest
    }

    fn violation(&self, bound: usize, _: &[Property]) -> Result<Option<usize>, Stop> {
        Ok(self.broken.get(bound).copied().flatten())
    }

    fn run(&mut self, properties: &[Property], budget: &Budget) -> Result<Option<Trace>, Stop> {
        self.any_run(properties, budget).map(Some)
    }

    fn shortest(
        &mut self,
        properties: &[Property],
        budget: &Budget,
    ) -> Result<Option<Trace>, Stop> {
        self.fewest_steps(properties, budget).map(Some)
    }

    fn new_visible(&self, _: usize) -> Vec<VisibleState> {
        Vec::new()
    }

    fn new_sets(&self, _: usize) -> Vec<(SharedId, Vec<Dfa>)> {
        Vec::new()
    }

    fn is_finite(&self) -> bool {
        true
    }

    fn visible_kinds(&self) -> usize {
        0
    }

    fn stored(&self) -> (usize, usize) {
        self.stored
    }

    fn certificate(&self) -> Evidence {
        self.collect().unwrap_or_else(|_| nothing())
    }
}

/// Proves nothing: no state of it is an initial one, so that no checker accepts it.
fn nothing() -> Evidence {
    Evidence::Cut(CutCertificate {
        classes: Vec::new(),
        started: Vec::new(),
        depth: 1,
        guesses: Vec::new(),
        kinds: Vec::new(),
        states: Vec::new(),
        measures: Vec::new(),
    })
}
