//! Expressions that make one array or number.

use super::super::arrays::{bad_slice, concat, gather, length, outer, range_steps, slice_steps};
use super::super::failure::{Failure, Outcome, broken, misfit, negative, op_failure, out_of_bounds};
use crate::base::Code;
use crate::base::{Scalar, Span};
use crate::ir::core::Prim;
use crate::ir::soac::{Check, Exp, Operand, RangeKind, Size, Type, Var, parallel_exp};
use crate::runtime::{Array, Buffer, Builder, Value, dims};

use super::Run;

impl Run<'_> {
    pub(super) fn single(&mut self, exp: &Exp, ty: &Type, span: Span) -> Outcome<Value> {
        let shortage = |s| Failure::shortage(s, span);
        let shapeless = || broken("an array whose elements do not fit its shape");
        Ok(match exp {
            Exp::Copy(a) => self.operand(*a),
            Exp::Scalar(op, args) => {
                let args = args.iter().map(|a| self.scalar(*a)).collect::<Outcome<Vec<_>>>()?;
                Value::Scalar(op.apply(&args).map_err(|error| op_failure(*op, error, &args, span))?)
            }
            Exp::Size(size) => Value::Scalar(Scalar::I64(self.size(size)?)),
            Exp::Literal(items) => {
                let mut data = Buffer::with_capacity(ty.elem, items.len()).map_err(shortage)?;
                items.iter().for_each(|item| {
                    data.push(*item);
                });
                if items.is_empty() {
                    return self.empty(ty);
                }
                Value::Array(Array::new(&self.shape(&ty.shape, span)?, data).ok_or_else(shapeless)?)
            }
            Exp::Stack(cells) => {
                let mut builder = Builder::new(cells.len());
                for cell in cells {
                    builder.push(&self.operand(*cell)).map_err(|m| misfit(m, span))?;
                }
                let cell = cells.first().ok_or_else(|| broken("an array without cells"))?;
                let cell = self.program.operand_ty(*cell).rank();
                let frame = self.shape(&ty.shape[..ty.rank().saturating_sub(cell)], span)?;
                builder.finish(&frame).ok_or_else(shapeless)?
            }
            Exp::Index { array, at, checked } => {
                let mut value = self.get(*array).clone();
                for i in at {
                    let i = self.int(*i)?;
                    let n = outer(&value)?;
                    value =
                        usize::try_from(i).ok().and_then(|i| value.cell(i)).ok_or_else(|| unless(*checked, out_of_bounds(i, n, span)))?;
                }
                value
            }
            Exp::Slice { array, start, step, checked } => self.slice(*array, *start, *step, *checked, ty, span)?,
            Exp::Rotate { array, by } => {
                let (value, by) = (self.get(*array).clone(), self.int(*by)?);
                let n = outer(&value)?;
                if n == 0 {
                    return Ok(value);
                }
                let by = by.rem_euclid(n as i64) as usize;
                let (Some(back), Some(front)) = (value.slice(by, n), value.slice(0, by)) else { return Err(shapeless()) };
                concat(&back, &front, span)?
            }
            Exp::Rearrange { array, perm } => self.rearrange(*array, perm, ty, span)?,
            Exp::Reshape(array) | Exp::Coerce(array) => {
                let rank = self.program.ty(*array).rank();
                let sizes = self.shape(&ty.shape, span)?;
                self.get(*array).reframed(rank, &sizes).ok_or_else(shapeless)?
            }
            Exp::Rep(a) => {
                let value = self.operand(*a);
                let frame = self.shape(&ty.shape[..ty.rank().saturating_sub(value.dims().len())], span)?;
                value.replicated(&frame).map_err(shortage)?
            }
            Exp::Iota { start, step } => self.iota(*start, *step, ty, span)?,
            Exp::Concat(arrays) => {
                let mut parts = arrays.iter().map(|array| self.get(*array).clone());
                let first = parts.next().ok_or_else(|| broken("nothing to join"))?;
                parts.try_fold(first, |a, b| concat(&a, &b, span))?
            }
            Exp::Update { array, at, value, checked } => {
                let (array, value) = (self.get(*array).clone(), self.operand(*value));
                let at = at.iter().map(|i| self.int(*i)).collect::<Outcome<Vec<_>>>()?;
                updated(array, &at, &value, span).map_err(|failure| unless(*checked, failure))?
            }
            Exp::UpdateSlice { array, start, step, value, checked } => self.update_slice(*array, *start, *step, *value, *checked, span)?,
            Exp::RangeCount { kind, start, step, end } => {
                let prim = match kind {
                    RangeKind::Upto => Prim::RangeUpto,
                    RangeKind::Downto => Prim::RangeDownto,
                    RangeKind::Through => Prim::RangeThrough,
                };
                let (_, _, count) = range_steps(prim, self.scalar(*start)?, self.scalar(*step)?, self.scalar(*end)?, span)?;
                Value::Scalar(Scalar::I64(count as i64))
            }
            Exp::SliceCount { start, end, step, size } => {
                let n = self.natural(size, span)?;
                let steps = slice_steps(self.int(*start)?, self.int(*end)?, self.int(*step)?, n, span)?;
                Value::Scalar(Scalar::I64(steps.count as i64))
            }
            parallel_exp!() | Exp::Check(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) => {
                return Err(broken("an expression with several results"));
            }
        })
    }

    pub(super) fn slice(&mut self, array: Var, start: Operand, step: Operand, checked: bool, ty: &Type, span: Span) -> Outcome<Value> {
        let (value, start, step) = (self.get(array).clone(), self.int(start)?, self.int(step)?);
        let (count, n) = (self.size(&ty.shape[0])?, outer(&value)?);
        if checked || step == 1 {
            let end = start.wrapping_add(count);
            let bounds = usize::try_from(start).ok().zip(usize::try_from(end).ok());
            return bounds.and_then(|(i, j)| value.slice(i, j)).ok_or_else(|| unless(checked, bad_slice(start, end, n, span)));
        }
        let Ok(cells @ 1..) = usize::try_from(count) else { return self.empty(ty) };
        // No array has a cell with the largest number: a place that does not exist stays one.
        let at = move |t: i64| usize::try_from(i128::from(start) + i128::from(t) * i128::from(step)).unwrap_or(usize::MAX);
        gather(&value, cells, (0..count).map(at), span)
    }

    pub(super) fn update_slice(
        &mut self,
        array: Var,
        start: Operand,
        step: Operand,
        value: Var,
        checked: bool,
        span: Span,
    ) -> Outcome<Value> {
        let shortage = |s| Failure::shortage(s, span);
        let shapeless = || broken("an array whose elements do not fit its shape");
        let (mut array, start, step) = (self.get(array).clone(), self.int(start)?, self.int(step)?);
        let value = self.get(value).clone();
        let (n, k) = (outer(&array)?, outer(&value)?);
        if step == 0 && k > 1 {
            let message = format!("updating {k} elements from {start} in steps of 0 writes one place");
            return Err(unless(checked, Failure::new(Code::OutOfBounds, span, message)));
        }
        for t in 0..k {
            let at = i128::from(start) + t as i128 * i128::from(step);
            let cell = value.cell(t).ok_or_else(shapeless)?;
            let Some(position) = usize::try_from(at).ok().filter(|at| *at < n) else {
                let message = format!("updating {k} elements from {start} in steps of {step} leaves the bounds of an array of size {n}");
                return Err(unless(checked, Failure::new(Code::OutOfBounds, span, message)));
            };
            if !array.set_cell(position, &cell).map_err(shortage)? {
                return Err(shapeless());
            }
        }
        Ok(array)
    }

    pub(super) fn iota(&mut self, start: Operand, step: Operand, ty: &Type, span: Span) -> Outcome<Value> {
        let count = self.natural(&ty.shape[0], span)?;
        let (Some(start), Some(step)) = (self.scalar(start)?.as_i128(), self.scalar(step)?.as_i128()) else {
            return Err(broken("integers were expected"));
        };
        let mut data = Buffer::with_capacity(ty.elem, count).map_err(|s| Failure::shortage(s, span))?;
        for t in 0..count as i128 {
            data.push(Scalar::from_i128(ty.elem, start.wrapping_add(t.wrapping_mul(step))));
        }
        Ok(Value::Array(Array::new(&[count], data).ok_or_else(|| broken("a range that does not fit its shape"))?))
    }

    pub(super) fn rearrange(&self, array: Var, perm: &[usize], ty: &Type, span: Span) -> Outcome<Value> {
        let old = self.get(array);
        let sizes = old.dims().to_vec();
        let new: Vec<usize> = perm.iter().map(|k| sizes[*k]).collect();
        let total = dims::count(&new);
        if total == 0 {
            return Array::empty(&new, ty.elem).map(Value::Array).ok_or_else(|| broken("an empty array that has elements"));
        }
        // The distance of neighbours along each dimension of the result, in elements of the old array.
        let mut strides = vec![1usize; sizes.len()];
        for k in (0..sizes.len().saturating_sub(1)).rev() {
            strides[k] = strides[k + 1] * sizes[k + 1];
        }
        let flat = old.reframed(sizes.len(), &[total]).ok_or_else(|| broken("an array was expected"))?;
        let position = |i: usize| {
            let (mut rest, mut at) = (i, 0);
            for (size, k) in new.iter().zip(perm).rev() {
                at += rest % size * strides[*k];
                rest /= size;
            }
            at
        };
        gather(&flat, total, (0..total).map(position), span)?.reframed(1, &new).ok_or_else(|| broken("a shape"))
    }

    pub(super) fn check(&self, check: &Check, span: Span) -> Outcome<()> {
        match check {
            Check::Bounds(i, n) => {
                let (i, n) = (self.int(*i)?, self.natural(n, span)?);
                match usize::try_from(i) {
                    Ok(index) if index < n => Ok(()),
                    _ => Err(out_of_bounds(i, n, span)),
                }
            }
            Check::Coerce(found, wanted) => {
                let show = |sizes: &[Size]| sizes.iter().map(|size| Ok(format!("[{}]", self.size(size)?))).collect::<Outcome<String>>();
                let (found, wanted) = (show(found)?, show(wanted)?);
                if found == wanted {
                    return Ok(());
                }
                Err(Failure::new(Code::SizesDiffer, span, format!("the value has shape {found}, the type says {wanted}")))
            }
            Check::NonNegative(size) => self.natural(size, span).map(|_| ()),
            Check::Range(a, b) => {
                let (a, b) = (self.int(*a)?, self.int(*b)?);
                match usize::try_from(i128::from(b) - i128::from(a)) {
                    Ok(count) => length(Some(count), span).map(|_| ()),
                    Err(_) => Err(negative(b.saturating_sub(a), span)),
                }
            }
            Check::Product(n, m) => {
                let product = i128::from(self.size(n)?) * i128::from(self.size(m)?);
                length(usize::try_from(product).ok(), span).map(|_| ())
            }
            Check::Unflatten(found, n, m) => {
                let (found, n, m) = (self.natural(found, span)?, self.natural(n, span)?, self.natural(m, span)?);
                if n.checked_mul(m) == Some(found) {
                    return Ok(());
                }
                Err(Failure::new(Code::SizesDiffer, span, format!("an array of size {found} does not make {n} rows of {m}")))
            }
            Check::Assert(cond, message) => {
                if self.truth(*cond)? {
                    return Ok(());
                }
                Err(Failure::new(Code::AssertionFailed, span, format!("assertion failed: {message}")))
            }
        }
    }
}

/// The array with the cell at these indices replaced.
pub(super) fn updated(mut array: Value, at: &[i64], value: &Value, span: Span) -> Outcome<Value> {
    let Some((first, rest)) = at.split_first() else { return Ok(value.clone()) };
    let n = outer(&array)?;
    let position = usize::try_from(*first).ok().filter(|i| *i < n).ok_or_else(|| out_of_bounds(*first, n, span))?;
    let cell = if rest.is_empty() {
        value.clone()
    } else {
        let old = array.cell(position).ok_or_else(|| broken("a cell is missing"))?;
        updated(old, rest, value, span)?
    };
    if !array.set_cell(position, &cell).map_err(|s| Failure::shortage(s, span))? {
        return Err(broken("a cell does not fit"));
    }
    Ok(array)
}

/// The failure of an access. Where its check was left out, because it cannot fail, the pass that left it out was wrong.
pub(super) fn unless(checked: bool, failure: Box<Failure>) -> Box<Failure> {
    if checked || failure.code != Code::OutOfBounds {
        return failure;
    }
    Failure::new(Code::MalformedCore, failure.span, format!("a check was left out that fails: {}", failure.message))
}
