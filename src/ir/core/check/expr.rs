//! The types of expressions: variables, literals, abstractions, data.

use super::error::{Binder, ErrorKind, FormError, Place, Wanted};
use super::scope::{binder_form, labels_form, used_names};
use super::{Checker, Result};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::free::Name;
use crate::ir::core::print::literal_shape;
use crate::ir::core::value::computes_nothing;
use crate::ir::core::{Atom, Dim, Expr, ExprKind, Param, Shape, ShapeItem, Type, is_shape};
use std::sync::Arc;

impl Checker {
    /// The type of an expression.
    pub(super) fn infer(&mut self, expr: &Expr) -> Result<Type> {
        let span = expr.span();
        match expr.kind() {
            ExprKind::Var(name) => match self.lookup(*name) {
                Some(ty) => Ok(ty),
                None => self.error(span, ErrorKind::UnknownVariable(*name)),
            },
            ExprKind::Lit(value) => Ok(Type::prim(value.prim())),
            ExprKind::Array { dims, elem, items } => self.array(span, dims, *elem, items),
            ExprKind::Frame { dims, cell, cells } => self.frame(span, dims, cell, cells),
            ExprKind::App { fun, args } => self.application(expr, fun, args),
            ExprKind::Inst { fun, types, indices } => self.instance(span, fun, types, indices),
            ExprKind::Fn { params, ret, body } => self.function(span, params, ret, body),
            ExprKind::IFn { params, body } => self.abstraction(span, params, body, true),
            ExprKind::TFn { params, body } => self.abstraction(span, params, body, false),
            ExprKind::Let { name, ty, rhs, body } => self.binding(span, *name, ty.as_ref(), rhs, body),
            ExprKind::If { cond, then, els } => {
                self.condition(cond)?;
                let ty = self.infer(then)?;
                let other = self.infer(els)?;
                self.expect(&ty, &other, els.span(), Place::SecondBranch)?;
                Ok(ty)
            }
            ExprKind::Loop { params, form, body } => self.looping(span, params, form, body),
            ExprKind::Map { frame, args, body } => self.map(expr, frame, args, body),
            ExprKind::Rep { frame, arg } => {
                let frame = self.shape_annotation(frame, span)?;
                Ok(self.infer(arg)?.framed(&frame))
            }
            ExprKind::Tuple(parts) => {
                let types = parts.iter().map(|part| self.infer(part)).collect::<Result<_>>()?;
                Ok(Type::scalar(Atom::Tuple(types)))
            }
            ExprKind::Record(fields) => self.record(span, fields),
            ExprKind::Proj(at, tuple) => self.projection(span, *at, tuple),
            ExprKind::Field(label, record) => self.field(span, *label, record),
            ExprKind::Inject { label, ty, payload } => self.injection(span, *label, ty, payload),
            ExprKind::Is(label, sum) => self.payload(span, *label, sum).map(|_| Type::prim(PrimType::Bool)),
            ExprKind::Payload(label, sum) => self.payload(span, *label, sum),
            ExprKind::Box { indices, ty, body } => self.boxed(span, indices, ty, body),
            ExprKind::Unbox { boxed, value, indices, body } => self.unboxed(span, boxed, *value, indices, body),
            ExprKind::ReifyDim(dim) => {
                self.dim_annotation(dim, span)?;
                Ok(Type::prim(PrimType::I64))
            }
            ExprKind::ReifyShape(shape) => self.reified(span, shape),
            ExprKind::Coerce { ty, expr: inner } => self.coercion(expr, ty, inner),
            ExprKind::Assert { cond, message: _, expr } => {
                self.condition(cond)?;
                self.infer(expr)
            }
        }
    }

    /// The expression is a rank-0 `bool`.
    pub(super) fn condition(&mut self, cond: &Expr) -> Result<()> {
        let found = self.infer(cond)?;
        self.expect(&Type::prim(PrimType::Bool), &found, cond.span(), Place::Condition)
    }

    /// The number of items of a literal is that of its shape.
    fn count(&self, span: Span, dims: &[u64], items: usize) -> Result<Shape> {
        let Some(shape) = literal_shape(dims) else { return self.error(span, ErrorKind::LiteralShape) };
        let product = dims.iter().try_fold(1u64, |product, n| product.checked_mul(*n));
        let product = if dims.contains(&0) { Some(0) } else { product };
        if product != Some(items as u64) {
            return self.error(span, ErrorKind::LiteralCount { shape, items });
        }
        Ok(shape)
    }

    fn array(&mut self, span: Span, dims: &[u64], elem: PrimType, items: &[Scalar]) -> Result<Type> {
        let shape = self.count(span, dims, items.len())?;
        if let Some(item) = items.iter().find(|item| item.prim() != elem) {
            return self.error(span, ErrorKind::ItemType { elem, found: item.prim() });
        }
        Ok(Type::new(Atom::Prim(elem), shape))
    }

    fn frame(&mut self, span: Span, dims: &[u64], cell: &Type, cells: &[Expr]) -> Result<Type> {
        let frame = self.count(span, dims, cells.len())?;
        let cell = self.annotation(cell, span)?;
        for (at, expr) in cells.iter().enumerate() {
            let found = self.infer(expr)?;
            self.expect(&cell, &found, expr.span(), Place::Cell(at))?;
        }
        Ok(cell.framed(&frame))
    }

    fn function(&mut self, span: Span, params: &[(Symbol, Type)], ret: &Type, body: &Expr) -> Result<Type> {
        if params.is_empty() {
            return self.error(span, ErrorKind::NoParameters);
        }
        let mut bound = Vec::with_capacity(params.len());
        let result = self.function_parts(span, params, ret, body, &mut bound);
        self.unbind_all(bound);
        result
    }

    fn function_parts(
        &mut self,
        span: Span,
        params: &[(Symbol, Type)],
        ret: &Type,
        body: &Expr,
        bound: &mut Vec<super::scope::Bound>,
    ) -> Result<Type> {
        let mut types = Vec::with_capacity(params.len());
        for (name, ty) in params {
            let ty = self.annotation(ty, span)?;
            let binding = self.bind(Name::Size(*name), Some(ty.clone()), None);
            types.push((binding.internal, ty));
            bound.push(binding);
        }
        let ret = self.annotation(ret, span)?;
        let found = self.infer(body)?;
        self.expect(&ret, &found, body.span(), Place::FunctionBody)?;
        let used = used_names(&mut self.free, &types, &ret);
        let params = types.into_iter().zip(used);
        let params = params.map(|((name, ty), used)| Param { name: used.then(|| name.symbol()), ty }).collect();
        Ok(Type::fun(params, ret))
    }

    /// `i-fn` and `t-fn`.
    fn abstraction(&mut self, span: Span, params: &[Symbol], body: &Expr, indices: bool) -> Result<Type> {
        let what = if indices { Binder::IFn } else { Binder::TFn };
        if let Err(error) = binder_form(what, params) {
            return self.error(span, error);
        }
        if let Some(name) = params.iter().find(|name| !indices && is_shape(**name)) {
            return self.error(span, FormError::ShapeSigil(*name));
        }
        let kind = if indices { Name::Index } else { Name::Type };
        let bound: Vec<_> = params.iter().map(|name| self.bind(kind(*name), None, None)).collect();
        let names = bound.iter().map(|bound| bound.internal.symbol()).collect();
        let body_type = self.infer(body);
        self.unbind_all(bound);
        let body_type = body_type?;
        if !self.is_value(body) {
            return self.error(body.span(), ErrorKind::NoValue(what));
        }
        Ok(Type::scalar(if indices { Atom::Pi(names, body_type) } else { Atom::Forall(names, body_type) }))
    }

    /// Whether evaluating the expression computes nothing. Its type has been inferred.
    pub(super) fn is_value(&self, expr: &Expr) -> bool {
        computes_nothing(expr, &|call| self.partial.contains(&Arc::as_ptr(&call.0)))
    }

    fn record(&mut self, span: Span, fields: &[(Symbol, Expr)]) -> Result<Type> {
        if let Err(error) = labels_form(fields.iter().map(|(label, _)| *label)) {
            return self.error(span, error);
        }
        let types = fields.iter().map(|(label, field)| Ok((*label, self.infer(field)?))).collect::<Result<_>>()?;
        Ok(Type::scalar(Atom::Record(types)))
    }

    fn projection(&mut self, span: Span, at: usize, tuple: &Expr) -> Result<Type> {
        let ty = self.infer(tuple)?;
        let (Atom::Tuple(types), true) = (ty.atom(), ty.shape().is_scalar()) else {
            return self.error(tuple.span(), ErrorKind::NotOf { wanted: Wanted::Tuple, found: ty });
        };
        match types.get(at) {
            Some(ty) => Ok(ty.clone()),
            None => self.error(span, ErrorKind::NoComponent { at, of: types.len() }),
        }
    }

    fn field(&mut self, span: Span, label: Symbol, record: &Expr) -> Result<Type> {
        let ty = self.infer(record)?;
        let (Atom::Record(fields), true) = (ty.atom(), ty.shape().is_scalar()) else {
            return self.error(record.span(), ErrorKind::NotOf { wanted: Wanted::Record, found: ty });
        };
        match fields.iter().find(|(name, _)| *name == label) {
            Some((_, ty)) => Ok(ty.clone()),
            None => self.error(span, ErrorKind::NoField { label, ty }),
        }
    }

    fn injection(&mut self, span: Span, label: Symbol, ty: &Type, payload: &Expr) -> Result<Type> {
        let ty = self.annotation(ty, span)?;
        let wanted = self.payload_type(span, label, &ty)?;
        let found = self.infer(payload)?;
        self.expect(&wanted, &found, payload.span(), Place::Payload(label))?;
        Ok(ty)
    }

    /// The type of the payload that a sum has if it was made by this constructor.
    fn payload(&mut self, span: Span, label: Symbol, sum: &Expr) -> Result<Type> {
        let ty = self.infer(sum)?;
        self.payload_type(span, label, &ty)
    }

    fn payload_type(&self, span: Span, label: Symbol, ty: &Type) -> Result<Type> {
        match ty.atom() {
            Atom::Sum(payloads) if ty.shape().is_scalar() => match payloads.iter().find(|(name, _)| *name == label) {
                Some((_, ty)) => Ok(ty.clone()),
                None => self.error(span, ErrorKind::NoConstructor { label, ty: ty.clone() }),
            },
            Atom::Prim(_)
            | Atom::Var(_)
            | Atom::Fun(..)
            | Atom::Forall(..)
            | Atom::Pi(..)
            | Atom::Sigma(..)
            | Atom::Tuple(_)
            | Atom::Record(_)
            | Atom::Sum(_) => self.error(span, ErrorKind::NotOf { wanted: Wanted::Sum, found: ty.clone() }),
        }
    }

    fn reified(&mut self, span: Span, shape: &Shape) -> Result<Type> {
        let shape = self.shape_annotation(shape, span)?;
        let i64s = |dim| Type::new(Atom::Prim(PrimType::I64), Shape::dims([dim]));
        if shape.items.iter().all(|item| matches!(item, ShapeItem::Dim(_))) {
            return Ok(i64s(Dim::constant(shape.items.len() as i64)));
        }
        let n = Symbol::new("n");
        Ok(Type::scalar(Atom::Sigma(vec![n], i64s(Dim::var(n)))))
    }

    fn coercion(&mut self, expr: &Expr, ty: &Type, inner: &Expr) -> Result<Type> {
        let span = expr.span();
        let ty = self.annotation(ty, span)?;
        let found = self.infer(inner)?;
        if let Some(found) = self.with_program_names(&found) {
            self.coerced.insert(Arc::as_ptr(&expr.0), found);
        }
        if !self.equality.equal_up_to_sizes(&mut self.free, &ty, &found) {
            return self.error(span, ErrorKind::Coercion { from: found, to: ty });
        }
        Ok(ty)
    }
}
