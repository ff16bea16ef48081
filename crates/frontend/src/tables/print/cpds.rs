//! A system as `.cpds` text.

use std::fmt::Write;

use rustc_hash::FxHashSet;
use selvedge_model::{
    Pattern, Property, Rule, SharedId, StackPattern, SymbolId, System, Tables, TemplateId,
    ThreadId, TopPattern,
};

use super::{IN_PROGRAMS, NEVER, NotExpressible, not_expressible, patterns, symbols};
use crate::tables::words::is_name;

/// The system as `.cpds` text. Reading the text gives the same system again. Not expressible are
/// names that are not one word.
pub fn cpds(tables: &Tables, targets: &[Property]) -> Result<String, NotExpressible> {
    let declared = vec![None; tables.template_count()];
    let mut printer =
        Printer { tables, declared, threads: FxHashSet::default(), out: String::new() };
    printer.shared()?;
    printer.threads()?;
    for (index, pattern) in patterns(targets).into_iter().enumerate() {
        let target = printer.target(pattern)?;
        printer.out += if index == 0 { "\n" } else { "" };
        printer.out += &format!("target {target}\n");
    }
    Ok(printer.out)
}

/// How many names stand in one line.
const NAMES_IN_A_LINE: usize = 16;

struct Printer<'a> {
    tables: &'a Tables,
    /// For each template, the thread whose block has its rules, once that is written.
    declared: Vec<Option<String>>,
    /// The names of the threads so far.
    threads: FxHashSet<String>,
    out: String,
}

impl Printer<'_> {
    fn shared(&mut self) -> Result<(), NotExpressible> {
        match self.tables.numbered_shared() {
            0 => {}
            1 => self.out += "shared 0\n",
            count => self.out += &format!("shared 0..{}\n", count - 1),
        }
        let named = self.tables.numbered_shared() as usize..self.tables.shared_count();
        let names: Result<Vec<_>, _> =
            named.map(|index| self.shared_name(SharedId::from(index))).collect();
        for line in names?.chunks(NAMES_IN_A_LINE) {
            self.out += &format!("shared {}\n", line.join(" "));
        }
        let initial = self.tables.initial_shared().iter();
        let initial: Result<Vec<_>, _> = initial.map(|&shared| self.shared_name(shared)).collect();
        self.out += &format!("init {}\n", initial?.join(" "));
        Ok(())
    }

    fn threads(&mut self) -> Result<(), NotExpressible> {
        let count = self.tables.threads().len();
        let mut next = 0;
        while next < count {
            let first = ThreadId::from(next);
            let (name, instances) = self.group(next);
            let header =
                if instances == 1 { name.clone() } else { format!("{name} * {instances}") };
            let template = self.tables.threads()[next].template;
            self.declare_before(template, &name)?;
            let starts = self.starts(first)?;
            match &self.declared[template.index()] {
                Some(other) => {
                    let other = other.clone();
                    self.thread_name(&name)?;
                    self.out += &format!("\nthread {header} like {other} starts {starts}\n");
                }
                None => self.block(template, &name, &header, &starts)?,
            }
            next += instances;
        }
        self.declare_before(TemplateId::from(self.tables.template_count()), "")
    }

    /// The name of the threads from `first` on that can be written as one, and their number:
    /// `T#1`, `T#2` are `T * 2`; where they do not start alike, they become `T.1` and `T.2`.
    fn group(&self, first: usize) -> (String, usize) {
        let threads = self.tables.threads();
        let alone = || (threads[first].name.replace('#', "."), 1);
        let Some(name) = threads[first].name.strip_suffix("#1") else { return alone() };
        let stacks = |thread: usize| self.tables.first_stacks(ThreadId::from(thread));
        let belongs = |&thread: &usize| {
            threads[thread].name == format!("{name}#{}", thread - first + 1)
                && threads[thread].template == threads[first].template
                && stacks(thread) == stacks(first)
        };
        match (first..threads.len()).take_while(belongs).count() {
            1 => alone(),
            count => (name.to_owned(), count),
        }
    }

    /// Templates are numbered in the order of their rules, and called like the thread that has
    /// them. Where the threads come in another order, templates without threads keep the order.
    fn declare_before(&mut self, template: TemplateId, thread: &str) -> Result<(), NotExpressible> {
        for index in 0..self.tables.template_count().min(template.index() + 1) {
            let earlier = TemplateId::from(index);
            let name = self.tables.describe().template_name(earlier);
            if self.declared[index].is_none() && (earlier != template || name != thread) {
                self.block(earlier, &name, &format!("{name} * 0"), "-")?;
            }
        }
        Ok(())
    }

    /// A thread with its rules.
    fn block(
        &mut self,
        template: TemplateId,
        name: &str,
        header: &str,
        starts: &str,
    ) -> Result<(), NotExpressible> {
        self.thread_name(name)?;
        self.declared[template.index()] = Some(name.to_owned());
        let more = self.unused_symbols(template)?;
        let with =
            if more.is_empty() { String::new() } else { format!("with {} ", more.join(", ")) };
        let _ = writeln!(self.out, "\nthread {header} {with}starts {starts} {{");
        for rule in self.tables.rules(template) {
            self.rule(rule)?;
        }
        self.out += "}\n";
        Ok(())
    }

    fn rule(&mut self, rule: &Rule) -> Result<(), NotExpressible> {
        let top = rule.top.map_or(Ok("-".to_owned()), |top| self.symbol_name(top))?;
        let (from, to) = (self.shared_name(rule.shared)?, self.shared_name(rule.to_shared)?);
        let word = self.stack(rule.word.symbols())?;
        let spawn = match rule.spawn {
            Some(symbol) => format!(" + {}", self.symbol_name(symbol)?),
            None => String::new(),
        };
        let _ = writeln!(self.out, "  {from} {top} -> {to} {word}{spawn}");
        Ok(())
    }

    /// The symbols of a template that are neither in its rules nor in the stacks of its threads.
    fn unused_symbols(&self, template: TemplateId) -> Result<Vec<String>, NotExpressible> {
        let mut used = FxHashSet::default();
        for rule in self.tables.rules(template) {
            used.extend(rule.word.symbols().chain(rule.top).chain(rule.spawn));
        }
        for thread in (0..self.tables.threads().len()).map(ThreadId::from) {
            used.extend(self.tables.first_stacks(thread).iter().flatten());
        }
        let unused = symbols(self.tables, template).filter(|symbol| !used.contains(symbol));
        unused.map(|symbol| self.symbol_name(symbol)).collect()
    }

    fn starts(&self, thread: ThreadId) -> Result<String, NotExpressible> {
        let stacks = self.tables.first_stacks(thread).iter();
        let stacks: Result<Vec<_>, _> = stacks.map(|w| self.stack(w.iter().copied())).collect();
        // They are alternatives: the order is that of their names, whatever their numbers.
        let mut stacks = stacks?;
        stacks.sort_unstable();
        Ok(stacks.join(" | "))
    }

    /// A stack or word, top first.
    fn stack(&self, symbols: impl Iterator<Item = SymbolId>) -> Result<String, NotExpressible> {
        let names: Result<Vec<_>, _> = symbols.map(|symbol| self.symbol_name(symbol)).collect();
        let names = names?;
        Ok(if names.is_empty() { "-".to_owned() } else { names.join(" ") })
    }

    fn target(&self, pattern: &Pattern) -> Result<String, NotExpressible> {
        let shared = |shared: &Option<SharedId>| {
            shared.map_or(Ok("*".to_owned()), |shared| self.shared_name(shared))
        };
        Ok(match pattern {
            Pattern::Together(_) => return not_expressible(IN_PROGRAMS),
            Pattern::Tuple { shared: at, tops } => {
                let stacks: Vec<_> = tops.iter().map(|&top| StackPattern::Top(top)).collect();
                format!("{}|{}", shared(at)?, self.stacks(&stacks)?)
            }
            Pattern::Configuration { shared: at, stacks } => {
                format!("{}|{}", shared(at)?, self.stacks(stacks)?)
            }
            Pattern::Somewhere { shared: at, template, symbol } => {
                let shared = shared(at)?;
                let name = self.symbol_name(*symbol)?;
                let owner = self.tables.template_of(*symbol);
                if template.is_some_and(|template| template != owner) {
                    return not_expressible(NEVER);
                }
                let has_it = |t: &TemplateId| self.tables.find_symbol(*t, name.as_str()).is_some();
                let templates = (0..self.tables.template_count()).map(TemplateId::from);
                let is_ambiguous = templates.filter(has_it).count() > 1;
                match &self.declared[owner.index()] {
                    Some(thread) if template.is_some() || is_ambiguous => {
                        format!("somewhere {shared}|{name} in {thread}")
                    }
                    _ => format!("somewhere {shared}|{name}"),
                }
            }
        })
    }

    fn stacks(&self, stacks: &[StackPattern]) -> Result<String, NotExpressible> {
        let threads = self.tables.threads();
        if stacks.len() > threads.len() {
            return not_expressible("a target is about threads that are started later");
        }
        let mut names = vec!["*".to_owned(); threads.len()];
        for ((name, stack), thread) in names.iter_mut().zip(stacks).zip(threads) {
            let symbols = match stack {
                StackPattern::Top(TopPattern::Any) => continue,
                StackPattern::Top(TopPattern::Empty) => &[][..],
                StackPattern::Top(TopPattern::Symbol(symbol)) => std::slice::from_ref(symbol),
                StackPattern::Whole(symbols) => symbols,
            };
            if symbols.iter().any(|&symbol| self.tables.template_of(symbol) != thread.template) {
                return not_expressible(NEVER);
            }
            *name = self.stack(symbols.iter().copied())?;
            // A symbol alone would be any stack with it on top.
            if matches!(stack, StackPattern::Whole(_)) && symbols.len() == 1 {
                *name += " -";
            }
        }
        Ok(names.join(","))
    }

    /// Notes the name of a thread, as it is written.
    fn thread_name(&mut self, name: &str) -> Result<(), NotExpressible> {
        check_name(name)?;
        if self.threads.insert(name.to_owned()) {
            return Ok(());
        }
        not_expressible(format!("two threads or templates are called `{name}`"))
    }

    fn shared_name(&self, shared: SharedId) -> Result<String, NotExpressible> {
        let name = self.tables.shared_name(shared).into_owned();
        if name.contains("..") {
            return not_expressible(format!("the shared state `{name}` looks like a range"));
        }
        check_name(&name)?;
        Ok(name)
    }

    fn symbol_name(&self, symbol: SymbolId) -> Result<String, NotExpressible> {
        let name = self.tables.symbol_name(symbol).into_owned();
        check_name(&name)?;
        Ok(name)
    }
}

fn check_name(name: &str) -> Result<(), NotExpressible> {
    if is_name(name) { Ok(()) } else { not_expressible(format!("`{name}` is not one word")) }
}
