//! The names of threads, those that are started later included.

use selvedge_model::{State, System, ThreadId};

/// The name of a thread of a state. A thread of the initial state has the name that the system
/// gives it; one that was started later is called after its template and its number among the
/// threads of that template, as in `worker#3`.
#[must_use]
pub fn thread_name(system: &dyn System, state: &State, thread: ThreadId) -> String {
    if let Some(info) = system.threads().get(thread.index()) {
        return info.name.clone();
    }
    let template = state.threads[thread.index()].template;
    let earlier = &state.threads[..thread.index()];
    let number = earlier.iter().filter(|t| t.template == template).count() + 1;
    format!("{}#{number}", system.describe().template_name(template))
}
