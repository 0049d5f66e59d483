//! Reductions and scans.

use super::build::Build;
use super::error::{Constant, Error, KindError, LengthError, Result, Role};
use super::functions::Func;
use super::machine::Machine;
use super::operators::{is_associative, neutral};
use super::scalar::{dyad, is_dyadic};
use super::value::{Arr, Kind, Val};
use crate::base::scalar::Op;
use crate::base::{PrimType, Scalar, Span};
use crate::ir::core::{Dim, Expr, ExprKind, Prim};
use std::rc::Rc;

const I: PrimType = PrimType::I64;

impl Machine {
    /// Brings an axis to the end of the outermost level.
    pub fn axis_last(&mut self, arr: &Arr, axis: usize) -> Result<Arr> {
        let rank = arr.rank();
        if axis + 1 == rank {
            return Ok(arr.clone());
        }
        let order: Vec<usize> = (0..rank).map(|at| if at == axis { rank - 1 } else { at - usize::from(at > axis) }).collect();
        self.transposed(&order, arr)
    }

    /// `f/`, or `n f/` with windows.
    pub fn reduction(&mut self, f: &Func, left: Option<Val>, right: Val, last: bool, axis: Option<&Val>, span: Span) -> Result<Val> {
        let arr = match right {
            Val::Tup(items) if left.is_none() => {
                let mut items = items.iter().rev();
                let Some(mut out) = items.next().cloned() else { return Err(self.silent()) };
                for item in items {
                    out = self.call(f, Some(item.clone()), out)?;
                }
                return Ok(match out {
                    Val::Arr(arr) if !arr.shape.is_empty() => {
                        let levels = Arr::with_outer(0, &arr.levels);
                        Val::Arr(arr.levelled(levels))
                    }
                    other => other,
                });
            }
            Val::Rag(rag) if left.is_none() && f.glyph() == Some(',') => return Ok(Val::Arr(rag.data.clone().levelled(vec![0, 1]))),
            other => other.arr(span, Role::Reduction)?,
        };
        if arr.rank() == 0 {
            return Ok(Val::Arr(arr));
        }
        let axis = self.axis_or_end(axis, arr.rank(), last, span)?;
        let rows = self.axis_last(&arr, axis)?;
        let frame = rows.shape[..arr.rank() - 1].to_vec();
        let Some(left) = left else {
            return self.mapped(&frame, &[rows], false, &mut |m, mut cells| {
                let row = cells.remove(0).arr(span, Role::Reduction)?;
                m.reduce_row(f, row, span)
            });
        };
        let n = match &left {
            Val::Arr(n) => n.constant_int().filter(|n| *n != 0),
            Val::Tup(_) | Val::Rag(_) => None,
        };
        let Some(n) = n else {
            return Err(Error::at(span, Constant::Windows));
        };
        let len = rows.shape[arr.rank() - 1].clone();
        let count = len.sub(&Dim::constant(n.saturating_abs() - 1));
        if count.as_constant().is_some_and(|count| count < 0) {
            return Err(Error::at(span, LengthError::Windows { size: n.saturating_abs(), shape: arr.outer().to_vec() }));
        }
        let done = self.mapped(&frame, &[rows], false, &mut |m, mut cells| {
            let row = cells.remove(0).arr(span, Role::Reduction)?;
            let starts = m.b.iota(&count);
            let starts = m.b.named(Kind::Int, vec![count.clone()], starts);
            m.mapped(std::slice::from_ref(&count), &[starts], false, &mut |m, mut at| {
                let from = at.remove(0).arr(span, Role::Window)?;
                let window = m.window(&row, from.expr, n.saturating_abs());
                let window = if n < 0 { m.reversed(&window, 0)? } else { window };
                m.reduce_row(f, window, span)
            })
        })?;
        // The axis goes back to its place.
        let Val::Arr(done) = done else { return Ok(done) };
        let rank = done.rank();
        let order: Vec<usize> = (0..rank).map(|at| if at + 1 == rank { axis } else { at + usize::from(at >= axis) }).collect();
        self.transposed(&order, &done).map(Val::Arr)
    }

    fn window(&mut self, row: &Arr, from: Expr, n: i64) -> Arr {
        let to = self.b.op2(Op::Add, I, from.clone(), self.b.int(n));
        let from = self.b.bind(from);
        let to = self.b.bind(to);
        let made = self.b.prim(Prim::Slice, row.kind, &row.shape[..1], &row.shape[1..], vec![row.expr.clone(), from, to]);
        let mut shape = row.shape.clone();
        shape[0] = Dim::constant(n);
        self.b.named(row.kind, shape, made).levelled(row.levels.clone())
    }

    /// The reduction of a vector, from the right.
    pub fn reduce_row(&mut self, f: &Func, row: Arr, span: Span) -> Result<Val> {
        self.b.at = f.span;
        let len = row.shape[0].clone();
        let glyph = f.glyph();
        let simple = row.shape.len() == 1;
        if len.as_constant() == Some(0) {
            // Of no particular kind: the least and the greatest float.
            if let Some(value) = glyph.and_then(least_or_greatest).filter(|_| simple && row.kind.is_number()) {
                return Ok(Val::Arr(self.b.literal(Kind::Double, &[], vec![value])));
            }
            let kind = glyph.filter(|c| is_dyadic(*c)).and_then(|c| dyad(c, row.kind, row.kind, None, span).ok());
            let value = glyph.zip(kind).and_then(|(c, spec)| neutral(c, spec.result).map(|value| (value, spec.result)));
            let Some((value, kind)) = value.filter(|_| simple) else {
                return Err(Error::at(span, KindError::NoNeutral));
            };
            return Ok(Val::Arr(self.b.literal(kind, &[], vec![value])));
        }
        if len.as_constant() == Some(1) {
            let item = self.row_item(&row, 0, span)?;
            return Ok(self.enclosed(item));
        }
        if let Some(known) = self.known_reduction(glyph, &row) {
            return Ok(known);
        }
        if let Some(c) = glyph.filter(|c| simple && is_dyadic(*c))
            && let Some((kind, made)) = self.by_primitive(Prim::Reduce, c, &row, span)?
        {
            let mut made = self.b.named(kind, Vec::new(), made);
            if let (Some(value), None) = (least_or_greatest(c).filter(|_| kind == Kind::Double), len.as_constant()) {
                let size = self.b.size(&len);
                let empty = self.b.op2(Op::Eq, I, size, self.b.int(0));
                made.expr = self.b.choose(empty, self.b.lit(value), made.expr);
            }
            if !keeps_sign(c, row.kind) || len.as_constant().is_some_and(|n| n > 1) {
                return Ok(Val::Arr(made));
            }
            // A single number is not changed.
            let size = self.b.size(&len);
            let single = self.b.op2(Op::Eq, I, size, self.b.int(1));
            let first = self.b.index(row.kind, &row.shape, row.expr.clone(), &[self.b.int(0)]);
            let made = self.b.choose(single, first, made.expr);
            return Ok(Val::Arr(self.b.named(kind, Vec::new(), made)));
        }
        if let Some(n) = len.as_constant().filter(|n| *n <= 4 || !glyph.is_some_and(is_dyadic) && *n <= 16) {
            let mut out = self.row_item(&row, n - 1, span)?;
            for at in (0..n - 1).rev() {
                let item = self.row_item(&row, at, span)?;
                out = self.call(f, Some(item), out)?;
            }
            return Ok(self.enclosed(out));
        }
        let size = self.b.size(&len);
        let size = self.b.bind(size);
        let result = dyad_result(glyph, row.kind).filter(|_| simple && len.as_constant().is_none());
        if let Some((value, kind)) = result {
            // An empty vector gives the neutral element.
            let empty = self.b.op2(Op::Eq, I, size.clone(), self.b.int(0));
            let empty = self.b.bind(empty);
            return self
                .branch(empty, &mut |m| Ok(Val::Arr(m.b.literal(kind, &[], vec![value]))), &mut |m| m.fold(f, &row, size.clone(), span));
        }
        self.fold(f, &row, size, span)
    }

    /// From the right, one element after the other; there is one at least.
    fn fold(&mut self, f: &Func, row: &Arr, size: Expr, span: Span) -> Result<Val> {
        let last = self.b.op2(Op::Sub, I, size, self.b.int(1));
        let last = self.b.bind(last);
        let first = self.cell_at(row, std::slice::from_ref(&last))?;
        let count = last.clone();
        let out = self.repeat(Val::Arr(first), Some(count), &mut |m, _| Err(m.silent()), &mut |m, acc, i| {
            let before = m.b.op2(Op::Sub, I, last.clone(), i.clone());
            let at = m.b.op2(Op::Sub, I, before, m.b.int(1));
            let item = m.cell_at(row, &[at])?;
            m.call(f, Some(Val::Arr(item)), acc)
        })?;
        let _ = span;
        Ok(self.enclosed(out))
    }

    fn row_item(&mut self, row: &Arr, at: i64, _span: Span) -> Result<Val> {
        let index = self.b.int(at);
        Ok(Val::Arr(self.cell_at(row, &[index])?))
    }

    /// An array as one item.
    fn enclosed(&mut self, val: Val) -> Val {
        match val {
            Val::Arr(arr) if !arr.shape.is_empty() => {
                let levels = Arr::with_outer(0, &arr.levels);
                Val::Arr(arr.levelled(levels))
            }
            other => other,
        }
    }

    fn known_reduction(&mut self, glyph: Option<char>, row: &Arr) -> Option<Val> {
        let known = row.known.as_ref().filter(|_| row.shape.len() == 1)?;
        let out = known[1..].iter().try_fold(known[0].clone(), |sum, dim| match glyph? {
            '+' => sum.checked_add(dim, 1),
            '×' => sum.checked_mul(dim),
            _ => None,
        })?;
        if let Some(value) = out.as_constant() {
            return Some(Val::Arr(self.b.literal(Kind::Int, &[], vec![Scalar::I64(value)])));
        }
        if !super::structure::is_natural(&out) {
            return None;
        }
        let expr = self.b.size(&out);
        let mut arr = self.b.named(Kind::Int, Vec::new(), expr);
        arr.known = Some(Rc::new(vec![out]));
        Some(Val::Arr(arr))
    }

    /// A scalar function as a function of core.
    fn folder(&mut self, glyph: char, kind: Kind, span: Span) -> Result<Expr> {
        let (x, y) = (self.b.fresh("x"), self.b.fresh("y"));
        let (ex, ey) = (self.b.var(x), self.b.var(y));
        self.b.open();
        let a = self.b.named(kind, Vec::new(), ex);
        let b = self.b.named(kind, Vec::new(), ey);
        let spec = dyad(glyph, kind, kind, None, span)?;
        let made = self.lift2(a, b, &spec, span)?;
        let body = self.b.close(made.expr);
        let ty = Build::ty(kind, &[]);
        Ok(self.b.node(ExprKind::Fn { params: vec![(x, ty.clone()), (y, ty.clone())], ret: ty, body }))
    }

    /// `f\`.
    pub fn scan(&mut self, f: &Func, right: Val, last: bool, axis: Option<&Val>, span: Span) -> Result<Val> {
        let arr = right.arr(span, Role::Scan)?;
        if arr.rank() == 0 {
            return Ok(Val::Arr(arr));
        }
        let axis = self.axis_or_end(axis, arr.rank(), last, span)?;
        let rows = self.axis_last(&arr, axis)?;
        let rank = arr.rank();
        let frame = rows.shape[..rank - 1].to_vec();
        let done = self.mapped(&frame, &[rows], false, &mut |m, mut cells| {
            let row = cells.remove(0).arr(span, Role::Scan)?;
            m.scan_row(f, row, span)
        })?;
        let Val::Arr(done) = done else { return Ok(done) };
        let order: Vec<usize> = (0..rank).map(|at| if at + 1 == rank { axis } else { at + usize::from(at >= axis) }).collect();
        self.transposed(&order, &done).map(Val::Arr)
    }

    /// A reduction or scan of a vector by core's primitive, and the kind of its result: where the function is associative and has a neutral element.
    fn by_primitive(&mut self, prim: Prim, glyph: char, row: &Arr, span: Span) -> Result<Option<(Kind, Expr)>> {
        let spec = dyad(glyph, row.kind, row.kind, None, span)?;
        let wide = dyad(glyph, spec.result, spec.result, None, span);
        let closed = is_associative(glyph, row.kind) && wide.is_ok_and(|wide| wide.result == spec.result);
        let Some(value) = neutral(glyph, spec.result).filter(|_| closed) else { return Ok(None) };
        let numbers = self.b.convert(row, spec.result)?;
        let folder = self.folder(glyph, spec.result, span)?;
        let unit = self.b.lit(value);
        let made = self.b.prim(prim, spec.result, &row.shape[..1], &[], vec![folder, unit, numbers.expr]);
        Ok(Some((spec.result, made)))
    }

    fn scan_row(&mut self, f: &Func, row: Arr, span: Span) -> Result<Val> {
        self.b.at = f.span;
        let len = row.shape[0].clone();
        if let Some(c) = f.glyph().filter(|c| row.shape.len() == 1 && is_dyadic(*c))
            && let Some((kind, made)) = self.by_primitive(Prim::Scan, c, &row, span)?
        {
            let made = self.b.named(kind, vec![len.clone()], made);
            if !keeps_sign(c, row.kind) {
                return Ok(Val::Arr(made));
            }
            let numbers = self.b.iota(&len);
            let made = self.b.map(&row.shape, vec![numbers, row.expr.clone(), made.expr], |b, x| {
                let first = b.op2(Op::Eq, I, x[0].clone(), b.int(0));
                Ok(b.choose(first, x[1].clone(), x[2].clone()))
            })?;
            return Ok(Val::Arr(self.b.named(kind, vec![len], made)));
        }
        let numbers = self.b.iota(&len);
        let numbers = self.b.named(Kind::Int, vec![len.clone()], numbers);
        self.mapped(std::slice::from_ref(&len), &[numbers], true, &mut |m, mut at| {
            let at = at.remove(0).arr(span, Role::Scan)?.expr;
            let first = m.cell_at(&row, std::slice::from_ref(&at))?;
            m.repeat(Val::Arr(first), Some(at.clone()), &mut |m, _| Err(m.silent()), &mut |m, acc, i| {
                let before = m.b.op2(Op::Sub, I, at.clone(), i.clone());
                let index = m.b.op2(Op::Sub, I, before, m.b.int(1));
                let item = m.cell_at(&row, &[index])?;
                m.call(f, Some(Val::Arr(item)), acc)
            })
        })
    }
}

/// What the greatest or the least of no floats is: the least or the greatest float. It is not neutral, as infinities are.
fn least_or_greatest(glyph: char) -> Option<Scalar> {
    [('⌈', f64::MIN), ('⌊', f64::MAX)].into_iter().find_map(|(other, value)| (other == glyph).then_some(Scalar::F64(value)))
}

/// Whether a number alone keeps its sign, and two do not: the greatest common divisor is not negative.
fn keeps_sign(glyph: char, kind: Kind) -> bool {
    glyph == '∨' && kind == Kind::Int
}

/// The neutral element of a reduction, and its kind.
fn dyad_result(glyph: Option<char>, kind: Kind) -> Option<(Scalar, Kind)> {
    let glyph = glyph.filter(|c| is_dyadic(*c))?;
    let spec = dyad(glyph, kind, kind, None, Span::default()).ok()?;
    neutral(glyph, spec.result).map(|value| (value, spec.result))
}
