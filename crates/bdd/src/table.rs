//! # The unique table
//! **Question.** Is there a node with this variable and these two edges already?
//!
//! **Idea.** Nodes stand in one vector and never move. Buckets, a power of two of them, hold the
//! first node of a chain; the chain runs through the nodes. There are at least as many buckets as
//! nodes, so chains are short. Free nodes form a chain as well.
//!
//! **Claim.** No two nodes in use have the same variable and edges; the low edge has no mark and
//! differs from the high edge.

use crate::handle::LAST_VAR;
use crate::{Bdd, Var};

/// The variable of the constants: below all others.
pub(crate) const NO_VAR: Var = Var::MAX;
/// The variable of a free node.
const FREE: Var = LAST_VAR + 1;
/// The largest number of nodes: a handle has 31 bits.
const MAX_NODES: usize = 1 << 30;
/// The end of a chain. Node 0 is the constants', which are in no chain.
const END: u32 = 0;
const FIRST_BUCKETS: usize = 1 << 8;
/// From here on the vector of nodes grows by a half instead of doubling.
const LARGE: usize = 1 << 20;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub var: Var,
    pub low: Bdd,
    pub high: Bdd,
    next: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    nodes: Vec<Node>,
    buckets: Vec<u32>,
    /// How far to shift a hash to have the number of a bucket.
    shift: u32,
    free: u32,
    /// How many nodes are in use, with the constants' one.
    used: usize,
}

impl Table {
    pub fn new() -> Table {
        let constant = Node { var: NO_VAR, low: Bdd::FALSE, high: Bdd::FALSE, next: END };
        let mut table = Table {
            nodes: Vec::with_capacity(FIRST_BUCKETS),
            buckets: Vec::new(),
            shift: 0,
            free: END,
            used: 1,
        };
        table.nodes.push(constant);
        table.rebuild(FIRST_BUCKETS);
        table
    }

    #[inline]
    pub fn node(&self, f: Bdd) -> Node {
        self.nodes[f.index()]
    }

    #[inline]
    pub fn var(&self, f: Bdd) -> Var {
        self.nodes[f.index()].var
    }

    /// The node with this variable and edges.
    #[inline]
    pub fn find(&self, var: Var, low: Bdd, high: Bdd) -> Option<Bdd> {
        let mut at = self.buckets[self.bucket(var, low, high)];
        while at != END {
            let node = &self.nodes[at as usize];
            if node.low == low && node.high == high && node.var == var {
                return Some(Bdd(at << 1));
            }
            at = node.next;
        }
        None
    }

    /// Adds a node that was not found. There must be [room](Self::has_room) for it.
    #[inline]
    pub fn add(&mut self, var: Var, low: Bdd, high: Bdd) -> Bdd {
        let bucket = self.bucket(var, low, high);
        let node = Node { var, low, high, next: self.buckets[bucket] };
        let at = if self.free == END {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        } else {
            let at = self.free;
            self.free = std::mem::replace(&mut self.nodes[at as usize], node).next;
            at
        };
        self.buckets[bucket] = at;
        self.used += 1;
        Bdd(at << 1)
    }

    #[inline]
    pub fn has_room(&self) -> bool {
        self.used < self.buckets.len()
            && (self.free != END || self.nodes.len() < self.nodes.capacity())
    }

    /// How many nodes and buckets there will be room for after growing, or nothing if handles have
    /// run out.
    pub fn next_size(&self) -> Option<(usize, usize)> {
        let mut nodes = self.nodes.capacity();
        if self.free == END && self.nodes.len() == nodes {
            nodes = if nodes < LARGE { nodes * 2 } else { nodes + nodes / 2 }.min(MAX_NODES);
        }
        let buckets = if self.used < self.buckets.len() { 1 } else { 2 } * self.buckets.len();
        (self.nodes.len() < MAX_NODES || self.free != END).then_some((nodes, buckets))
    }

    pub fn bytes_of(nodes: usize, buckets: usize) -> usize {
        nodes * size_of::<Node>() + buckets * size_of::<u32>()
    }

    pub fn bytes(&self) -> usize {
        Self::bytes_of(self.nodes.capacity(), self.buckets.len())
    }

    pub fn grow(&mut self, nodes: usize, buckets: usize) {
        self.nodes.reserve_exact(nodes.saturating_sub(self.nodes.len()));
        if buckets != self.buckets.len() {
            self.rebuild(buckets);
        }
    }

    pub fn used(&self) -> usize {
        self.used
    }

    pub fn buckets(&self) -> usize {
        self.buckets.len()
    }

    /// An upper bound of the numbers of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Frees all nodes but the constants' and those for which the function holds.
    pub fn retain(&mut self, is_live: impl Fn(usize) -> bool) {
        let last = (1..self.nodes.len()).rev().find(|&at| is_live(at)).unwrap_or(0);
        self.nodes.truncate(last + 1);
        self.free = END;
        self.used = 1;
        // From the end, so that the free node with the smallest number is taken first.
        for at in (1..self.nodes.len()).rev() {
            if is_live(at) {
                self.used += 1;
            } else {
                self.nodes[at] =
                    Node { var: FREE, low: Bdd::FALSE, high: Bdd::FALSE, next: self.free };
                self.free = at as u32;
            }
        }
        // What is far too large is given back; the rest will be needed again.
        if self.nodes.len() < self.nodes.capacity() / 8 {
            self.nodes.shrink_to((self.nodes.len() * 2).max(FIRST_BUCKETS));
        }
        let buckets = if self.used < self.buckets.len() / 8 {
            (self.used * 2).next_power_of_two().max(FIRST_BUCKETS)
        } else {
            self.buckets.len()
        };
        self.rebuild(buckets);
    }

    /// Makes the chains anew.
    fn rebuild(&mut self, buckets: usize) {
        if buckets == self.buckets.len() {
            self.buckets.fill(END);
        } else {
            // The old buckets go before the new ones come.
            self.buckets = Vec::new();
            self.buckets = vec![END; buckets];
            self.shift = 64 - buckets.trailing_zeros();
        }
        for at in 1..self.nodes.len() {
            let Node { var, low, high, .. } = self.nodes[at];
            if var != FREE {
                let bucket = self.bucket(var, low, high);
                self.nodes[at].next = std::mem::replace(&mut self.buckets[bucket], at as u32);
            }
        }
    }

    #[inline]
    fn bucket(&self, var: Var, low: Bdd, high: Bdd) -> usize {
        (hash(low.0, high.0, var) >> self.shift) as usize
    }
}

/// A hash whose upper bits are good.
#[inline]
pub(crate) fn hash(a: u32, b: u32, c: u32) -> u64 {
    let pair = u64::from(a) | u64::from(b) << 32;
    let mixed = pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(c);
    (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}
