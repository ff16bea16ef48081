//! # Certificates
//! An invariant over views in words that say the same in every run: what is written to a file, and
//! read from one. Predicates are SMT-LIB terms over `s` (shared) and `l@0`, `l@1` (of the first and
//! the second thread of a view). What is read is not believed before [`crate::recheck`] says so.

use std::collections::{BTreeMap, HashMap};

use crate::invariant::{Fact, Form, Invariant, Literal, key};
use crate::layout::{Layout, Standing};
use crate::sexpr::Sexpr;
use crate::term::{Sort, Term};

/// An invariant over views, as text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Certificate {
    /// How many threads a view has; 0 if there is no invariant, and all cases are followed ([`crate::cases`]).
    pub width: usize,
    /// Bounds of the shared variables that the proof uses.
    pub bounds: Vec<String>,
    /// Laws that the proof uses, see [`crate::laws`].
    pub laws: Vec<String>,
    /// All predicates.
    pub predicates: Vec<String>,
    /// The facts, with the places of the threads that they are about.
    pub entries: Vec<Entry>,
}

/// A fact about threads at some places.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    /// The places, in rising order.
    pub places: Vec<String>,
    /// One of each of these lists holds: numbers of predicates from 1 on, negative if negated.
    pub clauses: Option<Vec<Vec<i64>>>,
    /// Or: one of these abstract states; the predicates that they are about, and a string of 0 and 1
    /// for each.
    pub views: Option<(Vec<usize>, Vec<String>)>,
}

/// A view has no more threads than this.
const WIDEST: usize = 6;

impl Certificate {
    /// Says that all cases can be followed, and nothing goes wrong in any of them: who checks it follows them.
    #[must_use]
    pub fn by_cases() -> Self {
        Certificate::default()
    }

    /// Whether it says no more than that all cases can be followed.
    #[must_use]
    pub fn is_by_cases(&self) -> bool {
        *self == Certificate::default()
    }

    /// Writes an invariant down.
    #[must_use]
    pub fn new(layout: &Layout<'_>, invariant: &Invariant) -> Self {
        let mut predicates = Vec::new();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut number = |text: String| {
            *numbers.entry(text).or_insert_with_key(|text| {
                predicates.push(text.clone());
                predicates.len() - 1
            })
        };
        let mut entries = Vec::new();
        for (places, fact) in &invariant.facts {
            let classes: Vec<usize> = places.iter().map(|place| place.class).collect();
            let name = |var| format!("|{}|", layout.name(var, &classes));
            let mut used: BTreeMap<u32, usize> = BTreeMap::new();
            let mut of = |index: u32| {
                let text = || fact.predicates[index as usize].show(&name).to_string();
                *used.entry(index).or_insert_with(|| number(text()))
            };
            let mut entry = Entry {
                places: places.iter().map(|&place| layout.place_key(place)).collect(),
                ..Entry::default()
            };
            match &fact.form {
                Form::Clauses(clauses) => {
                    let mut literal = |l: &Literal| {
                        let number = of(l.predicate) as i64 + 1;
                        if l.holds { number } else { -number }
                    };
                    let clause = |c: &Vec<Literal>| c.iter().map(&mut literal).collect();
                    entry.clauses = Some(clauses.iter().map(clause).collect());
                }
                Form::Views(views) => {
                    let about = (0..fact.predicates.len() as u32).map(of).collect();
                    let bits =
                        |view: &[bool]| view.iter().map(|&b| if b { '1' } else { '0' }).collect();
                    entry.views = Some((about, views.iter().map(|view| bits(view)).collect()));
                }
            }
            entries.push(entry);
        }
        let name = |var| format!("|{}|", layout.name(var, &[]));
        let bounds = invariant.bounds.iter().map(|bound| bound.show(&name).to_string()).collect();
        let laws = invariant.laws.iter().map(|law| law.show(layout)).collect();
        Certificate { width: invariant.width, bounds, laws, predicates, entries }
    }

    /// The invariant, or what is wrong with the text. Its laws are left to who can derive them.
    pub fn read(&self, layout: &Layout<'_>) -> Result<Invariant, String> {
        if !(1..=WIDEST).contains(&self.width) {
            return Err(format!("a view has from 1 to {WIDEST} threads, not {}", self.width));
        }
        let predicates = self
            .predicates
            .iter()
            .map(|text| Sexpr::parse(text).ok_or_else(|| format!("this is no predicate: {text}")));
        let predicates: Vec<Sexpr> = predicates.collect::<Result<_, _>>()?;
        let mut facts = BTreeMap::new();
        for entry in &self.entries {
            let place = |key: &String| {
                layout.find_place(key).ok_or_else(|| format!("there is no place {key}"))
            };
            let places: Vec<Standing> = entry.places.iter().map(place).collect::<Result<_, _>>()?;
            if places.len() != self.width || key(places.iter().copied()) != places {
                return Err(format!("{:?} are no places of a view, in order", entry.places));
            }
            let fact = self.fact(layout, entry, &places, &predicates)?;
            if facts.insert(places, fact).is_some() {
                return Err(format!("the places {:?} are listed twice", entry.places));
            }
        }
        let bounds = self.bounds.iter().map(|text| {
            let read = Sexpr::parse(text).and_then(|bound| bound.term(&|n| layout.find(n, &[])));
            match read {
                Some((bound, Sort::Bool)) => Ok(bound),
                _ => Err(format!("this is no bound of shared variables: {text}")),
            }
        });
        let bounds = bounds.collect::<Result<_, _>>()?;
        Ok(Invariant { width: self.width, facts, bounds, laws: Vec::new() })
    }

    fn fact(
        &self,
        layout: &Layout<'_>,
        entry: &Entry,
        places: &[Standing],
        predicates: &[Sexpr],
    ) -> Result<Fact, String> {
        let classes: Vec<usize> = places.iter().map(|place| place.class).collect();
        let term = |index: usize| -> Result<Term, String> {
            let read = predicates.get(index).and_then(|p| p.term(&|n| layout.find(n, &classes)));
            match read {
                Some((term, Sort::Bool)) => Ok(term),
                _ => Err(format!(
                    "{} is no predicate about {:?}",
                    self.predicates.get(index).map_or("a missing one", |text| text),
                    entry.places
                )),
            }
        };
        let mut used = Vec::new();
        let form = match (&entry.clauses, &entry.views) {
            (Some(clauses), None) => {
                let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
                let mut all = Vec::new();
                for clause in clauses {
                    let mut literals = Vec::new();
                    for &literal in clause {
                        let number = usize::try_from(literal.unsigned_abs()).unwrap_or(0);
                        let index = number.checked_sub(1).ok_or("there is no predicate 0")?;
                        let predicate = match numbers.get(&index) {
                            Some(&known) => known,
                            None => {
                                used.push(term(index)?);
                                numbers.insert(index, used.len() as u32 - 1);
                                used.len() as u32 - 1
                            }
                        };
                        literals.push(Literal { predicate, holds: literal > 0 });
                    }
                    all.push(literals);
                }
                Form::Clauses(all)
            }
            (None, Some((about, views))) => {
                used = about.iter().map(|&index| term(index)).collect::<Result<_, _>>()?;
                let bits = |view: &String| {
                    let bits: Option<Box<[bool]>> = view
                        .chars()
                        .map(|c| match c {
                            '0' => Some(false),
                            '1' => Some(true),
                            _ => None,
                        })
                        .collect();
                    bits.filter(|bits| bits.len() == used.len())
                        .ok_or_else(|| format!("{view} is no abstract state"))
                };
                Form::Views(views.iter().map(bits).collect::<Result<_, _>>()?)
            }
            _ => return Err(format!("{:?}: either clauses or views", entry.places)),
        };
        Ok(Fact { predicates: used, form })
    }
}
