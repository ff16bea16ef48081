//! How many programs and questions there were, how far they were compared, and what was refused.

use std::collections::BTreeMap;

use selvedge_evidence::{Evidence, ReducedCertificate};

use super::Reduction;
use super::asked::Asked;
use super::changes::Change;
use super::plain::{Extent, Plain};
use super::programs::FEATURES;

#[derive(Default, Debug)]
pub(super) struct Tally {
    pub programs: usize,
    /// Programs that were compared at least up to one bound.
    pub up_to_a_bound: usize,
    pub questions: usize,
    /// Questions that have no enumeration to be held against.
    pub not_enumerated: usize,
    /// How far questions were enumerated; of those that no engine answered either.
    pub extents: BTreeMap<Extent, usize>,
    pub unanswered: BTreeMap<Extent, usize>,
    /// How many contexts were followed where there is no end.
    pub contexts: BTreeMap<usize, usize>,
    pub safe: usize,
    /// With an assertion or something like it that is broken first; with a deadlock first.
    pub wrong: usize,
    pub deadlocks: usize,
    pub features: BTreeMap<&'static str, usize>,
    /// Certificates about programs with a feature, by what was left out in them.
    pub of_features: BTreeMap<(&'static str, &'static str), usize>,
    /// Questions that each reduction answered like the definition, by the number of workers.
    pub compared: BTreeMap<(Reduction, usize), usize>,
    /// Questions that were compared bound by bound as far as the definition was followed, and those where work ended before.
    pub bound_by_bound: BTreeMap<(Reduction, usize), usize>,
    pub cut_short: BTreeMap<(Reduction, usize), usize>,
    pub unknown: BTreeMap<Reduction, usize>,
    /// Runs that were replayed, certificates that were accepted.
    pub runs: BTreeMap<Reduction, usize>,
    pub certificates: BTreeMap<Reduction, usize>,
    /// What sort of proof they have.
    pub proofs: BTreeMap<(Reduction, &'static str), usize>,
    /// States at which a choice of who goes first was looked at, heads at which steps were compared.
    pub choices: usize,
    pub heads: usize,
    pub refused: BTreeMap<(Reduction, Change), usize>,
    /// Changes that say nothing wrong.
    pub still_so: BTreeMap<(Reduction, Change), usize>,
}

impl Tally {
    pub fn count<K: Ord>(counts: &mut BTreeMap<K, usize>, key: K) {
        *counts.entry(key).or_default() += 1;
    }

    /// Counts a question, and how far it was enumerated.
    pub fn asked(&mut self, plain: &Plain) {
        self.questions += 1;
        let extent = plain.extent();
        Tally::count(&mut self.extents, extent);
        if extent == Extent::Contexts {
            Tally::count(&mut self.contexts, plain.completed);
        }
        match plain.broken_at {
            None => self.safe += usize::from(plain.is_all),
            Some(_) if plain.is_deadlock => self.deadlocks += 1,
            Some(_) => self.wrong += 1,
        }
    }

    /// Counts a question that nobody has answered.
    pub fn answered(&mut self, asked: &Asked<'_>) {
        if asked.is_broken().is_none() {
            Tally::count(&mut self.unanswered, asked.plain.extent());
        }
    }

    /// Counts a certificate that was accepted.
    pub fn accepted(
        &mut self,
        reduction: Reduction,
        of: &ReducedCertificate,
        features: &[&'static str],
    ) {
        Tally::count(&mut self.certificates, reduction);
        let proof = match &*of.proof {
            Evidence::Cut(_) => "cut",
            Evidence::Aggregate(_) => "aggregate",
            Evidence::Cover(_) => "cover",
            _ => "other",
        };
        Tally::count(&mut self.proofs, (reduction, proof));
        let left_out = [
            ("local steps", !of.local.places.is_empty()),
            ("movers", !of.local.movers.is_empty()),
            ("waiting", !of.waiting.is_empty()),
        ];
        for (kind, _) in left_out.iter().filter(|(_, is_used)| *is_used) {
            for feature in features {
                Tally::count(&mut self.of_features, (*feature, *kind));
            }
        }
    }

    /// Whether everything occurred that the test is about.
    pub fn check(&self, seeds: usize) {
        let of = |count: Option<&usize>| count.copied().unwrap_or(0);
        assert!(self.programs * 10 > seeds * 9, "{self:#?}");
        let each = [self.safe, self.wrong, self.deadlocks];
        assert!(each.iter().all(|&count| count > seeds / 20), "{self:#?}");
        assert!(self.choices > seeds && self.heads > seeds, "{self:#?}");
        for reduction in Reduction::EACH {
            for workers in [1, 2] {
                let compared = of(self.compared.get(&(reduction, workers)));
                assert!(compared > seeds / 2, "{reduction:?}, {workers} workers: {self:#?}");
            }
            let (accepted, unknown) =
                (of(self.certificates.get(&reduction)), of(self.unknown.get(&reduction)));
            assert!(accepted > seeds / 8, "{reduction:?}: {self:#?}");
            assert!(unknown < self.questions, "{reduction:?}: {self:#?}");
        }
        for (feature, _) in FEATURES {
            assert!(of(self.features.get(feature)) > 0, "no {feature}: {self:#?}");
            for kind in ["local steps", "movers", "waiting"] {
                let both = self.of_features.contains_key(&(feature, kind));
                assert!(both, "{feature} and {kind}: {self:#?}");
            }
        }
        // Nearly all were compared with something that the definition says.
        assert!(self.not_enumerated * 50 < self.questions, "{self:#?}");
        let whole = of(self.extents.get(&Extent::Whole));
        assert!(whole * 4 > self.questions * 3, "{self:#?}");
        let refused = |is: &dyn Fn(Reduction, Change) -> bool| -> usize {
            let those =
                self.refused.iter().filter(|((reduction, change), _)| is(*reduction, *change));
            those.map(|(_, count)| count).sum()
        };
        let enough = (seeds / 8).min(300);
        for change in Change::EACH {
            let refused = refused(&|_, of| of == change);
            assert!(refused >= enough, "{change:?}: {refused}, {self:#?}");
        }
        for reduction in Reduction::EACH.into_iter().filter(|&of| of != Reduction::None) {
            let refused = refused(&|of, _| of == reduction);
            assert!(refused >= enough, "{reduction:?}: {refused}, {self:#?}");
        }
    }
}
