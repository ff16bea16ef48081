//! # So many threads
//! A system of which some threads may be there in any number, with a number for each of them. Its
//! states, actions and names are those of the system itself, so that a run of it is one of the system.

use selvedge_model::{
    Action, Explanation, FairChoice, FairPlace, Fault, Origin, PlaceId, SharedId, Spawn, State,
    SymbolId, System, TemplateId, Thread, ThreadInfo,
};

/// A system with a fixed set of threads.
pub(super) struct Counted<'a> {
    system: &'a dyn System,
    /// The threads of the system, and then those that were given a number.
    threads: Vec<ThreadInfo>,
    /// What comes after the threads of the system.
    more: Vec<Thread>,
}

impl<'a> Counted<'a> {
    /// So many threads of each of [`System::any_number`], in their order.
    pub fn new(system: &'a dyn System, numbers: &[usize]) -> Self {
        let any = system.any_number().into_iter().zip(numbers);
        let more: Vec<Thread> = any
            .flat_map(|(spawn, &number)| std::iter::repeat_n(Thread::from(spawn), number))
            .collect();
        let mut threads = system.threads().to_vec();
        for thread in &more {
            let template = thread.template;
            let number = threads.iter().filter(|t| t.template == template).count() + 1;
            let name = format!("{}#{number}", system.template_name(template));
            threads.push(ThreadInfo { name, template });
        }
        Counted { system, threads, more }
    }
}

impl System for Counted<'_> {
    fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    fn initial(&self) -> Result<Vec<State>, Fault> {
        let mut all = self.system.initial()?;
        all.iter_mut().for_each(|state| state.threads.extend_from_slice(&self.more));
        Ok(all)
    }

    fn any_number(&self) -> Vec<Spawn> {
        Vec::new()
    }

    fn template_name(&self, template: TemplateId) -> String {
        self.system.template_name(template)
    }

    fn actions(
        &self,
        template: TemplateId,
        shared: SharedId,
        top: Option<SymbolId>,
        out: &mut Vec<Action>,
    ) -> Result<(), Fault> {
        self.system.actions(template, shared, top, out)
    }

    fn starts_threads(&self) -> bool {
        self.system.starts_threads()
    }

    fn drops_threads(&self) -> bool {
        self.system.drops_threads()
    }

    fn is_between(&self, shared: SharedId) -> bool {
        self.system.is_between(shared)
    }

    fn wrong(&self, shared: SharedId) -> Option<String> {
        self.system.wrong(shared)
    }

    fn show_shared(&self, shared: SharedId) -> String {
        self.system.show_shared(shared)
    }

    fn show_symbol(&self, symbol: SymbolId) -> String {
        self.system.show_symbol(symbol)
    }

    fn shared_values(&self, shared: SharedId) -> Vec<(String, String)> {
        self.system.shared_values(shared)
    }

    fn symbol_values(&self, symbol: SymbolId) -> Vec<(String, String)> {
        self.system.symbol_values(symbol)
    }

    fn symbol_line(&self, symbol: SymbolId) -> Option<u32> {
        self.system.symbol_line(symbol)
    }

    fn place_of(&self, symbol: SymbolId) -> Option<PlaceId> {
        self.system.place_of(symbol)
    }

    fn statement(&self, symbol: SymbolId) -> Option<String> {
        self.system.statement(symbol)
    }

    fn fair_choices(&self, origin: Origin) -> Vec<FairChoice> {
        self.system.fair_choices(origin)
    }

    fn fair_place_line(&self, place: FairPlace) -> Option<u32> {
        self.system.fair_place_line(place)
    }

    fn explain(&self, origin: Origin) -> Explanation {
        self.system.explain(origin)
    }

    fn shared_key(&self, shared: SharedId) -> String {
        self.system.shared_key(shared)
    }

    fn find_shared_key(&self, key: &str) -> Option<SharedId> {
        self.system.find_shared_key(key)
    }

    fn symbol_key(&self, symbol: SymbolId) -> String {
        self.system.symbol_key(symbol)
    }

    fn find_symbol_key(&self, key: &str) -> Option<SymbolId> {
        self.system.find_symbol_key(key)
    }

    fn template_key(&self, template: TemplateId) -> String {
        self.system.template_key(template)
    }

    fn find_template_key(&self, key: &str) -> Option<TemplateId> {
        self.system.find_template_key(key)
    }
}
