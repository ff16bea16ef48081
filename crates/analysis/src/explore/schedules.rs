//! # All schedules
//!
//! **Question.** Is there any schedule that breaks a property, with however many contexts?
//!
//! **Idea.** State by state, in the order in which they were met. The system says which threads may wait at a state
//! ([`selvedge_model::Stubborn`]); if the others lead to some state that was not looked at before, the former are left out. So from every state
//! a way leads to states that are looked at later and later, until at one of them nobody waits.
//!
//! **Claim.** A state that goes wrong is reached if the system reaches one, and every deadlock is. Nothing is said of contexts.
//!
//! **Needs.** That nothing is asked for but whether something goes wrong, and deadlocks.

use std::ops::Range;

use rustc_hash::FxHashMap;
use selvedge_evidence::{Evidence, LeftOut};
use selvedge_model::{Choose, Property, Standing, SymbolId, System, TemplateId};

use super::Locals;
use super::reached::Reached;
use super::space::Entry;
use super::stacks::Stacks;
use super::target::Target;
use crate::{Budget, Pace, Stop, certify};

/// The work that choosing counts as for each thread of a state, in moves.
const CHOICE: usize = 3;

/// At most this many different threads may wait.
const MOST_WAITING: usize = 64;

/// The search gives up after this many states, unless a quarter of all moves was left out.
const TRIAL: usize = 1 << 12;

/// Explores all schedules, with threads that wait.
pub struct ScheduleExplorer<'a> {
    reached: Reached<'a, Stacks>,
    chooser: Box<dyn Choose + 'a>,
    /// For each entry, the number that it has for who chooses.
    threads: Vec<u32>,
    /// For each state that was looked at, which of its different threads wait, one bit each.
    waiting: Vec<u64>,
    /// The moves that were possible, and those of them that were left out.
    moves: (u64, u64),
}

impl<'a> ScheduleExplorer<'a> {
    /// Starts at the initial states; `None` if the system says nothing about who may wait. Higher stacks than `highest` stop it, and so do more threads
    /// than `most_threads`.
    pub fn new(
        system: &'a dyn System,
        symmetry: bool,
        highest: u32,
        most_threads: Option<usize>,
    ) -> Result<Option<Self>, Stop> {
        let Some(chooser) = system.chooser() else { return Ok(None) };
        let mut reached = Reached::new(system, Stacks::up_to(highest), symmetry)?;
        reached.space.most_threads = most_threads;
        Ok(Some(ScheduleExplorer {
            reached,
            chooser,
            threads: Vec::new(),
            waiting: Vec::new(),
            moves: (0, 0),
        }))
    }

    /// Follows all schedules, until a property is broken: then its number is given. Ends without an answer if few moves are left out.
    pub fn run(&mut self, properties: &[Property], budget: &Budget) -> Result<Option<usize>, Stop> {
        self.reached.states.limit(budget.states);
        let classes = &self.reached.space.classes;
        let mut targets: Vec<_> = properties.iter().map(|p| Target::new(p, classes)).collect();
        let mut pace = Pace::new(budget);
        let (mut word, mut next) = (Vec::new(), Vec::new());
        let (mut kinds, mut standing, mut enough) = (Vec::new(), Vec::new(), Vec::new());
        while self.waiting.len() < self.reached.states.len() {
            let number = self.waiting.len() as u32;
            self.reached.states.read(number, &mut word);
            let see = || self.reached.tops_of(&word);
            if let Some(hit) = self.reached.space.hit(&mut targets, word[0], see)? {
                return Ok(Some(hit));
            }
            kinds.clear();
            standing.clear();
            let entries: Vec<u32> =
                self.reached.space.layout.entries(&word).map(|(entry, _)| entry).collect();
            for entry in entries {
                let moves = self.reached.space.moves_of(word[0], entry, &mut pace)?;
                standing.push(Standing { thread: self.thread(entry), can_act: !moves.is_empty() });
                kinds.push((entry, moves));
            }
            pace.spend(1)?;
            let can_act = standing.iter().filter(|standing| standing.can_act).count();
            let mut waits = can_act > 1 && kinds.len() <= MOST_WAITING && {
                pace.spend(CHOICE * kinds.len())?;
                let shared = selvedge_model::SharedId(word[0]);
                self.chooser.choose(shared, &standing, &mut enough)
            };
            let follows = |at: usize, enough: &[bool]| !waits || enough[at];
            let mut leads_on = false;
            let mut left_out = 0;
            for (at, (entry, moves)) in kinds.iter().enumerate() {
                self.moves.0 += moves.len() as u64;
                if follows(at, &enough) {
                    leads_on |=
                        self.act((number, &word), *entry, moves.clone(), &mut next, &mut pace)?;
                } else {
                    left_out += moves.len() as u64;
                }
            }
            // Where those that go first lead to nothing new, no thread waits: all are followed.
            if waits && !leads_on {
                for (at, (entry, moves)) in kinds.iter().enumerate() {
                    if !follows(at, &enough) {
                        self.act((number, &word), *entry, moves.clone(), &mut next, &mut pace)?;
                    }
                }
                waits = false;
            } else {
                self.moves.1 += left_out;
            }
            let bits = enough.iter().enumerate().filter(|(_, enough)| !**enough);
            self.waiting.push(if waits { bits.fold(0, |bits, (at, _)| bits | 1 << at) } else { 0 });
            if self.waiting.len() == TRIAL && self.moves.1 * 4 < self.moves.0 {
                return Err(Stop::Cancelled);
            }
        }
        Ok(None)
    }

    /// Adds the states after the moves of a thread, and says whether one of them is still to be looked at.
    fn act(
        &mut self,
        (number, word): (u32, &[u32]),
        entry: u32,
        moves: Range<u32>,
        next: &mut Vec<u32>,
        pace: &mut Pace<'_>,
    ) -> Result<bool, Stop> {
        pace.spend(moves.len())?;
        let mut leads_on = false;
        for index in moves {
            if self.reached.space.step(word, entry, index, next).is_some() {
                leads_on |= self.reached.states.insert(next)?.0 > number;
            }
        }
        Ok(leads_on)
    }

    /// The number of an entry for who chooses.
    fn thread(&mut self, entry: u32) -> u32 {
        while self.threads.len() <= entry as usize {
            let (class, local) = self.reached.space.entry(self.threads.len() as u32);
            let template: TemplateId = self.reached.classes().template(class);
            let stack: Vec<SymbolId> = self.reached.locals().get(local).0;
            self.threads.push(self.chooser.thread(template, &stack));
        }
        self.threads[entry as usize]
    }

    /// Whether states were not followed because they have too many threads.
    #[must_use]
    pub fn has_left_out(&self) -> bool {
        self.reached.space.has_left_out()
    }

    /// How many states were met.
    #[must_use]
    pub fn states(&self) -> usize {
        self.reached.state_count()
    }

    /// The number of states at which some thread waits.
    #[must_use]
    pub fn waits(&self) -> usize {
        self.waiting.iter().filter(|waiting| **waiting != 0).count()
    }

    /// The states, and who waits where.
    #[must_use]
    pub fn certificate(&self) -> (Evidence, Vec<LeftOut>) {
        let evidence = <Stacks as Locals>::certify(&self.reached);
        let (_, entries) = certify::states(&self.reached);
        let numbers: FxHashMap<Entry, u32> = entries.into_iter().zip(0..).collect();
        let mut left_out = Vec::new();
        let mut word = Vec::new();
        for (state, &waiting) in self.waiting.iter().enumerate().filter(|(_, w)| **w != 0) {
            self.reached.states.read(state as u32, &mut word);
            let kinds = self.reached.space.kinds(&word);
            let waits = kinds.iter().enumerate().filter(|(at, _)| waiting >> at & 1 == 1);
            let mut kinds: Vec<u32> =
                waits.filter_map(|(_, (entry, _))| numbers.get(entry).copied()).collect();
            kinds.sort_unstable();
            left_out.push(LeftOut { state: state as u32, kinds: kinds.into() });
        }
        (evidence, left_out)
    }
}
