//! The validator of erased core. There are no types left to check; what can still be wrong is checked:
//!
//! * every term and index variable is bound, by a binder, by an earlier definition, by its own if that is recursive, or as a primitive; `n` is a size and `@s` a shape;
//! * arrays and frames have as many parts as their sizes say, and the cells of a frame have a rank;
//! * abstractions have parameters and binders bind distinct names;
//! * both shapes of a check of a coercion have one rank, as far as it is known.

use super::{Expr, ExprKind, LoopForm, Program};
use crate::base::Symbol;
use crate::ir::core::free::{Name, add_dim, add_index, add_shape};
use crate::ir::core::{Index, Primitive, Shape, ShapeItem};
use rustc_hash::FxHashSet;

/// What is wrong with a program, in one sentence; it names the definition.
pub fn validate(program: &Program) -> Result<(), String> {
    let mut known = FxHashSet::default();
    for define in &program.defs {
        if define.recursive {
            known.insert(define.name);
        }
        let mut scope = Scope { globals: &known, terms: Vec::new(), indices: Vec::new() };
        scope.expr(&define.body).map_err(|problem| format!("in `{}`: {problem}", define.name))?;
        known.insert(define.name);
    }
    Ok(())
}

/// What is wrong with a closed expression.
pub fn validate_expr(expr: &Expr) -> Result<(), String> {
    Scope { globals: &FxHashSet::default(), terms: Vec::new(), indices: Vec::new() }.expr(expr)
}

struct Scope<'a> {
    globals: &'a FxHashSet<Symbol>,
    terms: Vec<Symbol>,
    indices: Vec<Symbol>,
}

fn counted(dims: &[u64], parts: usize) -> Result<(), String> {
    let product = if dims.contains(&0) { Some(0) } else { dims.iter().try_fold(1u64, |p, n| p.checked_mul(*n)) };
    if product == Some(parts as u64) { Ok(()) } else { Err(format!("an array of shape {dims:?} has {parts} parts")) }
}

fn distinct(names: &[Symbol]) -> Result<(), String> {
    let mut seen = FxHashSet::default();
    match names.iter().find(|name| !seen.insert(**name)) {
        Some(name) => Err(format!("`{name}` is bound twice by one binder")),
        None => Ok(()),
    }
}

impl Scope<'_> {
    fn names(&self, names: &FxHashSet<Name>) -> Result<(), String> {
        let unbound = |name: &&Name| match name {
            Name::Index(n) => !self.indices.contains(n),
            Name::Size(x) => !self.terms.contains(x) && !self.globals.contains(x) && Primitive::find(*x).is_none(),
            Name::Type(_) => true,
        };
        // The least, so that the message does not depend on the order of hashing.
        match names.iter().filter(unbound).map(|name| name.symbol()).min() {
            Some(name) => Err(format!("the index `{name}` is not bound")),
            None => Ok(()),
        }
    }
    fn shape(&self, shape: &Shape) -> Result<(), String> {
        let mut names = FxHashSet::default();
        add_shape(&mut names, shape);
        self.names(&names)
    }
    fn indices(&self, indices: &[Index]) -> Result<(), String> {
        let mut names = FxHashSet::default();
        indices.iter().for_each(|index| add_index(&mut names, index));
        self.names(&names)
    }
    fn all<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Result<(), String> {
        exprs.into_iter().try_for_each(|expr| self.expr(expr))
    }
    fn below<'e>(&mut self, terms: &[Symbol], indices: &[Symbol], exprs: impl IntoIterator<Item = &'e Expr>) -> Result<(), String> {
        distinct(terms)?;
        distinct(indices)?;
        let depths = (self.terms.len(), self.indices.len());
        self.terms.extend_from_slice(terms);
        self.indices.extend_from_slice(indices);
        let result = self.all(exprs);
        self.terms.truncate(depths.0);
        self.indices.truncate(depths.1);
        result
    }
    fn expr(&mut self, expr: &Expr) -> Result<(), String> {
        match expr.kind() {
            ExprKind::Var(name) if self.terms.contains(name) || self.globals.contains(name) => Ok(()),
            ExprKind::Var(name) if Primitive::find(*name).is_some() => Ok(()),
            ExprKind::Var(name) => Err(format!("the variable `{name}` is not bound")),
            ExprKind::Lit(_) => Ok(()),
            ExprKind::Array { dims, atoms } => counted(dims, atoms.len()).and_then(|()| self.all(atoms)),
            ExprKind::Frame { cell, .. } if cell.is_scalar() => Err("a frame of cells without rank".into()),
            ExprKind::Frame { dims, cell, cells } => {
                counted(dims, cells.len())?;
                self.shape(cell)?;
                self.all(cells)
            }
            ExprKind::App { args, .. } if args.is_empty() => Err("an application has at least one argument".into()),
            ExprKind::App { fun, args } => self.expr(fun).and_then(|()| self.all(args)),
            ExprKind::Inst { fun, indices } => self.indices(indices).and_then(|()| self.expr(fun)),
            ExprKind::Fn { params, .. } | ExprKind::IFn { params, .. } if params.is_empty() => Err("an abstraction binds nothing".into()),
            ExprKind::Fn { params, body } => self.below(params, &[], [body]),
            ExprKind::IFn { params, body } => self.below(&[], params, [body]),
            ExprKind::Let { name, rhs, body } => self.expr(rhs).and_then(|()| self.below(&[*name], &[], [body])),
            ExprKind::If { cond, then, els } => self.all([cond, then, els]),
            ExprKind::Loop { params, form, body } => {
                self.all(params.iter().map(|(_, init)| init))?;
                let mut names: Vec<Symbol> = params.iter().map(|(name, _)| *name).collect();
                match form {
                    LoopForm::For(counter, bound) => {
                        self.expr(bound)?;
                        names.push(*counter);
                        self.below(&names, &[], [body])
                    }
                    LoopForm::While(cond) => self.below(&names, &[], [cond, body]),
                }
            }
            ExprKind::Map { frame, args, body, cell } => {
                self.shape(frame)?;
                self.shape(cell)?;
                self.all(args.iter().map(|(_, arg)| arg))?;
                let names: Vec<Symbol> = args.iter().map(|(name, _)| *name).collect();
                self.below(&names, &[], [body])
            }
            ExprKind::Rep { frame, arg } => self.shape(frame).and_then(|()| self.expr(arg)),
            ExprKind::Tuple(parts) => self.all(parts),
            ExprKind::Record(fields) => self.all(fields.iter().map(|(_, field)| field)),
            ExprKind::Proj(_, inner)
            | ExprKind::Field(_, inner)
            | ExprKind::Inject(_, inner)
            | ExprKind::Is(_, inner)
            | ExprKind::Payload(_, inner) => self.expr(inner),
            ExprKind::Box { indices, body } => self.indices(indices).and_then(|()| self.expr(body)),
            ExprKind::Unbox { boxed, value, indices, body } => self.expr(boxed).and_then(|()| self.below(&[*value], indices, [body])),
            ExprKind::ReifyDim(dim) => {
                let mut names = FxHashSet::default();
                add_dim(&mut names, dim);
                self.names(&names)
            }
            ExprKind::ReifyShape(shape) => self.shape(shape),
            ExprKind::Coerce { checks, expr } => {
                let open = |shape: &Shape| shape.items.iter().any(|item| matches!(item, ShapeItem::Var(_)));
                for (from, to) in checks {
                    self.shape(from)?;
                    self.shape(to)?;
                    if from.items.len() != to.items.len() && !open(from) && !open(to) {
                        return Err("a coercion between ranks".into());
                    }
                }
                self.expr(expr)
            }
            ExprKind::Assert { cond, expr, .. } => self.all([cond, expr]),
        }
    }
}
