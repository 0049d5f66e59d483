//! Scopes: bindings made on the way, and what happens to sizes that leave their scope.

use super::{Elab, Result, Typed, is_i64, sizes, types};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::sizes::SizeOp;
use crate::ir::core::{self, Dim, DimAtom, Expr, ExprKind, Index, ShapeItem, Type, prims};
use rustc_hash::FxHashMap;

/// A binding of a scope.
#[derive(Debug, Clone)]
pub(super) enum Binding {
    /// `let name : ty = rhs`.
    Let { name: Symbol, ty: Type, rhs: Expr, span: Span },
    /// `unbox boxed (value indices..)`.
    Unbox { value: Symbol, indices: Vec<Symbol>, boxed: Expr, span: Span },
}

/// A scope under construction.
#[derive(Debug, Clone, Default)]
pub(super) struct Frame {
    /// In order of evaluation.
    pub(super) bindings: Vec<Binding>,
    /// What computes the sizes that are bound here, in normal form: what is computed alike is the same size.
    pub(super) opaque: Vec<(Expr, Symbol)>,
    /// Whether it is around an abstraction of sizes and types, where nothing may be computed.
    pub(super) abstraction: bool,
}

impl Elab<'_> {
    pub(super) fn push_frame(&mut self) {
        self.frames.push(Frame::default());
    }
    pub(super) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("elaboration is always inside a scope")
    }
    pub(super) fn pop_frame(&mut self) -> Frame {
        self.frames.pop().expect("pushed before")
    }

    /// Binds a value in the current scope and returns its name.
    pub(super) fn bind_let(&mut self, base: Symbol, rhs: Expr, ty: Type, span: Span) -> Symbol {
        let name = self.fresh_name(base);
        self.bind_let_as(name, rhs, ty, span);
        name
    }
    pub(super) fn bind_let_as(&mut self, name: Symbol, mut rhs: Expr, ty: Type, span: Span) {
        if is_i64(&ty) {
            if self.size_of(&rhs).is_none()
                && let Some(known) = self.known_size(&rhs)
            {
                rhs = Expr::new(ExprKind::Var(known), rhs.span());
            }
            match self.size_of(&rhs) {
                Some(dim) => drop(self.names.sizes.insert(name, dim)),
                None => {
                    let level = self.level();
                    self.sizes.bind_atom(DimAtom::Size(name), level, span);
                    let comparable = self.comparable(&rhs);
                    self.frame().opaque.extend(comparable.map(|rhs| (rhs, name)));
                }
            }
        }
        self.frame().bindings.push(Binding::Let { name, ty, rhs, span });
    }
    /// Announces a variable bound by a function, map or loop.
    pub(super) fn bind_param(&mut self, name: Symbol, ty: &Type, span: Span) {
        if is_i64(ty) {
            let level = self.level();
            self.sizes.bind_atom(DimAtom::Size(name), level, span);
        }
    }
    /// The expression itself if evaluating it again costs nothing, else a variable bound to it.
    pub(super) fn shared(&mut self, (expr, ty): Typed, base: &str) -> Typed {
        if is_trivial(&expr) {
            return (expr, ty);
        }
        let span = expr.span();
        let name = self.bind_let(Symbol::new(base), expr, ty.clone(), span);
        (Expr::new(ExprKind::Var(name), span), ty)
    }

    /// Opens a box: its sizes become sizes of the current scope.
    pub(super) fn open(&mut self, (mut expr, ty): Typed) -> Typed {
        if !matches!(ty.atom(), core::Atom::Sigma(..)) {
            return (expr, ty);
        }
        let mut ty = self.sizes.zonk_type(&ty);
        while let (core::Atom::Sigma(vars, inner), true) = (ty.atom().clone(), ty.shape().is_scalar()) {
            let span = expr.span();
            let value = self.fresh_name(Symbol::new("v"));
            let level = self.level();
            let mut map = FxHashMap::default();
            let mut indices = Vec::new();
            for var in &vars {
                let name = self.fresh_name(if sizes::is_bound_name(*var) { Symbol::new("k") } else { *var });
                self.sizes.bind_atom(DimAtom::Var(name), level, span);
                map.insert(DimAtom::Var(*var), Dim::var(name));
                indices.push(name);
            }
            ty = types::rewrite(&inner, &mut types::Substitution::sizes(map));
            self.frame().bindings.push(Binding::Unbox { value, indices: indices.clone(), boxed: expr, span });
            if is_i64(&ty) {
                self.sizes.bind_atom(DimAtom::Size(value), level, span);
            }
            expr = Expr::new(ExprKind::Var(value), span);
            let known = vars.iter().zip(indices).filter_map(|(var, name)| Some((DimAtom::Var(name), self.computed_witness(*var)?)));
            let known: FxHashMap<DimAtom, Dim> = known.collect();
            if !known.is_empty() {
                ty = types::rewrite(&ty, &mut types::Substitution::sizes(known));
                let checked = Expr::new(ExprKind::Coerce { ty: ty.clone(), expr }, span);
                expr = Expr::new(ExprKind::Var(self.bind_let(value, checked, ty.clone(), span)), span);
            }
        }
        (expr, ty)
    }

    /// The size that an `i64` expression denotes, if it is a size expression.
    pub(super) fn size_of(&self, expr: &Expr) -> Option<Dim> {
        match expr.kind() {
            ExprKind::Lit(Scalar::I64(v)) => Some(Dim::constant(*v)),
            ExprKind::Var(x) => match self.names.sizes.get(x) {
                Some(dim) => Some(dim.clone()),
                None => (self.sizes.level(DimAtom::Size(*x)) != u32::MAX).then(|| Dim::size(*x)),
            },
            ExprKind::ReifyDim(d) => Some(d.clone()),
            ExprKind::App { fun, args } => {
                let (ExprKind::Var(name), [a, b]) = (fun.kind(), args.as_slice()) else { return None };
                let op = SizeOp::named(*name)?;
                op.apply(&self.size_of(a)?, &self.size_of(b)?)
            }
            _ => None,
        }
    }
    /// Whether the size of an expression can be written without binding it.
    pub(super) fn is_known_size(&self, expr: &Expr) -> bool {
        self.size_of(expr).is_some() || self.known_size(expr).is_some()
    }
    /// The size of an `i64` expression; one that is no size expression is bound in the current scope, and is then the
    /// same size as every syntactically equal one in sight.
    pub(super) fn size_or_bind(&mut self, expr: &Expr) -> Dim {
        self.size_term(expr).0
    }
    /// A size with an expression that denotes it: sums, differences and products are taken apart, so that only what is no size
    /// expression inside of them is bound to a variable.
    pub(super) fn size_term(&mut self, expr: &Expr) -> (Dim, Expr) {
        if let Some(dim) = self.size_of(expr) {
            return (dim, expr.clone());
        }
        if let ExprKind::App { fun, args } = expr.kind()
            && let (ExprKind::Var(name), [a, b]) = (fun.kind(), args.as_slice())
            && let Some(op) = SizeOp::named(*name)
        {
            let ((x, a), (y, b)) = (self.size_term(a), self.size_term(b));
            let whole = Expr::new(ExprKind::App { fun: fun.clone(), args: vec![a, b] }, expr.span());
            if let Some(dim) = op.apply(&x, &y) {
                return (dim, whole);
            }
        }
        let dim = self.opaque_size(expr);
        let var = match dim.as_atom() {
            Some(DimAtom::Size(name)) => Expr::new(ExprKind::Var(name), expr.span()),
            _ => expr.clone(),
        };
        (dim, var)
    }
    fn opaque_size(&mut self, expr: &Expr) -> Dim {
        if let Some(known) = self.known_size(expr) {
            return Dim::size(known);
        }
        let Some(normal) = self.comparable(expr) else {
            let name = self.bind_let(Symbol::new("n"), expr.clone(), Type::prim(PrimType::I64), expr.span());
            self.frame().opaque.push((expr.clone(), name));
            return Dim::size(name);
        };
        let level = self.scope_of(&normal);
        // Names of sizes that are bound on the way stay there; what they stand for is known outside.
        let expr = if level < self.frames.len() { super::computed::written(&normal) } else { expr.clone() };
        let expr = self.with_bound_operands(&expr);
        let inner = self.frames.split_off(level);
        let name = self.bind_let(Symbol::new("n"), expr.clone(), Type::prim(PrimType::I64), expr.span());
        self.frames.extend(inner);
        self.size_of(&Expr::new(ExprKind::Var(name), expr.span())).unwrap_or_else(|| Dim::size(name))
    }
    /// An operation on numbers whose operands are sizes: those that are computed are bound themselves.
    fn with_bound_operands(&mut self, expr: &Expr) -> Expr {
        let ExprKind::App { fun, args } = expr.kind() else { return expr.clone() };
        let whole = matches!(fun.kind(), ExprKind::Var(name) if prims::int_op(*name).is_some() && args.len() == 2);
        if !whole || args.iter().all(|arg| self.size_of(arg).is_some()) {
            return expr.clone();
        }
        let args = args.iter().map(|arg| self.size_term(arg).1).collect();
        Expr::new(ExprKind::App { fun: fun.clone(), args }, expr.span())
    }

    /// Ends a scope whose sizes may not be seen outside but in a box: puts the bindings around the result.
    pub(super) fn close_function(&mut self, value: Expr, ty: Type, params: &[Symbol], span: Span) -> Result<Typed> {
        let (value, ty) = self.box_local_sizes(value, ty, params, span)?;
        let frame = self.pop_frame();
        let outer = self.level();
        self.sizes.lower(&ty, outer);
        Ok((wrap(frame, value), ty))
    }
    /// Ends the scope of a map's body, whose sizes may not be seen outside: with sizes of its own each cell is a box, and the array is ragged.
    pub(super) fn close_map(&mut self, value: Expr, ty: Type, span: Span) -> Result<Typed> {
        self.sizes.match_parts(self.level());
        let mut ty = self.sizes.zonk_type(&ty);
        let mut value = value;
        let hidden = self.local_sizes(&ty, &[]);
        if let Some(atom) = hidden.iter().find(|atom| in_function_types(&ty, **atom)) {
            return Err(self.irregular(Some(*atom), span).into());
        }
        if !hidden.is_empty() {
            (value, ty) = self.open((value, ty));
            let (indices, inner) = self.sizes_of_row(&ty);
            (value, ty) = make_box(indices, inner, value, span);
        }
        let frame = self.pop_frame();
        let outer = self.level();
        self.sizes.lower(&ty, outer);
        Ok((wrap(frame, value), ty))
    }

    /// The sizes of the current scope that a type mentions.
    pub(super) fn local_sizes(&self, ty: &Type, params: &[Symbol]) -> Vec<DimAtom> {
        let level = self.level();
        let param = |a: &DimAtom| matches!(a, DimAtom::Size(x) if params.contains(x));
        let local = |a: &DimAtom| !matches!(a, DimAtom::Meta(_)) && self.sizes.level(*a) >= level && !param(a);
        sizes::free_atoms(ty).into_iter().filter(|a| local(a) && self.sizes.level(*a) != u32::MAX).collect()
    }
    /// Hides the current scope's sizes in a box.
    fn box_local_sizes(&mut self, value: Expr, ty: Type, params: &[Symbol], span: Span) -> Result<Typed> {
        self.sizes.retry(false).map_err(|(clash, span)| self.clash(clash, span))?;
        self.sizes.match_parts(self.level());
        let ty = self.sizes.zonk_type(&ty);
        let hidden = self.local_sizes(&ty, params);
        if hidden.is_empty() {
            return Ok((value, ty));
        }
        let (indices, inner) = self.hidden_sizes_of(&ty, hidden.clone());
        for (atom, (name, _)) in hidden.into_iter().zip(&indices) {
            if let DimAtom::Size(size) = atom
                && let Some(computation) = self.computation(size, params)
                && !in_functions(&ty, atom)
            {
                self.sizes.computed.insert(*name, computation);
            }
        }
        Ok(make_box(indices, inner, value, span))
    }
    /// Names for the sizes of a cell that are known in the current scope only, with these sizes, and the type in terms of the names. Sums and products are
    /// hidden as a whole, so that rows of one rank have one type.
    fn sizes_of_row(&mut self, ty: &Type) -> (Vec<(Symbol, Index)>, Type) {
        let ty = self.sizes.zonk_type(ty);
        let own: Vec<DimAtom> = self.local_sizes(&ty, &[]);
        let mut hider = Hider { elab: self, own, found: Vec::new() };
        let inner = types::rewrite(&ty, &mut hider);
        let found = hider.found;
        (found.into_iter().map(|(dim, name)| (name, Index::Dim(dim))).collect(), inner)
    }
    /// Names for sizes that are hidden, with the sizes, and the type in terms of the names.
    fn hidden_sizes_of(&mut self, ty: &Type, hidden: Vec<DimAtom>) -> (Vec<(Symbol, Index)>, Type) {
        let mut map = FxHashMap::default();
        let mut indices = Vec::new();
        for atom in hidden {
            let base = match atom {
                DimAtom::Var(name) | DimAtom::Size(name) => name,
                DimAtom::Meta(_) => Symbol::new("k"),
            };
            let name = self.fresh_name(base);
            map.insert(atom, Dim::var(name));
            indices.push((name, Index::Dim(Dim::atom(atom))));
        }
        let inner = types::rewrite(ty, &mut types::Substitution::sizes(map));
        (indices, inner)
    }
}

/// Gives names to sizes that mention some of a scope.
struct Hider<'a, 'b> {
    elab: &'a mut Elab<'b>,
    own: Vec<DimAtom>,
    found: Vec<(Dim, Symbol)>,
}

impl types::Rewrite for Hider<'_, '_> {
    fn dim(&mut self, dim: &Dim) -> Option<Dim> {
        if !dim.atoms().any(|atom| self.own.contains(&atom)) {
            return None;
        }
        if let Some((_, name)) = self.found.iter().find(|(other, _)| other == dim) {
            return Some(Dim::var(*name));
        }
        let base = match dim.as_atom() {
            Some(DimAtom::Var(name) | DimAtom::Size(name)) => name,
            Some(DimAtom::Meta(_)) | None => Symbol::new("k"),
        };
        let name = self.elab.fresh_name(base);
        self.found.push((dim.clone(), name));
        Some(Dim::var(name))
    }
}

/// A box with its type.
pub(super) fn make_box(indices: Vec<(Symbol, Index)>, inner: Type, body: Expr, span: Span) -> Typed {
    let vars = indices.iter().map(|(n, _)| *n).collect();
    let ty = Type::scalar(core::Atom::Sigma(vars, inner.clone()));
    (Expr::new(ExprKind::Box { indices, ty: inner, body }, span), ty)
}

/// The bindings of a scope around its result.
pub(super) fn wrap(frame: Frame, mut value: Expr) -> Expr {
    for binding in frame.bindings.into_iter().rev() {
        value = match binding {
            Binding::Let { name, ty, rhs, span } => Expr::new(ExprKind::Let { name, ty: Some(ty), rhs, body: value }, span),
            Binding::Unbox { value: x, indices, boxed, span } => Expr::new(ExprKind::Unbox { boxed, value: x, indices, body: value }, span),
        };
    }
    value
}

/// Whether evaluating the expression again costs nothing and cannot fail.
pub(super) fn is_trivial(expr: &Expr) -> bool {
    match expr.kind() {
        ExprKind::Var(_) | ExprKind::Lit(_) | ExprKind::ReifyDim(_) | ExprKind::Fn { .. } => true,
        ExprKind::Inst { fun, .. } => is_trivial(fun),
        ExprKind::Proj(_, e) | ExprKind::Field(_, e) => is_trivial(e),
        _ => false,
    }
}

/// Whether a size occurs where no check can look for it: in the type of a function or sum.
fn in_functions(ty: &Type, atom: DimAtom) -> bool {
    match ty.atom() {
        core::Atom::Prim(_) | core::Atom::Var(_) => false,
        core::Atom::Tuple(parts) => parts.iter().any(|part| in_functions(part, atom)),
        core::Atom::Record(fields) => fields.iter().any(|(_, part)| in_functions(part, atom)),
        other => sizes::free_atoms(&Type::scalar(other.clone())).contains(&atom),
    }
}

/// Whether a size occurs in the type of a function.
fn in_function_types(ty: &Type, atom: DimAtom) -> bool {
    match ty.atom() {
        core::Atom::Prim(_) | core::Atom::Var(_) => false,
        core::Atom::Tuple(parts) => parts.iter().any(|part| in_function_types(part, atom)),
        core::Atom::Record(fields) | core::Atom::Sum(fields) => fields.iter().any(|(_, part)| in_function_types(part, atom)),
        core::Atom::Sigma(_, content) => in_function_types(content, atom),
        other @ (core::Atom::Fun(..) | core::Atom::Forall(..) | core::Atom::Pi(..)) => {
            sizes::free_atoms(&Type::scalar(other.clone())).contains(&atom)
        }
    }
}

/// The outermost size of an array type.
pub(super) fn outer_dim(ty: &Type) -> Option<Dim> {
    match ty.shape().items.first() {
        Some(ShapeItem::Dim(d)) => Some(d.clone()),
        _ => None,
    }
}

/// The type without its outermost `count` items.
pub(super) fn cell_type(ty: &Type, count: usize) -> Type {
    let items = ty.shape().items.get(count..).unwrap_or_default().to_vec();
    Type::new(ty.atom().clone(), core::Shape { items })
}
