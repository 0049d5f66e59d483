//! `(reshape s e)`: the elements of `e` in another shape, where it is certain that there are as many.
//!
//! Both shapes are cut at their shape variables, which must be the same in the same order. The parts between them must have equal
//! products; each is flattened and then cut up again, under a map over what comes before it. Products are compared as
//! polynomials, so `[n m]` can become `[m n]`, not only runs of numbers (Stevenson's compiler, section 4, compares numbers only).

use super::error::TypeError;
use super::{Elaborator, Typed};
use crate::base::{Scalar, Span, Symbol};
use crate::ir::core::sexp::Sexp;
use crate::ir::core::{Atom, Dim, Expr, ExprKind, Index, Prim, Shape, ShapeItem, Type, sizes};

/// Sizes up to a shape variable, and that variable.
type Run = (Vec<Dim>, Option<Symbol>);

fn runs(shape: &Shape) -> Vec<Run> {
    let mut out: Vec<Run> = vec![(Vec::new(), None)];
    for item in &shape.items {
        let Some(last) = out.last_mut() else { continue };
        match item {
            ShapeItem::Dim(dim) => last.0.push(dim.clone()),
            ShapeItem::Var(name) => {
                last.1 = Some(*name);
                out.push((Vec::new(), None));
            }
        }
    }
    out
}

fn product(dims: &[Dim]) -> Option<Dim> {
    dims.iter().try_fold(Dim::constant(1), |product, dim| sizes::product(&product, dim))
}

/// A primitive instantiated at the elements of `ty` behind `outer` dimensions, applied.
fn primitive(prim: Prim, atom: &Atom, mut indices: Vec<Index>, rest: Shape, args: Vec<Expr>, span: Span) -> Expr {
    indices.push(Index::Shape(rest));
    let fun = Expr::prim(prim, span);
    let fun = Expr::new(ExprKind::Inst { fun, types: vec![atom.clone()], indices }, span);
    Expr::new(ExprKind::App { fun, args }, span)
}

impl Elaborator<'_> {
    pub(super) fn reshape(&mut self, span: Span, shape: &Sexp, value: &Sexp) -> Option<Typed> {
        let target = self.read(|reader| reader.shape(shape));
        let value = self.expr(value, None);
        let (target, value) = (target?, value?);
        let (from, to) = (runs(value.ty.shape()), runs(&target));
        let fits = from.len() == to.len()
            && from.iter().zip(&to).all(|(a, b)| a.1 == b.1 && product(&a.0).is_some_and(|size| product(&b.0) == Some(size)));
        if !fits {
            return self.error(span, TypeError::Reshape { from: value.ty.shape().clone(), to: target });
        }
        let atom = value.ty.atom().clone();
        let ty = Type::new(atom.clone(), target);
        let mut expr = value.expr;
        let mut outer = Shape::default();
        for (at, ((old, variable), (new, _))) in from.iter().zip(&to).enumerate() {
            if old != new {
                let rest: Vec<ShapeItem> = variable.iter().map(|name| ShapeItem::Var(*name)).collect();
                let later = from[at + 1..].iter().flat_map(|(dims, variable)| {
                    let dims = dims.iter().cloned().map(ShapeItem::Dim);
                    dims.chain(variable.iter().map(|name| ShapeItem::Var(*name)))
                });
                let rest = Shape { items: rest.into_iter().chain(later).collect() };
                expr = self.reshape_run(span, &atom, expr, &outer, (old, new), &rest);
            }
            outer.items.extend(new.iter().cloned().map(ShapeItem::Dim));
            outer.items.extend(variable.iter().map(|name| ShapeItem::Var(*name)));
        }
        Some(Typed::new(expr, ty))
    }

    /// An array of shape `outer ++ old ++ rest` as one of shape `outer ++ new ++ rest`.
    fn reshape_run(&mut self, span: Span, atom: &Atom, value: Expr, outer: &Shape, runs: (&[Dim], &[Dim]), rest: &Shape) -> Expr {
        if outer.is_scalar() {
            return self.reshape_cell(span, atom, value, runs, rest);
        }
        let name = self.fresh(Symbol::new("x"));
        let body = self.reshape_cell(span, atom, Expr::new(ExprKind::Var(name), span), runs, rest);
        Expr::new(ExprKind::Map { frame: outer.clone(), args: vec![(name, value)], body }, span)
    }

    fn reshape_cell(&mut self, span: Span, atom: &Atom, value: Expr, (old, new): (&[Dim], &[Dim]), rest: &Shape) -> Expr {
        let mut expr = value;
        let mut old = old.to_vec();
        // To one dimension, from the outside in.
        while let [a, b, ..] = old.as_slice() {
            let (a, b) = (a.clone(), b.clone());
            let inner = Shape::dims(old[2..].iter().cloned()).append(rest);
            expr = primitive(Prim::Flatten, atom, vec![Index::Dim(a.clone()), Index::Dim(b.clone())], inner, vec![expr], span);
            old.splice(..2, [a.mul(&b)]);
        }
        let Some((last, init)) = new.split_last() else {
            // One element: the array has one dimension of size 1 now.
            let zero = Expr::new(ExprKind::Lit(Scalar::I64(0)), span);
            return primitive(Prim::Index, atom, vec![Index::Dim(Dim::constant(1))], rest.clone(), vec![expr, zero], span);
        };
        if old.is_empty() {
            expr = Expr::new(ExprKind::Rep { frame: Shape::dims([Dim::constant(1)]), arg: expr }, span);
        }
        // From one dimension: the last size is split off first.
        let mut inner = Shape::dims([last.clone()]).append(rest);
        let mut inner_size = last.clone();
        for (at, _) in init.iter().enumerate().rev() {
            let outer_size = init[..=at].iter().fold(Dim::constant(1), |product, dim| product.mul(dim));
            let behind = Shape { items: inner.items[1..].to_vec() };
            expr = primitive(Prim::Unflatten, atom, vec![Index::Dim(outer_size), Index::Dim(inner_size)], behind, vec![expr], span);
            inner_size = init[at].clone();
            inner = Shape::dims([inner_size.clone()]).append(&inner);
        }
        expr
    }
}
