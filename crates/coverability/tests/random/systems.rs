//! Random thread transition systems: some threads at the start, rules that may start more, and some
//! threads of which there is any number.

use selvedge_model::{
    Action, Describe, Fault, Keys, Pattern, Property, Rule, SharedId, Spawn, State, SymbolId,
    System, Tables, TemplateId, ThreadInfo, Word,
};

/// Tables with threads of which there is any number.
pub struct WithAny {
    tables: Tables,
    any: Vec<Spawn>,
}

/// The random system of a seed, what must not be reached, and the system as it is written: some may
/// drop threads when they are started.
pub fn random(seed: u64) -> (WithAny, Vec<Property>, WithAny) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut tables = Tables::builder();
    let shared: Vec<SharedId> =
        (0..rng.usize(2..=4)).map(|q| tables.shared(q.to_string())).collect();
    let mut templates: Vec<(TemplateId, Vec<SymbolId>)> = Vec::new();
    for template in 0..rng.usize(1..=2) {
        let id = tables.template(format!("T{template}"));
        let symbols = (0..rng.usize(2..=6)).map(|l| tables.symbol(id, l.to_string())).collect();
        templates.push((id, symbols));
    }
    let pick = |rng: &mut fastrand::Rng, symbols: &[SymbolId]| symbols[rng.usize(0..symbols.len())];
    for (template, symbols) in &templates {
        let starts = rng.bool();
        // In every second system, the first shared state is a lock that is free: nobody acts without
        // taking it, and then mostly goes on until it is free again.
        let locks = seed % 2 == 1;
        for _ in 0..rng.usize(3..=if locks { 14 } else { 10 }) {
            let from = rng.usize(0..shared.len());
            let to = match (locks, from) {
                (true, 0) => rng.usize(1..shared.len()),
                (true, _) if rng.u32(0..3) > 0 => from,
                (true, _) => rng.usize(0..=1) * rng.usize(0..shared.len()),
                (false, _) => rng.usize(0..shared.len()),
            };
            let rule = Rule {
                shared: shared[from],
                top: Some(pick(&mut rng, symbols)),
                to_shared: shared[to],
                // Seldom a thread ends.
                word: match rng.u32(0..12) {
                    0 => Word::Pop,
                    _ => Word::Rewrite(pick(&mut rng, symbols)),
                },
                spawn: (starts && rng.u32(0..4) == 0).then(|| pick(&mut rng, symbols)),
                line: 0,
            };
            tables.add_rule(*template, rule);
        }
    }
    let mut any = Vec::new();
    for (at, (template, symbols)) in templates.iter().enumerate() {
        if rng.u32(0..2) == 0 {
            let stack = Word::Rewrite(pick(&mut rng, symbols));
            any.push(Spawn { template: *template, stack });
        }
        for thread in 0..rng.usize(usize::from(any.is_empty())..=2) {
            let stack = vec![pick(&mut rng, symbols)];
            tables.thread(format!("T{at}-{thread}"), *template, stack);
        }
    }
    tables.initial(shared[0]);
    if rng.u32(0..4) == 0 {
        tables.initial(shared[1]);
    }
    let mut targets = Vec::new();
    for _ in 0..rng.usize(1..=2) {
        let (template, symbols) = &templates[rng.usize(0..templates.len())];
        targets.push(Property::Unreachable(Pattern::Somewhere {
            shared: Some(shared[rng.usize(0..shared.len())]),
            template: rng.bool().then_some(*template),
            symbol: pick(&mut rng, symbols),
        }));
    }
    let tables = tables.build();
    let plain = WithAny { tables: tables.clone(), any: any.clone() };
    let tables = if rng.u32(0..4) == 0 { tables.dropping_threads() } else { tables };
    (WithAny { tables, any }, targets, plain)
}

/// A random system whose threads may push, before it is put together.
pub struct Recursive {
    shared: usize,
    /// How many symbols each template has.
    templates: Vec<usize>,
    /// The template, the rule by numbers: from, top, to, word, and what is started.
    pub rules: Vec<(usize, PlainRule)>,
    /// The templates of which there is any number, with their first symbols.
    any: Vec<(usize, usize)>,
    fixed: Vec<(usize, usize)>,
    target: (usize, usize, usize),
}

/// A rule by numbers.
pub type PlainRule = (usize, usize, usize, Vec<usize>, Option<usize>);

/// The random recursive system of a seed.
pub fn recursive(seed: u64) -> Recursive {
    let mut rng = fastrand::Rng::with_seed(seed);
    let shared = rng.usize(2..=3);
    let templates: Vec<usize> = (0..rng.usize(1..=2)).map(|_| rng.usize(2..=4)).collect();
    let mut rules = Vec::new();
    let starts = rng.u32(0..5) == 0;
    for (template, &symbols) in templates.iter().enumerate() {
        for _ in 0..rng.usize(3..=8) {
            let mut symbol = || rng.usize(0..symbols);
            let [top, a, b, c] = std::array::from_fn(|_| symbol());
            let word = match rng.u32(0..10) {
                0..=2 => vec![],
                3..=6 => vec![a],
                _ => vec![a, b],
            };
            let spawn = (starts && rng.u32(0..5) == 0).then_some(c);
            let (from, to) = (rng.usize(0..shared), rng.usize(0..shared));
            rules.push((template, (from, top, to, word, spawn)));
        }
    }
    let mut any = vec![(0, rng.usize(0..templates[0]))];
    let mut fixed = Vec::new();
    if let Some(&symbols) = templates.get(1) {
        let other = (1, rng.usize(0..symbols));
        if rng.bool() { any.push(other) } else { fixed.push(other) }
    }
    let template = rng.usize(0..templates.len());
    let target = (rng.usize(0..shared), template, rng.usize(0..templates[template]));
    Recursive { shared, templates, rules, any, fixed, target }
}

/// A random system about a thread that counts by the height of its stack how many others are inside, and closes
/// when there are none; mostly with a rule less, more or changed. A shared state is what the counter is asked for (0:
/// nothing, 1: up, 2: down), and 3 more when it has closed. Nobody may be inside then.
pub fn ledger(seed: u64) -> Recursive {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut rules: Vec<(usize, PlainRule)> = Vec::new();
    for closed in [0, 3] {
        if closed == 0 || rng.u32(0..4) == 0 {
            rules.push((0, (closed, 0, 1 + closed, vec![1], None)));
        }
        rules.push((0, (closed, 1, 2 + closed, vec![2], None)));
        rules.push((1, (1 + closed, 0, closed, vec![1, 0], None)));
        rules.push((1, (1 + closed, 1, closed, vec![1, 1], None)));
        rules.push((1, (2 + closed, 1, closed, vec![], None)));
    }
    rules.push((1, (0, 0, 3, vec![0], None)));
    for _ in 0..rng.usize(0..=2) {
        let template = rng.usize(0..2);
        let symbol = |rng: &mut fastrand::Rng| rng.usize(0..3 - template);
        let word = (0..rng.usize(0..=2)).map(|_| symbol(&mut rng)).collect();
        let rule = (template, (rng.usize(0..6), symbol(&mut rng), rng.usize(0..6), word, None));
        let at = rng.usize(0..rules.len());
        match rng.u32(0..3) {
            0 => rules.push(rule),
            1 => rules[at] = rule,
            _ => drop(rules.remove(at)),
        }
    }
    let (any, fixed) = (vec![(0, 0)], vec![(1, 0)]);
    Recursive { shared: 6, templates: vec![3, 2], rules, any, fixed, target: (3, 0, 1) }
}

impl Recursive {
    /// The system, without one of its rules.
    pub fn without(&self, missing: Option<usize>) -> (WithAny, Vec<Property>) {
        let mut tables = Tables::builder();
        let shared: Vec<SharedId> =
            (0..self.shared).map(|q| tables.shared(q.to_string())).collect();
        let mut symbols: Vec<Vec<SymbolId>> = Vec::new();
        let mut templates = Vec::new();
        for (number, &size) in self.templates.iter().enumerate() {
            let id = tables.template(format!("T{number}"));
            templates.push(id);
            symbols.push((0..size).map(|l| tables.symbol(id, l.to_string())).collect());
        }
        for (number, (of, rule)) in self.rules.iter().enumerate() {
            if missing == Some(number) {
                continue;
            }
            let (from, top, to, word, spawn) = rule;
            let word: Vec<SymbolId> = word.iter().map(|&s| symbols[*of][s]).collect();
            let rule = Rule {
                shared: shared[*from],
                top: Some(symbols[*of][*top]),
                to_shared: shared[*to],
                word: Word::from_symbols(&word).expect("at most two symbols"),
                spawn: spawn.map(|s| symbols[*of][s]),
                line: 0,
            };
            tables.add_rule(templates[*of], rule);
        }
        for (number, &(of, first)) in self.fixed.iter().enumerate() {
            tables.thread(format!("F{number}"), templates[of], vec![symbols[of][first]]);
        }
        tables.initial(shared[0]);
        let any = self.any.iter().map(|&(of, first)| Spawn {
            template: templates[of],
            stack: Word::Rewrite(symbols[of][first]),
        });
        let any = any.collect();
        let (at, of, symbol) = self.target;
        let target = Property::Unreachable(Pattern::Somewhere {
            shared: Some(shared[at]),
            template: Some(templates[of]),
            symbol: symbols[of][symbol],
        });
        (WithAny { tables: tables.build(), any }, vec![target])
    }
}

impl System for WithAny {
    fn describe(&self) -> &dyn Describe {
        self.tables.describe()
    }

    fn keys(&self) -> &dyn Keys {
        self.tables.keys()
    }

    fn threads(&self) -> &[ThreadInfo] {
        self.tables.threads()
    }
    fn initial(&self) -> Result<Vec<State>, Fault> {
        self.tables.initial()
    }
    fn any_number(&self) -> Vec<Spawn> {
        self.any.clone()
    }
    fn actions(
        &self,
        template: TemplateId,
        shared: SharedId,
        top: Option<SymbolId>,
        out: &mut Vec<Action>,
    ) -> Result<(), Fault> {
        self.tables.actions(template, shared, top, out)
    }
    fn starts_threads(&self) -> bool {
        self.tables.starts_threads()
    }
    fn drops_threads(&self) -> bool {
        self.tables.drops_threads()
    }
    fn wrong(&self, shared: SharedId) -> Option<String> {
        self.tables.wrong(shared)
    }
}
