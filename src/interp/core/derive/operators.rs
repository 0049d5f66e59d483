//! The operators: `jvp2`, `vjp2`, `value_and_grad`, `with_vjp`.

use super::leaves::{Others, numbers, rebuilt, replaced, same_shape};
use super::{Active, Change, Custom, Number, Operator, Operators, Tag, Tape};
use crate::base::{Code, Scalar, Span};
use crate::interp::arrays::missing;
use crate::interp::core::run::Run;
use crate::interp::failure::{Failure, Outcome, broken};
use crate::ir::core::Prim;
use crate::runtime::buffer::vector;
use crate::runtime::{Value, dims};
use std::sync::Arc;

fn zero(number: &Number) -> Number {
    Number::Plain(Scalar::from_i128(number.prim(), 0))
}

/// A seed has the shape of what it belongs to.
fn fits(seed: &Value, value: &Value, what: &str, span: Span) -> Outcome<()> {
    same_shape(seed, value).map_err(|(seed, value)| {
        let (seed, value) = (dims::Dims::new(&seed), dims::Dims::new(&value));
        Failure::new(Code::SizesDiffer, span, format!("the seed has shape {seed}, the {what} has shape {value}"))
    })
}

/// The value without what active numbers know.
pub(in crate::interp::core) fn primal(value: &Value, span: Span) -> Outcome<Value> {
    rebuilt(value, Others::Keep, span, &mut |number| Ok(Number::Plain(number.scalar())))
}

impl Operators {
    pub(super) fn enter(&mut self, tape: Option<Tape>) -> Tag {
        self.next += 1;
        self.depth += 1;
        self.open.push(Operator { tag: self.next, tape });
        self.next
    }
    /// The value without the changes that an operator follows, and those of operators that have ended.
    fn without(&self, value: &Value, tag: Tag, span: Span) -> Outcome<Value> {
        rebuilt(value, Others::Keep, span, &mut |number| Ok(self.seen(&number.without(tag))))
    }
}

impl Run<'_> {
    /// An operator for derivatives.
    pub(in crate::interp::core) fn derivative(&mut self, prim: Prim, args: &[Value], span: Span) -> Outcome<Value> {
        // Threads know nothing of each other's operators.
        let before = std::mem::replace(&mut self.parallel, false);
        let result = match (prim, args) {
            (Prim::Jvp2, [f, x, dx]) => self.jvp2(f, x, dx, span),
            (Prim::Vjp2, [f, x, ay]) => self.vjp2(f, x, Some(ay), span),
            (Prim::ValueAndGrad, [f, x]) => self.vjp2(f, x, None, span),
            (Prim::WithVjp, [f, g, x]) => self.with_vjp(f, g, x, span),
            (prim, args) => Err(broken(&format!("{prim:?} with {} arguments", args.len()))),
        };
        self.parallel = before;
        result
    }

    /// The result and its tangent.
    fn jvp2(&mut self, f: &Value, x: &Value, dx: &Value, span: Span) -> Outcome<Value> {
        fits(dx, x, "argument", span)?;
        let mut tangents = numbers(dx, span)?.into_iter();
        let tag = self.operators.enter(None);
        let x = rebuilt(x, Others::Keep, span, &mut |primal| {
            let change = Change::Tangent(tangents.next().ok_or_else(missing)?);
            Ok(Number::Active(Arc::new(Active { tag, primal, change })))
        })?;
        let y = self.apply(f, vec![x], span)?;
        self.operators.open.pop();
        self.operators.depth -= 1;
        let tangent = rebuilt(&y, Others::Zero, span, &mut |number| match &number {
            Number::Active(active) if active.tag == tag => match &active.change {
                Change::Tangent(tangent) => Ok(tangent.clone()),
                Change::Entry(_) => Err(broken("an entry of a tape without tape")),
            },
            Number::Plain(_) | Number::Active(_) => Ok(zero(&number)),
        })?;
        Ok(Value::tuple(vec![self.operators.without(&y, tag, span)?, tangent]))
    }

    /// The result and the adjoint of the argument. The adjoint of the result is 1 if none is given.
    fn vjp2(&mut self, f: &Value, x: &Value, ay: Option<&Value>, span: Span) -> Outcome<Value> {
        let tag = self.operators.enter(Some(Tape::default()));
        let mut inputs = 0;
        let active = rebuilt(x, Others::Keep, span, &mut |primal| {
            inputs += 1;
            self.operators.record(tag, primal, Vec::new(), span)
        })?;
        let y = self.apply(f, vec![active], span)?;
        let Some(Operator { tape: Some(tape), .. }) = self.operators.open.pop() else { return Err(broken("an operator without its tape")) };
        let one = Number::of(&y).map(|y| Number::Plain(Scalar::from_i128(y.prim(), 1)).value());
        let ay = ay.or(one.as_ref()).ok_or_else(|| broken("a single float was expected"))?;
        fits(ay, &y, "result", span)?;
        let mut adjoints: Vec<Option<Number>> = vector(tape.ends.len()).map_err(|s| Failure::shortage(s, span))?;
        adjoints.resize(tape.ends.len(), None);
        for (y, ay) in numbers(&y, span)?.iter().zip(numbers(ay, span)?) {
            if let Some(entry) = entry_of(y, tag) {
                self.add(&mut adjoints, entry, ay, span)?;
            }
        }
        self.go_back(&tape, &mut adjoints, span)?;
        self.operators.depth -= 1;
        let mut adjoints = adjoints.into_iter().take(inputs);
        let ax = rebuilt(x, Others::Zero, span, &mut |x| Ok(adjoints.next().flatten().unwrap_or_else(|| zero(&x))))?;
        Ok(Value::tuple(vec![self.operators.without(&y, tag, span)?, ax]))
    }

    /// Adds what comes to the adjoint of an entry.
    fn add(&mut self, adjoints: &mut [Option<Number>], entry: usize, part: Number, span: Span) -> Outcome<()> {
        let place = adjoints.get_mut(entry).ok_or_else(|| broken("an entry of another tape"))?;
        *place = Some(self.operators.plus(place.take(), part, span)?);
        Ok(())
    }

    /// Goes back along a tape, from the adjoints of the results to those of the argument.
    fn go_back(&mut self, tape: &Tape, adjoints: &mut [Option<Number>], span: Span) -> Outcome<()> {
        let mut customs = tape.customs.iter().rev().peekable();
        for entry in (0..tape.ends.len()).rev() {
            if let Some(custom) = customs.next_if(|custom| custom.at == entry) {
                self.go_back_through(custom, adjoints)?;
            }
            let Some(adjoint) = adjoints[entry].clone() else { continue };
            for (operand, slope) in tape.operands(entry) {
                let part = slope.backward(&mut self.operators, &adjoint, span)?;
                self.add(adjoints, *operand, part, span)?;
            }
        }
        Ok(())
    }
    /// `go_back` for a function that has a derivative of its own.
    fn go_back_through(&mut self, custom: &Custom, adjoints: &mut [Option<Number>]) -> Outcome<()> {
        let span = custom.span;
        let outputs = &adjoints[custom.at + 1..custom.at + 1 + custom.outputs];
        if outputs.iter().all(Option::is_none) {
            return Ok(());
        }
        let mut outputs = outputs.iter().cloned();
        let ay = rebuilt(&custom.result, Others::Zero, span, &mut |y| Ok(outputs.next().flatten().unwrap_or_else(|| zero(&y))))?;
        let ax = self.apply(&custom.rule, vec![custom.result.clone(), ay], span)?;
        fits(&ax, &custom.argument, "argument", span)?;
        for (ax, input) in numbers(&ax, span)?.iter().zip(&custom.inputs) {
            if let Some(entry) = input {
                let ax = self.operators.seen(ax);
                self.add(adjoints, *entry, ax, span)?;
            }
        }
        Ok(())
    }

    /// `f x`. Operators that go back take `g` for the adjoint of `x`, and nothing else that `f` uses depends on their arguments. The innermost
    /// operator that goes forward, and follows something in `f x`, differentiates `f` itself: for those around it `f` is a function like any other.
    fn with_vjp(&mut self, f: &Value, g: &Value, x: &Value, span: Span) -> Outcome<Value> {
        self.with_vjp_under(self.operators.open.len(), f, g, x, span)
    }
    /// `with_vjp` for the `depth` outermost operators.
    fn with_vjp_under(&mut self, depth: usize, f: &Value, g: &Value, x: &Value, span: Span) -> Outcome<Value> {
        let Some(depth) = depth.checked_sub(1) else { return self.apply(f, vec![x.clone()], span) };
        let Operator { tag, ref tape } = self.operators.open[depth];
        if tape.is_none() {
            let result = self.apply(f, vec![x.clone()], span)?;
            let followed = numbers(&result, span)?.iter().any(|number| number.depends_on(tag));
            return if followed { Ok(result) } else { self.with_vjp_under(depth, f, g, x, span) };
        }
        let all: Vec<Number> = numbers(x, span)?.iter().map(|number| self.operators.seen(number)).collect();
        let argument = replaced(x, Others::Keep, span, all.iter().map(|number| number.without(tag)))?;
        let result = self.with_vjp_under(depth, f, g, &argument, span)?;
        let result = self.operators.without(&result, tag, span)?;
        let inputs: Vec<Option<usize>> = all.iter().map(|number| entry_of(number, tag)).collect();
        if inputs.iter().all(Option::is_none) {
            return Ok(result);
        }
        let at = self.operators.tape(tag)?.push([]).map_err(|s| Failure::shortage(s, span))?;
        let mut outputs = 0;
        let active = rebuilt(&result, Others::Keep, span, &mut |primal| {
            outputs += 1;
            self.operators.record(tag, primal, Vec::new(), span)
        })?;
        let custom = Custom { at, rule: g.clone(), result, outputs, inputs, argument, span };
        self.operators.tape(tag)?.customs.push(custom);
        Ok(active)
    }
}

/// The place of a number on the tape of an operator.
fn entry_of(number: &Number, tag: Tag) -> Option<usize> {
    match number {
        Number::Active(active) if active.tag == tag => match &active.change {
            Change::Entry(entry) => Some(*entry),
            Change::Tangent(_) => None,
        },
        Number::Plain(_) | Number::Active(_) => None,
    }
}
