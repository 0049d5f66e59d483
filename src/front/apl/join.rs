//! Arrays that are put together, and those of indices.

use super::build::{Build, MAX_LITERAL};
use super::error::{Axis, Error, IndexError, MixtureError, NestingError, RankError, Result, Role};
use super::machine::Machine;
use super::structure::{Place, written};
use super::value::{Arr, Kind, Val};
use crate::base::scalar::Op;
use crate::base::{PrimType, Scalar, Span};
use crate::ir::core::{Dim, ExprKind, Prim, Shape};
use std::rc::Rc;

const I: PrimType = PrimType::I64;

impl Machine {
    /// `left,right` along an axis; `laminate` makes a new axis there.
    pub fn catenated(&mut self, left: Val, right: Val, place: Place, span: Span) -> Result<Val> {
        let (a, b) = match (left, right) {
            (Val::Arr(a), Val::Arr(b)) => (a, b),
            (left, right) => {
                let mut items = self.items_of(left, span)?;
                items.extend(self.items_of(right, span)?);
                return self.strand(items);
            }
        };
        let joined = a.kind.join(b.kind);
        let empty = |arr: &Arr| arr.count() == Some(0) && arr.rank() == 1;
        let (a, b) = match joined {
            Some(_) if a.levels[1..] == b.levels[1..] && a.cell() == b.cell() => (a, b),
            _ if empty(&a) && a.is_simple() && b.rank() == 1 => return Ok(Val::Arr(b)),
            _ if empty(&b) && b.is_simple() && a.rank() == 1 => return Ok(Val::Arr(a)),
            _ => {
                let mut items = self.items_of(Val::Arr(a), span)?;
                items.extend(self.items_of(Val::Arr(b), span)?);
                return self.strand(items);
            }
        };
        let kind = joined.expect("looked at");
        let (a, b) = (self.b.convert(&a, kind)?, self.b.convert(&b, kind)?);
        self.joined_arrays(kind, a, b, place, span).map(Val::Arr)
    }

    fn items_of(&mut self, val: Val, span: Span) -> Result<Vec<Val>> {
        match &val {
            Val::Tup(items) => Ok(items.to_vec()),
            Val::Rag(_) => Err(Error::at(span, NestingError::RowsBeside(val.shown()))),
            Val::Arr(arr) => {
                let count = match arr.outer() {
                    [] => Some(1),
                    [n] => n.as_constant(),
                    _ => None,
                };
                let Some(count) = count.filter(|count| *count <= MAX_LITERAL as i64) else {
                    return Err(Error::at(span, MixtureError::Joined { found: arr.shown() }));
                };
                (0..count as usize).map(|at| self.item(&val, at, span)).collect()
            }
        }
    }

    fn joined_arrays(&mut self, kind: Kind, a: Arr, b: Arr, place: Place, span: Span) -> Result<Arr> {
        let rank = a.rank().max(b.rank());
        let (axis, laminate) = match place {
            Place::Last => (rank.max(1) - 1, false),
            Place::First => (0, false),
            Place::Axis(axis) => (axis, false),
            Place::Before(axis) => (axis, true),
        };
        if axis >= if laminate { rank + 1 } else { rank.max(1) } {
            let counted = axis as i64 + self.origin;
            let axis = if laminate { Axis::Before(counted) } else { Axis::At(counted) };
            return Err(Error::at(span, IndexError::NoAxis { axis, rank: Some(rank) }));
        }
        if a.rank().abs_diff(b.rank()) > 1 && a.rank() > 0 && b.rank() > 0
            || laminate && a.rank() != b.rank() && a.rank() > 0 && b.rank() > 0
        {
            return Err(Error::at(span, RankError::Joined { left: a.outer_origin(), right: b.outer_origin() }));
        }
        let known = self.known_joined(&a, &b, rank, laminate);
        let longer = if a.rank() >= b.rank() { a.outer().to_vec() } else { b.outer().to_vec() };
        let a = self.fit(a, &longer, axis, laminate, span)?;
        let b = self.fit(b, &longer, axis, laminate, span)?;
        let mut wanted = a.shape.clone();
        wanted[axis] = b.shape[axis].clone();
        let b = self.coerced(b, &wanted, span)?;
        let (n, m) = (a.shape[axis].clone(), b.shape[axis].clone());
        let mut shape = a.shape.clone();
        shape[axis] = written(n.checked_add(&m, 1), span)?;
        let cell = a.shape[axis + 1..].to_vec();
        if let (1, Some(x), Some(y)) = (a.shape.len(), a.lits(), b.lits()) {
            let items: Vec<Scalar> = x.iter().chain(y.iter()).copied().collect();
            return Ok(self.b.literal(kind, &[items.len() as u64], items));
        }
        let made = self.b.map(&a.shape[..axis], vec![a.expr.clone(), b.expr.clone()], |build, cells| {
            Ok(build.prim(Prim::Concat, kind, &[n, m], &cell, cells))
        })?;
        let mut out = self.b.named(kind, shape, made).levelled(a.levels.clone());
        out.known = known;
        Ok(out)
    }

    fn known_joined(&mut self, a: &Arr, b: &Arr, rank: usize, laminate: bool) -> Option<Rc<Vec<Dim>>> {
        if rank > 1 || laminate || !a.is_simple() || !b.is_simple() {
            return None;
        }
        // An empty vector of any kind adds nothing.
        let of = |arr: &Arr| if arr.count() == Some(0) { Some(Vec::new()) } else { arr.known.as_ref().map(|known| known.to_vec()) };
        let mut all = of(a)?;
        all.extend(of(b)?);
        (all.len() <= MAX_LITERAL).then(|| Rc::new(all))
    }

    /// An array as a part of a longer one: scalars are repeated, missing axes have length 1.
    fn fit(&mut self, arr: Arr, longer: &[Dim], axis: usize, laminate: bool, span: Span) -> Result<Arr> {
        let mut outer = longer.to_vec();
        if laminate {
            outer.insert(axis, Dim::constant(1));
        } else if outer.is_empty() {
            outer.push(Dim::constant(1));
        } else if arr.rank() < outer.len() {
            outer[axis] = Dim::constant(1);
        } else {
            return Ok(arr);
        }
        if arr.rank() == 0 {
            let cell = arr.cell().to_vec();
            if let (Some(lit), [one], true) = (arr.lits(), outer.as_slice(), arr.is_simple())
                && one.as_constant() == Some(1)
            {
                return Ok(self.b.literal(arr.kind, &[1], lit.to_vec()));
            }
            let made = self.b.node(ExprKind::Rep { frame: Shape::dims(outer.iter().cloned()), arg: arr.expr.clone() });
            let levels = Arr::with_outer(outer.len(), &arr.inner_levels());
            let shape = outer.into_iter().chain(cell).collect();
            let mut out = self.b.named(arr.kind, shape, made).levelled(levels);
            out.known = arr.known.clone().filter(|_| out.shape.len() == 1);
            return Ok(out);
        }
        // A unit axis is put in.
        let mut own = arr.outer().to_vec();
        own.insert(axis, Dim::constant(1));
        let _ = span;
        let row = self.ravelled(&arr)?;
        self.shaped(&row, &own)
    }

    /// The index of the elements of a range, as a vector; for several sizes an array of vectors.
    pub fn indices(&mut self, val: Val, span: Span) -> Result<Val> {
        let single = matches!(&val, Val::Arr(arr) if arr.shape.is_empty());
        let sizes = self.sizes(val, span, Role::Argument('⍳'))?;
        if let Some(negative) = sizes.iter().filter_map(Dim::as_constant).find(|size| *size < 0) {
            return Err(Error::at(span, IndexError::Negative(negative)));
        }
        let origin = self.origin;
        if single || sizes.len() == 1 {
            let size = sizes[0].clone();
            if let Some(n) = size.as_constant().filter(|n| *n <= 16) {
                let items = (0..n).map(|at| Scalar::I64(at + origin)).collect();
                return Ok(Val::Arr(self.b.literal(Kind::Int, &[n as u64], items)));
            }
            let made = if origin == 0 {
                self.b.iota(&size)
            } else {
                let numbers = self.b.iota(&size);
                self.b.map(std::slice::from_ref(&size), vec![numbers], |b, at| Ok(b.op2(Op::Add, I, at[0].clone(), b.int(origin))))?
            };
            return Ok(Val::Arr(self.b.named(Kind::Int, vec![size], made)));
        }
        let count = sizes.len();
        let made = self.b.tabulate(&sizes, &mut |b, at| {
            let cells = at.iter().map(|at| b.op2(Op::Add, I, at.clone(), b.int(origin))).collect();
            Ok(b.node(ExprKind::Frame { dims: vec![count as u64], cell: Build::ty(Kind::Int, &[]), cells }))
        })?;
        let shape = sizes.iter().cloned().chain([Dim::constant(count as i64)]).collect();
        Ok(Val::Arr(self.b.named(Kind::Int, shape, made).levelled(vec![count, 1])))
    }
}
