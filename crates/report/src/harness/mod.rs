//! # A schedule in a compiled program
//!
//! **Question.** A schedule of the model goes wrong. Does the program that the compiler makes of the text?
//!
//! **Idea.** The compiler itself can call a function before every access to memory: it does so for its detector of data races. Here that
//! function is a turnstile. A thread that is about to access what others see, or to call a function of the library that does, waits
//! until the schedule says that it is its turn; it keeps the turn until its next access. So accesses happen in the order of the schedule,
//! and the assertion fails in the real program, or the schedule cannot be followed and the test says so. Without optimisation a compiler reads once more what `++x` has just written;
//! the turnstile lets a read pass where the thread's next step is none. Nor is the compiler asked to tell of constants that are read, and it fills a structure with one access: a step of the schedule
//! is left out where the thread comes to a later one. Variables on stacks are accesses of the schedule if they have an address; which ones the compiler tells of is not quite the same, so that those that fit no step pass.
//!
//! **Needs.** Steps that are one access each, as those of C are, compiled without optimisation. Sections that are atomic by decree, variables
//! of the type `pthread_t` that all threads see, and violations that a compiled program does not notice are refused.

use std::fmt::Write;

use selvedge_evidence::Trace;
use selvedge_model::{Access, State, System, advance};
use selvedge_program::Source;

/// The C code of the turnstile.
const RUNTIME: &str = include_str!("runtime.c");

/// The name of two accesses at once. The test reports them itself: at the end of the schedule both threads are about to access.
const RACE: &str = "data race";

/// Functions that have no counterpart in the turnstile.
const REFUSED: [&str; 12] = [
    "__VERIFIER_",
    "pthread_barrier",
    "pthread_once",
    "call_once",
    "thrd_create",
    "timedlock",
    "timedwait",
    "clocklock",
    "clockwait",
    "pthread_rwlock_try",
    "pthread_rwlock_timed",
    "pthread_rwlock_clock",
];

/// A text in C that forces the schedule of a violation in a compiled program; or why there is none.
pub fn c_test(system: &dyn System, trace: &Trace, source: &Source) -> Result<String, String> {
    let text = source.written();
    if let Some(refused) = REFUSED.iter().find(|name| text.contains(**name)) {
        return Err(format!("the text uses `{refused}…`, which a test cannot follow"));
    }
    let mut state = trace.initial.clone();
    let (mut turns, mut kinds, mut children) = (Vec::new(), Vec::new(), Vec::new());
    for (thread, action) in &trace.steps {
        let before = state.threads.len();
        advance(&mut state, *thread, *action);
        let access = system.describe().access(action.origin);
        turns.extend(access.map(|_| thread.index().to_string()));
        kinds.extend(access.map(|access| kind(access).to_string()));
        if access == Some(Access::Starts) {
            let is_there = state.threads.len() > before;
            children.push(if is_there { before.to_string() } else { "-1".to_owned() });
        }
    }
    let wrong = said(system, &state)?;
    if wrong.is_none() && text.contains("pthread_cond_") {
        return Err(
            "a test cannot tell a thread that waits for a condition from one that is stuck"
                .to_owned(),
        );
    }
    let mut test = String::new();
    let name = source.name();
    let _ = write!(
        test,
        "/* A test that forces a schedule of {name}: {}.\n   Compile and run it so; it fails where the schedule does:\n\n     \
         gcc -g -O0 -fsanitize=thread -c -o test.o THIS.c && gcc -pthread test.o -o test && ./test\n\n   The compiler calls the \
         functions __tsan_… before every access; here they wait for their turn. */\n",
        wrong.as_deref().unwrap_or("it ends in a deadlock").replace("*/", "* /"),
    );
    let list = |items: &[String]| if items.is_empty() { "0".to_owned() } else { items.join(",") };
    let _ = write!(
        test,
        "enum {{ SV_LENGTH = {}, SV_CREATED = {}, SV_DEADLOCK = {}, SV_RACE = {} }};\nstatic const short sv_turns[] = {{{}}};\n\
         static const short sv_kinds[] = {{{}}};\nstatic const short sv_children[] = {{{}}};\n{RUNTIME}\n#line 1 \"{}\"\n{text}",
        turns.len(),
        children.len(),
        u8::from(wrong.is_none()),
        u8::from(wrong.as_ref().is_some_and(|wrong| wrong.contains(RACE))),
        list(&turns),
        list(&kinds),
        list(&children),
        name.replace('\\', "\\\\").replace('"', "\\\""),
    );
    Ok(test)
}

/// How the turnstile tells accesses apart: those that are only read, and those on stacks, by how many bytes they have.
fn kind(access: Access) -> u32 {
    match access {
        Access::Shared | Access::Starts => 0,
        Access::Reads => 1,
        Access::Stack { reads, bytes } => 4 * bytes + if reads { 3 } else { 2 },
    }
}

/// What goes wrong in the end, `None` for a deadlock; an error if a compiled program would not notice.
fn said(system: &dyn System, last: &State) -> Result<Option<String>, String> {
    let Some(wrong) = system.wrong(last.shared) else { return Ok(None) };
    let unseen = ["overflow", "freed", "no object", "index", "joined", "unlocked"];
    match unseen.iter().any(|word| wrong.contains(word)) {
        true => Err(format!("a compiled program does not notice it ({wrong})")),
        false => Ok(Some(wrong)),
    }
}
