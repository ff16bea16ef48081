//! # Printing tables
//! A system as text that the readers accept again. [`cpds`] can say everything that a table
//! holds; the other formats less, and what they cannot say is an error, never left out.

mod cpds;
mod pds;
mod tts;

use std::fmt;

pub use cpds::cpds;
pub use pds::{PdsFiles, pds};
pub use tts::{TtsFiles, tts};

use selvedge_model::{Pattern, Property, SharedId, SymbolId, Tables, TemplateId};

/// Why a system cannot be written in a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotExpressible {
    /// What cannot be expressed, in words.
    pub what: String,
}

impl fmt::Display for NotExpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for NotExpressible {}

/// The refusal of a target that no state can have.
const NEVER: &str = "a target is about a symbol that its thread never has";

pub(super) fn not_expressible<T>(what: impl Into<String>) -> Result<T, NotExpressible> {
    Err(NotExpressible { what: what.into() })
}

/// Why a target of a program is none of a table.
pub(super) const IN_PROGRAMS: &str = "the target is about places in the text of a program";

/// Why a target about whole stacks cannot be said.
pub(super) const WHOLE_STACK: &str =
    "a target names a whole stack, and only tops can be named there";

/// The patterns that must not be reached. A table never goes wrong, so that property of programs
/// needs no target; deadlocks are asked for on the command line.
pub(super) fn patterns(targets: &[Property]) -> Vec<&Pattern> {
    let pattern = |target| match target {
        &Property::NeverWrong | &Property::NoDeadlock(_) => None,
        Property::Unreachable(pattern) => Some(pattern),
    };
    targets.iter().filter_map(pattern).collect()
}

/// A number for each symbol of a template: its name where all names are numbers, else its id.
struct Numbers<'a> {
    tables: &'a Tables,
    by_name: bool,
}

impl<'a> Numbers<'a> {
    fn new(tables: &'a Tables, template: TemplateId) -> Self {
        let by_name = symbols(tables, template).all(|s| tables.symbol_number(s).is_some());
        Numbers { tables, by_name }
    }

    fn of(&self, symbol: SymbolId) -> u32 {
        let name = if self.by_name { self.tables.symbol_number(symbol) } else { None };
        name.unwrap_or(symbol.0)
    }

    /// Comments that say what the numbers stand for, if they are not the names.
    fn legend(&self, template: TemplateId, out: &mut String) {
        if !self.by_name {
            for symbol in symbols(self.tables, template) {
                let name = one_line(&self.tables.symbol_name(symbol));
                *out += &format!("#   {}: {name}\n", self.of(symbol));
            }
        }
    }
}

/// Comments for the shared states that have names.
fn shared_legend(tables: &Tables) -> String {
    let named = tables.numbered_shared() as usize..tables.shared_count();
    let line = |index: usize| {
        format!("# shared {index}: {}\n", one_line(&tables.shared_name(SharedId::from(index))))
    };
    named.map(line).collect()
}

/// The symbols of a template.
pub(super) fn symbols(tables: &Tables, template: TemplateId) -> impl Iterator<Item = SymbolId> {
    let all = (0..tables.symbol_count()).map(SymbolId::from);
    all.filter(move |&symbol| tables.template_of(symbol) == template)
}

/// A name for a comment.
fn one_line(name: &str) -> String {
    name.replace(|c: char| c.is_control(), " ")
}
