//! # So many threads
//! A system of which some threads may be there in any number, with a number for each of them. Its
//! states, actions and names are those of the system itself, so that a run of it is one of the system.

use selvedge_model::{
    Action, Fault, SharedId, Spawn, State, SymbolId, System, TemplateId, Thread, ThreadInfo,
};

/// A system with a fixed set of threads.
pub struct Counted<'a> {
    system: &'a dyn System,
    /// The threads of the system, and then those that were given a number.
    threads: Vec<ThreadInfo>,
    /// The threads that follow those of the system.
    more: Vec<Thread>,
}

impl<'a> Counted<'a> {
    /// Adds `numbers[i]` threads of the i-th entry of [`System::any_number`].
    #[must_use]
    pub fn new(system: &'a dyn System, numbers: &[usize]) -> Self {
        let any = system.any_number().into_iter().zip(numbers);
        let more: Vec<Thread> = any
            .flat_map(|(spawn, &number)| std::iter::repeat_n(Thread::from(spawn), number))
            .collect();
        let mut threads = system.threads().to_vec();
        for thread in &more {
            let template = thread.template;
            let number = threads.iter().filter(|t| t.template == template).count() + 1;
            let name = format!("{}#{number}", system.describe().template_name(template));
            threads.push(ThreadInfo { name, template });
        }
        Counted { system, threads, more }
    }
}

impl System for Counted<'_> {
    selvedge_model::delegate_to_system!();

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

    fn actions(
        &self,
        template: TemplateId,
        shared: SharedId,
        top: Option<SymbolId>,
        out: &mut Vec<Action>,
    ) -> Result<(), Fault> {
        self.system.actions(template, shared, top, out)
    }
}
