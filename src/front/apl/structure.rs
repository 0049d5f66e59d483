//! Structural functions: shapes, parts and orders of arrays. Each works on the axes of the outermost level; what is nested goes along.

use super::build::{Build, MAX_LITERAL, SizeKey};
use super::error::{Axis, Constant, Error, IndexError, KindError, LengthError, LimitError, RankError, Result, Role, StaticError, Wanted};
use super::machine::Machine;
use super::value::{Arr, Kind, Val, shape_shown};
use crate::base::scalar::Op;
use crate::base::{MAX_SIZE, PrimType, Scalar, Span};
use crate::ir::core::{Dim, Expr, ExprKind, Prim, Shape};
use std::rc::Rc;

const I: PrimType = PrimType::I64;

/// A row along an axis: its length and what follows that in its shape.
pub struct Row {
    /// The row.
    pub expr: Expr,
    /// Its length.
    pub len: Dim,
    /// The shape of its cells.
    pub cell: Vec<Dim>,
}

impl Arr {
    /// The cells of a scalar level.
    pub fn levelled_inner(self) -> Arr {
        let levels = self.inner_levels();
        if self.levels[0] == 0 && !self.is_simple() { self.levelled(levels) } else { self }
    }
    /// Elements from the first on, as they lie.
    pub fn lits(&self) -> Option<Rc<Vec<Scalar>>> {
        self.lit.clone().filter(|lit| lit.len() <= MAX_LITERAL)
    }
}

/// The product of sizes.
pub fn product(dims: &[Dim], span: Span) -> Result<Dim> {
    let made = dims.iter().try_fold(Dim::constant(1), |product, dim| product.checked_mul(dim));
    written(made, span)
}

/// A size that is not too large to be written.
pub fn written(dim: Option<Dim>, span: Span) -> Result<Dim> {
    let fits = |dim: &Dim| {
        let (terms, degree) = dim.extent();
        terms <= 32 && degree <= 12 && dim.as_constant().is_none_or(|size| size <= MAX_SIZE)
    };
    match dim.filter(fits) {
        Some(dim) => Ok(dim),
        None => Err(Error::at(span, LimitError::Size)),
    }
}

/// The most axes of an array of APL.
pub const APL_MAX_RANK: usize = 15;

impl Machine {
    /// A cell of the outermost axis.
    pub fn cell_at(&mut self, arr: &Arr, index: &[Expr]) -> Result<Arr> {
        let made = self.b.index(arr.kind, &arr.shape, arr.expr.clone(), index);
        let shape = arr.shape[index.len()..].to_vec();
        let mut levels = arr.levels.clone();
        levels[0] -= index.len();
        let mut out = self.b.named(arr.kind, shape, made).levelled(levels).levelled_inner();
        let constant = |e: &Expr| if let ExprKind::Lit(Scalar::I64(at)) = e.kind() { Some(*at) } else { None };
        if let ([at], [_]) = (index, arr.shape.as_slice())
            && let Some(at) = constant(at)
        {
            out.known = arr.known.as_ref().and_then(|known| known.get(at as usize)).map(|dim| Rc::new(vec![dim.clone()])).or(out.known);
            if let Some(item) = arr.lit.as_ref().and_then(|lit| lit.get(at as usize)) {
                out = self.b.literal(arr.kind, &[], vec![*item]);
            }
        }
        Ok(out)
    }
    /// The first element of all, as a scalar.
    pub fn first_element(&mut self, arr: Arr) -> Arr {
        if arr.shape.is_empty() {
            return arr;
        }
        if let Some(lit) = arr.lit.as_ref().filter(|lit| !lit.is_empty()) {
            return self.b.literal(arr.kind, &[], vec![lit[0]]);
        }
        let zeros: Vec<Expr> = arr.shape.iter().map(|_| self.b.int(0)).collect();
        let made = self.b.index(arr.kind, &arr.shape, arr.expr.clone(), &zeros);
        let mut out = self.b.named(arr.kind, Vec::new(), made);
        if let Some(known) = arr.known.as_ref().filter(|known| known.len() == 1) {
            out.known = Some(known.clone());
        }
        out
    }
    /// Does something with each row along an axis of the outermost level; `len` is the new length.
    pub fn along(&mut self, arr: &Arr, axis: usize, len: Dim, body: &mut dyn FnMut(&mut Build, Row) -> Result<Expr>) -> Result<Arr> {
        let (before, row, cell) = (&arr.shape[..axis], &arr.shape[axis], &arr.shape[axis + 1..]);
        let made = self.b.map(before, vec![arr.expr.clone()], |build, cells| {
            body(build, Row { expr: cells[0].clone(), len: row.clone(), cell: cell.to_vec() })
        })?;
        let mut shape = arr.shape.clone();
        shape[axis] = len;
        Ok(self.b.named(arr.kind, shape, made).levelled(arr.levels.clone()))
    }

    /// All elements in a row.
    pub fn ravelled(&mut self, arr: &Arr) -> Result<Arr> {
        let rank = arr.rank();
        let levels = Arr::with_outer(1, &arr.inner_levels());
        let cell = arr.cell().to_vec();
        if rank == 0 {
            let made = self.b.node(ExprKind::Rep { frame: Shape::dims([Dim::constant(1)]), arg: arr.expr.clone() });
            let shape: Vec<Dim> = std::iter::once(Dim::constant(1)).chain(cell).collect();
            let mut out = match arr.lits().filter(|_| arr.is_simple()) {
                Some(lit) => self.b.literal(arr.kind, &[1], lit.to_vec()),
                None => self.b.named(arr.kind, shape, made),
            };
            out.known = arr.known.clone().filter(|_| arr.is_simple());
            return Ok(out.levelled(levels));
        }
        if rank == 1 {
            return Ok(arr.clone());
        }
        let outer = arr.outer().to_vec();
        let shape: Vec<Dim> = std::iter::once(product(&outer, self.b.at)?).chain(cell.iter().cloned()).collect();
        if let (Some(lit), true) = (arr.lits(), arr.is_simple()) {
            return Ok(self.b.literal(arr.kind, &[lit.len() as u64], lit.to_vec()));
        }
        let mut expr = arr.expr.clone();
        let mut first = outer[0].clone();
        for at in 1..rank {
            let rest: Vec<Dim> = outer[at + 1..].iter().chain(&cell).cloned().collect();
            expr = self.b.prim(Prim::Flatten, arr.kind, &[first.clone(), outer[at].clone()], &rest, vec![expr]);
            first = first.mul(&outer[at]);
        }
        Ok(self.b.named(arr.kind, shape, expr).levelled(levels))
    }
    /// A row of as many cells as the sizes say, in that shape.
    pub fn shaped(&mut self, row: &Arr, sizes: &[Dim]) -> Result<Arr> {
        let cell = row.cell().to_vec();
        let levels = Arr::with_outer(sizes.len(), &row.inner_levels());
        let shape: Vec<Dim> = sizes.iter().chain(&cell).cloned().collect();
        if let (Some(lit), Some(dims)) = (row.lits(), shape.iter().map(Dim::as_constant).collect::<Option<Vec<_>>>()) {
            let dims: Vec<u64> = dims.into_iter().map(|dim| dim as u64).collect();
            return Ok(self.b.literal(row.kind, &dims, lit.to_vec()).levelled(levels));
        }
        let mut expr = row.expr.clone();
        if sizes.is_empty() {
            expr = self.b.index(row.kind, &row.shape, expr, &[self.b.int(0)]);
        }
        for at in (1..sizes.len()).rev() {
            let rest: Vec<Dim> = sizes[at + 1..].iter().chain(&cell).cloned().collect();
            expr = self.b.prim(Prim::Unflatten, row.kind, &[product(&sizes[..at], self.b.at)?, sizes[at].clone()], &rest, vec![expr]);
        }
        Ok(self.b.named(row.kind, shape, expr).levelled(levels))
    }

    /// `sizes⍴arr`.
    pub fn reshaped(&mut self, sizes: &[Dim], arr: &Arr, span: Span) -> Result<Arr> {
        if let Some(negative) = sizes.iter().filter_map(Dim::as_constant).find(|size| *size < 0) {
            return Err(Error::at(span, IndexError::Negative(negative)));
        }
        let row = self.ravelled(arr)?;
        let (have, want) = (row.shape[0].clone(), product(sizes, span)?);
        if have == want {
            return self.shaped(&row, sizes);
        }
        let cell = row.cell().to_vec();
        let levels = Arr::with_outer(1, &row.inner_levels());
        if let (Some(lit), Some(n), true) = (row.lits(), want.as_constant(), row.is_simple())
            && n <= MAX_LITERAL as i64
        {
            let fill = row.kind.fill();
            let items = (0..n as usize).map(|at| if lit.is_empty() { fill } else { lit[at % lit.len()] }).collect();
            let longer = self.b.literal(row.kind, &[n as u64], items);
            return self.shaped(&longer, sizes);
        }
        if have.as_constant() == Some(1) {
            let one = self.b.index(row.kind, &row.shape, row.expr.clone(), &[self.b.int(0)]);
            let one = self.b.bind(one);
            let made = self.b.node(ExprKind::Rep { frame: Shape::dims(sizes.iter().cloned()), arg: one });
            let shape = sizes.iter().chain(&cell).cloned().collect();
            let mut out = self.b.named(row.kind, shape, made).levelled(Arr::with_outer(sizes.len(), &row.inner_levels()));
            out.same = row.constant_int();
            return Ok(out);
        }
        let kind = row.kind;
        let fewer = matches!((have.as_constant(), want.as_constant()), (Some(h), Some(w)) if w <= h);
        let longer = if fewer {
            let (from, to) = (self.b.int(0), self.b.size(&want));
            self.b.prim(Prim::Slice, kind, std::slice::from_ref(&have), &cell, vec![row.expr.clone(), from, to])
        } else {
            let count = self.b.size(&have);
            let count = self.b.bind(count);
            let expr = row.expr.clone();
            let shape = row.shape.clone();
            self.b.tabulate(std::slice::from_ref(&want), &mut |b, at| {
                let empty = b.op2(Op::Eq, I, count.clone(), b.int(0));
                let divisor = b.choose(empty.clone(), b.int(1), count.clone());
                let source = b.op2(Op::Mod, I, at[0].clone(), divisor);
                let found = b.index(kind, &shape, expr.clone(), &[source]);
                Ok(if have.as_constant().is_some_and(|n| n > 0) {
                    found
                } else {
                    let fill = filled(b, kind, &cell);
                    b.choose(empty, fill, found)
                })
            })?
        };
        let shape: Vec<Dim> = std::iter::once(want).chain(row.cell().iter().cloned()).collect();
        let longer = self.b.named(kind, shape, longer).levelled(levels);
        self.shaped(&longer, sizes)
    }

    /// A short vector of whole numbers as sizes: constants, sizes, or what was computed.
    pub fn sizes(&mut self, val: Val, span: Span, role: Role) -> Result<Vec<Dim>> {
        let arr = val.simple(span, role)?;
        let arr = self.whole(arr, span, role)?;
        let count = match arr.shape.as_slice() {
            [] => 1,
            [n] => match n.as_constant() {
                Some(n) => n,
                None => return Err(Error::at(span, StaticError::Length { role, found: arr.shown(), most: None })),
            },
            _ => return Err(Error::at(span, RankError::Takes { role, wanted: Wanted::Vector, found: arr.shown() })),
        };
        if count > APL_MAX_RANK as i64 {
            return Err(Error::at(span, LimitError::Axes { most: APL_MAX_RANK }));
        }
        if let Some(known) = &arr.known {
            if let Some(size) = known.iter().filter_map(Dim::as_constant).find(|size| *size > MAX_SIZE) {
                return Err(Error::at(span, IndexError::TooLarge { role, size }));
            }
            return Ok(known.to_vec());
        }
        let mut out = Vec::new();
        for at in 0..count {
            let number = match arr.shape.len() {
                0 => arr.expr.clone(),
                _ => {
                    let index = self.b.int(at);
                    self.b.index(arr.kind, &arr.shape, arr.expr.clone(), &[index])
                }
            };
            let number = self.b.bind(number);
            out.push(self.b.size_of(number));
        }
        Ok(out)
    }
    /// Whole numbers; doubles that are constants and whole will do.
    pub fn whole(&mut self, arr: Arr, span: Span, role: Role) -> Result<Arr> {
        match (arr.kind, arr.constant_ints()) {
            (Kind::Int, _) => Ok(arr),
            (Kind::Bool, _) => self.b.convert(&arr, Kind::Int),
            (Kind::Double, Some(ints)) => {
                let items = ints.into_iter().map(Scalar::I64).collect();
                Ok(self.literal_like(Kind::Int, &arr, items))
            }
            (Kind::Char, _) if arr.count() == Some(0) => Ok(self.literal_like(Kind::Int, &arr, Vec::new())),
            (kind, _) => Err(Error::at(span, KindError::NotWhole { role, kind })),
        }
    }
    /// The axis that a bracket names, or else the last or the first one of an array that is no scalar, counted from 0.
    pub fn axis_or_end(&mut self, axis: Option<&Val>, rank: usize, last: bool, span: Span) -> Result<usize> {
        match axis {
            Some(axis) => self.axis_number(axis, rank, span),
            None => Ok(if last { rank - 1 } else { 0 }),
        }
    }
    /// The axis that a bracket names, counted from 0.
    pub fn axis_number(&mut self, axis: &Val, rank: usize, span: Span) -> Result<usize> {
        let number = match axis {
            Val::Arr(arr) => arr.constant_int(),
            Val::Tup(_) | Val::Rag(_) => None,
        };
        match number {
            Some(n) if (self.origin..self.origin + rank as i64).contains(&n) => Ok((n - self.origin) as usize),
            Some(n) => Err(Error::at(span, IndexError::NoAxis { axis: Axis::At(n), rank: Some(rank) })),
            None => Err(Error::at(span, Constant::Axis { between: false })),
        }
    }

    /// `⌽` and `⊖`.
    pub fn reversed(&mut self, arr: &Arr, axis: usize) -> Result<Arr> {
        let kind = arr.kind;
        let len = arr.shape[axis].clone();
        let mut out = self.along(arr, axis, len, &mut |b, row| Ok(b.prim(Prim::Reverse, kind, &[row.len], &row.cell, vec![row.expr])))?;
        if arr.shape.len() == 1 {
            out.known = arr.known.as_ref().map(|known| Rc::new(known.iter().rev().cloned().collect()));
            if let Some(lit) = arr.lits() {
                return Ok(self.b.literal(kind, &[lit.len() as u64], lit.iter().rev().copied().collect()));
            }
        }
        Ok(out)
    }
    /// `n⌽arr`, with a number for all rows or one for each.
    pub fn rotated(&mut self, by: Arr, arr: &Arr, axis: usize, span: Span) -> Result<Arr> {
        let by = self.whole(by, span, Role::RotationBy)?;
        let by = if by.count() == Some(1) && arr.rank() <= 1 { self.first_element(by) } else { by };
        let kind = arr.kind;
        let len = arr.shape[axis].clone();
        if by.shape.is_empty() {
            let by = by.expr;
            return self
                .along(arr, axis, len, &mut |b, row| Ok(b.prim(Prim::Rotate, kind, &[row.len], &row.cell, vec![by.clone(), row.expr])));
        }
        let mut others = arr.outer().to_vec();
        others.remove(axis);
        if by.shape.len() != others.len() {
            return Err(Error::at(span, RankError::Rotation { by: by.shape, array: arr.outer().to_vec() }));
        }
        let by = self.coerced(by, &others, span)?;
        let (expr, shape) = (arr.expr.clone(), arr.shape.clone());
        let made = self.b.tabulate(arr.outer(), &mut |b, at| {
            let mut rest = at.to_vec();
            rest.remove(axis);
            let shift = b.index(Kind::Int, &others, by.expr.clone(), &rest);
            let moved = b.op2(Op::Add, I, at[axis].clone(), shift);
            let size = b.size(&shape[axis]);
            let source = b.op2(Op::Mod, I, moved, size);
            let mut index = at.to_vec();
            index[axis] = source;
            Ok(b.index(kind, &shape, expr.clone(), &index))
        })?;
        Ok(self.b.named(kind, arr.shape.clone(), made).levelled(arr.levels.clone()))
    }
    /// An array whose shape is checked to be this one.
    pub fn coerced(&mut self, arr: Arr, shape: &[Dim], span: Span) -> Result<Arr> {
        if arr.shape == shape {
            return Ok(arr);
        }
        for (x, y) in arr.shape.iter().zip(shape) {
            if x.never_equal(y) {
                return Err(Error::at(span, LengthError::Needed { wanted: shape.to_vec(), found: arr.origin() }));
            }
        }
        let shown = format!("checked at run time: {} is {}", shape_shown(&arr.shape), shape_shown(shape));
        self.note(span, || shown);
        let made = self.b.node(ExprKind::Coerce { ty: Build::ty(arr.kind, shape), expr: arr.expr.clone() });
        Ok(self.b.named(arr.kind, shape.to_vec(), made).levelled(arr.levels))
    }

    /// `⍉`: the axes in another order; axes that get the same number are taken together.
    pub fn transposed(&mut self, order: &[usize], arr: &Arr) -> Result<Arr> {
        let rank = arr.rank();
        let axes = order.iter().copied().max().map_or(0, |most| most + 1);
        let cell = arr.cell().to_vec();
        let kind = arr.kind;
        if rank < 2 {
            return Ok(arr.clone());
        }
        if order == [1, 0] {
            let sizes = [arr.shape[0].clone(), arr.shape[1].clone()];
            let made = self.b.prim(Prim::Transpose, kind, &sizes, &cell, vec![arr.expr.clone()]);
            let [n, m] = sizes;
            let shape = [m, n].into_iter().chain(cell).collect();
            return Ok(self.b.named(kind, shape, made).levelled(arr.levels.clone()));
        }
        let mut outer = Vec::new();
        for axis in 0..axes {
            let sources: Vec<Dim> = (0..rank).filter(|at| order[*at] == axis).map(|at| arr.shape[at].clone()).collect();
            let mut size = sources[0].clone();
            for other in &sources[1..] {
                size = match (size.as_constant(), other.as_constant()) {
                    (Some(a), Some(b)) => Dim::constant(a.min(b)),
                    _ if size == *other => size,
                    _ => {
                        let other = other.clone();
                        self.b.memo(SizeKey::Min(size.clone(), other.clone()), |b| {
                            let (x, y) = (b.size(&size), b.size(&other));
                            let made = b.op2(Op::Min, I, x, y);
                            b.bind(made)
                        })
                    }
                };
            }
            outer.push(size);
        }
        let (expr, shape) = (arr.expr.clone(), arr.shape.clone());
        let made = self.b.tabulate(&outer, &mut |b, at| {
            let index: Vec<Expr> = order.iter().map(|axis| at[*axis].clone()).collect();
            Ok(b.index(kind, &shape, expr.clone(), &index))
        })?;
        let levels = Arr::with_outer(axes, &arr.inner_levels());
        let shape = outer.into_iter().chain(cell).collect();
        Ok(self.b.named(kind, shape, made).levelled(levels))
    }
}

/// Where arrays are put together.
#[derive(Clone, Copy)]
pub enum Place {
    /// Along the last axis.
    Last,
    /// Along the first.
    First,
    /// Along this one.
    Axis(usize),
    /// Along a new one in front of this one.
    Before(usize),
}

/// A cell of fill elements.
pub fn filled(b: &Build, kind: Kind, cell: &[Dim]) -> Expr {
    let fill = b.lit(kind.fill());
    if cell.is_empty() { fill } else { b.node(ExprKind::Rep { frame: Shape::dims(cell.iter().cloned()), arg: fill }) }
}

/// Whether a size cannot be negative by its form.
pub fn is_natural(dim: &Dim) -> bool {
    use crate::ir::core::DimAtom;
    dim.terms().all(|(atoms, coefficient)| coefficient >= 0 && atoms.iter().all(|atom| matches!(atom, DimAtom::Var(_))))
}
