//! Values where a type is declared: what is checked, opened or hidden so that they have it.

use super::{Elab, Result, types};
use crate::base::{Span, Symbol};
use crate::ir::core::{Atom, Dim, DimAtom, Expr, ExprKind, Index, Param, Type};
use rustc_hash::FxHashMap;

impl Elab<'_> {
    /// Gives the result of a function its declared type.
    pub(super) fn ascribe_result(
        &mut self,
        value: crate::ir::core::Expr,
        ty: Type,
        declared: Option<Type>,
        span: Span,
    ) -> Result<super::Typed> {
        let Some(declared) = declared else { return Ok((value, ty)) };
        let (value, ty) = self.fitted(&declared, (value, ty), span)?;
        let (Atom::Sigma(vars, inner), true) = (declared.atom(), declared.shape().is_scalar()) else {
            if let Some(fitted) = self.fit_function(&declared, (value.clone(), ty.clone()), span)? {
                return Ok(fitted);
            }
            if let Some(fitted) = self.fit_open_result(&declared, (value.clone(), ty.clone()), span)? {
                return Ok(fitted);
            }
            let (value, ty) = self.opened_parts(&declared, (value, ty));
            self.unify_at(&declared, &ty, span)?;
            return Ok((value, declared));
        };
        // The witnesses of a declared existential are found by unification.
        let mut map = FxHashMap::default();
        let mut witnesses = Vec::new();
        for var in vars {
            let witness = match self.computed_witness(*var) {
                Some(computed) => computed,
                None => self.fresh_dim(span),
            };
            map.insert(DimAtom::Var(*var), witness.clone());
            witnesses.push((*var, Index::Dim(witness)));
        }
        let opened = types::rewrite(inner, &mut types::Substitution::sizes(map));
        let (value, ty) = self.fitted(&opened, (value, ty), span)?;
        let (value, ty) = self.opened_parts(&opened, (value, ty));
        self.unify_at(&opened, &ty, span)?;
        Ok(super::scope::make_box(witnesses, inner.clone(), value, span))
    }

    /// The value, with those parts of tuples and records opened that are boxes and are none in the wanted type: a type parameter may stand
    /// for a box.
    fn opened_parts(&mut self, wanted: &Type, (value, ty): super::Typed) -> super::Typed {
        let ty = self.sizes.zonk_type(&ty);
        let is_box = |ty: &Type| matches!(ty.atom(), Atom::Sigma(..)) && ty.shape().is_scalar();
        if is_box(&ty) && !is_box(wanted) {
            let opened = self.open((value, ty));
            return self.opened_parts(wanted, opened);
        }
        if !(wanted.shape().is_scalar() && ty.shape().is_scalar()) {
            return (value, ty);
        }
        let span = value.span();
        match (wanted.atom(), ty.atom()) {
            (Atom::Tuple(xs), Atom::Tuple(ys)) if xs.len() == ys.len() && has_boxes(&ty) => {
                let (value, _) = self.shared((value, ty.clone()), "t");
                let part = |(at, (x, y)): (usize, (&Type, &Type))| {
                    self.opened_parts(x, (Expr::new(ExprKind::Proj(at, value.clone()), span), y.clone()))
                };
                let (values, types) = xs.iter().zip(ys).enumerate().map(part).unzip();
                (Expr::new(ExprKind::Tuple(values), span), Type::scalar(Atom::Tuple(types)))
            }
            (Atom::Record(xs), Atom::Record(ys)) if xs.len() == ys.len() && has_boxes(&ty) => {
                let (value, _) = self.shared((value, ty.clone()), "t");
                let (mut values, mut types) = (Vec::with_capacity(xs.len()), Vec::with_capacity(xs.len()));
                for ((_, x), (label, y)) in xs.iter().zip(ys) {
                    let part = (Expr::new(ExprKind::Field(*label, value.clone()), span), y.clone());
                    let (value, ty) = self.opened_parts(x, part);
                    values.push((*label, value));
                    types.push((*label, ty));
                }
                (Expr::new(ExprKind::Record(values), span), Type::scalar(Atom::Record(types)))
            }
            _ => (value, ty),
        }
    }

    /// A function of a declared type whose result hides sizes where the value's does not, or the other way round: one that applies it.
    /// A result of which the size is left open may hide it. Nothing if the types agree as they are, or differ in more than this.
    pub(super) fn fit_function(&mut self, declared: &Type, (value, ty): super::Typed, span: Span) -> Result<Option<super::Typed>> {
        let (wanted, ty) = (self.sizes.zonk_type(declared), self.sizes.zonk_type(&ty));
        let (Atom::Fun(params, ret), Atom::Fun(given, result)) = (wanted.atom(), ty.atom()) else { return Ok(None) };
        let hides = |ty: &Type| matches!(ty.atom(), Atom::Sigma(..)) && ty.shape().is_scalar();
        if params.len() != given.len() || !(wanted.shape().is_scalar() && ty.shape().is_scalar() && (hides(ret) || hides(result))) {
            return Ok(None);
        }
        let before = self.sizes.snapshot();
        if self.sizes.unify(&wanted, &ty, span).is_ok() {
            return Ok(Some((value, wanted)));
        }
        self.sizes.rollback(before);
        let ret = if hides(ret) { ret.clone() } else { self.hide_unknown(ret) };
        if !hides(&ret) {
            return Ok(None);
        }
        self.push_frame();
        let mut names = Vec::with_capacity(params.len());
        let mut args = Vec::with_capacity(params.len());
        for param in params {
            let name = param.name.unwrap_or_else(|| self.fresh_name(Symbol::new("x")));
            self.bind_param(name, &param.ty, span);
            names.push((name, param.ty.clone()));
            args.push(super::apply::Arg::Ready((Expr::new(ExprKind::Var(name), span), param.ty.clone()), span));
        }
        let head = super::apply::Head::Fun { value: (value, ty.clone()), instance: None };
        let (body, actual) = self.apply_exact(head, args, span)?;
        let (body, actual) = self.ascribe_result(body, actual, Some(ret), span)?;
        let params: Vec<Symbol> = names.iter().map(|(name, _)| *name).collect();
        let (body, ret) = self.close_function(body, actual, &params, span)?;
        let ty = self.function_type(&names, &ret);
        Ok(Some((Expr::new(ExprKind::Fn { params: names, ret, body }, span), ty)))
    }

    /// A function of a declared type whose result leaves sizes open, where the value's result has sizes that only the function knows: one
    /// that hides them.
    pub(super) fn fit_open_result(&mut self, declared: &Type, (value, ty): super::Typed, span: Span) -> Result<Option<super::Typed>> {
        let wanted = self.sizes.zonk_type(declared);
        let (Atom::Fun(params, ret), true) = (wanted.atom(), wanted.shape().is_scalar()) else { return Ok(None) };
        let before = self.sizes.snapshot();
        let fits = self.sizes.unify(&wanted, &ty, span).is_ok();
        self.sizes.rollback(before);
        if fits {
            return Ok(None);
        }
        let hidden = self.hide_unknown(ret);
        self.fit_function(&Type::fun(params.clone(), hidden), (value, ty), span)
    }

    /// A function whose result has sizes that depend on its arguments, given where nothing may depend on them: one that hides these sizes.
    /// Nothing if it fits as it is.
    pub(super) fn hide_dependent(&mut self, param: &Type, (value, ty): super::Typed, span: Span) -> Result<Option<super::Typed>> {
        let (param, ty) = (self.sizes.zonk_type(param), self.sizes.zonk_type(&ty));
        let (Atom::Fun(expected, _), Atom::Fun(given, result)) = (param.atom(), ty.atom()) else { return Ok(None) };
        let own: Vec<DimAtom> = given.iter().filter_map(|p| p.name.map(DimAtom::Size)).collect();
        let free = super::sizes::free_atoms(result);
        let dependent: Vec<DimAtom> = own.into_iter().filter(|atom| free.contains(atom)).collect();
        if dependent.is_empty() || expected.len() != given.len() || !(param.shape().is_scalar() && ty.shape().is_scalar()) {
            return Ok(None);
        }
        let before = self.sizes.snapshot();
        let fits = self.sizes.unify(&param, &ty, span).is_ok();
        self.sizes.rollback(before);
        if fits {
            return Ok(None);
        }
        let hidden = self.hide(result, dependent);
        self.fit_function(&Type::fun(given.clone(), hidden), (value, ty), span)
    }

    /// A type that hides the sizes in it that are not known.
    pub(super) fn hide_unknown(&mut self, ty: &Type) -> Type {
        let unknown = super::sizes::free_atoms(ty).into_iter().filter(|atom| matches!(atom, DimAtom::Meta(_))).collect();
        self.hide(ty, unknown)
    }

    /// A type that hides some of the indeterminates in it.
    pub(super) fn hide(&mut self, ty: &Type, atoms: Vec<DimAtom>) -> Type {
        let mut map = FxHashMap::default();
        let mut names = Vec::new();
        for atom in atoms {
            let name = self.fresh_name(Symbol::new("k"));
            map.insert(atom, Dim::var(name));
            names.push(name);
        }
        let ty = types::rewrite(ty, &mut types::Substitution::sizes(map));
        if names.is_empty() { ty } else { Type::scalar(Atom::Sigma(names, ty)) }
    }

    /// The type of a function whose parameters hide no sizes: hidden ones are the caller's.
    pub(super) fn open_parameters(&mut self, ty: Type, span: Span) -> Type {
        let (Atom::Fun(params, ret), true) = (ty.atom(), ty.shape().is_scalar()) else { return ty };
        if !params.iter().any(|param| matches!(param.ty.atom(), Atom::Sigma(..)) && param.ty.shape().is_scalar()) {
            return ty;
        }
        let mut out = Vec::with_capacity(params.len());
        for param in params {
            let ty = self.opened_type(&param.ty, span);
            out.push(Param { name: param.name, ty });
        }
        Type::fun(out, ret.clone())
    }

    pub(super) fn opened_type(&mut self, ty: &Type, span: Span) -> Type {
        let (Atom::Sigma(vars, inner), true) = (ty.atom(), ty.shape().is_scalar()) else { return ty.clone() };
        let map = vars.iter().map(|var| (DimAtom::Var(*var), self.fresh_dim(span))).collect();
        types::rewrite(inner, &mut types::Substitution::sizes(map))
    }
}

/// Whether a value of a type has parts that are boxes.
fn has_boxes(ty: &Type) -> bool {
    let own = |part: &Type| part.shape().is_scalar() && (matches!(part.atom(), Atom::Sigma(..)) || has_boxes(part));
    match ty.atom() {
        Atom::Tuple(parts) => parts.iter().any(own),
        Atom::Record(fields) => fields.iter().any(|(_, part)| own(part)),
        Atom::Prim(_) | Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) | Atom::Sigma(..) | Atom::Sum(_) => false,
    }
}
