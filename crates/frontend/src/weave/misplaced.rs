//! What to write where something else stands: by what belongs there, and by what stands there and beside it.
//!
//! A word that begins a statement of another language is looked up in [`crate::foreign`]; this is for what goes wrong in the middle of one.

use selvedge_program::Type;

use super::Parser;
use super::lexer::Token;
use crate::foreign::{self, CONDITIONAL, NO_POINTERS};

/// Where something unexpected stands.
struct Found<'s> {
    /// What belongs there, as the message says it.
    wanted: &'s str,
    /// The two tokens before it.
    before: [&'s str; 2],
    here: &'s str,
    next: &'s str,
}

impl Parser<'_> {
    /// What to write in the place of the current token, if something is known about it here.
    pub(super) fn misplaced(&self, wanted: &str) -> Option<&'static str> {
        let text = |ahead| self.tokens.text(self.tokens.span_at(ahead));
        let before = |steps| self.tokens.text(self.tokens.before(steps));
        let found = Found { wanted, before: [before(2), before(1)], here: text(0), next: text(1) };
        found.by_what_is_wanted().or_else(|| found.by_what_is_there())
    }

    /// What to write in the place of a type with parameters, `Vec<u32> v`, if one stands here.
    pub(super) fn generic_type(&self) -> Option<String> {
        if (self.tokens.peek(), self.tokens.peek_at(1)) != (Token::Name, Token::Less) {
            return None;
        }
        let is_inside =
            |ahead| self.tokens.peek_at(ahead) == Token::Name || self.at_builtin_after(ahead);
        let closing = (2..8).find(|ahead| {
            !is_inside(*ahead) && !matches!(self.tokens.peek_at(*ahead), Token::Less | Token::Comma)
        })?;
        let closes = matches!(self.tokens.peek_at(closing), Token::Greater | Token::ShiftRight);
        let argument = self.tokens.text(self.tokens.span_at(2));
        closes.then(|| foreign::generic(self.tokens.current_text(), argument))
    }
}

impl Found<'_> {
    fn by_what_is_wanted(&self) -> Option<&'static str> {
        match self.wanted {
            "an expression" => self.no_expression(),
            "a statement" => self.no_statement(),
            "`;`" => self.no_end(),
            "a variable" | "the name of a variable" => self.no_variable(),
            "a name for a thread" => Some(match self.here {
                ":" => "say which name the index has: `forall i: a[i] == 0`",
                _ => "the name stands alone, without a type and parentheses: `forall i: a[i] == 0`",
            }),
            "`:` or `!= self:`" => self.no_colon(),
            "a type" => self.no_type(),
            "`(`" => self.no_parenthesis(),
            "`{`" => match (self.before[1], self.here) {
                ("atomic", _) => Some(
                    "braces stand round what is one step: `atomic { … }`; an assignment is one step without it",
                ),
                ("#", _) => Some(
                    "`#{i : a[i] == 1}` is for how many indices something holds; the length of an array is a constant",
                ),
                (")", "-") => {
                    Some("the type of the result stands before the name: `int f(int x) { … }`")
                }
                _ => None,
            },
            "`}`" if self.here == ";" => Some("the choice ends with `}`: `{1 .. 3}`"),
            "`,` or `}`" if self.here == "to" => Some("`{0 .. 3}` chooses one of these numbers"),
            "`,` or `}`" if self.here == ":" => Some(
                "members are listed in the order of the struct, without their names: `{1, false}`",
            ),
            "`]`" if self.here == ".." => Some(
                "an index is one number; `a := {1, 2, 3};` sets all elements, and a loop sets some",
            ),
            "`,` or `)`" => match self.here {
                ":=" | "=" => Some("a parameter has no first value: the call gives it one"),
                ":" => Some("the type stands before the name, alone: `int x`"),
                _ => None,
            },
            "the procedure that the thread runs" => Some(
                "a thread that is started runs a procedure: `void f() { … }`, then `async f();`",
            ),
            "a label" => Some("a label is a name: `goto again;` jumps to `again: skip;`"),
            "a name for the number of the thread" if self.is_number() => {
                Some("how many there are stands after `*`: `thread NAME * 2 { … }`")
            }
            "the name of the thread" if self.is_number() || self.here == "[" => {
                Some("how many there are stands after the name: `thread NAME * 2 { … }`")
            }
            "the name of the enumeration" if self.here == "{" => Some("write `enum NAME { … }`"),
            "`,` and the expected value" | "`,` and the new value" => Some(
                "`b := cas(x, old, new);` sets `x` to `new` if it is `old`, and tells whether it was",
            ),
            _ => None,
        }
    }

    fn is_number(&self) -> bool {
        self.here.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Where an operand belongs.
    fn no_expression(&self) -> Option<&'static str> {
        Some(match (self.before[1], self.here) {
            ("..", ".") => "a range has two dots: `{1 .. 3}`, `int[1..3]`",
            ("..", "]") | ("[", "..") => "a range has two ends: `int[0..3]`; `int` has none",
            ("invariant", ":") => "write `invariant e;`, without `:`",
            (before, ";" | "}") => operand_of(before)?,
            (_, "if") => CONDITIONAL,
            (_, "atomic") => {
                "leave it out: an assignment is one step; `atomic { … }` is a statement"
            }
            (_, "<<") => "values of a struct or of an array stand in braces: `{1, 2}`",
            (_, "?") => "`*` is any value: `x := *;`",
            _ => return None,
        })
    }

    /// Where a statement begins.
    fn no_statement(&self) -> Option<&'static str> {
        Some(match (self.here, self.next) {
            _ if self.is_number() && self.next == ":" => "a label is a name: `L1: skip;`",
            _ if self.is_number() && self.next == "-" => {
                "the variable stands on the left: `x := 1;`"
            }
            ("true" | "false" | "none", _) => NOTHING_DONE,
            _ if self.is_number() => NOTHING_DONE,
            ("=", _) if self.before[1] == ":" => "write `:=`, without a blank in it",
            ("*", _) => NO_POINTERS,
            ("or", _) => "`or` follows the `}` of a branch: `either { … } or { … }`",
            ("constrain", _) => {
                "it ends an assignment: `x := * constrain 'x > 0;`, where `'x` is the value after; `assume e;` waits until `e` holds"
            }
            _ => return None,
        })
    }

    /// Where a statement ends.
    fn no_end(&self) -> Option<&'static str> {
        Some(match (self.before, self.here) {
            (_, "in" | "..") => "`x := {0 .. 3};` chooses one of these numbers",
            ([_, "*"], "where" | "with") => {
                "write `constrain`: `x := * constrain 'x > 0;`, where `'x` is the value after"
            }
            (["*", "*"], _) => "there are no powers: write `x * x`",
            ([_, "receive"], _) => "write `x := receive(c);`, with parentheses",
            ([_, ")"], ":=" | "=") => "an element of an array has brackets: `a[0] := 1;`",
            (_, ":") if self.next == "=" => "write `:=`, without a blank in it",
            (_, ":") if is_type(self.next) => TYPE_FIRST,
            (_, ":") if is_value(self.next) => "a first value stands after `:=`: `int x := 3;`",
            _ => return None,
        })
    }

    /// Where a variable belongs, or its name.
    fn no_variable(&self) -> Option<&'static str> {
        Some(match (self.wanted, self.here) {
            ("a variable", "&") => NO_ADDRESSES,
            ("a variable", ";") => operand_of(self.before[1])?,
            (_, ":=" | "=") if self.before[0] == ":" && is_type(self.before[1]) => TYPE_FIRST,
            (_, "(") if self.next == "*" => {
                "there are no pointers to procedures: keep an `enum` that says which one to call"
            }
            (_, "(" | "<") if self.before[1] == "int" => {
                "a range stands in brackets: `int[0..3] x;`"
            }
            _ => return None,
        })
    }

    /// Between the name of a quantifier and what is said of it.
    fn no_colon(&self) -> Option<&'static str> {
        Some(match self.here {
            "in" => {
                "leave the range out: `forall i: a[i] == 0` and `#{i : a[i] == 0}` are over the indices of `a`; for fewer, write \
                 `forall i: i < 2 ==> a[i] == 0`"
            }
            "," => "one name at a time: `forall i: forall j: a[i] == a[j]`",
            "." | "|" => "write `:` after the name: `forall i: a[i] == 0`, `#{i : a[i] == 0}`",
            _ => return None,
        })
    }

    fn no_type(&self) -> Option<&'static str> {
        Some(match self.here {
            "&" => "write `ref`: the parameter `ref int x` stands for a shared variable",
            "const" => "leave it out: a parameter is a copy of what the call hands over",
            _ => return None,
        })
    }

    fn no_parenthesis(&self) -> Option<&'static str> {
        Some(match (self.before[1], self.here) {
            ("trylock", _) => "parentheses stand round the lock: `if trylock(m) { … }`",
            ("cas", _) => "parentheses stand after `cas`: `b := cas(x, old, new);`",
            ("fetch_and_add", _) => "parentheses stand after it: `y := fetch_and_add(x, 1);`",
            (_, "<") => "types have no parameters: write the procedure for each type",
            (_, ";" | "}") => {
                "parentheses stand after the name, with nothing in them if there are no arguments: `f()`"
            }
            _ => return None,
        })
    }

    /// What means the same wherever it stands.
    fn by_what_is_there(&self) -> Option<&'static str> {
        let follows_name =
            self.before[1].ends_with(|c: char| c.is_ascii_alphanumeric() || c == ']');
        match self.here {
            "++" | "--" if follows_name && self.wanted != "`;`" => {
                Some("`x++;` and `x--;` are statements of their own, before or after this one")
            }
            _ => None,
        }
    }
}

/// Whether a token is a value, or begins one, and is no name.
fn is_value(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
        || matches!(token, "true" | "false" | "none" | "*" | "{" | "-")
}

/// Whether a token is a word for a type of the language.
fn is_type(token: &str) -> bool {
    matches!(token, "bool" | "int" | "lock" | "tid") || Type::machine(token).is_some()
}

const TYPE_FIRST: &str = "the type stands before the name, once: `int x := 3;`";

const NOTHING_DONE: &str = "a value alone does nothing: `skip;` does nothing, too; `x := e;` assigns it, `assert e;` checks it";

/// What to write in the place of the address of a variable.
pub(super) const NO_ADDRESSES: &str = "there are no addresses: name the variable itself";

/// What belongs behind the word that begins a statement.
fn operand_of(word: &str) -> Option<&'static str> {
    Some(match word {
        "acquire" => "say which lock: `acquire m;`",
        "release" | "unlock" => "say which lock: `release m;`",
        "join" => "say for which thread: `join t;`, after `tid t := async f();`",
        "havoc" => "say which variables get any value: `havoc x, y;`",
        "assert" => "say what holds: `assert x == 1;`",
        "assume" => "say what to wait for: `assume x == 1;`",
        "wait" => {
            "say what to wait for: `wait c, m;` at a condition, `wait b;` at a barrier, `wait(e);` until `e` holds"
        }
        _ => return None,
    })
}
