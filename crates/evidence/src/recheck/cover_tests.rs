//! False claims about any number of threads that are true but for one condition of the theorem.

use selvedge_model::{Pattern, Property, SharedId, Spawn, SymbolId, Tables, TemplateId, Word};

use super::*;
use crate::testing::Choosing;
use crate::{CountedState, CoverCertificate, CoverGroup, CoverPlace, CoverThread};

/// Kinds with what may be beside each of them.
fn place(shared: u32, groups: &[(u32, &[u32])]) -> CoverPlace {
    let group = |&(kind, beside): &(u32, &[u32])| CoverGroup {
        kinds: Box::new([kind]),
        beside: beside.into(),
    };
    CoverPlace { shared: SharedId(shared), groups: groups.iter().map(group).collect() }
}

fn kind(template: TemplateId, symbol: SymbolId) -> CoverThread {
    CoverThread { template, stack: Box::new([symbol]), hidden: false }
}

fn never(shared: u32, symbol: SymbolId) -> Property {
    let shared = Some(SharedId(shared));
    Property::Unreachable(Pattern::Somewhere { shared, template: None, symbol })
}

/// One thread goes first, then a second, then a third, which is wrong. That the last two are beside
/// each other is forgotten when the first one acts, though neither of them does.
#[test]
fn threads_that_stand_still_stay_beside_each_other() {
    let mut t = Tables::builder();
    let q = ["0", "1", "2", "3"].map(|name| t.shared(name));
    let templates = ["first", "second", "third"].map(|name| t.template(name));
    let [first, second, third] = templates.map(|template| t.symbol(template, "at"));
    let done = t.symbol(templates[1], "done");
    t.rule(templates[0], q[0], Some(first), q[1], Word::Rewrite(first));
    t.rule(templates[1], q[1], Some(second), q[2], Word::Rewrite(done));
    t.rule(templates[2], q[2], Some(third), q[3], Word::Rewrite(third));
    for (name, template, symbol) in
        [("a", templates[0], first), ("b", templates[1], second), ("c", templates[2], third)]
    {
        t.thread(name, template, vec![symbol]);
    }
    t.initial(q[0]);
    let system = t.build();
    let certificate = CoverCertificate {
        cut: None,
        relations: Vec::new(),
        unlimited: Vec::new(),
        kinds: vec![
            kind(templates[0], first),
            kind(templates[1], second),
            kind(templates[2], third),
            kind(templates[1], done),
        ],
        places: vec![
            place(0, &[(0, &[1, 2]), (1, &[0, 2]), (2, &[0, 1])]),
            place(1, &[(0, &[1, 2]), (1, &[0]), (2, &[0])]),
            place(2, &[(0, &[3]), (3, &[0])]),
        ],
        dangerous: Vec::new(),
    };
    let refused = recheck(&system, &[never(3, third)], &Evidence::Cover(certificate));
    assert_eq!(refused.map_err(|refusal| refusal.flaw), Err(Flaw::NotClosed));
}

/// Two threads of any number are wrong: that two are dangerous at the start is said, and only one is
/// looked for there.
#[test]
fn at_the_start_there_are_as_many_as_one_likes() {
    let mut t = Tables::builder();
    let q = ["0", "1", "2"].map(|name| t.shared(name));
    let w = t.template("w");
    let [ready, done] = ["ready", "done"].map(|name| t.symbol(w, name));
    t.rule(w, q[0], Some(ready), q[1], Word::Rewrite(done));
    t.rule(w, q[1], Some(ready), q[2], Word::Rewrite(done));
    t.initial(q[0]);
    let any = vec![Spawn { template: w, stack: Word::Rewrite(ready) }];
    let system = Choosing { tables: t.build(), choices: Vec::new(), any };
    let dangerous = |shared, threads: &[(u32, u32)]| CountedState {
        shared: SharedId(shared),
        threads: threads.into(),
    };
    let both: &[(u32, &[u32])] = &[(0, &[0, 1]), (1, &[0, 1])];
    let certificate = CoverCertificate {
        cut: None,
        relations: Vec::new(),
        unlimited: vec![w],
        kinds: vec![kind(w, ready), kind(w, done)],
        places: vec![place(0, &[(0, &[0])]), place(1, both), place(2, both)],
        dangerous: vec![dangerous(2, &[]), dangerous(1, &[(0, 1)]), dangerous(0, &[(0, 2)])],
    };
    let refused = recheck(&system, &[never(2, done)], &Evidence::Cover(certificate));
    assert_eq!(refused.map_err(|refusal| refusal.flaw), Err(Flaw::Initial));
}
