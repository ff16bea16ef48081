//! Steps as users read them: the statement of the text that they belong to, with details. See [`crate::telling`].

use selvedge_core::Area;
use selvedge_model::{Access, Step};

use super::Lowering;
use super::show::outcome;
use crate::flow::{Command, Edge, EdgeId};
use crate::telling::{Manner, Telling, Told, WAKES};
use crate::visit::operands;
use crate::{Expr, ExprKind, GlobalId, Place, Span, Type, VarRef};

/// The text for a step that belongs to no statement.
const NO_STATEMENT: &str = "…";

/// Statements of more lines are not looked for in the text that was written.
const MOST_LINES: usize = 20;

impl Lowering {
    /// The statements that a sequence of edges executes, in the words of the original text.
    pub(super) fn told_path(&self, telling: &Telling, path: &[EdgeId]) -> Vec<Step> {
        self.told_parts(telling, path).into_iter().map(|(step, _)| step).collect()
    }

    /// The number of edges that belong to each of these statements.
    pub(super) fn told_lengths(&self, telling: &Telling, path: &[EdgeId]) -> Vec<usize> {
        self.told_parts(telling, path).into_iter().map(|(_, edges)| edges).collect()
    }

    /// The statements of a sequence of edges, each with how many edges it has; edges that are not told belong to the statement before them, or to the first.
    fn told_parts(&self, telling: &Telling, path: &[EdgeId]) -> Vec<(Step, usize)> {
        let mut steps: Vec<(Span, Step, usize)> = Vec::new();
        let mut before = 0;
        for &id in path {
            let edge = self.flow.edge(id);
            let place = telling.statement(edge.span).unwrap_or(edge.span);
            let mut text = self.told_text(place);
            if let Some(more) = self.told_outcome(telling, edge) {
                text = format!("{text}  [{more}]");
            }
            let step = Step { text, line: self.line(edge.span) };
            match steps.last_mut() {
                Some((last, told, edges)) if *last == place => (*told, *edges) = (step, *edges + 1),
                Some((_, _, edges)) if step.text.is_empty() => *edges += 1,
                None if step.text.is_empty() => before += 1,
                _ => steps.push((place, step, 1 + std::mem::take(&mut before))),
            }
        }
        if steps.is_empty() {
            // What was made for no statement of the text, or for the end of a function.
            let returns =
                path.iter().any(|&id| matches!(self.flow.edge(id).command, Command::Return(_)));
            let text = if returns { "return" } else { NO_STATEMENT };
            return vec![(Step { text: text.to_owned(), line: None }, path.len())];
        }
        steps.into_iter().map(|(_, step, edges)| (step, edges)).collect()
    }

    /// A detail about an edge beside its statement: which way a condition went, or what was read.
    pub(super) fn told_outcome(&self, telling: &Telling, edge: &Edge) -> Option<String> {
        match &edge.command {
            Command::Acquire(_) if telling.wakes.contains(&edge.span) => Some(WAKES.to_owned()),
            Command::Test { holds, .. } | Command::TestAttempt { holds, .. } => {
                let is_condition = telling.conditions.contains(&edge.span);
                is_condition.then(|| outcome(*holds).to_owned())
            }
            Command::Assign { targets, values, .. } => {
                let [Place { var: VarRef::Local(local), .. }] = targets.as_slice() else {
                    return None;
                };
                let proc = self.flow.location(edge.from).proc;
                let manner = telling.variables.get(&Told::Local(proc, *local));
                if manner != Some(&Manner::Hidden) {
                    return None;
                }
                let read = values.iter().find_map(shared_read)?;
                let own = self.told_text(edge.span);
                let whole = self.told_text(telling.statement(edge.span).unwrap_or(edge.span));
                let name = match own != whole && !own.is_empty() {
                    true => own,
                    false => self.program.globals[read.index()].name.clone(),
                };
                let is_bookkeeping = matches!(
                    telling.variables.get(&Told::Shared(read)),
                    Some(Manner::Hidden | Manner::Heap(_))
                );
                (!is_bookkeeping).then(|| format!("reads {name}"))
            }
            _ => None,
        }
    }

    /// The access that a sequence of edges makes in the text itself, if it makes one.
    pub(super) fn told_access(&self, telling: &Telling, path: &[EdgeId]) -> Option<Access> {
        let mut found = None;
        for &id in path {
            let edge = self.flow.edge(id);
            match &edge.command {
                Command::Async { .. } | Command::StartThread { .. } => return Some(Access::Starts),
                Command::Join(_) => return Some(Access::Shared),
                Command::Assign { .. } if telling.cleared.contains(&edge.span) => continue,
                // A variable on a stack goes, with its mark.
                Command::Assign { targets, .. } if targets.len() > 1 => {
                    let is_mark = |place: &Place| match place.var {
                        VarRef::Global(global) => {
                            let manner = telling.variables.get(&Told::Shared(global));
                            manner == Some(&Manner::Hidden)
                        }
                        VarRef::Local(_) => false,
                    };
                    if targets.iter().any(is_mark) {
                        continue;
                    }
                }
                _ => {}
            }
            for place in self.machine.code.edge(id).shared_places() {
                let Some(global) = self.global_at(place.slots().start) else { continue };
                match telling.variables.get(&Told::Shared(global)) {
                    // An object comes or goes.
                    Some(Manner::Heap(_)) => return None,
                    Some(Manner::Hidden) => {}
                    _ if telling.on_stack.contains(&global) => {
                        let reads = self.only_reads(id);
                        let bytes = match self.program.globals[global.index()].ty.scalar() {
                            Type::Machine { bits, .. } => bits / 8,
                            _ => 1,
                        };
                        found = found.or(Some(Access::Stack { reads, bytes }));
                    }
                    _ if matches!(found, Some(Access::Shared)) || !self.only_reads(id) => {
                        found = Some(Access::Shared);
                    }
                    _ => found = Some(Access::Reads),
                }
            }
        }
        found
    }

    /// Whether an edge reads what threads share and does nothing else to it.
    fn only_reads(&self, id: EdgeId) -> bool {
        let mut stores = false;
        self.machine.code.edge(id).each_stored(&mut |place| stores |= place.area == Area::Shared);
        !stores && matches!(self.flow.edge(id).command, Command::Assign { .. })
    }

    /// The shared variable that has a slot.
    fn global_at(&self, slot: usize) -> Option<GlobalId> {
        let mut next = 0;
        let mut holds = |variable: &crate::Variable| {
            next += variable.ty.slots();
            slot < next
        };
        let number = self.program.globals.iter().position(&mut holds)?;
        Some(GlobalId(u32::try_from(number).ok()?))
    }

    /// The text of a place as somebody wrote it: where it comes from a macro, the lines that it stands in.
    pub(super) fn told_text(&self, place: Span) -> String {
        let read = self.text_at(place);
        if !self.source.is_made() || place == Span::default() {
            return read;
        }
        let lines = self.source.line(place.start)..=self.source.line(place.end.max(1) - 1);
        let without_comment = |line| {
            let text: &str = self.source.line_text(line);
            text.split_once("//").map_or(text, |(before, _)| before)
        };
        let lines =
            lines.take(MOST_LINES).flat_map(|line| without_comment(line).split_whitespace());
        let written: Vec<&str> = lines.collect();
        let plain = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        match plain(&written.concat()).contains(&plain(&read)) {
            // The place of `if (…)` ends before the bracket.
            true => read.clone() + if is_open(&read) { ")" } else { "" },
            false => {
                let written = written.join(" ");
                let statements = statements(&written);
                let before = self.statements_before(place);
                let own = statements.get(before).map(|own| plainly(own.trim()));
                own.filter(|own| !own.is_empty()).unwrap_or_else(|| plainly(&written))
            }
        }
    }

    /// How many statements and brackets of blocks end before a place, in the line that it comes from.
    fn statements_before(&self, place: Span) -> usize {
        let text = &self.source.text()[..place.start as usize];
        let line = self.source.line(place.start);
        let mut before: Vec<&str> = Vec::new();
        for part in text.rsplit('\n') {
            let start = part.as_ptr() as usize - text.as_ptr() as usize;
            // A line that the preprocessor has left says where the next one comes from.
            if part.starts_with("# ") {
                continue;
            }
            if self.source.line(start as u32) != line && !before.is_empty() {
                break;
            }
            before.push(part);
        }
        before.reverse();
        statements(&before.join(" ")).len() - 1
    }
}

/// A text cut behind each `;` and each bracket of a block that is in no round bracket and in no quotes.
fn statements(text: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut is_escaped, mut start) = (0_usize, None, false, 0);
    let mut all = Vec::new();
    for (at, c) in text.char_indices() {
        if let Some(end) = quote {
            quote = (is_escaped || c != end).then_some(end);
            is_escaped = c == '\\' && !is_escaped;
            continue;
        }
        match c {
            '"' | '\'' => quote = Some(c),
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ';' | '{' | '}' if depth == 0 => {
                all.push(&text[start..=at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    all.push(&text[start..]);
    all
}

/// Lines of a text without what stands around their statement.
fn plainly(text: &str) -> String {
    text.trim_start_matches(['}', ' ']).trim_end_matches([';', '{', '}', ' ']).to_owned()
}

/// Whether a bracket is missing at the end.
fn is_open(text: &str) -> bool {
    text.matches('(').count() > text.matches(')').count()
}

/// A shared variable that an expression reads.
fn shared_read(expr: &Expr) -> Option<GlobalId> {
    match &expr.kind {
        ExprKind::Read(Place { var: VarRef::Global(global), .. }) => Some(*global),
        _ => operands(expr).into_iter().find_map(shared_read),
    }
}

#[cfg(test)]
mod tests {
    use super::statements;

    #[test]
    fn lines_are_cut_into_statements() {
        let cut = |text: &'static str| statements(text).join("|");
        assert_eq!(
            cut("void f(int a) { g(';'); assert(a); }"),
            "void f(int a) {| g(';');| assert(a);| }|"
        );
        assert_eq!(
            cut("for (i = 0; i < 2; i++) puts(\"{\\\";\");"),
            "for (i = 0; i < 2; i++) puts(\"{\\\";\");|"
        );
        assert_eq!(cut("} while (x)"), "}| while (x)");
    }
}
