//! What all evaluators do with arrays: sizes, slices, gathers, concatenation.

use super::failure::{broken, misfit, negative};
use super::{Failure, Outcome};
use crate::base::{Code, MAX_SIZE, Scalar, Span};
use crate::ir::core::Prim;
use crate::runtime::block::range_step;
use crate::runtime::{Array, Buffer, Builder, Value};

/// What stands in slots that hold nothing.
pub(super) const HOLE: Value = Value::Scalar(Scalar::Bool(false));

/// Numbers at regular distances: the first, the distance and how many.
pub(super) struct Steps {
    start: i128,
    step: i128,
    pub(super) count: usize,
}

impl Steps {
    pub(super) fn positions(&self) -> impl Iterator<Item = usize> + use<> {
        let (start, step) = (self.start, self.step);
        (0..self.count as i128).map(move |t| (start + t * step) as usize)
    }
}

/// The cells at these positions, `count` of them and all in bounds.
pub(super) fn gather(value: &Value, count: usize, positions: impl Iterator<Item = usize>, span: Span) -> Outcome<Value> {
    if count == 0 {
        return value.slice(0, 0).ok_or_else(missing);
    }
    if let Value::Array(array) = value
        && array.count() == 0
    {
        // However many rows there are, they hold nothing.
        let dims = [&[count], &array.dims()[1..]].concat();
        return Array::empty(&dims, array.prim()).map(Value::Array).ok_or_else(missing);
    }
    let mut builder = Builder::new(count);
    for i in positions {
        builder.push(&value.cell(i).ok_or_else(missing)?).map_err(|m| misfit(m, span))?;
    }
    builder.finish(&[count]).ok_or_else(missing)
}

pub(super) fn concat(a: &Value, b: &Value, span: Span) -> Outcome<Value> {
    match (outer(a)?, outer(b)?) {
        (0, _) => Ok(b.clone()),
        (_, 0) => Ok(a.clone()),
        (n, m) => {
            let total = length(n.checked_add(m), span)?;
            // Whole arrays are pushed as if they were cells of a longer array.
            let mut builder = Builder::new(0);
            if let (Value::Array(x), Value::Array(y)) = (a, b)
                && x.dims()[1..] == y.dims()[1..]
            {
                let mut data = Buffer::with_capacity(x.prim(), x.count() + y.count()).map_err(|s| Failure::shortage(s, span))?;
                for array in [x, y] {
                    let (items, offset) = array.raw();
                    data.extend(items, offset..offset + array.count()).map_err(|s| Failure::shortage(s, span))?;
                }
                let dims = [&[total], &x.dims()[1..]].concat();
                return Array::new(&dims, data).map(Value::Array).ok_or_else(missing);
            }
            for (value, count) in [(a, n), (b, m)] {
                for i in 0..count {
                    builder.push(&value.cell(i).ok_or_else(missing)?).map_err(|m| misfit(m, span))?;
                }
            }
            builder.finish(&[total]).ok_or_else(missing)
        }
    }
}

/// The length of an array, if there can be one so long.
pub(super) fn length(count: Option<usize>, span: Span) -> Outcome<usize> {
    count.filter(|count| i64::try_from(*count).is_ok_and(|count| count <= MAX_SIZE)).ok_or_else(|| {
        Failure::new(Code::ImpossibleSize, span, format!("the result would have more than {MAX_SIZE} rows, which no array can have"))
    })
}

#[cold]
pub(super) fn bad_slice(i: i64, j: i64, n: usize, span: Span) -> Box<Failure> {
    Failure::new(Code::OutOfBounds, span, format!("slice [{i}:{j}] is out of bounds for an array of size {n}"))
}

/// `a[i:j:s]`: for a positive step `0 <= i <= j <= n`, for a negative one `-1 <= j <= i < n`.
pub(super) fn slice_steps(i: i64, j: i64, s: i64, n: usize, span: Span) -> Outcome<Steps> {
    let size = n as i128;
    let (start, end, step) = (i128::from(i), i128::from(j), i128::from(s));
    let fits = match s {
        0 => false,
        1.. => 0 <= start && start <= end && end <= size,
        _ => -1 <= end && end <= start && (start < size || start == end),
    };
    if !fits {
        return Err(Failure::new(Code::OutOfBounds, span, format!("slice [{i}:{j}:{s}] is out of bounds for an array of size {n}")));
    }
    let distance = (end - start).abs();
    let count = (distance + step.abs() - 1) / step.abs();
    Ok(Steps { start, step, count: count as usize })
}

/// Where a range starts, its step and how many elements it has.
pub(super) fn range_steps(prim: Prim, a: Scalar, s: Scalar, b: Scalar, span: Span) -> Outcome<(i128, i128, usize)> {
    let ty = a.prim();
    let (Some(start), Some(step), Some(end)) = (a.as_i128(), s.as_i128(), b.as_i128()) else {
        return Err(broken("integers were expected"));
    };
    let step = range_step(prim, ty, start, step);
    let (up, inclusive) = (step > 0, i128::from(prim == Prim::RangeThrough));
    let (direction_fits, limit) = if prim == Prim::RangeUpto {
        (step > 0, "..<")
    } else if prim == Prim::RangeDownto {
        (step < 0, "..>")
    } else {
        (step != 0, "...")
    };
    let distance = if up { end - start } else { start - end };
    if !direction_fits || distance < 0 {
        let message = format!("the range {start}..{}{limit}{end} does not lead to its end", start + step);
        return Err(Failure::new(Code::ImpossibleSize, span, message));
    }
    let count = (distance + inclusive + step.abs() - 1) / step.abs();
    Ok((start, step, length(usize::try_from(count).ok(), span)?))
}

/// A size that an array can have.
pub(super) fn natural(size: i64, span: Span) -> Outcome<usize> {
    match usize::try_from(size) {
        Ok(size) => length(Some(size), span),
        Err(_) => Err(negative(size, span)),
    }
}

pub(super) fn missing() -> Box<Failure> {
    broken("an array does not have the cells that its type says")
}

pub(super) fn outer(value: &Value) -> Outcome<usize> {
    value.outer().ok_or_else(|| broken("an array was expected"))
}
