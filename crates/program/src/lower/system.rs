//! The lowered program as a [`System`].

use std::cell::{Cell, RefCell};
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use selvedge_model::{
    Access, Action, Awaited, Deed, Describe, Explanation, FairChoice, FairPlace, Fault, Keys,
    Origin, PlaceId, SharedId, Spawn, Stack, State, SymbolId, System, TemplateId, Thread,
    ThreadInfo, Values, Word, calls_itself, is_of_runs,
};

use selvedge_core::machine::{Frame, Move, Next, Outcome, Room, Shared, Start, Started, Way};
use selvedge_core::{Control, Memory, Site};
use selvedge_store::hash;

use super::Lowering;
use super::intern::{Executed, Stored, Symbol, WayStep};
use crate::ProcId;
use crate::flow::{EdgeId, place};

thread_local! {
    /// Where words are written to be looked up.
    static WORDS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Buffers for finding actions, reused to avoid allocation.
struct Scratch {
    shared: Shared,
    top: Symbol,
    room: Room,
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch {
            shared: Shared::new(Memory::default()),
            top: Symbol::Bottom { id: 0, results: false },
            room: Room::default(),
        }
    }
}

/// Lends an empty list of words.
fn written<R>(use_them: impl FnOnce(&mut Vec<u64>) -> R) -> R {
    WORDS.with_borrow_mut(|words| {
        words.clear();
        use_them(words)
    })
}

impl System for Lowering {
    fn describe(&self) -> &dyn Describe {
        self
    }

    fn keys(&self) -> &dyn Keys {
        self
    }

    fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    fn initial(&self) -> Result<Vec<State>, Fault> {
        let globals = self.machine.first_memory();
        let starts = match self.machine.chooses_at_once {
            true => {
                let starts = self.machine.all_starts(&globals, &self.entries);
                starts.map_err(|fault| self.fault(fault))?
            }
            false => vec![(globals, self.entries.clone())],
        };
        starts.into_iter().map(|start| self.start(start)).collect()
    }

    fn any_number(&self) -> Vec<Spawn> {
        let first = |(template, frame): &(TemplateId, Frame)| {
            let stack = self.first_stack(frame.clone(), 0).ok()?;
            Some(Spawn { template: *template, stack })
        };
        self.any_number.iter().filter_map(first).collect()
    }

    fn actions(
        &self,
        _template: TemplateId,
        shared: SharedId,
        top: Option<SymbolId>,
        out: &mut Vec<Action>,
    ) -> Result<(), Fault> {
        let Some(top) = top else { return Ok(()) };
        let mut scratch = SCRATCH.take().unwrap_or_default();
        let Scratch { shared: before, top: symbol, .. } = &mut *scratch;
        let states = self.states.read();
        before.become_again(&self.machine.shared, states.shared(shared));
        symbol.become_again(&self.machine, states.symbol(top));
        drop(states);
        let done = self.actions_in(shared, &mut scratch, out);
        SCRATCH.set(Some(scratch));
        done
    }

    fn is_recursive(&self) -> bool {
        let code = self.code();
        let calls = code.edges.iter().filter_map(|edge| match edge.control {
            Control::Call(to) => Some((code.location(edge.from).proc.index(), to.index())),
            _ => None,
        });
        calls_itself(code.procs.len(), &[], &calls.collect::<Vec<_>>())
    }

    fn starts_threads(&self) -> bool {
        self.starts
    }

    fn drops_threads(&self) -> bool {
        self.machine.drops_threads
    }

    fn forgets_ended(&self) -> bool {
        self.starts
    }

    fn is_between(&self, shared: SharedId) -> bool {
        !self.is_plain(shared) && self.shared_state(shared).returned.is_some()
    }

    fn wrong(&self, shared: SharedId) -> Option<String> {
        if self.is_plain(shared) { None } else { self.show_wrong(&self.shared_state(shared)) }
    }

    fn place_of(&self, symbol: SymbolId) -> Option<PlaceId> {
        Symbol::location(self.states.read().symbol(symbol)).map(place)
    }

    fn fair_choices(&self, origin: Origin) -> Vec<FairChoice> {
        self.executed(origin).fair
    }

    fn shared_numbers(&self, shared: SharedId) -> Vec<Option<i64>> {
        let memory = self.shared_state(shared).memory;
        memory.values(&self.machine.shared).map(|value| value.small()).collect()
    }

    fn frame_numbers(&self, symbol: SymbolId) -> Vec<Option<i64>> {
        let Some(frame) = self.frame(symbol) else { return Vec::new() };
        let layout = self.machine.layout_at(frame.loc);
        let numbers = |layout| frame.memory.values(layout).map(|value| value.small()).collect();
        layout.map_or_else(Vec::new, numbers)
    }
}

impl Describe for Lowering {
    fn template_name(&self, template: TemplateId) -> String {
        self.program.template_names().nth(template.index()).unwrap_or_default().to_owned()
    }

    fn show_shared(&self, shared: SharedId) -> String {
        self.shared_values(shared).to_string()
    }

    fn show_symbol(&self, symbol: SymbolId) -> String {
        self.show_frame(&self.symbol(symbol))
    }

    fn shared_values(&self, shared: SharedId) -> Values {
        self.named_shared(&self.shared_state(shared))
    }

    fn slots(&self) -> Vec<String> {
        let globals = self.program.globals.iter();
        globals.flat_map(|of| std::iter::repeat_n(of.name.clone(), of.ty.slots())).collect()
    }

    fn symbol_values(&self, symbol: SymbolId) -> Values {
        self.named_locals(&self.symbol(symbol))
    }

    fn symbol_line(&self, symbol: SymbolId) -> Option<u32> {
        match self.symbol(symbol) {
            Symbol::Frame(frame) => self.line(self.flow.location(frame.loc).span),
            Symbol::Bottom { .. } => None,
        }
    }

    fn statement(&self, symbol: SymbolId) -> Option<String> {
        match self.symbol(symbol) {
            Symbol::Frame(frame) => self.statement_at(frame.loc),
            Symbol::Bottom { .. } => None,
        }
    }

    fn fair_place_line(&self, place: FairPlace) -> Option<u32> {
        Some(self.source.line(place.0))
    }

    fn access(&self, origin: Origin) -> Option<Access> {
        let telling = self.program.telling.as_ref()?;
        self.told_access(telling, &self.executed(origin).path)
    }

    fn goes_wrong(&self) -> &'static str {
        self.program.goes_wrong()
    }

    fn tells_statements(&self) -> bool {
        self.program.telling.is_some()
    }

    fn explain(&self, origin: Origin) -> Explanation {
        self.explain_path(&self.executed(origin).path)
    }

    fn deeds(&self, shared: SharedId, top: SymbolId, action: &Action) -> Vec<Deed> {
        self.deeds_of(shared, top, action)
    }

    fn locks(&self) -> Vec<String> {
        self.lock_names()
    }

    fn awaited(&self, shared: SharedId, top: SymbolId) -> Vec<Awaited> {
        self.awaited_at(shared, top)
    }

    fn may_end_wait(&self, shared: SharedId, top: SymbolId, others: &[SymbolId]) -> bool {
        self.may_end_wait_of(shared, top, others)
    }

    fn thread_number(&self, bottom: SymbolId) -> Option<u32> {
        self.number_at(bottom)
    }
}

impl Keys for Lowering {
    fn shared_key(&self, shared: SharedId) -> String {
        self.write_shared(&self.shared_state(shared))
    }

    fn find_shared_key(&self, key: &str) -> Option<SharedId> {
        self.read_shared(key).and_then(|shared| self.shared_id(&shared).ok())
    }

    fn symbol_key(&self, symbol: SymbolId) -> String {
        self.write_symbol(&self.symbol(symbol))
    }

    fn find_symbol_key(&self, key: &str) -> Option<SymbolId> {
        self.read_symbol(key).and_then(|symbol| self.symbol_id(&symbol).ok())
    }

    fn find_template_key(&self, key: &str) -> Option<TemplateId> {
        let mut all = (0..self.program.template_names().count()).map(TemplateId::from);
        all.find(|&template| self.template_key(template) == key)
    }
}

impl Lowering {
    /// Whether a shared state has values of variables and nothing else: nothing went wrong, and no result is on its way.
    fn is_plain(&self, shared: SharedId) -> bool {
        self.machine.shared.is_plain(self.states.read().shared(shared))
    }

    fn shared_id(&self, shared: &Shared) -> Result<SharedId, Fault> {
        written(|words| {
            shared.write(words);
            self.states.write().number_shared(words)
        })
    }

    /// The initial state with these values of the shared variables and these first frames.
    fn start(&self, (globals, entries): Start) -> Result<State, Fault> {
        let threads = self.threads.iter().zip(entries).map(|(info, entry)| {
            let mut stack = Stack::default();
            stack.replace_top(self.first_stack(entry, 0)?);
            Ok(Thread { template: info.template, stack })
        });
        let threads = threads.collect::<Result<_, Fault>>()?;
        Ok(State { threads, shared: self.shared_id(&Shared::new(globals))? })
    }

    fn symbol_id(&self, symbol: &Symbol) -> Result<SymbolId, Fault> {
        written(|words| {
            symbol.write(words);
            self.states.write().number_symbol(words)
        })
    }

    /// The numbers of what comes of a step: of the shared state, unless it is as it was before, and of the frames that take the place of the top one.
    fn numbers(
        &self,
        outcome: &Outcome,
        unchanged: Option<SharedId>,
    ) -> Result<(SharedId, Word), Fault> {
        written(|words| {
            let known = unchanged.ok_or_else(|| {
                outcome.shared.write(words);
                hash::of(&words[..])
            });
            let end = words.len();
            let mut states = self.states.write();
            // While that is fetched from memory, frames are looked for: those are few.
            if let Err(hash) = known {
                states.touch_shared(hash);
            }
            let mut frame_id = |frame: &Frame, words: &mut Vec<u64>| {
                words.truncate(end);
                frame.write(words);
                states.number_symbol(&words[end..])
            };
            let word = match &outcome.next {
                Next::Goto(frame) => Word::Rewrite(frame_id(frame, words)?),
                Next::Call(call) => Word::Push {
                    top: frame_id(&call.callee, words)?,
                    under: frame_id(&call.caller, words)?,
                },
                Next::Return => Word::Pop,
            };
            let number = |hash| states.number_hashed(hash, &words[..end]);
            Ok((known.or_else(number)?, word))
        })
    }

    /// The stack of a new thread: its first frame, on a bottom where its end matters.
    fn first_stack(&self, frame: Frame, id: u32) -> Result<Word, Fault> {
        let proc = self.machine.code.location(frame.loc).proc;
        let results = !self.machine.code.proc(proc).results.is_empty();
        let top = self.symbol_id(&Symbol::Frame(frame))?;
        let id = if self.machine.names.end() { id } else { 0 };
        Ok(match results || id > 0 {
            true => Word::Push { top, under: self.symbol_id(&Symbol::Bottom { id, results })? },
            false => Word::Rewrite(top),
        })
    }

    fn end_of_thread(&self, shared: &Shared, id: u32) -> Result<Action, Fault> {
        Ok(Action {
            shared: self.shared_id(&self.machine.after_end(shared, id))?,
            word: Word::Pop,
            spawn: None,
            origin: self.origin(Stored::default())?,
        })
    }

    /// The number of where an action comes from, if it is more than a single edge.
    fn origin(&self, stored: Stored) -> Result<Origin, Fault> {
        let edges = self.machine.code.edges.len() as u32;
        Ok(Origin(edges.saturating_add(self.origins.number(&stored)?)))
    }

    /// Where an action comes from.
    pub(super) fn executed(&self, origin: Origin) -> Executed {
        let edges = self.machine.code.edges.len() as u32;
        let Some(number) = origin.0.checked_sub(edges) else {
            return Executed { path: vec![EdgeId(origin.0)], fair: Vec::new() };
        };
        let Stored { mut last, fair } = self.origins.look(number, Stored::clone);
        let mut path = Vec::new();
        while let Some(step) = last.map(|step| self.steps.look(step, WayStep::clone)) {
            path.push(step.edge);
            last = step.before;
        }
        path.reverse();
        Executed { path, fair }
    }

    /// The actions at the shared state and the symbol that the scratch has.
    fn actions_in(
        &self,
        number: SharedId,
        scratch: &mut Scratch,
        out: &mut Vec<Action>,
    ) -> Result<(), Fault> {
        let Scratch { shared, top, room } = scratch;
        if shared.wrong.is_some() {
            return Ok(());
        }
        match top {
            Symbol::Bottom { id, results } => {
                // The results of another thread are not for this one.
                if shared.returned.is_none() || *results {
                    out.push(self.end_of_thread(shared, *id)?);
                }
                Ok(())
            }
            Symbol::Frame(frame) => {
                if shared.returned.is_some() && !self.machine.code.receives(frame.loc) {
                    return Ok(());
                }
                self.frame_actions(room, (number, shared), frame, out)
            }
        }
    }

    fn frame_actions(
        &self,
        room: &mut Room,
        (number, shared): (SharedId, &Shared),
        frame: &Frame,
        out: &mut Vec<Action>,
    ) -> Result<(), Fault> {
        let moves = self.machine.moves_in(room, shared, frame);
        let mut moves = moves.map_err(|fault| self.fault(fault))?;
        if is_of_runs() {
            self.note(frame.loc, room.ways());
        }
        let only = moves.len() == 1;
        let mut seen = FxHashMap::default();
        let mut known = vec![None; room.ways().len()];
        for step in moves.drain(..) {
            let fair = step
                .outcome
                .fair
                .iter()
                .map(|&(Site(place), outcome)| FairChoice { place: FairPlace(place), outcome });
            let fair: Vec<FairChoice> = fair.collect();
            // Many steps leave the shared state as it is: then it need not be looked up.
            let unchanged = (step.outcome.shared == *shared).then_some(number);
            let action = self.action(room, &mut known, (step, unchanged), fair.clone())?;
            if only {
                out.push(action);
                continue;
            }
            // Different choices may come to the same; one action is enough, unless they were to be
            // fair. If a thread is dropped in one of them, it is another one.
            match seen.entry((action.shared, action.word, action.spawn, fair)) {
                Entry::Vacant(new) => {
                    new.insert(out.len());
                    out.push(action);
                }
                Entry::Occupied(known)
                    if action.spawn.is_none() && self.drops_at(out[*known.get()].origin) =>
                {
                    out[*known.get()].origin = action.origin;
                }
                Entry::Occupied(_) => {}
            }
        }
        room.take_list(moves);
        Ok(())
    }

    /// The number of the last step of a way, with the numbers of ways that are known.
    fn last_step(
        &self,
        ways: &[Way],
        known: &mut [Option<u32>],
        way: Option<usize>,
    ) -> Result<Option<u32>, Fault> {
        let (mut new, mut rest) = (Vec::new(), way);
        while let Some(way) = rest.filter(|&way| known[way].is_none()) {
            new.push(way);
            rest = ways[way].before;
        }
        let mut before = rest.and_then(|way| known[way]);
        for way in new.into_iter().rev() {
            before = Some(self.steps.number(&WayStep { before, edge: ways[way].edge })?);
            known[way] = before;
        }
        Ok(before)
    }

    /// A move of the machine as an action, with the fair choices that it makes.
    fn action(
        &self,
        room: &mut Room,
        known: &mut [Option<u32>],
        (step, unchanged): (Move, Option<SharedId>),
        fair: Vec<FairChoice>,
    ) -> Result<Action, Fault> {
        let (shared, word) = self.numbers(&step.outcome, unchanged)?;
        let spawn = step.outcome.started.map(|started| self.spawn(*started)).transpose()?;
        let origin = match fair.is_empty() && step.before.is_none() {
            true => Origin(step.edge.0),
            false => {
                let before = self.last_step(room.ways(), known, step.before)?;
                let last = Some(self.steps.number(&WayStep { before, edge: step.edge })?);
                self.origin(Stored { last, fair })?
            }
        };
        room.take_back(step.outcome.shared, step.outcome.next);
        Ok(Action { shared, word, spawn, origin })
    }

    /// Whether an action that starts no thread drops one.
    fn drops_at(&self, origin: Origin) -> bool {
        let starts = |edge: &EdgeId| self.machine.code.edge(*edge).starts;
        self.machine.drops_threads && self.executed(origin).path.iter().any(starts)
    }

    fn spawn(&self, started: Started) -> Result<Spawn, Fault> {
        let ProcId(proc) = started.proc;
        let template = TemplateId::from(self.program.threads.len() + proc as usize);
        Ok(Spawn { template, stack: self.first_stack(started.frame, started.id)? })
    }
}
