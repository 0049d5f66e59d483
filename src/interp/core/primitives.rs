//! What the primitives compute.

use super::code::{Callee, Closure};
use super::derive::{as_i64, primal};
use super::run::Run;
use super::shapes;
use crate::base::scalar::{Float, FoldOp, Int, Op, ScalarOp};
use crate::base::{Code, PrimType, Scalar, Span};
use crate::interp::arrays::{HOLE, bad_slice, concat, gather, length, missing, natural, outer, range_steps, slice_steps};
use crate::interp::failure::{Failure, Outcome, broken, misfit, negative, out_of_bounds};
use crate::ir::core::Prim;
use crate::runtime::buffer::vector;
use crate::runtime::{Array, Boxed, Buffer, Builder, Element, Shortage, Value};
use std::sync::Arc;

fn take(place: &mut Value) -> Value {
    std::mem::replace(place, HOLE)
}

fn int(value: &Value) -> Outcome<i64> {
    as_i64(value).ok_or_else(|| broken("an i64 was expected"))
}

pub(super) fn ints(value: &Value) -> Outcome<&[i64]> {
    value.as_array().and_then(|array| array.items::<i64>()).ok_or_else(|| broken("a vector of i64 was expected"))
}

/// A box that hides one size.
pub(super) fn sized(value: Value) -> Outcome<Value> {
    let size = outer(&value)? as i64;
    Ok(Value::Box(Arc::new(Boxed { indices: vec![Value::Scalar(Scalar::I64(size))], value })))
}

fn transpose(value: &Value, span: Span) -> Outcome<Value> {
    let [n, m, ..] = *value.dims() else { return Err(broken("a matrix was expected")) };
    let flat = value.reframed(2, &[n.saturating_mul(m)]);
    match (flat, value) {
        (_, Value::Tuple(tuple)) => {
            let parts = tuple.parts.iter().map(|part| transpose(part, span)).collect::<Outcome<_>>()?;
            Ok(Value::tuples([&[m, n], &tuple.frame[2..]].concat(), tuple.labels.clone(), parts))
        }
        (Some(flat), _) if n > 0 && m > 0 => {
            let positions = (0..n * m).map(move |i| (i % n) * m + i / n);
            gather(&flat, n * m, positions, span)?.reframed(1, &[m, n]).ok_or_else(missing)
        }
        _ => value.reframed(2, &[m, n]).ok_or_else(missing),
    }
}

/// Deep equality; floats compare as numbers.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Scalar(a), Value::Scalar(b)) => a == b,
        (Value::Array(a), Value::Array(b)) => a.dims() == b.dims() && (0..a.count()).all(|i| a.at(i) == b.at(i)),
        (Value::Tuple(a), Value::Tuple(b)) => a.frame == b.frame && a.parts.iter().zip(&b.parts).all(|(a, b)| equal(a, b)),
        (Value::Box(a), Value::Box(b)) => equal(&a.value, &b.value),
        (Value::Sum(a), Value::Sum(b)) => a.label == b.label && equal(&a.payload, &b.payload),
        (Value::Cells(a), Value::Cells(b)) => a.dims() == b.dims() && a.items().iter().zip(b.items()).all(|(a, b)| equal(a, b)),
        _ => false,
    }
}

/// Runs `$body` with `$f` bound to an operation on elements of type `$t`, compiled for that operation; `None` where the operation is
/// not one of the frequent ones.
macro_rules! specialised {
    ($class:ident, $op:expr, $t:ty, $f:ident => $body:expr) => {{
        macro_rules! with {
            ($name:ident) => {{
                let $f = |a: $t, b: $t| <$t as $class>::binary(Op::$name, a, b).unwrap_or(a);
                Some($body)
            }};
        }
        match $op {
            Op::Add => with!(Add),
            Op::Mul => with!(Mul),
            Op::Min => with!(Min),
            Op::Max => with!(Max),
            _ => None,
        }
    }};
}

/// `go!(class, type)` for a type of elements; `None` where it is not one of the frequent ones.
macro_rules! of_frequent_type {
    ($prim:expr, $go:ident) => {
        match $prim {
            PrimType::I64 => $go!(Int, i64),
            PrimType::I32 => $go!(Int, i32),
            PrimType::F64 => $go!(Float, f64),
            PrimType::F32 => $go!(Float, f32),
            PrimType::I8
            | PrimType::I16
            | PrimType::U8
            | PrimType::U16
            | PrimType::U32
            | PrimType::U64
            | PrimType::F16
            | PrimType::C64
            | PrimType::C128
            | PrimType::Bool => None,
        }
    };
}

fn fold_items<T: Element>(items: &[T], init: Scalar, f: impl Fn(T, T) -> T) -> Option<Scalar> {
    Some(items.iter().fold(T::from_scalar(init)?, |a, b| f(a, *b)).scalar())
}

fn scan_items<T: Element>(items: &[T], init: Scalar, f: impl Fn(T, T) -> T) -> Option<Result<Buffer, Shortage>> {
    let mut sum = T::from_scalar(init)?;
    let mut out = match vector(items.len()) {
        Ok(out) => out,
        Err(shortage) => return Some(Err(shortage)),
    };
    out.extend(items.iter().map(|item| {
        sum = f(sum, *item);
        sum
    }));
    Some(Ok(Buffer::new(out)))
}

/// The fold of a vector with a frequent operation.
fn fast_fold(op: ScalarOp, init: Scalar, array: &Array) -> Option<Scalar> {
    macro_rules! go {
        ($class:ident, $t:ty) => {
            specialised!($class, op.op, $t, f => fold_items::<$t>(array.items::<$t>()?, init, f)?)
        };
    }
    of_frequent_type!(op.prim, go)
}

fn fast_scan(op: ScalarOp, init: Scalar, array: &Array) -> Option<Result<Buffer, Shortage>> {
    macro_rules! go {
        ($class:ident, $t:ty) => {
            specialised!($class, op.op, $t, f => scan_items::<$t>(array.items::<$t>()?, init, f)?)
        };
    }
    of_frequent_type!(op.prim, go)
}

/// The scalar operation that a function value is.
fn scalar_op(function: &Value) -> Option<ScalarOp> {
    let Value::Opaque(opaque) = function else { return None };
    match opaque.downcast_ref::<Closure>()? {
        Closure { callee: Callee::Op(op), args } if args.is_empty() && op.params.len() == 2 => Some(*op),
        _ => None,
    }
}

/// The arguments of a primitive that say where something stands or how much of it there is: nobody follows them.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others have none")]
fn control(prim: Prim) -> std::ops::Range<usize> {
    match prim {
        Prim::Index | Prim::Update | Prim::Scatter | Prim::Subarray => 1..2,
        Prim::Slice | Prim::UpdateSlice => 1..3,
        Prim::SliceStep => 1..4,
        Prim::Iota | Prim::Rotate | Prim::LiftShape | Prim::ScatterNew => 0..1,
        Prim::Range => 0..2,
        Prim::RangeUpto | Prim::RangeDownto | Prim::RangeThrough => 0..3,
        Prim::Hist => 2..4,
        Prim::ReduceByIndex => 3..4,
        _ => 0..0,
    }
}

impl Run<'_> {
    /// `sum`, `product`, `maximum`, `minimum`.
    pub fn fold(&mut self, fold: FoldOp, vector: &Value) -> Outcome<Value> {
        let (op, init) = (fold.step(), fold.identity());
        if let (Value::Cells(cells), true) = (vector, self.operators.follow()) {
            let step = |sum, item: &Value| self.operators.apply_values(op, &[sum, item.clone()], Span::default());
            return cells.items().iter().try_fold(Value::Scalar(init), step);
        }
        let Value::Array(array) = vector else { return Err(broken("a vector was expected")) };
        if let Some(result) = fast_fold(op, init, array) {
            return Ok(Value::Scalar(result));
        }
        let mut result = init;
        for item in (0..array.count()).filter_map(|i| array.at(i)) {
            result = op.apply2(result, item).map_err(|_| broken("a fold over elements of the wrong type"))?;
        }
        Ok(Value::Scalar(result))
    }

    /// Applies a primitive.
    pub fn prim(&mut self, prim: Prim, indices: &[Value], args: &mut [Value], span: Span) -> Outcome<Value> {
        let shortage = |s| Failure::shortage(s, span);
        if self.operators.follow() {
            for at in control(prim) {
                args[at] = primal(&args[at], span)?;
            }
        }
        match (prim, args) {
            (Prim::Index, [xs, i]) => {
                let i = int(i)?;
                usize::try_from(i).ok().and_then(|i| xs.cell(i)).ok_or_else(|| out_of_bounds(i, xs.outer().unwrap_or(0), span))
            }
            (Prim::Slice, [xs, i, j]) => {
                let (i, j, n) = (int(i)?, int(j)?, outer(xs)?);
                let bounds = usize::try_from(i).ok().zip(usize::try_from(j).ok());
                bounds.and_then(|(i, j)| xs.slice(i, j)).ok_or_else(|| bad_slice(i, j, n, span))
            }
            (Prim::SliceStep, [xs, i, j, s]) => {
                let steps = slice_steps(int(i)?, int(j)?, int(s)?, outer(xs)?, span)?;
                sized(gather(xs, steps.count, steps.positions(), span)?)
            }
            (Prim::Update, [xs, i, x]) => {
                let mut xs = take(xs);
                let (i, n) = (int(i)?, outer(&xs)?);
                let position = usize::try_from(i).ok().filter(|i| *i < n).ok_or_else(|| out_of_bounds(i, n, span))?;
                if !xs.set_cell(position, x).map_err(shortage)? {
                    return Err(Failure::new(Code::SizesDiffer, span, "the new element has another shape than the old one"));
                }
                Ok(xs)
            }
            (Prim::UpdateSlice, [xs, i, s, ys]) => self.update_slice(take(xs), int(i)?, int(s)?, ys, span),
            (Prim::Iota, [n]) => range(0, int(n)?, span),
            (Prim::Range, [a, b]) => range(int(a)?, int(b)?, span),
            (Prim::RangeUpto | Prim::RangeDownto | Prim::RangeThrough, [a, s, b]) => {
                let (Some(a), Some(s), Some(b)) = (a.as_scalar(), s.as_scalar(), b.as_scalar()) else {
                    return Err(broken("integers were expected"));
                };
                stepped(prim, a, s, b, span)
            }
            (Prim::Reduce | Prim::ReduceComm, [f, init, xs]) => self.reduce(f, take(init), xs, span),
            (Prim::Scan, [f, init, xs]) => self.scan(f, take(init), xs, span),
            (Prim::Filter, [f, xs]) => self.filter(f, xs, span),
            (Prim::Scatter, [xs, is, vs]) => scatter(take(xs), is, vs, span),
            (Prim::Hist, [f, init, k, is, xs]) => {
                let k = int(k)?;
                let k = natural(k, span)?;
                let bins = init.replicated(&[k]).map_err(shortage)?;
                self.accumulate(bins, f, is, xs, span)
            }
            (Prim::ReduceByIndex, [bins, f, _, is, xs]) => self.accumulate(take(bins), f, is, xs, span),
            (Prim::Transpose, [xs]) => transpose(xs, span),
            (Prim::Flatten, [xs]) => {
                let [n, m, ..] = *xs.dims() else { return Err(broken("a matrix was expected")) };
                let count = length(n.checked_mul(m), span)?;
                xs.reframed(2, &[count]).ok_or_else(missing)
            }
            (Prim::Unflatten, [xs]) => unflatten(indices, xs, span),
            (Prim::Concat, [a, b]) => concat(a, b, span),
            (Prim::Reverse, [xs]) => {
                let n = outer(xs)?;
                gather(xs, n, (0..n).rev(), span)
            }
            (Prim::Rotate, [r, xs]) => {
                let n = outer(xs)?;
                if n == 0 {
                    return Ok(take(xs));
                }
                let by = int(r)?.rem_euclid(n as i64) as usize;
                let (Some(back), Some(front)) = (xs.slice(by, n), xs.slice(0, by)) else { return Err(missing()) };
                concat(&back, &front, span)
            }
            (Prim::Equal | Prim::NotEqual, [a, b]) => {
                let same = if self.operators.follow() { equal(&primal(a, span)?, &primal(b, span)?) } else { equal(a, b) };
                Ok(Value::Scalar(Scalar::Bool(same == (prim == Prim::Equal))))
            }
            (Prim::ShapeIota, []) => shapes::shape_iota(indices, span),
            (Prim::Recycle, [xs]) => shapes::recycle(indices, xs, span),
            (Prim::LiftShape, [sizes]) => shapes::lift_shape(sizes, span),
            (Prim::Subarray, [xs, at]) => shapes::subarray(indices, xs, at, span),
            (Prim::ScatterNew, [positions, xs]) => shapes::scatter_new(indices, positions, xs, span),
            (Prim::ReadNums, [_]) => self.read_nums(span),
            (Prim::Jvp2 | Prim::Vjp2 | Prim::ValueAndGrad | Prim::WithVjp, args) => self.derivative(prim, args, span),
            (prim, args) => Err(broken(&format!("{prim:?} with {} arguments", args.len()))),
        }
    }

    fn filter(&mut self, f: &Value, xs: &mut Value, span: Span) -> Outcome<Value> {
        let n = outer(xs)?;
        let mut kept = Vec::new();
        for i in 0..n {
            let cell = xs.cell(i).ok_or_else(missing)?;
            if self.apply(f, vec![cell], span)?.as_bool().ok_or_else(|| broken("a truth value was expected"))? {
                kept.push(i);
            }
        }
        sized(if kept.len() == n { take(xs) } else { gather(xs, kept.len(), kept.into_iter(), span)? })
    }

    fn reduce(&mut self, f: &Value, init: Value, xs: &Value, span: Span) -> Outcome<Value> {
        if let (Some(op), Value::Scalar(start), Value::Array(array)) = (scalar_op(f), &init, xs)
            && let Some(result) = fast_fold(op, *start, array)
        {
            return Ok(Value::Scalar(result));
        }
        let mut result = init;
        for i in 0..outer(xs)? {
            result = self.apply2(f, result, xs.cell(i).ok_or_else(missing)?, span)?;
        }
        Ok(result)
    }

    fn scan(&mut self, f: &Value, init: Value, xs: &Value, span: Span) -> Outcome<Value> {
        if let (Some(op), Value::Scalar(start), Value::Array(array)) = (scalar_op(f), &init, xs)
            && let Some(result) = fast_scan(op, *start, array)
        {
            let data = result.map_err(|s| Failure::shortage(s, span))?;
            return Array::new(array.dims(), data).map(Value::Array).ok_or_else(missing);
        }
        let n = outer(xs)?;
        if n == 0 {
            return Ok(xs.clone());
        }
        let mut builder = Builder::new(n);
        let mut sum = init;
        for i in 0..n {
            sum = self.apply2(f, sum, xs.cell(i).ok_or_else(missing)?, span)?;
            builder.push(&sum).map_err(|m| misfit(m, span))?;
        }
        builder.finish(&[n]).ok_or_else(missing)
    }

    fn accumulate(&mut self, mut bins: Value, f: &Value, is: &Value, xs: &Value, span: Span) -> Outcome<Value> {
        let (is, k) = (ints(is)?, outer(&bins)?);
        for (t, &i) in is.iter().enumerate() {
            let Some(bin) = usize::try_from(i).ok().filter(|i| *i < k) else { continue };
            let (old, new) = (bins.cell(bin).ok_or_else(missing)?, xs.cell(t).ok_or_else(missing)?);
            let sum = self.apply2(f, old, new, span)?;
            bins.set_cell(bin, &sum).map_err(|s| Failure::shortage(s, span))?;
        }
        Ok(bins)
    }

    fn update_slice(&mut self, mut xs: Value, start: i64, step: i64, ys: &Value, span: Span) -> Outcome<Value> {
        let (n, k) = (outer(&xs)?, outer(ys)?);
        if step == 0 && k > 1 {
            return Err(Failure::new(
                Code::OutOfBounds,
                span,
                format!("updating {k} elements from {start} in steps of 0 writes one place"),
            ));
        }
        for t in 0..k {
            let at = i128::from(start) + t as i128 * i128::from(step);
            let Some(position) = usize::try_from(at).ok().filter(|at| *at < n) else {
                let message = format!("updating {k} elements from {start} in steps of {step} leaves the bounds of an array of size {n}");
                return Err(Failure::new(Code::OutOfBounds, span, message));
            };
            if !xs.set_cell(position, &ys.cell(t).ok_or_else(missing)?).map_err(|s| Failure::shortage(s, span))? {
                return Err(Failure::new(Code::SizesDiffer, span, "the new elements have another shape than the old ones"));
            }
        }
        Ok(xs)
    }
}

/// `a, a+1, .. b-1`.
/// Positions outside of the array are passed over.
fn scatter(mut xs: Value, is: &Value, vs: &Value, span: Span) -> Outcome<Value> {
    let (is, n) = (ints(is)?, outer(&xs)?);
    for (k, &i) in is.iter().enumerate() {
        let Some(position) = usize::try_from(i).ok().filter(|i| *i < n) else { continue };
        xs.set_cell(position, &vs.cell(k).ok_or_else(missing)?).map_err(|s| Failure::shortage(s, span))?;
    }
    Ok(xs)
}

fn range(a: i64, b: i64, span: Span) -> Outcome<Value> {
    let count = i128::from(b) - i128::from(a);
    let count = if count < 0 { Err(negative(b.saturating_sub(a), span)) } else { length(usize::try_from(count).ok(), span) }?;
    let mut items = vector::<i64>(count).map_err(|s| Failure::shortage(s, span))?;
    items.extend(a..b);
    Ok(Value::vector(items))
}

/// `a, a+s, ..` before (`upto`, `downto`) or up to and including (`through`) `b`.
fn stepped(prim: Prim, a: Scalar, s: Scalar, b: Scalar, span: Span) -> Outcome<Value> {
    let ty = a.prim();
    let (start, step, count) = range_steps(prim, a, s, b, span)?;
    let mut data = Buffer::with_capacity(ty, count).map_err(|s| Failure::shortage(s, span))?;
    for t in 0..count as i128 {
        data.push(Scalar::from_i128(ty, start + t * step));
    }
    sized(Value::Array(Array::new(&[count], data).ok_or_else(missing)?))
}

fn unflatten(indices: &[Value], xs: &Value, span: Span) -> Outcome<Value> {
    let size = |i: usize| {
        let n = indices.get(i).and_then(Value::as_i64).ok_or_else(|| broken("unflatten without its sizes"))?;
        natural(n, span)
    };
    let (n, m, found) = (size(0)?, size(1)?, outer(xs)?);
    if n.checked_mul(m) != Some(found) {
        return Err(Failure::new(Code::SizesDiffer, span, format!("an array of size {found} does not make {n} rows of {m}")));
    }
    xs.reframed(1, &[n, m]).ok_or_else(missing)
}
