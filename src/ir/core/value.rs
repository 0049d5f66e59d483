//! Which expressions compute nothing: the bodies that polymorphic abstractions may have.

use super::{Expr, ExprKind};

/// Whether evaluating the expression computes nothing: it is a value, or made of values by `let`, projections and partial
/// applications. `is_partial` says whether an application has fewer arguments than its function has parameters.
pub fn computes_nothing(expr: &Expr, is_partial: &dyn Fn(&Expr) -> bool) -> bool {
    let of = |part: &Expr| computes_nothing(part, is_partial);
    match expr.kind() {
        ExprKind::Var(_)
        | ExprKind::Lit(_)
        | ExprKind::Array { .. }
        | ExprKind::Fn { .. }
        | ExprKind::IFn { .. }
        | ExprKind::TFn { .. }
        | ExprKind::ReifyDim(_)
        | ExprKind::ReifyShape(_) => true,
        ExprKind::Frame { cells, .. } => cells.iter().all(of),
        ExprKind::Tuple(parts) => parts.iter().all(of),
        ExprKind::Record(fields) => fields.iter().all(|(_, part)| of(part)),
        ExprKind::Inst { fun: part, .. } | ExprKind::Rep { arg: part, .. } | ExprKind::Box { body: part, .. } => of(part),
        ExprKind::Inject { payload: part, .. } | ExprKind::Is(_, part) => of(part),
        ExprKind::App { fun, args } => is_partial(expr) && of(fun) && args.iter().all(of),
        ExprKind::Let { rhs, body, .. } => of(rhs) && of(body),
        ExprKind::Proj(_, part) | ExprKind::Field(_, part) => of(part),
        ExprKind::If { .. }
        | ExprKind::Loop { .. }
        | ExprKind::Map { .. }
        | ExprKind::Unbox { .. }
        | ExprKind::Payload(..)
        | ExprKind::Coerce { .. }
        | ExprKind::Assert { .. } => false,
    }
}
