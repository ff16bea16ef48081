//! # Witnesses
//! An answer about a program in C, for other verifiers: what [`selvedge_report::witness`] writes, of what the answer knows.

use std::collections::BTreeSet;
use std::time::SystemTime;

use selvedge_analysis::engine::Verdict as Found;
use selvedge_frontend::c::{self, Settings, types::DataModel};
use selvedge_frontend::task::{Property as Asked, Specification};
use selvedge_model::Property;
use selvedge_report::json::VerdictName;
use selvedge_report::witness::{self, Task};

use crate::answer::{Answer, By};

impl Answer {
    /// The witness of the answer, or why there is none. `specification` says what was asked, where a property file did.
    pub fn witness(
        &self,
        specification: Option<&Specification>,
        created: SystemTime,
    ) -> Result<String, &'static str> {
        let source = self.source();
        if !c::has_its_ending(source.name().as_ref()) {
            return Err("witnesses are for programs in C");
        }
        let (settings, is_usual) = match &self.by {
            By::States { opened, .. } => {
                (&opened.options.c, opened.properties.contains(&Property::NeverWrong))
            }
            By::Views(views) => {
                (&views.subject.options.c, views.subject.property == Property::NeverWrong)
            }
            By::Endless { .. } => return Err("the formats have no word for such runs"),
        };
        if !is_usual {
            return Err("the formats have no word for targets");
        }
        let broken = self.broken();
        let mut specification = match specification {
            Some(specification) => specification.clone(),
            None => asked(settings, broken.as_deref()),
        };
        // A proof claims no more than was proved.
        specification.properties.remove(&Asked::ValidMemtrack);
        let specification = specification.text();
        let data_model = match settings.model.unwrap_or_else(|| c::model_of(source.text())) {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        };
        let outline = c::outline(source.text());
        let task = Task {
            source,
            outline: &outline,
            specification: &specification,
            data_model,
            creation_time: &witness::timestamp(created),
        };
        match (self.name(), &self.by) {
            (VerdictName::Safe, _) => Ok(witness::correctness(&task)),
            (VerdictName::Unsafe, By::States { opened, outcome, .. }) => {
                let Found::Unsafe { property, trace, .. } = &outcome.verdict else {
                    return Err("there is no schedule");
                };
                if opened.properties.get(*property).is_some_and(Property::is_about_deadlocks) {
                    return Err("the formats have no word for deadlocks");
                }
                let Some(program) = &opened.program else {
                    return Err("there is no program");
                };
                let races = broken.is_some_and(|reason| class(&reason) == Asked::NoDataRace);
                witness::violation(&task, program, trace, races)
                    .ok_or("what goes wrong has no place in the text")
            }
            _ => Err("there is one only if the answer is safe or unsafe"),
        }
    }

    /// What goes wrong in the end, in words.
    fn broken(&self) -> Option<String> {
        let By::States { opened, .. } = &self.by else { return None };
        self.last().and_then(|last| opened.system.wrong(last.shared))
    }
}

/// What was asked, where nobody wrote a property file: all that options ask for, or of it what is violated.
fn asked(settings: &Settings, broken: Option<&str>) -> Specification {
    let options = settings.options;
    let memory = [Asked::ValidFree, Asked::ValidDeref];
    let mut properties = BTreeSet::new();
    properties.extend(options.assertions.then_some(Asked::UnreachCall));
    properties.extend(memory.into_iter().filter(|_| options.memory));
    properties.extend(options.overflow.then_some(Asked::NoOverflow));
    properties.extend(options.races.then_some(Asked::NoDataRace));
    if let Some(reason) = broken {
        properties = match class(reason) {
            Asked::ValidDeref => memory.into(),
            other => [other].into(),
        };
    }
    Specification { properties }
}

/// Which property something that goes wrong violates.
fn class(reason: &str) -> Asked {
    match () {
        () if reason.contains("data race:") => Asked::NoDataRace,
        () if reason.contains("does not fit into its type") => Asked::NoOverflow,
        () if reason.contains("undefined behaviour:") => Asked::ValidDeref,
        () => Asked::UnreachCall,
    }
}
