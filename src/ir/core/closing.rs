//! Substitution of closed expressions, indices and atom types in expressions.
//!
//! What is put in is closed but for primitives, so nothing is captured as long as no binder has the name of a primitive that
//! the replacement mentions; [`rename_primitives`] makes a program like that.

use super::free::{FreeVars, Name};
use super::subst::{Replacement, Subst, TooLarge};
use super::{Atom, Dim, Expr, ExprKind, Index, LoopForm, LoopParam, Primitive, Shape, ShapeItem, Type};
use crate::base::{Scalar, Span, Symbol};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// A simultaneous substitution of closed expressions for term variables, of closed indices for index variables and of closed atom
/// types for type variables. Annotations are rewritten along with expressions.
#[derive(Debug, Clone, Default)]
pub struct Closing {
    terms: FxHashMap<Symbol, Expr>,
    types: Subst,
}

/// `reify-shape` is a vector for a shape without variables and a box for others: where a shape loses its variables the box is
/// written out, so that the type stays what it was.
fn reified(before: &Shape, after: Shape, span: Span) -> Expr {
    let open = |shape: &Shape| shape.items.iter().any(|item| matches!(item, ShapeItem::Var(_)));
    let boxed = open(before) && !open(&after);
    let rank = Dim::constant(after.items.len() as i64);
    let shape = Expr::new(ExprKind::ReifyShape(after), span);
    if !boxed {
        return shape;
    }
    let n = Symbol::new("n");
    let ty = Type::new(Atom::Prim(crate::base::PrimType::I64), Shape::dims([Dim::var(n)]));
    Expr::new(ExprKind::Box { indices: vec![(n, Index::Dim(rank))], ty, body: shape }, span)
}

impl Closing {
    /// Puts a closed expression in the place of a term variable; where it is an `i64`, also in sizes.
    pub fn term(&mut self, name: Symbol, by: Expr) {
        if let ExprKind::Lit(Scalar::I64(value)) = by.kind() {
            self.types.insert(Name::Size(name), Replacement::Dim(Dim::constant(*value)));
        }
        self.terms.insert(name, by);
    }
    /// Puts a closed index in the place of an index variable.
    pub fn index(&mut self, name: Symbol, by: Index) {
        self.types.insert(Name::Index(name), Replacement::from(by));
    }
    /// Puts a closed atom type in the place of a type variable.
    pub fn atom(&mut self, name: Symbol, by: Atom) {
        self.types.insert(Name::Type(name), Replacement::Atom(by));
    }
    /// The expression after substitution.
    pub fn expr(&self, free: &mut FreeVars, expr: &Expr) -> Result<Expr, TooLarge> {
        Pass { free }.expr(self, expr)
    }
    /// The type after substitution.
    pub fn ty(&self, free: &mut FreeVars, ty: &Type) -> Result<Type, TooLarge> {
        self.types.ty(free, ty)
    }
    fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.types.is_empty()
    }
    /// What is left below binders of these names.
    fn below(&self, terms: &[Symbol], others: &[Name]) -> Cow<'_, Closing> {
        let mut inner = Cow::Borrowed(self);
        for name in terms.iter().filter(|name| self.terms.contains_key(name)) {
            inner.to_mut().terms.remove(name);
            inner.to_mut().types.remove(Name::Size(*name));
        }
        for name in others.iter().filter(|name| self.types.get(**name).is_some()) {
            inner.to_mut().types.remove(*name);
        }
        inner
    }
}

struct Pass<'f> {
    free: &'f mut FreeVars,
}

impl Pass<'_> {
    fn all(&mut self, by: &Closing, exprs: &[Expr]) -> Result<Vec<Expr>, TooLarge> {
        exprs.iter().map(|expr| self.expr(by, expr)).collect()
    }
    fn named(&mut self, by: &Closing, exprs: &[(Symbol, Expr)]) -> Result<Vec<(Symbol, Expr)>, TooLarge> {
        exprs.iter().map(|(name, expr)| Ok((*name, self.expr(by, expr)?))).collect()
    }
    fn ty(&mut self, by: &Closing, ty: &Type) -> Result<Type, TooLarge> {
        by.types.ty(self.free, ty)
    }

    fn expr(&mut self, by: &Closing, expr: &Expr) -> Result<Expr, TooLarge> {
        if by.is_empty() {
            return Ok(expr.clone());
        }
        let span = expr.span();
        let kind = match expr.kind() {
            ExprKind::Var(name) => return Ok(by.terms.get(name).unwrap_or(expr).clone()),
            ExprKind::Lit(_) | ExprKind::Array { .. } => return Ok(expr.clone()),
            ExprKind::Frame { dims, cell, cells } => {
                ExprKind::Frame { dims: dims.clone(), cell: self.ty(by, cell)?, cells: self.all(by, cells)? }
            }
            ExprKind::App { fun, args } => ExprKind::App { fun: self.expr(by, fun)?, args: self.all(by, args)? },
            ExprKind::Inst { fun, types, indices } => ExprKind::Inst {
                fun: self.expr(by, fun)?,
                types: types.iter().map(|atom| by.types.atom(self.free, atom)).collect::<Result<_, _>>()?,
                indices: indices.iter().map(|index| by.types.index(index)).collect::<Result<_, _>>()?,
            },
            ExprKind::Fn { params, ret, body } => self.function(by, params, ret, body)?,
            ExprKind::IFn { params, body } => {
                let names: Vec<Name> = params.iter().copied().map(Name::Index).collect();
                ExprKind::IFn { params: params.clone(), body: self.expr(&by.below(&[], &names), body)? }
            }
            ExprKind::TFn { params, body } => {
                let names: Vec<Name> = params.iter().copied().map(Name::Type).collect();
                ExprKind::TFn { params: params.clone(), body: self.expr(&by.below(&[], &names), body)? }
            }
            ExprKind::Let { name, ty, rhs, body } => ExprKind::Let {
                name: *name,
                ty: ty.as_ref().map(|ty| self.ty(by, ty)).transpose()?,
                rhs: self.expr(by, rhs)?,
                body: self.expr(&by.below(&[*name], &[]), body)?,
            },
            ExprKind::If { cond, then, els } => {
                ExprKind::If { cond: self.expr(by, cond)?, then: self.expr(by, then)?, els: self.expr(by, els)? }
            }
            ExprKind::Loop { params, form, body } => self.looping(by, params, form, body)?,
            ExprKind::Map { frame, args, body } => {
                let names: Vec<Symbol> = args.iter().map(|(name, _)| *name).collect();
                let body = self.expr(&by.below(&names, &[]), body)?;
                ExprKind::Map { frame: by.types.shape(frame)?, args: self.named(by, args)?, body }
            }
            ExprKind::Rep { frame, arg } => ExprKind::Rep { frame: by.types.shape(frame)?, arg: self.expr(by, arg)? },
            ExprKind::Tuple(parts) => ExprKind::Tuple(self.all(by, parts)?),
            ExprKind::Proj(at, tuple) => ExprKind::Proj(*at, self.expr(by, tuple)?),
            ExprKind::Record(fields) => ExprKind::Record(self.named(by, fields)?),
            ExprKind::Field(label, record) => ExprKind::Field(*label, self.expr(by, record)?),
            ExprKind::Inject { label, ty, payload } => {
                ExprKind::Inject { label: *label, ty: self.ty(by, ty)?, payload: self.expr(by, payload)? }
            }
            ExprKind::Is(label, sum) => ExprKind::Is(*label, self.expr(by, sum)?),
            ExprKind::Payload(label, sum) => ExprKind::Payload(*label, self.expr(by, sum)?),
            ExprKind::Box { indices, ty, body } => {
                let names: Vec<Name> = indices.iter().map(|(name, _)| Name::Index(*name)).collect();
                let ty = self.ty(&by.below(&[], &names), ty)?;
                let indices = indices.iter().map(|(name, index)| Ok((*name, by.types.index(index)?))).collect::<Result<_, TooLarge>>()?;
                ExprKind::Box { indices, ty, body: self.expr(by, body)? }
            }
            ExprKind::Unbox { boxed, value, indices, body } => {
                let names: Vec<Name> = indices.iter().copied().map(Name::Index).collect();
                let body = self.expr(&by.below(&[*value], &names), body)?;
                ExprKind::Unbox { boxed: self.expr(by, boxed)?, value: *value, indices: indices.clone(), body }
            }
            ExprKind::ReifyDim(dim) => ExprKind::ReifyDim(by.types.dim(dim)?),
            ExprKind::ReifyShape(shape) => return Ok(reified(shape, by.types.shape(shape)?, span)),
            ExprKind::Coerce { ty, expr } => ExprKind::Coerce { ty: self.ty(by, ty)?, expr: self.expr(by, expr)? },
            ExprKind::Assert { cond, message, expr } => {
                ExprKind::Assert { cond: self.expr(by, cond)?, message: *message, expr: self.expr(by, expr)? }
            }
        };
        Ok(Expr::new(kind, span))
    }

    /// A parameter is bound in the types of later parameters, in the result and in the body.
    fn function(&mut self, by: &Closing, params: &[(Symbol, Type)], ret: &Type, body: &Expr) -> Result<ExprKind, TooLarge> {
        let mut inner = Cow::Borrowed(by);
        let mut out = Vec::with_capacity(params.len());
        for (name, ty) in params {
            out.push((*name, self.ty(&inner, ty)?));
            if inner.terms.contains_key(name) {
                inner = Cow::Owned(inner.below(&[*name], &[]).into_owned());
            }
        }
        Ok(ExprKind::Fn { params: out, ret: self.ty(&inner, ret)?, body: self.expr(&inner, body)? })
    }

    fn looping(&mut self, by: &Closing, params: &[LoopParam], form: &LoopForm, body: &Expr) -> Result<ExprKind, TooLarge> {
        let mut names: Vec<Symbol> = params.iter().map(|param| param.name).collect();
        let form = match form {
            LoopForm::For(counter, bound) => {
                names.push(*counter);
                LoopForm::For(*counter, self.expr(by, bound)?)
            }
            LoopForm::While(cond) => LoopForm::While(self.expr(&by.below(&names, &[]), cond)?),
        };
        let body = self.expr(&by.below(&names, &[]), body)?;
        let param = |param: &LoopParam| Ok(LoopParam { name: param.name, ty: self.ty(by, &param.ty)?, init: self.expr(by, &param.init)? });
        Ok(ExprKind::Loop { params: params.iter().map(param).collect::<Result<_, TooLarge>>()?, form, body })
    }
}

/// The expression with binders of term variables that have names of primitives or of `taken` renamed, so that closed expressions can be put
/// anywhere in it.
pub fn rename_primitives(free: &mut FreeVars, expr: &Expr, taken: &dyn Fn(Symbol) -> bool) -> Result<Expr, TooLarge> {
    Renaming { free, taken }.expr(expr)
}

struct Renaming<'a> {
    free: &'a mut FreeVars,
    taken: &'a dyn Fn(Symbol) -> bool,
}

impl Renaming<'_> {
    fn is_taken(&self, name: Symbol) -> bool {
        (self.taken)(name) || Primitive::find(name).is_some()
    }
    /// New names for those binders that need them, and the renaming of what is below.
    fn binders(&self, names: &[Symbol], scope: &[&Expr]) -> (Vec<Symbol>, Closing) {
        let mut closing = Closing::default();
        let fresh = |name: &Symbol| {
            if !self.is_taken(*name) {
                return *name;
            }
            let occurs = |symbol| scope.iter().any(|expr| mentions(expr, symbol)) || names.contains(&symbol);
            let fresh = super::subst::fresh_symbol(*name, |symbol| self.is_taken(symbol) || occurs(symbol));
            closing.terms.insert(*name, Expr::new(ExprKind::Var(fresh), Span::default()));
            closing.types.insert(Name::Size(*name), Replacement::Dim(Dim::size(fresh)));
            fresh
        };
        let names = names.iter().map(fresh).collect();
        (names, closing)
    }
    fn below(&mut self, by: &Closing, expr: &Expr) -> Result<Expr, TooLarge> {
        let expr = by.expr(self.free, expr)?;
        self.expr(&expr)
    }
    fn expr(&mut self, expr: &Expr) -> Result<Expr, TooLarge> {
        let span = expr.span();
        let kind = match expr.kind() {
            ExprKind::Fn { params, ret, body } => {
                let names: Vec<Symbol> = params.iter().map(|(name, _)| *name).collect();
                let (renamed, by) = self.binders(&names, &[body]);
                let mut out = Vec::with_capacity(params.len());
                for (at, ((_, ty), name)) in params.iter().zip(renamed).enumerate() {
                    // Only earlier parameters are meant in the type of a parameter.
                    let later: Vec<Symbol> = names[at..].iter().copied().filter(|name| !names[..at].contains(name)).collect();
                    out.push((name, by.below(&later, &[]).ty(self.free, ty)?));
                }
                ExprKind::Fn { params: out, ret: by.ty(self.free, ret)?, body: self.below(&by, body)? }
            }
            ExprKind::Let { name, ty, rhs, body } => {
                let (names, by) = self.binders(&[*name], &[body]);
                let name = names.first().copied().unwrap_or(*name);
                ExprKind::Let { name, ty: ty.clone(), rhs: self.expr(rhs)?, body: self.below(&by, body)? }
            }
            ExprKind::Loop { params, form, body } => self.looping(params, form, body)?,
            ExprKind::Map { frame, args, body } => {
                let names: Vec<Symbol> = args.iter().map(|(name, _)| *name).collect();
                let (names, by) = self.binders(&names, &[body]);
                let args = args.iter().zip(names).map(|((_, arg), name)| Ok((name, self.expr(arg)?))).collect::<Result<_, TooLarge>>()?;
                ExprKind::Map { frame: frame.clone(), args, body: self.below(&by, body)? }
            }
            ExprKind::Unbox { boxed, value, indices, body } => {
                let (names, by) = self.binders(&[*value], &[body]);
                let value = names.first().copied().unwrap_or(*value);
                ExprKind::Unbox { boxed: self.expr(boxed)?, value, indices: indices.clone(), body: self.below(&by, body)? }
            }
            ExprKind::Var(_) | ExprKind::Lit(_) | ExprKind::Array { .. } | ExprKind::ReifyDim(_) | ExprKind::ReifyShape(_) => {
                return Ok(expr.clone());
            }
            ExprKind::Frame { dims, cell, cells } => ExprKind::Frame { dims: dims.clone(), cell: cell.clone(), cells: self.all(cells)? },
            ExprKind::App { fun, args } => ExprKind::App { fun: self.expr(fun)?, args: self.all(args)? },
            ExprKind::Inst { fun, types, indices } => {
                ExprKind::Inst { fun: self.expr(fun)?, types: types.clone(), indices: indices.clone() }
            }
            ExprKind::IFn { params, body } => ExprKind::IFn { params: params.clone(), body: self.expr(body)? },
            ExprKind::TFn { params, body } => ExprKind::TFn { params: params.clone(), body: self.expr(body)? },
            ExprKind::If { cond, then, els } => ExprKind::If { cond: self.expr(cond)?, then: self.expr(then)?, els: self.expr(els)? },
            ExprKind::Rep { frame, arg } => ExprKind::Rep { frame: frame.clone(), arg: self.expr(arg)? },
            ExprKind::Tuple(parts) => ExprKind::Tuple(self.all(parts)?),
            ExprKind::Proj(at, tuple) => ExprKind::Proj(*at, self.expr(tuple)?),
            ExprKind::Record(fields) => {
                ExprKind::Record(fields.iter().map(|(label, field)| Ok((*label, self.expr(field)?))).collect::<Result<_, TooLarge>>()?)
            }
            ExprKind::Field(label, record) => ExprKind::Field(*label, self.expr(record)?),
            ExprKind::Inject { label, ty, payload } => ExprKind::Inject { label: *label, ty: ty.clone(), payload: self.expr(payload)? },
            ExprKind::Is(label, sum) => ExprKind::Is(*label, self.expr(sum)?),
            ExprKind::Payload(label, sum) => ExprKind::Payload(*label, self.expr(sum)?),
            ExprKind::Box { indices, ty, body } => ExprKind::Box { indices: indices.clone(), ty: ty.clone(), body: self.expr(body)? },
            ExprKind::Coerce { ty, expr } => ExprKind::Coerce { ty: ty.clone(), expr: self.expr(expr)? },
            ExprKind::Assert { cond, message, expr } => {
                ExprKind::Assert { cond: self.expr(cond)?, message: *message, expr: self.expr(expr)? }
            }
        };
        Ok(Expr::new(kind, span))
    }
    fn all(&mut self, exprs: &[Expr]) -> Result<Vec<Expr>, TooLarge> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }
    fn looping(&mut self, params: &[LoopParam], form: &LoopForm, body: &Expr) -> Result<ExprKind, TooLarge> {
        let mut names: Vec<Symbol> = params.iter().map(|param| param.name).collect();
        let (names, by) = match form {
            LoopForm::For(counter, _) => {
                names.push(*counter);
                self.binders(&names, &[body])
            }
            LoopForm::While(cond) => self.binders(&names, &[cond, body]),
        };
        let form = match form {
            LoopForm::For(counter, bound) => LoopForm::For(names.last().copied().unwrap_or(*counter), self.expr(bound)?),
            LoopForm::While(cond) => LoopForm::While(self.below(&by, cond)?),
        };
        let body = self.below(&by, body)?;
        let params = params.iter().zip(names);
        let params = params.map(|(param, name)| Ok(LoopParam { name, ty: param.ty.clone(), init: self.expr(&param.init)? }));
        Ok(ExprKind::Loop { params: params.collect::<Result<_, TooLarge>>()?, form, body })
    }
}

/// Whether a term variable of this name occurs or is bound anywhere in an expression or its annotations' sizes.
fn mentions(expr: &Expr, name: Symbol) -> bool {
    // Fresh names contain a quote and a number; printing is the simplest complete walk over terms and types, and renaming is rare.
    super::print::expr(expr).contains(name.as_str())
}
