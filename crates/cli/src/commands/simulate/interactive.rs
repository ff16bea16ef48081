//! # Choosing steps by hand
//! Shows the state and what can be done, reads a line, does it. Lines come through a channel, so
//! that Ctrl-C is heard while waiting for a person, and so that tests need no terminal.

use std::io::{self, BufRead, IsTerminal};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;

use selvedge::Failure;
use selvedge::walk::{Enabled, Stop, Walk};
use selvedge_evidence::thread_name;
use selvedge_frontend::show_path;
use selvedge_report::style::Role;
use selvedge_report::text::TraceOptions;
use selvedge_report::{text, view};

use super::save_schedule;
use crate::output::Output;
use selvedge_check::command::Interrupt;

/// An event while the prompt waits.
pub enum Event {
    /// A line was typed.
    Line(String),
    /// There will be no more lines.
    End,
    /// An interrupt was requested.
    Interrupt,
}

/// The options of the command line.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Whether `t` shows all values and stacks.
    pub full: bool,
    /// Where `s` writes the schedule.
    pub save: Option<&'a Path>,
}

const HELP: &str = "\
commands:
  N        take the step of this number
  u [N]    undo the last step (N steps)
  r [N]    take a random step (N steps)
  t        show the run so far
  s [FILE] save the schedule so far
  q        quit
  ?        this help
";

/// Sends the lines of standard input.
pub fn listen(events: Sender<Event>) {
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if events.send(Event::Line(line)).is_err() {
                return;
            }
        }
        drop(events.send(Event::End));
    });
}

/// Takes steps as they are asked for.
pub fn run(
    walk: &mut Walk<'_>,
    events: &Receiver<Event>,
    random: &mut fastrand::Rng,
    interrupt: &Interrupt,
    options: Options<'_>,
    output: &mut Output,
) -> Result<Stop, Failure> {
    let prompt = if io::stdin().is_terminal() { "> " } else { "" };
    let mut show = true;
    loop {
        if show {
            let shown = shown(walk, output)?;
            output.print(&shown);
        }
        output.print(prompt);
        output.flush();
        let line = match events.recv() {
            Ok(Event::Line(line)) => line,
            Ok(Event::Interrupt) => return stopped(walk, Stop::Interrupted),
            Ok(Event::End) | Err(_) => return stopped(walk, Stop::Quit),
        };
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let done = match word {
            "q" => return stopped(walk, Stop::Quit),
            "?" | "h" => Done::Said(HELP.to_owned()),
            "t" => {
                let options = TraceOptions { full: options.full, paint: output.paint };
                Done::Said(text::trace(walk.system(), walk.trace(), options))
            }
            "s" => save(walk, rest, options.save),
            "u" => repeat(rest, |times| {
                walk.undo(usize::try_from(times).unwrap_or(usize::MAX));
                Ok(())
            })?,
            "r" => repeat(rest, |times| {
                match walk.wander(times, random, || interrupt.is_requested()) {
                    Stop::Unknown(fault) => Err(fault),
                    _ => Ok(()),
                }
            })?,
            "" => Done::Moved,
            number => take(walk, number)?,
        };
        show = matches!(done, Done::Moved);
        if let Done::Said(said) = done {
            output.print(&said);
        }
    }
}

/// The result of a line that was typed.
enum Done {
    /// The state is to be shown again.
    Moved,
    /// There is only something to say.
    Said(String),
}

/// The end of it: that it goes wrong or nobody can act is said even if it was not the last word.
fn stopped(walk: &Walk<'_>, stop: Stop) -> Result<Stop, Failure> {
    let is_said = |at: &Stop| matches!(at, Stop::Wrong(_) | Stop::Deadlock);
    Ok(walk.status()?.filter(is_said).unwrap_or(stop))
}

fn repeat(
    rest: &str,
    mut act: impl FnMut(u64) -> Result<(), selvedge_model::Fault>,
) -> Result<Done, Failure> {
    let rest = rest.trim();
    match if rest.is_empty() { Ok(1) } else { rest.parse() } {
        Ok(times) => {
            act(times)?;
            Ok(Done::Moved)
        }
        Err(_) => Ok(Done::Said(format!("`{rest}` is not a number\n"))),
    }
}

fn take(walk: &mut Walk<'_>, number: &str) -> Result<Done, Failure> {
    let enabled = walk.enabled()?;
    match number.parse::<usize>() {
        Ok(n) if (1..=enabled.len()).contains(&n) => {
            walk.take(enabled[n - 1]);
            Ok(Done::Moved)
        }
        Ok(n) => Ok(Done::Said(format!("there is no step {n}\n"))),
        Err(_) => Ok(Done::Said(format!("cannot read `{number}`; ? shows the commands\n"))),
    }
}

fn save(walk: &Walk<'_>, file: &str, default: Option<&Path>) -> Done {
    let path = match (file.trim(), default) {
        ("", None) => return Done::Said("say where: s FILE\n".to_owned()),
        ("", Some(path)) => path,
        (file, _) => Path::new(file),
    };
    Done::Said(match save_schedule(walk, path) {
        Ok(()) => format!("the schedule was written to {}\n", show_path(path)),
        Err(Failure::Diagnostics(diagnostics)) => diagnostics.to_string(),
        Err(failure) => format!("{failure}\n"),
    })
}

/// The state, and what can be done.
fn shown(walk: &Walk<'_>, output: &Output) -> Result<String, Failure> {
    let paint = output.paint;
    let heading = format!("after {}", text::count(walk.trace().steps.len(), "step"));
    let mut shown = format!("{}\n", paint.paint(Role::Heading, &heading));
    shown += &text::state(walk.system(), walk.state(), paint);
    if let Some(stop) = walk.status()? {
        return Ok(shown + &format!("{}\n", paint.paint(Role::Bad, &stop.to_string())));
    }
    let choices = walk.enabled()?;
    let names: Vec<_> = walk.thread_names().map(|(_, name)| name.chars().count()).collect();
    let width = names.into_iter().max().unwrap_or(0);
    for (index, Enabled { thread, action }) in choices.iter().enumerate() {
        let name = thread_name(walk.system(), walk.state(), *thread);
        let name = paint.paint(Role::Thread(thread.index()), &format!("{name:width$}"));
        let steps = view::statements(walk.system(), action);
        let line = steps.iter().find_map(|s| s.line).map_or(String::new(), |n| n.to_string());
        let texts: Vec<_> = steps.iter().map(|s| s.text.trim_end_matches(';')).collect();
        shown += &format!("{:>4}  {name}  {line:>4}  {}\n", index + 1, texts.join("; "));
    }
    Ok(shown)
}
