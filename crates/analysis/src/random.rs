//! # Random systems
//! Small concurrent pushdown systems from a seed, for holding engines against each other. The
//! same seed always gives the same system.

use selvedge_model::{Rule, SymbolId, Tables, TablesBuilder, TemplateId, Word};

/// What random systems look like.
#[derive(Clone, Debug)]
pub struct Shape {
    /// At most this many threads, at least one.
    pub threads: usize,
    /// At most this many shared states, at least two.
    pub shared: usize,
    /// At most this many symbols of a template, at least one.
    pub symbols: usize,
    /// At most this many rules of a template, at least two.
    pub rules: usize,
    /// Whether threads may share a template.
    pub symmetric: bool,
    /// Whether there are actions on the empty stack.
    pub on_empty: bool,
    /// Whether rules may start threads.
    pub spawns: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            threads: 3,
            shared: 4,
            symbols: 4,
            rules: 9,
            symmetric: true,
            on_empty: true,
            spawns: false,
        }
    }
}

/// The random system of a seed.
#[must_use]
pub fn random_system(seed: u64, shape: &Shape) -> Tables {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut tables = Tables::builder();
    let shared: Vec<_> =
        (0..rng.usize(2..=shape.shared.max(2))).map(|q| tables.shared(q.to_string())).collect();
    let mut templates: Vec<Alphabet> = Vec::new();
    for thread in 0..rng.usize(1..=shape.threads.max(1)) {
        let reuse = shape.symmetric && !templates.is_empty() && rng.bool();
        if !reuse {
            let name = format!("P{}", templates.len() + 1);
            templates.push(random_template(&mut rng, shape, &mut tables, shared.len(), name));
        }
        let at = if reuse { rng.usize(0..templates.len()) } else { templates.len() - 1 };
        let (template, symbols) = &templates[at];
        let stack = (0..rng.usize(0..=2).max(usize::from(rng.bool())))
            .map(|_| symbols[rng.usize(0..symbols.len())])
            .collect();
        tables.thread(format!("T{}", thread + 1), *template, stack);
    }
    tables.initial(shared[0]);
    tables.build()
}

/// A system that needs many rounds: each shared state is left by one of the threads only, so that
/// they take turns, with calls and returns on the way, and a few rules of chance.
#[must_use]
pub fn random_relay(seed: u64) -> Tables {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut tables = Tables::builder();
    let shared: Vec<_> = (0..rng.usize(3..=5)).map(|q| tables.shared(q.to_string())).collect();
    let templates: Vec<_> = (0..rng.usize(2..=4))
        .map(|thread| {
            let template = tables.template(format!("P{thread}"));
            (template, ["a", "b"].map(|name| tables.symbol(template, name)))
        })
        .collect();
    let rule = |tables: &mut TablesBuilder, rng: &mut fastrand::Rng, thread: usize, from, to| {
        let (template, symbols) = templates[thread];
        for top in [Some(symbols[0]), Some(symbols[1]), None] {
            if rng.u32(0..8) == 0 {
                continue;
            }
            let [first, second] = [0; 2].map(|_| symbols[rng.usize(0..2)]);
            let word = match rng.u32(0..4) {
                0 => Word::Pop,
                1 => Word::Push { top: first, under: second },
                _ => Word::Rewrite(first),
            };
            tables.rule(template, from, top, to, word);
        }
    };
    let mut thread = templates.len() - 1;
    for pair in shared.windows(2) {
        rule(&mut tables, &mut rng, thread, pair[0], pair[1]);
        // Mostly the thread before, whose turn is in the next round only.
        let back = if rng.u32(0..4) > 0 { 1 } else { rng.usize(1..templates.len()) };
        thread = (thread + templates.len() - back) % templates.len();
    }
    for _ in 0..rng.usize(0..3) {
        let [from, to] = [0; 2].map(|_| shared[rng.usize(0..shared.len())]);
        let thread = rng.usize(0..templates.len());
        rule(&mut tables, &mut rng, thread, from, to);
    }
    for (thread, (template, symbols)) in templates.iter().enumerate() {
        let stack = (0..rng.usize(0..=2)).map(|_| symbols[rng.usize(0..2)]).collect();
        tables.thread(format!("T{thread}"), *template, stack);
    }
    tables.initial(shared[0]);
    tables.build()
}

/// A template with its symbols.
type Alphabet = (TemplateId, Vec<SymbolId>);

fn random_template(
    rng: &mut fastrand::Rng,
    shape: &Shape,
    tables: &mut TablesBuilder,
    shared: usize,
    name: String,
) -> Alphabet {
    let template = tables.template(name);
    let symbols: Vec<_> = (0..rng.usize(1..=shape.symbols.max(1)))
        .map(|s| tables.symbol(template, format!("s{s}")))
        .collect();
    let symbol = |rng: &mut fastrand::Rng| symbols[rng.usize(0..symbols.len())];
    for _ in 0..rng.usize(2..=shape.rules.max(2)) {
        let top = (!shape.on_empty || rng.u32(0..12) > 0).then(|| symbol(rng));
        let word = match rng.u32(0..if top.is_some() { 7 } else { 2 }) {
            0 | 2 => Word::Pop,
            1 | 3 | 4 => Word::Rewrite(symbol(rng)),
            _ => Word::Push { top: symbol(rng), under: symbol(rng) },
        };
        let state = |rng: &mut fastrand::Rng| rng.usize(0..shared).into();
        tables.add_rule(
            template,
            Rule {
                shared: state(rng),
                top,
                to_shared: state(rng),
                word,
                spawn: (shape.spawns && rng.u32(0..5) == 0).then(|| symbol(rng)),
                line: 0,
            },
        );
    }
    (template, symbols)
}
