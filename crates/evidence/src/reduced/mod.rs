//! # Proofs under reduction
//!
//! **Question.** A proof says where local steps ride along ([`Fused`]), and has the states that are left. Is every other state
//! harmless, too?
//!
//! **Idea.** What is said to be local is looked up in the program or the table, place by place, with a reading of its own: nothing that
//! others see is named in any step from there. What a property looks for is none of these places. Then the
//! rest is a proof about the system with fused steps, and is checked as any other one.
//!
//! What locks are said to protect is looked up in the same way: see [`movers`]. Where threads wait, it is looked at state by state whether they may: see
//! [`waiting`].
//!
//! **Claim.** If both hold, no schedule of the system itself breaks a property: see [`Fused`] for the theorem.

mod movers;
mod waiting;

pub use movers::check as check_movers;

use std::collections::BTreeSet;
use std::sync::Arc;

use selvedge_core::{Area, Code, Control, Expr, Instruction, Kind, Loc, Place, Source, Target};
use selvedge_model::{
    Budget, Fused, Local, Movers, Property, Rule, SharedId, SymbolId, System, Tables, TemplateId,
    Word,
};

use crate::Evidence;
use crate::recheck::{Checked, Flaw, Refusal, recheck_waiting, recheck_within};
use crate::watch::Watch;
use waiting::Reading;

/// A proof about a system whose local steps ride along.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReducedCertificate {
    /// The places or symbols at which steps ride along.
    pub local: Local,
    /// Whether threads begin after the local steps that come first.
    pub later: bool,
    /// The states at which threads wait.
    pub waiting: Vec<LeftOut>,
    /// The proof about the reduced system.
    pub proof: Box<Evidence>,
}

/// Threads that wait at a state of a proof, since the order in which they and the others act does not matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// The number of the state.
    pub state: u32,
    /// The kinds of those that wait, in rising order.
    pub kinds: Box<[u32]>,
}

/// Checks a proof under reduction. The code is that of the program, if the system is one.
pub fn recheck_reduced(
    system: &Arc<dyn System>,
    code: Option<&Code>,
    properties: &[Property],
    certificate: &ReducedCertificate,
    budget: &Budget,
) -> Result<Checked, Refusal> {
    let ReducedCertificate { local, later, waiting, proof } = certificate;
    let is_set = matches!(**proof, Evidence::Cut(_) | Evidence::Aggregate(_) | Evidence::Cover(_));
    if !is_set {
        let why = "only a proof about states can leave local steps out";
        return Err(Refusal::new(Flaw::Form, why));
    }
    for &place in &local.places {
        let code = code.ok_or_else(|| none("place", &place.0.to_string()))?;
        let known = (place.0 as usize) < code.locations.len();
        if !known {
            return Err(none("place", &place.0.to_string()));
        }
        check_place(code, Loc(place.0))?;
    }
    if local.movers != Movers::default() {
        let code = code.ok_or_else(|| none("place", "inside of a lock"))?;
        check_movers(&**system, code, &local.movers)?;
    }
    if let Some(&first) = local.symbols.first() {
        let name = system.describe().show_symbol(first);
        let tables = system.as_tables().ok_or_else(|| none("symbol", &name))?;
        local.symbols.iter().try_for_each(|&symbol| check_symbol(tables, symbol))?;
    }
    if local.clone().unseen_by(&**system, properties) != *local {
        let why = "local steps ride along at a place that the property looks at";
        return Err(Refusal::new(Flaw::Local, why));
    }
    let mut fused = Fused::new(Arc::clone(system), local.clone());
    if *later {
        if properties.iter().any(|property| matches!(property, Property::Unreachable(_))) {
            let why =
                "a target may be a matter of where a thread begins, and here threads begin later";
            return Err(Refusal::new(Flaw::Local, why));
        }
        fused = fused.beginning_later();
    }
    let of = match waiting.is_empty() {
        true => recheck_within(&fused, properties, proof, budget)?,
        false => check_waiting(&fused, code, properties, certificate, budget)?,
    };
    let of = Box::new(of);
    let Movers { inside, releases, commits, .. } = &local.movers;
    let places = local.places.len() + local.symbols.len();
    let (inside, waiting) = (inside.len() + releases.len() + commits.len(), waiting.len());
    Ok(Checked::Reduced { of, places, inside, waiting })
}

/// Checks a proof in which threads wait.
fn check_waiting(
    fused: &Fused,
    code: Option<&Code>,
    properties: &[Property],
    certificate: &ReducedCertificate,
    budget: &Budget,
) -> Result<Checked, Refusal> {
    let refuse = |why: &str| Err(Refusal::new(Flaw::Waiting, why));
    if properties.iter().any(|property| matches!(property, Property::Unreachable(_))) {
        return refuse("threads wait, and a target may be a matter of who acts first");
    }
    let (Some(code), Evidence::Cut(proof)) = (code, &*certificate.proof) else {
        return refuse("threads wait, and that is for programs whose states have whole stacks");
    };
    let (waiting, watch) = (&certificate.waiting, &Watch::new(budget));
    let (checked, templates) = recheck_waiting(fused, properties, proof, waiting, watch)?;
    Reading::new(fused, code, &certificate.local).check(proof, &templates, waiting, watch)?;
    Ok(checked)
}

fn none(what: &str, name: &str) -> Refusal {
    Refusal::new(Flaw::Form, format!("there is no {what} {name} at which steps could be local"))
}

/// Refuses a place from which some step concerns others.
fn check_place(code: &Code, loc: Loc) -> Result<(), Refusal> {
    let touches = |_: &Place| Some("it touches a shared variable");
    match concern_of_place(code, loc, &touches) {
        None => Ok(()),
        Some(why) => {
            let message = format!(
                "place {}: a step from there is said to concern nobody else, but {why}",
                loc.0
            );
            Err(Refusal::new(Flaw::Local, message))
        }
    }
}

/// Why a step from a place concerns others, if one does; `shared` says why a place that all threads see matters, if it does.
fn concern_of_place(code: &Code, loc: Loc, shared: Shared<'_>) -> Option<&'static str> {
    let at = code.location(loc);
    let holds_ids = |proc| code.proc(proc).frame.iter().any(|slot| slot.kind == Kind::Thread);
    if at.atomic {
        return Some("it is in an atomic section");
    }
    if holds_ids(at.proc) {
        return Some("its procedure holds ids of threads");
    }
    for edge in at.edges.iter().map(|&edge| code.edge(edge)) {
        let follows = match edge.control {
            Control::Goto => Some(edge.to),
            Control::Call(proc) if holds_ids(proc) => return Some("it hands on ids of threads"),
            Control::Call(proc) => Some(code.proc(proc).entry),
            Control::Receive(_) => return Some("it takes results that are on their way"),
            Control::Return if !code.proc(at.proc).results.is_empty() => {
                return Some("it sends results on their way");
            }
            Control::Return => None,
        };
        let is_atomic = |loc: Loc| code.location(loc).atomic;
        if follows.is_some_and(is_atomic) || (edge.control != Control::Return && is_atomic(edge.to))
        {
            return Some("an atomic section follows");
        }
        if edge.starts {
            return Some("it starts a thread");
        }
        if let Some(why) = edge.code.iter().find_map(|instruction| concern(instruction, shared)) {
            return Some(why);
        }
    }
    None
}

/// Why it matters that a place is touched that all threads see, if it does.
type Shared<'s> = &'s dyn Fn(&Place) -> Option<&'static str>;

/// Why an instruction concerns others, if it does.
fn concern(instruction: &Instruction, shared: Shared<'_>) -> Option<&'static str> {
    match instruction {
        Instruction::Assume(value) | Instruction::Check(value, _) | Instruction::Let(_, value) => {
            seen(value, shared)
        }
        Instruction::Locate(_, place) => touched(place, shared),
        Instruction::Store { to, value, when } => {
            let stored = match to {
                Target::Place(place) => touched(place, shared),
                // Where it is was found by an instruction that is looked at by itself.
                Target::Located(_) => None,
            };
            let value = match value {
                Source::Value(value) => seen(value, shared),
                Source::Any => None,
                Source::Result(..) => Some("it takes results that are on their way"),
            };
            stored.or(value).or_else(|| when.as_ref().and_then(|when| seen(when, shared)))
        }
        Instruction::Frame { for_thread: true, .. }
        | Instruction::Start(_)
        | Instruction::Fork { .. } => Some("it starts a thread"),
        Instruction::Take => Some("it takes results that are on their way"),
        Instruction::Snapshot
        | Instruction::Frame { for_thread: false, .. }
        | Instruction::Call
        | Instruction::Return => None,
    }
}

/// Why a place concerns others, if it does.
fn touched(place: &Place, shared: Shared<'_>) -> Option<&'static str> {
    let itself = match place.area {
        Area::Frame | Area::New => None,
        Area::Shared => shared(place),
        Area::Results => Some("it sends results on their way"),
    };
    itself.or_else(|| place.indices.iter().find_map(|index| seen(&index.value, shared)))
}

/// Why what an expression says depends on others, if it does.
fn seen(value: &Expr, shared: Shared<'_>) -> Option<&'static str> {
    match value {
        Expr::Bool(_) | Expr::Int(_) | Expr::Temp(_) | Expr::Me | Expr::Any(..) => None,
        Expr::Load(place) | Expr::Old(place) => touched(place, shared),
        Expr::Unary(selvedge_core::Unary::Ended, _) => Some("it asks whether a thread has ended"),
        Expr::Unary(_, value) => seen(value, shared),
        Expr::Binary(_, left, right, _) | Expr::Between(left, right, _) => {
            seen(left, shared).or_else(|| seen(right, shared))
        }
        Expr::If(parts) => parts.iter().find_map(|part| seen(part, shared)),
        Expr::OneOf(values, _) => values.iter().find_map(|value| seen(value, shared)),
        // Whether a choice is fair is a matter of runs that never end.
        Expr::Fair(_) => None,
    }
}

/// Refuses a symbol whose rules depend on the shared state, or change it.
fn check_symbol(tables: &Tables, symbol: SymbolId) -> Result<(), Refusal> {
    let refuse = |why: &str| {
        let name = tables.symbol_name(symbol);
        let message =
            format!("symbol {name}: its rules are said to concern nobody else, but {why}");
        Err(Refusal::new(Flaw::Local, message))
    };
    for template in (0..tables.template_count()).map(TemplateId::from) {
        let rules = tables.rules(template).iter().filter(|rule| rule.top == Some(symbol));
        let rules: Vec<&Rule> = rules.collect();
        if rules.iter().any(|rule| rule.shared != rule.to_shared) {
            return refuse("one changes the shared state");
        }
        if rules.iter().any(|rule| rule.spawn.is_some()) {
            return refuse("one starts a thread");
        }
        let shared: BTreeSet<SharedId> = rules.iter().map(|rule| rule.shared).collect();
        let words: BTreeSet<Word> = rules.iter().map(|rule| rule.word).collect();
        let pairs: BTreeSet<(SharedId, Word)> =
            rules.iter().map(|rule| (rule.shared, rule.word)).collect();
        let is_everywhere = shared.is_empty() || shared.len() == tables.shared_count();
        if !is_everywhere || pairs.len() != shared.len() * words.len() {
            return refuse("they are not the same at all shared states");
        }
    }
    Ok(())
}
