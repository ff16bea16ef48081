//! # Terms
//! Formulas and integer expressions over the variables of a few threads, as SMT-LIB 2 has them. The
//! constructors simplify what is plain (constants, double negation), so that most dead branches of a
//! step never reach a solver.

use std::fmt;

use num_bigint::BigInt;

/// The sort of a term: what its values are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Integers without bounds.
    Int,
}

/// A variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Var {
    /// A slot of a shared variable.
    Global(usize),
    /// A slot of a local variable of the thread at a position.
    Local(usize, usize),
    /// A free choice within a step.
    Fresh(usize, Sort),
}

/// A formula or an integer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(BigInt),
    /// A variable.
    Var(Var),
    /// The negation of a formula.
    Not(Box<Term>),
    /// The conjunction of formulas.
    And(Vec<Term>),
    /// The disjunction of formulas.
    Or(Vec<Term>),
    /// Whether two terms of the same sort are equal.
    Eq(Box<Term>, Box<Term>),
    /// Whether the first integer is less than the second.
    Lt(Box<Term>, Box<Term>),
    /// Whether the first integer is less than the second, or equal.
    Le(Box<Term>, Box<Term>),
    /// An operation on two integers.
    Arith(Arith, Box<Term>, Box<Term>),
    /// If the first then the second, otherwise the third.
    Ite(Box<Term>, Box<Term>, Box<Term>),
}

/// An operation on two integers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Arith {
    /// The sum of two integers.
    Add,
    /// The difference of two integers.
    Sub,
    /// The product of two integers.
    Mul,
    /// Quotient; the remainder is never negative, in SMT-LIB as in programs.
    Div,
    /// The remainder of a division, which is never negative.
    Mod,
}

/// The value of a term.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Val {
    /// Of sort Bool.
    Bool(bool),
    /// Of sort Int.
    Int(BigInt),
}

impl Term {
    /// True.
    pub const TRUE: Term = Term::Bool(true);
    /// False.
    pub const FALSE: Term = Term::Bool(false);

    /// An integer.
    #[must_use]
    pub fn int(n: impl Into<BigInt>) -> Term {
        Term::Int(n.into())
    }

    /// The negation of a formula, simplified.
    #[must_use]
    pub fn negated(self) -> Term {
        match self {
            Term::Bool(b) => Term::Bool(!b),
            Term::Not(inner) => *inner,
            other => Term::Not(Box::new(other)),
        }
    }

    /// The conjunction of formulas, simplified.
    #[must_use]
    pub fn all(terms: impl IntoIterator<Item = Term>) -> Term {
        let mut parts = Vec::new();
        for term in terms {
            match term {
                Term::Bool(true) => {}
                Term::Bool(false) => return Term::FALSE,
                Term::And(inner) => parts.extend(inner),
                other => parts.push(other),
            }
        }
        match parts.len() {
            0 => Term::TRUE,
            1 => parts.swap_remove(0),
            _ => Term::And(parts),
        }
    }

    /// The disjunction of formulas, simplified.
    #[must_use]
    pub fn any(terms: impl IntoIterator<Item = Term>) -> Term {
        let mut parts = Vec::new();
        for term in terms {
            match term {
                Term::Bool(false) => {}
                Term::Bool(true) => return Term::TRUE,
                Term::Or(inner) => parts.extend(inner),
                other => parts.push(other),
            }
        }
        match parts.len() {
            0 => Term::FALSE,
            1 => parts.swap_remove(0),
            _ => Term::Or(parts),
        }
    }

    /// The equality of two terms, simplified.
    #[must_use]
    pub fn eq(left: Term, right: Term) -> Term {
        match (left, right) {
            (a, b) if a == b => Term::TRUE,
            (Term::Int(a), Term::Int(b)) => Term::Bool(a == b),
            (Term::Bool(b), other) | (other, Term::Bool(b)) => {
                if b {
                    other
                } else {
                    other.negated()
                }
            }
            (a, b) => Term::Eq(Box::new(a), Box::new(b)),
        }
    }

    /// The comparison *less than*, simplified.
    #[must_use]
    pub fn lt(left: Term, right: Term) -> Term {
        match (left, right) {
            (a, b) if a == b => Term::FALSE,
            (Term::Int(a), Term::Int(b)) => Term::Bool(a < b),
            (a, b) => Term::Lt(Box::new(a), Box::new(b)),
        }
    }

    /// The comparison *less than or equal*, simplified.
    #[must_use]
    pub fn le(left: Term, right: Term) -> Term {
        match (left, right) {
            (a, b) if a == b => Term::TRUE,
            (Term::Int(a), Term::Int(b)) => Term::Bool(a <= b),
            (a, b) => Term::Le(Box::new(a), Box::new(b)),
        }
    }

    /// An operation on two integers.
    #[must_use]
    pub fn arith(op: Arith, left: Term, right: Term) -> Term {
        if let (Term::Int(a), Term::Int(b)) = (&left, &right)
            && let Some(n) = op.compute(a, b)
        {
            return Term::Int(n);
        }
        Term::Arith(op, Box::new(left), Box::new(right))
    }

    /// If the first then the second, otherwise the third.
    #[must_use]
    pub fn ite(cond: Term, then: Term, otherwise: Term) -> Term {
        match cond {
            Term::Bool(true) => then,
            Term::Bool(false) => otherwise,
            _ if then == otherwise => then,
            cond => Term::Ite(Box::new(cond), Box::new(then), Box::new(otherwise)),
        }
    }

    /// The parts of a term.
    fn parts(&self) -> Vec<&Term> {
        match self {
            Term::Bool(_) | Term::Int(_) | Term::Var(_) => Vec::new(),
            Term::Not(a) => vec![a],
            Term::And(list) | Term::Or(list) => list.iter().collect(),
            Term::Eq(a, b) | Term::Lt(a, b) | Term::Le(a, b) | Term::Arith(_, a, b) => vec![a, b],
            Term::Ite(a, b, c) => vec![a, b, c],
        }
    }

    /// Every variable in the term, once for each time that it occurs.
    #[must_use]
    pub fn vars(&self) -> Vec<Var> {
        match self {
            Term::Var(var) => vec![*var],
            other => other.parts().into_iter().flat_map(Term::vars).collect(),
        }
    }

    /// The term with other terms in the place of its variables.
    #[must_use]
    pub fn substitute(&self, with: &dyn Fn(Var) -> Term) -> Term {
        let sub = |t: &Term| t.substitute(with);
        match self {
            Term::Bool(_) | Term::Int(_) => self.clone(),
            Term::Var(var) => with(*var),
            Term::Not(a) => sub(a).negated(),
            Term::And(list) => Term::all(list.iter().map(sub)),
            Term::Or(list) => Term::any(list.iter().map(sub)),
            Term::Eq(a, b) => Term::eq(sub(a), sub(b)),
            Term::Lt(a, b) => Term::lt(sub(a), sub(b)),
            Term::Le(a, b) => Term::le(sub(a), sub(b)),
            Term::Arith(op, a, b) => Term::arith(*op, sub(a), sub(b)),
            Term::Ite(a, b, c) => Term::ite(sub(a), sub(b), sub(c)),
        }
    }

    /// The value where variables have these values; `None` if one that matters has none, or after a
    /// division by zero.
    #[must_use]
    pub fn value(&self, of: &dyn Fn(Var) -> Option<Val>) -> Option<Val> {
        let truth = |t: &Term| t.value(of).and_then(Val::truth);
        let int = |t: &Term| match t.value(of)? {
            Val::Int(n) => Some(n),
            Val::Bool(_) => None,
        };
        // One part may settle it whatever the others are.
        let settle = |list: &[Term], by: bool| {
            let values: Vec<_> = list.iter().map(truth).collect();
            if values.contains(&Some(by)) {
                return Some(Val::Bool(by));
            }
            values.iter().all(Option::is_some).then_some(Val::Bool(!by))
        };
        match self {
            Term::Bool(b) => Some(Val::Bool(*b)),
            Term::Int(n) => Some(Val::Int(n.clone())),
            Term::Var(var) => of(*var),
            Term::Not(a) => Some(Val::Bool(!truth(a)?)),
            Term::And(list) => settle(list, false),
            Term::Or(list) => settle(list, true),
            Term::Eq(a, b) => Some(Val::Bool(a.value(of)? == b.value(of)?)),
            Term::Lt(a, b) => Some(Val::Bool(int(a)? < int(b)?)),
            Term::Le(a, b) => Some(Val::Bool(int(a)? <= int(b)?)),
            Term::Arith(op, a, b) => op.compute(&int(a)?, &int(b)?).map(Val::Int),
            Term::Ite(a, b, c) => {
                if truth(a)? {
                    b.value(of)
                } else {
                    c.value(of)
                }
            }
        }
    }

    /// The term as SMT-LIB text, with names for its variables.
    #[must_use]
    pub fn show<'a>(&'a self, name: &'a dyn Fn(Var) -> String) -> impl fmt::Display + 'a {
        Shown { term: self, name }
    }
}

impl Val {
    /// The truth value, of a formula.
    #[must_use]
    pub fn truth(self) -> Option<bool> {
        match self {
            Val::Bool(b) => Some(b),
            Val::Int(_) => None,
        }
    }
}

impl Arith {
    /// The operation as it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Arith::Add => "+",
            Arith::Sub => "-",
            Arith::Mul => "*",
            Arith::Div => "div",
            Arith::Mod => "mod",
        }
    }

    fn compute(self, a: &BigInt, b: &BigInt) -> Option<BigInt> {
        let zero = BigInt::ZERO;
        match self {
            Arith::Add => Some(a + b),
            Arith::Sub => Some(a - b),
            Arith::Mul => Some(a * b),
            Arith::Div | Arith::Mod if *b == zero => None,
            Arith::Div | Arith::Mod => {
                let mut remainder = a % b;
                if remainder < zero {
                    remainder += if *b < zero { -b } else { b.clone() };
                }
                Some(if self == Arith::Mod { remainder } else { (a - remainder) / b })
            }
        }
    }
}

struct Shown<'a> {
    term: &'a Term,
    name: &'a dyn Fn(Var) -> String,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = match self.term {
            Term::Bool(b) => return write!(f, "{b}"),
            Term::Int(n) if *n < BigInt::ZERO => return write!(f, "(- {})", -n),
            Term::Int(n) => return write!(f, "{n}"),
            Term::Var(var) => return f.write_str(&(self.name)(*var)),
            Term::Not(_) => "not",
            Term::And(_) => "and",
            Term::Or(_) => "or",
            Term::Eq(..) => "=",
            Term::Lt(..) => "<",
            Term::Le(..) => "<=",
            Term::Arith(op, ..) => op.name(),
            Term::Ite(..) => "ite",
        };
        write!(f, "({head}")?;
        for part in self.term.parts() {
            write!(f, " {}", Shown { term: part, name: self.name })?;
        }
        f.write_str(")")
    }
}
