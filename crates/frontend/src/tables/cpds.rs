//! # `.cpds`
//! Tables with names, everything in one file: `shared`, `init`, `thread … { rules }`, `target`.
//! No word is reserved: what a word means is clear from where it stands.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::{Name, Property, SharedId, SymbolId, TablesBuilder};
use selvedge_program::{Source, Span};

use super::draft::{Block, Draft, Group, MOST_THREADS, Stage};
use super::pattern;
use super::rule::{Vocabulary, rule};
use super::words::{Kind, Scanner, Token, shorten};
use super::{Format, Report};
use crate::Diagnostic;

/// More shared states than this cannot be listed, only counted from 0.
const MOST_NAMES: u32 = 10_000_000;

/// A file, with its targets not yet read: they are about all threads.
pub(super) struct File<'a> {
    pub(super) draft: Draft,
    /// What follows each `target`.
    pub(super) targets: Vec<Scanner<'a>>,
}

/// Reads a file. The initial shared state may be missing where it is given otherwise.
pub(super) fn parse<'a>(source: &'a Source, needs_init: bool, report: &mut Report) -> File<'a> {
    let mut reader = Reader {
        scanner: Scanner::new(source.text()),
        file: File { draft: Draft::default(), targets: Vec::new() },
        symbols: Symbols::default(),
        blocks: FxHashMap::default(),
        seen: FxHashSet::default(),
        report,
    };
    if !reader.scanner.skip_blank_lines() {
        let empty = Diagnostic::error(reader.scanner.token.span, "the file is empty")
            .hint("begin with the shared states, `shared 0 1 2`, and the first one, `init 0`");
        reader.report.push(empty);
        return reader.file;
    }
    while reader.report.lasts() && reader.scanner.skip_blank_lines() {
        if let Err(wrong) = reader.line() {
            reader.report.push(wrong);
        }
        reader.scanner.skip_line();
    }
    reader.complete(needs_init);
    reader.file.draft.names = Some(reader.symbols.names);
    reader.file
}

/// Reads the targets of a file.
pub(super) fn targets(
    stage: &mut Stage,
    lines: Vec<Scanner<'_>>,
    report: &mut Report,
) -> Vec<Property> {
    let mut found = Vec::new();
    for mut line in lines {
        match pattern::target(stage, &mut line, Format::Cpds, report) {
            Ok(more) => found.extend(more),
            Err(wrong) => report.push(wrong),
        }
    }
    found
}

struct Reader<'a, 'r> {
    scanner: Scanner<'a>,
    file: File<'a>,
    symbols: Symbols<'a>,
    /// The blocks by name, and where the name stands.
    blocks: FxHashMap<&'a str, (usize, Span)>,
    /// The words that lines began with.
    seen: FxHashSet<&'a str>,
    report: &'r mut Report,
}

impl<'a> Reader<'a, '_> {
    fn line(&mut self) -> Result<(), Diagnostic> {
        let first = self.scanner.take();
        let word = self.scanner.text(first);
        self.seen.insert(word);
        match word {
            "shared" => self.shared(),
            "init" => self.init(),
            "thread" => self.thread(),
            "target" => {
                self.file.targets.push(self.scanner.clone());
                Ok(())
            }
            _ => {
                let wanted = "`shared`, `init`, `thread` or `target`";
                let wrong = self.scanner.unexpected(first, wanted);
                let is_rule = first.is_name() && self.scanner.token.is_name();
                Err(if is_rule {
                    wrong.hint("rules stand in the braces of a thread")
                } else {
                    wrong
                })
            }
        }
    }

    /// Reports what the file must have and lacks.
    fn complete(&mut self, needs_init: bool) {
        let end = self.scanner.token.span;
        let mut missing = |word: &str, message: &str, hint: &str| {
            if !self.seen.contains(word) {
                self.report.push(Diagnostic::error(end, message).hint(hint));
            }
        };
        missing(
            "shared",
            "there are no shared states",
            "list them: `shared 0 1 2` or `shared 0..2`",
        );
        if needs_init {
            missing("init", "there is no initial shared state", "name it: `init 0`");
        }
        let hint = "a thread is written `thread T starts s { rules }`";
        missing("thread", "there is no thread", hint);
    }

    /// `shared 0..4 idle busy`
    fn shared(&mut self) -> Result<(), Diagnostic> {
        loop {
            let token = self.scanner.name("the name of a shared state")?;
            let text = self.scanner.text(token);
            match text.split_once("..").map(|(lo, hi)| (lo.parse(), hi.parse())) {
                Some((Ok(lo), Ok(hi))) => self.shared_range(token.span, lo, hi)?,
                _ => self.add_shared(token.span, text.into())?,
            }
            if self.scanner.at_line_end() {
                return Ok(());
            }
        }
    }

    /// `0..4`. Shared states that are numbered from 0 are counted, others are listed.
    fn shared_range(&mut self, span: Span, lo: u32, hi: u32) -> Result<(), Diagnostic> {
        let builder = &mut self.file.draft.builder;
        if hi < lo {
            return Err(Diagnostic::error(span, "this range runs backwards"));
        }
        if lo == 0 && builder.shared_count() == 0 && hi < u32::MAX - MOST_NAMES {
            builder.numbered_shared(hi + 1);
            return Ok(());
        }
        if hi - lo >= MOST_NAMES {
            let hint = format!("at most {MOST_NAMES}, unless they are numbered from 0");
            return Err(Diagnostic::error(span, "these are too many shared states").hint(hint));
        }
        (lo..=hi).try_for_each(|number| self.add_shared(span, number.into()))
    }

    fn add_shared(&mut self, span: Span, name: Name) -> Result<(), Diagnostic> {
        let builder = &mut self.file.draft.builder;
        if builder.shared_count() >= u32::MAX as usize {
            return Err(Diagnostic::error(span, "there are too many shared states"));
        }
        if builder.find_shared(name.clone()).is_some() {
            let message = format!("the shared state `{}` is declared twice", shorten(&name.text()));
            self.report.push(Diagnostic::error(span, message));
        }
        builder.shared(name);
        Ok(())
    }

    /// `init 0`, or several.
    fn init(&mut self) -> Result<(), Diagnostic> {
        loop {
            let token = self.scanner.name("a shared state")?;
            let draft = &mut self.file.draft;
            match find_shared(&draft.builder, &self.scanner, token) {
                Ok(shared) => draft.initial.push(shared),
                Err(wrong) => self.report.push(wrong),
            }
            if self.scanner.at_line_end() {
                return Ok(());
            }
        }
    }

    /// `thread T * 2 with s starts s s | s { rules }`, or `thread T like U starts s`
    fn thread(&mut self) -> Result<(), Diagnostic> {
        let blocks = self.file.draft.blocks.len();
        match self.header() {
            Ok(group) => {
                let (name, block) = (group.name.clone(), group.block);
                self.file.draft.groups.push(group);
                if block < blocks {
                    return self.line_end("the end of the line");
                }
                self.file.draft.blocks.push(Block { name, ..Block::default() });
                self.rules()
            }
            Err(wrong) => {
                // The rules may be wrong too.
                self.report.push(wrong);
                while !self.scanner.at_line_end() && self.scanner.token.kind != Kind::Open {
                    self.scanner.take();
                }
                self.file.draft.blocks.push(Block::default());
                if self.scanner.at_line_end() { Ok(()) } else { self.rules() }
            }
        }
    }

    /// Parses the header before the rules of a thread.
    fn header(&mut self) -> Result<Group, Diagnostic> {
        let token = self.scanner.name("the name of a thread")?;
        let name = self.scanner.text(token);
        let count = if self.scanner.take_if(Kind::Star) { self.count()? } else { 1 };
        let like = if self.scanner.take_word("like") { Some(self.block()?) } else { None };
        let more = if self.scanner.take_word("with") { self.more_symbols()? } else { Vec::new() };
        let stacks = self.starts(token)?;
        let block = like.unwrap_or(self.file.draft.blocks.len());
        if let Some((_, earlier)) = self.blocks.insert(name, (block, token.span)) {
            let message = format!("there are two threads `{}`", shorten(name));
            let wrong = Diagnostic::error(token.span, message).related(earlier, "the first one");
            self.report.push(wrong);
        }
        Ok(Group { name: name.to_owned(), count, block, more, stacks })
    }

    fn count(&mut self) -> Result<u32, Diagnostic> {
        let token = self.scanner.token;
        match self.scanner.number("the number of threads")? {
            count if count > MOST_THREADS => {
                let message = format!("at most {MOST_THREADS} threads are possible");
                Err(Diagnostic::error(token.span, message))
            }
            count => Ok(count),
        }
    }

    /// The block of an earlier thread.
    fn block(&mut self) -> Result<usize, Diagnostic> {
        let token = self.scanner.name("the name of a thread")?;
        let name = self.scanner.text(token);
        self.blocks.get(name).map(|&(block, _)| block).ok_or_else(|| {
            let message = format!("there is no thread `{}` before this one", shorten(name));
            Diagnostic::error(token.span, message)
        })
    }

    /// `with s, s`: symbols that no rule has.
    fn more_symbols(&mut self) -> Result<Vec<SymbolId>, Diagnostic> {
        let mut more = Vec::new();
        loop {
            let token = self.scanner.name("a stack symbol")?;
            more.push(self.symbols.id(self.scanner.text(token)));
            if !self.scanner.take_if(Kind::Comma) {
                return Ok(more);
            }
        }
    }

    /// `starts s s | s`: the first stacks, top first.
    fn starts(&mut self, thread: Token) -> Result<Vec<Vec<SymbolId>>, Diagnostic> {
        if !self.scanner.take_word("starts") {
            let name = shorten(self.scanner.text(thread));
            return Err(self.scanner.unexpected(self.scanner.token, "`starts`").hint(format!(
                "say what is on the stack at the start: `thread {name} starts s` (top first), or \
                 `starts -` for the empty stack"
            )));
        }
        let mut stacks = Vec::new();
        loop {
            let mut stack = Vec::new();
            if !self.scanner.take_if(Kind::Dash) {
                let wanted = "a stack symbol, or `-` for the empty stack";
                stack.push(self.scanner.name(wanted)?);
                while self.scanner.token.is_name() {
                    stack.push(self.scanner.take());
                }
            }
            let id = |token: Token| self.symbols.id(self.scanner.text(token));
            stacks.push(stack.into_iter().map(id).collect());
            if !self.scanner.take_if(Kind::Bar) {
                return Ok(stacks);
            }
        }
    }

    /// `{ rules }` for the last block.
    fn rules(&mut self) -> Result<(), Diagnostic> {
        let open = self.scanner.token;
        if !self.scanner.take_if(Kind::Open) {
            let wrong = self.scanner.unexpected(open, "`{` and the rules of the thread");
            return Err(wrong.hint("`thread T like U starts s` needs no rules of its own"));
        }
        loop {
            if !self.scanner.skip_blank_lines() {
                let wrong = Diagnostic::error(open.span, "this `{` is not closed");
                return Err(wrong.hint("write `}` after the last rule of the thread"));
            }
            if self.scanner.take_if(Kind::Close) {
                break;
            }
            let draft = &mut self.file.draft;
            let mut words = RuleNames { builder: &draft.builder, symbols: &mut self.symbols };
            match rule(&mut self.scanner, Format::Cpds, &mut words, self.report) {
                Ok(rule) => draft.blocks.last_mut().expect("the thread's").rules.push(rule),
                Err(wrong) => {
                    self.report.push(wrong);
                    self.scanner.skip_line();
                }
            }
        }
        self.line_end("the end of the line after `}`")
    }

    fn line_end(&self, wanted: &str) -> Result<(), Diagnostic> {
        if self.scanner.at_line_end() {
            return Ok(());
        }
        Err(self.scanner.unexpected(self.scanner.token, wanted))
    }
}

/// The stack symbols of a file: declared by their use.
#[derive(Default)]
struct Symbols<'a> {
    names: Vec<Name>,
    ids: FxHashMap<&'a str, SymbolId>,
}

impl<'a> Symbols<'a> {
    fn id(&mut self, name: &'a str) -> SymbolId {
        *self.ids.entry(name).or_insert_with(|| {
            self.names.push(name.into());
            SymbolId::from(self.names.len() - 1)
        })
    }
}

/// Resolves the names in a rule.
struct RuleNames<'k, 'a> {
    builder: &'k TablesBuilder,
    symbols: &'k mut Symbols<'a>,
}

impl<'a> Vocabulary<'a> for RuleNames<'_, 'a> {
    fn shared(&mut self, scanner: &Scanner<'a>, token: Token) -> Result<SharedId, Diagnostic> {
        find_shared(self.builder, scanner, token)
    }

    fn symbol(&mut self, scanner: &Scanner<'a>, token: Token) -> Result<SymbolId, Diagnostic> {
        Ok(self.symbols.id(scanner.text(token)))
    }
}

fn find_shared(
    builder: &TablesBuilder,
    scanner: &Scanner<'_>,
    token: Token,
) -> Result<SharedId, Diagnostic> {
    let name = scanner.text(token);
    builder.find_shared(name).ok_or_else(|| {
        Diagnostic::error(token.span, format!("there is no shared state `{}`", shorten(name)))
            .hint("shared states are listed before they are used: `shared 0 1 2`")
    })
}
