//! Explicit maps for what lifts.

use super::insertions::{Insertion, Lifted, What};
use super::{Elaborator, Typed};
use crate::base::{Span, Symbol};
use crate::ir::core::{Atom, Expr, ExprKind, Shape};

/// An operand with its frame.
pub(super) struct Part {
    pub(super) value: Typed,
    /// A prefix of the principal frame.
    pub(super) frame: Shape,
}

/// A binding around a lifted expression.
enum Binder {
    Let(Symbol, Typed),
    Map(Shape, Vec<(Symbol, Expr)>),
}

/// Whether an expression may stand inside of a map as it is: evaluating it again costs nothing and cannot fail.
fn is_cheap(value: &Typed) -> bool {
    let mut expr = &value.expr;
    // An instance that is no function can be an array of any size.
    if matches!(value.ty.atom(), Atom::Fun(..) | Atom::Pi(..) | Atom::Forall(..)) {
        while let ExprKind::Inst { fun, .. } = expr.kind() {
            expr = fun;
        }
    }
    matches!(
        expr.kind(),
        ExprKind::Var(_)
            | ExprKind::Lit(_)
            | ExprKind::Array { .. }
            | ExprKind::Fn { .. }
            | ExprKind::IFn { .. }
            | ExprKind::TFn { .. }
            | ExprKind::ReifyDim(_)
    )
}

impl Elaborator<'_> {
    /// Evaluates the parts once, in their order, and `build` for each cell of the principal frame. The frame of each part is a prefix of
    /// that; `build` gets what stands for the cells of the parts.
    pub(super) fn over(
        &mut self,
        span: Span,
        principal: &Shape,
        parts: Vec<Part>,
        build: impl FnOnce(&mut Self, Vec<Expr>) -> Option<Expr>,
    ) -> Option<Expr> {
        let mut binders = Vec::new();
        let mut current: Vec<(Expr, usize)> = Vec::with_capacity(parts.len());
        // What has no frame and is not cheap is evaluated before the maps, and so is all before it.
        let early = |part: &Part| part.frame.is_scalar() && !is_cheap(&part.value);
        let first = if principal.is_scalar() { 0 } else { parts.iter().rposition(early).map_or(0, |at| at + 1) };
        for (at, part) in parts.into_iter().enumerate() {
            let rank = part.frame.items.len();
            if at >= first || is_cheap(&part.value) {
                current.push((part.value.expr, rank));
                continue;
            }
            let name = self.fresh(Symbol::new("x"));
            current.push((Expr::new(ExprKind::Var(name), part.value.span()), rank));
            binders.push(Binder::Let(name, part.value));
        }
        let mut ranks: Vec<usize> = current.iter().map(|(_, rank)| *rank).filter(|rank| *rank > 0).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let mut outer = 0;
        for rank in ranks {
            let frame = Shape { items: principal.items[outer..rank].to_vec() };
            let mut args = Vec::new();
            for (expr, _) in current.iter_mut().filter(|(_, own)| *own > outer) {
                let base = match expr.kind() {
                    ExprKind::Var(name) => *name,
                    _ => Symbol::new("x"),
                };
                let name = self.fresh(base);
                let cell = Expr::new(ExprKind::Var(name), expr.span());
                args.push((name, std::mem::replace(expr, cell)));
            }
            binders.push(Binder::Map(frame, args));
            outer = rank;
        }
        let body = build(self, current.into_iter().map(|(expr, _)| expr).collect())?;
        Some(binders.into_iter().rev().fold(body, |body, binder| {
            let kind = match binder {
                Binder::Let(name, value) => ExprKind::Let { name, ty: Some(value.ty), rhs: value.expr, body },
                Binder::Map(frame, args) => ExprKind::Map { frame, args, body },
            };
            Expr::new(kind, span)
        }))
    }

    /// Notes that something is lifted over a frame.
    pub(super) fn lifted(&mut self, span: Span, what: Lifted, frame: &Shape) {
        if self.libraries.inside.is_none() {
            let what = What::Lifted { what, frames: Vec::new(), principal: frame.clone() };
            self.insertions.push(Insertion { span, what });
        }
    }
}
