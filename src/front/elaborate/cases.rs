//! Constructors and `match`. A case is tested by a chain of conditionals; its variables are projections of the value. That every
//! value has a case was seen before, so the last case is not tested.

use super::branches::Branch;
use super::expr::call;
use super::{Elab, Result, Typed};
use crate::base::scalar::Op;
use crate::base::{Scalar, Span, Symbol};
use crate::ir::core::{Atom, Expr, ExprKind, Type};
use crate::ir::surface::{self, ExprId, PatId, PatKind, UnaryOp, view};

impl Elab<'_> {
    /// The sum type that an expression has below its frame, with unknown sizes.
    pub(super) fn sum_type(&mut self, node: ExprId, span: Span) -> Result<Type> {
        let ty = self.tables.exprs.get(node).cloned().ok_or_else(|| self.missing(span))?;
        Ok(self.fresh_type(&ty.with_rank(0), span))
    }

    /// `#c e ..` of a sum type.
    pub(super) fn injection(&mut self, label: Symbol, ty: Type, parts: Vec<(Typed, Span)>, span: Span) -> Result<Typed> {
        let wanted = self.payload_types(&ty, label, span)?;
        let mut values = Vec::with_capacity(parts.len());
        for (wanted, ((value, found), at)) in wanted.iter().zip(parts) {
            self.unify_at(wanted, &found, at)?;
            values.push(value);
        }
        let payload = Expr::new(ExprKind::Tuple(values), span);
        Ok((Expr::new(ExprKind::Inject { label, ty: ty.clone(), payload }, span), ty))
    }

    /// The types of what a constructor is applied to.
    pub(super) fn payload_types(&self, ty: &Type, label: Symbol, span: Span) -> Result<Vec<Type>> {
        let Atom::Sum(payloads) = ty.atom() else { return Err(self.missing(span)) };
        match payloads.iter().find(|(name, _)| *name == label).map(|(_, payload)| payload.atom()) {
            Some(Atom::Tuple(parts)) => Ok(parts.clone()),
            _ => Err(self.missing(span)),
        }
    }

    /// What a value was made of if it was made by this constructor.
    pub(super) fn payload_parts(&mut self, (value, ty): &Typed, label: Symbol, span: Span) -> Result<Vec<Typed>> {
        let ty = self.sizes.zonk_type(ty);
        let types = self.payload_types(&ty, label, span)?;
        let payload = Expr::new(ExprKind::Payload(label, value.clone()), span);
        let part = |(at, ty)| (Expr::new(ExprKind::Proj(at, payload.clone()), span), ty);
        Ok(types.into_iter().enumerate().map(part).collect())
    }

    /// `match e case p -> e ..`.
    pub(super) fn match_(&mut self, scrutinee: ExprId, cases: &[(PatId, ExprId)], span: Span) -> Result<Typed> {
        let at = self.program.ast.exprs[scrutinee].span;
        let (value, ty) = self.expr(scrutinee)?;
        let name = match value.kind() {
            ExprKind::Var(name) => *name,
            _ => self.bind_let(Symbol::new("m"), value, ty.clone(), at),
        };
        let value = (Expr::new(ExprKind::Var(name), at), ty);
        let chosen = self.cases(name, &value, cases, span)?;
        Ok(self.open(chosen))
    }
    fn cases(&mut self, name: Symbol, value: &Typed, cases: &[(PatId, ExprId)], span: Span) -> Result<Typed> {
        let Some(((pat, body), rest)) = cases.split_first() else { return Err(self.missing(span)) };
        if rest.is_empty() {
            return self.case(name, value, *pat, *body);
        }
        let mut tests = Vec::new();
        self.tests(*pat, value, &mut tests)?;
        let first = self.branch(|elab| elab.case(name, value, *pat, *body))?;
        let others: Branch = self.branch(|elab| {
            let chosen = elab.cases(name, value, rest, span)?;
            Ok(elab.open(chosen))
        })?;
        self.choice(all_hold(tests, span), first, others, span)
    }
    /// The body of a case, in the current scope.
    fn case(&mut self, name: Symbol, value: &Typed, pat: PatId, body: ExprId) -> Result<Typed> {
        self.pattern_agrees(pat, &value.1)?;
        self.bind_pattern_var(pat, name, &value.1)?;
        self.expr(body)
    }

    /// Adds the truth values that say together whether a value matches a pattern. A later one is looked at only where the earlier hold.
    fn tests(&mut self, pat: PatId, value: &Typed, out: &mut Vec<Expr>) -> Result<()> {
        let program = self.program;
        let node = &program.ast.pats[pat];
        let span = node.span;
        match &node.kind {
            PatKind::Name(_) | PatKind::Wild | PatKind::Error => Ok(()),
            PatKind::Paren(inner) | PatKind::Ascribe(inner, _) => self.tests(*inner, value, out),
            PatKind::Tuple(parts) => parts.iter().enumerate().try_for_each(|(at, part)| {
                let value = self.project(value.clone(), Symbol::new(&at.to_string()), span)?;
                self.tests(*part, &value, out)
            }),
            PatKind::Record(fields) => fields.iter().try_for_each(|(label, part)| {
                let value = self.project(value.clone(), label.name, span)?;
                self.tests(*part, &value, out)
            }),
            PatKind::Lit(literal) => {
                out.push(self.literal_test(*literal, value, span)?);
                Ok(())
            }
            PatKind::Constr(label, args) => {
                out.push(Expr::new(ExprKind::Is(label.name, value.0.clone()), span));
                let parts = self.payload_parts(value, label.name, span)?;
                args.iter().zip(&parts).try_for_each(|(arg, part)| self.tests(*arg, part, out))
            }
        }
    }
    fn literal_test(&mut self, literal: ExprId, value: &Typed, span: Span) -> Result<Expr> {
        let at = view::strip(&self.program.ast, literal);
        let Some(scalar) = self.scalar(at) else {
            let unsigned = match &self.program.ast.exprs[at].kind {
                surface::ExprKind::Unary { op: UnaryOp::Neg, expr, .. } => *expr,
                _ => at,
            };
            return Err(self.unfit(unsigned, span));
        };
        let literal = Expr::new(ExprKind::Lit(scalar), span);
        match scalar {
            Scalar::Bool(true) => Ok(value.0.clone()),
            Scalar::Bool(false) => Ok(negated(value.0.clone(), span)),
            _ => {
                let equal = Expr::op(Op::Eq, scalar.prim(), span);
                Ok(call(equal, vec![value.0.clone(), literal], span))
            }
        }
    }
}

fn truth(value: bool, span: Span) -> Expr {
    Expr::new(ExprKind::Lit(Scalar::Bool(value)), span)
}

fn negated(cond: Expr, span: Span) -> Expr {
    Expr::new(ExprKind::If { cond, then: truth(false, span), els: truth(true, span) }, span)
}

/// Whether all tests hold, looked at one by one.
fn all_hold(tests: Vec<Expr>, span: Span) -> Expr {
    let join = |rest: Expr, test: Expr| Expr::new(ExprKind::If { cond: test, then: rest, els: truth(false, span) }, span);
    tests.into_iter().rev().reduce(join).unwrap_or_else(|| truth(true, span))
}
