//! Primitives whose results have shapes that are only known at run time.

use super::primitives::{gather, ints, missing, sized};
use super::run::{Run, broken, negative, out_of_bounds};
use super::{Failure, Outcome};
use crate::base::{Scalar, Span};
use crate::runtime::buffer::vector;
use crate::runtime::dims::{Dims, count};
use crate::runtime::{Array, Boxed, Buffer, Value};
use std::sync::Arc;

/// Most dimensions of an array.
const MAX_RANK: usize = 255;

/// The sizes in a vector, none of which may be negative; their product can be counted.
fn shape(value: Option<&Value>, span: Span) -> Outcome<Vec<usize>> {
    let items = ints(value.ok_or_else(|| broken("a primitive without its shapes"))?)?;
    if items.len() > MAX_RANK {
        return Err(Failure::new("E0504", span, format!("an array cannot have {} dimensions, {MAX_RANK} are the most", items.len())));
    }
    let sizes = items.iter().map(|n| usize::try_from(*n).map_err(|_| negative(*n, span)));
    let sizes = sizes.collect::<Outcome<Vec<usize>>>()?;
    let product = sizes.iter().try_fold(1i64, |product, n| product.checked_mul(i64::try_from(*n).ok()?));
    if product.is_none() && !sizes.contains(&0) {
        let message = format!("an array of shape {} has more elements than can be counted", Dims::new(&sizes));
        return Err(Failure::new("E0504", span, message));
    }
    Ok(sizes)
}

/// `0, 1, ..` in row-major order.
pub fn shape_iota(indices: &[Value], span: Span) -> Outcome<Value> {
    let dims = shape(indices.first(), span)?;
    let size = count(&dims);
    let mut items = vector::<i64>(size).map_err(|s| Failure::shortage(s, span))?;
    items.extend(0..size as i64);
    if dims.is_empty() {
        return Ok(Value::Scalar(Scalar::I64(0)));
    }
    Array::new(&dims, Buffer::new(items)).map(Value::Array).ok_or_else(missing)
}

/// The elements in row-major order in another shape, from the beginning again when they are used up.
pub fn recycle(indices: &[Value], value: &Value, span: Span) -> Outcome<Value> {
    let dims = shape(indices.get(1), span)?;
    let (rank, size) = (value.dims().len(), count(value.dims()));
    let wanted = count(&dims);
    if size == wanted {
        return if rank == 0 && dims.is_empty() { Ok(value.clone()) } else { value.reframed(rank, &dims).ok_or_else(missing) };
    }
    if size == 0 {
        let (from, to) = (Dims::new(value.dims()), Dims::new(&dims));
        return Err(Failure::new("E0503", span, format!("an array of shape {from} has no elements to make one of shape {to}")));
    }
    let flat = value.reframed(rank, &[size]).ok_or_else(missing)?;
    gather(&flat, (0..wanted).map(move |i| i % size), span)?.reframed(1, &dims).ok_or_else(missing)
}

/// A box that hides the shape whose sizes these are.
pub fn lift_shape(value: &Value, span: Span) -> Outcome<Value> {
    let dims = shape(Some(value), span)?;
    Ok(Value::Box(Arc::new(Boxed { indices: vec![value.clone()], value: Value::tuples(dims, None, Vec::new()) })))
}

/// As many consecutive cells as the result has, beginning at an index.
pub fn subarray(indices: &[Value], value: &Value, at: &Value, span: Span) -> Outcome<Value> {
    let (from, to) = (shape(indices.first(), span)?, shape(indices.get(1), span)?);
    let at = ints(at)?;
    if at.len() != from.len() {
        let message = format!("an index of {} numbers does not belong to an array of shape {}", at.len(), Dims::new(&from));
        return Err(Failure::new("E0503", span, message));
    }
    let (size, wanted) = (count(&from), count(&to));
    let flat = if from.is_empty() { value.replicated(&[1]).map_err(|s| Failure::shortage(s, span))? } else { value.clone() };
    let flat = flat.reframed(from.len().max(1), &[size]).ok_or_else(missing)?;
    if wanted == 0 {
        return flat.slice(0, 0).and_then(|none| none.reframed(1, &to)).ok_or_else(missing);
    }
    let mut start = 0usize;
    for (&i, &n) in at.iter().zip(&from) {
        let position = usize::try_from(i).ok().filter(|i| *i < n).ok_or_else(|| out_of_bounds(i, n, span))?;
        start = start.saturating_mul(n).saturating_add(position);
    }
    let cells = start.checked_add(wanted).and_then(|end| flat.slice(start, end));
    let cells = cells.ok_or_else(|| {
        let message = format!("an array of shape {} has fewer than {wanted} cells from index {at:?} on", Dims::new(&from));
        Failure::new("E0501", span, message)
    })?;
    cells.reframed(1, &to).ok_or_else(missing)
}

/// The cells at new positions, each of which must be given. Cells for negative positions are left out.
pub fn scatter_new(indices: &[Value], positions: &Value, value: &Value, span: Span) -> Outcome<Value> {
    let size = indices.get(1).and_then(Value::as_i64).ok_or_else(|| broken("scatter_new without its sizes"))?;
    let size = usize::try_from(size).map_err(|_| negative(size, span))?;
    let mut sources: Vec<Option<usize>> = vector(size).map_err(|s| Failure::shortage(s, span))?;
    sources.resize(size, None);
    for (source, &position) in ints(positions)?.iter().enumerate().filter(|(_, position)| **position >= 0) {
        match usize::try_from(position).ok().and_then(|position| sources.get_mut(position)) {
            Some(place) => *place = Some(source),
            None => return Err(out_of_bounds(position, size, span)),
        }
    }
    if let Some(empty) = sources.iter().position(Option::is_none) {
        return Err(Failure::new("E0501", span, format!("no cell is scattered to position {empty} of {size}")));
    }
    gather(value, sources.into_iter().flatten().collect::<Vec<_>>().into_iter(), span)
}

impl Run<'_> {
    /// The numbers that the program was given to read.
    pub fn read_nums(&self, span: Span) -> Outcome<Value> {
        match self.machine.input() {
            Some(numbers) => sized(numbers.clone()),
            None => Err(Failure::new("E0508", span, "the program reads numbers, and none were given to it")),
        }
    }
}
