//! Lowered states for people: names, values, source lines.

use selvedge_model::{Datum, Explanation, Step, Values};

use super::Lowering;
use super::intern::Symbol;
use crate::flow::{Command, Edge, EdgeId, Loc};
use crate::{LocalId, Span, Type, Value, Variable};
use selvedge_core::machine::Shared;

impl Lowering {
    pub(super) fn named_shared(&self, shared: &Shared) -> Values {
        let globals: Vec<Value> = shared.memory.values(&self.machine.shared).collect();
        let mut values: Values = self.named(&self.program.globals, &globals).collect();
        if let Some(results) = &shared.returned {
            values.push("result", self.named_results(results));
        }
        if self.machine.names.joins {
            let ended = shared.ended.iter().map(|&id| Datum::from(i64::from(id)));
            values.push("ended", Datum::Set(ended.collect()));
        }
        if let Some(wrong) = self.show_wrong(shared) {
            values.push("wrong", Datum::Name(wrong));
        }
        values
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
        let named = self.named(&self.program.procs[proc.index()].locals, &values);
        let live = &self.flow.live[frame.loc.index()];
        let locals = (0..).map(LocalId).zip(named);
        locals.filter(|(local, _)| live.has(*local)).map(|(_, named)| named).collect()
    }

    /// Names and values of variables; an array is one value.
    fn named(
        &self,
        variables: &[Variable],
        values: &[Value],
    ) -> impl Iterator<Item = (String, Datum)> {
        let mut rest = values;
        variables.iter().map(move |variable| {
            let (mine, others) = rest.split_at(variable.ty.slots().min(rest.len()));
            rest = others;
            (variable.name.clone(), self.datum_of(&variable.ty, mine))
        })
    }

    /// What is in the slots of a variable.
    fn datum_of(&self, ty: &Type, slots: &[Value]) -> Datum {
        match ty {
            Type::Array { element, .. } => {
                let rows = slots.chunks(element.slots().max(1));
                Datum::List(rows.map(|row| self.datum_of(element, row)).collect())
            }
            _ => slots.first().map_or(Datum::Any, |value| self.program.datum(ty, value)),
        }
    }

    pub(super) fn show_frame(&self, symbol: &Symbol) -> String {
        match symbol {
            Symbol::Bottom { id: 0, .. } => "end".to_owned(),
            Symbol::Bottom { id, .. } => format!("end of {id}"),
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
        Some(format!("{place}{}", wrong.reason))
    }

    pub(super) fn line(&self, span: Span) -> Option<u32> {
        (span != Span::default()).then(|| self.source.line(span.start))
    }

    /// What a sequence of edges executes. An empty one is the end of a thread.
    pub(super) fn explain_path(&self, path: &[EdgeId]) -> Explanation {
        if path.is_empty() {
            return Explanation {
                steps: vec![Step { text: "end of thread".to_owned(), line: None }],
            };
        }
        let steps = path.iter().map(|&id| {
            let edge = self.flow.edge(id);
            Step { text: self.explain_edge(edge), line: self.line(edge.span) }
        });
        Explanation { steps: steps.collect() }
    }

    /// What an edge of the flow graph does, as it stands in the source.
    #[must_use]
    pub fn edge_text(&self, edge: EdgeId) -> String {
        self.explain_edge(self.flow.edge(edge))
    }

    /// What a thread at a location does next. Of an atomic block, also what it may have to wait for
    /// inside.
    pub(super) fn statement_at(&self, loc: Loc) -> Option<String> {
        let first = *self.flow.location(loc).edges.first()?;
        let edge = self.flow.edge(first);
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

    fn text_of(&self, edge: &Edge) -> String {
        let text: Vec<_> = self.source.slice(edge.span).split_whitespace().collect();
        text.join(" ").trim_end_matches([';', '{', ' ']).to_owned()
    }

    fn explain_edge(&self, edge: &Edge) -> String {
        let text = self.text_of(edge);
        match &edge.command {
            Command::Test { holds: taken, .. } | Command::TestAttempt { succeeds: taken, .. } => {
                format!("{text}  [{}]", if *taken { "yes" } else { "no" })
            }
            Command::Receive { .. } => format!("{text}  [result]"),
            Command::Return(_) if text.is_empty() => "return".to_owned(),
            _ if text.is_empty() => "end of atomic block".to_owned(),
            _ => text,
        }
    }
}
