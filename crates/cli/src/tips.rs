//! # Tips for command lines that are wrong
//! **Question.** What was meant by a word that the command line does not have?
//! **Idea.** Names that other tools have for the same come first; then the commands that have such an option; what is spelt alike is the
//! guess of `clap`, and is left out where it is an option that nobody sees.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::args::Args;

/// Adds a tip to an error of the command line, in the place of the guesses of `clap`.
pub fn advised(error: clap::Error) -> clap::Error {
    match error.kind() {
        ErrorKind::UnknownArgument => of_argument(error),
        ErrorKind::InvalidSubcommand => of_command(error),
        ErrorKind::InvalidValue => of_value(error),
        _ => error,
    }
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    }
}

/// Gives one tip in the place of all others.
fn give(error: &mut clap::Error, tip: String) {
    for guess in [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedValue,
        ContextKind::TrailingArg,
    ] {
        error.remove(guess);
    }
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
}

/// Says where an option belongs that a command does not have. An option is never meant as the name of a file here.
fn of_argument(mut error: clap::Error) -> clap::Error {
    let Some(given) = text(&error, ContextKind::InvalidArg) else { return error };
    let option = given.split('=').next().unwrap_or_default();
    let typed = std::env::args().nth(1).unwrap_or_default();
    let mut whole = Args::whole();
    whole.build();
    let command = whole.find_subcommand(&typed).cloned();
    let name = command.as_ref().map_or("", clap::Command::get_name);
    if let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) {
        tips.retain(|tip| !tip.to_string().starts_with("to pass "));
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    let tip = match option.starts_with('-') {
        true => in_its_place(name, option)
            .or_else(|| meant_command(&whole, option))
            .or_else(|| elsewhere(&whole, option)),
        false => second_file(command.as_ref()),
    };
    // What is suggested has to be in the help of the command.
    let guess = text(&error, ContextKind::SuggestedArg).unwrap_or_default();
    let is_hidden = command.as_ref().is_some_and(|command| {
        let is_it = |arg: &&clap::Arg| arg.get_long() == guess.strip_prefix("--");
        command.get_arguments().find(is_it).is_none_or(clap::Arg::is_hide_set)
    });
    if is_hidden {
        error.remove(ContextKind::SuggestedArg);
    }
    if let Some(tip) = tip {
        give(&mut error, tip);
    }
    if error.get(ContextKind::SuggestedArg).is_none() {
        // What is printed as usage names the option that was suggested.
        let usage = command.unwrap_or(whole).render_usage();
        error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
    }
    error
}

/// What a command has in the place of an option of others, and of other tools.
fn in_its_place(command: &str, option: &str) -> Option<String> {
    let words = match (command, option) {
        ("", "--Version") => "`selvedge --version` says the version",
        (
            "livelock",
            "--contexts" | "--rounds" | "--delays" | "--bound" | "--depth" | "--unwind",
        ) => {
            "`livelock` has no bound on contexts: `--stem K1 --lasso K2` bounds the rounds before a run repeats itself, and those that it repeats"
        }
        ("livelock", "--deadlock" | "--no-deadlock") => {
            "`livelock` looks for runs that never end; `selvedge verify FILE --deadlock` looks for deadlocks"
        }
        ("simulate", "--timeout" | "--memory") => {
            "`simulate` follows one run: `--steps N` says for how many steps"
        }
        ("simulate", "--deadlock" | "--no-deadlock") => {
            "`simulate` says at the end of a run whether it is a deadlock, and whether `verify` takes that for a violation"
        }
        ("convert", "--timeout" | "--memory") => {
            "`convert` has no limit of time; where tables may grow large, `--limit N` says how large"
        }
        ("sequentialize" | "fmt" | "check-syntax", "--timeout" | "--memory") => {
            "this command explores nothing and ends soon, so it has no limits; limits belong to commands like `verify`, which explore"
        }
        ("verify", "--bound" | "--depth" | "--unwind" | "--unroll" | "-k") => {
            "`verify` answers without a bound; `selvedge check FILE --contexts 3` answers within one"
        }
        (
            "check" | "cluster" | "report" | "explore" | "table",
            "--bound" | "--depth" | "--unwind" | "--unroll" | "-k",
        ) => "a bound is `--contexts K` or `--rounds K`",
        ("verify" | "check" | "cluster" | "livelock", "--trace") => {
            "every violation is shown with its schedule; `--evidence FILE` keeps it"
        }
        (
            "verify" | "check" | "cluster" | "report" | "explore",
            "--no-race" | "--race" | "--data-race",
        ) => {
            "`--property` says what is asked of a program in C (`no-data-race` is one); other programs say it with `assert`"
        }
        ("verify" | "check" | "cluster" | "livelock", "--ltl" | "--formula" | "--spec") => {
            "there is no temporal logic: `assert` and `invariant` in the program say what holds, and `selvedge livelock FILE` looks for fair runs that never end"
        }
        ("verify" | "check" | "cluster" | "livelock", "--why" | "--explain") => {
            "every violation is shown with the reason, in the line `why`; `--evidence FILE` keeps it with its schedule"
        }
        (_, "--json" | "--sarif" | "--csv" | "--markdown" | "--dot") => {
            let format = option.trim_start_matches('-');
            return Some(format!("write `--format {format}`"));
        }
        _ => return None,
    };
    Some(words.to_owned())
}

/// The command that was written as if it was an option.
fn meant_command(whole: &clap::Command, option: &str) -> Option<String> {
    let name = option.trim_start_matches('-');
    let command = whole.find_subcommand(name)?.get_name();
    Some(format!("`{command}` is a command: `selvedge {command} …`"))
}

/// What takes several files, where a command takes one.
fn second_file(command: Option<&clap::Command>) -> Option<String> {
    let command = command?;
    let is_file = |arg: &clap::Arg| arg.is_positional() && arg.get_id() == "file";
    let takes_one = command.get_arguments().any(is_file);
    takes_one.then(|| {
        let name = command.get_name();
        format!("`{name}` is about one file; `check-syntax` and `fmt` take several")
    })
}

/// Which other commands have an option.
fn elsewhere(whole: &clap::Command, option: &str) -> Option<String> {
    let name = option.strip_prefix("--")?;
    let has_it = |command: &&clap::Command| {
        let mut longs = command.get_arguments().filter(|arg| !arg.is_hide_set());
        longs.any(|arg| arg.get_long() == Some(name))
    };
    let commands: Vec<String> = whole
        .get_subcommands()
        .filter(has_it)
        .map(|command| format!("`{}`", command.get_name()))
        .collect();
    let (last, before) = commands.split_last()?;
    let list = match before {
        [] => last.clone(),
        _ => format!("{} and {last}", before.join(", ")),
    };
    Some(format!("{option} is an option of {list}"))
}

/// What other tools call a command.
fn of_command(mut error: clap::Error) -> clap::Error {
    let given = text(&error, ContextKind::InvalidSubcommand).unwrap_or_default();
    let tip = match given.as_str() {
        "version" => "`selvedge --version` says the version".to_owned(),
        "compile" | "build" => {
            "nothing is compiled: `selvedge verify FILE` reads the program itself".to_owned()
        }
        "json" => "`--format json` is an option of the commands".to_owned(),
        other => {
            let command = match other {
                "prove" | "analyze" | "analyse" | "test" | "model-check" | "solve" => "verify",
                "run" | "exec" | "execute" => "simulate",
                "lint" | "parse" | "syntax" => "check-syntax",
                "format" | "indent" => "fmt",
                "show" | "open" | "serve" | "gui" => "explore",
                "translate" | "export" => "convert",
                _ => return error,
            };
            format!("the command is called `{command}`: `selvedge {command} FILE`")
        }
    };
    give(&mut error, tip);
    error
}

/// What a value of another tool stands for.
fn of_value(mut error: clap::Error) -> clap::Error {
    let of = text(&error, ContextKind::InvalidArg).unwrap_or_default();
    let given = text(&error, ContextKind::InvalidValue).unwrap_or_default();
    if of.starts_with("--to ") && matches!(given.as_str(), "c" | "C") && is_convert() {
        give(
            &mut error,
            "`convert` writes no C; `selvedge sequentialize FILE --rounds 2 --to c` writes a sequential program in C"
                .to_owned(),
        );
    }
    error
}

fn is_convert() -> bool {
    std::env::args().nth(1).is_some_and(|command| command == "convert")
}
