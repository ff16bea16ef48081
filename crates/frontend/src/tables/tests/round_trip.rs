//! Printed tables are read as the same system.

use proptest::prelude::*;
use selvedge_model::{
    Pattern, Property, Rule, SharedId, StackPattern, SymbolId, System, Tables, TemplateId,
    ThreadId, TopPattern, Word,
};

use super::super::{Format, TableInput, print};
use super::read_with;

/// A random system, as numbers that [`Plan::build`] takes modulo what there is.
#[derive(Clone, Debug)]
struct Plan {
    named: bool,
    shared: u32,
    /// For each template, its rules.
    rules: Vec<Vec<[u32; 8]>>,
    /// For each thread, its template and its first stacks.
    threads: Vec<(usize, Vec<Vec<u32>>)>,
    initial: Vec<u32>,
    targets: Vec<(u32, Vec<u32>)>,
    /// Whether there are spawns, several initial states, and targets that leave something open.
    rich: bool,
}

fn plan() -> impl Strategy<Value = Plan> {
    let rules = prop::collection::vec(prop::collection::vec(any::<[u32; 8]>(), 0..8), 1..4);
    let stacks = prop::collection::vec(prop::collection::vec(any::<u32>(), 0..4), 1..3);
    let threads = prop::collection::vec((any::<usize>(), stacks), 1..5);
    let targets =
        prop::collection::vec((any::<u32>(), prop::collection::vec(any::<u32>(), 5)), 0..3);
    let initial = prop::collection::vec(any::<u32>(), 1..3);
    (any::<bool>(), 1..6u32, rules, threads, initial, targets, any::<bool>()).prop_map(
        |(named, shared, rules, threads, initial, targets, rich)| Plan {
            named,
            shared,
            rules,
            threads,
            initial,
            targets,
            rich,
        },
    )
}

/// How many symbols each template has.
const SYMBOLS: u32 = 6;

impl Plan {
    fn build(&self) -> TableInput {
        let mut builder = Tables::builder();
        let shared: Vec<SharedId> = (0..self.shared)
            .map(|n| if self.named { builder.shared(format!("q{n}")) } else { builder.shared(n) })
            .collect();
        let state = |n: u32| shared[n as usize % shared.len()];
        let mut symbols: Vec<Vec<SymbolId>> = Vec::new();
        for (index, rules) in self.rules.iter().enumerate() {
            let template = builder.template(format!("T{}", index + 1));
            let own = (0..SYMBOLS).map(|n| match self.named {
                true => builder.symbol(template, format!("s{n}.{index}")),
                false => builder.symbol(template, 10 * n + index as u32),
            });
            let own: Vec<_> = own.collect();
            for &[q, top, r, length, a, b, spawns, spawn] in rules {
                let symbol = |n: u32| own[(n % SYMBOLS) as usize];
                let word = match length % 3 {
                    0 => Word::Pop,
                    1 => Word::Rewrite(symbol(a)),
                    _ => Word::Push { top: symbol(a), under: symbol(b) },
                };
                builder.add_rule(
                    template,
                    Rule {
                        shared: state(q),
                        top: (top % 7 != 0).then(|| symbol(top)),
                        to_shared: state(r),
                        word,
                        spawn: (self.rich && spawns % 4 == 0).then(|| symbol(spawn)),
                        line: 0,
                    },
                );
            }
            symbols.push(own);
        }
        for (index, (template, stacks)) in self.threads.iter().enumerate() {
            let own = &symbols[template % symbols.len()];
            let stack = |stack: &Vec<u32>| -> Vec<SymbolId> {
                stack.iter().map(|n| own[(n % SYMBOLS) as usize]).collect()
            };
            let template = TemplateId::from(template % symbols.len());
            let thread = builder.thread(format!("U{}", index + 1), template, stack(&stacks[0]));
            if self.rich {
                let mut seen = vec![stack(&stacks[0])];
                for other in stacks[1..].iter().map(stack) {
                    if !seen.contains(&other) {
                        builder.other_stack(thread, other.clone());
                        seen.push(other);
                    }
                }
            }
        }
        let mut initial: Vec<_> = self.initial.iter().map(|&n| state(n)).collect();
        initial.dedup();
        initial.truncate(if self.rich { 2 } else { 1 });
        initial.into_iter().for_each(|shared| builder.initial(shared));
        let tables = builder.build();
        let targets = self.targets.iter().map(|target| self.target(target, &tables, &symbols));
        let targets = targets.take(if self.rich { 3 } else { 1 }).collect();
        TableInput { tables, targets }
    }

    fn target(
        &self,
        (shared, tops): &(u32, Vec<u32>),
        tables: &Tables,
        symbols: &[Vec<SymbolId>],
    ) -> Property {
        let any = self.rich && shared % 5 == 0;
        let state = (!any).then_some(SharedId(shared % self.shared));
        if self.rich && tops[0] % 3 == 0 {
            let symbol = symbols[tops[1] as usize % symbols.len()][(tops[2] % SYMBOLS) as usize];
            return Property::Unreachable(Pattern::Somewhere {
                shared: state,
                template: None,
                symbol,
            });
        }
        let top = |(thread, n): (&selvedge_model::ThreadInfo, &u32)| match n % 5 {
            0 => TopPattern::Empty,
            1 if self.rich => TopPattern::Any,
            _ => TopPattern::Symbol(symbols[thread.template.index()][(n % SYMBOLS) as usize]),
        };
        if self.rich && tops[0] % 3 == 1 {
            // The first stack is named whole, and every other one by chance.
            let stacks = tables.threads().iter().zip(tops).enumerate().map(|(at, (thread, n))| {
                let own = &symbols[thread.template.index()];
                let height = 1 + n / 7 % 3;
                let symbols =
                    (0..height).map(|level| own[((n + level * level) % SYMBOLS) as usize]);
                match at == 0 || n % 2 == 0 {
                    true => StackPattern::Whole(symbols.collect()),
                    false => StackPattern::Top(top((thread, n))),
                }
            });
            let stacks = stacks.collect();
            return Property::Unreachable(Pattern::Configuration { shared: state, stacks });
        }
        let tops = tables.threads().iter().zip(tops).map(top).collect();
        Property::Unreachable(Pattern::Tuple { shared: state, tops })
    }
}

/// What a system does, by names: independent of ids, lines, and of which threads share rules.
fn meaning(input: &TableInput, names: bool) -> Vec<String> {
    let tables = &input.tables;
    let mut lines = vec![format!("{} shared states", tables.shared_count())];
    for (index, thread) in tables.threads().iter().enumerate() {
        lines.push(if names { thread.name.clone() } else { "thread".to_owned() });
        let stacks = tables.first_stacks(ThreadId::from(index)).iter();
        lines.extend(sorted(stacks.map(|stack| show(tables, stack.iter().copied()))));
        let rules = tables.rules(thread.template).iter().map(|rule| {
            let (q, r) = (tables.shared_name(rule.shared), tables.shared_name(rule.to_shared));
            let (top, word) = (show(tables, rule.top), show(tables, rule.word.symbols()));
            format!("{q} {top} -> {r} {word} + {}", show(tables, rule.spawn))
        });
        lines.extend(sorted(rules));
    }
    let initial = tables.initial_shared().iter();
    lines.extend(sorted(initial.map(|&shared| tables.shared_name(shared).into_owned())));
    lines.extend(input.targets.iter().map(|target| show_target(tables, target)));
    lines
}

fn sorted(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<_> = lines.collect();
    lines.sort();
    lines
}

fn show(tables: &Tables, symbols: impl IntoIterator<Item = SymbolId>) -> String {
    let names: Vec<_> = symbols.into_iter().map(|s| tables.symbol_name(s)).collect();
    format!("[{}]", names.join(" "))
}

fn show_target(tables: &Tables, target: &Property) -> String {
    let name = |shared: &Option<SharedId>| shared.map(|s| tables.shared_name(s).into_owned());
    match target {
        Property::NeverWrong | Property::NoDeadlock(_) => String::new(),
        Property::Unreachable(Pattern::Together(_)) => panic!("a table has no places"),
        Property::Unreachable(Pattern::Tuple { shared, tops }) => {
            let tops = tops.iter().map(|top| show_top(tables, *top));
            format!("{:?}|{:?}", name(shared), tops.collect::<Vec<_>>())
        }
        Property::Unreachable(Pattern::Configuration { shared, stacks }) => {
            let stacks = stacks.iter().map(|stack| match stack {
                StackPattern::Top(top) => show_top(tables, *top),
                StackPattern::Whole(symbols) => {
                    format!("whole {}", show(tables, symbols.iter().copied()))
                }
            });
            format!("{:?}|{:?}", name(shared), stacks.collect::<Vec<_>>())
        }
        Property::Unreachable(Pattern::Somewhere { shared, symbol, .. }) => {
            format!("{:?}|{}", name(shared), show(tables, [*symbol]))
        }
    }
}

fn show_top(tables: &Tables, top: TopPattern) -> String {
    match top {
        TopPattern::Any => "*".to_owned(),
        TopPattern::Empty => "-".to_owned(),
        TopPattern::Symbol(symbol) => show(tables, [symbol]),
    }
}

fn read_again(format: Format, text: &str, init: Option<&str>, target: Option<&str>) -> TableInput {
    match read_with(format, text, init, target) {
        Ok(input) => input,
        Err(error) => panic!("{text}\n{error}"),
    }
}

proptest! {
    #[test]
    fn through_cpds(plan in plan()) {
        let input = plan.build();
        let text = print::cpds(&input.tables, &input.targets).expect("names are words");
        let again = read_again(Format::Cpds, &text, None, None);
        prop_assert_eq!(meaning(&again, true), meaning(&input, true), "{}", text);
        let text = print::cpds(&again.tables, &again.targets).expect("names are words");
        let third = read_again(Format::Cpds, &text, None, None);
        prop_assert_eq!(print::cpds(&third.tables, &third.targets), Ok(text));
        prop_assert_eq!(meaning(&third, true), meaning(&input, true));
    }

    #[test]
    fn through_pds(plan in plan()) {
        let input = Plan { rich: false, named: false, ..plan }.build();
        let files = print::pds(&input.tables, &input.targets).expect("nothing that it cannot say");
        let again = read_again(Format::Pds, &files.pds, Some(&files.init), files.spec.as_deref());
        prop_assert_eq!(meaning(&again, false), meaning(&input, false), "{:?}", files);
        let again = print::pds(&again.tables, &again.targets).expect("as before");
        prop_assert_eq!(again.init, files.init);
        prop_assert_eq!(again.spec, files.spec);
    }
}
