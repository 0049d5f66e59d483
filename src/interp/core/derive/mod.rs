//! Derivatives by following scalars: forward by dual numbers, reverse by a tape, the list of the operations in the order in which they were
//! done (Griewank and Walther, 2008, "Evaluating derivatives", chapters 3 and 4). No program is transformed.
//!
//! An operator such as `jvp2` takes a number of its own, its tag, and replaces the numbers of its argument by [`Active`]
//! numbers: functions of nothing but scalar operations then say how they depend on it. Tags of operators inside are greater. A number that
//! several operators follow is active for the innermost, with a primal and a tangent that are active for the others, so that operators do
//! not take each other's changes for their own (Siskind and Pearlmutter, 2005, "Perturbation confusion and referential transparency").
//!
//! Truth values are never followed: comparisons, indices, sizes and conversions between integers and floats see the primal value.

mod gamma;
mod leaves;
mod operators;
mod partials;
mod slope;

use crate::base::scalar::ScalarOp;
use crate::base::{PrimType, Scalar, Span};
use crate::interp::failure::{Failure, Outcome, broken, op_failure};
use crate::runtime::{Shortage, Value};
pub(super) use operators::primal;
use slope::Slope;
use std::sync::Arc;

/// What is known of an operator: greater for those inside.
type Tag = u64;

/// A scalar while derivatives are taken.
#[derive(Debug, Clone)]
pub(super) enum Number {
    /// A constant.
    Plain(Scalar),
    /// One that depends on the argument of an operator.
    Active(Arc<Active>),
}

/// A number that depends on the argument of an operator.
#[derive(Debug)]
pub(super) struct Active {
    /// The innermost operator that follows it.
    tag: Tag,
    /// The number itself, which operators outside may follow.
    primal: Number,
    change: Change,
}

/// How a number depends on the argument.
#[derive(Debug)]
enum Change {
    /// Forward: its tangent.
    Tangent(Number),
    /// Reverse: where it is on the tape.
    Entry(usize),
}

impl Change {
    fn depends_on(&self, tag: Tag) -> bool {
        match self {
            Change::Tangent(tangent) => tangent.depends_on(tag),
            Change::Entry(_) => false,
        }
    }
}

/// A function with a derivative of its own (`with_vjp`), which made the entries after this one.
#[derive(Debug)]
struct Custom {
    /// Its own place on the tape.
    at: usize,
    /// The function that takes result and adjoint.
    rule: Value,
    /// The result, not followed.
    result: Value,
    /// How many entries the result has.
    outputs: usize,
    /// For each number of the argument, where it is on the tape.
    inputs: Vec<Option<usize>>,
    /// The argument, not followed.
    argument: Value,
    span: Span,
}

/// The operations of a function in the order in which they were done.
#[derive(Debug, Default)]
struct Tape {
    /// For each entry, where its operands end in `operands`; they begin where those of the entry before end.
    ends: Vec<usize>,
    /// The entries that an operation read, with its derivative by each.
    operands: Vec<(usize, Slope)>,
    customs: Vec<Custom>,
}

impl Tape {
    fn push(&mut self, operands: impl IntoIterator<Item = (usize, Slope)>) -> Result<usize, Shortage> {
        let more = |items: usize, size: usize| Shortage { bytes: 2 * items as u128 * size as u128 };
        self.ends.try_reserve(1).map_err(|_| more(self.ends.len(), size_of::<usize>()))?;
        for operand in operands {
            self.operands.try_reserve(1).map_err(|_| more(self.operands.len(), size_of::<(usize, Slope)>()))?;
            self.operands.push(operand);
        }
        self.ends.push(self.operands.len());
        Ok(self.ends.len() - 1)
    }
    fn operands(&self, entry: usize) -> &[(usize, Slope)] {
        let start = if entry == 0 { 0 } else { self.ends[entry - 1] };
        &self.operands[start..self.ends[entry]]
    }
}

/// An operator whose function runs.
#[derive(Debug)]
struct Operator {
    tag: Tag,
    /// In reverse mode.
    tape: Option<Tape>,
}

/// The operators that are at work.
#[derive(Debug, Default)]
pub(super) struct Operators {
    /// Those whose functions run, outermost first.
    open: Vec<Operator>,
    /// The next tag.
    next: Tag,
    /// How many there are, with those that go back along their tapes.
    depth: usize,
}

impl Number {
    /// The scalar itself.
    fn scalar(&self) -> Scalar {
        let mut at = self;
        loop {
            match at {
                Number::Plain(scalar) => return *scalar,
                Number::Active(active) => at = &active.primal,
            }
        }
    }
    fn prim(&self) -> PrimType {
        self.scalar().prim()
    }
    fn tag(&self) -> Option<Tag> {
        if let Number::Active(active) = self { Some(active.tag) } else { None }
    }
    /// Whether the operator with this tag follows it.
    fn depends_on(&self, tag: Tag) -> bool {
        match self {
            Number::Plain(_) => false,
            Number::Active(active) => {
                active.tag >= tag && (active.tag == tag || active.primal.depends_on(tag) || active.change.depends_on(tag))
            }
        }
    }
    /// The number as a constant for the operator with this tag.
    fn without(&self, tag: Tag) -> Number {
        match self {
            Number::Active(active) if active.tag == tag => active.primal.clone(),
            Number::Active(active) if active.tag > tag => {
                let change = match &active.change {
                    Change::Tangent(tangent) => Change::Tangent(tangent.without(tag)),
                    Change::Entry(entry) => Change::Entry(*entry),
                };
                Number::Active(Arc::new(Active { tag: active.tag, primal: active.primal.without(tag), change }))
            }
            Number::Plain(_) | Number::Active(_) => self.clone(),
        }
    }
    /// The number that a value is.
    fn of(value: &Value) -> Option<Number> {
        match value {
            Value::Scalar(scalar) => Some(Number::Plain(*scalar)),
            Value::Opaque(opaque) => opaque.clone().downcast().ok().map(Number::Active),
            Value::Array(_) | Value::Tuple(_) | Value::Cells(_) | Value::Box(_) | Value::Sum(_) => None,
        }
    }
    fn value(self) -> Value {
        match self {
            Number::Plain(scalar) => Value::Scalar(scalar),
            Number::Active(active) => Value::Opaque(active),
        }
    }
}

/// The integer that a value is, whoever follows it.
pub(super) fn as_i64(value: &Value) -> Option<i64> {
    if let Scalar::I64(n) = Number::of(value)?.scalar() { Some(n) } else { None }
}

impl Operators {
    /// Whether some numbers may be active.
    #[inline]
    pub fn follow(&self) -> bool {
        self.depth > 0
    }
    fn is_open(&self, tag: Tag) -> bool {
        self.open.iter().any(|operator| operator.tag == tag)
    }
    /// The number as those operators see it whose functions run.
    fn seen(&self, number: &Number) -> Number {
        let mut at = number;
        while let Number::Active(active) = at
            && !self.is_open(active.tag)
        {
            at = &active.primal;
        }
        at.clone()
    }

    /// Applies a scalar operation to values that are scalars or active numbers.
    pub fn apply_values(&mut self, op: ScalarOp, operands: &[Value], span: Span) -> Outcome<Value> {
        let numbers = operands.iter().map(Number::of).collect::<Option<Vec<_>>>();
        let numbers = numbers.ok_or_else(|| broken("scalars were expected"))?;
        Ok(self.apply(op, &numbers, span)?.value())
    }

    /// Applies a scalar operation.
    fn apply(&mut self, op: ScalarOp, operands: &[Number], span: Span) -> Outcome<Number> {
        let operands: Vec<Number> = operands.iter().map(|operand| self.seen(operand)).collect();
        let Some(tag) = operands.iter().filter_map(Number::tag).max() else {
            let scalars: Vec<Scalar> = operands.iter().map(Number::scalar).collect();
            return op.apply(&scalars).map(Number::Plain).map_err(|error| op_failure(op, error, &scalars, span));
        };
        let mut changes = [const { None }; 3];
        let mut primals = Vec::with_capacity(operands.len());
        for (k, operand) in operands.into_iter().enumerate() {
            match operand {
                Number::Active(active) if active.tag == tag => {
                    primals.push(active.primal.clone());
                    changes[k] = Some(active);
                }
                other @ (Number::Plain(_) | Number::Active(_)) => primals.push(other),
            }
        }
        let result = self.apply(op, &primals, span)?;
        if !op.result.is_numeric() {
            return Ok(result);
        }
        let mut tangent = None;
        let mut read = Vec::new();
        for (k, active) in changes.iter().enumerate().filter_map(|(k, active)| Some((k, active.as_ref()?))) {
            let slope = partials::slope(self, op, &primals, &result, k, span)?;
            match &active.change {
                _ if matches!(slope, Slope::Zero) => {}
                Change::Tangent(change) => {
                    let part = slope.forward(self, change, span)?;
                    tangent = Some(self.plus(tangent, part, span)?);
                }
                Change::Entry(entry) => read.push((*entry, slope)),
            }
        }
        if let Some(tangent) = tangent {
            return Ok(Number::Active(Arc::new(Active { tag, primal: result, change: Change::Tangent(tangent) })));
        }
        if read.is_empty() { Ok(result) } else { self.record(tag, result, read, span) }
    }

    /// The sum with what there is already.
    fn plus(&mut self, sum: Option<Number>, part: Number, span: Span) -> Outcome<Number> {
        match sum {
            None => Ok(part),
            Some(sum) => self.apply(ScalarOp::new(crate::base::scalar::Op::Add, part.prim()), &[sum, part], span),
        }
    }

    /// The number as a new entry of the tape of an operator.
    fn record(&mut self, tag: Tag, primal: Number, read: Vec<(usize, Slope)>, span: Span) -> Outcome<Number> {
        let entry = self.tape(tag)?.push(read).map_err(|s| Failure::shortage(s, span))?;
        Ok(Number::Active(Arc::new(Active { tag, primal, change: Change::Entry(entry) })))
    }
    fn tape(&mut self, tag: Tag) -> Outcome<&mut Tape> {
        let operator = self.open.iter_mut().find(|operator| operator.tag == tag);
        operator.and_then(|operator| operator.tape.as_mut()).ok_or_else(|| broken("an operator without its tape"))
    }
}

#[cfg(test)]
mod tests;
