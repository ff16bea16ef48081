//! # Lines that fit
//! A terminal breaks a line wherever it ends, in the midst of a word. Lines that are too long are broken between words here, and go on
//! under the column in which they were broken.

/// Less room than this is not worth a column of its own.
const LEAST_ROOM: usize = 24;

/// Breaks a text into lines of at most `width` columns, except for longer words.
#[must_use]
pub fn fold(text: &str, width: usize) -> String {
    let mut folded = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (line, ""),
        };
        match columns(line) > width {
            true => fold_line(line, width, &mut folded),
            false => folded += line,
        }
        folded += end;
    }
    folded
}

fn fold_line(line: &str, width: usize, folded: &mut String) {
    let Hanging { indent, last } = hanging(line, width);
    let mut used = 0;
    let mut rest = line;
    let mut is_first = true;
    while !rest.is_empty() {
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        let end = spaces + phrase(&rest[spaces..], width.saturating_sub(indent));
        let (gap, text) = (&rest[..spaces], &rest[spaces..end]);
        // A last column that does not fit begins a line of its own.
        let breaks = match last == Some(used + spaces) {
            true => used + columns(rest) > width,
            false => used + spaces + columns(text) > width,
        };
        if breaks && !is_first && used > indent {
            folded.push('\n');
            *folded += &" ".repeat(indent);
            used = indent;
        } else {
            *folded += gap;
            used += spaces;
        }
        *folded += text;
        used += columns(text);
        is_first &= text.is_empty();
        rest = &rest[end..];
    }
}

/// How much of a text stays together: a value, up to its comma, if that is not much; else a word.
fn phrase(text: &str, room: usize) -> usize {
    let word = text.find(' ').unwrap_or(text.len());
    let ends = |at: &usize| text[..*at].ends_with([',', ';']);
    let phrase = text.match_indices(' ').map(|(at, _)| at).find(ends).unwrap_or(text.len());
    let said = &text[..phrase];
    let is_one = !said.contains("  ") && (said.contains(" → ") || said.contains(" = "));
    if is_one && columns(said) <= LEAST_ROOM.min(room) { phrase } else { word }
}

/// Where a line goes on.
struct Hanging {
    /// Under a column of it that leaves room; else a little further in than it begins.
    indent: usize,
    /// Where its last column begins, if that leaves no room.
    last: Option<usize>,
}

fn hanging(line: &str, width: usize) -> Hanging {
    let begins = line.chars().take_while(|c| *c == ' ').count();
    let (mut column, mut last) = (None, None);
    let (mut at, mut spaces, mut is_escape) = (0, 0, false);
    for c in line.chars() {
        if is_escape || c == '\u{1b}' {
            is_escape = c != 'm';
            continue;
        }
        if c != ' ' && spaces >= 2 && at > begins {
            last = Some(at);
            if at + LEAST_ROOM <= width {
                column = Some(at);
            }
        }
        spaces = if c == ' ' { spaces + 1 } else { 0 };
        at += 1;
    }
    let last = last.filter(|_| last != column);
    let further = if last.is_some() { 2 } else { 0 };
    let indent = column.map_or(begins + 4, |column| column + further);
    Hanging { indent: indent.min(width / 2 + LEAST_ROOM), last }
}

/// How many columns a text takes; colours take none.
fn columns(text: &str) -> usize {
    let mut is_escape = false;
    let is_shown = |c: &char| {
        let is_part = is_escape || *c == '\u{1b}';
        is_escape = is_part && *c != 'm';
        !is_part
    };
    text.chars().filter(is_shown).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn lines_are_broken_between_words() {
        let text = "\
unsafe: a schedule with 2 contexts goes wrong
  why     a = 1 since line 18 (a := x), where x = 1 since line 7 of writer
#  thread  step                           changes
1  writer  notify changed                 changed: 1 → 0, called: 0 → 1, items: 0 → 1
";
        expect![[r#"
            unsafe: a schedule with 2 contexts goes
                wrong
              why     a = 1 since line 18 (a := x),
                      where x = 1 since line 7 of
                      writer
            #  thread  step
                         changes
            1  writer  notify changed
                         changed: 1 → 0,
                         called: 0 → 1, items: 0 → 1
        "#]]
        .assert_eq(&fold(text, 42));
        assert_eq!(fold(text, 100), text);
    }

    #[test]
    fn no_word_is_broken_and_none_is_lost() {
        let text = "  \u{1b}[1ma\u{1b}[0m  a_word_that_is_longer_than_the_line_is x yy  zzz\n\n  b";
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for width in 0..60 {
            assert_eq!(words(&fold(text, width)), words(text), "{width}");
        }
        assert_eq!(columns("\u{1b}[1mab\u{1b}[0m"), 2);
    }
}
