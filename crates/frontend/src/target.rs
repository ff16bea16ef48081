//! # Targets in programs
//! `worker@critical` is a thread at a place: what stands before `@` is the name of a thread, or of the
//! procedure that it is in, or `*` for any; what follows is a label or a line. Several of them,
//! separated by commas, are different threads at the same time. As in the targets of tables, this is
//! about what is on top of a stack: the thread is about to execute the statement at that place.
//!
//! A target that nothing can ever reach, because the text has no such place, is a mistake of whoever
//! wrote it, and no reason to say *safe*.

use std::collections::BTreeSet;

use selvedge_model::{Pattern, PlaceId, Property, TemplateId, ThreadAt};
use selvedge_program::flow::{self, Command, Flow, Loc, Location};
use selvedge_program::{ProcId, Program, Source, Span};

use crate::check::similar::did_you_mean;
use crate::{Diagnostic, Diagnostics};

/// Reads a target. The mistakes have the option as their source.
pub fn target(text: &str, program: &Program, source: &Source) -> Result<Property, Diagnostics> {
    let flow = flow::build(program).map_err(|e| {
        Diagnostics::new(source.clone(), vec![Diagnostic::error(e.span, e.message)])
    })?;
    let reader = Reader { text, program, source, flow: &flow };
    let (mut threads, mut wrong) = (Vec::new(), Vec::new());
    let mut start = 0;
    for item in text.split(',') {
        match reader.item(start, item) {
            Ok(thread) => threads.push(thread),
            Err(diagnostic) => wrong.push(diagnostic),
        }
        start += item.len() + 1;
    }
    if wrong.is_empty() {
        return Ok(Property::Unreachable(Pattern::Together(threads)));
    }
    Err(Diagnostics::new(Source::new("--target", text), wrong))
}

const EXAMPLE: &str = "a target of a program is written `thread@label` or `thread@line`, like \
                       `worker@critical` or `*@23`; several threads at once are separated by commas";

struct Reader<'a> {
    text: &'a str,
    program: &'a Program,
    source: &'a Source,
    flow: &'a Flow,
}

/// A word of the target, and where it stands.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    span: Span,
}

impl<'a> Reader<'a> {
    fn word(&self, start: usize, text: &'a str) -> Word<'a> {
        let trimmed = text.trim();
        let start = start + (text.len() - text.trim_start().len());
        // What is empty is shown where it should be.
        let end = (start + trimmed.len()).max((start + 1).min(self.text.len()));
        Word { text: trimmed, span: Span::new(start.min(end), end) }
    }

    fn item(&self, start: usize, item: &'a str) -> Result<ThreadAt, Diagnostic> {
        let Some((name, place)) = item.split_once('@') else {
            let word = self.word(start, item);
            // Other tools write a place so.
            let hint = match item.split_once(':').map(|(name, place)| (name.trim(), place.trim())) {
                Some((name, place)) if !name.is_empty() && !place.is_empty() => {
                    format!("did you mean `{name}@{place}`?")
                }
                _ => EXAMPLE.to_owned(),
            };
            return Err(Diagnostic::error(word.span, "expected a thread at a place").hint(hint));
        };
        let (name, place) = (self.word(start, name), self.word(start + name.len() + 1, place));
        for (word, what) in [(name, "a thread"), (place, "a label or a line")] {
            if word.text.is_empty() {
                let message = format!("expected {what}");
                return Err(Diagnostic::error(word.span, message).hint(EXAMPLE));
            }
        }
        let here = self.locations(place)?;
        let places = self.places(name, place, &here)?;
        Ok(ThreadAt { text: format!("{}@{}", name.text, place.text), places })
    }

    /// The locations that are meant, with their procedures.
    fn locations(&self, place: Word<'_>) -> Result<Vec<(ProcId, Loc)>, Diagnostic> {
        let labelled = self.all(|location| self.labels(location).any(|name| name == place.text));
        let line = place.text.parse::<u32>().ok().filter(|_| labelled.is_empty());
        let found = match line {
            Some(line) => self.all(|location| self.line(location) == Some(line)),
            None => labelled,
        };
        let seen: Vec<_> = found.iter().copied().filter(|&(_, loc)| self.is_seen(loc)).collect();
        if seen.is_empty() {
            return Err(self.nowhere(place, line, !found.is_empty()));
        }
        Ok(seen)
    }

    fn all(&self, wanted: impl Fn(&Location) -> bool) -> Vec<(ProcId, Loc)> {
        let locations = self.flow.locations.iter().zip((0..).map(Loc));
        locations.filter(|(at, _)| wanted(at)).map(|(at, loc)| (at.proc, loc)).collect()
    }

    fn labels(&self, location: &'a Location) -> impl Iterator<Item = &'a str> {
        let names = &self.program.procs[location.proc.index()].labels;
        location.labels.iter().map(move |label| names[label.index()].as_str())
    }

    fn line(&self, location: &Location) -> Option<u32> {
        (location.span != Span::default()).then(|| self.source.line(location.span.start))
    }

    /// Whether a thread can be seen to stand at a location: not inside of an atomic block, not
    /// between a call and its result, and not at a jump, which is no step.
    fn is_seen(&self, loc: Loc) -> bool {
        let location = self.flow.location(loc);
        !location.atomic && !location.edges.is_empty() && !self.flow.receives(loc)
    }

    /// There is no such place; or there is, but no thread is ever seen there.
    fn nowhere(&self, place: Word<'_>, line: Option<u32>, is_there: bool) -> Diagnostic {
        let seen =
            || (0..).map(Loc).zip(&self.flow.locations).filter(|&(loc, _)| self.is_seen(loc));
        let what = if line.is_some() { "line " } else { "label " };
        if is_there {
            let message = format!("no thread is ever seen at {what}`{}`", place.text);
            return Diagnostic::error(place.span, message).hint(
                "an atomic block is one step, and a jump is none: name the statement before or after",
            );
        }
        if let Some(line) = line {
            let message = format!("no statement begins at line {line}");
            let lines = seen().filter_map(|(_, location)| self.line(location));
            let nearest = lines.min_by_key(|&other| (other.abs_diff(line), other));
            let wrong = Diagnostic::error(place.span, message);
            return match nearest {
                Some(nearest) => wrong.hint(format!("the nearest one is at line {nearest}")),
                None => wrong,
            };
        }
        let message = format!("there is no label `{}`", place.text);
        let labels: BTreeSet<&str> = seen().flat_map(|(_, at)| self.labels(at)).collect();
        let listed = || match labels.is_empty() {
            true => "the program has no labels; a line will do: `worker@12`".to_owned(),
            false => format!("known labels: {}", list(&labels)),
        };
        let hint = did_you_mean(place.text, labels.iter().copied()).unwrap_or_else(listed);
        Diagnostic::error(place.span, message).hint(hint)
    }

    /// The places of a thread or procedure of this name.
    fn places(
        &self,
        name: Word<'_>,
        place: Word<'_>,
        here: &[(ProcId, Loc)],
    ) -> Result<Vec<(Option<TemplateId>, PlaceId)>, Diagnostic> {
        let mut places = Vec::new();
        let mut is_known = name.text == "*";
        for (template, of) in self.program.template_names().enumerate() {
            if written(of) == name.text {
                is_known = true;
                let procs = self.called_from(self.root(template));
                let inside = here.iter().filter(|(proc, _)| procs.contains(proc));
                places.extend(
                    inside.map(|(_, loc)| {
                        (Some(template.into()), selvedge_program::flow::place(*loc))
                    }),
                );
            }
        }
        let is_meant = |proc: ProcId| {
            name.text == "*" || written(&self.program.procs[proc.index()].name) == name.text
        };
        let anyone = here.iter().filter(|(proc, _)| is_meant(*proc));
        places.extend(anyone.map(|(_, loc)| (None, selvedge_program::flow::place(*loc))));
        if !is_known {
            let known: BTreeSet<&str> = self.program.template_names().map(written).collect();
            let message = format!("there is no thread or procedure `{}`", name.text);
            let hint = did_you_mean(name.text, known.iter().copied()).unwrap_or_else(|| {
                format!("known threads and procedures: {}; `*` is any thread", list(&known))
            });
            return Err(Diagnostic::error(name.span, message).hint(hint));
        }
        if places.is_empty() {
            let message = format!("`{}` never gets to `{}`", name.text, place.text);
            let procs = here.iter().map(|(p, _)| self.program.procs[p.index()].name.as_str());
            let owners = list(&procs.collect());
            let wrong = Diagnostic::error(name.span.to(place.span), message);
            return Err(wrong.hint(format!("this place is in {owners}")));
        }
        Ok(places)
    }

    /// The procedure that threads of a template run.
    fn root(&self, template: usize) -> ProcId {
        match template.checked_sub(self.program.threads.len()) {
            None => self.program.threads[template].proc,
            Some(proc) => ProcId(u32::try_from(proc).unwrap_or(u32::MAX)),
        }
    }

    /// A procedure and all that it calls, and so on.
    fn called_from(&self, root: ProcId) -> BTreeSet<ProcId> {
        let mut found = BTreeSet::from([root]);
        let mut work = vec![root];
        while let Some(caller) = work.pop() {
            for edge in &self.flow.edges {
                if let Command::Call { proc, .. } = edge.command
                    && self.flow.location(edge.from).proc == caller
                    && found.insert(proc)
                {
                    work.push(proc);
                }
            }
        }
        found
    }
}

/// The name of a procedure as it is written, without what its parameters stand for.
fn written(name: &str) -> &str {
    name.split('(').next().unwrap_or(name)
}

/// Names in a message; of many, the first ones.
fn list(names: &BTreeSet<&str>) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
