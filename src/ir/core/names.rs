//! Names that an expression mentions and does not bind: what a closure has to remember. Computed once for each node of a graph.

use super::check::CellTypes;
use super::free::{FreeVars, Name, add_dim, add_index, add_shape};
use super::{Expr, ExprKind, ExprNode, LoopForm, Shape, Type};
use crate::base::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// The free names of an expression. Sizes of term variables count as the variables.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Free {
    /// Term variables.
    pub terms: FxHashSet<Symbol>,
    /// Index variables.
    pub indices: FxHashSet<Symbol>,
    /// Type variables.
    pub types: FxHashSet<Symbol>,
}

impl Free {
    fn extend(&mut self, other: &Free) {
        self.terms.extend(&other.terms);
        self.indices.extend(&other.indices);
        self.types.extend(&other.types);
    }
    fn add(&mut self, name: Name) {
        match name {
            Name::Index(name) => self.indices.insert(name),
            Name::Size(name) => self.terms.insert(name),
            Name::Type(name) => self.types.insert(name),
        };
    }
}

/// Computes free names. Keeps the nodes it has seen alive.
#[derive(Default)]
pub struct FreeNames {
    types: FreeVars,
    memo: FxHashMap<*const ExprNode, (Expr, Rc<Free>)>,
    coerced: CellTypes,
}

impl FreeNames {
    /// Counts the names in the types of what is coerced as free in a `coerce` node.
    pub fn with_coerced(coerced: CellTypes) -> FreeNames {
        FreeNames { coerced, ..FreeNames::default() }
    }
    /// The type of what a `coerce` node coerces, if it is known.
    pub fn coerced(&self, expr: &Expr) -> Option<&Type> {
        self.coerced.get(&Arc::as_ptr(&expr.0))
    }

    /// The free names of an expression.
    pub fn of(&mut self, expr: &Expr) -> Rc<Free> {
        let key = Arc::as_ptr(&expr.0);
        if let Some((_, free)) = self.memo.get(&key) {
            return free.clone();
        }
        let mut free = Free::default();
        self.add(&mut free, expr);
        let free = Rc::new(free);
        self.memo.insert(key, (expr.clone(), free.clone()));
        free
    }

    /// The free names of a type.
    pub fn of_type(&mut self, ty: &Type) -> Free {
        let mut free = Free::default();
        self.ty(&mut free, ty);
        free
    }

    fn ty(&mut self, free: &mut Free, ty: &Type) {
        self.types.of(ty).iter().for_each(|name| free.add(*name));
    }
    fn shape(free: &mut Free, shape: &Shape) {
        let mut names = FxHashSet::default();
        add_shape(&mut names, shape);
        names.into_iter().for_each(|name| free.add(name));
    }
    fn expr(&mut self, free: &mut Free, expr: &Expr) {
        free.extend(&self.of(expr));
    }
    /// The free names of a body without the terms that are bound in it.
    fn under(&mut self, free: &mut Free, terms: &[Symbol], body: &Expr) {
        let mut inner = (*self.of(body)).clone();
        terms.iter().for_each(|name| {
            inner.terms.remove(name);
        });
        free.extend(&inner);
    }

    #[expect(clippy::too_many_lines, reason = "one match over all forms, a few lines each")]
    fn add(&mut self, free: &mut Free, expr: &Expr) {
        match expr.kind() {
            ExprKind::Var(name) => {
                free.terms.insert(*name);
            }
            ExprKind::Lit(_) | ExprKind::Array { .. } => {}
            ExprKind::Frame { cell, cells, .. } => {
                self.ty(free, cell);
                cells.iter().for_each(|cell| self.expr(free, cell));
            }
            ExprKind::App { fun, args } => {
                self.expr(free, fun);
                args.iter().for_each(|arg| self.expr(free, arg));
            }
            ExprKind::Inst { fun, types, indices } => {
                self.expr(free, fun);
                let mut names = FxHashSet::default();
                types.iter().for_each(|atom| self.types.add_atom(&mut names, atom));
                indices.iter().for_each(|index| add_index(&mut names, index));
                names.into_iter().for_each(|name| free.add(name));
            }
            ExprKind::Fn { params, ret, body } => {
                let mut inner = (*self.of(body)).clone();
                self.ty(&mut inner, ret);
                for (name, ty) in params.iter().rev() {
                    inner.terms.remove(name);
                    self.ty(&mut inner, ty);
                }
                free.extend(&inner);
            }
            ExprKind::IFn { params, body } => {
                let mut inner = (*self.of(body)).clone();
                params.iter().for_each(|name| {
                    inner.indices.remove(name);
                });
                free.extend(&inner);
            }
            ExprKind::TFn { params, body } => {
                let mut inner = (*self.of(body)).clone();
                params.iter().for_each(|name| {
                    inner.types.remove(name);
                });
                free.extend(&inner);
            }
            ExprKind::Let { name, ty, rhs, body } => {
                ty.iter().for_each(|ty| self.ty(free, ty));
                self.expr(free, rhs);
                self.under(free, &[*name], body);
            }
            ExprKind::If { cond, then, els } => [cond, then, els].into_iter().for_each(|e| self.expr(free, e)),
            ExprKind::Loop { params, form, body } => {
                params.iter().for_each(|param| self.expr(free, &param.init));
                let mut names: Vec<Symbol> = params.iter().map(|param| param.name).collect();
                // Types of parameters may mention earlier parameters.
                let mut types = Free::default();
                params.iter().for_each(|param| self.ty(&mut types, &param.ty));
                match form {
                    LoopForm::For(i, n) => {
                        self.expr(free, n);
                        names.push(*i);
                    }
                    LoopForm::While(cond) => self.under(free, &names, cond),
                }
                names.iter().for_each(|name| {
                    types.terms.remove(name);
                });
                free.extend(&types);
                self.under(free, &names, body);
            }
            ExprKind::Map { frame, args, body } => {
                Self::shape(free, frame);
                args.iter().for_each(|(_, arg)| self.expr(free, arg));
                let names: Vec<Symbol> = args.iter().map(|(name, _)| *name).collect();
                self.under(free, &names, body);
            }
            ExprKind::Rep { frame, arg } => {
                Self::shape(free, frame);
                self.expr(free, arg);
            }
            ExprKind::Tuple(parts) => parts.iter().for_each(|part| self.expr(free, part)),
            ExprKind::Record(fields) => fields.iter().for_each(|(_, part)| self.expr(free, part)),
            ExprKind::Proj(_, inner) | ExprKind::Field(_, inner) | ExprKind::Is(_, inner) | ExprKind::Payload(_, inner) => {
                self.expr(free, inner);
            }
            ExprKind::Inject { ty, payload, .. } => {
                self.ty(free, ty);
                self.expr(free, payload);
            }
            ExprKind::Box { indices, ty, body } => {
                let mut names = FxHashSet::default();
                indices.iter().for_each(|(_, index)| add_index(&mut names, index));
                names.into_iter().for_each(|name| free.add(name));
                let mut inner = Free::default();
                self.ty(&mut inner, ty);
                indices.iter().for_each(|(name, _)| {
                    inner.indices.remove(name);
                });
                free.extend(&inner);
                self.expr(free, body);
            }
            ExprKind::Unbox { boxed, value, indices, body } => {
                self.expr(free, boxed);
                let mut inner = (*self.of(body)).clone();
                inner.terms.remove(value);
                indices.iter().for_each(|name| {
                    inner.indices.remove(name);
                });
                free.extend(&inner);
            }
            ExprKind::ReifyDim(dim) => {
                let mut names = FxHashSet::default();
                add_dim(&mut names, dim);
                names.into_iter().for_each(|name| free.add(name));
            }
            ExprKind::ReifyShape(shape) => Self::shape(free, shape),
            ExprKind::Coerce { ty, expr: inner } => {
                self.ty(free, ty);
                if let Some(found) = self.coerced(expr).cloned() {
                    self.ty(free, &found);
                }
                self.expr(free, inner);
            }
            ExprKind::Assert { cond, expr, .. } => {
                self.expr(free, cond);
                self.expr(free, expr);
            }
        }
    }
}
