//! # The run of a violation, by asking
//! Workers look back from a violation, layer by layer, each through its own states ([`selvedge_analysis::explore::share::Hunt`]); then the way is asked for, state by state. So whoever asks
//! stores the states of the run, and no others.

use selvedge_analysis::explore::share::{Hunt, Place, Route};
use selvedge_analysis::{Budget, Stop};
use selvedge_evidence::Trace;
use selvedge_model::{Fault, Property};

use crate::Spreading;
use crate::mail::{Command, Said};

/// Where a way back has ended.
struct End {
    place: Place,
    /// The number of contexts that its state needs, as far as the workers know.
    needed: u32,
}

impl Spreading<'_> {
    /// A run within the current bound, one context after the other: the way back looks at the states of one context only.
    pub(crate) fn any_run(&self, properties: &[Property], budget: &Budget) -> Result<Trace, Stop> {
        let mut bound = self.current();
        let mut from = None;
        loop {
            // Which bound states belong to is not known of those that another run has found before the bound that it ended with.
            let hunt = match bound > self.unknown_until() {
                true => Hunt { from, contexts: 1, within: bound, until: bound.saturating_sub(1) },
                false => Hunt { from, contexts: bound, within: bound, until: 0 },
            };
            let End { place, needed } = self.chase(hunt, budget)?;
            from = Some(place);
            if hunt.until == 0 {
                return self.route(place, properties, budget);
            }
            bound = needed.max(self.unknown_until());
        }
    }

    /// The run with the fewest steps within the current bound.
    pub(crate) fn fewest_steps(
        &self,
        properties: &[Property],
        budget: &Budget,
    ) -> Result<Trace, Stop> {
        let bound = self.current();
        let hunt = Hunt { from: None, contexts: bound, within: bound, until: 0 };
        let end = self.chase(hunt, budget)?;
        self.route(end.place, properties, budget)
    }

    /// Looks back until a way has ended.
    fn chase(&self, hunt: Hunt, budget: &Budget) -> Result<End, Stop> {
        let mut said = self.ask(Command::hunt(hunt), budget)?;
        loop {
            let mut new = 0;
            let mut ends = Vec::new();
            for (worker, said) in (0..).zip(said) {
                let Said::Hunted { new: found, end } = said else { continue };
                new += found;
                ends.extend(end.map(|(rank, number, needed)| (rank, worker, number, needed)));
            }
            if let Some(&(_, worker, number, needed)) = ends.iter().min() {
                return Ok(End { place: Place { worker, number }, needed });
            }
            if new == 0 {
                return Err(lost());
            }
            said = self.ask(Command::Back, budget)?;
        }
    }

    /// Asks for the states of a way, from its beginning.
    fn route(&self, start: Place, properties: &[Property], budget: &Budget) -> Result<Trace, Stop> {
        let mut route = Route::new(self.system(), self.terms())?;
        let mut next = Some(start);
        while let Some(Place { worker, number }) = next {
            let said = self.ask(Command::Waypoint { worker, number }, budget)?;
            let told = said.into_iter().find_map(|said| match said {
                Said::Waypoint { bytes, next } => Some((bytes, next)),
                _ => None,
            });
            let Some((bytes, following)) = told else { return Err(lost()) };
            next = following.map(|(worker, number)| Place { worker, number });
            route.add(&bytes, next.is_none())?;
        }
        route.trace(properties)
    }
}

/// A way that ends nowhere is a mistake of this program.
fn lost() -> Stop {
    Stop::Fault(Fault::new("the schedule of the violation could not be followed"))
}
