//! # The meaning of an instruction
//!
//! **Question.** What does a step do? Engines ask in words, in formulas, in intervals.
//!
//! **Idea.** Said once, over any [`Domain`]: which operands are evaluated, in which order, under which
//! conditions, what goes wrong, what is stored.
//!
//! **Claim.** Where a domain is exact, so is the step: the tests hold domains against each other.

use crate::{
    Binary, Domain, Effect, Expr, Failure, Instruction, Kind, Limits, Place, Site, Source, Target,
    Temp, Unary, Value,
};

/// Executes the code of one edge.
pub struct Evaluator<'a, 'c, D: Domain> {
    domain: &'a mut D,
    temps: Vec<Temporary<'c, D>>,
}

/// The result of an instruction, kept for those after it.
enum Temporary<'c, D: Domain> {
    Nothing,
    Value(D::Value),
    Slot(D::Address, &'c Place),
}

impl<D: Domain> Clone for Temporary<'_, D> {
    fn clone(&self) -> Self {
        match self {
            Temporary::Nothing => Temporary::Nothing,
            Temporary::Value(value) => Temporary::Value(value.clone()),
            Temporary::Slot(at, place) => Temporary::Slot(at.clone(), place),
        }
    }
}

/// Executes instructions, the first of an edge with all that follow, in a domain.
pub fn execute<D: Domain>(domain: &mut D, code: &[Instruction], temps: u32) -> Result<(), D::Halt> {
    let mut evaluator = Evaluator { domain, temps: vec![Temporary::Nothing; temps as usize] };
    code.iter().try_for_each(|instruction| evaluator.instruction(instruction))
}

/// The value of an expression without [`Expr::Temp`].
pub fn value<D: Domain>(domain: &mut D, expr: &Expr) -> Result<D::Value, D::Halt> {
    Evaluator { domain, temps: Vec::new() }.eval(expr)
}

/// Stores a value in a slot; goes wrong if the slot cannot hold it.
pub fn store<D: Domain>(
    domain: &mut D,
    at: &D::Address,
    place: &Place,
    value: Option<D::Value>,
) -> Result<(), D::Halt> {
    if let (Some(value), Kind::Range(range)) = (&value, &place.kind) {
        let fits = domain.within(value, Limits::Range(range));
        domain.require(fits, || Failure::DoesNotFit {
            value: value.clone(),
            name: place.name.clone(),
            range: range.clone(),
        })?;
    }
    domain.store(at, place, value)
}

impl<'c, D: Domain> Evaluator<'_, 'c, D> {
    fn instruction(&mut self, instruction: &'c Instruction) -> Result<(), D::Halt> {
        match instruction {
            Instruction::Assume(cond) => {
                let cond = self.eval(cond)?;
                self.domain.assume(cond)
            }
            Instruction::Check(cond, broken) => {
                let cond = self.eval(cond)?;
                self.domain.require(cond, || Failure::Broken(broken.clone()))
            }
            Instruction::Let(temp, expr) => {
                self.temps[temp.index()] = Temporary::Value(self.eval(expr)?);
                Ok(())
            }
            Instruction::Locate(temp, place) => {
                self.temps[temp.index()] = Temporary::Slot(self.locate(place)?, place);
                Ok(())
            }
            Instruction::Store { to, value, when } => {
                let place = self.place(to);
                let value = match value {
                    Source::Value(expr) => Some(self.eval(expr)?),
                    Source::Any => None,
                    Source::Result(index, kind) => self.domain.result(*index, kind, place)?,
                };
                let at = self.slot(to)?;
                let Some(when) = when else { return store(self.domain, &at, place, value) };
                let when = self.eval(when)?;
                match self.domain.truth(&when) {
                    Some(false) => Ok(()),
                    Some(true) => store(self.domain, &at, place, value),
                    None => {
                        self.domain.enter(&when, true);
                        let stored = store(self.domain, &at, place, value);
                        self.domain.leave();
                        stored
                    }
                }
            }
            Instruction::Snapshot => self.domain.effect(Effect::Snapshot),
            Instruction::Take => self.domain.effect(Effect::Take),
            Instruction::Frame { proc, for_thread } => {
                self.domain.effect(Effect::Frame { proc: *proc, for_thread: *for_thread })
            }
            Instruction::Call => self.domain.effect(Effect::Call),
            Instruction::Start(dest) => {
                let dest = match dest {
                    Some(dest) => Some((self.slot(dest)?, self.place(dest))),
                    None => None,
                };
                self.domain.effect(Effect::Start(dest))
            }
            Instruction::Fork { at, read_by_both } => {
                self.domain.effect(Effect::Fork { at: *at, read_by_both })
            }
            Instruction::Return => self.domain.effect(Effect::Return),
        }
    }

    /// The place that a store goes to.
    fn place(&self, to: &'c Target) -> &'c Place {
        match to {
            Target::Place(place) => place,
            Target::Located(temp) => self.located(*temp).1,
        }
    }

    /// The slot that a store goes to.
    fn slot(&mut self, to: &'c Target) -> Result<D::Address, D::Halt> {
        match to {
            Target::Place(place) => self.locate(place),
            Target::Located(temp) => Ok(self.located(*temp).0.clone()),
        }
    }

    fn located(&self, temp: Temp) -> (&D::Address, &'c Place) {
        match &self.temps[temp.index()] {
            Temporary::Slot(at, place) => (at, place),
            _ => unreachable!("a slot is located before it is stored to"),
        }
    }

    /// The slot of a place.
    fn locate(&mut self, place: &Place) -> Result<D::Address, D::Halt> {
        let mut at = self.domain.address(place.area, place.first);
        for index in &place.indices {
            let value = self.eval(&index.value)?;
            let inside = self.domain.within(&value, Limits::Positions(index.length));
            self.domain.require(inside, || Failure::Outside {
                index: value.clone(),
                name: place.name.clone(),
                length: index.length,
            })?;
            at = self.domain.element(at, &value, index.length, index.stride);
        }
        Ok(at)
    }

    fn eval(&mut self, expr: &Expr) -> Result<D::Value, D::Halt> {
        match expr {
            Expr::Bool(b) => Ok(self.domain.bool(*b)),
            Expr::Int(n) => Ok(self.domain.int(n)),
            Expr::Load(place) => self.load(place, false),
            Expr::Old(place) => self.load(place, true),
            Expr::Temp(temp) => match &self.temps[temp.index()] {
                Temporary::Value(value) => Ok(value.clone()),
                Temporary::Slot(at, place) => self.domain.load(at, place, false),
                Temporary::Nothing => unreachable!("a value is computed before it is used"),
            },
            Expr::Me => Ok(self.domain.me()),
            Expr::Unary(op, a) => {
                let a = self.eval(a)?;
                self.domain.unary(*op, a)
            }
            Expr::Binary(op, a, b, site) => {
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                match op {
                    Binary::Div | Binary::Mod => {
                        let zero = self.domain.int(&Value::Small(0));
                        let is_zero = self.domain.binary(Binary::Eq, b.clone(), zero, *site)?;
                        let fine = self.domain.unary(Unary::Not, is_zero)?;
                        self.domain.require(fine, || Failure::DivisionByZero)?;
                    }
                    Binary::ShiftLeft | Binary::ShiftRight => {
                        let fine = self.domain.within(&b, Limits::NotNegative);
                        self.domain.require(fine, || Failure::NegativeShift)?;
                    }
                    _ => {}
                }
                self.domain.binary(*op, a, b, *site)
            }
            Expr::If(parts) => {
                let [cond, then, otherwise] = &**parts;
                let cond = self.eval(cond)?;
                self.branch(cond, |this| this.eval(then), |this| this.eval(otherwise))
            }
            Expr::OneOf(options, site) => {
                let last = i64::try_from(options.len()).unwrap_or(i64::MAX) - 1;
                let (lo, hi) =
                    (self.domain.int(&Value::Small(0)), self.domain.int(&Value::Small(last)));
                let pick = self.domain.between(lo, hi, *site)?;
                self.one_of(&pick, options, *site)
            }
            Expr::Between(low, high, site) => {
                let (low, high) = (self.eval(low)?, self.eval(high)?);
                let some = self.domain.binary(Binary::Le, low.clone(), high.clone(), *site)?;
                self.domain.require(some, || Failure::NoInteger {
                    low: low.clone(),
                    high: high.clone(),
                })?;
                self.domain.between(low, high, *site)
            }
            Expr::Any(kind, site) => self.domain.choose(kind, None, *site),
            Expr::Fair(site) => self.domain.fair(*site),
        }
    }

    fn load(&mut self, place: &Place, old: bool) -> Result<D::Value, D::Halt> {
        let at = self.locate(place)?;
        self.domain.load(&at, place, old)
    }

    /// The option that was picked.
    fn one_of(
        &mut self,
        pick: &D::Value,
        options: &[Expr],
        site: Site,
    ) -> Result<D::Value, D::Halt> {
        if let Some(known) = self.domain.position(pick).and_then(|n| options.get(n)) {
            return self.eval(known);
        }
        let mut value: Option<D::Value> = None;
        for (position, option) in options.iter().enumerate().rev() {
            let this = self.domain.int(&Value::Small(position as i64));
            let this = self.domain.binary(Binary::Eq, pick.clone(), this, site)?;
            self.domain.enter(&this, true);
            let option = self.eval(option)?;
            self.domain.leave();
            value = Some(match value {
                None => option,
                Some(rest) => self.domain.merge(this, option, rest),
            });
        }
        Ok(value.unwrap_or_else(|| unreachable!("there is something to choose from")))
    }

    /// One of two ways, or both under their conditions.
    fn branch(
        &mut self,
        cond: D::Value,
        then: impl FnOnce(&mut Self) -> Result<D::Value, D::Halt>,
        otherwise: impl FnOnce(&mut Self) -> Result<D::Value, D::Halt>,
    ) -> Result<D::Value, D::Halt> {
        match self.domain.truth(&cond) {
            Some(true) => return then(self),
            Some(false) => return otherwise(self),
            None => {}
        }
        self.domain.enter(&cond, true);
        let a = then(self)?;
        self.domain.leave();
        self.domain.enter(&cond, false);
        let b = otherwise(self)?;
        self.domain.leave();
        Ok(self.domain.merge(cond, a, b))
    }
}
