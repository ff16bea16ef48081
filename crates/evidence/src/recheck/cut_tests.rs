//! False claims about cut stacks that are true but for one condition of the theorem, as certificates
//! with listed states and as ones for any number of threads. One symbol of each stack is kept.

use selvedge_model::{Pattern, Property, SharedId, SymbolId, Tables, TemplateId};

use super::*;
use crate::testing::{climbing, returning};
use crate::{
    CountedState, CoverCertificate, CoverCut, CoverGroup, CoverGuess, CoverPlace, CoverThread,
    CutCertificate, CutThread, Guess, Measure, Relation, Window,
};

const W: TemplateId = TemplateId(0);

/// A thread with a top, and whether something lies below.
type TopAndMore = (&'static str, bool);

/// What is claimed of a system with one thread: what it is seen as at each shared state, in their
/// order; what may lie below what, with more below or not; what must not be seen where.
struct Claim {
    system: Tables,
    seen: Vec<TopAndMore>,
    guesses: Vec<(&'static str, &'static str, bool)>,
    never: (u32, &'static str),
}

impl Claim {
    fn symbol(&self, name: &str) -> SymbolId {
        self.system.find_symbol(W, name).expect("a symbol")
    }

    fn cut(&self, measures: Vec<Measure>) -> Evidence {
        let kind = |&(top, hidden): &TopAndMore| CutThread {
            class: 0,
            window: Window { symbols: [self.symbol(top)].into(), hidden },
        };
        let guess = |&(lowest, below, more)| Guess {
            class: 0,
            above: [self.symbol(lowest)].into(),
            below: self.symbol(below),
            more,
        };
        let numbers = 0..self.seen.len() as u32;
        Evidence::Cut(CutCertificate {
            classes: vec![0],
            started: Vec::new(),
            depth: 1,
            guesses: self.guesses.iter().map(guess).collect(),
            kinds: self.seen.iter().map(kind).collect(),
            states: numbers.map(|n| CountedState::of_kinds(SharedId(n), vec![n])).collect(),
            measures,
        })
    }

    fn cover(&self, relations: Vec<Relation>) -> Evidence {
        let kind = |&(top, hidden): &TopAndMore| CoverThread {
            template: W,
            stack: Box::new([self.symbol(top)]),
            hidden,
        };
        let guess = |&(lowest, below, more)| CoverGuess {
            template: W,
            lowest: self.symbol(lowest),
            below: self.symbol(below),
            more,
        };
        let place = |n: u32| {
            let alone = CoverGroup { kinds: Box::new([n]), beside: Box::new([]) };
            CoverPlace { shared: SharedId(n), groups: Box::new([alone]) }
        };
        let guesses = self.guesses.iter().map(guess).collect();
        Evidence::Cover(CoverCertificate {
            unlimited: Vec::new(),
            kinds: self.seen.iter().map(kind).collect(),
            places: (0..self.seen.len() as u32).map(place).collect(),
            dangerous: Vec::new(),
            cut: Some(CoverCut { depth: 1, guesses }),
            relations,
        })
    }

    fn flaw(&self, evidence: &Evidence) -> Option<Flaw> {
        let (shared, symbol) = (Some(SharedId(self.never.0)), self.symbol(self.never.1));
        let never = Pattern::Somewhere { shared, template: None, symbol };
        let refused = recheck(&self.system, &[Property::Unreachable(never)], evidence);
        refused.err().map(|refusal| refusal.flaw)
    }
}

/// That a lies below b is a guess. That it lies below c, which takes the place of b, is not; so
/// nothing comes up when c is left.
#[test]
fn what_takes_the_place_of_a_symbol_has_its_guesses() {
    let claim = Claim {
        system: returning(),
        seen: vec![("a", false), ("b", true), ("c", true)],
        guesses: vec![("b", "a", false)],
        never: (3, "a"),
    };
    assert_eq!(claim.flaw(&claim.cut(Vec::new())), Some(Flaw::Guesses));
    assert_eq!(claim.flaw(&claim.cover(Vec::new())), Some(Flaw::Guesses));
}

/// At each shared state the stack is one symbol higher than at the one before, which is true. At the
/// last one it has three symbols: one is in sight, and more than one is hidden.
#[test]
fn what_is_hidden_may_be_high() {
    let mut claim = Claim {
        system: climbing(),
        seen: vec![("a", false), ("b", true)],
        guesses: vec![("b", "a", false), ("c", "b", true)],
        never: (2, "c"),
    };
    let higher = Measure { weights: vec![1], least: vec![Some(1), Some(2)] };
    assert_eq!(claim.flaw(&claim.cut(vec![higher])), Some(Flaw::NotClosed));
    claim.seen.push(("c", true));
    let higher = Relation { places: vec![-1, -2, -3], kinds: vec![0, 0, 0], heights: vec![(W, 1)] };
    assert_eq!(claim.flaw(&claim.cover(vec![higher])), Some(Flaw::Harmful));
}
