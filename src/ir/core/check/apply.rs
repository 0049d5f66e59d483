//! Application and instantiation.

use super::error::{Arguments, Called, ErrorKind, Place, Wanted};
use super::{Checker, Result};
use crate::base::{Span, Symbol};
use crate::ir::core::free::Name;
use crate::ir::core::subst::{Replacement, Subst};
use crate::ir::core::{Atom, Expr, ExprKind, Index, Param, Type, is_shape, sizes};
use std::sync::Arc;

/// What people call a function.
#[expect(clippy::wildcard_enum_match_arm, reason = "a name, or none")]
fn called(fun: &Expr) -> Called {
    match fun.kind() {
        ExprKind::Var(name) => Called::Name(*name),
        ExprKind::Inst { fun, .. } => called(fun),
        _ => Called::Function,
    }
}

fn wrong_count(fun: &Expr, takes: usize, what: Arguments, given: usize) -> ErrorKind {
    ErrorKind::Count { called: called(fun), takes, what, given }
}

impl Checker {
    pub(super) fn application(&mut self, expr: &Expr, fun: &Expr, args: &[Expr]) -> Result<Type> {
        let ty = self.infer(fun)?;
        let (Atom::Fun(params, ret), true) = (ty.atom(), ty.shape().is_scalar()) else {
            return self.error(fun.span(), ErrorKind::NotOf { wanted: Wanted::Function, found: ty });
        };
        if args.is_empty() {
            return self.error(expr.span(), ErrorKind::NoArguments);
        }
        if args.len() > params.len() {
            return self.error(expr.span(), wrong_count(fun, params.len(), Arguments::Values, args.len()));
        }
        let named = params.iter().any(|param| param.name.is_some());
        let needed = if named { self.needed(params, ret) } else { Vec::new() };
        let mut subst = Subst::default();
        for (at, (param, arg)) in params.iter().zip(args).enumerate() {
            let expected = self.substituted(&subst, &param.ty, arg.span())?;
            let found = self.infer(arg)?;
            self.expect(&expected, &found, arg.span(), Place::Argument { at, of: called(fun) })?;
            if let Some(Some(name)) = needed.get(at) {
                match sizes::size_of(self, arg) {
                    Some(dim) => subst.insert(Name::Size(*name), Replacement::Dim(dim)),
                    None => return self.error(arg.span(), ErrorKind::NoSize { argument: at, called: called(fun) }),
                }
            }
        }
        if args.len() == params.len() {
            return self.substituted(&subst, ret, expr.span());
        }
        self.partial.insert(Arc::as_ptr(&expr.0));
        let rest = Type::fun(params[args.len()..].to_vec(), ret.clone());
        self.substituted(&subst, &rest, expr.span())
    }

    /// The names of parameters that occur in what follows them.
    fn needed(&mut self, params: &[Param], ret: &Type) -> Vec<Option<Symbol>> {
        let mut later = (*self.free.of(ret)).clone();
        let mut needed = vec![None; params.len()];
        for (at, param) in params.iter().enumerate().rev() {
            needed[at] = param.name.filter(|name| later.remove(&Name::Size(*name)));
            later.extend(self.free.of(&param.ty).iter().copied());
        }
        needed
    }

    pub(super) fn instance(&mut self, span: Span, fun: &Expr, types: &[Atom], indices: &[Index]) -> Result<Type> {
        let mut ty = self.infer(fun)?;
        if types.is_empty() && indices.is_empty() {
            return self.error(span, ErrorKind::NoInstance);
        }
        if !indices.is_empty() {
            ty = self.index_instance(span, fun, &ty, indices)?;
        }
        if !types.is_empty() {
            ty = self.type_instance(span, fun, &ty, types)?;
        }
        Ok(ty)
    }

    fn index_instance(&mut self, span: Span, fun: &Expr, ty: &Type, indices: &[Index]) -> Result<Type> {
        let (Atom::Pi(names, body), true) = (ty.atom(), ty.shape().is_scalar()) else {
            return self.error(span, ErrorKind::TakesNo { called: called(fun), what: Arguments::Indices, ty: ty.clone() });
        };
        if names.len() != indices.len() {
            return self.error(span, wrong_count(fun, names.len(), Arguments::Indices, indices.len()));
        }
        let subst = self.indices(span, names.iter().copied().zip(indices.iter()))?;
        self.substituted(&subst, body, span)
    }

    /// The substitution of indices for names, each of the sort of the other.
    pub(super) fn indices<'a>(&mut self, span: Span, pairs: impl Iterator<Item = (Symbol, &'a Index)>) -> Result<Subst> {
        let mut subst = Subst::default();
        for (name, index) in pairs {
            let index = self.index_annotation(index, span)?;
            match (is_shape(name), &index) {
                (true, Index::Shape(_)) | (false, Index::Dim(_)) => subst.insert(Name::Index(name), Replacement::from(index)),
                (true, Index::Dim(_)) | (false, Index::Shape(_)) => return self.error(span, ErrorKind::IndexSort { name, given: index }),
            }
        }
        Ok(subst)
    }

    fn type_instance(&mut self, span: Span, fun: &Expr, ty: &Type, types: &[Atom]) -> Result<Type> {
        let (Atom::Forall(names, body), true) = (ty.atom(), ty.shape().is_scalar()) else {
            return self.error(span, ErrorKind::TakesNo { called: called(fun), what: Arguments::Types, ty: ty.clone() });
        };
        if names.len() != types.len() {
            return self.error(span, wrong_count(fun, names.len(), Arguments::Types, types.len()));
        }
        let mut subst = Subst::default();
        for (name, atom) in names.iter().zip(types) {
            let atom = self.atom_annotation(atom, span)?;
            subst.insert(Name::Type(*name), Replacement::Atom(atom));
        }
        self.substituted(&subst, body, span)
    }
}
