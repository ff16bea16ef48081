//! Lowered states for people: names, values, source lines.

use std::collections::BTreeSet;

use selvedge_model::{Datum, Explanation, Step, Values};

use super::Lowering;
use super::intern::Symbol;
use crate::flow::{Command, Edge, EdgeId, Loc};
use crate::program::element_of;
use crate::sync::WaitKind;
use crate::telling::{Told, listed};
use crate::{GlobalId, LocalId, Place, ProcId, Span, Type, Value, VarRef, Variable};
use selvedge_core::machine::{Shared, Wrong};
use selvedge_core::{HELD_BY_ANOTHER, NOT_HELD};

impl Lowering {
    pub(super) fn named_shared(&self, shared: &Shared) -> Values {
        let globals: Vec<Value> = shared.memory.values(&self.machine.shared).collect();
        let mut values: Values = self.named(None, &globals, &globals).collect();
        match &self.program.telling {
            Some(telling) => {
                if let Some(heap) = telling.heap(|global| self.slots_of(&globals, global)) {
                    values.push("heap", heap);
                }
            }
            None => self.name_the_rest(shared, &mut values),
        }
        if let Some(wrong) = self.show_wrong(shared) {
            values.push("wrong", Datum::Name(wrong));
        }
        values
    }

    /// Adds what a shared state holds beside its variables: results on their way, and threads.
    fn name_the_rest(&self, shared: &Shared, values: &mut Values) {
        if let Some(results) = &shared.returned {
            values.push("result", self.named_results(results));
        }
        if self.machine.names.joins {
            let ended = shared.ended.iter().map(|&id| Datum::from(i64::from(id)));
            values.push("ended", Datum::Set(ended.collect()));
        }
    }

    /// The values of a shared variable among those of all.
    fn slots_of<'v>(&self, globals: &'v [Value], global: GlobalId) -> &'v [Value] {
        let (before, rest) = self.program.globals.split_at(global.index());
        let first: usize = before.iter().map(|variable| variable.ty.slots()).sum();
        let length = rest.first().map_or(0, |variable| variable.ty.slots());
        globals.get(first..first + length).unwrap_or_default()
    }

    /// Results by their types, where all procedures with so many results agree about them: a
    /// shared state does not say whose they are.
    fn named_results(&self, results: &[Value]) -> Datum {
        let like = || self.program.procs.iter().filter(|p| p.results.len() == results.len());
        let show = |(index, value): (usize, &Value)| {
            let mut types = like().map(|proc| &proc.results[index]);
            let ty = types.next().filter(|first| types.all(|ty| ty == *first));
            self.program.datum(ty.unwrap_or(&Type::Int), value)
        };
        match results {
            [only] => show((0, only)),
            _ => Datum::List(results.iter().enumerate().map(show).collect()),
        }
    }

    pub(super) fn named_locals(&self, symbol: &Symbol) -> Values {
        let Symbol::Frame(frame) = symbol else { return Values::default() };
        let proc = self.flow.location(frame.loc).proc;
        let values = self.locals(frame);
        let live = &self.flow.live[frame.loc.index()];
        let locals = (0..).map(LocalId).zip(self.named_each(Some(proc), &values, &[]));
        let mut told: Values =
            locals.filter(|(local, _)| live.has(*local)).flat_map(|(_, named)| named).collect();
        // A jump into a block may have left another variable of that name alive.
        let mut known = BTreeSet::new();
        let is_new = |name: &str| known.insert(name.to_owned());
        if self.program.telling.is_none() && !told.names().all(is_new) {
            let locals = &self.program.procs[proc.index()].locals;
            let alive = (0..).map(LocalId).zip(locals).filter(|(local, _)| live.has(*local));
            let names = alive.flat_map(|(_, local)| {
                let scalar = |_: &Type, _: &Value| Datum::Any;
                rows(&local.name, local, &vec![Value::Open; local.ty.slots()], &scalar)
            });
            told = names
                .map(|(name, _)| name)
                .zip(told)
                .map(|(name, (_, value))| (name, value))
                .collect();
        }
        told
    }

    /// The name of a variable as it was written: of two locals with one name in a procedure, the later one has a number in the program.
    pub(super) fn written_name<'v>(&'v self, variable: &'v Variable) -> &'v str {
        let written = self.source.slice(variable.span);
        let number = variable.name.strip_prefix(written).and_then(|rest| rest.strip_prefix('_'));
        let is_numbered =
            |number: &str| !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit());
        match !written.is_empty() && number.is_some_and(is_numbered) {
            true => written,
            false => &variable.name,
        }
    }

    /// Names and values of variables.
    fn named(
        &self,
        scope: Option<ProcId>,
        values: &[Value],
        globals: &[Value],
    ) -> impl Iterator<Item = (String, Datum)> {
        self.named_each(scope, values, globals).flatten()
    }

    /// Names and values of each variable of a procedure, or of each shared one: an array is one value, unless it is told otherwise.
    fn named_each(
        &self,
        scope: Option<ProcId>,
        values: &[Value],
        globals: &[Value],
    ) -> impl Iterator<Item = Vec<(String, Datum)>> {
        let mut rest = values;
        let variables = match scope {
            Some(proc) => &self.program.procs[proc.index()].locals,
            None => &self.program.globals,
        };
        let scalar = |ty: &Type, value: &Value| self.program.datum(ty, value);
        (0..).zip(variables).map(move |(number, variable)| {
            let (mine, others) = rest.split_at(variable.ty.slots().min(rest.len()));
            rest = others;
            let Some(telling) = &self.program.telling else {
                return rows(self.written_name(variable), variable, mine, &scalar);
            };
            let told = match scope {
                Some(proc) => Told::Local(proc, LocalId(number)),
                None => Told::Shared(GlobalId(number)),
            };
            let slots = |global| self.slots_of(globals, global);
            telling.tell((told, &variable.name, &variable.ty), mine, slots, scalar)
        })
    }

    pub(super) fn show_frame(&self, symbol: &Symbol) -> String {
        match symbol {
            Symbol::Bottom { id: 0, .. } => "end".to_owned(),
            Symbol::Bottom { id, .. } if self.program.telling.is_some() => format!("thread {id}"),
            Symbol::Bottom { id, .. } => format!("end of thread {id}"),
            Symbol::Frame(frame) => {
                let location = self.flow.location(frame.loc);
                let proc = &self.program.procs[location.proc.index()].name;
                let line = self.line(location.span).map_or(String::new(), |l| format!(":{l}"));
                let locals = self.named_locals(symbol);
                match locals.is_empty() {
                    true => format!("{proc}{line}"),
                    false => format!("{proc}{line}({locals})"),
                }
            }
        }
    }

    pub(super) fn show_wrong(&self, shared: &Shared) -> Option<String> {
        let wrong = shared.wrong.as_ref()?;
        let span = self.flow.edge(wrong.edge).span;
        let place = self.line(span).map_or(String::new(), |line| format!("line {line}: "));
        let said = || match wrong.reason == selvedge_core::ASSERTION_FAILED {
            true => self.program.reasons.get(&span).cloned().or_else(|| {
                let text = self.program.texts.get(&span)?;
                Some(format!("{}: {text}", wrong.reason))
            }),
            false => None,
        };
        let reason = self.wrong_while_waiting(wrong).or_else(said);
        let reason = reason.unwrap_or_else(|| wrong.reason.clone());
        Some(format!("{place}{reason}"))
    }

    /// The statement that went wrong.
    #[must_use]
    pub fn wrong_at(&self, shared: selvedge_model::SharedId) -> Option<Span> {
        let wrong = self.shared_state(shared).wrong?;
        Some(self.flow.edge(wrong.edge).span)
    }

    /// Why a lock cannot be given up by `wait`, in words of waiting.
    fn wrong_while_waiting(&self, wrong: &Wrong) -> Option<String> {
        if self.part(&[wrong.edge]) != Some(Part::Sleeps) {
            return None;
        }
        let reason = &wrong.reason;
        if let Some(lock) = reason.strip_suffix(NOT_HELD) {
            return Some(format!(
                "waiting gives up {lock}, but nobody holds it: acquire it before"
            ));
        }
        let lock = reason.strip_suffix(HELD_BY_ANOTHER)?;
        Some(format!("waiting gives up {lock}, but another thread holds it: acquire it before"))
    }

    pub(super) fn line(&self, span: Span) -> Option<u32> {
        (span != Span::default()).then(|| self.source.line(span.start))
    }

    /// The statements that a sequence of edges executes. An empty one is the end of a thread.
    pub(super) fn explain_path(&self, path: &[EdgeId]) -> Explanation {
        if path.is_empty() {
            return Explanation {
                steps: vec![Step { text: "end of thread".to_owned(), line: None }],
            };
        }
        if let Some(telling) = &self.program.telling {
            return Explanation { steps: self.told_path(telling, path) };
        }
        let mut steps = Vec::new();
        let mut rest = path;
        for length in self.statement_lengths(path) {
            let (mine, others) = rest.split_at(length);
            rest = others;
            let Some(&first) = mine.first() else { continue };
            let edge = self.flow.edge(first);
            let text = match mine.len() == 1 && self.part(mine).is_none() {
                true => self.explain_edge(edge),
                false => self.with_part(mine),
            };
            steps.push(Step { text, line: self.line(edge.span) });
        }
        Explanation { steps }
    }

    /// How many edges each statement of a path has.
    pub(super) fn statement_lengths(&self, path: &[EdgeId]) -> Vec<usize> {
        let mut lengths = Vec::new();
        let mut rest = path;
        while !rest.is_empty() {
            let length = self.made_block(rest).clamp(1, rest.len());
            lengths.push(length);
            rest = &rest[length..];
        }
        lengths
    }

    /// How many edges at the start of a path come from one statement that the language makes of several, such as
    /// `wait c, m;`: they stand at the same place in the source.
    fn made_block(&self, path: &[EdgeId]) -> usize {
        let Some(&first) = path.first() else { return 0 };
        let span = self.flow.edge(first).span;
        let mut length = 0;
        for (position, &id) in path.iter().enumerate() {
            let edge = self.flow.edge(id);
            // An edge that comes again is one of a loop.
            if edge.span != span || path[..position].contains(&id) {
                break;
            }
            length = position + 1;
        }
        let begins = matches!(self.flow.edge(first).command, Command::Skip);
        if span == Span::default() || (length > 1 && !begins) {
            return 0;
        }
        if length == 1 {
            return usize::from(self.part(&path[..1]).is_some());
        }
        let ends = path.get(length).map(|&id| self.flow.edge(id)).is_some_and(|edge| {
            matches!(edge.command, Command::Skip) && self.text_of(edge).is_empty()
        });
        length + usize::from(ends)
    }

    /// The text of edges that belong together, with what has happened where they are a part of a `wait`.
    fn with_part(&self, edges: &[EdgeId]) -> String {
        let text = edges.first().map_or(String::new(), |&id| self.text_of(self.flow.edge(id)));
        let last = edges.last().map(|&id| &self.flow.edge(id).command);
        match self.part(edges) {
            // It went wrong there.
            Some(Part::Sleeps) if matches!(last, Some(Command::Release(_))) => text,
            Some(part) => format!("{text}  [{}]", part.done()),
            None => match self.tried(&text, edges) {
                Some(holds) => format!("{text}  [{}]", outcome(holds)),
                None => text,
            },
        }
    }

    /// How the condition came out that these edges of one statement try, such as `if (cas(…))` of a whole struct.
    fn tried(&self, text: &str, edges: &[EdgeId]) -> Option<bool> {
        let is_condition = ["if", "while", "for"].into_iter().any(|word| {
            text.strip_prefix(word).is_some_and(|rest| rest.starts_with([' ', '(', '!']))
        });
        let holds = |&id: &EdgeId| match self.flow.edge(id).command {
            Command::Test { holds, .. } => Some(holds),
            _ => None,
        };
        edges.iter().find_map(holds).filter(|_| is_condition)
    }

    /// Whether an edge is the head of a loop whose condition is tried in the next step.
    fn leads_to_attempt(&self, edge: &Edge) -> bool {
        let attempt = |id: &EdgeId| {
            let next = self.flow.edge(*id);
            let begins = matches!(next.command, Command::Skip);
            begins && next.span == edge.span && self.flow.location(next.to).atomic
        };
        self.flow.location(edge.to).edges.iter().any(attempt)
    }

    /// Which part of waiting for a condition or a barrier these edges are, if they are one.
    fn part(&self, edges: &[EdgeId]) -> Option<Part> {
        let text = self.text_of(self.flow.edge(*edges.first()?));
        let what = text.strip_prefix("wait")?;
        if !what.starts_with([' ', '(']) {
            return None;
        }
        edges.iter().find_map(|&id| match &self.flow.edge(id).command {
            Command::Release(_) => Some(Part::Sleeps),
            Command::Acquire(_) => Some(Part::TakesLock),
            Command::Assign { targets, .. } => match (self.counted(targets)?, targets.len()) {
                (WaitKind::Condition, _) => Some(Part::Wakes),
                (WaitKind::Barrier, 1) => Some(Part::Leaves),
                (WaitKind::Barrier, _) => Some(Part::Arrives),
                (WaitKind::Semaphore | WaitKind::Channel, _) => None,
            },
            _ => None,
        })
    }

    /// The kind of waiting that the first of some places counts for, if it does.
    fn counted(&self, targets: &[Place]) -> Option<WaitKind> {
        match targets.first()?.var {
            VarRef::Global(id) => self.program.waited_for.get(&id).copied(),
            VarRef::Local(_) => None,
        }
    }

    /// What a thread in a part of waiting needs: at a barrier, as many threads as it takes.
    fn needed(&self, part: Part, edge: &Edge) -> String {
        let leaving = |id: EdgeId| match &self.flow.edge(id).command {
            Command::Assign { targets, .. } => match targets.first()?.var {
                VarRef::Global(global) => Some(&self.program.globals[global.index()]),
                VarRef::Local(_) => None,
            },
            _ => None,
        };
        let first = self.flow.location(edge.from).edges.first();
        let found = first.and_then(|&first| self.edges_alike(first).into_iter().find_map(leaving));
        match found.map(|variable| variable.ty.scalar()) {
            Some(Type::Range { hi, .. }) if part == Part::Leaves => {
                format!("until all {hi} have arrived")
            }
            _ => part.needed().to_owned(),
        }
    }

    /// The text of an edge's statement.
    #[must_use]
    pub fn edge_text(&self, edge: EdgeId) -> String {
        self.explain_edge(self.flow.edge(edge))
    }

    /// What a thread at a location does next. Of an atomic block, also what it may have to wait for
    /// inside.
    pub(super) fn statement_at(&self, loc: Loc) -> Option<String> {
        let first = *self.flow.location(loc).edges.first()?;
        let edge = self.flow.edge(first);
        if let Some(telling) = &self.program.telling {
            let text = self.told_text(telling.statement(edge.span).unwrap_or(edge.span));
            return Some(if text.is_empty() { "return".to_owned() } else { text });
        }
        let mut inside = Vec::new();
        let mut waits = Vec::new();
        inside.extend(self.flow.location(edge.to).atomic.then_some(edge.to));
        let mut at = 0;
        while let Some(&loc) = inside.get(at) {
            at += 1;
            for &id in &self.flow.location(loc).edges {
                let edge = self.flow.edge(id);
                let may_wait = matches!(
                    edge.command,
                    Command::Assume(_) | Command::Acquire(_) | Command::Join(_)
                );
                waits.extend(may_wait.then(|| self.explain_edge(edge)));
                if self.flow.location(edge.to).atomic && !inside.contains(&edge.to) {
                    inside.push(edge.to);
                }
            }
        }
        if let Some(part) = self.part(&self.edges_alike(first)) {
            return Some(format!("{} [{}]", self.text_of(edge), self.needed(part, edge)));
        }
        let text = match &edge.command {
            // Which way a test goes is not known before it is made.
            Command::Test { .. } | Command::TestAttempt { .. } => self.text_of(edge),
            _ => self.explain_edge(edge),
        };
        // A statement that is made of several shows what it waits for by itself.
        waits.retain(|inside| *inside != text);
        Some(match waits.is_empty() {
            true => text,
            false => format!("{text} {{ … {} … }}", waits.join(" … ")),
        })
    }

    /// An edge and those that follow it at the same place in the source, one after the other.
    fn edges_alike(&self, first: EdgeId) -> Vec<EdgeId> {
        let span = self.flow.edge(first).span;
        let mut found = vec![first];
        let mut last = first;
        loop {
            let edges = &self.flow.location(self.flow.edge(last).to).edges;
            match edges.as_slice() {
                &[next]
                    if self.flow.location(self.flow.edge(last).to).atomic
                        && self.flow.edge(next).span == span
                        && !found.contains(&next) =>
                {
                    found.push(next);
                    last = next;
                }
                _ => return found,
            }
        }
    }

    fn text_of(&self, edge: &Edge) -> String {
        self.text_at(edge.span)
    }

    pub(super) fn text_at(&self, place: Span) -> String {
        // Lines that a preprocessor has left behind are nobody's text.
        let lines = self.source.slice(place).lines().enumerate();
        let written = lines.filter(|(number, line)| *number == 0 || !line.starts_with("# "));
        let text: Vec<_> = written.flat_map(|(_, line)| line.split_whitespace()).collect();
        text.join(" ").trim_end_matches([';', '{', ' ']).to_owned()
    }

    fn explain_edge(&self, edge: &Edge) -> String {
        if let Some(telling) = &self.program.telling {
            let text = self.told_text(edge.span);
            let more = self.told_outcome(telling, edge);
            return more.map_or(text.clone(), |more| format!("{text}  [{more}]"));
        }
        let text = self.text_of(edge);
        match &edge.command {
            Command::Test { .. } if self.leads_to_attempt(edge) => text,
            Command::Test { holds, .. } | Command::TestAttempt { holds, .. } => {
                format!("{text}  [{}]", outcome(*holds))
            }
            Command::Receive { .. } => format!("{text}  [result]"),
            Command::Return(_) if text.is_empty() => {
                let proc = &self.program.procs[self.flow.location(edge.from).proc.index()];
                match proc.results.is_empty() {
                    true => "return".to_owned(),
                    // Without the `return` that the result would come from.
                    false => format!("end of {}", proc.name),
                }
            }
            _ if text.is_empty() && self.flow.location(edge.from).atomic => {
                "end of atomic block".to_owned()
            }
            _ if text.is_empty() => "end of block".to_owned(),
            _ => text,
        }
    }
}

/// The outcome of a condition in a word.
pub(super) fn outcome(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

/// The values of a variable: of one with indices inside of its name, one for each combination of them.
fn rows(
    name: &str,
    variable: &Variable,
    values: &[Value],
    scalar: &dyn Fn(&Type, &Value) -> Datum,
) -> Vec<(String, Datum)> {
    let mut rows = vec![(Vec::new(), &variable.ty, values)];
    for _ in 0..variable.indices_inside() {
        let inner = rows.into_iter().flat_map(|(indices, ty, values)| {
            let (element, length) = match ty {
                Type::Array { element, length } => (&**element, *length as usize),
                scalar => (scalar, 1),
            };
            let slots = element.slots().max(1);
            (0..length).map(move |index| {
                let indices = indices.iter().copied().chain([index]).collect();
                let mine = values.get(index * slots..(index + 1) * slots).unwrap_or_default();
                (indices, element, mine)
            })
        });
        rows = inner.collect::<Vec<(Vec<usize>, &Type, &[Value])>>();
    }
    let named = |(indices, ty, values): (Vec<usize>, &Type, &[Value])| {
        (element_of(name, &indices), listed(ty, values, scalar))
    };
    rows.into_iter().map(named).collect()
}

/// A part of waiting for a condition or a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// Releases the lock and falls asleep.
    Sleeps,
    /// Goes on after it was called.
    Wakes,
    /// Acquires the lock again.
    TakesLock,
    /// Comes to the barrier.
    Arrives,
    /// Goes on behind the barrier.
    Leaves,
}

impl Part {
    /// The words for a part that has happened.
    fn done(self) -> &'static str {
        match self {
            Part::Sleeps => "waits",
            Part::Wakes => "is woken",
            Part::TakesLock => "has the lock again",
            Part::Arrives => "arrives",
            Part::Leaves => "goes on",
        }
    }

    /// The words for what a thread in this part waits for.
    fn needed(self) -> &'static str {
        match self {
            Part::Sleeps => "until those who were woken have gone on",
            Part::Wakes => "until it is woken",
            Part::TakesLock => "was woken, until it has the lock again",
            Part::Arrives => "until all of the last time have left",
            Part::Leaves => "until all have arrived",
        }
    }
}
