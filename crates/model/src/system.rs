//! # Systems
//! A system answers three questions: where does it start, what can a thread do at a head, and
//! how is that written for people. Tables answer from a list; programs are lowered as they are
//! met ("on the fly"), so that nothing is enumerated up front.

use crate::{
    Action, Awaited, Choose, Deed, FairChoice, FairPlace, Fault, Origin, PlaceId, SharedId, Spawn,
    State, SymbolId, Tables, TemplateId, Values,
};

/// A thread of the initial state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadInfo {
    /// A name for people, unique among the threads of the system: `adder`, or `adder#2`.
    pub name: String,
    /// The template whose rules it follows.
    pub template: TemplateId,
}

/// How an action is shown: what was executed, statement by statement.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Explanation {
    /// The statements that the action executes: one, or several for an atomic block.
    pub steps: Vec<Step>,
}

/// One statement (or rule) within an [`Explanation`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The statement or rule, as text.
    pub text: String,
    /// The line of the source, counted from 1.
    pub line: Option<u32>,
}

/// A set of pushdown threads over one shared state.
///
/// Ids are given out as states and symbols are met and never change their meaning; the same
/// head always has the same actions. Two threads of one template and with equal stacks are
/// interchangeable.
pub trait System: Send + Sync {
    /// Describes the parts of the system for people.
    fn describe(&self) -> &dyn Describe;

    /// The names of things that are the same in every run.
    fn keys(&self) -> &dyn Keys;

    /// The threads of the initial states, in order.
    fn threads(&self) -> &[ThreadInfo];

    /// The initial states, never empty; all have the threads of [`System::threads`].
    fn initial(&self) -> Result<Vec<State>, Fault>;

    /// Threads of which any number is there from the start, beside those of [`System::threads`]:
    /// their templates and first stacks. [`System::initial`] has none of them; a run may begin with
    /// as many as it likes after the others (see [`is_initial`](crate::is_initial)).
    fn any_number(&self) -> Vec<Spawn> {
        Vec::new()
    }

    /// All rules of the system, where they are listed and not found as heads are met.
    fn as_tables(&self) -> Option<&Tables> {
        None
    }

    /// The system that this one was made of by leaving states out, if it was.
    fn before_reduction(&self) -> Option<&dyn System> {
        None
    }

    /// Somebody who says at which states threads may wait, if all schedules are asked about and nothing but whether something goes wrong or
    /// there is a deadlock: see [`Stubborn`](crate::Stubborn).
    fn chooser(&self) -> Option<Box<dyn Choose + '_>> {
        None
    }

    /// The numbers in the slots that all threads see, as the code of a program numbers slots; `None` for what is open or does not fit. Nothing where there
    /// are no slots.
    fn shared_numbers(&self, _shared: SharedId) -> Vec<Option<i64>> {
        Vec::new()
    }

    /// The numbers in the slots of a frame, as the code of its procedure numbers slots: see [`System::shared_numbers`].
    fn frame_numbers(&self, _symbol: SymbolId) -> Vec<Option<i64>> {
        Vec::new()
    }

    /// Adds to `out` what a thread of `template` can do at the head (`shared`, `top`).
    /// `top` is `None` for the empty stack.
    fn actions(
        &self,
        template: TemplateId,
        shared: SharedId,
        top: Option<SymbolId>,
        out: &mut Vec<Action>,
    ) -> Result<(), Fault>;

    /// Whether some action may start a thread.
    ///
    /// For engines with a bound on contexts such a system comes in a form in which each start has a
    /// second action that drops the new thread: k contexts need at most k threads, and a thread
    /// that never runs does nothing [Qadeer and Rehof, Sec. 4].
    fn starts_threads(&self) -> bool {
        false
    }

    /// Whether a stack may grow without end. Where it cannot, the answer should be no.
    fn is_recursive(&self) -> bool {
        true
    }

    /// Whether it is a system in that form. Then a state in which nothing moves may be one in which
    /// a thread is missing that would move.
    fn drops_threads(&self) -> bool {
        false
    }

    /// Whether a started thread is forgotten once its stack is empty: it never acts again, whatever
    /// happens, and no property can ask for it. A state with it and one without it are then one
    /// state for whoever explores, and for certificates: see [`is_forgotten`](crate::is_forgotten).
    fn forgets_ended(&self) -> bool {
        false
    }

    /// Whether a thread is in the midst of what is one step of the text: a result is on its way to the
    /// caller, and nobody else can act until it is there. That is no moment at which they have to wait.
    fn is_between(&self, _shared: SharedId) -> bool {
        false
    }

    /// Why this shared state is wrong (a failed assertion, …), if it is. A wrong state has no
    /// actions.
    fn wrong(&self, shared: SharedId) -> Option<String>;

    /// The place in the text at which a frame stands; `None` for systems without a text of that
    /// kind.
    fn place_of(&self, _symbol: SymbolId) -> Option<PlaceId> {
        None
    }

    /// The fair choices that an action makes and how they come out, in rising order, each once. An
    /// action of several statements may make one several times, and it may come out both ways.
    /// Actions with the same effect and different fair choices are different actions.
    fn fair_choices(&self, _origin: Origin) -> Vec<FairChoice> {
        Vec::new()
    }
}

/// How an action accesses data, where the compiled text does the same at one point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Accesses what threads share, or waits for another thread.
    Shared,
    /// Reads what threads share, and no more.
    Reads,
    /// Starts a thread.
    Starts,
    /// Accesses a variable on the stack of a thread that has an address, and no more.
    Stack {
        /// Whether it only reads it.
        reads: bool,
        /// The number of bytes that it accesses.
        bytes: u32,
    },
}

/// What a run does that goes wrong, if nothing in particular was asked about.
pub const GOES_WRONG: &str = "fails an assertion or goes wrong in another way";

/// A system for people: names, values, lines of the source.
pub trait Describe {
    /// The name of a template, for threads that are started later.
    fn template_name(&self, template: TemplateId) -> String;

    /// The shared state, for people.
    fn show_shared(&self, shared: SharedId) -> String;

    /// The stack symbol, for people.
    fn show_symbol(&self, symbol: SymbolId) -> String;

    /// The values in a shared state, by name.
    fn shared_values(&self, shared: SharedId) -> Values;

    /// The variable that each slot belongs to which all threads see, by number; nothing where there are no slots.
    fn slots(&self) -> Vec<String> {
        Vec::new()
    }

    /// The values in a frame, by name.
    fn symbol_values(&self, symbol: SymbolId) -> Values;

    /// The line of the source at which a frame stands.
    fn symbol_line(&self, symbol: SymbolId) -> Option<u32>;

    /// What a thread with this frame on top does next or waits for, as it stands in the source;
    /// `None` where there is nothing to be said.
    fn statement(&self, _symbol: SymbolId) -> Option<String> {
        None
    }

    /// The line of the source at which a fair choice is made.
    fn fair_place_line(&self, _place: FairPlace) -> Option<u32> {
        None
    }

    /// Completes "a run that …": what it does if it goes wrong, by what was asked about.
    fn goes_wrong(&self) -> &'static str {
        GOES_WRONG
    }

    /// Whether a statement of the source is several steps: those that follow each other are told together.
    fn tells_statements(&self) -> bool {
        false
    }

    /// The access to shared data that an action makes, in terms of the text; for tools that run the text itself.
    fn access(&self, _origin: Origin) -> Option<Access> {
        None
    }

    /// What an action executes, for people.
    fn explain(&self, origin: Origin) -> Explanation;

    /// What the statements of an action did from a head, one for each that [`Describe::explain`] tells; nothing where that is not
    /// known.
    fn deeds(&self, _shared: SharedId, _top: SymbolId, _action: &Action) -> Vec<Deed> {
        Vec::new()
    }

    /// The shared variables that are locks, or arrays of them.
    fn locks(&self) -> Vec<String> {
        Vec::new()
    }

    /// What a thread with this frame on top, which cannot act, waits for.
    fn awaited(&self, _shared: SharedId, _top: SymbolId) -> Vec<Awaited> {
        Vec::new()
    }

    /// Whether a thread with these frames, the top first, may still change a counter such that a thread with that frame on top,
    /// which waits for it ([`Awaited::counter`]), can act. If not, it never does.
    fn may_end_wait(&self, _shared: SharedId, _top: SymbolId, _others: &[SymbolId]) -> bool {
        true
    }

    /// The number by which others know the thread that has this symbol at the bottom of its stack.
    fn thread_number(&self, _bottom: SymbolId) -> Option<u32> {
        None
    }
}

/// Names for the parts of a system that are the same in every run; ids depend on the order in which things are met.
pub trait Keys: Describe {
    /// What another run on the same input calls this shared state. Ids depend on the order in which
    /// things are met; keys do not. Different shared states have different keys.
    fn shared_key(&self, shared: SharedId) -> String;

    /// The shared state of a key, or `None` for text that is no key.
    fn find_shared_key(&self, key: &str) -> Option<SharedId>;

    /// The key of a stack symbol; see [`Keys::shared_key`].
    fn symbol_key(&self, symbol: SymbolId) -> String;

    /// The stack symbol of a key, or `None` for text that is no key.
    fn find_symbol_key(&self, key: &str) -> Option<SymbolId>;

    /// The key of a template; see [`Keys::shared_key`].
    fn template_key(&self, template: TemplateId) -> String {
        format!("{}:{}", template.0, self.template_name(template))
    }

    /// The template of a key, or `None` for text that is no key.
    fn find_template_key(&self, key: &str) -> Option<TemplateId>;
}

/// Writes the methods of a [`System`] around another one (its field `system`) that say what that one says: all but those that are about
/// threads and steps; `with its threads`, all but those that are about steps.
#[macro_export]
macro_rules! delegate_to_system {
    () => {
        fn describe(&self) -> &dyn $crate::Describe {
            self.system.describe()
        }

        fn keys(&self) -> &dyn $crate::Keys {
            self.system.keys()
        }

        fn is_recursive(&self) -> bool {
            self.system.is_recursive()
        }

        fn starts_threads(&self) -> bool {
            self.system.starts_threads()
        }

        fn drops_threads(&self) -> bool {
            self.system.drops_threads()
        }

        fn is_between(&self, shared: $crate::SharedId) -> bool {
            self.system.is_between(shared)
        }

        fn wrong(&self, shared: $crate::SharedId) -> Option<String> {
            self.system.wrong(shared)
        }

        fn place_of(&self, symbol: $crate::SymbolId) -> Option<$crate::PlaceId> {
            self.system.place_of(symbol)
        }

        fn fair_choices(&self, origin: $crate::Origin) -> Vec<$crate::FairChoice> {
            self.system.fair_choices(origin)
        }

        fn shared_numbers(&self, shared: $crate::SharedId) -> Vec<Option<i64>> {
            self.system.shared_numbers(shared)
        }

        fn frame_numbers(&self, symbol: $crate::SymbolId) -> Vec<Option<i64>> {
            self.system.frame_numbers(symbol)
        }
    };
    (with its threads) => {
        $crate::delegate_to_system!();

        fn threads(&self) -> &[$crate::ThreadInfo] {
            self.system.threads()
        }

        fn initial(&self) -> Result<Vec<$crate::State>, $crate::Fault> {
            self.system.initial()
        }

        fn any_number(&self) -> Vec<$crate::Spawn> {
            self.system.any_number()
        }

        fn as_tables(&self) -> Option<&$crate::Tables> {
            self.system.as_tables()
        }

        fn forgets_ended(&self) -> bool {
            self.system.forgets_ended()
        }
    };
}
