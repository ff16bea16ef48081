//! Lowered states for people: names, values, source lines.

use selvedge_model::{Explanation, Step};

use super::Lowering;
use super::intern::Symbol;
use crate::flow::{Command, Edge, EdgeId, Loc};
use crate::{LocalId, Span, Type, Value, Variable};
use selvedge_core::machine::Shared;

impl Lowering {
    pub(super) fn named_shared(&self, shared: &Shared) -> Vec<(String, String)> {
        let mut values = {
            let globals: Vec<Value> = shared.memory.values(&self.machine.shared).collect();
            self.named(&self.program.globals, &globals)
        };
        if let Some(results) = &shared.returned {
            values.push(("result".to_owned(), self.show_results(results)));
        }
        if self.machine.names.joins {
            let shown: Vec<_> = shared.ended.iter().map(ToString::to_string).collect();
            values.push(("ended".to_owned(), format!("{{{}}}", shown.join(","))));
        }
        if let Some(wrong) = self.show_wrong(shared) {
            values.push(("wrong".to_owned(), wrong));
        }
        values
    }

    /// Results by their types, where all procedures with so many results agree about them: a
    /// shared state does not say whose they are.
    fn show_results(&self, results: &[Value]) -> String {
        let like = || self.program.procs.iter().filter(|p| p.results.len() == results.len());
        let show = |(index, value): (usize, &Value)| {
            let mut types = like().map(|proc| &proc.results[index]);
            match types.next().filter(|first| types.all(|ty| ty == *first)) {
                Some(ty) => self.program.show_value(ty, value),
                None => value.to_string(),
            }
        };
        results.iter().enumerate().map(show).collect::<Vec<_>>().join(",")
    }

    pub(super) fn named_locals(&self, symbol: &Symbol) -> Vec<(String, String)> {
        let Symbol::Frame(frame) = symbol else { return Vec::new() };
        let proc = self.flow.location(frame.loc).proc;
        let named = self.named(&self.program.procs[proc.index()].locals, &self.locals(frame));
        let live = &self.flow.live[frame.loc.index()];
        let locals = (0..).map(LocalId).zip(named);
        locals.filter(|(local, _)| live.has(*local)).map(|(_, named)| named).collect()
    }

    /// Names and values of variables; an array is one value.
    fn named(&self, variables: &[Variable], values: &[Value]) -> Vec<(String, String)> {
        let mut rest = values;
        let mut named = Vec::with_capacity(variables.len());
        for variable in variables {
            let (mine, others) = rest.split_at(variable.ty.slots().min(rest.len()));
            rest = others;
            let shown: Vec<_> =
                mine.iter().map(|value| self.program.show_value(&variable.ty, value)).collect();
            let text = match variable.ty {
                Type::Array { .. } => format!("[{}]", elements(&shown)),
                _ => shown.concat(),
            };
            named.push((variable.name.clone(), text));
        }
        named
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
                let shown: Vec<_> = locals.iter().map(|(n, v)| format!("{n}={v}")).collect();
                if shown.is_empty() {
                    format!("{proc}{line}")
                } else {
                    format!("{proc}{line}({})", shown.join(" "))
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

/// Longer arrays are not shown element by element.
const LONG_ARRAY: usize = 16;

/// The elements of an array; in long ones, equal neighbours are counted: `1,0 × 998,1`.
fn elements(shown: &[String]) -> String {
    if shown.len() <= LONG_ARRAY {
        return shown.join(",");
    }
    let run = |run: &[String]| match run.len() {
        1 => run[0].clone(),
        count => format!("{} × {count}", run[0]),
    };
    shown.chunk_by(|a, b| a == b).map(run).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::elements;

    #[test]
    fn long_arrays_are_counted() {
        let array = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        assert_eq!(elements(&array("0001")), "0,0,0,1");
        assert_eq!(elements(&array("1000000000000000001?")), "1,0 × 17,1,?");
    }
}
