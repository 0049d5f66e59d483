//! Sections, where they are not applied on the spot.

use super::apply::{Arg, Head};
use super::{Elab, Result, Typed};
use crate::base::{Span, Symbol};
use crate::ir::core::{Expr, ExprKind, Type};
use crate::ir::surface::view;
use crate::ir::surface::{self, ExprId};
use crate::ir::tables::AppInfo;

impl Elab<'_> {
    /// An unapplied section.
    pub(super) fn section(&mut self, e: ExprId, span: Span) -> Result<Typed> {
        let program = self.program;
        let info = self.tables.apps.get(e).cloned();
        match &program.ast.exprs[e].kind {
            surface::ExprKind::LeftSection { lhs, op } => {
                let head = self.section_head(e, op)?;
                let args = self.arguments(&[*lhs])?;
                match info.filter(|i| i.cost() > 0 || i.head_frame > 0) {
                    Some(info) => self.apply_mapped(head, args, &info, span),
                    None => self.apply_exact(head, args, span),
                }
            }
            surface::ExprKind::RightSection { op, rhs } => {
                let head = self.section_head(e, op)?;
                let rhs_span = program.ast.exprs[*rhs].span;
                let rhs = self.expr(*rhs)?;
                let rhs = self.shared(rhs, "t");
                self.section_lambda(e, span, |elab, x| {
                    let args = vec![Arg::Ready(x, span), Arg::Ready(rhs, rhs_span)];
                    match info.filter(|i| i.args.iter().any(|a| a.maps > 0 || a.reps > 0) || i.head_frame > 0) {
                        Some(info) => elab.apply_mapped(head, args, &info, span),
                        None => elab.apply_exact(head, args, span),
                    }
                })
            }
            surface::ExprKind::ProjectSection(_) => self.project_section(e, None, span),
            _ => Err(self.missing(span)),
        }
    }

    /// `(.field)`, applied to what has this type where it is known.
    pub(super) fn project_section(&mut self, e: ExprId, of: Option<Type>, span: Span) -> Result<Typed> {
        let info = self.tables.apps.get(e).cloned();
        let surface::ExprKind::ProjectSection(path) = &self.program.ast.exprs[e].kind else { return Err(self.missing(span)) };
        self.lambda_of(e, of, span, |elab, mut x| {
            for (i, field) in path.iter().enumerate() {
                let slot = info.as_ref().and_then(|info| info.args.get(i)).copied().unwrap_or_default();
                let info = AppInfo { head_frame: 0, args: vec![slot] };
                x = elab.apply_mapped(Head::Project(field.name), vec![Arg::Ready(x, span)], &info, span)?;
            }
            Ok(x)
        })
    }

    pub(super) fn section_head(&mut self, e: ExprId, op: &surface::Operator) -> Result<Head> {
        match (op.backtick, self.program.names.exprs.get(e)) {
            (Some(function), _) => self.head(e, &view::Head::Expr(function)),
            (None, Some(res)) => {
                let (value, ty, instance) = self.resolved(*res, e, op.ident.span)?;
                Ok(Head::Fun { value: (value, ty), instance })
            }
            (None, None) => Ok(Head::Fun { value: self.operator(op.ident, e)?, instance: None }),
        }
    }

    /// `\x -> body x`, the type of `x` from the section's own type.
    pub(super) fn section_lambda(&mut self, e: ExprId, span: Span, body: impl FnOnce(&mut Self, Typed) -> Result<Typed>) -> Result<Typed> {
        self.lambda_of(e, None, span, body)
    }

    /// `section_lambda` where the type of `x` may be known.
    pub(super) fn lambda_of(
        &mut self,
        e: ExprId,
        known: Option<Type>,
        span: Span,
        body: impl FnOnce(&mut Self, Typed) -> Result<Typed>,
    ) -> Result<Typed> {
        let ty = self.tables.exprs.get(e).cloned().ok_or_else(|| self.missing(span))?;
        let crate::ir::tables::RBase::Arrow(from, _) = &*ty.base else { return Err(self.missing(span)) };
        self.push_frame();
        let ty = match known {
            Some(known) => known,
            None => self.fresh_type(from, span),
        };
        let name = self.fresh_name(Symbol::new("x"));
        self.bind_param(name, &ty, span);
        let (value, ret) = body(self, (Expr::new(ExprKind::Var(name), span), ty.clone()))?;
        let (value, ret) = self.close_function(value, ret, &[name], span)?;
        let fun_ty = self.function_type(&[(name, ty.clone())], &ret);
        Ok((Expr::new(ExprKind::Fn { params: vec![(name, ty)], ret, body: value }, span), fun_ty))
    }
}
