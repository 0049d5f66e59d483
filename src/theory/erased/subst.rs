//! Substitution of closed expressions and indices in erased core.
//!
//! What is put in is closed but for primitives, so nothing is captured as long as no binder has the name of a primitive that
//! the replacement mentions; closed programs of the reduction machine have no binder named like a primitive.

use super::{Expr, ExprKind, LoopForm};
use crate::base::{Scalar, Span, Symbol};
use crate::ir::core::free::Name;
use crate::ir::core::subst::{Replacement, Subst, TooLarge};
use crate::ir::core::{Dim, Index, Shape, ShapeItem};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// A simultaneous substitution of closed expressions for term variables and of closed indices for index variables.
#[derive(Debug, Clone, Default)]
pub struct Closing {
    terms: FxHashMap<Symbol, Expr>,
    indices: Subst,
}

/// `(box (r) (reify-shape s))` where `s` has got rid of its variables and `(reify-shape s)` where it never had any or still has one.
fn reified(before: &Shape, after: Shape, span: Span) -> Expr {
    let open = |shape: &Shape| shape.items.iter().any(|item| matches!(item, ShapeItem::Var(_)));
    let boxed = open(before) && !open(&after);
    let rank = after.items.len() as i64;
    let shape = Expr::new(ExprKind::ReifyShape(after), span);
    if boxed { Expr::new(ExprKind::Box { indices: vec![Index::Dim(Dim::constant(rank))], body: shape }, span) } else { shape }
}

impl Closing {
    /// Puts a closed expression in the place of a term variable; where it is an `i64`, also in sizes.
    pub fn term(&mut self, name: Symbol, by: Expr) {
        if let ExprKind::Lit(Scalar::I64(value)) = by.kind() {
            self.indices.insert(Name::Size(name), Replacement::Dim(Dim::constant(*value)));
        }
        self.terms.insert(name, by);
    }
    /// Puts a closed index in the place of an index variable.
    pub fn index(&mut self, name: Symbol, by: Index) {
        self.indices.insert(Name::Index(name), Replacement::from(by));
    }
    fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.indices.is_empty()
    }
    /// What is left below binders of these names.
    fn below(&self, terms: &[Symbol], indices: &[Symbol]) -> Cow<'_, Closing> {
        let mut inner = Cow::Borrowed(self);
        for name in terms {
            if self.terms.contains_key(name) {
                inner.to_mut().terms.remove(name);
                inner.to_mut().indices.remove(Name::Size(*name));
            }
        }
        for name in indices {
            if self.indices.get(Name::Index(*name)).is_some() {
                inner.to_mut().indices.remove(Name::Index(*name));
            }
        }
        inner
    }
    fn all(&self, exprs: &[Expr]) -> Result<Vec<Expr>, TooLarge> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }
    fn named(&self, exprs: &[(Symbol, Expr)]) -> Result<Vec<(Symbol, Expr)>, TooLarge> {
        exprs.iter().map(|(name, expr)| Ok((*name, self.expr(expr)?))).collect()
    }
    fn indices(&self, indices: &[Index]) -> Result<Vec<Index>, TooLarge> {
        indices.iter().map(|index| self.indices.index(index)).collect()
    }
    /// The expression after substitution.
    pub fn expr(&self, expr: &Expr) -> Result<Expr, TooLarge> {
        if self.is_empty() {
            return Ok(expr.clone());
        }
        let span = expr.span();
        let kind = match expr.kind() {
            ExprKind::Var(name) => return Ok(self.terms.get(name).unwrap_or(expr).clone()),
            ExprKind::Lit(_) => return Ok(expr.clone()),
            ExprKind::Array { dims, atoms } => ExprKind::Array { dims: dims.clone(), atoms: self.all(atoms)? },
            ExprKind::Frame { dims, cell, cells } => {
                return Ok(Expr::frame(dims.clone(), self.indices.shape(cell)?, self.all(cells)?, span));
            }
            ExprKind::App { fun, args } => ExprKind::App { fun: self.expr(fun)?, args: self.all(args)? },
            ExprKind::Inst { fun, indices } => ExprKind::Inst { fun: self.expr(fun)?, indices: self.indices(indices)? },
            ExprKind::Fn { params, body } => ExprKind::Fn { params: params.clone(), body: self.below(params, &[]).expr(body)? },
            ExprKind::IFn { params, body } => ExprKind::IFn { params: params.clone(), body: self.below(&[], params).expr(body)? },
            ExprKind::Let { name, rhs, body } => {
                ExprKind::Let { name: *name, rhs: self.expr(rhs)?, body: self.below(&[*name], &[]).expr(body)? }
            }
            ExprKind::If { cond, then, els } => ExprKind::If { cond: self.expr(cond)?, then: self.expr(then)?, els: self.expr(els)? },
            ExprKind::Loop { params, form, body } => {
                let mut names: Vec<Symbol> = params.iter().map(|(name, _)| *name).collect();
                let form = match form {
                    LoopForm::For(counter, bound) => {
                        names.push(*counter);
                        LoopForm::For(*counter, self.expr(bound)?)
                    }
                    LoopForm::While(cond) => LoopForm::While(self.below(&names, &[]).expr(cond)?),
                };
                ExprKind::Loop { params: self.named(params)?, form, body: self.below(&names, &[]).expr(body)? }
            }
            ExprKind::Map { frame, args, body, cell } => {
                let names: Vec<Symbol> = args.iter().map(|(name, _)| *name).collect();
                let body = self.below(&names, &[]).expr(body)?;
                ExprKind::Map { frame: self.indices.shape(frame)?, args: self.named(args)?, body, cell: self.indices.shape(cell)? }
            }
            ExprKind::Rep { frame, arg } => ExprKind::Rep { frame: self.indices.shape(frame)?, arg: self.expr(arg)? },
            ExprKind::Tuple(parts) => ExprKind::Tuple(self.all(parts)?),
            ExprKind::Proj(at, tuple) => ExprKind::Proj(*at, self.expr(tuple)?),
            ExprKind::Record(fields) => ExprKind::Record(self.named(fields)?),
            ExprKind::Field(label, record) => ExprKind::Field(*label, self.expr(record)?),
            ExprKind::Inject(label, payload) => ExprKind::Inject(*label, self.expr(payload)?),
            ExprKind::Is(label, sum) => ExprKind::Is(*label, self.expr(sum)?),
            ExprKind::Payload(label, sum) => ExprKind::Payload(*label, self.expr(sum)?),
            ExprKind::Box { indices, body } => ExprKind::Box { indices: self.indices(indices)?, body: self.expr(body)? },
            ExprKind::Unbox { boxed, value, indices, body } => {
                let body = self.below(&[*value], indices).expr(body)?;
                ExprKind::Unbox { boxed: self.expr(boxed)?, value: *value, indices: indices.clone(), body }
            }
            ExprKind::ReifyDim(dim) => ExprKind::ReifyDim(self.indices.dim(dim)?),
            ExprKind::ReifyShape(shape) => return Ok(reified(shape, self.indices.shape(shape)?, span)),
            ExprKind::Coerce { checks, expr } => {
                let shapes = |(from, to): &(Shape, Shape)| Ok((self.indices.shape(from)?, self.indices.shape(to)?));
                ExprKind::Coerce { checks: checks.iter().map(shapes).collect::<Result<_, TooLarge>>()?, expr: self.expr(expr)? }
            }
            ExprKind::Assert { cond, message, expr } => {
                ExprKind::Assert { cond: self.expr(cond)?, message: *message, expr: self.expr(expr)? }
            }
        };
        Ok(Expr::new(kind, span))
    }
}
