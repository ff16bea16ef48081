//! A system with values, calls and a failure, for the tests of this crate.

use selvedge_evidence::Trace;
use selvedge_model::{
    Action, Describe, Explanation, Fault, Keys, Origin, SharedId, Spawn, Stack, State, Step,
    SymbolId, System, TemplateId, Thread, ThreadId, ThreadInfo, Values, Word, step,
};

/// `x` counts up; a frame is a line and a local `n`. Symbols: 0 `main`, 1 `work` with n = 0,
/// 2 `work` with n = 1, 3 where `main` goes on. Shared state 9 is wrong.
pub(crate) struct Counter;

impl System for Counter {
    fn describe(&self) -> &dyn Describe {
        self
    }

    fn keys(&self) -> &dyn Keys {
        self
    }

    fn threads(&self) -> &[ThreadInfo] {
        const NAMES: [&str; 2] = ["adder", "checker"];
        static THREADS: std::sync::OnceLock<Vec<ThreadInfo>> = std::sync::OnceLock::new();
        THREADS.get_or_init(|| {
            let info = |n: &&str| ThreadInfo { name: (*n).to_owned(), template: TemplateId(0) };
            NAMES.iter().map(info).collect()
        })
    }

    fn initial(&self) -> Result<Vec<State>, Fault> {
        let thread = |_| Thread { template: TemplateId(0), stack: Stack(vec![SymbolId(0)]) };
        Ok(vec![State { shared: SharedId(0), threads: (0..2).map(thread).collect() }])
    }

    fn actions(
        &self,
        template: TemplateId,
        shared: SharedId,
        top: Option<SymbolId>,
        out: &mut Vec<Action>,
    ) -> Result<(), Fault> {
        let Some(SymbolId(top)) = top else { return Ok(()) };
        let stack = Word::Rewrite(SymbolId(0));
        let (shared, word, spawn) = match top {
            0 => (shared.0, Word::Push { top: SymbolId(1), under: SymbolId(3) }, None),
            1 => (shared.0 + 1, Word::Rewrite(SymbolId(2)), None),
            2 => (shared.0, Word::Pop, Some(Spawn { template, stack })),
            _ => (9, Word::Pop, None),
        };
        out.push(Action { shared: SharedId(shared), word, spawn, origin: Origin(top) });
        Ok(())
    }

    fn wrong(&self, shared: SharedId) -> Option<String> {
        (shared == SharedId(9)).then(|| "assertion failed at line 13: x == 0".to_owned())
    }
}

impl Describe for Counter {
    fn template_name(&self, _template: TemplateId) -> String {
        "adder".to_owned()
    }

    fn show_shared(&self, shared: SharedId) -> String {
        format!("x={}", shared.0)
    }

    fn show_symbol(&self, symbol: SymbolId) -> String {
        ["main:12", "work:3(n=0)", "work:5(n=1)", "main:13"][symbol.index()].to_owned()
    }

    fn shared_values(&self, shared: SharedId) -> Values {
        let x = i64::from(shared.0);
        [("x".to_owned(), x.into()), ("done".to_owned(), false.into())].into_iter().collect()
    }

    fn symbol_values(&self, symbol: SymbolId) -> Values {
        let n = [None, Some(0), Some(1), None][symbol.index()];
        n.map(|n: i64| ("n".to_owned(), n.into())).into_iter().collect()
    }

    fn symbol_line(&self, symbol: SymbolId) -> Option<u32> {
        [Some(12), Some(3), Some(5), Some(13)][symbol.index()]
    }

    fn explain(&self, origin: Origin) -> Explanation {
        let step = |text: &str, line| Step { text: text.to_owned(), line: Some(line) };
        Explanation {
            steps: match origin.0 {
                0 => vec![step("work(0);", 12)],
                1 => vec![step("x := x + 1;", 3), step("n := 1;", 4)],
                2 => vec![step("async adder();", 5)],
                _ => vec![step("assert x == 0;", 13)],
            },
        }
    }
}

impl Keys for Counter {
    fn shared_key(&self, shared: SharedId) -> String {
        shared.0.to_string()
    }

    fn find_shared_key(&self, key: &str) -> Option<SharedId> {
        key.parse().ok().map(SharedId)
    }

    fn symbol_key(&self, symbol: SymbolId) -> String {
        symbol.0.to_string()
    }

    fn find_symbol_key(&self, key: &str) -> Option<SymbolId> {
        key.parse().ok().filter(|&n| n < 4).map(SymbolId)
    }

    fn find_template_key(&self, key: &str) -> Option<TemplateId> {
        (key == self.template_key(TemplateId(0))).then_some(TemplateId(0))
    }
}

/// The first thread works, the second one begins, the first one goes wrong.
pub(crate) fn counter_run() -> Trace {
    let mut state = Counter.initial().unwrap().remove(0);
    let mut trace = Trace::start(state.clone());
    for thread in [0, 0, 0, 1, 0].map(ThreadId) {
        let (action, next) = step(&Counter, &state, thread).unwrap().remove(0);
        trace.steps.push((thread, action));
        state = next;
    }
    trace
}
