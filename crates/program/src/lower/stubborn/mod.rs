//! # Who may wait, by the text and the state
//!
//! **Question.** At this state, which threads have nothing to do with what others can do before they act?
//!
//! **Idea.** A set of threads grows from one that can act. What all the others can do while these stand still is found in the flow
//! graph ([`graph`]): from where they stand, along edges whose conditions may hold, if what is known of the state is known of all slots that
//! none of them writes. Whoever of them touches what the next step of a thread in the set writes, or writes what it reads, joins the set; then less can be done by the others, and so
//! on until nobody has to join. From every thread that can act such a set is grown, and the one is taken in which the fewest can act.
//!
//! **Claim.** Such a set is *enough*, in the words of [`selvedge_model::Stubborn`]. By induction over a run in which only the others act: every edge on it
//! was found, and a slot that none of the edges found writes has the value that it had.

mod graph;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use selvedge_model::{
    Choose, Interference, Local, PlaceId, SharedId, Standing, SymbolId, System, TemplateId,
};

use super::Lowering;
use graph::{Bits, Edge, Graph, NodeId, Then};

/// Where this many shared states are known, they are forgotten: what is in them is found out again.
const MOST_SHARED: usize = 1 << 14;

/// How the threads of a program interfere, where steps ride along at some places.
pub struct Threads {
    program: Arc<Lowering>,
    /// At which places a step may be followed by others of the same fused step.
    rides: Vec<bool>,
}

impl Threads {
    /// The threads of a program whose steps are fused at these places.
    #[must_use]
    pub fn new(program: Arc<Lowering>, local: &Local) -> Self {
        let mut rides = vec![false; program.code().locations.len()];
        let movers = &local.movers;
        let places = local.places.iter().chain(&movers.inside).chain(&movers.releases);
        for PlaceId(place) in places.chain(&movers.commits) {
            if let Some(rides) = rides.get_mut(*place as usize) {
                *rides = true;
            }
        }
        Threads { program, rides }
    }
}

impl Interference for Threads {
    fn chooser(&self) -> Box<dyn Choose + '_> {
        let graph = Graph::new(self.program.code(), &self.rides);
        Box::new(Chooser {
            program: &self.program,
            none: graph.nothing(),
            graph,
            numbers: FxHashMap::default(),
            known: FxHashMap::default(),
            threads: Vec::new(),
            shared: FxHashMap::default(),
            others: Others::default(),
        })
    }
}

/// A thread as it stands.
struct Thread {
    /// Where its frames stand, the lowest one first.
    frames: Vec<NodeId>,
    /// Whether its end is heard of.
    has_bottom: bool,
}

/// The slots that a thread reads and writes.
#[derive(Clone)]
struct Touched {
    reads: Bits,
    writes: Bits,
    /// Whether it stops all others for a moment.
    stops_others: bool,
}

struct Chooser<'p> {
    program: &'p Lowering,
    graph: Graph<'p>,
    none: Bits,
    numbers: FxHashMap<Box<[SymbolId]>, u32>,
    known: FxHashMap<SymbolId, Option<NodeId>>,
    threads: Vec<Arc<Thread>>,
    shared: FxHashMap<SharedId, Box<[Option<i64>]>>,
    others: Others,
}

/// The places that the other threads can reach. Kept to reuse its memory.
#[derive(Default)]
struct Others {
    /// For each of them and each node, when it was found.
    found: Vec<Vec<u32>>,
    /// The number of the current search.
    time: u32,
    open: Vec<(usize, NodeId)>,
    /// Edges whose conditions do not hold.
    waiting: Vec<(usize, NodeId, usize)>,
    /// For each of them, where calls go on that have not returned.
    calls: Vec<Vec<(u32, Back)>>,
    /// For each of them, the instances of procedures that return.
    returned: Vec<Vec<u32>>,
}

/// Where a call goes on.
#[derive(Clone, Copy, PartialEq)]
enum Back {
    To(NodeId),
    /// The end of the thread, which is heard of.
    Bottom,
}

/// How far a thread is followed.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    /// To all places that it can reach.
    All,
    /// Through its next fused step.
    Step,
}

impl Choose for Chooser<'_> {
    fn thread(&mut self, _template: TemplateId, stack: &[SymbolId]) -> u32 {
        if let Some(&number) = self.numbers.get(stack) {
            return number;
        }
        let mut thread = Thread { frames: Vec::with_capacity(stack.len()), has_bottom: false };
        for &symbol in stack {
            let (program, graph) = (self.program, &mut self.graph);
            let known = self.known.entry(symbol).or_insert_with(|| {
                let frame = program.frame(symbol)?;
                let numbers = program.frame_numbers(symbol);
                Some(graph.node_of_frame(frame.loc, &numbers))
            });
            match known {
                Some(node) => thread.frames.push(*node),
                None => thread.has_bottom = true,
            }
        }
        let number = self.threads.len() as u32;
        self.threads.push(Arc::new(thread));
        self.numbers.insert(stack.into(), number);
        number
    }

    fn choose(&mut self, shared: SharedId, threads: &[Standing], enough: &mut Vec<bool>) -> bool {
        let can_act = threads.iter().filter(|standing| standing.can_act).count();
        if can_act < 2 || self.graph.is_full() {
            return false;
        }
        if self.shared.len() >= MOST_SHARED {
            self.shared.clear();
        }
        let values = self
            .shared
            .remove(&shared)
            .unwrap_or_else(|| self.program.shared_numbers(shared).into());
        let steps: Vec<Touched> =
            threads.iter().map(|standing| self.next_step(standing.thread, &values)).collect();
        let mut best: Option<(usize, Vec<bool>)> = None;
        for seed in (0..threads.len()).filter(|&thread| threads[thread].can_act) {
            if steps[seed].stops_others {
                continue;
            }
            let most = best.as_ref().map_or(can_act, |(acting, _)| *acting);
            let Some(found) = self.grown(seed, threads, &steps, &values, most) else { continue };
            let acting = (0..threads.len()).filter(|&t| found[t] && threads[t].can_act).count();
            best = Some((acting, found));
            if acting == 1 {
                break;
            }
        }
        self.shared.insert(shared, values);
        match best {
            Some((_, found)) if !self.graph.is_full() => {
                *enough = found;
                true
            }
            _ => false,
        }
    }
}

impl Chooser<'_> {
    /// The slots that the next fused step of a thread touches, even if the thread waits.
    fn next_step(&mut self, thread: u32, values: &[Option<i64>]) -> Touched {
        let mut touched = [self.nothing()];
        let thread = Arc::clone(&self.threads[thread as usize]);
        self.follow(&[Some(thread)], values, Extent::Step, &mut touched, |_| false);
        let [touched] = touched;
        touched
    }

    fn nothing(&self) -> Touched {
        Touched { reads: self.none.clone(), writes: self.none.clone(), stops_others: false }
    }

    /// The set that grows from one thread, unless as many of its threads can act as of the best one so far.
    fn grown(
        &mut self,
        seed: usize,
        threads: &[Standing],
        steps: &[Touched],
        values: &[Option<i64>],
        most: usize,
    ) -> Option<Vec<bool>> {
        let mut set = vec![false; threads.len()];
        set[seed] = true;
        loop {
            let acting = (0..threads.len()).filter(|&t| set[t] && threads[t].can_act).count();
            let stops = (0..threads.len()).any(|t| set[t] && steps[t].stops_others);
            if acting >= most || stops {
                return None;
            }
            // A thread that waits writes nothing.
            let (mut reads, mut writes) = (self.none.clone(), self.none.clone());
            for (thread, step) in steps.iter().enumerate().filter(|(thread, _)| set[*thread]) {
                reads.add(&step.reads);
                if threads[thread].can_act {
                    writes.add(&step.writes);
                }
            }
            let others: Vec<Option<Arc<Thread>>> = (0..threads.len())
                .map(|t| (!set[t]).then(|| Arc::clone(&self.threads[threads[t].thread as usize])))
                .collect();
            let mut touched = vec![self.nothing(); threads.len()];
            let meets = |other: &Touched| {
                other.writes.meets(&reads)
                    || other.writes.meets(&writes)
                    || other.reads.meets(&writes)
            };
            let joins = self.follow(&others, values, Extent::All, &mut touched, meets);
            match joins {
                Some(thread) => set[thread] = true,
                None => return Some(set),
            }
        }
    }

    /// Follows threads as far as they can get if no others act, and says what each of them touches. Ends with the first of which `is_enough` is said.
    fn follow(
        &mut self,
        threads: &[Option<Arc<Thread>>],
        values: &[Option<i64>],
        extent: Extent,
        touched: &mut [Touched],
        is_enough: impl Fn(&Touched) -> bool,
    ) -> Option<usize> {
        let Chooser { graph, none, others, .. } = self;
        let mut written = none.clone();
        let mut grows = false;
        others.begin(threads);
        loop {
            while let Some((thread, node)) = others.open.pop() {
                // Numbers that grow from call to call have no end: then the chooser gives up.
                if graph.is_full() {
                    return None;
                }
                graph.unfold(node);
                let rides = graph.rides(node);
                for number in 0..graph.edges(node).len() {
                    let edge = &graph.edges(node)[number];
                    if edge.waits(values, &written) {
                        // Whether others could be taken decides where a fused step ends.
                        if extent == Extent::Step || rides {
                            touched[thread].reads.add(&edge.reads);
                        }
                        others.waiting.push((thread, node, number));
                        continue;
                    }
                    grows |=
                        others.take(graph, thread, (node, number), extent, touched, &mut written);
                }
                if is_enough(&touched[thread]) {
                    return Some(thread);
                }
            }
            if !std::mem::take(&mut grows) {
                return None;
            }
            // What was written since may let others go on.
            for (thread, node, number) in std::mem::take(&mut others.waiting) {
                if graph.edges(node)[number].waits(values, &written) {
                    others.waiting.push((thread, node, number));
                    continue;
                }
                grows |= others.take(graph, thread, (node, number), extent, touched, &mut written);
                if is_enough(&touched[thread]) {
                    return Some(thread);
                }
            }
        }
    }
}

impl Others {
    fn begin(&mut self, threads: &[Option<Arc<Thread>>]) {
        self.time = self.time.wrapping_add(1);
        if self.time == 0 {
            self.found.iter_mut().for_each(|found| found.fill(0));
            self.time = 1;
        }
        let count = threads.len();
        self.found.resize_with(self.found.len().max(count), Vec::new);
        self.calls.resize_with(self.calls.len().max(count), Vec::new);
        self.returned.resize_with(self.returned.len().max(count), Vec::new);
        self.open.clear();
        self.waiting.clear();
        for (number, thread) in threads.iter().enumerate() {
            self.calls[number].clear();
            self.returned[number].clear();
            let Some(thread) = thread else { continue };
            let mut below = thread.has_bottom.then_some(Back::Bottom);
            for &node in &thread.frames {
                self.calls[number].extend(below.map(|back| (node.instance, back)));
                below = Some(Back::To(node));
            }
            match below {
                Some(Back::To(top)) => self.add(number, top),
                // Only its end is left.
                Some(Back::Bottom) => self.add(number, NodeId::BOTTOM),
                None => {}
            }
        }
    }

    fn add(&mut self, thread: usize, node: NodeId) {
        let found = &mut self.found[thread];
        let at = node.number as usize;
        if found.len() <= at {
            found.resize(at + 64, 0);
        }
        if found[at] != self.time {
            found[at] = self.time;
            self.open.push((thread, node));
        }
    }

    /// Takes an edge, and says whether something is written that was not before.
    fn take(
        &mut self,
        graph: &Graph<'_>,
        thread: usize,
        (node, number): (NodeId, usize),
        extent: Extent,
        touched: &mut [Touched],
        written: &mut Bits,
    ) -> bool {
        let edge: &Edge = &graph.edges(node)[number];
        touched[thread].reads.add(&edge.reads);
        touched[thread].writes.add(&edge.writes);
        touched[thread].stops_others |= edge.sends_results;
        let grows = written.add(&edge.writes);
        let goes_on = |to: &NodeId| extent == Extent::All || graph.goes_on(*to);
        // A thread that it starts takes no part in its own step, but acts after it.
        if let Some(started) = edge.starts.filter(|_| extent == Extent::All) {
            self.add(thread, started);
        }
        match edge.then {
            Then::Goto(to) => {
                if goes_on(&to) {
                    self.add(thread, to);
                }
            }
            Then::Call { entry, back } => {
                if goes_on(&entry) {
                    self.add(thread, entry);
                }
                if self.returned[thread].contains(&entry.instance) {
                    if goes_on(&back) {
                        self.add(thread, back);
                    }
                } else if !self.calls[thread].contains(&(entry.instance, Back::To(back))) {
                    self.calls[thread].push((entry.instance, Back::To(back)));
                }
            }
            Then::Return => {
                if !self.returned[thread].contains(&node.instance) {
                    self.returned[thread].push(node.instance);
                    let (instance, mut at) = (node.instance, 0);
                    while let Some(&(of, back)) = self.calls[thread].get(at) {
                        at += 1;
                        let to = match back {
                            Back::To(to) => to,
                            Back::Bottom => NodeId::BOTTOM,
                        };
                        if of == instance && goes_on(&to) {
                            self.add(thread, to);
                        }
                    }
                }
            }
            Then::End => {}
        }
        grows
    }
}
