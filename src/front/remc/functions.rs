//! Functions.

use super::error::{Place, TypeError};
use super::names::unit_type;
use super::{Elaborator, Typed};
use crate::base::{Span, Symbol};
use crate::ir::core::free::{Name, NameSet};
use crate::ir::core::sexp::Sexp;
use crate::ir::core::{Expr, ExprKind, Param, Type};

impl Elaborator<'_> {
    /// `(fn ([x T] ..) : U body ..)`; without parameters a function of the unit tuple. `declared` becomes the type if the result's is given.
    pub(super) fn function(
        &mut self,
        span: Span,
        params: &[Sexp],
        ret: Option<&Sexp>,
        body: &[Sexp],
        declared: &mut Option<Type>,
    ) -> Option<Typed> {
        let mut bound = Vec::new();
        let mut list: Vec<(Symbol, Type)> = Vec::new();
        let mut names = Vec::new();
        let mut complete = true;
        for param in params {
            let Some((name, ty)) = self.parameter(param) else {
                complete = false;
                continue;
            };
            names.push(name);
            let (inner, binding) = self.bind(name, ty.clone(), None);
            bound.push(binding);
            match ty {
                Some(ty) => list.push((inner, ty)),
                None => complete = false,
            }
        }
        if params.is_empty() {
            let (inner, binding) = self.bind(Symbol::new("_"), Some(unit_type()), None);
            bound.push(binding);
            list.push((inner, unit_type()));
        }
        let ret = ret.map(|ret| self.ty(ret));
        if let (Some(Some(ret)), true) = (&ret, complete) {
            *declared = Some(self.function_type(&list, ret));
        }
        let value = match &ret {
            Some(Some(ret)) => self.exactly_body(body, ret, Place::FunctionBody),
            _ => self.body(body, None),
        };
        self.scope.unbind(bound);
        let distinct = self.distinct_names(span, &names);
        let value = value?;
        distinct?;
        let ret = match ret {
            Some(ret) => ret?,
            None => value.ty.clone(),
        };
        if !complete {
            return None;
        }
        let ty = self.function_type(&list, &ret);
        Some(Typed::new(Expr::new(ExprKind::Fn { params: list, ret, body: value.expr }, span), ty))
    }

    /// `[x T]`, `[x : T]`; the type is missing where it is wrong.
    fn parameter(&mut self, item: &Sexp) -> Option<(Symbol, Option<Type>)> {
        match self.list(item, "a parameter [x T]")? {
            [name, ty] => Some((self.name(name)?, self.ty(ty))),
            [name, colon, ty] if colon.keyword() == Some(":") => Some((self.name(name)?, self.ty(ty))),
            [name] if name.name().is_some() => {
                self.error::<()>(item.span, TypeError::UntypedParameter);
                Some((self.name(name)?, None))
            }
            _ => self.expected(item.span, "a parameter [x T]"),
        }
    }

    /// The type of a function; parameters that later types mention have names.
    pub(super) fn function_type(&mut self, params: &[(Symbol, Type)], ret: &Type) -> Type {
        let mut later = (*self.free.of(ret)).clone();
        let mut out: Vec<Param> = Vec::with_capacity(params.len());
        for (name, ty) in params.iter().rev() {
            let used = later.remove(&Name::Size(*name));
            out.push(Param { name: used.then_some(*name), ty: ty.clone() });
            let own: NameSet = self.free.of(ty);
            later.extend(own.iter().copied());
        }
        out.reverse();
        Type::fun(out, ret.clone())
    }
}
