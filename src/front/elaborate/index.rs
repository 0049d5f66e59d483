//! Slices, updates and ranges.

use super::apply::Head;
use super::error::{Error, ErrorKind as Wrong};
use super::expr::{call, number, prim_instance};
use super::ragged::is_box;
use super::scope::{cell_type, outer_dim, wrap};
use super::{Elab, Result, Typed, frame_shape};
use crate::base::scalar::Op;
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::{Atom, Dim, Expr, ExprKind, Index, Prim, Shape, ShapeItem, Type};
use crate::ir::surface::{Access, ExprId, Ident, IndexArg, RangeKind, view};

/// An index or a bound of a slice.
#[derive(Debug, Clone)]
enum Bound {
    /// A value: counted from the beginning, whatever it is.
    Value(Expr),
    /// `-k` as a literal: counted from the end.
    FromEnd(i64, Span),
}

/// An elaborated position of an index.
#[derive(Debug, Clone)]
enum Position {
    At(Bound),
    Slice { start: Option<Bound>, end: Option<Bound>, step: Option<Expr> },
}

/// The parts of a slice.
type Bounds<'a> = (&'a Option<Bound>, &'a Option<Bound>, &'a Option<Expr>);

/// An elaborated step of an update.
enum Step {
    Field(Ident),
    Index(Vec<Position>),
}

/// The new value of an update, to be replicated so often.
struct New {
    value: Typed,
    spread: u32,
}

impl Elab<'_> {
    fn positions(&mut self, indices: &[IndexArg]) -> Result<Vec<Position>> {
        let mut out = Vec::with_capacity(indices.len());
        for index in indices {
            out.push(match index {
                IndexArg::Index(e) => Position::At(self.position(*e)?),
                IndexArg::Slice { start, end, step, .. } => {
                    let mut part = |e: &Option<ExprId>| e.map(|e| self.position(e)).transpose();
                    let (start, end) = (part(start)?, part(end)?);
                    let step = step.map(|e| self.expr(e)).transpose()?.map(|step| self.shared(step, "i").0);
                    Position::Slice { start, end, step }
                }
            });
        }
        Ok(out)
    }
    fn position(&mut self, e: ExprId) -> Result<Bound> {
        if let Some(count) = view::distance_from_end(&self.program.ast, e) {
            return Ok(Bound::FromEnd(count, self.program.ast.exprs[e].span));
        }
        let value = self.expr(e)?;
        let value = self.as_index(value);
        Ok(Bound::Value(self.shared(value, "i").0))
    }
    /// The value of an index of an array of this size.
    fn in_array(&self, index: &Bound, n: &Dim, span: Span) -> Result<Expr> {
        match index {
            Bound::FromEnd(count, _) => Ok(Expr::new(ExprKind::ReifyDim(n.sub(&Dim::constant(*count))), span)),
            Bound::Value(value) => {
                self.no_negative(value)?;
                Ok(value.clone())
            }
        }
    }
    /// The value of a bound of a slice of an array of this size. Beside a step that is negative, or may be, -1 is the place before the
    /// first element.
    fn bound(&self, bound: &Bound, n: &Dim, step: &Option<Expr>, span: Span) -> Result<Expr> {
        let forwards = |step: &Expr| matches!(step.kind(), ExprKind::Lit(Scalar::I64(step)) if *step >= 0);
        match bound {
            Bound::FromEnd(count, at) if !step.as_ref().is_none_or(forwards) => Ok(number(-count, *at)),
            Bound::FromEnd(..) => self.in_array(bound, n, span),
            Bound::Value(value) => Ok(value.clone()),
        }
    }

    /// `a[i:j, k, ..]` with at least one slice.
    pub(super) fn slice(&mut self, array: ExprId, indices: &[IndexArg], span: Span) -> Result<Typed> {
        let array = self.expr(array)?;
        let positions = self.positions(indices)?;
        self.take(array, &positions, span)
    }
    /// An index of any integer type as one of type `i64`.
    pub(super) fn as_index(&self, (index, ty): Typed) -> Typed {
        match ty.atom() {
            Atom::Prim(prim) if *prim != PrimType::I64 && ty.shape().is_scalar() => {
                let span = index.span();
                let convert = Expr::op(Op::Convert(*prim), PrimType::I64, span);
                (call(convert, vec![index], span), Type::prim(PrimType::I64))
            }
            _ => (index, ty),
        }
    }
    /// A negative number that is no literal `-k` is out of bounds of every array, and so is a first element before all.
    pub(super) fn no_negative(&self, index: &Expr) -> Result<()> {
        match index.kind() {
            ExprKind::Lit(Scalar::I64(v)) if *v < 0 => Err(Error::new(Wrong::NegativeIndex, index.span()).into()),
            _ => Ok(()),
        }
    }
    fn take(&mut self, array: Typed, positions: &[Position], span: Span) -> Result<Typed> {
        let Some((first, rest)) = positions.split_first() else { return Ok(array) };
        match first {
            Position::At(index) => {
                let n = outer_dim(&array.1).ok_or_else(|| self.missing(span))?;
                let index = self.in_array(index, &n, span)?;
                let cell = self.index(array, index, span)?;
                let cell = self.open_row(cell);
                self.take(cell, rest, span)
            }
            Position::Slice { start, end, step } => {
                if rest.is_empty() {
                    return self.take_slice(array, (start, end, step), span);
                }
                let (array, rest) = self.inner_steps(array, rest, span)?;
                let sliced = self.take_slice(array, (start, end, step), span)?;
                self.map_rows(sliced, span, |elab, row| elab.take(row, &rest, span))
            }
        }
    }
    /// Takes slices with steps of inner dimensions: how long they are follows from a size that all rows share, so the rows of the result have
    /// one size, which is hidden outside of them. The positions of the inner dimensions that are left.
    fn inner_steps(&mut self, mut array: Typed, rest: &[Position], span: Span) -> Result<(Typed, Vec<Position>)> {
        let mut left = rest.to_vec();
        for (at, position) in rest.iter().enumerate() {
            let Position::Slice { start, end, step } = position else { continue };
            let regular = array.1.shape().items.iter().take_while(|item| matches!(item, ShapeItem::Dim(_))).count() > at + 1;
            if step.is_none() || reverses_all((start, end, step)) || !regular {
                continue;
            }
            let front = self.brought_to_front(array, at, span)?;
            let sliced = self.take_slice(front, (start, end, step), span)?;
            array = self.put_back(sliced, at, span)?;
            left[at] = Position::Slice { start: None, end: None, step: None };
        }
        Ok((array, left))
    }
    /// The array with the dimension below so many others, and the outermost one, as the outermost one.
    fn brought_to_front(&mut self, array: Typed, others: usize, span: Span) -> Result<Typed> {
        match others.checked_sub(1) {
            None => self.transposed(array, span),
            Some(others) => {
                let array = self.map_rows(array, span, |elab, row| elab.brought_to_front(row, others, span))?;
                self.transposed(array, span)
            }
        }
    }
    fn put_back(&mut self, array: Typed, others: usize, span: Span) -> Result<Typed> {
        let array = self.transposed(array, span)?;
        match others.checked_sub(1) {
            None => Ok(array),
            Some(others) => self.map_rows(array, span, |elab, row| elab.put_back(row, others, span)),
        }
    }
    fn transposed(&mut self, (array, ty): Typed, span: Span) -> Result<Typed> {
        let (Some(n), Some(m)) = (outer_dim(&ty), outer_dim(&cell_type(&ty, 1))) else { return Err(self.missing(span)) };
        let cell = cell_type(&ty, 2);
        let (atom, shape) = Self::split(&cell);
        let fun = prim_instance(Prim::Transpose, vec![atom], vec![Index::Dim(n.clone()), Index::Dim(m.clone()), Index::Shape(shape)], span);
        Ok((call(fun, vec![array], span), cell.framed(&Shape::dims([m, n]))))
    }
    /// Applies `body` to every row of an array.
    fn map_rows(&mut self, (array, ty): Typed, span: Span, body: impl FnOnce(&mut Self, Typed) -> Result<Typed>) -> Result<Typed> {
        let n = outer_dim(&ty).ok_or_else(|| self.missing(span))?;
        let cell = cell_type(&ty, 1);
        self.push_frame();
        let name = self.fresh_name(Symbol::new("row"));
        self.bind_param(name, &cell, span);
        let row = self.open_row((Expr::new(ExprKind::Var(name), span), cell));
        let (value, ty) = body(self, row)?;
        let (value, ty) = self.close_map(value, ty, span)?;
        let frame = frame_shape(&[n]);
        Ok((Expr::new(ExprKind::Map { frame: frame.clone(), args: vec![(name, array)], body: value }, span), ty.framed(&frame)))
    }
    fn take_slice(&mut self, (array, ty): Typed, (start, end, step): Bounds, span: Span) -> Result<Typed> {
        let n = outer_dim(&ty).ok_or_else(|| self.missing(span))?;
        let all_reversed = reverses_all((start, end, step));
        let start = start.as_ref().map(|start| self.bound(start, &n, step, span)).transpose()?;
        let end = end.as_ref().map(|end| self.bound(end, &n, step, span)).transpose()?;
        // Before the first element nothing begins.
        start.iter().try_for_each(|start| self.no_negative(start))?;
        let cell = cell_type(&ty, 1);
        let (atom, shape) = Self::split(&cell);
        let indices = vec![Index::Dim(n.clone()), Index::Shape(shape)];
        let reify = |d: &Dim| Expr::new(ExprKind::ReifyDim(d.clone()), span);
        let Some(step) = step else {
            let start = start.unwrap_or_else(|| number(0, span));
            let end = end.unwrap_or_else(|| reify(&n));
            self.no_negative(&end)?;
            let size = self.size_or_bind(&end).sub(&self.size_or_bind(&start));
            let fun = prim_instance(Prim::Slice, vec![atom], indices, span);
            let (start, end) = (self.sized(&start), self.sized(&end));
            return Ok((call(fun, vec![array, start, end], span), cell.framed(&Shape::dims([size]))));
        };
        // Without a bound a negative step starts at the last element and runs past the first.
        let negative = is_negative(step);
        if all_reversed {
            let fun = prim_instance(Prim::Reverse, vec![atom], indices, span);
            return Ok((call(fun, vec![array], span), ty));
        }
        let one = Dim::constant(1);
        let start = start.unwrap_or_else(|| if negative { reify(&n.sub(&one)) } else { number(0, span) });
        let end = end.unwrap_or_else(|| if negative { number(-1, span) } else { reify(&n) });
        let fun = prim_instance(Prim::SliceStep, vec![atom], indices, span);
        let k = self.sizes.bound_name();
        let inner = cell.framed(&Shape::dims([Dim::var(k)]));
        let boxed = Type::scalar(Atom::Sigma(vec![k], inner));
        Ok(self.open((call(fun, vec![array, start, end, step.clone()], span), boxed)))
    }
    /// An opaque size expression as the variable to which it was bound.
    pub(super) fn sized(&mut self, expr: &Expr) -> Expr {
        self.size_term(expr).1
    }

    /// `a with [i, j:k].x = v`, at the node `update`.
    pub(super) fn update(&mut self, update: ExprId, base: ExprId, path: &[Access], value: ExprId) -> Result<Typed> {
        let base = self.expr(base)?;
        let steps = path
            .iter()
            .map(|access| {
                Ok(match access {
                    Access::Field(field) => Step::Field(*field),
                    Access::Index(indices) => Step::Index(self.positions(indices)?),
                })
            })
            .collect::<Result<Vec<Step>>>()?;
        let value = self.expr(value)?;
        let new = New { value, spread: self.tables.spread(update) };
        self.updated(base, &steps, new, self.program.ast.exprs[update].span)
    }
    /// A value with another part.
    fn updated(&mut self, old: Typed, path: &[Step], new: New, span: Span) -> Result<Typed> {
        match path.split_first() {
            None => Ok(new.value),
            Some((Step::Field(field), rest)) => {
                let record = self.shared(old, "r");
                let part = self.project(record.clone(), field.name, span)?;
                let part = self.updated(part, rest, new, span)?;
                self.with_field(record, *field, part, span)
            }
            Some((Step::Index(positions), rest)) => self.put(old, positions, rest, new, span),
        }
    }
    /// A value with another part at positions of its dimensions and, there, at the end of a path.
    fn put(&mut self, array: Typed, positions: &[Position], path: &[Step], new: New, span: Span) -> Result<Typed> {
        let Some((first, rest)) = positions.split_first() else { return self.updated(array, path, new, span) };
        let last = rest.is_empty() && path.is_empty();
        let array = if last { array } else { self.shared(array, "a") };
        let n = outer_dim(&array.1).ok_or_else(|| self.missing(span))?;
        let cell = cell_type(&array.1, 1);
        let (atom, shape) = Self::split(&cell);
        match first {
            Position::At(index) => {
                let index = self.in_array(index, &n, span)?;
                let new = if last {
                    self.replicated(new)
                } else {
                    let old = self.index(array.clone(), index.clone(), span)?;
                    self.put_in_cell(old, rest, path, new, span)?
                };
                let new = self.as_row(&cell, new)?;
                self.unify_at(&cell, &new.1, new.0.span())?;
                let fun = prim_instance(Prim::Update, vec![atom], vec![Index::Dim(n), Index::Shape(shape)], span);
                Ok((call(fun, vec![array.0, index, new.0], span), array.1))
            }
            Position::Slice { start, end, step } => {
                let old = self.take_slice(array.clone(), (start, end, step), span)?;
                let k = outer_dim(&old.1).ok_or_else(|| self.missing(span))?;
                let old_ty = old.1.clone();
                let (value, ty) = match (rest.is_empty(), last) {
                    (_, true) => self.replicated(new),
                    (true, false) => self.updated(old, path, new, span)?,
                    (false, false) => self.put_rows(old, rest, path, new, span)?,
                };
                let (value, ty) = self.fitted(&old_ty, (value, ty), span)?;
                // The sizes of a slice and of what is put there agree at run time.
                let before = self.sizes.snapshot();
                let value = match self.sizes.unify(&old_ty, &ty, span).is_ok() {
                    true => value,
                    false => {
                        self.sizes.rollback(before);
                        self.sizes.unify_loosely(&old_ty, &ty, span);
                        self.unify_uncheckable(&old_ty, &ty, span)?;
                        Expr::new(ExprKind::Coerce { ty: old_ty, expr: value }, span)
                    }
                };
                let first = match start {
                    Some(start) => self.bound(start, &n, step, span)?,
                    None if steps_back(step) => Expr::new(ExprKind::ReifyDim(n.sub(&Dim::constant(1))), span),
                    None => number(0, span),
                };
                let step = step.clone().unwrap_or_else(|| number(1, span));
                let indices = vec![Index::Dim(n), Index::Dim(k), Index::Shape(shape)];
                let fun = prim_instance(Prim::UpdateSlice, vec![atom], indices, span);
                Ok((call(fun, vec![array.0, first, step, value], span), array.1))
            }
        }
    }
    /// A cell of an array with another part. A row of a ragged array is opened, and put in a box again.
    fn put_in_cell(&mut self, old: Typed, rest: &[Position], path: &[Step], new: New, span: Span) -> Result<Typed> {
        if !is_box(&old.1) {
            return self.put(old, rest, path, new, span);
        }
        let cell = old.1.clone();
        self.push_frame();
        let row = self.open_row(old);
        let row = self.put(row, rest, path, new, span)?;
        let (row, ty) = self.as_row(&cell, row)?;
        let bindings = self.pop_frame();
        Ok((wrap(bindings, row), ty))
    }
    /// The value of an update with the replications around it.
    fn replicated(&mut self, New { value, spread }: New) -> Typed {
        let span = value.0.span();
        if spread > 0 { self.replicate(value, spread, span) } else { value }
    }
    /// Updates every row of an array with the corresponding row of the values, or with all of a value that is replicated.
    fn put_rows(&mut self, rows: Typed, rest: &[Position], path: &[Step], new: New, span: Span) -> Result<Typed> {
        if let Some(spread) = new.spread.checked_sub(1) {
            let value = self.shared(new.value, "v");
            return self.map_rows(rows, span, |elab, row| elab.put(row, rest, path, New { value, spread }, span));
        }
        let ((rows, ty), (values, values_ty)) = (rows, new.value);
        let n = outer_dim(&ty).ok_or_else(|| self.missing(span))?;
        let own = outer_dim(&values_ty).ok_or_else(|| self.missing(span))?;
        self.sizes.unify_dim(&n, &own, span).map_err(|clash| self.clash(clash, span))?;
        self.push_frame();
        let row = self.fresh_name(Symbol::new("row"));
        let value = self.fresh_name(Symbol::new("new"));
        let value_cell = cell_type(&values_ty, 1);
        self.bind_param(value, &value_cell, span);
        let var = |name| Expr::new(ExprKind::Var(name), span);
        let new = New { value: self.open_row((var(value), value_cell)), spread: 0 };
        let old = self.open_row((var(row), cell_type(&ty, 1)));
        let (body, ty) = self.put(old, rest, path, new, span)?;
        let (body, ty) = self.close_map(body, ty, span)?;
        let frame = frame_shape(&[n]);
        let args = vec![(row, rows), (value, values)];
        Ok((Expr::new(ExprKind::Map { frame: frame.clone(), args, body }, span), ty.framed(&frame)))
    }
    /// Which indices count from the end, and from where.
    pub(super) fn ends(&self, indices: &[IndexArg]) -> Vec<Option<i64>> {
        indices
            .iter()
            .map(|index| if let IndexArg::Index(e) = index { view::distance_from_end(&self.program.ast, *e) } else { None })
            .collect()
    }
    /// `(.[i, j:k])`.
    pub(super) fn index_section(&mut self, e: ExprId, indices: &[IndexArg], span: Span) -> Result<Typed> {
        if let Some(info) = self.tables.apps.get(e).cloned() {
            let args: Vec<ExprId> = indices.iter().filter_map(|i| if let IndexArg::Index(e) = i { Some(*e) } else { None }).collect();
            let args = self.arguments(&args)?;
            let ends = self.ends(indices);
            return self.section_lambda(e, span, |elab, x| elab.apply_mapped(Head::Index { array: x, ends }, args, &info, span));
        }
        let positions = self.positions(indices)?;
        self.section_lambda(e, span, |elab, x| elab.take(x, &positions, span))
    }

    /// `a..b..<c`.
    pub(super) fn range(&mut self, start: ExprId, step: Option<ExprId>, kind: RangeKind, end: ExprId, span: Span) -> Result<Typed> {
        let (start, ty) = self.expr(start)?;
        let second = step.map(|s| self.expr(s)).transpose()?;
        let (end, _) = self.expr(end)?;
        let Atom::Prim(prim) = *ty.atom() else { return Err(self.missing(span)) };
        // `0..1..<n` is `0..<n`, of a size that is known.
        let one = |second: &Typed| Some(self.size_of(&second.0)?.sub(&self.size_of(&start)?).as_constant()? == 1);
        let second = second.filter(|second| one(second) != Some(true));
        if prim == PrimType::I64 && second.is_none() && kind != RangeKind::DownTo {
            let end = match kind {
                RangeKind::Through => {
                    let plus = Expr::op(Op::Add, PrimType::I64, span);
                    call(plus, vec![end, number(1, span)], span)
                }
                _ => end,
            };
            let (from, to) = (self.size_or_bind(&start), self.size_or_bind(&end));
            let (start, end) = (self.sized(&start), self.sized(&end));
            if from.as_constant() == Some(0) {
                let ty = Type::prim(prim).framed(&Shape::dims([to]));
                return Ok((call(prim_instance(Prim::Iota, vec![], vec![], span), vec![end], span), ty));
            }
            let ty = Type::prim(prim).framed(&Shape::dims([to.sub(&from)]));
            return Ok((call(prim_instance(Prim::Range, vec![], vec![], span), vec![start, end], span), ty));
        }
        // A step may be too large for a narrow type, `-100i8..100i8..<..`: such a range is made of wide numbers.
        let narrow = second.is_some() && prim.bytes() < 8;
        let (at, wide) = if narrow { (PrimType::I64, Type::prim(PrimType::I64)) } else { (prim, ty) };
        let widened = |value: Expr| if narrow { convert(PrimType::I64, prim, value, span) } else { value };
        let (start, end) = (widened(start), widened(end));
        let (start, _) = self.shared((start, wide), "a");
        let step = match second {
            Some((second, _)) => {
                let minus = Expr::op(Op::Sub, at, span);
                call(minus, vec![widened(second), start.clone()], span)
            }
            None if kind == RangeKind::DownTo => Expr::new(ExprKind::Lit(Scalar::from_i128(prim, -1)), span),
            None => Expr::new(ExprKind::Lit(Scalar::from_i128(prim, 1)), span),
        };
        let range = match kind {
            RangeKind::UpTo => Prim::RangeUpto,
            RangeKind::DownTo => Prim::RangeDownto,
            RangeKind::Through => Prim::RangeThrough,
        };
        let fun = prim_instance(range, vec![Atom::Prim(at)], vec![Index::Shape(Shape::default())], span);
        let k = self.sizes.bound_name();
        let boxed = Type::scalar(Atom::Sigma(vec![k], Type::prim(at).framed(&Shape::dims([Dim::var(k)]))));
        let numbers = self.open((call(fun, vec![start, step, end], span), boxed));
        if narrow {
            return self.map_rows(numbers, span, |_, (x, _)| Ok((convert(prim, PrimType::I64, x, span), Type::prim(prim))));
        }
        Ok(numbers)
    }
}

/// Whether a step is a negative number.
fn is_negative(step: &Expr) -> bool {
    matches!(step.kind(), ExprKind::Lit(Scalar::I64(step)) if *step < 0)
}

/// Whether a slice is `::-1`, which is as long as the array.
fn reverses_all((start, end, step): Bounds) -> bool {
    let back = |step: &Expr| matches!(step.kind(), ExprKind::Lit(Scalar::I64(-1)));
    start.is_none() && end.is_none() && step.as_ref().is_some_and(back)
}

fn steps_back(step: &Option<Expr>) -> bool {
    step.as_ref().is_some_and(is_negative)
}

/// A number converted to a type from another one.
fn convert(to: PrimType, from: PrimType, value: Expr, span: Span) -> Expr {
    call(Expr::op(Op::Convert(from), to, span), vec![value], span)
}
