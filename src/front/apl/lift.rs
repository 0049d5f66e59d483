//! How scalar functions go through arrays: agreement of shapes, levels of nesting, constants.

use super::build::{Build, MAX_LITERAL};
use super::error::{Agreement, Axis, Constant, Error, IndexError, LengthError, MixtureError, RankError, Result, Role};
use super::machine::Machine;
use super::scalar::{Dyad, Monad, circle, dyad, monad};
use super::value::{Arr, Kind, Val, shape_shown};
use crate::base::scalar::convert;
use crate::base::{Scalar, Span};
use crate::ir::core::{Dim, Expr, ExprKind};
use std::rc::Rc;

impl Machine {
    /// A scalar function of one argument through a value.
    pub fn pervade1(&mut self, glyph: char, val: Val, span: Span) -> Result<Val> {
        self.through(val, &|kind| monad(glyph, kind, span))
    }

    fn through(&mut self, val: Val, spec: &dyn Fn(Kind) -> Result<Monad>) -> Result<Val> {
        match val {
            Val::Tup(items) => {
                let items = items.iter().map(|item| self.through(item.clone(), spec)).collect::<Result<Vec<_>>>()?;
                self.strand(items)
            }
            Val::Rag(rag) => {
                let spec = spec(rag.data.kind)?;
                let data = self.lift1(rag.data.clone(), &spec)?;
                Ok(rag.with_data(data))
            }
            Val::Arr(arr) => {
                let spec = spec(arr.kind)?;
                self.lift1(arr, &spec).map(Val::Arr)
            }
        }
    }

    fn lift1(&mut self, arr: Arr, spec: &Monad) -> Result<Arr> {
        if let Some(items) = arr.lit.clone().filter(|items| items.len() <= MAX_LITERAL && !items.is_empty()) {
            let made: Option<Vec<Scalar>> = items
                .iter()
                .map(|item| {
                    self.folded(&|b| {
                        let x = b.lit(convert(spec.operand.prim(), *item));
                        (spec.body)(b, x)
                    })
                })
                .collect();
            if let Some(made) = made {
                return Ok(self.literal_like(spec.result, &arr, made));
            }
        }
        let from = arr.kind;
        let made = self.b.map(&arr.shape, vec![arr.expr.clone()], |b, cells| {
            let x = b.converted(from, spec.operand, cells[0].clone());
            let x = b.bind(x);
            Ok((spec.body)(b, x))
        })?;
        Ok(self.b.named(spec.result, arr.shape.clone(), made).levelled(arr.levels.clone()))
    }

    /// The literal that an expression comes to.
    fn folded(&mut self, make: &dyn Fn(&mut Build) -> Expr) -> Option<Scalar> {
        self.b.open();
        let made = make(&mut self.b);
        let made = self.b.close(made);
        if let ExprKind::Lit(value) = made.kind() { Some(*value) } else { None }
    }

    /// Constants in the shape of an array.
    pub fn literal_like(&mut self, kind: Kind, arr: &Arr, items: Vec<Scalar>) -> Arr {
        let dims: Vec<u64> = arr.shape.iter().map(|dim| dim.as_constant().unwrap_or(0) as u64).collect();
        self.b.literal(kind, &dims, items).levelled(arr.levels.clone())
    }

    /// A scalar function of two arguments through values.
    pub fn pervade2(&mut self, glyph: char, left: Val, right: Val, span: Span) -> Result<Val> {
        if glyph == '○' {
            return self.circles(left, right, span);
        }
        match (left, right) {
            (Val::Arr(a), Val::Arr(b)) => {
                let exponent = b.lit.as_ref().filter(|_| b.kind <= Kind::Int).and_then(|lit| lit.iter().filter_map(|x| x.as_i128()).min());
                // A constant power that 64 bits do not hold is a float.
                let exponent = exponent.map(|e| e as i64).filter(|_| glyph != '*' || !overflows(&a, &b));
                let spec = dyad(glyph, a.kind, b.kind, exponent, span)?;
                let known = known(glyph, &a, &b);
                let mut out = self.lift2(a, b, &spec, span)?;
                if out.known.is_none() || out.lit.is_none() && known.is_some() {
                    out.known = known.filter(|_| out.kind == Kind::Int).or(out.known);
                }
                Ok(Val::Arr(out))
            }
            (Val::Rag(rag), Val::Arr(b)) if b.rank() == 0 && b.is_simple() => {
                let data = self.pervade2(glyph, Val::Arr(rag.data.clone()), Val::Arr(b), span)?.arr(span, Role::Row)?;
                Ok(rag.with_data(data))
            }
            (Val::Arr(a), Val::Rag(rag)) if a.rank() == 0 && a.is_simple() => {
                let data = self.pervade2(glyph, Val::Arr(a), Val::Arr(rag.data.clone()), span)?.arr(span, Role::Row)?;
                Ok(rag.with_data(data))
            }
            (left @ Val::Rag(_), right) | (left, right @ Val::Rag(_)) => {
                let f = super::functions::Func::prim(glyph, span);
                self.each_of_rows(&f, Some(left), right, span)
            }
            (left, right) => self.itemwise(left, right, span, &mut |m, l, r| m.pervade2(glyph, l, r, span)),
        }
    }

    /// A scalar function with axes: those of the array of the larger rank that go with the axes of the other one.
    pub fn pervade_along(&mut self, glyph: char, axes: &Val, left: Val, right: Val, span: Span) -> Result<Val> {
        let (left, right) = (left.arr(span, Role::Left(glyph))?, right.arr(span, Role::Right(glyph))?);
        let swapped = left.rank() < right.rank();
        let (large, small) = if swapped { (right, left) } else { (left, right) };
        let rank = large.rank();
        let named = match axes {
            Val::Arr(arr) => arr.constant_ints(),
            Val::Tup(_) | Val::Rag(_) => None,
        };
        let Some(named) = named else { return Err(Error::at(span, Constant::Axis { between: false })) };
        let mut order = vec![None; rank];
        for (at, number) in named.iter().enumerate() {
            let axis = usize::try_from(number - self.origin).ok().filter(|axis| *axis < rank);
            match axis {
                None => return Err(Error::at(span, IndexError::NoAxis { axis: Axis::At(*number), rank: Some(rank) })),
                Some(axis) if order[axis].is_some() => return Err(Error::at(span, IndexError::AxisOrder { order: named, rank })),
                Some(axis) => order[axis] = Some(at),
            }
        }
        if named.len() != small.rank() {
            return Err(Error::at(span, RankError::Along { axes: named.len(), found: small.shown() }));
        }
        let mut next = named.len()..;
        let order: Vec<usize> = order.into_iter().filter_map(|at| at.or_else(|| next.next())).collect();
        let mut back = vec![0; rank];
        order.iter().enumerate().for_each(|(axis, at)| back[*at] = axis);
        let moved = Val::Arr(self.transposed(&order, &large)?);
        let (left, right) = if swapped { (Val::Arr(small), moved) } else { (moved, Val::Arr(small)) };
        let made = self.pervade2(glyph, left, right, span)?.arr(span, Role::Of(glyph))?;
        self.transposed(&back, &made).map(Val::Arr)
    }

    /// Applies something to the items of two values, one of which at least is a tuple.
    pub fn itemwise(
        &mut self,
        left: Val,
        right: Val,
        span: Span,
        apply: &mut dyn FnMut(&mut Machine, Val, Val) -> Result<Val>,
    ) -> Result<Val> {
        let count = |val: &Val| match val {
            Val::Tup(items) => Some(items.len()),
            Val::Arr(arr) if arr.rank() == 0 => None,
            Val::Arr(arr) => arr.outer()[0].as_constant().filter(|_| arr.rank() == 1).map(|n| n as usize),
            Val::Rag(_) => None,
        };
        let count = match (count(&left), count(&right)) {
            (Some(a), Some(b)) if a != b => {
                let [a, b] = [a, b].map(|count| Dim::constant(count as i64));
                return Err(Error::at(span, LengthError::Items(a, b)));
            }
            (Some(a), _) => a,
            (None, Some(b)) => b,
            (None, None) => return Err(Error::at(span, MixtureError::Partner { found: right.shown() })),
        };
        let mut out = Vec::new();
        for at in 0..count {
            let l = self.item(&left, at, span)?;
            let r = self.item(&right, at, span)?;
            out.push(apply(self, l, r)?);
        }
        self.strand(out)
    }

    /// An item of a vector; a scalar is an item of itself.
    pub fn item(&mut self, val: &Val, at: usize, span: Span) -> Result<Val> {
        match val {
            Val::Tup(items) => Ok(items[at].clone()),
            Val::Rag(rag) => {
                let at = self.b.int(at as i64);
                self.row(rag, &at).map(Val::Arr)
            }
            Val::Arr(arr) if arr.rank() == 0 => Ok(Val::Arr(arr.clone().levelled_inner())),
            Val::Arr(arr) => {
                let index = self.b.int(at as i64);
                self.b.at = span;
                Ok(Val::Arr(self.cell_at(arr, &[index])?))
            }
        }
    }

    fn circles(&mut self, left: Val, right: Val, span: Span) -> Result<Val> {
        let left = left.simple(span, Role::Left('○'))?;
        let Some(which) = left.constant_ints().filter(|which| !which.is_empty()) else {
            return Err(Error::at(span, Constant::Circle));
        };
        if left.shape.is_empty() || which.len() == 1 {
            return self.through(right, &|kind| circle(which[0], kind, span));
        }
        let mut out = Vec::new();
        for (at, k) in which.iter().enumerate() {
            let item = match &right {
                Val::Arr(arr) if arr.rank() == 1 && arr.outer()[0].as_constant() != Some(which.len() as i64) => {
                    let sizes = LengthError::Items(Dim::constant(which.len() as i64), arr.outer()[0].clone());
                    return Err(Error::at(span, sizes));
                }
                other => self.item(other, at, span)?,
            };
            out.push(self.through(item, &|kind| circle(*k, kind, span))?);
        }
        self.strand(out)
    }

    /// Makes the shapes of two arrays agree: a scalar goes with everything, else the shorter shape begins the longer one.
    pub fn agree(&mut self, a: &mut Arr, b: &mut Arr, span: Span) -> Result<()> {
        if a.is_simple() && b.is_simple() {
            let (one, other) = (a.count() == Some(1), b.count() == Some(1));
            if one && !a.shape.is_empty() && (!other && !b.shape.is_empty() || other && b.shape.len() >= a.shape.len()) {
                *a = self.first_element(a.clone());
            } else if other && !b.shape.is_empty() && (!one && !a.shape.is_empty() || one && a.shape.len() >= b.shape.len()) {
                *b = self.first_element(b.clone());
            }
        }
        let (mut at_a, mut at_b) = (0, 0);
        let mut changed = false;
        let mut shape = b.shape.clone();
        for (ra, rb) in a.levels.iter().zip(&b.levels) {
            for axis in 0..(*ra).min(*rb) {
                let (x, y) = (a.shape[at_a + axis].clone(), b.shape[at_b + axis].clone());
                if x == y {
                    continue;
                }
                if x.never_equal(&y) {
                    return Err(never_agree(a, b, (x, y), Agreement::First, span));
                }
                shape[at_b + axis] = x;
                changed = true;
            }
            at_a += ra;
            at_b += rb;
        }
        if changed {
            let shown = format!("checked at run time: {} is {}", shape_shown(&b.shape), shape_shown(&shape));
            self.note(span, || shown);
            let before = std::mem::replace(&mut self.b.at, span);
            let made = self.b.node(ExprKind::Coerce { ty: Build::ty(b.kind, &shape), expr: b.expr.clone() });
            let levels = b.levels.clone();
            *b = self.b.named(b.kind, shape, made).levelled(levels);
            self.b.at = before;
        }
        Ok(())
    }

    /// A scalar function through two arrays.
    pub fn lift2(&mut self, mut a: Arr, mut b: Arr, spec: &Dyad, span: Span) -> Result<Arr> {
        self.agree(&mut a, &mut b, span)?;
        if let Some(folded) = self.fold2(&a, &b, spec) {
            return Ok(folded);
        }
        let (ka, kb) = (a.kind, b.kind);
        let mut body = |build: &mut Build, x: Expr, y: Expr| {
            // What is compared and cannot be equal is not converted.
            let convertible = |kind: Kind| kind == Kind::Char || spec.operand != Kind::Char && kind <= spec.operand;
            if !(convertible(ka) && convertible(kb)) || ka.join(kb).is_none() {
                return Ok((spec.body)(build, x, y));
            }
            let (x, y) = (build.converted(ka, spec.operand, x), build.converted(kb, spec.operand, y));
            let (x, y) = (build.bind(x), build.bind(y));
            Ok((spec.body)(build, x, y))
        };
        self.zip(&a, &b, spec.result, &mut body)
    }

    /// Goes through the elements of two arrays whose shapes agree.
    pub fn zip(&mut self, a: &Arr, b: &Arr, result: Kind, body: &mut dyn FnMut(&mut Build, Expr, Expr) -> Result<Expr>) -> Result<Arr> {
        let x = Part { shape: &a.shape, levels: a.levels.clone(), expr: a.expr.clone() };
        let y = Part { shape: &b.shape, levels: b.levels.clone(), expr: b.expr.clone() };
        let mut shape = Vec::new();
        let made = zip_parts(&mut self.b, x, y, &mut shape, body)?;
        let mut levels = Vec::new();
        for at in 0..a.levels.len().max(b.levels.len()) {
            levels.push(a.levels.get(at).copied().unwrap_or(0).max(b.levels.get(at).copied().unwrap_or(0)));
        }
        Ok(self.b.named(result, shape, made).levelled(levels))
    }

    fn fold2(&mut self, a: &Arr, b: &Arr, spec: &Dyad) -> Option<Arr> {
        let (x, y) = (a.lit.clone()?, b.lit.clone()?);
        let count = x.len().max(y.len());
        let like = if a.shape == b.shape && a.levels == b.levels || b.shape.is_empty() {
            a
        } else if a.shape.is_empty() {
            b
        } else {
            return None;
        };
        if count > MAX_LITERAL || x.is_empty() || y.is_empty() || a.kind.join(b.kind).is_none() {
            return None;
        }
        let mut out = Vec::new();
        for at in 0..count {
            let (x, y) = (x[if x.len() == 1 { 0 } else { at }], y[if y.len() == 1 { 0 } else { at }]);
            let (x, y) = (convert(spec.operand.prim(), x), convert(spec.operand.prim(), y));
            out.push(self.folded(&|b| {
                let (x, y) = (b.lit(x), b.lit(y));
                (spec.body)(b, x, y)
            })?);
        }
        let like = like.clone();
        Some(self.literal_like(spec.result, &like, out))
    }
}

/// A part of an array on the way through two of them.
struct Part<'a> {
    shape: &'a [Dim],
    levels: Vec<usize>,
    expr: Expr,
}

fn zip_parts(
    build: &mut Build,
    mut a: Part<'_>,
    mut b: Part<'_>,
    shape: &mut Vec<Dim>,
    body: &mut dyn FnMut(&mut Build, Expr, Expr) -> Result<Expr>,
) -> Result<Expr> {
    while a.levels.first() == Some(&0) && b.levels.first() == Some(&0) && (a.levels.len() > 1 || b.levels.len() > 1) {
        for levels in [&mut a.levels, &mut b.levels] {
            levels.remove(0);
            if levels.is_empty() {
                levels.push(0);
            }
        }
    }
    if a.shape.is_empty() && b.shape.is_empty() {
        return body(build, a.expr, b.expr);
    }
    let (ra, rb) = (a.levels[0], b.levels[0]);
    let rest = |part: &Part<'_>, taken: usize| {
        let mut levels = part.levels.clone();
        levels[0] -= taken;
        levels
    };
    if ra > 0 && rb > 0 {
        let common = ra.min(rb);
        let frame = a.shape[..common].to_vec();
        shape.extend(frame.iter().cloned());
        let (la, lb) = (rest(&a, common), rest(&b, common));
        return build.map(&frame, vec![a.expr.clone(), b.expr.clone()], |build, cells| {
            let x = Part { shape: &a.shape[common..], levels: la, expr: cells[0].clone() };
            let y = Part { shape: &b.shape[common..], levels: lb, expr: cells[1].clone() };
            zip_parts(build, x, y, shape, body)
        });
    }
    let first = ra > 0;
    let taken = ra.max(rb);
    let frame = if first { a.shape[..taken].to_vec() } else { b.shape[..taken].to_vec() };
    shape.extend(frame.iter().cloned());
    let moved = if first { rest(&a, taken) } else { rest(&b, taken) };
    let array = if first { a.expr.clone() } else { b.expr.clone() };
    build.map(&frame, vec![array], |build, cells| {
        let (x, y) = if first {
            (Part { shape: &a.shape[taken..], levels: moved, expr: cells[0].clone() }, b)
        } else {
            (a, Part { shape: &b.shape[taken..], levels: moved, expr: cells[0].clone() })
        };
        zip_parts(build, x, y, shape, body)
    })
}

/// Whether a power of constants is too large for whole numbers.
fn overflows(base: &Arr, exponent: &Arr) -> bool {
    let largest = |arr: &Arr| arr.constant_ints().and_then(|ints| ints.iter().map(|n| n.unsigned_abs()).max());
    match (largest(base), largest(exponent)) {
        (Some(base), Some(exponent)) => (base as f64).powf(exponent as f64) >= 9.2e18,
        _ => false,
    }
}

/// The sizes that a sum or product of sizes is.
fn known(glyph: char, a: &Arr, b: &Arr) -> Option<Rc<Vec<Dim>>> {
    let (x, y) = (a.known.as_ref()?, b.known.as_ref()?);
    if a.shape.len() > 1 || b.shape.len() > 1 || x.len() != y.len() && !a.shape.is_empty() && !b.shape.is_empty() {
        return None;
    }
    let count = if a.shape.is_empty() { y.len() } else { x.len() };
    let pick = |arr: &Arr, known: &Vec<Dim>, at: usize| if arr.shape.is_empty() { known[0].clone() } else { known[at].clone() };
    let out = (0..count).map(|at| {
        let (x, y) = (pick(a, x, at), pick(b, y, at));
        match glyph {
            '+' => x.checked_add(&y, 1),
            '-' => x.checked_add(&y, -1),
            '×' => x.checked_mul(&y),
            _ => None,
        }
    });
    out.collect::<Option<Vec<_>>>().map(Rc::new)
}

/// Arrays that cannot agree, and two sizes that decide it.
pub fn never_agree(left: &Arr, right: &Arr, sizes: (Dim, Dim), rule: Agreement, span: Span) -> Box<Error> {
    Error::at(span, LengthError::Differ { left: left.origin(), right: right.origin(), sizes, rule })
}
