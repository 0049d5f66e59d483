//! Forms that bind variables: let, map, loop, box and unbox.

use super::error::{Binding, ErrorKind, Place, Wanted};
use super::scope::{Bound, distinct, is_i64};
use super::{Checker, Result};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::core::free::Name;
use crate::ir::core::subst::Subst;
use crate::ir::core::{Atom, Expr, Index, LoopForm, LoopParam, Shape, Type, is_shape, sizes};
use std::sync::Arc;

impl Checker {
    pub(super) fn binding(&mut self, span: Span, name: Symbol, ty: Option<&Type>, rhs: &Expr, body: &Expr) -> Result<Type> {
        let declared = match ty {
            Some(ty) => Some(self.annotation(ty, span)?),
            None => None,
        };
        let mut found = self.infer(rhs);
        if let (Some(declared), Ok(ty)) = (&declared, &found) {
            found = self.expect(declared, ty, rhs.span(), Place::ValueOf(name)).map(|()| declared.clone());
        }
        let ty = match (found, declared) {
            (Ok(ty), _) => ty,
            // The body can be checked all the same.
            (Err(error), Some(declared)) => {
                self.errors.push(error);
                declared
            }
            (Err(error), None) => return Err(error),
        };
        let dim = if is_i64(&ty) { sizes::size_of(self, rhs) } else { None };
        let bound = vec![self.bind(Name::Size(name), Some(ty), dim)];
        self.scoped(span, bound, body, Binding::Let)
    }

    /// The type of a body in whose scope `bound` is; they may not occur in it.
    fn scoped(&mut self, span: Span, bound: Vec<Bound>, body: &Expr, from: Binding) -> Result<Type> {
        let ty = self.infer(body);
        let escape = ty.as_ref().map_or(Ok(()), |ty| self.no_escape(ty, &bound));
        self.unbind_all(bound);
        match escape {
            Ok(()) => ty,
            Err(name) => self.error(span, ErrorKind::Escape { name: name.symbol(), from }),
        }
    }

    pub(super) fn map(&mut self, expr: &Expr, frame: &Shape, args: &[(Symbol, Expr)], body: &Expr) -> Result<Type> {
        let frame = self.shape_annotation(frame, expr.span())?;
        let mut cells = Vec::with_capacity(args.len());
        for (name, arg) in args {
            let ty = self.infer(arg)?;
            let Some(rest) = ty.shape().without_prefix(&frame) else {
                let found = ty.shape().clone();
                return self.error(arg.span(), ErrorKind::NoFrame { name: *name, found, frame });
            };
            let cell = if frame.is_scalar() { ty } else { Type::new(ty.atom().clone(), rest) };
            cells.push((*name, cell));
        }
        let names: Vec<Symbol> = args.iter().map(|(name, _)| *name).collect();
        if let Err(error) = distinct(&names) {
            return self.error(expr.span(), error);
        }
        let bound = cells.into_iter().map(|(name, cell)| self.bind(Name::Size(name), Some(cell), None)).collect();
        let cell = self.scoped(expr.span(), bound, body, Binding::Map)?;
        if let Some(cell) = self.with_program_names(&cell) {
            self.cells.insert(Arc::as_ptr(&expr.0), cell);
        }
        Ok(cell.framed(&frame))
    }

    pub(super) fn looping(&mut self, span: Span, params: &[LoopParam], form: &LoopForm, body: &Expr) -> Result<Type> {
        let mut types = Vec::with_capacity(params.len());
        for LoopParam { name, ty, init } in params {
            let ty = self.annotation(ty, span)?;
            let found = self.infer(init)?;
            self.expect(&ty, &found, init.span(), Place::FirstValueOf(*name))?;
            types.push(ty);
        }
        let mut names: Vec<Symbol> = params.iter().map(|param| param.name).collect();
        if let LoopForm::For(name, count) = form {
            let found = self.infer(count)?;
            self.expect(&Type::prim(PrimType::I64), &found, count.span(), Place::Iterations)?;
            names.push(*name);
        }
        if let Err(error) = distinct(&names) {
            return self.error(span, error);
        }
        let result = match types.as_slice() {
            [ty] => ty.clone(),
            _ => Type::scalar(Atom::Tuple(types.clone())),
        };
        let of_counter = matches!(form, LoopForm::For(..)).then(|| Type::prim(PrimType::I64));
        let all = types.into_iter().chain(of_counter);
        let bound: Vec<Bound> = names.into_iter().zip(all).map(|(name, ty)| self.bind(Name::Size(name), Some(ty), None)).collect();
        let checked = self.loop_body(form, body, &result);
        self.unbind_all(bound);
        checked.map(|()| result)
    }

    fn loop_body(&mut self, form: &LoopForm, body: &Expr, result: &Type) -> Result<()> {
        if let LoopForm::While(cond) = form {
            self.condition(cond)?;
        }
        let found = self.infer(body)?;
        self.expect(result, &found, body.span(), Place::LoopBody)
    }

    pub(super) fn boxed(&mut self, span: Span, indices: &[(Symbol, Index)], ty: &Type, body: &Expr) -> Result<Type> {
        let names: Vec<Symbol> = indices.iter().map(|(name, _)| *name).collect();
        if let Err(error) = distinct(&names) {
            return self.error(span, error);
        }
        let hidden = self.indices(span, indices.iter().map(|(name, index)| (*name, index)))?;
        let bound: Vec<Bound> = names.iter().map(|name| self.bind(Name::Index(*name), None, None)).collect();
        let internal: Vec<Name> = bound.iter().map(|bound| bound.internal).collect();
        let ty = self.annotation(ty, span);
        self.unbind_all(bound);
        let ty = ty?;
        let mut subst = Subst::default();
        for (name, internal) in names.iter().zip(&internal) {
            if let Some(index) = hidden.get(Name::Index(*name)) {
                subst.insert(*internal, index.clone());
            }
        }
        let expected = self.substituted(&subst, &ty, span)?;
        let found = self.infer(body)?;
        self.expect(&expected, &found, body.span(), Place::BoxContent)?;
        Ok(Type::scalar(Atom::Sigma(internal.into_iter().map(Name::symbol).collect(), ty)))
    }

    pub(super) fn unboxed(&mut self, span: Span, boxed: &Expr, value: Symbol, indices: &[Symbol], body: &Expr) -> Result<Type> {
        let ty = self.infer(boxed)?;
        let (Atom::Sigma(names, inner), true) = (ty.atom(), ty.shape().is_scalar()) else {
            return self.error(boxed.span(), ErrorKind::NotOf { wanted: Wanted::Box, found: ty });
        };
        if let Err(error) = distinct(indices) {
            return self.error(span, error);
        }
        if names.len() != indices.len() || names.iter().zip(indices).any(|(a, b)| is_shape(*a) != is_shape(*b)) {
            return self.error(span, ErrorKind::HiddenNames(ty));
        }
        let mut bound: Vec<Bound> = indices.iter().map(|name| self.bind(Name::Index(*name), None, None)).collect();
        let mut subst = Subst::default();
        for (name, opened) in names.iter().zip(&bound) {
            subst.insert(Name::Index(*name), super::scope::variable(opened.internal));
        }
        match self.substituted(&subst, inner, span) {
            Ok(inner) => bound.push(self.bind(Name::Size(value), Some(inner), None)),
            Err(error) => {
                self.unbind_all(bound);
                return Err(error);
            }
        }
        self.scoped(span, bound, body, Binding::Unbox)
    }
}
