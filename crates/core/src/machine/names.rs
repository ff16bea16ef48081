//! # Names of threads
//!
//! **Question.** A program that starts a thread and joins it, again and again, has few threads at a
//! time. If each gets a name of its own, no two states are alike, and there is no end. Which names
//! can be given again?
//!
//! **Idea.** A name matters as long as somebody can look at it: a variable holds it, a lock remembers
//! it as its owner, or the thread that bears it has not ended. The first two are counted. Every step
//! knows what it takes from the top of a stack and what it puts there, so it can keep count of the
//! names on all stacks (`held`); shared variables can be looked through. A new thread gets the
//! smallest name that does not matter, and a thread that has ended is forgotten with its name.
//! Variables that are never read again hold nothing.
//!
//! **Claim** [Qadeer, Rehof 2005, Sec. 4]. Names are only copied, compared and joined, so renaming
//! the threads of a run gives a run. In a run with names that are never given twice, let f map each
//! name that matters in a state to the name that it has here. f is injective: a name is given only
//! when nobody has it. So comparisons and joins come out the same, step by step, in both directions.
//!
//! A thread that was dropped never acts, but its name can be seen: where names are compared with each
//! other it gets one like all threads do, and nothing ever ends under that name. Where they are only
//! joined or compared with `none`, all that were dropped share [`DROPPED`]: nobody can tell.
//!
//! **Needs.** More than [`MANY`] variables on stacks that hold one name are not counted: it is then
//! never given again. So recursion that passes a name on has finitely many shared states.

use super::{Frame, Machine, Shared, Started};
use crate::{Memory, Value};

/// The name of a thread that was dropped when it was started, where nobody can tell it from that of
/// another one. It never ends.
pub const DROPPED: Value = Value::Small(-1);

/// Counts of variables end here: this many, or more.
const MANY: u32 = 8;

/// Which names a program looks at, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names {
    /// Whether some thread is joined, so that the ends of threads are remembered.
    pub joins: bool,
    /// Whether names are compared with other names than `none`.
    pub compares: bool,
    /// Whether started threads are remembered as owners of locks.
    pub owners: bool,
}

impl Names {
    /// Whether names are told apart at all.
    #[must_use]
    pub fn matter(self) -> bool {
        self.joins || self.compares || self.owners
    }

    /// Whether a thread has its name at the bottom of its stack: something happens when it ends.
    #[must_use]
    pub fn end(self) -> bool {
        self.joins || self.owners
    }
}

/// The name in a slot, if there is one.
fn name(value: &Value) -> Option<u32> {
    value.small().and_then(|n| u32::try_from(n).ok()).filter(|&n| n > 0)
}

impl Machine {
    /// The names that the variables of a frame hold.
    fn names_in<'f>(&'f self, frame: &'f Frame) -> impl Iterator<Item = u32> + 'f {
        let proc = self.code.location(frame.loc).proc.index();
        let layout = &self.frames[proc];
        let slots = self.thread_slots[proc].iter();
        slots.filter_map(move |&slot| name(&frame.memory.get(layout, slot)))
    }

    /// Whether a shared variable holds a name, or a lock remembers it.
    fn is_shared_name(&self, globals: &Memory, id: u32) -> bool {
        let holds = |slot: &usize, id| name(&globals.get(&self.shared, *slot)) == Some(id);
        let owner = self.owner_of(id);
        self.shared_threads.iter().any(|slot| holds(slot, id))
            || (self.names.owners
                && owner.is_some_and(|owner| self.locks.iter().any(|slot| holds(slot, owner))))
    }

    /// A started thread as the owner of locks: the threads of the beginning come first.
    pub(super) fn owner_of(&self, id: u32) -> Option<u32> {
        self.first_threads.checked_add(id)
    }

    /// The smallest name that does not matter.
    pub(super) fn free_name(&self, shared: &Shared, globals: &Memory) -> u32 {
        if !self.names.matter() {
            return 1;
        }
        let is_free = |&id: &u32| {
            shared.held(id) == 0 && !shared.has_ended(id) && !self.is_shared_name(globals, id)
        };
        (1..u32::MAX).find(is_free).unwrap_or(u32::MAX)
    }

    /// Counts the names on stacks after a step: what it takes from a stack, and what it puts on one. A
    /// thread whose name nobody has got needs none.
    pub(super) fn recount(
        &self,
        shared: &mut Shared,
        taken: &Frame,
        put: [Option<&Frame>; 2],
        started: Option<&mut Started>,
    ) {
        if !self.names.matter() {
            return;
        }
        let mut held = shared.held.to_vec();
        let mut put: Vec<&Frame> = put.into_iter().flatten().collect();
        put.extend(started.as_deref().map(|started| &started.frame));
        put.iter().for_each(|frame| self.names_in(frame).for_each(|id| take(&mut held, id)));
        self.names_in(taken).for_each(|id| let_go(&mut held, id));
        shared.held = held.into();
        if let Some(Started { id, .. }) = started.filter(|started| started.id > 0) {
            let seen = shared.held(*id) > 0 || self.is_shared_name(&shared.memory, *id);
            if !self.names.end() || !(seen || self.names.owners) {
                *id = 0;
            } else {
                let mut held = std::mem::take(&mut shared.held).into_vec();
                take(&mut held, *id);
                shared.held = held.into();
            }
        }
        self.forget(shared);
    }

    /// The bottom of the stack of a started thread is taken: it has ended.
    pub(super) fn end(&self, shared: &mut Shared, id: u32) {
        let mut held = shared.held.to_vec();
        let_go(&mut held, id);
        shared.held = held.into();
        if self.names.joins {
            let mut ended = std::mem::take(&mut shared.ended).into_vec();
            if let Err(at) = ended.binary_search(&id) {
                ended.insert(at, id);
            }
            shared.ended = ended.into();
        }
        self.forget(shared);
    }

    /// Forgets threads that have ended and whose names nobody holds. Results that are on their way
    /// may hold them; what they are is not known here.
    fn forget(&self, shared: &mut Shared) {
        let on_their_way = |id| shared.returned.iter().flatten().any(|v| name(v) == Some(id));
        let matters = |id: &&u32| {
            shared.held(**id) > 0 || self.is_shared_name(&shared.memory, **id) || on_their_way(**id)
        };
        if !shared.ended.iter().all(|id| matters(&id)) {
            shared.ended = shared.ended.iter().filter(matters).copied().collect();
        }
    }
}

/// One variable more holds a name.
fn take(held: &mut Vec<(u32, u32)>, id: u32) {
    match held.binary_search_by_key(&id, |&(id, _)| id) {
        Ok(at) => held[at].1 = held[at].1.saturating_add(1).min(MANY),
        Err(at) => held.insert(at, (id, 1)),
    }
}

/// One variable less holds a name.
fn let_go(held: &mut Vec<(u32, u32)>, id: u32) {
    if let Ok(at) = held.binary_search_by_key(&id, |&(id, _)| id) {
        match held[at].1 {
            MANY => {}
            0 | 1 => {
                held.remove(at);
            }
            count => held[at].1 = count - 1,
        }
    }
}
