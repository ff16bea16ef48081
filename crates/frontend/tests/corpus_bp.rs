//! Every Boolean program of the corpus is read without complaint, and in no time.

use crate::{corpus, effort};

use std::fs;
use std::time::Duration;

use selvedge_frontend::bp::parse;
use selvedge_frontend::syntax::{File, Item, ProcDecl, Stmt, StmtKind};
use selvedge_program::Source;

/// What a program has much of.
#[derive(Default)]
struct Counts {
    statements: usize,
    labels: usize,
    thread_starts: usize,
    assertions: usize,
}

impl Counts {
    fn add(&mut self, body: &[Stmt]) {
        for statement in body {
            self.statements += 1;
            self.labels += statement.labels.len();
            match &statement.kind {
                StmtKind::StartThread(_) => self.thread_starts += 1,
                StmtKind::Assert(..) => self.assertions += 1,
                StmtKind::If { then, otherwise, .. } => {
                    self.add(then);
                    self.add(otherwise);
                }
                _ => {}
            }
        }
    }
}

fn procedures(file: &File) -> impl Iterator<Item = &ProcDecl> {
    file.items.iter().filter_map(|item| match item {
        Item::Proc(proc) => Some(proc),
        _ => None,
    })
}

#[test]
fn every_program_is_read() {
    for path in corpus::files("bp", "bp") {
        let shown = path.display();
        let text = fs::read_to_string(&path).unwrap();
        let (labels, starts) = (text.matches("\nPC").count(), text.matches("start_thread").count());
        let source = Source::new(shown.to_string(), text);
        let most = Duration::from_millis(50);
        let (file, diagnostics) = effort::within(most, &shown, || parse(&source));
        assert_eq!(diagnostics, [], "{shown}");

        let main = procedures(&file).find(|p| p.name.text == "main");
        let main = main.unwrap_or_else(|| panic!("{shown} has no main"));
        let mut counts = Counts::default();
        counts.add(&main.body);
        assert_eq!(counts.thread_starts, starts, "{shown}");
        assert_eq!(counts.assertions, 1, "{shown}");
        assert!(counts.thread_starts > 0, "{shown}");
        assert!(counts.labels >= labels, "{shown}: {} of {labels} labels", counts.labels);
        assert!(counts.statements > counts.labels / 2, "{shown}");
        // The other procedures are empty but for declarations.
        for other in procedures(&file).filter(|p| p.name.text != "main") {
            let empty = other.body.iter().all(|s| matches!(s.kind, StmtKind::Local(_)));
            assert!(empty && other.name.text.contains("$$"), "{shown}: {}", other.name.text);
        }
    }
}
