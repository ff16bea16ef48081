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

use selvedge_automata::{
    Control, Dfa, LanguageId, Languages as Store, PdsRule, PdsRun, Psa, post_star, shortest_run,
};
use selvedge_evidence::Evidence;
use selvedge_model::{
    Action, Fault, SharedId, Spawn, Stack, StackPattern, SymbolId, System, TemplateId, of_runs,
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

    /// The stack languages that were met.
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

impl Languages {
    /// Everything that a thread (its template, the shared state, its stacks) can do in one context, with where contexts can end, the beginning
    /// first; tells of every rule that there is on the way, with its action.
    fn context(
        &mut self,
        system: &dyn System,
        (template, shared, local): (TemplateId, SharedId, u32),
        pace: &mut Pace<'_>,
        mut tell: impl FnMut(PdsRule, Action),
    ) -> Result<(Psa, Interner<End>), Stop> {
        self.contexts += 1;
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
                let to = Control(ends.intern(End { shared: action.shared, spawns })?);
                found.push((to, action.word));
                tell(PdsRule { from: control, top, to, word: action.word }, *action);
            }
            pace.spend(RULES * (1 + actions.len()))
        })?;
        Ok((saturated, ends))
    }

    /// The templates and locals of the threads that were started on the way to an end.
    fn started(&mut self, end: &End) -> Result<Vec<(TemplateId, u32)>, Full> {
        let stack = |spawn: &Spawn| Ok((spawn.template, self.store.word(spawn.stack.symbols())?.0));
        end.spawns.iter().map(stack).collect()
    }
}

/// The work that a rule of post* counts as, in moves of an explorer of single states.
const RULES: usize = 32;

/// The work that making a language minimal counts as, besides its size.
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
        let thread = (classes.template(class), shared, local);
        let (saturated, ends) = self.context(system, thread, pace, |_, _| {})?;
        for (control, language) in saturated.languages(&mut self.store)? {
            pace.spend(LANGUAGE + RULES * self.store.get(language).state_count())?;
            let end = ends.get(control.0);
            let spawns = self.started(end)?;
            out.push(Move { shared: end.shared, local: language.0, spawns });
        }
        Ok(())
    }

    fn run(
        &mut self,
        system: &dyn System,
        classes: &Classes,
        (class, shared, local): (u32, SharedId, u32),
        to: &Move,
        stack: &Stack,
        pace: &mut Pace<'_>,
    ) -> Result<Option<(Stack, Vec<Action>)>, Stop> {
        let (mut rules, mut actions) = (Vec::new(), Vec::new());
        let thread = (classes.template(class), shared, local);
        let (_, ends) = self.context(system, thread, pace, |rule, action| {
            rules.push(rule);
            actions.push(action);
        })?;
        let goal: Vec<SymbolId> = stack.iter().collect();
        // The control state where it begins was met first.
        let from = (Control(0), self.store.get(LanguageId(local)).clone());
        for (number, end) in ends.iter() {
            if end.shared != to.shared || self.started(end)? != to.spawns {
                continue;
            }
            let to = (Control(number), &goal[..]);
            let run = shortest_run((from.0, &from.1), &rules, to, |work| pace.spend(RULES * work))?;
            if let Some(PdsRun { stack, rules }) = run {
                let actions = rules.into_iter().map(|rule| actions[rule]).collect();
                return Ok(Some((Stack::top_first(stack), actions)));
            }
        }
        Ok(None)
    }

    fn stack_like(&self, local: u32, pattern: &StackPattern) -> Option<Stack> {
        let stacks = self.store.get(LanguageId(local));
        let found = match pattern {
            StackPattern::Whole(stack) => {
                stacks.contains(stack.iter().copied()).then(|| stack.to_vec())
            }
            StackPattern::Top(top) => stacks.shortest(|first| top.matches(first)),
        };
        found.map(Stack::top_first)
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
