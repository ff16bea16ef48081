//! `selvedge simulate`: one run, random, replayed or chosen by hand.

mod interactive;

use std::path::{Path, PathBuf};
use std::sync::mpsc;

use clap::Args as ClapArgs;
use selvedge_evidence::Schedule;
use selvedge_frontend::{files, read_text, show_path};
use selvedge_model::Waiting;
use selvedge_report::style::Role;
use selvedge_report::text::TraceOptions;
use selvedge_report::{json, text, waits};

use crate::args::{Format, InputArgs, count, seed};
use crate::exit::Exit;
use crate::input;
use crate::output::Output;
use crate::save::{probe, save};
use interactive::Event;
use selvedge::walk::{Script, Stop, Walk, simulation};
use selvedge::{Failure, Opened, Subject};
use selvedge_check::command::Interrupt;

/// Run one schedule, step by step: random, replayed, or chosen by hand
///
/// A random run stays with a thread for a while before it switches. It ends when something goes
/// wrong, when no thread can act, or after --steps steps. The seed is printed, so that the run
/// can be repeated.
///
/// A schedule has a line for each step: `name`, or `name * 3` for three steps, or
/// `name choice 2` where the thread has several choices. `#` starts a comment. In its place there may be evidence
/// (`selvedge verify --evidence`) of a violation, or of a run that never ends: it is checked, and its run is walked.
///
/// Ends with 0 if the run ended, or was ended, without going wrong; with 10 if it went wrong: a
/// failed assertion, a target reached, or a deadlock that `verify` takes for a violation; with 20 if it
/// cannot be said what comes next.
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// The seed of the random choices
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// The largest number of random steps
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = count,
          allow_negative_numbers = true, conflicts_with_all = ["interactive", "schedule"])]
    steps: u64,
    /// Replay this schedule, or the run of this evidence, in the place of a random run
    #[arg(long, value_name = "FILE")]
    schedule: Option<PathBuf>,
    /// Choose each step by hand (after the schedule, if there is one)
    #[arg(short, long)]
    interactive: bool,
    /// Write the schedule of the run to this file
    #[arg(long, value_name = "FILE")]
    save_schedule: Option<PathBuf>,
    /// Show all values and stacks after each step
    #[arg(long)]
    full: bool,
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    if args.interactive && output.format == Format::Json {
        return Err(Failure::usage("--interactive is for people and has no --format json"));
    }
    let subject = input::load(&args.input, output)?;
    let schedule = args.schedule.as_deref().map(|path| read(path, &subject)).transpose()?;
    let opened = match &schedule {
        Some(script) => script.opened(&subject)?,
        None => subject.system()?,
    };
    let deadlocks = subject.deadlocks_of(&opened);
    let Opened { system, properties, source, .. } = opened;
    if let Some(path) = &args.save_schedule {
        probe("--save-schedule", path, &files(&args.input.file))?;
    }
    let mut simulation = Simulation {
        args,
        file: source.name(),
        seed: args.seed.unwrap_or_else(|| u64::from(fastrand::u32(..))),
        walk: Walk::start(system.as_ref(), &properties)?,
        schedule,
        deadlocks,
        counts_deadlock: false,
    };
    let stop = simulation.run(output)?;
    if let Some(path) = &args.save_schedule {
        save_schedule(&simulation.walk, path)?;
        output.note(&format!("the schedule was written to {}", show_path(path)));
    }
    Ok(match stop {
        Stop::Wrong(_) => Exit::Unsafe,
        Stop::Deadlock if simulation.counts_deadlock => Exit::Unsafe,
        Stop::Unknown(_) => Exit::Unknown,
        _ => Exit::Done,
    })
}

/// Writes the schedule of the run so far.
fn save_schedule(walk: &Walk<'_>, path: &Path) -> Result<(), Failure> {
    let schedule = Schedule::from_trace(walk.system(), walk.trace());
    let schedule = schedule.map_err(Failure::bug)?;
    save(&[(path, &schedule.to_string())])
}

struct Simulation<'a> {
    args: &'a Args,
    file: &'a str,
    seed: u64,
    walk: Walk<'a>,
    schedule: Option<Script>,
    /// Which deadlocks are violations, if some are.
    deadlocks: Option<Waiting>,
    /// Whether the run has ended in one of these.
    counts_deadlock: bool,
}

/// Reads a schedule, or evidence.
fn read(path: &Path, subject: &Subject) -> Result<Script, Failure> {
    let source = read_text(path)?;
    Script::read(subject, source.text()).map_err(|failure| match failure {
        Failure::Message(blame, why) => {
            Failure::Message(blame, format!("{}: {why}", show_path(path)))
        }
        other => other,
    })
}

impl Simulation<'_> {
    /// Says whether a deadlock counts.
    fn judge(&mut self, stop: &Stop) -> Result<(), Failure> {
        let (Stop::Deadlock, Some(waiting)) = (stop, &self.deadlocks) else { return Ok(()) };
        self.counts_deadlock = self.walk.is_deadlock(waiting)?;
        Ok(())
    }

    fn run(&mut self, output: &mut Output) -> Result<Stop, Failure> {
        let (sender, events) = mpsc::channel();
        let for_keyboard = sender.clone();
        let interrupt = Interrupt::install(move || drop(sender.send(Event::Interrupt)));
        let mut random = fastrand::Rng::with_seed(self.seed);
        if let (Some(path), Some(schedule)) = (&self.args.schedule, self.schedule.take()) {
            let followed = schedule.follow(&mut self.walk);
            followed.map_err(|why| Failure::input(format!("{}: {why}", show_path(path))))?;
        } else {
            self.walk.restart_anywhere(&mut random);
        }
        if self.args.interactive {
            interactive::listen(for_keyboard);
            let options = interactive::Options {
                full: self.args.full,
                save: self.args.save_schedule.as_deref(),
            };
            let stop = interactive::run(
                &mut self.walk,
                &events,
                &mut random,
                &interrupt,
                options,
                output,
            )?;
            if stop == Stop::Interrupted {
                output.print(&self.trace(output));
            }
            self.judge(&stop)?;
            output.print(&self.summary(&stop));
            return Ok(stop);
        }
        let stop = match &self.args.schedule {
            Some(_) => self.walk.status()?.unwrap_or(Stop::ScheduleEnded),
            None => self.walk.wander(self.args.steps, &mut random, || interrupt.is_requested()),
        };
        self.judge(&stop)?;
        self.print(&stop, output);
        Ok(stop)
    }

    fn print(&self, stop: &Stop, output: &mut Output) {
        let walk = &self.walk;
        let seed = self.args.schedule.is_none().then_some(self.seed);
        match output.format {
            Format::Json => {
                let object = simulation(self.file, walk, stop, seed);
                output.print(&json::print(&object));
            }
            _ => {
                let how = match seed {
                    None => "replayed schedule".to_owned(),
                    // Whoever gave it knows how to give it.
                    Some(seed) if self.args.seed.is_some() => format!("random run of seed {seed}"),
                    Some(seed) => format!("random run; repeat it with --seed {seed}"),
                };
                let heading = format!("{}: {how}", self.file);
                output.print(&format!("{}\n\n", output.paint.paint(Role::Heading, &heading)));
                output.print(&self.trace(output));
                output.print(&output.fit(self.summary(stop)));
            }
        }
    }

    fn trace(&self, output: &Output) -> String {
        let options = TraceOptions { full: self.args.full, paint: output.paint };
        output.fit(text::every_step(self.walk.system(), self.walk.trace(), options))
    }

    /// How far the run got, and why it ended.
    fn summary(&self, stop: &Stop) -> String {
        let trace = self.walk.trace();
        let steps = text::count(trace.steps.len(), "step");
        let contexts = text::count(trace.contexts(), "context");
        let more = if *stop == Stop::Steps { "; --steps N allows more" } else { "" };
        let mut summary = format!("\n{steps} in {contexts}: {stop}{more}\n");
        if *stop == Stop::Deadlock {
            for (label, words) in waits::at_end(self.walk.system(), trace) {
                summary += &format!("  {label}: {words}\n");
            }
            if !self.counts_deadlock {
                summary += "  `verify` takes this for a violation only with --deadlock\n";
            }
        }
        summary
    }
}
