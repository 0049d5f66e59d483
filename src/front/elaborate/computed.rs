//! Sizes that are computed by other operations than sums and products: uninterpreted functions of sizes.
//!
//! Two of them are equal when the same operation is applied to sizes that are equal in normal form. In a scope such a size is a
//! variable bound to what is computed ([`Frame::opaque`](super::scope::Frame)); in the result of a function it is hidden, as any size that arises
//! inside, but what computes it from the parameters is remembered by the name of the hidden size. Where the function is applied the size
//! is computed again, and the result is taken to have it after a check at run time: core knows of none of this.

use super::annotations::LateSize;
use super::expr::Instance;
use super::sizes::{Clash, Sizes};
use super::types::{Substitution, binders, rewrite};
use super::{Elab, sizes};
use crate::base::scalar::Op;
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::sizes::SizeOp;
use crate::ir::core::{Dim, DimAtom, Expr, ExprKind, Index, Primitive, Type, prims};
use rustc_hash::FxHashMap;

/// Expressions with more nodes than this are sizes of their own.
const MOST_NODES: usize = 64;

/// What is longer than this is shown by the name of a size.
const MOST_SHOWN: usize = 40;

/// A size of a parameter, or one that a parameter which is a function is applied to, that is computed from sizes and other parameters. A caller
/// whose function takes arrays of any size chooses this one; where the size of an array was computed in the same way, what it was computed from
/// is what a size parameter stands for that is in no type, `n` in `def f [n] (xs: [g n]t)`.
#[derive(Debug, Clone)]
pub struct ArgumentSize {
    /// Whether it is the size of a parameter, which the caller's array has for itself, and nobody chooses.
    own: bool,
    /// The size: an unknown, or the parameter that became of it.
    size: Dim,
    /// What computes it.
    expr: Expr,
    /// The parameters of the function, by position.
    params: Vec<Symbol>,
}

impl Elab<'_> {
    /// An expression with the sizes in it in normal form, if it is one that can be compared: operations, calls of definitions, conditionals.
    /// `local` says whether variables of the scope that are no sizes may occur.
    fn normal(&self, expr: &Expr, local: bool, left: &mut usize) -> Option<Expr> {
        *left = left.checked_sub(1)?;
        if let Some(dim) = self.size_of(expr) {
            return Some(Expr::new(ExprKind::ReifyDim(self.sizes.zonk(&dim)), expr.span()));
        }
        let kind = match expr.kind() {
            ExprKind::Var(name) => {
                return (local || self.is_global(*name) || matches!(Primitive::find(*name), Some(Primitive::Member(_))))
                    .then(|| expr.clone());
            }
            ExprKind::Lit(_) => return Some(expr.clone()),
            ExprKind::App { fun, args } => {
                let fun = self.normal(fun, local, left)?;
                let args = args.iter().map(|e| self.normal(e, local, left)).collect::<Option<Vec<_>>>()?;
                ExprKind::App { fun, args }
            }
            ExprKind::Inst { fun, types, indices } if local || types.is_empty() => {
                ExprKind::Inst { fun: self.normal(fun, local, left)?, types: types.clone(), indices: indices.clone() }
            }
            ExprKind::Proj(i, e) => ExprKind::Proj(*i, self.normal(e, local, left)?),
            ExprKind::Field(l, e) => ExprKind::Field(*l, self.normal(e, local, left)?),
            ExprKind::If { cond, then, els } => {
                let (cond, then) = (self.normal(cond, local, left)?, self.normal(then, local, left)?);
                ExprKind::If { cond, then, els: self.normal(els, local, left)? }
            }
            _ => return None,
        };
        Some(Expr::new(kind, expr.span()))
    }
    /// What to compare an expression by.
    pub(super) fn comparable(&self, expr: &Expr) -> Option<Expr> {
        self.normal(expr, true, &mut { MOST_NODES })
    }
    /// The variable in sight that is bound to an equal expression.
    pub(super) fn known_size(&self, expr: &Expr) -> Option<Symbol> {
        let all = || self.frames.iter().rev().flat_map(|frame| &frame.opaque);
        all().next()?;
        // What cannot be compared is equal to itself only.
        let normal = self.comparable(expr).unwrap_or_else(|| expr.clone());
        all().find(|(other, _)| self.sizes.same(other, &normal)).map(|(_, name)| *name)
    }
    /// What a size in sight is bound to, if it is a computed one.
    fn bound_to(&self, name: Symbol) -> Option<&Expr> {
        self.frames.iter().rev().flat_map(|frame| &frame.opaque).find(|(_, own)| *own == name).map(|(expr, _)| expr)
    }
    /// What computes a size, as one would write it, if it is short.
    pub(super) fn computed_as_written(&self, name: Symbol) -> Option<String> {
        let expr = self.bound_to(name)?;
        self.as_written(expr, false).filter(|text| text.chars().count() <= MOST_SHOWN)
    }
    fn as_written(&self, expr: &Expr, nested: bool) -> Option<String> {
        let (text, whole) = match expr.kind() {
            ExprKind::ReifyDim(dim) => {
                let known = !self.sizes.zonk(dim).atoms().any(|atom| matches!(atom, DimAtom::Meta(_)));
                let text = known.then(|| super::show::Names::default().dim(&self.readable(dim)))?;
                let whole = !text.contains(' ');
                (text, whole)
            }
            ExprKind::Lit(Scalar::I64(value)) => (value.to_string(), *value >= 0),
            ExprKind::Var(name) if self.is_global(*name) || Primitive::find(*name).is_some() => (name.to_string(), true),
            ExprKind::Var(name) => (super::written(*name).to_string(), true),
            ExprKind::Inst { fun, .. } => (self.as_written(fun, nested)?, true),
            ExprKind::Proj(at, tuple) => (format!("{}.{at}", self.as_written(tuple, true)?), true),
            ExprKind::Field(label, record) => (format!("{}.{label}", self.as_written(record, true)?), true),
            ExprKind::App { fun, args } => {
                let words = args.iter().map(|arg| self.as_written(arg, true)).collect::<Option<Vec<_>>>()?;
                let fun = self.as_written(fun, true)?;
                let operator = fun.rsplit('.').next().filter(|name| !name.starts_with(|c: char| c.is_alphabetic() || c == '_'));
                match (operator, words.as_slice()) {
                    (Some(operator), [a, b]) => (format!("{a} {operator} {b}"), false),
                    _ => (format!("{fun} {}", words.join(" ")), false),
                }
            }
            _ => return None,
        };
        Some(if nested && !whole { format!("({text})") } else { text })
    }
    /// What computes a size that is bound in the current scope, in terms of `params` and of what is known outside of the scope.
    pub(super) fn computation(&self, name: Symbol, params: &[Symbol]) -> Option<Expr> {
        self.expanded_size(name, params, &mut { MOST_NODES })
    }
    fn expanded_size(&self, name: Symbol, params: &[Symbol], left: &mut usize) -> Option<Expr> {
        let expr = self.normal(self.bound_to(name)?, false, left)?;
        self.expanded_sizes(&expr, params, left)
    }
    fn expanded_sizes(&self, expr: &Expr, params: &[Symbol], left: &mut usize) -> Option<Expr> {
        map_sizes(expr, &mut |dim| {
            *left = left.checked_sub(1)?;
            let dim = self.sizes.zonk(dim);
            let level = self.level();
            let mut inner = FxHashMap::default();
            for atom in dim.atoms() {
                let known = matches!(atom, DimAtom::Meta(_)) || self.sizes.level(atom) < level;
                match atom {
                    DimAtom::Size(name) if !known && !params.contains(&name) => {
                        inner.insert(atom, self.expanded_size(name, params, left)?);
                    }
                    DimAtom::Var(_) if !known => return None,
                    DimAtom::Var(_) | DimAtom::Size(_) | DimAtom::Meta(_) => {}
                }
            }
            Some(if inner.is_empty() { Expr::new(ExprKind::ReifyDim(dim), expr.span()) } else { written_out(&dim, &inner, expr.span()) })
        })
    }

    /// Remembers what the sizes are computed from that parameters have, or that a parameter which is a function is applied to.
    pub(super) fn remember_argument_sizes(&mut self, sizes: &[LateSize], params: &[Symbol], own: bool) {
        for LateSize { meta, expr } in sizes {
            if let Some(expr) = self.normal(expr, false, &mut { MOST_NODES }) {
                self.claims.arguments.push(ArgumentSize { own, size: Dim::atom(*meta), expr, params: params.to_vec() });
            }
        }
    }
    /// Those among the size parameters of a definition.
    pub(super) fn argument_sizes_of(&self, params: &[Symbol]) -> Vec<ArgumentSize> {
        let own = self.claims.arguments.iter().map(|of| ArgumentSize { size: self.sizes.zonk(&of.size), ..of.clone() });
        own.filter(|of| matches!(of.size.as_atom(), Some(DimAtom::Var(name)) if params.contains(&name))).collect()
    }
    /// The size parameters of a definition that computed sizes of its parameters are made from.
    pub(super) fn made_from(&self, arguments: &[ArgumentSize]) -> Vec<DimAtom> {
        arguments.iter().flat_map(|of| free_sizes(&of.expr)).collect()
    }
    /// Makes equal what a computed size and the size that is given for it are computed from, where they are computed in the same way.
    fn match_computation(&mut self, expr: &Expr, given: &Dim, span: Span) -> Result<(), Clash> {
        let given = self.sizes.zonk(given);
        if let ExprKind::App { fun, args } = expr.kind()
            && let (ExprKind::Var(name), [a, b]) = (fun.kind(), args.as_slice())
            && let (Some(op), Some(known)) = (SizeOp::named(*name), self.size_of(b).filter(|b| b.as_constant().is_some()))
        {
            match op {
                SizeOp::Add => return self.match_computation(a, &given.sub(&known), span),
                SizeOp::Sub => return self.match_computation(a, &given.add(&known), span),
                SizeOp::Mul => {}
            }
        }
        if let Some(DimAtom::Size(name)) = given.as_atom()
            && let Some(own) = self.bound_to(name).cloned()
        {
            self.sizes.unify_exprs(expr, &own, span)?;
        }
        Ok(())
    }
    /// The sizes that functions among the arguments of a call are applied to, where the arguments leave them open, and size parameters that are in
    /// no type.
    pub(super) fn choose_argument_sizes(&mut self, instance: &Instance, values: &[Option<Expr>], span: Span) -> super::Result<()> {
        let scheme = instance.scheme.clone();
        for ArgumentSize { own, size, expr, params } in &scheme.arguments {
            let position = scheme.sizes.iter().position(|name| Dim::var(*name) == *size);
            let Some(dim) = position.and_then(|at| instance.sizes.get(at)).cloned() else { continue };
            let unknown = |dim: &Dim| self.sizes.zonk(dim).atoms().any(|atom| matches!(atom, DimAtom::Meta(_)));
            let of = |name: &Symbol| scheme.sizes.iter().position(|own| own == name).and_then(|at| instance.sizes.get(at));
            let parts = free_sizes(expr).into_iter().filter_map(|atom| if let DimAtom::Var(name) = atom { of(&name) } else { None });
            let mut parts = parts;
            let (unknown_parts, chosen) = (parts.any(unknown), !own && matches!(self.sizes.zonk(&dim).as_atom(), Some(DimAtom::Meta(_))));
            if !unknown_parts && !chosen {
                continue;
            }
            let mut subst = Substitution::default();
            for atom in free_sizes(expr) {
                let given = match atom {
                    DimAtom::Var(name) => scheme.sizes.iter().position(|own| *own == name).and_then(|at| instance.sizes.get(at)).cloned(),
                    DimAtom::Size(name) => match params.iter().position(|own| *own == name).and_then(|at| values.get(at)) {
                        Some(Some(value)) => Some(self.size_or_bind(&value.clone())),
                        // A constant is the same everywhere.
                        None if self.is_global(name) => Some(Dim::size(name)),
                        Some(None) | None => None,
                    },
                    DimAtom::Meta(_) => None,
                };
                given.into_iter().for_each(|given| drop(subst.atoms.insert(atom, given)));
            }
            if !free_sizes(expr).iter().all(|atom| subst.atoms.contains_key(atom)) {
                continue;
            }
            if unknown_parts {
                self.match_computation(&substituted(expr, &subst), &dim, span).map_err(|clash| self.clash(clash, span))?;
            } else {
                let chosen = self.size_or_bind(&substituted(expr, &subst));
                self.sizes.unify_dim(&dim, &chosen, span).map_err(|clash| self.clash(clash, span))?;
            }
        }
        Ok(())
    }

    /// In the result of a function type: a name for a size that is computed from the parameters.
    pub(super) fn computed_result(&mut self, expr: &Expr) -> Option<Dim> {
        self.reading.computed_sizes.as_ref()?;
        let normal = self.normal(expr, false, &mut { MOST_NODES })?;
        let same = |name: &&Symbol| self.sizes.computed.get(*name).is_some_and(|other| self.sizes.same(other, &normal));
        if let Some(known) = self.reading.computed_sizes.iter().flatten().find(same) {
            return Some(Dim::var(*known));
        }
        let name = self.sizes.bound_name();
        self.sizes.computed.insert(name, normal);
        self.reading.computed_sizes.as_mut()?.push(name);
        Some(Dim::var(name))
    }

    /// The sizes that a type hides and that are computed from what is known here.
    pub(super) fn computed_witness(&mut self, var: Symbol) -> Option<Dim> {
        let expr = self.sizes.computed.get(&var).cloned()?;
        let expr = map_sizes(&expr, &mut |dim| Some(Expr::new(ExprKind::ReifyDim(self.sizes.zonk(dim)), expr.span())))?;
        Some(self.size_or_bind(&expr))
    }
    /// The computed sizes that a type hides, in terms of its own variables.
    pub(super) fn computed_in(&self, ty: &Type) -> Vec<(Symbol, Expr)> {
        let known = |dim: &Dim| !dim.atoms().any(|atom| matches!(atom, DimAtom::Meta(_)));
        let hidden = binders(ty).into_iter().filter(|(_, size)| !size);
        let computed = hidden.filter_map(|(name, _)| Some((name, self.sizes.computed.get(&name)?.clone())));
        let zonked = computed.filter_map(|(name, expr)| {
            let expr = map_sizes(&expr, &mut |dim| {
                let dim = self.sizes.zonk(dim);
                known(&dim).then(|| Expr::new(ExprKind::ReifyDim(dim), expr.span()))
            });
            Some((name, expr?))
        });
        zonked.collect()
    }

    /// The scope in which a computed size is bound: where computing it cannot fail the outermost one in which it means the same, so that
    /// functions and branches inside have it in common.
    pub(super) fn scope_of(&self, expr: &Expr) -> usize {
        let current = self.frames.len();
        let (true, atoms) = (cannot_fail(expr), free_sizes(expr)) else { return current };
        let mut level = 1;
        for atom in atoms {
            if matches!(atom, DimAtom::Meta(_)) {
                return current;
            }
            level = level.max(self.sizes.level(atom) as usize);
        }
        (level..=current).find(|level| self.frames.get(level.wrapping_sub(1)).is_some_and(|frame| !frame.abstraction)).unwrap_or(current)
    }
}

impl Sizes {
    /// Equality of expressions in which sizes are in normal form.
    pub(super) fn same(&self, a: &Expr, b: &Expr) -> bool {
        if std::sync::Arc::ptr_eq(&a.0, &b.0) {
            return true;
        }
        let all = |xs: &[Expr], ys: &[Expr]| xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| self.same(x, y));
        match (a.kind(), b.kind()) {
            (ExprKind::Var(x), ExprKind::Var(y)) => x == y,
            (ExprKind::Lit(x), ExprKind::Lit(y)) => x.same_bits(*y),
            (ExprKind::ReifyDim(x), ExprKind::ReifyDim(y)) => self.zonk(x) == self.zonk(y),
            (ExprKind::App { fun: f, args: xs }, ExprKind::App { fun: g, args: ys }) => self.same(f, g) && all(xs, ys),
            (ExprKind::Inst { fun: f, types: t, indices: i }, ExprKind::Inst { fun: g, types: u, indices: j }) => {
                let index = |index: &Index| match index {
                    Index::Dim(d) => Index::Dim(self.zonk(d)),
                    Index::Shape(s) => Index::Shape(self.zonk_shape(s)),
                };
                let atom = |atom: &crate::ir::core::Atom| self.zonk_type(&Type::scalar(atom.clone()));
                self.same(f, g) && t.iter().map(atom).eq(u.iter().map(atom)) && i.iter().map(index).eq(j.iter().map(index))
            }
            (ExprKind::Proj(i, x), ExprKind::Proj(j, y)) => i == j && self.same(x, y),
            (ExprKind::Field(l, x), ExprKind::Field(m, y)) => l == m && self.same(x, y),
            (ExprKind::If { cond: c, then: x, els: y }, ExprKind::If { cond: d, then: z, els: w }) => {
                self.same(c, d) && self.same(x, z) && self.same(y, w)
            }
            _ => false,
        }
    }
    /// Makes the computations of two hidden sizes equal, the first of which is expected. One that is expected to be of any size may be computed.
    pub(super) fn unify_computed(&mut self, x: Symbol, y: Symbol, span: Span) -> Result<(), Clash> {
        let Some(expected) = self.computed.get(&x).cloned() else { return Ok(()) };
        let given = self.computed.get(&y).cloned();
        match given {
            Some(given) if self.unify_exprs(&expected, &given, span)? => Ok(()),
            _ => Err(Clash::Sizes { left: Dim::var(x), right: Dim::var(y), definite: false }),
        }
    }
    fn unify_exprs(&mut self, a: &Expr, b: &Expr, span: Span) -> Result<bool, Clash> {
        Ok(match (a.kind(), b.kind()) {
            (ExprKind::ReifyDim(x), ExprKind::ReifyDim(y)) => {
                self.unify_dim(x, y, span)?;
                true
            }
            (ExprKind::App { fun: f, args: xs }, ExprKind::App { fun: g, args: ys }) => {
                let mut equal = self.same(f, g) && xs.len() == ys.len();
                for (x, y) in xs.iter().zip(ys) {
                    equal = equal && self.unify_exprs(x, y, span)?;
                }
                equal
            }
            _ => self.same(a, b),
        })
    }
    /// All sizes that a type depends on: those in it and those from which hidden ones are computed.
    pub(super) fn dependencies(&self, ty: &Type) -> Vec<DimAtom> {
        let mut out = sizes::free_atoms(ty);
        for (name, size) in binders(ty) {
            out.extend(self.computed.get(&name).filter(|_| !size).map(free_sizes).unwrap_or_default());
        }
        out
    }
    /// A type with other sizes in it; those that are computed from them get names of their own.
    pub(super) fn put_in(&mut self, ty: &Type, subst: &mut Substitution) -> Type {
        for (name, size) in binders(ty) {
            let Some(expr) = self.computed.get(&name).filter(|_| !size && !subst.binders.contains_key(&name)) else { continue };
            if free_sizes(expr).iter().any(|atom| subst.atoms.contains_key(atom)) {
                let new = self.bound_name();
                subst.binders.insert(name, new);
                subst.atoms.insert(DimAtom::Var(name), Dim::var(new));
            }
        }
        subst.clear();
        self.copy_computed(subst);
        rewrite(ty, subst)
    }
    /// What computes the sizes that a substitution gives new names.
    fn copy_computed(&mut self, subst: &Substitution) {
        for (old, new) in &subst.binders {
            if let Some(expr) = self.computed.get(old) {
                let expr = substituted(expr, subst);
                self.computed.insert(*new, expr);
            }
        }
    }
    /// Remembers what computes the hidden sizes of an instance of a type.
    pub(super) fn instantiate_computed(&mut self, of: &[(Symbol, Expr)], subst: &Substitution) {
        for (name, expr) in of {
            let new = subst.binders.get(name).copied().unwrap_or(*name);
            self.computed.insert(new, substituted(expr, subst));
        }
    }
}

/// Whether computing a size cannot fail: all that can go wrong in an operation on whole numbers is a divisor of 0, a negative exponent or shift.
fn cannot_fail(expr: &Expr) -> bool {
    let ExprKind::App { fun, args } = expr.kind() else { return matches!(expr.kind(), ExprKind::ReifyDim(_) | ExprKind::Lit(_)) };
    let (ExprKind::Var(op), [_, by]) = (fun.kind(), args.as_slice()) else { return false };
    let literal = match by.kind() {
        ExprKind::ReifyDim(dim) => dim.as_constant(),
        ExprKind::Lit(Scalar::I64(value)) => Some(*value),
        _ => None,
    };
    let total = match prims::int_op(*op) {
        Some(Op::Div | Op::Quot | Op::Mod | Op::Rem) => literal.is_some_and(|by| by > 0),
        Some(Op::Pow | Op::Shl | Op::Shr | Op::UShr) => literal.is_some_and(|by| (0..64).contains(&by)),
        Some(Op::Add | Op::Sub | Op::Mul | Op::Max | Op::Min | Op::And | Op::Or | Op::Xor) => true,
        _ => false,
    };
    total && args.iter().all(cannot_fail)
}

/// The indeterminates of the sizes in an expression.
fn free_sizes(expr: &Expr) -> Vec<DimAtom> {
    let mut out = Vec::new();
    map_sizes(expr, &mut |dim| {
        out.extend(dim.atoms());
        Some(expr.clone())
    });
    out
}

/// An expression as [`Elab::normal`] makes it, with variables and numbers in the place of sizes that are no more than that.
pub(super) fn written(expr: &Expr) -> Expr {
    let written = map_sizes(expr, &mut |dim| {
        let kind = match (dim.as_atom(), dim.as_constant()) {
            (Some(DimAtom::Size(name)), _) => ExprKind::Var(name),
            (_, Some(value)) => ExprKind::Lit(Scalar::I64(value)),
            _ => ExprKind::ReifyDim(dim.clone()),
        };
        Some(Expr::new(kind, expr.span()))
    });
    written.unwrap_or_else(|| expr.clone())
}

fn substituted(expr: &Expr, subst: &Substitution) -> Expr {
    let put = |dim: &Dim| dim.subst(&mut |atom| subst.atoms.get(&atom).cloned());
    map_sizes(expr, &mut |dim| Some(Expr::new(ExprKind::ReifyDim(put(dim)), expr.span()))).unwrap_or_else(|| expr.clone())
}

/// An expression as [`Elab::normal`] makes it, with other expressions for its sizes.
fn map_sizes(expr: &Expr, by: &mut dyn FnMut(&Dim) -> Option<Expr>) -> Option<Expr> {
    let kind = match expr.kind() {
        ExprKind::ReifyDim(dim) => return by(dim),
        ExprKind::App { fun, args } => {
            let fun = map_sizes(fun, by)?;
            ExprKind::App { fun, args: args.iter().map(|e| map_sizes(e, by)).collect::<Option<_>>()? }
        }
        ExprKind::Inst { fun, types, indices } => {
            let indices = indices.iter().map(|index| match index {
                Index::Dim(dim) => match by(dim)?.kind() {
                    ExprKind::ReifyDim(dim) => Some(Index::Dim(dim.clone())),
                    _ => None,
                },
                Index::Shape(_) => Some(index.clone()),
            });
            let indices = indices.collect::<Option<_>>()?;
            ExprKind::Inst { fun: map_sizes(fun, by)?, types: types.clone(), indices }
        }
        ExprKind::Proj(i, e) => ExprKind::Proj(*i, map_sizes(e, by)?),
        ExprKind::Field(l, e) => ExprKind::Field(*l, map_sizes(e, by)?),
        ExprKind::If { cond, then, els } => {
            ExprKind::If { cond: map_sizes(cond, by)?, then: map_sizes(then, by)?, els: map_sizes(els, by)? }
        }
        _ => return Some(expr.clone()),
    };
    Some(Expr::new(kind, expr.span()))
}

/// A polynomial as an expression, with expressions for some of its indeterminates.
fn written_out(dim: &Dim, inner: &FxHashMap<DimAtom, Expr>, span: Span) -> Expr {
    let join = |op: Op, a: Expr, b: Expr| super::expr::call(Expr::op(op, PrimType::I64, span), vec![a, b], span);
    let atom = |atom: &DimAtom| inner.get(atom).cloned().unwrap_or_else(|| Expr::new(ExprKind::ReifyDim(Dim::atom(*atom)), span));
    let monomial = |(atoms, coefficient): (&[DimAtom], i64)| {
        let number = Expr::new(ExprKind::ReifyDim(Dim::constant(coefficient)), span);
        let product = atoms.iter().map(atom).reduce(|a, b| join(Op::Mul, a, b));
        match (product, coefficient) {
            (None, _) => number,
            (Some(product), 1) => product,
            (Some(product), _) => join(Op::Mul, number, product),
        }
    };
    let sum = dim.terms().map(monomial).reduce(|a, b| join(Op::Add, a, b));
    sum.unwrap_or_else(|| Expr::new(ExprKind::ReifyDim(Dim::constant(0)), span))
}
