//! # Ctrl-C
//! And SIGTERM, which is the same from another program. The first one asks a command to end with what it has; the second one ends the program.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How a program ends that is not let finish: nothing is known.
const UNKNOWN: i32 = 20;

/// A flag that Ctrl-C sets.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on, Ctrl-C or SIGTERM is a request to stop; `also` is called at the first one.
    pub fn install(also: impl Fn() + Send + 'static) -> Self {
        let interrupt = Interrupt::default();
        let seen = interrupt.clone();
        let handler = move || {
            if seen.0.swap(true, Ordering::SeqCst) {
                process::exit(UNKNOWN);
            }
            also();
        };
        // Without a handler, Ctrl-C ends the program the hard way: no reason to give up now.
        let _ = ctrlc::set_handler(handler);
        interrupt
    }

    /// The flag that is set by it.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Whether Ctrl-C was pressed.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
