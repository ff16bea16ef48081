//! # S-expressions
//! What solvers answer and certificates say: read with a limit on nesting, never trusted.

use num_bigint::BigInt;

use crate::term::{Arith, Sort, Term, Val, Var};

/// Text in parentheses, or a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sexpr {
    /// A word; `|…|` without its bars.
    Word(String),
    /// A list in parentheses.
    List(Vec<Sexpr>),
}

/// Nesting deeper than this is refused.
const DEEPEST: usize = 200;

impl Sexpr {
    /// Reads one expression; `None` if the text is something else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Sexpr> {
        let mut open: Vec<Vec<Sexpr>> = vec![Vec::new()];
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let after = &rest[first.len_utf8()..];
            rest = match first {
                '(' if open.len() < DEEPEST => {
                    open.push(Vec::new());
                    after
                }
                ')' => {
                    let list = open.pop()?;
                    open.last_mut()?.push(Sexpr::List(list));
                    after
                }
                '|' => {
                    let (word, after) = after.split_once('|')?;
                    open.last_mut()?.push(Sexpr::Word(word.to_owned()));
                    after
                }
                '(' => return None,
                _ => {
                    let end = rest.find(|c: char| c.is_whitespace() || "()|".contains(c));
                    let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
                    open.last_mut()?.push(Sexpr::Word(word.to_owned()));
                    after
                }
            };
            rest = rest.trim_start();
        }
        let mut done = (open.len() == 1).then(|| open.pop()).flatten()?;
        (done.len() == 1).then(|| done.pop()).flatten()
    }

    /// The expression as a constant.
    #[must_use]
    pub fn constant(&self) -> Option<Val> {
        match self {
            Sexpr::Word(word) if word == "true" => Some(Val::Bool(true)),
            Sexpr::Word(word) if word == "false" => Some(Val::Bool(false)),
            Sexpr::Word(word) => digits(word).map(Val::Int),
            Sexpr::List(list) => match &list[..] {
                [Sexpr::Word(minus), Sexpr::Word(word)] if minus == "-" => {
                    digits(word).map(|n| Val::Int(-n))
                }
                _ => None,
            },
        }
    }

    /// The expression as a term with its sort, with variables by name.
    #[must_use]
    pub fn term(&self, var: &dyn Fn(&str) -> Option<(Var, Sort)>) -> Option<(Term, Sort)> {
        match self.constant() {
            Some(Val::Bool(b)) => return Some((Term::Bool(b), Sort::Bool)),
            Some(Val::Int(n)) => return Some((Term::Int(n), Sort::Int)),
            None => {}
        }
        let list = match self {
            Sexpr::Word(word) => return var(word).map(|(var, sort)| (Term::Var(var), sort)),
            Sexpr::List(list) => list,
        };
        let (Sexpr::Word(head), parts) = list.split_first()? else { return None };
        let parts: Vec<(Term, Sort)> = parts.iter().map(|p| p.term(var)).collect::<Option<_>>()?;
        let sorts: Vec<Sort> = parts.iter().map(|(_, sort)| *sort).collect();
        let mut terms = parts.into_iter().map(|(term, _)| term);
        let mut next = || terms.next();
        let ints = sorts == [Sort::Int, Sort::Int];
        let bools = sorts.iter().all(|&sort| sort == Sort::Bool);
        let arith = |op| ints.then_some(op);
        let op = match head.as_str() {
            "not" if sorts == [Sort::Bool] => return Some((next()?.negated(), Sort::Bool)),
            "and" if bools => return Some((Term::all(terms), Sort::Bool)),
            "or" if bools => return Some((Term::any(terms), Sort::Bool)),
            "=" if sorts.len() == 2 && sorts[0] == sorts[1] => {
                return Some((Term::eq(next()?, next()?), Sort::Bool));
            }
            "<" if ints => return Some((Term::lt(next()?, next()?), Sort::Bool)),
            "<=" if ints => return Some((Term::le(next()?, next()?), Sort::Bool)),
            "ite" if sorts.len() == 3 && sorts[0] == Sort::Bool && sorts[1] == sorts[2] => {
                return Some((Term::ite(next()?, next()?, next()?), sorts[1]));
            }
            "+" => arith(Arith::Add)?,
            "-" => arith(Arith::Sub)?,
            "*" => arith(Arith::Mul)?,
            "div" => arith(Arith::Div)?,
            "mod" => arith(Arith::Mod)?,
            _ => return None,
        };
        Some((Term::arith(op, next()?, next()?), Sort::Int))
    }
}

fn digits(word: &str) -> Option<BigInt> {
    let plain = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| word.parse().ok()).flatten()
}
