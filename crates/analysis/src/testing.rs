//! Systems for the tests of this crate.

use selvedge_model::{
    Action, Describe, Fault, Keys, Rule, SharedId, State, SymbolId, System, Tables, TemplateId,
    ThreadInfo, Word,
};

/// CUBA, Fig. 1.
pub(crate) fn fig1() -> Tables {
    let mut t = Tables::builder();
    let q = ["0", "1", "2", "3"].map(|name| t.shared(name));
    let (t1, t2) = (t.template("T1"), t.template("T2"));
    let [s1, s2] = ["1", "2"].map(|name| t.symbol(t1, name));
    let [s4, s5, s6] = ["4", "5", "6"].map(|name| t.symbol(t2, name));
    t.rule(t1, q[0], Some(s1), q[1], Word::Rewrite(s2));
    t.rule(t1, q[3], Some(s2), q[0], Word::Rewrite(s1));
    t.rule(t2, q[0], Some(s4), q[0], Word::Pop);
    t.rule(t2, q[0], Some(s6), q[0], Word::Pop);
    t.rule(t2, q[1], Some(s4), q[2], Word::Rewrite(s5));
    t.rule(t2, q[2], Some(s5), q[3], Word::Push { top: s4, under: s6 });
    t.thread("T1", t1, vec![s1]);
    t.thread("T2", t2, vec![s4]);
    t.initial(q[0]);
    t.build()
}

/// Numbers that look random and are the same everywhere (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// A small system: two templates, two or three threads, pushes and pops, actions on the empty
/// stack, sometimes threads that start others.
pub(crate) fn random_tables(seed: u64) -> Tables {
    let mut random = Numbers(seed);
    let mut t = Tables::builder();
    let shared: Vec<_> = (0..3).map(|n| t.shared(format!("q{n}"))).collect();
    let starts_threads = random.below(4) == 0;
    let mut threads = Vec::new();
    for name in ["one", "two"] {
        let template = t.template(name);
        let symbols: Vec<SymbolId> =
            (0..3).map(|n| t.symbol(template, format!("{name}{n}"))).collect();
        for _ in 0..4 + random.below(4) {
            let top = (random.below(8) > 0).then(|| symbols[random.below(3)]);
            let first = symbols[random.below(3)];
            let word = match random.below(5) {
                0 if top.is_some() => Word::Push { top: first, under: symbols[random.below(3)] },
                1 | 2 => Word::Pop,
                _ => Word::Rewrite(first),
            };
            let spawn = (starts_threads && random.below(4) == 0).then(|| symbols[0]);
            let (shared, to_shared) = (shared[random.below(3)], shared[random.below(3)]);
            t.add_rule(template, Rule { shared, top, to_shared, word, spawn, line: 0 });
        }
        threads.push((name, template, symbols));
    }
    for n in 0..2 + random.below(2) {
        let (name, template, symbols) = &threads[n % 2];
        let stack = (0..1 + random.below(2)).map(|_| symbols[random.below(3)]).collect();
        let thread = t.thread(format!("{name}#{n}"), *template, stack);
        if random.below(4) == 0 {
            t.other_stack(thread, Vec::new());
        }
    }
    t.initial(shared[0]);
    t.build()
}

/// Tables in which some shared states are wrong, and from which the rules there are gone.
pub(crate) struct Wrong {
    pub(crate) tables: Tables,
    pub(crate) wrong: Vec<SharedId>,
}

impl System for Wrong {
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
    fn actions(
        &self,
        template: TemplateId,
        shared: SharedId,
        top: Option<SymbolId>,
        out: &mut Vec<Action>,
    ) -> Result<(), Fault> {
        match self.wrong(shared) {
            Some(_) => Ok(()),
            None => self.tables.actions(template, shared, top, out),
        }
    }
    fn wrong(&self, shared: SharedId) -> Option<String> {
        self.wrong.contains(&shared).then(|| "wrong".to_owned())
    }
}
