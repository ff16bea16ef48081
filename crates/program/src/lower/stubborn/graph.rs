//! # The flow graph of what is known
//! A node is a place together with the numbers that slots of its frame have which no edge of the procedure stores into: `me` of `dine(me)`. So `fork[me]` is
//! one slot. Edges say what they touch, and when they can be taken, as far as shared slots and these numbers tell. Nodes are
//! made as they are met.

use rustc_hash::FxHashMap;
use selvedge_core::{
    Area, Binary, Code, Control, Edge as CoreEdge, Expr, Instruction, Kind, Loc, Place, ProcId,
    Source, Target, Unary, Value,
};

/// More nodes than this are not made.
const MOST_NODES: usize = 1 << 14;

/// A set of slots; the last one stands for the names of threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Bits(Box<[u64]>);

impl Bits {
    fn set(&mut self, slot: usize) {
        self.0[slot / 64] |= 1 << (slot % 64);
    }

    fn has(&self, slot: usize) -> bool {
        self.0[slot / 64] >> (slot % 64) & 1 == 1
    }

    /// Adds slots, and says whether one of them is new.
    pub fn add(&mut self, other: &Bits) -> bool {
        let mut grows = false;
        for (own, more) in self.0.iter_mut().zip(&other.0) {
            grows |= more & !*own != 0;
            *own |= more;
        }
        grows
    }

    pub fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
}

/// A place with what is known of its frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeId {
    pub number: u32,
    /// The procedure with what is known of its frame.
    pub instance: u32,
}

impl NodeId {
    /// Where a thread stands of which only the end is left.
    pub const BOTTOM: NodeId = NodeId { number: 0, instance: u32::MAX };
}

/// Where an edge leads.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Then {
    Goto(NodeId),
    Call {
        entry: NodeId,
        back: NodeId,
    },
    Return,
    /// The thread ends.
    End,
}

/// An edge of the flow graph, with what it touches.
pub(super) struct Edge {
    pub reads: Bits,
    pub writes: Bits,
    /// Conditions, one after the other, that have to hold.
    needs: Box<[SymbolicValue]>,
    pub then: Then,
    /// Where the thread stands that it starts.
    pub starts: Option<NodeId>,
    /// Whether it leaves results on their way, so that no other thread acts.
    pub sends_results: bool,
}

impl Edge {
    /// Whether it cannot be taken, if slots that are not written have these values.
    pub fn waits(&self, values: &[Option<i64>], written: &Bits) -> bool {
        for need in &self.needs {
            match need.value(values, written) {
                Some(0) => return true,
                Some(_) => {}
                None => return false,
            }
        }
        false
    }
}

/// The value of an expression, as far as it is known.
enum SymbolicValue {
    Number(i64),
    Shared(usize),
    Not(Box<SymbolicValue>),
    Of(Binary, Box<SymbolicValue>, Box<SymbolicValue>),
    If(Box<[SymbolicValue; 3]>),
    Nothing,
}

impl SymbolicValue {
    fn value(&self, values: &[Option<i64>], written: &Bits) -> Option<i64> {
        match self {
            SymbolicValue::Number(number) => Some(*number),
            SymbolicValue::Shared(slot) if written.has(*slot) => None,
            SymbolicValue::Shared(slot) => *values.get(*slot)?,
            SymbolicValue::Not(of) => of.value(values, written).map(|value| i64::from(value == 0)),
            SymbolicValue::Of(op, left, right) => {
                operate(*op, left.value(values, written)?, right.value(values, written)?)
            }
            SymbolicValue::If(parts) => {
                let [if_, then, else_] = &**parts;
                let part = if if_.value(values, written)? != 0 { then } else { else_ };
                part.value(values, written)
            }
            SymbolicValue::Nothing => None,
        }
    }
}

fn operate(op: Binary, left: i64, right: i64) -> Option<i64> {
    match op {
        Binary::Eq => Some(i64::from(left == right)),
        Binary::Lt => Some(i64::from(left < right)),
        Binary::Le => Some(i64::from(left <= right)),
        Binary::Gt => Some(i64::from(left > right)),
        Binary::Ge => Some(i64::from(left >= right)),
        Binary::Add => left.checked_add(right),
        Binary::Sub => left.checked_sub(right),
        Binary::Mul => left.checked_mul(right),
        Binary::Div => left.checked_div_euclid(right),
        Binary::Mod => left.checked_rem_euclid(right),
        _ => None,
    }
}

/// A procedure with the numbers that are in those of its slots that are never stored into.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Instance {
    proc: ProcId,
    /// The numbers in the slots of its frames, where they are known.
    known: Box<[Option<i64>]>,
    /// Whether an atomic section called it: then no other thread acts before it returns.
    in_section: bool,
}

struct Node {
    loc: Loc,
    /// `None` until they are asked for.
    edges: Option<Box<[Edge]>>,
}

pub(super) struct Graph<'c> {
    code: &'c Code,
    rides: &'c [bool],
    /// For each procedure and slot of its frames, whether no edge stores into it.
    constant: Vec<Vec<bool>>,
    /// Whether the frames of each procedure hold names of threads.
    holds_threads: Vec<bool>,
    /// Shared slots that may be open, so that reading them is writing them.
    open: Vec<bool>,
    instances: Vec<Instance>,
    instance_numbers: FxHashMap<Instance, u32>,
    nodes: Vec<Node>,
    node_numbers: FxHashMap<(u32, Loc), u32>,
}

impl<'c> Graph<'c> {
    pub fn new(code: &'c Code, rides: &'c [bool]) -> Self {
        let mut constant: Vec<Vec<bool>> =
            code.procs.iter().map(|proc| vec![true; proc.frame.len()]).collect();
        let mut open: Vec<bool> =
            code.shared.iter().map(|slot| slot.first == Value::Open).collect();
        for edge in &code.edges {
            let own = &mut constant[code.location(edge.from).proc.index()];
            edge.each_stored(&mut |place| {
                if place.area == Area::Frame {
                    place.slots().for_each(|slot| own[slot] = false);
                }
            });
            let opens = |instruction: &&Instruction| {
                matches!(
                    instruction,
                    Instruction::Store { value: Source::Any | Source::Result(..), .. }
                )
            };
            if edge.code.iter().any(|instruction| opens(&instruction)) {
                edge.each_stored(&mut |place| {
                    if place.area == Area::Shared {
                        place.slots().for_each(|slot| open[slot] = true);
                    }
                });
            }
        }
        let holds =
            |slots: &[selvedge_core::Declared]| slots.iter().any(|slot| slot.kind == Kind::Thread);
        let mut graph = Graph {
            code,
            rides,
            constant,
            holds_threads: code.procs.iter().map(|proc| holds(&proc.frame)).collect(),
            open,
            instances: Vec::new(),
            instance_numbers: FxHashMap::default(),
            nodes: Vec::new(),
            node_numbers: FxHashMap::default(),
        };
        let mut names = graph.nothing();
        names.set(code.shared.len());
        let end = Edge {
            reads: names.clone(),
            writes: names,
            needs: Box::default(),
            then: Then::End,
            starts: None,
            sends_results: false,
        };
        graph.nodes.push(Node { loc: Loc(u32::MAX), edges: Some([end].into()) });
        graph
    }

    /// The empty set of slots.
    pub fn nothing(&self) -> Bits {
        Bits(vec![0; (self.code.shared.len() + 1).div_ceil(64)].into())
    }

    /// Whether there are too many nodes to say anything.
    pub fn is_full(&self) -> bool {
        self.nodes.len() > MOST_NODES
    }

    pub fn edges(&self, node: NodeId) -> &[Edge] {
        self.nodes[node.number as usize].edges.as_deref().unwrap_or_default()
    }

    /// Whether a fused step that comes here may go on.
    pub fn rides(&self, node: NodeId) -> bool {
        self.rides.get(self.nodes[node.number as usize].loc.index()).is_some_and(|rides| *rides)
    }

    /// Whether a step that comes here goes on: in an atomic section or what one calls, or because the next one rides along.
    pub fn goes_on(&self, node: NodeId) -> bool {
        let loc = self.nodes[node.number as usize].loc;
        let is_atomic = self.code.locations.get(loc.index()).is_some_and(|at| at.atomic);
        let instance = self.instances.get(node.instance as usize);
        is_atomic || instance.is_some_and(|of| of.in_section) || self.rides(node)
    }

    /// The node of a frame whose slots have these numbers.
    pub fn node_of_frame(&mut self, loc: Loc, numbers: &[Option<i64>]) -> NodeId {
        let proc = self.code.location(loc).proc;
        let constant = &self.constant[proc.index()];
        let known = constant.iter().zip(numbers).map(|(&is, number)| number.filter(|_| is));
        let known = known.collect();
        let instance = self.instance(Instance { proc, known, in_section: false });
        self.node(instance, loc)
    }

    fn instance(&mut self, instance: Instance) -> u32 {
        let next = self.instances.len() as u32;
        *self.instance_numbers.entry(instance).or_insert_with_key(|instance| {
            self.instances.push(instance.clone());
            next
        })
    }

    fn node(&mut self, instance: u32, loc: Loc) -> NodeId {
        let next = self.nodes.len() as u32;
        let number = *self.node_numbers.entry((instance, loc)).or_insert_with(|| {
            self.nodes.push(Node { loc, edges: None });
            next
        });
        NodeId { number, instance }
    }

    /// Finds the edges of a node.
    pub fn unfold(&mut self, node: NodeId) {
        let at = &self.nodes[node.number as usize];
        if at.edges.is_some() {
            return;
        }
        let (code, loc) = (self.code, at.loc);
        let edges = code.location(loc).edges.iter();
        let edges: Vec<Edge> =
            edges.map(|&edge| self.edge(node.instance, code.edge(edge))).collect();
        self.nodes[node.number as usize].edges = Some(edges.into());
    }

    fn edge(&mut self, instance: u32, edge: &CoreEdge) -> Edge {
        let Instance { proc, known, in_section } = self.instances[instance as usize].clone();
        let in_section = in_section || self.code.location(edge.from).atomic;
        let (mut reads, mut writes) = (self.nothing(), self.nothing());
        let mut names = edge.starts || self.holds_threads[proc.index()];
        for place in edge.shared_places() {
            names |= place.kind == Kind::Thread;
            for slot in slots(&place, &known) {
                reads.set(slot);
                if self.open[slot] {
                    writes.set(slot);
                }
            }
        }
        edge.each_stored(&mut |place| {
            if place.area == Area::Shared {
                slots(place, &known).for_each(|slot| writes.set(slot));
            }
        });
        let then = match edge.control {
            Control::Goto | Control::Receive(_) => Then::Goto(self.node(instance, edge.to)),
            Control::Return => Then::Return,
            Control::Call(called) => {
                names |= self.holds_threads[called.index()];
                let entry = self.entered(called, edge, &known, in_section);
                Then::Call { entry, back: self.node(instance, edge.to) }
            }
        };
        let mut starts = None;
        for instruction in &edge.code {
            names |= instruction.asks_for_ends();
            match instruction {
                Instruction::Frame { proc, for_thread: true } => {
                    names = true;
                    starts = Some(self.entered(*proc, edge, &known, false));
                }
                Instruction::Fork { at, .. } => {
                    names = true;
                    starts = Some(self.node(instance, *at));
                }
                Instruction::Start(_) => names = true,
                _ => {}
            }
        }
        if names {
            reads.set(self.code.shared.len());
            writes.set(self.code.shared.len());
        }
        let needs = edge.code.iter().map_while(|instruction| match instruction {
            Instruction::Assume(value) => Some(known_of(value, &known)),
            _ => None,
        });
        let sends_results =
            edge.control == Control::Return && !self.code.proc(proc).results.is_empty();
        Edge { reads, writes, needs: needs.collect(), then, starts, sends_results }
    }

    /// Where a procedure begins that is called, or started, by an edge.
    fn entered(
        &mut self,
        proc: ProcId,
        edge: &CoreEdge,
        known: &[Option<i64>],
        in_section: bool,
    ) -> NodeId {
        let declared = &self.code.proc(proc);
        let mut values: Vec<Option<i64>> =
            declared.frame.iter().map(|slot| slot.first.small()).collect();
        let mut stored = vec![false; values.len()];
        for instruction in &edge.code {
            let Instruction::Store { to, value, when } = instruction else { continue };
            let Target::Place(place) = to else { continue };
            if place.area != Area::New {
                continue;
            }
            let value = match value {
                Source::Value(value) if when.is_none() => known_of(value, known).number(),
                _ => None,
            };
            let most = values.len();
            for slot in place.slots().take_while(|&slot| slot < most) {
                values[slot] = value.filter(|_| !stored[slot] && place.indices.is_empty());
                stored[slot] = true;
            }
        }
        for (slot, value) in values.iter_mut().enumerate() {
            let is_known = self.constant[proc.index()][slot];
            let is_given = slot >= declared.params || stored[slot];
            // What does not fit goes wrong, so a procedure that calls itself with ever larger numbers has an end.
            let fits = |number: &i64| declared.frame[slot].kind.holds(&Value::Small(*number));
            *value = value.filter(|number| is_known && is_given && fits(number));
        }
        let instance = self.instance(Instance { proc, known: values.into(), in_section });
        self.node(instance, declared.entry)
    }
}

impl SymbolicValue {
    /// The number that it is at all states.
    fn number(&self) -> Option<i64> {
        match self {
            SymbolicValue::Number(number) => Some(*number),
            _ => None,
        }
    }
}

/// The shared slots that a place may be.
fn slots(place: &Place, known: &[Option<i64>]) -> impl Iterator<Item = usize> + use<> {
    let mut slots = vec![place.first];
    for index in &place.indices {
        let number = known_of(&index.value, known).number();
        let number = number.and_then(|n| usize::try_from(n).ok());
        let length = index.length as usize;
        let range = match number.filter(|&n| n < length) {
            Some(n) => n..n + 1,
            None => 0..length,
        };
        let stride = index.stride;
        slots = slots
            .iter()
            .flat_map(|&first| range.clone().map(move |n| first + n * stride))
            .collect();
    }
    slots.into_iter()
}

/// The value of an expression, as far as it is known, if it is evaluated before anything is stored.
fn known_of(value: &Expr, known: &[Option<i64>]) -> SymbolicValue {
    let of = |value: &Expr| known_of(value, known);
    match value {
        Expr::Bool(value) => SymbolicValue::Number(i64::from(*value)),
        Expr::Int(value) => value.small().map_or(SymbolicValue::Nothing, SymbolicValue::Number),
        Expr::Load(place) => match place.area {
            Area::Frame if place.indices.is_empty() => known
                .get(place.first)
                .copied()
                .flatten()
                .map_or(SymbolicValue::Nothing, SymbolicValue::Number),
            Area::Shared if is_one(place, known) => {
                slots(place, known).next().map_or(SymbolicValue::Nothing, SymbolicValue::Shared)
            }
            _ => SymbolicValue::Nothing,
        },
        Expr::Unary(Unary::Not, of_value) => match of(of_value) {
            SymbolicValue::Number(number) => SymbolicValue::Number(i64::from(number == 0)),
            SymbolicValue::Nothing => SymbolicValue::Nothing,
            of => SymbolicValue::Not(Box::new(of)),
        },
        Expr::Binary(op, left, right, _) => match (of(left), of(right)) {
            (SymbolicValue::Number(left), SymbolicValue::Number(right)) => {
                operate(*op, left, right).map_or(SymbolicValue::Nothing, SymbolicValue::Number)
            }
            (SymbolicValue::Nothing, _) | (_, SymbolicValue::Nothing) => SymbolicValue::Nothing,
            (left, right) => SymbolicValue::Of(*op, Box::new(left), Box::new(right)),
        },
        Expr::If(parts) => {
            let [if_, then, else_] = &**parts;
            match of(if_) {
                SymbolicValue::Number(0) => of(else_),
                SymbolicValue::Number(_) => of(then),
                SymbolicValue::Nothing => SymbolicValue::Nothing,
                if_ => SymbolicValue::If(Box::new([if_, of(then), of(else_)])),
            }
        }
        _ => SymbolicValue::Nothing,
    }
}

/// Whether all indices of a place are known and within their arrays.
fn is_one(place: &Place, known: &[Option<i64>]) -> bool {
    place.indices.iter().all(|index| {
        let number = known_of(&index.value, known).number();
        number.is_some_and(|n| n >= 0 && n < i64::from(index.length))
    })
}
