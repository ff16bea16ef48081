//! Names for what is new: like the names that they come from, and none that is taken.

use std::collections::BTreeSet;

use crate::Program;

/// All names of a program, shared and local.
pub(crate) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    pub fn of(program: &Program) -> Self {
        let shared = (program.globals.iter().map(|g| &g.name))
            .chain(program.enums.iter().map(|e| &e.name))
            .chain(program.enums.iter().flat_map(|e| &e.enumerators))
            .chain(program.procs.iter().map(|p| &p.name))
            .chain(program.threads.iter().map(|t| &t.name));
        let locals = program.procs.iter().flat_map(|p| p.locals.iter().map(|l| &l.name));
        Names { taken: shared.chain(locals).cloned().collect() }
    }

    /// A name that is not taken yet: this one, or this one with a number.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let numbered = (2..).map(|n| format!("{wanted}_{n}"));
        let free =
            std::iter::once(wanted.to_owned()).chain(numbered).find(|n| !self.taken.contains(n));
        let name = free.unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }
}
