//! Functions whose result is a function of arrays with computed sizes: `def f (n: i32) : [i64.i32 n]t -> u = e`.
//!
//! Nothing can check the sizes of what a function that is there already is applied to. So the parameters of the result become parameters of
//! the function itself, `def f (n: i32) (x: [i64.i32 n]t) : u = e x`, and are checked as such.

use super::{Elab, Local, Result, Typed, apply};
use crate::base::{Span, Symbol};
use crate::ir::core::{self, Param, Type};
use crate::ir::surface::{Dim, ExprId, ExprKind, PatId, PatKind, TypeArg, TypeId, TypeKind, view};

/// A parameter of a function.
#[derive(Debug, Clone, Copy)]
pub(super) enum Given {
    /// One that is written before the result.
    Pattern(PatId),
    /// One of the function that is the result: its name, if the type has one, and its type.
    Returned(Option<PatId>, TypeId),
}

impl Elab<'_> {
    /// The parameters that are written, and of the function that is the result all up to the last with a computed size in its type; with
    /// what is left of the result. A recursive function is first seen by its own calls, so it has those that are written.
    pub(super) fn all_parameters(&self, params: &[PatId], ret: Option<TypeId>) -> (Vec<Given>, Option<TypeId>) {
        let mut given: Vec<Given> = params.iter().copied().map(Given::Pattern).collect();
        let (Some(ret), false, false) = (ret, params.is_empty(), self.program.defs[self.def].recursive) else { return (given, ret) };
        let mut returned = Vec::new();
        let (mut taken, mut rest, mut next) = (0, ret, ret);
        while let TypeKind::Arrow { param, from, to } = self.program.ast.types[self.bare(next)].kind {
            returned.push(Given::Returned(param, from));
            next = to;
            if self.has_computed_size(from) {
                (taken, rest) = (returned.len(), to);
            }
        }
        given.extend(returned.into_iter().take(taken));
        (given, Some(rest))
    }
    /// A type without the parentheses around it.
    fn bare(&self, mut ty: TypeId) -> TypeId {
        while let TypeKind::Paren(inner) = self.program.ast.types[ty].kind {
            ty = inner;
        }
        ty
    }
    /// Whether a size of an array in a type is written as something else than a sum, difference or product of names and numbers.
    fn has_computed_size(&self, ty: TypeId) -> bool {
        let size = |dim: &Dim| matches!(dim, Dim::Expr(e) if !self.is_polynomial(*e));
        match &self.program.ast.types[ty].kind {
            TypeKind::Paren(inner) | TypeKind::Unique(inner) => self.has_computed_size(*inner),
            TypeKind::Array(dim, element) => size(dim) || self.has_computed_size(*element),
            TypeKind::Tuple(parts) => parts.iter().any(|part| self.has_computed_size(*part)),
            TypeKind::Record(fields) => fields.iter().any(|(_, part)| self.has_computed_size(*part)),
            TypeKind::Sum(clauses) => clauses.iter().flat_map(|(_, payload)| payload).any(|part| self.has_computed_size(*part)),
            TypeKind::Name { args, .. } => args.iter().any(|arg| match arg {
                TypeArg::Size(dim) => size(dim),
                TypeArg::Type(ty) => self.has_computed_size(*ty),
            }),
            // What a function among the arguments is applied to is looked at by it.
            TypeKind::Arrow { .. } | TypeKind::Exists(..) | TypeKind::Error => false,
        }
    }
    fn is_polynomial(&self, e: ExprId) -> bool {
        let e = view::strip(&self.program.ast, e);
        match &self.program.ast.exprs[e].kind {
            ExprKind::Name(_) | ExprKind::Int { .. } => true,
            ExprKind::Project { .. } => self.program.names.exprs.get(e).is_some(),
            ExprKind::Binary { op, lhs, rhs } => {
                matches!(op.ident.name.as_str(), "+" | "-" | "*") && self.is_polynomial(*lhs) && self.is_polynomial(*rhs)
            }
            _ => false,
        }
    }

    /// The type of a parameter: the expected one where nothing is annotated.
    pub(super) fn given_type(&mut self, given: Given, expected: Option<&Type>, span: Span) -> Result<Type> {
        match given {
            Given::Pattern(pat) => self.parameter_type(pat, expected, span),
            Given::Returned(_, ty) => self.open_annotation(ty),
        }
    }
    pub(super) fn given_span(&self, given: Given) -> Span {
        match given {
            Given::Pattern(pat) => self.program.ast.pats[pat].span,
            Given::Returned(_, ty) => self.program.ast.types[ty].span,
        }
    }
    /// A name for a parameter in core.
    pub(super) fn given_name(&self, given: Given) -> Symbol {
        match given {
            Given::Pattern(pat) | Given::Returned(Some(pat), _) => self.pat_name(pat),
            Given::Returned(None, _) => Symbol::new("x"),
        }
    }
    /// What a parameter is called in the body and in the types after it.
    pub(super) fn bind_given(&mut self, given: Given, name: Symbol, ty: &Type) -> Result<()> {
        match given {
            Given::Pattern(pat) => self.bind_pattern_var(pat, name, ty),
            Given::Returned(pat, from) => {
                if let Some(pat) = pat.filter(|pat| matches!(self.program.ast.pats[*pat].kind, PatKind::Name(_))) {
                    self.names.locals.insert(pat, Local::Var { name, ty: ty.clone() });
                }
                self.names.returned.insert(from, (name, ty.clone()));
                Ok(())
            }
        }
    }
    /// What the body is applied to: the parameters of the function that is the result, checked.
    pub(super) fn returned_arguments(&self, given: &[Given]) -> Vec<(Typed, Span)> {
        let argument = |given: &Given| {
            let Given::Returned(_, from) = given else { return None };
            let (name, ty) = self.names.returned.get(from)?;
            let span = self.given_span(*given);
            Some(((core::Expr::new(core::ExprKind::Var(*name), span), ty.clone()), span))
        };
        given.iter().filter_map(argument).collect()
    }
    /// The body of a function, applied to the parameters of the function that is its result.
    pub(super) fn applied_body(&mut self, body: ExprId, args: Vec<(Typed, Span)>) -> Result<Typed> {
        if args.is_empty() {
            return self.expr(body);
        }
        let span = self.program.ast.exprs[body].span;
        let hint: Vec<Param> = args.iter().map(|((_, ty), _)| Param { name: None, ty: ty.clone() }).collect();
        let value = match &self.program.ast.exprs[view::strip(&self.program.ast, body)].kind {
            ExprKind::Lambda { params, ret, body } => self.function(params, *ret, *body, &hint, span)?,
            _ => self.expr(body)?,
        };
        let args = args.into_iter().map(|(value, span)| apply::Arg::Ready(value, span)).collect();
        self.apply_exact(apply::Head::Fun { value, instance: None }, args, span)
    }
}
