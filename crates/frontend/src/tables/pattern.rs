//! # States in one line
//! `q|w,w,…` is an initial state, `q|top,top,…` a target: in the files beside a table, on the
//! command line, and after `target` in a `.cpds`. In a target, symbols joined by `.` or spaces are a
//! whole stack, and so is one symbol on the bottom, `4.-`: a symbol alone is the top. Both are read against the finished rules, so
//! that a symbol of the wrong thread is found.

use selvedge_model::{
    Name, Pattern, Property, SharedId, StackPattern, SymbolId, TemplateId, TopPattern,
};
use selvedge_program::{Source, Span};

use super::draft::Stage;
use super::words::{Kind, Scanner, Token, shorten};
use super::{Format, Report};
use crate::Diagnostic;

/// Reads an initial state and gives it to the threads.
pub(super) fn initial(stage: &mut Stage, source: &Source, format: Format, report: &mut Report) {
    let mut line = Line { scanner: Scanner::new(source.text()), stage, format, report };
    line.scanner.skip_blank_lines();
    if let Err(wrong) = line.initial() {
        line.report.push(wrong);
    }
    if line.scanner.next_line() {
        let token = line.scanner.token;
        line.report.push(Diagnostic::error(token.span, "there is more than one initial state"));
    }
}

/// Reads the targets of a source, one a line.
pub(super) fn targets(
    stage: &mut Stage,
    source: &Source,
    format: Format,
    report: &mut Report,
) -> Vec<Property> {
    let mut scanner = Scanner::new(source.text());
    let mut found = Vec::new();
    if !scanner.skip_blank_lines() {
        report.push(scanner.unexpected(scanner.token, "a target").hint(example(format)));
        return found;
    }
    loop {
        match target(stage, &mut scanner, format, report) {
            Ok(more) => found.extend(more),
            Err(wrong) => report.push(wrong),
        }
        if !scanner.next_line() {
            return found;
        }
    }
}

/// Reads one target, up to the end of the line.
pub(super) fn target(
    stage: &mut Stage,
    scanner: &mut Scanner<'_>,
    format: Format,
    report: &mut Report,
) -> Result<Vec<Property>, Diagnostic> {
    let mut line = Line { scanner: scanner.clone(), stage, format, report };
    let patterns = line.target();
    *scanner = line.scanner;
    Ok(patterns?.into_iter().map(Property::Unreachable).collect())
}

fn example(format: Format) -> &'static str {
    match format {
        Format::Tts => "a target is written `shared|local`, like `4|23`",
        Format::Pds | Format::Cpds => {
            "a target is written `shared|top,top,…`, like `20|23,*,-`, or `somewhere 20|23`; with \
             dots, a stack is meant whole: `20|23.7,*,5.-`"
        }
    }
}

struct Line<'s, 'a> {
    scanner: Scanner<'a>,
    stage: &'s mut Stage,
    format: Format,
    report: &'s mut Report,
}

impl Line<'_, '_> {
    fn initial(&mut self) -> Result<(), Diagnostic> {
        let start = self.scanner.token.span;
        let token = self.scanner.name("the initial shared state")?;
        let shared = self.shared(token);
        self.bar("an initial state is written `q|w,w,…` with one stack for each thread")?;
        let mut stacks = Vec::new();
        loop {
            stacks.push(self.stack(stacks.len())?);
            if !self.scanner.take_if(Kind::Comma) {
                break;
            }
        }
        self.line_end()?;
        self.arity("stack", start, stacks.len())?;
        self.stage.initial = vec![shared];
        for (seat, stack) in self.stage.threads.iter_mut().zip(stacks) {
            seat.stacks = vec![stack];
        }
        Ok(())
    }

    /// Symbols joined by `.` or spaces, top first, or `-`.
    fn stack(&mut self, thread: usize) -> Result<Vec<SymbolId>, Diagnostic> {
        if self.scanner.take_if(Kind::Dash) {
            return Ok(Vec::new());
        }
        let mut stack = Vec::new();
        let mut token = self.scanner.name("a stack, or `-` for the empty one")?;
        loop {
            self.symbols(thread, token, &mut stack);
            if !self.scanner.token.is_name() {
                return Ok(stack);
            }
            token = self.scanner.take();
        }
    }

    /// The symbols of one word: itself, or the parts between its dots. How many it names.
    fn symbols(&mut self, thread: usize, token: Token, stack: &mut Vec<SymbolId>) -> usize {
        let (text, name) = (self.scanner.text(token), self.name(token));
        if !text.contains('.') || self.find_symbol(thread, &name).is_some() {
            stack.extend(self.symbol(thread, token.span, &name));
            return 1;
        }
        self.parts(thread, token.span.start as usize, text, stack)
    }

    /// The symbols between dots of a text that begins at an offset. How many it names.
    fn parts(
        &mut self,
        thread: usize,
        mut start: usize,
        text: &str,
        stack: &mut Vec<SymbolId>,
    ) -> usize {
        let mut named = 0;
        for part in text.split('.') {
            let span = Span::new(start, start + part.len());
            start += part.len() + 1;
            named += 1;
            if part.is_empty() {
                let dot = Span::new(span.start as usize - usize::from(named > 1), start - 1);
                let wrong = Diagnostic::error(dot, "expected a stack symbol beside this dot");
                self.report
                    .push(wrong.hint("dots are between the symbols of a whole stack: `4.6`"));
            } else {
                stack.extend(self.symbol(thread, span, &part.into()));
            }
        }
        named
    }

    fn target(&mut self) -> Result<Vec<Pattern>, Diagnostic> {
        let start = self.scanner.token;
        let mut after = self.scanner.clone();
        after.take();
        let somewhere = after.token.kind != Kind::Bar && self.scanner.take_word("somewhere");
        let shared = if self.scanner.take_if(Kind::Star) {
            None
        } else {
            let token = self.scanner.name("a shared state, or `*` for any")?;
            Some(self.shared(token))
        };
        self.bar(example(self.format))?;
        if somewhere || self.format == Format::Tts {
            return self.somewhere(shared);
        }
        let mut stacks = Vec::new();
        loop {
            stacks.push(self.stack_pattern(stacks.len())?);
            if !self.scanner.take_if(Kind::Comma) {
                break;
            }
        }
        self.line_end()?;
        let is_whole = |stack: &StackPattern| matches!(stack, StackPattern::Whole(_));
        if stacks.iter().any(is_whole) {
            self.arity("stack", start.span, stacks.len())?;
            return Ok(vec![Pattern::Configuration { shared, stacks }]);
        }
        self.arity("top", start.span, stacks.len())?;
        let tops = stacks.iter().map(StackPattern::top).collect();
        Ok(vec![Pattern::Tuple { shared, tops }])
    }

    /// A symbol for the top of a stack, or several for a whole stack; `-` after them is its bottom.
    fn stack_pattern(&mut self, thread: usize) -> Result<StackPattern, Diagnostic> {
        if self.scanner.take_if(Kind::Star) {
            return Ok(StackPattern::Top(TopPattern::Any));
        }
        if self.scanner.take_if(Kind::Dash) {
            return Ok(StackPattern::Top(TopPattern::Empty));
        }
        let mut stack = Vec::new();
        let mut named = 0;
        let mut token =
            self.scanner.name("a stack symbol, `-` for the empty stack or `*` for anything")?;
        loop {
            let (text, name) = (self.scanner.text(token), self.name(token));
            // `4.-` is scanned as `4.` and `-`.
            let before_bottom = text.strip_suffix('.');
            let before_bottom = before_bottom.filter(|_| self.scanner.token.kind == Kind::Dash);
            if self.find_symbol(thread, &name).is_none()
                && let Some(text) = before_bottom
            {
                named += self.parts(thread, token.span.start as usize, text, &mut stack);
            } else {
                named += self.symbols(thread, token, &mut stack);
            }
            if !self.scanner.token.is_name() {
                break;
            }
            token = self.scanner.take();
        }
        let has_bottom = self.scanner.take_if(Kind::Dash);
        Ok(match stack[..] {
            // There is a complaint about each symbol that is not there.
            _ if stack.len() < named => StackPattern::Top(TopPattern::Any),
            [top] if !has_bottom => StackPattern::Top(TopPattern::Symbol(top)),
            _ => StackPattern::Whole(stack.into()),
        })
    }

    /// `symbol` or `symbol in thread`: one pattern for each template that has such a symbol.
    fn somewhere(&mut self, shared: Option<SharedId>) -> Result<Vec<Pattern>, Diagnostic> {
        let token = self.scanner.name("one symbol")?;
        let name = self.name(token);
        let mut only = None;
        if self.scanner.take_word("in") {
            let thread = self.scanner.name("the name of a thread")?;
            only = Some(self.template(thread)?);
        }
        if !self.scanner.at_line_end() {
            let wrong = self.scanner.unexpected(self.scanner.token, "the end of the line");
            return Err(wrong.hint(example(self.format)));
        }
        let mut symbols = Vec::new();
        for group in 0..self.stage.groups.len() {
            if only.is_none_or(|only| only == self.stage.groups[group].template) {
                let found = self.stage.symbol(group, &name);
                symbols.extend(found.filter(|s| !symbols.contains(s)));
            }
        }
        if symbols.is_empty() {
            let message = match self.format {
                Format::Tts => format!("there is no local state {}", show(&name)),
                Format::Pds | Format::Cpds => {
                    format!("no thread has a stack symbol {}", show(&name))
                }
            };
            self.report.push(Diagnostic::error(token.span, message));
        }
        let pattern = |symbol| Pattern::Somewhere { shared, template: only, symbol };
        Ok(symbols.into_iter().map(pattern).collect())
    }

    fn template(&mut self, token: Token) -> Result<TemplateId, Diagnostic> {
        let text = self.scanner.text(token);
        let group = self.stage.groups.iter().find(|group| group.name == text);
        group.map(|group| group.template).ok_or_else(|| {
            Diagnostic::error(token.span, format!("there is no thread `{}`", shorten(text)))
        })
    }

    /// The name that a token stands for. Numbers may have leading zeros where there is nothing
    /// but numbers.
    fn name(&self, token: Token) -> Name {
        match token.kind {
            Kind::Number(number) if self.format != Format::Cpds => Name::Number(number),
            _ => self.scanner.text(token).into(),
        }
    }

    fn bar(&mut self, hint: &str) -> Result<(), Diagnostic> {
        if self.scanner.take_if(Kind::Bar) {
            return Ok(());
        }
        Err(self.scanner.unexpected(self.scanner.token, "`|` after the shared state").hint(hint))
    }

    fn line_end(&mut self) -> Result<(), Diagnostic> {
        if self.scanner.at_line_end() {
            return Ok(());
        }
        Err(self.scanner.unexpected(self.scanner.token, "`,` or the end of the line"))
    }

    /// Whether there is one thing for each thread.
    fn arity(&self, what: &str, start: Span, found: usize) -> Result<(), Diagnostic> {
        let threads = &self.stage.threads;
        if found == threads.len() {
            return Ok(());
        }
        let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let span = Span { start: start.start, end: self.scanner.token.span.start };
        let (given, wanted) = (plural(found, what), plural(threads.len(), "thread"));
        let names: Vec<_> = threads.iter().take(8).map(|seat| seat.name.as_str()).collect();
        let more = if threads.len() > names.len() { ", …" } else { "" };
        Err(Diagnostic::error(span, format!("{given} given, but there are {wanted}"))
            .hint(format!("give one {what} for each of {}{more}", names.join(", "))))
    }

    fn shared(&mut self, token: Token) -> SharedId {
        let name = self.name(token);
        self.stage.builder.find_shared(name.clone()).unwrap_or_else(|| {
            let message = format!("there is no shared state {}", show(&name));
            self.report.push(Diagnostic::error(token.span, message));
            SharedId(0)
        })
    }

    /// The symbol of a thread, if there are the thread and the symbol.
    fn find_symbol(&mut self, thread: usize, name: &Name) -> Option<SymbolId> {
        let group = self.stage.threads.get(thread)?.group;
        self.stage.symbol(group, name)
    }

    /// The symbol of a thread; a complaint if the thread does not have it.
    fn symbol(&mut self, thread: usize, span: Span, name: &Name) -> Option<SymbolId> {
        let found = self.find_symbol(thread, name);
        if found.is_none() && thread < self.stage.threads.len() {
            let wrong = self.foreign_symbol(thread, span, name);
            self.report.push(wrong);
        }
        found
    }

    fn foreign_symbol(&mut self, thread: usize, span: Span, name: &Name) -> Diagnostic {
        let mut threads = 0..self.stage.threads.len();
        let owner = threads.find(|&other| self.find_symbol(other, name).is_some());
        let threads = &self.stage.threads;
        let message = format!("thread {} has no stack symbol {}", threads[thread].name, show(name));
        let wrong = Diagnostic::error(span, message);
        match owner {
            Some(owner) => wrong
                .label(format!("a symbol of thread {}", threads[owner].name))
                .hint("the order is that of the threads in the table"),
            None => wrong.label("no thread has it"),
        }
    }
}

fn show(name: &Name) -> String {
    format!("`{}`", shorten(&name.text()))
}
