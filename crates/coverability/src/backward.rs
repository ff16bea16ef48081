//! # Backward
//!
//! **Question.** From which states can a violation be reached?
//!
//! **Idea.** Begin with the smallest violations. If a step leads from (q, l) to (q', l') and starts
//! a thread at s, then the smallest state from which it leads to one that covers (q', U) is
//! (q, U ⊖ {l', s} ⊕ {l}). Here ⊖ takes away what is there: a thread that acts, or is started, and
//! of which U says nothing, is one that the run has beside. Go on until nothing smaller is new.
//!
//! **Order.** Each element has a number of threads that a run from it has at least, at the end.
//! Those with few are looked at first, so that a violation with the fewest threads is found first;
//! an element is left out only if another one, which it covers, has no more threads started after
//! it. Then every way on from the one is a way on from the other, with no more threads.
//!
//! **Workers.** A step back adds a step and takes away no thread that a run has at the end. So elements that need equally many threads and are
//! equally many steps away are all known before the first of them is looked at. Portions of them are looked at together: workers find side by side what is redundant and what comes before, and
//! one puts it down in order. How large a portion is does not depend on workers, nor does anything else.
//!
//! **Pruned** is what [`Modular`] and [`Views`] say is never there, what a [`Relation`] excludes, and more
//! threads of a limited template than there are.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use rustc_hash::FxHashMap;
use selvedge_model::{Fault, Property, System, smallest_violations};
use selvedge_store::{Crew, Full, Id};

use crate::elements::{Antichain, Element};
use crate::modular::{Modular, Transition};
use crate::relations::Relation;
use crate::views::Views;
use crate::{Workers, fault};

/// How many elements are looked at between two questions whether to go on.
const ASK_EVERY: usize = 1 << 6;

/// How many elements are looked at together.
const PORTION: usize = 1 << 6;

/// One worker is enough while fewer elements than this are kept, unless a test asks for more.
pub(crate) const FEW_KEPT: usize = 1 << 9;

/// Fewer elements than this are looked at by one worker.
const FEW_TOGETHER: usize = 1 << 3;

/// How many pieces a portion has for each worker.
const PIECES_EACH: usize = 4;

/// An element that was met.
pub(crate) struct Node {
    pub element: Element,
    /// How many threads are started on the way from it to the violation.
    pub started: u32,
    steps: u32,
    /// The element that a step leads to, and the step; none for a violation.
    pub next: Option<(u32, u32)>,
}

/// An element from which a step leads to another one.
struct Before {
    element: Element,
    started: u32,
    step: u32,
}

/// The workers of a search, who come when there is enough to do for them.
pub(crate) struct Team {
    workers: Workers,
    crew: OnceCell<Crew>,
}

impl Team {
    /// No worker has come yet.
    pub fn new(workers: Workers) -> Self {
        Team { workers, crew: OnceCell::new() }
    }

    /// The workers, if there is enough to do: `kept` elements are stored, and `together` are looked at together.
    fn for_portion(&self, kept: usize, together: usize) -> Option<&Crew> {
        let Workers { count, from } = self.workers;
        // A low limit asks for workers early: then they get small portions, too.
        let least = if from < FEW_KEPT { 1 } else { FEW_TOGETHER };
        let is_enough = kept >= from && together >= least;
        is_enough.then(|| self.crew.get_or_init(|| Crew::of(count)))
    }
}

/// Applies `find` to each element and keeps their order; several workers share the elements.
fn side_by_side<T: Send>(
    crew: Option<&Crew>,
    elements: &[u32],
    find: impl Fn(u32) -> T + Sync,
) -> Vec<T> {
    let Some(crew) = crew.filter(|crew| crew.workers() > 1) else {
        return elements.iter().map(|&element| find(element)).collect();
    };
    let at_once = elements.len().div_ceil(crew.workers() * PIECES_EACH).max(1);
    let pieces: Vec<&[u32]> = elements.chunks(at_once).collect();
    let mut found: Vec<Vec<T>> = Vec::new();
    found.resize_with(pieces.len(), Vec::new);
    crew.each(pieces.into_iter().zip(&mut found).collect(), |(piece, to)| {
        *to = piece.iter().map(|&element| find(element)).collect();
    });
    found.into_iter().flatten().collect()
}

/// An element that an initial state covers.
#[derive(Clone, Debug)]
pub(crate) struct CoveredElement {
    /// The number of the element.
    pub node: u32,
    /// The number of threads of the run.
    pub threads: usize,
    /// The number of the initial state.
    pub initial: usize,
    /// The local states of the threads of which there is any number, and that are needed.
    pub more: Vec<u32>,
}

/// The search backward from the smallest violations.
pub(crate) struct Backward<'a> {
    pub system: &'a dyn System,
    pub modular: &'a Modular,
    pub views: Option<&'a Views>,
    /// Relations that hold in every reachable state.
    pub relations: &'a [Relation],
    pub nodes: Vec<Node>,
    pub kept: Antichain,
    queue: BinaryHeap<Reverse<(usize, u32, u32)>>,
    /// Elements that were met, each with the fewest threads that are started after it.
    met: FxHashMap<Element, u32>,
    /// Steps by the shared state that they lead to, and a local state of U that they explain.
    explaining: FxHashMap<(u32, u32), Vec<u32>>,
    /// Steps that change the shared state, for threads that U says nothing about: one for each
    /// shared state and local state before.
    beside: Vec<Vec<u32>>,
    /// The number of threads at the start, of limited templates and of others.
    at_start: (usize, usize),
}

impl<'a> Backward<'a> {
    /// Begins with the smallest violations.
    pub fn new(
        system: &'a dyn System,
        modular: &'a Modular,
        views: Option<&'a Views>,
        relations: &'a [Relation],
        properties: &[Property],
    ) -> Result<Self, Fault> {
        let mut explaining: FxHashMap<(u32, u32), Vec<u32>> = FxHashMap::default();
        let mut beside: Vec<Vec<u32>> = vec![Vec::new(); modular.places.len()];
        let mut known: FxHashMap<(u32, u32, u32), bool> = FxHashMap::default();
        for (number, step) in (0..).zip(&modular.transitions) {
            let &Transition { from, to, actor, after, spawn, .. } = step;
            if views.is_some_and(|views| !views.may_have(from, actor)) {
                continue;
            }
            explaining.entry((to, after)).or_default().push(number);
            if let Some(spawn) = spawn.filter(|&spawn| spawn != after) {
                explaining.entry((to, spawn)).or_default().push(number);
            }
            // A step that starts a thread beside needs one more than a step that does not.
            let known = known.entry((from, to, actor)).or_insert(false);
            if from != to && !*known {
                *known = spawn.is_none();
                beside[to as usize].push(number);
            }
        }
        let limited =
            |thread: &&selvedge_model::ThreadInfo| modular.limits.contains_key(&thread.template);
        let limited = system.threads().iter().filter(limited).count();
        let at_start = (limited, system.threads().len() - limited);
        let mut search = Backward {
            system,
            modular,
            views,
            relations,
            nodes: Vec::new(),
            kept: Antichain::default(),
            queue: BinaryHeap::new(),
            met: FxHashMap::default(),
            explaining,
            beside,
            at_start,
        };
        search.start(properties)?;
        Ok(search)
    }

    /// Whether there is nothing to look at.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    fn start(&mut self, properties: &[Property]) -> Result<(), Fault> {
        let modular = self.modular;
        for (number, place) in (0..).zip(&modular.places) {
            let threads: Vec<_> = (place.kinds.iter())
                .map(|&kind| (modular.kinds.template(kind), modular.kinds.top(kind)))
                .collect();
            let found = smallest_violations(self.system, properties, place.shared, &threads)
                .map_err(|why| fault(why.to_string()))?;
            for violation in found {
                let kinds = violation.iter().map(|&at| place.kinds[at as usize]).collect();
                let element = Element::new(number, kinds);
                if self.may_be(number, &element.kinds) {
                    self.meet(element, 0, 0, None)?;
                }
            }
        }
        Ok(())
    }

    /// Goes back until an initial state is met, with the fewest threads, or nothing is new.
    pub fn run<S: From<Fault>>(
        &mut self,
        team: &Team,
        go_on: &dyn Fn() -> Result<(), S>,
    ) -> Result<Option<CoveredElement>, S> {
        let mut best: Option<CoveredElement> = None;
        let mut looked_at = 0;
        let mut portion = Vec::new();
        while let Some(threads) = self.next_portion(&mut portion) {
            let is_best = |best: &Option<CoveredElement>| {
                best.as_ref().is_some_and(|best| best.threads <= threads)
            };
            if is_best(&best) {
                break;
            }
            let crew = team.for_portion(self.kept.len(), portion.len());
            let covers = |number: u32| {
                let Node { element, started, .. } = &self.nodes[number as usize];
                self.kept.covers(element, *started)
            };
            let mut redundant = side_by_side(crew, &portion, covers).into_iter();
            portion.retain(|_| redundant.next() == Some(false));
            // Elements of a portion may make others of it redundant.
            let mut new = Antichain::default();
            let mut kept = Vec::with_capacity(portion.len());
            for &number in &portion {
                let Node { element, started, .. } = &self.nodes[number as usize];
                if new.covers(element, *started) {
                    continue;
                }
                if looked_at % ASK_EVERY == 0 {
                    go_on()?;
                }
                looked_at += 1;
                new.insert(element.clone(), *started);
                self.kept.insert(element.clone(), *started);
                kept.push(number);
                if let Some(found) = self.covered_by_initial(number)
                    && best.as_ref().is_none_or(|best| found.threads < best.threads)
                {
                    best = Some(found);
                    if is_best(&best) {
                        return Ok(best);
                    }
                }
            }
            let before = side_by_side(crew, &kept, |number| self.before(number));
            for (&number, before) in kept.iter().zip(before) {
                let steps = self.nodes[number as usize].steps + 1;
                for Before { element, started, step } in before {
                    self.meet(element, started, steps, Some((number, step)))?;
                }
            }
        }
        Ok(best)
    }

    /// Takes the next elements, which need equally many threads and are equally many steps away; says how many threads.
    fn next_portion(&mut self, portion: &mut Vec<u32>) -> Option<usize> {
        portion.clear();
        let &Reverse((threads, steps, _)) = self.queue.peek()?;
        while portion.len() < PORTION
            && let Some(next) = self.queue.peek_mut()
            && next.0.0 == threads
            && next.0.1 == steps
        {
            let Reverse((_, _, number)) = PeekMut::pop(next);
            portion.push(number);
        }
        Some(threads)
    }

    /// The elements of a run, from the first one to the violation.
    pub fn path(&self, found: &CoveredElement) -> Vec<&Element> {
        let mut node = &self.nodes[found.node as usize];
        let mut path = vec![&node.element];
        while let Some((next, _)) = node.next {
            node = &self.nodes[next as usize];
            path.push(&node.element);
        }
        path
    }

    /// The predecessors of an element by all steps to states that cover it, without those known to be redundant.
    fn before(&self, number: u32) -> Vec<Before> {
        let mut before = Vec::new();
        let element = &self.nodes[number as usize].element;
        let mut last = None;
        for &kind in &element.kinds {
            if last.replace(kind) == Some(kind) {
                continue;
            }
            let steps = self.explaining.get(&(element.place, kind)).into_iter().flatten();
            before.extend(steps.filter_map(|&step| self.undo(number, step)));
        }
        let steps = self.beside[element.place as usize].iter();
        before.extend(steps.filter_map(|&step| self.undo(number, step)));
        before
    }

    /// The predecessor of an element by a step.
    fn undo(&self, number: u32, step: u32) -> Option<Before> {
        let Transition { from, actor, after, spawn, .. } = self.modular.transitions[step as usize];
        let Node { element, started, .. } = &self.nodes[number as usize];
        let mut kinds = Vec::with_capacity(element.kinds.len() + 1);
        kinds.extend_from_slice(&element.kinds);
        for gone in [Some(after), spawn].into_iter().flatten() {
            if let Ok(at) = kinds.binary_search(&gone) {
                kinds.remove(at);
            }
        }
        kinds.insert(kinds.partition_point(|&kind| kind <= actor), actor);
        if !self.may_be(from, &kinds) {
            return None;
        }
        let element = Element { place: from, kinds: kinds.into() };
        let started = started + u32::from(spawn.is_some());
        let is_new = !self.was_met(&element, started) && !self.kept.covers(&element, started);
        is_new.then_some(Before { element, started, step })
    }

    /// Whether an element was met, with no more threads started after it.
    fn was_met(&self, element: &Element, started: u32) -> bool {
        self.met.get(element).is_some_and(|&known| known <= started)
    }

    /// Whether threads with these local states may be there together, as far as is known from above.
    fn may_be(&self, place: u32, kinds: &[u32]) -> bool {
        let Modular { places, limits, .. } = self.modular;
        if self.views.is_some_and(|views| !views.may_be(place, kinds)) {
            return false;
        }
        if !kinds.iter().all(|&kind| places[place as usize].may_have(kind)) {
            return false;
        }
        if self.relations.iter().any(|relation| relation.excludes(self.modular, place, kinds)) {
            return false;
        }
        if limits.is_empty() {
            return true;
        }
        let template = |&kind: &u32| self.modular.kinds.template(kind);
        kinds.iter().all(|kind| {
            let of = template(kind);
            limits.get(&of).is_none_or(|&limit| {
                kinds.iter().filter(|kind| template(kind) == of).count() <= limit as usize
            })
        })
    }

    /// Notes an element that is to be looked at, unless it was met.
    fn meet(
        &mut self,
        element: Element,
        started: u32,
        steps: u32,
        next: Option<(u32, u32)>,
    ) -> Result<(), Fault> {
        if self.was_met(&element, started) {
            return Ok(());
        }
        let full = Full { what: "dangerous sets of threads", most: self.nodes.len() };
        let node = u32::from_index(self.nodes.len()).ok_or_else(|| fault(full.to_string()))?;
        self.met.insert(element.clone(), started);
        let (limited, others) = self.at_start;
        let unlimited =
            |kind: &&u32| !self.modular.limits.contains_key(&self.modular.kinds.template(**kind));
        let needed = element.kinds.iter().filter(unlimited).count() + started as usize;
        let threads = limited + others.max(needed);
        self.queue.push(Reverse((threads, steps, node)));
        self.nodes.push(Node { element, started, steps, next });
        Ok(())
    }

    /// Whether an initial state, with some more threads of which there is any number, covers an
    /// element; with as few as can be.
    fn covered_by_initial(&self, number: u32) -> Option<CoveredElement> {
        let Node { element, started, .. } = &self.nodes[number as usize];
        let Modular { initial, any, .. } = self.modular;
        let fixed = self.system.threads().len();
        let from = |(initial, (place, kinds)): (usize, &(u32, Vec<u32>))| {
            if *place != element.place {
                return None;
            }
            let more = missing(&element.kinds, kinds);
            let enough = more.iter().all(|kind| any.binary_search(kind).is_ok());
            let threads = fixed + more.len() + *started as usize;
            enough.then_some(CoveredElement { node: number, threads, initial, more })
        };
        initial.iter().enumerate().filter_map(from).min_by_key(|found| found.threads)
    }
}

/// The members of `wanted` that `there` lacks, with repetitions. Both lists are in rising order.
fn missing(wanted: &[u32], there: &[u32]) -> Vec<u32> {
    let mut there = there.iter().peekable();
    let mut missing = Vec::new();
    for &kind in wanted {
        while there.next_if(|&&other| other < kind).is_some() {}
        if there.next_if(|&&other| other == kind).is_none() {
            missing.push(kind);
        }
    }
    missing
}
