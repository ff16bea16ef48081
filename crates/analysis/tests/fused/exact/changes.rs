//! # Certificates with one thing changed
//! The checker refuses them, unless what they say is still so: that is looked at state by state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use selvedge_evidence::{CutCertificate, CutThread, Evidence, LeftOut, ReducedCertificate, Window};
use selvedge_model::{Conditions, Fused, PlaceId, State, System, ThreadId, Watched};

use super::Reduction;
use super::asked::Asked;
use super::plain::Plain;
use super::tally::Tally;
use crate::fused::{locks, without_one};

/// One thing in which a certificate differs from what an engine wrote.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Change {
    StateMissing,
    LocalPlace,
    PlaceInside,
    PlaceThatGivesBack,
    PlaceThatTakes,
    PlaceThatCommits,
    HeldPlace,
    OtherLock,
    ProtectedSlot,
    WaitingThread,
    WaitingForEver,
}

impl Change {
    pub const EACH: [Change; 11] = [
        Change::StateMissing,
        Change::LocalPlace,
        Change::PlaceInside,
        Change::PlaceThatGivesBack,
        Change::PlaceThatTakes,
        Change::PlaceThatCommits,
        Change::HeldPlace,
        Change::OtherLock,
        Change::ProtectedSlot,
        Change::WaitingThread,
        Change::WaitingForEver,
    ];
}

impl Asked<'_> {
    /// Changes one thing in a certificate, and looks whether the checker notices.
    pub fn change(
        &self,
        (reduction, change): (Reduction, Change),
        genuine: &ReducedCertificate,
        rng: &mut fastrand::Rng,
        tally: &mut Tally,
    ) {
        let Some(changed) = self.changed(change, genuine, rng) else { return };
        if changed == *genuine {
            return;
        }
        match self.check(&changed) {
            Err(_) => Tally::count(&mut tally.refused, (reduction, change)),
            Ok(_) => {
                Tally::count(&mut tally.still_so, (reduction, change));
                let about = format!("{change:?} was accepted: {:?}\n{}", changed.local, self.about);
                let is_seen = change == Change::WaitingForEver
                    || change == Change::StateMissing && !changed.waiting.is_empty();
                assert!(!is_seen, "{about}");
                let flaw = self.disproof(&changed, genuine);
                assert_eq!(flaw, None, "{about}");
            }
        }
    }

    /// What is not so of what a changed certificate says about places, and about who may wait where the genuine one does not say it.
    fn disproof(
        &self,
        certificate: &ReducedCertificate,
        genuine: &ReducedCertificate,
    ) -> Option<String> {
        let ReducedCertificate { local, later, waiting, proof } = certificate;
        if let Some(why) = locks::disproof(&*self.system, &local.movers, self.states()) {
            return Some(why);
        }
        let conditions = Conditions::new(Arc::clone(&self.system), local.clone());
        let mut heads = BTreeSet::new();
        for (state, _) in self.states() {
            for thread in &state.threads {
                let head = (thread.template, state.shared, thread.stack.top());
                if !heads.insert(head) {
                    continue;
                }
                let mut out = Vec::new();
                if self.system.actions(head.0, head.1, head.2, &mut out).is_err() {
                    continue;
                }
                if let Err(why) = conditions.actions(head.0, head.1, head.2, &mut out) {
                    return Some(why.to_string());
                }
            }
        }
        let fused = Fused::new(Arc::clone(&self.system), local.clone());
        let fused = if *later { fused.beginning_later() } else { fused };
        if waiting.is_empty() {
            // Without a state that others stand for as well, it still has all that is reached.
            let reached = Plain::of(&fused, self.properties, self.effort.states).ok()?.states;
            let reached = reached.iter().map(|(state, _)| state);
            let missing = match &**proof {
                Evidence::Cut(cut) => cut.missing(&fused, reached),
                Evidence::Aggregate(aggregate) => aggregate.missing(&fused, reached),
                _ => Ok(None),
            };
            return match missing {
                Ok(missing) => missing.map(|state| format!("{state:?} is missing")),
                Err(why) => Some(why.to_string()),
            };
        }
        let Evidence::Cut(cut) = &**proof else { return None };
        let mut others = waiting.iter().filter(|left| !genuine.waiting.contains(left));
        others.find_map(|left| {
            let (state, first) = standing(cut, left, &*self.system)?;
            Watched::disproof(&fused, &state, &first)
        })
    }

    fn changed(
        &self,
        change: Change,
        genuine: &ReducedCertificate,
        rng: &mut fastrand::Rng,
    ) -> Option<ReducedCertificate> {
        let code = self.program.code();
        let mut changed = genuine.clone();
        let (places, slots) = (code.locations.len() as u32, code.shared.len() as u32);
        let place = PlaceId(rng.u32(0..places));
        let guards = &mut changed.local.movers.guards;
        let guard = (!guards.is_empty()).then(|| rng.usize(0..guards.len()));
        let movers = &mut changed.local.movers;
        match change {
            Change::StateMissing if genuine.waiting.is_empty() => {
                *changed.proof = without_one(&genuine.proof, rng.usize(..))?;
            }
            Change::StateMissing => return without_state(genuine, rng),
            Change::LocalPlace => {
                changed.local.places.insert(place);
            }
            Change::PlaceInside => {
                movers.inside.insert(place);
            }
            Change::PlaceThatGivesBack => {
                movers.releases.insert(place);
            }
            Change::PlaceThatTakes => {
                movers.takes.insert(place);
            }
            Change::PlaceThatCommits => {
                movers.commits.insert(place);
            }
            Change::HeldPlace => {
                movers.guards[guard?].held.insert(place);
            }
            Change::OtherLock => movers.guards[guard?].lock = place,
            Change::ProtectedSlot => {
                if slots == 0 {
                    return None;
                }
                movers.guards[guard?].protects.insert(rng.u32(0..slots));
            }
            Change::WaitingThread => {
                let Evidence::Cut(cut) = &*genuine.proof else { return None };
                let state = rng.u32(0..u32::try_from(cut.states.len()).ok()?);
                let threads = &cut.states[state as usize].threads;
                if threads.is_empty() || cut.kinds.iter().any(hides) {
                    return None;
                }
                let kind = threads[rng.usize(0..threads.len())].0;
                changed.waiting = waiting_too(&genuine.waiting, state, kind);
            }
            Change::WaitingForEver => {
                // The threads of some kinds wait wherever they are, and somebody else goes on for ever.
                let Evidence::Cut(cut) = &*genuine.proof else { return None };
                if cut.kinds.iter().any(hides) {
                    return None;
                }
                changed.waiting = Vec::new();
                for (number, state) in (0..).zip(&cut.states) {
                    let mut kinds: Vec<u32> = state.threads.iter().map(|&(kind, _)| kind).collect();
                    if kinds.is_empty() {
                        return None;
                    }
                    // One goes first.
                    kinds.swap_remove(rng.usize(0..kinds.len()));
                    kinds.sort_unstable();
                    if kinds.is_empty() {
                        return None;
                    }
                    changed.waiting.push(LeftOut { state: number, kinds: kinds.into() });
                }
            }
        }
        Some(changed)
    }
}

fn hides(kind: &CutThread) -> bool {
    kind.window.hidden
}

/// Adds `kind` to those who wait at `state`.
fn waiting_too(waiting: &[LeftOut], state: u32, kind: u32) -> Vec<LeftOut> {
    let mut more: BTreeMap<u32, BTreeSet<u32>> =
        waiting.iter().map(|left| (left.state, left.kinds.iter().copied().collect())).collect();
    more.entry(state).or_default().insert(kind);
    let left = |(state, kinds): (u32, BTreeSet<u32>)| LeftOut {
        state,
        kinds: kinds.into_iter().collect(),
    };
    more.into_iter().map(left).collect()
}

/// The certificate without one of its states; who waits at the others stays as it was.
fn without_state(
    genuine: &ReducedCertificate,
    rng: &mut fastrand::Rng,
) -> Option<ReducedCertificate> {
    let Evidence::Cut(cut) = &*genuine.proof else { return None };
    let gone = rng.usize(0..cut.states.len());
    let mut changed = genuine.clone();
    let mut cut: CutCertificate = cut.clone();
    cut.states.remove(gone);
    *changed.proof = Evidence::Cut(cut);
    let gone = u32::try_from(gone).ok()?;
    changed.waiting.retain(|left| left.state != gone);
    for left in &mut changed.waiting {
        left.state -= u32::from(left.state > gone);
    }
    Some(changed)
}

/// A state of a certificate, and those that go first.
fn standing(
    cut: &CutCertificate,
    left: &LeftOut,
    system: &dyn System,
) -> Option<(State, Vec<ThreadId>)> {
    let at = &cut.states[left.state as usize];
    let (mut threads, mut first) = (Vec::new(), Vec::new());
    for &(kind, count) in &at.threads {
        let CutThread { class, window: Window { symbols, .. } } = &cut.kinds[kind as usize];
        let class = *class as usize;
        // A class of threads of the text; those that are started come after them.
        let member = cut.classes.iter().position(|&of| of as usize == class);
        let template = match member {
            Some(thread) => system.threads().get(thread)?.template,
            None => return None,
        };
        for _ in 0..count {
            if !left.kinds.contains(&kind) {
                first.push(ThreadId::from(threads.len()));
            }
            let stack = selvedge_model::Stack::top_first(symbols.iter().copied());
            threads.push(selvedge_model::Thread { template, stack });
        }
    }
    Some((State { shared: at.shared, threads }, first))
}
