//! # What an answer leaves open about deadlocks
//! They are asked for where threads wait for each other; some engines cannot say, and some waiting is not meant. Both are said.

use crate::answer::Detail;

/// What an answer leaves open about deadlocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Deadlocks<'a> {
    /// The deadlocks that were not asked about.
    pub left_out: LeftOut,
    /// Why it is not known whether there are some, although they were asked for.
    pub undecided: Option<&'a str>,
    /// What else nobody asked for: properties of C.
    pub unasked: Option<&'static str>,
}

/// The deadlocks that were not asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LeftOut {
    /// None: all were asked about, or threads never wait.
    #[default]
    Nothing,
    /// Those in which all who wait do so in front of an `assume`.
    Assumptions,
    /// All deadlocks.
    All,
    /// All of them, in an answer within a bound: a line of its own says so, since the same program may well have some without one.
    AllWithinBound,
}

impl Deadlocks<'_> {
    /// The deadlocks that a proof says nothing about.
    pub(crate) fn limits(&self) -> impl Iterator<Item = &'static str> {
        self.limit().into_iter().chain(self.unasked)
    }

    /// The deadlocks that a proof says nothing about.
    fn limit(&self) -> Option<&'static str> {
        match (self.left_out, self.undecided) {
            (LeftOut::Nothing | LeftOut::AllWithinBound, _) | (LeftOut::All, Some(_)) => None,
            (LeftOut::Assumptions, _) => {
                Some("deadlocks in which all threads that wait do so in `assume` (--deadlock)")
            }
            (LeftOut::All, None) => Some("deadlocks (--deadlock)"),
        }
    }

    /// That nobody looked for them within the bound.
    pub(crate) fn unasked(&self) -> Option<Detail> {
        let words = "not looked for: with a bound, only --deadlock looks for them";
        (self.left_out == LeftOut::AllWithinBound).then(|| ("deadlock", words.to_owned()))
    }

    /// A line that says why deadlocks are not decided, if they are not.
    pub(crate) fn detail(&self) -> Option<Detail> {
        Some(("deadlock", format!("not decided: {}", self.undecided?)))
    }
}

/// A sentence on what a proof does not promise.
pub(crate) fn limits(what: impl IntoIterator<Item = &'static str>) -> String {
    let all: Vec<&str> = what.into_iter().collect();
    format!("nothing is said about {}", all.join(", nor about "))
}
