//! # The certificate
//! What the search knows when nothing is new: which local states occur where, and the smallest
//! states from which a violation could be reached. Whether that proves anything is for
//! [`selvedge_evidence::recheck`] to say.

use selvedge_evidence::{
    CountedState, CoverCertificate, CoverCut, CoverGroup, CoverGuess, CoverPlace, CoverThread,
};
use selvedge_model::TemplateId;

use crate::backward::Backward;

pub(crate) fn certificate(search: &Backward<'_>) -> CoverCertificate {
    let modular = search.modular;
    let kind = |kind: u32| CoverThread {
        template: modular.kinds.template(kind),
        stack: modular.kinds.window(kind).symbols.clone(),
        hidden: modular.kinds.window(kind).hidden,
    };
    let kinds: Vec<CoverThread> = modular.kinds.ids().map(kind).collect();
    let mut unlimited: Vec<TemplateId> = kinds.iter().map(|kind| kind.template).collect();
    unlimited.sort_unstable();
    unlimited.dedup();
    unlimited.retain(|template| !modular.limits.contains_key(template));
    let shared = |place: u32| modular.places[place as usize].shared;
    let place = |place: u32| {
        let groups = match search.views {
            Some(views) => views.groups(place),
            None => modular.groups(place),
        };
        let group = |(kinds, beside): (Vec<u32>, Vec<u32>)| CoverGroup {
            kinds: kinds.into(),
            beside: beside.into(),
        };
        CoverPlace { shared: shared(place), groups: groups.into_iter().map(group).collect() }
    };
    let places: Vec<CoverPlace> = modular.place_ids().map(place).collect();
    let is_listed = |number: u32| !places[number as usize].groups.is_empty();
    let guess = |((template, lowest), (below, more))| CoverGuess { template, lowest, below, more };
    let cut = modular.kinds.depth().map(|depth| CoverCut {
        depth,
        guesses: modular.kinds.guesses().into_iter().map(guess).collect(),
    });
    let relations = search.relations.iter().map(|relation| relation.written(&is_listed)).collect();
    let dangerous = search.kept.smallest();
    let dangerous = dangerous
        .into_iter()
        .map(|element| CountedState::of_kinds(shared(element.place), element.kinds.to_vec()));
    CoverCertificate {
        unlimited,
        kinds,
        places: places.into_iter().filter(|place| !place.groups.is_empty()).collect(),
        dangerous: dangerous.collect(),
        cut,
        relations,
    }
}
