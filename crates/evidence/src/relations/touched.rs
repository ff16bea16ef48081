//! # Which variables a procedure has
//! A summary of a procedure need not speak of the shared variables that it leaves alone. Which those are is said here;
//! who knows it from the text is not. A check assumes nothing: [`Touched::everything`].

use rustc_hash::FxHashMap;
use selvedge_core::{EdgeId, ProcId};
use selvedge_program::Lowering;

/// A procedure, perhaps with certain constants for its parameters. The first variants are those
/// for any values, one for each procedure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Variant(pub u32);

/// The variants of the procedures of a program.
#[derive(Clone, Debug)]
pub struct Touched {
    /// The procedure of each variant.
    pub procs: Vec<ProcId>,
    /// The slots of the shared variables that each variant touches, in rising order.
    pub slots: Vec<Vec<usize>>,
    /// The slots that it does not touch.
    pub others: Vec<Vec<usize>>,
    /// The variants that are called, where they are not those for any values.
    pub calls: FxHashMap<(Variant, EdgeId), Variant>,
}

impl Touched {
    /// All shared variables, whatever is called.
    #[must_use]
    pub fn everything(lowering: &Lowering) -> Self {
        let count = lowering.program().procs.len();
        let all: Vec<usize> = (0..lowering.code().shared.len()).collect();
        Touched {
            procs: (0..count as u32).map(ProcId).collect(),
            slots: vec![all; count],
            others: vec![Vec::new(); count],
            calls: FxHashMap::default(),
        }
    }

    /// The variant of a procedure for any values.
    #[must_use]
    pub fn any(proc: ProcId) -> Variant {
        Variant(proc.0)
    }

    /// The variant that is called.
    #[must_use]
    pub fn called(&self, caller: Variant, edge: EdgeId, callee: ProcId) -> Variant {
        self.calls.get(&(caller, edge)).copied().unwrap_or(Self::any(callee))
    }

    /// The variants of a procedure.
    pub fn variants(&self, proc: ProcId) -> impl Iterator<Item = Variant> {
        let all = (0..).map(Variant).zip(&self.procs);
        all.filter(move |(_, of)| **of == proc).map(|(variant, _)| variant)
    }

    /// The slots that a variant touches.
    #[must_use]
    pub fn slots(&self, variant: Variant) -> &[usize] {
        &self.slots[variant.0 as usize]
    }

    /// The slots that it does not touch.
    #[must_use]
    pub fn others(&self, variant: Variant) -> &[usize] {
        &self.others[variant.0 as usize]
    }
}
