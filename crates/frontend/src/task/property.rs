//! # Property files
//! A line for each property: `CHECK( init(main()), LTL(G ! call(reach_error())) )`. Blanks do not matter; `//` and `#` begin comments.

use std::collections::BTreeSet;
use std::path::Path;

use selvedge_program::{Source, Span};

use super::wrong;
use crate::{Diagnostic, LoadError, read_text};

/// A property of all runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Property {
    /// `reach_error` is never called.
    UnreachCall,
    /// Only pointers that may be freed are freed.
    ValidFree,
    /// Pointers that are followed lead somewhere.
    ValidDeref,
    /// Memory that was not freed can still be reached. It is not checked here; answers to a question about it say so.
    ValidMemtrack,
    /// No signed result is too large for its type.
    NoOverflow,
    /// No two threads access an object at once, one of them to write it.
    NoDataRace,
}

impl Property {
    /// All of them, with the formulas that stand for them.
    pub const ALL: [(Property, &'static str); 6] = [
        (Property::UnreachCall, "G ! call(reach_error())"),
        (Property::ValidFree, "G valid-free"),
        (Property::ValidDeref, "G valid-deref"),
        (Property::ValidMemtrack, "G valid-memtrack"),
        (Property::NoOverflow, "G ! overflow"),
        (Property::NoDataRace, "G ! data-race"),
    ];

    /// The line of a property file that asks for it.
    #[must_use]
    pub fn check(self) -> String {
        let formula = Property::ALL.iter().find(|(property, _)| *property == self);
        let formula = formula.map_or("", |(_, formula)| formula);
        format!("CHECK( init(main()), LTL({formula}) )")
    }
}

/// The properties that a property file asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specification {
    /// The properties, never none.
    pub properties: BTreeSet<Property>,
}

impl Specification {
    /// Reads a property file.
    pub fn read(path: &Path) -> Result<Self, LoadError> {
        Self::parse(&read_text(path)?)
    }

    /// Reads the text of a property file.
    pub fn parse(source: &Source) -> Result<Self, LoadError> {
        let mut properties = BTreeSet::new();
        let mut start = 0;
        let mut last = Span::default();
        for line in source.text().split_inclusive('\n') {
            let text = uncommented(line).trim();
            let begin = start + line.find(text).unwrap_or(0);
            last = Span::new(begin, begin + text.len());
            start += line.len();
            if !text.is_empty() {
                properties.insert(check(text, last).map_err(|why| wrong(source, why))?);
            }
        }
        let asks = |property| properties.contains(&property);
        if properties.is_empty() {
            let none = Diagnostic::error(Span::new(0, 0), "this file asks for nothing")
                .hint("write a line such as `CHECK( init(main()), LTL(G ! call(reach_error())) )`");
            return Err(wrong(source, none));
        }
        if asks(Property::ValidFree) != asks(Property::ValidDeref)
            || (asks(Property::ValidMemtrack) && !asks(Property::ValidFree))
        {
            let part = Diagnostic::error(last, "this asks for a part of memory safety only").hint(
                "ask for `G valid-free` and `G valid-deref` in one file: they are checked together",
            );
            return Err(wrong(source, part));
        }
        Ok(Specification { properties })
    }

    /// The lines of a property file that asks for the same, in one order.
    #[must_use]
    pub fn text(&self) -> String {
        let lines: Vec<_> = self.properties.iter().map(|property| property.check()).collect();
        lines.join("\n")
    }

    /// Whether this property is asked for.
    #[must_use]
    pub fn asks(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }
}

/// A line without its comment.
fn uncommented(line: &str) -> &str {
    let end = [line.find("//"), line.find('#')].into_iter().flatten().min();
    &line[..end.unwrap_or(line.len())]
}

/// One property, in a line without blanks at its ends.
fn check(line: &str, span: Span) -> Result<Property, Diagnostic> {
    let shape = "a property is written `CHECK( init(main()), LTL(G ! data-race) )`";
    let wrong = |message: String| Diagnostic::error(span, message).hint(shape);
    let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let dense: String = words.split(' ').collect();
    if dense.starts_with("COVER(") {
        let tests = "this asks for tests that cover something, and Selvedge makes none";
        return Err(Diagnostic::error(span, tests));
    }
    let Some(inner) = dense.strip_prefix("CHECK(").and_then(|rest| rest.strip_suffix(')')) else {
        return Err(wrong("this is no property".to_owned()));
    };
    let Some(formula) = inner.strip_prefix("init(main()),LTL(").and_then(|r| r.strip_suffix(')'))
    else {
        return Err(match inner.starts_with("init(") && !inner.starts_with("init(main()),") {
            true => wrong("runs start with `main`, and this says something else".to_owned()),
            false => wrong("this is no formula over the runs of `main`".to_owned()),
        });
    };
    if let Some(function) = formula.strip_prefix("G!call(").and_then(|r| r.strip_suffix("())")) {
        return match function {
            "reach_error" | "__VERIFIER_error" | "__assert_fail" => Ok(Property::UnreachCall),
            _ => Err(Diagnostic::error(span, format!("calls of `{function}` are not looked for"))
                .hint("the function that must not be called is `reach_error`")),
        };
    }
    Ok(match formula {
        "Gvalid-free" => Property::ValidFree,
        "Gvalid-deref" => Property::ValidDeref,
        "Gvalid-memtrack" => Property::ValidMemtrack,
        "G!overflow" => Property::NoOverflow,
        "G!data-race" => Property::NoDataRace,
        "Fend" => {
            let message = "`verify` says nothing about runs that never end";
            return Err(Diagnostic::error(span, message).hint(
                "`selvedge livelock` looks for fair runs that never end, of programs in .weave",
            ));
        }
        "Gvalid-memcleanup" => {
            let message = "whether all memory is freed in the end is not looked for";
            return Err(Diagnostic::error(span, message)
                .hint("of memory, `G valid-free` and `G valid-deref` are checked"));
        }
        _ => {
            let known: Vec<_> =
                Property::ALL.iter().map(|(_, known)| format!("`{known}`")).collect();
            let known = known.join(", ");
            return Err(Diagnostic::error(span, format!("the formula `{formula}` is not known"))
                .hint(format!("known are {known}")));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Specification, String> {
        let source = Source::new("a.prp", text);
        Specification::parse(&source).map_err(|why| why.to_string())
    }

    #[test]
    fn every_property_reads_as_it_is_written() {
        for (property, _) in Property::ALL {
            let text = match property {
                Property::ValidFree | Property::ValidDeref | Property::ValidMemtrack => continue,
                _ => property.check(),
            };
            let read = parsed(&text).unwrap();
            assert_eq!(read.properties, BTreeSet::from([property]));
            assert_eq!(read.text(), text);
        }
        let memory = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                      CHECK( init(main()), LTL(G valid-memtrack) )";
        let read = parsed(&format!("\n{memory}\n\n")).unwrap();
        assert_eq!(read.text(), memory);
    }

    #[test]
    fn blanks_comments_and_old_names_do_not_matter() {
        let read = parsed("// races\n  CHECK(init( main() ),LTL( G!data-race )) # and no more\r\n");
        assert_eq!(read.unwrap().properties, BTreeSet::from([Property::NoDataRace]));
        let read = parsed("CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )").unwrap();
        assert_eq!(read.text(), "CHECK( init(main()), LTL(G ! call(reach_error())) )");
    }

    #[test]
    fn mistakes_have_places() {
        let wrong = |text: &str, words: &str| {
            let said = parsed(text).unwrap_err();
            assert!(said.contains(words), "{text}: {said}");
        };
        wrong("", "a.prp:1:1");
        wrong("", "asks for nothing");
        wrong("# nothing", "asks for nothing");
        wrong("\n  CHECK( init(main()), LTL(F end) )", "a.prp:2:3");
        wrong("CHECK( init(main()), LTL(F end) )", "selvedge livelock");
        wrong("CHECK( init(main()), LTL(G valid-memcleanup) )", "freed in the end");
        wrong("CHECK( init(main()), LTL(G valid-free) )", "a part of memory safety");
        wrong("CHECK( init(main()), LTL(G valid-memtrack) )", "a part of memory safety");
        wrong("CHECK( init(main()), LTL(G ! call(f())) )", "calls of `f`");
        wrong("CHECK( init(main()), LTL(G ! owerflow) )", "`G!owerflow` is not known");
        wrong("CHECK( init(start()), LTL(G ! overflow) )", "runs start with `main`");
        wrong("CHECK( init(main()), G ! overflow )", "no formula");
        wrong("CHEK( init(main()), LTL(G ! overflow) )", "this is no property");
        wrong("CHECK( init(main()), LTL(G ! overflow) ", "no formula");
        wrong("CHECK( init(main()), LTL(G ! overflow", "this is no property");
        wrong("COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )", "tests that cover");
    }
}
