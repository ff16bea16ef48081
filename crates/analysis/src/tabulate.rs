//! # Tables of a system
//! **Question.** Which rules does a system have that answers head by head, such as a program?
//! **Idea.** Close the set of heads thread by thread. A thread at a head (shared state q, top a)
//! moves to the heads that its actions lead to. While it stays at a, another thread may take q
//! to q': then it is at (q', a). A pop uncovers, as far as this closure knows, any symbol that
//! was ever pushed under another one, or the bottom.
//! **Claim.** Every head of a reachable state is found, so the tables behave as the system does
//! from each of its initial states. Heads that are not reachable may be found too; their rules
//! change nothing.
//! **Needs.** Finitely many heads. A limit ends the closure where that is not so.

use std::fmt;
use std::mem;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::{
    Action, Fault, Property, SharedId, State, SymbolId, System, Tables, TemplateId, Word,
};

mod build;
mod names;

/// A system written out as tables.
#[derive(Clone, Debug)]
pub struct Tabulated {
    /// The rules.
    pub tables: Tables,
    /// The shared states in which the system is wrong, as targets.
    pub targets: Vec<Property>,
}

/// Why a system cannot be given as tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TabulateError {
    /// There are more heads than this limit.
    TooLarge(usize),
    /// Tables have no way to say this.
    NotExpressible(String),
    /// The system cannot say what its actions are.
    System(Fault),
}

impl fmt::Display for TabulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TabulateError::TooLarge(limit) => write!(
                f,
                "more than {limit} pairs of a shared state and a top of a stack: too many for \
                 tables; use fewer threads or smaller ranges"
            ),
            TabulateError::NotExpressible(what) => {
                write!(f, "tables cannot express this: {what}")
            }
            TabulateError::System(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for TabulateError {}

impl From<Fault> for TabulateError {
    fn from(fault: Fault) -> Self {
        TabulateError::System(fault)
    }
}

/// The tables of a system, or why there are none. `limit` is the largest number of heads.
pub fn tabulate(system: &dyn System, limit: usize) -> Result<Tabulated, TabulateError> {
    let initial = system.initial()?;
    let mut several = templates_of_several_threads(&initial);
    loop {
        let known = several.len();
        let mut closure = Closure::new(system, limit, several);
        closure.run(&initial)?;
        several = mem::take(&mut closure.several);
        if several.len() == known {
            return build::build(system, &initial, &closure);
        }
        // A thread was started: its template has several threads, which disturb each other.
    }
}

fn templates_of_several_threads(initial: &[State]) -> FxHashSet<TemplateId> {
    let mut seen = FxHashSet::default();
    let threads = initial.first().map(|state| state.threads.as_slice()).unwrap_or_default();
    threads.iter().map(|t| t.template).filter(|&t| !seen.insert(t)).collect()
}

/// Where a thread of a template can be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Head {
    template: TemplateId,
    shared: SharedId,
    top: Option<SymbolId>,
}

struct Closure<'s> {
    system: &'s dyn System,
    limit: usize,
    /// The templates of which there is more than one thread.
    several: FxHashSet<TemplateId>,
    heads: FxHashMap<Head, Vec<Action>>,
    open: Vec<Head>,
    /// Shared states that were met, wrong ones included, in this order.
    shared: Vec<SharedId>,
    known_shared: FxHashSet<SharedId>,
    /// By shared state: who can be there, and which template takes it where.
    present: FxHashMap<SharedId, Vec<Head>>,
    moves: FxHashMap<SharedId, FxHashSet<(TemplateId, SharedId)>>,
    /// By template: what a pop may uncover, and in which shared states a pop leaves a thread.
    under: FxHashMap<TemplateId, FxHashSet<Option<SymbolId>>>,
    popped: FxHashMap<TemplateId, FxHashSet<SharedId>>,
}

impl<'s> Closure<'s> {
    fn new(system: &'s dyn System, limit: usize, several: FxHashSet<TemplateId>) -> Self {
        Closure {
            system,
            limit,
            several,
            heads: FxHashMap::default(),
            open: Vec::new(),
            shared: Vec::new(),
            known_shared: FxHashSet::default(),
            present: FxHashMap::default(),
            moves: FxHashMap::default(),
            under: FxHashMap::default(),
            popped: FxHashMap::default(),
        }
    }

    fn run(&mut self, initial: &[State]) -> Result<(), TabulateError> {
        for state in initial {
            for thread in &state.threads {
                self.visit(thread.template, state.shared, thread.stack.top())?;
                for symbol in thread.stack.iter().skip(1) {
                    self.uncover(thread.template, Some(symbol))?;
                }
                self.uncover(thread.template, None)?;
            }
            self.meet(state.shared);
        }
        while let Some(head) = self.open.pop() {
            let mut actions = Vec::new();
            self.system.actions(head.template, head.shared, head.top, &mut actions)?;
            for action in &actions {
                self.take(head, action)?;
            }
            self.heads.insert(head, actions);
        }
        Ok(())
    }

    /// Follows one action of a head.
    fn take(&mut self, from: Head, action: &Action) -> Result<(), TabulateError> {
        let Head { template, shared, .. } = from;
        self.meet(action.shared);
        if let Word::Push { under, .. } = action.word {
            self.uncover(template, Some(under))?;
        }
        match action.word.top() {
            Some(top) => self.visit(template, action.shared, Some(top))?,
            None if self.popped.entry(template).or_default().insert(action.shared) => {
                for symbol in self.under.get(&template).cloned().unwrap_or_default() {
                    self.visit(template, action.shared, symbol)?;
                }
            }
            None => {}
        }
        if let Some(spawn) = action.spawn {
            // Said at once, not after a million heads.
            build::spawned(self.system, template, spawn)?;
            self.several.insert(spawn.template);
            self.visit(spawn.template, action.shared, spawn.stack.top())?;
            for symbol in spawn.stack.symbols().skip(1) {
                self.uncover(spawn.template, Some(symbol))?;
            }
            self.uncover(spawn.template, None)?;
        }
        if self.moves.entry(shared).or_default().insert((template, action.shared)) {
            for bystander in self.present.get(&shared).cloned().unwrap_or_default() {
                if self.can_disturb(template, bystander.template) {
                    self.visit(bystander.template, action.shared, bystander.top)?;
                }
            }
        }
        Ok(())
    }

    fn meet(&mut self, shared: SharedId) {
        if self.known_shared.insert(shared) {
            self.shared.push(shared);
        }
    }

    /// A pop of the template may uncover this.
    fn uncover(
        &mut self,
        template: TemplateId,
        top: Option<SymbolId>,
    ) -> Result<(), TabulateError> {
        if self.under.entry(template).or_default().insert(top) {
            for shared in self.popped.get(&template).cloned().unwrap_or_default() {
                self.visit(template, shared, top)?;
            }
        }
        Ok(())
    }

    /// Whether a thread of one template may wait while one of `by` acts.
    fn can_disturb(&self, by: TemplateId, template: TemplateId) -> bool {
        by != template || self.several.contains(&by)
    }

    /// A thread can be at this head.
    fn visit(
        &mut self,
        template: TemplateId,
        shared: SharedId,
        top: Option<SymbolId>,
    ) -> Result<(), TabulateError> {
        // A wrong state has no actions.
        if self.system.wrong(shared).is_some() {
            return Ok(());
        }
        let mut waiting = vec![Head { template, shared, top }];
        while let Some(head) = waiting.pop() {
            if self.heads.contains_key(&head) {
                continue;
            }
            if self.heads.len() >= self.limit {
                return Err(TabulateError::TooLarge(self.limit));
            }
            self.heads.insert(head, Vec::new());
            self.open.push(head);
            self.present.entry(head.shared).or_default().push(head);
            let moves = self.moves.get(&head.shared).into_iter().flatten();
            let elsewhere = moves
                .filter(|&&(by, to)| {
                    self.can_disturb(by, template) && self.system.wrong(to).is_none()
                })
                .map(|&(_, shared)| Head { shared, ..head });
            waiting.extend(elsewhere);
        }
        Ok(())
    }
}
