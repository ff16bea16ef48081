//! # Atomic sections as one action
//! From a head, every edge is executed; where that leads into an atomic section, execution goes
//! on until the section is left, through calls and loops. What blocks inside never happened.
//! Configurations that were seen before are not followed again, so a loop over finitely many
//! values ends.
//!
//! A configuration knows its frames, and the way to it, by the number of a node in a tree: deep
//! recursion and long loops inside of a section cost memory once a step, not once a step for each
//! step before it.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::run::{Call, Next, Outcome, Spare, Started};
use super::{Fault, Frame, Machine, Shared};
use crate::{EdgeId, Loc, Site};

/// So many configurations inside of a section are followed between two looks at the time.
const CONFIGURATIONS_PER_LOOK: usize = 1 << 6;

/// More configurations than this inside of one atomic section are not followed, unless somebody says otherwise.
pub(super) const MOST_CONFIGURATIONS: usize = 1 << 18;

/// Nor are more values than this remembered for them: with large arrays, few configurations are
/// enough to fill the memory.
const MOST_REMEMBERED: usize = 1 << 25;

/// What a thread can do at a head: the outcome, and the edges that lead there.
#[derive(Clone, Debug)]
pub struct Move {
    /// What it leads to.
    pub outcome: Outcome,
    /// The edge that was executed last: the only one, unless there is a way before it.
    pub edge: EdgeId,
    /// The way through an atomic section before that edge, by its number in [`Room::ways`].
    pub before: Option<usize>,
}

/// Memory for the next moves, so that none is asked for at each head.
#[derive(Default)]
pub struct Room {
    spare: Spare,
    moves: Vec<Move>,
    ways: Vec<Way>,
}

impl Room {
    /// The ways into atomic sections of the moves that were found last. A way comes after the one before it.
    #[must_use]
    pub fn ways(&self) -> &[Way] {
        &self.ways
    }

    /// Takes the memory of a move back.
    pub fn take_back(&mut self, shared: Shared, next: Next) {
        if let (None, Next::Goto(frame)) = (&self.spare, next) {
            self.spare = Some((shared.memory, frame.memory));
        }
    }

    /// Takes an empty list of moves back.
    pub fn take_list(&mut self, moves: Vec<Move>) {
        self.moves = moves;
    }
}

/// A configuration inside of an atomic section.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Inside {
    shared: Shared,
    /// The frames of the thread from the one that entered the section.
    frames: StackId,
    started: Option<Box<Started>>,
    /// The fair choices on the way, each once, in rising order.
    fair: Vec<(Site, bool)>,
}

/// A stack of frames by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct StackId(u32);

/// Stacks of frames: each is a top on another stack, and equal stacks have equal numbers.
#[derive(Default)]
struct Stacks {
    nodes: Vec<(Frame, Option<StackId>)>,
    numbers: FxHashMap<(Frame, Option<StackId>), StackId>,
}

impl Stacks {
    fn push(&mut self, top: Frame, below: Option<StackId>) -> StackId {
        let next = StackId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        *self.numbers.entry((top, below)).or_insert_with_key(|node| {
            self.nodes.push(node.clone());
            next
        })
    }

    fn get(&self, id: StackId) -> &(Frame, Option<StackId>) {
        &self.nodes[id.0 as usize]
    }

    /// The frame at the bottom.
    fn bottom(&self, mut id: StackId) -> &Frame {
        loop {
            match self.get(id) {
                (frame, None) => return frame,
                (_, Some(below)) => id = *below,
            }
        }
    }
}

/// A way into a section: the edge that was executed last, and the way before it.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// The edge that was executed last.
    pub edge: EdgeId,
    /// The number of the way before that edge.
    pub before: Option<usize>,
}

/// The search through the sections that are entered from one head.
struct Sections {
    stacks: Stacks,
    ways: Vec<Way>,
    /// Configurations to be followed, with the ways to them; short ways come first.
    work: VecDeque<(Inside, usize)>,
    moves: Vec<Move>,
}

impl Sections {
    fn way(&mut self, edge: EdgeId, before: Option<usize>) -> usize {
        self.ways.push(Way { edge, before });
        self.ways.len() - 1
    }

    fn leave(&mut self, outcome: Outcome, edge: EdgeId, before: Option<usize>) {
        self.moves.push(Move { outcome, edge, before });
    }
}

impl Machine {
    /// Everything that a thread can do at a head.
    pub fn moves(&self, shared: &Shared, frame: &Frame) -> Result<Vec<Move>, Fault> {
        self.moves_in(&mut Room::default(), shared, frame)
    }

    /// Everything that a thread can do at a head, found in memory that was used before. Moves that are not
    /// needed any more can be given back to it.
    pub fn moves_in(
        &self,
        room: &mut Room,
        shared: &Shared,
        frame: &Frame,
    ) -> Result<Vec<Move>, Fault> {
        let mut search = Sections {
            stacks: Stacks::default(),
            ways: std::mem::take(&mut room.ways),
            work: VecDeque::new(),
            moves: std::mem::take(&mut room.moves),
        };
        search.moves.clear();
        search.ways.clear();
        for &edge in &self.code.location(frame.loc).edges {
            self.outcomes(shared, frame, edge, &mut room.spare, |outcome| {
                let enters = outcome.location().is_some_and(|loc| self.goes_on(&outcome, loc));
                match outcome.next {
                    Next::Goto(top) if enters => {
                        let frames = search.stacks.push(top, None);
                        let Outcome { shared, started, fair, .. } = outcome;
                        let inside = Inside { shared, frames, started, fair };
                        let way = search.way(edge, None);
                        search.work.push_back((inside, way));
                    }
                    _ => search.leave(outcome, edge, None),
                }
            })?;
        }
        if !search.work.is_empty() {
            self.follow(&mut search, &mut room.spare)?;
        }
        room.ways = search.ways;
        Ok(search.moves)
    }

    fn goes_on(&self, outcome: &Outcome, loc: Loc) -> bool {
        outcome.shared.wrong.is_none() && self.code.location(loc).atomic
    }

    fn follow(&self, search: &mut Sections, spare: &mut Spare) -> Result<(), Fault> {
        // A set of pointers: when it grows, there is not suddenly twice as much of it.
        let mut seen: FxHashSet<Box<Inside>> = FxHashSet::default();
        let mut remembered = 0;
        while let Some((inside, way)) = search.work.pop_front() {
            if !seen.insert(Box::new(inside.clone())) {
                continue;
            }
            let (top, below) = search.stacks.get(inside.frames).clone();
            remembered += self.shared.slots() + self.code.proc_of(top.loc).frame.len();
            if seen.len() > self.most_inside || remembered > MOST_REMEMBERED {
                return Err(Fault::at(
                    self.code.location(top.loc).site,
                    "this atomic section does not seem to end: too many configurations were met \
                     inside of it; look for a loop or a recursion without an end",
                ));
            }
            if seen.len().is_multiple_of(CONFIGURATIONS_PER_LOOK)
                && self.is_over.as_ref().is_some_and(|asked| asked.0())
            {
                let fault = Fault::at(
                    self.code.location(top.loc).site,
                    "this atomic section was not followed to its end",
                );
                return Err(Fault { is_over: true, ..fault });
            }
            for &edge in &self.code.location(top.loc).edges {
                let mut outcomes = Vec::new();
                self.outcomes(&inside.shared, &top, edge, spare, |outcome| outcomes.push(outcome))?;
                for mut outcome in outcomes {
                    match (&inside.started, &outcome.started) {
                        (Some(_), Some(_)) => {
                            return Err(Fault::at(
                                self.code.edge(edge).site,
                                "an atomic section may start only one thread",
                            ));
                        }
                        (Some(_), None) => outcome.started.clone_from(&inside.started),
                        _ => {}
                    }
                    add_choices(&mut outcome.fair, &inside.fair);
                    self.advance(search, below, outcome, edge, way);
                }
            }
        }
        Ok(())
    }

    /// Follows one outcome inside of a section: further inside, or out of it.
    fn advance(
        &self,
        search: &mut Sections,
        below: Option<StackId>,
        outcome: Outcome,
        edge: EdgeId,
        before: usize,
    ) {
        let Sections { stacks, .. } = search;
        let frames = match outcome.next.clone() {
            Next::Goto(top) => Some(stacks.push(top, below)),
            Next::Call(call) => {
                let Call { callee, caller } = *call;
                let caller = stacks.push(caller, below);
                Some(stacks.push(callee, Some(caller)))
            }
            Next::Return => below,
        };
        let next = match frames {
            None => Next::Return,
            Some(id) if outcome.shared.wrong.is_some() => Next::Goto(stacks.bottom(id).clone()),
            Some(id) => match stacks.get(id) {
                (only, None) if !self.code.location(only.loc).atomic => Next::Goto(only.clone()),
                _ => {
                    let way = search.way(edge, Some(before));
                    let Outcome { shared, started, fair, .. } = outcome;
                    search.work.push_back((Inside { shared, frames: id, started, fair }, way));
                    return;
                }
            },
        };
        search.leave(Outcome { next, ..outcome }, edge, Some(before));
    }
}

/// Adds the choices that were made before.
fn add_choices(choices: &mut Vec<(Site, bool)>, before: &[(Site, bool)]) {
    if !before.is_empty() {
        choices.extend_from_slice(before);
        choices.sort_unstable();
        choices.dedup();
    }
}
