//! Text in colours, or plain.

use anstyle::{AnsiColor, Style};

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A heading.
    Heading,
    /// The name of a thread; threads next to each other have different colours.
    Thread(usize),
    /// Something that matters little: line numbers, punctuation.
    Faint,
    /// A value that changed.
    Change,
    /// A good verdict.
    Good,
    /// A bad verdict.
    Bad,
}

/// Colours text, or leaves it plain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Paint {
    /// Whether there are colours.
    pub colours: bool,
}

const THREADS: [AnsiColor; 5] =
    [AnsiColor::Cyan, AnsiColor::Magenta, AnsiColor::Blue, AnsiColor::Green, AnsiColor::Yellow];

impl Paint {
    /// The text in the colour of its role.
    #[must_use]
    pub fn paint(self, role: Role, text: &str) -> String {
        if !self.colours || text.is_empty() {
            return text.to_owned();
        }
        let style = match role {
            Role::Heading => Style::new().bold(),
            Role::Thread(n) => THREADS[n % THREADS.len()].on_default(),
            Role::Faint => Style::new().dimmed(),
            Role::Change => AnsiColor::Yellow.on_default(),
            Role::Good => AnsiColor::Green.on_default().bold(),
            Role::Bad => AnsiColor::Red.on_default().bold(),
        };
        format!("{style}{text}{style:#}")
    }
}
