//! # The way back from a violation
//!
//! **Question.** A violation is among the states of some worker, and nobody has all states. Which run leads there?
//!
//! **Idea.** Whoever has a state has made the moves from there, and remembers them. So a state on the way is told to all workers, and each looks which of *its* states lead to it: by the moves
//! that it has made, turned around ([`super::super::behind`]). What is found is kept where it lives, with a link to the worker and the place of what comes next. Layer by layer, one step each, the
//! way leads back to an initial state; from there the links are followed forward, and the states on the way are all that anybody else gets to see ([`super::Route`]).
//!
//! A place on the way is a state with the thread that moves next, and the number of contexts that are to begin afterwards. Whoever gets there again with no fewer steps and no fewer contexts is not
//! looked at; nor is a state that needs so many contexts itself that those to come are too many.
//!
//! **Claim.** The first layer with an initial state has the fewest steps of all schedules within the contexts. Which one of them is chosen depends on what states are, and neither on the number of workers nor on
//! the order in which they are heard: of links that are as good, the one counts whose state has the smaller hash.
//!
//! **Needs.** All states within the bound, which is the smallest one with a violation.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::Property;
use selvedge_store::hash;

use super::super::behind::{ANYBODY, Backwards};
use super::super::target::Target;
use super::wire::{self, Kind, Names};
use super::{GONE, Share, Task, hear_word, tell_word};
use crate::{Budget, Pace, Stop};

/// From where the way back is looked for, and how far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hunt {
    /// The place that it begins with: all violations at the current bound, if there is none.
    pub from: Option<Place>,
    /// How many contexts there may be.
    pub contexts: u32,
    /// How many contexts a state may need, together with those that are to begin after it.
    pub within: u32,
    /// It ends at a state that needs no more contexts than this; with 0, at an initial one.
    pub until: u32,
}

/// A place on the way, and the worker that has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The worker that has the place.
    pub worker: u32,
    /// The number of the place with that worker.
    pub number: u32,
}

/// The result of one layer of the hunt at a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hunted {
    /// How many places are new.
    pub new: usize,
    /// The end of the way, if it is there.
    pub end: Option<WayEnd>,
}

/// The end of the way back, where the run begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct WayEnd {
    /// Decides between several ends: the one with the smallest rank is taken.
    pub rank: u32,
    /// Its number with the worker that has it.
    pub number: u32,
    /// How many contexts its state needs.
    pub needed: u32,
}

/// A state on the way, with the thread that moves there.
struct Node {
    state: u32,
    /// The entry of the thread that moves next, and the one that it has afterwards. [`ANYBODY`] at a violation, and where two ways meet.
    moves: u32,
    after: u32,
    /// How many contexts begin after this one.
    to_go: u32,
    /// The place that follows on the way to the violation.
    next: Option<Place>,
    rank: u32,
}

/// A place of another worker, whose predecessors are looked for among the states here.
struct Asked {
    word: Vec<u32>,
    moves: u32,
    to_go: u32,
    rank: u32,
    place: Place,
}

/// A way to go on from a state of this worker.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Onward {
    to_go: u32,
    rank: u32,
    worker: u32,
    number: u32,
    after: u32,
}

/// The way back, as far as it leads through the states of this worker.
pub(super) struct Chase {
    hunt: Hunt,
    backwards: Backwards,
    initial: FxHashSet<u32>,
    nodes: Vec<Node>,
    /// The fewest contexts that are to begin after a state and the entry that moves there, in this hunt.
    best: FxHashMap<(u32, u32), u32>,
    /// What leads to the last layer.
    layer: FxHashMap<(u32, u32), Onward>,
    /// The first node that is to be told, and what was heard.
    to_tell: usize,
    asked: Vec<Asked>,
}

impl Chase {
    pub fn is_idle(&self) -> bool {
        self.to_tell == self.nodes.len() && self.asked.is_empty()
    }

    /// Whether a way may end at a state.
    fn is_end(&self, state: u32, needed: u32) -> bool {
        match self.hunt.until {
            0 => self.initial.contains(&state),
            until => needed <= until,
        }
    }
}

impl Share<'_> {
    /// Begins to look for a way back. What was found before stays, so that its places can be named.
    pub fn hunt(
        &mut self,
        hunt: Hunt,
        properties: &[Property],
        budget: &Budget,
    ) -> Result<Hunted, Stop> {
        let mut pace = Pace::new(budget);
        let mut chase = match self.chase.take() {
            Some(chase) => Chase { hunt, best: FxHashMap::default(), ..chase },
            None => self.new_chase(hunt, &mut pace)?,
        };
        let start = chase.nodes.len();
        let goals: Vec<(u32, Option<Place>)> = match hunt.from {
            None => {
                self.goals(properties, &mut pace)?.into_iter().map(|goal| (goal, None)).collect()
            }
            Some(place) if place.worker as usize == self.index => {
                let node = chase.nodes.get(place.number as usize);
                node.map(|node| (node.state, Some(place))).into_iter().collect()
            }
            Some(_) => Vec::new(),
        };
        for (state, next) in goals {
            let rank = self.rank(state, ANYBODY, 0);
            chase.nodes.push(Node { state, moves: ANYBODY, after: ANYBODY, to_go: 0, next, rank });
        }
        chase.to_tell = start;
        let hunted = self.hunted(&chase, start);
        self.chase = Some(chase);
        Ok(hunted)
    }

    fn new_chase(&mut self, hunt: Hunt, pace: &mut Pace<'_>) -> Result<Chase, Stop> {
        if self.was_loaded {
            self.recall(pace)?;
        }
        let reached = &mut self.reached;
        let mut initial = FxHashSet::default();
        for state in reached.space.system.clone().initial()? {
            let word = reached.space.word(&state)?;
            initial.extend(reached.states.find(&word));
        }
        Ok(Chase {
            hunt,
            backwards: Backwards::new(reached, pace)?,
            initial,
            nodes: Vec::new(),
            best: FxHashMap::default(),
            layer: FxHashMap::default(),
            to_tell: 0,
            asked: Vec::new(),
        })
    }

    /// Finds the moves from all states once more: those of earlier bounds were made by another run.
    fn recall(&mut self, pace: &mut Pace<'_>) -> Result<(), Stop> {
        let reached = &mut self.reached;
        let mut word = Vec::new();
        for state in 0..reached.states.end() {
            reached.states.read(state, &mut word);
            for (entry, _) in reached.space.layout.entries(&word) {
                pace.spend(1)?;
                reached.space.moves_of(word[0], entry, pace)?;
            }
        }
        Ok(())
    }

    /// The states of this worker that are new at the current bound and break a property.
    fn goals(&self, properties: &[Property], pace: &mut Pace<'_>) -> Result<Vec<u32>, Stop> {
        let reached = &self.reached;
        let mut targets: Vec<Target> =
            properties.iter().map(|p| Target::new(p, &reached.space.classes)).collect();
        let mut goals = Vec::new();
        let bound = reached.states_until.len().saturating_sub(1);
        for state in reached.states_at(bound) {
            pace.spend(1)?;
            if reached.is_hit(&mut targets, state)? {
                goals.push(state);
            }
        }
        Ok(goals)
    }

    /// Begins a step back from all places that are new.
    pub fn go_back(&mut self) {
        self.task = Task::Back;
    }

    /// Tells places that are new, and looks for what leads to those that were heard of.
    pub(super) fn look_back(&mut self, portion: usize, budget: &Budget) -> Result<(), Stop> {
        let Some(mut chase) = self.chase.take() else { return Ok(()) };
        let mut pace = Pace::new(budget);
        let end = chase.nodes.len().min(chase.to_tell.saturating_add(portion));
        for number in chase.to_tell..end {
            let Node { state, moves, to_go, rank, .. } = chase.nodes[number];
            let word = self.reached.states.get(state).to_vec();
            for to in (0..self.names.peers()).filter(|&to| to != self.index) {
                let Share { reached, names, .. } = self;
                // The word comes last: a parcel may end after it.
                for part in [to_go, number as u32, rank] {
                    names.tell_number(to, part);
                }
                let at = reached.space.layout.position(&word, moves).unwrap_or(GONE);
                tell_word(&reached.space, names, to, &word, at);
            }
            let place = Place { worker: self.index as u32, number: number as u32 };
            chase.asked.push(Asked { word, moves, to_go, rank, place });
        }
        chase.to_tell = end;
        let result = chase
            .asked
            .split_off(0)
            .iter()
            .try_for_each(|asked| self.lead_to(&mut chase, asked, &mut pace));
        self.chase = Some(chase);
        result
    }

    pub(super) fn receive_places(&mut self, from: usize, mut items: &[u8]) -> Result<(), Stop> {
        let Share { reached, names, chase, .. } = self;
        let chase = chase.as_mut().ok_or_else(wire::garbled)?;
        let rest = &mut items;
        while !rest.is_empty() {
            let mut part = || u32::try_from(wire::read(rest)?).map_err(|_| wire::garbled());
            let (to_go, number, rank) = (part()?, part()?, part()?);
            let mut word = Vec::new();
            let moves = hear_word(&reached.space, names, from, rest, &mut word)?;
            let place = Place { worker: from as u32, number };
            let moves = moves.unwrap_or(ANYBODY);
            chase.asked.push(Asked { word, moves, to_go, rank, place });
        }
        Ok(())
    }

    /// Notes the states of this worker from which one move leads to a place.
    fn lead_to(&self, chase: &mut Chase, asked: &Asked, pace: &mut Pace<'_>) -> Result<(), Stop> {
        let reached = &self.reached;
        let Asked { word, moves: next, to_go, rank, place } = asked;
        let entries = reached.space.layout.entries(word).map(|(entry, _)| entry);
        for after in entries.chain([ANYBODY]) {
            // A thread that goes on within its context begins no new one.
            let goes_on = *next == ANYBODY || after == *next;
            let to_go = if goes_on { *to_go } else { to_go.saturating_add(1) };
            if to_go >= chase.hunt.contexts {
                continue;
            }
            for head in chase.backwards.leading_to(word[0], after) {
                for (state, _) in reached.before(word, after, head, pace)? {
                    let key = (state, head.1);
                    let is_in_time = self.needed(state).saturating_add(to_go) <= chase.hunt.within;
                    if !is_in_time || chase.best.get(&key).is_some_and(|&best| best <= to_go) {
                        continue;
                    }
                    let Place { worker, number } = *place;
                    let onward = Onward { to_go, rank: *rank, worker, number, after };
                    let known = chase.layer.entry(key).or_insert(onward);
                    *known = onward.min(*known);
                }
            }
        }
        Ok(())
    }

    /// Ends a step back, once everybody has looked: what was found.
    pub fn have_gone_back(&mut self) -> Hunted {
        self.task = Task::Explore;
        let Some(mut chase) = self.chase.take() else { return Hunted::default() };
        let start = chase.nodes.len();
        for ((state, moves), onward) in std::mem::take(&mut chase.layer) {
            let Onward { to_go, worker, number, after, .. } = onward;
            let rank = self.rank(state, moves, to_go);
            let next = Some(Place { worker, number });
            chase.best.insert((state, moves), to_go);
            chase.nodes.push(Node { state, moves, after, to_go, next, rank });
        }
        let hunted = self.hunted(&chase, start);
        self.chase = Some(chase);
        hunted
    }

    /// Counts the nodes from `start` on, and finds the best end of the way among them.
    fn hunted(&self, chase: &Chase, start: usize) -> Hunted {
        let new = &chase.nodes[start..];
        let ends = (start as u32..).zip(new).filter_map(|(number, node)| {
            let needed = self.needed(node.state);
            let end = WayEnd { rank: node.rank, number, needed };
            chase.is_end(node.state, needed).then_some(end)
        });
        Hunted { new: new.len(), end: ends.min() }
    }

    /// How many contexts a state needs; of states that another run has found before the last bound it is known only that they need no more.
    fn needed(&self, state: u32) -> u32 {
        self.reached.needed(state).map_or(0, |needed| needed as u32)
    }

    /// Puts places into an order that follows from what they are.
    fn rank(&mut self, state: u32, moves: u32, to_go: u32) -> u32 {
        let word = self.reached.states.get(state).to_vec();
        let state = self.content(&word);
        let Share { reached, names, .. } = self;
        let space = &reached.space;
        let moves = match moves {
            ANYBODY => 0,
            entry => names.hash(Kind::Entry, entry, |out| wire::write_entry(space, entry, out)),
        };
        let mixed = u128::from(state) << 64 | u128::from(moves.wrapping_add(u64::from(to_go)));
        (hash::of_row(mixed) >> 32) as u32
    }

    /// A place in words that are the same everywhere, and what comes next. `None` if there is no such place.
    pub fn waypoint(&self, number: u32) -> Option<(Vec<u8>, Option<Place>)> {
        let node = self.chase.as_ref()?.nodes.get(number as usize)?;
        let space = &self.reached.space;
        let word = self.reached.states.get(node.state).to_vec();
        let mut names = Names::new(0, 1);
        names.tell_number(0, u32::from(node.after != ANYBODY));
        if node.after != ANYBODY {
            names.tell(0, Kind::Entry, node.after, |out| wire::write_entry(space, node.after, out));
        }
        let at = space.layout.position(&word, node.moves).unwrap_or(GONE);
        tell_word(space, &mut names, 0, &word, at);
        names.flush();
        Some((names.ready.pop()?.bytes, node.next))
    }
}
