//! Small systems for the tests of this crate.

use selvedge_model::{
    Action, Describe, Explanation, FairChoice, FairPlace, Fault, Keys, Origin, Rule, SharedId,
    Spawn, State, SymbolId, System, Tables, TemplateId, ThreadId, ThreadInfo, Values, Word, step,
};

use crate::Trace;

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

/// A thread at a calls b, goes on to c there and returns, at 3: `⟨0|a⟩ → ⟨1|b a⟩ → ⟨2|c a⟩ → ⟨3|a⟩`.
pub(crate) fn returning() -> Tables {
    let mut t = Tables::builder();
    let q = ["0", "1", "2", "3"].map(|name| t.shared(name));
    let w = t.template("w");
    let [a, b, c] = ["a", "b", "c"].map(|name| t.symbol(w, name));
    t.rule(w, q[0], Some(a), q[1], Word::Push { top: b, under: a });
    t.rule(w, q[1], Some(b), q[2], Word::Rewrite(c));
    t.rule(w, q[2], Some(c), q[3], Word::Pop);
    t.thread("w", w, vec![a]);
    t.initial(q[0]);
    t.build()
}

/// A thread at a calls b, and that calls c: `⟨0|a⟩ → ⟨1|b a⟩ → ⟨2|c b a⟩`.
pub(crate) fn climbing() -> Tables {
    let mut t = Tables::builder();
    let q = ["0", "1", "2"].map(|name| t.shared(name));
    let w = t.template("w");
    let [a, b, c] = ["a", "b", "c"].map(|name| t.symbol(w, name));
    t.rule(w, q[0], Some(a), q[1], Word::Push { top: b, under: a });
    t.rule(w, q[1], Some(b), q[2], Word::Push { top: c, under: b });
    t.thread("w", w, vec![a]);
    t.initial(q[0]);
    t.build()
}

/// A thread that starts others: each may go either way.
pub(crate) fn spawner() -> Tables {
    let mut t = Tables::builder();
    let q = t.shared("q");
    let w = t.template("w");
    let [a, b, c] = ["a", "b", "c"].map(|name| t.symbol(w, name));
    let rule = |word, spawn| Rule {
        shared: q,
        top: Some(a),
        to_shared: q,
        word: Word::Rewrite(word),
        spawn,
        line: 0,
    };
    t.add_rule(w, rule(a, Some(a)));
    t.add_rule(w, rule(b, None));
    t.add_rule(w, rule(c, None));
    t.thread("w", w, vec![a]);
    t.initial(q);
    t.build()
}

/// The run that takes these steps: thread and position among its steps.
pub(crate) fn run(system: &dyn System, choices: &[(u32, usize)]) -> Trace {
    let mut state = system.initial().unwrap().remove(0);
    let mut trace = Trace::start(state.clone());
    for &(thread, choice) in choices {
        let (action, next) = step(system, &state, ThreadId(thread)).unwrap().remove(choice);
        trace.steps.push((ThreadId(thread), action));
        state = next;
    }
    trace
}

/// A table whose rules make fair choices, or with threads of which there is any number.
pub(crate) struct Choosing {
    pub tables: Tables,
    /// For each rule, by its text, the choices.
    pub choices: Vec<(&'static str, FairChoice)>,
    /// The threads of which any number is there from the start.
    pub any: Vec<Spawn>,
}

impl System for Choosing {
    fn describe(&self) -> &dyn Describe {
        self
    }

    fn keys(&self) -> &dyn Keys {
        self.tables.keys()
    }

    fn fair_choices(&self, origin: Origin) -> Vec<FairChoice> {
        let Explanation { steps } = self.tables.explain(origin);
        let made = self.choices.iter().filter(|(rule, _)| steps[0].text == *rule);
        made.map(|(_, choice)| *choice).collect()
    }

    fn threads(&self) -> &[ThreadInfo] {
        self.tables.threads()
    }

    fn any_number(&self) -> Vec<Spawn> {
        self.any.clone()
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
        self.tables.actions(template, shared, top, out)
    }

    fn wrong(&self, shared: SharedId) -> Option<String> {
        self.tables.wrong(shared)
    }
}

impl Describe for Choosing {
    fn template_name(&self, template: TemplateId) -> String {
        self.tables.template_name(template)
    }

    fn show_shared(&self, shared: SharedId) -> String {
        self.tables.show_shared(shared)
    }

    fn show_symbol(&self, symbol: SymbolId) -> String {
        self.tables.show_symbol(symbol)
    }

    fn shared_values(&self, shared: SharedId) -> Values {
        self.tables.shared_values(shared)
    }

    fn symbol_values(&self, symbol: SymbolId) -> Values {
        self.tables.symbol_values(symbol)
    }

    fn symbol_line(&self, symbol: SymbolId) -> Option<u32> {
        self.tables.symbol_line(symbol)
    }

    fn fair_place_line(&self, place: FairPlace) -> Option<u32> {
        Some(place.0 * 10)
    }

    fn explain(&self, origin: Origin) -> Explanation {
        self.tables.explain(origin)
    }
}
