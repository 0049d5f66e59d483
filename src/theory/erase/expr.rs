//! Erasure of expressions, each with its type.

use super::scope::{Bound, is_i64, variable};
use super::{Eraser, Result, malformed, residue};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::core::free::Name;
use crate::ir::core::subst::{Replacement, Subst};
use crate::ir::core::{Atom, Dim, Expr, ExprKind, Index, LoopForm, LoopParam, Param, Shape, ShapeItem, Type, sizes};
use crate::theory::erased;

type Typed = (erased::Expr, Type);

/// The shapes of two types that differ in sizes only, those of components included.
fn checks(from: &Type, to: &Type, out: &mut Vec<(Shape, Shape)>) {
    out.push((residue(from), residue(to)));
    match (from.atom(), to.atom()) {
        (Atom::Tuple(a), Atom::Tuple(b)) => a.iter().zip(b).for_each(|(a, b)| checks(a, b, out)),
        (Atom::Record(a), Atom::Record(b)) => a.iter().zip(b).for_each(|((_, a), (_, b))| checks(a, b, out)),
        _ => {}
    }
}

fn frame_of(dims: &[u64]) -> Shape {
    Shape::dims(dims.iter().map(|n| Dim::constant(*n as i64)))
}

fn internal(bound: &Bound) -> Symbol {
    bound.internal.symbol()
}

impl Eraser {
    /// An expression without types, and its type.
    pub(super) fn expr(&mut self, expr: &Expr) -> Result<Typed> {
        let span = expr.span();
        let (kind, ty) = match expr.kind() {
            ExprKind::Var(name) => match self.lookup(*name) {
                Some((name, ty)) => (erased::ExprKind::Var(name), ty),
                None => return malformed(span, format!("the variable `{name}` is not in scope")),
            },
            ExprKind::Lit(value) => (erased::ExprKind::Lit(*value), Type::prim(value.prim())),
            ExprKind::Array { dims, elem, items } => {
                let atoms = items.iter().map(|item| erased::Expr::new(erased::ExprKind::Lit(*item), span)).collect();
                (erased::ExprKind::Array { dims: dims.clone(), atoms }, Type::new(Atom::Prim(*elem), frame_of(dims)))
            }
            ExprKind::Frame { dims, cell, cells } => {
                let cell = self.annotation(cell, span)?;
                let (cells, _) = self.all(cells)?;
                return Ok((erased::Expr::frame(dims.clone(), residue(&cell), cells, span), cell.framed(&frame_of(dims))));
            }
            ExprKind::App { fun, args } => self.application(span, fun, args)?,
            ExprKind::Inst { fun, types, indices } => return self.instance(span, fun, types, indices),
            ExprKind::Fn { params, ret, body } => self.function(span, params, ret, body)?,
            ExprKind::IFn { params, body } => {
                let bound: Vec<Bound> = params.iter().map(|name| self.bind(Name::Index(*name), None, None)).collect();
                let params: Vec<Symbol> = bound.iter().map(internal).collect();
                let (body, ty) = self.below(bound, body)?;
                (erased::ExprKind::IFn { params: params.clone(), body }, Type::scalar(Atom::Pi(params, ty)))
            }
            ExprKind::TFn { params, body } => self.type_function(params, body)?,
            ExprKind::Let { name, ty, rhs, body } => self.binding(span, *name, ty.as_ref(), rhs, body)?,
            ExprKind::If { cond, then, els } => {
                let (cond, _) = self.expr(cond)?;
                let (then, ty) = self.expr(then)?;
                let (els, _) = self.expr(els)?;
                (erased::ExprKind::If { cond, then, els }, ty)
            }
            ExprKind::Loop { params, form, body } => self.looping(span, params, form, body)?,
            ExprKind::Map { frame, args, body } => self.map(span, frame, args, body)?,
            ExprKind::Rep { frame, arg } => {
                let frame = self.shape(frame, span)?;
                let (arg, ty) = self.expr(arg)?;
                let ty = ty.framed(&frame);
                (erased::ExprKind::Rep { frame, arg }, ty)
            }
            ExprKind::Tuple(parts) => {
                let (parts, types) = self.all(parts)?;
                (erased::ExprKind::Tuple(parts), Type::scalar(Atom::Tuple(types)))
            }
            ExprKind::Record(fields) => {
                let mut parts = Vec::with_capacity(fields.len());
                let mut types = Vec::with_capacity(fields.len());
                for (label, field) in fields {
                    let (field, ty) = self.expr(field)?;
                    parts.push((*label, field));
                    types.push((*label, ty));
                }
                (erased::ExprKind::Record(parts), Type::scalar(Atom::Record(types)))
            }
            ExprKind::Proj(at, tuple) => {
                let (tuple, ty) = self.expr(tuple)?;
                let part = if let Atom::Tuple(types) = ty.atom() { types.get(*at).cloned() } else { None };
                let Some(part) = part else { return malformed(span, format!("there is no component {at}")) };
                (erased::ExprKind::Proj(*at, tuple), part)
            }
            ExprKind::Field(label, record) => {
                let (record, ty) = self.expr(record)?;
                let found = if let Atom::Record(fields) = ty.atom() { fields.iter().find(|(name, _)| name == label) } else { None };
                let Some((_, part)) = found else { return malformed(span, format!("there is no field `{label}`")) };
                (erased::ExprKind::Field(*label, record), part.clone())
            }
            ExprKind::Inject { label, ty, payload } => {
                let ty = self.annotation(ty, span)?;
                (erased::ExprKind::Inject(*label, self.expr(payload)?.0), ty)
            }
            ExprKind::Is(label, sum) => (erased::ExprKind::Is(*label, self.expr(sum)?.0), Type::prim(PrimType::Bool)),
            ExprKind::Payload(label, sum) => {
                let (sum, ty) = self.expr(sum)?;
                let found = if let Atom::Sum(payloads) = ty.atom() { payloads.iter().find(|(name, _)| name == label) } else { None };
                let Some((_, part)) = found else { return malformed(span, format!("there is no constructor `{label}`")) };
                (erased::ExprKind::Payload(*label, sum), part.clone())
            }
            ExprKind::Box { indices, ty, body } => self.boxed(span, indices, ty, body)?,
            ExprKind::Unbox { boxed, value, indices, body } => self.unboxed(span, boxed, *value, indices, body)?,
            ExprKind::ReifyDim(dim) => (erased::ExprKind::ReifyDim(self.dim(dim, span)?), Type::prim(PrimType::I64)),
            ExprKind::ReifyShape(shape) => {
                let shape = self.shape(shape, span)?;
                let ty = reified_type(&shape);
                (erased::ExprKind::ReifyShape(shape), ty)
            }
            ExprKind::Coerce { ty, expr } => {
                let ty = self.annotation(ty, span)?;
                let (expr, found) = self.expr(expr)?;
                let mut pairs = Vec::new();
                checks(&found, &ty, &mut pairs);
                (erased::ExprKind::Coerce { checks: pairs, expr }, ty)
            }
            ExprKind::Assert { cond, message, expr } => {
                let (cond, _) = self.expr(cond)?;
                let (expr, ty) = self.expr(expr)?;
                (erased::ExprKind::Assert { cond, message: *message, expr }, ty)
            }
        };
        Ok((erased::Expr::new(kind, span), ty))
    }

    fn all(&mut self, exprs: &[Expr]) -> Result<(Vec<erased::Expr>, Vec<Type>)> {
        let mut out = (Vec::with_capacity(exprs.len()), Vec::with_capacity(exprs.len()));
        for expr in exprs {
            let (expr, ty) = self.expr(expr)?;
            out.0.push(expr);
            out.1.push(ty);
        }
        Ok(out)
    }

    /// An expression in the scope of `bound`, which ends with it.
    fn below(&mut self, bound: Vec<Bound>, body: &Expr) -> Result<Typed> {
        let result = self.expr(body);
        self.unbind(bound);
        result
    }

    fn application(&mut self, span: Span, fun: &Expr, args: &[Expr]) -> Result<(erased::ExprKind, Type)> {
        let (fun, ty) = self.expr(fun)?;
        let Atom::Fun(params, ret) = ty.atom() else { return malformed(span, "a function is expected here") };
        let mut subst = Subst::default();
        let mut erased_args = Vec::with_capacity(args.len());
        for (at, arg) in args.iter().enumerate() {
            if let Some(Param { name: Some(name), ty }) = params.get(at)
                && is_i64(ty)
                && let Some(dim) = sizes::size_of(self, arg)
            {
                subst.insert(Name::Size(*name), Replacement::Dim(dim));
            }
            erased_args.push(self.expr(arg)?.0);
        }
        let Some(rest) = params.get(args.len()..) else { return malformed(span, "too many arguments") };
        let ty = self.substituted(&subst, &Type::fun(rest.to_vec(), ret.clone()), span)?;
        Ok((erased::ExprKind::App { fun, args: erased_args }, ty))
    }

    /// Indices and types are two instantiations of one index abstraction after the other; the residue of an atom type is `[]`.
    fn instance(&mut self, span: Span, fun: &Expr, types: &[Atom], indices: &[Index]) -> Result<Typed> {
        let (mut fun, mut ty) = self.expr(fun)?;
        if !indices.is_empty() {
            let Atom::Pi(names, body) = ty.atom().clone() else { return malformed(span, "this takes no indices") };
            let indices = indices.iter().map(|index| self.index(index, span)).collect::<Result<Vec<_>>>()?;
            let mut subst = Subst::default();
            for (name, index) in names.iter().zip(&indices) {
                subst.insert(Name::Index(*name), Replacement::from(index.clone()));
            }
            ty = self.substituted(&subst, &body, span)?;
            fun = erased::Expr::new(erased::ExprKind::Inst { fun, indices }, span);
        }
        if !types.is_empty() {
            let Atom::Forall(names, body) = ty.atom().clone() else { return malformed(span, "this takes no types") };
            let mut subst = Subst::default();
            for (name, atom) in names.iter().zip(types) {
                let atom = self.annotation(&Type::scalar(atom.clone()), span)?;
                subst.insert(Name::Type(*name), Replacement::Atom(atom.atom().clone()));
            }
            ty = self.substituted(&subst, &body, span)?;
            let indices = types.iter().map(|_| Index::Shape(Shape::default())).collect();
            fun = erased::Expr::new(erased::ExprKind::Inst { fun, indices }, span);
        }
        Ok((fun, ty))
    }

    fn function(&mut self, span: Span, params: &[(Symbol, Type)], ret: &Type, body: &Expr) -> Result<(erased::ExprKind, Type)> {
        let mut bound = Vec::with_capacity(params.len());
        let mut out = Vec::with_capacity(params.len());
        let mut types = Vec::with_capacity(params.len());
        for (name, ty) in params {
            let ty = self.annotation(ty, span)?;
            let binding = self.bind(Name::Size(*name), Some(ty.clone()), None);
            out.push(internal(&binding));
            types.push(Param { name: is_i64(&ty).then(|| internal(&binding)), ty });
            bound.push(binding);
        }
        let ret = self.annotation(ret, span)?;
        let (body, _) = self.below(bound, body)?;
        Ok((erased::ExprKind::Fn { params: out, body }, Type::fun(types, ret)))
    }

    /// Type parameters become index parameters under names that no index in scope has.
    fn type_function(&mut self, params: &[Symbol], body: &Expr) -> Result<(erased::ExprKind, Type)> {
        let bound: Vec<Bound> = params.iter().map(|name| self.bind(Name::Type(*name), None, None)).collect();
        let types: Vec<Symbol> = bound.iter().map(internal).collect();
        let mut indices = Vec::with_capacity(params.len());
        for name in params {
            let name = self.unused(Name::Index(Symbol::new(&format!("@{name}"))));
            self.used.insert(name);
            indices.push(name);
        }
        let (body, ty) = self.below(bound, body)?;
        for name in &indices {
            self.used.remove(name);
        }
        let params = indices.into_iter().map(Name::symbol).collect();
        Ok((erased::ExprKind::IFn { params, body }, Type::scalar(Atom::Forall(types, ty))))
    }

    fn binding(&mut self, span: Span, name: Symbol, ty: Option<&Type>, rhs: &Expr, body: &Expr) -> Result<(erased::ExprKind, Type)> {
        let (erased_rhs, found) = self.expr(rhs)?;
        let ty = match ty {
            Some(ty) => self.annotation(ty, span)?,
            None => found,
        };
        let dim = if is_i64(&ty) { sizes::size_of(self, rhs) } else { None };
        let bound = self.bind(Name::Size(name), Some(ty), dim);
        let name = internal(&bound);
        let (body, ty) = self.below(vec![bound], body)?;
        Ok((erased::ExprKind::Let { name, rhs: erased_rhs, body }, ty))
    }

    fn looping(&mut self, span: Span, params: &[LoopParam], form: &LoopForm, body: &Expr) -> Result<(erased::ExprKind, Type)> {
        let mut types = Vec::with_capacity(params.len());
        let mut inits = Vec::with_capacity(params.len());
        for param in params {
            types.push(self.annotation(&param.ty, span)?);
            inits.push(self.expr(&param.init)?.0);
        }
        let bound_of = match form {
            LoopForm::For(counter, count) => Some((*counter, self.expr(count)?.0)),
            LoopForm::While(_) => None,
        };
        let mut bound: Vec<Bound> =
            params.iter().zip(&types).map(|(param, ty)| self.bind(Name::Size(param.name), Some(ty.clone()), None)).collect();
        let params = bound.iter().map(internal).zip(inits).collect();
        let form = match (bound_of, form) {
            (Some((counter, count)), _) => {
                let binding = self.bind(Name::Size(counter), Some(Type::prim(PrimType::I64)), None);
                let counter = internal(&binding);
                bound.push(binding);
                Ok(erased::LoopForm::For(counter, count))
            }
            (None, LoopForm::While(cond)) => self.expr(cond).map(|(cond, _)| erased::LoopForm::While(cond)),
            (None, LoopForm::For(..)) => malformed(span, "a loop without a bound"),
        };
        let (body, _) = self.below(bound, body)?;
        let ty = match types.as_slice() {
            [ty] => ty.clone(),
            _ => Type::scalar(Atom::Tuple(types)),
        };
        Ok((erased::ExprKind::Loop { params, form: form?, body }, ty))
    }

    fn map(&mut self, span: Span, frame: &Shape, args: &[(Symbol, Expr)], body: &Expr) -> Result<(erased::ExprKind, Type)> {
        let frame = self.shape(frame, span)?;
        let mut arrays = Vec::with_capacity(args.len());
        for (name, arg) in args {
            let (arg, ty) = self.expr(arg)?;
            let Some(rest) = ty.shape().items.strip_prefix(frame.items.as_slice()) else {
                return malformed(span, format!("the array for `{name}` does not begin with the frame"));
            };
            arrays.push((*name, arg, Type::new(ty.atom().clone(), Shape { items: rest.to_vec() })));
        }
        let mut bound = Vec::with_capacity(arrays.len());
        let mut out = Vec::with_capacity(arrays.len());
        for (name, arg, cell) in arrays {
            let binding = self.bind(Name::Size(name), Some(cell), None);
            out.push((internal(&binding), arg));
            bound.push(binding);
        }
        let (body, cell) = self.below(bound, body)?;
        let ty = cell.framed(&frame);
        Ok((erased::ExprKind::Map { frame, args: out, body, cell: residue(&cell) }, ty))
    }

    fn boxed(&mut self, span: Span, indices: &[(Symbol, Index)], ty: &Type, body: &Expr) -> Result<(erased::ExprKind, Type)> {
        let hidden = indices.iter().map(|(_, index)| self.index(index, span)).collect::<Result<Vec<_>>>()?;
        let bound: Vec<Bound> = indices.iter().map(|(name, _)| self.bind(Name::Index(*name), None, None)).collect();
        let names = bound.iter().map(internal).collect();
        let ty = self.annotation(ty, span);
        self.unbind(bound);
        let (body, _) = self.expr(body)?;
        Ok((erased::ExprKind::Box { indices: hidden, body }, Type::scalar(Atom::Sigma(names, ty?))))
    }

    fn unboxed(&mut self, span: Span, boxed: &Expr, value: Symbol, indices: &[Symbol], body: &Expr) -> Result<(erased::ExprKind, Type)> {
        let (boxed, ty) = self.expr(boxed)?;
        let Atom::Sigma(names, inner) = ty.atom() else { return malformed(span, "a box is expected here") };
        let mut bound: Vec<Bound> = indices.iter().map(|name| self.bind(Name::Index(*name), None, None)).collect();
        let opened = bound.iter().map(internal).collect();
        let mut subst = Subst::default();
        for (name, opened) in names.iter().zip(&bound) {
            subst.insert(Name::Index(*name), variable(opened.internal));
        }
        let inner = self.substituted(&subst, inner, span)?;
        let binding = self.bind(Name::Size(value), Some(inner), None);
        let value = internal(&binding);
        bound.push(binding);
        let (body, ty) = self.below(bound, body)?;
        Ok((erased::ExprKind::Unbox { boxed, value, indices: opened, body }, ty))
    }
}

/// The type of `(reify-shape s)`.
fn reified_type(shape: &Shape) -> Type {
    let vector = |dim| Type::new(Atom::Prim(PrimType::I64), Shape::dims([dim]));
    if shape.items.iter().all(|item| matches!(item, ShapeItem::Dim(_))) {
        return vector(Dim::constant(shape.items.len() as i64));
    }
    let n = Symbol::new("n");
    Type::scalar(Atom::Sigma(vec![n], vector(Dim::var(n))))
}
