//! # A run of one form of a system, in another form
//! **Question.** An engine found a run in the form of the system that it explores: started threads may be dropped, and threads of which there
//! is any number come after the others. Which run is that of the system as it is written?
//! **Idea.** Take the same statements, thread by thread. A thread that was dropped is there now, and never acts.
//! **Otherwise.** Says at which step no such statement can be taken; nothing is made up.

use selvedge_evidence::Trace;
use selvedge_model::{Action, Explanation, Fault, State, System, TemplateId, ThreadId, advance};

use super::{Enabled, Walk};

/// Takes the steps of a run of another form of the same system, from an initial state on; or says why it cannot.
pub fn follow(walk: &mut Walk<'_>, from: &dyn System, trace: &Trace) -> Result<(), String> {
    let count = walk.choices();
    let mut last = "there is no such initial state".to_owned();
    for number in 0..count {
        walk.restart(number);
        if !is_alike(from, &trace.initial, walk.system(), walk.state()) {
            continue;
        }
        match steps(walk, from, trace) {
            Ok(()) => return Ok(()),
            Err(why) => last = why,
        }
    }
    Err(last)
}

/// Whether two states look the same to people.
fn is_alike(a: &dyn System, one: &State, b: &dyn System, other: &State) -> bool {
    a.describe().shared_values(one.shared) == b.describe().shared_values(other.shared)
}

fn steps(walk: &mut Walk<'_>, from: &dyn System, trace: &Trace) -> Result<(), String> {
    let fault = |fault: Fault| fault.to_string();
    let mut state = trace.initial.clone();
    let mut threads = initial_threads(from, &state, walk).ok_or("the threads are others")?;
    for (index, &(thread, action)) in trace.steps.iter().enumerate() {
        let own = threads.get(thread.index()).copied();
        let own = own.ok_or_else(|| format!("step {}: there is no such thread", index + 1))?;
        let next = choose(walk, own, from, &action).map_err(fault)?;
        let next = next.ok_or_else(|| format!("step {}: it cannot be taken here", index + 1))?;
        walk.take(next);
        if action.spawn.is_some() {
            threads.push(ThreadId::from(walk.state().threads.len() - 1));
        }
        advance(&mut state, thread, action);
    }
    Ok(())
}

/// Which thread of the walk each thread of a state is: the first of its template is the first of that template.
fn initial_threads(from: &dyn System, state: &State, walk: &Walk<'_>) -> Option<Vec<ThreadId>> {
    let name = |system: &dyn System, id: TemplateId| system.describe().template_name(id);
    let mut taken = Vec::new();
    for thread in &state.threads {
        let wanted = name(from, thread.template);
        let is_free = |id: &ThreadId| {
            let template = walk.state().threads[id.index()].template;
            !taken.contains(id) && name(walk.system(), template) == wanted
        };
        let free = walk.state().thread_ids().find(is_free)?;
        taken.push(free);
    }
    Some(taken)
}

/// The step with the same statements, and with the same effect if there are several.
fn choose(
    walk: &Walk<'_>,
    thread: ThreadId,
    from: &dyn System,
    action: &Action,
) -> Result<Option<Enabled>, Fault> {
    let to = walk.system();
    let words = |system: &dyn System, action: &Action| -> Explanation {
        system.describe().explain(action.origin)
    };
    let effect = |system: &dyn System, action: &Action| {
        let symbols = action.word.symbols().map(|symbol| system.keys().symbol_key(symbol));
        (system.keys().shared_key(action.shared), symbols.collect::<Vec<_>>())
    };
    let (wanted, result) = (words(from, action), effect(from, action));
    let own = walk.enabled()?.into_iter().filter(|next| next.thread == thread);
    let alike: Vec<Enabled> = own.filter(|next| words(to, &next.action) == wanted).collect();
    let same = alike.iter().find(|next| effect(to, &next.action) == result);
    Ok(same.or(alike.first()).copied())
}
