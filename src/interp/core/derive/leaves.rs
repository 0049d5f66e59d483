//! The numbers that a value consists of, in the order of its components, in row-major order in arrays.

use super::Number;
use crate::base::{PrimType, Scalar, Span};
use crate::interp::arrays::missing;
use crate::interp::failure::{Failure, Outcome};
use crate::runtime::buffer::vector;
use crate::runtime::value::Sum;
use crate::runtime::{Array, Boxed, Buffer, Cells, Value};
use std::sync::Arc;

/// What becomes of truth values.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Others {
    /// They stay.
    Keep,
    /// They become false.
    Zero,
}

/// The value with other numbers.
pub(super) fn rebuilt(value: &Value, others: Others, span: Span, number: &mut dyn FnMut(Number) -> Outcome<Number>) -> Outcome<Value> {
    Ok(match value {
        Value::Scalar(scalar) if scalar.prim().is_numeric() => number(Number::Plain(*scalar))?.value(),
        Value::Scalar(scalar) if others == Others::Zero => Value::Scalar(Scalar::from_i128(scalar.prim(), 0)),
        Value::Array(array) if array.prim().is_numeric() => {
            let mut numbers = vector(array.count()).map_err(|s| Failure::shortage(s, span))?;
            for i in 0..array.count() {
                numbers.push(number(Number::Plain(array.at(i).ok_or_else(missing)?))?);
            }
            packed(array.dims(), numbers, array.prim(), span)?
        }
        Value::Array(array) if others == Others::Zero => {
            let zeros = Buffer::filled(Scalar::from_i128(array.prim(), 0), array.count()).map_err(|s| Failure::shortage(s, span))?;
            Value::Array(Array::new(array.dims(), zeros).ok_or_else(missing)?)
        }
        Value::Tuple(tuple) => {
            let parts = tuple.parts.iter().map(|part| rebuilt(part, others, span, number)).collect::<Outcome<_>>()?;
            Value::tuples(tuple.frame.clone(), tuple.labels.clone(), parts)
        }
        Value::Sum(sum) => Value::Sum(Arc::new(Sum { label: sum.label, payload: rebuilt(&sum.payload, others, span, number)? })),
        Value::Box(boxed) => {
            Value::Box(Arc::new(Boxed { indices: boxed.indices.clone(), value: rebuilt(&boxed.value, others, span, number)? }))
        }
        Value::Cells(cells) => match cells.items().first().and_then(Number::of) {
            Some(first) => {
                let mut numbers = vector(cells.items().len()).map_err(|s| Failure::shortage(s, span))?;
                for item in cells.items() {
                    numbers.push(number(Number::of(item).ok_or_else(missing)?)?);
                }
                packed(cells.dims(), numbers, first.prim(), span)?
            }
            None => {
                let items = cells.items().iter().map(|item| rebuilt(item, others, span, number)).collect::<Outcome<_>>()?;
                Value::Cells(Cells::new(cells.dims(), items).ok_or_else(missing)?)
            }
        },
        Value::Opaque(_) => match Number::of(value) {
            Some(active) => number(active)?.value(),
            None => value.clone(),
        },
        Value::Scalar(_) | Value::Array(_) => value.clone(),
    })
}

/// An array of numbers, of scalars where none is active.
fn packed(dims: &[usize], numbers: Vec<Number>, prim: PrimType, span: Span) -> Outcome<Value> {
    if numbers.iter().any(|number| number.tag().is_some()) {
        let cells = Cells::new(dims, numbers.into_iter().map(Number::value).collect());
        return cells.map(Value::Cells).ok_or_else(missing);
    }
    let mut buffer = Buffer::with_capacity(prim, numbers.len()).map_err(|s| Failure::shortage(s, span))?;
    numbers.iter().for_each(|number| {
        buffer.push(number.scalar());
    });
    Array::new(dims, buffer).map(Value::Array).ok_or_else(missing)
}

/// All numbers.
pub(super) fn numbers(value: &Value, span: Span) -> Outcome<Vec<Number>> {
    let mut all = Vec::new();
    rebuilt(value, Others::Keep, span, &mut |number| {
        all.push(number.clone());
        Ok(number)
    })?;
    Ok(all)
}

/// The value with these numbers, one after the other.
pub(super) fn replaced(value: &Value, others: Others, span: Span, by: impl IntoIterator<Item = Number>) -> Outcome<Value> {
    let mut by = by.into_iter();
    rebuilt(value, others, span, &mut |_| by.next().ok_or_else(missing))
}

/// Whether a value has the shape of another one of the same type; the first sizes that differ if not.
pub(super) fn same_shape(a: &Value, b: &Value) -> Result<(), (Vec<usize>, Vec<usize>)> {
    if a.dims() != b.dims() {
        return Err((a.dims().to_vec(), b.dims().to_vec()));
    }
    match (a, b) {
        (Value::Tuple(a), Value::Tuple(b)) => a.parts.iter().zip(&b.parts).try_for_each(|(a, b)| same_shape(a, b)),
        (Value::Sum(a), Value::Sum(b)) => same_shape(&a.payload, &b.payload),
        (Value::Box(a), Value::Box(b)) => same_shape(&a.value, &b.value),
        (Value::Cells(a), Value::Cells(b)) => a.items().iter().zip(b.items()).try_for_each(|(a, b)| same_shape(a, b)),
        _ => Ok(()),
    }
}
