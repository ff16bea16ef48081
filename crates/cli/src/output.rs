//! # Output
//! The only place that prints. The answer goes to standard output, everything else to standard
//! error. A reader that has gone away (`… | head -1`) is no error: the rest is not printed, and
//! the exit code still says what is known. A full disk is one: half an answer is none.

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use selvedge::{Failure, failure_report};
use selvedge_report::fold::fold;
use selvedge_report::style::{Paint, Role};
use selvedge_report::{json, sarif};
use terminal_size::{Height, Width, terminal_size_of};

use crate::args::{Color, Common, Format};
use crate::exit::Exit;
use crate::guard;

/// Selects the notes to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notes {
    /// No notes.
    None,
    /// Notes that matter for the answer.
    Some,
    /// All notes.
    All,
}

/// Where and how to print.
pub struct Output {
    /// How the answer is printed.
    pub format: Format,
    /// The colours of the answer.
    pub paint: Paint,
    notes_paint: Paint,
    /// How wide the terminal is that the answer is printed to, if it is one.
    width: Option<usize>,
    notes: Notes,
    /// The file that the command is about, once it is known.
    pub file: Option<String>,
    /// Whether a part of the answer was printed.
    has_printed: bool,
    /// Why the answer could not be printed.
    unprinted: Option<io::Error>,
}

impl Output {
    /// Takes the options of the command line.
    pub fn new(common: &Common) -> Self {
        let coloured = |auto: ColorChoice| Paint {
            colours: match common.color {
                Color::Auto => auto != ColorChoice::Never,
                Color::Always => true,
                Color::Never => false,
            },
        };
        Output {
            format: common.format,
            paint: coloured(AutoStream::choice(&io::stdout())),
            notes_paint: coloured(AutoStream::choice(&io::stderr())),
            width: terminal_size_of(io::stdout()).and_then(|terminal| width(Some(terminal))),
            notes: match (common.quiet, common.verbose) {
                (true, _) => Notes::None,
                (false, false) => Notes::Some,
                (false, true) => Notes::All,
            },
            file: None,
            has_printed: false,
            unprinted: None,
        }
    }

    /// One that prints nothing: for questions that a page asks.
    pub fn silent() -> Self {
        let paint = Paint { colours: false };
        Output {
            format: Format::Text,
            paint,
            notes_paint: paint,
            width: None,
            notes: Notes::None,
            file: None,
            has_printed: false,
            unprinted: None,
        }
    }

    /// Which notes are wanted.
    pub fn notes(&self) -> Notes {
        self.notes
    }

    /// A text with lines that fit the terminal.
    pub fn fit(&self, text: String) -> String {
        match self.width {
            Some(width) => fold(&text, width),
            None => text,
        }
    }

    /// Prints a part of the answer.
    pub fn print(&mut self, text: &str) {
        guard::answers();
        self.has_printed = true;
        let printed = io::stdout().write_all(text.as_bytes());
        self.note_failure(printed);
    }

    /// Prints a note, unless they are not wanted.
    pub fn note(&mut self, text: &str) {
        if self.notes != Notes::None {
            self.complain(text);
        }
    }

    /// Prints a note that only those want who ask for more.
    pub fn detail(&mut self, text: &str) {
        if self.notes == Notes::All {
            self.complain(text);
        }
    }

    /// Prints warnings about an input, unless they are not wanted.
    pub fn warn(&mut self, diagnostics: &selvedge_frontend::Diagnostics) {
        if !diagnostics.list.is_empty() {
            self.note(diagnostics.render(self.notes_paint.colours).trim_end());
        }
    }

    /// Prints why a command failed, and says how to end. Other programs get an object, unless they
    /// have one already.
    pub fn fail(&mut self, failure: &Failure) -> Exit {
        guard::answers();
        if let Failure::Stopped(stop) = failure {
            if !self.has_printed {
                let overrun = guard::Overrun::new(stop.clone());
                let file = self.file.clone().unwrap_or_default();
                self.print(&guard::shown(&overrun, self.format, &file));
            }
            return Exit::Unknown;
        }
        if matches!(self.format, Format::Json | Format::Sarif) && !self.has_printed {
            let object = failure_report(failure, self.file.clone());
            self.print(&match self.format {
                Format::Sarif => json::print(&sarif::failure(&object, Exit::from(failure) as u8)),
                _ => json::print(&object),
            });
        }
        match failure {
            Failure::Message(_, message) => {
                let error = self.notes_paint.paint(Role::Bad, "error:");
                self.complain(&format!("{error} {}", message.trim_end()));
            }
            Failure::Diagnostics(diagnostics) => {
                self.complain(diagnostics.render(self.notes_paint.colours).trim_end());
            }
            Failure::Stopped(_) => {}
        }
        failure.into()
    }

    /// Prints what is still kept back, and says how to end.
    pub fn finish(&mut self, exit: Exit) -> Exit {
        self.flush();
        match self.unprinted.take() {
            Some(error) => self.fail(&Failure::unprinted(&error)),
            None => exit,
        }
    }

    /// Shows what was printed so far, before waiting for a person.
    pub fn flush(&mut self) {
        let flushed = io::stdout().flush();
        self.note_failure(flushed);
    }

    fn note_failure(&mut self, printed: io::Result<()>) {
        match printed {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.unprinted.get_or_insert(error);
            }
            _ => {}
        }
    }

    fn complain(&mut self, text: &str) {
        self.flush();
        let _ = writeln!(io::stderr(), "{text}");
    }
}

/// How wide lines may be: what `COLUMNS` says, or the terminal, if there is one.
pub fn width(terminal: Option<(Width, Height)>) -> Option<usize> {
    let given = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    given.or_else(|| terminal.map(|(Width(width), _)| width.into()))
}
