//! What to write where something else stands: by what belongs there, and by what stands there and beside it.
//!
//! A word that begins a statement of another language is looked up in [`crate::foreign`]; this is for what goes wrong in the middle of one.

use selvedge_program::Type;

use super::Parser;
use super::lexer::Token;
use super::wanted::Wanted;
use crate::foreign::{self, CONDITIONAL, NO_CONTRACTS, NO_POINTERS, NO_RESULT};
use crate::syntax::{Item, TypeExpr, TypeKind, VarDecl};

/// Where something unexpected stands.
struct Found<'s> {
    /// What belongs there.
    wanted: Wanted,
    /// The two tokens before it.
    before: [&'s str; 2],
    here: &'s str,
    next: &'s str,
    /// Whether the current token is the first of its line.
    begins_line: bool,
}

impl Parser<'_> {
    /// What to write instead of the current token, if something is known about it here.
    pub(super) fn misplaced(&self, wanted: Wanted) -> Option<String> {
        let found = self.found(wanted);
        let known = || found.by_what_is_wanted().or_else(|| found.by_what_is_there());
        let lock = || self.unnamed_lock(&found);
        let within = || self.within_statement(wanted);
        lock().or_else(within).or_else(|| known().map(str::to_owned))
    }

    /// What to write in the place of the current token, where it is no sign and no word of another language.
    pub(super) fn left_out(&self, wanted: Wanted) -> Option<String> {
        let found = self.found(wanted);
        found.no_operand().or_else(|| found.between_two().map(str::to_owned))
    }

    /// What stands here and beside it.
    fn found(&self, wanted: Wanted) -> Found<'_> {
        let text = |ahead| match self.tokens.peek_at(ahead) {
            Token::End => "",
            _ => self.tokens.text(self.tokens.span_at(ahead)),
        };
        let before = |steps| self.tokens.text(self.tokens.before(steps));
        Found {
            wanted,
            before: [before(2), before(1)],
            here: text(0),
            next: text(1),
            begins_line: self.tokens.on_new_line(),
        }
    }

    /// Which locks there are, where one belongs into empty parentheses.
    fn unnamed_lock(&self, found: &Found<'_>) -> Option<String> {
        if found.wanted != Wanted::Variable || (found.before[1], found.here) != ("(", ")") {
            return None;
        }
        let write = |lock: &str| {
            Some(match found.before[0] {
                "trylock" => format!("`if trylock({lock}) {{ … }}`"),
                "acquire" | "lock" => format!("`acquire {lock};`"),
                "release" | "unlock" => format!("`release {lock};`"),
                _ => return None,
            })
        };
        let locks = self.items.iter().filter_map(|item| match item {
            Item::Global(VarDecl { ty: TypeExpr { kind: TypeKind::Lock, .. }, name, .. }) => {
                Some(name.text.as_str())
            }
            _ => None,
        });
        let locks: Vec<&str> = locks.collect();
        Some(match locks.as_slice() {
            [] => format!("say which lock: {}, for a shared `lock m;`", write("m")?),
            [one] => format!("say which lock: {}", write(one)?),
            [first, more @ ..] => {
                let more: Vec<String> = more.iter().map(|lock| format!("`{lock}`")).collect();
                format!("say which lock: {}, or {}", write(first)?, more.join(", "))
            }
        })
    }

    /// What to write instead of a type with parameters, `Vec<u32> v`, if one stands here.
    pub(super) fn generic_type(&self) -> Option<String> {
        self.generic_type_at(0)
    }

    /// What to write in the place of a type with parameters that stands so many tokens ahead.
    pub(super) fn generic_type_at(&self, at: usize) -> Option<String> {
        let peek = |ahead| self.tokens.peek_at(at + ahead);
        if (peek(0), peek(1)) != (Token::Name, Token::Less) {
            return None;
        }
        let is_inside = |ahead| peek(ahead) == Token::Name || self.at_builtin_after(at + ahead);
        let closing = (2..8).find(|ahead| {
            !is_inside(*ahead) && !matches!(peek(*ahead), Token::Less | Token::Comma)
        })?;
        let closes = matches!(peek(closing), Token::Greater | Token::ShiftRight);
        let text = |ahead| self.tokens.text(self.tokens.span_at(at + ahead));
        // `Arc<Mutex<u32>>` is about a mutex.
        let word = if peek(3) == Token::Less { 2 } else { 0 };
        closes.then(|| foreign::generic(text(word), text(word + 2)))
    }
}

impl Found<'_> {
    fn by_what_is_wanted(&self) -> Option<&'static str> {
        match self.wanted {
            Wanted::Expression => self.no_expression(),
            Wanted::Statement => self.no_statement(),
            Wanted::Semicolon => self.no_end(),
            Wanted::Variable | Wanted::VariableName => self.no_variable(),
            Wanted::Binder => Some(match self.here {
                ":" => "say which name the index has: `forall i: a[i] == 0`",
                "(" if !is_type(self.next) => {
                    "parentheses stand round the whole of it: `(forall i: a[i] == 0)`"
                }
                _ => "the name stands alone, without a type and parentheses: `forall i: a[i] == 0`",
            }),
            Wanted::ColonOrNotSelf => self.no_colon(),
            Wanted::Type => self.no_type(),
            Wanted::OpenParen => self.no_parenthesis(),
            Wanted::OpenBrace => match (self.before[1], self.here) {
                (_, ":") => Some("braces stand round what belongs to it: `if c { … }`"),
                ("atomic", _) => Some(
                    "braces stand round what is one step: `atomic { … }`; an assignment is one step without it",
                ),
                ("#", _) => Some(
                    "`#{i : a[i] == 1}` is for how many indices something holds; the length of an array is a constant",
                ),
                (_, "requires" | "ensures" | "require" | "ensure") => Some(NO_CONTRACTS),
                (")", "-") => {
                    Some("the type of the result stands before the name: `int f(int x) { … }`")
                }
                _ => None,
            },
            Wanted::CloseParen | Wanted::CommaOrCloseParen | Wanted::CloseBracket
                if self.before[1] == "*"
                    && !is_operand(self.before[0])
                    && is_operand(self.here) =>
            {
                Some(NO_POINTERS)
            }
            Wanted::CloseParen if self.here == "," => Some("one thing stands in these parentheses"),
            Wanted::CloseParen | Wanted::CommaOrCloseParen if matches!(self.here, "]" | "}") => {
                Some("`(` is closed by `)`")
            }
            Wanted::CloseBracket if matches!(self.here, ")" | "}") => Some("`[` is closed by `]`"),
            Wanted::CommaOrCloseParen if matches!(self.here, ";" | "{") => {
                Some("add the missing `)`, or leave out the `(`")
            }
            Wanted::CommaOrCloseParen if self.before[1] == "ref" => {
                Some("leave `ref` out: the procedure says which parameters stand for variables")
            }
            Wanted::CloseBrace if self.here == ";" => Some("the choice ends with `}`: `{1 .. 3}`"),
            Wanted::CommaOrCloseBrace if self.here == "to" => {
                Some("`{0 .. 3}` chooses one of these numbers")
            }
            Wanted::CommaOrCloseBrace if self.here == ":" => Some(
                "members are listed in the order of the struct, without their names: `{1, false}`",
            ),
            Wanted::CloseBracket if self.here == ".." => Some(
                "an index is one number; `a := {1, 2, 3};` sets all elements, and a loop sets some",
            ),
            Wanted::CloseBracket if self.here == ":" => Some(
                "there are no slices: an index is one number, `a[0]`, and a loop goes through several elements",
            ),
            Wanted::CommaOrCloseParen => match self.here {
                ":=" | "=" => Some("a parameter has no first value: the call gives it one"),
                ":" => Some("the type stands before the name, alone: `int x`"),
                _ => None,
            },
            Wanted::Started => Some(
                "a thread that is started runs a procedure: `void f() { … }`, then `async f();`",
            ),
            Wanted::Label => Some("a label is a name: `goto again;` jumps to `again: skip;`"),
            Wanted::ThreadNumber if self.is_number() => {
                Some("how many there are stands after `*`: `thread NAME * 2 { … }`")
            }
            Wanted::ThreadName if self.is_number() || self.here == "[" => {
                Some("how many there are stands after the name: `thread NAME * 2 { … }`")
            }
            Wanted::EnumName if self.here == "{" => Some("write `enum NAME { … }`"),
            Wanted::ExpectedValue | Wanted::NewValue => Some(
                "`b := cas(x, old, new);` sets `x` to `new` if it is `old`, and tells whether it was",
            ),
            _ => None,
        }
    }

    fn is_number(&self) -> bool {
        self.here.starts_with(|c: char| c.is_ascii_digit())
    }

    /// The advice where an operand belongs.
    fn no_expression(&self) -> Option<&'static str> {
        Some(match (self.before[1], self.here) {
            (_, "join") => NO_RESULT,
            ("..", ".") => "a range has two dots: `{1 .. 3}`, `int[1..3]`",
            ("..", "]") | ("[", "..") => "a range has two ends: `int[0..3]`; `int` has none",
            ("invariant", ":") => "write `invariant e;`, without `:`",
            (before, ";" | "}") if operand_of(before).is_some() => operand_of(before)?,
            ("(", ")") => operand_of(self.before[0])?,
            ("{", "}") => "say among which values: `{0, 1}`, `{0 .. 3}`",
            (",", ")" | "}" | "]") => "leave out the last `,`, or write what belongs after it",
            ("?", _) => {
                "leave the `?` out: there are no options and no exceptions; `c ? a : b` chooses"
            }
            (_, "|") | ("(" | "," | ":=" | "=" | "move", "||") => {
                "there are no closures: write a procedure, and name it"
            }
            (_, "if") => CONDITIONAL,
            (_, "atomic") => {
                "leave it out: an assignment is one step; `atomic { … }` is a statement"
            }
            (_, "<<") => "values of a struct or of an array stand in braces: `{1, 2}`",
            (_, "?") => "`*` is any value: `x := *;`",
            _ => return None,
        })
    }

    /// The advice where a statement begins.
    fn no_statement(&self) -> Option<&'static str> {
        Some(match (self.here, self.next) {
            ("!" | "not" | "forall" | "exists", _) => CONDITION_ALONE,
            _ if self.is_number() && self.next == ".." => RANGE,
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

    /// The advice where a statement ends.
    fn no_end(&self) -> Option<&'static str> {
        Some(match (self.before, self.here) {
            (_, "(") if self.next == "*" => COMMENTS,
            (_, ":") if self.next.starts_with('"') => {
                "a comma stands before the text: `assert e, \"text\";`"
            }
            ([_, ")"], "||" | "|" | "&") => {
                "procedures run side by side in threads: `async f(); async g();` starts two, `thread NAME { … }` is there from the start"
            }
            (["*", "*"], _) => "there are no powers: write `x * x`",
            ([_, "*"], _) if !is_operand(self.before[0]) && self.is_number() => {
                "`*` alone is any value; between two values it is a product"
            }
            (_, ".") => "a value has no methods: give it to a variable first",
            (_, "in" | "..") => "`x := {0 .. 3};` chooses one of these numbers",
            ([_, "*"], "where" | "with") => {
                "write `constrain`: `x := * constrain 'x > 0;`, where `'x` is the value after"
            }
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
            (Wanted::Variable, "&") => NO_ADDRESSES,
            (Wanted::Variable, ";") => operand_of(self.before[1])?,
            (Wanted::Variable, ")") => operand_of(self.before[0])?,
            (Wanted::VariableName, _) if is_value(self.here) => {
                "each variable has its own value: `int x := 1, y := 2;`"
            }
            (Wanted::VariableName, here) if self.before[1] == "," && is_type(here) => {
                "a type begins a declaration of its own: write `;` in the place of the `,`"
            }
            (_, ":=" | "=") if self.before[0] == ":" && is_type(self.before[1]) => TYPE_FIRST,
            (_, "(") if self.next == "*" => {
                "there are no pointers to procedures: keep an `enum` that says which one to call"
            }
            (_, "(" | "<") if self.before[1] == "int" => RANGE,
            _ => return None,
        })
    }

    /// The advice between the name of a quantifier and its body.
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
            (_, "{") if self.before[0] == "async" => Wanted::Started.usual(),
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

    /// Where two values stand beside each other.
    fn between_two(&self) -> Option<&'static str> {
        if !is_operand(self.before[1]) || !is_operand(self.here) || self.begins_line {
            return match (self.wanted, self.here) {
                (Wanted::Statement, "-" | "~" | "'") => Some(NOTHING_DONE),
                _ => None,
            };
        }
        match self.wanted {
            Wanted::Semicolon => {
                Some("a statement ends with `;`, and an operator stands between two values")
            }
            Wanted::CloseParen | Wanted::CommaOrCloseParen => {
                Some("an operator or a comma stands between two values")
            }
            _ => None,
        }
    }

    /// Where an operator has no value on one of its sides.
    fn no_operand(&self) -> Option<String> {
        let [left, before] = self.before;
        let is_word = |token: &str| is_operand(token) && !matches!(token, ")" | "]");
        let left = if is_word(left) { left } else { "x" };
        let is_end = matches!(self.here, ";" | ")" | "]" | "}" | "," | "{" | "");
        match self.wanted {
            Wanted::Expression if is_end => match before {
                ":=" | "=" | "+=" | "-=" => {
                    let sign = if before == "=" { ":=" } else { before };
                    Some(format!("say which value: `{left} {sign} 1;`"))
                }
                "!" | "not" => Some(format!("a value is missing after `{before}`: `!b`")),
                "-" | "~" if !is_operand(self.before[0]) => {
                    Some(format!("a value is missing after `{before}`: `{before}x`"))
                }
                "&&" | "||" | "and" | "or" | "==>" | "=>" => {
                    Some(format!("a condition is missing after `{before}`: `b {before} c`"))
                }
                _ if is_binary(before) => {
                    Some(format!("a value is missing after `{before}`: `{left} {before} y`"))
                }
                _ => None,
            },
            Wanted::Expression if is_binary(self.here) && is_binary(before) => {
                Some(format!("a value is missing between `{before}` and `{}`", self.here))
            }
            Wanted::Expression if is_binary(self.here) => {
                Some(format!("a value is missing before `{0}`: `x {0} y`", self.here))
            }
            Wanted::Assign if is_binary(self.here) && self.here != "*" && is_operand(before) => {
                let rest = if is_word(self.next) { self.next } else { "y" };
                let before = if is_word(before) { before } else { "x" };
                let value = format!("{before} {} {rest}", self.here);
                Some(match self.here {
                    "&&" | "||" | "and" | "or" | "==>" | "=>" => {
                        format!(
                            "`assume …;` waits until `{value}` holds, `assert …;` checks that it does"
                        )
                    }
                    _ => format!(
                        "a value alone does nothing: `x := {value};` assigns it, `return {value};` gives it back"
                    ),
                })
            }
            _ => None,
        }
    }

    /// The advice that is the same at any place.
    fn by_what_is_there(&self) -> Option<&'static str> {
        let follows_name =
            self.before[1].ends_with(|c: char| c.is_ascii_alphanumeric() || c == ']');
        match self.here {
            "++" | "--" if follows_name && self.wanted != Wanted::Semicolon => {
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

/// Whether a token is a whole operand, or ends one.
fn is_operand(token: &str) -> bool {
    let is_word = token.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'));
    is_word
        && !is_binary(token)
        && !matches!(token, "not" | "return" | "assert" | "assume" | "else")
        || matches!(token, ")" | "]")
}

/// Whether a token stands between two operands.
fn is_binary(token: &str) -> bool {
    matches!(
        token,
        "+" | "-"
            | "*"
            | "/"
            | "%"
            | "&"
            | "|"
            | "^"
            | "<<"
            | ">>"
            | "&&"
            | "||"
            | "and"
            | "or"
            | "=="
            | "!="
            | "<"
            | "<="
            | ">"
            | ">="
            | "==>"
            | "=>"
    )
}

/// Whether a token is a word for a type of the language.
fn is_type(token: &str) -> bool {
    matches!(token, "bool" | "int" | "lock" | "tid") || Type::machine(token).is_some()
}

/// What to write in the place of a range alone.
pub(super) const RANGE: &str = "a range stands in brackets: `int[0..3] x;`";

const TYPE_FIRST: &str = "the type stands before the name, once: `int x := 3;`";

/// What to write in the place of a condition that stands alone.
pub(super) const CONDITION_ALONE: &str =
    "write `assume (…);` to wait until it holds, `assert (…);` to check that it does";

/// What to write in the place of a comment of another language.
pub(super) const COMMENTS: &str = "`//` begins a comment, and `/* … */` is one";

const NOTHING_DONE: &str = "a value alone does nothing: `skip;` does nothing, too; `x := e;` assigns it, `assert e;` checks it, `return e;` gives it back";

/// The advice about the address of a variable.
pub(super) const NO_ADDRESSES: &str = "there are no addresses: name the variable itself";

/// What belongs behind the word that begins a statement.
fn operand_of(word: &str) -> Option<&'static str> {
    Some(match word {
        "acquire" | "lock" => "say which lock: `acquire m;`",
        "release" | "unlock" => "say which lock: `release m;`",
        "trylock" => "say which lock: `if trylock(m) { … }`",
        "cas" => "say which variable, what it should be, and what it becomes: `b := cas(x, 0, 1);`",
        "fetch_and_add" => "say which variable, and how much is added: `y := fetch_and_add(x, 1);`",
        "send" => "say through which channel, and what: `send(c, 1);`",
        "receive" => "say from which channel: `x := receive(c);`",
        "if" | "while" | "when" => "say when: `if x == 1 { … }`, `while x < 3 { … }`",
        "invariant" => "say what always holds: `invariant x >= 0;`",
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
