//! # Questions as the field writes them down
//! Property files (`--spec`), task definitions (`.yml`) in the place of a program, and witnesses (`--witness`): of `verify` and `check`.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::Args as ClapArgs;
use selvedge::{Answer, Failure, VerdictName};
use selvedge_check::command::{CProperty, DataModel};
use selvedge_frontend::c::types::DataModel as Model;
use selvedge_frontend::task::{Definition, Property, Specification};
use selvedge_frontend::{LoadError, c, files, show_path};

use super::answer::AnswerArgs;
use crate::args::{Format, InputArgs};
use crate::exit::Exit;
use crate::output::Output;
use crate::save::{probe, save};

/// What must not be forgotten where memory is asked about.
const UNCHECKED: &str = "memory that is never freed is not looked for (valid-memtrack)";

/// What is asked of a program in C as a task, and where a witness goes.
#[derive(ClapArgs, Clone, Debug)]
pub struct FieldArgs {
    /// A property file, which says what must hold in the place of --property
    #[arg(long, value_name = "FILE.prp", conflicts_with_all = ["property", "target"], help_heading = "C")]
    spec: Option<PathBuf>,
    /// Write a witness of the answer to this file, for other verifiers: a violation in format 2.2, a proof in
    /// format 2.1
    #[arg(long, value_name = "PATH", help_heading = "C")]
    witness: Option<PathBuf>,
}

/// One question.
#[derive(Clone, Debug)]
pub struct TaskQuestion {
    /// The program, and what is said about it.
    pub input: InputArgs,
    specification: Option<Specification>,
    /// The property file of a task, if there are several.
    heading: Option<String>,
    /// Whether the task says that the property holds.
    expected: Option<bool>,
}

/// The questions about an input.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    asked: Vec<TaskQuestion>,
    /// Whether a task asks for more than is answered.
    leaves_out: bool,
}

impl Questions {
    fn one(asked: TaskQuestion) -> Self {
        Questions { asked: vec![asked.with_options()], leaves_out: false }
    }

    /// Answers them one after the other, and says how to end: a violation counts most, then what is not known.
    pub fn answer(
        &self,
        mut answer: impl FnMut(&TaskQuestion) -> Result<Exit, Failure>,
    ) -> Result<Exit, Failure> {
        let weight = |exit: &Exit| match exit {
            Exit::Unsafe => 3,
            Exit::Unknown => 2,
            Exit::Bounded => 1,
            _ => 0,
        };
        let mut exit = if self.leaves_out { Exit::Unknown } else { Exit::Done };
        for asked in &self.asked {
            exit = [exit, answer(asked)?].into_iter().max_by_key(weight).unwrap_or(exit);
        }
        Ok(exit)
    }
}

impl FieldArgs {
    /// The questions about an input: one, or those of a task definition, one by one. Refuses what cannot be done before anybody works.
    pub fn questions(
        &self,
        input: &InputArgs,
        answer: &AnswerArgs,
        output: &mut Output,
    ) -> Result<Questions, Failure> {
        let questions = match Definition::has_its_ending(&input.file) {
            true => self.of_task(input, output)?,
            false => {
                let specification = self.spec.as_deref().map(Specification::read).transpose()?;
                let asked = TaskQuestion {
                    input: input.clone(),
                    specification,
                    heading: None,
                    expected: None,
                };
                Questions::one(asked)
            }
        };
        let asked = &questions.asked;
        self.refuse_what_is_not_c(input, asked)?;
        if questions.leaves_out || asked.len() > 1 {
            self.refuse_several(input, answer, output)?;
        }
        if let (Some(path), [one]) = (&self.witness, &asked[..]) {
            let mut inputs = files(&one.input.file);
            inputs.extend([input.file.clone()]);
            inputs.extend(self.spec.clone());
            probe("--witness", path, &inputs)?;
        }
        Ok(questions)
    }

    /// All of this is for programs in C.
    fn refuse_what_is_not_c(
        &self,
        input: &InputArgs,
        asked: &[TaskQuestion],
    ) -> Result<(), Failure> {
        let what = match () {
            () if self.witness.is_some() => "--witness",
            () if self.spec.is_some() => "--spec",
            () if Definition::has_its_ending(&input.file) => "a task definition",
            () => return Ok(()),
        };
        match asked.iter().find(|asked| !c::has_its_ending(&asked.input.file)) {
            None => Ok(()),
            Some(other) => Err(only_c(what, &other.input.file)),
        }
    }

    /// The questions of a task definition that there is an answer to.
    fn of_task(&self, input: &InputArgs, output: &mut Output) -> Result<Questions, Failure> {
        let task = Definition::read(&input.file)?;
        if !input.options.c.property.is_empty() {
            return Err(Failure::usage(
                "a task definition says what is asked: choose one of its properties with --spec, or give the program itself",
            ));
        }
        let mut about = InputArgs { file: task.program.clone(), ..input.clone() };
        let model = task.data_model.map(|model| match model {
            Model::Ilp32 => DataModel::Ilp32,
            Model::Lp64 => DataModel::Lp64,
        });
        about.options.c.data_model = about.options.c.data_model.or(model);
        if let Some(spec) = &self.spec {
            let specification = Specification::read(spec)?;
            let is_it = |file: &Path| Specification::read(file).is_ok_and(|it| it == specification);
            let entry = task.entries.iter().find(|entry| is_it(&entry.file));
            let expected = entry.and_then(|entry| entry.expected);
            let asked = TaskQuestion {
                input: about,
                specification: Some(specification),
                heading: None,
                expected,
            };
            return Ok(Questions::one(asked));
        }
        let mut questions = Questions::default();
        let several = task.entries.len() > 1;
        for entry in &task.entries {
            let file = show_path(&entry.file);
            let specification = match Specification::read(&entry.file) {
                Ok(specification) => Some(specification),
                // Tasks ask for more than anybody answers.
                Err(LoadError::Invalid(wrong)) if several => {
                    let why = wrong.list.first().map_or("", |first| &first.message);
                    output.note(&format!("left out: {file}: {why}"));
                    questions.leaves_out = true;
                    continue;
                }
                Err(why) => return Err(why.into()),
            };
            let (input, expected) = (about.clone(), entry.expected);
            let heading = several.then_some(file);
            questions
                .asked
                .push(TaskQuestion { input, specification, heading, expected }.with_options());
        }
        Ok(questions)
    }

    /// What is for one answer is refused where there are several.
    fn refuse_several(
        &self,
        input: &InputArgs,
        answer: &AnswerArgs,
        output: &Output,
    ) -> Result<(), Failure> {
        let option = match output.format {
            _ if self.witness.is_some() => "--witness",
            _ if answer.wants_evidence() => "--evidence",
            Format::Text => return Ok(()),
            _ => "--format",
        };
        Err(Failure::usage(format!(
            "{} asks for several properties, and {option} is for one answer: choose one with --spec FILE.prp",
            show_path(&input.file)
        )))
    }

    /// Writes the witness where it is wanted.
    pub fn save_witness(
        &self,
        answer: &Answer,
        asked: &TaskQuestion,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let Some(path) = self.witness.as_deref() else { return Ok(()) };
        match answer.witness(asked.specification.as_ref(), SystemTime::now()) {
            Ok(text) => {
                save(&[(path, &text)])?;
                output.note(&format!("the witness was written to {}", show_path(path)));
            }
            Err(why) => output.note(&format!("no witness was written: {why}")),
        }
        Ok(())
    }
}

/// Gives an input the options that a specification stands for.
pub fn specify(input: &mut InputArgs, specification: &Specification) {
    let all = [
        (Property::UnreachCall, CProperty::UnreachCall),
        (Property::ValidDeref, CProperty::ValidMemsafety),
        (Property::NoOverflow, CProperty::NoOverflow),
        (Property::NoDataRace, CProperty::NoDataRace),
    ];
    let asked = all.into_iter().filter(|(property, _)| specification.asks(*property));
    input.options.c.property = asked.map(|(_, option)| option).collect();
    if specification.asks(Property::ValidMemtrack) {
        input.options.c.unchecked = vec![UNCHECKED.to_owned()];
    }
}

/// That something is for programs in C, and this is another one.
pub fn only_c(what: &str, file: &Path) -> Failure {
    let file = show_path(file);
    Failure::usage(format!("{what} is for programs in C (.c, .i), and {file} is none"))
}

impl TaskQuestion {
    /// With the options that the specification stands for.
    fn with_options(mut self) -> Self {
        let Some(specification) = &self.specification else { return self };
        specify(&mut self.input, specification);
        self
    }

    /// Prints what the next answer is about, where there are several.
    pub fn announce(&self, output: &mut Output) {
        if let Some(heading) = &self.heading {
            output.print(&format!("{heading}\n"));
        }
    }

    /// Says what the task expected, and leaves a line between answers.
    pub fn conclude(&self, answer: VerdictName, output: &mut Output) {
        let is_there = matches!(answer, VerdictName::Safe | VerdictName::Unsafe);
        if let Some(expected) = self.expected.filter(|_| is_there) {
            let is_right = expected == (answer == VerdictName::Safe);
            let words = if is_right { "as expected" } else { "not what the task expects" };
            output.note(&format!("{words}: {}", if expected { "true" } else { "false" }));
        }
        if self.heading.is_some() {
            output.print("\n");
        }
    }
}
