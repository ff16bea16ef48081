//! # What a proof needs
//! An invariant says more than the proof needs. Starting with what excludes that something goes
//! wrong, take what the solver used for that, then what it used to keep that, and so on. What comes
//! together is an invariant again: each of its clauses is kept by clauses that are in it.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_analysis::Budget;
use selvedge_smt::invariant::{Fact, Form, Invariant, key, orders};
use selvedge_smt::layout::{Layout, Standing};
use selvedge_smt::obligation::Obligation;
use selvedge_smt::solver::{Solver, SolverError};
use selvedge_smt::term::{Term, Var};

/// A clause of an invariant.
type Clause = (Vec<Standing>, usize);

/// The part of an invariant of clauses that is needed. `None` if the solver finds less than before.
pub fn minimize(
    layout: &Layout<'_>,
    invariant: &Invariant,
    obligations: &[Obligation],
    solver: &mut Solver,
    budget: &Budget,
) -> Result<Option<Invariant>, SolverError> {
    let mut needed: BTreeMap<Vec<Standing>, BTreeSet<usize>> = BTreeMap::new();
    // What each obligation was asked to keep when it was last met.
    let mut kept: Vec<Option<usize>> = vec![None; obligations.len()];
    let stop = || budget.look().is_err();
    loop {
        let mut changed = false;
        for (number, obligation) in obligations.iter().enumerate() {
            if !obligation.before().iter().all(|at| invariant.facts.contains_key(at)) {
                continue;
            }
            let after = obligation.after().map(|places| key(places.iter().copied()));
            let wanted: Vec<usize> = match &after {
                None => Vec::new(),
                Some(at) if !invariant.facts.contains_key(at) => vec![usize::MAX],
                Some(at) => needed.get(at).into_iter().flatten().copied().collect(),
            };
            if kept[number] == Some(wanted.len()) || (after.is_some() && wanted.is_empty()) {
                continue;
            }
            let mut within = obligation.within(&invariant.bounds);
            within.extend(obligation.counted(&invariant.laws));
            let mut broken = match (&after, wanted.first()) {
                (Some(at), Some(&first)) if first != usize::MAX => {
                    let places = obligation.after().unwrap_or_default();
                    let of: Vec<usize> = (0..obligation.width).collect();
                    let said = said(invariant, &places, &of, at, Some(&wanted));
                    let said = said.into_iter().map(|(_, term)| obligation.later(&term).negated());
                    vec![Term::any(said)]
                }
                _ => Vec::new(),
            };
            broken.extend(within);
            let mut named = Vec::new();
            let mut clauses: Vec<Clause> = Vec::new();
            for of in obligation.assumed() {
                let at = key(of.iter().map(|&p| obligation.threads[p]));
                for (clause, term) in said(invariant, &obligation.threads, &of, &at, None) {
                    named.push((format!("c{}", clauses.len()), term));
                    clauses.push((at.clone(), clause));
                }
            }
            // What is needed already may do.
            let so_far = clauses.iter().zip(&named).filter(|((at, clause), _)| {
                needed.get(at).is_some_and(|needed| needed.contains(clause))
            });
            let mut known = broken.clone();
            known.extend(so_far.map(|(_, (_, term))| term.clone()));
            if solver.core(&obligation.ask(layout, &known, &[]), &stop)?.is_some() {
                kept[number] = Some(wanted.len());
                continue;
            }
            let query = obligation.ask(layout, &broken, &named);
            let Some(core) = solver.core(&query, &stop)? else { return Ok(None) };
            kept[number] = Some(wanted.len());
            for name in core {
                let index = name.strip_prefix('c').and_then(|n| n.parse::<usize>().ok());
                if let Some((at, clause)) = index.and_then(|n| clauses.get(n)) {
                    changed |= needed.entry(at.clone()).or_default().insert(*clause);
                }
            }
        }
        if !changed {
            break;
        }
    }
    let facts = invariant.facts.iter().map(|(at, fact)| {
        let Form::Clauses(clauses) = &fact.form else { return (at.clone(), fact.clone()) };
        let needed = needed.get(at).into_iter().flatten().map(|&index| clauses[index].clone());
        let form = Form::Clauses(needed.collect());
        (at.clone(), Fact { predicates: fact.predicates.clone(), form })
    });
    Ok(Some(Invariant { facts: facts.collect(), ..invariant.clone() }))
}

/// The clauses about some threads, in every order that their places allow.
fn said(
    invariant: &Invariant,
    threads: &[Standing],
    of: &[usize],
    at: &[Standing],
    only: Option<&[usize]>,
) -> Vec<(usize, Term)> {
    let Some(Fact { predicates, form: Form::Clauses(clauses) }) = invariant.facts.get(at) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for order in orders(threads, of) {
        for (index, clause) in clauses.iter().enumerate() {
            if only.is_some_and(|only| !only.contains(&index)) {
                continue;
            }
            let literal = clause.iter().map(|l| {
                let term = predicates[l.predicate as usize].clone();
                if l.holds { term } else { term.negated() }
            });
            let term = Term::any(literal).substitute(&|var| {
                Term::Var(match var {
                    Var::Local(position, slot) => Var::Local(order[position], slot),
                    other => other,
                })
            });
            all.push((index, term));
        }
    }
    all
}
