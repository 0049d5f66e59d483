//! Arguments whose sizes or boxes are not those of the parameter, and fit after a change.

use super::apply::{Arg, Head};
use super::error::{Error, ErrorKind as Wrong, Failure, Irregular};
use super::expr::Instance;
use super::{Elab, Result, Typed};
use crate::base::{Span, Symbol};
use crate::ir::core::{Atom, DimAtom, Expr, ExprKind, Shape, Type};
use crate::ir::surface;

impl Elab<'_> {
    /// Whether a function with an existential result is given where one with a regular result is expected.
    pub(super) fn is_existential_argument(&self, param: &Type, arg: &Type) -> bool {
        let (param, arg) = (self.sizes.zonk_type(param), self.sizes.zonk_type(arg));
        match (param.atom(), arg.atom()) {
            (Atom::Fun(ps, r), Atom::Fun(qs, s)) if ps.len() == qs.len() => {
                matches!(s.atom(), Atom::Sigma(..)) && s.shape().is_scalar() && !matches!(r.atom(), Atom::Sigma(..))
            }
            _ => false,
        }
    }

    /// A function that expects an array, given where one that expects a box is wanted: opens the box first.
    pub(super) fn eta_existential(&mut self, param: &Type, arg: Typed, span: Span) -> Result<Typed> {
        let param = self.sizes.zonk_type(param);
        let (Atom::Fun(ps, _), Atom::Fun(qs, _)) = (param.atom(), arg.1.atom()) else { return Ok(arg) };
        let is_box = |t: &Type| matches!(t.atom(), Atom::Sigma(..)) && t.shape().is_scalar();
        if ps.len() > qs.len() || !ps.iter().zip(qs).any(|(p, q)| is_box(&p.ty) && !is_box(&q.ty)) {
            return Ok(arg);
        }
        let ps = ps.clone();
        self.push_frame();
        let arg = self.with_own_sizes(arg);
        let mut names = Vec::new();
        let mut cells = Vec::new();
        for p in &ps {
            let name = self.fresh_name(Symbol::new("b"));
            self.bind_param(name, &p.ty, span);
            names.push((name, p.ty.clone()));
            let opened = self.open_row((Expr::new(ExprKind::Var(name), span), p.ty.clone()));
            cells.push(Arg::Ready(opened, span));
        }
        let (body, ty) = self.call(arg, None, cells, span)?;
        let params: Vec<Symbol> = names.iter().map(|(n, _)| *n).collect();
        let (body, ret) = self.close_function(body, ty, &params, span)?;
        let ty = self.function_type(&names, &ret);
        Ok((Expr::new(ExprKind::Fn { params: names, ret, body }, span), ty))
    }

    /// An array of functions, given where a function on arrays is wanted: `[k](a -> b)` serves as `[k]a -> [k]b`.
    pub(super) fn eta_lift(&mut self, param: &Type, arg: Typed, span: Span) -> Result<Typed> {
        let (param, arg_ty) = (self.sizes.zonk_type(param), self.sizes.zonk_type(&arg.1));
        let (Atom::Fun(ps, _), Atom::Fun(..), rank) = (param.atom(), arg_ty.atom(), arg_ty.shape().items.len()) else { return Ok(arg) };
        if rank == 0 || !param.shape().is_scalar() {
            return Ok(arg);
        }
        let functions = self.shared(arg, "fs");
        let params: Vec<(Symbol, Type)> = ps.iter().map(|p| (self.fresh_name(Symbol::new("x")), p.ty.clone())).collect();
        self.push_frame();
        let args = params.iter().map(|(name, ty)| Arg::Ready((Expr::new(ExprKind::Var(*name), span), ty.clone()), span)).collect();
        let (body, ret) = self.apply_exact(Head::Fun { value: functions, instance: None }, args, span)?;
        let names: Vec<Symbol> = params.iter().map(|(n, _)| *n).collect();
        let (body, ret) = self.close_function(body, ret, &names, span)?;
        let ty = self.function_type(&params, &ret);
        Ok((Expr::new(ExprKind::Fn { params, ret, body }, span), ty))
    }

    /// The instance of a function for an argument with an existential result: a type parameter that stands for the result
    /// becomes the type of boxes; a size parameter in it makes a variant of the function.
    pub(super) fn existential_instance(&mut self, mut instance: Instance, param: usize, args: &[Arg], span: Span) -> Result<Instance> {
        let Arg::Ready((_, arg_ty), at) = &args[param] else { return Err(self.missing(span)) };
        let arg_ty = self.sizes.zonk_type(arg_ty);
        let Atom::Fun(_, boxed) = arg_ty.atom() else { return Err(self.missing(span)) };
        let scheme = instance.scheme.clone();
        let name = instance.def.map(|d| self.program.defs[d].name);
        let Atom::Fun(params, _) = scheme.ty.atom() else { return Err(self.missing(span)) };
        let Some(Atom::Fun(_, result)) = params.get(param).map(|p| p.ty.atom()) else {
            return Err(self.existential_argument(name, *at).into());
        };
        if let (Atom::Var(var), 1) = (result.atom(), result.shape().items.len()) {
            let position = scheme.types.iter().position(|t| t == var);
            if let Some(position) = position.filter(|_| super::ragged::stands_for_results(&scheme.ty, *var)) {
                instance.types[position] = (boxed.atom().clone(), Shape::default());
                return Ok(instance);
            }
            return Err(self.existential_argument(name, *at).into());
        }
        let sizes: Vec<usize> =
            super::sizes::free_atoms(result).iter().filter_map(|a| scheme.sizes.iter().position(|s| DimAtom::Var(*s) == *a)).collect();
        let (Some(def), false) = (instance.def, sizes.is_empty()) else { return Err(self.existential_argument(name, *at).into()) };
        // Sizes that occur in inputs as well are given; the others are found out by the call.
        let inputs: Vec<DimAtom> =
            params.iter().filter(|p| !matches!(p.ty.atom(), Atom::Fun(..))).flat_map(|p| super::sizes::free_atoms(&p.ty)).collect();
        let sizes: Vec<usize> = sizes.into_iter().filter(|i| !inputs.contains(&DimAtom::Var(scheme.sizes[*i]))).collect();
        if sizes.is_empty() {
            return Err(self.existential_argument(name, *at).into());
        }
        let (declared, unwritten): (Vec<usize>, Vec<usize>) = sizes.into_iter().partition(|i| self.is_declared_size(instance.def, *i));
        let unwritten = if unwritten.is_empty() { None } else { Some(super::UNWRITTEN) };
        let sizes: Vec<usize> = declared.into_iter().chain(unwritten).collect();
        if !self.schemes.variants.contains_key(&(def, sizes.clone())) {
            let made = super::elaborate_variant(self.program, self.tables, self.schemes, def, &sizes);
            self.defs.extend(made.map_err(|failure| match failure {
                // A size that is not written has to be the same for all results of the function that is given.
                Failure::Refused(why) if unwritten.is_some() => {
                    Error::new(Wrong::Irregular(Irregular::Results { definition: name, needed: why.at }), *at).into()
                }
                failure => failure,
            })?);
        }
        let variant = self.schemes.variants.get(&(def, sizes.clone())).cloned().ok_or_else(|| self.missing(span))?;
        // Where sizes that are not written change, the others of these are found out anew.
        let kept = |i: &usize| !sizes.contains(i) && (unwritten.is_none() || self.is_declared_size(instance.def, *i));
        instance.sizes = (0..instance.sizes.len()).filter(kept).map(|i| instance.sizes[i].clone()).collect();
        while instance.sizes.len() < variant.sizes.len() {
            let dim = self.fresh_dim(span);
            instance.sizes.push(dim);
        }
        instance.scheme = variant;
        Ok(instance)
    }

    pub(super) fn is_declared_size(&self, def: Option<crate::ir::tables::DefId>, position: usize) -> bool {
        self.declared_size(def, position).is_some()
    }

    /// Where a size parameter is declared.
    pub(super) fn declared_size(&self, def: Option<crate::ir::tables::DefId>, position: usize) -> Option<Span> {
        let crate::ir::tables::DefKind::Def(decl) = &self.program.defs[def?].decl else { return None };
        let sizes = decl.tparams.iter().filter_map(|p| if let surface::TypeParam::Size(pat) = p { Some(*pat) } else { None });
        sizes.map(|pat| self.program.ast.pats[pat].span).nth(position)
    }
}
