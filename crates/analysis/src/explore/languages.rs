//! # Sets of stacks
//!
//! **Question.** One context of a recursive thread may reach infinitely many stacks. How can all
//! of them be explored at once?
//!
//! **Idea.** A thread is a regular set of stacks, in canonical form. A whole context is post*: it
//! splits into one set for each shared state in which the context can end.
//!
//! **Claim** [Qadeer, Rehof 2004, Thm. 3]. Aggregate configurations explored this way cover exactly
//! what is reachable within the bound.
//!
//! Threads that are started within a context are part of where it ends: the shared state of the
//! saturation is a shared state of the system with the list of threads started so far.

use selvedge_automata::{Control, Dfa, LanguageId, Languages as Store, Psa, post_star};
use selvedge_evidence::Evidence;
use selvedge_model::{
    Action, Fault, SharedId, Spawn, Stack, StackPattern, SymbolId, System, of_runs,
};
use selvedge_store::{Full, Interner};

use super::{Classes, Locals, Move, Reached};
use crate::{Pace, Resource, Stop, certify};

/// All stack languages that were met. Locals are their ids.
#[derive(Clone, Debug, Default)]
pub struct Languages {
    store: Store,
    contexts: usize,
    /// How many threads one context may start; more are not followed.
    most_started: Option<usize>,
    left_out: bool,
}

/// Without a limit, a context that starts more threads than this is not followed to its end.
const MANY_THREADS: usize = 256;

impl Languages {
    /// Contexts in which at most this many threads are started. Right only for systems in which
    /// a thread may also be dropped when it is started.
    #[must_use]
    pub fn starting_at_most(most: usize) -> Self {
        Languages { most_started: Some(most), ..Languages::default() }
    }

    /// The languages.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// How often post* was computed.
    #[must_use]
    pub fn contexts(&self) -> usize {
        self.contexts
    }
}

/// What a rule of post* counts for, in moves of an explorer of single states: it takes about as long.
const RULES: usize = 32;

/// What making a language minimal counts for, beside its size.
const LANGUAGE: usize = 256;

impl Locals for Languages {
    const WHOLE_CONTEXTS: bool = true;

    fn engine(resource: Resource) -> &'static str {
        match resource {
            Resource::Contexts | Resource::ContextsOf { .. } => "contexts-symbolic",
            // Contexts are whole in sets of stacks, so that single steps are not counted there.
            Resource::Rounds | Resource::RoundRobin { .. } => "rounds-symbolic",
            Resource::Threads => "threads-symbolic",
        }
    }

    fn of_stack(&mut self, _class: u32, stack: &Stack) -> Result<u32, Full> {
        Ok(self.store.word(stack.iter())?.0)
    }

    fn moves(
        &mut self,
        system: &dyn System,
        classes: &mut Classes,
        (class, shared, local): (u32, SharedId, u32),
        pace: &mut Pace<'_>,
        out: &mut Vec<Move>,
    ) -> Result<(), Stop> {
        self.contexts += 1;
        let template = classes.template(class);
        // The ends of contexts are control states.
        let mut ends: Interner<End> = Interner::of("ends of a context");
        let first = Control(ends.intern(End { shared, spawns: Vec::new() })?);
        let start = Psa::of_language(first, self.store.get(LanguageId(local)));
        let mut actions: Vec<Action> = Vec::new();
        let saturated = post_star(start, |control, top, found| {
            let end = ends.get(control.0).clone();
            actions.clear();
            of_runs(|| system.actions(template, end.shared, top, &mut actions))?;
            for action in &actions {
                let mut spawns = end.spawns.clone();
                spawns.extend(action.spawn);
                if self.most_started.is_some_and(|most| spawns.len() > most) {
                    self.left_out = true;
                    continue;
                }
                if spawns.len() > MANY_THREADS {
                    return Err(Stop::Fault(Fault::new(
                        "one context starts more and more threads",
                    )));
                }
                spawns.sort_unstable();
                let end = ends.intern(End { shared: action.shared, spawns })?;
                found.push((Control(end), action.word));
            }
            pace.spend(RULES * (1 + actions.len()))
        })?;
        for (control, language) in saturated.languages(&mut self.store)? {
            pace.spend(LANGUAGE + RULES * self.store.get(language).state_count())?;
            let end = ends.get(control.0);
            let mut spawns = Vec::with_capacity(end.spawns.len());
            for spawn in &end.spawns {
                spawns.push((spawn.template, self.store.word(spawn.stack.symbols())?.0));
            }
            out.push(Move { shared: end.shared, local: language.0, spawns });
        }
        Ok(())
    }

    fn tops(&self, local: u32) -> Vec<Option<SymbolId>> {
        self.store.get(LanguageId(local)).tops()
    }

    fn may_be(&self, _class: u32, local: u32, pattern: &StackPattern) -> bool {
        match pattern {
            StackPattern::Top(top) => self.tops(local).into_iter().any(|found| top.matches(found)),
            StackPattern::Whole(stack) => {
                self.store.get(LanguageId(local)).contains(stack.iter().copied())
            }
        }
    }

    fn stacks(&self, local: u32) -> Dfa {
        self.store.get(LanguageId(local)).clone()
    }

    fn is_finite(&self, local: u32) -> bool {
        self.store.get(LanguageId(local)).is_finite()
    }

    fn has_left_out(&self) -> bool {
        self.left_out
    }

    fn count(&self) -> usize {
        self.store.len()
    }

    fn certify(reached: &Reached<'_, Self>) -> Evidence {
        certify::of_languages(reached)
    }
}

/// Where a context can end.
#[derive(Clone, PartialEq, Eq, Hash)]
struct End {
    shared: SharedId,
    /// The threads that were started on the way, sorted.
    spawns: Vec<Spawn>,
}
