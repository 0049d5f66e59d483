//! The primitives of core as statements of soac.

use super::derivatives::Seed;
use super::error::Limit;
use super::values::{Atom, Env, IndexValue, Static, Type};
use super::{Outcome, Specialiser};
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::{self, Prim};
use crate::ir::soac::{self, Body, Check, Exp, Lambda, Operand, RangeKind, Size, Soac, Var};
use std::rc::Rc;

/// A call of a primitive.
struct Call<'a> {
    indices: &'a [IndexValue],
    /// The type of the result.
    ret: Type,
    span: Span,
}

impl Call<'_> {
    fn size(&self, k: usize) -> Size {
        match self.indices.get(k) {
            Some(IndexValue::Dim(size)) => size.clone(),
            _ => Size::default(),
        }
    }
}

impl Specialiser<'_> {
    /// Applies a primitive to all its arguments.
    pub(super) fn prim(&mut self, prim: Prim, indices: &[IndexValue], types: &[Atom], args: Vec<Static>, span: Span) -> Outcome<Static> {
        let ret = self.result_type(prim, indices, types, &args, span)?;
        let call = Call { indices, ret, span };
        match (prim, args.as_slice()) {
            (Prim::Index, [xs, i]) => {
                let i = self.scalar(i, span)?;
                self.element(xs, i, &call.size(0), span)
            }
            (Prim::Slice, [xs, i, j]) => {
                let (i, j) = (self.scalar(i, span)?, self.scalar(j, span)?);
                let width = self.size_of(j).sub(&self.size_of(i));
                if has_no_leaves(xs) {
                    let stand_in = self.stand_in(&call.size(0), span)?;
                    self.slice(&stand_in, i, Operand::int(1), &width, true, span)?;
                }
                self.slice(xs, i, Operand::int(1), &width, true, span)
            }
            (Prim::SliceStep, [xs, i, j, s]) => self.slice_step(xs, [i, j, s], &call),
            (Prim::Update, [xs, i, x]) => self.updated(xs, i, x, &call),
            (Prim::UpdateSlice, [xs, start, step, ys]) => self.updated_slice(xs, [start, step], ys, &call),
            (Prim::Iota, [n]) => {
                let n = self.scalar(n, span)?;
                self.iota(Operand::int(0), self.size_of(n), span)
            }
            (Prim::ShapeIota, []) => self.shape_iota(&call),
            (Prim::Range, [a, b]) => {
                let (a, b) = (self.scalar(a, span)?, self.scalar(b, span)?);
                let from = self.size_of(a);
                let width = self.size_of(b).sub(&from);
                // From a size on numbers do not begin again at the least one.
                if self.is_natural(&from) {
                    return self.iota(a, width, span);
                }
                self.push(Vec::new(), Exp::Check(Check::Range(a, b)), span)?;
                self.counted(a, width, span)
            }
            (Prim::RangeUpto, [a, s, b]) => self.range(RangeKind::Upto, [a, s, b], &call),
            (Prim::RangeDownto, [a, s, b]) => self.range(RangeKind::Downto, [a, s, b], &call),
            (Prim::RangeThrough, [a, s, b]) => self.range(RangeKind::Through, [a, s, b], &call),
            (Prim::Reduce | Prim::ReduceComm, [f, init, xs]) if !init.is_plain() => self.combined(f, init, xs, &call.size(0), span),
            (Prim::Reduce, [f, init, xs]) => {
                let operator = self.operator(f, init, false, span)?;
                self.reduction(operator, init, xs, span)
            }
            (Prim::ReduceComm, [f, init, xs]) => {
                let operator = self.operator(f, init, true, span)?;
                self.reduction(operator, init, xs, span)
            }
            (Prim::Scan, [f, init, xs]) if !init.is_plain() => self.combined_so_far(f, init, xs, &call.size(0), span),
            (Prim::Scan, [f, init, xs]) => self.scan(f, init, xs, &call),
            (Prim::Filter, [f, xs]) => self.filter(f, xs, &call),
            (Prim::Scatter, [xs, is, vs]) if !xs.is_plain() => self.by_components(&[xs, vs], &mut |this, parts| match parts {
                [Static::Lifted(xs), Static::Lifted(vs)] => this.scattered_functions(xs, is, vs, span),
                [xs, vs] => this.scatter(xs, is, vs, &call),
                _ => this.broken(span, "values of different forms"),
            }),
            (Prim::Scatter, [xs, is, vs]) => self.scatter(xs, is, vs, &call),
            (Prim::Hist, [f, init, k, is, xs]) => {
                let k = self.scalar(k, span)?;
                let bins = self.size_of(k);
                self.check_natural(&bins, span)?;
                let dests = self.replicate(&[bins], init.clone(), span)?;
                self.histogram(&dests, f, init, is, xs, &call)
            }
            (Prim::ReduceByIndex, [dests, f, init, is, xs]) => self.histogram(dests, f, init, is, xs, &call),
            (Prim::Transpose, [xs]) => self.by_components(&[xs], &mut |this, parts| match parts {
                [Static::Lifted(rows)] => this.transposed_functions(rows, span),
                _ => this.each_leaf(parts[0], span, &mut |this, a| {
                    let mut ty = this.ty(a);
                    ty.shape.swap(0, 1);
                    let mut perm: Vec<usize> = (0..ty.rank()).collect();
                    perm.swap(0, 1);
                    this.view(a, ty, |array| Exp::Rearrange { array, perm }, span)
                }),
            }),
            (Prim::Flatten, [xs]) => self.flattened(xs, &call),
            (Prim::Unflatten, [xs]) => self.unflattened(xs, &call),
            (Prim::Concat, [a, b]) => self.concat(a, b, &call),
            (Prim::Reverse, [xs]) => {
                let width = call.size(0);
                let last = self.operand(&width.sub(&Size::constant(1)), span)?;
                self.slice(xs, last, Operand::int(-1), &width, false, span)
            }
            (Prim::Rotate, [by, xs]) => {
                let by = self.scalar(by, span)?;
                self.on_arrays(xs, &call.size(0), span, &mut |this, a| {
                    let ty = this.ty(a);
                    this.view(a, ty, |array| Exp::Rotate { array, by }, span)
                })
            }
            (Prim::Equal, [a, b]) => Ok(Static::Data(self.equal(a, b, span)?)),
            (Prim::NotEqual, [a, b]) => {
                let equal = self.equal(a, b, span)?;
                let not = ScalarOp::new(Op::Not, PrimType::Bool);
                Ok(Static::Data(self.scalar_op(not, vec![equal], span)?))
            }
            (Prim::Jvp2, [f, x, seed]) => self.differentiated(f, x, Seed::Tangent(seed), span),
            (Prim::Vjp2, [f, x, seed]) => self.differentiated(f, x, Seed::Adjoint(seed), span),
            (Prim::ValueAndGrad, [f, x]) => self.differentiated(f, x, Seed::One, span),
            (Prim::WithVjp, [f, adjoint, x]) => self.with_adjoint(f, adjoint, x, span),
            _ => self.limit(span, Limit::Primitive(prim)),
        }
    }

    fn updated(&mut self, xs: &Static, i: &Static, x: &Static, call: &Call) -> Outcome<Static> {
        let span = call.span;
        let i = self.scalar(i, span)?;
        if has_no_leaves(xs) {
            self.push(Vec::new(), Exp::Check(Check::Bounds(i, call.size(0))), span)?;
        }
        self.by_components(&[xs, x], &mut |this, parts| match parts {
            [Static::Lifted(lifted), x] => this.other_cell(lifted, i, (*x).clone(), span),
            [Static::Data(array), Static::Data(value)] => {
                let (ty, array) = (this.ty(*array), this.array(*array, span)?);
                let update = Exp::Update { array, at: vec![i], value: *value, checked: true };
                Ok(Static::Data(this.bind("updated", ty, update, span)?))
            }
            _ => this.broken(span, "values of different forms"),
        })
    }

    fn updated_slice(&mut self, xs: &Static, [start, step]: [&Static; 2], ys: &Static, call: &Call) -> Outcome<Static> {
        let span = call.span;
        let (start, step) = (self.scalar(start, span)?, self.scalar(step, span)?);
        if has_no_leaves(xs) {
            let array = self.stand_in(&call.size(0), span)?;
            let value = self.stand_in(&call.size(1), span)?;
            self.update_slice(&array, (start, step), &value, span)?;
        }
        self.by_components(&[xs, ys], &mut |this, parts| match parts {
            [Static::Lifted(xs), Static::Lifted(ys)] => this.other_cells(xs, ys, start, step, span),
            [array, value] => this.update_slice(array, (start, step), value, span),
            _ => this.broken(span, "values of different forms"),
        })
    }

    fn shape_iota(&mut self, call: &Call) -> Outcome<Static> {
        let span = call.span;
        let Some(IndexValue::Shape(shape)) = call.indices.first() else { return self.broken(span, "a shape was expected") };
        let all = Size::product(shape);
        match shape.as_slice() {
            [] => Ok(Static::Data(Operand::int(0))),
            [_] => self.iota(Operand::int(0), all, span),
            _ => {
                let flat = self.iota(Operand::int(0), all, span)?;
                self.reshape(&flat, 1, shape, span)
            }
        }
    }

    fn flattened(&mut self, xs: &Static, call: &Call) -> Outcome<Static> {
        let span = call.span;
        let (n, m) = (call.size(0), call.size(1));
        let outer = [n.mul(&m)];
        if !(n.as_constant().is_some_and(small) && m.as_constant().is_some_and(small)) {
            self.push(Vec::new(), Exp::Check(Check::Product(n, m)), span)?;
        }
        self.by_components(&[xs], &mut |this, parts| match parts {
            [Static::Lifted(rows)] => this.flat_functions(rows, span),
            _ => this.reshape(parts[0], 2, &outer, span),
        })
    }

    fn unflattened(&mut self, xs: &Static, call: &Call) -> Outcome<Static> {
        let span = call.span;
        let (n, m) = (call.size(0), call.size(1));
        if !(n.as_constant().is_some_and(small) && m.as_constant().is_some_and(small)) {
            self.push(Vec::new(), Exp::Check(Check::Unflatten(n.mul(&m), n.clone(), m.clone())), span)?;
        }
        self.by_components(&[xs], &mut |this, parts| match parts {
            [Static::Lifted(cells)] => this.functions_in_rows(cells, &n, &m, span),
            _ => this.reshape(parts[0], 1, &[n.clone(), m.clone()], span),
        })
    }

    fn concat(&mut self, a: &Static, b: &Static, call: &Call) -> Outcome<Static> {
        let span = call.span;
        let outer = call.size(0).add(&call.size(1));
        // What has elements needs memory.
        if has_no_leaves(a) {
            self.check_natural(&outer, span)?;
        }
        self.by_components(&[a, b], &mut |this, parts| match parts {
            [Static::Lifted(x), Static::Lifted(y)] => this.joined_functions(x, y, span),
            [Static::Data(a), Static::Data(b)] => {
                let mut ty = this.ty(*a);
                ty.shape[0] = outer.clone();
                let parts = vec![this.array(*a, span)?, this.array(*b, span)?];
                Ok(Static::Data(this.bind("joined", ty, Exp::Concat(parts), span)?))
            }
            _ => this.broken(span, "values of different forms"),
        })
    }

    /// The type of the result, from the declaration of the primitive.
    fn result_type(&mut self, prim: Prim, indices: &[IndexValue], types: &[Atom], args: &[Static], span: Span) -> Outcome<Type> {
        let mut ty = prim.ty();
        let mut env = Env::default();
        loop {
            let next = match ty.atom() {
                core::Atom::Pi(names, body) => {
                    env.indices.extend(names.iter().copied().zip(indices.iter().cloned()));
                    body.clone()
                }
                core::Atom::Forall(names, body) => {
                    env.types.extend(names.iter().copied().zip(types.iter().cloned()));
                    body.clone()
                }
                core::Atom::Fun(params, ret) => {
                    let named = params.iter().zip(args).filter_map(|(param, arg)| Some((param.name?, arg.clone())));
                    env.terms.extend(named);
                    let ret = ret.clone();
                    return self.resolve(&ret, &mut env, span);
                }
                core::Atom::Prim(_)
                | core::Atom::Var(_)
                | core::Atom::Sigma(..)
                | core::Atom::Tuple(_)
                | core::Atom::Record(_)
                | core::Atom::Sum(_) => return self.resolve(&ty, &mut env, span),
            };
            ty = next;
        }
    }

    /// The same elements in another order or shape.
    fn view(&mut self, array: Operand, ty: soac::Type, exp: impl FnOnce(Var) -> Exp, span: Span) -> Outcome<Operand> {
        match array {
            Operand::Var(var) => self.bind("view", ty, exp(var), span),
            Operand::Const(_) => self.broken(span, "an array was expected"),
        }
    }

    /// Cell `i` of an array of size `n`.
    pub(super) fn element(&mut self, xs: &Static, i: Operand, n: &Size, span: Span) -> Outcome<Static> {
        if has_no_leaves(xs) {
            self.push(Vec::new(), Exp::Check(Check::Bounds(i, n.clone())), span)?;
        }
        self.cell_at(xs, i, n, span)
    }
    fn cell_at(&mut self, xs: &Static, i: Operand, n: &Size, span: Span) -> Outcome<Static> {
        if xs.is_absent() {
            return Ok(xs.clone());
        }
        if let Static::Lifted(lifted) = xs {
            let mut map = super::values::Renaming::default();
            for (var, array) in lifted.vars.iter().zip(&lifted.arrays) {
                let cell = self.element(&Static::Data(*array), i, n, span)?;
                let cell = self.scalar(&cell, span)?;
                self.stand_for(&mut map, *var, cell);
            }
            self.take_rows(lifted, &mut map, span)?;
            let cell = self.replaced(&lifted.elem, &map);
            return self.forced(cell, span);
        }
        match xs {
            Static::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.cell_at(part, i, n, span)).collect::<Outcome<_>>()?;
                return Ok(Static::Tuple(parts));
            }
            Static::Record(parts) => {
                let parts = parts.iter().map(|(label, part)| Ok((*label, self.cell_at(part, i, n, span)?))).collect::<Outcome<_>>()?;
                return Ok(Static::Record(parts));
            }
            Static::Data(_) | Static::Fun(_) | Static::Box(_) | Static::Lifted(_) => {}
        }
        self.each_leaf(xs, span, &mut |this, a| {
            let ty = this.ty(a).cell(1);
            this.view(a, ty, |array| Exp::Index { array, at: vec![i], checked: true }, span)
        })
    }

    /// An array of this size, in place of one without components, for checks of what is taken from it.
    fn stand_in(&mut self, n: &Size, span: Span) -> Outcome<Static> {
        self.replicate(std::slice::from_ref(n), Static::Data(Operand::Const(Scalar::Bool(false))), span)
    }

    /// An array with other cells from `start` on, `step` apart.
    fn update_slice(&mut self, array: &Static, (start, step): (Operand, Operand), value: &Static, span: Span) -> Outcome<Static> {
        let (Static::Data(array), Static::Data(value)) = (array, value) else { return self.broken(span, "values of different forms") };
        let (ty, array, value) = (self.ty(*array), self.array(*array, span)?, self.array(*value, span)?);
        Ok(Static::Data(self.bind("updated", ty, Exp::UpdateSlice { array, start, step, value, checked: true }, span)?))
    }

    /// Cells `start`, `start + step`, ..., `width` of them.
    fn slice(&mut self, xs: &Static, start: Operand, step: Operand, width: &Size, checked: bool, span: Span) -> Outcome<Static> {
        self.on_arrays(xs, width, span, &mut |this, a| {
            let mut ty = this.ty(a);
            ty.shape[0] = width.clone();
            this.view(a, ty, |array| Exp::Slice { array, start, step, checked }, span)
        })
    }

    fn slice_step(&mut self, xs: &Static, [i, j, s]: [&Static; 3], call: &Call) -> Outcome<Static> {
        let span = call.span;
        let (i, j, s) = (self.scalar(i, span)?, self.scalar(j, span)?, self.scalar(s, span)?);
        let count = self.count(Exp::SliceCount { start: i, end: j, step: s, size: call.size(0) }, span)?;
        let value = self.slice(xs, i, s, &Size::var(count), false, span)?;
        self.boxed(vec![Size::var(count)], value, &call.ret, span)
    }
    /// A number of elements.
    fn count(&mut self, exp: Exp, span: Span) -> Outcome<Var> {
        let var = self.fresh(Symbol::new("k"), soac::Type::scalar(PrimType::I64));
        self.sizes.add_natural(var);
        self.push(vec![var], exp, span)?;
        Ok(var)
    }

    fn iota(&mut self, start: Operand, width: Size, span: Span) -> Outcome<Static> {
        self.check_natural(&width, span)?;
        self.counted(start, width, span)
    }
    /// So many numbers from one on.
    fn counted(&mut self, start: Operand, width: Size, span: Span) -> Outcome<Static> {
        let ty = soac::Type { elem: PrimType::I64, shape: vec![width] };
        Ok(Static::Data(self.bind("iota", ty, Exp::Iota { start, step: Operand::int(1) }, span)?))
    }
    fn range(&mut self, kind: RangeKind, [a, s, b]: [&Static; 3], call: &Call) -> Outcome<Static> {
        let span = call.span;
        let (start, step, end) = (self.scalar(a, span)?, self.scalar(s, span)?, self.scalar(b, span)?);
        let elem = self.ty(start).elem;
        let count = Size::var(self.count(Exp::RangeCount { kind, start, step, end }, span)?);
        let ty = soac::Type { elem, shape: vec![count.clone()] };
        let range = self.bind("range", ty, Exp::Iota { start, step }, span)?;
        self.boxed(vec![count], Static::Data(range), &call.ret, span)
    }

    fn reshape(&mut self, xs: &Static, old: usize, new: &[Size], span: Span) -> Outcome<Static> {
        self.each_leaf(xs, span, &mut |this, a| {
            let ty = this.ty(a).cell(old).framed(new);
            this.view(a, ty, Exp::Reshape, span)
        })
    }

    fn scan(&mut self, f: &Static, init: &Static, xs: &Static, call: &Call) -> Outcome<Static> {
        let span = call.span;
        let operator = self.operator(f, init, false, span)?;
        let (mut inputs, mut params, mut pat) = (Vec::new(), Vec::new(), Vec::new());
        let (stms, result) = self.in_block(|this| {
            let cell = this.cells(xs, Symbol::new("x"), &mut inputs, &mut params, span)?;
            this.leaves(&cell, span)
        })?;
        let value = self.like(xs, "scanned", span, &mut pat)?;
        if pat.is_empty() {
            return Ok(value);
        }
        let lambda = Lambda { params, body: Body { stms, result } };
        let soac = Soac { width: call.size(0), inputs, lambda, scans: vec![operator], reduces: Vec::new() };
        self.push(pat, Exp::Soac(soac), span)?;
        Ok(value)
    }

    fn filter(&mut self, f: &Static, xs: &Static, call: &Call) -> Outcome<Static> {
        let span = call.span;
        let (mut inputs, mut params) = (Vec::new(), Vec::new());
        let (stms, keep) = self.in_block(|this| {
            let cell = this.cells(xs, Symbol::new("x"), &mut inputs, &mut params, span)?;
            let keep = this.apply(f.clone(), vec![cell], span)?;
            this.scalar(&keep, span)
        })?;
        // What is kept are the cells of the arrays, which are the parameters.
        let result = std::iter::once(keep).chain(params.iter().map(|param| Operand::Var(*param))).collect();
        let count = self.fresh(Symbol::new("k"), soac::Type::scalar(PrimType::I64));
        self.sizes.add_natural(count);
        let mut pat = vec![count];
        let value = self.on_arrays(xs, &Size::var(count), span, &mut |this, a| {
            let mut ty = this.ty(a);
            ty.shape[0] = Size::var(count);
            let kept = this.fresh(Symbol::new("kept"), ty);
            pat.push(kept);
            Ok(Operand::Var(kept))
        })?;
        let lambda = Lambda { params, body: Body { stms, result } };
        self.push(pat, Exp::Filter { width: call.size(0), inputs, lambda }, span)?;
        self.boxed(vec![Size::var(count)], value, &call.ret, span)
    }

    /// The lambda that returns an index and the components of a cell.
    fn indexed(&mut self, is: &Static, xs: &Static, inputs: &mut Vec<Var>, span: Span) -> Outcome<Lambda> {
        let mut params = Vec::new();
        let (stms, result) = self.in_block(|this| {
            let index = this.cells(is, Symbol::new("i"), inputs, &mut params, span)?;
            let cell = this.cells(xs, Symbol::new("x"), inputs, &mut params, span)?;
            let mut result = vec![this.scalar(&index, span)?];
            result.extend(this.leaves(&cell, span)?);
            Ok(result)
        })?;
        Ok(Lambda { params, body: Body { stms, result } })
    }
    fn scatter(&mut self, dests: &Static, is: &Static, xs: &Static, call: &Call) -> Outcome<Static> {
        let span = call.span;
        let (mut inputs, mut pat) = (Vec::new(), Vec::new());
        let lambda = self.indexed(is, xs, &mut inputs, span)?;
        let value = self.like(dests, "written", span, &mut pat)?;
        let arrays = self.arrays(dests, span)?;
        if !pat.is_empty() {
            self.push(pat, Exp::Scatter { width: call.size(1), inputs, lambda, dests: arrays }, span)?;
        }
        Ok(value)
    }
    fn histogram(&mut self, dests: &Static, f: &Static, neutral: &Static, is: &Static, xs: &Static, call: &Call) -> Outcome<Static> {
        let span = call.span;
        let operator = self.operator(f, neutral, false, span)?;
        let (mut inputs, mut pat) = (Vec::new(), Vec::new());
        let lambda = self.indexed(is, xs, &mut inputs, span)?;
        let value = self.like(dests, "bins", span, &mut pat)?;
        let dests = self.arrays(dests, span)?;
        let Some(width) = inputs.first().map(|var| self.out.ty(*var).shape[0].clone()) else { return Ok(value) };
        if !pat.is_empty() {
            self.push(pat, Exp::Hist { width, inputs, lambda, dests, operator }, span)?;
        }
        Ok(value)
    }
    fn arrays(&mut self, value: &Static, span: Span) -> Outcome<Vec<Var>> {
        let leaves = self.leaves(value, span)?;
        leaves.into_iter().map(|a| if let Operand::Var(var) = a { Ok(var) } else { self.broken(span, "an array was expected") }).collect()
    }

    /// Whether all parts are equal.
    fn equal(&mut self, a: &Static, b: &Static, span: Span) -> Outcome<Operand> {
        let truth = Operand::Const(Scalar::Bool(true));
        Ok(match (a, b) {
            (Static::Data(x), Static::Data(y)) => self.equal_arrays(*x, *y, span)?,
            (Static::Tuple(xs), Static::Tuple(ys)) if xs.len() == ys.len() => {
                let mut all = truth;
                for (x, y) in xs.iter().zip(ys.iter()) {
                    let equal = self.equal(x, y, span)?;
                    all = self.both(all, equal, span)?;
                }
                all
            }
            (Static::Record(xs), Static::Record(ys)) if xs.len() == ys.len() => {
                let mut all = truth;
                for ((_, x), (_, y)) in xs.iter().zip(ys.iter()) {
                    let equal = self.equal(x, y, span)?;
                    all = self.both(all, equal, span)?;
                }
                all
            }
            (Static::Box(x), Static::Box(y)) => {
                let mut sizes = truth;
                let eq = ScalarOp::new(Op::Eq, PrimType::I64);
                let pairs: Vec<(Size, Size)> =
                    x.indices.iter().zip(&y.indices).flat_map(|(x, y)| x.sizes().cloned().zip(y.sizes().cloned())).collect();
                for (x, y) in pairs {
                    let (x, y) = (self.operand(&x, span)?, self.operand(&y, span)?);
                    let equal = self.scalar_op(eq, vec![x, y], span)?;
                    sizes = self.both(sizes, equal, span)?;
                }
                // With the same sizes the contents have the same type.
                let content = self.leaves(&x.value, span)?;
                let mut types = content.into_iter().map(|a| self.ty(a)).collect::<Vec<_>>().into_iter();
                let then = self.in_block(|this| {
                    let value = this.each_leaf(&y.value, span, &mut |this, a| match (a, types.next()) {
                        (Operand::Var(var), Some(ty)) if ty.rank() > 0 => this.bind("same", ty, Exp::Coerce(var), span),
                        _ => Ok(a),
                    })?;
                    Ok(Static::Data(this.equal(&x.value, &value, span)?))
                })?;
                let els = (Vec::new(), Static::Data(Operand::Const(Scalar::Bool(false))));
                let result = self.merge(sizes, then, els, span)?;
                self.scalar(&result, span)?
            }
            _ => return self.limit(span, Limit::ComparedFunctions),
        })
    }
    fn both(&mut self, a: Operand, b: Operand, span: Span) -> Outcome<Operand> {
        match (a, b) {
            (Operand::Const(Scalar::Bool(true)), other) | (other, Operand::Const(Scalar::Bool(true))) => Ok(other),
            _ => {
                let and = ScalarOp::new(Op::And, PrimType::Bool);
                self.scalar_op(and, vec![a, b], span)
            }
        }
    }
    fn equal_arrays(&mut self, x: Operand, y: Operand, span: Span) -> Outcome<Operand> {
        let ty = self.ty(x);
        if ty.rank() == 0 {
            let eq = ScalarOp::new(Op::Eq, ty.elem);
            return self.scalar_op(eq, vec![x, y], span);
        }
        let (mut inputs, mut params) = (Vec::new(), Vec::new());
        let (stms, equal) = self.in_block(|this| {
            let a = this.cells(&Static::Data(x), Symbol::new("x"), &mut inputs, &mut params, span)?;
            let b = this.cells(&Static::Data(y), Symbol::new("y"), &mut inputs, &mut params, span)?;
            this.equal(&a, &b, span)
        })?;
        let and = ScalarOp::new(Op::And, PrimType::Bool);
        let and = Static::Fun(Rc::new(super::values::Fun::Op(and, Vec::new())));
        let neutral = Static::Data(Operand::Const(Scalar::Bool(true)));
        let operator = self.operator(&and, &neutral, true, span)?;
        let lambda = Lambda { params, body: Body { stms, result: vec![equal] } };
        let soac = Soac { width: ty.shape[0].clone(), inputs, lambda, scans: Vec::new(), reduces: vec![operator] };
        self.bind("equal", soac::Type::scalar(PrimType::Bool), Exp::Soac(soac), span)
    }
}

/// Whether products of sizes like this one are such.
fn small(n: i64) -> bool {
    (0..1 << 24).contains(&n)
}

/// Whether a value has no arrays in it that an index could be compared with.
fn has_no_leaves(value: &Static) -> bool {
    match value {
        Static::Data(_) | Static::Box(_) | Static::Fun(_) => false,
        Static::Tuple(parts) => parts.iter().all(has_no_leaves),
        Static::Record(parts) => parts.iter().all(|(_, part)| has_no_leaves(part)),
        Static::Lifted(lifted) => lifted.arrays.is_empty(),
    }
}
