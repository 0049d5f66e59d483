//! Application and instantiation.

use super::{Checker, Result};
use crate::base::{Span, Symbol};
use crate::ir::core::free::Name;
use crate::ir::core::subst::{Replacement, Subst};
use crate::ir::core::{Atom, Expr, ExprKind, Index, Param, Type, is_shape, print, sizes};
use std::sync::Arc;

/// What a message calls a function.
fn called(fun: &Expr) -> String {
    match fun.kind() {
        ExprKind::Var(name) => format!("`{name}`"),
        ExprKind::Inst { fun, .. } => called(fun),
        _ => "this function".into(),
    }
}

fn wrong_count(fun: &Expr, taken: usize, what: &str, given: usize) -> String {
    format!("{} takes {taken} {what}{}, not {given}", called(fun), if taken == 1 { "" } else { "s" })
}

impl Checker {
    pub(super) fn application(&mut self, expr: &Expr, fun: &Expr, args: &[Expr]) -> Result<Type> {
        let ty = self.infer(fun)?;
        let (Atom::Fun(params, ret), true) = (ty.atom(), ty.shape().is_scalar()) else {
            return self.error(fun.span(), format!("expected a function of rank 0, found {}", print::type_brief(&ty)));
        };
        if args.is_empty() {
            return self.error(expr.span(), "an application has at least one argument");
        }
        if args.len() > params.len() {
            return self.error(expr.span(), wrong_count(fun, params.len(), "argument", args.len()));
        }
        let named = params.iter().any(|param| param.name.is_some());
        let needed = if named { self.needed(params, ret) } else { Vec::new() };
        let mut subst = Subst::default();
        for (at, (param, arg)) in params.iter().zip(args).enumerate() {
            let expected = self.substituted(&subst, &param.ty, arg.span())?;
            let found = self.infer(arg)?;
            self.expect(&expected, &found, arg.span(), || format!("argument {} of {}", at + 1, called(fun)))?;
            if let Some(Some(name)) = needed.get(at) {
                match sizes::size_of(self, arg) {
                    Some(dim) => subst.insert(Name::Size(*name), Replacement::Dim(dim)),
                    None => {
                        let message = format!("argument {} of {} appears in a type and is not a size expression", at + 1, called(fun));
                        return self.error(arg.span(), message);
                    }
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
            return self.error(span, "an instantiation has at least one type or index");
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
            return self.error(span, format!("{} takes no indices, its type is {}", called(fun), print::type_brief(ty)));
        };
        if names.len() != indices.len() {
            return self.error(span, wrong_count(fun, names.len(), "index argument", indices.len()));
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
                (true, Index::Dim(_)) => {
                    return self.error(span, format!("`{name}` stands for a shape, {} is a size", print::index(&index)));
                }
                (false, Index::Shape(_)) => {
                    return self.error(span, format!("`{name}` stands for a size, {} is a shape", print::index(&index)));
                }
            }
        }
        Ok(subst)
    }

    fn type_instance(&mut self, span: Span, fun: &Expr, ty: &Type, types: &[Atom]) -> Result<Type> {
        let (Atom::Forall(names, body), true) = (ty.atom(), ty.shape().is_scalar()) else {
            return self.error(span, format!("{} takes no types, its type is {}", called(fun), print::type_brief(ty)));
        };
        if names.len() != types.len() {
            return self.error(span, wrong_count(fun, names.len(), "type argument", types.len()));
        }
        let mut subst = Subst::default();
        for (name, atom) in names.iter().zip(types) {
            let atom = self.atom_annotation(atom, span)?;
            subst.insert(Name::Type(*name), Replacement::Atom(atom));
        }
        self.substituted(&subst, body, span)
    }
}
