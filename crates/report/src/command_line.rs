//! # The command line that asks again
//! Whoever gets an answer can repeat it with one line: the one that was typed, or the one that says what a page asked.
//! Words stand in quotes where a shell would read something else into them.

use std::borrow::Cow;
use std::time::Duration;

/// The program in every such line, wherever it was started from.
const PROGRAM: &str = "selvedge";

/// A command line, word by word.
pub struct CommandLine(String);

impl CommandLine {
    /// Begins with a command of Selvedge.
    #[must_use]
    pub fn new(command: &str) -> Self {
        CommandLine(PROGRAM.to_owned()).word(command)
    }

    /// The line with these words after the name of the program.
    #[must_use]
    pub fn of(words: impl IntoIterator<Item = String>) -> Self {
        words.into_iter().fold(CommandLine(PROGRAM.to_owned()), |line, word| line.word(&word))
    }

    /// Adds a word, quoted if a shell needs that.
    #[must_use]
    pub fn word(mut self, word: &str) -> Self {
        self.0.push(' ');
        self.0 += &quoted(word);
        self
    }

    /// Adds an option with its value, if there is one.
    #[must_use]
    pub fn option(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.word(name).word(&value.to_string()),
            None => self,
        }
    }

    /// Adds an option with a time, if there is one: `60s`, `1500ms`.
    #[must_use]
    pub fn time(self, name: &str, time: Option<Duration>) -> Self {
        let words = time.map(|time| match time.as_millis() {
            ms if ms % 1000 == 0 => format!("{}s", ms / 1000),
            ms => format!("{ms}ms"),
        });
        self.option(name, words)
    }

    /// Adds an option without a value, if it is wanted.
    #[must_use]
    pub fn flag(self, name: &str, wanted: bool) -> Self {
        if wanted { self.word(name) } else { self }
    }

    /// Adds an option once for each of these values.
    #[must_use]
    pub fn each(self, name: &str, values: impl IntoIterator<Item = String>) -> Self {
        values.into_iter().fold(self, |line, value| line.option(name, Some(value)))
    }

    /// The whole command line as text.
    #[must_use]
    pub fn finish(self) -> String {
        self.0
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./=:,@%+".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let line = [60_000, 1500].into_iter().fold(CommandLine::new("verify"), |line, ms| {
            line.time("--timeout", Some(Duration::from_millis(ms)))
        });
        let line = line.time("--timeout", None).finish();
        assert_eq!(line, "selvedge verify --timeout 60s --timeout 1500ms");
    }

    #[test]
    fn words_mean_themselves() {
        let line = CommandLine::new("verify").word("my file.weave").flag("--deadlock", true);
        let line = line.flag("--livelock", false).option("--target", Some("0|1,6"));
        let line = line.option("--init", None::<String>).each("--const", ["N=2".to_owned()]);
        let line = line.word("it's").word("").finish();
        assert_eq!(
            line,
            "selvedge verify 'my file.weave' --deadlock --target '0|1,6' --const N=2 'it'\\''s' ''"
        );
    }
}
